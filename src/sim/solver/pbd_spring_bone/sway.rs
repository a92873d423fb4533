//! `PbdSpringBone`'s numbers in terms that every solver shares.

use super::{DAMP, GRAVITY, POINT_SIZE, PbdSpringBone, SPRING, STEPS_PER_SECOND};
use crate::schema::{ParamSet, Row};
use crate::sim::unify::Linear;
use crate::sim::{FeelMap, Numbers, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] = &[
    (Term::Follow, "PbdSpringBone has no number for how much of the body's motion is ignored."),
    (Term::Reach, "PbdSpringBone has no limits."),
];

/// A step lasts as long as the frame unless the system has a rate of its own.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(STEPS_PER_SECOND);
    if rate > 0.0 { 1.0 / rate } else { frame }
}

/// What a step of `h` seconds does: spring and gravity change the speed before it is damped.
fn linear(spring: f32, damp: f32, gravity: f32, h: f32) -> Linear {
    let (kept, h) = (f64::from(damp), f64::from(h));
    let push = h * h * kept;
    Linear { kept, pulled: f64::from(spring) * push, pushed: f64::from(gravity) * push }
}

/// Spring, damp and gravity that do so.
fn from_linear(linear: Linear, h: f32) -> (f32, f32, f32) {
    let kept = linear.kept.clamp(f64::from(f32::EPSILON), 1.0);
    let push = f64::from(h) * f64::from(h) * kept;
    (((linear.pulled / push) as f32).max(0.0), kept as f32, (linear.pushed / push) as f32)
}

impl FeelMap for PbdSpringBone {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let number = |row| numbers.joint.get(row);
        let h = step_seconds(numbers.system, numbers.frame);
        let feel = linear(number(SPRING), number(DAMP), number(GRAVITY), h).to_feel(h);
        Sway { radius: Some(number(POINT_SIZE)), ..Sway::new(feel, Vec3::NEG_Y) }
    }

    /// What of the pull is not downwards has no number.
    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let h = step_seconds(now.system, now.frame);
        let (spring, damp, gravity) = from_linear(sway.feel_along(Vec3::NEG_Y).to_linear(h), h);
        let mut numbers = vec![(SPRING, spring), (DAMP, damp), (GRAVITY, gravity)];
        numbers.extend(sway.radius.map(|radius| (POINT_SIZE, radius)));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::sim::unify::Feel;

    #[track_caller]
    fn near(a: f32, b: f32, share: f32) {
        assert!((a - b).abs() <= share * b.abs().max(1e-6), "{a} is not {b}");
    }

    #[test]
    fn numbers_of_a_sway_sway_so_whatever_the_rate() {
        for (rate, hz, zeta) in [(0.0, 3.0, 0.4), (0.0, 1.5, 1.2), (120.0, 6.0, 0.1)] {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            system.set(STEPS_PER_SECOND, rate);
            let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
            let feel = Feel { frequency_hz: hz, damping_ratio: zeta, acceleration: 5.0 };
            let wanted = Sway { radius: Some(0.03), ..Sway::new(feel, Vec3::NEG_Y) };
            let mut made = joint.clone();
            for (row, value) in PbdSpringBone::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = PbdSpringBone::sway(&Numbers { joint: &made, ..now });
            near(found.frequency_hz, hz, 2e-3);
            near(found.damping_ratio, zeta, 2e-3);
            near(found.pull.y, -5.0, 1e-3);
            assert_eq!(found.radius, Some(0.03));
        }
    }

    #[test]
    fn three_hertz_at_forty_percent_has_the_known_numbers() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let found = PbdSpringBone::numbers(&Sway::new(feel, Vec3::NEG_Y), &now);
        near(found[0].1, 400.6, 1e-3);
        near(found[1].1, 0.778, 1e-3);
        let stock = PbdSpringBone::sway(&now);
        near(stock.frequency_hz, 1.5, 0.03);
        near(stock.damping_ratio, 0.51, 0.03);
    }

    #[test]
    fn no_speed_kept_and_no_spring_still_give_numbers() {
        for (spring, damp) in [(0.0, 0.0), (1e9, 0.0), (0.0, 1.0), (1e9, 1.0)] {
            let feel = linear(spring, damp, 9.8, 1.0 / 60.0).to_feel(1.0 / 60.0);
            let back = from_linear(feel.to_linear(1.0 / 60.0), 1.0 / 60.0);
            assert!(feel.frequency_hz.is_finite() && feel.damping_ratio.is_finite(), "{feel:?}");
            assert!(back.0.is_finite() && back.1.is_finite() && back.2.is_finite(), "{back:?}");
        }
    }
}
