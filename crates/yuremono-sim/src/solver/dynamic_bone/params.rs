//! Parameter table of `DynamicBone`, with the names in Unity's files, and the spring response.
//!
//! The `…Distrib` curve of a parameter is a curve along the chain. Force and gravity are in metres per step²: 9.81 m/s²
//! is 0.002725 at 60 steps per second.
//!
//! A step keeps `(1 - elasticity) (1 - damping)` of the speed and removes `elasticity` of the offset. In mode Default,
//! elasticity and force are multiplied by the frame length in steps.

use super::{DynamicBone, Implementation};
use crate::linear_spring::LinearRecurrence;
use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamFrame, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet,
    SliderScale, Unit, params,
};
use crate::response::median_vector;
use crate::{FeelParam, ResponseInput, ResponseModel, SolverKind, SpringResponse};

const JOINT: ParamDef = ParamDef { owner: SolverKind::DynamicBone.key(), curve: true, ..ParamDef::PLAIN };
const SHARE: ParamDef = JOINT.fraction();
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..JOINT };
const TIME_PARAM: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const ACCELERATION: ParamDef =
    ParamDef { soft_range: (-0.02, 0.02), meaning: ParamMeaning::Gravity, ..SYSTEM.unbounded() };
const SWITCH: ParamDef = ParamDef { group: ParamGroup::Switches, meaning: ParamMeaning::Switch, ..SYSTEM };
const TOPOLOGY: ParamDef =
    ParamDef { unit: Unit::Metres, soft_range: (-0.5, 0.5), invalidates: Invalidates::Topology, ..SWITCH.unbounded() };

/// Names of the values of [`UPDATE_MODE`].
pub const UPDATE_MODES: &[&str] = &["Normal", "Animate Physics", "Unscaled Time", "Default"];
const FREEZE_AXES: &[&str] = &["None", "X", "Y", "Z"];
const IMPLEMENTATIONS: &[&str] = &["DynamicBone", "Clone by seinocat"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Share of the speed lost in every step, 0 to 1. More steps per second brake more.
    DAMPING = "m_Damping" "Damping" { default: 0.1, meaning: ParamMeaning::Drag, ..SHARE };
    /// Pulls the tip back to its rest position: share of the offset removed in every step, 0 to 1. Higher is stiffer.
    ELASTICITY = "m_Elasticity" "Elasticity" { default: 0.1, ..SHARE };
    /// Keeps the tip within 2 × (1 − value) bone lengths of its rest position, 0 to 1. Below 0.5 it has little effect.
    STIFFNESS = "m_Stiffness" "Stiffness" { default: 0.1, meaning: ParamMeaning::Limit, ..SHARE };
    /// Share of the component's motion that moves tips along, 0 to 1. 1 ignores the motion; rotation always acts.
    INERT = "m_Inert" "Inert" { meaning: ParamMeaning::Switch, ..SHARE };
    /// Added to the damping in the step after a contact, 0 to 1.
    FRICTION = "m_Friction" "Friction" { group: ParamGroup::Collision, meaning: ParamMeaning::Contact, ..SHARE };
    /// Radius of the sphere at the tip that hits colliders, in metres, times the component's scale. Planes ignore it.
    RADIUS = "m_Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Factor on the force at this joint. Only the clone by seinocat has it, as a curve.
    FORCE_SHARE = "m_ForceCurve" "Force share" { default: 1.0, meaning: ParamMeaning::Switch, extension: true, ..SHARE.unbounded() };
    GRAVITY: Vector = "m_Gravity" { ..ACCELERATION } [
        /// Gravity along X in the world, in m per step². The part that pulls along the rest pose has no effect.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Gravity upwards in the world, in m per step². The part that pulls along the rest pose has no effect.
        y "Gravity Y",
        /// Gravity along Z in the world, in m per step². The part that pulls along the rest pose has no effect.
        z "Gravity Z",
    ];
    FORCE: Vector = "m_Force" { ..ACCELERATION } [
        /// Constant force along X in the world, in m per step². 0.002725 is 9.81 m/s² at 60 steps per second.
        x "Force X" { mirror: MirrorRule::Negate },
        /// Constant force upwards in the world, in m per step². -0.002725 is 9.81 m/s² down at 60 steps per second.
        y "Force Y",
        /// Constant force along Z in the world, in m per step². 0.002725 is 9.81 m/s² at 60 steps per second.
        z "Force Z",
    ];
    /// Steps per second, in Hz. 0 takes one step per frame of any length.
    UPDATE_RATE = "m_UpdateRate" "Update rate" {
        unit: Unit::PerSecond, soft_range: (0.0, 120.0), default: 60.0, ..TIME_PARAM
    };
    /// Default takes one step per frame and scales forces by its length. The other modes keep the update rate and are
    /// the same here.
    UPDATE_MODE = "m_UpdateMode" "Update mode" { default: 3.0, ..TIME_PARAM.choice(UPDATE_MODES) };
    /// Most steps per frame; time beyond them is dropped. The published code uses 3.
    MAX_STEPS = "mostSteps" "Most steps" {
        kind: ParamKind::Integer, range: (1.0, 60.0), soft_range: (1.0, 10.0), default: 3.0, extension: true, ..TIME_PARAM
    };
    /// Blends the simulation in, 0 to 1, by narrowing the range that stiffness allows. 0 shows the pose and resets the
    /// tips.
    BLEND_WEIGHT = "m_BlendWeight" "Blend weight" { default: 1.0, meaning: ParamMeaning::Limit, ..SYSTEM.fraction() };
    /// Keeps every tip in the plane through its head across this axis of the animated bone.
    FREEZE_AXIS = "m_FreezeAxis" "Freeze axis" { frame: ParamFrame::Bone, ..SWITCH.choice(FREEZE_AXES) };
    /// Adds a virtual tip to last bones, this many bone lengths away. 0 adds none.
    END_LENGTH = "m_EndLength" "End length" { soft_range: (0.0, 2.0), invalidates: Invalidates::Topology, ..SWITCH };
    END_OFFSET: Vector = "m_EndOffset" { ..TOPOLOGY } [
        /// Virtual tip of last bones along the component's X, in metres. Only used at end length 0.
        x "End offset X" { mirror: MirrorRule::Negate },
        /// Virtual tip of last bones along the component's Y, in metres. Only used at end length 0.
        y "End offset Y",
        /// Virtual tip of last bones along the component's Z, in metres. Only used at end length 0.
        z "End offset Z",
    ];
    /// Turns the component off far from its reference bone, or from the viewer. Coming near resets the tips.
    DISTANT_DISABLE = "m_DistantDisable" "Rest far away" { ..SWITCH.toggle() };
    /// Distance beyond which the component is off, in metres.
    DISTANCE_TO_OBJECT = "m_DistanceToObject" "Distance" {
        unit: Unit::Metres, soft_range: (0.0, 50.0), default: 20.0, ..SWITCH
    };
    /// Shows the motion of the asset, or of a public clone with its bugs. The clone's defaults are inert 0.5 and
    /// friction 0.1.
    RUN_AS = "runAs" "Run as" { extension: true, ..TOPOLOGY.choice(IMPLEMENTATIONS) };
}

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[(
    FeelParam::Weight,
    "DynamicBone pulls all joints of a component equally. Set force and gravity on the component.",
)];

