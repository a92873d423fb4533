//! Goes on where the formula of a conversion stops: searches numbers with which the chains follow a motion as they did.
//!
//! The formula knows one bone near its rest. How bends add up along a chain, how a solver takes a fast turn and where
//! gravity leaves it hanging show only in motion. So the character is moved once as it was, and then again and again
//! as it would be, all chains at once, each with numbers of its own to try. A pure function of its input: no clock, no
//! thread, and the same seed gives the same bits.

mod draft;
mod matching;
mod narrow;
mod search;
mod trace;

use super::Conversion;
use crate::document::{ChainId, Document};
use crate::rig::{Character, Pose};
use draft::Grain;
use matching::Matching;
pub(super) use narrow::Narrow;
use search::{Plan, Random};
use std::ops::ControlFlow;

/// Seconds that the first pose is held before anything counts.
const SETTLE: f32 = 1.0;
/// Ticks between two that the search looks at.
const STRIDE: usize = 2;
/// What is searched, from coarse to fine.
const STAGES: [(Grain, Plan); 3] = [
    (Grain::Whole, Plan { sparks: 0, spread: 0.0, descents: 4 }),
    (Grain::Along, Plan { sparks: 8, spread: 0.5, descents: 10 }),
    (Grain::Joints, Plan { sparks: 8, spread: 0.2, descents: 8 }),
];

/// A recorded motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Take {
    /// The animated pose in each tick, of the file's bones at least.
    pub poses: Vec<Pose>,
    /// Length of a tick, seconds.
    pub tick: f32,
}

impl Take {
    /// Ticks that the first pose is held.
    fn settle(&self) -> usize {
        if self.tick > 0.0 { (SETTLE / self.tick).round() as usize } else { 0 }
    }

    /// Seconds.
    pub fn seconds(&self) -> f32 {
        self.tick * self.poses.len() as f32
    }
}

/// By how much a motion differs from another: root mean square over joints and ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Of the tips in the world.
    pub metres: f32,
    /// Of the bones' turns.
    pub degrees: f32,
}

/// How near one chain came.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainMatch {
    /// Which.
    pub chain: ChainId,
    /// With the formula's numbers.
    pub formula: Difference,
    /// With those found.
    pub matched: Difference,
}

/// Numbers with which the chains follow their former motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Matched {
    /// The document under the other solver.
    pub after: Document,
    /// With the formula's numbers, all chains together.
    pub formula: Difference,
    /// With those found; never more.
    pub matched: Difference,
    /// One entry for each chain that moves, the worst first.
    pub chains: Vec<ChainMatch>,
}

/// Whoever waits hears which share is done, 0 to 1, and may break off.
pub type Hear<'a> = dyn FnMut(f32) -> ControlFlow<()> + 'a;

/// Searches the numbers of `conversion`, which put `before` under another solver, so that tips move in `take` as they do
/// in `before`. `None` where `hear` broke off.
pub fn refine(
    before: &Document,
    character: &Character,
    conversion: &Conversion,
    take: &Take,
    seed: u64,
    hear: &mut Hear<'_>,
) -> Option<Matched> {
    let mut matching = Matching::new(before, character, conversion, take, hear).continue_value()?;
    let mut random = Random(seed);
    for (grain, plan) in STAGES {
        matching.stage(grain, plan, &mut random).continue_value()?;
    }
    matching.finish(conversion).continue_value()
}
