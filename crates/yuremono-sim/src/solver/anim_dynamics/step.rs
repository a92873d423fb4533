//! Runs one frame: captures the animated pose, steps the bodies, and writes the resulting bone poses.

use super::body_probe::{BodyProbe, NoProbe, StepProbe};
use super::force::StepContext;
use super::solve::{collision_radius, contact_distance, mean_scale, world_collider};
use super::{
    BodyPose, BodyVelocity, ITERATIONS_POST, ITERATIONS_PRE, NO_BODY, Params, PreviousSpace, Rest, SUBSTEP_RATE, State,
    System, force, solve,
};
use crate::Workload;
use crate::collider::WorldCollider;
use crate::math::Frame;
use crate::probe::{self, TipPart};
use crate::step_pose::StepPose;
use crate::workload::{StepCounts, VisitCost, split_iterations};
use glam::{Quat, Vec3, Vec3A};

/// Maximum length of a frame, in seconds.
const MAX_FRAME_SECONDS: f32 = 1.0;

/// Returns the length of a step in a frame of `frame` seconds.
pub(super) fn step_seconds(rate: f32, frame: f32) -> f32 {
    if rate > 0.0 { rate.min(1e4).recip() } else { frame }
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let dt = if dt > 0.0 { dt.min(MAX_FRAME_SECONDS) } else { 0.0 };
    let space_acceleration = carry_with_space(rest, system, state, step_pose.frames, dt);
    let push = space_acceleration + system.external_acceleration;
    update_anchors(rest, params, system, state, step_pose);
    if std::mem::take(&mut state.starts_from_pose) {
        start_from_pose(state);
    }
    apply_set_tips(rest, params, system, state, dt);
    let frame = FrameInput {
        rest,
        params,
        system,
        dt,
        external_acceleration: push.into(),
        space_acceleration: space_acceleration.into(),
    };
    // Without bone poses, tips only follow the animation.
    match step_pose.probe.filter(|_| system.writes_bones) {
        Some(probe) => run_steps(&frame, state, step_pose, BodyProbe { rest, params, system, probe }),
        None => run_steps(&frame, state, step_pose, NoProbe),
    }
    write_pose(rest, params, system, state, step_pose);
}

struct FrameInput<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: &'a System,
    /// Length of the frame, in seconds.
    dt: f32,
    /// External acceleration, and its part that the motion of the simulation space causes, in m/s².
    external_acceleration: Vec3A,
    space_acceleration: Vec3A,
}

/// Moves the bodies by the steps of a frame.
fn run_steps(frame: &FrameInput<'_>, state: &mut State, step_pose: &StepPose<'_>, probe: impl StepProbe) {
    let FrameInput { rest, params, system, .. } = *frame;
    probe.reach_all(TipPart::Inertia, state);
    let (count, h) = plan_steps(system, state, frame.dt);
    let (count, h, rounds) = bounded_steps(rest, system, count, h);
    if count == 0 {
        solve::enforce_joints(rest, params, state, 1.0, system.post_iterations > 0, false, probe);
        return;
    }
    update_anchor_velocities(rest, state, count as f32 * h);
    update_external_accelerations(rest, params, state, step_pose);
    for (own, collider) in state.world_colliders.iter_mut().zip(step_pose.colliders) {
        *own = world_collider(collider, &step_pose.frames[collider.bone as usize], system);
    }
    update_contact_ranges(rest, state);
    let gravity =
        if system.gravity_in_space { state.previous_space.rotation() * system.gravity } else { system.gravity };
    let pace = if state.previous_step_seconds > 0.0 { (h / state.previous_step_seconds).min(2.0) } else { 0.0 };
    for k in 0..count {
        let share = |k: u32| k as f32 / count as f32;
        let step = StepContext {
            step_seconds: h,
            start_fraction: share(k),
            end_fraction: share(k + 1),
            step_ratio: if k == 0 { pace } else { 1.0 },
            gravity: gravity.into(),
            external_acceleration: frame.external_acceleration,
            space_acceleration: frame.space_acceleration,
            probe,
        };
        step_bodies(rest, params, rounds, state, &step);
    }
    state.previous_step_seconds = h;
    for hang in &mut state.anchors {
        (hang.previous_rotation, hang.previous_position) = (hang.rotation, hang.position);
    }
}

