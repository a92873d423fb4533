//! Simulates one frame: its steps, the free motion of the points in each step, and the pose of the bones.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::super::super::step_pose::{NO_PARENT, StepPose};
use super::capture::{ComponentMotion, SimulationSpace, capture_pose};
use super::frame_context::FrameContext;
use super::point_batch::{BatchKind, BatchParams, PointBatch};
use super::wind::{WindSample, WindSpace, gusting_scene_wind};
use super::{
    BoneBatch, KawaiiCollider, NO_POINT, Params, PointKind, PointRest, Rest, RunPhase, State, System, params, relax,
};
use crate::Workload;
use crate::math::{Frame, Quatx4, Vec3x4, arc_between, from_lanes, renormalize, shortest_arc, slerp, vec4_from_lanes};
use crate::probe::{Probe, TipPart};
use crate::vec_util::are_finite;
use crate::workload::{MAX_WARM_UP_VISITS, StepCounts, VISITS_PER_JOINT, VisitCost, split_iterations};
use glam::{BVec4A, Quat, Vec3, Vec4};

/// Shortest frame if steps are fixed, in seconds.
const MIN_FRAME_SECONDS: f32 = 1e-4;

/// Values that all points of a step share, in the simulation space.
#[derive(Clone, Copy, Debug)]
struct StepContext {
    /// Length of the step, in seconds.
    step_seconds: f32,
    /// Length of this step divided by the length of the last step.
    step_ratio: f32,
    /// Displacement by gravity, and by gravity and the simple force, in metres.
    gravity_displacement: Vec3,
    force_displacement: Vec3,
    /// Motion of the component in this step; `None` if points ignore the motion.
    felt: Option<FeltMotion>,
    wind: Option<WindSample>,
}

/// Motion of the component, before the movement and rotation factors of each point scale it.
#[derive(Clone, Copy, Debug)]
struct FeltMotion {
    translation: Vec3,
    rotation: Quat,
    /// Previous and current frame of the base bone in the component, and the share of that motion in this step.
    base_motion: Option<(Frame, Frame, f32)>,
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let motion = capture_pose(rest, system, state, step_pose);
    let frame = FrameContext { rest, system, probe: step_pose.probe };
    // The space of the points has moved.
    frame.reach(TipPart::Inertia, state);
    if dt > 0.0 {
        let seconds = if system.fixed_steps { 1.0 / system.target_frame_rate } else { dt };
        update_batch_params(rest, params, state, if system.fixed_steps { 1.0 } else { system.target_frame_rate * dt });
        let colliders = state.colliders.iter_mut().zip(&mut state.collider_bounds).zip(step_pose.colliders);
        for ((placed, bounds), collider) in colliders {
            *placed = KawaiiCollider::new(collider, &step_pose.frames[collider.bone as usize], &state.space);
            *bounds = placed.bounding_sphere();
        }
        sample_scene_wind(rest, system, state, step_pose);
        warm_up(frame, state, seconds);
        if motion.teleported && system.space == SimulationSpace::World {
            carry_through_teleport(state, &motion);
            frame.reach(TipPart::Inertia, state);
        } else if system.fixed_steps {
            fixed_steps(frame, state, &motion, seconds, dt);
        } else {
            set_step_target(state, 1.0);
            let carry = dt / state.previous_dt;
            step_points(frame, state, felt_motion(system, &motion, state, 1.0), seconds, carry);
            (state.felt_component, state.felt_base, state.previous_dt) = (motion.component, motion.base, dt);
        }
        if motion.teleported {
            (state.felt_component, state.felt_base) = (motion.component, motion.base);
        }
        sanitize_points(state);
        state.run_phase = RunPhase::Running;
    }
    write_pose(rest, state, step_pose);
}

