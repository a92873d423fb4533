//! How a movement of the character is felt: whole, in part, or not at all.
//!
//! Measured on each chain's root, which is what its first joint hangs on, from one step to the next, as speeds, so that
//! the frame rate makes no difference. What is not to be felt carries the chain's tips along as one piece.

use super::bake::ImprovedParams;
use glam::{Quat, Vec3};

/// Where a chain's root is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RootPose {
    /// Position of its bone, or `WORLD`.
    pub(super) bone: u32,
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
}

/// A rigid movement about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RootMotion {
    pivot: Vec3,
    rotation: Quat,
    translation: Vec3,
}

impl RootMotion {
    /// Nothing is carried.
    pub(super) const NONE: Self = Self { pivot: Vec3::ZERO, rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    pub(super) fn apply(&self, point: Vec3) -> Vec3 {
        self.pivot + self.rotation * (point - self.pivot) + self.translation
    }

    /// What of the way from `before` to `now`, which took `dt` seconds, tips do not feel.
    pub(super) fn unfelt_between(before: &RootPose, now: &RootPose, improved: &ImprovedParams, dt: f32) -> Self {
        let shift = now.position - before.position;
        let turn = (now.rotation * before.rotation.inverse()).normalize();
        // The short way round.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let (distance, degrees) = (shift.length(), 2.0 * turn.xyz().length().atan2(turn.w).to_degrees());
        let jumped = improved.teleport.is_some_and(|[speed, turn]| distance > speed * dt || degrees > turn * dt);
        let felt = |way: f32, limit: Option<f32>| match limit {
            _ if jumped => 0.0,
            Some(speed) if way > speed * dt => speed * dt / way * improved.inertia,
            _ => improved.inertia,
        };
        let (shift_felt, turn_felt) = (felt(distance, improved.slide_limit), felt(degrees, improved.turn_limit));
        let carry = Self {
            pivot: before.position,
            rotation: scaled_rotation(turn, 1.0 - turn_felt),
            translation: shift * (1.0 - shift_felt),
        };
        let nothing = (shift_felt >= 1.0 || distance == 0.0) && (turn_felt >= 1.0 || degrees == 0.0);
        if nothing || !(carry.rotation.is_finite() && carry.translation.is_finite()) { Self::NONE } else { carry }
    }
}

/// The share `part` of a turn, 0 to 1.
fn scaled_rotation(turn: Quat, part: f32) -> Quat {
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

    fn full_inertia() -> ImprovedParams {
        ImprovedParams { inertia: 1.0, ..ImprovedParams::default() }
    }

    fn root(x: f32, degrees: f32) -> RootPose {
        RootPose { bone: 0, position: Vec3::new(x, 1.0, 0.0), rotation: Quat::from_rotation_y(degrees.to_radians()) }
    }

    /// Where a tip one metre below and half a metre in front of the root ends.
    fn carried_tip(better: &ImprovedParams, now: &RootPose) -> Vec3 {
        RootMotion::unfelt_between(&root(0.0, 0.0), now, better, DT).apply(Vec3::new(0.0, 0.0, 0.5))
    }

    #[track_caller]
    fn check(better: &ImprovedParams, now: &RootPose, expected: [f32; 3]) {
        let found = carried_tip(better, now);
        assert!((found - Vec3::from(expected)).length() < 1e-5, "{found}");
    }

    #[test]
    fn by_default_tips_feel_all_root_motion() {
        assert_eq!(
            RootMotion::unfelt_between(&root(0.0, 0.0), &root(0.4, 50.0), &full_inertia(), DT),
            RootMotion::NONE
        );
    }

    #[test]
    fn a_teleport_carries_tips_rigidly() {
        let better = ImprovedParams { teleport: Some([60.0, 3600.0]), ..full_inertia() };
        check(&better, &root(0.9, 0.0), [0.0, 0.0, 0.5]);
        check(&better, &root(2.0, 0.0), [2.0, 0.0, 0.5]);
        check(&better, &root(0.0, 90.0), [0.5, 0.0, 0.0]);
        check(&better, &root(0.0, 50.0), [0.0, 0.0, 0.5]);
    }

    #[test]
    fn motion_above_a_speed_limit_carries_tips_and_the_rest_is_felt() {
        let slide = ImprovedParams { slide_limit: Some(6.0), ..full_inertia() };
        check(&slide, &root(0.05, 0.0), [0.0, 0.0, 0.5]);
        check(&slide, &root(0.25, 0.0), [0.15, 0.0, 0.5]);
        let turn = ImprovedParams { turn_limit: Some(1800.0), ..full_inertia() };
        let half = 30.0_f32.to_radians();
        check(&turn, &root(0.0, 60.0), [0.5 * half.sin(), 0.0, 0.5 * half.cos()]);
    }

    #[test]
    fn low_inertia_carries_tips_by_a_share_of_every_motion() {
        let better = ImprovedParams { inertia: 0.25, ..ImprovedParams::default() };
        check(&better, &root(0.2, 0.0), [0.15, 0.0, 0.5]);
        let most = 30.0_f32.to_radians();
        check(&better, &root(0.0, 40.0), [0.5 * most.sin(), 0.0, 0.5 * most.cos()]);
    }
}
