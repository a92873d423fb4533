//! The system's file dialogs, each on a thread of its own so that the character keeps moving.
//!
//! A system without them answers as if the artist had cancelled, only faster than anyone can; one whose dialog service
//! hangs never answers. Both leave the artist a path to type: see [`Asked`].

use crate::exchange::ExportOptions;
use crate::format::tables::FileKind;
use crate::ui::PathFor;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// No artist cancels a dialog before it is on the screen.
const NOBODY_IS_THAT_FAST: Duration = Duration::from_millis(400);

/// What a dialog was opened for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Purpose {
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

impl Purpose {
    /// What the window that asks for a path in place of a dialog is told.
    pub(super) fn path_for(&self) -> PathFor {
        match self {
            Self::Open => PathFor::Open,
            Self::LoadMotion => PathFor::LoadMotion,
            Self::Import => PathFor::Import,
            Self::Export(_) => PathFor::Export,
            Self::SaveProject => PathFor::SaveProject,
            Self::SaveCharacter(_) => PathFor::SaveCharacter,
            Self::OpenRules => PathFor::OpenRules,
            Self::SaveRules(_) => PathFor::SaveRules,
        }
    }

    /// The ending of what is written; `None`: it reads.
    pub(super) fn writes(&self) -> Option<&'static str> {
        match self {
            Self::Export(options) => Some(options.format.ending()),
            Self::SaveProject => Some("yure"),
            Self::SaveRules(_) => Some("json"),
            Self::SaveCharacter(ending) => Some(ending),
            Self::Open | Self::LoadMotion | Self::Import | Self::OpenRules => None,
        }
    }
}

/// What a dialog is to ask.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// What for.
    pub(super) purpose: Purpose,
    /// Where it begins, if known, with the proposed name where something is written.
    pub(super) suggested: PathBuf,
}

/// What came of a dialog.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    /// A file was chosen.
    Chosen(Purpose, PathBuf),
    /// There is no dialog on this system.
    NoDialog(Asked),
}

/// Dialogs that are open, and what was chosen in those that were.
#[derive(Debug)]
pub(super) struct Dialogs {
    sender: Sender<Closed>,
    receiver: Receiver<Closed>,
    open: usize,
}

/// A dialog that is gone.
#[derive(Debug)]
struct Closed {
    asked: Asked,
    chosen: Option<PathBuf>,
    after: Duration,
}

impl Default for Dialogs {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver, open: 0 }
    }
}

impl Dialogs {
    /// Asks for a file. A second dialog is not opened over the first: the first may never have come, so what was to be
    /// asked comes back.
    #[expect(clippy::disallowed_methods, reason = "how long it took tells a cancel from a system without dialogs")]
    pub(super) fn ask(&mut self, asked: Asked, ctx: &egui::Context) -> Result<(), Asked> {
        if self.open > 0 {
            return Err(asked);
        }
        self.open += 1;
        let (sender, ctx) = (self.sender.clone(), ctx.clone());
        std::thread::spawn(move || {
            let since = Instant::now();
            let chosen = choose(&asked);
            // The window may be gone by now.
            let _ = sender.send(Closed { asked, chosen, after: since.elapsed() });
            ctx.request_repaint();
        });
        Ok(())
    }

    /// What came of a dialog since the last call.
    pub(super) fn answer(&mut self) -> Option<Answer> {
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
fn answer(Closed { asked, chosen, after }: Closed) -> Option<Answer> {
    match chosen {
        Some(path) => Some(Answer::Chosen(asked.purpose, path)),
        None => (after < NOBODY_IS_THAT_FAST).then_some(Answer::NoDialog(asked)),
    }
}

fn choose(Asked { purpose, suggested }: &Asked) -> Option<PathBuf> {
    let mut dialog = rfd::FileDialog::new();
    if let Some(folder) = suggested.parent().filter(|p| p.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    let name = suggested.file_name().unwrap_or_default().to_string_lossy();
    match purpose {
        Purpose::Open => dialog
            .add_filter("Characters and projects", &endings(&FileKind::ALL))
            .add_filter("All files", &["*"])
            .pick_file(),
        Purpose::LoadMotion => {
            let motions = endings(&[FileKind::Motion, FileKind::Character]);
            dialog.add_filter("Motions", &motions).add_filter("All files", &["*"]).pick_file()
        }
        Purpose::Import => {
            dialog.add_filter("CSV and JSON", FileKind::Table.endings()).add_filter("All files", &["*"]).pick_file()
        }
        Purpose::Export(options) => {
            let ending = options.format.ending();
            dialog.add_filter(ending.to_uppercase(), &[ending]).set_file_name(name).save_file()
        }
        Purpose::SaveProject => dialog.add_filter("Yuremono project", &["yure"]).set_file_name(name).save_file(),
        Purpose::SaveCharacter(ending) => dialog.add_filter("Character", &[*ending]).set_file_name(name).save_file(),
        Purpose::OpenRules => dialog.add_filter("Rules", &["json"]).pick_file(),
        Purpose::SaveRules(_) => dialog.add_filter("Rules", &["json"]).set_file_name(name).save_file(),
    }
}

fn endings(kinds: &[FileKind]) -> Vec<&'static str> {
    kinds.iter().flat_map(|kind| kind.endings()).copied().collect()
}

/// What an artist types: `~` is home, and the rest begins in the current folder.
pub(super) fn typed(path: &Path, home: Option<PathBuf>) -> PathBuf {
    let path = match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_path_buf(),
    };
    std::path::absolute(&path).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(chosen: Option<&str>, after: Duration) -> Closed {
        let asked = Asked { purpose: Purpose::SaveProject, suggested: PathBuf::from("/a/girl.yure") };
        Closed { asked, chosen: chosen.map(PathBuf::from), after }
    }

    #[test]
    fn a_dialog_that_is_gone_at_once_was_never_there() {
        let asked = closed(None, Duration::ZERO).asked;
        assert_eq!(answer(closed(None, Duration::from_millis(20))), Some(Answer::NoDialog(asked)));
        assert_eq!(answer(closed(None, Duration::from_secs(2))), None);
        let chosen = Answer::Chosen(Purpose::SaveProject, PathBuf::from("/a/b.yure"));
        assert_eq!(answer(closed(Some("/a/b.yure"), Duration::ZERO)), Some(chosen));
    }

    #[test]
    fn home_is_where_the_tilde_leads() {
        let home = || Some(PathBuf::from("/home/me"));
        assert_eq!(typed(Path::new("~/art/a.vrm"), home()), Path::new("/home/me/art/a.vrm"));
        assert_eq!(typed(Path::new("~a/b.vrm"), home()), std::path::absolute("~a/b.vrm").expect("a current folder"));
        assert_eq!(typed(Path::new("/a/~"), home()), Path::new("/a/~"));
    }
}
