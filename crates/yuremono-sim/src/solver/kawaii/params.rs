//! Parameter table of `KawaiiPhysics`.
//!
//! Names and defaults are those of KawaiiPhysics since 2026-08-18, after the tag 1.21.0. That day renamed several
//! properties; `former_names` lists the earlier names. Parameters of the external force have the prefix
//! `ProceduralWind`. Lengths are metres in glTF axes; Unreal shows centimetres in its own axes.

use crate::SolverKind;
use crate::params::{
    FormerName, Invalidates, MirrorRule, ParamDef, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit,
    params,
};

const JOINT: ParamDef = ParamDef { owner: SolverKind::KawaiiPhysics.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, curve: false, ..JOINT };
const TIME: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const WORLD: ParamDef = ParamDef { group: ParamGroup::World, meaning: ParamMeaning::Switch, ..SYSTEM };
const GRAVITY_SWITCH: ParamDef = ParamDef { meaning: ParamMeaning::Gravity, ..WORLD };
const LINKS: ParamDef = ParamDef { group: ParamGroup::LengthLimits, meaning: ParamMeaning::Limit, ..SYSTEM };
const ITERATIONS: ParamDef =
    ParamDef { kind: ParamKind::Integer, range: (0.0, 32.0), soft_range: (0.0, 8.0), default: 1.0, ..LINKS };
const POINTS: ParamDef = ParamDef {
    group: ParamGroup::Collision,
    meaning: ParamMeaning::Contact,
    invalidates: Invalidates::Topology,
    ..SYSTEM
};
const POINT_COUNT: ParamDef =
    ParamDef { kind: ParamKind::Integer, range: (0.0, 10.0), soft_range: (0.0, 10.0), ..POINTS };
const WIND: ParamDef = ParamDef { meaning: ParamMeaning::Wind, ..WORLD };
const WIND_SPEED: ParamDef = ParamDef { unit: Unit::Speed, soft_range: (0.0, 3.0), ..WIND.unbounded() };
const PERIOD: ParamDef =
    ParamDef { unit: Unit::Seconds, range: (0.01, 1000.0), soft_range: (0.05, 10.0), default: 1.0, ..WIND };
const PHASE: ParamDef = ParamDef { soft_range: (-360.0, 360.0), ..WIND.degrees().unbounded() };
const WIND_FACTOR: ParamDef = ParamDef { soft_range: (0.0, 2.0), default: 1.0, ..WIND.unbounded() };
const GUST_TIME: ParamDef = ParamDef { unit: Unit::Seconds, soft_range: (0.0, 5.0), ..WIND };

