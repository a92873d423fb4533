//! A hinge's numbers in terms that every solver shares, for one whose centre of mass hangs straight below its axis.
//!
//! Gravity is what brings such a hinge back, so that weight and speed go together; what gravity lacks, the spring adds.

use super::step::{FULL_SELF_DAMPING, HAND_TUNED_GRAVITY, HAND_TUNED_SELF_DAMPING};
use super::{DAMPING, GRAVITY_SCALE, Hinge, HingeVariant, INERTIA_SCALE, MAX_ANGLE, MIN_ANGLE, Params, SPRING, System};
use crate::params::ParamId;
use crate::sim::linear_spring::LinearRecurrence;
use crate::sim::{Dynamics as _, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

/// What gravity pulls back, 1/s², where a joint's share of it is whole.
fn gravity_stiffness(radius: f32, system: System) -> f32 {
    let degree = std::f32::consts::PI / 180.0;
    match system.variant {
        HingeVariant::HandTuned => HAND_TUNED_GRAVITY * degree * system.gravity / 9.8,
        _ if radius <= 0.0 => 0.0,
        _ => system.gravity / radius * if system.physical { 1.0 } else { degree },
    }
}

/// Share of its speed that a hinge loses in each step by feeling its own turn.
fn self_damping(radius: f32, inertia: f32, system: System) -> f32 {
    match system.variant {
        HingeVariant::Full if !system.physical => FULL_SELF_DAMPING * inertia,
        HingeVariant::HandTuned => HAND_TUNED_SELF_DAMPING * radius * inertia,
        _ => 0.0,
    }
}

/// A joint's and its system's numbers.
fn bake_params(numbers: &ResponseInput<'_>) -> (Params, System) {
    (Hinge::bake(|row| numbers.joint_params.get(row)), Hinge::bake_system(|row| numbers.system_params.get(row)))
}

impl ResponseModel for Hinge {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let (p, system) = bake_params(numbers);
        let (h, radius) = (numbers.frame_seconds, p.center.length());
        let weight = gravity_stiffness(radius, system) * p.gravity;
        let slowed = 1.0 + p.damping * h;
        let linear = LinearRecurrence {
            velocity_retention: f64::from((1.0 - self_damping(radius, p.inertia, system)) / slowed),
            offset_removed: f64::from((weight + p.spring) * h * h / slowed),
            displacement_added: f64::from(weight * radius * h * h),
        };
        let limited = system.variant != HingeVariant::Gravity;
        let reach = (p.limits.1 - p.rest_angle).abs().min((p.rest_angle - p.limits.0).abs());
        let felt = if limited { p.inertia } else { 0.0 };
        SpringResponse {
            ignored_motion: Some((1.0 - felt).clamp(0.0, 1.0)),
            max_angle_deg: limited.then_some(reach),
            ..SpringResponse::new(linear.to_feel(h), Vec3::NEG_Y)
        }
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let (p, system) = bake_params(now);
        let (h, radius) = (now.frame_seconds, p.center.length());
        let inertia = sway.ignored_motion.map_or(p.inertia, |follow| (1.0 - follow).clamp(0.0, 1.0));
        let feel = sway.feel_along(Vec3::NEG_Y);
        let linear = feel.to_recurrence(h);
        let kept = (linear.velocity_retention as f32).max(f32::EPSILON);
        let damping = (((1.0 - self_damping(radius, inertia, system)) / kept - 1.0) / h).max(0.0);
        let pull = (linear.offset_removed as f32) * (1.0 + damping * h) / (h * h);
        let whole = gravity_stiffness(radius, system);
        let wanted = if radius > 0.0 { feel.acceleration / radius } else { 0.0 };
        // No heavier than the speed allows.
        let weight = wanted.clamp(0.0, pull.max(0.0));
        let share = if whole > 0.0 { weight / whole } else { p.gravity };
        let spring = if whole > 0.0 { pull - weight } else { pull };
        let mut numbers = vec![(GRAVITY_SCALE, share), (DAMPING, damping), (SPRING, spring.max(0.0))];
        if sway.ignored_motion.is_some() && system.variant != HingeVariant::Gravity {
            numbers.push((INERTIA_SCALE, inertia));
        }
        if let Some(reach) = sway.max_angle_deg {
            numbers.extend([(MIN_ANGLE, p.rest_angle - reach), (MAX_ANGLE, p.rest_angle + reach)]);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PARAMS, PHYSICAL, VARIANT};
    use super::*;
    use crate::params::ParamSet;
    use crate::sim::linear_spring::SpringFeel;

    #[test]
    fn params_for_a_response_reproduce_it_in_every_variant() {
        for (variant, physical) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
            system.set(VARIANT, variant);
            system.set(PHYSICAL, physical);
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: 0.19,
                carried_inertia: 0.0,
                frame_seconds: 1.0 / 60.0,
            };
            let feel = SpringFeel { frequency_hz: 2.0, damping_ratio: 0.5, acceleration: 4.0 };
            let wanted = SpringResponse {
                ignored_motion: Some(0.7),
                max_angle_deg: Some(40.0),
                ..SpringResponse::new(feel, Vec3::NEG_Y)
            };
            let mut made = joint.clone();
            for (row, value) in Hinge::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = Hinge::response(&ResponseInput { joint_params: &made, ..now });
            assert!((found.frequency_hz - 2.0).abs() < 0.01 && (found.damping_ratio - 0.5).abs() < 0.01, "{found:?}");
            assert!((found.acceleration - wanted.acceleration).length() < 0.01, "{variant} {physical}: {found:?}");
            let limited = variant > 0.0;
            assert_eq!(found.max_angle_deg, limited.then_some(40.0));
            assert!((found.ignored_motion.expect("one") - if limited { 0.7 } else { 1.0 }).abs() < 1e-6);
        }
    }

    #[test]
    fn a_physical_hinge_swings_like_a_pendulum_of_its_length() {
        let (joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        system.set(VARIANT, 0.0);
        system.set(PHYSICAL, 1.0);
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.19,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 240.0,
        };
        let found = Hinge::response(&now);
        let pendulum = (9.8_f32 / 0.19).sqrt() / std::f32::consts::TAU;
        assert!((found.frequency_hz / pendulum - 1.0).abs() < 1e-2, "{found:?}");
        assert!((found.acceleration.y + 9.8).abs() < 1e-2);
    }
}
