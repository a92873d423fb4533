//! What the artist asks of the program: files in and out.

use super::dialogs::Purpose;
use super::files::Arrived;
use super::{App, sample};
use crate::ui::Request;
use std::path::{Path, PathBuf};

impl App {
    /// Does what was asked of the program.
    pub(super) fn request(&mut self, request: Request, ctx: &egui::Context) {
        match request {
            Request::OpenDialog => self.dialogs.ask(Purpose::Open, "", ctx),
            Request::ImportDialog => self.dialogs.ask(Purpose::Import, "", ctx),
            Request::OpenPath(path) => self.open_path(path, ctx),
            Request::OpenSample => {
                self.files.cancel();
                self.session = sample();
                self.files.opened(None, ctx);
                self.picture.show(self.session.character());
            }
            Request::CancelOpening => self.files.cancel(),
            Request::Reload => {
                self.files.ignore_change();
                if let Some(path) = self.files.character().map(Path::to_path_buf) {
                    self.files.open(path, true, None, ctx);
                }
            }
            Request::IgnoreChange => self.files.ignore_change(),
            Request::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Request::QuitAnyway => {
                self.session.mark_saved();
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Request::StayOpen => self.asks_to_close = false,
            Request::ForgetRecent => self.files.forget_recent(),
            Request::ExportDialog(_) | Request::Save | Request::SaveAs | Request::OpenRules | Request::SaveRules(_) => {
            }
        }
    }

    /// Takes what threads, dialogs and the window's drop target have brought since the last frame.
    pub(super) fn take_news(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.iter().next().map(|f| f.path().to_path_buf()));
        if let Some(path) = dropped {
            self.open_path(path, ctx);
        }
        while let Some((purpose, path)) = self.dialogs.chosen() {
            match purpose {
                Purpose::Open | Purpose::Import => self.open_path(path, ctx),
                Purpose::Export | Purpose::SaveProject | Purpose::OpenRules | Purpose::SaveRules(_) => {}
            }
        }
        if let Some(arrived) = self.files.arrived() {
            self.take_character(arrived, ctx);
        }
    }

    /// Whether the window may close without losing anything.
    pub(super) fn may_close(&self) -> bool {
        !self.session.history().is_dirty()
    }

    fn open_path(&mut self, path: PathBuf, ctx: &egui::Context) {
        self.files.open(path, false, None, ctx);
    }

    fn take_character(&mut self, arrived: Arrived, ctx: &egui::Context) {
        match arrived.result {
            Err(diagnostics) => {
                for diagnostic in diagnostics {
                    self.session.messages_mut().push(diagnostic);
                }
            }
            Ok(opened) if arrived.reload => {
                for diagnostic in opened.diagnostics {
                    self.session.messages_mut().push(diagnostic);
                }
                let lost = self.session.replace_character(opened.character);
                self.picture.show(self.session.character());
                if !lost.is_empty() {
                    self.session.messages_mut().warn(format!("these bones are gone: {}", lost.join(", ")));
                }
            }
            Ok(opened) => {
                self.adopt(opened);
                self.files.opened(Some(arrived.path), ctx);
            }
        }
    }
}
