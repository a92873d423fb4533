//! The list of pairs.

use super::Mirror;
use crate::doc::mirror::{Found, Pair};
use crate::rig::BoneId;
use crate::ui::Cx;
use crate::ui::dialogs::grid;
use crate::ui::dialogs::picker::Picker;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, tick_box};
use crate::ui::kit::tokens::{radius, stroke};
use egui::{Align2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

const TICK: f32 = 6.0;
const NAME: f32 = 34.0;

/// Where columns stand in a table of some width.
struct Columns {
    arrow: f32,
    target: f32,
    target_width: f32,
    /// Right edge of the distances.
    apart: f32,
    found: f32,
    width: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        let arrow = NAME + 0.30 * (width - NAME);
        let target = arrow + 26.0;
        let target_width = 0.30 * (width - NAME);
        let apart = target + target_width + 70.0;
        Self { arrow, target, target_width, apart, found: apart + 18.0, width }
    }
}

impl Mirror {
    pub(super) fn rows_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, hovered: &mut Option<BoneId>) {
        ui.spacing_mut().item_spacing = egui::Vec2::ZERO;
        let columns = Columns::of(ui.available_width());
        let top = ui.cursor().top();
        paint::hairline(ui.painter(), ui.max_rect().left(), ui.max_rect().right(), top, cx.theme.color.border);
        let names = ["source", "target", "apart", "found_by"].map(|key| cx.tr(&format!("mirror.{key}")));
        let head = [
            (&*names[0], NAME, Align2::LEFT_CENTER),
            (&*names[1], columns.target + 4.0, Align2::LEFT_CENTER),
            (&*names[2], columns.apart, Align2::RIGHT_CENTER),
            (&*names[3], columns.found, Align2::LEFT_CENTER),
        ];
        let rect = grid::head(ui, &head);
        self.tick_all_ui(ui, cx, rect);
        if self.pairs.is_empty() {
            let key = if self.of_selection { "mirror.none_selected" } else { "mirror.none" };
            let at = ui.max_rect().center_top() + vec2(0.0, top - ui.max_rect().top() + 80.0);
            let c = cx.theme.color;
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &cx.tr(key), Text::Body, c.text_3);
            return;
        }
        let height = ui.available_height();
        grid::body(ui, "pairs", height, self.pairs.len(), None, |ui, at| {
            self.pair_ui(ui, cx, at, &columns, hovered);
        });
    }

    fn tick_all_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, head: Rect) {
        let can = self.pairs.iter().filter(|p| p.target.is_some()).count();
        let on = self.pairs.iter().filter(|p| p.taken).count();
        let tick = match on {
            0 => Tick::Off,
            n if n == can => Tick::On,
            _ => Tick::Some,
        };
        let mut place = grid::place(ui, head, TICK, 24.0);
        if tick_box(&mut place, &cx.tr("mirror.tick_all"), "", tick).clicked() {
            self.pairs.iter_mut().for_each(|p| p.taken = tick != Tick::On && p.target.is_some());
            self.replan(cx.session());
        }
    }

    fn pair_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize, columns: &Columns, hovered: &mut Option<BoneId>) {
        let c = cx.theme.color;
        let pair = self.pairs[at];
        let name = cx.session().bone_name(pair.source).to_owned();
        let current = self.current == Some(pair.source);
        let seen = cx.session().selection().hovered;
        let lit = current || seen.is_some_and(|b| b == pair.source || Some(b) == pair.target);
        let (rect, response) = grid::row(ui, &name, lit);
        if response.clicked() {
            self.current = Some(pair.source);
        }
        let over_target = ui.rect_contains_pointer(rect.with_min_x(rect.left() + columns.arrow));
        if ui.rect_contains_pointer(rect) {
            *hovered = if over_target { pair.target.or(Some(pair.source)) } else { Some(pair.source) };
        }
        let (ink, soft) = if lit { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let long = grid::name(ui, rect, NAME, columns.arrow - NAME - 6.0, &name, ink);
        let arrow = pos2(rect.left() + columns.arrow + 10.0, rect.center().y);
        paint_icon(ui.painter(), arrow, icons::ARROW_RIGHT, 14.0, soft);
        let apart = pair.apart.map_or_else(|| "–".to_owned(), |m| format!("{:.1} mm", m * 1000.0));
        let end = pos2(rect.left() + columns.apart, rect.center().y);
        paint::text(ui.painter(), end, Align2::RIGHT_CENTER, &apart, Text::Small, soft);
        let found = cx.tr(found_words(pair.found));
        let color = if pair.found == Found::Nothing && !lit { c.warning } else { soft };
        grid::words(ui, rect, columns.found, columns.width - columns.found - 8.0, &found, Text::Small, color);
        if long {
            response.on_hover_text(&name);
        }
        if pair.target.is_some() {
            let mut place = grid::place(ui, rect, TICK, 24.0);
            let words = cx.tr_with("windows.take_name", &[("name", &name)]);
            let tick = if pair.taken { Tick::On } else { Tick::Off };
            if tick_box(&mut place, &words, "", tick).clicked() {
                self.pairs[at].taken = !pair.taken;
                self.replan(cx.session());
            }
        } else {
            grid::no_tick(ui, rect, TICK);
        }
        self.target_ui(ui, cx, (at, pair, &name), rect, columns);
    }

    /// The field that shows the target and opens the list of bones.
    fn target_ui(&mut self, ui: &Ui, cx: &Cx<'_>, (at, pair, name): (usize, Pair, &str), row: Rect, columns: &Columns) {
        let c = cx.theme.color;
        let field = Rect::from_min_size(
            pos2(row.left() + columns.target, row.top() + 3.0),
            vec2(columns.target_width, row.height() - 6.0),
        );
        let words = match pair.target {
            Some(bone) => cx.session().bone_name(bone).to_owned(),
            None => cx.tr("mirror.choose").into_owned(),
        };
        let response = ui.interact(field, ui.scope_id().with("target"), Sense::click());
        let label = cx.tr_with("mirror.target_of", &[("name", name)]);
        response.widget_info(|| WidgetInfo {
            current_text_value: Some(words.clone()),
            ..WidgetInfo::labeled(Role::ComboBox, true, &label)
        });
        let open = self.picker.as_ref().is_some_and(|p| p.row == at);
        let edge = match () {
            () if open => c.accent,
            () if response.hovered() => c.border_strong,
            () => c.border,
        };
        ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        let ink = if pair.target.is_some() { c.text } else { c.text_3 };
        grid::name(ui, field, 8.0, field.width() - 32.0, &words, ink);
        paint_icon(ui.painter(), pos2(field.right() - 13.0, field.center().y), icons::CARET_DOWN, 13.0, c.text_2);
        icons::focus_ring(ui, &response, field, radius::FIELD);
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
