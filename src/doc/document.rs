use super::{Chain, ChainId, LostBones};
use crate::math::Trs;
use crate::rig::BoneId;
use crate::schema::{ParamDef, ParamSet, Row, SolverKind};
use crate::sim::{Shape, solver};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Names a helper for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HelperId(pub u32);

/// Names a collider for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ColliderId(pub u32);

/// Names a recorded gesture for as long as the document lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GestureId(pub u32);

/// A bone of the file or a helper of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// Of the file.
    Bone(BoneId),
    /// Added by Yuremono.
    Helper(HelperId),
}

/// A named node that Yuremono adds below a bone: pivots and collider nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Helper {
    /// As it goes into files.
    pub name: String,
    /// What it hangs on.
    pub parent: Node,
    /// Relative to the parent.
    pub local: Trs,
}

/// A shape on a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Collider {
    /// As it goes into files.
    pub name: String,
    /// Usually a helper.
    pub node: Node,
    /// What it is.
    pub shape: Shape,
}

/// How a dragged bone stood in one tick, relative to where animation put it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GestureSample {
    /// World offset, metres.
    pub offset: Vec3,
    /// World rotation about the bone's own head.
    pub turn: Quat,
}

/// A recorded drag: one sample per tick of the world's clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Gesture {
    /// Shown in the motion list.
    pub name: String,
    /// What was dragged.
    pub bone: BoneId,
    /// Never empty.
    pub samples: Vec<GestureSample>,
}

/// A row of an imported table for a bone that this character lacks: kept, so that an export gives it back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptRow {
    /// Bone name in the table.
    pub bone: String,
    /// The cells after the name, as they stood.
    pub cells: Vec<String>,
}

/// All that is authored on one character: saved, undone and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// How chains move.
    pub solver: SolverKind,
    /// Per-character values, one per row of the solver's table; rows of joint scope are not read.
    pub system: ParamSet,
    /// What sways.
    pub chains: BTreeMap<ChainId, Chain>,
    /// Nodes added to the skeleton.
    pub helpers: BTreeMap<HelperId, Helper>,
    /// What pushes.
    pub colliders: BTreeMap<ColliderId, Collider>,
    /// Bones that detection and "make chain" leave alone.
    pub excluded: BTreeSet<BoneId>,
    /// Recorded drags.
    pub gestures: BTreeMap<GestureId, Gesture>,
    /// Rows of imported tables without a bone here.
    pub kept: Vec<KeptRow>,
    /// Bones that the rest may speak of and the character lacks.
    pub lost: LostBones,
}

impl Default for Document {
    fn default() -> Self {
        let solver = SolverKind::default();
        Self {
            solver,
            system: ParamSet::defaults(solver::params(solver)),
            chains: BTreeMap::new(),
            helpers: BTreeMap::new(),
            colliders: BTreeMap::new(),
            excluded: BTreeSet::new(),
            gestures: BTreeMap::new(),
            kept: Vec::new(),
            lost: LostBones::default(),
        }
    }
}

impl Document {
    /// The solver's table.
    pub fn table(&self) -> &'static [ParamDef] {
        solver::params(self.solver)
    }

    /// One row of the solver's table.
    pub fn def(&self, row: Row) -> &'static ParamDef {
        &self.table()[row.index()]
    }

    /// A chain id that is not taken.
    pub fn fresh_chain(&self) -> ChainId {
        ChainId(self.chains.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A helper id that is not taken.
    pub fn fresh_helper(&self) -> HelperId {
        HelperId(self.helpers.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A collider id that is not taken.
    pub fn fresh_collider(&self) -> ColliderId {
        ColliderId(self.colliders.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// A gesture id that is not taken.
    pub fn fresh_gesture(&self) -> GestureId {
        GestureId(self.gestures.last_key_value().map_or(1, |(id, _)| id.0 + 1))
    }

    /// The chain that a bone is a joint of, and which joint.
    pub fn joint_of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chains.iter().find_map(|(id, chain)| chain.position(bone).map(|joint| (*id, joint)))
    }

    /// Total number of joints.
    pub fn joint_count(&self) -> usize {
        self.chains.values().map(|c| c.joints.len()).sum()
    }
}
