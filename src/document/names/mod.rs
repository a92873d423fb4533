//! What a bone's name says: its words, its side, its numbers.
//!
//! Names come from many tools and two languages; here they become comparable. Nothing here decides what sways or
//! what matches: see [`crate::tools::detect`] and [`crate::exchange::remap`].

mod fold;
mod kin;
mod pattern;
mod reader;
pub(crate) mod roles;
mod words;

pub use fold::fold;
pub use kin::{general, is_species, kinship};
pub use pattern::Pattern;
pub use reader::is_random;

use crate::document::Part;
use reader::{Reader, is_known, tokens};
use std::collections::HashMap;
use std::sync::LazyLock;
use words::Meaning;

/// One side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Side {
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
    pub side: Option<Side>,
    /// In order; numbers beyond `u32` are its greatest value.
    pub numbers: Vec<u32>,
    /// How many of them stand before the word that marks the end of a chain.
    pub end_at: Option<usize>,
}

/// What the words of a name say about the bone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a finding of its own; names hold any mixture")]
pub struct Verdict {
    /// What sways there, and how sure the word is, 0..=1.
    pub part: Option<(Part, f32)>,
    /// Position in [`BoneName::words`] of the word that said so.
    pub word: usize,
    /// A word says that animation moves it: arm, eye, finger.
    pub body: bool,
    /// Of a rig's machinery: twist, IK, a weapon.
    pub machinery: bool,
    /// Some word marks it as made to sway.
    pub sways: bool,
    /// A word says that it carries others: root, group.
    pub group: bool,
    /// A word says that it ends a chain.
    pub end: bool,
}

/// How many characters of a name are read; what is longer is no name that a person gave.
pub const LONGEST: usize = 256;

/// The first [`LONGEST`] characters.
pub(crate) fn clipped(name: &str) -> &str {
    name.char_indices().nth(LONGEST).map_or(name, |(at, _)| &name[..at])
}

/// A name without its words for left and right, as folded tokens joined by `_`, and the side that they named.
/// A name that says both sides keeps all its words.
pub fn without_side(name: &str) -> (String, Option<Side>) {
    let all = tokens(clipped(name));
    let mut sides = Vec::new();
    let mut rest = Vec::with_capacity(all.len());
    for token in &all {
        match token.as_str() {
            "l" | "left" | "lt" | "lft" => sides.push(Side::Left),
            "r" | "right" | "rt" | "rgt" => sides.push(Side::Right),
            latin if latin.is_ascii() => {
                let cut = [("left", Side::Left), ("right", Side::Right)].into_iter().find_map(|(word, side)| {
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

const JAPANESE_SIDES: [(&str, Side); 4] =
    [("左", Side::Left), ("右", Side::Right), ("ヒダリ", Side::Left), ("ミギ", Side::Right)];

static MEANINGS: LazyLock<HashMap<&'static str, (&'static str, Meaning)>> = LazyLock::new(|| {
    let pairs = words::ENTRIES.iter().flat_map(|e| e.words.iter().map(|w| (*w, (e.words[0], e.meaning))));
    pairs.collect()
});

impl BoneName {
    /// Takes a name apart. A namespace before the last colon is left out, and so is all beyond [`LONGEST`]
    /// characters.
    pub fn read(name: &str) -> Self {
        let name = clipped(name);
        let own = match name.rsplit_once(':') {
            Some((_, own)) if !own.is_empty() => own,
            _ => name,
        };
        let mut reader = Reader::default();
        for token in tokens(own) {
            reader.take(&token);
        }
        reader.finish()
    }

    /// The last number, which usually counts along the chain.
    pub fn index(&self) -> Option<u32> {
        self.numbers.last().copied()
    }

    /// What the words say.
    pub fn verdict(&self) -> Verdict {
        let mut verdict = Verdict::default();
        let mut best = 0;
        for (at, word) in self.words.iter().enumerate() {
            let Some((_, meaning)) = MEANINGS.get(word.as_str()) else { continue };
            let (part, sure) = match *meaning {
                Meaning::Part(part) => (part, 0.9),
                Meaning::MaybePart(part) => (part, 0.5),
                Meaning::Sways => {
                    verdict.sways = true;
                    continue;
                }
                Meaning::Body => {
                    verdict.body = true;
                    continue;
                }
                Meaning::Machinery => {
                    verdict.machinery = true;
                    continue;
                }
                Meaning::Group => {
                    verdict.group = true;
                    continue;
                }
                Meaning::End => {
                    verdict.end = true;
                    continue;
                }
                Meaning::Place | Meaning::Noise => continue,
            };
            let rank = u32::from(sure > 0.6) * 100 + specific(part);
            if rank > best {
                best = rank;
                verdict.part = Some((part, sure));
                verdict.word = at;
            }
        }
        verdict
    }
}

/// Which part wins where a name has several: a hair ribbon is a ribbon, a coat's sleeve a sleeve.
const fn specific(part: Part) -> u32 {
    match part {
        Part::Accessory => 9,
        Part::Ribbon => 8,
        Part::Sleeve => 7,
        Part::Breast => 6,
        Part::Skirt => 5,
        Part::Hair => 4,
        Part::Ear => 3,
        Part::Tail => 2,
        Part::Other => 1,
    }
}

#[cfg(test)]
mod tests;
