//! Floor 5: one open character being tuned.
//!
//! [`Session`] joins the document and its history with a live [`crate::sim::World`], a selection and a clock that
//! only ever hears how many seconds went by. The faces (window, command line) send [`Command`]s, call
//! [`Session::advance`], and draw [`Session::shown`]. No files, no pixels and no clock live here.

mod command;
mod inspect;
mod matching;
mod messages;
mod play;
mod rebind;
mod selection;
mod structure;

pub use command::{Command, MessageId};
pub use inspect::{
    Center, ColliderChoice, Entry, GroupChoice, LengthView, LimitWays, Manner, Meaning, Overrides, Pivots, Remark,
    RowView, Subject, SwingView, Values, Way, entries, short_name,
};
pub use matching::MatchJob;
pub use messages::{Message, Messages, Said};
pub use play::{Drag, Motion, PLAYERS_RATES, Play, Recording, TICK};
pub use selection::{Item, Pick, Scope, Selection};

use crate::doc::convert::{Conversion, convert};
use crate::doc::tune::Targets;
use crate::doc::{Document, Edit, Gesture, History, JointRef, Label, Resolved, Touched};
use crate::rig::{BoneId, Character, WorldPose};
use crate::schema::{SolverKind, find_row};
use crate::sim::JointIndex;
use std::collections::BTreeMap;
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

    fn follow(&mut self, solver: SolverKind, character: &Character) {
        if self.loaded.solver != solver {
            self.loaded = convert(&self.opened, character, solver).after;
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
        };
        session.play.reset(&session.character, &session.document);
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

    /// What was authored when the character was opened, under the solver that the document is under now.
    pub fn loaded(&self) -> &Document {
        &self.baseline.loaded
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
        let row = find_row(self.document.table(), "groundHeight");
        row.map_or(0.0, |row| self.document.system.get(row)).clamp(-1e4, 1e4)
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

    /// Lets `seconds` of the artist's time pass; at most half a second is caught up.
    pub fn advance(&mut self, seconds: f64) {
        let gesture = self.play.advance(seconds, &self.character, &self.document, &self.joints);
        if let Some(gesture) = gesture {
            self.keep(gesture);
        }
    }

    /// Adds a recorded gesture and plays it.
    fn keep(&mut self, gesture: Gesture) {
        let id = self.document.fresh_gesture();
        let label = Label::new("record", 1).name(gesture.name.clone());
        self.apply(Edit::PutGesture { id, gesture: Some(gesture) }, label);
        self.play.set_motion(Motion::Gesture(id));
    }

    /// The same chains under another solver, with what could not come along; nothing changes yet.
    pub fn converted(&self, to: SolverKind) -> Conversion {
        convert(&self.document, &self.character, to)
    }

    /// Whether the picture changes on its own, so that the window must be drawn again.
    pub fn is_moving(&self) -> bool {
        self.play.is_moving()
    }

    /// Does what the artist asked for. What cannot be done becomes a message.
    pub fn handle(&mut self, command: Command) {
        command::handle(self, command);
    }

    /// What tuning reaches now: the selected joints, their chains, or all chains.
    pub fn targets(&self) -> Targets {
        self.selection.targets(&self.document, &self.resolved.index)
    }

    /// Puts a new version of the character in place of the old one; bones are found again by name. The setup, the
    /// selection and the undo list stay. Returns [`Session::lost_bones`]; they are found again when a later
    /// version has them.
    pub fn replace_character(&mut self, character: Arc<Character>) -> Vec<(BoneId, String)> {
        rebind::rebind(self, &character);
        self.character = character;
        self.rebuild();
        self.play.character_changed(&self.character, &self.resolved);
        self.play.reset(&self.character, &self.document);
        self.lost_bones()
    }

    /// The document as it is now is on disk.
    pub fn mark_saved(&mut self) {
        self.history.mark_saved();
    }

    /// Applies an edit as one undo step; refused edits become messages and change nothing.
    pub fn apply(&mut self, edit: Edit, label: Label) -> bool {
        let told = label.told.then(|| (label.clone(), self.history.current()));
        match self.history.apply(&mut self.document, edit, label) {
            Ok(touched) => {
                if let Some((label, before)) = told {
                    let idle = self.history.current() == before;
                    self.messages.say(if idle { Said::NothingToDo(label) } else { Said::Done(label) });
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
        self.baseline.follow(self.document.solver, &self.character);
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
    }

    fn rebuild(&mut self) {
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
