use crate::session::Command;
use crate::ui::context::{PathPurpose, UiContext, UiInput, UiOutput, UiState};
use crate::ui::dialogs::Dialogs;
use crate::ui::focus_regions::{self, FocusRegion, FocusRegions};
use crate::ui::kit::theme::{self, Theme};
use crate::ui::kit::tokens::{self, PanelSizes};
use crate::ui::panels::{
    collapsed_panels::PanelVisibility, drawer::Drawer, inspector::Inspector, outliner::Outliner, status, top_bar,
    viewport_menu::ViewportMenu,
};
use crate::ui::prefs::Prefs;
use crate::ui::viewport::Viewport;
use egui::containers::panel::PanelState;
use egui::{Frame, Panel, Rect, UiBuilder};
use std::path::PathBuf;

/// Below this width the outliner is a rail of icons, points.
const OUTLINER_MIN_WINDOW_WIDTH: f32 = 1120.0;
/// Below this one the inspector is too.
const INSPECTOR_MIN_WINDOW_WIDTH: f32 = 960.0;

/// Share of the window's width that the viewport keeps at least.
const VIEWPORT_MIN_SHARE: f32 = 0.5;

/// The whole window, with what its panels keep from frame to frame.
#[derive(Debug, Default)]
pub struct MainWindow {
    state: UiState,
    outliner: Outliner,
    inspector: Inspector,
    drawer: Drawer,
    viewport: Viewport,
    viewport_menu: ViewportMenu,
    dialogs: Dialogs,
    panel_visibility: PanelVisibility,
    focus_regions: FocusRegions,
    /// A drag of numbers was begun and has not ended.
    in_gesture: bool,
}

impl MainWindow {
    /// A window as it was left.
    pub fn new(prefs: Prefs) -> Self {
        Self { state: UiState { prefs, ..UiState::default() }, ..Self::default() }
    }

    /// What is kept for the next run.
    pub fn prefs(&self) -> &Prefs {
        &self.state.prefs
    }

    /// What panels share.
    pub fn state_mut(&mut self) -> &mut UiState {
        &mut self.state
    }

    /// The viewport, for view state that projects keep.
    pub fn viewport_mut(&mut self) -> &mut Viewport {
        &mut self.viewport
    }

    /// The floating windows, to offer them something.
    pub fn dialogs_mut(&mut self) -> &mut Dialogs {
        &mut self.dialogs
    }

    /// Asks for a path in a window, with `suggested` typed in; `taken` is a path that was typed where a file is.
    /// Answered by [`Request::UsePath`](crate::ui::AppRequest::UseTypedPath).
    pub fn ask_path(&mut self, asked_for: PathPurpose, suggested: &str, taken: Option<PathBuf>) {
        self.dialogs.ask_path(asked_for, suggested, taken);
    }

    /// Another character is open: forgets what belonged to the one before.
    pub fn forget_character(&mut self) {
        self.state.mesh_visibility.clear();
        self.state.shown_curve = None;
        self.drawer.forget();
        self.state.frame_wanted = true;
        if let Some(copied) = &mut self.state.copied_chain {
            copied.is_foreign = true;
        }
    }

    /// What a project keeps of the window: what the viewport shows and from where.
    pub fn view_state(&self) -> serde_json::Value {
        serde_json::json!({ "toggles": self.state.prefs.toggles, "viewport": self.viewport.state() })
    }

    /// Shows what a project kept; what it does not say stays.
    pub fn restore_view(&mut self, state: &serde_json::Value) {
        if let Ok(toggles) = serde_json::from_value(state["toggles"].clone()) {
            self.state.prefs.toggles = toggles;
        }
        self.viewport.restore(&state["viewport"]);
    }

    /// Draws everything and says what the artist asked for.
    pub fn show(&mut self, ui: &mut egui::Ui, input: &UiInput<'_>) -> UiOutput {
        let mut shared = std::mem::take(&mut self.state);
        let mut output = self.show_with(ui, input, &mut shared);
        self.state = shared;
        self.end_orphaned_gesture(ui, &mut output);
        output
    }

