//! Parameter table of `SPCRJointDynamics` 2.0.11, with its names and defaults, and the spring response.
//!
//! A curve over depth in `SPCRJointDynamics` becomes one parameter with a base value and a curve. The
//! curves in [`DEFAULT_CURVES`] are not constant; the default of such a parameter is the mean or the larger value of
//! its default curve.
//!
//! For the response, a point close to rest loses a share of its offset and of its velocity in every step. The
//! response does not depend on the length of the bone.

use super::{JointDynamics, System};
use crate::linear_spring::{LinearRecurrence, SpringFeel};
use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, Unit, params,
};
use crate::{Dynamics as _, FeelParam, ResponseInput, ResponseModel, SolverKind, SpringResponse};

const JOINT: ParamDef = ParamDef { owner: SolverKind::JointDynamics.key(), curve: true, ..ParamDef::PLAIN };
const POWER: ParamDef = ParamDef { group: ParamGroup::LengthLimits, meaning: ParamMeaning::Limit, ..JOINT.fraction() };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..JOINT };
const TIME_PARAM: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const ACCELERATION: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    soft_range: (-20.0, 20.0),
    meaning: ParamMeaning::Gravity,
    ..SYSTEM.unbounded()
};
const TOGGLE: ParamDef = ParamDef { meaning: ParamMeaning::Switch, ..SYSTEM.toggle() };
const TOPOLOGY: ParamDef = ParamDef { group: ParamGroup::Switches, invalidates: Invalidates::Topology, ..TOGGLE };
const IMPROVEMENT: ParamDef = ParamDef { group: ParamGroup::Improved, extension: true, ..TOGGLE };

