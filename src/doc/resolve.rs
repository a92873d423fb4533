//! From what is authored to what solvers get: one number per joint, helpers as bones.

use super::chain::joint_rows;
use super::{ChainId, Document, Node, Tip};
use crate::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use crate::schema::ParamSet;
use crate::sim::{ColliderSetup, JointSetup, SystemSetup, TipSetup};
use std::collections::BTreeMap;

/// A joint by its chain and bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JointRef {
    /// Which chain.
    pub chain: ChainId,
    /// The joint's bone.
    pub bone: BoneId,
}

/// A document made ready for the simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The file's bones, then helpers.
    pub skeleton: Skeleton,
    /// What the world is built from.
    pub systems: Vec<SystemSetup>,
    /// Where each joint of each system came from, in the same order.
    pub joints: Vec<Vec<JointRef>>,
    /// The bone that stands for each node of the document.
    pub bones: BTreeMap<Node, BoneId>,
    /// The place of each joint along its chain, 0..=1.
    pub places: BTreeMap<ChainId, Vec<f32>>,
}

impl Document {
    /// Resolves curves, helpers and references against the file's skeleton. Joints on bones that the file does
    /// not have are left out.
    pub fn resolve(&self, skeleton: &Skeleton) -> Resolved {
        let mut all = skeleton.clone();
        let bones = self.add_helpers(&mut all);
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let table = self.table();
        let mut colliders = Vec::new();
        let mut collider_at = BTreeMap::new();
        for (id, collider) in &self.colliders {
            if let Some(bone) = bone_of(&bones, &all, collider.node) {
                collider_at.insert(*id, colliders.len() as u32);
                colliders.push(ColliderSetup { bone, shape: collider.shape });
            }
        }
        let mut joints = Vec::new();
        let mut refs = Vec::new();
        let mut all_places = BTreeMap::new();
        for (chain_id, chain) in &self.chains {
            let places = chain.places_in(&rest, skeleton);
            for (i, joint) in chain.joints.iter().enumerate() {
                if joint.bone.index() >= skeleton.len() {
                    continue;
                }
                let mut values = ParamSet::defaults(table);
                for (row, _) in joint_rows(table) {
                    values.set(row, chain.value(i, row, places[i]));
                }
                let tip = match &joint.tip {
                    Tip::Offset(offset) => TipSetup::Offset(*offset),
                    Tip::Bone(bone) if bone.index() < skeleton.len() => TipSetup::Bones(vec![*bone]),
                    Tip::Bone(_) | Tip::Children => TipSetup::Bones(skeleton.children(joint.bone).to_vec()),
                };
                joints.push(JointSetup {
                    bone: joint.bone,
                    tip,
                    values,
                    pivot: joint.pivot.and_then(|p| bone_of(&bones, &all, p)),
                    colliders: joint.colliders.iter().filter_map(|c| collider_at.get(c).copied()).collect(),
                    chain: chain_id.0,
                    enabled: joint.enabled,
                    animated: false,
                });
                refs.push(JointRef { chain: *chain_id, bone: joint.bone });
            }
            all_places.insert(*chain_id, places);
        }
        let system = SystemSetup { solver: self.solver, values: self.system.clone(), joints, colliders };
        Resolved { skeleton: all, systems: vec![system], joints: vec![refs], bones, places: all_places }
    }

    /// Appends helpers, parents first; those whose parent is missing are left out.
    fn add_helpers(&self, skeleton: &mut Skeleton) -> BTreeMap<Node, BoneId> {
        let mut bones = BTreeMap::new();
        let mut waiting: Vec<_> = self.helpers.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|(id, helper)| {
                let Some(parent) = bone_of(&bones, skeleton, helper.parent) else { return true };
                let bone = Bone { name: helper.name.clone(), parent: Some(parent), rest: helper.local };
                let Ok(bone) = skeleton.push(bone) else { return true };
                bones.insert(Node::Helper(**id), bone);
                false
            });
            if waiting.len() == before {
                return bones;
            }
        }
    }
}

fn bone_of(helpers: &BTreeMap<Node, BoneId>, skeleton: &Skeleton, node: Node) -> Option<BoneId> {
    match node {
        Node::Bone(bone) => (bone.index() < skeleton.len()).then_some(bone),
        Node::Helper(_) => helpers.get(&node).copied(),
    }
}
