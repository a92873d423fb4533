//! The window, with its panels, the collapsed panels of a narrow window, the viewport menu, and the keyboard.

use crate::ui::actions::{AS_LOADED_KEY, Action, Shortcut, shortcuts};
use crate::ui::context::{UiContext, UiInput, UiOutput, UiState};
use crate::ui::dialogs::{Dialogs, HeldKeys};
use crate::ui::kit::icons::{Icon, IconButton, paint_icon};
use crate::ui::kit::theme::Theme;
use crate::ui::kit::tokens::{PanelSizes, size, space};
use crate::ui::kit::{icons, theme, tokens};
use crate::ui::panels::drawer::Drawer;
use crate::ui::panels::inspector::Inspector;
use crate::ui::panels::outliner::{Outliner, TAB_ICON_SIZE};
use crate::ui::panels::{compare_bar, menus, outliner, status, top_bar};
use crate::ui::prefs::Prefs;
use crate::ui::presets::PreviewRequest;
use crate::ui::viewport::{ContextMenuTarget, Viewport};
use crate::ui::{OutlinerTab, capture, drop_overlay};
use egui::containers::panel::PanelState;
use egui::{
    Color32, Context, Event, Frame, Id, Key, LayerId, Modifiers, Order, Painter, Panel, Pos2, Rect, Response, Stroke,
    Ui, UiBuilder, vec2,
};
use yuremono_model::tools::elements::ElementId;
use yuremono_session::{Command, SceneObject, SelectMode};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;

/// Window width below which the outliner collapses to icons, in points.
const OUTLINER_MIN_WINDOW_WIDTH: f32 = 1120.0;
/// Window width below which the inspector collapses to an icon, in points.
const INSPECTOR_MIN_WINDOW_WIDTH: f32 = 960.0;

/// Minimum share of the window's width that the viewport keeps.
const VIEWPORT_MIN_SHARE: f32 = 0.5;

/// The whole window, including the state of its panels.
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
    /// Whether an undo group is open.
    in_gesture: bool,
}

impl MainWindow {
    pub fn new(prefs: Prefs) -> Self {
        Self { state: UiState { prefs, ..UiState::default() }, ..Self::default() }
    }

    /// Returns the settings that are saved.
    pub fn prefs(&self) -> &Prefs {
        &self.state.prefs
    }

    pub fn state_mut(&mut self) -> &mut UiState {
        &mut self.state
    }

    /// Returns the viewport. Projects save its view.
    pub fn viewport_mut(&mut self) -> &mut Viewport {
        &mut self.viewport
    }

    /// Returns the pixels of the viewport in the last frame: left, top, width and height.
    pub fn viewport_pixels(&self, pixels_per_point: f32) -> [u32; 4] {
        capture::viewport_pixels(&self.state, pixels_per_point)
    }

    pub fn dialogs_mut(&mut self) -> &mut Dialogs {
        &mut self.dialogs
    }

    /// Clears the state that belongs to the previous character.
    pub fn forget_character(&mut self) {
        self.state.mesh_visibility.clear();
        self.state.shown_curve = None;
        self.drawer.forget();
        self.state.frame_wanted = true;
        if let Some(copied) = &mut self.state.copied_chain {
            copied.is_foreign = true;
        }
    }

    /// Returns the view that a project saves.
    pub fn view_state(&self) -> serde_json::Value {
        serde_json::json!({ "toggles": self.state.prefs.toggles, "viewport": self.viewport.state() })
    }

    /// Restores the view of a project. Missing entries keep the current state.
    pub fn restore_view(&mut self, state: &serde_json::Value) {
        if let Ok(toggles) = serde_json::from_value(state["toggles"].clone()) {
            self.state.prefs.toggles = toggles;
        }
        self.viewport.restore(&state["viewport"]);
    }

    /// Draws one frame and returns commands and requests.
    pub fn show(&mut self, ui: &mut Ui, input: &UiInput<'_>) -> UiOutput {
        let mut shared = std::mem::take(&mut self.state);
        let mut output = self.show_with(ui, input, &mut shared);
        self.state = shared;
        self.end_orphaned_gesture(ui, &mut output);
        output
    }

