//! Steps batches of independent joints: inertia and pull, length, colliders, rotation.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::super::super::step_pose::{NO_PARENT, ParentFrames, StepPose};
use super::colliders::{MIN_LENGTH, is_inside_or_plane, penetration, world_collider};
use super::{JointRest, Params, PreviewRuntime, Rest, State, System};
use crate::collider::max_axis_length;
use crate::math::{Frame, Quatx4, Trs, Vec3x4, from_lanes, vec4_from_lanes};
use crate::probe::{self, Probe, TipPart};
use crate::solver::batch::Batch;
use crate::vec_util::suppress_rounding_drift;
use glam::{Mat3, Quat, Vec3, Vec4};

/// Squared sine below which two directions count as opposite. In three-vrm the threshold is 1e-8 on the cosine.
const OPPOSITE_SIN_SQUARED: f32 = 2e-8;

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let moves = dt > 0.0;
    if moves {
        (0..state.world_colliders.len()).for_each(|at| state.place_collider(at, system, step_pose));
    }
    for batch in &rest.batches {
        if moves {
            step_batch(rest, params, batch, system, state, step_pose, dt);
        } else {
            batch.active_indices().iter().for_each(|i| step_pose.refresh(rest.joints[*i as usize].bone));
        }
        for i in batch.active_indices() {
            let joint = &rest.joints[*i as usize];
            refresh_below(rest, joint, step_pose);
            for at in joint.child_colliders.slice(&rest.child_colliders) {
                state.place_collider(*at as usize, system, step_pose);
            }
        }
    }
    if system.preview == PreviewRuntime::ThreeVrm {
        for (joint, late) in rest.joints.iter().zip(&mut state.last_tip_bone_positions) {
            *late = step_pose.frames[joint.bone as usize].transform_point(tip_in_bone(
                joint,
                step_pose.pose,
                step_pose.parents,
            ));
        }
    }
}

impl State {
    /// Updates a collider to the frame of its bone.
    fn place_collider(&mut self, at: usize, system: System, step_pose: &StepPose<'_>) {
        let collider = &step_pose.colliders[at];
        let placed = world_collider(collider, &step_pose.frames[collider.bone as usize], system);
        (self.world_colliders[at], self.collider_bounds[at]) = (placed, placed.bounding_sphere());
    }
}

/// Updates the frames of the bones between a joint and the next joints.
#[inline]
pub(super) fn refresh_below(rest: &Rest, joint: &JointRest, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(joint.bones_to_refresh.slice(&rest.bones_to_refresh));
}

/// The tip in bone space in the current pose, in metres.
#[inline]
pub(super) fn tip_in_bone(joint: &JointRest, pose: &[Trs], parents: &[u32]) -> Vec3 {
    if joint.tip_bone == NO_PARENT {
        return joint.tip;
    }
    let mut at = pose[joint.tip_bone as usize].translation;
    let mut above = parents[joint.tip_bone as usize];
    // Traverses the bones between the joint and its tip bone.
    while above != joint.bone {
        let local = &pose[above as usize];
        at = local.translation + local.rotation * (local.scale * at);
        above = parents[above as usize];
    }
    at
}

fn step_batch(
    rest: &Rest,
    params: &[Params],
    batch: &Batch,
    system: System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let input = BatchInput::new(rest, params, batch, system, state, step_pose);
    let (tip, previous) = input.carried_tips(state, step_pose);
    let mut result = input.integrate(rest, dt * system.model_scale, tip, previous);
    probe::record(step_pose.probe, move |probe| {
        input.record_motion(probe, dt * system.model_scale, [tip, previous, result.tip]);
    });
    input.collide(rest, system, state, step_pose, &mut result);
    input.sanitize(state, &mut result);
    result.tip = suppress_rounding_drift(result.tip, result.previous_tip, input.parent_frames.head, input.length);
    let local = input.local_rotations(&result, step_pose);
    let (world, local) = ((input.parent_frames.rotation * local).to_array(), local.to_array());
    let (heads, plain, tips, before) =
        (input.heads, input.unscaled, result.tip.to_array(), result.previous_tip.to_array());
    for (lane, i) in batch.active_indices().iter().enumerate() {
        let joint = &rest.joints[*i as usize];
        if joint.enabled {
            (state.tips[*i as usize], state.previous[*i as usize]) = (tips[lane], before[lane]);
            if plain[lane] {
                step_pose.set_unscaled_rotation(joint.bone, heads[lane], local[lane], world[lane]);
            } else {
                step_pose.set_rotation(joint.bone, joint.parent, heads[lane], local[lane], world[lane]);
            }
        } else {
            step_pose.refresh(joint.bone);
        }
    }
}

