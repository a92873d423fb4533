//! Contact of a tip with one shape in the shape's space, as in UTJ `UnityChanSpringBone`, and contact of the bone's
//! own shape.
//!
//! The functions for tips take head and tip in collider space and return the pushed tip in that space; lengths are in
//! metres in that space.
//!
//! The bone's own shape is a capsule from head to tip or a box along the bone, in the world. A collider pushes the
//! shape out at its deepest point, which rotates the bone about its head. A push at share `s` of the bone moves the
//! tip by 1/`s` as much, at most five times as much; the bone keeps its length.

use crate::ColliderShape;
use crate::math::{Frame, closest_on_segment};
use crate::step_pose::ColliderRuntime;
use crate::vec_util::{clamp_no_panic, unit_or_zero};
use glam::{Quat, Vec2, Vec3, Vec3Swizzles as _};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TipHit {
    pub tip: Vec3,
    /// Outward normal; unit length or zero.
    pub normal: Vec3,
}

/// Contact of a sphere of `radius` at the origin with a tip of radius `tip_radius`; `None` without contact.
///
/// The tip slides around the sphere at its distance from the head. As in Unity, a bone too short to reach the surface
/// gives NaN; the solver then resets the bone to rest.
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

/// The point nearest to `tip` on the intersection of two spheres: the sphere of radius `reach` at the origin, and the
/// sphere around `head` through `tip`.
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

/// Contact with a capsule from the origin to `(0, height, 0)`; `None` without contact.
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

/// After a contact of their parents' tips, heads are exactly on an edge. Within this tolerance, in metres, such heads
/// count as inside.
const EDGE_TOLERANCE: f32 = 2e-7;

/// Contact of a rectangle with the extents `half` across Z at the origin, solid at any depth behind it, with a tip of
/// radius `tip_radius` on a bone of `length`; `None` without contact.
///
/// If a bone is fully behind the panel, its tip moves to the nearest edge that the head is past, or else in front of
/// the panel at the head. A tip past an edge slides around the edge. Elsewhere the panel acts as a plane.
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

/// Contact of level ground at height 0 with a tip of radius `tip_radius` on a bone of `length`; `None` above the
/// ground.
#[inline]
pub(super) fn ground(head: Vec3, tip: Vec3, length: f32, tip_radius: f32) -> Option<Vec3> {
    let tip = (tip.y < tip_radius).then(|| lean_on_plane(head.zxy(), tip.zxy(), length, tip_radius))?;
    Some(tip.yzx())
}

/// Moves a tip below a plane across Z onto the plane at bone length, or straight up if the whole bone is below. As in
/// Unity, the tip of a bone perpendicular to the plane ends at the bone's head.
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

/// Number of iterations that find the nearest points of two bodies.
const NEAREST_POINT_ITERATIONS: usize = 8;
/// A push nearer to the head than this share of the bone is not magnified further.
const MIN_BONE_SHARE: f32 = 0.2;

/// The part of a bone that hits colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoneShape {
    /// A sphere at the tip.
    Tip,
    /// A capsule from head to tip, with its radius at the head.
    Capsule(f32),
    /// A box along the bone: half width along the bone's own X (Y if the bone points along X), and half thickness
    /// across width and bone.
    Box([f32; 2]),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ShapedBone {
    pub(super) head: Vec3,
    pub(super) tip: Vec3,
    /// Distance from head to tip at rest, in metres.
    pub(super) length: f32,
    pub(super) shape: BoneShape,
    /// Radius of the tip, in metres in the world.
    pub(super) radius: f32,
    /// Length in the world of one metre in bone space.
    pub(super) scale: f32,
    /// Rotation before the step rotates the bone.
    pub(super) rotation: Quat,
}

#[derive(Clone, Copy, Debug)]
struct Penetration {
    depth: f32,
    /// Direction out of the collider; unit length.
    normal: Vec3,
    /// Position along the bone, from 0 at the head to 1 at the tip.
    bone_share: f32,
}

/// Rotates the bone out of a collider; `None` without contact, or if the tip's sphere is the bone's only shape.
pub(super) fn push_out(bone: &ShapedBone, collider: &ColliderRuntime, frame: &Frame) -> Option<TipHit> {
    let penetration = match collider.shape {
        ColliderShape::Sphere { radius, inside: false } => {
            let at = frame.position;
            bone.segment_penetration(at, at, radius * scale_x(frame))
        }
        ColliderShape::Capsule { radius, inside: false, .. } if radius <= 0.0001 => None,
        ColliderShape::Capsule { radius, height, inside: false } => {
            bone.segment_penetration(frame.position, frame.transform_point(Vec3::Y * height), radius * scale_x(frame))
        }
        ColliderShape::Panel { width, height } => bone.panel_penetration(frame, Vec2::new(0.5 * width, 0.5 * height)),
        // Unity does not have the other shapes.
        _ => None,
    }?;
    let moved = bone.tip + penetration.normal * (penetration.depth / penetration.bone_share.max(MIN_BONE_SHARE));
    let direction = unit_or_zero(moved - bone.head);
    let tip = if direction == Vec3::ZERO { bone.tip } else { bone.head + direction * bone.length };
    tip.is_finite().then_some(TipHit { tip, normal: penetration.normal })
}

