//! Inverse kinematics of a limb with two bones, in closed form by the law of cosines.

use crate::math::arc_between;
use glam::{Quat, Vec3};

/// Height of a bend, as a share of the limb's length, below which the bend hint is blended in. The direction of a small
/// bend is mostly noise.
const SMALL_BEND_SHARE: f32 = 0.03;
/// Movement of the end, as a share of the limb's length, over which the bend hint fades in. A limb that does not move
/// keeps its exact bend.
const HINT_FADE_SHARE: f32 = 0.05;
/// Shortest distance from the root to the end, as a share of the limb's length.
const MIN_DISTANCE_SHARE: f32 = 1e-3;
/// A bone counts as missing below this share of the limb's length.
const MIN_BONE_SHARE: f32 = 1e-4;

/// The joints of a limb in one space, for example shoulder, elbow and wrist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TwoBoneLimb {
    pub(super) root: Vec3,
    pub(super) middle: Vec3,
    pub(super) end: Vec3,
}

/// The rotations that move the end of a limb, in the space of the limb.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TwoBoneRotations {
    /// Rotation of the whole limb about its root.
    pub(super) upper: Quat,
    /// Rotation of the lower bone about the middle joint, after `upper`.
    pub(super) lower: Quat,
}

impl TwoBoneLimb {
    /// Returns the length of the straight limb.
    pub(super) fn length(&self) -> f32 {
        self.root.distance(self.middle) + self.middle.distance(self.end)
    }

    /// Returns the rotations that move the end to `goal`, or as near as the bone lengths allow. The limb bends in the
    /// plane of its current bend; a straight limb bends towards `hint`. `swing` rotates the direction of the current end
    /// to the direction of the goal, and rotates the plane of the bend. Returns `None` for a limb without length, and for
    /// a goal that is not finite.
    pub(super) fn reach(&self, goal: Vec3, swing: Quat, hint: Vec3) -> Option<TwoBoneRotations> {
        let (upper, lower) = (self.middle - self.root, self.end - self.middle);
        let (upper_length, lower_length, total) = (upper.length(), lower.length(), self.length());
        if !(total > f32::MIN_POSITIVE && total.is_finite() && goal.is_finite()) {
            return None;
        }
        if upper_length.min(lower_length) < total * MIN_BONE_SHARE {
            return Some(TwoBoneRotations { upper: swing, lower: Quat::IDENTITY });
        }
        let reach = self.end - self.root;
        let from = reach.normalize_or(upper / upper_length);
        let nearest = (upper_length - lower_length).abs().max(total * MIN_DISTANCE_SHARE);
        let distance = self.root.distance(goal).clamp(nearest, total);
        let to = (goal - self.root).try_normalize().unwrap_or(swing * from);
        let fade = (self.end.distance(goal) / (total * HINT_FADE_SHARE)).min(1.0);
        let bend = bend_direction(upper / total, from, hint, fade);
        let side =
            (swing * bend).reject_from_normalized(to).try_normalize().unwrap_or_else(|| to.any_orthonormal_vector());
        let cosine = (upper_length * upper_length + distance * distance - lower_length * lower_length)
            / (2.0 * upper_length * distance);
        let cosine = cosine.clamp(-1.0, 1.0);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let middle = (to * cosine + side * sine) * upper_length;
        let upper = arc_between(swing * upper, middle).unwrap_or(Quat::IDENTITY) * swing;
        let lower = arc_between(upper * lower, to * distance - middle).unwrap_or(Quat::IDENTITY);
        let all = TwoBoneRotations { upper: upper.normalize(), lower: lower.normalize() };
        (all.upper.is_finite() && all.lower.is_finite()).then_some(all)
    }
}

