use super::fold;

/// A name pattern as artists type it: words apart by spaces. The first word must be found; of any further ones at
/// least one must; a word after `-` must not. A word with `*` or `?` is compared with the whole name, a plain one
/// with any part of it. Case, width and kana script do not count.
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
    /// Reads what was typed; nothing typed matches every name.
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

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.included.is_empty() && self.excluded.is_empty()
    }

    /// Whether `name` is meant.
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

/// `*` stands for any run, `?` for one character. Only the last star is ever retried, so the time is at most the
/// product of both lengths.
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
