//! The simulation space: whose own motion bodies do not feel, and what share of it they are given all the same.
//!
//! Bodies are kept in the world. When the space moves, they are carried along; speeds are against the space.

use super::{NONE, Rest, State, System};
use crate::math::Frame;
use glam::{Quat, Vec3};

/// The space as it was when the last frame ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Space {
    at: Option<(u32, Quat, Vec3)>,
    /// Metres per second.
    speed: Option<Vec3>,
}

impl Space {
    /// How it is turned in the world.
    pub(super) fn rotation(&self) -> Quat {
        self.at.map_or(Quat::IDENTITY, |(_, rotation, _)| rotation)
    }
}

/// Carries all bodies along with their space and returns the acceleration that they feel from its motion, m/s².
pub(super) fn carry(rest: &Rest, system: &System, state: &mut State, frames: &[Frame], dt: f32) -> Vec3 {
    let bone = rest.spaces[system.space];
    let Some(frame) = frames.get(bone as usize) else {
        state.space = Space::default();
        return Vec3::ZERO;
    };
    let now = (frame.rotation, frame.position);
    if !(now.0.is_finite() && now.1.is_finite()) {
        return Vec3::ZERO;
    }
    // Another space than before starts where it is.
    let known = state.space.at.filter(|(before, ..)| *before == bone);
    if known.is_none() {
        state.space.speed = None;
    }
    state.space.at = Some((bone, now.0, now.1));
    let before = known.map_or(now, |(_, rotation, position)| (rotation, position));
    if before != now {
        move_all(rest, state, before, now);
    }
    if dt <= 0.0 {
        return Vec3::ZERO;
    }
    let speed = (now.1 - before.1) / dt;
    let last = state.space.speed.replace(speed).unwrap_or(speed);
    let (speed, acceleration) = (now.0.inverse() * speed, now.0.inverse() * ((speed - last) / dt));
    let felt = acceleration * system.felt_acceleration + speed * system.felt_speed;
    now.0 * -felt.max(-system.clamp).min(system.clamp)
}

fn move_all(rest: &Rest, state: &mut State, before: (Quat, Vec3), now: (Quat, Vec3)) {
    let turn = (now.0 * before.0.inverse()).normalize();
    let point = |p: Vec3| now.1 + turn * (p - before.1);
    for (place, motion) in state.places.iter_mut().zip(&mut state.motions) {
        place.center = point(place.center);
        place.rotation = (turn * place.rotation).normalize();
        motion.speed = turn * motion.speed;
        motion.spin = turn * motion.spin;
    }
    for (tip, previous) in state.tips.iter_mut().zip(&mut state.previous) {
        (*tip, *previous) = (point(*tip), point(*previous));
    }
    state.links.iter_mut().for_each(|link| link.push = turn * link.push);
    for (hang, _) in state.hangs.iter_mut().zip(&rest.joints).filter(|(_, joint)| joint.above == NONE) {
        hang.at_before = point(hang.at_before);
        hang.turn_before = (turn * hang.turn_before).normalize();
    }
}
