//! Convex meshes: the nearest point of one, and the push that the engine gives.

use crate::math::Frame;
use crate::sim::ConvexHull;
use crate::sim::collider::SurfacePoint;
use crate::sim::vec_util::unit_or_zero;
use glam::Vec3;

/// A mesh in the space of its collider's bone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HullCollider {
    /// Position of its collider.
    pub(super) collider: u32,
    /// Metres.
    pub(super) points: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
    /// Position of its first corner among the corners of all.
    pub(super) first_corner: usize,
}

impl HullCollider {
    /// Of a collider by its position. Faces that name no corner, and meshes with numbers that are none, push nothing.
    pub(super) fn new(collider: u32, hull: &ConvexHull) -> Self {
        let known =
            |face: &[u32; 3]| face.iter().all(|at| hull.points().get(*at as usize).is_some_and(|p| p.is_finite()));
        let faces = hull.faces().iter().copied().filter(known).collect();
        Self { collider, points: hull.points().to_vec(), faces, first_corner: 0 }
    }

    /// Moves its corners to where the bone is; returns the middle of their bounds.
    pub(super) fn update_corners(&self, corners: &mut [Vec3], frame: &Frame) -> Vec3 {
        let corners = &mut corners[self.first_corner..self.first_corner + self.points.len()];
        corners.iter_mut().zip(&self.points).for_each(|(corner, point)| *corner = frame.transform_point(*point));
        self.bounds_center(corners)
    }

    /// The middle of the bounds.
    fn bounds_center(&self, corners: &[Vec3]) -> Vec3 {
        let used = self.faces.iter().flatten().map(|corner| corners[*corner as usize]);
        let (low, high) = used.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        (low + high) * 0.5
    }

    /// The surface that is nearest to a point, the bone being at `frame`; `None` for a mesh without faces.
    pub(super) fn nearest_surface(&self, frame: &Frame, point: Vec3) -> Option<SurfacePoint> {
        let corners: Vec<Vec3> = self.points.iter().map(|corner| frame.transform_point(*corner)).collect();
        let (nearest, is_within) = self.nearest_point(&corners, self.bounds_center(&corners), point)?;
        Some(SurfacePoint::from_point(nearest, point, is_within))
    }

    /// Where a ball of radius `spacing` about `point` goes: from outside to where it just touches, from inside so far
    /// away from the `middle` of the bounds, however deep it is.
    pub(super) fn push_out(&self, corners: &[Vec3], middle: Vec3, point: Vec3, spacing: f32) -> Vec3 {
        let corners = &corners[self.first_corner..self.first_corner + self.points.len()];
        let Some((nearest, is_within)) = self.nearest_point(corners, middle, point) else { return point };
        if is_within || nearest == point {
            return point + unit_or_zero(point - middle) * spacing;
        }
        let out = point - nearest;
        if out.length_squared() < spacing * spacing { nearest + unit_or_zero(out) * spacing } else { point }
    }

    /// The nearest point of its faces, and whether the point is inside; `None` for a mesh without faces.
    fn nearest_point(&self, corners: &[Vec3], middle: Vec3, point: Vec3) -> Option<(Vec3, bool)> {
        let (mut inside, mut best) = (true, None);
        for face in &self.faces {
            let [a, b, c] = face.map(|at| corners[at as usize]);
            let normal = (b - a).cross(c - a);
            let out = if normal.dot(a - middle) < 0.0 { -normal } else { normal };
            inside &= out.dot(point - a) <= 0.0;
            let near = nearest_on_triangle(point, a, b, c);
            let distance = near.distance_squared(point);
            if best.is_none_or(|(least, _)| distance < least) {
                best = Some((distance, near));
            }
        }
        best.map(|(_, near)| (near, inside))
    }
}

/// By the region of the triangle that the point lies over, after Ericson, "Real-Time Collision Detection", 5.1.5.
fn nearest_on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(p - a), ac.dot(p - a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let (d3, d4) = (ab.dot(p - b), ac.dot(p - b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let (d5, d6) = (ab.dot(p - c), ac.dot(p - c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let (over_a, over_b, over_c) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if over_c <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    if over_b <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    if over_a <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let whole = over_a + over_b + over_c;
    if whole == 0.0 { a } else { a + ab * (over_b / whole) + ac * (over_c / whole) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cuboid of 0.2, 0.4 and 0.6 m about the origin, its faces wound at random.
    fn block() -> HullCollider {
        let points = (0..8_u8)
            .map(|i| {
                let side = |bit: u8, half: f32| if i >> bit & 1 == 0 { -half } else { half };
                Vec3::new(side(0, 0.1), side(1, 0.2), side(2, 0.3))
            })
            .collect();
        let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let faces = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *d, *c]]).collect();
        HullCollider::new(0, &ConvexHull::new(points, faces))
    }

    #[track_caller]
    fn check(point: [f32; 3], expected: [f32; 3]) {
        let (hull, expected) = (block(), Vec3::from(expected));
        let found = hull.push_out(&hull.points, Vec3::ZERO, Vec3::from(point), 0.02);
        assert!((found - expected).length() < 1e-5, "{point:?} goes to {found}, not {expected}");
    }

    #[test]
    fn a_sphere_outside_is_pushed_until_it_touches_a_face_an_edge_or_a_corner() {
        check([0.11, 0.05, 0.1], [0.12, 0.05, 0.1]);
        check([0.0, -0.21, 0.0], [0.0, -0.22, 0.0]);
        check([0.3, 0.0, 0.0], [0.3, 0.0, 0.0]);
        let edge = 0.02 / 2.0_f32.sqrt();
        check([0.105, 0.205, 0.1], [0.1 + edge, 0.2 + edge, 0.1]);
        let corner = 0.02 / 3.0_f32.sqrt();
        check([0.105, 0.205, 0.305], [0.1 + corner, 0.2 + corner, 0.3 + corner]);
    }

    #[test]
    fn a_sphere_inside_is_pushed_away_from_the_center_by_its_radius_only() {
        check([0.05, 0.0, 0.0], [0.07, 0.0, 0.0]);
        check([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
        check([0.0, 0.15, 0.0], [0.0, 0.17, 0.0]);
    }

    #[test]
    fn a_mesh_without_faces_pushes_nothing() {
        let bad = ConvexHull::new(vec![Vec3::NAN, Vec3::ZERO], vec![[0, 1, 1], [1, 1, 9]]);
        let hull = HullCollider::new(0, &bad);
        assert_eq!(hull.push_out(&hull.points, Vec3::ZERO, Vec3::X, 9.0), Vec3::X);
    }
}
