//! A bone's own shape against colliders, so that nothing slips in between tips.
//!
//! The shape, a capsule from head to tip or a box along the bone, is looked at in the world. Where it is deepest, it is
//! pushed straight out by turning the bone about its head: a push at the share `s` of the way to the tip moves the tip
//! by as much over `s`, never more than five times, and the bone keeps its length.

use super::shapes::Hit;
use crate::math::{Frame, closest_on_segment};
use crate::sim::Shape;
use crate::sim::kernel::{clamped, unit_or_zero};
use crate::sim::scene::ColliderRest;
use glam::{Quat, Vec2, Vec3};

/// Rounds in which the nearest points of two bodies find each other.
const ROUNDS: usize = 8;
/// Nearer to the head than this share of the bone a push is not magnified any more.
const NEAREST: f32 = 0.2;

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
pub(super) struct Bone {
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
struct Dent {
    /// Metres.
    depth: f32,
    /// The way out, unit length.
    out: Vec3,
    /// Where along the bone, 0 at the head to 1 at the tip.
    share: f32,
}

/// Turns the bone out of a collider; `None` if they do not touch or the shape is the tip's ball alone.
pub(super) fn push(bone: &Bone, collider: &ColliderRest, frame: &Frame) -> Option<Hit> {
    let dent = match collider.shape {
        Shape::Sphere { radius, inside: false } => {
            let at = frame.position;
            bone.meet_core(at, at, radius * width(frame))
        }
        Shape::Capsule { radius, inside: false, .. } if radius <= 0.0001 => None,
        Shape::Capsule { radius, height, inside: false } => {
            bone.meet_core(frame.position, frame.point(Vec3::Y * height), radius * width(frame))
        }
        Shape::Panel { width, height } => bone.meet_panel(frame, Vec2::new(0.5 * width, 0.5 * height)),
        // The engine has none of these.
        _ => None,
    }?;
    let moved = bone.tip + dent.out * (dent.depth / dent.share.max(NEAREST));
    let direction = unit_or_zero(moved - bone.head);
    let tip = if direction == Vec3::ZERO { bone.tip } else { bone.head + direction * bone.length };
    tip.is_finite().then_some(Hit { tip, normal: dent.out })
}

/// How long a metre of the frame's own X is in the world.
fn width(frame: &Frame) -> f32 {
    if frame.scaled { (frame.linear() * Vec3::X).length() } else { 1.0 }
}

impl Bone {
    /// Against everything nearer than `radius` to the line from `a` to `b`.
    fn meet_core(&self, a: Vec3, b: Vec3, radius: f32) -> Option<Dent> {
        match self.shape {
            BoneShape::Tip => None,
            BoneShape::Capsule(head_radius) => {
                let mut core = a.midpoint(b);
                for _ in 0..ROUNDS {
                    core = closest_on_segment(closest_on_segment(core, self.head, self.tip), a, b);
                }
                let on = closest_on_segment(core, self.head, self.tip);
                let share = self.share(on);
                let own = head_radius * self.scale * (1.0 - share) + self.radius * share;
                dent(on - core, radius + own, share, self.sideways())
            }
            BoneShape::Box(half) => {
                let mut core = a.midpoint(b);
                for _ in 0..ROUNDS {
                    core = closest_on_segment(self.closest_in_box(half, core), a, b);
                }
                let on = self.closest_in_box(half, core);
                dent(on - core, radius, self.share(on), self.sideways())
            }
        }
    }

    /// Against a panel in whose rectangle of `half` extents the bone dips, its head in front.
    fn meet_panel(&self, frame: &Frame, half: Vec2) -> Option<Dent> {
        let out = frame.rotation * Vec3::Z;
        if matches!(self.shape, BoneShape::Tip) || frame.inverse_point(self.head).z <= 0.0 {
            return None;
        }
        let mut deepest: Option<Dent> = None;
        for share in [0.25, 0.5, 0.75, 1.0] {
            let middle = self.head.lerp(self.tip, share);
            let point = middle - out * self.reach(share, out);
            let local = frame.inverse_point(point);
            let depth = (frame.point(local.with_z(0.0)) - point).dot(out);
            let inside = local.x.abs() < half.x && local.y.abs() < half.y;
            if inside && depth > deepest.map_or(0.0, |d| d.depth / d.share) * share {
                deepest = Some(Dent { depth, out, share });
            }
        }
        deepest
    }

    /// How far the shape reaches from the bone's line at `share` of the way, along `out`.
    fn reach(&self, share: f32, out: Vec3) -> f32 {
        match self.shape {
            BoneShape::Tip => 0.0,
            BoneShape::Capsule(head) => head * self.scale * (1.0 - share) + self.radius * share,
            BoneShape::Box(half) => {
                let (_, wide, thick) = self.axes();
                self.scale * (half[0] * wide.dot(out).abs() + half[1] * thick.dot(out).abs())
            }
        }
    }

