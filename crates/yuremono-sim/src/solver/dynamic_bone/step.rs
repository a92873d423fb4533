//! Runs one frame of the component, and the steps of the frame.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::colliders::DynamicBoneCollider;
use super::pose_io::{bone_position, bone_scale_x, capture_pose, snap_to_pose, write_pose};
use super::{Implementation, JointRest, MAX_STEPS, NONE, Params, Particle, Rest, State, System};
use crate::math::{Quatx4, Vec3x4, from_lanes, shortest_arc, vec4_from_lanes};
use crate::probe::{self, Probe, TipPart};
use crate::solver::batch::Batch;
use crate::step_pose::NO_PARENT;
use crate::workload::{StepCounts, VISITS_PER_JOINT, VisitCost};
use crate::{StepPose, Workload};
use glam::{BVec4A, Quat, Vec3, Vec4};

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    capture_pose(rest, state, step_pose);
    let is_off = system.weight <= 0.0 || is_far(rest, system, step_pose);
    if is_off || state.was_off {
        snap_to_pose(rest, state, step_pose);
        state.was_off = is_off;
    }
    if is_off {
        return;
    }
    update_colliders(system, state, step_pose);
    update_gravity(rest, system, state, step_pose);
    let component = bone_position(step_pose.frames, rest.component);
    let moved = component - state.component_position;
    state.component_position = component;
    let (steps, factor) = plan_steps(system, &mut state.accumulator, dt);
    // Steps beyond the budget are dropped, like steps beyond the step limit.
    let StepCounts { steps, .. } = StepCounts { steps, iterations: 0 }.within_budget(cost(rest));
    let scale = bone_scale_x(step_pose.frames, rest.component);
    let mut context =
        StepContext { rest, params, system, component_scale: scale, force_factor: factor, component_motion: moved };
    for _ in 0..steps {
        context.advance_particles::<true>(state, step_pose);
        context.component_motion = Vec3::ZERO;
    }
    if steps == 0 {
        context.advance_particles::<false>(state, step_pose);
    }
    write_pose(rest, state, step_pose);
}

fn update_colliders(system: &System, state: &mut State, step_pose: &StepPose<'_>) {
    for (placed, collider) in state.colliders.iter_mut().zip(step_pose.colliders) {
        *placed = DynamicBoneCollider::new(collider, &step_pose.frames[collider.bone as usize], system.implementation);
    }
}

/// Updates the gravity on each tree, without the part that acts along the tree's rest pose.
fn update_gravity(rest: &Rest, system: &System, state: &mut State, step_pose: &StepPose<'_>) {
    if system.gravity == Vec3::ZERO {
        state.gravity.fill(Vec3::ZERO);
        return;
    }
    for (gravity, tree) in state.gravity.iter_mut().zip(&rest.trees) {
        // Differs from DynamicBone: a gravity that changes at run time acts as if it had been set at the start.
        let at_rest = match system.implementation {
            Implementation::Asset => tree.local_from_world * system.gravity,
            // Reproduces a bug of the clone.
            Implementation::Clone => tree.world_origin + tree.local_from_world * system.gravity,
        };
        let held =
            step_pose.frames[tree.bone as usize].rotation * at_rest.normalize_or_zero() * system.gravity.length();
        let along = system.gravity.normalize_or_zero();
        *gravity = system.gravity - along * held.dot(along).max(0.0);
    }
}

/// Returns whether the component is beyond its distance limit.
fn is_far(rest: &Rest, system: &System, step_pose: &StepPose<'_>) -> bool {
    let from = if rest.reference == NO_PARENT {
        step_pose.viewer
    } else {
        Some(bone_position(step_pose.frames, rest.reference))
    };
    system.max_distance.zip(from).is_some_and(|(reach, from)| {
        from.distance_squared(bone_position(step_pose.frames, rest.component)) > reach * reach
    })
}

