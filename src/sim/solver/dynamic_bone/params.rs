//! The parameter table of [`super`].
//!
//! Names are those that a `DynamicBone` component has in Unity's files; a curve along the chain is its `…Distrib`. What
//! the asset calls force and gravity counts in metres per step and step: 9.81 m/s² are 0.002725 at 60 steps a second.

use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamKind, ParamMeaning, ParamScope, SliderScale, Unit, params,
};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::DynamicBone.key(), curve: true, ..ParamDef::PLAIN };
const SHARE: ParamDef = JOINT.fraction();
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..JOINT };
const CLOCK: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const ACCELERATION: ParamDef =
    ParamDef { soft_range: (-0.02, 0.02), meaning: ParamMeaning::Gravity, ..SYSTEM.unbounded() };
const SWITCH: ParamDef = ParamDef { group: ParamGroup::Switches, meaning: ParamMeaning::Switch, ..SYSTEM };
const TOPOLOGY: ParamDef =
    ParamDef { unit: Unit::Metres, soft_range: (-0.5, 0.5), invalidates: Invalidates::Topology, ..SWITCH.unbounded() };

/// The choices of [`UPDATE_MODE`].
pub const UPDATE_MODES: &[&str] = &["Normal", "Animate Physics", "Unscaled Time", "Default"];
/// The choices of [`FREEZE_AXIS`].
pub const FREEZE_AXES: &[&str] = &["None", "X", "Y", "Z"];
/// The choices of [`RUN_AS`].
pub const IMPLEMENTATIONS: &[&str] = &["DynamicBone", "Clone by seinocat"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Share of the speed lost in every step, 0 to 1; it depends on the steps per second.
    DAMPING = "m_Damping" "Damping" { default: 0.1, meaning: ParamMeaning::Drag, ..SHARE };
    /// Share of the way back to the rest position that a tip is pulled in every step, 0 to 1.
    ELASTICITY = "m_Elasticity" "Elasticity" { default: 0.1, ..SHARE };
    /// Holds a tip within 2 × (1 − value) bone lengths of its rest position, 0 to 1; below 0.5 it is hardly felt.
    STIFFNESS = "m_Stiffness" "Stiffness" { default: 0.1, meaning: ParamMeaning::Limit, ..SHARE };
    /// Share of the component's movement that tips are carried along by, 0 (they lag) to 1 (it is not felt); turns are
    /// always felt.
    INERT = "m_Inert" "Inert" { meaning: ParamMeaning::Switch, ..SHARE };
    /// Added to the damping in the step after a contact, 0 to 1.
    FRICTION = "m_Friction" "Friction" { group: ParamGroup::Collision, meaning: ParamMeaning::Contact, ..SHARE };
    /// Radius of the ball at the tip that meets colliders, in metres, times the component's scale; planes ignore it.
    RADIUS = "m_Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Factor on the force at this joint; only the clone by seinocat has it, as a curve.
    FORCE_SHARE = "m_ForceCurve" "Force share" { default: 1.0, meaning: ParamMeaning::Switch, extension: true, ..SHARE.unbounded() };
    GRAVITY: Vector = "m_Gravity" { ..ACCELERATION } [
        /// Sideways part of gravity in the world, in m per step²; what of it pulls along the rest pose is left out.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Upward part of gravity in the world, in m per step²; what of it pulls along the rest pose is left out.
        y "Gravity Y",
        /// Part of gravity along Z in the world, in m per step²; what of it pulls along the rest pose is left out.
        z "Gravity Z",
    ];
    FORCE: Vector = "m_Force" { ..ACCELERATION } [
        /// Sideways part of a steady pull in the world, in m per step²; -0.002725 is 9.81 m/s² at 60 steps per second.
        x "Force X" { mirror: MirrorRule::Negate },
        /// Upward part of a steady pull in the world, in m per step²; -0.002725 is 9.81 m/s² at 60 steps per second.
        y "Force Y",
        /// Part of a steady pull along Z in the world, in m per step²; 0.002725 is 9.81 m/s² at 60 steps per second.
        z "Force Z",
    ];
    /// Steps per second that the numbers are meant for, in Hz; 0 takes one step in every frame whatever it lasts.
    UPDATE_RATE = "m_UpdateRate" "Update rate" {
        unit: Unit::PerSecond, soft_range: (0.0, 120.0), default: 60.0, ..CLOCK
    };
    /// Default takes one step per frame and scales pulls by its length in steps; the others keep the update rate and
    /// move alike here.
    UPDATE_MODE = "m_UpdateMode" "Update mode" { default: 3.0, ..CLOCK.choice(UPDATE_MODES) };
    /// Steps that one frame catches up at most, as a count; then the time left is dropped. The code that is known takes
    /// 3.
    MAX_STEPS = "mostSteps" "Most steps" {
        kind: ParamKind::Integer, range: (1.0, 60.0), soft_range: (1.0, 10.0), default: 3.0, extension: true, ..CLOCK
    };
    /// Narrows the range that stiffness leaves, 0 to 1; at 0 the pose stands still and tips start anew afterwards.
    BLEND_WEIGHT = "m_BlendWeight" "Blend weight" { default: 1.0, meaning: ParamMeaning::Limit, ..SYSTEM.fraction() };
    /// Keeps every tip in the plane through its head that stands across this axis of the animated bone.
    FREEZE_AXIS = "m_FreezeAxis" "Freeze axis" { ..SWITCH.choice(FREEZE_AXES) };
    /// Gives last bones a virtual tip so many of their own lengths further on; 0 gives none.
    END_LENGTH = "m_EndLength" "End length" { soft_range: (0.0, 2.0), invalidates: Invalidates::Topology, ..SWITCH };
    END_OFFSET: Vector = "m_EndOffset" { ..TOPOLOGY } [
        /// Where last bones have a virtual tip along the component's X, in metres; it counts where the end length is 0.
        x "End offset X" { mirror: MirrorRule::Negate },
        /// Where last bones have a virtual tip along the component's Y, in metres; it counts where the end length is 0.
        y "End offset Y",
        /// Where last bones have a virtual tip along the component's Z, in metres; it counts where the end length is 0.
        z "End offset Z",
    ];
    /// Lets the component rest while it is far from its reference bone, or from the viewer; coming near starts tips
    /// anew.
    DISTANT_DISABLE = "m_DistantDisable" "Rest far away" { ..SWITCH.toggle() };
    /// How far the component may be before it rests, in metres.
    DISTANCE_TO_OBJECT = "m_DistanceToObject" "Distance" {
        unit: Unit::Metres, soft_range: (0.0, 50.0), default: 20.0, ..SWITCH
    };
    /// Moves as the asset does, or as a public clone with its faults, whose own defaults are inert 0.5 and friction
    /// 0.1.
    RUN_AS = "runAs" "Run as" { extension: true, ..TOPOLOGY.choice(IMPLEMENTATIONS) };
}
