use crate::document::{names::fold, names::split_side, names::truncated};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use thiserror::Error;
use yuremono_sim::diagnostics::{MessageText, message};

const VERSION: u32 = 1;

/// Maximum length of a name after a replacement, in bytes.
pub const MAX_NAME_BYTES: usize = 1024;

const DEFAULT_RULES_JSON: &str = include_str!("../../../../../presets/remap/default.json");

/// A rule that matches names of two characters. A rule that changes names changes the names of both characters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemapRule {
    /// The names are exactly equal.
    SameName,
    /// The bones have the same humanoid role.
    HumanoidRoles,
    /// Removes a prefix.
    StripPrefix(String),
    /// Removes a suffix.
    StripSuffix(String),
    /// Ignores the spelling of sides, separators and case: `Hair_L`, `hair.left`, `髪左` and `左髪`.
    Sides,
    /// Replaces text.
    Replace {
        /// Text to find.
        from: String,
        /// Replacement.
        to: String,
    },
    /// Ignores case, full and half width, hiragana and katakana.
    IgnoreCase,
    /// The most similar remaining bone with at least this score, 0 to 1. Runs are matched before single bones.
    Near(f32),
}

/// A rule that can be switched off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemapRuleEntry {
    /// Whether the rule is used.
    pub on: bool,
    pub rule: RemapRule,
}

/// An ordered list of rules. The first rule that matches a name assigns the bone. Later rules use the changed names.
#[derive(Clone, Debug, PartialEq)]
pub struct RemapRules {
    pub entries: Vec<RemapRuleEntry>,
}

/// Why a rules file cannot be used.
#[derive(Debug, Error)]
pub enum RemapRulesError {
    /// The file is not JSON, or has an unexpected structure.
    #[error("this is not a file of name mapping rules: {0}")]
    Shape(#[from] serde_json::Error),
    /// The file has an unsupported version.
    #[error("the rules file has version {0}, expected {VERSION}")]
    Version(u32),
}

impl RemapRulesError {
    /// The message as translatable text.
    pub fn message(&self) -> MessageText {
        match self {
            Self::Shape(error) => {
                message!("this is not a file of name mapping rules: {error}", error = error.to_string())
            }
            Self::Version(found) => {
                message!("the rules file has version {found}, expected {expected}", found = *found, expected = VERSION)
            }
        }
    }
}

#[derive(Serialize, Deserialize)]
struct RulesFile {
    version: u32,
    rules: Vec<RemapRuleEntry>,
}

impl Default for RemapRules {
    fn default() -> Self {
        Self::from_json(DEFAULT_RULES_JSON).expect("a test reads the preset")
    }
}

impl RemapRules {
    /// Rules that are all enabled.
    pub fn all_enabled(rules: impl IntoIterator<Item = RemapRule>) -> Self {
        Self { entries: rules.into_iter().map(|rule| RemapRuleEntry { on: true, rule }).collect() }
    }

    /// The default rules, plus rules that remove prefixes and suffixes if the removal makes several names equal.
    pub fn with_suggested_affixes<'a>(
        source: impl IntoIterator<Item = &'a str>,
        target: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let source: Vec<&str> = source.into_iter().map(truncated).collect();
        let target: Vec<&str> = target.into_iter().map(truncated).collect();
        let mut rules = Self::default();
        let found = suggested_affix_rules(&source, &target);
        rules.entries.splice(1..1, found.into_iter().map(|rule| RemapRuleEntry { on: true, rule }));
        rules
    }

    /// The text of a rules file.
    pub fn to_json(&self) -> String {
        let file = RulesFile { version: VERSION, rules: self.entries.clone() };
        serde_json::to_string_pretty(&file).expect("rules are plain data")
    }

    /// Parses a rules file.
    pub fn from_json(text: &str) -> Result<Self, RemapRulesError> {
        let file: RulesFile = serde_json::from_str(text)?;
        if file.version == VERSION {
            Ok(Self { entries: file.rules })
        } else {
            Err(RemapRulesError::Version(file.version))
        }
    }
}

/// A name to which rules are applied.
#[derive(Clone, Debug)]
pub(super) struct RuleKey {
    pub(super) text: String,
    is_folded: bool,
}

impl RuleKey {
    pub(super) fn new(name: &str) -> Self {
        Self { text: name.to_owned(), is_folded: false }
    }