fn cost(rest: &Rest) -> VisitCost {
    VisitCost { step: VISITS_PER_JOINT * rest.particles.len() as u64 + rest.collision_tests, iteration: 0 }
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Workload {
    let follows_rate = system.update_rate > 0.0 && !system.one_step_per_frame;
    let steps = if follows_rate { ((dt * system.update_rate) as u32).clamp(1, system.max_steps) } else { 1 };
    let done = StepCounts { steps, iterations: 0 }.within_budget(cost(rest));
    Workload::new(done.visits(cost(rest))).with_reduction(0, MAX_STEPS, steps, done.steps)
}

/// Returns the number of steps of a frame, and the factor on their forces.
fn plan_steps(system: &System, left: &mut f32, dt: f32) -> (u32, f32) {
    if system.update_rate <= 0.0 {
        return (1, 1.0);
    }
    if system.one_step_per_frame {
        return (1, dt * system.update_rate);
    }
    let length = 1.0 / system.update_rate;
    let mut steps = 0;
    *left += dt;
    while *left >= length {
        *left -= length;
        steps += 1;
        if steps >= system.max_steps {
            *left = 0.0;
        }
    }
    (steps, 1.0)
}

struct StepContext<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: &'a System,
    component_scale: f32,
    force_factor: f32,
    /// Motion of the component since the last step, in metres.
    component_motion: Vec3,
}

