//! The parameter table. `angle`, `velocity`, `relativeCenter` and `restitution` are the article's names.

use crate::params::{MirrorRule, ParamDef, ParamGroup, ParamMeaning, ParamScope, SliderScale, Unit, params};
use crate::sim::SolverKind;

/// As far as the article's handle turns either way, degrees.
const DEFAULT_LIMIT_DEG: f32 = 135.803;

const JOINT: ParamDef = ParamDef { owner: SolverKind::Hinge.key(), ..ParamDef::PLAIN };
const UNBOUNDED: ParamDef = JOINT.unbounded();
const AXIS: ParamDef =
    ParamDef { soft_range: (-1.0, 1.0), mirror: MirrorRule::Negate, meaning: ParamMeaning::Limit, ..UNBOUNDED };
const CENTER: ParamDef = ParamDef {
    unit: Unit::Metres,
    soft_range: (-0.3, 0.3),
    meaning: ParamMeaning::Gravity,
    group: ParamGroup::World,
    ..UNBOUNDED
};
const DEGREES: ParamDef = ParamDef {
    group: ParamGroup::AngleLimits,
    range: (-3600.0, 3600.0),
    soft_range: (-180.0, 180.0),
    meaning: ParamMeaning::Limit,
    ..JOINT.degrees()
};
const SYSTEM: ParamDef =
    ParamDef { scope: ParamScope::System, group: ParamGroup::Switches, meaning: ParamMeaning::Switch, ..JOINT };

/// The choices of [`VARIANT`].
pub const VARIANTS: &[&str] = &["Gravity only", "Full", "Bonus"];
/// The choices of [`START`].
pub const START_CHOICES: &[&str] = &["At the rest angle", "At the start angle", "At the upper limit"];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    HINGE_AXIS: Vector = "axis" { ..AXIS } [
        /// The axis that the bone turns about, in its own space; the article's handle turns about X.
        x "Axis X" { default: 1.0, mirror: MirrorRule::Same },
        /// Part of the axis along the bone's own Y; the article's handle has none.
        y "Axis Y",
        /// Part of the axis along the bone's own Z; the article's handle has none.
        z "Axis Z",
    ];
    /// Where the spring pulls to, in degrees from the animated pose; the article has no spring.
    REST_ANGLE = "restAngle" "Rest angle" { ..DEGREES };
    /// As far as it turns one way, in degrees; the article's handle stops at 135.803. Gravity only knows no limits.
    MIN_ANGLE = "minAngle" "Lower limit" { default: -DEFAULT_LIMIT_DEG, ..DEGREES };
    /// As far as it turns the other way, in degrees; the article's handle stops at 135.803. Gravity only knows no
    /// limits.
    MAX_ANGLE = "maxAngle" "Upper limit" { default: DEFAULT_LIMIT_DEG, ..DEGREES };
    CENTER_OF_MASS: Vector = "relativeCenter" { ..CENTER } [
        /// Where the mass sits to the side in bone space, in metres.
        x "Centre of mass X" { mirror: MirrorRule::Negate },
        /// Where the mass sits along Y in bone space, in metres; farther out swings more slowly.
        y "Centre of mass Y" { default: 0.19 },
        /// Where the mass sits along Z in bone space, in metres.
        z "Centre of mass Z",
    ];
    /// Share of gravity that acts on the bone; the article takes all of it.
    GRAVITY_SCALE = "gravityScale" "Gravity share" {
        group: ParamGroup::World, unit: Unit::Fraction, soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..UNBOUNDED
    };
    /// Share of the body's motion that the bone feels; the article takes all of it.
    INERTIA_SCALE = "inertiaScale" "Inertia share" {
        group: ParamGroup::World, unit: Unit::Fraction, soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..UNBOUNDED
    };
    /// Share of the speed that comes back from a limit, 0 to 1.
    RESTITUTION = "restitution" "Bounce" {
        group: ParamGroup::AngleLimits, unit: Unit::Fraction, default: 0.5, meaning: ParamMeaning::Contact, ..JOINT
    };
    /// Share of the speed lost in a second, in 1/s; the article has none.
    DAMPING = "damping" "Damping" {
        unit: Unit::PerSecond, soft_range: (0.0, 20.0), scale: SliderScale::Logarithmic, meaning: ParamMeaning::Drag, ..JOINT
    };
    /// Pull to the rest angle for each degree off it, in 1/s²; the article has none.
    SPRING = "spring" "Spring" {
        unit: Unit::PerSecondSquared, soft_range: (0.0, 1000.0), scale: SliderScale::Logarithmic, ..JOINT
    };
    /// Where it starts if it starts at its start angle, in degrees.
    ANGLE = "angle" "Start angle" { group: ParamGroup::Time, default: DEFAULT_LIMIT_DEG, meaning: ParamMeaning::Time, ..DEGREES };
    /// How fast it turns when it starts, in degrees per second.
    VELOCITY = "velocity" "Start speed" {
        group: ParamGroup::Time, unit: Unit::AngularSpeed, soft_range: (-720.0, 720.0), meaning: ParamMeaning::Time, ..UNBOUNDED
    };
    /// Which of the article's listings moves it: gravity alone, the body's motion too, or the author's own first.
    VARIANT = "variant" "Listing" { default: 1.0, ..SYSTEM.choice(VARIANTS) };
    /// Counts radians as radians, and the body's acceleration as what it is; the article is 57 times too weak.
    PHYSICAL = "physical" "Physical" { extension: true, ..SYSTEM.toggle() };
    /// Pull down in the world, in m/s².
    GRAVITY = "gravity" "Gravity" {
        group: ParamGroup::World, unit: Unit::Acceleration, soft_range: (0.0, 20.0), default: 9.8, meaning: ParamMeaning::Gravity,
        ..SYSTEM.unbounded()
    };
    /// Where joints begin, and return to on a reset; the article begins at the upper limit.
    START = "start" "Start" { group: ParamGroup::Time, extension: true, ..SYSTEM.choice(START_CHOICES) };
}
