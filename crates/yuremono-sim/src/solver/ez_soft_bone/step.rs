//! Runs one frame: computes the values of the frame, takes substeps in batches of independent particles, and writes the
//! bone poses.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::super::super::step_pose::{NO_PARENT, StepPose};
use super::colliders::{ColliderSet, EzWorldCollider};
use super::{
    MIN_STEP_SECONDS, NONE, Params, Particle, PointBatch, Rest, State, System, lossy_scale,
    refresh_batch_skipped_bones, refresh_skipped_bones, refresh_tree, setup, vector_to_local, vector_to_world,
};
use crate::math::{Frame, Quatx4, Vec3x4, arc_between, for_each_lane, from_lanes, lerp_shortest, vec4_from_lanes};
use crate::probe::{self, Probe, TipPart};
use crate::solver::batch::Batch;
use crate::vec_util::{unit_or_zero, unit_or_zero_x4};
use glam::{BVec4A, Quat, Vec3, Vec4};
use std::f32::consts::PI;

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    refresh_tree(rest, step_pose);
    state.wind_time += dt;
    let space = *step_pose.parent_frame(rest.space_bone);
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
        prepare(rest, params, system, state, step_pose);
        let substep = Substep { rest, params, system, step_pose, seconds: step / f32::from(system.iterations) };
        for _ in 0..system.iterations {
            for (at, point_batch) in rest.point_batches.iter().enumerate() {
                if point_batch.is_beyond_start_depth {
                    substep.step_batch(at, point_batch, state);
                } else {
                    follow_pose(rest, &point_batch.batch, state, step_pose);
                }
            }
        }
    }
    state.previous_space = space;
    write_pose(rest, system, state, step_pose);
}

fn follow_pose(rest: &Rest, batch: &Batch, state: &mut State, step_pose: &StepPose<'_>) {
    for i in batch.active_indices() {
        let i = *i as usize;
        let at = pose_position(rest, &rest.particles[i], step_pose.frames);
        (state.points[i], state.velocities[i]) = (at, Vec3::ZERO);
        probe::record(step_pose.probe, move |probe| probe.reach(i, TipPart::Inertia, at));
    }
}

/// Returns the position of a particle in the pose, in metres. The frames must still be those of the pose.
fn pose_position(rest: &Rest, particle: &Particle, frames: &[Frame]) -> Vec3 {
    if let Some(frame) = frames.get(particle.bone as usize) {
        return frame.position;
    }
    let parent = &frames[rest.joints[particle.head_joint as usize].bone as usize];
    parent.position + vector_to_world(parent, particle.local_offset)
}

/// What all batches of a substep share.
struct Substep<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: &'a System,
    step_pose: &'a StepPose<'a>,
    seconds: f32,
}

