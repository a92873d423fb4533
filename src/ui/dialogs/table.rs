//! Tables and lists of dialogs. Only visible rows are drawn. [`BonePicker`] lists bones below a field.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, Icon, focus_ring, paint_icon};
use crate::ui::kit::paint::{self, ElidedName};
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::toggle::{CheckState, checkbox};
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use egui::scroll_area::{DragScroll, ScrollAreaOutput, ScrollSource};
use egui::{
    Align, Align2, Color32, Context, Frame, Id, Key, Layout, Margin, Order, Rect, Response, Role, ScrollArea, Sense,
    Stroke, StrokeKind, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2,
};
use egui_extras::{TableBuilder, TableRow};
use std::collections::BTreeMap;
use std::ops::Range;
use yuremono_model::document::names::fold;
use yuremono_sim::rig::BoneId;

pub(super) const HEADER_HEIGHT: f32 = 28.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Column<'a> {
    title: &'a str,
    /// Width of the column. `None` uses the remaining width.
    width: Option<f32>,
    indent: f32,
    /// A second title at the right edge, above numbers.
    right_title: &'a str,
}

impl<'a> Column<'a> {
    pub(super) const fn new(title: &'a str, width: f32) -> Self {
        Self { title, width: Some(width), indent: 0.0, right_title: "" }
    }

    pub(super) const fn fill(title: &'a str) -> Self {
        Self { width: None, ..Self::new(title, 0.0) }
    }

    pub(super) const fn right_aligned(title: &'a str, width: f32) -> Self {
        Self::with_right_title("", title, width)
    }

    pub(super) const fn with_right_title(title: &'a str, right: &'a str, width: f32) -> Self {
        Self { right_title: right, ..Self::new(title, width) }
    }

    pub(super) const fn indented(self, indent: f32) -> Self {
        Self { indent, ..self }
    }
}

/// A table with a fixed header and scrolling rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    pub id: &'a str,
    pub columns: &'a [Column<'a>],
    /// Height of the table, including the header.
    pub height: f32,
    /// Scroll offset in points.
    pub scroll_to: Option<f32>,
    /// The checkbox in the header includes all rows. The tuple holds its left edge, name and state.
    pub include_all: Option<(f32, &'a str, CheckState)>,
}

/// The result of drawing a table.
pub(super) struct TableOutput {
    pub scroll: ScrollAreaOutput<()>,
    /// Whether the checkbox in the header was clicked.
    pub clicked_all: bool,
}

impl<'a> Table<'a> {
    pub(super) const fn new(id: &'a str, columns: &'a [Column<'a>], height: f32) -> Self {
        Self { id, columns, height, scroll_to: None, include_all: None }
    }

    /// Draws `count` rows.
    pub(super) fn show(self, ui: &mut Ui, count: usize, mut row: impl FnMut(&mut Cells<'_, '_>)) -> TableOutput {
        let mut clicked_all = false;
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        let body_height = (self.height - HEADER_HEIGHT).max(0.0);
        let width = ui.available_width();
        let mut table = TableBuilder::new(ui)
            .id_salt(self.id)
            .striped(false)
            .cell_layout(Layout::left_to_right(Align::Center))
            .drag_to_scroll(DragScroll::Never)
            .min_scrolled_height(body_height)
            .max_scroll_height(body_height)
            .auto_shrink(false);
        for column in self.columns {
            let size = column.width.map_or_else(egui_extras::Column::remainder, egui_extras::Column::exact);
            table = table.column(size.clip(false));
        }
        if let Some(offset) = self.scroll_to {
            table = table.vertical_scroll_offset(offset);
        }
        let table = table.header(HEADER_HEIGHT, |mut head| {
            for (at, column) in self.columns.iter().enumerate() {
                head.col(|ui| {
                    let rect = ui.max_rect();
                    let c = Theme::of(ui).color;
                    let paint = |x: f32, anchor: Align2, title: &str| {
                        paint::text(ui.painter(), pos2(x, rect.center().y), anchor, title, TextSize::Small, c.text_2);
                    };
                    paint(rect.left() + column.indent, Align2::LEFT_CENTER, column.title);
                    paint(rect.right(), Align2::RIGHT_CENTER, column.right_title);
                    if at == 0 {
                        paint::hairline(ui.painter(), rect.left(), rect.left() + width, rect.bottom(), c.border);
                        if let Some((left, name, tick)) = self.include_all {
                            clicked_all = row_checkbox(ui, rect, left, name, Some(tick));
                        }
                    }
                });
            }
        });
        let scroll = table.body(|body| {
            body.rows(size::ROW_TABLE, count, |table| row(&mut Cells { row: table, width }));
        });
        TableOutput { scroll, clicked_all }
    }
}

pub(super) struct Cells<'a, 'b> {
    row: TableRow<'a, 'b>,
    width: f32,
}

impl Cells<'_, '_> {
    pub(super) fn index(&self) -> usize {
        self.row.index()
    }

