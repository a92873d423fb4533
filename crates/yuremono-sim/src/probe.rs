//! The parts of the last movement of each tip: why a tip moved as it did.
//!
//! A solver reports where a tip is after each stage of a step, and the probe adds the movement since the previous
//! report to one [`TipPart`]. The reports telescope, so the parts of a step add up to the movement of the tip, whatever
//! the number of substeps and iterations. Solvers compute intermediate positions only while a probe is on, next to the
//! arithmetic of the step, which therefore keeps every bit.

use crate::math::Vec3x4;
use glam::{DVec3, Vec3};
use std::cell::Cell;

/// What moves a tip in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TipPart {
    /// The velocity that remains after drag and speed limits, and what carries the tip with its parent, with the
    /// component or with the simulation space.
    Inertia,
    /// The pull to the rest pose or to the animated pose.
    Spring,
    /// Gravity, including constant accelerations that a solver uses as gravity.
    Gravity,
    /// Wind, force fields and constant forces.
    Force,
    /// What keeps the tip at the end of its bone and at its distance from linked points and bones.
    LengthLimit,
    /// Colliders and the ground, including bounce.
    Collision,
    /// What keeps the tip within the range of directions that the joint allows.
    AngleLimit,
    /// Everything else: resets of invalid tips, the tip that the user drags, and rounding.
    Other,
}

impl TipPart {
    /// All parts, in the order in which most solvers apply them.
    pub const ALL: [Self; 8] = [
        Self::Inertia,
        Self::Spring,
        Self::Gravity,
        Self::Force,
        Self::LengthLimit,
        Self::Collision,
        Self::AngleLimit,
        Self::Other,
    ];
}

/// The movement of a tip in one step, by part, in metres in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TipParts([Vec3; TipPart::ALL.len()]);

impl TipParts {
    /// Returns one part of the movement.
    pub const fn get(&self, part: TipPart) -> Vec3 {
        self.0[part as usize]
    }

    /// Returns every part with its movement.
    pub fn iter(&self) -> impl Iterator<Item = (TipPart, Vec3)> + '_ {
        TipPart::ALL.into_iter().map(|part| (part, self.get(part)))
    }

    /// Returns the whole movement of the tip.
    pub fn sum(&self) -> Vec3 {
        self.0.iter().sum()
    }
}

/// What a probe has recorded of one tip. Many iterations may push a tip back and forth, so sums need double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TipRecord {
    start: DVec3,
    last: DVec3,
    parts: [DVec3; TipPart::ALL.len()],
}

impl TipRecord {
    /// Starts a step with the tip at `tip`.
    pub(super) fn begin(tip: Vec3) -> Self {
        Self { start: tip.as_dvec3(), last: tip.as_dvec3(), parts: Default::default() }
    }

    /// Returns the parts of the step. A tip that is not `simulated` only follows the pose.
    pub(super) fn parts(&self, simulated: bool) -> TipParts {
        if simulated {
            return TipParts(self.parts.map(DVec3::as_vec3));
        }
        let mut parts = TipParts::default();
        parts.0[TipPart::Inertia as usize] = (self.last - self.start).as_vec3();
        parts
    }

    /// Adds the movement since the last report to a part. A position that is not finite is ignored, so the next report
    /// includes its movement.
    pub(super) fn reach(&mut self, part: TipPart, tip: Vec3) {
        if tip.is_finite() {
            self.parts[part as usize] += tip.as_dvec3() - self.last;
            self.last = tip.as_dvec3();
        }
    }
}

/// The records of a system while its solver runs. A record is identified by the slot of its tip, see
/// [`TipState::tip_slot`](super::TipState::tip_slot); positions of other slots are ignored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe<'a>(&'a [Cell<TipRecord>]);

impl<'a> Probe<'a> {
    /// The probe that writes to `records`; `None` if there are none.
    pub(super) fn new(records: &'a mut [TipRecord]) -> Option<Self> {
        (!records.is_empty()).then(|| Self(Cell::from_mut(records).as_slice_of_cells()))
    }

