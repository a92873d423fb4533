//! One test binary; one module per behaviour.

mod gui_viewport;
mod pictures;
mod support;
