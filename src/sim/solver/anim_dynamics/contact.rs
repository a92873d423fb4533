//! Planar and spherical limits: planes, spheres to stay out of, and spheres to stay in.

use super::{Params, Rest, System};
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::scene::{ColliderRest, Overlap, Still};
use glam::Vec3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Off,
    Plane,
    Outer,
    Inner,
}

/// A limit in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placed {
    kind: Kind,
    at: Vec3,
    normal: Vec3,
    radius: f32,
}

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

impl Placed {
    /// Where a limit stands; nothing where it is off, of another shape, or nowhere.
    pub(super) fn new(collider: &ColliderRest, frame: &Frame, system: &System) -> Self {
        let (kind, radius) = match collider.shape {
            Shape::Plane if system.planes => (Kind::Plane, 0.0),
            Shape::Sphere { radius } if system.spheres => (Kind::Outer, radius),
            Shape::InsideSphere { radius } if system.spheres => (Kind::Inner, radius),
            _ => (Kind::Off, 0.0),
        };
        let (at, normal) = (frame.position, frame.rotation * Vec3::Z);
        let size = if frame.scaled { frame.linear().determinant().abs().cbrt() } else { 1.0 };
        let radius = radius.max(0.0) * size;
        if !collider.enabled || !at.is_finite() || !normal.is_finite() || !radius.is_finite() {
            return Self::default();
        }
        Self { kind, at, normal, radius }
    }

    /// How near a ball about `center` is.
    #[inline]
    pub(super) fn near(&self, center: Vec3, ball: f32) -> Near {
        if self.kind == Kind::Off {
            return Near::NOTHING;
        }
        let from = center - self.at;
        let distance = from.length();
        let near = match self.kind {
            Kind::Plane => Near { gap: from.dot(self.normal) - ball, way: self.normal },
            Kind::Outer => Near { gap: distance - self.radius - ball, way: from.normalize_or(Vec3::Y) },
            // With a ball thicker than the room the middle is as good as it gets.
            _ => Near { gap: (self.radius - ball).max(0.0) - distance, way: (-from).normalize_or(Vec3::Y) },
        };
        if near.gap.is_finite() { near } else { Near::NOTHING }
    }
}

/// The radius of what of a body meets limits, metres.
#[inline]
pub(super) fn ball(params: &Params, size: f32) -> f32 {
    if params.ball.of_box { params.ball.radius * size } else { params.ball.radius }
}

/// Tells `found` of each limit that a joint's body overlaps or touches.
pub(super) fn overlaps(
    rest: &Rest,
    joint: usize,
    params: &Params,
    system: &System,
    still: Still<'_>,
    mut found: impl FnMut(Overlap),
) {
    let joint = &rest.joints[joint];
    let frame = &still.frames[joint.bone as usize];
    let size = size(frame);
    let (center, _) = system.stands(params.offset, size);
    let (center, ball) = (frame.position + frame.rotation * center, ball(params, size));
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        let collider = &still.colliders[*id as usize];
        let placed = Placed::new(collider, &still.frames[collider.bone as usize], system);
        let near = placed.near(center, ball);
        // Rounding parts what was put right on the surface.
        if near.gap <= 1e-5 {
            let point = center - near.way * (near.gap + ball);
            found(Overlap { collider: Some(*id), depth: (-near.gap).max(0.0), point });
        }
    }
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
        let near = Placed::new(&collider, &Frame::WORLD, &system).near(center, 0.05);
        assert!((near.gap - gap).abs() < 1e-6 && (near.way - way).length() < 1e-6, "{shape:?} at {center}: {near:?}");
    }

    #[test]
    fn each_limit_tells_the_gap_and_the_way_out() {
        check(Shape::Plane, Vec3::new(3.0, 1.0, 0.2), 0.15, Vec3::Z);
        check(Shape::Plane, Vec3::new(3.0, 1.0, -0.2), -0.25, Vec3::Z);
        check(Shape::Sphere { radius: 0.1 }, Vec3::X * 0.12, -0.03, Vec3::X);
        check(Shape::Sphere { radius: 0.1 }, Vec3::ZERO, -0.15, Vec3::Y);
        check(Shape::InsideSphere { radius: 0.1 }, Vec3::X * 0.12, -0.07, Vec3::NEG_X);
        check(Shape::InsideSphere { radius: 0.03 }, Vec3::X * 0.01, -0.01, Vec3::NEG_X);
    }

    #[test]
    fn shapes_that_the_engine_has_not_are_nothing() {
        check(Shape::Capsule { radius: 0.1, height: 1.0 }, Vec3::ZERO, f32::MAX, Vec3::ZERO);
    }
}
