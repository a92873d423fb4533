//! What the window asks of the application: requests, dialogs, and the purposes of chosen files.

use crate::ui::file_view::{DocumentId, ProjectAccess, RecoveryChoice};
use crate::vmc::ReceiverOptions;
use std::collections::BTreeSet;
use std::path::PathBuf;
use yuremono_format::animated_image::{AnimatedImageFormat, frame_spacing};
use yuremono_format::tables::{FileKind, has_extension};
use yuremono_model::document::ChainId;
use yuremono_model::exchange::ExportOptions;
use yuremono_model::feel::preset::Preset;
use yuremono_session::{BakeOptions, BakedFormat, Motion, SweepSubject};
use yuremono_sim::SolverKind;

/// Requests to the application. Changes of the session are commands instead.
#[derive(Clone, Debug, PartialEq)]
pub enum AppRequest {
    OpenDialog,
    /// Opens a character, a project or a CSV, depending on the extension.
    OpenPath(PathBuf),
    OpenSample,
    /// Uses a typed path in place of a file dialog.
    UseTypedPath(PathBuf),
    /// Writes to a typed path. The extension `.csv` exports the table; any other extension saves the project.
    WriteTypedPath(PathBuf),
    /// Carries out the request if this document is still open. Otherwise refuses the request and changes nothing.
    Answer {
        document: DocumentId,
        request: Box<Self>,
    },
    CancelOpening,
    /// Asks for a .png, and draws moments of all motions into it.
    SaveContactSheet,
    CancelContactSheet,
    ReloadCharacter,
    /// Hides the notice about the changed character file.
    IgnoreCharacterChange,
    /// Opens the import dialog for the changed file.
    ReimportTable,
    /// Hides the notice about the changed CSV or JSON.
    IgnoreTableChange,
    /// Loads the animations of a file as motions of the character.
    LoadMotionDialog,
    /// Loads the animations of this file as motions of the character.
    LoadMotion(PathBuf),
    ImportDialog,
    /// Decodes the offered CSV again, with the encoding that has this label.
    ReadTableWithEncoding(&'static str),
    ExportDialog(ExportOptions),
    Save,
    SaveAs,
    /// Overwrites the project file, even if another program has changed the file.
    OverwriteProject,
    /// Reads the project file again and discards unsaved changes.
    ReloadProject,
    /// Opens the question that offers a choice between the open project and the changed file on disk.
    ShowProjectConflict,
    /// Hides the notice about the changed project file.
    IgnoreProjectChange,
    SaveCharacter,
    /// Asks for a PNG, and saves the viewport as it is shown.
    SavePicture,
    /// Asks for a GIF or PNG, and records the viewport.
    SaveClip(ClipOptions),
    /// Ends the recording or the encoding of a clip. Nothing is written.
    CancelClip,
    OpenRules,
    SaveRules(Vec<u8>),
    /// Writes a preset into the user's preset folder.
    SavePreset {
        /// Key of the preset, which is also the proposed file name.
        preset: Box<Preset>,
        /// Whether an existing preset with the same key is replaced.
        replaces: bool,
    },
    DeletePreset {
        key: String,
        name: String,
    },
    /// Searches for parameters of this solver that keep the motion of the chains.
    FitMotion(BTreeSet<ChainId>, SolverKind),
    /// Cancels the search and discards its result.
    StopMotionFit,
    /// Bakes the present motion. The result must fit into a file of this format.
    StartBake(BakeOptions, BakedFormat),
    /// Cancels the bake and discards its result.
    StopBake,
    /// Checks motions for clipping. Meshes beyond the end of `visible` are visible.
    FindClipping {
        motions: Vec<Motion>,
        visible: Vec<bool>,
    },
    /// Cancels the search for clipping and discards its result.
    StopClipping,
    /// Plays motions, and looks for joints that run away, shake or are held.
    RunDoctor {
        motions: Vec<Motion>,
    },
    /// Cancels the motions of the Doctor and discards the result.
    StopDoctor,
    /// Listens for live motion, and plays it.
    StartLive(ReceiverOptions),
    StopLive,
    /// Turns the body of the live motion by half a turn, or back.
    TurnLive(bool),
    /// Takes the present height of the sender's hips as that of an upright body.
    CalibrateLive,
    /// Asks for a file, writes the live motion of the last minute into it, and plays it.
    RecordLive,
    /// Sends the poses of the character to a port of this computer. `None` ends this.
    SendLive(Option<u16>),
    /// Asks for the file of the baked motion.
    SaveBakedDialog(BakedFormat),
    Quit,
    ProceedWithoutSaving,
    /// Cancels closing or opening.
    CancelClose,
    /// Saves springs into a character file, although they move differently there.
    SaveChangedSprings,
    ClearRecentFiles,
    ChooseRecovery(RecoveryChoice),
    /// Asks for the file of a recovered document's character.
    LocateRecoveredCharacter,
    ChooseProjectAccess(ProjectAccess),
    /// Asks for the file to compare with.
    CompareFileDialog,
    /// Asks for a CSV or JSON that is rewritten after each change.
    AddLiveSetupDialog,
    /// Asks for a character file that is rewritten after each change.
    AddLiveCharacterDialog,
    SetLiveExports(bool),
    /// Ends the export to a file. The file stays.
    RemoveLiveExport(PathBuf),
    /// Opens the dialog with the earlier saves of the project.
    ShowEarlierVersions,
    /// Opens the dialog that compares the document with the file on disk.
    CompareWithDisk,
    /// Opens an earlier save as the unsaved content of the project, or as a document without a file.
    OpenVersion {
        path: PathBuf,
        as_copy: bool,
    },
}

/// A dialog that a panel can open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogKind {
    Bake,
    LiveMotion,
    Clipping,
    DetectChains,
    Shortcuts,
    TypePath,
    About,
    Export,
    Mirror,
    BodyColliders,
    SelectByName,
    SetParent,
    PasteSpecial,
    Confirm(Confirmation),
    ComparePreset,
    SavePreset,
    DeletePreset,
    SaveClip,
    /// Lists the differences of the comparison.
    Differences,
    /// Asks for the range of a sweep.
    Sweep(SweepSubject),
    /// Lists the losses of a solver switch, then switches the solver.
    SwitchSolver(SolverKind),
}

