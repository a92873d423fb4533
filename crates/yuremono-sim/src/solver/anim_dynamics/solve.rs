//! Velocity and position solve of the bodies, including planar and spherical limits.
//!
//! The velocity solve iterates over all joints, alternately up and down the chains; the last iteration goes down. Two
//! iterations transfer a weight from the last joint to the first joint and back. The solve starts from the impulses of
//! the last step, so a chain of any length stays at rest.

use super::body_probe::StepProbe;
use super::force::{StepContext, anchor_at};
use super::{BodyVelocity, JointConstraint, NO_BODY, Params, Rest, State, System};
use crate::ColliderShape;
use crate::collider::WorldCollider;
use crate::math::Frame;
use crate::probe::TipPart;
use crate::step_pose::ColliderRuntime;
use glam::{Mat3A, Vec3, Vec3A};

/// A shorter lever does not rotate the body, in metres.
const MIN_LEVER_ARM: f32 = 1e-4;

/// Moves all bodies according to their velocities.
pub(super) fn integrate<P: StepProbe>(rest: &Rest, state: &mut State, step: &StepContext<P>) {
    let h = step.step_seconds;
    for (i, _) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let motion = state.body_velocities[i].clamped(h);
        state.body_velocities[i] = motion;
        state.body_poses[i] = state.body_poses[i].moved_by(motion, h);
    }
    step.probe.reach_all(TipPart::Inertia, state);
}

/// Rotates bodies about their joints until they no longer collide. If a body has no lever, its parent body is rotated
/// instead.
pub(super) fn push_out(rest: &Rest, params: &[Params], state: &mut State, probe: impl StepProbe) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        for at in state.contact_ranges[i].range() {
            let placed = &state.world_colliders[state.contact_colliders[at] as usize];
            let near = contact_distance(
                placed,
                state.body_poses[i].center,
                collision_radius(&params[i], state.anchors[i].scale),
            );
            if near.distance < 0.0 {
                let push = near.normal * -near.distance;
                if !params[i].locked {
                    state.body_poses[i].center += push;
                } else if !push_by_rotation(params, state, i, i, push) && joint.parent_joint != NO_BODY {
                    let above = joint.parent_joint as usize;
                    if rest.joints[above].enabled {
                        push_by_rotation(params, state, above, i, push);
                    }
                }
            }
        }
    }
    probe.reach_all(TipPart::Collision, state);
}

/// Rotates body `i` about its joint so that the center of body `of` moves along `push`. Returns whether the rotation
/// could move the center.
fn push_by_rotation(params: &[Params], state: &mut State, i: usize, of: usize, push: Vec3A) -> bool {
    let center = state.body_poses[of].center;
    let place = &mut state.body_poses[i];
    let joint = place.center + place.rotation * (params[i].joint_offset * state.anchors[i].scale);
    let lever = center - joint;
    if lever.length_squared() < MIN_LEVER_ARM * MIN_LEVER_ARM {
        return false;
    }
    let (from, to) = (lever.normalize(), (lever + push).normalize_or_zero());
    if to != Vec3A::ZERO {
        let turn = crate::math::shortest_arc(from.into(), to.into());
        place.rotation = (turn * place.rotation).normalize();
        place.center = joint + turn * (place.center - joint);
        if of != i {
            state.body_poses[of].center = joint + turn * lever;
        }
    }
    true
}

