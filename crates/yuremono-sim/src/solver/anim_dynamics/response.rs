//! Spring response of a single bone that swings about its joint.

use super::build::{box_inertia, effective_damping};
use super::force::{offset_removed, velocity_retention};
use super::params::{
    ANGULAR_CONSTRAINT_TYPE, ANGULAR_DAMPING, ANGULAR_LIMITS_MAX, ANGULAR_LIMITS_MIN, ANGULAR_SPRING,
    ANGULAR_SPRING_CONSTANT, ANGULAR_TARGET_AXIS, BODY_ORIGIN, BOX_EXTENTS, COLLISION_TYPE, COMPONENT_ACC_SCALE,
    CONE_ANGLE, EXTERNAL_FORCE, GRAVITY_OVERRIDE, GRAVITY_SCALE, LINEAR_DAMPING, LINEAR_SPRING, LINEAR_SPRING_CONSTANT,
    LOCAL_JOINT_OFFSET, OVERRIDE_ANGULAR_DAMPING, OVERRIDE_LINEAR_DAMPING, SIMULATION_SPACE, SPHERE_COLLISION_RADIUS,
    SUBSTEP_RATE, TWIST_AXIS, USE_GRAVITY_OVERRIDE,
};
use super::step::step_seconds;
use super::{AnimDynamics, MASS, build};
use crate::linear_spring::{LinearRecurrence, SpringFeel};
use crate::params::{ParamId, ParamSet};
use crate::response::median_vector;
use crate::{FeelParam, ResponseInput, ResponseModel, SpringResponse, UNLIMITED_ANGLE_DEG};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::IgnoreMotion, "AnimDynamics ignores the body's motion only as a whole, by its simulation space.")];

/// Maximum damping that does not stop all motion: the last `f32` before 1.
const MAX_DAMPING: f64 = 1.0 - 6e-8;
/// Values of the simulation space parameter.
const COMPONENT_SPACE: f32 = 0.0;
const WORLD_SPACE: f32 = 2.0;
/// Maximum cone angle, in degrees.
const MAX_CONE_DEG: f32 = 90.0;

/// Minimum cosine between an acceleration and straight down for which no gravity override is needed.
const DOWN_COSINE: f32 = 0.9998;

/// Inertia of a swing about the joint, in kg m².
#[derive(Clone, Copy, Debug)]
struct SwingInertia {
    /// Inertia of the box and its lever.
    total: f32,
    /// Inertia including the bodies further down the chain. They only count if bodies have levers and joints are at the
    /// bones' heads.
    with_children: f32,
    /// Share of the inertia that is due to the lever.
    lever_fraction: f32,
    /// Distance from the center to the joint, in metres.
    lever: f32,
}

/// Returns the mean inertia over the directions perpendicular to the target axis; without a target axis, to the lever;
/// without both, over all axes.
fn swing_inertia(input: &ResponseInput<'_>) -> SwingInertia {
    let own = box_inertia(input.joint_param_vector(BOX_EXTENTS));
    let lever = input.joint_param_vector(LOCAL_JOINT_OFFSET);
    let squared = lever.length_squared();
    let axis = match input.joint_params.get(ANGULAR_TARGET_AXIS).round() as usize {
        at @ 1..=3 => Some(Vec3::AXES[at - 1]),
        _ => lever.try_normalize(),
    };
    let across = |trace: f32, along: f32| if axis.is_some() { (trace - along) * 0.5 } else { trace / 3.0 };
    let axis = axis.unwrap_or(Vec3::ZERO);
    let turned = across(own.element_sum(), (axis * axis).dot(own));
    let carried = MASS * across(2.0 * squared, squared - lever.dot(axis).powi(2));
    let whole = turned + carried;
    // `carried_inertia` assumes that the masses are at the tips, which is only true if joints are at the bones' heads.
    let joint_on_bone = input.system_params.get(BODY_ORIGIN) >= 0.5;
    let below = if joint_on_bone && squared > 0.0 { MASS * input.carried_inertia } else { 0.0 };
    SwingInertia { total: whole, with_children: whole + below, lever_fraction: carried / whole, lever: squared.sqrt() }
}

