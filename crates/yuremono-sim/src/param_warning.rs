//! Warnings about parameters without effect, and the queries by which a solver detects them.

use crate::params::ParamId;

/// Why a value has no effect, or an effect that its name does not suggest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamWarning {
    /// A value is outside this range.
    OutOfRange([f32; 2]),
    /// No wind is enabled.
    NoWind,
    /// The system's switch for angle limits is off.
    AngleLimitsSwitchedOff,
    /// The limit's own switch is off.
    LimitOff,
    /// All limits of the selected joints are off.
    AllLimitsOff,
    /// The selected joints have no pivot.
    NoPivot,
    /// Both limits are in the range in which `UnityChanSpringBone` folds angles back.
    LimitsFolded,
    /// One limit is in the range in which `UnityChanSpringBone` folds angles back.
    LimitEndFolded,
    /// Both limits are 0.
    LimitsAreZero,
    /// Values from this one on make a step correct by more than the whole angle.
    Overshoots(f32),
    /// The value affects only bones that a script flags as animated.
    AnimatedBonesOnly,
    /// Colliders and ground are off.
    CollisionOff,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// The collider groups of the chain contain no collider.
    NoColliderInGroups,
    /// No joint of the character collides.
    NoJointCollides,
    /// Contacts below this speed stick, in m/s.
    SlowContactsStick(f32),
    /// The ground is off.
    GroundOff,
    /// A bone is scaled by this factor, which `UnityChanSpringBone` 1.1 ignores.
    ScaleIgnored(f32),
    /// Both choices have the same result.
    NoScaledBone,
    /// No joint has a length target.
    NoLengthTarget,
    /// The system's switch for length limits is off.
    LengthLimitsSwitchedOff,
    /// `UnityChanSpringBone` uses a fixed constant, which removes only this share of the error per step.
    WeakLengthLimits(f32),
    /// Only the improved mode uses the value.
    ImprovedModeOnly,
    /// The switch of the parameter is off.
    SwitchOff(ParamId),
    /// Another enabled switch has the same effect.
    SameEffectAs(ParamId),
    /// The value applies only to a different bone shape.
    BoneShapeDiffers,
    /// Tips keep their world position, so the value has no effect.
    TipsFrozenInWorld,
    /// Only a script triggers steps.
    SteppedByScript,
    /// The frame rate of the players scales time by this factor.
    TimeScaled(f32),
    /// The file stores one value per chain, but the joints have different values.
    OneValuePerChain,
    /// The file stores one value per chain, but a single joint is selected.
    OneValuePerChainTuned,
}

impl ParamWarning {
    /// Returns whether the value has an effect despite the warning.
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

/// Something that a joint can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointFeature {
    /// A pivot, from which angle limits are measured.
    Pivot,
    /// Assigned colliders.
    Colliders,
    /// Length targets.
    LengthTargets,
    /// The flag for bones that animation moves.
    AnimatedFlag,
}

/// The selected joints and their system, as a solver queries them to detect a [`ParamWarning`].
pub trait TunedJoints {
    /// Returns a value of the system.
    fn system_value(&self, param: ParamId) -> f32;
    /// Returns the largest absolute value among the selected chains and joints; 0 if there are none.
    fn max_abs_value(&self, param: ParamId) -> f32;
    /// Returns whether the value of any selected joint passes a test.
    fn any_value(&self, param: ParamId, test: impl Fn(f32) -> bool) -> bool;
    /// Returns whether any selected joint has a feature.
    fn any_tuned_joint_with(&self, feature: JointFeature) -> bool;
    /// Returns whether any joint of the character has a feature.
    fn any_joint_with(&self, feature: JointFeature) -> bool;
    /// Returns whether any wind of the character is enabled.
    fn wind_blows(&self) -> bool;
    /// Returns the world scale of the first selected bone whose scale is not 1.
    fn first_bone_scale(&self) -> Option<f32>;
    /// Returns whether any bone of the character has a scale other than 1.
    fn any_bone_is_scaled(&self) -> bool;
    /// Returns the length of a step, in seconds.
    fn step_seconds(&self) -> f32;
    /// Returns how fast time passes for players; 1 is real time.
    fn time_scale(&self) -> f32;
}
