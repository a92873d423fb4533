//! Triangles between columns against colliders: a ray from the collider along the triangle's normal, and a push on its
//! corners, more for those that are near the middle of the triangle.

use super::collide::InterpolatedCollider;
use super::{EPSILON, Rest, State};
use crate::sim::SurfaceForce;
use crate::sim::vec_util::unit_or_zero;
use glam::Vec3;

/// Where a ray meets a triangle, and the way there from where the push is measured.
struct TriangleHit {
    position: Vec3,
    offset: Vec3,
    radius: f32,
}

pub(super) fn collide(rest: &Rest, state: &mut State) {
    for face in &rest.faces {
        let [a, b, c, d] = face.corners;
        for id in face.colliders.slice(&rest.colliders) {
            let collider = &state.colliders[*id as usize];
            if !collider.enabled {
                continue;
            }
            let force = rest.collider_settings[*id as usize].surface_force;
            for corners in [[a, b, c], [c, d, a]] {
                let places = corners.map(|p| state.points[p as usize].position);
                let Some(hit) = triangle_hit(places, collider, force) else { continue };
                let depth = hit.offset.length();
                // Differs from `SPCRJointDynamics`: right on the axis there is no way out, where the engine divides by zero.
                if depth <= 0.0 {
                    continue;
                }
                let push = hit.offset / depth * (hit.radius - depth);
                let middle = triangle_center(places);
                for point in corners {
                    let at = &mut state.points[point as usize].position;
                    let share = (*at - middle).length() / (*at - hit.position).length();
                    // A corner right where the ray hits takes all of it.
                    *at += push * if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) };
                }
            }
        }
    }
}

/// The engine's middle: halfway between the middles of two sides.
fn triangle_center([a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac) = (a + (b - a) * 0.5, a + (c - a) * 0.5);
    ab + (ac - ab) * 0.5
}

fn triangle_hit(corners: [Vec3; 3], collider: &InterpolatedCollider, force: SurfaceForce) -> Option<TriangleHit> {
    let [a, b, c] = corners;
    let normal = unit_or_zero((b - a).cross(c - a));
    let facing = unit_or_zero(collider.head - triangle_center(corners)).dot(-normal);
    let (mut from, mut radius) = (collider.head, collider.radius);
    let rod = collider.length > EPSILON;
    if rod && collider.axis.dot(-normal) * facing < 0.0 {
        (from, radius) = (collider.head + collider.axis, collider.tail_radius);
    }
    let way = unit_or_zero(normal * facing);
    match ray_plane_hit(corners, normal, from, way) {
        Some(at) if triangle_contains(corners, at) => ((from - at).length_squared() <= radius * radius)
            .then_some(TriangleHit { position: at, offset: at - from, radius }),
        None if rod => axis_hit(corners, normal, collider, radius, force),
        _ => None,
    }
}

/// Drives a triangle that the axis itself runs through back out of one of its ends.
fn axis_hit(
    corners: [Vec3; 3],
    normal: Vec3,
    collider: &InterpolatedCollider,
    radius: f32,
    force: SurfaceForce,
) -> Option<TriangleHit> {
    let (from, axis) = match force {
        SurfaceForce::Off => return None,
        SurfaceForce::Push => (collider.head, collider.axis),
        SurfaceForce::Pull => (collider.head + collider.axis, -collider.axis),
    };
    let at = ray_plane_hit(corners, normal, from, unit_or_zero(axis)).filter(|at| triangle_contains(corners, *at))?;
    let (to_end, along) = (from + axis - at, at - from);
    let squared = axis.dot(axis);
    let between = to_end.dot(along);
    if !(between >= 0.0 && between <= squared) {
        return None;
    }
    let start = from - unit_or_zero(axis) * radius;
    let on_axis = from + axis * (axis.dot(along) / squared);
    ((on_axis - at).length_squared() <= radius * radius).then_some(TriangleHit {
        position: at,
        offset: at - start,
        radius,
    })
}

/// Where a ray meets the triangle's plane ahead.
fn ray_plane_hit([a, ..]: [Vec3; 3], normal: Vec3, from: Vec3, way: Vec3) -> Option<Vec3> {
    let slope = way.dot(normal);
    if slope.abs() <= EPSILON {
        return None;
    }
    let ahead = (normal.dot(a) - from.dot(normal)) / slope;
    (ahead > 0.0).then(|| from + way * ahead)
}

fn triangle_contains([a, b, c]: [Vec3; 3], at: Vec3) -> bool {
    let (a, b, c) = (a - at, b - at, c - at);
    let (u, v, w) = (a.cross(b), b.cross(c), c.cross(a));
    !(u.dot(v) < 0.0 || v.dot(w) < 0.0)
}
