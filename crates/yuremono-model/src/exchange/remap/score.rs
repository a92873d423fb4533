//! Scores the similarity of two names that no remap rule matches.

use super::{ChainPosition, MatchScores, NamedBone};
use crate::document::{
    names::BodySide, names::BoneName, names::fold, names::is_random_id, names::truncated, names::word_similarity,
};
use glam::Vec3;
use std::collections::{BTreeMap, HashMap};

/// Distance at which the score reaches 0, as a fraction of the body's height.
const ZERO_SCORE_DISTANCE: f32 = 0.25;
/// Words with a lower similarity count as different.
const MIN_WORD_SIMILARITY: f64 = 0.84;

/// The factor for names with conflicting numbers.
const NUMBER_MISMATCH_FACTOR: f32 = 0.55;
/// The score of names with the same words, side and numbers in another spelling.
const SAME_WORDS_SCORE: f32 = 0.94;
/// The maximum score of other matches. The user must confirm these matches.
const MAX_NEAR_SCORE: f32 = 0.89;

pub(super) struct NameProfile {
    /// Folded letters and digits.
    text: String,
    /// Ids and weights of the significant words.
    words: Vec<(usize, f32)>,
    pub(super) side: Option<BodySide>,
    numbers: Vec<u32>,
    chain_position: Option<ChainPosition>,
    body_position: Option<Vec3>,
    parent: Option<usize>,
    pub(super) role: Option<String>,
}

/// Bones, and their names after the remap rules are applied.
#[derive(Clone, Copy)]
pub(super) struct RemappedBones<'a> {
    pub(super) bones: &'a [NamedBone],
    pub(super) names: &'a [&'a str],
}

pub(super) struct NameProfiles {
    pub(super) source: Vec<NameProfile>,
    pub(super) target: Vec<NameProfile>,
    word_similarities: Vec<Vec<f32>>,
}

impl NameProfiles {
    pub(super) fn new(source: RemappedBones<'_>, target: RemappedBones<'_>) -> Self {
        let mut vocabulary = Vocabulary::default();
        let source = vocabulary.build_profiles(source);
        let target = vocabulary.build_profiles(target);
        Self { source, target, word_similarities: vocabulary.similarity_matrix() }
    }

    /// Returns `None` if sides or roles differ, or if the total is below `least`.
    pub(super) fn score(&self, s: usize, t: usize, least: f32) -> Option<MatchScores> {
        let (a, b) = (&self.source[s], &self.target[t]);
        if a.side.is_some() && b.side.is_some() && a.side != b.side {
            return None;
        }
        if a.role.is_some() && b.role.is_some() && a.role != b.role {
            return None;
        }
        let words = self.shared_word_score(a, b);
        let sides = if a.side == b.side { 1.0 } else { 0.8 };
        let depth = a.chain_position.zip(b.chain_position).map(|(a, b)| chain_position_score(a, b));
        let factor = sides * number_factor(a, b);
        let place = a
            .body_position
            .zip(b.body_position)
            .map(|(a, b)| (1.0 - a.distance(b) / ZERO_SCORE_DISTANCE).clamp(0.0, 1.0));
        let parent = a.parent.zip(b.parent).map(|(a, b)| self.word_similarities[a][b]);
        let total = |name: f32| {
            let aspects: Vec<f32> = [place, depth, parent].into_iter().flatten().collect();
            let sum: f32 = aspects.iter().sum();
            (name * 0.7 + sum * 0.1) / (0.7 + 0.1 * aspects.len() as f32)
        };
        // The comparison of letters is slow, and most pairs cannot reach the minimum.
        let best = if words > 0.0 { 0.65 * words + 0.35 } else { 0.9 };
        if total(best * factor) < least {
            return None;
        }
        let letters = strsim::normalized_levenshtein(&a.text, &b.text) as f32;
        let same_words = words > 0.999 && factor == 1.0;
        let name = if same_words {
            SAME_WORDS_SCORE
        } else if words > 0.0 {
            (0.65 * words + 0.35 * letters) * factor
        } else if letters > 0.6 {
            0.9 * letters * factor
        } else {
            0.0
        };
        let total = total(name).min(if same_words { 0.97 } else { MAX_NEAR_SCORE });
        (total >= least).then_some(MatchScores {
            total,
            name,
            body_position: place,
            chain_position: depth,
            parent,
            same_words,
        })
    }

    /// The weighted similarity of the words of two names, 0 to 1.
    fn shared_word_score(&self, a: &NameProfile, b: &NameProfile) -> f32 {
        let side = |from: &NameProfile, to: &NameProfile| {
            let best = |w: usize| to.words.iter().map(|(v, _)| self.word_similarities[w][*v]).fold(0.0, f32::max);
            from.words.iter().map(|(w, weight)| weight * best(*w)).sum::<f32>()
        };
        let weight: f32 = a.words.iter().chain(&b.words).map(|(_, w)| w).sum();
        if weight > 0.0 { (side(a, b) + side(b, a)) / weight } else { 0.0 }
    }
}

