//! The list of meshes, to hide what stands in the way. Hiding is not saved and changes no motion.

use super::{list, nothing_ui};
use crate::doc::names::Pattern;
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::tree_row::{Mark, TreeRow};
use crate::ui::panels::menus::item;
use egui::Ui;

/// Draws it.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, pattern: &Pattern) {
    let meshes = &cx.session().character().meshes;
    let rows: Vec<usize> = (0..meshes.len()).filter(|i| pattern.matches(&meshes[*i].name)).collect();
    if rows.is_empty() {
        nothing_ui(ui, cx, if meshes.is_empty() { "outliner.no_meshes" } else { "outliner.none_found" });
    }
    let flags = &mut cx.state.meshes;
    if flags.len() < meshes.len() {
        flags.resize(meshes.len(), true);
    }
    list::rows(ui, "meshes", rows.len(), None, |ui, at| {
        let index = rows[at];
        let visible = cx.state.meshes[index];
        let row = TreeRow {
            moves: visible,
            eye: Some(visible),
            ..TreeRow::new(&meshes[index].name, 0, Mark::Icon(icons::POLYGON))
        };
        let output = row.show(ui, index);
        if output.eye_clicked || output.response.clicked() {
            cx.state.meshes[index] = !visible;
        }
        output.response.context_menu(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let (only, all) = (cx.tr("outliner.only_this"), cx.tr("outliner.show_all"));
            if item(&only).show(ui).clicked() {
                cx.state.meshes.iter_mut().enumerate().for_each(|(i, flag)| *flag = i == index);
            }
            if item(&all).show(ui).clicked() {
                cx.state.meshes.fill(true);
            }
        });
    });
}
