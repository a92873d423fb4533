//! Component lists: the data besides numbers that a solver needs, referring to nodes of the document.
//!
//! Points are keyed by the bone of their joint, and colliders by id. Resolving maps both keys to indices. An entry for
//! a bone without a joint has no effect, so entries survive while a chain is removed and added again.

mod curves;
mod fields;
mod list_kind;
mod values;

pub use curves::{ListCurve, ListCurveId};
pub use list_kind::ListKind;

use crate::document::{ColliderId, FlipAxis, JointRef, Node};
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::math::Curve;
use yuremono_sim::params::ParamFields;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{
    AnimDynamicsSetup, ConvexHull, DynamicBoneSetup, EzCollider, EzForceField, EzSetup, JointDynamicsCollider,
    JointDynamicsPoint, JointDynamicsSetup, KawaiiSetup, SolverKind, SyncBone, SyncDirection, SystemSetup, Turbulence,
};

/// The component lists of `EZSoftBone`.
pub type EzSoftBoneLists = EzSetup<Node, BTreeMap<ColliderId, EzCollider>>;
/// A point of `SPCRJointDynamics`.
pub type JointDynamicsNodePoint = JointDynamicsPoint<Node>;
/// The component lists of `SPCRJointDynamics`.
pub type JointDynamicsLists =
    JointDynamicsSetup<Node, BTreeMap<BoneId, JointDynamicsNodePoint>, BTreeMap<ColliderId, JointDynamicsCollider>>;

/// Component lists of a system. `N` refers to a node, `B` to the bone of a joint, and `C` to a collider: by id in a
/// document, by name in files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Extras", description = "Component lists of the solver of a system.")]
#[serde(
    rename_all = "snake_case",
    bound(deserialize = "N: Deserialize<'de>, B: Ord + Deserialize<'de>, C: Ord + Deserialize<'de>")
)]
pub enum ComponentLists<N = Node, B = BoneId, C = ColliderId> {
    /// The solver has no component lists.
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

/// Component lists as exchange files store them.
pub type NamedComponentLists = ComponentLists<String, String, String>;

impl<N: Clone, B, C> ComponentLists<N, B, C> {
    /// Creates empty lists for a solver.
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

    /// Whether the solver has no component lists.
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Whether all lists have their default values.
    pub fn is_empty(&self) -> bool
    where
        Self: PartialEq,
    {
        self.solver().is_none_or(|solver| *self == Self::empty(solver))
    }

    /// Whether the lists belong to `solver`.
    pub fn matches_solver(&self, solver: SolverKind) -> bool {
        self.solver() == Self::empty(solver).solver()
    }

    /// Returns the solver of the lists, or `None` if the solver has no component lists.
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

