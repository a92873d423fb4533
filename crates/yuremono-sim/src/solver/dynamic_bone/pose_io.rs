//! Reads the animated pose before the steps of a frame, and writes the bones after them.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::{JointRest, NONE, Particle, ParticleState, Rest, State};
use crate::StepPose;
use crate::math::{Frame, Quatx4, Vec3x4, arc_between, from_lanes, renormalize};
use crate::probe::{self, TipPart};
use crate::solver::batch::Batch;
use crate::step_pose::NO_PARENT;
use glam::{Quat, Vec3};

/// Returns the position of a bone in the world; the origin for `NO_PARENT`.
pub(super) fn bone_position(frames: &[Frame], bone: u32) -> Vec3 {
    frames.get(bone as usize).map_or(Vec3::ZERO, |frame| frame.position)
}

/// Returns the absolute value of Unity's `lossyScale.x`.
pub(super) fn bone_scale_x(frames: &[Frame], bone: u32) -> f32 {
    match frames.get(bone as usize) {
        Some(frame) if frame.scaled => (frame.rotation.inverse() * frame.linear().x_axis).x.abs(),
        _ => 1.0,
    }
}

#[inline]
fn vector_to_world(frame: &Frame, v: Vec3) -> Vec3 {
    if frame.scaled { frame.linear() * v } else { frame.rotation * v }
}

/// Updates all frames to the animated pose and measures the animated offset of each particle.
pub(super) fn capture_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for batch in &rest.particle_batches {
        let particles = batch.refs(&rest.particles);
        if particles[0].parent == NONE {
            for root in particles {
                step_pose.refresh(root.bone);
            }
            continue;
        }
        let arm = capture_tip_batch(rest, particles, step_pose);
        let length = arm.length();
        let (arms, lengths) = (arm.to_array(), length.to_array());
        from_lanes(|lane| state.points[batch.indices[lane] as usize].animated_offset = arms[lane]);
        from_lanes(|lane| state.points[batch.indices[lane] as usize].animated_length = lengths[lane]);
        let is_lost = !length.is_finite_mask();
        if is_lost.any() {
            // A non-finite offset has no direction.
            for at in (0..4).filter(|lane| is_lost.test(*lane)).map(|lane| batch.indices[lane] as usize) {
                (state.points[at].animated_offset, state.points[at].animated_length) = (Vec3::ZERO, 0.0);
            }
        }
    }
}

/// Returns the animated offsets of a batch of tips and updates the frames of their bones.
#[inline(always)]
fn capture_tip_batch(rest: &Rest, particles: [&Particle; 4], step_pose: &mut StepPose<'_>) -> Vec3x4 {
    let joints = from_lanes(|lane| rest.joints[particles[lane].joint as usize].bone);
    let heads = from_lanes(|lane| &step_pose.frames[joints[lane] as usize]);
    let rotation = Quatx4::from_lanes(|lane| heads[lane].rotation);
    let position = Vec3x4::from_lanes(|lane| heads[lane].position);
    // A virtual tip has no bone, so the lane uses the joint's bone, which is not written.
    let bones = from_lanes(|lane| if particles[lane].bone == NO_PARENT { joints[lane] } else { particles[lane].bone });
    let locals = from_lanes(|lane| &step_pose.pose[bones[lane] as usize]);
    let offset = |lane: usize| match particles[lane].bone {
        NO_PARENT => &particles[lane].local_offset,
        _ => &locals[lane].translation,
    };
    let arm = rotation * Vec3x4::from_lanes(|lane| *offset(lane));
    let turned = (rotation * Quatx4::from_lanes(|lane| locals[lane].rotation)).to_array();
    let at = (position + arm).to_array();
    let is_tip = |lane: usize| particles[lane].is_direct_child && locals[lane].scale == Vec3::ONE;
    let is_plain = |lane: usize| !heads[lane].scaled && (particles[lane].bone == NO_PARENT || is_tip(lane));
    let plain = from_lanes(is_plain);
    if plain == [true; 4] {
        if from_lanes(|lane| particles[lane].bone == NO_PARENT) == [false; 4] {
            from_lanes(|lane| step_pose.frames[bones[lane] as usize].set_unscaled(turned[lane], at[lane]));
        } else {
            for lane in (0..4).filter(|lane| particles[*lane].bone != NO_PARENT) {
                step_pose.frames[bones[lane] as usize].set_unscaled(turned[lane], at[lane]);
            }
        }
        return arm;
    }
    let each = arm.to_array();
    Vec3x4::from_lanes(|lane| {
        if !plain[lane] {
            return capture_tip(rest, particles[lane], step_pose);
        }
        if particles[lane].bone != NO_PARENT {
            step_pose.frames[bones[lane] as usize].set_unscaled(turned[lane], at[lane]);
        }
        each[lane]
    })
}

