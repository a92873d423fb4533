//! Set-up: topology in the order of turns, and the rest pose that joints are pulled to.

use super::super::super::scene::{Scene, WORLD, parents};
use super::{JointRest, LEAF, Limit, PREVIEW_AS, Preview, Rest, State, order, step};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::collider::WorldCollider;
use crate::sim::kernel::Span;
use crate::sim::solver::fours::fours;
use crate::sim::{SystemSetup, TipSetup, Tips as _};
use glam::{Quat, Vec3};

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let preview = Preview::of(setup.values.get(PREVIEW_AS));
    let count = setup.joints.len();
    let mut rest = Rest { order: vec![0; count], preview, ..Rest::default() };
    let mut below = order::below(setup, skeleton);
    let mut centers = 0;
    let sorted = order::sorted(setup, skeleton);
    rest.fours = fours(setup, skeleton, &sorted);
    for (place, i) in sorted.into_iter().enumerate() {
        rest.order[i] = place as u32;
        let (refresh, carried) = std::mem::take(&mut below[i]);
        let mut joint = joint(setup, i, skeleton, world);
        let known = setup.known_colliders(&setup.joints[i]);
        joint.colliders = Span::append(&mut rest.colliders, known);
        joint.refresh = Span::append(&mut rest.refresh, refresh);
        joint.carried = Span::append(&mut rest.carried, carried);
        joint.center_at = centers;
        centers += u32::from(joint.center != WORLD);
        if let Some(limit) = setup.vrm.get(i).and_then(|v| v.limit) {
            joint.limit = rest.limits.len() as u32;
            rest.limits.push(Limit::new(&limit));
        }
        rest.joints.push(joint);
    }
    let mut state = State {
        tips: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        late_tips: vec![Vec3::ZERO; count],
        centers: vec![Frame::WORLD; centers as usize],
        placed: vec![WorldCollider::Off; setup.colliders.len()],
    };
    take(&mut rest, &mut state, &Pose::rest(skeleton).local, &parents(skeleton), &world.frames);
    (rest, state)
}

/// A joint's topology; what depends on the rest pose comes by [`take`].
fn joint(setup: &SystemSetup, i: usize, skeleton: &Skeleton, world: &WorldPose) -> JointRest {
    let joint = &setup.joints[i];
    let frame = world.frame(joint.bone);
    // A tip as far off as files can say has no direction: such a bone is taken for a leaf.
    let reachable = |tip: &Vec3| tip.length().is_finite() && frame.point(*tip).distance(frame.position).is_finite();
    let in_bone = |tip: BoneId| Some(frame.inverse_point(world.frame(tip).position)).filter(reachable);
    let leaf = || skeleton.bone(joint.bone).rest.translation.normalize_or_zero() * LEAF;
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
    let position = |bone: Option<BoneId>| bone.map_or(WORLD, |b| b.0);
    JointRest {
        bone: joint.bone.0,
        parent: position(skeleton.parent(joint.bone)),
        enabled: joint.enabled,
        scaled: false,
        tip_bone: position(tip_bone),
        tip,
        own_length: 0.0,
        length: 0.0,
        child: Vec3::ZERO,
        axis: Vec3::ZERO,
        rest_axis: Vec3::ZERO,
        translation: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        scale: Vec3::ONE,
        center: position(setup.vrm.get(i).and_then(|v| v.center)),
        center_at: 0,
        limit: u32::MAX,
        colliders: Span::default(),
        refresh: Span::default(),
        carried: Span::default(),
    }
}

/// Takes a pose for the rest pose; tips stand still there.
pub(super) fn take(rest: &mut Rest, state: &mut State, pose: &[Trs], parents: &[u32], frames: &[Frame]) {
    for (i, joint) in rest.joints.iter_mut().enumerate() {
        let local = &pose[joint.bone as usize];
        let frame = &frames[joint.bone as usize];
        (joint.translation, joint.scale) = (local.translation, local.scale);
        joint.rotation = local.rotation.normalize();
        joint.scaled = local.scale != Vec3::ONE;
        joint.tip = step::tip_in_bone(joint, pose, parents);
        joint.child = match pose.get(joint.tip_bone as usize) {
            // three-vrm and UniVRM take the tip's own translation, as if it hung on the joint directly.
            Some(tip) if rest.preview != Preview::Specification => tip.translation,
            _ => joint.tip,
        };
        joint.own_length = joint.tip.length();
        // UniVRM takes the length, too, from the tip's own translation.
        let end = if rest.preview == Preview::UniVrm { joint.child } else { joint.tip };
        joint.length = frame.point(end).distance(frame.position);
        joint.axis = joint.child.normalize_or_zero();
        joint.rest_axis = (joint.rotation * (joint.scale * joint.axis)).normalize_or_zero();
        if let Some(limit) = rest.limits.get_mut(joint.limit as usize) {
            limit.aim(joint.rotation, joint.axis);
        }
        stand(joint, i, state, frames);
    }
}

/// Lets a joint's tip stand still where its bone points now.
fn stand(joint: &JointRest, i: usize, state: &mut State, frames: &[Frame]) {
    let frame = &frames[joint.bone as usize];
    let tip = frame.point(joint.child);
    state.place(i, tip, tip);
    state.late_tips[i] = frame.point(joint.tip);
    if let Some(center) = frames.get(joint.center as usize) {
        state.centers[joint.center_at as usize] = *center;
    }
}

/// Turns every joint to rest and lets its tip stand still there.
pub(super) fn rest_tips(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled {
            scene.pose[joint.bone as usize].rotation = joint.rotation;
        }
        scene.refresh(joint.bone);
        step::refresh_below(rest, joint, scene);
        stand(joint, i, state, scene.frames);
    }
    for (joint, late) in rest.joints.iter().zip(&mut state.late_tips) {
        if let Some(tip) = scene.frames.get(joint.tip_bone as usize) {
            // three-vrm: only bones that are joints have been moved along by now.
            *late = tip.position;
        }
    }
}
