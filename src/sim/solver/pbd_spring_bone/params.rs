//! The parameter table: names and defaults are those of `PbdSpringBone`.

use crate::params::{ParamDef, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit, params};
use crate::sim::SolverKind;

/// More rounds of constraints are not made.
pub(super) const MAX_ITERATIONS: f32 = 64.0;
/// Shorter steps are not made.
pub(super) const MAX_STEPS_PER_SECOND: f32 = 1000.0;

const JOINT: ParamDef = ParamDef { owner: SolverKind::PbdSpringBone.key(), curve: true, ..ParamDef::PLAIN };
const SYSTEM: ParamDef = ParamDef {
    scope: ParamScope::System,
    group: ParamGroup::World,
    curve: false,
    extension: true,
    meaning: ParamMeaning::Switch,
    ..JOINT
};

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Acceleration back to rest for each metre of offset, in 1/s²; the engine has one value for all bones.
    SPRING = "spring" "Spring" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 1000.0), scale: SliderScale::Logarithmic, default: 100.0, ..JOINT
    };
    /// Share of the speed that is kept in every step, 1 for all of it; it depends on the steps per second. The engine
    /// has one value for all bones.
    DAMP = "damp" "Kept speed" { default: 0.85, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Pull down in the world, in m/s²; the engine has one value for all bones.
    GRAVITY = "gravity" "Gravity" {
        unit: Unit::Acceleration, soft_range: (0.0, 20.0), default: 9.8, meaning: ParamMeaning::Gravity, ..JOINT.unbounded()
    };
    /// Radius of the ball at the end of a bone that meets colliders, in metres; the engine has one value for all.
    POINT_SIZE = "pointSize" "Point radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic, default: 0.02,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Moves as in a scene where no animation writes the pose: shapes are not remembered, and chains droop.
    NO_ANIMATOR = "noAnimator" "Without an Animator" { group: ParamGroup::Switches, ..SYSTEM.toggle() };
    /// Bone lengths and point radii follow the scale of the bones; the engine takes them without scale.
    FOLLOW_SCALE = "followScale" "Follow scale" { group: ParamGroup::Switches, ..SYSTEM.toggle() };
    /// Fixed steps whatever the frame rate, per second; 0 makes one step in every frame, as the engine does.
    STEPS_PER_SECOND = "stepsPerSecond" "Steps per second" {
        group: ParamGroup::Time, unit: Unit::PerSecond, range: (0.0, MAX_STEPS_PER_SECOND), soft_range: (0.0, 120.0),
        meaning: ParamMeaning::Time, ..SYSTEM
    };
    /// How often all points are put out of colliders and to their lengths; 0 does it once, as the engine does.
    ITERATIONS = "iterations" "Iterations" {
        group: ParamGroup::Switches, kind: ParamKind::Integer, range: (0.0, MAX_ITERATIONS), soft_range: (0.0, 20.0),
        meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Points stay above level ground; the engine knows none.
    COLLIDE_WITH_GROUND = "collideWithGround" "Collide with ground" {
        group: ParamGroup::Collision, meaning: ParamMeaning::Contact, ..SYSTEM.toggle()
    };
    /// Height of the ground in the world, in metres; it acts while points collide with the ground.
    GROUND_HEIGHT = "groundHeight" "Ground height" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (-1.0, 1.0), meaning: ParamMeaning::Contact, ..SYSTEM.unbounded()
    };
}