    fn share(&self, on: Vec3) -> f32 {
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
    fn sideways(&self) -> Vec3 {
        self.axes().2
    }

    /// The point of a box of `half` width and thickness from head to tip that is nearest to `point`.
    fn closest_in_box(&self, half: [f32; 2], point: Vec3) -> Vec3 {
        let (along, wide, thick) = self.axes();
        let [half_wide, half_thick] = half.map(|half| half * self.scale);
        let offset = point - self.head;
        let length = (self.tip - self.head).length();
        self.head
            + along * clamped(offset.dot(along), 0.0, length)
            + wide * clamped(offset.dot(wide), -half_wide, half_wide)
            + thick * clamped(offset.dot(thick), -half_thick, half_thick)
    }
}

/// The overlap of two bodies whose cores are `apart`, and would not touch at the distance `reach`.
fn dent(apart: Vec3, reach: f32, share: f32, sideways: Vec3) -> Option<Dent> {
    let distance = apart.length();
    let out = if distance > 1e-6 { apart / distance } else { sideways };
    (distance < reach).then_some(Dent { depth: reach - distance, out, share })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    fn bone(shape: BoneShape) -> Bone {
        let (head, tip) = (Vec3::Y, Vec3::Y * 0.8);
        Bone { head, tip, length: 0.2, shape, radius: 0.02, scale: 1.0, rotation: Quat::IDENTITY }
    }

    fn against(shape: BoneShape, collider: Shape, at: [f32; 3]) -> Option<Hit> {
        let frame = Frame::WORLD.child(&Trs::from_translation(Vec3::from(at)));
        let collider = ColliderRest { bone: 0, shape: collider, enabled: true, renderer_on: true };
        let hit = push(&bone(shape), &collider, &frame);
        if let Some(hit) = hit {
            assert!(((hit.tip - Vec3::Y).length() - 0.2).abs() < 1e-5, "the bone keeps its length");
        }
        hit
    }

    const BALL: Shape = Shape::Sphere { radius: 0.03, inside: false };
    const ROD: Shape = Shape::Capsule { radius: 0.03, height: 0.2, inside: false };
    const CAPSULE: BoneShape = BoneShape::Capsule(0.02);

    #[test]
    fn a_ball_beside_the_middle_of_a_bone_turns_it_away() {
        for shape in [CAPSULE, BoneShape::Box([0.02, 0.02])] {
            let hit = against(shape, BALL, [-0.04, 0.9, 0.0]).expect("they overlap by a centimetre");
            assert!((hit.tip.x - 0.02).abs() < 2e-3, "twice a centimetre at twice the distance: {}", hit.tip);
            assert_eq!(against(shape, BALL, [-0.051, 0.9, 0.0]), None);
            assert_eq!(against(shape, BALL, [-0.02, 0.7, 0.0]), None, "below the tip");
        }
        assert_eq!(against(BoneShape::Tip, BALL, [-0.04, 0.9, 0.0]), None);
    }

    #[test]
    fn a_rod_across_a_bone_meets_it_wherever_they_cross() {
        let across = Frame::WORLD.child(&Trs {
            rotation: Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
            ..Trs::from_translation(Vec3::new(-0.04, 0.85, -0.1))
        });
        let rod = ColliderRest { bone: 0, shape: ROD, enabled: true, renderer_on: true };
        for shape in [CAPSULE, BoneShape::Box([0.02, 0.02])] {
            let hit = push(&bone(shape), &rod, &across).expect("they overlap by a centimetre");
            assert!(hit.tip.x > 0.01 && hit.tip.z.abs() < 1e-4, "{}", hit.tip);
        }
    }

    #[test]
    fn a_taper_counts_its_radius_where_it_is_met() {
        let taper = BoneShape::Capsule(0.06);
        assert!(against(taper, BALL, [-0.07, 0.95, 0.0]).is_some());
        assert_eq!(against(taper, BALL, [-0.07, 0.82, 0.0]), None);
    }

    #[test]
    fn a_panel_lifts_a_bone_that_dips_into_it() {
        let panel = Shape::Panel { width: 0.5, height: 0.5 };
        let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::new(1.0, 0.0, 0.0));
        let frame = Frame::WORLD.child(&Trs { rotation: turn, ..Trs::from_translation(Vec3::new(-0.01, 0.9, 0.0)) });
        let collider = ColliderRest { bone: 0, shape: panel, enabled: true, renderer_on: true };
        let hit = push(&bone(CAPSULE), &collider, &frame).expect("a centimetre deep");
        assert!(hit.tip.x > 0.009, "{}", hit.tip);
        assert!(push(&bone(BoneShape::Tip), &collider, &frame).is_none());
    }
}
