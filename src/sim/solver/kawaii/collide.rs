//! Contact of a point with one collider, in the space that both are in; lengths in metres.
//!
//! Radii do not feel the scale of the collider's node. Shapes that the engine does not have push nothing.

use super::super::super::scene::ColliderRuntime;
use super::MIN_LENGTH;
use crate::math::{Frame, closest_on_segment};
use crate::sim::ColliderShape;
use crate::sim::collider::{ContactSphere, SurfacePoint, WorldCollider};
use glam::{Quat, Vec3};

/// A collider ready for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum KawaiiCollider {
    /// Off, or none of the engine's.
    #[default]
    Off,
    /// What comes in is pushed out.
    Sphere { center: Vec3, radius: f32 },
    /// What goes out is pulled in.
    InsideSphere { center: Vec3, radius: f32 },
    /// Along a segment, its thickness changing evenly; `side` is where a point on its axis goes.
    Capsule { from: Vec3, to: Vec3, radius: f32, end_radius: f32, fallback_direction: Vec3 },
    /// A cuboid about `center`.
    Box { center: Vec3, rotation: Quat, half_extents: Vec3 },
    /// Everything in front of it, and behind it beyond the point's radius, is left alone.
    Plane { center: Vec3, normal: Vec3 },
}

impl KawaiiCollider {
    /// A collider in `space`, by the frame of its node in the world.
    pub(super) fn new(collider: &ColliderRuntime, frame: &Frame, space: &Frame) -> Self {
        let turn = space.rotation.inverse() * frame.rotation;
        let center = space.inverse_transform_point(frame.position);
        if !(collider.enabled && collider.renderer_on && center.is_finite() && turn.is_finite()) {
            return Self::Off;
        }
        let up = turn * Vec3::Y;
        let rod = |radius: f32, other: f32, height: f32| {
            let side = turn * Vec3::X;
            Self::Capsule {
                from: center,
                to: center + up * height,
                radius,
                end_radius: other,
                fallback_direction: side,
            }
        };
        match collider.shape {
            ColliderShape::Sphere { radius, inside: false } if radius > 0.0 => Self::Sphere { center, radius },
            ColliderShape::Sphere { radius, inside: true } if radius > 0.0 => Self::InsideSphere { center, radius },
            ColliderShape::Capsule { radius, height, inside: false } if radius > 0.0 && height > 0.0 => {
                rod(radius, radius, height)
            }
            ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false }
                if radius > 0.0 || tail_radius > 0.0 =>
            {
                if height > MIN_LENGTH {
                    rod(radius, tail_radius, height)
                } else {
                    rod(radius.max(tail_radius), radius.max(tail_radius), 0.0)
                }
            }
            ColliderShape::Box { width, height, depth, inside: false } => Self::Box {
                center,
                rotation: turn,
                half_extents: Vec3::new(width, height, depth).max(Vec3::ZERO) * 0.5,
            },
            ColliderShape::Plane => Self::Plane { center, normal: turn * Vec3::Z },
            _ => Self::Off,
        }
    }

    /// Where a point of that radius goes; `None` where it does not touch. `before` is where it was one step ago.
    #[inline]
    pub(super) fn push_out(&self, at: Vec3, before: Vec3, radius: f32) -> Option<Vec3> {
        match *self {
            Self::Off => None,
            Self::Sphere { center, radius: own } => push_out_of_sphere(at - center, own + radius).map(|at| center + at),
            Self::InsideSphere { center, radius: own } => {
                keep_in_sphere(at - center, (own - radius).max(0.0)).map(|at| center + at)
            }
            Self::Capsule { from, to, radius: own, end_radius: other, fallback_direction: side } => {
                let (closest, thick) = if own == other {
                    (closest_on_segment(at, from, to), own)
                } else {
                    let along = to - from;
                    let t = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                    (from + along * t, (own + (other - own) * t).max(0.0))
                };
                let reach = radius + thick;
                let offset = at - closest;
                (offset.length_squared() < reach * reach).then(|| closest + direction_or(offset, side) * reach)
            }
            Self::Box { center, rotation: turn, half_extents: half } => {
                let own = turn.inverse() * (at - center);
                push_out_of_box(own, half, radius).map(|own| center + turn * own)
            }
            Self::Plane { center, normal } => {
                let height = (at - center).dot(normal);
                let was = (before - center).dot(normal);
                // How far along its way from here back to there it meets the plane, with the engine's play.
                let t = height / (height - was);
                let crosses = t > -1e-4 && t < 1.0 + 1e-4;
                (height.abs() < radius || crosses).then(|| at - normal * height + normal * radius)
            }
        }
    }

    /// The surface that is nearest to a ball; `None` deep behind a plane, where the engine lets points be.
    pub(super) fn nearest_surface(&self, ball: &ContactSphere<'_>) -> Option<SurfacePoint> {
        let collider = match *self {
            Self::Off => WorldCollider::Off,
            Self::Sphere { center, radius } => WorldCollider::Sphere { center, radius, inside: false },
            Self::InsideSphere { center, radius } => WorldCollider::Sphere { center, radius, inside: true },
            Self::Capsule { from, to, radius, end_radius: other, .. } => {
                WorldCollider::Capsule { ends: [from, to], radii: [radius, other], inside: false }
            }
            Self::Box { center, rotation: turn, half_extents: half } => {
                WorldCollider::Box { center, rotation: turn, half_extents: half, inside: false }
            }
            Self::Plane { center, normal } => WorldCollider::Plane { point: center, normal },
        };
        let is_plane = matches!(self, Self::Plane { .. });
        collider
            .nearest_surface(ball.center)
            .filter(|surface| !is_plane || surface.distance > -ball.radius - ball.touch_distance)
    }
}

