use super::cx::{Cx, DrawerTab, Input, Output, Prefs, Shared};
use super::panels::{drawer::Drawer, inspector::Inspector, outliner::Outliner, status, top_bar};
use super::theme::{self, Theme};
use super::tokens::{self, Layout};
use super::viewport::Viewport;
use super::windows::Windows;
use crate::session::Command;
use egui::{Frame, Key, KeyboardShortcut, Modifiers, Panel};

/// The whole window, with what its panels keep from frame to frame.
#[derive(Debug, Default)]
pub struct Ui {
    shared: Shared,
    outliner: Outliner,
    inspector: Inspector,
    drawer: Drawer,
    viewport: Viewport,
    windows: Windows,
}

impl Ui {
    /// A window as it was left.
    pub fn new(prefs: Prefs) -> Self {
        Self { shared: Shared { prefs, ..Shared::default() }, ..Self::default() }
    }

    /// What is kept for the next run.
    pub fn prefs(&self) -> &Prefs {
        &self.shared.prefs
    }

    /// What panels share.
    pub fn shared_mut(&mut self) -> &mut Shared {
        &mut self.shared
    }

    /// The viewport, for view state that projects keep.
    pub fn viewport_mut(&mut self) -> &mut Viewport {
        &mut self.viewport
    }

    /// The floating windows, to offer them something.
    pub fn windows_mut(&mut self) -> &mut Windows {
        &mut self.windows
    }

    /// Another character is open: forgets what belonged to the one before.
    pub fn character_changed(&mut self) {
        self.shared.meshes.clear();
        self.shared.curve = None;
        self.shared.frame_wanted = true;
    }

    /// What a project keeps of the window: what the viewport shows and from where.
    pub fn view_state(&self) -> serde_json::Value {
        serde_json::json!({ "toggles": self.shared.prefs.toggles, "viewport": self.viewport.state() })
    }

    /// Shows what a project kept; what it does not say stays.
    pub fn restore_view(&mut self, state: &serde_json::Value) {
        if let Ok(toggles) = serde_json::from_value(state["toggles"].clone()) {
            self.shared.prefs.toggles = toggles;
        }
        self.viewport.restore(&state["viewport"]);
    }

    /// Draws everything and says what the artist asked for.
    pub fn show(&mut self, ui: &mut egui::Ui, input: &Input<'_>) -> Output {
        let prefs = &self.shared.prefs;
        let theme = Theme { reduce_motion: prefs.reduce_motion, ..Theme::new(prefs.mode, prefs.lang) };
        if Theme::of_context(ui.ctx()) != theme {
            theme::apply(ui.ctx(), theme);
        }
        self.shared.hint.clear();
        let mut cx = Cx { input, theme, output: Output::default(), state: &mut self.shared };
        shortcuts(ui.ctx(), &mut cx);
        let layout = layout_for(ui.ctx().content_rect().width());
        let bare = Frame::NONE;
        let panel = bare.fill(theme.color.panel);
        Panel::top("top_bar").exact_size(layout.top).frame(panel).show(ui, |ui| top_bar::show(ui, &mut cx));
        Panel::bottom("status").exact_size(layout.status).frame(panel).show(ui, |ui| status::show(ui, &mut cx));
        Panel::left("outliner")
            .default_size(layout.outliner)
            .min_size(tokens::least::OUTLINER)
            .frame(panel)
            .show(ui, |ui| self.outliner.show(ui, &mut cx));
        Panel::right("inspector")
            .default_size(layout.inspector)
            .min_size(tokens::least::INSPECTOR)
            .frame(panel)
            .show(ui, |ui| self.inspector.show(ui, &mut cx));
        self.drawer.show(ui, &mut cx, layout);
        egui::CentralPanel::default().frame(bare).show(ui, |ui| self.viewport.show(ui, &mut cx));
        self.windows.show(ui.ctx(), &mut cx);
        cx.output
    }
}

/// The measures for a window of that width, points.
fn layout_for(width: f32) -> &'static Layout {
    tokens::LAYOUTS.iter().rev().find(|l| width >= l.window[0] as f32).unwrap_or(&tokens::LAYOUTS[0])
}

/// Keys that work wherever the pointer is, unless a text field has them.
fn shortcuts(ctx: &egui::Context, cx: &mut Cx<'_>) {
    use super::cx::Request;
    let command = |key| KeyboardShortcut::new(Modifiers::COMMAND, key);
    let command_shift = |key| KeyboardShortcut::new(Modifiers::COMMAND.plus(Modifiers::SHIFT), key);
    let pressed = |shortcut: KeyboardShortcut| ctx.input_mut(|i| i.consume_shortcut(&shortcut));
    // The longer shortcut first: the shorter would swallow it.
    if pressed(command_shift(Key::S)) {
        cx.request(Request::SaveAs);
    } else if pressed(command(Key::S)) {
        cx.request(Request::Save);
    }
    if pressed(command(Key::O)) {
        cx.request(Request::OpenDialog);
    }
    if pressed(command(Key::Q)) {
        cx.request(Request::Quit);
    }
    if pressed(KeyboardShortcut::new(Modifiers::NONE, Key::F5)) {
        cx.request(Request::Reload);
    }
    if ctx.egui_wants_keyboard_input() {
        return;
    }
    if pressed(command_shift(Key::Z)) || pressed(command(Key::Y)) {
        cx.command(Command::Redo);
    } else if pressed(command(Key::Z)) {
        cx.command(Command::Undo);
    }
    let plain = |key| KeyboardShortcut::new(Modifiers::NONE, key);
    if pressed(plain(Key::Space)) {
        let playing = cx.session().play().is_playing();
        cx.command(Command::SetPlaying(!playing));
    }
    if pressed(plain(Key::F)) {
        cx.state.frame_wanted = true;
    }
    if pressed(plain(Key::Period)) {
        cx.command(Command::StepOnce);
    }
    if pressed(plain(Key::R)) {
        cx.command(Command::ResetPose);
    }
    if pressed(plain(Key::C)) {
        cx.state.drawer = if cx.state.drawer == Some(DrawerTab::Curves) { None } else { Some(DrawerTab::Curves) };
    }
}
