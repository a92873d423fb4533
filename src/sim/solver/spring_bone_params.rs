//! The parameter table of [`super::spring_bone`].
//!
//! Names, defaults and inspector ranges are those of UTJ `UnityChanSpringBone` 1.1; vectors are in glTF space.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};

const JOINT: ParamDef = ParamDef {
    name: "",
    label: "",
    group: Group::Spring,
    scope: Scope::Joint,
    kind: Kind::Number,
    unit: Unit::None,
    range: (0.0, f32::MAX),
    soft_range: (0.0, 1.0),
    scale: Scale::Linear,
    default: 0.0,
    curve: true,
    mirror: Mirror::Same,
    touches: Touches::Params,
    idea: Idea::Restore,
    doc: "",
};
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
        label: "Up-down (Y)",
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
        label: "Side (Z)",
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
];
