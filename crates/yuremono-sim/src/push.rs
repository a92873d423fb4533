//! Contacts of a sphere, solved by position as in position-based dynamics, in any coordinate space.
//!
//! The formulas are from the collision constraints in a public article on position-based dynamics in Bifrost for Maya
//! (2024), called the Bifrost article here. A sphere that overlaps is moved straight out until it touches. The velocity
//! follows from the movement, so there is no friction, no bounce, and no continuous collision detection. Every function
//! returns the new center of the sphere, or `None` if there is no contact.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use crate::math::Vec3x4;
use glam::{Vec3, Vec4};

/// Minimum length of a vector that has a direction, in metres. The squares of shorter lengths underflow.
const MIN_LENGTH: f32 = 1e-18;

/// Keeps a sphere above the ground at `height`, in metres.
#[inline]
pub fn ground(point: Vec3, radius: f32, height: f32) -> Option<Vec3> {
    let up = ground_x4(Vec3x4::splat(point), Vec4::splat(radius), height).to_array()[0];
    (up.y > point.y).then_some(up)
}

/// Works like [`ground`] for four points. Points without contact are unchanged.
#[inline(always)]
pub fn ground_x4(points: Vec3x4, radius: Vec4, height: f32) -> Vec3x4 {
    let least = radius + height;
    Vec3x4 { y: Vec4::select(points.y.cmplt(least), least, points.y), ..points }
}

/// Pushes a sphere out of a solid sphere of radius `solid` at `center`.
#[inline]
pub fn sphere(point: Vec3, radius: f32, center: Vec3, solid: f32) -> Option<Vec3> {
    // Differs from the Bifrost article, which does not move a sphere with an equal center. Here it is pushed up.
    push_outside(point, center, radius + solid, || Vec3::Y)
}

/// Pushes a sphere out of a capsule of radius `solid` between `ends`.
#[inline]
pub fn capsule(point: Vec3, radius: f32, ends: [Vec3; 2], solid: f32) -> Option<Vec3> {
    tapered_capsule(point, radius, ends, [solid; 2])
}

/// Works like [`capsule`] with a radius per end, interpolated between the ends. The push is perpendicular to the axis,
/// so a strongly tapered capsule pushes slightly less than to its surface.
#[inline]
pub fn tapered_capsule(point: Vec3, radius: f32, ends: [Vec3; 2], solid: [f32; 2]) -> Option<Vec3> {
    let (axis, fraction) = project_on_axis(point, ends);
    let (center, solid) = if fraction <= 0.0 {
        (ends[0], solid[0])
    } else if fraction >= 1.0 {
        (ends[1], solid[1])
    } else {
        (ends[0] + axis * fraction, (1.0 - fraction) * solid[0] + fraction * solid[1])
    };
    // Differs from the Bifrost article, which does not move a center on the axis. Here it is pushed sideways.
    push_outside(point, center, radius + solid, || axis.try_normalize().map_or(Vec3::Y, Vec3::any_orthonormal_vector))
}

/// Pushes a sphere out of the half-space behind the plane through `center` with unit `normal`.
#[inline]
pub fn plane(point: Vec3, radius: f32, center: Vec3, normal: Vec3) -> Option<Vec3> {
    let depth = radius - normal.dot(point - center);
    (depth > 0.0).then(|| point + normal * depth)
}

/// Keeps a sphere inside a sphere of radius `container` at `center`. A sphere that is too large moves to the center.
#[inline]
pub fn inside_sphere(point: Vec3, radius: f32, center: Vec3, container: f32) -> Option<Vec3> {
    push_inside(point, center, container - radius)
}

/// Works like [`inside_sphere`] for a tapered capsule with a radius per end.
#[inline]
pub fn inside_tapered_capsule(point: Vec3, radius: f32, ends: [Vec3; 2], container: [f32; 2]) -> Option<Vec3> {
    let (axis, fraction) = project_on_axis(point, ends);
    let fraction = fraction.clamp(0.0, 1.0);
    push_inside(point, ends[0] + axis * fraction, (1.0 - fraction) * container[0] + fraction * container[1] - radius)
}

/// Returns the position of a point at distance `length` from a fixed `partner`. If both points are equal, the point
/// moves along `fallback`, which has unit length or is zero.
#[inline]
pub fn keep_distance(point: Vec3, partner: Vec3, length: f32, fallback: Vec3) -> Vec3 {
    let [points, partners] = [point, partner].map(Vec3x4::splat);
    keep_distance_x4(points, partners, Vec4::splat(length), |_| fallback).to_array()[0]
}

/// Works like [`keep_distance`] for four points. `fallback` receives the lane.
#[inline(always)]
pub fn keep_distance_x4(
    points: Vec3x4,
    partners: Vec3x4,
    length: Vec4,
    mut fallback: impl FnMut(usize) -> Vec3,
) -> Vec3x4 {
    let offset = points - partners;
    let reach = offset.length();
    let mut direction = offset * reach.recip();
    let has_direction = reach.cmpgt(Vec4::splat(MIN_LENGTH)) & reach.cmplt(Vec4::INFINITY);
    if !has_direction.all() {
        direction = direction.replace_lanes(!has_direction, |lane, _| fallback(lane));
    }
    partners + direction * length
}

/// Returns the axis vector, and the position of a point along the axis: 0 at the first end, 1 at the second.
#[inline]
fn project_on_axis(point: Vec3, [from, to]: [Vec3; 2]) -> (Vec3, f32) {
    let axis = to - from;
    let squared = axis.length_squared();
    (axis, if squared > 0.0 { axis.dot(point - from) / squared } else { 0.0 })
}

