//! The parameter table of the hinge, and its spring response. The names `angle`, `velocity`, `relativeCenter` and
//! `restitution` are from the hinge article.
//!
//! The response assumes a centre of mass straight below the axis. Gravity is the restoring force, so weight and
//! frequency are coupled; the spring adds the missing restoring force.

use super::step::{FULL_SELF_DAMPING, HAND_TUNED_GRAVITY, HAND_TUNED_SELF_DAMPING};
use super::{Hinge, HingeVariant, Params, System};
use crate::linear_spring::LinearRecurrence;
use crate::params::{
    MirrorRule, ParamDef, ParamFrame, ParamGroup, ParamId, ParamMeaning, ParamScope, SliderScale, Unit, params,
};
use crate::{Dynamics as _, ResponseInput, ResponseModel, SolverKind, SpringResponse};
use glam::Vec3;

/// Angle limit of the handle in the hinge article, in both directions, in degrees.
const DEFAULT_LIMIT_DEG: f32 = 135.803;

const JOINT: ParamDef = ParamDef { owner: SolverKind::Hinge.key(), ..ParamDef::PLAIN };
const UNBOUNDED: ParamDef = JOINT.unbounded();
const AXIS: ParamDef =
    ParamDef { soft_range: (-1.0, 1.0), mirror: MirrorRule::Negate, meaning: ParamMeaning::Limit, ..UNBOUNDED };
const CENTER: ParamDef = ParamDef {
    unit: Unit::Metres,
    soft_range: (-0.3, 0.3),
    meaning: ParamMeaning::Gravity,
    group: ParamGroup::World,
    ..UNBOUNDED
};
const DEGREES: ParamDef = ParamDef {
    group: ParamGroup::AngleLimits,
    range: (-3600.0, 3600.0),
    soft_range: (-180.0, 180.0),
    meaning: ParamMeaning::Limit,
    ..JOINT.degrees()
};
const SYSTEM: ParamDef =
    ParamDef { scope: ParamScope::System, group: ParamGroup::Switches, meaning: ParamMeaning::Switch, ..JOINT };

