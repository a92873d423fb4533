//! Contact of a point with one collider, in the space that both are in; lengths in metres.
//!
//! Radii do not feel the scale of the collider's node. Shapes that the engine does not have push nothing.

use super::super::super::scene::ColliderRest;
use super::NOWHERE;
use crate::math::{Frame, closest_on_segment};
use crate::sim::Shape;
use crate::sim::collider::{ContactBall, Surface, WorldCollider};
use glam::{Quat, Vec3};

/// A collider ready for a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Placed {
    /// Off, or none of the engine's.
    #[default]
    Nothing,
    /// What comes in is pushed out.
    Ball { center: Vec3, radius: f32 },
    /// What goes out is pulled in.
    Hollow { center: Vec3, radius: f32 },
    /// Along a segment, its thickness changing evenly; `side` is where a point on its axis goes.
    Rod { from: Vec3, to: Vec3, radius: f32, other: f32, side: Vec3 },
    /// A cuboid about `center`.
    Block { center: Vec3, turn: Quat, half: Vec3 },
    /// Everything in front of it, and behind it beyond the point's radius, is left alone.
    Plane { center: Vec3, normal: Vec3 },
}

impl Placed {
    /// A collider in `space`, by the frame of its node in the world.
    pub(super) fn new(collider: &ColliderRest, frame: &Frame, space: &Frame) -> Self {
        let turn = space.rotation.inverse() * frame.rotation;
        let center = space.inverse_point(frame.position);
        if !(collider.enabled && collider.renderer_on && center.is_finite() && turn.is_finite()) {
            return Self::Nothing;
        }
        let up = turn * Vec3::Y;
        let rod = |radius: f32, other: f32, height: f32| {
            let side = turn * Vec3::X;
            Self::Rod { from: center, to: center + up * height, radius, other, side }
        };
        match collider.shape {
            Shape::Sphere { radius, inside: false } if radius > 0.0 => Self::Ball { center, radius },
            Shape::Sphere { radius, inside: true } if radius > 0.0 => Self::Hollow { center, radius },
            Shape::Capsule { radius, height, inside: false } if radius > 0.0 && height > 0.0 => {
                rod(radius, radius, height)
            }
            Shape::Tapered { radius, tail_radius, height, inside: false } if radius > 0.0 || tail_radius > 0.0 => {
                if height > NOWHERE {
                    rod(radius, tail_radius, height)
                } else {
                    rod(radius.max(tail_radius), radius.max(tail_radius), 0.0)
                }
            }
            Shape::Box { width, height, depth, inside: false } => {
                Self::Block { center, turn, half: Vec3::new(width, height, depth).max(Vec3::ZERO) * 0.5 }
            }
            Shape::Plane => Self::Plane { center, normal: turn * Vec3::Z },
            _ => Self::Nothing,
        }
    }

