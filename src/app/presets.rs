//! The artist's own presets, in the folder of the user's data.

use super::App;
use crate::document::Label;
use crate::feel::preset::Preset;
use crate::format::{preset_folder, shelf};
use crate::report::{Diagnostic, Place};
use crate::session::{Command, Said};
use crate::ui::Shelf;
use std::path::PathBuf;

/// Where they lie; `None` on a system that has no such place.
pub fn folder() -> Option<PathBuf> {
    eframe::storage_dir(super::ID).map(|data| data.join("presets"))
}

impl App {
    /// Reads them; what is wrong with a file is told once, and the others are in use.
    pub(super) fn read_presets(&mut self) {
        let (own, said) = folder().map(|folder| preset_folder::read(&folder)).unwrap_or_default();
        self.ui.shared_mut().presets.put(Shelf { built_in: shelf::built_in(), own });
        let new: Vec<Diagnostic> = said.iter().filter(|said| !self.presets_said.contains(said)).cloned().collect();
        self.say(new);
        self.presets_said = said;
    }

    pub(super) fn save_preset(&mut self, preset: &Preset, replaces: bool) {
        let name = preset.name.get(self.ui.prefs().lang == crate::ui::kit::words::Lang::Ja).to_owned();
        let Some(folder) = folder() else {
            return self.session.handle(Command::Report(Diagnostic::warning(
                Place::default(),
                "this system names no folder for a user's data",
            )));
        };
        match preset_folder::keep(&folder, preset, replaces) {
            Ok(_) => self.told("save_preset", name),
            Err(said) => self.say(vec![said]),
        }
        self.read_presets();
    }

    pub(super) fn delete_preset(&mut self, key: &str, name: String) {
        let Some(folder) = folder() else { return };
        match preset_folder::delete(&folder, key) {
            Ok(()) => self.told("delete_preset", name),
            Err(said) => self.say(vec![said]),
        }
        self.read_presets();
    }

    fn told(&mut self, what: &'static str, name: String) {
        self.session.handle(Command::Say(Said::Done(Label::new(what, 1).name(name))));
    }
}
