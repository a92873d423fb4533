//! The file dialogs of the system or the browser. On the desktop, each dialog runs on its own thread, so the character
//! keeps moving.
//!
//! On a system without file dialogs, a dialog returns as if it was cancelled, but faster than a user can cancel. A
//! hanging dialog service never returns. In both cases the user can type a path instead: see [`FileRequest`].

use crate::ui::{DocumentId, FilePurpose, IS_PAGE};
#[cfg(not(target_arch = "wasm32"))]
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;
use web_time::Instant;
use yuremono_format::tables::FileKind;

/// A dialog that closes faster was not cancelled by a user.
const MIN_CANCEL_TIME: Duration = Duration::from_millis(400);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FileRequest {
    pub(super) purpose: FilePurpose,
    /// The folder that the dialog shows first, joined with a suggested name if a file is written.
    pub(super) suggested_path: PathBuf,
    /// The document for which the path is asked. A file is written only while this document is open.
    pub(super) document: DocumentId,
}

/// The result of a dialog.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum DialogAnswer {
    Chosen(FileRequest, PathBuf),
    /// The system has no dialogs.
    Unavailable(FileRequest),
}

/// The open dialogs, and the results of closed dialogs.
#[derive(Debug)]
pub(super) struct FileDialogs {
    sender: Sender<ClosedDialog>,
    receiver: Receiver<ClosedDialog>,
    open: usize,
}

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
    /// Returns a system without file dialogs, so that every path is typed.
    #[cfg(test)]
    pub(super) fn unavailable() -> Self {
        Self { open: 1, ..Self::default() }
    }

    /// Opens a dialog. Returns the request if another dialog is open: that dialog may hang, so the user must type a
    /// path.
    #[expect(
        clippy::disallowed_methods,
        reason = "the duration distinguishes a cancelled dialog from a system without dialogs"
    )]
    pub(super) fn open(&mut self, request: FileRequest, ctx: &egui::Context) -> Result<(), FileRequest> {
        if !may_open(self.open) {
            return Err(request);
        }
        self.open += 1;
        let (sender, ctx, since) = (self.sender.clone(), ctx.clone(), Instant::now());
        run_dialog(request, move |request, chosen| {
            // A browser always has dialogs.
            let open_for = if IS_PAGE { MIN_CANCEL_TIME } else { since.elapsed() };
            // Sending fails if the window was closed.
            let _ = sender.send(ClosedDialog { request, chosen, open_for });
            ctx.request_repaint();
        });
        Ok(())
    }

    /// Returns the next answer since the last call.
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

/// Returns `None` if the user cancelled.
fn answer(ClosedDialog { request, chosen, open_for }: ClosedDialog) -> Option<DialogAnswer> {
    match chosen {
        Some(path) => Some(DialogAnswer::Chosen(request, path)),
        None => (open_for < MIN_CANCEL_TIME).then_some(DialogAnswer::Unavailable(request)),
    }
}

/// Returns whether a dialog can be opened while others are open.
fn may_open(open: usize) -> bool {
    #[cfg(not(target_arch = "wasm32"))]
    {
        open == 0 && system_has_dialogs()
    }
    // Some browsers do not report that a dialog was cancelled.
    #[cfg(target_arch = "wasm32")]
    {
        let _ = open;
        true
    }
}

/// Returns whether the system can show a file dialog. On Linux, a dialog needs the session bus for a portal, or `zenity`.
/// Without both, a dialog fails only after a while, as if the user had cancelled.
#[cfg(not(target_arch = "wasm32"))]
fn system_has_dialogs() -> bool {
    if cfg!(not(target_os = "linux")) {
        return true;
    }
    let runtime_folder = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let has_bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty())
        || runtime_folder.is_some_and(|folder| folder.join("bus").exists());
    has_bus || std::env::var_os("PATH").is_some_and(|folders| contains_program(&folders, "zenity"))
}

/// Returns whether a list of folders contains a program.
#[cfg(not(target_arch = "wasm32"))]
fn contains_program(folders: &OsStr, name: &str) -> bool {
    std::env::split_paths(folders).any(|folder| folder.join(name).is_file())
}

/// Opens a dialog of the browser, and reports the path of the file in memory. A cancelled dialog is reported as if it had
/// been open for long.
#[cfg(target_arch = "wasm32")]
fn run_dialog(request: FileRequest, report: impl FnOnce(FileRequest, Option<PathBuf>) + 'static) {
    use super::browser;
    let name = request.suggested_path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let written = request.purpose.written_extension();
    let is_written_at_once = matches!(request.purpose, FilePurpose::SaveProject | FilePurpose::Export(_));
    let extensions = filter_of(&request.purpose).1;
    let report = move |path: Option<PathBuf>| report(request, path);
    match written {
        Some(extension) if is_written_at_once => browser::choose_target(&name, extension, report),
        // The file becomes a download.
        Some(_) => report(Some(Path::new("/").join(name))),
        None => browser::choose_file(extensions, report),
    }
}

