//! What a bone's name says: its words, its side, its numbers.
//!
//! Names come from many tools and two languages; here they become comparable. Nothing here decides what sways or
//! what matches: see [`super::detect`] and [`super::remap`].

mod fold;
mod pattern;
mod words;

pub use fold::fold;
pub use pattern::Pattern;

use super::Part;
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
pub(super) fn clipped(name: &str) -> &str {
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

/// Japanese words, longest first, so that the longest one found in a run of text is taken.
static JAPANESE: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = words::ENTRIES.iter().flat_map(|e| e.words.iter().copied());
    let mut list: Vec<_> = all.filter(|w| !w.is_ascii()).collect();
    list.sort_by_key(|w| (std::cmp::Reverse(w.chars().count()), *w));
    list
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

/// What a character of a name belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Lower,
    Upper,
    Digit,
    Other,
    Gap,
}

fn script(c: char) -> Script {
    if c.is_ascii_digit() {
        Script::Digit
    } else if matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー' | '々' | '\u{3099}' | '\u{309a}')
        || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    {
        Script::Other
    } else if c.is_uppercase() {
        Script::Upper
    } else if c.is_alphabetic() {
        Script::Lower
    } else {
        Script::Gap
    }
}

/// Words, numbers and runs of Japanese, folded, in order.
fn tokens(name: &str) -> Vec<String> {
    // Case parts words, so it is folded only after the cuts.
    let wide: Vec<char> = name.chars().map(fold::widen).flat_map(decircled).collect();
    let mut out = Vec::new();
    for segment in wide.split(|c| script(*c) == Script::Gap) {
        if is_opaque(segment) {
            out.push(fold(&segment.iter().collect::<String>()));
            continue;
        }
        let mut start = 0;
        for i in 1..=segment.len() {
            if i == segment.len() || is_cut(segment, i) {
                out.push(fold(&segment[start..i].iter().collect::<String>()));
                start = i;
            }
        }
    }
    out.retain(|t| !t.is_empty());
    out
}

fn decircled(c: char) -> Vec<char> {
    if ('\u{2460}'..='\u{2473}').contains(&c) { fold(&c.to_string()).chars().collect() } else { vec![c] }
}

/// Whether a new token begins at `i`.
fn is_cut(segment: &[char], i: usize) -> bool {
    let (a, b) = (script(segment[i - 1]), script(segment[i]));
    match (a, b) {
        (Script::Upper, Script::Lower) => false,
        (Script::Upper, Script::Upper) => {
            segment.get(i + 1).is_some_and(|c| script(*c) == Script::Lower) && i + 1 < segment.len()
        }
        _ => a != b,
    }
}

/// A random identifier, as some tools append: eight or more hexadecimal digits with letters and figures mixed.
fn is_opaque(segment: &[char]) -> bool {
    segment.len() >= 8
        && segment.iter().all(char::is_ascii_hexdigit)
        && segment.iter().any(char::is_ascii_digit)
        && segment.iter().any(char::is_ascii_alphabetic)
}

/// Collects the words of a name.
#[derive(Default)]
struct Reader {
    words: Vec<String>,
    /// The last word as it stood in the name.
    last: String,
    sides: Vec<Side>,
    numbers: Vec<u32>,
}

impl Reader {
    fn take(&mut self, token: &str) {
        let first = self.words.is_empty() && self.sides.is_empty() && self.numbers.is_empty();
        if token.bytes().all(|b| b.is_ascii_digit()) {
            self.numbers.push(token.parse().unwrap_or(u32::MAX));
        } else if token.is_ascii() {
            self.take_latin(token, first);
        } else {
            self.take_japanese(token);
        }
    }

    fn take_latin(&mut self, token: &str, first: bool) {
        match token {
            "l" | "left" | "lt" | "lft" | "hidari" => self.sides.push(Side::Left),
            "r" | "right" | "rt" | "rgt" | "migi" => self.sides.push(Side::Right),
            // A single letter in front names a tool or nothing; later it may be a place.
            "c" | "m" => {}
            "f" if !first => self.word("front"),
            "b" if !first => self.word("back"),
            "s" if !first => self.word("side"),
            _ => {
                let Some(pieces) = pieces(token) else { return self.word(token) };
                for piece in pieces {
                    match piece {
                        "left" => self.sides.push(Side::Left),
                        "right" => self.sides.push(Side::Right),
                        word => self.word(word),
                    }
                }
            }
        }
    }

