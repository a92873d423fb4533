//! Single entries of a setup by name: what a comment row of a table holds, and what a document keeps for the next export.

use crate::document::{
    ByName, Chain, Collider, ColliderGroup, Force, GroupId, Helper, HighLeg, Joint, ListKind, Material, MaterialId,
    System,
};
use crate::sim::SolverKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One entry of a setup, by name. As JSON it is an object of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SetupEntry {
    /// Name, values, component node and component lists of a system. Values that are absent stay unchanged.
    System(System<ByName>),
    /// Single nodes of a component; other lists of the component stay unchanged.
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
    /// A node that follows the raised thigh.
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

/// A chain, whose joints are entries of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainEntry {
    /// The bone that it begins with.
    pub root: String,
    /// How joints of the same file refer to it; `None` where new joints form chains by the skeleton.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Everything but the joints. Of a table, values that are absent stay unchanged.
    pub chain: Chain<ByName>,
}

/// How much a joint entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointScope {
    /// Everything, as a document has it: values of the joint alone, colliders that are not in groups of the chain.
    Full,
    /// A row of a table: the values that the solver gets, the pivot, the length targets, and all colliders, those of the
    /// chain's groups included. Everything else stays unchanged.
    TableRow,
    /// What a row of a table cannot hold. What has its default stays unchanged.
    Details,
}

/// A joint of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// How much is said.
    pub scope: JointScope,
    /// `ChainEntry::system_param` of its chain; `None` where the skeleton decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chain: Option<u32>,
    /// The joint.
    pub joint: Joint<ByName>,
}

/// Something of an imported file that this character cannot use, kept so that the next export writes it again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Passthrough {
    /// A row of a CSV in its own space, with the bracketed name of its section.
    CsvRow {
        /// For example `[Pivots]`.
        section: String,
        /// All cells, verbatim.
        cells: Vec<String>,
    },
    /// An entry of a setup.
    Entry {
        /// The solver of the system that it belongs to.
        solver: SolverKind,
        /// The entry.
        entry: Box<SetupEntry>,
    },
    /// References of a joint of this character to nodes and colliders that it lacks.
    References {
        /// The joint's bone.
        bone: String,
        /// Name of its pivot; empty where that is here.
        pivot: String,
        /// Names of nodes that its length is held to.
        length_targets: Vec<String>,
        /// Names of colliders.
        colliders: Vec<String>,
    },
}