/// Lower bound for divisors.
const MIN_REMAINDER: f64 = 1e-9;

fn one_step_per_frame(system: &ParamSet) -> bool {
    system.get(UPDATE_MODE) >= 2.5 || Implementation::of(system.get(RUN_AS)) == Implementation::Clone
}

/// Returns the length of a step: the frame if each frame is one step, otherwise the reciprocal of the update rate.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && !one_step_per_frame(system) { 1.0 / rate } else { frame }
}

/// Returns the factor on elasticity and force.
fn force_factor(system: &ParamSet, frame: f32) -> f64 {
    let rate = system.get(UPDATE_RATE);
    if rate > 0.0 && one_step_per_frame(system) { f64::from(frame * rate) } else { 1.0 }
}

impl ResponseModel for DynamicBone {
    /// Only the constant force counts, because gravity does not pull at rest.
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let number = |param| f64::from(input.joint_params.get(param)).clamp(0.0, 1.0);
        let factor = force_factor(input.system_params, input.frame_seconds);
        let pulled = number(ELASTICITY) * factor;
        let share = if Implementation::of(input.system_params.get(RUN_AS)) == Implementation::Clone {
            input.joint_params.get(FORCE_SHARE)
        } else {
            1.0
        };
        let force = input.system_param_vector(FORCE) * share;
        let linear = LinearRecurrence {
            velocity_retention: (1.0 - pulled) * (1.0 - number(DAMPING)),
            offset_removed: pulled,
            displacement_added: f64::from(force.length()) * factor * (1.0 - pulled),
        };
        let feel = linear.to_feel(step_seconds(input.system_params, input.frame_seconds));
        let weight = f64::from(input.system_params.get(BLEND_WEIGHT)).clamp(0.0, 1.0);
        let reach = 2.0 * libm::asin((1.0 - number(STIFFNESS)) * weight);
        SpringResponse {
            ignored_motion: Some(number(INERT) as f32),
            max_angle_deg: Some(reach.to_degrees() as f32),
            radius: Some(input.joint_params.get(RADIUS)),
            ..SpringResponse::new(feel, force.normalize_or_zero())
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let linear = response.feel().to_recurrence(step_seconds(now.system_params, now.frame_seconds));
        let damping = 1.0 - linear.velocity_retention / (1.0 - linear.offset_removed).max(MIN_REMAINDER);
        let elasticity = linear.offset_removed / force_factor(now.system_params, now.frame_seconds).max(MIN_REMAINDER);
        let mut numbers =
            vec![(ELASTICITY, elasticity.clamp(0.0, 1.0) as f32), (DAMPING, damping.clamp(0.0, 1.0) as f32)];
        numbers.extend(response.ignored_motion.map(|follow| (INERT, follow.clamp(0.0, 1.0))));
        numbers.extend(response.radius.map(|radius| (RADIUS, radius.max(0.0))));
        let weight = now.system_params.get(BLEND_WEIGHT);
        if let Some(reach) = response.max_angle_deg.filter(|_| weight > 0.0) {
            let open = libm::sinf(reach.clamp(0.0, 180.0).to_radians() * 0.5) / weight;
            numbers.push((STIFFNESS, (1.0 - open).clamp(0.0, 1.0)));
        }
        numbers
    }

