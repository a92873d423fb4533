//! Builds the messages for the rows, problems and findings of an import, in the window's language.

use super::ImportDialog;
use crate::ui::UiContext;
use crate::ui::dialogs::dialog::{with_count, with_counts};
use crate::ui::kit::frame::{self, MessageLevel};
use crate::ui::kit::i18n::{self};
use crate::ui::kit::tokens::space;
use egui::{Color32, Ui, vec2};
use std::collections::BTreeSet;
use yuremono_model::document::{Chain, ChainId, Document, Passthrough};
use yuremono_model::exchange::{
    CellFault, CellProblem, FileEntry, FileSection, ImportNote, ImportPlan, ImportRow, ImportRowStatus,
    MissingReference, ReplaceNote, RowErrorKind,
};
use yuremono_sim::diagnostics::{Diagnostic, DiagnosticTopic, excerpt};

const MAX_NAMES: usize = 8;

fn with_name(cx: &UiContext<'_>, key: &str, name: &str) -> String {
    cx.tr_with(key, &[("name", name)])
}

fn problem_text(cx: &UiContext<'_>, problem: &CellProblem) -> String {
    let what = fault_text(cx, problem);
    if problem.column.is_empty() {
        return what;
    }
    cx.tr_with("csv.fault.at", &[("column", problem.column), ("what", &what)])
}

fn fault_text(cx: &UiContext<'_>, problem: &CellProblem) -> String {
    let cell = excerpt(&problem.cell);
    let of_cell = |key: &str| {
        let empty = problem.cell.is_empty().then(|| i18n::find_text(cx.theme.lang, &format!("{key}_empty")));
        match empty.flatten() {
            Some(words) => words.into_owned(),
            None => cx.tr_with(key, &[("cell", &cell)]),
        }
    };
    match &problem.fault {
        CellFault::TooFewCells { found, expected } => {
            with_counts(cx, "csv.fault.too_few", [("found", *found), ("expected", *expected)])
        }
        CellFault::BlankRow => cx.tr("csv.fault.blank").into_owned(),
        CellFault::NotANumber => of_cell("csv.fault.number"),
        CellFault::UnexpectedComma => of_cell("csv.fault.comma"),
        CellFault::TooLargeForF32 => of_cell("csv.fault.too_large"),
        CellFault::NotAnAngle => of_cell("csv.fault.angle"),
        CellFault::NotAToggle => of_cell("csv.fault.toggle"),
        CellFault::NotACount => of_cell("csv.fault.count"),
        CellFault::CountExceedsCells { count, available: room } => {
            with_counts(cx, "csv.fault.too_many", [("count", *count), ("room", *room)])
        }
        CellFault::MissingName => cx.tr("csv.fault.no_name").into_owned(),
        CellFault::NotAColliderType => of_cell("csv.fault.collider"),
        CellFault::NotAComponent => of_cell("csv.fault.component"),
        CellFault::UnknownComment => of_cell("csv.fault.unknown_comment"),
        CellFault::OutOfRange { min: from, max: None } => {
            cx.tr_with("csv.fault.below_minimum", &[("cell", &cell), ("from", &from.to_string())])
        }
        CellFault::OutOfRange { min: from, max: Some(to) } => {
            let (from, to) = (from.to_string(), to.to_string());
            cx.tr_with("csv.fault.out_of_range", &[("cell", &cell), ("from", &from), ("to", &to)])
        }
    }
}

fn problems_text(cx: &UiContext<'_>, all: &[CellProblem]) -> String {
    all.iter().map(|p| problem_text(cx, p)).collect::<Vec<_>>().join(&*cx.tr("csv.then"))
}

fn joined_names<'a>(cx: &UiContext<'_>, names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(&*cx.tr("windows.and"))
}

fn first_names<'a>(cx: &UiContext<'_>, names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let first = joined_names(cx, names.take(MAX_NAMES));
    if count <= MAX_NAMES {
        return first;
    }
    with_more(cx, &first, count - MAX_NAMES)
}

fn with_more(cx: &UiContext<'_>, first: &str, more: usize) -> String {
    cx.tr_with("windows.import.more", &[("first", first), ("n", &more.to_string())])
}

