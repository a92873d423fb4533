//! Pairs runs of two characters by words, parents, lengths, numbers and positions.
//!
//! [`RunMatcher::pairs`] rates all pairs, and [`assign_pairs`] chooses the pairs with the largest sum of scores.

use super::NamedBone;
use super::assignment::best_assignment;
use super::bone_runs::{BoneRun, BoneRuns};
use crate::document::ChainPart;
use crate::document::{names::BoneName, names::word_similarity};
use glam::Vec3;

/// Confidence of an unambiguous match by name.
const SURE_CONFIDENCE: f32 = 0.95;
/// Confidence of a match by position, if the names do not contradict the match.
const SURE_BY_POSITION_CONFIDENCE: f32 = 0.93;
/// Confidence of a match by related words, if both characters have equally many of these runs, and no run of either
/// character has the words of the other.
const SURE_BY_FAMILY_CONFIDENCE: f32 = 0.91;
/// Families with fewer runs than this do not identify each other. Both sides of the body count.
const MIN_FAMILY_RUNS: usize = 2;
/// Words with at least this similarity can name the same family.
const RELATED_WORDS: f32 = 0.7;
/// How much worse every run with other words must be.
const FAMILY_MARGIN: f32 = 0.1;
/// Maximum confidence of matches that the user must confirm.
const MAX_LIKELY_CONFIDENCE: f32 = 0.88;
/// Bones within this distance, as a fraction of the body's height, belong to the same rig.
const SAME_POSITION: f32 = 0.02;
/// Roots beyond this distance, as a fraction of the body's height, belong to different bodies or runs.
const MAX_ROOT_DISTANCE: f32 = 0.12;
/// Distance with score 0, as a fraction of the body's height.
const ZERO_SCORE_DISTANCE: f32 = 0.25;
/// Score differences below this value are ignored.
const SCORE_TOLERANCE: f32 = 0.01;
/// Words with at least this confidence can contradict each other.
const CERTAIN_WORD: f32 = 0.6;
/// Points within this distance of the midline, as a fraction of the body's height, are on neither side.
const MIDLINE_TOLERANCE: f32 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RunPair {
    pub(super) source: usize,
    pub(super) target: usize,
    /// The weighted similarity, 0 to 1.
    pub(super) score: f32,
    /// At least [`AUTO_INCLUDE_CONFIDENCE`](super::AUTO_INCLUDE_CONFIDENCE) if the pair is unambiguous.
    pub(super) confidence: f32,
    /// The similarity of the words, 0 to 1.
    pub(super) name_score: f32,
    pub(super) same_words: bool,
    /// Whether several runs match equally well.
    pub(super) ambiguous: bool,
    /// Whether the lengths are equal. Tips are not counted if a list without hierarchy omits them.
    pub(super) same_length: bool,
}

/// The similarity of two runs before the comparison with other pairs.
struct RunSimilarity {
    name_score: f32,
    score: f32,
    number_match: Option<NumberMatch>,
    same_length: bool,
    /// As a fraction of the body's height.
    root_distance: Option<f32>,
    max_distance: Option<f32>,
    anchor_score: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NumberMatch {
    Equal,
    /// The index is the same, but the numbers start at different values.
    Shifted,
    Different,
}

pub(super) struct RunMatcher<'a> {
    pub(super) source: &'a BoneRuns,
    pub(super) target: &'a BoneRuns,
    pub(super) source_bones: &'a [NamedBone],
    pub(super) target_bones: &'a [NamedBone],
    /// Replacements may swap sides deliberately.
    pub(super) allow_side_swap: bool,
}

