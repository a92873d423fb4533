//! `AnimDynamics`' numbers in terms that every solver shares: one bone alone, swinging about its joint.

use super::bake::{box_inertia, effective_damping};
use super::force::{offset_removed, velocity_retention};
use super::params::{
    ANGULAR_CONSTRAINT_TYPE, ANGULAR_DAMPING, ANGULAR_LIMITS_MAX, ANGULAR_LIMITS_MIN, ANGULAR_SPRING,
    ANGULAR_SPRING_CONSTANT, ANGULAR_TARGET_AXIS, BODY_ORIGIN, BOX_EXTENTS, COLLISION_TYPE, COMPONENT_ACC_SCALE,
    CONE_ANGLE, EXTERNAL_FORCE, GRAVITY_OVERRIDE, GRAVITY_SCALE, LINEAR_DAMPING, LINEAR_SPRING, LINEAR_SPRING_CONSTANT,
    LOCAL_JOINT_OFFSET, OVERRIDE_ANGULAR_DAMPING, OVERRIDE_LINEAR_DAMPING, SIMULATION_SPACE, SPHERE_COLLISION_RADIUS,
    SUBSTEP_RATE, TWIST_AXIS, USE_GRAVITY_OVERRIDE,
};
use super::step::step_seconds;
use super::{AnimDynamics, MASS, bake};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::{LinearRecurrence, SpringFeel};
use crate::sim::response::median_vector;
use crate::sim::{FeelParam, ResponseInput, ResponseModel, SpringResponse, UNLIMITED_ANGLE_DEG};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::IgnoreMotion, "AnimDynamics ignores the body's motion only as a whole, by its simulation space.")];

/// The greatest damping that is not a full stop: the last number before 1.
const MAX_DAMPING: f64 = 1.0 - 6e-8;
/// Choices of the simulation space.
const COMPONENT_SPACE: f32 = 0.0;
const WORLD_SPACE: f32 = 2.0;
/// The cone opens no wider, degrees.
const MAX_CONE_DEG: f32 = 90.0;

/// Pulls that differ less from straight down need no gravity of their own: the cosine of the angle.
const DOWN_COSINE: f32 = 0.9998;

/// How a body resists a swing about its joint, kg m².
#[derive(Clone, Copy, Debug)]
struct SwingInertia {
    /// Of the box and of the lever together.
    total: f32,
    /// The same with the bodies further down the chain, where bodies have a lever and their joints are on the bones.
    with_children: f32,
    /// Share of it that is the lever's.
    lever_fraction: f32,
    /// From the center to the joint, metres.
    lever: f32,
}

/// Over the two directions across the bone: the target axis, else the lever, else all three alike.
fn swing_inertia(numbers: &ResponseInput<'_>) -> SwingInertia {
    let own = box_inertia(numbers.joint_param_vector(BOX_EXTENTS));
    let lever = numbers.joint_param_vector(LOCAL_JOINT_OFFSET);
    let squared = lever.length_squared();
    let axis = match numbers.joint_params.get(ANGULAR_TARGET_AXIS).round() as usize {
        at @ 1..=3 => Some(Vec3::AXES[at - 1]),
        _ => lever.try_normalize(),
    };
    let across = |trace: f32, along: f32| if axis.is_some() { (trace - along) * 0.5 } else { trace / 3.0 };
    let axis = axis.unwrap_or(Vec3::ZERO);
    let turned = across(own.element_sum(), (axis * axis).dot(own));
    let carried = MASS * across(2.0 * squared, squared - lever.dot(axis).powi(2));
    let whole = turned + carried;
    // `carried` is measured from heads to tips. Bodies are there only where their joints are on the bones' heads.
    let joint_on_bone = numbers.system_params.get(BODY_ORIGIN) >= 0.5;
    let below = if joint_on_bone && squared > 0.0 { MASS * numbers.carried_inertia } else { 0.0 };
    SwingInertia { total: whole, with_children: whole + below, lever_fraction: carried / whole, lever: squared.sqrt() }
}