fn row_note_text(cx: &UiContext<'_>, note: &ImportNote) -> String {
    let listed = |key: &str, names: &[String]| {
        let names = joined_names(cx, names.iter().map(String::as_str));
        cx.tr_with(key, &[("names", &names)])
    };
    match note {
        ImportNote::MissingPivot(name) => with_name(cx, "windows.import.note.no_pivot", name),
        ImportNote::LimitsFlipped(name) => with_name(cx, "windows.import.note.limits_flipped", name),
        ImportNote::MissingColliders(names) => listed("windows.import.note.no_colliders", names),
        ImportNote::MissingLengthTargets(names) => listed("windows.import.note.no_targets", names),
        ImportNote::MissingListNames(lost) => {
            let names = first_names(cx, lost.iter().map(|one| one.name.as_str()));
            cx.tr_with("windows.import.note.no_list_names", &[("names", &names)])
        }
        ImportNote::SeveralComponents => cx.tr("windows.import.note.several_components").into_owned(),
        ImportNote::WouldMoveBone(name) => with_name(cx, "windows.import.note.would_move", name),
        ImportNote::ExcludedRoot => cx.tr("windows.import.note.excluded_root").into_owned(),
        ImportNote::MissingEndBones(names) => listed("windows.import.note.no_end_bones", names),
    }
}

/// Returns the effect of a row, or the reason why the row is not usable. `unusual` lists values outside the range of
/// the solver.
pub(super) fn row_text(
    cx: &UiContext<'_>,
    section: FileSection,
    row: &ImportRow,
    unusual: &[CellProblem],
) -> (String, Color32) {
    let c = cx.theme.color;
    let bad = |what: String| {
        let line = row.line.to_string();
        cx.tr_with("windows.import.note.invalid", &[("line", &line), ("what", &what)])
    };
    if row.status.is_usable() && (!row.status.notes().is_empty() || !unusual.is_empty()) {
        let notes = row.status.notes().iter().map(|note| row_note_text(cx, note));
        let all: Vec<String> = notes.chain(unusual.iter().map(|p| bad(problem_text(cx, p)))).collect();
        return (all.join(&*cx.tr("csv.then")), c.warning);
    }
    let words = match &row.status {
        ImportRowStatus::Matches { changes, stiffness, .. } => {
            let key = match changes {
                _ if matches!(stiffness, Some((None, _))) => "windows.import.note.newly_simulated",
                0 => "windows.import.note.same",
                1 => "windows.import.note.one",
                _ => "windows.import.note.changes",
            };
            with_count(cx, key, *changes)
        }
        ImportRowStatus::New { .. } => cx.tr("windows.import.note.new").into_owned(),
        ImportRowStatus::NodeNotFound(name) => with_name(cx, "windows.import.note.no_node", name),
        ImportRowStatus::ReferenceNotFound(what) => missing_text(cx, what),
        ImportRowStatus::UnusedPivot => cx.tr("windows.import.note.unused").into_owned(),
        ImportRowStatus::BoneNotFound if section != FileSection::Joints => {
            with_name(cx, "windows.import.note.no_node", &row.name)
        }
        ImportRowStatus::BoneNotFound if row.looks_like_formula => cx.tr("windows.import.note.formula").into_owned(),
        ImportRowStatus::BoneNotFound => cx.tr("windows.import.note.no_bone").into_owned(),
        ImportRowStatus::InvalidCells(all) => bad(problems_text(cx, all)),
        ImportRowStatus::Duplicate(by) => {
            let key = if section == FileSection::Joints { "windows.import.note.repeated" } else { "csv.repeated" };
            cx.tr_with(key, &[("line", &by.to_string())])
        }
    };
    let color = if matches!(row.status, ImportRowStatus::InvalidCells(_)) { c.error } else { c.text_2 };
    (words, color)
}

fn missing_text(cx: &UiContext<'_>, what: &MissingReference) -> String {
    let text;
    let (key, name) = match what {
        MissingReference::Bone(name) => ("bone", name),
        MissingReference::Node(name) => ("node", name),
        MissingReference::Joint(name) => ("joint", name),
        MissingReference::Chain(name) => ("chain", name),
        MissingReference::LengthTarget(name) => ("target", name),
        MissingReference::Collider(name) => ("collider", name),
        MissingReference::Parameter(name) => ("parameter", name),
        MissingReference::Group(group) => {
            text = group.to_string();
            ("group", &text)
        }
        MissingReference::Component(solver) => {
            text = i18n::solver_name(cx.theme.lang, *solver).into_owned();
            ("component", &text)
        }
    };
    with_name(cx, &format!("csv.missing.{key}"), &excerpt(name))
}

fn unresolved_text(cx: &UiContext<'_>, rows: usize, first: &MissingReference) -> String {
    cx.tr_with("csv.found.unresolved", &[("n", &rows.to_string()), ("why", &missing_text(cx, first))])
}

