//! A Levenberg-Marquardt solver for many small problems that share each costly evaluation.
//!
//! One simulation moves all chains, so all problems are evaluated together. Each problem has its own point, step and
//! damping. Derivatives are finite differences. Between two measurements, the derivatives follow the steps by Broyden's
//! update (Broyden, Mathematics of Computation 1965), because a measurement costs one evaluation per unknown. Candidates
//! that do not depend on each other are evaluated in one call, which can use several threads. Existing solver crates run
//! their own loop and evaluate one problem at a time, which would cost one simulation per chain.

use std::ops::ControlFlow;

/// Maximum offset of a point from the start, in units of its problem.
const MAX_OFFSET: f64 = 3.0;
/// The step of the finite differences.
const DIFFERENCE_STEP: f64 = 0.04;
/// Each step tries these multiples of the damping together, and takes the best.
const DAMPING_FACTORS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// A problem has converged after this number of steps without gain.
const MAX_STALLED_STEPS: u32 = 2;
/// If the relative gain of a step with updated derivatives is lower, the derivatives are measured again.
const MIN_GAIN_OF_UPDATED_JACOBIAN: f64 = 0.1;
/// An estimate for the progress: measurements of all derivatives in one search.
const EXPECTED_MEASUREMENTS: usize = 3;
/// Initial, minimum and maximum damping.
const INITIAL_MIN_MAX_DAMPING: (f64, f64, f64) = (1e-2, 1e-7, 1e7);

/// One point per problem.
pub(super) type Points = Vec<Vec<f64>>;
/// The residuals of each problem. Empty for problems that were not evaluated.
pub(super) type Residuals = Vec<Vec<f32>>;

/// The objective of the search.
pub(super) trait Objective {
    /// Whether the point of one problem affects the residuals of another problem.
    fn couples_problems(&self) -> bool;
    /// Whether two points of a problem can have different residuals.
    fn can_differ(&self, problem: usize, a: &[f64], b: &[f64]) -> bool;
    /// The residuals of the active problems at each candidate. The other problems have the same point in all candidates
    /// of a call. Can cancel the search.
    fn evaluate(&mut self, candidates: &[Points], active: &[bool]) -> ControlFlow<(), Vec<Residuals>>;
    /// Called between evaluations during long computations. Can cancel the search.
    fn check_cancelled(&mut self) -> ControlFlow<()>;
}

/// The effort of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchPlan {
    /// The number of random points before the first step.
    pub(super) random_samples: usize,
    /// The range of the random points.
    pub(super) sample_spread: f64,
    /// The maximum number of steps.
    pub(super) max_steps: usize,
    /// If the relative gain of a step is lower, the problem may have converged.
    pub(super) min_gain: f64,
}

impl SearchPlan {
    /// The approximate number of evaluations for the largest problem.
    pub(super) fn max_evaluations(self, unknowns: usize) -> usize {
        1 + self.random_samples
            + self.max_steps * (1 + DAMPING_FACTORS.len())
            + EXPECTED_MEASUREMENTS.min(self.max_steps) * unknowns
    }
}

/// `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014): deterministic pseudo-random numbers.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(pub(super) u64);

impl SplitMix64 {
    fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A sample in -1..=1, with a higher density around 0.
    fn centered_sample(&mut self) -> f64 {
        let one = |bits: u64| (bits >> 11) as f64 / (1_u64 << 53) as f64;
        let mut sum = 0.0;
        for _ in 0..3 {
            sum += one(self.next_u64());
        }
        (sum - 1.5) / 1.5
    }
}

/// What is known about the derivative by one unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ProbeDirection {
    Forward,
    /// Away from a limit at which nothing changes.
    Backward,
    /// Neither direction changes anything.
    WithoutEffect,
}

impl ProbeDirection {
    /// The direction to try if this direction changes nothing.
    fn next(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward | Self::WithoutEffect => Self::WithoutEffect,
        }
    }

    fn step(self) -> f64 {
        if self == Self::Backward { -DIFFERENCE_STEP } else { DIFFERENCE_STEP }
    }
}

