//! The parameter table.
//!
//! Names, defaults and inspector ranges are those of UTJ `UnityChanSpringBone` 1.1; vectors are in glTF space.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::UnityChanSpringBone.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, curve: false, group: Group::World, ..JOINT };
const FORCE: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    range: (f32::MIN, f32::MAX),
    soft_range: (-30.0, 30.0),
    idea: Idea::Gravity,
    ..JOINT
};
const LIMIT: ParamDef =
    ParamDef { group: Group::AngleLimits, kind: Kind::Degrees, unit: Unit::Degrees, idea: Idea::Limit, ..JOINT };
const LIMIT_ON: ParamDef = ParamDef { kind: Kind::Toggle, unit: Unit::None, range: (0.0, 1.0), curve: false, ..LIMIT };
const LIMIT_MIN: ParamDef = ParamDef { range: (-180.0, 0.0), soft_range: (-90.0, 0.0), ..LIMIT };
const LIMIT_MAX: ParamDef = ParamDef { range: (0.0, 180.0), soft_range: (0.0, 90.0), ..LIMIT };
const SWITCH: ParamDef = ParamDef {
    group: Group::Switches,
    kind: Kind::Toggle,
    range: (0.0, 1.0),
    idea: Idea::Switch,
    default: 1.0,
    ..SYSTEM
};

const IMPROVEMENT: ParamDef = ParamDef { group: Group::Improved, beyond: true, ..SWITCH };
const IMPROVEMENT_NUMBER: ParamDef =
    ParamDef { kind: Kind::Number, range: (0.0, f32::MAX), idea: Idea::Limit, ..IMPROVEMENT };

/// Row of `stiffnessForce`.
pub const STIFFNESS: Row = Row(0);
/// Row of `dragForce`.
pub const DRAG: Row = Row(1);
/// Rows of `springForce` x, y, z.
pub const SPRING_FORCE: [Row; 3] = [Row(2), Row(3), Row(4)];
/// Row of `windInfluence`.
pub const WIND_INFLUENCE: Row = Row(5);
/// Row of `yAngleLimits.active`.
pub const Y_ACTIVE: Row = Row(6);
/// Row of `yAngleLimits.min`.
pub const Y_MIN: Row = Row(7);
/// Row of `yAngleLimits.max`.
pub const Y_MAX: Row = Row(8);
/// Row of `zAngleLimits.active`.
pub const Z_ACTIVE: Row = Row(9);
/// Row of `zAngleLimits.min`.
pub const Z_MIN: Row = Row(10);
/// Row of `zAngleLimits.max`.
pub const Z_MAX: Row = Row(11);
/// Row of `angularStiffness`.
pub const ANGULAR_STIFFNESS: Row = Row(12);
/// Row of `radius`.
pub const RADIUS: Row = Row(13);
/// Rows of the manager's `gravity` x, y, z.
pub const GRAVITY: [Row; 3] = [Row(14), Row(15), Row(16)];
/// Row of `bounce`.
pub const BOUNCE: Row = Row(17);
/// Row of `friction`.
pub const FRICTION: Row = Row(18);
/// Row of `collideWithGround`.
pub const COLLIDE_WITH_GROUND: Row = Row(19);
/// Row of `groundHeight`.
pub const GROUND_HEIGHT: Row = Row(20);
/// Row of `simulationFrameRate`.
pub const SIMULATION_FRAME_RATE: Row = Row(21);
/// Row of `dynamicRatio`.
pub const DYNAMIC_RATIO: Row = Row(22);
/// Row of `enableAngleLimits`.
pub const ENABLE_ANGLE_LIMITS: Row = Row(23);
/// Row of `enableCollision`.
pub const ENABLE_COLLISION: Row = Row(24);