/// Default curves of `SPCRJointDynamics` that are not constant: the values at the root and at the last depth. The
/// slope is zero at both ends, and the curve runs over the number of depths.
pub const DEFAULT_CURVES: &[(ParamId, [f32; 2])] = &[
    (RESISTANCE, [1.0, 5.0]),
    (HARDNESS, [5.0, 0.1]),
    (ALL_SHRINK, [0.8, 0.7]),
    (ALL_STRETCH, [0.8, 0.7]),
    (WAVE_POWER, [0.0, 1.0]),
    (WAVE_FREQUENCY, [0.0, 2.0]),
    (LIMIT_POWER, [1.0, 0.0]),
];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Share of the speed lost in every step, in percent. The original's default curve goes from 1 at the root to 5 at
    /// the last depth.
    RESISTANCE = "_ResistanceCurve" "Air resistance" {
        range: (0.0, 100.0), soft_range: (0.0, 20.0), default: 3.0, meaning: ParamMeaning::Drag, ..JOINT
    };
    /// Pulls the point to its animated position: share of the offset removed in every step, in percent. The original's
    /// default curve goes from 5 to 0.1.
    HARDNESS = "_HardnessCurve" "Hardness" { range: (0.0, 100.0), soft_range: (0.0, 20.0), default: 2.55, ..JOINT };
    /// Factor on the point's mass, at least 0.01. Mass only divides the wind.
    MASS_SCALE = "_MassScaleCurve" "Mass scale" { soft_range: (0.1, 5.0), default: 1.0, meaning: ParamMeaning::Switch, ..JOINT };
    /// Factor on the system's gravity. 0 turns it off.
    GRAVITY_SCALE = "_GravityScaleCurve" "Gravity scale" {
        range: (-100.0, 100.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..JOINT
    };
    /// Factor on the wind. The wind also grows with depth, so roots feel none.
    WIND_SCALE = "_WindForceScaleCurve" "Wind scale" {
        range: (-100.0, 100.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT
    };
    /// Slows the point in the step after a contact: a factor on the collider's friction.
    FRICTION = "_FrictionCurve" "Friction" { group: ParamGroup::Collision, default: 0.7, meaning: ParamMeaning::Contact, ..JOINT };
    /// Extra length of horizontal, shear and horizontal bending links before they pull, in metres.
    SLIDER_LENGTH = "_SliderJointLengthCurve" "Slack" {
        group: ParamGroup::LengthLimits, unit: Unit::Metres, soft_range: (0.0, 0.1), meaning: ParamMeaning::Limit, ..JOINT
    };
    /// Strength that shortens links that are too long, 0 to 1, for link types that use the shared value. The
    /// original's default curve goes from 0.8 to 0.7.
    ALL_SHRINK = "_AllShrink" "Shared shrink" { default: 0.75, ..POWER };
    /// Strength that lengthens links that are too short, 0 to 1, for link types that use the shared value. The
    /// original's default curve goes from 0.8 to 0.7.
    ALL_STRETCH = "_AllStretch" "Shared stretch" { default: 0.75, ..POWER };
    /// Shrink strengths, in the order of [`LinkKind`](crate::LinkKind).
    SHRINK: [5] = { default: 1.0, ..POWER } [
        /// Strength that shortens vertical links (parent to child), 0 to 1. Not used with the shared value.
        "_StructuralShrinkVertical" "Vertical shrink",
        /// Strength that shortens horizontal links (neighbouring columns), 0 to 1. Not used with the shared value.
        "_StructuralShrinkHorizontal" "Horizontal shrink",
        /// Strength that shortens shear links (diagonals), 0 to 1. Not used with the shared value.
        "_ShearShrink" "Shear shrink",
        /// Strength that shortens vertical bending links (to the grandchild), 0 to 1. Not used with the shared value.
        "_BendingShrinkVertical" "Vert. bend shrink",
        /// Strength that shortens horizontal bending links (two columns apart), 0 to 1. Not used with the shared
        /// value.
        "_BendingShrinkHorizontal" "Hor. bend shrink",
    ];
    /// Stretch strengths, in the order of [`LinkKind`](crate::LinkKind).
    STRETCH: [5] = { default: 1.0, ..POWER } [
        /// Strength that lengthens vertical links (parent to child), 0 to 1. Not used with the shared value.
        "_StructuralStretchVertical" "Vertical stretch",
        /// Strength that lengthens horizontal links (neighbouring columns), 0 to 1. Not used with the shared value.
        "_StructuralStretchHorizontal" "Horizontal stretch",
        /// Strength that lengthens shear links (diagonals), 0 to 1. Not used with the shared value.
        "_ShearStretch" "Shear stretch",
        /// Strength that lengthens vertical bending links (to the grandchild), 0 to 1. Not used with the shared value.
        "_BendingStretchVertical" "Vert. bend stretch",
        /// Strength that lengthens horizontal bending links (two columns apart), 0 to 1. Not used with the shared
        /// value.
        "_BendingStretchHorizontal" "Hor. bend stretch",
    ];
    /// Factor on the fake wave's height, 0 to 1. Only the last points of columns show it; the original's default curve
    /// goes from 0 to 1.
    WAVE_POWER = "_FakeWavePowerCurve" "Wave share" { group: ParamGroup::World, default: 1.0, meaning: ParamMeaning::Switch, ..JOINT };
    /// Phase of the fake wave between neighbouring columns, in radians. The original's default curve goes from 0 to 2.
    WAVE_FREQUENCY = "_FakeWaveFreqCurve" "Wave offset" {
        group: ParamGroup::World, soft_range: (0.0, 6.0), default: 2.0, meaning: ParamMeaning::Switch, ..JOINT.unbounded()
    };
    /// Strength of the angle limit, 0 to 1. The original never reads it, so it only acts with its improvement on.
    LIMIT_POWER = "_LimitPowerCurve" "Limit power" {
        group: ParamGroup::AngleLimits, range: (0.0, 1.0), default: 1.0, meaning: ParamMeaning::Limit, ..JOINT
    };
    /// Target steps per second. A step actually lasts 1/(rate+1) seconds.
    RATE = "_StabilizationFrameRate" "Frame rate" {
        kind: ParamKind::Integer, unit: Unit::PerSecond, range: (1.0, 1000.0), soft_range: (15.0, 240.0), default: 60.0,
        ..TIME_PARAM
    };
    /// Number of substeps per step.
    SUB_STEPS = "_SubSteps" "Substeps" {
        kind: ParamKind::Integer, range: (1.0, 64.0), soft_range: (1.0, 8.0), default: 1.0, ..TIME_PARAM
    };
    /// Iterations over all links in each substep. More is stiffer.
    RELAXATION = "_Relaxation" "Relaxation" {
        kind: ParamKind::Integer, range: (0.0, 64.0), soft_range: (1.0, 16.0), default: 1.0, ..TIME_PARAM
    };
    /// Factor on the time of this system. 0 stops it.
    TIME_SCALE = "TimeScale" "Time scale" { range: (0.0, 10.0), soft_range: (0.0, 2.0), default: 1.0, ..TIME_PARAM };
    /// Stops the simulation. The points move along with the root as a whole.
    PAUSED = "_IsPaused" "Paused" { group: ParamGroup::Time, ..TOGGLE };
    GRAVITY: Vector = "_Gravity" { ..ACCELERATION } [
        /// Pulls sideways in the world, in m/s². In the original half of it acts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Pulls upwards in the world, in m/s². Negative pulls down; in the original half of it acts.
        y "Gravity Y" { default: -9.8 },
        /// Pulls along Z in the world, in m/s². In the original half of it acts.
        z "Gravity Z",
    ];
    WIND: Vector = "_WindForce" { meaning: ParamMeaning::Wind, ..ACCELERATION } [
        /// Constant wind along X in the world, in m/s² for a mass of 1.
        x "Wind X" { mirror: MirrorRule::Negate },
        /// Constant wind upwards in the world, in m/s² for a mass of 1.
        y "Wind Y",
        /// Constant wind along Z in the world, in m/s² for a mass of 1.
        z "Wind Z",
    ];
    /// Root speed, in m/s, above which the rest of the motion moves all points along. Negative turns the limit off.
    SLIDE_LIMIT = "_RootSlideLimit" "Root slide limit" {
        unit: Unit::Speed, range: (-1.0, f32::MAX), soft_range: (-1.0, 20.0), default: 5.0, meaning: ParamMeaning::Limit, ..SYSTEM
    };
    /// Turning speed of the root, in degrees per second, above which the rest of the rotation moves all points along.
    /// Negative turns the limit off.
    ROTATE_LIMIT = "_RootRotateLimit" "Root turn limit" {
        unit: Unit::AngularSpeed, range: (-1.0, f32::MAX), soft_range: (-1.0, 1440.0), default: 540.0, meaning: ParamMeaning::Limit,
        ..SYSTEM
    };
    /// Upper bound of the shrink strength of horizontal, shear and horizontal bending links. Negative turns it off.
    SHRINK_LIMIT = "_ConstraintShrinkLimit" "Shrink limit" {
        group: ParamGroup::LengthLimits, range: (-1.0, f32::MAX), soft_range: (-1.0, 1.0), default: -1.0, meaning: ParamMeaning::Limit,
        ..SYSTEM
    };
    /// Share of the animated pose in the displayed pose, 0 to 1, with ease in and out.
    BLEND = "_BlendRatio" "Blend" { group: ParamGroup::Switches, ..TOGGLE.fraction() };
    /// Blend above which colliders shrink to nothing, 0 to 1. Below it they grow back.
    RETURN_START = "_CollisionReturn_Start" "Collision return start" {
        group: ParamGroup::Collision, default: 0.5, meaning: ParamMeaning::Contact, ..SYSTEM.fraction()
    };
    /// Speed at which colliders shrink or grow, as a share of their radius per second.
    RETURN_SPEED = "_CollisionReturn_Speed" "Collision return speed" {
        group: ParamGroup::Collision, soft_range: (0.0, 5.0), default: 0.5, meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Blends towards the animated pose by the power of the wind.
    WIND_BLEND_ON = "_EnableWindForcePowerToAnimationBlendRatio" "Wind blends" { group: ParamGroup::Switches, ..TOGGLE };
    /// Value of the original's curve at the current power of the wind, 0 to 1.
    WIND_BLEND = "_WindForcePowerToAnimationBlendRatioCurve" "Blend by wind" {
        group: ParamGroup::Switches, meaning: ParamMeaning::Wind, ..SYSTEM.fraction()
    };
    /// Prevents scripts from resetting the simulation in the original. The app's own reset always works.
    CANCEL_RESET = "_IsCancelResetPhysics" "Ignore resets" { group: ParamGroup::Switches, ..TOGGLE };
    /// Seconds of animated pose before the simulation starts, after loading and after a reset.
    RESET_DELAY = "_ResetDelaySeconds" "Reset delay" {
        unit: Unit::Seconds, range: (0.0, 10.0), soft_range: (0.0, 2.0), ..TIME_PARAM
    };
    /// Waves the last points of columns. Only the displayed pose moves.
    WAVE = "_IsFakeWave" "Fake wave" { ..TOGGLE };
    /// Speed of the fake wave, in radians per second.
    WAVE_SPEED = "_FakeWaveSpeed" "Wave speed" {
        soft_range: (0.0, 30.0), default: 10.0, meaning: ParamMeaning::Wind, ..SYSTEM.unbounded()
    };
    /// Amplitude of the fake wave, in metres.
    WAVE_HEIGHT = "_FakeWavePower" "Wave height" {
        unit: Unit::Metres, soft_range: (0.0, 0.2), default: 0.05, meaning: ParamMeaning::Wind, ..SYSTEM.unbounded()
    };
    /// Switches of the shared shrink strength, in the order of [`LinkKind`](crate::LinkKind).
    ALL_SHRINK_ON: [5] = { group: ParamGroup::LengthLimits, default: 1.0, ..TOGGLE } [
        /// Uses the shared shrink strength for vertical links (parent to child).
        "_IsAllStructuralShrinkVertical" "Shrink of vertical shared" { default: 0.0 },
        /// Uses the shared shrink strength for horizontal links (neighbouring columns).
        "_IsAllStructuralShrinkHorizontal" "Shrink of horizontal shared",
        /// Uses the shared shrink strength for shear links (diagonals).
        "_IsAllShearShrink" "Shrink of shear shared",
        /// Uses the shared shrink strength for vertical bending links (to the grandchild).
        "_IsAllBendingShrinkVertical" "Shrink of vertical bending shared",
        /// Uses the shared shrink strength for horizontal bending links (two columns apart).
        "_IsAllBendingShrinkHorizontal" "Shrink of horizontal bending shared",
    ];
    /// Switches of the shared stretch strength, in the order of [`LinkKind`](crate::LinkKind).
    ALL_STRETCH_ON: [5] = { group: ParamGroup::LengthLimits, default: 1.0, ..TOGGLE } [
        /// Uses the shared stretch strength for vertical links (parent to child).
        "_IsAllStructuralStretchVertical" "Stretch of vertical shared" { default: 0.0 },
        /// Uses the shared stretch strength for horizontal links (neighbouring columns).
        "_IsAllStructuralStretchHorizontal" "Stretch of horizontal shared",
        /// Uses the shared stretch strength for shear links (diagonals).
        "_IsAllShearStretch" "Stretch of shear shared",
        /// Uses the shared stretch strength for vertical bending links (to the grandchild).
        "_IsAllBendingStretchVertical" "Stretch of vertical bending shared",
        /// Uses the shared stretch strength for horizontal bending links (two columns apart).
        "_IsAllBendingStretchHorizontal" "Stretch of horizontal bending shared",
    ];
    /// Keeps each point within a cone around its parent's direction.
    USE_ANGLES = "_UseLimitAngles" "Angle limits" { group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, ..SYSTEM.toggle() };
    /// Half angle of the cone, in degrees. Negative turns the limit off.
    LIMIT_ANGLE = "_LimitAngle" "Largest angle" {
        group: ParamGroup::AngleLimits, range: (-1.0, 180.0), soft_range: (0.0, 180.0), default: -1.0, meaning: ParamMeaning::Limit,
        ..SYSTEM.degrees()
    };
    /// Measures the angle from the animated direction instead of the parent's current direction.
    LIMIT_FROM_ROOT = "_LimitFromRoot" "From the pose" {
        group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, ..SYSTEM.toggle()
    };
    /// Links the last column to the first, as in a skirt.
    LOOP = "_IsLoopRootPoints" "Close the ring" { ..TOPOLOGY };
    /// Switches of the links, in the order of [`LinkKind`](crate::LinkKind).
    COMPUTE: [5] = { default: 1.0, ..TOPOLOGY } [
        /// Adds vertical links (parent to child).
        "_IsComputeStructuralVertical" "Use vertical links",
        /// Adds horizontal links (neighbouring columns).
        "_IsComputeStructuralHorizontal" "Use horizontal links",
        /// Adds shear links (diagonals).
        "_IsComputeShear" "Use shear links" { default: 0.0 },
        /// Adds vertical bending links (to the grandchild).
        "_IsComputeBendingVertical" "Use vertical bending links",
        /// Adds horizontal bending links (two columns apart).
        "_IsComputeBendingHorizontal" "Use horizontal bending links",
    ];
    /// Collision switches of the links, in the order of [`LinkKind`](crate::LinkKind).
    COLLIDE: [3] = { group: ParamGroup::Collision, default: 1.0, ..TOPOLOGY } [
        /// Vertical links (parent to child) and their ends hit colliders.
        "_IsCollideStructuralVertical" "Collide vertical links",
        /// Horizontal links (neighbouring columns) and their ends hit colliders.
        "_IsCollideStructuralHorizontal" "Collide horizontal links",
        /// Shear links (diagonals) and their ends hit colliders.
        "_IsCollideShear" "Collide shear links",
    ];
    /// Pushes the triangles between columns out of colliders too. Vertical, horizontal and shear links then always
    /// collide.
    SURFACE = "_IsEnableSurfaceCollision" "Surface collision" { group: ParamGroup::Collision, ..TOPOLOGY };
    /// Applies gravity and wind fully. The original loses half of both.
    FULL_GRAVITY = "fullGravity" "Full gravity" { ..IMPROVEMENT };
    /// Makes a step last 1/rate seconds, so that frames of that rate take exactly one step each.
    EXACT_RATE = "evenSteps" "Even steps" { ..IMPROVEMENT };
    /// Pushes points out to the sum of both radii, also from colliders thinner than 3.2 cm, and fixes the taper of
    /// inside capsules.
    ROUND_CONTACT = "roundContact" "Round contact" { ..IMPROVEMENT };
    /// Turns bones shorter than 3.2 cm too.
    SHORT_BONES = "shortBones" "Turn short bones" { ..IMPROVEMENT };
    /// Applies angle limits before the pose is written. The original shows them one frame late.
    LIMIT_SAME_FRAME = "limitNow" "Limits at once" { ..IMPROVEMENT };
    /// Applies the limit power, which the original never reads.
    APPLY_LIMIT_POWER = "readLimitPower" "Limit power acts" { ..IMPROVEMENT };
}

/// Smallest share of the offset that must remain for the resistance to be defined.
const MIN_REMAINDER: f64 = 1e-6;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (FeelParam::IgnoreMotion, "SPCRJointDynamics limits the root's motion only for the whole system."),
    (FeelParam::MaxAngle, "SPCRJointDynamics has one angle limit for the whole system, not one per joint."),
];

/// Actual length of a step, in seconds. A frame shorter than a step is one step.
pub(super) fn step_seconds(system: &System, frame: f32) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    let step = if frame * scale < system.nominal_step { frame } else { system.nominal_step / scale };
    step / system.sub_steps as f32
}