const VARIANTS: &[&str] = &["Gravity only", "Full", "Bonus"];
const START_CHOICES: &[&str] = &["At the rest angle", "At the start angle", "At the upper limit"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    HINGE_AXIS: Vector = "axis" { frame: ParamFrame::Bone, ..AXIS } [
        /// Hinge axis along the bone's own X. The article's handle turns about X.
        x "Axis X" { default: 1.0, mirror: MirrorRule::Same },
        /// Hinge axis along the bone's own Y.
        y "Axis Y",
        /// Hinge axis along the bone's own Z.
        z "Axis Z",
    ];
    /// Angle that the spring pulls to, in degrees from the animated pose. The article has no spring.
    REST_ANGLE = "restAngle" "Rest angle" { ..DEGREES };
    /// Smallest angle, in degrees; 135.803 in the article. The listing "Gravity only" has no limits.
    MIN_ANGLE = "minAngle" "Lower limit" { default: -DEFAULT_LIMIT_DEG, ..DEGREES };
    /// Largest angle, in degrees; 135.803 in the article. The listing "Gravity only" has no limits.
    MAX_ANGLE = "maxAngle" "Upper limit" { default: DEFAULT_LIMIT_DEG, ..DEGREES };
    CENTER_OF_MASS: Vector = "relativeCenter" { frame: ParamFrame::Bone, ..CENTER } [
        /// Centre of mass along the bone's X, in metres.
        x "Centre of mass X" { mirror: MirrorRule::Negate },
        /// Centre of mass along the bone's Y, in metres. Farther out swings more slowly.
        y "Centre of mass Y" { default: 0.19 },
        /// Centre of mass along the bone's Z, in metres.
        z "Centre of mass Z",
    ];
    /// Share of gravity that acts on the bone. 1 is the article.
    GRAVITY_SCALE = "gravityScale" "Gravity share" {
        group: ParamGroup::World, unit: Unit::Fraction, soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..UNBOUNDED
    };
    /// Share of the body's motion that the bone feels. 1 is the article; 0 ignores the body.
    INERTIA_SCALE = "inertiaScale" "Inertia share" {
        group: ParamGroup::World, unit: Unit::Fraction, soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..UNBOUNDED
    };
    /// Share of the speed that a limit returns, 0 to 1.
    RESTITUTION = "restitution" "Bounce" {
        group: ParamGroup::AngleLimits, unit: Unit::Fraction, default: 0.5, meaning: ParamMeaning::Contact, ..JOINT
    };
    /// Slows the hinge, in 1/s. Higher stops sooner; the article has no damping.
    DAMPING = "damping" "Damping" {
        unit: Unit::PerSecond, soft_range: (0.0, 20.0), scale: SliderScale::Logarithmic, meaning: ParamMeaning::Drag, ..JOINT
    };
    /// Pulls the hinge to its rest angle, in 1/s². Higher is stiffer; the article has no spring.
    SPRING = "spring" "Spring" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 1000.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// Angle at the start, in degrees, if Start is "At the start angle".
    ANGLE = "angle" "Start angle" { group: ParamGroup::Time, default: DEFAULT_LIMIT_DEG, meaning: ParamMeaning::Time, ..DEGREES };
    /// Speed at the start, in degrees per second.
    VELOCITY = "velocity" "Start speed" {
        group: ParamGroup::Time, unit: Unit::AngularSpeed, soft_range: (-720.0, 720.0), meaning: ParamMeaning::Time, ..UNBOUNDED
    };
    /// Listing of the article: gravity alone, gravity and the body's motion, or the author's first version.
    VARIANT = "variant" "Listing" { default: 1.0, ..SYSTEM.choice(VARIANTS) };
    /// Converts radians to degrees and uses the body's true acceleration. In the article, gravity is 57 times too
    /// weak.
    PHYSICAL = "physical" "Physical" { extension: true, ..SYSTEM.toggle() };
    /// Pulls down in the world, in m/s².
    GRAVITY = "gravity" "Gravity" {
        group: ParamGroup::World, unit: Unit::Acceleration, soft_range: (0.0, 20.0), default: 9.8, meaning: ParamMeaning::Gravity,
        ..SYSTEM.unbounded()
    };
    /// State of joints at the start and after a reset. The article starts at the upper limit.
    START = "start" "Start" { group: ParamGroup::Time, extension: true, ..SYSTEM.choice(START_CHOICES) };
}

/// Stiffness of gravity as a restoring force, at a gravity share of 1, in 1/s².
fn gravity_stiffness(radius: f32, system: System) -> f32 {
    let degree = std::f32::consts::PI / 180.0;
    match system.variant {
        HingeVariant::HandTuned => HAND_TUNED_GRAVITY * degree * system.gravity / 9.8,
        _ if radius <= 0.0 => 0.0,
        _ => system.gravity / radius * if system.physical { 1.0 } else { degree },
    }
}

/// Share of the velocity that is lost in every step because the listing mistakes its own rotation for motion of the
/// body.
fn self_damping(radius: f32, inertia: f32, system: System) -> f32 {
    match system.variant {
        HingeVariant::Full if !system.physical => FULL_SELF_DAMPING * inertia,
        HingeVariant::HandTuned => HAND_TUNED_SELF_DAMPING * radius * inertia,
        _ => 0.0,
    }
}

fn bake_params(input: &ResponseInput<'_>) -> (Params, System) {
    (Hinge::bake(|param| input.joint_params.get(param)), Hinge::bake_system(|param| input.system_params.get(param)))
}

