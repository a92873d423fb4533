//! Floor 1: what is said about an input, by whom ever reads it, to whoever shows it.
//!
//! A [`Diagnostic`] names a file, a place in it and a reason. This room prints nothing; the window, the
//! command line and the tests all show [`Diagnostic`]'s `Display`.

use serde::Serialize;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Something was left out or replaced; the rest is in use.
    Warning,
    /// Nothing could be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Where in an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// File name as the artist knows it; empty for what has no file.
    pub file: String,
    /// 1-based line of a text file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Name of a table column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Name of the bone that a row is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    /// JSON pointer into a glTF or project file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl Place {
    /// A whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// A place inside a JSON file, for example `/nodes/3/mesh`.
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// A line of a text file, from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// A column of a table.
    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    /// A bone's row.
    #[must_use]
    pub fn bone(mut self, bone: impl Into<String>) -> Self {
        self.bone = Some(bone.into());
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, "#{pointer}")?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column \"{column}\"")?;
        }
        if let Some(bone) = &self.bone {
            write!(f, ", bone \"{}\"", clip(bone))?;
        }
        Ok(())
    }
}

/// A rule of a file format; what it is called, and what to do where a file breaks it.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Rule {
    /// Stays the same from version to version, for example `joint-not-below`.
    #[serde(rename = "rule")]
    pub id: &'static str,
    /// Of every finding under this rule.
    #[serde(skip)]
    pub severity: Severity,
    /// What the format asks for, one sentence without full stop.
    #[serde(rename = "expected")]
    pub states: &'static str,
    /// What to do about it, one sentence without full stop.
    pub advice: &'static str,
}

/// Findings that say the same of several things as one finding each, at the place of the first: with their number and the
/// first names. Findings are alike if they differ in nothing but the quoted names, the bone and the line.
pub fn grouped(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    /// More names than these help nobody.
    const NAMED: usize = 4;
    let key = |d: &Diagnostic| {
        let words: Vec<&str> = d.message.split('"').step_by(2).collect();
        let place = Place { line: None, bone: None, pointer: None, ..d.place.clone() };
        (d.severity, d.rule.map(|rule| rule.id), place, words.join("\""))
    };
    let mut groups: Vec<(_, Vec<&Diagnostic>)> = Vec::new();
    for diagnostic in diagnostics {
        let key = key(diagnostic);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, group)) => group.push(diagnostic),
            None => groups.push((key, vec![diagnostic])),
        }
    }
    let merged = |(_, group): (_, Vec<&Diagnostic>)| {
        let mut first = group[0].clone();
        let mut names: Vec<String> = Vec::new();
        for name in group[1..].iter().map(|d| about(d)) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names.retain(|name| *name != about(group[0]));
        if !names.is_empty() {
            let others = names.len().saturating_sub(NAMED);
            let list: Vec<String> = names.iter().take(NAMED).map(|name| format!("\"{}\"", clip(name))).collect();
            let more = if others > 0 { format!(" and {others} more") } else { String::new() };
            first.message = format!("{} (so too {}{more}; {} in all)", first.message, list.join(", "), names.len() + 1);
        }
        first
    };
    groups.into_iter().map(merged).collect()
}

/// What a finding is about: the first quoted name, else the bone.
fn about(diagnostic: &Diagnostic) -> String {
    let quoted = diagnostic.message.split('"').nth(1).map(str::to_owned);
    quoted.or_else(|| diagnostic.place.bone.clone()).unwrap_or_default()
}

/// What a finding about a table's text is, for who says it in words of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// The table that was read tells it too: sections, versions, encodings, commas, blank rows.
    OfTable,
    /// Some bytes are no text; they were replaced.
    BrokenText,
    /// A quote is never closed.
    OpenQuote,
    /// There are more cells than are read.
    TooManyCells,
    /// Rows before the first section are not used.
    LeadingUnused,
    /// Rows before the first section are colliders.
    LeadingColliders,
    /// There is a second version row.
    SecondVersion,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What is there and what was expected, one sentence without full stop.
    pub message: String,
    /// The rule of the format that is broken, where one is.
    #[serde(flatten)]
    pub rule: Option<&'static Rule>,
    /// What it is about, where somebody asks.
    #[serde(skip)]
    pub topic: Option<Topic>,
}

impl Diagnostic {
    /// Nothing of the input could be used.
    pub fn error(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, place, message: message.into(), rule: None, topic: None }
    }

    /// A part was left out or replaced.
    pub fn warning(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, place, message: message.into(), rule: None, topic: None }
    }

    /// Worth knowing.
    pub fn info(place: Place, message: impl Into<String>) -> Self {
        Self { severity: Severity::Info, place, message: message.into(), rule: None, topic: None }
    }

    /// The same finding, of a topic.
    #[must_use]
    pub fn about(mut self, topic: Topic) -> Self {
        self.topic = Some(topic);
        self
    }

    /// A rule of the format is broken; as severe as the rule says.
    pub fn broken(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        Self { severity: rule.severity, place, message: message.into(), rule: Some(rule), topic: None }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.to_string();
        if place.is_empty() { f.write_str(&self.message) } else { write!(f, "{place}: {}", self.message) }
    }
}

/// A piece of a file's text that is safe in one line of output: at most 60 characters, controls and
/// direction marks shown as escapes.
pub fn clip(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut out = String::new();
    for (n, c) in text.chars().enumerate() {
        if n == LONGEST {
            out.push('…');
            break;
        }
        let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || bidi {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_place_and_reason() {
        let place = Place::file("hair.csv").line(3).column("stiffnessForce").bone("hair_2");
        let d = Diagnostic::warning(place, "\"o.5\" is not a number");
        assert_eq!(d.to_string(), "hair.csv:3, column \"stiffnessForce\", bone \"hair_2\": \"o.5\" is not a number");
        let d = Diagnostic::error(Place::file("a.glb").at("/nodes/3/mesh"), "there is no mesh 7");
        assert_eq!(d.to_string(), "a.glb#/nodes/3/mesh: there is no mesh 7");
    }

    #[test]
    fn hostile_text_is_tamed() {
        assert_eq!(clip("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!(clip(&"x".repeat(100)).chars().count(), 61);
    }
}
