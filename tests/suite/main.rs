//! One test binary; one module per behaviour.

mod csv;
mod inspector;
mod pictures;
mod sample;
mod support;
