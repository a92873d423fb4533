//! How a movement of the character is felt: whole, in part, or not at all.
//!
//! Measured on each chain's root, which is what its first joint hangs on, from one step to the next, as speeds, so that
//! the frame rate makes no difference. What is not to be felt carries the chain's tips along as one piece.

use super::bake::Improved;
use glam::{Quat, Vec3};

/// Where a chain's root is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Root {
    /// Position of its bone, or [`WORLD`](crate::sim::scene::WORLD).
    pub(super) bone: u32,
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
}

/// A rigid movement about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Carry {
    about: Vec3,
    turn: Quat,
    shift: Vec3,
}

impl Carry {
    /// Nothing is carried.
    pub(super) const NONE: Self = Self { about: Vec3::ZERO, turn: Quat::IDENTITY, shift: Vec3::ZERO };

    pub(super) fn point(&self, point: Vec3) -> Vec3 {
        self.about + self.turn * (point - self.about) + self.shift
    }

    /// What of the way from `before` to `now`, which took `dt` seconds, tips do not feel.
    pub(super) fn between(before: &Root, now: &Root, better: &Improved, dt: f32) -> Self {
        let shift = now.position - before.position;
        let turn = (now.rotation * before.rotation.inverse()).normalize();
        // The short way round.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let (distance, degrees) = (shift.length(), 2.0 * turn.xyz().length().atan2(turn.w).to_degrees());
        let jumped = better.teleport.is_some_and(|[speed, turn]| distance > speed * dt || degrees > turn * dt);
        let felt = |way: f32, limit: Option<f32>| match limit {
            _ if jumped => 0.0,
            Some(speed) if way > speed * dt => speed * dt / way * better.inertia,
            _ => better.inertia,
        };
        let (shift_felt, turn_felt) = (felt(distance, better.slide_limit), felt(degrees, better.turn_limit));
        let carry =
            Self { about: before.position, turn: part_of(turn, 1.0 - turn_felt), shift: shift * (1.0 - shift_felt) };
        let nothing = (shift_felt >= 1.0 || distance == 0.0) && (turn_felt >= 1.0 || degrees == 0.0);
        if nothing || !(carry.turn.is_finite() && carry.shift.is_finite()) { Self::NONE } else { carry }
    }
}

/// The share `part` of a turn, 0 to 1.
fn part_of(turn: Quat, part: f32) -> Quat {
    if part >= 1.0 {
        return turn;
    }
    let half = turn.xyz().length().atan2(turn.w) * part;
    let axis = turn.xyz().normalize_or_zero() * half.sin();
    Quat::from_xyzw(axis.x, axis.y, axis.z, half.cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    fn felt_all() -> Improved {
        Improved { inertia: 1.0, ..Improved::default() }
    }

    fn root(x: f32, degrees: f32) -> Root {
        Root { bone: 0, position: Vec3::new(x, 1.0, 0.0), rotation: Quat::from_rotation_y(degrees.to_radians()) }
    }

    /// Where a tip one metre below and half a metre in front of the root ends.
    fn carried(better: &Improved, now: &Root) -> Vec3 {
        Carry::between(&root(0.0, 0.0), now, better, DT).point(Vec3::new(0.0, 0.0, 0.5))
    }

    #[track_caller]
    fn check(better: &Improved, now: &Root, expected: [f32; 3]) {
        let found = carried(better, now);
        assert!((found - Vec3::from(expected)).length() < 1e-5, "{found}");
    }

    #[test]
    fn all_is_felt_unless_something_says_otherwise() {
        assert_eq!(Carry::between(&root(0.0, 0.0), &root(0.4, 50.0), &felt_all(), DT), Carry::NONE);
    }

    #[test]
    fn a_jump_takes_everything_along_rigidly() {
        let better = Improved { teleport: Some([60.0, 3600.0]), ..felt_all() };
        check(&better, &root(0.9, 0.0), [0.0, 0.0, 0.5]);
        check(&better, &root(2.0, 0.0), [2.0, 0.0, 0.5]);
        check(&better, &root(0.0, 90.0), [0.5, 0.0, 0.0]);
        check(&better, &root(0.0, 50.0), [0.0, 0.0, 0.5]);
    }

    #[test]
    fn what_exceeds_a_speed_is_taken_along_and_the_rest_is_felt() {
        let slide = Improved { slide_limit: Some(6.0), ..felt_all() };
        check(&slide, &root(0.05, 0.0), [0.0, 0.0, 0.5]);
        check(&slide, &root(0.25, 0.0), [0.15, 0.0, 0.5]);
        let turn = Improved { turn_limit: Some(1800.0), ..felt_all() };
        let half = 30.0_f32.to_radians();
        check(&turn, &root(0.0, 60.0), [0.5 * half.sin(), 0.0, 0.5 * half.cos()]);
    }

    #[test]
    fn a_share_of_every_movement_can_be_taken_along() {
        let better = Improved { inertia: 0.25, ..Improved::default() };
        check(&better, &root(0.2, 0.0), [0.15, 0.0, 0.5]);
        let most = 30.0_f32.to_radians();
        check(&better, &root(0.0, 40.0), [0.5 * most.sin(), 0.0, 0.5 * most.cos()]);
    }
}
