//! Rays, segments, rotations between directions, and convex hulls.

use glam::{Quat, Vec3};
use std::collections::BTreeSet;

/// A half-line: `origin + s * direction`, `s >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start, in metres.
    pub origin: Vec3,
    /// Unit vector.
    pub direction: Vec3,
}

impl Ray {
    /// Returns the intersection with the plane through `point` with `normal`, or `None` if the ray is parallel to the
    /// plane or points away from it.
    pub fn hit_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let slope = self.direction.dot(normal);
        if slope.abs() < 1e-6 {
            return None;
        }
        let s = (point - self.origin).dot(normal) / slope;
        (s >= 0.0).then(|| self.origin + self.direction * s)
    }

    /// Returns the point on the line `point + t * axis` that is nearest to the ray.
    pub fn nearest_on_line(&self, point: Vec3, axis: Vec3) -> Vec3 {
        let w = self.origin - point;
        let (b, d, e) = (self.direction.dot(axis), self.direction.dot(w), axis.dot(w));
        let denominator = axis.length_squared() - b * b;
        if denominator.abs() < 1e-6 {
            return point;
        }
        point + axis * ((e - b * d) / denominator)
    }
}

/// [`arc_between`] treats vectors as opposite if the squared sine of their angle is smaller, which is 1e-8 on the
/// cosine. Rounding rotates directions by up to 1e-6, so the axis between two directions is accurate to half a degree.
const OPPOSITE_SIN_SQUARED: f32 = 2e-8;

/// Returns the smallest rotation from unit vector `from` to unit vector `to`.
///
/// For opposite vectors, returns a half turn about the component of X perpendicular to `from`, or about Y.
#[inline(always)]
#[expect(clippy::inline_always, reason = "passing the vectors through memory costs as much as the arc")]
pub fn shortest_arc(from: Vec3, to: Vec3) -> Quat {
    let dot = from.dot(to);
    // Rounding of the lengths must not decide whether vectors are opposite.
    if dot < -0.9999 && dot < -0.999_999 * (from.length() * to.length()) {
        return half_turn(from);
    }
    non_opposite_arc(from, to, dot)
}

/// Returns a half turn about the component of X perpendicular to the unit vector `from`, or about Y.
#[inline]
fn half_turn(from: Vec3) -> Quat {
    let axis = (Vec3::X - from * from.x).try_normalize().unwrap_or(Vec3::Y);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// Returns the smallest rotation between unit vectors that are not opposite.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `shortest_arc`")]
fn non_opposite_arc(from: Vec3, to: Vec3, dot: f32) -> Quat {
    // For nearly opposite vectors, the dot product loses digits that the sum of the vectors keeps.
    let w = if dot < -0.9 { 0.5 * (from + to).length_squared() } else { 1.0 + dot };
    let c = from.cross(to);
    let k = 1.0 / (c.length_squared() + w * w).sqrt();
    Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k)
}

/// Returns the smallest rotation from the direction of `from` to the direction of `to`, for vectors of any length.
/// Returns `None` if a vector has no direction. Opposite directions are handled as in [`shortest_arc`], but only if
/// rounding leaves no axis between the directions.
#[inline(always)]
#[expect(clippy::inline_always, reason = "passing the vectors through memory costs as much as the arc")]
pub fn arc_between(from: Vec3, to: Vec3) -> Option<Quat> {
    let (lengths, dot) = ((from.length_squared() * to.length_squared()).sqrt(), from.dot(to));
    // Squares of squared lengths neither underflow nor overflow in this range.
    if dot > -0.9 * lengths && lengths > 1e-12 && lengths < 1e12 {
        // |cross|² = (lengths - dot) (lengths + dot).
        let w = lengths + dot;
        let (c, k) = (from.cross(to), 1.0 / (2.0 * lengths * w).sqrt());
        return Some(Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k));
    }
    degenerate_arc(from, to)
}

/// Restores the unit length of a quaternion after rounding errors, with one step of Newton's method, which needs no
/// square root.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a product")]
pub fn renormalize(q: Quat) -> Quat {
    q * (1.5 - 0.5 * q.length_squared())
}

/// The cases outside the fast path of [`arc_between`]: nearly opposite directions, and lengths whose fourth power
/// overflows or underflows.
#[cold]
pub(super) fn degenerate_arc(from: Vec3, to: Vec3) -> Option<Quat> {
    let (from, to) = (from.try_normalize()?, to.try_normalize()?);
    let dot = from.dot(to);
    let is_opposite = dot < -0.9999 && from.cross(to).length_squared() < OPPOSITE_SIN_SQUARED;
    Some(if is_opposite { half_turn(from) } else { non_opposite_arc(from, to, dot) })
}

