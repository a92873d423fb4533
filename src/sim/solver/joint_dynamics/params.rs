//! The parameter table of `SPCRJointDynamics`, names and defaults of version 2.0.11.
//!
//! What the engine evaluates over depth is one row with a curve: base times distribution. Its default curves are in
//! [`DEFAULT_CURVES`]; a row alone has one default, which is their middle.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::JointDynamics.key(), curve: true, ..ParamDef::PLAIN };
const POWER: ParamDef =
    ParamDef { group: Group::LengthLimits, unit: Unit::Share, range: (0.0, 1.0), idea: Idea::Limit, ..JOINT };
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, group: Group::World, curve: false, ..JOINT };
const TOGGLE: ParamDef =
    ParamDef { kind: Kind::Toggle, range: (0.0, 1.0), soft_range: (0.0, 1.0), idea: Idea::Switch, ..SYSTEM };
const TOPOLOGY: ParamDef = ParamDef { group: Group::Switches, touches: Touches::Topology, ..TOGGLE };
const BETTER: ParamDef = ParamDef { group: Group::Improved, beyond: true, ..TOGGLE };

/// Row of `_ResistanceCurve`.
pub const RESISTANCE: Row = Row(0);
/// Row of `_HardnessCurve`.
pub const HARDNESS: Row = Row(1);
/// Row of `_MassScaleCurve`.
pub const MASS_SCALE: Row = Row(2);
/// Row of `_GravityScaleCurve`.
pub const GRAVITY_SCALE: Row = Row(3);
/// Row of `_WindForceScaleCurve`.
pub const WIND_SCALE: Row = Row(4);
/// Row of `_FrictionCurve`.
pub const FRICTION: Row = Row(5);
/// Row of `_SliderJointLengthCurve`.
pub const SLIDER_LENGTH: Row = Row(6);
/// Row of `_AllShrink`.
pub const ALL_SHRINK: Row = Row(7);
/// Row of `_AllStretch`.
pub const ALL_STRETCH: Row = Row(8);
/// Row of `_FakeWavePowerCurve`.
pub const WAVE_POWER: Row = Row(19);
/// Row of `_FakeWaveFreqCurve`.
pub const WAVE_FREQUENCY: Row = Row(20);
/// Row of `_LimitPowerCurve`.
pub const LIMIT_POWER: Row = Row(21);
/// Row of `_StabilizationFrameRate`.
pub const RATE: Row = Row(22);
/// Row of `_SubSteps`.
pub const SUB_STEPS: Row = Row(23);
/// Row of `_Relaxation`.
pub const RELAXATION: Row = Row(24);
/// Row of `TimeScale`.
pub const TIME_SCALE: Row = Row(25);
/// Row of `_IsPaused`.
pub const PAUSED: Row = Row(26);
/// Row of `_RootSlideLimit`.
pub const SLIDE_LIMIT: Row = Row(33);
/// Row of `_RootRotateLimit`.
pub const ROTATE_LIMIT: Row = Row(34);
/// Row of `_ConstraintShrinkLimit`.
pub const SHRINK_LIMIT: Row = Row(35);
/// Row of `_BlendRatio`.
pub const BLEND: Row = Row(36);
/// Row of `_CollisionReturn_Start`.
pub const RETURN_START: Row = Row(37);
/// Row of `_CollisionReturn_Speed`.
pub const RETURN_SPEED: Row = Row(38);
/// Row of `_EnableWindForcePowerToAnimationBlendRatio`.
pub const WIND_BLEND_ON: Row = Row(39);
/// Row of `_WindForcePowerToAnimationBlendRatioCurve`.
pub const WIND_BLEND: Row = Row(40);
/// Row of `_IsCancelResetPhysics`.
pub const CANCEL_RESET: Row = Row(41);
/// Row of `_ResetDelaySeconds`.
pub const RESET_DELAY: Row = Row(42);
/// Row of `_IsFakeWave`.
pub const WAVE: Row = Row(43);
/// Row of `_FakeWaveSpeed`.
pub const WAVE_SPEED: Row = Row(44);
/// Row of `_FakeWavePower`.
pub const WAVE_HEIGHT: Row = Row(45);
/// Row of `_UseLimitAngles`.
pub const USE_ANGLES: Row = Row(56);
/// Row of `_LimitAngle`.
pub const LIMIT_ANGLE: Row = Row(57);
/// Row of `_LimitFromRoot`.
pub const LIMIT_FROM_ROOT: Row = Row(58);
/// Row of `_IsLoopRootPoints`.
pub const LOOP: Row = Row(59);
/// Row of `_IsEnableSurfaceCollision`.
pub const SURFACE: Row = Row(68);
/// Row of `fullGravity`.
pub const FULL_GRAVITY: Row = Row(69);
/// Row of `evenSteps`.
pub const EVEN_STEPS: Row = Row(70);
/// Row of `roundContact`.
pub const ROUND_CONTACT: Row = Row(71);
/// Row of `shortBones`.
pub const SHORT_BONES: Row = Row(72);
/// Row of `limitNow`.
pub const LIMIT_NOW: Row = Row(73);
/// Row of `readLimitPower`.
pub const READ_LIMIT_POWER: Row = Row(74);
/// Rows of `_Gravity` x, y, z.
pub const GRAVITY: [Row; 3] = [Row(27), Row(28), Row(29)];
/// Rows of `_WindForce` x, y, z.
pub const WIND: [Row; 3] = [Row(30), Row(31), Row(32)];
/// Rows of the shrink strengths, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const SHRINK: [Row; 5] = [Row(9), Row(10), Row(11), Row(12), Row(13)];
/// Rows of the stretch strengths, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const STRETCH: [Row; 5] = [Row(14), Row(15), Row(16), Row(17), Row(18)];
/// Rows of the switches to the shared shrink strength, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const ALL_SHRINK_ON: [Row; 5] = [Row(46), Row(47), Row(48), Row(49), Row(50)];
/// Rows of the switches to the shared stretch strength, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const ALL_STRETCH_ON: [Row; 5] = [Row(51), Row(52), Row(53), Row(54), Row(55)];
/// Rows of the switches of the links, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const COMPUTE: [Row; 5] = [Row(60), Row(61), Row(62), Row(63), Row(64)];
/// Rows of the switches of the links' contact, in the order of [`LinkKind`](crate::sim::LinkKind).
pub const COLLIDE: [Row; 3] = [Row(65), Row(66), Row(67)];

