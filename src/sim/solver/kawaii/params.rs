//! The parameter table of [`super`].
//!
//! Names and defaults are those of KawaiiPhysics' settings of 2026-08-18 and newer, after the tag 1.21.0; `ProceduralWind`
//! precedes the point where a row belongs to that external force. On that day its properties got new names; rows list the
//! earlier ones as `former`. Lengths are metres and axes glTF's; the engine shows centimetres and its own axes.

use crate::params::{
    FormerName, Invalidates, MirrorRule, ParamDef, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit,
    params,
};
use crate::sim::SolverKind;

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

/// The choices of [`BONE_FORWARD_AXIS`].
pub const AXES: &[&str] = &["X+", "X-", "Y+", "Y-", "Z+", "Z-"];
/// The choices of [`PLANAR_CONSTRAINT`].
pub const PLANES: &[&str] = &["None", "X", "Y", "Z"];
/// The choices of [`SIMULATION_SPACE`].
pub const SPACES: &[&str] = &["Component", "World", "Base bone"];
/// The choices of [`COMPLIANCE_TYPE`], as in [`Compliance`](crate::sim::Compliance).
pub const COMPLIANCE_TYPES: &[&str] = &["Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"];
/// The choices of [`WIND_SPACE`].
pub const FORCE_SPACES: &[&str] = &["Component", "World", "Bone"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Share of the speed lost in every step, 0 to 1; KawaiiPhysics, per step of its target frame rate.
    DAMPING = "Damping" "Damping" { default: 0.1, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Share of the way back to the pose taken in every step, 0 to 1; a legacy step takes as much as its length asks
    /// for.
    STIFFNESS = "Stiffness" "Stiffness" { default: 0.05, ..JOINT.fraction() };
    /// Share of the component's movement that the tips do not feel: 1 ignores it, 0 is full inertia.
    WORLD_DAMPING_LOCATION = "WorldDampingLocation" "Ignore movement" {
        default: 0.8, meaning: ParamMeaning::Switch, ..JOINT.fraction()
    };
    /// Share of the component's turning that the tips do not feel: 1 ignores it, 0 is full inertia.
    WORLD_DAMPING_ROTATION = "WorldDampingRotation" "Ignore turning" {
        default: 0.8, meaning: ParamMeaning::Switch, ..JOINT.fraction()
    };
    /// Thickness that meets colliders, in metres; shown as centimetres in the engine.
    RADIUS = "Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.03,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// How far the bone may turn away from its pose in any direction, in degrees; 0 does not limit it.
    LIMIT_ANGLE = "LimitAngle" "Limit angle" {
        group: ParamGroup::AngleLimits, range: (0.0, 180.0), soft_range: (0.0, 90.0), meaning: ParamMeaning::Limit, ..JOINT.degrees()
    };
    /// Factor on what the procedural wind does to this joint; 1 takes it whole.
    FORCE_RATE = "ForceRateByBoneLengthRate" "Wind rate" {
        soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT.unbounded()
    };
    /// Length of the virtual bone added to the end of every chain, in metres; 0 adds none, so that the last bone never
    /// turns. Shown as centimetres in the engine.
    DUMMY_BONE_LENGTH = "DummyBoneLength" "Dummy bone length" {
        unit: Unit::Metres, soft_range: (0.0, 0.3), invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM
    };
    /// The bone's own axis that the dummy bone points along, in the character's space; Unreal's Y and Z are swapped.
    BONE_FORWARD_AXIS = "BoneForwardAxis" "Bone forward axis" {
        invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM.choice(AXES)
    };
    /// Keeps every tip in the plane through its bone whose normal is this axis of the bone in its pose; Unreal's Y and
    /// Z are swapped.
    PLANAR_CONSTRAINT = "PlanarConstraint" "Planar constraint" {
        group: ParamGroup::World, meaning: ParamMeaning::Limit, ..SYSTEM.choice(PLANES)
    };
    /// What tips are carried along by: the component (ignoring as much of its motion as the damping rows say), nothing,
    /// or a bone.
    SIMULATION_SPACE = "SimulationSpace" "Simulation space" { meaning: ParamMeaning::Switch, ..SYSTEM.choice(SPACES) };
    /// Fixed steps per second; without them, the rate that stiffness is meant for.
    TARGET_FRAMERATE = "TargetFramerate" "Target frame rate" {
        kind: ParamKind::Integer, unit: Unit::PerSecond, range: (1.0, 1000.0), soft_range: (15.0, 144.0), default: 60.0,
        ..TIME
    };
    /// Takes steps of one length whatever the frame rate, as the project setting says; off is the older way, one step
    /// per frame.
    USE_FIXED_SUBSTEPPING = "bUseFixedSubstepping" "Fixed steps" { default: 1.0, ..TIME.toggle() };
    /// Most fixed steps that a frame may catch up; time beyond is dropped.
    MAX_SUBSTEPS = "MaxSubsteps" "Most steps per frame" {
        kind: ParamKind::Integer, range: (1.0, 16.0), soft_range: (1.0, 16.0), default: 4.0, ..TIME
    };
    /// Steps taken at once before the first one is shown.
    WARM_UP_FRAMES = "WarmUpFrames" "Warm-up frames" {
        kind: ParamKind::Integer, range: (0.0, 1000.0), soft_range: (0.0, 120.0), ..TIME
    };
    /// Whether the warm-up runs at the start.
    NEED_WARM_UP = "bNeedWarmUp" "Warm up at the start" { ..TIME.toggle() };
    /// Whether the warm-up runs again after a reset.
    WARM_UP_ON_RESET = "bUseWarmUpWhenResetDynamics" "Warm up on reset" { default: 1.0, ..TIME.toggle() };
    /// A component that moves further in one frame, in metres, takes its tips along; 0 never. Shown as centimetres in
    /// the engine.
    TELEPORT_DISTANCE = "TeleportDistanceThreshold" "Teleport distance" {
        unit: Unit::Metres, soft_range: (0.0, 10.0), default: 3.0, ..WORLD
    };
    /// A component that turns further in one frame, in degrees, takes its tips along; 0 never. Low frame rates reach it
    /// soon.
    TELEPORT_ROTATION = "TeleportRotationThreshold" "Teleport angle" {
        range: (0.0, 360.0), soft_range: (0.0, 180.0), default: 10.0, ..WORLD.degrees()
    };
    SKEL_COMP_MOVE_SCALE: Vector = "SkelCompMoveScale" { soft_range: (0.0, 2.0), default: 1.0, ..WORLD.unbounded() } [
        /// Factor on the component's movement along its X before the tips feel it.
        x "Movement scale X",
        /// Factor on the component's movement along its Y before the tips feel it.
        y "Movement scale Y",
        /// Factor on the component's movement along its Z before the tips feel it.
        z "Movement scale Z",
    ];
    GRAVITY: Vector = "Gravity" { unit: Unit::Acceleration, soft_range: (-20.0, 20.0), ..GRAVITY_SWITCH.unbounded() } [
        /// Steady pull along X, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Steady pull along Y, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.
        y "Gravity Y",
        /// Steady pull along Z, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.
        z "Gravity Z",
    ];
    /// Multiplies the gravity by the project's, 980, as the engine does; -0.01 m/s² then pulls like 9.8.
    USE_PROJECT_GRAVITY = "bUseDefaultGravityZProjectSetting" "Project gravity" { ..GRAVITY_SWITCH.toggle() };
    /// Whether gravity points along the world's axes; otherwise along the component's.
    USE_WORLD_GRAVITY = "bUseWorldSpaceGravity" "Gravity in the world" { default: 1.0, ..GRAVITY_SWITCH.toggle() };
    /// Half of the gravity, put into the place instead of the speed, as older versions did.
    USE_LEGACY_GRAVITY = "bUseLegacyGravity" "Legacy gravity" { ..GRAVITY_SWITCH.toggle() };
    SIMPLE_EXTERNAL_FORCE: Vector = "SimpleExternalForce" { soft_range: (-2.0, 2.0), ..WIND_SPEED } [
        /// Steady push along X, in m/s: a speed in spite of its name; shown as cm/s in the engine.
        x "Simple force X" { mirror: MirrorRule::Negate },
        /// Steady push along Y, in m/s: a speed in spite of its name; shown as cm/s in the engine.
        y "Simple force Y",
        /// Steady push along Z, in m/s: a speed in spite of its name; shown as cm/s in the engine.
        z "Simple force Z",
    ];
    /// Whether the simple force points along the world's axes; otherwise along those of the simulation space.
    USE_WORLD_SIMPLE_FORCE = "bUseWorldSpaceSimpleExternalForce" "Simple force in the world" {
        default: 1.0, ..WIND.toggle()
    };
    /// Whether the forces and winds of the scene act; they gust at random from none to twice their strength.
    ENABLE_WIND = "bEnableWind" "Scene wind" { ..WIND.toggle() };
    /// Factor on the wind of the scene.
    WIND_SCALE = "WindScale" "Wind scale" { soft_range: (0.0, 4.0), ..WIND_FACTOR };
    /// How far the direction of the scene's wind strays at random, in degrees.
    WIND_NOISE = "WindDirectionNoiseAngle" "Wind direction noise" {
        range: (0.0, 180.0), soft_range: (0.0, 90.0), ..WIND.degrees()
    };
    /// How much bone constraints give way, from concrete to fat, unless a constraint says otherwise.
    COMPLIANCE_TYPE = "BoneConstraintGlobalComplianceType" "Constraint material" {
        default: 2.0, ..LINKS.choice(COMPLIANCE_TYPES)
    };
    /// How often bone constraints are solved before collision in every step.
    ITERATIONS_BEFORE = "BoneConstraintIterationCountBeforeCollision" "Rounds before collision" { ..ITERATIONS };
    /// How often bone constraints are solved after collision in every step.
    ITERATIONS_AFTER = "BoneConstraintIterationCountAfterCollision" "Rounds after collision" { ..ITERATIONS };
    /// Whether the dummy ends and points between of two constrained bones are constrained too.
    AUTO_LINK_DUMMIES = "bAutoAddChildDummyBoneConstraint" "Link dummy bones" {
        default: 1.0, invalidates: Invalidates::Topology, ..LINKS.toggle()
    };
    /// How many points between two bones collide too, as far as their radius leaves room.
    SUBDIVISION_COUNT = "BoneSubdivisionCount" "Points between bones" { ..POINT_COUNT };
    /// Whether the points between bones only collide; otherwise they swing on their own.
    SUBDIVISION_COLLISION_ONLY = "bBoneSubdivisionCollisionOnly" "Points only collide" {
        default: 1.0, ..POINTS.toggle()
    };
    /// Sets as many points between bones as their radius needs to leave no gap, at most 50 for each bone.
    SUBDIVISION_DENSIFY = "bBoneSubdivisionDensifyByRadius" "Points as close as radius" { ..POINTS.toggle() };
    /// How many points along every bone constraint collide, so that nothing slips through between two chains.
    BRIDGE_COUNT = "BoneConstraintSubdivisionCount" "Points on constraints" { ..POINT_COUNT };
    /// How much of the push on a point of a constraint its two ends take over.
    BRIDGE_FEEDBACK = "BoneConstraintSubdivisionFeedbackScale" "Push of those points" {
        group: ParamGroup::Collision, range: (0.0, 2.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Whether the procedural wind blows, which needs no force in the scene.
    WIND_ENABLED = "ProceduralWind.bIsEnabled" "Wind: on" { ..WIND.toggle() };
    /// Whose axes the direction of the procedural wind is meant in.
    WIND_SPACE = "ProceduralWind.ExternalForceSpace" "Wind: space" { default: 1.0, ..WIND.choice(FORCE_SPACES) };
    WIND_DIRECTION: Vector = "ProceduralWind.WindDirection" { soft_range: (-1.0, 1.0), ..WIND.unbounded() } [
        /// Where the procedural wind blows along X; only its direction counts.
        x "Wind: direction X" { default: 1.0, mirror: MirrorRule::Negate },
        /// Where the procedural wind blows along Y; only its direction counts.
        y "Wind: direction Y",
        /// Where the procedural wind blows along Z; only its direction counts.
        z "Wind: direction Z",
    ];
    /// How far the direction wanders, in degrees. KawaiiPhysics called it DirectionNoiseAngle before 2026-08-18.
    WIND_NOISE_ANGLE = "ProceduralWind.WindDirectionNoiseAngle" "Wind: direction noise" {
        range: (0.0, 180.0), soft_range: (0.0, 90.0), former_names: &[FormerName::same("ProceduralWind.DirectionNoiseAngle")],
        ..WIND.degrees()
    };
    /// How long the direction takes to wander, in seconds. KawaiiPhysics called it DirectionNoisePeriod before
    /// 2026-08-18.
    WIND_NOISE_PERIOD = "ProceduralWind.WindDirectionNoisePeriod" "Wind: direction noise period" {
        former_names: &[FormerName::same("ProceduralWind.DirectionNoisePeriod")], ..PERIOD
    };
    /// How fast the wind's clock runs.
    WIND_TIME_SCALE = "ProceduralWind.TimeScale" "Wind: time scale" { soft_range: (0.0, 4.0), default: 1.0, ..WIND };
    /// The part of the wind that never changes, in m/s; shown as cm/s in the engine. KawaiiPhysics called it
    /// SteadyForce before 2026-08-18.
    CONSTANT_FORCE = "ProceduralWind.ConstantForce" "Wind: constant" {
        former_names: &[FormerName::same("ProceduralWind.SteadyForce")], ..WIND_SPEED
    };
    /// The part of the wind that comes and goes everywhere at once, in m/s. KawaiiPhysics called it OscillationForce
    /// before 2026-08-18.
    SWAY_FORCE = "ProceduralWind.SwayForce" "Wind: sway" {
        former_names: &[FormerName::same("ProceduralWind.OscillationForce"), FormerName::same("ProceduralWind.PulseForce")],
        ..WIND_SPEED
    };
    /// How long the swaying part takes to come and go, in seconds. KawaiiPhysics called it OscillationPeriod before
    /// 2026-08-18.
    SWAY_PERIOD = "ProceduralWind.SwayPeriod" "Wind: sway period" {
        former_names: &[FormerName::same("ProceduralWind.OscillationPeriod"), FormerName::same("ProceduralWind.PulsePeriod")],
        ..PERIOD
    };
    /// Where the swaying part begins, in degrees. KawaiiPhysics has it since 2026-08-18.
    SWAY_PHASE_OFFSET = "ProceduralWind.SwayPhaseOffset" "Wind: sway phase" {
        former_names: &[FormerName::same("ProceduralWind.OscillationPhase")], ..PHASE
    };
    /// The part of the wind that runs along the chain as a wave, in m/s. KawaiiPhysics called it WaveAmplitude before
    /// 2026-08-18.
    RIPPLE_FORCE = "ProceduralWind.RippleForce" "Wind: ripple" {
        former_names: &[FormerName::same("ProceduralWind.WaveAmplitude")], ..WIND_SPEED
    };
    /// How long one wave takes, in seconds. KawaiiPhysics called it WavePeriod before 2026-08-18.
    RIPPLE_PERIOD = "ProceduralWind.RipplePeriod" "Wind: ripple period" {
        former_names: &[FormerName::same("ProceduralWind.WavePeriod")], ..PERIOD
    };
    /// Where the wave begins, in degrees. KawaiiPhysics called it WavePhase before 2026-08-18.
    RIPPLE_PHASE_OFFSET = "ProceduralWind.RipplePhaseOffset" "Wind: ripple phase" {
        former_names: &[FormerName::same("ProceduralWind.WavePhase")], ..PHASE
    };
    /// How far the wave at the end of the chain is behind that at its root, in degrees. KawaiiPhysics called it
    /// WaveSpatialOffset before 2026-08-18.
    RIPPLE_TIP_PHASE_DELAY = "ProceduralWind.RippleTipPhaseDelay" "Wind: ripple delay" {
        default: 180.0, former_names: &[FormerName::same("ProceduralWind.WaveSpatialOffset")], ..PHASE
    };
    /// Factor on the wind where its cycle of strength is highest. KawaiiPhysics called it EnvelopeMax before
    /// 2026-08-18.
    STRENGTH_CYCLE_MAX = "ProceduralWind.StrengthCycleRange.Max" "Wind: strength cycle max" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopeMax"), FormerName::same("ProceduralWind.BreathingMax")],
        ..WIND_FACTOR
    };
    /// Factor on the wind where its cycle of strength is lowest. KawaiiPhysics called it EnvelopeMin before 2026-08-18.
    STRENGTH_CYCLE_MIN = "ProceduralWind.StrengthCycleRange.Min" "Wind: strength cycle min" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopeMin"), FormerName::same("ProceduralWind.BreathingMin")],
        ..WIND_FACTOR
    };
    /// How long one cycle of strength takes, in seconds. KawaiiPhysics called it EnvelopeFrequency, in cycles per
    /// second, before 2026-08-18.
    STRENGTH_CYCLE_PERIOD = "ProceduralWind.StrengthCyclePeriod" "Wind: strength cycle period" {
        unit: Unit::Seconds, range: (0.01, f32::MAX), soft_range: (0.05, 60.0), default: 10.0,
        former_names: &[FormerName::reciprocal("ProceduralWind.EnvelopeFrequency"), FormerName::same("ProceduralWind.BreathingPeriod")],
        ..WIND
    };
    /// Where the cycle of strength begins, in degrees. KawaiiPhysics called it EnvelopePhase before 2026-08-18.
    STRENGTH_CYCLE_PHASE_OFFSET = "ProceduralWind.StrengthCyclePhaseOffset" "Wind: strength cycle phase" {
        former_names: &[FormerName::same("ProceduralWind.EnvelopePhase"), FormerName::same("ProceduralWind.BreathingPhase")], ..PHASE
    };
    /// The part of the wind that wanders at random, the same way for the same seed, in m/s.
    RANDOM_FORCE = "ProceduralWind.RandomForce" "Wind: random" { ..WIND_SPEED };
    /// How long the random part takes from one value to the next, in seconds. KawaiiPhysics called it RandomPeriod
    /// before 2026-08-18.
    RANDOM_FORCE_PERIOD = "ProceduralWind.RandomForcePeriod" "Wind: random period" {
        default: 0.5, former_names: &[FormerName::same("ProceduralWind.RandomPeriod")], ..PERIOD
    };
    /// Chooses among the random winds; one seed always blows alike, the scene's gusts too. KawaiiPhysics called it
    /// RandomSeed before 2026-08-18.
    SEED = "ProceduralWind.Seed" "Wind: seed" {
        kind: ParamKind::Integer, range: (0.0, 16_777_215.0), soft_range: (0.0, 100.0),
        former_names: &[FormerName::same("ProceduralWind.RandomSeed")], ..WIND
    };
    /// How hard a gust blows at its height, in m/s; the engine's notify starts one.
    GUST_STRENGTH = "ProceduralWind.GustStrength" "Wind: gust" { ..WIND_SPEED };
    /// How long a gust takes to rise, in seconds.
    GUST_RISE = "ProceduralWind.GustRiseTime" "Wind: gust rise" { default: 0.2, ..GUST_TIME };
    /// How long a gust takes to die down, in seconds.
    GUST_DECAY = "ProceduralWind.GustDecayTime" "Wind: gust decay" { default: 0.5, ..GUST_TIME };
    /// Seconds from one gust to the next, in place of the engine's notify; 0 lets none blow.
    GUST_INTERVAL = "ProceduralWind.GustInterval" "Wind: gust every" {
        unit: Unit::Seconds, soft_range: (0.0, 30.0), extension: true, ..WIND
    };
}
