//! Parameter table of UTJ `UnityChanSpringBone` 1.1, the values that a step reads, and the spring response.
//!
//! Names, defaults and inspector ranges are those of release 1.1; vectors are in glTF space. Only half of every
//! acceleration acts.

use super::shapes::BoneShape;
use super::{AngleLimit, Params, SpringBone, System};
use crate::linear_spring::{SpringBoneValues, SpringFeel};
use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet, SliderScale,
    Unit, params,
};
use crate::{FeelParam, ResponseInput, ResponseModel, SolverKind, SpringResponse, UNLIMITED_ANGLE_DEG};
use glam::Vec3;

const JOINT: ParamDef = ParamDef { owner: SolverKind::UnityChanSpringBone.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, curve: false, group: ParamGroup::World, ..JOINT };
const FORCE: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    soft_range: (-30.0, 30.0),
    meaning: ParamMeaning::Gravity,
    ..JOINT.unbounded()
};
const LIMIT: ParamDef = ParamDef { group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, ..JOINT.degrees() };
const CONTACT: ParamDef = ParamDef { group: ParamGroup::Collision, meaning: ParamMeaning::Contact, ..SYSTEM };
const THICKNESS: ParamDef = ParamDef {
    group: ParamGroup::Collision,
    unit: Unit::Metres,
    soft_range: (0.0, 0.5),
    scale: SliderScale::Logarithmic,
    default: 0.05,
    meaning: ParamMeaning::Radius,
    ..JOINT
};
const SWITCH: ParamDef =
    ParamDef { group: ParamGroup::Switches, meaning: ParamMeaning::Switch, default: 1.0, ..SYSTEM.toggle() };