    /// Maps the nodes, bones and colliders of all lists. Entries that map to `None` are dropped. If two entries map to
    /// the same name, the later entry is used.
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
                let point = |(name, point): (&B, &JointDynamicsPoint<N>)| Some((bone(name)?, point.map(|n| node(&n))));
                let points = own.points.iter().filter_map(point).collect();
                let colliders = map_keys(&own.colliders, collider);
                ComponentLists::JointDynamics(own.map(|n| node(&n), points, colliders))
            }
            Self::Kawaii(own) => ComponentLists::Kawaii(own.map(|n| node(&n))),
            Self::AnimDynamics(own) => ComponentLists::AnimDynamics(own.map(|n| node(&n))),
        }
    }

    /// Returns the colliders with a convex hull, which is in the frame of the collider's node.
    pub fn colliders_with_hulls(&self) -> impl Iterator<Item = &C> {
        let colliders = match self {
            Self::EzSoftBone(own) => Some(&own.colliders),
            _ => None,
        };
        colliders.into_iter().flatten().filter(|(_, collider)| collider.hull.is_some()).map(|(id, _)| id)
    }

    pub(crate) fn single_node_mut(&mut self, kind: ListKind) -> Option<&mut Option<N>> {
        match (self, kind) {
            (Self::DynamicBone(own), ListKind::Reference) => Some(&mut own.reference),
            (Self::EzSoftBone(own), ListKind::SimulateSpace) => Some(&mut own.simulate_space),
            (Self::EzSoftBone(own), ListKind::GravityAligner) => Some(&mut own.gravity_aligner),
            (Self::Kawaii(own), ListKind::BaseBone) => Some(&mut own.base_bone),
            (Self::AnimDynamics(own), ListKind::RelativeSpace) => Some(&mut own.relative_space_bone),
            _ => None,
        }
    }

    pub(crate) fn node_list_mut(&mut self, kind: ListKind) -> Option<&mut Vec<N>> {
        match (self, kind) {
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
    /// Maps the nodes of all lists. Entries that map to `None` are dropped.
    #[must_use]
    pub fn map_nodes(&self, node: impl FnMut(Node) -> Option<Node>) -> Self {
        let node = RefCell::new(node);
        let bone = |bone: &BoneId| match (*node.borrow_mut())(Node::Bone(*bone)) {
            Some(Node::Bone(bone)) => Some(bone),
            _ => None,
        };
        self.map_names(|n| (*node.borrow_mut())(*n), bone, |id| Some(*id))
    }

    /// Removes duplicates from the lists that contain only nodes.
    #[must_use]
    pub fn without_duplicate_nodes(mut self) -> Self {
        for kind in [ListKind::Exclusions, ListKind::Columns, ListKind::Planes] {
            if let Some(list) = self.node_list_mut(kind) {
                let mut seen = BTreeSet::new();
                list.retain(|node| seen.insert(*node));
            }
        }
        self
    }

    /// Returns every node that the lists refer to, including duplicates.
    pub fn referenced_nodes(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        _ = self.map_nodes(|node| {
            nodes.push(node);
            Some(node)
        });
        nodes
    }

    /// Returns the colliders that have an entry.
    pub fn collider_ids(&self) -> Vec<ColliderId> {
        match self {
            Self::EzSoftBone(own) => own.colliders.keys().copied().collect(),
            Self::JointDynamics(own) => own.colliders.keys().copied().collect(),
            _ => Vec::new(),
        }
    }

    /// Removes the entries of colliders for which `is_there` returns false.
    pub fn retain_colliders(&mut self, is_there: impl Fn(ColliderId) -> bool) {
        match self {
            Self::EzSoftBone(own) => own.colliders.retain(|id, _| is_there(*id)),
            Self::JointDynamics(own) => own.colliders.retain(|id, _| is_there(*id)),
            _ => {}
        }
    }

    /// Whether all numbers are finite.
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

impl<N, B, C> ComponentLists<N, B, C> {
    /// Converts the lists to the space in which `axis` has the other sign. The function is its own inverse. Points of
    /// hulls and vectors of force fields are relative to a node, whose axes are also mirrored. Directions of sync bones
    /// are relative to the component.
    #[must_use]
    pub fn flipped(mut self, axis: FlipAxis) -> Self {
        match &mut self {
            Self::EzSoftBone(own) => {
                if let Some(field) = &mut own.force_field {
                    field.turbulence = axis.flip_point(field.turbulence);
                    field.force = axis.flip_point(Vec3::Z * field.force).z;
                }
                for hull in own.colliders.values_mut().filter_map(|extra| extra.hull.as_mut()) {
                    let points = hull.points().iter().map(|point| axis.flip_point(*point)).collect();
                    *hull = ConvexHull::new(points, hull.faces().to_vec());
                }
            }
            Self::Kawaii(own) => {
                for sync in &mut own.sync_bones {
                    let way = &mut sync.directions[axis.index()];
                    *way = match *way {
                        SyncDirection::Positive => SyncDirection::Negative,
                        SyncDirection::Negative => SyncDirection::Positive,
                        same => same,
                    };
                }
            }
            _ => {}
        }
        self
    }
}

impl ComponentLists {
    /// Writes the lists into `setup`, whose joints are `refs`. Entries on missing nodes are skipped.
    pub(crate) fn fill(
        &self,
        setup: &mut SystemSetup,
        refs: &[JointRef],
        colliders: &BTreeMap<ColliderId, u32>,
        bone: impl Fn(Node) -> Option<BoneId>,
    ) {
        match self {
            Self::None => {}
            Self::DynamicBone(own) => setup.dynamic_bone = own.map(bone),
            Self::EzSoftBone(own) => setup.ez_soft_bone = own.map(bone, by_position(&own.colliders, colliders)),
            Self::JointDynamics(own) => {
                let point = |joint: &JointRef| own.points.get(&joint.bone).map(|p| p.map(&bone)).unwrap_or_default();
                let points = if own.points.is_empty() { Vec::new() } else { refs.iter().map(point).collect() };
                setup.joint_dynamics = own.map(&bone, points, by_position(&own.colliders, colliders));
            }
            Self::Kawaii(own) => setup.kawaii = own.map(bone),
            Self::AnimDynamics(own) => setup.anim_dynamics = own.map(bone),
        }
    }
}

/// Returns a list that ends at the last collider with an entry. Colliders without an entry have default values.
fn by_position<T: Clone + Default>(own: &BTreeMap<ColliderId, T>, places: &BTreeMap<ColliderId, u32>) -> Vec<T> {
    let mut list = Vec::new();
    for (extra, at) in own.iter().filter_map(|(id, extra)| Some((extra, *places.get(id)? as usize))) {
        if list.len() <= at {
            list.resize(at + 1, T::default());
        }
        list[at] = extra.clone();
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Node;
    use yuremono_sim::rig::BoneId;
    use yuremono_sim::{EzForceField, SolverKind, SyncBone};

    #[test]
    fn flipping_reverses_the_axis_and_flipping_twice_changes_nothing() {
        let node = Node::Bone(BoneId(0));
        for (axis, turbulence, force) in
            [(FlipAxis::X, Vec3::new(-1.0, 0.5, 2.0), 3.0), (FlipAxis::Z, Vec3::new(1.0, 0.5, -2.0), -3.0)]
        {
            let mut lists: ComponentLists = ComponentLists::empty(SolverKind::EzSoftBone);
            if let ComponentLists::EzSoftBone(own) = &mut lists {
                own.force_field = Some(EzForceField { force: 3.0, ..EzForceField::new(node) });
            }
            let ComponentLists::EzSoftBone(own) = lists.clone().flipped(axis) else { panic!("of one solver") };
            let field = own.force_field.as_ref().expect("it was set");
            assert_eq!((field.turbulence, field.force), (turbulence, force));
            assert_eq!(lists.clone().flipped(axis).flipped(axis), lists);
        }
        let mut lists: ComponentLists = ComponentLists::empty(SolverKind::KawaiiPhysics);
        if let ComponentLists::Kawaii(own) = &mut lists {
            let directions = [SyncDirection::Positive, SyncDirection::Negative, SyncDirection::Positive];
            own.sync_bones = vec![SyncBone { directions, ..SyncBone::new(node, Vec::new()) }];
        }
        let ComponentLists::Kawaii(own) = lists.flipped(FlipAxis::X) else { panic!("of one solver") };
        let turned = [SyncDirection::Negative, SyncDirection::Negative, SyncDirection::Positive];
        assert_eq!(own.sync_bones[0].directions, turned);
    }
}
