//! Joints that may take their turns at the same time: four of them cost little more than one.

use super::{SystemSetup, bones_read_by_any_joint, bones_read_by_joint, mark_with_ancestors};
use crate::math::for_each_lane;
use crate::rig::{BoneId, Skeleton};

/// Up to four joints that read nothing that another of them moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batch {
    /// Their places in the solver's order; where there are fewer than four the last one is
    /// repeated, so that lanes without a joint hold what a lane with one holds.
    pub(super) indices: [u32; 4],
    /// How many there are, 1 to 4.
    pub(super) len: u32,
}

impl Batch {
    /// The joints themselves, without repeats.
    pub(super) fn active_indices(&self) -> &[u32] {
        &self.indices[..self.len as usize]
    }

    /// Puts values of lanes to their places; from the last one, so that no repeated lane has the final word.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub(super) fn scatter<T: Copy>(&self, values: [T; 4], into: &mut [T]) {
        for_each_lane(|at| into[self.indices[3 - at] as usize] = values[3 - at]);
    }

    /// Gives lanes without a joint what the last joint's lane holds, where only lanes with one were reckoned.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `put`")]
    pub(super) fn pad_lanes<T: Copy>(&self, values: &mut [T; 4]) {
        let last = self.len as usize - 1;
        (last + 1..4).for_each(|lane| values[lane] = values[last]);
    }

    fn from_range(from: usize, to: usize) -> Self {
        let places = std::array::from_fn(|lane| (from + lane).min(to - 1) as u32);
        Self { indices: places, len: (to - from) as u32 }
    }
}

/// Most that are put together.
#[cfg(not(test))]
const fn max_batch_size() -> usize {
    4
}

/// As many, or what a test wants to compare with.
#[cfg(test)]
fn max_batch_size() -> usize {
    MAX_BATCH_SIZE.get()
}

#[cfg(test)]
thread_local! {
    /// So many are put together.
    pub(in crate::sim) static MAX_BATCH_SIZE: std::cell::Cell<usize> = const { std::cell::Cell::new(4) };
}

/// Parts places up to `count` into fours of neighbours. `waits` is asked of each place in turn, with the first place of
/// the four that it would join (itself where it begins one), whether it must not take its turn together with those before.
pub(super) fn split_into_batches(count: usize, mut starts_new_batch: impl FnMut(usize, usize) -> bool) -> Vec<Batch> {
    let (mut fours, mut from) = (Vec::new(), 0);
    for at in 0..count {
        if at - from == max_batch_size() {
            fours.push(Batch::from_range(from, at));
            from = at;
        }
        if starts_new_batch(from, at) && from < at {
            fours.push(Batch::from_range(from, at));
            from = at;
        }
    }
    if from < count {
        fours.push(Batch::from_range(from, count));
    }
    fours
}

/// The earliest turn that each of `count` things in order can take, where those of a pair must not change places.
pub(super) fn dependency_levels(count: usize, mut pairs: Vec<[usize; 2]>) -> Vec<u32> {
    for pair in &mut pairs {
        pair.sort_unstable();
    }
    // When a thing's own turn is asked for, all before it have theirs.
    pairs.sort_unstable_by_key(|pair| pair[1]);
    let mut turns = vec![0; count];
    for [first, second] in pairs.into_iter().filter(|[first, second]| first < second) {
        turns[second] = turns[second].max(turns[first] + 1);
    }
    turns
}

/// Parts `order`, positions in [`SystemSetup::joints`] by the solver's turns, into fours. To do a four's joints together
/// is the same as to do them in turn: none of them hangs on another, or reads a bone that one before it moves.
pub(super) fn batch_joints(setup: &SystemSetup, skeleton: &Skeleton, order: &[usize]) -> Vec<Batch> {
    // A joint may be given other colliders later, but none on a bone that carries none now.
    let carries = mark_with_ancestors(skeleton, bones_read_by_any_joint(setup));
    split_into_batches(order.len(), |from, at| {
        let joint = &setup.joints[order[at]];
        order[from..at].iter().map(|before| setup.joints[*before].bone).any(|moved| {
            let is_moved_with =
                |bone: BoneId| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == moved);
            carries[moved.index()] || is_moved_with(joint.bone) || bones_read_by_joint(joint).any(is_moved_with)
        })
    })
}

/// What a turn reads, and what it moves; numbered as the solver likes, without holes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Access {
    /// Turns of different kinds are not taken together.
    pub(super) kind: u8,
    pub(super) reads: Vec<u32>,
    pub(super) writes: Vec<u32>,
}

impl Access {
    fn all_indices(&self) -> impl Iterator<Item = usize> {
        self.reads.iter().chain(&self.writes).map(|at| *at as usize)
    }
}

/// Another order of these turns that does the same, those first that wait for nobody, and that order in fours whose
/// turns may be taken together. Two turns keep their order where one moves what the other reads or moves, too.
pub(super) fn pack_batches(touches: &[Access]) -> (Vec<u32>, Vec<Batch>) {
    let resource_count = touches.iter().flat_map(Access::all_indices).max().map_or(0, |most| most + 1);
    let order = order_by_level(touches, resource_count);
    // The first place, from 1, of the last four that reads or moves a thing.
    let (mut read, mut moved) = (vec![0; resource_count], vec![0; resource_count]);
    let fours = split_into_batches(order.len(), |from, at| {
        let (touch, first) = (&touches[order[at] as usize], &touches[order[from] as usize]);
        let moves = |thing: usize| moved[thing] == from + 1;
        let waits = touch.kind != first.kind
            || touch.all_indices().any(moves)
            || touch.writes.iter().any(|thing| read[*thing as usize] == from + 1);
        let now = if waits { at + 1 } else { from + 1 };
        touch.reads.iter().for_each(|thing| read[*thing as usize] = now);
        touch.writes.iter().for_each(|thing| moved[*thing as usize] = now);
        waits
    });
    (order, fours)
}