    /// Draws the first cell and the background of the row.
    pub(super) fn first_cell<R>(
        &mut self,
        name: &str,
        chosen: bool,
        contents: impl FnOnce(&mut Ui, Rect) -> R,
    ) -> FirstCellResponse<R> {
        let width = self.width;
        self.cell(|ui, cell| {
            let rect = Rect::from_min_size(cell.min, vec2(width, cell.height()));
            let response = ui.interact(rect, ui.scope_id().with("row"), Sense::click());
            paint_row(ui, rect, &response, name, chosen);
            let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|_| ui.rect_contains_pointer(rect));
            let inner = contents(ui, cell);
            FirstCellResponse { response, pointer: pointer.map(|at| at.x - rect.left()), inner }
        })
    }

    /// Draws the first cell of a group heading.
    pub(super) fn heading<R>(&mut self, contents: impl FnOnce(&mut Ui, Rect) -> R) -> R {
        let width = self.width;
        self.cell(|ui, cell| {
            let rect = Rect::from_min_size(cell.min, vec2(width, cell.height()));
            ui.painter().rect_filled(rect, 0.0, Theme::of(ui).color.panel);
            contents(ui, rect)
        })
    }

    pub(super) fn cell<R>(&mut self, contents: impl FnOnce(&mut Ui, Rect) -> R) -> R {
        let mut inner = None;
        self.row.col(|ui| {
            let rect = ui.max_rect();
            inner = Some(contents(ui, rect));
        });
        inner.expect("a table has as many columns as a row has cells")
    }

    /// Draws a text cell with these gaps at the left and right edge. Returns whether the text is cut.
    pub(super) fn text(&mut self, [left, right]: [f32; 2], text: &str, size: TextSize, color: Color32) -> bool {
        self.cell(|ui, cell| row_text(ui, cell, left, cell.width() - left - right, text, size, color))
    }

    /// Draws a cell with a bone name. Returns whether the name is cut.
    pub(super) fn bone_name(&mut self, gap: f32, text: &str, color: Color32) -> bool {
        self.cell(|ui, cell| row_bone_name(ui, cell, 0.0, cell.width() - gap, text, color))
    }

    pub(super) fn right_text(&mut self, text: &str, size: TextSize, color: Color32) {
        self.cell(|ui, cell| {
            paint::text(ui.painter(), cell.right_center(), Align2::RIGHT_CENTER, text, size, color);
        });
    }
}

#[derive(Debug)]
pub(super) struct FirstCellResponse<R> {
    /// The response of the whole row.
    pub response: Response,
    /// Distance of the pointer from the left edge of the row.
    pub pointer: Option<f32>,
    pub inner: R,
}

/// Draws a list without columns. `row` receives the index of each visible row.
pub(super) fn list(ui: &mut Ui, id: &str, height: f32, count: usize, mut row: impl FnMut(&mut Ui, usize)) {
    let area = ScrollArea::vertical()
        .id_salt(id)
        .max_height(height)
        .min_scrolled_height(height)
        .auto_shrink(false)
        .scroll_source(ScrollSource::MOUSE_WHEEL | ScrollSource::SCROLL_BAR);
    ui.spacing_mut().item_spacing.y = 0.0;
    area.show_rows(ui, size::ROW_TABLE, count, |ui, seen: Range<usize>| {
        for at in seen {
            ui.push_id(at, |ui| row(ui, at));
        }
    });
}

