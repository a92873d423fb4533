use glam::{Quat, Vec3};

/// A half line: `origin + s * direction`, `s >= 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Unit length.
    pub direction: Vec3,
}

impl Ray {
    /// Where the ray meets the plane through `point` with `normal`; `None` if it runs beside or away from it.
    pub fn hit_plane(&self, point: Vec3, normal: Vec3) -> Option<Vec3> {
        let slope = self.direction.dot(normal);
        if slope.abs() < 1e-6 {
            return None;
        }
        let s = (point - self.origin).dot(normal) / slope;
        (s >= 0.0).then(|| self.origin + self.direction * s)
    }

    /// The point of the line `point + t * axis` that lies nearest to the ray.
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

/// Squared sine below which [`arc_between`] takes vectors that point away from each other for opposite: 1e-8 on the cosine.
/// Rotations leave directions off by 1e-6, so that the axis between two of them is still known to half a degree.
const OPPOSITE_SIN_SQUARED: f32 = 2e-8;

/// The smallest rotation that turns unit vector `from` onto unit vector `to`.
///
/// Opposite vectors give a half turn about the part of X that is perpendicular to `from`, or about Y.
#[inline(always)]
#[expect(clippy::inline_always, reason = "two vectors and a rotation through memory cost as much as the arc")]
pub fn shortest_arc(from: Vec3, to: Vec3) -> Quat {
    let dot = from.dot(to);
    // Even the rounding of the lengths would decide otherwise.
    if dot < -0.9999 && dot < -0.999_999 * (from.length() * to.length()) {
        return half_turn(from);
    }
    non_opposite_arc(from, to, dot)
}

/// Half a turn about the part of X that is perpendicular to unit vector `from`, or about Y.
#[inline]
fn half_turn(from: Vec3) -> Quat {
    let axis = (Vec3::X - from * from.x).try_normalize().unwrap_or(Vec3::Y);
    Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// The smallest rotation between unit vectors that are not opposite.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `shortest_arc`")]
fn non_opposite_arc(from: Vec3, to: Vec3, dot: f32) -> Quat {
    // Close to opposite the sum of the two still knows the digits that the dot product has lost.
    let w = if dot < -0.9 { 0.5 * (from + to).length_squared() } else { 1.0 + dot };
    let c = from.cross(to);
    let k = 1.0 / (c.length_squared() + w * w).sqrt();
    Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k)
}

/// The smallest rotation that turns the direction of `from` onto that of `to`, whatever their lengths; `None` where one of
/// them has no direction. Opposite ones as in [`shortest_arc`], but only where rounding has left no axis between them.
#[inline(always)]
#[expect(clippy::inline_always, reason = "two vectors and a rotation through memory cost as much as the arc")]
pub fn arc_between(from: Vec3, to: Vec3) -> Option<Quat> {
    let (lengths, dot) = ((from.length_squared() * to.length_squared()).sqrt(), from.dot(to));
    // Far from opposite, and neither too short nor too long to be squared twice.
    if dot > -0.9 * lengths && lengths > 1e-12 && lengths < 1e12 {
        // The square of the cross product's length is (lengths - dot) (lengths + dot).
        let w = lengths + dot;
        let (c, k) = (from.cross(to), 1.0 / (2.0 * lengths * w).sqrt());
        return Some(Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k));
    }
    degenerate_arc(from, to)
}

/// A quaternion whose length rounding has put beside 1, of unit length again: a step of Newton's method, which needs no
/// root.
#[inline(always)]
#[expect(clippy::inline_always, reason = "a product")]
pub fn renormalize(q: Quat) -> Quat {
    q * (1.5 - 0.5 * q.length_squared())
}

/// What [`arc_between`] leaves: directions close to opposite, and lengths that cannot be squared twice.
#[cold]
pub(super) fn degenerate_arc(from: Vec3, to: Vec3) -> Option<Quat> {
    let (from, to) = (from.try_normalize()?, to.try_normalize()?);
    let dot = from.dot(to);
    let is_opposite = dot < -0.9999 && from.cross(to).length_squared() < OPPOSITE_SIN_SQUARED;
    Some(if is_opposite { half_turn(from) } else { non_opposite_arc(from, to, dot) })
}

/// Linear blend of two unit quaternions along the short way, normalised.
#[inline]
pub fn lerp_shortest(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let q = a * (1.0 - t) + b * t;
    let length = q.length();
    if length > 1e-12 { q * (1.0 / length) } else { a }
}

/// The point of segment `a`..`b` nearest to `p`.
#[inline]
pub fn closest_on_segment(p: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let ab = b - a;
    let length_squared = ab.length_squared();
    if length_squared < 1e-20 {
        return a;
    }
    a + ab * ((p - a).dot(ab) / length_squared).clamp(0.0, 1.0)
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
        // What rounding leaves of opposite vectors decides nothing.
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
}
