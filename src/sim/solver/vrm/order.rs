//! Who moves before whom: a joint after all joints above it, and after those that carry one of its colliders.

use crate::rig::{BoneId, Skeleton};
use crate::sim::SystemSetup;
use std::collections::BTreeSet;

/// Which joint of the setup turns each bone.
pub(super) fn joint_of_bone(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<Option<u32>> {
    let mut at = vec![None; skeleton.len()];
    for (i, joint) in setup.joints.iter().enumerate() {
        at[joint.bone.index()].get_or_insert(i as u32);
    }
    at
}

/// The nearest joint on `bone` or above it.
pub(super) fn nearest_joint(bone: BoneId, joint_at: &[Option<u32>], skeleton: &Skeleton) -> Option<u32> {
    std::iter::successors(Some(bone), |b| skeleton.parent(*b)).find_map(|b| joint_at[b.index()])
}

/// The joints of the setup in the order of their turns: shallow ones first among those that wait for nothing, so
/// that independent chains run side by side. Colliders that wait for each other in a circle are as late as they must
/// be; ancestors never are.
pub(super) fn sort_joints(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<usize> {
    let joint_at = joint_of_bone(setup, skeleton);
    let count = setup.joints.len();
    let mut waiters = Dependents { children: vec![Vec::new(); count], collider_users: vec![Vec::new(); count] };
    let mut waits = vec![PendingCounts::default(); count];
    for (i, joint) in setup.joints.iter().enumerate() {
        let above = skeleton.parent(joint.bone).and_then(|parent| nearest_joint(parent, &joint_at, skeleton));
        if let Some(above) = above {
            waiters.children[above as usize].push(i);
            waits[i].parents = 1;
        }
        let on = joint.colliders.iter().filter_map(|c| setup.colliders.get(*c as usize));
        let carriers: BTreeSet<u32> = on.filter_map(|c| nearest_joint(c.bone, &joint_at, skeleton)).collect();
        for carrier in carriers.into_iter().filter(|carrier| *carrier as usize != i) {
            waiters.collider_users[carrier as usize].push(i);
            waits[i].colliders += 1;
        }
    }
    topological_order(setup, skeleton, &waiters, &mut waits)
}

/// Who waits for each joint.
struct Dependents {
    children: Vec<Vec<usize>>,
    collider_users: Vec<Vec<usize>>,
}

/// How many a joint waits for.
#[derive(Clone, Copy, Default)]
struct PendingCounts {
    parents: usize,
    colliders: usize,
}

fn topological_order(
    setup: &SystemSetup,
    skeleton: &Skeleton,
    waiters: &Dependents,
    waits: &mut [PendingCounts],
) -> Vec<usize> {
    let key = |i: usize| (skeleton.depth(setup.joints[i].bone), setup.joints[i].bone, i);
    let (mut ready, mut stuck) = (BTreeSet::new(), BTreeSet::new());
    for (i, wait) in waits.iter().enumerate().filter(|(_, wait)| wait.parents == 0) {
        if wait.colliders == 0 {
            ready.insert(key(i))
        } else {
            stuck.insert(key(i))
        };
    }
    let mut sorted = Vec::with_capacity(waits.len());
    while let Some((_, _, i)) = ready.pop_first().or_else(|| stuck.pop_first()) {
        sorted.push(i);
        for below in &waiters.children[i] {
            waits[*below].parents = 0;
            if waits[*below].colliders == 0 {
                ready.insert(key(*below))
            } else {
                stuck.insert(key(*below))
            };
        }
        for touching in &waiters.collider_users[i] {
            waits[*touching].colliders -= 1;
            if waits[*touching].colliders == 0 && stuck.remove(&key(*touching)) {
                ready.insert(key(*touching));
            }
        }
    }
    sorted
}

/// After each joint, the bones below it up to the next joints, as far as anything of the system hangs on them; then
/// the colliders that have moved with it.
pub(super) fn bones_and_colliders_below(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<(Vec<u32>, Vec<u32>)> {
    let joint_at = joint_of_bone(setup, skeleton);
    let mut needed = vec![false; skeleton.len()];
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let heads = setup.joints.iter().filter_map(|j| skeleton.parent(j.bone));
    for bone in setup.colliders.iter().map(|c| c.bone).chain(centers).chain(heads) {
        std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| needed[b.index()] = true);
    }
    let mut carried = vec![Vec::new(); setup.joints.len()];
    for (i, collider) in setup.colliders.iter().enumerate() {
        if let Some(joint) = nearest_joint(collider.bone, &joint_at, skeleton) {
            carried[joint as usize].push(i as u32);
        }
    }
    let refresh = setup.joints.iter().map(|joint| {
        let mut found = Vec::new();
        let mut stack = skeleton.children(joint.bone).to_vec();
        while let Some(bone) = stack.pop() {
            if joint_at[bone.index()].is_none() && needed[bone.index()] {
                found.push(bone.0);
                stack.extend_from_slice(skeleton.children(bone));
            }
        }
        found
    });
    refresh.zip(carried).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::params::ParamSet;
    use crate::rig::Bone;
    use crate::sim::solver::vrm::PARAMS;
    use crate::sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, TipSetup};

    /// Bones by their parents; joints as bone and the bones that carry their colliders.
    fn scene(parents: &[Option<u32>], joints: &[(u32, &[u32])]) -> (Skeleton, SystemSetup) {
        let bone = |(i, parent): (usize, &Option<u32>)| Bone {
            name: format!("b{i}"),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let skeleton = Skeleton::new(parents.iter().enumerate().map(bone).collect()).expect("parents first");
        let mut setup = SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(PARAMS));
        for (bone, carriers) in joints {
            let from = setup.colliders.len() as u32;
            let ball =
                |bone: &u32| ColliderSetup::new(BoneId(*bone), ColliderShape::Sphere { radius: 0.1, inside: false });
            setup.colliders.extend(carriers.iter().map(ball));
            setup.joints.push(JointSetup {
                bone: BoneId(*bone),
                tip: TipSetup::Bones(Vec::new()),
                values: ParamSet::defaults(PARAMS),
                pivot: None,
                length_targets: Vec::new(),
                colliders: (from..setup.colliders.len() as u32).collect(),
                chain: 0,
                enabled: true,
                animated: false,
            });
        }
        (skeleton, setup)
    }

    #[track_caller]
    fn check(parents: &[Option<u32>], joints: &[(u32, &[u32])], expected: &[u32]) {
        let (skeleton, setup) = scene(parents, joints);
        let found: Vec<u32> = sort_joints(&setup, &skeleton).iter().map(|i| setup.joints[*i].bone.0).collect();
        assert_eq!(found, expected);
    }

    /// A root with two chains of three: 1 2 3 and 4 5 6.
    const CHAINS: &[Option<u32>] = &[None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5)];

    #[test]
    fn joints_are_ordered_by_depth_and_not_by_their_order_in_the_file() {
        check(CHAINS, &[(6, &[]), (3, &[]), (2, &[]), (1, &[]), (5, &[]), (4, &[])], &[1, 4, 2, 5, 3, 6]);
    }

    #[test]
    fn a_joint_comes_after_the_joints_that_move_its_colliders() {
        check(CHAINS, &[(1, &[6]), (2, &[]), (4, &[]), (5, &[]), (6, &[])], &[4, 5, 6, 1, 2]);
        check(CHAINS, &[(1, &[6]), (2, &[]), (4, &[])], &[4, 1, 2]);
    }

    #[test]
    fn dependency_cycles_are_broken_and_ancestors_stay_first() {
        check(CHAINS, &[(1, &[5]), (2, &[]), (4, &[2]), (5, &[])], &[1, 2, 4, 5]);
        check(CHAINS, &[(2, &[1, 2, 3]), (1, &[3, 2]), (3, &[1])], &[1, 2, 3]);
    }

    #[test]
    fn bones_are_updated_down_to_the_next_joint() {
        let (skeleton, setup) = scene(CHAINS, &[(1, &[]), (3, &[]), (4, &[6, 3, 0])]);
        let below = bones_and_colliders_below(&setup, &skeleton);
        assert_eq!(below, [(vec![2], vec![]), (vec![], vec![1]), (vec![5, 6], vec![0])]);
    }
}
