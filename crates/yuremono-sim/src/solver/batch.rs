//! Batches of independent joints for SIMD. A batch of four joints costs little more than one joint.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::{SystemSetup, bones_read_by_any_joint, bones_read_by_joint, mark_with_ancestors};
use crate::math::{for_each_lane, from_lanes};
use crate::rig::{BoneId, Skeleton};

/// Up to four joints. No joint reads data that another joint of the batch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// Indices in the solver's order. Unused lanes repeat the last index, so they hold the values of the last used
    /// lane.
    pub(super) indices: [u32; 4],
    /// Number of joints, 1 to 4.
    pub(super) len: u32,
}

impl Batch {
    /// Returns the indices without repetitions.
    pub(super) fn active_indices(&self) -> &[u32] {
        &self.indices[..self.len as usize]
    }

    /// Returns the value of each lane from a list.
    #[inline(always)]
    pub(super) fn gather<T: Copy>(&self, from: &[T]) -> [T; 4] {
        from_lanes(|lane| from[self.indices[lane] as usize])
    }

    /// Works like [`Batch::gather`], but returns references.
    #[inline(always)]
    pub(super) fn refs<'a, T>(&self, from: &'a [T]) -> [&'a T; 4] {
        from_lanes(|lane| &from[self.indices[lane] as usize])
    }

    /// Writes the value of each lane to its index. The last lane comes first, so an unused lane never overwrites the
    /// value of the last used lane.
    #[inline(always)]
    pub(super) fn scatter<T: Copy>(&self, values: [T; 4], into: &mut [T]) {
        for_each_lane(|at| into[self.indices[3 - at] as usize] = values[3 - at]);
    }

    /// Copies the last used lane to the unused lanes, for values that are computed only for used lanes.
    #[inline(always)]
    pub(super) fn pad_lanes<T: Copy>(&self, values: &mut [T; 4]) {
        let last = self.len as usize - 1;
        (last + 1..4).for_each(|lane| values[lane] = values[last]);
    }

    fn from_range(from: usize, to: usize) -> Self {
        let indices = std::array::from_fn(|lane| (from + lane).min(to - 1) as u32);
        Self { indices, len: (to - from) as u32 }
    }
}

#[cfg(not(test))]
const fn max_batch_size() -> usize {
    4
}

/// Returns the batch size, which tests can change to compare results.
#[cfg(test)]
fn max_batch_size() -> usize {
    MAX_BATCH_SIZE.get()
}

#[cfg(test)]
thread_local! {
    /// Maximum batch size.
    pub(crate) static MAX_BATCH_SIZE: std::cell::Cell<usize> = const { std::cell::Cell::new(4) };
}

/// Splits the indices from 0 to `count` into batches of consecutive indices. `starts_new_batch(from, at)` is called for
/// each index, with the first index of the batch that the index would join (equal to `at` if the batch is empty). It
/// returns whether `at` depends on that batch.
pub(super) fn split_into_batches(count: usize, mut starts_new_batch: impl FnMut(usize, usize) -> bool) -> Vec<Batch> {
    let (mut batches, mut from) = (Vec::new(), 0);
    for at in 0..count {
        if at - from == max_batch_size() {
            batches.push(Batch::from_range(from, at));
            from = at;
        }
        if starts_new_batch(from, at) && from < at {
            batches.push(Batch::from_range(from, at));
            from = at;
        }
    }
    if from < count {
        batches.push(Batch::from_range(from, count));
    }
    batches
}

/// Returns the lowest possible level of each of `count` items. The two items of a pair must keep their order.
pub(super) fn dependency_levels(count: usize, mut pairs: Vec<[usize; 2]>) -> Vec<u32> {
    for pair in &mut pairs {
        pair.sort_unstable();
    }
    // The level of an item is final once all pairs with the item in second place are processed.
    pairs.sort_unstable_by_key(|pair| pair[1]);
    let mut levels = vec![0; count];
    for [first, second] in pairs.into_iter().filter(|[first, second]| first < second) {
        levels[second] = levels[second].max(levels[first] + 1);
    }
    levels
}

/// Splits `order`, which contains indices into [`SystemSetup::joints`] in the solver's order, into batches. The joints
/// of a batch are independent: no joint is a descendant of another, or reads a bone that an earlier joint moves.
pub(super) fn batch_joints(setup: &SystemSetup, skeleton: &Skeleton, order: &[usize]) -> Vec<Batch> {
    // The colliders of a joint can change later, but only to other colliders that the system already has.
    let holds_reference = mark_with_ancestors(skeleton, bones_read_by_any_joint(setup));
    split_into_batches(order.len(), |from, at| {
        let joint = &setup.joints[order[at]];
        order[from..at].iter().map(|before| setup.joints[*before].bone).any(|moved| {
            let is_moved_with =
                |bone: BoneId| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == moved);
            holds_reference[moved.index()] || is_moved_with(joint.bone) || bones_read_by_joint(joint).any(is_moved_with)
        })
    })
}

