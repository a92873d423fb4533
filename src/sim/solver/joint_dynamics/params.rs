//! The parameter table of `SPCRJointDynamics`, names and defaults of version 2.0.11.
//!
//! What the engine evaluates over depth is one row with a curve: base times distribution. Its default curves are in
//! [`DEFAULT_CURVES`]; a row alone has one default, which is their middle.

use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, Unit, params,
};
use crate::sim::SolverKind;

const JOINT: ParamDef = ParamDef { owner: SolverKind::JointDynamics.key(), curve: true, ..ParamDef::PLAIN };
const POWER: ParamDef = ParamDef { group: ParamGroup::LengthLimits, meaning: ParamMeaning::Limit, ..JOINT.fraction() };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, group: ParamGroup::World, curve: false, ..JOINT };
const CLOCK: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };
const ACCELERATION: ParamDef = ParamDef {
    unit: Unit::Acceleration,
    soft_range: (-20.0, 20.0),
    meaning: ParamMeaning::Gravity,
    ..SYSTEM.unbounded()
};
const TOGGLE: ParamDef = ParamDef { meaning: ParamMeaning::Switch, ..SYSTEM.toggle() };
const TOPOLOGY: ParamDef = ParamDef { group: ParamGroup::Switches, invalidates: Invalidates::Topology, ..TOGGLE };
const IMPROVEMENT: ParamDef = ParamDef { group: ParamGroup::Improved, extension: true, ..TOGGLE };

/// The engine's default curves that are not level: value at the root and at the last depth, eased between (two keys with
/// level slopes), over the count of depths.
pub const DEFAULT_CURVES: &[(ParamId, [f32; 2])] = &[
    (RESISTANCE, [1.0, 5.0]),
    (HARDNESS, [5.0, 0.1]),
    (ALL_SHRINK, [0.8, 0.7]),
    (ALL_STRETCH, [0.8, 0.7]),
    (WAVE_POWER, [0.0, 1.0]),
    (WAVE_FREQUENCY, [0.0, 2.0]),
    (LIMIT_POWER, [1.0, 0.0]),
];

