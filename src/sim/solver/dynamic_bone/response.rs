//! `DynamicBone`'s numbers in terms that every solver shares.
//!
//! A step of `h` seconds keeps `(1 - elasticity) (1 - damping)` of the speed and takes away `elasticity` of the offset;
//! in mode Default, elasticity and force count times the frame's length in steps.

use super::{
    BLEND_WEIGHT, DAMPING, DynamicBone, ELASTICITY, FORCE, FORCE_SHARE, INERT, Implementation, RADIUS, RUN_AS, Rest,
    STIFFNESS, State, UPDATE_MODE, UPDATE_RATE,
};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::LinearRecurrence;
use crate::sim::response::median_vector;
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[(
    FeelParam::Weight,
    "DynamicBone pulls on all joints of a component alike; force and gravity stand among the system's numbers.",
)];

/// Least share of the offset that is told apart from all of it.
const MIN_REMAINDER: f64 = 1e-9;

fn one_step_per_frame(system: &ParamSet) -> bool {
    system.get(UPDATE_MODE) >= 2.5 || Implementation::of(system.get(RUN_AS)) == Implementation::Clone
}

/// The frame where one step is taken in each, else what the rate says.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && !one_step_per_frame(system) { 1.0 / rate } else { frame }
}

/// What elasticity and force count times.
fn force_factor(system: &ParamSet, frame: f32) -> f64 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && one_step_per_frame(system) { f64::from(frame * rate) } else { 1.0 }
}

impl ResponseModel for DynamicBone {
    /// At rest gravity does not pull, so that only the constant force counts.
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        response_with_gravity(numbers, Vec3::ZERO)
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let linear = sway.feel().to_recurrence(step_seconds(now.system_params, now.frame_seconds));
        let damping = 1.0 - linear.velocity_retention / (1.0 - linear.offset_removed).max(MIN_REMAINDER);
        let elasticity = linear.offset_removed / force_factor(now.system_params, now.frame_seconds).max(MIN_REMAINDER);
        let mut numbers =
            vec![(ELASTICITY, elasticity.clamp(0.0, 1.0) as f32), (DAMPING, damping.clamp(0.0, 1.0) as f32)];
        numbers.extend(sway.ignored_motion.map(|follow| (INERT, follow.clamp(0.0, 1.0))));
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius.max(0.0))));
        let weight = now.system_params.get(BLEND_WEIGHT);
        if let Some(reach) = sway.max_angle_deg.filter(|_| weight > 0.0) {
            let open = (reach.clamp(0.0, 180.0).to_radians() * 0.5).sin() / weight;
            numbers.push((STIFFNESS, (1.0 - open).clamp(0.0, 1.0)));
        }
        numbers
    }

    /// One force for all joints of a component: the common part of what each of them would need.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let h = step_seconds(system, frame);
        let factor = force_factor(system, frame).max(MIN_REMAINDER) as f32;
        let wanted = joints.iter().map(|(sway, _)| {
            let left = (1.0 - sway.feel().to_recurrence(h).offset_removed).max(MIN_REMAINDER) as f32;
            sway.acceleration * (h * h / (factor * left))
        });
        FORCE.into_iter().zip(median_vector(wanted).to_array()).collect()
    }

    fn steady_acceleration(rest: &Rest, state: &State, joint: usize, numbers: &ResponseInput<'_>) -> Vec3 {
        let tree = rest.particles[rest.joints[joint].head as usize].tree;
        response_with_gravity(numbers, state.gravity.get(tree as usize).copied().unwrap_or_default()).acceleration
    }
}

