//! One test binary; one module per behaviour.

mod widgets;
