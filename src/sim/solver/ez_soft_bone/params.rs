//! The parameter table of [`super`], as `EZSoftBone` and `EZSoftBoneMaterial` spell it.
//!
//! Damping, stiffness, resistance, slackness and radius are a base times a curve along the chain there; a joint has
//! what both make at its tip. Forces are metres per second in each frame, as the engine reckons them.

use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit,
    params,
};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::EzSoftBone.key(), curve: true, ..ParamDef::PLAIN.fraction() };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, unit: Unit::None, curve: false, ..JOINT };
const STRUCTURE: ParamDef = ParamDef {
    group: ParamGroup::Switches,
    meaning: ParamMeaning::Switch,
    invalidates: Invalidates::Topology,
    ..SYSTEM
};
const FORCE: ParamDef = ParamDef { group: ParamGroup::World, meaning: ParamMeaning::Gravity, ..SYSTEM.unbounded() };
const TIME: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };

/// What `EZSoftBoneMaterial` holds.
pub const MATERIAL_PARAMS: &[ParamId] = &[DAMPING, STIFFNESS, RESISTANCE, SLACKNESS];

/// The choices of [`SIBLING_CONSTRAINTS`] and [`LENGTH_UNIFICATION`].
pub const UNIFICATIONS: &[&str] = &["None", "Rooted", "Unified"];
/// The choices of [`DELTA_TIME_MODE`].
pub const DELTA_TIME_MODES: &[&str] = &["Delta time", "Unscaled delta time", "Constant"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Share of the speed lost in every substep, 0 to 1; it depends on the frames per second.
    DAMPING = "m_Damping" "Damping" { default: 0.2, meaning: ParamMeaning::Drag, ..JOINT };
    /// Share of the way back to the pose in every frame, 0 to 1; it depends on the frames per second.
    STIFFNESS = "m_Stiffness" "Stiffness" { default: 0.1, ..JOINT };
    /// Share of gravity and wind that is not felt, 0 to 1; the engine's curve lets it fall to 0 at the end.
    RESISTANCE = "m_Resistance" "Resistance" { default: 0.9, meaning: ParamMeaning::Gravity, ..JOINT };
    /// How much of a stretch stays, 0 to 1; 0 keeps the bone's length, and none of the links to siblings.
    SLACKNESS = "m_Slackness" "Slackness" { default: 0.1, meaning: ParamMeaning::Limit, ..JOINT };
    /// Radius of the ball at the tip that meets colliders, in metres; 0 meets none.
    RADIUS = "m_Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, range: (0.0, f32::MAX), soft_range: (0.0, 0.2),
        scale: SliderScale::Logarithmic, meaning: ParamMeaning::Radius, ..JOINT
    };
    /// So many bones below each root follow the pose without swinging.
    START_DEPTH = "m_StartDepth" "Start depth" {
        kind: ParamKind::Integer, range: (0.0, f32::MAX), soft_range: (0.0, 4.0), ..STRUCTURE
    };
    /// Keeps the distances of bones that lie equally deep: not at all, below each root, or across all roots.
    SIBLING_CONSTRAINTS = "m_SiblingConstraints" "Sibling links" { ..STRUCTURE.choice(UNIFICATIONS) };
    /// Links the last bone of each depth to the first, as round a skirt.
    CLOSED_SIBLINGS = "m_ClosedSiblings" "Closed ring" { ..STRUCTURE.toggle() };
    /// Lets linked siblings turn a bone, beside its own tip.
    SIBLING_ROTATION = "m_SiblingRotationConstraints" "Siblings turn bones" {
        group: ParamGroup::Switches, default: 1.0, meaning: ParamMeaning::Switch, ..SYSTEM.toggle()
    };
    /// What is the end of a curve: the bone's own longest branch, its root's longest, or the longest of all.
    LENGTH_UNIFICATION = "m_LengthUnification" "Curve length" { ..STRUCTURE.choice(UNIFICATIONS) };
    /// How long a frame counts; delta time and unscaled delta time are the same here, where time is never slowed.
    DELTA_TIME_MODE = "m_DeltaTimeMode" "Time step" { ..TIME.choice(DELTA_TIME_MODES) };
    /// How long each frame counts where the time step is constant, in seconds.
    CONSTANT_DELTA_TIME = "m_ConstantDeltaTime" "Constant step" {
        unit: Unit::Seconds, range: (1e-6, f32::MAX), soft_range: (0.005, 0.1), scale: SliderScale::Logarithmic,
        default: 0.03, ..TIME
    };
    /// Substeps in each frame, 1 to 10; stiffness, slackness and forces are divided by it, damping is not.
    ITERATIONS = "m_Iterations" "Iterations" {
        kind: ParamKind::Integer, range: (1.0, 10.0), soft_range: (1.0, 10.0), default: 1.0, ..TIME
    };
    /// A tip whose squared speed is not above this, in m²/s², does not move by it: 0.005 means 7 cm/s.
    SLEEP_THRESHOLD = "m_SleepThreshold" "Sleep threshold" {
        group: ParamGroup::Time, range: (0.0, f32::MAX), soft_range: (0.0, 0.05), default: 0.005, meaning: ParamMeaning::Drag, ..SYSTEM
    };
    GRAVITY: Vector = "m_Gravity" { unit: Unit::Speed, soft_range: (-1.0, 1.0), ..FORCE } [
        /// Pull to the side in the world, in m/s for every frame, less each joint's resistance.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Pull upwards in the world, in m/s for every frame; -0.16 is the Earth's at 60 frames per second.
        y "Gravity Y",
        /// Pull along Z in the world, in m/s for every frame, less each joint's resistance.
        z "Gravity Z",
    ];
    /// Factor on the force field; 1 takes it as it blows.
    FORCE_SCALE = "m_ForceScale" "Force scale" { soft_range: (0.0, 5.0), default: 1.0, meaning: ParamMeaning::Wind, ..FORCE };
}