    /// Applies a rule. Returns `false` if a replacement would make the name longer than [`MAX_NAME_BYTES`]. The name
    /// stays unchanged in that case.
    #[must_use]
    pub(super) fn apply(&mut self, rule: &RemapRule) -> bool {
        let own = |word: &str| if self.is_folded { fold(word) } else { word.to_owned() };
        let cut = |rest: Option<&str>| rest.filter(|r| !r.is_empty()).map(str::to_owned);
        let changed = match rule {
            RemapRule::StripPrefix(prefix) => cut(self.text.strip_prefix(own(prefix).as_str())),
            RemapRule::StripSuffix(suffix) => cut(self.text.strip_suffix(own(suffix).as_str())),
            RemapRule::Replace { from, .. } if from.is_empty() => None,
            RemapRule::Replace { from, to } => {
                let (from, to) = (own(from), own(to));
                // The length is checked before the replacement, because a list of rules could double a name many times.
                let places = self.text.matches(from.as_str()).count();
                let length = self.text.len() - places * from.len() + places.saturating_mul(to.len());
                if length > MAX_NAME_BYTES.max(self.text.len()) {
                    return false;
                }
                Some(self.text.replace(&from, &to))
            }
            RemapRule::IgnoreCase => Some(fold(&self.text)),
            // `Sides` compares a derived text. Later rules need the original text.
            RemapRule::SameName | RemapRule::HumanoidRoles | RemapRule::Near(_) | RemapRule::Sides => None,
        };
        if let Some(changed) = changed {
            self.text = changed;
        }
        self.is_folded |= *rule == RemapRule::IgnoreCase;
        true
    }

    pub(super) fn applied(mut self, rule: &RemapRule) -> String {
        // The planner reports rules that make names too long.
        let _ = self.apply(rule);
        self.text
    }

    /// The text that `rule` compares, after [`RuleKey::apply`].
    pub(super) fn comparison_text(&self, rule: &RemapRule) -> String {
        match rule {
            RemapRule::Sides => {
                let (rest, side) = split_side(&self.text);
                format!("{rest}|{side:?}")
            }
            _ => self.text.clone(),
        }
    }
}

/// Positions where a separator or a new word starts.
fn cut_positions(name: &str) -> Vec<usize> {
    let chars: Vec<(usize, char)> = name.char_indices().collect();
    let separator = |c: char| !c.is_alphanumeric();
    let fits = |w: &[(usize, char)]| {
        let (a, b) = (w[0].1, w[1].1);
        separator(a) != separator(b) || (a.is_lowercase() && b.is_uppercase())
    };
    chars.windows(2).filter(|w| fits(w)).map(|w| w[1].0).collect()
}

const MIN_REST_CHARS: usize = 3;

/// Rules that make at least two more names equal, most useful rule first.
fn suggested_affix_rules(source: &[&str], target: &[&str]) -> Vec<RemapRule> {
    let in_target: HashSet<&str> = target.iter().copied().collect();
    let in_source: HashSet<&str> = source.iter().copied().collect();
    let source: Vec<&str> = source.iter().copied().filter(|n| !in_target.contains(n)).collect();
    let target: Vec<&str> = target.iter().copied().filter(|n| !in_source.contains(n)).collect();
    let mut rules = Vec::new();
    for front in [true, false] {
        let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut by_rest: HashMap<&str, Vec<&str>> = HashMap::new();
        for name in &target {
            for (affix, rest) in affix_splits(name, front) {
                by_rest.entry(rest).or_default().push(affix);
            }
        }
        for name in &source {
            // The longest remainder is tried first.
            let longest = affix_splits(name, front).into_iter().find_map(|(a, rest)| Some((a, by_rest.get(rest)?)));
            if let Some((ours, theirs)) = longest {
                for other in theirs {
                    *found.entry((ours, *other)).or_default() += 1;
                }
            }
        }
        let mut found: Vec<_> = found.into_iter().filter(|(_, count)| *count >= 2).collect();
        found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        for affix in found.into_iter().take(3).flat_map(|((a, b), _)| [a, b]) {
            let rule =
                if front { RemapRule::StripPrefix(affix.to_owned()) } else { RemapRule::StripSuffix(affix.to_owned()) };
            if !affix.is_empty() && !rules.contains(&rule) {
                rules.push(rule);
            }
        }
    }
    rules
}

/// All splits as `(affix, rest)`, longest rest first.
fn affix_splits(name: &str, front: bool) -> Vec<(&str, &str)> {
    let mut cuts = cut_positions(name);
    let mut all = vec![("", name)];
    if front {
        all.extend(cuts.into_iter().map(|at| (&name[..at], &name[at..])));
    } else {
        cuts.reverse();
        all.extend(cuts.into_iter().map(|at| (&name[at..], &name[..at])));
    }
    // A prefix that ends in a letter may be half of a camel-case word. Separators belong to the affix.
    let clean = |(affix, rest): &(&str, &str)| {
        let joint = if front { rest.chars().next() } else { rest.chars().last() };
        rest.chars().count() >= MIN_REST_CHARS
            && joint.is_some_and(char::is_alphanumeric)
            && affix.chars().any(char::is_alphabetic) | affix.is_empty()
    };
    all.retain(clean);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_rules_file_contains_the_expected_rules() {
        let expected = [
            RemapRule::SameName,
            RemapRule::HumanoidRoles,
            RemapRule::Sides,
            RemapRule::IgnoreCase,
            RemapRule::Near(0.6),
        ];
        assert_eq!(RemapRules::from_json(DEFAULT_RULES_JSON).expect("a rules file"), RemapRules::all_enabled(expected));
        assert_eq!(RemapRules::default(), RemapRules::from_json(DEFAULT_RULES_JSON).expect("a rules file"));
    }
}
