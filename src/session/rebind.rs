//! A character that was exported anew: its bones are found again for the document, its history and the selection.

use super::Session;
use crate::doc::{BonePaths, Chain, Document, Edit, HighLeg, Node, System, Tip};
use crate::rig::{BoneId, Character, Skeleton};
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

    fn document(&self, document: &mut Document) {
        document.chains.values_mut().for_each(|chain| self.chain(chain));
        document.systems.values_mut().for_each(|system| self.system(system));
        document.helpers.values_mut().for_each(|h| self.node(&mut h.parent));
        document.colliders.values_mut().for_each(|c| self.node(&mut c.node));
        document.forces.values_mut().for_each(|f| self.node(&mut f.node));
        document.high_legs.values_mut().for_each(|h| self.high_leg(h));
        document.gestures.values_mut().for_each(|g| g.bone = self.to(g.bone));
        document.excluded = document.excluded.iter().map(|b| self.to(*b)).collect();
    }

    fn chain(&self, chain: &mut Chain) {
        if let Some(center) = &mut chain.center {
            self.node(center);
        }
        for joint in &mut chain.joints {
            joint.bone = self.to(joint.bone);
            if let Tip::Bone(bone) = &mut joint.tip {
                *bone = self.to(*bone);
            }
            if let Some(pivot) = &mut joint.pivot {
                self.node(pivot);
            }
            joint.length_targets.iter_mut().for_each(|t| self.node(&mut t.node));
        }
        // A bone may hang elsewhere now; joints stand ancestors first.
        let is_late = |at: usize| {
            let bone = chain.joints[at].bone;
            chain.joints[..at].iter().any(|j| self.skeleton.is_above(bone, j.bone))
        };
        if (0..chain.joints.len()).any(is_late) {
            let depth = |bone: BoneId| std::iter::successors(Some(bone), |b| self.skeleton.parent_of(*b)).count();
            chain.joints.sort_by_key(|j| depth(j.bone));
        }
    }

    fn high_leg(&self, high_leg: &mut HighLeg) {
        self.node(&mut high_leg.node);
        self.node(&mut high_leg.hip);
        high_leg.legs.iter_mut().flatten().for_each(|node| self.node(node));
    }

    fn node(&self, node: &mut Node) {
        if let Node::Bone(bone) = node {
            *bone = self.to(*bone);
        }
    }

    fn system(&self, system: &mut System) {
        if let Some(component) = &mut system.component {
            self.node(component);
        }
        system.extras = system.extras.map(|mut node| {
            self.node(&mut node);
            Some(node)
        });
    }

    fn edit(&self, edit: &mut Edit) {
        match edit {
            Edit::SetOwn { bone, .. } | Edit::SetExcluded { bone, .. } => *bone = self.to(*bone),
            Edit::SetPivot { bone, pivot, .. } => {
                *bone = self.to(*bone);
                if let Some(pivot) = pivot {
                    self.node(pivot);
                }
            }
            Edit::PutChain { chain: Some(chain), .. } => self.chain(chain),
            Edit::SetSolver(under) => {
                under.chains.values_mut().for_each(|chain| self.chain(chain));
                under.systems.values_mut().for_each(|system| self.system(system));
            }
            Edit::PutSystem { system: Some(system), .. } => self.system(system),
            Edit::PutHelper { helper: Some(helper), .. } => self.node(&mut helper.parent),
            Edit::PutCollider { collider: Some(collider), .. } => self.node(&mut collider.node),
            Edit::PutForce { force: Some(force), .. } => self.node(&mut force.node),
            Edit::PutHighLeg { high_leg: Some(high_leg), .. } => self.high_leg(high_leg),
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
            | Edit::SetKept(_) => {}
        }
    }
}
