//! Parameter table with the names and defaults of `PbdSpringBone`, and its spring response.

use super::PbdSpringBone;
use crate::linear_spring::LinearRecurrence;
use crate::params::{
    ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet, SliderScale, Unit, params,
};
use crate::{FeelParam, ResponseInput, ResponseModel, SolverKind, SpringResponse};
use glam::Vec3;

pub(super) const MAX_ITERATIONS: f32 = 64.0;
pub(super) const MAX_STEPS_PER_SECOND: f32 = 1000.0;

const JOINT: ParamDef = ParamDef { owner: SolverKind::PbdSpringBone.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef {
    scope: ParamScope::System,
    group: ParamGroup::World,
    curve: false,
    extension: true,
    meaning: ParamMeaning::Switch,
    ..JOINT
};

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Pulls the point back to its rest position, in 1/s². Higher is stiffer; the original has one value for all
    /// bones.
    SPRING = "spring" "Spring" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 1000.0), scale: SliderScale::Logarithmic, default: 100.0, ..JOINT
    };
    /// Share of the speed kept in every step, 0 to 1. More steps per second brake more; the original has one value for
    /// all bones.
    DAMP = "damp" "Kept speed" { default: 0.85, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Pulls down in the world, in m/s². The original has one value for all bones.
    GRAVITY = "gravity" "Gravity" {
        unit: Unit::Acceleration, soft_range: (0.0, 20.0), default: 9.8, meaning: ParamMeaning::Gravity, ..JOINT.unbounded()
    };
    /// Radius of the sphere at the end of a bone that hits colliders, in metres. The original has one value for all
    /// bones.
    POINT_SIZE = "pointSize" "Point radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.02,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Moves as in a scene where no animation resets the pose: shapes are lost and chains droop.
    NO_ANIMATOR = "noAnimator" "Without an Animator" { group: ParamGroup::Switches, ..SYSTEM.toggle() };
    /// Bone lengths and point radii follow the scale of the bones. The original ignores scale.
    FOLLOW_SCALE = "followScale" "Follow scale" { group: ParamGroup::Switches, ..SYSTEM.toggle() };
    /// Fixed steps per second, at any frame rate. 0 takes one step per frame, as in the original.
    STEPS_PER_SECOND = "stepsPerSecond" "Steps per second" {
        group: ParamGroup::Time, unit: Unit::PerSecond, range: (0.0, MAX_STEPS_PER_SECOND), soft_range: (0.0, 120.0),
        meaning: ParamMeaning::Time, ..SYSTEM
    };
    /// Repetitions of collision and length constraints. 0 applies them once, as in the original.
    ITERATIONS = "iterations" "Iterations" {
        group: ParamGroup::Switches, kind: ParamKind::Integer, range: (0.0, MAX_ITERATIONS), soft_range: (0.0, 20.0),
        meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Keeps points above level ground. The original has no ground.
    COLLIDE_WITH_GROUND = "collideWithGround" "Collide with ground" {
        group: ParamGroup::Collision, meaning: ParamMeaning::Contact, ..SYSTEM.toggle()
    };
    /// Height of the ground in the world, in metres.
    GROUND_HEIGHT = "groundHeight" "Ground height" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (-1.0, 1.0), meaning: ParamMeaning::Contact, ..SYSTEM.unbounded()
    };
}

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "PbdSpringBone has no number for how much of the body's motion is ignored."),
    (FeelParam::MaxAngle, "PbdSpringBone has no limits."),
];

/// Length of a step, in seconds: the length of the frame, unless the system has a step rate.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(STEPS_PER_SECOND);
    if rate > 0.0 { 1.0 / rate } else { frame }
}

/// The response of one step of `h` seconds. Spring and gravity change the speed before damping.
fn linear(spring: f32, damp: f32, gravity: f32, h: f32) -> LinearRecurrence {
    let (kept, h) = (f64::from(damp), f64::from(h));
    let push = h * h * kept;
    LinearRecurrence {
        velocity_retention: kept,
        offset_removed: f64::from(spring) * push,
        displacement_added: f64::from(gravity) * push,
    }
}

/// Spring, damp and gravity that give a recurrence.
fn from_linear(linear: LinearRecurrence, h: f32) -> (f32, f32, f32) {
    let kept = linear.velocity_retention.clamp(f64::from(f32::EPSILON), 1.0);
    let push = f64::from(h) * f64::from(h) * kept;
    (((linear.offset_removed / push) as f32).max(0.0), kept as f32, (linear.displacement_added / push) as f32)
}

impl ResponseModel for PbdSpringBone {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let number = |param| input.joint_params.get(param);
        let h = step_seconds(input.system_params, input.frame_seconds);
        let feel = linear(number(SPRING), number(DAMP), number(GRAVITY), h).to_feel(h);
        SpringResponse { radius: Some(number(POINT_SIZE)), ..SpringResponse::new(feel, Vec3::NEG_Y) }
    }

    /// Only the downward part of the acceleration can be expressed.
    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let (spring, damp, gravity) = from_linear(response.feel_along(Vec3::NEG_Y).to_recurrence(h), h);
        let mut numbers = vec![(SPRING, spring), (DAMP, damp), (GRAVITY, gravity)];
        numbers.extend(response.radius.map(|radius| (POINT_SIZE, radius)));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_spring::SpringFeel;
    use crate::test_support::{ResponseCase, check_feel};

    #[test]
    fn params_for_a_response_reproduce_it_at_every_step_rate() {
        for (rate, hz, zeta) in [(0.0, 3.0, 0.4), (0.0, 1.5, 1.2), (120.0, 6.0, 0.1)] {
            let feel = SpringFeel { frequency_hz: hz, damping_ratio: zeta, acceleration: 5.0 };
            let target = SpringResponse { radius: Some(0.03), ..SpringResponse::new(feel, Vec3::NEG_Y) };
            let found = ResponseCase::<PbdSpringBone>::new(&[], &[(STEPS_PER_SECOND, rate)]).round_trip(&target);
            check_feel(&found, [hz, zeta], [2e-3 * hz, 2e-3 * zeta]);
            assert!((found.acceleration.y + 5.0).abs() < 5e-3, "{found:?}");
            assert_eq!(found.radius, Some(0.03));
        }
    }

    #[test]
    fn three_hertz_at_damping_ratio_0_4_has_the_known_params() {
        let case = ResponseCase::<PbdSpringBone>::new(&[], &[]);
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
        let found = case.params_for(&SpringResponse::new(feel, Vec3::NEG_Y));
        assert!((found[0].1 - 400.6).abs() < 0.4 && (found[1].1 - 0.778).abs() < 7e-4, "{found:?}");
        check_feel(&case.response(), [1.5, 0.51], [0.045, 0.015]);
    }

    #[test]
    fn extreme_spring_and_damp_give_finite_values() {
        for (spring, damp) in [(0.0, 0.0), (1e9, 0.0), (0.0, 1.0), (1e9, 1.0)] {
            let feel = linear(spring, damp, 9.8, 1.0 / 60.0).to_feel(1.0 / 60.0);
            let back = from_linear(feel.to_recurrence(1.0 / 60.0), 1.0 / 60.0);
            assert!(feel.frequency_hz.is_finite() && feel.damping_ratio.is_finite(), "{feel:?}");
            assert!(back.0.is_finite() && back.1.is_finite() && back.2.is_finite(), "{back:?}");
        }
    }
}
