//! One open character being tuned.
//!
//! [`Session`] joins the document and its history with a live [`crate::sim::World`], a selection and a clock that
//! only ever hears how many seconds went by. Window and command line send [`Command`]s, call [`Session::advance`], and
//! read the session through its views: [`Inspection`], [`Playback`], [`PresetInspection`], [`Selection`], [`MessageLog`]. No files,
//! no pixels and no clock are used here.

mod command;
mod command_edits;
mod dispatch;
mod feel_commands;
mod inspection;
mod messages;
mod playback;
mod presets;
mod rebind;
mod selection;

pub use command::Command;
pub use inspection::{
    BodyDirection, BoxView, ColliderChoice, ComponentTool, DerivedQuantity, FeelParamView, GroupChoice, HingeView,
    Inspection, InspectorSubject, JointOverrides, LengthTargetView, LimitDirections, MaterialChoice, MaterialSharing,
    OtherSystem, ParamLine, ParamView, ParamWarning, PivotSummary, PreviewTarget, SwingAxis, SwingLimitView,
    TunedCenter, TunedMaterial, ValueSummary, collider_short_name, param_lines,
};
pub use messages::{Message, MessageEntry, MessageId, MessageLog, ReducedCount, SuspectParam, finite_range_ends};
pub use playback::{Drag, Motion, PLAYER_FRAME_RATES, Playback, PlaybackSettings, Recording, TICK_SECONDS};
pub use presets::{AppliedPreset, CompareBase, PresetApplication, PresetId, PresetInspection};
pub use selection::{SceneObject, SelectMode, Selection, SelectionCounts, TuningScope};

use crate::document::{ChainId, Document, Edit, EditLabel, History, Invalidation, ResolvedDocument};
use crate::feel::{convert::Conversion, convert::convert, convert::convert_chains};
use crate::feel::{
    convert::motion_fit::MotionFitResult, convert::motion_fit::Progress, convert::motion_fit::RecordedMotion,
    convert::motion_fit::fit_motion,
};
use crate::rig::{BoneId, Character, Clip};
use crate::sim::SolverKind;
use playback::{PlaybackSource, RecordedGesture, missing_base_motion};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What "Reset" returns to.
#[derive(Debug)]
struct Baseline {
    /// As it was when the character was opened.
    opened: Document,
    /// The same under the solver that the document is under now.
    loaded: Document,
}

impl Baseline {
    fn new(document: &Document) -> Self {
        Self { opened: document.clone(), loaded: document.clone() }
    }

    /// Puts each chain under the solver that it is under now.
    fn convert_to_current_solvers(&mut self, now: &Document, character: &Character) {
        let differ = |then: &Document| -> BTreeMap<SolverKind, BTreeSet<ChainId>> {
            let mut all: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
            for (id, chain) in &now.chains {
                if then.chains.get(id).is_some_and(|was| then.solver_of(was) != now.solver_of(chain)) {
                    all.entry(now.solver_of(chain)).or_default().insert(*id);
                }
            }
            all
        };
        let bare = now.chains.is_empty() && self.loaded.main_system().solver != now.main_system().solver;
        if bare {
            self.loaded = convert(&self.opened, character, now.main_system().solver).after;
        } else if !differ(&self.loaded).is_empty() {
            self.loaded = self.opened.clone();
            for (solver, chains) in differ(&self.opened) {
                self.loaded = convert_chains(&self.loaded, character, &chains, solver).after;
            }
        }
    }
}

/// Everything about one open character.
#[derive(Debug)]
pub struct Session {
    character: Arc<Character>,
    document: Document,
    baseline: Baseline,
    history: History,
    resolved: ResolvedDocument,
    playback: Playback,
    selection: Selection,
    messages: MessageLog,
    /// Presets that were applied.
    preset_history: presets::PresetHistory,
    feel: inspection::FeelPanel,
    reported_issues: messages::ReportedIssues,
}

