use crate::stage::{CameraPreset, CameraView};
use crate::tr;
use crate::ui::kit::i18n::Lang;
use crate::ui::kit::theme::Theme;
use crate::ui::prefs::Prefs;
use crate::ui::presets::PresetUiState;
use crate::vmc::{LiveStatus, ReceiverOptions};
use egui::{Rect, Shape, Ui};
use std::borrow::{Borrow, Cow};
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;
use std::sync::Arc;
use yuremono_format::animated_image::{AnimatedImageFormat, frame_spacing};
use yuremono_format::tables::{FileKind, has_extension};
use yuremono_model::document::{
    ChainId, ColliderId, Document, Edit, EditLabel, ListCurveId, ListKind, Node, System, SystemId,
};
use yuremono_model::exchange::{DocumentComparison, ExportOptions};
use yuremono_model::feel::convert::motion_fit::MotionFitResult;
use yuremono_model::feel::preset::Preset;
use yuremono_model::tools::components;
use yuremono_model::tools::elements::ElementId;
use yuremono_model::tools::paste::CopiedChain;
use yuremono_session::{
    BakeOptions, BakedFormat, BakedMotion, ClippingFindings, ClippingReport, Command, Inspection, JointQuantity,
    Motion, MotionFindings, Playback, Selection, Session, SweepSubject,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::diagnostics::{Diagnostic, MessageText};
use yuremono_sim::params::{ParamId, ParamMeaning};
use yuremono_sim::rig::Character;
use yuremono_sim::{FeelParam, SolverKind, TestWind};

/// Returns the shape that draws the character into a rectangle. The camera has the aspect ratio of the rectangle. The
/// flags select the drawn meshes. Returns `None` without a GPU.
pub type DrawCharacter<'a> = dyn Fn(Rect, CameraView, &[bool]) -> Option<Shape> + 'a;

/// Whether this is a page in a browser: without paths, without a network and without other programs that read its files.
pub const IS_PAGE: bool = cfg!(target_arch = "wasm32");

/// The input from which the window draws one frame.
pub struct UiInput<'a> {
    pub session: &'a Session,
    pub file: FileView<'a>,
    pub draw_character: &'a DrawCharacter<'a>,
    /// Minimum and maximum corner of the drawn character in the rest pose, in metres.
    pub bounds: Option<[glam::Vec3; 2]>,
    /// Wall-clock time of one simulation step, in seconds.
    pub step_seconds: f64,
    pub picture: PictureStatus,
    /// The search for parameters that keep the motion when chains switch to another solver.
    pub motion_fit: TaskStatus<'a, MotionFitResult>,
    /// The bake of the present motion, or its result.
    pub bake: TaskStatus<'a, BakeResult>,
    /// The search for clipping, or its result.
    pub clipping: TaskStatus<'a, ClippingResult>,
    /// The motions that the Doctor plays, or what the Doctor has found.
    pub doctor: TaskStatus<'a, MotionFindings>,
    pub capture: CaptureView<'a>,
    pub live: LiveView<'a>,
    /// Version, system and graphics driver, one per line, for bug reports.
    pub environment: &'a str,
    /// What a drop does with the files that the pointer holds over the window.
    pub hovered_files: &'a [DropEntry],
}

/// What a drop does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropAction {
    OpenCharacter,
    /// A folder or a package of Unity.
    OpenUnityProject,
    OpenProject,
    AddMotion,
    ImportTable,
    /// The kind of the file is unknown, or another file of the same drop is opened.
    Ignore,
}

/// Files of one drop with the same action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropEntry {
    pub action: DropAction,
    /// The name of the first file.
    pub file_name: String,
    /// Number of files.
    pub count: usize,
}

/// The measured speed of the viewport.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PictureStatus {
    /// Pictures per second; `None` if the picture does not move.
    pub per_second: Option<f64>,
    /// Whether the picture is drawn with less than full resolution, because this computer is too slow.
    pub is_reduced: bool,
}

