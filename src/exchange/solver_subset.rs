//! The part of a document that one solver moves, as a table holds it.

use super::unbind::NodeNames;
use crate::document::{Chain, ChainId, Document, Helper, HelperRole, Node, System, SystemId};
use crate::math::Trs;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::{ColliderShape, SolverKind};
use std::collections::BTreeSet;

/// The chains and systems of one solver, with the nodes and colliders of the whole document.
pub(super) struct SolverSubset<'a> {
    pub(super) document: &'a Document,
    pub(super) skeleton: &'a Skeleton,
    pub(super) names: &'a NodeNames<'a>,
    pub(super) solver: SolverKind,
    /// The first system of the solver, whose values a table holds.
    pub(super) main_system: &'a System,
    rest: WorldPose,
    joints: BTreeSet<BoneId>,
}

impl<'a> SolverSubset<'a> {
    /// The part of `wanted`; of the document's first system where no system has that solver.
    pub(super) fn new(names: &'a NodeNames<'a>, wanted: Option<SolverKind>) -> Self {
        let (document, skeleton) = (names.document(), names.skeleton());
        let main = wanted
            .and_then(|solver| document.system_with_solver(solver))
            .map_or(document.main_system(), |(_, system)| system);
        let solver = main.solver;
        let joints = document.chains_with_solver(solver).flat_map(|(_, chain)| &chain.joints).map(|joint| joint.bone);
        let joints = joints.collect();
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        Self { document, skeleton, names, solver, main_system: main, rest, joints }
    }

    pub(super) fn systems(&self) -> impl Iterator<Item = (SystemId, &'a System)> + '_ {
        let all = self.document.systems.iter().filter(|(_, system)| system.solver == self.solver);
        all.map(|(id, system)| (*id, system))
    }

    /// Whether the solver has one system, so that a table of the solver describes exactly one component.
    pub(super) fn has_one_system(&self) -> bool {
        self.systems().count() == 1
    }

    pub(super) fn chains(&self) -> impl Iterator<Item = (ChainId, &'a Chain)> + '_ {
        self.document.chains_with_solver(self.solver)
    }

    /// Whether a chain of the solver has a joint for this bone.
    pub(super) fn has_joint(&self, bone: BoneId) -> bool {
        self.joints.contains(&bone)
    }

    /// World frames of the rest pose.
    pub(super) const fn rest(&self) -> &WorldPose {
        &self.rest
    }

    /// See `PatchableJson::curve_positions_in_pose`.
    pub(super) fn curve_positions(&self, chain: &Chain) -> Vec<f32> {
        self.document.curve_positions_in_pose(chain, &self.rest, self.skeleton)
    }

    /// The parent that a table can name, and the transform relative to it: tables have no rows for plain helpers.
    pub(super) fn parent_in_table(&self, helper: &Helper) -> (Node, Trs) {
        let (mut parent, mut local) = (helper.parent, helper.local);
        for _ in 0..self.document.helpers.len() {
            let Node::Helper(id) = parent else { break };
            match self.document.helpers.get(&id) {
                Some(above) if above.role != HelperRole::Null => {
                    local = Trs::from_matrix((above.local.to_affine() * local.to_affine()).into());
                    parent = above.parent;
                }
                _ => break,
            }
        }
        (parent, local)
    }
}

/// The order in which UnityChan's tables list colliders.
pub(super) const fn collider_order(shape: &ColliderShape) -> usize {
    match shape {
        ColliderShape::Sphere { inside: false, .. } => 0,
        ColliderShape::Capsule { inside: false, .. } => 1,
        ColliderShape::Panel { .. } => 2,
        // UnityChan has none of these.
        _ => 3,
    }
}

/// Each name once, at its first position.
pub(super) fn without_duplicates(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}
