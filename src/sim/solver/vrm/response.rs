//! VRM's numbers in terms that every solver shares; what they do depends on the bone's length.

use super::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, MODEL_SCALE, STIFFNESS, Vrm};
use crate::params::ParamId;
use crate::sim::linear_spring::VrmValues;
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "VRM ignores the body's motion only as a whole, by the center of a spring."),
    (
        FeelParam::MaxAngle,
        "VRM's limits are a shape of each joint, not a number; they stand in the joint's own section.",
    ),
];

impl ResponseModel for Vrm {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let number = |row| numbers.joint_params.get(row);
        let scale = numbers.system_params.get(MODEL_SCALE);
        let pull = numbers.joint_param_vector(GRAVITY_DIR) * number(GRAVITY_POWER) * scale;
        let values =
            VrmValues { stiffness: number(STIFFNESS) * scale, drag: number(DRAG), gravity_power: pull.length() };
        let feel = values.to_feel(numbers.bone_length, numbers.frame_seconds);
        SpringResponse {
            radius: Some(number(HIT_RADIUS) * scale),
            ..SpringResponse::new(feel, pull.normalize_or_zero())
        }
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let scale = now.system_params.get(MODEL_SCALE);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let values = VrmValues::from_feel(sway.feel(), now.bone_length, now.frame_seconds);
        let direction = sway.acceleration.try_normalize();
        let power = if direction.is_some() { values.gravity_power / scale } else { 0.0 };
        let mut numbers = vec![
            (STIFFNESS, (values.stiffness / scale).max(0.0)),
            (DRAG, values.drag.clamp(0.0, 1.0)),
            (GRAVITY_POWER, power.max(0.0)),
        ];
        numbers.extend(GRAVITY_DIR.into_iter().zip(direction.unwrap_or(Vec3::NEG_Y).to_array()));
        numbers.extend(sway.radius.map(|radius| (HIT_RADIUS, radius / scale)));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::params::ParamSet;
    use crate::sim::linear_spring::SpringFeel;

    #[test]
    fn params_for_a_response_reproduce_it_for_every_bone_length_and_model_scale() {
        for (length, scale) in [(0.05, 1.0), (0.2, 1.0), (10.0, 100.0)] {
            let mut system = ParamSet::defaults(PARAMS);
            system.set(MODEL_SCALE, scale);
            let joint = ParamSet::defaults(PARAMS);
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: length,
                carried_inertia: 0.0,
                frame_seconds: 1.0 / 60.0,
            };
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.8, acceleration: 2.0 };
            let wanted = SpringResponse { radius: Some(0.02), ..SpringResponse::new(feel, Vec3::new(0.6, -0.8, 0.0)) };
            let mut made = joint.clone();
            for (row, value) in Vrm::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = Vrm::response(&ResponseInput { joint_params: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.8).abs() < 1e-3, "{found:?}");
            assert!(
                (found.acceleration - wanted.acceleration).length() < 1e-3
                    && (found.radius.expect("one") - 0.02).abs() < 1e-6
            );
        }
    }

    #[test]
    fn a_response_that_vrm_cannot_sustain_gets_zero_drag() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        let wild =
            SpringResponse::new(SpringFeel { frequency_hz: 8.0, damping_ratio: 0.0, acceleration: 0.0 }, Vec3::ZERO);
        assert!(Vrm::params_for(&wild, &now).contains(&(DRAG, 0.0)));
    }
}