/// Progress of work on another thread.
#[derive(Debug, Default)]
pub enum TaskStatus<'a, T> {
    #[default]
    Idle,
    /// Completed share, 0..=1.
    Running(f32),
    Finished(&'a T),
}

impl<T> Clone for TaskStatus<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TaskStatus<'_, T> {}

/// A baked motion, or why there is none.
pub type BakeResult = Result<Arc<BakedMotion>, Vec<Diagnostic>>;

/// Found clipping, or why nothing can be checked.
pub type ClippingResult = Result<Arc<ClippingFindings>, MessageText>;

/// State of live motion.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveView<'a> {
    /// The options and the state of the receiver. `None` if nothing listens.
    pub receiver: Option<(&'a ReceiverOptions, &'a LiveStatus)>,
    /// Duration of the live motion that can be saved, in seconds.
    pub recorded_seconds: f64,
    /// Why the receiver did not start.
    pub receiver_problem: Option<&'a MessageText>,
    /// The port to which poses are sent.
    pub sends_to: Option<u16>,
    /// Why the sender did not start.
    pub sender_problem: Option<&'a MessageText>,
}

/// State of the capture of the viewport.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureView<'a> {
    /// Whether this frame is captured, so it shows only the character and its overlays.
    pub is_active: bool,
    /// Whether this frame is captured without overlays.
    pub hides_overlays: bool,
    pub clip: Option<ClipProgress<'a>>,
}

impl CaptureView<'_> {
    pub const fn is_recording(&self) -> bool {
        matches!(self.clip, Some(ClipProgress::Recording { .. }))
    }
}

#[derive(Clone, Copy, Debug)]
pub enum ClipProgress<'a> {
    Recording { captured: u32, count: u32 },
    Writing { name: &'a str, share: f32 },
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

impl fmt::Debug for UiInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("file", &self.file).finish_non_exhaustive()
    }
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

#[derive(Debug, Default)]
pub struct UiOutput {
    pub commands: Vec<Command>,
    pub requests: Vec<AppRequest>,
}

/// A tab of the drawer below the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawerTab {
    Curves,
    Graph,
    Presets,
    Doctor,
    Messages,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutlinerTab {
    Bones,
    #[default]
    Chains,
    Colliders,
    Meshes,
}

impl OutlinerTab {
    /// All tabs in display order, with their names.
    pub const ALL: [(Self, MessageText); 4] = [
        (Self::Chains, message!("Chains")),
        (Self::Bones, message!("Bones")),
        (Self::Colliders, message!("Colliders")),
        (Self::Meshes, message!("Meshes")),
    ];
}

/// State that panels share between frames.
#[derive(Debug, Default)]
pub struct UiState {
    /// Preferences, which are saved between runs.
    pub prefs: Prefs,
    /// The curve that the drawer shows.
    pub shown_curve: Option<CurveRef>,
    /// The open tab. `None` if the drawer is closed.
    pub drawer_tab: Option<DrawerTab>,
    /// Key and effect of mouse gestures for the status line; cleared every frame.
    pub mouse_hints: Vec<(String, String)>,
    /// Visibility per mesh. Meshes beyond the end of the list are as in the file.
    pub mesh_visibility: Vec<bool>,
    pub dialogs_to_open: Vec<DialogKind>,
    /// Whether the viewport must frame the selection, or everything if nothing is selected.
    pub frame_wanted: bool,
    pub camera_wanted: Option<CameraPreset>,
    /// Point that the viewport must look at, and direction from the point to the eye, in world space.
    pub view_direction_wanted: Option<[glam::Vec3; 2]>,
    /// The viewport in the last frame, in points. `None` before the first frame.
    pub viewport_rect: Option<Rect>,
    /// The test wind that the artist chose last, also while it is off.
    pub wind: TestWind,
    /// The last choices in the clip dialog.
    pub clip_options: Option<ClipOptions>,
    /// What joints are coloured by. Not saved between runs.
    pub color_by: ColorBy,
    /// Hides all overlays, including the selection. Not saved between runs.
    pub overlays_hidden: bool,
    /// The history state at which the artist showed the hints again.
    pub hints_restored_at: Option<u64>,
    pub outliner_tab: OutlinerTab,
    pub search_focus_wanted: bool,
    /// The file that *Next motion* loaded last.
    pub next_motion_file: Option<PathBuf>,
    /// The search in the list of motions.
    pub motion_search: String,
    /// The element for which the outliner opens a name field.
    pub rename_wanted: Option<ElementId>,
    /// The inspector row under the pointer; cleared every frame.
    pub highlight: Option<Highlight>,
    /// Width that dialogs cover at the left of the screen, in points. The rest is free for the character.
    pub covered_left: f32,
    /// Lines that an open dialog draws in the viewport; cleared every frame.
    pub overlay_lines: Vec<OverlayLine>,
    /// Frames that an open dialog marks on the timeline; cleared every frame.
    pub timeline_marks: Option<TimelineMarks>,
    /// Caption of the preview above the character.
    pub preview_caption: String,
    pub presets: PresetUiState,
    pub copied_chain: Option<CopiedChain>,
    /// Text for the system clipboard. If the clipboard is empty, the system sends no paste event.
    pub clipboard_text: Option<String>,
}

