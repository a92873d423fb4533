//! One open character and its setup.
//!
//! [`Session`] joins the document and its history with a live [`yuremono_sim::World`] and a selection. The window and the
//! command line send [`Command`]s, call [`Session::advance`] with the elapsed seconds, and read the session through its
//! views: [`Inspection`], [`Playback`], [`Selection`], [`MessageLog`]. The session uses no files, no pixels and no
//! clock.

mod bake;
mod clipping;
mod command;
mod command_edits;
mod compare_commands;
mod comparison;
mod dispatch;
mod doctor;
mod inspection;
mod isolation;
mod messages;
mod moments;
mod motion_graph;
mod playback;
mod rebind;
mod selection;

pub use bake::{
    BakeError, BakeJob, BakeNumber, BakeOptions, BakedFormat, BakedMotion, LoopClosure, LoopReport, SeamReason,
    SeamSize, UnbakedParent,
};
pub use clipping::{
    ClippingAmount, ClippingContact, ClippingError, ClippingFindings, ClippingFrame, ClippingJob, ClippingProposal,
    ClippingReport,
};
pub use command::Command;
pub use command_edits::created_chains_label;
pub use comparison::{
    BodyCopy, BodyPlace, BodyRow, CompareLayout, CompareSource, CompareWith, Comparison, Sweep, SweepProblem,
    SweepSettings, SweepSubject,
};
pub use doctor::{DoctorJob, DoctorStep, MotionFindings, Symptoms, examine_document};
pub use inspection::{
    AppliedPreset, BodyDirection, BoxView, ColliderChoice, CompareBase, ComponentTool, DerivedQuantity, FeelParamView,
    GroupChoice, HingeView, Inspection, InspectorSubject, JointOverrides, JointQuantity, JointValues, LengthTargetView,
    LimitDirections, MaterialChoice, MaterialSharing, OtherSystem, ParamLine, ParamView, ParamWarning, PivotSummary,
    PresetApplication, PresetId, PreviewTarget, SolverTime, SteadyOutcome, SwingAxis, SwingLimitView, TipCauses,
    TipOutcome, TouchedSurface, TunedCenter, TunedMaterial, ValueSummary, collider_short_name, param_lines,
};
pub use isolation::Isolation;
pub use messages::{Message, MessageEntry, MessageId, MessageLog, ReducedCount, SuspectParam, finite_range_ends};
pub use moments::{MomentsError, MomentsJob, MotionMoments, all_motions, motion_name};
pub use motion_graph::{GraphJoint, GraphView, MAX_GRAPH_JOINTS, MotionGraph};
pub use playback::{
    ClipRange, Drag, Motion, PLAYER_FRAME_RATES, Playback, PlaybackSettings, RECENT_SECONDS, RecentMotion, Recording,
    TICK_SECONDS,
};
pub use selection::{SceneObject, SelectMode, Selection, SelectionCounts, TuningScope};

use playback::{PlaybackSource, RecordedGesture, missing_base_motion};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use yuremono_model::document::source_frames::KeptValue;
use yuremono_model::document::{ChainId, Document, Edit, EditKind, EditLabel, History, Invalidation, ResolvedDocument};
use yuremono_model::feel::convert::chains_with_new_solver;
use yuremono_model::feel::convert::motion_fit::{
    ConversionDifference, MotionFitInput, MotionFitResult, RecordedMotion, fit_motion, measure_conversion,
};
use yuremono_model::feel::{convert::Conversion, convert::convert, convert::convert_chains};
use yuremono_model::job::JobControl;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::Location;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{BoneId, Character, Clip};

/// The documents that "Reset" restores.
#[derive(Debug)]
struct Baseline {
    /// The document when the character was opened.
    opened: Document,
    /// The opened document, with each chain converted to its current solver.
    baseline_document: Document,
}

impl Baseline {
    fn new(document: &Document) -> Self {
        Self { opened: document.clone(), baseline_document: document.clone() }
    }

    /// Converts each chain to its current solver.
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
        let bare = now.chains.is_empty() && self.baseline_document.main_system().solver != now.main_system().solver;
        if bare {
            self.baseline_document = convert(&self.opened, character, now.main_system().solver).after;
        } else if !differ(&self.baseline_document).is_empty() {
            self.baseline_document = self.opened.clone();
            for (solver, chains) in differ(&self.opened) {
                self.baseline_document = convert_chains(&self.baseline_document, character, &chains, solver).after;
            }
        }
    }
}

/// An open character with its document, live world, selection and messages.
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
    preset_history: inspection::PresetHistory,
    feel: inspection::FeelPanel,
    inspection_cache: inspection::InspectionCache,
    reported_issues: messages::ReportedIssues,
    compared: comparison::Compared,
    /// The tuning that the artist last chose to keep as B.
    snapshot: Option<Document>,
    isolation: Isolation,
}