/// How a joint sways while `gravity` is what is left of gravity in its pose, in metres per step².
fn response_with_gravity(numbers: &ResponseInput<'_>, gravity: Vec3) -> SpringResponse {
    let number = |row| f64::from(numbers.joint_params.get(row)).clamp(0.0, 1.0);
    let factor = force_factor(numbers.system_params, numbers.frame_seconds);
    let pulled = number(ELASTICITY) * factor;
    let share = if Implementation::of(numbers.system_params.get(RUN_AS)) == Implementation::Clone {
        numbers.joint_params.get(FORCE_SHARE)
    } else {
        1.0
    };
    let force = numbers.system_param_vector(FORCE) * share + gravity;
    let linear = LinearRecurrence {
        velocity_retention: (1.0 - pulled) * (1.0 - number(DAMPING)),
        offset_removed: pulled,
        displacement_added: f64::from(force.length()) * factor * (1.0 - pulled),
    };
    let feel = linear.to_feel(step_seconds(numbers.system_params, numbers.frame_seconds));
    let weight = f64::from(numbers.system_params.get(BLEND_WEIGHT)).clamp(0.0, 1.0);
    let reach = 2.0 * ((1.0 - number(STIFFNESS)) * weight).asin();
    SpringResponse {
        ignored_motion: Some(number(INERT) as f32),
        max_angle_deg: Some(reach.to_degrees() as f32),
        radius: Some(numbers.joint_params.get(RADIUS)),
        ..SpringResponse::new(feel, force.normalize_or_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::sim::linear_spring::SpringFeel;
    use glam::Vec3;

    const FRAME: f32 = 1.0 / 60.0;

    #[test]
    fn params_for_a_response_reproduce_it_in_every_mode_and_frame_rate() {
        for (mode, frame, rate) in
            [(3.0, FRAME, 60.0), (3.0, FRAME * 0.5, 60.0), (0.0, FRAME * 2.0, 90.0), (3.0, FRAME, 0.0)]
        {
            let mut system = ParamSet::defaults(PARAMS);
            for (row, value) in [(UPDATE_MODE, mode), (UPDATE_RATE, rate), (BLEND_WEIGHT, 0.9), (FORCE[1], -0.001)] {
                system.set(row, value);
            }
            let joint = ParamSet::defaults(PARAMS);
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: frame,
            };
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.6, acceleration: 0.0 };
            let wanted = SpringResponse {
                ignored_motion: Some(0.3),
                max_angle_deg: Some(40.0),
                radius: Some(0.02),
                ..SpringResponse::new(feel, Vec3::ZERO)
            };
            let mut made = joint.clone();
            for (row, value) in DynamicBone::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = DynamicBone::response(&ResponseInput { joint_params: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.6).abs() < 1e-3, "{found:?}");
            assert!((found.max_angle_deg.expect("a ball") - 40.0).abs() < 1e-2, "{found:?}");
            assert_eq!((found.ignored_motion, found.radius), (Some(0.3), Some(0.02)));
        }
    }

    #[test]
    fn the_default_params_swing_at_about_three_hertz() {
        let set = ParamSet::defaults(PARAMS);
        let found = DynamicBone::response(&ResponseInput {
            joint_params: &set,
            system_params: &set,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: FRAME,
        });
        assert!((found.frequency_hz - 3.2).abs() < 0.05 && (found.damping_ratio - 0.32).abs() < 0.01, "{found:?}");
        assert!((found.max_angle_deg.expect("a ball") - 128.3).abs() < 0.1);
    }

    #[test]
    fn at_rest_force_pulls_and_gravity_does_not() {
        let mut system = ParamSet::defaults(PARAMS);
        system.set(super::super::GRAVITY[1], -0.01);
        system.set(FORCE[1], -0.002);
        let joint = ParamSet::defaults(PARAMS);
        let found = DynamicBone::response(&ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: FRAME,
        });
        assert!(found.acceleration.distance(Vec3::NEG_Y * 0.002 * 0.9 * 3600.0) < 1e-3, "{found:?}");
    }

    #[test]
    fn params_at_the_ends_of_their_ranges_have_a_finite_response() {
        for value in [0.0, 1.0] {
            let mut joint = ParamSet::defaults(PARAMS);
            for row in [DAMPING, ELASTICITY, STIFFNESS] {
                joint.set(row, value);
            }
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &joint,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: FRAME,
            };
            let found = DynamicBone::response(&now);
            assert!(found.frequency_hz.is_finite() && found.damping_ratio.is_finite(), "{found:?}");
            assert!(DynamicBone::params_for(&found, &now).iter().all(|(_, number)| number.is_finite()), "{found:?}");
        }
    }
}
