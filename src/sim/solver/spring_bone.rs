//! UTJ `UnityChanSpringBone`.
pub use super::spring_bone_params::*;
