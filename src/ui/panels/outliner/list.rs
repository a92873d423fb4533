//! A scrolled list of rows of equal height, of which only those in sight are drawn.

use crate::ui::kit::tokens::size;
use egui::style::ScrollAnimation;
use egui::{Rect, ScrollArea, Ui, pos2, vec2};

/// Draws `count` rows by `row_ui`; brings row `scroll_to` into sight when it is not.
pub(super) fn rows(
    ui: &mut Ui,
    name: &str,
    count: usize,
    scroll_to: Option<usize>,
    mut row_ui: impl FnMut(&mut Ui, usize),
) {
    let height = size::ROW_TREE;
    ScrollArea::vertical().id_salt(name).auto_shrink([false, false]).show_rows(ui, height, count, |ui, range| {
        if let Some(row) = scroll_to {
            let top = ui.max_rect().top() - range.start as f32 * height;
            let at = pos2(ui.max_rect().left(), top + row as f32 * height);
            // One more row on either side, so that one sees where one came from.
            let rect = Rect::from_min_size(at, vec2(1.0, height)).expand2(vec2(0.0, height));
            ui.scroll_to_rect_animation(rect, None, ScrollAnimation::none());
        }
        for row in range {
            row_ui(ui, row);
        }
    });
}
