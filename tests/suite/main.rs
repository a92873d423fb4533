//! One test binary; one module per behaviour.

mod csv;
mod gui_viewport;
mod pictures;
mod sample;
mod support;
mod widgets;
//! Behaviour seen from outside the library, one module per subject.

mod loader;
mod support;
//! Behaviour seen from outside the library, one module per subject.

mod remap;
mod documents;
mod project;