#[inline]
fn push_outside(point: Vec3, center: Vec3, reach: f32, fallback: impl FnOnce() -> Vec3) -> Option<Vec3> {
    let offset = point - center;
    if reach <= 0.0 || offset.length_squared() >= reach * reach {
        return None;
    }
    Some(center + try_unit(offset).unwrap_or_else(fallback) * reach)
}

#[inline]
fn push_inside(point: Vec3, center: Vec3, container: f32) -> Option<Vec3> {
    let (offset, container) = (point - center, container.max(0.0));
    if offset.length_squared() <= container * container {
        return None;
    }
    Some(center + try_unit(offset)? * container)
}

/// Returns the unit vector of `offset`; `None` if its length is too small or infinite.
#[inline]
pub(super) fn try_unit(offset: Vec3) -> Option<Vec3> {
    let length = offset.length();
    (length > MIN_LENGTH && length < f32::INFINITY).then(|| offset * (1.0 / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Option<Vec3>, expected: Option<[f32; 3]>) {
        let same = match (found, expected) {
            (Some(a), Some(b)) => (a - Vec3::from(b)).length() < 1e-6,
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(same, "{found:?}, expected {expected:?}");
    }

    #[test]
    fn a_sphere_without_contact_is_not_moved() {
        check(ground(Vec3::Y * 0.2, 0.1, 0.05), None);
        check(sphere(Vec3::X, 0.1, Vec3::ZERO, 0.5), None);
        check(capsule(Vec3::X, 0.1, [Vec3::ZERO, Vec3::Y], 0.5), None);
        check(plane(Vec3::Z, 0.1, Vec3::ZERO, Vec3::Z), None);
        check(inside_sphere(Vec3::X * 0.3, 0.1, Vec3::ZERO, 0.5), None);
    }

    #[test]
    fn an_overlapping_sphere_is_pushed_out_until_it_touches() {
        check(ground(Vec3::new(1.0, -3.0, 2.0), 0.1, 0.05), Some([1.0, 0.15, 2.0]));
        check(sphere(Vec3::X * 0.3, 0.1, Vec3::ZERO, 0.5), Some([0.6, 0.0, 0.0]));
        check(plane(Vec3::new(1.0, 2.0, -1.0), 0.1, Vec3::ZERO, Vec3::Z), Some([1.0, 2.0, 0.1]));
    }

    #[test]
    fn a_tapered_capsule_pushes_by_the_radius_at_the_nearest_axis_point() {
        let ends = [Vec3::ZERO, Vec3::Y * 2.0];
        let push = |x, y| tapered_capsule(Vec3::new(x, y, 0.0), 0.1, ends, [0.5, 0.1]);
        check(push(0.1, 1.0), Some([0.4, 1.0, 0.0]));
        check(push(0.1, 0.0), Some([0.6, 0.0, 0.0]));
        check(push(0.0, 2.1), Some([0.0, 2.2, 0.0]));
        check(push(0.45, 1.0), None);
    }

    #[test]
    fn a_sphere_with_the_same_center_as_a_collider_is_pushed_out() {
        check(sphere(Vec3::ONE, 0.1, Vec3::ONE, 0.5), Some([1.0, 1.6, 1.0]));
        let out = capsule(Vec3::Y, 0.1, [Vec3::ZERO, Vec3::Y * 2.0], 0.5).expect("the point is inside");
        assert!((out.with_y(0.0).length() - 0.6).abs() < 1e-6 && (out.y - 1.0).abs() < 1e-6, "{out}");
        check(capsule(Vec3::ZERO, 0.1, [Vec3::ZERO; 2], 0.5), Some([0.0, 0.6, 0.0]));
        assert_eq!(keep_distance(Vec3::ONE, Vec3::ONE, 2.0, Vec3::NEG_Y), Vec3::new(1.0, -1.0, 1.0));
    }

    #[test]
    fn an_inside_collider_puts_a_sphere_back_to_its_wall() {
        check(inside_sphere(Vec3::X * 3.0, 0.1, Vec3::ZERO, 0.5), Some([0.4, 0.0, 0.0]));
        check(inside_sphere(Vec3::X * 3.0, 0.7, Vec3::ZERO, 0.5), Some([0.0; 3]));
        let ends = [Vec3::ZERO, Vec3::Y * 2.0];
        check(inside_tapered_capsule(Vec3::new(1.0, 1.0, 0.0), 0.1, ends, [0.5, 0.3]), Some([0.3, 1.0, 0.0]));
    }

    #[test]
    fn keep_distance_moves_a_point_that_is_too_far_or_too_near() {
        assert_eq!(keep_distance(Vec3::X * 3.0, Vec3::ZERO, 1.0, Vec3::Y), Vec3::X);
        assert_eq!(keep_distance(Vec3::X * 0.2, Vec3::ZERO, 1.0, Vec3::Y), Vec3::X);
    }

    #[test]
    fn keep_distance_x4_equals_keep_distance_in_each_lane() {
        let points = [Vec3::new(0.3, -0.2, 0.7), Vec3::ONE, Vec3::X * f32::INFINITY, Vec3::splat(0.1)];
        let partners = [Vec3::new(0.1, 0.6, 0.2), Vec3::ONE, Vec3::ZERO, Vec3::splat(1e-20)];
        let found =
            keep_distance_x4(Vec3x4::new(points), Vec3x4::new(partners), Vec4::new(0.3, 2.0, 0.5, 0.7), |_| Vec3::Y);
        for (lane, length) in [0.3, 2.0, 0.5, 0.7].into_iter().enumerate() {
            assert_eq!(
                found.to_array()[lane],
                keep_distance(points[lane], partners[lane], length, Vec3::Y),
                "lane {lane}"
            );
        }
    }
}
