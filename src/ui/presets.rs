//! What panels share about presets: which there are, and whose motion is shown without being made.

use crate::document::param_edits::EditTargets;
use crate::document::{ChainId, ChainPart, Edit};
use crate::feel::{preset::Preset, preset::PresetProperty};
use crate::rig::Character;
use crate::session::{AppliedPreset, Command, CompareBase, PresetId, Session};
use crate::sim::FeelParam;
use crate::ui::kit::theme::Theme;
use egui::Rect;
use std::sync::Arc;

/// All presets that can be applied.
#[derive(Clone, Debug, Default)]
pub struct PresetLibrary {
    /// Of the program.
    pub built_in: &'static [Preset],
    /// Of the artist.
    pub user: Vec<Preset>,
}

impl PresetLibrary {
    /// The built-in ones, then the artist's own.
    pub fn all(&self) -> impl Iterator<Item = (PresetId, &Preset)> {
        let built_in = self.built_in.iter().map(|preset| (false, preset));
        let own = self.user.iter().map(|preset| (true, preset));
        built_in.chain(own).map(|(own, preset)| (PresetId { is_custom: own, key: preset.key.clone() }, preset))
    }

    /// One of them.
    pub fn get(&self, id: &PresetId) -> Option<&Preset> {
        let list = if id.is_custom { self.user.as_slice() } else { self.built_in };
        list.iter().find(|preset| preset.key == id.key)
    }

    /// The parts that have presets of their own, in the order in which parts are listed.
    pub(super) fn parts(&self) -> Vec<ChainPart> {
        let has = |part: &ChainPart| self.built_in.iter().any(|preset| preset.parts.first() == Some(part));
        ChainPart::ALL.into_iter().filter(has).collect()
    }
}

/// A change that is shown while it is not made.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PreviewRequest {
    /// A preset on what it reaches; some properties, or all.
    Preset { id: PresetId, targets: EditTargets, properties: Option<Vec<PresetProperty>>, source: PreviewSource },
    /// The feel of these chains as it was.
    CompareBase(Vec<ChainId>),
    /// What a window is about to do, see [`Previews::request_for_dialog`].
    Dialog,
}

/// Who shows a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreviewSource {
    /// A card or a line of a menu under the pointer.
    Hover,
    /// The window that compares.
    Dialog,
}

/// What a window is about to do.
#[derive(Debug)]
struct DialogPreview {
    /// What the line above the character calls it.
    name: String,
    edit: Edit,
}

/// What is shown.
#[derive(Debug)]
struct ActivePreview {
    request: PreviewRequest,
    /// The state of the document that it was made for.
    document_revision: u64,
    /// The session was seen to show it.
    was_previewing: bool,
}

/// What is shown without being made, and by whom. A panel says anew in every frame what it wants shown; who speaks last
/// in a frame has its way, and who still wants something when others have fallen silent gets it again.
#[derive(Debug, Default)]
pub struct Previews {
    requested: Option<PreviewRequest>,
    active: Option<ActivePreview>,
    /// Handed over for `PreviewRequest::DialogPreview`.
    dialog: Option<DialogPreview>,
    /// What Esc put away, until the pointer goes elsewhere.
    dismissed: Option<PreviewRequest>,
    /// The inspector shows the feel as it was.
    pub(super) shows_compare_base: bool,
}

/// What panels keep about presets.
#[derive(Debug, Default)]
pub struct PresetUiState {
    /// All there are.
    pub library: Arc<PresetLibrary>,
    /// What is shown of them.
    pub previews: Previews,
    /// What the window that opens next is about; `None` for the selection.
    pub(super) dialog_preset: Option<PresetId>,
    /// The drawer, for windows that stand above it.
    pub(super) drawer_rect: Option<Rect>,
    /// The preset that the tuned chains have or feel like, and what that was found for.
    cached_in_use: Option<CachedPreset>,
}

