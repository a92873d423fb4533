//! `DynamicBone`'s numbers in terms that every solver shares.
//!
//! A step of `h` seconds keeps `(1 - elasticity) (1 - damping)` of the speed and takes away `elasticity` of the offset;
//! in mode Default, elasticity and force count times the frame's length in steps.

use super::{
    BLEND_WEIGHT, Code, DAMPING, DynamicBone, ELASTICITY, FORCE, FORCE_SHARE, INERT, RADIUS, RUN_AS, Rest, STIFFNESS,
    State, UPDATE_MODE, UPDATE_RATE,
};
use crate::schema::{ParamSet, Row};
use crate::sim::sway::common_part;
use crate::sim::unify::Linear;
use crate::sim::{FeelMap, Numbers, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] = &[(
    Term::Weight,
    "DynamicBone pulls on all joints of a component alike; force and gravity stand among the system's numbers.",
)];

/// Least share of the offset that is told apart from all of it.
const LEAST_LEFT: f64 = 1e-9;

fn by_frame(system: &ParamSet) -> bool {
    system.get(UPDATE_MODE) >= 2.5 || Code::of(system.get(RUN_AS)) == Code::Clone
}

/// The frame where one step is taken in each, else what the rate says.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && !by_frame(system) { 1.0 / rate } else { frame }
}

/// What elasticity and force count times.
fn factor(system: &ParamSet, frame: f32) -> f64 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && by_frame(system) { f64::from(frame * rate) } else { 1.0 }
}

impl FeelMap for DynamicBone {
    /// At rest gravity does not pull, so that only the constant force counts.
    fn sway(numbers: &Numbers<'_>) -> Sway {
        sway_under(numbers, Vec3::ZERO)
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let linear = sway.feel().to_linear(step_seconds(now.system, now.frame));
        let damping = 1.0 - linear.kept / (1.0 - linear.pulled).max(LEAST_LEFT);
        let elasticity = linear.pulled / factor(now.system, now.frame).max(LEAST_LEFT);
        let mut numbers =
            vec![(ELASTICITY, elasticity.clamp(0.0, 1.0) as f32), (DAMPING, damping.clamp(0.0, 1.0) as f32)];
        numbers.extend(sway.follow.map(|follow| (INERT, follow.clamp(0.0, 1.0))));
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius.max(0.0))));
        let weight = now.system.get(BLEND_WEIGHT);
        if let Some(reach) = sway.reach_deg.filter(|_| weight > 0.0) {
            let open = (reach.clamp(0.0, 180.0).to_radians() * 0.5).sin() / weight;
            numbers.push((STIFFNESS, (1.0 - open).clamp(0.0, 1.0)));
        }
        numbers
    }

    /// One force for all joints of a component: the common part of what each of them would need.
    fn system_numbers(joints: &[(Sway, f32)], system: &ParamSet, frame: f32) -> Vec<(Row, f32)> {
        let h = step_seconds(system, frame);
        let factor = factor(system, frame).max(LEAST_LEFT) as f32;
        let wanted = joints.iter().map(|(sway, _)| {
            let left = (1.0 - sway.feel().to_linear(h).pulled).max(LEAST_LEFT) as f32;
            sway.pull * (h * h / (factor * left))
        });
        FORCE.into_iter().zip(common_part(wanted).to_array()).collect()
    }

    fn pull(rest: &Rest, state: &State, joint: usize, numbers: &Numbers<'_>) -> Vec3 {
        let tree = rest.particles[rest.joints[joint].head as usize].tree;
        sway_under(numbers, state.gravity.get(tree as usize).copied().unwrap_or_default()).pull
    }
}

