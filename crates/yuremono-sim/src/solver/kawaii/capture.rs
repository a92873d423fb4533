//! Captures the pose of a frame in the simulation space, and the motion of the component.

use super::super::super::step_pose::StepPose;
use super::super::super::vec_util::sanitize;
use super::point_batch::BatchKind;
use super::{MIN_LENGTH, PointKind, Rest, RunPhase, State, SyncBoneRest, System};
use crate::math::{Frame, Quatx4, Vec3x4, from_lanes, slerp};
use crate::rig::BoneId;
use glam::{Quat, Vec3};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SimulationSpace {
    /// The space of the component. Points feel a share of the component's motion.
    #[default]
    Component,
    /// The space of the world.
    World,
    /// The space of a bone.
    BaseBone,
}

impl SimulationSpace {
    /// The space for a value of the parameter `SimulationSpace`.
    pub(super) fn from_param(value: f32) -> Self {
        match value {
            v if v < 0.5 => Self::Component,
            v if v < 1.5 => Self::World,
            _ => Self::BaseBone,
        }
    }
}

/// Motion of the component since the points last felt its motion, in the component's own space.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComponentMotion {
    /// Current frame of the component, in the world.
    pub component: Frame,
    /// Current frame of the base bone, in the space of the component.
    pub base: Frame,
    /// Previous origin of the component, in metres.
    pub translation: Vec3,
    pub rotation: Quat,
    /// Whether the motion exceeds a teleport limit. Points ignore the motion of a teleport.
    pub teleported: bool,
}

/// Frame of a bone without its scale; the world for `NO_PARENT`.
pub(super) fn unscaled_frame(bone: u32, frames: &[Frame]) -> Frame {
    let mut unscaled = Frame::WORLD;
    if let Some(frame) = frames.get(bone as usize)
        && frame.position.is_finite()
        && frame.rotation.is_finite()
    {
        unscaled.set_unscaled(frame.rotation, frame.position);
    }
    unscaled
}

/// Updates the frames of the system's bones and stores the pose in the simulation space.
pub(super) fn capture_pose(
    rest: &Rest,
    system: &System,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
) -> ComponentMotion {
    refresh_bones(rest, step_pose);
    let component = unscaled_frame(rest.component, step_pose.frames);
    let base = unscaled_frame(rest.base_bone, step_pose.frames);
    let space = match system.space {
        SimulationSpace::Component => component,
        SimulationSpace::World => Frame::WORLD,
        SimulationSpace::BaseBone => base,
    };
    if state.space_kind != system.space {
        change_space(state, &space);
        state.space_kind = system.space;
    }
    state.space = space;
    std::mem::swap(&mut state.pose_positions, &mut state.previous_pose_positions);
    std::mem::swap(&mut state.pose_rotations, &mut state.previous_pose_rotations);
    capture_points(rest, state, step_pose);
    let base = relative_frame(&component, &base);
    if state.run_phase == RunPhase::NotStarted {
        start_from_pose(state, &component, &base);
    }
    for sync in &rest.sync_bones {
        apply_sync(sync, &component, rest, state, step_pose);
    }
    if state.previous_dt <= 0.0 {
        // Sync bones shift the pose even in the first frame.
        state.previous_pose_positions.copy_from_slice(&state.pose_positions);
        state.previous_pose_rotations.copy_from_slice(&state.pose_rotations);
        state.previous_dt = 1.0 / system.target_frame_rate;
    }
    component_motion(system, state, component, base)
}

fn refresh_bones(rest: &Rest, step_pose: &mut StepPose<'_>) {
    rest.bone_batches.iter().for_each(|row| step_pose.refresh_batch(row.bones, row.parent_bones));
}

