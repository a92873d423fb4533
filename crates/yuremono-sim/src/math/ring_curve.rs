//! Curves over the angle around an axis, as factors of a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Largest number of keys of a curve in a file.
const MAX_KEYS: usize = 64;
/// Largest difference between two angles that count as equal, in degrees.
const ANGLE_TOLERANCE: f32 = 1.0;
/// Largest relative difference between factors of the left and the right side that count as equal. The sides of real
/// skirts are not exact mirror images.
const FACTOR_TOLERANCE: f32 = 1e-3;
/// Largest difference from 1 that counts as rounding. A parameter near 1, such as a damping, can depend on tiny factors.
const LEVEL_TOLERANCE: f32 = 1e-6;

/// A key of a ring curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "[f32; 2]", into = "[f32; 2]")]
pub struct RingKey {
    /// Degrees from the front: 90 is the left side of the character, -90 the right side, 180 the back.
    pub angle: f32,
    /// Factor at the angle.
    pub factor: f32,
}

impl From<[f32; 2]> for RingKey {
    fn from([angle, factor]: [f32; 2]) -> Self {
        Self { angle, factor }
    }
}

impl From<RingKey> for [f32; 2] {
    fn from(key: RingKey) -> Self {
        [key.angle, key.factor]
    }
}

/// A periodic function of the angle around an axis. Between two keys, the curve rises or falls smoothly and never
/// passes the factors of the keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "RawRingCurve")]
pub struct RingCurve {
    /// Keys in ascending angle: 0 to 180° if mirrored, otherwise in `(-180, 180]`.
    keys: Vec<RingKey>,
    /// Whether the right side equals the left side.
    mirrored: bool,
}

/// A ring curve in a file, not validated yet.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawRingCurve {
    keys: Vec<RingKey>,
    #[serde(default = "is_mirrored_by_default")]
    mirrored: bool,
}

const fn is_mirrored_by_default() -> bool {
    true
}

impl TryFrom<RawRingCurve> for RingCurve {
    type Error = &'static str;

    fn try_from(RawRingCurve { keys, mirrored }: RawRingCurve) -> Result<Self, &'static str> {
        Self::new(keys, mirrored).ok_or("the ring curve has no keys, too many keys, or one that is not finite")
    }
}

impl RingCurve {
    /// Creates a curve and sorts its keys. The first key of several keys at one angle is kept. Returns `None` without
    /// keys, with more than 64 keys, and if a number is not finite.
    pub fn new(mut keys: Vec<RingKey>, mirrored: bool) -> Option<Self> {
        let is_finite = keys.iter().all(|key| key.angle.is_finite() && key.factor.is_finite());
        if keys.is_empty() || keys.len() > MAX_KEYS || !is_finite {
            return None;
        }
        for key in &mut keys {
            key.angle = wrapped_degrees(key.angle);
            if mirrored {
                key.angle = key.angle.abs();
            }
        }
        keys.sort_by(|a, b| a.angle.total_cmp(&b.angle));
        keys.dedup_by(|b, a| a.angle == b.angle);
        Some(Self { keys, mirrored })
    }

    /// Creates a mirrored curve with keys at the front, the side and the back, all with the factor 1.
    pub fn level() -> Self {
        let keys = [0.0, 90.0, 180.0].map(|angle| RingKey { angle, factor: 1.0 });
        Self { keys: keys.to_vec(), mirrored: true }
    }

    /// Creates a curve through points. The curve is level if all factors are 1, and mirrored if the points are. Returns
    /// `None` in the same cases as [`Self::new`].
    pub fn through(points: &[RingKey]) -> Option<Self> {
        let is_near = |a: f32, b: f32| (a - b).abs() <= FACTOR_TOLERANCE * a.abs().max(b.abs());
        if points.iter().all(|point| (point.factor - 1.0).abs() <= LEVEL_TOLERANCE) {
            return Self::new(points.to_vec(), true).map(|_| Self::level());
        }
        let has_twin = |point: &RingKey| {
            let is_twin = |other: &RingKey| {
                wrapped_degrees(other.angle + point.angle).abs() < ANGLE_TOLERANCE
                    && is_near(other.factor, point.factor)
            };
            points.iter().any(is_twin)
        };
        let is_mirrored = points.iter().all(has_twin);
        // The curve is flat at its keys, so a mirrored point has the same factor even if its angle is not exactly
        // opposite. A point at the back is its own mirrored point, and may be at -180°.
        let right = ANGLE_TOLERANCE - 180.0..=-ANGLE_TOLERANCE;
        let is_left = |point: &&RingKey| !is_mirrored || !right.contains(&wrapped_degrees(point.angle));
        Self::new(points.iter().filter(is_left).copied().collect(), is_mirrored)
    }

