//! A collider as it stands in the world, for solvers that meet it by [`push`].

use super::push;
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::scene::{ColliderRest, Overlap};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: a solved contact is no overlap but for rounding.
const TOUCH: f32 = 1e-4;

/// What pushes a ball, metres in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::sim) enum Solid {
    /// Nothing.
    #[default]
    Off,
    /// A ball.
    Sphere(Vec3, f32),
    /// The room in a ball.
    InsideSphere(Vec3, f32),
    /// Between two ends, with a thickness at each.
    Capsule([Vec3; 2], [f32; 2]),
    /// The room in such a capsule.
    InsideCapsule([Vec3; 2], [f32; 2]),
    /// A point, and the unit normal of the open side.
    Plane(Vec3, Vec3),
}

impl Solid {
    /// Where a collider stands on its bone; radii follow the largest scale of any axis. Nothing for panels, boxes and
    /// cylinders, which position-based solvers do not know, and for what stands nowhere.
    pub(in crate::sim) fn new(collider: &ColliderRest, frame: &Frame) -> Self {
        if !(collider.enabled && collider.renderer_on) {
            return Self::Off;
        }
        let scale = if frame.scaled { largest_scale(frame) } else { 1.0 };
        let (at, end) = (frame.position, |height| [frame.position, frame.point(Vec3::Y * height)]);
        let solid = match collider.shape {
            Shape::Sphere { radius } => Self::Sphere(at, radius * scale),
            Shape::InsideSphere { radius } => Self::InsideSphere(at, radius * scale),
            Shape::Capsule { radius, height } => Self::Capsule(end(height), [radius * scale; 2]),
            Shape::InsideCapsule { radius, height } => Self::InsideCapsule(end(height), [radius * scale; 2]),
            Shape::Tapered { radius, tail_radius, height } => {
                Self::Capsule(end(height), [radius * scale, tail_radius * scale])
            }
            Shape::InsideTapered { radius, tail_radius, height } => {
                Self::InsideCapsule(end(height), [radius * scale, tail_radius * scale])
            }
            Shape::Plane => Self::Plane(at, front(frame)),
            Shape::Panel { .. }
            | Shape::Box { .. }
            | Shape::InsideBox { .. }
            | Shape::Cylinder { .. }
            | Shape::InsideCylinder { .. } => Self::Off,
        };
        if solid.is_finite() { solid } else { Self::Off }
    }

    fn is_finite(self) -> bool {
        match self {
            Self::Off => true,
            Self::Sphere(at, radius) | Self::InsideSphere(at, radius) => at.is_finite() && radius.is_finite(),
            Self::Capsule(ends, radii) | Self::InsideCapsule(ends, radii) => {
                ends.iter().all(|e| e.is_finite()) && radii.iter().all(|r| r.is_finite())
            }
            Self::Plane(at, normal) => at.is_finite() && normal.is_finite(),
        }
    }

    /// Where a ball of `radius` at `point` goes; `None` where it touches nothing.
    #[inline]
    pub(in crate::sim) fn push(&self, point: Vec3, radius: f32) -> Option<Vec3> {
        match *self {
            Self::Off => None,
            Self::Sphere(center, solid) => push::sphere(point, radius, center, solid),
            Self::InsideSphere(center, room) => push::inside_sphere(point, radius, center, room),
            Self::Capsule(ends, solid) => push::tapered_capsule(point, radius, ends, solid),
            Self::InsideCapsule(ends, room) => push::inside_tapered_capsule(point, radius, ends, room),
            Self::Plane(center, normal) => push::plane(point, radius, center, normal),
        }
    }

    /// How deep a ball of `radius` at `tip` is in it, as the windows show it.
    pub(in crate::sim) fn overlap(&self, tip: Vec3, radius: f32, collider: u32) -> Option<Overlap> {
        let out = self.push(tip, radius + TOUCH)? - tip;
        let depth = out.length() - TOUCH;
        let point = tip + push::direction(out)? * (depth - radius);
        Some(Overlap { collider: Some(collider), depth: depth.max(0.0), point })
    }
}

/// The same for level ground at `height`.
pub(in crate::sim) fn ground_overlap(tip: Vec3, radius: f32, height: f32) -> Option<Overlap> {
    let depth = height + radius - tip.y;
    (depth > -TOUCH).then(|| Overlap { collider: None, depth: depth.max(0.0), point: tip.with_y(height) })
}

/// The largest factor along any axis, as Unity's lossy scale has it.
fn largest_scale(frame: &Frame) -> f32 {
    let linear = frame.linear();
    linear.x_axis.length().max(linear.y_axis.length()).max(linear.z_axis.length())
}

/// Where +Z points, square to the plane's own X and Y however it is scaled.
fn front(frame: &Frame) -> Vec3 {
    if !frame.scaled {
        return frame.rotation * Vec3::Z;
    }
    let linear = frame.linear();
    let cross = linear.x_axis.cross(linear.y_axis);
    (cross * linear.determinant().signum()).normalize_or(frame.rotation * Vec3::Z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use glam::Quat;

    fn solid(shape: Shape, local: &Trs) -> Solid {
        let collider = ColliderRest { bone: 0, shape, enabled: true, renderer_on: true };
        Solid::new(&collider, &Frame::WORLD.child(local))
    }

    #[test]
    fn a_radius_follows_the_largest_scale() {
        let local = Trs { translation: Vec3::X, rotation: Quat::IDENTITY, scale: Vec3::new(0.5, -3.0, 1.0) };
        assert_eq!(solid(Shape::Sphere { radius: 0.1 }, &local), Solid::Sphere(Vec3::X, 0.3));
    }

    #[test]
    fn every_shape_that_can_push_does_and_the_others_are_nothing() {
        for shape in Shape::ALL.into_iter().chain(Shape::OF_VRM).chain(Shape::OF_OTHERS) {
            let flat = !crate::sim::SolverKind::PbdSpringBone.info().supports(&shape);
            let solid = solid(shape, &Trs::IDENTITY);
            assert_eq!(solid == Solid::Off, flat, "{}", shape.name());
            let point = if shape.name().starts_with("Inside") { Vec3::X * 9.0 } else { Vec3::new(0.01, 0.1, -0.01) };
            assert_eq!(solid.push(point, 0.02).is_none(), flat, "{}", shape.name());
        }
    }

    #[test]
    fn what_is_off_or_nowhere_is_nothing() {
        let shape = Shape::Sphere { radius: 0.1 };
        for (enabled, renderer_on) in [(false, true), (true, false)] {
            let collider = ColliderRest { bone: 0, shape, enabled, renderer_on };
            assert_eq!(Solid::new(&collider, &Frame::WORLD), Solid::Off);
        }
        assert_eq!(solid(shape, &Trs::from_translation(Vec3::X * f32::INFINITY)), Solid::Off);
    }

    #[test]
    fn an_overlap_is_as_deep_as_the_way_out() {
        let ball = solid(Shape::Sphere { radius: 0.1 }, &Trs::IDENTITY);
        let found = ball.overlap(Vec3::X * 0.08, 0.05, 3).expect("they meet");
        assert!((found.depth - 0.07).abs() < 1e-6 && (found.point - Vec3::X * 0.1).length() < 1e-6, "{found:?}");
        assert_eq!(ball.overlap(Vec3::X * 0.2, 0.05, 3), None);
        let stands = ground_overlap(Vec3::Y * 0.25, 0.05, 0.2).expect("it touches");
        assert!(stands.depth < 1e-6 && stands.point == Vec3::Y * 0.2);
        assert_eq!(ground_overlap(Vec3::Y * 0.3, 0.05, 0.2), None);
    }
}
