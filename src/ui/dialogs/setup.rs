//! The small windows of setting up: each does one thing and says how much.

mod ask;
mod body;
mod find;
mod parent;
mod paste;

use super::Stays;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::SPACE;
use crate::ui::{Cx, Window};
use ask::Asking;
use body::Body;
use egui::{Context, Ui};
use find::Find;
use parent::Parent;
use paste::Special;

/// The one that is open.
#[derive(Debug)]
pub(super) enum Setup {
    Ask(Asking),
    Body(Body),
    Find(Find),
    Parent(Parent),
    Special(Special),
}

/// What a frame of one asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Apply,
    Close,
}

impl Setup {
    pub(super) fn new(wanted: Window, cx: &Cx<'_>) -> Self {
        match wanted {
            Window::Ask(what) => Self::Ask(Asking::new(what, cx.session())),
            Window::BodyColliders => Self::Body(Body::new(cx.session())),
            Window::SetParent => Self::Parent(Parent::default()),
            Window::PasteSpecial => Self::Special(Special::default()),
            _ => Self::Find(Find::default()),
        }
    }

    pub(super) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        match self {
            Self::Ask(window) => window.show(ctx, cx),
            Self::Body(window) => window.show(ctx, cx),
            Self::Find(window) => window.show(ctx, cx),
            Self::Parent(window) => window.show(ctx, cx),
            Self::Special(window) => window.show(ctx, cx),
        }
    }
}

/// The footer of them all: the deed with its amount, and Cancel.
fn footer_ui(ui: &mut Ui, cx: &Cx<'_>, words: &str, possible: bool) -> Option<Deed> {
    ui.spacing_mut().item_spacing.x = SPACE[3];
    let mut deed = None;
    if primary(words).enabled(possible).show(ui).on_hover_text("Ctrl+Enter").clicked() {
        deed = Some(Deed::Apply);
    }
    if secondary(&cx.tr("common.cancel")).show(ui).clicked() {
        deed = Some(Deed::Close);
    }
    deed
}

/// A sentence at the top of a window.
fn sentence(ui: &mut Ui, cx: &Cx<'_>, words: &str) {
    let words = Text::Body.rich(words).color(cx.theme.color.text_2);
    ui.add(egui::Label::new(words).wrap().selectable(false));
}

/// The room that contents have within a window's edges.
fn padded<R>(ui: &mut Ui, contents: impl FnOnce(&mut Ui) -> R) -> R {
    egui::Frame::new().inner_margin(egui::Margin::symmetric(16, 12)).show(ui, contents).inner
}
