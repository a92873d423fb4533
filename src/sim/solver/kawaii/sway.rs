//! KawaiiPhysics' numbers in terms that every solver shares. Pulls are the system's, the same on every joint.

use super::{KawaiiPhysics, row};
use crate::schema::{ParamSet, Row};
use crate::sim::sway::common_part;
use crate::sim::unify::{Feel, Linear};
use crate::sim::{FeelMap, Numbers, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] =
    &[(Term::Weight, "KawaiiPhysics has one gravity for the whole system, none for each joint.")];

/// Least share of the offset that is told apart from all of it.
const LEAST_LEFT: f64 = 1e-9;

/// The choice of the world as simulation space.
const WORLD: f32 = 1.0;

/// A fixed step of the target rate, or the frame where steps are not fixed.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    if system.get(row::USE_FIXED_SUBSTEPPING) >= 0.5 { 1.0 / rate(system) } else { frame }
}

fn rate(system: &ParamSet) -> f32 {
    system.get(row::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0)
}

/// How many steps of the target rate one step counts for.
fn exponent(numbers: &Numbers<'_>) -> f64 {
    f64::from(rate(numbers.system)) * f64::from(step_seconds(numbers.system, numbers.frame))
}

/// Share of the way to the pose that a step of `exponent` target steps takes.
fn pulled(stiffness: f64, exponent: f64) -> f64 {
    1.0 - (1.0 - stiffness).powf(exponent)
}

/// The stiffness that takes that share.
fn stiffness(pulled: f64, exponent: f64) -> f64 {
    1.0 - (1.0 - pulled.clamp(0.0, 1.0)).powf(1.0 / exponent)
}

/// What a step of `h` seconds does.
fn linear(stiffness: f64, damping: f64, pull: f64, exponent: f64, h: f64) -> Linear {
    let pulled = pulled(stiffness, exponent);
    Linear { kept: (1.0 - pulled) * (1.0 - damping), pulled, pushed: pull * h * h * (1.0 - pulled) }
}

/// Gravity and simple force as one acceleration in the world, m/s²; directions of other spaces count as the world's.
fn pull(numbers: &Numbers<'_>, h: f32) -> Vec3 {
    numbers.system_vector(row::GRAVITY) * gravity_factor(numbers.system) + simple_force(numbers.system, h)
}

/// The acceleration of one unit of gravity.
fn gravity_factor(system: &ParamSet) -> f32 {
    let factor = if system.get(row::USE_PROJECT_GRAVITY) >= 0.5 { 980.0 } else { 1.0 };
    let half = if system.get(row::USE_LEGACY_GRAVITY) >= 0.5 { 0.5 } else { 1.0 };
    factor * half
}

/// The simple external force, a speed, as an acceleration, m/s².
fn simple_force(system: &ParamSet, h: f32) -> Vec3 {
    Vec3::from(row::SIMPLE_EXTERNAL_FORCE.map(|row| system.get(row))) / h
}