/// Runs one step in Unreal's order: forces and springs, velocity solve, motion, position solve.
fn step_bodies<P: StepProbe>(
    rest: &Rest,
    params: &[Params],
    [pre, post]: [u32; 2],
    state: &mut State,
    step: &StepContext<P>,
) {
    force::apply_forces(rest, params, state, step);
    update_contact_distances(params, state);
    solve::solve_velocities(rest, params, state, pre, step);
    solve::integrate(rest, state, step);
    solve::solve_positions(rest, params, state, post, step);
}

/// Returns the number and the length of the steps of a frame. Drops time beyond the catch-up limit.
fn plan_steps(system: &System, state: &mut State, dt: f32) -> (u32, f32) {
    if !system.simulates || dt <= 0.0 {
        return (0, 0.0);
    }
    if system.substep_rate <= 0.0 {
        return (1, dt.min(system.max_accumulated));
    }
    let h = step_seconds(system.substep_rate, dt).min(MAX_FRAME_SECONDS);
    state.accumulator = (state.accumulator + dt).min(system.max_accumulated.max(h));
    // Rounding errors must not skip the step of a frame that is exactly one step long.
    let count = (state.accumulator / h + 1e-3).floor();
    state.accumulator = (state.accumulator - count * h).max(0.0);
    (count as u32, h)
}

/// Returns the cost of a step and of an iteration, in visits. A body costs several times as much as a link.
fn visit_cost(rest: &Rest) -> VisitCost {
    let joints = rest.joints.len() as u64;
    VisitCost { step: 16 * joints, iteration: 4 * joints + rest.colliders.len() as u64 }
}

/// Returns the number of steps, their length and their iterations within the budget. If the budget allows fewer steps,
/// the steps become longer, so no time is lost.
fn bounded_steps(rest: &Rest, system: &System, steps: u32, h: f32) -> (u32, f32, [u32; 2]) {
    let requested = StepCounts { steps, iterations: system.pre_iterations + system.post_iterations };
    let done = requested.within_budget(visit_cost(rest));
    let h = if done.steps < steps { h * (steps as f32 / done.steps as f32) } else { h };
    (done.steps, h, split_iterations([system.pre_iterations, system.post_iterations], done.iterations))
}

pub(super) fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
    let rate = system.substep_rate;
    let steps = if rate > 0.0 { (dt.min(system.max_accumulated) * rate + 1e-3) as u32 } else { 1 };
    let requested = StepCounts { steps: steps.max(1), iterations: system.pre_iterations + system.post_iterations };
    let done = requested.within_budget(visit_cost(rest));
    let work = Workload::new(done.visits(visit_cost(rest)));
    let [pre, post] = split_iterations([system.pre_iterations, system.post_iterations], done.iterations);
    let work = work.with_reduction(0, ITERATIONS_PRE, system.pre_iterations, pre).with_reduction(
        1,
        ITERATIONS_POST,
        system.post_iterations,
        post,
    );
    work.with_reduction(2, SUBSTEP_RATE, requested.steps, done.steps)
}

/// Updates the animated frames of the bones, and the attachments of the joints to their parents.
pub(super) fn update_anchors(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &StepPose<'_>,
) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let mut frame = if joint.parent_joint == NO_BODY {
            *step_pose.parent_frame(joint.parent)
        } else {
            state.animated_frames[joint.parent_joint as usize]
        };
        for bone in joint.skipped_bones.slice(&rest.skipped_bones) {
            frame = frame.child(&step_pose.pose[*bone as usize]);
        }
        let frame = frame.child(&step_pose.pose[joint.bone as usize]);
        state.animated_frames[i] = frame;
        let size = mean_scale(&frame);
        let (center, point) = system.center_and_joint(p.joint_offset, size);
        let head = Vec3A::from(frame.position);
        let center = head + frame.rotation * center;
        let (mut turn, mut at) = (frame.rotation, head + frame.rotation * point);
        if joint.parent_joint != NO_BODY {
            let above = state.animated_frames[joint.parent_joint as usize].rotation.inverse();
            turn = above * turn;
            at = above * (at - state.anchors[joint.parent_joint as usize].body_center);
        }
        let hang = &mut state.anchors[i];
        let turn = turn.normalize();
        if turn.is_finite() && at.is_finite() && center.is_finite() {
            (hang.rotation, hang.position, hang.body_center, hang.scale) = (turn, at, center, size);
        }
    }
}