const IMPROVEMENT: ParamDef = ParamDef { group: ParamGroup::Improved, extension: true, ..SWITCH };
const IMPROVEMENT_NUMBER: ParamDef =
    ParamDef { kind: ParamKind::Number, range: (0.0, f32::MAX), meaning: ParamMeaning::Limit, ..IMPROVEMENT };

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Pulls the tip back to its rest position, in 1/s². Higher is stiffer; half of the value acts, so 623 swings at 3
    /// Hz.
    STIFFNESS = "stiffnessForce" "Stiffness" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 5000.0), scale: SliderScale::Logarithmic, default: 0.01, ..JOINT
    };
    /// Share of the speed lost in every step, 0 to 1. More steps per second brake more.
    DRAG = "dragForce" "Drag" { default: 0.4, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    SPRING_FORCE: Vector = "springForce" { ..FORCE } [
        /// Pulls this bone sideways, in m/s². Half of the value acts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Pulls this bone upwards, in m/s². Negative pulls down; half of the value acts.
        y "Gravity Y" { default: -0.0001 },
        /// Pulls this bone forwards, in m/s². Half of the value acts.
        z "Gravity Z",
    ];
    /// Share of the wind that acts on this bone, 0 to 1. Other forces ignore it.
    WIND_INFLUENCE = "windInfluence" "Wind" { unit: Unit::Fraction, default: 1.0, meaning: ParamMeaning::Wind, ..JOINT };
    Y_LIMITS: Limits = "yAngleLimits" { ..LIMIT } [
        /// Limits how far the bone turns towards the pivot's Y axis.
        active "Y angle",
        /// Largest angle towards the pivot's +Y, in degrees, 0 or less.
        min "Y lower limit" {
            range: (-180.0, 0.0), soft_range: (-90.0, 0.0), mirror: MirrorRule::SwapNegate(Y_LIMITS.max)
        },
        /// Largest angle towards the pivot's -Y, in degrees, 0 or more.
        max "Y upper limit" { range: (0.0, 180.0), soft_range: (0.0, 90.0), mirror: MirrorRule::SwapNegate(Y_LIMITS.min) },
    ];
    Z_LIMITS: Limits = "zAngleLimits" { ..LIMIT } [
        /// Limits how far the bone turns towards the pivot's Z axis.
        active "Z angle",
        /// Largest angle towards the pivot's +Z (inwards for generated pivots), in degrees, 0 or less.
        min "Z lower limit" { range: (-180.0, 0.0), soft_range: (-90.0, 0.0) },
        /// Largest angle towards the pivot's -Z (outwards for generated pivots), in degrees, 0 or more.
        max "Z upper limit" { range: (0.0, 180.0), soft_range: (0.0, 90.0) },
    ];
    /// Pulls a limited angle back to the middle, in 1/s². 3600 returns it in one step at 60 steps per second.
    ANGULAR_STIFFNESS = "angularStiffness" "Return" {
        group: ParamGroup::AngleLimits, unit: Unit::PerSecondSquared, soft_range: (0.0, 3600.0), scale: SliderScale::Logarithmic,
        default: 100.0, meaning: ParamMeaning::Limit, ..JOINT
    };
    /// Radius of the tip against colliders and ground, in metres.
    RADIUS = "radius" "Hit radius" { ..THICKNESS };
    GRAVITY: Vector = "gravity" { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..FORCE } [
        /// Pulls every joint sideways, in m/s². Half of the value acts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Pulls every joint upwards, in m/s². Negative pulls down; half of the value acts.
        y "Gravity Y" { default: -10.0 },
        /// Pulls every joint forwards, in m/s². Half of the value acts.
        z "Gravity Z",
    ];
    /// Share of the speed into a collider that a tip gets back, 0 to 1.
    BOUNCE = "bounce" "Bounce" { ..CONTACT.fraction() };
    /// Share of the speed along a collider that a tip loses, 0 to 1.
    FRICTION = "friction" "Friction" { default: 1.0, ..CONTACT.fraction() };
    /// Stops tips at the ground.
    COLLIDE_WITH_GROUND = "collideWithGround" "Ground" { group: ParamGroup::Collision, ..SWITCH };
    /// Height of the ground in the world, in metres.
    GROUND_HEIGHT = "groundHeight" "Ground height" {
        unit: Unit::Metres, soft_range: (-1.0, 1.0), ..CONTACT.unbounded()
    };
    /// Steps per second: a step lasts 1/rate seconds and runs once per frame. At 0 a step lasts as long as the frame.
    SIMULATION_FRAME_RATE = "simulationFrameRate" "Rate" {
        group: ParamGroup::Time, kind: ParamKind::Integer, unit: Unit::PerSecond, range: (0.0, 1000.0), soft_range: (0.0, 120.0),
        default: 60.0, meaning: ParamMeaning::Time, ..SYSTEM
    };
    /// Blends from animation (0) to simulation (1), for bones that Unity marks as animated.
    DYNAMIC_RATIO = "dynamicRatio" "Dynamics" {
        group: ParamGroup::Time, default: 0.5, meaning: ParamMeaning::Switch, ..SYSTEM.fraction()
    };
    /// Turns all angle limits on or off.
    ENABLE_ANGLE_LIMITS = "enableAngleLimits" "Angle limits" { ..SWITCH };
    /// Turns all colliders on or off. The ground has its own switch.
    ENABLE_COLLISION = "enableCollision" "Collision" { ..SWITCH };
    /// Turns all length limits on or off.
    ENABLE_LENGTH_LIMITS = "enableLengthLimits" "Length limits" { ..SWITCH };
    /// Freezes the tips in the world, as a script would. Bones still turn towards them.
    IS_PAUSED = "isPaused" "Paused" { default: 0.0, ..SWITCH };
    /// Off: a script calls the step in Unity. Here the step still runs once per frame.
    AUTOMATIC_UPDATES = "automaticUpdates" "Automatic updates" { ..SWITCH };
    /// Whether radii follow scaled bones: 1.1 ignores scale in places, 1.2.2 follows it.
    SCALE_RULES = "scaleRules" "Scale rules" { default: 0.0, ..SWITCH.choice(&["1.1", "1.2.2"]) };
    /// Pull to the target length, in 1/s². 3600 corrects it within one step at 60 steps per second; Unity's 0.5 has
    /// almost no effect.
    LENGTH_CONSTANT = "lengthLimitConstant" "Length pull" {
        group: ParamGroup::LengthLimits, unit: Unit::PerSecondSquared, soft_range: (0.0, 3600.0), scale: SliderScale::Logarithmic,
        default: 0.5, meaning: ParamMeaning::Limit, extension: true, ..JOINT
    };
    /// Share of the limit's range in which the bone slows down before it stops, 0 to 1.
    SOFTNESS = "angleSoftness" "Soft edge" { default: 0.3, extension: true, ..LIMIT.fraction() };
    /// Part of the bone that hits colliders: a sphere at its tip, a capsule from head to tip, or a box along it.
    BONE_SHAPE = "boneShape" "Shape" {
        group: ParamGroup::Collision, kind: ParamKind::Choice(&["Ball at the tip", "Capsule", "Box"]), range: (0.0, 2.0),
        curve: false, meaning: ParamMeaning::Radius, extension: true, ..JOINT
    };
    /// Radius of the capsule at the bone's head, in metres. Its radius at the tip is the hit radius.
    HEAD_RADIUS = "headRadius" "Head radius" { extension: true, ..THICKNESS };
    /// Half width and half thickness of the box.
    BOX_HALF: [2] = { extension: true, ..THICKNESS } [
        /// Half of the box's width, in metres, along the bone's own X (Y if the bone points along X).
        "boxHalfWidth" "Half width",
        /// Half of the box's thickness, in metres, across its width and the bone.
        "boxHalfThickness" "Half depth" { default: 0.02 },
    ];
    /// Reproduces Unity with its quirks, or adds the improvements below, which Unity does not have.
    MODE = "mode" "Mode" {
        default: UNITY_ACCURATE, invalidates: Invalidates::Topology, ..IMPROVEMENT.choice(&["Unity-accurate", "Improved"])
    };
    /// Lets angle limits work beyond 90 degrees. Unity mirrors a tip behind the pivot to the front.
    WIDE_LIMITS = "wideLimits" "Wide limits" { ..IMPROVEMENT };
    /// Slows bones down before they reach an angle limit. In Unity the soft part has no effect.
    SOFT_LIMITS = "softLimits" "Soft limits" { ..IMPROVEMENT };
    /// Length limits use each bone's length pull. Unity's own constant has almost no effect.
    STRONG_LENGTH_LIMITS = "strongLengths" "Length limits that hold" { ..IMPROVEMENT };
    /// Radii of bones and colliders follow their scale everywhere, as release 1.2.2 intends.
    SCALED_RADII = "scaledRadii" "Radii follow scale" { ..IMPROVEMENT };
    /// Same speed at every frame rate. Unity takes one step per frame, however long it lasts.
    FIXED_STEP = "steadyPace" "Steady pace" { ..IMPROVEMENT };
    /// Pausing and disabling bones moves their tips along, so that nothing jumps afterwards.
    CARRY_TIPS_ON_PAUSE = "noKicks" "No kicks" { ..IMPROVEMENT };
    /// The whole shape of each bone hits colliders, so that nothing slips in between tips.
    BONE_SHAPES = "boneShapes" "Whole bones collide" { default: 0.0, ..IMPROVEMENT };
    /// A jump of the character moves the tips along instead of flinging them.
    TELEPORT = "teleport" "Teleport" { ..IMPROVEMENT };
    /// Root speed above which a motion counts as a teleport, in m/s.
    TELEPORT_SPEED = "teleportSpeed" "Teleport from" {
        unit: Unit::Speed, soft_range: (0.0, 200.0), default: 60.0, ..IMPROVEMENT_NUMBER
    };
    /// Turning speed of the root above which a motion counts as a teleport, in degrees per second.
    TELEPORT_TURN = "teleportTurn" "Teleport turn from" {
        unit: Unit::AngularSpeed, soft_range: (0.0, 10800.0), default: 3600.0, ..IMPROVEMENT_NUMBER
    };
    /// Character motion above a speed moves tips along instead of swinging them.
    SLIDE_LIMIT = "slideLimit" "Limit slide" { default: 0.0, ..IMPROVEMENT };
    /// Fastest root motion that swings tips, in m/s.
    SLIDE_SPEED = "slideSpeed" "Slide speed" {
        unit: Unit::Speed, soft_range: (0.0, 20.0), default: 5.0, ..IMPROVEMENT_NUMBER
    };
    /// Character rotation above a speed moves tips along instead of swinging them.
    TURN_LIMIT = "turnLimit" "Limit turn" { default: 0.0, ..IMPROVEMENT };
    /// Fastest root rotation that swings tips, in degrees per second.
    TURN_SPEED = "turnSpeed" "Turn speed" {
        unit: Unit::AngularSpeed, soft_range: (0.0, 1440.0), default: 540.0, ..IMPROVEMENT_NUMBER
    };
    /// Share of the root's motion that tips feel, 0 to 1. 0 moves them along rigidly; 1 is Unity.
 INERTIA = "inertia" "Inertia" { ..IMPROVEMENT_NUMBER.fraction() };
    /// Limits the speed of tips.
    TIP_SPEED_LIMIT = "tipSpeedLimit" "Limit tips" { default: 0.0, ..IMPROVEMENT };
    /// Fastest speed of a tip, in m/s.
    TIP_SPEED = "tipSpeed" "Tip speed" {
        unit: Unit::Speed, soft_range: (0.0, 50.0), default: 10.0, ..IMPROVEMENT_NUMBER
    };
    /// Steps taken before the first frame after a start or reset, so that hair has settled. 0 takes none.
    WARM_UP = "warmUp" "Warm-up" {
        kind: ParamKind::Integer, range: (0.0, 600.0), soft_range: (0.0, 120.0), default: 0.0, ..IMPROVEMENT_NUMBER
    };
    /// Seconds after a start or reset in which the simulation blends in from rest. 0 turns it off.
    FADE_IN = "fadeIn" "Fade in" { unit: Unit::Seconds, soft_range: (0.0, 2.0), default: 0.0, ..IMPROVEMENT_NUMBER };
}

