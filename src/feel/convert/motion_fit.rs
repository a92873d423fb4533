//! Refines a conversion: searches for values with which chains follow a recorded motion as before the conversion.
//!
//! The formula describes one bone near its rest pose. Bending along a chain, fast turns and sag under gravity appear
//! only in motion. Therefore the document before the conversion is simulated once. Then the converted character is
//! simulated repeatedly, with candidate values for all chains at once. The result depends only on the input and the
//! seed: no clock, no threads.

mod candidate;
mod fitter;
mod least_squares;
mod motion_trace;
mod skeleton_subset;

use super::Conversion;
use crate::document::{ChainId, Document};
use crate::rig::{Character, Pose};
use candidate::Granularity;
use fitter::MotionFitter;
use least_squares::{SearchPlan, SplitMix64};
pub(super) use skeleton_subset::SkeletonSubset;
use std::ops::ControlFlow;

/// The time for which the first pose is held before the motion, seconds.
const SETTLE_SECONDS: f32 = 1.0;
/// The search compares every n-th tick.
const RESIDUAL_STRIDE: usize = 2;
/// The stages of the search, from coarse to fine.
const STAGES: [(Granularity, SearchPlan); 3] = [
    (Granularity::Systems, SearchPlan { random_samples: 0, sample_spread: 0.0, max_steps: 4 }),
    (Granularity::RootToTip, SearchPlan { random_samples: 8, sample_spread: 0.5, max_steps: 10 }),
    (Granularity::Joints, SearchPlan { random_samples: 8, sample_spread: 0.2, max_steps: 8 }),
];

/// A recorded motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedMotion {
    /// The animated pose of each tick. Each pose has at least the bones of the file.
    pub poses: Vec<Pose>,
    /// Seconds per tick.
    pub tick_seconds: f32,
}

impl RecordedMotion {
    fn settle_ticks(&self) -> usize {
        if self.tick_seconds > 0.0 { (SETTLE_SECONDS / self.tick_seconds).round() as usize } else { 0 }
    }

    pub fn duration_seconds(&self) -> f32 {
        self.tick_seconds * self.poses.len() as f32
    }
}

/// The difference of two motions, as root mean square over joints and ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionDifference {
    /// The difference of the tips' world positions, metres.
    pub metres: f32,
    /// The difference of the bones' world rotations, degrees.
    pub degrees: f32,
}

/// The result of one chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainFit {
    pub chain: ChainId,
    /// The difference with the values of the formula.
    pub formula_difference: MotionDifference,
    /// The difference with the values of the search.
    pub fitted_difference: MotionDifference,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionFitResult {
    /// The converted document.
    pub after: Document,
    /// The difference of all chains with the values of the formula.
    pub formula_difference: MotionDifference,
    /// The difference of all chains with the values of the search. Never greater than `formula_difference`.
    pub fitted_difference: MotionDifference,
    /// One entry per converted chain. The worst chain is the first.
    pub chains: Vec<ChainFit>,
}

/// Receives the finished share, 0 to 1. `Break` cancels the search.
pub type Progress<'a> = dyn FnMut(f32) -> ControlFlow<()> + 'a;

/// Searches for values of `conversion` with which tips move in `motion` as in `before`. Returns `None` if `progress`
/// cancels the search.
pub fn fit_motion(
    before: &Document,
    character: &Character,
    conversion: &Conversion,
    motion: &RecordedMotion,
    seed: u64,
    progress: &mut Progress<'_>,
) -> Option<MotionFitResult> {
    let mut matching = MotionFitter::new(before, character, conversion, motion, progress).continue_value()?;
    let mut random = SplitMix64(seed);
    for (granularity, plan) in STAGES {
        matching.run_stage(granularity, plan, &mut random).continue_value()?;
    }
    matching.finish(conversion).continue_value()
}
