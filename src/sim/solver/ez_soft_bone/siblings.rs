//! Who is whose sibling, and where the curves along the trees end.

use super::{CLOSED_SIBLINGS, LENGTH_UNIFICATION, SIBLING_CONSTRAINTS};
use crate::rig::BoneId;
use crate::sim::SystemSetup;
use glam::Vec3;
use std::collections::VecDeque;

/// A particle on its way: what it hangs on, in the order in which the engine walks its trees.
pub(super) struct ParticleDraft {
    pub bone: Option<BoneId>,
    pub parent: Option<usize>,
    /// Position in the setup of the joint whose tip it is.
    pub head_joint: Option<usize>,
    pub depth: u32,
    /// Metres from the first simulated bone.
    pub length: f32,
    /// The same at the end of the curves.
    pub curve_length: f32,
    pub local_offset: Vec3,
}

#[cfg(test)]
impl ParticleDraft {
    /// One without a bone, so many metres from the first.
    pub(super) fn new(parent: Option<usize>, depth: u32, length: f32) -> Self {
        Self { bone: None, parent, head_joint: None, depth, length, curve_length: length, local_offset: Vec3::ZERO }
    }
}

/// What a row of [`UNIFICATIONS`](super::UNIFICATIONS) unites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unification {
    None,
    Rooted,
    Unified,
}

impl Unification {
    fn from_param(value: f32) -> Self {
        if value >= 1.5 {
            Self::Unified
        } else if value >= 0.5 {
            Self::Rooted
        } else {
            Self::None
        }
    }
}

/// Says of each seed where the curves along its tree end: its own longest branch, its root's, or the longest of all.
pub(super) fn resolve_curve_lengths(seeds: &mut [ParticleDraft], setup: &SystemSetup) {
    for i in (0..seeds.len()).rev() {
        if let Some(parent) = seeds[i].parent {
            seeds[parent].curve_length = seeds[parent].curve_length.max(seeds[i].curve_length);
        }
    }
    let longest = seeds.iter().filter(|s| s.parent.is_none()).fold(0.0_f32, |most, root| most.max(root.curve_length));
    match Unification::from_param(setup.values.get(LENGTH_UNIFICATION)) {
        Unification::None => {}
        Unification::Rooted => {
            for i in 0..seeds.len() {
                if let Some(parent) = seeds[i].parent {
                    seeds[i].curve_length = seeds[parent].curve_length;
                }
            }
        }
        Unification::Unified => seeds.iter_mut().for_each(|seed| seed.curve_length = longest),
    }
}

/// The sibling to the left and to the right of each seed.
pub(super) fn link_siblings(seeds: &[ParticleDraft], setup: &SystemSetup) -> Vec<[Option<usize>; 2]> {
    let mut links = vec![[None; 2]; seeds.len()];
    let mut children = vec![Vec::new(); seeds.len()];
    for (i, seed) in seeds.iter().enumerate() {
        if let Some(parent) = seed.parent {
            children[parent].push(i);
        }
    }
    let roots = || (0..seeds.len()).filter(|i| seeds[*i].parent.is_none());
    let closed = setup.values.get(CLOSED_SIBLINGS) >= 0.5;
    match Unification::from_param(setup.values.get(SIBLING_CONSTRAINTS)) {
        Unification::None => {}
        Unification::Rooted => {
            roots().for_each(|root| link_by_depth(seeds, &children, [root].into(), closed, &mut links));
        }
        Unification::Unified => link_by_depth(seeds, &children, roots().collect(), closed, &mut links),
    }
    links
}

/// Walks breadth first and links neighbours of equal depth; where rings are closed, the last of a row and its first.
fn link_by_depth(
    seeds: &[ParticleDraft],
    children: &[Vec<usize>],
    mut waiting: VecDeque<usize>,
    closed: bool,
    links: &mut [[Option<usize>; 2]],
) {
    let mut row: Vec<usize> = Vec::new();
    while let Some(next) = waiting.pop_front() {
        waiting.extend(&children[next]);
        if let Some(last) = row.last().copied() {
            if seeds[last].depth == seeds[next].depth {
                link_pair(links, last, next);
            } else {
                close_ring(links, &row, closed);
                row.clear();
            }
        }
        row.push(next);
    }
    close_ring(links, &row, closed);
}

