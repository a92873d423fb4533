//! Places moved by their speeds, and made to fit: bodies out of planes and spheres, turns within limits, joints together.

use super::force::{Step, hang_at};
use super::{Motion, NONE, Params, Rest, State, contact};
use glam::{Quat, Vec3, Vec4};

/// A lever shorter than this turns nothing, metres.
const SHORTEST: f32 = 1e-4;

/// Moves all bodies by their speeds.
pub(super) fn integrate(rest: &Rest, state: &mut State, h: f32) {
    for (i, _) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        let motion = state.motions[i].bounded(h);
        state.motions[i] = motion;
        let place = &mut state.places[i];
        place.center += motion.speed * h;
        place.rotation = turned(place.rotation, motion.spin * h);
    }
}

/// A rotation after a turn, radians; good to a thousandth up to a quarter turn.
#[inline]
fn turned(rotation: Quat, turn: Vec3) -> Quat {
    let half = turn * 0.5;
    let squared = half.length_squared();
    let sine = half * (1.0 - squared * (1.0 / 6.0 - squared / 120.0));
    let cosine = 1.0 - squared * (0.5 - squared / 24.0);
    (Quat::from_vec4(Vec4::new(sine.x, sine.y, sine.z, cosine)) * rotation).normalize()
}

/// Pushes bodies out of what they are in, by a turn about their joint; one without a lever turns the body above.
pub(super) fn push_out(rest: &Rest, params: &[Params], state: &mut State) {
    for (i, joint) in rest.joints.iter().enumerate().filter(|(_, joint)| joint.enabled) {
        for at in joint.colliders.of(&rest.colliders) {
            let placed = &state.placed[*at as usize];
            let near = contact::near(placed, state.places[i].center, contact::ball(&params[i], state.hangs[i].size));
            if near.gap < 0.0 {
                let push = near.way * -near.gap;
                if !params[i].locked {
                    state.places[i].center += push;
                } else if !lean(params, state, i, i, push) && joint.above != NONE {
                    let above = joint.above as usize;
                    if rest.joints[above].enabled {
                        lean(params, state, above, i, push);
                    }
                }
            }
        }
    }
}

/// Turns body `i` about its joint so that the center of body `of` goes towards `push`; whether it has the lever for it.
fn lean(params: &[Params], state: &mut State, i: usize, of: usize, push: Vec3) -> bool {
    let center = state.places[of].center;
    let place = &mut state.places[i];
    let joint = place.center + place.rotation * (params[i].offset * state.hangs[i].size);
    let lever = center - joint;
    if lever.length_squared() < SHORTEST * SHORTEST {
        return false;
    }
    let (from, to) = (lever.normalize(), (lever + push).normalize_or_zero());
    if to != Vec3::ZERO {
        let turn = crate::math::shortest_arc(from, to);
        place.rotation = (turn * place.rotation).normalize();
        place.center = joint + turn * (place.center - joint);
        if of != i {
            state.places[of].center = joint + turn * lever;
        }
    }
    true
}

/// Parents first: turns within limits where `limited`, and each joint's point on the body above, within its play. With
/// `speeds`, those of locked joints are taken from the turns.
pub(super) fn sweep(rest: &Rest, params: &[Params], state: &mut State, share: f32, limited: bool, speeds: bool) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let hang = &state.hangs[i];
        let mut place = state.places[i];
        let (frame, point, moves) = if joint.above == NONE {
            let (frame, point) = hang_at(hang, share);
            (frame, point, hang.motion)
        } else {
            let (above, motion) = (state.places[joint.above as usize], state.motions[joint.above as usize]);
            let arm = above.rotation * hang.at;
            (above.rotation * hang.turn, above.center + arm, Motion { speed: motion.at(arm), ..motion })
        };
        let arm = p.offset * hang.size;
        if !joint.enabled {
            place.rotation = frame;
        } else if limited {
            place.rotation = p.limit.hold(p.twist, joint.along, frame, place.rotation);
        }
        let mut at = point;
        if !p.locked && joint.enabled {
            let offset = frame.inverse() * (place.center + place.rotation * arm - point);
            at += frame * offset.max(p.play[0]).min(p.play[1]);
        }
        place.center = at - place.rotation * arm;
        state.places[i] = place;
        if !joint.enabled {
            state.motions[i] = Motion { speed: moves.speed + moves.spin.cross(place.center - at), spin: moves.spin };
        } else if speeds && p.locked {
            let spin = state.motions[i].spin;
            state.motions[i].speed = moves.speed + spin.cross(place.center - at);
        }
    }
}

/// All of the last part of a step.
pub(super) fn fit(rest: &Rest, params: &[Params], state: &mut State, rounds: u32, step: &Step) {
    for _ in 0..rounds {
        push_out(rest, params, state);
        sweep(rest, params, state, step.share, true, true);
    }
    if rounds == 0 {
        sweep(rest, params, state, step.share, false, true);
    }
}
