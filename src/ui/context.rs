use crate::document::{ChainId, ColliderId, ListCurveId, ListKind, Node, SystemId};
use crate::exchange::ExportOptions;
use crate::feel::convert::motion_fit::MotionFitResult;
use crate::feel::preset::Preset;
use crate::params::{ParamId, ParamMeaning};
use crate::session::{Command, Session};
use crate::sim::{FeelParam, SolverKind};
use crate::stage::{CameraPreset, CameraView};
use crate::tools::elements::ElementId;
use crate::tools::paste::CopiedChain;
use crate::ui::kit::i18n::{self, Lang};
use crate::ui::kit::theme::Theme;
use crate::ui::prefs::Prefs;
use crate::ui::presets::PresetUiState;
use egui::{Rect, Shape};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::PathBuf;

/// Makes the shape that draws the character into a rectangle, seen by a shot whose pane has its proportions; the flags
/// say which meshes are drawn. `None` where there is no graphics card to draw it.
pub type DrawCharacter<'a> = dyn Fn(Rect, CameraView, &[bool]) -> Option<Shape> + 'a;

/// What the window is drawn from.
pub struct UiInput<'a> {
    /// The open character.
    pub session: &'a Session,
    /// Names and paths around it.
    pub file: FileView<'a>,
    /// Draws the character.
    pub draw_character: &'a DrawCharacter<'a>,
    /// Low and high corner of the drawn character in its rest pose, metres.
    pub bounds: Option<[glam::Vec3; 2]>,
    /// Wall-clock cost of one simulation step, seconds, for the status line.
    pub step_seconds: f64,
    /// How far the search for matching numbers is.
    pub motion_fit: MotionFitStatus<'a>,
}

/// A search for numbers with which chains under another solver move as they do now.
#[derive(Clone, Copy, Debug, Default)]
pub enum MotionFitStatus<'a> {
    /// None is under way.
    #[default]
    Idle,
    /// So much of it is done, 0..=1.
    Running(f32),
    /// What it found.
    Found(&'a MotionFitResult),
}

impl std::fmt::Debug for UiInput<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("file", &self.file).finish_non_exhaustive()
    }
}

/// What the window says about files.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct FileView<'a> {
    /// Name of the character file, or of the sample.
    pub name: &'a str,
    /// Whether the bundled sample is open.
    pub is_sample: bool,
    /// Name of the project file.
    pub project: Option<&'a str>,
    /// Whether there is something to save.
    pub has_unsaved_changes: bool,
    /// What is being opened.
    pub opening: Option<OpenProgress<'a>>,
    /// The character file changed on disk.
    pub changed_on_disk: bool,
    /// Name of the table that was read or written last, if another program has changed it since.
    pub changed_table: Option<&'a str>,
    /// The project file on disk against what was last read from it or saved to it; the same where the artist has
    /// dismissed the change.
    pub project_on_disk: DiskStatus,
    /// Saving would replace a project file that has other contents than were last read or saved: the artist must choose.
    pub confirm_overwrite: bool,
    /// Last opened, newest first.
    pub recent: &'a [PathBuf],
    /// The artist wants to close, or to open something else, but there is something to save.
    pub confirm_close: bool,
    /// That question is whether a VRM 0.x file may get the means of its trees.
    pub confirm_average: bool,
    /// What would be opened in its place; `None`: the window would close.
    pub pending_open: Option<&'a str>,
}

impl FileView<'_> {
    /// What is open, by the name that the window and its title show: the project, or the character without one.
    pub fn title(&self, lang: Lang) -> String {
        match self.project {
            Some(project) => project.to_owned(),
            None if self.is_sample => i18n::tr(lang, "top.sample").into_owned(),
            None => self.name.to_owned(),
        }
    }

    /// The title of the system's window: "● hair.yuremono – Yuremono" while something is not saved.
    pub fn window_title(&self, lang: Lang) -> String {
        let dot = if self.has_unsaved_changes { "● " } else { "" };
        format!("{dot}{} – Yuremono", self.title(lang))
    }

    /// Whether a question waits that must be answered before anything else is done.
    pub fn has_open_question(&self) -> bool {
        self.confirm_close || self.confirm_overwrite
    }
}

