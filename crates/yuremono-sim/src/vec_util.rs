//! Helpers that solvers share: vectors, NaN guards, index ranges.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::shape::ColliderShape;
use crate::math::Vec3x4;
use crate::rig::{BoneId, Skeleton, WorldPose};
use glam::{Vec3, Vec3A, Vec4};

/// A range of indices in a shared list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct IndexRange {
    start: u32,
    end: u32,
}

impl IndexRange {
    /// Appends `items` to `all` and returns their range.
    pub(super) fn append<T>(all: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Self {
        let from = all.len();
        all.extend(items);
        Self::up_to_end(from, all)
    }

    /// The range from a position to the end of `all`.
    pub(super) fn up_to_end<T>(from: usize, all: &[T]) -> Self {
        Self { start: from as u32, end: all.len() as u32 }
    }

    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    #[inline]
    pub(super) fn slice<T>(self, all: &[T]) -> &[T] {
        &all[self.range()]
    }

    #[inline]
    pub(super) fn slice_mut<T>(self, all: &mut [T]) -> &mut [T] {
        &mut all[self.range()]
    }

    /// The first `len` positions.
    #[inline]
    pub(super) fn prefix(self, len: u32) -> Self {
        Self { end: self.start + len, ..self }
    }

    #[inline]
    pub(super) fn len(self) -> u32 {
        self.end - self.start
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

/// The unit vector; zero for lengths up to 1e-5, as in Unity's `Vector3.normalized`.
#[inline]
pub(super) fn unit_or_zero(v: Vec3) -> Vec3 {
    let length = v.length();
    if length > 1e-5 { v / length } else { Vec3::ZERO }
}

/// [`unit_or_zero`] for each lane.
#[inline(always)]
pub(super) fn unit_or_zero_x4(v: Vec3x4) -> Vec3x4 {
    let length = v.length();
    Vec3x4::select(length.cmpgt(Vec4::splat(1e-5)), v / length, Vec3x4::default())
}

/// Unity's `Vector3.LerpUnclamped`.
#[inline]
pub(super) fn lerp_unclamped(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a + (b - a) * t
}

/// [`f32::clamp`] with the same bits, but without a panic. For NaN or reversed bounds the result is any number or
/// NaN, because an overflow in a step must reach the guard after the step; see `world/bounds_guard.rs`.
#[inline]
pub(super) fn clamp_no_panic(value: f32, low: f32, high: f32) -> f32 {
    let raised = if value < low { low } else { value };
    if raised > high { high } else { raised }
}

/// Keeps the previous position of each tip that moved by no more than the rounding error of f32 at its distance from
/// the origin.
///
/// If the rest direction of a bone follows the simulated parent, every bone amplifies the motion of its parent at its
/// own frequency. Rounding errors at the root of a long soft chain would grow to an endless swing of a hundredth of
/// the bone length at the end of the chain.
#[inline(always)]
pub(super) fn suppress_rounding_drift(tips: Vec3x4, before: Vec3x4, heads: Vec3x4, lengths: Vec4) -> Vec3x4 {
    let max_error = (heads.length() + lengths) * f32::EPSILON;
    Vec3x4::select((tips - before).length_squared().cmple(max_error * max_error), before, tips)
}

/// Whether all coordinates of all points are finite.
pub(super) fn are_finite(points: &[Vec3]) -> bool {
    let (chunks, others) = points.as_chunks::<4>();
    let mut finite = Vec3x4::default().is_finite_mask();
    for [a, b, c, d] in chunks {
        // The sum does not depend on the order of the coordinates, so they are read in memory order.
        let (first, second) = (Vec4::new(a.x, a.y, a.z, b.x), Vec4::new(b.y, b.z, c.x, c.y));
        let third = Vec4::new(c.z, d.x, d.y, d.z);
        finite &= Vec3x4 { x: first, y: second, z: third }.is_finite_mask();
    }
    finite.all() && others.iter().all(|point| point.is_finite())
}

/// Sum of the squared distances of points from a position; NaN if a point is NaN. Sums four points at a time, because
/// in a single sum each addition would wait for the previous addition.
#[inline(always)]
pub(super) fn sum_squared_distances<T: Copy>(items: &[T], from: Vec3, at: impl Fn(T) -> Vec3) -> f32 {
    let from = Vec3A::from(from);
    let squares = |item: T| {
        let offset = Vec3A::from(at(item)) - from;
        offset * offset
    };
    let (chunks, others) = items.as_chunks::<4>();
    let mut sum = Vec3A::ZERO;
    for [a, b, c, d] in chunks.iter().copied() {
        sum += (squares(a) + squares(b)) + (squares(c) + squares(d));
    }
    for item in others {
        sum += squares(*item);
    }
    sum.element_sum()
}

/// The value clamped to the range that a step can compute with; 0 for NaN.
pub(super) fn sanitize(value: f32) -> f32 {
    const MAX_MAGNITUDE: f32 = 1e18;
    if value.is_nan() { 0.0 } else { value.clamp(-MAX_MAGNITUDE, MAX_MAGNITUDE) }
}

/// Applies [`sanitize`] to all values of a shape.
pub(super) fn sanitize_shape(shape: ColliderShape) -> ColliderShape {
    (0..shape.fields().len()).fold(shape, |shape, at| shape.with_field(at, sanitize(shape.field(at))))
}

/// Maximum distance from a bone to an end that parameters define: a virtual tip or a centre of mass. The maximum is
/// five times the distance at rest to the farthest child or parent. It is at least one metre, because the parent of a
/// leaf may be close.
pub(super) fn max_end_distance(bone: BoneId, skeleton: &Skeleton, world: &WorldPose) -> f32 {
    const MAX_RATIO: f32 = 5.0;
    const MIN_DISTANCE: f32 = 1.0;
    let place = |bone: BoneId| world.frame(bone).position;
    let children = skeleton.ids().filter(|b| skeleton.parent(*b) == Some(bone));
    let related = children.chain(skeleton.parent(bone)).map(|b| place(b).distance(place(bone)));
    (MAX_RATIO * related.filter(|length| length.is_finite()).fold(0.0, f32::max)).max(MIN_DISTANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamp_no_panic_equals_clamp_and_does_not_panic_where_clamp_does() {
        for value in [-3.0, -0.0, 0.0, 0.4, 7.0, f32::INFINITY, f32::NAN] {
            assert_eq!(clamp_no_panic(value, -1.0, 1.0).to_bits(), value.clamp(-1.0, 1.0).to_bits(), "{value}");
        }
        for (low, high) in [(0.0, f32::NAN), (f32::NAN, 1.0), (1.0, 0.0)] {
            let _ = clamp_no_panic(0.5, low, high);
        }
    }

    #[test]
    fn are_finite_finds_one_non_finite_coordinate_anywhere() {
        let mut points = [Vec3::splat(-1e30); 7];
        assert!(are_finite(&points) && are_finite(&[]));
        for (i, axis, odd) in (0..7).flat_map(|i| [(i, 0, f32::NAN), (i, 1, f32::INFINITY), (i, 2, f32::NAN)]) {
            points[i][axis] = odd;
            assert!(!are_finite(&points), "{i} {axis}");
            points[i][axis] = 0.0;
        }
    }
}
