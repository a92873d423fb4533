//! One binary, one module per behaviour.

mod sample;