impl RunMatcher<'_> {
    /// All pairs with at least this score, best first. `open` returns whether two runs may be paired.
    pub(super) fn pairs(&self, least: f32, open: impl Fn(usize, usize) -> bool) -> Vec<RunPair> {
        let (rows, columns) = (self.source.runs.len(), self.target.runs.len());
        let parts = [self.source, self.target].map(|side| side.runs.iter().map(part_by_words).collect::<Vec<_>>());
        let one_part = |a: usize, b: usize| match (parts[0][a], parts[1][b]) {
            (Some((p, sure)), Some((q, certain))) => p == q || sure < CERTAIN_WORD || certain < CERTAIN_WORD,
            _ => true,
        };
        let likeness = |a: usize| -> Vec<Option<RunSimilarity>> {
            (0..columns).map(|b| if open(a, b) && one_part(a, b) { self.compare(a, b) } else { None }).collect()
        };
        let table: Vec<Vec<Option<RunSimilarity>>> = (0..rows).map(likeness).collect();
        let mut pairs = Vec::new();
        for (a, row) in table.iter().enumerate() {
            let found = row.iter().enumerate().filter_map(|(b, found)| Some((b, found.as_ref()?)));
            pairs.extend(found.filter(|(_, f)| f.score >= least).map(|(b, found)| self.rate_pair(&table, a, b, found)));
        }
        let order = |p: &RunPair| (p.confidence >= super::AUTO_INCLUDE_CONFIDENCE, p.score);
        pairs.sort_by(|x, y| {
            let (first, second) = (order(x), order(y));
            second
                .0
                .cmp(&first.0)
                .then(second.1.total_cmp(&first.1))
                .then((x.source, x.target).cmp(&(y.source, y.target)))
        });
        pairs
    }

    /// Rates a pair against its rivals, which are the other pairs that contain one of its runs.
    fn rate_pair(&self, table: &[Vec<Option<RunSimilarity>>], a: usize, b: usize, found: &RunSimilarity) -> RunPair {
        let in_row = || table[a].iter().enumerate().filter(|(at, _)| *at != b).filter_map(|(_, l)| l.as_ref());
        let in_column = || table.iter().enumerate().filter(|(at, _)| *at != a).filter_map(|(_, row)| row[b].as_ref());
        let rivals = || in_row().chain(in_column());
        let (x, y) = (&self.source.runs[a], &self.target.runs[b]);
        let same_words = found.name_score > 0.999 && !x.words.is_empty();
        let ambiguous = rivals().any(|r| r.score > found.score - SCORE_TOLERANCE);
        let nearer = |r: &RunSimilarity| match (r.root_distance, found.root_distance) {
            (Some(theirs), Some(ours)) => {
                r.name_score >= found.name_score && ours > SAME_POSITION && theirs < 0.6 * ours
            }
            _ => false,
        };
        let counted = match found.number_match {
            // If the characters have different numbers of similar runs, equal run numbers do not identify a run.
            Some(NumberMatch::Equal) => x.sibling_count == y.sibling_count,
            Some(NumberMatch::Shifted) => found.root_distance.is_some(),
            _ => false,
        };
        let has_similar_root = found.root_distance.is_none_or(|d| d < MAX_ROOT_DISTANCE)
            && found.anchor_score.is_none_or(|likeness| likeness > 0.5);
        let in_family = || {
            let of_row = table[a].iter().zip(&self.target.runs).filter(|(_, other)| other.words != y.words);
            let of_row = of_row.filter(|(_, other)| !self.source.has_words(&other.words));
            let of_column = table.iter().zip(&self.source.runs).filter(|(_, other)| other.words != x.words);
            let of_column = of_column.filter(|(_, other)| !self.target.has_words(&other.words));
            let mut others =
                of_row.filter_map(|(l, _)| l.as_ref()).chain(of_column.filter_map(|(row, _)| row[b].as_ref()));
            let sizes = [self.source.family_size(&x.words), self.target.family_size(&y.words)];
            found.name_score >= RELATED_WORDS
                && sizes[0] == sizes[1]
                && sizes[0] >= MIN_FAMILY_RUNS
                && !self.source.has_words(&y.words)
                && !self.target.has_words(&x.words)
                && others.all(|other| other.score < found.score - FAMILY_MARGIN)
        };
        let by_name = (same_words || in_family())
            && x.side == y.side
            && counted
            && found.same_length
            && x.is_certain
            && has_similar_root
            && !ambiguous
            && !rivals().any(nearer);
        let alone = |r: &RunSimilarity| match (r.max_distance, found.max_distance) {
            (Some(theirs), Some(ours)) => theirs > 3.0 * ours + 0.4 * SCORE_TOLERANCE,
            _ => true,
        };
        let by_place = found.max_distance.is_some_and(|d| d < SAME_POSITION)
            && found.same_length
            && found.anchor_score.is_none_or(|likeness| likeness > 0.5)
            && (found.name_score >= 0.5 || part_by_words(x).is_none() || part_by_words(y).is_none())
            && rivals().all(alone);
        let confidence = match (by_name, by_place) {
            (true, _) if same_words => SURE_CONFIDENCE,
            (true, _) => SURE_BY_FAMILY_CONFIDENCE,
            (false, true) => SURE_BY_POSITION_CONFIDENCE,
            (false, false) => {
                found.score.min(if ambiguous { super::MAX_AMBIGUOUS_CONFIDENCE } else { MAX_LIKELY_CONFIDENCE })
            }
        };
        let ambiguous = ambiguous && !by_place;
        RunPair {
            source: a,
            target: b,
            score: found.score,
            confidence,
            name_score: found.name_score,
            same_words,
            ambiguous,
            same_length: found.same_length,
        }
    }

    /// Returns `None` if the runs cannot match.
    fn compare(&self, a: usize, b: usize) -> Option<RunSimilarity> {
        let (x, y) = (&self.source.runs[a], &self.target.runs[b]);
        if !self.allow_side_swap && x.side.is_some() && y.side.is_some() && x.side != y.side {
            return None;
        }
        let name = shared_word_score(x, y);
        let place = |i: usize| {
            let from = self.source_bones[*x.bones.get(i)?].body_position?;
            Some((from, self.target_bones[*y.bones.get(i)?].body_position?))
        };
        let root = place(0);
        if root.is_some_and(|(p, q)| {
            !self.allow_side_swap && p.x.abs().min(q.x.abs()) > MIDLINE_TOLERANCE && p.x * q.x < 0.0
        }) {
            return None;
        }
        let apart = root.map(|(p, q)| p.distance(q));
        let shared = x.bones.len().min(y.bones.len());
        let apart_all =
            (0..shared).try_fold(0.0_f32, |most, i| Some(place(i).map_or(most, |(p, q)| most.max(p.distance(q)))));
        let apart_all = apart.and(apart_all);
        // A list without hierarchy omits the tips.
        let tipless = !self.source.has_hierarchy && !x.has_end_bone;
        let same_length = x.bones.len() == y.bones.len() || (tipless && x.bones.len() + 1 == y.bones.len());
        let mut number = compare_numbers(x, y);
        // A list without hierarchy may start at any bone of a run.
        if let (false, Some(p), Some(q)) = (self.source.has_hierarchy, x.first_step_number(), y.first_step_number()) {
            match p.abs_diff(q) {
                0 => {}
                1 => number = number.map(|n| if n == NumberMatch::Equal { NumberMatch::Shifted } else { n }),
                _ => return None,
            }
        }
        let anchor = x.anchor_role.as_deref().zip(y.anchor_role.as_deref()).map(|(p, q)| compare_anchors(p, q));
        let around = self.angle_score(x, y);
        let length = if same_length { 1.0 } else { 0.6 * shared as f32 / x.bones.len().max(y.bones.len()) as f32 };
        let aspects = [
            (0.5, Some(name).filter(|_| !x.words.is_empty() && !y.words.is_empty())),
            (0.1, Some(if x.side == y.side { 1.0 } else { 0.5 })),
            (0.15, number.map(|n| [1.0, 0.9, 0.0][n as usize])),
            (0.1, Some(length)),
            (0.1, anchor),
            (0.2, apart.map(|d| (1.0 - d / ZERO_SCORE_DISTANCE).clamp(0.0, 1.0))),
            (0.1, around),
        ];
        let known = || aspects.iter().filter_map(|(weight, value)| Some((*weight, (*value)?)));
        let score = known().map(|(w, v)| w * v).sum::<f32>() / known().map(|(w, _)| w).sum::<f32>();
        // Without a common word, only the position can match.
        let has_evidence = name > 0.3 || apart.is_some_and(|d| d < MAX_ROOT_DISTANCE);
        has_evidence.then_some(RunSimilarity {
            name_score: name,
            score,
            number_match: number,
            same_length,
            root_distance: apart,
            max_distance: apart_all,
            anchor_score: anchor,
        })
    }

    /// Compares the angles around the body, 0 to 1. Returns `None` for runs on the midline.
    fn angle_score(&self, x: &BoneRun, y: &BoneRun) -> Option<f32> {
        let way = |hints: &[NamedBone], strand: &BoneRun| {
            let at = hints[*strand.bones.first()?].body_position?;
            let flat = Vec3::new(at.x, 0.0, at.z);
            (flat.length() > MIDLINE_TOLERANCE).then_some(flat)
        };
        let (p, q) = (way(self.source_bones, x)?, way(self.target_bones, y)?);
        Some((1.0 - p.angle_between(q).to_degrees() / 60.0).max(0.0))
    }
}

