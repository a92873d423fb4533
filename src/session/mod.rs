//! Floor 5: one open character being tuned.
//!
//! [`Session`] joins the document and its history with a live [`crate::sim::World`], a selection and a clock that
//! only ever hears how many seconds went by. The faces (window, command line) send [`Command`]s, call
//! [`Session::advance`], and draw [`Session::shown`]. No files, no pixels and no clock live here.

mod bounds;
mod command;
mod feel;
mod inspect;
mod matching;
mod messages;
mod play;
mod presets;
mod rebind;
mod selection;
mod structure;

pub use bounds::{CutCount, Suspect, range_ends};
pub use command::{Command, MessageId};
pub use feel::TermView;
pub use inspect::{
    BoxView, Center, ColliderChoice, Entry, GroupChoice, HingeView, LengthView, LimitWays, Manner, MaterialChoice,
    MaterialState, Meaning, OtherSystem, Overrides, Pivots, Remark, RowView, Shared, Subject, SwingAxis, SwingView,
    Values, Way, entries, short_name,
};
pub use matching::MatchJob;
pub use messages::{Message, Messages, Said};
pub use play::{Drag, Motion, PLAYERS_RATES, Play, Recording, TICK};
pub use presets::{PresetId, PresetStep, Was, Worn};
pub use selection::{Item, Pick, Reached, Scope, Selection};