/// Clamps rotations if `limited` is set, and moves each joint point onto the parent body, within the joint's play.
/// Parents come first. If `updates_velocities` is set, computes the velocities of locked joints from the rotations.
pub(super) fn enforce_joints(
    rest: &Rest,
    params: &[Params],
    state: &mut State,
    share: f32,
    limited: bool,
    updates_velocities: bool,
    probe: impl StepProbe,
) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let anchor = &state.anchors[i];
        let mut place = state.body_poses[i];
        let (frame, point, moves) = if joint.parent_joint == NO_BODY {
            let (frame, point) = anchor_at(anchor, share);
            (frame, point, anchor.velocity)
        } else {
            let (above, motion) =
                (state.body_poses[joint.parent_joint as usize], state.body_velocities[joint.parent_joint as usize]);
            let arm = above.rotation * anchor.position;
            (
                above.rotation * anchor.rotation,
                above.center + arm,
                BodyVelocity { linear: motion.at_point(arm), ..motion },
            )
        };
        let arm = p.joint_offset * anchor.scale;
        if !joint.enabled {
            place.rotation = frame;
        } else if limited {
            place.rotation = p.angular_limit.clamp_rotation(p.twist_axis, &joint.bone_direction, frame, place.rotation);
        }
        probe.reach(TipPart::AngleLimit, state, i, place);
        let mut at = point;
        if !p.locked && joint.enabled {
            let offset = frame.inverse() * (place.center + place.rotation * arm - point);
            at += frame * offset.max(p.linear_limits[0]).min(p.linear_limits[1]);
        }
        place.center = at - place.rotation * arm;
        state.body_poses[i] = place;
        probe.reach(TipPart::LengthLimit, state, i, place);
        if !joint.enabled {
            state.body_velocities[i] =
                BodyVelocity { linear: moves.linear + moves.angular.cross(place.center - at), angular: moves.angular };
        } else if updates_velocities && p.locked {
            let spin = state.body_velocities[i].angular;
            state.body_velocities[i].linear = moves.linear + spin.cross(place.center - at);
        }
    }
}

/// Solves positions after the bodies have moved.
pub(super) fn solve_positions<P: StepProbe>(
    rest: &Rest,
    params: &[Params],
    state: &mut State,
    rounds: u32,
    step: &StepContext<P>,
) {
    for _ in 0..rounds {
        push_out(rest, params, state, step.probe);
        enforce_joints(rest, params, state, step.end_fraction, true, true, step.probe);
    }
    if rounds == 0 {
        enforce_joints(rest, params, state, step.end_fraction, false, true, step.probe);
    }
}

pub(super) fn solve_velocities<P: StepProbe>(
    rest: &Rest,
    params: &[Params],
    state: &mut State,
    rounds: u32,
    step: &StepContext<P>,
) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let link = &mut state.constraints[i];
        if !params[i].locked {
            link.accumulated_impulse = Vec3A::ZERO;
        }
        let push = link.accumulated_impulse;
        apply_impulse(&mut state.body_velocities[i], link, push, link.lever_arm);
        step.reach(TipPart::LengthLimit, state, [(i, state.body_velocities[i])]);
        if joint.parent_joint != NO_BODY {
            let (link, above) = (state.constraints[i], joint.parent_joint as usize);
            apply_impulse(&mut state.body_velocities[above], &state.constraints[above], -push, link.parent_lever_arm);
            step.reach(TipPart::LengthLimit, state, [(above, state.body_velocities[above])]);
        }
    }
    for round in 0..rounds {
        if (rounds - round).is_multiple_of(2) {
            (0..rest.joints.len()).rev().for_each(|i| solve_joint(rest, &params[i], state, i, step));
        } else {
            (0..rest.joints.len()).for_each(|i| solve_joint(rest, &params[i], state, i, step));
        }
    }
}

