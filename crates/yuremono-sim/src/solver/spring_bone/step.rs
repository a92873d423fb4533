//! Unity's step for batches of independent joints.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::params::ImprovedParams;
use super::shapes;
use super::{JointRest, Params, Rest, State, System, contact, limits};
use crate::collider::BoundingSphere;
use crate::force::ForceRuntime;
use crate::math::{Quatx4, Vec3x4, from_lanes, lerp_shortest, shortest_arc, vec4_from_lanes};
use crate::probe::{self, Probe, TipPart};
use crate::solver::batch::Batch;
use crate::step_pose::{NO_PARENT, ParentFrames, StepPose};
use crate::vec_util;
use glam::{Quat, Vec3, Vec4};

/// Simulates one frame as in Unity: one step, or no step while the manager is paused.
pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    if system.paused {
        point_all_joints(rest, system, state, step_pose, 1.0);
    } else {
        let context = StepContext {
            rest,
            params,
            system,
            improved: &ImprovedParams::default(),
            step_seconds: step_seconds(system, dt),
            weight: 1.0,
        };
        context.step_joints::<false>(state, step_pose);
    }
}

pub(super) fn step_seconds(system: &System, dt: f32) -> f32 {
    if system.step_rate > 0.0 { 1.0 / system.step_rate } else { dt }
}

/// Values that all joints of a step share.
pub(super) struct StepContext<'a> {
    pub(super) rest: &'a Rest,
    pub(super) params: &'a [Params],
    pub(super) system: &'a System,
    pub(super) improved: &'a ImprovedParams,
    pub(super) step_seconds: f32,
    /// Weight of the simulation against the rest or animated pose, 0 to 1.
    pub(super) weight: f32,
}

struct StepResult {
    tip: Vec3x4,
    previous: Vec3x4,
    /// Direction from head to tip; unit length or zero.
    direction: Vec3x4,
}

/// A joint before its step.
struct JointStart<'a> {
    index: usize,
    joint: &'a JointRest,
    params: &'a Params,
    head: Vec3,
}

impl JointStart<'_> {
    /// Direction of the bone before the step.
    fn previous_direction(&self, step_pose: &StepPose<'_>) -> Vec3 {
        let parent = step_pose.parent_frame(self.joint.parent).rotation;
        parent * step_pose.pose[self.joint.bone as usize].rotation * self.joint.axis
    }

    fn rest_direction(&self, step_pose: &StepPose<'_>) -> Vec3 {
        step_pose.parent_frame(self.joint.parent).rotation * self.joint.rest_axis
    }

    fn rest_tip(&self, step_pose: &StepPose<'_>) -> Vec3 {
        self.head + self.rest_direction(step_pose) * self.joint.length
    }
}

