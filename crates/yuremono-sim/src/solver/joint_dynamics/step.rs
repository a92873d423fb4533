//! Simulates one frame: plans its steps, applies the root motion, runs the passes of each step, and writes the pose.

use super::super::super::step_pose::{NO_PARENT, StepPose};
use super::{
    EPSILON, JointRest, LinkConstraint, NONE, Params, PointGrab, RATE, RELAXATION, Rest, SUB_STEPS, State, System,
    collide, relax,
};
use crate::math::{Frame, shortest_arc, slerp};
use crate::probe::{self, Probe, TipPart};
use crate::vec_util::{lerp_unclamped, unit_or_zero};
use crate::workload::{StepCounts, VisitCost};
use crate::{ColliderShape, Workload};
use glam::{Quat, Vec3};

/// Longest time that one frame catches up on, in seconds.
const MAX_CATCH_UP: f32 = 2.0;
/// Largest coordinate that is simulated, in metres.
const MAX_COORDINATE: f32 = 1e12;

/// Steps of one frame.
struct StepPlan {
    /// Total length of all steps, in seconds; 0 if nothing moves.
    time: f32,
    steps: u32,
}

/// Root motion beyond the root's slide and rotate limits, per step.
struct RootMotion {
    pivot: Vec3,
    translation: Vec3,
    rotation: Quat,
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    capture_limit_centers(rest, state, step_pose);
    refresh_animated_frames(rest, step_pose);
    let dt = dt.max(0.0) * system.time_scale;
    if !state.clock.started {
        // `SPCRJointDynamics` also counts the frame in which the component is set up.
        (state.clock.started, state.clock.delay, state.clock.accumulator) = (true, system.reset_delay, dt);
    }
    state.clock.accumulator = (state.clock.accumulator + dt).min(MAX_CATCH_UP);
    if state.clock.delay > 0.0 {
        state.clock.delay -= dt;
        snap_to_pose(rest, state, step_pose);
        if state.clock.delay > 0.0 {
            return;
        }
    }
    capture_pose(rest, state, step_pose);
    let mut plan = plan_steps(system, state);
    let counts = bounded_counts(rest, system, plan.steps);
    plan.steps = counts.steps;
    let carry = root_motion(rest, system, state, step_pose, &plan);
    prepare_frame(rest, params, system, state);
    let mut wave = state.clock.wave_phase;
    let moves = plan.time > 0.0;
    for step in 1..=plan.steps {
        let share = step as f32 / plan.steps as f32;
        let seconds = plan.time / plan.steps as f32;
        for collider in &mut state.colliders {
            collider.interpolate(share, state.clock.collider_scale);
        }
        let context = StepContext {
            rest,
            params,
            system,
            carry: &carry,
            share,
            push: moves.then_some(seconds * seconds * system.gravity_share),
            probe: step_pose.probe,
        };
        context.integrate(state);
        if moves {
            wave += system.wave_speed * seconds;
            if system.surface {
                collide::collide(rest, state);
                reach_all(TipPart::Collision, state, step_pose.probe);
            }
            for _ in 0..counts.iterations {
                relax::relax_links(rest, system, state, step_pose.probe);
            }
        }
        if system.limit_same_frame {
            relax::limit_angles(rest, params, system, state);
            reach_all(TipPart::AngleLimit, state, step_pose.probe);
        }
        update_output(rest, params, system, state, share, wave);
    }
    sanitize_points(state);
    write_pose(rest, system, state, step_pose);
    if !system.limit_same_frame {
        reach_all(TipPart::Other, state, step_pose.probe);
        relax::limit_angles(rest, params, system, state);
        reach_all(TipPart::AngleLimit, state, step_pose.probe);
        sanitize_points(state);
    }
}

/// Reports the positions of all points to the probe.
#[inline]
fn reach_all(part: TipPart, state: &State, probe: Option<Probe<'_>>) {
    probe::record(probe, move |probe| probe.reach_all(part, state.points.iter().map(|point| point.position)));
}

/// Updates the frames of the joints and of all their descendants to the animated pose.
pub(super) fn refresh_animated_frames(rest: &Rest, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(&rest.subtree_bones);
}