struct LeastSquaresState {
    point: Vec<f64>,
    residual: Vec<f32>,
    cost: f64,
    damping: f64,
    probes: Vec<ProbeDirection>,
    /// The unknowns whose derivatives are measured before the next step.
    unmeasured: Vec<usize>,
    jacobian: Jacobian,
    /// Whether the point moved since the derivatives were measured.
    has_moved: bool,
    stalled_steps: u32,
}

/// The derivatives of the residuals.
#[derive(Default)]
struct Jacobian {
    columns: Vec<Vec<f32>>,
    /// The products of all pairs of columns, row by row.
    normal_matrix: Vec<f64>,
}

/// Minimizes several problems together. `unknowns` contains the number of unknowns of each problem. Every search starts
/// at 0.
pub(super) fn minimize(
    unknowns: &[usize],
    plan: SearchPlan,
    random: &mut SplitMix64,
    objective: &mut impl Objective,
) -> ControlFlow<(), Points> {
    let start: Points = unknowns.iter().map(|n| vec![0.0; *n]).collect();
    let all = vec![true; unknowns.len()];
    let found = objective.evaluate(std::slice::from_ref(&start), &all)?.swap_remove(0);
    let problems = start.into_iter().zip(found).map(|(point, residual)| LeastSquaresState::new(point, residual));
    let mut problems: Vec<LeastSquaresState> = problems.collect();
    sample_randomly(&mut problems, plan, random, objective)?;
    for _ in 0..plan.max_steps {
        if !step_all(&mut problems, plan, objective)? {
            break;
        }
    }
    ControlFlow::Continue(problems.into_iter().map(|p| p.point).collect())
}

fn sample_randomly(
    problems: &mut [LeastSquaresState],
    plan: SearchPlan,
    random: &mut SplitMix64,
    objective: &mut impl Objective,
) -> ControlFlow<()> {
    let mut sample = |p: &LeastSquaresState| {
        p.point.iter().map(|_| random.centered_sample() * plan.sample_spread).collect::<Vec<f64>>()
    };
    let candidates: Vec<Points> =
        (0..plan.random_samples).map(|_| problems.iter().map(&mut sample).collect()).collect();
    let found = objective.evaluate(&candidates, &vec![true; problems.len()])?;
    for (points, residuals) in candidates.into_iter().zip(found) {
        for (problem, (point, residual)) in problems.iter_mut().zip(points.into_iter().zip(residuals)) {
            let cost = sum_of_squares(&residual);
            if cost < problem.cost {
                (problem.point, problem.residual, problem.cost) = (point, residual, cost);
            }
        }
    }
    ControlFlow::Continue(())
}

/// Performs one step of every problem that has not converged. Returns whether there is such a problem.
fn step_all(
    problems: &mut [LeastSquaresState],
    plan: SearchPlan,
    objective: &mut impl Objective,
) -> ControlFlow<(), bool> {
    let active: Vec<bool> = problems.iter().map(LeastSquaresState::is_active).collect();
    if !active.contains(&true) {
        return ControlFlow::Continue(false);
    }
    if objective.couples_problems() {
        let points: Points = problems.iter().map(|p| p.point.clone()).collect();
        let here = objective.evaluate(&[points], &active)?.swap_remove(0);
        for ((problem, residual), _) in problems.iter_mut().zip(here).zip(&active).filter(|(_, active)| **active) {
            problem.cost = sum_of_squares(&residual);
            problem.residual = residual;
        }
    }
    measure_jacobians(problems, &active, objective)?;
    let mut tries: Vec<Points> = vec![Vec::with_capacity(problems.len()); DAMPING_FACTORS.len()];
    for problem in problems.iter() {
        let gradient = problem.is_active().then(|| problem.gradient());
        for (points, factor) in tries.iter_mut().zip(DAMPING_FACTORS) {
            points.push(match &gradient {
                Some(gradient) => problem.damped_step(gradient, factor),
                None => problem.point.clone(),
            });
        }
    }
    let mut found = objective.evaluate(&tries, &active)?;
    for (at, problem) in problems.iter_mut().enumerate().filter(|(at, _)| active[*at]) {
        let residuals = found.iter_mut().map(|residuals| std::mem::take(&mut residuals[at])).collect();
        problem.take_best(tries.iter().map(|points| points[at].as_slice()), residuals, plan.min_gain);
    }
    ControlFlow::Continue(true)
}

