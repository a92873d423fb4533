//! One frame: its steps, and in each the free movement of every point.

use super::super::super::scene::Scene;
use super::capture::{ComponentMotion, SimulationSpace, capture_pose};
use super::point_batch::{BatchKind, BatchParams, PointBatch};
use super::wind::{WindSample, WindSpace, gusting_scene_wind};
use super::{KawaiiCollider, Params, Rest, RunPhase, State, System, output, relax, row};
use crate::math::{Frame, Quatx4, Vec3x4, from_lanes};
use crate::sim::Workload;
use crate::sim::vec_util::are_finite;
use crate::sim::workload::{MAX_WARM_UP_VISITS, StepCounts, VISITS_PER_JOINT, VisitCost, split_iterations};
use glam::{Quat, Vec3, Vec4};

/// Least time that a frame counts for where steps are fixed, seconds.
const MIN_FRAME_SECONDS: f32 = 1e-4;

/// What is the same for every point in one step, in the simulation space.
#[derive(Clone, Copy, Debug)]
struct StepContext {
    /// Length, seconds.
    step_seconds: f32,
    /// Seconds times the speed of the step before gives its movement: this over that length.
    step_ratio: f32,
    /// Metres by gravity and by the simple force.
    force_displacement: Vec3,
    /// The component's motion, by as much of it as belongs to this step; `None` where nothing is felt.
    felt: Option<FeltMotion>,
    wind: Option<WindSample>,
}

/// What points feel of the component, whole.
#[derive(Clone, Copy, Debug)]
struct FeltMotion {
    translation: Vec3,
    rotation: Quat,
    /// Where the base bone was and is in the component, and how much of that belongs to this step.
    base_motion: Option<(Frame, Frame, f32)>,
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let motion = capture_pose(rest, system, state, scene);
    if dt > 0.0 {
        let seconds = if system.fixed_steps { 1.0 / system.target_frame_rate } else { dt };
        update_batch_params(rest, params, state, if system.fixed_steps { 1.0 } else { system.target_frame_rate * dt });
        for (placed, collider) in state.colliders.iter_mut().zip(scene.colliders) {
            *placed = KawaiiCollider::new(collider, &scene.frames[collider.bone as usize], &state.space);
        }
        sample_scene_wind(rest, system, state, scene);
        warm_up(rest, system, state, seconds);
        if motion.teleported && system.space == SimulationSpace::World {
            carry_through_teleport(state, &motion);
        } else if system.fixed_steps {
            fixed_steps(rest, system, state, &motion, seconds, dt);
        } else {
            set_step_target(state, 1.0);
            let carry = dt / state.previous_dt;
            step_points(rest, system, state, felt_motion(system, &motion, state, 1.0), seconds, carry);
            (state.felt_component, state.felt_base, state.previous_dt) = (motion.component, motion.base, dt);
        }
        if motion.teleported {
            (state.felt_component, state.felt_base) = (motion.component, motion.base);
        }
        sanitize_points(state);
        state.run_phase = RunPhase::Running;
    }
    output::write_pose(rest, state, scene);
}