/// Computes the velocities of the joints attached to the world in this frame of `time` seconds.
fn update_anchor_velocities(rest: &Rest, state: &mut State, time: f32) {
    for (hang, _) in state.anchors.iter_mut().zip(&rest.joints).filter(|(_, joint)| joint.parent_joint == NO_BODY) {
        let turn = hang.rotation * hang.previous_rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        hang.velocity = BodyVelocity {
            linear: (hang.position - hang.previous_position) / time,
            angular: Vec3A::from(turn.to_scaled_axis()) / time,
        };
        if !(hang.velocity.linear.is_finite() && hang.velocity.angular.is_finite()) {
            hang.velocity = BodyVelocity::default();
        }
    }
}

/// Computes the accelerations by winds and forces in this frame.
fn update_external_accelerations(rest: &Rest, params: &[Params], state: &mut State, step_pose: &StepPose<'_>) {
    if step_pose.forces.is_empty() {
        state.anchors.iter_mut().for_each(|hang| hang.external_acceleration = Vec3A::ZERO);
        return;
    }
    for (i, _) in rest.joints.iter().enumerate() {
        let center = Vec3::from(state.body_poses[i].center);
        let at = |f: &crate::force::ForceRuntime| {
            f.force_on(&step_pose.frames[f.bone as usize], center, params[i].wind_scale)
        };
        let blow = Vec3A::from(step_pose.forces.iter().map(at).sum::<Vec3>());
        state.anchors[i].external_acceleration = if blow.is_finite() { blow } else { Vec3A::ZERO };
    }
}

/// Lists the colliders of each joint that are not off.
fn update_contact_ranges(rest: &Rest, state: &mut State) {
    for (joint, range) in rest.joints.iter().zip(&mut state.contact_ranges) {
        let own = joint.colliders.slice(&rest.colliders).iter();
        let active = own.filter(|collider| state.world_colliders[**collider as usize] != WorldCollider::Off);
        let mut count = 0;
        for (to, collider) in joint.colliders.slice_mut(&mut state.contact_colliders).iter_mut().zip(active) {
            *to = *collider;
            count += 1;
        }
        *range = joint.colliders.prefix(count);
    }
}

/// Computes the distances of bodies from planes and spheres.
fn update_contact_distances(params: &[Params], state: &mut State) {
    for (i, p) in params.iter().enumerate() {
        let ball = collision_radius(p, state.anchors[i].scale);
        for at in state.contact_ranges[i].range() {
            let collider = &state.world_colliders[state.contact_colliders[at] as usize];
            state.contact_distances[at] = contact_distance(collider, state.body_poses[i].center, ball);
        }
    }
}

/// Moves bodies to their animated bones and removes their velocity.
fn start_from_pose(state: &mut State) {
    for (i, hang) in state.anchors.iter_mut().enumerate() {
        (hang.previous_rotation, hang.previous_position, hang.velocity) =
            (hang.rotation, hang.position, BodyVelocity::default());
        let rotation = state.animated_frames[i].rotation.normalize();
        let rotation = if rotation.is_finite() { rotation } else { Quat::IDENTITY };
        state.body_poses[i] = BodyPose { center: hang.body_center, rotation };
        state.body_velocities[i] = BodyVelocity::default();
        state.constraints[i].accumulated_impulse = Vec3A::ZERO;
    }
}

