//! What the mouse does here, and how the simulation runs.

use crate::ui::Cx;
use egui::Ui;

/// Draws the line.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.label(format!("{} joints", cx.session().document().joint_count()));
}