/// Blends the parameters of the joints for each point. `exponent` is the length of this step, in target steps.
fn update_batch_params(rest: &Rest, params: &[Params], state: &mut State, exponent: f32) {
    for (settled, point_batch) in state.batch_params.iter_mut().zip(&rest.point_batches) {
        let [first, second] = &point_batch.joints;
        let first = from_lanes(|lane| &params[first[lane] as usize]);
        let is_mixed = point_batch.fraction.cmpgt(Vec4::ZERO);
        let mix = |of: fn(&Params) -> f32| {
            let a = vec4_from_lanes(|lane| of(first[lane]));
            if !point_batch.interpolates_params {
                return a;
            }
            let b = vec4_from_lanes(|lane| of(&params[second[lane] as usize]));
            Vec4::select(is_mixed, a + (b - a) * point_batch.fraction, a)
        };
        let stiffness = mix(|p| p.stiffness);
        *settled = BatchParams {
            velocity_retention: Vec4::ONE - mix(|p| p.damping),
            offset_removed: if exponent == 1.0 {
                stiffness
            } else {
                Vec4::ONE - (Vec4::ONE - stiffness).powf(exponent)
            },
            felt_movement: Vec4::ONE - mix(|p| p.ignore_movement),
            felt_rotation: Vec4::ONE - mix(|p| p.ignore_rotation),
            radius: mix(|p| p.radius),
            limit_angle: mix(|p| p.limit_angle),
            force_rate: mix(|p| p.force_rate),
        };
    }
}

/// Computes the acceleration by scene winds at the pose of each point.
fn sample_scene_wind(rest: &Rest, system: &System, state: &mut State, step_pose: &StepPose<'_>) {
    if !system.scene_wind || step_pose.forces.is_empty() {
        return;
    }
    state.has_scene_wind = true;
    let into = state.space.rotation.inverse();
    for (i, _) in rest.points.iter().enumerate() {
        let at = state.space.transform_point(state.pose_positions[i]);
        let pulls =
            step_pose.forces.iter().map(|force| force.force_on(&step_pose.frames[force.bone as usize], at, 1.0));
        state.scene_wind[i] = into * (pulls.sum::<Vec3>() * system.wind_scale);
    }
}

/// Runs the warm-up steps in the pose of the first frame.
fn warm_up(frame: FrameContext<'_>, state: &mut State, seconds: f32) {
    let FrameContext { rest, system, .. } = frame;
    let wanted = match state.run_phase {
        RunPhase::NotStarted => system.warm_up_at_start,
        RunPhase::AfterReset => system.warm_up_on_reset,
        RunPhase::Running => false,
    };
    if wanted {
        set_step_target(state, 1.0);
        (0..warm_up_frames(rest, system)).for_each(|_| step_points(frame, state, None, seconds, 1.0));
    }
}

/// Largest number of steps in a frame, with all requested iterations.
fn requested_counts(system: &System) -> StepCounts {
    let steps = if system.fixed_steps { system.max_steps as u32 } else { 1 };
    StepCounts { steps, iterations: system.iterations[0] + system.iterations[1] }
}

fn visit_cost(rest: &Rest) -> VisitCost {
    VisitCost {
        step: VISITS_PER_JOINT * rest.points.len() as u64 + rest.colliders.len() as u64,
        iteration: rest.links.len() as u64,
    }
}

/// Iterations within the budget. A frame has few steps, so only iterations are reduced, never steps.
fn allowed_iterations(rest: &Rest, system: &System) -> [u32; 2] {
    split_iterations(system.iterations, requested_counts(system).within_budget(visit_cost(rest)).iterations)
}

fn warm_up_frames(rest: &Rest, system: &System) -> u32 {
    let each =
        StepCounts { steps: 1, iterations: allowed_iterations(rest, system).iter().sum() }.visits(visit_cost(rest));
    system.warm_up_frames.min((MAX_WARM_UP_VISITS / each.max(1)) as u32)
}

pub(super) fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
    let rounds = allowed_iterations(rest, system);
    let steps =
        if system.fixed_steps { (dt * system.target_frame_rate).ceil().clamp(1.0, system.max_steps) as u32 } else { 1 };
    let work = Workload::new(StepCounts { steps, iterations: rounds[0] + rounds[1] }.visits(visit_cost(rest)));
    let work = work.with_reduction(0, params::ITERATIONS_BEFORE, system.iterations[0], rounds[0]);
    let work = work.with_reduction(1, params::ITERATIONS_AFTER, system.iterations[1], rounds[1]);
    let warms = system.warm_up_at_start || system.warm_up_on_reset;
    work.with_reduction(
        2,
        params::WARM_UP_FRAMES,
        if warms { system.warm_up_frames } else { 0 },
        warm_up_frames(rest, system),
    )
}

