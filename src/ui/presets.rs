//! State of presets that panels share: the library and previews.

use crate::tr;
use crate::ui::kit::theme::Theme;
use egui::Rect;
use std::sync::Arc;
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ChainPart, Edit, difference};
use yuremono_model::feel::{preset::Preset, preset::PresetProperty};
use yuremono_session::{AppliedPreset, Command, PresetId, Session};
use yuremono_sim::FeelParam;
use yuremono_sim::rig::Character;

#[derive(Clone, Debug, Default)]
pub struct PresetLibrary {
    pub built_in: &'static [Preset],
    pub user: Vec<Preset>,
}

impl PresetLibrary {
    /// Returns all presets, with the built-in presets first.
    pub fn all(&self) -> impl Iterator<Item = (PresetId, &Preset)> {
        let built_in = self.built_in.iter().map(|preset| (false, preset));
        let custom = self.user.iter().map(|preset| (true, preset));
        built_in.chain(custom).map(|(is_custom, preset)| (PresetId { is_custom, key: preset.key.clone() }, preset))
    }

    pub fn get(&self, id: &PresetId) -> Option<&Preset> {
        let list = if id.is_custom { self.user.as_slice() } else { self.built_in };
        list.iter().find(|preset| preset.key == id.key)
    }

    /// Returns the parts that have built-in presets, in display order.
    pub(super) fn parts(&self) -> Vec<ChainPart> {
        let has = |part: &ChainPart| self.built_in.iter().any(|preset| preset.parts.first() == Some(part));
        ChainPart::ALL.into_iter().filter(has).collect()
    }
}

/// A change to show without editing the document.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PreviewRequest {
    /// A preset on its targets, with some or all of its properties.
    Preset { id: PresetId, targets: EditTargets, properties: Option<Vec<PresetProperty>>, source: PreviewSource },
    /// The loaded tuning, while a key is down.
    AsLoaded,
    /// The pending change of a dialog, see [`Previews::request_for_dialog`].
    Dialog,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PreviewSource {
    /// A hovered card or a hovered menu item.
    Hover,
    /// The compare dialog.
    Dialog,
}

#[derive(Debug)]
struct DialogPreview {
    /// Caption of the preview.
    name: String,
    edit: Edit,
}

#[derive(Debug)]
struct ActivePreview {
    request: PreviewRequest,
    /// The history state that the preview was made for.
    document_revision: u64,
    /// Whether the session has already shown the preview.
    was_previewing: bool,
}

/// Chooses between previews. Panels request previews in every frame, and the last request of a frame wins. An older
/// request takes effect again when the later requests end.
#[derive(Debug, Default)]
pub struct Previews {
    requested: Option<PreviewRequest>,
    active: Option<ActivePreview>,
    /// Input for `PreviewRequest::Dialog`.
    dialog: Option<DialogPreview>,
    /// The preview that Esc dismissed. The preview stays dismissed until the pointer moves to another element.
    dismissed: Option<PreviewRequest>,
}

#[derive(Debug, Default)]
pub struct PresetUiState {
    pub library: Arc<PresetLibrary>,
    pub previews: Previews,
    /// The preset for the next dialog. `None` uses the selection.
    pub(super) dialog_preset: Option<PresetId>,
    /// The rectangle of the drawer, for dialogs above the drawer.
    pub(super) drawer_rect: Option<Rect>,
    cached_in_use: Option<CachedPreset>,
}

/// The preset that the selected chains match, and the state for which the match was computed.
#[derive(Debug)]
struct CachedPreset {
    character: Arc<Character>,
    document_revision: u64,
    chains: Vec<ChainId>,
    found: Option<PresetId>,
}

impl Previews {
    /// Whether a preset or the loaded tuning is shown.
    pub fn is_running(&self) -> bool {
        self.active.as_ref().is_some_and(|running| running.request != PreviewRequest::Dialog)
    }

    /// Requests a preview for this frame.
    pub(super) fn request(&mut self, show: PreviewRequest) {
        self.requested = Some(show);
    }

    /// Requests the preview of a dialog for this frame. This request replaces any other request. `edit` runs only if
    /// the preview is not shown already. Call [`Previews::invalidate_dialog`] if the dialog's change differs.
    pub(super) fn request_for_dialog(&mut self, session: &Session, name: String, edit: impl FnOnce() -> Edit) {
        let is_current =
            self.active.as_ref().is_some_and(|running| running.is_current(&PreviewRequest::Dialog, session));
        self.dialog = (!is_current).then(|| DialogPreview { name, edit: edit() });
        self.request(PreviewRequest::Dialog);
    }

    pub(super) fn invalidate_dialog(&mut self) {
        self.active.take_if(|running| running.request == PreviewRequest::Dialog);
    }

    /// Handles Esc: ends a hover preview. Returns whether a preview ended.
    pub(super) fn dismiss(&mut self) -> bool {
        match self.active.as_ref().map(|running| &running.request) {
            Some(show @ PreviewRequest::Preset { source: PreviewSource::Hover, .. }) => {
                self.dismissed = Some(show.clone());
                true
            }
            _ => false,
        }
    }
}

