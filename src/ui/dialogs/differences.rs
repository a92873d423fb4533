//! The differences between the present tuning (A) and the tuning of the comparison (B).

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, at_left, padded_ui, sentence_ui, with_counts};
use super::table::{Cells, Column, Table, widget_ui};
use super::versions::{difference_value_text, field_text};
use crate::document::ChainId;
use crate::document::names::fold;
use crate::exchange::{DocumentDifference, EntryChange, EntryKind};
use crate::rig::BoneId;
use crate::session::Command;
use crate::ui::UiContext;
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n;
use crate::ui::kit::number::short_number;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::space;
use crate::ui::panels::compare_bar::{source_name, uncompared_text};
use egui::{Context, Rect, Ui};
use std::ops::Range;

const WIDTH: f32 = 620.0;
const HEIGHT: f32 = 480.0;
const FILTER_WIDTH: f32 = 240.0;
const VALUE_WIDTH: f32 = 118.0;
const TAKE_WIDTH: f32 = 128.0;
/// A rounded value is shown if its relative error is lower.
const MAX_ROUNDING: f64 = 0.005;

#[derive(Debug, Default)]
pub(super) struct DifferencesDialog {
    filter: String,
}

/// A row of the table.
enum DifferenceRow<'a> {
    /// The heading of a chain or of the other differences, with the chain that can be taken across.
    Heading(Option<ChainId>, String),
    Difference(&'a DocumentDifference, RowText),
}

/// The texts of a difference.
struct RowText {
    what: String,
    a: String,
    b: String,
}

impl DifferencesDialog {
    /// Returns the rows that match the filter. Differences of one chain are together.
    fn rows<'a>(&self, cx: &UiContext<'a>) -> Vec<DifferenceRow<'a>> {
        let Some(comparison) = cx.session().comparison() else { return Vec::new() };
        let mut sorted: Vec<&DocumentDifference> = comparison.differences.iter().collect();
        sorted.sort_by_key(|difference| difference.chain);
        let mut rows: Vec<DifferenceRow<'a>> = Vec::new();
        let mut start = 0;
        while start < sorted.len() {
            let chain = sorted[start].chain;
            let end = sorted[start..].iter().position(|it| it.chain != chain).map_or(sorted.len(), |at| start + at);
            self.push_group(cx, (chain, &sorted, start..end), &mut rows);
            start = end;
        }
        rows
    }

    fn push_group<'a>(
        &self,
        cx: &UiContext<'_>,
        (chain, sorted, group): (Option<ChainId>, &[&'a DocumentDifference], Range<usize>),
        rows: &mut Vec<DifferenceRow<'a>>,
    ) {
        let name = chain.map_or_else(|| cx.tr("compare.table.character").into_owned(), |id| chain_name(cx, id));
        let filter = fold(self.filter.trim());
        let fits = |text: &RowText| [&name, &text.what].iter().any(|words| fold(words).contains(&filter));
        let texts = sorted[group].iter().map(|difference| (*difference, row_text_of(cx, difference)));
        let found: Vec<_> = texts.filter(|(_, text)| filter.is_empty() || fits(text)).collect();
        if !found.is_empty() {
            // With a filter, taking the chain would also take hidden rows.
            rows.push(DifferenceRow::Heading(chain.filter(|_| filter.is_empty()), name));
            rows.extend(found.into_iter().map(|(difference, text)| DifferenceRow::Difference(difference, text)));
        }
    }
}

fn chain_name(cx: &UiContext<'_>, id: ChainId) -> String {
    let other = cx.session().comparison().and_then(|comparison| comparison.document().chains.get(&id));
    cx.document().chains.get(&id).or(other).map(|chain| chain.name.clone()).unwrap_or_default()
}

/// Returns the changed field, and its values in A and in B.
fn row_text_of(cx: &UiContext<'_>, found: &DocumentDifference) -> RowText {
    let difference = &found.difference;
    let entry = i18n::message_text(cx.theme.lang, &difference.entry.message(&difference.name));
    let there = |is_there: bool| {
        if is_there { cx.tr("compare.table.there").into_owned() } else { "–".to_owned() }
    };
    match &difference.change {
        EntryChange::Added => RowText { what: entry, a: there(false), b: there(true) },
        EntryChange::Removed => RowText { what: entry, a: there(true), b: there(false) },
        EntryChange::Changed { field, old, new } => {
            let label = field_text(&difference.change, field, cx);
            let what = match difference.entry {
                EntryKind::Chain => label,
                EntryKind::Joint => format!("{} · {label}", difference.name),
                _ => format!("{entry} · {label}"),
            };
            let [a, b] = value_texts([old.as_ref(), new.as_ref()]);
            RowText { what, a, b }
        }
    }
}

