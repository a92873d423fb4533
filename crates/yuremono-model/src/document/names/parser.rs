//! Splits a name into tokens, and parses tokens into known words, sides and numbers.

use super::words::{self, Meaning};
use super::{BodySide, BoneName, JAPANESE_SIDES, MEANINGS, fold};
use std::sync::LazyLock;

/// Japanese words, longest first, so the longest match is used.
static JAPANESE_WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let all = words::ENTRIES.iter().flat_map(|e| e.words.split(' '));
    let mut list: Vec<_> = all.filter(|w| !w.is_ascii()).collect();
    list.sort_by_key(|w| (std::cmp::Reverse(w.chars().count()), *w));
    list
});

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    Lower,
    Upper,
    Digit,
    Japanese,
    Separator,
}

fn char_class(c: char) -> CharClass {
    if c.is_ascii_digit() {
        CharClass::Digit
    } else if matches!(c, '\u{30a1}'..='\u{30fa}' | 'ー' | '々' | '\u{3099}' | '\u{309a}')
        || matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
    {
        CharClass::Japanese
    } else if c.is_uppercase() {
        CharClass::Upper
    } else if c.is_alphabetic() {
        CharClass::Lower
    } else {
        CharClass::Separator
    }
}

/// Splits a name into folded tokens: Latin words, numbers, and runs of Japanese characters.
pub(super) fn tokens(name: &str) -> Vec<String> {
    // Case separates words, so tokens are folded only after the split.
    let wide: Vec<char> = name.chars().map(fold::unify_width).flat_map(expand_circled_digit).collect();
    let mut out = Vec::new();
    for segment in wide.split(|c| char_class(*c) == CharClass::Separator) {
        if is_random_segment(segment) {
            out.push(fold(&segment.iter().collect::<String>()));
            continue;
        }
        let mut start = 0;
        for i in 1..=segment.len() {
            if i == segment.len() || starts_token(segment, i) {
                out.push(fold(&segment[start..i].iter().collect::<String>()));
                start = i;
            }
        }
    }
    out.retain(|t| !t.is_empty());
    out
}

fn expand_circled_digit(c: char) -> Vec<char> {
    if ('\u{2460}'..='\u{2473}').contains(&c) { fold(&c.to_string()).chars().collect() } else { vec![c] }
}

/// Whether a new token starts at `i`.
fn starts_token(segment: &[char], i: usize) -> bool {
    let (a, b) = (char_class(segment[i - 1]), char_class(segment[i]));
    match (a, b) {
        (CharClass::Upper, CharClass::Lower) => false,
        (CharClass::Upper, CharClass::Upper) => {
            segment.get(i + 1).is_some_and(|c| char_class(*c) == CharClass::Lower) && i + 1 < segment.len()
        }
        _ => a != b,
    }
}

/// Whether a segment is a random identifier, which some tools append: at least eight hexadecimal digits, including
/// letters and decimal digits.
fn is_random_segment(segment: &[char]) -> bool {
    segment.len() >= 8
        && segment.iter().all(char::is_ascii_hexdigit)
        && segment.iter().any(char::is_ascii_digit)
        && segment.iter().any(char::is_ascii_alphabetic)
}

/// Whether a word is a random identifier, which some tools append.
pub fn is_random_id(word: &str) -> bool {
    word.is_ascii() && is_random_segment(&word.chars().collect::<Vec<_>>())
}

#[derive(Default)]
pub(super) struct NameParser {
    words: Vec<String>,
    /// The last word as written in the name.
    last_token: String,
    sides: Vec<BodySide>,
    numbers: Vec<u32>,
    numbers_before_end: Option<usize>,
}

impl NameParser {
    pub(super) fn push_token(&mut self, token: &str) {
        let first = self.words.is_empty() && self.sides.is_empty() && self.numbers.is_empty();
        if token.bytes().all(|b| b.is_ascii_digit()) {
            self.numbers.push(token.parse().unwrap_or(u32::MAX));
        } else if token.is_ascii() {
            self.push_latin(token, first);
        } else {
            self.push_japanese(token);
        }
    }

    fn push_latin(&mut self, token: &str, first: bool) {
        match token {
            "l" | "left" | "lt" | "lft" | "hidari" => self.sides.push(BodySide::Left),
            "r" | "right" | "rt" | "rgt" | "migi" => self.sides.push(BodySide::Right),
            // A single letter at the start is a tool prefix. A later single letter may be a position.
            "c" | "m" => {}
            "f" if !first => self.push_word("front"),
            "b" if !first => self.push_word("back"),
            "s" if !first => self.push_word("side"),
            _ => {
                let Some(pieces) = split_compound(token) else { return self.push_word(token) };
                for piece in pieces {
                    match piece {
                        "left" => self.sides.push(BodySide::Left),
                        "right" => self.sides.push(BodySide::Right),
                        word => self.push_word(word),
                    }
                }
            }
        }
    }

