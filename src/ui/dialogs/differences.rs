//! The differences between the present tuning (A) and the tuning of the comparison (B).

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left, padded_ui, sentence_ui};
use super::table::{Cells, Column, Table, widget_ui};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::button::secondary;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::tokens::space;
use crate::ui::panels::compare_bar::{source_name, uncompared_text};
use egui::{Context, Rect, Ui};
use yuremono_model::document::names::fold;
use yuremono_session::Command;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

pub(super) mod rows;

use rows::{DifferenceRow, DifferenceTexts, heading_cells_ui, line_cells_ui};

const WIDTH: f32 = 620.0;
const HEIGHT: f32 = 480.0;
const FILTER_WIDTH: f32 = 240.0;
const VALUE_WIDTH: f32 = 118.0;
const TAKE_WIDTH: f32 = 128.0;

#[derive(Debug, Default)]
pub(super) struct DifferencesDialog {
    filter: String,
}

impl DifferencesDialog {
    /// Returns the rows that match the filter. Differences of one chain are together.
    fn rows(&self, cx: &UiContext<'_>) -> Vec<DifferenceRow> {
        let Some(comparison) = cx.session().comparison() else { return Vec::new() };
        let rows = DifferenceTexts { cx, comparison: &comparison.compared }.rows();
        let filter = fold(self.filter.trim());
        if filter.is_empty() {
            return rows;
        }
        let (mut found, mut heading, mut fits_heading) = (Vec::new(), None, false);
        for row in rows {
            match row {
                DifferenceRow::Heading(_, name) => {
                    fits_heading = fold(&name).contains(&filter);
                    heading = Some(name);
                }
                DifferenceRow::Line(line) if fits_heading || fold(&line.label).contains(&filter) => {
                    // The heading offers no chain, because taking the chain would also take hidden rows.
                    found.extend(heading.take().map(|name| DifferenceRow::Heading(None, name)));
                    found.push(DifferenceRow::Line(line));
                }
                DifferenceRow::Line(_) => {}
            }
        }
        found
    }
}

fn row_ui(cells: &mut Cells<'_, '_>, row: &DifferenceRow, cx: &mut UiContext<'_>) -> Option<BoneId> {
    match row {
        DifferenceRow::Heading(chain, name) => {
            heading_cells_ui(cells, name);
            let Some(chain) = chain else {
                cells.cell(|_, _| ());
                return None;
            };
            let label = tr!(cx, "Take chain");
            if cells.cell(|ui, rect| take_ui(ui, rect, &label, name)) {
                cx.command(Command::TakeChain(*chain));
            }
            None
        }
        DifferenceRow::Line(line) => {
            let response = line_cells_ui(cells, line);
            let label = tr!(cx, "Take B");
            let taken = cells.cell(|ui, rect| line.take.is_some() && take_ui(ui, rect, &label, &line.label));
            if let Some(take) = line.take.as_ref().filter(|_| taken) {
                cx.command((**take).clone());
            }
            line.bone.filter(|_| response.contains_pointer())
        }
    }
}

/// Draws a button. Returns whether it was clicked.
fn take_ui(ui: &mut Ui, cell: Rect, label: &str, name: &str) -> bool {
    let mut inner = widget_ui(ui, cell, 0.0, cell.width() - space::L);
    ui.push_id(name, |_| secondary(label).small().show(&mut inner).clicked()).inner
}

impl Dialog for DifferencesDialog {
    fn title_text(&self) -> MessageText {
        message!("Differences")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        cx.session().comparison().map(|comparison| source_name(cx, &comparison.source)).unwrap_or_default()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        at_left(ctx, 0.0, [WIDTH; 2], HEIGHT)
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if cx.session().comparison().is_some() { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        padded_ui(ui, |ui| {
            search_field(ui, &mut self.filter, &tr!(cx, "Filter by chain or value"), FILTER_WIDTH);
            let warning = cx.session().comparison().and_then(|comparison| uncompared_text(cx, comparison));
            if let Some(warning) = warning {
                sentence_ui(ui, cx, &warning);
            }
        });
        let rows = self.rows(cx);
        if rows.is_empty() {
            let text = if self.filter.trim().is_empty() {
                tr!(cx, "Both tunings are equal.")
            } else {
                tr!(cx, "No difference matches the filter.")
            };
            padded_ui(ui, |ui| sentence_ui(ui, cx, &text));
            return;
        }
        let titles = [tr!(cx, "Value"), tr!(cx, "A (now)"), tr!(cx, "B")];
        let columns = [
            Column::fill(&titles[0]).indented(space::L),
            Column::new(&titles[1], VALUE_WIDTH),
            Column::new(&titles[2], VALUE_WIDTH),
            Column::new("", TAKE_WIDTH),
        ];
        let table = Table::new("differences", &columns, ui.available_height());
        table.show(ui, rows.len(), |cells| {
            let at = cells.index();
            out.hovered_bone = row_ui(cells, &rows[at], cx).or(out.hovered_bone);
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        vec![DialogButton::close(cx)]
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        let Some(comparison) = cx.session().comparison() else { return String::new() };
        let compared = &comparison.compared;
        let values = compared.differences.iter().filter(|difference| difference.take.is_some()).count();
        let n = compared.differences.len();
        tr!(cx, "{n:difference|differences}, of which {values} can be taken one by one", n, values).into_owned()
    }
}
