//! The parameter table of [`super`].
//!
//! Names are those of the public API pages (`FAnimNode_AnimDynamics`, `FAnimPhysBodyDefinition`,
//! `FAnimPhysConstraintSetup`), lengths in metres instead of centimetres. A node of the engine is a chain here, so that
//! a node's springs, damping and gravity are rows of joints; what must be one for all chains is of system scope.
//! Not shown: the level-of-detail threshold, retargeting, and the reset, which is the program's own.

use crate::params::{MirrorRule, ParamDef, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit, params};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::AnimDynamics.key(), curve: true, ..ParamDef::PLAIN };
const SWITCH: ParamDef = ParamDef { meaning: ParamMeaning::Switch, curve: false, ..JOINT.toggle() };
const BOX_SIDE: ParamDef =
    ParamDef { unit: Unit::Metres, soft_range: (0.0, 0.5), scale: SliderScale::Logarithmic, ..JOINT };
const OFFSET: ParamDef = ParamDef { unit: Unit::Metres, soft_range: (-0.5, 0.5), ..JOINT.unbounded() };
const DIRECTION: ParamDef = ParamDef { soft_range: (-1.0, 1.0), curve: false, ..JOINT.unbounded() };
const DAMPING: ParamDef = ParamDef { default: 0.7, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
const LIMIT: ParamDef =
    ParamDef { group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, curve: false, ..JOINT };
const LINEAR_LIMIT_MODE: ParamDef =
    ParamDef { group: ParamGroup::LengthLimits, default: 1.0, ..LIMIT.choice(LINEAR_LIMIT_TYPES) };
const LINEAR_LIMIT: ParamDef =
    ParamDef { group: ParamGroup::LengthLimits, unit: Unit::Metres, soft_range: (-0.2, 0.2), ..LIMIT.unbounded() };
const ANGLE: ParamDef = ParamDef { range: (-180.0, 180.0), soft_range: (-180.0, 180.0), ..LIMIT.degrees() };
const COLLISION: ParamDef = ParamDef { group: ParamGroup::Collision, meaning: ParamMeaning::Radius, ..JOINT };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..JOINT };
const SYSTEM_SWITCH: ParamDef =
    ParamDef { group: ParamGroup::Switches, meaning: ParamMeaning::Switch, default: 1.0, ..SYSTEM.toggle() };
const ACCELERATION: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    soft_range: (-20.0, 20.0),
    meaning: ParamMeaning::Gravity,
    ..SYSTEM.unbounded()
};
const SPACE_SCALE: ParamDef = ParamDef { soft_range: (0.0, 2.0), meaning: ParamMeaning::Wind, ..SYSTEM.unbounded() };
const ACCELERATION_CLAMP: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    soft_range: (0.0, 200.0),
    default: 100.0,
    meaning: ParamMeaning::Limit,
    ..SYSTEM
};
const TIME: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const ITERATIONS: ParamDef = ParamDef { kind: ParamKind::Integer, soft_range: (0.0, 20.0), ..TIME };

/// The editor lets no side of a box be shorter, metres.
pub const MIN_BOX_SIDE: f32 = 0.01;

