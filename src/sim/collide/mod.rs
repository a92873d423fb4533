//! Contact of a tip with one shape, in the shape's own space, after UTJ `UnityChanSpringBone`.
//!
//! Head and tip come in and the pushed tip goes out, all in collider space; lengths are metres there.

mod panel;
pub mod push;
pub(super) mod solid;

use super::kernel::unit_or_zero;
use glam::Vec3;
pub(super) use panel::{ground, panel};

/// A tip after contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
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
pub(super) fn sphere(head: Vec3, tip: Vec3, radius: f32, tip_radius: f32) -> Option<Hit> {
    let reach = radius + tip_radius;
    if tip.length_squared() >= reach * reach {
        return None;
    }
    let head_distance_squared = head.length_squared();
    let tip = if head_distance_squared <= radius * radius {
        unit_or_zero(tip) * reach
    } else {
        slide(head, tip, head_distance_squared.sqrt(), reach)
    };
    Some(Hit { tip, normal: unit_or_zero(tip) })
}

/// The point nearest to `tip` on the circle where the sphere of `reach` about the origin meets the sphere about
/// `head` through `tip`.
fn slide(head: Vec3, tip: Vec3, distance: f32, reach: f32) -> Vec3 {
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
pub(super) fn capsule(head: Vec3, tip: Vec3, radius: f32, height: f32, tip_radius: f32) -> Option<Hit> {
    if radius <= 0.0001 {
        return None;
    }
    if tip.y <= 0.0 {
        return sphere(head, tip, radius, tip_radius);
    }
    if tip.y >= height {
        let top = Vec3::new(0.0, height, 0.0);
        let contact = sphere(head - top, tip - top, radius, tip_radius)?;
        return Some(Hit { tip: contact.tip + top, ..contact });
    }
    let reach = radius + tip_radius;
    let radial = Vec3::new(tip.x, 0.0, tip.z);
    if radial.length_squared() > reach * reach {
        return None;
    }
    let normal = unit_or_zero(radial);
    Some(Hit { tip: normal * reach + Vec3::new(0.0, tip.y, 0.0), normal })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_touching(contact: Option<Hit>, distance: f32, from: Vec3) {
        let contact = contact.expect("they overlap");
        let found = (contact.tip - from).length();
        assert!((found - distance).abs() < 1e-5, "the tip is {found} from {from}, expected {distance}");
        assert!((contact.normal.length() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_tip_outside_the_sphere_is_left_alone() {
        assert_eq!(sphere(Vec3::Y, Vec3::X * 0.2, 0.1, 0.05), None);
    }

    #[test]
    fn a_tip_slides_round_the_sphere_and_keeps_its_bone_length() {
        let (head, tip) = (Vec3::new(0.0, 0.3, 0.0), Vec3::new(0.02, 0.05, 0.0));
        let contact = sphere(head, tip, 0.1, 0.05);
        check_touching(contact, 0.15, Vec3::ZERO);
        let moved = contact.expect("checked").tip;
        assert!(((moved - head).length() - (tip - head).length()).abs() < 1e-5);
    }

    #[test]
    fn a_head_inside_the_sphere_lets_the_tip_be_pushed_straight_out() {
        check_touching(sphere(Vec3::Y * 0.05, Vec3::X * 0.02, 0.1, 0.05), 0.15, Vec3::ZERO);
    }

    #[test]
    fn a_capsule_pushes_sideways_along_its_length_and_roundly_at_its_ends() {
        let head = Vec3::new(0.0, 1.0, 0.0);
        let side = capsule(head, Vec3::new(0.01, 0.2, 0.0), 0.1, 0.4, 0.05);
        assert!((side.expect("inside").tip - Vec3::new(0.15, 0.2, 0.0)).length() < 1e-6);
        let top = Vec3::new(0.0, 0.4, 0.0);
        check_touching(capsule(head, Vec3::new(0.01, 0.45, 0.0), 0.1, 0.4, 0.05), 0.15, top);
        assert_eq!(capsule(head, Vec3::ZERO, 0.0, 0.4, 0.05), None, "a capsule without thickness is ignored");
    }
}