impl Session {
    /// Opens a character with its document. The character starts settled under gravity.
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
            preset_history: inspection::PresetHistory::default(),
            feel: inspection::FeelPanel::default(),
            inspection_cache: inspection::InspectionCache::default(),
            reported_issues: messages::ReportedIssues::default(),
            compared: comparison::Compared::default(),
            snapshot: None,
            isolation: Isolation::default(),
        };
        session.playback.reset(PlaybackSource { character: &session.character, document: &session.document });
        session.report_reduced_work();
        session.report_out_of_bounds();
        session
    }

    pub fn character(&self) -> &Arc<Character> {
        &self.character
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Returns the loaded document, with each chain converted to its current solver.
    pub fn loaded(&self) -> &Document {
        &self.baseline.baseline_document
    }

    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the document as input of the simulation.
    pub fn resolved(&self) -> &ResolvedDocument {
        &self.resolved
    }

    /// Returns the clock, the live world and the motion.
    pub fn playback(&self) -> &Playback {
        &self.playback
    }

    /// Returns the view of the selection for the inspector, the curve editor and the presets.
    pub fn inspection(&self) -> Inspection<'_> {
        Inspection {
            character: &self.character,
            document: &self.document,
            loaded: &self.baseline.baseline_document,
            resolved: &self.resolved,
            selection: &self.selection,
            playback: &self.playback,
            history: &self.history,
            feel: &self.feel,
            preset_history: &self.preset_history,
            cache: &self.inspection_cache,
        }
    }

    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    pub fn messages(&self) -> &MessageLog {
        &self.messages
    }

    /// Advances the session by `seconds` of real time. Catches up at most half a second.
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
        let label =
            EditLabel::new(message!("Record {name}", name = &recorded.gesture.name)).with_kind(EditKind::Recording);
        let edit = self.document.add_gesture_edit(recorded.gesture, recorded.base_motion);
        self.apply(edit, label);
        self.playback.set_motion(Motion::Gesture(id));
    }

    /// Reports a playing gesture if its base motion is missing.
    fn report_missing_base_motion(&mut self) {
        let Motion::Gesture(id) = self.playback.settings().motion else { return };
        let source = PlaybackSource { character: &self.character, document: &self.document };
        if let Some(over) = missing_base_motion(id, source) {
            let gesture = self.document.gestures[&id].name.clone();
            self.messages.push_message(Message::GestureWithoutBaseMotion { gesture, base_motion: over });
        }
    }

    /// Previews an edit with the same motion and drags, without applying the edit. An invalid or empty edit ends the
    /// preview, and so does every change of the document.
    fn preview(&mut self, edit: Option<Edit>) {
        let mut then = self.document.clone();
        let fits = edit.is_some_and(|edit| then.apply(edit).is_ok()) && then != self.document;
        if fits && self.playback.is_preview_of(&then) {
            return;
        }
        if fits {
            self.playback.preview(&self.document, then, &self.character.skeleton);
        } else {
            self.playback.end_preview();
        }
    }

    /// Replaces the character with a new version and finds its bones by name. Keeps setup, selection and undo history.
    /// Returns the missing bones that are in use; a later version may contain these bones again.
    pub fn replace_character(&mut self, character: Arc<Character>) -> Vec<(BoneId, String)> {
        self.end_comparison();
        let conversion = rebind::rebind(self, &character);
        let motion = self.playback.settings().motion;
        let playing = motion.clip().and_then(|at| self.character.clips.get(at)).map(|clip| clip.name.clone());
        self.character = character;
        self.rebuild();
        self.playback.replace_character(&self.character, &self.resolved);
        if let Some((edit, kept)) = conversion {
            self.apply(edit, EditLabel::new(message!("Convert values to the new bone axes")).show_message());
            let diagnostic = KeptValue::diagnostic(&kept, &self.character.skeleton, &Location::default());
            if let Some(diagnostic) = diagnostic {
                self.messages.push_diagnostic(diagnostic);
            }
        }
        self.isolate(|_| {});
        // The index of the animation may have changed.
        let again = playing.and_then(|name| self.character.clips.iter().position(|clip| clip.name == name));
        if let Some(at) = again {
            self.playback.set_motion(motion.with_clip(at));
        }
        self.playback.reset(PlaybackSource { character: &self.character, document: &self.document });
        self.report_reduced_work();
        self.report_out_of_bounds();
        self.report_missing_base_motion();
        self.document.missing_bones_in_use()
    }

    /// Replaces some animations of the character and plays the first new animation. Keeps the document and its history,
    /// because they contain no animations.
    pub fn load_motions(&mut self, replaced: Range<usize>, clips: Vec<Clip>) {
        let first = replaced.start;
        self.playback.freeze_crossfade();
        Arc::make_mut(&mut self.character).replace_clips(replaced, clips);
        self.handle(Command::SetMotion(Motion::Clip(first)));
        self.handle(Command::SetPlaying(true));
    }

    /// Marks the document as saved; call after writing the document to disk.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
    }

    /// Treats the document as unsaved, for a recovered document.
    pub fn mark_unsaved(&mut self) {
        self.history.mark_unsaved();
    }

    /// Applies an edit as one undo step. A rejected edit becomes a message and changes nothing.
    fn apply(&mut self, edit: Edit, label: EditLabel) -> bool {
        let done = label.message.clone().map(|message| (message, self.history.current_state()));
        let sharing = if label.kind == EditKind::MaterialUnassigned {
            Vec::new()
        } else {
            self.inspection().chains_with_material()
        };
        // A paused moment stays, so that the artist can set a limit against the pose that exceeds it.
        let keeps_moment = (label.kind == EditKind::AngleLimits) && !self.playback.is_moving();
        let applied = self.history.apply(&mut self.document, edit, label);
        self.inspection_cache.clear();
        match applied {
            Ok(touched) => {
                if let Some((message, before)) = done {
                    let is_idle = self.history.current_state() == before;
                    self.messages.push_message(if is_idle { Message::NothingToDo } else { Message::Done(message) });
                }
                if let Some((material, chain, more)) = self.inspection().detached_from_material(&sharing) {
                    self.messages.push_message(Message::DetachedFromMaterial { material, chain, more });
                }
                self.refresh(touched);
                if keeps_moment {
                    self.playback.stop_paused_run();
                }
                true
            }
            Err(err) => {
                let err = err.with_names(&self.document, &self.character.skeleton);
                self.messages.push_message(Message::EditRefused(err));
                false
            }
        }
    }

    fn refresh(&mut self, touched: Invalidation) {
        self.feel.invalidate(false);
        self.inspection_cache.clear();
        self.playback.commit_or_end_preview(&self.document);
        self.update_isolation();
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
        self.inspection_cache.clear();
        self.playback.stop_missing_gesture(&self.document);
        self.clear_out_of_bounds_reports();
        self.report_reduced_work();
    }

    fn rebuild(&mut self) {
        self.feel.invalidate(true);
        self.inspection_cache.clear();
        self.resolved = self.document.resolve(&self.character.skeleton);
        self.playback.rebuild(&self.resolved);
        self.inspection_cache.clear();
    }
}

