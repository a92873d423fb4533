//! One of a few choices in a row: side by side where there is room, else behind a button.

use super::name::Name;
use super::paint;
use super::toggle::segmented;
use crate::ui::kit::icons::{self, focus_ring, paint_icon};
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{radius, size, stroke};
use egui::{Color32, Popup, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Room beside the words of a segment.
const SEGMENT_PAD: f32 = 16.0;
/// Room for the caret of the button.
const CARET: f32 = 20.0;
const PAD: f32 = 8.0;

/// Adds the choice in at most `room` points; `chosen` is `None` where what it is for differs. The index that was
/// clicked. `name` is for the ear.
pub fn choice(ui: &mut Ui, name: &str, words: &[&str], chosen: Option<usize>, room: f32) -> Option<usize> {
    let wide: f32 = words.iter().map(|w| paint::width_of(ui, w, Text::Strong) + SEGMENT_PAD).sum();
    if wide <= room {
        let choices: Vec<(&str, Option<usize>)> = words.iter().map(|w| (*w, None)).collect();
        return segmented(ui, &choices, chosen.unwrap_or(usize::MAX), size::BAR);
    }
    let mixed = Theme::of(ui).tr("bar.mixed");
    let shown = chosen.and_then(|i| words.get(i).copied()).unwrap_or(&mixed);
    let button = combo(ui, name, shown, room);
    let mut clicked = None;
    Popup::menu(&button).show(|ui| {
        for (i, words) in words.iter().enumerate() {
            let item = ui.add(egui::Button::new(*words).selected(chosen == Some(i)));
            clicked = if item.clicked() { Some(i) } else { clicked };
        }
    });
    clicked
}

/// A button that shows what is chosen and opens a menu.
pub fn combo(ui: &mut Ui, name: &str, shown: &str, room: f32) -> Response {
    let width = (paint::width_of(ui, shown, Text::Body) + 2.0 * PAD + CARET).min(room);
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::click());
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(shown.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, name)
    });
    combo_at(ui, rect, &response, shown, Theme::of(ui).color.text, true);
    response
}

/// Paints such a button where it was allocated elsewhere, hatched where it has no effect. What it is for the ear, its
/// caller says.
pub fn combo_at(ui: &Ui, rect: Rect, response: &Response, shown: &str, ink: Color32, has_effect: bool) {
    let c = Theme::of(ui).color;
    let edge = if response.hovered() { c.border_strong } else { c.border };
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let words = Name::new(ui, shown, Text::Body, ink, rect.width() - PAD - CARET);
    if !has_effect {
        paint::hatch(ui.painter(), rect.shrink(1.0), c.text_3);
        let patch = Rect::from_min_size(rect.min + vec2(1.0, 1.0), vec2(words.width() + 12.0, size::BAR - 2.0));
        ui.painter().rect_filled(patch, radius::FIELD, c.field);
    }
    words.paint_left(ui.painter(), rect.left_center() + vec2(PAD, 0.0));
    words.tip(response.clone());
    paint_icon(ui.painter(), pos2(rect.right() - 12.0, rect.center().y), icons::CARET_DOWN, 12.0, c.text_2);
    focus_ring(ui, response, rect, radius::FIELD);
}
