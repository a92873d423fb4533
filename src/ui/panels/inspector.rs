//! The inspector.

use crate::ui::Cx;
use egui::Ui;

/// What it keeps.
#[derive(Debug, Default)]
pub struct Inspector {}

impl Inspector {
    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, _cx: &mut Cx<'_>) {
        ui.label("inspector");
    }
}
