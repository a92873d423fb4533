//! Lists all actions of menus and keys. Menus, tooltips and the shortcut overview read this list.
//!
//! The list does not contain mouse gestures or the keys of a single widget, such as Delete in a curve.

use crate::stage::{CameraPreset, KeyLight};
use crate::ui::isolation;
use crate::ui::kit::i18n;
use crate::ui::motion_order;
use crate::ui::setup_tools::SetupAction;
use crate::ui::{AppRequest, DialogKind, DrawerTab, IS_PAGE, UiContext};
use egui::{Context, Key, KeyboardShortcut, Modifiers};
use yuremono_session::{Command, CompareWith, SelectMode, SweepSubject};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident $label:expr)+) => {
        /// A command of a menu item or of a shortcut.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Action {
            $($(#[$doc])* $name,)+
        }

        impl Action {
            pub const fn label(self) -> MessageText {
                match self {
                    $(Self::$name => $label,)+
                }
            }
        }
    };
}

actions! {
    Open message!("Open character…")
    Reload message!("Reload")
    Save message!("Save project")
    SaveAs message!("Save project as…")
    SaveCharacter message!("Save into VRM…")
    SavePicture message!("Save picture…")
    SaveClip message!("Save clip…")
    Import message!("Import CSV or JSON…")
    Export message!("Export CSV or JSON…")
    Quit message!("Quit")
    Undo message!("Undo")
    Redo message!("Redo")
    FocusSearch message!("Select by name…")
    SelectAll message!("Select all joints")
    SelectChildren message!("Select children")
    Deselect message!("Deselect")
    CopyValues message!("Copy chain values")
    PasteValues message!("Paste chain values")
    DetectChains message!("Detect chains…")
    PlayPause message!("Play or pause")
    Step message!("One step")
    StepBack message!("One step back")
    ResetPose message!("Reset pose")
    /// Plays the next motion of the list, and loads the next file of the motion folder after the last motion.
    NextMotion message!("Next motion")
    /// Displays B in place of A, or starts a comparison.
    FlipComparison message!("Compare A and B")
    /// Shows several values of one parameter side by side.
    Sweep message!("Sweep…")
    /// Keeps the dragged pose for tuning.
    KeepPose message!("Keep pose")
    DiscardKeptPose message!("Discard kept pose")
    /// Makes the current pose the rest pose.
    SetRestPose message!("Set as rest pose")
    /// Solos the selected chains, or ends their solo.
    SoloChains message!("Solo chains")
    /// Mutes the selected chains, or unmutes them.
    MuteChains message!("Mute chains")
    FrameSelection message!("Frame selection")
    ViewFront message!("Front{:view}")
    ViewLeft message!("Left{:view}")
    ViewBack message!("Back{:view}")
    ViewTop message!("Top")
    /// Turns the light by a step, clockwise as seen from above.
    LightLeft message!("Turn light to the left")
    LightRight message!("Turn light to the right")
    ToggleOverlays message!("Hide all overlays")
    ToggleCurves message!("Curves")
    ToggleGraph message!("Graph")
    TogglePresets message!("Presets")
    ToggleDoctor message!("Doctor")
    ToggleMessages message!("Messages")
    FocusNextRegion message!("Focus next panel")
    FocusPreviousRegion message!("Focus previous panel")
    ShowShortcuts message!("Keyboard and mouse")
}

/// Headings of the list of shortcuts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortcutTopic {
    Files,
    Edit,
    Play,
    View,
}

#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    pub topic: ShortcutTopic,
    pub action: Action,
    pub key: KeyboardShortcut,
    /// Whether the shortcut works while the artist types text.
    pub while_typing: bool,
}

const NO_MODIFIERS: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

const fn shortcut(topic: ShortcutTopic, action: Action, modifiers: Modifiers, key: Key, always: bool) -> Shortcut {
    Shortcut { topic, action, key: KeyboardShortcut::new(modifiers, key), while_typing: always }
}

/// While this key is down, the character has its loaded tuning.
pub const AS_LOADED_KEY: Key = Key::L;