impl Substep<'_> {
    #[inline]
    fn step_batch(&self, at: usize, point_batch: &PointBatch, state: &mut State) {
        let Self { rest, system, step_pose, seconds: dt, .. } = *self;
        let slots = point_batch.batch.active_indices();
        let reach = |part: TipPart, tip: Vec3x4| {
            probe::record(step_pose.probe, move |probe| probe.reach_batch(slots, part, tip));
        };
        let (batch, now, is_free) = (&point_batch.batch, &state.batch_inputs[at], point_batch.is_simulated);
        let old = Vec3x4::new(batch.gather(&state.points));
        let head = Vec3x4::from_lanes(|lane| state.points[point_batch.parents[lane] as usize]);
        let mut speed = Vec3x4::new(batch.gather(&state.velocities));
        speed = (speed + now.velocity_added) * now.velocity_retention;
        let is_awake = speed.length_squared().cmpgt(Vec4::splat(system.sleep_speed_squared));
        let mut new = Vec3x4::select(is_awake, old + speed * dt, old);
        if let Some(probe) = step_pose.probe {
            self.record_motion(probe, at, point_batch, state);
        }
        reach(TipPart::Force, new);
        new += (head + now.animated_offset - new) * now.offset_removed;
        reach(TipPart::Spring, new);
        let mut kept = head + unit_or_zero_x4(new - head) * now.animated_length;
        if rest.has_siblings {
            kept = apply_sibling_links(rest, batch, now, &state.points, new, kept);
        }
        new = kept + (new - kept) * now.slackness;
        reach(TipPart::LengthLimit, new);
        if now.may_collide {
            new = push_out(rest, batch, now, state, new);
            reach(TipPart::Collision, new);
        }
        speed = (speed + (new - old) / dt) * 0.5;
        let is_sound = new.length_squared().is_finite_mask() & speed.length_squared().is_finite_mask();
        if !(is_sound & is_free).all() {
            new = new.replace_lanes(!is_sound, |lane, _| {
                finite_or((head + now.animated_offset).to_array()[lane], old.to_array()[lane])
            });
            new = new.replace_lanes(!is_free, |lane, _| {
                carried_position(rest, batch.indices[lane], &state.points, step_pose.frames)
            });
            speed = Vec3x4::select(is_sound & is_free, speed, Vec3x4::default());
        }
        batch.scatter(new.to_array(), &mut state.points);
        batch.scatter(speed.to_array(), &mut state.velocities);
    }

    /// Records how velocity and gravity move the points of a batch.
    #[cold]
    #[inline(never)]
    fn record_motion(&self, probe: Probe<'_>, at: usize, point_batch: &PointBatch, state: &State) {
        let now = &state.batch_inputs[at];
        let added = now.velocity_added.to_array();
        for (lane, i) in point_batch.batch.active_indices().iter().enumerate() {
            let (i, kept) = (*i as usize, now.velocity_retention[lane]);
            let speed = (state.velocities[i] + added[lane]) * kept;
            let is_awake = speed.length_squared() > self.system.sleep_speed_squared;
            let seconds = if is_awake { kept * self.seconds } else { 0.0 };
            let felt = self.params[point_batch.params[lane] as usize].force_fraction;
            let gravity = state.force_without_field * (felt / f32::from(self.system.iterations));
            let inert = state.points[i] + state.velocities[i] * seconds;
            probe.reach(i, TipPart::Inertia, inert);
            probe.reach(i, TipPart::Gravity, inert + gravity * seconds);
        }
    }
}

/// Returns `at` if it is finite, otherwise `old`.
fn finite_or(at: Vec3, old: Vec3) -> Vec3 {
    if at.length_squared().is_finite() { at } else { old }
}

/// Returns the position of a disabled particle, which stays rigidly attached to its parent's particle, as in the pose.
fn carried_position(rest: &Rest, i: u32, points: &[Vec3], frames: &[Frame]) -> Vec3 {
    let particle = &rest.particles[i as usize];
    let parent = &rest.particles[particle.parent as usize];
    points[particle.parent as usize] + (pose_position(rest, particle, frames) - pose_position(rest, parent, frames))
}

/// Returns the mean of `kept`, which are the positions at bone length, and of the positions at the rest distance from
/// each sibling.
fn apply_sibling_links(
    rest: &Rest,
    batch: &Batch,
    now: &BatchInput,
    points: &[Vec3],
    at: Vec3x4,
    kept: Vec3x4,
) -> Vec3x4 {
    let (mut sum, mut count) = (kept, Vec4::ONE);
    for (side, length) in now.sibling_distances.into_iter().enumerate() {
        let siblings = from_lanes(|lane| rest.particles[batch.indices[lane] as usize].siblings[side].particle);
        let is_one = BVec4A::from_array(from_lanes(|lane| siblings[lane] != NONE));
        let other = Vec3x4::from_lanes(|lane| points.get(siblings[lane] as usize).copied().unwrap_or_default());
        sum = Vec3x4::select(is_one, sum + (other + unit_or_zero_x4(at - other) * length), sum);
        count += Vec4::select(is_one, Vec4::ONE, Vec4::ZERO);
    }
    sum / count
}