struct BatchInput<'a> {
    batch: &'a Batch,
    particles: [&'a Particle; 4],
    joints: [&'a JointRest; 4],
    params: [&'a Params; 4],
}

struct BatchState {
    position: Vec3x4,
    previous: Vec3x4,
    /// Offsets from the heads in the animated pose.
    animated_offset: Vec3x4,
    head: Vec3x4,
    animated_length: Vec4,
    collided: [bool; 4],
}

impl StepContext<'_> {
    /// Moves roots to the animated pose and advances tips by a step, parents first. Without `STEP`, tips only follow
    /// the component's motion.
    fn advance_particles<const STEP: bool>(&self, state: &mut State, step_pose: &StepPose<'_>) {
        for batch in &self.rest.particle_batches {
            if self.rest.particles[batch.indices[0] as usize].parent == NONE {
                for i in batch.active_indices() {
                    let point = &mut state.points[*i as usize];
                    point.previous = point.position;
                    point.position = step_pose.frames[self.rest.particles[*i as usize].bone as usize].position;
                    let (slot, at) = (*i as usize, point.position);
                    probe::record(step_pose.probe, move |probe| probe.reach(slot, TipPart::Inertia, at));
                }
            } else {
                self.advance_tips::<STEP>(batch, state, step_pose);
            }
        }
    }

    #[inline(always)]
    fn advance_tips<const STEP: bool>(&self, batch: &Batch, state: &mut State, step_pose: &StepPose<'_>) {
        let tips = self.batch_input(batch);
        let mut moving = BatchState::new(batch, tips.particles, state);
        let slots = batch.active_indices();
        let reach = |part: TipPart, tip: Vec3x4| {
            probe::record(step_pose.probe, move |probe| probe.reach_batch(slots, part, tip));
        };
        if STEP {
            if let Some(probe) = step_pose.probe {
                self.record_motion(probe, &tips, state);
            }
            self.integrate(&tips, &mut moving, state);
            reach(TipPart::Force, moving.position);
            self.constrain(&tips, &mut moving, &state.colliders, step_pose);
        } else {
            let moved = Vec3x4::splat(self.component_motion);
            (moving.position, moving.previous) = (moving.position + moved, moving.previous + moved);
            reach(TipPart::Inertia, moving.position);
            let target = moving.head + moving.animated_offset;
            moving.apply_stiffness(target, &tips, self.system);
            reach(TipPart::AngleLimit, moving.position);
            moving.keep_length();
            reach(TipPart::LengthLimit, moving.position);
        }
        if self.rest.any_disabled {
            self.follow_disabled_joints(batch, &tips, &mut moving, state);
        }
        let is_lost = !(moving.position.is_finite_mask() & moving.previous.is_finite_mask());
        if is_lost.any() {
            moving.reset_to_animated(is_lost);
        }
        if self.rest.any_disabled {
            for (lane, i) in batch.active_indices().iter().enumerate() {
                let to = (moving.position - moving.head).to_array()[lane];
                record_rotation_offset(
                    self.rest,
                    &mut state.rotation_offsets,
                    *i as usize,
                    moving.animated_offset.to_array()[lane],
                    to,
                );
            }
        }
        let (at, previous) = (moving.position.to_array(), moving.previous.to_array());
        from_lanes(|lane| state.points[batch.indices[lane] as usize].position = at[lane]);
        from_lanes(|lane| state.points[batch.indices[lane] as usize].previous = previous[lane]);
        from_lanes(|lane| state.points[batch.indices[lane] as usize].collided = moving.collided[lane]);
    }

    #[inline(always)]
    fn batch_input<'s>(&'s self, batch: &'s Batch) -> BatchInput<'s> {
        let particles = batch.refs(&self.rest.particles);
        let joints = from_lanes(|lane| &self.rest.joints[particles[lane].joint as usize]);
        BatchInput {
            batch,
            particles,
            joints,
            params: from_lanes(|lane| &self.params[particles[lane].params as usize]),
        }
    }

    /// Integrates by position Verlet: damped motion, forces, and a share of the component's motion.
    #[inline(always)]
    fn integrate(&self, tips: &BatchInput<'_>, moving: &mut BatchState, state: &State) {
        let (system, p) = (self.system, tips.params);
        // Only the clone has this curve.
        let share =
            |lane: usize| if system.implementation == Implementation::Clone { p[lane].force_share } else { 1.0 };
        let gravity = Vec3x4::from_lanes(|lane| state.gravity[tips.particles[lane].tree as usize]);
        let force = Vec3x4::splat(system.force) * vec4_from_lanes(share);
        let pull = (gravity + force) * (self.component_scale * self.force_factor);
        let carried = Vec3x4::splat(self.component_motion) * vec4_from_lanes(|lane| p[lane].inert);
        let mut damping = vec4_from_lanes(|lane| p[lane].damping);
        if moving.collided != [false; 4] {
            let rubbed = |lane: usize| (p[lane].damping + p[lane].friction).min(1.0);
            damping = vec4_from_lanes(|lane| if moving.collided[lane] { rubbed(lane) } else { damping[lane] });
            moving.collided = [false; 4];
        }
        let speed = moving.position - moving.previous;
        moving.previous = moving.position + carried;
        moving.position += speed * (Vec4::ONE - damping) + pull + carried;
    }

    /// Applies the constraints in the asset's order.
    /// Records inertia and gravity. [`StepContext::integrate`] then adds the force.
    #[cold]
    #[inline(never)]
    fn record_motion(&self, probe: Probe<'_>, tips: &BatchInput<'_>, state: &State) {
        for (lane, i) in tips.batch.active_indices().iter().enumerate() {
            let i = *i as usize;
            let (p, point) = (tips.params[lane], &state.points[i]);
            let damping = if point.collided { (p.damping + p.friction).min(1.0) } else { p.damping };
            let carried = self.component_motion * p.inert;
            let inert = point.position + (point.position - point.previous) * (1.0 - damping) + carried;
            let gravity =
                state.gravity[tips.particles[lane].tree as usize] * (self.component_scale * self.force_factor);
            probe.reach(i, TipPart::Inertia, inert);
            probe.reach(i, TipPart::Gravity, inert + gravity);
        }
    }

    #[inline(always)]
    fn constrain(
        &self,
        tips: &BatchInput<'_>,
        moving: &mut BatchState,
        placed: &[DynamicBoneCollider],
        step_pose: &StepPose<'_>,
    ) {
        let target = moving.head + moving.animated_offset;
        let elasticity = vec4_from_lanes(|lane| tips.params[lane].elasticity) * self.force_factor;
        let slots = tips.batch.active_indices();
        let reach = |part: TipPart, tip: Vec3x4| {
            probe::record(step_pose.probe, move |probe| probe.reach_batch(slots, part, tip));
        };
        moving.position += (target - moving.position) * elasticity;
        reach(TipPart::Spring, moving.position);
        moving.apply_stiffness(target, tips, self.system);
        reach(TipPart::AngleLimit, moving.position);
        let has_any = |joint: &JointRest| !joint.colliders.is_empty();
        let meets = from_lanes(|lane| tips.joints[lane].enabled && has_any(tips.joints[lane]));
        if meets != [false; 4] {
            let mut points = moving.position.to_array();
            for lane in (0..tips.batch.active_indices().len()).filter(|lane| meets[*lane]) {
                moving.collided[lane] |= self.push_out(&mut points[lane], tips.joints[lane], tips.params[lane], placed);
            }
            tips.batch.pad_lanes(&mut points);
            tips.batch.pad_lanes(&mut moving.collided);
            moving.position = Vec3x4::new(points);
            reach(TipPart::Collision, moving.position);
        }
        if let Some(axis) = self.system.freeze_axis {
            let bones = Quatx4::from_lanes(|lane| step_pose.frames[tips.joints[lane].bone as usize].rotation);
            let across = bones * Vec3x4::splat(axis);
            moving.position = moving.position - across * (moving.position - moving.head).dot(across);
            reach(TipPart::AngleLimit, moving.position);
        }
        moving.keep_length();
        reach(TipPart::LengthLimit, moving.position);
    }

    /// Resolves the colliders one after the other. Returns whether the particle touched any collider.
    #[inline]
    fn push_out(&self, point: &mut Vec3, joint: &JointRest, p: &Params, placed: &[DynamicBoneCollider]) -> bool {
        let mut collided = false;
        for id in joint.colliders.slice(&self.rest.colliders) {
            if let Some(way) = placed[*id as usize].push_offset(*point, p.radius * self.component_scale) {
                *point += way;
                collided = true;
            }
        }
        collided
    }

    /// Moves the tips of disabled joints rigidly along with the parent. Their contact flag stays unchanged.
    #[cold]
    fn follow_disabled_joints(&self, batch: &Batch, tips: &BatchInput<'_>, moving: &mut BatchState, state: &State) {
        let is_off = BVec4A::from_array(from_lanes(|lane| !tips.joints[lane].enabled));
        let turn = |lane: usize| parent_rotation_offset(self.rest, &state.rotation_offsets, tips.particles[lane]);
        let at = moving.head + Quatx4::from_lanes(turn) * moving.animated_offset;
        moving.position = Vec3x4::select(is_off, at, moving.position);
        moving.previous = Vec3x4::select(is_off, at, moving.previous);
        let before = |lane: usize| state.points[batch.indices[lane] as usize].collided;
        moving.collided = from_lanes(|lane| if is_off.test(lane) { before(lane) } else { moving.collided[lane] });
    }
}

impl BatchState {
    #[inline(always)]
    fn new(batch: &Batch, particles: [&Particle; 4], state: &State) -> Self {
        let points = batch.refs(&state.points);
        Self {
            position: Vec3x4::from_lanes(|lane| points[lane].position),
            previous: Vec3x4::from_lanes(|lane| points[lane].previous),
            animated_offset: Vec3x4::from_lanes(|lane| points[lane].animated_offset),
            head: Vec3x4::from_lanes(|lane| state.points[particles[lane].parent as usize].position),
            animated_length: vec4_from_lanes(|lane| points[lane].animated_length),
            collided: from_lanes(|lane| points[lane].collided),
        }
    }

    /// Clamps the tip to a sphere around the rest position. More stiffness or a lower blend weight makes the sphere
    /// smaller.
    #[inline(always)]
    fn apply_stiffness(&mut self, target: Vec3x4, tips: &BatchInput<'_>, system: &System) {
        let stiffness = vec4_from_lanes(|lane| tips.params[lane].stiffness);
        let stiffness = (stiffness - Vec4::ONE) * system.weight + Vec4::ONE;
        let way = target - self.position;
        let most = self.animated_length * (Vec4::ONE - stiffness) * 2.0;
        let squared = way.length_squared();
        let is_out = stiffness.cmpgt(Vec4::ZERO) & squared.cmpgt(most * most);
        if is_out.any() {
            let distance = squared.sqrt();
            let held = self.position + way * ((distance - most) / distance);
            self.position = Vec3x4::select(is_out, held, self.position);
        }
    }

    /// Moves the tip along the line from the head until it is at bone length.
    #[inline(always)]
    fn keep_length(&mut self) {
        let way = self.head - self.position;
        let length = way.length();
        let kept = self.position + way * ((length - self.animated_length) / length);
        self.position = Vec3x4::select(length.cmpgt(Vec4::ZERO), kept, self.position);
    }

    /// Resets a non-finite particle to the animated pose and removes its velocity.
    #[inline]
    fn reset_to_animated(&mut self, is_lost: BVec4A) {
        let at = self.head + self.animated_offset;
        let at = Vec3x4::select(at.is_finite_mask(), at, Vec3x4::splat(Vec3::ZERO));
        self.position = Vec3x4::select(is_lost, at, self.position);
        self.previous = Vec3x4::select(is_lost, at, self.previous);
    }
}

/// Returns the rotation, relative to the animation, of the parent bone of a particle's joint.
fn parent_rotation_offset(rest: &Rest, turns: &[Quat], particle: &Particle) -> Quat {
    let head = &rest.particles[particle.parent as usize];
    if head.parent == NONE { Quat::IDENTITY } else { turns[head.joint as usize] }
}

/// Records the rotation of a joint, which disabled descendants need.
#[cold]
fn record_rotation_offset(rest: &Rest, turns: &mut [Quat], i: usize, arm: Vec3, to: Vec3) {
    let particle = &rest.particles[i];
    let joint = &rest.joints[particle.joint as usize];
    if joint.rotates && joint.tip as usize != i {
        return;
    }
    let above = parent_rotation_offset(rest, turns, particle);
    let aims = joint.rotates && joint.enabled;
    let own = || shortest_arc((above * arm).normalize_or_zero(), to.normalize_or_zero());
    turns[particle.joint as usize] = if aims { own() * above } else { above };
}

#[cfg(test)]
mod tests {
    use super::super::{MAX_STEPS, UPDATE_MODE, UPDATE_RATE};
    use super::*;
    use crate::Dynamics as _;
    use crate::params::ParamSet;
    use crate::solver::batch::split_into_batches;
    use crate::solver::dynamic_bone::{DynamicBone, PARAMS, RUN_AS};

    fn system(values: &[(crate::params::ParamId, f32)]) -> System {
        let mut set = ParamSet::defaults(PARAMS);
        for (param, value) in values {
            set.set(*param, *value);
        }
        DynamicBone::bake_system(|param| set.get(param))
    }

    #[track_caller]
    fn check(values: &[(crate::params::ParamId, f32)], dt: f32, expected: [(u32, f32); 4]) {
        let (system, mut left) = (system(values), 0.0);
        for (frame, (count, factor)) in expected.into_iter().enumerate() {
            let found = plan_steps(&system, &mut left, dt);
            assert!(found.0 == count && (found.1 - factor).abs() < 1e-5, "frame {frame}: {found:?}");
        }
    }

    #[test]
    fn default_mode_takes_one_scaled_step_per_frame() {
        check(&[], 1.0 / 30.0, [(1, 2.0); 4]);
        check(&[(UPDATE_RATE, 0.0)], 1.0 / 30.0, [(1, 1.0); 4]);
    }

    #[test]
    fn other_modes_keep_the_update_rate_and_drop_time_beyond_the_step_limit() {
        for mode in [0.0, 1.0, 2.0] {
            check(&[(UPDATE_MODE, mode)], 0.0069, [(0, 1.0), (0, 1.0), (1, 1.0), (0, 1.0)]);
            check(&[(UPDATE_MODE, mode)], 0.066, [(3, 1.0); 4]);
            check(&[(UPDATE_MODE, mode), (MAX_STEPS, 4.0)], 0.0669, [(4, 1.0); 4]);
            check(&[(UPDATE_MODE, mode), (UPDATE_RATE, 0.0)], 0.0069, [(1, 1.0); 4]);
        }
    }

    #[test]
    fn the_clone_takes_one_step_per_frame_in_every_mode() {
        check(&[(UPDATE_MODE, 0.0), (RUN_AS, 1.0)], 0.0069, [(1, 0.414); 4]);
    }

    #[test]
    fn a_contact_damps_only_the_next_step() {
        let p = Params {
            damping: 0.25,
            elasticity: 0.0,
            stiffness: 0.0,
            inert: 0.0,
            friction: 0.25,
            radius: 0.0,
            force_share: 1.0,
        };
        let (rest, system) = (Rest::default(), system(&[]));
        let context = StepContext {
            rest: &rest,
            params: &[],
            system: &system,
            component_scale: 1.0,
            force_factor: 1.0,
            component_motion: Vec3::ZERO,
        };
        let (particle, joint) = (Particle::default(), JointRest { enabled: true, ..JointRest::default() });
        let batch = &split_into_batches(4, |_, _| false)[0];
        let tips = BatchInput { batch, particles: [&particle; 4], joints: [&joint; 4], params: [&p; 4] };
        let state = State { gravity: vec![Vec3::ZERO], ..State::default() };
        let zero = Vec3x4::splat(Vec3::ZERO);
        let collided = [true, false, true, false];
        let at = Vec3x4::splat(Vec3::X);
        let mut moving = BatchState {
            position: at,
            previous: zero,
            animated_offset: zero,
            head: zero,
            animated_length: Vec4::ZERO,
            collided,
        };
        let mut expect = |lanes: [f32; 2]| {
            context.integrate(&tips, &mut moving, &state);
            assert_eq!(moving.position.x, Vec4::new(lanes[0], lanes[1], lanes[0], lanes[1]));
        };
        expect([1.5, 1.75]);
        expect([1.875, 2.3125]);
    }
}
