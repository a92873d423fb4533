//! Builds the messages for the rows, problems and findings of an import, in the window's language.

use super::ImportDialog;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::frame::{self, MessageLevel};
use crate::ui::kit::tokens::space;
use egui::{Color32, Ui, vec2};
use std::borrow::Cow;
use std::collections::BTreeSet;
use yuremono_model::document::{Chain, ChainId, Document, Passthrough};
use yuremono_model::exchange::{
    CellFault, CellProblem, FileEntry, FileSection, ImportNote, ImportPlan, ImportRow, ImportRowStatus,
    MissingReference, ReplaceNote, RowErrorKind,
};
use yuremono_sim::diagnostics::{Diagnostic, DiagnosticTopic, MessageText, excerpt, message};

const MAX_NAMES: usize = 8;

fn problem_text(problem: &CellProblem) -> MessageText {
    let fault = fault_text(problem);
    if problem.column.is_empty() { fault } else { message!("{column}: {what}", column = problem.column, what = fault) }
}

fn fault_text(problem: &CellProblem) -> MessageText {
    let (cell, is_empty) = (excerpt(&problem.cell), problem.cell.is_empty());
    match &problem.fault {
        CellFault::TooFewCells { found, expected } => {
            message!("{found:cell|cells}, at least {expected} needed", found = *found, expected = *expected)
        }
        CellFault::BlankRow => message!("the row is blank{:cell}"),
        CellFault::NotANumber | CellFault::TooLargeForF32 if is_empty => message!("empty, expected a number{:cell}"),
        CellFault::NotANumber => message!("“{cell}” is not a number", cell),
        CellFault::TooLargeForF32 => message!("“{cell}” is too large", cell),
        CellFault::UnexpectedComma => {
            message!("“{cell}” has a decimal comma; the other numbers have decimal points", cell)
        }
        CellFault::NotAnAngle if is_empty => message!("empty, expected an angle"),
        CellFault::NotAnAngle => message!("“{cell}” is not an angle", cell),
        CellFault::NotAToggle if is_empty => message!("empty, expected True or False"),
        CellFault::NotAToggle => message!("“{cell}” is not True or False", cell),
        CellFault::NotACount if is_empty => message!("empty, expected a count"),
        CellFault::NotACount => message!("“{cell}” is not a count", cell),
        CellFault::CountExceedsCells { count, available } => message!(
            "the count is {count}, but only {room:cell follows|cells follow}",
            count = *count,
            room = *available
        ),
        CellFault::MissingName => message!("empty, expected a name{:cell}"),
        CellFault::NotAColliderType if is_empty => {
            message!("empty, expected sp (sphere), cp (capsule) or pa (panel)")
        }
        CellFault::NotAColliderType => message!("“{cell}” is not sp (sphere), cp (capsule) or pa (panel)", cell),
        CellFault::NotAComponent if is_empty => message!("empty, expected a component"),
        CellFault::NotAComponent => message!("“{cell}” is not a known component", cell),
        CellFault::UnknownComment if is_empty => message!("empty, expected a comment row of Yuremono"),
        CellFault::UnknownComment => message!("“{cell}” is not a comment row of Yuremono", cell),
        CellFault::OutOfRange { min, max: None } => message!("{cell} is less than {from}", cell, from = *min),
        CellFault::OutOfRange { min, max: Some(max) } => {
            message!("{cell} is outside the range {from} to {to}", cell, from = *min, to = *max)
        }
    }
}

/// Joins texts with the semicolon of the language.
fn joined_texts(cx: &UiContext<'_>, texts: impl Iterator<Item = MessageText>) -> String {
    texts.map(|text| cx.tr(text)).collect::<Vec<_>>().join(&*tr!(cx, "; "))
}

fn problems_text(cx: &UiContext<'_>, all: &[CellProblem]) -> String {
    joined_texts(cx, all.iter().map(problem_text))
}

fn joined_names<'a>(cx: &UiContext<'_>, names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().collect::<Vec<_>>().join(&*tr!(cx, ", "))
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
    tr!(cx, "{first} (and {n} more)", first, n = more).into_owned()
}