/// The engine's default curves that are not level: value at the root and at the last depth, eased between (two keys with
/// level slopes), over the count of depths.
pub const DEFAULT_CURVES: &[(Row, [f32; 2])] = &[
    (RESISTANCE, [1.0, 5.0]),
    (HARDNESS, [5.0, 0.1]),
    (ALL_SHRINK, [0.8, 0.7]),
    (ALL_STRETCH, [0.8, 0.7]),
    (WAVE_POWER, [0.0, 1.0]),
    (WAVE_FREQUENCY, [0.0, 2.0]),
    (LIMIT_POWER, [1.0, 0.0]),
];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "_ResistanceCurve",
        label: "Resistance",
        range: (0.0, 100.0),
        soft_range: (0.0, 20.0),
        default: 3.0,
        idea: Idea::Drag,
        doc: "Speed lost in every step, in percent; the engine's own curve eases from 1 at the root to 5 at the last depth.",
        ..JOINT
    },
    ParamDef {
        name: "_HardnessCurve",
        label: "Hardness",
        range: (0.0, 100.0),
        soft_range: (0.0, 20.0),
        default: 2.55,
        doc: "Share of the way back to the animated position taken in every step, in percent; the engine's own curve eases from 5 to 0.1.",
        ..JOINT
    },
    ParamDef {
        name: "_MassScaleCurve",
        label: "Mass scale",
        range: (0.0, f32::MAX),
        soft_range: (0.1, 5.0),
        default: 1.0,
        idea: Idea::Switch,
        doc: "Factor on the point's mass, which only divides the wind; at least 0.01 remains.",
        ..JOINT
    },
    ParamDef {
        name: "_GravityScaleCurve",
        label: "Gravity scale",
        range: (-100.0, 100.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Gravity,
        doc: "Factor on the system's gravity.",
        ..JOINT
    },
    ParamDef {
        name: "_WindForceScaleCurve",
        label: "Wind scale",
        range: (-100.0, 100.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Factor on the wind; the engine multiplies it by the point's depth as well, so that roots feel none.",
        ..JOINT
    },
    ParamDef {
        name: "_FrictionCurve",
        label: "Friction",
        group: Group::Collision,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 1.0),
        default: 0.7,
        idea: Idea::Contact,
        doc: "How much a touch slows the next step: a factor on the friction of what was touched.",
        ..JOINT
    },
    ParamDef {
        name: "_SliderJointLengthCurve",
        label: "Slack",
        group: Group::LengthLimits,
        unit: Unit::Metres,
        soft_range: (0.0, 0.1),
        idea: Idea::Limit,
        doc: "How much longer horizontal, shear and horizontal bending links may grow before they pull, in metres.",
        ..JOINT
    },
    ParamDef {
        name: "_AllShrink",
        label: "Shared shrink",
        default: 0.75,
        doc: "How strongly links that are too long are shortened, 0 to 1, where a kind takes the shared value; the engine's own curve eases from 0.8 to 0.7.",
        ..POWER
    },
    ParamDef {
        name: "_AllStretch",
        label: "Shared stretch",
        default: 0.75,
        doc: "How strongly links that are too short are lengthened, 0 to 1, where a kind takes the shared value; the engine's own curve eases from 0.8 to 0.7.",
        ..POWER
    },
    ParamDef {
        name: "_StructuralShrinkVertical",
        label: "Vertical shrink",
        default: 1.0,
        doc: "How strongly vertical links (parent to child) are shortened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_StructuralShrinkHorizontal",
        label: "Horizontal shrink",
        default: 1.0,
        doc: "How strongly horizontal links (neighbouring columns) are shortened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_ShearShrink",
        label: "Shear shrink",
        default: 1.0,
        doc: "How strongly shear links (diagonals) are shortened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_BendingShrinkVertical",
        label: "Vert. bend shrink",
        default: 1.0,
        doc: "How strongly vertical bending links (to the grandchild) are shortened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_BendingShrinkHorizontal",
        label: "Hor. bend shrink",
        default: 1.0,
        doc: "How strongly horizontal bending links (to the column after next) are shortened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_StructuralStretchVertical",
        label: "Vertical stretch",
        default: 1.0,
        doc: "How strongly vertical links (parent to child) are lengthened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_StructuralStretchHorizontal",
        label: "Horizontal stretch",
        default: 1.0,
        doc: "How strongly horizontal links (neighbouring columns) are lengthened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_ShearStretch",
        label: "Shear stretch",
        default: 1.0,
        doc: "How strongly shear links (diagonals) are lengthened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_BendingStretchVertical",
        label: "Vert. bend stretch",
        default: 1.0,
        doc: "How strongly vertical bending links (to the grandchild) are lengthened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_BendingStretchHorizontal",
        label: "Hor. bend stretch",
        default: 1.0,
        doc: "How strongly horizontal bending links (to the column after next) are lengthened, 0 to 1, where they do not take the shared value.",
        ..POWER
    },
    ParamDef {
        name: "_FakeWavePowerCurve",
        label: "Wave share",
        range: (0.0, f32::MAX),
        default: 1.0,
        idea: Idea::Switch,
        group: Group::World,
        doc: "Share of the fake wave's height at this depth; the engine's own curve eases from 0 to 1, and only the last points of columns show it.",
        ..JOINT
    },
    ParamDef {
        name: "_FakeWaveFreqCurve",
        label: "Wave offset",
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 6.0),
        default: 2.0,
        idea: Idea::Switch,
        group: Group::World,
        doc: "How far the fake wave runs on from one column's end to the next, in radians; the engine's own curve eases from 0 to 2.",
        ..JOINT
    },
    ParamDef {
        name: "_LimitPowerCurve",
        label: "Limit power",
        group: Group::AngleLimits,
        range: (0.0, 1.0),
        default: 1.0,
        idea: Idea::Limit,
        doc: "Share of the way back into the angle limit, 0 to 1; the engine has this curve but never reads it, so that it acts only with its improvement on.",
        ..JOINT
    },
    ParamDef {
        name: "_StabilizationFrameRate",
        label: "Frame rate",
        group: Group::Time,
        kind: Kind::Integer,
        unit: Unit::PerSecond,
        range: (1.0, 1000.0),
        soft_range: (15.0, 240.0),
        default: 60.0,
        idea: Idea::Time,
        doc: "Steps per second that the engine aims at; a step really lasts 1/(rate+1) seconds.",
        ..SYSTEM
    },
    ParamDef {
        name: "_SubSteps",
        label: "Substeps",
        group: Group::Time,
        kind: Kind::Integer,
        range: (1.0, 64.0),
        soft_range: (1.0, 8.0),
        default: 1.0,
        idea: Idea::Time,
        doc: "Into how many parts each step is divided.",
        ..SYSTEM
    },
    ParamDef {
        name: "_Relaxation",
        label: "Relaxation",
        group: Group::Time,
        kind: Kind::Integer,
        range: (0.0, 64.0),
        soft_range: (1.0, 16.0),
        default: 1.0,
        idea: Idea::Time,
        doc: "How often all links are gone through in each substep; more is stiffer.",
        ..SYSTEM
    },
    ParamDef {
        name: "TimeScale",
        label: "Time scale",
        group: Group::Time,
        range: (0.0, 10.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Time,
        doc: "Factor on time for this system; 0 stops it.",
        ..SYSTEM
    },
    ParamDef {
        name: "_IsPaused",
        label: "Paused",
        group: Group::Time,
        doc: "Stops the physics; the points move along with the root as a whole.",
        ..TOGGLE
    },
    ParamDef {
        name: "_Gravity x",
        label: "Gravity X",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        mirror: Mirror::Negate,
        idea: Idea::Gravity,
        doc: "Steady pull to the side in the world, in m/s²; the engine lets half of it act.",
        ..SYSTEM
    },
    ParamDef {
        name: "_Gravity y",
        label: "Gravity Y",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        default: -9.8,
        idea: Idea::Gravity,
        doc: "Steady pull upwards in the world, in m/s²; the engine lets half of it act.",
        ..SYSTEM
    },
    ParamDef {
        name: "_Gravity z",
        label: "Gravity Z",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Gravity,
        doc: "Steady pull along Z in the world, in m/s²; the engine lets half of it act.",
        ..SYSTEM
    },
    ParamDef {
        name: "_WindForce x",
        label: "Wind X",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        mirror: Mirror::Negate,
        idea: Idea::Wind,
        doc: "Steady wind to the side in the world, in m/s² for a mass of 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "_WindForce y",
        label: "Wind Y",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Wind,
        doc: "Steady wind upwards in the world, in m/s² for a mass of 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "_WindForce z",
        label: "Wind Z",
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Wind,
        doc: "Steady wind along Z in the world, in m/s² for a mass of 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "_RootSlideLimit",
        label: "Root slide limit",
        unit: Unit::Speed,
        range: (-1.0, f32::MAX),
        soft_range: (-1.0, 20.0),
        default: 5.0,
        idea: Idea::Limit,
        doc: "Root speed in m/s above which the rest of its movement carries all points along; below 0 there is no limit.",
        ..SYSTEM
    },
    ParamDef {
        name: "_RootRotateLimit",
        label: "Root turn limit",
        unit: Unit::TurnSpeed,
        range: (-1.0, f32::MAX),
        soft_range: (-1.0, 1440.0),
        default: 540.0,
        idea: Idea::Limit,
        doc: "Root turning speed in degrees per second above which the rest of its turn carries all points along; below 0 there is no limit.",
        ..SYSTEM
    },
    ParamDef {
        name: "_ConstraintShrinkLimit",
        label: "Shrink limit",
        group: Group::LengthLimits,
        range: (-1.0, f32::MAX),
        soft_range: (-1.0, 1.0),
        default: -1.0,
        idea: Idea::Limit,
        doc: "Upper bound of the shrink strength of horizontal, shear and horizontal bending links; below 0 there is none.",
        ..SYSTEM
    },
    ParamDef {
        name: "_BlendRatio",
        label: "Blend",
        group: Group::Switches,
        unit: Unit::Share,
        range: (0.0, 1.0),
        idea: Idea::Switch,
        doc: "Share of the animated pose in what is shown, 0 to 1; it eases in and out.",
        ..SYSTEM
    },
    ParamDef {
        name: "_CollisionReturn_Start",
        label: "Collision return start",
        group: Group::Collision,
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.5,
        idea: Idea::Contact,
        doc: "Blend from which on colliders shrink to nothing; below it they grow back.",
        ..SYSTEM
    },
    ParamDef {
        name: "_CollisionReturn_Speed",
        label: "Collision return speed",
        group: Group::Collision,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 5.0),
        default: 0.5,
        idea: Idea::Contact,
        doc: "Share of their radius by which colliders shrink or grow per second.",
        ..SYSTEM
    },
    ParamDef {
        name: "_EnableWindForcePowerToAnimationBlendRatio",
        label: "Wind blends",
        group: Group::Switches,
        doc: "Lets the wind's power blend towards the animated pose.",
        ..TOGGLE
    },
    ParamDef {
        name: "_WindForcePowerToAnimationBlendRatioCurve",
        label: "Blend by wind",
        group: Group::Switches,
        unit: Unit::Share,
        range: (0.0, 1.0),
        idea: Idea::Wind,
        doc: "Value of the engine's curve at the present power of the wind, 0 to 1.",
        ..SYSTEM
    },
    ParamDef {
        name: "_IsCancelResetPhysics",
        label: "Ignore resets",
        group: Group::Switches,
        doc: "In the engine, scripts cannot reset the physics while this is on; Yuremono's own reset always works.",
        ..TOGGLE
    },
    ParamDef {
        name: "_ResetDelaySeconds",
        label: "Reset delay",
        group: Group::Time,
        unit: Unit::Seconds,
        range: (0.0, 10.0),
        soft_range: (0.0, 2.0),
        idea: Idea::Time,
        doc: "Seconds that the animated pose stays before the physics starts, after loading and after a reset.",
        ..SYSTEM
    },
    ParamDef {
        name: "_IsFakeWave",
        label: "Fake wave",
        group: Group::World,
        doc: "Lets the last points of columns wave to and fro; only what is shown moves.",
        ..TOGGLE
    },
    ParamDef {
        name: "_FakeWaveSpeed",
        label: "Wave speed",
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 30.0),
        default: 10.0,
        idea: Idea::Wind,
        doc: "How fast the fake wave runs, in radians per second.",
        ..SYSTEM
    },
    ParamDef {
        name: "_FakeWavePower",
        label: "Wave height",
        unit: Unit::Metres,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 0.2),
        default: 0.05,
        idea: Idea::Wind,
        doc: "Height of the fake wave to either side, in metres.",
        ..SYSTEM
    },
    ParamDef {
        name: "_IsAllStructuralShrinkVertical",
        label: "Shrink of vertical shared",
        group: Group::LengthLimits,
        default: 0.0,
        doc: "Takes the shared shrink value for vertical links (parent to child).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllStructuralShrinkHorizontal",
        label: "Shrink of horizontal shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared shrink value for horizontal links (neighbouring columns).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllShearShrink",
        label: "Shrink of shear shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared shrink value for shear links (diagonals).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllBendingShrinkVertical",
        label: "Shrink of vertical bending shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared shrink value for vertical bending links (to the grandchild).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllBendingShrinkHorizontal",
        label: "Shrink of horizontal bending shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared shrink value for horizontal bending links (to the column after next).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllStructuralStretchVertical",
        label: "Stretch of vertical shared",
        group: Group::LengthLimits,
        default: 0.0,
        doc: "Takes the shared stretch value for vertical links (parent to child).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllStructuralStretchHorizontal",
        label: "Stretch of horizontal shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared stretch value for horizontal links (neighbouring columns).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllShearStretch",
        label: "Stretch of shear shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared stretch value for shear links (diagonals).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllBendingStretchVertical",
        label: "Stretch of vertical bending shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared stretch value for vertical bending links (to the grandchild).",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsAllBendingStretchHorizontal",
        label: "Stretch of horizontal bending shared",
        group: Group::LengthLimits,
        default: 1.0,
        doc: "Takes the shared stretch value for horizontal bending links (to the column after next).",
        ..TOGGLE
    },
    ParamDef {
        name: "_UseLimitAngles",
        label: "Angle limits",
        group: Group::AngleLimits,
        idea: Idea::Limit,
        doc: "Keeps each point within a cone about its parent's direction.",
        ..TOGGLE
    },
    ParamDef {
        name: "_LimitAngle",
        label: "Largest angle",
        group: Group::AngleLimits,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (-1.0, 180.0),
        soft_range: (0.0, 180.0),
        default: -1.0,
        idea: Idea::Limit,
        doc: "Half opening of that cone, in degrees; below 0 there is no limit.",
        ..SYSTEM
    },
    ParamDef {
        name: "_LimitFromRoot",
        label: "From the pose",
        group: Group::AngleLimits,
        idea: Idea::Limit,
        doc: "Measures the angle from the animated direction, not from the parent's present one.",
        ..TOGGLE
    },
    ParamDef {
        name: "_IsLoopRootPoints",
        label: "Close the ring",
        doc: "Links the last column to the first, as in a skirt.",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsComputeStructuralVertical",
        label: "Use vertical links",
        default: 1.0,
        doc: "Whether there are vertical links (parent to child).",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsComputeStructuralHorizontal",
        label: "Use horizontal links",
        default: 1.0,
        doc: "Whether there are horizontal links (neighbouring columns).",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsComputeShear",
        label: "Use shear links",
        default: 0.0,
        doc: "Whether there are shear links (diagonals).",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsComputeBendingVertical",
        label: "Use vertical bending links",
        default: 1.0,
        doc: "Whether there are vertical bending links (to the grandchild).",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsComputeBendingHorizontal",
        label: "Use horizontal bending links",
        default: 1.0,
        doc: "Whether there are horizontal bending links (to the column after next).",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsCollideStructuralVertical",
        label: "Collide vertical links",
        group: Group::Collision,
        default: 1.0,
        doc: "Whether vertical links (parent to child) and their ends meet colliders.",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsCollideStructuralHorizontal",
        label: "Collide horizontal links",
        group: Group::Collision,
        default: 1.0,
        doc: "Whether horizontal links (neighbouring columns) and their ends meet colliders.",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsCollideShear",
        label: "Collide shear links",
        group: Group::Collision,
        default: 1.0,
        doc: "Whether shear links (diagonals) and their ends meet colliders.",
        ..TOPOLOGY
    },
    ParamDef {
        name: "_IsEnableSurfaceCollision",
        label: "Surface collision",
        group: Group::Collision,
        doc: "Also pushes the triangles between columns out of colliders; vertical, horizontal and shear links then always collide.",
        ..TOPOLOGY
    },
    ParamDef {
        name: "fullGravity",
        label: "Full gravity",
        doc: "Lets gravity and wind act whole; the engine loses half of both.",
        ..BETTER
    },
    ParamDef {
        name: "evenSteps",
        label: "Even steps",
        doc: "Makes a step last 1/rate seconds, so that frames of that rate get one step each instead of now and then two.",
        ..BETTER
    },
    ParamDef {
        name: "roundContact",
        label: "Round contact",
        doc: "Pushes points out to the sum of both radii, also where a collider is thinner than 3.2 cm, and tapers inside capsules the right way round.",
        ..BETTER
    },
    ParamDef {
        name: "shortBones",
        label: "Turn short bones",
        doc: "Turns bones that are shorter than 3.2 cm, too.",
        ..BETTER
    },
    ParamDef {
        name: "limitNow",
        label: "Limits at once",
        doc: "Applies angle limits before the pose is written; the engine shows them one frame late.",
        ..BETTER
    },
    ParamDef {
        name: "readLimitPower",
        label: "Limit power acts",
        doc: "Lets the limit power act, which the engine never reads.",
        ..BETTER
    },
];
