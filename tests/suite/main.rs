//! Behaviour seen from outside the library, one module per subject.

mod remap;
