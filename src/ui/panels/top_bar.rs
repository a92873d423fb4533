//! Menus, undo, the file's name, language, import and export.

use crate::ui::Cx;
use egui::Ui;

/// Draws the bar.
pub fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.label(cx.input.file.name);
}
