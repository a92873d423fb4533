//! Changes of what there is: chains, joints, pivots, and a character that was exported anew.

use super::inspect::Values;
use super::{Command, Session};
use crate::doc::tune::{self, Targets};
use crate::doc::{Chain, ChainId, Document, Edit, Label, Node, Part, Tip, detect, pivot};
use crate::rig::{BoneId, Character};
use crate::schema::Row;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Ids from here on stand for bones that a newer export of the character no longer has.
const LOST: u32 = 1 << 24;
/// Degrees to each side that a limit begins with.
const NEW_LIMIT: f32 = 20.0;

pub(super) fn handle(s: &mut Session, command: Command) {
    let made = match command {
        Command::MakeChain(root, part) => make_chain(s, root, part),
        Command::EndChainAt(bone) => {
            let name = s.character.skeleton.name(bone).to_owned();
            detect::end_chain_at(bone, &s.character.skeleton, &s.document)
                .map(|e| (e, Label::new("end_chain", 1).name(name)))
        }
        Command::Exclude(bone, true) => {
            Some((detect::exclude(bone, &s.character.skeleton, &s.document), Label::new("exclude", 1)))
        }
        Command::Exclude(bone, false) => Some((detect::include(bone), Label::new("include", 1))),
        Command::RemoveChains(ids) => {
            let edits = ids.iter().map(|id| Edit::PutChain { id: *id, chain: None }).collect();
            Some((Edit::Batch(edits), Label::new("remove_chains", ids.len())))
        }
        Command::SetPart(id, part) => {
            with_chain(&s.document, id, |chain| chain.part = part).map(|edit| (edit, Label::new("part", 1)))
        }
        Command::Rename(id, name) => {
            let label = Label::new("rename", 1).name(name.clone());
            with_chain(&s.document, id, |chain| chain.name = name).map(|edit| (edit, label))
        }
        Command::Enable(bones, on) => {
            let count = bones.len();
            Some((enable(&s.document, &bones, on), Label::new(if on { "enable" } else { "disable" }, count)))
        }
        Command::RemoveGesture(id) => Some((Edit::PutGesture { id, gesture: None }, Label::new("remove_gesture", 1))),
        _ => None,
    };
    if let Some((edit, label)) = made {
        s.apply(edit, label);
    }
}

fn make_chain(s: &mut Session, root: BoneId, part: Part) -> Option<(Edit, Label)> {
    let skeleton = &s.character.skeleton;
    let name = skeleton.name(root).to_owned();
    let Some(chain) = detect::make_chain(root, skeleton, &s.document, part) else {
        s.messages.warn(format!("{name} cannot begin a chain: it is excluded or already in one"));
        return None;
    };
    let id = s.document.fresh_chain();
    Some((Edit::PutChain { id, chain: Some(Box::new(chain)) }, Label::new("make_chain", 1).name(name)))
}

/// An edit that puts a changed copy of a chain in its place.
fn with_chain(document: &Document, id: ChainId, change: impl FnOnce(&mut Chain)) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    change(&mut chain);
    Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
}

fn enable(document: &Document, bones: &[BoneId], on: bool) -> Edit {
    let mut chains: Vec<_> = bones.iter().filter_map(|b| document.joint_of(*b).map(|j| j.0)).collect();
    chains.dedup();
    let edits = chains.into_iter().filter_map(|id| {
        with_chain(document, id, |chain| {
            chain.joints.iter_mut().filter(|j| bones.contains(&j.bone)).for_each(|j| j.enabled = on);
        })
    });
    Edit::Batch(edits.collect())
}

/// Switches a limit. Switched on, joints without pivot get one; a limit that is nothing yet gets the original's range.
pub(super) fn switch_limit(s: &Session, targets: &Targets, row: Row, on: bool) -> Edit {
    let skeleton = &s.character.skeleton;
    let write = |row, value| tune::set(&s.document, skeleton, targets, row, value);
    if !on {
        return write(row, 0.0);
    }
    let whole = targets.chains.iter().filter_map(|id| s.document.chains.get(id)).flat_map(|c| &c.joints);
    let single = targets.joints.iter().filter_map(|(id, bone)| {
        let chain = s.document.chains.get(id)?;
        chain.position(*bone).map(|at| &chain.joints[at])
    });
    let bare: Vec<BoneId> = whole.chain(single).filter(|j| j.pivot.is_none()).map(|j| j.bone).collect();
    let mut edits = vec![write(row, 1.0)];
    // The table keeps a limit's least and greatest angle right behind its switch.
    let (min, max) = (Row(row.0 + 1), Row(row.0 + 2));
    let nothing = matches!(s.row_view(min).values, Values::Same(v) if v == 0.0)
        && matches!(s.row_view(max).values, Values::Same(v) if v == 0.0);
    if nothing {
        edits.push(write(min, -NEW_LIMIT));
        edits.push(write(max, NEW_LIMIT));
    }
    if !bare.is_empty() {
        edits.push(pivot::place_pivots(&s.document, skeleton, &bare));
    }
    Edit::Batch(edits)
}

