//! The engine's numbers in terms that every solver shares: close to rest a point loses a share of its offset and of its
//! speed in every step, whatever the bone's length.

use super::{GRAVITY_SCALE, HARDNESS, JointDynamics, RESISTANCE, System};
use crate::schema::Row;
use crate::sim::unify::{Feel, Linear};
use crate::sim::{Dynamics as _, FeelMap, Numbers, Sway, Term};

/// Least share of an offset that must remain for resistance to have a meaning.
const LEAST_LEFT: f64 = 1e-6;

pub(super) const UNSUPPORTED: &[(Term, &str)] = &[
    (Term::Follow, "SPCRJointDynamics limits how fast the body moves its points only for the whole system."),
    (Term::Reach, "SPCRJointDynamics has one largest angle for the whole system, not one of each joint."),
];

/// Real length of a step, seconds; a frame that is shorter than a step is a step of its own.
pub(super) fn step_seconds(system: &System, frame: f32) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    let step = if frame * scale < system.step { frame } else { system.step / scale };
    step / system.sub_steps as f32
}

/// `_HardnessCurve` and `_ResistanceCurve` in percent, and gravity in m/s², as steps of `h` seconds feel; `push` is the
/// share of dt² that gravity gets, time's scale included.
fn feel(hardness: f32, resistance: f32, gravity: f32, push: f32, h: f32) -> Feel {
    let [pulled, lost] = [hardness, resistance].map(|percent| (f64::from(percent) * 0.01).clamp(0.0, 1.0));
    let kept = (1.0 - pulled) * (1.0 - lost);
    let h2 = f64::from(h) * f64::from(h);
    Linear { kept, pulled, pushed: f64::from(gravity) * f64::from(push) * h2 * kept }.to_feel(h)
}

/// The other way: hardness and resistance in percent, and gravity in m/s².
fn numbers_of(feel: Feel, push: f32, h: f32) -> [f32; 3] {
    let linear = feel.to_linear(h);
    let left = (1.0 - linear.pulled).max(LEAST_LEFT);
    let kept = linear.kept.max(LEAST_LEFT).min(left);
    let gravity = f64::from(feel.acceleration) / (f64::from(push) * kept);
    [linear.pulled * 100.0, (1.0 - kept / left) * 100.0, gravity].map(|value| value as f32)
}

/// What a system makes of gravity, besides the step.
fn push(system: &System) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    system.gravity_share * scale * scale
}

impl FeelMap for JointDynamics {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let system = Self::bake_system(|row| numbers.system.get(row));
        let h = step_seconds(&system, numbers.frame);
        let number = |row| numbers.joint.get(row);
        let gravity = system.gravity * number(GRAVITY_SCALE);
        let feel = feel(number(HARDNESS), number(RESISTANCE), gravity.length(), push(&system), h);
        Sway::new(feel, gravity.normalize_or_zero())
    }

    /// Gravity's direction is the system's: the part of the wanted pull along it is what the joint's scale gives.
    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let system = Self::bake_system(|row| now.system.get(row));
        let h = step_seconds(&system, now.frame);
        let pull = sway.pull.dot(system.gravity.normalize_or_zero());
        let [hardness, resistance, gravity] = numbers_of(Feel { acceleration: pull, ..sway.feel() }, push(&system), h);
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
    use crate::schema::ParamSet;
    use glam::Vec3;

    #[test]
    fn numbers_of_a_sway_sway_so_whatever_the_steps() {
        for (sub_steps, time_scale, full, frame) in
            [(1.0, 1.0, 0.0, 1.0 / 60.0), (3.0, 0.5, 1.0, 1.0 / 60.0), (2.0, 1.0, 0.0, 1.0 / 144.0)]
        {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            for (row, value) in [(SUB_STEPS, sub_steps), (TIME_SCALE, time_scale), (FULL_GRAVITY, full)] {
                system.set(row, value);
            }
            let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame };
            let wanted = Sway::new(Feel { frequency_hz: 2.0, damping_ratio: 0.7, acceleration: 3.0 }, Vec3::NEG_Y);
            let mut made = joint.clone();
            for (row, value) in JointDynamics::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = JointDynamics::sway(&Numbers { joint: &made, ..now });
            assert!((found.frequency_hz - 2.0).abs() < 1e-2 && (found.damping_ratio - 0.7).abs() < 1e-2, "{found:?}");
            assert!((found.pull - wanted.pull).length() < 1e-2, "{found:?}");
        }
    }

    #[test]
    fn the_engines_defaults_feel_as_they_were_measured() {
        for (hardness, resistance, hz, ratio) in [(5.0, 1.0, 2.2, 0.14), (0.1, 5.0, 0.3, 0.82)] {
            let found = feel(hardness, resistance, 0.0, 0.5, 1.0 / 61.0);
            assert!((found.frequency_hz - hz).abs() < 0.06 && (found.damping_ratio - ratio).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn half_of_gravity_is_lost_unless_it_acts_whole() {
        let system = ParamSet::defaults(PARAMS);
        let mut joint = system.clone();
        joint.set(HARDNESS, 0.0);
        joint.set(RESISTANCE, 0.0);
        let found = JointDynamics::sway(&Numbers {
            joint: &joint,
            system: &system,
            length: 0.1,
            carried: 0.0,
            frame: 1.0 / 60.0,
        });
        assert!((found.pull.y + 4.9).abs() < 1e-3, "{found:?}");
    }
}
