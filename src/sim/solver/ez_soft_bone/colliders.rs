//! What pushes particles: shapes as they stand in the world, and where a ball goes that meets one.

use super::hull::HullCollider;
use super::{inverse_or_zero, lossy_scale};
use crate::math::Frame;
use crate::sim::ColliderShape;
use crate::sim::collider::WorldCollider;
use crate::sim::scene::ColliderRuntime;
use crate::sim::vec_util::unit_or_zero;
use glam::{Mat3, Vec3};

/// What boxes thicken by, as their own space sees it: Unity's (1, 1, 1), under a mirrored X.
const BOX_MARGIN_DIAGONAL: Vec3 = Vec3::new(-1.0, 1.0, 1.0);

/// What a collider is, in the engine's terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum ColliderKind {
    /// Nothing.
    #[default]
    Off,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    /// Position among [`ColliderSet::hulls`].
    Hull(u32),
}

/// A collider in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct EzWorldCollider {
    /// Its bone: the particle of that is not pushed.
    bone: u32,
    kind: ColliderKind,
    inside: bool,
    /// Metres beyond the shape.
    margin: f32,
    /// Middle, or one end of a capsule; metres.
    pub(super) position: Vec3,
    /// The other end of a capsule; the unit axis of a cylinder.
    end_or_axis: Vec3,
    /// Metres.
    radius: f32,
    /// Half of the extent: of a box in its own space, of a cylinder in metres along Y.
    half_extents: Vec3,
    /// From a box to the world and back, without its place.
    linear: Mat3,
    inverse_linear: Mat3,
}

impl EzWorldCollider {
    /// Where a collider stands on its bone, `margin` metres thicker. A shape that the engine has not is nothing.
    pub(super) fn new(collider: &ColliderRuntime, frame: &Frame, margin: f32) -> Self {
        let placed = Self { bone: collider.bone, margin, position: frame.position, ..Self::default() };
        if !collider.enabled {
            return placed;
        }
        let scale = lossy_scale(frame);
        match collider.shape {
            ColliderShape::Sphere { radius, inside: false } => {
                Self { kind: ColliderKind::Sphere, radius: radius * scale.max_element(), ..placed }
            }
            ColliderShape::Sphere { radius, inside: true } => {
                Self { kind: ColliderKind::Sphere, inside: true, radius, ..placed }
            }
            ColliderShape::Capsule { radius, height, inside: false } => placed.capsule(frame, scale, radius, height),
            ColliderShape::Capsule { radius, height, inside: true } => {
                Self { inside: true, ..placed.capsule(frame, scale, radius, height) }
            }
            ColliderShape::Box { width, height, depth, inside: false } => {
                placed.cuboid(frame, Vec3::new(width, height, depth))
            }
            ColliderShape::Box { width, height, depth, inside: true } => {
                Self { inside: true, ..placed.cuboid(frame, Vec3::new(width, height, depth)) }
            }
            ColliderShape::Cylinder { radius, height, inside: false } => placed.cylinder(frame, scale, radius, height),
            ColliderShape::Cylinder { radius, height, inside: true } => {
                Self { inside: true, ..placed.cylinder(frame, scale, radius, height) }
            }
            ColliderShape::Panel { .. } | ColliderShape::Plane | ColliderShape::TaperedCapsule { .. } => placed,
        }
    }

    /// As it looks; a convex mesh is measured by itself.
    pub(super) fn to_world_collider(&self, frame: &Frame) -> WorldCollider {
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

    /// A convex mesh, by its position and the middle of its bounds in the world.
    pub(super) fn from_hull(collider: &ColliderRuntime, margin: f32, hull: u32, middle: Vec3) -> Self {
        let kind = if collider.enabled { ColliderKind::Hull(hull) } else { ColliderKind::Off };
        Self { bone: collider.bone, kind, margin, position: middle, ..Self::default() }
    }

    /// The engine measures a capsule with its caps, which do not stretch: scale along the axis moves their middles.
    fn capsule(self, frame: &Frame, scale: Vec3, radius: f32, height: f32) -> Self {
        let scaled = radius * scale.x.max(scale.z);
        let half = (height * 0.5 + radius - scaled / scale.y).max(0.0);
        let end = |side: f32| frame.transform_point(Vec3::Y * (height * 0.5 + side * half));
        Self { kind: ColliderKind::Capsule, radius: scaled, position: end(-1.0), end_or_axis: end(1.0), ..self }
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

/// All that pushes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ColliderSet<'a> {
    pub(super) colliders: &'a [EzWorldCollider],
    pub(super) hulls: &'a [HullCollider],
    pub(super) corners: &'a [Vec3],
}

impl ColliderSet<'_> {
    /// Where collider `at` leaves a ball of `radius` about `point` that is the particle of `bone`.
    #[inline]
    pub(super) fn push_out(&self, at: u32, bone: u32, point: Vec3, radius: f32) -> Vec3 {
        let placed = &self.colliders[at as usize];
        if placed.bone == bone {
            return point;
        }
        let spacing = radius + placed.margin;
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

/// With a ball that is thicker than the room, `radius` is below zero: it ends up on the other side.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use glam::Quat;

    /// A ball of 1 cm, pushed by a shape on a node, with a margin of 1 cm.
    fn pushed(shape: ColliderShape, local: &Trs, point: Vec3) -> Vec3 {
        let collider = ColliderRuntime { bone: 0, shape, enabled: true, renderer_on: true };
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
        let flat = Trs { scale: Vec3::new(2.0, 0.5, 1.0), ..Trs::IDENTITY };
        // With caps it is 0.6 long at scale 1, so 0.3 here; the caps take 0.4, and nothing is left between them.
        check_scaled(
            ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false },
            &flat,
            [0.0, 0.2, 0.0],
            [0.0, 0.32, 0.0],
        );
        check_scaled(
            ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false },
            &flat,
            [0.05, 0.1, 0.0],
            [0.22, 0.1, 0.0],
        );
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
        // A quarter turn about Y brings the diagonal onto another one: the same. An eighth lays it along one axis.
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
}
