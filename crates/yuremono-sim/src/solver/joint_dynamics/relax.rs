//! One iteration over all links: corrects their lengths, then collides both ends and the link itself.

use super::collide::InterpolatedCollider;
use super::{LinkConstraint, NONE, Params, PointState, Rest, State, System};
use crate::LinkKind;
use crate::probe::{self, Probe, TipPart};
use glam::{Quat, Vec3};

/// Whether links of a kind have slack and an upper bound on their shrink strength.
pub(super) const fn has_slack(kind: LinkKind) -> bool {
    matches!(kind, LinkKind::StructuralHorizontal | LinkKind::Shear | LinkKind::BendingHorizontal)
}

// Inlined into its only caller, in whatever codegen unit that is.
#[inline]
pub(super) fn relax_links(rest: &Rest, system: &System, state: &mut State, probe: Option<Probe<'_>>) {
    let State { links, points, colliders, .. } = state;
    for link in links.iter() {
        let free = link.share_a + link.share_b > 0.0;
        if !free {
            continue;
        }
        let (i, k) = (link.a as usize, link.b as usize);
        let (mut a, mut b) = (points[i], points[k]);
        correct_length(link, &mut a.position, &mut b.position);
        reach_ends(probe, TipPart::LengthLimit, link, [a.position, b.position]);
        if !link.colliders.is_empty() {
            let own = [&rest.points[i], &rest.points[k]];
            let ends = LinkEnds {
                radii: own.map(|point| point.radius),
                invert_collision: own.map(|point| point.invert_collision),
                free: [link.share_a > 0.0, link.share_b > 0.0],
            };
            collide_link(
                rest,
                link.colliders.slice(&rest.colliders),
                colliders,
                &ends,
                system.round_contact,
                &mut a,
                &mut b,
            );
            reach_ends(probe, TipPart::Collision, link, [a.position, b.position]);
        }
        (points[i], points[k]) = (a, b);
    }
}

/// Reports both ends of a link to the probe.
#[inline]
fn reach_ends(probe: Option<Probe<'_>>, part: TipPart, link: &LinkConstraint, ends: [Vec3; 2]) {
    let slots = [link.a, link.b];
    probe::record(probe, move |probe| {
        for (slot, end) in slots.into_iter().zip(ends) {
            probe.reach(slot as usize, part, end);
        }
    });
}

/// Corrects the distance of two points. The shrink strength shortens links that are too long; the stretch strength
/// lengthens links that are too short.
#[inline]
fn correct_length(link: &LinkConstraint, a: &mut Vec3, b: &mut Vec3) {
    let offset = *b - *a;
    let distance = offset.length();
    let (excess, power) = if distance <= link.length {
        (distance - link.length, link.stretch)
    } else if distance >= link.max_length {
        (distance - link.max_length, link.shrink)
    } else {
        return;
    };
    if power > 0.0 && distance > 1e-5 {
        let move_by = offset / distance * (excess * power);
        *a += move_by * link.share_a;
        *b -= move_by * link.share_b;
    }
}

/// Values of a link's ends that collisions use.
struct LinkEnds {
    radii: [f32; 2],
    invert_collision: [bool; 2],
    free: [bool; 2],
}

/// Pushes both ends, and then the link, out of each collider in turn. The ends are pushed even if they are fixed.
fn collide_link(
    rest: &Rest,
    ids: &[u32],
    placed: &[InterpolatedCollider],
    ends: &LinkEnds,
    round: bool,
    a: &mut PointState,
    b: &mut PointState,
) {
    let thick = ends.radii[0].max(ends.radii[1]);
    let mut span = (b.position - a.position).length() + thick;
    let mut friction = 0.0_f32;
    for id in ids {
        let collider = &placed[*id as usize];
        if !collider.enabled || collider.bounds.is_out_of_reach(a.position, span) {
            continue;
        }
        let rough = rest.collider_settings[*id as usize].friction;
        for (point, end) in [(&mut *a, 0), (&mut *b, 1)] {
            let moved = if !collider.inside {
                collider.push_out(point.position, ends.radii[end], round)
            } else if ends.invert_collision[end] {
                collider.keep_in(point.position, ends.radii[end], round)
            } else {
                None
            };
            if let Some(at) = moved {
                point.position = at;
                friction = friction.max(rough * 0.25);
            }
        }
        if !collider.inside {
            push_link(collider, ends, rough, &mut friction, a, b);
        }
        span = (b.position - a.position).length() + thick;
    }
    a.friction = a.friction.max(friction);
    b.friction = b.friction.max(friction);
}