#[inline(never)]
fn push_out(rest: &Rest, batch: &Batch, now: &BatchInput, state: &State, free: Vec3x4) -> Vec3x4 {
    let solids = ColliderSet { colliders: &state.world_colliders, hulls: &rest.hulls, corners: &state.hull_corners };
    let mut each = free.to_array();
    for (lane, i) in batch.active_indices().iter().enumerate().filter(|(lane, _)| now.radius[*lane] > 0.0) {
        let particle = &rest.particles[*i as usize];
        let joint = &rest.joints[particle.head_joint as usize];
        for at in joint.colliders.slice(&rest.colliders) {
            each[lane] = solids.push_out(*at, particle.bone, each[lane], now.radius[lane]);
        }
    }
    Vec3x4::new(each)
}

/// Values of up to four particles that stay constant during a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BatchInput {
    /// Offsets from the parents to the particles in the pose, in metres.
    pub(super) animated_offset: Vec3x4,
    pub(super) animated_length: Vec4,
    /// Distances to the left and to the right siblings, in metres.
    pub(super) sibling_distances: [Vec4; 2],
    /// Velocity added by forces, in m/s.
    pub(super) velocity_added: Vec3x4,
    /// Shares that a substep keeps of the velocity, removes from the offset to the pose, and keeps of the stretch.
    pub(super) velocity_retention: Vec4,
    pub(super) offset_removed: Vec4,
    pub(super) slackness: Vec4,
    /// Radii in metres.
    pub(super) radius: Vec4,
    pub(super) may_collide: bool,
}

struct FrameContext<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    gravity: Vec3,
    /// Sum of all forces except the force field, in m/s.
    force_without_field: Vec3,
    /// Factors on the force field, on all forces, and on radii.
    field_scale: f32,
    force_scale: Vec3,
    radius_scale: f32,
    /// Reciprocal of the number of substeps.
    substep_fraction: f32,
    wind_time: f32,
}

pub(super) fn prepare(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &StepPose<'_>) {
    for (i, (placed, collider)) in state.world_colliders.iter_mut().zip(step_pose.colliders).enumerate() {
        *placed = EzWorldCollider::new(collider, &step_pose.frames[collider.bone as usize], rest.margins[i]);
    }
    update_hulls(rest, state, step_pose);
    let (force_scale, radius_scale) = component_scale(rest, step_pose);
    let gravity = system.gravity * gravity_aligner_factor(rest, system.gravity, step_pose);
    let shared = FrameContext {
        rest,
        params,
        gravity,
        force_without_field: gravity * force_scale,
        field_scale: system.force_scale,
        force_scale,
        radius_scale,
        substep_fraction: 1.0 / f32::from(system.iterations),
        wind_time: state.wind_time,
    };
    state.force_without_field = shared.force_without_field;
    for (now, point_batch) in state
        .batch_inputs
        .iter_mut()
        .zip(&rest.point_batches)
        .filter(|(_, point_batch)| point_batch.is_beyond_start_depth)
    {
        *now = shared.batch_input(point_batch, step_pose.frames);
    }
}

impl FrameContext<'_> {
    #[inline(always)]
    fn batch_input(&self, point_batch: &PointBatch, frames: &[Frame]) -> BatchInput {
        let (rest, each) = (self.rest, Vec4::splat(self.substep_fraction));
        let p = from_lanes(|lane| &self.params[point_batch.params[lane] as usize]);
        let arm = offsets_to_world(
            from_lanes(|lane| &frames[point_batch.head_bones[lane] as usize]),
            point_batch.local_offsets,
        );
        let force = if rest.force_field.is_some() {
            self.force_with_field(point_batch, frames)
        } else {
            Vec3x4::splat(self.force_without_field)
        };
        let felt = vec4_from_lanes(|lane| p[lane].force_fraction);
        let radius = vec4_from_lanes(|lane| p[lane].radius) * self.radius_scale;
        BatchInput {
            animated_offset: arm,
            animated_length: arm.length(),
            sibling_distances: if rest.has_siblings {
                sibling_distances(rest, point_batch, frames)
            } else {
                [Vec4::ZERO; 2]
            },
            velocity_added: force * felt * each,
            velocity_retention: vec4_from_lanes(|lane| p[lane].velocity_retention),
            offset_removed: (vec4_from_lanes(|lane| p[lane].stiffness) * each).clamp(Vec4::ZERO, Vec4::ONE),
            slackness: (vec4_from_lanes(|lane| p[lane].slackness) * each).clamp(Vec4::ZERO, Vec4::ONE),
            radius,
            may_collide: !rest.colliders.is_empty() && radius.cmpgt(Vec4::ZERO).any(),
        }
    }

    #[inline(never)]
    fn force_with_field(&self, point_batch: &PointBatch, frames: &[Frame]) -> Vec3x4 {
        let along = |lane: usize| self.rest.particles[point_batch.batch.indices[lane] as usize].length_fraction;
        let wind = |lane: usize| setup::force_at(self.rest.force_field.as_ref(), self.wind_time, along(lane), frames);
        Vec3x4::from_lanes(|lane| (self.gravity + wind(lane) * self.field_scale) * self.force_scale)
    }
}

