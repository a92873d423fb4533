//! Builds the topology, the order of the joints and the data of the rest pose.

use super::super::super::step_pose::{NO_PARENT, StepPose, parent_indices};
use super::{BakedLimit, JointRest, LEAF_LENGTH, PREVIEW_AS, PreviewRuntime, Rest, State, step};
use crate::collider::{BoundingSphere, WorldCollider};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::solver::batch::batch_joints;
use crate::vec_util::IndexRange;
use crate::{SystemSetup, TipSetup, TipState as _};
use glam::Vec3;
use std::collections::BTreeSet;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let preview = PreviewRuntime::from_param(setup.values.get(PREVIEW_AS));
    let count = setup.joints.len();
    let mut rest = Rest { solver_indices: vec![0; count], preview, ..Rest::default() };
    let mut below = bones_and_colliders_below(setup, skeleton);
    let mut centers = 0;
    let sorted = sort_joints(setup, skeleton);
    rest.batches = batch_joints(setup, skeleton, &sorted);
    for (place, i) in sorted.into_iter().enumerate() {
        rest.solver_indices[i] = place as u32;
        let (refresh, carried) = std::mem::take(&mut below[i]);
        let mut joint = new_joint(setup, i, skeleton, world);
        let known = setup.valid_colliders(&setup.joints[i]);
        joint.colliders = IndexRange::append(&mut rest.colliders, known);
        joint.bones_to_refresh = IndexRange::append(&mut rest.bones_to_refresh, refresh);
        joint.child_colliders = IndexRange::append(&mut rest.child_colliders, carried);
        joint.center_index = centers;
        centers += u32::from(joint.center != NO_PARENT);
        let limit = setup.vrm.get(i).and_then(|joint| joint.limit);
        if let Some(limit) = limit.filter(|_| preview != PreviewRuntime::ThreeVrm) {
            joint.limit_index = rest.limits.len() as u32;
            rest.limits.push(BakedLimit::new(&limit));
        }
        rest.joints.push(joint);
    }
    let mut state = State {
        tips: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        last_tip_bone_positions: vec![Vec3::ZERO; count],
        last_centers: vec![Frame::WORLD; centers as usize],
        world_colliders: vec![WorldCollider::Off; setup.colliders.len()],
        collider_bounds: vec![BoundingSphere::EVERYWHERE; setup.colliders.len()],
    };
    set_rest_pose(&mut rest, &mut state, &Pose::rest(skeleton).local, &parent_indices(skeleton), &world.frames);
    (rest, state)
}

/// Topology of a joint; [`set_rest_pose`] adds the data that depends on the rest pose.
fn new_joint(setup: &SystemSetup, i: usize, skeleton: &Skeleton, world: &WorldPose) -> JointRest {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    // A tip at infinite distance has no direction, so the bone is treated as a leaf.
    let reachable =
        |tip: &Vec3| tip.length().is_finite() && frame.transform_point(*tip).distance(frame.position).is_finite();
    let in_bone = |tip: BoneId| Some(frame.inverse_transform_point(world.frame(tip).position)).filter(reachable);
    let leaf = || skeleton.bone(joint.bone).rest.translation.normalize_or_zero() * LEAF_LENGTH;
    let (tip_bone, tip) = match &joint.tip {
        TipSetup::Offset(offset) => (None, Some(*offset).filter(reachable)),
        TipSetup::Bones(bones) => match bones.first().map(|tip| (*tip, in_bone(*tip))) {
            Some((tip, Some(_))) if skeleton.is_ancestor(joint.bone, tip) => (Some(tip), Some(Vec3::ZERO)),
            // A tip that is not a descendant of the joint stays at its rest position relative to the joint.
            Some((_, at)) => (None, at),
            None => (None, None),
        },
    };
    let tip = tip.unwrap_or_else(leaf);
    let position = |bone: Option<BoneId>| bone.map_or(NO_PARENT, |b| b.0);
    JointRest {
        bone: joint.bone.0,
        parent: position(skeleton.parent(joint.bone)),
        enabled: joint.enabled,
        tip_bone: position(tip_bone),
        tip,
        center: position(setup.vrm.get(i).and_then(|v| v.center)),
        limit_index: u32::MAX,
        ..JointRest::default()
    }
}

