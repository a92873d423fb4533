//! What a component of an engine knows beyond numbers: the side lists of [`crate::sim`] over nodes of the document.
//!
//! Points go by the bone of their joint and colliders by id; resolving turns both into positions. What names a point of a
//! bone that is no joint does nothing, so that a chain may come and go.

mod curves;
mod fields;
mod resolve;
mod sides;
mod sync;
mod turbulence;
mod values;

pub use curves::{Course, SideCurve};
pub use sides::Side;

use super::{ColliderId, Node};
use crate::math::Curve;
use crate::rig::BoneId;
use crate::schema::SolverKind;
use crate::sim::{
    AnimDynamicsSetup, ConvexHull, DynamicBoneSetup, EzCollider, EzSetup, JointDynamicsCollider, JointDynamicsPoint,
    JointDynamicsSetup, KawaiiSetup, Turbulence,
};
use std::collections::BTreeMap;

/// What `EZSoftBone` adds.
pub type EzExtras = EzSetup<Node, BTreeMap<ColliderId, EzCollider>>;
/// A point of `SPCRJointDynamics`.
pub type NetPoint = JointDynamicsPoint<Node>;
/// What `SPCRJointDynamics` adds.
pub type NetExtras = JointDynamicsSetup<Node, BTreeMap<BoneId, NetPoint>, BTreeMap<ColliderId, JointDynamicsCollider>>;

/// What the solver of a system adds to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Extras {
    /// Nothing: the solver has no such lists.
    #[default]
    None,
    /// Of a `DynamicBone`.
    DynamicBone(DynamicBoneSetup<Node>),
    /// Of an `EZSoftBone`.
    EzSoftBone(EzExtras),
    /// Of an `SPCRJointDynamicsController` and its points and colliders.
    JointDynamics(NetExtras),
    /// Of a KawaiiPhysics node.
    Kawaii(KawaiiSetup<Node>),
    /// Of an `AnimDynamics` node.
    AnimDynamics(AnimDynamicsSetup<Node>),
}

impl Extras {
    /// Empty lists of that solver.
    pub fn under(solver: SolverKind) -> Self {
        match solver {
            SolverKind::DynamicBone => Self::DynamicBone(DynamicBoneSetup::default()),
            SolverKind::EzSoftBone => Self::EzSoftBone(EzExtras::default()),
            SolverKind::JointDynamics => Self::JointDynamics(NetExtras::default()),
            SolverKind::KawaiiPhysics => Self::Kawaii(KawaiiSetup::default()),
            SolverKind::AnimDynamics => Self::AnimDynamics(AnimDynamicsSetup::default()),
            SolverKind::UnityChanSpringBone | SolverKind::Vrm | SolverKind::PbdSpringBone | SolverKind::Hinge => {
                Self::None
            }
        }
    }

    /// Whether these are lists of that solver.
    pub fn fit(&self, solver: SolverKind) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(&Self::under(solver))
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        Side::ALL.iter().all(|side| self.count(*side) == 0)
    }

    /// The same with other nodes; what names one that has none is left out.
    #[must_use]
    pub fn map(&self, mut node: impl FnMut(Node) -> Option<Node>) -> Self {
        match self {
            Self::None => Self::None,
            Self::DynamicBone(own) => Self::DynamicBone(own.map(node)),
            Self::EzSoftBone(own) => Self::EzSoftBone(own.map(node, own.colliders.clone())),
            Self::JointDynamics(own) => {
                let mut points = BTreeMap::new();
                for (bone, point) in &own.points {
                    if let Some(Node::Bone(bone)) = node(Node::Bone(*bone)) {
                        points.insert(bone, point.map(&mut node));
                    }
                }
                Self::JointDynamics(own.map(node, points, own.colliders.clone()))
            }
            Self::Kawaii(own) => Self::Kawaii(own.map(node)),
            Self::AnimDynamics(own) => Self::AnimDynamics(own.map(node)),
        }
    }

    /// Every node that is named, as often as it is.
    pub fn nodes(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        _ = self.map(|node| {
            nodes.push(node);
            Some(node)
        });
        nodes
    }

    /// The colliders of which something is said.
    pub fn colliders(&self) -> Vec<ColliderId> {
        match self {
            Self::EzSoftBone(own) => own.colliders.keys().copied().collect(),
            Self::JointDynamics(own) => own.colliders.keys().copied().collect(),
            Self::None | Self::DynamicBone(_) | Self::Kawaii(_) | Self::AnimDynamics(_) => Vec::new(),
        }
    }

    /// Says nothing more of colliders that are gone.
    pub fn keep_colliders(&mut self, is_there: impl Fn(ColliderId) -> bool) {
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
                own.colliders.values().all(|c| c.margin.is_finite() && hull(c))
                    && own.force_field.as_ref().is_none_or(|field| {
                        let mode = match &field.mode {
                            Turbulence::Perlin { frequency } => frequency.is_finite(),
                            Turbulence::Curve { cycle, curves } => {
                                cycle.is_finite() && curves.iter().all(Curve::is_finite)
                            }
                        };
                        mode && field.conductivity.is_finite()
                            && field.force.is_finite()
                            && field.turbulence.is_finite()
                    })
            }
            Self::JointDynamics(own) => {
                let point = |p: &NetPoint| [p.mass, p.radius, p.movable_limit_radius, p.fade];
                own.points.values().flat_map(point).all(f32::is_finite)
                    && own.colliders.values().all(|c| c.friction.is_finite())
                    && own.grabbers.iter().all(|g| g.radius.is_finite() && g.force.is_finite())
            }
            Self::Kawaii(own) => {
                own.constraints.iter().all(|c| c.length.is_none_or(f32::is_finite))
                    && own.sync_bones.iter().all(|sync| {
                        let fade = sync.attenuation.map_or([0.0; 3], |a| [a.inner, a.outer, a.most]);
                        let points = sync.by_distance.iter().flatten();
                        sync.scale.is_finite()
                            && sync.targets.iter().map(|t| &t.scale).chain(&fade).chain(points).all(|x| x.is_finite())
                    })
            }
        }
    }
}