/// The pairs with the largest sum of scores. A run is in at most one pair. Confident pairs have priority, and long runs
/// weigh more than short runs.
pub(super) fn assign_pairs(pairs: &[&RunPair], source: &BoneRuns) -> Vec<RunPair> {
    let mut scores = vec![Vec::new(); source.runs.len()];
    for pair in pairs {
        let sure = if pair.confidence >= super::AUTO_INCLUDE_CONFIDENCE { 1.0 } else { 0.0 };
        let length = source.runs[pair.source].bones.len() as f32;
        scores[pair.source].push((pair.target, (pair.score + sure) * length));
    }
    let assigned = best_assignment(&scores);
    pairs.iter().filter(|pair| assigned[pair.source] == Some(pair.target)).map(|pair| **pair).collect()
}

/// The part that the words of a run indicate, and the confidence.
fn part_by_words(strand: &BoneRun) -> Option<(ChainPart, f32)> {
    BoneName { words: strand.words.clone(), ..BoneName::default() }.analyze().part
}

/// The fraction of words that both runs share, compared by meaning.
fn shared_word_score(x: &BoneRun, y: &BoneRun) -> f32 {
    if x.words == y.words {
        return 1.0;
    }
    let alike = |a: &str, b: &str| {
        let spelt = if a.len().min(b.len()) >= 4 { strsim::jaro_winkler(a, b) as f32 } else { 0.0 };
        word_similarity(a, b).max(if spelt > 0.9 { 0.9 * spelt } else { 0.0 })
    };
    let best = |word: &str, all: &[String]| all.iter().map(|other| alike(word, other)).fold(0.0, f32::max);
    let sum =
        |from: &[String], to: &[String]| from.iter().map(|w| super::score::word_weight(w) * best(w, to)).sum::<f32>();
    let whole: f32 = x.words.iter().chain(&y.words).map(|w| super::score::word_weight(w)).sum();
    if whole > 0.0 { (sum(&x.words, &y.words) + sum(&y.words, &x.words)) / whole } else { 0.0 }
}