/// Transforms vectors from the bones' spaces to the world.
#[inline]
fn offsets_to_world(frames: [&Frame; 4], local: Vec3x4) -> Vec3x4 {
    let arms = Quatx4::from_lanes(|lane| frames[lane].rotation) * local;
    let is_scaled = from_lanes(|lane| frames[lane].scaled);
    if is_scaled == [false; 4] {
        return arms;
    }
    arms.replace_lanes(BVec4A::from_array(is_scaled), |lane, _| vector_to_world(frames[lane], local.to_array()[lane]))
}

/// Returns the distances to the siblings in the pose, in metres.
fn sibling_distances(rest: &Rest, point_batch: &PointBatch, frames: &[Frame]) -> [Vec4; 2] {
    let bones = if point_batch.has_bones { point_batch.bones } else { point_batch.head_bones };
    let distance = |lane: usize, side: usize| {
        let sibling = &rest.particles[point_batch.batch.indices[lane] as usize].siblings[side];
        if sibling.particle == NONE {
            0.0
        } else {
            vector_to_world(&frames[bones[lane] as usize], sibling.offset).length()
        }
    };
    [0, 1].map(|side| vec4_from_lanes(|lane| distance(lane, side)))
}

/// Returns the local scale of the component, which applies to forces, and its largest world scale, which applies to
/// radii.
fn component_scale(rest: &Rest, step_pose: &StepPose<'_>) -> (Vec3, f32) {
    match step_pose.frames.get(rest.component as usize) {
        Some(frame) => (step_pose.pose[rest.component as usize].scale, lossy_scale(frame).max_element()),
        None => (Vec3::ONE, 1.0),
    }
}

/// Returns the angle by which the aligner rotates gravity, as a share of half a turn, 0 to 1.
fn gravity_aligner_factor(rest: &Rest, gravity: Vec3, step_pose: &StepPose<'_>) -> f32 {
    let Some(aligner) = step_pose.frames.get(rest.gravity_aligner as usize) else { return 1.0 };
    let cosine = unit_or_zero(aligner.rotation * gravity).dot(unit_or_zero(gravity));
    // Differs from EZSoftBone, whose bones vanish if rounding makes the cosine larger than 1.
    libm::acosf(cosine.clamp(-1.0, 1.0)) / PI
}

/// Updates the corners of all hulls and their colliders to the frames of their bones.
fn update_hulls(rest: &Rest, state: &mut State, step_pose: &StepPose<'_>) {
    for (i, hull) in (0..).zip(&rest.hulls) {
        let at = hull.collider as usize;
        let (Some(placed), Some(collider)) = (state.world_colliders.get_mut(at), step_pose.colliders.get(at)) else {
            continue;
        };
        let middle = hull.update_corners(&mut state.hull_corners, &step_pose.frames[collider.bone as usize]);
        *placed = EzWorldCollider::from_hull(collider, rest.margins[at], i, middle);
    }
}

