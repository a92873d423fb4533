use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key of a curve. `t` is in 0..=1; slopes are value per unit of `t`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f32; 4]", into = "[f32; 4]")]
pub struct CurveKey {
    /// Position along the curve, 0..=1.
    pub t: f32,
    /// Value at `t`.
    pub value: f32,
    /// Slope on the left side.
    pub slope_in: f32,
    /// Slope on the right side.
    pub slope_out: f32,
}

impl From<[f32; 4]> for CurveKey {
    fn from([t, value, slope_in, slope_out]: [f32; 4]) -> Self {
        Self { t, value, slope_in, slope_out }
    }
}

impl From<CurveKey> for [f32; 4] {
    fn from(key: CurveKey) -> Self {
        [key.t, key.value, key.slope_in, key.slope_out]
    }
}

impl CurveKey {
    /// Creates a key with zero slopes.
    pub const fn flat(t: f32, value: f32) -> Self {
        Self { t, value, slope_in: 0.0, slope_out: 0.0 }
    }
}

/// How a curve interpolates between two keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interpolation {
    /// Cubic Hermite splines with the keys' slopes.
    #[default]
    Hermite,
    /// Straight lines; slopes are ignored.
    Linear,
}

/// Named initial shapes, all within 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveShape {
    /// 1 everywhere.
    Flat,
    /// 1 to 0.2, level at both ends.
    Ease,
    /// 1 to 0.2, a straight line.
    Linear,
    /// 0.4 to 1, level at both ends.
    StiffTip,
    /// 0 to 1, a straight line.
    LinearRise,
    /// 0 to 1, level at both ends.
    SmoothRise,
    /// 1 to 0, a straight line.
    LinearFall,
    /// 1 to 0, level at both ends.
    SmoothFall,
    /// 0 to 1 in the middle, then back to 0.
    RiseAndFall,
}

impl CurveShape {
    /// Shapes for curves along chains, in menu order.
    pub const FOR_CHAINS: [Self; 4] = [Self::Flat, Self::Ease, Self::Linear, Self::StiffTip];
    /// Shapes for curves over a cycle, in menu order.
    pub const FOR_CYCLES: [Self; 6] =
        [Self::LinearRise, Self::SmoothRise, Self::LinearFall, Self::SmoothFall, Self::RiseAndFall, Self::Flat];
    /// Shapes that remain distinct with linear interpolation.
    pub const FOR_LINEAR: [Self; 4] = [Self::LinearRise, Self::LinearFall, Self::RiseAndFall, Self::Flat];
}

/// A function of `t` in 0..=1, given by keys in ascending `t`; constant outside the keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawCurve")]
pub struct Curve {
    keys: Vec<CurveKey>,
    interpolation: Interpolation,
}

/// A curve in a file, not validated yet.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawCurve {
    keys: Vec<CurveKey>,
    #[serde(default)]
    interpolation: Interpolation,
}

impl TryFrom<RawCurve> for Curve {
    type Error = &'static str;

    fn try_from(RawCurve { keys, interpolation }: RawCurve) -> Result<Self, &'static str> {
        Self::new(keys, interpolation).ok_or("the curve has no keys, or one that is too large; expected finite keys")
    }
}

impl Curve {
    /// Creates a curve and sorts the keys by `t`. Returns `None` if there are no keys or a number is not finite.
    pub fn new(mut keys: Vec<CurveKey>, interpolation: Interpolation) -> Option<Self> {
        keys.sort_by(|a, b| a.t.total_cmp(&b.t));
        let curve = Self { keys, interpolation };
        (!curve.keys.is_empty() && curve.is_finite()).then_some(curve)
    }

    /// Creates a curve with the same value everywhere.
    pub fn constant(value: f32) -> Self {
        Self {
            keys: vec![CurveKey::flat(0.0, value), CurveKey::flat(1.0, value)],
            interpolation: Interpolation::Hermite,
        }
    }

    /// Creates the curve of a named shape.
    pub fn from_shape(shape: CurveShape) -> Self {
        let line = |a: f32, b: f32| {
            let slope = b - a;
            let key = |t, value| CurveKey { t, value, slope_in: slope, slope_out: slope };
            vec![key(0.0, a), key(1.0, b)]
        };
        let keys = match shape {
            CurveShape::Flat => return Self::constant(1.0),
            CurveShape::Ease => vec![CurveKey::flat(0.0, 1.0), CurveKey::flat(1.0, 0.2)],
            CurveShape::Linear => line(1.0, 0.2),
            CurveShape::StiffTip => vec![CurveKey::flat(0.0, 0.4), CurveKey::flat(1.0, 1.0)],
            CurveShape::LinearRise => line(0.0, 1.0),
            CurveShape::SmoothRise => vec![CurveKey::flat(0.0, 0.0), CurveKey::flat(1.0, 1.0)],
            CurveShape::LinearFall => line(1.0, 0.0),
            CurveShape::SmoothFall => vec![CurveKey::flat(0.0, 1.0), CurveKey::flat(1.0, 0.0)],
            CurveShape::RiseAndFall => {
                vec![CurveKey::flat(0.0, 0.0), CurveKey::flat(0.5, 1.0), CurveKey::flat(1.0, 0.0)]
            }
        };
        Self { keys, interpolation: Interpolation::Hermite }
    }

