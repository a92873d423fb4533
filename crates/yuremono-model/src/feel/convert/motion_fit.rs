//! Refines a conversion: searches for values with which the tips follow a recorded motion as they did before the
//! conversion.
//!
//! The conversion formula describes one bone near its rest pose. Bending along a chain, fast turns and sag under
//! gravity appear only in motion. Therefore the document before the conversion is simulated once. The converted
//! character is then simulated repeatedly, with candidate values for all chains. The search uses no clock, and the caller
//! supplies the threads. The result depends only on the input and the seed.

mod candidate;
mod fitter;
mod least_squares;
mod motion_trace;
mod simulation;
mod skeleton_subset;

use crate::document::{ChainId, Document};
use crate::job::JobControl;
use candidate::Granularity;
use fitter::MotionFitter;
use least_squares::{SearchPlan, SplitMix64};
pub(super) use skeleton_subset::SkeletonSubset;
use yuremono_sim::rig::{Character, Pose};

/// The time for which the first pose is held before the motion, in seconds.
const SETTLE_SECONDS: f32 = 0.5;
/// The search compares every n-th tick.
const RESIDUAL_STRIDE: usize = 2;
/// A solver with more work per joint than this is expensive, in visits (see [`yuremono_sim::Workload`]). A search for an
/// expensive solver ends earlier, with differences that are 1 to 2 percent larger
/// on the bundled character.
const EXPENSIVE_VISITS: u64 = 64;
const EXPENSIVE_MAX_STEPS: usize = 8;
const EXPENSIVE_MIN_GAIN: f64 = 5e-3;
/// The stages of the search, from coarse to fine.
const STAGES: [(Granularity, SearchPlan); 3] = [
    (Granularity::Systems, SearchPlan { random_samples: 0, sample_spread: 0.0, max_steps: 4, min_gain: MIN_GAIN }),
    (Granularity::RootToTip, SearchPlan { random_samples: 24, sample_spread: 0.5, max_steps: 10, min_gain: MIN_GAIN }),
    (Granularity::Joints, SearchPlan { random_samples: 8, sample_spread: 0.2, max_steps: 20, min_gain: MIN_GAIN }),
];
/// The smallest relative gain of a step that counts.
const MIN_GAIN: f64 = 2e-3;

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

/// The difference between two motions: the root mean square and the maximum over joints and ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionDifference {
    /// The difference between the tips' world positions, in metres.
    pub metres: f32,
    /// The difference between the bones' world rotations, in degrees.
    pub degrees: f32,
    /// The largest difference of a tip's world position, in metres.
    pub max_metres: f32,
    /// The largest difference of a bone's world rotation, in degrees.
    pub max_degrees: f32,
}

/// The result for one chain.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainFit {
    pub chain: ChainId,
    /// The difference from the original motion, with the values from the formula.
    pub formula_difference: MotionDifference,
    /// The difference from the original motion, with the values from the search.
    pub fitted_difference: MotionDifference,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionFitResult {
    /// The converted document.
    pub after: Document,
    /// The difference over all chains, with the values from the formula.
    pub formula_difference: MotionDifference,
    /// The difference over all chains, with the values from the search. Never greater than `formula_difference`.
    pub fitted_difference: MotionDifference,
    /// One entry per converted chain, worst chain first.
    pub chains: Vec<ChainFit>,
}

/// How the motion of one chain differs after a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainDifference {
    pub chain: ChainId,
    pub difference: MotionDifference,
}

/// How the motion of the converted chains differs after a conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionDifference {
    /// The difference over all converted chains.
    pub all: MotionDifference,
    /// One entry per converted chain, the chain with the largest difference of position first.
    pub chains: Vec<ChainDifference>,
    /// Duration of the motion in seconds.
    pub seconds: f32,
}

/// The input of a search.
#[derive(Clone, Copy, Debug)]
pub struct MotionFitInput<'a> {
    pub before: &'a Document,
    pub character: &'a Character,
    /// The converted document, with the values of the formula.
    pub after: &'a Document,
    pub motion: &'a RecordedMotion,
    pub seed: u64,
}

/// Searches for parameter values of a conversion. With these values, the tips follow the motion as closely as possible to
/// how they follow it with the document before the conversion. Returns `None` if `control` cancels the search.
pub fn fit_motion(input: MotionFitInput<'_>, control: JobControl<'_>) -> Option<MotionFitResult> {
    let mut matching = MotionFitter::new(input, control).continue_value()?;
    matching.prepare_search().continue_value()?;
    let mut random = SplitMix64(input.seed);
    for (granularity, plan) in STAGES {
        matching.run_stage(granularity, matching.plan_for_solvers(plan), &mut random).continue_value()?;
    }
    matching.finish(input.after).continue_value()
}

/// Simulates both documents of `input` and returns the difference. Returns `None` if `control` cancels the simulation.
pub fn measure_conversion(input: MotionFitInput<'_>, control: JobControl<'_>) -> Option<ConversionDifference> {
    Some(MotionFitter::new(input, control).continue_value()?.formula_difference())
}
