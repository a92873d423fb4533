//! The table of the map names window.

use super::{Names, Show};
use crate::doc::remap::{Entry, Rule, Why};
use crate::rig::BoneId;
use crate::ui::Cx;
use crate::ui::dialogs::picker::Picker;
use crate::ui::dialogs::table::{self, CellField, Cells, Column, RowStart, Table};
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, segmented};
use crate::ui::kit::tokens::{SPACE, size};
use crate::ui::kit::words;
use egui::{Align2, Color32, Rect, Ui, Vec2, pos2, vec2};

const NAME: f32 = 44.0;

impl Names {
    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        self.filter_ui(ui, cx);
        let names = ["take", "bone", "here", "sure", "why"].map(|k| cx.tr(&format!("windows.names.column.{k}")));
        let bone = 0.265 * (ui.available_width() - NAME - SPACE[4]);
        let columns = [
            Column::new(&names[0], NAME).indented(10.0),
            Column::new(&names[1], bone),
            Column::new("", 24.0),
            Column::new(&names[2], bone).indented(SPACE[1]),
            Column::new(&names[3], 92.0).indented(10.0),
            Column::rest(&names[4]).indented(10.0),
        ];
        let shown = self.shown_rows();
        let (height, scroll_to) = (ui.available_height(), self.scroll_to.take());
        let list = Table { id: "name_rows", columns: &columns, height, scroll_to };
        let out = list.show(ui, shown.len(), |_, _| {}, |cells| self.row_ui(cx, cells, shown[cells.index()]));
        self.seen = (out.state.clamped_offset().y, out.inner_rect.height());
        if shown.is_empty() {
            let at = ui.max_rect().center_top() + vec2(0.0, 110.0);
            let words = cx.tr("windows.names.none_fit");
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &words, Text::Body, cx.theme.color.text_3);
        }
    }

    fn filter_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let counts = self.plan.counts();
        let numbers = [counts.all, counts.to_confirm, counts.no_match, counts.taken];
        let words = ["all", "to_confirm", "no_match", "matched"].map(|k| cx.tr(&format!("windows.names.show.{k}")));
        let choices: Vec<_> = words.iter().zip(numbers).map(|(w, n)| (&**w, Some(n))).collect();
        let chosen = Show::EACH.iter().position(|s| *s == self.show).unwrap_or(0);
        ui.add_space(SPACE[3]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[4]);
            if let Some(picked) = segmented(ui, &choices, chosen, size::HIT_MIN) {
                self.show = Show::EACH[picked];
            }
            ui.add_space(SPACE[4]);
            let width = (ui.available_width() - SPACE[4]).clamp(60.0, 150.0);
            ui.add_space(ui.available_width() - SPACE[4] - width);
            search_field(ui, &mut self.search, &cx.tr("windows.names.search"), width);
        });
        ui.add_space(SPACE[1]);
    }

    fn row_ui(&mut self, cx: &mut Cx<'_>, cells: &mut Cells<'_, '_>, row: usize) {
        let c = cx.theme.color;
        let current = self.current == Some(row);
        let entry = self.plan.entries[row].clone();
        let (ink, soft) = if current { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let RowStart { response, pointer, inner: ticked } = cells.begin(&entry.source, current, |ui, cell| {
            let name = cx.tr_with("windows.take_name", &[("name", &entry.source)]);
            table::tick(ui, cell, SPACE[2], &name, entry.target.map(|_| Tick::of(entry.taken)))
        });
        if response.clicked() {
            self.current = Some(row);
        }
        if pointer.is_some() {
            self.hovered = entry.target.or(self.hovered);
        }
        let long = cells.name(SPACE[1], &entry.source, ink);
        cells.cell(|ui, cell| {
            let center = pos2(cell.left() + SPACE[3], cell.center().y);
            paint_icon(ui.painter(), center, icons::ARROW_RIGHT, size::ICON_SMALL, soft);
        });
        cells.cell(|ui, cell| self.target_ui(ui, cx, cell, row));
        let sure = entry.target.map(|_| entry.confidence);
        let percent = sure.map_or_else(|| "–".to_owned(), |s| format!("{:.0} %", 100.0 * s));
        cells.cell(|ui, cell| {
            let name = cx.tr_with("windows.names.sure_name", &[("name", &entry.source)]);
            confidence_bar(&mut table::place(ui, cell, 10.0, 40.0), &name, sure, 40.0);
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, &percent, Text::Small, soft);
        });
        let (why, color) = self.why_words(cx, &entry);
        let color = if current { c.selection_text } else { color };
        let cut = cells.cell(|ui, cell| table::words(ui, cell, 10.0, cell.width() - 18.0, &why, Text::Small, color));
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", entry.source));
        }
        if ticked {
            self.current = Some(row);
            self.take(row, !entry.taken);
        }
    }

    /// The field that shows the target: it opens the list of bones; on the current row a crosshair picks in the view.
    fn target_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, cell: Rect, row: usize) {
        let entry = &self.plan.entries[row];
        let here = Self::target_name(cx, entry.target);
        let name = cx.tr_with("windows.names.target_of", &[("name", &entry.source)]);
        let (current, aims) = (self.current == Some(row), self.aiming == Some(row));
        let words = match here {
            _ if aims => cx.tr("windows.names.aim").into_owned(),
            Some(bone) => bone.to_owned(),
            None => cx.tr("windows.names.choose").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == row);
        let room = if current { 46.0 } else { 24.0 };
        let look = CellField { filled: here.is_some(), accent: open || aims, room };
        let (field, response) = table::field(ui, cell, [&name, &words], look);
        let mut clicked = response.clicked();
        if current {
            let place =
                Rect::from_center_size(pos2(field.right() - 34.0, field.center().y), Vec2::splat(size::HIT_MIN));
            let tip = cx.tr("windows.names.crosshair");
            let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(place));
            let button = IconButton { icon_size: size::ICON_SMALL, ..IconButton::new(icons::CROSSHAIR, &tip) };
            if button.on(aims).show(&mut inner).clicked() {
                self.aim(cx, row);
                clicked = false;
            }
        }
        if clicked {
            self.current = Some(row);
            self.aiming = None;
            self.picker = if open { None } else { Some(Picker::new(row, field)) };
        }
    }

    /// Why a row leads where it leads, and whether that asks for a look.
    pub(super) fn why_words(&self, cx: &Cx<'_>, entry: &Entry) -> (String, Color32) {
        let c = cx.theme.color;
        let rule = |at: &usize| self.rules.list.get(*at).map(|e| &e.rule);
        let mut words = match &entry.why {
            Why::ByRule(at) => match rule(at) {
                Some(Rule::StripPrefix(affix) | Rule::StripSuffix(affix)) => {
                    cx.tr_with("windows.names.why.strip", &[("affix", affix)])
                }
                Some(Rule::Sides) => cx.tr("windows.names.why.sides").into_owned(),
                Some(Rule::Replace { from, .. }) => cx.tr_with("windows.names.why.replace", &[("from", from)]),
                Some(Rule::IgnoreCase) => cx.tr("windows.names.why.case").into_owned(),
                _ => cx.tr("windows.names.why.same").into_owned(),
            },
            Why::Role(role) => {
                cx.tr_with("windows.names.why.role", &[("role", &words::body_role(cx.theme.lang, role))])
            }
            Why::SameWords => cx.tr("windows.names.why.words").into_owned(),
            Why::Near if entry.scores.place.is_some() => cx.tr("windows.names.why.near_place").into_owned(),
            Why::Near => cx.tr("windows.names.why.near").into_owned(),
            Why::ByHand => cx.tr("windows.names.why.hand").into_owned(),
            Why::NoMatch => return (cx.tr("windows.names.why.none").into_owned(), c.warning),
        };
        if let Some(other) = entry.also.first().and_then(|row| self.plan.entries.get(*row)) {
            let also = cx.tr_with("windows.names.why.also", &[("name", &other.source)]);
            return (format!("{also}; {words}"), c.warning);
        }
        if entry.ambiguous {
            words = format!("{}; {words}", cx.tr("windows.names.why.ambiguous"));
        }
        (words, c.text_2)
    }

    /// The bone that `entry` leads to now, if this character has it.
    pub(super) fn target_name<'a>(cx: &Cx<'a>, target: Option<BoneId>) -> Option<&'a str> {
        let skeleton = &cx.session().character().skeleton;
        target.filter(|b| b.index() < skeleton.len()).map(|b| skeleton.name(b))
    }
}
