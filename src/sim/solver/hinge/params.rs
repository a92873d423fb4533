//! The parameter table. `angle`, `velocity`, `relativeCenter` and `restitution` are the article's names.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Unit};
use crate::sim::SolverKind;

/// As far as the article's handle turns either way, degrees.
const BOUNDS: f32 = 135.803;

const JOINT: ParamDef = ParamDef { owner: SolverKind::Hinge.key(), ..ParamDef::PLAIN };
const ANY: ParamDef = ParamDef { range: (f32::MIN, f32::MAX), ..JOINT };
const AXIS: ParamDef = ParamDef { soft_range: (-1.0, 1.0), mirror: Mirror::Negate, idea: Idea::Limit, ..ANY };
const CENTER: ParamDef =
    ParamDef { unit: Unit::Metres, soft_range: (-0.3, 0.3), idea: Idea::Gravity, group: Group::World, ..ANY };
const DEGREES: ParamDef = ParamDef {
    kind: Kind::Degrees,
    unit: Unit::Degrees,
    group: Group::AngleLimits,
    range: (-3600.0, 3600.0),
    soft_range: (-180.0, 180.0),
    idea: Idea::Limit,
    ..JOINT
};
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, group: Group::Switches, idea: Idea::Switch, ..JOINT };

/// Rows of the axis x, y, z.
pub const AXIS_OF: [Row; 3] = [Row(0), Row(1), Row(2)];
/// Row of the angle that the spring pulls to.
pub const REST_ANGLE: Row = Row(3);
/// Row of the lower limit.
pub const MIN_ANGLE: Row = Row(4);
/// Row of the upper limit.
pub const MAX_ANGLE: Row = Row(5);
/// Rows of `relativeCenter` x, y, z.
pub const CENTER_AT: [Row; 3] = [Row(6), Row(7), Row(8)];
/// Row of the share of gravity.
pub const GRAVITY_SCALE: Row = Row(9);
/// Row of the share of the body's motion.
pub const INERTIA_SCALE: Row = Row(10);
/// Row of `restitution`.
pub const RESTITUTION: Row = Row(11);
/// Row of the loss of speed.
pub const DAMPING: Row = Row(12);
/// Row of the pull to the rest angle.
pub const SPRING: Row = Row(13);
/// Row of `angle`, where it starts.
pub const ANGLE: Row = Row(14);
/// Row of `velocity`, how fast it starts.
pub const VELOCITY: Row = Row(15);
/// Row of the listing that is meant.
pub const VARIANT: Row = Row(16);
/// Row of the switch for angles that count as physics has it.
pub const PHYSICAL: Row = Row(17);
/// Row of gravity.
pub const GRAVITY: Row = Row(18);
/// Row of the way to start.
pub const START: Row = Row(19);