impl UiState {
    /// Adds the visibility in the file for meshes beyond the end of the list.
    pub fn complete_mesh_visibility(&mut self, character: &Character) {
        let known = self.mesh_visibility.len();
        self.mesh_visibility.extend(character.meshes.iter().skip(known).map(|mesh| !mesh.is_hidden));
    }
}

/// What the joints in the viewport are coloured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// The usual colours of bones.
    #[default]
    None,
    /// A parameter or a measured value, on a scale of colours.
    Quantity(JointQuantity),
    /// The cause that moves the tip most, in the colours of the arrows.
    StrongestCause,
}

/// A line or an outline that a dialog draws over the character.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayLine {
    /// Points in world space, in metres.
    pub points: Vec<glam::Vec3>,
    /// Radius of a capsule outline along the points, in metres; 0 draws a line.
    pub radius: f32,
    pub kind: OverlayLineKind,
    /// Label at the first point.
    pub label: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayLineKind {
    Source,
    Target,
    Link,
    CurrentLink,
    Plane,
    ProposedCollider,
    /// The mirror image of a file's colliders and pivots under the chosen mirror axis.
    ChosenMirror,
    /// The mirror image of the same objects under the other mirror axis.
    OtherMirror,
    /// A joint that passes through the body.
    Clipping,
}

/// Marked frames of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineMarks {
    pub motion: Motion,
    /// Duration of the motion at the speed of the session.
    pub seconds: f64,
    pub repeats: bool,
    /// Time between two frames, in seconds.
    pub spacing: f64,
    /// Time in seconds and height of each mark, 0 to 1.
    pub marks: Vec<(f64, f32)>,
}

impl TimelineMarks {
    /// Marks the frames with clipping. Returns `None` for a motion with a single frame.
    pub fn of(report: &ClippingReport) -> Option<Self> {
        let clipping = report.frames.iter().filter(|frame| frame.points > 0);
        let deepest = report.depth().max(f32::MIN_POSITIVE);
        Some(Self {
            motion: report.motion,
            seconds: report.seconds,
            repeats: report.repeats,
            spacing: report.frames.get(1)?.seconds,
            marks: clipping.map(|frame| (frame.seconds, frame.depth / deepest)).collect(),
        })
    }
}

/// The elements that the viewport highlights for the hovered row of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highlight {
    /// Everything that parameters of this meaning affect, for example hit radii, limits or arrows.
    Meaning(ParamMeaning),
    Collider(ColliderId),
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

/// The input of every panel.
pub struct UiContext<'a> {
    pub input: &'a UiInput<'a>,
    pub theme: Theme,
    pub output: UiOutput,
    pub state: &'a mut UiState,
}

impl<'a> UiContext<'a> {
    /// Whether the artist or a recorded clip hides all overlays.
    pub const fn hides_overlays(&self) -> bool {
        self.state.overlays_hidden || self.input.capture.hides_overlays
    }

