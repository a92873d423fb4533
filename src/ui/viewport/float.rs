//! Strips that float at the viewport's edges.

use crate::ui::kit::frame::{self, Run};
use egui::{Align2, Rect, Sense, Ui, UiBuilder, Vec2};

/// Shows a strip at a place inside `within`; the strip is as large as its contents, and no click falls through it.
/// Returns the contents' result and where the strip is.
pub(super) fn strip<R>(
    ui: &mut Ui,
    name: &str,
    place: Align2,
    within: Rect,
    run: Run,
    contents: impl FnOnce(&mut Ui) -> R,
) -> (R, Rect) {
    // A strip is placed by the size that it had; the first frame only measures.
    let id = ui.scope_id().with(("strip", name));
    let known: Option<Vec2> = ui.data(|d| d.get_temp(id));
    let rect = place.align_size_within_rect(known.unwrap_or(Vec2::new(40.0, 40.0)), within);
    if known.is_some() {
        // Catches the pointer without being a stop for the keyboard.
        ui.interact(rect, id.with("shield"), Sense::CLICK | Sense::DRAG);
    }
    let builder = UiBuilder::new().id_salt(name).max_rect(rect);
    let out = ui.scope_builder(builder, |ui| {
        if known.is_none() {
            ui.set_invisible();
        }
        frame::strip(ui, run, contents)
    });
    let size = out.response.rect.size();
    if known.is_none_or(|known| (known - size).abs().max_elem() > 0.5) {
        ui.data_mut(|d| d.insert_temp(id, size));
        ui.ctx().request_discard("a strip has another size");
    }
    (out.inner, rect)
}
