//! Colliders in world space, and the penetration depth of a tip.

use super::{PreviewRuntime, System};
use crate::ColliderShape;
use crate::collider::{WorldCollider, max_scale};
use crate::math::{Frame, closest_on_segment};
use crate::step_pose::ColliderRuntime;
use glam::Vec3;

/// Offsets shorter than this length, in metres, have no direction because their squares underflow.
pub(super) const MIN_LENGTH: f32 = 1e-18;

/// A collider in world space; `Off` for shapes that VRM does not support.
pub(super) fn world_collider(collider: &ColliderRuntime, frame: &Frame, system: System) -> WorldCollider {
    if !collider.enabled {
        return WorldCollider::Off;
    }
    let univrm = system.preview == PreviewRuntime::UniVrm;
    let followed = if univrm && !collider.shape.is_inside() { max_scale(frame) } else { 1.0 };
    let at = frame.position;
    match collider.shape {
        ColliderShape::Sphere { radius, inside } => {
            WorldCollider::Sphere { center: at, radius: radius * followed * system.model_scale, inside }
        }
        ColliderShape::Capsule { radius, height, inside } => {
            let ends = [at, frame.transform_point(Vec3::Y * height)];
            WorldCollider::Capsule { ends, radii: [radius * followed * system.model_scale; 2], inside }
        }
        ColliderShape::Plane => WorldCollider::Plane { point: at, normal: plane_normal(frame) },
        _ => WorldCollider::Off,
    }
}

pub(super) const fn is_inside_or_plane(collider: &WorldCollider) -> bool {
    use WorldCollider::{Capsule, Plane, Sphere};
    matches!(collider, Sphere { inside: true, .. } | Capsule { inside: true, .. } | Plane { .. })
}

/// Penetration depth of a sphere of `radius` at `tip`, in metres, and the direction out of the collider; `None`
/// without contact. A capsule acts as a sphere at the point of its axis that is nearest to `probe`.
#[inline]
pub(super) fn penetration(collider: &WorldCollider, tip: Vec3, radius: f32, probe: Vec3) -> Option<(f32, Vec3)> {
    let (from_middle, own, inside) = match *collider {
        WorldCollider::Sphere { center, radius, inside } => (tip - center, radius, inside),
        WorldCollider::Capsule { ends: [from, to], radii: [own, _], inside } => {
            (tip - closest_on_segment(probe, from, to), own, inside)
        }
        WorldCollider::Plane { point, normal } => {
            let depth = radius - (tip - point).dot(normal);
            return (depth > 0.0).then_some((depth, normal));
        }
        _ => return None,
    };
    if inside {
        inside_sphere_penetration(from_middle, own - radius)
    } else {
        sphere_penetration(from_middle, own + radius)
    }
}

/// Penetration of a sphere of radius `reach`. The contact pushes the tip out.
#[inline]
fn sphere_penetration(from_middle: Vec3, reach: f32) -> Option<(f32, Vec3)> {
    let squared = from_middle.length_squared();
    if squared >= reach * reach || reach <= 0.0 {
        return None;
    }
    let distance = squared.sqrt();
    // Differs from three-vrm, which divides by zero at the center. Any direction is valid at the center.
    let way = if distance > MIN_LENGTH { from_middle / distance } else { Vec3::NEG_Z };
    Some((reach - distance, way))
}

/// Penetration of the surface of an inside sphere, which pushes the tip back in. `room` is the radius left for the
/// tip's center; it is negative if the tip is larger than the sphere.
#[inline]
fn inside_sphere_penetration(from_middle: Vec3, room: f32) -> Option<(f32, Vec3)> {
    let squared = from_middle.length_squared();
    if room >= 0.0 && squared <= room * room {
        return None;
    }
    let distance = squared.sqrt();
    // Differs from three-vrm, which divides by zero at the center. No correction is needed at the center.
    (distance > MIN_LENGTH).then(|| (distance - room, -from_middle / distance))
}

