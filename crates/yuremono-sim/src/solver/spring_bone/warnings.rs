//! Finds parameters that have no effect, with the reason, and lists the switches of the improvements.

use super::params::{
    ANGULAR_STIFFNESS, AUTOMATIC_UPDATES, BONE_SHAPE, BONE_SHAPES, BOUNCE, BOX_HALF, COLLIDE_WITH_GROUND,
    DYNAMIC_RATIO, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, FRICTION, GROUND_HEIGHT, HEAD_RADIUS,
    INERTIA, IS_PAUSED, LENGTH_CONSTANT, MODE, PARAMS, RADIUS, SCALE_RULES, SCALED_RADII, SIMULATION_FRAME_RATE,
    SLIDE_LIMIT, SLIDE_SPEED, SOFT_LIMITS, SOFTNESS, STRONG_LENGTH_LIMITS, TELEPORT, TELEPORT_SPEED, TELEPORT_TURN,
    TIP_SPEED, TIP_SPEED_LIMIT, TURN_LIMIT, TURN_SPEED, WIDE_LIMITS, WIND_INFLUENCE, Y_ACTIVE, Y_LIMITS, Z_ACTIVE,
    Z_LIMITS, is_improved,
};
use crate::param_warning::{JointFeature, ParamWarning, TunedJoints};
use crate::params::{LimitParams, ParamId, ParamSet};
use crate::solver::{Improvements, JointPredicate};
use crate::{JointSetup, LengthTarget};

/// Angle beyond which Unity's arc sine mirrors a tip to the front, in degrees.
const FOLD_DEG: f32 = 90.0;
/// Motion per step below which a contact sticks, in metres.
const STICKING_STEP: f32 = 0.01;

pub(super) const IMPROVEMENTS: Improvements = Improvements { mode: MODE, switch_of, neutral_value, affected_joints };

fn switch_of(param: ParamId) -> Option<ParamId> {
    match param {
        SOFTNESS => Some(SOFT_LIMITS),
        LENGTH_CONSTANT => Some(STRONG_LENGTH_LIMITS),
        BONE_SHAPE | HEAD_RADIUS => Some(BONE_SHAPES),
        TELEPORT_SPEED | TELEPORT_TURN => Some(TELEPORT),
        SLIDE_SPEED => Some(SLIDE_LIMIT),
        TURN_SPEED => Some(TURN_LIMIT),
        TIP_SPEED => Some(TIP_SPEED_LIMIT),
        param if BOX_HALF.contains(&param) => Some(BONE_SHAPES),
        _ => None,
    }
}

fn neutral_value(param: ParamId) -> f32 {
    match param {
        INERTIA => 1.0,
        LENGTH_CONSTANT => unity_length_constant(),
        _ => 0.0,
    }
}

/// The constant of Unity's own length limits, in 1/s².
fn unity_length_constant() -> f32 {
    PARAMS[LENGTH_CONSTANT.index()].default
}

fn affected_joints(switch: ParamId) -> Option<JointPredicate> {
    match switch {
        WIDE_LIMITS => Some(has_active_angle_limit),
        SOFT_LIMITS => Some(|system, joint| has_active_angle_limit(system, joint) && joint.values.get(SOFTNESS) > 0.0),
        STRONG_LENGTH_LIMITS => Some(has_custom_length_constant),
        BONE_SHAPES => Some(|system, joint| {
            let collides = !joint.colliders.is_empty() && system.get(ENABLE_COLLISION) != 0.0;
            collides && joint.values.get(BONE_SHAPE) != 0.0
        }),
        _ => None,
    }
}

fn has_active_angle_limit(system: &ParamSet, joint: &JointSetup) -> bool {
    let is_on = joint.values.get(Y_ACTIVE) != 0.0 || joint.values.get(Z_ACTIVE) != 0.0;
    is_on && joint.pivot.is_some() && system.get(ENABLE_ANGLE_LIMITS) != 0.0
}

/// Whether any length target uses a constant that differs from Unity's.
fn has_custom_length_constant(system: &ParamSet, joint: &JointSetup) -> bool {
    let own = joint.values.get(LENGTH_CONSTANT);
    let differs = |target: &LengthTarget| target.stiffness.unwrap_or(own) != unity_length_constant();
    system.get(ENABLE_LENGTH_LIMITS) != 0.0 && joint.length_targets.iter().any(differs)
}