/// Runs all steps that are due. The remaining time and component motion are left for the next frame.
fn fixed_steps(frame: FrameContext<'_>, state: &mut State, motion: &ComponentMotion, seconds: f32, dt: f32) {
    let system = frame.system;
    let whole = (state.accumulator + dt).max(MIN_FRAME_SECONDS);
    let kept = whole.min(system.max_steps * seconds);
    let dropped = whole - kept;
    let count = (kept / seconds).floor().max(0.0);
    let used = count * seconds;
    state.accumulator = kept - used;
    let felt = felt_motion(system, motion, state, seconds / whole);
    for i in 0..count as u32 {
        set_step_target(state, (i + 1) as f32 / count);
        step_points(frame, state, felt, seconds, 1.0);
    }
    let share = ((used + dropped) / whole).clamp(0.0, 1.0);
    state.felt_component = interpolate_frame(&state.felt_component, &motion.component, share);
    state.felt_base = interpolate_frame(&state.felt_base, &motion.base, share);
    state.previous_dt = seconds;
}

fn interpolate_frame(from: &Frame, to: &Frame, share: f32) -> Frame {
    if share >= 1.0 {
        return *to;
    }
    let mut between = Frame::WORLD;
    between.set_unscaled(slerp(from.rotation, to.rotation, share).normalize(), from.position.lerp(to.position, share));
    between
}

/// Sets the target pose of a step, between the poses of the last frame and of this frame.
fn set_step_target(state: &mut State, share: f32) {
    if share >= 1.0 {
        state.target_positions.copy_from_slice(&state.pose_positions);
        state.target_rotations.copy_from_slice(&state.pose_rotations);
        return;
    }
    for i in 0..state.target_positions.len() {
        state.target_positions[i] = state.previous_pose_positions[i].lerp(state.pose_positions[i], share);
        state.target_rotations[i] = slerp(state.previous_pose_rotations[i], state.pose_rotations[i], share).normalize();
    }
}

/// Motion of the component that points feel in one step, as a `share` of the frame's motion.
fn felt_motion(system: &System, motion: &ComponentMotion, state: &State, share: f32) -> Option<FeltMotion> {
    if system.space == SimulationSpace::World || motion.teleported {
        return None;
    }
    let based = (system.space == SimulationSpace::BaseBone).then_some((state.felt_base, motion.base, share));
    let moved = motion.translation * share;
    let turned = match based {
        // The rotation applies fully to the base bone. The result is scaled by the share afterwards.
        Some(_) => motion.rotation,
        None if share >= 1.0 => motion.rotation,
        None => slerp(Quat::IDENTITY, motion.rotation, share).normalize(),
    };
    let moved = based.map_or(moved, |(_, now, _)| now.rotation.inverse() * moved);
    Some(FeltMotion { translation: moved, rotation: turned, base_motion: based })
}

impl FeltMotion {
    /// Displacement of points that the rotation of the component causes.
    #[inline]
    fn rotation_displacement(&self, at: Vec3x4) -> Vec3x4 {
        let turned = Quatx4::splat(self.rotation);
        match &self.base_motion {
            None => turned * at - at,
            Some((was, now, share)) => {
                let out = Vec3x4::splat(was.position) + Quatx4::splat(was.rotation) * at;
                let own = turned * out - Vec3x4::splat(now.position);
                (Quatx4::splat(now.rotation).inverse() * own - at) * *share
            }
        }
    }
}

/// Moves the points along with the component after a teleport; their velocity ignores the teleport.
fn carry_through_teleport(state: &mut State, motion: &ComponentMotion) {
    let (was, now) = (state.felt_component, motion.component);
    for at in state.positions.iter_mut().chain(&mut state.previous_positions) {
        *at = now.transform_point(was.inverse_transform_point(*at));
    }
}