/// Which preset was found for what.
#[derive(Debug)]
struct CachedPreset {
    character: Arc<Character>,
    /// Of the document.
    document_revision: u64,
    chains: Vec<ChainId>,
    found: Option<PresetId>,
}

impl Previews {
    /// Whether a feel is shown.
    pub fn is_running(&self) -> bool {
        self.active.as_ref().is_some_and(|running| running.request != PreviewRequest::Dialog)
    }

    /// Shows this from now on, as long as it is said in every frame.
    pub(super) fn request(&mut self, show: PreviewRequest) {
        self.requested = Some(show);
    }

    /// Shows what a window is about to do, in place of anything else; said in every frame too. `edit` is asked where that
    /// is not shown already. What is shown of a window before it counts no more after [`Previews::invalidate_dialog`].
    pub(super) fn request_for_dialog(&mut self, session: &Session, name: String, edit: impl FnOnce() -> Edit) {
        let goes_on = self.active.as_ref().is_some_and(|running| running.is_current(&PreviewRequest::Dialog, session));
        self.dialog = (!goes_on).then(|| DialogPreview { name, edit: edit() });
        self.shows_compare_base = false;
        self.request(PreviewRequest::Dialog);
    }

    /// The window is about to do something else than it was.
    pub(super) fn invalidate_dialog(&mut self) {
        self.active.take_if(|running| running.request == PreviewRequest::Dialog);
    }

    /// Esc: ends what the pointer or A/B shows; whether there was such a thing.
    pub(super) fn dismiss(&mut self) -> bool {
        match self.active.as_ref().map(|running| &running.request) {
            Some(show @ PreviewRequest::Preset { source: PreviewSource::Hover, .. }) => {
                self.dismissed = Some(show.clone());
                true
            }
            Some(PreviewRequest::CompareBase(_)) => std::mem::take(&mut self.shows_compare_base),
            _ => false,
        }
    }
}

impl ActivePreview {
    /// Whether nothing needs to be done for `show`. What a window shows has ended where the session shows nothing any
    /// more; an edit that changes nothing was never shown.
    fn is_current(&self, show: &PreviewRequest, session: &Session) -> bool {
        let lost = *show == PreviewRequest::Dialog && self.was_previewing && !session.playback().is_previewing();
        self.request == *show && self.document_revision == session.history().current_state() && !lost
    }
}

/// What the line above the character calls `show`, where that may be something new, and the change unless that is shown
/// already. `None` where the preset or the difference is gone.
fn resolve_preview(
    session: &Session,
    (shelf, theme): (&PresetLibrary, &Theme),
    (show, is_current): (&PreviewRequest, bool),
    own: Option<DialogPreview>,
) -> Option<(Option<String>, Option<Edit>)> {
    match show {
        PreviewRequest::Preset { id, properties: take, .. } => {
            let preset = shelf.get(id)?;
            let edit = || session.presets().application(id.clone(), preset, take.as_deref(), theme.is_japanese()).edit;
            Some((Some(preset.name.get(theme.is_japanese()).to_owned()), (!is_current).then(edit)))
        }
        PreviewRequest::CompareBase(_) => {
            let (was, edit) = session.presets().compare_base()?;
            let name = match was {
                CompareBase::AfterPreset(name) => {
                    theme.tr_with("presets.as_applied", &[("name", name.get(theme.is_japanese()))])
                }
                CompareBase::AsLoaded => theme.tr("presets.as_loaded").into_owned(),
            };
            Some((Some(name), (!is_current).then_some(edit)))
        }
        PreviewRequest::Dialog if is_current => Some((None, None)),
        PreviewRequest::Dialog => own.map(|DialogPreview { name, edit }| (Some(name), Some(edit))),
    }
}

/// The chain whose feel would be saved.
pub(super) fn chain_to_save(session: &Session) -> Option<ChainId> {
    let chain = session.inspection().active_chain();
    let chain = chain.or_else(|| session.inspection().selected_chains().first().copied());
    chain.filter(|_| !session.selection().bones.is_empty())
}

