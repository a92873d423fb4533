//! The rows of the bone tree: which bones are in it, in what order, at what level.
//!
//! A chain is one flat column below its root: its joints stand at one level whatever their depth, so that a strand
//! of twenty joints never runs out of the panel. Bones that are no joints stay where they hang.

use crate::document::names::Pattern;
use crate::document::{ChainId, Document};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeMap;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A bone without motion of its own.
    Bone {
        /// Whether a chain hangs on it.
        carries: bool,
    },
    /// The first joint of a chain.
    Chain(ChainId),
    /// A further joint.
    Joint {
        /// Whether its column ends here.
        last: bool,
    },
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TreeRow {
    pub(super) bone: BoneId,
    pub(super) level: usize,
    pub(super) kind: Kind,
    /// `None` where nothing hangs below.
    pub(super) open: Option<bool>,
    /// Whether the search is for it; a row that is not leads to one that is.
    pub(super) found: bool,
}

/// What is known of every bone before the tree is walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints {
    of: Vec<Option<(ChainId, usize)>>,
    moves_below: Vec<bool>,
    carries: Vec<bool>,
}

impl Joints {
    /// Looks at all bones once.
    pub(super) fn new(skeleton: &Skeleton, document: &Document) -> Self {
        let count = skeleton.len();
        let (mut of, mut moves_below, mut carries) = (vec![None; count], vec![false; count], vec![false; count]);
        for (id, chain) in &document.chains {
            for (place, joint) in chain.joints.iter().enumerate() {
                if let Some(slot) = of.get_mut(joint.bone.index()) {
                    *slot = Some((*id, place));
                }
            }
            if let Some(parent) = skeleton.parent_of(chain.root()) {
                carries[parent.index()] = true;
            }
        }
        // Parents stand before their children.
        for bone in (0..count).rev() {
            if (of[bone].is_some() || moves_below[bone])
                && let Some(parent) = skeleton.parent_of(BoneId(bone as u32))
            {
                moves_below[parent.index()] = true;
            }
        }
        Self { of, moves_below, carries }
    }

    /// The chain of a bone, and which joint it is.
    pub(super) fn of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.of.get(bone.index()).copied().flatten()
    }

    /// Whether a row is open when nobody said otherwise: chains are closed, and so are bones without chains below.
    fn opens_by_itself(&self, bone: BoneId) -> bool {
        self.of(bone).is_none() && self.moves_below[bone.index()]
    }
}

/// What waits to be walked: a bone, its level, and the column of the chain above it.
#[derive(Clone, Copy)]
struct Waiting {
    bone: BoneId,
    level: usize,
    column: Option<(ChainId, usize)>,
}

/// The rows from top to bottom. `open` holds what the artist opened and closed. While something is searched all
/// is open, and only rows that match, or lead to one that does, remain.
pub(super) fn rows(
    skeleton: &Skeleton,
    joints: &Joints,
    open: &BTreeMap<BoneId, bool>,
    pattern: &Pattern,
) -> Vec<TreeRow> {
    let mut rows = Vec::with_capacity(skeleton.len());
    let mut ends: BTreeMap<ChainId, usize> = BTreeMap::new();
    let mut stack: Vec<Waiting> = skeleton.roots().map(|bone| Waiting { bone, level: 0, column: None }).collect();
    stack.reverse();
    while let Some(Waiting { bone, level, column }) = stack.pop() {
        let children = skeleton.children(bone);
        let joint = joints.of(bone);
        let in_column = column.filter(|(id, _)| joint.is_some_and(|(of, at)| of == *id && at > 0));
        let is_open = !pattern.is_empty() || open.get(&bone).copied().unwrap_or_else(|| joints.opens_by_itself(bone));
        let (kind, level, below, shows) = match (joint, in_column) {
            (Some((id, _)), Some((_, flat))) => {
                ends.insert(id, rows.len());
                (Kind::Joint { last: false }, flat, Waiting { bone, level: flat + 1, column }, true)
            }
            (Some((id, 0)), None) => {
                let below = Waiting { bone, level: level + 1, column: Some((id, level + 1)) };
                (Kind::Chain(id), level, below, is_open)
            }
            (Some(_), None) => (Kind::Joint { last: true }, level, Waiting { bone, level: level + 1, column }, is_open),
            (None, _) => {
                let carries = joints.carries[bone.index()];
                (Kind::Bone { carries }, level, Waiting { bone, level: level + 1, column }, is_open)
            }
        };
        let can_open = !children.is_empty() && in_column.is_none();
        let found = pattern.matches(skeleton.name(bone));
        rows.push(TreeRow { bone, level, kind, open: can_open.then_some(is_open), found });
        if shows {
            stack.extend(children.iter().rev().map(|child| Waiting { bone: *child, ..below }));
        }
    }
    for end in ends.into_values() {
        rows[end].kind = Kind::Joint { last: true };
    }
    if !pattern.is_empty() {
        keep_found(&mut rows);
    }
    rows
}

