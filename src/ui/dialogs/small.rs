//! The small windows: keys, a typed path, about, and the question on closing.

use super::type_path::TypePath;
use super::{about, close, shortcuts};
use crate::ui::{Cx, PathFor, Window};
use egui::{Context, Rect, Vec2};
use std::path::PathBuf;

/// Which are open, with what they keep.
#[derive(Debug, Default)]
pub struct Small {
    shortcuts: bool,
    about: bool,
    type_path: Option<TypePath>,
    closing: close::Closing,
}

impl Small {
    /// Asks for a path where no file dialog did.
    pub fn ask_path(&mut self, asked_for: PathFor, suggested: &str, taken: Option<PathBuf>) {
        self.type_path = Some(TypePath::instead_of_dialog(asked_for, suggested, taken));
    }

    /// Opens those that were asked for and draws those that are open; requests for other windows stay.
    pub fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.open.retain(|window| {
            match window {
                Window::Shortcuts => self.shortcuts = true,
                Window::About => self.about = true,
                Window::TypePath => self.type_path = Some(TypePath::default()),
                _ => return true,
            }
            false
        });
        if self.shortcuts {
            self.shortcuts = !shortcuts::show(ctx, cx);
        }
        if self.about {
            self.about = !about::show(ctx, cx);
        }
        if let Some(mut typed) = self.type_path.take() {
            self.type_path = (!typed.show(ctx, cx)).then_some(typed);
        }
        // The question is a curtain before everything; while the path for its answer is typed, it waits.
        if !self.type_path.as_ref().is_some_and(TypePath::is_instead_of_dialog) {
            if cx.input.file.asks_to_replace {
                close::replace(ctx, cx);
            } else if cx.input.file.asks_to_average {
                close::average(ctx, cx);
            } else {
                self.closing.show(ctx, cx);
            }
        }
    }
}

/// A place in the middle of the window, a little above it.
pub(super) fn place(ctx: &Context, size: Vec2) -> Rect {
    let whole = ctx.content_rect();
    let size = size.min(whole.size() - Vec2::splat(32.0));
    let center = whole.center() - egui::vec2(0.0, whole.height() * 0.04);
    Rect::from_center_size(center, size)
}
