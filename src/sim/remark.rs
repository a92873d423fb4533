//! Why a parameter has no effect: the answers of a solver, and the questions that it asks to find them.

use crate::schema::Row;

/// Why a value has no effect, or another effect than its name suggests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remark {
    /// A value is out of this range.
    OutOfRange([f32; 2]),
    /// No wind blows.
    NoWind,
    /// The character's switch for angle limits is off.
    LimitsSwitchedOff,
    /// The limits' own switch is off.
    LimitOff,
    /// None of the targets' limits is on.
    NoLimitOn,
    /// The joints have no pivot to measure angles in.
    NoPivot,
    /// Both ends of the limits are in the range in which the engine folds angles back.
    Folded,
    /// One end of the limits is in that range.
    EndFolded,
    /// Both ends are 0.
    Pinned,
    /// A step corrects more than the whole angle from this value on.
    Overshoots(f32),
    /// Acts only on bones that a script flags as animated.
    OnlyFlagged,
    /// Colliders and ground are off.
    NothingToHit,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// No group of the chain has a collider.
    NoGroupAssigned,
    /// No joint of the character can touch a collider.
    NothingCollides,
    /// Contacts that keep less than this speed stick, m/s.
    SlowSticks(f32),
    /// The ground is off.
    GroundOff,
    /// A bone is scaled by this factor, which the rules of 1.1 ignore.
    ScaleForgotten(f32),
    /// Both rules have the same result.
    NothingScaled,
    /// No target keeps its distance to anything.
    NoLengthTarget,
    /// The character's switch for length limits is off.
    LengthsSwitchedOff,
    /// The engine uses its own constant, which removes this share of the error in a step.
    WeakLengths(f32),
    /// Acts only while the solver is improved.
    OnlyImproved,
    /// The switch of the parameter is off.
    SwitchOff(Row),
    /// This switch, which is on, has the same effect.
    Overruled(Row),
    /// The bones have another shape.
    OtherShape,
    /// Tips stay where they are in the world.
    Frozen,
    /// A script has to take the steps.
    ProgramSteps,
    /// The players' frame rate multiplies the speed of time by this factor.
    Pace(f32),
    /// The file has one value for all joints of a chain, and the joints here differ.
    OnePerChain,
    /// The same, and a single joint is tuned.
    OnePerChainTuned,
}

impl Remark {
    /// Whether the value acts nevertheless.
    pub const fn acts(self) -> bool {
        matches!(
            self,
            Self::OutOfRange(_)
                | Self::EndFolded
                | Self::Pinned
                | Self::Overshoots(_)
                | Self::SlowSticks(_)
                | Self::ScaleForgotten(_)
                | Self::Frozen
                | Self::Pace(_)
                | Self::OnePerChain
                | Self::OnePerChainTuned
        )
    }
}

/// What a joint can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointPart {
    /// A frame for its angle limits.
    Pivot,
    /// A collider of its own.
    Colliders,
    /// A node that its tip keeps a distance to.
    LengthTargets,
    /// The engine's flag of a bone that animation moves.
    AnimatedFlag,
}

/// The tuned joints and their system, as a solver reads them to find a [`Remark`].
pub trait TunedJoints {
    /// A value of the system.
    fn system_value(&self, row: Row) -> f32;
    /// The greatest absolute value of a row among the tuned chains and joints; 0 without any.
    fn greatest(&self, row: Row) -> f32;
    /// Whether the value of a tuned joint passes a test.
    fn any_value(&self, row: Row, test: impl Fn(f32) -> bool) -> bool;
    /// Whether a tuned joint has a part.
    fn any_tuned_with(&self, part: JointPart) -> bool;
    /// Whether any joint of the character has a part.
    fn any_joint_with(&self, part: JointPart) -> bool;
    /// Whether a wind of the character acts.
    fn wind_blows(&self) -> bool;
    /// Scale of the first tuned bone whose scale in the world is not 1.
    fn scale(&self) -> Option<f32>;
    /// Whether the scale of some bone of the character is not 1.
    fn any_bone_is_scaled(&self) -> bool;
    /// Length of a step, seconds.
    fn step_seconds(&self) -> f32;
    /// The speed of time on the players' screens, 1 for the right one.
    fn pace(&self) -> f32;
}