/// Returns the scroll offset that shows row `at`. Returns `None` if the row is visible.
pub(super) fn scroll_offset_to_show(at: usize, offset: f32, height: f32) -> Option<f32> {
    let top = at as f32 * size::ROW_TABLE;
    if top < offset {
        Some(top)
    } else if top + size::ROW_TABLE > offset + height {
        Some(top + size::ROW_TABLE - height)
    } else {
        None
    }
}

pub(super) fn list_row(ui: &mut Ui, name: &str, chosen: bool) -> (Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TABLE), Sense::click());
    paint_row(ui, rect, &response, name, chosen);
    (rect, response)
}

/// Draws the background of a row, and the line below the row.
fn paint_row(ui: &Ui, rect: Rect, response: &Response, name: &str, chosen: bool) {
    let c = Theme::of(ui).color;
    response.widget_info(|| WidgetInfo::selected(Role::Row, true, chosen, name));
    let fill = if chosen { Some(c.selection) } else { ui.rect_contains_pointer(rect).then_some(c.hover) };
    if let Some(fill) = fill {
        ui.painter().rect_filled(rect, 0.0, fill);
    }
    let line = c.border.gamma_multiply(alpha::ROW_LINE);
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.bottom() - 0.5, line);
    focus_ring(ui, response, rect.shrink(space::XXS), 2.0);
}

/// Sets the accessible description of a row to the texts of its other cells.
pub(super) fn describe_row(response: &Response, name: &str, chosen: bool, cells: &[&str]) {
    response.widget_info(|| {
        let mut info = WidgetInfo::selected(Role::Row, true, chosen, name);
        let texts: Vec<&str> = cells.iter().copied().filter(|c| !c.is_empty()).collect();
        info.current_text_value = Some(texts.join(", "));
        info
    });
}

/// Creates a child [`Ui`] in a row, `left` points from the left edge of the row.
pub(super) fn widget_ui(ui: &mut Ui, row: Rect, left: f32, width: f32) -> Ui {
    let rect = Rect::from_min_size(pos2(row.left() + left, row.top()), vec2(width, row.height()));
    ui.new_child(UiBuilder::new().max_rect(rect).layout(Layout::left_to_right(Align::Center)))
}

/// Draws elided text in a row. Returns whether the text is cut.
pub(super) fn row_text(ui: &Ui, row: Rect, left: f32, width: f32, text: &str, size: TextSize, color: Color32) -> bool {
    let galley = paint::elided(ui, text, size, color, width);
    let elided = galley.elided;
    paint::paint_galley_left(ui.painter(), pos2(row.left() + left, row.center().y), galley);
    elided
}

/// Draws a bone name in a row. Returns whether the name is cut.
pub(super) fn row_bone_name(ui: &Ui, row: Rect, left: f32, width: f32, name: &str, color: Color32) -> bool {
    let name = ElidedName::new(ui, name, TextSize::Body, color, width);
    name.paint_left(ui.painter(), pos2(row.left() + left, row.center().y));
    name.is_cut
}

/// Draws a checkbox in a row. `None` disables the checkbox. Returns whether the checkbox was clicked.
pub(super) fn row_checkbox(ui: &mut Ui, row: Rect, left: f32, name: &str, tick: Option<CheckState>) -> bool {
    if let Some(tick) = tick {
        return checkbox(&mut widget_ui(ui, row, left, size::HIT_MIN), name, "", tick).clicked();
    }
    let c = Theme::of(ui).color;
    let center = pos2(row.left() + left + size::HIT_MIN / 2.0, row.center().y);
    let square = Rect::from_center_size(center, Vec2::splat(size::CHECKBOX));
    ui.painter().rect_stroke(square, radius::CHECKBOX, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    false
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CellFieldStyle {
    /// Whether the text is a chosen value and not a placeholder.
    pub filled: bool,
    /// Whether the field is highlighted because its list is open.
    pub accent: bool,
    /// Width of the content at the right.
    pub right_inset: f32,
}

/// Draws a field that shows a choice and opens a list. Returns the rectangle and the response.
pub(super) fn cell_field(ui: &Ui, cell: Rect, [name, text]: [&str; 2], style: CellFieldStyle) -> (Rect, Response) {
    let c = Theme::of(ui).color;
    let field = cell.shrink2(vec2(0.0, 3.0));
    let response = ui.interact(field, ui.scope_id().with("field"), Sense::click());
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(text.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, name)
    });
    let edge = match () {
        () if style.accent => c.accent,
        () if response.hovered() => c.border_strong,
        () => c.border,
    };
    ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let color = if style.filled { c.text } else { c.text_3 };
    row_bone_name(ui, field, space::M, field.width() - space::M - style.right_inset, text, color);
    let caret = pos2(field.right() - 13.0, field.center().y);
    paint_icon(ui.painter(), caret, icons::CARET_DOWN, size::ICON_TINY, c.text_2);
    focus_ring(ui, &response, field, radius::FIELD);
    (field, response)
}

