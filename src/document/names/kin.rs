//! How near words of the list are in meaning, where they are not the same.

use super::MEANINGS;
use super::words::Meaning;
use crate::document::Part;

/// A kind of something and the thing itself: bangs and hair.
const KIND_OF: f32 = 0.8;

/// What many call the same.
const ALIKE: &[(&str, &str, f32)] =
    &[("mune", "chest", 1.0), ("mune", "breast", 1.0), ("sideburn", "sidehair", 0.9), ("cape", "scarf", 0.5)];

/// How near two words as [`BoneName::words`](super::BoneName::words) has them are in meaning, 0..=1.
pub fn kinship(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    if general(a) == Some(b) || general(b) == Some(a) {
        return KIND_OF;
    }
    let found = ALIKE.iter().find(|(x, y, _)| (*x == a && *y == b) || (*x == b && *y == a));
    found.map_or(0.0, |(_, _, near)| *near)
}

/// What a word is a kind of.
pub fn general(word: &str) -> Option<&'static str> {
    match MEANINGS.get(word)?.1 {
        Meaning::Part(Part::Hair) if word != "hair" => Some("hair"),
        Meaning::Part(Part::Ear) if word != "ear" => Some("ear"),
        _ => None,
    }
}

/// Whether a word only says whose ears or tail these are.
pub fn is_species(word: &str) -> bool {
    MEANINGS.get(word).is_some_and(|(first, _)| *first == "fox")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::names::BoneName;

    #[track_caller]
    fn check(a: &str, b: &str, near: f32) {
        let word = |name: &str| BoneName::read(name).words.first().cloned().expect("a word");
        assert_eq!(kinship(&word(a), &word(b)), near, "{a} and {b}");
        assert_eq!(kinship(&word(b), &word(a)), near, "{b} and {a}");
    }

    #[test]
    fn kinds_of_hair_are_hair_and_not_each_other() {
        check("前髪", "Bangs", 1.0);
        check("前髪", "hair", KIND_OF);
        check("アホ毛", "wisp", 1.0);
        check("ponytail", "twintail", 0.0);
        check("tail", "ponytail", 0.0);
        check("猫耳", "Ear", KIND_OF);
        check("earring", "ear", 0.0);
        check("胸", "breast", 1.0);
    }
}
