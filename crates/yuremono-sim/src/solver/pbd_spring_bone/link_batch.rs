//! Steps batches of links, and iterates collision and length constraints.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::build::{NONE, refresh_path};
use super::step::{StepContext, finite_or, length_scale};
use super::{AimLink, JointRest, Params, State};
use crate::math::{Quatx4, Vec3x4, from_lanes, vec4_from_lanes};
use crate::probe::{self, Probe, TipPart};
use crate::push;
use crate::solver::batch::Batch;
use crate::step_pose::StepPose;
use glam::{Quat, Vec3, Vec4};

impl StepContext<'_> {
    /// Moves every point and rotates its bone. If `CONSTRAINED` is false, the points are not constrained.
    pub(super) fn step_links<const CONSTRAINED: bool>(&self, state: &mut State, step_pose: &mut StepPose<'_>) {
        for batch in &self.rest.link_batches {
            self.step_batch::<CONSTRAINED>(batch, state, step_pose);
        }
    }

    /// One step of a batch: integrate, collide, keep length, rotate.
    #[inline(always)]
    fn step_batch<const CONSTRAINED: bool>(&self, batch: &Batch, state: &mut State, step_pose: &mut StepPose<'_>) {
        let input = self.batch_input(batch);
        let frames = self.link_frames(&input, step_pose);
        let head = head_positions(input.joints, frames.position, state);
        let point = state.batch_points(batch);
        let mut next = self.integrate(batch, &input, frames.rest_point, point, state);
        if let Some(probe) = step_pose.probe {
            self.record_motion(probe, batch, [frames.rest_point, next], state);
        }
        let aim = frames.rotation * Vec3x4::from_lanes(|lane| input.links[lane].axis);
        if CONSTRAINED {
            next = self.collide(&input, frames.length_scale, state, next);
            probe::record(step_pose.probe, move |probe| {
                probe.reach_batch(batch.active_indices(), TipPart::Collision, next);
            });
            next = push::keep_distance_x4(next, head, input.lengths(frames.length_scale), move |lane| {
                aim.to_array()[lane]
            });
            probe::record(step_pose.probe, move |probe| {
                probe.reach_batch(batch.active_indices(), TipPart::LengthLimit, next);
            });
        }
        let mut last = point;
        let is_lost = !next.is_finite_mask();
        if is_lost.any() {
            next = next.replace_lanes(is_lost, move |lane, _| {
                finite_or(frames.rest_point.to_array()[lane], point.to_array()[lane])
            });
            last = Vec3x4::select(is_lost, next, last);
        }
        let (mut turned, is_aimed) = frames.rotation.rotate_between(aim, next - head);
        let mut local = frames.parent.inverse() * turned;
        let is_turned = is_aimed & local.is_finite_mask();
        if !is_turned.all() {
            let (joints, pose) = (input.joints, &*step_pose.pose);
            turned = turned.replace_lanes(!is_turned, move |lane, _| frames.rotation.to_array()[lane]);
            local = local.replace_lanes(!is_turned, move |lane, _| pose[joints[lane].bone as usize].rotation);
        }
        let result = StepResult {
            point: next.to_array(),
            previous: last.to_array(),
            is_scaled: frames.length_scale.is_some(),
            position: frames.position.to_array(),
            local_rotation: local.to_array(),
            world_rotation: turned.to_array(),
        };
        self.write_batch(batch, &input, &result, state, step_pose);
    }

    /// Frames of the bones before the links rotate them. The parents have been rotated already.
    #[inline(always)]
    fn link_frames(&self, input: &BatchInput<'_>, step_pose: &mut StepPose<'_>) -> LinkFrames {
        let BatchInput { links, joints, .. } = *input;
        let bones = from_lanes(|lane| joints[lane].bone);
        let parents = from_lanes(|lane| step_pose.parents[bones[lane] as usize]);
        let frames = step_pose.parent_frames(bones, parents);
        let (parent, position) = (frames.rotation, frames.head);
        let rotation = parent * Quatx4::from_lanes(|lane| step_pose.pose[bones[lane] as usize].rotation);
        let rest = position + rotation * Vec3x4::from_lanes(|lane| links[lane].rest_point);
        let is_plain = |lane: usize| links[lane].fast_path && !step_pose.is_scaled(bones[lane], parents[lane]);
        let odd = from_lanes(|lane| !is_plain(lane));
        if odd == [false; 4] {
            return LinkFrames { parent, rotation, position, rest_point: rest, length_scale: None };
        }
        let (parent, rotation, position, rest) =
            (parent.to_array(), rotation.to_array(), position.to_array(), rest.to_array());
        let plain = from_lanes(|lane| LinkFrame {
            parent: parent[lane],
            rotation: rotation[lane],
            position: position[lane],
            rest_point: rest[lane],
            length_scale: 1.0,
        });
        let each =
            from_lanes(
                |lane| if odd[lane] { self.link_frame(links[lane], joints[lane], step_pose) } else { plain[lane] },
            );
        LinkFrames {
            parent: Quatx4::from_lanes(|lane| each[lane].parent),
            rotation: Quatx4::from_lanes(|lane| each[lane].rotation),
            position: Vec3x4::from_lanes(|lane| each[lane].position),
            rest_point: Vec3x4::from_lanes(|lane| each[lane].rest_point),
            length_scale: Some(vec4_from_lanes(|lane| each[lane].length_scale)),
        }
    }

    /// The frame of a bone that has no fast path or that is scaled.
    #[cold]
    fn link_frame(&self, link: &AimLink, joint: &JointRest, step_pose: &mut StepPose<'_>) -> LinkFrame {
        if link.first {
            refresh_path(self.rest, joint, step_pose);
        }
        let frame = &step_pose.frames[joint.bone as usize];
        LinkFrame {
            parent: step_pose.parent_frame(step_pose.parents[joint.bone as usize]).rotation,
            rotation: frame.rotation,
            position: frame.position,
            rest_point: frame.transform_point(link.rest_point),
            length_scale: length_scale(link, frame, self.system),
        }
    }

    #[inline(always)]
    fn integrate(&self, batch: &Batch, input: &BatchInput<'_>, rest: Vec3x4, point: Vec3x4, state: &State) -> Vec3x4 {
        let p = input.params;
        let previous = Vec3x4::new(batch.gather(&state.previous));
        let before = if state.previous_dt > 0.0 { state.previous_dt } else { self.step_seconds };
        let mut speed = (point - previous) / before;
        speed += (rest - point) * vec4_from_lanes(|lane| p[lane].spring) * self.step_seconds;
        speed.y -= vec4_from_lanes(|lane| p[lane].gravity) * self.step_seconds;
        speed = speed * vec4_from_lanes(|lane| p[lane].damp);
        point + speed * self.step_seconds
    }

    /// Records how [`StepContext::integrate`] moves the points of a batch to `moved`.
    #[cold]
    #[inline(never)]
    fn record_motion(&self, probe: Probe<'_>, batch: &Batch, [rest, moved]: [Vec3x4; 2], state: &State) {
        let (h, rest) = (self.step_seconds, rest.to_array());
        let before = if state.previous_dt > 0.0 { state.previous_dt } else { h };
        for (lane, i) in batch.active_indices().iter().enumerate() {
            let i = *i as usize;
            let (p, point) = (&self.params[self.rest.links[i].joint as usize], state.points[i]);
            // The damping scales the effect of the spring and of gravity, too.
            let inert = point + (point - state.previous[i]) / before * (p.damp * h);
            probe.reach(i, TipPart::Inertia, inert);
            probe.reach(i, TipPart::Spring, inert + (rest[lane] - point) * (p.spring * h * p.damp * h));
            probe.reach(i, TipPart::Gravity, moved.to_array()[lane]);
        }
    }

    /// Pushes points out of the colliders, one collider after the other, and then out of the ground.
    #[inline(always)]
    fn collide(&self, input: &BatchInput<'_>, stretch: Option<Vec4>, state: &State, point: Vec3x4) -> Vec3x4 {
        let joints = input.joints;
        let meets = from_lanes(|lane| joints[lane].enabled && !joints[lane].colliders.is_empty());
        if meets == [false; 4] && self.system.ground.is_none() {
            return point;
        }
        let radius = vec4_from_lanes(|lane| input.params[lane].radius) * stretch.unwrap_or(Vec4::ONE);
        let mut points = point.to_array();
        for lane in (0..input.batch.active_indices().len()).filter(|lane| meets[*lane]) {
            points[lane] = self.push_out(joints[lane], radius[lane], state, points[lane]);
        }
        input.batch.pad_lanes(&mut points);
        let point = Vec3x4::new(points);
        self.system.ground.map_or(point, |height| push::ground_x4(point, radius, height))
    }

    #[inline]
    fn push_out(&self, joint: &JointRest, radius: f32, state: &State, mut point: Vec3) -> Vec3 {
        for at in joint.colliders.slice(&self.rest.colliders) {
            point = state.colliders[*at as usize].push_out(point, radius).unwrap_or(point);
        }
        point
    }

    /// Writes points and rotations.
    #[inline(always)]
    fn write_batch(
        &self,
        batch: &Batch,
        input: &BatchInput<'_>,
        result: &StepResult,
        state: &mut State,
        step_pose: &mut StepPose<'_>,
    ) {
        let is_plain = |joint: &JointRest| joint.enabled && joint.child_colliders.is_empty();
        if result.is_scaled || from_lanes(|lane| is_plain(input.joints[lane])) != [true; 4] {
            let result = result.clone();
            (0..batch.len as usize).for_each(|lane| self.write_link(lane, batch, input, &result, state, step_pose));
            return;
        }
        // Separate loops let the compiler unroll them. Padding lanes repeat the last link.
        let bone = |lane: usize| input.joints[lane].bone as usize;
        from_lanes(|lane| state.points[batch.indices[lane] as usize] = result.point[lane]);
        from_lanes(|lane| state.previous[batch.indices[lane] as usize] = result.previous[lane]);
        from_lanes(|lane| step_pose.pose[bone(lane)].rotation = result.local_rotation[lane]);
        from_lanes(|lane| {
            step_pose.frames[bone(lane)].set_unscaled(result.world_rotation[lane], result.position[lane]);
        });
    }

    /// Writes one link whose bone is scaled or disabled, or carries colliders.
    #[cold]
    fn write_link(
        &self,
        lane: usize,
        batch: &Batch,
        input: &BatchInput<'_>,
        result: &StepResult,
        state: &mut State,
        step_pose: &mut StepPose<'_>,
    ) {
        let (i, joint) = (batch.indices[lane] as usize, input.joints[lane]);
        if joint.enabled {
            (state.points[i], state.previous[i]) = (result.point[lane], result.previous[lane]);
            let parent = step_pose.parents[joint.bone as usize];
            step_pose.set_rotation(
                joint.bone,
                parent,
                result.position[lane],
                result.local_rotation[lane],
                result.world_rotation[lane],
            );
            self.update_child_colliders(joint, state, step_pose);
        } else {
            self.update_disabled(i, input.links[lane], state, step_pose);
        }
    }

    /// Iterates the constraints: collisions of all points, followed by the lengths of all links, from the roots to
    /// the tips.
    pub(super) fn solve_constraints(&self, state: &mut State, step_pose: &StepPose<'_>) {
        for _ in 0..self.system.iterations {
            for batch in &self.rest.link_batches {
                let input = self.batch_input(batch);
                let point =
                    self.collide(&input, self.length_scales(&input, step_pose), state, state.batch_points(batch));
                input.store_points(batch, point, state);
                probe::record(step_pose.probe, move |probe| {
                    probe.reach_batch(batch.active_indices(), TipPart::Collision, point);
                });
            }
            for batch in &self.rest.link_batches {
                let input = self.batch_input(batch);
                let frames = from_lanes(|lane| &step_pose.frames[input.joints[lane].bone as usize]);
                let head = head_positions(input.joints, Vec3x4::from_lanes(|lane| frames[lane].position), state);
                let length = input.lengths(self.length_scales(&input, step_pose));
                let aim = |lane: usize| frames[lane].rotation * input.links[lane].axis;
                let mut point = push::keep_distance_x4(state.batch_points(batch), head, length, aim);
                let is_lost = !point.is_finite_mask();
                if is_lost.any() {
                    point = point.replace_lanes(is_lost, |lane, _| state.previous[batch.indices[lane] as usize]);
                }
                input.store_points(batch, point, state);
                probe::record(step_pose.probe, move |probe| {
                    probe.reach_batch(batch.active_indices(), TipPart::LengthLimit, point);
                });
            }
        }
    }

    /// Scales of the bones' lengths; `None` unless lengths follow the scale. The frames of the bones must be up to
    /// date.
    fn length_scales(&self, input: &BatchInput<'_>, step_pose: &StepPose<'_>) -> Option<Vec4> {
        let one = |lane: usize| {
            length_scale(input.links[lane], &step_pose.frames[input.joints[lane].bone as usize], self.system)
        };
        self.system.follow_scale.then(|| vec4_from_lanes(one))
    }

    #[inline(always)]
    fn batch_input<'s>(&'s self, batch: &'s Batch) -> BatchInput<'s> {
        let links = batch.refs(&self.rest.links);
        let joints = from_lanes(|lane| &self.rest.joints[links[lane].joint as usize]);
        let p = from_lanes(|lane| &self.params[links[lane].joint as usize]);
        BatchInput { batch, links, joints, params: p }
    }
}