/// Stores the centers of the movable limits. The grandparents are in the pose of the last frame, because
/// `SPCRJointDynamics` reads them before the pose is restored.
fn capture_limit_centers(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    if rest.points.iter().all(|p| p.limit_radius < 0.0) {
        return;
    }
    let State { last_locals, limit_centers: limits, .. } = state;
    for (joint, last_local) in rest.joints.iter().zip(last_locals.iter_mut()) {
        std::mem::swap(&mut step_pose.pose[joint.bone as usize], last_local);
    }
    refresh_animated_frames(rest, step_pose);
    for (point, limit) in rest.points.iter().zip(limits) {
        if let Some(frame) = step_pose.frames.get(point.limit_bone as usize) {
            *limit = frame.transform_point(point.limit_offset);
        }
    }
    for (joint, last_local) in rest.joints.iter().zip(last_locals) {
        std::mem::swap(&mut step_pose.pose[joint.bone as usize], last_local);
    }
}

/// Animated position of a point, or its last animated position if the new position is not finite or too large.
fn animated_position(rest: &Rest, point: usize, step_pose: &StepPose<'_>, before: Vec3) -> Vec3 {
    let point = &rest.points[point];
    let at = step_pose.frames[point.bone as usize].transform_point(point.offset);
    if at.abs().max_element() < MAX_COORDINATE { at } else { before }
}

fn component_pose(rest: &Rest, step_pose: &StepPose<'_>) -> (Vec3, Quat) {
    let frame = if rest.component == NO_PARENT { Frame::WORLD } else { step_pose.frames[rest.component as usize] };
    let finite = frame.position.abs().max_element() < MAX_COORDINATE && frame.rotation.is_finite();
    if finite { (frame.position, frame.rotation) } else { (Vec3::ZERO, Quat::IDENTITY) }
}

/// Moves all points to the animated pose and stops them. The frames must be up to date.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for i in 0..rest.points.len() {
        let at = animated_position(rest, i, step_pose, state.animated_to[i]);
        state.points[i].position = at;
        state.points[i].friction = 0.5;
        state.grabbed[i] = PointGrab::FREE;
        state.wave_direction[i] = Vec3::Z;
        (state.previous[i], state.animated_from[i], state.animated_to[i], state.output[i]) = (at, at, at, at);
    }
    for (joint, last_local) in rest.joints.iter().zip(&mut state.last_locals) {
        *last_local = step_pose.pose[joint.bone as usize];
    }
    for (placed, collider) in state.colliders.iter_mut().zip(step_pose.colliders) {
        placed.capture(collider, &step_pose.frames[collider.bone as usize]);
        placed.clear_motion();
    }
    state.last_component_pose = component_pose(rest, step_pose);
    reach_all(TipPart::Inertia, state, step_pose.probe);
}

/// Stores where the points, colliders, grabbers and planes are in the animated pose of this frame.
fn capture_pose(rest: &Rest, state: &mut State, step_pose: &StepPose<'_>) {
    for i in 0..rest.points.len() {
        state.animated_from[i] = state.animated_to[i];
        state.animated_to[i] = animated_position(rest, i, step_pose, state.animated_from[i]);
    }
    for (placed, collider) in state.colliders.iter_mut().zip(step_pose.colliders) {
        placed.capture(collider, &step_pose.frames[collider.bone as usize]);
    }
    for (at, grabber) in state.grabbers.iter_mut().zip(&rest.grabbers) {
        *at = step_pose.frames[grabber.bone.index()].position;
    }
    let up = rest.plane_bones.iter().map(|bone| (*bone, Vec3::Y, true));
    let shapes = step_pose.colliders.iter().map(|c| (c.bone, Vec3::Z, c.enabled && c.shape == ColliderShape::Plane));
    for (plane, (bone, way, is_plane)) in state.planes.iter_mut().zip(up.chain(shapes)) {
        let frame = &step_pose.frames[bone as usize];
        let normal = frame.rotation * way;
        let distance = -normal.dot(frame.position);
        let sound = is_plane && normal.is_finite() && distance.is_finite();
        *plane = if sound { (normal, distance) } else { (Vec3::ZERO, 0.0) };
    }
}

