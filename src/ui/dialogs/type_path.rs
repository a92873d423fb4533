//! A text field for a pasted path. Systems without a working file dialog also use this field.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle};
use crate::tr;
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::text_field::{TextField, select_text_from};
use crate::ui::kit::theme::TextSize;
use crate::ui::{AppRequest, FilePurpose, UiContext};
use egui::{Context, Rect, Ui, vec2};
use std::path::PathBuf;
use yuremono_sim::diagnostics::{MessageText, message};

#[derive(Debug, Default)]
pub(super) struct TypePathDialog {
    text: String,
    requested_focus: bool,
    /// The purpose of the file dialog that this dialog replaces. `None` opens or writes the typed path.
    purpose: Option<FilePurpose>,
    /// The typed path, if a file exists at this path.
    existing_path: Option<PathBuf>,
}

impl TypePathDialog {
    pub(super) fn instead_of_dialog(purpose: FilePurpose, suggested: &str, existing_path: Option<PathBuf>) -> Self {
        Self { text: suggested.to_owned(), purpose: Some(purpose), existing_path, ..Self::default() }
    }

    /// Returns whether the typed path is for a file of the open document.
    pub(super) const fn writes_document(&self) -> bool {
        self.purpose.is_some()
    }

    fn is_for_writing(&self) -> bool {
        self.purpose.as_ref().is_some_and(|purpose| purpose.written_extension().is_some())
    }

    /// Returns whether the typed file exists and the artist has not confirmed the overwrite.
    fn needs_overwrite(&self) -> bool {
        self.existing_path.is_some() && self.existing_path == self.parsed_path()
    }

    fn button_text(&self) -> MessageText {
        match self.is_for_writing() {
            true if self.needs_overwrite() => message!("Replace"),
            true => message!("Save"),
            false => message!("Open"),
        }
    }

    fn note_text(&self) -> MessageText {
        match self.purpose {
            _ if self.needs_overwrite() => {
                message!("A file with this name already exists. Replace it, or type another path.")
            }
            None => {
                message!("Character (.vrm, .glb, .gltf, .fbx), motion (.vrma, .bvh, .vmd), project, CSV or JSON setup")
            }
            Some(_) if self.is_for_writing() => {
                message!("No file dialog is available. Type the path to write to; its folder must exist.")
            }
            Some(_) => message!("No file dialog is available. Type the path of the file."),
        }
    }

    /// Returns whether the typed path names a project or a table. Yuremono can write these files even if the dialog has
    /// no purpose.
    fn may_be_written(&self) -> bool {
        let path = self.parsed_path().filter(|_| self.purpose.is_none());
        let ending = path.and_then(|p| p.extension().map(|e| e.to_string_lossy().to_lowercase()));
        ending.is_some_and(|e| e == "yure" || e == "csv")
    }

    /// Returns the path without the quotes and the scheme that file managers add.
    fn parsed_path(&self) -> Option<PathBuf> {
        let text = self.text.trim().trim_matches(['"', '\'']);
        let text = text.strip_prefix("file://").map_or_else(|| text.to_owned(), path_from_uri);
        (!text.is_empty()).then(|| PathBuf::from(text))
    }
}