/// The inputs of a batch before its step.
#[derive(Clone, Copy)]
struct BatchInput<'a> {
    batch: &'a Batch,
    joints: [&'a JointRest; 4],
    params: [&'a Params; 4],
    /// Gravity in the world.
    gravity: Vec3x4,
    parent_frames: ParentFrames<'a>,
    heads: [Vec3; 4],
    /// Whether neither the bone nor its parent is scaled.
    unscaled: [bool; 4],
    /// Rest direction in the world; unit length or zero.
    rest_direction: Vec3x4,
    /// Distance from head to tip in this step, in metres.
    length: Vec4,
}

#[derive(Clone, Copy)]
struct StepResult {
    tip: Vec3x4,
    previous_tip: Vec3x4,
    /// Direction from head to tip; unit length.
    direction: Vec3x4,
}

impl<'a> BatchInput<'a> {
    #[inline(always)]
    fn new(
        rest: &'a Rest,
        params: &'a [Params],
        batch: &'a Batch,
        system: System,
        state: &State,
        step_pose: &'a StepPose<'_>,
    ) -> Self {
        let joints = batch.refs(&rest.joints);
        let p = batch.refs(params);
        let parents =
            step_pose.parent_frames(from_lanes(|lane| joints[lane].bone), from_lanes(|lane| joints[lane].parent));
        let heads = parents.head.to_array();
        let mut aim = parents.rotation * Vec3x4::from_lanes(|lane| joints[lane].rest_axis_in_parent);
        if parents.scaled != [false; 4] {
            let frames = parents.frames;
            let skewed = move |lane: usize| frames[lane].linear() * joints[lane].rest_axis_in_parent;
            aim = aim.replace_lanes(parents.scaled, move |lane, _| skewed(lane).normalize_or_zero());
        }
        let mut length = vec4_from_lanes(|lane| joints[lane].local_length);
        let own_scale = |lane: usize| step_pose.pose[joints[lane].bone as usize].scale;
        let plain = from_lanes(|lane| !parents.scaled[lane] && own_scale(lane) == Vec3::ONE);
        let all_at_rest_length = from_lanes(|lane| plain[lane] && has_rest_length(joints[lane], system, step_pose));
        if all_at_rest_length != [true; 4] {
            let late = batch.gather(&state.last_tip_bone_positions);
            length = current_lengths(joints, system, late, step_pose, heads);
        }
        let gravity = Vec3x4::from_lanes(|lane| system.gravity(p[lane]));
        Self {
            batch,
            joints,
            params: p,
            gravity,
            parent_frames: parents,
            heads,
            unscaled: plain,
            rest_direction: aim,
            length,
        }
    }

    /// Current and previous tips in the world, moved along with the centers of their joints.
    #[inline(always)]
    fn carried_tips(&self, state: &mut State, step_pose: &StepPose<'_>) -> (Vec3x4, Vec3x4) {
        let tip = Vec3x4::new(self.batch.gather(&state.tips));
        let previous = Vec3x4::new(self.batch.gather(&state.previous));
        // A disabled joint keeps the last frame of its center, so its tip catches up on the whole motion once it is
        // enabled.
        let follows = |joint: &JointRest| joint.enabled && joint.center != NO_PARENT;
        let centered = from_lanes(|lane| lane < self.batch.active_indices().len() && follows(self.joints[lane]));
        if centered == [false; 4] {
            return (tip, previous);
        }
        let (joints, heads) = (self.joints, self.heads);
        let moved =
            from_lanes(
                |lane| if centered[lane] { center_motion(joints[lane], state, step_pose, heads[lane]) } else { None },
            );
        let carry = move |lane: usize, tip| {
            moved[lane].map_or(tip, |(was, now)| now.transform_point(was.inverse_transform_point(tip)))
        };
        (tip.replace_lanes(centered, carry), previous.replace_lanes(centered, carry))
    }

    #[inline(always)]
    fn integrate(&self, rest: &Rest, pull: f32, tip: Vec3x4, previous: Vec3x4) -> StepResult {
        let kept = vec4_from_lanes(|lane| self.params[lane].velocity_retention);
        let stiffness = vec4_from_lanes(|lane| self.params[lane].stiffness);
        let free = tip + (tip - previous) * kept + self.rest_direction * (stiffness * pull) + self.gravity * pull;
        let offset = free - self.parent_frames.head;
        let reach = offset.length();
        // Differs from three-vrm, in which a tip at its head has no direction.
        let known = reach.cmpgt(Vec4::splat(MIN_LENGTH));
        let mut direction = Vec3x4::select(known, offset * reach.recip(), self.rest_direction);
        let limited = from_lanes(|lane| self.joints[lane].limit_index != u32::MAX);
        if limited != [false; 4] {
            let (joints, frames) = (self.joints, self.parent_frames.frames);
            let limit = move |lane: usize| &rest.limits[joints[lane].limit_index as usize];
            direction = direction.replace_lanes(limited, move |lane, direction| {
                limit(lane).clamp_direction(frames[lane].rotation, direction)
            });
        }
        StepResult { tip: self.parent_frames.head + direction * self.length, previous_tip: tip, direction }
    }

    /// Records how [`BatchInput::integrate`] moves the tips, which end at `moved`.
    fn record_motion(&self, probe: Probe<'_>, pull: f32, [tip, previous, moved]: [Vec3x4; 3]) {
        let slots = self.batch.active_indices();
        let of = |value: fn(&Params) -> f32| vec4_from_lanes(|lane| value(self.params[lane]));
        let inert = tip + (tip - previous) * of(|p| p.velocity_retention);
        let pulled = inert + self.rest_direction * (of(|p| p.stiffness) * pull);
        let fallen = pulled + self.gravity * pull;
        let offset = fallen - self.parent_frames.head;
        let direction =
            Vec3x4::from_lanes(|lane| direction_or(offset.to_array()[lane], self.rest_direction.to_array()[lane]));
        probe.reach_batch(slots, TipPart::Inertia, inert);
        probe.reach_batch(slots, TipPart::Spring, pulled);
        probe.reach_batch(slots, TipPart::Gravity, fallen);
        for (lane, slot) in slots.iter().enumerate() {
            let (slot, is_limited) = (*slot as usize, self.joints[lane].limit_index != u32::MAX);
            if is_limited {
                let unlimited = self.parent_frames.head + direction * self.length;
                probe.reach(slot, TipPart::LengthLimit, unlimited.to_array()[lane]);
            }
            let part = if is_limited { TipPart::AngleLimit } else { TipPart::LengthLimit };
            probe.reach(slot, part, moved.to_array()[lane]);
        }
    }

    #[inline(always)]
    fn collide(&self, rest: &Rest, system: System, state: &State, step_pose: &StepPose<'_>, result: &mut StepResult) {
        let meets = |joint: &JointRest| joint.enabled && !joint.colliders.is_empty();
        let touched = from_lanes(|lane| meets(self.joints[lane]));
        if touched == [false; 4] {
            return;
        }
        let (mut tips, mut directions, aims) =
            (result.tip.to_array(), result.direction.to_array(), self.rest_direction.to_array());
        for lane in (0..self.batch.active_indices().len()).filter(|lane| touched[*lane]) {
            let (joint, parent) = (self.joints[lane], self.parent_frames.frames[lane]);
            let radius = self.params[lane].radius * system.model_scale * radius_scale(joint, system, step_pose, parent);
            let univrm = system.preview == PreviewRuntime::UniVrm;
            let contact = ContactInput {
                head: self.heads[lane],
                length: self.length[lane],
                radius,
                rest_direction: aims[lane],
                univrm,
                slot: self.batch.indices[lane] as usize,
                probe: step_pose.probe,
            };
            (tips[lane], directions[lane]) =
                collide_joint(rest, joint, state, parent, &contact, tips[lane], directions[lane]);
        }
        (result.tip, result.direction) = (Vec3x4::new(tips), Vec3x4::new(directions));
    }

    /// Resets tips that are not finite to rest, or to their last position if the pose is not finite either.
    #[inline(always)]
    fn sanitize(&self, state: &State, result: &mut StepResult) {
        let broken = !(result.tip.is_finite_mask() & result.previous_tip.is_finite_mask());
        if broken.any() {
            let (aims, heads, joints, places) =
                (self.rest_direction.to_array(), self.heads, self.joints, self.batch.indices);
            let aim = move |lane: usize| if aims[lane].is_finite() { aims[lane] } else { Vec3::ZERO };
            result.direction = result.direction.replace_lanes(broken, move |lane, _| aim(lane));
            result.tip = result.tip.replace_lanes(broken, move |lane, _| {
                let at_rest = heads[lane] + aim(lane) * joints[lane].rest_length;
                if at_rest.is_finite() { at_rest } else { state.tips[places[lane] as usize] }
            });
            result.previous_tip = Vec3x4::select(broken, result.tip, result.previous_tip);
        }
    }

    /// Local rotations that point the bones at their tips.
    #[inline(always)]
    fn local_rotations(&self, result: &StepResult, step_pose: &StepPose<'_>) -> Quatx4 {
        let own = Quatx4::from_lanes(|lane| self.joints[lane].rotation);
        let mut to = (self.parent_frames.rotation * own).inverse() * result.direction;
        let odd =
            from_lanes(|lane| needs_full_transform(self.joints[lane], self.parent_frames.frames[lane], step_pose));
        if odd != [false; 4] {
            let (joints, frames, tips) = (self.joints, self.parent_frames.frames, result.tip.to_array());
            to = to.replace_lanes(odd, move |lane, _| direction_in_rest_space(joints[lane], frames[lane], tips[lane]));
        }
        own * arc_x4(Vec3x4::from_lanes(|lane| self.joints[lane].axis), to)
    }
}

/// Whether the rest direction alone cannot aim the bone, because of scale or because an animation moves the head.
#[inline]
fn needs_full_transform(joint: &JointRest, parent: &Frame, step_pose: &StepPose<'_>) -> bool {
    parent.scaled || joint.scaled || step_pose.pose[joint.bone as usize].translation != joint.translation
}

/// `offset` with unit length; `aim` if `offset` is too short.
#[inline]
fn direction_or(offset: Vec3, aim: Vec3) -> Vec3 {
    let length = offset.length();
    // Differs from three-vrm, in which a tip at its head has no direction.
    if length > MIN_LENGTH { offset * (1.0 / length) } else { aim }
}

/// Whether an unscaled bone is known to have its rest length.
#[inline(always)]
fn has_rest_length(joint: &JointRest, system: System, step_pose: &StepPose<'_>) -> bool {
    let stays = match step_pose.pose.get(joint.tip_bone as usize) {
        Some(tip) => tip.translation == joint.tip && step_pose.parents[joint.tip_bone as usize] == joint.bone,
        None => true,
    };
    stays && system.preview == PreviewRuntime::Specification
}

#[cold]
fn current_lengths(
    joints: [&JointRest; 4],
    system: System,
    late: [Vec3; 4],
    step_pose: &StepPose<'_>,
    heads: [Vec3; 4],
) -> Vec4 {
    let of = |lane: usize| current_length(joints[lane], system, late[lane], step_pose, heads[lane]);
    vec4_from_lanes(of)
}

/// Distance from head to tip in this step, in metres.
fn current_length(joint: &JointRest, system: System, late: Vec3, step_pose: &StepPose<'_>, head: Vec3) -> f32 {
    match system.preview {
        PreviewRuntime::UniVrm => return joint.rest_length,
        PreviewRuntime::ThreeVrm if joint.tip_bone != NO_PARENT => return head.distance(late),
        PreviewRuntime::Specification | PreviewRuntime::ThreeVrm => {}
    }
    let (parent, tip) = (step_pose.parent_frame(joint.parent), tip_in_bone(joint, step_pose.pose, step_pose.parents));
    let local = &step_pose.pose[joint.bone as usize];
    if parent.scaled || local.scale != Vec3::ONE {
        (parent.linear() * (local.rotation * (local.scale * tip))).length()
    } else if tip == joint.tip {
        joint.local_length
    } else {
        tip.length()
    }
}

/// Frames of a joint's center in the last step and in this step; `None` if the center has not moved.
fn center_motion(joint: &JointRest, state: &mut State, step_pose: &StepPose<'_>, head: Vec3) -> Option<(Frame, Frame)> {
    let now = if joint.center == joint.bone {
        step_pose.parent_frame(joint.parent).child_at(&step_pose.pose[joint.bone as usize], head)
    } else {
        step_pose.frames[joint.center as usize]
    };
    let was = std::mem::replace(&mut state.last_centers[joint.center_index as usize], now);
    (was != now).then_some((was, now))
}

/// Factor of the scale on a hit radius.
#[inline]
fn radius_scale(joint: &JointRest, system: System, step_pose: &StepPose<'_>, parent: &Frame) -> f32 {
    let scale = step_pose.pose[joint.bone as usize].scale;
    if system.is_vrm0 && system.preview == PreviewRuntime::UniVrm && (parent.scaled || scale != Vec3::ONE) {
        let own = Mat3::from_quat(step_pose.pose[joint.bone as usize].rotation) * Mat3::from_diagonal(scale);
        max_axis_length(&(parent.linear() * own))
    } else {
        1.0
    }
}

/// Contact inputs that are the same for all colliders of a joint.
struct ContactInput<'a> {
    head: Vec3,
    length: f32,
    radius: f32,
    rest_direction: Vec3,
    univrm: bool,
    slot: usize,
    probe: Option<Probe<'a>>,
}

