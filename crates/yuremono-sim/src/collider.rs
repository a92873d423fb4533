//! Colliders in world space: a signed distance for contact queries, and a simple push.
//!
//! A solver with its own push rule keeps that rule in its folder. The viewport shows the contacts of all solvers in the
//! same way, by the penetration depth of a sphere into the visible collider.

use super::push;
use super::shape::ColliderShape;
use super::step_pose::ColliderRuntime;
use crate::math::Frame;
use glam::{Mat3, Quat, Vec3};
use std::borrow::Cow;

/// Distance within which a sphere touches a collider, in metres. A solved contact overlaps only by rounding errors.
pub(super) const TOUCH_DISTANCE: f32 = 1e-4;

/// A collider in world space, in metres. If `inside` is set, the collider keeps tips inside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum WorldCollider {
    /// No collider.
    #[default]
    Off,
    Sphere {
        center: Vec3,
        radius: f32,
        inside: bool,
    },
    /// All points near a segment. The radius is interpolated between the ends.
    Capsule {
        ends: [Vec3; 2],
        radii: [f32; 2],
        inside: bool,
    },
    /// All points behind a plane; `normal` has unit length.
    Plane {
        point: Vec3,
        normal: Vec3,
    },
    /// A box with half extents along the axes of `rotation`.
    Box {
        center: Vec3,
        rotation: Quat,
        half_extents: Vec3,
        inside: bool,
    },
    /// A cylinder with flat ends and a unit axis. `half_height` is measured from the center.
    Cylinder {
        center: Vec3,
        axis: Vec3,
        half_height: f32,
        radius: f32,
        inside: bool,
    },
}

/// A sphere in the space of a collider's solver that contains the collider.
///
/// Most colliders are far from a tip. Solvers skip the exact test of a collider whose sphere is out of reach. The
/// tolerance is larger than the rounding errors of the exact tests, so skipping never changes a bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoundingSphere {
    center: Vec3,
    radius: f32,
}

impl Default for BoundingSphere {
    fn default() -> Self {
        Self::EVERYWHERE
    }
}

impl BoundingSphere {
    /// Nothing is out of reach of planes and of colliders that keep tips inside.
    pub(super) const EVERYWHERE: Self = Self { center: Vec3::ZERO, radius: f32::INFINITY };

    pub(super) fn new(center: Vec3, radius: f32) -> Self {
        // The rounding errors of positions grow with the distance from the origin.
        Self { center, radius: radius.abs() + 1e-6 * center.abs().max_element() }
    }

    /// Contains all points within `radius` of a segment.
    pub(super) fn around_segment([from, to]: [Vec3; 2], radius: f32) -> Self {
        Self::new(from.midpoint(to), 0.5 * from.distance(to) + radius.abs())
    }

    /// Whether all points within `span` of a point are outside. `false` for NaN.
    #[inline]
    pub(super) fn is_out_of_reach(&self, point: Vec3, span: f32) -> bool {
        let reach = (self.radius + span.abs()) * 1.0001 + 1e-6;
        (point - self.center).length_squared() > reach * reach
    }
}

/// The nearest point of a surface, and its signed distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Distance in metres; negative inside solid colliders.
    pub(super) distance: f32,
    /// Position in the world, in metres.
    pub(super) point: Vec3,
}

impl SurfacePoint {
    /// Returns the surface point of a solid collider that is nearest to `from`.
    pub(super) fn from_point(point: Vec3, from: Vec3, is_within: bool) -> Self {
        let distance = point.distance(from);
        Self { distance: if is_within { -distance } else { distance }, point }
    }
}

impl WorldCollider {
    /// Places a shape in a bone's frame and multiplies its radii by `scale`. Returns `Off` for panels, which have no
    /// volume, and for colliders that are not finite.
    pub(super) fn new(shape: &ColliderShape, frame: &Frame, scale: f32) -> Self {
        let (at, up) = (frame.position, |height| frame.transform_point(Vec3::Y * height));
        let collider = match *shape {
            ColliderShape::Sphere { radius, inside } => Self::Sphere { center: at, radius: radius * scale, inside },
            ColliderShape::Capsule { radius, height, inside } => {
                Self::Capsule { ends: [at, up(height)], radii: [radius * scale; 2], inside }
            }
            ColliderShape::TaperedCapsule { radius, tail_radius, height, inside } => {
                Self::Capsule { ends: [at, up(height)], radii: [radius * scale, tail_radius * scale], inside }
            }
            ColliderShape::Plane => Self::Plane { point: at, normal: plane_normal(frame) },
            ColliderShape::Box { width, height, depth, inside } => {
                let half = Vec3::new(width, height, depth).abs() * 0.5 * axis_lengths(&frame.linear());
                Self::Box { center: at, rotation: frame.rotation, half_extents: half, inside }
            }
            ColliderShape::Cylinder { radius, height, inside } => {
                let half = 0.5 * height.abs() * axis_lengths(&frame.linear()).y;
                Self::Cylinder {
                    center: at,
                    axis: frame.rotation * Vec3::Y,
                    half_height: half,
                    radius: radius * scale,
                    inside,
                }
            }
            ColliderShape::Panel { .. } => Self::Off,
        };
        if collider.is_finite() { collider } else { Self::Off }
    }

