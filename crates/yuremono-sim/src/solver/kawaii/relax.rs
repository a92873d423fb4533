//! The second half of a step: links, collisions, links again, and finally cone, plane and length of each point.
//!
//! Radii ignore the scale of the collider's node. Unsupported shapes have no effect.

use super::super::super::step_pose::ColliderRuntime;
use super::frame_context::FrameContext;
use super::point_batch::{BatchKind, BatchParams, PointBatch};
use super::{MIN_LENGTH, PointKind, Rest, State, System};
use crate::ColliderShape;
use crate::collider::{BoundingSphere, ContactSphere, SurfacePoint, WorldCollider};
use crate::math::{Frame, Quatx4, Vec3x4, closest_on_segment, from_lanes};
use crate::probe::TipPart;
use glam::{Quat, Vec3, Vec4};

/// Shortest step for computing the softness of links, in seconds.
const MIN_STEP_SECONDS: f32 = 1e-4;

/// Solves one step of `seconds`, with `rounds` of iterations over the links before and after collision.
pub(super) fn solve_constraints(frame: FrameContext<'_>, state: &mut State, seconds: f32, rounds: [u32; 2]) {
    let FrameContext { rest, system, .. } = frame;
    if rest.has_subdivisions {
        place_subdivisions(rest, system, state);
    }
    solve_links(rest, system, state, seconds, rounds[0]);
    frame.reach(TipPart::LengthLimit, state);
    if !rest.colliders.is_empty() {
        collide(rest, state);
    }
    if system.bridge_feedback > 0.0 && rest.has_subdivisions {
        apply_bridge_feedback(rest, system, state);
    }
    frame.reach(TipPart::Collision, state);
    solve_links(rest, system, state, seconds, rounds[1]);
    frame.reach(TipPart::LengthLimit, state);
    for (i, point_batch) in rest.point_batches.iter().enumerate() {
        if !matches!(point_batch.kind, BatchKind::Root | BatchKind::Bridge) {
            let held = constrain_batch(frame, state, &state.batch_params[i], point_batch, state.animated_offsets[i]);
            frame.reach_batch(point_batch, TipPart::LengthLimit, state, held);
            point_batch.batch.scatter(held.to_array(), &mut state.positions);
        }
    }
}

/// Moves subdivisions that only collide, and bridges, onto the straight line between their ends.
fn place_subdivisions(rest: &Rest, system: &System, state: &mut State) {
    for (i, point) in rest.points.iter().enumerate() {
        let (ends, share) = match point.kind {
            PointKind::Subdivision { ends, fraction: share } if system.subdivisions_only_collide && !point.pinned => {
                (ends, share)
            }
            PointKind::Bridge { ends, fraction: share } => (ends, share),
            _ => continue,
        };
        state.positions[i] = state.positions[ends[0] as usize].lerp(state.positions[ends[1] as usize], share);
        if matches!(point.kind, PointKind::Bridge { .. }) {
            // A bridge has no pose. The push on a bridge is measured from this position.
            state.target_positions[i] = state.positions[i];
        }
    }
}

/// Iterates over all links and applies their softness.
fn solve_links(rest: &Rest, system: &System, state: &mut State, seconds: f32, rounds: u32) {
    state.lambda.fill(0.0);
    let step = seconds.max(MIN_STEP_SECONDS);
    for _ in 0..rounds {
        for (link, lambda) in rest.links.iter().zip(&mut state.lambda) {
            let [a, b] = link.ends.map(|end| end as usize);
            let apart = state.positions[b] - state.positions[a];
            let length = apart.length();
            if link.length <= 0.0 || length <= 0.0 || !length.is_finite() {
                continue;
            }
            let soft = link.compliance.unwrap_or(system.compliance) / (step * step);
            // Both ends have the weight 1.
            let more = (length - link.length - soft * *lambda) / (2.0 + soft);
            let shift = apart * (more / length);
            state.positions[a] += shift;
            state.positions[b] -= shift;
            *lambda += more;
        }
    }
}

