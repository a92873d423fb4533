//! Assigns rows to columns so that the sum of the scores is as large as possible.
//!
//! The Hungarian method with potentials, one row after another (Kuhn 1955, Jonker and Volgenant 1987). Scores are
//! integers inside, so the result does not depend on rounding. A greedy assignment is shorter, but it gives a bone to the
//! first of two similar rows, and leaves a poor bone for the second.

/// Scores are rounded to this fraction.
const SCORE_STEPS: f64 = 1_048_576.0;
const FAR: i64 = i64::MAX / 4;

/// Returns the column of each row. `scores` contains the possible columns of each row with their scores, which are
/// greater than 0. A row stays unassigned if other rows use its columns better.
pub(super) fn best_assignment(scores: &[Vec<(usize, f32)>]) -> Vec<Option<usize>> {
    let columns = scores.iter().flatten().map(|(column, _)| column + 1).max().unwrap_or(0);
    let mut search = AssignmentSearch::new(scores, columns);
    for row in 0..scores.len() {
        search.assign_row(row);
    }
    let mut found = vec![None; scores.len()];
    for (column, row) in search.row_of_column.iter().take(columns).enumerate() {
        if let Some(row) = row {
            found[*row] = Some(column);
        }
    }
    found
}

struct AssignmentSearch {
    /// The costs of each row's columns. The last column of a row means that the row stays unassigned.
    costs: Vec<Vec<(usize, i64)>>,
    row_prices: Vec<i64>,
    column_prices: Vec<i64>,
    row_of_column: Vec<Option<usize>>,
}

impl AssignmentSearch {
    fn new(scores: &[Vec<(usize, f32)>], columns: usize) -> Self {
        let cost = |score: f32| -((f64::from(score) * SCORE_STEPS).round() as i64);
        let of_row = |(row, all): (usize, &Vec<(usize, f32)>)| {
            let real = all.iter().map(|(column, score)| (*column, cost(*score)));
            real.chain([(columns + row, 0)]).collect()
        };
        Self {
            costs: scores.iter().enumerate().map(of_row).collect(),
            row_prices: vec![0; scores.len()],
            column_prices: vec![0; columns + scores.len()],
            row_of_column: vec![None; columns + scores.len()],
        }
    }

    /// Assigns one more row along the cheapest path of changed assignments.
    fn assign_row(&mut self, start: usize) {
        let all = self.row_of_column.len();
        let (mut distance, mut previous, mut is_done) = (vec![FAR; all], vec![None; all], vec![false; all]);
        let (mut row, mut from, mut visited) = (start, None, vec![(start, 0_i64)]);
        let mut travelled = 0_i64;
        let end = loop {
            for &(column, cost) in &self.costs[row] {
                let reached = travelled + cost - self.row_prices[row] - self.column_prices[column];
                if !is_done[column] && reached < distance[column] {
                    (distance[column], previous[column]) = (reached, from);
                }
            }
            let open = (0..all).filter(|column| !is_done[*column]);
            let Some(nearest) = open.min_by_key(|column| distance[*column]) else { return };
            travelled = distance[nearest];
            is_done[nearest] = true;
            let Some(next) = self.row_of_column[nearest] else { break nearest };
            (row, from) = (next, Some(nearest));
            visited.push((next, travelled));
        };
        for (row, reached) in visited {
            self.row_prices[row] += travelled - reached;
        }
        for column in (0..all).filter(|column| is_done[*column]) {
            self.column_prices[column] -= travelled - distance[column];
        }
        let mut column = end;
        while let Some(before) = previous[column] {
            self.row_of_column[column] = self.row_of_column[before];
            column = before;
        }
        self.row_of_column[column] = Some(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(scores: &[Vec<(usize, f32)>], found: &[Option<usize>]) -> f32 {
        let of_row = |(row, column): (&Vec<(usize, f32)>, &Option<usize>)| {
            row.iter().find(|(at, _)| Some(*at) == *column).map_or(0.0, |(_, score)| *score)
        };
        scores.iter().zip(found).map(of_row).sum()
    }

    /// The largest sum, by trying everything.
    fn largest_sum(scores: &[Vec<(usize, f32)>], used: &mut Vec<usize>) -> f32 {
        let Some((first, rest)) = scores.split_first() else { return 0.0 };
        let mut best = largest_sum(rest, used);
        for (column, score) in first {
            if !used.contains(column) {
                used.push(*column);
                best = best.max(score + largest_sum(rest, used));
                used.pop();
            }
        }
        best
    }

    #[test]
    fn the_sum_is_the_largest_of_all_assignments() {
        let mut state = 1_u32;
        let mut random = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for case in 0..300 {
            let (rows, columns) = (1 + case % 5, 1 + case / 5 % 6);
            let table: Vec<Vec<(usize, f32)>> = (0..rows)
                .map(|_| {
                    let all = (0..columns).filter_map(|at| {
                        let score = random() % 16;
                        (score > 3).then_some((at, score as f32 / 16.0))
                    });
                    all.collect()
                })
                .collect();
            let found = best_assignment(&table);
            let mut used: Vec<usize> = found.iter().flatten().copied().collect();
            let count = used.len();
            used.sort_unstable();
            used.dedup();
            assert_eq!(used.len(), count, "a column is used once: {found:?}");
            assert_eq!(sum(&table, &found), largest_sum(&table, &mut Vec::new()), "{table:?}: {found:?}");
        }
    }

    #[test]
    fn a_row_yields_a_column_to_a_row_that_has_no_other() {
        let table = [vec![(0, 0.9), (1, 0.85)], vec![(0, 0.8)], Vec::new()];
        assert_eq!(best_assignment(&table), [Some(1), Some(0), None]);
        assert!(best_assignment(&[]).is_empty());
    }
}