/// Returns the angle between two rotations in radians, 0 to π. Small angles are exact, unlike those of an arc cosine.
#[inline]
pub fn rotation_angle(a: Quat, b: Quat) -> f32 {
    let chord = (a - b).length().min((a + b).length());
    4.0 * libm::asinf((chord / 2.0).min(1.0))
}

/// Linearly interpolates unit quaternions along the shorter arc and normalizes the result.
#[inline]
pub fn lerp_shortest(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let q = a * (1.0 - t) + b * t;
    let length = q.length();
    if length > 1e-12 { q * (1.0 / length) } else { a }
}

/// Dot product of unit quaternions above which spherical and linear interpolation are equal within the precision of `f32`.
pub(crate) const NEARLY_EQUAL: f32 = 0.9995;

/// Spherically interpolates unit quaternions along the shorter arc. `Quat::slerp` approximates the angle, which is visible
/// at the end of long chains, and its sines differ between processors.
#[inline]
pub fn slerp(a: Quat, b: Quat, share: f32) -> Quat {
    let dot = a.dot(b);
    if dot.abs() > NEARLY_EQUAL {
        return lerp_shortest(a, b, share);
    }
    let angle = libm::acosf(dot.abs());
    let [from, to] = [(1.0 - share) * angle, share * angle].map(libm::sinf);
    (a * from + b * to.copysign(dot)) * libm::sinf(angle).recip()
}

/// Returns the point on the segment from `a` to `b` that is nearest to `p`.
#[inline]
pub fn closest_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let ab = b - a;
    let length_squared = ab.length_squared();
    if length_squared < 1e-20 {
        return a;
    }
    a + ab * ((p - a).dot(ab) / length_squared).clamp(0.0, 1.0)
}

/// Number of directions. The farthest point in each direction becomes a corner, so even a mesh of thousands of vertices
/// has few corners.
const DIRECTIONS: u16 = 96;
/// A point is coplanar with a face if its distance is below this fraction of the extent.
const COPLANAR_TOLERANCE: f32 = 1e-4;

/// Corners of a convex mesh, and faces as corner indices, counter-clockwise as seen from outside.
pub type ConvexMesh = (Vec<Vec3>, Vec<[u32; 3]>);

/// Returns the convex hull of the farthest points in 96 directions, or `None` if all points are coplanar. Ignores
/// points that are not finite.
pub fn convex_hull(points: &[Vec3]) -> Option<ConvexMesh> {
    let corners = extreme_points(points);
    let first = *corners.first()?;
    let extent = corners.iter().map(|p| p.distance(first)).fold(0.0, f32::max);
    let slack = extent * COPLANAR_TOLERANCE;
    let tetrahedron = initial_tetrahedron(&corners, slack)?;
    let mut faces: Vec<[usize; 3]> = Vec::new();
    let middle = tetrahedron.iter().map(|at| corners[*at]).sum::<Vec3>() / 4.0;
    for out in 0..4 {
        let [a, b, c] = [1, 2, 3].map(|step| tetrahedron[(out + step) % 4]);
        let face = [a, b, c];
        faces.push(if signed_distance(&corners, face, middle) < 0.0 { face } else { [a, c, b] });
    }
    for at in (0..corners.len()).filter(|at| !tetrahedron.contains(at)) {
        let (seen, hidden): (Vec<_>, Vec<_>) =
            faces.iter().copied().partition(|face| signed_distance(&corners, *face, corners[at]) > slack);
        let edges = |face: &[usize; 3]| [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]];
        let all: BTreeSet<[usize; 2]> = seen.iter().flat_map(edges).collect();
        let rim = seen.iter().flat_map(edges).filter(|[a, b]| !all.contains(&[*b, *a]));
        let cap: Vec<[usize; 3]> = rim.map(|[a, b]| [a, b, at]).collect();
        faces = hidden;
        faces.extend(cap);
    }
    Some(without_unused_corners(&corners, &faces))
}

/// Returns the indices of four points that are not coplanar. After the first point, each point is the farthest from the
/// span of the previous points. Takes linear time.
fn initial_tetrahedron(points: &[Vec3], slack: f32) -> Option<[usize; 4]> {
    let farthest = |distance: &dyn Fn(Vec3) -> f32| {
        let all = points.iter().enumerate().map(|(at, p)| (distance(*p), at));
        all.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(far, _)| *far > slack).map(|(_, at)| at)
    };
    let a = *points.first()?;
    let second = farthest(&|p| p.distance(a))?;
    let along = (points[second] - a).normalize_or_zero();
    let third = farthest(&|p| (p - a).reject_from_normalized(along).length())?;
    let normal = along.cross(points[third] - a).normalize_or_zero();
    let fourth = farthest(&|p| normal.dot(p - a).abs())?;
    Some([0, second, third, fourth])
}