    /// Works as in Unity: returns `Off` for a disabled collider, and scales radii by the largest axis scale.
    pub(super) fn unity_scaled(collider: &ColliderRuntime, frame: &Frame) -> Self {
        if collider.enabled && collider.renderer_on {
            Self::new(&collider.shape, frame, max_scale(frame))
        } else {
            Self::Off
        }
    }

    pub(super) fn bounding_sphere(&self) -> BoundingSphere {
        match *self {
            Self::Sphere { center, radius, inside: false } => BoundingSphere::new(center, radius),
            Self::Capsule { ends, radii: [a, b], inside: false } => {
                BoundingSphere::around_segment(ends, a.abs().max(b.abs()))
            }
            _ => BoundingSphere::EVERYWHERE,
        }
    }

    fn is_finite(self) -> bool {
        match self {
            Self::Off => true,
            Self::Sphere { center, radius, .. } => center.is_finite() && radius.is_finite(),
            Self::Capsule { ends, radii, .. } => {
                ends.iter().all(|e| e.is_finite()) && radii.iter().all(|r| r.is_finite())
            }
            Self::Plane { point, normal } => point.is_finite() && normal.is_finite(),
            Self::Box { center, half_extents: half, .. } => center.is_finite() && half.is_finite(),
            Self::Cylinder { center, axis, half_height: half, radius, .. } => {
                center.is_finite() && axis.is_finite() && half.is_finite() && radius.is_finite()
            }
        }
    }

    /// Pushes a sphere at `point` out to the surface and returns its new position; `None` if there is no contact. Boxes
    /// and cylinders do not push.
    #[inline]
    pub(super) fn push_out(&self, point: Vec3, radius: f32) -> Option<Vec3> {
        match *self {
            Self::Sphere { center, radius: solid, inside: false } => push::sphere(point, radius, center, solid),
            Self::Sphere { center, radius: container, inside: true } => {
                push::inside_sphere(point, radius, center, container)
            }
            Self::Capsule { ends, radii, inside: false } => push::tapered_capsule(point, radius, ends, radii),
            Self::Capsule { ends, radii, inside: true } => push::inside_tapered_capsule(point, radius, ends, radii),
            Self::Plane { point: center, normal } => push::plane(point, radius, center, normal),
            Self::Off | Self::Box { .. } | Self::Cylinder { .. } => None,
        }
    }

    /// Returns the nearest point of the surface; `None` for `Off`.
    pub(super) fn nearest_surface(&self, point: Vec3) -> Option<SurfacePoint> {
        let (surface, inside) = match *self {
            Self::Off => return None,
            Self::Plane { point: center, normal } => {
                let distance = normal.dot(point - center);
                (SurfacePoint { distance, point: point - normal * distance }, false)
            }
            Self::Sphere { center, radius, inside } => (sphere_surface(point, center, radius, || Vec3::Y), inside),
            Self::Capsule { ends, radii, inside } => {
                let axis = ends[1] - ends[0];
                let whole = axis.length_squared();
                let share = if whole > 0.0 { (axis.dot(point - ends[0]) / whole).clamp(0.0, 1.0) } else { 0.0 };
                let radius = radii[0] + (radii[1] - radii[0]) * share;
                let side = || axis.try_normalize().map_or(Vec3::Y, Vec3::any_orthonormal_vector);
                (sphere_surface(point, ends[0] + axis * share, radius, side), inside)
            }
            Self::Box { center, rotation, half_extents: half, inside } => {
                let local = rotation.inverse() * (point - center);
                let nearest = nearest_on_box(local, half);
                let is_within = local.abs().cmplt(half).all();
                (SurfacePoint::from_point(center + rotation * nearest, point, is_within), inside)
            }
            Self::Cylinder { center, axis, half_height: half, radius, inside } => {
                let from = point - center;
                let along = axis.dot(from);
                let side = from - axis * along;
                let out = push::try_unit(side).unwrap_or_else(|| axis.any_orthonormal_vector());
                // A cross-section through the axis and the point is a rectangle.
                let local = Vec3::new(side.length(), along, 0.0);
                let extents = Vec3::new(radius, half, f32::INFINITY);
                let nearest = nearest_on_box(local, extents);
                let is_within = local.abs().cmplt(extents).all();
                (SurfacePoint::from_point(center + out * nearest.x + axis * nearest.y, point, is_within), inside)
            }
        };
        Some(if inside { SurfacePoint { distance: -surface.distance, ..surface } } else { surface })
    }
}