/// Length in the world of one metre along the frame's X.
fn scale_x(frame: &Frame) -> f32 {
    if frame.scaled { (frame.linear() * Vec3::X).length() } else { 1.0 }
}

impl ShapedBone {
    /// Penetration of a segment from `a` to `b` with `radius`.
    fn segment_penetration(&self, a: Vec3, b: Vec3, radius: f32) -> Option<Penetration> {
        match self.shape {
            BoneShape::Tip => None,
            BoneShape::Capsule(head_radius) => {
                let mut core = a.midpoint(b);
                for _ in 0..NEAREST_POINT_ITERATIONS {
                    core = closest_on_segment(closest_on_segment(core, self.head, self.tip), a, b);
                }
                let on = closest_on_segment(core, self.head, self.tip);
                let share = self.bone_share(on);
                let own = head_radius * self.scale * (1.0 - share) + self.radius * share;
                penetration(on - core, radius + own, share, self.fallback_normal())
            }
            BoneShape::Box(half) => {
                let mut core = a.midpoint(b);
                for _ in 0..NEAREST_POINT_ITERATIONS {
                    core = closest_on_segment(self.closest_in_box(half, core), a, b);
                }
                let on = self.closest_in_box(half, core);
                penetration(on - core, radius, self.bone_share(on), self.fallback_normal())
            }
        }
    }

    /// Penetration of a panel with the extents `half`, if part of the bone is in the panel and its head is in front.
    fn panel_penetration(&self, frame: &Frame, half: Vec2) -> Option<Penetration> {
        let out = frame.rotation * Vec3::Z;
        if matches!(self.shape, BoneShape::Tip) || frame.inverse_transform_point(self.head).z <= 0.0 {
            return None;
        }
        let mut deepest: Option<Penetration> = None;
        for share in [0.25, 0.5, 0.75, 1.0] {
            let middle = self.head.lerp(self.tip, share);
            let point = middle - out * self.extent_along(share, out);
            let local = frame.inverse_transform_point(point);
            let depth = (frame.transform_point(local.with_z(0.0)) - point).dot(out);
            let inside = local.x.abs() < half.x && local.y.abs() < half.y;
            if inside && depth > deepest.map_or(0.0, |d| d.depth / d.bone_share) * share {
                deepest = Some(Penetration { depth, normal: out, bone_share: share });
            }
        }
        deepest
    }

    /// Extent of the shape along `out`, measured from the bone's line at `share` of the bone.
    fn extent_along(&self, share: f32, out: Vec3) -> f32 {
        match self.shape {
            BoneShape::Tip => 0.0,
            BoneShape::Capsule(head) => head * self.scale * (1.0 - share) + self.radius * share,
            BoneShape::Box(half) => {
                let (_, wide, thick) = self.axes();
                self.scale * (half[0] * wide.dot(out).abs() + half[1] * thick.dot(out).abs())
            }
        }
    }

    fn bone_share(&self, on: Vec3) -> f32 {
        let along = self.tip - self.head;
        ((on - self.head).dot(along) / along.length_squared().max(1e-12)).clamp(0.0, 1.0)
    }

    /// Directions along the bone, along its width, and across both; unit length.
    fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let along = unit_or_zero(self.tip - self.head);
        let [x, y] = [Vec3::X, Vec3::Y].map(|axis| self.rotation * axis);
        let near = if along.dot(x).abs() < 0.8 { x } else { y };
        let wide = (near - along * near.dot(along)).normalize_or(Vec3::X);
        (along, wide, along.cross(wide))
    }

    /// Direction of a push if the bone's line intersects a collider's core.
    fn fallback_normal(&self) -> Vec3 {
        self.axes().2
    }

    /// The point nearest to `point` in a box from head to tip with half the width and thickness of `half`.
    fn closest_in_box(&self, half: [f32; 2], point: Vec3) -> Vec3 {
        let (along, wide, thick) = self.axes();
        let [half_wide, half_thick] = half.map(|half| half * self.scale);
        let offset = point - self.head;
        let length = (self.tip - self.head).length();
        self.head
            + along * clamp_no_panic(offset.dot(along), 0.0, length)
            + wide * clamp_no_panic(offset.dot(wide), -half_wide, half_wide)
            + thick * clamp_no_panic(offset.dot(thick), -half_thick, half_thick)
    }
}

