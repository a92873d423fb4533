//! Which strand of one character is which of another's: by what they are called, what they hang from, how many bones
//! they have, how they are numbered and where they are.
//!
//! Strands are given away one by one, the surest pair first. The best sum over all pairs would trade a good pair for
//! two poor ones where the characters have unlike numbers of strands, and could not be explained row by row.

use super::SourceName;
use super::strands::{Strand, Strands};
use crate::document::Part;
use crate::document::{names::BoneName, names::kinship};
use glam::Vec3;

/// All that is likely without a doubt of its own.
const SURE: f32 = 0.95;
/// What only stands in the same place, under names that say nothing against it.
const SURE_BY_PLACE: f32 = 0.93;
/// What waits for a tick is at most so likely.
const LIKELY: f32 = 0.88;
/// Bones nearer than this, as a share of the body's height, are those of one rig.
const SAME: f32 = 0.02;
/// Roots farther apart than this are those of unlike bodies, or of other strands.
const NEAR: f32 = 0.12;
/// Distance at which places have nothing in common any more.
const FAR: f32 = 0.25;
/// Strands are no more told apart by differences below this.
const EQUAL: f32 = 0.01;
/// Words that are at least so sure of what they name contradict each other.
const CERTAIN: f32 = 0.6;
/// Left and right of this no strand is in the middle, as a share of the body's height.
const ASIDE: f32 = 0.02;

/// Two strands, and how likely they are one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) source: usize,
    pub(super) target: usize,
    /// 0..=1.
    pub(super) score: f32,
    /// At least [`TAKEN`](super::TAKEN) where there is no doubt.
    pub(super) confidence: f32,
    /// How alike they are called, 0..=1.
    pub(super) name: f32,
    /// Their names mean the same.
    pub(super) same_words: bool,
    /// Several have as good a claim.
    pub(super) ambiguous: bool,
    /// They have as many bones, but for a tip that a list without hierarchy leaves out.
    pub(super) same_length: bool,
}

/// One pair before it is held against the others.
struct Likeness {
    name: f32,
    score: f32,
    /// Numbers are equal, or in the same order though counted from another start.
    number: Option<Number>,
    same_length: bool,
    /// Between their roots, as a share of the body's height.
    apart: Option<f32>,
    /// The largest distance of two of their bones.
    apart_all: Option<f32>,
    anchor: Option<f32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Equal,
    /// The same place in the order.
    Shifted,
    Other,
}

/// Both lists, with what their names go by.
pub(super) struct Sides<'a> {
    pub(super) source: &'a Strands,
    pub(super) target: &'a Strands,
    pub(super) source_hints: &'a [SourceName],
    pub(super) target_hints: &'a [SourceName],
    /// Replacements may turn sides round on purpose.
    pub(super) cross: bool,
}