/// Measures the requested derivatives of all active problems. Each evaluation probes one unknown per problem.
fn measure_jacobians(
    problems: &mut [LeastSquaresState],
    active: &[bool],
    objective: &mut impl Objective,
) -> ControlFlow<()> {
    let measured: Vec<bool> =
        problems.iter().zip(active).map(|(p, active)| *active && !p.unmeasured.is_empty()).collect();
    for (at, problem) in problems.iter_mut().enumerate().filter(|(at, _)| measured[*at]) {
        problem.skip_unknowns_without_effect(|point, probed| objective.can_differ(at, point, probed));
    }
    let count = |(p, measured): (&LeastSquaresState, &bool)| if *measured { p.unmeasured.len() } else { 0 };
    let counts: Vec<usize> = problems.iter().zip(&measured).map(count).collect();
    let mut first = 0;
    // The problems with the fewest unknowns end first. The next problems are then evaluated without them.
    while let Some(end) = counts.iter().copied().filter(|count| *count > first).min() {
        let probed: Vec<bool> = counts.iter().map(|count| *count > first).collect();
        let candidate = |nth: usize| -> Points {
            let point = |(p, probed): (&LeastSquaresState, &bool)| {
                if *probed { p.probed_point(p.unmeasured[nth]) } else { p.point.clone() }
            };
            problems.iter().zip(&probed).map(point).collect()
        };
        let candidates: Vec<Points> = (first..end).map(candidate).collect();
        for (nth, residuals) in (first..end).zip(objective.evaluate(&candidates, &probed)?) {
            for (problem, residual) in
                problems.iter_mut().zip(residuals).zip(&probed).filter(|(_, probed)| **probed).map(|(pair, _)| pair)
            {
                problem.store_derivative(problem.unmeasured[nth], &residual);
            }
        }
        first = end;
    }
    for (problem, _) in problems.iter_mut().zip(&measured).filter(|(_, measured)| **measured) {
        problem.finish_measurement(objective)?;
    }
    ControlFlow::Continue(())
}

impl LeastSquaresState {
    fn new(point: Vec<f64>, residual: Vec<f32>) -> Self {
        let n = point.len();
        Self {
            cost: sum_of_squares(&residual),
            damping: INITIAL_MIN_MAX_DAMPING.0,
            probes: vec![ProbeDirection::Forward; n],
            unmeasured: (0..n).collect(),
            jacobian: Jacobian { columns: vec![Vec::new(); n], ..Jacobian::default() },
            has_moved: false,
            stalled_steps: 0,
            point,
            residual,
        }
    }

    fn is_active(&self) -> bool {
        self.cost > 0.0 && self.stalled_steps < MAX_STALLED_STEPS && self.measurable().next().is_some()
    }

    fn probed_point(&self, unknown: usize) -> Vec<f64> {
        let mut point = self.point.clone();
        point[unknown] += self.probes[unknown].step();
        point
    }

    /// Chooses the direction of each measurement so that the probed point can have other residuals. Unknowns without such
    /// a direction are not measured.
    fn skip_unknowns_without_effect(&mut self, can_differ: impl Fn(&[f64], &[f64]) -> bool) {
        for unknown in std::mem::take(&mut self.unmeasured) {
            while self.probes[unknown] != ProbeDirection::WithoutEffect
                && !can_differ(&self.point, &self.probed_point(unknown))
            {
                self.probes[unknown] = self.probes[unknown].next();
            }
            if self.probes[unknown] == ProbeDirection::WithoutEffect {
                self.jacobian.columns[unknown] = vec![0.0; self.residual.len()];
            } else {
                self.unmeasured.push(unknown);
            }
        }
    }

