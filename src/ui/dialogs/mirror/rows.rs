//! The list of pairs.

use super::Mirror;
use crate::tools::mirror::Found;
use crate::ui::Cx;
use crate::ui::dialogs::dialog::DialogOutput;
use crate::ui::dialogs::table::Picker;
use crate::ui::dialogs::table::{self, CellField, Cells, Column, RowStart, Table};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::Tick;
use crate::ui::kit::tokens::{size, space};
use egui::{Align2, Rect, Ui, pos2, vec2};

const NAME: f32 = 34.0;

impl Mirror {
    pub(super) fn rows_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let top = ui.cursor().top();
        paint::hairline(ui.painter(), ui.max_rect().left(), ui.max_rect().right(), top, c.border);
        let names = ["source", "target", "apart", "found_by"].map(|key| cx.tr(&format!("mirror.{key}")));
        let bone = 0.30 * (ui.available_width() - NAME);
        let columns = [
            Column::new("", NAME),
            Column::new(&names[0], bone),
            Column::new("", 26.0),
            Column::new(&names[1], bone).indented(space::XS),
            Column::right(&names[2], 70.0),
            Column::rest(&names[3]).indented(18.0),
        ];
        let list = Table { id: "pairs", columns: &columns, height: ui.available_height(), scroll_to: None };
        let can = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let tick = Tick::among(self.pairs.iter().filter(|p| p.taken).count(), can);
        let mut all = false;
        let tick_all = |ui: &mut Ui, cell| all = table::tick(ui, cell, space::S, &cx.tr("mirror.tick_all"), Some(tick));
        list.show(ui, self.pairs.len(), tick_all, |cells| self.pair_ui(cx, cells, out));
        if all {
            self.pairs.iter_mut().for_each(|p| p.taken = tick != Tick::On && p.target.is_some());
            self.replan(cx.session());
        }
        if self.pairs.is_empty() {
            let key = if self.of_selection { "mirror.none_selected" } else { "mirror.none" };
            let at = ui.max_rect().center_top() + vec2(0.0, top - ui.max_rect().top() + 80.0);
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &cx.tr(key), Text::Body, c.text_3);
        }
    }

    fn pair_ui(&mut self, cx: &Cx<'_>, cells: &mut Cells<'_, '_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        let at = cells.index();
        let pair = self.pairs[at];
        let name = cx.session().inspection().bone_name(pair.source).to_owned();
        let seen = cx.session().selection().hovered;
        let lit = self.current == Some(pair.source) || seen.is_some_and(|b| b == pair.source || Some(b) == pair.target);
        let (ink, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let RowStart { response, pointer, inner: ticked } = cells.begin(&name, lit, |ui, cell| {
            let words = cx.tr_with("windows.take_name", &[("name", &name)]);
            table::tick(ui, cell, space::S, &words, pair.target.map(|_| Tick::of(pair.taken)))
        });
        let mut arrow = 0.0;
        let long = cells.cell(|ui, cell| {
            arrow = NAME + cell.width();
            table::name(ui, cell, 0.0, cell.width() - space::S, &name, ink)
        });
        if let Some(x) = pointer {
            out.hovered = pair.target.filter(|_| x > arrow).or(Some(pair.source));
        }
        cells.cell(|ui, cell| {
            let center = pos2(cell.left() + 10.0, cell.center().y);
            paint_icon(ui.painter(), center, icons::ARROW_RIGHT, size::ICON_SMALL, soft);
        });
        cells.cell(|ui, cell| self.target_ui(ui, cx, cell, at, &name));
        let apart = pair.apart.map_or_else(|| "–".to_owned(), |m| format!("{:.1} mm", m * 1000.0));
        cells.right(&apart, Text::Small, soft);
        let found = cx.tr(found_words(pair.found));
        let color = if pair.found == Found::Nothing && !lit { c.warning } else { soft };
        cells.cell(|ui, cell| table::words(ui, cell, 18.0, cell.width() - 26.0, &found, Text::Small, color));
        if response.clicked() {
            self.current = Some(pair.source);
        }
        if long {
            response.on_hover_text(&name);
        }
        if ticked {
            self.pairs[at].taken = !pair.taken;
            self.replan(cx.session());
        }
    }

    /// The field that shows the target and opens the list of bones.
    fn target_ui(&mut self, ui: &Ui, cx: &Cx<'_>, cell: Rect, at: usize, name: &str) {
        let pair = self.pairs[at];
        let words = match pair.target {
            Some(bone) => cx.session().inspection().bone_name(bone).to_owned(),
            None => cx.tr("mirror.choose").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == at);
        let look = CellField { filled: pair.target.is_some(), accent: open, room: 24.0 };
        let label = cx.tr_with("mirror.target_of", &[("name", name)]);
        let (field, response) = table::field(ui, cell, [&label, &words], look);
        if response.clicked() {
            self.current = Some(pair.source);
            self.picker = if open { None } else { Some(Picker::new(at, field)) };
        }
    }
}

const fn found_words(found: Found) -> &'static str {
    match found {
        Found::PlaceAndName => "mirror.by.place_and_name",
        Found::Place => "mirror.by.place",
        Found::Name => "mirror.by.name",
        Found::ByHand => "mirror.by.hand",
        Found::Nothing => "mirror.by.nothing",
    }
}