/// Returns the reason why `UnityChanSpringBone`'s import window rejects a row.
pub(super) fn unity_rejection_text(cx: &UiContext<'_>, kind: &RowErrorKind) -> String {
    match kind {
        RowErrorKind::InvalidCells(bad) => problems_text(cx, bad),
        RowErrorKind::ParentNotFound(name) => with_name(cx, "csv.rejected.no_parent", name),
        RowErrorKind::DuplicateName => cx.tr("csv.rejected.shared_name").into_owned(),
        RowErrorKind::MeshNotFound(name) => with_name(cx, "csv.rejected.no_renderer", name),
        RowErrorKind::MissingName => cx.tr("csv.rejected.no_name").into_owned(),
        RowErrorKind::BoneNotFound => cx.tr("csv.rejected.no_bone").into_owned(),
        RowErrorKind::MissingPivotName => cx.tr("csv.rejected.no_pivot_name").into_owned(),
        RowErrorKind::PivotNotFound(name) => with_name(cx, "csv.rejected.no_pivot", name),
    }
}

/// Returns the text of a note, and whether the replacement removes data.
pub(super) fn replace_note_text(cx: &UiContext<'_>, note: &ReplaceNote) -> (String, bool) {
    let of_row = |key: &str, line: u64, name: &str| cx.tr_with(key, &[("line", &line.to_string()), ("name", name)]);
    let removes = |key: &str, n: usize| (with_count(cx, key, n), true);
    let words = match note {
        ReplaceNote::RemovesAllJoints(n) => return removes("csv.replace.deletes_all_joints", *n),
        ReplaceNote::RemovesJoints(n) => return removes("csv.replace.deletes_joints", *n),
        ReplaceNote::RemovesSystems(n) => return removes("csv.replace.deletes_systems", *n),
        ReplaceNote::RemovesColliders(n) => return removes("csv.replace.deletes_colliders", *n),
        ReplaceNote::ClearsColliderLists(n) => return removes("csv.replace.clears_lists", *n),
        ReplaceNote::KeepsOtherSystems { systems, joints, colliders } => {
            let values = [("systems", *systems), ("joints", *joints), ("colliders", *colliders)];
            with_counts(cx, "csv.replace.keeps_others", values)
        }
        ReplaceNote::DuplicateCollider(line, name) => of_row("csv.replace.repeated_collider", *line, name),
        ReplaceNote::UnusableCommentRows(n, first) => unresolved_text(cx, *n, first),
        ReplaceNote::WouldMoveBone(line, name) => of_row("csv.replace.would_move", *line, name),
        ReplaceNote::DuplicateBone(line, name) => of_row("csv.replace.repeated_bone", *line, name),
        ReplaceNote::BoneNotFound(line, name) => of_row("csv.replace.not_a_bone", *line, name),
        ReplaceNote::MissingColliders(line, names) => {
            of_row("csv.replace.no_colliders", *line, &joined_names(cx, names.iter().map(String::as_str)))
        }
        ReplaceNote::MissingListNames(line, names) => {
            of_row("csv.replace.no_list_names", *line, &first_names(cx, names.iter().map(String::as_str)))
        }
        ReplaceNote::ResetsSwitches => cx.tr("csv.replace.resets_switches").into_owned(),
    };
    (words, false)
}

/// Returns findings about the whole file, the most harmful first. Rows and replacement notes have separate texts.
fn file_findings(cx: &UiContext<'_>, plan: &ImportPlan, replaces: bool) -> Vec<String> {
    let (file, table) = (plan.file(), &plan.file().csv);
    let has = |section: FileSection| file.entries.iter().any(|item| item.section == section);
    let mut all = Vec::new();
    let mut add = |key: &str, values: &[(&str, &str)]| all.push(cx.tr_with(&format!("csv.found.{key}"), values));
    if table.lacks_bone_sections && has(FileSection::Joints) {
        add("no_bones", &[]);
    }
    if !file.imports_colliders() && has(FileSection::Colliders) {
        add("old_colliders", &[]);
    }
    // Only UTF-8 and a byte order mark are certain. Other encodings are guesses.
    if table.encoding != "UTF-8" && !table.has_bom {
        add("guessed_encoding", &[("encoding", table.encoding)]);
    }
    for (section, is_known) in unused_sections(&file.passthrough, &file.entries) {
        add(if is_known { "repeated_section" } else { "unknown_section" }, &[("name", &excerpt(section))]);
    }
    if table.has_decimal_comma {
        add("comma", &[]);
    }
    if let [(_, line), ..] = &table.blank_rows[..] {
        add("blank", &[("n", &table.blank_rows.len().to_string()), ("line", &line.to_string())]);
    }
    if table.version.is_none() {
        add("no_version", &[]);
    }
    let lost = if replaces { Vec::new() } else { plan.unresolved_rows() };
    if let Some(first) = lost.first() {
        all.push(unresolved_text(cx, lost.iter().map(|one| one.rows).sum(), &first.missing));
    }
    all.extend(other_findings(cx, plan));
    all
}