/// A file on disk against what was last read or written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskStatus {
    /// The file has those contents.
    #[default]
    Unchanged,
    /// The file has other contents.
    Changed,
    /// There is no file.
    Missing,
}

/// A character on its way.
#[derive(Clone, Copy, Debug)]
pub struct OpenProgress<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// 0..=1.
    pub progress: f32,
    /// Seconds since it began.
    pub elapsed_seconds: f32,
}

/// What the artist asked of the program rather than of the session.
#[derive(Clone, Debug, PartialEq)]
pub enum AppRequest {
    /// Choose a character or project file and open it.
    OpenDialog,
    /// Open this file: a character, a project or a CSV, by its ending.
    OpenPath(PathBuf),
    /// Open the bundled character.
    OpenSample,
    /// Take this path for what was asked for in place of a file dialog.
    UseTypedPath(PathBuf),
    /// Write here, by its ending: a `.csv` is the table as it is proposed, anything else the project.
    WriteTypedPath(PathBuf),
    /// Stop opening.
    CancelOpening,
    /// Read the character file again.
    ReloadCharacter,
    /// The change on disk is of no interest.
    IgnoreCharacterChange,
    /// Show what the table that changed on disk would change.
    ReimportTable,
    /// That change is of no interest.
    IgnoreTableChange,
    /// Choose a file of animations and load them as motions of the character.
    LoadMotionDialog,
    /// Choose a CSV and show what it would change.
    ImportDialog,
    /// Read the CSV that is offered again, as text of the encoding of this label, and offer that.
    ReadTableWithEncoding(&'static str),
    /// Write the CSV so: choose where.
    ExportDialog(ExportOptions),
    /// Save the project; choose where if it has no file yet.
    Save,
    /// Save the project elsewhere.
    SaveAs,
    /// Save the project over the file on disk, whatever that file has by now.
    OverwriteProject,
    /// Read the project again; unsaved changes are discarded.
    ReloadProject,
    /// Choose between the project in the window and the changed file on disk.
    ShowProjectConflict,
    /// The change of the project on disk is of no interest for now.
    IgnoreProjectChange,
    /// Write the springs into the character's file; choose where.
    SaveCharacter,
    /// Open a rules file for the map names window.
    OpenRules,
    /// Save the rules of the map names window.
    SaveRules(Vec<u8>),
    /// Write a preset into the folder of the artist's own.
    SavePreset {
        /// What to write, with the key that is proposed for its file.
        preset: Box<Preset>,
        /// Whether it takes the place of the one of its key.
        replaces: bool,
    },
    /// Delete one of them.
    DeletePreset {
        /// Which.
        key: String,
        /// What it was called.
        name: String,
    },
    /// Search numbers with which these chains, under this solver, follow the present motion as they do now.
    FitMotion(BTreeSet<ChainId>, SolverKind),
    /// Stop searching, and forget what was found.
    StopMotionFit,
    /// Close the window; ask if there is something to save.
    Quit,
    /// Close, or open the other file, without saving.
    ProceedWithoutSaving,
    /// Do neither after all.
    CancelClose,
    /// Save the means of trees whose joints differ into a VRM 0.x file.
    SaveAveraged,
    /// Forget the list of recent files.
    ClearRecentFiles,
}

/// What came out of a frame.
#[derive(Debug, Default)]
pub struct UiOutput {
    /// For the session.
    pub commands: Vec<Command>,
    /// For the program.
    pub requests: Vec<AppRequest>,
}

/// A tab of the drawer under the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DrawerTab {
    /// The curve editor.
    Curves,
    /// Feels with names.
    Presets,
    /// Everything that was said.
    Messages,
}

/// A tab of the outliner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutlinerTab {
    /// The tree of all bones.
    #[default]
    Bones,
    /// What sways.
    Chains,
    /// What pushes.
    Colliders,
    /// What is drawn.
    Meshes,
}

