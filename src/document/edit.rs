mod apply;
mod checks;
mod material_sharing;

use crate::document::{
    BaseMotion, Chain, ChainId, Collider, ColliderGroup, ColliderId, CurveDomain, Force, ForceId, Gesture, GestureId,
    GroupId, Helper, HelperId, HighLeg, HighLegId, Material, MaterialId, Node, Passthrough, System, SystemId,
};
use crate::math::Curve;
use crate::params::ParamId;
use crate::rig::BoneId;
use std::collections::BTreeMap;
use thiserror::Error;

/// One change to the document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Writes a value of a whole system.
    SetSystemValue {
        /// Which.
        system: SystemId,
        /// Of system scope.
        row: ParamId,
        /// In the row's unit.
        value: f32,
    },
    /// Writes a chain's base value; of a row that its material holds, that of the material and of every chain that has it.
    SetBaseValue {
        /// Which chain.
        chain: ChainId,
        /// Of joint scope.
        row: ParamId,
        /// In the row's unit.
        value: f32,
    },
    /// Writes or clears a chain's curve, as [`Edit::SetBaseValue`] does.
    SetCurve {
        /// Which chain.
        chain: ChainId,
        /// Of joint scope.
        row: ParamId,
        /// Factor along the chain.
        curve: Option<Curve>,
    },
    /// Writes or clears one joint's own value.
    SetOverride {
        /// Which chain.
        chain: ChainId,
        /// The joint's bone.
        bone: BoneId,
        /// Of joint scope.
        row: ParamId,
        /// `None` follows the chain.
        value: Option<f32>,
    },
    /// Chooses what a chain's curves run over.
    SetCurveDomain {
        /// Which chain.
        chain: ChainId,
        /// Length or depth.
        curve_domain: CurveDomain,
    },
    /// Adds, replaces or removes a chain. One whose numbers are not those of its material is put without it.
    PutChain {
        /// Which.
        id: ChainId,
        /// `None` removes.
        chain: Option<Box<Chain>>,
    },
    /// Adds, replaces or removes a material. Its chains follow it; when it goes they keep the numbers.
    PutMaterial {
        /// Which.
        id: MaterialId,
        /// `None` removes.
        material: Option<Box<Material>>,
    },
    /// Gives a chain the numbers of a material, or lets it go its own way with those that it has.
    SetMaterial {
        /// Which chain.
        chain: ChainId,
        /// `None` leaves.
        material: Option<MaterialId>,
    },
    /// Adds, replaces or removes a helper.
    PutHelper {
        /// Which.
        id: HelperId,
        /// `None` removes.
        helper: Option<Helper>,
    },
    /// Adds, replaces or removes a collider.
    PutCollider {
        /// Which.
        id: ColliderId,
        /// `None` removes.
        collider: Option<Collider>,
    },
    /// Adds, replaces or removes a collider group.
    PutGroup {
        /// Which.
        id: GroupId,
        /// `None` removes.
        group: Option<ColliderGroup>,
    },
    /// Adds, replaces or removes a system. One that moves chains stays, and keeps its solver.
    PutSystem {
        /// Which.
        id: SystemId,
        /// `None` removes.
        system: Option<Box<System>>,
    },
    /// Puts chains under other solvers, with those solvers' numbers.
    SetSolver(Box<SolverChange>),
    /// Adds, replaces or removes a force.
    PutForce {
        /// Which.
        id: ForceId,
        /// `None` removes.
        force: Option<Force>,
    },
    /// Adds, replaces or removes a node that leans with the raised thigh.
    PutHighLeg {
        /// Which.
        id: HighLegId,
        /// `None` removes.
        high_leg: Option<HighLeg>,
    },
    /// Says that the engine draws the mesh of this name, or does not.
    SetRendererEnabled {
        /// Name of the mesh.
        name: String,
        /// Drawn or not.
        enabled: bool,
    },
    /// Adds, replaces or removes a gesture.
    PutGesture {
        /// Which.
        id: GestureId,
        /// `None` removes.
        gesture: Option<Gesture>,
    },
    /// Says what a gesture was recorded over.
    SetBaseMotion {
        /// Which gesture.
        id: GestureId,
        /// `None` is the rest pose.
        base_motion: Option<BaseMotion>,
    },
    /// Chooses a joint's pivot.
    SetPivot {
        /// Which chain.
        chain: ChainId,
        /// The joint's bone.
        bone: BoneId,
        /// Frame of its angle limits.
        pivot: Option<Node>,
    },
    /// Leaves a bone out of detection and chain making, or lets it in again.
    SetExcluded {
        /// Which bone.
        bone: BoneId,
        /// Out or in.
        excluded: bool,
    },
    /// Replaces what is kept for the next export.
    SetPassthrough(Vec<Passthrough>),
    /// Several changes that undo together.
    Batch(Vec<Self>),
}

