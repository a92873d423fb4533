//! KawaiiPhysics' numbers in terms that every solver shares. Pulls are the system's, the same on every joint.

use super::{KawaiiPhysics, row};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::{LinearRecurrence, SpringFeel};
use crate::sim::response::median_vector;
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::Weight, "KawaiiPhysics has one gravity for the whole system, none for each joint.")];

/// Least share of the offset that is told apart from all of it.
const MIN_REMAINDER: f64 = 1e-9;

/// The choice of the world as simulation space.
const WORLD_SPACE: f32 = 1.0;

/// A fixed step of the target rate, or the frame where steps are not fixed.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    if system.get(row::USE_FIXED_SUBSTEPPING) >= 0.5 { 1.0 / target_frame_rate(system) } else { frame }
}

fn target_frame_rate(system: &ParamSet) -> f32 {
    system.get(row::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0)
}

/// How many steps of the target rate one step counts for.
fn target_steps(numbers: &ResponseInput<'_>) -> f64 {
    f64::from(target_frame_rate(numbers.system_params))
        * f64::from(step_seconds(numbers.system_params, numbers.frame_seconds))
}

/// Share of the way to the pose that a step of `exponent` target steps takes.
fn offset_removed(stiffness: f64, exponent: f64) -> f64 {
    1.0 - (1.0 - stiffness).powf(exponent)
}

/// The stiffness that takes that share.
fn stiffness_for(pulled: f64, exponent: f64) -> f64 {
    1.0 - (1.0 - pulled.clamp(0.0, 1.0)).powf(1.0 / exponent)
}

/// What a step of `h` seconds does.
fn step_recurrence(stiffness: f64, damping: f64, pull: f64, exponent: f64, h: f64) -> LinearRecurrence {
    let pulled = offset_removed(stiffness, exponent);
    LinearRecurrence {
        velocity_retention: (1.0 - pulled) * (1.0 - damping),
        offset_removed: pulled,
        displacement_added: pull * h * h * (1.0 - pulled),
    }
}

/// Gravity and simple force as one acceleration in the world, m/s²; directions of other spaces count as the world's.
fn system_acceleration(numbers: &ResponseInput<'_>, h: f32) -> Vec3 {
    numbers.system_param_vector(row::GRAVITY) * gravity_factor(numbers.system_params)
        + simple_force_acceleration(numbers.system_params, h)
}

/// The acceleration of one unit of gravity.
fn gravity_factor(system: &ParamSet) -> f32 {
    let factor = if system.get(row::USE_PROJECT_GRAVITY) >= 0.5 { 980.0 } else { 1.0 };
    let half = if system.get(row::USE_LEGACY_GRAVITY) >= 0.5 { 0.5 } else { 1.0 };
    factor * half
}

/// The simple external force, a speed, as an acceleration, m/s².
fn simple_force_acceleration(system: &ParamSet, h: f32) -> Vec3 {
    Vec3::from(row::SIMPLE_EXTERNAL_FORCE.map(|row| system.get(row))) / h
}