/// Finds the bones of the document and its history again in a newer version of the character, by path, then by name.
/// Bones that are gone keep an id of their own, so that undo still works. Returns the names of those in use.
pub(super) fn rebind(s: &mut Session, character: &Arc<Character>) -> Vec<String> {
    let old = Arc::clone(&s.character);
    let mut map: BTreeMap<BoneId, BoneId> = BTreeMap::new();
    for bone in old.skeleton.ids() {
        let found = same_bone(&old, bone, character);
        map.insert(bone, found.unwrap_or(BoneId(LOST + bone.0)));
    }
    let to = |bone: BoneId| map.get(&bone).copied().unwrap_or(bone);
    let lost: Vec<String> = used_bones(&s.document)
        .into_iter()
        .filter(|b| to(*b).0 >= LOST && b.0 < LOST)
        .map(|b| old.skeleton.name(b).to_owned())
        .collect();
    rebind_document(&mut s.document, &to);
    rebind_document(&mut s.loaded, &to);
    s.history.rewrite(|edit| rebind_edit(edit, &to));
    let selection = &mut s.selection;
    selection.bones = selection.bones.iter().map(|b| to(*b)).collect();
    selection.active = selection.active.map(to);
    selection.hovered = None;
    lost
}

fn same_bone(old: &Character, bone: BoneId, new: &Character) -> Option<BoneId> {
    let name = old.skeleton.name(bone);
    let path = |c: &Character, b| c.skeleton.ancestors(b).map(|a| c.skeleton.name(a).to_owned()).collect::<Vec<_>>();
    let wanted = path(old, bone);
    let candidates = new.skeleton.find_all(name);
    let nth = old.skeleton.find_all(name).iter().filter(|b| path(old, **b) == wanted).position(|b| *b == bone)?;
    let exact: Vec<_> = candidates.iter().filter(|b| path(new, **b) == wanted).collect();
    exact.get(nth).copied().copied().or_else(|| if candidates.len() == 1 { candidates.first().copied() } else { None })
}

fn used_bones(document: &Document) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
    let parents = document.helpers.values().filter_map(|h| match h.parent {
        Node::Bone(bone) => Some(bone),
        Node::Helper(_) => None,
    });
    let mut bones: Vec<_> = joints.chain(parents).chain(document.gestures.values().map(|g| g.bone)).collect();
    bones.sort_unstable();
    bones.dedup();
    bones
}

fn rebind_document(document: &mut Document, to: &impl Fn(BoneId) -> BoneId) {
    document.chains.values_mut().for_each(|chain| rebind_chain(chain, to));
    document.helpers.values_mut().for_each(|h| rebind_node(&mut h.parent, to));
    document.colliders.values_mut().for_each(|c| rebind_node(&mut c.node, to));
    document.gestures.values_mut().for_each(|g| g.bone = to(g.bone));
    document.excluded = document.excluded.iter().map(|b| to(*b)).collect();
}

fn rebind_chain(chain: &mut Chain, to: &impl Fn(BoneId) -> BoneId) {
    for joint in &mut chain.joints {
        joint.bone = to(joint.bone);
        if let Tip::Bone(bone) = &mut joint.tip {
            *bone = to(*bone);
        }
        if let Some(pivot) = &mut joint.pivot {
            rebind_node(pivot, to);
        }
    }
}

fn rebind_node(node: &mut Node, to: &impl Fn(BoneId) -> BoneId) {
    if let Node::Bone(bone) = node {
        *bone = to(*bone);
    }
}

fn rebind_edit(edit: &mut Edit, to: &impl Fn(BoneId) -> BoneId) {
    match edit {
        Edit::SetOwn { bone, .. } | Edit::SetExcluded { bone, .. } => *bone = to(*bone),
        Edit::SetPivot { bone, pivot, .. } => {
            *bone = to(*bone);
            if let Some(pivot) = pivot {
                rebind_node(pivot, to);
            }
        }
        Edit::PutChain { chain: Some(chain), .. } => rebind_chain(chain, to),
        Edit::PutHelper { helper: Some(helper), .. } => rebind_node(&mut helper.parent, to),
        Edit::PutCollider { collider: Some(collider), .. } => rebind_node(&mut collider.node, to),
        Edit::PutGesture { gesture: Some(gesture), .. } => gesture.bone = to(gesture.bone),
        Edit::Batch(edits) => edits.iter_mut().for_each(|e| rebind_edit(e, to)),
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
