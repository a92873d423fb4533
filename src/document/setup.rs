//! Everything that is authored on a character, independent of how its bones are named.
//!
//! A [`Setup`] is generic over a [`Naming`]: a document refers to bones and helpers by id and stores parameter
//! values by position in the solver's table; projects refer to bones by path and store values by parameter name.
//! `Setup::map_names` is the one walk that converts between namings.

use crate::document::naming::{ById, FileNaming, Naming};
use crate::document::{
    BaseMotion, Chain, ChainId, Collider, ColliderGroup, ColliderId, Force, ForceId, Gesture, GestureId, GroupId,
    Helper, HelperId, HighLeg, HighLegId, Material, MaterialId, Passthrough, System, SystemId,
};
use crate::sim::SolverKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// All that is authored on one character.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "Setup")]
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
    pub groups: BTreeMap<GroupId, ColliderGroup<N>>,
    /// Wind and other forces.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub forces: BTreeMap<ForceId, Force<N>>,
    /// Nodes that follow the raised thigh.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub high_legs: BTreeMap<HighLegId, HighLeg<N>>,
    /// Names of meshes that the engine does not draw; colliders linked to them are off.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub hidden_meshes: BTreeSet<String>,
    /// Bones that detection and "make chain" skip.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub excluded_bones: BTreeSet<N::Bone>,
    /// Recorded drags.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub gestures: BTreeMap<GestureId, Gesture<N>>,
    /// The motions that gestures were recorded on; a gesture without one plays on the rest pose.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(skip)]
    pub base_motions: BTreeMap<GestureId, BaseMotion>,
    /// What imported files say of things that this character lacks, kept for the next export.
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
            passthrough: Vec::new(),
        }
    }
}

impl Setup {
    /// One system of that solver with the engine's defaults, and nothing else.
    pub fn with_solver(solver: SolverKind) -> Self {
        Self { systems: BTreeMap::from([(SystemId::default(), System::with_solver(solver))]), ..Self::default() }
    }
}