    /// The keys in ascending angle.
    pub fn keys(&self) -> &[RingKey] {
        &self.keys
    }

    pub fn is_mirrored(&self) -> bool {
        self.mirrored
    }

    /// Whether the factor is 1 everywhere.
    pub fn is_level(&self) -> bool {
        self.keys.iter().all(|key| key.factor == 1.0)
    }

    /// Returns the factor at an angle in degrees. An angle that is not finite counts as 0.
    pub fn eval(&self, angle: f32) -> f32 {
        let angle = wrapped_degrees(if angle.is_finite() { angle } else { 0.0 });
        let angle = if self.mirrored { angle.abs() } else { angle };
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        let right = self.keys.partition_point(|key| key.angle <= angle);
        let (a, b) = match (right.checked_sub(1), self.keys.get(right)) {
            (Some(left), Some(b)) => (self.keys[left], *b),
            // Beyond its first and last key, a mirrored curve is constant. Any other curve wraps around at 180°.
            (Some(_), None) if self.mirrored => return last.factor,
            (None, _) if self.mirrored => return first.factor,
            (Some(_), None) => (last, RingKey { angle: first.angle + 360.0, ..first }),
            (None, _) => (RingKey { angle: last.angle - 360.0, ..last }, first),
        };
        let share = (angle - a.angle) / (b.angle - a.angle);
        a.factor + (b.factor - a.factor) * share * share * (3.0 - 2.0 * share)
    }

    /// Returns a copy with another factor of a key. A number that is not finite changes nothing.
    #[must_use]
    pub fn with_factor(&self, index: usize, factor: f32) -> Self {
        let mut copy = self.clone();
        if let Some(key) = copy.keys.get_mut(index).filter(|_| factor.is_finite()) {
            key.factor = factor;
        }
        copy
    }

    /// Returns a copy in which the right side equals the left side, or in which the sides are independent.
    #[must_use]
    pub fn with_mirrored(&self, mirrored: bool) -> Self {
        let mut keys = self.keys.clone();
        if mirrored {
            keys.retain(|key| key.angle >= 0.0);
            if keys.is_empty() {
                keys = self.keys.iter().map(|key| RingKey { angle: -key.angle, ..*key }).collect();
            }
        } else if self.mirrored {
            let other = self.keys.iter().filter(|key| key.angle > 0.0 && key.angle < 180.0);
            keys.extend(other.map(|key| RingKey { angle: -key.angle, ..*key }));
        }
        Self::new(keys, mirrored).unwrap_or_else(|| self.clone())
    }
}

