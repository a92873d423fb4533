//! One frame: the animated pose, forces, substeps of every particle, and what becomes of the bones.
//!
//! Particles that do not wait for one another take their turns four at a time.

use super::super::super::scene::{NO_PARENT, Scene};
use super::colliders::ColliderSet;
use super::prepare::{BatchInput, prepare};
use super::{
    MIN_STEP_SECONDS, NONE, Params, Particle, PointBatch, Rest, State, System, refresh_tree, vector_to_world,
    write_back,
};
use crate::math::{Frame, Vec3x4, from_lanes};
use crate::sim::solver::batch::Batch;
use crate::sim::vec_util::unit_or_zero_x4;
use glam::{BVec4A, Vec3, Vec4};

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    refresh_tree(rest, scene);
    state.wind_time += dt;
    let space = *scene.parent_frame(rest.space_bone);
    let step = system.constant_step_seconds.unwrap_or(dt);
    if step > MIN_STEP_SECONDS {
        state.frame_seconds = step;
        if rest.space_bone != NO_PARENT && space != state.previous_space {
            let was = state.previous_space;
            state
                .points
                .iter_mut()
                .for_each(|point| *point = space.transform_point(was.inverse_transform_point(*point)));
        }
        state.previous.copy_from_slice(&state.points);
        prepare(rest, params, system, state, scene);
        let substep = step / f32::from(system.iterations);
        for _ in 0..system.iterations {
            for (at, abreast) in rest.point_batches.iter().enumerate() {
                if abreast.is_beyond_start_depth {
                    step_batch(rest, (at, abreast), system, state, scene.frames, substep);
                } else {
                    follow_pose(rest, &abreast.batch, state, scene.frames);
                }
            }
        }
    }
    state.previous_space = space;
    write_back::write_pose(rest, system, state, scene);
}

/// Particles that stay where the pose has them.
fn follow_pose(rest: &Rest, four: &Batch, state: &mut State, frames: &[Frame]) {
    for i in four.active_indices() {
        let i = *i as usize;
        (state.points[i], state.velocities[i]) = (pose_position(rest, &rest.particles[i], frames), Vec3::ZERO);
    }
}

/// Where the pose has a particle, metres; frames are still the pose's.
fn pose_position(rest: &Rest, particle: &Particle, frames: &[Frame]) -> Vec3 {
    if let Some(frame) = frames.get(particle.bone as usize) {
        return frame.position;
    }
    let parent = &frames[rest.joints[particle.head_joint as usize].bone as usize];
    parent.position + vector_to_world(parent, particle.local_offset)
}

/// One substep of particles that swing.
#[inline]
fn step_batch(
    rest: &Rest,
    (at, abreast): (usize, &PointBatch),
    system: &System,
    state: &mut State,
    frames: &[Frame],
    dt: f32,
) {
    let (four, now, is_free) = (&abreast.batch, &state.batch_inputs[at], abreast.is_simulated);
    let old = Vec3x4::new(from_lanes(|lane| state.points[four.indices[lane] as usize]));
    let head = Vec3x4::new(from_lanes(|lane| state.points[abreast.parents[lane] as usize]));
    let mut speed = Vec3x4::new(from_lanes(|lane| state.velocities[four.indices[lane] as usize]));
    speed = (speed + now.velocity_added) * now.velocity_retention;
    let is_awake = speed.length_squared().cmpgt(Vec4::splat(system.sleep_speed_squared));
    let mut new = Vec3x4::select(is_awake, old + speed * dt, old);
    new += (head + now.animated_offset - new) * now.offset_removed;
    let mut kept = head + unit_or_zero_x4(new - head) * now.animated_length;
    if rest.has_siblings {
        kept = apply_sibling_links(rest, four, now, &state.points, new, kept);
    }
    new = kept + (new - kept) * now.slackness;
    if now.may_collide {
        new = push_out(rest, four, now, state, new);
    }
    speed = (speed + (new - old) / dt) * 0.5;
    let is_sound = new.length_squared().is_finite_mask() & speed.length_squared().is_finite_mask();
    if !(is_sound & is_free).all() {
        new = new.replace_lanes(!is_sound, |lane, _| {
            finite_or((head + now.animated_offset).to_array()[lane], old.to_array()[lane])
        });
        new = new.replace_lanes(!is_free, |lane, _| carried_position(rest, four.indices[lane], &state.points, frames));
        speed = Vec3x4::select(is_sound & is_free, speed, Vec3x4::default());
    }
    four.scatter(new.to_array(), &mut state.points);
    four.scatter(speed.to_array(), &mut state.velocities);
}

/// Where a particle hangs at rest; where even that is nowhere, where it was.
fn finite_or(at: Vec3, old: Vec3) -> Vec3 {
    if at.length_squared().is_finite() { at } else { old }
}

/// Where a particle is that hangs on its parent's as in the pose.
fn carried_position(rest: &Rest, i: u32, points: &[Vec3], frames: &[Frame]) -> Vec3 {
    let particle = &rest.particles[i as usize];
    let parent = &rest.particles[particle.parent as usize];
    points[particle.parent as usize] + (pose_position(rest, particle, frames) - pose_position(rest, parent, frames))
}

/// The middle of `kept`, the places in the right distances from the heads, and of those in the right distances from
/// each sibling.
fn apply_sibling_links(
    rest: &Rest,
    four: &Batch,
    now: &BatchInput,
    points: &[Vec3],
    at: Vec3x4,
    kept: Vec3x4,
) -> Vec3x4 {
    let (mut sum, mut count) = (kept, Vec4::ONE);
    for (side, length) in now.sibling_distances.into_iter().enumerate() {
        let siblings = from_lanes(|lane| rest.particles[four.indices[lane] as usize].siblings[side].particle);
        let is_one = BVec4A::from_array(from_lanes(|lane| siblings[lane] != NONE));
        let other = Vec3x4::new(from_lanes(|lane| points.get(siblings[lane] as usize).copied().unwrap_or_default()));
        sum = Vec3x4::select(is_one, sum + (other + unit_or_zero_x4(at - other) * length), sum);
        count += Vec4::select(is_one, Vec4::ONE, Vec4::ZERO);
    }
    sum / count
}

/// Particles where their colliders leave them.
#[inline(never)]
fn push_out(rest: &Rest, four: &Batch, now: &BatchInput, state: &State, free: Vec3x4) -> Vec3x4 {
    let solids = ColliderSet { colliders: &state.world_colliders, hulls: &rest.hulls, corners: &state.hull_corners };
    let mut each = free.to_array();
    for (lane, i) in four.active_indices().iter().enumerate().filter(|(lane, _)| now.radius[*lane] > 0.0) {
        let particle = &rest.particles[*i as usize];
        let joint = &rest.joints[particle.head_joint as usize];
        for at in joint.colliders.slice(&rest.colliders) {
            each[lane] = solids.push_out(*at, particle.bone, each[lane], now.radius[lane]);
        }
    }
    Vec3x4::new(each)
}
