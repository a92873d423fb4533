//! A character that was exported anew: its bones are found again for the document, its history and the selection.

use super::Session;
use crate::doc::{Chain, Document, Edit, Node, Tip};
use crate::rig::{BoneId, Character, Skeleton};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Ids from here on stand for bones that a newer export of the character no longer has.
const LOST: u32 = 1 << 24;

/// What a bone is known by in another export of the character.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Known {
    /// Its name, its parent's name and so on.
    path: Vec<String>,
    /// Which of several with that path, in file order.
    nth: usize,
}

/// Bones that the document or its history may speak of and that the character no longer has. Each keeps an id of its
/// own, which is never given twice, until a later export has the bone again.
#[derive(Clone, Debug, Default)]
pub(super) struct LostBones {
    bones: BTreeMap<BoneId, Known>,
    given: u32,
}

impl LostBones {
    /// The name that the bone had.
    pub(super) fn name(&self, bone: BoneId) -> Option<&str> {
        self.bones.get(&bone).map(|known| known.path[0].as_str())
    }

    fn add(&mut self, known: Known) -> BoneId {
        let id = BoneId(LOST + self.given);
        self.given += 1;
        self.bones.insert(id, known);
        id
    }
}

/// Finds the bones of the document and its history again in a newer version of the character, by path, then by name
/// where that leaves no doubt. Returns the names of those in use that it does not have.
pub(super) fn rebind(s: &mut Session, character: &Arc<Character>) -> Vec<String> {
    let old = known_bones(&s.character.skeleton);
    let before: Vec<_> = old.into_iter().chain(std::mem::take(&mut s.lost.bones)).collect();
    let found = find_again(&before, &character.skeleton);
    let mut map = BTreeMap::new();
    for (bone, known) in before {
        let to = match found.get(&bone) {
            Some(to) => *to,
            None if bone.0 >= LOST => {
                s.lost.bones.insert(bone, known);
                bone
            }
            None => s.lost.add(known),
        };
        map.insert(bone, to);
    }
    let rebind = Rebind { map, skeleton: &character.skeleton };
    rebind.document(&mut s.document);
    rebind.document(&mut s.loaded);
    s.history.rewrite(|edit| rebind.edit(edit));
    let selection = &mut s.selection;
    selection.bones = selection.bones.iter().map(|b| rebind.to(*b)).collect();
    selection.active = selection.active.map(|b| rebind.to(b));
    selection.hovered = None;
    selection.forget_missing(&character.skeleton);
    used_bones(&s.document).into_iter().filter_map(|b| s.lost.name(b).map(str::to_owned)).collect()
}

/// Every bone with what it is known by, in file order.
fn known_bones(skeleton: &Skeleton) -> Vec<(BoneId, Known)> {
    let mut seen: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let known = |bone: BoneId| {
        let above = std::iter::once(bone).chain(skeleton.ancestors(bone));
        let path: Vec<_> = above.map(|b| skeleton.name(b).to_owned()).collect();
        let nth = *seen.entry(path.clone()).and_modify(|n| *n += 1).or_default();
        (bone, Known { path, nth })
    };
    skeleton.ids().map(known).collect()
}

/// Which bone of `new` each bone is. No two are the same.
fn find_again(before: &[(BoneId, Known)], new: &Skeleton) -> BTreeMap<BoneId, BoneId> {
    let there: BTreeMap<Known, BoneId> = known_bones(new).into_iter().map(|(bone, known)| (known, bone)).collect();
    let mut found = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (bone, known) in before {
        if let Some(to) = there.get(known)
            && taken.insert(*to)
        {
            found.insert(*bone, *to);
        }
    }
    let mut homeless: BTreeMap<&str, Vec<BoneId>> = BTreeMap::new();
    for (bone, known) in before.iter().filter(|(bone, _)| !found.contains_key(bone)) {
        homeless.entry(&known.path[0]).or_default().push(*bone);
    }
    for (name, bones) in homeless {
        if let ([bone], [to]) = (bones.as_slice(), new.find_all(name))
            && taken.insert(*to)
        {
            found.insert(*bone, *to);
        }
    }
    found
}

/// Bones that something in the document hangs on.
fn used_bones(document: &Document) -> BTreeSet<BoneId> {
    let of_node = |node: Node| match node {
        Node::Bone(bone) => Some(bone),
        Node::Helper(_) => None,
    };
    let joints = || document.chains.values().flat_map(|c| &c.joints);
    let tips = joints().filter_map(|j| match j.tip {
        Tip::Bone(bone) => Some(bone),
        Tip::Children | Tip::Offset(_) => None,
    });
    let nodes = document.helpers.values().map(|h| h.parent).chain(document.colliders.values().map(|c| c.node));
    let nodes = nodes.chain(joints().filter_map(|j| j.pivot)).filter_map(of_node);
    let gestures = document.gestures.values().map(|g| g.bone);
    joints().map(|j| j.bone).chain(tips).chain(nodes).chain(gestures).collect()
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
        document.helpers.values_mut().for_each(|h| self.node(&mut h.parent));
        document.colliders.values_mut().for_each(|c| self.node(&mut c.node));
        document.gestures.values_mut().for_each(|g| g.bone = self.to(g.bone));
        document.excluded = document.excluded.iter().map(|b| self.to(*b)).collect();
    }

    fn chain(&self, chain: &mut Chain) {
        for joint in &mut chain.joints {
            joint.bone = self.to(joint.bone);
            if let Tip::Bone(bone) = &mut joint.tip {
                *bone = self.to(*bone);
            }
            if let Some(pivot) = &mut joint.pivot {
                self.node(pivot);
            }
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

    fn node(&self, node: &mut Node) {
        if let Node::Bone(bone) = node {
            *bone = self.to(*bone);
        }
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
            Edit::PutHelper { helper: Some(helper), .. } => self.node(&mut helper.parent),
            Edit::PutCollider { collider: Some(collider), .. } => self.node(&mut collider.node),
            Edit::PutGesture { gesture: Some(gesture), .. } => gesture.bone = self.to(gesture.bone),
            Edit::Batch(edits) => edits.iter_mut().for_each(|e| self.edit(e)),
            Edit::SetSystem { .. }
            | Edit::SetBase { .. }
            | Edit::SetCurve { .. }
            | Edit::SetAlong { .. }
            | Edit::PutChain { chain: None, .. }
            | Edit::PutHelper { helper: None, .. }
            | Edit::PutCollider { collider: None, .. }
            | Edit::PutGesture { gesture: None, .. }
            | Edit::SetKept(_) => {}
        }
    }
}