fn is_enabled(input: &ResponseInput<'_>, param: ParamId) -> bool {
    input.joint_params.get(param) >= 0.5
}

/// Returns the share of an offset that the linear spring removes, through the lever, per step of `h` seconds.
fn linear_spring_offset_removed(input: &ResponseInput<'_>, inertia: SwingInertia, h: f32) -> f32 {
    if !is_enabled(input, LINEAR_SPRING) {
        return 0.0;
    }
    offset_removed(input.joint_params.get(LINEAR_SPRING_CONSTANT).max(0.0) / MASS, h) * inertia.lever_fraction
}

/// Returns the accelerations of all bodies, in m/s²: the gravity that the gravity scale multiplies, and the external
/// acceleration.
fn system_accelerations(input: &ResponseInput<'_>) -> (Vec3, Vec3) {
    let own = input.system_params.get(USE_GRAVITY_OVERRIDE) >= 0.5;
    let gravity = if own { input.system_param_vector(GRAVITY_OVERRIDE) } else { Vec3::NEG_Y * build::UNREAL_GRAVITY };
    (gravity, input.system_param_vector(EXTERNAL_FORCE) / MASS)
}

/// Returns the share of a body's acceleration that acts at the tip.
fn leverage(inertia: SwingInertia, length: f32) -> f32 {
    MASS * inertia.lever * length / inertia.total
}

