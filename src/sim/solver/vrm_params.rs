//! The parameter table of [`super::vrm`].
//!
//! Names and defaults are those of `VRMC_springBone` 1.0; 0.x has the same numbers under nearly the same names.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef {
    owner: SolverKind::Vrm.key(),
    unit: Unit::Speed,
    soft_range: (0.0, 4.0),
    curve: true,
    ..ParamDef::PLAIN
};
const DIRECTION: ParamDef = ParamDef {
    unit: Unit::None,
    range: (f32::MIN, f32::MAX),
    soft_range: (-1.0, 1.0),
    curve: false,
    idea: Idea::Gravity,
    ..JOINT
};
const SYSTEM: ParamDef =
    ParamDef { scope: Scope::System, group: Group::World, unit: Unit::None, curve: false, beyond: true, ..JOINT };

/// Row of `stiffness`.
pub const STIFFNESS: Row = Row(0);
/// Row of `gravityPower`.
pub const GRAVITY_POWER: Row = Row(1);
/// Rows of `gravityDir` x, y, z.
pub const GRAVITY_DIR: [Row; 3] = [Row(2), Row(3), Row(4)];
/// Row of `dragForce`.
pub const DRAG: Row = Row(5);
/// Row of `hitRadius`.
pub const HIT_RADIUS: Row = Row(6);
/// Row of the version of VRM that is meant.
pub const VERSION: Row = Row(7);
/// Row of the runtime whose ways are shown.
pub const PREVIEW_AS: Row = Row(8);
/// Row of the factor for characters that are not in metres.
pub const MODEL_SCALE: Row = Row(9);

/// The choices of [`VERSION`].
pub const VERSIONS: &[&str] = &["VRM 1.0", "VRM 0.x"];
/// The choices of [`PREVIEW_AS`].
pub const RUNTIMES: &[&str] = &["Specification", "UniVRM", "three-vrm"];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "stiffness",
        label: "Stiffness",
        default: 1.0,
        doc: "Pull back to the rest direction, in m/s; it feels stiffer on shorter bones.",
        ..JOINT
    },
    ParamDef {
        name: "gravityPower",
        label: "Gravity",
        soft_range: (0.0, 2.0),
        idea: Idea::Gravity,
        doc: "Steady pull along the gravity direction, in m/s.",
        ..JOINT
    },
    ParamDef {
        name: "gravityDir x",
        label: "Direction X",
        mirror: Mirror::Negate,
        doc: "Where gravity pulls to the side, in the world; a direction longer than 1 pulls harder.",
        ..DIRECTION
    },
    ParamDef {
        name: "gravityDir y",
        label: "Direction Y",
        default: -1.0,
        doc: "Where gravity pulls upwards, in the world; -1 pulls down.",
        ..DIRECTION
    },
    ParamDef {
        name: "gravityDir z",
        label: "Direction Z",
        doc: "Where gravity pulls along Z, in the world; a direction longer than 1 pulls harder.",
        ..DIRECTION
    },
    ParamDef {
        name: "dragForce",
        label: "Drag",
        unit: Unit::Share,
        range: (0.0, 1.0),
        soft_range: (0.0, 1.0),
        default: 0.5,
        idea: Idea::Drag,
        doc: "Share of the speed lost in every step, 0 to 1; it depends on the steps per second.",
        ..JOINT
    },
    ParamDef {
        name: "hitRadius",
        label: "Hit radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.2),
        scale: Scale::Logarithmic,
        idea: Idea::Radius,
        doc: "Radius of the ball at the tip that meets colliders, in metres.",
        ..JOINT
    },
    ParamDef {
        name: "version",
        label: "Version",
        kind: Kind::Choice(VERSIONS),
        range: (0.0, 1.0),
        soft_range: (0.0, 1.0),
        idea: Idea::Switch,
        doc: "Which VRM the springs are written for; UniVRM lets hit radii follow scale in 0.x only.",
        ..SYSTEM
    },
    ParamDef {
        name: "previewAs",
        label: "Preview as",
        kind: Kind::Choice(RUNTIMES),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        touches: Touches::Topology,
        idea: Idea::Switch,
        doc: "Moves as the specification says, or as a runtime does where it differs; the file does not change.",
        ..SYSTEM
    },
    ParamDef {
        name: "modelScale",
        label: "Model scale",
        soft_range: (0.01, 100.0),
        scale: Scale::Logarithmic,
        default: 1.0,
        idea: Idea::Radius,
        doc: "Factor on stiffness, gravity and all radii, for a character that its program scales; 1 changes nothing.",
        ..SYSTEM
    },
];
