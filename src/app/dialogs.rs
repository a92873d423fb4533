//! The system's file dialogs, each on a thread of its own so that the character keeps moving.
//!
//! A system without them answers as if the artist had cancelled, only faster than anyone can; one whose dialog service
//! hangs never answers. Both leave the artist a path to type: see [`FileRequest`].

use crate::exchange::ExportOptions;
use crate::format::tables::FileKind;
use crate::ui::PathPurpose;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// No artist cancels a dialog before it is on the screen.
const MIN_CANCEL_TIME: Duration = Duration::from_millis(400);

/// What a dialog was opened for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DialogPurpose {
    /// Open a character, project or CSV.
    Open,
    /// Load a motion onto the character.
    LoadMotion,
    /// Read a CSV.
    Import,
    /// Write the CSV.
    Export(ExportOptions),
    /// Write the project.
    SaveProject,
    /// Write the character's file with the springs in it; its ending.
    SaveCharacter(&'static str),
    /// Read remap rules.
    OpenRules,
    /// Write these remap rules.
    SaveRules(Vec<u8>),
}

impl DialogPurpose {
    /// What the window that asks for a path in place of a dialog is told.
    pub(super) fn path_for(&self) -> PathPurpose {
        match self {
            Self::Open => PathPurpose::Open,
            Self::LoadMotion => PathPurpose::LoadMotion,
            Self::Import => PathPurpose::Import,
            Self::Export(_) => PathPurpose::Export,
            Self::SaveProject => PathPurpose::SaveProject,
            Self::SaveCharacter(_) => PathPurpose::SaveCharacter,
            Self::OpenRules => PathPurpose::OpenRules,
            Self::SaveRules(_) => PathPurpose::SaveRules,
        }
    }

    /// The ending of what is written; `None`: it reads.
    pub(super) fn written_extension(&self) -> Option<&'static str> {
        match self {
            Self::Export(options) => Some(options.format.extension()),
            Self::SaveProject => Some("yure"),
            Self::SaveRules(_) => Some("json"),
            Self::SaveCharacter(ending) => Some(ending),
            Self::Open | Self::LoadMotion | Self::Import | Self::OpenRules => None,
        }
    }
}

/// What a dialog is to ask.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileRequest {
    /// What for.
    pub(super) purpose: DialogPurpose,
    /// Where it begins, if known, with the proposed name where something is written.
    pub(super) suggested_path: PathBuf,
}

/// What came of a dialog.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DialogAnswer {
    /// A file was chosen.
    Chosen(DialogPurpose, PathBuf),
    /// There is no dialog on this system.
    Unavailable(FileRequest),
}

/// Dialogs that are open, and what was chosen in those that were.
#[derive(Debug)]
pub(super) struct FileDialogs {
    sender: Sender<ClosedDialog>,
    receiver: Receiver<ClosedDialog>,
    open: usize,
}

/// A dialog that is gone.
#[derive(Debug)]
struct ClosedDialog {
    request: FileRequest,
    chosen: Option<PathBuf>,
    open_for: Duration,
}

impl Default for FileDialogs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, open: 0 }
    }
}

impl FileDialogs {
    /// Asks for a file. A second dialog is not opened over the first: the first may never have come, so what was to be
    /// asked comes back.
    #[expect(clippy::disallowed_methods, reason = "how long it took tells a cancel from a system without dialogs")]
    pub(super) fn ask(&mut self, asked: FileRequest, ctx: &egui::Context) -> Result<(), FileRequest> {
        if self.open > 0 {
            return Err(asked);
        }
        self.open += 1;
        let (sender, ctx) = (self.sender.clone(), ctx.clone());
        std::thread::spawn(move || {
            let since = Instant::now();
            let chosen = run_dialog(&asked);
            // The window may be gone by now.
            let _ = sender.send(ClosedDialog { request: asked, chosen, open_for: since.elapsed() });
            ctx.request_repaint();
        });
        Ok(())
    }