/// Rotates bodies after the user moved their tips. The bodies get the velocity of the tips.
fn apply_set_tips(rest: &Rest, params: &[Params], system: &System, state: &mut State, dt: f32) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if !std::mem::take(&mut state.tip_was_set[i]) || !joint.enabled {
            continue;
        }
        let hang = state.anchors[i];
        let (point, speed) = if joint.parent_joint == NO_BODY {
            (hang.position, hang.velocity.linear)
        } else {
            let (above, motion) =
                (state.body_poses[joint.parent_joint as usize], state.body_velocities[joint.parent_joint as usize]);
            let arm = above.rotation * hang.position;
            (above.center + arm, motion.at_point(arm))
        };
        let place = &mut state.body_poses[i];
        let offset = params[i].joint_offset * hang.scale;
        let on_bone = system.center_and_joint(params[i].joint_offset, hang.scale).1;
        let tip = Vec3A::from(state.tips[i]);
        let (from, to) = (place.rotation * (Vec3A::from(joint.tip_offset) - on_bone), tip - point);
        if let (Some(a), Some(b)) = (from.try_normalize(), to.try_normalize()) {
            place.rotation = (crate::math::shortest_arc(a.into(), b.into()) * place.rotation).normalize();
            let flung = if dt > 0.0 { (tip - Vec3A::from(state.previous[i])) / dt } else { speed };
            state.body_velocities[i].angular = to.cross(flung - speed) / to.length_squared();
        }
        let arm = place.rotation * offset;
        place.center = point - arm;
        state.body_velocities[i].linear = speed - state.body_velocities[i].angular.cross(arm);
        if !(place.center.is_finite() && place.rotation.is_finite() && state.body_velocities[i].angular.is_finite()) {
            *place = BodyPose { center: hang.body_center, rotation: Quat::IDENTITY };
            state.body_velocities[i] = BodyVelocity::default();
        }
    }
}

/// Pose of a simulation space in the world.
#[derive(Clone, Copy, PartialEq)]
struct SpacePose {
    rotation: Quat,
    position: Vec3,
}

/// Moves all bodies along with their simulation space. Returns the acceleration of the bodies by the motion of the
/// space, in m/s².
pub(super) fn carry_with_space(rest: &Rest, system: &System, state: &mut State, frames: &[Frame], dt: f32) -> Vec3 {
    let bone = rest.space_bones[system.space_index];
    let Some(frame) = frames.get(bone as usize) else {
        state.previous_space = PreviousSpace::default();
        return Vec3::ZERO;
    };
    let now = SpacePose { rotation: frame.rotation, position: frame.position };
    if !(now.rotation.is_finite() && now.position.is_finite()) {
        return Vec3::ZERO;
    }
    // If the simulation space changed, it starts without a velocity.
    let known = state.previous_space.pose.filter(|(before, ..)| *before == bone);
    if known.is_none() {
        state.previous_space.velocity = None;
    }
    state.previous_space.pose = Some((bone, now.rotation, now.position));
    let before = known.map_or(now, |(_, rotation, position)| SpacePose { rotation, position });
    if before != now {
        transform_bodies(rest, state, before, now);
    }
    if dt <= 0.0 {
        return Vec3::ZERO;
    }
    let speed = (now.position - before.position) / dt;
    let last = state.previous_space.velocity.replace(speed).unwrap_or(speed);
    let (speed, acceleration) = (now.rotation.inverse() * speed, now.rotation.inverse() * ((speed - last) / dt));
    let felt = acceleration * system.acceleration_scale + speed * system.velocity_scale;
    now.rotation * -felt.max(-system.acceleration_clamp).min(system.acceleration_clamp)
}

fn transform_bodies(rest: &Rest, state: &mut State, before: SpacePose, now: SpacePose) {
    let turn = (now.rotation * before.rotation.inverse()).normalize();
    let (from, to) = (Vec3A::from(before.position), Vec3A::from(now.position));
    let point = |p: Vec3A| to + turn * (p - from);
    for (place, motion) in state.body_poses.iter_mut().zip(&mut state.body_velocities) {
        place.center = point(place.center);
        place.rotation = (turn * place.rotation).normalize();
        motion.linear = turn * motion.linear;
        motion.angular = turn * motion.angular;
    }
    for (tip, previous) in state.tips.iter_mut().zip(&mut state.previous) {
        (*tip, *previous) = (point((*tip).into()).into(), point((*previous).into()).into());
    }
    state.constraints.iter_mut().for_each(|link| link.accumulated_impulse = turn * link.accumulated_impulse);
    for (hang, _) in state.anchors.iter_mut().zip(&rest.joints).filter(|(_, joint)| joint.parent_joint == NO_BODY) {
        hang.previous_position = point(hang.previous_position);
        hang.previous_rotation = (turn * hang.previous_rotation).normalize();
    }
}

