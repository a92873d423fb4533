//! The parameter table of [`super`].
//!
//! Names and defaults are those of KawaiiPhysics' settings of 2026-08-18 and newer, after the tag 1.21.0; `ProceduralWind`
//! precedes the point where a row belongs to that external force. On that day its properties got new names; rows list the
//! earlier ones as `former`. Lengths are metres and axes glTF's; the engine shows centimetres and its own axes.

use crate::schema::{Former, Group, Idea, Kind, Mirror, ParamDef, Row, Scale, Scope, Touches, Unit};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::KawaiiPhysics.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef { scope: Scope::System, curve: false, ..JOINT };

/// The choices of [`BONE_FORWARD_AXIS`].
pub const AXES: &[&str] = &["X+", "X-", "Y+", "Y-", "Z+", "Z-"];
/// The choices of [`PLANAR_CONSTRAINT`].
pub const PLANES: &[&str] = &["None", "X", "Y", "Z"];
/// The choices of [`SIMULATION_SPACE`].
pub const SPACES: &[&str] = &["Component", "World", "Base bone"];
/// The choices of [`COMPLIANCE_TYPE`], as in [`Compliance`](crate::sim::Compliance).
pub const MATERIALS: &[&str] = &["Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"];
/// The choices of [`WIND_SPACE`].
pub const FORCE_SPACES: &[&str] = &["Component", "World", "Bone"];