/// Simulates one step of all points.
fn step_points(frame: FrameContext<'_>, state: &mut State, felt: Option<FeltMotion>, seconds: f32, carry: f32) {
    let FrameContext { rest, system, .. } = frame;
    state.wind_time += seconds * system.procedural_wind.time_scale;
    if !state.wind_time.is_finite() {
        state.wind_time = 0.0;
    }
    let [gravity_displacement, simple_displacement] = force_displacements(system, state, seconds);
    let step = StepContext {
        step_seconds: seconds,
        step_ratio: if carry.is_finite() { carry } else { 1.0 },
        gravity_displacement,
        force_displacement: gravity_displacement + simple_displacement,
        felt,
        wind: system.procedural_wind.enabled.then(|| wind_in_simulation_space(system, state)),
    };
    // Every point gets a new position: here, or as a subdivision or bridge in `relax`.
    std::mem::swap(&mut state.positions, &mut state.previous_positions);
    for (i, point_batch) in rest.point_batches.iter().enumerate() {
        match point_batch.kind {
            BatchKind::Root => point_batch
                .batch
                .active_indices()
                .iter()
                .for_each(|i| state.positions[*i as usize] = state.target_positions[*i as usize]),
            BatchKind::Bridge => {}
            BatchKind::Bone | BatchKind::End | BatchKind::Subdivision => {
                step_batch(frame, &step, state, i, point_batch);
            }
        }
    }
    relax::solve_constraints(frame, state, seconds, allowed_iterations(rest, system));
    state.step_count = state.step_count.wrapping_add(1);
}

/// Moves a batch of points whose parents have already moved.
#[inline(always)]
fn step_batch(frame: FrameContext<'_>, step: &StepContext, state: &mut State, i: usize, point_batch: &PointBatch) {
    let FrameContext { rest, system, .. } = frame;
    // Slices of equal length avoid bounds checks.
    let goal = &state.target_positions[..state.positions.len()];
    let own = Vec3x4::new(point_batch.batch.gather(goal));
    let arm = own - Vec3x4::from_lanes(|lane| goal[point_batch.parents[lane] as usize]);
    let animated_position = Vec3x4::from_lanes(|lane| state.positions[point_batch.parents[lane] as usize]) + arm;
    state.animated_offsets[i] = arm;
    let numbers = &state.batch_params[i];
    let (free, moved) = if system.subdivisions_only_collide && point_batch.kind == BatchKind::Subdivision {
        // `relax` places these points later. Until then their children read the old position.
        let old = Vec3x4::new(point_batch.batch.gather(&state.previous_positions));
        (old, old)
    } else {
        let free = integrate(rest, system, step, state, numbers, point_batch);
        (free, free + (animated_position - free) * numbers.offset_removed)
    };
    if let Some(probe) = frame.probe {
        record_motion(frame, step, state, probe, i, point_batch, [animated_position, free, moved]);
    }
    point_batch
        .batch
        .scatter(Vec3x4::select(point_batch.pinned, animated_position, moved).to_array(), &mut state.positions);
}

/// Records how [`integrate`] moves the points of a batch to `free`, and the pull to the pose. A pinned point follows its pose.
#[cold]
#[inline(never)]
fn record_motion(
    FrameContext { system, .. }: FrameContext<'_>,
    step: &StepContext,
    state: &State,
    probe: Probe<'_>,
    batch: usize,
    point_batch: &PointBatch,
    [animated_position, free, pulled]: [Vec3x4; 3],
) {
    let (numbers, into_world) = (&state.batch_params[batch], |at: Vec3| state.space.transform_point(at));
    for (lane, i) in point_batch.batch.active_indices().iter().enumerate() {
        let i = *i as usize;
        if point_batch.pinned.test(lane) {
            probe.reach(i, TipPart::Inertia, into_world(animated_position.to_array()[lane]));
            continue;
        }
        if point_batch.kind == BatchKind::Subdivision && system.subdivisions_only_collide {
            continue;
        }
        let before = state.previous_positions[i];
        let mut inert = before + (before - state.positions[i]) * (numbers.velocity_retention[lane] * step.step_ratio);
        if let Some(felt) = &step.felt {
            inert += felt.translation * numbers.felt_movement[lane]
                + felt.rotation_displacement(Vec3x4::splat(before)).to_array()[lane] * numbers.felt_rotation[lane];
        }
        let fallen = inert + step.gravity_displacement;
        probe.reach(i, TipPart::Inertia, into_world(inert));
        probe.reach(i, TipPart::Gravity, into_world(fallen));
        probe.reach(i, TipPart::Force, into_world(free.to_array()[lane]));
        probe.reach(i, TipPart::Spring, into_world(pulled.to_array()[lane]));
    }
}