    /// Stores a derivative of the residuals. If it is zero, the other direction is measured next, once.
    fn store_derivative(&mut self, unknown: usize, residual: &[f32]) {
        let by = self.probes[unknown].step() as f32;
        let change = residual.iter().zip(&self.residual).map(|(then, now)| (then - now) / by);
        let slope: Vec<f32> = change.map(|s| if s.is_finite() { s } else { 0.0 }).collect();
        if slope.iter().all(|s| *s == 0.0) {
            self.probes[unknown] = self.probes[unknown].next();
        }
        self.jacobian.columns[unknown] = slope;
    }

    fn finish_measurement(&mut self, objective: &mut impl Objective) -> ControlFlow<()> {
        self.has_moved &= self.unmeasured.len() < self.measurable().count();
        self.jacobian.compute_normal_matrix(objective)?;
        let turned = |unknown: &usize| {
            self.probes[*unknown] == ProbeDirection::Backward
                && self.jacobian.columns[*unknown].iter().all(|slope| *slope == 0.0)
        };
        self.unmeasured = (0..self.point.len()).filter(turned).collect();
        ControlFlow::Continue(())
    }

    fn measurable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.point.len()).filter(|unknown| self.probes[*unknown] != ProbeDirection::WithoutEffect)
    }

    /// Half the derivative of the cost.
    fn gradient(&self) -> Vec<f64> {
        self.jacobian.columns.iter().map(|column| dot(column, &self.residual)).collect()
    }

    fn damped_step(&self, gradient: &[f64], damping_factor: f64) -> Vec<f64> {
        let n = self.point.len();
        let mut matrix = self.jacobian.normal_matrix.clone();
        let steepest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
        let damping = (self.damping * damping_factor).clamp(INITIAL_MIN_MAX_DAMPING.1, INITIAL_MIN_MAX_DAMPING.2);
        for i in 0..n {
            let own = matrix[i * n + i];
            // The damping keeps unknowns without effect at their value.
            matrix[i * n + i] = own + damping * own.max(1e-3 * steepest) + f64::MIN_POSITIVE;
        }
        let Some(down) = solve_cholesky(matrix, gradient) else { return self.point.clone() };
        self.point.iter().zip(down).map(|(x, by)| (x - by.clamp(-1.0, 1.0)).clamp(-MAX_OFFSET, MAX_OFFSET)).collect()
    }

    /// Moves to the best of the tried points if it is better than the current point, and updates the derivatives.
    fn take_best<'a>(&mut self, points: impl Iterator<Item = &'a [f64]>, residuals: Residuals, min_gain: f64) {
        let tries = points.zip(residuals).zip(DAMPING_FACTORS);
        let tries = tries.map(|((point, residual), factor)| (sum_of_squares(&residual), point, residual, factor));
        let Some((cost, point, residual, factor)) = tries.min_by(|a, b| a.0.total_cmp(&b.0)) else { return };
        self.jacobian.update(&self.point, &self.residual, point, &residual);
        let gain = if cost < self.cost { 1.0 - cost / self.cost } else { 0.0 };
        if self.has_moved && gain < MIN_GAIN_OF_UPDATED_JACOBIAN {
            self.unmeasured = self.measurable().collect();
        } else if gain >= min_gain {
            self.stalled_steps = 0;
        } else if self.unmeasured.is_empty() {
            self.stalled_steps += 1;
        }
        if cost < self.cost {
            (self.point, self.residual, self.cost) = (point.to_vec(), residual, cost);
            self.damping = (self.damping * factor).clamp(INITIAL_MIN_MAX_DAMPING.1, INITIAL_MIN_MAX_DAMPING.2);
            self.has_moved = true;
        } else {
            self.damping = (self.damping * 1000.0).min(INITIAL_MIN_MAX_DAMPING.2);
        }
    }
}

