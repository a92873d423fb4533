//! Colliders in the world, and their contacts with points, links and triangles.
//!
//! Supported shapes are spheres and capsules, tapered or not, solid or inside, and planes. Planes are tested in
//! `step`; other shapes have no effect. The argument `round` is the value of [`ROUND_CONTACT`](super::ROUND_CONTACT).
//!
//! A triangle is tested with a ray from the collider along the triangle's normal. A contact pushes all three corners.
//! Corners near the intersection move more.

use super::{EPSILON, Rest, State};
use crate::SurfaceForce;
use crate::collider::{BoundingSphere, mean_scale};
use crate::math::{Frame, slerp};
use crate::step_pose::ColliderRuntime;
use crate::vec_util::{clamp_no_panic, lerp_unclamped, unit_or_zero};
use glam::{Quat, Vec3};

/// Center of a collider's axis, and rotation of the collider.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ColliderPose {
    center: Vec3,
    rotation: Quat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct InterpolatedCollider {
    pub(super) enabled: bool,
    /// Whether the collider keeps points inside.
    pub(super) inside: bool,
    /// Poses in the last frame and in this frame.
    previous_pose: ColliderPose,
    current_pose: ColliderPose,
    /// Length of the axis, in metres; 0 for a sphere.
    pub(super) length: f32,
    /// Radii at both ends of the axis, in metres, before the collision return scales them.
    full_radii: [f32; 2],
    /// First end of the axis, and the vector from there to the other end.
    pub(super) head: Vec3,
    pub(super) axis: Vec3,
    /// Radii at both ends of the axis, in metres.
    pub(super) radius: f32,
    pub(super) tail_radius: f32,
    pub(super) bounds: BoundingSphere,
}

/// Nearest points of a link and of a collider's axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LinkContact {
    pub(super) on_link: Vec3,
    pub(super) on_axis: Vec3,
    pub(super) radius: f32,
}

impl InterpolatedCollider {
    /// Starts a new frame, in which the collider has the pose of `frame`.
    pub(super) fn capture(&mut self, collider: &ColliderRuntime, frame: &Frame) {
        let Some(([radius, tail_radius], height)) = collider.shape.radii_and_height() else {
            self.enabled = false;
            return;
        };
        let (head, tail) = (frame.transform_point(Vec3::ZERO), frame.transform_point(Vec3::Y * height.max(0.0)));
        let stand = ColliderPose { center: head + (tail - head) * 0.5, rotation: frame.rotation };
        self.enabled = collider.enabled && stand.center.is_finite() && stand.rotation.is_finite();
        if !self.enabled {
            return;
        }
        let scale = mean_scale(frame);
        self.inside = collider.shape.is_inside();
        self.full_radii = [radius * scale, tail_radius * scale];
        self.length = if frame.scaled { head.distance(tail) } else { height.max(0.0) };
        (self.previous_pose, self.current_pose) = (self.current_pose, stand);
    }

    /// Discards the pose of the previous frame, so the collider does not move in this frame.
    pub(super) fn clear_motion(&mut self) {
        self.previous_pose = self.current_pose;
    }

    /// Interpolates between the poses of both frames at the share `t`, and scales the radii by `size`.
    pub(super) fn interpolate(&mut self, t: f32, size: f32) {
        if !self.enabled {
            return;
        }
        let [radius, tail_radius] = self.full_radii.map(|r| r * size);
        let rotation = if self.previous_pose.rotation == self.current_pose.rotation {
            self.current_pose.rotation
        } else {
            slerp(self.previous_pose.rotation, self.current_pose.rotation, t)
        };
        let middle = lerp_unclamped(self.previous_pose.center, self.current_pose.center, t);
        self.axis = rotation * (Vec3::Y * self.length);
        self.head = middle - self.axis * 0.5;
        (self.radius, self.tail_radius) = (radius, tail_radius);
        self.bounds = if self.inside {
            BoundingSphere::EVERYWHERE
        } else {
            BoundingSphere::new(middle, self.length * 0.5 + radius.abs().max(tail_radius.abs()))
        };
    }

