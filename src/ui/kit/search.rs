//! The search field: a glass, words, and a cross that clears them.

use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{radius, stroke};
use egui::{Rect, Response, Sense, Stroke, StrokeKind, Ui, UiBuilder, pos2, vec2};

const HEIGHT: f32 = 26.0;

/// Adds it, `width` wide. `hint` is shown while it is empty and is its name for the ear.
pub fn search_field(ui: &mut Ui, text: &mut String, hint: &str, width: f32) -> Response {
    let theme = Theme::of(ui);
    let c = theme.color;
    let (rect, _) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::hover());
    ui.painter().rect_filled(rect, radius::FIELD, c.field);
    paint_icon(ui.painter(), pos2(rect.left() + 14.0, rect.center().y), icons::MAGNIFYING_GLASS, 14.0, c.text_3);
    let inner = Rect::from_min_max(pos2(rect.left() + 26.0, rect.top()), pos2(rect.right() - 24.0, rect.bottom()));
    let edit = egui::TextEdit::singleline(text)
        .id(ui.make_persistent_id(("search", hint)))
        .frame(egui::Frame::NONE)
        .font(Text::Body.font())
        .hint_text(Text::Body.rich(hint).color(c.text_3))
        .align(egui::Align2::LEFT_CENTER)
        .margin(vec2(0.0, 2.0))
        .desired_width(inner.width());
    let mut response = ui.put(inner, edit).accessible_name(hint);
    if !text.is_empty() {
        let place = Rect::from_center_size(pos2(rect.right() - 13.0, rect.center().y), vec2(24.0, 24.0));
        let mut child = ui.new_child(UiBuilder::new().max_rect(place));
        let name = theme.tr("common.clear_search");
        if (IconButton { icon_size: 13.0, ..IconButton::new(icons::X, &name) }).show(&mut child).clicked() {
            text.clear();
            response.mark_changed();
        }
    }
    let (width, edge) = match () {
        () if response.has_focus() => (stroke::FOCUS, c.focus),
        () if response.hovered() => (stroke::EDGE, c.border_strong),
        () => (stroke::EDGE, c.border),
    };
    ui.painter().rect_stroke(rect, radius::FIELD, Stroke::new(width, edge), StrokeKind::Inside);
    response
}
