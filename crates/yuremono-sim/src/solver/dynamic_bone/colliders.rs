//! Colliders in world space, and how they push particles out.

use super::{Implementation, pose_io};
use crate::ColliderShape;
use crate::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::math::Frame;
use crate::step_pose::ColliderRuntime;
use glam::Vec3;

/// The asset treats radii as equal if they differ by less than this, in metres before scaling.
const SAME_RADIUS_TOLERANCE: f32 = 0.01;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ColliderKind {
    #[default]
    Off,
    Plane,
    Sphere,
    Capsule,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DynamicBoneCollider {
    kind: ColliderKind,
    /// Whether the collider keeps tips inside.
    inside: bool,
    /// Center, first end, or a point of the plane.
    position: Vec3,
    /// Vector to the other end, or the normal of the plane.
    axis: Vec3,
    /// Radii at the first and at the other end, in metres.
    radii: (f32, f32),
    /// Reproduces a bug of the clone: the far end pushes away from the first end.
    swaps_end_push: bool,
}

impl DynamicBoneCollider {
    /// Places a collider in world space; `Off` for shapes that the asset does not support.
    pub(super) fn new(collider: &ColliderRuntime, frame: &Frame, code: Implementation) -> Self {
        if !collider.enabled {
            return Self::default();
        }
        let clone = code == Implementation::Clone;
        let scale = pose_io::bone_scale_x(std::slice::from_ref(frame), 0);
        let inside = collider.shape.is_inside();
        let (kind, ([radius, tail_radius], height)) = match (collider.shape, collider.shape.radii_and_height()) {
            (ColliderShape::Plane, _) => (ColliderKind::Plane, ([0.0; 2], 0.0)),
            (ColliderShape::Sphere { .. }, Some(size)) => (ColliderKind::Sphere, size),
            (ColliderShape::Capsule { .. }, Some(_)) if inside && clone => return Self::default(),
            (ColliderShape::TaperedCapsule { .. }, Some(([radius, tail_radius], height))) => {
                (ColliderKind::Capsule, merge_similar_radii(radius, tail_radius, height))
            }
            (_, Some(size)) => (ColliderKind::Capsule, size),
            (_, None) => return Self::default(),
        };
        let at = frame.position;
        let along = if kind == ColliderKind::Plane {
            frame.rotation * Vec3::Z
        } else {
            frame.transform_point(Vec3::Y * height.max(0.0)) - at
        };
        if !(at.is_finite() && along.length_squared().is_finite()) {
            return Self::default();
        }
        let grown = if clone && kind == ColliderKind::Capsule { 1.0 } else { scale };
        Self {
            kind,
            inside,
            position: at,
            axis: along,
            radii: (radius * grown, tail_radius * grown),
            swaps_end_push: clone,
        }
    }

    /// Returns the offset that moves a sphere of `radius` at `at` out of the collider, or back inside, in metres;
    /// `None` if there is no contact or no unique direction.
    #[inline]
    pub(super) fn push_offset(&self, at: Vec3, radius: f32) -> Option<Vec3> {
        match self.kind {
            ColliderKind::Off => None,
            // As in the asset, a plane tests only the center of the sphere.
            ColliderKind::Plane => {
                let above = (at - self.position).dot(self.axis);
                (above < 0.0).then(|| self.axis * -above)
            }
            ColliderKind::Sphere => self.push_off_point(at - self.position, self.radii.0, radius),
            ColliderKind::Capsule => self.push_off_axis(at - self.position, radius),
        }
    }

    /// Returns the surface point nearest to a sphere. As in the asset, a plane tests only the center of the sphere.
    pub(super) fn surface(&self, ball: &ContactSphere<'_>) -> Option<SurfacePoint> {
        let (inside, radii) = (self.inside, [self.radii.0, self.radii.1]);
        let collider = match self.kind {
            ColliderKind::Off => WorldCollider::Off,
            ColliderKind::Plane => WorldCollider::Plane { point: self.position, normal: self.axis },
            ColliderKind::Sphere => WorldCollider::Sphere { center: self.position, radius: radii[0], inside },
            ColliderKind::Capsule => {
                WorldCollider::Capsule { ends: [self.position, self.position + self.axis], radii, inside }
            }
        };
        let surface = collider.nearest_surface(ball.center)?;
        let more = if self.kind == ColliderKind::Plane { ball.radius } else { 0.0 };
        Some(SurfacePoint { distance: surface.distance + more, ..surface })
    }

    fn push_off_axis(&self, offset: Vec3, radius: f32) -> Option<Vec3> {
        let share = offset.dot(self.axis);
        let whole = self.axis.length_squared();
        if share <= 0.0 {
            self.push_off_point(offset, self.radii.0, radius)
        } else if share >= whole {
            let from_end = offset - self.axis;
            let way = self.push_off_point(from_end, self.radii.1, radius)?;
            Some(if self.swaps_end_push { way - self.axis } else { way })
        } else {
            let share = share / whole;
            let thickness = self.radii.0 + (self.radii.1 - self.radii.0) * share;
            self.push_off_point(offset - self.axis * share, thickness, radius)
        }
    }

    /// Pushes a sphere away from a point, or back towards the point if the collider is an inside collider.
    #[inline]
    fn push_off_point(&self, offset: Vec3, thickness: f32, radius: f32) -> Option<Vec3> {
        let squared = offset.length_squared();
        // Differs from DynamicBone, where a sphere that is larger than its inside collider moves through the center.
        // Here it moves to the center.
        let reach = if self.inside { (thickness - radius).max(0.0) } else { thickness + radius };
        let meets = if self.inside { squared > reach * reach } else { squared < reach * reach && reach > 0.0 };
        if !meets || squared <= 0.0 {
            return None;
        }
        let distance = squared.sqrt();
        Some(offset * ((reach - distance) / distance))
    }
}

/// Returns the radii and the height between the end spheres, as in the asset, for the same total length. If the radii
/// are nearly equal, or the far radius is 0, the collider is a plain capsule.
fn merge_similar_radii(radius: f32, tail: f32, height: f32) -> ([f32; 2], f32) {
    if tail <= 0.0 || (radius - tail).abs() < SAME_RADIUS_TOLERANCE {
        ([radius; 2], height + tail - radius)
    } else {
        ([radius, tail], height)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::test_support;

    const ROD: ColliderShape = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false };

    fn world_collider(shape: ColliderShape, local: &Trs, code: Implementation) -> DynamicBoneCollider {
        let collider = test_support::collider(shape);
        DynamicBoneCollider::new(&collider, &Frame::WORLD.child(local), code)
    }

    #[track_caller]
    fn check(shape: ColliderShape, at: [f32; 3], expected: Option<[f32; 3]>) {
        check_collider(&world_collider(shape, &Trs::IDENTITY, Implementation::Asset), at, expected);
    }

    #[track_caller]
    fn check_collider(collider: &DynamicBoneCollider, at: [f32; 3], expected: Option<[f32; 3]>) {
        let at = Vec3::from(at);
        let found = collider.push_offset(at, 0.05).map(|way| at + way);
        let same = match (found, expected) {
            (Some(found), Some(expected)) => found.distance(Vec3::from(expected)) < 1e-6,
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(same, "{collider:?} puts {at} to {found:?}, expected {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_tips_out_and_an_inside_sphere_keeps_tips_in() {
        let ball = ColliderShape::Sphere { radius: 0.1, inside: false };
        check(ball, [0.16, 0.0, 0.0], None);
        check(ball, [0.1, 0.0, 0.0], Some([0.15, 0.0, 0.0]));
        check(ball, [0.0; 3], None);
        let room = ColliderShape::Sphere { radius: 0.1, inside: true };
        check(room, [0.04, 0.0, 0.0], None);
        check(room, [0.0, -0.3, 0.0], Some([0.0, -0.05, 0.0]));
    }

    #[test]
    fn a_tip_larger_than_its_inside_sphere_goes_to_the_center() {
        check(ColliderShape::Sphere { radius: 0.02, inside: true }, [0.0, 0.3, 0.0], Some([0.0; 3]));
        check(ColliderShape::Sphere { radius: 0.02, inside: true }, [0.0; 3], None);
    }

    #[test]
    fn capsules_push_from_the_nearest_point_of_their_axis() {
        check(ROD, [0.1, 0.2, 0.0], Some([0.15, 0.2, 0.0]));
        check(ROD, [0.0, 0.5, 0.0], Some([0.0, 0.55, 0.0]));
        check(ROD, [0.0, -0.1, 0.0], Some([0.0, -0.15, 0.0]));
        check(ROD, [0.0, 0.2, 0.0], None);
        let tube = ROD.inverted();
        check(tube, [0.3, 0.2, 0.0], Some([0.05, 0.2, 0.0]));
        check(tube, [0.0, 0.9, 0.0], Some([0.0, 0.45, 0.0]));
        check(tube, [0.04, 0.2, 0.0], None);
    }

    #[test]
    fn a_tapered_capsule_interpolates_its_radius_and_pushes_away_from_its_axis() {
        let cone = ColliderShape::TaperedCapsule { radius: 0.1, tail_radius: 0.04, height: 0.3, inside: false };
        check(cone, [0.05, 0.15, 0.0], Some([0.12, 0.15, 0.0]));
        check(cone, [0.0, 0.35, 0.0], Some([0.0, 0.39, 0.0]));
        check(cone, [0.13, 0.15, 0.0], None);
        let horn = ColliderShape::TaperedCapsule { radius: 0.1, tail_radius: 0.08, height: 0.3, inside: true };
        check(horn, [0.5, 0.15, 0.0], Some([0.04, 0.15, 0.0]));
    }

    #[test]
    fn similar_end_radii_make_a_plain_capsule_of_the_same_total_length() {
        let nearly = world_collider(
            ColliderShape::TaperedCapsule { radius: 0.1, tail_radius: 0.095, height: 0.3, inside: false },
            &Trs::IDENTITY,
            Implementation::Asset,
        );
        let plain = world_collider(
            ColliderShape::Capsule { radius: 0.1, height: 0.295, inside: false },
            &Trs::IDENTITY,
            Implementation::Asset,
        );
        assert!(nearly.axis.distance(plain.axis) < 1e-6 && nearly.radii == plain.radii);
    }

    #[test]
    fn a_plane_pushes_only_tips_whose_center_is_behind_it() {
        check(ColliderShape::Plane, [3.0, 1.0, 0.01], None);
        check(ColliderShape::Plane, [3.0, 1.0, -0.2], Some([3.0, 1.0, 0.0]));
    }

    #[test]
    fn radii_follow_the_x_scale_and_end_points_follow_the_full_scale() {
        let wide = Trs { scale: Vec3::new(-2.0, 3.0, 1.0), ..Trs::IDENTITY };
        let rod = world_collider(ROD, &wide, Implementation::Asset);
        assert!((rod.radii.0 - 0.2).abs() < 1e-6 && rod.axis.distance(Vec3::Y * 1.2) < 1e-6);
        let clone = world_collider(ROD, &wide, Implementation::Clone);
        assert_eq!(clone.radii.0, 0.1);
        let ball = world_collider(ColliderShape::Sphere { radius: 0.1, inside: false }, &wide, Implementation::Clone);
        assert!((ball.radii.0 - 0.2).abs() < 1e-6);
    }

    #[test]
    fn the_clone_pushes_from_the_wrong_end_and_ignores_inside_capsules() {
        let rod = world_collider(ROD, &Trs::IDENTITY, Implementation::Clone);
        check_collider(&rod, [0.0, 0.5, 0.0], Some([0.0, 0.15, 0.0]));
        let tube = world_collider(ROD.inverted(), &Trs::IDENTITY, Implementation::Clone);
        check_collider(&tube, [0.3, 0.2, 0.0], None);
    }

    #[test]
    fn disabled_and_unsupported_colliders_push_nothing() {
        check(ColliderShape::Panel { width: 1.0, height: 1.0 }, [0.0, 0.0, -0.1], None);
        check(ColliderShape::Box { width: 1.0, height: 1.0, depth: 1.0, inside: false }, [0.0, 0.0, -0.1], None);
        let off = ColliderRuntime { bone: 0, shape: ColliderShape::Plane, enabled: false, renderer_on: true };
        check_collider(&DynamicBoneCollider::new(&off, &Frame::WORLD, Implementation::Asset), [0.0, 0.0, -0.1], None);
    }
}
