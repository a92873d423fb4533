//! Why a parameter has no effect: the answers of a solver, and the questions that it asks to find them.

use crate::params::ParamId;

/// Why a value has no effect, or another effect than its name suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamWarning {
    /// A value is out of this range.
    OutOfRange([f32; 2]),
    /// No wind blows.
    NoWind,
    /// The character's switch for angle limits is off.
    AngleLimitsSwitchedOff,
    /// The limits' own switch is off.
    LimitOff,
    /// None of the targets' limits is on.
    AllLimitsOff,
    /// The joints have no pivot to measure angles in.
    NoPivot,
    /// Both ends of the limits are in the range in which the engine folds angles back.
    LimitsFolded,
    /// One end of the limits is in that range.
    LimitEndFolded,
    /// Both ends are 0.
    LimitsAreZero,
    /// A step corrects more than the whole angle from this value on.
    Overshoots(f32),
    /// Acts only on bones that a script flags as animated.
    AnimatedBonesOnly,
    /// Colliders and ground are off.
    CollisionOff,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// No group of the chain has a collider.
    NoColliderInGroups,
    /// No joint of the character can touch a collider.
    NoJointCollides,
    /// Contacts that keep less than this speed stick, m/s.
    SlowContactsStick(f32),
    /// The ground is off.
    GroundOff,
    /// A bone is scaled by this factor, which the rules of 1.1 ignore.
    ScaleIgnored(f32),
    /// Both rules have the same result.
    NoScaledBone,
    /// No target keeps its distance to anything.
    NoLengthTarget,
    /// The character's switch for length limits is off.
    LengthLimitsSwitchedOff,
    /// The engine uses its own constant, which removes this share of the error in a step.
    WeakLengthLimits(f32),
    /// Acts only while the solver is improved.
    ImprovedModeOnly,
    /// The switch of the parameter is off.
    SwitchOff(ParamId),
    /// This switch, which is on, has the same effect.
    SameEffectAs(ParamId),
    /// The bones have another shape.
    BoneShapeDiffers,
    /// Tips stay where they are in the world.
    TipsFrozenInWorld,
    /// A script has to take the steps.
    SteppedByScript,
    /// The players' frame rate multiplies the speed of time by this factor.
    TimeScaled(f32),
    /// The file has one value for all joints of a chain, and the joints here differ.
    OneValuePerChain,
    /// The same, and a single joint is tuned.
    OneValuePerChainTuned,
}

impl ParamWarning {
    /// Whether the value acts nevertheless.
    pub const fn has_effect(self) -> bool {
        matches!(
            self,
            Self::OutOfRange(_)
                | Self::LimitEndFolded
                | Self::LimitsAreZero
                | Self::Overshoots(_)
                | Self::SlowContactsStick(_)
                | Self::ScaleIgnored(_)
                | Self::TipsFrozenInWorld
                | Self::TimeScaled(_)
                | Self::OneValuePerChain
                | Self::OneValuePerChainTuned
        )
    }
}

/// What a joint can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointFeature {
    /// A frame for its angle limits.
    Pivot,
    /// A collider of its own.
    Colliders,
    /// A node that its tip keeps a distance to.
    LengthTargets,
    /// The engine's flag of a bone that animation moves.
    AnimatedFlag,
}

/// The tuned joints and their system, as a solver reads them to find a [`ParamWarning`].
pub trait TunedJoints {
    /// A value of the system.
    fn system_value(&self, row: ParamId) -> f32;
    /// The greatest absolute value of a row among the tuned chains and joints; 0 without any.
    fn max_abs_value(&self, row: ParamId) -> f32;
    /// Whether the value of a tuned joint passes a test.
    fn any_value(&self, row: ParamId, test: impl Fn(f32) -> bool) -> bool;
    /// Whether a tuned joint has a part.
    fn any_tuned_joint_with(&self, part: JointFeature) -> bool;
    /// Whether any joint of the character has a part.
    fn any_joint_with(&self, part: JointFeature) -> bool;
    /// Whether a wind of the character acts.
    fn wind_blows(&self) -> bool;
    /// Scale of the first tuned bone whose scale in the world is not 1.
    fn first_bone_scale(&self) -> Option<f32>;
    /// Whether the scale of some bone of the character is not 1.
    fn any_bone_is_scaled(&self) -> bool;
    /// Length of a step, seconds.
    fn step_seconds(&self) -> f32;
    /// The speed of time on the players' screens, 1 for the right one.
    fn time_scale(&self) -> f32;
}
