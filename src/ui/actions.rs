//! What menus and keys do alike: one list, so that a key in a menu, in a tooltip and in the list of keys is the
//! key that works.
//!
//! Gestures of the mouse and keys inside of one widget (a curve's Delete, a bar's arrows) are not here.

use crate::session::{Command, SelectMode};
use crate::stage::CameraPreset;
use crate::ui::context::{AppRequest, DialogKind, DrawerTab, UiContext};
use crate::ui::setup_tools::SetupTool;
use egui::{Context, Key, KeyboardShortcut, Modifiers};

/// Something that a menu entry or a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Choose a file and open it.
    Open,
    /// Read the character again.
    Reload,
    /// Save the project.
    Save,
    /// Save the project elsewhere.
    SaveAs,
    /// Write the springs into the character's file.
    SaveCharacter,
    /// Choose a table and show what it would change.
    Import,
    /// Write the table.
    Export,
    /// Close the program.
    Quit,
    /// Take the last step back.
    Undo,
    /// Do it again.
    Redo,
    /// Go to the outliner's search.
    FocusSearch,
    /// Select all joints.
    SelectAll,
    /// Select everything below the selection too.
    SelectChildren,
    /// Select nothing.
    Deselect,
    /// Copy the chain's values.
    CopyValues,
    /// Paste them on the selected chains.
    PasteValues,
    /// Propose chains.
    DetectChains,
    /// Let time run or stand.
    PlayPause,
    /// One tick.
    Step,
    /// Back to rest.
    ResetPose,
    /// The pose that is shown counts as rest.
    SetRestPose,
    /// Frame the selection.
    FrameSelection,
    /// Look at the face.
    ViewFront,
    /// Look from the character's left.
    ViewLeft,
    /// Look at the back.
    ViewBack,
    /// Look from above.
    ViewTop,
    /// Draw nothing over the character, or draw it again.
    ToggleOverlays,
    /// Open or close the curves.
    ToggleCurves,
    /// Open or close the presets.
    TogglePresets,
    /// Open or close the messages.
    ToggleMessages,
    /// Keyboard to the next part of the window.
    FocusNextRegion,
    /// Keyboard to the part before.
    FocusPreviousRegion,
    /// List the keys.
    ShowShortcuts,
}

/// Where keys are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShortcutTopic {
    /// Opening, saving, tables.
    Files,
    /// Undo and selection.
    Edit,
    /// Time.
    Play,
    /// Camera and panels.
    View,
}

/// One line of the list of keys.
#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    /// Where it is listed.
    pub topic: ShortcutTopic,
    /// What it does.
    pub action: Action,
    /// The key.
    pub key: KeyboardShortcut,
    /// Whether it works while a text is being typed.
    pub while_typing: bool,
}

const NO_MODIFIERS: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

const fn shortcut(topic: ShortcutTopic, deed: Action, modifiers: Modifiers, key: Key, always: bool) -> Shortcut {
    Shortcut { topic, action: deed, key: KeyboardShortcut::new(modifiers, key), while_typing: always }
}