impl StepContext<'_> {
    /// Steps every joint, parents first. `IMPROVED` turns the improvements on.
    pub(super) fn step_joints<const IMPROVED: bool>(&self, state: &mut State, step_pose: &mut StepPose<'_>) {
        if self.system.collision {
            let colliders = state.collider_bounds.iter_mut().zip(step_pose.colliders).zip(&self.rest.moving_colliders);
            for ((bounds, collider), moves) in colliders {
                let frame = &step_pose.frames[collider.bone as usize];
                *bounds = if *moves { BoundingSphere::EVERYWHERE } else { contact::bounding_sphere(collider, frame) };
            }
        }
        for batch in &self.rest.batches {
            if IMPROVED {
                batch.active_indices().iter().for_each(|i| {
                    state.carry_tip_with_root(*i as usize, &self.rest.joints[*i as usize], self, step_pose);
                });
            }
            self.step_batch::<IMPROVED>(batch, state, step_pose);
            for i in batch.active_indices() {
                refresh_below(self.rest, &self.rest.joints[*i as usize], step_pose);
            }
        }
    }

    /// Steps a batch: integrates, constrains, resets broken tips and rotates.
    #[inline(always)]
    fn step_batch<const IMPROVED: bool>(&self, batch: &Batch, state: &mut State, step_pose: &mut StepPose<'_>) {
        let (system, h) = (self.system, self.step_seconds);
        let joints = batch.refs(&self.rest.joints);
        let p = batch.refs(self.params);
        let ParentFrames { rotation: parent, head, .. } =
            step_pose.parent_frames(from_lanes(|lane| joints[lane].bone), from_lanes(|lane| joints[lane].parent));
        let tip = Vec3x4::new(batch.gather(&state.tips));
        let previous = Vec3x4::new(batch.gather(&state.previous));
        let length = vec4_from_lanes(|lane| joints[lane].length);
        let start = |lane: usize| JointStart {
            index: batch.indices[lane] as usize,
            joint: joints[lane],
            params: p[lane],
            head: head.to_array()[lane],
        };

        let rest_tip = head + parent * Vec3x4::from_lanes(|lane| joints[lane].rest_axis) * length;
        let forces = Vec3x4::from_lanes(|lane| p[lane].spring_force) + Vec3x4::splat(system.gravity);
        let mut pull = (rest_tip - tip) * vec4_from_lanes(|lane| p[lane].stiffness) + forces;
        if !step_pose.forces.is_empty() {
            pull += external_forces(p, step_pose, head);
        }
        let kept = vec4_from_lanes(|lane| p[lane].velocity_retention);
        let moved = tip + (pull * (0.5 * h * h) + (tip - previous) * kept);
        if let Some(probe) = step_pose.probe {
            self.record_motion(probe, batch, [rest_tip, moved], state, !step_pose.forces.is_empty());
        }
        let offset = moved - head;
        let reach = offset.length();
        let mut direction = offset * reach.recip();
        let is_short = reach.cmple(Vec4::splat(0.001));
        if is_short.any() {
            direction = direction.replace_lanes(is_short, |lane, _| start(lane).previous_direction(step_pose));
        }
        let stretched = head + direction * length;
        probe::record(step_pose.probe, move |probe| {
            probe.reach_batch(batch.active_indices(), TipPart::LengthLimit, stretched);
        });
        if IMPROVED && let Some(speed) = self.improved.tip_speed {
            let (old, new) = ((tip - head).to_array(), direction.to_array());
            let slow = |lane: usize| limits::limit_tip_speed(old[lane], new[lane], speed * h, joints[lane].length);
            direction = Vec3x4::from_lanes(slow);
            let slowed = head + direction * length;
            probe::record(step_pose.probe, move |probe| {
                probe.reach_batch(batch.active_indices(), TipPart::Inertia, slowed);
            });
        }
        let mut result = StepResult { tip: head + direction * length, previous: tip, direction };
        let special = self.needs_constraints(joints, p, result.tip);
        if special != [false; 4] {
            result =
                self.constrain_batch::<IMPROVED>(batch, special, &result, start, &state.collider_bounds, step_pose);
        }
        // Differs from `UnityChanSpringBone`, which catches NaN only: infinities are caught too.
        let is_broken = !(result.tip.is_finite_mask() & result.previous.is_finite_mask());
        if is_broken.any() {
            result.direction =
                result.direction.replace_lanes(is_broken, |lane, _| start(lane).rest_direction(step_pose));
            result.tip = result.tip.replace_lanes(is_broken, |lane, _| start(lane).rest_tip(step_pose));
            result.previous = result.previous.replace_lanes(is_broken, |lane, _| start(lane).rest_tip(step_pose));
        }
        result.tip = vec_util::suppress_rounding_drift(result.tip, result.previous, head, length);
        let axis = Vec3x4::from_lanes(|lane| joints[lane].axis);
        let rest = Quatx4::from_lanes(|lane| joints[lane].rotation);
        let solved = rest * Quatx4::shortest_arc(axis, (parent * rest).inverse() * result.direction);
        let turned = SolvedRotations {
            head: head.to_array(),
            local_rotation: solved.to_array(),
            world_rotation: (parent * solved).to_array(),
        };
        self.write_batch::<IMPROVED>(
            batch,
            &result.tip.to_array(),
            &result.previous.to_array(),
            &turned,
            state,
            step_pose,
        );
    }

    /// Records how inertia, spring, gravity and forces move the tips of a batch to `moved`.
    #[cold]
    #[inline(never)]
    fn record_motion(
        &self,
        probe: Probe<'_>,
        batch: &Batch,
        [rest_tip, moved]: [Vec3x4; 2],
        state: &State,
        has_forces: bool,
    ) {
        let half = 0.5 * self.step_seconds * self.step_seconds;
        let (rest_tip, moved) = (rest_tip.to_array(), moved.to_array());
        for (lane, i) in batch.active_indices().iter().enumerate() {
            let i = *i as usize;
            let (p, tip) = (&self.params[i], state.tips[i]);
            let inert = tip + (tip - state.previous[i]) * p.velocity_retention;
            let pulled = inert + (rest_tip[lane] - tip) * (p.stiffness * half);
            let fallen = pulled + (p.spring_force + self.system.gravity) * half;
            probe.reach(i, TipPart::Inertia, inert);
            probe.reach(i, TipPart::Spring, pulled);
            probe.reach(i, TipPart::Gravity, fallen);
            // Without forces, only rounding is left.
            probe.reach(i, if has_forces { TipPart::Force } else { TipPart::Inertia }, moved[lane]);
        }
    }

    #[inline(always)]
    fn write_batch<const IMPROVED: bool>(
        &self,
        batch: &Batch,
        tips: &[Vec3; 4],
        previous: &[Vec3; 4],
        turned: &SolvedRotations,
        state: &mut State,
        step_pose: &mut StepPose<'_>,
    ) {
        for (lane, i) in batch.active_indices().iter().enumerate() {
            let i = *i as usize;
            let joint = &self.rest.joints[i];
            if !joint.enabled {
                step_pose.refresh(joint.bone);
                if IMPROVED && self.improved.carry_tips_on_pause {
                    snap_tip_to_pose(i, joint, state, step_pose);
                }
                continue;
            }
            (state.tips[i], state.previous[i]) = (tips[lane], previous[lane]);
            let mut weight = if IMPROVED { self.weight } else { 1.0 };
            if joint.animated {
                state.animated_rotations[i] = step_pose.pose[joint.bone as usize].rotation;
                weight *= self.system.dynamic_ratio;
            }
            if weight < 1.0 {
                let unsimulated_rotation = if joint.animated { &state.animated_rotations[i] } else { &joint.rotation };
                let local = lerp_shortest(*unsimulated_rotation, turned.local_rotation[lane], weight);
                let world = step_pose.parent_frame(joint.parent).rotation * local;
                step_pose.set_rotation(joint.bone, joint.parent, turned.head[lane], local, world);
            } else {
                step_pose.set_rotation(
                    joint.bone,
                    joint.parent,
                    turned.head[lane],
                    turned.local_rotation[lane],
                    turned.world_rotation[lane],
                );
            }
        }
    }

    /// Whether anything but its length may constrain a joint's tip.
    #[inline(always)]
    fn needs_constraints(&self, joints: [&JointRest; 4], p: [&Params; 4], tip: Vec3x4) -> [bool; 4] {
        let system = self.system;
        let ground = system.ground.unwrap_or(f32::NEG_INFINITY);
        from_lanes(|lane| {
            let (joint, p) = (joints[lane], p[lane]);
            // The scale of the radii is unknown at this point. Disabled joints do not move anyway.
            (tip.y[lane] - ground < p.radius || system.scaled_radii && system.ground.is_some())
                || system.lengths && !joint.targets.is_empty()
                || system.collision && joint.enabled && !joint.colliders.is_empty()
                || system.limits && joint.pivot != NO_PARENT && (p.y_limit.is_some() || p.z_limit.is_some())
        })
    }

    /// Applies length limits, ground, colliders and angle limits to the lanes that need them.
    fn constrain_batch<'a, const IMPROVED: bool>(
        &self,
        batch: &Batch,
        special: [bool; 4],
        free: &StepResult,
        start: impl Fn(usize) -> JointStart<'a>,
        collider_bounds: &[BoundingSphere],
        step_pose: &StepPose<'_>,
    ) -> StepResult {
        let (mut tips, mut previous, mut directions) =
            (free.tip.to_array(), free.previous.to_array(), free.direction.to_array());
        for lane in (0..batch.len as usize).filter(|lane| special[*lane]) {
            let start = start(lane);
            let found =
                self.constrain_tip::<IMPROVED>(&start, step_pose, collider_bounds, [tips[lane], previous[lane]]);
            if found.0 != tips[lane] {
                directions[lane] = vec_util::unit_or_zero(found.0 - start.head);
            }
            (tips[lane], previous[lane]) = found;
        }
        let (tip, previous) = (Vec3x4::new(tips), Vec3x4::new(previous));
        StepResult { tip, previous, direction: Vec3x4::new(directions) }
    }

    /// Applies length limits, ground, colliders and angle limits to one tip. Returns the tip and its previous
    /// position.
    fn constrain_tip<const IMPROVED: bool>(
        &self,
        start: &JointStart<'_>,
        step_pose: &StepPose<'_>,
        collider_bounds: &[BoundingSphere],
        [free, before]: [Vec3; 2],
    ) -> (Vec3, Vec3) {
        let (system, h) = (self.system, self.step_seconds);
        let JointStart { index, joint, params: p, head } = *start;
        let reach =
            |part: TipPart, tip: Vec3| probe::record(step_pose.probe, move |probe| probe.reach(index, part, tip));
        let (mut tip, mut previous) = (free, before);
        if system.lengths && !joint.targets.is_empty() {
            let targets = joint.targets.slice(&self.rest.targets);
            tip = if IMPROVED && self.improved.strong_length_limits {
                limits::enforce_length_limits(targets, step_pose, p, head, tip, joint.length, h)
            } else {
                limits::apply_weak_length_limits(targets, step_pose, tip, h)
            };
            reach(TipPart::LengthLimit, tip);
        }
        let radius = if system.scaled_radii { p.radius * contact::bone_scale_x(joint, step_pose) } else { p.radius };
        if let Some(ground) = system.ground.filter(|ground| tip.y - ground < radius) {
            (tip, previous) =
                stop_on_ground(head, tip, joint.length, radius, ground, || start.previous_direction(step_pose));
        } else if system.collision && !joint.colliders.is_empty() {
            let meeting = contact::TipContact {
                rest: self.rest,
                joint,
                params: p,
                system,
                step_pose,
                collider_bounds,
                head,
                radius,
            };
            (tip, previous) = if IMPROVED && self.improved.bone_shapes {
                meeting.push_out::<true>(tip, previous)
            } else {
                meeting.push_out::<false>(tip, previous)
            };
        }
        reach(TipPart::Collision, tip);
        if system.limits && joint.pivot != NO_PARENT && (p.y_limit.is_some() || p.z_limit.is_some()) {
            let pivot = step_pose.frames[joint.pivot as usize].rotation;
            tip = head + limits::limit_angles::<IMPROVED>(tip - head, pivot, p, self.improved, h);
            reach(TipPart::AngleLimit, tip);
        }
        (tip, previous)
    }
}