/// The choice of [`MODE`] that reproduces Unity with its quirks.
pub const UNITY_ACCURATE: f32 = 0.0;

/// Whether a value of [`MODE`] turns the improvements on.
pub const fn is_improved(mode: f32) -> bool {
    mode >= 0.5
}

/// Switch of the Y limit.
pub const Y_ACTIVE: ParamId = Y_LIMITS.active;
/// Lower end of the Y limit.
pub const Y_MIN: ParamId = Y_LIMITS.min;
/// Upper end of the Y limit.
pub const Y_MAX: ParamId = Y_LIMITS.max;
/// Switch of the Z limit.
pub const Z_ACTIVE: ParamId = Z_LIMITS.active;
/// Lower end of the Z limit.
pub const Z_MIN: ParamId = Z_LIMITS.min;
/// Upper end of the Z limit.
pub const Z_MAX: ParamId = Z_LIMITS.max;

/// The improvements; `None` in [`System`] unless the mode is improved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct ImprovedParams {
    pub(super) wide_limits: bool,
    pub(super) soft_limits: bool,
    pub(super) strong_length_limits: bool,
    pub(super) scaled_radii: bool,
    pub(super) fixed_step: bool,
    pub(super) carry_tips_on_pause: bool,
    pub(super) bone_shapes: bool,
    /// Speeds above which a motion is a teleport, in m/s and in degrees per second.
    pub(super) teleport: Option<[f32; 2]>,
    /// In m/s.
    pub(super) slide_limit: Option<f32>,
    /// In degrees per second.
    pub(super) turn_limit: Option<f32>,
    pub(super) inertia: f32,
    /// In m/s.
    pub(super) tip_speed: Option<f32>,
    pub(super) warm_up: u32,
    /// In seconds.
    pub(super) fade_in: f32,
}

