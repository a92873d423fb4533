//! The parameter table of [`super`].
//!
//! Names are those of the public API pages (`FAnimNode_AnimDynamics`, `FAnimPhysBodyDefinition`,
//! `FAnimPhysConstraintSetup`), lengths in metres instead of centimetres. A node of the engine is a chain here, so that
//! a node's springs, damping and gravity are rows of joints; what must be one for all chains is of system scope.
//! Not shown: the level-of-detail threshold, retargeting, and the reset, which is the program's own.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::AnimDynamics.key(), curve: true, ..ParamDef::PLAIN };
const ON: ParamDef = ParamDef { kind: Kind::Toggle, range: (0.0, 1.0), idea: Idea::Switch, curve: false, ..JOINT };
const SIDE: ParamDef = ParamDef {
    unit: Unit::Metres,
    soft_range: (0.0, 0.5),
    scale: Scale::Logarithmic,
    touches: Touches::Params,
    doc: "",
    ..JOINT
};
const PLACE: ParamDef =
    ParamDef { unit: Unit::Metres, range: (f32::MIN, f32::MAX), soft_range: (-0.5, 0.5), scale: Scale::Linear, ..SIDE };
const DIRECTION: ParamDef = ParamDef { range: (f32::MIN, f32::MAX), soft_range: (-1.0, 1.0), curve: false, ..JOINT };
const DAMPING: ParamDef =
    ParamDef { unit: Unit::Share, range: (0.0, 1.0), soft_range: (0.0, 1.0), default: 0.7, idea: Idea::Drag, ..JOINT };
const LIMIT: ParamDef = ParamDef { group: Group::AngleLimits, idea: Idea::Limit, curve: false, ..JOINT };
const FREE: ParamDef = ParamDef {
    group: Group::LengthLimits,
    kind: Kind::Choice(LINEAR_LIMITS),
    range: (0.0, 1.0),
    default: 1.0,
    ..LIMIT
};
const PLAY: ParamDef = ParamDef {
    group: Group::LengthLimits,
    unit: Unit::Metres,
    range: (f32::MIN, f32::MAX),
    soft_range: (-0.2, 0.2),
    ..LIMIT
};
const LOWEST: ParamDef = ParamDef {
    kind: Kind::Degrees,
    unit: Unit::Degrees,
    range: (-180.0, 180.0),
    soft_range: (-180.0, 180.0),
    default: -180.0,
    mirror: Mirror::SwapNegate(3),
    ..LIMIT
};
const HIGHEST: ParamDef = ParamDef { default: 180.0, mirror: Mirror::SwapNegate(-3), ..LOWEST };
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, group: Group::World, curve: false, ..JOINT };
const SYSTEM_ON: ParamDef = ParamDef {
    scope: Scope::System,
    group: Group::Switches,
    kind: Kind::Toggle,
    idea: Idea::Switch,
    default: 1.0,
    ..ON
};
const PUSH: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    range: (f32::MIN, f32::MAX),
    soft_range: (-20.0, 20.0),
    idea: Idea::Gravity,
    ..SYSTEM
};
const FELT: ParamDef = ParamDef { range: (f32::MIN, f32::MAX), soft_range: (0.0, 2.0), idea: Idea::Wind, ..SYSTEM };
const CLAMP: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    range: (0.0, f32::MAX),
    soft_range: (0.0, 200.0),
    default: 100.0,
    idea: Idea::Limit,
    ..SYSTEM
};
const ROUNDS: ParamDef =
    ParamDef { group: Group::Time, kind: Kind::Integer, soft_range: (0.0, 20.0), idea: Idea::Time, ..SYSTEM };

const fn three(first: u16) -> [Row; 3] {
    [Row(first), Row(first + 1), Row(first + 2)]
}

/// The editor lets no side of a box be shorter, metres.
pub const LEAST_SIDE: f32 = 0.01;