struct SolvedRotations {
    head: [Vec3; 4],
    local_rotation: [Quat; 4],
    world_rotation: [Quat; 4],
}

/// Acceleration of the joints by all forces, in m/s².
#[inline(never)]
fn external_forces(p: [&Params; 4], step_pose: &StepPose<'_>, heads: Vec3x4) -> Vec3x4 {
    let heads = heads.to_array();
    Vec3x4::from_lanes(|lane| {
        let pull = |force: &ForceRuntime| {
            force.force_on(&step_pose.frames[force.bone as usize], heads[lane], p[lane].wind_influence)
        };
        step_pose.forces.iter().fold(Vec3::ZERO, |sum, force| sum + pull(force))
    })
}

/// Stops a tip on the ground, without velocity.
fn stop_on_ground(
    head: Vec3,
    tip: Vec3,
    length: f32,
    radius: f32,
    ground: f32,
    last_aim: impl FnOnce() -> Vec3,
) -> (Vec3, Vec3) {
    let lift = Vec3::new(0.0, ground, 0.0);
    let Some(found) = shapes::ground(head - lift, tip - lift, (tip - head).length(), radius) else {
        return (tip, tip);
    };
    let offset = found + lift - head;
    let reach = offset.length();
    let tip = if reach <= 0.001 {
        head + last_aim() * (0.5 * length)
    } else {
        head + offset * (vec_util::clamp_no_panic(reach, 0.5 * length, length) / reach)
    };
    (tip, tip)
}