/// "1.8 Hz · 0.55", or what there is of it.
pub(super) fn feel_summary(preset: &Preset) -> String {
    let base = |term| preset.feel.get(term).map(|a| a.base);
    let speed = base(FeelParam::Speed).map(|hertz| format!("{hertz:.1} Hz"));
    let settle = base(FeelParam::Settling).map(|ratio| format!("{ratio:.2}"));
    speed.into_iter().chain(settle).collect::<Vec<_>>().join(" · ")
}

impl PresetUiState {
    /// Starts, changes and ends what is shown, once all panels have said what they want: the command for it. `caption`
    /// becomes what the line above the character calls it.
    pub(super) fn update_preview(&mut self, session: &Session, theme: &Theme, caption: &mut String) -> Option<Command> {
        let previews = &mut self.previews;
        let wanted = previews.requested.take();
        if wanted != previews.dismissed {
            previews.dismissed = None;
        }
        let wanted = wanted.filter(|show| previews.dismissed.as_ref() != Some(show));
        let state = session.history().current_state();
        let running = previews.active.take();
        let Some(show) = wanted else {
            return (running.is_some() && session.playback().is_previewing()).then_some(Command::PreviewEdit(None));
        };
        let goes_on = running.as_ref().is_some_and(|running| running.is_current(&show, session));
        let own = previews.dialog.take();
        let (name, edit) = resolve_preview(session, (&self.library, theme), (&show, goes_on), own)?;
        let seen =
            goes_on && (running.is_some_and(|running| running.was_previewing) || session.playback().is_previewing());
        if let Some(name) = name {
            *caption = name;
        }
        previews.active = Some(ActivePreview { request: show, document_revision: state, was_previewing: seen });
        edit.map(|edit| Command::PreviewEdit(Some(edit)))
    }

    /// Shows a preset on what it reaches.
    pub(super) fn request_preview(&mut self, session: &Session, id: &PresetId) {
        let Some(preset) = self.library.get(id) else { return };
        let targets = session.presets().targets(preset);
        if !targets.is_empty() {
            self.previews.request(PreviewRequest::Preset {
                id: id.clone(),
                targets,
                properties: None,
                source: PreviewSource::Hover,
            });
        }
    }

    /// Applies a preset with all that it says.
    pub(super) fn apply(&mut self, session: &Session, (id, preset): (&PresetId, &Preset), japanese: bool) -> Command {
        self.previews.shows_compare_base = false;
        Command::ApplyPreset(Box::new(session.presets().application(id.clone(), preset, None, japanese)))
    }

    /// The preset that the tuned chains have as they are now, be it that it was applied or that they feel like it. While
    /// the pointer is down, what was found before it went down.
    pub(super) fn preset_in_use(&mut self, session: &Session, pointer_down: bool) -> Option<PresetId> {
        let chains: Vec<ChainId> = session.inspection().selected_chains().into_iter().collect();
        let state = session.history().current_state();
        let is_of =
            |known: &&CachedPreset| Arc::ptr_eq(&known.character, session.character()) && known.chains == chains;
        if let Some(known) = self.cached_in_use.as_ref().filter(is_of)
            && (pointer_down || known.document_revision == state)
        {
            return known.found.clone();
        }
        let found = match session.presets().applied_preset() {
            AppliedPreset::Same { changed: true, .. } | AppliedPreset::Mixed => None,
            AppliedPreset::Same { id, .. } => Some(id),
            AppliedPreset::None => {
                self.library.all().find(|(_, preset)| session.presets().matches_preset(preset)).map(|(id, _)| id)
            }
        };
        let character = Arc::clone(session.character());
        self.cached_in_use = Some(CachedPreset { character, document_revision: state, chains, found: found.clone() });
        found
    }

    /// Other presets are there: what was found among the former counts no more.
    pub fn set_library(&mut self, shelf: PresetLibrary) {
        self.library = Arc::new(shelf);
        self.cached_in_use = None;
    }
}