/// The choices of [`VARIANT`].
pub const VARIANTS: &[&str] = &["Gravity only", "Full", "Bonus"];
/// The choices of [`START`].
pub const STARTS: &[&str] = &["At the rest angle", "At the start angle", "At the upper limit"];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "axis x",
        label: "Axis X",
        default: 1.0,
        mirror: Mirror::Same,
        doc: "The axis that the bone turns about, in its own space; the article's handle turns about X.",
        ..AXIS
    },
    ParamDef {
        name: "axis y",
        label: "Axis Y",
        doc: "Part of the axis along the bone's own Y; the article's handle has none.",
        ..AXIS
    },
    ParamDef {
        name: "axis z",
        label: "Axis Z",
        doc: "Part of the axis along the bone's own Z; the article's handle has none.",
        ..AXIS
    },
    ParamDef {
        name: "restAngle",
        label: "Rest angle",
        doc: "Where the spring pulls to, in degrees from the animated pose; the article has no spring.",
        ..DEGREES
    },
    ParamDef {
        name: "minAngle",
        label: "Lower limit",
        default: -BOUNDS,
        doc: "As far as it turns one way, in degrees; the article's handle stops at 135.803. \
              Gravity only knows no limits.",
        ..DEGREES
    },
    ParamDef {
        name: "maxAngle",
        label: "Upper limit",
        default: BOUNDS,
        doc: "As far as it turns the other way, in degrees; the article's handle stops at 135.803. \
              Gravity only knows no limits.",
        ..DEGREES
    },
    ParamDef {
        name: "relativeCenter x",
        label: "Centre of mass X",
        mirror: Mirror::Negate,
        doc: "Where the mass sits to the side in bone space, in metres.",
        ..CENTER
    },
    ParamDef {
        name: "relativeCenter y",
        label: "Centre of mass Y",
        default: 0.19,
        doc: "Where the mass sits along Y in bone space, in metres; farther out swings more slowly.",
        ..CENTER
    },
    ParamDef {
        name: "relativeCenter z",
        label: "Centre of mass Z",
        doc: "Where the mass sits along Z in bone space, in metres.",
        ..CENTER
    },
    ParamDef {
        name: "gravityScale",
        label: "Gravity share",
        unit: Unit::Share,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Gravity,
        group: Group::World,
        doc: "Share of gravity that acts on the bone; the article takes all of it.",
        ..JOINT
    },
    ParamDef {
        name: "inertiaScale",
        label: "Inertia share",
        unit: Unit::Share,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Wind,
        group: Group::World,
        doc: "Share of the body's motion that the bone feels; the article takes all of it.",
        ..JOINT
    },
    ParamDef {
        name: "restitution",
        label: "Bounce",
        unit: Unit::Share,
        default: 0.5,
        group: Group::AngleLimits,
        idea: Idea::Contact,
        doc: "Share of the speed that comes back from a limit, 0 to 1.",
        ..JOINT
    },
    ParamDef {
        name: "damping",
        label: "Damping",
        unit: Unit::PerSecond,
        soft_range: (0.0, 20.0),
        scale: Scale::Logarithmic,
        idea: Idea::Drag,
        doc: "Share of the speed lost in a second, in 1/s; the article has none.",
        ..JOINT
    },
    ParamDef {
        name: "spring",
        label: "Spring",
        unit: Unit::PerSecondSquared,
        soft_range: (0.0, 1000.0),
        scale: Scale::Logarithmic,
        doc: "Pull to the rest angle for each degree off it, in 1/s²; the article has none.",
        ..JOINT
    },
    ParamDef {
        name: "angle",
        label: "Start angle",
        default: BOUNDS,
        group: Group::Time,
        idea: Idea::Time,
        doc: "Where it starts if it starts at its start angle, in degrees.",
        ..DEGREES
    },
    ParamDef {
        name: "velocity",
        label: "Start speed",
        unit: Unit::TurnSpeed,
        soft_range: (-720.0, 720.0),
        group: Group::Time,
        idea: Idea::Time,
        doc: "How fast it turns when it starts, in degrees per second.",
        ..ANY
    },
    ParamDef {
        name: "variant",
        label: "Listing",
        kind: Kind::Choice(VARIANTS),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        doc: "Which of the article's listings moves it: gravity alone, the body's motion too, or the author's own first.",
        ..SYSTEM
    },
    ParamDef {
        name: "physical",
        label: "Physical",
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        beyond: true,
        doc: "Counts radians as radians, and the body's acceleration as what it is; the article is 57 times too weak.",
        ..SYSTEM
    },
    ParamDef {
        name: "gravity",
        label: "Gravity",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 20.0),
        default: 9.8,
        group: Group::World,
        idea: Idea::Gravity,
        doc: "Pull down in the world, in m/s².",
        ..SYSTEM
    },
    ParamDef {
        name: "start",
        label: "Start",
        kind: Kind::Choice(STARTS),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        group: Group::Time,
        beyond: true,
        doc: "Where joints begin, and return to on a reset; the article begins at the upper limit.",
        ..SYSTEM
    },
];
