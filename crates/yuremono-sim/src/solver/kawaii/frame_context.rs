//! What all steps of a frame share, and the reports of points to the probe.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::point_batch::PointBatch;
use super::{Rest, State, System};
use crate::math::Vec3x4;
use crate::probe::{self, Probe, TipPart};

/// What all steps of a frame share.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameContext<'a> {
    pub(super) rest: &'a Rest,
    pub(super) system: &'a System,
    pub(super) probe: Option<Probe<'a>>,
}

impl FrameContext<'_> {
    /// Records the positions of all points, if a probe is on.
    #[inline]
    pub(super) fn reach(&self, part: TipPart, state: &State) {
        probe::record(self.probe, move |probe| {
            probe.reach_all(part, state.positions.iter().map(|at| state.space.transform_point(*at)));
        });
    }

    /// Records positions of a batch in the simulation space, if a probe is on.
    #[inline(always)]
    pub(super) fn reach_batch(&self, point_batch: &PointBatch, part: TipPart, state: &State, at: Vec3x4) {
        probe::record(self.probe, move |probe| {
            let at = Vec3x4::from_lanes(|lane| state.space.transform_point(at.to_array()[lane]));
            probe.reach_batch(point_batch.batch.active_indices(), part, at);
        });
    }
}