fn is_enabled(numbers: &ResponseInput<'_>, row: ParamId) -> bool {
    numbers.joint_params.get(row) >= 0.5
}

/// Share of an offset that the linear spring takes away per step of `h` seconds: it acts by the lever.
fn linear_spring_offset_removed(numbers: &ResponseInput<'_>, weight: SwingInertia, h: f32) -> f32 {
    if !is_enabled(numbers, LINEAR_SPRING) {
        return 0.0;
    }
    offset_removed(numbers.joint_params.get(LINEAR_SPRING_CONSTANT).max(0.0) / MASS, h) * weight.lever_fraction
}

/// What pulls at all bodies, m/s², before and after the gravity scale.
fn system_accelerations(numbers: &ResponseInput<'_>) -> (Vec3, Vec3) {
    let own = numbers.system_params.get(USE_GRAVITY_OVERRIDE) >= 0.5;
    let gravity = if own { numbers.system_param_vector(GRAVITY_OVERRIDE) } else { Vec3::NEG_Y * bake::UNREAL_GRAVITY };
    (gravity, numbers.system_param_vector(EXTERNAL_FORCE) / MASS)
}

/// How much of an acceleration of the body arrives at the tip.
fn leverage(weight: SwingInertia, length: f32) -> f32 {
    MASS * weight.lever * length / weight.total
}

