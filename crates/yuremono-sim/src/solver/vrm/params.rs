//! Parameter table of [`Vrm`], and its spring response.
//!
//! Names and defaults are those of `VRMC_springBone` 1.0; VRM 0.x has the same values under similar names. The effect
//! of a value depends on the length of the bone.

use super::Vrm;
use crate::linear_spring::VrmValues;
use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamMeaning, ParamScope, SliderScale, Unit, params,
};
use crate::{FeelParam, ResponseInput, ResponseModel, SolverKind, SpringResponse};
use glam::Vec3;

const JOINT: ParamDef = ParamDef { owner: SolverKind::Vrm.key(), curve: true, ..ParamDef::PLAIN };
const SPEED: ParamDef = ParamDef { unit: Unit::Speed, soft_range: (0.0, 4.0), ..JOINT };
const DIRECTION: ParamDef =
    ParamDef { soft_range: (-1.0, 1.0), curve: false, meaning: ParamMeaning::Gravity, ..JOINT.unbounded() };
const SYSTEM: ParamDef =
    ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, extension: true, ..JOINT };

const VERSIONS: &[&str] = &["VRM 1.0", "VRM 0.x"];
const RUNTIMES: &[&str] = &["Specification", "UniVRM", "three-vrm"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Pulls the bone back to its rest direction, in m/s. Higher is stiffer; a shorter bone feels stiffer.
    STIFFNESS = "stiffness" "Stiffness" { default: 1.0, ..SPEED };
    /// Pulls the tip along the gravity direction, in m/s. 0 turns gravity off.
    GRAVITY_POWER = "gravityPower" "Gravity" {
        unit: Unit::Speed, soft_range: (0.0, 2.0), meaning: ParamMeaning::Gravity, ..JOINT
    };
    GRAVITY_DIR: Vector = "gravityDir" { ..DIRECTION } [
        /// Gravity direction along X in the world. A vector longer than 1 pulls harder.
        x "Direction X" { mirror: MirrorRule::Negate },
        /// Gravity direction along Y in the world. -1 pulls straight down.
        y "Direction Y" { default: -1.0 },
        /// Gravity direction along Z in the world. A vector longer than 1 pulls harder.
        z "Direction Z",
    ];
    /// Share of the speed lost in every step, 0 to 1. More steps per second brake more.
    DRAG = "dragForce" "Drag" { default: 0.5, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Radius of the sphere at the tip that hits colliders, in metres.
    HIT_RADIUS = "hitRadius" "Hit radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// VRM version that the springs are written for. In the UniVRM preview, hit radii follow scale in 0.x only.
    VERSION = "version" "Version" { meaning: ParamMeaning::Switch, ..SYSTEM.choice(VERSIONS) };
    /// Shows the motion of the specification, or of a runtime that differs from it. The file does not change.
    PREVIEW_AS = "previewAs" "Preview as" { invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM.choice(RUNTIMES) };
    /// Factor on stiffness, gravity and all radii, for a character that a script scales. 1 changes nothing.
    MODEL_SCALE = "modelScale" "Model scale" {
        soft_range: (0.01, 100.0), scale: SliderScale::Logarithmic, default: 1.0, meaning: ParamMeaning::Radius, ..SYSTEM
    };
}

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "VRM ignores the body's motion only as a whole, by the center of a spring."),
    (
        FeelParam::MaxAngle,
        "VRM limits are a shape per joint, not a single angle. Edit them in the joint's own section.",
    ),
];

impl ResponseModel for Vrm {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let number = |param| input.joint_params.get(param);
        let scale = input.system_params.get(MODEL_SCALE);
        let pull = input.joint_param_vector(GRAVITY_DIR) * number(GRAVITY_POWER) * scale;
        let values =
            VrmValues { stiffness: number(STIFFNESS) * scale, drag: number(DRAG), gravity_power: pull.length() };
        let feel = values.to_feel(input.bone_length, input.frame_seconds);
        SpringResponse {
            radius: Some(number(HIT_RADIUS) * scale),
            ..SpringResponse::new(feel, pull.normalize_or_zero())
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let scale = now.system_params.get(MODEL_SCALE);
        let scale = if scale > 0.0 { scale } else { 1.0 };
        let values = VrmValues::from_feel(response.feel(), now.bone_length, now.frame_seconds);
        let direction = response.acceleration.try_normalize();
        let power = if direction.is_some() { values.gravity_power / scale } else { 0.0 };
        let mut numbers = vec![
            (STIFFNESS, (values.stiffness / scale).max(0.0)),
            (DRAG, values.drag.clamp(0.0, 1.0)),
            (GRAVITY_POWER, power.max(0.0)),
        ];
        numbers.extend(GRAVITY_DIR.into_iter().zip(direction.unwrap_or(Vec3::NEG_Y).to_array()));
        numbers.extend(response.radius.map(|radius| (HIT_RADIUS, radius / scale)));
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_spring::SpringFeel;
    use crate::test_support::{ResponseCase, check_feel};

    #[test]
    fn params_for_a_response_reproduce_it_for_every_bone_length_and_model_scale() {
        for (bone_length, scale) in [(0.05, 1.0), (0.2, 1.0), (10.0, 100.0)] {
            let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.8, acceleration: 2.0 };
            let target = SpringResponse { radius: Some(0.02), ..SpringResponse::new(feel, Vec3::new(0.6, -0.8, 0.0)) };
            let mut case = ResponseCase::<Vrm> { bone_length, ..ResponseCase::new(&[], &[(MODEL_SCALE, scale)]) };
            let found = case.round_trip(&target);
            check_feel(&found, [3.0, 0.8], [1e-3; 2]);
            assert!((found.acceleration - target.acceleration).length() < 1e-3, "{found:?}");
            assert!((found.radius.expect("a radius") - 0.02).abs() < 1e-6);
        }
    }

    #[test]
    fn a_response_that_vrm_cannot_sustain_gets_zero_drag() {
        let wild =
            SpringResponse::new(SpringFeel { frequency_hz: 8.0, damping_ratio: 0.0, acceleration: 0.0 }, Vec3::ZERO);
        assert!(ResponseCase::<Vrm>::new(&[], &[]).params_for(&wild).contains(&(DRAG, 0.0)));
    }
}
