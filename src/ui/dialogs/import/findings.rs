//! What is odd about a file as a whole, in the artist's language.

use super::reason::missing;
use crate::doc::import::ImportPlan;
use crate::doc::table::{Section, bones_of};
use crate::report::{Diagnostic, Severity, Topic, clip};
use crate::ui::Cx;
use crate::ui::kit::words::Lang;
use std::collections::BTreeSet;

/// Sentences, the ones that may spoil most first. What a row tells of itself is not among them, nor is what the notes of a
/// replacement tell of comment rows.
pub(super) fn findings(cx: &Cx<'_>, plan: &ImportPlan, replaces: bool) -> Vec<String> {
    let table = plan.table();
    let mut all = Vec::new();
    let mut say = |key: &str, values: &[(&str, &str)]| all.push(cx.tr_with(&format!("csv.found.{key}"), values));
    if table.no_bones && !table.bones.is_empty() {
        say("no_bones", &[]);
    }
    if !table.has_collider_rules() && !table.colliders.is_empty() {
        say("old_colliders", &[]);
    }
    // Only a mark or UTF-8 is sure.
    if table.source.encoding != "UTF-8" && !table.source.bom {
        say("guess", &[("encoding", table.source.encoding)]);
    }
    for section in &table.sections {
        let name = section.header.cells.first().map_or("", String::as_str);
        let again = Section::named(name).is_some() || bones_of(name).is_some();
        say(if again { "again" } else { "unknown" }, &[("name", &clip(name))]);
    }
    if table.source.decimal_comma {
        say("comma", &[]);
    }
    if let [(_, line), ..] = &table.blanks[..] {
        say("blank", &[("n", &table.blanks.len().to_string()), ("line", &line.to_string())]);
    }
    if table.version.is_none() {
        say("no_version", &[]);
    }
    let strangers = if replaces { Vec::new() } else { plan.strangers() };
    if let Some(first) = strangers.first() {
        let rows: usize = strangers.iter().map(|stranger| stranger.rows).sum();
        let why = missing(cx, &first.missing);
        all.push(cx.tr_with("csv.found.strangers", &[("n", &rows.to_string()), ("why", &why)]));
    }
    all.extend(others(cx, plan));
    all
}

/// Words for a finding that the table does not remember.
const fn key_of(topic: Topic) -> Option<&'static str> {
    match topic {
        Topic::OfTable => None,
        Topic::BrokenText => Some("broken_text"),
        Topic::OpenQuote => Some("quote"),
        Topic::TooManyCells => Some("cut"),
        Topic::LeadingUnused => Some("leading"),
        Topic::LeadingColliders => Some("leading_colliders"),
        Topic::SecondVersion => Some("version_again"),
    }
}

/// What the table does not tell.
fn others(cx: &Cx<'_>, plan: &ImportPlan) -> Vec<String> {
    let lines: BTreeSet<u64> = Section::ALL.into_iter().flat_map(|s| plan.rows_of(s)).map(|r| r.line).collect();
    let of_a_row = |d: &&Diagnostic| d.place.line.is_some_and(|line| lines.contains(&line)) && d.place.bone.is_some();
    let mut all = Vec::new();
    for found in plan.diagnostics().iter().filter(|d| !of_a_row(d)) {
        let line = found.place.line.map_or_else(|| "–".to_owned(), |line| line.to_string());
        match found.topic {
            Some(topic) => {
                all.extend(key_of(topic).map(|key| cx.tr_with(&format!("csv.found.{key}"), &[("line", &line)])));
            }
            None if cx.theme.lang == Lang::En => all.push(found.message.clone()),
            None if found.severity == Severity::Info => {}
            None => all.push(cx.tr_with("csv.found.other", &[("line", &line)])),
        }
    }
    all
}
