//! The parameter table: names and defaults are those of `PbdSpringBone`.

use crate::schema::{Group, Idea, Kind, ParamDef, Row, Scale, Scope, Unit};
use crate::sim::SolverKind;

/// More rounds of constraints are not made.
pub(super) const MOST_ITERATIONS: f32 = 64.0;
/// Shorter steps are not made.
pub(super) const MOST_PER_SECOND: f32 = 1000.0;

const JOINT: ParamDef = ParamDef { owner: SolverKind::PbdSpringBone.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef =
    ParamDef { scope: Scope::System, group: Group::World, curve: false, beyond: true, idea: Idea::Switch, ..JOINT };
const TOGGLE: ParamDef = ParamDef { kind: Kind::Toggle, range: (0.0, 1.0), ..SYSTEM };

/// Row of `spring`.
pub const SPRING: Row = Row(0);
/// Row of `damp`.
pub const DAMP: Row = Row(1);
/// Row of `gravity`.
pub const GRAVITY: Row = Row(2);
/// Row of `pointSize`.
pub const POINT_SIZE: Row = Row(3);
/// Row of the switch for a scene without Animator.
pub const NO_ANIMATOR: Row = Row(4);
/// Row of the switch for lengths that follow scale.
pub const FOLLOW_SCALE: Row = Row(5);
/// Row of the rate of fixed steps.
pub const STEPS_PER_SECOND: Row = Row(6);
/// Row of the number of rounds of constraints.
pub const ITERATIONS: Row = Row(7);
/// Row of the switch for the ground.
pub const COLLIDE_WITH_GROUND: Row = Row(8);
/// Row of the ground's height.
pub const GROUND_HEIGHT: Row = Row(9);

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "spring",
        label: "Spring",
        unit: Unit::PerSecondSquared,
        soft_range: (0.0, 1000.0),
        scale: Scale::Logarithmic,
        default: 100.0,
        doc: "Acceleration back to rest for each metre of offset, in 1/s²; the engine has one value for all bones.",
        ..JOINT
    },
    ParamDef {
        name: "damp",
        label: "Kept speed",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.85,
        idea: Idea::Drag,
        doc: "Share of the speed that is kept in every step, 1 for all of it; it depends on the steps per second. \
              The engine has one value for all bones.",
        ..JOINT
    },
    ParamDef {
        name: "gravity",
        label: "Gravity",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 20.0),
        default: 9.8,
        idea: Idea::Gravity,
        doc: "Pull down in the world, in m/s²; the engine has one value for all bones.",
        ..JOINT
    },
    ParamDef {
        name: "pointSize",
        label: "Point radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.2),
        scale: Scale::Logarithmic,
        default: 0.02,
        idea: Idea::Radius,
        doc: "Radius of the ball at the end of a bone that meets colliders, in metres; the engine has one value for all.",
        ..JOINT
    },
    ParamDef {
        name: "noAnimator",
        label: "Without an Animator",
        group: Group::Switches,
        doc: "Moves as in a scene where no animation writes the pose: shapes are not remembered, and chains droop.",
        ..TOGGLE
    },
    ParamDef {
        name: "followScale",
        label: "Follow scale",
        group: Group::Switches,
        doc: "Bone lengths and point radii follow the scale of the bones; the engine takes them without scale.",
        ..TOGGLE
    },
    ParamDef {
        name: "stepsPerSecond",
        label: "Steps per second",
        group: Group::Time,
        unit: Unit::PerSecond,
        range: (0.0, MOST_PER_SECOND),
        soft_range: (0.0, 120.0),
        idea: Idea::Time,
        doc: "Fixed steps whatever the frame rate, per second; 0 makes one step in every frame, as the engine does.",
        ..SYSTEM
    },
    ParamDef {
        name: "iterations",
        label: "Iterations",
        group: Group::Switches,
        kind: Kind::Integer,
        range: (0.0, MOST_ITERATIONS),
        soft_range: (0.0, 20.0),
        idea: Idea::Contact,
        doc: "How often all points are put out of colliders and to their lengths; 0 does it once, as the engine does.",
        ..SYSTEM
    },
    ParamDef {
        name: "collideWithGround",
        label: "Collide with ground",
        group: Group::Collision,
        idea: Idea::Contact,
        doc: "Points stay above level ground; the engine knows none.",
        ..TOGGLE
    },
    ParamDef {
        name: "groundHeight",
        label: "Ground height",
        group: Group::Collision,
        unit: Unit::Metres,
        range: (f32::MIN, f32::MAX),
        soft_range: (-1.0, 1.0),
        idea: Idea::Contact,
        doc: "Height of the ground in the world, in metres; it acts while points collide with the ground.",
        ..SYSTEM
    },
];