/// Penetration of two bodies that touch at the distance `reach`. `apart` is the offset between their cores.
fn penetration(apart: Vec3, reach: f32, share: f32, sideways: Vec3) -> Option<Penetration> {
    let distance = apart.length();
    let out = if distance > 1e-6 { apart / distance } else { sideways };
    (distance < reach).then_some(Penetration { depth: reach - distance, normal: out, bone_share: share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::test_support;

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
        assert!((hit.tip.x / hit.tip.y - 0.75).abs() < 1e-5, "the tip keeps its direction along the panel");
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
        assert_eq!(buried, Vec3::ZERO, "a bone below the ground points straight up");
        assert_eq!(ground(head, Vec3::new(0.0, -0.1, 0.0), 0.2, 0.02), Some(head), "the tip is at the head");
    }

    fn bone(shape: BoneShape) -> ShapedBone {
        let (head, tip) = (Vec3::Y, Vec3::Y * 0.8);
        ShapedBone { head, tip, length: 0.2, shape, radius: 0.02, scale: 1.0, rotation: Quat::IDENTITY }
    }

    fn push_against(shape: BoneShape, collider: ColliderShape, at: [f32; 3]) -> Option<TipHit> {
        let frame = Frame::WORLD.child(&Trs::from_translation(Vec3::from(at)));
        let collider = test_support::collider(collider);
        let hit = push_out(&bone(shape), &collider, &frame);
        if let Some(hit) = hit {
            assert!(((hit.tip - Vec3::Y).length() - 0.2).abs() < 1e-5, "the bone keeps its length");
        }
        hit
    }

    const BALL: ColliderShape = ColliderShape::Sphere { radius: 0.03, inside: false };
    const ROD: ColliderShape = ColliderShape::Capsule { radius: 0.03, height: 0.2, inside: false };
    const CAPSULE: BoneShape = BoneShape::Capsule(0.02);

    #[test]
    fn a_sphere_beside_the_middle_of_a_bone_rotates_the_bone_away() {
        for shape in [CAPSULE, BoneShape::Box([0.02, 0.02])] {
            let hit = push_against(shape, BALL, [-0.04, 0.9, 0.0]).expect("they overlap by a centimetre");
            assert!((hit.tip.x - 0.02).abs() < 2e-3, "1 cm at half the bone is 2 cm at the tip: {}", hit.tip);
            assert_eq!(push_against(shape, BALL, [-0.051, 0.9, 0.0]), None);
            assert_eq!(push_against(shape, BALL, [-0.02, 0.7, 0.0]), None, "below the tip");
        }
        assert_eq!(push_against(BoneShape::Tip, BALL, [-0.04, 0.9, 0.0]), None);
    }

    #[test]
    fn a_capsule_across_a_bone_pushes_it_where_they_cross() {
        let across = Frame::WORLD.child(&Trs {
            rotation: Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
            ..Trs::from_translation(Vec3::new(-0.04, 0.85, -0.1))
        });
        let rod = test_support::collider(ROD);
        for shape in [CAPSULE, BoneShape::Box([0.02, 0.02])] {
            let hit = push_out(&bone(shape), &rod, &across).expect("they overlap by a centimetre");
            assert!(hit.tip.x > 0.01 && hit.tip.z.abs() < 1e-4, "{}", hit.tip);
        }
    }

    #[test]
    fn a_tapered_bone_collides_with_its_radius_at_the_contact() {
        let taper = BoneShape::Capsule(0.06);
        assert!(push_against(taper, BALL, [-0.07, 0.95, 0.0]).is_some());
        assert_eq!(push_against(taper, BALL, [-0.07, 0.82, 0.0]), None);
    }

    #[test]
    fn a_panel_pushes_out_a_bone_that_dips_into_it() {
        let panel = ColliderShape::Panel { width: 0.5, height: 0.5 };
        let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::new(1.0, 0.0, 0.0));
        let frame = Frame::WORLD.child(&Trs { rotation: turn, ..Trs::from_translation(Vec3::new(-0.01, 0.9, 0.0)) });
        let collider = test_support::collider(panel);
        let hit = push_out(&bone(CAPSULE), &collider, &frame).expect("a centimetre deep");
        assert!(hit.tip.x > 0.009, "{}", hit.tip);
        assert!(push_out(&bone(BoneShape::Tip), &collider, &frame).is_none());
    }
}