struct BatchInput<'a> {
    batch: &'a Batch,
    links: [&'a AimLink; 4],
    joints: [&'a JointRest; 4],
    params: [&'a Params; 4],
}

impl BatchInput<'_> {
    #[inline]
    fn lengths(&self, stretch: Option<Vec4>) -> Vec4 {
        vec4_from_lanes(|lane| self.links[lane].length) * stretch.unwrap_or(Vec4::ONE)
    }

    /// Stores the points of enabled joints.
    fn store_points(&self, batch: &Batch, point: Vec3x4, state: &mut State) {
        let points = point.to_array();
        for (lane, i) in batch.active_indices().iter().enumerate().filter(|(lane, _)| self.joints[*lane].enabled) {
            state.points[*i as usize] = points[lane];
        }
    }
}

struct LinkFrames {
    /// Rotations of the parents.
    parent: Quatx4,
    rotation: Quatx4,
    position: Vec3x4,
    /// Rest positions of the points.
    rest_point: Vec3x4,
    /// Scales of the lengths; `None` if no bone is scaled and no bone needs [`StepContext::link_frame`].
    length_scale: Option<Vec4>,
}

#[derive(Clone, Copy)]
struct LinkFrame {
    parent: Quat,
    rotation: Quat,
    position: Vec3,
    rest_point: Vec3,
    length_scale: f32,
}

#[derive(Clone)]
struct StepResult {
    is_scaled: bool,
    point: [Vec3; 4],
    /// The points before the step.
    previous: [Vec3; 4],
    /// Positions of the bones.
    position: [Vec3; 4],
    /// Rotations in the parent's space.
    local_rotation: [Quat; 4],
    world_rotation: [Quat; 4],
}

impl State {
    #[inline(always)]
    fn batch_points(&self, batch: &Batch) -> Vec3x4 {
        Vec3x4::new(batch.gather(&self.points))
    }
}

/// Positions of the joints' heads; for roots, the `position` of the bone.
#[inline(always)]
fn head_positions(joints: [&JointRest; 4], position: Vec3x4, state: &State) -> Vec3x4 {
    let is_root = from_lanes(|lane| joints[lane].head_link == NONE);
    if is_root == [false; 4] {
        return Vec3x4::from_lanes(|lane| state.points[joints[lane].head_link as usize]);
    }
    let position = position.to_array();
    Vec3x4::from_lanes(
        |lane| if is_root[lane] { position[lane] } else { state.points[joints[lane].head_link as usize] },
    )
}