/// Makes a pose the rest pose and moves all tips to rest.
pub(super) fn set_rest_pose(rest: &mut Rest, state: &mut State, pose: &[Trs], parents: &[u32], frames: &[Frame]) {
    for (i, joint) in rest.joints.iter_mut().enumerate() {
        let local = &pose[joint.bone as usize];
        let frame = &frames[joint.bone as usize];
        (joint.translation, joint.scale) = (local.translation, local.scale);
        joint.rotation = local.rotation.normalize();
        joint.scaled = local.scale != Vec3::ONE;
        joint.tip = step::tip_in_bone(joint, pose, parents);
        joint.aim_point = match pose.get(joint.tip_bone as usize) {
            // three-vrm and UniVRM use the tip's own translation, as if it were a direct child of the joint.
            Some(tip) if rest.preview != PreviewRuntime::Specification => tip.translation,
            _ => joint.tip,
        };
        joint.local_length = joint.tip.length();
        // UniVRM also measures the length along that translation.
        let end = if rest.preview == PreviewRuntime::UniVrm { joint.aim_point } else { joint.tip };
        joint.rest_length = frame.transform_point(end).distance(frame.position);
        joint.axis = joint.aim_point.normalize_or_zero();
        joint.rest_axis_in_parent = (joint.rotation * (joint.scale * joint.axis)).normalize_or_zero();
        if let Some(limit) = rest.limits.get_mut(joint.limit_index as usize) {
            limit.orient(joint.rotation, joint.axis);
        }
        snap_tip_to_pose(joint, i, state, frames);
    }
}

/// Moves a joint's tip to the end of the bone in the current pose, without velocity.
fn snap_tip_to_pose(joint: &JointRest, i: usize, state: &mut State, frames: &[Frame]) {
    let frame = &frames[joint.bone as usize];
    let tip = frame.transform_point(joint.aim_point);
    state.set_tip(i, tip, tip);
    state.last_tip_bone_positions[i] = frame.transform_point(joint.tip);
    if let Some(center) = frames.get(joint.center as usize) {
        state.last_centers[joint.center_index as usize] = *center;
    }
}

pub(super) fn reset_to_rest(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled {
            step_pose.pose[joint.bone as usize].rotation = joint.rotation;
        }
        step_pose.refresh(joint.bone);
        step::refresh_below(rest, joint, step_pose);
        snap_tip_to_pose(joint, i, state, step_pose.frames);
    }
    for (joint, late) in rest.joints.iter().zip(&mut state.last_tip_bone_positions) {
        if let Some(tip) = step_pose.frames.get(joint.tip_bone as usize) {
            // At this point three-vrm has updated only the bones of joints.
            *late = tip.position;
        }
    }
}

/// The joint on `bone` or on its nearest ancestor that has a joint.
pub(super) fn nearest_joint(bone: BoneId, joint_at: &[Option<usize>], skeleton: &Skeleton) -> Option<usize> {
    std::iter::successors(Some(bone), |b| skeleton.parent(*b)).find_map(|b| joint_at[b.index()])
}

