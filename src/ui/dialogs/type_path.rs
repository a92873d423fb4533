//! Takes a path: for pasted ones, and where the system has no file dialog, or none that answers.

use super::small::place;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, radius, size, stroke};
use crate::ui::kit::{button, frame};
use crate::ui::{Cx, PathFor, Request};
use egui::{Context, Key, Sense, Stroke, StrokeKind, Ui, vec2};
use std::path::PathBuf;

/// What was typed, and what for.
#[derive(Debug, Default)]
pub(super) struct TypePath {
    text: String,
    asked_for_keyboard: bool,
    entered: bool,
    /// Stands in for a dialog; `None`: it was asked for itself, and opens or writes whatever is typed.
    asked_for: Option<PathFor>,
    /// A path that was typed to write to, where there is a file already.
    taken: Option<PathBuf>,
}

impl TypePath {
    /// One that asks what a file dialog would have asked.
    pub(super) fn instead_of_dialog(asked_for: PathFor, suggested: &str, taken: Option<PathBuf>) -> Self {
        Self { text: suggested.to_owned(), asked_for: Some(asked_for), taken, ..Self::default() }
    }

    /// Whether it asks what a file dialog would have asked.
    pub(super) fn is_instead_of_dialog(&self) -> bool {
        self.asked_for.is_some()
    }

    /// Draws it; whether it is done.
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> bool {
        let title = cx.tr(self.title());
        let at = place(ctx, vec2(560.0, 188.0));
        let mut state = (self, cx);
        let (mut left, mut write) = (false, false);
        let output = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut state,
            |ui, (this, cx)| this.body_ui(ui, cx),
            |ui, (this, cx)| {
                let any = this.path().is_some();
                let [go, here, cancel] = [this.verb(), "type_path.write", "common.cancel"].map(|key| cx.tr(key));
                this.entered |= button::primary(&go).enabled(any).show(ui).clicked();
                if this.may_be_written() {
                    write = button::secondary(&here).show(ui).clicked();
                }
                left = button::secondary(&cancel).show(ui).clicked();
            },
        );
        let (this, cx) = state;
        let escape = ctx.input(|i| i.key_pressed(Key::Escape));
        let path = this.path().filter(|_| write || this.entered || output.applied);
        this.entered = false;
        if let Some(path) = path {
            cx.request(match this.asked_for {
                _ if write => Request::WritePath(path),
                Some(_) => Request::UsePath(path),
                None => Request::OpenPath(path),
            });
            return true;
        }
        output.closed || left || escape
    }

    fn title(&self) -> &'static str {
        match self.asked_for {
            None | Some(PathFor::Open) => "type_path.title",
            Some(PathFor::LoadMotion) => "type_path.load_motion",
            Some(PathFor::Import) => "type_path.import",
            Some(PathFor::Export) => "type_path.export",
            Some(PathFor::SaveProject) => "type_path.save_project",
            Some(PathFor::SaveCharacter) => "type_path.save_character",
            Some(PathFor::OpenRules) => "type_path.open_rules",
            Some(PathFor::SaveRules) => "type_path.save_rules",
        }
    }

    fn writes(&self) -> bool {
        matches!(
            self.asked_for,
            Some(PathFor::Export | PathFor::SaveProject | PathFor::SaveCharacter | PathFor::SaveRules)
        )
    }

    /// Whether the typed path is where a file is that nobody has agreed to replace.
    fn is_taken(&self) -> bool {
        self.taken.is_some() && self.taken == self.path()
    }

    fn verb(&self) -> &'static str {
        match self.writes() {
            true if self.is_taken() => "type_path.replace",
            true => "type_path.save",
            false => "type_path.open",
        }
    }

    fn note(&self) -> &'static str {
        match self.asked_for {
            _ if self.is_taken() => "type_path.taken",
            None => "type_path.note",
            Some(_) if self.writes() => "type_path.note_write",
            Some(_) => "type_path.note_read",
        }
    }

    /// Whether a project or a table may be written to what was typed for nothing in particular.
    fn may_be_written(&self) -> bool {
        let path = self.path().filter(|_| self.asked_for.is_none());
        let ending = path.and_then(|p| p.extension().map(|e| e.to_string_lossy().to_lowercase()));
        ending.is_some_and(|e| e == "yure" || e == "csv")
    }

    /// The path, without the quotes and the scheme that file managers put around it.
    fn path(&self) -> Option<PathBuf> {
        let text = self.text.trim().trim_matches(['"', '\'']);
        let text = text.strip_prefix("file://").map_or_else(|| text.to_owned(), from_uri);
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
                .margin(vec2(0.0, 2.0))
                .desired_width(width - 2.0 * SPACE[3]);
            let response =
                ui.put(rect.shrink2(vec2(SPACE[3], 0.0)), edit).accessible_name(cx.tr("type_path.name").as_ref());
            if !std::mem::replace(&mut self.asked_for_keyboard, true) {
                response.request_focus();
                let begin = if self.writes() { self.text.chars().count() } else { 0 };
                select_from(ui.ctx(), response.id, &self.text, begin);
            }
            crate::ui::kit::icons::focus_ring(ui, &response, rect, radius::FIELD);
            self.entered = response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        });
        ui.add_space(SPACE[2]);
        ui.horizontal(|ui| {
            ui.add_space(SPACE[5]);
            let color = if self.is_taken() { c.warning } else { c.text_3 };
            ui.add(egui::Label::new(Text::Small.rich(cx.tr(self.note())).color(color)).wrap());
        });
    }
}