/// The choices of [`ANGULAR_TARGET_AXIS`] and [`TWIST_AXIS`].
pub const AXES: &[&str] = &["Along the bone", "X", "Y", "Z"];
/// The choices of [`LINEAR_LIMIT_TYPE`].
pub const LINEAR_LIMIT_TYPES: &[&str] = &["Free", "Limited"];
/// The choices of [`ANGULAR_CONSTRAINT_TYPE`].
pub const ANGULAR_CONSTRAINT_TYPES: &[&str] = &["Angles", "Cone"];
/// The choices of [`COLLISION_TYPE`].
pub const COLLISION_TYPES: &[&str] = &["Center of mass", "Custom sphere", "Inner sphere", "Outer sphere"];
/// The choices of [`SIMULATION_SPACE`].
pub const SPACES: &[&str] = &["Component", "Actor", "World", "Root relative", "Bone relative"];
/// The choices of [`BODY_ORIGIN`].
pub const BODY_ORIGINS: &[&str] = &["Center on the bone", "Joint on the bone"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    BOX_EXTENTS: Vector = "BoxExtents" { ..BOX_SIDE } [
        /// Whole side of the body's box along X, in metres; a bigger box turns more slowly, and less than 1 cm counts
        /// as 1 cm.
        x "Box X",
        /// Whole side of the body's box along Y, in metres; less than 1 cm counts as 1 cm.
        y "Box Y",
        /// Whole side of the body's box along Z, in metres; less than 1 cm counts as 1 cm.
        z "Box Z",
    ];
    LOCAL_JOINT_OFFSET: Vector = "LocalJointOffset" { ..OFFSET } [
        /// From the body's center to the point that it hangs on, along X of the bone, in metres; gravity needs such a
        /// lever.
        x "Joint offset X" { mirror: MirrorRule::Negate },
        /// From the body's center to the point that it hangs on, along Y of the bone, in metres.
        y "Joint offset Y",
        /// From the body's center to the point that it hangs on, along Z of the bone, in metres.
        z "Joint offset Z",
    ];
    /// Pulls the body back to where animation has its bone; it needs play or a lever to act.
    LINEAR_SPRING = "bLinearSpring" "Linear spring" { ..SWITCH };
    /// Strength of the linear spring, in N/m on a body of 1 kg.
    LINEAR_SPRING_CONSTANT = "LinearSpringConstant" "Linear spring constant" {
        soft_range: (0.0, 2000.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// Turns the body's target axis back to its target.
    ANGULAR_SPRING = "bAngularSpring" "Angular spring" { ..SWITCH };
    /// Strength of the angular spring, in N m per radian on a body of 1 kg; a bigger box needs more.
    ANGULAR_SPRING_CONSTANT = "AngularSpringConstant" "Angular spring constant" {
        soft_range: (0.0, 50.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// The axis of the body that the angular spring aligns; X of the engine's skeletons runs along the bone.
    ANGULAR_TARGET_AXIS = "AngularTargetAxis" "Target axis" { ..SWITCH.choice(AXES) };
    ANGULAR_TARGET: Vector = "AngularTarget" { ..DIRECTION } [
        /// Where the target axis is pulled to in the animated bone's space, X; three zeros leave it where animation has
        /// it.
        x "Target X" { mirror: MirrorRule::Negate },
        /// Where the target axis is pulled to in the animated bone's space, Y; only the direction counts.
        y "Target Y",
        /// Where the target axis is pulled to in the animated bone's space, Z; only the direction counts.
        z "Target Z",
    ];
    /// Takes the linear damping below instead of 0.7.
    OVERRIDE_LINEAR_DAMPING = "bOverrideLinearDamping" "Own linear damping" { ..SWITCH };
    /// Share of the speed lost in a second, 0 to 1; less than 0.7 has no effect.
    LINEAR_DAMPING = "LinearDampingOverride" "Linear damping" { ..DAMPING };
    /// Takes the angular damping below instead of 0.7.
    OVERRIDE_ANGULAR_DAMPING = "bOverrideAngularDamping" "Own angular damping" { ..SWITCH };
    /// Share of the turning speed lost in a second, 0 to 1; less than 0.7 has no effect.
    ANGULAR_DAMPING = "AngularDampingOverride" "Angular damping" { ..DAMPING };
    /// Takes the angular bias below instead of 0.95.
    OVERRIDE_ANGULAR_BIAS = "bOverrideAngularBias" "Own angular bias" { ..SWITCH };
    /// Share of a turn forced by a limit that the lower body makes, 0 to 1; at 1 a single body does not lag and nothing
    /// twists the body above.
    ANGULAR_BIAS = "AngularBiasOverride" "Angular bias" { default: 0.95, meaning: ParamMeaning::Limit, ..JOINT.fraction() };
    /// Factor on gravity, which is 9.8 m/s² down.
    GRAVITY_SCALE = "GravityScale" "Gravity scale" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..JOINT.unbounded()
    };
    /// Lets wind blow on the body.
    ENABLE_WIND = "bEnableWind" "Wind" { default: 1.0, ..SWITCH };
    /// Factor on the wind's strength.
    WIND_SCALE = "WindScale" "Wind scale" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT.unbounded()
    };
    /// Rows of `LinearXLimitType` and its like.
    LINEAR_LIMIT_TYPE: [3] = { ..LINEAR_LIMIT_MODE } [
        /// Whether the body may leave its joint along X of the bone without limit.
        "LinearXLimitType" "Move along X",
        /// Whether the body may leave its joint along Y of the bone without limit.
        "LinearYLimitType" "Move along Y",
        /// Whether the body may leave its joint along Z of the bone without limit.
        "LinearZLimitType" "Move along Z",
    ];
    LINEAR_AXES_MIN: Vector = "LinearAxesMin" { ..LINEAR_LIMIT } [
        /// How far the body may move along -X of the bone, in metres, as a number at or below 0.
        x "Lowest X" { mirror: MirrorRule::SwapNegate(LINEAR_AXES_MAX[0]) },
        /// How far the body may move along -Y of the bone, in metres, as a number at or below 0.
        y "Lowest Y",
        /// How far the body may move along -Z of the bone, in metres, as a number at or below 0.
        z "Lowest Z",
    ];
    LINEAR_AXES_MAX: Vector = "LinearAxesMax" { ..LINEAR_LIMIT } [
        /// How far the body may move along X of the bone, in metres; 0 here and in the lowest locks it.
        x "Highest X" { mirror: MirrorRule::SwapNegate(LINEAR_AXES_MIN[0]) },
        /// How far the body may move along Y of the bone, in metres; 0 here and in the lowest locks it.
        y "Highest Y",
        /// How far the body may move along Z of the bone, in metres; 0 here and in the lowest locks it.
        z "Highest Z",
    ];
    /// Limits the turn about each axis by itself, or the lean of the twist axis by a cone.
    ANGULAR_CONSTRAINT_TYPE = "AngularConstraintType" "Angle limit" { ..LIMIT.choice(ANGULAR_CONSTRAINT_TYPES) };
    /// The axis that turns about itself; along the bone, X limits the twist, and Y and Z the swing to the sides.
    TWIST_AXIS = "TwistAxis" "Twist axis" { ..LIMIT.choice(AXES) };
    ANGULAR_LIMITS_MIN: Vector = "AngularLimitsMin" {
        default: -180.0, mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MAX[2]), ..ANGLE
    } [
        /// Least turn about X away from the animated pose, in degrees; -180 leaves it free.
        x "Lowest angle X" { mirror: MirrorRule::Same },
        /// Least turn about Y away from the animated pose, in degrees; -180 leaves it free.
        y "Lowest angle Y" { mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MAX[1]) },
        /// Least turn about Z away from the animated pose, in degrees; -180 leaves it free.
        z "Lowest angle Z",
    ];
    ANGULAR_LIMITS_MAX: Vector = "AngularLimitsMax" {
        default: 180.0, mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MIN[2]), ..ANGLE
    } [
        /// Greatest turn about X away from the animated pose, in degrees; 180 leaves it free.
        x "Highest angle X" { mirror: MirrorRule::Same },
        /// Greatest turn about Y away from the animated pose, in degrees; 180 leaves it free.
        y "Highest angle Y" { mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MIN[1]) },
        /// Greatest turn about Z away from the animated pose, in degrees; 180 leaves it free.
        z "Highest angle Z",
    ];
    /// How far the twist axis may lean from its animated direction, in degrees; for a cone only.
    CONE_ANGLE = "ConeAngle" "Cone angle" {
        range: (0.0, 90.0), soft_range: (0.0, 90.0), default: 90.0, ..LIMIT.degrees()
    };
    /// What of the body meets planes and spheres: its center, a ball of its own radius, or the ball within or around
    /// its box.
    COLLISION_TYPE = "CollisionType" "Collides as" { curve: false, ..COLLISION.choice(COLLISION_TYPES) };
    /// Radius of the custom sphere about the body's center, in metres.
    SPHERE_COLLISION_RADIUS = "SphereCollisionRadius" "Sphere radius" {
        unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.1, ..COLLISION
    };
    /// Whose own motion the bodies do not feel; in the world they feel all of it, teleports too.
    SIMULATION_SPACE = "SimulationSpace" "Simulation space" { ..SPACE_SCALE.choice(SPACES) };
    /// Takes the gravity below instead of 9.8 m/s² down.
    USE_GRAVITY_OVERRIDE = "bUseGravityOverride" "Own gravity" { default: 0.0, ..SYSTEM_SWITCH };
    GRAVITY_OVERRIDE: Vector = "GravityOverride" { ..ACCELERATION } [
        /// Gravity of its own along X, in m/s²; the gravity scale still counts.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Gravity of its own along Y, in m/s², below 0 downwards; the gravity scale still counts.
        y "Gravity Y",
        /// Gravity of its own along Z, in m/s²; the gravity scale still counts.
        z "Gravity Z",
    ];
    /// Measures the own gravity in the simulation space instead of the world.
    GRAVITY_OVERRIDE_IN_SIM_SPACE = "bGravityOverrideInSimSpace" "Gravity turns along" { default: 0.0, ..SYSTEM_SWITCH };
    EXTERNAL_FORCE: Vector = "ExternalForce" { ..ACCELERATION } [
        /// Steady push on every body along X of the world, in N on a body of 1 kg.
        x "External force X" { mirror: MirrorRule::Negate },
        /// Steady push on every body along Y of the world, in N on a body of 1 kg.
        y "External force Y",
        /// Steady push on every body along Z of the world, in N on a body of 1 kg.
        z "External force Z",
    ];
    COMPONENT_ACC_SCALE: Vector = "ComponentLinearAccScale" { ..SPACE_SCALE } [
        /// Share of the space's acceleration along its X that the bodies feel; 0 ignores it, 1 feels it whole.
        x "Felt acceleration X",
        /// Share of the space's acceleration along its Y that the bodies feel; 0 ignores it, 1 feels it whole.
        y "Felt acceleration Y",
        /// Share of the space's acceleration along its Z that the bodies feel; 0 ignores it, 1 feels it whole.
        z "Felt acceleration Z",
    ];
    COMPONENT_VEL_SCALE: Vector = "ComponentLinearVelScale" { ..SPACE_SCALE } [
        /// Drag by the space's speed along its X, in m/s² for each m/s.
        x "Head wind X",
        /// Drag by the space's speed along its Y, in m/s² for each m/s.
        y "Head wind Y",
        /// Drag by the space's speed along its Z, in m/s² for each m/s.
        z "Head wind Z",
    ];
    COMPONENT_ACC_CLAMP: Vector = "ComponentAppliedLinearAccClamp" { ..ACCELERATION_CLAMP } [
        /// What the space's motion can do to the bodies at most along its X, in m/s².
        x "Most acceleration X",
        /// What the space's motion can do to the bodies at most along its Y, in m/s².
        y "Most acceleration Y",
        /// What the space's motion can do to the bodies at most along its Z, in m/s².
        z "Most acceleration Z",
    ];
    /// How often speeds are made to fit joints and limits before bodies move; more make long chains stiffer, up to 32.
    ITERATIONS_PRE = "NumSolverIterationsPreUpdate" "Iterations before" { default: 4.0, ..ITERATIONS };
    /// How often places are made to fit limits after bodies moved, up to 32; with 0 limits give way.
    ITERATIONS_POST = "NumSolverIterationsPostUpdate" "Iterations after" { default: 1.0, ..ITERATIONS };
    /// Keeps bodies in front of the planes that their joints are given.
    USE_PLANAR_LIMIT = "bUsePlanarLimit" "Planar limits" { ..SYSTEM_SWITCH };
    /// Keeps bodies out of the spheres that their joints are given, or within.
    USE_SPHERICAL_LIMITS = "bUseSphericalLimits" "Spherical limits" { ..SYSTEM_SWITCH };
    /// Lets time pass for the bodies; off, they keep their place in the simulation space.
    DO_UPDATE = "bDoUpdate" "Simulate" { ..SYSTEM_SWITCH };
    /// Turns the bones by their bodies; off, animation is shown while the bodies move on.
    DO_EVAL = "bDoEval" "Show" { ..SYSTEM_SWITCH };
    /// What stands on the bone's head: the body's center, as in the engine, so that a lever moves the bone, or its
    /// joint, so that the bone only turns.
    BODY_ORIGIN = "bodyAt" "Body stands" { meaning: ParamMeaning::Switch, extension: true, ..SYSTEM.choice(BODY_ORIGINS) };
    /// Steps per second of even length, whatever the frame rate; 0 takes one step a frame.
    SUBSTEP_RATE = "substepRate" "Sub-steps" { unit: Unit::PerSecond, soft_range: (0.0, 240.0), extension: true, ..TIME };
    /// How many sixtieths of a second a late frame may make up for; what is beyond is dropped.
    MAX_CATCH_UP_FRAMES = "maxDebtFrames" "Make up for" {
        kind: ParamKind::Integer, range: (1.0, 64.0), soft_range: (1.0, 10.0), default: 5.0, extension: true, ..TIME
    };
}
