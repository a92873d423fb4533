//! The labels of bodies side by side. A click on a body of a sweep takes its value.

use super::tools::TOGGLES_HEIGHT;
use crate::stage::CameraView;
use crate::ui::UiContext;
use crate::ui::compare::sweep_format;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, space, stroke};
use egui::{Align2, CursorIcon, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use glam::Vec3;
use yuremono_session::{BodyRow, Command};
use yuremono_sim::diagnostics::message;

const LABEL_HEIGHT: f32 = 24.0;
/// Space above the head, as a share of the height of the character.
const GAP: f32 = 0.06;

/// One body of the row.
struct BodySlot {
    label: String,
    /// Screen position of the point above the head.
    above: egui::Pos2,
    /// The screen rectangle of the body.
    column: Rect,
}

/// Draws the labels. `response` is the response of the viewport.
pub(super) fn show(ui: &mut Ui, rect: Rect, response: &Response, view: &CameraView, cx: &mut UiContext<'_>) {
    let Some(row) = cx.session().body_row() else { return };
    let slots: Vec<Option<BodySlot>> = (0..row.count).map(|at| slot(rect, view, row, at, cx)).collect();
    let is_sweep = cx.session().sweep().is_some();
    let pointer = response.hover_pos();
    for (at, slot) in slots.iter().enumerate() {
        let Some(slot) = slot else { continue };
        let width = paint::text_width(ui, &slot.label, TextSize::Strong) + 2.0 * space::M;
        let label_rect = Rect::from_center_size(slot.above - vec2(0.0, LABEL_HEIGHT / 2.0), vec2(width, LABEL_HEIGHT));
        // The tools at the top of the view must not cover the label.
        let lowest_top = rect.top() + TOGGLES_HEIGHT;
        let label_rect = label_rect.translate(vec2(0.0, (lowest_top - label_rect.top()).max(0.0)));
        let sense = if is_sweep { Sense::click() } else { Sense::hover() };
        let label = ui.interact(label_rect, ui.scope_id().with(("body", at)), sense);
        let role = if is_sweep { Role::Button } else { Role::Label };
        label.widget_info(|| WidgetInfo::labeled(role, true, &*slot.label));
        let is_over = is_sweep && pointer.is_some_and(|at| slot.column.contains(at));
        paint_label(ui, cx, label_rect, &slot.label, is_over || (is_sweep && label.hovered()));
        let label = if is_sweep { label.on_hover_cursor(CursorIcon::PointingHand) } else { label };
        if label.clicked() || (is_over && response.clicked()) {
            cx.command(Command::TakeVariant(at));
        }
    }
}

fn slot(rect: Rect, view: &CameraView, row: BodyRow, at: usize, cx: &UiContext<'_>) -> Option<BodySlot> {
    let play = cx.playback();
    let label = match (cx.session().sweep(), cx.session().comparison()) {
        (Some(sweep), _) => sweep_format(cx, sweep.settings.subject).text(*sweep.values.get(at)?),
        (None, Some(comparison)) => {
            cx.tr(if (at == 1) == comparison.is_flipped { message!("A") } else { message!("B") }).into_owned()
        }
        (None, None) => return None,
    };
    let [low, high] = cx.input.bounds.unwrap_or([Vec3::ZERO, Vec3::Y * play.body_height()]);
    let centre = ((low + high) * 0.5 + play.displayed_travel().unwrap_or_default()).with_y(0.0);
    let offset = view.right * (row.spacing * (at as f32 - row.anchor as f32));
    let point = |height: f32| {
        let pixel = view.project(centre + offset + Vec3::Y * height)?.pixel;
        Some(pos2(rect.left() + pixel.x, rect.top() + pixel.y))
    };
    let (above, feet) = (point(high.y + GAP * (high.y - low.y))?, point(low.y)?);
    let half = 0.5 * view.metres_to_pixels(row.spacing, centre + offset);
    let column = Rect::from_two_pos(above - vec2(half, 0.0), feet + vec2(half, 0.0));
    Some(BodySlot { label, above, column })
}

fn paint_label(ui: &Ui, cx: &UiContext<'_>, rect: Rect, label: &str, is_over: bool) {
    let c = cx.theme.color;
    let (fill, edge, color) =
        if is_over { (c.selection, c.accent, c.selection_text) } else { (c.panel, c.border, c.text) };
    ui.painter().rect(rect, radius::PANEL_FLOAT, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    paint::text(ui.painter(), rect.center(), Align2::CENTER_CENTER, label, TextSize::Strong, color);
}
