//! One test binary; one module per behaviour.

mod cli;
mod csv;
mod documents;
mod floors;
mod gui_viewport;
mod loader;
mod pictures;
mod project;
mod remap;
mod sample;
mod support;
mod widgets;
