//! The second half of a step: links, colliders, links again, then cone, plane and length of each point in turn.

use super::point_batch::{BatchKind, BatchParams, PointBatch};
use super::{MIN_LENGTH, PointKind, Rest, State, System};
use crate::math::{Quatx4, Vec3x4, from_lanes};
use glam::{Quat, Vec3, Vec4};

/// Least step that a link's softness reckons with, seconds.
const MIN_STEP_SECONDS: f32 = 1e-4;

/// One step of `seconds`, with `rounds` over the links before and after the colliders.
pub(super) fn solve_constraints(rest: &Rest, system: &System, state: &mut State, seconds: f32, rounds: [u32; 2]) {
    if rest.has_subdivisions {
        place_subdivisions(rest, system, state);
    }
    solve_links(rest, system, state, seconds, rounds[0]);
    if !rest.colliders.is_empty() {
        collide(rest, state);
    }
    if system.bridge_feedback > 0.0 && rest.has_subdivisions {
        apply_bridge_feedback(rest, system, state);
    }
    solve_links(rest, system, state, seconds, rounds[1]);
    for (i, abreast) in rest.point_batches.iter().enumerate() {
        if !matches!(abreast.kind, BatchKind::Root | BatchKind::Bridge) {
            let held = constrain_batch(system, state, (&state.batch_params[i], abreast), state.animated_offsets[i]);
            abreast.batch.scatter(held.to_array(), &mut state.positions);
        }
    }
}

/// Points that only collide lie in a straight line between their ends.
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
            // A bridge has no pose; what it was before it is pushed is measured from here.
            state.target_positions[i] = state.positions[i];
        }
    }
}

/// Links keep their length as far as their softness wants, some rounds of all of them.
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
            // Both ends weigh 1.
            let more = (length - link.length - soft * *lambda) / (2.0 + soft);
            let shift = apart * (more / length);
            state.positions[a] += shift;
            state.positions[b] -= shift;
            *lambda += more;
        }
    }
}

/// One collider after the other, each on what the one before left.
#[inline(never)]
fn collide(rest: &Rest, state: &mut State) {
    let all = rest.point_batches.iter().zip(&state.batch_params);
    for (abreast, numbers) in all.filter(|(abreast, _)| abreast.has_colliders && abreast.kind != BatchKind::Root) {
        for (lane, i) in
            abreast.batch.active_indices().iter().enumerate().filter(|(lane, _)| !abreast.pinned.test(*lane))
        {
            let (i, point) = (*i as usize, &rest.points[*i as usize]);
            for collider in point.colliders.slice(&rest.colliders) {
                let before = state.previous_positions[i];
                if let Some(at) =
                    state.colliders[*collider as usize].push_out(state.positions[i], before, numbers.radius[lane])
                {
                    state.positions[i] = at;
                }
            }
        }
    }
}

/// Points of constraints hand what pushed them to their ends; no more than the mean of many.
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

/// Cone, plane and length of points whose parents are done, and who hang at the end of `arm` in the pose.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn constrain_batch(
    system: &System,
    state: &State,
    (numbers, abreast): (&BatchParams, &PointBatch),
    arm: Vec3x4,
) -> Vec3x4 {
    let (at, goal_turn) = (&state.positions, &state.target_rotations);
    let parents = from_lanes(|lane| abreast.parents[lane] as usize);
    let head = Vec3x4::new(from_lanes(|lane| at[parents[lane]]));
    let mut offset = Vec3x4::new(from_lanes(|lane| at[abreast.batch.indices[lane] as usize])) - head;
    let is_limited = numbers.limit_angle.cmpgt(Vec4::ZERO);
    if is_limited.any() {
        let arm = arm.to_array();
        let within =
            |lane: usize, offset| clamp_to_cone(offset, arm[lane], numbers.limit_angle[lane], goal_turn[parents[lane]]);
        offset = offset.replace_lanes(is_limited, within);
    }
    if system.planar_axis > 0 {
        let axis = Vec3x4::splat(Vec3::AXES[usize::from(system.planar_axis) - 1]);
        let normal = Quatx4::new(from_lanes(|lane| goal_turn[parents[lane]])) * axis;
        offset = offset - normal * offset.dot(normal);
    }
    let length = offset.length();
    // Differs from KawaiiPhysics: a point on its parent goes where its pose has it; there it would stay, at no length.
    let is_apart = length.cmpgt(Vec4::splat(MIN_LENGTH)) & !abreast.pinned;
    head + Vec3x4::select(is_apart, offset * (arm.length() / length), arm)
}

/// `offset` turned back to no more than `limit` degrees from `pose`, as long as before.
fn clamp_to_cone(offset: Vec3, pose: Vec3, limit: f32, turn: Quat) -> Vec3 {
    let length = offset.length();
    if length <= MIN_LENGTH || pose.length() <= MIN_LENGTH {
        return offset;
    }
    let (direction, aim) = (offset / length, pose.normalize());
    let axis = aim.cross(direction);
    let sin = axis.length();
    let over = sin.atan2(aim.dot(direction)).to_degrees() - limit;
    if over <= 0.0 {
        return offset;
    }
    // Opposite to the pose there is no way back; the engine takes the bone's own X.
    let axis = if sin > 1e-6 { axis / sin } else { turn * Vec3::X };
    Quat::from_axis_angle(axis, -over.to_radians()) * direction * length
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