impl ResponseModel for AnimDynamics {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let h = step_seconds(input.system_params.get(SUBSTEP_RATE), input.frame_seconds);
        let number = |param| input.joint_params.get(param);
        let inertia = swing_inertia(input);
        let keeping = |on, param| {
            velocity_retention(
                libm::logf((1.0 - effective_damping(is_enabled(input, on), number(param))).max(1e-30)),
                h,
            )
        };
        let (placed, turned) =
            (keeping(OVERRIDE_LINEAR_DAMPING, LINEAR_DAMPING), keeping(OVERRIDE_ANGULAR_DAMPING, ANGULAR_DAMPING));
        let by_angle = if is_enabled(input, ANGULAR_SPRING) {
            offset_removed(number(ANGULAR_SPRING_CONSTANT).max(0.0) / inertia.with_children, h)
        } else {
            0.0
        };
        let linear = LinearRecurrence {
            velocity_retention: f64::from(placed * inertia.lever_fraction + turned * (1.0 - inertia.lever_fraction)),
            offset_removed: f64::from(by_angle + linear_spring_offset_removed(input, inertia, h)),
            displacement_added: 0.0,
        };
        let (gravity, push) = system_accelerations(input);
        let pull = (gravity * number(GRAVITY_SCALE) + push) * leverage(inertia, input.bone_length);
        let feel = SpringFeel { acceleration: pull.length(), ..linear.to_feel(h) };
        SpringResponse {
            max_angle_deg: max_angle_deg(input),
            radius: (number(COLLISION_TYPE).round() == 1.0).then(|| number(SPHERE_COLLISION_RADIUS)),
            ..SpringResponse::new(feel, pull.normalize_or_zero())
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params.get(SUBSTEP_RATE), now.frame_seconds);
        let inertia = swing_inertia(now);
        let linear = response.feel().to_recurrence(h);
        let lost = (1.0 - libm::pow(linear.velocity_retention, 1.0 / f64::from(h))).min(MAX_DAMPING) as f32;
        let lost = effective_damping(true, lost);
        let by_angle = (linear.offset_removed as f32 - linear_spring_offset_removed(now, inertia, h)).clamp(0.0, 1.0);
        let fast = 2.0 * libm::asinf(by_angle.sqrt() * 0.5) / h;
        let mut numbers = vec![
            (ANGULAR_SPRING, 1.0),
            (ANGULAR_SPRING_CONSTANT, fast * fast * inertia.with_children),
            (OVERRIDE_LINEAR_DAMPING, 1.0),
            (LINEAR_DAMPING, lost),
            (OVERRIDE_ANGULAR_DAMPING, 1.0),
            (ANGULAR_DAMPING, lost),
        ];
        let (gravity, push) = system_accelerations(now);
        let leverage = leverage(inertia, now.bone_length);
        if leverage > 0.0 && gravity.length_squared() > 0.0 {
            // The gravity scale is a single factor, so only the component along gravity can be reached.
            let scale = (response.acceleration / leverage - push).dot(gravity) / gravity.length_squared();
            numbers.push((GRAVITY_SCALE, scale));
        }
        if let Some(reach) = response.max_angle_deg.filter(|reach| *reach >= UNLIMITED_ANGLE_DEG) {
            numbers.push((ANGULAR_CONSTRAINT_TYPE, 0.0));
            numbers.extend(ANGULAR_LIMITS_MIN.map(|param| (param, -reach)));
            numbers.extend(ANGULAR_LIMITS_MAX.map(|param| (param, reach)));
        } else if let Some(reach) = response.max_angle_deg {
            numbers.extend([(ANGULAR_CONSTRAINT_TYPE, 1.0), (CONE_ANGLE, reach.clamp(0.0, MAX_CONE_DEG))]);
        }
        if let Some(radius) = response.radius {
            numbers.extend([(COLLISION_TYPE, 1.0), (SPHERE_COLLISION_RADIUS, radius)]);
        }
        numbers
    }

    /// Gravity has the direction of the joints' median acceleration, and each joint scales it. If most joints follow
    /// the body's motion, the simulation space is the world. Otherwise it is the component, with a share of the
    /// component's acceleration. Joints are at the bones' heads, so levers do not move bones.
    fn system_params_for(joints: &[(SpringResponse, f32)], _: &ParamSet, _: f32) -> Vec<(ParamId, f32)> {
        let mut numbers = vec![(BODY_ORIGIN, 1.0)];
        let down = median_vector(joints.iter().map(|(response, _)| response.acceleration)).normalize_or_zero();
        if down != Vec3::ZERO && down.dot(Vec3::NEG_Y) < DOWN_COSINE {
            numbers.push((USE_GRAVITY_OVERRIDE, 1.0));
            numbers.extend(GRAVITY_OVERRIDE.into_iter().zip((down * build::UNREAL_GRAVITY).to_array()));
        }
        let ignored =
            median_vector(joints.iter().map(|(response, _)| Vec3::X * response.ignored_motion.unwrap_or(0.0)))
                .x
                .clamp(0.0, 1.0);
        if ignored < 0.5 {
            numbers.push((SIMULATION_SPACE, WORLD_SPACE));
        } else {
            numbers.push((SIMULATION_SPACE, COMPONENT_SPACE));
            numbers.extend(COMPONENT_ACC_SCALE.map(|param| (param, 1.0 - ignored)));
        }
        numbers
    }

    /// The box is as long as the bone and has its center at the tip, so it behaves like a point of the other solvers.
    /// Child bodies would throw a lighter box around, and forces have no effect without a lever. The body does not
    /// twist about the bone. If the body's center is at the bone's head, the parameters stay unchanged except for the
    /// gravity scale, because a lever would move the bone.
    fn rigid_body_params(tip: Vec3, system: &ParamSet) -> Vec<(ParamId, f32)> {
        if system.get(BODY_ORIGIN) < 0.5 || !tip.is_finite() {
            // Unreal's full gravity would also pull on the bone through the child bodies.
            return vec![(GRAVITY_SCALE, 0.0)];
        }
        let mut numbers: Vec<(ParamId, f32)> = BOX_EXTENTS.map(|param| (param, tip.length())).to_vec();
        numbers.extend(LOCAL_JOINT_OFFSET.into_iter().zip((-tip).to_array()));
        numbers.extend([(ANGULAR_LIMITS_MIN[0], 0.0), (ANGULAR_LIMITS_MAX[0], 0.0)]);
        numbers
    }
}

