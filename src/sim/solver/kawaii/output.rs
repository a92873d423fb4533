//! Points become bones: each takes the place of its point, and turns towards the only one that hangs from it.

use super::super::super::scene::{Scene, WORLD};
use super::build::{Kind, Point};
use super::{NONE, Rest, State};
use crate::math::{arc_between, shortest_arc, unit_again};
use glam::{Quat, Vec3};

/// Writes rotation, translation and frame of every bone of the system, parents first.
pub(super) fn write(rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let is_free = !rest.syncs.is_empty();
    for (bone, at) in &rest.bones {
        if *at == NONE {
            scene.refresh(*bone);
        } else {
            put(*bone, *at as usize, is_free, rest, state, scene);
        }
    }
}

/// Puts one bone where its point `at` is; its parent is up to date. Roots stay on their pose, shifted or not, unless
/// roots are free.
#[inline]
fn put(bone: u32, at: usize, is_free: bool, rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let point = &rest.points[at];
    let is_root = point.parent == NONE;
    let turned = unit_again(state.space.rotation * turned(point, at, state));
    let place = state.space.point(if is_root { state.pose[at] } else { state.at[at] });
    let parent = scene.parent_frame(scene.parents[bone as usize]);
    let own = (parent.rotation.inverse() * turned, parent.inverse_point(place));
    let is_plain = !parent.scaled;
    let local = &mut scene.pose[bone as usize];
    if !(own.0.is_finite() && own.1.is_finite()) {
        local.rotation = if own.0.is_finite() { own.0 } else { local.rotation };
        scene.refresh(bone);
        return;
    }
    local.rotation = own.0;
    if is_root && !is_free {
        scene.refresh(bone);
        return;
    }
    local.translation = own.1;
    if is_plain && local.scale == Vec3::ONE {
        scene.frames[bone as usize].place(turned, place);
    } else {
        scene.refresh(bone);
    }
}

/// A bone's rotation in the simulation space.
#[inline]
fn turned(point: &Point, at: usize, state: &State) -> Quat {
    let pose = state.pose_turn[at];
    if point.only_child == NONE || !point.turns {
        return pose;
    }
    let child = point.only_child as usize;
    let arc = arc_between(state.pose[child] - state.pose[at], state.at[child] - state.at[at]);
    arc.map_or(pose, |arc| arc * pose)
}

/// Turns a joint's bone towards a tip, or, where several hang from it, takes its first one there.
pub(super) fn aim(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let (head, end) = (rest.heads[joint] as usize, rest.tips[joint] as usize);
    if head == end {
        return;
    }
    let (point, end) = (&rest.points[head], &rest.points[end]);
    let bone = point.bone as usize;
    scene.refresh(point.bone);
    let frame = scene.frames[bone];
    if point.only_child == NONE {
        let parent = *scene.parent_frame(scene.parents[end.bone as usize]);
        let own = parent.inverse_point(tip);
        if own.is_finite() {
            scene.pose[end.bone as usize].translation = own;
        }
        return;
    }
    let from = match end.kind {
        Kind::End { local, scaled: false } => frame.rotation * local,
        Kind::End { local, .. } => frame.point(local) - frame.position,
        _ => frame.point(tip_in_bone(point.bone, end.bone, scene)) - frame.position,
    };
    let (Some(from), Some(to)) = (from.try_normalize(), (tip - frame.position).try_normalize()) else { return };
    let parent = scene.parent_frame(scene.parents[bone]).rotation;
    let own = (parent.inverse() * (shortest_arc(from, to) * frame.rotation)).normalize();
    if own.is_finite() {
        scene.pose[bone].rotation = own;
        scene.refresh(point.bone);
    }
}

/// Where a bone below `bone` is in its space as the pose has it, metres.
fn tip_in_bone(bone: u32, tip: u32, scene: &Scene<'_>) -> Vec3 {
    let mut at = scene.pose[tip as usize].translation;
    let mut above = scene.parents[tip as usize];
    while above != bone && above != WORLD {
        let local = &scene.pose[above as usize];
        at = local.translation + local.rotation * (local.scale * at);
        above = scene.parents[above as usize];
    }
    at
}