/// Turns by how many must come before them one after the other, then by kind, then in their order.
fn order_by_level(touches: &[Access], things: usize) -> Vec<u32> {
    // The first level that comes after all turns so far that read or moved a thing.
    let (mut read, mut moved) = (vec![0_u32; things], vec![0_u32; things]);
    let mut levels = Vec::with_capacity(touches.len());
    for touch in touches {
        let after_moves = touch.all_indices().map(|thing| moved[thing]);
        let level = after_moves.chain(touch.writes.iter().map(|thing| read[*thing as usize])).max().unwrap_or(0);
        touch.reads.iter().for_each(|t| read[*t as usize] = read[*t as usize].max(level + 1));
        touch.writes.iter().for_each(|t| moved[*t as usize] = level + 1);
        levels.push(level);
    }
    let mut order: Vec<u32> = (0..touches.len() as u32).collect();
    order.sort_by_key(|turn| (levels[*turn as usize], touches[*turn as usize].kind));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::params::ParamSet;
    use crate::rig::Bone;
    use crate::sim::solver::spring_bone::PARAMS;
    use crate::sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, TipSetup};

    /// Three chains of two below a root, 1 2, 3 4 and 5 6, then a node below each: 7 below 1, 8 below 3.
    const PARENTS: [Option<u32>; 9] = [None, Some(0), Some(1), Some(0), Some(3), Some(0), Some(5), Some(1), Some(3)];

    fn scene(pivots: &[(u32, u32)], collider: Option<u32>) -> (Skeleton, SystemSetup) {
        let bone = |(i, parent): (usize, &Option<u32>)| Bone {
            name: format!("b{i}"),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let skeleton = Skeleton::new(PARENTS.iter().enumerate().map(bone).collect()).expect("parents first");
        let values = ParamSet::defaults(PARAMS);
        let joint = |bone: u32| JointSetup {
            bone: BoneId(bone),
            tip: TipSetup::Bones(Vec::new()),
            values: values.clone(),
            pivot: pivots.iter().find(|(of, _)| *of == bone).map(|(_, pivot)| BoneId(*pivot)),
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
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
        let (skeleton, setup) = scene(pivots, collider);
        let fours = batch_joints(&setup, &skeleton, order);
        let bones: Vec<Vec<u32>> = fours
            .iter()
            .map(|four| four.active_indices().iter().map(|place| setup.joints[order[*place as usize]].bone.0).collect())
            .collect();
        assert_eq!(bones, expected);
        assert!(fours.iter().all(|four| four.indices[3] == *four.active_indices().last().expect("none is empty")));
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

    /// Turns that each read one thing and move another.
    #[track_caller]
    fn check_read_write_pairs(turns: &[(u32, u32)], expected: &[&[u32]]) {
        let touches: Vec<_> =
            turns.iter().map(|(r, m)| Access { kind: 0, reads: vec![*r], writes: vec![*m] }).collect();
        check_batches(&touches, expected);
    }

    #[track_caller]
    fn check_batches(touches: &[Access], expected: &[&[u32]]) {
        let (order, fours) = pack_batches(touches);
        let found: Vec<Vec<u32>> = fours
            .iter()
            .map(|four| four.active_indices().iter().map(|place| order[*place as usize]).collect())
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn chains_are_interleaved_level_by_level() {
        // Three chains of three, each turn reading what the one before it moved.
        let chain = |from: u32| (0..3).map(move |at| (if at == 0 { 0 } else { from + at }, from + at + 1));
        let turns: Vec<_> = [1, 10, 20].into_iter().flat_map(chain).collect();
        check_read_write_pairs(&turns, &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]);
    }

    #[test]
    fn the_next_level_fills_an_incomplete_batch() {
        let turns: Vec<_> = (0..6).map(|at| (at, at + 6)).chain((0..2).map(|at| (at + 6, at + 20))).collect();
        check_read_write_pairs(&turns, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]);
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
        let touch = |at: u32| Access { kind: (at % 2) as u8, reads: Vec::new(), writes: vec![at] };
        check_batches(&(0..6).map(touch).collect::<Vec<_>>(), &[&[0, 2, 4], &[1, 3, 5]]);
    }

    #[test]
    fn scatter_writes_each_active_lane_and_ignores_padding() {
        let fours = split_into_batches(5, |_, _| false);
        assert_eq!(fours.iter().map(Batch::active_indices).collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[4]]);
        let mut values = [0; 5];
        fours.iter().zip([[1, 2, 3, 4], [5, 9, 9, 9]]).for_each(|(four, lanes)| four.scatter(lanes, &mut values));
        assert_eq!(values, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn dependency_levels_are_as_low_as_the_pairs_allow() {
        // Two chains, 0 2 4 and 1 3 5; then a link from one to the other, told by its later end.
        let chains = vec![[0, 2], [2, 4], [1, 3], [3, 5]];
        assert_eq!(dependency_levels(6, chains.clone()), [0, 0, 1, 1, 2, 2]);
        assert_eq!(dependency_levels(6, [chains, vec![[3, 2], [5, 4], [1, 1]]].concat()), [0, 0, 1, 2, 2, 3]);
    }
}
