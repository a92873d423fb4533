//! Rows and cells of the tables in windows: one look, and only the rows that can be seen are made.

use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::name::Name;
use crate::ui::kit::paint;
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{SPACE, size, stroke};
use egui::scroll_area::{ScrollAreaOutput, ScrollSource};
use egui::{
    Align, Align2, Color32, Layout, Rect, Response, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder,
    WidgetInfo, pos2, vec2,
};
use std::ops::Range;

/// Height of the line of column names.
pub(super) const HEAD: f32 = 28.0;

/// The line of column names: words, left edge, and whether they end at it instead. Returns where it is.
pub(super) fn head(ui: &mut Ui, columns: &[(&str, f32, Align2)]) -> Rect {
    let c = Theme::of(ui).color;
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEAD), Sense::hover());
    for (words, x, anchor) in columns {
        let at = pos2(rect.left() + x, rect.center().y);
        paint::text(ui.painter(), at, *anchor, words, Text::Small, c.text_2);
    }
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.bottom(), c.border);
    rect
}

/// The scrolling part, `height` high; `row` gets the index of each row that can be seen.
pub(super) fn body(
    ui: &mut Ui,
    id: &str,
    height: f32,
    count: usize,
    scroll_to: Option<f32>,
    mut row: impl FnMut(&mut Ui, usize),
) -> ScrollAreaOutput<()> {
    let mut area = ScrollArea::vertical()
        .id_salt(id)
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink(false)
        .scroll_source(ScrollSource::MOUSE_WHEEL | ScrollSource::SCROLL_BAR);
    if let Some(offset) = scroll_to {
        area = area.vertical_scroll_offset(offset);
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    area.show_rows(ui, size::ROW_TABLE, count, |ui, seen: Range<usize>| {
        for at in seen {
            ui.push_id(at, |ui| row(ui, at));
        }
    })
}

/// Where to scroll so that row `at` of `rows` can be seen, given what was seen; `None` where it can be.
pub(super) fn reveal(at: usize, offset: f32, height: f32) -> Option<f32> {
    let top = at as f32 * size::ROW_TABLE;
    if top < offset {
        Some(top)
    } else if top + size::ROW_TABLE > offset + height {
        Some(top + size::ROW_TABLE - height)
    } else {
        None
    }
}

/// One row over the whole width, with its ground and the line below it.
pub(super) fn row(ui: &mut Ui, name: &str, chosen: bool) -> (Rect, Response) {
    let c = Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TABLE), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, chosen, name));
    let fill = if chosen { Some(c.selection) } else { ui.rect_contains_pointer(rect).then_some(c.hover) };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 0.0, fill);
    }
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.bottom() - 0.5, c.border.gamma_multiply(0.6));
    focus_ring(ui, &response, rect.shrink(2.0), 2.0);
    (rect, response)
}

/// Says a row's other cells to those who do not see them.
pub(super) fn tell(response: &Response, name: &str, chosen: bool, cells: &[&str]) {
    response.widget_info(|| {
        let mut info = WidgetInfo::selected(Role::Row, true, chosen, name);
        let told: Vec<&str> = cells.iter().copied().filter(|c| !c.is_empty()).collect();
        info.current_text_value = Some(told.join(", "));
        info
    });
}

/// A place in a row for a widget, from `left` on, measured from the row's left edge.
pub(super) fn place(ui: &mut Ui, row: Rect, left: f32, width: f32) -> Ui {
    let rect = Rect::from_min_size(pos2(row.left() + left, row.top()), vec2(width, row.height()));
    ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)))
}

/// Words in a row that end in "…" where they are too long. Whether they do.
pub(super) fn words(ui: &Ui, row: Rect, left: f32, width: f32, words: &str, size: Text, color: Color32) -> bool {
    let galley = paint::elided(ui, words, size, color, width);
    let elided = galley.elided;
    paint::galley_left(ui.painter(), pos2(row.left() + left, row.center().y), galley);
    elided
}

/// A bone's name in a row. Whether some of it is not shown.
pub(super) fn name(ui: &Ui, row: Rect, left: f32, width: f32, name: &str, color: Color32) -> bool {
    let name = Name::new(ui, name, Text::Body, color, width);
    name.paint_left(ui.painter(), pos2(row.left() + left, row.center().y));
    name.is_cut
}

/// The place of a tick box on a row that cannot be taken.
pub(super) fn no_tick(ui: &Ui, row: Rect, left: f32) {
    let c = Theme::of(ui).color;
    let square = Rect::from_center_size(pos2(row.left() + left + 12.0, row.center().y), vec2(15.0, 15.0));
    ui.painter().rect_stroke(square, 3.0, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
}

/// A line of words at the left of a footer, in what its buttons have left.
pub(super) fn foot_note(ui: &mut Ui, note: &str) {
    let c = Theme::of(ui).color;
    let width = ui.available_width() - SPACE[4];
    let (rect, response) = ui.allocate_exact_size(vec2(width.max(0.0), 20.0), Sense::hover());
    let galley = paint::elided(ui, note, Text::Small, c.text_2, rect.width());
    let elided = galley.elided;
    paint::galley_left(ui.painter(), pos2(ui.max_rect().left(), rect.center().y), galley);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, note));
    if elided {
        response.on_hover_text(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_out_of_sight_is_scrolled_to() {
        assert_eq!(reveal(0, 56.0, 280.0), Some(0.0));
        assert_eq!(reveal(12, 0.0, 280.0), Some(84.0));
        assert_eq!(reveal(3, 0.0, 280.0), None);
    }
}
