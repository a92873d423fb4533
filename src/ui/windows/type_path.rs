//! Takes a path, for systems without a file dialog and for pasted paths.

use super::small::place;
use crate::ui::theme::Text;
use crate::ui::tokens::{SPACE, radius, size, stroke};
use crate::ui::widgets::{button, frame};
use crate::ui::{Cx, Request};
use egui::{Context, Key, Sense, Stroke, StrokeKind, Ui, vec2};
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Default)]
pub(super) struct TypePath {
    text: String,
    asked_for_keyboard: bool,
    entered: bool,
}

impl TypePath {
    /// Draws it; whether it is done.
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> bool {
        let title = cx.tr("type_path.title");
        let at = place(ctx, vec2(560.0, 188.0));
        let mut state = (self, cx);
        let mut left = false;
        let output = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut state,
            |ui, (this, cx)| this.body_ui(ui, cx),
            |ui, (this, cx)| {
                let any = this.path().is_some();
                let (open, cancel) = (cx.tr("type_path.open"), cx.tr("common.cancel"));
                this.entered |= button::primary(&open).enabled(any).show(ui).clicked();
                left = button::secondary(&cancel).show(ui).clicked();
            },
        );
        let (this, cx) = state;
        let escape = ctx.input(|i| i.key_pressed(Key::Escape));
        let path = this.path().filter(|_| this.entered || output.applied);
        this.entered = false;
        if let Some(path) = path {
            cx.request(Request::OpenPath(path));
            return true;
        }
        output.closed || left || escape
    }

    /// The path, without the quotes and the scheme that file managers put around it.
    fn path(&self) -> Option<PathBuf> {
        let text = self.text.trim().trim_matches(['"', '\'']);
        let text = text.strip_prefix("file://").unwrap_or(text);
        (!text.is_empty()).then(|| PathBuf::from(text))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>) {
        let c = cx.theme.color;
        ui.add_space(SPACE[5]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            let width = ui.available_width() - SPACE[5];
            let (rect, _) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::hover());
            ui.painter().rect(
                rect,
                radius::FIELD,
                c.field,
                Stroke::new(stroke::EDGE, c.border_strong),
                StrokeKind::Inside,
            );
            let hint = cx.tr("type_path.hint");
            let edit = egui::TextEdit::singleline(&mut self.text)
                .id_salt("path")
                .frame(egui::Frame::NONE)
                .font(Text::Body.font())
                .hint_text(Text::Body.rich(&*hint).color(c.text_3))
                .align(egui::Align2::LEFT_CENTER)
                .margin(vec2(SPACE[3], 2.0))
                .desired_width(width);
            let response = ui.put(rect, edit).accessible_name(cx.tr("type_path.name").as_ref());
            if !std::mem::replace(&mut self.asked_for_keyboard, true) {
                response.request_focus();
            }
            crate::ui::icons::focus_ring(ui, &response, rect, radius::FIELD);
            self.entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        });
        ui.add_space(SPACE[2]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            ui.label(Text::Small.rich(cx.tr("type_path.note")).color(c.text_3));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_scheme_are_no_part_of_a_path() {
        let path = |text: &str| TypePath { text: text.to_owned(), ..TypePath::default() }.path();
        assert_eq!(path("  \"/a b/c.vrm\" "), Some(PathBuf::from("/a b/c.vrm")));
        assert_eq!(path("file:///a/c.vrm"), Some(PathBuf::from("/a/c.vrm")));
        assert_eq!(path("  "), None);
    }
}