/// Rows of `BoxExtents` x, y, z.
pub const BOX_EXTENTS: [Row; 3] = three(0);
/// Rows of `LocalJointOffset` x, y, z.
pub const LOCAL_JOINT_OFFSET: [Row; 3] = three(3);
/// Row of `bLinearSpring`.
pub const LINEAR_SPRING: Row = Row(6);
/// Row of `LinearSpringConstant`.
pub const LINEAR_SPRING_CONSTANT: Row = Row(7);
/// Row of `bAngularSpring`.
pub const ANGULAR_SPRING: Row = Row(8);
/// Row of `AngularSpringConstant`.
pub const ANGULAR_SPRING_CONSTANT: Row = Row(9);
/// Row of `AngularTargetAxis`.
pub const ANGULAR_TARGET_AXIS: Row = Row(10);
/// Rows of `AngularTarget` x, y, z.
pub const ANGULAR_TARGET: [Row; 3] = three(11);
/// Row of `bOverrideLinearDamping`.
pub const OVERRIDE_LINEAR_DAMPING: Row = Row(14);
/// Row of `LinearDampingOverride`.
pub const LINEAR_DAMPING: Row = Row(15);
/// Row of `bOverrideAngularDamping`.
pub const OVERRIDE_ANGULAR_DAMPING: Row = Row(16);
/// Row of `AngularDampingOverride`.
pub const ANGULAR_DAMPING: Row = Row(17);
/// Row of `bOverrideAngularBias`.
pub const OVERRIDE_ANGULAR_BIAS: Row = Row(18);
/// Row of `AngularBiasOverride`.
pub const ANGULAR_BIAS: Row = Row(19);
/// Row of `GravityScale`.
pub const GRAVITY_SCALE: Row = Row(20);
/// Row of `bEnableWind`.
pub const ENABLE_WIND: Row = Row(21);
/// Row of `WindScale`.
pub const WIND_SCALE: Row = Row(22);
/// Rows of `LinearXLimitType` and its like.
pub const LINEAR_LIMIT_TYPE: [Row; 3] = three(23);
/// Rows of `LinearAxesMin` x, y, z.
pub const LINEAR_AXES_MIN: [Row; 3] = three(26);
/// Rows of `LinearAxesMax` x, y, z.
pub const LINEAR_AXES_MAX: [Row; 3] = three(29);
/// Row of `AngularConstraintType`.
pub const ANGULAR_CONSTRAINT_TYPE: Row = Row(32);
/// Row of `TwistAxis`.
pub const TWIST_AXIS: Row = Row(33);
/// Rows of `AngularLimitsMin` x, y, z.
pub const ANGULAR_LIMITS_MIN: [Row; 3] = three(34);
/// Rows of `AngularLimitsMax` x, y, z.
pub const ANGULAR_LIMITS_MAX: [Row; 3] = three(37);
/// Row of `ConeAngle`.
pub const CONE_ANGLE: Row = Row(40);
/// Row of `CollisionType`.
pub const COLLISION_TYPE: Row = Row(41);
/// Row of `SphereCollisionRadius`.
pub const SPHERE_COLLISION_RADIUS: Row = Row(42);
/// Row of `SimulationSpace`.
pub const SIMULATION_SPACE: Row = Row(43);
/// Row of `bUseGravityOverride`.
pub const USE_GRAVITY_OVERRIDE: Row = Row(44);
/// Rows of `GravityOverride` x, y, z.
pub const GRAVITY_OVERRIDE: [Row; 3] = three(45);
/// Row of `bGravityOverrideInSimSpace`.
pub const GRAVITY_OVERRIDE_IN_SIM_SPACE: Row = Row(48);
/// Rows of `ExternalForce` x, y, z.
pub const EXTERNAL_FORCE: [Row; 3] = three(49);
/// Rows of `ComponentLinearAccScale` x, y, z.
pub const COMPONENT_ACC_SCALE: [Row; 3] = three(52);
/// Rows of `ComponentLinearVelScale` x, y, z.
pub const COMPONENT_VEL_SCALE: [Row; 3] = three(55);
/// Rows of `ComponentAppliedLinearAccClamp` x, y, z.
pub const COMPONENT_ACC_CLAMP: [Row; 3] = three(58);
/// Row of `NumSolverIterationsPreUpdate`.
pub const ITERATIONS_PRE: Row = Row(61);
/// Row of `NumSolverIterationsPostUpdate`.
pub const ITERATIONS_POST: Row = Row(62);
/// Row of `bUsePlanarLimit`.
pub const USE_PLANAR_LIMIT: Row = Row(63);
/// Row of `bUseSphericalLimits`.
pub const USE_SPHERICAL_LIMITS: Row = Row(64);
/// Row of `bDoUpdate`.
pub const DO_UPDATE: Row = Row(65);
/// Row of `bDoEval`.
pub const DO_EVAL: Row = Row(66);
/// Row of which point of a body lies on the bone's head.
pub const BODY_AT: Row = Row(67);
/// Row of the rate of sub-steps.
pub const SUBSTEP_RATE: Row = Row(68);
/// Row of how many frames may be made up for.
pub const MAX_DEBT_FRAMES: Row = Row(69);

