//! Contact of a tip with one shape, in the shape's own space, after UTJ `UnityChanSpringBone`.
//!
//! Head and tip come in and the pushed tip goes out, all in collider space; lengths are metres there.

use crate::sim::vec_util::unit_or_zero;
use glam::{Vec2, Vec3, Vec3Swizzles as _};

/// A tip after contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TipHit {
    /// Where the tip is now.
    pub tip: Vec3,
    /// Outwards, unit length or zero.
    pub normal: Vec3,
}

/// A sphere of `radius` at the origin against a tip of radius `tip_radius`; `None` if they do not touch.
///
/// The tip slides round the sphere at its distance from the head. A bone too short to reach the surface gives NaN,
/// as the original does; the solver's guard then returns it to rest.
#[inline]
pub(super) fn sphere(head: Vec3, tip: Vec3, radius: f32, tip_radius: f32) -> Option<TipHit> {
    let reach = radius + tip_radius;
    if tip.length_squared() >= reach * reach {
        return None;
    }
    let head_distance_squared = head.length_squared();
    let tip = if head_distance_squared <= radius * radius {
        unit_or_zero(tip) * reach
    } else {
        slide_on_sphere(head, tip, head_distance_squared.sqrt(), reach)
    };
    Some(TipHit { tip, normal: unit_or_zero(tip) })
}

/// The point nearest to `tip` on the circle where the sphere of `reach` about the origin meets the sphere about
/// `head` through `tip`.
fn slide_on_sphere(head: Vec3, tip: Vec3, distance: f32, reach: f32) -> Vec3 {
    let length_squared = (tip - head).length_squared();
    let (d2, c2) = (distance * distance, reach * reach);
    let along = d2 - c2 + length_squared;
    let middle = head - head * (along / (2.0 * d2));
    let radius = (4.0 * d2 * length_squared - along * along).sqrt() / (2.0 * distance);
    let axis = head / distance;
    let flat = (tip - middle) - axis * (tip - middle).dot(axis);
    middle + unit_or_zero(flat) * radius
}

/// A capsule from the origin to `(0, height, 0)`; `None` if they do not touch.
#[inline]
pub(super) fn capsule(head: Vec3, tip: Vec3, radius: f32, height: f32, tip_radius: f32) -> Option<TipHit> {
    if radius <= 0.0001 {
        return None;
    }
    if tip.y <= 0.0 {
        return sphere(head, tip, radius, tip_radius);
    }
    if tip.y >= height {
        let top = Vec3::new(0.0, height, 0.0);
        let contact = sphere(head - top, tip - top, radius, tip_radius)?;
        return Some(TipHit { tip: contact.tip + top, ..contact });
    }
    let reach = radius + tip_radius;
    let radial = Vec3::new(tip.x, 0.0, tip.z);
    if radial.length_squared() > reach * reach {
        return None;
    }
    let normal = unit_or_zero(radial);
    Some(TipHit { tip: normal * reach + Vec3::new(0.0, tip.y, 0.0), normal })
}

/// Heads stand on the very edge once their parents' tips were put there; they count as before it, whatever the last
/// digits say, metres.
const EDGE_TOLERANCE: f32 = 2e-7;

/// A rectangle of `half` extents across Z about the origin, solid at any depth behind it, against a tip of radius
/// `tip_radius` on a bone of `length`; `None` if they do not touch.
///
/// A bone wholly behind is put to the nearest edge that its head is beyond, else its tip right above its head. A tip
/// beyond an edge rounds it. Elsewhere the panel is a plane.
#[inline]
pub(super) fn panel(head: Vec3, tip: Vec3, half: Vec2, length: f32, tip_radius: f32) -> Option<TipHit> {
    let beside = tip.y.abs() >= half.y + tip_radius || tip.x.abs() >= half.x + tip_radius;
    if tip.z >= tip_radius || beside {
        return None;
    }
    let edge = half.copysign(tip.truncate() + Vec2::ZERO);
    let tip = if head.z <= 0.0 && tip.z <= 0.0 {
        if head.y.abs() > half.y + EDGE_TOLERANCE {
            tip.with_y(edge.y)
        } else if head.x.abs() > half.x + EDGE_TOLERANCE {
            tip.with_x(edge.x)
        } else {
            head.with_z(tip_radius)
        }
    } else if tip.y.abs() > half.y {
        Vec3::new(tip.x, edge.y, 0.0) + unit_or_zero(Vec3::new(0.0, tip.y - edge.y, tip.z)) * tip_radius
    } else if tip.x.abs() > half.x {
        Vec3::new(edge.x, tip.y, 0.0) + unit_or_zero(Vec3::new(tip.x - edge.x, 0.0, tip.z)) * tip_radius
    } else {
        lean_on_plane(head, tip, length, tip_radius)
    };
    Some(TipHit { tip, normal: Vec3::Z })
}

/// Level ground at height 0 below a tip of radius `tip_radius` that hangs `length` from `head`; `None` if above it.
#[inline]
pub(super) fn ground(head: Vec3, tip: Vec3, length: f32, tip_radius: f32) -> Option<Vec3> {
    let tip = (tip.y < tip_radius).then(|| lean_on_plane(head.zxy(), tip.zxy(), length, tip_radius))?;
    Some(tip.yzx())
}