impl Jacobian {
    fn compute_normal_matrix(&mut self, objective: &mut impl Objective) -> ControlFlow<()> {
        let n = self.columns.len();
        self.normal_matrix = vec![0.0; n * n];
        let length = self.columns.first().map_or(0, Vec::len);
        // All columns together are larger than the cache of a CPU core, but a block of each is not.
        for start in (0..length).step_by(COLUMN_BLOCK) {
            objective.check_cancelled()?;
            let block = start..length.min(start + COLUMN_BLOCK);
            for i in 0..n {
                for j in 0..=i {
                    let product = dot(&self.columns[i][block.clone()], &self.columns[j][block.clone()]);
                    self.normal_matrix[i * n + j] += product;
                }
            }
        }
        for i in 0..n {
            for j in 0..i {
                self.normal_matrix[j * n + i] = self.normal_matrix[i * n + j];
            }
        }
        ControlFlow::Continue(())
    }

    /// Broyden's update: the smallest change with which the derivatives explain the last step.
    fn update(&mut self, before: &[f64], residual_before: &[f32], after: &[f64], residual_after: &[f32]) {
        let moved: Vec<f64> = after.iter().zip(before).map(|(after, before)| after - before).collect();
        let squared: f64 = moved.iter().map(|by| by * by).sum();
        if squared == 0.0 || !sum_of_squares(residual_after).is_finite() {
            return;
        }
        let mut unexplained: Vec<f32> =
            residual_after.iter().zip(residual_before).map(|(after, before)| after - before).collect();
        for (column, by) in self.columns.iter().zip(&moved).filter(|(_, by)| **by != 0.0) {
            unexplained.iter_mut().zip(column).for_each(|(change, slope)| *change -= slope * *by as f32);
        }
        for change in &mut unexplained {
            *change /= squared as f32;
        }
        let products: Vec<f64> = self.columns.iter().map(|column| dot(column, &unexplained)).collect();
        let own = dot(&unexplained, &unexplained);
        let n = self.columns.len();
        for i in 0..n {
            for j in 0..n {
                self.normal_matrix[i * n + j] +=
                    products[i] * moved[j] + moved[i] * products[j] + own * moved[i] * moved[j];
            }
        }
        for (column, by) in self.columns.iter_mut().zip(&moved).filter(|(_, by)| **by != 0.0) {
            column.iter_mut().zip(&unexplained).for_each(|(slope, change)| *slope += change * *by as f32);
        }
    }
}

/// Number of elements of each column that are multiplied before the next elements.
const COLUMN_BLOCK: usize = 512;
/// Number of products that are added in single precision, before the sum is added in double precision.
const DOT_BLOCK: usize = 64;
/// Number of independent sums. The CPU adds them together.
const DOT_LANES: usize = 8;

/// The dot product. Sums in single precision are short, so their rounding errors stay near those of the elements.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let block = |(a, b): (&[f32], &[f32])| {
        let mut sums = [0.0_f32; DOT_LANES];
        let (lanes_a, lanes_b) = (a.chunks_exact(DOT_LANES), b.chunks_exact(DOT_LANES));
        let rest: f32 = lanes_a.remainder().iter().zip(lanes_b.remainder()).map(|(a, b)| a * b).sum();
        for (a, b) in lanes_a.zip(lanes_b) {
            for i in 0..DOT_LANES {
                sums[i] += a[i] * b[i];
            }
        }
        f64::from(sums.iter().sum::<f32>() + rest)
    };
    debug_assert_eq!(a.len(), b.len());
    a.chunks(DOT_BLOCK).zip(b.chunks(DOT_BLOCK)).map(block).sum()
}

/// The sum of squares. Infinite if a residual is NaN.
fn sum_of_squares(residual: &[f32]) -> f64 {
    let sum = dot(residual, residual);
    if sum.is_finite() { sum } else { f64::INFINITY }
}