/// The choices of [`ANGULAR_TARGET_AXIS`] and [`TWIST_AXIS`].
pub const AXES: &[&str] = &["Along the bone", "X", "Y", "Z"];
/// The choices of [`LINEAR_LIMIT_TYPE`].
pub const LINEAR_LIMITS: &[&str] = &["Free", "Limited"];
/// The choices of [`ANGULAR_CONSTRAINT_TYPE`].
pub const CONSTRAINTS: &[&str] = &["Angles", "Cone"];
/// The choices of [`COLLISION_TYPE`].
pub const COLLISIONS: &[&str] = &["Center of mass", "Custom sphere", "Inner sphere", "Outer sphere"];
/// The choices of [`SIMULATION_SPACE`].
pub const SPACES: &[&str] = &["Component", "Actor", "World", "Root relative", "Bone relative"];
/// The choices of [`BODY_AT`].
pub const BODIES: &[&str] = &["Center on the bone", "Joint on the bone"];

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "BoxExtents x",
        label: "Box X",
        doc: "Whole side of the body's box along X, in metres; a bigger box turns more slowly, and less than 1 cm counts as 1 cm.",
        ..SIDE
    },
    ParamDef {
        name: "BoxExtents y",
        label: "Box Y",
        doc: "Whole side of the body's box along Y, in metres; less than 1 cm counts as 1 cm.",
        ..SIDE
    },
    ParamDef {
        name: "BoxExtents z",
        label: "Box Z",
        doc: "Whole side of the body's box along Z, in metres; less than 1 cm counts as 1 cm.",
        ..SIDE
    },
    ParamDef {
        name: "LocalJointOffset x",
        label: "Joint offset X",
        mirror: Mirror::Negate,
        doc: "From the body's center to the point that it hangs on, along X of the bone, in metres; gravity needs such a lever.",
        ..PLACE
    },
    ParamDef {
        name: "LocalJointOffset y",
        label: "Joint offset Y",
        doc: "From the body's center to the point that it hangs on, along Y of the bone, in metres.",
        ..PLACE
    },
    ParamDef {
        name: "LocalJointOffset z",
        label: "Joint offset Z",
        doc: "From the body's center to the point that it hangs on, along Z of the bone, in metres.",
        ..PLACE
    },
    ParamDef {
        name: "bLinearSpring",
        label: "Linear spring",
        doc: "Pulls the body back to where animation has its bone; it needs play or a lever to act.",
        ..ON
    },
    ParamDef {
        name: "LinearSpringConstant",
        label: "Linear spring constant",
        soft_range: (0.0, 2000.0),
        scale: Scale::Logarithmic,
        doc: "Strength of the linear spring, in N/m on a body of 1 kg.",
        ..JOINT
    },
    ParamDef {
        name: "bAngularSpring",
        label: "Angular spring",
        doc: "Turns the body's target axis back to its target.",
        ..ON
    },
    ParamDef {
        name: "AngularSpringConstant",
        label: "Angular spring constant",
        soft_range: (0.0, 50.0),
        scale: Scale::Logarithmic,
        doc: "Strength of the angular spring, in N m per radian on a body of 1 kg; a bigger box needs more.",
        ..JOINT
    },
    ParamDef {
        name: "AngularTargetAxis",
        label: "Target axis",
        kind: Kind::Choice(AXES),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        idea: Idea::Switch,
        curve: false,
        doc: "The axis of the body that the angular spring aligns; X of the engine's skeletons runs along the bone.",
        ..JOINT
    },
    ParamDef {
        name: "AngularTarget x",
        label: "Target X",
        mirror: Mirror::Negate,
        doc: "Where the target axis is pulled to in the animated bone's space, X; three zeros leave it where animation has it.",
        ..DIRECTION
    },
    ParamDef {
        name: "AngularTarget y",
        label: "Target Y",
        doc: "Where the target axis is pulled to in the animated bone's space, Y; only the direction counts.",
        ..DIRECTION
    },
    ParamDef {
        name: "AngularTarget z",
        label: "Target Z",
        doc: "Where the target axis is pulled to in the animated bone's space, Z; only the direction counts.",
        ..DIRECTION
    },
    ParamDef {
        name: "bOverrideLinearDamping",
        label: "Own linear damping",
        doc: "Takes the linear damping below instead of 0.7.",
        ..ON
    },
    ParamDef {
        name: "LinearDampingOverride",
        label: "Linear damping",
        doc: "Share of the speed lost in a second, 0 to 1; less than 0.7 has no effect.",
        ..DAMPING
    },
    ParamDef {
        name: "bOverrideAngularDamping",
        label: "Own angular damping",
        doc: "Takes the angular damping below instead of 0.7.",
        ..ON
    },
    ParamDef {
        name: "AngularDampingOverride",
        label: "Angular damping",
        doc: "Share of the turning speed lost in a second, 0 to 1; less than 0.7 has no effect.",
        ..DAMPING
    },
    ParamDef {
        name: "bOverrideAngularBias",
        label: "Own angular bias",
        doc: "Takes the angular bias below instead of 0.95.",
        ..ON
    },
    ParamDef {
        name: "AngularBiasOverride",
        label: "Angular bias",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.95,
        idea: Idea::Limit,
        doc: "Share of a turn forced by a limit that the lower body makes, 0 to 1; at 1 a single body does not lag and nothing twists the body above.",
        ..JOINT
    },
    ParamDef {
        name: "GravityScale",
        label: "Gravity scale",
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Gravity,
        doc: "Factor on gravity, which is 9.8 m/s² down.",
        ..JOINT
    },
    ParamDef { name: "bEnableWind", label: "Wind", default: 1.0, doc: "Lets wind blow on the body.", ..ON },
    ParamDef {
        name: "WindScale",
        label: "Wind scale",
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Factor on the wind's strength.",
        ..JOINT
    },
    ParamDef {
        name: "LinearXLimitType",
        label: "Move along X",
        doc: "Whether the body may leave its joint along X of the bone without limit.",
        ..FREE
    },
    ParamDef {
        name: "LinearYLimitType",
        label: "Move along Y",
        doc: "Whether the body may leave its joint along Y of the bone without limit.",
        ..FREE
    },
    ParamDef {
        name: "LinearZLimitType",
        label: "Move along Z",
        doc: "Whether the body may leave its joint along Z of the bone without limit.",
        ..FREE
    },
    ParamDef {
        name: "LinearAxesMin x",
        label: "Lowest X",
        mirror: Mirror::SwapNegate(3),
        doc: "How far the body may move along -X of the bone, in metres, as a number at or below 0.",
        ..PLAY
    },
    ParamDef {
        name: "LinearAxesMin y",
        label: "Lowest Y",
        doc: "How far the body may move along -Y of the bone, in metres, as a number at or below 0.",
        ..PLAY
    },
    ParamDef {
        name: "LinearAxesMin z",
        label: "Lowest Z",
        doc: "How far the body may move along -Z of the bone, in metres, as a number at or below 0.",
        ..PLAY
    },
    ParamDef {
        name: "LinearAxesMax x",
        label: "Highest X",
        mirror: Mirror::SwapNegate(-3),
        doc: "How far the body may move along X of the bone, in metres; 0 here and in the lowest locks it.",
        ..PLAY
    },
    ParamDef {
        name: "LinearAxesMax y",
        label: "Highest Y",
        doc: "How far the body may move along Y of the bone, in metres; 0 here and in the lowest locks it.",
        ..PLAY
    },
    ParamDef {
        name: "LinearAxesMax z",
        label: "Highest Z",
        doc: "How far the body may move along Z of the bone, in metres; 0 here and in the lowest locks it.",
        ..PLAY
    },
    ParamDef {
        name: "AngularConstraintType",
        label: "Angle limit",
        kind: Kind::Choice(CONSTRAINTS),
        range: (0.0, 1.0),
        doc: "Limits the turn about each axis by itself, or the lean of the twist axis by a cone.",
        ..LIMIT
    },
    ParamDef {
        name: "TwistAxis",
        label: "Twist axis",
        kind: Kind::Choice(AXES),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        doc: "The axis that turns about itself; along the bone, X limits the twist, and Y and Z the swing to the sides.",
        ..LIMIT
    },
    ParamDef {
        name: "AngularLimitsMin x",
        label: "Lowest angle X",
        mirror: Mirror::Same,
        doc: "Least turn about X away from the animated pose, in degrees; -180 leaves it free.",
        ..LOWEST
    },
    ParamDef {
        name: "AngularLimitsMin y",
        label: "Lowest angle Y",
        doc: "Least turn about Y away from the animated pose, in degrees; -180 leaves it free.",
        ..LOWEST
    },
    ParamDef {
        name: "AngularLimitsMin z",
        label: "Lowest angle Z",
        doc: "Least turn about Z away from the animated pose, in degrees; -180 leaves it free.",
        ..LOWEST
    },
    ParamDef {
        name: "AngularLimitsMax x",
        label: "Highest angle X",
        mirror: Mirror::Same,
        doc: "Greatest turn about X away from the animated pose, in degrees; 180 leaves it free.",
        ..HIGHEST
    },
    ParamDef {
        name: "AngularLimitsMax y",
        label: "Highest angle Y",
        doc: "Greatest turn about Y away from the animated pose, in degrees; 180 leaves it free.",
        ..HIGHEST
    },
    ParamDef {
        name: "AngularLimitsMax z",
        label: "Highest angle Z",
        doc: "Greatest turn about Z away from the animated pose, in degrees; 180 leaves it free.",
        ..HIGHEST
    },
    ParamDef {
        name: "ConeAngle",
        label: "Cone angle",
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (0.0, 90.0),
        soft_range: (0.0, 90.0),
        default: 90.0,
        doc: "How far the twist axis may lean from its animated direction, in degrees; for a cone only.",
        ..LIMIT
    },
    ParamDef {
        name: "CollisionType",
        label: "Collides as",
        group: Group::Collision,
        kind: Kind::Choice(COLLISIONS),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        idea: Idea::Radius,
        curve: false,
        doc: "What of the body meets planes and spheres: its center, a ball of its own radius, or the ball within or around its box.",
        ..JOINT
    },
    ParamDef {
        name: "SphereCollisionRadius",
        label: "Sphere radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.2),
        scale: Scale::Logarithmic,
        default: 0.1,
        idea: Idea::Radius,
        doc: "Radius of the custom sphere about the body's center, in metres.",
        ..JOINT
    },
    ParamDef {
        name: "SimulationSpace",
        label: "Simulation space",
        kind: Kind::Choice(SPACES),
        range: (0.0, 4.0),
        soft_range: (0.0, 4.0),
        idea: Idea::Wind,
        doc: "Whose own motion the bodies do not feel; in the world they feel all of it, teleports too.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseGravityOverride",
        label: "Own gravity",
        default: 0.0,
        doc: "Takes the gravity below instead of 9.8 m/s² down.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "GravityOverride x",
        label: "Gravity X",
        mirror: Mirror::Negate,
        doc: "Gravity of its own along X, in m/s²; the gravity scale still counts.",
        ..PUSH
    },
    ParamDef {
        name: "GravityOverride y",
        label: "Gravity Y",
        doc: "Gravity of its own along Y, in m/s², below 0 downwards; the gravity scale still counts.",
        ..PUSH
    },
    ParamDef {
        name: "GravityOverride z",
        label: "Gravity Z",
        doc: "Gravity of its own along Z, in m/s²; the gravity scale still counts.",
        ..PUSH
    },
    ParamDef {
        name: "bGravityOverrideInSimSpace",
        label: "Gravity turns along",
        default: 0.0,
        doc: "Measures the own gravity in the simulation space instead of the world.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "ExternalForce x",
        label: "External force X",
        mirror: Mirror::Negate,
        doc: "Steady push on every body along X of the world, in N on a body of 1 kg.",
        ..PUSH
    },
    ParamDef {
        name: "ExternalForce y",
        label: "External force Y",
        doc: "Steady push on every body along Y of the world, in N on a body of 1 kg.",
        ..PUSH
    },
    ParamDef {
        name: "ExternalForce z",
        label: "External force Z",
        doc: "Steady push on every body along Z of the world, in N on a body of 1 kg.",
        ..PUSH
    },
    ParamDef {
        name: "ComponentLinearAccScale x",
        label: "Felt acceleration X",
        doc: "Share of the space's acceleration along its X that the bodies feel; 0 ignores it, 1 feels it whole.",
        ..FELT
    },
    ParamDef {
        name: "ComponentLinearAccScale y",
        label: "Felt acceleration Y",
        doc: "Share of the space's acceleration along its Y that the bodies feel; 0 ignores it, 1 feels it whole.",
        ..FELT
    },
    ParamDef {
        name: "ComponentLinearAccScale z",
        label: "Felt acceleration Z",
        doc: "Share of the space's acceleration along its Z that the bodies feel; 0 ignores it, 1 feels it whole.",
        ..FELT
    },
    ParamDef {
        name: "ComponentLinearVelScale x",
        label: "Head wind X",
        doc: "Drag by the space's speed along its X, in m/s² for each m/s.",
        ..FELT
    },
    ParamDef {
        name: "ComponentLinearVelScale y",
        label: "Head wind Y",
        doc: "Drag by the space's speed along its Y, in m/s² for each m/s.",
        ..FELT
    },
    ParamDef {
        name: "ComponentLinearVelScale z",
        label: "Head wind Z",
        doc: "Drag by the space's speed along its Z, in m/s² for each m/s.",
        ..FELT
    },
    ParamDef {
        name: "ComponentAppliedLinearAccClamp x",
        label: "Most acceleration X",
        doc: "What the space's motion can do to the bodies at most along its X, in m/s².",
        ..CLAMP
    },
    ParamDef {
        name: "ComponentAppliedLinearAccClamp y",
        label: "Most acceleration Y",
        doc: "What the space's motion can do to the bodies at most along its Y, in m/s².",
        ..CLAMP
    },
    ParamDef {
        name: "ComponentAppliedLinearAccClamp z",
        label: "Most acceleration Z",
        doc: "What the space's motion can do to the bodies at most along its Z, in m/s².",
        ..CLAMP
    },
    ParamDef {
        name: "NumSolverIterationsPreUpdate",
        label: "Iterations before",
        default: 4.0,
        doc: "How often speeds are made to fit joints and limits before bodies move; more make long chains stiffer, up to 32.",
        ..ROUNDS
    },
    ParamDef {
        name: "NumSolverIterationsPostUpdate",
        label: "Iterations after",
        default: 1.0,
        doc: "How often places are made to fit limits after bodies moved, up to 32; with 0 limits give way.",
        ..ROUNDS
    },
    ParamDef {
        name: "bUsePlanarLimit",
        label: "Planar limits",
        doc: "Keeps bodies in front of the planes that their joints are given.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "bUseSphericalLimits",
        label: "Spherical limits",
        doc: "Keeps bodies out of the spheres that their joints are given, or within.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "bDoUpdate",
        label: "Simulate",
        doc: "Lets time pass for the bodies; off, they keep their place in the simulation space.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "bDoEval",
        label: "Show",
        doc: "Turns the bones by their bodies; off, animation is shown while the bodies move on.",
        ..SYSTEM_ON
    },
    ParamDef {
        name: "bodyAt",
        label: "Body stands",
        kind: Kind::Choice(BODIES),
        range: (0.0, 1.0),
        idea: Idea::Switch,
        beyond: true,
        doc: "What stands on the bone's head: the body's center, as in the engine, so that a lever moves the bone, or its joint, so that the bone only turns.",
        ..SYSTEM
    },
    ParamDef {
        name: "substepRate",
        label: "Sub-steps",
        unit: Unit::PerSecond,
        group: Group::Time,
        soft_range: (0.0, 240.0),
        idea: Idea::Time,
        beyond: true,
        doc: "Steps per second of even length, whatever the frame rate; 0 takes one step a frame.",
        ..SYSTEM
    },
    ParamDef {
        name: "maxDebtFrames",
        label: "Make up for",
        kind: Kind::Integer,
        group: Group::Time,
        range: (1.0, 64.0),
        soft_range: (1.0, 10.0),
        default: 5.0,
        idea: Idea::Time,
        beyond: true,
        doc: "How many sixtieths of a second a late frame may make up for; what is beyond is dropped.",
        ..SYSTEM
    },
];
