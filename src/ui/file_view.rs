//! The state of the open files, as the window shows it.

use crate::tr;
use crate::ui::kit::i18n::Lang;
use egui::{Rect, Shape};
use std::fmt;
use std::path::PathBuf;
use yuremono_model::exchange::{DocumentComparison, ExportOptions};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::Diagnostic;

/// What a drop does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropAction {
    OpenCharacter,
    /// A folder or a package of Unity.
    OpenUnityProject,
    OpenProject,
    AddMotion,
    ImportTable,
    /// The kinds of the files are known only after the drop.
    Open,
    /// The kind of the file is unknown, or another file of the same drop is opened.
    Ignore,
}

/// Files of one drop with the same action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropEntry {
    pub action: DropAction,
    /// The name of the first file; empty for [`DropAction::Open`].
    pub file_name: String,
    /// Number of files; 1 for [`DropAction::Open`], because a browser may count wrongly.
    pub count: usize,
}

/// Identifies an opened document. Each opened file is another document. An action that waits for the artist's answer is
/// carried out only for the document for which the artist was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentId(pub u64);

/// A question that blocks the window until the artist answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// The document has unsaved changes. `other` is opened after the answer; `None` closes the window.
    UnsavedChanges { other: Option<String> },
    /// Saving would overwrite changes of another program.
    ProjectChanged,
    /// Another window has this project open.
    OpenElsewhere { name: String },
    /// The springs of a character file move differently from those of the document.
    SaveChangedSprings(SpringChanges),
}

/// What differs between the springs of the document and those that a character file stores.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringChanges {
    /// Whether a VRM 0.x file gets mean values, because joints of a chain differ.
    pub has_mean_values: bool,
    pub converted: Option<ConvertedChains>,
}

/// Chains of other solvers that a character file stores as VRM springs.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvertedChains {
    pub count: usize,
    /// The other solvers.
    pub solvers: Vec<SolverKind>,
    /// Largest difference of a tip's position, in metres, in the motion that plays; in test motions if the body stands still.
    pub distance_m: f32,
    /// Largest difference of a bone's rotation in the same motion, in degrees.
    pub angle_deg: f32,
    /// Name of the chain with the largest difference of position.
    pub worst_chain: String,
}

/// State of the open files.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileView<'a> {
    /// Name of the character file, or of the sample character.
    pub name: &'a str,
    pub is_sample: bool,
    /// Name of the project file.
    pub project: Option<&'a str>,
    pub has_unsaved_changes: bool,
    pub opening: Option<OpenProgress<'a>>,
    /// The contact sheet that is drawn.
    pub contact_sheet: Option<SheetProgress<'a>>,
    pub changed_on_disk: bool,
    /// Name of the CSV or JSON file that was read or written last, if another program has changed the file since.
    pub changed_table: Option<&'a str>,
    /// State of the project file, compared with the last read or save. `Unchanged` if the artist dismissed the change.
    pub project_on_disk: DiskStatus,
    /// Recent files, newest first.
    pub recent: &'a [PathBuf],
    /// The loaded motion files, each with its number of clips. Their clips are the last clips of the character.
    pub added_motions: &'a [(PathBuf, usize)],
    /// Further motion files in the folder of the last motion file.
    pub folder_motions: &'a [PathBuf],
    /// The question that blocks the window.
    pub question: Option<&'a Question>,
    /// The open document.
    pub document: DocumentId,
    /// Files that are rewritten after each change.
    pub live_exports: &'a [LiveExport],
    pub live_exports_on: bool,
    /// Whether another window has the project open, so saving asks for another file.
    pub is_read_only: bool,
    /// Unsaved changes of a window that ended without closing, so the artist must choose.
    pub recovery: Option<RecoveryView<'a>>,
}

/// Unsaved changes of a window that ended without closing.
#[derive(Clone, Copy)]
pub struct RecoveryView<'a> {
    /// Name of the character file.
    pub character: &'a str,
    /// Name of the project file.
    pub project: Option<&'a str>,
    /// Number of unsaved edits.
    pub edits: usize,
    /// Time since the last edit, in seconds.
    pub age_seconds: u64,
    /// Number of other windows whose changes are offered next.
    pub others: usize,
    /// Whether the project file was changed after the window opened or saved it.
    pub project_changed: bool,
    /// False if the character cannot be opened.
    pub can_draw: bool,
    /// Path of the report of the crash.
    pub crash_report: Option<&'a str>,
    /// Returns the shape that draws the character with the saved or the recovered setup. Returns `None` while the
    /// character is loading and without a GPU.
    pub draw: &'a dyn Fn(Rect, RecoveryState) -> Option<Shape>,
}

impl fmt::Debug for RecoveryView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecoveryView").field("character", &self.character).finish_non_exhaustive()
    }
}

/// A file that is rewritten after each change of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveExport {
    pub path: PathBuf,
    pub name: String,
    pub kind: LiveExportKind,
    pub status: LiveExportStatus,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LiveExportKind {
    /// A CSV or JSON.
    Setup(ExportOptions),
    /// A copy of the character with the springs of the document.
    Character,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveExportStatus {
    Waiting,
    Written,
    /// The message log contains the reason.
    Failed,
}

/// How to open a project that another window has open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectAccess {
    ReadOnly,
    /// A document without a file.
    Copy,
    Cancel,
}

/// Another version of the open project.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectVersion {
    pub path: PathBuf,
    pub origin: VersionOrigin,
    /// This version compared with the open document, or why the file cannot be read.
    pub compared: Result<DocumentComparison, Vec<Diagnostic>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionOrigin {
    /// An earlier save.
    Backup { age_seconds: u64 },
    /// The project file, which another program has changed.
    Disk,
}

/// The two setups that a recovery compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryState {
    Saved,
    Recovered,
}

/// The artist's choice about unsaved changes of an ended window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryChoice {
    /// Opens the document with its file.
    Recover,
    /// Opens the document without its file.
    OpenCopy,
    /// Deletes the changes.
    Discard,
    /// Offers the changes again at the next start.
    Later,
}

impl FileView<'_> {
    /// Returns the name of the project. Without a project, returns the name of the character.
    pub fn title(&self, lang: Lang) -> String {
        match self.project {
            Some(project) if self.is_read_only => tr!(lang, "{name} (read-only)", name = project).into_owned(),
            Some(project) => project.to_owned(),
            None if self.is_sample => tr!(lang, "Sample character").into_owned(),
            None => self.name.to_owned(),
        }
    }

    /// Returns the window title, for example "● hair.yuremono – Yuremono". The dot marks unsaved changes.
    pub fn window_title(&self, lang: Lang) -> String {
        let dot = if self.has_unsaved_changes { "● " } else { "" };
        format!("{dot}{} – Yuremono", self.title(lang))
    }
}

/// State of a file on disk, compared with the last read or write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskStatus {
    #[default]
    Unchanged,
    Changed,
    Missing,
}

/// A character that is being loaded.
#[derive(Clone, Copy, Debug)]
pub struct OpenProgress<'a> {
    pub name: &'a str,
    /// Completed share, 0..=1.
    pub progress: f32,
    pub elapsed_seconds: f32,
}

/// A contact sheet that is drawn.
#[derive(Clone, Copy, Debug)]
pub struct SheetProgress<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Completed share, 0..=1.
    pub progress: f32,
}
