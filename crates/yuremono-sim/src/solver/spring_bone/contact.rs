//! Contact of a tip with its colliders, and the velocity of the tip after the contact.

use super::shapes::{self, TipHit};
use super::{JointRest, Params, Rest, System};
use crate::collider::{BoundingSphere, ContactSphere, SurfacePoint, TOUCH_DISTANCE, WorldCollider};
use crate::math::Frame;
use crate::step_pose::{ColliderRuntime, StepPose};
use crate::{ColliderShape, vec_util};
use glam::{Vec2, Vec3};

pub(super) struct TipContact<'a> {
    pub(super) rest: &'a Rest,
    pub(super) joint: &'a JointRest,
    pub(super) params: &'a Params,
    pub(super) system: &'a System,
    pub(super) step_pose: &'a StepPose<'a>,
    /// One entry per collider of the system.
    pub(super) collider_bounds: &'a [BoundingSphere],
    pub(super) head: Vec3,
    /// Radius of the tip, in metres in the world.
    pub(super) radius: f32,
}

impl TipContact<'_> {
    /// Pushes the tip out of each collider in turn, and then applies bounce and friction. `WITH_BONE_SHAPE` also
    /// pushes out the bone's own shape. Returns the tip and its previous position.
    #[inline(never)]
    pub(super) fn push_out<const WITH_BONE_SHAPE: bool>(&self, free: Vec3, previous: Vec3) -> (Vec3, Vec3) {
        let mut tip = free;
        let mut normal = None;
        let ids = self.joint.colliders.slice(&self.rest.colliders);
        for id in ids {
            if !WITH_BONE_SHAPE && self.collider_bounds[*id as usize].is_out_of_reach(tip, self.radius) {
                continue;
            }
            let collider = &self.step_pose.colliders[*id as usize];
            if !is_active(collider) {
                continue;
            }
            let frame = &self.step_pose.frames[collider.bone as usize];
            if let Some(hit) = self.tip_hit(collider, frame, tip) {
                (tip, normal) = (hit.tip, Some(hit.normal));
            }
            if WITH_BONE_SHAPE && let Some(hit) = shapes::push_out(&self.shaped_bone(tip), collider, frame) {
                (tip, normal) = (hit.tip, Some(hit.normal));
            }
        }
        match normal {
            Some(normal) => bounce(self.system, free, tip, previous, normal),
            None => (tip, previous),
        }
    }

    fn shaped_bone(&self, tip: Vec3) -> shapes::ShapedBone {
        let scale = if self.params.radius > 0.0 { self.radius / self.params.radius } else { 1.0 };
        let parent = self.step_pose.parent_frame(self.joint.parent);
        let rotation = parent.rotation * self.step_pose.pose[self.joint.bone as usize].rotation;
        shapes::ShapedBone {
            head: self.head,
            tip,
            length: self.joint.length,
            shape: self.params.shape,
            radius: self.radius,
            scale,
            rotation,
        }
    }

    /// Contact of the tip's sphere with one collider, in the world.
    #[inline]
    fn tip_hit(&self, collider: &ColliderRuntime, frame: &Frame, tip: Vec3) -> Option<TipHit> {
        if let ColliderShape::Sphere { radius, inside: false } = collider.shape
            && !frame.scaled
        {
            // A sphere is symmetric, so its rotation does not matter.
            let from = frame.position;
            let hit = shapes::sphere(self.head - from, tip - from, radius, self.radius)?;
            return Some(TipHit { tip: hit.tip + from, normal: hit.normal });
        }
        let (head, local) = (frame.inverse_transform_point(self.head), frame.inverse_transform_point(tip));
        let hit = match collider.shape {
            ColliderShape::Sphere { radius, inside: false } => {
                shapes::sphere(head, local, radius, self.radius * self.inverse_scale(frame))
            }
            ColliderShape::Capsule { radius, height, inside: false } => {
                // Release 1.1 handles scale correctly only for this shape.
                shapes::capsule(head, local, radius, height, self.radius * inverse_scale_x(frame))
            }
            ColliderShape::Panel { width, height } => {
                let (half, share) = (Vec2::new(0.5 * width, 0.5 * height), self.inverse_scale(frame));
                shapes::panel(head, local, half, self.joint.length * share, self.radius * share)
            }
            // Unity does not have the other shapes.
            _ => None,
        }?;
        Some(TipHit { tip: frame.transform_point(hit.tip), normal: frame.rotation * hit.normal })
    }

    /// Length that one metre in the world has in the space of a sphere or panel.
    fn inverse_scale(&self, frame: &Frame) -> f32 {
        if self.system.scaled_radii { inverse_scale_x(frame) } else { 1.0 }
    }
}

/// The bounds of a collider in the world, for contacts of tips.
pub(super) fn bounding_sphere(collider: &ColliderRuntime, frame: &Frame) -> BoundingSphere {
    if frame.scaled {
        return BoundingSphere::EVERYWHERE;
    }
    WorldCollider::new(&collider.shape, frame, 1.0).bounding_sphere()
}

/// Whether a collider is on. As in Unity, a hidden linked renderer does not disable spheres.
#[inline]
pub(super) fn is_active(collider: &ColliderRuntime) -> bool {
    collider.enabled && (collider.renderer_on || matches!(collider.shape, ColliderShape::Sphere { inside: false, .. }))
}

