//! What panels share about presets: which there are, and whose motion is shown without being made.

use crate::document::tune::Targets;
use crate::document::{ChainId, Edit, Part};
use crate::feel::{preset::Preset, preset::Property};
use crate::rig::Character;
use crate::session::{Command, PresetId, Session, Was, Worn};
use crate::sim::Term;
use crate::ui::kit::theme::Theme;
use egui::Rect;
use std::sync::Arc;

/// All presets that can be applied.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    /// Of the program.
    pub built_in: &'static [Preset],
    /// Of the artist.
    pub own: Vec<Preset>,
}

impl Shelf {
    /// The built-in ones, then the artist's own.
    pub fn all(&self) -> impl Iterator<Item = (PresetId, &Preset)> {
        let built_in = self.built_in.iter().map(|preset| (false, preset));
        let own = self.own.iter().map(|preset| (true, preset));
        built_in.chain(own).map(|(own, preset)| (PresetId { own, key: preset.key.clone() }, preset))
    }

    /// One of them.
    pub fn get(&self, id: &PresetId) -> Option<&Preset> {
        let list = if id.own { self.own.as_slice() } else { self.built_in };
        list.iter().find(|preset| preset.key == id.key)
    }

    /// The parts that have presets of their own, in the order in which parts are listed.
    pub(super) fn parts(&self) -> Vec<Part> {
        let has = |part: &Part| self.built_in.iter().any(|preset| preset.parts.first() == Some(part));
        Part::ALL.into_iter().filter(has).collect()
    }
}

/// A change that is shown while it is not made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Show {
    /// A preset on what it reaches; some properties, or all.
    Preset { id: PresetId, targets: Targets, take: Option<Vec<Property>>, by: By },
    /// The feel of these chains as it was.
    Was(Vec<ChainId>),
    /// What a window is about to do, see [`Previews::want_own`].
    Own,
}

/// Who shows a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// A card or a line of a menu under the pointer.
    Hover,
    /// The window that compares.
    Window,
}

/// What a window is about to do.
#[derive(Debug)]
struct Own {
    /// What the line above the character calls it.
    name: String,
    edit: Edit,
}

/// What is shown.
#[derive(Debug)]
struct Running {
    show: Show,
    /// The state of the document that it was made for.
    state: u64,
    /// The session was seen to show it.
    seen: bool,
}

/// What is shown without being made, and by whom. A panel says anew in every frame what it wants shown; who speaks last
/// in a frame has its way, and who still wants something when others have fallen silent gets it again.
#[derive(Debug, Default)]
pub struct Previews {
    wanted: Option<Show>,
    running: Option<Running>,
    /// Handed over for [`Show::Own`].
    own: Option<Own>,
    /// What Esc put away, until the pointer goes elsewhere.
    hushed: Option<Show>,
    /// The inspector shows the feel as it was.
    pub(super) as_it_was: bool,
}

/// What panels keep about presets.
#[derive(Debug, Default)]
pub struct PresetState {
    /// All there are.
    pub shelf: Arc<Shelf>,
    /// What is shown of them.
    pub previews: Previews,
    /// What the window that opens next is about; `None` for the selection.
    pub(super) subject: Option<PresetId>,
    /// The drawer, for windows that stand above it.
    pub(super) drawer: Option<Rect>,
    /// The preset that the tuned chains have or feel like, and what that was found for.
    known: Option<Known>,
}

/// Which preset was found for what.
#[derive(Debug)]
struct Known {
    character: Arc<Character>,
    /// Of the document.
    state: u64,
    chains: Vec<ChainId>,
    found: Option<PresetId>,
}

impl Previews {
    /// Whether a feel is shown.
    pub fn is_running(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.show != Show::Own)
    }

    /// Shows this from now on, as long as it is said in every frame.
    pub(super) fn want(&mut self, show: Show) {
        self.wanted = Some(show);
    }

    /// Shows what a window is about to do, in place of anything else; said in every frame too. `edit` is asked where that
    /// is not shown already. What is shown of a window before it counts no more after [`Previews::forget_own`].
    pub(super) fn want_own(&mut self, session: &Session, name: String, edit: impl FnOnce() -> Edit) {
        let goes_on = self.running.as_ref().is_some_and(|running| running.goes_on(&Show::Own, session));
        self.own = (!goes_on).then(|| Own { name, edit: edit() });
        self.as_it_was = false;
        self.want(Show::Own);
    }

    /// The window is about to do something else than it was.
    pub(super) fn forget_own(&mut self) {
        self.running.take_if(|running| running.show == Show::Own);
    }

    /// Esc: ends what the pointer or A/B shows; whether there was such a thing.
    pub(super) fn escape(&mut self) -> bool {
        match self.running.as_ref().map(|running| &running.show) {
            Some(show @ Show::Preset { by: By::Hover, .. }) => {
                self.hushed = Some(show.clone());
                true
            }
            Some(Show::Was(_)) => std::mem::take(&mut self.as_it_was),
            _ => false,
        }
    }
}

impl Running {
    /// Whether nothing needs to be done for `show`. What a window shows has ended where the session shows nothing any
    /// more; an edit that changes nothing was never shown.
    fn goes_on(&self, show: &Show, session: &Session) -> bool {
        let lost = *show == Show::Own && self.seen && !session.playback().is_previewing();
        self.show == *show && self.state == session.history().current() && !lost
    }
}

