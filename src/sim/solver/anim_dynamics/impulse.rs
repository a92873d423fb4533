//! Speeds made to fit: what limits, planes, spheres and joints leave of them.
//!
//! Each round goes over all joints, once up the chains and once down in turn, the last one down, so that two rounds
//! carry a weight from the last joint to the first and back. Momentum of the step before is where the next one
//! begins, so that a chain at rest is right whatever its length.

use super::{Link, Motion, NONE, Params, Rest, State};
use glam::{Mat3, Vec3};

pub(super) fn relax(rest: &Rest, params: &[Params], state: &mut State, rounds: u32, h: f32) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let link = &mut state.links[i];
        if !params[i].locked {
            link.push = Vec3::ZERO;
        }
        let push = link.push;
        push_on(&mut state.motions[i], link, push, link.arm);
        if joint.above != NONE {
            let (link, above) = (state.links[i], joint.above as usize);
            push_on(&mut state.motions[above], &state.links[above], -push, link.arm_above);
        }
    }
    for round in 0..rounds {
        if (rounds - round).is_multiple_of(2) {
            (0..rest.joints.len()).rev().for_each(|i| one(rest, &params[i], state, i, h));
        } else {
            (0..rest.joints.len()).for_each(|i| one(rest, &params[i], state, i, h));
        }
    }
}

/// One joint in one round.
#[inline]
fn one(rest: &Rest, p: &Params, state: &mut State, i: usize, h: f32) {
    let joint = &rest.joints[i];
    if !joint.enabled {
        return;
    }
    let hangs = joint.above != NONE;
    let above = if hangs { joint.above as usize } else { i };
    let mut own = state.motions[i];
    let mut other = if hangs { state.motions[above] } else { state.hangs[i].motion };
    for near in joint.colliders.of(&state.near) {
        let least = -near.gap.max(0.0) / h;
        let speed = own.speed.dot(near.way);
        if speed < least {
            own.speed += near.way * (least - speed);
        }
    }
    let inverse_above = if hangs { state.links[above].inverse_inertia } else { Mat3::ZERO };
    let link = &state.links[i];
    // What would leave the limits within the step; the bias says who gives way.
    let bound = &state.bounds[i];
    for k in 0..bound.count {
        let axis = bound.axes[k];
        let turning = (own.spin - other.spin).dot(axis);
        let change = turning.max(bound.low[k] / h).min(bound.high[k] / h) - turning;
        if change != 0.0 {
            own.spin += turn_by(&link.inverse_inertia, axis, change * p.bias);
            other.spin -= turn_by(&inverse_above, axis, change * (1.0 - p.bias));
        }
    }
    let apart = own.at(link.arm) - other.at(link.arm_above);
    let push = if p.locked { link.stiffness * -apart } else { within_play(p, link, apart, h) };
    push_on(&mut own, link, push, link.arm);
    state.motions[i] = own;
    if hangs {
        push_on(&mut other, &state.links[above], -push, link.arm_above);
        state.motions[above] = other;
    }
    state.links[i].push += push;
}

/// A push at `arm`, N s.
#[inline]
fn push_on(motion: &mut Motion, link: &Link, push: Vec3, arm: Vec3) {
    motion.speed += push * link.inverse_mass;
    if arm != Vec3::ZERO {
        motion.spin += link.inverse_inertia * arm.cross(push);
    }
}

/// What a twist about `axis` does to a body whose turn about that axis it changes by `change`.
fn turn_by(inverse_inertia: &Mat3, axis: Vec3, change: f32) -> Vec3 {
    let turned = *inverse_inertia * axis;
    let softness = axis.dot(turned);
    if softness > 0.0 { turned * (change / softness) } else { Vec3::ZERO }
}

/// The push that keeps a joint with play within it, axis by axis.
fn within_play(p: &Params, link: &Link, apart: Vec3, h: f32) -> Vec3 {
    let (mut push, mut apart) = (Vec3::ZERO, apart);
    for k in 0..3 {
        let axis = link.frame * Vec3::AXES[k];
        let speed = apart.dot(axis);
        let (low, high) = ((p.play[0][k] - link.offset[k]) / h, (p.play[1][k] - link.offset[k]) / h);
        let change = speed.max(low).min(high) - speed;
        if change != 0.0 {
            let soft = link.softness * axis;
            let part = axis * (change / axis.dot(soft));
            apart += link.softness * part;
            push += part;
        }
    }
    push
}
