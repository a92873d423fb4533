//! The lists one by one, for windows that show whatever a solver has.

use super::ComponentLists;
use crate::document::Node;
use crate::params::ParamFields as _;
use crate::sim::{BoneConstraint, EzForceField, Grabber, SolverKind, SyncBone, SyncTarget};

/// One thing that a component names, or a list of them.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ListKind {
    /// `DynamicBone` rests while it is far from this node.
    Reference,
    /// What `DynamicBone` leaves out, with all below.
    Exclusions,
    /// Where `EZSoftBone` keeps its positions between two frames.
    SimulateSpace,
    /// By whose turn gravity counts.
    GravityAligner,
    /// What blows on `EZSoftBone`.
    ForceField,
    /// Colliders of `EZSoftBone` with a margin or a hull.
    Margins,
    /// Columns of a network, in their order.
    Columns,
    /// Points of a network with numbers of their own.
    Points,
    /// Colliders of a network with a friction of their own.
    Frictions,
    /// What catches points.
    Grabbers,
    /// What no point sinks below.
    Planes,
    /// Pairs of bones that keep their distance.
    Constraints,
    /// Bones that shift others.
    SyncBones,
    /// What carries tips along in the space of a bone.
    BaseBone,
    /// The bone whose motion is not felt.
    RelativeSpace,
}

impl ListKind {
    /// In the order in which they are listed.
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

    /// Last part of the keys of its words.
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

    /// Whose it is.
    pub const fn solver(self) -> SolverKind {
        match self {
            Self::Reference | Self::Exclusions => SolverKind::DynamicBone,
            Self::SimulateSpace | Self::GravityAligner | Self::ForceField | Self::Margins => SolverKind::EzSoftBone,
            Self::Columns | Self::Points | Self::Frictions | Self::Grabbers | Self::Planes => SolverKind::JointDynamics,
            Self::Constraints | Self::SyncBones | Self::BaseBone => SolverKind::KawaiiPhysics,
            Self::RelativeSpace => SolverKind::AnimDynamics,
        }
    }

    /// Whether it is one node, or none.
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

    /// How many nodes an entry takes at least: pairs take two, and what leads others needs one of them.
    pub const fn min_nodes(self) -> usize {
        if matches!(self, Self::Constraints | Self::SyncBones) { 2 } else { 1 }
    }

    /// Whether its entries go by nodes that are chosen one after the other.
    pub const fn has_node_entries(self) -> bool {
        !self.is_single() && !matches!(self, Self::Margins | Self::Points | Self::Frictions)
    }
}

impl ComponentLists {
    /// How many entries there are; none where the solver has no such list.
    pub fn entry_count(&self, side: ListKind) -> usize {
        match (self, side) {
            (Self::EzSoftBone(own), ListKind::Margins) => own.colliders.len(),
            (Self::JointDynamics(own), ListKind::Points) => own.points.len(),
            (Self::JointDynamics(own), ListKind::Frictions) => own.colliders.len(),
            _ => self.entries(side).len(),
        }
    }

    /// The nodes of each entry, in order.
    pub fn entries(&self, side: ListKind) -> Vec<Vec<Node>> {
        let each = |nodes: &[Node]| nodes.iter().map(|node| vec![*node]).collect();
        let one = |node: Option<Node>| node.map(|node| vec![node]).into_iter().collect();
        match (self, side) {
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

    /// Names another single node, or none.
    pub fn set_node(&mut self, side: ListKind, node: Option<Node>) {
        match (self, side) {
            (Self::DynamicBone(own), ListKind::Reference) => own.reference = node,
            (Self::EzSoftBone(own), ListKind::SimulateSpace) => own.simulate_space = node,
            (Self::EzSoftBone(own), ListKind::GravityAligner) => own.gravity_aligner = node,
            (Self::EzSoftBone(own), ListKind::ForceField) => {
                let old = own.force_field.take();
                own.force_field = node.map(|bone| match old {
                    Some(field) => EzForceField { bone, ..field },
                    None => EzForceField::new(bone),
                });
            }
            (Self::Kawaii(own), ListKind::BaseBone) => own.base_bone = node,
            (Self::AnimDynamics(own), ListKind::RelativeSpace) => own.relative_space_bone = node,
            _ => {}
        }
    }

    /// Adds what is not there yet, with the engine's numbers; how many entries that makes. Pairs are made of neighbours in
    /// `nodes`; of a bone that shifts others it is the first.
    pub fn add_entries(&mut self, side: ListKind, nodes: &[Node]) -> usize {
        let before = self.entry_count(side);
        match (&mut *self, side) {
            (Self::DynamicBone(own), ListKind::Exclusions) => push_missing(&mut own.exclusions, nodes),
            (Self::JointDynamics(own), ListKind::Columns) => push_missing(&mut own.roots, nodes),
            (Self::JointDynamics(own), ListKind::Planes) => push_missing(&mut own.planes, nodes),
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
        self.entry_count(side) - before
    }

    /// Takes one entry away.
    pub fn remove_entry(&mut self, side: ListKind, at: usize) {
        match (self, side) {
            (Self::DynamicBone(own), ListKind::Exclusions) => remove_at(&mut own.exclusions, at),
            (Self::JointDynamics(own), ListKind::Columns) => remove_at(&mut own.roots, at),
            (Self::JointDynamics(own), ListKind::Planes) => remove_at(&mut own.planes, at),
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

fn push_missing(list: &mut Vec<Node>, nodes: &[Node]) {
    for node in nodes {
        if !list.contains(node) {
            list.push(*node);
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
    use crate::rig::BoneId;

    fn node(n: u32) -> Node {
        Node::Bone(BoneId(n))
    }

    #[test]
    fn every_list_returns_the_nodes_that_were_added() {
        for side in ListKind::ALL {
            let mut extras = ComponentLists::for_solver(side.solver());
            assert!(extras.is_empty(), "{side:?}");
            if side.is_single() {
                extras.set_node(side, Some(node(3)));
                assert_eq!(extras.entries(side), [vec![node(3)]]);
                assert_eq!((extras.referenced_nodes(), extras.entry_count(side)), (vec![node(3)], 1), "{side:?}");
                extras.set_node(side, None);
            } else if side.has_node_entries() {
                let nodes = [node(3), node(5)];
                let made = extras.add_entries(side, &nodes);
                assert_eq!(made, 3 - side.min_nodes(), "{side:?}");
                assert_eq!(extras.referenced_nodes(), nodes, "{side:?}");
                (0..made).for_each(|_| extras.remove_entry(side, 0));
            }
            assert!(extras.is_empty(), "{side:?}");
        }
    }

    #[test]
    fn a_constraint_pair_is_added_once_in_either_order() {
        let mut extras = ComponentLists::for_solver(SolverKind::KawaiiPhysics);
        assert_eq!(extras.add_entries(ListKind::Constraints, &[node(1), node(2), node(2), node(3)]), 2);
        assert_eq!(extras.add_entries(ListKind::Constraints, &[node(3), node(2), node(1)]), 0);
    }
}
