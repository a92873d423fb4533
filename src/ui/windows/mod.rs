//! Floating windows: each shows what would change and changes it with one button.

mod about;
mod close;
mod shortcuts;
mod type_path;

pub mod small;

use super::Cx;
use egui::Context;

/// Which are open, with what they keep.
#[derive(Debug, Default)]
pub struct Windows {}

impl Windows {
    /// Draws those that are open.
    pub fn show(&mut self, _ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.open.clear();
    }
}