/// The response of one step of `h` seconds. `_HardnessCurve` and `_ResistanceCurve` are in percent, gravity is in
/// m/s², and `push` is the factor on dt² for gravity, including the time scale.
fn feel(hardness: f32, resistance: f32, gravity: f32, push: f32, h: f32) -> SpringFeel {
    let [pulled, lost] = [hardness, resistance].map(|percent| (f64::from(percent) * 0.01).clamp(0.0, 1.0));
    let kept = (1.0 - pulled) * (1.0 - lost);
    let h2 = f64::from(h) * f64::from(h);
    LinearRecurrence {
        velocity_retention: kept,
        offset_removed: pulled,
        displacement_added: f64::from(gravity) * f64::from(push) * h2 * kept,
    }
    .to_feel(h)
}

/// The inverse of [`feel`]: hardness and resistance in percent, and gravity in m/s².
fn params_for_feel(feel: SpringFeel, push: f32, h: f32) -> [f32; 3] {
    let linear = feel.to_recurrence(h);
    let left = (1.0 - linear.offset_removed).max(MIN_REMAINDER);
    let kept = linear.velocity_retention.max(MIN_REMAINDER).min(left);
    let gravity = f64::from(feel.acceleration) / (f64::from(push) * kept);
    [linear.offset_removed * 100.0, (1.0 - kept / left) * 100.0, gravity].map(|value| value as f32)
}

