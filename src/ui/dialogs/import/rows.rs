//! The rows of a file: section tabs, filter cards, and the table.

use super::{ImportDialog, RowFilter, messages};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::dialogs::dialog::DialogOutput;
use crate::ui::dialogs::table::{self, Cells, Column, FirstCellResponse, Table};
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, Icon, paint_icon};
use crate::ui::kit::meter::count_card;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{CheckState, Choice, segmented_choice};
use crate::ui::kit::tokens::{size, space};
use egui::{Color32, Ui, pos2};
use yuremono_model::document::{ByName, ChainEntry, Collider, JointEntry, ReplacedProperties, SetupEntry};
use yuremono_model::exchange::{CellFault, CellProblem, FileSection, ImportRowStatus};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamMeaning, Unit, enumerate_params, find_param};
use yuremono_sim::{ColliderShape, ShapeClass, SolverKind};

const ICON_LEFT: f32 = 48.0;
const NAME_LEFT: f32 = 72.0;
/// Right edge of the values, as a share of the width after [`NAME_LEFT`].
const VALUE_SHARE: f32 = 0.46;
/// Gaps of the notes in the last column.
const NOTE_GAPS: [f32; 2] = [space::XL, space::L];

pub(super) const fn section_name(section: FileSection) -> MessageText {
    match section {
        FileSection::Joints => message!("Joints"),
        FileSection::Pivots => message!("Pivots"),
        FileSection::Colliders => message!("Colliders"),
        FileSection::Nodes => message!("Nodes"),
        FileSection::HighLegs => message!("Leg followers"),
        FileSection::Other => message!("Other"),
    }
}

/// Returns the headers of the columns for names and values.
const fn column_titles(section: FileSection) -> [MessageText; 2] {
    match section {
        FileSection::Joints => [message!("Bone in file"), message!("Stiffness")],
        FileSection::Colliders => [message!("Name in file"), message!("Shape")],
        FileSection::Pivots | FileSection::Nodes => [message!("Name in file"), message!("Parent")],
        FileSection::HighLegs => [message!("Name in file"), message!("Legs")],
        FileSection::Other => [message!("Content"), message!("Target")],
    }
}