/// Row of `Damping`.
pub const DAMPING: Row = Row(0);
/// Row of `Stiffness`.
pub const STIFFNESS: Row = Row(1);
/// Row of `WorldDampingLocation`.
pub const WORLD_DAMPING_LOCATION: Row = Row(2);
/// Row of `WorldDampingRotation`.
pub const WORLD_DAMPING_ROTATION: Row = Row(3);
/// Row of `Radius`.
pub const RADIUS: Row = Row(4);
/// Row of `LimitAngle`.
pub const LIMIT_ANGLE: Row = Row(5);
/// Row of `ForceRateByBoneLengthRate`.
pub const FORCE_RATE: Row = Row(6);
/// Row of `DummyBoneLength`.
pub const DUMMY_BONE_LENGTH: Row = Row(7);
/// Row of `BoneForwardAxis`.
pub const BONE_FORWARD_AXIS: Row = Row(8);
/// Row of `PlanarConstraint`.
pub const PLANAR_CONSTRAINT: Row = Row(9);
/// Row of `SimulationSpace`.
pub const SIMULATION_SPACE: Row = Row(10);
/// Row of `TargetFramerate`.
pub const TARGET_FRAMERATE: Row = Row(11);
/// Row of `bUseFixedSubstepping`.
pub const USE_FIXED_SUBSTEPPING: Row = Row(12);
/// Row of `MaxSubsteps`.
pub const MAX_SUBSTEPS: Row = Row(13);
/// Row of `WarmUpFrames`.
pub const WARM_UP_FRAMES: Row = Row(14);
/// Row of `bNeedWarmUp`.
pub const NEED_WARM_UP: Row = Row(15);
/// Row of `bUseWarmUpWhenResetDynamics`.
pub const WARM_UP_ON_RESET: Row = Row(16);
/// Row of `TeleportDistanceThreshold`.
pub const TELEPORT_DISTANCE: Row = Row(17);
/// Row of `TeleportRotationThreshold`.
pub const TELEPORT_ROTATION: Row = Row(18);
/// Rows of `SkelCompMoveScale` x, y, z.
pub const SKEL_COMP_MOVE_SCALE: [Row; 3] = [Row(19), Row(20), Row(21)];
/// Rows of `Gravity` x, y, z.
pub const GRAVITY: [Row; 3] = [Row(22), Row(23), Row(24)];
/// Row of `bUseDefaultGravityZProjectSetting`.
pub const USE_PROJECT_GRAVITY: Row = Row(25);
/// Row of `bUseWorldSpaceGravity`.
pub const USE_WORLD_GRAVITY: Row = Row(26);
/// Row of `bUseLegacyGravity`.
pub const USE_LEGACY_GRAVITY: Row = Row(27);
/// Rows of `SimpleExternalForce` x, y, z.
pub const SIMPLE_EXTERNAL_FORCE: [Row; 3] = [Row(28), Row(29), Row(30)];
/// Row of `bUseWorldSpaceSimpleExternalForce`.
pub const USE_WORLD_SIMPLE_FORCE: Row = Row(31);
/// Row of `bEnableWind`.
pub const ENABLE_WIND: Row = Row(32);
/// Row of `WindScale`.
pub const WIND_SCALE: Row = Row(33);
/// Row of `WindDirectionNoiseAngle`.
pub const WIND_NOISE: Row = Row(34);
/// Row of `BoneConstraintGlobalComplianceType`.
pub const COMPLIANCE_TYPE: Row = Row(35);
/// Row of `BoneConstraintIterationCountBeforeCollision`.
pub const ITERATIONS_BEFORE: Row = Row(36);
/// Row of `BoneConstraintIterationCountAfterCollision`.
pub const ITERATIONS_AFTER: Row = Row(37);
/// Row of `bAutoAddChildDummyBoneConstraint`.
pub const AUTO_LINK_DUMMIES: Row = Row(38);
/// Row of `BoneSubdivisionCount`.
pub const SUBDIVISION_COUNT: Row = Row(39);
/// Row of `bBoneSubdivisionCollisionOnly`.
pub const SUBDIVISION_COLLISION_ONLY: Row = Row(40);
/// Row of `bBoneSubdivisionDensifyByRadius`.
pub const SUBDIVISION_DENSIFY: Row = Row(41);
/// Row of `BoneConstraintSubdivisionCount`.
pub const BRIDGE_COUNT: Row = Row(42);
/// Row of `BoneConstraintSubdivisionFeedbackScale`.
pub const BRIDGE_FEEDBACK: Row = Row(43);
/// Row of `ProceduralWind.bIsEnabled`.
pub const WIND_ENABLED: Row = Row(44);
/// Row of `ProceduralWind.ExternalForceSpace`.
pub const WIND_SPACE: Row = Row(45);
/// Rows of `ProceduralWind.WindDirection` x, y, z.
pub const WIND_DIRECTION: [Row; 3] = [Row(46), Row(47), Row(48)];
/// Row of `ProceduralWind.WindDirectionNoiseAngle`.
pub const WIND_NOISE_ANGLE: Row = Row(49);
/// Row of `ProceduralWind.WindDirectionNoisePeriod`.
pub const WIND_NOISE_PERIOD: Row = Row(50);
/// Row of `ProceduralWind.TimeScale`.
pub const WIND_TIME_SCALE: Row = Row(51);
/// Row of `ProceduralWind.ConstantForce`.
pub const CONSTANT_FORCE: Row = Row(52);
/// Row of `ProceduralWind.SwayForce`.
pub const SWAY_FORCE: Row = Row(53);
/// Row of `ProceduralWind.SwayPeriod`.
pub const SWAY_PERIOD: Row = Row(54);
/// Row of `ProceduralWind.SwayPhaseOffset`.
pub const SWAY_PHASE_OFFSET: Row = Row(55);
/// Row of `ProceduralWind.RippleForce`.
pub const RIPPLE_FORCE: Row = Row(56);
/// Row of `ProceduralWind.RipplePeriod`.
pub const RIPPLE_PERIOD: Row = Row(57);
/// Row of `ProceduralWind.RipplePhaseOffset`.
pub const RIPPLE_PHASE_OFFSET: Row = Row(58);
/// Row of `ProceduralWind.RippleTipPhaseDelay`.
pub const RIPPLE_TIP_PHASE_DELAY: Row = Row(59);
/// Row of `ProceduralWind.StrengthCycleRange.Max`.
pub const STRENGTH_CYCLE_MAX: Row = Row(60);
/// Row of `ProceduralWind.StrengthCycleRange.Min`.
pub const STRENGTH_CYCLE_MIN: Row = Row(61);
/// Row of `ProceduralWind.StrengthCyclePeriod`.
pub const STRENGTH_CYCLE_PERIOD: Row = Row(62);
/// Row of `ProceduralWind.StrengthCyclePhaseOffset`.
pub const STRENGTH_CYCLE_PHASE_OFFSET: Row = Row(63);
/// Row of `ProceduralWind.RandomForce`.
pub const RANDOM_FORCE: Row = Row(64);
/// Row of `ProceduralWind.RandomForcePeriod`.
pub const RANDOM_FORCE_PERIOD: Row = Row(65);
/// Row of `ProceduralWind.Seed`.
pub const SEED: Row = Row(66);
/// Row of `ProceduralWind.GustStrength`.
pub const GUST_STRENGTH: Row = Row(67);
/// Row of `ProceduralWind.GustRiseTime`.
pub const GUST_RISE: Row = Row(68);
/// Row of `ProceduralWind.GustDecayTime`.
pub const GUST_DECAY: Row = Row(69);
/// Row of `ProceduralWind.GustInterval`.
pub const GUST_INTERVAL: Row = Row(70);

