//! Reads and writes the data that VRM adds to glTF: humanoid bones, facing, and spring bones.
//!
//! [`VrmSprings`] contains the springs of either VRM version with VRM's terms, in glTF space. It stores the values of
//! the file; `document` converts them to systems and parameters. Invalid parts are skipped with a warning; springs
//! never cause the rejection of a character. Sources: the VRM 0.x and 1.0 specifications.

mod constraints;
mod document;
mod fields;
mod limits;
pub mod migrate;
pub mod rules;
mod springs;
mod v0;
mod v1;
mod write;

pub(crate) use document::collider_placement;
pub use document::to_document;
pub use springs::{
    VrmFileContent, check_extension, from_document, read_only_refusal, read_springs_and_bones, save_springs,
};
pub use write::write;

use super::gltf_json::json::JsonObject;
use super::gltf_json::nodes::GltfNodes;
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_sim::SwingLimit;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::rig::{BoneId, Facing, Humanoid, NodeConstraints, role_of_unity};

/// The version of VRM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VrmVersion {
    /// VRM 0.x, `extensions.VRM`. Characters face -Z.
    V0,
    /// VRM 1.0, `VRMC_vrm` and related extensions. Characters face +Z.
    V1,
}

/// All spring bones of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct VrmSprings {
    /// The VRM version that the springs follow.
    pub version: VrmVersion,
    /// The chains in file order. VRM 0.x has one chain for each root of each bone group.
    pub chains: Vec<VrmSpringChain>,
    /// The colliders. [`VrmColliderGroup::colliders`] refers to them by index.
    pub colliders: Vec<VrmCollider>,
    /// The collider groups. [`VrmSpringChain::collider_groups`] refers to them by index.
    pub collider_groups: Vec<VrmColliderGroup>,
}

impl VrmSprings {
    const fn empty(version: VrmVersion) -> Self {
        Self { version, chains: Vec::new(), colliders: Vec::new(), collider_groups: Vec::new() }
    }
}

/// A chain of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct VrmSpringChain {
    /// Name or comment in the file. The name may be empty and need not be unique.
    pub name: String,
    /// Index in the file's `springs`, or `boneGroups` in VRM 0.x; `None` for a new entry.
    pub file_index: Option<usize>,
    /// Joints, parents before children: a path in VRM 1.0, a tree in VRM 0.x. Never empty.
    pub joints: Vec<VrmSpringJoint>,
    /// Indices into [`VrmSprings::collider_groups`].
    pub collider_groups: Vec<usize>,
    /// The bone that inertia is measured relative to, or `None` for the world.
    pub center: Option<BoneId>,
}

/// A simulated bone with the numbers of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmSpringJoint {
    /// The bone that rotates.
    pub bone: BoneId,
    /// The simulated end of the joint.
    pub tail: VrmJointTail,
    /// Radius of the collision sphere at the tail, in metres.
    pub hit_radius: f32,
    /// Pull towards the rest pose, in metres per second.
    pub stiffness: f32,
    /// Pull along `gravity_dir`, in metres per second.
    pub gravity_power: f32,
    /// Direction in world space, not necessarily of unit length. VRM 0.x values are stored as written, as in three-vrm,
    /// although the specification uses a left-handed space.
    pub gravity_dir: Vec3,
    /// Fraction of the speed that is lost in each step. 0 to 1 in valid files.
    pub drag: f32,
    /// Angle limit from `VRMC_springBone_limit`. VRM 0.x has no limits.
    pub limit: Option<SwingLimit>,
}

/// The simulated end of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VrmJointTail {
    /// The origin of a descendant of the joint's bone.
    Bone(BoneId),
    /// A point in the joint's local space, in metres, for leaves of VRM 0.x.
    Offset(Vec3),
}

/// A shape that pushes tails away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmCollider {
    /// The bone that the collider is attached to.
    pub bone: BoneId,
    /// Shape in the bone's local space.
    pub shape: VrmColliderShape,
    /// Index in the `colliders` list of the file, or of its group in VRM 0.x; `None` for a new entry.
    pub file_index: Option<usize>,
}

/// The shape of a collider in the local space of its bone, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VrmColliderShape {
    /// A sphere. If `inside` is true, tails are kept inside the sphere.
    Sphere {
        /// Centre of the sphere.
        offset: Vec3,
        /// Radius, 0 or more.
        radius: f32,
        /// Whether tails are kept inside the shape.
        inside: bool,
    },
    /// A capsule. If `inside` is true, tails are kept inside the capsule.
    Capsule {
        /// One end of the axis.
        offset: Vec3,
        /// The other end of the axis, relative to the bone's origin.
        tail: Vec3,
        /// Radius, 0 or more.
        radius: f32,
        /// Whether tails are kept inside the shape.
        inside: bool,
    },
    /// An infinite plane that keeps tails on the side of its normal.
    Plane {
        /// A point on the plane.
        offset: Vec3,
        /// Unit vector towards the side where tails may be.
        normal: Vec3,
    },
}

/// A group of colliders that chains refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VrmColliderGroup {
    /// Name of the group. The name may be empty.
    pub name: String,
    /// Indices into [`VrmSprings::colliders`].
    pub colliders: Vec<usize>,
    /// Index in the file's `colliderGroups`; `None` for a new entry.
    pub file_index: Option<usize>,
}

