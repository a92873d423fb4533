//! Between the curve's own numbers and points on the screen.

use super::CurveView;
use crate::math::Key;
use egui::{Pos2, Rect, Vec2, pos2, vec2};

/// Distance of a slope handle from its key.
const HANDLE_REACH: f32 = 42.0;
/// The steepest slope that a handle can give.
const STEEPEST: f32 = 60.0;

/// An own value beyond this many times the base is drawn at the edge, or the curve would become a flat line.
const TALLEST: f32 = 4.0;

/// Where things lie in the box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The box.
    pub plot: Rect,
    /// Value at its lower edge.
    pub low: f32,
    /// Value at its upper edge.
    pub high: f32,
}

impl Place {
    /// The box with a height that holds the curve, 0 to 1 when the curve is locked to that, and the joints' own values
    /// as far as [`TALLEST`].
    pub(super) fn of(plot: Rect, view: &CurveView<'_>) -> Self {
        let samples = (0..=64_u8).map(|i| view.curve.eval(f32::from(i) / 64.0)).filter(|_| !view.boxed);
        let own = view.axis.joints().iter().filter_map(|joint| joint.own).map(|own| own.clamp(-TALLEST, TALLEST));
        let (low, high) = samples.chain(own).fold((0.0_f32, 1.0_f32), |(low, high), v| (low.min(v), high.max(v)));
        let half = |x: f32| x * 2.0;
        // Half steps keep the box still while a key moves a little.
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

    pub(super) fn key(&self, key: &Key) -> Pos2 {
        self.point(key.t, key.value)
    }

    /// The handle at the left (`-1`) or right (`1`) of a key.
    pub(super) fn handle(&self, key: &Key, side: f32) -> Pos2 {
        let slope = if side < 0.0 { key.slope_in } else { key.slope_out };
        self.key(key) + side * self.direction(slope) * HANDLE_REACH
    }

    fn direction(&self, slope: f32) -> Vec2 {
        let rise = slope * self.plot.height() / (self.high - self.low);
        vec2(self.plot.width(), -rise).normalized()
    }

    /// The slope of a line from a key to a point on one side of it; points on the other side give the steepest.
    pub(super) fn slope(&self, key: &Key, side: f32, at: Pos2) -> f32 {
        let away = at - self.key(key);
        let run = (side * away.x).max(1.0) / self.plot.width();
        let rise = -side * away.y / self.plot.height() * (self.high - self.low);
        (rise / run).clamp(-STEEPEST, STEEPEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place { plot: Rect::from_min_size(pos2(10.0, 20.0), vec2(400.0, 100.0)), low: 0.0, high: 1.0 }
    }

    #[test]
    fn a_handle_gives_back_the_slope_it_shows() {
        let place = place();
        for slope in [-3.0, -0.5, 0.0, 0.8, 5.0] {
            let key = Key { t: 0.5, value: 0.5, slope_in: slope, slope_out: slope };
            for side in [-1.0, 1.0] {
                let found = place.slope(&key, side, place.handle(&key, side));
                assert!((found - slope).abs() < 0.01 * (1.0 + slope.abs()), "{slope} became {found} at side {side}");
            }
        }
    }

    #[test]
    fn points_and_values_are_inverse() {
        let at = place().point(0.25, 0.75);
        assert!((place().t(at) - 0.25).abs() < 1e-6);
        assert!((place().value(at) - 0.75).abs() < 1e-6);
    }
}
