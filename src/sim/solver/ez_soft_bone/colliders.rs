//! What pushes particles: shapes as they stand in the world, and where a ball goes that meets one.

use super::hull::Hull;
use super::{inverse, lossy_scale};
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::collider::WorldCollider;
use crate::sim::kernel::unit_or_zero;
use crate::sim::scene::ColliderRest;
use glam::{Mat3, Vec3};

/// What boxes thicken by, as their own space sees it: Unity's (1, 1, 1), under a mirrored X.
const DIAGONAL: Vec3 = Vec3::new(-1.0, 1.0, 1.0);

/// What a collider is, in the engine's terms.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kind {
    /// Nothing.
    #[default]
    Off,
    Sphere,
    Capsule,
    Box,
    Cylinder,
    /// Position among [`Solids::hulls`].
    Hull(u32),
}

/// A collider in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placed {
    /// Its bone: the particle of that is not pushed.
    bone: u32,
    kind: Kind,
    inside: bool,
    /// Metres beyond the shape.
    margin: f32,
    /// Middle, or one end of a capsule; metres.
    pub(super) at: Vec3,
    /// The other end of a capsule; the unit axis of a cylinder.
    to: Vec3,
    /// Metres.
    radius: f32,
    /// Half of the extent: of a box in its own space, of a cylinder in metres along Y.
    half: Vec3,
    /// From a box to the world and back, without its place.
    linear: Mat3,
    inverse: Mat3,
}

impl Placed {
    /// Where a collider stands on its bone, `margin` metres thicker. A shape that the engine has not is nothing.
    pub(super) fn new(collider: &ColliderRest, frame: &Frame, margin: f32) -> Self {
        let placed = Self { bone: collider.bone, margin, at: frame.position, ..Self::default() };
        if !collider.enabled {
            return placed;
        }
        let scale = lossy_scale(frame);
        match collider.shape {
            Shape::Sphere { radius, inside: false } => {
                Self { kind: Kind::Sphere, radius: radius * scale.max_element(), ..placed }
            }
            Shape::Sphere { radius, inside: true } => Self { kind: Kind::Sphere, inside: true, radius, ..placed },
            Shape::Capsule { radius, height, inside: false } => placed.capsule(frame, scale, radius, height),
            Shape::Capsule { radius, height, inside: true } => {
                Self { inside: true, ..placed.capsule(frame, scale, radius, height) }
            }
            Shape::Box { width, height, depth, inside: false } => placed.cuboid(frame, Vec3::new(width, height, depth)),
            Shape::Box { width, height, depth, inside: true } => {
                Self { inside: true, ..placed.cuboid(frame, Vec3::new(width, height, depth)) }
            }
            Shape::Cylinder { radius, height, inside: false } => placed.cylinder(frame, scale, radius, height),
            Shape::Cylinder { radius, height, inside: true } => {
                Self { inside: true, ..placed.cylinder(frame, scale, radius, height) }
            }
            Shape::Panel { .. } | Shape::Plane | Shape::Tapered { .. } => placed,
        }
    }

    /// As it looks; a convex mesh is measured by itself.
    pub(super) fn world(&self, frame: &Frame) -> WorldCollider {
        let (inside, radius) = (self.inside, self.radius);
        match self.kind {
            Kind::Off | Kind::Hull(_) => WorldCollider::Off,
            Kind::Sphere => WorldCollider::Sphere { center: self.at, radius, inside },
            Kind::Capsule => WorldCollider::Capsule { ends: [self.at, self.to], radii: [radius; 2], inside },
            Kind::Box => {
                let half = self.half * lossy_scale(frame);
                WorldCollider::Box { center: self.at, rotation: frame.rotation, half, inside }
            }
            Kind::Cylinder => {
                WorldCollider::Cylinder { center: self.at, axis: self.to, half: self.half.y, radius, inside }
            }
        }
    }