/// Number and total length of the steps. A frame shorter than a step is one short step.
fn plan_steps(system: &System, state: &mut State) -> StepPlan {
    let clock = &mut state.clock;
    let whole = (clock.accumulator / system.nominal_step).floor();
    let time = if whole < 1.0 { clock.accumulator } else { whole * system.nominal_step };
    if !system.paused {
        let way = if system.blend < system.return_start { 1.0 } else { -1.0 };
        clock.collider_scale = (clock.collider_scale + way * system.return_speed * time).clamp(0.0, 1.0);
    }
    clock.accumulator -= time;
    if system.paused || time <= 0.0 {
        return StepPlan { time: 0.0, steps: 1 };
    }
    clock.wave_phase += system.wave_speed * time;
    // Wrapping the angle keeps the sine precise in long runs.
    clock.wave_phase %= std::f32::consts::TAU * 1024.0;
    StepPlan { time, steps: system.sub_steps * (whole as u32).max(1) }
}

fn cost(rest: &Rest, system: &System) -> VisitCost {
    let surfaces = if system.surface { rest.surface_cost } else { 0 };
    // Angle limits and waves visit every point once more.
    let limits_in_step = system.limit_same_frame && system.limit_deg >= 0.0;
    let passes = u64::from(limits_in_step) + u64::from(system.fake_wave);
    VisitCost { step: rest.cost.step + surfaces + passes * rest.points.len() as u64, ..rest.cost }
}

/// Steps and iterations within the budget. If the budget allows fewer steps, each step is longer, so no time is lost.
fn bounded_counts(rest: &Rest, system: &System, steps: u32) -> StepCounts {
    StepCounts { steps, iterations: system.relaxation }.within_budget(cost(rest, system))
}

pub(super) fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
    let time = (dt * system.time_scale).min(MAX_CATCH_UP);
    let each = system.sub_steps.saturating_mul(((time / system.nominal_step) as u32).max(1));
    let requested = StepCounts { steps: each, iterations: system.relaxation };
    let done = requested.within_budget(cost(rest, system));
    let param = if system.sub_steps > 1 { SUB_STEPS } else { RATE };
    let workload = Workload::new(done.visits(cost(rest, system)));
    workload.with_reduction(0, RELAXATION, requested.iterations, done.iterations).with_reduction(
        1,
        param,
        requested.steps,
        done.steps,
    )
}

/// The root motion that moves all points: the part beyond the limits, or all of it if no step is simulated.
fn root_motion(
    rest: &Rest,
    system: &System,
    state: &mut State,
    step_pose: &StepPose<'_>,
    plan: &StepPlan,
) -> RootMotion {
    let (pivot, rotation) = component_pose(rest, step_pose);
    let (before, turned) = std::mem::replace(&mut state.last_component_pose, (pivot, rotation));
    let moved = pivot - before;
    // Differs from `SPCRJointDynamics`: both signs of the quaternion give the shorter rotation.
    let mut delta = rotation * turned.inverse();
    if delta.w < 0.0 {
        delta = -delta;
    }
    if plan.time <= 0.0 {
        return RootMotion { pivot, translation: moved, rotation: delta };
    }
    let steps = plan.steps as f32;
    let (limit, length) = (system.slide_limit * plan.time, moved.length());
    let slides = limit >= 0.0 && length > limit;
    let slide = if slides { moved * (1.0 - limit / length) / steps } else { Vec3::ZERO };
    let (limit, angle) = (system.rotate_limit * plan.time, 2.0 * libm::acosf(delta.w.min(1.0)).to_degrees());
    let axis = delta.xyz().try_normalize();
    let turn = match axis {
        Some(axis) if limit >= 0.0 && angle > limit => {
            Quat::from_axis_angle(axis, ((angle - limit) / steps).to_radians())
        }
        _ => Quat::IDENTITY,
    };
    RootMotion { pivot, translation: slide, rotation: turn }
}

