//! Text fields for plain text, for names and for searches.

use crate::tr;
use crate::ui::kit::first_field;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{
    Align2, Color32, Frame, Key, Margin, Rect, Response, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2, pos2, vec2,
};

const SEARCH_HEIGHT: f32 = 26.0;

#[derive(Clone, Copy, Debug)]
pub struct TextField<'a> {
    /// Accessible name.
    pub name: &'a str,
    /// Placeholder text.
    pub hint: &'a str,
    /// Free width at the left and right edge, in points.
    pub inset: [f32; 2],
    /// Outline colour. `None` uses the colour of the focus state.
    pub edge: Option<Color32>,
    pub max_chars: usize,
}

impl<'a> TextField<'a> {
    pub const fn new(name: &'a str) -> Self {
        Self { name, hint: "", inset: [space::M; 2], edge: None, max_chars: usize::MAX }
    }

    pub fn show(self, ui: &mut Ui, field: Rect, text: &mut String) -> Response {
        let c = Theme::of(ui).color;
        ui.painter().rect_filled(field, radius::FIELD, c.field);
        let [left, right] = self.inset;
        let inner = field.with_min_x(field.left() + left).with_max_x(field.right() - right);
        let edit = egui::TextEdit::singleline(text)
            .id(ui.make_persistent_id(("text", self.name)))
            .char_limit(self.max_chars)
            .frame(Frame::NONE)
            .font(TextSize::Body.font())
            .hint_text(TextSize::Body.rich(self.hint).color(c.text_3))
            .align(Align2::LEFT_CENTER)
            .margin(Margin::symmetric(0, 2))
            .desired_width(inner.width());
        let response = ui.put(inner, edit).accessible_name(self.name);
        if first_field::take(ui) {
            select_text_from(&response, text, 0);
        }
        let (width, edge) = match self.edge {
            Some(edge) => (stroke::EDGE, edge),
            None if response.has_focus() => (stroke::FOCUS, c.focus),
            None if response.hovered() => (stroke::EDGE, c.border_strong),
            None => (stroke::EDGE, c.border),
        };
        ui.painter().rect_stroke(field, radius::FIELD, Stroke::new(width, edge), StrokeKind::Inside);
        response
    }
}

/// Draws a search field. `hint` is the placeholder and the accessible name.
pub fn search_field(ui: &mut Ui, text: &mut String, hint: &str, width: f32) -> Response {
    let theme = Theme::of(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(width, SEARCH_HEIGHT), Sense::hover());
    let field = TextField { hint, inset: [SEARCH_HEIGHT, size::HIT_MIN], ..TextField::new(hint) };
    let mut response = field.show(ui, rect, text);
    let glass = pos2(rect.left() + 14.0, rect.center().y);
    paint_icon(ui.painter(), glass, icons::MAGNIFYING_GLASS, size::ICON_SMALL, theme.color.text_3);
    if !text.is_empty() {
        let button_rect =
            Rect::from_center_size(pos2(rect.right() - 13.0, rect.center().y), Vec2::splat(size::HIT_MIN));
        let mut child = ui.new_child(UiBuilder::new().max_rect(button_rect));
        let name = tr!(theme, "Clear search");
        if IconButton::new(icons::X, &name).tiny().show(&mut child).clicked() {
            text.clear();
            response.mark_changed();
        }
    }
    response
}

/// Focuses a text field and selects the text that starts at a given character.
pub fn select_text_from(field: &Response, text: &str, begin: usize) {
    field.request_focus();
    let mut state = TextEditState::load(&field.ctx, field.id).unwrap_or_default();
    let [begin, end] = [begin, text.chars().count()].map(CCursor::new);
    state.cursor.set_char_range(Some(CCursorRange::two(begin, end)));
    state.store(&field.ctx, field.id);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameResult {
    Editing,
    Cancelled,
    /// The trimmed text, which may be empty.
    Submitted(String),
}

#[derive(Clone, Copy, Debug)]
pub struct NameField<'a> {
    /// Accessible name.
    pub name: &'a str,
    /// Placeholder text.
    pub hint: &'a str,
    /// Outline colour. `None` uses the colour of the focus state.
    pub edge: Option<Color32>,
    /// Whether the field requests the focus and selects the whole text.
    pub takes_focus: bool,
}

impl NameField<'_> {
    pub fn show(self, ui: &mut Ui, field: Rect, text: &mut String) -> (Response, RenameResult) {
        let text_field = TextField { hint: self.hint, inset: [7.0; 2], edge: self.edge, ..TextField::new(self.name) };
        let response = text_field.show(ui, field, text);
        if self.takes_focus {
            select_text_from(&response, text, 0);
            return (response, RenameResult::Editing);
        }
        let renamed = match () {
            () if !response.lost_focus() => RenameResult::Editing,
            () if ui.input(|i| i.key_pressed(Key::Escape)) => RenameResult::Cancelled,
            () => RenameResult::Submitted(text.trim().to_owned()),
        };
        (response, renamed)
    }
}