/// How a joint sways while `gravity` is what is left of gravity in its pose, in metres per step².
fn sway_under(numbers: &Numbers<'_>, gravity: Vec3) -> Sway {
    let number = |row| f64::from(numbers.joint.get(row)).clamp(0.0, 1.0);
    let factor = factor(numbers.system, numbers.frame);
    let pulled = number(ELASTICITY) * factor;
    let share = if Code::of(numbers.system.get(RUN_AS)) == Code::Clone { numbers.joint.get(FORCE_SHARE) } else { 1.0 };
    let force = numbers.system_vector(FORCE) * share + gravity;
    let linear = Linear {
        kept: (1.0 - pulled) * (1.0 - number(DAMPING)),
        pulled,
        pushed: f64::from(force.length()) * factor * (1.0 - pulled),
    };
    let feel = linear.to_feel(step_seconds(numbers.system, numbers.frame));
    let weight = f64::from(numbers.system.get(BLEND_WEIGHT)).clamp(0.0, 1.0);
    let reach = 2.0 * ((1.0 - number(STIFFNESS)) * weight).asin();
    Sway {
        follow: Some(number(INERT) as f32),
        reach_deg: Some(reach.to_degrees() as f32),
        radius: Some(numbers.joint.get(RADIUS)),
        ..Sway::new(feel, force.normalize_or_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::sim::unify::Feel;
    use glam::Vec3;

    const FRAME: f32 = 1.0 / 60.0;

    #[test]
    fn numbers_of_a_sway_sway_so_in_every_mode_and_frame() {
        for (mode, frame, rate) in
            [(3.0, FRAME, 60.0), (3.0, FRAME * 0.5, 60.0), (0.0, FRAME * 2.0, 90.0), (3.0, FRAME, 0.0)]
        {
            let mut system = ParamSet::defaults(PARAMS);
            for (row, value) in [(UPDATE_MODE, mode), (UPDATE_RATE, rate), (BLEND_WEIGHT, 0.9), (FORCE[1], -0.001)] {
                system.set(row, value);
            }
            let joint = ParamSet::defaults(PARAMS);
            let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame };
            let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.6, acceleration: 0.0 };
            let wanted =
                Sway { follow: Some(0.3), reach_deg: Some(40.0), radius: Some(0.02), ..Sway::new(feel, Vec3::ZERO) };
            let mut made = joint.clone();
            for (row, value) in DynamicBone::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = DynamicBone::sway(&Numbers { joint: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.6).abs() < 1e-3, "{found:?}");
            assert!((found.reach_deg.expect("a ball") - 40.0).abs() < 1e-2, "{found:?}");
            assert_eq!((found.follow, found.radius), (Some(0.3), Some(0.02)));
        }
    }

    #[test]
    fn the_defaults_swing_three_times_a_second() {
        let set = ParamSet::defaults(PARAMS);
        let found = DynamicBone::sway(&Numbers { joint: &set, system: &set, length: 0.1, carried: 0.0, frame: FRAME });
        assert!((found.frequency_hz - 3.2).abs() < 0.05 && (found.damping_ratio - 0.32).abs() < 0.01, "{found:?}");
        assert!((found.reach_deg.expect("a ball") - 128.3).abs() < 0.1);
    }

    #[test]
    fn force_pulls_and_gravity_does_not() {
        let mut system = ParamSet::defaults(PARAMS);
        system.set(super::super::GRAVITY[1], -0.01);
        system.set(FORCE[1], -0.002);
        let joint = ParamSet::defaults(PARAMS);
        let found =
            DynamicBone::sway(&Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: FRAME });
        assert!(found.pull.distance(Vec3::NEG_Y * 0.002 * 0.9 * 3600.0) < 1e-3, "{found:?}");
    }

    #[test]
    fn numbers_at_their_ends_still_have_a_sway() {
        for value in [0.0, 1.0] {
            let mut joint = ParamSet::defaults(PARAMS);
            for row in [DAMPING, ELASTICITY, STIFFNESS] {
                joint.set(row, value);
            }
            let now = Numbers { joint: &joint, system: &joint, length: 0.1, carried: 0.0, frame: FRAME };
            let found = DynamicBone::sway(&now);
            assert!(found.frequency_hz.is_finite() && found.damping_ratio.is_finite(), "{found:?}");
            assert!(DynamicBone::numbers(&found, &now).iter().all(|(_, number)| number.is_finite()), "{found:?}");
        }
    }
}