fn compare_numbers(x: &BoneRun, y: &BoneRun) -> Option<NumberMatch> {
    if x.sibling_count == 1 && y.sibling_count == 1 {
        return Some(NumberMatch::Equal);
    }
    let equal = x.number.is_some() && x.number == y.number;
    Some(match (x.sibling_index, y.sibling_index) {
        (Some(p), Some(q)) if x.sibling_count == y.sibling_count && p == q => {
            if equal {
                NumberMatch::Equal
            } else {
                NumberMatch::Shifted
            }
        }
        (Some(_), Some(_)) if x.sibling_count == y.sibling_count => NumberMatch::Different,
        _ if x.number.is_none() || y.number.is_none() => return None,
        _ => {
            if equal {
                NumberMatch::Shifted
            } else {
                NumberMatch::Different
            }
        }
    })
}

/// Returns 1 for the same bone, and less for neighbours on the trunk.
fn compare_anchors(a: &str, b: &str) -> f32 {
    const TRUNK: [&str; 6] = ["hips", "spine", "chest", "upperChest", "neck", "head"];
    let at = |role: &str| TRUNK.iter().position(|r| *r == role);
    match (at(a), at(b)) {
        _ if a == b => 1.0,
        (Some(p), Some(q)) if p.abs_diff(q) == 1 => 0.7,
        _ => 0.2,
    }
}
