//! Spring response. Gravity and the simple force belong to the system, so they are the same for every joint.

use super::{KawaiiPhysics, params};
use crate::linear_spring::{LinearRecurrence, SpringFeel};
use crate::params::{ParamId, ParamSet};
use crate::response::median_vector;
use crate::{FeelParam, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::Weight, "KawaiiPhysics has one gravity for the whole system, not one per joint.")];

/// Smallest remaining fraction of the offset, to avoid a division by zero.
const MIN_REMAINDER: f64 = 1e-9;

const WORLD_SPACE: f32 = 1.0;

/// Length of a fixed step at the target rate; the length of the frame if steps are not fixed.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    if system.get(params::USE_FIXED_SUBSTEPPING) >= 0.5 { 1.0 / target_frame_rate(system) } else { frame }
}

fn target_frame_rate(system: &ParamSet) -> f32 {
    system.get(params::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0)
}

/// Duration of a step, as a multiple of a step at the target rate.
fn target_steps(input: &ResponseInput<'_>) -> f64 {
    f64::from(target_frame_rate(input.system_params))
        * f64::from(step_seconds(input.system_params, input.frame_seconds))
}

/// Share of the offset that a step removes if the step is `exponent` target steps long.
fn offset_removed(stiffness: f64, exponent: f64) -> f64 {
    1.0 - libm::pow(1.0 - stiffness, exponent)
}

/// The inverse of [`offset_removed`].
fn stiffness_for(pulled: f64, exponent: f64) -> f64 {
    1.0 - libm::pow(1.0 - pulled.clamp(0.0, 1.0), 1.0 / exponent)
}

/// The response of one step of `h` seconds.
fn step_recurrence(stiffness: f64, damping: f64, pull: f64, exponent: f64, h: f64) -> LinearRecurrence {
    let pulled = offset_removed(stiffness, exponent);
    LinearRecurrence {
        velocity_retention: (1.0 - pulled) * (1.0 - damping),
        offset_removed: pulled,
        displacement_added: pull * h * h * (1.0 - pulled),
    }
}

/// Gravity and simple force as one acceleration in the world, in m/s². Directions in other spaces are treated as
/// world-space directions.
fn system_acceleration(input: &ResponseInput<'_>, h: f32) -> Vec3 {
    input.system_param_vector(params::GRAVITY) * gravity_factor(input.system_params)
        + simple_force_acceleration(input.system_params, h)
}

/// Acceleration per unit of the gravity parameter.
fn gravity_factor(system: &ParamSet) -> f32 {
    let factor = if system.get(params::USE_PROJECT_GRAVITY) >= 0.5 { 980.0 } else { 1.0 };
    let half = if system.get(params::USE_LEGACY_GRAVITY) >= 0.5 { 0.5 } else { 1.0 };
    factor * half
}

/// The simple external force is a velocity. Returns the equivalent acceleration, in m/s².
fn simple_force_acceleration(system: &ParamSet, h: f32) -> Vec3 {
    Vec3::from(params::SIMPLE_EXTERNAL_FORCE.map(|param| system.get(param))) / h
}

