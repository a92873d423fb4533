//! Decides who gets the keys of a frame. Panels and dialogs read the same events of egui, so the events are hidden from
//! the one that must not get them.

use super::dialog::{self, DialogStyle};
use super::{Dialogs, OpenDialog};
use crate::ui::actions::Action;
use egui::{Context, Event, Key, LayerId, Order};

/// Who gets the keys while a dialog is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOwner {
    Dialog,
    /// The artist types or drags in a panel beside the dialog.
    Panel,
    /// A menu is open. The menu and the dialog both see Esc, and the dialog leaves Esc to the menu.
    Menu,
}

/// The events of a frame, and who gets the keys. `None` if no dialog is open.
#[derive(Debug)]
pub(in crate::ui) struct HeldKeys {
    owner: Option<KeyOwner>,
    events: Vec<Event>,
}

impl HeldKeys {
    /// Hides the keys of the dialog. Must run before the panels are drawn.
    pub(in crate::ui) fn hide_from_panels(dialogs: &mut Dialogs, ctx: &Context) -> Self {
        let owner = dialogs.stack.last_mut().map(|top| key_owner(top, ctx));
        let events = ctx.input(|i| i.events.clone());
        match owner {
            Some(KeyOwner::Dialog) => hide_keys(ctx, |_| false),
            Some(KeyOwner::Menu) => {
                hide_keys(ctx, |event| matches!(event, Event::Key { key: Key::Escape, .. }));
            }
            Some(KeyOwner::Panel) | None => {}
        }
        Self { owner, events }
    }

    /// Gives the keys to the dialog, or hides the keys of a panel. Must run before the dialog is drawn.
    pub(in crate::ui) fn hide_from_dialog(self, ctx: &Context) {
        match self.owner {
            Some(KeyOwner::Dialog | KeyOwner::Menu) => ctx.input_mut(|i| i.events = self.events),
            Some(KeyOwner::Panel) => hide_keys(ctx, |_| false),
            None => {}
        }
    }
}

impl Dialogs {
    /// Returns the shortcuts of the window that work while a dialog is open. Returns `None` without a dialog.
    pub(in crate::ui) fn shortcuts(&mut self) -> Option<&'static [Action]> {
        self.stack.last_mut().map(|top| top.dialog().shortcuts())
    }
}

fn key_owner(top: &mut OpenDialog, ctx: &Context) -> KeyOwner {
    if top.style() != DialogStyle::Tool {
        return KeyOwner::Dialog;
    }
    let id = top.dialog().id();
    let has_picker = top.dialog().has_open_picker();
    // Menus and pickers are in the foreground.
    let is_beside = |layer: LayerId| match layer.order {
        Order::Foreground => !has_picker,
        _ => layer.id != id,
    };
    let typed = dialog::focused_layer(ctx).filter(|_| ctx.text_edit_focused());
    let dragged = ctx.dragged_id().or(ctx.drag_stopped_id()).and_then(|id| dialog::layer_of(ctx, id));
    match () {
        () if typed.into_iter().chain(dragged).any(is_beside) => KeyOwner::Panel,
        () if egui::Popup::is_any_open(ctx) => KeyOwner::Menu,
        () => KeyOwner::Dialog,
    }
}

/// Removes the events of the keyboard that are not kept.
fn hide_keys(ctx: &Context, is_kept: impl Fn(&Event) -> bool) {
    let is_key = |event: &Event| {
        matches!(event, Event::Key { .. } | Event::Text(_) | Event::Ime(_) | Event::Copy | Event::Cut | Event::Paste(_))
    };
    ctx.input_mut(|i| i.events.retain(|event| !is_key(event) || is_kept(event)));
}
