//! Diagnostics: findings about an input with a severity, a location and a message.
//!
//! This module prints nothing. The window, the command line and the tests display [`Diagnostic`]s.

mod message_text;

pub use message_text::{MessageArg, MessageText, message, without_note};

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Information only; nothing was skipped.
    Info,
    /// A part of the input was skipped or replaced; the other parts are used.
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

/// A location in an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Location {
    /// File name as displayed to the user; empty for inputs without a file.
    pub file: String,
    /// 1-based line of a text file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Name of a table column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Name of the bone in the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    /// JSON pointer into a glTF or project file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
}

impl Location {
    /// Returns the location of a whole file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// Sets the JSON pointer, for example `/nodes/3/mesh`.
    #[must_use]
    pub fn with_pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Sets the line of a text file, counted from 1.
    #[must_use]
    pub fn with_line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    #[must_use]
    pub fn with_column(mut self, column: impl Into<String>) -> Self {
        self.column = Some(column.into());
        self
    }

    #[must_use]
    pub fn with_bone(mut self, bone: impl Into<String>) -> Self {
        self.bone = Some(bone.into());
        self
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.file))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, "#{}", one_line(pointer))?;
        }
        if let Some(column) = &self.column {
            write!(f, ", column \"{}\"", excerpt(column))?;
        }
        if let Some(bone) = &self.bone {
            write!(f, ", bone \"{}\"", excerpt(bone))?;
        }
        Ok(())
    }
}

/// A rule of a file format, with advice for files that violate the rule.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
pub struct FormatRule {
    /// Stable id, for example `joint-not-below`.
    #[serde(rename = "rule")]
    pub id: &'static str,
    /// Severity of every violation.
    #[serde(skip)]
    pub severity: Severity,
    /// What the format requires, as one sentence without a full stop.
    #[serde(rename = "expected")]
    pub expected: &'static str,
    /// How to fix a violation, as one sentence without a full stop.
    pub advice: &'static str,
}

impl FormatRule {
    /// Returns [`FormatRule::expected`]. The text is the key of its translation.
    pub fn expected_text(&self) -> MessageText {
        MessageText::new(self.expected, [])
    }

    /// Returns [`FormatRule::advice`]. The text is the key of its translation.
    pub fn advice_text(&self) -> MessageText {
        MessageText::new(self.advice, [])
    }
}

/// Merges findings that differ only in quoted names, bone, line and pointer. A merged finding is the first finding of
/// its group, with the number of findings and up to two more locations.
pub fn group_similar(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    /// Maximum number of locations that are listed after the first location.
    const MAX_OTHER_LOCATIONS: usize = 2;
    let key = |d: &Diagnostic| {
        let words: Vec<&str> = d.message.split('"').step_by(2).collect();
        let place = Location { line: None, bone: None, pointer: None, ..d.location.clone() };
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
        let mut names: Vec<MessageText> = Vec::new();
        for name in group[1..].iter().map(|d| subject(d)) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names.retain(|name| *name != subject(group[0]));
        if !names.is_empty() {
            let others = names.len().saturating_sub(MAX_OTHER_LOCATIONS);
            let list = join_texts(names[..names.len() - others].iter().cloned());
            let more = if others > 0 { message!(" and {others} more", others) } else { MessageText::from("") };
            let message = std::mem::replace(&mut first.message, MessageText::from(""));
            first.message =
                message!("{message} (also {list}{more}; {count} in all)", message, list, more, count = names.len() + 1);
        }
        first
    };
    groups.into_iter().map(merged).collect()
}

/// Returns the subject of a finding: line and bone, else the first quoted name, else the bone.
fn subject(diagnostic: &Diagnostic) -> MessageText {
    let Location { line, bone, .. } = &diagnostic.location;
    let quoted = |name: &str| format!("\"{}\"", excerpt(name));
    match (line, bone, diagnostic.message.split('"').nth(1)) {
        (Some(line), Some(bone), _) => message!("{bone} in line {line}", bone = quoted(bone), line = *line),
        (Some(line), None, _) => message!("line {line}", line = *line),
        (None, _, Some(name)) => quoted(name).into(),
        (None, Some(bone), None) => quoted(bone).into(),
        (None, None, None) => "".into(),
    }
}

