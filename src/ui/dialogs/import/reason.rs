//! Why rows cannot be used as they are, and what is odd about a file as a whole, in the artist's language.

use crate::doc::import::{ErrorKind, ImportPlan, Missing, PlanRow, ReplaceNote, RowNote, RowState};
use crate::doc::table::{Fault, Problem, Section, bones_of, number_text};
use crate::report::{Diagnostic, Severity, Topic, clip};
use crate::ui::Cx;
use crate::ui::kit::words::{self, Lang};
use egui::Color32;
use std::collections::BTreeSet;

/// What is wrong with a cell, its column first.
pub(super) fn problem(cx: &Cx<'_>, problem: &Problem) -> String {
    let what = fault(cx, problem);
    if problem.column.is_empty() {
        return what;
    }
    cx.tr_with("csv.fault.at", &[("column", problem.column), ("what", &what)])
}

fn fault(cx: &Cx<'_>, problem: &Problem) -> String {
    let cell = clip(&problem.cell);
    let say = |key: &str| {
        let empty = problem.cell.is_empty().then(|| words::find(cx.theme.lang, &format!("{key}_empty")));
        match empty.flatten() {
            Some(words) => words.into_owned(),
            None => cx.tr_with(key, &[("cell", &cell)]),
        }
    };
    let counted = |key: &str, values: [(&str, usize); 2]| {
        let values = values.map(|(name, n)| (name, n.to_string()));
        cx.tr_with(key, &values.each_ref().map(|(name, text)| (*name, text.as_str())))
    };
    match &problem.fault {
        Fault::TooFewCells { found, expected } => {
            counted("csv.fault.too_few", [("found", *found), ("expected", *expected)])
        }
        Fault::Blank => cx.tr("csv.fault.blank").into_owned(),
        Fault::NotANumber => say("csv.fault.number"),
        Fault::CommaAmongPoints => say("csv.fault.comma"),
        Fault::TooLarge => say("csv.fault.too_large"),
        Fault::NotAnAngle => say("csv.fault.angle"),
        Fault::NotAToggle => say("csv.fault.toggle"),
        Fault::NotACount => say("csv.fault.count"),
        Fault::TooManyAnnounced { count, room } => counted("csv.fault.too_many", [("count", *count), ("room", *room)]),
        Fault::NoName => cx.tr("csv.fault.no_name").into_owned(),
        Fault::NotAColliderType => say("csv.fault.collider"),
        Fault::NotAComponent => say("csv.fault.component"),
        Fault::NotUnderstood => say("csv.fault.not_understood"),
        Fault::BeyondRange { from, to } => {
            let from = number_text(*from, None);
            match to.map(|to| number_text(to, None)) {
                Some(to) => cx.tr_with("csv.fault.beyond", &[("cell", &cell), ("from", &from), ("to", &to)]),
                None => cx.tr_with("csv.fault.below", &[("cell", &cell), ("from", &from)]),
            }
        }
    }
}

/// Several problems in one line.
pub(super) fn problems(cx: &Cx<'_>, all: &[Problem]) -> String {
    all.iter().map(|p| problem(cx, p)).collect::<Vec<_>>().join(&*cx.tr("csv.then"))
}

/// So many names stand in one note.
const MOST_NAMES: usize = 8;

/// The first names, and how many more of `count` there are.
fn with_more(cx: &Cx<'_>, first: &str, count: usize) -> String {
    if count <= MOST_NAMES {
        return first.to_owned();
    }
    cx.tr_with("windows.import.more", &[("first", first), ("n", &(count - MOST_NAMES).to_string())])
}

fn row_note(cx: &Cx<'_>, note: &RowNote) -> String {
    let listed = |names: &[String]| names.join(&*cx.tr("windows.and"));
    match note {
        RowNote::NoPivot(name) => cx.tr_with("windows.import.note.no_pivot", &[("name", name)]),
        RowNote::OtherSide(name) => cx.tr_with("windows.import.note.other_side", &[("name", name)]),
        RowNote::NoColliders(names) => cx.tr_with("windows.import.note.no_colliders", &[("names", &listed(names))]),
        RowNote::NoTargets(names) => cx.tr_with("windows.import.note.no_targets", &[("names", &listed(names))]),
        RowNote::NoListed(lost) => {
            let names: Vec<String> = lost.iter().take(MOST_NAMES).map(|one| one.name.clone()).collect();
            cx.tr_with("windows.import.note.no_listed", &[("names", &with_more(cx, &listed(&names), lost.len()))])
        }
        RowNote::SeveralComponents => cx.tr("windows.import.note.several_components").into_owned(),
        RowNote::WouldMoveBone(name) => cx.tr_with("windows.import.note.would_move", &[("name", name)]),
    }
}

