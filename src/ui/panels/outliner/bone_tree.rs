//! The rows of the bone tree: which bones are in it, in what order, at what level.
//!
//! A chain is one flat column below its root: its joints stand at one level whatever their depth, so that a strand
//! of twenty joints never runs out of the panel. Bones that are no joints stay where they hang.

use crate::document::names::NamePattern;
use crate::document::{ChainId, Document};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeMap;

/// What a row stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoneRowKind {
    /// A bone without motion of its own.
    PlainBone {
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
pub(super) struct BoneRow {
    pub(super) bone: BoneId,
    pub(super) level: usize,
    pub(super) kind: BoneRowKind,
    /// `None` where nothing hangs below.
    pub(super) open: Option<bool>,
    /// Whether the search is for it; a row that is not leads to one that is.
    pub(super) matches: bool,
}

/// What is known of every bone before the tree is walked.
#[derive(Clone, Debug, Default)]
pub(super) struct BoneTreeInfo {
    chain_and_joint: Vec<Option<(ChainId, usize)>>,
    has_joints_below: Vec<bool>,
    has_chain_child: Vec<bool>,
}

impl BoneTreeInfo {
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
            if let Some(parent) = skeleton.get_parent(chain.root()) {
                carries[parent.index()] = true;
            }
        }
        // Parents stand before their children.
        for bone in (0..count).rev() {
            if (of[bone].is_some() || moves_below[bone])
                && let Some(parent) = skeleton.get_parent(BoneId(bone as u32))
            {
                moves_below[parent.index()] = true;
            }
        }
        Self { chain_and_joint: of, has_joints_below: moves_below, has_chain_child: carries }
    }

    /// The chain of a bone, and which joint it is.
    pub(super) fn joint_of(&self, bone: BoneId) -> Option<(ChainId, usize)> {
        self.chain_and_joint.get(bone.index()).copied().flatten()
    }

    /// Whether a row is open when nobody said otherwise: chains are closed, and so are bones without chains below.
    fn opens_by_default(&self, bone: BoneId) -> bool {
        self.joint_of(bone).is_none() && self.has_joints_below[bone.index()]
    }
}

/// What waits to be walked: a bone, its level, and the column of the chain above it.
#[derive(Clone, Copy)]
struct PendingBone {
    bone: BoneId,
    level: usize,
    column: Option<(ChainId, usize)>,
}

/// The rows from top to bottom. `open` holds what the artist opened and closed. While something is searched all
/// is open, and only rows that match, or lead to one that does, remain.
pub(super) fn bone_rows(
    skeleton: &Skeleton,
    joints: &BoneTreeInfo,
    open: &BTreeMap<BoneId, bool>,
    pattern: &NamePattern,
) -> Vec<BoneRow> {
    let mut rows = Vec::with_capacity(skeleton.len());
    let mut ends: BTreeMap<ChainId, usize> = BTreeMap::new();
    let mut stack: Vec<PendingBone> =
        skeleton.roots().map(|bone| PendingBone { bone, level: 0, column: None }).collect();
    stack.reverse();
    while let Some(PendingBone { bone, level, column }) = stack.pop() {
        let children = skeleton.children(bone);
        let joint = joints.joint_of(bone);
        let in_column = column.filter(|(id, _)| joint.is_some_and(|(of, at)| of == *id && at > 0));
        let is_open = !pattern.is_empty() || open.get(&bone).copied().unwrap_or_else(|| joints.opens_by_default(bone));
        let (kind, level, below, shows) = match (joint, in_column) {
            (Some((id, _)), Some((_, flat))) => {
                ends.insert(id, rows.len());
                (BoneRowKind::Joint { last: false }, flat, PendingBone { bone, level: flat + 1, column }, true)
            }
            (Some((id, 0)), None) => {
                let below = PendingBone { bone, level: level + 1, column: Some((id, level + 1)) };
                (BoneRowKind::Chain(id), level, below, is_open)
            }
            (Some(_), None) => {
                (BoneRowKind::Joint { last: true }, level, PendingBone { bone, level: level + 1, column }, is_open)
            }
            (None, _) => {
                let carries = joints.has_chain_child[bone.index()];
                (BoneRowKind::PlainBone { carries }, level, PendingBone { bone, level: level + 1, column }, is_open)
            }
        };
        let can_open = !children.is_empty() && in_column.is_none();
        let found = pattern.matches(skeleton.name(bone));
        rows.push(BoneRow { bone, level, kind, open: can_open.then_some(is_open), matches: found });
        if shows {
            stack.extend(children.iter().rev().map(|child| PendingBone { bone: *child, ..below }));
        }
    }
    for end in ends.into_values() {
        rows[end].kind = BoneRowKind::Joint { last: true };
    }
    if !pattern.is_empty() {
        keep_matches(&mut rows);
    }
    rows
}