impl OutlinerTab {
    /// In their order, each with the key of its words.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Bones, "outliner.bones"),
        (Self::Chains, "outliner.chains"),
        (Self::Colliders, "outliner.colliders"),
        (Self::Meshes, "outliner.meshes"),
    ];
}

/// What panels share: a click in one shows something in another.
#[derive(Debug, Default)]
pub struct UiState {
    /// Kept between runs.
    pub prefs: Prefs,
    /// Whose curve is in the drawer.
    pub shown_curve: Option<CurveRef>,
    /// The open tab of the drawer; `None` is closed.
    pub drawer_tab: Option<DrawerTab>,
    /// What the mouse does here and now, for the status line; set anew in every frame.
    pub mouse_hints: Vec<(String, String)>,
    /// Which meshes are drawn; those past the end are.
    pub mesh_visibility: Vec<bool>,
    /// Windows that a panel wants opened.
    pub dialogs_to_open: Vec<DialogKind>,
    /// Ask the viewport to frame the selection, or everything when nothing is selected.
    pub frame_wanted: bool,
    /// Ask the viewport to look from there.
    pub camera_wanted: Option<CameraPreset>,
    /// Ask the viewport to look along a direction at a place: the place, and from there towards the eye; metres in the
    /// world.
    pub view_direction_wanted: Option<[glam::Vec3; 2]>,
    /// Nothing is drawn over the character, the selection included. Not kept between runs.
    pub overlays_hidden: bool,
    /// The step of the history at which the hints were brought back.
    pub hints_restored_at: Option<u64>,
    /// The open tab of the outliner.
    pub outliner_tab: OutlinerTab,
    /// Ask the outliner for its search field.
    pub search_focus_wanted: bool,
    /// A collider, force or helper whose name is to be typed in its row of the outliner.
    pub rename_wanted: Option<ElementId>,
    /// What the pointer is over in the inspector, for the viewport to light up; set anew in every frame.
    pub highlight: Option<Highlight>,
    /// The part of the window that floating windows leave to the character.
    pub covered_left: f32,
    /// What an open window shows in the viewport; set anew in every frame.
    pub overlay_lines: Vec<OverlayLine>,
    /// What a preview shows, for the line above the character.
    pub preview_caption: String,
    /// Feels with names, and which of them is shown.
    pub presets: PresetUiState,
    /// The chain that was copied last.
    pub copied_chain: Option<CopiedChain>,
    /// Text for the system's clipboard: with an empty one, its paste key is not heard.
    pub clipboard_text: Option<String>,
}

/// A line or an outline over the character that belongs to a window.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlayLine {
    /// Metres in the world.
    pub points: Vec<glam::Vec3>,
    /// Metres; the outline of something so thick along the points. 0 is a line.
    pub radius: f32,
    /// What it stands for.
    pub kind: OverlayLineKind,
    /// Written at the first point.
    pub label: String,
}

/// What a guide stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayLineKind {
    /// What is copied.
    Source,
    /// What it is copied to.
    Target,
    /// From one to the other.
    Link,
    /// The same, of the row that is looked at.
    CurrentLink,
    /// The plane between left and right.
    Plane,
    /// A collider that would be made.
    ProposedCollider,
    /// Colliders and pivots of a file under the chosen mirror.
    ChosenMirror,
    /// The same under the other mirror.
    OtherMirror,
}

/// What a number of the inspector changes in the viewport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Highlight {
    /// All that a parameter of this meaning acts through: hit radii, limits, an arrow.
    Meaning(ParamMeaning),
    /// One collider.
    Collider(ColliderId),
}

/// A floating window that a panel can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DialogKind {
    /// Proposes chains.
    DetectChains,
    /// Lists all keys.
    Shortcuts,
    /// Takes a path.
    TypePath,
    /// Says what the program is.
    About,
    /// Lists what an export cannot hold, then exports.
    Export,
    /// Carries one side to the other.
    Mirror,
    /// Fits colliders to the body.
    BodyColliders,
    /// Selects by words of names.
    SelectByName,
    /// Hangs helpers on another bone.
    SetParent,
    /// Pastes some of what was copied.
    PasteSpecial,
    /// Says how much would go and asks.
    Confirm(Confirmation),
    /// Shows what a preset would change.
    ComparePreset,
    /// Keeps a feel under a name, or gives a preset another.
    SavePreset,
    /// Asks before a preset is deleted.
    DeletePreset,
    /// Lists what another solver would cost, then puts all chains under it.
    SwitchSolver(SolverKind),
}

