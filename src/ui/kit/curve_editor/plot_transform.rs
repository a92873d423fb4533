//! Conversion between curve coordinates and screen points.

use super::{CurveAxis, CurveEditorInput};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{alpha, stroke};
use egui::{Align2, Pos2, Rect, Stroke, Ui, Vec2, pos2, vec2};
use yuremono_sim::math::CurveKey;
use yuremono_sim::params::Unit;

/// Distance of a slope handle from its key, in points.
const HANDLE_DISTANCE: f32 = 42.0;
const MAX_SLOPE: f32 = 60.0;

/// Own values above this factor are drawn at the edge of the plot. Otherwise a large own value would flatten the curve.
const MAX_OVERRIDE_FACTOR: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct PlotTransform {
    pub plot: Rect,
    pub low: f32,
    pub high: f32,
}

impl PlotTransform {
    /// Computes the value range of the plot. The range contains 0 to 1, the own values up to [`MAX_OVERRIDE_FACTOR`]
    /// and, unless the plot is locked, the curve.
    pub(super) fn of(plot: Rect, view: &CurveEditorInput<'_>) -> Self {
        let samples = (0..=64_u8).map(|i| view.curve.eval(f32::from(i) / 64.0)).filter(|_| !view.locked_to_unit_range);
        let overrides = view
            .axis
            .joints()
            .iter()
            .filter_map(|joint| joint.override_factor)
            .map(|factor| factor.clamp(-MAX_OVERRIDE_FACTOR, MAX_OVERRIDE_FACTOR));
        let (low, high) = samples.chain(overrides).fold((0.0_f32, 1.0_f32), |(low, high), v| (low.min(v), high.max(v)));
        let half = |x: f32| x * 2.0;
        // Rounding to half steps keeps the range stable during small movements of a key.
        Self { plot, low: half(low).floor() / 2.0, high: half(high).ceil() / 2.0 }
    }

    pub(super) fn point(&self, t: f32, value: f32) -> Pos2 {
        let up = (value - self.low) / (self.high - self.low);
        pos2(self.plot.left() + t * self.plot.width(), self.plot.bottom() - up * self.plot.height())
    }

    pub(super) fn t(&self, at: Pos2) -> f32 {
        ((at.x - self.plot.left()) / self.plot.width()).clamp(0.0, 1.0)
    }

    pub(super) fn value(&self, at: Pos2) -> f32 {
        self.low + (self.plot.bottom() - at.y) / self.plot.height() * (self.high - self.low)
    }

    pub(super) fn key(&self, key: &CurveKey) -> Pos2 {
        self.point(key.t, key.value)
    }

    /// Returns the left (`-1`) or right (`1`) handle of a key.
    pub(super) fn handle(&self, key: &CurveKey, side: f32) -> Pos2 {
        let slope = if side < 0.0 { key.slope_in } else { key.slope_out };
        self.key(key) + side * self.direction(slope) * HANDLE_DISTANCE
    }

    fn direction(&self, slope: f32) -> Vec2 {
        let rise = slope * self.plot.height() / (self.high - self.low);
        vec2(self.plot.width(), -rise).normalized()
    }

    /// Returns the slope from a key to a point on one side. For a point on the other side, returns the steepest slope.
    pub(super) fn slope(&self, key: &CurveKey, side: f32, at: Pos2) -> f32 {
        let away = at - self.key(key);
        let run = (side * away.x).max(1.0) / self.plot.width();
        let rise = -side * away.y / self.plot.height() * (self.high - self.low);
        (rise / run).clamp(-MAX_SLOPE, MAX_SLOPE)
    }
}

/// Height of the scale below the plot, in points.
pub(super) const SCALE_HEIGHT: f32 = 30.0;
/// Width of the results at the right.
pub(super) const RESULT_WIDTH: f32 = 56.0;
const MIN_TICK_GAP: f32 = 72.0;

/// Returns the positions and texts of round values for a plot of this width. Keys snap to the same positions.
pub(super) fn ticks(width: f32, [from, to]: [f32; 2], format: NumberFormat) -> Vec<(f32, String)> {
    let length = to - from;
    if !(length > 0.0 && length.is_finite()) {
        return Vec::new();
    }
    let least = length / (width / MIN_TICK_GAP).clamp(2.0, 10.0);
    let decade = libm::powf(10.0_f32, libm::log10f(least).floor());
    let step = [1.0, 2.0, 5.0].map(|n| n * decade).into_iter().find(|s| *s >= least * 0.999).unwrap_or(decade * 10.0);
    let format = match format.unit {
        Unit::Metres => format,
        _ => format.decimals((-libm::log10f(step)).ceil().clamp(0.0, 4.0) as usize),
    };
    let count = (length / step).floor().min(20.0) as u16;
    let first = (from / step - 1e-3).ceil();
    let values = (0..=count + 1).map(|i| (first + f32::from(i)) * step).filter(|v| *v <= to + step * 1e-3);
    values.map(|value| (((value - from) / length).clamp(0.0, 1.0), format.text(value))).collect()
}