/// What would happen with a row, or why nothing will; `odd` are values that the original does nothing sensible with.
pub(super) fn row(cx: &Cx<'_>, section: Section, row: &PlanRow, odd: &[Problem]) -> (String, Color32) {
    let c = cx.theme.color;
    let line = row.line.to_string();
    if row.state.is_usable() && (!row.state.notes().is_empty() || !odd.is_empty()) {
        let notes = row.state.notes().iter().map(|note| row_note(cx, note));
        let odd =
            odd.iter().map(|p| cx.tr_with("windows.import.note.bad", &[("line", &line), ("what", &problem(cx, p))]));
        return (notes.chain(odd).collect::<Vec<_>>().join(&*cx.tr("csv.then")), c.warning);
    }
    let of_line = |key: &str, line: u64| cx.tr_with(key, &[("line", &line.to_string())]);
    let words = match &row.state {
        RowState::Matches { changes, stiffness, .. } => {
            let fresh = matches!(stiffness, Some((None, _)));
            let key = match changes {
                _ if fresh => "windows.import.note.fresh",
                0 => "windows.import.note.same",
                1 => "windows.import.note.one",
                _ => "windows.import.note.changes",
            };
            cx.tr_with(key, &[("n", &changes.to_string())])
        }
        RowState::New { .. } => cx.tr("windows.import.note.new").into_owned(),
        RowState::NoNode(name) => cx.tr_with("windows.import.note.no_node", &[("name", name)]),
        RowState::Missing(what) => missing(cx, what),
        RowState::Unused => cx.tr("windows.import.note.unused").into_owned(),
        RowState::NoBone if section == Section::Bones => {
            let key = if row.formula { "windows.import.note.formula" } else { "windows.import.note.no_bone" };
            cx.tr(key).into_owned()
        }
        RowState::NoBone => cx.tr_with("windows.import.note.no_node", &[("name", &row.name)]),
        RowState::BadCells(bad) => {
            cx.tr_with("windows.import.note.bad", &[("line", &line), ("what", &problems(cx, bad))])
        }
        RowState::Repeated(by) if section == Section::Bones => of_line("windows.import.note.repeated", *by),
        RowState::Repeated(by) => of_line("csv.repeated", *by),
    };
    let color = if matches!(row.state, RowState::BadCells(_)) { c.error } else { c.text_2 };
    (words, color)
}

/// What a comment row speaks of and nobody has.
pub(super) fn missing(cx: &Cx<'_>, what: &Missing) -> String {
    let text;
    let (key, name) = match what {
        Missing::Bone(name) => ("bone", name),
        Missing::Node(name) => ("node", name),
        Missing::Joint(name) => ("joint", name),
        Missing::Chain(name) => ("chain", name),
        Missing::Target(name) => ("target", name),
        Missing::Collider(name) => ("collider", name),
        Missing::Parameter(name) => ("parameter", name),
        Missing::Group(group) => {
            text = group.to_string();
            ("group", &text)
        }
        Missing::Component(solver) => {
            text = words::solver_name(cx.theme.lang, *solver).into_owned();
            ("component", &text)
        }
    };
    cx.tr_with(&format!("csv.missing.{key}"), &[("name", &clip(name))])
}

/// Why the original refuses a row.
pub(super) fn refusal(cx: &Cx<'_>, kind: &ErrorKind) -> String {
    let named = |key: &str, name: &str| cx.tr_with(key, &[("name", name)]);
    match kind {
        ErrorKind::Cells(bad) => problems(cx, bad),
        ErrorKind::NoParent(name) => named("csv.refused.no_parent", name),
        ErrorKind::SharedName => cx.tr("csv.refused.shared_name").into_owned(),
        ErrorKind::NoRenderer(name) => named("csv.refused.no_renderer", name),
        ErrorKind::NoName => cx.tr("csv.refused.no_name").into_owned(),
        ErrorKind::NoBone => cx.tr("csv.refused.no_bone").into_owned(),
        ErrorKind::NoPivotName => cx.tr("csv.refused.no_pivot_name").into_owned(),
        ErrorKind::NoPivot(name) => named("csv.refused.no_pivot", name),
    }
}

/// What an artist should know before a table takes the place of what is there, and whether something goes.
pub(super) fn replace_note(cx: &Cx<'_>, note: &ReplaceNote) -> (String, bool) {
    let counted = |key: &str, n: usize| cx.tr_with(key, &[("n", &n.to_string())]);
    let of_row = |key: &str, line: u64, name: &str| cx.tr_with(key, &[("line", &line.to_string()), ("name", name)]);
    match note {
        ReplaceNote::WipesBones(n) => (counted("csv.replace.wipes", *n), true),
        ReplaceNote::RemovesJoints(n) => (counted("csv.replace.joints_go", *n), true),
        ReplaceNote::RemovesSystems(n) => (counted("csv.replace.systems_go", *n), true),
        ReplaceNote::Stays { systems, joints, colliders } => {
            let values = [("systems", systems), ("joints", joints), ("colliders", colliders)];
            let values = values.map(|(name, n)| (name, n.to_string()));
            let values = values.each_ref().map(|(name, text)| (*name, text.as_str()));
            (cx.tr_with("csv.replace.stays", &values), false)
        }
        ReplaceNote::ColliderTwice(line, name) => (of_row("csv.replace.collider_twice", *line, name), false),
        ReplaceNote::LostComments(n, first) => {
            let values = [("n", n.to_string()), ("why", missing(cx, first))];
            (cx.tr_with("csv.found.strangers", &values.each_ref().map(|(name, text)| (*name, text.as_str()))), false)
        }
        ReplaceNote::RemovesColliders(n) => (counted("csv.replace.colliders_go", *n), true),
        ReplaceNote::EmptiesColliderLists(n) => (counted("csv.replace.lists_go", *n), true),
        ReplaceNote::WouldMoveBone(line, name) => (of_row("csv.replace.would_move", *line, name), false),
        ReplaceNote::BoneTwice(line, name) => (of_row("csv.replace.twice", *line, name), false),
        ReplaceNote::NotABone(line, name) => (of_row("csv.replace.not_a_bone", *line, name), false),
        ReplaceNote::NoColliders(line, names) => {
            (of_row("csv.replace.no_colliders", *line, &names.join(&*cx.tr("windows.and"))), false)
        }
        ReplaceNote::NoListed(line, names) => {
            let some: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
            let said = with_more(cx, &some.join(&*cx.tr("windows.and")), names.len());
            (of_row("csv.replace.no_listed", *line, &said), false)
        }
        ReplaceNote::ForgetsSwitches => (cx.tr("csv.replace.switches").into_owned(), false),
    }
}

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
