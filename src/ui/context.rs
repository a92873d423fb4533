//! The input of a frame, the state that panels share, and the context that every panel gets.

use crate::stage::{CameraPreset, CameraView};
use crate::ui::curve_ref::CurveRef;
use crate::ui::file_view::{DropEntry, FileView};
use crate::ui::kit::theme::Theme;
use crate::ui::prefs::Prefs;
use crate::ui::presets::PresetUiState;
use crate::ui::requests::{AppRequest, ClipOptions, DialogKind};
use crate::vmc::{LiveStatus, ReceiverOptions};
use egui::{Rect, Shape, Ui};
use std::borrow::{Borrow, Cow};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use yuremono_model::document::{ColliderId, Document, Edit, EditLabel, System};
use yuremono_model::feel::convert::motion_fit::MotionFitResult;
use yuremono_model::tools::components;
use yuremono_model::tools::elements::ElementId;
use yuremono_model::tools::paste::CopiedChain;
use yuremono_session::{
    BakedMotion, ClippingFindings, ClippingReport, Command, Inspection, JointQuantity, Motion, MotionFindings,
    Playback, Selection, Session,
};
use yuremono_sim::TestWind;
use yuremono_sim::diagnostics::{Diagnostic, MessageText, message};
use yuremono_sim::params::ParamMeaning;
use yuremono_sim::rig::Character;

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

impl fmt::Debug for UiInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("file", &self.file).finish_non_exhaustive()
    }
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