/// Factor on dt² in the displacement by gravity, with the time scale.
fn gravity_factor(system: &System) -> f32 {
    let scale = if system.time_scale > 0.0 { system.time_scale } else { 1.0 };
    system.gravity_share * scale * scale
}

impl ResponseModel for JointDynamics {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let system = Self::bake_system(|param| input.system_params.get(param));
        let h = step_seconds(&system, input.frame_seconds);
        let number = |param| input.joint_params.get(param);
        let gravity = system.gravity * number(GRAVITY_SCALE);
        let feel = feel(number(HARDNESS), number(RESISTANCE), gravity.length(), gravity_factor(&system), h);
        SpringResponse::new(feel, gravity.normalize_or_zero())
    }

    /// Gravity's direction belongs to the system, so the joint's gravity scale can only match the pull in that
    /// direction.
    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let system = Self::bake_system(|param| now.system_params.get(param));
        let h = step_seconds(&system, now.frame_seconds);
        let pull = response.acceleration.dot(system.gravity.normalize_or_zero());
        let [hardness, resistance, gravity] =
            params_for_feel(SpringFeel { acceleration: pull, ..response.feel() }, gravity_factor(&system), h);
        let mut numbers = vec![(HARDNESS, hardness.clamp(0.0, 100.0)), (RESISTANCE, resistance.clamp(0.0, 100.0))];
        let strength = system.gravity.length();
        if strength > 0.0 {
            numbers.push((GRAVITY_SCALE, (gravity / strength).clamp(-100.0, 100.0)));
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ResponseCase, check_feel};
    use glam::Vec3;

    #[test]
    fn params_for_a_response_reproduce_it_for_every_step_length() {
        for (sub_steps, time_scale, full, frame_seconds) in
            [(1.0, 1.0, 0.0, 1.0 / 60.0), (3.0, 0.5, 1.0, 1.0 / 60.0), (2.0, 1.0, 0.0, 1.0 / 144.0)]
        {
            let system = [(SUB_STEPS, sub_steps), (TIME_SCALE, time_scale), (FULL_GRAVITY, full)];
            let feel = SpringFeel { frequency_hz: 2.0, damping_ratio: 0.7, acceleration: 3.0 };
            let target = SpringResponse::new(feel, Vec3::NEG_Y);
            let mut case = ResponseCase::<JointDynamics> { frame_seconds, ..ResponseCase::new(&[], &system) };
            let found = case.round_trip(&target);
            check_feel(&found, [2.0, 0.7], [1e-2; 2]);
            assert!((found.acceleration - target.acceleration).length() < 1e-2, "{found:?}");
        }
    }

    #[test]
    fn the_default_params_have_the_measured_response() {
        for (hardness, resistance, hz, ratio) in [(5.0, 1.0, 2.2, 0.14), (0.1, 5.0, 0.3, 0.82)] {
            let found = feel(hardness, resistance, 0.0, 0.5, 1.0 / 61.0);
            assert!((found.frequency_hz - hz).abs() < 0.06 && (found.damping_ratio - ratio).abs() < 0.03, "{found:?}");
        }
    }

    #[test]
    fn half_of_gravity_is_lost_by_default() {
        let found = ResponseCase::<JointDynamics>::new(&[(HARDNESS, 0.0), (RESISTANCE, 0.0)], &[]).response();
        assert!((found.acceleration.y + 4.9).abs() < 1e-3, "{found:?}");
    }
}