/// Works like [`capture_tip_batch`] for one tip that is scaled or separated from its joint by skipped bones.
#[cold]
fn capture_tip(rest: &Rest, particle: &Particle, step_pose: &mut StepPose<'_>) -> Vec3 {
    let joint = rest.joints[particle.joint as usize].bone as usize;
    if particle.is_direct_child {
        let local = step_pose.pose[particle.bone as usize];
        let head = step_pose.frames[joint];
        let arm = vector_to_world(&head, local.translation);
        step_pose.frames[particle.bone as usize] = head.child_at(&local, head.position + arm);
        arm
    } else if particle.bone == NO_PARENT {
        vector_to_world(&step_pose.frames[joint], particle.local_offset)
    } else {
        refresh_skipped_bones(rest, particle, step_pose);
        step_pose.refresh(particle.bone);
        step_pose.frames[particle.bone as usize].position - step_pose.frames[joint].position
    }
}

/// Moves every particle to the captured pose and removes its velocity.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, step_pose: &StepPose<'_>) {
    for (particle, point) in rest.particles.iter().zip(&mut state.points) {
        let at = if particle.bone == NO_PARENT {
            step_pose.frames[rest.joints[particle.joint as usize].bone as usize].position + point.animated_offset
        } else {
            step_pose.frames[particle.bone as usize].position
        };
        *point = ParticleState { position: at, previous: at, collided: false, ..*point };
    }
    state.component_position = bone_position(step_pose.frames, rest.component);
    let points = &state.points;
    probe::record(step_pose.probe, move |probe| {
        probe.reach_all(TipPart::Inertia, points.iter().map(|point| point.position));
    });
}

#[inline]
fn refresh_skipped_bones(rest: &Rest, particle: &Particle, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(particle.skipped_bones.slice(&rest.skipped_bones));
}

/// Rotates every joint with one tip towards the tip, and moves every bone to its particle. A disabled joint keeps its
/// local rotation, and its tips keep their local positions.
pub(super) fn write_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for batch in &rest.joint_batches {
        let joints = batch.refs(&rest.joints);
        if joints[0].fast_path {
            write_joint_batch(rest, batch, joints, state, step_pose);
        } else {
            joints[..batch.len as usize].iter().for_each(|joint| write_joint(rest, joint, state, step_pose));
        }
    }
    for at in &rest.non_joint_tips {
        let particle = &rest.particles[*at as usize];
        let point = &mut state.points[*at as usize];
        write_particle_position(rest, particle, point, step_pose);
        let parent = *step_pose.parent_frame(step_pose.parents[particle.bone as usize]);
        step_pose.frames[particle.bone as usize] =
            parent.child_at(&step_pose.pose[particle.bone as usize], point.position);
    }
}

/// Returns whether a joint or its parent joint is disabled.
fn is_disabled(rest: &Rest, joint: &JointRest) -> bool {
    let above = || rest.particles[joint.head as usize].joint as usize;
    !joint.enabled || joint.head_parent != NONE && !rest.joints[above()].enabled
}