impl ActivePreview {
    /// Whether `show` needs no update. If the session shows no preview, the preview of a dialog has ended. An edit
    /// without changes never had a preview.
    fn is_current(&self, show: &PreviewRequest, session: &Session) -> bool {
        let lost = *show == PreviewRequest::Dialog && self.was_previewing && !session.playback().is_previewing();
        self.request == *show && self.document_revision == session.history().current_state() && !lost
    }
}

/// Returns the caption of `show` if it can have changed, and the edit unless the edit is already shown. Returns `None`
/// if the preset or the difference no longer exists.
fn resolve_preview(
    session: &Session,
    library: &PresetLibrary,
    theme: &Theme,
    show: &PreviewRequest,
    is_current: bool,
    dialog: Option<DialogPreview>,
) -> Option<(Option<String>, Option<Edit>)> {
    match show {
        PreviewRequest::Preset { id, properties, .. } => {
            let preset = library.get(id)?;
            let edit = || {
                session
                    .inspection()
                    .preset_application(id.clone(), preset, properties.as_deref(), theme.is_japanese())
                    .edit
            };
            Some((Some(preset.name.get(theme.is_japanese()).to_owned()), (!is_current).then(edit)))
        }
        PreviewRequest::AsLoaded => {
            let edit = || difference(session.document(), session.loaded());
            Some((Some(tr!(theme, "tuning as loaded").into_owned()), (!is_current).then(edit)))
        }
        PreviewRequest::Dialog if is_current => Some((None, None)),
        PreviewRequest::Dialog => dialog.map(|DialogPreview { name, edit }| (Some(name), Some(edit))),
    }
}

/// Returns the chain whose feel a new preset would save.
pub(super) fn chain_to_save(session: &Session) -> Option<ChainId> {
    let chain = session.inspection().active_chain();
    let chain = chain.or_else(|| session.inspection().selected_chains().first().copied());
    chain.filter(|_| !session.selection().bones.is_empty())
}

/// Returns speed and settling, for example "1.8 Hz · 0.55".
pub(super) fn feel_summary(preset: &Preset) -> String {
    let base = |term| preset.feel.get(term).map(|a| a.base);
    let speed = base(FeelParam::Speed).map(|hertz| format!("{hertz:.1} Hz"));
    let settle = base(FeelParam::Settling).map(|ratio| format!("{ratio:.2}"));
    speed.into_iter().chain(settle).collect::<Vec<_>>().join(" · ")
}

impl PresetUiState {
    /// Starts, changes or ends the preview after all panels have made their requests. Returns the command. `caption`
    /// receives the text above the character.
    pub(super) fn update_preview(&mut self, session: &Session, theme: &Theme, caption: &mut String) -> Option<Command> {
        let previews = &mut self.previews;
        let request = previews.requested.take();
        if request != previews.dismissed {
            previews.dismissed = None;
        }
        let request = request.filter(|show| previews.dismissed.as_ref() != Some(show));
        let state = session.history().current_state();
        let running = previews.active.take();
        let Some(show) = request else {
            return (running.is_some() && session.playback().is_previewing()).then_some(Command::PreviewEdit(None));
        };
        let is_current = running.as_ref().is_some_and(|running| running.is_current(&show, session));
        let dialog = previews.dialog.take();
        let (name, edit) = resolve_preview(session, &self.library, theme, &show, is_current, dialog)?;
        let was_previewing =
            is_current && (running.is_some_and(|running| running.was_previewing) || session.playback().is_previewing());
        if let Some(name) = name {
            *caption = name;
        }
        previews.active = Some(ActivePreview { request: show, document_revision: state, was_previewing });
        edit.map(|edit| Command::PreviewEdit(Some(edit)))
    }

    /// Previews a preset on its targets.
    pub(super) fn request_preview(&mut self, session: &Session, id: &PresetId) {
        let Some(preset) = self.library.get(id) else { return };
        let targets = session.inspection().preset_targets(preset);
        if !targets.is_empty() {
            self.previews.request(PreviewRequest::Preset {
                id: id.clone(),
                targets,
                properties: None,
                source: PreviewSource::Hover,
            });
        }
    }

    /// Applies all properties of a preset.
    pub(super) fn apply(session: &Session, id: &PresetId, preset: &Preset, japanese: bool) -> Command {
        Command::ApplyPreset(Box::new(session.inspection().preset_application(id.clone(), preset, None, japanese)))
    }

    /// Returns the preset that the selected chains use or match. While the pointer is down, the match is not
    /// recomputed.
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
        let found = match session.inspection().applied_preset() {
            AppliedPreset::Same { changed: true, .. } | AppliedPreset::Mixed => None,
            AppliedPreset::Same { id, .. } => Some(id),
            AppliedPreset::None => {
                self.library.all().find(|(_, preset)| session.inspection().matches_preset(preset)).map(|(id, _)| id)
            }
        };
        let character = Arc::clone(session.character());
        self.cached_in_use = Some(CachedPreset { character, document_revision: state, chains, found: found.clone() });
        found
    }

    /// Replaces the library and clears the cached match.
    pub fn set_library(&mut self, library: PresetLibrary) {
        self.library = Arc::new(library);
        self.cached_in_use = None;
    }
}
