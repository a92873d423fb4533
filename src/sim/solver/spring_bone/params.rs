//! The parameter table.
//!
//! Names, defaults and inspector ranges are those of UTJ `UnityChanSpringBone` 1.1; vectors are in glTF space.

use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit,
    params,
};
use crate::sim::SolverKind;

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
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Pull back to the rest direction, in 1/s² per metre off; half of it acts, so 623 swings at 3 Hz.
    STIFFNESS = "stiffnessForce" "Stiffness" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 5000.0), scale: SliderScale::Logarithmic, default: 0.01, ..JOINT
    };
    /// Share of the speed lost in every step, 0 to 1; it depends on the steps per second.
    DRAG = "dragForce" "Drag" { default: 0.4, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    SPRING_FORCE: Vector = "springForce" { ..FORCE } [
        /// Steady pull of this bone to the side, in m/s²; half of it acts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Steady pull of this bone upwards, in m/s²; negative pulls down; half of it acts.
        y "Gravity Y" { default: -0.0001 },
        /// Steady pull of this bone to the front, in m/s²; half of it acts.
        z "Gravity Z",
    ];
    /// How much of the wind this bone takes, 0 to 1; other forces ignore it.
    WIND_INFLUENCE = "windInfluence" "Wind" { unit: Unit::Fraction, default: 1.0, meaning: ParamMeaning::Wind, ..JOINT };
    Y_LIMITS: Limits = "yAngleLimits" { ..LIMIT } [
        /// Whether the swing towards the pivot's Y axis is limited.
        active "Y angle",
        /// Farthest swing towards the pivot's +Y, in degrees, 0 or less.
        min "Y lower limit" {
            range: (-180.0, 0.0), soft_range: (-90.0, 0.0), mirror: MirrorRule::SwapNegate(Y_LIMITS.max)
        },
        /// Farthest swing towards the pivot's -Y, in degrees, 0 or more.
        max "Y upper limit" { range: (0.0, 180.0), soft_range: (0.0, 90.0), mirror: MirrorRule::SwapNegate(Y_LIMITS.min) },
    ];
    Z_LIMITS: Limits = "zAngleLimits" { ..LIMIT } [
        /// Whether the swing towards the pivot's Z axis is limited.
        active "Z angle",
        /// Farthest swing towards the pivot's +Z (inwards for made pivots), in degrees, 0 or less.
        min "Z lower limit" { range: (-180.0, 0.0), soft_range: (-90.0, 0.0) },
        /// Farthest swing towards the pivot's -Z (outwards for made pivots), in degrees, 0 or more.
        max "Z upper limit" { range: (0.0, 180.0), soft_range: (0.0, 90.0) },
    ];
    /// How fast a limited angle is drawn back to the middle, in 1/s²; 3600 does it in one step at 60 steps per second.
    ANGULAR_STIFFNESS = "angularStiffness" "Return" {
        group: ParamGroup::AngleLimits, unit: Unit::PerSecondSquared, soft_range: (0.0, 3600.0), scale: SliderScale::Logarithmic,
        default: 100.0, meaning: ParamMeaning::Limit, ..JOINT
    };
    /// Thickness of the tip against colliders and ground, in metres.
    RADIUS = "radius" "Hit radius" { ..THICKNESS };
    GRAVITY: Vector = "gravity" { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..FORCE } [
        /// Pull on every joint to the side, in m/s²; half of it acts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Pull on every joint upwards, in m/s²; negative pulls down; half of it acts.
        y "Gravity Y" { default: -10.0 },
        /// Pull on every joint to the front, in m/s²; half of it acts.
        z "Gravity Z",
    ];
    /// Share of the speed into a collider that comes back out, 0 to 1.
    BOUNCE = "bounce" "Bounce" { ..CONTACT.fraction() };
    /// Share of the speed along a collider that is lost, 0 to 1.
    FRICTION = "friction" "Friction" { default: 1.0, ..CONTACT.fraction() };
    /// Whether tips stop at the ground.
    COLLIDE_WITH_GROUND = "collideWithGround" "Ground" { group: ParamGroup::Collision, ..SWITCH };
    /// Height of the ground in the world, in metres.
    GROUND_HEIGHT = "groundHeight" "Ground height" {
        unit: Unit::Metres, soft_range: (-1.0, 1.0), ..CONTACT.unbounded()
    };
    /// A step lasts 1/rate seconds and is taken once a frame; 0 lets a step last as long as the frame.
    SIMULATION_FRAME_RATE = "simulationFrameRate" "Rate" {
        group: ParamGroup::Time, kind: ParamKind::Integer, unit: Unit::PerSecond, range: (0.0, 1000.0), soft_range: (0.0, 120.0),
        default: 60.0, meaning: ParamMeaning::Time, ..SYSTEM
    };
    /// Blend from animation (0) to motion (1), for bones that the engine has flagged as animated.
    DYNAMIC_RATIO = "dynamicRatio" "Dynamics" {
        group: ParamGroup::Time, default: 0.5, meaning: ParamMeaning::Switch, ..SYSTEM.fraction()
    };
    /// Whether angle limits act at all.
    ENABLE_ANGLE_LIMITS = "enableAngleLimits" "Angle limits" { ..SWITCH };
    /// Whether colliders act at all; the ground has its own switch.
    ENABLE_COLLISION = "enableCollision" "Collision" { ..SWITCH };
    /// Whether length limits act at all.
    ENABLE_LENGTH_LIMITS = "enableLengthLimits" "Length limits" { ..SWITCH };
    /// Freezes the tips where they are in the world, as a program would; bones still turn towards them.
    IS_PAUSED = "isPaused" "Paused" { default: 0.0, ..SWITCH };
    /// Whether the engine steps by itself; off, a program has to, and does once a frame here.
    AUTOMATIC_UPDATES = "automaticUpdates" "Automatic updates" { ..SWITCH };
    /// How radii follow scaled bones: release 1.1 forgets it in places, 1.2.2 follows.
    SCALE_RULES = "scaleRules" "Scale rules" { default: 0.0, ..SWITCH.choice(&["1.1", "1.2.2"]) };
    /// How hard lengths are held, in 1/s²; the engine's 0.5 does nearly nothing, 3600 holds within one step at 60 steps
    /// per second.
    LENGTH_CONSTANT = "lengthLimitConstant" "Length pull" {
        group: ParamGroup::LengthLimits, unit: Unit::PerSecondSquared, soft_range: (0.0, 3600.0), scale: SliderScale::Logarithmic,
        default: 0.5, meaning: ParamMeaning::Limit, extension: true, ..JOINT
    };
    /// Share of an angle limit's range over which it brakes before it stops, 0 to 1.
    SOFTNESS = "angleSoftness" "Soft edge" { default: 0.3, extension: true, ..LIMIT.fraction() };
    /// What of the bone meets colliders: a ball at its tip, a capsule from head to tip, or a box along it.
    BONE_SHAPE = "boneShape" "Shape" {
        group: ParamGroup::Collision, kind: ParamKind::Choice(&["Ball at the tip", "Capsule", "Box"]), range: (0.0, 2.0),
        curve: false, meaning: ParamMeaning::Radius, extension: true, ..JOINT
    };
    /// Thickness of the capsule at the bone's head, in metres; the hit radius is that at its tip.
    HEAD_RADIUS = "headRadius" "Head radius" { extension: true, ..THICKNESS };
    /// Rows of the box's half width and half thickness.
    BOX_HALF: [2] = { extension: true, ..THICKNESS } [
        /// Half of the box's width across the bone, in metres, along the bone's own X, or Y where it runs along X.
        "boxHalfWidth" "Half width",
        /// Half of the box's thickness, in metres, square to its width and the bone.
        "boxHalfThickness" "Half depth" { default: 0.02 },
    ];
    /// As Unity does it, quirks included, or with the improvements below, which Unity will not do.
    MODE = "way" "Way" {
        default: UNITY_ACCURATE, invalidates: Invalidates::Topology, ..IMPROVEMENT.choice(&["As Unity does it", "Improved"])
    };
    /// Angle limits work beyond 90 degrees; the engine folds a tip behind the pivot to the front.
    WIDE_LIMITS = "wideLimits" "Wide limits" { ..IMPROVEMENT };
    /// Angle limits brake before they stop; in the engine the soft part has no effect.
    SOFT_LIMITS = "softLimits" "Soft limits" { ..IMPROVEMENT };
    /// Length limits use each bone's length pull; the engine's own constant does nearly nothing.
    STRONG_LENGTH_LIMITS = "strongLengths" "Length limits that hold" { ..IMPROVEMENT };
    /// Radii of bones and colliders follow their scale everywhere, as release 1.2.2 meant to.
    SCALED_RADII = "scaledRadii" "Radii follow scale" { ..IMPROVEMENT };
    /// The same speed at every frame rate of the player; the engine takes one step per frame however long it took.
    FIXED_STEP = "steadyPace" "Steady pace" { ..IMPROVEMENT };
    /// Pausing and switching bones off and on carries tips along, so that nothing jumps afterwards.
    CARRY_TIPS_ON_PAUSE = "noKicks" "No kicks" { ..IMPROVEMENT };
    /// Each bone's own shape meets colliders, so that nothing slips in between tips.
    BONE_SHAPES = "boneShapes" "Whole bones collide" { default: 0.0, ..IMPROVEMENT };
    /// A jump of the character carries tips along whole instead of flinging them.
    TELEPORT = "teleport" "Teleport" { ..IMPROVEMENT };
    /// A root that moves faster is taken to have jumped, in m/s.
    TELEPORT_SPEED = "teleportSpeed" "Teleport from" {
        unit: Unit::Speed, soft_range: (0.0, 200.0), default: 60.0, ..IMPROVEMENT_NUMBER
    };
    /// A root that turns faster is taken to have jumped, in degrees per second.
    TELEPORT_TURN = "teleportTurn" "Teleport turn from" {
        unit: Unit::AngularSpeed, soft_range: (0.0, 10800.0), default: 3600.0, ..IMPROVEMENT_NUMBER
    };
    /// Movement of the character above a speed carries tips along instead of swinging them.
    SLIDE_LIMIT = "slideLimit" "Limit slide" { default: 0.0, ..IMPROVEMENT };
    /// The fastest movement of the root that is felt, in m/s.
    SLIDE_SPEED = "slideSpeed" "Slide speed" {
        unit: Unit::Speed, soft_range: (0.0, 20.0), default: 5.0, ..IMPROVEMENT_NUMBER
    };
    /// Turning of the character above a speed carries tips along instead of swinging them.
    TURN_LIMIT = "turnLimit" "Limit turn" { default: 0.0, ..IMPROVEMENT };
    /// The fastest turning of the root that is felt, in degrees per second.
    TURN_SPEED = "turnSpeed" "Turn speed" {
        unit: Unit::AngularSpeed, soft_range: (0.0, 1440.0), default: 540.0, ..IMPROVEMENT_NUMBER
    };
    /// Share of the root's movement that tips feel, 0 (carried along) to 1 (all of it, as in the engine).
    INERTIA = "inertia" "Follow" { ..IMPROVEMENT_NUMBER.fraction() };
    /// Tips never swing faster than a speed.
    TIP_SPEED_LIMIT = "tipSpeedLimit" "Limit tips" { default: 0.0, ..IMPROVEMENT };
    /// The fastest swing of a tip, in m/s.
    TIP_SPEED = "tipSpeed" "Tip speed" {
        unit: Unit::Speed, soft_range: (0.0, 50.0), default: 10.0, ..IMPROVEMENT_NUMBER
    };
    /// Steps taken before the first picture after a start or reset, so that hair hangs where it will hang.
    WARM_UP = "warmUp" "Warm-up" {
        kind: ParamKind::Integer, range: (0.0, 600.0), soft_range: (0.0, 120.0), default: 0.0, ..IMPROVEMENT_NUMBER
    };
    /// Seconds after a start or reset in which the motion comes up from rest.
    FADE_IN = "fadeIn" "Fade in" { unit: Unit::Seconds, soft_range: (0.0, 2.0), default: 0.0, ..IMPROVEMENT_NUMBER };
}

/// The choice of [`MODE`] that is faithful to the engine's quirks.
pub const UNITY_ACCURATE: f32 = 0.0;

/// Whether a value of [`MODE`] is the better way.
pub const fn is_improved(mode: f32) -> bool {
    mode >= 0.5
}

/// Whether the swing towards the pivot's Y axis is limited.
pub const Y_ACTIVE: ParamId = Y_LIMITS.active;
/// The lower limit of that swing.
pub const Y_MIN: ParamId = Y_LIMITS.min;
/// The upper limit of that swing.
pub const Y_MAX: ParamId = Y_LIMITS.max;
/// Whether the swing towards the pivot's Z axis is limited.
pub const Z_ACTIVE: ParamId = Z_LIMITS.active;
/// The lower limit of that swing.
pub const Z_MIN: ParamId = Z_LIMITS.min;
/// The upper limit of that swing.
pub const Z_MAX: ParamId = Z_LIMITS.max;
