//! The outliner.

use crate::ui::Cx;
use egui::Ui;

/// What it keeps.
#[derive(Debug, Default)]
pub struct Outliner {}

impl Outliner {
    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, _cx: &mut Cx<'_>) {
        ui.label("outliner");
    }
}
