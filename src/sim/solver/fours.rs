//! Joints that may take their turns at the same time: four of them cost little more than one.

use super::{SystemSetup, read_by, read_by_all, with_ancestors};
use crate::math::each_lane;
use crate::rig::{BoneId, Skeleton};

/// Up to four joints that read nothing that another of them moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Four {
    /// Their places in the solver's order; where there are fewer than four the last one is
    /// repeated, so that lanes without a joint hold what a lane with one holds.
    pub(super) places: [u32; 4],
    /// How many there are, 1 to 4.
    pub(super) count: u32,
}

impl Four {
    /// The joints themselves, without repeats.
    pub(super) fn own(&self) -> &[u32] {
        &self.places[..self.count as usize]
    }

    /// Puts values of lanes to their places; from the last one, so that no repeated lane has the final word.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub(super) fn put<T: Copy>(&self, values: [T; 4], into: &mut [T]) {
        each_lane(|at| into[self.places[3 - at] as usize] = values[3 - at]);
    }

    /// Gives lanes without a joint what the last joint's lane holds, where only lanes with one were reckoned.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `put`")]
    pub(super) fn repeat<T: Copy>(&self, values: &mut [T; 4]) {
        let last = self.count as usize - 1;
        (last + 1..4).for_each(|lane| values[lane] = values[last]);
    }

    fn of(from: usize, to: usize) -> Self {
        let places = std::array::from_fn(|lane| (from + lane).min(to - 1) as u32);
        Self { places, count: (to - from) as u32 }
    }
}

/// Most that are put together.
#[cfg(not(test))]
const fn most() -> usize {
    4
}

/// As many, or what a test wants to compare with.
#[cfg(test)]
fn most() -> usize {
    MOST.get()
}

#[cfg(test)]
thread_local! {
    /// So many are put together.
    pub(in crate::sim) static MOST: std::cell::Cell<usize> = const { std::cell::Cell::new(4) };
}

/// Parts places up to `count` into fours of neighbours. `waits` is asked of each place in turn, with the first place of
/// the four that it would join (itself where it begins one), whether it must not take its turn together with those before.
pub(super) fn group(count: usize, mut waits: impl FnMut(usize, usize) -> bool) -> Vec<Four> {
    let (mut fours, mut from) = (Vec::new(), 0);
    for at in 0..count {
        if at - from == most() {
            fours.push(Four::of(from, at));
            from = at;
        }
        if waits(from, at) && from < at {
            fours.push(Four::of(from, at));
            from = at;
        }
    }
    if from < count {
        fours.push(Four::of(from, count));
    }
    fours
}

/// The earliest turn that each of `count` things in order can take, where those of a pair must not change places.
pub(super) fn turns(count: usize, mut pairs: Vec<[usize; 2]>) -> Vec<u32> {
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
pub(super) fn fours(setup: &SystemSetup, skeleton: &Skeleton, order: &[usize]) -> Vec<Four> {
    // A joint may be given other colliders later, but none on a bone that carries none now.
    let carries = with_ancestors(skeleton, read_by_all(setup));
    group(order.len(), |from, at| {
        let joint = &setup.joints[order[at]];
        order[from..at].iter().map(|before| setup.joints[*before].bone).any(|moved| {
            let hangs = |bone: BoneId| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == moved);
            carries[moved.index()] || hangs(joint.bone) || read_by(joint).any(hangs)
        })
    })
}

/// What a turn reads, and what it moves; numbered as the solver likes, without holes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Touch {
    /// Turns of different kinds are not taken together.
    pub(super) kind: u8,
    pub(super) reads: Vec<u32>,
    pub(super) moves: Vec<u32>,
}

impl Touch {
    fn all(&self) -> impl Iterator<Item = usize> {
        self.reads.iter().chain(&self.moves).map(|at| *at as usize)
    }
}

/// Another order of these turns that does the same, those first that wait for nobody, and that order in fours whose
/// turns may be taken together. Two turns keep their order where one moves what the other reads or moves, too.
pub(super) fn side_by_side(touches: &[Touch]) -> (Vec<u32>, Vec<Four>) {
    let things = touches.iter().flat_map(Touch::all).max().map_or(0, |most| most + 1);
    let order = by_level(touches, things);
    // The first place, from 1, of the last four that reads or moves a thing.
    let (mut read, mut moved) = (vec![0; things], vec![0; things]);
    let fours = group(order.len(), |from, at| {
        let (touch, first) = (&touches[order[at] as usize], &touches[order[from] as usize]);
        let moves = |thing: usize| moved[thing] == from + 1;
        let waits = touch.kind != first.kind
            || touch.all().any(moves)
            || touch.moves.iter().any(|thing| read[*thing as usize] == from + 1);
        let now = if waits { at + 1 } else { from + 1 };
        touch.reads.iter().for_each(|thing| read[*thing as usize] = now);
        touch.moves.iter().for_each(|thing| moved[*thing as usize] = now);
        waits
    });
    (order, fours)
}