/// Row of `enableLengthLimits`.
pub const ENABLE_LENGTH_LIMITS: Row = Row(25);
/// Row of `isPaused`.
pub const IS_PAUSED: Row = Row(26);
/// Row of `automaticUpdates`.
pub const AUTOMATIC_UPDATES: Row = Row(27);
/// Row of the package's version that decides how radii follow scale.
pub const SCALE_RULES: Row = Row(28);
/// Row of the pull of length limits.
pub const LENGTH_CONSTANT: Row = Row(29);
/// Row of the soft knee before an angle limit.
pub const SOFTNESS: Row = Row(30);
/// Row of what collides: the tip alone or the whole bone.
pub const BONE_SHAPE: Row = Row(31);
/// Row of the capsule's radius at the head.
pub const HEAD_RADIUS: Row = Row(32);
/// Rows of the box's half width and half thickness.
pub const BOX_HALF: [Row; 2] = [Row(33), Row(34)];
/// Row of the way to run: as Unity does it, or improved.
pub const WAY: Row = Row(35);
/// Row of the switch for limits beyond a right angle.
pub const WIDE_LIMITS: Row = Row(36);
/// Row of the switch for the soft knee.
pub const SOFT_LIMITS: Row = Row(37);
/// Row of the switch for length limits that hold.
pub const STRONG_LENGTHS: Row = Row(38);
/// Row of the switch for radii that follow scale.
pub const SCALED_RADII: Row = Row(39);
/// Row of the switch for a pace that players' frame rate does not change.
pub const STEADY_PACE: Row = Row(40);
/// Row of the switch against kicks on pause and enable.
pub const NO_KICKS: Row = Row(41);
/// Row of the switch for capsules and boxes along the bone.
pub const BONE_SHAPES: Row = Row(42);
/// Row of the switch that takes jumps of the character as teleports.
pub const TELEPORT: Row = Row(43);
/// Row of the speed from which on a movement is a teleport.
pub const TELEPORT_SPEED: Row = Row(44);
/// Row of the turning speed from which on a turn is a teleport.
pub const TELEPORT_TURN: Row = Row(45);
/// Row of the switch that limits how fast the character's movement is felt.
pub const SLIDE_LIMIT: Row = Row(46);
/// Row of that speed.
pub const SLIDE_SPEED: Row = Row(47);
/// Row of the switch that limits how fast the character's turning is felt.
pub const TURN_LIMIT: Row = Row(48);
/// Row of that turning speed.
pub const TURN_SPEED: Row = Row(49);
/// Row of the share of the character's movement that is felt.
pub const INERTIA: Row = Row(50);
/// Row of the switch that limits the tips' own speed.
pub const TIP_SPEED_LIMIT: Row = Row(51);
/// Row of that speed.
pub const TIP_SPEED: Row = Row(52);
/// Row of the steps taken before the first picture.
pub const WARM_UP: Row = Row(53);
/// Row of the seconds in which the motion fades in.
pub const FADE_IN: Row = Row(54);

/// The choice of [`WAY`] that is faithful to the engine's quirks.
pub const AS_UNITY: f32 = 0.0;