    /// Creates straight lines through the points `(t, value)`. Returns `None` under the same conditions as
    /// [`Curve::new`].
    pub fn from_points(points: &[(f32, f32)]) -> Option<Self> {
        let keys = points.iter().map(|&(t, value)| CurveKey::flat(t, value)).collect();
        Self::new(keys, Interpolation::Linear)
    }

    /// The keys in ascending `t`.
    pub fn keys(&self) -> &[CurveKey] {
        &self.keys
    }

    /// How values between keys are interpolated.
    pub fn interpolation(&self) -> Interpolation {
        self.interpolation
    }

    /// Returns the value at `t`.
    pub fn eval(&self, t: f32) -> f32 {
        let Some(right) = self.keys.iter().position(|k| k.t > t) else {
            return self.keys.last().map_or(1.0, |k| k.value);
        };
        if right == 0 {
            return self.keys[0].value;
        }
        let (a, b) = (&self.keys[right - 1], &self.keys[right]);
        let width = b.t - a.t;
        let s = (t - a.t) / width;
        match self.interpolation {
            Interpolation::Linear => a.value + (b.value - a.value) * s,
            Interpolation::Hermite => {
                let (s2, s3) = (s * s, s * s * s);
                a.value * (2.0 * s3 - 3.0 * s2 + 1.0)
                    + a.slope_out * width * (s3 - 2.0 * s2 + s)
                    + b.value * (3.0 * s2 - 2.0 * s3)
                    + b.slope_in * width * (s3 - s2)
            }
        }
    }

    /// Returns a copy with Hermite interpolation. The slopes of a linear curve are set to those of its segments.
    #[must_use]
    pub fn to_hermite(&self) -> Self {
        if self.interpolation == Interpolation::Hermite {
            return self.clone();
        }
        let slope = |a: &CurveKey, b: &CurveKey| if b.t > a.t { (b.value - a.value) / (b.t - a.t) } else { 0.0 };
        let slopes: Vec<f32> = self.keys.windows(2).map(|pair| slope(&pair[0], &pair[1])).collect();
        let key = |(at, key): (usize, &CurveKey)| {
            let (behind, ahead) = (at.checked_sub(1).and_then(|i| slopes.get(i)), slopes.get(at));
            let [slope_in, slope_out] = [behind.or(ahead), ahead.or(behind)].map(|s| s.copied().unwrap_or(0.0));
            CurveKey { slope_in, slope_out, ..*key }
        };
        Self { keys: self.keys.iter().enumerate().map(key).collect(), interpolation: Interpolation::Hermite }
    }

    /// Returns a copy with linear interpolation through the same keys.
    #[must_use]
    pub fn to_linear(&self) -> Self {
        let keys = self.keys.iter().map(|key| CurveKey::flat(key.t, key.value)).collect();
        Self { keys, interpolation: Interpolation::Linear }
    }

    /// Whether all keys are finite. [`Curve::with_key_moved`] can set a key that is not finite.
    pub fn is_finite(&self) -> bool {
        self.keys.iter().all(|k| [k.t, k.value, k.slope_in, k.slope_out].iter().all(|x| x.is_finite()))
    }

    /// Whether every key has the same value and zero slopes. Linear curves ignore the slopes.
    pub fn is_flat(&self) -> bool {
        let first = self.keys[0].value;
        let level = |k: &CurveKey| k.slope_in == 0.0 && k.slope_out == 0.0;
        self.keys.iter().all(|k| k.value == first && (self.interpolation == Interpolation::Linear || level(k)))
    }

    /// Returns a copy with a key added on the curve at `t`, with the slope of the curve. Also returns the index of the
    /// key.
    #[must_use]
    pub fn with_key_added(&self, t: f32) -> (Self, usize) {
        let step = 1e-3;
        let slope = (self.eval(t + step) - self.eval(t - step)) / (2.0 * step);
        let key = CurveKey { t, value: self.eval(t), slope_in: slope, slope_out: slope };
        let at = self.keys.partition_point(|k| k.t <= t);
        let mut copy = self.clone();
        copy.keys.insert(at, key);
        (copy, at)
    }