    /// What is dragged may be gone before the pointer is up, by undo, a key, or another version of the character; the
    /// drag ends all the same, or later edits would join its step.
    fn end_orphaned_gesture(&mut self, ui: &egui::Ui, output: &mut UiOutput) {
        for command in &output.commands {
            match command {
                Command::BeginUndoGroup => self.in_gesture = true,
                Command::EndUndoGroup => self.in_gesture = false,
                _ => {}
            }
        }
        if self.in_gesture && !ui.input(|i| i.pointer.any_down()) {
            self.in_gesture = false;
            output.commands.push(Command::EndUndoGroup);
        }
    }

    fn show_with(&mut self, ui: &mut egui::Ui, input: &UiInput<'_>, shared: &mut UiState) -> UiOutput {
        let prefs = &shared.prefs;
        let theme = Theme { reduce_motion: prefs.reduce_motion, ..Theme::new(prefs.mode, prefs.lang) };
        theme::apply(ui.ctx(), theme);
        shared.mouse_hints.clear();
        shared.highlight = None;
        let width = ui.ctx().content_rect().width();
        let layout = panel_sizes_for(width);
        Self::resize_with_window(ui, layout);
        let mut cx = UiContext { input, theme, output: UiOutput::default(), state: shared };
        let in_tree = self.outliner.has_keyboard(ui.ctx());
        focus_regions::handle_shortcuts(ui.ctx(), &mut cx, in_tree, &mut self.panel_visibility, &self.focus_regions);
        let panel = Frame::NONE.fill(theme.color.panel);

        let top = Panel::top("top_bar").exact_size(layout.top).resizable(false).frame(panel);
        self.focus_regions.set_rect(FocusRegion::TopBar, top.show(ui, |ui| top_bar::show(ui, &mut cx)).response.rect);
        if status::has_file_notice(&cx) {
            let frame = Frame::NONE.fill(theme.color.warning_bg);
            let strip = Panel::top("changed").exact_size(status::NOTICE_HEIGHT).resizable(false).frame(frame);
            strip.show(ui, |ui| status::show_file_notice(ui, &mut cx));
        }
        let status = Panel::bottom("status").exact_size(layout.status).resizable(false).frame(panel);
        let status = status.show(ui, |ui| ui.max_rect()).inner;
        self.side_panels_ui(ui, &mut cx, layout, width);
        let before = ui.available_rect_before_wrap();
        self.drawer.show(ui, &mut cx, layout);
        let rest = ui.available_rect_before_wrap();
        self.focus_regions.set_rect(FocusRegion::Drawer, Rect::from_min_max(rest.left_bottom(), before.max));
        self.focus_regions.set_rect(FocusRegion::Viewport, rest);
        let view = egui::CentralPanel::default().frame(Frame::NONE).show(ui, |ui| self.viewport.show(ui, &mut cx));
        let (response, under) = view.inner;
        self.viewport_menu.show(&response, under, &mut cx);
        self.dialogs.show(ui.ctx(), &mut cx);
        let shared = &mut *cx.state;
        let preview = shared.presets.update_preview(input.session, &theme, &mut shared.preview_caption);
        cx.output.commands.extend(preview);
        // Last, because what the mouse does is known only now.
        status::show(&mut ui.new_child(UiBuilder::new().max_rect(status)), &mut cx);
        cx.output
    }

