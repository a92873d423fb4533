//! Set-up: topology in the order of turns, and the rest pose that joints are pulled to.

use super::super::super::scene::{NO_PARENT, Scene, parent_indices};
use super::{BakedLimit, JointRest, LEAF_LENGTH, PREVIEW_AS, PreviewRuntime, Rest, State, order, step};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::collider::WorldCollider;
use crate::sim::solver::batch::batch_joints;
use crate::sim::vec_util::IndexRange;
use crate::sim::{SystemSetup, TipSetup, TipState as _};
use glam::{Quat, Vec3};

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let preview = PreviewRuntime::from_param(setup.values.get(PREVIEW_AS));
    let count = setup.joints.len();
    let mut rest = Rest { solver_indices: vec![0; count], preview, ..Rest::default() };
    let mut below = order::bones_and_colliders_below(setup, skeleton);
    let mut centers = 0;
    let sorted = order::sort_joints(setup, skeleton);
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
        if let Some(limit) = setup.vrm.get(i).and_then(|v| v.limit) {
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
    };
    set_rest_pose(&mut rest, &mut state, &Pose::rest(skeleton).local, &parent_indices(skeleton), &world.frames);
    (rest, state)
}

/// A joint's topology; what depends on the rest pose comes by [`set_rest_pose`].
fn new_joint(setup: &SystemSetup, i: usize, skeleton: &Skeleton, world: &WorldPose) -> JointRest {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    // A tip as far off as files can say has no direction: such a bone is taken for a leaf.
    let reachable =
        |tip: &Vec3| tip.length().is_finite() && frame.transform_point(*tip).distance(frame.position).is_finite();
    let in_bone = |tip: BoneId| Some(frame.inverse_transform_point(world.frame(tip).position)).filter(reachable);
    let leaf = || skeleton.bone(joint.bone).rest.translation.normalize_or_zero() * LEAF_LENGTH;
    let (tip_bone, tip) = match &joint.tip {
        TipSetup::Offset(offset) => (None, Some(*offset).filter(reachable)),
        TipSetup::Bones(bones) => match bones.first().map(|tip| (*tip, in_bone(*tip))) {
            Some((tip, Some(_))) if skeleton.is_ancestor(joint.bone, tip) => (Some(tip), Some(Vec3::ZERO)),
            // Not below the joint: the point where it is at rest.
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
        scaled: false,
        tip_bone: position(tip_bone),
        tip,
        local_length: 0.0,
        rest_length: 0.0,
        aim_point: Vec3::ZERO,
        axis: Vec3::ZERO,
        rest_axis_in_parent: Vec3::ZERO,
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
        center: position(setup.vrm.get(i).and_then(|v| v.center)),
        center_index: 0,
        limit_index: u32::MAX,
        colliders: IndexRange::default(),
        bones_to_refresh: IndexRange::default(),
        child_colliders: IndexRange::default(),
    }
}

/// Takes a pose for the rest pose; tips stand still there.
pub(super) fn set_rest_pose(rest: &mut Rest, state: &mut State, pose: &[Trs], parents: &[u32], frames: &[Frame]) {
    for (i, joint) in rest.joints.iter_mut().enumerate() {
        let local = &pose[joint.bone as usize];
        let frame = &frames[joint.bone as usize];
        (joint.translation, joint.scale) = (local.translation, local.scale);
        joint.rotation = local.rotation.normalize();
        joint.scaled = local.scale != Vec3::ONE;
        joint.tip = step::tip_in_bone(joint, pose, parents);
        joint.aim_point = match pose.get(joint.tip_bone as usize) {
            // three-vrm and UniVRM take the tip's own translation, as if it hung on the joint directly.
            Some(tip) if rest.preview != PreviewRuntime::Specification => tip.translation,
            _ => joint.tip,
        };
        joint.local_length = joint.tip.length();
        // UniVRM takes the length, too, from the tip's own translation.
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

/// Lets a joint's tip stand still where its bone points now.
fn snap_tip_to_pose(joint: &JointRest, i: usize, state: &mut State, frames: &[Frame]) {
    let frame = &frames[joint.bone as usize];
    let tip = frame.transform_point(joint.aim_point);
    state.set_tip(i, tip, tip);
    state.last_tip_bone_positions[i] = frame.transform_point(joint.tip);
    if let Some(center) = frames.get(joint.center as usize) {
        state.last_centers[joint.center_index as usize] = *center;
    }
}

/// Turns every joint to rest and lets its tip stand still there.
pub(super) fn reset_to_rest(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled {
            scene.pose[joint.bone as usize].rotation = joint.rotation;
        }
        scene.refresh(joint.bone);
        step::refresh_below(rest, joint, scene);
        snap_tip_to_pose(joint, i, state, scene.frames);
    }
    for (joint, late) in rest.joints.iter().zip(&mut state.last_tip_bone_positions) {
        if let Some(tip) = scene.frames.get(joint.tip_bone as usize) {
            // three-vrm: only bones that are joints have been moved along by now.
            *late = tip.position;
        }
    }
}