/// All shortcuts of the window. If two shortcuts use the same key, the shortcut with more modifiers comes first.
/// Otherwise the shortcut with fewer modifiers would consume the event.
const SHORTCUTS: &[Shortcut] = &[
    shortcut(ShortcutTopic::Files, Action::Open, CTRL, Key::O, true),
    shortcut(ShortcutTopic::Files, Action::SaveAs, CTRL_SHIFT, Key::S, true),
    shortcut(ShortcutTopic::Files, Action::Save, CTRL, Key::S, true),
    shortcut(ShortcutTopic::Files, Action::Reload, NO_MODIFIERS, Key::F5, true),
    shortcut(ShortcutTopic::Files, Action::Import, CTRL, Key::I, true),
    shortcut(ShortcutTopic::Files, Action::Export, CTRL, Key::E, true),
    shortcut(ShortcutTopic::Files, Action::SaveClip, CTRL, Key::F12, true),
    shortcut(ShortcutTopic::Files, Action::SavePicture, NO_MODIFIERS, Key::F12, true),
    shortcut(ShortcutTopic::Files, Action::Quit, CTRL, Key::Q, true),
    shortcut(ShortcutTopic::Edit, Action::Redo, CTRL_SHIFT, Key::Z, false),
    shortcut(ShortcutTopic::Edit, Action::Undo, CTRL, Key::Z, false),
    shortcut(ShortcutTopic::Edit, Action::Redo, CTRL, Key::Y, false),
    shortcut(ShortcutTopic::Edit, Action::FocusSearch, CTRL, Key::F, true),
    shortcut(ShortcutTopic::Edit, Action::SelectAll, CTRL, Key::A, false),
    shortcut(ShortcutTopic::Edit, Action::SelectChildren, CTRL, Key::D, false),
    shortcut(ShortcutTopic::Edit, Action::CopyValues, CTRL, Key::C, false),
    shortcut(ShortcutTopic::Edit, Action::PasteValues, CTRL, Key::V, false),
    shortcut(ShortcutTopic::Play, Action::PlayPause, NO_MODIFIERS, Key::Space, false),
    shortcut(ShortcutTopic::Play, Action::Step, NO_MODIFIERS, Key::Period, false),
    shortcut(ShortcutTopic::Play, Action::StepBack, NO_MODIFIERS, Key::Comma, false),
    shortcut(ShortcutTopic::Play, Action::Step, NO_MODIFIERS, Key::ArrowRight, false),
    shortcut(ShortcutTopic::Play, Action::StepBack, NO_MODIFIERS, Key::ArrowLeft, false),
    shortcut(ShortcutTopic::Play, Action::ResetPose, NO_MODIFIERS, Key::R, false),
    shortcut(ShortcutTopic::Play, Action::NextMotion, NO_MODIFIERS, Key::N, false),
    shortcut(ShortcutTopic::Play, Action::Sweep, Modifiers::SHIFT, Key::B, false),
    shortcut(ShortcutTopic::Play, Action::FlipComparison, NO_MODIFIERS, Key::B, false),
    shortcut(ShortcutTopic::Play, Action::MuteChains, Modifiers::SHIFT, Key::S, false),
    shortcut(ShortcutTopic::Play, Action::SoloChains, NO_MODIFIERS, Key::S, false),
    shortcut(ShortcutTopic::View, Action::FrameSelection, NO_MODIFIERS, Key::F, false),
    shortcut(ShortcutTopic::View, Action::ViewBack, CTRL, Key::Num1, false),
    shortcut(ShortcutTopic::View, Action::ViewFront, NO_MODIFIERS, Key::Num1, false),
    shortcut(ShortcutTopic::View, Action::ViewLeft, NO_MODIFIERS, Key::Num3, false),
    shortcut(ShortcutTopic::View, Action::ViewTop, NO_MODIFIERS, Key::Num7, false),
    shortcut(ShortcutTopic::View, Action::LightLeft, NO_MODIFIERS, Key::OpenBracket, false),
    shortcut(ShortcutTopic::View, Action::LightRight, NO_MODIFIERS, Key::CloseBracket, false),
    shortcut(ShortcutTopic::View, Action::ToggleOverlays, NO_MODIFIERS, Key::H, false),
    shortcut(ShortcutTopic::View, Action::ToggleCurves, NO_MODIFIERS, Key::C, false),
    shortcut(ShortcutTopic::View, Action::ToggleGraph, NO_MODIFIERS, Key::G, false),
    shortcut(ShortcutTopic::View, Action::TogglePresets, NO_MODIFIERS, Key::P, false),
    shortcut(ShortcutTopic::View, Action::ToggleMessages, NO_MODIFIERS, Key::M, false),
    shortcut(ShortcutTopic::View, Action::FocusPreviousRegion, Modifiers::SHIFT, Key::F6, true),
    shortcut(ShortcutTopic::View, Action::FocusNextRegion, NO_MODIFIERS, Key::F6, true),
    shortcut(ShortcutTopic::View, Action::ShowShortcuts, NO_MODIFIERS, Key::F1, true),
];

/// Returns the shortcuts of the window. A browser reloads and closes a page itself.
pub fn shortcuts() -> impl Iterator<Item = &'static Shortcut> {
    SHORTCUTS.iter().filter(|shortcut| !(IS_PAGE && matches!(shortcut.action, Action::Reload | Action::Quit)))
}

