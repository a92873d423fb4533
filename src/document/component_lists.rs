//! What a component of an engine knows beyond numbers: the side lists of [`crate::sim`] over nodes of the document.
//!
//! Points go by the bone of their joint and colliders by id; resolving turns both into positions. What names a point of a
//! bone that is no joint does nothing, so that a chain may come and go.

mod curves;
mod fields;
mod flip;
mod list_kind;
mod resolve;
mod response_curve;
mod values;

pub use curves::{ListCurve, ListCurveId};
pub use list_kind::ListKind;

use crate::document::{ColliderId, Node};
use crate::math::Curve;
use crate::params::ParamFields;
use crate::rig::BoneId;
use crate::sim::{
    AnimDynamicsSetup, ConvexHull, DynamicBoneSetup, EzCollider, EzForceField, EzSetup, JointDynamicsCollider,
    JointDynamicsPoint, JointDynamicsSetup, KawaiiSetup, SolverKind, SyncBone, Turbulence,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// What `EZSoftBone` adds.
pub type EzSoftBoneLists = EzSetup<Node, BTreeMap<ColliderId, EzCollider>>;
/// A point of `SPCRJointDynamics`.
pub type JointDynamicsNodePoint = JointDynamicsPoint<Node>;
/// What `SPCRJointDynamics` adds.
pub type JointDynamicsLists =
    JointDynamicsSetup<Node, BTreeMap<BoneId, JointDynamicsNodePoint>, BTreeMap<ColliderId, JointDynamicsCollider>>;

/// What the solver of a system adds to it. `N` names a node, `B` the bone of a joint, `C` a collider: those of a document
/// by themselves, in files whatever these call them by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Extras", description = "Component lists of the solver of a system.")]
#[serde(
    rename_all = "snake_case",
    bound(deserialize = "N: Deserialize<'de>, B: Ord + Deserialize<'de>, C: Ord + Deserialize<'de>")
)]
pub enum ComponentLists<N = Node, B = BoneId, C = ColliderId> {
    /// Nothing: the solver has no such lists.
    #[default]
    None,
    /// Of a `DynamicBone`.
    DynamicBone(DynamicBoneSetup<N>),
    /// Of an `EZSoftBone`.
    EzSoftBone(EzSetup<N, BTreeMap<C, EzCollider>>),
    /// Of an `SPCRJointDynamicsController` and its points and colliders.
    JointDynamics(JointDynamicsSetup<N, BTreeMap<B, JointDynamicsPoint<N>>, BTreeMap<C, JointDynamicsCollider>>),
    /// Of a KawaiiPhysics node.
    Kawaii(KawaiiSetup<N>),
    /// Of an `AnimDynamics` node.
    AnimDynamics(AnimDynamicsSetup<N>),
}

/// The lists as files by bone name have them.
pub type NamedComponentLists = ComponentLists<String, String, String>;

impl<N: Clone, B, C> ComponentLists<N, B, C> {
    /// Empty lists of that solver.
    pub fn empty(solver: SolverKind) -> Self {
        match solver {
            SolverKind::DynamicBone => Self::DynamicBone(DynamicBoneSetup::default()),
            SolverKind::EzSoftBone => Self::EzSoftBone(EzSetup::default()),
            SolverKind::JointDynamics => Self::JointDynamics(JointDynamicsSetup::default()),
            SolverKind::KawaiiPhysics => Self::Kawaii(KawaiiSetup::default()),
            SolverKind::AnimDynamics => Self::AnimDynamics(AnimDynamicsSetup::default()),
            _ => Self::None,
        }
    }

    /// Whether these are no lists of any solver.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool
    where
        N: PartialEq,
        B: PartialEq,
        C: PartialEq,
    {
        match self {
            Self::None => true,
            Self::DynamicBone(own) => *own == DynamicBoneSetup::default(),
            Self::EzSoftBone(own) => *own == EzSetup::default(),
            Self::JointDynamics(own) => *own == JointDynamicsSetup::default(),
            Self::Kawaii(own) => *own == KawaiiSetup::default(),
            Self::AnimDynamics(own) => *own == AnimDynamicsSetup::default(),
        }
    }