/// Leaves rows that are searched for, and those above them.
fn keep_matches(rows: &mut Vec<BoneRow>) {
    let mut wanted = 0;
    let mut keep: Vec<bool> = rows
        .iter()
        .rev()
        .map(|row| {
            let leads = row.level < wanted;
            if row.matches || leads {
                wanted = row.level;
            }
            row.matches || leads
        })
        .collect();
    rows.retain(|_| keep.pop().unwrap_or(false));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainPart, Joint};
    use crate::math::Trs;
    use crate::rig::Bone;

    /// A skirt of two joints and an end on the hips; on the head hair that forks, and an eye; a toe without motion.
    fn sample_character() -> (Skeleton, Document) {
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
        for (id, part, bones) in [(1, ChainPart::Skirt, vec![2, 3]), (2, ChainPart::Hair, vec![6, 7, 8, 9])] {
            let joints = bones.into_iter().map(|b| Joint::new(BoneId(b))).collect();
            document
                .setup
                .chains
                .insert(ChainId(id), Chain::new("c", part, document.main_system().param_defs(), joints));
        }
        (skeleton, document)
    }

    fn shown_rows(open: &[(u32, bool)], search: &str) -> Vec<String> {
        let (skeleton, document) = sample_character();
        let open = open.iter().map(|(b, o)| (BoneId(*b), *o)).collect();
        let joints = BoneTreeInfo::new(&skeleton, &document);
        let rows = bone_rows(&skeleton, &joints, &open, &NamePattern::new(search));
        rows.iter().map(|r| format!("{}{}", " ".repeat(r.level), skeleton.name(r.bone))).collect()
    }

    #[test]
    fn chains_start_closed_and_bones_above_chains_open() {
        assert_eq!(shown_rows(&[], ""), ["root", " hips", "  skirt_1", "  head", "   hair_1", "   eye", " toe"]);
    }

    #[test]
    fn joints_of_an_open_chain_share_one_level() {
        let rows = shown_rows(&[(6, true), (5, true)], "");
        assert_eq!(rows[4..8], ["   hair_1", "    hair_2", "    hair_3", "    hair_side"]);
    }

    #[test]
    fn an_unsimulated_bone_is_below_its_parent_joint() {
        let rows = shown_rows(&[(2, true)], "");
        assert_eq!(rows[2..5], ["  skirt_1", "   skirt_2", "    skirt_end"]);
    }

    #[test]
    fn a_closed_bone_hides_its_descendants() {
        assert_eq!(shown_rows(&[(1, false)], ""), ["root", " hips", " toe"]);
    }

    #[test]
    fn a_search_keeps_the_ancestors_of_matches() {
        assert_eq!(shown_rows(&[(1, false)], "*_side"), ["root", " hips", "  head", "   hair_1", "    hair_side"]);
        assert_eq!(shown_rows(&[], "toe"), ["root", " toe", "  toe_end"]);
        assert_eq!(shown_rows(&[], "nobody"), Vec::<String>::new());
    }

    #[test]
    fn only_the_last_joint_of_a_chain_is_marked_last() {
        let (skeleton, document) = sample_character();
        let open = [(BoneId(6), true)].into_iter().collect();
        let rows = bone_rows(&skeleton, &BoneTreeInfo::new(&skeleton, &document), &open, &NamePattern::default());
        let ends: Vec<_> =
            rows.iter().filter(|r| r.kind == BoneRowKind::Joint { last: true }).map(|r| r.bone.0).collect();
        assert_eq!(ends, [9]);
    }

    #[test]
    fn a_skeleton_of_50000_levels_does_not_overflow_the_stack() {
        let bone = |i: u32| Bone { name: format!("b{i}"), parent: i.checked_sub(1).map(BoneId), rest: Trs::IDENTITY };
        let skeleton = Skeleton::new((0..50_000).map(bone).collect()).expect("ordered");
        let joints = BoneTreeInfo::new(&skeleton, &Document::default());
        let rows = bone_rows(&skeleton, &joints, &BTreeMap::new(), &NamePattern::new("b49999"));
        assert_eq!(rows.len(), 50_000);
    }
}