/// Returns the direction in which a limb bends, perpendicular to the unit vector `along`. `upper` is the upper bone as a
/// share of the limb's length.
fn bend_direction(upper: Vec3, along: Vec3, hint: Vec3, fade: f32) -> Vec3 {
    let bend = upper.reject_from_normalized(along);
    let hint = hint.reject_from_normalized(along).try_normalize().unwrap_or_else(|| along.any_orthonormal_vector());
    let missing = (1.0 - bend.length() / SMALL_BEND_SHARE).max(0.0);
    (bend + hint * (missing * missing * SMALL_BEND_SHARE * fade)).try_normalize().unwrap_or(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies the rotations to a limb.
    fn posed(limb: &TwoBoneLimb, by: &TwoBoneRotations) -> TwoBoneLimb {
        let middle = limb.root + by.upper * (limb.middle - limb.root);
        let end = middle + by.lower * by.upper * (limb.end - limb.middle);
        TwoBoneLimb { root: limb.root, middle, end }
    }

    fn swing(limb: &TwoBoneLimb, goal: Vec3) -> Quat {
        arc_between(limb.end - limb.root, goal - limb.root).unwrap_or(Quat::IDENTITY)
    }

    fn bent(scale: f32) -> TwoBoneLimb {
        let origin = Vec3::new(0.3, 1.0, -0.2) * scale;
        TwoBoneLimb {
            root: origin,
            middle: origin + Vec3::new(0.02, -0.4, 0.05) * scale,
            end: origin + Vec3::new(0.0, -0.75, 0.0) * scale,
        }
    }

    #[test]
    fn the_end_reaches_every_goal_within_reach_and_bones_keep_their_lengths() {
        for scale in [0.01, 1.0, 100.0] {
            let limb = bent(scale);
            for goal in [Vec3::new(0.1, -0.6, 0.2), Vec3::new(0.3, 0.2, 0.3), Vec3::new(-0.4, -0.1, 0.0)] {
                let goal = limb.root + goal * scale;
                let by = limb.reach(goal, swing(&limb, goal), Vec3::Z).expect("a limb with length");
                let now = posed(&limb, &by);
                assert!(now.end.distance(goal) < 1e-4 * scale, "{} from {goal}", now.end);
                assert!((now.length() - limb.length()).abs() < 1e-5 * scale);
                assert!((now.middle.distance(now.root) - limb.middle.distance(limb.root)).abs() < 1e-5 * scale);
            }
        }
    }

    #[test]
    fn a_goal_out_of_reach_straightens_the_limb() {
        let limb = bent(1.0);
        let goal = limb.root + Vec3::new(5.0, -1.0, 2.0);
        let now = posed(&limb, &limb.reach(goal, swing(&limb, goal), Vec3::Z).expect("a limb with length"));
        let wanted = limb.root + (goal - limb.root).normalize() * limb.length();
        assert!(now.end.distance(wanted) < 1e-3, "{} instead of {wanted}", now.end);
    }

    #[test]
    fn a_straight_limb_bends_towards_the_hint_and_a_bent_limb_keeps_its_side() {
        let straight = TwoBoneLimb { root: Vec3::Y, middle: Vec3::Y * 0.5, end: Vec3::ZERO };
        let goal = Vec3::Y * 0.3;
        let now = posed(&straight, &straight.reach(goal, Quat::IDENTITY, Vec3::Z).expect("a limb with length"));
        assert!(now.middle.z > 0.2 && now.middle.x.abs() < 1e-4, "the knee is at {}", now.middle);
        let now = posed(
            &bent(1.0),
            &bent(1.0).reach(bent(1.0).end + Vec3::Y * 0.2, Quat::IDENTITY, Vec3::NEG_Z).expect("a limb"),
        );
        assert!(now.middle.z > bent(1.0).middle.z, "the knee of a bent limb stays on its side");
    }

    #[test]
    fn a_goal_at_the_end_changes_nothing() {
        for limb in [bent(1.0), TwoBoneLimb { root: Vec3::Y, middle: Vec3::Y * 0.5, end: Vec3::ZERO }] {
            let now = posed(&limb, &limb.reach(limb.end, Quat::IDENTITY, Vec3::NEG_Z).expect("a limb with length"));
            assert!(now.middle.distance(limb.middle) < 1e-3 && now.end.distance(limb.end) < 1e-5);
        }
    }

    #[test]
    fn singular_limbs_give_finite_rotations_or_none() {
        let point = TwoBoneLimb { root: Vec3::ONE, middle: Vec3::ONE, end: Vec3::ONE };
        assert_eq!(point.reach(Vec3::ZERO, Quat::IDENTITY, Vec3::Z), None);
        let folded = TwoBoneLimb { root: Vec3::ZERO, middle: Vec3::Y, end: Vec3::ZERO };
        let stub = TwoBoneLimb { root: Vec3::ZERO, middle: Vec3::ZERO, end: Vec3::Y };
        for limb in [folded, stub, bent(1.0)] {
            for goal in [limb.root, limb.end, -limb.end, limb.root + Vec3::splat(1e4)] {
                for hint in [Vec3::ZERO, Vec3::Y, Vec3::Z] {
                    let by = limb.reach(goal, swing(&limb, goal), hint).expect("a limb with length");
                    assert!(by.upper.is_finite() && by.lower.is_finite(), "{limb:?} to {goal}");
                }
            }
        }
        assert_eq!(bent(1.0).reach(Vec3::NAN, Quat::IDENTITY, Vec3::Z), None);
    }
}
