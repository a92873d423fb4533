//! Compares the open document with earlier saves of its project, or with the project file on disk.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle, padded_ui, sentence_ui};
use super::differences::rows::{DifferenceRow, DifferenceTexts, heading_cells_ui, line_cells_ui};
use super::table::{Column, Table, list, list_row, row_text};
use crate::tr;
use crate::ui::kit::i18n;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space, stroke};
use crate::ui::{AppRequest, ProjectVersion, UiContext, VersionOrigin};
use egui::{Align, Context, Layout, Rect, Sense, Stroke, Ui, UiBuilder, Vec2, vec2};
use std::borrow::Cow;
use yuremono_sim::diagnostics::{MessageText, message};

const WINDOW_SIZE: [f32; 2] = [800.0, 500.0];
const LIST_WIDTH: f32 = 230.0;
const VALUE_WIDTH: f32 = 104.0;

#[derive(Debug)]
pub(super) struct VersionsDialog {
    /// Newest first.
    versions: Vec<ProjectVersion>,
    /// Index of the version whose differences are listed.
    chosen: usize,
}

impl VersionsDialog {
    pub(super) fn new(versions: Vec<ProjectVersion>) -> Self {
        // The newest save usually equals the document, so the first version with differences is chosen.
        let differs = |version: &ProjectVersion| version.compared.as_ref().is_ok_and(|it| !it.differences.is_empty());
        let chosen = versions.iter().position(differs).unwrap_or(0);
        Self { versions, chosen }
    }

    fn chosen(&self) -> Option<&ProjectVersion> {
        self.versions.get(self.chosen)
    }

    fn is_disk(&self) -> bool {
        self.chosen().is_some_and(|version| version.origin == VersionOrigin::Disk)
    }

    fn list_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, height: f32) {
        let c = cx.theme.color;
        let versions = &self.versions;
        let chosen = &mut self.chosen;
        list(ui, "versions", height, versions.len(), |ui, at| {
            let (name, note) = (version_name(&versions[at], cx), version_note(&versions[at], cx));
            let (rect, response) = list_row(ui, &format!("{name}, {note}"), at == *chosen);
            let color = if at == *chosen { c.selection_text } else { c.text };
            row_text(ui, rect, space::L, LIST_WIDTH * 0.5, &name, TextSize::Body, color);
            row_text(ui, rect, LIST_WIDTH * 0.55, LIST_WIDTH * 0.43, &note, TextSize::Small, c.text_3);
            if response.clicked() {
                *chosen = at;
            }
        });
    }

    fn differences_ui(&self, ui: &mut Ui, cx: &UiContext<'_>) {
        let c = cx.theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TABLE), Sense::hover());
        let heading = cx.tr(if self.is_disk() {
            message!("Changes if the file on disk is opened:")
        } else {
            message!("Changes if this version is restored:")
        });
        row_text(ui, rect, space::L, rect.width() - space::XL, &heading, TextSize::Small, c.text_3);
        let Some(version) = self.chosen() else { return };
        match &version.compared {
            Ok(comparison) if comparison.differences.is_empty() => {
                padded_ui(ui, |ui| sentence_ui(ui, cx, &tr!(cx, "This version is the same as the open document.")));
            }
            Ok(comparison) => self.table_ui(ui, cx, &DifferenceTexts { cx, comparison }.rows()),
            Err(found) => padded_ui(ui, |ui| {
                for diagnostic in found {
                    sentence_ui(ui, cx, &cx.tr(&diagnostic.message));
                }
            }),
        }
    }

    fn table_ui(&self, ui: &mut Ui, cx: &UiContext<'_>, rows: &[DifferenceRow]) {
        let version = if self.is_disk() { message!("On disk") } else { message!("This version") };
        let titles = [message!("Value"), message!("Now"), version].map(|title| cx.tr(title));
        let columns = [
            Column::fill(&titles[0]).indented(space::L),
            Column::new(&titles[1], VALUE_WIDTH),
            Column::new(&titles[2], VALUE_WIDTH),
        ];
        Table::new("differences", &columns, ui.available_height()).show(ui, rows.len(), |cells| {
            match &rows[cells.index()] {
                DifferenceRow::Heading(_, name) => heading_cells_ui(cells, name),
                DifferenceRow::Line(line) => _ = line_cells_ui(cells, line),
            }
        });
    }
}

fn child_ui(ui: &mut Ui, rect: Rect) -> Ui {
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::top_down(Align::Min)));
    child.spacing_mut().item_spacing = Vec2::ZERO;
    child
}

fn version_name(version: &ProjectVersion, cx: &UiContext<'_>) -> Cow<'static, str> {
    match version.origin {
        VersionOrigin::Backup { age_seconds } => i18n::age_text(cx.theme.lang, age_seconds),
        VersionOrigin::Disk => tr!(cx, "On disk"),
    }
}

fn version_note(version: &ProjectVersion, cx: &UiContext<'_>) -> Cow<'static, str> {
    match &version.compared {
        Ok(compared) if compared.differences.is_empty() => tr!(cx, "No change"),
        Ok(compared) => tr!(cx, "{n:change|changes}", n = compared.differences.len()),
        Err(_) => tr!(cx, "Unreadable"),
    }
}

impl Dialog for VersionsDialog {
    fn title_text(&self) -> MessageText {
        if self.is_disk() { message!("Compare with the file on disk") } else { message!("Earlier versions") }
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.input.file.project.unwrap_or_default().to_owned()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, WINDOW_SIZE.into())
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        if self.versions.is_empty() {
            let text =
                tr!(cx, "This project has no earlier saves. Each save of a project is kept here; the last ten stay.");
            padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
            return;
        }
        let whole = ui.available_rect_before_wrap();
        let list_width = if self.is_disk() { 0.0 } else { LIST_WIDTH };
        let (list_rect, differences_rect) = whole.split_left_right_at_x(whole.left() + list_width);
        if !self.is_disk() {
            self.list_ui(&mut child_ui(ui, list_rect), cx, list_rect.height());
            ui.painter().vline(
                list_rect.right(),
                whole.y_range(),
                Stroke::new(stroke::HAIRLINE, cx.theme.color.border),
            );
        }
        self.differences_ui(&mut child_ui(ui, differences_rect), cx);
        ui.advance_cursor_after_rect(whole);
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        if self.versions.is_empty() {
            return vec![DialogButton::close(cx)];
        }
        let is_readable = self.chosen().is_some_and(|version| version.compared.is_ok());
        let [apply, secondary] = if self.is_disk() {
            [message!("Open file on disk"), message!("Overwrite file")]
        } else {
            [message!("Restore version"), message!("Open as a copy")]
        };
        vec![
            DialogButton::apply(cx.tr(apply), is_readable),
            DialogButton::secondary(cx.tr(secondary)),
            DialogButton::cancel(cx),
        ]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if self.is_disk() {
            cx.request(AppRequest::ReloadProject);
        } else if let Some(version) = self.chosen() {
            cx.request(AppRequest::OpenVersion { path: version.path.clone(), as_copy: false });
        }
        DialogResult::Closed
    }

    fn secondary_action(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        if self.is_disk() {
            cx.request(AppRequest::OverwriteProject);
        } else if let Some(version) = self.chosen() {
            cx.request(AppRequest::OpenVersion { path: version.path.clone(), as_copy: true });
        }
        DialogResult::Closed
    }
}