/// Solves a symmetric positive definite system by Cholesky factorization. Returns `None` if the matrix is not positive
/// definite.
fn solve_cholesky(mut m: Vec<f64>, right: &[f64]) -> Option<Vec<f64>> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| m[i * n + k] * m[j * n + k]).sum();
            let left = m[i * n + j] - known;
            if i == j {
                m[i * n + i] = Some(left.sqrt()).filter(|d| d.is_finite() && *d > 0.0)?;
            } else {
                m[i * n + j] = left / m[j * n + j];
            }
        }
    }
    let mut x = right.to_vec();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| m[i * n + k] * x[k]).sum();
        x[i] = (x[i] - known) / m[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| m[k * n + i] * x[k]).sum();
        x[i] = (x[i] - known) / m[i * n + i];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: SearchPlan = SearchPlan { random_samples: 6, sample_spread: 0.5, max_steps: 40, min_gain: 2e-3 };

    /// An objective that calls a function and records the evaluated points.
    struct FunctionObjective<F> {
        function: F,
        evaluated: Vec<Points>,
        /// Problem and unknown.
        unused: Vec<(usize, usize)>,
        coupled: bool,
    }

    impl<F: FnMut(&[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>>> Objective for FunctionObjective<F> {
        fn couples_problems(&self) -> bool {
            self.coupled
        }

        fn can_differ(&self, problem: usize, a: &[f64], b: &[f64]) -> bool {
            a.iter().zip(b).enumerate().any(|(unknown, (a, b))| a != b && !self.unused.contains(&(problem, unknown)))
        }

        fn evaluate(&mut self, candidates: &[Points], active: &[bool]) -> ControlFlow<(), Vec<Residuals>> {
            let mut found = Vec::new();
            for points in candidates {
                self.evaluated.push(points.clone());
                let all = (self.function)(points)?.into_iter().zip(active);
                // Nothing may depend on the residuals of problems that are not evaluated.
                found.push(all.map(|(residual, active)| if *active { residual } else { Vec::new() }).collect());
            }
            ControlFlow::Continue(found)
        }

        fn check_cancelled(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn minimize_recorded(
        unknowns: &[usize],
        plan: SearchPlan,
        seed: u64,
        f: impl FnMut(&[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>>,
    ) -> (Option<Points>, Vec<Points>) {
        let mut objective = FunctionObjective { function: f, evaluated: Vec::new(), unused: Vec::new(), coupled: true };
        let found = minimize(unknowns, plan, &mut SplitMix64(seed), &mut objective).continue_value();
        (found, objective.evaluated)
    }

    /// Two problems: Rosenbrock's function, and a fit of the frequency and damping of an oscillation.
    fn rosenbrock_and_oscillation(points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>> {
        let (x, y) = (points[0][0], points[0][1]);
        let valley = vec![(10.0 * (y - x * x)) as f32, (1.0 - x) as f32];
        let swing = |speed: f64, loss: f64| {
            (0..120).map(move |i| f64::from(i) / 60.0).map(move |t| libm::exp(-loss * t) * libm::sin(speed * t))
        };
        let (speed, loss) = (9.0 * libm::exp(points[1][0]), 2.0 * libm::exp(points[1][1]));
        let off = swing(speed, loss).zip(swing(12.0, 1.0)).map(|(a, b)| (a - b) as f32).collect();
        ControlFlow::Continue(vec![valley, off])
    }

    #[test]
    fn problems_evaluated_together_are_all_solved() {
        let (found, looks) = minimize_recorded(&[2, 2], PLAN, 1, rosenbrock_and_oscillation);
        let found = found.expect("not cancelled");
        assert!((found[0][0] - 1.0).abs() < 1e-2 && (found[0][1] - 1.0).abs() < 2e-2, "{found:?}");
        let (speed, loss) = (9.0 * libm::exp(found[1][0]), 2.0 * libm::exp(found[1][1]));
        assert!((speed - 12.0).abs() < 1e-2 && (loss - 1.0).abs() < 1e-2, "{speed} {loss}");
        assert!(looks.len() < 300, "{} looks", looks.len());
    }

    #[test]
    fn equal_seeds_evaluate_equal_points_and_other_seeds_do_not() {
        assert_eq!(
            minimize_recorded(&[2, 2], PLAN, 7, rosenbrock_and_oscillation),
            minimize_recorded(&[2, 2], PLAN, 7, rosenbrock_and_oscillation)
        );
        assert_ne!(
            minimize_recorded(&[2, 2], PLAN, 7, rosenbrock_and_oscillation).1[1],
            minimize_recorded(&[2, 2], PLAN, 8, rosenbrock_and_oscillation).1[1]
        );
    }

    #[test]
    fn a_zero_derivative_is_measured_again_in_the_other_direction() {
        let bent = |points: &[Vec<f64>]| ControlFlow::Continue(vec![vec![(points[0][0].min(0.0) + 1.0) as f32]]);
        let found =
            minimize_recorded(&[1], SearchPlan { random_samples: 0, ..PLAN }, 0, bent).0.expect("not cancelled");
        assert!((found[0][0] + 1.0).abs() < 1e-2, "{found:?}");
    }

    #[test]
    fn unknowns_without_effect_are_not_probed() {
        let evaluate = |unused: Vec<(usize, usize)>| {
            let function =
                |points: &[Vec<f64>]| rosenbrock_and_oscillation(&[points[0].clone(), points[1][1..].to_vec()]);
            let mut objective = FunctionObjective { function, evaluated: Vec::new(), unused, coupled: true };
            let plan = SearchPlan { random_samples: 0, ..PLAN };
            let found = minimize(&[2, 3], plan, &mut SplitMix64(1), &mut objective).continue_value();
            let probes = objective.evaluated.iter().filter(|points| points[1].first().is_some_and(|x| *x != 0.0));
            (found.expect("not cancelled"), probes.count())
        };
        let ((skipped, probes), (measured, more_probes)) = (evaluate(vec![(1, 0)]), evaluate(Vec::new()));
        assert_eq!(skipped[1][0], 0.0);
        // The last steps only change the last bits, and the number of steps can differ.
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        let [a, b] = [&skipped, &measured].map(|points| points.concat());
        assert!(a.iter().zip(&b).all(is_near), "skipping a measurement changed the result: {a:?}, not {b:?}");
        assert_eq!(probes, 0);
        assert!(more_probes > 0, "the measurement that is skipped moves the unknown");
    }

    #[test]
    fn uncoupled_problems_are_not_evaluated_again_before_a_step() {
        let evaluate = |coupled| {
            let function = rosenbrock_and_oscillation;
            let mut objective = FunctionObjective { function, evaluated: Vec::new(), unused: Vec::new(), coupled };
            let found = minimize(&[2, 2], PLAN, &mut SplitMix64(1), &mut objective).continue_value();
            (found.expect("not cancelled"), objective.evaluated)
        };
        let ((found, few), (same, many)) = (evaluate(false), evaluate(true));
        assert_eq!(found, same);
        assert!(few.len() < many.len(), "{} evaluations without coupling, {} with it", few.len(), many.len());
    }

    #[test]
    fn points_with_nan_residuals_are_rejected() {
        let none =
            |points: &[Vec<f64>]| ControlFlow::Continue(vec![vec![if points[0][0] == 0.0 { 1.0 } else { f32::NAN }]]);
        assert_eq!(minimize_recorded(&[1], PLAN, 3, none).0, Some(vec![vec![0.0]]));
    }

    #[test]
    fn cancelling_ends_the_search_immediately() {
        let mut looks = 0;
        let (found, seen) = minimize_recorded(&[2, 2], PLAN, 1, |points| {
            looks += 1;
            if looks == 9 { ControlFlow::Break(()) } else { rosenbrock_and_oscillation(points) }
        });
        assert!(found.is_none() && seen.len() == 9);
    }
}
