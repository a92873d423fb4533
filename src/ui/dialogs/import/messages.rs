//! What is wrong with rows and with a file as a whole, in the artist's language.

use super::Import;
use crate::document::{Chain, ChainId, Document, Passthrough};
use crate::exchange::{
    ErrorKind, Fault, FileItem, ImportPlan, Missing, PlanRow, Problem, ReplaceNote, RowNote, RowState, Section,
};
use crate::report::{Diagnostic, Severity, Topic, clip};
use crate::ui::Cx;
use crate::ui::kit::frame::{self, Tone};
use crate::ui::kit::tokens::space;
use crate::ui::kit::words::{self, Lang};
use egui::{Color32, Ui, vec2};
use std::collections::BTreeSet;

/// The most names that one message lists.
const MOST_NAMES: usize = 8;

/// Words with one number.
fn counted(cx: &Cx<'_>, key: &str, n: usize) -> String {
    cx.tr_with(key, &[("n", &n.to_string())])
}

/// Words with several numbers.
fn counted_all<const N: usize>(cx: &Cx<'_>, key: &str, values: [(&str, usize); N]) -> String {
    let values = values.map(|(name, n)| (name, n.to_string()));
    cx.tr_with(key, &values.each_ref().map(|(name, text)| (*name, text.as_str())))
}

fn named(cx: &Cx<'_>, key: &str, name: &str) -> String {
    cx.tr_with(key, &[("name", name)])
}

/// What is wrong with a cell, after the name of its column.
fn problem(cx: &Cx<'_>, problem: &Problem) -> String {
    let what = fault(cx, problem);
    if problem.column.is_empty() {
        return what;
    }
    cx.tr_with("csv.fault.at", &[("column", problem.column), ("what", &what)])
}

fn fault(cx: &Cx<'_>, problem: &Problem) -> String {
    let cell = clip(&problem.cell);
    let of_cell = |key: &str| {
        let empty = problem.cell.is_empty().then(|| words::find(cx.theme.lang, &format!("{key}_empty")));
        match empty.flatten() {
            Some(words) => words.into_owned(),
            None => cx.tr_with(key, &[("cell", &cell)]),
        }
    };
    match &problem.fault {
        Fault::TooFewCells { found, expected } => {
            counted_all(cx, "csv.fault.too_few", [("found", *found), ("expected", *expected)])
        }
        Fault::Blank => cx.tr("csv.fault.blank").into_owned(),
        Fault::NotANumber => of_cell("csv.fault.number"),
        Fault::CommaAmongPoints => of_cell("csv.fault.comma"),
        Fault::TooLarge => of_cell("csv.fault.too_large"),
        Fault::NotAnAngle => of_cell("csv.fault.angle"),
        Fault::NotAToggle => of_cell("csv.fault.toggle"),
        Fault::NotACount => of_cell("csv.fault.count"),
        Fault::TooManyAnnounced { count, room } => {
            counted_all(cx, "csv.fault.too_many", [("count", *count), ("room", *room)])
        }
        Fault::NoName => cx.tr("csv.fault.no_name").into_owned(),
        Fault::NotAColliderType => of_cell("csv.fault.collider"),
        Fault::NotAComponent => of_cell("csv.fault.component"),
        Fault::NotUnderstood => of_cell("csv.fault.not_understood"),
        Fault::BeyondRange { from, to: None } => {
            cx.tr_with("csv.fault.below", &[("cell", &cell), ("from", &from.to_string())])
        }
        Fault::BeyondRange { from, to: Some(to) } => {
            let (from, to) = (from.to_string(), to.to_string());
            cx.tr_with("csv.fault.beyond", &[("cell", &cell), ("from", &from), ("to", &to)])
        }
    }
}

fn problems(cx: &Cx<'_>, all: &[Problem]) -> String {
    all.iter().map(|p| problem(cx, p)).collect::<Vec<_>>().join(&*cx.tr("csv.then"))
}

fn joined<'a>(cx: &Cx<'_>, names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(&*cx.tr("windows.and"))
}