impl Sides<'_> {
    /// All pairs that are at least so likely, the surest first. `open` says whether two strands may be paired at all.
    pub(super) fn pairs(&self, least: f32, open: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
        let (rows, columns) = (self.source.list.len(), self.target.list.len());
        let parts = [self.source, self.target].map(|side| side.list.iter().map(part).collect::<Vec<_>>());
        let one_part = |a: usize, b: usize| match (parts[0][a], parts[1][b]) {
            (Some((p, sure)), Some((q, certain))) => p == q || sure < CERTAIN || certain < CERTAIN,
            _ => true,
        };
        let likeness = |a: usize| -> Vec<Option<Likeness>> {
            (0..columns).map(|b| if open(a, b) && one_part(a, b) { self.compare(a, b) } else { None }).collect()
        };
        let table: Vec<Vec<Option<Likeness>>> = (0..rows).map(likeness).collect();
        let mut pairs = Vec::new();
        for (a, row) in table.iter().enumerate() {
            let found = row.iter().enumerate().filter_map(|(b, found)| Some((b, found.as_ref()?)));
            pairs.extend(found.filter(|(_, f)| f.score >= least).map(|(b, found)| self.judged(&table, a, b, found)));
        }
        let order = |p: &Pair| (p.confidence >= super::TAKEN, p.score);
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

    /// How sure a pair is among its rivals, those that share one of its strands.
    fn judged(&self, table: &[Vec<Option<Likeness>>], a: usize, b: usize, found: &Likeness) -> Pair {
        let in_row = || table[a].iter().enumerate().filter(|(at, _)| *at != b).filter_map(|(_, l)| l.as_ref());
        let in_column = || table.iter().enumerate().filter(|(at, _)| *at != a).filter_map(|(_, row)| row[b].as_ref());
        let rivals = || in_row().chain(in_column());
        let (x, y) = (&self.source.list[a], &self.target.list[b]);
        let same_words = found.name > 0.999 && !x.words.is_empty();
        let ambiguous = rivals().any(|r| r.score > found.score - EQUAL);
        let nearer = |r: &Likeness| match (r.apart, found.apart) {
            (Some(theirs), Some(ours)) => r.name >= found.name && ours > SAME && theirs < 0.6 * ours,
            _ => false,
        };
        let counted = match found.number {
            // Counts of unlike length say which strand it is only where there is but one.
            Some(Number::Equal) => x.of == y.of,
            Some(Number::Shifted) => found.apart.is_some(),
            _ => false,
        };
        let hangs_there = found.apart.is_none_or(|d| d < NEAR) && found.anchor.is_none_or(|likeness| likeness > 0.5);
        let by_name = same_words
            && x.side == y.side
            && counted
            && found.same_length
            && x.firm
            && hangs_there
            && !ambiguous
            && !rivals().any(nearer);
        let alone = |r: &Likeness| match (r.apart_all, found.apart_all) {
            (Some(theirs), Some(ours)) => theirs > 3.0 * ours + 0.4 * EQUAL,
            _ => true,
        };
        let by_place = found.apart_all.is_some_and(|d| d < SAME)
            && found.same_length
            && found.anchor.is_none_or(|likeness| likeness > 0.5)
            && (found.name >= 0.5 || part(x).is_none() || part(y).is_none())
            && rivals().all(alone);
        let confidence = match (by_name, by_place) {
            (true, _) => SURE,
            (false, true) => SURE_BY_PLACE,
            (false, false) => found.score.min(if ambiguous { super::AMBIGUOUS } else { LIKELY }),
        };
        let ambiguous = ambiguous && !by_place;
        Pair {
            source: a,
            target: b,
            score: found.score,
            confidence,
            name: found.name,
            same_words,
            ambiguous,
            same_length: found.same_length,
        }
    }

    /// How alike two strands are; `None` where they cannot be one.
    fn compare(&self, a: usize, b: usize) -> Option<Likeness> {
        let (x, y) = (&self.source.list[a], &self.target.list[b]);
        if !self.cross && x.side.is_some() && y.side.is_some() && x.side != y.side {
            return None;
        }
        let name = words(x, y);
        let place = |i: usize| {
            let from = self.source_hints[*x.bones.get(i)?].place?;
            Some((from, self.target_hints[*y.bones.get(i)?].place?))
        };
        let root = place(0);
        if root.is_some_and(|(p, q)| !self.cross && p.x.abs().min(q.x.abs()) > ASIDE && p.x * q.x < 0.0) {
            return None;
        }
        let apart = root.map(|(p, q)| p.distance(q));
        let shared = x.bones.len().min(y.bones.len());
        let apart_all =
            (0..shared).try_fold(0.0_f32, |most, i| Some(place(i).map_or(most, |(p, q)| most.max(p.distance(q)))));
        let apart_all = apart.and(apart_all);
        // A list of names alone leaves out the tips.
        let tipless = !self.source.rooted && !x.ends;
        let same_length = x.bones.len() == y.bones.len() || (tipless && x.bones.len() + 1 == y.bones.len());
        let mut number = number(x, y);
        // A list without hierarchy may begin anywhere in a strand.
        if let (false, Some(p), Some(q)) = (self.source.rooted, x.first_step(), y.first_step()) {
            match p.abs_diff(q) {
                0 => {}
                1 => number = number.map(|n| if n == Number::Equal { Number::Shifted } else { n }),
                _ => return None,
            }
        }
        let anchor = x.anchor.as_deref().zip(y.anchor.as_deref()).map(|(p, q)| anchors(p, q));
        let around = self.around(x, y);
        let length = if same_length { 1.0 } else { 0.6 * shared as f32 / x.bones.len().max(y.bones.len()) as f32 };
        let aspects = [
            (0.5, Some(name).filter(|_| !x.words.is_empty() && !y.words.is_empty())),
            (0.1, Some(if x.side == y.side { 1.0 } else { 0.5 })),
            (0.15, number.map(|n| [1.0, 0.9, 0.0][n as usize])),
            (0.1, Some(length)),
            (0.1, anchor),
            (0.2, apart.map(|d| (1.0 - d / FAR).clamp(0.0, 1.0))),
            (0.1, around),
        ];
        let known = || aspects.iter().filter_map(|(weight, value)| Some((*weight, (*value)?)));
        let score = known().map(|(w, v)| w * v).sum::<f32>() / known().map(|(w, _)| w).sum::<f32>();
        // Without a word in common only the place speaks for it.
        let speaks = name > 0.3 || apart.is_some_and(|d| d < NEAR);
        speaks.then_some(Likeness { name, score, number, same_length, apart, apart_all, anchor })
    }

    /// Whether both go round their bodies by the same angle, 0..=1; `None` for what starts in the middle.
    fn around(&self, x: &Strand, y: &Strand) -> Option<f32> {
        let way = |hints: &[SourceName], strand: &Strand| {
            let at = hints[*strand.bones.first()?].place?;
            let flat = Vec3::new(at.x, 0.0, at.z);
            (flat.length() > ASIDE).then_some(flat)
        };
        let (p, q) = (way(self.source_hints, x)?, way(self.target_hints, y)?);
        Some((1.0 - p.angle_between(q).to_degrees() / 60.0).max(0.0))
    }
}

