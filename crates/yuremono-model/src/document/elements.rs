//! The elements of a setup other than chains and systems.

use crate::document::naming::{ById, FileNaming, Naming, default_true};
use crate::document::{Chain, GestureId};
use glam::{Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::{ColliderShape, ForceKind, SolverKind, WindMoment};

/// Named values that chains of one solver share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Material")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Material<N: Naming = ById> {
    /// The name in files.
    pub name: String,
    /// The solver.
    #[serde(default)]
    pub solver: SolverKind,
    /// One value per entry of [`SolverInfo::material_params`](yuremono_sim::SolverInfo::material_params).
    #[serde(default)]
    pub values: N::MaterialValues,
}

impl Material {
    /// Creates a material with the values of a chain.
    pub fn from_chain(name: impl Into<String>, solver: SolverKind, chain: &Chain) -> Self {
        let value = |param: &ParamId| Some((*param, chain.values.get(param.index())?.clone()));
        Self { name: name.into(), solver, values: solver.info().material_params.iter().filter_map(value).collect() }
    }

    /// Whether a chain has the values of the material.
    pub fn matches_chain(&self, chain: &Chain) -> bool {
        self.values.iter().all(|(param, value)| chain.values.get(param.index()) == Some(value))
    }

    pub(crate) fn apply_to_chain(&self, chain: &mut Chain) {
        for (param, value) in &self.values {
            if let Some(slot) = chain.values.get_mut(param.index()) {
                slot.clone_from(value);
            }
        }
    }
}

/// The role of a helper in `UnityChanSpringBone`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HelperRole {
    /// Parent of colliders, forces or other helpers.
    #[default]
    Plain,
    /// `SpringBonePivot`, the frame of angle limits. It never counts as a child when a tip is derived.
    Pivot,
    /// `DynamicsNull`, a node without a function that tables contain.
    Null,
}

/// A named node that Yuremono adds to the skeleton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Helper")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Helper<N: Naming = ById> {
    /// The name of the helper in files.
    pub name: String,
    /// The parent.
    pub parent: N::Node,
    /// The transform relative to the parent.
    pub local: Trs,
    /// The role.
    #[serde(default)]
    pub role: HelperRole,
}

/// A collider shape on a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Collider")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Collider<N: Naming = ById> {
    /// The name of the collider in files.
    pub name: String,
    /// The node, usually a helper.
    pub node: N::Node,
    /// The shape.
    pub shape: ColliderShape,
    /// Whether the collider is enabled.
    #[serde(default = "default_true")]
    pub enabled: bool,
    /// The name of a mesh. The collider is off while the mesh is in [`Setup::hidden_meshes`](super::Setup).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh_name: Option<String>,
    /// Index in the character's file, if the collider was read from that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

/// Colliders that chains refer to together, as in VRM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "ColliderGroup")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct ColliderGroup<N: Naming = ById> {
    /// The name of the group in files. The name may be empty.
    pub name: String,
    /// The colliders, in the order of collision tests.
    pub colliders: Vec<N::Collider>,
    /// Index in the character's file, if the group was read from that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

impl<N: Naming> Default for ColliderGroup<N> {
    fn default() -> Self {
        Self { name: String::new(), colliders: Vec::new(), source_index: None }
    }
}

impl<N: Naming> Collider<N> {
    /// Creates an enabled collider that is not linked to a mesh.
    pub fn new(name: impl Into<String>, node: N::Node, shape: ColliderShape) -> Self {
        Self { name: name.into(), node, shape, enabled: true, mesh_name: None, source_index: None }
    }
}

/// A force on every joint, at the position and along the rotation of its node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Force")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Force<N: Naming = ById> {
    /// The name of the force in lists.
    pub name: String,
    /// The node, usually a helper. The force acts along the +Z axis of the node.
    pub node: N::Node,
    /// The kind of force.
    pub kind: ForceKind,
    /// Whether the force is enabled.
    #[serde(default = "default_true")]
    pub enabled: bool,
}

/// A leg follower: a node that rotates with the thigh that is raised highest, as a frame for the middle columns of a
/// skirt. UnityChan's `HighLeg`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "HighLeg")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct HighLeg<N: Naming = ById> {
    /// The node that rotates.
    pub node: N::Node,
    /// The node whose +Z is forward and +Y up.
    pub hip: N::Node,
    /// Both ends of each thigh.
    pub legs: Vec<[N::Node; 2]>,
}

/// Pose of a dragged bone relative to its animated pose, during 1/60 s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f32; 7]", into = "[f32; 7]")]
pub struct GestureSample {
    /// Offset in world space, in metres.
    pub offset: Vec3,
    /// Rotation about the head of the bone, in world space.
    pub rotation: Quat,
}

impl From<[f32; 7]> for GestureSample {
    fn from([x, y, z, i, j, k, w]: [f32; 7]) -> Self {
        Self { offset: Vec3::new(x, y, z), rotation: Quat::from_xyzw(i, j, k, w) }
    }
}

impl From<GestureSample> for [f32; 7] {
    fn from(sample: GestureSample) -> Self {
        let (Vec3 { x, y, z }, [i, j, k, w]) = (sample.offset, sample.rotation.to_array());
        [x, y, z, i, j, k, w]
    }
}

/// How much of the body a drag moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DragReach {
    /// Only the dragged bone, with its descendants.
    #[default]
    OneBone,
    /// The whole body leans with the bone, and the feet stay on the ground.
    WholeBody,
}

impl DragReach {
    /// Whether only the dragged bone moves.
    pub fn is_one_bone(&self) -> bool {
        *self == Self::OneBone
    }
}

/// A displaced bone of the kept pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct PosedBone<N: Naming = ById> {
    /// The bone that was dragged.
    pub bone: N::Bone,
    /// How much of the body moves with the bone.
    #[serde(default, skip_serializing_if = "DragReach::is_one_bone")]
    pub reach: DragReach,
    /// The displacement, on top of the motion and of the bones before this one.
    pub sample: GestureSample,
}

/// Maximum number of displaced bones of a kept pose. Each costs time in every tick.
pub const MAX_POSED_BONES: usize = 256;

/// A recorded drag with 60 samples per second, regardless of the tick rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Gesture<N: Naming = ById> {
    /// Name in the list of motions.
    pub name: String,
    /// The bone that was dragged.
    pub bone: N::Bone,
    /// How much of the body moves with the bone. Gestures of older projects move one bone.
    #[serde(default, skip_serializing_if = "DragReach::is_one_bone")]
    pub reach: DragReach,
    /// Never empty.
    pub samples: Vec<GestureSample>,
    /// The test wind at the start of the recording. The gesture plays in this wind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wind: Option<WindMoment>,
}

/// The motion that played while a gesture was recorded. The gesture plays on top of this motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaseMotion {
    /// The motion.
    pub motion: MotionRef,
    /// Time of the motion when the recording started, in seconds.
    pub start: f64,
    /// Seconds of the motion per second of the recording. 0 if the motion was paused.
    pub speed: f64,
    /// Amplitude of a test motion, 0 to 1.
    pub amplitude: f32,
    /// The part of an animation that played, in seconds of the animation. `start` is measured from its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

/// A reference to a motion. It stays valid when the character is exported again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MotionRef {
    /// A built-in motion.
    Test(TestMotion),
    /// An animation of the file, by its name.
    Clip(String),
    /// Another gesture.
    Gesture(GestureId),
}

/// Maximum number of gestures that can be recorded on top of each other. Deeper gestures do not play. The limit is
/// needed because a gesture evaluates its base motion twice.
pub const MAX_BASE_MOTION_DEPTH: usize = 8;