/// Applies velocity, forces and wind.
#[inline(always)]
fn integrate(
    rest: &Rest,
    system: &System,
    step: &StepContext,
    state: &State,
    numbers: &BatchParams,
    point_batch: &PointBatch,
) -> Vec3x4 {
    let places = from_lanes(|lane| point_batch.batch.indices[lane] as usize);
    let previous = &state.previous_positions[..state.positions.len()];
    let before = Vec3x4::from_lanes(|lane| previous[places[lane]]);
    // `state.positions` still has the positions of one step earlier.
    let earlier = Vec3x4::from_lanes(|lane| state.positions[places[lane]]);
    let mut at = before
        + (before - earlier) * (numbers.velocity_retention * step.step_ratio)
        + Vec3x4::splat(step.force_displacement);
    if system.scene_wind && state.has_scene_wind {
        let gust = |i: usize| {
            gusting_scene_wind(state.scene_wind[i], system.wind_noise, system.procedural_wind.seed, state.step_count, i)
        };
        let gusts =
            from_lanes(
                |lane| if state.scene_wind[places[lane]] == Vec3::ZERO { Vec3::ZERO } else { gust(places[lane]) },
            );
        at += Vec3x4::new(gusts) * (step.step_seconds * step.step_seconds);
    }
    if let Some(felt) = &step.felt {
        at += Vec3x4::splat(felt.translation) * numbers.felt_movement
            + felt.rotation_displacement(before) * numbers.felt_rotation;
    }
    if let Some(wind_sample) = &step.wind {
        let push = |lane: usize| {
            let strength = system.procedural_wind.strength_at(wind_sample, rest.points[places[lane]].length_fraction)
                * numbers.force_rate[lane];
            let direction = match system.procedural_wind.space {
                WindSpace::Bone => state.target_rotations[places[lane]] * wind_sample.direction,
                WindSpace::World | WindSpace::Component => wind_sample.direction,
            };
            direction * (strength * step.step_seconds)
        };
        at += Vec3x4::from_lanes(push);
    }
    at
}

/// Displacements by gravity and by the simple force in one step, in metres.
fn force_displacements(system: &System, state: &State, seconds: f32) -> [Vec3; 2] {
    let into = state.space.rotation.inverse();
    let gravity = if system.gravity_in_world {
        into * system.gravity
    } else {
        into * (state.felt_component.rotation * system.gravity)
    };
    let half = if system.legacy_gravity { 0.5 } else { 1.0 };
    let push = if system.simple_force_in_world { into * system.simple_force } else { system.simple_force };
    [gravity * (half * seconds * seconds), push * seconds]
}

/// Samples the procedural wind. The direction is in the simulation space, or in bone space if the wind uses that
/// space.
fn wind_in_simulation_space(system: &System, state: &State) -> WindSample {
    let mut wind_sample = system.procedural_wind.sample(state.wind_time);
    let into = state.space.rotation.inverse();
    match system.procedural_wind.space {
        WindSpace::Component => wind_sample.direction = into * (state.felt_component.rotation * wind_sample.direction),
        WindSpace::World => wind_sample.direction = into * wind_sample.direction,
        WindSpace::Bone => {}
    }
    wind_sample
}

