//! A small picture of a curve; a click opens the curve.

use super::paint::faded;
use crate::math::Curve;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{self, Theme};
use crate::ui::kit::tokens::{radius, size, stroke};
use egui::{CursorIcon, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Adds the picture, 32 × 18. `None` is a flat curve. `open` gives it the edge of the curve that is being edited.
pub fn curve_thumb(ui: &mut Ui, name: &str, curve: Option<&Curve>, role: theme::Role, open: bool) -> Response {
    let [width, height] = size::CURVE_THUMB;
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::click());
    curve_thumb_at(ui, rect, response, name, curve, role, open)
}

/// Draws it for a response that was made elsewhere.
pub fn curve_thumb_at(
    ui: &Ui,
    rect: Rect,
    response: Response,
    name: &str,
    curve: Option<&Curve>,
    role: theme::Role,
    open: bool,
) -> Response {
    let theme = Theme::of(ui);
    let c = theme.color;
    let label = theme.tr_with("bar.open_curve", &[("name", name)]);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, &label));
    let edge = match () {
        () if open => c.accent,
        () if response.hovered() => c.border_strong,
        () => c.border,
    };
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let curve = curve.filter(|curve| !curve.is_flat());
    let color = if curve.is_some() { theme.role(role) } else { faded(c.text_3, 0.9) };
    ui.painter().add(Shape::line(points(curve, rect.shrink2(vec2(3.0, 4.0))), Stroke::new(1.5, color)));
    focus_ring(ui, &response, rect, radius::FIELD);
    response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text(label)
}

/// The curve fitted into a box; its height runs from the lesser of 0 and its least value to its greatest.
fn points(curve: Option<&Curve>, into: Rect) -> Vec<Pos2> {
    let Some(curve) = curve else { return vec![into.left_center(), into.right_center()] };
    let values: Vec<f32> = (0..=24_u8).map(|i| curve.eval(f32::from(i) / 24.0)).collect();
    let high = values.iter().copied().fold(1e-6, f32::max);
    let low = values.iter().copied().fold(0.0, f32::min);
    let place = |(i, v): (usize, &f32)| {
        let x = into.left() + into.width() * i as f32 / 24.0;
        pos2(x, into.bottom() - into.height() * (v - low) / (high - low))
    };
    values.iter().enumerate().map(place).collect()
}
