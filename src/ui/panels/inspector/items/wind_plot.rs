//! A wind at its own place: where it blows now, and how that swung during the last seconds.

use crate::document::ForceId;
use crate::sim::Wind;
use crate::ui::UiContext;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{alpha, radius, space, stroke};
use crate::ui::viewport;
use egui::{Align2, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use glam::Vec3;

const HEIGHT: f32 = 84.0;
/// Points of a curve.
const POINTS: u16 = 120;
/// Seconds that are shown, at least and at most.
const SHOWN_SECONDS: [f32; 2] = [2.0, 8.0];

/// Draws it over the whole width.
pub(super) fn show(ui: &mut Ui, cx: &UiContext<'_>, id: ForceId, wind: &Wind) {
    let force = |later: f32| viewport::force_in_node_space(cx.session(), id, later);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT + 18.0), Sense::hover());
    let words = force_text(cx, force(0.0));
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &words));
    let c = cx.theme.color;
    let title = cx.tr("item.scope");
    let head = rect.left_top() + vec2(space::S, 7.0);
    paint::text(ui.painter(), head, Align2::LEFT_CENTER, &title, TextSize::Small, c.text_3);
    let at = pos2(rect.right(), head.y);
    paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &words, TextSize::Small, c.text_2);
    let body = Rect::from_min_max(pos2(rect.left() + space::S, rect.bottom() - HEIGHT), rect.max);
    let round = Rect::from_min_size(body.min, vec2(HEIGHT, HEIGHT));
    let plot = Rect::from_min_max(pos2(round.right() + space::M, body.top()), body.max);
    for place in [round, plot] {
        let edge = Stroke::new(stroke::EDGE, c.border);
        ui.painter().rect(place, radius::FIELD, c.field, edge, StrokeKind::Inside);
    }
    let window = shown_seconds(wind);
    let most = (wind.weight * wind.strength).abs().max(1e-3);
    // The view from behind the wind: its right is to the right, which is -X.
    let seen = |later: f32| force(later) * view_axes() / most;
    paint_direction(ui, cx, round, &seen, window);
    paint_plot(ui, cx, plot, &seen, window);
}

/// Right, up and forward as the eye behind the wind has them.
const fn view_axes() -> Vec3 {
    Vec3::new(-1.0, 1.0, 1.0)
}

fn shown_seconds(wind: &Wind) -> f32 {
    let longest = wind.period.abs().max(wind.spin_period.abs());
    if longest.is_finite() { (longest * 2.0).clamp(SHOWN_SECONDS[0], SHOWN_SECONDS[1]) } else { SHOWN_SECONDS[1] }
}

fn force_text(cx: &UiContext<'_>, force: Vec3) -> String {
    let strength = format!("{:.0}", force.length());
    let off = force.try_normalize().map_or(0.0, |d| d.dot(Vec3::Z).clamp(-1.0, 1.0).acos().to_degrees());
    cx.tr_with("item.scope_now", &[("force", &strength), ("angle", &format!("{off:.0}"))])
}

/// Where the wind points, seen from behind, and the way it came.
fn paint_direction(ui: &Ui, cx: &UiContext<'_>, place: Rect, seen: &dyn Fn(f32) -> Vec3, window: f32) {
    let c = cx.theme.color;
    let painter = ui.painter().with_clip_rect(place.intersect(ui.clip_rect()));
    let (middle, reach) = (place.center(), place.width() * 0.42);
    painter.circle_stroke(middle, reach, Stroke::new(stroke::HAIRLINE, c.border));
    for (a, b) in [(vec2(-reach, 0.0), vec2(reach, 0.0)), (vec2(0.0, -reach), vec2(0.0, reach))] {
        painter
            .line_segment([middle + a, middle + b], Stroke::new(stroke::HAIRLINE, faded(c.border, alpha::PLOT_GRID)));
    }
    let at = |later: f32| {
        let d = seen(later);
        middle + vec2(d.x, -d.y) * reach
    };
    let way: Vec<Pos2> = (0..=POINTS).map(|i| at(window * (f32::from(i) / f32::from(POINTS) - 1.0))).collect();
    for (i, pair) in way.windows(2).enumerate() {
        let age = i as f32 / f32::from(POINTS);
        painter.line_segment([pair[0], pair[1]], Stroke::new(1.25, faded(c.wind, 0.1 + 0.6 * age * age)));
    }
    let tip = at(0.0);
    painter.line_segment([middle, tip], Stroke::new(stroke::ARROW, c.wind));
    painter.circle_filled(tip, 3.5, c.text);
}

/// Sideways and upwards share over time, now at the right.
fn paint_plot(ui: &Ui, cx: &UiContext<'_>, place: Rect, seen: &dyn Fn(f32) -> Vec3, window: f32) {
    let c = cx.theme.color;
    let painter = ui.painter().with_clip_rect(place.intersect(ui.clip_rect()));
    let inner = Rect::from_min_max(place.min + vec2(1.0, 17.0), place.max - vec2(1.0, space::S));
    let thin = Stroke::new(stroke::HAIRLINE, c.border);
    painter.hline(place.x_range(), inner.center().y, thin);
    // One mark for each whole second before now.
    for second in 1..=window as u16 {
        let x = inner.right() - inner.width() * f32::from(second) / window;
        painter.vline(x, place.bottom() - 5.0..=place.bottom(), thin);
    }
    let line = |of: fn(Vec3) -> f32| -> Vec<Pos2> {
        let point = |i: u16| {
            let share = f32::from(i) / f32::from(POINTS);
            let value = of(seen(window * (share - 1.0)));
            pos2(inner.left() + inner.width() * share, inner.center().y - inner.height() * 0.5 * value)
        };
        (0..=POINTS).map(point).collect()
    };
    let (side, up) = (line(|d| d.x), line(|d| d.y));
    paint::dashed(&painter, &up, Stroke::new(stroke::CURVE_GHOST, faded(c.wind, alpha::WIND_LINE)), 5.0, 4.0);
    painter.add(Shape::line(side, Stroke::new(stroke::FAN_EDGE, c.wind)));
    legend_ui(cx, &painter, place.left_top() + vec2(space::S, 3.0));
}

/// Which line is which.
fn legend_ui(cx: &UiContext<'_>, painter: &Painter, at: Pos2) {
    let c = cx.theme.color;
    let words = |at: Pos2, key: &str| paint::text(painter, at, Align2::LEFT_TOP, &cx.tr(key), TextSize::Tiny, c.text_2);
    let side = words(at + vec2(15.0, 0.0), "item.scope_side");
    painter.hline(at.x..=at.x + 11.0, side.center().y, Stroke::new(stroke::FAN_EDGE, c.wind));
    let at = pos2(side.right() + 10.0, at.y);
    let mark = [pos2(at.x, side.center().y), pos2(at.x + 12.0, side.center().y)];
    paint::dashed(painter, &mark, Stroke::new(stroke::CURVE_GHOST, faded(c.wind, alpha::WIND_LINE)), 5.0, 2.0);
    words(at + vec2(space::XL, 0.0), "item.scope_up");
}
