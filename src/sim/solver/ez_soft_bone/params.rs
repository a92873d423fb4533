//! The parameter table of [`super`], as `EZSoftBone` and `EZSoftBoneMaterial` spell it.
//!
//! Damping, stiffness, resistance, slackness and radius are a base times a curve along the chain there; a joint has
//! what both make at its tip. Forces are metres per second in each frame, as the engine reckons them.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef {
    owner: SolverKind::EzSoftBone.key(),
    unit: Unit::Share,
    range: (0.0, 1.0),
    soft_range: (0.0, 1.0),
    curve: true,
    ..ParamDef::PLAIN
};
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, unit: Unit::None, curve: false, ..JOINT };
const STRUCTURE: ParamDef =
    ParamDef { group: Group::Switches, idea: Idea::Switch, touches: Touches::Topology, ..SYSTEM };
const GRAVITY_AXIS: ParamDef = ParamDef {
    group: Group::World,
    unit: Unit::Speed,
    range: (f32::MIN, f32::MAX),
    soft_range: (-1.0, 1.0),
    idea: Idea::Gravity,
    ..SYSTEM
};

/// Row of `m_Damping`.
pub const DAMPING: Row = Row(0);
/// Row of `m_Stiffness`.
pub const STIFFNESS: Row = Row(1);
/// Row of `m_Resistance`.
pub const RESISTANCE: Row = Row(2);
/// Row of `m_Slackness`.
pub const SLACKNESS: Row = Row(3);
/// Row of `m_Radius`.
pub const RADIUS: Row = Row(4);
/// What `EZSoftBoneMaterial` holds.
pub const MATERIAL: &[Row] = &[DAMPING, STIFFNESS, RESISTANCE, SLACKNESS];
/// Row of `m_StartDepth`.
pub const START_DEPTH: Row = Row(5);
/// Row of `m_SiblingConstraints`.
pub const SIBLING_CONSTRAINTS: Row = Row(6);
/// Row of `m_ClosedSiblings`.
pub const CLOSED_SIBLINGS: Row = Row(7);
/// Row of `m_SiblingRotationConstraints`.
pub const SIBLING_ROTATION: Row = Row(8);
/// Row of `m_LengthUnification`.
pub const LENGTH_UNIFICATION: Row = Row(9);
/// Row of `m_DeltaTimeMode`.
pub const DELTA_TIME_MODE: Row = Row(10);
/// Row of `m_ConstantDeltaTime`.
pub const CONSTANT_DELTA_TIME: Row = Row(11);
/// Row of `m_Iterations`.
pub const ITERATIONS: Row = Row(12);
/// Row of `m_SleepThreshold`.
pub const SLEEP_THRESHOLD: Row = Row(13);
/// Rows of `m_Gravity` x, y, z.
pub const GRAVITY: [Row; 3] = [Row(14), Row(15), Row(16)];
/// Row of `m_ForceScale`.
pub const FORCE_SCALE: Row = Row(17);

