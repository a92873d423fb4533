//! A number that is being typed over the place where it is shown, and the field that always waits for typing.

use super::number::NumberFormat;
use super::paint;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{radius, size, stroke};
use egui::text::{CCursor, CCursorRange, CharIndex};
use egui::text_edit::TextEditState;
use egui::{Align, Align2, CursorIcon, Id, Key, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

#[derive(Clone, Debug, Default)]
struct Typed {
    text: String,
    before: String,
    frames: u8,
}

/// Whether a number is being typed for the widget `id`.
pub fn is_typing(ui: &Ui, id: Id) -> bool {
    ui.data(|d| d.get_temp::<Typed>(id)).is_some()
}

/// Opens the text field of the widget `id`, with all of the number selected.
pub fn start(ui: &Ui, id: Id, format: NumberFormat, value: f32) {
    let text = format.editable(value);
    ui.data_mut(|d| d.insert_temp(id, Typed { before: text.clone(), text, frames: 0 }));
    ui.ctx().request_repaint();
}

/// Shows the text field while a number is typed; the number once, when it was entered and differs.
/// Enter or leaving the field enters, Esc puts back.
pub fn show(ui: &mut Ui, rect: Rect, id: Id, name: &str, format: NumberFormat, shown: f32) -> Option<f32> {
    let mut typed: Typed = ui.data(|d| d.get_temp(id))?;
    typed.frames = typed.frames.saturating_add(1);
    if typed.frames == 1 {
        // The key or click that opened the field must not reach it: Enter would close it at once.
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    let fresh = typed.frames == 2;
    let c = Theme::of(ui).color;
    let edit_id = field_id(id);
    if fresh {
        ui.memory_mut(|m| m.request_focus(edit_id));
        let end = CCursor::new(CharIndex(typed.text.chars().count()));
        let mut state = TextEditState::load(ui.ctx(), edit_id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(CharIndex(0)), end)));
        state.store(ui.ctx(), edit_id);
    }
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, c.accent), StrokeKind::Inside);
    let edit = egui::TextEdit::singleline(&mut typed.text)
        .id(edit_id)
        .frame(egui::Frame::NONE)
        .font(Text::Number.font())
        .align(Align2([Align::RIGHT, Align::Center]))
        .margin(vec2(6.0, 2.0))
        .desired_width(rect.width());
    let response = ui.put(rect, edit).accessible_name(name);
    let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
    if !response.lost_focus() && (fresh || response.has_focus()) {
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    ui.data_mut(|d| d.remove_temp::<Typed>(id));
    if enter || escape {
        ui.memory_mut(|m| m.request_focus(id));
    }
    let entered = !escape && typed.text != typed.before;
    entered.then(|| format.parse(&typed.text, shown)).flatten()
}

fn field_id(id: Id) -> Id {
    id.with("typed")
}

/// An exact number in a field: click or Enter types. The new number when one was entered.
/// `accent` colours the edge of a field that belongs to something selected.
pub fn number_field(
    ui: &mut Ui,
    name: &str,
    value: Option<f32>,
    format: NumberFormat,
    width: f32,
    accent: Option<egui::Color32>,
) -> (Response, Option<f32>) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
    let id = ui.make_persistent_id(("number", name));
    let c = Theme::of(ui).color;
    let sense = if value.is_some() { Sense::click() } else { Sense::hover() };
    let response = ui.interact(rect, id, sense).on_hover_cursor(CursorIcon::Text);
    let words = value.map_or_else(|| "–".to_owned(), |v| format.text(v));
    response.widget_info(|| WidgetInfo {
        value: value.map(f64::from),
        current_text_value: Some(words.clone()),
        ..WidgetInfo::labeled(Role::SpinButton, value.is_some(), name)
    });
    let edge = accent.unwrap_or(if response.hovered() { c.border_strong } else { c.border });
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let color = if value.is_some() { c.text } else { c.text_3 };
    paint::text(ui.painter(), rect.left_center() + vec2(8.0, 0.0), Align2::LEFT_CENTER, &words, Text::Number, color);
    focus_ring(ui, &response, rect, radius::FIELD);
    let Some(value) = value else { return (response, None) };
    if response.clicked() && !is_typing(ui, id) {
        start(ui, id, format, value);
    }
    let entered = show(ui, rect, id, name, format, value);
    (response, entered)
}