/// Pushes a link out of a collider. The nearer end moves more.
fn push_link(
    collider: &InterpolatedCollider,
    ends: &LinkEnds,
    rough: f32,
    friction: &mut f32,
    a: &mut PointState,
    b: &mut PointState,
) {
    let Some(edge) = collider.link_contact(a.position, b.position) else { return };
    let out = edge.on_link - edge.on_axis;
    let depth = out.length();
    let half = (b.position - a.position).length() * 0.5;
    // Differs from `SPCRJointDynamics`, which divides by zero: a link through the axis has no outward direction.
    if depth <= 0.0 || half <= 0.0 {
        return;
    }
    let to_a = ((edge.on_link - a.position).length() / half).clamp(0.0, 1.0);
    let to_b = ((edge.on_link - b.position).length() / half).clamp(0.0, 1.0);
    let way = out / depth;
    let push = way * (edge.radius - depth).max(0.0);
    if ends.free[0] {
        a.position += push * to_b;
    }
    if ends.free[1] {
        b.position += push * to_a;
    }
    *friction = friction.max(rough * way.y.clamp(0.0, 1.0));
}

/// Moves each point back into its cone, in the order of the points.
pub(super) fn limit_angles(rest: &Rest, params: &[Params], system: &System, state: &mut State) {
    if system.limit_deg < 0.0 {
        return;
    }
    for (i, point) in rest.points.iter().enumerate().filter(|(_, point)| point.parent != NONE) {
        let parent = point.parent as usize;
        let above = rest.points[parent].parent;
        let at = |p: usize| state.points[p].position;
        let bone = at(i) - at(parent);
        let mut about = if above == NONE { Vec3::ZERO } else { at(parent) - at(above as usize) };
        if system.limit_from_root || about.length() == 0.0 {
            about = state.animated_to[i] - state.animated_to[parent];
        }
        let beyond = angle_deg(about, bone) - system.limit_deg;
        if beyond > 0.0 {
            let power = if system.apply_limit_power { params[point.joint as usize].limit_power } else { 1.0 };
            let axis = about.cross(bone).try_normalize();
            let back = axis.map_or(Quat::IDENTITY, |axis| Quat::from_axis_angle(axis, -(beyond * power).to_radians()));
            state.points[i].position = at(parent) + back * bone;
        }
    }
}

/// Angle between two vectors, in degrees; 0 if a vector has no length.
fn angle_deg(a: Vec3, b: Vec3) -> f32 {
    let lengths = (a.length_squared() * b.length_squared()).sqrt();
    if lengths < 1e-15 { 0.0 } else { libm::acosf((a.dot(b) / lengths).clamp(-1.0, 1.0)).to_degrees() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(share_a: f32) -> LinkConstraint {
        LinkConstraint {
            length: 1.0,
            max_length: 1.2,
            shrink: 0.5,
            stretch: 1.0,
            share_a,
            share_b: 0.5,
            ..LinkConstraint::default()
        }
    }

    #[test]
    fn a_long_link_shrinks_a_short_link_stretches_and_a_link_within_its_slack_is_unchanged() {
        for (length, expected) in [(2.0, 1.6), (1.1, 1.1), (0.5, 1.0)] {
            let (mut a, mut b) = (Vec3::ZERO, Vec3::X * length);
            correct_length(&link(0.5), &mut a, &mut b);
            assert!((a.distance(b) - expected).abs() < 1e-6, "{length} became {}", a.distance(b));
        }
    }

    #[test]
    fn points_at_the_same_position_are_unchanged() {
        let (mut a, mut b) = (Vec3::ONE, Vec3::ONE);
        correct_length(&link(0.5), &mut a, &mut b);
        assert_eq!((a, b), (Vec3::ONE, Vec3::ONE));
    }
}