impl Session {
    /// Opens a character with what is authored on it so far; it stands settled.
    pub fn new(character: Arc<Character>, document: Document) -> Self {
        let resolved = document.resolve(&character.skeleton);
        let playback = Playback::new(&character, &resolved);
        let mut session = Self {
            character,
            baseline: Baseline::new(&document),
            document,
            history: History::default(),
            resolved,
            playback,
            selection: Selection::default(),
            messages: MessageLog::default(),
            preset_history: presets::PresetHistory::default(),
            feel: inspection::FeelPanel::default(),
            reported_issues: messages::ReportedIssues::default(),
        };
        session.playback.reset(PlaybackSource { character: &session.character, document: &session.document });
        session.report_reduced_work();
        session.report_out_of_bounds();
        session
    }

    /// The open character.
    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    /// What is authored.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What was authored when the character was opened, each chain under the solver that it is under now.
    pub fn loaded(&self) -> &Document {
        &self.baseline.loaded
    }

    /// What can be undone.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The document as the simulation reads it.
    pub fn resolved(&self) -> &ResolvedDocument {
        &self.resolved
    }

    /// The clock, the live world, and what moves it.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// What the inspector and the curve drawer show of the selection.
    pub fn inspection(&self) -> Inspection<'_> {
        Inspection {
            character: &self.character,
            document: &self.document,
            loaded: &self.baseline.loaded,
            resolved: &self.resolved,
            selection: &self.selection,
            playback: &self.playback,
            history: &self.history,
            feel: &self.feel,
        }
    }

    /// Presets on the tuned chains.
    pub fn presets(&self) -> PresetInspection<'_> {
        PresetInspection::new(self.inspection(), &self.preset_history)
    }

    /// What is selected and hovered.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What was said.
    pub fn messages(&self) -> &MessageLog {
        &self.messages
    }

    /// Lets `seconds` of the artist's time pass; at most half a second is caught up.
    pub fn advance(&mut self, seconds: f64) {
        let source = PlaybackSource { character: &self.character, document: &self.document };
        let gesture = self.playback.advance(seconds, source);
        if let Some(gesture) = gesture {
            self.add_gesture(gesture);
        }
        self.report_out_of_bounds();
    }

    /// Adds a recorded gesture and plays it.
    fn add_gesture(&mut self, recorded: RecordedGesture) {
        let id = self.document.next_gesture_id();
        let label = EditLabel::new("record", 1).name(recorded.gesture.name.clone());
        let edit = self.document.add_gesture_edit(recorded.gesture, recorded.base_motion);
        self.apply(edit, label);
        self.playback.set_motion(Motion::Gesture(id));
    }

    /// Says so where the gesture that plays was recorded over what is not here.
    fn report_missing_base_motion(&mut self) {
        let Motion::Gesture(id) = self.playback.settings().motion else { return };
        let source = PlaybackSource { character: &self.character, document: &self.document };
        if let Some(over) = missing_base_motion(id, source) {
            let gesture = self.document.gestures[&id].name.clone();
            self.messages.push_message(Message::GestureWithoutBaseMotion { gesture, base_motion: over });
        }
    }

    /// Shows what an edit would do, with the same motion and hands; nothing is changed. An edit that does not fit, or that
    /// changes nothing, ends the preview, as every change of the document does.
    fn preview(&mut self, edit: Option<Edit>) {
        let mut then = self.document.clone();
        let fits = edit.is_some_and(|edit| then.apply(edit).is_ok()) && then != self.document;
        if fits && self.playback.is_preview_of(&then) {
            return;
        }
        if fits {
            let resolved = then.resolve(&self.character.skeleton);
            self.playback.preview((&self.document, then), &resolved, self.character.skeleton.len());
        } else {
            self.playback.end_preview();
        }
    }

    /// Does what the artist asked for. What cannot be done becomes a message.
    pub fn handle(&mut self, command: Command) {
        dispatch::handle(self, command);
    }

    /// Puts a new version of the character in place of the old one; bones are found again by name. The setup, the
    /// selection and the undo list stay. Returns `PatchableJson::missing_bones_in_use`; those bones are found again when a later
    /// version has them.
    pub fn replace_character(&mut self, character: Arc<Character>) -> Vec<(BoneId, String)> {
        rebind::rebind(self, &character);
        let playing = match self.playback.settings().motion {
            Motion::Clip(at) => self.character.clips.get(at).map(|clip| clip.name.clone()),
            _ => None,
        };
        self.character = character;
        self.rebuild();
        self.playback.replace_character(&self.character, &self.resolved);
        // The file may have more or fewer animations now.
        let again = playing.and_then(|name| self.character.clips.iter().position(|clip| clip.name == name));
        if let Some(at) = again {
            self.playback.set_motion(Motion::Clip(at));
        }
        self.playback.reset(PlaybackSource { character: &self.character, document: &self.document });
        self.report_reduced_work();
        self.report_out_of_bounds();
        self.report_missing_base_motion();
        self.document.missing_bones_in_use()
    }

    /// Puts animations in place of some of the character's, and plays the first of them. The document and what can be
    /// undone stay: motions are no part of them.
    pub fn load_motions(&mut self, replaced: Range<usize>, clips: Vec<Clip>) {
        let first = replaced.start;
        Arc::make_mut(&mut self.character).replace_clips(replaced, clips);
        self.handle(Command::SetMotion(Motion::Clip(first)));
        self.handle(Command::SetPlaying(true));
    }

    /// The document as it is now is on disk.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
    }

    /// Applies an edit, if any, as one undo step.
    fn apply_step(&mut self, step: Option<(Edit, EditLabel)>) {
        if let Some((edit, label)) = step {
            self.apply(edit, label);
        }
    }

    /// Applies an edit as one undo step; refused edits become messages and change nothing.
    fn apply(&mut self, edit: Edit, label: EditLabel) -> bool {
        let told = label.show_message.then(|| (label.clone(), self.history.current_state()));
        let sharing = if label.unassigns_material { Vec::new() } else { self.inspection().chains_with_material() };
        match self.history.apply(&mut self.document, edit, label) {
            Ok(touched) => {
                if let Some((label, before)) = told {
                    let idle = self.history.current_state() == before;
                    self.messages.push_message(if idle { Message::NothingToDo(label) } else { Message::Done(label) });
                }
                if let Some((material, chain, more)) = self.inspection().detached_from_material(&sharing) {
                    self.messages.push_message(Message::DetachedFromMaterial { material, chain, more });
                }
                self.refresh(touched);
                true
            }
            Err(err) => {
                self.messages.push_message(Message::EditRefused(err));
                false
            }
        }
    }

    fn refresh(&mut self, touched: Invalidation) {
        self.feel.invalidate(false);
        self.playback.commit_or_end_preview(&self.document);
        self.baseline.convert_to_current_solvers(&self.document, &self.character);
        match touched {
            Invalidation::Nothing => {}
            Invalidation::Params => {
                self.document.resolve_values(&self.character.skeleton, &mut self.resolved);
                self.playback.bake(&self.resolved);
            }
            Invalidation::Topology => self.rebuild(),
        }
        self.selection.remove_missing(&self.character.skeleton, &self.document);
        self.playback.stop_missing_gesture(&self.document);
        self.clear_out_of_bounds_reports();
        self.report_reduced_work();
    }

    fn rebuild(&mut self) {
        self.feel.invalidate(true);
        self.resolved = self.document.resolve(&self.character.skeleton);
        self.playback.rebuild(&self.resolved);
    }
}

