//! Parameter table of [`super`].
//!
//! Names are from the public API pages (`FAnimNode_AnimDynamics`, `FAnimPhysBodyDefinition`,
//! `FAnimPhysConstraintSetup`). Lengths are in metres instead of centimetres. One Unreal node corresponds to one chain,
//! so the springs, damping and gravity scale of a node are joint parameters; values that all chains share are system
//! parameters. The level-of-detail threshold and retargeting are not included, nor is the reset, because Yuremono has
//! its own.

use crate::SolverKind;
use crate::params::{
    MirrorRule, ParamDef, ParamFrame, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit, params,
};

const JOINT: ParamDef = ParamDef { owner: SolverKind::AnimDynamics.key(), curve: true, ..ParamDef::PLAIN };
const SWITCH: ParamDef = ParamDef { meaning: ParamMeaning::Switch, curve: false, ..JOINT.toggle() };
const BOX_SIDE: ParamDef =
    ParamDef { unit: Unit::Metres, soft_range: (0.0, 0.5), scale: SliderScale::Logarithmic, ..JOINT };
const OFFSET: ParamDef = ParamDef { unit: Unit::Metres, soft_range: (-0.5, 0.5), ..JOINT.unbounded() };
const DIRECTION: ParamDef = ParamDef { soft_range: (-1.0, 1.0), curve: false, ..JOINT.unbounded() };
const DAMPING: ParamDef = ParamDef { default: 0.7, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
const LIMIT: ParamDef =
    ParamDef { group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, curve: false, ..JOINT };
const LINEAR_LIMIT_MODE: ParamDef = ParamDef {
    group: ParamGroup::LengthLimits,
    default: 1.0,
    frame: ParamFrame::Bone,
    ..LIMIT.choice(LINEAR_LIMIT_TYPES)
};
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

/// Minimum side length of a box in Unreal's editor, in metres.
pub const MIN_BOX_SIDE: f32 = 0.01;

const AXES: &[&str] = &["Along the bone", "X", "Y", "Z"];
const LINEAR_LIMIT_TYPES: &[&str] = &["Free", "Limited"];
const ANGULAR_CONSTRAINT_TYPES: &[&str] = &["Angles", "Cone"];
const COLLISION_TYPES: &[&str] = &["Center of mass", "Custom sphere", "Inner sphere", "Outer sphere"];
const SPACES: &[&str] = &["Component", "Actor", "World", "Root relative", "Bone relative"];
const BODY_ORIGINS: &[&str] = &["Center on the bone", "Joint on the bone"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    BOX_EXTENTS: Vector = "BoxExtents" { frame: ParamFrame::Bone, ..BOX_SIDE } [
        /// Length of the body's box along X, in metres, at least 0.01. A larger box turns more slowly.
        x "Box X",
        /// Length of the body's box along Y, in metres, at least 0.01.
        y "Box Y",
        /// Length of the body's box along Z, in metres, at least 0.01.
        z "Box Z",
    ];
    LOCAL_JOINT_OFFSET: Vector = "LocalJointOffset" { frame: ParamFrame::Bone, ..OFFSET } [
        /// From the body's center to its joint along the bone's X, in metres. Gravity only acts with such a lever.
        x "Joint offset X" { mirror: MirrorRule::Negate },
        /// From the body's center to its joint along the bone's Y, in metres.
        y "Joint offset Y",
        /// From the body's center to its joint along the bone's Z, in metres.
        z "Joint offset Z",
    ];
    /// Pulls the body back to its animated position. It needs linear play or a lever to act.
    LINEAR_SPRING = "bLinearSpring" "Linear spring" { ..SWITCH };
    /// Strength of the linear spring, in N/m on a body of 1 kg. Higher is stiffer.
    LINEAR_SPRING_CONSTANT = "LinearSpringConstant" "Linear spring constant" {
        soft_range: (0.0, 2000.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// Turns the body's target axis back to its target.
    ANGULAR_SPRING = "bAngularSpring" "Angular spring" { ..SWITCH };
    /// Strength of the angular spring, in N m per radian on a body of 1 kg. A larger box needs more.
    ANGULAR_SPRING_CONSTANT = "AngularSpringConstant" "Angular spring constant" {
        soft_range: (0.0, 50.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// Axis of the body that the angular spring aligns. In Unreal's skeletons X points along the bone.
    ANGULAR_TARGET_AXIS = "AngularTargetAxis" "Target axis" { frame: ParamFrame::Bone, ..SWITCH.choice(AXES) };
    ANGULAR_TARGET: Vector = "AngularTarget" { frame: ParamFrame::BoneAxis(ANGULAR_TARGET_AXIS), ..DIRECTION } [
        /// Target of the axis in the animated bone's space, X. Three zeros use the animated direction.
        x "Target X" { mirror: MirrorRule::Negate },
        /// Target of the axis in the animated bone's space, Y. Only the direction counts.
        y "Target Y",
        /// Target of the axis in the animated bone's space, Z. Only the direction counts.
        z "Target Z",
    ];
    /// Uses the linear damping below instead of 0.7.
    OVERRIDE_LINEAR_DAMPING = "bOverrideLinearDamping" "Own linear damping" { ..SWITCH };
    /// Share of the speed lost per second, 0 to 1. Values below 0.7 act as 0.7.
    LINEAR_DAMPING = "LinearDampingOverride" "Linear damping" { ..DAMPING };
    /// Uses the angular damping below instead of 0.7.
    OVERRIDE_ANGULAR_DAMPING = "bOverrideAngularDamping" "Own angular damping" { ..SWITCH };
    /// Share of the turning speed lost per second, 0 to 1. Values below 0.7 act as 0.7.
    ANGULAR_DAMPING = "AngularDampingOverride" "Angular damping" { ..DAMPING };
    /// Uses the angular bias below instead of 0.95.
    OVERRIDE_ANGULAR_BIAS = "bOverrideAngularBias" "Own angular bias" { ..SWITCH };
    /// Share of a limit's correction that the lower body makes, 0 to 1. At 1 it never turns the body above.
    ANGULAR_BIAS = "AngularBiasOverride" "Angular bias" { default: 0.95, meaning: ParamMeaning::Limit, ..JOINT.fraction() };
    /// Factor on gravity, which is 9.8 m/s² down.
    GRAVITY_SCALE = "GravityScale" "Gravity scale" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..JOINT.unbounded()
    };
    /// Lets wind act on the body.
    ENABLE_WIND = "bEnableWind" "Affected by wind" { default: 1.0, ..SWITCH };
    /// Factor on the wind's strength.
    WIND_SCALE = "WindScale" "Wind scale" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT.unbounded()
    };
    /// `LinearXLimitType`, `LinearYLimitType` and `LinearZLimitType`.
    LINEAR_LIMIT_TYPE: [3] = { ..LINEAR_LIMIT_MODE } [
        /// Lets the body move along the bone's X freely, or within the limits below.
        "LinearXLimitType" "Move along X",
        /// Lets the body move along the bone's Y freely, or within the limits below.
        "LinearYLimitType" "Move along Y",
        /// Lets the body move along the bone's Z freely, or within the limits below.
        "LinearZLimitType" "Move along Z",
    ];
    LINEAR_AXES_MIN: Vector = "LinearAxesMin" { frame: ParamFrame::Bone, ..LINEAR_LIMIT } [
        /// Farthest motion along the bone's -X, in metres, 0 or less.
        x "Lowest X" { mirror: MirrorRule::SwapNegate(LINEAR_AXES_MAX[0]) },
        /// Farthest motion along the bone's -Y, in metres, 0 or less.
        y "Lowest Y",
        /// Farthest motion along the bone's -Z, in metres, 0 or less.
        z "Lowest Z",
    ];
    LINEAR_AXES_MAX: Vector = "LinearAxesMax" { frame: ParamFrame::Bone, ..LINEAR_LIMIT } [
        /// Farthest motion along the bone's X, in metres. 0 in both limits locks the axis.
        x "Highest X" { mirror: MirrorRule::SwapNegate(LINEAR_AXES_MIN[0]) },
        /// Farthest motion along the bone's Y, in metres. 0 in both limits locks the axis.
        y "Highest Y",
        /// Farthest motion along the bone's Z, in metres. 0 in both limits locks the axis.
        z "Highest Z",
    ];
    /// Limits the rotation about each axis separately, or the direction of the twist axis by a cone.
    ANGULAR_CONSTRAINT_TYPE = "AngularConstraintType" "Angle limit" { ..LIMIT.choice(ANGULAR_CONSTRAINT_TYPES) };
    /// Axis of the twist. With "Along the bone", X limits the twist, Y and Z the sideways swing.
    TWIST_AXIS = "TwistAxis" "Twist axis" { frame: ParamFrame::Bone, ..LIMIT.choice(AXES) };
    ANGULAR_LIMITS_MIN: Vector = "AngularLimitsMin" {
        default: -180.0, mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MAX[2]),
        frame: ParamFrame::AlongBone { unless: TWIST_AXIS }, ..ANGLE
    } [
        /// Smallest rotation about X from the animated pose, in degrees. -180 is free.
        x "Lowest angle X" { mirror: MirrorRule::Same },
        /// Smallest rotation about Y from the animated pose, in degrees. -180 is free.
        y "Lowest angle Y" { mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MAX[1]) },
        /// Smallest rotation about Z from the animated pose, in degrees. -180 is free.
        z "Lowest angle Z",
    ];
    ANGULAR_LIMITS_MAX: Vector = "AngularLimitsMax" {
        default: 180.0, mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MIN[2]),
        frame: ParamFrame::AlongBone { unless: TWIST_AXIS }, ..ANGLE
    } [
        /// Largest rotation about X from the animated pose, in degrees. 180 is free.
        x "Highest angle X" { mirror: MirrorRule::Same },
        /// Largest rotation about Y from the animated pose, in degrees. 180 is free.
        y "Highest angle Y" { mirror: MirrorRule::SwapNegate(ANGULAR_LIMITS_MIN[1]) },
        /// Largest rotation about Z from the animated pose, in degrees. 180 is free.
        z "Highest angle Z",
    ];
    /// Largest angle of the twist axis from its animated direction, in degrees. Only used with the cone.
    CONE_ANGLE = "ConeAngle" "Cone angle" {
        range: (0.0, 90.0), soft_range: (0.0, 90.0), default: 90.0, ..LIMIT.degrees()
    };
    /// Part of the body that hits planes and spheres: its center, a custom sphere, or the sphere inside or around its
    /// box.
    COLLISION_TYPE = "CollisionType" "Collides as" { curve: false, ..COLLISION.choice(COLLISION_TYPES) };
    /// Radius of the custom sphere at the body's center, in metres.
    SPHERE_COLLISION_RADIUS = "SphereCollisionRadius" "Sphere radius" {
        unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.1, ..COLLISION
    };
    /// Space whose motion the bodies ignore. In World they feel all motion, teleports included.
    SIMULATION_SPACE = "SimulationSpace" "Simulation space" { ..SPACE_SCALE.choice(SPACES) };
    /// Uses the gravity below instead of 9.8 m/s² down.
    USE_GRAVITY_OVERRIDE = "bUseGravityOverride" "Own gravity" { default: 0.0, ..SYSTEM_SWITCH };
    GRAVITY_OVERRIDE: Vector = "GravityOverride" { ..ACCELERATION } [
        /// Gravity along X, in m/s², times the gravity scale.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Gravity along Y, in m/s², times the gravity scale. Negative pulls down.
        y "Gravity Y",
        /// Gravity along Z, in m/s², times the gravity scale.
        z "Gravity Z",
    ];
    /// Measures the gravity above in the simulation space instead of the world.
    GRAVITY_OVERRIDE_IN_SIM_SPACE = "bGravityOverrideInSimSpace" "Gravity turns along" { default: 0.0, ..SYSTEM_SWITCH };
    EXTERNAL_FORCE: Vector = "ExternalForce" { ..ACCELERATION } [
        /// Constant force on every body along X of the world, in N on a body of 1 kg.
        x "External force X" { mirror: MirrorRule::Negate },
        /// Constant force on every body along Y of the world, in N on a body of 1 kg.
        y "External force Y",
        /// Constant force on every body along Z of the world, in N on a body of 1 kg.
        z "External force Z",
    ];
    COMPONENT_ACC_SCALE: Vector = "ComponentLinearAccScale" { ..SPACE_SCALE } [
        /// Share of the space's acceleration along its X that the bodies feel. 0 ignores it, 1 feels all of it.
        x "Felt acceleration X",
        /// Share of the space's acceleration along its Y that the bodies feel. 0 ignores it, 1 feels all of it.
        y "Felt acceleration Y",
        /// Share of the space's acceleration along its Z that the bodies feel. 0 ignores it, 1 feels all of it.
        z "Felt acceleration Z",
    ];
    COMPONENT_VEL_SCALE: Vector = "ComponentLinearVelScale" { ..SPACE_SCALE } [
        /// Drag by the space's speed along its X, in m/s² per m/s.
        x "Head wind X",
        /// Drag by the space's speed along its Y, in m/s² per m/s.
        y "Head wind Y",
        /// Drag by the space's speed along its Z, in m/s² per m/s.
        z "Head wind Z",
    ];
    COMPONENT_ACC_CLAMP: Vector = "ComponentAppliedLinearAccClamp" { ..ACCELERATION_CLAMP } [
        /// Largest acceleration by the space's motion along its X, in m/s².
        x "Most acceleration X",
        /// Largest acceleration by the space's motion along its Y, in m/s².
        y "Most acceleration Y",
        /// Largest acceleration by the space's motion along its Z, in m/s².
        z "Most acceleration Z",
    ];
    /// Iterations of the velocity solve before bodies move, up to 32. More makes long chains stiffer.
    ITERATIONS_PRE = "NumSolverIterationsPreUpdate" "Iterations before" { default: 4.0, ..ITERATIONS };
    /// Iterations of the position solve after bodies move, up to 32. At 0 limits give way.
    ITERATIONS_POST = "NumSolverIterationsPostUpdate" "Iterations after" { default: 1.0, ..ITERATIONS };
    /// Keeps bodies in front of the planes of their joints.
    USE_PLANAR_LIMIT = "bUsePlanarLimit" "Planar limits" { ..SYSTEM_SWITCH };
    /// Keeps bodies outside or inside the spheres of their joints.
    USE_SPHERICAL_LIMITS = "bUseSphericalLimits" "Spherical limits" { ..SYSTEM_SWITCH };
    /// Simulates the bodies. Off, they keep their place in the simulation space.
    DO_UPDATE = "bDoUpdate" "Simulate" { ..SYSTEM_SWITCH };
    /// Turns the bones by their bodies. Off, the animation is shown while the bodies move on.
    DO_EVAL = "bDoEval" "Show" { ..SYSTEM_SWITCH };
    /// Point of the body at the bone's head: its center, as in Unreal (a lever moves the bone), or its joint (the bone
    /// only turns).
    BODY_ORIGIN = "bodyAt" "Body stands" { meaning: ParamMeaning::Switch, extension: true, ..SYSTEM.choice(BODY_ORIGINS) };
    /// Steps of fixed length per second. 0 takes one step per frame.
    SUBSTEP_RATE = "substepRate" "Sub-steps" { unit: Unit::PerSecond, soft_range: (0.0, 240.0), extension: true, ..TIME };
    /// Most time that a late frame catches up, in sixtieths of a second. The rest is dropped.
    MAX_CATCH_UP_FRAMES = "maxDebtFrames" "Make up for" {
        kind: ParamKind::Integer, range: (1.0, 64.0), soft_range: (1.0, 10.0), default: 5.0, extension: true, ..TIME
    };
}