/// Rotates the bones to match their bodies, parents first, and moves bones whose joints have linear play or are offset
/// from the bone's head.
pub(super) fn write_pose(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        step_pose.refresh_all(joint.skipped_bones.slice(&rest.skipped_bones));
        sanitize_body(rest, state, i);
        let (center, _) = system.center_and_joint(p.joint_offset, state.anchors[i].scale);
        let place = state.body_poses[i];
        let parent = *step_pose.parent_frame(joint.parent);
        let mut local = step_pose.pose[joint.bone as usize];
        let mut at = parent.transform_point(local.translation);
        let mut rotation = parent.rotation * local.rotation;
        if system.writes_bones {
            let turned = (parent.rotation.inverse() * place.rotation).normalize();
            if turned.is_finite() {
                (local.rotation, rotation) = (turned, place.rotation);
            }
            if can_translate(p, system) {
                let moved = parent.inverse_transform_point((place.center - place.rotation * center).into());
                // A degenerate frame has no inverse.
                if moved.is_finite() && parent.transform_point(moved).is_finite() {
                    local.translation = moved;
                    at = parent.transform_point(moved);
                }
            }
        }
        step_pose.frames[joint.bone as usize] = parent.child_at(&local, at);
        step_pose.pose[joint.bone as usize] = local;
        let tip = at + rotation * joint.tip_offset;
        state.previous[i] = state.tips[i];
        if tip.is_finite() {
            state.tips[i] = tip;
            // The head of a bone that cannot move relative to its parent is where the parent's bone carries it.
            let part = if system.writes_bones { TipPart::LengthLimit } else { TipPart::Inertia };
            probe::record(step_pose.probe, move |probe| probe.reach(i, part, tip));
        }
    }
}

/// Returns whether the body can move its bone relative to the parent.
fn can_translate(p: &Params, system: &System) -> bool {
    !p.locked || (!system.joint_on_bone && p.joint_offset != Vec3A::ZERO)
}

/// Resets a non-finite body to the animation.
fn sanitize_body(rest: &Rest, state: &mut State, i: usize) {
    let (place, motion) = (state.body_poses[i], state.body_velocities[i]);
    let numbers = place.center.is_finite() && place.rotation.is_finite();
    if numbers
        && motion.linear.is_finite()
        && motion.angular.is_finite()
        && state.constraints[i].accumulated_impulse.is_finite()
    {
        return;
    }
    let (joint, hang) = (&rest.joints[i], state.anchors[i]);
    let rotation = if joint.parent_joint == NO_BODY {
        hang.rotation
    } else {
        (state.body_poses[joint.parent_joint as usize].rotation * hang.rotation).normalize()
    };
    state.body_poses[i] = BodyPose { center: hang.body_center, rotation };
    state.body_velocities[i] = BodyVelocity::default();
    state.constraints[i].accumulated_impulse = Vec3A::ZERO;
}

/// Rotates one bone so that its tip points at `tip`, without a step. The body follows in the next step.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let joint = &rest.joints[joint];
    step_pose.refresh(joint.bone);
    let frame = step_pose.frames[joint.bone as usize];
    let (from, to) = ((frame.rotation * joint.tip_offset).try_normalize(), (tip - frame.position).try_normalize());
    if let (Some(from), Some(to)) = (from, to) {
        let parent = *step_pose.parent_frame(joint.parent);
        let turned = parent.rotation.inverse() * crate::math::shortest_arc(from, to) * frame.rotation;
        step_pose.pose[joint.bone as usize].rotation = turned.normalize();
        step_pose.refresh(joint.bone);
    }
}
