//! Below the table: why the current row leads where it leads, and the next best bones.

use super::Names;
use crate::ui::Cx;
use crate::ui::dialogs::table;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::meter::confidence_bar;
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::SPACE;
use egui::{Align2, Rect, Sense, Ui, pos2, vec2};

/// Height of the strip.
pub(super) const HEIGHT: f32 = 128.0;
const LINE: f32 = 24.0;

impl Names {
    pub(super) fn reason_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let c = cx.theme.color;
        let Some(row) = self.current.filter(|row| *row < self.plan.entries.len()) else { return };
        let all = ui.max_rect().shrink2(vec2(SPACE[4], SPACE[3]));
        let middle = all.left() + 0.5 * all.width();
        let entry = self.plan.entries[row].clone();
        let target = Self::target_name(cx, entry.target);
        let heading = match target {
            Some(name) => name.to_owned(),
            None => cx.tr_with("windows.names.why_none", &[("name", &entry.source)]),
        };
        let room = middle - all.left() - SPACE[4];
        let why = if target.is_some() { self.why_words(cx, &entry).0 } else { String::new() };
        let parts = [(&*heading, Text::Strong, c.text), ("  ", Text::Small, c.text_2), (&*why, Text::Small, c.text_2)];
        let title = paint::line_of(ui, &parts, room);
        paint::galley_left(ui.painter(), pos2(all.left(), all.top() + 9.0), title);
        let left = Rect::from_min_size(pos2(all.left(), all.top() + 20.0), vec2(room, LINE));
        if target.is_some() {
            let scores = &entry.scores;
            let bars = [
                ("name", Some(scores.name)),
                ("place", scores.place),
                ("depth", scores.depth),
                ("parent", scores.parent),
            ];
            for (i, (key, score)) in bars.into_iter().enumerate() {
                let line = left.translate(vec2(0.0, 22.0 * i as f32));
                score_ui(ui, cx, line, key, score);
            }
        } else {
            let words = cx.tr("windows.names.none_hint");
            let galley = ui.painter().layout(words.into_owned(), Text::Small.font(), c.text_2, room);
            ui.painter().galley(left.min + vec2(0.0, 4.0), galley, c.text_2);
        }
        self.others_ui(ui, cx, row, Rect::from_min_max(pos2(middle, all.top()), all.max));
    }

    fn others_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, row: usize, place: Rect) {
        let c = cx.theme.color;
        let others = self.plan.entries[row].others.clone();
        let heading = cx.tr("windows.names.others");
        let at = pos2(place.left(), place.top() + 9.0);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, &heading, Text::Strong, c.text);
        if others.is_empty() {
            let at = pos2(place.left(), place.top() + 32.0);
            let words = cx.tr("windows.names.no_others");
            let galley = paint::elided(ui, &words, Text::Small, c.text_2, place.width());
            paint::galley_left(ui.painter(), at, galley);
        }
        for (i, (bone, sure)) in others.into_iter().take(3).enumerate() {
            let Some(name) = Self::target_name(cx, Some(bone)) else { continue };
            let line = Rect::from_min_size(
                pos2(place.left(), place.top() + 22.0 + 28.0 * i as f32),
                vec2(place.width(), 26.0),
            );
            let response = ui.interact(line, ui.scope_id().with(("other", i)), Sense::hover());
            if response.contains_pointer() {
                self.hovered = Some(bone);
                ui.painter().rect_filled(line, 4.0, c.hover);
            }
            paint_icon(ui.painter(), line.left_center() + vec2(10.0, 0.0), icons::BONE, 14.0, c.text_3);
            let percent = format!("{:.0} %", 100.0 * sure);
            let use_words = cx.tr("windows.names.use");
            let width = paint::width_of(ui, &use_words, Text::Body) + 18.0;
            let button = line.width() - width - 4.0;
            paint::text(
                ui.painter(),
                line.left_center() + vec2(button - 8.0, 0.0),
                Align2::RIGHT_CENTER,
                &percent,
                Text::Small,
                c.text_2,
            );
            table::name(ui, line, 24.0, button - 24.0 - 50.0, name, c.text);
            let mut inner = table::place(ui, line, button, width);
            let clicked = secondary(&use_words).small().width(width).show(&mut inner).clicked();
            if clicked {
                self.choose(row, Some(bone));
            }
        }
    }
}

/// One aspect: its name, a bar, and percent.
fn score_ui(ui: &mut Ui, cx: &Cx<'_>, line: Rect, key: &str, score: Option<f32>) {
    let c = cx.theme.color;
    let name = cx.tr(&format!("windows.names.score.{key}"));
    let ink = if score.is_some() { c.text_2 } else { c.text_3 };
    table::words(ui, line, 0.0, 64.0, &name, Text::Small, ink);
    let mut inner = table::place(ui, line, 70.0, 84.0);
    confidence_bar(&mut inner, &name, score, 84.0);
    let words =
        score.map_or_else(|| cx.tr("windows.names.score.unknown").into_owned(), |s| format!("{:.0} %", 100.0 * s));
    table::words(ui, line, 164.0, line.width() - 164.0, &words, Text::Small, ink);
}
