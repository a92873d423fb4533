use super::{Session, Values};
use crate::schema::{Row, SolverKind};
use crate::sim::solver::{spring_bone as unity, vrm};

/// Unity's arc sine cannot tell what lies behind the pivot.
const FOLD_DEG: f32 = 90.0;

/// Why a number does nothing, or not what it seems to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// There is no wind.
    NoWind,
    /// The character's switch for angle limits is off.
    LimitsSwitchedOff,
    /// The limits' own switch is off.
    LimitOff,
    /// None of the targets' limits is on.
    NoLimitOn,
    /// The joints have no pivot to measure angles in.
    NoPivot,
    /// Both ends lie where the engine folds angles back.
    Folded,
    /// One end lies there.
    EndFolded,
    /// Acts only on bones that a program flags as animated.
    OnlyFlagged,
    /// Colliders and ground are off.
    NothingToHit,
    /// No collider is assigned, and there is no ground.
    NoColliderAssigned,
    /// No joint of the character can touch a collider.
    NothingCollides,
    /// The ground is off.
    GroundOff,
}

impl Remark {
    /// Whether the number acts all the same.
    pub const fn acts(self) -> bool {
        matches!(self, Self::EndFolded)
    }
}

impl Session {
    /// Why the targets' value of a row does nothing; `None` where it acts as it says.
    pub fn remark(&self, row: Row) -> Option<Remark> {
        match self.document.solver {
            SolverKind::UnityChanSpringBone => self.spring_bone_remark(row),
            SolverKind::Vrm if row == vrm::HIT_RADIUS => self
                .target_joints()
                .all(|(_, joint, ..)| joint.colliders.is_empty())
                .then_some(Remark::NoColliderAssigned),
            SolverKind::Vrm => None,
        }
    }

    fn spring_bone_remark(&self, row: Row) -> Option<Remark> {
        match row {
            unity::WIND_INFLUENCE => Some(Remark::NoWind),
            unity::Y_ACTIVE | unity::Z_ACTIVE => self.unheld_remark(row),
            unity::Y_MIN | unity::Y_MAX => self.limit_remark(unity::Y_ACTIVE, unity::Y_MIN, unity::Y_MAX),
            unity::Z_MIN | unity::Z_MAX => self.limit_remark(unity::Z_ACTIVE, unity::Z_MIN, unity::Z_MAX),
            unity::ANGULAR_STIFFNESS => {
                let on = self.any_on(unity::Y_ACTIVE) || self.any_on(unity::Z_ACTIVE);
                if on { self.unheld_remark(row) } else { Some(Remark::NoLimitOn) }
            }
            unity::RADIUS => self.radius_remark(),
            unity::BOUNCE | unity::FRICTION => {
                let touches = self.document.chains.values().flat_map(|c| &c.joints).any(|j| !j.colliders.is_empty());
                (!touches || !self.is_on(unity::ENABLE_COLLISION)).then_some(Remark::NothingCollides)
            }
            unity::GROUND_HEIGHT => (!self.is_on(unity::COLLIDE_WITH_GROUND)).then_some(Remark::GroundOff),
            unity::DYNAMIC_RATIO => Some(Remark::OnlyFlagged),
            _ => None,
        }
    }

    /// What keeps limits from acting that are on.
    fn unheld_remark(&self, row: Row) -> Option<Remark> {
        if !self.is_on(unity::ENABLE_ANGLE_LIMITS) {
            return Some(Remark::LimitsSwitchedOff);
        }
        let needs_pivot = row == unity::ANGULAR_STIFFNESS || self.any_on(row);
        (needs_pivot && self.target_joints().all(|(_, joint, ..)| joint.pivot.is_none())).then_some(Remark::NoPivot)
    }

    fn limit_remark(&self, active: Row, min: Row, max: Row) -> Option<Remark> {
        if !self.any_on(active) {
            return Some(Remark::LimitOff);
        }
        if let Some(remark) = self.unheld_remark(active) {
            return Some(remark);
        }
        let beyond = |row| match self.row_view(row).values {
            Values::None => false,
            Values::Same(value) => value.abs() > FOLD_DEG,
            Values::Mixed { low, high } => low.abs().max(high.abs()) > FOLD_DEG,
        };
        match (beyond(min), beyond(max)) {
            (true, true) => Some(Remark::Folded),
            (false, false) => None,
            _ => Some(Remark::EndFolded),
        }
    }

    fn radius_remark(&self) -> Option<Remark> {
        let ground = self.is_on(unity::COLLIDE_WITH_GROUND);
        let colliders = self.is_on(unity::ENABLE_COLLISION);
        let assigned = self.target_joints().any(|(_, joint, ..)| !joint.colliders.is_empty());
        match (ground, colliders) {
            (true, _) => None,
            (false, false) => Some(Remark::NothingToHit),
            (false, true) => (!assigned).then_some(Remark::NoColliderAssigned),
        }
    }

    fn is_on(&self, row: Row) -> bool {
        self.document.system.get(row) != 0.0
    }

    /// Whether a toggle is on for any joint that tuning reaches.
    pub fn any_on(&self, row: Row) -> bool {
        self.target_joints().any(|(chain, _, i, place)| chain.value(i, row, place) != 0.0)
    }
}
