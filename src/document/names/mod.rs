//! What a bone's name says: its words, its side, its numbers.
//!
//! Names come from many tools and two languages; here they become comparable. Nothing here decides what sways or
//! what matches: see [`crate::tools::detect`] and [`crate::exchange::remap`].

mod fold;
mod parser;
mod pattern;
pub(crate) mod roles;
mod similarity;
mod words;

pub use fold::fold;
pub use parser::is_random_id;
pub use pattern::NamePattern;
pub use similarity::{general_word, is_species_word, word_similarity};

use crate::document::ChainPart;
use parser::{NameParser, is_known, tokens};
use std::collections::HashMap;
use std::sync::LazyLock;
use words::Meaning;

/// One side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BodySide {
    /// The character's own left.
    Left,
    /// The character's own right.
    Right,
}

/// A bone's name, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoneName {
    /// In order, without side, numbers and tools' prefixes; a known word stands as the one that the word list uses
    /// for its idea, so that "髪" and "Hair" are equal.
    pub words: Vec<String>,
    /// `None` for the middle, and for a name that says both.
    pub side: Option<BodySide>,
    /// In order; numbers beyond `u32` are its greatest value.
    pub numbers: Vec<u32>,
    /// How many of them stand before the word that marks the end of a chain.
    pub numbers_before_end: Option<usize>,
}

/// What the words of a name say about the bone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own; names hold any mixture")]
pub struct NameAnalysis {
    /// What sways there, and how sure the word is, 0..=1.
    pub part: Option<(ChainPart, f32)>,
    /// Position in [`BoneName::words`] of the word that said so.
    pub part_word: usize,
    /// A word says that animation moves it: arm, eye, finger.
    pub is_body: bool,
    /// Of a rig's machinery: twist, IK, a weapon.
    pub is_rig_helper: bool,
    /// Some word marks it as made to sway.
    pub is_secondary_motion: bool,
    /// A word says that it carries others: root, group.
    pub is_group: bool,
    /// A word says that it ends a chain.
    pub is_end: bool,
}

/// How many characters of a name are read; what is longer is no name that a person gave.
pub const MAX_NAME_CHARS: usize = 256;

/// The first [`MAX_NAME_CHARS`] characters.
pub(crate) fn truncated(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME_CHARS).map_or(name, |(at, _)| &name[..at])
}

/// A name without its words for left and right, as folded tokens joined by `_`, and the side that they named.
/// A name that says both sides keeps all its words.
pub fn split_side(name: &str) -> (String, Option<BodySide>) {
    let all = tokens(truncated(name));
    let mut sides = Vec::new();
    let mut rest = Vec::with_capacity(all.len());
    for token in &all {
        match token.as_str() {
            "l" | "left" | "lt" | "lft" => sides.push(BodySide::Left),
            "r" | "right" | "rt" | "rgt" => sides.push(BodySide::Right),
            latin if latin.is_ascii() => {
                let cut =
                    [("left", BodySide::Left), ("right", BodySide::Right)].into_iter().find_map(|(word, side)| {
                        let other = latin.strip_prefix(word).or_else(|| latin.strip_suffix(word))?;
                        is_known(other).then_some((other, side))
                    });
                sides.extend(cut.map(|(_, side)| side));
                rest.push(cut.map_or(latin, |(other, _)| other).to_owned());
            }
            run => {
                let mut run = run.to_owned();
                for (word, side) in JAPANESE_SIDES {
                    if run.contains(word) {
                        run = run.replace(word, "");
                        sides.push(side);
                    }
                }
                if !run.is_empty() {
                    rest.push(run);
                }
            }
        }
    }
    sides.dedup();
    match sides.as_slice() {
        [only] => (rest.join("_"), Some(*only)),
        _ => (all.join("_"), None),
    }
}

const JAPANESE_SIDES: [(&str, BodySide); 4] =
    [("左", BodySide::Left), ("右", BodySide::Right), ("ヒダリ", BodySide::Left), ("ミギ", BodySide::Right)];

static MEANINGS: LazyLock<HashMap<&'static str, (&'static str, Meaning)>> = LazyLock::new(|| {
    let pairs = words::ENTRIES.iter().flat_map(|e| e.words.iter().map(|w| (*w, (e.words[0], e.meaning))));
    pairs.collect()
});

impl BoneName {
    /// Takes a name apart. A namespace before the last colon is left out, and so is all beyond [`MAX_NAME_CHARS`]
    /// characters.
    pub fn parse(name: &str) -> Self {
        let name = truncated(name);
        let own = match name.rsplit_once(':') {
            Some((_, own)) if !own.is_empty() => own,
            _ => name,
        };
        let mut reader = NameParser::default();
        for token in tokens(own) {
            reader.push_token(&token);
        }
        reader.finish()
    }

    /// The last number, which usually counts along the chain.
    pub fn index(&self) -> Option<u32> {
        self.numbers.last().copied()
    }

    /// What the words say.
    pub fn analyze(&self) -> NameAnalysis {
        let mut verdict = NameAnalysis::default();
        let mut best = 0;
        for (at, word) in self.words.iter().enumerate() {
            let Some((_, meaning)) = MEANINGS.get(word.as_str()) else { continue };
            let (part, sure) = match *meaning {
                Meaning::Part(part) => (part, 0.9),
                Meaning::MaybePart(part) => (part, 0.5),
                Meaning::SecondaryMotion => {
                    verdict.is_secondary_motion = true;
                    continue;
                }
                Meaning::Body => {
                    verdict.is_body = true;
                    continue;
                }
                Meaning::RigHelper => {
                    verdict.is_rig_helper = true;
                    continue;
                }
                Meaning::Group => {
                    verdict.is_group = true;
                    continue;
                }
                Meaning::End => {
                    verdict.is_end = true;
                    continue;
                }
                Meaning::Position | Meaning::Noise => continue,
            };
            let rank = u32::from(sure > 0.6) * 100 + part_priority(part);
            if rank > best {
                best = rank;
                verdict.part = Some((part, sure));
                verdict.part_word = at;
            }
        }
        verdict
    }
}

/// Which part wins where a name has several: a hair ribbon is a ribbon, a coat's sleeve a sleeve.
const fn part_priority(part: ChainPart) -> u32 {
    match part {
        ChainPart::Accessory => 9,
        ChainPart::Ribbon => 8,
        ChainPart::Sleeve => 7,
        ChainPart::Breast => 6,
        ChainPart::Skirt => 5,
        ChainPart::Hair => 4,
        ChainPart::Ear => 3,
        ChainPart::Tail => 2,
        ChainPart::Other => 1,
    }
}

#[cfg(test)]
mod tests;