pub(super) fn bake_joint(mut get: impl FnMut(ParamId) -> f32) -> Params {
    let mut limit = |active, min, max| {
        let (active, min, max) = (get(active), get(min), get(max));
        (active != 0.0).then_some(AngleLimit { min, max })
    };
    let (y_limit, z_limit) = (limit(Y_ACTIVE, Y_MIN, Y_MAX), limit(Z_ACTIVE, Z_MIN, Z_MAX));
    Params {
        stiffness: get(STIFFNESS),
        velocity_retention: 1.0 - get(DRAG),
        spring_force: Vec3::from(SPRING_FORCE.map(&mut get)),
        radius: get(RADIUS),
        y_limit,
        z_limit,
        angular_stiffness: get(ANGULAR_STIFFNESS),
        wind_influence: get(WIND_INFLUENCE),
        length_constant: get(LENGTH_CONSTANT),
        softness: get(SOFTNESS).clamp(0.0, 1.0),
        shape: bake_shape(get),
    }
}

fn bake_shape(mut get: impl FnMut(ParamId) -> f32) -> BoneShape {
    let (head, half) = (get(HEAD_RADIUS).max(0.0), BOX_HALF.map(|param| get(param).max(0.0)));
    match get(BONE_SHAPE) {
        1.0 => BoneShape::Capsule(head),
        2.0 => BoneShape::Box(half),
        _ => BoneShape::Tip,
    }
}