/// Opens a dialog of the system on a thread, and reports the chosen path.
#[cfg(not(target_arch = "wasm32"))]
fn run_dialog(request: FileRequest, report: impl FnOnce(FileRequest, Option<PathBuf>) + Send + 'static) {
    std::thread::spawn(move || {
        let chosen = show_dialog(&request);
        report(request, chosen);
    });
}

#[cfg(not(target_arch = "wasm32"))]
fn show_dialog(FileRequest { purpose, suggested_path, .. }: &FileRequest) -> Option<PathBuf> {
    let mut dialog = rfd::FileDialog::new();
    if let Some(folder) = suggested_path.parent().filter(|p| p.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    let name = suggested_path.file_name().unwrap_or_default().to_string_lossy();
    let (filter, extensions) = filter_of(purpose);
    match purpose.written_extension() {
        Some(extension) => dialog.add_filter(filter, &[extension]).set_file_name(name).save_file(),
        None if *purpose == FilePurpose::OpenRules => dialog.add_filter(filter, &extensions).pick_file(),
        None => dialog.add_filter(filter, &extensions).add_filter("All files", &["*"]).pick_file(),
    }
}

/// Returns the name of the files of a dialog, and the extensions of the files that can be opened.
fn filter_of(purpose: &FilePurpose) -> (String, Vec<&'static str>) {
    let upper = purpose.written_extension().unwrap_or_default().to_uppercase();
    let (filter, extensions) = match purpose {
        FilePurpose::Open => ("Characters and projects", file_extensions(&FileKind::ALL)),
        FilePurpose::LocateCharacter => ("Characters", file_extensions(&[FileKind::Character])),
        FilePurpose::LoadMotion => ("Motions", file_extensions(&[FileKind::Motion, FileKind::Character])),
        FilePurpose::Import => ("CSV and JSON", file_extensions(&[FileKind::Table])),
        FilePurpose::Export(_) | FilePurpose::ExportLive(_) | FilePurpose::SavePicture | FilePurpose::SaveClip(_) => {
            (&*upper, Vec::new())
        }
        FilePurpose::SaveProject => ("Yuremono project", Vec::new()),
        FilePurpose::SaveCharacter(_) | FilePurpose::SaveCharacterLive(_) => ("Character", Vec::new()),
        FilePurpose::SaveBaked(..) | FilePurpose::SaveLiveMotion => ("Animation", Vec::new()),
        FilePurpose::CompareWith => {
            let kinds = [FileKind::Project, FileKind::Table, FileKind::Character];
            ("Projects, CSV, JSON and characters", file_extensions(&kinds))
        }
        FilePurpose::OpenRules => ("Rules", vec!["json"]),
        FilePurpose::SaveRules(_) => ("Rules", Vec::new()),
        FilePurpose::SaveContactSheet => ("PNG", Vec::new()),
    };
    (filter.to_owned(), extensions)
}

fn file_extensions(kinds: &[FileKind]) -> Vec<&'static str> {
    kinds.iter().flat_map(|kind| kind.extensions()).copied().collect()
}

/// Makes a typed path absolute: `~` is the home folder, and relative paths start in the current folder.
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
        let asked = FileRequest {
            purpose: FilePurpose::SaveProject,
            suggested_path: PathBuf::from("/a/girl.yure"),
            document: DocumentId(0),
        };
        ClosedDialog { request: asked, chosen: chosen.map(PathBuf::from), open_for: after }
    }

    #[test]
    fn a_dialog_that_closes_at_once_counts_as_unavailable() {
        let asked = closed(None, Duration::ZERO).request;
        assert_eq!(answer(closed(None, Duration::from_millis(20))), Some(DialogAnswer::Unavailable(asked)));
        assert_eq!(answer(closed(None, Duration::from_secs(2))), None);
        let asked = closed(None, Duration::ZERO).request;
        let chosen = DialogAnswer::Chosen(asked, PathBuf::from("/a/b.yure"));
        assert_eq!(answer(closed(Some("/a/b.yure"), Duration::ZERO)), Some(chosen));
    }

    #[test]
    fn a_program_is_found_in_the_folders_of_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let folders = std::env::join_paths([Path::new("/no/such/folder"), folder.path()]).expect("a list");
        assert!(!contains_program(&folders, "zenity"));
        std::fs::write(folder.path().join("zenity"), "").expect("written");
        assert!(contains_program(&folders, "zenity"));
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