impl ImportDialog {
    pub(super) fn section_tabs_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let sections = self.sections_with_rows();
        if !sections.contains(&self.section) {
            self.section = sections.first().copied().unwrap_or(FileSection::Joints);
            self.filter = None;
        }
        if sections.len() < 2 {
            return;
        }
        let choice = |section: &FileSection| {
            Choice::new(*section, cx.tr(section_name(*section))).count(self.plan.rows_of(*section).count())
        };
        let choices: Vec<_> = sections.iter().map(choice).collect();
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            if segmented_choice(ui, &choices, &mut self.section) {
                self.filter = None;
            }
        });
        ui.add_space(space::M);
    }

    /// Draws the row counts by status; a click filters the table.
    pub(super) fn filter_cards_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let c = cx.theme.color;
        let joints = self.section == FileSection::Joints;
        let counts = self.plan.counts(self.section);
        let [usable, unusable] = if joints {
            [message!("rows match"), message!("without bone")]
        } else {
            [message!("usable"), message!("without target")]
        };
        let mut cards = vec![
            (RowFilter::Importable, icons::CHECK_CIRCLE, c.ok, counts.usable, usable),
            (RowFilter::NoBone, icons::WARNING, c.warning, counts.unusable, unusable),
            (RowFilter::Unreadable, icons::X_CIRCLE, c.error, counts.invalid, message!("unreadable")),
        ];
        if joints {
            let kept = message!("not in the file, kept");
            cards.push((RowFilter::NotInFile, icons::MINUS_CIRCLE, c.text_2, counts.not_in_file, kept));
        }
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            ui.spacing_mut().item_spacing.x = space::M;
            let gaps = cards.len() as f32 - 1.0;
            let width = ui.available_width() - space::XL - gaps * space::M;
            let labels: Vec<_> = cards.iter().map(|card| cx.tr(&card.4)).collect();
            let needed: Vec<f32> =
                labels.iter().map(|label| paint::text_width(ui, label, TextSize::Small) + 24.0).collect();
            let spare = (width - needed.iter().sum::<f32>()) / (gaps + 1.0);
            for (((filter, icon, color, count, _), label), width) in cards.into_iter().zip(&labels).zip(needed) {
                let on = self.filter == Some(filter);
                if count_card(ui, icon, color, count, label, on, Some((width + spare).floor())).clicked() {
                    self.filter = if on { None } else { Some(filter) };
                }
            }
        });
        ui.add_space(space::M);
    }

    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, height: f32, out: &mut DialogOutput) {
        if self.filter == Some(RowFilter::NotInFile) {
            self.not_in_file_ui(ui, cx, height, out);
            return;
        }
        let [name, value] = column_titles(self.section).map(|title| cx.tr(title));
        let note = tr!(cx, "Note");
        let columns = [
            Column::new("", NAME_LEFT),
            Column::with_right_title(&name, &value, VALUE_SHARE * (ui.available_width() - NAME_LEFT)),
            Column::fill(&note).indented(space::XL),
        ];
        let shown = self.filtered_rows();
        let all = self.plan.rows();
        let usable: Vec<usize> = shown.iter().copied().filter(|at| all[*at].status.is_usable()).collect();
        let ticked = usable.iter().filter(|at| all[**at].included).count();
        let tick = CheckState::of_count(ticked, shown.len());
        let (id, name) = (format!("import_rows {:?}", self.section), tr!(cx, "Include all rows in view"));
        let list = Table { include_all: Some((space::XS, &*name, tick)), ..Table::new(&id, &columns, height) };
        if list.show(ui, shown.len(), |cells| self.row_ui(cx, cells, shown[cells.index()], out)).clicked_all {
            let on = ticked < usable.len();
            for at in usable {
                self.set_included(at, on);
            }
        }
    }

    fn filtered_rows(&self) -> Vec<usize> {
        let is_bad = |state: &ImportRowStatus| matches!(state, ImportRowStatus::InvalidCells(_));
        let fits = |state: &ImportRowStatus| match self.filter {
            None => true,
            Some(RowFilter::Importable) => state.is_usable(),
            Some(RowFilter::NoBone) => !state.is_usable() && !is_bad(state),
            Some(RowFilter::Unreadable) => is_bad(state),
            Some(RowFilter::NotInFile) => false,
        };
        self.plan.rows_of(self.section).filter(|(_, row)| fits(&row.status)).map(|(at, _)| at).collect()
    }

    fn row_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, at: usize, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let row = &self.plan.rows()[at];
        let skeleton = &cx.session().character().skeleton;
        let target = row.target.filter(|bone| bone.index() < skeleton.len());
        let lit = target.is_some() && target == cx.session().selection().hovered;
        let (usable, ticked) = (row.status.is_usable(), row.included);
        let RowText { title, value, out_of_range: unusual } = self.row_text(cx, at);
        let (icon, color) = row_icon(cx, &row.status, !unusual.is_empty());
        // Rows of the section *Other* often share a title.
        let accessible_name =
            if self.section == FileSection::Other { format!("{title} {value}") } else { title.clone() };
        let FirstCellResponse { response, inner: clicked, .. } = cells.first_cell(&title, lit, |ui, cell| {
            paint_icon(ui.painter(), pos2(cell.left() + ICON_LEFT, cell.center().y), icon, size::ICON, color);
            let name = tr!(cx, "Include {name}", name = accessible_name.trim_end());
            table::row_checkbox(ui, cell, space::XS, &name, usable.then(|| CheckState::of(ticked)))
        });
        if response.hovered() {
            out.hovered_bone = target;
        }
        let joints = self.section == FileSection::Joints;
        let name = match target.map(|bone| skeleton.name(bone)) {
            Some(bone) if joints && bone != row.name => format!("{} → {bone}", row.name),
            _ => title.clone(),
        };
        let strong = if lit { c.selection_text } else { c.text };
        let name_color = if usable { strong } else { c.text_2 };
        let (number, style) = match () {
            () if matches!(row.status, ImportRowStatus::InvalidCells(_)) => (c.error, TextSize::Number),
            () if joints => (strong, TextSize::Number),
            () => (if lit { strong } else { c.text_2 }, TextSize::Small),
        };
        let share = if joints { f32::INFINITY } else { 0.62 };
        let long = cells.cell(|ui, cell| {
            let values = paint::elided(ui, &value, style, number, share * cell.width());
            let (width, cut) = (values.size().x, values.elided);
            paint::paint_galley_left(ui.painter(), pos2(cell.right() - width, cell.center().y), values);
            table::row_bone_name(ui, cell, 0.0, cell.width() - width - 10.0, &name, name_color) || cut
        });
        let (note, color) = messages::row_text(cx, self.section, row, &unusual);
        let note_color = if lit { c.selection_text } else { color };
        let cut = cells.text(NOTE_GAPS, &note, TextSize::Small, note_color);
        if clicked || (usable && response.clicked()) {
            self.set_included(at, !ticked);
        }
        table::describe_row(&response, &title, lit, &[&value, &note]);
        if long || cut {
            response.on_hover_text(format!("{name}  {value}\n{note}"));
        }
    }

    fn not_in_file_ui(&self, ui: &mut Ui, cx: &UiContext<'_>, height: f32, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let skeleton = &cx.session().character().skeleton;
        let joints: Vec<_> = self.plan.joints_not_in_file().filter(|(_, bone)| bone.index() < skeleton.len()).collect();
        let [name, note] = [tr!(cx, "Bone"), tr!(cx, "Note")];
        let columns = [
            Column::new("", NAME_LEFT),
            Column::new(&name, VALUE_SHARE * (ui.available_width() - NAME_LEFT)),
            Column::fill(&note).indented(space::XL),
        ];
        Table::new("import_others", &columns, height).show(ui, joints.len(), |cells| {
            let (chain, bone) = joints[cells.index()];
            let name = skeleton.name(bone);
            let start = cells.first_cell(name, false, |ui, cell| {
                let center = pos2(cell.left() + ICON_LEFT, cell.center().y);
                paint_icon(ui.painter(), center, icons::MINUS_CIRCLE, size::ICON, c.text_2);
            });
            if start.response.hovered() {
                out.hovered_bone = Some(bone);
            }
            cells.bone_name(-6.0, name, c.text);
            let note = tr!(cx, "unchanged, in {chain}", chain = &chain.name);
            cells.text(NOTE_GAPS, &note, TextSize::Small, c.text_2);
        });
    }
}

