//! The drawer under the viewport: curves and messages.

use crate::ui::Cx;
use crate::ui::tokens::Layout;
use egui::{Panel, Ui};

/// What it keeps.
#[derive(Debug, Default)]
pub struct Drawer {}

impl Drawer {
    /// Draws it as a panel of its own height.
    pub fn show(&mut self, ui: &mut Ui, _cx: &mut Cx<'_>, layout: &Layout) {
        Panel::bottom("drawer").exact_size(layout.drawer_closed).show(ui, |ui| ui.label("drawer"));
    }
}