/// Length that one metre in the world has along the frame's X.
pub(super) fn inverse_scale_x(frame: &Frame) -> f32 {
    if frame.scaled { (frame.linear().inverse() * Vec3::X).length() } else { 1.0 }
}

/// Length in the world of one metre along the bone's X, before the step rotates the bone.
#[inline(never)]
pub(super) fn bone_scale_x(joint: &JointRest, step_pose: &StepPose<'_>) -> f32 {
    let local = &step_pose.pose[joint.bone as usize];
    let along = local.rotation * Vec3::X * local.scale.x;
    let parent = step_pose.parent_frame(joint.parent);
    if parent.scaled { (parent.linear() * along).length() } else { local.scale.x.abs() }
}

/// Reflects the motion of a tip at a collider. As in Unity, the tip sticks if the reflected motion is below one
/// centimetre per step.
fn bounce(system: &System, free: Vec3, mut tip: Vec3, previous: Vec3, normal: Vec3) -> (Vec3, Vec3) {
    let incident = free - previous;
    let reflected = incident - normal * (2.0 * incident.dot(normal));
    let up = normal * reflected.dot(normal);
    let velocity = up * system.bounce + (reflected - up) * (1.0 - system.friction);
    if velocity.length_squared() <= 0.0001 {
        return (tip, tip);
    }
    let travelled = (tip - previous).length();
    let speed = velocity.length();
    let previous = tip - velocity;
    tip += vec_util::unit_or_zero(velocity) * (speed - travelled).max(0.0);
    (tip, previous)
}

/// The point of a collider that is nearest to the tip's sphere. `head` and `length` belong to the bone. The scale of
/// the node deforms spheres and capsules.
pub(super) fn surface(
    shape: &ColliderShape,
    frame: &Frame,
    ball: &ContactSphere<'_>,
    head: Vec3,
    length: f32,
    scaled: bool,
) -> Option<SurfacePoint> {
    let is_solid = match *shape {
        ColliderShape::Panel { width, height } => {
            let half = Vec2::new(0.5 * width, 0.5 * height);
            let share = if scaled { inverse_scale_x(frame) } else { 1.0 };
            let bone = BoneSegment {
                head,
                tip: ball.center,
                length: length * share,
                radius: (ball.radius + TOUCH_DISTANCE) * share,
            };
            let (depth, point) = panel_depth(half, frame, &bone)?;
            return Some(SurfacePoint { distance: ball.radius - (depth - TOUCH_DISTANCE).max(0.0), point });
        }
        ColliderShape::Sphere { inside, .. } => !inside,
        ColliderShape::Capsule { radius, inside, .. } => !inside && radius > 0.0001,
        // Unity does not have the other shapes.
        _ => false,
    };
    let local =
        WorldCollider::new(shape, &Frame::WORLD, 1.0).nearest_surface(frame.inverse_transform_point(ball.center))?;
    is_solid.then(|| SurfacePoint::from_point(frame.transform_point(local.point), ball.center, local.distance < 0.0))
}

/// A bone in contact with a panel. Positions are in the world; lengths are in the panel's frame.
struct BoneSegment {
    head: Vec3,
    tip: Vec3,
    length: f32,
    radius: f32,
}

/// Depth of a tip in a panel, in metres in the world, and the nearest point of the panel; `None` if the panel does
/// not push the tip. A panel is solid at any depth, so the depth is the shortest way out: through the front, past an
/// edge, or to the new position of the tip.
fn panel_depth(half: Vec2, frame: &Frame, bone: &BoneSegment) -> Option<(f32, Vec3)> {
    let (head, local) = (frame.inverse_transform_point(bone.head), frame.inverse_transform_point(bone.tip));
    let pushed = shapes::panel(head, local, half, bone.length, bone.radius)?;
    let axes = frame.linear();
    let front = (bone.radius - local.z) * axes.z_axis.length();
    let past = |half: f32, at: f32, axis: Vec3| (half + bone.radius - at.abs()) * axis.length();
    let edge = past(half.x, local.x, axes.x_axis).min(past(half.y, local.y, axes.y_axis));
    let depth = front.min(edge).min((frame.transform_point(pushed.tip) - bone.tip).length());
    let on = local.truncate().clamp(-half.abs(), half.abs());
    Some((depth, frame.transform_point(on.extend(0.0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_panel(head: [f32; 3], tip: [f32; 3], depth: Option<f32>) {
        let (head, tip) = (Vec3::from(head), Vec3::from(tip));
        let bone = BoneSegment { head, tip, length: head.distance(tip), radius: 0.02 };
        let found = panel_depth(Vec2::new(0.2, 0.5), &Frame::WORLD, &bone).map(|(depth, _)| depth);
        assert_eq!(found.is_some(), depth.is_some(), "{found:?}");
        assert!((found.unwrap_or(0.0) - depth.unwrap_or(0.0)).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn panel_depth_is_the_shortest_way_out_and_exists_only_where_the_panel_pushes() {
        check_panel([0.0, 0.1, 0.1], [0.0, 0.0, 0.01], Some(0.01));
        check_panel([0.0, 0.1, 0.1], [0.0, 0.0, 0.03], None);
        check_panel([0.0, 0.0, -1.0], [0.1, 0.0, -1.0], Some(0.12));
        check_panel([0.3, 0.0, -1.0], [0.2, 0.0, -1.0], Some(0.0));
        check_panel([0.3, 0.0, -1.0], [0.23, 0.0, -1.0], None);
    }
}