pub(super) fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
    // The step does not depend on what starts it, so this parameter has no effect.
    let _ = get(AUTOMATIC_UPDATES);
    let (on, height) = (get(COLLIDE_WITH_GROUND), get(GROUND_HEIGHT));
    let (follows, improved) = (get(SCALE_RULES) != 0.0, bake_improved(&mut get));
    System {
        gravity: Vec3::from(GRAVITY.map(&mut get)),
        bounce: get(BOUNCE),
        friction: get(FRICTION),
        ground: (on != 0.0).then_some(height),
        step_rate: get(SIMULATION_FRAME_RATE),
        dynamic_ratio: get(DYNAMIC_RATIO),
        limits: get(ENABLE_ANGLE_LIMITS) != 0.0,
        collision: get(ENABLE_COLLISION) != 0.0,
        lengths: get(ENABLE_LENGTH_LIMITS) != 0.0,
        paused: get(IS_PAUSED) != 0.0,
        scaled_radii: follows || improved.is_some_and(|better| better.scaled_radii),
        improved,
    }
}

fn bake_improved(mut get: impl FnMut(ParamId) -> f32) -> Option<ImprovedParams> {
    let mut on = |param| get(param) != 0.0;
    let mut improved = ImprovedParams {
        wide_limits: on(WIDE_LIMITS),
        soft_limits: on(SOFT_LIMITS),
        strong_length_limits: on(STRONG_LENGTH_LIMITS),
        scaled_radii: on(SCALED_RADII),
        fixed_step: on(FIXED_STEP),
        carry_tips_on_pause: on(CARRY_TIPS_ON_PAUSE),
        bone_shapes: on(BONE_SHAPES),
        inertia: get(INERTIA).clamp(0.0, 1.0),
        warm_up: get(WARM_UP).clamp(0.0, 600.0) as u32,
        fade_in: get(FADE_IN),
        ..ImprovedParams::default()
    };
    let mut limit = |switch, param| {
        let (on, value) = (get(switch), get(param));
        (on != 0.0).then_some(value.max(0.0))
    };
    improved.slide_limit = limit(SLIDE_LIMIT, SLIDE_SPEED);
    improved.turn_limit = limit(TURN_LIMIT, TURN_SPEED);
    improved.tip_speed = limit(TIP_SPEED_LIMIT, TIP_SPEED);
    let speed = limit(TELEPORT, TELEPORT_SPEED);
    let turn = get(TELEPORT_TURN);
    improved.teleport = speed.map(|speed| [speed, turn]);
    is_improved(get(MODE)).then_some(improved)
}

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] =
    &[(FeelParam::IgnoreMotion, "UnityChan SpringBone has no number for how much of the body's motion is ignored.")];

/// Length of a step, in seconds: from the system's rate, or the length of the frame if the rate is 0.
pub(super) fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
    let rate = system.get(SIMULATION_FRAME_RATE).trunc();
    if rate > 0.0 { 1.0 / rate } else { frame }
}

