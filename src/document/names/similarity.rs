//! How near words of the list are in meaning, where they are not the same.

use super::MEANINGS;
use super::words::Meaning;
use crate::document::ChainPart;

/// A kind of something and the thing itself: bangs and hair.
const KIND_OF_SIMILARITY: f32 = 0.8;

/// What many call the same.
const SIMILAR_WORDS: &[(&str, &str, f32)] =
    &[("mune", "chest", 1.0), ("mune", "breast", 1.0), ("sideburn", "sidehair", 0.9), ("cape", "scarf", 0.5)];

/// How near two words as [`BoneName::words`](super::BoneName::words) has them are in meaning, 0..=1.
pub fn word_similarity(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    if general_word(a) == Some(b) || general_word(b) == Some(a) {
        return KIND_OF_SIMILARITY;
    }
    let found = SIMILAR_WORDS.iter().find(|(x, y, _)| (*x == a && *y == b) || (*x == b && *y == a));
    found.map_or(0.0, |(_, _, near)| *near)
}

/// What a word is a kind of.
pub fn general_word(word: &str) -> Option<&'static str> {
    match MEANINGS.get(word)?.1 {
        Meaning::Part(ChainPart::Hair) if word != "hair" => Some("hair"),
        Meaning::Part(ChainPart::Ear) if word != "ear" => Some("ear"),
        _ => None,
    }
}

/// Whether a word only says whose ears or tail these are.
pub fn is_species_word(word: &str) -> bool {
    MEANINGS.get(word).is_some_and(|(first, _)| *first == "fox")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::names::BoneName;

    #[track_caller]
    fn check(a: &str, b: &str, near: f32) {
        let word = |name: &str| BoneName::parse(name).words.first().cloned().expect("a word");
        assert_eq!(word_similarity(&word(a), &word(b)), near, "{a} and {b}");
        assert_eq!(word_similarity(&word(b), &word(a)), near, "{b} and {a}");
    }

    #[test]
    fn hair_styles_are_similar_to_hair_but_not_to_each_other() {
        check("前髪", "Bangs", 1.0);
        check("前髪", "hair", KIND_OF_SIMILARITY);
        check("アホ毛", "wisp", 1.0);
        check("ponytail", "twintail", 0.0);
        check("tail", "ponytail", 0.0);
        check("猫耳", "Ear", KIND_OF_SIMILARITY);
        check("earring", "ear", 0.0);
        check("胸", "breast", 1.0);
    }
}