/// Solves one joint in one iteration.
#[inline]
fn solve_joint<P: StepProbe>(rest: &Rest, p: &Params, state: &mut State, i: usize, step: &StepContext<P>) {
    let h = step.step_seconds;
    let joint = &rest.joints[i];
    if !joint.enabled {
        return;
    }
    let hangs = joint.parent_joint != NO_BODY;
    let above = if hangs { joint.parent_joint as usize } else { i };
    let mut own = state.body_velocities[i];
    let mut other = if hangs { state.body_velocities[above] } else { state.anchors[i].velocity };
    for near in state.contact_ranges[i].slice(&state.contact_distances) {
        let least = -near.distance.max(0.0) / h;
        let speed = own.linear.dot(near.normal);
        if speed < least {
            own.linear += near.normal * (least - speed);
            step.reach(TipPart::Collision, state, [(i, own)]);
        }
    }
    let link = &state.constraints[i];
    // Cancel the rotation that would exceed the limits within the step. The bias splits the correction.
    let bound = &state.angular_bounds[i];
    for k in 0..bound.count {
        let axis = bound.axes[k];
        let turning = (own.angular - other.angular).dot(axis);
        let change = turning.max(bound.low[k] / h).min(bound.high[k] / h) - turning;
        if change != 0.0 {
            own.angular += angular_impulse_response(&link.inverse_inertia, axis, change * p.bias);
            step.reach(TipPart::AngleLimit, state, [(i, own)]);
            if hangs {
                let inverse_above = &state.constraints[above].inverse_inertia;
                other.angular -= angular_impulse_response(inverse_above, axis, change * (1.0 - p.bias));
                step.reach(TipPart::AngleLimit, state, [(above, other)]);
            }
        }
    }
    let apart = own.at_point(link.lever_arm) - other.at_point(link.parent_lever_arm);
    let push = if p.locked { link.effective_mass * -apart } else { linear_limit_impulse(p, link, apart, h) };
    apply_impulse(&mut own, link, push, link.lever_arm);
    step.reach(TipPart::LengthLimit, state, [(i, own)]);
    state.body_velocities[i] = own;
    if hangs {
        apply_impulse(&mut other, &state.constraints[above], -push, link.parent_lever_arm);
        step.reach(TipPart::LengthLimit, state, [(above, other)]);
        state.body_velocities[above] = other;
    }
    state.constraints[i].accumulated_impulse += push;
}

/// Applies an impulse at `arm`, in N s.
#[inline]
fn apply_impulse(motion: &mut BodyVelocity, link: &JointConstraint, push: Vec3A, arm: Vec3A) {
    motion.linear += push * link.inverse_mass;
    if arm != Vec3A::ZERO {
        motion.angular += link.inverse_inertia * arm.cross(push);
    }
}

/// Returns the impulse response of a body whose rotation about `axis` changes by `change`.
fn angular_impulse_response(inverse_inertia: &Mat3A, axis: Vec3A, change: f32) -> Vec3A {
    let turned = *inverse_inertia * axis;
    let softness = axis.dot(turned);
    if softness > 0.0 { turned * (change / softness) } else { Vec3A::ZERO }
}

/// Returns the impulse that keeps a joint within its play, axis by axis.
fn linear_limit_impulse(p: &Params, link: &JointConstraint, apart: Vec3A, h: f32) -> Vec3A {
    let (mut push, mut apart) = (Vec3A::ZERO, apart);
    for k in 0..3 {
        let axis = link.reference_rotation * Vec3A::AXES[k];
        let speed = apart.dot(axis);
        let (low, high) = ((p.linear_limits[0][k] - link.offset[k]) / h, (p.linear_limits[1][k] - link.offset[k]) / h);
        let change = speed.max(low).min(high) - speed;
        if change != 0.0 {
            let soft = link.inverse_effective_mass * axis;
            let part = axis * (change / axis.dot(soft));
            apart += link.inverse_effective_mass * part;
            push += part;
        }
    }
    push
}

/// Distance of a sphere from a planar or spherical limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactDistance {
    /// Distance in metres; negative for an overlap.
    pub distance: f32,
    /// Outward direction, unit length.
    pub normal: Vec3A,
}

impl ContactDistance {
    pub(super) const NONE: Self = Self { distance: f32::MAX, normal: Vec3A::ZERO };
}

/// Returns a limit in world space; `Off` if the limit is disabled, unsupported or not finite.
pub(super) fn world_collider(collider: &ColliderRuntime, frame: &Frame, system: &System) -> WorldCollider {
    let (at, normal) = (frame.position, frame.rotation * Vec3::Z);
    let size = if frame.scaled { libm::cbrtf(frame.linear().determinant().abs()) } else { 1.0 };
    let is_sound = collider.enabled && at.is_finite() && normal.is_finite();
    match collider.shape {
        ColliderShape::Plane if system.planar_limits && is_sound => WorldCollider::Plane { point: at, normal },
        ColliderShape::Sphere { radius, inside } if system.spherical_limits && is_sound => {
            let radius = radius.max(0.0) * size;
            if radius.is_finite() { WorldCollider::Sphere { center: at, radius, inside } } else { WorldCollider::Off }
        }
        _ => WorldCollider::Off,
    }
}

