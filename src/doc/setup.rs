//! Everything that is authored on a character, independent of how its bones are named.
//!
//! A [`Setup`] is generic over a [`Naming`]: a document refers to bones and helpers by id and stores parameter
//! values by position in the solver's table; projects refer to bones by path and store values by parameter name.
//! [`Setup::rename`] is the one walk that converts between namings.

use super::{
    Authored, BonePath, Chain, ChainId, Collider, ColliderGroup, ColliderId, Force, ForceId, Gesture, GestureId,
    GroupId, Helper, HelperId, HighLeg, HighLegId, KeptRow, Material, MaterialId, Node, System, SystemId, Underlay,
};
use crate::math::Number;
use crate::rig::BoneId;
use crate::schema::{ParamSet, Row};
use crate::sim::SolverKind;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// How a setup refers to bones and nodes, and how it stores parameter values.
pub trait Naming: Clone + Copy + Debug + Default + PartialEq + 'static {
    /// A bone or a helper.
    type Node: Clone + Debug + PartialEq + Ord;
    /// A bone of the skeleton.
    type Bone: Clone + Debug + PartialEq + Ord;
    /// Values of a whole system.
    type SystemValues: Clone + Debug + PartialEq;
    /// Values of a chain.
    type ChainValues: Clone + Debug + PartialEq;
    /// Values of a material.
    type MaterialValues: Clone + Debug + PartialEq;
    /// Values of one joint that override those of its chain.
    type JointValues: Clone + Debug + PartialEq + Default;
}

/// The naming of a document: ids of the skeleton and the document, values by position in the solver's table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ById;

impl Naming for ById {
    type Node = Node;
    type Bone = BoneId;
    type SystemValues = ParamSet;
    type ChainValues = Vec<Authored>;
    type MaterialValues = BTreeMap<Row, Authored>;
    type JointValues = BTreeMap<Row, f32>;
}

/// The naming of projects: bones by name and ancestors, helpers by id, values by parameter name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPath;

impl Naming for ByPath {
    type Node = Node<BonePath>;
    type Bone = BonePath;
    type SystemValues = BTreeMap<String, Number>;
    type ChainValues = BTreeMap<String, Authored>;
    type MaterialValues = BTreeMap<String, Authored>;
    type JointValues = BTreeMap<String, Number>;
}

/// A naming that files can hold.
pub trait FileNaming:
    Naming<
        Node: InFiles,
        Bone: InFiles,
        SystemValues: InFiles + Default,
        ChainValues: InFiles + Default,
        MaterialValues: InFiles + Default,
        JointValues: InFiles,
    >
{
}

impl FileNaming for ByPath {}

/// What serde writes and reads.
pub trait InFiles: Serialize + DeserializeOwned {}

impl<T: Serialize + DeserializeOwned> InFiles for T {}

/// For fields that files leave out.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// For switches that are on where files say nothing.
pub(super) const fn yes() -> bool {
    true
}

/// All that is authored on one character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "N: FileNaming", default, deny_unknown_fields)]
pub struct Setup<N: Naming = ById> {
    /// How chains move; never empty in a document.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub systems: BTreeMap<SystemId, System<N>>,
    /// What is simulated.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chains: BTreeMap<ChainId, Chain<N>>,
    /// Values that chains share. A chain that refers to a material has exactly its values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<MaterialId, Material<N>>,
    /// Nodes added to the skeleton.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub helpers: BTreeMap<HelperId, Helper<N>>,
    /// Shapes that push joints.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub colliders: BTreeMap<ColliderId, Collider<N>>,
    /// Named sets of colliders; a chain's groups are tested before its joints' own colliders.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<GroupId, ColliderGroup>,
    /// Wind and other forces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forces: BTreeMap<ForceId, Force<N>>,
    /// Nodes that follow the raised thigh.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub high_legs: BTreeMap<HighLegId, HighLeg<N>>,
    /// Names of meshes that the engine does not draw; colliders linked to them are off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub renderers_off: BTreeSet<String>,
    /// Bones that detection and "make chain" skip.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub excluded: BTreeSet<N::Bone>,
    /// Recorded drags.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub gestures: BTreeMap<GestureId, Gesture<N>>,
    /// The motions that gestures were recorded on; a gesture without one plays on the rest pose.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub underlays: BTreeMap<GestureId, Underlay>,
    /// Rows of imported tables that this character cannot use, kept for the next export.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptRow>,
}

impl<N: Naming> Default for Setup<N> {
    fn default() -> Self {
        Self {
            systems: BTreeMap::new(),
            chains: BTreeMap::new(),
            materials: BTreeMap::new(),
            helpers: BTreeMap::new(),
            colliders: BTreeMap::new(),
            groups: BTreeMap::new(),
            forces: BTreeMap::new(),
            high_legs: BTreeMap::new(),
            renderers_off: BTreeSet::new(),
            excluded: BTreeSet::new(),
            gestures: BTreeMap::new(),
            underlays: BTreeMap::new(),
            kept: Vec::new(),
        }
    }
}

impl Setup {
    /// One system of that solver with the engine's defaults, and nothing else.
    pub fn under(solver: SolverKind) -> Self {
        Self { systems: BTreeMap::from([(SystemId::default(), System::under(solver))]), ..Self::default() }
    }
}