/// The first names, and how many more there are.
fn first_names<'a>(cx: &Cx<'_>, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let first = joined(cx, names.take(MOST_NAMES));
    if count <= MOST_NAMES {
        return first;
    }
    with_more(cx, &first, count - MOST_NAMES)
}

fn with_more(cx: &Cx<'_>, first: &str, more: usize) -> String {
    cx.tr_with("windows.import.more", &[("first", first), ("n", &more.to_string())])
}

fn row_note(cx: &Cx<'_>, note: &RowNote) -> String {
    let listed = |key: &str, names: &[String]| {
        let names = joined(cx, names.iter().map(String::as_str));
        cx.tr_with(key, &[("names", &names)])
    };
    match note {
        RowNote::NoPivot(name) => named(cx, "windows.import.note.no_pivot", name),
        RowNote::OtherSide(name) => named(cx, "windows.import.note.other_side", name),
        RowNote::NoColliders(names) => listed("windows.import.note.no_colliders", names),
        RowNote::NoTargets(names) => listed("windows.import.note.no_targets", names),
        RowNote::NoListed(lost) => {
            let names = first_names(cx, lost.iter().map(|one| one.name.as_str()));
            cx.tr_with("windows.import.note.no_listed", &[("names", &names)])
        }
        RowNote::SeveralComponents => cx.tr("windows.import.note.several_components").into_owned(),
        RowNote::WouldMoveBone(name) => named(cx, "windows.import.note.would_move", name),
    }
}

/// What happens with a row, or why it cannot be used; `unusual` are values outside of the engine's range.
pub(super) fn row(cx: &Cx<'_>, section: Section, row: &PlanRow, unusual: &[Problem]) -> (String, Color32) {
    let c = cx.theme.color;
    let bad = |what: String| {
        let line = row.line.to_string();
        cx.tr_with("windows.import.note.bad", &[("line", &line), ("what", &what)])
    };
    if row.state.is_usable() && (!row.state.notes().is_empty() || !unusual.is_empty()) {
        let notes = row.state.notes().iter().map(|note| row_note(cx, note));
        let all: Vec<String> = notes.chain(unusual.iter().map(|p| bad(problem(cx, p)))).collect();
        return (all.join(&*cx.tr("csv.then")), c.warning);
    }
    let words = match &row.state {
        RowState::Matches { changes, stiffness, .. } => {
            let key = match changes {
                _ if matches!(stiffness, Some((None, _))) => "windows.import.note.fresh",
                0 => "windows.import.note.same",
                1 => "windows.import.note.one",
                _ => "windows.import.note.changes",
            };
            counted(cx, key, *changes)
        }
        RowState::New { .. } => cx.tr("windows.import.note.new").into_owned(),
        RowState::NoNode(name) => named(cx, "windows.import.note.no_node", name),
        RowState::Missing(what) => missing(cx, what),
        RowState::Unused => cx.tr("windows.import.note.unused").into_owned(),
        RowState::NoBone if section != Section::Joints => named(cx, "windows.import.note.no_node", &row.name),
        RowState::NoBone if row.formula => cx.tr("windows.import.note.formula").into_owned(),
        RowState::NoBone => cx.tr("windows.import.note.no_bone").into_owned(),
        RowState::BadCells(all) => bad(problems(cx, all)),
        RowState::Repeated(by) => {
            let key = if section == Section::Joints { "windows.import.note.repeated" } else { "csv.repeated" };
            cx.tr_with(key, &[("line", &by.to_string())])
        }
    };
    let color = if matches!(row.state, RowState::BadCells(_)) { c.error } else { c.text_2 };
    (words, color)
}

/// What an entry refers to and this character lacks.
fn missing(cx: &Cx<'_>, what: &Missing) -> String {
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
    named(cx, &format!("csv.missing.{key}"), &clip(name))
}

/// Entries that refer to something that is not here, and what the first of them misses.
fn unresolved(cx: &Cx<'_>, rows: usize, first: &Missing) -> String {
    cx.tr_with("csv.found.strangers", &[("n", &rows.to_string()), ("why", &missing(cx, first))])
}