/// The VRM data of a file.
#[derive(Debug)]
pub(crate) struct VrmProfile {
    pub(crate) format_name: &'static str,
    pub(crate) humanoid: Humanoid,
    pub(crate) facing: Facing,
    pub(crate) springs: Option<VrmSprings>,
    pub(crate) constraints: NodeConstraints,
    /// Nodes of a VRM animation whose translations and rotations are expressions or gaze, not movements of bones.
    pub(crate) expression_bones: BTreeSet<BoneId>,
}

/// Reads all VRM data of a file. If a file contains both VRM 1.0 and VRM 0.x data, VRM 1.0 is used.
pub(crate) fn read(root: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> VrmProfile {
    let extension = |name| root.ok_or_warn(root.extension(name), "it is ignored").flatten();
    let constraints = constraints::read(nodes);
    let springs = extension(fields::SPRING_BONE_EXTENSION).and_then(|json| v1::read(&json, nodes));
    if let Some(vrm) = extension("VRMC_vrm") {
        fields::check_spec_version(&vrm, &["1.0", "1.0-beta"]);
        let humanoid = read_humanoid_v1(&vrm, nodes);
        return VrmProfile {
            format_name: "VRM 1.0",
            humanoid,
            facing: Facing::PlusZ,
            springs,
            constraints,
            expression_bones: BTreeSet::new(),
        };
    }
    if let Some(vrm) = extension("VRM") {
        let humanoid = read_humanoid_v0(&vrm, nodes);
        let springs = springs.or_else(|| v0::read(&vrm, nodes));
        return VrmProfile {
            format_name: "VRM 0.x",
            humanoid,
            facing: Facing::MinusZ,
            springs,
            constraints,
            expression_bones: BTreeSet::new(),
        };
    }
    let (format_name, humanoid, expression_bones) = match extension("VRMC_vrm_animation") {
        Some(motion) => ("VRM animation 1.0", read_humanoid_v1(&motion, nodes), read_expression_bones(&motion, nodes)),
        None => ("glTF 2.0", Humanoid::default(), BTreeSet::new()),
    };
    VrmProfile { format_name, humanoid, facing: Facing::PlusZ, springs, constraints, expression_bones }
}

/// Reads the nodes of `expressions` and `lookAt` of a VRM animation.
fn read_expression_bones(motion: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> BTreeSet<BoneId> {
    let node = |json: &JsonObject<'_>| json.index("node", nodes.len(), "node").ok().flatten();
    let mut found: Vec<usize> = motion.object("lookAt").ok().flatten().iter().filter_map(node).collect();
    let expressions = motion.object("expressions").ok().flatten();
    for kind in ["preset", "custom"] {
        let Some(list) = expressions.as_ref().and_then(|json| json.object(kind).ok().flatten()) else { continue };
        found.extend(list.keys().filter_map(|name| node(&list.object(name).ok().flatten()?)));
    }
    found.into_iter().map(|node| nodes.bone_of_node[node]).collect()
}

const NO_HUMANOID: &str = "there is no humanoid";
const NO_HUMANOID_BONE: &str = "the humanoid bone is left out";

/// Reads `humanoid.humanBones` of VRM 1.0, which is an object with one field per role.
fn read_humanoid_v1(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> Humanoid {
    let mut humanoid = Humanoid::default();
    let bones = vrm.object("humanoid").and_then(|h| h.map_or(Ok(None), |h| h.object("humanBones")));
    let Some(bones) = vrm.ok_or_warn(bones, NO_HUMANOID).flatten() else { return humanoid };
    for role in bones.keys() {
        let node = bones.object(role).and_then(|bone| {
            let bone = bone.ok_or_else(|| bones.error_at(role, message!("no bone is named")))?;
            bone.required_index("node", nodes.len(), "node")
        });
        if let Some(node) = bones.ok_or_warn(node, NO_HUMANOID_BONE) {
            set_role(&mut humanoid, role, nodes.bone_of_node[node], &bones, role);
        }
    }
    humanoid
}

/// Reads `humanoid.humanBones` of VRM 0.x, which is a list of roles with their nodes.
fn read_humanoid_v0(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> Humanoid {
    let mut humanoid = Humanoid::default();
    let Some(human) = vrm.ok_or_warn(vrm.object("humanoid"), NO_HUMANOID).flatten() else { return humanoid };
    for bone in human.ok_or_warn(human.objects("humanBones"), NO_HUMANOID).into_iter().flatten() {
        let pair = bone.and_then(|bone| {
            // Unity writes -1 for a role without a bone.
            if bone.get("node").and_then(serde_json::Value::as_i64) == Some(-1) {
                return Ok(None);
            }
            let role = bone.required("bone", JsonObject::text)?;
            let node = bone.required_index("node", nodes.len(), "node")?;
            Ok(Some((role, node, bone)))
        });
        if let Some((role, node, bone)) = human.ok_or_warn(pair, NO_HUMANOID_BONE).flatten() {
            set_role(&mut humanoid, &role_of_unity(role), nodes.bone_of_node[node], &bone, "bone");
        }
    }
    humanoid
}

/// Assigns a bone to a role. Errors are reported at the field `key` of `json`.
fn set_role(humanoid: &mut Humanoid, role: &str, bone: BoneId, json: &JsonObject<'_>, key: &str) {
    let warn = |message: MessageText| json.warn_at(key, message, NO_HUMANOID_BONE);
    let shown = excerpt(role);
    if humanoid.bone(role).is_some() {
        warn(message!("the role \"{shown}\" is given twice", shown));
    } else if !humanoid.set(role, bone) {
        warn(message!("there is no humanoid bone \"{shown}\"", shown));
    }
}