/// Every parameter of the solver, in the order in which artists see them.
pub const PARAMS: &[ParamDef] = &[
    ParamDef {
        name: "Damping",
        label: "Damping",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.1,
        idea: Idea::Drag,
        doc: "Share of the speed lost in every step, 0 to 1; KawaiiPhysics, per step of its target frame rate.",
        ..JOINT
    },
    ParamDef {
        name: "Stiffness",
        label: "Stiffness",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.05,
        idea: Idea::Restore,
        doc: "Share of the way back to the pose taken in every step, 0 to 1; a legacy step takes as much as its length asks for.",
        ..JOINT
    },
    ParamDef {
        name: "WorldDampingLocation",
        label: "Ignore movement",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.8,
        idea: Idea::Switch,
        doc: "Share of the component's movement that the tips do not feel: 1 ignores it, 0 is full inertia.",
        ..JOINT
    },
    ParamDef {
        name: "WorldDampingRotation",
        label: "Ignore turning",
        unit: Unit::Share,
        range: (0.0, 1.0),
        default: 0.8,
        idea: Idea::Switch,
        doc: "Share of the component's turning that the tips do not feel: 1 ignores it, 0 is full inertia.",
        ..JOINT
    },
    ParamDef {
        name: "Radius",
        label: "Radius",
        group: Group::Collision,
        unit: Unit::Metres,
        soft_range: (0.0, 0.2),
        scale: Scale::Logarithmic,
        default: 0.03,
        idea: Idea::Radius,
        doc: "Thickness that meets colliders, in metres; shown as centimetres in the engine.",
        ..JOINT
    },
    ParamDef {
        name: "LimitAngle",
        label: "Limit angle",
        group: Group::AngleLimits,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (0.0, 180.0),
        soft_range: (0.0, 90.0),
        idea: Idea::Limit,
        doc: "How far the bone may turn away from its pose in any direction, in degrees; 0 does not limit it.",
        ..JOINT
    },
    ParamDef {
        name: "ForceRateByBoneLengthRate",
        label: "Wind rate",
        group: Group::Spring,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Factor on what the procedural wind does to this joint; 1 takes it whole.",
        ..JOINT
    },
    ParamDef {
        name: "DummyBoneLength",
        label: "Dummy bone length",
        unit: Unit::Metres,
        soft_range: (0.0, 0.3),
        touches: Touches::Topology,
        idea: Idea::Switch,
        doc: "Length of the virtual bone added to the end of every chain, in metres; 0 adds none, so that the last bone never turns. Shown as centimetres in the engine.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneForwardAxis",
        label: "Bone forward axis",
        kind: Kind::Choice(AXES),
        range: (0.0, 5.0),
        soft_range: (0.0, 5.0),
        touches: Touches::Topology,
        idea: Idea::Switch,
        doc: "The bone's own axis that the dummy bone points along, in the character's space; Unreal's Y and Z are swapped.",
        ..SYSTEM
    },
    ParamDef {
        name: "PlanarConstraint",
        label: "Planar constraint",
        group: Group::World,
        kind: Kind::Choice(PLANES),
        range: (0.0, 3.0),
        soft_range: (0.0, 3.0),
        idea: Idea::Limit,
        doc: "Keeps every tip in the plane through its bone whose normal is this axis of the bone in its pose; Unreal's Y and Z are swapped.",
        ..SYSTEM
    },
    ParamDef {
        name: "SimulationSpace",
        label: "Simulation space",
        kind: Kind::Choice(SPACES),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        idea: Idea::Switch,
        doc: "What tips are carried along by: the component (ignoring as much of its motion as the damping rows say), nothing, or a bone.",
        ..SYSTEM
    },
    ParamDef {
        name: "TargetFramerate",
        label: "Target frame rate",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Integer,
        unit: Unit::PerSecond,
        range: (1.0, 1000.0),
        soft_range: (15.0, 144.0),
        default: 60.0,
        doc: "Fixed steps per second; without them, the rate that stiffness is meant for.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseFixedSubstepping",
        label: "Fixed steps",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        doc: "Takes steps of one length whatever the frame rate, as the project setting says; off is the older way, one step per frame.",
        ..SYSTEM
    },
    ParamDef {
        name: "MaxSubsteps",
        label: "Most steps per frame",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Integer,
        range: (1.0, 16.0),
        soft_range: (1.0, 16.0),
        default: 4.0,
        doc: "Most fixed steps that a frame may catch up; time beyond is dropped.",
        ..SYSTEM
    },
    ParamDef {
        name: "WarmUpFrames",
        label: "Warm-up frames",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Integer,
        range: (0.0, 1000.0),
        soft_range: (0.0, 120.0),
        doc: "Steps taken at once before the first one is shown.",
        ..SYSTEM
    },
    ParamDef {
        name: "bNeedWarmUp",
        label: "Warm up at the start",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        doc: "Whether the warm-up runs at the start.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseWarmUpWhenResetDynamics",
        label: "Warm up on reset",
        group: Group::Time,
        idea: Idea::Time,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        doc: "Whether the warm-up runs again after a reset.",
        ..SYSTEM
    },
    ParamDef {
        name: "TeleportDistanceThreshold",
        label: "Teleport distance",
        group: Group::World,
        unit: Unit::Metres,
        soft_range: (0.0, 10.0),
        default: 3.0,
        idea: Idea::Switch,
        doc: "A component that moves further in one frame, in metres, takes its tips along; 0 never. Shown as centimetres in the engine.",
        ..SYSTEM
    },
    ParamDef {
        name: "TeleportRotationThreshold",
        label: "Teleport angle",
        group: Group::World,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (0.0, 360.0),
        soft_range: (0.0, 180.0),
        default: 10.0,
        idea: Idea::Switch,
        doc: "A component that turns further in one frame, in degrees, takes its tips along; 0 never. Low frame rates reach it soon.",
        ..SYSTEM
    },
    ParamDef {
        name: "SkelCompMoveScale x",
        label: "Movement scale X",
        group: Group::World,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Switch,
        doc: "Factor on the component's movement along its X before the tips feel it.",
        ..SYSTEM
    },
    ParamDef {
        name: "SkelCompMoveScale y",
        label: "Movement scale Y",
        group: Group::World,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Switch,
        doc: "Factor on the component's movement along its Y before the tips feel it.",
        ..SYSTEM
    },
    ParamDef {
        name: "SkelCompMoveScale z",
        label: "Movement scale Z",
        group: Group::World,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Switch,
        doc: "Factor on the component's movement along its Z before the tips feel it.",
        ..SYSTEM
    },
    ParamDef {
        name: "Gravity x",
        label: "Gravity X",
        group: Group::World,
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Gravity,
        mirror: Mirror::Negate,
        doc: "Steady pull along X, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.",
        ..SYSTEM
    },
    ParamDef {
        name: "Gravity y",
        label: "Gravity Y",
        group: Group::World,
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Gravity,
        doc: "Steady pull along Y, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.",
        ..SYSTEM
    },
    ParamDef {
        name: "Gravity z",
        label: "Gravity Z",
        group: Group::World,
        unit: Unit::Acceleration,
        range: (f32::MIN, f32::MAX),
        soft_range: (-20.0, 20.0),
        idea: Idea::Gravity,
        doc: "Steady pull along Z, in m/s²; shown as cm/s² in the engine, where -9.8 stands as -980.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseDefaultGravityZProjectSetting",
        label: "Project gravity",
        group: Group::World,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        idea: Idea::Gravity,
        doc: "Multiplies the gravity by the project's, 980, as the engine does; -0.01 m/s² then pulls like 9.8.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseWorldSpaceGravity",
        label: "Gravity in the world",
        group: Group::World,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        idea: Idea::Gravity,
        doc: "Whether gravity points along the world's axes; otherwise along the component's.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseLegacyGravity",
        label: "Legacy gravity",
        group: Group::World,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        idea: Idea::Gravity,
        doc: "Half of the gravity, put into the place instead of the speed, as older versions did.",
        ..SYSTEM
    },
    ParamDef {
        name: "SimpleExternalForce x",
        label: "Simple force X",
        group: Group::World,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (-2.0, 2.0),
        idea: Idea::Wind,
        mirror: Mirror::Negate,
        doc: "Steady push along X, in m/s: a speed in spite of its name; shown as cm/s in the engine.",
        ..SYSTEM
    },
    ParamDef {
        name: "SimpleExternalForce y",
        label: "Simple force Y",
        group: Group::World,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (-2.0, 2.0),
        idea: Idea::Wind,
        doc: "Steady push along Y, in m/s: a speed in spite of its name; shown as cm/s in the engine.",
        ..SYSTEM
    },
    ParamDef {
        name: "SimpleExternalForce z",
        label: "Simple force Z",
        group: Group::World,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (-2.0, 2.0),
        idea: Idea::Wind,
        doc: "Steady push along Z, in m/s: a speed in spite of its name; shown as cm/s in the engine.",
        ..SYSTEM
    },
    ParamDef {
        name: "bUseWorldSpaceSimpleExternalForce",
        label: "Simple force in the world",
        group: Group::World,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Whether the simple force points along the world's axes; otherwise along those of the simulation space.",
        ..SYSTEM
    },
    ParamDef {
        name: "bEnableWind",
        label: "Scene wind",
        group: Group::World,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        idea: Idea::Wind,
        doc: "Whether the forces and winds of the scene act; they gust at random from none to twice their strength.",
        ..SYSTEM
    },
    ParamDef {
        name: "WindScale",
        label: "Wind scale",
        group: Group::World,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 4.0),
        default: 1.0,
        idea: Idea::Wind,
        doc: "Factor on the wind of the scene.",
        ..SYSTEM
    },
    ParamDef {
        name: "WindDirectionNoiseAngle",
        label: "Wind direction noise",
        group: Group::World,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (0.0, 180.0),
        soft_range: (0.0, 90.0),
        idea: Idea::Wind,
        doc: "How far the direction of the scene's wind strays at random, in degrees.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneConstraintGlobalComplianceType",
        label: "Constraint material",
        group: Group::LengthLimits,
        idea: Idea::Limit,
        kind: Kind::Choice(MATERIALS),
        range: (0.0, 6.0),
        soft_range: (0.0, 6.0),
        default: 2.0,
        doc: "How much bone constraints give way, from concrete to fat, unless a constraint says otherwise.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneConstraintIterationCountBeforeCollision",
        label: "Rounds before collision",
        group: Group::LengthLimits,
        idea: Idea::Limit,
        kind: Kind::Integer,
        range: (0.0, 32.0),
        soft_range: (0.0, 8.0),
        default: 1.0,
        doc: "How often bone constraints are solved before collision in every step.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneConstraintIterationCountAfterCollision",
        label: "Rounds after collision",
        group: Group::LengthLimits,
        idea: Idea::Limit,
        kind: Kind::Integer,
        range: (0.0, 32.0),
        soft_range: (0.0, 8.0),
        default: 1.0,
        doc: "How often bone constraints are solved after collision in every step.",
        ..SYSTEM
    },
    ParamDef {
        name: "bAutoAddChildDummyBoneConstraint",
        label: "Link dummy bones",
        group: Group::LengthLimits,
        idea: Idea::Limit,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        touches: Touches::Topology,
        doc: "Whether the dummy ends and points between of two constrained bones are constrained too.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneSubdivisionCount",
        label: "Points between bones",
        group: Group::Collision,
        idea: Idea::Contact,
        touches: Touches::Topology,
        kind: Kind::Integer,
        range: (0.0, 10.0),
        soft_range: (0.0, 10.0),
        doc: "How many points between two bones collide too, as far as their radius leaves room.",
        ..SYSTEM
    },
    ParamDef {
        name: "bBoneSubdivisionCollisionOnly",
        label: "Points only collide",
        group: Group::Collision,
        idea: Idea::Contact,
        touches: Touches::Topology,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        default: 1.0,
        doc: "Whether the points between bones only collide; otherwise they swing on their own.",
        ..SYSTEM
    },
    ParamDef {
        name: "bBoneSubdivisionDensifyByRadius",
        label: "Points as close as radius",
        group: Group::Collision,
        idea: Idea::Contact,
        touches: Touches::Topology,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        doc: "Sets as many points between bones as their radius needs to leave no gap, at most 50 for each bone.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneConstraintSubdivisionCount",
        label: "Points on constraints",
        group: Group::Collision,
        idea: Idea::Contact,
        touches: Touches::Topology,
        kind: Kind::Integer,
        range: (0.0, 10.0),
        soft_range: (0.0, 10.0),
        doc: "How many points along every bone constraint collide, so that nothing slips through between two chains.",
        ..SYSTEM
    },
    ParamDef {
        name: "BoneConstraintSubdivisionFeedbackScale",
        label: "Push of those points",
        group: Group::Collision,
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        idea: Idea::Contact,
        doc: "How much of the push on a point of a constraint its two ends take over.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.bIsEnabled",
        label: "Wind: on",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Toggle,
        range: (0.0, 1.0),
        doc: "Whether the procedural wind blows, which needs no force in the scene.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.ExternalForceSpace",
        label: "Wind: space",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Choice(FORCE_SPACES),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        default: 1.0,
        doc: "Whose axes the direction of the procedural wind is meant in.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.WindDirection x",
        label: "Wind: direction X",
        group: Group::World,
        idea: Idea::Wind,
        range: (f32::MIN, f32::MAX),
        soft_range: (-1.0, 1.0),
        default: 1.0,
        mirror: Mirror::Negate,
        doc: "Where the procedural wind blows along X; only its direction counts.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.WindDirection y",
        label: "Wind: direction Y",
        group: Group::World,
        idea: Idea::Wind,
        range: (f32::MIN, f32::MAX),
        soft_range: (-1.0, 1.0),
        doc: "Where the procedural wind blows along Y; only its direction counts.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.WindDirection z",
        label: "Wind: direction Z",
        group: Group::World,
        idea: Idea::Wind,
        range: (f32::MIN, f32::MAX),
        soft_range: (-1.0, 1.0),
        doc: "Where the procedural wind blows along Z; only its direction counts.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.WindDirectionNoiseAngle",
        label: "Wind: direction noise",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (0.0, 180.0),
        soft_range: (0.0, 90.0),
        doc: "How far the direction wanders, in degrees. KawaiiPhysics called it DirectionNoiseAngle before 2026-08-18.",
        former: &[Former::same("ProceduralWind.DirectionNoiseAngle")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.WindDirectionNoisePeriod",
        label: "Wind: direction noise period",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        range: (0.01, 1000.0),
        soft_range: (0.05, 10.0),
        default: 1.0,
        doc: "How long the direction takes to wander, in seconds. KawaiiPhysics called it DirectionNoisePeriod before 2026-08-18.",
        former: &[Former::same("ProceduralWind.DirectionNoisePeriod")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.TimeScale",
        label: "Wind: time scale",
        group: Group::World,
        idea: Idea::Wind,
        soft_range: (0.0, 4.0),
        default: 1.0,
        doc: "How fast the wind's clock runs.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.ConstantForce",
        label: "Wind: constant",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 3.0),
        doc: "The part of the wind that never changes, in m/s; shown as cm/s in the engine. KawaiiPhysics called it SteadyForce before 2026-08-18.",
        former: &[Former::same("ProceduralWind.SteadyForce")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.SwayForce",
        label: "Wind: sway",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 3.0),
        doc: "The part of the wind that comes and goes everywhere at once, in m/s. KawaiiPhysics called it OscillationForce before 2026-08-18.",
        former: &[Former::same("ProceduralWind.OscillationForce"), Former::same("ProceduralWind.PulseForce")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.SwayPeriod",
        label: "Wind: sway period",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        range: (0.01, 1000.0),
        soft_range: (0.05, 10.0),
        default: 1.0,
        doc: "How long the swaying part takes to come and go, in seconds. KawaiiPhysics called it OscillationPeriod before 2026-08-18.",
        former: &[Former::same("ProceduralWind.OscillationPeriod"), Former::same("ProceduralWind.PulsePeriod")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.SwayPhaseOffset",
        label: "Wind: sway phase",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (f32::MIN, f32::MAX),
        soft_range: (-360.0, 360.0),
        doc: "Where the swaying part begins, in degrees. KawaiiPhysics has it since 2026-08-18.",
        former: &[Former::same("ProceduralWind.OscillationPhase")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RippleForce",
        label: "Wind: ripple",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 3.0),
        doc: "The part of the wind that runs along the chain as a wave, in m/s. KawaiiPhysics called it WaveAmplitude before 2026-08-18.",
        former: &[Former::same("ProceduralWind.WaveAmplitude")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RipplePeriod",
        label: "Wind: ripple period",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        range: (0.01, 1000.0),
        soft_range: (0.05, 10.0),
        default: 1.0,
        doc: "How long one wave takes, in seconds. KawaiiPhysics called it WavePeriod before 2026-08-18.",
        former: &[Former::same("ProceduralWind.WavePeriod")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RipplePhaseOffset",
        label: "Wind: ripple phase",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (f32::MIN, f32::MAX),
        soft_range: (-360.0, 360.0),
        doc: "Where the wave begins, in degrees. KawaiiPhysics called it WavePhase before 2026-08-18.",
        former: &[Former::same("ProceduralWind.WavePhase")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RippleTipPhaseDelay",
        label: "Wind: ripple delay",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (f32::MIN, f32::MAX),
        soft_range: (-360.0, 360.0),
        default: 180.0,
        doc: "How far the wave at the end of the chain is behind that at its root, in degrees. KawaiiPhysics called it WaveSpatialOffset before 2026-08-18.",
        former: &[Former::same("ProceduralWind.WaveSpatialOffset")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.StrengthCycleRange.Max",
        label: "Wind: strength cycle max",
        group: Group::World,
        idea: Idea::Wind,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        doc: "Factor on the wind where its cycle of strength is highest. KawaiiPhysics called it EnvelopeMax before 2026-08-18.",
        former: &[Former::same("ProceduralWind.EnvelopeMax"), Former::same("ProceduralWind.BreathingMax")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.StrengthCycleRange.Min",
        label: "Wind: strength cycle min",
        group: Group::World,
        idea: Idea::Wind,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 2.0),
        default: 1.0,
        doc: "Factor on the wind where its cycle of strength is lowest. KawaiiPhysics called it EnvelopeMin before 2026-08-18.",
        former: &[Former::same("ProceduralWind.EnvelopeMin"), Former::same("ProceduralWind.BreathingMin")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.StrengthCyclePeriod",
        label: "Wind: strength cycle period",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        range: (0.01, f32::MAX),
        soft_range: (0.05, 60.0),
        default: 10.0,
        doc: "How long one cycle of strength takes, in seconds. KawaiiPhysics called it EnvelopeFrequency, in cycles per second, before 2026-08-18.",
        former: &[
            Former::reciprocal("ProceduralWind.EnvelopeFrequency"),
            Former::same("ProceduralWind.BreathingPeriod"),
        ],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.StrengthCyclePhaseOffset",
        label: "Wind: strength cycle phase",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Degrees,
        unit: Unit::Degrees,
        range: (f32::MIN, f32::MAX),
        soft_range: (-360.0, 360.0),
        doc: "Where the cycle of strength begins, in degrees. KawaiiPhysics called it EnvelopePhase before 2026-08-18.",
        former: &[Former::same("ProceduralWind.EnvelopePhase"), Former::same("ProceduralWind.BreathingPhase")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RandomForce",
        label: "Wind: random",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 3.0),
        doc: "The part of the wind that wanders at random, the same way for the same seed, in m/s.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.RandomForcePeriod",
        label: "Wind: random period",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        range: (0.01, 1000.0),
        soft_range: (0.05, 10.0),
        default: 0.5,
        doc: "How long the random part takes from one value to the next, in seconds. KawaiiPhysics called it RandomPeriod before 2026-08-18.",
        former: &[Former::same("ProceduralWind.RandomPeriod")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.Seed",
        label: "Wind: seed",
        group: Group::World,
        idea: Idea::Wind,
        kind: Kind::Integer,
        range: (0.0, 16_777_215.0),
        soft_range: (0.0, 100.0),
        doc: "Chooses among the random winds; one seed always blows alike, the scene's gusts too. KawaiiPhysics called it RandomSeed before 2026-08-18.",
        former: &[Former::same("ProceduralWind.RandomSeed")],
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.GustStrength",
        label: "Wind: gust",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Speed,
        range: (f32::MIN, f32::MAX),
        soft_range: (0.0, 3.0),
        doc: "How hard a gust blows at its height, in m/s; the engine's notify starts one.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.GustRiseTime",
        label: "Wind: gust rise",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        soft_range: (0.0, 5.0),
        default: 0.2,
        doc: "How long a gust takes to rise, in seconds.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.GustDecayTime",
        label: "Wind: gust decay",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        soft_range: (0.0, 5.0),
        default: 0.5,
        doc: "How long a gust takes to die down, in seconds.",
        ..SYSTEM
    },
    ParamDef {
        name: "ProceduralWind.GustInterval",
        label: "Wind: gust every",
        group: Group::World,
        idea: Idea::Wind,
        unit: Unit::Seconds,
        soft_range: (0.0, 30.0),
        beyond: true,
        doc: "Seconds from one gust to the next, in place of the engine's notify; 0 lets none blow.",
        ..SYSTEM
    },
];