/// Points every joint at its tip, without a step.
pub(super) fn point_all_joints(
    rest: &Rest,
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    weight: f32,
) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if joint.enabled {
            let head = head_position(joint, step_pose);
            let rest_aim = step_pose.parent_frame(joint.parent).rotation * joint.rest_axis;
            if !state.tips[i].is_finite() {
                state.tips[i] = head + rest_aim * joint.length;
                state.previous[i] = state.tips[i];
            }
            let (unsimulated_rotation, ratio) = if joint.animated {
                (&state.animated_rotations[i], system.dynamic_ratio)
            } else {
                (&joint.rotation, 1.0)
            };
            rotate_towards(
                joint,
                step_pose,
                head,
                vec_util::unit_or_zero(state.tips[i] - head),
                unsimulated_rotation,
                weight * ratio,
            );
        } else {
            step_pose.refresh(joint.bone);
        }
        refresh_below(rest, joint, step_pose);
    }
}

pub(super) fn point_joint_at(joint: &JointRest, tip: Vec3, step_pose: &mut StepPose<'_>) {
    let head = head_position(joint, step_pose);
    rotate_towards(joint, step_pose, head, vec_util::unit_or_zero(tip - head), &joint.rotation, 1.0);
}

/// Moves a joint's tip in the direction of its bone, without velocity. The frame of the joint must be up to date.
pub(super) fn snap_tip_to_pose(i: usize, joint: &JointRest, state: &mut State, step_pose: &StepPose<'_>) {
    let frame = &step_pose.frames[joint.bone as usize];
    let tip = frame.position + frame.rotation * joint.axis * joint.length;
    (state.tips[i], state.previous[i]) = (tip, tip);
    probe::record(step_pose.probe, move |probe| probe.reach(i, TipPart::Inertia, tip));
}

/// Updates the frames of a joint's descendants that later joints read.
#[inline(always)]
pub(super) fn refresh_below(rest: &Rest, joint: &JointRest, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(joint.bones_to_refresh.slice(&rest.bones_to_refresh));
}

#[inline]
pub(super) fn head_position(joint: &JointRest, step_pose: &StepPose<'_>) -> Vec3 {
    step_pose.parent_frame(joint.parent).transform_point(step_pose.pose[joint.bone as usize].translation)
}

/// Points the bone along `direction` (unit length or zero). `weight` blends from the rotation `unsimulated_rotation` to the solved
/// rotation.
fn rotate_towards(
    joint: &JointRest,
    step_pose: &mut StepPose<'_>,
    head: Vec3,
    direction: Vec3,
    unsimulated_rotation: &Quat,
    weight: f32,
) {
    let parent = step_pose.parent_frame(joint.parent).rotation;
    let arc = shortest_arc(joint.axis, (parent * joint.rotation).inverse() * direction);
    let solved = joint.rotation * arc;
    let local = if weight < 1.0 { lerp_shortest(*unsimulated_rotation, solved, weight) } else { solved };
    step_pose.set_rotation(joint.bone, joint.parent, head, local, parent * local);
}
