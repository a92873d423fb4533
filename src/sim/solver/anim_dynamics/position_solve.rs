//! Places moved by their speeds, and made to fit: bodies out of planes and spheres, turns within limits, joints together.

use super::force::{StepContext, anchor_at};
use super::{BodyVelocity, NO_BODY, Params, Rest, State, contact};
use glam::{Quat, Vec3, Vec4};

/// A lever shorter than this turns nothing, metres.
const MIN_LEVER_ARM: f32 = 1e-4;

/// Moves all bodies by their speeds.
pub(super) fn integrate(rest: &Rest, state: &mut State, h: f32) {
    for (i, _) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let motion = state.body_velocities[i].clamped(h);
        state.body_velocities[i] = motion;
        let place = &mut state.body_poses[i];
        place.center += motion.linear * h;
        place.rotation = integrate_rotation(place.rotation, motion.angular * h);
    }
}

/// A rotation after a turn, radians; good to a thousandth up to a quarter turn.
#[inline]
fn integrate_rotation(rotation: Quat, turn: Vec3) -> Quat {
    let half = turn * 0.5;
    let squared = half.length_squared();
    let sine = half * (1.0 - squared * (1.0 / 6.0 - squared / 120.0));
    let cosine = 1.0 - squared * (0.5 - squared / 24.0);
    (Quat::from_vec4(Vec4::new(sine.x, sine.y, sine.z, cosine)) * rotation).normalize()
}

/// Pushes bodies out of what they are in, by a turn about their joint; one without a lever turns the body above.
pub(super) fn push_out(rest: &Rest, params: &[Params], state: &mut State) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        for at in joint.colliders.slice(&rest.colliders) {
            let placed = &state.world_colliders[*at as usize];
            let near = contact::contact_distance(
                placed,
                state.body_poses[i].center,
                contact::collision_radius(&params[i], state.anchors[i].scale),
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
}

/// Turns body `i` about its joint so that the center of body `of` goes towards `push`; whether it has the lever for it.
fn push_by_rotation(params: &[Params], state: &mut State, i: usize, of: usize, push: Vec3) -> bool {
    let center = state.body_poses[of].center;
    let place = &mut state.body_poses[i];
    let joint = place.center + place.rotation * (params[i].joint_offset * state.anchors[i].scale);
    let lever = center - joint;
    if lever.length_squared() < MIN_LEVER_ARM * MIN_LEVER_ARM {
        return false;
    }
    let (from, to) = (lever.normalize(), (lever + push).normalize_or_zero());
    if to != Vec3::ZERO {
        let turn = crate::math::shortest_arc(from, to);
        place.rotation = (turn * place.rotation).normalize();
        place.center = joint + turn * (place.center - joint);
        if of != i {
            state.body_poses[of].center = joint + turn * lever;
        }
    }
    true
}

/// Parents first: turns within limits where `limited`, and each joint's point on the body above, within its play. With
/// `speeds`, those of locked joints are taken from the turns.
pub(super) fn enforce_joints(
    rest: &Rest,
    params: &[Params],
    state: &mut State,
    share: f32,
    limited: bool,
    speeds: bool,
) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let hang = &state.anchors[i];
        let mut place = state.body_poses[i];
        let (frame, point, moves) = if joint.parent_joint == NO_BODY {
            let (frame, point) = anchor_at(hang, share);
            (frame, point, hang.velocity)
        } else {
            let (above, motion) =
                (state.body_poses[joint.parent_joint as usize], state.body_velocities[joint.parent_joint as usize]);
            let arm = above.rotation * hang.position;
            (
                above.rotation * hang.rotation,
                above.center + arm,
                BodyVelocity { linear: motion.at_point(arm), ..motion },
            )
        };
        let arm = p.joint_offset * hang.scale;
        if !joint.enabled {
            place.rotation = frame;
        } else if limited {
            place.rotation = p.angular_limit.clamp_rotation(p.twist_axis, joint.bone_axis, frame, place.rotation);
        }
        let mut at = point;
        if !p.locked && joint.enabled {
            let offset = frame.inverse() * (place.center + place.rotation * arm - point);
            at += frame * offset.max(p.linear_limits[0]).min(p.linear_limits[1]);
        }
        place.center = at - place.rotation * arm;
        state.body_poses[i] = place;
        if !joint.enabled {
            state.body_velocities[i] =
                BodyVelocity { linear: moves.linear + moves.angular.cross(place.center - at), angular: moves.angular };
        } else if speeds && p.locked {
            let spin = state.body_velocities[i].angular;
            state.body_velocities[i].linear = moves.linear + spin.cross(place.center - at);
        }
    }
}

/// All of the last part of a step.
pub(super) fn solve_positions(rest: &Rest, params: &[Params], state: &mut State, rounds: u32, step: &StepContext) {
    for _ in 0..rounds {
        push_out(rest, params, state);
        enforce_joints(rest, params, state, step.end_fraction, true, true);
    }
    if rounds == 0 {
        enforce_joints(rest, params, state, step.end_fraction, false, true);
    }
}