/// Every search begins with the same numbers, so that it finds the same ones.
const MOTION_FIT_SEED: u64 = 1;

/// All that a search for matching numbers needs, to be carried to another thread.
#[derive(Clone, Debug)]
pub struct MotionFitJob {
    character: Arc<Character>,
    before: Document,
    conversion: Conversion,
    recorded_motion: RecordedMotion,
}

impl MotionFitJob {
    /// A search for numbers with which these chains, under another solver, follow the present motion as they do now.
    pub fn new(session: &Session, chains: &BTreeSet<ChainId>, to: SolverKind) -> Self {
        let character = Arc::clone(session.character());
        let before = session.document().clone();
        let take = session.playback().record_motion(PlaybackSource { character: &character, document: &before });
        Self { conversion: convert_chains(&before, &character, chains, to), character, before, recorded_motion: take }
    }

    /// Runs the search. `hear` gets the finished share, 0 to 1; `None` where it cancels.
    pub fn run(&self, hear: &mut Progress<'_>) -> Option<MotionFitResult> {
        fit_motion(&self.before, &self.character, &self.conversion, &self.recorded_motion, MOTION_FIT_SEED, hear)
    }

    /// The formula's conversion, where the search begins.
    pub fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// The motion that is followed.
    pub fn recorded_motion(&self) -> &RecordedMotion {
        &self.recorded_motion
    }
}
