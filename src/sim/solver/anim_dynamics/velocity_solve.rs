//! Speeds made to fit: what limits, planes, spheres and joints leave of them.
//!
//! Each round goes over all joints, once up the chains and once down in turn, the last one down, so that two rounds
//! carry a weight from the last joint to the first and back. Momentum of the step before is where the next one
//! begins, so that a chain at rest is right whatever its length.

use super::{BodyVelocity, JointConstraint, NO_BODY, Params, Rest, State};
use glam::{Mat3, Vec3};

pub(super) fn solve_velocities(rest: &Rest, params: &[Params], state: &mut State, rounds: u32, h: f32) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let link = &mut state.constraints[i];
        if !params[i].locked {
            link.accumulated_impulse = Vec3::ZERO;
        }
        let push = link.accumulated_impulse;
        apply_impulse(&mut state.body_velocities[i], link, push, link.lever_arm);
        if joint.parent_joint != NO_BODY {
            let (link, above) = (state.constraints[i], joint.parent_joint as usize);
            apply_impulse(&mut state.body_velocities[above], &state.constraints[above], -push, link.parent_lever_arm);
        }
    }
    for round in 0..rounds {
        if (rounds - round).is_multiple_of(2) {
            (0..rest.joints.len()).rev().for_each(|i| solve_joint(rest, &params[i], state, i, h));
        } else {
            (0..rest.joints.len()).for_each(|i| solve_joint(rest, &params[i], state, i, h));
        }
    }
}

/// One joint in one round.
#[inline]
fn solve_joint(rest: &Rest, p: &Params, state: &mut State, i: usize, h: f32) {
    let joint = &rest.joints[i];
    if !joint.enabled {
        return;
    }
    let hangs = joint.parent_joint != NO_BODY;
    let above = if hangs { joint.parent_joint as usize } else { i };
    let mut own = state.body_velocities[i];
    let mut other = if hangs { state.body_velocities[above] } else { state.anchors[i].velocity };
    for near in joint.colliders.slice(&state.contact_distances) {
        let least = -near.distance.max(0.0) / h;
        let speed = own.linear.dot(near.normal);
        if speed < least {
            own.linear += near.normal * (least - speed);
        }
    }
    let inverse_above = if hangs { state.constraints[above].inverse_inertia } else { Mat3::ZERO };
    let link = &state.constraints[i];
    // What would leave the limits within the step; the bias says who gives way.
    let bound = &state.angular_bounds[i];
    for k in 0..bound.count {
        let axis = bound.axes[k];
        let turning = (own.angular - other.angular).dot(axis);
        let change = turning.max(bound.low[k] / h).min(bound.high[k] / h) - turning;
        if change != 0.0 {
            own.angular += angular_impulse_response(&link.inverse_inertia, axis, change * p.bias);
            other.angular -= angular_impulse_response(&inverse_above, axis, change * (1.0 - p.bias));
        }
    }
    let apart = own.at_point(link.lever_arm) - other.at_point(link.parent_lever_arm);
    let push = if p.locked { link.effective_mass * -apart } else { linear_limit_impulse(p, link, apart, h) };
    apply_impulse(&mut own, link, push, link.lever_arm);
    state.body_velocities[i] = own;
    if hangs {
        apply_impulse(&mut other, &state.constraints[above], -push, link.parent_lever_arm);
        state.body_velocities[above] = other;
    }
    state.constraints[i].accumulated_impulse += push;
}

/// A push at `arm`, N s.
#[inline]
fn apply_impulse(motion: &mut BodyVelocity, link: &JointConstraint, push: Vec3, arm: Vec3) {
    motion.linear += push * link.inverse_mass;
    if arm != Vec3::ZERO {
        motion.angular += link.inverse_inertia * arm.cross(push);
    }
}

/// What a twist about `axis` does to a body whose turn about that axis it changes by `change`.
fn angular_impulse_response(inverse_inertia: &Mat3, axis: Vec3, change: f32) -> Vec3 {
    let turned = *inverse_inertia * axis;
    let softness = axis.dot(turned);
    if softness > 0.0 { turned * (change / softness) } else { Vec3::ZERO }
}

/// The push that keeps a joint with play within it, axis by axis.
fn linear_limit_impulse(p: &Params, link: &JointConstraint, apart: Vec3, h: f32) -> Vec3 {
    let (mut push, mut apart) = (Vec3::ZERO, apart);
    for k in 0..3 {
        let axis = link.reference_rotation * Vec3::AXES[k];
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