/// What is asked about before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confirmation {
    /// Putting the setup in order.
    CleanUp,
    /// Deleting joints below the selection.
    DeleteJoints,
    /// Deleting colliders below the selection.
    DeleteColliders,
}

/// What a path is asked for where no file dialog can ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathPurpose {
    /// Open a character, project or CSV.
    Open,
    /// Load a motion onto the character.
    LoadMotion,
    /// Read a CSV.
    Import,
    /// Write the CSV.
    Export,
    /// Write the project.
    SaveProject,
    /// Write the character's file with the springs in it.
    SaveCharacter,
    /// Read remap rules.
    OpenRules,
    /// Write remap rules.
    SaveRules,
}

/// What every panel gets: the input to read, the theme to look like, and where to put what was asked for.
pub struct UiContext<'a> {
    /// To read.
    pub input: &'a UiInput<'a>,
    /// To look like.
    pub theme: Theme,
    /// To fill.
    pub output: UiOutput,
    /// What panels share and keep from frame to frame.
    pub state: &'a mut UiState,
}

impl<'a> UiContext<'a> {
    /// The session.
    pub fn session(&self) -> &'a Session {
        self.input.session
    }

    /// Asks the session for something.
    pub fn command(&mut self, command: Command) {
        self.output.commands.push(command);
    }

    /// Asks the program for something.
    pub fn request(&mut self, request: AppRequest) {
        self.output.requests.push(request);
    }

    /// Words in the artist's language.
    pub fn tr(&self, key: &str) -> std::borrow::Cow<'static, str> {
        self.theme.tr(key)
    }

    /// Words with values put in.
    pub fn tr_with(&self, key: &str, values: &[(&str, &str)]) -> String {
        self.theme.tr_with(key, values)
    }
}

impl std::fmt::Debug for UiContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cx").field("output", &self.output).finish_non_exhaustive()
    }
}

/// What a curve is of: it runs along a chain, or within an entry of a component's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveRef {
    /// A parameter of the solver.
    Param(ParamId),
    /// A term of feel.
    Feel(FeelParam),
    /// A curve of a component.
    Component(ComponentCurveRef),
}

/// A curve of a component, by whose component it is and what its entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComponentCurveRef {
    system: SystemId,
    list: ListKind,
    curve_index: usize,
    /// What the entry names, and which one it is of entries that name the same.
    entry_hash: u64,
    occurrence: usize,
}

impl CurveRef {
    /// A curve of the tuned component.
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
    /// Where it stands in the tuned component; `None` where it is another's, or its entry is gone.
    pub fn resolve(self, session: &Session) -> Option<ListCurveId> {
        if self.system != session.inspection().system_id() {
            return None;
        }
        let entries = entry_hashes(session, self.list);
        let mut same = entries.iter().enumerate().filter(|(_, names)| **names == self.entry_hash);
        same.nth(self.occurrence).map(|(entry, _)| ListCurveId { list: self.list, entry, curve: self.curve_index })
    }

    /// Its list, and its position among the curves of that.
    pub fn list_and_curve(self) -> (ListKind, usize) {
        (self.list, self.curve_index)
    }
}

/// What the entries of a list name. Where there is but one, it is the same whatever node is chosen for it.
fn entry_hashes(session: &Session, side: ListKind) -> Vec<u64> {
    let names = |entry: &Vec<Node>| {
        let mut hasher = DefaultHasher::new();
        entry.hash(&mut hasher);
        hasher.finish()
    };
    let entries = session.inspection().system().component_lists.entries(side);
    entries.iter().map(|entry| if side.is_single() { 0 } else { names(entry) }).collect()
}
