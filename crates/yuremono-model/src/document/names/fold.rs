//! Normalizes the spelling of names: case, full and half width, hiragana and katakana, and combining dakuten and
//! handakuten.

/// Converts a name to lower case. Full-width letters and digits become ASCII, half-width kana become full-width,
/// hiragana becomes katakana, and circled digits become digits. Combining dakuten and handakuten are composed with
/// their kana, because macOS stores them separately.
pub fn fold(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        let c = unify_width(c);
        if let Some(joined) = out.chars().last().and_then(|last| combine_voice_mark(last, c)) {
            out.pop();
            out.push(joined);
        } else if let Some(number) = circled_number(c) {
            out.push_str(&number.to_string());
        } else {
            out.extend(c.to_lowercase());
        }
    }
    out
}

/// Normalizes width and kana script. Case is kept because it separates words.
pub(super) fn unify_width(c: char) -> char {
    const HALF_WIDTH: &str = "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{3099}\u{309a}";
    match c {
        '\u{ff01}'..='\u{ff5e}' => offset_char(c, -0xfee0),
        '\u{3000}' | '\u{a0}' => ' ',
        '\u{ff61}'..='\u{ff9f}' => HALF_WIDTH.chars().nth(c as usize - 0xff61).unwrap_or(c),
        '\u{3041}'..='\u{3096}' => offset_char(c, 0x60),
        '\u{309b}' => '\u{3099}',
        '\u{309c}' => '\u{309a}',
        _ => c,
    }
}

fn offset_char(c: char, by: i32) -> char {
    u32::try_from(c as i32 + by).ok().and_then(char::from_u32).unwrap_or(c)
}

fn combine_voice_mark(base: char, mark: char) -> Option<char> {
    let round = "ハヒフヘホ".contains(base);
    match mark {
        '\u{3099}' if base == 'ウ' => Some('ヴ'),
        '\u{3099}' if round || "カキクケコサシスセソタチツテト".contains(base) => {
            Some(offset_char(base, 1))
        }
        '\u{309a}' if round => Some(offset_char(base, 2)),
        _ => None,
    }
}

fn circled_number(c: char) -> Option<u32> {
    ('\u{2460}'..='\u{2473}').contains(&c).then(|| c as u32 - 0x245f)
}

/// A name pattern that the user types: words separated by spaces.
///
/// The first word must match. If there are other words, at least one of them must match. A word after `-` must not
/// match. A word with `*` or `?` is matched against the whole name, any other word against any part of the name. Case,
/// width and kana script are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamePattern {
    included: Vec<PatternWord>,
    excluded: Vec<PatternWord>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternWord {
    Substring(String),
    Glob(Vec<char>),
}

impl NamePattern {
    /// Parses a pattern. An empty pattern matches every name.
    pub fn new(text: &str) -> Self {
        let mut pattern = Self::default();
        for word in fold(text).split_whitespace() {
            match word.strip_prefix('-') {
                Some("") => {}
                Some(banned) => pattern.excluded.push(PatternWord::new(banned)),
                None => pattern.included.push(PatternWord::new(word)),
            }
        }
        pattern
    }

    /// Whether the pattern has no words.
    pub fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    pub fn matches(&self, name: &str) -> bool {
        if self.is_empty() {
            return true;
        }
        let name = fold(name);
        let further = self.included.get(1..).unwrap_or_default();
        self.included.first().is_none_or(|w| w.matches(&name))
            && (further.is_empty() || further.iter().any(|w| w.matches(&name)))
            && !self.excluded.iter().any(|w| w.matches(&name))
    }
}

impl PatternWord {
    fn new(word: &str) -> Self {
        if word.contains(['*', '?']) { Self::Glob(word.chars().collect()) } else { Self::Substring(word.to_owned()) }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::Substring(part) => name.contains(part.as_str()),
            Self::Glob(glob) => glob_matches(glob, &name.chars().collect::<Vec<_>>()),
        }
    }
}

/// Matches a pattern in which `*` matches any characters and `?` matches one character. Only the last star is retried,
/// so the time is at most proportional to the product of both lengths.
fn glob_matches(glob: &[char], name: &[char]) -> bool {
    let (mut g, mut n) = (0, 0);
    let mut retry = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                retry = Some((g + 1, n));
                g += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (g, n) = (g + 1, n + 1),
            _ => {
                let Some((star, at)) = retry else { return false };
                retry = Some((star, at + 1));
                (g, n) = (star, at + 1);
            }
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_fold_to_the_same() {
        for (a, b) in [
            ("ＨＡＩＲ＿０１", "hair_01"),
            ("ﾘﾎﾞﾝ", "リボン"),
            ("しっぽ", "シッポ"),
            ("カ\u{3099}", "ガ"),
            ("ｽｶｰﾄﾊﾟｰﾂ", "スカートパーツ"),
            ("前髪①", "前髪1"),
            ("右　袖", "右 袖"),
        ] {
            assert_eq!(fold(a), fold(b), "{a} and {b}");
        }
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for name in ["J_Sec_Hair", "ﾂｲﾝﾃｰﾙ左", "ß", "İx", "\u{3099}", "ー゛"] {
            assert_eq!(fold(&fold(name)), fold(name), "{name}");
        }
    }
}

#[cfg(test)]
mod pattern_tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let compiled = NamePattern::new(pattern);
        for name in yes {
            assert!(compiled.matches(name), "{pattern} should match {name}");
        }
        for name in no {
            assert!(!compiled.matches(name), "{pattern} should not match {name}");
        }
    }

    #[test]
    fn a_plain_word_matches_anywhere_in_the_name() {
        check("hair", &["Hair_L", "J_Sec_HAIR1", "ｈａｉｒ"], &["Skirt", ""]);
        check("", &["anything", ""], &[]);
        check("りぼん", &["リボン_左", "ﾘﾎﾞﾝ"], &["しっぽ"]);
    }

    #[test]
    fn wildcards_match_the_entire_name() {
        check("*hair*", &["Hair", "xhairx"], &["chai"]);
        check("hair_?", &["hair_1"], &["hair_12", "my_hair_1"]);
        check("*_l_*1", &["a_L_b1", "_l_1"], &["a_l_2"]);
        check("a*b*c", &["abc", "aXbYbZc"], &["ab", "abcd"]);
        check("***", &["", "x"], &[]);
    }

    #[test]
    fn the_first_word_is_required_and_one_of_the_others() {
        check("hair left right", &["hair_left", "right hair"], &["hair_front", "left"]);
        check("hair -end", &["hair_1"], &["hair_end"]);
        check("-end", &["hair_1"], &["hair_end"]);
    }

    #[test]
    fn many_wildcards_on_a_long_name_match_quickly() {
        let pattern = NamePattern::new(&"*a".repeat(50));
        assert!(!pattern.matches(&"b".repeat(20_000)));
    }
}