/// All keys of the window. Where two share a letter, the longer stands first: the shorter would swallow it.
pub const SHORTCUTS: &[Shortcut] = &[
    shortcut(ShortcutTopic::Files, Action::Open, CTRL, Key::O, true),
    shortcut(ShortcutTopic::Files, Action::SaveAs, CTRL_SHIFT, Key::S, true),
    shortcut(ShortcutTopic::Files, Action::Save, CTRL, Key::S, true),
    shortcut(ShortcutTopic::Files, Action::Reload, NO_MODIFIERS, Key::F5, true),
    shortcut(ShortcutTopic::Files, Action::Import, CTRL, Key::I, true),
    shortcut(ShortcutTopic::Files, Action::Export, CTRL, Key::E, true),
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
    shortcut(ShortcutTopic::Play, Action::ResetPose, NO_MODIFIERS, Key::R, false),
    shortcut(ShortcutTopic::View, Action::FrameSelection, NO_MODIFIERS, Key::F, false),
    shortcut(ShortcutTopic::View, Action::ViewBack, CTRL, Key::Num1, false),
    shortcut(ShortcutTopic::View, Action::ViewFront, NO_MODIFIERS, Key::Num1, false),
    shortcut(ShortcutTopic::View, Action::ViewLeft, NO_MODIFIERS, Key::Num3, false),
    shortcut(ShortcutTopic::View, Action::ViewTop, NO_MODIFIERS, Key::Num7, false),
    shortcut(ShortcutTopic::View, Action::ToggleOverlays, NO_MODIFIERS, Key::H, false),
    shortcut(ShortcutTopic::View, Action::ToggleCurves, NO_MODIFIERS, Key::C, false),
    shortcut(ShortcutTopic::View, Action::TogglePresets, NO_MODIFIERS, Key::P, false),
    shortcut(ShortcutTopic::View, Action::ToggleMessages, NO_MODIFIERS, Key::M, false),
    shortcut(ShortcutTopic::View, Action::FocusPreviousRegion, Modifiers::SHIFT, Key::F6, true),
    shortcut(ShortcutTopic::View, Action::FocusNextRegion, NO_MODIFIERS, Key::F6, true),
    shortcut(ShortcutTopic::View, Action::ShowShortcuts, NO_MODIFIERS, Key::F1, true),
];

impl Shortcut {
    /// The key as it stands on a keyboard, for example "Ctrl+Z".
    pub fn text(&self, ctx: &Context) -> String {
        ctx.format_shortcut(&self.key).replace("Period", ".")
    }
}