    fn is_capsule(&self) -> bool {
        self.length > EPSILON
    }

    /// The sphere on the axis that is nearest to a point, as center and radius. `swaps_ends` reproduces a bug of
    /// `SPCRJointDynamics`, which swaps the ends of inside capsules.
    #[inline]
    fn closest_sphere(&self, point: Vec3, swaps_ends: bool) -> (Vec3, f32) {
        if !self.is_capsule() {
            return (self.head, self.radius);
        }
        let direction = unit_or_zero(self.axis);
        let along = direction.dot(point - self.head);
        if along <= EPSILON {
            (self.head, self.radius)
        } else if along >= self.length {
            (self.head + self.axis, self.tail_radius)
        } else {
            let share = if swaps_ends { (self.length / along).clamp(0.0, 1.0) } else { along / self.length };
            (self.head + direction * along, self.radius + (self.tail_radius - self.radius) * share)
        }
    }

    /// The position of the point after the collider pushed the point out; `None` without contact.
    #[inline]
    pub(super) fn push_out(&self, point: Vec3, thickness: f32, round: bool) -> Option<Vec3> {
        let (center, radius) = self.closest_sphere(point, false);
        let offset = point - center;
        let squared = offset.length_squared();
        if round {
            let reach = radius + thickness;
            return (squared < reach * reach && squared > 1e-12).then(|| center + offset * (reach / squared.sqrt()));
        }
        if squared <= EPSILON {
            return None;
        }
        let distance = squared.sqrt() - thickness;
        (distance < radius).then(|| center + offset * radius / distance)
    }

    /// The position of the point after the collider moved the point inside; `None` if the point was inside already.
    #[inline]
    pub(super) fn keep_in(&self, point: Vec3, thickness: f32, round: bool) -> Option<Vec3> {
        let (center, mut radius) = self.closest_sphere(point, !round);
        let offset = center - point;
        let squared = offset.length_squared();
        if round {
            radius = (radius - thickness).max(0.0);
        } else if squared <= EPSILON {
            return None;
        }
        (squared > radius * radius).then(|| point + unit_or_zero(offset) * (squared.sqrt() - radius))
    }

    /// Contact of a link with the spheres at both ends of the collider, then with the side of the capsule.
    #[inline]
    pub(super) fn link_contact(&self, a: Vec3, b: Vec3) -> Option<LinkContact> {
        let first = sphere_contact(self.head, self.radius, a, b);
        if first.is_some() || !self.is_capsule() {
            return first;
        }
        sphere_contact(self.head + self.axis, self.tail_radius, a, b).or_else(|| self.axis_contact(a, b))
    }

    /// Contact of a link with the side of a capsule. Parallel lines have no nearest points: the resulting NaN means
    /// no contact.
    fn axis_contact(&self, a: Vec3, b: Vec3) -> Option<LinkContact> {
        let (axis, link) = (self.axis, b - a);
        let to_link = axis.cross(link.cross(axis));
        let to_axis = link.cross(axis.cross(link));
        let on_axis = (a - self.head).dot(to_axis) / axis.dot(to_axis);
        let on_link = (self.head - a).dot(to_link) / link.dot(to_link);
        let apart = (a + link * on_link) - (self.head + axis * on_axis);
        let on_axis = on_axis.clamp(0.0, 1.0);
        let radius = self.radius + (self.tail_radius - self.radius) * on_axis;
        if apart.length_squared() > radius * radius {
            return None;
        }
        let edge =
            LinkContact { on_link: a + link * on_link.clamp(0.0, 1.0), on_axis: self.head + axis * on_axis, radius };
        ((edge.on_axis - edge.on_link).length_squared() <= radius * radius).then_some(edge)
    }
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "a call per link and collider takes a tenth of the step")]
fn sphere_contact(center: Vec3, radius: f32, a: Vec3, b: Vec3) -> Option<LinkContact> {
    let link = b - a;
    if misses_sphere(center - a, link, radius) {
        return None;
    }
    let length = link.length();
    // Differs from `SPCRJointDynamics`, in which a link of length 0 gives NaN.
    if length == 0.0 {
        return None;
    }
    let direction = link / length;
    let on_link = direction * clamp_no_panic(direction.dot(center - a), 0.0, length) + a;
    ((center - on_link).length_squared() <= radius * radius).then_some(LinkContact { on_link, on_axis: center, radius })
}