/// Stores the positions and rotations of the points in the pose.
fn capture_points(rest: &Rest, state: &mut State, step_pose: &StepPose<'_>) {
    let (origin, into) = (Vec3x4::splat(state.space.position), Quatx4::splat(state.space.rotation.inverse()));
    // Slices of equal length avoid bounds checks.
    let count = rest.points.len();
    for point_batch in &rest.point_batches {
        match point_batch.kind {
            BatchKind::Root | BatchKind::Bone => {
                let frames = from_lanes(|lane| &step_pose.frames[point_batch.bones[lane] as usize]);
                let at = into * (Vec3x4::from_lanes(|lane| frames[lane].position) - origin);
                let turn = (into * Quatx4::from_lanes(|lane| frames[lane].rotation)).normalize();
                point_batch.batch.scatter(at.to_array(), &mut state.pose_positions[..count]);
                point_batch.batch.scatter(turn.to_array(), &mut state.pose_rotations[..count]);
            }
            BatchKind::End => {
                point_batch
                    .batch
                    .active_indices()
                    .iter()
                    .for_each(|i| capture_end(rest, *i as usize, state, step_pose));
            }
            BatchKind::Subdivision | BatchKind::Bridge => {}
        }
    }
    if rest.has_subdivisions {
        interpolate_subdivisions(rest, &mut state.pose_positions, &mut state.pose_rotations);
    }
}

fn capture_end(rest: &Rest, i: usize, state: &mut State, step_pose: &StepPose<'_>) {
    let point = &rest.points[i];
    let PointKind::End { local_offset: local, follows_scale: scaled } = point.kind else { return };
    // The point may be the child of a subdivision, which has no bone, so the bone is that of the joint.
    let head = rest.head_points[point.joints[0] as usize] as usize;
    let frame = &step_pose.frames[rest.points[head].bone as usize];
    let at = if scaled { frame.transform_point(local) } else { frame.position + frame.rotation * local };
    state.pose_positions[i] = state.space.rotation.inverse() * (at - state.space.position);
    state.pose_rotations[i] = state.pose_rotations[head];
}

/// Keeps subdivisions between their ends in the pose too.
fn interpolate_subdivisions(rest: &Rest, pose: &mut [Vec3], turn: &mut [Quat]) {
    for (i, point) in rest.points.iter().enumerate() {
        if let PointKind::Subdivision { ends: [a, b], fraction: share }
        | PointKind::Bridge { ends: [a, b], fraction: share } = point.kind
        {
            let [a, b] = [a as usize, b as usize];
            pose[i] = pose[a].lerp(pose[b], share);
            turn[i] = slerp(turn[a], turn[b], share);
        }
    }
}

/// Starts all points in the pose, without velocity.
fn start_from_pose(state: &mut State, component: &Frame, base: &Frame) {
    state.positions.copy_from_slice(&state.pose_positions);
    state.previous_positions.copy_from_slice(&state.pose_positions);
    state.previous_pose_positions.copy_from_slice(&state.pose_positions);
    state.previous_pose_rotations.copy_from_slice(&state.pose_rotations);
    (state.felt_component, state.felt_base) = (*component, *base);
    (state.accumulator, state.previous_dt) = (0.0, 0.0);
    (state.step_count, state.wind_time) = (0, 0.0);
}

/// Converts the points from the current simulation space to another space.
fn change_space(state: &mut State, space: &Frame) {
    for at in state.positions.iter_mut().chain(&mut state.previous_positions) {
        *at = space.inverse_transform_point(state.space.transform_point(*at));
    }
    state.previous_dt = 0.0;
}

/// A frame relative to the frame `outer`.
fn relative_frame(outer: &Frame, frame: &Frame) -> Frame {
    let mut own = Frame::WORLD;
    own.set_unscaled(outer.rotation.inverse() * frame.rotation, outer.inverse_transform_point(frame.position));
    own
}