params! {
    /// Every parameter of the solver, in the order in which artists see them.
    pub const PARAMS;

    /// Speed lost in every step, in percent; the engine's own curve eases from 1 at the root to 5 at the last depth.
    RESISTANCE = "_ResistanceCurve" "Resistance" {
        range: (0.0, 100.0), soft_range: (0.0, 20.0), default: 3.0, meaning: ParamMeaning::Drag, ..JOINT
    };
    /// Share of the way back to the animated position taken in every step, in percent; the engine's own curve eases
    /// from 5 to 0.1.
    HARDNESS = "_HardnessCurve" "Hardness" { range: (0.0, 100.0), soft_range: (0.0, 20.0), default: 2.55, ..JOINT };
    /// Factor on the point's mass, which only divides the wind; at least 0.01 remains.
    MASS_SCALE = "_MassScaleCurve" "Mass scale" { soft_range: (0.1, 5.0), default: 1.0, meaning: ParamMeaning::Switch, ..JOINT };
    /// Factor on the system's gravity.
    GRAVITY_SCALE = "_GravityScaleCurve" "Gravity scale" {
        range: (-100.0, 100.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Gravity, ..JOINT
    };
    /// Factor on the wind; the engine multiplies it by the point's depth as well, so that roots feel none.
    WIND_SCALE = "_WindForceScaleCurve" "Wind scale" {
        range: (-100.0, 100.0), soft_range: (0.0, 2.0), default: 1.0, meaning: ParamMeaning::Wind, ..JOINT
    };
    /// How much a touch slows the next step: a factor on the friction of what was touched.
    FRICTION = "_FrictionCurve" "Friction" { group: ParamGroup::Collision, default: 0.7, meaning: ParamMeaning::Contact, ..JOINT };
    /// How much longer horizontal, shear and horizontal bending links may grow before they pull, in metres.
    SLIDER_LENGTH = "_SliderJointLengthCurve" "Slack" {
        group: ParamGroup::LengthLimits, unit: Unit::Metres, soft_range: (0.0, 0.1), meaning: ParamMeaning::Limit, ..JOINT
    };
    /// How strongly links that are too long are shortened, 0 to 1, where a kind takes the shared value; the engine's
    /// own curve eases from 0.8 to 0.7.
    ALL_SHRINK = "_AllShrink" "Shared shrink" { default: 0.75, ..POWER };
    /// How strongly links that are too short are lengthened, 0 to 1, where a kind takes the shared value; the engine's
    /// own curve eases from 0.8 to 0.7.
    ALL_STRETCH = "_AllStretch" "Shared stretch" { default: 0.75, ..POWER };
    /// Rows of the shrink strengths, in the order of [`LinkKind`](crate::sim::LinkKind).
    SHRINK: [5] = { default: 1.0, ..POWER } [
        /// How strongly vertical links (parent to child) are shortened, 0 to 1, where they do not take the shared
        /// value.
        "_StructuralShrinkVertical" "Vertical shrink",
        /// How strongly horizontal links (neighbouring columns) are shortened, 0 to 1, where they do not take the
        /// shared value.
        "_StructuralShrinkHorizontal" "Horizontal shrink",
        /// How strongly shear links (diagonals) are shortened, 0 to 1, where they do not take the shared value.
        "_ShearShrink" "Shear shrink",
        /// How strongly vertical bending links (to the grandchild) are shortened, 0 to 1, where they do not take the
        /// shared value.
        "_BendingShrinkVertical" "Vert. bend shrink",
        /// How strongly horizontal bending links (to the column after next) are shortened, 0 to 1, where they do not
        /// take the shared value.
        "_BendingShrinkHorizontal" "Hor. bend shrink",
    ];
    /// Rows of the stretch strengths, in the order of [`LinkKind`](crate::sim::LinkKind).
    STRETCH: [5] = { default: 1.0, ..POWER } [
        /// How strongly vertical links (parent to child) are lengthened, 0 to 1, where they do not take the shared
        /// value.
        "_StructuralStretchVertical" "Vertical stretch",
        /// How strongly horizontal links (neighbouring columns) are lengthened, 0 to 1, where they do not take the
        /// shared value.
        "_StructuralStretchHorizontal" "Horizontal stretch",
        /// How strongly shear links (diagonals) are lengthened, 0 to 1, where they do not take the shared value.
        "_ShearStretch" "Shear stretch",
        /// How strongly vertical bending links (to the grandchild) are lengthened, 0 to 1, where they do not take the
        /// shared value.
        "_BendingStretchVertical" "Vert. bend stretch",
        /// How strongly horizontal bending links (to the column after next) are lengthened, 0 to 1, where they do not
        /// take the shared value.
        "_BendingStretchHorizontal" "Hor. bend stretch",
    ];
    /// Share of the fake wave's height at this depth; the engine's own curve eases from 0 to 1, and only the last
    /// points of columns show it.
    WAVE_POWER = "_FakeWavePowerCurve" "Wave share" { group: ParamGroup::World, default: 1.0, meaning: ParamMeaning::Switch, ..JOINT };
    /// How far the fake wave runs on from one column's end to the next, in radians; the engine's own curve eases from 0
    /// to 2.
    WAVE_FREQUENCY = "_FakeWaveFreqCurve" "Wave offset" {
        group: ParamGroup::World, soft_range: (0.0, 6.0), default: 2.0, meaning: ParamMeaning::Switch, ..JOINT.unbounded()
    };
    /// Share of the way back into the angle limit, 0 to 1; the engine has this curve but never reads it, so that it
    /// acts only with its improvement on.
    LIMIT_POWER = "_LimitPowerCurve" "Limit power" {
        group: ParamGroup::AngleLimits, range: (0.0, 1.0), default: 1.0, meaning: ParamMeaning::Limit, ..JOINT
    };
    /// Steps per second that the engine aims at; a step really lasts 1/(rate+1) seconds.
    RATE = "_StabilizationFrameRate" "Frame rate" {
        kind: ParamKind::Integer, unit: Unit::PerSecond, range: (1.0, 1000.0), soft_range: (15.0, 240.0), default: 60.0,
        ..CLOCK
    };
    /// Into how many parts each step is divided.
    SUB_STEPS = "_SubSteps" "Substeps" {
        kind: ParamKind::Integer, range: (1.0, 64.0), soft_range: (1.0, 8.0), default: 1.0, ..CLOCK
    };
    /// How often all links are gone through in each substep; more is stiffer.
    RELAXATION = "_Relaxation" "Relaxation" {
        kind: ParamKind::Integer, range: (0.0, 64.0), soft_range: (1.0, 16.0), default: 1.0, ..CLOCK
    };
    /// Factor on time for this system; 0 stops it.
    TIME_SCALE = "TimeScale" "Time scale" { range: (0.0, 10.0), soft_range: (0.0, 2.0), default: 1.0, ..CLOCK };
    /// Stops the physics; the points move along with the root as a whole.
    PAUSED = "_IsPaused" "Paused" { group: ParamGroup::Time, ..TOGGLE };
    GRAVITY: Vector = "_Gravity" { ..ACCELERATION } [
        /// Steady pull to the side in the world, in m/s²; the engine lets half of it act.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Steady pull upwards in the world, in m/s²; the engine lets half of it act.
        y "Gravity Y" { default: -9.8 },
        /// Steady pull along Z in the world, in m/s²; the engine lets half of it act.
        z "Gravity Z",
    ];
    WIND: Vector = "_WindForce" { meaning: ParamMeaning::Wind, ..ACCELERATION } [
        /// Steady wind to the side in the world, in m/s² for a mass of 1.
        x "Wind X" { mirror: MirrorRule::Negate },
        /// Steady wind upwards in the world, in m/s² for a mass of 1.
        y "Wind Y",
        /// Steady wind along Z in the world, in m/s² for a mass of 1.
        z "Wind Z",
    ];
    /// Root speed in m/s above which the rest of its movement carries all points along; below 0 there is no limit.
    SLIDE_LIMIT = "_RootSlideLimit" "Root slide limit" {
        unit: Unit::Speed, range: (-1.0, f32::MAX), soft_range: (-1.0, 20.0), default: 5.0, meaning: ParamMeaning::Limit, ..SYSTEM
    };
    /// Root turning speed in degrees per second above which the rest of its turn carries all points along; below 0
    /// there is no limit.
    ROTATE_LIMIT = "_RootRotateLimit" "Root turn limit" {
        unit: Unit::AngularSpeed, range: (-1.0, f32::MAX), soft_range: (-1.0, 1440.0), default: 540.0, meaning: ParamMeaning::Limit,
        ..SYSTEM
    };
    /// Upper bound of the shrink strength of horizontal, shear and horizontal bending links; below 0 there is none.
    SHRINK_LIMIT = "_ConstraintShrinkLimit" "Shrink limit" {
        group: ParamGroup::LengthLimits, range: (-1.0, f32::MAX), soft_range: (-1.0, 1.0), default: -1.0, meaning: ParamMeaning::Limit,
        ..SYSTEM
    };
    /// Share of the animated pose in what is shown, 0 to 1; it eases in and out.
    BLEND = "_BlendRatio" "Blend" { group: ParamGroup::Switches, ..TOGGLE.fraction() };
    /// Blend from which on colliders shrink to nothing; below it they grow back.
    RETURN_START = "_CollisionReturn_Start" "Collision return start" {
        group: ParamGroup::Collision, default: 0.5, meaning: ParamMeaning::Contact, ..SYSTEM.fraction()
    };
    /// Share of their radius by which colliders shrink or grow per second.
    RETURN_SPEED = "_CollisionReturn_Speed" "Collision return speed" {
        group: ParamGroup::Collision, soft_range: (0.0, 5.0), default: 0.5, meaning: ParamMeaning::Contact, ..SYSTEM
    };
    /// Lets the wind's power blend towards the animated pose.
    WIND_BLEND_ON = "_EnableWindForcePowerToAnimationBlendRatio" "Wind blends" { group: ParamGroup::Switches, ..TOGGLE };
    /// Value of the engine's curve at the present power of the wind, 0 to 1.
    WIND_BLEND = "_WindForcePowerToAnimationBlendRatioCurve" "Blend by wind" {
        group: ParamGroup::Switches, meaning: ParamMeaning::Wind, ..SYSTEM.fraction()
    };
    /// In the engine, scripts cannot reset the physics while this is on; Yuremono's own reset always works.
    CANCEL_RESET = "_IsCancelResetPhysics" "Ignore resets" { group: ParamGroup::Switches, ..TOGGLE };
    /// Seconds that the animated pose stays before the physics starts, after loading and after a reset.
    RESET_DELAY = "_ResetDelaySeconds" "Reset delay" {
        unit: Unit::Seconds, range: (0.0, 10.0), soft_range: (0.0, 2.0), ..CLOCK
    };
    /// Lets the last points of columns wave to and fro; only what is shown moves.
    WAVE = "_IsFakeWave" "Fake wave" { ..TOGGLE };
    /// How fast the fake wave runs, in radians per second.
    WAVE_SPEED = "_FakeWaveSpeed" "Wave speed" {
        soft_range: (0.0, 30.0), default: 10.0, meaning: ParamMeaning::Wind, ..SYSTEM.unbounded()
    };
    /// Height of the fake wave to either side, in metres.
    WAVE_HEIGHT = "_FakeWavePower" "Wave height" {
        unit: Unit::Metres, soft_range: (0.0, 0.2), default: 0.05, meaning: ParamMeaning::Wind, ..SYSTEM.unbounded()
    };
    /// Rows of the switches to the shared shrink strength, in the order of [`LinkKind`](crate::sim::LinkKind).
    ALL_SHRINK_ON: [5] = { group: ParamGroup::LengthLimits, default: 1.0, ..TOGGLE } [
        /// Takes the shared shrink value for vertical links (parent to child).
        "_IsAllStructuralShrinkVertical" "Shrink of vertical shared" { default: 0.0 },
        /// Takes the shared shrink value for horizontal links (neighbouring columns).
        "_IsAllStructuralShrinkHorizontal" "Shrink of horizontal shared",
        /// Takes the shared shrink value for shear links (diagonals).
        "_IsAllShearShrink" "Shrink of shear shared",
        /// Takes the shared shrink value for vertical bending links (to the grandchild).
        "_IsAllBendingShrinkVertical" "Shrink of vertical bending shared",
        /// Takes the shared shrink value for horizontal bending links (to the column after next).
        "_IsAllBendingShrinkHorizontal" "Shrink of horizontal bending shared",
    ];
    /// Rows of the switches to the shared stretch strength, in the order of [`LinkKind`](crate::sim::LinkKind).
    ALL_STRETCH_ON: [5] = { group: ParamGroup::LengthLimits, default: 1.0, ..TOGGLE } [
        /// Takes the shared stretch value for vertical links (parent to child).
        "_IsAllStructuralStretchVertical" "Stretch of vertical shared" { default: 0.0 },
        /// Takes the shared stretch value for horizontal links (neighbouring columns).
        "_IsAllStructuralStretchHorizontal" "Stretch of horizontal shared",
        /// Takes the shared stretch value for shear links (diagonals).
        "_IsAllShearStretch" "Stretch of shear shared",
        /// Takes the shared stretch value for vertical bending links (to the grandchild).
        "_IsAllBendingStretchVertical" "Stretch of vertical bending shared",
        /// Takes the shared stretch value for horizontal bending links (to the column after next).
        "_IsAllBendingStretchHorizontal" "Stretch of horizontal bending shared",
    ];
    /// Keeps each point within a cone about its parent's direction.
    USE_ANGLES = "_UseLimitAngles" "Angle limits" { group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, ..SYSTEM.toggle() };
    /// Half opening of that cone, in degrees; below 0 there is no limit.
    LIMIT_ANGLE = "_LimitAngle" "Largest angle" {
        group: ParamGroup::AngleLimits, range: (-1.0, 180.0), soft_range: (0.0, 180.0), default: -1.0, meaning: ParamMeaning::Limit,
        ..SYSTEM.degrees()
    };
    /// Measures the angle from the animated direction, not from the parent's present one.
    LIMIT_FROM_ROOT = "_LimitFromRoot" "From the pose" {
        group: ParamGroup::AngleLimits, meaning: ParamMeaning::Limit, ..SYSTEM.toggle()
    };
    /// Links the last column to the first, as in a skirt.
    LOOP = "_IsLoopRootPoints" "Close the ring" { ..TOPOLOGY };
    /// Rows of the switches of the links, in the order of [`LinkKind`](crate::sim::LinkKind).
    COMPUTE: [5] = { default: 1.0, ..TOPOLOGY } [
        /// Whether there are vertical links (parent to child).
        "_IsComputeStructuralVertical" "Use vertical links",
        /// Whether there are horizontal links (neighbouring columns).
        "_IsComputeStructuralHorizontal" "Use horizontal links",
        /// Whether there are shear links (diagonals).
        "_IsComputeShear" "Use shear links" { default: 0.0 },
        /// Whether there are vertical bending links (to the grandchild).
        "_IsComputeBendingVertical" "Use vertical bending links",
        /// Whether there are horizontal bending links (to the column after next).
        "_IsComputeBendingHorizontal" "Use horizontal bending links",
    ];
    /// Rows of the switches of the links' contact, in the order of [`LinkKind`](crate::sim::LinkKind).
    COLLIDE: [3] = { group: ParamGroup::Collision, default: 1.0, ..TOPOLOGY } [
        /// Whether vertical links (parent to child) and their ends meet colliders.
        "_IsCollideStructuralVertical" "Collide vertical links",
        /// Whether horizontal links (neighbouring columns) and their ends meet colliders.
        "_IsCollideStructuralHorizontal" "Collide horizontal links",
        /// Whether shear links (diagonals) and their ends meet colliders.
        "_IsCollideShear" "Collide shear links",
    ];
    /// Also pushes the triangles between columns out of colliders; vertical, horizontal and shear links then always
    /// collide.
    SURFACE = "_IsEnableSurfaceCollision" "Surface collision" { group: ParamGroup::Collision, ..TOPOLOGY };
    /// Lets gravity and wind act whole; the engine loses half of both.
    FULL_GRAVITY = "fullGravity" "Full gravity" { ..IMPROVEMENT };
    /// Makes a step last 1/rate seconds, so that frames of that rate get one step each instead of now and then two.
    EXACT_RATE = "evenSteps" "Even steps" { ..IMPROVEMENT };
    /// Pushes points out to the sum of both radii, also where a collider is thinner than 3.2 cm, and tapers inside
    /// capsules the right way round.
    ROUND_CONTACT = "roundContact" "Round contact" { ..IMPROVEMENT };
    /// Turns bones that are shorter than 3.2 cm, too.
    SHORT_BONES = "shortBones" "Turn short bones" { ..IMPROVEMENT };
    /// Applies angle limits before the pose is written; the engine shows them one frame late.
    LIMIT_SAME_FRAME = "limitNow" "Limits at once" { ..IMPROVEMENT };
    /// Lets the limit power act, which the engine never reads.
    APPLY_LIMIT_POWER = "readLimitPower" "Limit power acts" { ..IMPROVEMENT };
}