/// Where a tip below a plane across Z goes: onto it at bone length, straight up if the whole bone is below. A bone
/// that stands straight on the plane has no way to lean: its tip ends at its head, as in the original.
#[inline]
fn lean_on_plane(head: Vec3, tip: Vec3, length: f32, tip_radius: f32) -> Vec3 {
    if head.z + length <= tip_radius {
        return head + Vec3::new(0.0, 0.0, length);
    }
    let rise = head.z - tip_radius;
    let reach = (length * length - rise * rise).sqrt();
    let flat = (tip - head).truncate();
    let flat_length = flat.length();
    if flat_length > 0.001 { (head.truncate() + flat * (reach / flat_length)).extend(tip_radius) } else { head }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_touching(contact: Option<TipHit>, distance: f32, from: Vec3) {
        let contact = contact.expect("they overlap");
        let found = (contact.tip - from).length();
        assert!((found - distance).abs() < 1e-5, "the tip is {found} from {from}, expected {distance}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_tip_outside_the_sphere_is_unchanged() {
        assert_eq!(sphere(Vec3::Y, Vec3::X * 0.2, 0.1, 0.05), None);
    }

    #[test]
    fn a_tip_slides_around_the_sphere_and_keeps_its_bone_length() {
        let (head, tip) = (Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.02, 0.05, 0.0));
        let contact = sphere(head, tip, 0.1, 0.05);
        check_touching(contact, 0.15, Vec3::ZERO);
        let moved = contact.expect("checked").tip;
        assert!(((moved - head).length() - (tip - head).length()).abs() < 1e-5);
    }

    #[test]
    fn with_its_head_inside_the_sphere_a_tip_is_pushed_straight_out() {
        check_touching(sphere(Vec3::Y * 0.05, Vec3::X * 0.02, 0.1, 0.05), 0.15, Vec3::ZERO);
    }

    #[test]
    fn a_capsule_pushes_radially_along_its_axis_and_like_a_sphere_at_its_ends() {
        let head = Vec3::new(0.0, 1.0, 0.0);
        let side = capsule(head, Vec3::new(0.01, 0.2, 0.0), 0.1, 0.4, 0.05);
        assert!((side.expect("inside").tip - Vec3::new(0.15, 0.2, 0.0)).length() < 1e-6);
        let top = Vec3::new(0.0, 0.4, 0.0);
        check_touching(capsule(head, Vec3::new(0.01, 0.45, 0.0), 0.1, 0.4, 0.05), 0.15, top);
        assert_eq!(capsule(head, Vec3::ZERO, 0.0, 0.4, 0.05), None, "a capsule without thickness is ignored");
    }

    const HALF: Vec2 = Vec2::new(0.2, 0.3);

    #[track_caller]
    fn check_panel(head: [f32; 3], tip: [f32; 3], expected: [f32; 3]) {
        let length = (Vec3::from(tip) - Vec3::from(head)).length();
        let hit = panel(head.into(), tip.into(), HALF, length, 0.05).expect("they overlap");
        assert!((hit.tip - Vec3::from(expected)).length() < 1e-6, "{}", hit.tip);
        assert_eq!(hit.normal, Vec3::Z);
    }

    #[test]
    fn a_tip_in_front_of_or_beside_the_panel_is_unchanged() {
        for tip in [[0.0, 0.0, 0.06], [0.26, 0.0, -1.0], [0.0, -0.36, -1.0]] {
            assert_eq!(panel(Vec3::Z, tip.into(), HALF, 1.0, 0.05), None, "{tip:?}");
        }
    }

    #[test]
    fn a_tip_that_crossed_the_panel_from_the_front_returns_to_its_surface_at_bone_length() {
        let (head, tip) = (Vec3::new(0.0, 0.0, 0.1), Vec3::new(0.03, 0.04, -0.1));
        let length = (tip - head).length();
        let hit = panel(head, tip, HALF, length, 0.05).expect("behind");
        assert!((hit.tip.z - 0.05).abs() < 1e-6);
        assert!(((hit.tip - head).length() - length).abs() < 1e-6);
        assert!((hit.tip.x / hit.tip.y - 0.75).abs() < 1e-5, "the way it leaned is kept");
    }

    #[test]
    fn a_bone_entirely_behind_the_panel_goes_to_the_surface_or_to_the_edge_nearest_its_head() {
        check_panel([0.1, 0.1, -0.1], [0.1, 0.15, -0.2], [0.1, 0.1, 0.05]);
        check_panel([0.1, 0.4, -0.1], [0.1, -0.15, -0.2], [0.1, -0.3, -0.2]);
        check_panel([-0.3, 0.1, -0.1], [0.1, 0.15, -0.2], [0.2, 0.15, -0.2]);
    }

    #[test]
    fn a_tip_beyond_an_edge_slides_around_the_edge() {
        check_panel([0.0, 0.5, 0.1], [0.1, 0.34, 0.0], [0.1, 0.35, 0.0]);
        check_panel([0.5, 0.0, 0.1], [-0.23, 0.1, 0.0], [-0.25, 0.1, 0.0]);
    }

    #[test]
    fn the_ground_keeps_the_tip_at_its_radius() {
        let head = Vec3::new(0.0, 0.1, 0.0);
        let tip = ground(head, Vec3::new(0.1, -0.05, 0.0), 0.2, 0.02).expect("below");
        assert!((tip.y - 0.02).abs() < 1e-6);
        assert!(((tip - head).length() - 0.2).abs() < 1e-5);
        assert_eq!(ground(head, Vec3::new(0.1, 0.05, 0.0), 0.2, 0.02), None);
        let buried = ground(-head, Vec3::new(0.0, -0.4, 0.0), 0.1, 0.02).expect("below");
        assert_eq!(buried, Vec3::ZERO, "a bone below the ground stands straight up");
        assert_eq!(ground(head, Vec3::new(0.0, -0.1, 0.0), 0.2, 0.02), Some(head), "a vertical bone has no way out");
    }
}