pub(super) fn write_pose(rest: &Rest, system: &System, state: &mut State, step_pose: &mut StepPose<'_>) {
    let siblings_turn = system.sibling_rotation && rest.has_siblings;
    for point_batch in rest.point_batches.iter().filter(|point_batch| point_batch.has_bones) {
        if point_batch.has_skipped_bones {
            refresh_batch_skipped_bones(rest, &point_batch.batch, step_pose);
        }
        if !point_batch.is_beyond_start_depth {
            step_pose.refresh_batch(point_batch.bones, point_batch.parent_bones);
            follow_bones(rest, &point_batch.batch, state, step_pose);
            continue;
        }
        let is_scaled = from_lanes(|lane| step_pose.frames[point_batch.bones[lane] as usize].scaled);
        let mut is_plain = point_batch.is_simulated & !BVec4A::from_array(is_scaled);
        if siblings_turn {
            is_plain &= BVec4A::from_array(from_lanes(|lane| {
                has_no_siblings(&rest.particles[point_batch.batch.indices[lane] as usize])
            }));
        }
        if is_plain.any() {
            write_batch(point_batch, is_plain, &state.points, step_pose);
        }
        if !is_plain.all() {
            let others = (0..point_batch.batch.active_indices().len()).filter(|lane| !is_plain.test(*lane));
            others
                .for_each(|lane| write_bone(rest, point_batch.batch.indices[lane] as usize, system, state, step_pose));
        }
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = step_pose.frames[joint.bone as usize].transform_point(joint.tip_offset);
        let tip = &mut state.points[joint.tip as usize];
        *tip = if at.is_finite() { at } else { *tip };
        let (slot, at) = (joint.tip as usize, *tip);
        probe::record(step_pose.probe, move |probe| probe.reach(slot, TipPart::Inertia, at));
    }
}

fn has_no_siblings(particle: &Particle) -> bool {
    particle.siblings.iter().all(|sibling| sibling.particle == NONE)
}

/// Writes unscaled bones that move to their particles. Their new frames need no refresh.
#[inline(always)]
fn write_batch(point_batch: &PointBatch, is_plain: BVec4A, points: &[Vec3], step_pose: &mut StepPose<'_>) {
    let bones = from_lanes(|lane| point_batch.bones[lane] as usize);
    let parent = from_lanes(|lane| step_pose.parent_frame(point_batch.parent_bones[lane]));
    let above = Quatx4::from_lanes(|lane| parent[lane].rotation);
    let at = Vec3x4::new(point_batch.batch.gather(points));
    let place = above.inverse() * (at - Vec3x4::from_lanes(|lane| parent[lane].position));
    let mut local = Quatx4::from_lanes(|lane| step_pose.pose[bones[lane]].rotation);
    let mut turned = above * local;
    if point_batch.rotates.any() {
        let mut seen = turned.inverse() * (Vec3x4::from_lanes(|lane| points[point_batch.children[lane] as usize]) - at);
        if !point_batch.rotates.all() {
            // A zero direction would make `arc_between` take its slow path.
            seen = Vec3x4::select(point_batch.rotates, seen, point_batch.child_offsets);
        }
        let by = Quatx4::arc_between(point_batch.child_offsets, seen);
        if point_batch.rotates.all() {
            (local, turned) = (local * by, turned * by);
        } else {
            local = Quatx4::select(point_batch.rotates, local * by, local);
            turned = Quatx4::select(point_batch.rotates, turned * by, turned);
        }
    }
    let (is_plain, is_sound) = (is_plain.bitmask(), place.is_finite_mask().bitmask());
    let (local, turned, place, at) = (local.to_array(), turned.to_array(), place.to_array(), at.to_array());
    for_each_lane(|lane| {
        if is_plain >> lane & 1 == 0 {
            return;
        }
        step_pose.pose[bones[lane]].rotation = local[lane];
        if is_sound >> lane & 1 == 0 {
            step_pose.refresh(point_batch.bones[lane]);
        } else {
            step_pose.pose[bones[lane]].translation = place[lane];
            step_pose.frames[bones[lane]].set_unscaled(turned[lane], at[lane]);
        }
    });
}

