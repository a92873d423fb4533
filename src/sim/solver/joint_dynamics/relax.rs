//! One round over all links: lengths put right, then both ends and the link itself pushed out of what it meets.

use super::collide::Placed;
use super::{LinkNow, NONE, Params, Point, Rest, State, System};
use crate::sim::LinkKind;
use glam::{Quat, Vec3};

/// Whether links of a kind have slack and an upper bound of their strength.
pub(super) const fn has_slack(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::StructuralHorizontal | LinkKind::Shear | LinkKind::BendingHorizontal)
}

pub(super) fn relax(rest: &Rest, system: &System, state: &mut State) {
    let State { links, points, colliders, .. } = state;
    for link in links.iter() {
        let free = link.share_a + link.share_b > 0.0;
        if !free {
            continue;
        }
        let (i, k) = (link.a as usize, link.b as usize);
        let (mut a, mut b) = (points[i], points[k]);
        keep_apart(link, &mut a.at, &mut b.at);
        if !link.colliders.is_empty() {
            let own = [&rest.points[i], &rest.points[k]];
            let ends = Ends {
                radii: own.map(|point| point.radius),
                inverts: own.map(|point| point.inverts),
                free: [link.share_a > 0.0, link.share_b > 0.0],
            };
            meet(rest, link.colliders.of(&rest.colliders), colliders, &ends, system.round_contact, &mut a, &mut b);
        }
        (points[i], points[k]) = (a, b);
    }
}

/// Moves two points towards their distance. What is too long is shortened by the shrink strength.
#[inline]
fn keep_apart(link: &LinkNow, a: &mut Vec3, b: &mut Vec3) {
    let offset = *b - *a;
    let distance = offset.length();
    let (excess, power) = if distance <= link.length {
        (distance - link.length, link.stretch)
    } else if distance >= link.longest {
        (distance - link.longest, link.shrink)
    } else {
        return;
    };
    if power > 0.0 && distance > 1e-5 {
        let move_by = offset / distance * (excess * power);
        *a += move_by * link.share_a;
        *b -= move_by * link.share_b;
    }
}

/// What the ends of a link are to colliders.
struct Ends {
    radii: [f32; 2],
    inverts: [bool; 2],
    free: [bool; 2],
}

/// Pushes both ends, then the link, out of each collider in turn. Ends are pushed even where they are fixed.
fn meet(rest: &Rest, ids: &[u32], placed: &[Placed], ends: &Ends, round: bool, a: &mut Point, b: &mut Point) {
    let thick = ends.radii[0].max(ends.radii[1]);
    let mut span = (b.at - a.at).length() + thick;
    let mut friction = 0.0_f32;
    for id in ids {
        let collider = &placed[*id as usize];
        if !collider.enabled || !collider.is_near(a.at, span) {
            continue;
        }
        let rough = rest.extras[*id as usize].friction;
        for (point, end) in [(&mut *a, 0), (&mut *b, 1)] {
            let moved = if !collider.inside {
                collider.push_out(point.at, ends.radii[end], round)
            } else if ends.inverts[end] {
                collider.keep_in(point.at, ends.radii[end], round)
            } else {
                None
            };
            if let Some(at) = moved {
                point.at = at;
                friction = friction.max(rough * 0.25);
            }
        }
        if !collider.inside {
            push_link(collider, ends, rough, &mut friction, a, b);
        }
        span = (b.at - a.at).length() + thick;
    }
    a.friction = a.friction.max(friction);
    b.friction = b.friction.max(friction);
}

/// Pushes a link that runs through a collider; the nearer end takes more.
fn push_link(collider: &Placed, ends: &Ends, rough: f32, friction: &mut f32, a: &mut Point, b: &mut Point) {
    let Some(edge) = collider.edge(a.at, b.at) else { return };
    let out = edge.on_link - edge.on_axis;
    let depth = out.length();
    let half = (b.at - a.at).length() * 0.5;
    // Differs from `SPCRJointDynamics`: right on the axis there is no way out, where the engine divides by zero.
    if depth <= 0.0 || half <= 0.0 {
        return;
    }
    let to_a = ((edge.on_link - a.at).length() / half).clamp(0.0, 1.0);
    let to_b = ((edge.on_link - b.at).length() / half).clamp(0.0, 1.0);
    let way = out / depth;
    let push = way * (edge.radius - depth).max(0.0);
    if ends.free[0] {
        a.at += push * to_b;
    }
    if ends.free[1] {
        b.at += push * to_a;
    }
    *friction = friction.max(rough * way.y.clamp(0.0, 1.0));
}

/// Keeps each point within the cone, in the points' order.
pub(super) fn angles(rest: &Rest, params: &[Params], system: &System, state: &mut State) {
    if system.limit_deg < 0.0 {
        return;
    }
    for (i, point) in rest.points.iter().enumerate().filter(|(_, point)| point.parent != NONE) {
        let parent = point.parent as usize;
        let above = rest.points[parent].parent;
        let at = |p: usize| state.points[p].at;
        let bone = at(i) - at(parent);
        let mut about = if above == NONE { Vec3::ZERO } else { at(parent) - at(above as usize) };
        if system.limit_from_root || about.length() == 0.0 {
            about = state.to[i] - state.to[parent];
        }
        let beyond = angle_deg(about, bone) - system.limit_deg;
        if beyond > 0.0 {
            let power = if system.read_limit_power { params[point.joint as usize].limit_power } else { 1.0 };
            let axis = about.cross(bone).try_normalize();
            let back = axis.map_or(Quat::IDENTITY, |axis| Quat::from_axis_angle(axis, -(beyond * power).to_radians()));
            state.points[i].at = at(parent) + back * bone;
        }
    }
}

/// 0 where one of them has no length.
fn angle_deg(a: Vec3, b: Vec3) -> f32 {
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    if lengths < 1e-15 { 0.0 } else { (a.dot(b) / lengths).clamp(-1.0, 1.0).acos().to_degrees() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(share_a: f32) -> LinkNow {
        LinkNow { length: 1.0, longest: 1.2, shrink: 0.5, stretch: 1.0, share_a, share_b: 0.5, ..LinkNow::default() }
    }

    #[test]
    fn a_long_link_shrinks_a_short_one_stretches_and_slack_is_left_alone() {
        for (length, expected) in [(2.0, 1.6), (1.1, 1.1), (0.5, 1.0)] {
            let (mut a, mut b) = (Vec3::ZERO, Vec3::X * length);
            keep_apart(&link(0.5), &mut a, &mut b);
            assert!((a.distance(b) - expected).abs() < 1e-6, "{length} became {}", a.distance(b));
        }
    }

    #[test]
    fn points_on_one_spot_stay_there() {
        let (mut a, mut b) = (Vec3::ONE, Vec3::ONE);
        keep_apart(&link(0.5), &mut a, &mut b);
        assert_eq!((a, b), (Vec3::ONE, Vec3::ONE));
    }
}
