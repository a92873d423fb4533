//! Settling: steps after a reset that are not displayed, until the world is still.

use super::{DEFAULT_FRAME_RATE, Playback, PoseBuffers};
use glam::Quat;
use yuremono_sim::{StepInput, World};

/// Number of visits (see [`yuremono_sim::Workload`]) that a reset may spend on settling. Typical characters need fewer.
pub(super) const SETTLE_VISITS_ON_RESET: u64 = 4_000_000;
/// Number of visits that each later frame may spend on settling, so that the window stays responsive.
pub(super) const SETTLE_VISITS_PER_FRAME: u64 = 2_000_000;
/// Number of visits after which settling stops, even if the world still moves.
const MAX_SETTLE_VISITS: u64 = 30_000_000;
/// Longest settling time, in seconds.
const MAX_SETTLE_SECONDS: f64 = 15.0;
/// A world counts as still if no bone rotates by more than this angle (radians) per tick of the default rate for this
/// time (seconds).
const STILL_THRESHOLD: (f32, f64) = (2e-5, 0.2);

/// The criteria by which a world counts as still.
#[derive(Clone, Debug)]
pub(super) struct SettleCriteria {
    /// Duration of a tick, in seconds.
    dt: f32,
    /// Maximum rotation of a bone per still tick, in radians.
    max_rotation: f32,
    /// Number of consecutive still ticks that end settling.
    ticks: u32,
    /// Number of ticks after which settling stops.
    max_ticks: u32,
}

#[derive(Clone, Debug)]
pub(super) struct SettleProgress {
    criteria: SettleCriteria,
    steps: u32,
    /// Number of consecutive steps without motion.
    still_steps: u32,
    visits: u64,
}

impl SettleProgress {
    pub(super) fn new(criteria: SettleCriteria) -> Self {
        Self { criteria, steps: 0, still_steps: 0, visits: 0 }
    }

    /// Steps until the world is still, or until `visits` is used up. Sets both poses in `poses` to the pose of the
    /// world. Returns whether settling has ended.
    pub(super) fn advance(&mut self, world: &mut World, poses: &mut PoseBuffers, visits: u64) -> bool {
        let criteria = &self.criteria;
        let each = world.workloads(criteria.dt).map(|work| work.visits).sum::<u64>().max(1);
        let until = self.visits.saturating_add(visits);
        let mut ended = self.steps >= criteria.max_ticks;
        while !ended && self.visits < until {
            poses.previous.copy_from(world.pose());
            world.step(&StepInput { pose: &poses.input, grab: None, dt: criteria.dt });
            let turns = |a: Quat, b: Quat| (a - b).length() * 2.0;
            let bones = poses.previous.local.iter().zip(&world.pose().local);
            let is_calm = bones.into_iter().all(|(a, b)| turns(a.rotation, b.rotation) < criteria.max_rotation);
            self.still_steps = if is_calm { self.still_steps + 1 } else { 0 };
            self.steps += 1;
            self.visits += each;
            ended = self.still_steps == criteria.ticks
                || self.steps >= criteria.max_ticks
                || self.visits >= MAX_SETTLE_VISITS;
        }
        poses.previous.copy_from(world.pose());
        ended
    }
}

impl Playback {
    /// Returns the criteria for settling within `most` seconds.
    pub(super) fn settle_criteria(&self, most: f64) -> SettleCriteria {
        SettleCriteria {
            dt: self.tick_seconds() as f32,
            max_rotation: STILL_THRESHOLD.0 * (f64::from(DEFAULT_FRAME_RATE) * self.tick_seconds()) as f32,
            ticks: self.ticks_for(STILL_THRESHOLD.1),
            // Some solvers take one step per tick of any length, so a low frame rate needs as many ticks as the default
            // rate.
            max_ticks: self.ticks_for(most).max((most * f64::from(DEFAULT_FRAME_RATE)) as u32),
        }
    }

    /// Restarts the followers, and settles all worlds without displaying the steps. Long settling continues in later
    /// frames.
    pub(super) fn settle(&mut self) {
        let criteria = self.settle_criteria(MAX_SETTLE_SECONDS);
        self.followers.restart(&self.poses.input, &criteria);
        self.settling = Some(Box::new(SettleProgress::new(criteria)));
        self.continue_settling(SETTLE_VISITS_ON_RESET);
    }

    /// Continues settling. The worlds share the visits.
    pub(super) fn continue_settling(&mut self, visits: u64) {
        let visits = (visits / (1 + self.followers.count() as u64)).max(1);
        if let Some(settling) = &mut self.settling
            && settling.advance(&mut self.world, &mut self.poses, visits)
        {
            self.settling = None;
        }
        self.followers.continue_settling(visits);
    }

    /// Returns whether a world is still settling before the motion starts.
    pub fn is_settling(&self) -> bool {
        self.settling.is_some() || self.followers.is_settling()
    }
}