/// Returns both values with few digits, or with all digits if few digits do not tell the values.
fn value_texts(values: [Option<&serde_json::Value>; 2]) -> [String; 2] {
    let short = |value: Option<&serde_json::Value>| {
        let exact = value?.as_f64()?;
        let text = short_number(exact as f32);
        let rounded: f64 = text.parse().ok()?;
        ((rounded - exact).abs() <= MAX_ROUNDING * exact.abs()).then_some(text)
    };
    match values.map(short) {
        [Some(a), Some(b)] if a != b => [a, b],
        _ => values.map(difference_value_text),
    }
}

fn row_ui(cells: &mut Cells<'_, '_>, row: &DifferenceRow<'_>, cx: &mut UiContext<'_>) -> Option<BoneId> {
    let c = cx.theme.color;
    match row {
        DifferenceRow::Heading(chain, name) => {
            cells.heading(|ui, rect| {
                super::table::row_text(ui, rect, space::L, rect.width() * 0.6, name, TextSize::Strong, c.text);
            });
            cells.cell(|_, _| ());
            cells.cell(|_, _| ());
            let Some(chain) = chain else {
                cells.cell(|_, _| ());
                return None;
            };
            let words = cx.tr("compare.table.take_chain");
            if cells.cell(|ui, rect| take_ui(ui, rect, &words, name)) {
                cx.command(Command::TakeChain(*chain));
            }
            None
        }
        DifferenceRow::Difference(found, text) => {
            let name = format!("{}, {}, {}", text.what, text.a, text.b);
            let first = cells.first_cell(&name, false, |ui, rect| {
                let room = rect.width() - space::XL - space::S;
                super::table::row_text(ui, rect, space::XL, room, &text.what, TextSize::Small, c.text_2)
            });
            let is_cut = cells.text([0.0, space::S], &text.a, TextSize::Small, c.text)
                | cells.text([0.0, space::S], &text.b, TextSize::Small, c.text);
            if first.inner || is_cut {
                first.response.clone().on_hover_text(&name);
            }
            let taken = cells
                .cell(|ui, rect| found.value.is_some() && take_ui(ui, rect, &cx.tr("compare.table.take"), &text.what));
            if let Some(place) = found.value.filter(|_| taken) {
                cx.command(Command::TakeValue(place));
            }
            let is_joint = found.difference.entry == EntryKind::Joint && first.response.contains_pointer();
            is_joint.then(|| cx.character().skeleton.find(&found.difference.name)).flatten()
        }
    }
}

/// Draws a button. Returns whether it was clicked.
fn take_ui(ui: &mut Ui, cell: Rect, words: &str, what: &str) -> bool {
    let mut inner = widget_ui(ui, cell, 0.0, cell.width() - space::L);
    ui.push_id(what, |_| secondary(words).small().show(&mut inner).clicked()).inner
}

impl Dialog for DifferencesDialog {
    fn title_key(&self) -> &'static str {
        "compare.table.title"
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
            search_field(ui, &mut self.filter, &cx.tr("compare.table.filter"), FILTER_WIDTH);
            let warning = cx.session().comparison().and_then(|comparison| uncompared_text(cx, comparison));
            if let Some(warning) = warning {
                sentence_ui(ui, cx, &warning);
            }
        });
        let rows = self.rows(cx);
        if rows.is_empty() {
            let key = if self.filter.trim().is_empty() { "compare.table.equal" } else { "compare.table.no_match" };
            padded_ui(ui, |ui| sentence_ui(ui, cx, &cx.tr(key)));
            return;
        }
        let titles = ["what", "a", "b"].map(|key| cx.tr(&format!("compare.table.{key}")));
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
        let values = comparison.differences.iter().filter(|difference| difference.value.is_some()).count();
        with_counts(cx, "compare.table.note", [("n", comparison.differences.len()), ("values", values)])
    }
}
