//! Simulates one frame in steps, and rotates joints without a step.

use super::build::{NONE, refresh_path};
use super::{AimLink, ITERATIONS, JointRest, Params, Rest, STEPS_PER_SECOND, State, System};
use crate::Workload;
use crate::collider::WorldCollider;
use crate::math::{Frame, arc_between, renormalize};
use crate::step_pose::StepPose;
use crate::workload::{MAX_FIXED_STEPS, StepCounts, VisitCost, take_fixed_steps};
use glam::{Quat, Vec3};

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let (requested, h) = plan_steps(&mut state.accumulator, system.step_rate, dt);
    let StepCounts { steps, iterations: rounds } =
        StepCounts { steps: requested, iterations: system.iterations }.within_budget(cost(rest));
    let system = System { iterations: rounds, ..system };
    // Lengthens the steps instead of dropping some, so no time is lost.
    let h = if steps < requested { h * (requested as f32 / steps as f32) } else { h };
    // A single step without iterations does not read the start rotations.
    if steps != 1 || system.iterations > 0 {
        for (joint, begun) in rest.joints.iter().zip(&mut state.start_rotations) {
            *begun = step_pose.pose[joint.bone as usize].rotation;
        }
    }
    for (solid, collider) in state.colliders.iter_mut().zip(step_pose.colliders) {
        *solid = WorldCollider::unity_scaled(collider, &step_pose.frames[collider.bone as usize]);
    }
    let context = StepContext { rest, params, system, step_seconds: h };
    if steps == 0 {
        context.point_all_joints(state, step_pose);
    }
    for at in 0..steps {
        if at > 0 {
            context.restore_start_rotations(state, step_pose);
        }
        if system.iterations == 0 {
            context.step_links::<true>(state, step_pose);
        } else {
            context.step_links::<false>(state, step_pose);
            context.solve_constraints(state, step_pose);
            context.point_all_joints(state, step_pose);
        }
        state.previous_dt = h;
    }
    // Updates the descendants of bones that rotated more than once.
    step_pose.refresh_all(&rest.bones_to_refresh);
}

fn cost(rest: &Rest) -> VisitCost {
    let visits = (2 * rest.links.len() + rest.colliders.len()) as u64;
    VisitCost { step: visits, iteration: visits }
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Workload {
    let steps = ((dt * system.step_rate).ceil() as u32).clamp(1, MAX_FIXED_STEPS);
    let requested = StepCounts { steps, iterations: system.iterations };
    let done = requested.within_budget(cost(rest));
    let work =
        Workload::new(done.visits(cost(rest))).with_reduction(0, ITERATIONS, requested.iterations, done.iterations);
    work.with_reduction(1, STEPS_PER_SECOND, requested.steps, done.steps)
}

/// Number of steps in a frame of `dt` seconds, and length of a step in seconds.
fn plan_steps(accumulator: &mut f64, rate: f32, dt: f32) -> (u32, f32) {
    if rate <= 0.0 {
        *accumulator = 0.0;
        return (u32::from(dt > 0.0), dt);
    }
    (take_fixed_steps(accumulator, dt, 1.0 / rate), 1.0 / rate)
}

pub(super) struct StepContext<'a> {
    pub(super) rest: &'a Rest,
    pub(super) params: &'a [Params],
    pub(super) system: System,
    /// Length of the step, in seconds.
    pub(super) step_seconds: f32,
}

