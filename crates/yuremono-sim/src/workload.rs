//! Limits the work of a system in one step of the world. The work is counted in visits, not measured in time.
//!
//! A visit is one point, body or link in one pass and takes about eight nanoseconds in a release build; more
//! expensive elements count as several visits. If substeps and iterations exceed [`MAX_VISITS`], they are reduced,
//! equally on every machine. [`Workload`] reports the reduced parameters.

use crate::params::ParamId;

/// Maximum number of visits of one system in one step of the world. In a release build these visits take three to
/// four milliseconds. A network of 500 links with two colliders each can perform 80 iterations.
pub(super) const MAX_VISITS: u64 = 400_000;
/// Number of visits for one step of a joint or particle: forces, rotation, frame and colliders.
pub(super) const VISITS_PER_JOINT: u64 = 4;
/// Maximum number of visits of a warm-up, which runs once after a reset.
pub(super) const MAX_WARM_UP_VISITS: u64 = 4_000_000;

/// A count that a parameter requests in one step of the world, and the count that is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountReduction {
    /// The parameter that requests the count; the first parameter if the count is a product of several parameters.
    pub param: ParamId,
    /// The requested count.
    pub requested: u32,
    /// The performed count.
    pub performed: u32,
}

/// The work of a system in one step of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workload {
    /// Number of performed visits.
    pub visits: u64,
    /// The counts that were reduced.
    pub reductions: [Option<CountReduction>; 3],
}

impl Workload {
    pub(super) fn new(visits: u64) -> Self {
        Self { visits, reductions: [None; 3] }
    }

    /// Adds a reduction if the performed count is below the requested count.
    pub(super) fn with_reduction(mut self, at: usize, param: ParamId, requested: u32, performed: u32) -> Self {
        self.reductions[at] = (performed < requested).then_some(CountReduction { param, requested, performed });
        self
    }
}

/// Numbers of substeps per frame and of iterations per substep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StepCounts {
    pub(super) steps: u32,
    pub(super) iterations: u32,
}

/// Numbers of visits of one substep without iterations, and of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct VisitCost {
    pub(super) step: u64,
    pub(super) iteration: u64,
}

impl StepCounts {
    pub(super) fn visits(self, cost: VisitCost) -> u64 {
        u64::from(self.steps).saturating_mul(cost.step + u64::from(self.iterations).saturating_mul(cost.iteration))
    }

    /// The counts within [`MAX_VISITS`]. Iterations are reduced before steps, and neither drops below one.
    pub(super) fn within_budget(self, cost: VisitCost) -> Self {
        if self.visits(cost) <= MAX_VISITS {
            return self;
        }
        let budget_per_step = MAX_VISITS / u64::from(self.steps.max(1));
        let iterations = budget_per_step.saturating_sub(cost.step) / cost.iteration.max(1);
        let iterations = self.iterations.min((iterations as u32).max(1));
        let step_cost = cost.step + u64::from(iterations) * cost.iteration;
        let steps = self.steps.min(((MAX_VISITS / step_cost.max(1)) as u32).max(1));
        Self { steps, iterations }
    }
}

/// Maximum number of fixed steps in a frame; time beyond them is dropped.
pub(super) const MAX_FIXED_STEPS: u32 = 20;

/// Number of steps of `h` seconds in a frame of `dt` seconds. `accumulator` keeps the seconds that no step has used
/// yet.
pub(super) fn take_fixed_steps(accumulator: &mut f64, dt: f32, h: f32) -> u32 {
    // Rounding may make a frame slightly shorter than a step.
    const NEARLY: f64 = 1.0 - 1e-4;
    let h = f64::from(h);
    *accumulator += f64::from(dt);
    let mut steps = 0;
    while *accumulator >= h * NEARLY && steps < MAX_FIXED_STEPS {
        *accumulator -= h;
        steps += 1;
    }
    if *accumulator >= h {
        *accumulator = 0.0;
    }
    steps
}

/// Splits `performed` iterations in the same ratio as the two requested counts.
pub(super) fn split_iterations(requested: [u32; 2], performed: u32) -> [u32; 2] {
    let all = requested[0] + requested[1];
    if performed >= all {
        return requested;
    }
    let first = (u64::from(requested[0]) * u64::from(performed) / u64::from(all)) as u32;
    [first, performed - first]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_above_the_budget_lose_iterations_before_steps() {
        let cost = VisitCost { step: 100, iteration: 1_000 };
        let within = |steps, iterations| StepCounts { steps, iterations }.within_budget(cost);
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

    #[test]
    fn the_count_of_fixed_steps_does_not_depend_on_the_frame_rate() {
        for frames in [24.0, 30.0, 50.0, 60.0, 144.0, 240.0] {
            for rate in [60.0, 90.0_f32] {
                let mut accumulator = 0.0;
                let count = (frames * 10.0) as u32;
                let steps: u32 = (0..count).map(|_| take_fixed_steps(&mut accumulator, 1.0 / frames, 1.0 / rate)).sum();
                assert_eq!(steps, (rate * 10.0) as u32, "{rate} steps and {frames} frames per second");
            }
        }
    }

    #[test]
    fn a_frame_as_long_as_a_step_takes_exactly_one() {
        let mut accumulator = 0.0;
        assert!((0..100_000).all(|_| take_fixed_steps(&mut accumulator, 1.0 / 60.0, 1.0 / 60.0) == 1));
    }

    #[test]
    fn time_beyond_the_step_limit_is_dropped() {
        let mut accumulator = 0.0;
        assert_eq!(take_fixed_steps(&mut accumulator, 100.0, 1.0 / 60.0), MAX_FIXED_STEPS);
        assert_eq!(take_fixed_steps(&mut accumulator, 0.0, 1.0 / 60.0), 0);
        assert_eq!(take_fixed_steps(&mut accumulator, 1e6, 1.0 / 60.0), MAX_FIXED_STEPS);
    }
}