/// Whether a link certainly misses a sphere, computed without square roots and divisions. `offset` points from the
/// start of the link to the center of the sphere. Near misses can return false.
#[inline]
fn misses_sphere(offset: Vec3, link: Vec3, radius: f32) -> bool {
    let (along, squared, length_squared) = (offset.dot(link), offset.length_squared(), link.length_squared());
    let reach = radius * radius * 1.001;
    if along <= 0.0 {
        squared > reach
    } else if along >= length_squared {
        (offset - link).length_squared() > reach
    } else {
        squared * length_squared - along * along > reach * length_squared + 1e-4 * squared * length_squared
    }
}

/// Intersection of a ray with a triangle, and the vector from the reference point to the intersection.
struct TriangleHit {
    position: Vec3,
    offset: Vec3,
    radius: f32,
}

pub(super) fn collide(rest: &Rest, state: &mut State) {
    for face in &rest.faces {
        let [a, b, c, d] = face.corners;
        for id in face.colliders.slice(&rest.colliders) {
            let collider = &state.colliders[*id as usize];
            if !collider.enabled {
                continue;
            }
            let force = rest.collider_settings[*id as usize].surface_force;
            for corners in [[a, b, c], [c, d, a]] {
                let places = corners.map(|p| state.points[p as usize].position);
                let Some(hit) = triangle_hit(places, collider, force) else { continue };
                let depth = hit.offset.length();
                // Differs from `SPCRJointDynamics`, which divides by zero: a point on the axis has no outward
                // direction.
                if depth <= 0.0 {
                    continue;
                }
                let push = hit.offset / depth * (hit.radius - depth);
                let middle = triangle_center(places);
                for point in corners {
                    let at = &mut state.points[point as usize].position;
                    let share = (*at - middle).length() / (*at - hit.position).length();
                    // A corner exactly at the intersection receives the whole push.
                    *at += push * if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) };
                }
            }
        }
    }
}

/// The center of a triangle as `SPCRJointDynamics` computes it: halfway between the midpoints of two sides.
fn triangle_center([a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac) = (a + (b - a) * 0.5, a + (c - a) * 0.5);
    ab + (ac - ab) * 0.5
}

fn triangle_hit(corners: [Vec3; 3], collider: &InterpolatedCollider, force: SurfaceForce) -> Option<TriangleHit> {
    let [a, b, c] = corners;
    let normal = unit_or_zero((b - a).cross(c - a));
    let facing = unit_or_zero(collider.head - triangle_center(corners)).dot(-normal);
    let (mut from, mut radius) = (collider.head, collider.radius);
    let rod = collider.length > EPSILON;
    if rod && collider.axis.dot(-normal) * facing < 0.0 {
        (from, radius) = (collider.head + collider.axis, collider.tail_radius);
    }
    let direction = unit_or_zero(normal * facing);
    match ray_plane_hit(corners, normal, from, direction) {
        Some(at) if triangle_contains(corners, at) => ((from - at).length_squared() <= radius * radius)
            .then_some(TriangleHit { position: at, offset: at - from, radius }),
        None if rod => axis_hit(corners, normal, collider, radius, force),
        _ => None,
    }
}

