//! What VRM adds to glTF: who is a humanoid's arm, which way it looks, and its spring bones.
//!
//! [`VrmSprings`] holds both versions of VRM in VRM's own terms and glTF space; it is what the file says, not yet
//! systems and parameters. Whatever is broken here is left out with a warning; a character is never refused for
//! its springs. Written after the VRM 0.x and 1.0 specifications.

mod colliders;
mod document;
mod humanoid;
mod limits;
pub mod migrate;
pub mod rules;
mod springs;
mod v0;
mod v1;
mod write;

pub use document::to_document;
pub use springs::{VrmFileContent, check_extension, from_document, read_springs_and_bones, save_springs};
pub use write::write;

use super::gltf_json::json::{GltfDiagnostics, JsonObject};
use super::gltf_json::nodes::GltfNodes;
use crate::rig::{BoneId, Facing, Humanoid};
use crate::sim::SwingLimit;
use glam::Vec3;

/// The two families of VRM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VrmVersion {
    /// `extensions.VRM`, looks to -Z.
    V0,
    /// `VRMC_vrm` and its companions.
    V1,
}

/// All spring bones of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct VrmSprings {
    /// Which rules apply.
    pub version: VrmVersion,
    /// In file order; in VRM 0.x one for each root of each bone group.
    pub chains: Vec<VrmSpringChain>,
    /// Referred to by `VrmColliderGroup::add_colliders`.
    pub colliders: Vec<VrmCollider>,
    /// Referred to by [`VrmSpringChain::collider_groups`].
    pub collider_groups: Vec<VrmColliderGroup>,
}

/// Joints that swing together.
#[derive(Clone, Debug, PartialEq)]
pub struct VrmSpringChain {
    /// Name or comment in the file; may be empty and need not be unique.
    pub name: String,
    /// Position in the file's `springs`, or `boneGroups` in VRM 0.x; `None` for one that the file has not.
    pub file_index: Option<usize>,
    /// Parents before children. A path in VRM 1.0, a tree in VRM 0.x; never empty.
    pub joints: Vec<VrmSpringJoint>,
    /// Indices into [`VrmSprings::collider_groups`].
    pub collider_groups: Vec<usize>,
    /// Inertia is measured relative to this bone; the world where absent.
    pub center: Option<BoneId>,
}

/// A bone that swings, with the numbers of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmSpringJoint {
    /// What turns.
    pub bone: BoneId,
    /// Where its swinging end lies.
    pub tail: VrmJointTail,
    /// Metres, of a sphere at the tail.
    pub hit_radius: f32,
    /// Pull towards rest, metres per second.
    pub stiffness: f32,
    /// Pull along `gravity_dir`, metres per second.
    pub gravity_power: f32,
    /// World, not necessarily of unit length. VRM 0.x numbers are kept as written, as three-vrm does, although
    /// its Z is meant left-handed.
    pub gravity_dir: Vec3,
    /// Share of the speed lost each step, meant to lie in 0..=1.
    pub drag: f32,
    /// How far it may turn, after `VRMC_springBone_limit`; VRM 0.x has no limits.
    pub limit: Option<SwingLimit>,
}

/// The swinging end of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VrmJointTail {
    /// The origin of another bone, below the joint's bone.
    Bone(BoneId),
    /// A point in the joint's local space, metres; leaves of VRM 0.x.
    Offset(Vec3),
}

/// A shape that pushes tails away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmCollider {
    /// What carries it.
    pub bone: BoneId,
    /// In the bone's local space.
    pub shape: VrmColliderShape,
    /// Position in the file's `colliders`, or in its group's in VRM 0.x; `None` for one that the file has not.
    pub file_index: Option<usize>,
}

/// Local space of the collider's bone, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VrmColliderShape {
    /// A ball, or with `inside` the room in it.
    Sphere {
        /// Middle.
        offset: Vec3,
        /// 0 or more.
        radius: f32,
        /// Keeps tails inside.
        inside: bool,
    },
    /// A thick line, or with `inside` the room in it.
    Capsule {
        /// One end of the line.
        offset: Vec3,
        /// The other end, also from the bone's origin.
        tail: Vec3,
        /// 0 or more.
        radius: f32,
        /// Keeps tails inside.
        inside: bool,
    },
    /// Everything behind an endless plane.
    Plane {
        /// A point on it.
        offset: Vec3,
        /// Unit length, towards the free side.
        normal: Vec3,
    },
}

/// Colliders that chains name together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VrmColliderGroup {
    /// May be empty.
    pub name: String,
    /// Indices into `VrmSprings::add_colliders`.
    pub colliders: Vec<usize>,
    /// Position in the file's `colliderGroups`; `None` for one that the file has not.
    pub file_index: Option<usize>,
}

/// What a file says of itself beyond glTF.
#[derive(Debug)]
pub(crate) struct VrmProfile {
    pub(crate) format_name: String,
    pub(crate) humanoid: Humanoid,
    pub(crate) facing: Facing,
    pub(crate) springs: Option<VrmSprings>,
}

/// Reads every VRM part that is there; VRM 1.0 goes before 0.x where a file carries both.
pub(crate) fn read(root: &JsonObject<'_>, nodes: &GltfNodes<'_>, notes: &GltfDiagnostics<'_>) -> VrmProfile {
    const PLAIN: &str = "it is passed over";
    let extension = |name| notes.ok_or_warn(root.extension(name), PLAIN).flatten();
    let springs = extension("VRMC_springBone").and_then(|json| v1::read(&json, nodes, notes));
    if let Some(vrm) = extension("VRMC_vrm") {
        check_version(&vrm, notes);
        let humanoid = humanoid::read_v1(&vrm, nodes, notes);
        return VrmProfile { format_name: "VRM 1.0".to_owned(), humanoid, facing: Facing::PlusZ, springs };
    }
    if let Some(vrm) = extension("VRM") {
        let humanoid = humanoid::read_v0(&vrm, nodes, notes);
        let springs = springs.or_else(|| v0::read(&vrm, nodes, notes));
        return VrmProfile { format_name: "VRM 0.x".to_owned(), humanoid, facing: Facing::MinusZ, springs };
    }
    let (kind, humanoid) = match extension("VRMC_vrm_animation") {
        Some(motion) => ("VRM animation 1.0", humanoid::read_v1(&motion, nodes, notes)),
        None => ("glTF 2.0", Humanoid::default()),
    };
    VrmProfile { format_name: kind.to_owned(), humanoid, facing: Facing::PlusZ, springs }
}

/// Other versions than 1.0 are read as if they were, with a warning.
fn check_version(json: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) {
    let fault = match json.text("specVersion") {
        Ok(Some("1.0" | "1.0-beta")) => return,
        Ok(Some(other)) => json.error_at("specVersion", format!("version \"{}\"", crate::diagnostics::excerpt(other))),
        Ok(None) => json.missing_error("specVersion"),
        Err(fault) => fault,
    };
    notes.warn(fault, "it is read as version 1.0");
}
