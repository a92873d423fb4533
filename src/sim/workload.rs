//! How much a system may do in one step of the world: counted visits, never a clock.
//!
//! A visit is one point, body or link looked at once in one pass, about eight nanoseconds in a release build; what takes
//! longer counts as several. Where substeps and iterations ask for more than
//! [`MAX_VISITS`], fewer are done, the same number on every machine. [`Workload`] tells which parameters asked for how much.

use crate::params::ParamId;

/// Most visits of one system in one step of the world: three to four milliseconds in a release build. A network of five
/// hundred links, each of which meets two colliders, can do 80 iterations.
pub(super) const MAX_VISITS: u64 = 400_000;
/// Visits of a joint or particle in one step: forces, rotation, frame and colliders.
pub(super) const VISITS_PER_JOINT: u64 = 4;
/// Most visits of a warm-up, which happens once after a reset.
pub(super) const MAX_WARM_UP_VISITS: u64 = 4_000_000;

/// A count that a parameter asks for in one step of the world, and what is done instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountReduction {
    /// The parameter; of several that are multiplied, the first.
    pub param: ParamId,
    /// How many it asks for.
    pub requested: u32,
    /// How many are done.
    pub performed: u32,
}

/// The work of one system in one step of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Visits that are made.
    pub visits: u64,
    /// What of the parameters is reduced.
    pub reductions: [Option<CountReduction>; 3],
}

impl Workload {
    /// Nothing is reduced.
    pub(super) fn new(visits: u64) -> Self {
        Self { visits, reductions: [None; 3] }
    }

    /// With a count of a parameter, where that is reduced.
    pub(super) fn with_reduction(mut self, at: usize, row: ParamId, asked: u32, done: u32) -> Self {
        self.reductions[at] =
            (done < asked).then_some(CountReduction { param: row, requested: asked, performed: done });
        self
    }
}

/// Steps of a frame, and iterations of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepCounts {
    pub(super) steps: u32,
    pub(super) iterations: u32,
}

/// Visits of one step without its iterations, and of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VisitCost {
    pub(super) step: u64,
    pub(super) iteration: u64,
}

impl StepCounts {
    /// Visits in all.
    pub(super) fn visits(self, cost: VisitCost) -> u64 {
        u64::from(self.steps).saturating_mul(cost.step + u64::from(self.iterations).saturating_mul(cost.iteration))
    }

    /// As many as [`MAX_VISITS`] allows: first fewer iterations, then fewer steps, at least one of each that was asked for.
    pub(super) fn within_budget(self, cost: VisitCost) -> Self {
        if self.visits(cost) <= MAX_VISITS {
            return self;
        }
        let budget_per_step = MAX_VISITS / u64::from(self.steps.max(1));
        let rounds = budget_per_step.saturating_sub(cost.step) / cost.iteration.max(1);
        let rounds = self.iterations.min((rounds as u32).max(1));
        let step_cost = cost.step + u64::from(rounds) * cost.iteration;
        let steps = self.steps.min(((MAX_VISITS / step_cost.max(1)) as u32).max(1));
        Self { steps, iterations: rounds }
    }
}

/// How many of `asked` iterations that are split in two parts belong to the first, where only `done` are done.
pub(super) fn split_iterations(asked: [u32; 2], done: u32) -> [u32; 2] {
    let all = asked[0] + asked[1];
    if done >= all {
        return asked;
    }
    let first = (u64::from(asked[0]) * u64::from(done) / u64::from(all)) as u32;
    [first, done - first]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_above_the_budget_lose_iterations_before_steps() {
        let cost = VisitCost { step: 100, iteration: 1_000 };
        let within = |steps, rounds| StepCounts { steps, iterations: rounds }.within_budget(cost);
        assert_eq!(within(4, 40), StepCounts { steps: 4, iterations: 40 });
        assert_eq!(within(10, 64), StepCounts { steps: 10, iterations: 39 });
        assert_eq!(within(4000, 64), StepCounts { steps: 363, iterations: 1 });
        assert_eq!(within(8000, 0), StepCounts { steps: 4000, iterations: 0 });
        let huge = VisitCost { step: 1 << 40, iteration: 1 << 40 };
        assert_eq!(StepCounts { steps: 9, iterations: 9 }.within_budget(huge), StepCounts { steps: 1, iterations: 1 });
    }

    #[test]
    fn split_iterations_reduces_both_parts_in_proportion() {
        assert_eq!(split_iterations([4, 8], 12), [4, 8]);
        assert_eq!(split_iterations([4, 8], 6), [2, 4]);
        assert_eq!(split_iterations([0, 8], 1), [0, 1]);
    }
}