pub(super) fn paint_scale(ui: &Ui, transform: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let CurveAxis::Measure { span, format, .. } = view.axis else { return };
    let c = theme.color;
    for (t, text) in ticks(transform.plot.width(), span, format) {
        let foot = transform.point(t, transform.low);
        ui.painter().vline(
            foot.x,
            transform.plot.y_range(),
            Stroke::new(stroke::HAIRLINE, faded(c.border, alpha::PLOT_GRID)),
        );
        let at = foot + vec2(0.0, 13.0);
        paint::text(ui.painter(), at, Align2::CENTER_CENTER, &text, TextSize::Small, c.text_2);
    }
}

pub(super) fn paint_result_value(
    ui: &Ui,
    transform: &PlotTransform,
    view: &CurveEditorInput<'_>,
    height: f32,
    theme: &Theme,
) {
    let CurveAxis::Measure { .. } = view.axis else { return };
    let Some((base, value)) = view.base.and_then(|base| Some((base, base.value?))) else { return };
    let at = pos2(transform.plot.right() + 10.0, transform.point(1.0, height).y);
    let text = base.format.text(value * height);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &text, TextSize::Tiny, theme.role(view.role));
}

pub(super) fn paint_current(ui: &Ui, transform: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let CurveAxis::Measure { current: Some(t), .. } = view.axis else { return };
    let head = transform.point(t, view.curve.eval(t).clamp(transform.low, transform.high));
    let line = Stroke::new(stroke::HAIRLINE, faded(theme.color.text, alpha::PLOT_CURSOR));
    ui.painter().vline(head.x, transform.plot.y_range(), line);
    ui.painter().circle_filled(head, 3.0, theme.color.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transform() -> PlotTransform {
        PlotTransform { plot: Rect::from_min_size(pos2(10.0, 20.0), vec2(400.0, 100.0)), low: 0.0, high: 1.0 }
    }

    #[test]
    fn slope_of_a_handle_position_is_the_shown_slope() {
        let transform = transform();
        for slope in [-3.0, -0.5, 0.0, 0.8, 5.0] {
            let key = CurveKey { t: 0.5, value: 0.5, slope_in: slope, slope_out: slope };
            for side in [-1.0, 1.0] {
                let found = transform.slope(&key, side, transform.handle(&key, side));
                assert!((found - slope).abs() < 0.01 * (1.0 + slope.abs()), "{slope} became {found} at side {side}");
            }
        }
    }

    #[test]
    fn points_convert_back_to_time_and_value() {
        let at = transform().point(0.25, 0.75);
        assert!((transform().t(at) - 0.25).abs() < 1e-6);
        assert!((transform().value(at) - 0.75).abs() < 1e-6);
    }

    #[track_caller]
    fn check(width: f32, span: [f32; 2], format: NumberFormat, expected: &[&str]) {
        let found: Vec<String> = ticks(width, span, format).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn ticks_are_round_numbers_that_fit_the_width() {
        let seconds = NumberFormat::with_suffix(" s", 2);
        check(300.0, [0.0, 2.0], seconds, &["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]);
        check(150.0, [0.0, 2.0], seconds, &["0 s", "1 s", "2 s"]);
        check(300.0, [0.0, 0.15], seconds, &["0.00 s", "0.05 s", "0.10 s", "0.15 s"]);
        check(300.0, [0.0, 3600.0], seconds, &["0 s", "1000 s", "2000 s", "3000 s"]);
        let metres = NumberFormat::for_unit(Unit::Metres);
        check(400.0, [0.0, 0.5], metres, &["0 mm", "100 mm", "200 mm", "300 mm", "400 mm", "500 mm"]);
        check(220.0, [-0.2, 0.2], metres, &["−200 mm", "0 mm", "200 mm"]);
        check(300.0, [0.0, 0.0], metres, &[]);
    }

    #[test]
    fn ticks_are_at_their_axis_fractions() {
        let places: Vec<f32> =
            ticks(300.0, [0.0, 2.0], NumberFormat::for_unit(Unit::Seconds)).iter().map(|t| t.0).collect();
        let wanted = [0.0, 0.25, 0.5, 0.75, 1.0];
        assert!(places.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{places:?}");
    }
}
