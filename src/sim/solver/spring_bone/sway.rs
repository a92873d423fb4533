//! `UnityChanSpringBone`'s numbers in terms that every solver shares. Every acceleration counts half.

use super::SpringBone;
use super::params::{
    DRAG, ENABLE_ANGLE_LIMITS, GRAVITY, RADIUS, SIMULATION_FRAME_RATE, SPRING_FORCE, STIFFNESS, WAY, WIDE_LIMITS,
    Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN, is_improved,
};
use crate::schema::{ParamSet, Row};
use crate::sim::unify::{Feel, SpringBoneValues};
use crate::sim::{FeelMap, Numbers, OPEN_DEG, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] =
    &[(Term::Follow, "UnityChan SpringBone has no number for how much of the body's motion is ignored.")];

/// One step lasts as long as the system's rate says, or the frame where that is 0.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(SIMULATION_FRAME_RATE).trunc();
    if rate > 0.0 { 1.0 / rate } else { frame }
}

impl FeelMap for SpringBone {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let force = numbers.system_vector(GRAVITY) + numbers.vector(SPRING_FORCE);
        let number = |row| numbers.joint.get(row);
        let values = SpringBoneValues { stiffness: number(STIFFNESS), drag: number(DRAG), force: force.length() };
        let feel = values.feel(step_seconds(numbers.system, numbers.frame));
        Sway { reach_deg: reach(numbers), radius: Some(number(RADIUS)), ..Sway::new(feel, force.normalize_or_zero()) }
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let h = step_seconds(now.system, now.frame);
        let values = SpringBoneValues::from_feel(Feel { acceleration: 1.0, ..sway.feel() }, h);
        // The system pulls on every joint alike, so each takes back what is not its own.
        let force: Vec3 = sway.pull * values.force - now.system_vector(GRAVITY);
        let mut numbers = vec![(STIFFNESS, values.stiffness.max(0.0)), (DRAG, values.drag.clamp(0.0, 1.0))];
        numbers.extend(SPRING_FORCE.into_iter().zip(force.to_array()));
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius)));
        numbers.extend(sway.reach_deg.into_iter().flat_map(|reach| limits(reach, now)));
        numbers
    }
}

/// How far a fan can open, degrees: the engine folds a tip that is behind the pivot to the front, however wide the limit.
fn widest(numbers: &Numbers<'_>) -> f32 {
    let wide = is_improved(numbers.system.get(WAY)) && numbers.system.get(WIDE_LIMITS) != 0.0;
    if wide { OPEN_DEG } else { 90.0 }
}

/// As far as the nearest edge of the two fans; one fan alone leaves the other way open.
fn reach(numbers: &Numbers<'_>) -> Option<f32> {
    let number = |row| numbers.joint.get(row);
    let limited =
        numbers.system.get(ENABLE_ANGLE_LIMITS) != 0.0 && [Y_ACTIVE, Z_ACTIVE].iter().all(|r| number(*r) > 0.0);
    let ends = [Y_MIN, Y_MAX, Z_MIN, Z_MAX].map(|row| number(row).abs());
    limited.then(|| ends.into_iter().fold(widest(numbers), f32::min))
}

/// Both fans as wide as the reach. Where both are on, they open and close in proportion, so that a fan that opens more
/// to one side goes on doing so.
fn limits(reach: f32, now: &Numbers<'_>) -> Vec<(Row, f32)> {
    if reach >= OPEN_DEG {
        return vec![(Y_ACTIVE, 0.0), (Z_ACTIVE, 0.0)];
    }
    let reach = reach.min(widest(now));
    let factor = self::reach(now).filter(|is| *is > 0.0).map(|is| reach / is);
    let end = |row: Row, sign: f32| {
        let value = factor.map_or(sign * reach, |factor| now.joint.get(row) * factor);
        (row, value.clamp(-OPEN_DEG, OPEN_DEG))
    };
    vec![(Y_ACTIVE, 1.0), (Z_ACTIVE, 1.0), end(Y_MIN, -1.0), end(Y_MAX, 1.0), end(Z_MIN, -1.0), end(Z_MAX, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::super::params::PARAMS;
    use super::*;

    #[test]
    fn numbers_of_a_sway_sway_so() {
        let mut system = ParamSet::defaults(PARAMS);
        system.set(GRAVITY[1], -10.0);
        let joint = ParamSet::defaults(PARAMS);
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 2.0 };
        let wanted = Sway { reach_deg: Some(25.0), radius: Some(0.02), ..Sway::new(feel, Vec3::new(0.6, -0.8, 0.0)) };
        let mut made = joint.clone();
        for (row, value) in SpringBone::numbers(&wanted, &now) {
            made.set(row, value);
        }
        let found = SpringBone::sway(&Numbers { joint: &made, ..now });
        assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.4).abs() < 1e-3, "{found:?}");
        assert!((found.pull - wanted.pull).length() < 1e-3, "{found:?}");
        assert_eq!((found.reach_deg, found.radius, found.follow), (Some(25.0), Some(0.02), None));
    }

    #[test]
    fn a_fan_opens_to_ninety_degrees_unless_limits_are_wide() {
        let mut system = ParamSet::defaults(PARAMS);
        for (way, expected) in [(0.0, 90.0), (1.0, 120.0)] {
            system.set(WAY, way);
            let mut joint = ParamSet::defaults(PARAMS);
            let wanted = Sway { reach_deg: Some(120.0), ..SpringBone::sway(&at(&joint, &system)) };
            for (row, value) in SpringBone::numbers(&wanted, &at(&joint.clone(), &system)) {
                joint.set(row, value);
            }
            assert_eq!(SpringBone::sway(&at(&joint, &system)).reach_deg, Some(expected));
            assert_eq!((joint.get(Y_MIN), joint.get(Z_MAX)), (-expected, expected));
        }
    }

    fn at<'a>(joint: &'a ParamSet, system: &'a ParamSet) -> Numbers<'a> {
        Numbers { joint, system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 }
    }
}