impl ResponseModel for KawaiiPhysics {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let number = |param: ParamId| input.joint_params.get(param);
        let share = |param: ParamId| f64::from(number(param)).clamp(0.0, 1.0);
        let h = step_seconds(input.system_params, input.frame_seconds);
        let pull = system_acceleration(input, h);
        let strength = f64::from(pull.length());
        let linear = step_recurrence(
            share(params::STIFFNESS),
            share(params::DAMPING),
            strength,
            target_steps(input),
            f64::from(h),
        );
        let limit = number(params::LIMIT_ANGLE);
        SpringResponse {
            ignored_motion: Some(number(params::WORLD_DAMPING_LOCATION)),
            max_angle_deg: (limit > 0.0).then_some(limit),
            radius: Some(number(params::RADIUS)),
            ..SpringResponse::new(linear.to_feel(h), pull.normalize_or_zero())
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let linear = SpringFeel { acceleration: 0.0, ..response.feel() }.to_recurrence(h);
        let pulled = linear.offset_removed.clamp(0.0, 1.0);
        let damping = if pulled < 1.0 { 1.0 - linear.velocity_retention / (1.0 - pulled) } else { 0.0 };
        let mut numbers = vec![
            (params::STIFFNESS, stiffness_for(pulled, target_steps(now)).clamp(0.0, 1.0) as f32),
            (params::DAMPING, damping.clamp(0.0, 1.0) as f32),
        ];
        if let Some(follow) = response.ignored_motion {
            let follow = follow.clamp(0.0, 1.0);
            numbers.extend([(params::WORLD_DAMPING_LOCATION, follow), (params::WORLD_DAMPING_ROTATION, follow)]);
        }
        // 0 would turn the limit off.
        numbers.extend(response.max_angle_deg.map(|reach| (params::LIMIT_ANGLE, reach.clamp(0.01, 180.0))));
        numbers.extend(response.radius.map(|radius| (params::RADIUS, radius.max(0.0))));
        numbers
    }

    /// The system has one gravity vector for all joints, so the function returns the median of the vectors that the
    /// joints need.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let h = step_seconds(system, frame);
        let target = joints.iter().map(|(response, _)| {
            let left = (1.0 - response.feel().to_recurrence(h).offset_removed).max(MIN_REMAINDER) as f32;
            response.acceleration / left
        });
        let gravity = (median_vector(target) - simple_force_acceleration(system, h)) / gravity_factor(system);
        let numbers = params::GRAVITY.into_iter().zip(gravity.to_array());
        // In component space, motion that is not ignored is added as a velocity in every step. World space avoids this.
        let world = joints.iter().all(|(response, _)| response.ignored_motion.unwrap_or(0.0) <= 0.0);
        numbers.chain(world.then_some((params::SIMULATION_SPACE, WORLD_SPACE))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ResponseCase, check_feel};

    #[track_caller]
    fn check(system: &[(ParamId, f32)], frame_seconds: f32) {
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let target = SpringResponse {
            ignored_motion: Some(0.3),
            max_angle_deg: Some(25.0),
            radius: Some(0.02),
            ..SpringResponse::new(feel, Vec3::ZERO)
        };
        let mut case = ResponseCase::<KawaiiPhysics> { frame_seconds, ..ResponseCase::new(&[], system) };
        let found = case.round_trip(&target);
        check_feel(&found, [3.0, 0.4], [1e-3; 2]);
        assert_eq!((found.ignored_motion, found.max_angle_deg, found.radius), (Some(0.3), Some(25.0), Some(0.02)));
    }

    #[test]
    fn params_for_a_response_reproduce_it_with_and_without_fixed_steps() {
        check(&[], 1.0 / 60.0);
        check(&[(params::TARGET_FRAMERATE, 90.0)], 1.0 / 60.0);
        check(&[(params::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 72.0);
    }

    #[test]
    fn three_hertz_at_damping_ratio_0_4_has_the_known_params() {
        let case = ResponseCase::<KawaiiPhysics>::new(&[], &[]);
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let made = case.params_for(&SpringResponse::new(feel, Vec3::ZERO));
        assert!((made[0].1 - 0.0866).abs() < 2e-4 && (made[1].1 - 0.1485).abs() < 3e-4, "{made:?}");
        check_feel(&case.response(), [2.2, 0.34], [0.05, 0.01]);
    }

    #[test]
    fn gravity_and_simple_force_add_up_to_one_acceleration() {
        let system =
            [(params::GRAVITY[1], -9.8), (params::USE_LEGACY_GRAVITY, 1.0), (params::SIMPLE_EXTERNAL_FORCE[1], 0.1)];
        for (count, expected) in [(1, -9.8), (2, -4.9), (3, -4.9 + 6.0)] {
            let found = ResponseCase::<KawaiiPhysics>::new(&[], &system[..count]).response();
            assert!((found.acceleration.y - expected * 0.95).abs() < 1e-3, "{found:?}");
        }
    }
}