    /// Reports the position of a tip after a stage of the step.
    pub(crate) fn reach(self, slot: usize, part: TipPart, tip: Vec3) {
        if let Some(record) = self.0.get(slot) {
            let mut own = record.get();
            own.reach(part, tip);
            record.set(own);
        }
    }

    /// Works like [`Probe::reach`] for a batch of tips.
    pub(crate) fn reach_batch(self, slots: &[u32], part: TipPart, tips: Vec3x4) {
        for (slot, tip) in slots.iter().zip(tips.to_array()) {
            self.reach(*slot as usize, part, tip);
        }
    }

    /// Works like [`Probe::reach`] for the tips of all slots.
    pub(crate) fn reach_all(self, part: TipPart, tips: impl IntoIterator<Item = Vec3>) {
        for (slot, tip) in tips.into_iter().enumerate() {
            self.reach(slot, part, tip);
        }
    }
}

/// Runs `record` if a probe is on. The closure should own copies of what it reads: references to local values would
/// force a step to keep these values in memory even while no probe is on.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a step without a probe must only test for the probe")]
pub(crate) fn record<'a>(probe: Option<Probe<'a>>, record: impl FnOnce(Probe<'a>)) {
    if let Some(probe) = probe {
        out_of_line(move || record(probe));
    }
}

#[cold]
#[inline(never)]
fn out_of_line(record: impl FnOnce()) {
    record();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_add_up_to_the_movement_however_often_a_part_is_reported() {
        let mut records = [TipRecord::begin(Vec3::X)];
        let probe = Probe::new(&mut records).expect("one record");
        for _ in 0..1000 {
            probe.reach(0, TipPart::LengthLimit, Vec3::new(-0.3, 7.0, 0.1));
            probe.reach(0, TipPart::Collision, Vec3::new(2.7, -0.3, 0.2));
        }
        probe.reach(0, TipPart::Other, Vec3::Y);
        let parts = records[0].parts(true);
        assert!(parts.sum().distance(Vec3::Y - Vec3::X) < 1e-3 && parts.get(TipPart::Spring) == Vec3::ZERO);
        let precise: DVec3 = records[0].parts.iter().sum();
        assert!(precise.distance((Vec3::Y - Vec3::X).as_dvec3()) < 1e-9);
    }

    #[test]
    fn a_position_that_is_not_finite_belongs_to_the_next_report() {
        let mut record = TipRecord::begin(Vec3::ZERO);
        record.reach(TipPart::Spring, Vec3::NAN);
        record.reach(TipPart::Gravity, Vec3::INFINITY);
        record.reach(TipPart::AngleLimit, Vec3::Z);
        let parts = record.parts(true);
        assert_eq!((parts.sum(), parts.get(TipPart::AngleLimit)), (Vec3::Z, Vec3::Z));
    }

    #[test]
    fn a_disabled_joint_only_follows_the_pose() {
        let mut record = TipRecord::begin(Vec3::ZERO);
        record.reach(TipPart::Spring, Vec3::X);
        record.reach(TipPart::Other, Vec3::Y);
        let parts = record.parts(false);
        assert_eq!((parts.sum(), parts.get(TipPart::Inertia)), (Vec3::Y, Vec3::Y));
    }

    #[test]
    fn unknown_slots_are_ignored_and_no_records_are_no_probe() {
        assert!(Probe::new(&mut []).is_none());
        let mut records = [TipRecord::default()];
        let probe = Probe::new(&mut records).expect("one record");
        probe.reach_batch(&[5, 0], TipPart::Force, Vec3x4::new([Vec3::X, Vec3::Y, Vec3::Z, Vec3::Z]));
        assert_eq!(records[0].parts(true).get(TipPart::Force), Vec3::Y);
    }
}