impl Shortcut {
    /// Returns the text of the shortcut, for example "Ctrl+Z".
    pub fn text(&self, ctx: &Context) -> String {
        let text = ctx.format_shortcut(&self.key);
        text.replace("Period", ".").replace("Comma", ",").replace("OpenBracket", "[").replace("CloseBracket", "]")
    }
}

impl Action {
    /// Returns the text of the shortcut, for example "Ctrl+Z". Returns an empty string if the action has no shortcut.
    pub fn shortcut_text(self, ctx: &Context) -> String {
        if self == Self::Deselect {
            return "Esc".to_owned();
        }
        let found = shortcuts().find(|s| s.action == self);
        found.map(|s| s.text(ctx)).unwrap_or_default()
    }

    pub fn is_enabled(self, cx: &UiContext<'_>) -> bool {
        let session = cx.session();
        match self {
            Self::Undo => session.history().next_undo().is_some(),
            Self::Redo => session.history().next_redo().is_some(),
            Self::SelectChildren => !session.selection().bones.is_empty(),
            Self::Deselect => !session.selection().is_empty(),
            Self::SoloChains | Self::MuteChains => !session.selection().chains(session.document()).is_empty(),
            Self::SelectAll | Self::Sweep => !session.document().chains.is_empty(),
            Self::CopyValues => SetupAction::Copy.is_enabled(cx),
            Self::PasteValues => SetupAction::Paste.is_enabled(cx),
            Self::Reload => !cx.input.file.is_sample && cx.input.file.opening.is_none(),
            Self::SaveCharacter => session.document().joint_count() > 0,
            Self::SaveClip => cx.input.capture.clip.is_none(),
            Self::FlipComparison => session.sweep().is_none() && !session.document().chains.is_empty(),
            Self::KeepPose => session.playback().drags().iter().any(yuremono_session::Drag::is_held),
            Self::DiscardKeptPose => !session.document().kept_pose.is_empty(),
            Self::SetRestPose => session.inspection().system().solver.info().can_set_rest_pose,
            _ => true,
        }
    }

    /// Returns the tooltip of the menu item: the effect of the action, or the reason why the action is disabled.
    pub fn hint(self, cx: &UiContext<'_>) -> Option<String> {
        let possible = self.is_enabled(cx);
        let text = match self {
            Self::SetRestPose if possible => message!(
                "The current pose counts as rest until the setup is rebuilt: when a chain, the bone of a collider or the character changes."
            ),
            Self::SetRestPose => message!("Only the VRM solver can use another rest pose."),
            Self::Sweep => message!(
                "Shows the character with several values of one parameter side by side. Without a running sweep, the parameter is Speed; a right-click on another parameter sweeps that parameter."
            ),
            Self::KeepPose if possible => {
                message!("Keeps the dragged pose under every motion, and saves it with the project.")
            }
            Self::KeepPose => message!("Switch off \"Return on release\" and drag a ring first."),
            Self::DiscardKeptPose if possible => message!("Returns to the pose of the motion."),
            Self::DiscardKeptPose => message!("No pose is kept."),
            Self::SaveCharacter if possible => message!(
                "Writes the springs into a VRM. The rest of the file stays unchanged. An existing file is replaced only after you confirm."
            ),
            Self::SaveCharacter => message!("No joints to save."),
            Self::SavePicture if cx.state.prefs.look.transparent_pictures => message!(
                "Saves the character without background and overlays as a PNG, as the view menu of the viewport says."
            ),
            Self::SavePicture => message!("Saves the viewport as it is shown as a PNG, without the controls over it."),
            Self::SaveClip if possible => message!(
                "Records the viewport as it is shown as a GIF or an animated PNG, without the controls over it."
            ),
            Self::SaveClip => message!("A clip is being written. The status line shows its progress."),
            Self::Export if !possible => message!(
                "{solver} has no table in this format. Save into VRM, or switch the solver first.",
                solver = i18n::solver_name(cx.theme.lang, cx.inspection().system().solver)
            ),
            _ => return None,
        };
        Some(cx.tr(text).into_owned())
    }