/// The resources that an item reads and writes. Resources are numbered consecutively.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Access {
    /// A batch contains only items of one kind.
    pub(super) kind: u8,
    pub(super) reads: Vec<u32>,
    pub(super) writes: Vec<u32>,
}

impl Access {
    fn all_indices(&self) -> impl Iterator<Item = usize> {
        self.reads.iter().chain(&self.writes).map(|at| *at as usize)
    }
}

/// Returns an equivalent order of items by dependency level, and its batches. Two items keep their order if one of them
/// writes a resource that the other reads or writes.
pub(super) fn pack_batches(accesses: &[Access]) -> (Vec<u32>, Vec<Batch>) {
    let resource_count = accesses.iter().flat_map(Access::all_indices).max().map_or(0, |most| most + 1);
    let order = order_by_level(accesses, resource_count);
    // For each resource: start index plus 1 of the last batch that reads or writes the resource.
    let (mut read, mut written) = (vec![0; resource_count], vec![0; resource_count]);
    let batches = split_into_batches(order.len(), |from, at| {
        let (access, first) = (&accesses[order[at] as usize], &accesses[order[from] as usize]);
        let written_in_batch = |resource: usize| written[resource] == from + 1;
        let depends = access.kind != first.kind
            || access.all_indices().any(written_in_batch)
            || access.writes.iter().any(|resource| read[*resource as usize] == from + 1);
        let now = if depends { at + 1 } else { from + 1 };
        access.reads.iter().for_each(|resource| read[*resource as usize] = now);
        access.writes.iter().for_each(|resource| written[*resource as usize] = now);
        depends
    });
    (order, batches)
}

