//! How much a system may do in one step of the world: counted visits, never a clock.
//!
//! A visit is one point, body or link looked at once in one pass, about eight nanoseconds in a release build; what takes
//! longer counts as several. Where substeps and iterations ask for more than
//! [`MOST`], fewer are done, the same number on every machine. [`Work`] tells which parameters asked for how much.

use crate::schema::Row;

/// Most visits of one system in one step of the world: three to four milliseconds in a release build. A network of five
/// hundred links, each of which meets two colliders, can do 80 iterations.
pub(super) const MOST: u64 = 400_000;
/// Visits of a joint or particle in one step: forces, rotation, frame and colliders.
pub(super) const JOINT: u64 = 4;
/// Most visits of a warm-up, which happens once after a reset.
pub(super) const MOST_WARM_UP: u64 = 4_000_000;

/// A count that a parameter asks for in one step of the world, and what is done instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The parameter; of several that are multiplied, the first.
    pub row: Row,
    /// How many it asks for.
    pub asked: u32,
    /// How many are done.
    pub done: u32,
}

/// The work of one system in one step of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Visits that are made.
    pub visits: u64,
    /// What of the parameters is reduced.
    pub cuts: [Option<Cut>; 3],
}

impl Work {
    /// Nothing is reduced.
    pub(super) fn of(visits: u64) -> Self {
        Self { visits, cuts: [None; 3] }
    }

    /// With a count of a parameter, where that is reduced.
    pub(super) fn with(mut self, at: usize, row: Row, asked: u32, done: u32) -> Self {
        self.cuts[at] = (done < asked).then_some(Cut { row, asked, done });
        self
    }
}

/// Steps of a frame, and iterations of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) steps: u32,
    pub(super) rounds: u32,
}

/// Visits of one step without its iterations, and of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) step: u64,
    pub(super) round: u64,
}

impl Counts {
    /// Visits in all.
    pub(super) fn visits(self, cost: Cost) -> u64 {
        u64::from(self.steps).saturating_mul(cost.step + u64::from(self.rounds).saturating_mul(cost.round))
    }

    /// As many as [`MOST`] allows: first fewer iterations, then fewer steps, at least one of each that was asked for.
    pub(super) fn within(self, cost: Cost) -> Self {
        if self.visits(cost) <= MOST {
            return self;
        }
        let each = MOST / u64::from(self.steps.max(1));
        let rounds = each.saturating_sub(cost.step) / cost.round.max(1);
        let rounds = self.rounds.min((rounds as u32).max(1));
        let whole = cost.step + u64::from(rounds) * cost.round;
        let steps = self.steps.min(((MOST / whole.max(1)) as u32).max(1));
        Self { steps, rounds }
    }
}

/// How many of `asked` iterations that are split in two parts belong to the first, where only `done` are done.
pub(super) fn split(asked: [u32; 2], done: u32) -> [u32; 2] {
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
    fn what_is_within_the_bound_stays_and_beyond_it_iterations_go_before_steps() {
        let cost = Cost { step: 100, round: 1_000 };
        let within = |steps, rounds| Counts { steps, rounds }.within(cost);
        assert_eq!(within(4, 40), Counts { steps: 4, rounds: 40 });
        assert_eq!(within(10, 64), Counts { steps: 10, rounds: 39 });
        assert_eq!(within(4000, 64), Counts { steps: 363, rounds: 1 });
        assert_eq!(within(8000, 0), Counts { steps: 4000, rounds: 0 });
        let huge = Cost { step: 1 << 40, round: 1 << 40 };
        assert_eq!(Counts { steps: 9, rounds: 9 }.within(huge), Counts { steps: 1, rounds: 1 });
    }

    #[test]
    fn iterations_in_two_parts_are_reduced_alike() {
        assert_eq!(split([4, 8], 12), [4, 8]);
        assert_eq!(split([4, 8], 6), [2, 4]);
        assert_eq!(split([0, 8], 1), [0, 1]);
    }
}