/// Draws the text at the left of a footer, limited to the width next to the buttons.
pub(super) fn footer_note_ui(ui: &mut Ui, note: &str) {
    let c = Theme::of(ui).color;
    let width = ui.available_width() - space::L;
    let (rect, response) = ui.allocate_exact_size(vec2(width.max(0.0), size::ICON_LARGE), Sense::hover());
    let galley = paint::elided(ui, note, TextSize::Small, c.text_2, rect.width());
    let elided = galley.elided;
    paint::paint_galley_left(ui.painter(), pos2(ui.max_rect().left(), rect.center().y), galley);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, note));
    if elided {
        response.on_hover_text(note);
    }
}

pub(super) const LOSS_ROW_HEIGHT: f32 = 26.0;

/// Returns the width of the text of a loss next to a note.
pub(super) fn loss_text_width(line: f32, note: f32) -> f32 {
    line - 2.0 * space::XL - 24.0 - if note > 0.0 { note + space::XL } else { 0.0 }
}

/// Draws an icon, a sentence, a list of names shortened to the available width, and a note at the right.
pub(super) fn loss_line_ui(ui: &mut Ui, icon: Icon, color: Color32, text: &str, names: &str, back: &str) {
    let c = Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), LOSS_ROW_HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    paint_icon(ui.painter(), pos2(rect.left() + space::XL + 8.0, rect.center().y), icon, size::ICON, color);
    let note = paint::text_width(ui, back, TextSize::Small);
    let end = pos2(rect.right() - space::XL, rect.center().y);
    paint::text(ui.painter(), end, Align2::RIGHT_CENTER, back, TextSize::Small, c.text_2);
    let parts =
        [(text, TextSize::Body, c.text), ("   ", TextSize::Small, c.text_3), (names, TextSize::Small, c.text_3)];
    let line = paint::layout_line(ui, &parts, loss_text_width(rect.width(), note));
    let cut = line.elided;
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + space::XL + 24.0, rect.center().y), line);
    if cut || !names.is_empty() {
        response.on_hover_text(format!("{text}\n{names}"));
    }
}

/// Returns the bones with names that contain a text. An empty text matches all bones.
pub(super) fn bones_with_name(cx: &UiContext<'_>, search: &str) -> Vec<BoneId> {
    let (skeleton, wanted) = (&cx.session().character().skeleton, fold(search));
    skeleton.ids().filter(|bone| fold(skeleton.name(*bone)).contains(&wanted)).collect()
}

const PICKER_WIDTH: f32 = 280.0;
const PICKER_ROWS: usize = 9;

#[derive(Clone, Debug)]
pub(super) struct BonePicker {
    pub(super) row: usize,
    field: Rect,
    search: String,
    needs_focus: bool,
}

/// A bone, or the explicit choice of no bone.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoneChoice(pub(super) Option<BoneId>);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BonePickerOutput {
    pub(super) choice: Option<BoneChoice>,
    pub(super) hovered: Option<BoneId>,
    /// Whether the pointer was pressed outside the list.
    pub(super) closed: bool,
}

impl BonePicker {
    pub(super) fn new(row: usize, field: Rect) -> Self {
        Self { row, field, search: String::new(), needs_focus: true }
    }