fn component_motion(system: &System, state: &State, component: Frame, base: Frame) -> ComponentMotion {
    let moved = component.inverse_transform_point(state.felt_component.position) * system.move_scale;
    let turned = (component.rotation.inverse() * state.felt_component.rotation).normalize();
    let angle = 2.0 * libm::atan2f(turned.xyz().length(), turned.w.abs()).to_degrees();
    let far = system.teleport_distance > 0.0 && moved.length() > system.teleport_distance;
    let round = system.teleport_angle > 0.0 && angle > system.teleport_angle;
    let known = moved.is_finite() && turned.is_finite();
    ComponentMotion { component, base, translation: moved, rotation: turned, teleported: far || round || !known }
}

/// Displacement of a sync bone from its rest position, in the component's space.
fn sync_displacement(sync: &SyncBoneRest, component: &Frame, frame: &Frame) -> Vec3 {
    component.inverse_transform_point(frame.position) - sync.rest_position
}

/// Length of the displacement of a sync bone, in metres.
pub(super) fn sync_offset(rest: &Rest, bone: BoneId, frames: &[Frame]) -> Option<f32> {
    let sync = rest.sync_bones.iter().find(|sync| sync.setup.bone == bone)?;
    Some(sync_displacement(sync, &unscaled_frame(rest.component, frames), frames.get(bone.index())?).length())
}

/// Shifts the pose of each target of a sync bone by the target's share of the displacement.
fn apply_sync(sync: &SyncBoneRest, component: &Frame, rest: &Rest, state: &mut State, step_pose: &StepPose<'_>) {
    let Some(frame) = step_pose.frames.get(sync.setup.bone.index()) else { return };
    let mut moved = sync_displacement(sync, component, frame);
    moved *= piecewise_linear(&sync.setup.scale_by_distance, moved.length());
    moved *= sync.setup.scale;
    let [x, y, z] = sync.setup.directions;
    let moved = Vec3::new(x.filter(moved.x), y.filter(moved.y), z.filter(moved.z));
    if !moved.is_finite() || moved.abs().max_element() <= MIN_LENGTH {
        return;
    }
    let moved = state.space.rotation.inverse() * (component.rotation * moved);
    let from = state.space.inverse_transform_point(frame.position);
    for (point, target) in &sync.targets {
        let point = *point as usize;
        let scale = sync.setup.targets.get(*target).map_or(0.0, |target| sanitize(target.scale));
        let left = sync.setup.attenuation.map_or(1.0, |fade| fade.remaining(from.distance(state.positions[point])));
        state.pose_positions[point] += moved * (left * scale);
    }
    interpolate_subdivisions(rest, &mut state.pose_positions, &mut state.pose_rotations);
}

/// Value at `x` of a polyline through `points`; 1 if there are no points.
fn piecewise_linear(points: &[[f32; 2]], x: f32) -> f32 {
    let Some(right) = points.iter().position(|p| p[0] > x) else {
        return points.last().map_or(1.0, |p| p[1]);
    };
    if right == 0 {
        return points[0][1];
    }
    let ([x0, y0], [x1, y1]) = (points[right - 1], points[right]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Moves every point to the current pose, without velocity.
pub(super) fn snap_to_pose(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    refresh_bones(rest, step_pose);
    let component = unscaled_frame(rest.component, step_pose.frames);
    let base = unscaled_frame(rest.base_bone, step_pose.frames);
    state.space = match state.space_kind {
        SimulationSpace::Component => component,
        SimulationSpace::World => Frame::WORLD,
        SimulationSpace::BaseBone => base,
    };
    capture_points(rest, state, step_pose);
    start_from_pose(state, &component, &relative_frame(&component, &base));
    state.run_phase = RunPhase::AfterReset;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn piecewise_linear_is_constant_beyond_its_ends_and_one_without_points() {
        let line = [[0.1, 1.0], [0.3, 0.5]];
        let heights = [0.0, 0.1, 0.2, 0.3, 9.0].map(|x| piecewise_linear(&line, x));
        assert!(heights.iter().zip([1.0, 1.0, 0.75, 0.5, 0.5]).all(|(a, b)| (a - b).abs() < 1e-6), "{heights:?}");
        assert_eq!(piecewise_linear(&[], 0.2), 1.0);
    }
}
