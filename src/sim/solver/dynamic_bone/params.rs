//! The parameter table of [`super`].
//!
//! Names are those that a `DynamicBone` component has in Unity's files; a curve along the chain is its `…Distrib`. What
//! the asset calls force and gravity counts in metres per step and step: 9.81 m/s² are 0.002725 at 60 steps a second.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const SHARE: ParamDef = ParamDef {
    owner: SolverKind::DynamicBone.key(),
    unit: Unit::Share,
    range: (0.0, 1.0),
    curve: true,
    ..ParamDef::PLAIN
};
const SYSTEM: ParamDef = ParamDef {
    scope: Scope::System,
    group: Group::World,
    unit: Unit::None,
    range: (0.0, f32::MAX),
    curve: false,
    ..SHARE
};
const PULL: ParamDef =
    ParamDef { range: (f32::MIN, f32::MAX), soft_range: (-0.02, 0.02), idea: Idea::Gravity, ..SYSTEM };
const SWITCH: ParamDef = ParamDef { group: Group::Switches, idea: Idea::Switch, ..SYSTEM };
const END: ParamDef = ParamDef {
    unit: Unit::Metres,
    range: (f32::MIN, f32::MAX),
    soft_range: (-0.5, 0.5),
    touches: Touches::Topology,
    ..SWITCH
};

/// Row of `m_Damping`.
pub const DAMPING: Row = Row(0);
/// Row of `m_Elasticity`.
pub const ELASTICITY: Row = Row(1);
/// Row of `m_Stiffness`.
pub const STIFFNESS: Row = Row(2);
/// Row of `m_Inert`.
pub const INERT: Row = Row(3);
/// Row of `m_Friction`.
pub const FRICTION: Row = Row(4);
/// Row of `m_Radius`.
pub const RADIUS: Row = Row(5);
/// Row of the clone's `m_ForceCurve`.
pub const FORCE_SHARE: Row = Row(6);
/// Rows of `m_Gravity` x, y, z.
pub const GRAVITY: [Row; 3] = [Row(7), Row(8), Row(9)];
/// Rows of `m_Force` x, y, z.
pub const FORCE: [Row; 3] = [Row(10), Row(11), Row(12)];
/// Row of `m_UpdateRate`.
pub const UPDATE_RATE: Row = Row(13);
/// Row of `m_UpdateMode`.
pub const UPDATE_MODE: Row = Row(14);
/// Row of the most steps that one frame catches up.
pub const MOST_STEPS: Row = Row(15);
/// Row of `m_BlendWeight`.
pub const BLEND_WEIGHT: Row = Row(16);
/// Row of `m_FreezeAxis`.
pub const FREEZE_AXIS: Row = Row(17);
/// Row of `m_EndLength`.
pub const END_LENGTH: Row = Row(18);
/// Rows of `m_EndOffset` x, y, z.
pub const END_OFFSET: [Row; 3] = [Row(19), Row(20), Row(21)];
/// Row of `m_DistantDisable`.
pub const DISTANT_DISABLE: Row = Row(22);
/// Row of `m_DistanceToObject`.
pub const DISTANCE_TO_OBJECT: Row = Row(23);
/// Row of the code whose ways are shown.
pub const RUN_AS: Row = Row(24);

