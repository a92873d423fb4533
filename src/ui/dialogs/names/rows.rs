//! The table of the map names window.

use super::{Names, Show};
use crate::doc::remap::{Entry, Rule, Why};
use crate::rig::BoneId;
use crate::ui::Cx;
use crate::ui::dialogs::grid;
use crate::ui::dialogs::picker::Picker;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::search::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, segmented, tick_box};
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use crate::ui::kit::words;
use egui::{Align2, Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

const TICK: f32 = 6.0;
const NAME: f32 = 44.0;

/// Where columns stand in a table of some width.
struct Columns {
    arrow: f32,
    target: f32,
    target_width: f32,
    sure: f32,
    why: f32,
    width: f32,
}

impl Columns {
    fn of(width: f32) -> Self {
        let share = width - NAME - 12.0;
        let arrow = NAME + 0.265 * share;
        let target = arrow + 24.0;
        let target_width = 0.265 * share;
        let sure = target + target_width + 10.0;
        Self { arrow, target, target_width, sure, why: sure + 92.0, width }
    }
}

impl Names {
    pub(super) fn table_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
        self.filter_ui(ui, cx);
        let columns = Columns::of(ui.available_width());
        let names = ["take", "bone", "here", "sure", "why"].map(|k| cx.tr(&format!("windows.names.column.{k}")));
        let lefts = [TICK + 4.0, NAME, columns.target + 4.0, columns.sure, columns.why];
        let head: Vec<_> = names.iter().zip(lefts).map(|(n, x)| (&**n, x, Align2::LEFT_CENTER)).collect();
        grid::head(ui, &head);
        let shown = self.shown_rows();
        let height = ui.available_height();
        let to = self.scroll_to.take();
        if shown.is_empty() {
            let c = cx.theme.color;
            let at = ui.max_rect().center_top() + vec2(0.0, 110.0);
            let words = cx.tr("windows.names.none_fit");
            paint::text(ui.painter(), at, Align2::CENTER_CENTER, &words, Text::Body, c.text_3);
            return;
        }
        let out = grid::body(ui, "name_rows", height, shown.len(), to, |ui, at| {
            self.row_ui(ui, cx, shown[at], &columns);
        });
        self.seen = (out.state.clamped_offset().y, out.inner_rect.height());
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

    fn row_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, row: usize, columns: &Columns) {
        let c = cx.theme.color;
        let current = self.current == Some(row);
        let entry = &self.plan.entries[row];
        let (rect, response) = grid::row(ui, &entry.source, current);
        if response.clicked() {
            self.current = Some(row);
        }
        if ui.rect_contains_pointer(rect) {
            self.hovered = entry.target.or(self.hovered);
        }
        let (ink, soft) = if current { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
        let long = grid::name(ui, rect, NAME, columns.arrow - NAME - 4.0, &entry.source, ink);
        let arrow = pos2(rect.left() + columns.arrow + 8.0, rect.center().y);
        paint_icon(ui.painter(), arrow, icons::ARROW_RIGHT, 14.0, soft);
        let sure = entry.target.map(|_| entry.confidence);
        let mut place = grid::place(ui, rect, columns.sure, 40.0);
        confidence_bar(&mut place, &cx.tr_with("windows.names.sure_name", &[("name", &entry.source)]), sure, 40.0);
        let percent = sure.map_or_else(|| "–".to_owned(), |s| format!("{:.0} %", 100.0 * s));
        let at = pos2(rect.left() + columns.sure + 82.0, rect.center().y);
        paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &percent, Text::Small, soft);
        let (why, color) = self.why_words(cx, entry);
        let color = if current { c.selection_text } else { color };
        let cut = grid::words(ui, rect, columns.why, columns.width - columns.why - 8.0, &why, Text::Small, color);
        if long || cut {
            response.on_hover_text(format!("{}\n{why}", entry.source));
        }
        let (taken, has_target) = (entry.taken, entry.target.is_some());
        let tick_name = cx.tr_with("windows.take_name", &[("name", &entry.source)]);
        if has_target {
            let mut place = grid::place(ui, rect, TICK, 24.0);
            let tick = if taken { Tick::On } else { Tick::Off };
            if tick_box(&mut place, &tick_name, "", tick).clicked() {
                self.current = Some(row);
                self.take(row, !taken);
            }
        } else {
            grid::no_tick(ui, rect, TICK);
        }
        self.target_ui(ui, cx, row, rect, columns);
    }

    /// The field that shows the target: it opens the list of bones; on the current row a crosshair picks in the view.
    fn target_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, row: usize, rect: Rect, columns: &Columns) {
        let entry = &self.plan.entries[row];
        let field = Rect::from_min_size(
            pos2(rect.left() + columns.target, rect.top() + 3.0),
            vec2(columns.target_width, rect.height() - 6.0),
        );
        let skeleton = &cx.session().character().skeleton;
        let here = entry.target.filter(|b| b.index() < skeleton.len());
        let name = cx.tr_with("windows.names.target_of", &[("name", &entry.source)]);
        let current = self.current == Some(row);
        let words = match here {
            _ if self.aiming == Some(row) => cx.tr("windows.names.aim").into_owned(),
            Some(bone) => skeleton.name(bone).to_owned(),
            None => cx.tr("windows.names.choose").into_owned(),
        };
        let open = self.picker.as_ref().is_some_and(|p| p.row == row);
        let accent = open || self.aiming == Some(row);
        let room = if current { 46.0 } else { 24.0 };
        let response = field_ui(ui, cx, field, (&name, &words), here.is_some(), accent, room);
        let mut clicked = response.clicked();
        if current {
            let place = Rect::from_center_size(pos2(field.right() - 34.0, field.center().y), vec2(24.0, 24.0));
            let tip = cx.tr("windows.names.crosshair");
            let on = self.aiming == Some(row);
            let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(place));
            let button = IconButton { icon_size: 14.0, ..IconButton::new(icons::CROSSHAIR, &tip) };
            if button.on(on).show(&mut inner).clicked() {
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

/// A field with words and a caret; `room` is what stands at its right.
fn field_ui(
    ui: &Ui,
    cx: &Cx<'_>,
    field: Rect,
    (name, words): (&str, &str),
    filled: bool,
    accent: bool,
    room: f32,
) -> Response {
    let c = cx.theme.color;
    let response = ui.interact(field, ui.scope_id().with("target"), Sense::click());
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(words.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, name)
    });
    let edge = match () {
        () if accent => c.accent,
        () if response.hovered() => c.border_strong,
        () => c.border,
    };
    ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let ink = if filled { c.text } else { c.text_3 };
    grid::name(ui, field, 8.0, field.width() - 8.0 - room, words, ink);
    paint_icon(ui.painter(), pos2(field.right() - 13.0, field.center().y), icons::CARET_DOWN, 13.0, c.text_2);
    icons::focus_ring(ui, &response, field, radius::FIELD);
    response
}