/// Moves the particles that follow the pose to their bones.
fn follow_bones(rest: &Rest, batch: &Batch, state: &mut State, step_pose: &StepPose<'_>) {
    let hanging = batch.active_indices().iter().map(|i| *i as usize).filter(|i| rest.particles[*i].parent != NONE);
    for i in hanging {
        let at = step_pose.frames[rest.particles[i].bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
        let at = state.points[i];
        probe::record(step_pose.probe, move |probe| probe.reach(i, TipPart::Inertia, at));
    }
}

/// Writes one bone that is disabled, scaled, or rotated by sibling links.
fn write_bone(rest: &Rest, i: usize, system: &System, state: &mut State, step_pose: &mut StepPose<'_>) {
    let particle = &rest.particles[i];
    step_pose.refresh(particle.bone);
    if !particle.is_simulated {
        let at = step_pose.frames[particle.bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
        return;
    }
    if particle.rotates {
        rotate_towards_child(rest, particle, i, system, &state.points, step_pose);
    }
    move_to(particle.bone, state.points[i], step_pose);
}

/// Rotates a bone towards its child, then by its sibling links.
fn rotate_towards_child(
    rest: &Rest,
    particle: &Particle,
    i: usize,
    system: &System,
    points: &[Vec3],
    step_pose: &mut StepPose<'_>,
) {
    let child = particle.child as usize;
    let seen = |step_pose: &StepPose<'_>, at: usize| {
        vector_to_local(&step_pose.frames[particle.bone as usize], points[at] - points[i])
    };
    let to_child = arc_or_identity(rest.particles[child].local_offset, seen(step_pose, child));
    rotate_locally(particle.bone, to_child, step_pose);
    if !system.sibling_rotation {
        return;
    }
    let [left, right] = particle
        .siblings
        .map(|s| (s.particle != NONE).then(|| arc_or_identity(s.offset, seen(step_pose, s.particle as usize))));
    let by_siblings = match (left, right) {
        (Some(left), Some(right)) => lerp_shortest(left, right, 0.5),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return,
    };
    rotate_locally(particle.bone, by_siblings, step_pose);
}

fn rotate_locally(bone: u32, by: Quat, step_pose: &mut StepPose<'_>) {
    let rotation = &mut step_pose.pose[bone as usize].rotation;
    *rotation *= by;
    step_pose.refresh(bone);
}

/// Moves a bone to a position in the world, in metres.
fn move_to(bone: u32, at: Vec3, step_pose: &mut StepPose<'_>) {
    let local = step_pose.parent_frame(step_pose.parents[bone as usize]).inverse_transform_point(at);
    if local.is_finite() {
        step_pose.pose[bone as usize].translation = local;
        step_pose.refresh(bone);
    }
}

/// Returns the shortest arc; identity if a direction is zero.
fn arc_or_identity(from: Vec3, to: Vec3) -> Quat {
    arc_between(from, to).filter(|arc| arc.is_finite()).unwrap_or(Quat::IDENTITY)
}

/// Rotates a joint and moves the bone at its tip to `tip`. Forks, and joints that follow the pose, do not rotate. A tip
/// that follows the pose does not move.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let joint = &rest.joints[joint];
    step_pose.refresh(joint.bone);
    let frame = step_pose.frames[joint.bone as usize];
    let Some(particle) = rest.particles.get(joint.tip as usize) else {
        let turn = arc_or_identity(joint.tip_offset, vector_to_local(&frame, tip - frame.position));
        rotate_locally(joint.bone, turn, step_pose);
        return;
    };
    if particle.depth <= rest.start_depth {
        return;
    }
    let own = &rest.particles[particle.parent as usize];
    if own.child != NONE && own.depth > rest.start_depth {
        let now = if particle.bone == NO_PARENT {
            vector_to_world(&frame, joint.tip_offset)
        } else {
            refresh_skipped_bones(rest, particle, step_pose);
            step_pose.refresh(particle.bone);
            step_pose.frames[particle.bone as usize].position - frame.position
        };
        let turn = arc_or_identity(vector_to_local(&frame, now), vector_to_local(&frame, tip - frame.position));
        rotate_locally(joint.bone, turn, step_pose);
    }
    if particle.bone != NO_PARENT {
        refresh_skipped_bones(rest, particle, step_pose);
        move_to(particle.bone, tip, step_pose);
    }
}