/// `offset` at length 1, as long as it has one.
#[inline]
fn direction_or(offset: Vec3, otherwise: Vec3) -> Vec3 {
    let length = offset.length();
    if length > MIN_LENGTH { offset / length } else { otherwise }
}

/// A point at the very center stays there.
#[inline]
fn push_out_of_sphere(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared > reach * reach {
        return None;
    }
    let length = squared.sqrt();
    (length > MIN_LENGTH).then(|| offset * (reach / length))
}

#[inline]
fn keep_in_sphere(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared < reach * reach {
        return None;
    }
    let length = squared.sqrt();
    Some(if length > MIN_LENGTH { offset * (reach / length) } else { Vec3::ZERO })
}

/// A center inside goes on from the box's center by its radius; the one at the very center takes the nearest face.
#[inline]
fn push_out_of_box(own: Vec3, half: Vec3, radius: f32) -> Option<Vec3> {
    let closest = own.clamp(-half, half);
    let out = own - closest;
    if out.length_squared() > radius * radius {
        return None;
    }
    let direction = if out.abs().max_element() > MIN_LENGTH {
        out
    } else if own.abs().max_element() > MIN_LENGTH {
        own
    } else {
        nearest_face(half - own.abs())
    };
    Some(closest + direction.normalize_or_zero() * radius)
}