/// Selects a text to its end: typing replaces a folder that is suggested, and goes on after a name that is.
fn select_from(ctx: &Context, id: egui::Id, text: &str, begin: usize) {
    let [begin, end] = [begin, text.chars().count()].map(egui::text::CCursor::new);
    let mut state = egui::text_edit::TextEditState::load(ctx, id).unwrap_or_default();
    state.cursor.set_char_range(Some(egui::text::CCursorRange::two(begin, end)));
    state.store(ctx, id);
}

/// The path of a `file:` address: what is written as `%20` there is a space. Wrong escapes stay as they are.
fn from_uri(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut path = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = address.get(at + 1..at + 3).filter(|d| bytes[at] == b'%' && !d.starts_with('+'));
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        path.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(path).unwrap_or_else(|_| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_scheme_are_no_part_of_a_path() {
        let path = |text: &str| TypePath { text: text.to_owned(), ..TypePath::default() }.path();
        assert_eq!(path("  \"/a b/c.vrm\" "), Some(PathBuf::from("/a b/c.vrm")));
        assert_eq!(path("file:///a/c.vrm"), Some(PathBuf::from("/a/c.vrm")));
        assert_eq!(path("file:///a%20b/%E6%9D%B1.vrm"), Some(PathBuf::from("/a b/東.vrm")));
        assert_eq!(path("file:///100%/50%zz/東%"), Some(PathBuf::from("/100%/50%zz/東%")));
        assert_eq!(path("/a%20b.vrm"), Some(PathBuf::from("/a%20b.vrm")));
        assert_eq!(path("  "), None);
    }

    #[test]
    fn a_file_in_the_way_is_named_until_another_path_is_typed() {
        let taken = Some(PathBuf::from("/a/hair.csv"));
        let mut typed = TypePath::instead_of_dialog(PathFor::Export, "/a/hair.csv", taken);
        assert_eq!((typed.verb(), typed.note()), ("type_path.replace", "type_path.taken"));
        typed.text = "/a/hair2.csv".to_owned();
        assert_eq!((typed.verb(), typed.note()), ("type_path.save", "type_path.note_write"));
    }

    #[test]
    fn only_tables_and_projects_may_be_written_where_nothing_was_asked_for() {
        let may = |text: &str| TypePath { text: text.to_owned(), ..TypePath::default() }.may_be_written();
        assert_eq!(["/a.yure", "b.CSV", "/a.vrm", "/a", ""].map(may), [true, true, false, false, false]);
    }
}
