//! *Replace as Unity does*: options, counts, notes, and the rows that Unity rejects.

use super::rows::section_name;
use super::{ImportChoice, ImportDialog, messages};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::dialogs::table::{self, Column, Table};
use crate::ui::kit::frame::{self, MessageLevel};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::labelled_checkbox;
use crate::ui::kit::tokens::{size, space};
use egui::{ScrollArea, Sense, Ui, vec2};
use std::iter;
use yuremono_model::exchange::{FileSection, ReplacePlan, RowError};
use yuremono_sim::diagnostics::message;

/// Number of notes that are visible without scrolling.
const VISIBLE_NOTES: f32 = 4.0;
const NOTE_HEIGHT: f32 = 32.0;
const ERROR_HEIGHT: f32 = 16.0;
const SECTION_WIDTH: f32 = 64.0;
const NAME_WIDTH: f32 = 160.0;
const ERROR_HEADER_HEIGHT: f32 = 28.0;

impl ImportDialog {
    /// Draws everything between the mode and the mirror row. `below` is the height of the mirror row.
    pub(super) fn replace_ui(&self, ui: &mut Ui, cx: &UiContext<'_>, below: f32) -> Option<ImportChoice> {
        let plan = self.replacement.as_deref()?;
        let choice = self.options_ui(ui, cx);
        outcome_ui(ui, cx, plan);
        self.warning_ui(ui, cx);
        notes_ui(ui, cx, plan);
        let height = ui.available_height() - below;
        errors_ui(ui, cx, plan.errors(), height);
        choice
    }

    /// Draws the two checkboxes of `UnityChanSpringBone`'s import window, and a third checkbox for comment rows.
    fn options_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<ImportChoice> {
        let (label, mut choice) = (tr!(cx, "Content"), None);
        let checkboxes = |ui: &mut Ui| {
            let (mut sections, mut others) = (self.replace_options, self.replaces_other_rows);
            if labelled_checkbox(ui, &tr!(cx, "Bones"), &mut sections.bones).changed()
                | labelled_checkbox(ui, &tr!(cx, "Colliders"), &mut sections.colliders).changed()
            {
                choice = Some(ImportChoice::ReplaceOptions(sections));
            }
            if self.plan.rows_of(FileSection::Other).next().is_some()
                && labelled_checkbox(ui, &tr!(cx, "Comment rows"), &mut others).changed()
            {
                choice = Some(ImportChoice::ReplacesOtherRows(others));
            }
        };
        property_rows(ui, |ui| PropertyRow::new(&label).show(ui, checkboxes));
        choice
    }
}

fn outcome_ui(ui: &mut Ui, cx: &UiContext<'_>, plan: &ReplacePlan) {
    let c = cx.theme.color;
    let counts = plan.counts();
    let others = [
        (counts.colliders, message!("{n:collider|colliders}", n = counts.colliders)),
        (counts.pivots, message!("{n:pivot|pivots}", n = counts.pivots)),
        (counts.nulls, message!("{n:node|nodes}", n = counts.nulls)),
        (counts.high_legs, message!("{n:leg follower|leg followers}", n = counts.high_legs)),
    ];
    let others = others.iter().filter(|(n, _)| *n > 0).map(|(_, count)| cx.tr(count));
    let parts: Vec<_> = iter::once(tr!(cx, "{n:joint|joints}", n = counts.joints)).chain(others).collect();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
    let (head, after) = (tr!(cx, "Result{:replacement}"), parts.join(&*tr!(cx, ", ")));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{head} {after}")));
    let line_parts =
        [(&*head, TextSize::Strong, c.text), ("  ", TextSize::Small, c.text), (&*after, TextSize::Body, c.text_2)];
    let line = paint::layout_line(ui, &line_parts, rect.width() - 2.0 * space::XL);
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(space::XL, 0.0), line);
    ui.add_space(space::S);
}

/// Lists removed objects, and differences from `UnityChanSpringBone`'s import window.
fn notes_ui(ui: &mut Ui, cx: &UiContext<'_>, plan: &ReplacePlan) {
    if plan.notes().is_empty() {
        return;
    }
    let height = NOTE_HEIGHT * (plan.notes().len() as f32).min(VISIBLE_NOTES);
    ScrollArea::vertical().id_salt("replace_notes").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for note in plan.notes() {
            let (text, goes) = messages::replace_note_text(cx, note);
            ui.horizontal(|ui| {
                ui.set_height(NOTE_HEIGHT);
                ui.add_space(space::XL);
                let strip_size = vec2(ui.available_width() - space::XL, 28.0);
                let tone = if goes { MessageLevel::Warning } else { MessageLevel::Info };
                ui.allocate_ui(strip_size, |ui| frame::message_strip(ui, tone, &text, None));
            });
        }
    });
    ui.add_space(space::S);
}

/// Draws the rows that Unity rejects, in Unity's order.
fn errors_ui(ui: &mut Ui, cx: &UiContext<'_>, errors: &[RowError], height: f32) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ERROR_HEADER_HEIGHT), Sense::hover());
    let (icon, color, text) = match errors.len() {
        0 => (icons::CHECK_CIRCLE, c.ok, tr!(cx, "Unity accepts every row")),
        n => (icons::X_CIRCLE, c.error, tr!(cx, "Rows that Unity rejects: {n}", n)),
    };
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    paint_icon(ui.painter(), rect.left_center() + vec2(space::XL + 8.0, 0.0), icon, size::ICON, color);
    table::row_text(ui, rect, space::XL + 24.0, rect.width() - space::XL - 40.0, &text, TextSize::Strong, c.text);
    if errors.is_empty() {
        ui.add_space((height - ERROR_HEADER_HEIGHT).max(0.0));
        return;
    }
    let titles =
        [message!("Line"), message!("Section"), message!("Name in file"), message!("Reason")].map(|text| cx.tr(text));
    let note = 0.26 * (ui.available_width() - NAME_WIDTH);
    let columns = [
        Column::new(&titles[0], SECTION_WIDTH).indented(ERROR_HEIGHT),
        Column::new(&titles[1], NAME_WIDTH - SECTION_WIDTH),
        Column::new(&titles[2], note),
        Column::fill(&titles[3]),
    ];
    Table::new("refused_rows", &columns, height - ERROR_HEADER_HEIGHT).show(ui, errors.len(), |cells| {
        let error = &errors[cells.index()];
        let line = if error.line == 0 { "–".to_owned() } else { error.line.to_string() };
        let start = cells.first_cell(&error.name, false, |ui, cell| {
            let width = cell.width() - ERROR_HEIGHT - space::M;
            table::row_text(ui, cell, ERROR_HEIGHT, width, &line, TextSize::Number, c.text_2)
        });
        cells.text([0.0, space::M], &cx.tr(section_name(error.section)), TextSize::Small, c.text_2);
        let long = cells.bone_name(10.0, &error.name, c.text);
        let why = messages::unity_rejection_text(cx, &error.kind);
        let cut = cells.text([0.0, space::L], &why, TextSize::Small, c.error);
        table::describe_row(&start.response, &error.name, false, &[&line, &why]);
        if long || cut {
            start.response.on_hover_text(format!("{}\n{why}", error.name));
        }
    });
}