/// Pushes a triangle that is cut by the axis back over one end of the axis.
fn axis_hit(
    corners: [Vec3; 3],
    normal: Vec3,
    collider: &InterpolatedCollider,
    radius: f32,
    force: SurfaceForce,
) -> Option<TriangleHit> {
    let (from, axis) = match force {
        SurfaceForce::Off => return None,
        SurfaceForce::Push => (collider.head, collider.axis),
        SurfaceForce::Pull => (collider.head + collider.axis, -collider.axis),
    };
    let at = ray_plane_hit(corners, normal, from, unit_or_zero(axis)).filter(|at| triangle_contains(corners, *at))?;
    let (to_end, along) = (from + axis - at, at - from);
    let squared = axis.dot(axis);
    let between = to_end.dot(along);
    if !(between >= 0.0 && between <= squared) {
        return None;
    }
    let start = from - unit_or_zero(axis) * radius;
    let on_axis = from + axis * (axis.dot(along) / squared);
    ((on_axis - at).length_squared() <= radius * radius).then_some(TriangleHit {
        position: at,
        offset: at - start,
        radius,
    })
}

/// Intersection of a ray with the triangle's plane.
fn ray_plane_hit([a, ..]: [Vec3; 3], normal: Vec3, from: Vec3, direction: Vec3) -> Option<Vec3> {
    let slope = direction.dot(normal);
    if slope.abs() <= EPSILON {
        return None;
    }
    let ahead = (normal.dot(a) - from.dot(normal)) / slope;
    (ahead > 0.0).then(|| from + direction * ahead)
}