impl ResponseModel for KawaiiPhysics {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let number = |row: ParamId| numbers.joint_params.get(row);
        let share = |row: ParamId| f64::from(number(row)).clamp(0.0, 1.0);
        let h = step_seconds(numbers.system_params, numbers.frame_seconds);
        let pull = system_acceleration(numbers, h);
        let strength = f64::from(pull.length());
        let linear =
            step_recurrence(share(row::STIFFNESS), share(row::DAMPING), strength, target_steps(numbers), f64::from(h));
        let limit = number(row::LIMIT_ANGLE);
        SpringResponse {
            ignored_motion: Some(number(row::WORLD_DAMPING_LOCATION)),
            max_angle_deg: (limit > 0.0).then_some(limit),
            radius: Some(number(row::RADIUS)),
            ..SpringResponse::new(linear.to_feel(h), pull.normalize_or_zero())
        }
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let linear = SpringFeel { acceleration: 0.0, ..sway.feel() }.to_recurrence(h);
        let pulled = linear.offset_removed.clamp(0.0, 1.0);
        let damping = if pulled < 1.0 { 1.0 - linear.velocity_retention / (1.0 - pulled) } else { 0.0 };
        let mut numbers = vec![
            (row::STIFFNESS, stiffness_for(pulled, target_steps(now)).clamp(0.0, 1.0) as f32),
            (row::DAMPING, damping.clamp(0.0, 1.0) as f32),
        ];
        if let Some(follow) = sway.ignored_motion {
            let follow = follow.clamp(0.0, 1.0);
            numbers.extend([(row::WORLD_DAMPING_LOCATION, follow), (row::WORLD_DAMPING_ROTATION, follow)]);
        }
        // 0 would open the cone altogether.
        numbers.extend(sway.max_angle_deg.map(|reach| (row::LIMIT_ANGLE, reach.clamp(0.01, 180.0))));
        numbers.extend(sway.radius.map(|radius| (row::RADIUS, radius.max(0.0))));
        numbers
    }

    /// One gravity for all joints of a node: the common part of what each of them would need.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let h = step_seconds(system, frame);
        let wanted = joints.iter().map(|(sway, _)| {
            let left = (1.0 - sway.feel().to_recurrence(h).offset_removed).max(MIN_REMAINDER) as f32;
            sway.acceleration / left
        });
        let gravity = (median_vector(wanted) - simple_force_acceleration(system, h)) / gravity_factor(system);
        let numbers = row::GRAVITY.into_iter().zip(gravity.to_array());
        // Under full motion of its component the solver counts that motion as a speed in every step.
        let world = joints.iter().all(|(sway, _)| sway.ignored_motion.unwrap_or(0.0) <= 0.0);
        numbers.chain(world.then_some((row::SIMULATION_SPACE, WORLD_SPACE))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;

    #[track_caller]
    fn check(system: &[(ParamId, f32)], frame: f32) {
        let joint = ParamSet::defaults(PARAMS);
        let mut values = ParamSet::defaults(PARAMS);
        for (row, value) in system {
            values.set(*row, *value);
        }
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &values,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: frame,
        };
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let wanted = SpringResponse {
            ignored_motion: Some(0.3),
            max_angle_deg: Some(25.0),
            radius: Some(0.02),
            ..SpringResponse::new(feel, Vec3::ZERO)
        };
        let mut made = joint.clone();
        for (row, value) in KawaiiPhysics::params_for(&wanted, &now) {
            made.set(row, value);
        }
        let found = KawaiiPhysics::response(&ResponseInput { joint_params: &made, ..now });
        assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.4).abs() < 1e-3, "{found:?}");
        assert_eq!((found.ignored_motion, found.max_angle_deg, found.radius), (Some(0.3), Some(25.0), Some(0.02)));
    }

    #[test]
    fn params_for_a_response_reproduce_it_with_and_without_fixed_steps() {
        check(&[], 1.0 / 60.0);
        check(&[(row::TARGET_FRAMERATE, 90.0)], 1.0 / 60.0);
        check(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 72.0);
    }

    #[test]
    fn three_hertz_at_damping_ratio_0_4_has_the_known_params() {
        let set = ParamSet::defaults(PARAMS);
        let now = ResponseInput {
            joint_params: &set,
            system_params: &set,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let made = KawaiiPhysics::params_for(&SpringResponse::new(feel, Vec3::ZERO), &now);
        assert!((made[0].1 - 0.0866).abs() < 2e-4 && (made[1].1 - 0.1485).abs() < 3e-4, "{made:?}");
        let fresh = KawaiiPhysics::response(&now);
        assert!((fresh.frequency_hz - 2.2).abs() < 0.05 && (fresh.damping_ratio - 0.34).abs() < 0.01, "{fresh:?}");
    }

    #[test]
    fn gravity_and_simple_force_add_up_to_one_acceleration() {
        let mut set = ParamSet::defaults(PARAMS);
        set.set(row::GRAVITY[1], -9.8);
        let pull = |set: &ParamSet| {
            KawaiiPhysics::response(&ResponseInput {
                joint_params: set,
                system_params: set,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: 1.0 / 60.0,
            })
            .acceleration
            .y
        };
        assert!((pull(&set) + 9.8 * 0.95).abs() < 1e-3);
        set.set(row::USE_LEGACY_GRAVITY, 1.0);
        assert!((pull(&set) + 4.9 * 0.95).abs() < 1e-3);
        set.set(row::SIMPLE_EXTERNAL_FORCE[1], 0.1);
        assert!((pull(&set) - (-4.9 + 6.0) * 0.95).abs() < 1e-3);
    }
}
