//! Changes of what there is: chains, joints and pivots.

use super::inspect::{Values, limit_rows};
use super::{Command, Said, Session};
use crate::doc::tune::{self, Targets};
use crate::doc::{Chain, ChainId, Document, Edit, HelperId, Label, Node, Part, detect, pivot};
use crate::rig::BoneId;
use crate::schema::Row;
use std::collections::BTreeSet;

/// Degrees to each side that a limit begins with.
const NEW_LIMIT: f32 = 20.0;

pub(super) fn handle(s: &mut Session, command: Command) {
    let in_file = |bone: BoneId| bone.index() < s.character.skeleton.len();
    let made = match command {
        Command::EndChainAt(bone) | Command::Exclude(bone, true) if !in_file(bone) => None,
        Command::MakeChains(roots, part) => make_chains(s, &roots, part),
        Command::EndChainAt(bone) => {
            let name = s.character.skeleton.name(bone).to_owned();
            detect::end_chain_at(bone, &s.character.skeleton, &s.document)
                .map(|e| (without_orphans(&s.document, e), Label::new("end_chain", 1).name(name)))
        }
        Command::Exclude(bone, true) => {
            let edit = detect::exclude(bone, &s.character.skeleton, &s.document);
            Some((without_orphans(&s.document, edit), Label::new("exclude", 1)))
        }
        Command::Exclude(bone, false) => Some((detect::include(bone), Label::new("include", 1))),
        Command::RemoveChains(ids) => {
            let edits = ids.iter().map(|id| Edit::PutChain { id: *id, chain: None }).collect();
            Some((without_orphans(&s.document, Edit::Batch(edits)), Label::new("remove_chains", ids.len())))
        }
        Command::SetPart(ids, part) => {
            let edits = ids.iter().filter_map(|id| with_chain(&s.document, *id, |chain| chain.part = part));
            let edits: Vec<_> = edits.collect();
            let label = Label::new("part", edits.len());
            (!edits.is_empty()).then_some((Edit::Batch(edits), label))
        }
        Command::Rename(id, name) => {
            let label = Label::new("rename", 1).name(name.clone());
            with_chain(&s.document, id, |chain| chain.name = name).map(|edit| (edit, label))
        }
        Command::Enable(bones, on) => {
            let count = bones.len();
            Some((enable(&s.document, &bones, on), Label::new(if on { "enable" } else { "disable" }, count)))
        }
        Command::RemoveGesture(id) => Some((s.document.without_gesture(id), Label::new("remove_gesture", 1))),
        _ => None,
    };
    if let Some((edit, label)) = made {
        s.apply(edit, label);
    }
}

/// `edit`, and the removal of pivots that nothing uses any more after it.
fn without_orphans(document: &Document, edit: Edit) -> Edit {
    let mut after = document.clone();
    if after.apply(edit.clone()).is_err() {
        return edit;
    }
    let still = pivots(&after);
    let mut edits = vec![edit];
    for id in pivots(document).difference(&still) {
        let removal = Edit::PutHelper { id: *id, helper: None };
        // Refused where a collider or another helper hangs on it.
        if after.apply(removal.clone()).is_ok() {
            edits.push(removal);
        }
    }
    Edit::Batch(edits)
}

fn pivots(document: &Document) -> BTreeSet<HelperId> {
    let joints = document.chains.values().flat_map(|c| &c.joints);
    joints
        .filter_map(|j| match j.pivot {
            Some(Node::Helper(id)) => Some(id),
            _ => None,
        })
        .collect()
}

/// One edit for all of them; a bone that cannot begin a chain, or can no more after its neighbours did, is named.
fn make_chains(s: &mut Session, roots: &[BoneId], part: Part) -> Option<(Edit, Label)> {
    let skeleton = &s.character.skeleton;
    let tuned = s.system_id();
    let mut after = s.document.clone();
    let mut edits = Vec::new();
    let mut first = None;
    for root in roots.iter().copied().filter(|bone| bone.index() < skeleton.len()) {
        let name = skeleton.name(root);
        let edit = detect::make_chain(root, skeleton, &after, part, tuned)
            .map(|chain| Edit::PutChain { id: after.fresh_chain(), chain: Some(Box::new(chain)) })
            .filter(|edit| after.apply(edit.clone()).is_ok());
        if let Some(edit) = edit {
            edits.push(edit);
            first.get_or_insert_with(|| name.to_owned());
        } else {
            s.messages.say(Said::NoChainFrom(name.to_owned()));
        }
    }
    let label = Label::new("make_chain", edits.len()).name(first?);
    Some((Edit::Batch(edits), label))
}

/// An edit that puts a changed copy of a chain in its place.
fn with_chain(document: &Document, id: ChainId, change: impl FnOnce(&mut Chain)) -> Option<Edit> {
    let mut chain = document.chains.get(&id)?.clone();
    change(&mut chain);
    Some(Edit::PutChain { id, chain: Some(Box::new(chain)) })
}

fn enable(document: &Document, bones: &[BoneId], on: bool) -> Edit {
    let mut chains: Vec<_> = bones.iter().filter_map(|b| document.joint_of(*b).map(|j| j.0)).collect();
    chains.sort_unstable();
    chains.dedup();
    let edits = chains.into_iter().filter_map(|id| {
        with_chain(document, id, |chain| {
            chain.joints.iter_mut().filter(|j| bones.contains(&j.bone)).for_each(|j| j.enabled = on);
        })
    });
    Edit::Batch(edits.collect())
}

/// Switches limits. Switched on, joints without pivot get one; a limit that is nothing yet gets the original's range.
pub(super) fn switch_limits(s: &Session, targets: &Targets, rows: &[Row], on: bool) -> Edit {
    let skeleton = &s.character.skeleton;
    let write = |row, value| tune::set(&s.document, skeleton, targets, row, value);
    // A row that is no limit's switch is left alone.
    let limits = rows.iter().filter_map(|row| limit_rows(s.system().table(), *row));
    if !on {
        return Edit::Batch(limits.map(|[row, ..]| write(row, 0.0)).collect());
    }
    let whole = targets.chains.iter().filter_map(|id| s.document.chains.get(id)).flat_map(|c| &c.joints);
    let single = targets.joints.iter().filter_map(|(id, bone)| {
        let chain = s.document.chains.get(id)?;
        chain.position(*bone).map(|at| &chain.joints[at])
    });
    let bare: Vec<BoneId> = whole.chain(single).filter(|j| j.pivot.is_none()).map(|j| j.bone).collect();
    let mut edits = Vec::new();
    for [row, min, max] in limits {
        edits.push(write(row, 1.0));
        let nothing = matches!(s.row_view(min).values, Values::Same(v) if v == 0.0)
            && matches!(s.row_view(max).values, Values::Same(v) if v == 0.0);
        if nothing {
            edits.push(write(min, -NEW_LIMIT));
            edits.push(write(max, NEW_LIMIT));
        }
    }
    if !bare.is_empty() {
        edits.push(pivot::place_pivots(&s.document, skeleton, &bare));
    }
    Edit::Batch(edits)
}