/// Computes the accelerations of the points and the strengths of the links for this frame.
fn prepare_frame(rest: &Rest, params: &[Params], system: &System, state: &mut State) {
    for (point, drive) in rest.points.iter().zip(&mut state.accelerations) {
        let p = &params[point.joint as usize];
        let mass = (point.mass * p.mass_scale).max(0.01);
        *drive = system.gravity * p.gravity_scale + system.wind * (p.wind_scale * point.depth_ratio) / mass;
    }
    for (link, now) in rest.links.iter().zip(&mut state.links) {
        let [a, b] = [link.a, link.b].map(|i| &rest.points[i as usize]);
        let [pa, pb] = [a, b].map(|point| &params[point.joint as usize]);
        let kind = link.kind as usize;
        let both = |shared: bool, all: fn(&Params) -> f32, own: fn(&Params, usize) -> f32| {
            if shared { all(pa) + all(pb) } else { own(pa, kind) + own(pb, kind) }
        };
        let mut shrink = both(system.all_shrink[kind], |p| p.all_shrink, |p, kind| p.shrink[kind]);
        let stretch = both(system.all_stretch[kind], |p| p.all_stretch, |p, kind| p.stretch[kind]);
        let mut longest = link.length;
        if relax::has_slack(link.kind) {
            shrink = shrink.min(system.shrink_limit);
            longest += pa.slack + pb.slack;
        }
        let weights = (a.weight + b.weight).max(1.0);
        *now = LinkConstraint {
            a: link.a,
            b: link.b,
            length: link.length,
            max_length: longest,
            shrink,
            stretch,
            share_a: a.weight / weights,
            share_b: b.weight / weights,
            colliders: link.colliders,
        };
    }
}

/// What all points of a step share.
struct StepContext<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: &'a System,
    carry: &'a RootMotion,
    /// Share of the frame's animation at the end of the step.
    share: f32,
    /// Factor on accelerations; `None` if nothing moves.
    push: Option<f32>,
    probe: Option<Probe<'a>>,
}

impl StepContext<'_> {
    /// Applies inertia, forces and hardness.
    fn integrate(&self, state: &mut State) {
        let Self { rest, params, carry, share, .. } = *self;
        for (i, point) in rest.points.iter().enumerate() {
            let reach = |part: TipPart, at: Vec3| probe::record(self.probe, move |probe| probe.reach(i, part, at));
            let pose = lerp_unclamped(state.animated_from[i], state.animated_to[i], share);
            let own = &mut state.points[i];
            if point.weight == 0.0 {
                state.previous[i] = own.position;
                own.position = pose;
                reach(TipPart::Inertia, pose);
                continue;
            }
            let carried = |at: Vec3| carry.rotation * (at - carry.pivot) + carry.pivot + carry.translation;
            let (at, previous) = if carry.rotation == Quat::IDENTITY {
                (own.position + carry.translation, state.previous[i] + carry.translation)
            } else {
                (carried(own.position), carried(state.previous[i]))
            };
            let p = &params[point.joint as usize];
            state.previous[i] = at;
            let slowed = own.friction;
            *own = super::PointState { position: at, friction: 0.0 };
            reach(TipPart::Inertia, at);
            if let Some(push) = self.push {
                let kept = p.velocity_retention * (1.0 - (slowed * p.friction).clamp(0.0, 1.0));
                own.position += (at - previous + state.accelerations[i] * push) * kept;
                if let Some(probe) = self.probe {
                    let inert = at + (at - previous) * kept;
                    let gravity = self.system.gravity * (p.gravity_scale * push * kept);
                    record_motion(probe, i, [inert, inert + gravity, own.position]);
                }
                own.position += (pose - own.position) * p.hardness;
                if point.fade > 0.0 {
                    own.position = lerp_unclamped(own.position, pose, point.fade);
                }
                reach(TipPart::Spring, own.position);
                own.position = grab(rest, &state.grabbers, &mut state.grabbed[i], own.position);
                reach(TipPart::Force, own.position);
                if point.limit_radius >= 0.0 && point.limit_bone != NONE {
                    own.position = clamp_to_sphere(own.position, state.limit_centers[i], point.limit_radius);
                    reach(TipPart::LengthLimit, own.position);
                }
            }
            for (normal, distance) in &state.planes {
                let above = normal.dot(own.position) + distance;
                if above < 0.0 {
                    *own = super::PointState { position: own.position - *normal * above, friction: 0.3 };
                }
            }
            reach(TipPart::Collision, own.position);
        }
    }
}

/// Records the positions of a point after inertia, gravity and wind.
#[cold]
#[inline(never)]
fn record_motion(probe: Probe<'_>, point: usize, [inert, fallen, blown]: [Vec3; 3]) {
    probe.reach(point, TipPart::Inertia, inert);
    probe.reach(point, TipPart::Gravity, fallen);
    probe.reach(point, TipPart::Force, blown);
}

