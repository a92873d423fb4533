//! Functions that the readers and writers of VRM 0.x and 1.0 share.

use super::{VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion};
use crate::gltf_json::json::{JsonError, JsonObject};
use glam::Vec3;
use serde_json::Value;
use std::collections::HashSet;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::solver::vrm::LEAF_LENGTH;

pub(super) const SPRING_BONE_EXTENSION: &str = "VRMC_springBone";
pub(super) const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";

/// Returns the version of a file, or the version for new springs if the file has no springs.
pub(super) fn file_version(json: &Value, springs: Option<&VrmSprings>) -> VrmVersion {
    let has = |name: &str| json["extensions"].get(name).is_some_and(Value::is_object);
    let without_springs = if has("VRM") && !has("VRMC_vrm") { VrmVersion::V0 } else { VrmVersion::V1 };
    springs.map_or(without_springs, |springs| springs.version)
}

/// Warns about a `specVersion` that is not one of `known`.
pub(super) fn check_spec_version(json: &JsonObject<'_>, known: &[&str]) {
    const KEY: &str = "specVersion";
    let fault = match json.required(KEY, JsonObject::text) {
        Ok(version) if known.contains(&version) => return,
        Ok(other) => json.error_at(KEY, message!("unknown version \"{other}\"", other = excerpt(other))),
        Err(fault) => fault,
    };
    json.warn(fault, "it is read as version 1.0");
}

pub(super) fn read_radius(json: &JsonObject<'_>) -> Result<f32, JsonError> {
    match json.number("radius")?.unwrap_or(0.0) {
        radius if radius < 0.0 => {
            Err(json.error_at("radius", message!("a radius of {radius}; 0 or more was expected", radius)))
        }
        radius => Ok(radius),
    }
}

/// Reads the numbers of a joint, or of a VRM 0.x bone group. Invalid numbers are replaced with their defaults. The
/// caller must set the bone, tail, gravity direction and limit.
pub(super) fn read_joint_numbers(json: &JsonObject<'_>, stiffness_key: &str, default_drag: f32) -> VrmSpringJoint {
    let number = |key, default| json.value_or(json.number(key), default);
    let drag = number("dragForce", default_drag);
    if !(0.0..=1.0).contains(&drag) {
        json.warn_at("dragForce", message!("{drag}; 0 to 1 was expected", drag), "it is kept");
    }
    let mut hit_radius = number("hitRadius", 0.0);
    if hit_radius < 0.0 {
        let fault = json.error_at("hitRadius", message!("{hit_radius}; 0 or more was expected", hit_radius));
        json.warn_with(fault, message!("{default} is used", default = 0));
        hit_radius = 0.0;
    }
    VrmSpringJoint {
        bone: BoneId(0),
        tail: VrmJointTail::Offset(Vec3::ZERO),
        hit_radius,
        stiffness: number(stiffness_key, 1.0),
        gravity_power: number("gravityPower", 0.0),
        gravity_dir: Vec3::NEG_Y,
        drag,
        limit: None,
    }
}

/// Returns the valid entries of an index list, without duplicates.
pub(super) fn valid_indices(json: &JsonObject<'_>, key: &str, count: usize, what: &'static str) -> Vec<usize> {
    let list = json.ok_or_warn(json.indices(key, count, what), "it is read as empty");
    let mut seen = HashSet::new();
    let found = list.into_iter().flatten().filter_map(|index| json.ok_or_warn(index, "it is left out"));
    found.filter(|index| seen.insert(*index)).collect()
}

/// Returns the tail of a bone in VRM 0.x: its first child. The tail of a leaf is 7 cm from the leaf, in the direction
/// of the bone.
pub(super) fn tree_tail(skeleton: &Skeleton, bone: BoneId) -> Option<VrmJointTail> {
    let leaf = || Some(skeleton.bone(bone).rest.translation.try_normalize()? * LEAF_LENGTH);
    let child = skeleton.children(bone).first().map(|child| VrmJointTail::Bone(*child));
    child.or_else(|| leaf().map(VrmJointTail::Offset))
}

impl VrmSpringJoint {
    pub(super) fn tail_bone(&self) -> Option<BoneId> {
        match self.tail {
            VrmJointTail::Bone(bone) => Some(bone),
            VrmJointTail::Offset(_) => None,
        }
    }
}

impl VrmSpringChain {
    pub(super) fn root(&self) -> Option<BoneId> {
        self.joints.first().map(|joint| joint.bone)
    }

    /// Returns all bones of the chain, including the last tail. A bone can occur more than once.
    pub(super) fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.joints.iter().flat_map(|joint| [Some(joint.bone), joint.tail_bone()]).flatten()
    }
}

/// The fields of a shape, with their names in VRM 1.0.
#[derive(Clone, Copy)]
pub(super) struct ShapeFields {
    pub(super) kind: &'static str,
    /// `offset`, then the tail of a capsule or the normal of a plane.
    pub(super) vectors: [Option<(&'static str, Vec3)>; 2],
    pub(super) radius: Option<f32>,
    pub(super) inside: bool,
}

impl VrmColliderShape {
    pub(super) const fn fields(self) -> ShapeFields {
        match self {
            Self::Sphere { offset, radius, inside } => {
                ShapeFields { kind: "sphere", vectors: [Some(("offset", offset)), None], radius: Some(radius), inside }
            }
            Self::Capsule { offset, tail, radius, inside } => ShapeFields {
                kind: "capsule",
                vectors: [Some(("offset", offset)), Some(("tail", tail))],
                radius: Some(radius),
                inside,
            },
            Self::Plane { offset, normal } => ShapeFields {
                kind: "plane",
                vectors: [Some(("offset", offset)), Some(("normal", normal))],
                radius: None,
                inside: false,
            },
        }
    }
}

/// Returns one message about several bones that lists at most 12 names, or `None` if `bones` is empty.
pub(super) fn bones_message(skeleton: &Skeleton, bones: &[BoneId], what: MessageText) -> Option<MessageText> {
    const MAX_LISTED_BONES: usize = 12;
    let name = |bone: &BoneId| format!("\"{}\"", excerpt(skeleton.name(*bone)));
    let names = bones.iter().take(MAX_LISTED_BONES).map(name).collect::<Vec<_>>().join(", ");
    match bones.len().saturating_sub(MAX_LISTED_BONES) {
        _ if bones.is_empty() => None,
        0 => Some(message!("{names}: {what}", names, what)),
        others => Some(message!("{names} and {others} more: {what}", names, others, what)),
    }
}
