//! All data that is authored on a character, generic over a [`Naming`], and the naming schemes of files.
//!
//! A document refers to bones and helpers by id and stores values by their index in the solver's table. Projects refer
//! to bones by path, exchange files by name; both store values by parameter name. [`Setup::map_naming`] converts
//! between naming schemes.

use crate::document::naming::{ById, FileNaming, Naming};
use crate::document::{
    BaseMotion, BonePath, Chain, ChainId, ChainValue, Collider, ColliderGroup, ColliderId, Force, ForceId, Gesture,
    GestureId, GroupId, Helper, HelperId, HighLeg, HighLegId, Joint, ListKind, Material, MaterialId, Node, PosedBone,
    System, SystemId,
};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;

/// Everything that is authored on one character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Setup")]
#[serde(bound = "N: FileNaming", default, deny_unknown_fields)]
pub struct Setup<N: Naming = ById> {
    /// Solvers with their system values. Never empty in a document.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub systems: BTreeMap<SystemId, System<N>>,
    /// The simulated chains.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub chains: BTreeMap<ChainId, Chain<N>>,
    /// Values that chains share. A chain that refers to a material has exactly its values.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<MaterialId, Material<N>>,
    /// Nodes added to the skeleton.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub helpers: BTreeMap<HelperId, Helper<N>>,
    /// Collider shapes.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub colliders: BTreeMap<ColliderId, Collider<N>>,
    /// Named sets of colliders. A chain's groups are tested before the colliders of its joints.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<GroupId, ColliderGroup<N>>,
    /// Wind and other forces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forces: BTreeMap<ForceId, Force<N>>,
    /// Leg followers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub high_legs: BTreeMap<HighLegId, HighLeg<N>>,
    /// Names of meshes that are not drawn. Colliders that are linked to these meshes are off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub hidden_meshes: BTreeSet<String>,
    /// Bones that detection and "make chain" skip.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub excluded_bones: BTreeSet<N::Bone>,
    /// Recorded drags.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub gestures: BTreeMap<GestureId, Gesture<N>>,
    /// The motions on which gestures were recorded. A gesture without a motion plays on the relaxed pose.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub base_motions: BTreeMap<GestureId, BaseMotion>,
    /// The pose that the artist keeps for tuning: displaced bones on top of every motion, in the order in which they
    /// act.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    pub kept_pose: Vec<PosedBone<N>>,
    /// Entries of imported files that this character cannot use, kept for the next export.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passthrough: Vec<Passthrough>,
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
            hidden_meshes: BTreeSet::new(),
            excluded_bones: BTreeSet::new(),
            gestures: BTreeMap::new(),
            base_motions: BTreeMap::new(),
            kept_pose: Vec::new(),
            passthrough: Vec::new(),
        }
    }
}

impl Setup {
    /// Creates a setup with one system of this solver and default values.
    pub fn with_solver(solver: SolverKind) -> Self {
        Self { systems: BTreeMap::from([(SystemId::default(), System::with_solver(solver))]), ..Self::default() }
    }
}

/// One entry of a setup, by name. As JSON it is an object of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupEntry {
    /// Name, values, component node and component lists of a system. Absent values stay unchanged.
    System(System<ByName>),
    /// Single nodes of a component. Other lists of the component stay unchanged.
    ComponentNodes(BTreeMap<ListKind, Option<String>>),
    /// Values that chains share.
    Material(MaterialId, Material<ByName>),
    /// A node that is added to the skeleton: a bare node or a pivot.
    Helper(Helper<ByName>),
    /// A collider.
    Collider(Collider<ByName>),
    /// The collider of this name is off.
    DisabledCollider(String),
    /// A collider group.
    Group(GroupId, ColliderGroup<ByName>),
    /// A force.
    Force(Force<ByName>),
    /// A leg follower.
    HighLeg(HighLeg<ByName>),
    /// A chain without its joints.
    Chain(ChainEntry),
    /// A joint.
    Joint(JointEntry),
    /// The bone of this name is excluded from detection.
    ExcludedBone(String),
    /// The mesh of this name is not drawn.
    HiddenMesh(String),
}

