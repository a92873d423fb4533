//! The JSON of a glTF, GLB or VRM file: its container, checked access to its values, its nodes, and changes of values by
//! byte range.

pub(crate) mod container;
pub(crate) mod json;
pub(crate) mod nodes;
pub mod splice;
