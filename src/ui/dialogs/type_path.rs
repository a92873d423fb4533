//! Takes a path: for pasted ones, and where the system has no file dialog, or none that answers.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Press, in_middle};
use crate::ui::kit::text_field::{TextField, select_from};
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{Cx, PathFor, Request};
use egui::{Context, Key, Rect, Sense, Ui, vec2};
use std::path::PathBuf;

/// What was typed, and what for.
#[derive(Debug, Default)]
pub(super) struct TypePath {
    text: String,
    asked_for_keyboard: bool,
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

    fn note_key(&self) -> &'static str {
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
}

impl Dialog for TypePath {
    fn title_key(&self) -> &'static str {
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

    fn place(&self, ctx: &Context, _cx: &Cx<'_>) -> Rect {
        in_middle(ctx, vec2(560.0, 188.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        let c = cx.theme.color;
        ui.add_space(space::XL);
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let width = ui.available_width() - space::XL;
            let (rect, _) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::hover());
            let (name, hint) = (cx.tr("type_path.name"), cx.tr("type_path.hint"));
            let response = TextField { hint: &hint, ..TextField::new(&name) }.show(ui, rect, &mut self.text);
            if !std::mem::replace(&mut self.asked_for_keyboard, true) {
                // Typing replaces a folder that is suggested, and goes on after a name that is.
                let begin = if self.writes() { self.text.chars().count() } else { 0 };
                select_from(&response, &self.text, begin);
            }
            if response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
                out.press = Some(Press::Apply);
            }
        });
        ui.add_space(space::S);
        ui.horizontal(|ui| {
            ui.add_space(space::XL);
            let color = if self.is_taken() { c.warning } else { c.text_3 };
            ui.add(egui::Label::new(Text::Small.rich(cx.tr(self.note_key())).color(color)).wrap());
        });
        // Esc closes at once, also from the field.
        if ui.input(|i| i.key_pressed(Key::Escape)) {
            out.press = Some(Press::Close);
        }
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        let go = DialogButton::apply(cx.tr(self.verb()), self.path().is_some());
        let here = self.may_be_written().then(|| DialogButton::extra(cx.tr("type_path.write")));
        [Some(go), here, Some(DialogButton::cancel(cx))].into_iter().flatten().collect()
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(path) = self.path() else { return DialogResult::Open };
        cx.request(if self.asked_for.is_some() { Request::UsePath(path) } else { Request::OpenPath(path) });
        DialogResult::Closed
    }

    fn extra(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let Some(path) = self.path() else { return DialogResult::Open };
        cx.request(Request::WritePath(path));
        DialogResult::Closed
    }
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
        assert_eq!((typed.verb(), typed.note_key()), ("type_path.replace", "type_path.taken"));
        typed.text = "/a/hair2.csv".to_owned();
        assert_eq!((typed.verb(), typed.note_key()), ("type_path.save", "type_path.note_write"));
    }

    #[test]
    fn only_tables_and_projects_may_be_written_where_nothing_was_asked_for() {
        let may = |text: &str| TypePath { text: text.to_owned(), ..TypePath::default() }.may_be_written();
        assert_eq!(["/a.yure", "b.CSV", "/a.vrm", "/a", ""].map(may), [true, true, false, false, false]);
    }
}