impl ContactInput<'_> {
    #[inline(always)]
    fn reach(&self, part: TipPart, tip: Vec3) {
        let slot = self.slot;
        probe::record(self.probe, move |probe| probe.reach(slot, part, tip));
    }
}

/// Pushes a tip out of the colliders, one collider after the other. Returns the tip and its direction from the head.
fn collide_joint(
    rest: &Rest,
    joint: &JointRest,
    state: &State,
    parent: &Frame,
    contact: &ContactInput<'_>,
    mut next: Vec3,
    mut direction: Vec3,
) -> (Vec3, Vec3) {
    for at in joint.colliders.slice(&rest.colliders) {
        if state.collider_bounds[*at as usize].is_out_of_reach(next, contact.radius) {
            continue;
        }
        let collider = &state.world_colliders[*at as usize];
        let probe = if contact.univrm { contact.head } else { next };
        let Some((depth, way)) = penetration(collider, next, contact.radius, probe) else { continue };
        next += way * depth;
        contact.reach(TipPart::Collision, next);
        direction = direction_or(next - contact.head, contact.rest_direction);
        let mut keeps = !(contact.univrm && is_inside_or_plane(collider));
        let mut kept_by = TipPart::LengthLimit;
        if joint.limit_index != u32::MAX {
            contact.reach(TipPart::LengthLimit, contact.head + direction * contact.length);
            kept_by = TipPart::AngleLimit;
            direction = rest.limits[joint.limit_index as usize].clamp_direction(parent.rotation, direction);
            keeps = true;
        }
        if keeps {
            next = contact.head + direction * contact.length;
            contact.reach(kept_by, next);
        }
    }
    (next, direction)
}

