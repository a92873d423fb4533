//! The pose of a frame in the simulation space, and how the component moved.

use super::super::super::kernel::finite;
use super::super::super::scene::Scene;
use super::abreast::Sort;
use super::{Begun, Kind, NOWHERE, Rest, State, Sync, System};
use crate::math::{Frame, Quatx4, Vec3x4, lanes};
use crate::rig::BoneId;
use glam::{Quat, Vec3};

/// What points are carried along by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Space {
    /// The component, of whose motion they feel a share.
    #[default]
    Component,
    /// Nothing.
    World,
    /// A bone.
    Base,
}

impl Space {
    /// The choice that a value of `SimulationSpace` stands for.
    pub(super) fn of(value: f32) -> Self {
        match value {
            v if v < 0.5 => Self::Component,
            v if v < 1.5 => Self::World,
            _ => Self::Base,
        }
    }
}

/// How the component moved since its motion was felt last, in its own space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// The component now, in the world.
    pub component: Frame,
    /// The base bone now, in the component.
    pub base: Frame,
    /// Where its origin was, metres.
    pub moved: Vec3,
    pub turned: Quat,
    /// Too far in one frame: nothing is felt of it.
    pub teleported: bool,
}

/// Where a bone stands, without scale; the world for `WORLD`.
pub(super) fn frame_of(bone: u32, frames: &[Frame]) -> Frame {
    let mut unscaled = Frame::WORLD;
    if let Some(frame) = frames.get(bone as usize)
        && frame.position.is_finite()
        && frame.rotation.is_finite()
    {
        unscaled.place(frame.rotation, frame.position);
    }
    unscaled
}

/// Brings the frames of a step's own bones up to date and writes the pose in the simulation space.
pub(super) fn capture(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>) -> Motion {
    refresh(rest, scene);
    let component = frame_of(rest.component, scene.frames);
    let base = frame_of(rest.base, scene.frames);
    let space = match system.space {
        Space::Component => component,
        Space::World => Frame::WORLD,
        Space::Base => base,
    };
    if state.space_of != system.space {
        change_space(state, &space);
        state.space_of = system.space;
    }
    state.space = space;
    std::mem::swap(&mut state.pose, &mut state.last_pose);
    std::mem::swap(&mut state.pose_turn, &mut state.last_turn);
    take_pose(rest, state, scene);
    let base = within(&component, &base);
    if state.begun == Begun::New {
        begin(state, &component, &base);
    }
    for sync in &rest.syncs {
        shift(sync, &component, rest, state, scene);
    }
    if state.step_before <= 0.0 {
        // The first frame: what a sync shifts is shifted from the start.
        state.last_pose.copy_from_slice(&state.pose);
        state.last_turn.copy_from_slice(&state.pose_turn);
        state.step_before = 1.0 / system.rate;
    }
    motion(system, state, component, base)
}

fn refresh(rest: &Rest, scene: &mut Scene<'_>) {
    rest.rows.iter().for_each(|row| scene.refresh_four(row.bones, row.above));
}

/// Each point and its bone's rotation as animation has them.
fn take_pose(rest: &Rest, state: &mut State, scene: &Scene<'_>) {
    let (origin, into) = (Vec3x4::splat(state.space.position), Quatx4::splat(state.space.rotation.inverse()));
    // Of one length, so that places are looked at once.
    let count = rest.points.len();
    for abreast in &rest.abreast {
        match abreast.sort {
            Sort::Root | Sort::Bone => {
                let frames = lanes(|lane| &scene.frames[abreast.bones[lane] as usize]);
                let at = into * (Vec3x4::new(lanes(|lane| frames[lane].position)) - origin);
                let turn = (into * Quatx4::new(lanes(|lane| frames[lane].rotation))).normalize();
                abreast.four.put(at.each(), &mut state.pose[..count]);
                abreast.four.put(turn.each(), &mut state.pose_turn[..count]);
            }
            Sort::End => abreast.four.own().iter().for_each(|i| take_end(rest, *i as usize, state, scene)),
            Sort::Between | Sort::Bridge => {}
        }
    }
    if rest.has_between {
        between(rest, &mut state.pose, &mut state.pose_turn);
    }
}

fn take_end(rest: &Rest, i: usize, state: &mut State, scene: &Scene<'_>) {
    let point = &rest.points[i];
    let Kind::End { local, scaled } = point.kind else { return };
    // Between points may stand in the chain; the bone is that of the joint whose numbers it takes.
    let head = rest.heads[point.joints[0] as usize] as usize;
    let frame = &scene.frames[rest.points[head].bone as usize];
    let at = if scaled { frame.point(local) } else { frame.position + frame.rotation * local };
    state.pose[i] = state.space.rotation.inverse() * (at - state.space.position);
    state.pose_turn[i] = state.pose_turn[head];
}

/// Points between bones lie between them in the pose too.
fn between(rest: &Rest, pose: &mut [Vec3], turn: &mut [Quat]) {
    for (i, point) in rest.points.iter().enumerate() {
        if let Kind::Between { ends: [a, b], share } | Kind::Bridge { ends: [a, b], share } = point.kind {
            let [a, b] = [a as usize, b as usize];
            pose[i] = pose[a].lerp(pose[b], share);
            turn[i] = turn[a].slerp(turn[b], share);
        }
    }
}