impl StepContext<'_> {
    /// Restores the animated rotations before the next step of the same frame.
    fn restore_start_rotations(&self, state: &mut State, step_pose: &mut StepPose<'_>) {
        for (joint, begun) in self.rest.joints.iter().zip(&mut state.start_rotations) {
            let rotation = &mut step_pose.pose[joint.bone as usize].rotation;
            if joint.keeps_rotation {
                *begun = *rotation;
            } else {
                *rotation = *begun;
            }
        }
    }

    /// Moves the point of a disabled joint to its bone.
    #[cold]
    pub(super) fn update_disabled(&self, i: usize, link: &AimLink, state: &mut State, step_pose: &mut StepPose<'_>) {
        let joint = &self.rest.joints[link.joint as usize];
        if link.first {
            refresh_path(self.rest, joint, step_pose);
        }
        let at = finite_or(step_pose.frames[joint.bone as usize].transform_point(link.rest_point), state.points[i]);
        (state.previous[i], state.points[i]) = (at, at);
        self.update_child_colliders(joint, state, step_pose);
    }

    /// Rotates every bone from its rotation at the start of the frame towards its points, without a step.
    fn point_all_joints(&self, state: &mut State, step_pose: &mut StepPose<'_>) {
        for (i, link) in self.rest.links.iter().enumerate() {
            let joint = &self.rest.joints[link.joint as usize];
            if link.first {
                step_pose.pose[joint.bone as usize].rotation = state.start_rotations[link.joint as usize];
                refresh_path(self.rest, joint, step_pose);
            }
            if joint.enabled {
                let head = head_position(joint, &step_pose.frames[joint.bone as usize], state);
                self.point_joint_at(joint, link, head, state.points[i], state, step_pose);
            } else {
                self.update_disabled(i, link, state, step_pose);
            }
        }
    }

    #[inline]
    fn point_joint_at(
        &self,
        joint: &JointRest,
        link: &AimLink,
        head: Vec3,
        point: Vec3,
        state: &mut State,
        step_pose: &mut StepPose<'_>,
    ) {
        rotate_towards(joint, link, head, point, step_pose);
        self.update_child_colliders(joint, state, step_pose);
    }

    #[inline]
    pub(super) fn update_child_colliders(&self, joint: &JointRest, state: &mut State, step_pose: &mut StepPose<'_>) {
        if joint.child_colliders.is_empty() {
            return;
        }
        step_pose.refresh_all(joint.collider_bones.slice(&self.rest.bones));
        for at in joint.child_colliders.slice(&self.rest.child_colliders) {
            let collider = &step_pose.colliders[*at as usize];
            state.colliders[*at as usize] =
                WorldCollider::unity_scaled(collider, &step_pose.frames[collider.bone as usize]);
        }
    }
}

/// Position of the joint's head: the point of its head link, or the bone's position for a root, which follows the
/// body.
#[inline]
fn head_position(joint: &JointRest, frame: &Frame, state: &State) -> Vec3 {
    if joint.head_link == NONE { frame.position } else { state.points[joint.head_link as usize] }
}

/// `at` if `at` is finite, otherwise `last`.
#[inline]
pub(super) fn finite_or(at: Vec3, last: Vec3) -> Vec3 {
    if at.is_finite() { at } else { last }
}

/// Scale of a bone's length; 1 unless lengths follow the scale.
#[inline]
pub(super) fn length_scale(link: &AimLink, frame: &Frame, system: System) -> f32 {
    if !(system.follow_scale && frame.scaled) {
        return 1.0;
    }
    (frame.linear() * link.axis).length()
}

/// Rotates a bone by the shortest arc that makes the link point from `head` to `tip`.
#[inline]
pub(super) fn rotate_towards(joint: &JointRest, link: &AimLink, head: Vec3, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let bone = joint.bone as usize;
    let frame = &step_pose.frames[bone];
    let (position, scaled) = (frame.position, frame.scaled);
    let Some(arc) = arc_between(frame.rotation * link.axis, tip - head) else { return };
    let turned: Quat = renormalize(arc * frame.rotation);
    let rotation = step_pose.parent_frame(step_pose.parents[bone]).rotation.inverse() * turned;
    if !rotation.is_finite() {
        return;
    }
    step_pose.pose[bone].rotation = rotation;
    if scaled {
        step_pose.frames[bone] =
            step_pose.parent_frame(step_pose.parents[bone]).child_at(&step_pose.pose[bone], position);
    } else {
        step_pose.frames[bone].set_unscaled(turned, position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_step_rate_each_frame_takes_one_step() {
        let mut accumulator = 0.5;
        for (dt, expected) in [(1.0 / 144.0, 1), (1.0 / 144.0, 1), (0.0, 0)] {
            assert_eq!(plan_steps(&mut accumulator, 0.0, dt), (expected, dt));
        }
    }
}