/// Resets points that are not finite to their pose.
fn sanitize_points(state: &mut State) {
    if are_finite(&state.positions) && are_finite(&state.previous_positions) {
        return;
    }
    for i in 0..state.positions.len() {
        if !(state.positions[i].is_finite() && state.previous_positions[i].is_finite()) {
            let pose = state.pose_positions[i];
            state.positions[i] = if pose.is_finite() { pose } else { Vec3::ZERO };
            state.previous_positions[i] = state.positions[i];
        }
    }
}

/// Writes rotation, translation and frame of every bone of the system, parents first.
pub(super) fn write_pose(rest: &Rest, state: &State, step_pose: &mut StepPose<'_>) {
    let writes_root_translation = !rest.sync_bones.is_empty();
    for row in &rest.bone_batches {
        match row.kind {
            None => step_pose.refresh_batch(row.bones, row.parent_bones),
            Some(sort) => write_batch(row, sort == BatchKind::Root, writes_root_translation, rest, state, step_pose),
        }
    }
}

/// Moves bones to their points. The frames of all ancestors must be up to date.
#[inline(always)]
fn write_batch(
    row: &BoneBatch,
    is_root: bool,
    writes_root_translation: bool,
    rest: &Rest,
    state: &State,
    step_pose: &mut StepPose<'_>,
) {
    let bones = from_lanes(|lane| row.bones[lane] as usize);
    let is_scaled = from_lanes(|lane| step_pose.frames[bones[lane]].scaled);
    // Slices of equal length avoid bounds checks.
    let (at, pose) = (&state.positions[..], &state.pose_positions[..state.positions.len()]);
    let [own_at, own_pose] = [gather(at, &row.points), gather(pose, &row.points)];
    let aims = [gather(pose, &row.children) - own_pose, gather(at, &row.children) - own_at];
    let turn = Quatx4::from_lanes(|lane| state.pose_rotations[row.points[lane] as usize]);
    let space = Quatx4::splat(state.space.rotation);
    let turned = (space * rotated_batch(row, turn, aims)).renormalize();
    let place = Vec3x4::splat(state.space.position) + space * if is_root { own_pose } else { own_at };
    let above = from_lanes(|lane| step_pose.parent_frame(row.parent_bones[lane]));
    let back = Quatx4::from_lanes(|lane| above[lane].rotation).inverse();
    let local = (back * turned, back * (place - Vec3x4::from_lanes(|lane| above[lane].position)));
    let is_plain = !BVec4A::from_array(is_scaled) & local.0.is_finite_mask() & local.1.is_finite_mask();
    let is_plain = is_plain.bitmask();
    let (local, turned, place) = ((local.0.to_array(), local.1.to_array()), turned.to_array(), place.to_array());
    let moves = writes_root_translation || !is_root;
    for lane in 0..4 {
        if is_plain >> lane & 1 == 0 {
            write_bone(row.bones[lane], row.points[lane] as usize, writes_root_translation, rest, state, step_pose);
            continue;
        }
        step_pose.pose[bones[lane]].rotation = local.0[lane];
        if moves {
            step_pose.pose[bones[lane]].translation = local.1[lane];
            step_pose.frames[bones[lane]].set_unscaled(turned[lane], place[lane]);
        }
    }
    if !moves {
        step_pose.refresh_batch(row.bones, row.parent_bones);
    }
}

#[inline(always)]
fn gather(places: &[Vec3], points: &[u32; 4]) -> Vec3x4 {
    Vec3x4::from_lanes(|lane| places[points[lane] as usize])
}

/// Rotations of the bones in the simulation space: their rotations in the pose, followed by the arcs from the
/// children in the pose to the children's points.
#[inline(always)]
fn rotated_batch(row: &BoneBatch, pose: Quatx4, [from, to]: [Vec3x4; 2]) -> Quatx4 {
    if row.rotates.all() {
        return Quatx4::arc_between(from, to) * pose;
    }
    if !row.rotates.any() {
        return pose;
    }
    // A zero direction would make `arc_between` use its slow path.
    let [from, to] = [from, to].map(|way| Vec3x4::select(row.rotates, way, Vec3x4::splat(Vec3::Y)));
    Quatx4::select(row.rotates, Quatx4::arc_between(from, to) * pose, pose)
}