/// Why Unity's window refuses a row.
pub(super) fn refusal(cx: &Cx<'_>, kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Cells(bad) => problems(cx, bad),
        ErrorKind::NoParent(name) => named(cx, "csv.refused.no_parent", name),
        ErrorKind::SharedName => cx.tr("csv.refused.shared_name").into_owned(),
        ErrorKind::NoRenderer(name) => named(cx, "csv.refused.no_renderer", name),
        ErrorKind::NoName => cx.tr("csv.refused.no_name").into_owned(),
        ErrorKind::NoBone => cx.tr("csv.refused.no_bone").into_owned(),
        ErrorKind::NoPivotName => cx.tr("csv.refused.no_pivot_name").into_owned(),
        ErrorKind::NoPivot(name) => named(cx, "csv.refused.no_pivot", name),
    }
}

/// What the artist should know before a replacement, and whether it removes something.
pub(super) fn replace_note(cx: &Cx<'_>, note: &ReplaceNote) -> (String, bool) {
    let of_row = |key: &str, line: u64, name: &str| cx.tr_with(key, &[("line", &line.to_string()), ("name", name)]);
    let removes = |key: &str, n: usize| (counted(cx, key, n), true);
    let words = match note {
        ReplaceNote::WipesBones(n) => return removes("csv.replace.wipes", *n),
        ReplaceNote::RemovesJoints(n) => return removes("csv.replace.joints_go", *n),
        ReplaceNote::RemovesSystems(n) => return removes("csv.replace.systems_go", *n),
        ReplaceNote::RemovesColliders(n) => return removes("csv.replace.colliders_go", *n),
        ReplaceNote::EmptiesColliderLists(n) => return removes("csv.replace.lists_go", *n),
        ReplaceNote::Stays { systems, joints, colliders } => {
            let values = [("systems", *systems), ("joints", *joints), ("colliders", *colliders)];
            counted_all(cx, "csv.replace.stays", values)
        }
        ReplaceNote::ColliderTwice(line, name) => of_row("csv.replace.collider_twice", *line, name),
        ReplaceNote::LostComments(n, first) => unresolved(cx, *n, first),
        ReplaceNote::WouldMoveBone(line, name) => of_row("csv.replace.would_move", *line, name),
        ReplaceNote::BoneTwice(line, name) => of_row("csv.replace.twice", *line, name),
        ReplaceNote::NotABone(line, name) => of_row("csv.replace.not_a_bone", *line, name),
        ReplaceNote::NoColliders(line, names) => {
            of_row("csv.replace.no_colliders", *line, &joined(cx, names.iter().map(String::as_str)))
        }
        ReplaceNote::NoListed(line, names) => {
            of_row("csv.replace.no_listed", *line, &first_names(cx, names.iter().map(String::as_str)))
        }
        ReplaceNote::ForgetsSwitches => cx.tr("csv.replace.switches").into_owned(),
    };
    (words, false)
}

/// Sentences about the file as a whole, the most harmful first. Rows and the notes of a replacement have their own.
fn findings(cx: &Cx<'_>, plan: &ImportPlan, replaces: bool) -> Vec<String> {
    let (file, table) = (plan.file(), &plan.file().table);
    let has = |section: Section| file.items.iter().any(|item| item.section == section);
    let mut all = Vec::new();
    let mut add = |key: &str, values: &[(&str, &str)]| all.push(cx.tr_with(&format!("csv.found.{key}"), values));
    if table.no_bones && has(Section::Joints) {
        add("no_bones", &[]);
    }
    if !file.has_collider_rules() && has(Section::Colliders) {
        add("old_colliders", &[]);
    }
    // Only UTF-8 and a byte order mark leave no doubt.
    if table.encoding != "UTF-8" && !table.bom {
        add("guess", &[("encoding", table.encoding)]);
    }
    for (section, is_known) in unused_sections(&file.passthrough, &file.items) {
        add(if is_known { "again" } else { "unknown" }, &[("name", &clip(section))]);
    }
    if table.decimal_comma {
        add("comma", &[]);
    }
    if let [(_, line), ..] = &table.blanks[..] {
        add("blank", &[("n", &table.blanks.len().to_string()), ("line", &line.to_string())]);
    }
    if table.version.is_none() {
        add("no_version", &[]);
    }
    let lost = if replaces { Vec::new() } else { plan.unresolved() };
    if let Some(first) = lost.first() {
        all.push(unresolved(cx, lost.iter().map(|one| one.rows).sum(), &first.missing));
    }
    all.extend(other_findings(cx, plan));
    all
}