    pub fn session(&self) -> &'a Session {
        self.input.session
    }

    pub fn character(&self) -> &'a Arc<Character> {
        self.session().character()
    }

    pub fn document(&self) -> &'a Document {
        self.session().document()
    }

    pub fn inspection(&self) -> Inspection<'a> {
        self.session().inspection()
    }

    pub fn playback(&self) -> &'a Playback {
        self.session().playback()
    }

    pub fn selection(&self) -> &'a Selection {
        self.session().selection()
    }

    pub fn command(&mut self, command: Command) {
        self.output.commands.push(command);
    }

    /// Edits the current component.
    pub fn edit_system(&mut self, label: EditLabel, change: impl FnOnce(&mut System)) {
        if let Some((edit, label)) =
            components::labeled_system_edit(self.document(), self.inspection().system_id(), label, change)
        {
            self.apply_edit(edit, label);
        }
    }

    pub fn apply_edit(&mut self, edit: Edit, label: EditLabel) {
        self.command(Command::ApplyEdit(edit, label));
    }

    pub fn request(&mut self, request: AppRequest) {
        self.output.requests.push(request);
    }

    /// Sets the hints of the status line while the pointer is over the panel of `ui`: keys or mouse buttons, each with
    /// its effect.
    pub fn set_mouse_hints(&mut self, ui: &Ui, hints: &[(MessageText, MessageText)]) {
        if ui.rect_contains_pointer(ui.max_rect()) {
            let text = |text: &MessageText| self.tr(text).into_owned();
            self.state.mouse_hints = hints.iter().map(|(key, effect)| (text(key), text(effect))).collect();
        }
    }

    pub fn tr(&self, text: impl Borrow<MessageText>) -> Cow<'static, str> {
        self.theme.tr(text)
    }
}

impl fmt::Debug for UiContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx").field("output", &self.output).finish_non_exhaustive()
    }
}

/// A curve along a chain, or a curve of an entry of a component list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveRef {
    Param(ParamId),
    Feel(FeelParam),
    Component(ComponentCurveRef),
}

/// A curve of a component. The nodes identify the entry, so the reference survives reordering of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentCurveRef {
    system: SystemId,
    list: ListKind,
    curve_index: usize,
    /// Hash of the nodes of the entry, and the index among entries with the same hash.
    entry_hash: u64,
    occurrence: usize,
}

impl CurveRef {
    /// Creates a reference to a curve of the current component.
    pub fn component(session: &Session, of: ListCurveId) -> Self {
        let entries = entry_hashes(session, of.list);
        let names = entries.get(of.entry).copied().unwrap_or_default();
        let nth = entries.iter().take(of.entry).filter(|other| **other == names).count();
        Self::Component(ComponentCurveRef {
            system: session.inspection().system_id(),
            list: of.list,
            curve_index: of.curve,
            entry_hash: names,
            occurrence: nth,
        })
    }
}

impl ComponentCurveRef {
    /// Returns the position in the current component. Returns `None` for another component or a deleted entry.
    pub fn resolve(self, session: &Session) -> Option<ListCurveId> {
        if self.system != session.inspection().system_id() {
            return None;
        }
        let entries = entry_hashes(session, self.list);
        let mut same = entries.iter().enumerate().filter(|(_, names)| **names == self.entry_hash);
        same.nth(self.occurrence).map(|(entry, _)| ListCurveId { list: self.list, entry, curve: self.curve_index })
    }

    pub fn list_and_curve(self) -> (ListKind, usize) {
        (self.list, self.curve_index)
    }
}

/// Returns a hash of the nodes of each entry. If the list holds a single entry, the hash is 0, so the node may change.
fn entry_hashes(session: &Session, side: ListKind) -> Vec<u64> {
    let names = |entry: &Vec<Node>| {
        let mut hasher = DefaultHasher::new();
        entry.hash(&mut hasher);
        hasher.finish()
    };
    let entries = session.inspection().system().component_lists.entries(side);
    entries.iter().map(|entry| if side.is_single() { 0 } else { names(entry) }).collect()
}