fn nearest_face(depth: Vec3) -> Vec3 {
    if depth.x <= depth.y && depth.x <= depth.z {
        Vec3::X
    } else if depth.y <= depth.z {
        Vec3::Y
    } else {
        Vec3::Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::BoneId;
    use crate::sim::ColliderSetup;

    fn placed(shape: ColliderShape) -> KawaiiCollider {
        KawaiiCollider::new(&ColliderRuntime::new(&ColliderSetup::new(BoneId(0), shape)), &Frame::WORLD, &Frame::WORLD)
    }

    #[track_caller]
    fn check(shape: ColliderShape, at: Vec3, expected: Option<Vec3>) {
        let found = placed(shape).push_out(at, at, 0.02);
        let near = match (found, expected) {
            (Some(found), Some(expected)) => found.distance(expected) < 1e-6,
            (found, expected) => found == expected,
        };
        assert!(near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_points_out_and_an_inside_sphere_keeps_points_in() {
        let outer = ColliderShape::Sphere { radius: 0.1, inside: false };
        check(outer, Vec3::X * 0.05, Some(Vec3::X * 0.12));
        check(outer, Vec3::X * 0.13, None);
        check(outer, Vec3::ZERO, None);
        let inner = ColliderShape::Sphere { radius: 0.1, inside: true };
        check(inner, Vec3::Y * 0.05, None);
        check(inner, Vec3::Y * 0.5, Some(Vec3::Y * 0.08));
        check(ColliderShape::Sphere { radius: 0.01, inside: true }, Vec3::Y * 0.5, Some(Vec3::ZERO));
    }

    #[test]
    fn a_capsule_pushes_radially_and_along_its_x_from_a_point_on_its_axis() {
        let capsule = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(capsule, Vec3::new(0.0, 0.2, 0.01), Some(Vec3::new(0.0, 0.2, 0.12)));
        check(capsule, Vec3::new(0.0, 0.45, 0.0), Some(Vec3::new(0.0, 0.52, 0.0)));
        check(capsule, Vec3::new(0.0, 0.2, 0.0), Some(Vec3::new(0.12, 0.2, 0.0)));
        check(ColliderShape::Capsule { radius: 0.1, height: 0.0, inside: false }, Vec3::Y * 0.01, None);
    }

    #[test]
    fn a_tapered_capsule_collides_with_its_radius_at_the_contact() {
        let tapered = ColliderShape::TaperedCapsule { radius: 0.1, tail_radius: 0.02, height: 0.4, inside: false };
        check(tapered, Vec3::new(0.01, 0.2, 0.0), Some(Vec3::new(0.08, 0.2, 0.0)));
        check(tapered, Vec3::new(0.07, 0.4, 0.0), None);
        check(
            ColliderShape::TaperedCapsule { radius: 0.05, tail_radius: 0.1, height: 0.0, inside: false },
            Vec3::X * 0.01,
            Some(Vec3::X * 0.12),
        );
    }

    #[test]
    fn a_box_pushes_outside_points_through_the_nearest_face_and_inside_points_away_from_the_center() {
        let block = ColliderShape::Box { width: 0.2, height: 0.4, depth: 0.2, inside: false };
        check(block, Vec3::new(0.11, 0.1, 0.0), Some(Vec3::new(0.12, 0.1, 0.0)));
        let inside = Vec3::new(0.03, 0.04, 0.0);
        check(block, inside, Some(inside + inside.normalize() * 0.02));
        check(block, Vec3::ZERO, Some(Vec3::X * 0.02));
        check(block, Vec3::X * 0.13, None);
    }

    #[test]
    fn a_plane_stops_points_that_crossed_it_in_this_step_and_ignores_points_deep_behind() {
        let plane = placed(ColliderShape::Plane);
        check(ColliderShape::Plane, Vec3::new(0.3, 0.0, 0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check(ColliderShape::Plane, Vec3::new(0.3, 0.0, -0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check(ColliderShape::Plane, Vec3::new(0.0, 0.0, -0.5), None);
        let through = plane.push_out(Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.1), 0.02);
        assert_eq!(through, Some(Vec3::new(0.0, 0.0, 0.02)));
    }

    #[test]
    fn unsupported_and_disabled_colliders_push_nothing() {
        for shape in [
            ColliderShape::Cylinder { radius: 1.0, height: 1.0, inside: false },
            ColliderShape::Box { width: 0.1, height: 0.1, depth: 0.1, inside: true },
        ] {
            check(shape, Vec3::ZERO, None);
        }
        let mut off = ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 1.0, inside: false });
        off.enabled = false;
        assert_eq!(KawaiiCollider::new(&ColliderRuntime::new(&off), &Frame::WORLD, &Frame::WORLD), KawaiiCollider::Off);
    }
}