/// Turns by how many must come before them one after the other, then by kind, then in their order.
fn by_level(touches: &[Touch], things: usize) -> Vec<u32> {
    // The first level that comes after all turns so far that read or moved a thing.
    let (mut read, mut moved) = (vec![0_u32; things], vec![0_u32; things]);
    let mut levels = Vec::with_capacity(touches.len());
    for touch in touches {
        let after_moves = touch.all().map(|thing| moved[thing]);
        let level = after_moves.chain(touch.moves.iter().map(|thing| read[*thing as usize])).max().unwrap_or(0);
        touch.reads.iter().for_each(|t| read[*t as usize] = read[*t as usize].max(level + 1));
        touch.moves.iter().for_each(|t| moved[*t as usize] = level + 1);
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
    use crate::rig::Bone;
    use crate::schema::ParamSet;
    use crate::sim::solver::spring_bone::PARAMS;
    use crate::sim::{ColliderSetup, JointSetup, Shape, SolverKind, TipSetup};

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
        let ball = |bone: u32| ColliderSetup::new(BoneId(bone), Shape::Sphere { radius: 0.1, inside: false });
        let colliders = collider.into_iter().map(ball).collect();
        (
            skeleton,
            SystemSetup { joints, colliders, ..SystemSetup::new(SolverKind::UnityChanSpringBone, values.clone()) },
        )
    }

    #[track_caller]
    fn check(pivots: &[(u32, u32)], collider: Option<u32>, order: &[usize], expected: &[&[u32]]) {
        let (skeleton, setup) = scene(pivots, collider);
        let fours = fours(&setup, &skeleton, order);
        let bones: Vec<Vec<u32>> = fours
            .iter()
            .map(|four| four.own().iter().map(|place| setup.joints[order[*place as usize]].bone.0).collect())
            .collect();
        assert_eq!(bones, expected);
        assert!(fours.iter().all(|four| four.places[3] == *four.own().last().expect("none is empty")));
    }

    const BY_DEPTH: [usize; 6] = [0, 2, 4, 1, 3, 5];

    #[test]
    fn joints_side_by_side_go_together_and_those_below_wait() {
        check(&[], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
        check(&[], None, &[0, 1, 2, 3, 4, 5], &[&[1], &[2, 3], &[4, 5], &[6]]);
    }

    #[test]
    fn a_joint_waits_for_what_moves_its_pivot_but_not_for_its_own_pivot_or_a_later_one() {
        check(&[(3, 7)], None, &BY_DEPTH, &[&[1], &[3, 5, 2], &[4, 6]]);
        check(&[(1, 7), (5, 0)], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
        check(&[(1, 8)], None, &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
    }

    #[test]
    fn nobody_goes_together_with_a_joint_before_it_that_carries_a_collider() {
        check(&[], Some(8), &BY_DEPTH, &[&[1, 3], &[5, 2, 4], &[6]]);
        check(&[], Some(0), &BY_DEPTH, &[&[1, 3, 5], &[2, 4, 6]]);
    }

    /// Turns that each read one thing and move another.
    #[track_caller]
    fn check_turns(turns: &[(u32, u32)], expected: &[&[u32]]) {
        let touches: Vec<_> = turns.iter().map(|(r, m)| Touch { kind: 0, reads: vec![*r], moves: vec![*m] }).collect();
        check_touches(&touches, expected);
    }

    #[track_caller]
    fn check_touches(touches: &[Touch], expected: &[&[u32]]) {
        let (order, fours) = side_by_side(touches);
        let found: Vec<Vec<u32>> =
            fours.iter().map(|four| four.own().iter().map(|place| order[*place as usize]).collect()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn chains_one_after_the_other_come_level_by_level() {
        // Three chains of three, each turn reading what the one before it moved.
        let chain = |from: u32| (0..3).map(move |at| (if at == 0 { 0 } else { from + at }, from + at + 1));
        let turns: Vec<_> = [1, 10, 20].into_iter().flat_map(chain).collect();
        check_turns(&turns, &[&[0, 3, 6], &[1, 4, 7], &[2, 5, 8]]);
    }

    #[test]
    fn turns_of_the_next_level_fill_up_a_four() {
        let turns: Vec<_> = (0..6).map(|at| (at, at + 6)).chain((0..2).map(|at| (at + 6, at + 20))).collect();
        check_turns(&turns, &[&[0, 1, 2, 3], &[4, 5, 6, 7]]);
    }

    #[test]
    fn who_moves_what_an_earlier_turn_reads_or_moves_comes_later() {
        check_turns(&[(5, 1), (0, 5), (6, 1)], &[&[0], &[1, 2]]);
        check_turns(&[(0, 1), (2, 1), (2, 1)], &[&[0], &[1], &[2]]);
        check_turns(&[(0, 1), (0, 2), (0, 3)], &[&[0, 1, 2]]);
        check_turns(&[], &[]);
    }

    #[test]
    fn kinds_are_kept_apart() {
        let touch = |at: u32| Touch { kind: (at % 2) as u8, reads: Vec::new(), moves: vec![at] };
        check_touches(&(0..6).map(touch).collect::<Vec<_>>(), &[&[0, 2, 4], &[1, 3, 5]]);
    }

    #[test]
    fn values_come_to_their_places_and_a_repeated_lane_changes_nothing() {
        let fours = group(5, |_, _| false);
        assert_eq!(fours.iter().map(Four::own).collect::<Vec<_>>(), [&[0, 1, 2, 3][..], &[4]]);
        let mut values = [0; 5];
        fours.iter().zip([[1, 2, 3, 4], [5, 9, 9, 9]]).for_each(|(four, lanes)| four.put(lanes, &mut values));
        assert_eq!(values, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_turn_is_as_early_as_pairs_that_keep_their_order_allow() {
        // Two chains, 0 2 4 and 1 3 5; then a link from one to the other, told by its later end.
        let chains = vec![[0, 2], [2, 4], [1, 3], [3, 5]];
        assert_eq!(turns(6, chains.clone()), [0, 0, 1, 1, 2, 2]);
        assert_eq!(turns(6, [chains, vec![[3, 2], [5, 4], [1, 1]]].concat()), [0, 0, 1, 2, 2, 3]);
    }
}