use crate::doc::convert::{Conversion, MutedChain, SwingComparison, convert, convert_chains, muted_chains};
use crate::doc::tune::Targets;
use crate::doc::{ChainId, Document, Edit, History, JointRef, Label, Resolved, System, SystemId, Touched};
use crate::rig::{BoneId, Character, Clip, WorldPose};
use crate::schema::{Row, find_row};
use crate::sim::{JointIndex, SolverKind};
use play::{Recorded, missing_underlay};
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
    fn follow(&mut self, now: &Document, character: &Character) {
        let differ = |then: &Document| -> BTreeMap<SolverKind, BTreeSet<ChainId>> {
            let mut all: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
            for (id, chain) in &now.chains {
                if then.chains.get(id).is_some_and(|was| then.solver_of(was) != now.solver_of(chain)) {
                    all.entry(now.solver_of(chain)).or_default().insert(*id);
                }
            }
            all
        };
        let bare = now.chains.is_empty() && self.loaded.main().solver != now.main().solver;
        if bare {
            self.loaded = convert(&self.opened, character, now.main().solver).after;
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
    resolved: Resolved,
    /// Each joint's place in the world.
    joints: BTreeMap<BoneId, JointIndex>,
    play: Play,
    selection: Selection,
    messages: Messages,
    /// Presets that were applied.
    applied: presets::Applied,
    feel: feel::FeelPanel,
    told: bounds::Told,
}

impl Session {
    /// Opens a character with what is authored on it so far; it stands settled.
    pub fn new(character: Arc<Character>, document: Document) -> Self {
        let resolved = document.resolve(&character.skeleton);
        let play = Play::new(&character, &resolved);
        let mut session = Self {
            joints: joint_map(&resolved),
            character,
            baseline: Baseline::new(&document),
            document,
            history: History::default(),
            resolved,
            play,
            selection: Selection::default(),
            messages: Messages::default(),
            applied: presets::Applied::default(),
            feel: feel::FeelPanel::default(),
            told: bounds::Told::default(),
        };
        session.play.reset(&session.character, &session.document);
        session.tell_work();
        session.tell_strays();
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

    /// The system that is tuned: that of the chain whose curves are shown, or the first.
    pub fn system_id(&self) -> SystemId {
        let active = self.active_chain().and_then(|id| self.document.chains.get(&id));
        active
            .map(|chain| chain.system)
            .filter(|id| self.document.systems.contains_key(id))
            .unwrap_or(self.document.main_id())
    }

    /// As [`Session::system_id`].
    pub fn system(&self) -> &System {
        &self.document.systems[&self.system_id()]
    }

    /// The number that a row of the tuned system had when the character was opened; the engine's default where it had
    /// no such system.
    pub(crate) fn loaded_value(&self, row: Row) -> f32 {
        let (id, now) = (self.system_id(), self.system());
        let same = self.loaded().systems.get(&id).filter(|was| was.solver == now.solver);
        let was = same.or_else(|| self.loaded().system_under(now.solver).map(|(_, was)| was));
        was.map_or(now.def(row).default, |was| was.get(row))
    }

    /// What was authored when the character was opened, each chain under the solver that it is under now.
    pub fn loaded(&self) -> &Document {
        &self.baseline.loaded
    }

    /// The bones whose names match.
    pub fn bones_like(&self, pattern: &crate::doc::names::Pattern) -> Vec<BoneId> {
        let skeleton = &self.character.skeleton;
        skeleton.ids().filter(|bone| pattern.matches(skeleton.name(*bone))).collect()
    }

    /// What can be undone.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The document as the simulation reads it.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// The clock, the motion and the hands.
    pub fn play(&self) -> &Play {
        &self.play
    }

    /// What is selected and hovered.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What was said.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// What was said, to add to it.
    pub fn messages_mut(&mut self) -> &mut Messages {
        &mut self.messages
    }

    /// The world frames to draw: between the last two ticks; file bones first, then helpers.
    pub fn shown(&self) -> &WorldPose {
        self.play.shown()
    }

    /// Height of the ground that the solver knows, or zero; metres.
    pub fn ground_height(&self) -> f32 {
        let row = find_row(self.system().table(), "groundHeight");
        row.map_or(0.0, |row| self.system().get(row)).clamp(-1e4, 1e4)
    }

    /// The place of a bone's joint in the simulation.
    pub fn joint_index(&self, bone: BoneId) -> Option<JointIndex> {
        self.joints.get(&bone).copied()
    }

    /// Where a joint's tip is drawn, metres in the world.
    pub fn shown_tip(&self, bone: BoneId) -> Option<glam::Vec3> {
        self.play.shown_tip(self.joint_index(bone)?)
    }

    /// A bone's name; also of one that this version of the character lacks.
    pub fn bone_name(&self, bone: BoneId) -> &str {
        let lost = self.document.lost.path(bone);
        lost.map_or_else(|| self.character.skeleton.name(bone), |path| &path.name)
    }

    /// Bones in use that this version of the character lacks, with their names.
    pub fn lost_bones(&self) -> Vec<(BoneId, String)> {
        self.document.lost_in_use()
    }

    /// Seconds until the motion begins again, at its present speed; `None` where nothing repeats.
    pub fn period(&self) -> Option<f64> {
        self.play.period(&self.character, &self.document)
    }

    /// Lets `seconds` of the artist's time pass; at most half a second is caught up.
    pub fn advance(&mut self, seconds: f64) {
        let gesture = self.play.advance(seconds, &self.character, &self.document, &self.joints);
        if let Some(gesture) = gesture {
            self.keep(gesture);
        }
        self.tell_strays();
    }

    /// Adds a recorded gesture and plays it.
    fn keep(&mut self, recorded: Recorded) {
        let id = self.document.fresh_gesture();
        let label = Label::new("record", 1).name(recorded.gesture.name.clone());
        let edit = self.document.recorded(recorded.gesture, recorded.over);
        self.apply(edit, label);
        self.play.set_motion(Motion::Gesture(id));
    }

    /// Says so where the gesture that plays was recorded over what is not here.
    fn tell_missing_underlay(&mut self) {
        let Motion::Gesture(id) = self.play.motion() else { return };
        if let Some(over) = missing_underlay(id, &self.character, &self.document) {
            let gesture = self.document.gestures[&id].name.clone();
            self.messages.say(Said::GestureAlone { gesture, over });
        }
    }

    /// All chains under another solver, with what could not come along; nothing changes yet.
    pub fn converted(&self, to: SolverKind) -> Conversion {
        convert(&self.document, &self.character, to)
    }

    /// As [`Session::converted`] for some chains.
    pub fn converted_chains(&self, chains: &BTreeSet<ChainId>, to: SolverKind) -> Conversion {
        convert_chains(&self.document, &self.character, chains, to)
    }

    /// Compares how far the chains that another solver moves in `after` swing before and after.
    pub fn swing_comparison(&self, after: &Document) -> SwingComparison {
        SwingComparison::new(&self.document, &self.character, after)
    }

    /// The chains that another solver moves in `after` and that swing less than half as far then, the worst first.
    pub fn muted_by(&self, after: &Document) -> Vec<MutedChain> {
        muted_chains(&self.document, &self.character, after)
    }

    /// Shows what an edit would do, with the same motion and hands; nothing is changed. An edit that does not fit, or that
    /// changes nothing, ends the preview, as every change of the document does.
    fn preview(&mut self, edit: Option<Edit>) {
        let mut then = self.document.clone();
        let fits = edit.is_some_and(|edit| then.apply(edit).is_ok()) && then != self.document;
        if fits && self.play.is_preview_of(&then) {
            return;
        }
        if fits {
            let resolved = then.resolve(&self.character.skeleton);
            self.play.preview((&self.document, then), &resolved, self.character.skeleton.len());
        } else {
            self.play.end_preview();
        }
    }

    /// Whether a change is shown that is not made.
    pub fn is_previewing(&self) -> bool {
        self.play.is_previewing()
    }

    /// How the chains that a preview changes move without it: for each the heads of its joints and its last tip, metres
    /// in the world. Empty without preview.
    pub fn ghost_lines(&self) -> Vec<Vec<glam::Vec3>> {
        let Some((frames, chains)) = self.play.ghost() else { return Vec::new() };
        let tip = |bone: BoneId| {
            let frame = frames.frames.get(bone.index())?;
            let offset = self.play.world().tip_offset(self.joint_index(bone)?)?;
            Some(frame.position + frame.rotation * offset)
        };
        let head = |bone: BoneId| frames.frames.get(bone.index()).map(|f| f.position);
        let mut lines = Vec::new();
        for chain in chains.iter().filter_map(|id| self.document.chains.get(id)) {
            for (at, joint) in chain.joints.iter().enumerate() {
                let above = self.character.skeleton.parent_of(joint.bone);
                let goes_on = at > 0 && above == Some(chain.joints[at - 1].bone);
                if !goes_on {
                    lines.push(Vec::new());
                }
                let line: &mut Vec<glam::Vec3> = lines.last_mut().expect("the first joint begins one");
                line.truncate(if goes_on { line.len().saturating_sub(1) } else { 0 });
                line.extend(head(joint.bone));
                line.extend(tip(joint.bone));
            }
        }
        lines
    }

    /// Whether the picture changes on its own, so that the window must be drawn again.
    pub fn is_moving(&self) -> bool {
        self.play.is_moving()
    }

    /// Does what the artist asked for. What cannot be done becomes a message.
    pub fn handle(&mut self, command: Command) {
        command::handle(self, command);
    }

    /// What tuning reaches now: the selected joints, their chains, or all chains; of those, what the solver of the
    /// tuned system moves.
    pub fn targets(&self) -> Targets {
        let mut targets = self.selection.targets(&self.document, &self.resolved.index);
        let solver = self.system().solver;
        targets.chains.retain(|id| self.is_under(*id, solver));
        targets.joints.retain(|(id, _)| self.is_under(*id, solver));
        targets
    }

    /// Whether that solver moves a chain.
    pub fn is_under(&self, id: ChainId, solver: SolverKind) -> bool {
        self.document.chains.get(&id).is_some_and(|c| self.document.solver_of(c) == solver)
    }

    /// The selected chains that tuning does not reach, counted by the solver that moves them.
    pub fn out_of_reach(&self) -> BTreeMap<SolverKind, usize> {
        let mut others = BTreeMap::new();
        let solver = self.system().solver;
        let selected = self.selected_chains();
        for chain in selected.iter().filter_map(|id| self.document.chains.get(id)) {
            let kind = self.document.solver_of(chain);
            if kind != solver {
                *others.entry(kind).or_default() += 1;
            }
        }
        others
    }

    /// What is selected, whatever moves it; all chains where nothing is.
    pub fn selected_chains(&self) -> BTreeSet<ChainId> {
        let targets = self.selection.targets(&self.document, &self.resolved.index);
        targets.chains.into_iter().chain(targets.joints.into_iter().map(|(id, _)| id)).collect()
    }

    /// Puts a new version of the character in place of the old one; bones are found again by name. The setup, the
    /// selection and the undo list stay. Returns [`Session::lost_bones`]; they are found again when a later
    /// version has them.
    pub fn replace_character(&mut self, character: Arc<Character>) -> Vec<(BoneId, String)> {
        rebind::rebind(self, &character);
        let playing = match self.play.motion() {
            Motion::Clip(at) => self.character.clips.get(at).map(|clip| clip.name.clone()),
            _ => None,
        };
        self.character = character;
        self.rebuild();
        self.play.character_changed(&self.character, &self.resolved);
        // The file may have more or fewer animations now.
        let again = playing.and_then(|name| self.character.clips.iter().position(|clip| clip.name == name));
        if let Some(at) = again {
            self.play.set_motion(Motion::Clip(at));
        }
        self.play.reset(&self.character, &self.document);
        self.tell_work();
        self.tell_strays();
        self.tell_missing_underlay();
        self.lost_bones()
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

    /// Applies an edit as one undo step; refused edits become messages and change nothing.
    pub fn apply(&mut self, edit: Edit, label: Label) -> bool {
        let told = label.told.then(|| (label.clone(), self.history.current()));
        let sharing = if label.lets_go { Vec::new() } else { self.sharers() };
        match self.history.apply(&mut self.document, edit, label) {
            Ok(touched) => {
                if let Some((label, before)) = told {
                    let idle = self.history.current() == before;
                    self.messages.say(if idle { Said::NothingToDo(label) } else { Said::Done(label) });
                }
                if let Some((material, chain, more)) = self.left_material(&sharing) {
                    self.messages.say(Said::LeftMaterial { material, chain, more });
                }
                self.refresh(touched);
                true
            }
            Err(err) => {
                self.messages.say(Said::Refused(err));
                false
            }
        }
    }

    fn refresh(&mut self, touched: Touched) {
        self.feel.forget(false);
        self.play.settle_preview(&self.document);
        self.baseline.follow(&self.document, &self.character);
        match touched {
            Touched::Nothing => {}
            Touched::Params => {
                self.document.resolve_values(&self.character.skeleton, &mut self.resolved);
                self.play.bake(&self.resolved);
            }
            Touched::Topology => self.rebuild(),
        }
        self.selection.forget_missing(&self.character.skeleton, &self.document);
        self.play.forget_missing(&self.document);
        self.forget_strays();
        self.tell_work();
    }

    fn rebuild(&mut self) {
        self.feel.forget(true);
        self.resolved = self.document.resolve(&self.character.skeleton);
        self.joints = joint_map(&self.resolved);
        self.play.rebuild(&self.resolved);
    }
}

fn joint_map(resolved: &Resolved) -> BTreeMap<BoneId, JointIndex> {
    let system_joints = resolved.joints.iter().enumerate();
    system_joints
        .flat_map(|(system, refs)| {
            refs.iter().enumerate().map(move |(joint, JointRef { bone, .. })| {
                (*bone, JointIndex { system: system as u32, joint: joint as u32 })
            })
        })
        .collect()
}