/// Names of the sections whose rows are kept verbatim, and whether rows of another section of that name are used.
fn unused_sections<'a>(kept: &'a [Passthrough], items: &[FileItem]) -> Vec<(&'a str, bool)> {
    let mut all: Vec<(&str, bool)> = Vec::new();
    for name in kept.iter().filter_map(section_of) {
        if all.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let mut used = items.iter().filter_map(|item| section_of(item.verbatim.as_ref()?));
        all.push((name, used.any(|other| other.eq_ignore_ascii_case(name))));
    }
    all
}

/// The section of a CSV row.
fn section_of(kept: &Passthrough) -> Option<&str> {
    match kept {
        Passthrough::Row { section, .. } => Some(section),
        _ => None,
    }
}

/// Key of a finding that only its diagnostic knows.
const fn topic_key(topic: Topic) -> Option<&'static str> {
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

/// Diagnostics of reading that are not about a row.
fn other_findings(cx: &Cx<'_>, plan: &ImportPlan) -> Vec<String> {
    let lines: BTreeSet<u64> = plan.rows().iter().map(|row| row.line).collect();
    let of_a_row = |d: &&Diagnostic| d.place.line.is_some_and(|line| lines.contains(&line)) && d.place.bone.is_some();
    let mut all = Vec::new();
    for found in plan.diagnostics().iter().filter(|d| !of_a_row(d)) {
        let line = found.place.line.map_or_else(|| "–".to_owned(), |line| line.to_string());
        match found.topic {
            Some(topic) => {
                all.extend(topic_key(topic).map(|key| cx.tr_with(&format!("csv.found.{key}"), &[("line", &line)])));
            }
            None if cx.theme.lang == Lang::En => all.push(found.message.clone()),
            None if found.severity == Severity::Info => {}
            None => all.push(cx.tr_with("csv.found.other", &[("line", &line)])),
        }
    }
    all
}

impl Import {
    /// What was found in the file as a whole, and what a change of systems costs.
    pub(super) fn warning_ui(&self, ui: &mut Ui, cx: &Cx<'_>) {
        let mut all = findings(cx, &self.plan, self.replacement.is_some());
        all.splice(0..0, self.moved_words(cx));
        let Some(first) = all.first() else { return };
        let sentence = match all.len() {
            1 => first.clone(),
            n => with_more(cx, first, n - 1),
        };
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let room = vec2(ui.available_width() - space::XL, 28.0);
            let strip = ui.allocate_ui(room, |ui| frame::message_strip(ui, Tone::Warning, &sentence, None));
            if all.len() > 1 {
                strip.response.on_hover_text(all.join("\n"));
            }
        });
        ui.add_space(space::S);
    }

    /// What happens where chains change their solver or system first.
    fn moved_words(&self, cx: &Cx<'_>) -> Option<String> {
        let conversion = self.plan.moved()?;
        let systems = &self.file.systems;
        if systems.len() > 1 && !moves_chains(cx.session().document(), &conversion.after) {
            return None;
        }
        let head = if systems.len() > 1 { "csv.found.under_several" } else { "csv.found.under" };
        let form = match conversion.losses.len() {
            0 => String::new(),
            n => format!("_lossy.{}", words::plural_form(n)),
        };
        let solver = systems.first().map_or("", |system| system.solver.key());
        let values = [("solver", solver), ("n", &conversion.losses.len().to_string())];
        Some(cx.tr_with(&format!("{head}{form}"), &values))
    }
}

/// Whether a chain has another system or solver afterwards.
fn moves_chains(before: &Document, after: &Document) -> bool {
    let stays = |(id, chain): (&ChainId, &Chain)| {
        let old = before.chains.get(id);
        old.is_some_and(|old| old.system == chain.system && before.solver_of(old) == after.solver_of(chain))
    };
    !after.chains.iter().all(stays)
}
