//! One test binary; one module per behaviour.

mod csv;
mod pictures;
mod sample;
mod support;
mod widgets;