/// Writes a batch of joints with the fast path. Scaled and disabled joints are written one by one.
#[inline(always)]
fn write_joint_batch(
    rest: &Rest,
    batch: &Batch,
    joints: [&JointRest; 4],
    state: &mut State,
    step_pose: &mut StepPose<'_>,
) {
    let parents = from_lanes(|lane| step_pose.parent_frame(joints[lane].parent));
    let locals = from_lanes(|lane| &step_pose.pose[joints[lane].bone as usize]);
    let above = Quatx4::from_lanes(|lane| parents[lane].rotation);
    let heads = Vec3x4::from_lanes(|lane| state.points[joints[lane].head as usize].position);
    let local = above.inverse() * (heads - Vec3x4::from_lanes(|lane| parents[lane].position));
    let from = |lane: usize| match joints[lane].tip_bone {
        NO_PARENT => &joints[lane].tip_local,
        bone => &step_pose.pose[bone as usize].translation,
    };
    let animated = above * Quatx4::from_lanes(|lane| locals[lane].rotation);
    let to = Vec3x4::from_lanes(|lane| state.points[joints[lane].tip as usize].position) - heads;
    let (turned, _) = animated.rotate_between(animated * Vec3x4::from_lanes(|lane| *from(lane)), to);
    let is_scaled = |lane: usize| parents[lane].scaled || locals[lane].scale != Vec3::ONE;
    let odd = from_lanes(|lane| is_scaled(lane) || rest.any_disabled && is_disabled(rest, joints[lane]));

    let (places, is_put) = (local.to_array(), local.is_finite_mask());
    let (rotations, turned, heads) = ((above.inverse() * turned).to_array(), turned.to_array(), heads.to_array());
    let bone = |lane: usize| joints[lane].bone as usize;
    if odd == [false; 4] {
        // Separate loops let the compiler unroll them.
        if is_put.all() && from_lanes(|lane| joints[lane].head_parent == NONE) == [false; 4] {
            from_lanes(|lane| step_pose.pose[bone(lane)].translation = places[lane]);
        } else {
            for lane in (0..4).filter(|lane| is_put.test(*lane) && joints[*lane].head_parent != NONE) {
                step_pose.pose[bone(lane)].translation = places[lane];
            }
        }
        from_lanes(|lane| step_pose.pose[bone(lane)].rotation = rotations[lane]);
        from_lanes(|lane| step_pose.frames[bone(lane)].set_unscaled(turned[lane], heads[lane]));
        return;
    }
    for lane in 0..batch.len as usize {
        if odd[lane] {
            write_joint(rest, joints[lane], state, step_pose);
            continue;
        }
        if is_put.test(lane) && joints[lane].head_parent != NONE {
            step_pose.pose[bone(lane)].translation = places[lane];
        }
        step_pose.pose[bone(lane)].rotation = rotations[lane];
        step_pose.frames[bone(lane)].set_unscaled(turned[lane], heads[lane]);
    }
}

/// Writes one joint that is scaled, disabled, a fork, or separated from its parent or tip by skipped bones.
#[cold]
fn write_joint(rest: &Rest, joint: &JointRest, state: &mut State, step_pose: &mut StepPose<'_>) {
    let head = &rest.particles[joint.head as usize];
    write_particle_position(rest, head, &mut state.points[joint.head as usize], step_pose);
    let (bone, at) = (joint.bone as usize, state.points[joint.head as usize].position);
    let parent = step_pose.parent_frame(step_pose.parents[bone]);
    let (above, scaled) = (parent.rotation, parent.scaled);
    let mut turned = above * step_pose.pose[bone].rotation;
    if joint.rotates && joint.enabled {
        let tip = &rest.particles[joint.tip as usize];
        let point = &state.points[joint.tip as usize];
        let from = match tip.bone {
            NO_PARENT => tip.local_offset,
            _ if tip.is_direct_child => step_pose.pose[tip.bone as usize].translation,
            // Use the animated pose, because the frame of the bone is not written yet.
            _ => step_pose.frames[bone].rotation.inverse() * point.animated_offset,
        };
        turned = rotated_towards(turned, from, point.position - at);
        step_pose.pose[bone].rotation = above.inverse() * turned;
    }
    let local = &step_pose.pose[bone];
    if scaled || local.scale != Vec3::ONE {
        step_pose.frames[bone] = step_pose.parent_frame(step_pose.parents[bone]).child_at(local, at);
    } else {
        step_pose.frames[bone].set_unscaled(turned, at);
    }
}

