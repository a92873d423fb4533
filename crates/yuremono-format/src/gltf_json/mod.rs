//! JSON of glTF, GLB and VRM files: the container, checked access to values, nodes, and byte-exact changes.

pub(crate) mod animation_data;
pub(crate) mod bin_chunk;
pub(crate) mod container;
pub(crate) mod json;
pub(crate) mod nodes;
pub mod splice;
