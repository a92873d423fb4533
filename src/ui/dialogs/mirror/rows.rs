//! The list of pairs.

use super::MirrorDialog;
use crate::tools::mirror::PairMatch;
use crate::ui::UiContext;
use crate::ui::dialogs::dialog::DialogOutput;
use crate::ui::dialogs::table::BonePicker;
use crate::ui::dialogs::table::{self, CellFieldStyle, Cells, Column, FirstCell, Table};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::CheckState;
use crate::ui::kit::tokens::{size, space};
use egui::{Align2, Rect, Ui, pos2, vec2};

const NAME_LEFT: f32 = 34.0;

impl MirrorDialog {
    pub(super) fn rows_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let top = ui.cursor().top();
        paint::hairline(ui.painter(), ui.max_rect().left(), ui.max_rect().right(), top, c.border);
        let names = ["source", "target", "apart", "found_by"].map(|key| cx.tr(&format!("mirror.{key}")));
        let bone = 0.30 * (ui.available_width() - NAME_LEFT);
        let columns = [
            Column::new("", NAME_LEFT),
            Column::new(&names[0], bone),
            Column::new("", 26.0),
            Column::new(&names[1], bone).indented(space::XS),
            Column::right_aligned(&names[2], 70.0),
            Column::fill(&names[3]).indented(18.0),
        ];
        let list = Table { id: "pairs", columns: &columns, height: ui.available_height(), scroll_to: None };
        let can = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let tick = CheckState::of_count(self.pairs.iter().filter(|p| p.included).count(), can);
        let mut all = false;
        let tick_all =
            |ui: &mut Ui, cell| all = table::row_checkbox(ui, cell, space::S, &cx.tr("mirror.tick_all"), Some(tick));
        list.show(ui, self.pairs.len(), tick_all, |cells| self.pair_ui(cx, cells, out));
        if all {
            self.pairs.iter_mut().for_each(|p| p.included = tick != CheckState::On && p.target.is_some());
            self.replan(cx.session());
        }
        if self.pairs.is_empty() {
            let key = if self.selected_only { "mirror.none_selected" } else { "mirror.none" };
            let at = ui.max_rect().center_top() + vec2(0.0, top - ui.max_rect().top() + 80.0);
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &cx.tr(key), TextSize::Body, c.text_3);
        }
    }

    fn pair_ui(&mut self, cx: &UiContext<'_>, cells: &mut Cells<'_, '_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let at = cells.index();
        let pair = self.pairs[at];
        let name = cx.session().inspection().bone_name(pair.source).to_owned();
        let seen = cx.session().selection().hovered;
        let lit = self.current_source == Some(pair.source)
            || seen.is_some_and(|b| b == pair.source || Some(b) == pair.target);
        let (ink, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let FirstCell { response, pointer, inner: ticked } = cells.first_cell(&name, lit, |ui, cell| {
            let words = cx.tr_with("windows.take_name", &[("name", &name)]);
            table::row_checkbox(ui, cell, space::S, &words, pair.target.map(|_| CheckState::of(pair.included)))
        });
        let mut arrow = 0.0;
        let long = cells.cell(|ui, cell| {
            arrow = NAME_LEFT + cell.width();
            table::row_bone_name(ui, cell, 0.0, cell.width() - space::S, &name, ink)
        });
        if let Some(x) = pointer {
            out.hovered_bone = pair.target.filter(|_| x > arrow).or(Some(pair.source));
        }
        cells.cell(|ui, cell| {
            let center = pos2(cell.left() + 10.0, cell.center().y);
            paint_icon(ui.painter(), center, icons::ARROW_RIGHT, size::ICON_SMALL, soft);
        });
        cells.cell(|ui, cell| self.target_ui(ui, cx, cell, at, &name));
        let apart = pair.distance.map_or_else(|| "–".to_owned(), |m| format!("{:.1} mm", m * 1000.0));
        cells.right_text(&apart, TextSize::Small, soft);
        let found = cx.tr(found_key(pair.match_kind));
        let color = if pair.match_kind == PairMatch::NotFound && !lit { c.warning } else { soft };
        cells.cell(|ui, cell| table::row_text(ui, cell, 18.0, cell.width() - 26.0, &found, TextSize::Small, color));
        if response.clicked() {
            self.current_source = Some(pair.source);
        }
        if long {
            response.on_hover_text(&name);
        }
        if ticked {
            self.pairs[at].included = !pair.included;
            self.replan(cx.session());
        }
    }

    /// The field that shows the target and opens the list of bones.
    fn target_ui(&mut self, ui: &Ui, cx: &UiContext<'_>, cell: Rect, at: usize, name: &str) {
        let pair = self.pairs[at];
        let words = match pair.target {
            Some(bone) => cx.session().inspection().bone_name(bone).to_owned(),
            None => cx.tr("mirror.choose").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == at);
        let look = CellFieldStyle { filled: pair.target.is_some(), accent: open, right_inset: 24.0 };
        let label = cx.tr_with("mirror.target_of", &[("name", name)]);
        let (field, response) = table::cell_field(ui, cell, [&label, &words], look);
        if response.clicked() {
            self.current_source = Some(pair.source);
            self.picker = if open { None } else { Some(BonePicker::new(at, field)) };
        }
    }
}

const fn found_key(found: PairMatch) -> &'static str {
    match found {
        PairMatch::PositionAndName => "mirror.by.place_and_name",
        PairMatch::Position => "mirror.by.place",
        PairMatch::Name => "mirror.by.name",
        PairMatch::Manual => "mirror.by.hand",
        PairMatch::NotFound => "mirror.by.nothing",
    }
}
