//! The engine's numbers in terms that every solver shares: close to rest a point loses a share of its offset and of its
//! speed in every step, whatever the bone's length.

use super::{GRAVITY_SCALE, HARDNESS, JointDynamics, RESISTANCE, System};
use crate::params::ParamId;
use crate::sim::linear_spring::{LinearRecurrence, SpringFeel};
use crate::sim::{Dynamics as _, FeelParam, ResponseInput, ResponseModel, SpringResponse};

/// Least share of an offset that must remain for resistance to have a meaning.
const MIN_REMAINDER: f64 = 1e-6;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "SPCRJointDynamics limits how fast the body moves its points only for the whole system."),
    (FeelParam::MaxAngle, "SPCRJointDynamics has one largest angle for the whole system, not one of each joint."),
];

/// Real length of a step, seconds; a frame that is shorter than a step is a step of its own.
pub(super) fn step_seconds(system: &System, frame: f32) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    let step = if frame * scale < system.nominal_step { frame } else { system.nominal_step / scale };
    step / system.sub_steps as f32
}

/// `_HardnessCurve` and `_ResistanceCurve` in percent, and gravity in m/s², as steps of `h` seconds feel; `push` is the
/// share of dt² that gravity gets, time's scale included.
fn feel(hardness: f32, resistance: f32, gravity: f32, push: f32, h: f32) -> SpringFeel {
    let [pulled, lost] = [hardness, resistance].map(|percent| (f64::from(percent) * 0.01).clamp(0.0, 1.0));
    let kept = (1.0 - pulled) * (1.0 - lost);
    let h2 = f64::from(h) * f64::from(h);
    LinearRecurrence {
        velocity_retention: kept,
        offset_removed: pulled,
        displacement_added: f64::from(gravity) * f64::from(push) * h2 * kept,
    }
    .to_feel(h)
}

/// The other way: hardness and resistance in percent, and gravity in m/s².
fn params_for_feel(feel: SpringFeel, push: f32, h: f32) -> [f32; 3] {
    let linear = feel.to_recurrence(h);
    let left = (1.0 - linear.offset_removed).max(MIN_REMAINDER);
    let kept = linear.velocity_retention.max(MIN_REMAINDER).min(left);
    let gravity = f64::from(feel.acceleration) / (f64::from(push) * kept);
    [linear.offset_removed * 100.0, (1.0 - kept / left) * 100.0, gravity].map(|value| value as f32)
}

/// What a system makes of gravity, besides the step.
fn gravity_factor(system: &System) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    system.gravity_share * scale * scale
}

impl ResponseModel for JointDynamics {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let system = Self::bake_system(|row| numbers.system_params.get(row));
        let h = step_seconds(&system, numbers.frame_seconds);
        let number = |row| numbers.joint_params.get(row);
        let gravity = system.gravity * number(GRAVITY_SCALE);
        let feel = feel(number(HARDNESS), number(RESISTANCE), gravity.length(), gravity_factor(&system), h);
        SpringResponse::new(feel, gravity.normalize_or_zero())
    }

    /// Gravity's direction is the system's: the part of the wanted pull along it is what the joint's scale gives.
    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let system = Self::bake_system(|row| now.system_params.get(row));
        let h = step_seconds(&system, now.frame_seconds);
        let pull = sway.acceleration.dot(system.gravity.normalize_or_zero());
        let [hardness, resistance, gravity] =
            params_for_feel(SpringFeel { acceleration: pull, ..sway.feel() }, gravity_factor(&system), h);
        let mut numbers = vec![(HARDNESS, hardness.clamp(0.0, 100.0)), (RESISTANCE, resistance.clamp(0.0, 100.0))];
        let strength = system.gravity.length();
        if strength > 0.0 {
            numbers.push((GRAVITY_SCALE, (gravity / strength).clamp(-100.0, 100.0)));
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FULL_GRAVITY, PARAMS, SUB_STEPS, TIME_SCALE};
    use super::*;
    use crate::params::ParamSet;
    use glam::Vec3;

    #[test]
    fn params_for_a_response_reproduce_it_for_every_step_length() {
        for (sub_steps, time_scale, full, frame) in
            [(1.0, 1.0, 0.0, 1.0 / 60.0), (3.0, 0.5, 1.0, 1.0 / 60.0), (2.0, 1.0, 0.0, 1.0 / 144.0)]
        {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            for (row, value) in [(SUB_STEPS, sub_steps), (TIME_SCALE, time_scale), (FULL_GRAVITY, full)] {
                system.set(row, value);
            }
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: frame,
            };
            let wanted = SpringResponse::new(
                SpringFeel { frequency_hz: 2.0, damping_ratio: 0.7, acceleration: 3.0 },
                Vec3::NEG_Y,
            );
            let mut made = joint.clone();
            for (row, value) in JointDynamics::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = JointDynamics::response(&ResponseInput { joint_params: &made, ..now });
            assert!((found.frequency_hz - 2.0).abs() < 1e-2 && (found.damping_ratio - 0.7).abs() < 1e-2, "{found:?}");
            assert!((found.acceleration - wanted.acceleration).length() < 1e-2, "{found:?}");
        }
    }

    #[test]
    fn the_default_params_have_the_measured_response() {
        for (hardness, resistance, hz, ratio) in [(5.0, 1.0, 2.2, 0.14), (0.1, 5.0, 0.3, 0.82)] {
            let found = feel(hardness, resistance, 0.0, 0.5, 1.0 / 61.0);
            assert!((found.frequency_hz - hz).abs() < 0.06 && (found.damping_ratio - ratio).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn half_of_gravity_is_lost_by_default() {
        let system = ParamSet::defaults(PARAMS);
        let mut joint = system.clone();
        joint.set(HARDNESS, 0.0);
        joint.set(RESISTANCE, 0.0);
        let found = JointDynamics::response(&ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        });
        assert!((found.acceleration.y + 4.9).abs() < 1e-3, "{found:?}");
    }
}
