//! The keyboard in the window as a whole: shortcuts, Esc, and F6 from part to part.

use crate::session::Command;
use crate::ui::actions::{Action, SHORTCUTS, Shortcut};
use crate::ui::context::UiContext;
use crate::ui::kit::frame::window_is_open;
use crate::ui::kit::tokens::space;
use crate::ui::panels::collapsed_panels::PanelVisibility;
use egui::{Context, Event, Id, Key, LayerId, Modifiers, Order, Rect};

/// A part of the window that F6 goes to, in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusRegion {
    /// The top bar.
    TopBar,
    /// The outliner.
    Outliner,
    /// The viewport.
    Viewport,
    /// The inspector.
    Inspector,
    /// The drawer.
    Drawer,
}

/// Where the parts were in the last frame.
#[derive(Debug)]
pub struct FocusRegions {
    rects: [Rect; 5],
}

impl Default for FocusRegions {
    fn default() -> Self {
        Self { rects: [Rect::NOTHING; 5] }
    }
}

impl FocusRegions {
    /// Notes where a part is.
    pub fn set_rect(&mut self, part: FocusRegion, rect: Rect) {
        self.rects[part as usize] = rect;
    }

    /// Gives the keyboard to the first widget of the next part that has one.
    fn focus_next(&self, ctx: &Context, backwards: bool) {
        let widgets = focusable_widgets(ctx);
        let part_of = |at: egui::Pos2| self.rects.iter().position(|r| r.contains(at));
        let focused = ctx.memory(egui::Memory::focused);
        let here = focused.and_then(|id| widgets.iter().find(|w| w.0 == id)).and_then(|w| part_of(w.1.center()));
        let count = self.rects.len();
        let start = here.unwrap_or(if backwards { 0 } else { count - 1 });
        for step in 1..=count {
            let part = if backwards { start + count - step } else { start + step } % count;
            // The edges of panels can be focused too; they belong to no part.
            let inner = self.rects[part].shrink(space::XS);
            if let Some((id, _)) = widgets.iter().find(|(_, rect)| inner.contains(rect.center())) {
                ctx.memory_mut(|m| m.request_focus(*id));
                return;
            }
        }
    }
}

/// Every widget of the last frame that can have the keyboard, in the order in which it was made.
fn focusable_widgets(ctx: &Context) -> Vec<(Id, Rect)> {
    ctx.viewport(|v| {
        let mut layers: Vec<LayerId> = v.prev_pass.widgets.layer_ids().collect();
        layers.retain(|l| matches!(l.order, Order::Background | Order::Middle));
        layers.sort_by_key(|l| l.order);
        let all = layers.iter().flat_map(|l| v.prev_pass.widgets.get_layer(*l));
        all.filter(|w| w.enabled && w.sense.is_focusable()).map(|w| (w.id, w.interact_rect)).collect()
    })
}

/// Keys that work wherever the pointer is. While a text is typed only those that no text needs.
/// `in_tree`: the outliner has the keyboard, whose rows do not need the space bar.
pub fn handle_shortcuts(
    ctx: &Context,
    cx: &mut UiContext<'_>,
    outliner_focused: bool,
    panels: &mut PanelVisibility,
    parts: &FocusRegions,
) {
    let typing = ctx.text_edit_focused();
    let focused = ctx.memory(|m| m.focused().is_some());
    let asking = cx.input.file.has_open_question();
    for shortcut in SHORTCUTS {
        let plain_space = shortcut.key.logical_key == Key::Space && focused && !outliner_focused;
        if asking || (typing && !shortcut.while_typing) || plain_space {
            continue;
        }
        if !pressed(ctx, shortcut) {
            continue;
        }
        match shortcut.action {
            Action::FocusNextRegion => parts.focus_next(ctx, false),
            Action::FocusPreviousRegion => parts.focus_next(ctx, true),
            deed if deed.is_enabled(cx) => {
                // An open menu would stay over what the key brings.
                egui::Popup::close_all(ctx);
                deed.run(cx);
            }
            _ => {}
        }
    }
    if let Some(text) = cx.state.clipboard_text.take() {
        ctx.copy_text(text);
    }
    handle_escape(ctx, cx, panels, typing || asking);
}

/// Whether a shortcut was pressed. Systems turn the keys of copying and pasting into events of their own.
fn pressed(ctx: &Context, shortcut: &Shortcut) -> bool {
    let heard = |i: &egui::InputState| match shortcut.action {
        Action::CopyValues => i.events.iter().any(|e| matches!(e, Event::Copy)),
        Action::PasteValues => i.events.iter().any(|e| matches!(e, Event::Paste(_))),
        _ => false,
    };
    ctx.input_mut(|i| i.consume_shortcut(&shortcut.key)) || ctx.input(heard)
}

/// Esc takes away what is on top; when nothing is, the selection. Menus, windows, drags and texts hear it themselves.
fn handle_escape(ctx: &Context, cx: &mut UiContext<'_>, panels: &mut PanelVisibility, busy: bool) {
    let pressed = ctx.input(|i| i.modifiers == Modifiers::NONE && i.key_pressed(Key::Escape));
    // egui itself ends a drag on Esc, before anybody hears of it.
    let dragging = ctx.dragged_id().is_some() || ctx.drag_stopped_id().is_some();
    if !pressed || busy || dragging || egui::Popup::is_any_open(ctx) {
        return;
    }
    if !window_is_open(ctx) && cx.state.presets.previews.dismiss() {
        return;
    }
    if panels.close_all() {
        return;
    }
    if !cx.session().selection().is_empty() && !window_is_open(ctx) {
        cx.command(Command::ClearSelection);
    }
}
