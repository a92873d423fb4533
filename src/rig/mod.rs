//! What a character is, before anything moves it.
//!
//! [`Skeleton`] holds named bones, parents first; [`Pose`] says how each bone is turned now;
//! [`Character`] adds the plain data that `view` draws (meshes, skins, materials, images, clips).
//! No parameters, no solver data and no GL live here. Space: right-handed, +Y up, metres.

mod character;
mod clip;
mod humanoid;
mod pose;
mod retarget;
mod retarget_by_name;
mod skeleton;

pub use character::{
    AlphaMode, Character, Facing, Image, Material, Mesh, MorphTarget, Primitive, Shading, Skin, TextureRef,
    TextureWrap, ToonShading,
};
pub use clip::{Channel, ChannelInterpolation, ChannelValues, Clip};
pub use humanoid::{HUMANOID_ROLES, Humanoid};
pub use pose::{Pose, WorldPose};
pub use retarget::{RetargetError, retarget};
pub use retarget_by_name::{bone_with_same_name, retarget_by_name};
pub use skeleton::{Bone, BoneId, Skeleton, SkeletonError};