fn close_ring(links: &mut [[Option<usize>; 2]], row: &[usize], closed: bool) {
    if let (true, Some(first), Some(last)) = (closed, row.first(), row.last()) {
        link_pair(links, *last, *first);
    }
}

/// A bone is no sibling of its own, and no bone is its sibling on both sides.
fn link_pair(links: &mut [[Option<usize>; 2]], left: usize, right: usize) {
    if left == right {
        return;
    }
    if links[left][0] != Some(right) {
        links[left][1] = Some(right);
    }
    if links[right][1] != Some(left) {
        links[right][0] = Some(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ParamSet;
    use crate::sim::SolverKind;
    use crate::sim::solver::ez_soft_bone::PARAMS;

    /// Seeds by parent; each a metre long, but for two.
    fn particle_drafts(parents: &[Option<usize>]) -> Vec<ParticleDraft> {
        let mut seeds: Vec<ParticleDraft> = Vec::new();
        for (i, parent) in parents.iter().enumerate() {
            let (depth, above) = parent.map_or((0, 0.0), |p| (seeds[p].depth + 1, seeds[p].length));
            let own = [1.0, 1.0, 1.5, 1.0, 1.0, 1.0, 1.0, 2.0][i];
            let length = if parent.is_some() { above + own } else { 0.0 };
            seeds.push(ParticleDraft::new(*parent, depth, length));
        }
        seeds
    }

    fn setup(rows: &[(crate::params::ParamId, f32)]) -> SystemSetup {
        let mut setup = SystemSetup::new(SolverKind::EzSoftBone, ParamSet::defaults(PARAMS));
        for (row, value) in rows {
            setup.values.set(*row, *value);
        }
        setup
    }

    /// A fork of two chains, 0 to 1 2 and 3 4, and a single chain 5 6 7.
    const TREES: &[Option<usize>] = &[None, Some(0), Some(1), Some(0), Some(3), None, Some(5), Some(6)];

    #[track_caller]
    fn check(mode: f32, closed: f32, expected: &[[i32; 2]]) {
        let links =
            link_siblings(&particle_drafts(TREES), &setup(&[(SIBLING_CONSTRAINTS, mode), (CLOSED_SIBLINGS, closed)]));
        let found: Vec<[i32; 2]> = links.iter().map(|l| l.map(|at| at.map_or(-1, |at| at as i32))).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn siblings_are_linked_by_depth_below_each_root_or_across_roots() {
        check(0.0, 1.0, &[[-1; 2]; 8]);
        check(1.0, 0.0, &[[-1, -1], [-1, 3], [-1, 4], [1, -1], [2, -1], [-1, -1], [-1, -1], [-1, -1]]);
        check(2.0, 0.0, &[[-1, 5], [-1, 3], [-1, 4], [1, 6], [2, 7], [0, -1], [3, -1], [4, -1]]);
    }

    #[test]
    fn closing_a_ring_needs_three_bones() {
        check(1.0, 1.0, &[[-1, -1], [-1, 3], [-1, 4], [1, -1], [2, -1], [-1, -1], [-1, -1], [-1, -1]]);
        check(2.0, 1.0, &[[-1, 5], [6, 3], [7, 4], [1, 6], [2, 7], [0, -1], [3, 1], [4, 2]]);
    }

    #[track_caller]
    fn check_lengths(mode: f32, expected: [f32; 8]) {
        let mut seeds = particle_drafts(TREES);
        resolve_curve_lengths(&mut seeds, &setup(&[(LENGTH_UNIFICATION, mode)]));
        assert_eq!(seeds.iter().map(|s| s.curve_length).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn curves_end_at_the_longest_branch_of_the_bone_of_its_root_or_of_all_roots() {
        check_lengths(0.0, [2.5, 2.5, 2.5, 2.0, 2.0, 3.0, 3.0, 3.0]);
        check_lengths(1.0, [2.5, 2.5, 2.5, 2.5, 2.5, 3.0, 3.0, 3.0]);
        check_lengths(2.0, [3.0; 8]);
    }
}