impl ResponseModel for AnimDynamics {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let h = step_seconds(numbers.system_params.get(SUBSTEP_RATE), numbers.frame_seconds);
        let number = |row| numbers.joint_params.get(row);
        let weight = swing_inertia(numbers);
        let keeping = |on, row| {
            velocity_retention((1.0 - effective_damping(is_enabled(numbers, on), number(row))).max(1e-30).ln(), h)
        };
        let (placed, turned) =
            (keeping(OVERRIDE_LINEAR_DAMPING, LINEAR_DAMPING), keeping(OVERRIDE_ANGULAR_DAMPING, ANGULAR_DAMPING));
        let by_angle = if is_enabled(numbers, ANGULAR_SPRING) {
            offset_removed(number(ANGULAR_SPRING_CONSTANT).max(0.0) / weight.with_children, h)
        } else {
            0.0
        };
        let linear = LinearRecurrence {
            velocity_retention: f64::from(placed * weight.lever_fraction + turned * (1.0 - weight.lever_fraction)),
            offset_removed: f64::from(by_angle + linear_spring_offset_removed(numbers, weight, h)),
            displacement_added: 0.0,
        };
        let (gravity, push) = system_accelerations(numbers);
        let pull = (gravity * number(GRAVITY_SCALE) + push) * leverage(weight, numbers.bone_length);
        let feel = SpringFeel { acceleration: pull.length(), ..linear.to_feel(h) };
        SpringResponse {
            max_angle_deg: max_angle_deg(numbers),
            radius: (number(COLLISION_TYPE).round() == 1.0).then(|| number(SPHERE_COLLISION_RADIUS)),
            ..SpringResponse::new(feel, pull.normalize_or_zero())
        }
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params.get(SUBSTEP_RATE), now.frame_seconds);
        let weight = swing_inertia(now);
        let linear = sway.feel().to_recurrence(h);
        let lost = (1.0 - linear.velocity_retention.powf(1.0 / f64::from(h))).min(MAX_DAMPING) as f32;
        let lost = effective_damping(true, lost);
        let by_angle = (linear.offset_removed as f32 - linear_spring_offset_removed(now, weight, h)).clamp(0.0, 1.0);
        let fast = 2.0 * (by_angle.sqrt() * 0.5).asin() / h;
        let mut numbers = vec![
            (ANGULAR_SPRING, 1.0),
            (ANGULAR_SPRING_CONSTANT, fast * fast * weight.with_children),
            (OVERRIDE_LINEAR_DAMPING, 1.0),
            (LINEAR_DAMPING, lost),
            (OVERRIDE_ANGULAR_DAMPING, 1.0),
            (ANGULAR_DAMPING, lost),
        ];
        let (gravity, push) = system_accelerations(now);
        let leverage = leverage(weight, now.bone_length);
        if leverage > 0.0 && gravity.length_squared() > 0.0 {
            // Only what runs along gravity: the scale is one number.
            let scale = (sway.acceleration / leverage - push).dot(gravity) / gravity.length_squared();
            numbers.push((GRAVITY_SCALE, scale));
        }
        if let Some(reach) = sway.max_angle_deg.filter(|reach| *reach >= UNLIMITED_ANGLE_DEG) {
            numbers.push((ANGULAR_CONSTRAINT_TYPE, 0.0));
            numbers.extend(ANGULAR_LIMITS_MIN.map(|row| (row, -reach)));
            numbers.extend(ANGULAR_LIMITS_MAX.map(|row| (row, reach)));
        } else if let Some(reach) = sway.max_angle_deg {
            numbers.extend([(ANGULAR_CONSTRAINT_TYPE, 1.0), (CONE_ANGLE, reach.clamp(0.0, MAX_CONE_DEG))]);
        }
        if let Some(radius) = sway.radius {
            numbers.extend([(COLLISION_TYPE, 1.0), (SPHERE_COLLISION_RADIUS, radius)]);
        }
        numbers
    }

    /// Gravity along the common part of the joints' pulls; each joint scales it. Joints that feel most of the body's motion
    /// swing in the world, the others in the component's space with the share of its acceleration that they feel. A body's
    /// joint is on the bone's head, so that its lever moves no bone.
    fn system_params_for(joints: &[(SpringResponse, f32)], _: &ParamSet, _: f32) -> Vec<(ParamId, f32)> {
        let mut numbers = vec![(BODY_ORIGIN, 1.0)];
        let down = median_vector(joints.iter().map(|(sway, _)| sway.acceleration)).normalize_or_zero();
        if down != Vec3::ZERO && down.dot(Vec3::NEG_Y) < DOWN_COSINE {
            numbers.push((USE_GRAVITY_OVERRIDE, 1.0));
            numbers.extend(GRAVITY_OVERRIDE.into_iter().zip((down * bake::UNREAL_GRAVITY).to_array()));
        }
        let ignored = median_vector(joints.iter().map(|(sway, _)| Vec3::X * sway.ignored_motion.unwrap_or(0.0)))
            .x
            .clamp(0.0, 1.0);
        if ignored < 0.5 {
            numbers.push((SIMULATION_SPACE, WORLD_SPACE));
        } else {
            numbers.push((SIMULATION_SPACE, COMPONENT_SPACE));
            numbers.extend(COMPONENT_ACC_SCALE.map(|row| (row, 1.0 - ignored)));
        }
        numbers
    }

    /// A box as long as the bone with its center at the tip. Bodies of other shapes would not swing as the points of other
    /// engines do: a lighter box is thrown about by the child bodies, and without a lever nothing pulls at it. The
    /// body does not twist about the bone. Where the body's center is on the bone, a lever would move the bone.
    fn rigid_body_params(tip: Vec3, system: &ParamSet) -> Vec<(ParamId, f32)> {
        if system.get(BODY_ORIGIN) < 0.5 || !tip.is_finite() {
            // The engine's whole gravity would also pull through the child bodies.
            return vec![(GRAVITY_SCALE, 0.0)];
        }
        let mut numbers: Vec<(ParamId, f32)> = BOX_EXTENTS.map(|row| (row, tip.length())).to_vec();
        numbers.extend(LOCAL_JOINT_OFFSET.into_iter().zip((-tip).to_array()));
        numbers.extend([(ANGULAR_LIMITS_MIN[0], 0.0), (ANGULAR_LIMITS_MAX[0], 0.0)]);
        numbers
    }
}

