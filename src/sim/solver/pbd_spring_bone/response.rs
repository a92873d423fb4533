//! `PbdSpringBone`'s numbers in terms that every solver shares.

use super::{DAMP, GRAVITY, POINT_SIZE, PbdSpringBone, SPRING, STEPS_PER_SECOND};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::LinearRecurrence;
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "PbdSpringBone has no number for how much of the body's motion is ignored."),
    (FeelParam::MaxAngle, "PbdSpringBone has no limits."),
];

/// A step lasts as long as the frame unless the system has a rate of its own.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(STEPS_PER_SECOND);
    if rate > 0.0 { 1.0 / rate } else { frame }
}

/// What a step of `h` seconds does: spring and gravity change the speed before it is damped.
fn linear(spring: f32, damp: f32, gravity: f32, h: f32) -> LinearRecurrence {
    let (kept, h) = (f64::from(damp), f64::from(h));
    let push = h * h * kept;
    LinearRecurrence {
        velocity_retention: kept,
        offset_removed: f64::from(spring) * push,
        displacement_added: f64::from(gravity) * push,
    }
}

/// Spring, damp and gravity that do so.
fn from_linear(linear: LinearRecurrence, h: f32) -> (f32, f32, f32) {
    let kept = linear.velocity_retention.clamp(f64::from(f32::EPSILON), 1.0);
    let push = f64::from(h) * f64::from(h) * kept;
    (((linear.offset_removed / push) as f32).max(0.0), kept as f32, (linear.displacement_added / push) as f32)
}

impl ResponseModel for PbdSpringBone {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let number = |row| numbers.joint_params.get(row);
        let h = step_seconds(numbers.system_params, numbers.frame_seconds);
        let feel = linear(number(SPRING), number(DAMP), number(GRAVITY), h).to_feel(h);
        SpringResponse { radius: Some(number(POINT_SIZE)), ..SpringResponse::new(feel, Vec3::NEG_Y) }
    }

    /// What of the pull is not downwards has no number.
    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let (spring, damp, gravity) = from_linear(sway.feel_along(Vec3::NEG_Y).to_recurrence(h), h);
        let mut numbers = vec![(SPRING, spring), (DAMP, damp), (GRAVITY, gravity)];
        numbers.extend(sway.radius.map(|radius| (POINT_SIZE, radius)));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::sim::linear_spring::SpringFeel;

    #[track_caller]
    fn check_close(a: f32, b: f32, share: f32) {
        assert!((a - b).abs() <= share * b.abs().max(1e-6), "{a} is not {b}");
    }

    #[test]
    fn params_for_a_response_reproduce_it_at_every_step_rate() {
        for (rate, hz, zeta) in [(0.0, 3.0, 0.4), (0.0, 1.5, 1.2), (120.0, 6.0, 0.1)] {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            system.set(STEPS_PER_SECOND, rate);
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: 1.0 / 60.0,
            };
            let feel = SpringFeel { frequency_hz: hz, damping_ratio: zeta, acceleration: 5.0 };
            let wanted = SpringResponse { radius: Some(0.03), ..SpringResponse::new(feel, Vec3::NEG_Y) };
            let mut made = joint.clone();
            for (row, value) in PbdSpringBone::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = PbdSpringBone::response(&ResponseInput { joint_params: &made, ..now });
            check_close(found.frequency_hz, hz, 2e-3);
            check_close(found.damping_ratio, zeta, 2e-3);
            check_close(found.acceleration.y, -5.0, 1e-3);
            assert_eq!(found.radius, Some(0.03));
        }
    }

    #[test]
    fn three_hertz_at_damping_ratio_0_4_has_the_known_params() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let found = PbdSpringBone::params_for(&SpringResponse::new(feel, Vec3::NEG_Y), &now);
        check_close(found[0].1, 400.6, 1e-3);
        check_close(found[1].1, 0.778, 1e-3);
        let stock = PbdSpringBone::response(&now);
        check_close(stock.frequency_hz, 1.5, 0.03);
        check_close(stock.damping_ratio, 0.51, 0.03);
    }

    #[test]
    fn extreme_spring_and_damp_give_finite_values() {
        for (spring, damp) in [(0.0, 0.0), (1e9, 0.0), (0.0, 1.0), (1e9, 1.0)] {
            let feel = linear(spring, damp, 9.8, 1.0 / 60.0).to_feel(1.0 / 60.0);
            let back = from_linear(feel.to_recurrence(1.0 / 60.0), 1.0 / 60.0);
            assert!(feel.frequency_hz.is_finite() && feel.damping_ratio.is_finite(), "{feel:?}");
            assert!(back.0.is_finite() && back.1.is_finite() && back.2.is_finite(), "{back:?}");
        }
    }
}