/// Whether a value of [`WAY`] is the better way.
pub const fn is_improved(way: f32) -> bool {
    way >= 0.5
}

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "stiffnessForce",
        label: "Stiffness",
        unit: Unit::PerSecondSquared,
        soft_range: (0.0, 5000.0),
        scale: Scale::Logarithmic,
        default: 0.01,
        doc: "Pull back to the rest direction, in 1/s² per metre off; half of it acts, so 623 swings at 3 Hz.",
        ..JOINT
    },
    ParamDef {
        name: "dragForce",
        label: "Drag",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.4,
        idea: Idea::Drag,
        doc: "Share of the speed lost in every step, 0 to 1; it depends on the steps per second.",
        ..JOINT
    },
    ParamDef {
        name: "springForce x",
        label: "Gravity X",
        mirror: Mirror::Negate,
        doc: "Steady pull of this bone to the side, in m/s²; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "springForce y",
        label: "Gravity Y",
        default: -0.0001,
        doc: "Steady pull of this bone upwards, in m/s²; negative pulls down; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "springForce z",
        label: "Gravity Z",
        doc: "Steady pull of this bone to the front, in m/s²; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "windInfluence",
        label: "Wind",
        unit: Unit::Share,
        default: 1.0,
        idea: Idea::Wind,
        doc: "How much of the wind this bone takes, 0 to 1; other forces ignore it.",
        ..JOINT
    },
    ParamDef {
        name: "yAngleLimits.active",
        label: "Y angle",
        doc: "Whether the swing towards the pivot's Y axis is limited.",
        ..LIMIT_ON
    },
    ParamDef {
        name: "yAngleLimits.min",
        label: "Y lower limit",
        mirror: Mirror::SwapNegate(1),
        doc: "Farthest swing towards the pivot's +Y, in degrees, 0 or less.",
        ..LIMIT_MIN
    },
    ParamDef {
        name: "yAngleLimits.max",
        label: "Y upper limit",
        mirror: Mirror::SwapNegate(-1),
        doc: "Farthest swing towards the pivot's -Y, in degrees, 0 or more.",
        ..LIMIT_MAX
    },
    ParamDef {
        name: "zAngleLimits.active",
        label: "Z angle",
        doc: "Whether the swing towards the pivot's Z axis is limited.",
        ..LIMIT_ON
    },
    ParamDef {
        name: "zAngleLimits.min",
        label: "Z lower limit",
        doc: "Farthest swing towards the pivot's +Z (inwards for made pivots), in degrees, 0 or less.",
        ..LIMIT_MIN
    },
    ParamDef {
        name: "zAngleLimits.max",
        label: "Z upper limit",
        doc: "Farthest swing towards the pivot's -Z (outwards for made pivots), in degrees, 0 or more.",
        ..LIMIT_MAX
    },
    ParamDef {
        name: "angularStiffness",
        label: "Return",
        group: Group::AngleLimits,
        unit: Unit::PerSecondSquared,
        soft_range: (0.0, 3600.0),
        scale: Scale::Logarithmic,
        default: 100.0,
        idea: Idea::Limit,
        doc: "How fast a limited angle is drawn back to the middle, in 1/s²; 3600 does it in one step at 60 steps per second.",
        ..JOINT
    },
    ParamDef {
        name: "radius",
        label: "Hit radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.5),
        scale: Scale::Logarithmic,
        default: 0.05,
        idea: Idea::Radius,
        doc: "Thickness of the tip against colliders and ground, in metres.",
        ..JOINT
    },
    ParamDef {
        name: "gravity x",
        label: "Gravity X",
        scope: Scope::System,
        curve: false,
        group: Group::World,
        mirror: Mirror::Negate,
        doc: "Pull on every joint to the side, in m/s²; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "gravity y",
        label: "Gravity Y",
        scope: Scope::System,
        curve: false,
        group: Group::World,
        default: -10.0,
        doc: "Pull on every joint upwards, in m/s²; negative pulls down; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "gravity z",
        label: "Gravity Z",
        scope: Scope::System,
        curve: false,
        group: Group::World,
        doc: "Pull on every joint to the front, in m/s²; half of it acts.",
        ..FORCE
    },
    ParamDef {
        name: "bounce",
        label: "Bounce",
        group: Group::Collision,
        unit: Unit::Share,
        range: (0.0, 1.0),
        idea: Idea::Contact,
        doc: "Share of the speed into a collider that comes back out, 0 to 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "friction",
        label: "Friction",
        group: Group::Collision,
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 1.0,
        idea: Idea::Contact,
        doc: "Share of the speed along a collider that is lost, 0 to 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "collideWithGround",
        label: "Ground",
        group: Group::Collision,
        doc: "Whether tips stop at the ground.",
        ..SWITCH
    },
    ParamDef {
        name: "groundHeight",
        label: "Ground height",
        group: Group::Collision,
        unit: Unit::Metres,
        range: (f32::MIN, f32::MAX),
        soft_range: (-1.0, 1.0),
        idea: Idea::Contact,
        doc: "Height of the ground in the world, in metres.",
        ..SYSTEM
    },
    ParamDef {
        name: "simulationFrameRate",
        label: "Rate",
        group: Group::Time,
        kind: Kind::Integer,
        unit: Unit::PerSecond,
        range: (0.0, 1000.0),
        soft_range: (0.0, 120.0),
        default: 60.0,
        idea: Idea::Time,
        doc: "A step lasts 1/rate seconds and is taken once a frame; 0 lets a step last as long as the frame.",
        ..SYSTEM
    },
    ParamDef {
        name: "dynamicRatio",
        label: "Dynamics",
        group: Group::Time,
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.5,
        idea: Idea::Switch,
        doc: "Blend from animation (0) to motion (1), for bones that the engine has flagged as animated.",
        ..SYSTEM
    },
    ParamDef { name: "enableAngleLimits", label: "Angle limits", doc: "Whether angle limits act at all.", ..SWITCH },
    ParamDef {
        name: "enableCollision",
        label: "Collision",
        doc: "Whether colliders act at all; the ground has its own switch.",
        ..SWITCH
    },
    ParamDef { name: "enableLengthLimits", label: "Length limits", doc: "Whether length limits act at all.", ..SWITCH },
    ParamDef {
        name: "isPaused",
        label: "Paused",
        default: 0.0,
        doc: "Freezes the tips where they are in the world, as a program would; bones still turn towards them.",
        ..SWITCH
    },
    ParamDef {
        name: "automaticUpdates",
        label: "Automatic updates",
        doc: "Whether the engine steps by itself; off, a program has to, and does once a frame here.",
        ..SWITCH
    },
    ParamDef {
        name: "scaleRules",
        label: "Scale rules",
        kind: Kind::Choice(&["1.1", "1.2.2"]),
        default: 0.0,
        doc: "How radii follow scaled bones: release 1.1 forgets it in places, 1.2.2 follows.",
        ..SWITCH
    },
    ParamDef {
        name: "lengthLimitConstant",
        label: "Length pull",
        group: Group::LengthLimits,
        unit: Unit::PerSecondSquared,
        soft_range: (0.0, 3600.0),
        scale: Scale::Logarithmic,
        default: 0.5,
        idea: Idea::Limit,
        beyond: true,
        doc: "How hard lengths are held, in 1/s²; the engine's 0.5 does nearly nothing, 3600 holds within one step at 60 steps per second.",
        ..JOINT
    },
    ParamDef {
        name: "angleSoftness",
        label: "Soft edge",
        group: Group::AngleLimits,
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.3,
        idea: Idea::Limit,
        beyond: true,
        doc: "Share of an angle limit's range over which it brakes before it stops, 0 to 1.",
        ..JOINT
    },
    ParamDef {
        name: "boneShape",
        label: "Shape",
        group: Group::Collision,
        kind: Kind::Choice(&["Ball at the tip", "Capsule", "Box"]),
        range: (0.0, 2.0),
        curve: false,
        idea: Idea::Radius,
        beyond: true,
        doc: "What of the bone meets colliders: a ball at its tip, a capsule from head to tip, or a box along it.",
        ..JOINT
    },
    ParamDef {
        name: "headRadius",
        label: "Head radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.5),
        scale: Scale::Logarithmic,
        default: 0.05,
        idea: Idea::Radius,
        beyond: true,
        doc: "Thickness of the capsule at the bone's head, in metres; the hit radius is that at its tip.",
        ..JOINT
    },
    ParamDef {
        name: "boxHalfWidth",
        label: "Half width",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.5),
        scale: Scale::Logarithmic,
        default: 0.05,
        idea: Idea::Radius,
        beyond: true,
        doc: "Half of the box's width across the bone, in metres, along the bone's own X, or Y where it runs along X.",
        ..JOINT
    },
    ParamDef {
        name: "boxHalfThickness",
        label: "Half depth",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.5),
        scale: Scale::Logarithmic,
        default: 0.02,
        idea: Idea::Radius,
        beyond: true,
        doc: "Half of the box's thickness, in metres, square to its width and the bone.",
        ..JOINT
    },
    ParamDef {
        name: "way",
        label: "Way",
        kind: Kind::Choice(&["As Unity does it", "Improved"]),
        default: AS_UNITY,
        touches: Touches::Topology,
        doc: "As Unity does it, quirks included, or with the improvements below, which Unity will not do.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "wideLimits",
        label: "Wide limits",
        default: 1.0,
        doc: "Angle limits work beyond 90 degrees; the engine folds a tip behind the pivot to the front.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "softLimits",
        label: "Soft limits",
        default: 1.0,
        doc: "Angle limits brake before they stop; in the engine the soft part has no effect.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "strongLengths",
        label: "Length limits that hold",
        default: 1.0,
        doc: "Length limits use each bone's length pull; the engine's own constant does nearly nothing.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "scaledRadii",
        label: "Radii follow scale",
        default: 1.0,
        doc: "Radii of bones and colliders follow their scale everywhere, as release 1.2.2 meant to.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "steadyPace",
        label: "Steady pace",
        default: 1.0,
        doc: "The same speed at every frame rate of the player; the engine takes one step per frame however long it took.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "noKicks",
        label: "No kicks",
        default: 1.0,
        doc: "Pausing and switching bones off and on carries tips along, so that nothing jumps afterwards.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "boneShapes",
        label: "Whole bones collide",
        default: 0.0,
        doc: "Each bone's own shape meets colliders, so that nothing slips in between tips.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "teleport",
        label: "Teleport",
        default: 1.0,
        doc: "A jump of the character carries tips along whole instead of flinging them.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "teleportSpeed",
        label: "Teleport from",
        unit: Unit::Speed,
        soft_range: (0.0, 200.0),
        default: 60.0,
        doc: "A root that moves faster is taken to have jumped, in m/s.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "teleportTurn",
        label: "Teleport turn from",
        unit: Unit::TurnSpeed,
        soft_range: (0.0, 10800.0),
        default: 3600.0,
        doc: "A root that turns faster is taken to have jumped, in degrees per second.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "slideLimit",
        label: "Limit slide",
        default: 0.0,
        doc: "Movement of the character above a speed carries tips along instead of swinging them.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "slideSpeed",
        label: "Slide speed",
        unit: Unit::Speed,
        soft_range: (0.0, 20.0),
        default: 5.0,
        doc: "The fastest movement of the root that is felt, in m/s.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "turnLimit",
        label: "Limit turn",
        default: 0.0,
        doc: "Turning of the character above a speed carries tips along instead of swinging them.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "turnSpeed",
        label: "Turn speed",
        unit: Unit::TurnSpeed,
        soft_range: (0.0, 1440.0),
        default: 540.0,
        doc: "The fastest turning of the root that is felt, in degrees per second.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "inertia",
        label: "Follow",
        unit: Unit::Share,
        range: (0.0, 1.0),
        soft_range: (0.0, 1.0),
        default: 1.0,
        doc: "Share of the root's movement that tips feel, 0 (carried along) to 1 (all of it, as in the engine).",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "tipSpeedLimit",
        label: "Limit tips",
        default: 0.0,
        doc: "Tips never swing faster than a speed.",
        ..IMPROVEMENT
    },
    ParamDef {
        name: "tipSpeed",
        label: "Tip speed",
        unit: Unit::Speed,
        soft_range: (0.0, 50.0),
        default: 10.0,
        doc: "The fastest swing of a tip, in m/s.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "warmUp",
        label: "Warm-up",
        kind: Kind::Integer,
        range: (0.0, 600.0),
        soft_range: (0.0, 120.0),
        default: 0.0,
        doc: "Steps taken before the first picture after a start or reset, so that hair hangs where it will hang.",
        ..IMPROVEMENT_NUMBER
    },
    ParamDef {
        name: "fadeIn",
        label: "Fade in",
        unit: Unit::Seconds,
        soft_range: (0.0, 2.0),
        default: 0.0,
        doc: "Seconds after a start or reset in which the motion comes up from rest.",
        ..IMPROVEMENT_NUMBER
    },
];