impl Action {
    /// Key of its words.
    pub const fn label_key(self) -> &'static str {
        match self {
            Self::Open => "deed.open",
            Self::Reload => "deed.reload",
            Self::Save => "deed.save",
            Self::SaveAs => "deed.save_as",
            Self::SaveCharacter => "deed.save_character",
            Self::SetRestPose => "deed.take_rest",
            Self::Import => "deed.import",
            Self::Export => "deed.export",
            Self::Quit => "deed.quit",
            Self::Undo => "deed.undo",
            Self::Redo => "deed.redo",
            Self::FocusSearch => "deed.find",
            Self::SelectAll => "deed.select_all",
            Self::SelectChildren => "deed.select_children",
            Self::Deselect => "deed.deselect",
            Self::CopyValues => "deed.copy_values",
            Self::PasteValues => "deed.paste_values",
            Self::DetectChains => "deed.detect",
            Self::PlayPause => "deed.play_pause",
            Self::Step => "deed.step",
            Self::ResetPose => "deed.reset_pose",
            Self::FrameSelection => "deed.frame",
            Self::ViewFront => "deed.front",
            Self::ViewLeft => "deed.side",
            Self::ViewBack => "deed.back",
            Self::ViewTop => "deed.top",
            Self::ToggleOverlays => "deed.hide_overlays",
            Self::ToggleCurves => "deed.curves",
            Self::TogglePresets => "deed.presets",
            Self::ToggleMessages => "deed.messages",
            Self::FocusNextRegion => "deed.next_part",
            Self::FocusPreviousRegion => "deed.previous_part",
            Self::ShowShortcuts => "deed.shortcuts",
        }
    }

    /// Its key as text, for example "Ctrl+Z"; empty where it has none.
    pub fn shortcut_text(self, ctx: &Context) -> String {
        if self == Self::Deselect {
            return "Esc".to_owned();
        }
        let found = SHORTCUTS.iter().find(|s| s.action == self);
        found.map(|s| s.text(ctx)).unwrap_or_default()
    }

    /// Whether there is something to do it to.
    pub fn is_enabled(self, cx: &UiContext<'_>) -> bool {
        let session = cx.session();
        match self {
            Self::Undo => session.history().next_undo().is_some(),
            Self::Redo => session.history().next_redo().is_some(),
            Self::SelectChildren => !session.selection().bones.is_empty(),
            Self::Deselect => !session.selection().is_empty(),
            Self::SelectAll => !session.document().chains.is_empty(),
            Self::CopyValues => SetupTool::Copy.is_enabled(cx),
            Self::PasteValues => SetupTool::Paste.is_enabled(cx),
            Self::Reload => !cx.input.file.is_sample && cx.input.file.opening.is_none(),
            Self::SaveCharacter => session.document().joint_count() > 0,
            Self::SetRestPose => session.inspection().supports_set_rest_pose(),
            _ => true,
        }
    }

    /// What the line of a menu says of it under the pointer: why it cannot be done, or what it does.
    pub fn hint(self, cx: &UiContext<'_>) -> Option<String> {
        let possible = self.is_enabled(cx);
        let key = match self {
            Self::SetRestPose if possible => "deed_hint.take_rest",
            Self::SetRestPose => "deed_hint.needs_vrm",
            Self::SaveCharacter if possible => "deed_hint.save_character",
            Self::SaveCharacter => "deed_hint.no_joints",
            Self::Export if !possible => "deed_hint.export",
            _ => return None,
        };
        let solver = crate::ui::kit::i18n::solver_name(cx.theme.lang, cx.session().inspection().system().solver);
        Some(cx.tr_with(key, &[("solver", &solver)]))
    }

    /// Does it. The parts of the window are the layout's: `NextPart` and `PreviousPart` do nothing here.
    pub fn run(self, cx: &mut UiContext<'_>) {
        match self {
            Self::Open => cx.request(AppRequest::OpenDialog),
            Self::Reload => cx.request(AppRequest::ReloadCharacter),
            Self::Save => cx.request(AppRequest::Save),
            Self::SaveAs => cx.request(AppRequest::SaveAs),
            Self::SaveCharacter => cx.request(AppRequest::SaveCharacter),
            Self::SetRestPose => cx.command(Command::SetRestPose),
            Self::Import => cx.request(AppRequest::ImportDialog),
            Self::Export => cx.state.dialogs_to_open.push(DialogKind::Export),
            Self::Quit => cx.request(AppRequest::Quit),
            Self::Undo => cx.command(Command::Undo),
            Self::Redo => cx.command(Command::Redo),
            Self::FocusSearch => cx.state.search_focus_wanted = true,
            Self::SelectAll => {
                let joints = cx.session().document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
                let joints = joints.collect();
                cx.command(Command::Select(joints, SelectMode::Replace));
            }
            Self::SelectChildren => cx.command(Command::SelectDescendants),
            Self::Deselect => cx.command(Command::ClearSelection),
            Self::CopyValues => SetupTool::Copy.run(cx),
            Self::PasteValues => SetupTool::Paste.run(cx),
            Self::DetectChains => cx.state.dialogs_to_open.push(DialogKind::DetectChains),
            Self::PlayPause => {
                let playing = cx.session().playback().settings().playing;
                cx.command(Command::SetPlaying(!playing));
            }
            Self::Step => cx.command(Command::StepOnce),
            Self::ResetPose => cx.command(Command::ResetPose),
            Self::FrameSelection => cx.state.frame_wanted = true,
            Self::ViewFront => cx.state.camera_wanted = Some(CameraPreset::Front),
            Self::ViewLeft => cx.state.camera_wanted = Some(CameraPreset::Left),
            Self::ViewBack => cx.state.camera_wanted = Some(CameraPreset::Back),
            Self::ViewTop => cx.state.camera_wanted = Some(CameraPreset::Top),
            Self::ToggleOverlays => cx.state.overlays_hidden = !cx.state.overlays_hidden,
            Self::ToggleCurves => toggle_drawer(cx, DrawerTab::Curves),
            Self::TogglePresets => toggle_drawer(cx, DrawerTab::Presets),
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
