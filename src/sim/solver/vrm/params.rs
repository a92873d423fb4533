//! The parameter table of [`Vrm`](super::Vrm).
//!
//! Names and defaults are those of `VRMC_springBone` 1.0; 0.x has the same numbers under nearly the same names.

use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamMeaning, ParamScope, SliderScale, Unit, params,
};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::Vrm.key(), curve: true, ..ParamDef::PLAIN };
const SPEED: ParamDef = ParamDef { unit: Unit::Speed, soft_range: (0.0, 4.0), ..JOINT };
const DIRECTION: ParamDef =
    ParamDef { soft_range: (-1.0, 1.0), curve: false, meaning: ParamMeaning::Gravity, ..JOINT.unbounded() };
const SYSTEM: ParamDef =
    ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, extension: true, ..JOINT };

/// The choices of [`VERSION`].
pub const VERSIONS: &[&str] = &["VRM 1.0", "VRM 0.x"];
/// The choices of [`PREVIEW_AS`].
pub const RUNTIMES: &[&str] = &["Specification", "UniVRM", "three-vrm"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Pull back to the rest direction, in m/s; it feels stiffer on shorter bones.
    STIFFNESS = "stiffness" "Stiffness" { default: 1.0, ..SPEED };
    /// Steady pull along the gravity direction, in m/s.
    GRAVITY_POWER = "gravityPower" "Gravity" {
        unit: Unit::Speed, soft_range: (0.0, 2.0), meaning: ParamMeaning::Gravity, ..JOINT
    };
    GRAVITY_DIR: Vector = "gravityDir" { ..DIRECTION } [
        /// Where gravity pulls to the side, in the world; a direction longer than 1 pulls harder.
        x "Direction X" { mirror: MirrorRule::Negate },
        /// Where gravity pulls upwards, in the world; -1 pulls down.
        y "Direction Y" { default: -1.0 },
        /// Where gravity pulls along Z, in the world; a direction longer than 1 pulls harder.
        z "Direction Z",
    ];
    /// Share of the speed lost in every step, 0 to 1; it depends on the steps per second.
    DRAG = "dragForce" "Drag" { default: 0.5, meaning: ParamMeaning::Drag, ..JOINT.fraction() };
    /// Radius of the ball at the tip that meets colliders, in metres.
    HIT_RADIUS = "hitRadius" "Hit radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, soft_range: (0.0, 0.2), scale: SliderScale::Logarithmic,
        meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Which VRM the springs are written for; UniVRM lets hit radii follow scale in 0.x only.
    VERSION = "version" "Version" { meaning: ParamMeaning::Switch, ..SYSTEM.choice(VERSIONS) };
    /// Moves as the specification says, or as a runtime does where it differs; the file does not change.
    PREVIEW_AS = "previewAs" "Preview as" { invalidates: Invalidates::Topology, meaning: ParamMeaning::Switch, ..SYSTEM.choice(RUNTIMES) };
    /// Factor on stiffness, gravity and all radii, for a character that its program scales; 1 changes nothing.
    MODEL_SCALE = "modelScale" "Model scale" {
        soft_range: (0.01, 100.0), scale: SliderScale::Logarithmic, default: 1.0, meaning: ParamMeaning::Radius, ..SYSTEM
    };
}
