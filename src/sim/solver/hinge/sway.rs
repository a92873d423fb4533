//! A hinge's numbers in terms that every solver shares, for one whose centre of mass hangs straight below its axis.
//!
//! Gravity is what brings such a hinge back, so that weight and speed go together; what gravity lacks, the spring adds.

use super::step::{PULL_OMAKE, SELF_FULL, SELF_OMAKE};
use super::{DAMPING, GRAVITY_SCALE, Hinge, INERTIA_SCALE, MAX_ANGLE, MIN_ANGLE, Params, SPRING, System, Variant};
use crate::schema::Row;
use crate::sim::unify::Linear;
use crate::sim::{Dynamics as _, FeelMap, Numbers, Sway};
use glam::Vec3;

/// What gravity pulls back, 1/s², where a joint's share of it is whole.
fn gravity_pull(radius: f32, system: System) -> f32 {
    let degree = std::f32::consts::PI / 180.0;
    match system.variant {
        Variant::Omake => PULL_OMAKE * degree * system.gravity / 9.8,
        _ if radius <= 0.0 => 0.0,
        _ => system.gravity / radius * if system.physical { 1.0 } else { degree },
    }
}

/// Share of its speed that a hinge loses in each step by feeling its own turn.
fn braked(radius: f32, inertia: f32, system: System) -> f32 {
    match system.variant {
        Variant::Full if !system.physical => SELF_FULL * inertia,
        Variant::Omake => SELF_OMAKE * radius * inertia,
        _ => 0.0,
    }
}

/// A joint's and its system's numbers.
fn baked(numbers: &Numbers<'_>) -> (Params, System) {
    (Hinge::bake(|row| numbers.joint.get(row)), Hinge::bake_system(|row| numbers.system.get(row)))
}

impl FeelMap for Hinge {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let (p, system) = baked(numbers);
        let (h, radius) = (numbers.frame, p.center.length());
        let weight = gravity_pull(radius, system) * p.gravity;
        let slowed = 1.0 + p.damping * h;
        let linear = Linear {
            kept: f64::from((1.0 - braked(radius, p.inertia, system)) / slowed),
            pulled: f64::from((weight + p.spring) * h * h / slowed),
            pushed: f64::from(weight * radius * h * h),
        };
        let limited = system.variant != Variant::Gravity;
        let reach = (p.limits.1 - p.rest_angle).abs().min((p.rest_angle - p.limits.0).abs());
        let felt = if limited { p.inertia } else { 0.0 };
        Sway {
            follow: Some((1.0 - felt).clamp(0.0, 1.0)),
            reach_deg: limited.then_some(reach),
            ..Sway::new(linear.to_feel(h), Vec3::NEG_Y)
        }
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let (p, system) = baked(now);
        let (h, radius) = (now.frame, p.center.length());
        let inertia = sway.follow.map_or(p.inertia, |follow| (1.0 - follow).clamp(0.0, 1.0));
        let feel = sway.feel_along(Vec3::NEG_Y);
        let linear = feel.to_linear(h);
        let kept = (linear.kept as f32).max(f32::EPSILON);
        let damping = (((1.0 - braked(radius, inertia, system)) / kept - 1.0) / h).max(0.0);
        let pull = (linear.pulled as f32) * (1.0 + damping * h) / (h * h);
        let whole = gravity_pull(radius, system);
        let wanted = if radius > 0.0 { feel.acceleration / radius } else { 0.0 };
        // No heavier than the speed allows.
        let weight = wanted.clamp(0.0, pull.max(0.0));
        let share = if whole > 0.0 { weight / whole } else { p.gravity };
        let spring = if whole > 0.0 { pull - weight } else { pull };
        let mut numbers = vec![(GRAVITY_SCALE, share), (DAMPING, damping), (SPRING, spring.max(0.0))];
        if sway.follow.is_some() && system.variant != Variant::Gravity {
            numbers.push((INERTIA_SCALE, inertia));
        }
        if let Some(reach) = sway.reach_deg {
            numbers.extend([(MIN_ANGLE, p.rest_angle - reach), (MAX_ANGLE, p.rest_angle + reach)]);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PARAMS, PHYSICAL, VARIANT};
    use super::*;
    use crate::schema::ParamSet;
    use crate::sim::unify::Feel;

    #[test]
    fn numbers_of_a_sway_sway_so_under_every_listing() {
        for (variant, physical) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            system.set(VARIANT, variant);
            system.set(PHYSICAL, physical);
            let now = Numbers { joint: &joint, system: &system, length: 0.19, carried: 0.0, frame: 1.0 / 60.0 };
            let feel = Feel { frequency_hz: 2.0, damping_ratio: 0.5, acceleration: 4.0 };
            let wanted = Sway { follow: Some(0.7), reach_deg: Some(40.0), ..Sway::new(feel, Vec3::NEG_Y) };
            let mut made = joint.clone();
            for (row, value) in Hinge::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = Hinge::sway(&Numbers { joint: &made, ..now });
            assert!((found.frequency_hz - 2.0).abs() < 0.01 && (found.damping_ratio - 0.5).abs() < 0.01, "{found:?}");
            assert!((found.pull - wanted.pull).length() < 0.01, "{variant} {physical}: {found:?}");
            let limited = variant > 0.0;
            assert_eq!(found.reach_deg, limited.then_some(40.0));
            assert!((found.follow.expect("one") - if limited { 0.7 } else { 1.0 }).abs() < 1e-6);
        }
    }

    #[test]
    fn a_physical_hinge_swings_as_a_pendulum_of_its_length() {
        let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        system.set(VARIANT, 0.0);
        system.set(PHYSICAL, 1.0);
        let now = Numbers { joint: &joint, system: &system, length: 0.19, carried: 0.0, frame: 1.0 / 240.0 };
        let found = Hinge::sway(&now);
        let pendulum = (9.8_f32 / 0.19).sqrt() / std::f32::consts::TAU;
        assert!((found.frequency_hz / pendulum - 1.0).abs() < 1e-2, "{found:?}");
        assert!((found.pull.y + 9.8).abs() < 1e-2);
    }
}