/// The first frame finds the points on their pose, and nothing has moved yet.
fn begin(state: &mut State, component: &Frame, base: &Frame) {
    state.at.copy_from_slice(&state.pose);
    state.previous.copy_from_slice(&state.pose);
    state.last_pose.copy_from_slice(&state.pose);
    state.last_turn.copy_from_slice(&state.pose_turn);
    (state.component, state.base) = (*component, *base);
    (state.left, state.step_before) = (0.0, 0.0);
    (state.steps, state.wind_time) = (0, 0.0);
}

/// Takes the points from the space that they are in to another one, where they stand.
fn change_space(state: &mut State, space: &Frame) {
    for at in state.at.iter_mut().chain(&mut state.previous) {
        *at = space.inverse_point(state.space.point(*at));
    }
    state.step_before = 0.0;
}

/// A frame in another's space.
fn within(outer: &Frame, frame: &Frame) -> Frame {
    let mut own = Frame::WORLD;
    own.place(outer.rotation.inverse() * frame.rotation, outer.inverse_point(frame.position));
    own
}

fn motion(system: &System, state: &State, component: Frame, base: Frame) -> Motion {
    let moved = component.inverse_point(state.component.position) * system.move_scale;
    let turned = (component.rotation.inverse() * state.component.rotation).normalize();
    let angle = 2.0 * turned.xyz().length().atan2(turned.w.abs()).to_degrees();
    let far = system.teleport_distance > 0.0 && moved.length() > system.teleport_distance;
    let round = system.teleport_angle > 0.0 && angle > system.teleport_angle;
    let known = moved.is_finite() && turned.is_finite();
    Motion { component, base, moved, turned, teleported: far || round || !known }
}

/// How a sync bone has moved from its place, in the component's space.
fn movement(sync: &Sync, component: &Frame, frame: &Frame) -> Vec3 {
    component.inverse_point(frame.position) - sync.rest
}

/// How far a sync bone stands from its place, metres.
pub(super) fn moved(rest: &Rest, bone: BoneId, frames: &[Frame]) -> Option<f32> {
    let sync = rest.syncs.iter().find(|sync| sync.from.bone == bone)?;
    Some(movement(sync, &frame_of(rest.component, frames), frames.get(bone.index())?).length())
}

/// Shifts the pose of a sync bone's targets by as much of its movement as counts.
fn shift(sync: &Sync, component: &Frame, rest: &Rest, state: &mut State, scene: &Scene<'_>) {
    let Some(frame) = scene.frames.get(sync.from.bone.index()) else { return };
    let mut moved = movement(sync, component, frame);
    moved *= along(&sync.from.by_distance, moved.length());
    moved *= sync.from.scale;
    let [x, y, z] = sync.from.directions;
    let moved = Vec3::new(x.filter(moved.x), y.filter(moved.y), z.filter(moved.z));
    if !moved.is_finite() || moved.abs().max_element() <= NOWHERE {
        return;
    }
    let moved = state.space.rotation.inverse() * (component.rotation * moved);
    let from = state.space.inverse_point(frame.position);
    for (point, target) in &sync.targets {
        let point = *point as usize;
        let scale = sync.from.targets.get(*target).map_or(0.0, |target| finite(target.scale));
        let left = sync.from.attenuation.map_or(1.0, |fade| fade.left(from.distance(state.at[point])));
        state.pose[point] += moved * (left * scale);
    }
    between(rest, &mut state.pose, &mut state.pose_turn);
}

/// The height of a line through `points` at `x`; 1 where there is none.
fn along(points: &[[f32; 2]], x: f32) -> f32 {
    let Some(right) = points.iter().position(|p| p[0] > x) else {
        return points.last().map_or(1.0, |p| p[1]);
    };
    if right == 0 {
        return points[0][1];
    }
    let ([x0, y0], [x1, y1]) = (points[right - 1], points[right]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// Lets every point stand still on the pose as it stands.
pub(super) fn rest_tips(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    refresh(rest, scene);
    let component = frame_of(rest.component, scene.frames);
    let base = frame_of(rest.base, scene.frames);
    state.space = match state.space_of {
        Space::Component => component,
        Space::World => Frame::WORLD,
        Space::Base => base,
    };
    take_pose(rest, state, scene);
    begin(state, &component, &within(&component, &base));
    state.begun = Begun::Reset;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_level_beyond_its_ends_and_one_where_there_is_none() {
        let line = [[0.1, 1.0], [0.3, 0.5]];
        let heights = [0.0, 0.1, 0.2, 0.3, 9.0].map(|x| along(&line, x));
        assert!(heights.iter().zip([1.0, 1.0, 0.75, 0.5, 0.5]).all(|(a, b)| (a - b).abs() < 1e-6), "{heights:?}");
        assert_eq!(along(&[], 0.2), 1.0);
    }
}
