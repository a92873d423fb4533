//! A character that was exported anew: its bones are found again for the document, its history and the selection.

use super::Session;
use crate::document::{BonePaths, Chain, Document, Edit, MapNodes, Node};
use crate::rig::{BoneId, Character, Skeleton};
use crate::sim::SolverKind;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Finds the bones of the document and its history again in a newer version of the character.
pub(super) fn rebind(s: &mut Session, character: &Arc<Character>) {
    let old = BonePaths::of(&s.character.skeleton);
    let there = s.character.skeleton.ids().map(|bone| (bone, old.path(bone)));
    let lost = s.document.lost.iter().map(|(bone, path)| (bone, path.clone()));
    let (bones, paths): (Vec<_>, Vec<_>) = there.chain(lost).unzip();
    let found = BonePaths::of(&character.skeleton).find_again(&paths);
    let mut map = BTreeMap::new();
    for ((bone, path), found) in bones.into_iter().zip(paths).zip(found) {
        let to = match found {
            Some(found) => found.id(),
            None if s.document.lost.path(bone).is_some() => bone,
            None => s.document.lost.add(path),
        };
        map.insert(bone, to);
    }
    map.iter().filter(|(bone, to)| bone != to).for_each(|(bone, _)| s.document.lost.remove(*bone));
    let baseline = &mut s.baseline;
    for before in [&mut baseline.opened, &mut baseline.loaded] {
        before.lost = s.document.lost.clone();
    }
    let rebind = Rebind { map, skeleton: &character.skeleton };
    rebind.document(&mut s.document);
    rebind.document(&mut s.baseline.opened);
    rebind.document(&mut s.baseline.loaded);
    s.history.rewrite(|edit| rebind.edit(edit));
    s.applied.chains_mut().for_each(|chain| rebind.chain(chain));
    let selection = &mut s.selection;
    selection.bones = selection.bones.iter().map(|b| rebind.to(*b)).collect();
    selection.active = selection.active.map(|b| rebind.to(b));
    selection.hovered = None;
    selection.forget_missing(&character.skeleton, &s.document);
}

/// Old ids to new ones.
struct Rebind<'a> {
    map: BTreeMap<BoneId, BoneId>,
    skeleton: &'a Skeleton,
}

impl Rebind<'_> {
    fn to(&self, bone: BoneId) -> BoneId {
        self.map.get(&bone).copied().unwrap_or(bone)
    }

    fn node(&self, node: Node) -> Node {
        match node {
            Node::Bone(bone) => Node::Bone(self.to(bone)),
            Node::Helper(_) => node,
        }
    }

    fn walk(&self) -> MapNodes<impl FnMut(Node) -> Node> {
        MapNodes(|node| self.node(node))
    }

    fn document(&self, document: &mut Document) {
        document.setup = document.setup.rename(&mut self.walk());
        document.chains.values_mut().for_each(|chain| self.sort_joints(chain));
    }

    fn chain(&self, chain: &mut Chain) {
        *chain = chain.rename(SolverKind::default(), &mut self.walk());
        self.sort_joints(chain);
    }

    /// Restores the order of joints, ancestors first: a bone may have another parent now.
    fn sort_joints(&self, chain: &mut Chain) {
        let is_late = |at: usize| {
            let bone = chain.joints[at].bone;
            chain.joints[..at].iter().any(|joint| self.skeleton.is_above(bone, joint.bone))
        };
        if (0..chain.joints.len()).any(is_late) {
            let depth = |bone: BoneId| std::iter::successors(Some(bone), |b| self.skeleton.parent_of(*b)).count();
            chain.joints.sort_by_key(|joint| depth(joint.bone));
        }
    }

    fn edit(&self, edit: &mut Edit) {
        match edit {
            Edit::SetOwn { bone, .. } | Edit::SetExcluded { bone, .. } => *bone = self.to(*bone),
            Edit::SetPivot { bone, pivot, .. } => {
                *bone = self.to(*bone);
                *pivot = pivot.map(|pivot| self.node(pivot));
            }
            Edit::PutChain { chain: Some(chain), .. } => self.chain(chain),
            Edit::SetSolver(under) => {
                under.chains.values_mut().for_each(|chain| self.chain(chain));
                under.systems.values_mut().for_each(|system| *system = system.rename(&mut self.walk()));
            }
            Edit::PutSystem { system: Some(system), .. } => **system = system.rename(&mut self.walk()),
            Edit::PutHelper { helper: Some(helper), .. } => helper.parent = self.node(helper.parent),
            Edit::PutCollider { collider: Some(collider), .. } => collider.node = self.node(collider.node),
            Edit::PutForce { force: Some(force), .. } => force.node = self.node(force.node),
            Edit::PutHighLeg { high_leg: Some(high_leg), .. } => {
                if let Some(renamed) = high_leg.rename(&mut self.walk()) {
                    *high_leg = renamed;
                }
            }
            Edit::PutGesture { gesture: Some(gesture), .. } => gesture.bone = self.to(gesture.bone),
            Edit::Batch(edits) => edits.iter_mut().for_each(|e| self.edit(e)),
            Edit::SetSystem { .. }
            | Edit::SetBase { .. }
            | Edit::SetCurve { .. }
            | Edit::SetAlong { .. }
            | Edit::PutMaterial { .. }
            | Edit::SetMaterial { .. }
            | Edit::PutSystem { system: None, .. }
            | Edit::PutChain { chain: None, .. }
            | Edit::PutHelper { helper: None, .. }
            | Edit::PutCollider { collider: None, .. }
            | Edit::PutForce { force: None, .. }
            | Edit::PutHighLeg { high_leg: None, .. }
            | Edit::SetRenderer { .. }
            | Edit::PutGroup { .. }
            | Edit::PutGesture { gesture: None, .. }
            | Edit::SetUnderlay { .. }
            | Edit::SetPassthrough(_) => {}
        }
    }
}