    /// Runs the action. `FocusNextRegion` and `FocusPreviousRegion` have no effect here, because the layout handles
    /// both actions.
    pub fn run(self, cx: &mut UiContext<'_>) {
        match self {
            Self::Open => cx.request(AppRequest::OpenDialog),
            Self::Reload => cx.request(AppRequest::ReloadCharacter),
            Self::Save => cx.request(AppRequest::Save),
            Self::SaveAs => cx.request(AppRequest::SaveAs),
            Self::SaveCharacter => cx.request(AppRequest::SaveCharacter),
            Self::SavePicture => cx.request(AppRequest::SavePicture),
            Self::SaveClip => cx.state.dialogs_to_open.push(DialogKind::SaveClip),
            Self::SetRestPose => cx.command(Command::SetRestPose),
            Self::Import => cx.request(AppRequest::ImportDialog),
            Self::Export => cx.state.dialogs_to_open.push(DialogKind::Export),
            Self::Quit => cx.request(AppRequest::Quit),
            Self::Undo => cx.command(Command::Undo),
            Self::Redo => cx.command(Command::Redo),
            Self::FocusSearch => cx.state.search_focus_wanted = true,
            Self::SelectAll => {
                let joints = cx.document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
                let joints = joints.collect();
                cx.command(Command::Select(joints, SelectMode::Replace));
            }
            Self::SelectChildren => cx.command(Command::SelectDescendants),
            Self::Deselect => cx.command(Command::ClearSelection),
            Self::CopyValues => SetupAction::Copy.run(cx),
            Self::PasteValues => SetupAction::Paste.run(cx),
            Self::DetectChains => cx.state.dialogs_to_open.push(DialogKind::DetectChains),
            Self::PlayPause => {
                let playing = cx.playback().settings().playing;
                cx.command(Command::SetPlaying(!playing));
            }
            Self::Step => cx.command(Command::StepOnce),
            Self::StepBack => cx.command(Command::StepBack),
            Self::ResetPose => cx.command(Command::ResetPose),
            Self::NextMotion => motion_order::play_next(cx),
            Self::FlipComparison if cx.session().comparison().is_some() => cx.command(Command::FlipComparison),
            Self::FlipComparison => cx.command(Command::Compare(Box::new(CompareWith::Before))),
            Self::Sweep => {
                let running = cx.session().sweep().map(|sweep| sweep.settings.subject);
                let subject = running.unwrap_or(SweepSubject::Feel(FeelParam::Speed));
                cx.state.dialogs_to_open.push(DialogKind::Sweep(subject));
            }
            Self::KeepPose => cx.command(Command::KeepPose),
            Self::DiscardKeptPose => cx.command(Command::DiscardKeptPose),
            Self::SoloChains => isolation::toggle_solo(cx, cx.selection().chains(cx.document())),
            Self::MuteChains => isolation::toggle_mute(cx, cx.selection().chains(cx.document())),
            Self::FrameSelection => cx.state.frame_wanted = true,
            Self::ViewFront => cx.state.camera_wanted = Some(CameraPreset::Front),
            Self::ViewLeft => cx.state.camera_wanted = Some(CameraPreset::Left),
            Self::ViewBack => cx.state.camera_wanted = Some(CameraPreset::Back),
            Self::ViewTop => cx.state.camera_wanted = Some(CameraPreset::Top),
            Self::LightLeft => cx.state.prefs.look.turn_light(-KeyLight::STEP),
            Self::LightRight => cx.state.prefs.look.turn_light(KeyLight::STEP),
            Self::ToggleOverlays => cx.state.overlays_hidden = !cx.state.overlays_hidden,
            Self::ToggleCurves => toggle_drawer(cx, DrawerTab::Curves),
            Self::ToggleGraph => toggle_drawer(cx, DrawerTab::Graph),
            Self::TogglePresets => toggle_drawer(cx, DrawerTab::Presets),
            Self::ToggleDoctor => toggle_drawer(cx, DrawerTab::Doctor),
            Self::ToggleMessages => toggle_drawer(cx, DrawerTab::Messages),
            Self::ShowShortcuts => cx.state.dialogs_to_open.push(DialogKind::Shortcuts),
            Self::FocusNextRegion | Self::FocusPreviousRegion => {}
        }
    }
}

fn toggle_drawer(cx: &mut UiContext<'_>, tab: DrawerTab) {
    cx.state.drawer_tab = if cx.state.drawer_tab == Some(tab) { None } else { Some(tab) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_one_action() {
        for (i, a) in SHORTCUTS.iter().enumerate() {
            for b in &SHORTCUTS[i + 1..] {
                assert_ne!(a.key, b.key, "{:?} and {:?}", a.action, b.action);
            }
        }
    }

    #[test]
    fn shortcuts_with_more_modifiers_are_listed_first() {
        for (i, long) in SHORTCUTS.iter().enumerate() {
            for short in &SHORTCUTS[..i] {
                let same_letter = short.key.logical_key == long.key.logical_key;
                let swallows = long.key.modifiers.matches_logically(short.key.modifiers);
                assert!(!(same_letter && swallows), "{:?} stands before {:?}", short.action, long.action);
            }
        }
    }
}