    /// A convex mesh, by its position and the middle of its bounds in the world.
    pub(super) fn hull(collider: &ColliderRest, margin: f32, hull: u32, middle: Vec3) -> Self {
        let kind = if collider.enabled { Kind::Hull(hull) } else { Kind::Off };
        Self { bone: collider.bone, kind, margin, at: middle, ..Self::default() }
    }

    /// The engine measures a capsule with its caps, which do not stretch: scale along the axis moves their middles.
    fn capsule(self, frame: &Frame, scale: Vec3, radius: f32, height: f32) -> Self {
        let scaled = radius * scale.x.max(scale.z);
        let half = (height * 0.5 + radius - scaled / scale.y).max(0.0);
        let end = |side: f32| frame.point(Vec3::Y * (height * 0.5 + side * half));
        Self { kind: Kind::Capsule, radius: scaled, at: end(-1.0), to: end(1.0), ..self }
    }

    fn cuboid(self, frame: &Frame, size: Vec3) -> Self {
        let linear = frame.linear();
        Self { kind: Kind::Box, half: size.abs() * 0.5, linear, inverse: inverse(&linear), ..self }
    }

    fn cylinder(self, frame: &Frame, scale: Vec3, radius: f32, height: f32) -> Self {
        let half = Vec3::Y * (height * 0.5 * scale.y);
        let to = frame.rotation * Vec3::Y;
        Self { kind: Kind::Cylinder, radius: radius * scale.x.max(scale.z), half, to, ..self }
    }
}

/// All that pushes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solids<'a> {
    pub(super) placed: &'a [Placed],
    pub(super) hulls: &'a [Hull],
    pub(super) corners: &'a [Vec3],
}

impl Solids<'_> {
    /// Where collider `at` leaves a ball of `radius` about `point` that is the particle of `bone`.
    #[inline]
    pub(super) fn push(&self, at: u32, bone: u32, point: Vec3, radius: f32) -> Vec3 {
        let placed = &self.placed[at as usize];
        if placed.bone == bone {
            return point;
        }
        let spacing = radius + placed.margin;
        let pushed = match (placed.kind, placed.inside) {
            (Kind::Off, _) => return point,
            (Kind::Sphere, false) => out_of_ball(point, placed.at, placed.radius + spacing),
            (Kind::Sphere, true) => into_ball(point, placed.at, placed.radius - spacing),
            (Kind::Capsule, inside) => capsule(placed, inside, point, spacing),
            (Kind::Box, inside) => cuboid(placed, inside, point, spacing),
            (Kind::Cylinder, inside) => cylinder(placed, inside, point, spacing),
            (Kind::Hull(hull), _) => self.hulls[hull as usize].push(self.corners, placed.at, point, spacing),
        };
        if pushed.is_finite() { pushed } else { point }
    }
}

#[inline]
fn out_of_ball(point: Vec3, middle: Vec3, radius: f32) -> Vec3 {
    let out = point - middle;
    if out.length_squared() < radius * radius && radius > 0.0 { middle + unit_or_zero(out) * radius } else { point }
}

/// With a ball that is thicker than the room, `radius` is below zero: it ends up on the other side.
fn into_ball(point: Vec3, middle: Vec3, radius: f32) -> Vec3 {
    let out = point - middle;
    if out.length() > radius { middle + unit_or_zero(out) * radius } else { point }
}

fn capsule(placed: &Placed, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let (axis, from) = (placed.to - placed.at, point - placed.at);
    let along = axis.dot(from);
    let ball = |middle| {
        if inside {
            into_ball(point, middle, placed.radius - spacing)
        } else {
            out_of_ball(point, middle, placed.radius + spacing)
        }
    };
    if along <= 0.0 {
        return ball(placed.at);
    }
    if along >= axis.length_squared() {
        return ball(placed.to);
    }
    let side = from - axis * (along / axis.length_squared());
    let out = if inside { placed.radius - spacing } else { placed.radius + spacing } - side.length();
    if (out > 0.0) != inside && out != 0.0 { point + unit_or_zero(side) * out } else { point }
}

