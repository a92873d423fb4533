//! Warnings about parameters without effect: the answers of a solver, and the queries with which a solver finds them.

use crate::params::ParamId;

/// Why a value has no effect, or another effect than its name suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamWarning {
    /// A value is outside of this range.
    OutOfRange([f32; 2]),
    /// No wind is on.
    NoWind,
    /// The switch of the system for angle limits is off.
    AngleLimitsSwitchedOff,
    /// The switch of the limits is off.
    LimitOff,
    /// All limits of the selection are off.
    AllLimitsOff,
    /// The joints have no pivot.
    NoPivot,
    /// Both limits are in the range in which `UnityChanSpringBone` folds angles back.
    LimitsFolded,
    /// One limit is in the range in which `UnityChanSpringBone` folds angles back.
    LimitEndFolded,
    /// Both limits are 0.
    LimitsAreZero,
    /// From this value on, a step corrects more than the whole angle.
    Overshoots(f32),
    /// Only bones that a script flags as animated use the value.
    AnimatedBonesOnly,
    /// Colliders and ground are off.
    CollisionOff,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// No collider group of the chain has a collider.
    NoColliderInGroups,
    /// No joint of the character collides.
    NoJointCollides,
    /// Contacts slower than this speed stick, m/s.
    SlowContactsStick(f32),
    /// The ground is off.
    GroundOff,
    /// A bone is scaled by this factor, which release 1.1 ignores.
    ScaleIgnored(f32),
    /// Both choices have the same result.
    NoScaledBone,
    /// No joint has a length target.
    NoLengthTarget,
    /// The switch of the system for length limits is off.
    LengthLimitsSwitchedOff,
    /// `UnityChanSpringBone` uses a fixed constant, which removes this share of the error per step.
    WeakLengthLimits(f32),
    /// Only the improved mode uses the value.
    ImprovedModeOnly,
    /// The switch of the parameter is off.
    SwitchOff(ParamId),
    /// Another switch that is on has the same effect.
    SameEffectAs(ParamId),
    /// The value belongs to another bone shape.
    BoneShapeDiffers,
    /// Tips keep their world position, so the value has no effect.
    TipsFrozenInWorld,
    /// Only a script performs steps.
    SteppedByScript,
    /// The frame rate of the players scales time by this factor.
    TimeScaled(f32),
    /// The file stores one value per chain, and the joints differ.
    OneValuePerChain,
    /// The file stores one value per chain, the joints differ, and a single joint is selected.
    OneValuePerChainTuned,
}

impl ParamWarning {
    /// Whether the value has an effect despite the warning.
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

/// Features of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointFeature {
    /// A reference frame of angle limits.
    Pivot,
    /// Assigned colliders.
    Colliders,
    /// Length targets.
    LengthTargets,
    /// The flag of bones that animation moves.
    AnimatedFlag,
}

/// The selected joints and their system, as a solver queries them to find a [`ParamWarning`].
pub trait TunedJoints {
    /// A value of the system.
    fn system_value(&self, row: ParamId) -> f32;
    /// The largest absolute value among the selected chains and joints; 0 without any.
    fn max_abs_value(&self, row: ParamId) -> f32;
    /// Whether the value of a selected joint passes a test.
    fn any_value(&self, row: ParamId, test: impl Fn(f32) -> bool) -> bool;
    /// Whether a selected joint has a feature.
    fn any_tuned_joint_with(&self, feature: JointFeature) -> bool;
    /// Whether any joint of the character has a feature.
    fn any_joint_with(&self, feature: JointFeature) -> bool;
    /// Whether a wind of the character is on.
    fn wind_blows(&self) -> bool;
    /// World scale of the first selected bone whose scale is not 1.
    fn first_bone_scale(&self) -> Option<f32>;
    /// Whether any bone of the character has a scale other than 1.
    fn any_bone_is_scaled(&self) -> bool;
    /// Length of a step, seconds.
    fn step_seconds(&self) -> f32;
    /// Time scale on the screens of the players; 1 is correct.
    fn time_scale(&self) -> f32;
}