struct RowText {
    /// The name of the bone or node, or the kind of an entry in [`FileSection::Other`].
    title: String,
    value: String,
    /// Values outside the range of the solver.
    out_of_range: Vec<CellProblem>,
}

impl ImportDialog {
    fn row_text(&self, cx: &UiContext<'_>, at: usize) -> RowText {
        let (row, item) = (&self.plan.rows()[at], &self.plan.file().entries[at]);
        let (solver, joints) = (self.plan.file().solver_of(item), item.section == FileSection::Joints);
        let mut texts = RowText { title: row.name.clone(), value: "–".to_owned(), out_of_range: Vec::new() };
        match &item.content {
            Ok(content) => {
                texts.value = if joints { stiffness_text(&row.status, solver) } else { entry_value_text(cx, content) };
                texts.out_of_range = out_of_range(content, solver);
                if item.section == FileSection::Other {
                    texts.title = cx.tr(kind_name(content)).into_owned();
                }
            }
            Err(_) if joints => texts.value = stiffness_text(&row.status, solver),
            Err(_) => {}
        }
        texts
    }
}

const fn kind_name(item: &SetupEntry) -> MessageText {
    match item {
        SetupEntry::System(_) => message!("System"),
        SetupEntry::ComponentNodes(_) => message!("Component nodes"),
        SetupEntry::Material(..) => message!("Material"),
        SetupEntry::Helper(_) => message!("Node"),
        SetupEntry::Collider(_) => message!("Collider"),
        SetupEntry::DisabledCollider(_) => message!("Disabled collider"),
        SetupEntry::Group(..) => message!("Collider group"),
        SetupEntry::Force(_) => message!("Wind or force"),
        SetupEntry::HighLeg(_) => message!("Leg follower"),
        SetupEntry::Chain(_) => message!("Chain"),
        SetupEntry::Joint(_) => message!("Joint details"),
        SetupEntry::ExcludedBone(_) => message!("Excluded bone"),
        SetupEntry::HiddenMesh(_) => message!("Hidden mesh"),
    }
}

fn entry_value_text(cx: &UiContext<'_>, item: &SetupEntry) -> String {
    match item {
        SetupEntry::System(system) if system.name.is_empty() => {
            i18n::solver_name(cx.theme.lang, system.solver).into_owned()
        }
        SetupEntry::System(system) => system.name.clone(),
        SetupEntry::ComponentNodes(nodes) => {
            let names: Vec<&str> = nodes.values().flatten().map(String::as_str).collect();
            names.join(&*tr!(cx, ", "))
        }
        SetupEntry::Material(_, material) => material.name.clone(),
        SetupEntry::Helper(helper) => tr!(cx, "on {name}", name = helper.parent.name()).into_owned(),
        SetupEntry::Collider(collider) => collider_text(cx, collider),
        SetupEntry::Group(id, group) if group.name.is_empty() => id.0.to_string(),
        SetupEntry::Group(_, group) => group.name.clone(),
        SetupEntry::Force(force) => force.name.clone(),
        SetupEntry::HighLeg(high_leg) => tr!(cx, "legs: {n}", n = high_leg.legs.len()).into_owned(),
        SetupEntry::Joint(JointEntry { joint, .. }) => joint.bone.clone(),
        SetupEntry::Chain(ChainEntry { root: name, .. })
        | SetupEntry::DisabledCollider(name)
        | SetupEntry::ExcludedBone(name)
        | SetupEntry::HiddenMesh(name) => name.clone(),
    }
}