pub(super) fn point_joint_at(joint: &JointRest, step_pose: &mut StepPose<'_>, tip: Vec3) {
    let parent = step_pose.parent_frame(joint.parent);
    let head = parent.transform_point(step_pose.pose[joint.bone as usize].translation);
    let to = if needs_full_transform(joint, parent, step_pose) {
        direction_in_rest_space(joint, parent, tip)
    } else {
        (parent.rotation * joint.rotation).inverse() * direction_or(tip - head, Vec3::ZERO)
    };
    let local = joint.rotation * arc(joint.axis, to);
    let world = parent.rotation * local;
    step_pose.set_rotation(joint.bone, joint.parent, head, local, world);
}

/// Direction to `tip` in the joint's rest space; unit length or zero. As in the reference code, the origin is the
/// head at rest even if an animation moves the head.
#[cold]
fn direction_in_rest_space(joint: &JointRest, parent: &Frame, tip: Vec3) -> Vec3 {
    let local = Trs { translation: joint.translation, rotation: joint.rotation, scale: joint.scale };
    parent.child(&local).inverse_transform_point(tip).normalize_or_zero()
}

/// Computes [`arc`] for all lanes of a batch.
#[inline(always)]
fn arc_x4(from: Vec3x4, to: Vec3x4) -> Quatx4 {
    let c = from.cross(to);
    let (dot, squared) = (from.dot(to), c.length_squared());
    let behind = dot.cmplt(Vec4::ZERO);
    if (behind & squared.cmplt(Vec4::splat(OPPOSITE_SIN_SQUARED))).any() {
        let (from, to) = (from.to_array(), to.to_array());
        return Quatx4::from_lanes(|lane| arc(from[lane], to[lane]));
    }
    let w = Vec4::select(behind, squared / (Vec4::ONE - dot), Vec4::ONE + dot);
    let k = (squared + w * w).sqrt().recip();
    Quatx4::from_parts(c * k, w * k)
}

