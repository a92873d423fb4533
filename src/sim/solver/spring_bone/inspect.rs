//! Which of the parameters have an effect: the switches of improvements, and why a value does nothing.

use super::params::{
    ANGULAR_STIFFNESS, AUTOMATIC_UPDATES, BONE_SHAPE, BONE_SHAPES, BOUNCE, BOX_HALF, COLLIDE_WITH_GROUND,
    DYNAMIC_RATIO, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, FRICTION, GROUND_HEIGHT, HEAD_RADIUS,
    INERTIA, IS_PAUSED, LENGTH_CONSTANT, PARAMS, RADIUS, SCALE_RULES, SCALED_RADII, SIMULATION_FRAME_RATE, SLIDE_LIMIT,
    SLIDE_SPEED, SOFT_LIMITS, SOFTNESS, STRONG_LENGTHS, TELEPORT, TELEPORT_SPEED, TELEPORT_TURN, TIP_SPEED,
    TIP_SPEED_LIMIT, TURN_LIMIT, TURN_SPEED, WAY, WIDE_LIMITS, WIND_INFLUENCE, Y_ACTIVE, Y_LIMITS, Z_ACTIVE, Z_LIMITS,
    is_improved,
};
use crate::schema::{Limits, ParamSet, Row};
use crate::sim::remark::{JointPart, Remark, TunedJoints};
use crate::sim::solver::{Improvements, JointTest};
use crate::sim::{JointSetup, LengthTarget};

/// Degrees from which on Unity's arc sine cannot see that a tip is behind the pivot.
const FOLD_DEG: f32 = 90.0;
/// Metres a step: a contact that keeps less of its speed sticks.
const STICKS: f32 = 0.01;

pub(super) const IMPROVEMENTS: Improvements = Improvements { mode: WAY, switch_of, neutral, reach };

fn switch_of(row: Row) -> Option<Row> {
    match row {
        SOFTNESS => Some(SOFT_LIMITS),
        LENGTH_CONSTANT => Some(STRONG_LENGTHS),
        BONE_SHAPE | HEAD_RADIUS => Some(BONE_SHAPES),
        TELEPORT_SPEED | TELEPORT_TURN => Some(TELEPORT),
        SLIDE_SPEED => Some(SLIDE_LIMIT),
        TURN_SPEED => Some(TURN_LIMIT),
        TIP_SPEED => Some(TIP_SPEED_LIMIT),
        row if BOX_HALF.contains(&row) => Some(BONE_SHAPES),
        _ => None,
    }
}

/// The first shape is the engine's, and a soft edge of no width changes nothing.
fn neutral(row: Row) -> f32 {
    match row {
        INERTIA => 1.0,
        LENGTH_CONSTANT => stock_length_constant(),
        _ => 0.0,
    }
}

/// The engine's own constant.
fn stock_length_constant() -> f32 {
    PARAMS[LENGTH_CONSTANT.index()].default
}

fn reach(switch: Row) -> Option<JointTest> {
    match switch {
        WIDE_LIMITS => Some(is_limited),
        SOFT_LIMITS => Some(|system, joint| is_limited(system, joint) && joint.values.get(SOFTNESS) > 0.0),
        STRONG_LENGTHS => Some(is_held_harder),
        BONE_SHAPES => Some(|system, joint| {
            let collides = !joint.colliders.is_empty() && system.get(ENABLE_COLLISION) != 0.0;
            collides && joint.values.get(BONE_SHAPE) != 0.0
        }),
        _ => None,
    }
}

fn is_limited(system: &ParamSet, joint: &JointSetup) -> bool {
    let is_on = joint.values.get(Y_ACTIVE) != 0.0 || joint.values.get(Z_ACTIVE) != 0.0;
    is_on && joint.pivot.is_some() && system.get(ENABLE_ANGLE_LIMITS) != 0.0
}

