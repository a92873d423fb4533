//! What a thing is called on the other side.

use crate::document::{names::BodySide, names::split_side};

const SIDE_WORDS: [[&str; 2]; 5] =
    [["Left", "Right"], ["left", "right"], ["LEFT", "RIGHT"], ["左", "右"], ["ヒダリ", "ミギ"]];

/// A name with its words for left and right changed into each other, in their own spelling; `None` for a name that
/// says neither side, or both.
pub fn mirrored_name(name: &str) -> Option<String> {
    let (_, side) = split_side(name);
    let (from, to) = match side? {
        BodySide::Left => (0, 1),
        BodySide::Right => (1, 0),
    };
    if let Some(pair) = SIDE_WORDS.iter().find(|pair| name.contains(pair[from])) {
        return Some(name.replace(pair[from], pair[to]));
    }
    let letters = [['l', 'r'], ['L', 'R']];
    let chars: Vec<char> = name.chars().collect();
    let swapped = |(at, c): (usize, &char)| {
        let pair = letters.iter().find(|pair| pair[from] == *c);
        pair.filter(|_| is_separate_letter(&chars, at)).map_or(*c, |pair| pair[to])
    };
    let other: String = chars.iter().enumerate().map(swapped).collect();
    (other != name).then_some(other)
}

/// Whether the letter at `at` is a word of its own, as in `_L`, `.l`, `L_`, `HairL` and `LHair`.
fn is_separate_letter(chars: &[char], at: usize) -> bool {
    let before = at.checked_sub(1).map(|i| chars[i]);
    let after = chars.get(at + 1).copied();
    let is_upper = chars[at].is_uppercase();
    let cut_before = before.is_none_or(|c| !c.is_alphabetic() || (is_upper && c.is_lowercase()));
    let word_follows =
        is_upper && after.is_some_and(char::is_uppercase) && chars.get(at + 2).is_some_and(|c| c.is_lowercase());
    cut_before && (after.is_none_or(|c| !c.is_alphabetic()) || word_follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(left: &str, right: &str) {
        assert_eq!(mirrored_name(left).as_deref(), Some(right));
        assert_eq!(mirrored_name(right).as_deref(), Some(left));
    }

    #[test]
    fn side_words_of_both_languages_and_all_spellings_are_swapped() {
        check("TwinTail_L_01", "TwinTail_R_01");
        check("Skirt.L", "Skirt.R");
        check("L_sleeve", "R_sleeve");
        check("HairL01", "HairR01");
        check("hair_l_3", "hair_r_3");
        check("leftUpperLeg_Pivot", "rightUpperLeg_Pivot");
        check("J_Left_Ear", "J_Right_Ear");
        check("リボン_左", "リボン_右");
    }

    #[test]
    fn names_without_one_side_have_no_mirrored_name() {
        assert_eq!(mirrored_name("Tail_01"), None);
        assert_eq!(mirrored_name("Skirt_Left_Right"), None);
        assert_eq!(mirrored_name(""), None);
    }
}