impl ResponseModel for SpringBone {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let force = input.system_param_vector(GRAVITY) + input.joint_param_vector(SPRING_FORCE);
        let number = |param| input.joint_params.get(param);
        let values = SpringBoneValues { stiffness: number(STIFFNESS), drag: number(DRAG), force: force.length() };
        let feel = values.to_feel(step_seconds(input.system_params, input.frame_seconds));
        SpringResponse {
            max_angle_deg: max_angle_deg(input),
            radius: Some(number(RADIUS)),
            ..SpringResponse::new(feel, force.normalize_or_zero())
        }
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let h = step_seconds(now.system_params, now.frame_seconds);
        let values = SpringBoneValues::from_feel(SpringFeel { acceleration: 1.0, ..response.feel() }, h);
        // The system's gravity acts on every joint, so each joint's own force compensates for it.
        let force: Vec3 = response.acceleration * values.force - now.system_param_vector(GRAVITY);
        let mut numbers = vec![(STIFFNESS, values.stiffness.max(0.0)), (DRAG, values.drag.clamp(0.0, 1.0))];
        numbers.extend(SPRING_FORCE.into_iter().zip(force.to_array()));
        numbers.extend(response.radius.map(|radius| (RADIUS, radius)));
        numbers.extend(response.max_angle_deg.into_iter().flat_map(|reach| limits_for_max_angle(reach, now)));
        numbers
    }
}

/// Widest possible limit, in degrees. Without wide limits, Unity mirrors a tip behind the pivot to the front.
fn max_limit_deg(input: &ResponseInput<'_>) -> f32 {
    let wide = is_improved(input.system_params.get(MODE)) && input.system_params.get(WIDE_LIMITS) != 0.0;
    if wide { UNLIMITED_ANGLE_DEG } else { 90.0 }
}

/// The smallest end of both limits, in degrees; `None` unless both limits are on.
fn max_angle_deg(input: &ResponseInput<'_>) -> Option<f32> {
    let number = |param| input.joint_params.get(param);
    let limited =
        input.system_params.get(ENABLE_ANGLE_LIMITS) != 0.0 && [Y_ACTIVE, Z_ACTIVE].iter().all(|r| number(*r) > 0.0);
    let ends = [Y_MIN, Y_MAX, Z_MIN, Z_MAX].map(|param| number(param).abs());
    limited.then(|| ends.into_iter().fold(max_limit_deg(input), f32::min))
}

/// Both limits for a maximum angle. Limits that are already on are scaled, so asymmetric limits stay asymmetric.
fn limits_for_max_angle(reach: f32, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
    if reach >= UNLIMITED_ANGLE_DEG {
        return vec![(Y_ACTIVE, 0.0), (Z_ACTIVE, 0.0)];
    }
    let reach = reach.min(max_limit_deg(now));
    let factor = max_angle_deg(now).filter(|is| *is > 0.0).map(|is| reach / is);
    let end = |param: ParamId, sign: f32| {
        let value = factor.map_or(sign * reach, |factor| now.joint_params.get(param) * factor);
        (param, value.clamp(-UNLIMITED_ANGLE_DEG, UNLIMITED_ANGLE_DEG))
    };
    vec![(Y_ACTIVE, 1.0), (Z_ACTIVE, 1.0), end(Y_MIN, -1.0), end(Y_MAX, 1.0), end(Z_MIN, -1.0), end(Z_MAX, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ResponseCase, check_feel};

    #[test]
    fn params_for_a_response_reproduce_it() {
        let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 2.0 };
        let target = SpringResponse {
            max_angle_deg: Some(25.0),
            radius: Some(0.02),
            ..SpringResponse::new(feel, Vec3::new(0.6, -0.8, 0.0))
        };
        let found = ResponseCase::<SpringBone>::new(&[], &[(GRAVITY[1], -10.0)]).round_trip(&target);
        check_feel(&found, [3.0, 0.4], [1e-3; 2]);
        assert!((found.acceleration - target.acceleration).length() < 1e-3, "{found:?}");
        assert_eq!((found.max_angle_deg, found.radius, found.ignored_motion), (Some(25.0), Some(0.02), None));
    }

    #[test]
    fn angle_limits_open_to_ninety_degrees_without_wide_limits() {
        for (way, expected) in [(0.0, 90.0), (1.0, 120.0)] {
            let mut case = ResponseCase::<SpringBone>::new(&[], &[(MODE, way)]);
            let target = SpringResponse { max_angle_deg: Some(120.0), ..case.response() };
            assert_eq!(case.round_trip(&target).max_angle_deg, Some(expected));
            assert_eq!((case.joint.get(Y_MIN), case.joint.get(Z_MAX)), (-expected, expected));
        }
    }
}