/// Returns the signed distance of a point from a face, in metres. Positive outside.
fn signed_distance(corners: &[Vec3], [a, b, c]: [usize; 3], point: Vec3) -> f32 {
    let (a, b, c) = (corners[a], corners[b], corners[c]);
    (b - a).cross(c - a).normalize_or_zero().dot(point - a)
}

/// Returns the farthest point in each of the evenly distributed directions, without duplicates.
fn extreme_points(points: &[Vec3]) -> Vec<Vec3> {
    let mut found = BTreeSet::new();
    for n in 0..DIRECTIONS {
        // A golden-angle spiral covers the sphere evenly.
        let y = 1.0 - 2.0 * (f32::from(n) + 0.5) / f32::from(DIRECTIONS);
        let (sin, cos) = libm::sincosf(f32::from(n) * 2.399_963_2);
        let flat = (1.0 - y * y).sqrt();
        let direction = Vec3::new(flat * cos, y, flat * sin);
        let all = points.iter().enumerate().filter(|(_, p)| p.is_finite()).map(|(at, p)| (direction.dot(*p), at));
        found.extend(all.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))).map(|(_, at)| at));
    }
    found.into_iter().map(|at| points[at]).collect()
}

/// Removes corners that no face uses.
fn without_unused_corners(corners: &[Vec3], faces: &[[usize; 3]]) -> ConvexMesh {
    let used: BTreeSet<usize> = faces.iter().flatten().copied().collect();
    let used: Vec<usize> = used.into_iter().collect();
    let index_of = |at: usize| used.binary_search(&at).unwrap_or_default() as u32;
    let faces = faces.iter().map(|face| face.map(index_of)).collect();
    (used.iter().map(|at| corners[*at]).collect(), faces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_arc(from: Vec3, to: Vec3) {
        let (from, to) = (from.normalize(), to.normalize());
        let q = shortest_arc(from, to);
        assert!((q.length() - 1.0).abs() < 1e-5, "{q} is not unit");
        assert!((q * from - to).length() < 1e-3, "{q} turns {from} to {}", q * from);
    }

    #[test]
    fn slerp_turns_by_a_share_of_the_angle_along_the_shorter_arc() {
        let axis = Vec3::new(0.6, 0.0, -0.8);
        for angle in [1e-3, 0.03, 0.07, 0.5, 1.5, 3.0] {
            for (share, sign) in [(0.0, 1.0), (0.25, -1.0), (0.7, 1.0), (1.0, -1.0)] {
                let between = slerp(Quat::IDENTITY, Quat::from_axis_angle(axis, angle) * sign, share);
                let expected = Quat::from_axis_angle(axis, angle * share);
                assert!(rotation_angle(between, expected) < 1e-6, "{share} of {angle} rad: {between}");
                assert!((between.length() - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn shortest_arc_turns_from_onto_to() {
        check_arc(Vec3::X, Vec3::Y);
        check_arc(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 0.1));
        check_arc(Vec3::X, Vec3::X);
        check_arc(Vec3::X, -Vec3::X);
        check_arc(Vec3::Y, -Vec3::Y);
    }

    #[test]
    fn nearly_opposite_directions_turn_about_the_axis_between_them() {
        let from = Vec3::new(0.3, -0.8, 0.5).normalize();
        let across = from.any_orthonormal_vector();
        for (off, degrees) in [(1e-2, 0.01), (1e-3, 0.03), (2e-4, 0.15)] {
            let arc = arc_between(from, across * off - from).expect("both have directions");
            let turned = arc.xyz().normalize().angle_between(from.cross(across)).to_degrees();
            assert!(turned < degrees, "{off} rad from opposite, the axis is off by {turned} degrees");
        }
        // Rounding errors of opposite vectors must not determine the axis.
        assert_eq!(arc_between(from, across * 1e-6 - from), arc_between(from, -from));
    }

    #[test]
    fn arc_between_does_not_depend_on_vector_lengths() {
        let near = Vec3::new(0.3, -0.8, 0.5);
        let others = [Vec3::X, -Vec3::X, near, -near, Vec3::new(-0.31, 0.79, -0.5), Vec3::new(-1.0, 1e-4, 0.0)];
        for (from, to) in others.iter().flat_map(|a| others.iter().map(move |b| (*a, *b))) {
            for (small, large) in [(1.0, 1.0), (1e-4, 3e3), (1e-18, 1e-12), (1e15, 1e10)] {
                let arc = arc_between(from * small, to * large).expect("both have directions");
                assert!((arc.length() - 1.0).abs() < 1e-5, "{from} to {to}: {arc}");
                assert!((arc * from.normalize()).distance(to.normalize()) < 1e-3, "{from} to {to}: {arc}");
            }
        }
        assert_eq!(arc_between(Vec3::ZERO, Vec3::X), None);
        assert_eq!(arc_between(Vec3::X, Vec3::NAN), None);
    }

    #[test]
    fn renormalize_restores_unit_length() {
        let long = Quat::from_rotation_x(0.7) * 1.001;
        assert!((renormalize(long).length() - 1.0).abs() < 3e-6);
    }

    #[test]
    fn a_ray_hits_a_plane_in_front_but_not_behind() {
        let ray = Ray { origin: Vec3::new(0.0, 0.0, 5.0), direction: -Vec3::Z };
        assert_eq!(ray.hit_plane(Vec3::ZERO, Vec3::Z), Some(Vec3::ZERO));
        assert_eq!(ray.hit_plane(Vec3::new(0.0, 0.0, 9.0), Vec3::Z), None);
        assert_eq!(ray.hit_plane(Vec3::ZERO, Vec3::X), None);
    }

    #[test]
    fn nearest_on_line_returns_the_point_closest_to_the_ray() {
        let ray = Ray { origin: Vec3::new(0.4, 0.0, 5.0), direction: -Vec3::Z };
        let p = ray.nearest_on_line(Vec3::ZERO, Vec3::X);
        assert!((p - Vec3::new(0.4, 0.0, 0.0)).length() < 1e-6);
    }

    #[test]
    fn the_closest_point_stays_on_the_segment() {
        let (a, b) = (Vec3::ZERO, Vec3::X);
        assert_eq!(closest_on_segment(Vec3::new(0.25, 1.0, 0.0), a, b), Vec3::new(0.25, 0.0, 0.0));
        assert_eq!(closest_on_segment(Vec3::new(7.0, 1.0, 0.0), a, b), b);
        assert_eq!(closest_on_segment(Vec3::Y, a, a), a);
    }

    /// Asserts that the hull is closed, wound outwards, and contains all points within a tolerance of `within` metres.
    #[track_caller]
    fn check_hull(points: &[Vec3], within: f32) -> ConvexMesh {
        let (corners, faces) = convex_hull(points).expect("not coplanar");
        let middle = corners.iter().sum::<Vec3>() / corners.len() as f32;
        let mut edges = BTreeSet::new();
        for face in &faces {
            let at = face.map(|corner| corner as usize);
            assert!(signed_distance(&corners, at, middle) < 0.0, "wound outwards");
            for [a, b] in [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]] {
                assert!(edges.insert([a, b]), "each directed edge occurs once");
            }
            for point in points {
                assert!(signed_distance(&corners, at, *point) < within, "{point} is outside");
            }
        }
        assert!(edges.iter().all(|[a, b]| edges.contains(&[*b, *a])), "the mesh is closed");
        // Euler's formula for polyhedra.
        assert_eq!(corners.len() + faces.len(), edges.len() / 2 + 2);
        (corners, faces)
    }

    #[test]
    fn the_hull_of_a_box_has_eight_corners_despite_inner_points() {
        let mut points: Vec<Vec3> = Vec::new();
        for i in 0..=4_u8 {
            for j in 0..=4_u8 {
                for k in 0..=4_u8 {
                    points.push(Vec3::new(f32::from(i), f32::from(j) * 0.5, f32::from(k) * 0.1));
                }
            }
        }
        points.push(Vec3::NAN);
        let (corners, faces) = check_hull(&points[..125], 1e-3);
        assert_eq!((corners.len(), faces.len()), (8, 12));
        assert_eq!(convex_hull(&points).expect("a body").0.len(), 8);
    }

    #[test]
    fn the_hull_of_a_sphere_is_accurate_to_a_tenth_of_its_radius() {
        let points: Vec<Vec3> = (0..2000_u16)
            .map(|n| {
                let (a, b) = (f32::from(n) * 2.4, f32::from(n) * 0.711);
                Vec3::new(libm::sinf(a) * libm::cosf(b), libm::cosf(a), libm::sinf(a) * libm::sinf(b)) * 0.1
            })
            .collect();
        let (corners, _) = check_hull(&points, 0.01);
        assert!(corners.len() > 60, "{}", corners.len());
    }

    #[test]
    fn coplanar_or_missing_points_have_no_hull() {
        let flat: Vec<Vec3> = (0..50_u8).map(|n| Vec3::new(f32::from(n % 7), f32::from(n / 7), 0.0)).collect();
        assert_eq!(convex_hull(&flat), None);
        assert_eq!(convex_hull(&[]), None);
        assert_eq!(convex_hull(&[Vec3::ONE; 9]), None);
    }
}
