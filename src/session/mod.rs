//! One open character being tuned.
//!
//! [`Session`] joins the document and its history with a live [`crate::sim::World`], a selection and a clock that
//! only ever hears how many seconds went by. Window and command line send [`Command`]s, call [`Session::advance`], and
//! read the session through its views: [`Inspection`], [`Playback`], [`Presets`], [`Selection`], [`Messages`]. No files,
//! no pixels and no clock are used here.

mod command;
mod dispatch;
mod edits;
mod feel;
mod inspection;
mod messages;
mod playback;
mod presets;
mod rebind;
mod selection;

pub use command::Command;
pub use inspection::{
    BoxView, Center, ColliderChoice, ComponentTool, Entry, GroupChoice, HingeView, Inspection, LengthView, LimitWays,
    Manner, MaterialChoice, MaterialState, Meaning, OtherSystem, Overrides, Pivots, Remark, RowView, Shared, Subject,
    SwingAxis, SwingView, TermView, Values, Way, entries, short_name,
};
pub use messages::{CutCount, Message, MessageId, Messages, Said, Suspect, range_ends};
pub use playback::{Drag, Motion, PLAYERS_RATES, Playback, Recording, Settings, TICK};
pub use presets::{PresetId, PresetStep, Presets, Was, Worn};
pub use selection::{Item, Pick, Reached, Scope, Selection};

use crate::document::{ChainId, Document, Edit, History, Label, Resolved, Touched};
use crate::feel::{convert::Conversion, convert::convert, convert::convert_chains};
use crate::feel::{convert::refine::Hear, convert::refine::Matched, convert::refine::Take, convert::refine::refine};
use crate::rig::{BoneId, Character, Clip};
use crate::sim::SolverKind;
use playback::{Recorded, Source, missing_underlay};
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
    playback: Playback,
    selection: Selection,
    messages: Messages,
    /// Presets that were applied.
    applied: presets::Applied,
    feel: inspection::FeelPanel,
    reported: messages::Reported,
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
            messages: Messages::default(),
            applied: presets::Applied::default(),
            feel: inspection::FeelPanel::default(),
            reported: messages::Reported::default(),
        };
        session.playback.reset(Source { character: &session.character, document: &session.document });
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

    /// What was authored when the character was opened, each chain under the solver that it is under now.
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
    pub fn presets(&self) -> Presets<'_> {
        Presets::new(self.inspection(), &self.applied)
    }

    /// What is selected and hovered.
    pub fn selection(&self) -> &Selection {
        &self.selection
    }

    /// What was said.
    pub fn messages(&self) -> &Messages {
        &self.messages
    }

    /// Lets `seconds` of the artist's time pass; at most half a second is caught up.
    pub fn advance(&mut self, seconds: f64) {
        let source = Source { character: &self.character, document: &self.document };
        let gesture = self.playback.advance(seconds, source);
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
        self.playback.set_motion(Motion::Gesture(id));
    }

    /// Says so where the gesture that plays was recorded over what is not here.
    fn tell_missing_underlay(&mut self) {
        let Motion::Gesture(id) = self.playback.settings().motion else { return };
        let source = Source { character: &self.character, document: &self.document };
        if let Some(over) = missing_underlay(id, source) {
            let gesture = self.document.gestures[&id].name.clone();
            self.messages.say(Said::GestureAlone { gesture, over });
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
    /// selection and the undo list stay. Returns [`Document::lost_in_use`]; those bones are found again when a later
    /// version has them.
    pub fn replace_character(&mut self, character: Arc<Character>) -> Vec<(BoneId, String)> {
        rebind::rebind(self, &character);
        let playing = match self.playback.settings().motion {
            Motion::Clip(at) => self.character.clips.get(at).map(|clip| clip.name.clone()),
            _ => None,
        };
        self.character = character;
        self.rebuild();
        self.playback.character_changed(&self.character, &self.resolved);
        // The file may have more or fewer animations now.
        let again = playing.and_then(|name| self.character.clips.iter().position(|clip| clip.name == name));
        if let Some(at) = again {
            self.playback.set_motion(Motion::Clip(at));
        }
        self.playback.reset(Source { character: &self.character, document: &self.document });
        self.tell_work();
        self.tell_strays();
        self.tell_missing_underlay();
        self.document.lost_in_use()
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
    fn apply_step(&mut self, step: Option<(Edit, Label)>) {
        if let Some((edit, label)) = step {
            self.apply(edit, label);
        }
    }

    /// Applies an edit as one undo step; refused edits become messages and change nothing.
    fn apply(&mut self, edit: Edit, label: Label) -> bool {
        let told = label.told.then(|| (label.clone(), self.history.current()));
        let sharing = if label.lets_go { Vec::new() } else { self.inspection().sharers() };
        match self.history.apply(&mut self.document, edit, label) {
            Ok(touched) => {
                if let Some((label, before)) = told {
                    let idle = self.history.current() == before;
                    self.messages.say(if idle { Said::NothingToDo(label) } else { Said::Done(label) });
                }
                if let Some((material, chain, more)) = self.inspection().left_material(&sharing) {
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
        self.playback.settle_preview(&self.document);
        self.baseline.follow(&self.document, &self.character);
        match touched {
            Touched::Nothing => {}
            Touched::Params => {
                self.document.resolve_values(&self.character.skeleton, &mut self.resolved);
                self.playback.bake(&self.resolved);
            }
            Touched::Topology => self.rebuild(),
        }
        self.selection.forget_missing(&self.character.skeleton, &self.document);
        self.playback.forget_missing(&self.document);
        self.forget_strays();
        self.tell_work();
    }

    fn rebuild(&mut self) {
        self.feel.forget(true);
        self.resolved = self.document.resolve(&self.character.skeleton);
        self.playback.rebuild(&self.resolved);
    }
}

/// Every search begins with the same numbers, so that it finds the same ones.
const SEED: u64 = 1;

/// All that a search for matching numbers needs, to be carried to another thread.
#[derive(Clone, Debug)]
pub struct MatchJob {
    character: Arc<Character>,
    before: Document,
    conversion: Conversion,
    take: Take,
}

impl MatchJob {
    /// A search for numbers with which these chains, under another solver, follow the present motion as they do now.
    pub fn new(session: &Session, chains: &BTreeSet<ChainId>, to: SolverKind) -> Self {
        let character = Arc::clone(session.character());
        let before = session.document().clone();
        let take = session.playback().take(Source { character: &character, document: &before });
        Self { conversion: convert_chains(&before, &character, chains, to), character, before, take }
    }

    /// Runs the search. `hear` gets the finished share, 0 to 1; `None` where it cancels.
    pub fn run(&self, hear: &mut Hear<'_>) -> Option<Matched> {
        refine(&self.before, &self.character, &self.conversion, &self.take, SEED, hear)
    }

    /// The formula's conversion, where the search begins.
    pub fn conversion(&self) -> &Conversion {
        &self.conversion
    }

    /// The motion that is followed.
    pub fn take(&self) -> &Take {
        &self.take
    }
}