/// The choices of [`SIBLING_CONSTRAINTS`] and [`LENGTH_UNIFICATION`].
pub const UNIFICATIONS: &[&str] = &["None", "Rooted", "Unified"];
/// The choices of [`DELTA_TIME_MODE`].
pub const DELTA_TIME_MODES: &[&str] = &["Delta time", "Unscaled delta time", "Constant"];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "m_Damping",
        label: "Damping",
        default: 0.2,
        idea: Idea::Drag,
        doc: "Share of the speed lost in every substep, 0 to 1; it depends on the frames per second.",
        ..JOINT
    },
    ParamDef {
        name: "m_Stiffness",
        label: "Stiffness",
        default: 0.1,
        doc: "Share of the way back to the pose in every frame, 0 to 1; it depends on the frames per second.",
        ..JOINT
    },
    ParamDef {
        name: "m_Resistance",
        label: "Resistance",
        default: 0.9,
        idea: Idea::Gravity,
        doc: "Share of gravity and wind that is not felt, 0 to 1; the engine's curve lets it fall to 0 at the end.",
        ..JOINT
    },
    ParamDef {
        name: "m_Slackness",
        label: "Slackness",
        default: 0.1,
        idea: Idea::Limit,
        doc: "How much of a stretch stays, 0 to 1; 0 keeps the bone's length, and none of the links to siblings.",
        ..JOINT
    },
    ParamDef {
        name: "m_Radius",
        label: "Radius",
        group: Group::Collision,
        unit: Unit::Metres,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 0.2),
        scale: Scale::Logarithmic,
        idea: Idea::Radius,
        doc: "Radius of the ball at the tip that meets colliders, in metres; 0 meets none.",
        ..JOINT
    },
    ParamDef {
        name: "m_StartDepth",
        label: "Start depth",
        kind: Kind::Integer,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 4.0),
        doc: "So many bones below each root follow the pose without swinging.",
        ..STRUCTURE
    },
    ParamDef {
        name: "m_SiblingConstraints",
        label: "Sibling links",
        kind: Kind::Choice(UNIFICATIONS),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        doc: "Keeps the distances of bones that lie equally deep: not at all, below each root, or across all roots.",
        ..STRUCTURE
    },
    ParamDef {
        name: "m_ClosedSiblings",
        label: "Closed ring",
        kind: Kind::Toggle,
        doc: "Links the last bone of each depth to the first, as round a skirt.",
        ..STRUCTURE
    },
    ParamDef {
        name: "m_SiblingRotationConstraints",
        label: "Siblings turn bones",
        kind: Kind::Toggle,
        default: 1.0,
        touches: Touches::Params,
        doc: "Lets linked siblings turn a bone, beside its own tip.",
        ..STRUCTURE
    },
    ParamDef {
        name: "m_LengthUnification",
        label: "Curve length",
        kind: Kind::Choice(UNIFICATIONS),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        doc: "What is the end of a curve: the bone's own longest branch, its root's longest, or the longest of all.",
        ..STRUCTURE
    },
    ParamDef {
        name: "m_DeltaTimeMode",
        label: "Time step",
        group: Group::Time,
        kind: Kind::Choice(DELTA_TIME_MODES),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        idea: Idea::Time,
        doc: "How long a frame counts; delta time and unscaled delta time are the same here, where time is never slowed.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_ConstantDeltaTime",
        label: "Constant step",
        group: Group::Time,
        unit: Unit::Seconds,
        range: (1e-6, f32::MAX),
        soft_range: (0.005, 0.1),
        scale: Scale::Logarithmic,
        default: 0.03,
        idea: Idea::Time,
        doc: "How long each frame counts where the time step is constant, in seconds.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_Iterations",
        label: "Iterations",
        group: Group::Time,
        kind: Kind::Integer,
        range: (1.0, 10.0),
        soft_range: (1.0, 10.0),
        default: 1.0,
        idea: Idea::Time,
        doc: "Substeps in each frame, 1 to 10; stiffness, slackness and forces are divided by it, damping is not.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_SleepThreshold",
        label: "Sleep threshold",
        group: Group::Time,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 0.05),
        default: 0.005,
        idea: Idea::Drag,
        doc: "A tip whose squared speed is not above this, in m²/s², does not move by it: 0.005 means 7 cm/s.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_Gravity x",
        label: "Gravity X",
        mirror: Mirror::Negate,
        doc: "Pull to the side in the world, in m/s for every frame, less each joint's resistance.",
        ..GRAVITY_AXIS
    },
    ParamDef {
        name: "m_Gravity y",
        label: "Gravity Y",
        doc: "Pull upwards in the world, in m/s for every frame; -0.16 is the Earth's at 60 frames per second.",
        ..GRAVITY_AXIS
    },
    ParamDef {
        name: "m_Gravity z",
        label: "Gravity Z",
        doc: "Pull along Z in the world, in m/s for every frame, less each joint's resistance.",
        ..GRAVITY_AXIS
    },
    ParamDef {
        name: "m_ForceScale",
        label: "Force scale",
        group: Group::World,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 5.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Factor on the force field; 1 takes it as it blows.",
        ..SYSTEM
    },
];
