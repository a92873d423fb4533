//! Joints that may take their turns at the same time: four of them cost little more than one.

use super::SystemSetup;
use super::world::{read_by, read_by_all, with_ancestors};
use crate::math::each_lane;
use crate::rig::{BoneId, Skeleton};

/// Up to four joints that read nothing that another of them moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Four {
    /// Their places in the solver's order, one after the other; where there are fewer than four the last one is
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

    fn of(from: usize, to: usize) -> Self {
        let places = std::array::from_fn(|lane| (from + lane).min(to - 1) as u32);
        Self { places, count: (to - from) as u32 }
    }
}

/// Parts places up to `count` into fours of neighbours. `waits` says of two places whether the second, which is later,
/// must not take its turn together with the first.
pub(super) fn group(count: usize, mut waits: impl FnMut(usize, usize) -> bool) -> Vec<Four> {
    let (mut fours, mut from) = (Vec::new(), 0);
    for at in 0..count {
        if at - from == 4 || (from..at).any(|before| waits(before, at)) {
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
    group(order.len(), |before, at| {
        let (moved, joint) = (setup.joints[order[before]].bone, &setup.joints[order[at]]);
        let hangs = |bone: BoneId| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == moved);
        carries[moved.index()] || hangs(joint.bone) || read_by(joint).any(hangs)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;
    use crate::schema::{ParamSet, SolverKind};
    use crate::sim::solver::spring_bone::PARAMS;
    use crate::sim::{ColliderSetup, JointSetup, Shape, TipSetup};

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
        let ball = |bone: u32| ColliderSetup::new(BoneId(bone), Shape::Sphere { radius: 0.1 });
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