/// Topic of a finding about the text of a table, by which callers select findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticTopic {
    /// A problem that the parser of setup tables reports with the same text: sections, versions, encodings, commas or
    /// blank rows.
    AlsoReportedByTable,
    /// Invalid bytes were replaced.
    InvalidEncoding,
    /// A quote has no end.
    UnclosedQuote,
    /// Cells beyond the maximum number were ignored.
    TooManyCells,
    /// Rows before the first section were ignored.
    UnusedLeadingRows,
    /// Rows before the first section were read as colliders.
    LeadingColliderRows,
    /// The table has a second version row.
    DuplicateVersionRow,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Diagnostic {
    pub severity: Severity,
    pub location: Location,
    /// What was found and what was expected, as one sentence without a full stop.
    pub message: MessageText,
    /// The rule that was violated.
    #[serde(flatten)]
    pub rule: Option<&'static FormatRule>,
    /// Lets callers select findings.
    #[serde(skip)]
    pub topic: Option<DiagnosticTopic>,
}

impl Diagnostic {
    /// Creates a finding that violates no rule.
    pub fn new(severity: Severity, place: Location, message: impl Into<MessageText>) -> Self {
        Self { severity, location: place, message: message.into(), rule: None, topic: None }
    }

    /// Creates an error: nothing of the input could be used.
    pub fn error(place: Location, message: impl Into<MessageText>) -> Self {
        Self::new(Severity::Error, place, message)
    }

    /// Creates a warning: a part of the input was skipped or replaced.
    pub fn warning(place: Location, message: impl Into<MessageText>) -> Self {
        Self::new(Severity::Warning, place, message)
    }

    /// Creates an informational finding: nothing was skipped.
    pub fn info(place: Location, message: impl Into<MessageText>) -> Self {
        Self::new(Severity::Info, place, message)
    }

    #[must_use]
    pub fn with_topic(mut self, topic: DiagnosticTopic) -> Self {
        self.topic = Some(topic);
        self
    }

    /// Creates a finding with the severity of the violated rule.
    pub fn rule_violation(rule: &'static FormatRule, place: Location, message: impl Into<MessageText>) -> Self {
        Self { rule: Some(rule), ..Self::new(rule.severity, place, message) }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.location.to_string();
        if place.is_empty() { f.write_str(&self.message) } else { write!(f, "{place}: {}", self.message) }
    }
}

/// Returns an excerpt of a text from a file that is safe in one line of output: at most 60 characters, with control
/// characters and direction marks escaped.
pub fn excerpt(text: &str) -> String {
    const MAX_EXCERPT_CHARS: usize = 60;
    match text.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => escape(&text[..end]).into_owned() + "…",
        None => escape(text).into_owned(),
    }
}

/// Joins texts with the comma of the language. Returns an empty text without texts.
pub fn join_texts(texts: impl Iterator<Item = MessageText>) -> MessageText {
    texts.reduce(|first, next| message!("{first}, {next}", first, next)).unwrap_or(const { message!("") })
}

/// Joins excerpts of the first eight names, and the number of further names.
pub fn join_first_names(names: &[String]) -> MessageText {
    const MAX_NAMES: usize = 8;
    let more = names.len().saturating_sub(MAX_NAMES);
    let first = names.iter().take(MAX_NAMES).map(|name| excerpt(name).into());
    join_texts(first.chain((more > 0).then(|| message!("… (+{more})", more))))
}