fn row_note_text(cx: &UiContext<'_>, note: &ImportNote) -> MessageText {
    let joined = |names: &[String]| joined_names(cx, names.iter().map(String::as_str));
    match note {
        ImportNote::MissingPivot(name) => message!("pivot {name} not found", name),
        ImportNote::LimitsFlipped(name) => {
            message!("limits relative to bone {name} open to the opposite side", name)
        }
        ImportNote::MissingColliders(names) => message!("colliders not found: {names}", names = joined(names)),
        ImportNote::MissingLengthTargets(names) => {
            message!("length targets not found: {names}", names = joined(names))
        }
        ImportNote::MissingListNames(lost) => {
            let names = first_names(cx, lost.iter().map(|one| one.name.as_str()));
            message!("not found: {names}; removed from the component's lists", names)
        }
        ImportNote::SeveralComponents => {
            message!("the lists are of one component, but the chains here are of several; skipped")
        }
        ImportNote::WouldMoveBone(name) => {
            message!("Importing this row in Unity moves bone {name}; Yuremono leaves the bone in place", name)
        }
        ImportNote::ExcludedRoot => message!("the root is also an excluded bone; the exclusion is ignored"),
        ImportNote::MissingEndBones(names) => {
            message!("excluded bones or end bones not found: {names}", names = joined(names))
        }
    }
}

/// Returns the effect of a row, or the reason why the row is not usable. `unusual` lists values outside the range of
/// the solver.
pub(super) fn row_text(
    cx: &UiContext<'_>,
    section: FileSection,
    row: &ImportRow,
    unusual: &[CellProblem],
) -> (Cow<'static, str>, Color32) {
    let (c, line) = (cx.theme.color, row.line);
    if row.status.is_usable() && (!row.status.notes().is_empty() || !unusual.is_empty()) {
        let notes = row.status.notes().iter().map(|note| row_note_text(cx, note));
        let problems = unusual.iter().map(|p| message!("line {line}, {what}", line, what = problem_text(p)));
        return (joined_texts(cx, notes.chain(problems)).into(), c.warning);
    }
    let text = match &row.status {
        ImportRowStatus::Matches { stiffness: Some((None, _)), .. } => message!("newly simulated"),
        ImportRowStatus::Matches { changes: 0, .. } => message!("no changes"),
        ImportRowStatus::Matches { changes: 1, .. } => message!("1 value changes"),
        ImportRowStatus::Matches { changes, .. } => message!("{n:value changes|values change}", n = *changes),
        ImportRowStatus::New { .. } => message!("will be created"),
        ImportRowStatus::NodeNotFound(name) => message!("{name} not found; row kept", name),
        ImportRowStatus::ReferenceNotFound(reference) => missing_text(reference),
        ImportRowStatus::UnusedPivot => message!("no bone uses it; row kept"),
        ImportRowStatus::BoneNotFound if section != FileSection::Joints => {
            message!("{name} not found; row kept", name = &row.name)
        }
        ImportRowStatus::BoneNotFound if row.looks_like_formula => {
            message!("no such bone; the name may be read as a formula")
        }
        ImportRowStatus::BoneNotFound => message!("no such bone; row kept"),
        ImportRowStatus::InvalidCells(all) => message!("line {line}, {what}", line, what = problems_text(cx, all)),
        ImportRowStatus::Duplicate(line) if section == FileSection::Joints => {
            message!("same bone as line {line}; line {line} is used", line = *line)
        }
        ImportRowStatus::Duplicate(line) => message!("same name as line {line}; line {line} is used", line = *line),
    };
    let color = if matches!(row.status, ImportRowStatus::InvalidCells(_)) { c.error } else { c.text_2 };
    (cx.tr(text), color)
}

fn missing_text(reference: &MissingReference) -> MessageText {
    match reference {
        MissingReference::Bone(name) => message!("no bone {name}; row kept", name = excerpt(name)),
        MissingReference::Node(name) => message!("no bone or node {name}; row kept", name = excerpt(name)),
        MissingReference::Joint(name) => message!("bone {name} is not simulated; row kept", name = excerpt(name)),
        MissingReference::Chain(name) => message!("no chain starts at bone {name}; row kept", name = excerpt(name)),
        MissingReference::LengthTarget(name) => message!("no length limit to {name}; row kept", name = excerpt(name)),
        MissingReference::Collider(name) => message!("no collider {name}; row kept", name = excerpt(name)),
        MissingReference::Parameter(name) => {
            message!("the solver has no parameter {name}; row kept", name = excerpt(name))
        }
        MissingReference::Group(group) => message!("no row for collider group {group}; row kept", group = *group),
        MissingReference::Component(solver) => {
            message!("no component of {solver}; row kept", solver = solver.name_text())
        }
    }
}

fn unresolved_text(rows: usize, first: &MissingReference) -> MessageText {
    message!(
        "{n:row matches|rows match} nothing in the character; the first: {why}",
        n = rows,
        why = missing_text(first)
    )
}