    /// Splits a run of kana and kanji at known words. The text between known words becomes unknown words or numbers.
    fn push_japanese(&mut self, run: &str) {
        let mut rest = run;
        let mut unknown = String::new();
        while let Some(c) = rest.chars().next() {
            let side = JAPANESE_SIDES.into_iter().find(|(word, _)| rest.starts_with(word));
            let known = JAPANESE_WORDS.iter().find(|w| rest.starts_with(**w));
            let taken = match (side, known) {
                (Some((word, side)), _) => {
                    self.flush_unknown(&mut unknown);
                    self.sides.push(side);
                    word.len()
                }
                (None, Some(word)) => {
                    self.flush_unknown(&mut unknown);
                    self.push_word(word);
                    word.len()
                }
                (None, None) => {
                    unknown.push(c);
                    c.len_utf8()
                }
            };
            rest = &rest[taken..];
        }
        self.flush_unknown(&mut unknown);
    }

    fn flush_unknown(&mut self, unknown: &mut String) {
        if let Some(number) = kanji_number(unknown) {
            self.numbers.push(number);
        } else if !matches!(unknown.as_str(), "" | "ノ") {
            // The particle ノ has no meaning.
            self.words.push(unknown.clone());
        }
        unknown.clear();
    }

    fn push_word(&mut self, word: &str) {
        let meaning = MEANINGS.get(word);
        let canonical = meaning.map_or(word, |(canonical, _)| canonical);
        if matches!(meaning, Some((_, Meaning::End))) {
            self.numbers_before_end.get_or_insert(self.numbers.len());
        }
        let pair = self.words.last().and_then(|before| {
            let first = |a: &str| a == before || a == self.last_token;
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
        word.clone_into(&mut self.last_token);
    }

    pub(super) fn finish(mut self) -> BoneName {
        // "Hair_Front" means the same as "FrontHair".
        for (a, b, both) in words::PAIRS.iter().filter(|(_, b, _)| *b == "hair" || *b == "tail") {
            let found = self.words.windows(2).position(|w| w[0] == *b && w[1] == *a);
            if let Some(at) = found {
                self.words.splice(at..at + 2, [(*both).to_owned()]);
            }
        }
        let side = match (self.sides.contains(&BodySide::Left), self.sides.contains(&BodySide::Right)) {
            (true, false) => Some(BodySide::Left),
            (false, true) => Some(BodySide::Right),
            _ => None,
        };
        BoneName { words: self.words, side, numbers: self.numbers, numbers_before_end: self.numbers_before_end }
    }
}

/// Parses a kanji number from 1 to 99.
fn kanji_number(text: &str) -> Option<u32> {
    let digit = |c: char| "一二三四五六七八九".chars().position(|d| d == c).map(|at| at as u32 + 1);
    let digits = |text: &str, none: u32| {
        let mut chars = text.chars();
        match (chars.next(), chars.next()) {
            (None, _) => Some(none),
            (Some(c), None) => digit(c),
            _ => None,
        }
    };
    match text.split_once('十') {
        Some((tens, ones)) => Some(10 * digits(tens, 1)? + digits(ones, 0)?),
        None if text.is_empty() => None,
        None => digits(text, 0),
    }
}

/// Splits a Latin token into known words: "twintails" becomes twin and tail. Returns `None` if part of the token is
/// unknown, so "detail" is not a tail and "chair" is not hair.
fn split_compound(token: &str) -> Option<Vec<&str>> {
    if is_known(token) {
        return Some(vec![token]);
    }
    if let Some(singular) = token.strip_suffix('s')
        && is_known(singular)
    {
        return Some(vec![singular]);
    }
    // Longer tokens are not compounds. The limit also bounds the recursion.
    if token.len() > 32 {
        return None;
    }
    // Words with fewer than three letters occur in other words by chance.
    (3..token.len().saturating_sub(2)).rev().find_map(|cut| {
        let (head, tail) = token.split_at_checked(cut)?;
        if !is_known(head) && !is_pair_prefix(head) {
            return None;
        }
        let mut all = vec![head];
        all.extend(split_compound(tail)?);
        Some(all)
    })
}

pub(super) fn is_known(word: &str) -> bool {
    MEANINGS.contains_key(word) || matches!(word, "left" | "right")
}

fn is_pair_prefix(word: &str) -> bool {
    words::PAIRS.iter().any(|(a, ..)| *a == word)
}