/// Whether a length is held by another constant than the engine's.
fn is_held_harder(system: &ParamSet, joint: &JointSetup) -> bool {
    let own = joint.values.get(LENGTH_CONSTANT);
    let differs = |target: &LengthTarget| target.constant.unwrap_or(own) != stock_length_constant();
    system.get(ENABLE_LENGTH_LIMITS) != 0.0 && joint.length_targets.iter().any(differs)
}

/// Why a value of the tuned joints or their system has no effect, or another one than its name suggests.
pub(super) fn remark(row: Row, tuned: &impl TunedJoints) -> Option<Remark> {
    Tuned(tuned).remark(row)
}

struct Tuned<'a, T>(&'a T);

impl<T: TunedJoints> Tuned<'_, T> {
    fn remark(&self, row: Row) -> Option<Remark> {
        self.improvement(row).or_else(|| self.parameter(row))
    }

    /// Improvements have no effect as Unity does it, and a parameter of an improvement none while its switch is off.
    fn improvement(&self, row: Row) -> Option<Remark> {
        if row == LENGTH_CONSTANT || row == WAY || !PARAMS[row.index()].beyond {
            return None;
        }
        if !self.is_improved() {
            return Some(Remark::OnlyImproved);
        }
        let switch = switch_of(row)?;
        (!self.is_on(switch)).then_some(Remark::SwitchOff(switch))
    }

    fn parameter(&self, row: Row) -> Option<Remark> {
        match row {
            WIND_INFLUENCE => (!self.0.wind_blows()).then_some(Remark::NoWind),
            Y_ACTIVE | Z_ACTIVE => self.limits_do_nothing(row),
            row if row == Y_LIMITS.min || row == Y_LIMITS.max => self.limit(Y_LIMITS),
            row if row == Z_LIMITS.min || row == Z_LIMITS.max => self.limit(Z_LIMITS),
            ANGULAR_STIFFNESS => self.any_limit(row).or_else(|| self.overshoot(row)),
            SOFTNESS => self.any_limit(row),
            RADIUS => self.radius().or_else(|| self.scale()),
            BONE_SHAPE => self.shape(None),
            HEAD_RADIUS => self.shape(Some(1.0)),
            row if BOX_HALF.contains(&row) => self.shape(Some(2.0)),
            BOUNCE | FRICTION => self.contact(),
            GROUND_HEIGHT => (!self.is_on(COLLIDE_WITH_GROUND)).then_some(Remark::GroundOff),
            DYNAMIC_RATIO => (!self.0.any_joint_with(JointPart::AnimatedFlag)).then_some(Remark::OnlyFlagged),
            LENGTH_CONSTANT => self.length(),
            ENABLE_LENGTH_LIMITS => self.length_switch(),
            SCALE_RULES => self.rules(),
            IS_PAUSED => self.is_on(row).then_some(Remark::Frozen),
            AUTOMATIC_UPDATES => (!self.is_on(row)).then_some(Remark::ProgramSteps),
            SIMULATION_FRAME_RATE => {
                let pace = self.0.pace();
                ((pace - 1.0).abs() > 5e-3).then_some(Remark::Pace(pace))
            }
            _ => None,
        }
    }

    /// What keeps limits that are on from acting.
    fn limits_do_nothing(&self, row: Row) -> Option<Remark> {
        if !self.is_on(ENABLE_ANGLE_LIMITS) {
            return Some(Remark::LimitsSwitchedOff);
        }
        let needs_pivot = matches!(row, ANGULAR_STIFFNESS | SOFTNESS) || self.any_on(row);
        (needs_pivot && !self.0.any_tuned_with(JointPart::Pivot)).then_some(Remark::NoPivot)
    }

    /// Of values that both limits use.
    fn any_limit(&self, row: Row) -> Option<Remark> {
        let on = self.any_on(Y_ACTIVE) || self.any_on(Z_ACTIVE);
        if on { self.limits_do_nothing(row) } else { Some(Remark::NoLimitOn) }
    }

    /// A step multiplies the angle by 1 - value × (length of a step)².
    fn overshoot(&self, row: Row) -> Option<Remark> {
        let all = self.0.step_seconds().powi(-2);
        (self.0.greatest(row) > all * 1.001).then_some(Remark::Overshoots(all))
    }

    fn limit(&self, Limits { active, min, max }: Limits) -> Option<Remark> {
        if !self.any_on(active) {
            return Some(Remark::LimitOff);
        }
        if let Some(remark) = self.limits_do_nothing(active) {
            return Some(remark);
        }
        let far = |row| self.0.greatest(row);
        let wide = self.is_improved() && self.is_on(WIDE_LIMITS);
        match (far(min) > FOLD_DEG && !wide, far(max) > FOLD_DEG && !wide) {
            (true, true) => Some(Remark::Folded),
            (false, false) => (far(min) == 0.0 && far(max) == 0.0).then_some(Remark::Pinned),
            _ => Some(Remark::EndFolded),
        }
    }

    fn radius(&self) -> Option<Remark> {
        if self.is_on(COLLIDE_WITH_GROUND) { None } else { self.collider(Remark::NothingToHit) }
    }

    /// What keeps colliders from the tuned joints; `off` where collision is off.
    fn collider(&self, off: Remark) -> Option<Remark> {
        let assigned = self.0.any_tuned_with(JointPart::Colliders);
        if self.is_on(ENABLE_COLLISION) { (!assigned).then_some(Remark::NoColliderAssigned) } else { Some(off) }
    }

    /// Of a bone's shape, or of a value that only `shape` uses.
    fn shape(&self, shape: Option<f32>) -> Option<Remark> {
        let fits = self.0.any_value(BONE_SHAPE, |value| shape.is_none_or(|shape| value.round() == shape));
        if fits { self.collider(Remark::NothingCollides) } else { Some(Remark::OtherShape) }
    }

    fn contact(&self) -> Option<Remark> {
        if !self.0.any_joint_with(JointPart::Colliders) || !self.is_on(ENABLE_COLLISION) {
            return Some(Remark::NothingCollides);
        }
        let keeps = self.0.system_value(BOUNCE) != 0.0 || self.0.system_value(FRICTION) != 1.0;
        keeps.then(|| Remark::SlowSticks(STICKS / self.0.step_seconds()))
    }

    fn scale(&self) -> Option<Remark> {
        let follows = self.is_on(SCALE_RULES) || (self.is_improved() && self.is_on(SCALED_RADII));
        if follows { None } else { self.0.scale().map(Remark::ScaleForgotten) }
    }

    fn rules(&self) -> Option<Remark> {
        if self.is_improved() && self.is_on(SCALED_RADII) {
            return Some(Remark::Overruled(SCALED_RADII));
        }
        (!self.0.any_bone_is_scaled()).then_some(Remark::NothingScaled)
    }

    fn length(&self) -> Option<Remark> {
        if !self.0.any_tuned_with(JointPart::LengthTargets) {
            return Some(Remark::NoLengthTarget);
        }
        if !self.is_on(ENABLE_LENGTH_LIMITS) {
            return Some(Remark::LengthsSwitchedOff);
        }
        self.weak_lengths()
    }

    fn length_switch(&self) -> Option<Remark> {
        let targets = self.0.any_joint_with(JointPart::LengthTargets);
        if targets { self.weak_lengths() } else { Some(Remark::NoLengthTarget) }
    }

    /// The engine's own constant is so small that it has no visible effect.
    fn weak_lengths(&self) -> Option<Remark> {
        let strong = self.is_improved() && self.is_on(STRONG_LENGTHS);
        (!strong).then(|| Remark::WeakLengths(stock_length_constant() * self.0.step_seconds().powi(2)))
    }

    fn is_improved(&self) -> bool {
        is_improved(self.0.system_value(WAY))
    }

    fn is_on(&self, row: Row) -> bool {
        self.0.system_value(row) != 0.0
    }

    /// Whether a switch of joints is on for any tuned joint.
    fn any_on(&self, row: Row) -> bool {
        self.0.any_value(row, |value| value != 0.0)
    }
}