    /// What came of a dialog since the last call.
    pub(super) fn answer(&mut self) -> Option<DialogAnswer> {
        while let Ok(closed) = self.receiver.try_recv() {
            self.open -= 1;
            if let Some(answer) = answer(closed) {
                return Some(answer);
            }
        }
        None
    }
}

/// `None`: the artist cancelled.
fn answer(ClosedDialog { request: asked, chosen, open_for: after }: ClosedDialog) -> Option<DialogAnswer> {
    match chosen {
        Some(path) => Some(DialogAnswer::Chosen(asked.purpose, path)),
        None => (after < MIN_CANCEL_TIME).then_some(DialogAnswer::Unavailable(asked)),
    }
}

fn run_dialog(FileRequest { purpose, suggested_path: suggested }: &FileRequest) -> Option<PathBuf> {
    let mut dialog = rfd::FileDialog::new();
    if let Some(folder) = suggested.parent().filter(|p| p.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    let name = suggested.file_name().unwrap_or_default().to_string_lossy();
    match purpose {
        DialogPurpose::Open => dialog
            .add_filter("Characters and projects", &file_extensions(&FileKind::ALL))
            .add_filter("All files", &["*"])
            .pick_file(),
        DialogPurpose::LoadMotion => {
            let motions = file_extensions(&[FileKind::Motion, FileKind::Character]);
            dialog.add_filter("Motions", &motions).add_filter("All files", &["*"]).pick_file()
        }
        DialogPurpose::Import => {
            dialog.add_filter("CSV and JSON", FileKind::Table.extensions()).add_filter("All files", &["*"]).pick_file()
        }
        DialogPurpose::Export(options) => {
            let ending = options.format.extension();
            dialog.add_filter(ending.to_uppercase(), &[ending]).set_file_name(name).save_file()
        }
        DialogPurpose::SaveProject => dialog.add_filter("Yuremono project", &["yure"]).set_file_name(name).save_file(),
        DialogPurpose::SaveCharacter(ending) => {
            dialog.add_filter("Character", &[*ending]).set_file_name(name).save_file()
        }
        DialogPurpose::OpenRules => dialog.add_filter("Rules", &["json"]).pick_file(),
        DialogPurpose::SaveRules(_) => dialog.add_filter("Rules", &["json"]).set_file_name(name).save_file(),
    }
}

fn file_extensions(kinds: &[FileKind]) -> Vec<&'static str> {
    kinds.iter().flat_map(|kind| kind.extensions()).copied().collect()
}

/// What an artist types: `~` is home, and the rest begins in the current folder.
pub(super) fn expand_typed_path(path: &Path, home: Option<PathBuf>) -> PathBuf {
    let path = match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    };
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(chosen: Option<&str>, after: Duration) -> ClosedDialog {
        let asked = FileRequest { purpose: DialogPurpose::SaveProject, suggested_path: PathBuf::from("/a/girl.yure") };
        ClosedDialog { request: asked, chosen: chosen.map(PathBuf::from), open_for: after }
    }

    #[test]
    fn a_dialog_that_closes_at_once_counts_as_unavailable() {
        let asked = closed(None, Duration::ZERO).request;
        assert_eq!(answer(closed(None, Duration::from_millis(20))), Some(DialogAnswer::Unavailable(asked)));
        assert_eq!(answer(closed(None, Duration::from_secs(2))), None);
        let chosen = DialogAnswer::Chosen(DialogPurpose::SaveProject, PathBuf::from("/a/b.yure"));
        assert_eq!(answer(closed(Some("/a/b.yure"), Duration::ZERO)), Some(chosen));
    }

    #[test]
    fn a_tilde_expands_to_the_home_folder() {
        let home = || Some(PathBuf::from("/home/me"));
        assert_eq!(expand_typed_path(Path::new("~/art/a.vrm"), home()), Path::new("/home/me/art/a.vrm"));
        assert_eq!(
            expand_typed_path(Path::new("~a/b.vrm"), home()),
            std::path::absolute("~a/b.vrm").expect("a current folder")
        );
        assert_eq!(expand_typed_path(Path::new("/a/~"), home()), Path::new("/a/~"));
    }
}
