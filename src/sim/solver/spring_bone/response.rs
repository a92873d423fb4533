//! `UnityChanSpringBone`'s numbers in terms that every solver shares. Every acceleration counts half.

use super::SpringBone;
use super::params::{
    DRAG, ENABLE_ANGLE_LIMITS, GRAVITY, MODE, RADIUS, SIMULATION_FRAME_RATE, SPRING_FORCE, STIFFNESS, WIDE_LIMITS,
    Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN, is_improved,
};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::{SpringBoneValues, SpringFeel};
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse, UNLIMITED_ANGLE_DEG};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::IgnoreMotion, "UnityChan SpringBone has no number for how much of the body's motion is ignored.")];

/// One step lasts as long as the system's rate says, or the frame where that is 0.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(SIMULATION_FRAME_RATE).trunc();
    if rate > 0.0 { 1.0 / rate } else { frame }
}

impl ResponseModel for SpringBone {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let force = numbers.system_param_vector(GRAVITY) + numbers.joint_param_vector(SPRING_FORCE);
        let number = |row| numbers.joint_params.get(row);
        let values = SpringBoneValues { stiffness: number(STIFFNESS), drag: number(DRAG), force: force.length() };
        let feel = values.to_feel(step_seconds(numbers.system_params, numbers.frame_seconds));
        SpringResponse {
            max_angle_deg: max_angle_deg(numbers),
            radius: Some(number(RADIUS)),
            ..SpringResponse::new(feel, force.normalize_or_zero())
        }
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let values = SpringBoneValues::from_feel(SpringFeel { acceleration: 1.0, ..sway.feel() }, h);
        // The system pulls on every joint alike, so each takes back what is not its own.
        let force: Vec3 = sway.acceleration * values.force - now.system_param_vector(GRAVITY);
        let mut numbers = vec![(STIFFNESS, values.stiffness.max(0.0)), (DRAG, values.drag.clamp(0.0, 1.0))];
        numbers.extend(SPRING_FORCE.into_iter().zip(force.to_array()));
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius)));
        numbers.extend(sway.max_angle_deg.into_iter().flat_map(|reach| limits_for_max_angle(reach, now)));
        numbers
    }
}

/// How far a fan can open, degrees: the engine folds a tip that is behind the pivot to the front, however wide the limit.
fn max_limit_deg(numbers: &ResponseInput<'_>) -> f32 {
    let wide = is_improved(numbers.system_params.get(MODE)) && numbers.system_params.get(WIDE_LIMITS) != 0.0;
    if wide { UNLIMITED_ANGLE_DEG } else { 90.0 }
}

/// As far as the nearest edge of the two fans; one fan alone leaves the other way open.
fn max_angle_deg(numbers: &ResponseInput<'_>) -> Option<f32> {
    let number = |row| numbers.joint_params.get(row);
    let limited =
        numbers.system_params.get(ENABLE_ANGLE_LIMITS) != 0.0 && [Y_ACTIVE, Z_ACTIVE].iter().all(|r| number(*r) > 0.0);
    let ends = [Y_MIN, Y_MAX, Z_MIN, Z_MAX].map(|row| number(row).abs());
    limited.then(|| ends.into_iter().fold(max_limit_deg(numbers), f32::min))
}

/// Both fans as wide as the reach. Where both are on, they open and close in proportion, so that a fan that opens more
/// to one side goes on doing so.
fn limits_for_max_angle(reach: f32, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
    if reach >= UNLIMITED_ANGLE_DEG {
        return vec![(Y_ACTIVE, 0.0), (Z_ACTIVE, 0.0)];
    }
    let reach = reach.min(max_limit_deg(now));
    let factor = max_angle_deg(now).filter(|is| *is > 0.0).map(|is| reach / is);
    let end = |row: ParamId, sign: f32| {
        let value = factor.map_or(sign * reach, |factor| now.joint_params.get(row) * factor);
        (row, value.clamp(-UNLIMITED_ANGLE_DEG, UNLIMITED_ANGLE_DEG))
    };
    vec![(Y_ACTIVE, 1.0), (Z_ACTIVE, 1.0), end(Y_MIN, -1.0), end(Y_MAX, 1.0), end(Z_MIN, -1.0), end(Z_MAX, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::super::params::PARAMS;
    use super::*;

    #[test]
    fn params_for_a_response_reproduce_it() {
        let mut system = ParamSet::defaults(PARAMS);
        system.set(GRAVITY[1], -10.0);
        let joint = ParamSet::defaults(PARAMS);
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 2.0 };
        let wanted = SpringResponse {
            max_angle_deg: Some(25.0),
            radius: Some(0.02),
            ..SpringResponse::new(feel, Vec3::new(0.6, -0.8, 0.0))
        };
        let mut made = joint.clone();
        for (row, value) in SpringBone::params_for(&wanted, &now) {
            made.set(row, value);
        }
        let found = SpringBone::response(&ResponseInput { joint_params: &made, ..now });
        assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.4).abs() < 1e-3, "{found:?}");
        assert!((found.acceleration - wanted.acceleration).length() < 1e-3, "{found:?}");
        assert_eq!((found.max_angle_deg, found.radius, found.ignored_motion), (Some(25.0), Some(0.02), None));
    }

    #[test]
    fn angle_limits_open_to_ninety_degrees_without_wide_limits() {
        let mut system = ParamSet::defaults(PARAMS);
        for (way, expected) in [(0.0, 90.0), (1.0, 120.0)] {
            system.set(MODE, way);
            let mut joint = ParamSet::defaults(PARAMS);
            let wanted =
                SpringResponse { max_angle_deg: Some(120.0), ..SpringBone::response(&feel_input(&joint, &system)) };
            for (row, value) in SpringBone::params_for(&wanted, &feel_input(&joint.clone(), &system)) {
                joint.set(row, value);
            }
            assert_eq!(SpringBone::response(&feel_input(&joint, &system)).max_angle_deg, Some(expected));
            assert_eq!((joint.get(Y_MIN), joint.get(Z_MAX)), (-expected, expected));
        }
    }

    fn feel_input<'a>(joint: &'a ParamSet, system: &'a ParamSet) -> ResponseInput<'a> {
        ResponseInput {
            joint_params: joint,
            system_params: system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        }
    }
}
