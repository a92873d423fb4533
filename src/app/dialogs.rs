//! The system's file dialogs, each on a thread of its own so that the character keeps moving.

use crate::doc::ExportOptions;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a dialog was opened for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Purpose {
    /// Open a character, project or CSV.
    Open,
    /// Read a CSV.
    Import,
    /// Write the CSV.
    Export(ExportOptions),
    /// Write the project.
    SaveProject,
    /// Read remap rules.
    OpenRules,
    /// Write these remap rules.
    SaveRules(Vec<u8>),
}

/// Dialogs that are open, and what was chosen in those that were.
#[derive(Debug)]
pub(super) struct Dialogs {
    sender: Sender<(Purpose, Option<PathBuf>)>,
    receiver: Receiver<(Purpose, Option<PathBuf>)>,
    open: usize,
}

impl Default for Dialogs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, open: 0 }
    }
}

impl Dialogs {
    /// Asks for a file; a second dialog is not opened over the first.
    pub(super) fn ask(&mut self, purpose: Purpose, suggested: &str, ctx: &egui::Context) {
        if self.open > 0 {
            return;
        }
        self.open += 1;
        let (sender, ctx, suggested) = (self.sender.clone(), ctx.clone(), suggested.to_owned());
        std::thread::spawn(move || {
            let chosen = choose(&purpose, &suggested);
            // The window may be gone by now.
            let _ = sender.send((purpose, chosen));
            ctx.request_repaint();
        });
    }

    /// A file that was chosen.
    pub(super) fn chosen(&mut self) -> Option<(Purpose, PathBuf)> {
        while let Ok((purpose, path)) = self.receiver.try_recv() {
            self.open -= 1;
            if let Some(path) = path {
                return Some((purpose, path));
            }
        }
        None
    }
}

fn choose(purpose: &Purpose, suggested: &str) -> Option<PathBuf> {
    let dialog = rfd::FileDialog::new();
    match purpose {
        Purpose::Open => dialog
            .add_filter("Characters and projects", &["vrm", "glb", "gltf", "yure", "csv"])
            .add_filter("All files", &["*"])
            .pick_file(),
        Purpose::Import => dialog.add_filter("CSV", &["csv", "txt"]).add_filter("All files", &["*"]).pick_file(),
        Purpose::Export(_) => dialog.add_filter("CSV", &["csv"]).set_file_name(suggested).save_file(),
        Purpose::SaveProject => dialog.add_filter("Yuremono project", &["yure"]).set_file_name(suggested).save_file(),
        Purpose::OpenRules => dialog.add_filter("Rules", &["json"]).pick_file(),
        Purpose::SaveRules(_) => dialog.add_filter("Rules", &["json"]).set_file_name(suggested).save_file(),
    }
}