impl Dialog for TypePathDialog {
    fn title_text(&self) -> MessageText {
        match self.purpose {
            None | Some(FilePurpose::Open) => message!("Type a path"),
            Some(FilePurpose::LocateCharacter) => message!("Locate character: type its path"),
            Some(FilePurpose::LoadMotion) => message!("Load motion: type its path"),
            Some(FilePurpose::Import) => message!("Import CSV or JSON: type its path"),
            Some(FilePurpose::Export(_) | FilePurpose::ExportLive(_)) => message!("Export CSV or JSON: type a path"),
            Some(FilePurpose::SaveProject) => message!("Save project: type a path"),
            Some(FilePurpose::SaveCharacter(_) | FilePurpose::SaveCharacterLive(_)) => {
                message!("Save into VRM: type a path")
            }
            Some(FilePurpose::SaveBaked(..)) => message!("Save animation: type a path"),
            Some(FilePurpose::SaveLiveMotion) => message!("Save live motion: type a path"),
            Some(FilePurpose::SaveContactSheet) => message!("Save contact sheet: type a path"),
            Some(FilePurpose::OpenRules) => message!("Open rules: type their path"),
            Some(FilePurpose::CompareWith) => message!("Compare with a file: type its path"),
            Some(FilePurpose::SavePicture) => message!("Save picture: type a path"),
            Some(FilePurpose::SaveClip(_)) => message!("Save clip: type a path"),
            Some(FilePurpose::SaveRules(_)) => message!("Save rules: type a path"),
        }
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(640.0, 176.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        property_rows(ui, |ui| {
            let hint = tr!(cx, "/home/me/character.vrm");
            let field = TextField { hint: &hint, ..TextField::new("") };
            let response = PropertyRow::new(&tr!(cx, "File path")).text(ui, field, &mut self.text);
            if !std::mem::replace(&mut self.requested_focus, true) {
                // Typed text replaces a suggested folder, but extends a suggested file name.
                let begin = if self.is_for_writing() { self.text.chars().count() } else { 0 };
                select_text_from(&response, &self.text, begin);
            }
            let c = cx.theme.color;
            let color = if self.needs_overwrite() { c.warning } else { c.text_3 };
            ui.add(egui::Label::new(TextSize::Small.rich(cx.tr(self.note_text())).color(color)).wrap());
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let go = DialogButton::apply(cx.tr(self.button_text()), self.parsed_path().is_some());
        let here = self.may_be_written().then(|| DialogButton::secondary(tr!(cx, "Save here")));
        [Some(go), here, Some(DialogButton::cancel(cx))].into_iter().flatten().collect()
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(path) = self.parsed_path() else { return DialogResult::Open };
        cx.request(if self.purpose.is_some() { AppRequest::UseTypedPath(path) } else { AppRequest::OpenPath(path) });
        DialogResult::Closed
    }

    fn secondary_action(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let Some(path) = self.parsed_path() else { return DialogResult::Open };
        cx.request(AppRequest::WriteTypedPath(path));
        DialogResult::Closed
    }
}

/// Returns the path of a `file:` URI, percent-decoded. Invalid escapes stay unchanged.
fn path_from_uri(address: &str) -> String {
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
    use yuremono_format::DEFAULT_FORMAT;
    use yuremono_model::exchange::ExportOptions;

    #[test]
    fn path_is_read_without_quotes_and_file_scheme() {
        let path = |text: &str| TypePathDialog { text: text.to_owned(), ..TypePathDialog::default() }.parsed_path();
        assert_eq!(path("  \"/a b/c.vrm\" "), Some(PathBuf::from("/a b/c.vrm")));
        assert_eq!(path("file:///a/c.vrm"), Some(PathBuf::from("/a/c.vrm")));
        assert_eq!(path("file:///a%20b/%E6%9D%B1.vrm"), Some(PathBuf::from("/a b/東.vrm")));
        assert_eq!(path("file:///100%/50%zz/東%"), Some(PathBuf::from("/100%/50%zz/東%")));
        assert_eq!(path("/a%20b.vrm"), Some(PathBuf::from("/a%20b.vrm")));
        assert_eq!(path("  "), None);
    }

    #[test]
    fn overwrite_is_offered_until_another_path_is_typed() {
        let taken = Some(PathBuf::from("/a/hair.csv"));
        let mut typed = TypePathDialog::instead_of_dialog(
            FilePurpose::Export(ExportOptions::new(DEFAULT_FORMAT)),
            "/a/hair.csv",
            taken,
        );
        assert_eq!(
            (typed.button_text(), typed.note_text()),
            (message!("Replace"), message!("A file with this name already exists. Replace it, or type another path."))
        );
        typed.text = "/a/hair2.csv".to_owned();
        assert_eq!(
            (typed.button_text(), typed.note_text()),
            (
                message!("Save"),
                message!("No file dialog is available. Type the path to write to; its folder must exist.")
            )
        );
    }

    #[test]
    fn without_a_purpose_only_tables_and_projects_may_be_written() {
        let may = |text: &str| TypePathDialog { text: text.to_owned(), ..TypePathDialog::default() }.may_be_written();
        assert_eq!(["/a.yure", "b.CSV", "/a.vrm", "/a", ""].map(may), [true, true, false, false, false]);
    }
}