/// Escapes control characters, line breaks and direction marks, so the text is safe in one line of output.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unsafe(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Whether a character can move the cursor, break a line, or change the direction of text.
fn is_unsafe(c: char) -> bool {
    // Direction marks, embeddings and overrides.
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || direction || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Maximum length of a word in a message. A malicious file may contain a name or key of many kilobytes.
const MAX_WORD_BYTES: usize = 300;
const MAX_MESSAGE_BYTES: usize = 4000;
/// Characters that end a word. Japanese sentences have no spaces.
const WORD_ENDS: [char; 6] = [' ', '、', '。', '：', '（', '「'];

/// Returns a message as one line of limited length without control characters. Long text is cut in the middle, because
/// the reason often follows the name.
///
/// The texts of every [`Diagnostic`] and the error that ends a command go through this function.
pub fn one_line(message: &str) -> String {
    // Decoders separate sentences with line breaks. Any other control character is part of a name.
    let lines: Vec<&str> = message.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let text = lines.join("; ");
    let mut words = escape(&text);
    if words.split(WORD_ENDS).any(|word| word.len() > MAX_WORD_BYTES) {
        let short = words.split_inclusive(WORD_ENDS).map(|part| {
            let word = part.trim_end_matches(WORD_ENDS);
            shorten(word, MAX_WORD_BYTES).into_owned() + &part[word.len()..]
        });
        words = Cow::Owned(short.collect());
    }
    shorten(&words, MAX_MESSAGE_BYTES).into_owned()
}

/// Returns the start and the end of a text, together about `longest` bytes.
fn shorten(text: &str, longest: usize) -> Cow<'_, str> {
    if text.len() <= longest {
        return Cow::Borrowed(text);
    }
    let (head, tail) = (text.floor_char_boundary(longest / 2), text.ceil_char_boundary(text.len() - longest / 2));
    Cow::Owned(format!("{}…{}", &text[..head], &text[tail..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_displays_its_location_and_message() {
        let place = Location::file("hair.csv").with_line(3).with_column("stiffnessForce").with_bone("hair_2");
        let d = Diagnostic::warning(place, "\"o.5\" is not a number");
        assert_eq!(d.to_string(), "hair.csv:3, column \"stiffnessForce\", bone \"hair_2\": \"o.5\" is not a number");
        let d = Diagnostic::error(Location::file("a.glb").with_pointer("/nodes/3/mesh"), "there is no mesh 7");
        assert_eq!(d.to_string(), "a.glb#/nodes/3/mesh: there is no mesh 7");
    }

    #[test]
    fn similar_diagnostics_become_one_with_their_count_and_three_locations() {
        let bad = |line: u64| {
            let place =
                Location::file("hair.csv").with_line(line).with_column("radius").with_bone(format!("hair_{line}"));
            Diagnostic::warning(place, format!("\"o.{line}\" is not a number"))
        };
        let mut all: Vec<_> = (3..8).map(bad).collect();
        let other =
            Diagnostic::warning(Location::file("hair.csv").with_line(9).with_column("drag"), "\"x\" is not a number");
        all.insert(1, other.clone());
        let grouped: Vec<String> = group_similar(&all).iter().map(ToString::to_string).collect();
        let first = "hair.csv:3, column \"radius\", bone \"hair_3\": \"o.3\" is not a number \
                     (also \"hair_4\" in line 4, \"hair_5\" in line 5 and 2 more; 5 in all)";
        assert_eq!(grouped, [first.to_owned(), other.to_string()]);
    }

    #[test]
    fn an_excerpt_is_escaped_and_limited_in_length() {
        assert_eq!(excerpt("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
        assert_eq!(excerpt(&"x".repeat(100)).chars().count(), 61);
    }

    #[test]
    fn diagnostics_escape_control_characters_and_line_breaks() {
        let hostile = "\u{1b}[31m\u{1b}]0;pwned\u{7}\u{202e}\u{2066}\r\nwarning: fake\u{2028}\u{9b}2J\t\u{7f}";
        let place = Location::file(hostile).with_pointer(format!("/{hostile}")).with_column(hostile).with_bone(hostile);
        for diagnostic in [
            Diagnostic::error(place.clone(), hostile),
            Diagnostic::warning(place.clone(), hostile),
            Diagnostic::info(place.clone(), hostile),
            Diagnostic::new(Severity::Info, place, hostile),
        ] {
            for text in [diagnostic.to_string(), diagnostic.message.to_string(), diagnostic.location.to_string()] {
                assert!(!text.contains(is_unsafe), "{text:?}");
                assert!(text.contains("\\u{1b}[31m") && text.contains("\\u{202e}"), "{text}");
            }
        }
    }

    #[test]
    fn line_breaks_in_a_message_become_semicolons() {
        let d = Diagnostic::error(Location::file("a.png"), "cannot be read:\n  bad header\r\n\n  at byte 7\n");
        assert_eq!(d.to_string(), "a.png: cannot be read:; bad header; at byte 7");
    }

    #[test]
    fn a_very_long_key_is_shortened_and_the_reason_after_it_remains() {
        let long = "x".repeat(100_000);
        let d = Diagnostic::warning(
            Location::file("a.json").with_pointer(format!("/{long}")),
            format!("\"{long}\" is not a number"),
        );
        let text = d.to_string();
        assert!(text.len() < 800, "{} bytes", text.len());
        assert!(text.starts_with("a.json#/xxx") && text.ends_with("xx\" is not a number"), "{text}");
        let many = Diagnostic::error(Location::default(), "名前 ".repeat(10_000)).to_string();
        assert!(many.len() < 4100, "{} bytes", many.len());
        let japanese = "同じツリーのジョイントの値が異なります。".repeat(20);
        assert_eq!(one_line(&japanese), japanese, "a sentence without spaces is not one long word");
    }
}
