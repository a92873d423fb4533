//! Triangles between columns against colliders: a ray from the collider along the triangle's normal, and a push on its
//! corners, more for those that are near the middle of the triangle.

use super::collide::Placed;
use super::{EPSILON, Rest, State};
use crate::sim::SurfaceForce;
use crate::sim::kernel::unit_or_zero;
use glam::Vec3;

/// Where a ray meets a triangle, and the way there from where the push is measured.
struct Hit {
    at: Vec3,
    way: Vec3,
    radius: f32,
}

pub(super) fn collide(rest: &Rest, state: &mut State) {
    for face in &rest.faces {
        let [a, b, c, d] = face.corners;
        for id in face.colliders.of(&rest.colliders) {
            let collider = &state.colliders[*id as usize];
            if !collider.enabled {
                continue;
            }
            let force = rest.extras[*id as usize].surface_force;
            for corners in [[a, b, c], [c, d, a]] {
                let places = corners.map(|p| state.points[p as usize].at);
                let Some(hit) = hit(places, collider, force) else { continue };
                let depth = hit.way.length();
                // Differs from `SPCRJointDynamics`: right on the axis there is no way out, where the engine divides by zero.
                if depth <= 0.0 {
                    continue;
                }
                let push = hit.way / depth * (hit.radius - depth);
                let middle = middle(places);
                for point in corners {
                    let at = &mut state.points[point as usize].at;
                    let share = (*at - middle).length() / (*at - hit.at).length();
                    // A corner right where the ray hits takes all of it.
                    *at += push * if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) };
                }
            }
        }
    }
}

/// The engine's middle: halfway between the middles of two sides.
fn middle([a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac) = (a + (b - a) * 0.5, a + (c - a) * 0.5);
    ab + (ac - ab) * 0.5
}

fn hit(corners: [Vec3; 3], collider: &Placed, force: SurfaceForce) -> Option<Hit> {
    let [a, b, c] = corners;
    let normal = unit_or_zero((b - a).cross(c - a));
    let facing = unit_or_zero(collider.head - middle(corners)).dot(-normal);
    let (mut from, mut radius) = (collider.head, collider.radius);
    let rod = collider.length > EPSILON;
    if rod && collider.axis.dot(-normal) * facing < 0.0 {
        (from, radius) = (collider.head + collider.axis, collider.tail_radius);
    }
    let way = unit_or_zero(normal * facing);
    match ray(corners, normal, from, way) {
        Some(at) if contains(corners, at) => {
            ((from - at).length_squared() <= radius * radius).then_some(Hit { at, way: at - from, radius })
        }
        None if rod => drive(corners, normal, collider, radius, force),
        _ => None,
    }
}

/// Drives a triangle that the axis itself runs through back out of one of its ends.
fn drive(corners: [Vec3; 3], normal: Vec3, collider: &Placed, radius: f32, force: SurfaceForce) -> Option<Hit> {
    let (from, axis) = match force {
        SurfaceForce::Off => return None,
        SurfaceForce::Push => (collider.head, collider.axis),
        SurfaceForce::Pull => (collider.head + collider.axis, -collider.axis),
    };
    let at = ray(corners, normal, from, unit_or_zero(axis)).filter(|at| contains(corners, *at))?;
    let (to_end, along) = (from + axis - at, at - from);
    let squared = axis.dot(axis);
    let between = to_end.dot(along);
    if !(between >= 0.0 && between <= squared) {
        return None;
    }
    let start = from - unit_or_zero(axis) * radius;
    let on_axis = from + axis * (axis.dot(along) / squared);
    ((on_axis - at).length_squared() <= radius * radius).then_some(Hit { at, way: at - start, radius })
}

/// Where a ray meets the triangle's plane ahead.
fn ray([a, ..]: [Vec3; 3], normal: Vec3, from: Vec3, way: Vec3) -> Option<Vec3> {
    let slope = way.dot(normal);
    if slope.abs() <= EPSILON {
        return None;
    }
    let ahead = (normal.dot(a) - from.dot(normal)) / slope;
    (ahead > 0.0).then(|| from + way * ahead)
}

fn contains([a, b, c]: [Vec3; 3], at: Vec3) -> bool {
    let (a, b, c) = (a - at, b - at, c - at);
    let (u, v, w) = (a.cross(b), b.cross(c), c.cross(a));
    !(u.dot(v) < 0.0 || v.dot(w) < 0.0)
}