/// The shortest rotation between two directions of unit length; the identity if one direction is zero.
///
/// Half a turn uses the same axis as three-vrm, so recordings of this case can be compared.
#[inline]
fn arc(from: Vec3, to: Vec3) -> Quat {
    let c = from.cross(to);
    let (dot, squared) = (from.dot(to), c.length_squared());
    let mut w = 1.0 + dot;
    if dot < 0.0 {
        if squared < OPPOSITE_SIN_SQUARED {
            let axis = if from.x.abs() > from.z.abs() {
                Vec3::new(-from.y, from.x, 0.0)
            } else {
                Vec3::new(0.0, -from.z, from.y)
            };
            return Quat::from_vec4(axis.normalize_or(Vec3::X).extend(0.0));
        }
        // Algebraically equal to 1 + dot, but without the cancellation for nearly opposite directions.
        w = squared / (1.0 - dot);
    }
    let k = 1.0 / (squared + w * w).sqrt();
    Quat::from_xyzw(c.x * k, c.y * k, c.z * k, w * k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(from: Vec3, to: Vec3) {
        let (from, to) = (from.normalize(), to.normalize());
        let found = arc(from, to);
        assert!((found.length() - 1.0).abs() < 1e-5, "{found} is not of unit length");
        assert!((found * from - to).length() < 1e-5, "{found} turns {from} to {}, not {to}", found * from);
    }

    #[test]
    fn arc_rotates_any_direction_to_any_other() {
        check(Vec3::X, Vec3::Y);
        check(Vec3::new(1.0, 2.0, 3.0), Vec3::new(-2.0, 0.5, 0.1));
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(1.0, 0.2, -1.0)] {
            check(axis, axis);
            check(axis, -axis);
            check(axis, -axis + axis.any_orthogonal_vector() * 1e-3);
        }
    }

    #[test]
    fn arc_with_a_zero_direction_is_the_identity() {
        assert_eq!(arc(Vec3::Y, Vec3::ZERO), Quat::IDENTITY);
        assert_eq!(arc(Vec3::ZERO, Vec3::Y), Quat::IDENTITY);
    }

    #[test]
    fn direction_or_returns_the_fallback_for_a_tip_at_its_head() {
        assert_eq!(direction_or(Vec3::ZERO, Vec3::X), Vec3::X);
        assert_eq!(direction_or(Vec3::Y * 1e-20, Vec3::X), Vec3::X);
        assert_eq!(direction_or(Vec3::Y * 0.5, Vec3::X), Vec3::Y);
    }
}