fn cuboid(placed: &Placed, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let mut at = placed.inverse * (point - placed.at);
    let more = (placed.inverse * (DIAGONAL * spacing)).abs();
    if inside {
        let half = placed.half - more;
        let beyond = at.abs().cmpgt(half);
        if !beyond.any() {
            return point;
        }
        at = Vec3::select(beyond, at.signum() * half, at);
    } else {
        let half = placed.half + more;
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
    placed.at + placed.linear * at
}

fn cylinder(placed: &Placed, inside: bool, point: Vec3, spacing: f32) -> Vec3 {
    let more = if inside { -spacing } else { spacing };
    let from = point - placed.at;
    let along = placed.to * from.dot(placed.to);
    let side = from - along;
    let to_cap = placed.half.y + more - along.length();
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
    fn pushed(shape: Shape, local: &Trs, point: Vec3) -> Vec3 {
        let collider = ColliderRest { bone: 0, shape, enabled: true, renderer_on: true };
        let placed = [Placed::new(&collider, &Frame::WORLD.child(local), 0.01)];
        Solids { placed: &placed, hulls: &[], corners: &[] }.push(0, 7, point, 0.01)
    }

    #[track_caller]
    fn check(shape: Shape, point: [f32; 3], expected: [f32; 3]) {
        check_on(shape, &Trs::IDENTITY, point, expected);
    }

    #[track_caller]
    fn check_on(shape: Shape, local: &Trs, point: [f32; 3], expected: [f32; 3]) {
        let (found, expected) = (pushed(shape, local, Vec3::from(point)), Vec3::from(expected));
        assert!((found - expected).length() < 1e-5, "{shape:?} leaves {point:?} at {found}, not {expected}");
    }

    #[test]
    fn spheres_push_out_or_keep_in_and_their_middle_pushes_nowhere() {
        let ball = Shape::Sphere { radius: 0.1, inside: false };
        check(ball, [0.2, 0.0, 0.0], [0.2, 0.0, 0.0]);
        check(ball, [0.05, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(ball, [0.0; 3], [0.0; 3]);
        check(Shape::Sphere { radius: 0.1, inside: true }, [0.0, 0.3, 0.0], [0.0, 0.08, 0.0]);
        check(Shape::Sphere { radius: 0.1, inside: true }, [0.0, 0.03, 0.0], [0.0, 0.03, 0.0]);
    }

    #[test]
    fn spheres_follow_scale_but_rooms_in_spheres_do_not() {
        let large = Trs { scale: Vec3::new(1.0, 3.0, 2.0), ..Trs::IDENTITY };
        check_on(Shape::Sphere { radius: 0.1, inside: false }, &large, [0.2, 0.0, 0.0], [0.32, 0.0, 0.0]);
        check_on(Shape::Sphere { radius: 0.1, inside: true }, &large, [0.2, 0.0, 0.0], [0.08, 0.0, 0.0]);
    }

    #[test]
    fn capsules_push_from_their_axis_and_their_ends() {
        let rod = Shape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(rod, [0.05, 0.2, 0.0], [0.12, 0.2, 0.0]);
        check(rod, [0.0, 0.45, 0.0], [0.0, 0.52, 0.0]);
        check(rod, [0.0, -0.05, 0.0], [0.0, -0.12, 0.0]);
        check(rod, [0.3, 0.2, 0.0], [0.3, 0.2, 0.0]);
        let room = Shape::Capsule { radius: 0.1, height: 0.4, inside: true };
        check(room, [0.3, 0.2, 0.0], [0.08, 0.2, 0.0]);
        check(room, [0.05, 0.2, 0.0], [0.05, 0.2, 0.0]);
        check(room, [0.0, 0.7, 0.0], [0.0, 0.48, 0.0]);
    }

    #[test]
    fn a_capsule_keeps_its_caps_round_under_scale() {
        let flat = Trs { scale: Vec3::new(2.0, 0.5, 1.0), ..Trs::IDENTITY };
        // With caps it is 0.6 long at scale 1, so 0.3 here; the caps take 0.4, and nothing is left between them.
        check_on(Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &flat, [0.0, 0.2, 0.0], [0.0, 0.32, 0.0]);
        check_on(Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &flat, [0.05, 0.1, 0.0], [0.22, 0.1, 0.0]);
    }

    #[test]
    fn boxes_push_out_along_the_nearest_axis_and_rooms_clamp() {
        let block = Shape::Box { width: 0.2, height: 0.4, depth: 0.6, inside: false };
        check(block, [0.09, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(block, [0.0, -0.19, 0.1], [0.0, -0.22, 0.1]);
        check(block, [0.01, 0.05, 0.29], [0.01, 0.05, 0.32]);
        check(block, [0.13, 0.0, 0.0], [0.13, 0.0, 0.0]);
        let room = Shape::Box { width: 0.2, height: 0.4, depth: 0.6, inside: true };
        check(room, [0.5, -0.5, 0.1], [0.08, -0.18, 0.1]);
        check(room, [0.01, 0.02, 0.03], [0.01, 0.02, 0.03]);
    }

    #[test]
    fn a_turned_box_thickens_by_the_diagonal_as_it_sees_it() {
        // A quarter turn about Y brings the diagonal onto another one: the same. An eighth lays it along one axis.
        let quarter = Trs { rotation: Quat::from_rotation_y(std::f32::consts::FRAC_PI_2), ..Trs::IDENTITY };
        let block = Shape::Box { width: 0.2, height: 0.2, depth: 0.2, inside: false };
        check_on(block, &quarter, [0.09, 0.0, 0.0], [0.12, 0.0, 0.0]);
        let eighth = Quat::from_rotation_y(std::f32::consts::FRAC_PI_4);
        let turned = Trs { rotation: eighth, ..Trs::IDENTITY };
        let (x, z) = (eighth * Vec3::X, eighth * Vec3::Z);
        let found = |way: Vec3| pushed(block, &turned, way * 0.09).dot(way);
        let more = [found(x) - 0.1, found(z) - 0.1];
        assert!(more[0] > 0.028 - 1e-4 || more[1] > 0.028 - 1e-4, "{more:?}");
    }

    #[test]
    fn cylinders_push_to_the_nearer_of_side_and_cap() {
        let can = Shape::Cylinder { radius: 0.1, height: 0.6, inside: false };
        check(can, [0.08, 0.0, 0.0], [0.12, 0.0, 0.0]);
        check(can, [0.01, 0.29, 0.0], [0.01, 0.32, 0.0]);
        check(can, [0.2, 0.0, 0.0], [0.2, 0.0, 0.0]);
        let room = Shape::Cylinder { radius: 0.1, height: 0.6, inside: true };
        check(room, [0.2, 0.0, 0.0], [0.08, 0.0, 0.0]);
        check(room, [0.0, 0.4, 0.05], [0.0, 0.28, 0.05]);
        check(room, [0.02, 0.1, 0.0], [0.02, 0.1, 0.0]);
        let large = Trs { scale: Vec3::new(1.0, 2.0, 3.0), ..Trs::IDENTITY };
        check_on(can, &large, [0.25, 0.0, 0.0], [0.32, 0.0, 0.0]);
    }

    #[test]
    fn the_particle_of_a_colliders_own_bone_and_switched_off_shapes_are_left_alone() {
        let mut collider = ColliderRest {
            bone: 7,
            shape: Shape::Sphere { radius: 1.0, inside: false },
            enabled: true,
            renderer_on: true,
        };
        let push = |collider: &ColliderRest, bone| {
            let placed = [Placed::new(collider, &Frame::WORLD, 0.0)];
            Solids { placed: &placed, hulls: &[], corners: &[] }.push(0, bone, Vec3::X * 0.5, 0.01)
        };
        assert_eq!(push(&collider, 7), Vec3::X * 0.5);
        assert_eq!(push(&collider, 6), Vec3::X * 1.01);
        collider.enabled = false;
        assert_eq!(push(&collider, 6), Vec3::X * 0.5);
    }
}
