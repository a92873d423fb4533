//! A field for a name.

use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{radius, stroke};
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Align2, Color32, Frame, Key, Rect, Response, Stroke, StrokeKind, Ui, vec2};

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Renamed {
    /// It goes on, or never began.
    NotYet,
    /// With Esc.
    No,
    /// With Enter, or by leaving it: to this, without spaces around it. It may be empty.
    To(String),
}

/// A field for a name in a place that was allocated elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct NameField<'a> {
    /// What it is called for the ear.
    pub name: &'a str,
    /// Shown while nothing is typed.
    pub hint: &'a str,
    /// Its edge.
    pub edge: Color32,
    /// Whether it takes the keyboard, with all that stands there selected.
    pub fresh: bool,
}

/// Gives a text field the keyboard, with all of its text selected, so that typing replaces the text.
pub fn focus_all(field: &Response, text: &str) {
    field.request_focus();
    let mut state = TextEditState::load(&field.ctx, field.id).unwrap_or_default();
    let end = CCursor::new(text.chars().count());
    state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), end)));
    state.store(&field.ctx, field.id);
}

impl NameField<'_> {
    /// Shows it.
    pub fn show(self, ui: &mut Ui, field: Rect, text: &mut String) -> (Response, Renamed) {
        let fill = Theme::of(ui).color.field;
        ui.painter().rect(field, radius::FIELD, fill, Stroke::new(stroke::EDGE, self.edge), StrokeKind::Inside);
        let edit = egui::TextEdit::singleline(text)
            .id_salt(("name", self.name))
            .frame(Frame::NONE)
            .font(Text::Body.font())
            .margin(vec2(0.0, 2.0))
            .hint_text(self.hint)
            .align(Align2::LEFT_CENTER)
            .desired_width(field.width() - 14.0);
        let response = ui.put(field.shrink2(vec2(7.0, 0.0)), edit).accessible_name(self.name);
        if self.fresh {
            focus_all(&response, text);
            return (response, Renamed::NotYet);
        }
        let renamed = match () {
            () if !response.lost_focus() => Renamed::NotYet,
            () if ui.input(|i| i.key_pressed(Key::Escape)) => Renamed::No,
            () => Renamed::To(text.trim().to_owned()),
        };
        (response, renamed)
    }
}
