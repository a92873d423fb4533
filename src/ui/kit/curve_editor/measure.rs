//! A span of seconds or metres under the box: round numbers, what comes of the heights, and the place reached now.

use super::place::Place;
use super::{Axis, CurveView};
use crate::schema::Unit;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::stroke;
use egui::{Align2, Stroke, Ui, pos2, vec2};

/// Room under the box.
pub(super) const FOOT: f32 = 30.0;
/// Room for what comes of the heights.
pub(super) const RIGHT: f32 = 56.0;
/// Between two numbers, at least.
const APART: f32 = 72.0;

/// Places of round numbers over a box that is so wide, each as it is written; also what places snap to.
pub(super) fn ticks(width: f32, [from, to]: [f32; 2], format: NumberFormat) -> Vec<(f32, String)> {
    let length = to - from;
    if !(length > 0.0 && length.is_finite()) {
        return Vec::new();
    }
    let least = length / (width / APART).clamp(2.0, 10.0);
    let decade = 10.0_f32.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0].map(|n| n * decade).into_iter().find(|s| *s >= least * 0.999).unwrap_or(decade * 10.0);
    let format = match format.unit {
        Unit::Metres => format,
        _ => format.decimals((-step.log10()).ceil().clamp(0.0, 4.0) as usize),
    };
    let count = (length / step).floor().min(20.0) as u16;
    let first = (from / step - 1e-3).ceil();
    let values = (0..=count + 1).map(|i| (first + f32::from(i)) * step).filter(|v| *v <= to + step * 1e-3);
    values.map(|value| (((value - from) / length).clamp(0.0, 1.0), format.text(value))).collect()
}

pub(super) fn paint_scale(ui: &Ui, place: &Place, view: &CurveView<'_>, theme: &Theme) {
    let Axis::Measure { span, format, .. } = view.axis else { return };
    let c = theme.color;
    for (t, words) in ticks(place.plot.width(), span, format) {
        let foot = place.point(t, place.low);
        ui.painter().vline(foot.x, place.plot.y_range(), Stroke::new(stroke::HAIRLINE, faded(c.border, 0.7)));
        let at = foot + vec2(0.0, 13.0);
        paint::text(ui.painter(), at, Align2::CENTER_CENTER, &words, Text::Small, c.text_2);
    }
}

/// What comes of a height, at the right of the line that stands for it.
pub(super) fn paint_outcome(ui: &Ui, place: &Place, view: &CurveView<'_>, height: f32, theme: &Theme) {
    let Axis::Measure { .. } = view.axis else { return };
    let Some((base, value)) = view.base.and_then(|base| Some((base, base.value?))) else { return };
    let at = pos2(place.plot.right() + 10.0, place.point(1.0, height).y);
    let words = base.format.text(value * height);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, &words, Text::Tiny, theme.role(view.role));
}

pub(super) fn paint_now(ui: &Ui, place: &Place, view: &CurveView<'_>, theme: &Theme) {
    let Axis::Measure { now: Some(t), .. } = view.axis else { return };
    let head = place.point(t, view.curve.eval(t).clamp(place.low, place.high));
    let line = Stroke::new(stroke::HAIRLINE, faded(theme.color.text, 0.55));
    ui.painter().vline(head.x, place.plot.y_range(), line);
    ui.painter().circle_filled(head, 3.0, theme.color.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(width: f32, span: [f32; 2], format: NumberFormat, expected: &[&str]) {
        let found: Vec<String> = ticks(width, span, format).into_iter().map(|(_, words)| words).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_span_has_as_many_round_numbers_as_there_is_room_for() {
        let seconds = NumberFormat::with_suffix(" s", 2);
        check(300.0, [0.0, 2.0], seconds, &["0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"]);
        check(150.0, [0.0, 2.0], seconds, &["0 s", "1 s", "2 s"]);
        check(300.0, [0.0, 0.15], seconds, &["0.00 s", "0.05 s", "0.10 s", "0.15 s"]);
        check(300.0, [0.0, 3600.0], seconds, &["0 s", "1000 s", "2000 s", "3000 s"]);
        let metres = NumberFormat::of(Unit::Metres);
        check(400.0, [0.0, 0.5], metres, &["0 mm", "100 mm", "200 mm", "300 mm", "400 mm", "500 mm"]);
        check(220.0, [-0.2, 0.2], metres, &["−200 mm", "0 mm", "200 mm"]);
        check(300.0, [0.0, 0.0], metres, &[]);
    }

    #[test]
    fn numbers_stand_at_their_places() {
        let places: Vec<f32> = ticks(300.0, [0.0, 2.0], NumberFormat::of(Unit::Seconds)).iter().map(|t| t.0).collect();
        let wanted = [0.0, 0.25, 0.5, 0.75, 1.0];
        assert!(places.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-5), "{places:?}");
    }
}