impl FeelMap for KawaiiPhysics {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let number = |row: Row| numbers.joint.get(row);
        let share = |row: Row| f64::from(number(row)).clamp(0.0, 1.0);
        let h = step_seconds(numbers.system, numbers.frame);
        let pull = pull(numbers, h);
        let strength = f64::from(pull.length());
        let linear = linear(share(row::STIFFNESS), share(row::DAMPING), strength, exponent(numbers), f64::from(h));
        let limit = number(row::LIMIT_ANGLE);
        Sway {
            follow: Some(number(row::WORLD_DAMPING_LOCATION)),
            reach_deg: (limit > 0.0).then_some(limit),
            radius: Some(number(row::RADIUS)),
            ..Sway::new(linear.to_feel(h), pull.normalize_or_zero())
        }
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let h = step_seconds(now.system, now.frame);
        let linear = Feel { acceleration: 0.0, ..sway.feel() }.to_linear(h);
        let pulled = linear.pulled.clamp(0.0, 1.0);
        let damping = if pulled < 1.0 { 1.0 - linear.kept / (1.0 - pulled) } else { 0.0 };
        let mut numbers = vec![
            (row::STIFFNESS, stiffness(pulled, exponent(now)).clamp(0.0, 1.0) as f32),
            (row::DAMPING, damping.clamp(0.0, 1.0) as f32),
        ];
        if let Some(follow) = sway.follow {
            let follow = follow.clamp(0.0, 1.0);
            numbers.extend([(row::WORLD_DAMPING_LOCATION, follow), (row::WORLD_DAMPING_ROTATION, follow)]);
        }
        // 0 would open the cone altogether.
        numbers.extend(sway.reach_deg.map(|reach| (row::LIMIT_ANGLE, reach.clamp(0.01, 180.0))));
        numbers.extend(sway.radius.map(|radius| (row::RADIUS, radius.max(0.0))));
        numbers
    }

    /// One gravity for all joints of a node: the common part of what each of them would need.
    fn system_numbers(joints: &[(Sway, f32)], system: &ParamSet, frame: f32) -> Vec<(Row, f32)> {
        let h = step_seconds(system, frame);
        let wanted = joints.iter().map(|(sway, _)| {
            let left = (1.0 - sway.feel().to_linear(h).pulled).max(LEAST_LEFT) as f32;
            sway.pull / left
        });
        let gravity = (common_part(wanted) - simple_force(system, h)) / gravity_factor(system);
        let numbers = row::GRAVITY.into_iter().zip(gravity.to_array());
        // Under full motion of its component the solver counts that motion as a speed in every step.
        let world = joints.iter().all(|(sway, _)| sway.follow.unwrap_or(0.0) <= 0.0);
        numbers.chain(world.then_some((row::SIMULATION_SPACE, WORLD))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;

    #[track_caller]
    fn check(system: &[(Row, f32)], frame: f32) {
        let joint = ParamSet::defaults(PARAMS);
        let mut values = ParamSet::defaults(PARAMS);
        for (row, value) in system {
            values.set(*row, *value);
        }
        let now = Numbers { joint: &joint, system: &values, length: 0.1, carried: 0.0, frame };
        let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let wanted =
            Sway { follow: Some(0.3), reach_deg: Some(25.0), radius: Some(0.02), ..Sway::new(feel, Vec3::ZERO) };
        let mut made = joint.clone();
        for (row, value) in KawaiiPhysics::numbers(&wanted, &now) {
            made.set(row, value);
        }
        let found = KawaiiPhysics::sway(&Numbers { joint: &made, ..now });
        assert!((found.frequency_hz - 3.0).abs() < 1e-3 && (found.damping_ratio - 0.4).abs() < 1e-3, "{found:?}");
        assert_eq!((found.follow, found.reach_deg, found.radius), (Some(0.3), Some(25.0), Some(0.02)));
    }

    #[test]
    fn numbers_of_a_sway_sway_so_with_fixed_steps_and_without() {
        check(&[], 1.0 / 60.0);
        check(&[(row::TARGET_FRAMERATE, 90.0)], 1.0 / 60.0);
        check(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 72.0);
    }

    #[test]
    fn three_hertz_at_forty_percent_has_the_engines_numbers() {
        let set = ParamSet::defaults(PARAMS);
        let now = Numbers { joint: &set, system: &set, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let made = KawaiiPhysics::numbers(&Sway::new(feel, Vec3::ZERO), &now);
        assert!((made[0].1 - 0.0866).abs() < 2e-4 && (made[1].1 - 0.1485).abs() < 3e-4, "{made:?}");
        let fresh = KawaiiPhysics::sway(&now);
        assert!((fresh.frequency_hz - 2.2).abs() < 0.05 && (fresh.damping_ratio - 0.34).abs() < 0.01, "{fresh:?}");
    }

    #[test]
    fn gravity_and_simple_force_are_one_pull() {
        let mut set = ParamSet::defaults(PARAMS);
        set.set(row::GRAVITY[1], -9.8);
        let pull = |set: &ParamSet| {
            KawaiiPhysics::sway(&Numbers { joint: set, system: set, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 })
                .pull
                .y
        };
        assert!((pull(&set) + 9.8 * 0.95).abs() < 1e-3);
        set.set(row::USE_LEGACY_GRAVITY, 1.0);
        assert!((pull(&set) + 4.9 * 0.95).abs() < 1e-3);
        set.set(row::SIMPLE_EXTERNAL_FORCE[1], 0.1);
        assert!((pull(&set) - (-4.9 + 6.0) * 0.95).abs() < 1e-3);
    }
}
