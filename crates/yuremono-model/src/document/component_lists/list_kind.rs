//! Component lists by kind, for code that handles the lists of any solver.

use super::ComponentLists;
use crate::document::Node;
use yuremono_sim::params::ParamFields as _;
use yuremono_sim::{BoneConstraint, EzForceField, Grabber, SolverKind, SyncBone, SyncTarget};

/// A node or a list of a component.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ListKind {
    /// `DynamicBone` stops while it is far from this node.
    Reference,
    /// Bones that `DynamicBone` excludes, with their descendants.
    Exclusions,
    /// Simulation space of `EZSoftBone`.
    SimulateSpace,
    /// Node that rotates the gravity of `EZSoftBone`.
    GravityAligner,
    /// Force field of `EZSoftBone`.
    ForceField,
    /// Colliders of `EZSoftBone` with a margin or a hull.
    Margins,
    /// Columns of a network, in order.
    Columns,
    /// Points of a network that have values.
    Points,
    /// Colliders of a network that have a friction.
    Frictions,
    /// Grabbers of a network.
    Grabbers,
    /// Plane colliders of a network.
    Planes,
    /// Bone constraints.
    Constraints,
    /// Sync bones: bones that shift others.
    SyncBones,
    /// Base bone of KawaiiPhysics.
    BaseBone,
    /// Relative space bone of `AnimDynamics`.
    RelativeSpace,
}

impl ListKind {
    /// All kinds in the order in which the window lists them.
    pub const ALL: [Self; 15] = [
        Self::Reference,
        Self::Exclusions,
        Self::SimulateSpace,
        Self::GravityAligner,
        Self::ForceField,
        Self::Margins,
        Self::Points,
        Self::Frictions,
        Self::Grabbers,
        Self::Planes,
        Self::Columns,
        Self::Constraints,
        Self::SyncBones,
        Self::BaseBone,
        Self::RelativeSpace,
    ];

    /// Returns the key in files and translations.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Exclusions => "exclusions",
            Self::SimulateSpace => "simulate_space",
            Self::GravityAligner => "gravity_aligner",
            Self::ForceField => "force_field",
            Self::Margins => "margins",
            Self::Columns => "columns",
            Self::Points => "points",
            Self::Frictions => "frictions",
            Self::Grabbers => "grabbers",
            Self::Planes => "planes",
            Self::Constraints => "constraints",
            Self::SyncBones => "sync_bones",
            Self::BaseBone => "base_bone",
            Self::RelativeSpace => "relative_space",
        }
    }

    pub const fn solver(self) -> SolverKind {
        match self {
            Self::Reference | Self::Exclusions => SolverKind::DynamicBone,
            Self::SimulateSpace | Self::GravityAligner | Self::ForceField | Self::Margins => SolverKind::EzSoftBone,
            Self::Columns | Self::Points | Self::Frictions | Self::Grabbers | Self::Planes => SolverKind::JointDynamics,
            Self::Constraints | Self::SyncBones | Self::BaseBone => SolverKind::KawaiiPhysics,
            Self::RelativeSpace => SolverKind::AnimDynamics,
        }
    }

    /// Whether the kind is a single optional node.
    pub const fn is_single(self) -> bool {
        matches!(
            self,
            Self::Reference
                | Self::SimulateSpace
                | Self::GravityAligner
                | Self::ForceField
                | Self::BaseBone
                | Self::RelativeSpace
        )
    }

    /// Returns the minimum number of nodes of an entry. Pairs and bones that shift other bones need 2.
    pub const fn min_nodes(self) -> usize {
        if matches!(self, Self::Constraints | Self::SyncBones) { 2 } else { 1 }
    }

    /// Whether the user chooses the nodes of the entries.
    pub const fn has_node_entries(self) -> bool {
        !self.is_single() && !matches!(self, Self::Margins | Self::Points | Self::Frictions)
    }
}

impl ComponentLists {
    /// Returns the number of entries, or 0 if the solver has no such list.
    pub fn entry_count(&self, kind: ListKind) -> usize {
        match (self, kind) {
            (Self::EzSoftBone(own), ListKind::Margins) => own.colliders.len(),
            (Self::JointDynamics(own), ListKind::Points) => own.points.len(),
            (Self::JointDynamics(own), ListKind::Frictions) => own.colliders.len(),
            _ => self.entries(kind).len(),
        }
    }

    /// Returns the nodes of each entry, in order.
    pub fn entries(&self, kind: ListKind) -> Vec<Vec<Node>> {
        let each = |nodes: &[Node]| nodes.iter().map(|node| vec![*node]).collect();
        let one = |node: Option<Node>| node.map(|node| vec![node]).into_iter().collect();
        match (self, kind) {
            (Self::DynamicBone(own), ListKind::Reference) => one(own.reference),
            (Self::DynamicBone(own), ListKind::Exclusions) => each(&own.exclusions),
            (Self::EzSoftBone(own), ListKind::SimulateSpace) => one(own.simulate_space),
            (Self::EzSoftBone(own), ListKind::GravityAligner) => one(own.gravity_aligner),
            (Self::EzSoftBone(own), ListKind::ForceField) => one(own.force_field.as_ref().map(|field| field.bone)),
            (Self::JointDynamics(own), ListKind::Columns) => each(&own.roots),
            (Self::JointDynamics(own), ListKind::Points) => {
                own.points.keys().map(|bone| vec![Node::Bone(*bone)]).collect()
            }
            (Self::JointDynamics(own), ListKind::Grabbers) => own.grabbers.iter().map(|g| vec![g.bone]).collect(),
            (Self::JointDynamics(own), ListKind::Planes) => each(&own.planes),
            (Self::Kawaii(own), ListKind::Constraints) => own.constraints.iter().map(|c| c.bones.to_vec()).collect(),
            (Self::Kawaii(own), ListKind::SyncBones) => {
                let nodes = |sync: &SyncBone<Node>| {
                    std::iter::once(sync.bone).chain(sync.targets.iter().map(|t| t.bone)).collect()
                };
                own.sync_bones.iter().map(nodes).collect()
            }
            (Self::Kawaii(own), ListKind::BaseBone) => one(own.base_bone),
            (Self::AnimDynamics(own), ListKind::RelativeSpace) => one(own.relative_space_bone),
            _ => Vec::new(),
        }
    }