    /// Ends the undo group if the dragged widget disappeared before the pointer was released, because of undo, a key,
    /// or a reloaded character. Otherwise later edits would join the group.
    fn end_orphaned_gesture(&mut self, ui: &Ui, output: &mut UiOutput) {
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

    fn show_with(&mut self, ui: &mut Ui, input: &UiInput<'_>, shared: &mut UiState) -> UiOutput {
        let prefs = &shared.prefs;
        let theme = Theme { reduce_motion: prefs.reduce_motion, ..Theme::new(prefs.mode, prefs.lang) };
        theme::apply(ui.ctx(), theme);
        shared.mouse_hints.clear();
        shared.highlight = None;
        shared.complete_mesh_visibility(input.session.character());
        let width = ui.ctx().content_rect().width();
        let layout = panel_sizes_for(width);
        Self::resize_with_window(ui, layout);
        let mut cx = UiContext { input, theme, output: UiOutput::default(), state: shared };
        if input.capture.is_recording() {
            capture::take_keys(ui.ctx(), &mut cx);
        }
        self.dialogs.sync_question(&cx.input.file);
        self.handle_keys(ui.ctx(), &mut cx);
        let held_keys = HeldKeys::hide_from_panels(&mut self.dialogs, ui.ctx());
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
        let mut bar = ui.new_child(UiBuilder::new().max_rect(rest));
        // The style of `ui` is older than the theme of this frame.
        bar.reset_style();
        compare_bar::show(&mut bar, rest, &mut cx);
        self.viewport_menu.show(&response, under, &mut cx);
        held_keys.hide_from_dialog(ui.ctx());
        self.dialogs.show(ui.ctx(), &mut cx);
        let shared = &mut *cx.state;
        let preview = shared.presets.update_preview(input.session, &theme, &mut shared.preview_caption);
        cx.output.commands.extend(preview);
        if input.capture.is_active {
            capture::hide_floating_layers(ui.ctx());
        }
        if input.capture.is_recording() {
            let locked = ui.ctx().content_rect().with_max_y(status.top());
            capture::fade_panels(ui, locked, &cx);
            capture::block_pointer(ui.ctx(), locked);
        }
        // Draws the status line last, because the panels set the mouse hints.
        status::show(&mut ui.new_child(UiBuilder::new().max_rect(status)), &mut cx);
        drop_overlay::show(ui, &cx);
        cx.output
    }

    /// Handles window-wide shortcuts. While the artist types text, only shortcuts that allow typing run. While a dialog
    /// is open, only the shortcuts of the dialog run.
    fn handle_keys(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        let typing = ctx.text_edit_focused();
        let allowed = self.dialogs.shortcuts();
        self.handle_shortcuts(ctx, cx, typing, allowed);
        if let Some(text) = cx.state.clipboard_text.take() {
            ctx.copy_text(text);
        }
        if allowed.is_some() {
            return;
        }
        if !typing && ctx.input(|i| i.modifiers == Modifiers::NONE && i.key_down(AS_LOADED_KEY)) {
            cx.state.presets.previews.request(PreviewRequest::AsLoaded);
        }
        handle_escape(ctx, cx, &mut self.panel_visibility, typing);
    }

    /// Runs the pressed shortcuts. `allowed` is a list of the only shortcuts that may run.
    fn handle_shortcuts(&self, ctx: &Context, cx: &mut UiContext<'_>, typing: bool, allowed: Option<&[Action]>) {
        let focused = ctx.memory(|m| m.focused().is_some());
        // The space bar works in the outliner, because its rows do not use the space bar.
        let outliner_focused = self.outliner.has_keyboard(ctx);
        for shortcut in shortcuts().filter(|s| allowed.is_none_or(|allowed| allowed.contains(&s.action))) {
            let is_for_widget = match shortcut.key.logical_key {
                Key::Space => focused && !outliner_focused,
                Key::ArrowLeft | Key::ArrowRight => focused,
                _ => false,
            };
            if (typing && !shortcut.while_typing) || is_for_widget || !pressed(ctx, shortcut) {
                continue;
            }
            match shortcut.action {
                Action::FocusNextRegion => self.focus_regions.focus_next(ctx, false),
                Action::FocusPreviousRegion => self.focus_regions.focus_next(ctx, true),
                action if action.is_enabled(cx) => {
                    // Closes the menu, because an open menu would cover the result.
                    egui::Popup::close_all(ctx);
                    action.run(cx);
                }
                _ => {}
            }
        }
    }

    /// Draws the outliner and the inspector, as panels or collapsed to icons.
    fn side_panels_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, layout: &PanelSizes, width: f32) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        let folds = [width < OUTLINER_MIN_WINDOW_WIDTH, width < INSPECTOR_MIN_WINDOW_WIDTH];
        let inspector_width = if folds[1] { 0.0 } else { layout.inspector };
        // The viewport keeps half of the window, even if the artist widened the panels in a larger window.
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