/// Returns the distance of a sphere at `center` from a limit.
#[inline]
pub(super) fn contact_distance(limit: &WorldCollider, center: Vec3A, sphere_radius: f32) -> ContactDistance {
    let center = Vec3::from(center);
    let near = match *limit {
        WorldCollider::Plane { point, normal } => {
            ContactDistance { distance: (center - point).dot(normal) - sphere_radius, normal: normal.into() }
        }
        WorldCollider::Sphere { center: at, radius, inside: false } => {
            let from = center - at;
            ContactDistance {
                distance: from.length() - radius - sphere_radius,
                normal: from.normalize_or(Vec3::Y).into(),
            }
        }
        // A sphere that is larger than the limit moves to the center of the limit.
        WorldCollider::Sphere { center: at, radius, inside: true } => {
            let from = center - at;
            ContactDistance {
                distance: (radius - sphere_radius).max(0.0) - from.length(),
                normal: (-from).normalize_or(Vec3::Y).into(),
            }
        }
        _ => return ContactDistance::NONE,
    };
    if near.distance.is_finite() { near } else { ContactDistance::NONE }
}

/// Returns the radius of the body's collision sphere, in metres.
#[inline]
pub(super) fn collision_radius(params: &Params, size: f32) -> f32 {
    if params.collision_sphere.follows_scale {
        params.collision_sphere.radius * size
    } else {
        params.collision_sphere.radius
    }
}

/// Returns the mean scale of a frame; 1 if the scale is zero or not finite.
#[inline]
pub fn mean_scale(frame: &Frame) -> f32 {
    if !frame.scaled {
        return 1.0;
    }
    let size = libm::cbrtf(frame.linear().determinant().abs());
    if (1e-6..1e6).contains(&size) { size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::{PARAMS, build};
    use super::*;
    use crate::params::ParamSet;
    use crate::test_support;

    #[track_caller]
    fn check(shape: ColliderShape, center: Vec3, gap: f32, way: Vec3) {
        let system = build::bake_system(|param| ParamSet::defaults(PARAMS).get(param));
        let collider = test_support::collider(shape);
        let near = contact_distance(&world_collider(&collider, &Frame::WORLD, &system), center.into(), 0.05);
        assert!(
            (near.distance - gap).abs() < 1e-6 && (Vec3::from(near.normal) - way).length() < 1e-6,
            "{shape:?} at {center}: {near:?}"
        );
    }

    #[test]
    fn each_limit_returns_its_distance_and_normal() {
        check(ColliderShape::Plane, Vec3::new(3.0, 1.0, 0.2), 0.15, Vec3::Z);
        check(ColliderShape::Plane, Vec3::new(3.0, 1.0, -0.2), -0.25, Vec3::Z);
        check(ColliderShape::Sphere { radius: 0.1, inside: false }, Vec3::X * 0.12, -0.03, Vec3::X);
        check(ColliderShape::Sphere { radius: 0.1, inside: false }, Vec3::ZERO, -0.15, Vec3::Y);
        check(ColliderShape::Sphere { radius: 0.1, inside: true }, Vec3::X * 0.12, -0.07, Vec3::NEG_X);
        check(ColliderShape::Sphere { radius: 0.03, inside: true }, Vec3::X * 0.01, -0.01, Vec3::NEG_X);
    }

    #[test]
    fn unsupported_shapes_are_ignored() {
        check(ColliderShape::Capsule { radius: 0.1, height: 1.0, inside: false }, Vec3::ZERO, f32::MAX, Vec3::ZERO);
    }
}