    /// The outliner and the inspector, as panels or as rails that open over the viewport.
    fn side_panels_ui(&mut self, ui: &mut egui::Ui, cx: &mut UiContext<'_>, layout: &PanelSizes, width: f32) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        let folds = [width < OUTLINER_MIN_WINDOW_WIDTH, width < INSPECTOR_MIN_WINDOW_WIDTH];
        let inspector_width = if folds[1] { 0.0 } else { layout.inspector };
        // The viewport keeps half of the window, also where panels were made wide in a larger one.
        let viewport = tokens::min_size::VIEWPORT[0].max(width * VIEWPORT_MIN_SHARE);
        let most = (width - inspector_width - viewport).max(tokens::min_size::OUTLINER);
        if folds[0] {
            self.panel_visibility.outliner_icons_ui(ui, cx);
        } else {
            let panel = Panel::left("outliner").default_size(layout.outliner).frame(frame);
            let panel = panel.size_range(tokens::min_size::OUTLINER..=most);
            self.focus_regions.set_rect(
                FocusRegion::Outliner,
                panel.show(ui, |ui| self.outliner.show(fill_width(ui), cx)).response.rect,
            );
        }
        if folds[1] {
            self.panel_visibility.inspector_icon_ui(ui, cx);
        } else {
            let panel = Panel::right("inspector").default_size(layout.inspector).frame(frame);
            let most = (ui.available_width() - viewport).max(tokens::min_size::INSPECTOR);
            let panel = panel.size_range(tokens::min_size::INSPECTOR..=most);
            self.focus_regions.set_rect(
                FocusRegion::Inspector,
                panel.show(ui, |ui| self.inspector.show(fill_width(ui), cx)).response.rect,
            );
        }
        let free = ui.available_rect_before_wrap();
        if folds[0] {
            let shown =
                self.panel_visibility.open_outliner_ui(ui, free, layout.outliner, |ui| self.outliner.show(ui, cx));
            self.focus_regions.set_rect(FocusRegion::Outliner, shown);
        }
        if folds[1] {
            let shown =
                self.panel_visibility.open_inspector_ui(ui, free, layout.inspector, |ui| self.inspector.show(ui, cx));
            self.focus_regions.set_rect(FocusRegion::Inspector, shown);
        }
    }

    /// Panels that have their default size get the new one when the window comes into another class of width, also
    /// between two runs of the program. A size that the artist chose stays.
    fn resize_with_window(ui: &egui::Ui, layout: &PanelSizes) {
        // Kept where egui keeps the sizes themselves.
        let sized_for = ui.scope_id().with("sized_for");
        let before: Option<f32> = ui.data_mut(|d| d.get_persisted(sized_for));
        if before == Some(layout.window[0]) {
            return;
        }
        ui.data_mut(|d| d.insert_persisted(sized_for, layout.window[0]));
        let Some(before) = before else { return };
        let old = panel_sizes_for(before);
        for (salt, was, now) in
            [("outliner", old.outliner, layout.outliner), ("inspector", old.inspector, layout.inspector)]
        {
            let id = ui.scope_id().with(salt);
            if let Some(state) = PanelState::load(ui.ctx(), id).filter(|s| (s.size().x - was).abs() < 1.5) {
                let outer_rect = state.outer_rect.with_max_x(state.outer_rect.left() + now);
                ui.data_mut(|d| d.insert_persisted(id, PanelState { outer_rect }));
            }
        }
    }
}

/// A panel is as wide as what is in it: this lets its contents have all of the width that it was given.
fn fill_width(ui: &mut egui::Ui) -> &mut egui::Ui {
    ui.set_width(ui.available_width());
    ui
}

/// The measures for a window of that width, points.
fn panel_sizes_for(width: f32) -> &'static PanelSizes {
    tokens::PANEL_SIZES.iter().rev().find(|l| width >= l.window[0]).unwrap_or(&tokens::PANEL_SIZES[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_gets_the_largest_panel_sizes_that_fit() {
        let outliner = |width| panel_sizes_for(width).outliner;
        assert_eq!(
            [800.0, 1280.0, 1439.0, 1440.0, 1920.0, 4000.0].map(outliner),
            [232.0, 232.0, 232.0, 264.0, 304.0, 304.0]
        );
    }
}