/// What the words of a strand say that it is, and how sure they are.
fn part(strand: &Strand) -> Option<(Part, f32)> {
    BoneName { words: strand.words.clone(), ..BoneName::default() }.verdict().part
}

/// Share of the words that two strands have in common, by meaning.
fn words(x: &Strand, y: &Strand) -> f32 {
    if x.words == y.words {
        return 1.0;
    }
    let alike = |a: &str, b: &str| {
        let spelt = if a.len().min(b.len()) >= 4 { strsim::jaro_winkler(a, b) as f32 } else { 0.0 };
        kinship(a, b).max(if spelt > 0.9 { 0.9 * spelt } else { 0.0 })
    };
    let best = |word: &str, all: &[String]| all.iter().map(|other| alike(word, other)).fold(0.0, f32::max);
    let sum = |from: &[String], to: &[String]| from.iter().map(|w| super::score::weight(w) * best(w, to)).sum::<f32>();
    let whole: f32 = x.words.iter().chain(&y.words).map(|w| super::score::weight(w)).sum();
    if whole > 0.0 { (sum(&x.words, &y.words) + sum(&y.words, &x.words)) / whole } else { 0.0 }
}

/// Whether two strands have the same number among their like.
fn number(x: &Strand, y: &Strand) -> Option<Number> {
    if x.of == 1 && y.of == 1 {
        return Some(Number::Equal);
    }
    let equal = x.number.is_some() && x.number == y.number;
    Some(match (x.rank, y.rank) {
        (Some(p), Some(q)) if x.of == y.of && p == q => {
            if equal {
                Number::Equal
            } else {
                Number::Shifted
            }
        }
        (Some(_), Some(_)) if x.of == y.of => Number::Other,
        _ if x.number.is_none() || y.number.is_none() => return None,
        _ => {
            if equal {
                Number::Shifted
            } else {
                Number::Other
            }
        }
    })
}

/// How near two bones of a body are: the same, neighbours of the trunk, or neither.
fn anchors(a: &str, b: &str) -> f32 {
    const TRUNK: [&str; 6] = ["hips", "spine", "chest", "upperChest", "neck", "head"];
    let at = |role: &str| TRUNK.iter().position(|r| *r == role);
    match (at(a), at(b)) {
        _ if a == b => 1.0,
        (Some(p), Some(q)) if p.abs_diff(q) == 1 => 0.7,
        _ => 0.2,
    }
}