/// Returns the nearest surface point of a sphere. `fallback` is the direction for a point at the center.
fn sphere_surface(point: Vec3, center: Vec3, radius: f32, fallback: impl FnOnce() -> Vec3) -> SurfacePoint {
    let out = push::try_unit(point - center).unwrap_or_else(fallback);
    SurfacePoint { distance: point.distance(center) - radius, point: center + out * radius }
}

/// Returns the nearest point on the faces of a box about the origin.
fn nearest_on_box(point: Vec3, half: Vec3) -> Vec3 {
    let depth = half - point.abs();
    if depth.min_element() <= 0.0 {
        return point.clamp(-half, half);
    }
    let axis = depth.min_position();
    let mut nearest = point;
    nearest[axis] = half[axis].copysign(point[axis]);
    nearest
}

fn axis_lengths(linear: &Mat3) -> Vec3 {
    Vec3::new(linear.x_axis.length(), linear.y_axis.length(), linear.z_axis.length())
}

pub(super) fn max_axis_length(linear: &Mat3) -> f32 {
    let Vec3 { x, y, z } = axis_lengths(linear);
    x.max(y).max(z)
}

/// Returns the largest axis scale, measured as in Unity's `lossyScale`.
pub(super) fn max_scale(frame: &Frame) -> f32 {
    if frame.scaled { max_axis_length(&frame.linear()) } else { 1.0 }
}

/// Returns the mean axis scale.
pub(super) fn mean_scale(frame: &Frame) -> f32 {
    if frame.scaled { axis_lengths(&frame.linear()).element_sum() / 3.0 } else { 1.0 }
}

/// Returns the world direction that is perpendicular to the scaled X and Y axes, on the side of +Z.
fn plane_normal(frame: &Frame) -> Vec3 {
    if !frame.scaled {
        return frame.rotation * Vec3::Z;
    }
    let linear = frame.linear();
    let cross = linear.x_axis.cross(linear.y_axis);
    (cross * linear.determinant().signum()).normalize_or(frame.rotation * Vec3::Z)
}

/// The sphere with which a joint collides.
#[derive(Clone, Debug)]
pub struct ContactSphere<'a> {
    /// Position in the world, in metres.
    pub(super) center: Vec3,
    /// Radius in metres.
    pub(super) radius: f32,
    /// Indices of the colliders to test.
    pub(super) colliders: Cow<'a, [u32]>,
    /// Height of the ground, in metres; `None` if there is no ground.
    pub(super) ground_height: Option<f32>,
    /// Maximum distance of a contact, in metres.
    pub(super) touch_distance: f32,
}