/// Returns the same angle in `(-180, 180]` degrees.
fn wrapped_degrees(angle: f32) -> f32 {
    let turned = angle.rem_euclid(360.0);
    if turned > 180.0 { turned - 360.0 } else { turned }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(keys: &[(f32, f32)], mirrored: bool) -> RingCurve {
        let keys = keys.iter().map(|&(angle, factor)| RingKey { angle, factor }).collect();
        RingCurve::new(keys, mirrored).expect("finite keys")
    }

    #[test]
    fn a_level_curve_is_exactly_one_everywhere() {
        for curve in [RingCurve::level(), RingCurve::level().with_mirrored(false)] {
            for angle in -400..400_i16 {
                assert_eq!(curve.eval(f32::from(angle) * 0.9).to_bits(), 1.0_f32.to_bits());
            }
        }
    }

    #[test]
    fn a_mirrored_curve_is_equal_on_both_sides_and_passes_through_its_keys() {
        let curve = curve(&[(0.0, 0.5), (90.0, 1.0), (180.0, 2.0)], true);
        for (angle, factor) in [(0.0, 0.5), (90.0, 1.0), (-90.0, 1.0), (180.0, 2.0), (-180.0, 2.0), (45.0, 0.75)] {
            assert_eq!(curve.eval(angle), factor, "at {angle}");
        }
        for angle in 0..=180_u8 {
            assert_eq!(curve.eval(f32::from(angle)), curve.eval(-f32::from(angle)));
        }
    }

    #[test]
    fn a_free_curve_is_periodic_and_stays_between_its_keys() {
        let curve = curve(&[(-90.0, 0.2), (90.0, 1.0)], false);
        assert_eq!((curve.eval(-90.0), curve.eval(90.0), curve.eval(270.0)), (0.2, 1.0, 0.2));
        assert!((curve.eval(180.0) - 0.6).abs() < 1e-6 && (curve.eval(-180.0) - 0.6).abs() < 1e-6);
        for angle in -180..=180_i16 {
            assert!((0.2..=1.0).contains(&curve.eval(f32::from(angle))));
        }
        let jump = |a: f32, b: f32| (curve.eval(a) - curve.eval(b)).abs();
        assert!((-1800..1800_i16).all(|i| jump(f32::from(i) / 10.0, f32::from(i + 1) / 10.0) < 2e-3));
    }

    #[test]
    fn mirroring_keeps_the_left_side_and_freeing_keeps_both() {
        let mirrored = curve(&[(0.0, 0.5), (60.0, 1.5), (180.0, 2.0)], true);
        let free = mirrored.with_mirrored(false);
        assert_eq!(free.keys().len(), 4);
        for angle in -180..=180_i16 {
            assert!((free.eval(f32::from(angle)) - mirrored.eval(f32::from(angle))).abs() < 1e-6, "at {angle}");
        }
        assert_eq!(free.with_mirrored(true), mirrored);
        assert_eq!(curve(&[(-60.0, 3.0)], false).with_mirrored(true), curve(&[(60.0, 3.0)], true));
    }

    #[test]
    fn a_curve_through_points_is_mirrored_if_the_points_are() {
        let points = [(0.4, 0.5), (44.7, 0.8), (-45.2, 0.8), (90.0, 1.5), (-90.0, 1.5), (179.8, 2.0)];
        let points = points.map(|(angle, factor)| RingKey { angle, factor });
        let mirrored = RingCurve::through(&points).expect("finite points");
        assert!(mirrored.is_mirrored());
        assert_eq!(mirrored.keys().len(), 4);
        // The sign of the angle at the back is a matter of rounding.
        let turned = points
            .map(|point| RingKey { angle: if point.angle > 179.0 { -point.angle } else { point.angle }, ..point });
        let back = RingCurve::through(&turned).expect("finite points");
        assert_eq!((back.keys().len(), back.is_mirrored()), (4, true));
        assert!(turned.iter().all(|point| (back.eval(point.angle) - point.factor).abs() < 1e-3), "{back:?}");
        let odd = RingKey { angle: -45.2, factor: 0.9 };
        let free = RingCurve::through(&points.map(|point| if point.angle == odd.angle { odd } else { point }));
        let free = free.expect("finite points");
        assert!(!free.is_mirrored());
        for (curve, points) in
            [(&mirrored, points), (&free, points.map(|p| if p.angle == odd.angle { odd } else { p }))]
        {
            assert!(points.iter().all(|point| (curve.eval(point.angle) - point.factor).abs() < 1e-3), "{curve:?}");
        }
        let level = points.map(|point| RingKey { factor: 1.0 + 5e-7, ..point });
        assert_eq!(RingCurve::through(&level), Some(RingCurve::level()));
        assert_eq!(RingCurve::through(&[]), None);
    }

    #[test]
    fn unusable_keys_are_refused() {
        assert!(RingCurve::new(Vec::new(), true).is_none());
        assert!(RingCurve::new(vec![RingKey { angle: f32::NAN, factor: 1.0 }], true).is_none());
        assert!(RingCurve::new(vec![RingKey { angle: 0.0, factor: f32::INFINITY }], true).is_none());
        assert!(RingCurve::new(vec![RingKey { angle: 0.0, factor: 1.0 }; MAX_KEYS + 1], true).is_none());
        assert!(serde_json::from_str::<RingCurve>(r#"{"keys": []}"#).is_err());
        let read: RingCurve = serde_json::from_str(r#"{"keys": [[0, 0.5], [180, 1]]}"#).expect("a curve");
        assert_eq!(read, curve(&[(0.0, 0.5), (180.0, 1.0)], true), "curves are mirrored by default");
    }
}