/// Fixed, so that every fit is repeatable.
const MOTION_FIT_SEED: u64 = 1;

/// A document and the motion that plays, with which another thread judges conversions.
#[derive(Clone, Debug)]
pub struct ConversionJob {
    pub character: Arc<Character>,
    pub before: Document,
    pub motion: RecordedMotion,
}

impl ConversionJob {
    /// Copies the document of a session, and records the motion that plays.
    pub fn new(session: &Session) -> Self {
        let character = Arc::clone(session.character());
        let before = session.document().clone();
        let motion = session.playback().record_motion(PlaybackSource { character: &character, document: &before });
        Self { character, before, motion }
    }

    /// Returns how the chains whose solver differs in `after` move differently there. Returns `None` if the solver of no
    /// chain differs, or if `control` cancels the simulation.
    pub fn difference(&self, after: &Document, control: JobControl<'_>) -> Option<ConversionDifference> {
        if chains_with_new_solver(&self.before, after).is_empty() {
            return None;
        }
        measure_conversion(self.input(after), control)
    }

    fn input<'a>(&'a self, after: &'a Document) -> MotionFitInput<'a> {
        let Self { character, before, motion } = self;
        MotionFitInput { before, character, after, motion, seed: MOTION_FIT_SEED }
    }
}

/// The input of a motion fit, which can run on another thread.
#[derive(Clone, Debug)]
pub struct MotionFitJob {
    pub source: ConversionJob,
    /// The result of converting by formula; the fit starts from it.
    pub conversion: Conversion,
}

impl MotionFitJob {
    /// Creates a job that fits the parameters of chains under another solver to their current motion.
    pub fn new(session: &Session, chains: &BTreeSet<ChainId>, to: SolverKind) -> Self {
        let source = ConversionJob::new(session);
        Self { conversion: convert_chains(&source.before, &source.character, chains, to), source }
    }

    /// Runs the fit on the threads of `control`. Returns `None` if `control` cancels the fit.
    pub fn run(&self, control: JobControl<'_>) -> Option<MotionFitResult> {
        fit_motion(self.source.input(&self.conversion.after), control)
    }
}