/// Returns the stiffness before and after the import.
fn stiffness_text(state: &ImportRowStatus, solver: SolverKind) -> String {
    let restoring = enumerate_params(solver.info().params).find(|(_, def)| def.meaning == ParamMeaning::Stiffness);
    let format = NumberFormat::for_unit(restoring.map_or(Unit::None, |(_, def)| def.unit));
    match state {
        ImportRowStatus::Matches { stiffness: Some((Some(old), new)), .. } if old == new => format.text(*new),
        ImportRowStatus::Matches { stiffness: Some((old, new)), .. } => {
            let old = old.map_or_else(|| "–".to_owned(), |old| format.text(old));
            format!("{old} → {}", format.text(*new))
        }
        ImportRowStatus::InvalidCells(_) => "–".to_owned(),
        _ => String::new(),
    }
}

/// Returns the shape and size of a collider. If the existing collider differs, its shape and size come first.
fn collider_text(cx: &UiContext<'_>, collider: &Collider<ByName>) -> String {
    let kind = |shape: &ColliderShape| match shape.class() {
        ShapeClass::Sphere => tr!(cx, "Sphere"),
        ShapeClass::Rod => tr!(cx, "Capsule"),
        ShapeClass::Flat | ShapeClass::Box => tr!(cx, "Panel"),
    };
    let new = &collider.shape;
    let mut here = cx.session().document().colliders.values().filter(|c| c.name == collider.name).map(|c| &c.shape);
    match here.next().filter(|old| shape_numbers_text(old) != shape_numbers_text(new)) {
        Some(old) if kind(old) == kind(new) => {
            format!("{} {} → {} mm", kind(new), shape_numbers_text(old), shape_numbers_text(new))
        }
        Some(old) => format!("{} → {} {} mm", kind(old), kind(new), shape_numbers_text(new)),
        None => format!("{} {} mm", kind(new), shape_numbers_text(new)),
    }
}

/// Returns the fields of a shape in the order of the shape's table, in millimetres.
fn shape_numbers_text(shape: &ColliderShape) -> String {
    let mm = |at| format!("{:.0}", shape.field(at) * 1000.0);
    let numbers: Vec<String> = (0..shape.fields().len()).map(mm).collect();
    if numbers.is_empty() { "∞".to_owned() } else { numbers.join(" × ") }
}

/// Returns the values of a bone row that are outside the range of the solver.
fn out_of_range(item: &SetupEntry, solver: SolverKind) -> Vec<CellProblem> {
    let SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, joint, .. }) = item else {
        return Vec::new();
    };
    let params = solver.info().params;
    let problem = |(name, value): (&String, &JsonNumber)| {
        let def = &params[find_param(params, name)?.index()];
        let (from, to) = def.range;
        let is_outside = value.0 < from || value.0 > to;
        let fault = CellFault::OutOfRange { min: from, max: (to != f32::MAX).then_some(to) };
        is_outside.then(|| CellProblem::new(def.name, value.0.to_string(), fault))
    };
    joint.overrides.iter().filter_map(problem).collect()
}

fn row_icon(cx: &UiContext<'_>, state: &ImportRowStatus, is_unusual: bool) -> (Icon, Color32) {
    let c = cx.theme.color;
    match state {
        state if state.is_usable() && state.notes().is_empty() && !is_unusual => (icons::CHECK_CIRCLE, c.ok),
        ImportRowStatus::Matches { .. }
        | ImportRowStatus::New { .. }
        | ImportRowStatus::BoneNotFound
        | ImportRowStatus::NodeNotFound(_)
        | ImportRowStatus::ReferenceNotFound(_) => (icons::WARNING, c.warning),
        ImportRowStatus::InvalidCells(_) => (icons::X_CIRCLE, c.error),
        ImportRowStatus::Duplicate(_) | ImportRowStatus::UnusedPivot => (icons::MINUS_CIRCLE, c.text_2),
    }
}
