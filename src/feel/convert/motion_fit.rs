//! Goes on where the formula of a conversion stops: searches numbers with which the chains follow a motion as they did.
//!
//! The formula knows one bone near its rest. How bends add up along a chain, how a solver takes a fast turn and where
//! gravity leaves it hanging show only in motion. So the character is moved once as it was, and then again and again
//! as it would be, all chains at once, each with numbers of its own to try. A pure function of its input: no clock, no
//! thread, and the same seed gives the same bits.

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

/// Seconds that the first pose is held before anything counts.
const SETTLE_SECONDS: f32 = 1.0;
/// Ticks between two that the search looks at.
const RESIDUAL_STRIDE: usize = 2;
/// What is searched, from coarse to fine.
const STAGES: [(Granularity, SearchPlan); 3] = [
    (Granularity::Systems, SearchPlan { random_samples: 0, sample_spread: 0.0, max_steps: 4 }),
    (Granularity::RootToTip, SearchPlan { random_samples: 8, sample_spread: 0.5, max_steps: 10 }),
    (Granularity::Joints, SearchPlan { random_samples: 8, sample_spread: 0.2, max_steps: 8 }),
];

/// A recorded motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedMotion {
    /// The animated pose in each tick, of the file's bones at least.
    pub poses: Vec<Pose>,
    /// Length of a tick, seconds.
    pub tick_seconds: f32,
}

impl RecordedMotion {
    /// Ticks that the first pose is held.
    fn settle_ticks(&self) -> usize {
        if self.tick_seconds > 0.0 { (SETTLE_SECONDS / self.tick_seconds).round() as usize } else { 0 }
    }

    /// Seconds.
    pub fn duration_seconds(&self) -> f32 {
        self.tick_seconds * self.poses.len() as f32
    }
}

/// By how much a motion differs from another: root mean square over joints and ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionDifference {
    /// Of the tips in the world.
    pub metres: f32,
    /// Of the bones' turns.
    pub degrees: f32,
}

/// How near one chain came.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainFit {
    /// Which.
    pub chain: ChainId,
    /// With the formula's numbers.
    pub formula_difference: MotionDifference,
    /// With those found.
    pub fitted_difference: MotionDifference,
}

/// Numbers with which the chains follow their former motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionFitResult {
    /// The document under the other solver.
    pub after: Document,
    /// With the formula's numbers, all chains together.
    pub formula_difference: MotionDifference,
    /// With those found; never more.
    pub fitted_difference: MotionDifference,
    /// One entry for each chain that moves, the worst first.
    pub chains: Vec<ChainFit>,
}

/// Whoever waits hears which share is done, 0 to 1, and may break off.
pub type Progress<'a> = dyn FnMut(f32) -> ControlFlow<()> + 'a;

/// Searches the numbers of `conversion`, which put `before` under another solver, so that tips move in `take` as they do
/// in `before`. `None` where `hear` broke off.
pub fn fit_motion(
    before: &Document,
    character: &Character,
    conversion: &Conversion,
    take: &RecordedMotion,
    seed: u64,
    hear: &mut Progress<'_>,
) -> Option<MotionFitResult> {
    let mut matching = MotionFitter::new(before, character, conversion, take, hear).continue_value()?;
    let mut random = SplitMix64(seed);
    for (grain, plan) in STAGES {
        matching.run_stage(grain, plan, &mut random).continue_value()?;
    }
    matching.finish(conversion).continue_value()
}
