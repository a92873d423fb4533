//! The data of a character file.
//!
//! [`Skeleton`] contains named bones, parents first. [`Pose`] contains the local transform of each bone. [`Character`]
//! adds meshes, skins, materials, images and clips, which `renderer` draws. [`Humanoid`] has the bones of the body, and finds
//! them in files that do not name them. This module has no parameters, solver data
//! or GL objects. Space: right-handed, +Y up, in metres.

mod character;
mod clip;
mod humanoid;
mod key_reduction;
mod material;
mod node_constraint;
mod pose_track;
mod retarget;
mod skeleton;

pub use character::{Character, Facing, Image, Mesh, MorphTarget, Primitive, Skin};
pub use clip::{Channel, ChannelInterpolation, ChannelValues, Clip};
pub use humanoid::{BodyShape, HUMANOID_ROLES, Humanoid, RoleSource};
pub use key_reduction::{MotionError, ReducedClip, key_count, reduce_keys};
pub use material::{
    AlphaMode, BlendOrder, Material, OutlineWidth, ScaledTexture, Shading, TextureRef, TextureWrap, ToonOutline,
    ToonRim, ToonShading, UvAnimation,
};
pub use node_constraint::{ConstraintKind, NodeConstraint, NodeConstraints};
pub use pose_track::{MovedBone, PoseTrack};
pub use retarget::{
    RetargetError, bone_with_same_name, retarget, retarget_by_direction, retarget_by_name, retarget_in_world_by_name,
};
pub use skeleton::{Bone, BoneId, Pose, Skeleton, SkeletonError, WorldPose};
