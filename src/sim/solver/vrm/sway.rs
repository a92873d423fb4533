//! VRM's numbers in terms that every solver shares; what they do depends on the bone's length.

use super::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, MODEL_SCALE, STIFFNESS, Vrm};
use crate::schema::Row;
use crate::sim::unify::VrmValues;
use crate::sim::{FeelMap, Numbers, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] = &[
    (Term::Follow, "VRM ignores the body's motion only as a whole, by the center of a spring."),
    (Term::Reach, "VRM's limits are a shape of each joint, not a number; they stand in the joint's own section."),
];

impl FeelMap for Vrm {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let number = |row| numbers.joint.get(row);
        let scale = numbers.system.get(MODEL_SCALE);
        let pull = numbers.vector(GRAVITY_DIR) * number(GRAVITY_POWER) * scale;
        let values =
            VrmValues { stiffness: number(STIFFNESS) * scale, drag: number(DRAG), gravity_power: pull.length() };
        let feel = values.feel(numbers.length, numbers.frame);
        Sway { radius: Some(number(HIT_RADIUS) * scale), ..Sway::new(feel, pull.normalize_or_zero()) }
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let scale = now.system.get(MODEL_SCALE);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let values = VrmValues::from_feel(sway.feel(), now.length, now.frame);
        let direction = sway.pull.try_normalize();
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
    use crate::schema::ParamSet;
    use crate::sim::unify::Feel;

    #[test]
    fn numbers_of_a_sway_sway_so_whatever_the_bone_and_the_scale() {
        for (length, scale) in [(0.05, 1.0), (0.2, 1.0), (10.0, 100.0)] {
            let mut system = ParamSet::defaults(PARAMS);
            system.set(MODEL_SCALE, scale);
            let joint = ParamSet::defaults(PARAMS);
            let now = Numbers { joint: &joint, system: &system, length, carried: 0.0, frame: 1.0 / 60.0 };
            let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.8, acceleration: 2.0 };
            let wanted = Sway { radius: Some(0.02), ..Sway::new(feel, Vec3::new(0.6, -0.8, 0.0)) };
            let mut made = joint.clone();
            for (row, value) in Vrm::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = Vrm::sway(&Numbers { joint: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.8).abs() < 1e-3, "{found:?}");
            assert!((found.pull - wanted.pull).length() < 1e-3 && (found.radius.expect("one") - 0.02).abs() < 1e-6);
        }
    }

    #[test]
    fn a_swing_that_vrm_cannot_keep_up_gets_no_drag_at_all() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        let wild = Sway::new(Feel { frequency_hz: 8.0, damping_ratio: 0.0, acceleration: 0.0 }, Vec3::ZERO);
        assert!(Vrm::numbers(&wild, &now).contains(&(DRAG, 0.0)));
    }
}