/// Returns the cone angle, or the narrowest angle range about an axis other than the twist axis.
fn max_angle_deg(input: &ResponseInput<'_>) -> Option<f32> {
    if is_enabled(input, ANGULAR_CONSTRAINT_TYPE) {
        return Some(input.joint_params.get(CONE_ANGLE));
    }
    let twist = match input.joint_params.get(TWIST_AXIS).round() as usize {
        at @ 1..=3 => at - 1,
        _ => 0,
    };
    let ends = [ANGULAR_LIMITS_MIN, ANGULAR_LIMITS_MAX].map(|rows| input.joint_param_vector(rows).abs());
    let across = (0..3).filter(|axis| *axis != twist).map(|axis| ends[0][axis].min(ends[1][axis]));
    Some(across.fold(UNLIMITED_ANGLE_DEG, f32::min)).filter(|reach| *reach < UNLIMITED_ANGLE_DEG)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ResponseCase, check_feel};

    fn case(offset: Vec3, side: f32, rate: f32) -> ResponseCase<AnimDynamics> {
        let sides = BOX_EXTENTS.into_iter().map(|param| (param, side));
        let joint: Vec<_> = sides.chain(LOCAL_JOINT_OFFSET.into_iter().zip(offset.to_array())).collect();
        ResponseCase::new(&joint, &[(SUBSTEP_RATE, rate)])
    }

    #[test]
    fn params_for_a_response_reproduce_it_for_every_box_lever_and_step() {
        for (offset, side, rate) in
            [(Vec3::ZERO, 0.05, 0.0), (Vec3::Y * 0.1, 0.02, 0.0), (Vec3::new(0.02, -0.1, 0.0), 0.1, 120.0)]
        {
            let mut case = case(offset, side, rate);
            case.joint.set(LINEAR_SPRING, 1.0);
            case.joint.set(LINEAR_SPRING_CONSTANT, 30.0);
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.3, acceleration: 4.0 };
            let target = SpringResponse {
                radius: Some(0.02),
                max_angle_deg: Some(40.0),
                ..SpringResponse::new(feel, Vec3::NEG_Y)
            };
            let found = case.round_trip(&target);
            check_feel(&found, [3.0, 0.3], [3e-3; 2]);
            assert_eq!((found.max_angle_deg, found.radius), (Some(40.0), Some(0.02)));
            if offset != Vec3::ZERO {
                assert!((found.acceleration - target.acceleration).length() < 1e-3, "{found:?}");
            }
        }
    }

    #[test]
    fn without_a_lever_gravity_has_no_effect() {
        let case = case(Vec3::ZERO, 0.05, 0.0);
        assert_eq!(case.response().acceleration, Vec3::ZERO);
        let heavy =
            SpringResponse::new(SpringFeel { frequency_hz: 2.0, damping_ratio: 0.2, acceleration: 5.0 }, Vec3::NEG_Y);
        assert!(case.params_for(&heavy).iter().all(|(param, _)| *param != GRAVITY_SCALE));
    }

    #[test]
    fn damping_stays_between_its_effective_minimum_and_one() {
        for (damping_ratio, expected) in [(0.0, 0.7), (5.0, MAX_DAMPING as f32)] {
            let feel = SpringFeel { frequency_hz: 4.0, damping_ratio, acceleration: 0.0 };
            let found = case(Vec3::ZERO, 0.05, 0.0).params_for(&SpringResponse::new(feel, Vec3::ZERO));
            assert!(found.contains(&(ANGULAR_DAMPING, expected)), "{damping_ratio}");
        }
        assert!((MAX_DAMPING as f32) < 1.0);
    }
}