impl<'a> ContactSphere<'a> {
    /// Creates a sphere without ground.
    pub(super) fn new(center: Vec3, radius: f32, colliders: &'a [u32]) -> Self {
        Self {
            center,
            radius,
            colliders: Cow::Borrowed(colliders),
            ground_height: None,
            touch_distance: TOUCH_DISTANCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolverKind;
    use crate::math::Trs;
    use crate::test_support;

    fn world_collider(shape: ColliderShape, local: &Trs) -> WorldCollider {
        let collider = test_support::collider(shape);
        WorldCollider::unity_scaled(&collider, &Frame::WORLD.child(local))
    }

    #[test]
    fn a_radius_is_multiplied_by_the_largest_axis_scale() {
        let local = Trs { translation: Vec3::X, rotation: Quat::IDENTITY, scale: Vec3::new(0.5, -3.0, 1.0) };
        let ball = world_collider(ColliderShape::Sphere { radius: 0.1, inside: false }, &local);
        assert_eq!(ball, WorldCollider::Sphere { center: Vec3::X, radius: 0.3, inside: false });
    }

    #[test]
    fn the_bounds_of_a_collider_are_in_reach_of_every_point_that_touches_the_collider() {
        let span = 0.02;
        for (shape, origin) in ColliderShape::ALL.into_iter().flat_map(|shape| [(shape, 0.0), (shape, 5e3)]) {
            let rotation = Quat::from_rotation_z(0.7) * Quat::from_rotation_x(0.4);
            let translation = Vec3::new(origin, -origin, 0.3 * origin);
            let collider = world_collider(shape, &Trs { translation, rotation, ..Trs::IDENTITY });
            let bounds = collider.bounding_sphere();
            let mut skipped = 0;
            for i in 0..4000_u16 {
                let wave = |k: f32| libm::sinf(f32::from(i) * k);
                let point = translation + Vec3::new(wave(0.71), wave(1.3), wave(2.1)) * 0.7;
                let touches = collider.nearest_surface(point).is_some_and(|surface| surface.distance < span);
                let is_out_of_reach = bounds.is_out_of_reach(point, span);
                assert!(!touches || !is_out_of_reach, "{}: {point}", shape.component_name());
                skipped += u32::from(is_out_of_reach);
            }
            let has_bounds = matches!(
                shape,
                ColliderShape::Sphere { inside: false, .. }
                    | ColliderShape::Capsule { inside: false, .. }
                    | ColliderShape::TaperedCapsule { inside: false, .. }
            );
            assert_eq!(skipped > 1000, has_bounds, "{}: {skipped}", shape.component_name());
        }
        assert!(!BoundingSphere::new(Vec3::ZERO, 0.1).is_out_of_reach(Vec3::splat(f32::NAN), 0.0));
        assert!(!BoundingSphere::EVERYWHERE.is_out_of_reach(Vec3::splat(1e30), 0.0));
    }

    #[test]
    fn exactly_the_shapes_that_pbd_spring_bone_supports_push_tips() {
        for shape in ColliderShape::ALL {
            let pushes = SolverKind::PbdSpringBone.info().supports_shape(&shape);
            let point = if shape.is_inside() { Vec3::X * 9.0 } else { Vec3::new(0.01, 0.1, -0.01) };
            assert_eq!(
                world_collider(shape, &Trs::IDENTITY).push_out(point, 0.02).is_some(),
                pushes,
                "{}",
                shape.component_name()
            );
        }
    }

    #[test]
    fn disabled_and_non_finite_colliders_are_off() {
        let shape = ColliderShape::SPHERE;
        for (enabled, renderer_on) in [(false, true), (true, false)] {
            let collider = ColliderRuntime { bone: 0, shape, enabled, renderer_on };
            assert_eq!(WorldCollider::unity_scaled(&collider, &Frame::WORLD), WorldCollider::Off);
        }
        assert_eq!(world_collider(shape, &Trs::from_translation(Vec3::X * f32::INFINITY)), WorldCollider::Off);
        assert_eq!(WorldCollider::Off.nearest_surface(Vec3::X), None);
    }

    #[track_caller]
    fn check(shape: ColliderShape, point: [f32; 3], distance: f32, nearest: [f32; 3]) {
        let local = Trs { scale: Vec3::splat(2.0), ..Trs::from_translation(Vec3::X) };
        let (point, nearest) = (Vec3::from(point), Vec3::from(nearest));
        for (shape, distance) in [(shape, distance), (shape.inverted(), -distance)] {
            let found = world_collider(shape, &local).nearest_surface(point).expect("the collider has a surface");
            let same = (found.distance - distance).abs() < 1e-6 && found.point.distance(nearest) < 1e-6;
            assert!(same, "{shape:?} at {point}: {found:?}");
        }
    }

    #[test]
    fn the_surface_distance_is_in_world_space_and_negated_for_inside_colliders() {
        check(ColliderShape::SPHERE, [1.5, 0.0, 0.0], 0.3, [1.2, 0.0, 0.0]);
        check(ColliderShape::SPHERE, [1.0, 0.05, 0.0], -0.15, [1.0, 0.2, 0.0]);
        let rod = ColliderShape::Capsule { radius: 0.1, height: 0.5, inside: false };
        check(rod, [1.3, 0.4, 0.0], 0.1, [1.2, 0.4, 0.0]);
        check(rod, [1.0, 1.3, 0.0], 0.1, [1.0, 1.2, 0.0]);
        let cone = ColliderShape::TaperedCapsule { radius: 0.2, tail_radius: 0.1, height: 1.0, inside: false };
        check(cone, [1.5, 1.0, 0.0], 0.2, [1.3, 1.0, 0.0]);
        let block = ColliderShape::Box { width: 0.2, height: 0.4, depth: 0.6, inside: false };
        check(block, [1.1, 0.1, 0.0], -0.1, [1.2, 0.1, 0.0]);
        check(block, [1.5, 0.8, 0.0], 0.5, [1.2, 0.4, 0.0]);
        let can = ColliderShape::Cylinder { radius: 0.1, height: 0.6, inside: false };
        check(can, [1.05, 0.5, 0.0], -0.1, [1.05, 0.6, 0.0]);
        check(can, [1.0, 0.0, 0.5], 0.3, [1.0, 0.0, 0.2]);
    }

    #[test]
    fn a_point_behind_a_plane_has_negative_distance() {
        let found = world_collider(ColliderShape::Plane, &Trs::IDENTITY)
            .nearest_surface(Vec3::new(3.0, 1.0, -0.2))
            .expect("the collider has a surface");
        assert_eq!(found, SurfacePoint { distance: -0.2, point: Vec3::new(3.0, 1.0, 0.0) });
    }
}