/// Returns the names of sections that Yuremono keeps but does not use. The flag is true if another section of the same
/// name is used.
fn unused_sections<'a>(kept: &'a [Passthrough], items: &[FileEntry]) -> Vec<(&'a str, bool)> {
    let mut all: Vec<(&str, bool)> = Vec::new();
    for name in kept.iter().filter_map(section_of) {
        if all.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let mut used = items.iter().filter_map(|item| section_of(item.csv_row.as_ref()?));
        all.push((name, used.any(|other| other.eq_ignore_ascii_case(name))));
    }
    all
}

fn section_of(kept: &Passthrough) -> Option<&str> {
    match kept {
        Passthrough::CsvRow { section, .. } => Some(section),
        _ => None,
    }
}

/// Returns the locale key of a finding that only a diagnostic reports.
const fn topic_key(topic: DiagnosticTopic) -> Option<&'static str> {
    match topic {
        DiagnosticTopic::AlsoReportedByTable => None,
        DiagnosticTopic::InvalidEncoding => Some("broken_text"),
        DiagnosticTopic::UnclosedQuote => Some("quote"),
        DiagnosticTopic::TooManyCells => Some("truncated"),
        DiagnosticTopic::UnusedLeadingRows => Some("leading"),
        DiagnosticTopic::LeadingColliderRows => Some("leading_colliders"),
        DiagnosticTopic::DuplicateVersionRow => Some("version_again"),
    }
}

/// Returns the diagnostics of the reader that are not about a row.
fn other_findings(cx: &UiContext<'_>, plan: &ImportPlan) -> Vec<String> {
    let lines: BTreeSet<u64> = plan.rows().iter().map(|row| row.line).collect();
    let of_a_row =
        |d: &&Diagnostic| d.location.line.is_some_and(|line| lines.contains(&line)) && d.location.bone.is_some();
    let mut all = Vec::new();
    for found in plan.diagnostics().iter().filter(|d| !of_a_row(d)) {
        let line = found.location.line.map_or_else(|| "–".to_owned(), |line| line.to_string());
        match found.topic {
            Some(topic) => {
                all.extend(topic_key(topic).map(|key| cx.tr_with(&format!("csv.found.{key}"), &[("line", &line)])));
            }
            None => all.push(i18n::message_text(cx.theme.lang, &found.message)),
        }
    }
    all
}

impl ImportDialog {
    /// Draws the findings about the file, and the losses caused by moving chains to other systems.
    pub(super) fn warning_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) {
        let mut all = file_findings(cx, &self.plan, self.replacement.is_some());
        all.splice(0..0, self.moved_chains_text(cx));
        let Some(first) = all.first() else { return };
        let sentence = match all.len() {
            1 => first.clone(),
            n => with_more(cx, first, n - 1),
        };
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let room = vec2(ui.available_width() - space::XL, 28.0);
            let strip = ui.allocate_ui(room, |ui| frame::message_strip(ui, MessageLevel::Warning, &sentence, None));
            if all.len() > 1 {
                strip.response.on_hover_text(all.join("\n"));
            }
        });
        ui.add_space(space::S);
    }

    fn moved_chains_text(&self, cx: &UiContext<'_>) -> Option<String> {
        let conversion = self.plan.conversion()?;
        let systems = &self.file.systems;
        if systems.len() > 1 && !moves_chains(cx.session().document(), &conversion.after) {
            return None;
        }
        let head = if systems.len() > 1 { "csv.found.moves_chains" } else { "csv.found.switches_solver" };
        let form = match conversion.losses.len() {
            0 => String::new(),
            n => format!("_lossy.{}", i18n::plural_form(n)),
        };
        let solver = systems.first().map(|system| i18n::solver_name(cx.theme.lang, system.solver)).unwrap_or_default();
        let values = [("solver", &*solver), ("n", &conversion.losses.len().to_string())];
        Some(cx.tr_with(&format!("{head}{form}"), &values))
    }
}

fn moves_chains(before: &Document, after: &Document) -> bool {
    let stays = |(id, chain): (&ChainId, &Chain)| {
        let old = before.chains.get(id);
        old.is_some_and(|old| old.system == chain.system && before.solver_of(old) == after.solver_of(chain))
    };
    !after.chains.iter().all(stays)
}
