//! Constraints on a tip: angle limits, length limits, and the speed limit of the improved mode.

use super::params::ImprovedParams;
use super::{AngleLimit, LengthTargetRest, Params};
use crate::step_pose::StepPose;
use crate::vec_util::unit_or_zero;
use glam::{Quat, Vec3};

const DEG_PER_RAD: f32 = 57.295_78;
const RAD_PER_DEG: f32 = 0.017_453_292;

/// Length limits as in Unity: a weak spring with a fixed constant pulls the tip to each target. The tip may leave its
/// bone length until the next step.
#[inline(never)]
pub(super) fn apply_weak_length_limits(
    targets: &[LengthTargetRest],
    step_pose: &StepPose<'_>,
    tip: Vec3,
    h: f32,
) -> Vec3 {
    const CONSTANT: f32 = 0.5;
    let share = CONSTANT * h * h;
    let moved = targets.iter().fold(Vec3::ZERO, |moved, target| {
        let offset = tip - step_pose.frames[target.bone as usize].position;
        moved - unit_or_zero(offset) * (share * (offset.length() - target.length))
    });
    tip + moved
}

/// Improved length limits: each target in turn corrects its share of the error. Afterwards the tip returns to bone
/// length.
#[inline(never)]
pub(super) fn enforce_length_limits(
    targets: &[LengthTargetRest],
    step_pose: &StepPose<'_>,
    p: &Params,
    head: Vec3,
    tip: Vec3,
    length: f32,
    h: f32,
) -> Vec3 {
    let tip = targets.iter().fold(tip, |tip, target| {
        let offset = tip - step_pose.frames[target.bone as usize].position;
        let share = share_of_error(target.constant.unwrap_or(p.length_constant), h);
        tip - unit_or_zero(offset) * (share * (offset.length() - target.length))
    });
    let offset = tip - head;
    let reach = offset.length();
    if reach > 0.001 { head + offset * (length / reach) } else { tip }
}

/// Share of an error that a pull of `constant` 1/s² removes in `h` seconds. The share is `constant` / 3600 in 1/60 s,
/// and any step length removes the same share per second.
fn share_of_error(constant: f32, h: f32) -> f32 {
    let share = (constant / 3600.0).clamp(0.0, 1.0);
    1.0 - libm::powf(1.0 - share, 60.0 * h.max(0.0))
}

#[derive(Clone, Copy)]
struct AngleLimitSettings {
    /// Pull towards the middle of the range, in 1/s².
    stiffness: f32,
    step_seconds: f32,
    /// Whether angles beyond 90 degrees are allowed.
    wide: bool,
    /// Share of the range, at its end, in which the angle slows down.
    softness: f32,
}

/// Clamps the offset from head to tip to the limits in the pivot's frame. The Y limit comes first; the Z limit uses
/// its result.
#[inline(never)]
pub(super) fn limit_angles<const IMPROVED: bool>(
    mut offset: Vec3,
    pivot: Quat,
    p: &Params,
    improved: &ImprovedParams,
    h: f32,
) -> Vec3 {
    let (forward, y_side, z_side) = (pivot * Vec3::X, pivot * -Vec3::Y, pivot * -Vec3::Z);
    let settings = AngleLimitSettings {
        stiffness: p.angular_stiffness,
        step_seconds: h,
        wide: IMPROVED && improved.wide_limits,
        softness: if IMPROVED && improved.soft_limits { p.softness } else { 0.0 },
    };
    if let Some(limit) = p.y_limit {
        offset = limit_angle(offset, [forward, y_side, z_side], limit, settings);
    }
    if let Some(limit) = p.z_limit {
        offset = limit_angle(offset, [forward, z_side, y_side], limit, settings);
    }
    offset
}

/// Clamps a direction to the limits like [`limit_angles`], without the pull to the middle and without softness, which
/// belong to the motion of a step.
pub(super) fn clamp_angles<const IMPROVED: bool>(
    direction: Vec3,
    pivot: Quat,
    p: &Params,
    improved: &ImprovedParams,
) -> Vec3 {
    limit_angles::<IMPROVED>(direction, pivot, &Params { softness: 0.0, ..*p }, improved, 0.0)
}

/// Applies one limit: pulls the angle from `forward` towards `side` back to the middle, softens the angle and clamps
/// it. Without wide limits, the arc sine mirrors a tip behind the pivot to the front, as in Unity. Beyond 60 degrees
/// the arc sine amplifies rounding errors, so the operations are in Unity's order.
#[inline]
fn limit_angle(offset: Vec3, [forward, side, up]: [Vec3; 3], limit: AngleLimit, settings: AngleLimitSettings) -> Vec3 {
    let AngleLimit { min, max } = limit;
    let rise = up * (offset.dot(up) / up.length_squared());
    let flat = offset - rise;
    let reach = flat.length();
    if reach == 0.0 {
        // A bone along the hinge axis has no angle. As in Unity, the NaN triggers the guard against broken tips.
        return if settings.wide { offset } else { Vec3::NAN };
    }
    let sine = (flat / reach).dot(side).clamp(-1.0, 1.0);
    let angle = if settings.wide { libm::atan2f(flat.dot(side), flat.dot(forward)) } else { libm::asinf(sine) };
    let mut angle = angle * DEG_PER_RAD;
    angle += -angle * settings.stiffness * settings.step_seconds * settings.step_seconds;
    if settings.softness > 0.0 {
        angle = soften(angle, if angle < 0.0 { min } else { max }, settings.softness);
    }
    // As in Unity's clamp, `min` wins if `min` is greater than `max`.
    angle = if angle < min { min } else { angle.min(max) };
    let end = if angle < 0.0 { min } else { max };
    angle = if end.abs() <= 0.0001 { 0.0 } else { (angle / end).clamp(0.0, 1.0) * end };
    let (sin, cos) = libm::sincosf(angle * RAD_PER_DEG);
    (side * sin + forward * cos) * reach + rise
}