/// Pulls a grabbed point to half the distance at which the grabber caught the point. The nearest grabber in reach
/// catches a free point.
fn grab(rest: &Rest, grabber_centers: &[Vec3], grabbed: &mut PointGrab, at: Vec3) -> Vec3 {
    if let Some(grabber) = rest.grabbers.get(grabbed.grabber as usize) {
        if !grabber.enabled {
            *grabbed = PointGrab::FREE;
            return at;
        }
        let middle = grabber_centers[grabbed.grabber as usize];
        let held = middle + unit_or_zero(at - middle) * grabbed.distance;
        return at + (held - at) * grabber.force;
    }
    let mut nearest = f32::MAX;
    for (i, (grabber, center)) in rest.grabbers.iter().zip(grabber_centers).enumerate().filter(|(_, (g, _))| g.enabled)
    {
        let squared = (*center - at).length_squared();
        if squared < grabber.radius * grabber.radius && squared < nearest {
            nearest = squared;
            *grabbed = PointGrab { grabber: i as u32, distance: squared.sqrt() / 2.0 };
        }
    }
    at
}

/// The nearest point inside a sphere.
fn clamp_to_sphere(at: Vec3, middle: Vec3, radius: f32) -> Vec3 {
    let offset = at - middle;
    let length = offset.length();
    if length > radius { middle + offset / length * radius } else { at }
}

/// Computes the displayed positions: blended with the animated pose, and with the fake wave at the last points of
/// columns.
fn update_output(rest: &Rest, params: &[Params], system: &System, state: &mut State, share: f32, mut wave: f32) {
    for (i, point) in rest.points.iter().enumerate() {
        let t = point.fade.max(system.blend);
        let eased = t * t * (3.0 - 2.0 * t);
        let pose = lerp_unclamped(state.animated_from[i], state.animated_to[i], share);
        state.output[i] = lerp_unclamped(state.points[i].position, pose, eased);
        if system.fake_wave && point.aim_child == NONE && point.parent != NONE {
            let along = (state.output[i] - state.output[point.parent as usize]).normalize_or(Vec3::Z);
            let side = Vec3::Y.cross(along).normalize_or(Vec3::X);
            state.wave_direction[i] = lerp_unclamped(state.wave_direction[i], along.cross(side), 0.5);
            let p = &params[point.joint as usize];
            wave += p.wave_frequency;
            state.output[i] += state.wave_direction[i] * (libm::sinf(wave) * system.wave_height * p.wave_power);
        }
    }
}

/// Resets points that are not finite to the animated pose.
fn sanitize_points(state: &mut State) {
    for (i, point) in state.points.iter_mut().enumerate() {
        let sound = |at: Vec3| at.abs().max_element() < MAX_COORDINATE;
        if !(sound(point.position) && sound(state.previous[i])) {
            let at = state.animated_to[i];
            *point = super::PointState { position: at, friction: 0.0 };
            (state.previous[i], state.output[i]) = (at, at);
        }
        if !sound(state.output[i]) {
            state.output[i] = point.position;
        }
        if !sound(state.wave_direction[i]) {
            state.wave_direction[i] = Vec3::Z;
        }
    }
}

/// Writes the bones of all joints, parents first, and stores their local transforms.
pub(super) fn write_pose(rest: &Rest, system: &System, state: &mut State, step_pose: &mut StepPose<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        step_pose.refresh_all(joint.skipped_bones.slice(&rest.skipped_bones));
        if joint.enabled && rest.points[i].weight > 0.0 {
            write_moving(rest, i, system, state, step_pose);
        } else if joint.enabled {
            write_fixed(rest, i, system, state, step_pose);
        } else {
            step_pose.refresh(joint.bone);
        }
        state.last_locals[i] = step_pose.pose[joint.bone as usize];
    }
}

