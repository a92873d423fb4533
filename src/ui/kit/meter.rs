//! Widgets that show an amount: count cards, confidence and progress.

use super::paint;
use crate::tr;
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::{Align2, Color32, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Matches with at least this confidence need no confirmation by the artist.
pub const HIGH_CONFIDENCE: f32 = 0.9;

/// Draws a large count with an icon and a text, 52 points high. A click filters by the counted items.
pub fn count_card(
    ui: &mut Ui,
    icon: Icon,
    color: Color32,
    count: usize,
    label: &str,
    on: bool,
    width: Option<f32>,
) -> Response {
    let c = Theme::of(ui).color;
    let width = width.unwrap_or_else(|| (paint::text_width(ui, label, TextSize::Small) + 24.0).max(90.0));
    let (rect, response) = ui.allocate_exact_size(vec2(width, 52.0), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, format!("{count} {label}")));
    let (fill, edge) = match () {
        () if on => (c.selection, c.accent),
        () if response.hovered() => (c.hover, c.border_strong),
        () => (c.raised, c.border),
    };
    ui.painter().rect(rect, radius::BUTTON, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let top = rect.top() + 18.0;
    paint_icon(ui.painter(), pos2(rect.left() + 19.0, top), icon, size::ICON, color);
    let (count_color, label_color) = if on { (c.selection_text, c.selection_text) } else { (c.text, c.text_2) };
    let at = pos2(rect.left() + 33.0, top);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &count.to_string(), TextSize::Title, count_color);
    let galley = paint::elided(ui, label, TextSize::Small, label_color, width - 22.0);
    paint::paint_galley_left(ui.painter(), pos2(rect.left() + 11.0, rect.top() + 37.0), galley);
    focus_ring(ui, &response, rect, radius::BUTTON);
    response
}

/// Draws a confidence of 0..=1 as a bar. The bar is green from [`HIGH_CONFIDENCE`], amber below, and empty for `None`.
pub fn confidence_bar(ui: &mut Ui, name: &str, sure: Option<f32>, width: f32) -> Response {
    let c = Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    let value = f64::from(sure.unwrap_or(0.0));
    response.widget_info(|| WidgetInfo { value: Some(value), ..WidgetInfo::labeled(Role::Meter, true, name) });
    let track = Rect::from_center_size(rect.center(), vec2(width, 6.0));
    ui.painter().rect_filled(track, 3.0, c.field);
    if let Some(sure) = sure {
        let color = if sure >= HIGH_CONFIDENCE { c.ok } else { c.warning };
        let filled = track.with_max_x(track.left() + (width * sure.clamp(0.0, 1.0)).max(6.0));
        ui.painter().rect_filled(filled, 3.0, color);
    }
    response
}

/// Draws progress with a text, a bar, a percentage and a cancel button. Returns whether the cancel button was clicked.
/// Without `done` (0..=1), the bar is indeterminate.
pub fn progress_bar(ui: &mut Ui, label: &str, done: Option<f32>, can_cancel: bool) -> bool {
    let theme = Theme::of(ui);
    let c = theme.color;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::M;
        ui.label(TextSize::Small.rich(label).color(c.text_2));
        let (rect, response) = ui.allocate_exact_size(vec2(110.0, 18.0), Sense::hover());
        let value = done.map(f64::from);
        response.widget_info(|| WidgetInfo { value, ..WidgetInfo::labeled(Role::ProgressIndicator, true, label) });
        let track = Rect::from_center_size(rect.center(), vec2(110.0, 6.0));
        ui.painter().rect_filled(track, 3.0, c.border);
        let (from, to) = done.map_or_else(|| indeterminate_range(ui, &theme), |done| (0.0, done.clamp(0.0, 1.0)));
        let x = |share: f32| track.left() + track.width() * share;
        let filled = track.with_min_x(x(from)).with_max_x(x(to).max(x(from) + 6.0).min(track.right()));
        ui.painter().rect_filled(filled, 3.0, c.accent);
        if let Some(done) = done {
            ui.label(TextSize::Small.rich(format!("{:.0} %", 100.0 * done.clamp(0.0, 1.0))).color(c.text_2));
        }
        let name = tr!(theme, "Cancel {name}", name = label);
        can_cancel && IconButton::new(icons::X, &name).tiny().show(ui).clicked()
    })
    .inner
}

fn indeterminate_range(ui: &Ui, theme: &Theme) -> (f32, f32) {
    if theme.reduce_motion {
        return (0.35, 0.65);
    }
    ui.ctx().request_repaint();
    let phase = ui.input(|i| i.time).rem_euclid(1.6) as f32 / 1.6;
    let start = 1.3 * phase - 0.3;
    (start.max(0.0), (start + 0.3).min(1.0))
}