/// Why a value of the tuned joints or of their system has no effect, or an unexpected effect.
pub(super) fn param_warning(param: ParamId, tuned: &impl TunedJoints) -> Option<ParamWarning> {
    WarningFinder(tuned).warning(param)
}

struct WarningFinder<'a, T>(&'a T);

impl<T: TunedJoints> WarningFinder<'_, T> {
    fn warning(&self, param: ParamId) -> Option<ParamWarning> {
        self.improvement_warning(param).or_else(|| self.param_warning(param))
    }

    /// An improvement has no effect in Unity-accurate mode or while its switch is off.
    fn improvement_warning(&self, param: ParamId) -> Option<ParamWarning> {
        if param == LENGTH_CONSTANT || param == MODE || !PARAMS[param.index()].extension {
            return None;
        }
        if !self.is_improved() {
            return Some(ParamWarning::ImprovedModeOnly);
        }
        let switch = switch_of(param)?;
        (!self.is_on(switch)).then_some(ParamWarning::SwitchOff(switch))
    }

    fn param_warning(&self, param: ParamId) -> Option<ParamWarning> {
        match param {
            WIND_INFLUENCE => (!self.0.wind_blows()).then_some(ParamWarning::NoWind),
            Y_ACTIVE | Z_ACTIVE => self.inactive_limits_warning(param),
            param if param == Y_LIMITS.min || param == Y_LIMITS.max => self.limit_warning(Y_LIMITS),
            param if param == Z_LIMITS.min || param == Z_LIMITS.max => self.limit_warning(Z_LIMITS),
            ANGULAR_STIFFNESS => self.any_limit_warning(param).or_else(|| self.overshoot_warning(param)),
            SOFTNESS => self.any_limit_warning(param),
            RADIUS => self.radius_warning().or_else(|| self.scale_warning()),
            BONE_SHAPE => self.shape_warning(None),
            HEAD_RADIUS => self.shape_warning(Some(1.0)),
            param if BOX_HALF.contains(&param) => self.shape_warning(Some(2.0)),
            BOUNCE | FRICTION => self.contact_warning(),
            GROUND_HEIGHT => (!self.is_on(COLLIDE_WITH_GROUND)).then_some(ParamWarning::GroundOff),
            DYNAMIC_RATIO => {
                (!self.0.any_joint_with(JointFeature::AnimatedFlag)).then_some(ParamWarning::AnimatedBonesOnly)
            }
            LENGTH_CONSTANT => self.length_warning(),
            ENABLE_LENGTH_LIMITS => self.length_switch_warning(),
            SCALE_RULES => self.scale_rules_warning(),
            IS_PAUSED => self.is_on(param).then_some(ParamWarning::TipsFrozenInWorld),
            AUTOMATIC_UPDATES => (!self.is_on(param)).then_some(ParamWarning::SteppedByScript),
            SIMULATION_FRAME_RATE => {
                let pace = self.0.time_scale();
                ((pace - 1.0).abs() > 5e-3).then_some(ParamWarning::TimeScaled(pace))
            }
            _ => None,
        }
    }

    /// Why limits have no effect although they are on.
    fn inactive_limits_warning(&self, param: ParamId) -> Option<ParamWarning> {
        if !self.is_on(ENABLE_ANGLE_LIMITS) {
            return Some(ParamWarning::AngleLimitsSwitchedOff);
        }
        let needs_pivot = matches!(param, ANGULAR_STIFFNESS | SOFTNESS) || self.any_on(param);
        (needs_pivot && !self.0.any_tuned_joint_with(JointFeature::Pivot)).then_some(ParamWarning::NoPivot)
    }

    /// Warning for a parameter that both limits use.
    fn any_limit_warning(&self, param: ParamId) -> Option<ParamWarning> {
        let on = self.any_on(Y_ACTIVE) || self.any_on(Z_ACTIVE);
        if on { self.inactive_limits_warning(param) } else { Some(ParamWarning::AllLimitsOff) }
    }

    /// Warns if a step overshoots: each step multiplies the angle by 1 - value × (step length)².
    fn overshoot_warning(&self, param: ParamId) -> Option<ParamWarning> {
        let all = self.0.step_seconds().powi(-2);
        (self.0.max_abs_value(param) > all * 1.001).then_some(ParamWarning::Overshoots(all))
    }

    fn limit_warning(&self, LimitParams { active, min, max }: LimitParams) -> Option<ParamWarning> {
        if !self.any_on(active) {
            return Some(ParamWarning::LimitOff);
        }
        if let Some(warning) = self.inactive_limits_warning(active) {
            return Some(warning);
        }
        let far = |param| self.0.max_abs_value(param);
        let wide = self.is_improved() && self.is_on(WIDE_LIMITS);
        match (far(min) > FOLD_DEG && !wide, far(max) > FOLD_DEG && !wide) {
            (true, true) => Some(ParamWarning::LimitsFolded),
            (false, false) => (far(min) == 0.0 && far(max) == 0.0).then_some(ParamWarning::LimitsAreZero),
            _ => Some(ParamWarning::LimitEndFolded),
        }
    }

    fn radius_warning(&self) -> Option<ParamWarning> {
        if self.is_on(COLLIDE_WITH_GROUND) { None } else { self.collider_warning(ParamWarning::CollisionOff) }
    }

    /// Why colliders do not affect the tuned joints. Returns `off` if collision is off.
    fn collider_warning(&self, off: ParamWarning) -> Option<ParamWarning> {
        let assigned = self.0.any_tuned_joint_with(JointFeature::Colliders);
        if self.is_on(ENABLE_COLLISION) { (!assigned).then_some(ParamWarning::NoColliderAssigned) } else { Some(off) }
    }

    /// Warning for the bone's shape, or for a parameter that only `shape` uses.
    fn shape_warning(&self, shape: Option<f32>) -> Option<ParamWarning> {
        let fits = self.0.any_value(BONE_SHAPE, |value| shape.is_none_or(|shape| value.round() == shape));
        if fits { self.collider_warning(ParamWarning::NoJointCollides) } else { Some(ParamWarning::BoneShapeDiffers) }
    }

    fn contact_warning(&self) -> Option<ParamWarning> {
        if !self.0.any_joint_with(JointFeature::Colliders) || !self.is_on(ENABLE_COLLISION) {
            return Some(ParamWarning::NoJointCollides);
        }
        let keeps = self.0.system_value(BOUNCE) != 0.0 || self.0.system_value(FRICTION) != 1.0;
        keeps.then(|| ParamWarning::SlowContactsStick(STICKING_STEP / self.0.step_seconds()))
    }

    fn scale_warning(&self) -> Option<ParamWarning> {
        let follows = self.is_on(SCALE_RULES) || (self.is_improved() && self.is_on(SCALED_RADII));
        if follows { None } else { self.0.first_bone_scale().map(ParamWarning::ScaleIgnored) }
    }

    fn scale_rules_warning(&self) -> Option<ParamWarning> {
        if self.is_improved() && self.is_on(SCALED_RADII) {
            return Some(ParamWarning::SameEffectAs(SCALED_RADII));
        }
        (!self.0.any_bone_is_scaled()).then_some(ParamWarning::NoScaledBone)
    }

    fn length_warning(&self) -> Option<ParamWarning> {
        if !self.0.any_tuned_joint_with(JointFeature::LengthTargets) {
            return Some(ParamWarning::NoLengthTarget);
        }
        if !self.is_on(ENABLE_LENGTH_LIMITS) {
            return Some(ParamWarning::LengthLimitsSwitchedOff);
        }
        self.weak_lengths_warning()
    }

    fn length_switch_warning(&self) -> Option<ParamWarning> {
        let targets = self.0.any_joint_with(JointFeature::LengthTargets);
        if targets { self.weak_lengths_warning() } else { Some(ParamWarning::NoLengthTarget) }
    }

    /// Warns that Unity's own constant has no visible effect.
    fn weak_lengths_warning(&self) -> Option<ParamWarning> {
        let strong = self.is_improved() && self.is_on(STRONG_LENGTH_LIMITS);
        (!strong).then(|| ParamWarning::WeakLengthLimits(unity_length_constant() * self.0.step_seconds().powi(2)))
    }

    fn is_improved(&self) -> bool {
        is_improved(self.0.system_value(MODE))
    }

    fn is_on(&self, param: ParamId) -> bool {
        self.0.system_value(param) != 0.0
    }

    /// Whether a switch is on for any tuned joint.
    fn any_on(&self, param: ParamId) -> bool {
        self.0.any_value(param, |value| value != 0.0)
    }
}
