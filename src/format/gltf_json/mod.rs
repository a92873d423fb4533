//! The JSON of a glTF, GLB or VRM file: container, checked access to values, nodes, and byte-exact changes.

pub(crate) mod bin_chunk;
pub(crate) mod container;
pub(crate) mod json;
pub(crate) mod nodes;
pub mod splice;
