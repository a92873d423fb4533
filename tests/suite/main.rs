//! Behaviour of the whole library, one module per subject.

mod csv;
mod documents;
mod project;
