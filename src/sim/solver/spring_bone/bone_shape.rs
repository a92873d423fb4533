//! A bone's own shape against colliders, so that nothing slips in between tips.
//!
//! The shape, a capsule from head to tip or a box along the bone, is looked at in the world. Where it is deepest, it is
//! pushed straight out by turning the bone about its head: a push at the share `s` of the way to the tip moves the tip
//! by as much over `s`, never more than five times, and the bone keeps its length.

use super::shapes::TipHit;
use crate::math::{Frame, closest_on_segment};
use crate::sim::ColliderShape;
use crate::sim::scene::ColliderRuntime;
use crate::sim::vec_util::{clamp_no_panic, unit_or_zero};
use glam::{Quat, Vec2, Vec3};

/// Rounds in which the nearest points of two bodies find each other.
const ROUNDS: usize = 8;
/// Nearer to the head than this share of the bone a push is not magnified any more.
const MIN_BONE_SHARE: f32 = 0.2;

/// What of a bone meets colliders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum BoneShape {
    /// A ball at the tip.
    Tip,
    /// From head to tip; the radius at the head.
    Capsule(f32),
    /// Along the bone; half width along its own X (Y where it runs along X), and half thickness across both.
    Box([f32; 2]),
}

/// A bone as it lies in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapedBone {
    pub(super) head: Vec3,
    pub(super) tip: Vec3,
    /// From head to tip at rest, metres.
    pub(super) length: f32,
    pub(super) shape: BoneShape,
    /// Of the tip, metres in the world.
    pub(super) radius: f32,
    /// How long a metre of the bone's own is in the world.
    pub(super) scale: f32,
    /// Of the bone before it is turned to its tip.
    pub(super) rotation: Quat,
}

/// How a bone overlaps something.
#[derive(Clone, Copy, Debug)]
struct Penetration {
    /// Metres.
    depth: f32,
    /// The way out, unit length.
    normal: Vec3,
    /// Where along the bone, 0 at the head to 1 at the tip.
    bone_share: f32,
}

/// Turns the bone out of a collider; `None` if they do not touch or the shape is the tip's ball alone.
pub(super) fn push_out(bone: &ShapedBone, collider: &ColliderRuntime, frame: &Frame) -> Option<TipHit> {
    let dent = match collider.shape {
        ColliderShape::Sphere { radius, inside: false } => {
            let at = frame.position;
            bone.segment_penetration(at, at, radius * scale_x(frame))
        }
        ColliderShape::Capsule { radius, inside: false, .. } if radius <= 0.0001 => None,
        ColliderShape::Capsule { radius, height, inside: false } => {
            bone.segment_penetration(frame.position, frame.transform_point(Vec3::Y * height), radius * scale_x(frame))
        }
        ColliderShape::Panel { width, height } => bone.panel_penetration(frame, Vec2::new(0.5 * width, 0.5 * height)),
        // The engine has none of these.
        _ => None,
    }?;
    let moved = bone.tip + dent.normal * (dent.depth / dent.bone_share.max(MIN_BONE_SHARE));
    let direction = unit_or_zero(moved - bone.head);
    let tip = if direction == Vec3::ZERO { bone.tip } else { bone.head + direction * bone.length };
    tip.is_finite().then_some(TipHit { tip, normal: dent.normal })
}

/// How long a metre of the frame's own X is in the world.
fn scale_x(frame: &Frame) -> f32 {
    if frame.scaled { (frame.linear() * Vec3::X).length() } else { 1.0 }
}

impl ShapedBone {
    /// Against everything nearer than `radius` to the line from `a` to `b`.
    fn segment_penetration(&self, a: Vec3, b: Vec3, radius: f32) -> Option<Penetration> {
        match self.shape {
            BoneShape::Tip => None,
            BoneShape::Capsule(head_radius) => {
                let mut core = a.midpoint(b);
                for _ in 0..ROUNDS {
                    core = closest_on_segment(closest_on_segment(core, self.head, self.tip), a, b);
                }
                let on = closest_on_segment(core, self.head, self.tip);
                let share = self.bone_share(on);
                let own = head_radius * self.scale * (1.0 - share) + self.radius * share;
                penetration(on - core, radius + own, share, self.fallback_normal())
            }
            BoneShape::Box(half) => {
                let mut core = a.midpoint(b);
                for _ in 0..ROUNDS {
                    core = closest_on_segment(self.closest_in_box(half, core), a, b);
                }
                let on = self.closest_in_box(half, core);
                penetration(on - core, radius, self.bone_share(on), self.fallback_normal())
            }
        }
    }

    /// Against a panel in whose rectangle of `half` extents the bone dips, its head in front.
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

    /// How far the shape reaches from the bone's line at `share` of the way, along `out`.
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

    /// Along the bone, along its width, and across both; unit length.
    fn axes(&self) -> (Vec3, Vec3, Vec3) {
        let along = unit_or_zero(self.tip - self.head);
        let [x, y] = [Vec3::X, Vec3::Y].map(|axis| self.rotation * axis);
        let near = if along.dot(x).abs() < 0.8 { x } else { y };
        let wide = (near - along * near.dot(along)).normalize_or(Vec3::X);
        (along, wide, along.cross(wide))
    }

    /// Where to when a core runs right through the bone's line.
    fn fallback_normal(&self) -> Vec3 {
        self.axes().2
    }

    /// The point of a box of `half` width and thickness from head to tip that is nearest to `point`.
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

/// The overlap of two bodies whose cores are `apart`, and would not touch at the distance `reach`.
fn penetration(apart: Vec3, reach: f32, share: f32, sideways: Vec3) -> Option<Penetration> {
    let distance = apart.length();
    let out = if distance > 1e-6 { apart / distance } else { sideways };
    (distance < reach).then_some(Penetration { depth: reach - distance, normal: out, bone_share: share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    fn bone(shape: BoneShape) -> ShapedBone {
        let (head, tip) = (Vec3::Y, Vec3::Y * 0.8);
        ShapedBone { head, tip, length: 0.2, shape, radius: 0.02, scale: 1.0, rotation: Quat::IDENTITY }
    }

    fn push_against(shape: BoneShape, collider: ColliderShape, at: [f32; 3]) -> Option<TipHit> {
        let frame = Frame::WORLD.child(&Trs::from_translation(Vec3::from(at)));
        let collider = ColliderRuntime { bone: 0, shape: collider, enabled: true, renderer_on: true };
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
            assert!((hit.tip.x - 0.02).abs() < 2e-3, "twice a centimetre at twice the distance: {}", hit.tip);
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
        let rod = ColliderRuntime { bone: 0, shape: ROD, enabled: true, renderer_on: true };
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
        let collider = ColliderRuntime { bone: 0, shape: panel, enabled: true, renderer_on: true };
        let hit = push_out(&bone(CAPSULE), &collider, &frame).expect("a centimetre deep");
        assert!(hit.tip.x > 0.009, "{}", hit.tip);
        assert!(push_out(&bone(BoneShape::Tip), &collider, &frame).is_none());
    }
}
