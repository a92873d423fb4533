//! The data of a character file.
//!
//! [`Skeleton`] contains named bones, parents first. [`Pose`] contains the local transform of each bone. [`Character`]
//! adds meshes, skins, materials, images and clips, which `renderer` draws. [`Humanoid`] has the bones of the body, and finds
//! them in files that do not name them. [`BodyPosing`] and [`TestMotion`] move the body, and [`skinning`] moves the vertices.
//! This module has no solver data or GL objects. Space: right-handed, +Y up, in metres.

mod character;
mod clip;
mod humanoid;
mod joint_angle;
mod key_reduction;
mod material;
mod node_constraint;
mod pose_track;
mod posing;
mod relaxed_pose;
mod retarget;
mod skeleton;
pub mod skinning;
mod test_motion;
mod two_bone;

pub use character::{Character, Facing, Image, Mesh, MorphTarget, Primitive, Skin};
pub use clip::{Channel, ChannelInterpolation, ChannelValues, Clip};
pub use humanoid::{BodyShape, HUMANOID_ROLES, Humanoid, RoleSource, role_of_unity};
pub use joint_angle::{AngleKind, AngleMeasure, JointAngle, LimitPlane, hinge_pivot};
pub use key_reduction::{MotionError, ReducedClip, key_count, reduce_keys};
pub use material::{
    AlphaMode, BlendOrder, Material, OutlineWidth, ScaledTexture, Shading, TextureRef, TextureWrap, ToonOutline,
    ToonRim, ToonShading, UvAnimation,
};
pub use node_constraint::{ConstraintKind, NodeConstraint, NodeConstraints};
pub use pose_track::{MovedBone, PoseTrack};
pub use posing::{BodyDisplacement, BodyLandmarks, BodyPosing, LimbLandmarks};
pub use retarget::{
    PoseRetargeter, RetargetError, bone_with_same_name, node_rotation_in_plus_z, normalized_humanoid, retarget,
    retarget_by_direction, retarget_by_name, retarget_in_world_by_name, with_arms,
};
pub use skeleton::{Bone, BoneId, Pose, Skeleton, SkeletonError, WorldPose};
pub use test_motion::{MotionBody, TestMotion};