/// Returns the indices sorted by dependency level, then by kind, then by index.
fn order_by_level(accesses: &[Access], resource_count: usize) -> Vec<u32> {
    // For each resource: the first level after all accesses so far.
    let (mut read, mut written) = (vec![0_u32; resource_count], vec![0_u32; resource_count]);
    let mut levels = Vec::with_capacity(accesses.len());
    for access in accesses {
        let after_writes = access.all_indices().map(|resource| written[resource]);
        let level =
            after_writes.chain(access.writes.iter().map(|resource| read[*resource as usize])).max().unwrap_or(0);
        access.reads.iter().for_each(|t| read[*t as usize] = read[*t as usize].max(level + 1));
        access.writes.iter().for_each(|t| written[*t as usize] = level + 1);
        levels.push(level);
    }
    let mut order: Vec<u32> = (0..accesses.len() as u32).collect();
    order.sort_by_key(|item| (levels[*item as usize], accesses[*item as usize].kind));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ParamSet;
    use crate::solver::spring_bone::PARAMS;
    use crate::{ColliderSetup, ColliderShape, JointSetup, SolverKind, test_support};

    /// Three chains of two below a root (1 2, 3 4, 5 6), and one more child of 1 (7) and of 3 (8).
    const PARENTS: [Option<u32>; 9] = [None, Some(0), Some(1), Some(0), Some(3), Some(0), Some(5), Some(1), Some(3)];

    fn step_pose(pivots: &[(u32, u32)], collider: Option<u32>) -> (Skeleton, SystemSetup) {
        let skeleton = test_support::skeleton(&PARENTS);
        let values = ParamSet::defaults(PARAMS);
        let joint = |bone: u32| JointSetup {
            tip_values: Vec::new(),
            pivot: pivots.iter().find(|(of, _)| *of == bone).map(|(_, pivot)| BoneId(*pivot)),
            ..JointSetup::new(BoneId(bone), values.clone())
        };
        let joints = (1..=6).map(joint).collect();
        let ball = |bone: u32| ColliderSetup::new(BoneId(bone), ColliderShape::Sphere { radius: 0.1, inside: false });
        let colliders = collider.into_iter().map(ball).collect();
        (
            skeleton,
            SystemSetup { joints, colliders, ..SystemSetup::new(SolverKind::UnityChanSpringBone, values.clone()) },
        )
    }

    #[track_caller]
    fn check(pivots: &[(u32, u32)], collider: Option<u32>, order: &[usize], expected: &[&[u32]]) {
        let (skeleton, setup) = step_pose(pivots, collider);
        let batches = batch_joints(&setup, &skeleton, order);
        let bones: Vec<Vec<u32>> = batches
            .iter()
            .map(|batch| {
                batch.active_indices().iter().map(|place| setup.joints[order[*place as usize]].bone.0).collect()
            })
            .collect();
        assert_eq!(bones, expected);
        assert!(batches.iter().all(|batch| batch.indices[3] == *batch.active_indices().last().expect("not empty")));
    }

    const BY_DEPTH: [usize; 6] = [0, 2, 4, 1, 3, 5];

    #[test]
    fn independent_joints_share_a_batch_and_children_come_later() {
        check(&[], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
        check(&[], None, &[0, 1, 2, 3, 4, 5], &[&[1], &[2, 3], &[4, 5], &[6]]);
    }

    #[test]
    fn a_joint_comes_after_an_earlier_joint_that_moves_its_pivot() {
        check(&[(3, 7)], None, &BY_DEPTH, &[&[1], &[3, 5, 2], &[4, 6]]);
        check(&[(1, 7), (5, 0)], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
        check(&[(1, 8)], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
    }

    #[test]
    fn a_joint_with_a_collider_below_it_ends_its_batch() {
        check(&[], Some(8), &BY_DEPTH, &[&[1, 3], &[5, 2, 4], &[6]]);
        check(&[], Some(0), &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
    }

    /// Items that read one resource and write another.
    #[track_caller]
    fn check_read_write_pairs(levels: &[(u32, u32)], expected: &[&[u32]]) {
        let accesses: Vec<_> =
            levels.iter().map(|(r, m)| Access { kind: 0, reads: vec![*r], writes: vec![*m] }).collect();
        check_batches(&accesses, expected);
    }

    #[track_caller]
    fn check_batches(accesses: &[Access], expected: &[&[u32]]) {
        let (order, batches) = pack_batches(accesses);
        let found: Vec<Vec<u32>> = batches
            .iter()
            .map(|batch| batch.active_indices().iter().map(|place| order[*place as usize]).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn chains_are_interleaved_level_by_level() {
        // Three chains of three items. Each item reads the result of the previous item.
        let chain = |from: u32| (0..3).map(move |at| (if at == 0 { 0 } else { from + at }, from + at + 1));
        let levels: Vec<_> = [1, 10, 20].into_iter().flat_map(chain).collect();
        check_read_write_pairs(&levels, &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]);
    }

    #[test]
    fn the_next_level_fills_an_incomplete_batch() {
        let levels: Vec<_> = (0..6).map(|at| (at, at + 6)).chain((0..2).map(|at| (at + 6, at + 20))).collect();
        check_read_write_pairs(&levels, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]);
    }

    #[test]
    fn conflicting_accesses_keep_their_order() {
        check_read_write_pairs(&[(5, 1), (0, 5), (6, 1)], &[&[0], &[1, 2]]);
        check_read_write_pairs(&[(0, 1), (2, 1), (2, 1)], &[&[0], &[1], &[2]]);
        check_read_write_pairs(&[(0, 1), (0, 2), (0, 3)], &[&[0, 1, 2]]);
        check_read_write_pairs(&[], &[]);
    }

    #[test]
    fn accesses_of_different_kinds_are_never_in_one_batch() {
        let access = |at: u32| Access { kind: (at % 2) as u8, reads: Vec::new(), writes: vec![at] };
        check_batches(&(0..6).map(access).collect::<Vec<_>>(), &[&[0, 2, 4], &[1, 3, 5]]);
    }

    #[test]
    fn scatter_writes_each_active_lane_and_ignores_padding() {
        let batches = split_into_batches(5, |_, _| false);
        assert_eq!(batches.iter().map(Batch::active_indices).collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[4]]);
        let mut values = [0; 5];
        batches.iter().zip([[1, 2, 3, 4], [5, 9, 9, 9]]).for_each(|(batch, lanes)| batch.scatter(lanes, &mut values));
        assert_eq!(values, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn dependency_levels_are_as_low_as_the_pairs_allow() {
        // Two chains, 0 2 4 and 1 3 5; then also pairs that link the chains.
        let chains = vec![[0, 2], [2, 4], [1, 3], [3, 5]];
        assert_eq!(dependency_levels(6, chains.clone()), [0, 0, 1, 1, 2, 2]);
        assert_eq!(dependency_levels(6, [chains, vec![[3, 2], [5, 4], [1, 1]]].concat()), [0, 0, 1, 2, 2, 3]);
    }
}
