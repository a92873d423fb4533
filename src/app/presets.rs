//! The artist's own presets, in the folder of the user's data.

use super::App;
use crate::diagnostics::{Diagnostic, Location};
use crate::document::EditLabel;
use crate::feel::preset::Preset;
use crate::format::{builtin_presets, preset_folder};
use crate::session::{Command, Message};
use crate::ui::PresetLibrary;
use std::path::PathBuf;

/// Where they lie; `None` on a system that has no such place.
pub fn user_preset_folder() -> Option<PathBuf> {
    eframe::storage_dir(super::APP_ID).map(|data| data.join("presets"))
}

impl App {
    /// Reads them; what is wrong with a file is told once, and the others are in use.
    pub(super) fn reload_presets(&mut self) {
        let (own, said) = user_preset_folder().map(|folder| preset_folder::read(&folder)).unwrap_or_default();
        self.ui
            .state_mut()
            .presets
            .set_library(PresetLibrary { built_in: builtin_presets::builtin_presets(), user: own });
        let new: Vec<Diagnostic> =
            said.iter().filter(|said| !self.reported_preset_findings.contains(said)).cloned().collect();
        self.report_all(new);
        self.reported_preset_findings = said;
    }

    pub(super) fn save_preset(&mut self, preset: &Preset, replaces: bool) {
        let name = preset.name.get(self.ui.prefs().lang == crate::ui::kit::i18n::Lang::Ja).to_owned();
        let Some(folder) = user_preset_folder() else {
            return self.session.handle(Command::AddDiagnostic(Diagnostic::warning(
                Location::default(),
                "this system names no folder for a user's data",
            )));
        };
        match preset_folder::save(&folder, preset, replaces) {
            Ok(_) => self.report_done("save_preset", name),
            Err(said) => self.report_all(vec![said]),
        }
        self.reload_presets();
    }

    pub(super) fn delete_preset(&mut self, key: &str, name: String) {
        let Some(folder) = user_preset_folder() else { return };
        match preset_folder::delete(&folder, key) {
            Ok(()) => self.report_done("delete_preset", name),
            Err(said) => self.report_all(vec![said]),
        }
        self.reload_presets();
    }

    fn report_done(&mut self, what: &'static str, name: String) {
        self.session.handle(Command::AddMessage(Message::Done(EditLabel::new(what, 1).name(name))));
    }
}