const AXES: &[&str] = &["X+", "X-", "Y+", "Y-", "Z+", "Z-"];
const PLANES: &[&str] = &["None", "X", "Y", "Z"];
const SPACES: &[&str] = &["Component", "World", "Base bone"];
const COMPLIANCE_TYPES: &[&str] = &["Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"];
const FORCE_SPACES: &[&str] = &["Component", "World", "Bone"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Share of the speed lost in every step, 0 to 1. More steps per second brake more.
    DAMPING = "Damping" "Damping" { default: 0.1, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Pulls the tip back to its pose: share of the offset removed in every step, 0 to 1. Higher is stiffer; legacy
    /// steps adapt it to their length.
    STIFFNESS = "Stiffness" "Stiffness" { default: 0.05, ..JOINT.fraction() };
    /// Share of the component's translation that tips ignore, 0 to 1. 1 ignores it, 0 is full inertia.
    WORLD_DAMPING_LOCATION = "WorldDampingLocation" "Ignore movement" {
        default: 0.8, meaning: ParamMeaning::Switch, ..JOINT.fraction()
    };
    /// Share of the component's rotation that tips ignore, 0 to 1. 1 ignores it, 0 is full inertia.
    WORLD_DAMPING_ROTATION = "WorldDampingRotation" "Ignore turning" {
        default: 0.8, meaning: ParamMeaning::Switch, ..JOINT.fraction()
    };
    /// Radius against colliders, in metres. Unreal shows centimetres.
    RADIUS = "Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.03,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Largest angle from the pose in any direction, in degrees. 0 turns the limit off.
    LIMIT_ANGLE = "LimitAngle" "Limit angle" {
        group: ParamGroup::AngleLimits, range: (0.0, 180.0), soft_range: (0.0, 90.0), meaning: ParamMeaning::Limit, ..JOINT.degrees()
    };
    /// Factor on the procedural wind at this joint. 1 leaves it unchanged.
    FORCE_RATE = "ForceRateByBoneLengthRate" "Wind rate" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT.unbounded()
    };
    /// Length of a virtual bone at the end of every chain, in metres. At 0 the last bone does not turn. Unreal shows
    /// centimetres.
    DUMMY_BONE_LENGTH = "DummyBoneLength" "Dummy bone length" {
        unit: Unit::Metres, soft_range: (0.0, 0.3), invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM
    };
    /// Direction of the dummy bone in the bone's own axes. Unreal's Y and Z are swapped.
    BONE_FORWARD_AXIS = "BoneForwardAxis" "Bone forward axis" {
        invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM.choice(AXES)
    };
    /// Keeps every tip in the plane across this axis of the posed bone. Unreal's Y and Z are swapped.
    PLANAR_CONSTRAINT = "PlanarConstraint" "Planar constraint" {
        group: ParamGroup::World, meaning: ParamMeaning::Limit, ..SYSTEM.choice(PLANES)
    };
    /// Space that tips move along with: the component (except the motion that they feel), the world (all motion is
    /// felt), or a bone.
    SIMULATION_SPACE = "SimulationSpace" "Simulation space" { meaning: ParamMeaning::Switch, ..SYSTEM.choice(SPACES) };
    /// Fixed steps per second. Without fixed substepping, the rate that stiffness refers to.
    TARGET_FRAMERATE = "TargetFramerate" "Target frame rate" {
        kind: ParamKind::Integer, unit: Unit::PerSecond, range: (1.0, 1000.0), soft_range: (15.0, 144.0), default: 60.0,
        ..TIME
    };
    /// Takes fixed steps at any frame rate, as the project setting. Off takes one step per frame (legacy).
    USE_FIXED_SUBSTEPPING = "bUseFixedSubstepping" "Fixed steps" { default: 1.0, ..TIME.toggle() };
    /// Most fixed steps per frame; time beyond them is dropped.
    MAX_SUBSTEPS = "MaxSubsteps" "Most steps per frame" {
        kind: ParamKind::Integer, range: (1.0, 16.0), soft_range: (1.0, 16.0), default: 4.0, ..TIME
    };
    /// Number of warm-up steps before the first frame.
    WARM_UP_FRAMES = "WarmUpFrames" "Warm-up frames" {
        kind: ParamKind::Integer, range: (0.0, 1000.0), soft_range: (0.0, 120.0), ..TIME
    };
    /// Runs the warm-up at the start.
    NEED_WARM_UP = "bNeedWarmUp" "Warm up at the start" { ..TIME.toggle() };
    /// Runs the warm-up after a reset.
    WARM_UP_ON_RESET = "bUseWarmUpWhenResetDynamics" "Warm up on reset" { default: 1.0, ..TIME.toggle() };
    /// Component motion per frame, in metres, above which tips move along. 0 turns it off. Unreal shows centimetres.
    TELEPORT_DISTANCE = "TeleportDistanceThreshold" "Teleport distance" {
        unit: Unit::Metres, soft_range: (0.0, 10.0), default: 3.0, ..WORLD
    };
    /// Component rotation per frame, in degrees, above which tips move along. 0 turns it off; low frame rates reach it
    /// early.
    TELEPORT_ROTATION = "TeleportRotationThreshold" "Teleport angle" {
        range: (0.0, 360.0), soft_range: (0.0, 180.0), default: 10.0, ..WORLD.degrees()
    };
    SKEL_COMP_MOVE_SCALE: Vector = "SkelCompMoveScale" { soft_range: (0.0, 2.0), default: 1.0, ..WORLD.unbounded() } [
        /// Factor on the component's motion along its X before tips feel it.
        x "Movement scale X",
        /// Factor on the component's motion along its Y before tips feel it.
        y "Movement scale Y",
        /// Factor on the component's motion along its Z before tips feel it.
        z "Movement scale Z",
    ];
    GRAVITY: Vector = "Gravity" { unit: Unit::Acceleration, soft_range: (-20.0, 20.0), ..GRAVITY_SWITCH.unbounded() } [
        /// Gravity along X, in m/s². Unreal shows cm/s².
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Gravity along Y, in m/s². Negative pulls down; Unreal shows cm/s², so -9.8 is -980.
        y "Gravity Y",
        /// Gravity along Z, in m/s². Unreal shows cm/s².
        z "Gravity Z",
    ];
    /// Multiplies gravity by the project's value, 980. -0.01 m/s² then pulls like -9.8.
    USE_PROJECT_GRAVITY = "bUseDefaultGravityZProjectSetting" "Project gravity" { ..GRAVITY_SWITCH.toggle() };
    /// Measures gravity in the world's axes. Off uses the component's axes.
    USE_WORLD_GRAVITY = "bUseWorldSpaceGravity" "Gravity in the world" { default: 1.0, ..GRAVITY_SWITCH.toggle() };
    /// Adds half of the gravity to the position instead of the speed, as older versions.
    USE_LEGACY_GRAVITY = "bUseLegacyGravity" "Legacy gravity" { ..GRAVITY_SWITCH.toggle() };
    SIMPLE_EXTERNAL_FORCE: Vector = "SimpleExternalForce" { soft_range: (-2.0, 2.0), ..WIND_SPEED } [
        /// Constant push along X, in m/s (a speed despite its name). Unreal shows cm/s.
        x "Simple force X" { mirror: MirrorRule::Negate },
        /// Constant push along Y, in m/s (a speed despite its name). Unreal shows cm/s.
        y "Simple force Y",
        /// Constant push along Z, in m/s (a speed despite its name). Unreal shows cm/s.
        z "Simple force Z",
    ];
    /// Measures the simple force in the world's axes. Off uses the simulation space's axes.
    USE_WORLD_SIMPLE_FORCE = "bUseWorldSpaceSimpleExternalForce" "Simple force in the world" {
        default: 1.0, ..WIND.toggle()
    };
    /// Applies forces and winds of the scene. Random gusts scale them by 0 to 2.
    ENABLE_WIND = "bEnableWind" "StepPose wind" { ..WIND.toggle() };
    /// Factor on the wind of the scene. 0 turns it off.
    WIND_SCALE = "WindScale" "Wind scale" { soft_range: (0.0, 4.0), ..WIND_FACTOR };
    /// Largest random deviation of the scene wind's direction, in degrees.
    WIND_NOISE = "WindDirectionNoiseAngle" "Wind direction noise" {
        range: (0.0, 180.0), soft_range: (0.0, 90.0), ..WIND.degrees()
    };
    /// Softness of bone constraints without their own value, from concrete (hard) to fat (soft).
    COMPLIANCE_TYPE = "BoneConstraintGlobalComplianceType" "Constraint material" {
        default: 2.0, ..LINKS.choice(COMPLIANCE_TYPES)
    };
    /// Iterations of bone constraints before collision in every step.
    ITERATIONS_BEFORE = "BoneConstraintIterationCountBeforeCollision" "Rounds before collision" { ..ITERATIONS };
    /// Iterations of bone constraints after collision in every step.
    ITERATIONS_AFTER = "BoneConstraintIterationCountAfterCollision" "Rounds after collision" { ..ITERATIONS };
    /// Also constrains the dummy ends and subdivisions of two constrained bones.
    AUTO_LINK_DUMMIES = "bAutoAddChildDummyBoneConstraint" "Link dummy bones" {
        default: 1.0, invalidates: Invalidates::Topology, ..LINKS.toggle()
    };
    /// Number of extra collision points between two bones, as far as their radius leaves room.
    SUBDIVISION_COUNT = "BoneSubdivisionCount" "Points between bones" { ..POINT_COUNT };
    /// Subdivisions only collide. Off simulates them too.
    SUBDIVISION_COLLISION_ONLY = "bBoneSubdivisionCollisionOnly" "Points only collide" {
        default: 1.0, ..POINTS.toggle()
    };
    /// Adds as many subdivisions as the radius needs to leave no gap, at most 50 per bone.
    SUBDIVISION_DENSIFY = "bBoneSubdivisionDensifyByRadius" "Points as close as radius" { ..POINTS.toggle() };
    /// Number of collision points along every bone constraint, so that nothing slips between two chains.
    BRIDGE_COUNT = "BoneConstraintSubdivisionCount" "Points on constraints" { ..POINT_COUNT };
    /// Share of the push on a constraint's collision point that its two ends take, 0 to 1.
    BRIDGE_FEEDBACK = "BoneConstraintSubdivisionFeedbackScale" "Push of those points" {
        group: ParamGroup::Collision, range: (0.0, 2.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Turns the procedural wind on. It needs no force in the scene.
    WIND_ENABLED = "ProceduralWind.bIsEnabled" "Wind: on" { ..WIND.toggle() };
    /// Axes of the procedural wind's direction.
    WIND_SPACE = "ProceduralWind.ExternalForceSpace" "Wind: space" { default: 1.0, ..WIND.choice(FORCE_SPACES) };
    WIND_DIRECTION: Vector = "ProceduralWind.WindDirection" { soft_range: (-1.0, 1.0), ..WIND.unbounded() } [
        /// Direction of the procedural wind, X. Only the direction counts.
        x "Wind: direction X" { default: 1.0, mirror: MirrorRule::Negate },
        /// Direction of the procedural wind, Y. Only the direction counts.
        y "Wind: direction Y",
        /// Direction of the procedural wind, Z. Only the direction counts.
        z "Wind: direction Z",
    ];
    /// Largest deviation of the direction, in degrees. Before 2026-08-18: DirectionNoiseAngle.
    WIND_NOISE_ANGLE = "ProceduralWind.WindDirectionNoiseAngle" "Wind: direction noise" {
        range: (0.0, 180.0), soft_range: (0.0, 90.0), former_names: &[FormerName::same("ProceduralWind.DirectionNoiseAngle")],
        ..WIND.degrees()
    };
    /// Period of the direction's deviation, in seconds. Before 2026-08-18: DirectionNoisePeriod.
    WIND_NOISE_PERIOD = "ProceduralWind.WindDirectionNoisePeriod" "Wind: direction noise period" {
        former_names: &[FormerName::same("ProceduralWind.DirectionNoisePeriod")], ..PERIOD
    };
    /// Factor on the speed of the wind's clock.
    WIND_TIME_SCALE = "ProceduralWind.TimeScale" "Wind: time scale" { soft_range: (0.0, 4.0), default: 1.0, ..WIND };
    /// Constant part of the wind, in m/s. Unreal shows cm/s. Before 2026-08-18: SteadyForce.
    CONSTANT_FORCE = "ProceduralWind.ConstantForce" "Wind: constant" {
        former_names: &[FormerName::same("ProceduralWind.SteadyForce")], ..WIND_SPEED
    };
    /// Oscillating part of the wind, the same everywhere, in m/s. Before 2026-08-18: OscillationForce.
    SWAY_FORCE = "ProceduralWind.SwayForce" "Wind: sway" {
        former_names: &[FormerName::same("ProceduralWind.OscillationForce"), FormerName::same("ProceduralWind.PulseForce")],
        ..WIND_SPEED
    };
    /// Period of the oscillating part, in seconds. Before 2026-08-18: OscillationPeriod.
    SWAY_PERIOD = "ProceduralWind.SwayPeriod" "Wind: sway period" {
        former_names: &[FormerName::same("ProceduralWind.OscillationPeriod"), FormerName::same("ProceduralWind.PulsePeriod")],
        ..PERIOD
    };
    /// Phase of the oscillating part, in degrees. New on 2026-08-18.
    SWAY_PHASE_OFFSET = "ProceduralWind.SwayPhaseOffset" "Wind: sway phase" {
        former_names: &[FormerName::same("ProceduralWind.OscillationPhase")], ..PHASE
    };
    /// Part of the wind that runs along the chain as a wave, in m/s. Before 2026-08-18: WaveAmplitude.
    RIPPLE_FORCE = "ProceduralWind.RippleForce" "Wind: ripple" {
        former_names: &[FormerName::same("ProceduralWind.WaveAmplitude")], ..WIND_SPEED
    };
    /// Period of the wave, in seconds. Before 2026-08-18: WavePeriod.
    RIPPLE_PERIOD = "ProceduralWind.RipplePeriod" "Wind: ripple period" {
        former_names: &[FormerName::same("ProceduralWind.WavePeriod")], ..PERIOD
    };
    /// Phase of the wave, in degrees. Before 2026-08-18: WavePhase.
    RIPPLE_PHASE_OFFSET = "ProceduralWind.RipplePhaseOffset" "Wind: ripple phase" {
        former_names: &[FormerName::same("ProceduralWind.WavePhase")], ..PHASE
    };
    /// Delay of the wave at the end of the chain, in degrees. Before 2026-08-18: WaveSpatialOffset.
    RIPPLE_TIP_PHASE_DELAY = "ProceduralWind.RippleTipPhaseDelay" "Wind: ripple delay" {
        default: 180.0, former_names: &[FormerName::same("ProceduralWind.WaveSpatialOffset")], ..PHASE
    };
    /// Largest factor of the strength cycle on the wind. Before 2026-08-18: EnvelopeMax.
    STRENGTH_CYCLE_MAX = "ProceduralWind.StrengthCycleRange.Max" "Wind: strength cycle max" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopeMax"), FormerName::same("ProceduralWind.BreathingMax")],
        ..WIND_FACTOR
    };
    /// Smallest factor of the strength cycle on the wind. Before 2026-08-18: EnvelopeMin.
    STRENGTH_CYCLE_MIN = "ProceduralWind.StrengthCycleRange.Min" "Wind: strength cycle min" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopeMin"), FormerName::same("ProceduralWind.BreathingMin")],
        ..WIND_FACTOR
    };
    /// Period of the strength cycle, in seconds. Before 2026-08-18: EnvelopeFrequency, in cycles per second.
    STRENGTH_CYCLE_PERIOD = "ProceduralWind.StrengthCyclePeriod" "Wind: strength cycle period" {
        unit: Unit::Seconds, range: (0.01, f32::MAX), soft_range: (0.05, 60.0), default: 10.0,
        former_names: &[FormerName::reciprocal("ProceduralWind.EnvelopeFrequency"), FormerName::same("ProceduralWind.BreathingPeriod")],
        ..WIND
    };
    /// Phase of the strength cycle, in degrees. Before 2026-08-18: EnvelopePhase.
    STRENGTH_CYCLE_PHASE_OFFSET = "ProceduralWind.StrengthCyclePhaseOffset" "Wind: strength cycle phase" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopePhase"), FormerName::same("ProceduralWind.BreathingPhase")], ..PHASE
    };
    /// Random part of the wind, in m/s. It repeats with the seed.
    RANDOM_FORCE = "ProceduralWind.RandomForce" "Wind: random" { ..WIND_SPEED };
    /// Period of the random part, in seconds. Before 2026-08-18: RandomPeriod.
    RANDOM_FORCE_PERIOD = "ProceduralWind.RandomForcePeriod" "Wind: random period" {
        default: 0.5, former_names: &[FormerName::same("ProceduralWind.RandomPeriod")], ..PERIOD
    };
    /// Seed of the random wind and of the scene's gusts. The same seed repeats the same wind. Before 2026-08-18:
    /// RandomSeed.
    SEED = "ProceduralWind.Seed" "Wind: seed" {
        kind: ParamKind::Integer, range: (0.0, 16_777_215.0), soft_range: (0.0, 100.0),
        former_names: &[FormerName::same("ProceduralWind.RandomSeed")], ..WIND
    };
    /// Peak of a gust, in m/s. In KawaiiPhysics a notify starts it.
    GUST_STRENGTH = "ProceduralWind.GustStrength" "Wind: gust" { ..WIND_SPEED };
    /// Rise time of a gust, in seconds.
    GUST_RISE = "ProceduralWind.GustRiseTime" "Wind: gust rise" { default: 0.2, ..GUST_TIME };
    /// Decay time of a gust, in seconds.
    GUST_DECAY = "ProceduralWind.GustDecayTime" "Wind: gust decay" { default: 0.5, ..GUST_TIME };
    /// Seconds between gusts, instead of KawaiiPhysics' notify. 0 turns gusts off.
    GUST_INTERVAL = "ProceduralWind.GustInterval" "Wind: gust every" {
        unit: Unit::Seconds, soft_range: (0.0, 30.0), extension: true, ..WIND
    };
}