    /// Returns a copy without key `index`. The only key is not removed.
    #[must_use]
    pub fn with_key_removed(&self, index: usize) -> Self {
        let mut copy = self.clone();
        if copy.keys.len() > 1 && index < copy.keys.len() {
            copy.keys.remove(index);
        }
        copy
    }

    /// Returns a copy with key `index` replaced. Its `t` is clamped to 0..=1 and to the range between its neighbours.
    #[must_use]
    pub fn with_key_moved(&self, index: usize, mut key: CurveKey) -> Self {
        const GAP: f32 = 1e-3;
        let mut copy = self.clone();
        let low = if index == 0 { 0.0 } else { copy.keys[index - 1].t + GAP };
        let high = copy.keys.get(index + 1).map_or(1.0, |k| k.t - GAP);
        // If there is no gap between the neighbours, the key keeps its position, because the keys must stay sorted.
        key.t = if low <= high { key.t.max(low).min(high) } else { copy.keys.get(index).map_or(low, |k| k.t) };
        if let Some(slot) = copy.keys.get_mut(index) {
            *slot = key;
        }
        copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hermite_curve_passes_through_its_keys_and_is_constant_outside() {
        let curve = Curve::from_shape(CurveShape::Ease);
        assert_eq!(curve.eval(0.0), 1.0);
        assert!((curve.eval(1.0) - 0.2).abs() < 1e-6);
        assert!((curve.eval(0.5) - 0.6).abs() < 1e-6);
        assert_eq!(curve.eval(-3.0), 1.0);
        assert_eq!(curve.eval(9.0), curve.eval(1.0));
    }

    #[test]
    fn linear_curves_and_the_linear_shape_are_straight_lines_as_hermite_curves() {
        let lines = Curve::from_points(&[(0.0, 1.0), (0.4, 0.2), (0.4, 0.6), (1.0, 0.5)]).expect("finite");
        let same = lines.to_hermite();
        assert_eq!(same.interpolation(), Interpolation::Hermite);
        for i in 0..=20_u8 {
            let t = f32::from(i) / 20.0;
            assert!((same.eval(t) - lines.eval(t)).abs() < 1e-6, "at {t}: {}, not {}", same.eval(t), lines.eval(t));
        }
        assert_eq!(same.to_hermite(), same);
        for t in [0.0, 0.1, 0.35, 0.8, 1.0] {
            assert!((Curve::from_shape(CurveShape::Linear).eval(t) - (1.0 - 0.8 * t)).abs() < 1e-6, "at {t}");
        }
    }

    #[test]
    fn preset_shapes_stay_between_zero_and_one_with_both_interpolations() {
        for shape in CurveShape::FOR_CHAINS.into_iter().chain(CurveShape::FOR_CYCLES) {
            for curve in [Curve::from_shape(shape), Curve::from_shape(shape).to_linear()] {
                let heights = (0..=40_u8).map(|i| curve.eval(f32::from(i) / 40.0));
                assert!(heights.clone().all(|v| (-1e-6..=1.0 + 1e-6).contains(&v)), "{shape:?}");
                assert!((heights.fold(0.0, f32::max) - 1.0).abs() < 1e-6, "{shape:?}");
            }
        }
        assert_eq!(Curve::from_shape(CurveShape::RiseAndFall).to_linear().eval(0.25), 0.5);
    }

    #[test]
    fn adding_a_key_keeps_the_shape_near_it() {
        let curve = Curve::from_shape(CurveShape::Ease);
        let (more, at) = curve.with_key_added(0.3);
        assert_eq!(at, 1);
        assert_eq!(more.keys().len(), 3);
        for i in 0..=20_u8 {
            let t = f32::from(i) / 20.0;
            assert!((more.eval(t) - curve.eval(t)).abs() < 0.02, "at {t}");
        }
        assert_eq!(more.with_key_removed(at), curve);
    }

    #[test]
    fn a_moved_key_never_passes_its_neighbours() {
        let (curve, at) = Curve::constant(1.0).with_key_added(0.5);
        let moved = curve.with_key_moved(at, CurveKey::flat(7.0, 0.1));
        assert!(moved.keys()[at].t < 1.0);
        assert!(moved.keys().windows(2).all(|w| w[0].t < w[1].t));
    }

    #[test]
    fn empty_or_non_finite_keys_are_rejected() {
        assert!(Curve::new(Vec::new(), Interpolation::Linear).is_none());
        assert!(Curve::new(vec![CurveKey::flat(0.0, f32::NAN)], Interpolation::Linear).is_none());
    }
}