/// Slows the angle down within the last share `softness` of its range, so the angle never reaches `limit`. Angles are
/// in degrees.
fn soften(angle: f32, limit: f32, softness: f32) -> f32 {
    let (straight, used) = (1.0 - softness, angle / limit);
    if used > straight {
        limit * (straight + softness * (1.0 - libm::expf((straight - used) / softness)))
    } else {
        angle
    }
}

/// Limits the motion of a tip to `most` metres: rotates `direction` back towards `from`, the offset of the tip from
/// the head before the step.
pub(super) fn limit_tip_speed(from: Vec3, direction: Vec3, most: f32, length: f32) -> Vec3 {
    let from = unit_or_zero(from);
    let across = direction - from * from.dot(direction);
    if from == Vec3::ZERO || (direction - from).length() * length <= most {
        return direction;
    }
    let (sin, cos) = libm::sincosf(2.0 * libm::asinf((most / (2.0 * length)).clamp(0.0, 1.0)));
    from * cos + unit_or_zero(across) * sin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(degrees: f32) -> Vec3 {
        let (sin, cos) = libm::sincosf(degrees.to_radians());
        Vec3::new(cos, sin, 0.3)
    }

    #[track_caller]
    fn check(given: f32, [min, max]: [f32; 2], wide: bool, softness: f32, expected: f32) {
        let settings = AngleLimitSettings { stiffness: 0.0, step_seconds: 1.0 / 60.0, wide, softness };
        let found = limit_angle(at(given), [Vec3::X, Vec3::Y, Vec3::Z], AngleLimit { min, max }, settings);
        assert!(
            (found - at(expected)).length() < 1e-4,
            "{given} became {}",
            libm::atan2f(found.y, found.x).to_degrees()
        );
    }

    #[test]
    fn angles_are_clamped_to_their_limits() {
        check(15.0, [-10.0, 20.0], false, 0.0, 15.0);
        check(50.0, [-10.0, 20.0], false, 0.0, 20.0);
        check(-50.0, [-10.0, 20.0], false, 0.0, -10.0);
        check(-50.0, [0.0, 20.0], false, 0.0, 0.0);
    }

    #[test]
    fn unity_folds_tips_behind_the_pivot_to_the_front_and_wide_limits_do_not() {
        check(150.0, [-170.0, 170.0], false, 0.0, 30.0);
        check(150.0, [-170.0, 170.0], true, 0.0, 150.0);
        check(150.0, [-20.0, 120.0], true, 0.0, 120.0);
        check(-150.0, [-20.0, 120.0], true, 0.0, -20.0);
    }

    #[test]
    fn a_soft_limit_slows_the_angle_and_never_exceeds_the_limit() {
        check(10.0, [-20.0, 20.0], true, 0.3, 10.0);
        let mut before = 0.0;
        for given in (14..90).step_by(4) {
            let found = soften(given as f32, 20.0, 0.3);
            assert!(found > before && found < 20.0 && found <= given as f32, "{given} became {found}");
            before = found;
        }
        assert_eq!(soften(15.0, 20.0, 0.0), 15.0);
        assert!(soften(-19.0, -20.0, 1.0) > -19.0);
    }

    #[test]
    fn length_correction_does_not_depend_on_the_step_length() {
        for constant in [0.5, 100.0, 1500.0, 3600.0] {
            let once = 1.0 - share_of_error(constant, 1.0 / 60.0);
            let twice = 1.0 - share_of_error(constant, 1.0 / 120.0);
            assert!((once - twice * twice).abs() < 1e-6, "{constant}");
        }
        assert!((share_of_error(0.5, 1.0 / 60.0) - 0.5 / 3600.0).abs() < 1e-7, "equal to Unity's share");
        assert_eq!(share_of_error(3600.0, 1.0 / 60.0), 1.0);
    }

    #[test]
    fn a_fast_tip_moves_at_most_the_allowed_distance() {
        let (from, to) = (Vec3::new(0.0, -0.2, 0.0), Vec3::X);
        let found = limit_tip_speed(from, to, 0.05, 0.2);
        assert!((found.length() - 1.0).abs() < 1e-6);
        assert!(((found * 0.2 - from).length() - 0.05).abs() < 1e-6);
        assert_eq!(limit_tip_speed(from, to, 1.0, 0.2), to);
    }
}