impl ResponseModel for Hinge {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let (p, system) = bake_params(input);
        let (h, radius) = (input.frame_seconds, p.center.length());
        let weight = gravity_stiffness(radius, system) * p.gravity;
        let slowed = 1.0 + p.damping * h;
        let linear = LinearRecurrence {
            velocity_retention: f64::from((1.0 - self_damping(radius, p.inertia, system)) / slowed),
            offset_removed: f64::from((weight + p.spring) * h * h / slowed),
            displacement_added: f64::from(weight * radius * h * h),
        };
        let limited = system.variant != HingeVariant::Gravity;
        let reach = (p.limits.max - p.rest_angle).abs().min((p.rest_angle - p.limits.min).abs());
        let felt = if limited { p.inertia } else { 0.0 };
        SpringResponse {
            ignored_motion: Some((1.0 - felt).clamp(0.0, 1.0)),
            max_angle_deg: limited.then_some(reach),
            ..SpringResponse::new(linear.to_feel(h), Vec3::NEG_Y)
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let (p, system) = bake_params(now);
        let (h, radius) = (now.frame_seconds, p.center.length());
        let inertia = response.ignored_motion.map_or(p.inertia, |follow| (1.0 - follow).clamp(0.0, 1.0));
        let feel = response.feel_along(Vec3::NEG_Y);
        let linear = feel.to_recurrence(h);
        let kept = (linear.velocity_retention as f32).max(f32::EPSILON);
        let damping = (((1.0 - self_damping(radius, inertia, system)) / kept - 1.0) / h).max(0.0);
        let pull = (linear.offset_removed as f32) * (1.0 + damping * h) / (h * h);
        let whole = gravity_stiffness(radius, system);
        let target = if radius > 0.0 { feel.acceleration / radius } else { 0.0 };
        // The weight cannot exceed the whole restoring force.
        let weight = target.clamp(0.0, pull.max(0.0));
        let share = if whole > 0.0 { weight / whole } else { p.gravity };
        let spring = if whole > 0.0 { pull - weight } else { pull };
        let mut numbers = vec![(GRAVITY_SCALE, share), (DAMPING, damping), (SPRING, spring.max(0.0))];
        if response.ignored_motion.is_some() && system.variant != HingeVariant::Gravity {
            numbers.push((INERTIA_SCALE, inertia));
        }
        if let Some(reach) = response.max_angle_deg {
            numbers.extend([(MIN_ANGLE, p.rest_angle - reach), (MAX_ANGLE, p.rest_angle + reach)]);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_spring::SpringFeel;
    use crate::test_support::{ResponseCase, check_feel};

    #[test]
    fn params_for_a_response_reproduce_it_in_every_variant() {
        for (variant, physical) in [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
            let feel = SpringFeel { frequency_hz: 2.0, damping_ratio: 0.5, acceleration: 4.0 };
            let target = SpringResponse {
                ignored_motion: Some(0.7),
                max_angle_deg: Some(40.0),
                ..SpringResponse::new(feel, Vec3::NEG_Y)
            };
            let case = ResponseCase::new(&[], &[(VARIANT, variant), (PHYSICAL, physical)]);
            let found = ResponseCase::<Hinge> { bone_length: 0.19, ..case }.round_trip(&target);
            check_feel(&found, [2.0, 0.5], [0.01; 2]);
            assert!((found.acceleration - target.acceleration).length() < 0.01, "{variant} {physical}: {found:?}");
            let limited = variant > 0.0;
            assert_eq!(found.max_angle_deg, limited.then_some(40.0));
            assert!((found.ignored_motion.expect("a share") - if limited { 0.7 } else { 1.0 }).abs() < 1e-6);
        }
    }

    #[test]
    fn a_physical_hinge_swings_like_a_pendulum_of_its_length() {
        let case = ResponseCase::new(&[], &[(VARIANT, 0.0), (PHYSICAL, 1.0)]);
        let found = ResponseCase::<Hinge> { bone_length: 0.19, frame_seconds: 1.0 / 240.0, ..case }.response();
        let pendulum = (9.8_f32 / 0.19).sqrt() / std::f32::consts::TAU;
        assert!((found.frequency_hz / pendulum - 1.0).abs() < 1e-2, "{found:?}");
        assert!((found.acceleration.y + 9.8).abs() < 1e-2);
    }
}