    /// Whether these are lists of that solver.
    pub fn matches_solver(&self, solver: SolverKind) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(&Self::empty(solver))
    }

    /// Whose lists these are; `None` where there are none.
    pub const fn solver(&self) -> Option<SolverKind> {
        match self {
            Self::None => None,
            Self::DynamicBone(_) => Some(SolverKind::DynamicBone),
            Self::EzSoftBone(_) => Some(SolverKind::EzSoftBone),
            Self::JointDynamics(_) => Some(SolverKind::JointDynamics),
            Self::Kawaii(_) => Some(SolverKind::KawaiiPhysics),
            Self::AnimDynamics(_) => Some(SolverKind::AnimDynamics),
        }
    }

    /// The same with other names for nodes, bones of joints and colliders, asked in this order within each list; what
    /// names one that has none is left out. Of two that get one name the later one counts.
    pub fn map_names<M, A: Ord, D: Ord>(
        &self,
        mut node: impl FnMut(&N) -> Option<M>,
        mut bone: impl FnMut(&B) -> Option<A>,
        collider: impl FnMut(&C) -> Option<D>,
    ) -> ComponentLists<M, A, D> {
        match self {
            Self::None => ComponentLists::None,
            Self::DynamicBone(own) => ComponentLists::DynamicBone(own.map(|n| node(&n))),
            Self::EzSoftBone(own) => {
                let colliders = map_keys(&own.colliders, collider);
                ComponentLists::EzSoftBone(own.map(|n| node(&n), colliders))
            }
            Self::JointDynamics(own) => {
                let mut points = BTreeMap::new();
                for (name, point) in &own.points {
                    if let Some(bone) = bone(name) {
                        points.insert(bone, point.map(|n| node(&n)));
                    }
                }
                let colliders = map_keys(&own.colliders, collider);
                ComponentLists::JointDynamics(own.map(|n| node(&n), points, colliders))
            }
            Self::Kawaii(own) => ComponentLists::Kawaii(own.map(|n| node(&n))),
            Self::AnimDynamics(own) => ComponentLists::AnimDynamics(own.map(|n| node(&n))),
        }
    }

    /// The place of a single node; `None` where the solver has none of that name.
    pub(crate) fn single_node_mut(&mut self, side: ListKind) -> Option<&mut Option<N>> {
        match (self, side) {
            (Self::DynamicBone(own), ListKind::Reference) => Some(&mut own.reference),
            (Self::EzSoftBone(own), ListKind::SimulateSpace) => Some(&mut own.simulate_space),
            (Self::EzSoftBone(own), ListKind::GravityAligner) => Some(&mut own.gravity_aligner),
            (Self::Kawaii(own), ListKind::BaseBone) => Some(&mut own.base_bone),
            (Self::AnimDynamics(own), ListKind::RelativeSpace) => Some(&mut own.relative_space_bone),
            _ => None,
        }
    }

    /// A plain list of nodes; `None` where the solver has none of that name.
    pub(crate) fn node_list_mut(&mut self, side: ListKind) -> Option<&mut Vec<N>> {
        match (self, side) {
            (Self::DynamicBone(own), ListKind::Exclusions) => Some(&mut own.exclusions),
            (Self::JointDynamics(own), ListKind::Columns) => Some(&mut own.roots),
            (Self::JointDynamics(own), ListKind::Planes) => Some(&mut own.planes),
            _ => None,
        }
    }
}

fn map_keys<C, D: Ord, T: Clone>(own: &BTreeMap<C, T>, mut name: impl FnMut(&C) -> Option<D>) -> BTreeMap<D, T> {
    own.iter().filter_map(|(id, extra)| Some((name(id)?, extra.clone()))).collect()
}

impl ComponentLists {
    /// Empty lists of that solver.
    pub fn for_solver(solver: SolverKind) -> Self {
        Self::empty(solver)
    }

    /// The same with other nodes; what names one that has none is left out.
    #[must_use]
    pub fn map_nodes(&self, node: impl FnMut(Node) -> Option<Node>) -> Self {
        let node = RefCell::new(node);
        let bone = |bone: &BoneId| match (*node.borrow_mut())(Node::Bone(*bone)) {
            Some(Node::Bone(bone)) => Some(bone),
            _ => None,
        };
        self.map_names(|n| (*node.borrow_mut())(*n), bone, |id| Some(*id))
    }

    /// Names each node of a plain list once, as they are authored.
    #[must_use]
    pub(crate) fn without_duplicate_nodes(mut self) -> Self {
        for side in [ListKind::Exclusions, ListKind::Columns, ListKind::Planes] {
            if let Some(list) = self.node_list_mut(side) {
                let mut seen = BTreeSet::new();
                list.retain(|node| seen.insert(*node));
            }
        }
        self
    }

    /// Every node that is named, as often as it is.
    pub fn referenced_nodes(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        _ = self.map_nodes(|node| {
            nodes.push(node);
            Some(node)
        });
        nodes
    }

    /// The colliders of which something is said.
    pub fn collider_ids(&self) -> Vec<ColliderId> {
        match self {
            Self::EzSoftBone(own) => own.colliders.keys().copied().collect(),
            Self::JointDynamics(own) => own.colliders.keys().copied().collect(),
            Self::None | Self::DynamicBone(_) | Self::Kawaii(_) | Self::AnimDynamics(_) => Vec::new(),
        }
    }

    /// Says nothing more of colliders that are gone.
    pub fn retain_colliders(&mut self, is_there: impl Fn(ColliderId) -> bool) {
        match self {
            Self::EzSoftBone(own) => own.colliders.retain(|id, _| is_there(*id)),
            Self::JointDynamics(own) => own.colliders.retain(|id, _| is_there(*id)),
            Self::None | Self::DynamicBone(_) | Self::Kawaii(_) | Self::AnimDynamics(_) => {}
        }
    }

    /// Whether every number is one.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::None | Self::DynamicBone(_) | Self::AnimDynamics(_) => true,
            Self::EzSoftBone(own) => {
                let hull = |c: &EzCollider| c.hull.iter().flat_map(ConvexHull::points).all(|p| p.is_finite());
                let curves = |field: &EzForceField<Node>| match &field.mode {
                    Turbulence::Perlin { .. } => true,
                    Turbulence::Curve { curves, .. } => curves.iter().all(Curve::is_finite),
                };
                own.colliders.values().all(|c| c.is_finite() && hull(c))
                    && own.force_field.as_ref().is_none_or(|field| field.is_finite() && curves(field))
            }
            Self::JointDynamics(own) => {
                own.points.values().all(ParamFields::is_finite)
                    && own.colliders.values().all(ParamFields::is_finite)
                    && own.grabbers.iter().all(ParamFields::is_finite)
            }
            Self::Kawaii(own) => {
                let sync = |sync: &SyncBone<Node>| {
                    sync.is_finite()
                        && sync.targets.iter().all(ParamFields::is_finite)
                        && sync.scale_by_distance.iter().flatten().all(|x| x.is_finite())
                };
                own.constraints.iter().all(ParamFields::is_finite) && own.sync_bones.iter().all(sync)
            }
        }
    }
}