/// The joints' numbers as the points take them. `exponent` is how many steps of the target rate this one counts for.
fn update_batch_params(rest: &Rest, params: &[Params], state: &mut State, exponent: f32) {
    for (settled, abreast) in state.batch_params.iter_mut().zip(&rest.point_batches) {
        let [first, second] = &abreast.joints;
        let first = from_lanes(|lane| &params[first[lane] as usize]);
        let is_mixed = abreast.fraction.cmpgt(Vec4::ZERO);
        let mix = |of: fn(&Params) -> f32| {
            let a = Vec4::from_array(from_lanes(|lane| of(first[lane])));
            if !abreast.interpolates_params {
                return a;
            }
            let b = Vec4::from_array(from_lanes(|lane| of(&params[second[lane] as usize])));
            Vec4::select(is_mixed, a + (b - a) * abreast.fraction, a)
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

/// The scene's pull on each point where its pose is.
fn sample_scene_wind(rest: &Rest, system: &System, state: &mut State, scene: &Scene<'_>) {
    if !system.scene_wind || scene.forces.is_empty() {
        return;
    }
    state.has_scene_wind = true;
    let into = state.space.rotation.inverse();
    for (i, _) in rest.points.iter().enumerate() {
        let at = state.space.transform_point(state.pose_positions[i]);
        let pulls = scene.forces.iter().map(|force| force.force_on(&scene.frames[force.bone as usize], at, 1.0));
        state.scene_wind[i] = into * (pulls.sum::<Vec3>() * system.wind_scale);
    }
}

/// Steps on the pose of the first frame.
fn warm_up(rest: &Rest, system: &System, state: &mut State, seconds: f32) {
    let wanted = match state.run_phase {
        RunPhase::NotStarted => system.warm_up_at_start,
        RunPhase::AfterReset => system.warm_up_on_reset,
        RunPhase::Running => false,
    };
    if wanted {
        set_step_target(state, 1.0);
        (0..warm_up_frames(rest, system)).for_each(|_| step_points(rest, system, state, None, seconds, 1.0));
    }
}

/// Most steps of a frame, with all rounds that are asked for.
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

/// As many rounds as the bound on work allows; steps are few in any case.
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
    let work = work.with_reduction(0, row::ITERATIONS_BEFORE, system.iterations[0], rounds[0]);
    let work = work.with_reduction(1, row::ITERATIONS_AFTER, system.iterations[1], rounds[1]);
    let warms = system.warm_up_at_start || system.warm_up_on_reset;
    work.with_reduction(
        2,
        row::WARM_UP_FRAMES,
        if warms { system.warm_up_frames } else { 0 },
        warm_up_frames(rest, system),
    )
}

/// As many steps as have become due; the rest of the time, and of the component's motion, waits for the next frame.
fn fixed_steps(rest: &Rest, system: &System, state: &mut State, motion: &ComponentMotion, seconds: f32, dt: f32) {
    let whole = (state.accumulator + dt).max(MIN_FRAME_SECONDS);
    let kept = whole.min(system.max_steps * seconds);
    let dropped = whole - kept;
    let count = (kept / seconds).floor().max(0.0);
    let used = count * seconds;
    state.accumulator = kept - used;
    let felt = felt_motion(system, motion, state, seconds / whole);
    for i in 0..count as u32 {
        set_step_target(state, (i + 1) as f32 / count);
        step_points(rest, system, state, felt, seconds, 1.0);
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
    between.set_unscaled(from.rotation.slerp(to.rotation, share).normalize(), from.position.lerp(to.position, share));
    between
}

/// The pose that a step aims for, between that of the frame before and this one's.
fn set_step_target(state: &mut State, share: f32) {
    if share >= 1.0 {
        state.target_positions.copy_from_slice(&state.pose_positions);
        state.target_rotations.copy_from_slice(&state.pose_rotations);
        return;
    }
    for i in 0..state.target_positions.len() {
        state.target_positions[i] = state.previous_pose_positions[i].lerp(state.pose_positions[i], share);
        state.target_rotations[i] = state.previous_pose_rotations[i].slerp(state.pose_rotations[i], share).normalize();
    }
}

/// What a step feels of the component's motion, `share` of it all.
fn felt_motion(system: &System, motion: &ComponentMotion, state: &State, share: f32) -> Option<FeltMotion> {
    if system.space == SimulationSpace::World || motion.teleported {
        return None;
    }
    let based = (system.space == SimulationSpace::BaseBone).then_some((state.felt_base, motion.base, share));
    let moved = motion.translation * share;
    let turned = match based {
        // Turned whole with the bone, then taken by its share.
        Some(_) => motion.rotation,
        None if share >= 1.0 => motion.rotation,
        None => Quat::IDENTITY.slerp(motion.rotation, share).normalize(),
    };
    let moved = based.map_or(moved, |(_, now, _)| now.rotation.inverse() * moved);
    Some(FeltMotion { translation: moved, rotation: turned, base_motion: based })
}

impl FeltMotion {
    /// How far turning takes points.
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

/// A component that jumped takes its points along, as if nothing had moved.
fn carry_through_teleport(state: &mut State, motion: &ComponentMotion) {
    let (was, now) = (state.felt_component, motion.component);
    for at in state.positions.iter_mut().chain(&mut state.previous_positions) {
        *at = now.transform_point(was.inverse_transform_point(*at));
    }
}

/// One step of all points.
fn step_points(rest: &Rest, system: &System, state: &mut State, felt: Option<FeltMotion>, seconds: f32, carry: f32) {
    state.wind_time += seconds * system.procedural_wind.time_scale;
    if !state.wind_time.is_finite() {
        state.wind_time = 0.0;
    }
    let step = StepContext {
        step_seconds: seconds,
        step_ratio: if carry.is_finite() { carry } else { 1.0 },
        force_displacement: force_displacement(system, state, seconds),
        felt,
        wind: system.procedural_wind.enabled.then(|| wind_in_simulation_space(system, state)),
    };
    // Every point is given a new place, here or as one that lies between others.
    std::mem::swap(&mut state.positions, &mut state.previous_positions);
    for (i, abreast) in rest.point_batches.iter().enumerate() {
        match abreast.kind {
            BatchKind::Root => abreast
                .batch
                .active_indices()
                .iter()
                .for_each(|i| state.positions[*i as usize] = state.target_positions[*i as usize]),
            BatchKind::Bridge => {}
            BatchKind::Bone | BatchKind::End | BatchKind::Subdivision => {
                step_batch(rest, system, &step, state, (i, abreast));
            }
        }
    }
    relax::solve_constraints(rest, system, state, seconds, allowed_iterations(rest, system));
    state.step_count = state.step_count.wrapping_add(1);
}

/// Points that hang from others, whose turn was before.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; what all points share stays in registers")]
fn step_batch(rest: &Rest, system: &System, step: &StepContext, state: &mut State, (i, abreast): (usize, &PointBatch)) {
    // Of one length, so that places are looked at once.
    let goal = &state.target_positions[..state.positions.len()];
    let own = Vec3x4::new(from_lanes(|lane| goal[abreast.batch.indices[lane] as usize]));
    let arm = own - Vec3x4::new(from_lanes(|lane| goal[abreast.parents[lane] as usize]));
    let beside = Vec3x4::new(from_lanes(|lane| state.positions[abreast.parents[lane] as usize])) + arm;
    state.animated_offsets[i] = arm;
    let moved = if system.subdivisions_only_collide && abreast.kind == BatchKind::Subdivision {
        // Placed later; what hangs from them sees where they were.
        Vec3x4::new(from_lanes(|lane| state.previous_positions[abreast.batch.indices[lane] as usize]))
    } else {
        integrate(rest, system, step, state, (&state.batch_params[i], abreast), beside)
    };
    abreast.batch.scatter(Vec3x4::select(abreast.pinned, beside, moved).to_array(), &mut state.positions);
}

/// Where points go on their own, and are pulled to: `beside` their parents.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn integrate(
    rest: &Rest,
    system: &System,
    step: &StepContext,
    state: &State,
    (numbers, abreast): (&BatchParams, &PointBatch),
    beside: Vec3x4,
) -> Vec3x4 {
    let places = from_lanes(|lane| abreast.batch.indices[lane] as usize);
    let previous = &state.previous_positions[..state.positions.len()];
    let before = Vec3x4::new(from_lanes(|lane| previous[places[lane]]));
    // Not yet overwritten: where they were a step earlier.
    let earlier = Vec3x4::new(from_lanes(|lane| state.positions[places[lane]]));
    let mut at = before
        + (before - earlier) * (numbers.velocity_retention * step.step_ratio)
        + Vec3x4::splat(step.force_displacement);
    if system.scene_wind && state.has_scene_wind {
        let gust = |i: usize| {
            gusting_scene_wind(
                state.scene_wind[i],
                system.wind_noise,
                (system.procedural_wind.seed, state.step_count, i),
            )
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
    if let Some(breeze) = &step.wind {
        let push = |lane: usize| {
            let strength = system.procedural_wind.strength_at(breeze, rest.points[places[lane]].length_fraction)
                * numbers.force_rate[lane];
            let direction = match system.procedural_wind.space {
                WindSpace::Bone => state.target_rotations[places[lane]] * breeze.direction,
                WindSpace::World | WindSpace::Component => breeze.direction,
            };
            direction * (strength * step.step_seconds)
        };
        at += Vec3x4::new(from_lanes(push));
    }
    at + (beside - at) * numbers.offset_removed
}

/// What gravity and the simple force do in one step, metres.
fn force_displacement(system: &System, state: &State, seconds: f32) -> Vec3 {
    let into = state.space.rotation.inverse();
    let gravity = if system.gravity_in_world {
        into * system.gravity
    } else {
        into * (state.felt_component.rotation * system.gravity)
    };
    let half = if system.legacy_gravity { 0.5 } else { 1.0 };
    let push = if system.simple_force_in_world { into * system.simple_force } else { system.simple_force };
    gravity * (half * seconds * seconds) + push * seconds
}

/// The procedural wind with its direction in the simulation space, or the bone's where it is meant so.
fn wind_in_simulation_space(system: &System, state: &State) -> WindSample {
    let mut breeze = system.procedural_wind.sample(state.wind_time);
    let into = state.space.rotation.inverse();
    match system.procedural_wind.space {
        WindSpace::Component => breeze.direction = into * (state.felt_component.rotation * breeze.direction),
        WindSpace::World => breeze.direction = into * breeze.direction,
        WindSpace::Bone => {}
    }
    breeze
}

/// A point that is nowhere goes back to its pose, and so does one that came from nowhere.
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