    /// Where a point of that radius goes; `None` where it does not touch. `before` is where it was one step ago.
    #[inline]
    pub(super) fn push(&self, at: Vec3, before: Vec3, radius: f32) -> Option<Vec3> {
        match *self {
            Self::Nothing => None,
            Self::Ball { center, radius: own } => out_of_ball(at - center, own + radius).map(|at| center + at),
            Self::Hollow { center, radius: own } => {
                into_ball(at - center, (own - radius).max(0.0)).map(|at| center + at)
            }
            Self::Rod { from, to, radius: own, other, side } => {
                let (closest, thick) = if own == other {
                    (closest_on_segment(at, from, to), own)
                } else {
                    let along = to - from;
                    let t = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                    (from + along * t, (own + (other - own) * t).max(0.0))
                };
                let reach = radius + thick;
                let offset = at - closest;
                (offset.length_squared() < reach * reach).then(|| closest + offset_or(offset, side) * reach)
            }
            Self::Block { center, turn, half } => {
                let own = turn.inverse() * (at - center);
                out_of_block(own, half, radius).map(|own| center + turn * own)
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
    pub(super) fn surface(&self, ball: &ContactBall<'_>) -> Option<Surface> {
        let collider = match *self {
            Self::Nothing => WorldCollider::Off,
            Self::Ball { center, radius } => WorldCollider::Sphere { center, radius, inside: false },
            Self::Hollow { center, radius } => WorldCollider::Sphere { center, radius, inside: true },
            Self::Rod { from, to, radius, other, .. } => {
                WorldCollider::Capsule { ends: [from, to], radii: [radius, other], inside: false }
            }
            Self::Block { center, turn, half } => WorldCollider::Box { center, rotation: turn, half, inside: false },
            Self::Plane { center, normal } => WorldCollider::Plane { point: center, normal },
        };
        let is_plane = matches!(self, Self::Plane { .. });
        collider.surface(ball.center).filter(|surface| !is_plane || surface.distance > -ball.radius - ball.touch)
    }
}

/// `offset` at length 1, as long as it has one.
#[inline]
fn offset_or(offset: Vec3, otherwise: Vec3) -> Vec3 {
    let length = offset.length();
    if length > NOWHERE { offset / length } else { otherwise }
}

/// A point at the very center stays there.
#[inline]
fn out_of_ball(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared > reach * reach {
        return None;
    }
    let length = squared.sqrt();
    (length > NOWHERE).then(|| offset * (reach / length))
}

#[inline]
fn into_ball(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared < reach * reach {
        return None;
    }
    let length = squared.sqrt();
    Some(if length > NOWHERE { offset * (reach / length) } else { Vec3::ZERO })
}

/// A center inside goes on from the box's center by its radius; the one at the very center takes the nearest face.
#[inline]
fn out_of_block(own: Vec3, half: Vec3, radius: f32) -> Option<Vec3> {
    let closest = own.clamp(-half, half);
    let out = own - closest;
    if out.length_squared() > radius * radius {
        return None;
    }
    let direction = if out.abs().max_element() > NOWHERE {
        out
    } else if own.abs().max_element() > NOWHERE {
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

    fn placed(shape: Shape) -> Placed {
        Placed::new(&ColliderRest::new(&ColliderSetup::new(BoneId(0), shape)), &Frame::WORLD, &Frame::WORLD)
    }

    #[track_caller]
    fn check(shape: Shape, at: Vec3, expected: Option<Vec3>) {
        let found = placed(shape).push(at, at, 0.02);
        let near = match (found, expected) {
            (Some(found), Some(expected)) => found.distance(expected) < 1e-6,
            (found, expected) => found == expected,
        };
        assert!(near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_out_and_its_inside_pulls_in() {
        let outer = Shape::Sphere { radius: 0.1, inside: false };
        check(outer, Vec3::X * 0.05, Some(Vec3::X * 0.12));
        check(outer, Vec3::X * 0.13, None);
        check(outer, Vec3::ZERO, None);
        let inner = Shape::Sphere { radius: 0.1, inside: true };
        check(inner, Vec3::Y * 0.05, None);
        check(inner, Vec3::Y * 0.5, Some(Vec3::Y * 0.08));
        check(Shape::Sphere { radius: 0.01, inside: true }, Vec3::Y * 0.5, Some(Vec3::ZERO));
    }

    #[test]
    fn a_capsule_pushes_sideways_and_roundly_and_along_its_x_from_its_axis() {
        let capsule = Shape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(capsule, Vec3::new(0.0, 0.2, 0.01), Some(Vec3::new(0.0, 0.2, 0.12)));
        check(capsule, Vec3::new(0.0, 0.45, 0.0), Some(Vec3::new(0.0, 0.52, 0.0)));
        check(capsule, Vec3::new(0.0, 0.2, 0.0), Some(Vec3::new(0.12, 0.2, 0.0)));
        check(Shape::Capsule { radius: 0.1, height: 0.0, inside: false }, Vec3::Y * 0.01, None);
    }

    #[test]
    fn a_tapered_capsule_is_as_thick_as_where_it_is_touched() {
        let tapered = Shape::Tapered { radius: 0.1, tail_radius: 0.02, height: 0.4, inside: false };
        check(tapered, Vec3::new(0.01, 0.2, 0.0), Some(Vec3::new(0.08, 0.2, 0.0)));
        check(tapered, Vec3::new(0.07, 0.4, 0.0), None);
        check(
            Shape::Tapered { radius: 0.05, tail_radius: 0.1, height: 0.0, inside: false },
            Vec3::X * 0.01,
            Some(Vec3::X * 0.12),
        );
    }

    #[test]
    fn a_box_pushes_across_its_nearest_face_but_from_within_along_its_middle() {
        let block = Shape::Box { width: 0.2, height: 0.4, depth: 0.2, inside: false };
        check(block, Vec3::new(0.11, 0.1, 0.0), Some(Vec3::new(0.12, 0.1, 0.0)));
        let inside = Vec3::new(0.03, 0.04, 0.0);
        check(block, inside, Some(inside + inside.normalize() * 0.02));
        check(block, Vec3::ZERO, Some(Vec3::X * 0.02));
        check(block, Vec3::X * 0.13, None);
    }

    #[test]
    fn a_plane_catches_what_passed_it_in_one_step_and_lets_be_what_is_deep_behind() {
        let plane = placed(Shape::Plane);
        check(Shape::Plane, Vec3::new(0.3, 0.0, 0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check(Shape::Plane, Vec3::new(0.3, 0.0, -0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check(Shape::Plane, Vec3::new(0.0, 0.0, -0.5), None);
        let through = plane.push(Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.1), 0.02);
        assert_eq!(through, Some(Vec3::new(0.0, 0.0, 0.02)));
    }

    #[test]
    fn what_the_engine_does_not_have_pushes_nothing() {
        for shape in [
            Shape::Cylinder { radius: 1.0, height: 1.0, inside: false },
            Shape::Box { width: 0.1, height: 0.1, depth: 0.1, inside: true },
        ] {
            check(shape, Vec3::ZERO, None);
        }
        let mut off = ColliderSetup::new(BoneId(0), Shape::Sphere { radius: 1.0, inside: false });
        off.enabled = false;
        assert_eq!(Placed::new(&ColliderRest::new(&off), &Frame::WORLD, &Frame::WORLD), Placed::Nothing);
    }
}