/// The cone's angle, or that to the nearest end of the ranges across the twist axis.
fn max_angle_deg(numbers: &ResponseInput<'_>) -> Option<f32> {
    if is_enabled(numbers, ANGULAR_CONSTRAINT_TYPE) {
        return Some(numbers.joint_params.get(CONE_ANGLE));
    }
    let twist = match numbers.joint_params.get(TWIST_AXIS).round() as usize {
        at @ 1..=3 => at - 1,
        _ => 0,
    };
    let ends = [ANGULAR_LIMITS_MIN, ANGULAR_LIMITS_MAX].map(|rows| numbers.joint_param_vector(rows).abs());
    let across = (0..3).filter(|axis| *axis != twist).map(|axis| ends[0][axis].min(ends[1][axis]));
    Some(across.fold(UNLIMITED_ANGLE_DEG, f32::min)).filter(|reach| *reach < UNLIMITED_ANGLE_DEG)
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;

    fn joint_params(offset: Vec3, side: f32) -> ParamSet {
        let mut joint = ParamSet::defaults(PARAMS);
        let sides = BOX_EXTENTS.into_iter().map(|row| (row, side));
        for (row, value) in sides.chain(LOCAL_JOINT_OFFSET.into_iter().zip(offset.to_array())) {
            joint.set(row, value);
        }
        joint
    }

    #[test]
    fn params_for_a_response_reproduce_it_for_every_box_lever_and_step() {
        for (offset, side, rate) in
            [(Vec3::ZERO, 0.05, 0.0), (Vec3::Y * 0.1, 0.02, 0.0), (Vec3::new(0.02, -0.1, 0.0), 0.1, 120.0)]
        {
            let mut system = ParamSet::defaults(PARAMS);
            system.set(SUBSTEP_RATE, rate);
            let mut joint = joint_params(offset, side);
            joint.set(LINEAR_SPRING, 1.0);
            joint.set(LINEAR_SPRING_CONSTANT, 30.0);
            let now = ResponseInput {
                joint_params: &joint,
                system_params: &system,
                bone_length: 0.1,
                carried_inertia: 0.0,
                frame_seconds: 1.0 / 60.0,
            };
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.3, acceleration: 4.0 };
            let wanted = SpringResponse {
                radius: Some(0.02),
                max_angle_deg: Some(40.0),
                ..SpringResponse::new(feel, Vec3::NEG_Y)
            };
            let mut made = joint.clone();
            for (row, value) in AnimDynamics::params_for(&wanted, &now) {
                made.set(row, value);
            }
            let found = AnimDynamics::response(&ResponseInput { joint_params: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 3e-3 && (found.damping_ratio - 0.3).abs() < 3e-3, "{found:?}");
            assert_eq!((found.max_angle_deg, found.radius), (Some(40.0), Some(0.02)));
            if offset != Vec3::ZERO {
                assert!((found.acceleration - wanted.acceleration).length() < 1e-3, "{found:?}");
            }
        }
    }

    #[test]
    fn without_a_lever_gravity_has_no_effect() {
        let (joint, system) = (joint_params(Vec3::ZERO, 0.05), ParamSet::defaults(PARAMS));
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        assert_eq!(AnimDynamics::response(&now).acceleration, Vec3::ZERO);
        let heavy =
            SpringResponse::new(SpringFeel { frequency_hz: 2.0, damping_ratio: 0.2, acceleration: 5.0 }, Vec3::NEG_Y);
        assert!(AnimDynamics::params_for(&heavy, &now).iter().all(|(row, _)| *row != GRAVITY_SCALE));
    }

    #[test]
    fn damping_stays_between_its_effective_minimum_and_one() {
        let (joint, system) = (joint_params(Vec3::ZERO, 0.05), ParamSet::defaults(PARAMS));
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: 1.0 / 60.0,
        };
        for (ratio, expected) in [(0.0, 0.7), (5.0, MAX_DAMPING as f32)] {
            let wanted = SpringResponse::new(
                SpringFeel { frequency_hz: 4.0, damping_ratio: ratio, acceleration: 0.0 },
                Vec3::ZERO,
            );
            assert!(AnimDynamics::params_for(&wanted, &now).contains(&(ANGULAR_DAMPING, expected)), "{ratio}");
        }
        assert!((MAX_DAMPING as f32) < 1.0);
    }
}