/// Leaves rows that are searched for, and those above them.
fn keep_found(rows: &mut Vec<TreeRow>) {
    let mut wanted = 0;
    let mut keep: Vec<bool> = rows
        .iter()
        .rev()
        .map(|row| {
            let leads = row.level < wanted;
            if row.found || leads {
                wanted = row.level;
            }
            row.found || leads
        })
        .collect();
    rows.retain(|_| keep.pop().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, Joint, Part};
    use crate::math::Trs;
    use crate::rig::Bone;

    /// A skirt of two joints and an end on the hips; on the head hair that forks, and an eye; a toe without motion.
    fn girl() -> (Skeleton, Document) {
        let bones = [
            ("root", None),
            ("hips", Some(0)),
            ("skirt_1", Some(1)),
            ("skirt_2", Some(2)),
            ("skirt_end", Some(3)),
            ("head", Some(1)),
            ("hair_1", Some(5)),
            ("hair_2", Some(6)),
            ("hair_3", Some(7)),
            ("hair_side", Some(6)),
            ("eye", Some(5)),
            ("toe", Some(0)),
            ("toe_end", Some(11)),
        ];
        let bone = |(name, parent): (&str, Option<u32>)| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let skeleton = Skeleton::new(bones.into_iter().map(bone).collect()).expect("ordered");
        let mut document = Document::default();
        for (id, part, bones) in [(1, Part::Skirt, vec![2, 3]), (2, Part::Hair, vec![6, 7, 8, 9])] {
            let joints = bones.into_iter().map(|b| Joint::new(BoneId(b))).collect();
            document.setup.chains.insert(ChainId(id), Chain::new("c", part, document.main().table(), joints));
        }
        (skeleton, document)
    }

    fn shown(open: &[(u32, bool)], search: &str) -> Vec<String> {
        let (skeleton, document) = girl();
        let open = open.iter().map(|(b, o)| (BoneId(*b), *o)).collect();
        let joints = Joints::new(&skeleton, &document);
        let rows = rows(&skeleton, &joints, &open, &Pattern::new(search));
        rows.iter().map(|r| format!("{}{}", " ".repeat(r.level), skeleton.name(r.bone))).collect()
    }

    #[test]
    fn at_first_chains_are_closed_and_bones_above_them_open() {
        assert_eq!(shown(&[], ""), ["root", " hips", "  skirt_1", "  head", "   hair_1", "   eye", " toe"]);
    }

    #[test]
    fn an_open_chain_is_one_flat_column() {
        let rows = shown(&[(6, true), (5, true)], "");
        assert_eq!(rows[4..8], ["   hair_1", "    hair_2", "    hair_3", "    hair_side"]);
    }

    #[test]
    fn a_bone_without_motion_hangs_on_its_joint() {
        let rows = shown(&[(2, true)], "");
        assert_eq!(rows[2..5], ["  skirt_1", "   skirt_2", "    skirt_end"]);
    }

    #[test]
    fn a_closed_bone_hides_what_hangs_on_it() {
        assert_eq!(shown(&[(1, false)], ""), ["root", " hips", " toe"]);
    }

    #[test]
    fn a_search_keeps_the_way_to_what_it_finds() {
        assert_eq!(shown(&[(1, false)], "*_side"), ["root", " hips", "  head", "   hair_1", "    hair_side"]);
        assert_eq!(shown(&[], "toe"), ["root", " toe", "  toe_end"]);
        assert_eq!(shown(&[], "nobody"), Vec::<String>::new());
    }

    #[test]
    fn only_the_last_joint_of_a_column_ends_its_rail() {
        let (skeleton, document) = girl();
        let open = [(BoneId(6), true)].into_iter().collect();
        let rows = rows(&skeleton, &Joints::new(&skeleton, &document), &open, &Pattern::default());
        let ends: Vec<_> = rows.iter().filter(|r| r.kind == Kind::Joint { last: true }).map(|r| r.bone.0).collect();
        assert_eq!(ends, [9]);
    }

    #[test]
    fn a_very_deep_skeleton_is_no_trap() {
        let bone = |i: u32| Bone { name: format!("b{i}"), parent: i.checked_sub(1).map(BoneId), rest: Trs::IDENTITY };
        let skeleton = Skeleton::new((0..50_000).map(bone).collect()).expect("ordered");
        let joints = Joints::new(&skeleton, &Document::default());
        let rows = rows(&skeleton, &joints, &BTreeMap::new(), &Pattern::new("b49999"));
        assert_eq!(rows.len(), 50_000);
    }
}
