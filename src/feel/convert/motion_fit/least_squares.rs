//! A Levenberg-Marquardt solver for many small problems that share each costly evaluation.
//!
//! One simulation moves all chains, so all problems are evaluated together. Each problem has its own point, step and
//! damping. Derivatives are finite differences. Existing solver crates run their own loop and evaluate one problem at a
//! time, which would cost one simulation per chain.

use std::ops::ControlFlow;

/// Maximum offset of a point from the start, in units of its problem.
const MAX_OFFSET: f64 = 3.0;
/// The step of the finite differences.
const DIFFERENCE_STEP: f64 = 0.04;
/// Maximum number of damping values per Jacobian.
const MAX_DAMPING_TRIES: usize = 4;
/// If the relative gain of a step is lower, the search has converged.
const MIN_GAIN: f64 = 2e-3;
/// Initial, minimum and maximum damping.
const INITIAL_MIN_MAX_DAMPING: (f64, f64, f64) = (1e-2, 1e-7, 1e7);

/// The objective of the search. Both methods can cancel the search.
pub(super) trait Objective {
    /// The residuals of every problem. `points` has one point per problem.
    fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>>;
    /// Called between evaluations during long computations.
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
}

impl SearchPlan {
    /// The approximate number of evaluations for the largest problem.
    pub(super) fn max_evaluations(self, unknowns: usize) -> usize {
        1 + self.random_samples + self.max_steps * (unknowns + 3)
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

struct LeastSquaresState {
    point: Vec<f64>,
    residual: Vec<f32>,
    cost: f64,
    damping: f64,
    /// The direction of each finite difference. It points away from a limit at which nothing changes.
    probe_signs: Vec<f64>,
    /// Whether a direction was just reversed. Each direction is reversed at most once.
    sign_flipped: bool,
}

#[derive(Default)]
struct Jacobian {
    columns: Vec<Vec<f32>>,
    /// The products of all pairs of columns, row by row. `gradient` is the product of the columns with the residual.
    normal_matrix: Vec<f64>,
    gradient: Vec<f64>,
}

/// Minimizes several problems together. `unknowns` contains the number of unknowns of each problem. Every search starts
/// at 0.
pub(super) fn minimize(
    unknowns: &[usize],
    plan: SearchPlan,
    random: &mut SplitMix64,
    objective: &mut impl Objective,
) -> ControlFlow<(), Vec<Vec<f64>>> {
    let start: Vec<Vec<f64>> = unknowns.iter().map(|n| vec![0.0; *n]).collect();
    let found = objective.evaluate(&start)?;
    let problem = |(at, residual): (Vec<f64>, Vec<f32>)| LeastSquaresState {
        cost: sum_of_squares(&residual),
        probe_signs: vec![1.0; at.len()],
        sign_flipped: false,
        damping: INITIAL_MIN_MAX_DAMPING.0,
        point: at,
        residual,
    };
    let mut problems: Vec<LeastSquaresState> = start.into_iter().zip(found).map(problem).collect();
    sample_randomly(&mut problems, plan, random, objective)?;
    for _ in 0..plan.max_steps {
        if !step_all(&mut problems, objective)? {
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
    for _ in 0..plan.random_samples {
        let point =
            |p: &LeastSquaresState| p.point.iter().map(|_| random.centered_sample() * plan.sample_spread).collect();
        let points: Vec<Vec<f64>> = problems.iter().map(point).collect();
        let found = objective.evaluate(&points)?;
        for (problem, (point, residual)) in problems.iter_mut().zip(points.into_iter().zip(found)) {
            problem.take_if_better(point, residual);
        }
    }
    ControlFlow::Continue(())
}

/// Performs one step of every problem. Returns whether any problem improved.
fn step_all(problems: &mut [LeastSquaresState], objective: &mut impl Objective) -> ControlFlow<(), bool> {
    // The residuals are evaluated again, because problems affect each other through collisions.
    let here: Vec<Vec<f64>> = problems.iter().map(|p| p.point.clone()).collect();
    for (problem, residual) in problems.iter_mut().zip(objective.evaluate(&here)?) {
        problem.cost = sum_of_squares(&residual);
        problem.residual = residual;
    }
    let slopes = jacobians(problems, objective)?;
    // If a derivative is zero in one direction, the derivative in the other direction is measured.
    let turned = problems.iter_mut().any(|p| std::mem::take(&mut p.sign_flipped));
    let mut waiting: Vec<bool> = problems.iter().map(|p| !p.point.is_empty() && p.cost > 0.0).collect();
    let mut gained = false;
    for _ in 0..MAX_DAMPING_TRIES {
        let step = |((p, slopes), waits): ((&LeastSquaresState, &Jacobian), &bool)| {
            if *waits { p.damped_step(slopes) } else { p.point.clone() }
        };
        let points: Vec<Vec<f64>> = problems.iter().zip(&slopes).zip(&waiting).map(step).collect();
        let found = objective.evaluate(&points)?;
        let answers = points.into_iter().zip(found);
        for ((problem, waits), (point, residual)) in problems.iter_mut().zip(&mut waiting).zip(answers) {
            if !*waits {
                continue;
            }
            let before = problem.cost;
            if problem.take_if_better(point, residual) {
                gained |= problem.cost < before * (1.0 - MIN_GAIN);
                problem.damping = (problem.damping * 0.2).max(INITIAL_MIN_MAX_DAMPING.1);
                *waits = false;
            } else {
                problem.damping = (problem.damping * 8.0).min(INITIAL_MIN_MAX_DAMPING.2);
            }
        }
        if !waiting.contains(&true) {
            break;
        }
    }
    ControlFlow::Continue(gained || turned)
}

fn jacobians(problems: &mut [LeastSquaresState], objective: &mut impl Objective) -> ControlFlow<(), Vec<Jacobian>> {
    let most = problems.iter().map(|p| p.point.len()).max().unwrap_or(0);
    let mut slopes: Vec<Jacobian> = problems.iter().map(|_| Jacobian::default()).collect();
    for unknown in 0..most {
        let points: Vec<Vec<f64>> = problems.iter().map(|p| p.probed_point(unknown)).collect();
        for ((problem, slopes), residual) in problems.iter_mut().zip(&mut slopes).zip(objective.evaluate(&points)?) {
            if unknown < problem.point.len() {
                slopes.columns.push(problem.partial_derivative(unknown, &residual));
            }
        }
    }
    for (problem, slopes) in problems.iter().zip(&mut slopes) {
        slopes.compute_normal_equations(&problem.residual, objective)?;
    }
    ControlFlow::Continue(slopes)
}

impl LeastSquaresState {
    fn take_if_better(&mut self, point: Vec<f64>, residual: Vec<f32>) -> bool {
        let cost = sum_of_squares(&residual);
        let better = cost < self.cost;
        if better {
            (self.point, self.residual, self.cost) = (point, residual, cost);
        }
        better
    }

    fn probed_point(&self, unknown: usize) -> Vec<f64> {
        let mut point = self.point.clone();
        if let Some(value) = point.get_mut(unknown) {
            *value += DIFFERENCE_STEP * self.probe_signs[unknown];
        }
        point
    }

    /// The derivative of the residuals. If the derivative is zero, the next call measures the other direction.
    fn partial_derivative(&mut self, unknown: usize, residual: &[f32]) -> Vec<f32> {
        let by = (DIFFERENCE_STEP * self.probe_signs[unknown]) as f32;
        let change = residual.iter().zip(&self.residual).map(|(then, now)| (then - now) / by);
        let slope: Vec<f32> = change.map(|s| if s.is_finite() { s } else { 0.0 }).collect();
        if self.probe_signs[unknown] > 0.0 && slope.iter().all(|s| *s == 0.0) {
            self.probe_signs[unknown] = -1.0;
            self.sign_flipped = true;
        }
        slope
    }

    fn damped_step(&self, slopes: &Jacobian) -> Vec<f64> {
        let n = self.point.len();
        let mut matrix = slopes.normal_matrix.clone();
        let steepest = (0..n).map(|i| matrix[i * n + i]).fold(0.0, f64::max);
        for i in 0..n {
            let own = matrix[i * n + i];
            // The damping keeps unknowns without effect at their value.
            matrix[i * n + i] = own + self.damping * own.max(1e-3 * steepest) + f64::MIN_POSITIVE;
        }
        let Some(down) = solve_cholesky(matrix, &slopes.gradient) else { return self.point.clone() };
        self.point.iter().zip(down).map(|(x, by)| (x - by.clamp(-1.0, 1.0)).clamp(-MAX_OFFSET, MAX_OFFSET)).collect()
    }
}

impl Jacobian {
    fn compute_normal_equations(&mut self, residual: &[f32], objective: &mut impl Objective) -> ControlFlow<()> {
        let n = self.columns.len();
        self.normal_matrix = vec![0.0; n * n];
        for i in 0..n {
            objective.check_cancelled()?;
            for j in 0..=i {
                let product = dot(&self.columns[i], &self.columns[j]);
                self.normal_matrix[i * n + j] = product;
                self.normal_matrix[j * n + i] = product;
            }
        }
        self.gradient = self.columns.iter().map(|column| dot(column, residual)).collect();
        self.columns.clear();
        ControlFlow::Continue(())
    }
}

/// The dot product. Four independent sums let the CPU overlap the additions.
fn dot(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: f32, b: f32| f64::from(a) * f64::from(b);
    let (fours_a, fours_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let mut sums: [f64; 4] = [0.0; 4];
    let rest = fours_a.remainder().iter().zip(fours_b.remainder()).map(|(a, b)| product(*a, *b)).sum::<f64>();
    for (a, b) in fours_a.zip(fours_b) {
        for i in 0..4 {
            sums[i] += product(a[i], b[i]);
        }
    }
    sums.iter().sum::<f64>() + rest
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

    const PLAN: SearchPlan = SearchPlan { random_samples: 6, sample_spread: 0.5, max_steps: 40 };

    /// An objective that calls a function and records the evaluated points.
    struct FunctionObjective<F>(F, Vec<Vec<Vec<f64>>>);

    impl<F: FnMut(&[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>>> Objective for FunctionObjective<F> {
        fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>> {
            self.1.push(points.to_vec());
            (self.0)(points)
        }

        fn check_cancelled(&mut self) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    type Points = Vec<Vec<f64>>;

    fn minimize_recorded(
        unknowns: &[usize],
        plan: SearchPlan,
        seed: u64,
        f: impl FnMut(&[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>>,
    ) -> (Option<Points>, Vec<Points>) {
        let mut objective = FunctionObjective(f, Vec::new());
        let found = minimize(unknowns, plan, &mut SplitMix64(seed), &mut objective).continue_value();
        (found, objective.1)
    }

    /// Two problems: Rosenbrock's function, and a fit of the frequency and damping of an oscillation.
    fn rosenbrock_and_oscillation(points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>> {
        let (x, y) = (points[0][0], points[0][1]);
        let valley = vec![(10.0 * (y - x * x)) as f32, (1.0 - x) as f32];
        let swing = |speed: f64, loss: f64| {
            (0..120).map(move |i| f64::from(i) / 60.0).map(move |t| (-loss * t).exp() * (speed * t).sin())
        };
        let (speed, loss) = (9.0 * points[1][0].exp(), 2.0 * points[1][1].exp());
        let off = swing(speed, loss).zip(swing(12.0, 1.0)).map(|(a, b)| (a - b) as f32).collect();
        ControlFlow::Continue(vec![valley, off])
    }

    #[test]
    fn problems_evaluated_together_are_all_solved() {
        let (found, looks) = minimize_recorded(&[2, 2], PLAN, 1, rosenbrock_and_oscillation);
        let found = found.expect("not cancelled");
        assert!((found[0][0] - 1.0).abs() < 1e-2 && (found[0][1] - 1.0).abs() < 2e-2, "{found:?}");
        let (speed, loss) = (9.0 * found[1][0].exp(), 2.0 * found[1][1].exp());
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
