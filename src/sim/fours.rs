//! Joints that may take their turns at the same time: four of them cost little more than one.

use super::SystemSetup;
use super::world::{read_by, read_by_all, with_ancestors};
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

    fn of(from: usize, to: usize) -> Self {
        let places = std::array::from_fn(|lane| (from + lane).min(to - 1) as u32);
        Self { places, count: (to - from) as u32 }
    }
}

/// Parts `order`, positions in [`SystemSetup::joints`] by the solver's turns, into fours. To do a four's joints together
/// is the same as to do them in turn: none of them hangs on another, or reads a bone that one before it moves.
pub(super) fn fours(setup: &SystemSetup, skeleton: &Skeleton, order: &[usize]) -> Vec<Four> {
    // A joint may be given other colliders later, but none on a bone that carries none now.
    let carries = with_ancestors(skeleton, read_by_all(setup));
    let (mut fours, mut from) = (Vec::new(), 0);
    for (at, joint) in order.iter().enumerate() {
        let joint = &setup.joints[*joint];
        let waits = order[from..at].iter().map(|before| setup.joints[*before].bone).any(|moved| {
            let hangs = |bone: BoneId| std::iter::successors(Some(bone), |b| skeleton.parent(*b)).any(|b| b == moved);
            carries[moved.index()] || hangs(joint.bone) || read_by(joint).any(hangs)
        });
        if waits || at - from == 4 {
            fours.push(Four::of(from, at));
            from = at;
        }
    }
    if from < order.len() {
        fours.push(Four::of(from, order.len()));
    }
    fours
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
}