    /// Draws the list. `likely` bones come first. `taken` contains the names of rows that already use a bone.
    pub(super) fn show(
        &mut self,
        ctx: &Context,
        cx: &UiContext<'_>,
        likely: &[(BoneId, f32)],
        taken: &BTreeMap<BoneId, &str>,
    ) -> BonePickerOutput {
        let c = cx.theme.color;
        let frame = Frame::new()
            .fill(c.popup)
            .stroke(Stroke::new(stroke::EDGE, c.border_strong))
            .corner_radius(radius::BUTTON)
            .shadow(ctx.style_of(ctx.theme()).visuals.popup_shadow)
            .inner_margin(Margin::same(space::S as i8));
        let area = egui::Area::new(Id::unique("bone_picker")).order(Order::Foreground).constrain(true);
        let below = ctx.content_rect().bottom() - self.field.bottom();
        let height = 40.0 + size::ROW_TABLE * PICKER_ROWS as f32;
        let top =
            if below > height + 12.0 { self.field.bottom() + space::XXS } else { self.field.top() - height - 12.0 };
        let shown = area
            .fixed_pos(pos2(self.field.left(), top))
            .show(ctx, |ui| frame.show(ui, |ui| self.list_ui(ui, cx, likely, taken)).inner);
        let mut out = shown.inner;
        let elsewhere = ctx.input(|i| i.pointer.any_pressed()) && !shown.response.contains_pointer();
        out.closed = elsewhere && !self.needs_focus;
        self.needs_focus = false;
        out
    }

    fn list_ui(
        &mut self,
        ui: &mut Ui,
        cx: &UiContext<'_>,
        likely: &[(BoneId, f32)],
        taken: &BTreeMap<BoneId, &str>,
    ) -> BonePickerOutput {
        let c = cx.theme.color;
        ui.set_width(PICKER_WIDTH);
        let field = search_field(ui, &mut self.search, &tr!(cx, "Search bones"), PICKER_WIDTH);
        if self.needs_focus {
            field.request_focus();
        }
        ui.add_space(space::XS);
        let skeleton = &cx.session().character().skeleton;
        let mut bones = bones_with_name(cx, &self.search);
        bones.sort_by_cached_key(|bone| likely.iter().position(|l| l.0 == *bone).unwrap_or(usize::MAX));
        let mut out = BonePickerOutput::default();
        if field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
            out.choice = bones.first().map(|b| BoneChoice(Some(*b)));
        }
        let none_too = usize::from(fold(&self.search).is_empty());
        let height = size::ROW_TABLE * PICKER_ROWS as f32;
        list(ui, "bones", height, bones.len() + none_too, |ui, at| {
            let bone = if at < none_too { None } else { bones.get(at - none_too).copied() };
            let none = tr!(cx, "No bone (row kept)");
            let name = bone.map_or(&*none, |b| skeleton.name(b));
            let (rect, response) = list_row(ui, name, false);
            if response.clicked() {
                out.choice = Some(BoneChoice(bone));
            }
            let Some(bone) = bone else {
                row_text(ui, rect, 28.0, PICKER_WIDTH - 40.0, name, TextSize::Body, c.text_2);
                return;
            };
            if response.hovered() {
                out.hovered = Some(bone);
            }
            paint_icon(ui.painter(), rect.left_center() + vec2(14.0, 0.0), icons::BONE, size::ICON_SMALL, c.text_3);
            let sure = likely.iter().find(|l| l.0 == bone).map(|l| format!("{:.0} %", 100.0 * l.1));
            let note = sure.or_else(|| taken.get(&bone).map(|row| format!("← {row}"))).unwrap_or_default();
            let note = paint::elided(ui, &note, TextSize::Small, c.text_2, 110.0);
            let width = PICKER_WIDTH - 44.0 - note.size().x - 14.0;
            let from = pos2(rect.right() - 14.0 - note.size().x, rect.center().y);
            paint::paint_galley_left(ui.painter(), from, note);
            row_bone_name(ui, rect, 28.0, width, name, c.text);
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scroll_offset_shows_a_hidden_row() {
        assert_eq!(scroll_offset_to_show(0, 56.0, 280.0), Some(0.0));
        assert_eq!(scroll_offset_to_show(12, 0.0, 280.0), Some(84.0));
        assert_eq!(scroll_offset_to_show(3, 0.0, 280.0), None);
    }
}