/// Pushes each point out of its colliders, one collider after the other.
#[inline(never)]
fn collide(rest: &Rest, state: &mut State) {
    let all = rest.point_batches.iter().zip(&state.batch_params);
    for (point_batch, numbers) in
        all.filter(|(point_batch, _)| point_batch.has_colliders && point_batch.kind != BatchKind::Root)
    {
        for (lane, i) in
            point_batch.batch.active_indices().iter().enumerate().filter(|(lane, _)| !point_batch.pinned.test(*lane))
        {
            let (i, point) = (*i as usize, &rest.points[*i as usize]);
            let (before, radius) = (state.previous_positions[i], numbers.radius[lane]);
            for collider in point.colliders.slice(&rest.colliders) {
                let (at, collider) = (state.positions[i], *collider as usize);
                if !state.collider_bounds[collider].is_out_of_reach(at, radius)
                    && let Some(at) = state.colliders[collider].push_out(at, before, radius)
                {
                    state.positions[i] = at;
                }
            }
        }
    }
}

/// Passes the push on each bridge to the ends of its constraint. An end of several constraints moves by at most the
/// mean push.
fn apply_bridge_feedback(rest: &Rest, system: &System, state: &mut State) {
    let mut any = false;
    for (i, point) in rest.points.iter().enumerate() {
        let PointKind::Bridge { ends, fraction: share } = point.kind else { continue };
        if !any {
            state.bridge_pushes.fill((Vec3::ZERO, 0.0));
            any = true;
        }
        let push = state.positions[i] - state.target_positions[i];
        if push.abs().max_element() <= MIN_LENGTH {
            continue;
        }
        for (end, weight) in ends.into_iter().zip([1.0 - share, share]) {
            let (sum, weights) = &mut state.bridge_pushes[end as usize];
            *sum += push * weight;
            *weights += weight;
        }
    }
    if any {
        for (at, (push, weight)) in state.positions.iter_mut().zip(&state.bridge_pushes) {
            if *weight > 0.0 {
                *at += *push * (system.bridge_feedback / weight.max(1.0));
            }
        }
    }
}

/// Applies cone, plane and length to points whose parents are finished. `arm` is the offset from the parent in the
/// pose.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; batch values at once are for registers")]
fn constrain_batch(
    frame: FrameContext<'_>,
    state: &State,
    numbers: &BatchParams,
    point_batch: &PointBatch,
    arm: Vec3x4,
) -> Vec3x4 {
    let (system, at, goal_turn) = (frame.system, &state.positions, &state.target_rotations);
    let parents = from_lanes(|lane| point_batch.parents[lane] as usize);
    let head = Vec3x4::from_lanes(|lane| at[parents[lane]]);
    let mut offset = Vec3x4::new(point_batch.batch.gather(at)) - head;
    let is_limited = numbers.limit_angle.cmpgt(Vec4::ZERO);
    if is_limited.any() {
        let arm = arm.to_array();
        let within =
            |lane: usize, offset| clamp_to_cone(offset, arm[lane], numbers.limit_angle[lane], goal_turn[parents[lane]]);
        offset = offset.replace_lanes(is_limited, within);
    }
    if system.planar_axis > 0 {
        let axis = Vec3x4::splat(Vec3::AXES[usize::from(system.planar_axis) - 1]);
        let normal = Quatx4::from_lanes(|lane| goal_turn[parents[lane]]) * axis;
        offset = offset - normal * offset.dot(normal);
    }
    frame.reach_batch(point_batch, TipPart::AngleLimit, state, head + offset);
    let length = offset.length();
    // Differs from KawaiiPhysics, in which a point at its parent's position stays there. Here the point moves to its
    // pose.
    let is_apart = length.cmpgt(Vec4::splat(MIN_LENGTH)) & !point_batch.pinned;
    head + Vec3x4::select(is_apart, offset * (arm.length() / length), arm)
}