/// The choices of [`UPDATE_MODE`].
pub const MODES: &[&str] = &["Normal", "Animate Physics", "Unscaled Time", "Default"];
/// The choices of [`FREEZE_AXIS`].
pub const AXES: &[&str] = &["None", "X", "Y", "Z"];
/// The choices of [`RUN_AS`].
pub const CODES: &[&str] = &["DynamicBone", "Clone by seinocat"];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "m_Damping",
        label: "Damping",
        default: 0.1,
        idea: Idea::Drag,
        doc: "Share of the speed lost in every step, 0 to 1; it depends on the steps per second.",
        ..SHARE
    },
    ParamDef {
        name: "m_Elasticity",
        label: "Elasticity",
        default: 0.1,
        doc: "Share of the way back to the rest position that a tip is pulled in every step, 0 to 1.",
        ..SHARE
    },
    ParamDef {
        name: "m_Stiffness",
        label: "Stiffness",
        default: 0.1,
        idea: Idea::Limit,
        doc: "Holds a tip within 2 × (1 − value) bone lengths of its rest position, 0 to 1; below 0.5 it is hardly felt.",
        ..SHARE
    },
    ParamDef {
        name: "m_Inert",
        label: "Inert",
        idea: Idea::Switch,
        doc: "Share of the component's movement that tips are carried along by, 0 (they lag) to 1 (it is not felt); turns are always felt.",
        ..SHARE
    },
    ParamDef {
        name: "m_Friction",
        label: "Friction",
        group: Group::Collision,
        idea: Idea::Contact,
        doc: "Added to the damping in the step after a contact, 0 to 1.",
        ..SHARE
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
        doc: "Radius of the ball at the tip that meets colliders, in metres, times the component's scale; planes ignore it.",
        ..SHARE
    },
    ParamDef {
        name: "m_ForceCurve",
        label: "Force share",
        default: 1.0,
        range: (f32::MIN, f32::MAX),
        idea: Idea::Switch,
        beyond: true,
        doc: "Factor on the force at this joint; only the clone by seinocat has it, as a curve.",
        ..SHARE
    },
    ParamDef {
        name: "m_Gravity x",
        label: "Gravity X",
        mirror: Mirror::Negate,
        doc: "Sideways part of gravity in the world, in m per step²; what of it pulls along the rest pose is left out.",
        ..PULL
    },
    ParamDef {
        name: "m_Gravity y",
        label: "Gravity Y",
        doc: "Upward part of gravity in the world, in m per step²; what of it pulls along the rest pose is left out.",
        ..PULL
    },
    ParamDef {
        name: "m_Gravity z",
        label: "Gravity Z",
        doc: "Part of gravity along Z in the world, in m per step²; what of it pulls along the rest pose is left out.",
        ..PULL
    },
    ParamDef {
        name: "m_Force x",
        label: "Force X",
        mirror: Mirror::Negate,
        doc: "Sideways part of a steady pull in the world, in m per step²; -0.002725 is 9.81 m/s² at 60 steps per second.",
        ..PULL
    },
    ParamDef {
        name: "m_Force y",
        label: "Force Y",
        doc: "Upward part of a steady pull in the world, in m per step²; -0.002725 is 9.81 m/s² at 60 steps per second.",
        ..PULL
    },
    ParamDef {
        name: "m_Force z",
        label: "Force Z",
        doc: "Part of a steady pull along Z in the world, in m per step²; 0.002725 is 9.81 m/s² at 60 steps per second.",
        ..PULL
    },
    ParamDef {
        name: "m_UpdateRate",
        label: "Update rate",
        group: Group::Time,
        unit: Unit::PerSecond,
        soft_range: (0.0, 120.0),
        default: 60.0,
        idea: Idea::Time,
        doc: "Steps per second that the numbers are meant for, in Hz; 0 takes one step in every frame whatever it lasts.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_UpdateMode",
        label: "Update mode",
        group: Group::Time,
        kind: Kind::Choice(MODES),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        default: 3.0,
        idea: Idea::Time,
        doc: "Default takes one step per frame and scales pulls by its length in steps; the others keep the update rate and move alike here.",
        ..SYSTEM
    },
    ParamDef {
        name: "mostSteps",
        label: "Most steps",
        group: Group::Time,
        kind: Kind::Integer,
        range: (1.0, 60.0),
        soft_range: (1.0, 10.0),
        default: 3.0,
        idea: Idea::Time,
        beyond: true,
        doc: "Steps that one frame catches up at most, as a count; then the time left is dropped. The code that is known takes 3.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_BlendWeight",
        label: "Blend weight",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 1.0,
        idea: Idea::Limit,
        doc: "Narrows the range that stiffness leaves, 0 to 1; at 0 the pose stands still and tips start anew afterwards.",
        ..SYSTEM
    },
    ParamDef {
        name: "m_FreezeAxis",
        label: "Freeze axis",
        kind: Kind::Choice(AXES),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        doc: "Keeps every tip in the plane through its head that stands across this axis of the animated bone.",
        ..SWITCH
    },
    ParamDef {
        name: "m_EndLength",
        label: "End length",
        range: (0.0, f32::MAX),
        soft_range: (0.0, 2.0),
        touches: Touches::Topology,
        doc: "Gives last bones a virtual tip so many of their own lengths further on; 0 gives none.",
        ..SWITCH
    },
    ParamDef {
        name: "m_EndOffset x",
        label: "End offset X",
        mirror: Mirror::Negate,
        doc: "Where last bones have a virtual tip along the component's X, in metres; it counts where the end length is 0.",
        ..END
    },
    ParamDef {
        name: "m_EndOffset y",
        label: "End offset Y",
        doc: "Where last bones have a virtual tip along the component's Y, in metres; it counts where the end length is 0.",
        ..END
    },
    ParamDef {
        name: "m_EndOffset z",
        label: "End offset Z",
        doc: "Where last bones have a virtual tip along the component's Z, in metres; it counts where the end length is 0.",
        ..END
    },
    ParamDef {
        name: "m_DistantDisable",
        label: "Rest far away",
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        doc: "Lets the component rest while it is far from its reference bone, or from the viewer; coming near starts tips anew.",
        ..SWITCH
    },
    ParamDef {
        name: "m_DistanceToObject",
        label: "Distance",
        unit: Unit::Metres,
        soft_range: (0.0, 50.0),
        default: 20.0,
        doc: "How far the component may be before it rests, in metres.",
        ..SWITCH
    },
    ParamDef {
        name: "runAs",
        label: "Run as",
        kind: Kind::Choice(CODES),
        range: (0.0, 1.0),
        touches: Touches::Topology,
        beyond: true,
        doc: "Moves as the asset does, or as a public clone with its faults, whose own defaults are inert 0.5 and friction 0.1.",
        ..SWITCH
    },
];
