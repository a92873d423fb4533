//! One test binary; one module per behaviour.

mod pictures;
mod sample;
mod support;
