//! Colliders in world space, including convex meshes, and how they push a sphere out.

use super::{inverse_or_zero, lossy_scale};
use crate::collider::{BoundingSphere, SurfacePoint, WorldCollider};
use crate::math::Frame;
use crate::step_pose::ColliderRuntime;
use crate::vec_util::unit_or_zero;
use crate::{ColliderShape, ConvexHull};
use glam::{Mat3, Vec3};

/// Direction in which the margin extends a box: Unity's (1, 1, 1) with X mirrored.
const BOX_MARGIN_DIAGONAL: Vec3 = Vec3::new(-1.0, 1.0, 1.0);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ColliderKind {
    #[default]
    Off,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    /// A convex mesh, by its index in [`ColliderSet::hulls`].
    Hull(u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EzWorldCollider {
    /// The bone of the collider. The collider does not push this bone's particle.
    bone: u32,
    kind: ColliderKind,
    inside: bool,
    margin: f32,
    /// Without the margin.
    bounds: BoundingSphere,
    /// Center, or one end of a capsule, in metres.
    pub(super) position: Vec3,
    /// The other end of a capsule, or the unit axis of a cylinder.
    end_or_axis: Vec3,
    radius: f32,
    /// Half extents: of a box in its own space, or of a cylinder in metres along Y.
    half_extents: Vec3,
    /// Transform from the space of a box to the world without translation, and its inverse.
    linear: Mat3,
    inverse_linear: Mat3,
}

impl EzWorldCollider {
    /// Places a collider in world space and enlarges it by `margin` metres. `Off` for shapes that `EZSoftBone` does not
    /// support.
    pub(super) fn new(collider: &ColliderRuntime, frame: &Frame, margin: f32) -> Self {
        let position = frame.position;
        let placed =
            Self { bone: collider.bone, inside: collider.shape.is_inside(), margin, position, ..Self::default() };
        if !collider.enabled {
            return placed;
        }
        let scale = lossy_scale(frame);
        match collider.shape {
            ColliderShape::Sphere { radius, inside: false } => {
                let radius = radius * scale.max_element();
                let bounds = BoundingSphere::new(position, radius);
                Self { kind: ColliderKind::Sphere, radius, bounds, ..placed }
            }
            ColliderShape::Sphere { radius, inside: true } => Self { kind: ColliderKind::Sphere, radius, ..placed },
            ColliderShape::Capsule { radius, height, .. } => placed.capsule(frame, scale, radius, height),
            ColliderShape::Box { width, height, depth, .. } => placed.cuboid(frame, Vec3::new(width, height, depth)),
            ColliderShape::Cylinder { radius, height, .. } => placed.cylinder(frame, scale, radius, height),
            ColliderShape::Panel { .. } | ColliderShape::Plane | ColliderShape::TaperedCapsule { .. } => placed,
        }
    }

    /// Returns the collider as drawn; `Off` for a convex mesh, which has its own distance.
    pub(super) fn world_collider(&self, frame: &Frame) -> WorldCollider {
        let (inside, radius) = (self.inside, self.radius);
        match self.kind {
            ColliderKind::Off | ColliderKind::Hull(_) => WorldCollider::Off,
            ColliderKind::Sphere => WorldCollider::Sphere { center: self.position, radius, inside },
            ColliderKind::Capsule => {
                WorldCollider::Capsule { ends: [self.position, self.end_or_axis], radii: [radius; 2], inside }
            }
            ColliderKind::Box => {
                let half = self.half_extents * lossy_scale(frame);
                WorldCollider::Box { center: self.position, rotation: frame.rotation, half_extents: half, inside }
            }
            ColliderKind::Cylinder => WorldCollider::Cylinder {
                center: self.position,
                axis: self.end_or_axis,
                half_height: self.half_extents.y,
                radius,
                inside,
            },
        }
    }

    /// Creates the collider of a convex mesh from the index of the mesh and the center of its bounds in the world.
    pub(super) fn from_hull(collider: &ColliderRuntime, margin: f32, hull: u32, middle: Vec3) -> Self {
        let kind = if collider.enabled { ColliderKind::Hull(hull) } else { ColliderKind::Off };
        Self { bone: collider.bone, kind, margin, position: middle, ..Self::default() }
    }

    /// Places a capsule. In Unity, the height includes the caps. The caps do not stretch, so scale along the axis moves
    /// their centers.
    fn capsule(self, frame: &Frame, scale: Vec3, radius: f32, height: f32) -> Self {
        let scaled = radius * scale.x.max(scale.z);
        let half = (height * 0.5 + radius - scaled / scale.y).max(0.0);
        let ends = [-1.0, 1.0].map(|side| frame.transform_point(Vec3::Y * (height * 0.5 + side * half)));
        let bounds =
            if self.inside { BoundingSphere::EVERYWHERE } else { BoundingSphere::around_segment(ends, scaled) };
        Self { kind: ColliderKind::Capsule, radius: scaled, position: ends[0], end_or_axis: ends[1], bounds, ..self }
    }

    fn cuboid(self, frame: &Frame, size: Vec3) -> Self {
        let linear = frame.linear();
        Self {
            kind: ColliderKind::Box,
            half_extents: size.abs() * 0.5,
            linear,
            inverse_linear: inverse_or_zero(&linear),
            ..self
        }
    }

    fn cylinder(self, frame: &Frame, scale: Vec3, radius: f32, height: f32) -> Self {
        let half = Vec3::Y * (height * 0.5 * scale.y);
        let to = frame.rotation * Vec3::Y;
        Self {
            kind: ColliderKind::Cylinder,
            radius: radius * scale.x.max(scale.z),
            half_extents: half,
            end_or_axis: to,
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ColliderSet<'a> {
    pub(super) colliders: &'a [EzWorldCollider],
    pub(super) hulls: &'a [HullCollider],
    pub(super) corners: &'a [Vec3],
}

impl ColliderSet<'_> {
    /// Pushes a sphere of `radius` at `point`, which is the particle of `bone`, out of collider `at`.
    #[inline]
    pub(super) fn push_out(&self, at: u32, bone: u32, point: Vec3, radius: f32) -> Vec3 {
        let placed = &self.colliders[at as usize];
        let spacing = radius + placed.margin;
        if placed.bone == bone || placed.bounds.is_out_of_reach(point, spacing) {
            return point;
        }
        let pushed = match (placed.kind, placed.inside) {
            (ColliderKind::Off, _) => return point,
            (ColliderKind::Sphere, false) => push_out_of_sphere(point, placed.position, placed.radius + spacing),
            (ColliderKind::Sphere, true) => keep_in_sphere(point, placed.position, placed.radius - spacing),
            (ColliderKind::Capsule, inside) => push_by_capsule(placed, inside, point, spacing),
            (ColliderKind::Box, inside) => push_by_box(placed, inside, point, spacing),
            (ColliderKind::Cylinder, inside) => push_by_cylinder(placed, inside, point, spacing),
            (ColliderKind::Hull(hull), _) => {
                self.hulls[hull as usize].push_out(self.corners, placed.position, point, spacing)
            }
        };
        if pushed.is_finite() { pushed } else { point }
    }
}

#[inline]
fn push_out_of_sphere(point: Vec3, middle: Vec3, radius: f32) -> Vec3 {
    let out = point - middle;
    if out.length_squared() < radius * radius && radius > 0.0 { middle + unit_or_zero(out) * radius } else { point }
}

/// Keeps a point in a sphere. If the pushed sphere is larger than the collider, `radius` is negative and the point ends
/// on the opposite side.
fn keep_in_sphere(point: Vec3, middle: Vec3, radius: f32) -> Vec3 {
    let out = point - middle;
    if out.length() > radius { middle + unit_or_zero(out) * radius } else { point }
}

fn push_by_capsule(placed: &EzWorldCollider, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let (axis, from) = (placed.end_or_axis - placed.position, point - placed.position);
    let along = axis.dot(from);
    let ball = |middle| {
        if inside {
            keep_in_sphere(point, middle, placed.radius - spacing)
        } else {
            push_out_of_sphere(point, middle, placed.radius + spacing)
        }
    };
    if along <= 0.0 {
        return ball(placed.position);
    }
    if along >= axis.length_squared() {
        return ball(placed.end_or_axis);
    }
    let side = from - axis * (along / axis.length_squared());
    let out = if inside { placed.radius - spacing } else { placed.radius + spacing } - side.length();
    if (out > 0.0) != inside && out != 0.0 { point + unit_or_zero(side) * out } else { point }
}

fn push_by_box(placed: &EzWorldCollider, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let mut at = placed.inverse_linear * (point - placed.position);
    let more = (placed.inverse_linear * (BOX_MARGIN_DIAGONAL * spacing)).abs();
    if inside {
        let half = placed.half_extents - more;
        let beyond = at.abs().cmpgt(half);
        if !beyond.any() {
            return point;
        }
        at = Vec3::select(beyond, at.signum() * half, at);
    } else {
        let half = placed.half_extents + more;
        if !at.abs().cmplt(half).all() {
            return point;
        }
        let depth = (at.abs() - half).abs();
        let axis = match (depth.x < depth.y, depth.x < depth.z, depth.y < depth.z) {
            (true, true, _) => 0,
            (false, _, true) => 1,
            _ => 2,
        };
        at[axis] = at[axis].signum() * half[axis];
    }
    placed.position + placed.linear * at
}

fn push_by_cylinder(placed: &EzWorldCollider, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let more = if inside { -spacing } else { spacing };
    let from = point - placed.position;
    let along = placed.end_or_axis * from.dot(placed.end_or_axis);
    let side = from - along;
    let to_cap = placed.half_extents.y + more - along.length();
    let to_side = placed.radius + more - side.length();
    let meets = if inside { to_cap < 0.0 || to_side < 0.0 } else { to_cap > 0.0 && to_side > 0.0 };
    if !meets {
        point
    } else if to_side < to_cap {
        point + unit_or_zero(side) * to_side
    } else {
        point + unit_or_zero(along) * to_cap
    }
}

/// A convex mesh in the space of its collider's bone.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HullCollider {
    /// Index of the collider.
    pub(super) collider: u32,
    pub(super) points: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
    /// Index of the first corner in `State::hull_corners`.
    pub(super) first_corner: usize,
}

impl HullCollider {
    /// Creates a hull. Ignores faces with missing or non-finite corners.
    pub(super) fn new(collider: u32, hull: &ConvexHull) -> Self {
        let known =
            |face: &[u32; 3]| face.iter().all(|at| hull.points().get(*at as usize).is_some_and(|p| p.is_finite()));
        let faces = hull.faces().iter().copied().filter(known).collect();
        Self { collider, points: hull.points().to_vec(), faces, first_corner: 0 }
    }

    /// Moves the corners along with the bone and returns the center of their bounds.
    pub(super) fn update_corners(&self, corners: &mut [Vec3], frame: &Frame) -> Vec3 {
        let corners = &mut corners[self.first_corner..self.first_corner + self.points.len()];
        corners.iter_mut().zip(&self.points).for_each(|(corner, point)| *corner = frame.transform_point(*point));
        self.bounds_center(corners)
    }

    fn bounds_center(&self, corners: &[Vec3]) -> Vec3 {
        let used = self.faces.iter().flatten().map(|corner| corners[*corner as usize]);
        let (low, high) = used.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), p| (l.min(p), h.max(p)));
        (low + high) * 0.5
    }

    /// Returns the surface point nearest to `point` if the bone is at `frame`; `None` for a mesh without faces.
    pub(super) fn nearest_surface(&self, frame: &Frame, point: Vec3) -> Option<SurfacePoint> {
        let corners: Vec<Vec3> = self.points.iter().map(|corner| frame.transform_point(*corner)).collect();
        let (nearest, is_within) = self.nearest_point(&corners, self.bounds_center(&corners), point)?;
        Some(SurfacePoint::from_point(nearest, point, is_within))
    }

    /// Pushes a sphere of radius `spacing` at `point` out of the mesh. Outside the mesh, the sphere moves until it just
    /// touches. Inside, it moves by `spacing` away from the bounds' center, whatever its depth.
    pub(super) fn push_out(&self, corners: &[Vec3], middle: Vec3, point: Vec3, spacing: f32) -> Vec3 {
        let corners = &corners[self.first_corner..self.first_corner + self.points.len()];
        let Some((nearest, is_within)) = self.nearest_point(corners, middle, point) else { return point };
        if is_within || nearest == point {
            return point + unit_or_zero(point - middle) * spacing;
        }
        let out = point - nearest;
        if out.length_squared() < spacing * spacing { nearest + unit_or_zero(out) * spacing } else { point }
    }

    /// Returns the nearest point on the faces, and whether `point` is inside; `None` for a mesh without faces.
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

/// Returns the nearest point on a triangle, by the method in Ericson, "Real-Time Collision Detection", 5.1.5.
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
    use crate::math::Trs;
    use crate::test_support;
    use glam::Quat;

    /// Returns where a shape on a node, with a margin of 1 cm, pushes a sphere of radius 1 cm.
    fn pushed(shape: ColliderShape, local: &Trs, point: Vec3) -> Vec3 {
        let collider = test_support::collider(shape);
        let placed = [EzWorldCollider::new(&collider, &Frame::WORLD.child(local), 0.01)];
        ColliderSet { colliders: &placed, hulls: &[], corners: &[] }.push_out(0, 7, point, 0.01)
    }

    #[track_caller]
    fn check(shape: ColliderShape, point: [f32; 3], expected: [f32; 3]) {
        check_scaled(shape, &Trs::IDENTITY, point, expected);
    }

    #[track_caller]
    fn check_scaled(shape: ColliderShape, local: &Trs, point: [f32; 3], expected: [f32; 3]) {
        let (found, expected) = (pushed(shape, local, Vec3::from(point)), Vec3::from(expected));
        assert!((found - expected).length() < 1e-5, "{shape:?} leaves {point:?} at {found}, not {expected}");
    }

    #[test]
    fn spheres_push_out_or_keep_in_and_a_point_at_the_center_stays() {
        let ball = ColliderShape::Sphere { radius: 0.1, inside: false };
        check(ball, [0.2, 0.0, 0.0], [0.2, 0.0, 0.0]);
        check(ball, [0.05, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(ball, [0.0; 3], [0.0; 3]);
        check(ColliderShape::Sphere { radius: 0.1, inside: true }, [0.0, 0.3, 0.0], [0.0, 0.08, 0.0]);
        check(ColliderShape::Sphere { radius: 0.1, inside: true }, [0.0, 0.03, 0.0], [0.0, 0.03, 0.0]);
    }

    #[test]
    fn spheres_follow_scale_and_inside_spheres_do_not() {
        let large = Trs { scale: Vec3::new(1.0, 3.0, 2.0), ..Trs::IDENTITY };
        check_scaled(ColliderShape::Sphere { radius: 0.1, inside: false }, &large, [0.2, 0.0, 0.0], [0.32, 0.0, 0.0]);
        check_scaled(ColliderShape::Sphere { radius: 0.1, inside: true }, &large, [0.2, 0.0, 0.0], [0.08, 0.0, 0.0]);
    }

    #[test]
    fn capsules_push_away_from_their_axis_and_their_ends() {
        let rod = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(rod, [0.05, 0.2, 0.0], [0.12, 0.2, 0.0]);
        check(rod, [0.0, 0.45, 0.0], [0.0, 0.52, 0.0]);
        check(rod, [0.0, -0.05, 0.0], [0.0, -0.12, 0.0]);
        check(rod, [0.3, 0.2, 0.0], [0.3, 0.2, 0.0]);
        let room = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: true };
        check(room, [0.3, 0.2, 0.0], [0.08, 0.2, 0.0]);
        check(room, [0.05, 0.2, 0.0], [0.05, 0.2, 0.0]);
        check(room, [0.0, 0.7, 0.0], [0.0, 0.48, 0.0]);
    }

    #[test]
    fn scaled_capsules_keep_spherical_caps() {
        let (rod, flat) =
            (ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false }, Vec3::new(2.0, 0.5, 1.0));
        let flat = Trs { scale: flat, ..Trs::IDENTITY };
        // With caps, the length is 0.6 at scale 1, so it is 0.3 here. The caps need 0.4, so no cylinder remains.
        check_scaled(rod, &flat, [0.0, 0.2, 0.0], [0.0, 0.32, 0.0]);
        check_scaled(rod, &flat, [0.05, 0.1, 0.0], [0.22, 0.1, 0.0]);
    }

    #[test]
    fn boxes_push_out_along_the_nearest_axis_and_inside_boxes_clamp() {
        let block = ColliderShape::Box { width: 0.2, height: 0.4, depth: 0.6, inside: false };
        check(block, [0.09, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(block, [0.0, -0.19, 0.1], [0.0, -0.22, 0.1]);
        check(block, [0.01, 0.05, 0.29], [0.01, 0.05, 0.32]);
        check(block, [0.13, 0.0, 0.0], [0.13, 0.0, 0.0]);
        let room = ColliderShape::Box { width: 0.2, height: 0.4, depth: 0.6, inside: true };
        check(room, [0.5, -0.5, 0.1], [0.08, -0.18, 0.1]);
        check(room, [0.01, 0.02, 0.03], [0.01, 0.02, 0.03]);
    }

    #[test]
    fn the_margin_of_a_rotated_box_depends_on_its_rotation() {
        // A quarter turn about Y maps the diagonal to another diagonal. An eighth of a turn maps it close to one axis.
        let quarter = Trs { rotation: Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), ..Trs::IDENTITY };
        let block = ColliderShape::Box { width: 0.2, height: 0.2, depth: 0.2, inside: false };
        check_scaled(block, &quarter, [0.09, 0.0, 0.0], [0.12, 0.0, 0.0]);
        let eighth = Quat::from_rotation_y(std::f32::consts::FRAC_PI_4);
        let turned = Trs { rotation: eighth, ..Trs::IDENTITY };
        let (x, z) = (eighth * Vec3::X, eighth * Vec3::Z);
        let found = |way: Vec3| pushed(block, &turned, way * 0.09).dot(way);
        let more = [found(x) - 0.1, found(z) - 0.1];
        assert!(more[0] > 0.028 - 1e-4 || more[1] > 0.028 - 1e-4, "{more:?}");
    }

    #[test]
    fn cylinders_push_out_through_the_nearer_of_side_and_cap() {
        let can = ColliderShape::Cylinder { radius: 0.1, height: 0.6, inside: false };
        check(can, [0.08, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(can, [0.01, 0.29, 0.0], [0.01, 0.32, 0.0]);
        check(can, [0.2, 0.0, 0.0], [0.2, 0.0, 0.0]);
        let room = ColliderShape::Cylinder { radius: 0.1, height: 0.6, inside: true };
        check(room, [0.2, 0.0, 0.0], [0.08, 0.0, 0.0]);
        check(room, [0.0, 0.4, 0.05], [0.0, 0.28, 0.05]);
        check(room, [0.02, 0.1, 0.0], [0.02, 0.1, 0.0]);
        let large = Trs { scale: Vec3::new(1.0, 2.0, 3.0), ..Trs::IDENTITY };
        check_scaled(can, &large, [0.25, 0.0, 0.0], [0.32, 0.0, 0.0]);
    }

    #[test]
    fn disabled_colliders_and_colliders_on_the_particles_own_bone_push_nothing() {
        let mut collider = ColliderRuntime {
            bone: 7,
            shape: ColliderShape::Sphere { radius: 1.0, inside: false },
            enabled: true,
            renderer_on: true,
        };
        let push = |collider: &ColliderRuntime, bone| {
            let placed = [EzWorldCollider::new(collider, &Frame::WORLD, 0.0)];
            ColliderSet { colliders: &placed, hulls: &[], corners: &[] }.push_out(0, bone, Vec3::X * 0.5, 0.01)
        };
        assert_eq!(push(&collider, 7), Vec3::X * 0.5);
        assert_eq!(push(&collider, 6), Vec3::X * 1.01);
        collider.enabled = false;
        assert_eq!(push(&collider, 6), Vec3::X * 0.5);
    }

    /// A box of 0.2 m by 0.4 m by 0.6 m at the origin, with inconsistent winding of the faces.
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
    fn assert_hull_pushes(point: [f32; 3], expected: [f32; 3]) {
        let (hull, expected) = (block(), Vec3::from(expected));
        let found = hull.push_out(&hull.points, Vec3::ZERO, Vec3::from(point), 0.02);
        assert!((found - expected).length() < 1e-5, "{point:?} goes to {found}, not {expected}");
    }

    #[test]
    fn a_sphere_outside_is_pushed_until_it_touches_a_face_an_edge_or_a_corner() {
        assert_hull_pushes([0.11, 0.05, 0.1], [0.12, 0.05, 0.1]);
        assert_hull_pushes([0.0, -0.21, 0.0], [0.0, -0.22, 0.0]);
        assert_hull_pushes([0.3, 0.0, 0.0], [0.3, 0.0, 0.0]);
        let edge = 0.02 / 2.0_f32.sqrt();
        assert_hull_pushes([0.105, 0.205, 0.1], [0.1 + edge, 0.2 + edge, 0.1]);
        let corner = 0.02 / 3.0_f32.sqrt();
        assert_hull_pushes([0.105, 0.205, 0.305], [0.1 + corner, 0.2 + corner, 0.3 + corner]);
    }

    #[test]
    fn a_sphere_inside_is_pushed_away_from_the_center_by_its_radius_only() {
        assert_hull_pushes([0.05, 0.0, 0.0], [0.07, 0.0, 0.0]);
        assert_hull_pushes([0.0, 0.0, 0.0], [0.0, 0.0, 0.0]);
        assert_hull_pushes([0.0, 0.15, 0.0], [0.0, 0.17, 0.0]);
    }

    #[test]
    fn a_mesh_without_faces_pushes_nothing() {
        let bad = ConvexHull::new(vec![Vec3::NAN, Vec3::ZERO], vec![[0, 1, 1], [1, 1, 9]]);
        let hull = HullCollider::new(0, &bad);
        assert_eq!(hull.push_out(&hull.points, Vec3::ZERO, Vec3::X, 9.0), Vec3::X);
    }
}