/// Writes the bone of a simulated point: moves the bone to the point and rotates the bone from its rest rotation.
fn write_moving(rest: &Rest, i: usize, system: &System, state: &State, step_pose: &mut StepPose<'_>) {
    let (joint, point) = (&rest.joints[i], &rest.points[i]);
    let parent = *step_pose.parent_frame(joint.parent_bone);
    let at = state.output[i];
    let apart = if point.parent == NONE { f32::MAX } else { (at - state.output[point.parent as usize]).length() };
    // A point too close to its parent keeps its animated translation.
    if apart <= if system.short_bones { 1e-6 } else { EPSILON } {
        step_pose.refresh(joint.bone);
        return;
    }
    let mut local = step_pose.pose[joint.bone as usize];
    let translation = parent.inverse_transform_point(at);
    if translation.is_finite() {
        local.translation = translation;
    }
    local.rotation = joint.rotation;
    let frame = parent.child(&local);
    rotate_towards_child(
        joint,
        state.output.get(point.aim_child as usize),
        at,
        0.0,
        system.short_bones,
        BoneFrames { parent: &parent, bone: &frame },
        &mut local.rotation,
    );
    write_local(joint, &parent, local, step_pose);
}

/// Writes the bone of a fixed point, which rotates towards its child as far as the child is simulated.
fn write_fixed(rest: &Rest, i: usize, system: &System, state: &State, step_pose: &mut StepPose<'_>) {
    let (joint, point) = (&rest.joints[i], &rest.points[i]);
    let parent = *step_pose.parent_frame(joint.parent_bone);
    let child = rest.points.get(point.aim_child as usize);
    let animated = child.map_or(system.blend, |child| child.fade.max(system.blend));
    let mut local = step_pose.pose[joint.bone as usize];
    if animated < 1.0 {
        local.rotation = if animated > 0.0 { slerp(joint.rotation, local.rotation, animated) } else { joint.rotation };
    }
    let frame = parent.child(&local);
    let child = state.output.get(point.aim_child as usize);
    rotate_towards_child(
        joint,
        child,
        frame.position,
        animated,
        system.short_bones,
        BoneFrames { parent: &parent, bone: &frame },
        &mut local.rotation,
    );
    write_local(joint, &parent, local, step_pose);
}

/// Frames of a bone before its rotation towards the child, and of its parent.
#[derive(Clone, Copy)]
struct BoneFrames<'a> {
    parent: &'a Frame,
    bone: &'a Frame,
}

/// Rotates the bone so that its axis points from `head` to the child. `animated` is the share of the rotation that
/// stays as in the frame of the bone.
fn rotate_towards_child(
    joint: &JointRest,
    child: Option<&Vec3>,
    head: Vec3,
    animated: f32,
    short_bones: bool,
    frames: BoneFrames<'_>,
    rotation: &mut Quat,
) {
    let Some(child) = child else { return };
    let way = *child - head;
    // `SPCRJointDynamics` compares the squared length with an epsilon for lengths, so bones shorter than 3.2 cm do
    // not rotate.
    if way.length_squared() <= if short_bones { 1e-12 } else { EPSILON } || joint.axis == Vec3::ZERO {
        return;
    }
    let Some(way) = way.try_normalize() else { return };
    let aimed = shortest_arc(frames.bone.rotation * joint.axis, way) * frames.bone.rotation;
    let world = if animated > 0.0 { slerp(aimed, frames.bone.rotation, animated) } else { aimed };
    let turned = (frames.parent.rotation.inverse() * world).normalize();
    if turned.is_finite() {
        *rotation = turned;
    }
}

fn write_local(joint: &JointRest, parent: &Frame, local: crate::math::Trs, step_pose: &mut StepPose<'_>) {
    step_pose.pose[joint.bone as usize] = local;
    step_pose.frames[joint.bone as usize] = parent.child(&local);
}

/// Rotates one joint towards a tip and moves the child's bone to the tip, without a step.
pub(super) fn point_joint_at(rest: &Rest, i: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let joint = &rest.joints[i];
    let parent = *step_pose.parent_frame(joint.parent_bone);
    let mut local = step_pose.pose[joint.bone as usize];
    local.rotation = joint.rotation;
    let frame = parent.child(&local);
    let frames = BoneFrames { parent: &parent, bone: &frame };
    rotate_towards_child(joint, Some(&tip), frame.position, 0.0, true, frames, &mut local.rotation);
    write_local(joint, &parent, local, step_pose);
    let child = rest.joints.get(rest.points[i].aim_child as usize);
    if let Some(child) = child.filter(|child| child.parent_bone == joint.bone) {
        let head = step_pose.frames[joint.bone as usize].inverse_transform_point(tip);
        if head.is_finite() {
            step_pose.pose[child.bone as usize].translation = head;
        }
    }
}
