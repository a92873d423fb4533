//! How alike two names are that no rule makes equal.

use super::{Scores, SourceName};
use crate::document::{names::BoneName, names::Side, names::clipped, names::fold, names::is_random, names::kinship};
use glam::Vec3;
use std::collections::{BTreeMap, HashMap};

/// Distance, as a share of the body's height, at which places have nothing in common any more.
const FAR: f32 = 0.25;
/// Words less alike than this are different words.
const ALIKE_WORDS: f64 = 0.84;

/// What is left of the likeness of two names when their numbers contradict each other.
const OTHER_NUMBER: f32 = 0.55;
/// Spelt otherwise, the same words, side and numbers.
const SAME_WORDS: f32 = 0.94;
/// What is only near is never taken unasked.
const NEAR: f32 = 0.89;

/// A name ready to be compared with many others.
pub(super) struct Profile {
    /// Folded, letters and digits only.
    text: String,
    /// Ids of the words that say something, and how much.
    words: Vec<(usize, f32)>,
    pub(super) side: Option<Side>,
    numbers: Vec<u32>,
    /// Which of how many in its row of numbered bones.
    depth: Option<(u32, u32)>,
    place: Option<Vec3>,
    parent: Option<usize>,
    pub(super) role: Option<String>,
}

/// Profiles of both sides, and words compared once.
pub(super) struct Profiles {
    pub(super) source: Vec<Profile>,
    pub(super) target: Vec<Profile>,
    alike: Vec<Vec<f32>>,
}

impl Profiles {
    /// `texts` are the names after the rules so far.
    pub(super) fn new(source: (&[SourceName], &[&str]), target: (&[SourceName], &[&str])) -> Self {
        let mut vocabulary = Vocabulary::default();
        let source = vocabulary.profiles(source.0, source.1);
        let target = vocabulary.profiles(target.0, target.1);
        Self { source, target, alike: vocabulary.compare() }
    }

    /// How alike source `s` and target `t` are; `None` where sides or roles differ or the sum stays below `least`.
    pub(super) fn score(&self, s: usize, t: usize, least: f32) -> Option<Scores> {
        let (a, b) = (&self.source[s], &self.target[t]);
        if a.side.is_some() && b.side.is_some() && a.side != b.side {
            return None;
        }
        if a.role.is_some() && b.role.is_some() && a.role != b.role {
            return None;
        }
        let words = self.words(a, b);
        let sides = if a.side == b.side { 1.0 } else { 0.8 };
        let depth = a.depth.zip(b.depth).map(|(a, b)| near_rank(a, b));
        let factor = sides * numbers(a, b);
        let place = a.place.zip(b.place).map(|(a, b)| (1.0 - a.distance(b) / FAR).clamp(0.0, 1.0));
        let parent = a.parent.zip(b.parent).map(|(a, b)| self.alike[a][b]);
        let total = |name: f32| {
            let aspects: Vec<f32> = [place, depth, parent].into_iter().flatten().collect();
            let sum: f32 = aspects.iter().sum();
            (name * 0.7 + sum * 0.1) / (0.7 + 0.1 * aspects.len() as f32)
        };
        // Comparing letters is dear; most pairs are out of reach already.
        let best = if words > 0.0 { 0.65 * words + 0.35 } else { 0.9 };
        if total(best * factor) < least {
            return None;
        }
        let letters = strsim::normalized_levenshtein(&a.text, &b.text) as f32;
        let same_words = words > 0.999 && factor == 1.0;
        let name = if same_words {
            SAME_WORDS
        } else if words > 0.0 {
            (0.65 * words + 0.35 * letters) * factor
        } else if letters > 0.6 {
            0.9 * letters * factor
        } else {
            0.0
        };
        let total = total(name).min(if same_words { 0.97 } else { NEAR });
        (total >= least).then_some(Scores { total, name, place, depth, parent, same_words })
    }

    /// Share of the words that the names have in common, 0..=1.
    fn words(&self, a: &Profile, b: &Profile) -> f32 {
        let side = |from: &Profile, to: &Profile| {
            let best = |w: usize| to.words.iter().map(|(v, _)| self.alike[w][*v]).fold(0.0, f32::max);
            from.words.iter().map(|(w, weight)| weight * best(*w)).sum::<f32>()
        };
        let weight: f32 = a.words.iter().chain(&b.words).map(|(_, w)| w).sum();
        if weight > 0.0 { (side(a, b) + side(b, a)) / weight } else { 0.0 }
    }
}

