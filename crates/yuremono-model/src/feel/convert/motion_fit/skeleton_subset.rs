//! The subset of a skeleton that a simulation needs: chains, colliders, and their ancestors.
//!
//! Simulating fingers, faces and clothes without chains would cost time in every step.

use crate::document::{Document, Node, Tip};
use std::collections::BTreeSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};

#[derive(Clone, Debug)]
pub(in crate::feel::convert) struct SkeletonSubset {
    pub(in crate::feel::convert) skeleton: Skeleton,
    /// The kept bones by their ids in the whole skeleton.
    kept_bones: Vec<BoneId>,
    /// The index in the subset of each bone of the whole skeleton.
    subset_index: Vec<Option<BoneId>>,
}

impl SkeletonSubset {
    pub(in crate::feel::convert) fn new(whole: &Skeleton, documents: [&Document; 2]) -> Self {
        let mut needed = BTreeSet::new();
        for document in documents {
            let joints = document.chains.values().flat_map(|chain| &chain.joints).map(|joint| joint.bone);
            // Solvers read the descendants of joints, and some solvers write them.
            needed.extend(joints.filter(|bone| bone.index() < whole.len()).flat_map(|bone| whole.subtree(bone)));
            let mut copy = document.clone();
            for_each_bone(&mut copy, &mut |bone| _ = needed.insert(*bone));
        }
        let lines = needed.into_iter().filter(|bone| bone.index() < whole.len());
        let all: BTreeSet<BoneId> = lines.flat_map(|bone| whole.ancestors(bone).chain([bone])).collect();
        Self::from_kept_bones(whole, all.into_iter().collect())
    }

    fn from_kept_bones(whole: &Skeleton, kept: Vec<BoneId>) -> Self {
        let mut to = vec![None; whole.len()];
        let mut skeleton = Skeleton::default();
        for bone in &kept {
            let Bone { name, parent, rest } = whole.bone(*bone).clone();
            let parent = parent.and_then(|parent| to[parent.index()]);
            to[bone.index()] = skeleton.push(Bone { name, parent, rest }).ok();
        }
        Self { skeleton, kept_bones: kept, subset_index: to }
    }

    pub(in crate::feel::convert) fn subset_document(&self, document: &Document) -> Document {
        let mut subset = document.clone();
        subset.gestures.clear();
        subset.base_motions.clear();
        subset.kept_pose.clear();
        for_each_bone(&mut subset, &mut |bone| *bone = self.map_bone(*bone));
        subset
    }

    pub(in crate::feel::convert) fn subset_pose(&self, pose: &Pose) -> Pose {
        let rest = |at: usize| self.skeleton.bones()[at].rest;
        let local = |(at, bone): (usize, &BoneId)| pose.local.get(bone.index()).copied().unwrap_or_else(|| rest(at));
        Pose { local: self.kept_bones.iter().enumerate().map(local).collect() }
    }

    /// Missing bones are mapped to ids that are also missing.
    fn map_bone(&self, bone: BoneId) -> BoneId {
        let lost = BoneId(u32::MAX - 1 - bone.0.min(u32::MAX / 2));
        self.subset_index.get(bone.index()).copied().flatten().unwrap_or(lost)
    }
}

/// Visits every bone that simulated elements refer to.
fn for_each_bone(document: &mut Document, with: &mut dyn FnMut(&mut BoneId)) {
    let mut node = |node: &mut Node| {
        if let Node::Bone(bone) = node {
            with(bone);
        }
    };
    document.systems.values_mut().filter_map(|system| system.component.as_mut()).for_each(&mut node);
    document.helpers.values_mut().for_each(|helper| node(&mut helper.parent));
    document.colliders.values_mut().for_each(|collider| node(&mut collider.node));
    document.forces.values_mut().for_each(|force| node(&mut force.node));
    for high_leg in document.high_legs.values_mut() {
        node(&mut high_leg.node);
        node(&mut high_leg.hip);
        high_leg.legs.iter_mut().flatten().for_each(&mut node);
    }
    for chain in document.chains.values_mut() {
        chain.center.iter_mut().for_each(&mut node);
        for joint in &mut chain.joints {
            joint.pivot.iter_mut().for_each(&mut node);
            joint.length_targets.iter_mut().for_each(|target| node(&mut target.node));
        }
    }
    for joint in document.chains.values_mut().flat_map(|chain| &mut chain.joints) {
        with(&mut joint.bone);
        if let Tip::Bone(bone) = &mut joint.tip {
            with(bone);
        }
    }
}