/// Questions before destructive actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    CleanUp,
    DeleteJoints,
    DeleteColliders,
}

/// The choices of the clip dialog.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipOptions {
    pub format: AnimatedImageFormat,
    pub seconds: f32,
    /// Pictures per second.
    pub rate: f32,
    /// Whether the clip is played for ever, or once.
    pub repeats: bool,
    /// Whether the clip shows the overlays of the viewport.
    pub overlays: bool,
}

impl ClipOptions {
    /// Returns the number of pictures, and the interval between two pictures in seconds.
    pub fn spacing(&self) -> (u32, f64) {
        frame_spacing(f64::from(self.seconds), f64::from(self.rate))
    }
}

/// The purpose of a path that the artist chooses in a file dialog or types.
#[derive(Clone, Debug, PartialEq)]
pub enum FilePurpose {
    Open,
    /// Finds the moved character of a recovered document.
    LocateCharacter,
    LoadMotion,
    Import,
    Export(ExportOptions),
    SaveProject,
    /// The field holds the file extension.
    SaveCharacter(&'static str),
    /// Rewrites the file after each change.
    ExportLive(ExportOptions),
    /// Rewrites the character after each change. The field holds the file extension.
    SaveCharacterLive(&'static str),
    /// Writes the baked motion. The text is the file extension.
    SaveBaked(BakedFormat, &'static str),
    /// Writes the recorded live motion.
    SaveLiveMotion,
    /// Compares the tuning with the setup of a project, a table or a character.
    CompareWith,
    OpenRules,
    /// The field holds the bytes of the rules.
    SaveRules(Vec<u8>),
    SavePicture,
    SaveClip(ClipOptions),
    SaveContactSheet,
}

impl FilePurpose {
    /// Returns the extension of a written file. Returns `None` if the file is read.
    pub fn written_extension(&self) -> Option<&'static str> {
        match self {
            Self::Export(options) | Self::ExportLive(options) => Some(options.format.extension()),
            Self::SaveProject => Some("yure"),
            Self::SaveRules(_) => Some("json"),
            Self::SaveCharacter(ending) | Self::SaveCharacterLive(ending) | Self::SaveBaked(_, ending) => Some(ending),
            Self::SaveClip(options) => Some(options.format.extensions()[0]),
            Self::SavePicture | Self::SaveContactSheet => Some("png"),
            Self::SaveLiveMotion => Some("vrma"),
            Self::Open
            | Self::LocateCharacter
            | Self::LoadMotion
            | Self::Import
            | Self::CompareWith
            | Self::OpenRules => None,
        }
    }

    /// Returns the extensions that a written file can have. The first is the usual one.
    fn written_extensions(&self) -> Vec<&'static str> {
        let others: &[&str] = match self {
            Self::SaveClip(options) => options.format.extensions(),
            Self::SaveCharacter(_) | Self::SaveCharacterLive(_) | Self::SaveBaked(BakedFormat::Character, _) => {
                FileKind::Character.extensions()
            }
            Self::ExportLive(_) => FileKind::Table.extensions(),
            _ => &[],
        };
        self.written_extension().into_iter().chain(others.iter().copied()).collect()
    }

    /// Returns the path of the written file for a chosen path. A path with another extension than the written format
    /// gets the usual extension, so that no file has the extension of another format.
    pub fn written_path(&self, path: PathBuf) -> PathBuf {
        let Some(usual) = self.written_extension() else { return path };
        if has_extension(&path, &self.written_extensions()) { path } else { path.with_added_extension(usual) }
    }
}