/// Writes the local position of a particle's bone. The frame of the parent must be up to date.
#[inline]
fn write_particle_position(rest: &Rest, particle: &Particle, point: &mut ParticleState, step_pose: &mut StepPose<'_>) {
    if particle.parent == NONE {
        return;
    }
    refresh_skipped_bones(rest, particle, step_pose);
    let bone = particle.bone as usize;
    let parent = step_pose.parent_frame(step_pose.parents[bone]);
    if rest.joints[particle.joint as usize].enabled {
        let local = parent.inverse_transform_point(point.position);
        if local.is_finite() {
            step_pose.pose[bone].translation = local;
        }
    } else {
        let at = parent.transform_point(step_pose.pose[bone].translation);
        *point = ParticleState { position: at, previous: at, ..*point };
    }
}

/// Rotates `rotation` by the shortest arc, so that its local direction `from` points along `to` in the world.
/// Normalizes the result, because errors would grow along the chain.
#[inline(always)]
fn rotated_towards(rotation: Quat, from: Vec3, to: Vec3) -> Quat {
    arc_between(rotation * from, to).map_or(rotation, |arc| renormalize(arc * rotation))
}

/// Rotates one joint towards `at`, a position in the world in metres, and moves the tip's bone there.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, at: Vec3, step_pose: &mut StepPose<'_>) {
    let JointRest { bone, tip, rotates: turns, .. } = rest.joints[joint];
    let Some(tip) = rest.particles.get(tip as usize) else { return };
    let frame = step_pose.frames[bone as usize];
    if turns {
        let from = if tip.bone == NO_PARENT {
            tip.local_offset
        } else {
            refresh_skipped_bones(rest, tip, step_pose);
            step_pose.refresh(tip.bone);
            frame.rotation.inverse() * (step_pose.frames[tip.bone as usize].position - frame.position)
        };
        let turned = rotated_towards(frame.rotation, from, at - frame.position);
        let parent = step_pose.parent_frame(step_pose.parents[bone as usize]).rotation;
        step_pose.pose[bone as usize].rotation = parent.inverse() * turned;
        step_pose.refresh(bone);
    }
    if tip.bone != NO_PARENT {
        refresh_skipped_bones(rest, tip, step_pose);
        let local = step_pose.parent_frame(step_pose.parents[tip.bone as usize]).inverse_transform_point(at);
        if local.is_finite() {
            step_pose.pose[tip.bone as usize].translation = local;
        }
        step_pose.refresh(tip.bone);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    #[test]
    fn bone_scale_x_is_the_scaled_length_of_the_x_axis() {
        let wide = Trs { scale: Vec3::new(-2.0, 1.0, 3.0), ..Trs::IDENTITY };
        let tilted = Trs { rotation: Quat::from_rotation_y(0.4), scale: Vec3::splat(1.5), ..Trs::IDENTITY };
        let plain = Frame::WORLD.child(&Trs::IDENTITY);
        let frames = [plain, Frame::WORLD.child(&wide), Frame::WORLD.child(&tilted)];
        assert_eq!(
            (bone_scale_x(&frames, 0), bone_scale_x(&frames, 1), bone_scale_x(&frames, NO_PARENT)),
            (1.0, 2.0, 1.0)
        );
        assert!((bone_scale_x(&frames, 2) - 1.5).abs() < 1e-6);
    }

    #[test]
    fn a_zero_direction_does_not_rotate() {
        let rotation = Quat::from_rotation_x(0.3);
        assert_eq!(rotated_towards(rotation, Vec3::ZERO, Vec3::X), rotation);
        assert_eq!(rotated_towards(rotation, Vec3::Y, Vec3::ZERO), rotation);
        let found = rotated_towards(rotation, Vec3::Y * 0.1, Vec3::NEG_Z) * Vec3::Y;
        assert!(found.distance(Vec3::NEG_Z) < 1e-6);
    }
}