/// Rotates `offset` to at most `limit` degrees from `pose` and keeps its length.
fn clamp_to_cone(offset: Vec3, pose: Vec3, limit: f32, turn: Quat) -> Vec3 {
    let length = offset.length();
    if length <= MIN_LENGTH || pose.length() <= MIN_LENGTH {
        return offset;
    }
    let (direction, aim) = (offset / length, pose.normalize());
    let axis = aim.cross(direction);
    let sin = axis.length();
    let over = libm::atan2f(sin, aim.dot(direction)).to_degrees() - limit;
    if over <= 0.0 {
        return offset;
    }
    // The axis is undefined if the offset is opposite to the pose. KawaiiPhysics uses the bone's X.
    let axis = if sin > 1e-6 { axis / sin } else { turn * Vec3::X };
    Quat::from_axis_angle(axis, -over.to_radians()) * direction * length
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum KawaiiCollider {
    /// Disabled or unsupported.
    #[default]
    Off,
    /// Pushes points out.
    Sphere { center: Vec3, radius: f32 },
    /// Keeps points inside.
    InsideSphere { center: Vec3, radius: f32 },
    /// A segment whose radius changes linearly. Points on its axis are pushed in `fallback_direction`.
    Capsule { from: Vec3, to: Vec3, radius: f32, end_radius: f32, fallback_direction: Vec3 },
    /// A box at `center`.
    Box { center: Vec3, rotation: Quat, half_extents: Vec3 },
    /// A plane. Ignores points in front of the plane, and points that are farther behind the plane than their radius.
    Plane { center: Vec3, normal: Vec3 },
}

impl KawaiiCollider {
    /// Converts a collider to `space`; `frame` is the frame of its node in the world.
    pub(super) fn new(collider: &ColliderRuntime, frame: &Frame, space: &Frame) -> Self {
        let turn = space.rotation.inverse() * frame.rotation;
        let center = space.inverse_transform_point(frame.position);
        if !(collider.enabled && collider.renderer_on && center.is_finite() && turn.is_finite()) {
            return Self::Off;
        }
        let up = turn * Vec3::Y;
        let rod = |radius: f32, other: f32, height: f32| {
            let side = turn * Vec3::X;
            Self::Capsule {
                from: center,
                to: center + up * height,
                radius,
                end_radius: other,
                fallback_direction: side,
            }
        };
        match collider.shape {
            ColliderShape::Sphere { radius, inside: false } if radius > 0.0 => Self::Sphere { center, radius },
            ColliderShape::Sphere { radius, inside: true } if radius > 0.0 => Self::InsideSphere { center, radius },
            ColliderShape::Capsule { radius, height, inside: false } if radius > 0.0 && height > 0.0 => {
                rod(radius, radius, height)
            }
            ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false }
                if radius > 0.0 || tail_radius > 0.0 =>
            {
                if height > MIN_LENGTH {
                    rod(radius, tail_radius, height)
                } else {
                    rod(radius.max(tail_radius), radius.max(tail_radius), 0.0)
                }
            }
            ColliderShape::Box { width, height, depth, inside: false } => Self::Box {
                center,
                rotation: turn,
                half_extents: Vec3::new(width, height, depth).max(Vec3::ZERO) * 0.5,
            },
            ColliderShape::Plane => Self::Plane { center, normal: turn * Vec3::Z },
            _ => Self::Off,
        }
    }

    pub(super) fn bounding_sphere(&self) -> BoundingSphere {
        match *self {
            Self::Sphere { center, radius } => BoundingSphere::new(center, radius),
            Self::Capsule { from, to, radius, end_radius, .. } => {
                BoundingSphere::around_segment([from, to], radius.abs().max(end_radius.abs()))
            }
            _ => BoundingSphere::EVERYWHERE,
        }
    }

    /// New position of a point with a radius; `None` without contact. `before` is the position one step earlier.
    #[inline]
    pub(super) fn push_out(&self, at: Vec3, before: Vec3, radius: f32) -> Option<Vec3> {
        match *self {
            Self::Off => None,
            Self::Sphere { center, radius: own } => push_out_of_sphere(at - center, own + radius).map(|at| center + at),
            Self::InsideSphere { center, radius: own } => {
                keep_in_sphere(at - center, (own - radius).max(0.0)).map(|at| center + at)
            }
            Self::Capsule { from, to, radius: own, end_radius: other, fallback_direction: side } => {
                let (closest, thick) = if own == other {
                    (closest_on_segment(at, from, to), own)
                } else {
                    let along = to - from;
                    let t = ((at - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
                    (from + along * t, (own + (other - own) * t).max(0.0))
                };
                let reach = radius + thick;
                let offset = at - closest;
                (offset.length_squared() < reach * reach).then(|| closest + direction_or(offset, side) * reach)
            }
            Self::Box { center, rotation: turn, half_extents: half } => {
                let own = turn.inverse() * (at - center);
                push_out_of_box(own, half, radius).map(|own| center + turn * own)
            }
            Self::Plane { center, normal } => {
                let height = (at - center).dot(normal);
                let was = (before - center).dot(normal);
                // `t` is the share of the motion at which the point crosses the plane. The tolerance is that of
                // KawaiiPhysics.
                let t = height / (height - was);
                let crosses = t > -1e-4 && t < 1.0 + 1e-4;
                (height.abs() < radius || crosses).then(|| at - normal * height + normal * radius)
            }
        }
    }

    /// The surface nearest to a sphere; `None` deep behind a plane, which ignores such points.
    pub(super) fn nearest_surface(&self, ball: &ContactSphere<'_>) -> Option<SurfacePoint> {
        let collider = match *self {
            Self::Off => WorldCollider::Off,
            Self::Sphere { center, radius } => WorldCollider::Sphere { center, radius, inside: false },
            Self::InsideSphere { center, radius } => WorldCollider::Sphere { center, radius, inside: true },
            Self::Capsule { from, to, radius, end_radius: other, .. } => {
                WorldCollider::Capsule { ends: [from, to], radii: [radius, other], inside: false }
            }
            Self::Box { center, rotation: turn, half_extents: half } => {
                WorldCollider::Box { center, rotation: turn, half_extents: half, inside: false }
            }
            Self::Plane { center, normal } => WorldCollider::Plane { point: center, normal },
        };
        let is_plane = matches!(self, Self::Plane { .. });
        collider
            .nearest_surface(ball.center)
            .filter(|surface| !is_plane || surface.distance > -ball.radius - ball.touch_distance)
    }
}

/// `offset` with unit length; `otherwise` if the offset is zero.
#[inline]
fn direction_or(offset: Vec3, otherwise: Vec3) -> Vec3 {
    let length = offset.length();
    if length > MIN_LENGTH { offset / length } else { otherwise }
}

/// Pushes a point to the distance `reach` from the center. A point exactly at the center is not moved.
#[inline]
fn push_out_of_sphere(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared > reach * reach {
        return None;
    }
    let length = squared.sqrt();
    (length > MIN_LENGTH).then(|| offset * (reach / length))
}

#[inline]
fn keep_in_sphere(offset: Vec3, reach: f32) -> Option<Vec3> {
    let squared = offset.length_squared();
    if squared < reach * reach {
        return None;
    }
    let length = squared.sqrt();
    Some(if length > MIN_LENGTH { offset * (reach / length) } else { Vec3::ZERO })
}

/// Pushes a point out of a box. A point inside moves away from the box's center until it is its radius outside the
/// surface; a point exactly at the center moves through the nearest face.
#[inline]
fn push_out_of_box(own: Vec3, half: Vec3, radius: f32) -> Option<Vec3> {
    let closest = own.clamp(-half, half);
    let out = own - closest;
    if out.length_squared() > radius * radius {
        return None;
    }
    let direction = if out.abs().max_element() > MIN_LENGTH {
        out
    } else if own.abs().max_element() > MIN_LENGTH {
        own
    } else {
        nearest_face(half - own.abs())
    };
    Some(closest + direction.normalize_or_zero() * radius)
}

fn nearest_face(depth: Vec3) -> Vec3 {
    if depth.x <= depth.y && depth.x <= depth.z {
        Vec3::X
    } else if depth.y <= depth.z {
        Vec3::Y
    } else {
        Vec3::Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support;

    #[track_caller]
    fn check(from_deg: f32, limit: f32, expected_deg: f32) {
        let offset = Quat::from_rotation_z(from_deg.to_radians()) * Vec3::X * 0.3;
        let held = clamp_to_cone(offset, Vec3::X * 0.2, limit, Quat::IDENTITY);
        let found = held.angle_between(Vec3::X).to_degrees();
        assert!((found - expected_deg).abs() < 0.05 && (held.length() - 0.3).abs() < 1e-6, "{held}: {found}");
        assert!(from_deg.abs() > 179.0 || held.y * from_deg >= 0.0, "on the same side");
    }

    #[test]
    fn clamp_to_cone_changes_only_offsets_outside_the_cone() {
        check(10.0, 20.0, 10.0);
        check(50.0, 20.0, 20.0);
        check(-120.0, 20.0, 20.0);
        check(179.9, 20.0, 20.0);
    }

    #[test]
    fn clamp_to_cone_does_not_change_zero_offsets() {
        assert_eq!(clamp_to_cone(Vec3::ZERO, Vec3::X, 20.0, Quat::IDENTITY), Vec3::ZERO);
        assert_eq!(clamp_to_cone(Vec3::Y, Vec3::ZERO, 20.0, Quat::IDENTITY), Vec3::Y);
    }

    fn placed(shape: ColliderShape) -> KawaiiCollider {
        KawaiiCollider::new(&test_support::collider(shape), &Frame::WORLD, &Frame::WORLD)
    }

    #[track_caller]
    fn check_collide(shape: ColliderShape, at: Vec3, expected: Option<Vec3>) {
        let found = placed(shape).push_out(at, at, 0.02);
        let near = match (found, expected) {
            (Some(found), Some(expected)) => found.distance(expected) < 1e-6,
            (found, expected) => found == expected,
        };
        assert!(near, "{found:?} is not {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_points_out_and_an_inside_sphere_keeps_points_in() {
        let outer = ColliderShape::Sphere { radius: 0.1, inside: false };
        check_collide(outer, Vec3::X * 0.05, Some(Vec3::X * 0.12));
        check_collide(outer, Vec3::X * 0.13, None);
        check_collide(outer, Vec3::ZERO, None);
        let inner = ColliderShape::Sphere { radius: 0.1, inside: true };
        check_collide(inner, Vec3::Y * 0.05, None);
        check_collide(inner, Vec3::Y * 0.5, Some(Vec3::Y * 0.08));
        check_collide(ColliderShape::Sphere { radius: 0.01, inside: true }, Vec3::Y * 0.5, Some(Vec3::ZERO));
    }

    #[test]
    fn a_capsule_pushes_radially_and_along_its_x_from_a_point_on_its_axis() {
        let capsule = ColliderShape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check_collide(capsule, Vec3::new(0.0, 0.2, 0.01), Some(Vec3::new(0.0, 0.2, 0.12)));
        check_collide(capsule, Vec3::new(0.0, 0.45, 0.0), Some(Vec3::new(0.0, 0.52, 0.0)));
        check_collide(capsule, Vec3::new(0.0, 0.2, 0.0), Some(Vec3::new(0.12, 0.2, 0.0)));
        check_collide(ColliderShape::Capsule { radius: 0.1, height: 0.0, inside: false }, Vec3::Y * 0.01, None);
    }

    #[test]
    fn a_tapered_capsule_collides_with_its_radius_at_the_contact() {
        let tapered = ColliderShape::TaperedCapsule { radius: 0.1, tail_radius: 0.02, height: 0.4, inside: false };
        check_collide(tapered, Vec3::new(0.01, 0.2, 0.0), Some(Vec3::new(0.08, 0.2, 0.0)));
        check_collide(tapered, Vec3::new(0.07, 0.4, 0.0), None);
        check_collide(
            ColliderShape::TaperedCapsule { radius: 0.05, tail_radius: 0.1, height: 0.0, inside: false },
            Vec3::X * 0.01,
            Some(Vec3::X * 0.12),
        );
    }

    #[test]
    fn a_box_pushes_outside_points_through_the_nearest_face_and_inside_points_away_from_the_center() {
        let block = ColliderShape::Box { width: 0.2, height: 0.4, depth: 0.2, inside: false };
        check_collide(block, Vec3::new(0.11, 0.1, 0.0), Some(Vec3::new(0.12, 0.1, 0.0)));
        let inside = Vec3::new(0.03, 0.04, 0.0);
        check_collide(block, inside, Some(inside + inside.normalize() * 0.02));
        check_collide(block, Vec3::ZERO, Some(Vec3::X * 0.02));
        check_collide(block, Vec3::X * 0.13, None);
    }

    #[test]
    fn a_plane_stops_points_that_crossed_it_in_this_step_and_ignores_points_deep_behind() {
        let plane = placed(ColliderShape::Plane);
        check_collide(ColliderShape::Plane, Vec3::new(0.3, 0.0, 0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check_collide(ColliderShape::Plane, Vec3::new(0.3, 0.0, -0.01), Some(Vec3::new(0.3, 0.0, 0.02)));
        check_collide(ColliderShape::Plane, Vec3::new(0.0, 0.0, -0.5), None);
        let through = plane.push_out(Vec3::new(0.0, 0.0, -0.5), Vec3::new(0.0, 0.0, 0.1), 0.02);
        assert_eq!(through, Some(Vec3::new(0.0, 0.0, 0.02)));
    }

    #[test]
    fn unsupported_and_disabled_colliders_push_nothing() {
        for shape in [
            ColliderShape::Cylinder { radius: 1.0, height: 1.0, inside: false },
            ColliderShape::Box { width: 0.1, height: 0.1, depth: 0.1, inside: true },
        ] {
            check_collide(shape, Vec3::ZERO, None);
        }
        let off = ColliderRuntime { enabled: false, ..test_support::collider(ColliderShape::SPHERE) };
        assert_eq!(KawaiiCollider::new(&off, &Frame::WORLD, &Frame::WORLD), KawaiiCollider::Off);
    }
}