/// Moves one bone to the point `at`. The frame of its parent must be up to date. Roots keep the translation of the
/// pose, unless `writes_root_translation` is set because sync bones may shift roots.
#[cold]
fn write_bone(
    bone: u32,
    at: usize,
    writes_root_translation: bool,
    rest: &Rest,
    state: &State,
    step_pose: &mut StepPose<'_>,
) {
    let point = &rest.points[at];
    let is_root = point.parent == NO_POINT;
    let turned = renormalize(state.space.rotation * rotated_bone(point, at, state));
    let place = state.space.transform_point(if is_root { state.pose_positions[at] } else { state.positions[at] });
    let parent = step_pose.parent_frame(step_pose.parents[bone as usize]);
    let own = (parent.rotation.inverse() * turned, parent.inverse_transform_point(place));
    let is_plain = !parent.scaled;
    let local = &mut step_pose.pose[bone as usize];
    if !(own.0.is_finite() && own.1.is_finite()) {
        local.rotation = if own.0.is_finite() { own.0 } else { local.rotation };
        step_pose.refresh(bone);
        return;
    }
    local.rotation = own.0;
    if is_root && !writes_root_translation {
        step_pose.refresh(bone);
        return;
    }
    local.translation = own.1;
    if is_plain && local.scale == Vec3::ONE {
        step_pose.frames[bone as usize].set_unscaled(turned, place);
    } else {
        step_pose.refresh(bone);
    }
}

/// The rotation of a bone in the simulation space.
#[inline]
fn rotated_bone(point: &PointRest, at: usize, state: &State) -> Quat {
    let pose = state.pose_rotations[at];
    if point.only_child == NO_POINT || !point.rotates {
        return pose;
    }
    let child = point.only_child as usize;
    let arc = arc_between(
        state.pose_positions[child] - state.pose_positions[at],
        state.positions[child] - state.positions[at],
    );
    arc.map_or(pose, |arc| arc * pose)
}

/// Rotates a joint's bone towards a tip. If the bone has several children, moves the bone at the tip instead.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let (head, end) = (rest.head_points[joint] as usize, rest.tip_points[joint] as usize);
    if head == end {
        return;
    }
    let (point, end) = (&rest.points[head], &rest.points[end]);
    let bone = point.bone as usize;
    step_pose.refresh(point.bone);
    let frame = step_pose.frames[bone];
    if point.only_child == NO_POINT {
        let parent = *step_pose.parent_frame(step_pose.parents[end.bone as usize]);
        let own = parent.inverse_transform_point(tip);
        if own.is_finite() {
            step_pose.pose[end.bone as usize].translation = own;
        }
        return;
    }
    let from = match end.kind {
        PointKind::End { local_offset: local, follows_scale: false } => frame.rotation * local,
        PointKind::End { local_offset: local, .. } => frame.transform_point(local) - frame.position,
        _ => frame.transform_point(tip_in_bone(point.bone, end.bone, step_pose)) - frame.position,
    };
    let (Some(from), Some(to)) = (from.try_normalize(), (tip - frame.position).try_normalize()) else { return };
    let parent = step_pose.parent_frame(step_pose.parents[bone]).rotation;
    let own = (parent.inverse() * (shortest_arc(from, to) * frame.rotation)).normalize();
    if own.is_finite() {
        step_pose.pose[bone].rotation = own;
        step_pose.refresh(point.bone);
    }
}

/// Position of `tip`, a descendant of `bone`, in the pose; in the space of `bone`, in metres.
fn tip_in_bone(bone: u32, tip: u32, step_pose: &StepPose<'_>) -> Vec3 {
    let mut at = step_pose.pose[tip as usize].translation;
    let mut above = step_pose.parents[tip as usize];
    while above != bone && above != NO_PARENT {
        let local = &step_pose.pose[above as usize];
        at = local.translation + local.rotation * (local.scale * at);
        above = step_pose.parents[above as usize];
    }
    at
}
