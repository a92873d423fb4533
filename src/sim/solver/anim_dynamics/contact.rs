//! Planar and spherical limits: planes, spheres to stay out of, and spheres to stay in.

use super::{Params, System};
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::collider::WorldCollider;
use crate::sim::scene::ColliderRest;
use glam::Vec3;

/// How near a ball is to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Near {
    /// Metres to go; below 0 the depth.
    pub gap: f32,
    /// The way out, unit length.
    pub way: Vec3,
}

impl Near {
    /// Nothing near.
    pub(super) const NOTHING: Self = Self { gap: f32::MAX, way: Vec3::ZERO };
}

/// Where a limit stands; nothing where it is off, of another shape, or nowhere.
pub(super) fn placed(collider: &ColliderRest, frame: &Frame, system: &System) -> WorldCollider {
    let (at, normal) = (frame.position, frame.rotation * Vec3::Z);
    let size = if frame.scaled { frame.linear().determinant().abs().cbrt() } else { 1.0 };
    let is_sound = collider.enabled && at.is_finite() && normal.is_finite();
    match collider.shape {
        Shape::Plane if system.planes && is_sound => WorldCollider::Plane { point: at, normal },
        Shape::Sphere { radius, inside } if system.spheres && is_sound => {
            let radius = radius.max(0.0) * size;
            if radius.is_finite() { WorldCollider::Sphere { center: at, radius, inside } } else { WorldCollider::Off }
        }
        _ => WorldCollider::Off,
    }
}

/// How near a ball about `center` is to a limit.
#[inline]
pub(super) fn near(limit: &WorldCollider, center: Vec3, ball: f32) -> Near {
    let near = match *limit {
        WorldCollider::Plane { point, normal } => Near { gap: (center - point).dot(normal) - ball, way: normal },
        WorldCollider::Sphere { center: at, radius, inside: false } => {
            let from = center - at;
            Near { gap: from.length() - radius - ball, way: from.normalize_or(Vec3::Y) }
        }
        // With a ball thicker than the room the middle is as good as it gets.
        WorldCollider::Sphere { center: at, radius, inside: true } => {
            let from = center - at;
            Near { gap: (radius - ball).max(0.0) - from.length(), way: (-from).normalize_or(Vec3::Y) }
        }
        _ => return Near::NOTHING,
    };
    if near.gap.is_finite() { near } else { Near::NOTHING }
}

/// The radius of what of a body meets limits, metres.
#[inline]
pub(super) fn ball(params: &Params, size: f32) -> f32 {
    if params.ball.of_box { params.ball.radius * size } else { params.ball.radius }
}

/// By how much a frame scales lengths; 1 where that is no number, or nothing.
#[inline]
pub fn size(frame: &Frame) -> f32 {
    if !frame.scaled {
        return 1.0;
    }
    let size = frame.linear().determinant().abs().cbrt();
    if (1e-6..1e6).contains(&size) { size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::super::{PARAMS, bake};
    use super::*;
    use crate::schema::ParamSet;

    #[track_caller]
    fn check(shape: Shape, center: Vec3, gap: f32, way: Vec3) {
        let system = bake::system(|row| ParamSet::defaults(PARAMS).get(row));
        let collider = ColliderRest { bone: 0, shape, enabled: true, renderer_on: true };
        let near = near(&placed(&collider, &Frame::WORLD, &system), center, 0.05);
        assert!((near.gap - gap).abs() < 1e-6 && (near.way - way).length() < 1e-6, "{shape:?} at {center}: {near:?}");
    }

    #[test]
    fn each_limit_tells_the_gap_and_the_way_out() {
        check(Shape::Plane, Vec3::new(3.0, 1.0, 0.2), 0.15, Vec3::Z);
        check(Shape::Plane, Vec3::new(3.0, 1.0, -0.2), -0.25, Vec3::Z);
        check(Shape::Sphere { radius: 0.1, inside: false }, Vec3::X * 0.12, -0.03, Vec3::X);
        check(Shape::Sphere { radius: 0.1, inside: false }, Vec3::ZERO, -0.15, Vec3::Y);
        check(Shape::Sphere { radius: 0.1, inside: true }, Vec3::X * 0.12, -0.07, Vec3::NEG_X);
        check(Shape::Sphere { radius: 0.03, inside: true }, Vec3::X * 0.01, -0.01, Vec3::NEG_X);
    }

    #[test]
    fn shapes_that_the_engine_has_not_are_nothing() {
        check(Shape::Capsule { radius: 0.1, height: 1.0, inside: false }, Vec3::ZERO, f32::MAX, Vec3::ZERO);
    }
}