/// Sorts the joints for the step: each joint comes after its ancestors and after the joints that move its colliders.
/// Of the joints that are ready, those nearest to the root come first, so independent chains form batches. Cyclic
/// dependencies between colliders are broken as late as possible; ancestors always come first.
pub(super) fn sort_joints(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<usize> {
    let joint_at = setup.joint_of_bone(skeleton);
    let count = setup.joints.len();
    let mut dependents = Dependents { children: vec![Vec::new(); count], collider_users: vec![Vec::new(); count] };
    let mut pending = vec![PendingCounts::default(); count];
    for (i, joint) in setup.joints.iter().enumerate() {
        let above = skeleton.parent(joint.bone).and_then(|parent| nearest_joint(parent, &joint_at, skeleton));
        if let Some(above) = above {
            dependents.children[above].push(i);
            pending[i].parents = 1;
        }
        let on = joint.colliders.iter().filter_map(|c| setup.colliders.get(*c as usize));
        let carriers: BTreeSet<usize> = on.filter_map(|c| nearest_joint(c.bone, &joint_at, skeleton)).collect();
        for carrier in carriers.into_iter().filter(|carrier| *carrier != i) {
            dependents.collider_users[carrier].push(i);
            pending[i].colliders += 1;
        }
    }
    topological_order(setup, skeleton, &dependents, &mut pending)
}

/// The joints that depend on each joint.
struct Dependents {
    children: Vec<Vec<usize>>,
    collider_users: Vec<Vec<usize>>,
}

/// Numbers of parents and colliders that a joint still depends on.
#[derive(Clone, Copy, Default)]
struct PendingCounts {
    parents: usize,
    colliders: usize,
}

fn topological_order(
    setup: &SystemSetup,
    skeleton: &Skeleton,
    dependents: &Dependents,
    pending: &mut [PendingCounts],
) -> Vec<usize> {
    let key = |i: usize| (skeleton.depth(setup.joints[i].bone), setup.joints[i].bone, i);
    let (mut ready, mut stuck) = (BTreeSet::new(), BTreeSet::new());
    for (i, wait) in pending.iter().enumerate().filter(|(_, wait)| wait.parents == 0) {
        if wait.colliders == 0 {
            ready.insert(key(i))
        } else {
            stuck.insert(key(i))
        };
    }
    let mut sorted = Vec::with_capacity(pending.len());
    while let Some((_, _, i)) = ready.pop_first().or_else(|| stuck.pop_first()) {
        sorted.push(i);
        for below in &dependents.children[i] {
            pending[*below].parents = 0;
            if pending[*below].colliders == 0 {
                ready.insert(key(*below))
            } else {
                stuck.insert(key(*below))
            };
        }
        for touching in &dependents.collider_users[i] {
            pending[*touching].colliders -= 1;
            if pending[*touching].colliders == 0 && stuck.remove(&key(*touching)) {
                ready.insert(key(*touching));
            }
        }
    }
    sorted
}

/// For each joint, the bones between the joint and the next joints if the system reads their frames, and the
/// colliders that move with the joint.
pub(super) fn bones_and_colliders_below(setup: &SystemSetup, skeleton: &Skeleton) -> Vec<(Vec<u32>, Vec<u32>)> {
    let joint_at = setup.joint_of_bone(skeleton);
    let mut needed = vec![false; skeleton.len()];
    let centers = setup.vrm.iter().filter_map(|v| v.center);
    let heads = setup.joints.iter().filter_map(|j| skeleton.parent(j.bone));
    for bone in setup.colliders.iter().map(|c| c.bone).chain(centers).chain(heads) {
        std::iter::successors(Some(bone), |b| skeleton.parent(*b)).for_each(|b| needed[b.index()] = true);
    }
    let mut carried = vec![Vec::new(); setup.joints.len()];
    for (i, collider) in setup.colliders.iter().enumerate() {
        if let Some(joint) = nearest_joint(collider.bone, &joint_at, skeleton) {
            carried[joint].push(i as u32);
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
    use crate::params::ParamSet;
    use crate::solver::vrm::PARAMS;
    use crate::{ColliderSetup, ColliderShape, JointSetup, SolverKind, test_support};

    /// A skeleton from the parents of its bones, and joints. Each joint has a bone and the bones of its colliders.
    fn step_pose(parents: &[Option<u32>], joints: &[(u32, &[u32])]) -> (Skeleton, SystemSetup) {
        let skeleton = test_support::skeleton(parents);
        let mut setup = SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(PARAMS));
        for (bone, carriers) in joints {
            let from = setup.colliders.len() as u32;
            let ball =
                |bone: &u32| ColliderSetup::new(BoneId(*bone), ColliderShape::Sphere { radius: 0.1, inside: false });
            setup.colliders.extend(carriers.iter().map(ball));
            let colliders = (from..setup.colliders.len() as u32).collect();
            setup.joints.push(JointSetup { colliders, ..JointSetup::new(BoneId(*bone), ParamSet::defaults(PARAMS)) });
        }
        (skeleton, setup)
    }

    #[track_caller]
    fn check(parents: &[Option<u32>], joints: &[(u32, &[u32])], expected: &[u32]) {
        let (skeleton, setup) = step_pose(parents, joints);
        let found: Vec<u32> = sort_joints(&setup, &skeleton).iter().map(|i| setup.joints[*i].bone.0).collect();
        assert_eq!(found, expected);
    }

    /// A root with two chains of three bones: 1, 2, 3 and 4, 5, 6.
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
        let (skeleton, setup) = step_pose(CHAINS, &[(1, &[]), (3, &[]), (4, &[6, 3, 0])]);
        let below = bones_and_colliders_below(&setup, &skeleton);
        assert_eq!(below, [(vec![2], vec![]), (vec![], vec![1]), (vec![5, 6], vec![0])]);
    }
}