    /// Finds known words in a run of kana and kanji; what lies between them are words of their own.
    fn take_japanese(&mut self, run: &str) {
        let mut rest = run;
        let mut unknown = String::new();
        while let Some(c) = rest.chars().next() {
            let side = JAPANESE_SIDES.into_iter().find(|(word, _)| rest.starts_with(word));
            let known = JAPANESE.iter().find(|w| rest.starts_with(**w));
            let taken = match (side, known) {
                (Some((word, side)), _) => {
                    self.flush(&mut unknown);
                    self.sides.push(side);
                    word.len()
                }
                (None, Some(word)) => {
                    self.flush(&mut unknown);
                    self.word(word);
                    word.len()
                }
                (None, None) => {
                    unknown.push(c);
                    c.len_utf8()
                }
            };
            rest = &rest[taken..];
        }
        self.flush(&mut unknown);
    }

    fn flush(&mut self, unknown: &mut String) {
        // Particles say nothing.
        if !matches!(unknown.as_str(), "" | "ノ") {
            self.words.push(unknown.clone());
        }
        unknown.clear();
    }

    fn word(&mut self, word: &str) {
        let meaning = MEANINGS.get(word);
        let canonical = meaning.map_or(word, |(canonical, _)| canonical);
        let pair = self.words.last().and_then(|before| {
            let first = |a: &str| a == before || a == self.last;
            words::PAIRS.iter().find(|(a, b, _)| first(a) && (*b == canonical || *b == word))
        });
        if let Some((.., both)) = pair {
            self.words.pop();
            self.words.push((*both).to_owned());
        } else if matches!(meaning, Some((_, Meaning::Noise))) {
            return;
        } else {
            self.words.push(canonical.to_owned());
        }
        word.clone_into(&mut self.last);
    }

    fn finish(mut self) -> BoneName {
        // "Hair_Front" and "FrontHair" are one idea.
        for (a, b, both) in words::PAIRS.iter().filter(|(_, b, _)| *b == "hair" || *b == "tail") {
            let found = self.words.windows(2).position(|w| w[0] == *b && w[1] == *a);
            if let Some(at) = found {
                self.words.splice(at..at + 2, [(*both).to_owned()]);
            }
        }
        let side = match (self.sides.contains(&Side::Left), self.sides.contains(&Side::Right)) {
            (true, false) => Some(Side::Left),
            (false, true) => Some(Side::Right),
            _ => None,
        };
        BoneName { words: self.words, side, numbers: self.numbers }
    }
}

/// A Latin token as known words put together without a gap: "twintails" is twin and tail. `None` when a rest is
/// left that no word explains, so that "detail" holds no tail and "chair" no hair.
fn pieces(token: &str) -> Option<Vec<&str>> {
    if is_known(token) {
        return Some(vec![token]);
    }
    if let Some(singular) = token.strip_suffix('s')
        && is_known(singular)
    {
        return Some(vec![singular]);
    }
    // Longer ones are no words that people put together.
    if token.len() > 32 {
        return None;
    }
    // Short words turn up in others by chance.
    (3..token.len().saturating_sub(2)).rev().find_map(|cut| {
        let (head, tail) = token.split_at_checked(cut)?;
        if !is_known(head) && !is_half(head) {
            return None;
        }
        let mut all = vec![head];
        all.extend(pieces(tail)?);
        Some(all)
    })
}

fn is_known(word: &str) -> bool {
    MEANINGS.contains_key(word) || matches!(word, "left" | "right")
}

/// Means something only in a pair.
fn is_half(word: &str) -> bool {
    words::PAIRS.iter().any(|(a, ..)| *a == word)
}

#[cfg(test)]
mod tests;