/// What changes together with solvers: whatever is a row of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverChange {
    /// All systems.
    pub systems: BTreeMap<SystemId, System>,
    /// All chains.
    pub chains: BTreeMap<ChainId, Chain>,
}

/// Which derived data an edit makes stale; the greater includes the lesser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invalidation {
    /// Nothing that the simulation reads.
    #[default]
    Nothing,
    /// Numbers only: the motion goes on.
    Params,
    /// Chains, helpers or colliders changed.
    Topology,
}

/// Why an edit was refused; the document is as it was.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EditError {
    /// The chain is not there.
    #[error("there is no chain {0}")]
    NoSuchChain(u32),
    /// The bone is no joint of the chain.
    #[error("chain \"{chain}\" has no joint on bone {bone}")]
    NoSuchJoint {
        /// Name of the chain.
        chain: String,
        /// Position of the bone.
        bone: u32,
    },
    /// A chain names a system that is not there or that still moves chains, or a document would be left without one.
    #[error("there is no system {0}, or chains still need it as it is")]
    NoSuchSystem(u32),
    /// The solver has no such row.
    #[error("the solver has no parameter {0}")]
    NoSuchParam(u16),
    /// The value is not a number.
    #[error("{label} must be a number, got {value}")]
    NotANumber {
        /// Which parameter.
        label: &'static str,
        /// What was asked.
        value: f32,
    },
    /// A helper, collider, force, gesture or its base motion has a value that is not a number, or one out of all bounds.
    #[error("\"{0}\" has a value that is not a number or that is far too large")]
    InvalidElement(String),
    /// A gesture needs at least one sample, and a base motion its gesture.
    #[error("there is no gesture {0}, or it has no samples")]
    NoSuchGesture(u32),
    /// A bone would be moved by two chains.
    #[error("bone {bone} already belongs to chain \"{chain}\"")]
    BoneInUse {
        /// Position of the bone.
        bone: u32,
        /// Name of the other chain.
        chain: String,
    },
    /// A chain needs at least one joint, each bone once, and one value per row.
    #[error("chain \"{0}\" is not well formed")]
    InvalidChain(String),
    /// The lists of a system are not those of its solver, or hold what is no number.
    #[error("the lists of system {0} are not well formed")]
    InvalidComponentLists(u32),
    /// A node refers to a helper that is not there, or that hangs below itself.
    #[error("there is no helper {0} to hang on")]
    NoSuchHelper(u32),
    /// Something still refers to the helper.
    #[error("helper \"{0}\" is still in use")]
    HelperInUse(String),
    /// A joint refers to a collider that is not there, or would be left doing so.
    #[error("there is no collider {0}")]
    NoSuchCollider(u32),
    /// A chain names a material that is not there, or that is of another solver.
    #[error("there is no material {0} of the chain's solver")]
    NoSuchMaterial(u32),
    /// A material needs a number for each row that materials of its solver hold, and none beside.
    #[error("material \"{0}\" is not well formed")]
    InvalidMaterial(String),
    /// A chain names a collider group that is not there, or would be left doing so.
    #[error("there is no collider group {0}")]
    NoSuchGroup(u32),
}

type ApplyResult = Result<(Edit, Invalidation), EditError>;

/// Inserts or removes, and returns what was there.
fn insert_or_remove<K: Ord, V>(map: &mut BTreeMap<K, V>, key: K, value: Option<V>) -> Option<V> {
    match value {
        Some(value) => map.insert(key, value),
        None => map.remove(&key),
    }
}
