//! A row of a list as a text field, to give its thing another name.

use crate::ui::Cx;
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, radius, size, stroke};
use egui::{Align2, Key, Sense, Stroke, StrokeKind, Ui, vec2};

/// What is being named, and what was typed so far.
#[derive(Debug)]
pub(super) struct Renaming<T> {
    pub(super) id: T,
    /// The name that it had.
    was: String,
    text: String,
    fresh: bool,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Renamed {
    /// It goes on.
    NotYet,
    /// With Esc, or with nothing.
    No,
    /// To this.
    To(String),
}

impl<T> Renaming<T> {
    /// Begins with the present name.
    pub(super) fn new(id: T, name: &str) -> Self {
        Self { id, was: name.to_owned(), text: name.to_owned(), fresh: true }
    }

    /// Whether its field was not shown yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// Whether it is still about the thing that has this name now; an empty name is that of nothing.
    pub(super) fn is_about(&self, name: &str) -> bool {
        self.was == name
    }

    /// Shows the field. Enter or leaving it renames, Esc does not.
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &Cx<'_>) -> Renamed {
        let c = cx.theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
        let field = rect.shrink2(vec2(SPACE[3], 1.0)).with_min_x(rect.left() + 34.0);
        ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, c.accent), StrokeKind::Inside);
        let edit = egui::TextEdit::singleline(&mut self.text)
            .id_salt("rename")
            .frame(egui::Frame::NONE)
            .font(Text::Body.font())
            .margin(vec2(6.0, 2.0))
            .align(Align2::LEFT_CENTER)
            .desired_width(field.width());
        let response = ui.put(field, edit).accessible_name(cx.tr("chain.rename").as_ref());
        if std::mem::take(&mut self.fresh) {
            response.request_focus();
            return Renamed::NotYet;
        }
        if !response.lost_focus() {
            return Renamed::NotYet;
        }
        let text = self.text.trim();
        if ui.input(|i| i.key_pressed(Key::Escape)) || text.is_empty() {
            Renamed::No
        } else {
            Renamed::To(text.to_owned())
        }
    }
}