    /// All joints of a component share one force: the median of the forces that the joints need.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let h = step_seconds(system, frame);
        let factor = force_factor(system, frame).max(MIN_REMAINDER) as f32;
        let target = joints.iter().map(|(response, _)| {
            let left = (1.0 - response.feel().to_recurrence(h).offset_removed).max(MIN_REMAINDER) as f32;
            response.acceleration * (h * h / (factor * left))
        });
        FORCE.into_iter().zip(median_vector(target).to_array()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_spring::SpringFeel;
    use crate::test_support::{ResponseCase, check_feel};
    use glam::Vec3;

    const FRAME: f32 = 1.0 / 60.0;

    #[test]
    fn params_for_a_response_reproduce_it_in_every_mode_and_frame_rate() {
        for (mode, frame_seconds, rate) in
            [(3.0, FRAME, 60.0), (3.0, FRAME * 0.5, 60.0), (0.0, FRAME * 2.0, 90.0), (3.0, FRAME, 0.0)]
        {
            let system = [(UPDATE_MODE, mode), (UPDATE_RATE, rate), (BLEND_WEIGHT, 0.9), (FORCE[1], -0.001)];
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.6, acceleration: 0.0 };
            let target = SpringResponse {
                ignored_motion: Some(0.3),
                max_angle_deg: Some(40.0),
                radius: Some(0.02),
                ..SpringResponse::new(feel, Vec3::ZERO)
            };
            let mut case = ResponseCase::<DynamicBone> { frame_seconds, ..ResponseCase::new(&[], &system) };
            let found = case.round_trip(&target);
            check_feel(&found, [3.0, 0.6], [1e-3; 2]);
            assert!((found.max_angle_deg.expect("stiffness limits the angle") - 40.0).abs() < 1e-2, "{found:?}");
            assert_eq!((found.ignored_motion, found.radius), (Some(0.3), Some(0.02)));
        }
    }

    #[test]
    fn the_default_params_swing_at_about_three_hertz() {
        let found = ResponseCase::<DynamicBone>::new(&[], &[]).response();
        check_feel(&found, [3.2, 0.32], [0.05, 0.01]);
        assert!((found.max_angle_deg.expect("stiffness limits the angle") - 128.3).abs() < 0.1);
    }

    #[test]
    fn at_rest_force_pulls_and_gravity_does_not() {
        let found = ResponseCase::<DynamicBone>::new(&[], &[(GRAVITY[1], -0.01), (FORCE[1], -0.002)]).response();
        assert!(found.acceleration.distance(Vec3::NEG_Y * 0.002 * 0.9 * 3600.0) < 1e-3, "{found:?}");
    }

    #[test]
    fn params_at_the_ends_of_their_ranges_have_a_finite_response() {
        for value in [0.0, 1.0] {
            let ends = [DAMPING, ELASTICITY, STIFFNESS].map(|param| (param, value));
            let case = ResponseCase::<DynamicBone>::new(&ends, &ends);
            let found = case.response();
            assert!(found.frequency_hz.is_finite() && found.damping_ratio.is_finite(), "{found:?}");
            assert!(case.params_for(&found).iter().all(|(_, number)| number.is_finite()), "{found:?}");
        }
    }
}