    /// Resizes panels of default size if the window enters another size class, even between two runs. Keeps the panel
    /// sizes that the artist chose.
    fn resize_with_window(ui: &Ui, layout: &PanelSizes) {
        // The size class is stored where egui stores the panel sizes.
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

/// Makes the contents of a panel use the full given width. Otherwise panels shrink to their contents.
fn fill_width(ui: &mut Ui) -> &mut Ui {
    ui.set_width(ui.available_width());
    ui
}

fn panel_sizes_for(width: f32) -> &'static PanelSizes {
    tokens::PANEL_SIZES.iter().rev().find(|l| width >= l.window[0]).unwrap_or(&tokens::PANEL_SIZES[0])
}

/// The panels that F6 focuses, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FocusRegion {
    TopBar,
    Outliner,
    Viewport,
    Inspector,
    Drawer,
}

/// Panel rectangles of the last frame.
#[derive(Debug)]
struct FocusRegions {
    rects: [Rect; 5],
}

impl Default for FocusRegions {
    fn default() -> Self {
        Self { rects: [Rect::NOTHING; 5] }
    }
}

impl FocusRegions {
    fn set_rect(&mut self, part: FocusRegion, rect: Rect) {
        self.rects[part as usize] = rect;
    }

    /// Focuses the first widget of the next panel that has a focusable widget.
    fn focus_next(&self, ctx: &Context, backwards: bool) {
        let widgets = focusable_widgets(ctx);
        let part_of = |at: Pos2| self.rects.iter().position(|r| r.contains(at));
        let focused = ctx.memory(egui::Memory::focused);
        let here = focused.and_then(|id| widgets.iter().find(|w| w.0 == id)).and_then(|w| part_of(w.1.center()));
        let count = self.rects.len();
        let start = here.unwrap_or(if backwards { 0 } else { count - 1 });
        for step in 1..=count {
            let part = if backwards { start + count - step } else { start + step } % count;
            // Splitters between panels can also have the focus, but belong to no panel.
            let inner = self.rects[part].shrink(space::XS);
            if let Some((id, _)) = widgets.iter().find(|(_, rect)| inner.contains(rect.center())) {
                ctx.memory_mut(|m| m.request_focus(*id));
                return;
            }
        }
    }
}

/// Returns the focusable widgets of the last frame, in creation order.
fn focusable_widgets(ctx: &Context) -> Vec<(Id, Rect)> {
    ctx.viewport(|v| {
        let mut layers: Vec<LayerId> = v.prev_pass.widgets.layer_ids().collect();
        layers.retain(|l| matches!(l.order, Order::Background | Order::Middle));
        layers.sort_by_key(|l| l.order);
        let all = layers.iter().flat_map(|l| v.prev_pass.widgets.get_layer(*l));
        all.filter(|w| w.enabled && w.sense.is_focusable()).map(|w| (w.id, w.interact_rect)).collect()
    })
}

