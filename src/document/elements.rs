//! What a setup holds besides chains and systems: materials, helpers, colliders, groups, forces, leg followers and gestures.

use crate::document::Chain;
use crate::document::naming::{ById, FileNaming, Naming, default_true};
use crate::math::Trs;
use crate::params::ParamId;
use crate::sim::{ColliderShape, ForceKind, SolverKind};
use glam::{Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers under a name, for chains of one solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Material")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Material<N: Naming = ById> {
    /// As it goes into files.
    pub name: String,
    /// Whose rows it holds.
    #[serde(default)]
    pub solver: SolverKind,
    /// One for each of [`SolverInfo::material`](crate::sim::SolverInfo::material_params).
    #[serde(default)]
    pub values: N::MaterialValues,
}

impl Material {
    /// With the numbers that a chain of that solver has.
    pub fn from_chain(name: impl Into<String>, solver: SolverKind, chain: &Chain) -> Self {
        let value = |row: &ParamId| Some((*row, chain.values.get(row.index())?.clone()));
        Self { name: name.into(), solver, values: solver.info().material_params.iter().filter_map(value).collect() }
    }

    /// Whether a chain has its numbers.
    pub fn matches_chain(&self, chain: &Chain) -> bool {
        self.values.iter().all(|(row, value)| chain.values.get(row.index()) == Some(value))
    }

    /// Gives a chain its numbers.
    pub(crate) fn apply_to_chain(&self, chain: &mut Chain) {
        for (row, value) in &self.values {
            if let Some(slot) = chain.values.get_mut(row.index()) {
                slot.clone_from(value);
            }
        }
    }
}

/// What a helper is for, where the original engine marks it so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HelperRole {
    /// Carries a collider, a force or another helper.
    #[default]
    Plain,
    /// Frame of angle limits: `SpringBonePivot`. Never counts as a child when a tip is derived.
    Pivot,
    /// A bare node that tables keep: `DynamicsNull`.
    Null,
}

/// A named node that Yuremono adds below a bone: pivots, collider nodes and nulls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Helper")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Helper<N: Naming = ById> {
    /// As it goes into files.
    pub name: String,
    /// What it hangs on.
    pub parent: N::Node,
    /// Relative to the parent.
    pub local: Trs,
    /// What it is for.
    #[serde(default)]
    pub role: HelperRole,
}

/// A shape on a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Collider")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Collider<N: Naming = ById> {
    /// As it goes into files.
    pub name: String,
    /// Usually a helper.
    pub node: N::Node,
    /// What it is.
    pub shape: ColliderShape,
    /// Its own switch.
    #[serde(default = "default_true")]
    pub enabled: bool,
    /// Name of the mesh that it goes with: it is off while that one is among `Setup::renderers_off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh_name: Option<String>,
    /// Its number in the character's own file, where it was read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

/// Colliders that chains name together, as VRM's files do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "ColliderGroup")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct ColliderGroup<N: Naming = ById> {
    /// As it goes into files; may be empty.
    pub name: String,
    /// In the order in which they are tested.
    pub colliders: Vec<N::Collider>,
    /// Its number in the character's own file, where it was read from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_index: Option<u32>,
}

impl<N: Naming> Default for ColliderGroup<N> {
    fn default() -> Self {
        Self { name: String::new(), colliders: Vec::new(), source_index: None }
    }
}

impl<N: Naming> Collider<N> {
    /// A collider that is on and linked to no mesh.
    pub fn new(name: impl Into<String>, node: N::Node, shape: ColliderShape) -> Self {
        Self { name: name.into(), node, shape, enabled: true, mesh_name: None, source_index: None }
    }
}

/// A force on every joint, placed and aimed by its node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Force")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Force<N: Naming = ById> {
    /// Shown in lists.
    pub name: String,
    /// Usually a helper; its +Z is where the force goes.
    pub node: N::Node,
    /// What it is.
    pub kind: ForceKind,
    /// Its own switch.
    #[serde(default = "default_true")]
    pub enabled: bool,
}

/// A node that leans with the thigh that is raised highest, as a frame for the middle columns of a skirt: the
/// engine's `HighLeg`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "HighLeg")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct HighLeg<N: Naming = ById> {
    /// What is turned.
    pub node: N::Node,
    /// Whose forward and up are meant.
    pub hip: N::Node,
    /// Start and end of each leg.
    pub legs: Vec<[N::Node; 2]>,
}

/// How a dragged bone stood in one sixtieth of a second, relative to where animation put it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[f32; 7]", into = "[f32; 7]")]
pub struct GestureSample {
    /// World offset, metres.
    pub offset: Vec3,
    /// World rotation about the bone's own head.
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

/// A recorded drag: 60 samples a second, whatever the rate of ticks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct Gesture<N: Naming = ById> {
    /// Shown in the motion list.
    pub name: String,
    /// What was dragged.
    pub bone: N::Bone,
    /// Never empty.
    pub samples: Vec<GestureSample>,
}