/// What the line above the character calls `show`, where that may be something new, and the change unless that is shown
/// already. `None` where the preset or the difference is gone.
fn worked_out(
    session: &Session,
    (shelf, theme): (&Shelf, &Theme),
    (show, goes_on): (&Show, bool),
    own: Option<Own>,
) -> Option<(Option<String>, Option<Edit>)> {
    match show {
        Show::Preset { id, take, .. } => {
            let preset = shelf.get(id)?;
            let edit = || session.presets().step(id.clone(), preset, take.as_deref(), theme.is_japanese()).edit;
            Some((Some(preset.name.get(theme.is_japanese()).to_owned()), (!goes_on).then(edit)))
        }
        Show::Was(_) => {
            let (was, edit) = session.presets().as_it_was()?;
            let name = match was {
                Was::Applied(name) => theme.tr_with("presets.as_applied", &[("name", name.get(theme.is_japanese()))]),
                Was::Loaded => theme.tr("presets.as_loaded").into_owned(),
            };
            Some((Some(name), (!goes_on).then_some(edit)))
        }
        Show::Own if goes_on => Some((None, None)),
        Show::Own => own.map(|Own { name, edit }| (Some(name), Some(edit))),
    }
}

/// The chain whose feel would be saved.
pub(super) fn saved_chain(session: &Session) -> Option<ChainId> {
    let chain = session.inspection().active_chain();
    let chain = chain.or_else(|| session.inspection().selected_chains().first().copied());
    chain.filter(|_| !session.selection().bones.is_empty())
}

/// "1.8 Hz · 0.55", or what there is of it.
pub(super) fn numbers(preset: &Preset) -> String {
    let base = |term| preset.feel.get(term).map(|a| a.base);
    let speed = base(Term::Speed).map(|hertz| format!("{hertz:.1} Hz"));
    let settle = base(Term::Settle).map(|ratio| format!("{ratio:.2}"));
    speed.into_iter().chain(settle).collect::<Vec<_>>().join(" · ")
}

impl PresetState {
    /// Starts, changes and ends what is shown, once all panels have said what they want: the command for it. `caption`
    /// becomes what the line above the character calls it.
    pub(super) fn settle(&mut self, session: &Session, theme: &Theme, caption: &mut String) -> Option<Command> {
        let previews = &mut self.previews;
        let wanted = previews.wanted.take();
        if wanted != previews.hushed {
            previews.hushed = None;
        }
        let wanted = wanted.filter(|show| previews.hushed.as_ref() != Some(show));
        let state = session.history().current();
        let running = previews.running.take();
        let Some(show) = wanted else {
            return (running.is_some() && session.playback().is_previewing()).then_some(Command::Preview(None));
        };
        let goes_on = running.as_ref().is_some_and(|running| running.goes_on(&show, session));
        let own = previews.own.take();
        let (name, edit) = worked_out(session, (&self.shelf, theme), (&show, goes_on), own)?;
        let seen = goes_on && (running.is_some_and(|running| running.seen) || session.playback().is_previewing());
        if let Some(name) = name {
            *caption = name;
        }
        previews.running = Some(Running { show, state, seen });
        edit.map(|edit| Command::Preview(Some(edit)))
    }

    /// Shows a preset on what it reaches.
    pub(super) fn want(&mut self, session: &Session, id: &PresetId) {
        let Some(preset) = self.shelf.get(id) else { return };
        let targets = session.presets().targets(preset);
        if !targets.is_empty() {
            self.previews.want(Show::Preset { id: id.clone(), targets, take: None, by: By::Hover });
        }
    }

    /// Applies a preset with all that it says.
    pub(super) fn apply(&mut self, session: &Session, (id, preset): (&PresetId, &Preset), japanese: bool) -> Command {
        self.previews.as_it_was = false;
        Command::ApplyPreset(Box::new(session.presets().step(id.clone(), preset, None, japanese)))
    }

    /// The preset that the tuned chains have as they are now, be it that it was applied or that they feel like it. While
    /// the pointer is down, what was found before it went down.
    pub(super) fn in_use(&mut self, session: &Session, pointer_down: bool) -> Option<PresetId> {
        let chains: Vec<ChainId> = session.inspection().selected_chains().into_iter().collect();
        let state = session.history().current();
        let is_of = |known: &&Known| Arc::ptr_eq(&known.character, session.character()) && known.chains == chains;
        if let Some(known) = self.known.as_ref().filter(is_of)
            && (pointer_down || known.state == state)
        {
            return known.found.clone();
        }
        let found = match session.presets().worn() {
            Worn::One { changed: true, .. } | Worn::Several => None,
            Worn::One { id, .. } => Some(id),
            Worn::None => self.shelf.all().find(|(_, preset)| session.presets().feels_like(preset)).map(|(id, _)| id),
        };
        let character = Arc::clone(session.character());
        self.known = Some(Known { character, state, chains, found: found.clone() });
        found
    }

    /// Other presets are there: what was found among the former counts no more.
    pub fn put(&mut self, shelf: Shelf) {
        self.shelf = Arc::new(shelf);
        self.known = None;
    }
}