/// Returns whether a shortcut was pressed. Operating systems convert the copy and paste keys into separate events.
fn pressed(ctx: &Context, shortcut: &Shortcut) -> bool {
    let heard = |i: &egui::InputState| match shortcut.action {
        Action::CopyValues => i.events.iter().any(|e| matches!(e, Event::Copy)),
        Action::PasteValues => i.events.iter().any(|e| matches!(e, Event::Paste(_))),
        _ => false,
    };
    ctx.input_mut(|i| i.consume_shortcut(&shortcut.key)) || ctx.input(heard)
}

/// Handles Esc without a dialog: closes the topmost element, or clears the selection if nothing is open. Menus, drags and
/// text fields handle Esc themselves.
fn handle_escape(ctx: &Context, cx: &mut UiContext<'_>, panels: &mut PanelVisibility, busy: bool) {
    let pressed = ctx.input(|i| i.modifiers == Modifiers::NONE && i.key_pressed(Key::Escape));
    // egui ends a drag on Esc before this function runs.
    let dragging = ctx.dragged_id().is_some() || ctx.drag_stopped_id().is_some();
    if !pressed || busy || dragging || egui::Popup::is_any_open(ctx) {
        return;
    }
    if cx.state.presets.previews.dismiss() {
        return;
    }
    if cx.session().sweep().is_some() {
        return cx.command(Command::EndComparison);
    }
    if panels.close_all() {
        return;
    }
    if cx.playback().scrubbed_tick().is_some() {
        return cx.command(Command::Scrub(None));
    }
    if !cx.selection().is_empty() {
        cx.command(Command::ClearSelection);
    }
}

/// Width of the strip for a collapsed panel, in points.
const COLLAPSED_WIDTH: f32 = 40.0;

#[derive(Debug, Default)]
struct PanelVisibility {
    outliner: bool,
    inspector: bool,
}

impl PanelVisibility {
    /// Closes both panels. Returns whether a panel was open.
    fn close_all(&mut self) -> bool {
        let was_open = self.outliner || self.inspector;
        *self = Self::default();
        was_open
    }

    fn outliner_icons_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::left("outliner_rail").exact_size(COLLAPSED_WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            for (tab, key) in OutlinerTab::ALL {
                let on = self.outliner && cx.state.outliner_tab == tab;
                if panel_icon_ui(ui, cx, key, on, |painter, at, color| {
                    outliner::paint_tab_icon(painter, at, tab, color);
                }) {
                    self.outliner = !on;
                    cx.state.outliner_tab = tab;
                }
            }
            if cx.state.search_focus_wanted {
                self.outliner = true;
            }
        });
    }

    fn inspector_icon_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let frame = Frame::NONE.fill(cx.theme.color.panel);
        Panel::right("inspector_rail").exact_size(COLLAPSED_WIDTH).resizable(false).frame(frame).show(ui, |ui| {
            if panel_icon_ui(ui, cx, message!("Inspector"), self.inspector, |painter, at, color| {
                paint_icon(painter, at, icons::SLIDERS_HORIZONTAL, TAB_ICON_SIZE, color);
            }) {
                self.inspector = !self.inspector;
            }
        });
    }

    /// Draws the outliner if it is open. Returns its rectangle.
    fn open_outliner_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let rect = free.with_max_x((free.left() + width).min(free.right()));
        if self.outliner { floating_panel_ui(ui, "outliner_open", rect, contents) } else { Rect::NOTHING }
    }

    /// Draws the inspector if it is open. Returns its rectangle.
    fn open_inspector_ui(&self, ui: &Ui, free: Rect, width: f32, contents: impl FnOnce(&mut Ui)) -> Rect {
        let rect = free.with_min_x((free.right() - width).max(free.left()));
        if self.inspector { floating_panel_ui(ui, "inspector_open", rect, contents) } else { Rect::NOTHING }
    }
}

fn panel_icon_ui(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    name: MessageText,
    on: bool,
    paint: impl FnOnce(&Painter, Pos2, Color32),
) -> bool {
    const BLANK: Icon = Icon { name: "", glyph: " " };
    let name = cx.tr(name);
    ui.add_space(space::S);
    ui.horizontal(|ui| {
        ui.add_space((COLLAPSED_WIDTH - size::BUTTON) / 2.0);
        let response = IconButton::new(BLANK, &name).on(on).sized(size::BUTTON, TAB_ICON_SIZE).show(ui);
        let c = cx.theme.color;
        paint(ui.painter(), response.rect.center(), if on { c.selection_text } else { c.text_2 });
        response.clicked()
    })
    .inner
}

