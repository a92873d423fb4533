//! Planar and spherical limits: planes, spheres to stay out of, and spheres to stay in.

use super::{Params, System};
use crate::math::Frame;
use crate::sim::ColliderShape;
use crate::sim::collider::WorldCollider;
use crate::sim::scene::ColliderRuntime;
use glam::Vec3;

/// How near a ball is to a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ContactDistance {
    /// Metres to go; below 0 the depth.
    pub distance: f32,
    /// The way out, unit length.
    pub normal: Vec3,
}

impl ContactDistance {
    /// Nothing near.
    pub(super) const NONE: Self = Self { distance: f32::MAX, normal: Vec3::ZERO };
}

/// Where a limit stands; nothing where it is off, of another shape, or nowhere.
pub(super) fn world_collider(collider: &ColliderRuntime, frame: &Frame, system: &System) -> WorldCollider {
    let (at, normal) = (frame.position, frame.rotation * Vec3::Z);
    let size = if frame.scaled { frame.linear().determinant().abs().cbrt() } else { 1.0 };
    let is_sound = collider.enabled && at.is_finite() && normal.is_finite();
    match collider.shape {
        ColliderShape::Plane if system.planar_limits && is_sound => WorldCollider::Plane { point: at, normal },
        ColliderShape::Sphere { radius, inside } if system.spherical_limits && is_sound => {
            let radius = radius.max(0.0) * size;
            if radius.is_finite() { WorldCollider::Sphere { center: at, radius, inside } } else { WorldCollider::Off }
        }
        _ => WorldCollider::Off,
    }
}

/// How near a ball about `center` is to a limit.
#[inline]
pub(super) fn contact_distance(limit: &WorldCollider, center: Vec3, ball: f32) -> ContactDistance {
    let near = match *limit {
        WorldCollider::Plane { point, normal } => {
            ContactDistance { distance: (center - point).dot(normal) - ball, normal }
        }
        WorldCollider::Sphere { center: at, radius, inside: false } => {
            let from = center - at;
            ContactDistance { distance: from.length() - radius - ball, normal: from.normalize_or(Vec3::Y) }
        }
        // With a ball thicker than the room the middle is as good as it gets.
        WorldCollider::Sphere { center: at, radius, inside: true } => {
            let from = center - at;
            ContactDistance {
                distance: (radius - ball).max(0.0) - from.length(),
                normal: (-from).normalize_or(Vec3::Y),
            }
        }
        _ => return ContactDistance::NONE,
    };
    if near.distance.is_finite() { near } else { ContactDistance::NONE }
}

/// The radius of what of a body meets limits, metres.
#[inline]
pub(super) fn collision_radius(params: &Params, size: f32) -> f32 {
    if params.collision_sphere.follows_scale {
        params.collision_sphere.radius * size
    } else {
        params.collision_sphere.radius
    }
}

/// By how much a frame scales lengths; 1 where that is no number, or nothing.
#[inline]
pub fn mean_scale(frame: &Frame) -> f32 {
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
    use crate::params::ParamSet;

    #[track_caller]
    fn check(shape: ColliderShape, center: Vec3, gap: f32, way: Vec3) {
        let system = bake::bake_system(|row| ParamSet::defaults(PARAMS).get(row));
        let collider = ColliderRuntime { bone: 0, shape, enabled: true, renderer_on: true };
        let near = contact_distance(&world_collider(&collider, &Frame::WORLD, &system), center, 0.05);
        assert!(
            (near.distance - gap).abs() < 1e-6 && (near.normal - way).length() < 1e-6,
            "{shape:?} at {center}: {near:?}"
        );
    }

    #[test]
    fn each_limit_returns_its_distance_and_normal() {
        check(ColliderShape::Plane, Vec3::new(3.0, 1.0, 0.2), 0.15, Vec3::Z);
        check(ColliderShape::Plane, Vec3::new(3.0, 1.0, -0.2), -0.25, Vec3::Z);
        check(ColliderShape::Sphere { radius: 0.1, inside: false }, Vec3::X * 0.12, -0.03, Vec3::X);
        check(ColliderShape::Sphere { radius: 0.1, inside: false }, Vec3::ZERO, -0.15, Vec3::Y);
        check(ColliderShape::Sphere { radius: 0.1, inside: true }, Vec3::X * 0.12, -0.07, Vec3::NEG_X);
        check(ColliderShape::Sphere { radius: 0.03, inside: true }, Vec3::X * 0.01, -0.01, Vec3::NEG_X);
    }

    #[test]
    fn unsupported_shapes_are_ignored() {
        check(ColliderShape::Capsule { radius: 0.1, height: 1.0, inside: false }, Vec3::ZERO, f32::MAX, Vec3::ZERO);
    }
}