/// Numbers that differ mean another bone, unless two rows of the same length are counted from another start.
fn numbers(a: &Profile, b: &Profile) -> f32 {
    let (Some((x, before_x)), Some((y, before_y))) = (a.numbers.split_last(), b.numbers.split_last()) else {
        return if a.numbers.len() == b.numbers.len() { 1.0 } else { 0.85 };
    };
    if before_x.len() != before_y.len() {
        return if x == y { 0.88 } else { OTHER_NUMBER };
    }
    if before_x != before_y {
        return OTHER_NUMBER;
    }
    match a.depth.zip(b.depth) {
        Some(((n, of), (m, whole))) if of == whole && of > 1 && n != m => OTHER_NUMBER,
        Some(((_, of), (_, whole))) if of == whole && of > 1 && x != y => 0.93,
        _ if x == y => 1.0,
        _ => OTHER_NUMBER,
    }
}

fn near_rank((n, of): (u32, u32), (m, whole): (u32, u32)) -> f32 {
    let share = |n: u32, of: u32| if of > 1 { (n.saturating_sub(1)) as f32 / (of - 1) as f32 } else { 0.0 };
    let off = if n == m { 0.0 } else { (share(n, of) - share(m, whole)).abs().max(0.3) };
    1.0 - off.min(1.0)
}

#[derive(Default)]
struct Vocabulary {
    ids: HashMap<String, usize>,
    words: Vec<String>,
}

impl Vocabulary {
    fn id(&mut self, word: &str) -> usize {
        if let Some(id) = self.ids.get(word) {
            return *id;
        }
        let id = self.words.len();
        self.ids.insert(word.to_owned(), id);
        self.words.push(word.to_owned());
        id
    }

    fn profiles(&mut self, hints: &[SourceName], texts: &[&str]) -> Vec<Profile> {
        let names: Vec<BoneName> = texts.iter().map(|t| BoneName::read(t)).collect();
        let ranks = ranks(&names);
        let mut profiles = Vec::with_capacity(names.len());
        for (((hint, text), name), rank) in hints.iter().zip(texts).zip(names).zip(ranks) {
            let text: String = fold(clipped(text)).chars().filter(|c| c.is_alphanumeric()).take(64).collect();
            let telling = name.words.iter().filter(|w| w.as_str() != "sway" && !is_random(w)).take(16);
            profiles.push(Profile {
                text,
                words: telling.map(|w| (self.id(w), weight(w))).collect(),
                side: name.side,
                numbers: name.numbers.into_iter().take(8).collect(),
                depth: hint.depth.or(rank),
                place: hint.place,
                parent: hint.parent.as_ref().map(|p| self.id(&BoneName::read(p).words.join(" "))),
                role: hint.role.clone(),
            });
        }
        profiles
    }

    /// How alike every two words are; 0 for different ones.
    fn compare(&self) -> Vec<Vec<f32>> {
        let alike = |a: &str, b: &str| {
            if a == b {
                return 1.0;
            }
            let kin = kinship(a, b);
            if kin > 0.0 {
                return kin;
            }
            let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
            // Short words and words of very different length are alike by chance only.
            if shorter < 4 || longer > 2 * shorter {
                return 0.0;
            }
            let found = strsim::jaro_winkler(clipped(a), clipped(b));
            if found >= ALIKE_WORDS { found as f32 * 0.95 } else { 0.0 }
        };
        self.words.iter().map(|a| self.words.iter().map(|b| alike(a, b)).collect()).collect()
    }
}

/// Words of place and single letters say less than what a thing is.
pub(super) fn weight(word: &str) -> f32 {
    match word {
        "center" | "root" | "end" => 0.4,
        "front" | "back" | "side" | "upper" | "lower" | "inner" | "outer" => 0.7,
        _ if word.chars().count() == 1 && word.is_ascii() => 0.5,
        _ => 1.0,
    }
}

/// For bones of the same words and side that count: which, from 1, of how many.
fn ranks(names: &[BoneName]) -> Vec<Option<(u32, u32)>> {
    type Family<'a> = (&'a [String], Option<Side>, &'a [u32]);
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
        Some((at as u32 + 1, numbers.len() as u32))
    };
    names.iter().map(rank).collect()
}