impl SetupEntry {
    /// Whether the entry belongs to the whole character instead of one solver.
    pub const fn belongs_to_character(&self) -> bool {
        match self {
            Self::Helper(_)
            | Self::Collider(_)
            | Self::DisabledCollider(_)
            | Self::Group(..)
            | Self::Force(_)
            | Self::HighLeg(_)
            | Self::ExcludedBone(_)
            | Self::HiddenMesh(_) => true,
            Self::System(_) | Self::ComponentNodes(_) | Self::Material(..) | Self::Chain(_) | Self::Joint(_) => false,
        }
    }
}

/// A chain, whose joints are entries of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainEntry {
    /// Name of the root bone.
    pub root: String,
    /// The number by which joints of the same file refer to the chain. `None` if the skeleton determines the chains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// The chain without its joints. In a table, absent values stay unchanged.
    pub chain: Chain<ByName>,
}

/// Which properties of a joint an entry replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplacedProperties {
    /// All properties. Values are overrides, and colliders exclude those of the chain's groups.
    Full,
    /// The properties in a table row: values of the solver, pivot, length targets, and all colliders. The colliders
    /// include those of the chain's groups.
    TableRow,
    /// The properties that a table row cannot store. Properties with default values stay unchanged.
    Details,
}

/// A joint of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// The properties that the entry replaces.
    pub scope: ReplacedProperties,
    /// [`ChainEntry::number`] of the joint's chain. `None` if the skeleton determines the chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<u32>,
    /// The joint.
    pub joint: Joint<ByName>,
}

/// Data of an imported file that this character cannot use, kept so that the next export writes it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Passthrough {
    /// A row of a CSV, in the file's space, with the bracketed name of its section.
    CsvRow {
        /// For example `[Pivots]`.
        section: String,
        /// All cells, verbatim.
        cells: Vec<String>,
    },
    /// An entry of a setup.
    Entry {
        /// The solver of its system.
        solver: SolverKind,
        /// The entry.
        entry: Box<SetupEntry>,
    },
    /// References of a joint of this character to nodes and colliders that it lacks.
    References {
        /// The joint's bone.
        bone: String,
        /// Name of a missing pivot, or empty.
        pivot: String,
        /// Names of missing length targets.
        length_targets: Vec<String>,
        /// Names of missing colliders.
        colliders: Vec<String>,
    },
}

/// The naming scheme of projects: bones by path, helpers by id, values by parameter name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByPath;

impl Naming for ByPath {
    type Node = Node<BonePath>;
    type Bone = BonePath;
    type Collider = ColliderId;
    type SystemValues = BTreeMap<String, JsonNumber>;
    type ChainValues = BTreeMap<String, ChainValue>;
    type MaterialValues = BTreeMap<String, ChainValue>;
    type JointValues = BTreeMap<String, JsonNumber>;
}

impl FileNaming for ByPath {}

/// The naming scheme of exchange files: bones, nodes and colliders by name, values by parameter name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByName;

impl Naming for ByName {
    type Node = NodeRef;
    type Bone = String;
    type Collider = String;
    type SystemValues = BTreeMap<String, JsonNumber>;
    type ChainValues = BTreeMap<String, ChainValue>;
    type MaterialValues = BTreeMap<String, ChainValue>;
    type JointValues = BTreeMap<String, JsonNumber>;
}

impl FileNaming for ByName {}

/// How an exchange file refers to a node.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum NodeRef {
    /// A bone or a helper by its name.
    Named(String),
    /// A helper that is defined where it is used.
    Inline(Box<Helper<ByName>>),
}

impl NodeRef {
    /// Returns the name of the bone or helper.
    pub fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Inline(helper) => &helper.name,
        }
    }
}

impl From<&str> for NodeRef {
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl<'de> Deserialize<'de> for NodeRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrHelper;

        impl<'de> Visitor<'de> for NameOrHelper {
            type Value = NodeRef;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a node, or a node with \"name\", \"parent\" and \"local\"")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<NodeRef, E> {
                Ok(NodeRef::from(name))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NodeRef, A::Error> {
                let helper = Helper::deserialize(MapAccessDeserializer::new(map))?;
                Ok(NodeRef::Inline(Box::new(helper)))
            }
        }

        deserializer.deserialize_any(NameOrHelper)
    }
}