/// Returns the reason why `UnityChanSpringBone`'s import window rejects a row.
pub(super) fn unity_rejection_text(cx: &UiContext<'_>, kind: &RowErrorKind) -> Cow<'static, str> {
    cx.tr(match kind {
        RowErrorKind::InvalidCells(bad) => return problems_text(cx, bad).into(),
        RowErrorKind::ParentNotFound(name) => message!("parent {name} not found", name),
        RowErrorKind::DuplicateName => message!("same name as an earlier row"),
        RowErrorKind::MeshNotFound(name) => message!("mesh {name} not found", name),
        RowErrorKind::MissingName => message!("no name"),
        RowErrorKind::BoneNotFound => message!("bone not found"),
        RowErrorKind::MissingPivotName => message!("no pivot name"),
        RowErrorKind::PivotNotFound(name) => message!("pivot {name} not found", name),
    })
}

/// Returns the text of a note, and whether the replacement removes data.
pub(super) fn replace_note_text(cx: &UiContext<'_>, note: &ReplaceNote) -> (Cow<'static, str>, bool) {
    let removes_data = matches!(
        note,
        ReplaceNote::RemovesAllJoints(_)
            | ReplaceNote::RemovesJoints(_)
            | ReplaceNote::RemovesSystems(_)
            | ReplaceNote::RemovesColliders(_)
            | ReplaceNote::ClearsColliderLists(_)
    );
    let text = match note {
        ReplaceNote::RemovesAllJoints(n) => {
            message!("The file has no bones: all {n:joint|joints} will be deleted", n = *n)
        }
        ReplaceNote::RemovesJoints(n) => {
            message!("{n:joint that is|joints that are} not in the file will be deleted", n = *n)
        }
        ReplaceNote::RemovesSystems(n) => {
            message!("{n:system that is|systems that are} not in the file will be deleted, with all joints", n = *n)
        }
        ReplaceNote::RemovesColliders(n) => {
            message!("{n:collider that is|colliders that are} not in the file will be deleted", n = *n)
        }
        ReplaceNote::ClearsColliderLists(n) => {
            message!("{n:joint loses all its|joints lose all their} colliders", n = *n)
        }
        ReplaceNote::KeepsOtherSystems { systems, joints, colliders } => message!(
            "Unchanged, because not in the file: {systems:system|systems} of other solvers, {joints:joint|joints}, \
             {colliders:collider|colliders}",
            systems = *systems,
            joints = *joints,
            colliders = *colliders
        ),
        ReplaceNote::DuplicateCollider(line, name) => message!(
            "Line {line}: an earlier system of the file has another collider {name}, which is used",
            line = *line,
            name
        ),
        ReplaceNote::UnusableCommentRows(n, first) => unresolved_text(*n, first),
        ReplaceNote::WouldMoveBone(line, name) => message!(
            "Line {line}: Importing this row in Unity moves bone {name}; Yuremono leaves the bone in place",
            line = *line,
            name
        ),
        ReplaceNote::DuplicateBone(line, name) => {
            message!("Line {line}: bone {name} is repeated; the later row is used", line = *line, name)
        }
        ReplaceNote::BoneNotFound(line, name) => {
            message!("Line {line}: the character has no bone {name}; the row is skipped", line = *line, name)
        }
        ReplaceNote::MissingColliders(line, names) => message!(
            "Line {line}: colliders not found: {name}",
            line = *line,
            name = joined_names(cx, names.iter().map(String::as_str))
        ),
        ReplaceNote::MissingListNames(line, names) => message!(
            "Line {line}: names in the component's lists not found: {name}",
            line = *line,
            name = first_names(cx, names.iter().map(String::as_str))
        ),
        ReplaceNote::ResetsSwitches => {
            message!("Pause and the switches for limits and collision are reset to their defaults")
        }
    };
    (cx.tr(text), removes_data)
}

/// Returns findings about the whole file, the most harmful first. Rows and replacement notes have separate texts.
fn file_findings(plan: &ImportPlan, replaces: bool) -> Vec<MessageText> {
    let (file, table) = (plan.file(), &plan.file().csv);
    let has = |section: FileSection| file.entries.iter().any(|item| item.section == section);
    let mut all = Vec::new();
    if table.lacks_bone_sections && has(FileSection::Joints) {
        all.push(message!("The file has neither a version nor [SpringBones]: Unity skips the bones"));
    }
    if !file.imports_colliders() && has(FileSection::Colliders) {
        all.push(message!("Version 3 does not support colliders: their rows are kept, not used"));
    }
    // Only UTF-8 and a byte order mark are certain. Other encodings are guesses.
    if !["", "UTF-8"].contains(&table.encoding) && !table.has_bom {
        let encoding = table.encoding;
        all.push(message!("The file is not UTF-8 and was read as {encoding}. Check the names.", encoding));
    }
    for (section, is_known) in unused_sections(&file.passthrough, &file.entries) {
        let name = excerpt(section);
        all.push(if is_known {
            message!("Section {name} is repeated: the second one is kept, not used", name)
        } else {
            message!("Section {name} is unknown: its rows are kept, not used", name)
        });
    }
    if table.has_decimal_comma {
        all.push(message!("Decimal commas were read as decimal points"));
    }
    if let [(_, line), ..] = &table.blank_rows[..] {
        all.push(message!(
            "{n:row is|rows are} blank, the first in line {line}; Unity rejects blank rows",
            n = table.blank_rows.len(),
            line = *line
        ));
    }
    if table.version.is_none() {
        all.push(message!("No version row: the file was read as version 4"));
    }
    let lost = if replaces { Vec::new() } else { plan.unresolved_rows() };
    if let Some(first) = lost.first() {
        all.push(unresolved_text(lost.iter().map(|one| one.rows).sum(), &first.missing));
    }
    all.extend(other_findings(plan));
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

/// Returns the text of a finding that only a diagnostic reports. Returns `None` if the table reports it as well.
fn topic_text(topic: DiagnosticTopic, line: Option<u64>) -> Option<MessageText> {
    let line = line.map_or_else(|| "–".to_owned(), |line| line.to_string());
    Some(match topic {
        DiagnosticTopic::AlsoReportedByTable => return None,
        DiagnosticTopic::InvalidEncoding => message!("Some bytes are not text in this encoding and were replaced"),
        DiagnosticTopic::UnclosedQuote => {
            message!("Line {line}: the quote is not closed; the rest of the file is one cell", line)
        }
        DiagnosticTopic::TooManyCells => message!("The file has too many cells: the rest was not read"),
        DiagnosticTopic::UnusedLeadingRows => {
            message!("Line {line}: rows before the first section are not used", line)
        }
        DiagnosticTopic::LeadingColliderRows => {
            message!("Line {line}: rows before the first section were read as colliders", line)
        }
        DiagnosticTopic::DuplicateVersionRow => message!("Line {line}: this second version row is not used", line),
    })
}

/// Returns the diagnostics of the reader that are not about a row.
fn other_findings(plan: &ImportPlan) -> impl Iterator<Item = MessageText> {
    let lines: BTreeSet<u64> = plan.rows().iter().map(|row| row.line).collect();
    let is_about_row =
        move |d: &Diagnostic| d.location.line.is_some_and(|line| lines.contains(&line)) && d.location.bone.is_some();
    plan.diagnostics().iter().filter(move |d| !is_about_row(d)).filter_map(|found| match found.topic {
        Some(topic) => topic_text(topic, found.location.line),
        None => Some(found.message.clone()),
    })
}

impl ImportDialog {
    /// Draws the findings about the file, and the losses caused by moving chains to other systems.
    pub(super) fn warning_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) {
        let findings = file_findings(&self.plan, self.replacement.is_some());
        let all: Vec<_> = self.moved_chains_text(cx).into_iter().chain(findings).map(|text| cx.tr(text)).collect();
        let sentence = match &all[..] {
            [] => return,
            [only] => only.to_string(),
            [first, more @ ..] => with_more(cx, first, more.len()),
        };
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let strip_size = vec2(ui.available_width() - space::XL, 28.0);
            let strip =
                ui.allocate_ui(strip_size, |ui| frame::message_strip(ui, MessageLevel::Warning, &sentence, None));
            if all.len() > 1 {
                strip.response.on_hover_text(all.join("\n"));
            }
        });
        ui.add_space(space::S);
    }

    fn moved_chains_text(&self, cx: &UiContext<'_>) -> Option<MessageText> {
        let conversion = self.plan.conversion()?;
        let (systems, n) = (&self.file.systems, conversion.losses.len());
        if systems.len() > 1 && !moves_chains(cx.session().document(), &conversion.after) {
            return None;
        }
        let solver = systems.first()?.solver.name_text();
        Some(match (systems.len(), n) {
            (1, 0) => message!(
                "The file is for {solver}: the import also switches the character to this solver. One undo restores \
                 both.",
                solver
            ),
            (1, _) => message!(
                "The file is for {solver}: the import also switches the character to this solver, which changes or \
                 loses {n:thing|things}. One undo restores both.",
                solver,
                n
            ),
            (_, 0) => {
                message!("The import first moves chains to the systems of the file. One undo restores everything.")
            }
            _ => message!(
                "The import first moves chains to the systems of the file, which changes or loses {n:thing|things}. \
                 One undo restores everything.",
                n
            ),
        })
    }
}

fn moves_chains(before: &Document, after: &Document) -> bool {
    let stays = |(id, chain): (&ChainId, &Chain)| {
        let old = before.chains.get(id);
        old.is_some_and(|old| old.system == chain.system && before.solver_of(old) == after.solver_of(chain))
    };
    !after.chains.iter().all(stays)
}
