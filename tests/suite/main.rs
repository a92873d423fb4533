//! One test binary; one module per behaviour.

mod csv;
mod documents;
mod gui_viewport;
mod loader;
mod pictures;
mod project;
mod remap;
mod sample;
mod support;
mod widgets;
mod windows;