fn triangle_contains([a, b, c]: [Vec3; 3], at: Vec3) -> bool {
    let (a, b, c) = (a - at, b - at, c - at);
    let (u, v, w) = (a.cross(b), b.cross(c), c.cross(a));
    !(u.dot(v) < 0.0 || v.dot(w) < 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ColliderShape;
    use crate::math::Trs;
    use crate::test_support;

    fn world_collider(shape: ColliderShape) -> InterpolatedCollider {
        let collider = test_support::collider(shape);
        let mut placed = InterpolatedCollider::default();
        placed.capture(&collider, &Frame::WORLD);
        placed.clear_motion();
        placed.interpolate(1.0, 1.0);
        placed
    }

    #[test]
    fn the_original_push_overshoots_for_thick_points_and_round_contact_does_not() {
        let ball = world_collider(ColliderShape::Sphere { radius: 0.1, inside: false });
        let engine = ball.push_out(Vec3::X * 0.09, 0.02, false).expect("it is in");
        assert!((engine.x - 0.09 * 0.1 / 0.07).abs() < 1e-6);
        let round = ball.push_out(Vec3::X * 0.09, 0.02, true).expect("it is in");
        assert!((round.x - 0.12).abs() < 1e-6);
    }

    #[test]
    fn the_original_push_ignores_the_inner_three_centimetres() {
        let ball = world_collider(ColliderShape::Sphere { radius: 0.1, inside: false });
        assert_eq!(ball.push_out(Vec3::X * 0.03, 0.0, false), None);
        assert!(ball.push_out(Vec3::X * 0.03, 0.0, true).is_some());
    }

    #[test]
    fn the_original_swaps_the_ends_of_inside_tapers_and_round_contact_does_not() {
        let rod =
            world_collider(ColliderShape::TaperedCapsule { radius: 0.2, tail_radius: 0.1, height: 1.0, inside: true });
        let point = Vec3::new(0.5, 0.25, 0.0);
        let engine = rod.keep_in(point, 0.0, false).expect("it is out");
        assert!((engine - Vec3::new(0.1, 0.25, 0.0)).length() < 1e-6, "{engine}");
        let round = rod.keep_in(point, 0.0, true).expect("it is out");
        assert!((round - Vec3::new(0.175, 0.25, 0.0)).length() < 1e-6, "{round}");
    }

    #[test]
    fn a_tapered_capsule_pushes_by_its_radius_at_the_contact() {
        let rod =
            world_collider(ColliderShape::TaperedCapsule { radius: 0.2, tail_radius: 0.1, height: 1.0, inside: false });
        let middle = rod.push_out(Vec3::new(0.1, 0.5, 0.0), 0.0, false).expect("it is in");
        assert!((middle - Vec3::new(0.15, 0.5, 0.0)).length() < 1e-6, "{middle}");
        let above = rod.push_out(Vec3::new(0.05, 1.02, 0.0), 0.0, false).expect("it is in");
        assert!((above.distance(Vec3::Y) - 0.1).abs() < 1e-6, "{above}");
    }

    #[test]
    fn a_link_across_a_capsule_touches_at_the_closest_points_and_a_parallel_link_does_not() {
        let rod = world_collider(ColliderShape::Capsule { radius: 0.1, height: 1.0, inside: false });
        let edge = rod.link_contact(Vec3::new(-0.5, 0.5, 0.05), Vec3::new(0.5, 0.5, 0.05)).expect("they cross");
        assert!((edge.on_link - Vec3::new(0.0, 0.5, 0.05)).length() < 1e-6);
        assert!((edge.on_axis - Vec3::new(0.0, 0.5, 0.0)).length() < 1e-6);
        assert_eq!(rod.link_contact(Vec3::new(-0.5, 0.5, 0.15), Vec3::new(0.5, 0.5, 0.15)), None);
        assert_eq!(rod.link_contact(Vec3::new(0.05, 0.4, 0.0), Vec3::new(0.05, 0.6, 0.0)), None, "side by side");
    }

    #[test]
    fn a_zero_length_link_touches_nothing() {
        let ball = world_collider(ColliderShape::Sphere { radius: 0.1, inside: false });
        assert_eq!(ball.link_contact(Vec3::X * 0.05, Vec3::X * 0.05), None);
    }

    #[test]
    fn a_link_that_misses_a_sphere_does_not_touch_it() {
        let (mut clear, mut touching) = (0, 0);
        for i in 0..4000_u16 {
            let wave = |k: f32| libm::sinf(f32::from(i) * k);
            let a = Vec3::new(wave(0.71), wave(1.3), wave(2.1)) * 0.3;
            let b = a + Vec3::new(wave(0.37), wave(1.9), wave(2.7)) * 0.3;
            let nearest = crate::math::closest_on_segment(Vec3::ZERO, a, b).length();
            let is_clear = misses_sphere(-a, b - a, 0.15);
            assert!(!(is_clear && nearest <= 0.15), "{a} to {b} passes at {nearest}");
            clear += u32::from(is_clear);
            touching += u32::from(nearest <= 0.15);
        }
        assert!(clear > 1000 && touching > 300 && clear + touching > 3900, "{clear} and {touching}");
    }

    #[test]
    fn the_bounds_test_never_skips_a_touching_point() {
        let rod = world_collider(ColliderShape::TaperedCapsule {
            radius: 0.05,
            tail_radius: 0.2,
            height: 0.6,
            inside: false,
        });
        for i in 0..4000_u16 {
            let wave = |k: f32| libm::sinf(f32::from(i) * k);
            let point = Vec3::new(wave(0.71), 0.3 + wave(1.3), wave(2.1)) * 0.7;
            let touched = rod.push_out(point, 0.02, true).is_some() || rod.push_out(point, 0.02, false).is_some();
            assert!(!touched || !rod.bounds.is_out_of_reach(point, 0.02), "{point}");
        }
    }

    #[test]
    fn radii_follow_the_mean_scale_and_heights_follow_the_axis_scale() {
        let collider = test_support::collider(ColliderShape::Capsule { radius: 0.1, height: 1.0, inside: false });
        let frame = Frame::WORLD.child(&Trs { scale: Vec3::new(1.0, 2.0, 3.0), ..Trs::IDENTITY });
        let mut placed = InterpolatedCollider::default();
        placed.capture(&collider, &frame);
        placed.interpolate(1.0, 0.5);
        assert!((placed.length - 2.0).abs() < 1e-6 && (placed.radius - 0.1).abs() < 1e-6);
    }
}
