//! What menus and keys do alike: one list, so that a key in a menu, in a tooltip and in the list of keys is the
//! key that works.
//!
//! Gestures of the mouse and keys inside of one widget (a curve's Delete, a bar's arrows) are not here.

use crate::session::{Command, Pick};
use crate::stage::CameraPreset;
use crate::ui::cx::{Cx, DrawerTab, Request, Window};
use crate::ui::setup::Tool;
use egui::{Context, Key, KeyboardShortcut, Modifiers};

/// Something that a menu entry or a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
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
    Find,
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
    Detect,
    /// Let time run or stand.
    PlayPause,
    /// One tick.
    Step,
    /// Back to rest.
    ResetPose,
    /// The pose that is shown counts as rest.
    TakeRest,
    /// Frame the selection.
    Frame,
    /// Look at the face.
    Front,
    /// Look from the character's left.
    Side,
    /// Look at the back.
    Back,
    /// Look from above.
    Top,
    /// Draw nothing over the character, or draw it again.
    HideOverlays,
    /// Open or close the curves.
    Curves,
    /// Open or close the presets.
    Presets,
    /// Open or close the messages.
    Messages,
    /// Keyboard to the next part of the window.
    NextPart,
    /// Keyboard to the part before.
    PreviousPart,
    /// List the keys.
    Shortcuts,
}

/// Where keys are listed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
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
    pub topic: Topic,
    /// What it does.
    pub deed: Deed,
    /// The key.
    pub key: KeyboardShortcut,
    /// Whether it works while a text is being typed.
    pub always: bool,
}

const NONE: Modifiers = Modifiers::NONE;
const CTRL: Modifiers = Modifiers::COMMAND;
const CTRL_SHIFT: Modifiers = Modifiers { shift: true, ..Modifiers::COMMAND };

const fn line(topic: Topic, deed: Deed, modifiers: Modifiers, key: Key, always: bool) -> Shortcut {
    Shortcut { topic, deed, key: KeyboardShortcut::new(modifiers, key), always }
}

/// All keys of the window. Where two share a letter, the longer stands first: the shorter would swallow it.
pub const SHORTCUTS: &[Shortcut] = &[
    line(Topic::Files, Deed::Open, CTRL, Key::O, true),
    line(Topic::Files, Deed::SaveAs, CTRL_SHIFT, Key::S, true),
    line(Topic::Files, Deed::Save, CTRL, Key::S, true),
    line(Topic::Files, Deed::Reload, NONE, Key::F5, true),
    line(Topic::Files, Deed::Import, CTRL, Key::I, true),
    line(Topic::Files, Deed::Export, CTRL, Key::E, true),
    line(Topic::Files, Deed::Quit, CTRL, Key::Q, true),
    line(Topic::Edit, Deed::Redo, CTRL_SHIFT, Key::Z, false),
    line(Topic::Edit, Deed::Undo, CTRL, Key::Z, false),
    line(Topic::Edit, Deed::Redo, CTRL, Key::Y, false),
    line(Topic::Edit, Deed::Find, CTRL, Key::F, true),
    line(Topic::Edit, Deed::SelectAll, CTRL, Key::A, false),
    line(Topic::Edit, Deed::SelectChildren, CTRL, Key::D, false),
    line(Topic::Edit, Deed::CopyValues, CTRL, Key::C, false),
    line(Topic::Edit, Deed::PasteValues, CTRL, Key::V, false),
    line(Topic::Play, Deed::PlayPause, NONE, Key::Space, false),
    line(Topic::Play, Deed::Step, NONE, Key::Period, false),
    line(Topic::Play, Deed::ResetPose, NONE, Key::R, false),
    line(Topic::View, Deed::Frame, NONE, Key::F, false),
    line(Topic::View, Deed::Back, CTRL, Key::Num1, false),
    line(Topic::View, Deed::Front, NONE, Key::Num1, false),
    line(Topic::View, Deed::Side, NONE, Key::Num3, false),
    line(Topic::View, Deed::Top, NONE, Key::Num7, false),
    line(Topic::View, Deed::HideOverlays, NONE, Key::H, false),
    line(Topic::View, Deed::Curves, NONE, Key::C, false),
    line(Topic::View, Deed::Presets, NONE, Key::P, false),
    line(Topic::View, Deed::Messages, NONE, Key::M, false),
    line(Topic::View, Deed::PreviousPart, Modifiers::SHIFT, Key::F6, true),
    line(Topic::View, Deed::NextPart, NONE, Key::F6, true),
    line(Topic::View, Deed::Shortcuts, NONE, Key::F1, true),
];