/// Names with different numbers refer to different bones, unless both belong to runs of the same length with different
/// first numbers.
fn number_factor(a: &NameProfile, b: &NameProfile) -> f32 {
    let (Some((x, before_x)), Some((y, before_y))) = (a.numbers.split_last(), b.numbers.split_last()) else {
        return if a.numbers.len() == b.numbers.len() { 1.0 } else { 0.85 };
    };
    if before_x.len() != before_y.len() {
        return if x == y { 0.88 } else { NUMBER_MISMATCH_FACTOR };
    }
    if before_x != before_y {
        return NUMBER_MISMATCH_FACTOR;
    }
    match a.chain_position.zip(b.chain_position) {
        Some((a, b)) if a.count == b.count && a.count > 1 && a.index != b.index => NUMBER_MISMATCH_FACTOR,
        Some((a, b)) if a.count == b.count && a.count > 1 && x != y => 0.93,
        _ if x == y => 1.0,
        _ => NUMBER_MISMATCH_FACTOR,
    }
}

fn chain_position_score(a: ChainPosition, b: ChainPosition) -> f32 {
    let share = |ChainPosition { index, count }| {
        if count > 1 { (index.saturating_sub(1)) as f32 / (count - 1) as f32 } else { 0.0 }
    };
    let difference = if a.index == b.index { 0.0 } else { (share(a) - share(b)).abs().max(0.3) };
    1.0 - difference.min(1.0)
}

#[derive(Default)]
struct Vocabulary {
    ids: HashMap<String, usize>,
    words: Vec<String>,
}

impl Vocabulary {
    fn word_id(&mut self, word: &str) -> usize {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let id = self.words.len();
        self.ids.insert(word.to_owned(), id);
        self.words.push(word.to_owned());
        id
    }

    fn build_profiles(&mut self, remapped: RemappedBones<'_>) -> Vec<NameProfile> {
        let names: Vec<BoneName> = remapped.names.iter().map(|name| BoneName::parse(name)).collect();
        let ranks = number_ranks(&names);
        let mut profiles = Vec::with_capacity(names.len());
        for (((hint, text), name), rank) in remapped.bones.iter().zip(remapped.names).zip(names).zip(ranks) {
            let text: String = fold(truncated(text)).chars().filter(|c| c.is_alphanumeric()).take(64).collect();
            let telling = name.words.iter().filter(|w| w.as_str() != "sway" && !is_random_id(w)).take(16);
            profiles.push(NameProfile {
                text,
                words: telling.map(|w| (self.word_id(w), word_weight(w))).collect(),
                side: name.side,
                numbers: name.numbers.into_iter().take(8).collect(),
                chain_position: hint.chain_position.or(rank),
                body_position: hint.body_position,
                parent: hint.parent.as_ref().map(|p| self.word_id(&BoneName::parse(p).words.join(" "))),
                role: hint.role.clone(),
            });
        }
        profiles
    }

    /// The similarity of each pair of words. Unrelated words have similarity 0.
    fn similarity_matrix(&self) -> Vec<Vec<f32>> {
        let alike = |a: &str, b: &str| {
            if a == b {
                return 1.0;
            }
            let kin = word_similarity(a, b);
            if kin > 0.0 {
                return kin;
            }
            let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
            // Similarity of short words, or of words with very different lengths, is accidental.
            if shorter < 4 || longer > 2 * shorter {
                return 0.0;
            }
            let found = strsim::jaro_winkler(truncated(a), truncated(b));
            if found >= MIN_WORD_SIMILARITY { found as f32 * 0.95 } else { 0.0 }
        };
        self.words.iter().map(|a| self.words.iter().map(|b| alike(a, b)).collect()).collect()
    }
}

/// Words for positions and single letters have a lower weight.
pub(super) fn word_weight(word: &str) -> f32 {
    match word {
        "center" | "root" | "end" => 0.4,
        "front" | "back" | "side" | "upper" | "lower" | "inner" | "outer" => 0.7,
        _ if word.chars().count() == 1 && word.is_ascii() => 0.5,
        _ => 1.0,
    }
}

/// For each name: the 1-based rank of its last number, and how many such numbers exist, among the names that differ
/// only in the last number.
fn number_ranks(names: &[BoneName]) -> Vec<Option<ChainPosition>> {
    type Family<'a> = (&'a [String], Option<BodySide>, &'a [u32]);
    fn family(name: &BoneName) -> Option<(Family<'_>, u32)> {
        let (last, rest) = name.numbers.split_last()?;
        Some(((&name.words, name.side, rest), *last))
    }
    let mut families: BTreeMap<Family<'_>, Vec<u32>> = BTreeMap::new();
    for (family, last) in names.iter().filter_map(family) {
        families.entry(family).or_default().push(last);
    }
    for numbers in families.values_mut() {
        numbers.sort_unstable();
        numbers.dedup();
    }
    let rank = |name: &BoneName| {
        let (family, last) = family(name)?;
        let numbers = &families[&family];
        let at = numbers.binary_search(&last).ok()?;
        Some(ChainPosition { index: at as u32 + 1, count: numbers.len() as u32 })
    };
    names.iter().map(rank).collect()
}