    pub fn set_node(&mut self, kind: ListKind, node: Option<Node>) {
        if let (Self::EzSoftBone(own), ListKind::ForceField) = (&mut *self, kind) {
            let old = own.force_field.take();
            own.force_field = node.map(|bone| match old {
                Some(field) => EzForceField { bone, ..field },
                None => EzForceField::new(bone),
            });
        } else if let Some(slot) = self.single_node_mut(kind) {
            *slot = node;
        }
    }

    /// Adds missing entries with default values, and returns their number. Neighbours in `nodes` form pairs. The first
    /// node of a sync bone shifts the other nodes.
    pub fn add_entries(&mut self, kind: ListKind, nodes: &[Node]) -> usize {
        let before = self.entry_count(kind);
        if let Some(list) = self.node_list_mut(kind) {
            for node in nodes {
                if !list.contains(node) {
                    list.push(*node);
                }
            }
        }
        match (&mut *self, kind) {
            (Self::JointDynamics(own), ListKind::Grabbers) => {
                for bone in nodes {
                    if own.grabbers.iter().all(|g| g.bone != *bone) {
                        let mut grabber = Grabber { bone: *bone, radius: 0.0, force: 0.0, enabled: true };
                        grabber.set_defaults();
                        own.grabbers.push(grabber);
                    }
                }
            }
            (Self::Kawaii(own), ListKind::Constraints) => {
                for pair in nodes.windows(2).map(|pair| [pair[0], pair[1]]) {
                    let known = |c: &BoneConstraint<Node>| c.bones == pair || c.bones == [pair[1], pair[0]];
                    if pair[0] != pair[1] && !own.constraints.iter().any(known) {
                        own.constraints.push(BoneConstraint::new(pair));
                    }
                }
            }
            (Self::Kawaii(own), ListKind::SyncBones) => {
                if let Some((bone, targets)) = nodes.split_first().filter(|(_, targets)| !targets.is_empty()) {
                    let targets = targets.iter().filter(|t| *t != bone);
                    let targets = targets.map(|bone| SyncTarget { bone: *bone, scale: 1.0 }).collect();
                    own.sync_bones.push(SyncBone::new(*bone, targets));
                }
            }
            _ => {}
        }
        self.entry_count(kind) - before
    }

    pub fn remove_entry(&mut self, kind: ListKind, at: usize) {
        if let Some(list) = self.node_list_mut(kind) {
            return remove_at(list, at);
        }
        match (self, kind) {
            (Self::JointDynamics(own), ListKind::Grabbers) => remove_at(&mut own.grabbers, at),
            (Self::JointDynamics(own), ListKind::Points) => {
                if let Some(bone) = own.points.keys().nth(at).copied() {
                    own.points.remove(&bone);
                }
            }
            (Self::Kawaii(own), ListKind::Constraints) => remove_at(&mut own.constraints, at),
            (Self::Kawaii(own), ListKind::SyncBones) => remove_at(&mut own.sync_bones, at),
            _ => {}
        }
    }
}

fn remove_at<T>(list: &mut Vec<T>, at: usize) {
    if at < list.len() {
        list.remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::rig::BoneId;

    fn node(n: u32) -> Node {
        Node::Bone(BoneId(n))
    }

    #[test]
    fn every_list_returns_the_nodes_that_were_added() {
        for kind in ListKind::ALL {
            let mut lists: ComponentLists = ComponentLists::empty(kind.solver());
            assert!(lists.is_empty(), "{kind:?}");
            if kind.is_single() {
                lists.set_node(kind, Some(node(3)));
                assert_eq!(lists.entries(kind), [vec![node(3)]]);
                assert_eq!((lists.referenced_nodes(), lists.entry_count(kind)), (vec![node(3)], 1), "{kind:?}");
                lists.set_node(kind, None);
            } else if kind.has_node_entries() {
                let nodes = [node(3), node(5)];
                let made = lists.add_entries(kind, &nodes);
                assert_eq!(made, 3 - kind.min_nodes(), "{kind:?}");
                assert_eq!(lists.referenced_nodes(), nodes, "{kind:?}");
                (0..made).for_each(|_| lists.remove_entry(kind, 0));
            }
            assert!(lists.is_empty(), "{kind:?}");
        }
    }

    #[test]
    fn a_constraint_pair_is_added_once_in_either_order() {
        let mut lists: ComponentLists = ComponentLists::empty(SolverKind::KawaiiPhysics);
        assert_eq!(lists.add_entries(ListKind::Constraints, &[node(1), node(2), node(2), node(3)]), 2);
        assert_eq!(lists.add_entries(ListKind::Constraints, &[node(3), node(2), node(1)]), 0);
    }
}