fn floating_panel_ui(ui: &Ui, name: &str, rect: Rect, contents: impl FnOnce(&mut Ui)) -> Rect {
    let theme = Theme::of(ui);
    let frame = Frame::NONE
        .fill(theme.color.panel)
        .stroke(Stroke::new(tokens::stroke::EDGE, theme.color.border_strong))
        .shadow(ui.visuals().popup_shadow);
    egui::Area::new(Id::unique(name)).order(Order::Middle).fixed_pos(rect.min).constrain(false).show(ui.ctx(), |ui| {
        frame.show(ui, |ui| {
            ui.set_min_size(rect.size() - vec2(space::XXS, space::XXS));
            ui.set_max_size(rect.size() - vec2(space::XXS, space::XXS));
            let inner = Rect::from_min_size(ui.max_rect().min, rect.size() - vec2(space::XXS, space::XXS));
            contents(&mut ui.new_child(UiBuilder::new().max_rect(inner)));
        });
    });
    rect
}

#[derive(Debug, Default)]
struct ViewportMenu {
    target: ContextMenuTarget,
}

impl ViewportMenu {
    /// Opens the menu on a right click without movement. A right drag pans the camera.
    fn show(&mut self, response: &Response, under: ContextMenuTarget, cx: &mut UiContext<'_>) {
        if response.secondary_clicked() {
            self.target = under;
            select_target(self.target, cx);
        }
        response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            match self.target {
                ContextMenuTarget::Empty => view_menu_ui(ui, cx),
                ContextMenuTarget::Bone(bone) => menus::bone_menu(ui, cx, bone),
                ContextMenuTarget::Element(part) => part_menu_ui(ui, cx, part),
            }
        });
    }
}

/// Selects the clicked object if the object is not selected already.
fn select_target(target: ContextMenuTarget, cx: &mut UiContext<'_>) {
    let session = cx.session();
    let (document, selection) = (session.document(), session.selection());
    match target {
        ContextMenuTarget::Bone(bone) if !selection.is_highlighted(document, bone) => {
            cx.command(Command::Select(vec![bone], SelectMode::Replace));
        }
        ContextMenuTarget::Element(part) => {
            if let Some(item) =
                SceneObject::from_element_id(part, document).filter(|item| !selection.objects.contains(item))
            {
                cx.command(Command::SelectObjects(vec![item], SelectMode::Replace));
            }
        }
        ContextMenuTarget::Bone(_) | ContextMenuTarget::Empty => {}
    }
}

fn part_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>, part: ElementId) {
    // Undo may have deleted the object while the menu was open.
    if !SceneObject::from_element_id(part, cx.document()).is_some_and(|item| item.is_in(cx.document())) {
        return ui.close();
    }
    let name = part.name(cx.document(), &cx.character().skeleton);
    if outliner::part_menu(ui, cx, part, None, &name) {
        // The outliner row of the object shows the name field.
        cx.state.outliner_tab = OutlinerTab::Colliders;
        cx.state.rename_wanted = Some(part);
    }
}

fn view_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    menus::action_ui(ui, cx, Action::FrameSelection, Some(icons::CORNERS_OUT));
    menus::action_ui(ui, cx, Action::ResetPose, Some(icons::ARROW_COUNTER_CLOCKWISE));
    menus::kept_pose_ui(ui, cx);
    menus::menu_separator(ui);
    menus::action_ui(ui, cx, Action::ViewFront, Some(icons::CAMERA));
    menus::action_ui(ui, cx, Action::ViewLeft, None);
    menus::action_ui(ui, cx, Action::ViewBack, None);
    menus::action_ui(ui, cx, Action::ViewTop, None);
    menus::menu_separator(ui);
    menus::action_ui(ui, cx, Action::DetectChains, Some(icons::SPARKLE));
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