impl Shortcut {
    /// The key as it stands on a keyboard, for example "Ctrl+Z".
    pub fn text(&self, ctx: &Context) -> String {
        ctx.format_shortcut(&self.key).replace("Period", ".")
    }
}

impl Deed {
    /// Key of its words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Open => "deed.open",
            Self::Reload => "deed.reload",
            Self::Save => "deed.save",
            Self::SaveAs => "deed.save_as",
            Self::SaveCharacter => "deed.save_character",
            Self::TakeRest => "deed.take_rest",
            Self::Import => "deed.import",
            Self::Export => "deed.export",
            Self::Quit => "deed.quit",
            Self::Undo => "deed.undo",
            Self::Redo => "deed.redo",
            Self::Find => "deed.find",
            Self::SelectAll => "deed.select_all",
            Self::SelectChildren => "deed.select_children",
            Self::Deselect => "deed.deselect",
            Self::CopyValues => "deed.copy_values",
            Self::PasteValues => "deed.paste_values",
            Self::Detect => "deed.detect",
            Self::PlayPause => "deed.play_pause",
            Self::Step => "deed.step",
            Self::ResetPose => "deed.reset_pose",
            Self::Frame => "deed.frame",
            Self::Front => "deed.front",
            Self::Side => "deed.side",
            Self::Back => "deed.back",
            Self::Top => "deed.top",
            Self::HideOverlays => "deed.hide_overlays",
            Self::Curves => "deed.curves",
            Self::Presets => "deed.presets",
            Self::Messages => "deed.messages",
            Self::NextPart => "deed.next_part",
            Self::PreviousPart => "deed.previous_part",
            Self::Shortcuts => "deed.shortcuts",
        }
    }

    /// Its key as text, for example "Ctrl+Z"; empty where it has none.
    pub fn key(self, ctx: &Context) -> String {
        if self == Self::Deselect {
            return "Esc".to_owned();
        }
        let found = SHORTCUTS.iter().find(|s| s.deed == self);
        found.map(|s| s.text(ctx)).unwrap_or_default()
    }

    /// Whether there is something to do it to.
    pub fn is_possible(self, cx: &Cx<'_>) -> bool {
        let session = cx.session();
        match self {
            Self::Undo => session.history().next_undo().is_some(),
            Self::Redo => session.history().next_redo().is_some(),
            Self::SelectChildren => !session.selection().bones.is_empty(),
            Self::Deselect => !session.selection().is_empty(),
            Self::SelectAll => !session.document().chains.is_empty(),
            Self::CopyValues => Tool::Copy.is_possible(cx),
            Self::PasteValues => Tool::Paste.is_possible(cx),
            Self::Reload => !cx.input.file.is_sample && cx.input.file.opening.is_none(),
            Self::SaveCharacter => session.document().joint_count() > 0,
            Self::TakeRest => session.inspection().takes_rest(),
            _ => true,
        }
    }

    /// What the line of a menu says of it under the pointer: why it cannot be done, or what it does.
    pub fn hint(self, cx: &Cx<'_>) -> Option<String> {
        let possible = self.is_possible(cx);
        let key = match self {
            Self::TakeRest if possible => "deed_hint.take_rest",
            Self::TakeRest => "deed_hint.needs_vrm",
            Self::SaveCharacter if possible => "deed_hint.save_character",
            Self::SaveCharacter => "deed_hint.no_joints",
            Self::Export if !possible => "deed_hint.export",
            _ => return None,
        };
        let solver = crate::ui::kit::words::solver_name(cx.theme.lang, cx.session().inspection().system().solver);
        Some(cx.tr_with(key, &[("solver", &solver)]))
    }

    /// Does it. The parts of the window are the layout's: `NextPart` and `PreviousPart` do nothing here.
    pub fn run(self, cx: &mut Cx<'_>) {
        match self {
            Self::Open => cx.request(Request::OpenDialog),
            Self::Reload => cx.request(Request::Reload),
            Self::Save => cx.request(Request::Save),
            Self::SaveAs => cx.request(Request::SaveAs),
            Self::SaveCharacter => cx.request(Request::SaveCharacter),
            Self::TakeRest => cx.command(Command::TakeRest),
            Self::Import => cx.request(Request::ImportDialog),
            Self::Export => cx.state.open.push(Window::Export),
            Self::Quit => cx.request(Request::Quit),
            Self::Undo => cx.command(Command::Undo),
            Self::Redo => cx.command(Command::Redo),
            Self::Find => cx.state.find_wanted = true,
            Self::SelectAll => {
                let joints = cx.session().document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
                let joints = joints.collect();
                cx.command(Command::Select(joints, Pick::Replace));
            }
            Self::SelectChildren => cx.command(Command::SelectChildren),
            Self::Deselect => cx.command(Command::Deselect),
            Self::CopyValues => Tool::Copy.run(cx),
            Self::PasteValues => Tool::Paste.run(cx),
            Self::Detect => cx.state.open.push(Window::DetectChains),
            Self::PlayPause => {
                let playing = cx.session().playback().settings().playing;
                cx.command(Command::SetPlaying(!playing));
            }
            Self::Step => cx.command(Command::StepOnce),
            Self::ResetPose => cx.command(Command::ResetPose),
            Self::Frame => cx.state.frame_wanted = true,
            Self::Front => cx.state.camera_wanted = Some(CameraPreset::Front),
            Self::Side => cx.state.camera_wanted = Some(CameraPreset::Left),
            Self::Back => cx.state.camera_wanted = Some(CameraPreset::Back),
            Self::Top => cx.state.camera_wanted = Some(CameraPreset::Top),
            Self::HideOverlays => cx.state.overlays_hidden = !cx.state.overlays_hidden,
            Self::Curves => toggle_drawer(cx, DrawerTab::Curves),
            Self::Presets => toggle_drawer(cx, DrawerTab::Presets),
            Self::Messages => toggle_drawer(cx, DrawerTab::Messages),
            Self::Shortcuts => cx.state.open.push(Window::Shortcuts),
            Self::NextPart | Self::PreviousPart => {}
        }
    }
}

fn toggle_drawer(cx: &mut Cx<'_>, tab: DrawerTab) {
    cx.state.drawer = if cx.state.drawer == Some(tab) { None } else { Some(tab) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things() {
        for (i, a) in SHORTCUTS.iter().enumerate() {
            for b in &SHORTCUTS[i + 1..] {
                assert_ne!(a.key, b.key, "{:?} and {:?}", a.deed, b.deed);
            }
        }
    }

    #[test]
    fn no_shorter_key_swallows_a_longer_one() {
        for (i, long) in SHORTCUTS.iter().enumerate() {
            for short in &SHORTCUTS[..i] {
                let same_letter = short.key.logical_key == long.key.logical_key;
                let swallows = long.key.modifiers.matches_logically(short.key.modifiers);
                assert!(!(same_letter && swallows), "{:?} stands before {:?}", short.deed, long.deed);
            }
        }
    }
}