/// The normal of a plane; unit length, or zero for a degenerate frame.
fn plane_normal(frame: &Frame) -> Vec3 {
    if frame.scaled {
        let linear = frame.linear();
        // The inverse transpose except for a factor. Of the factor, only the sign matters.
        let cross = linear.x_axis.cross(linear.y_axis);
        (cross * linear.determinant().signum()).normalize_or_zero()
    } else {
        frame.rotation * Vec3::Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::test_support;
    use glam::Quat;

    const PLAIN: System = System { preview: PreviewRuntime::Specification, is_vrm0: false, model_scale: 1.0 };

    fn world_collider(shape: ColliderShape, local: &Trs, system: System) -> WorldCollider {
        let collider = test_support::collider(shape);
        super::world_collider(&collider, &Frame::WORLD.child(local), system)
    }

    #[track_caller]
    fn check(shape: ColliderShape, tip: Vec3, expected: Option<(f32, Vec3)>) {
        let found = penetration(&world_collider(shape, &Trs::IDENTITY, PLAIN), tip, 0.05, tip);
        let same = match (found, expected) {
            (Some((a, x)), Some((b, y))) => (a - b).abs() < 1e-6 && (x - y).length() < 1e-5,
            (found, expected) => found == expected,
        };
        assert!(same, "{shape:?} at {tip}: {found:?}, expected {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_out_tips_that_touch_it() {
        let ball = ColliderShape::Sphere { radius: 0.1, inside: false };
        check(ball, Vec3::X * 0.2, None);
        check(ball, Vec3::X * 0.15, None);
        check(ball, Vec3::X * 0.1, Some((0.05, Vec3::X)));
        check(ball, Vec3::ZERO, Some((0.15, Vec3::NEG_Z)));
    }

    #[test]
    fn an_inside_sphere_keeps_tips_in() {
        let room = ColliderShape::Sphere { radius: 0.1, inside: true };
        check(room, Vec3::X * 0.04, None);
        check(room, Vec3::X * 0.1, Some((0.05, Vec3::NEG_X)));
        check(ColliderShape::Sphere { radius: 0.03, inside: true }, Vec3::ZERO, None);
        check(ColliderShape::Sphere { radius: 0.03, inside: true }, Vec3::X * 0.01, Some((0.03, Vec3::NEG_X)));
    }

    #[test]
    fn capsules_push_away_from_the_nearest_point_of_their_axis() {
        let rod = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(rod, Vec3::new(0.1, 0.2, 0.0), Some((0.05, Vec3::X)));
        check(rod, Vec3::new(0.0, 0.5, 0.0), Some((0.05, Vec3::Y)));
        check(rod, Vec3::new(0.0, 0.6, 0.0), None);
        let tube = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: true };
        check(tube, Vec3::new(0.0, 0.44, 0.0), None);
        check(tube, Vec3::new(0.08, 0.2, 0.0), Some((0.03, Vec3::NEG_X)));
    }

    #[test]
    fn a_capsule_can_be_tested_at_the_head() {
        let rod =
            world_collider(ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false }, &Trs::IDENTITY, PLAIN);
        let (depth, way) = penetration(&rod, Vec3::new(0.0, 0.1, 0.0), 0.05, Vec3::NEG_Y).expect("they touch");
        assert!((depth - 0.05).abs() < 1e-6 && way == Vec3::Y, "the lower end pushes: {depth} {way}");
    }

    #[test]
    fn a_plane_keeps_tips_in_front_of_it_for_any_scale() {
        check(ColliderShape::Plane, Vec3::new(9.0, 9.0, 0.06), None);
        check(ColliderShape::Plane, Vec3::new(9.0, 9.0, -1.0), Some((1.05, Vec3::Z)));
        let slope = Quat::from_rotation_x(-0.7);
        let parent = Trs { scale: Vec3::new(1.0, 3.0, -2.0), ..Trs::IDENTITY };
        let frame = Frame::WORLD.child(&parent).child(&Trs { rotation: slope, ..Trs::IDENTITY });
        let collider = test_support::collider(ColliderShape::Plane);
        let WorldCollider::Plane { normal, .. } = super::world_collider(&collider, &frame, PLAIN) else {
            panic!("a plane")
        };
        for along in [frame.transform_point(Vec3::X), frame.transform_point(Vec3::Y)] {
            assert!(along.dot(normal).abs() < 1e-6, "the normal is perpendicular to the plane");
        }
        assert!(frame.transform_point(Vec3::Z).dot(normal) > 0.0, "a mirrored plane keeps its free side");
    }

    #[test]
    fn only_univrm_scales_radii_and_never_those_of_inside_shapes() {
        let wide = Trs { scale: Vec3::new(1.0, -2.0, 1.0), ..Trs::IDENTITY };
        let univrm = System { preview: PreviewRuntime::UniVrm, ..PLAIN };
        let ball = ColliderShape::Sphere { radius: 0.1, inside: false };
        let radius = |shape, local, system| match world_collider(shape, local, system) {
            WorldCollider::Sphere { radius, .. } => radius,
            other => panic!("{other:?} is not a sphere"),
        };
        assert_eq!(radius(ball, &wide, PLAIN), 0.1);
        assert_eq!(radius(ball, &wide, univrm), 0.2);
        assert_eq!(radius(ball.inverted(), &wide, univrm), 0.1);
        assert_eq!(radius(ball, &Trs::IDENTITY, System { model_scale: 3.0, ..PLAIN }), 0.3);
    }

    #[test]
    fn disabled_and_unsupported_colliders_push_nothing() {
        let panel = world_collider(ColliderShape::Panel { width: 1.0, height: 1.0 }, &Trs::IDENTITY, PLAIN);
        assert_eq!(penetration(&panel, Vec3::NEG_Z, 0.1, Vec3::ZERO), None);
        let off = ColliderRuntime { bone: 0, shape: ColliderShape::Plane, enabled: false, renderer_on: true };
        assert_eq!(penetration(&super::world_collider(&off, &Frame::WORLD, PLAIN), Vec3::NEG_Z, 0.1, Vec3::ZERO), None);
    }
}
