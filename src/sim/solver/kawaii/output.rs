//! Points become bones: each takes the place of its point, and turns towards the only one that hangs from it.

use super::super::super::scene::{Scene, WORLD};
use super::build::{Kind, Point};
use super::{NONE, Rest, State};
use crate::math::shortest_arc;
use glam::{Quat, Vec3};

/// Writes rotation, translation and frame of every bone of the system, parents first.
pub(super) fn write(rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    for (bone, at) in &rest.bones {
        if *at != NONE {
            let point = &rest.points[*at as usize];
            let rotation = turned(point, *at as usize, state);
            let parent = *scene.parent_frame(scene.parents[*bone as usize]);
            let local = &mut scene.pose[*bone as usize];
            let own = (parent.rotation.inverse() * (state.space.rotation * rotation)).normalize();
            if own.is_finite() {
                local.rotation = own;
            }
            // Roots stay on their pose, shifted or not.
            let place = if point.parent == NONE { state.pose[*at as usize] } else { state.at[*at as usize] };
            let own = parent.inverse_point(state.space.point(place));
            if own.is_finite() && (point.parent != NONE || !rest.syncs.is_empty()) {
                local.translation = own;
            }
        }
        scene.refresh(*bone);
    }
}

/// A bone's rotation in the simulation space.
fn turned(point: &Point, at: usize, state: &State) -> Quat {
    let pose = state.pose_turn[at];
    if point.only_child == NONE || !point.turns {
        return pose;
    }
    let child = point.only_child as usize;
    let from = (state.pose[child] - state.pose[at]).try_normalize();
    let to = (state.at[child] - state.at[at]).try_normalize();
    match (from, to) {
        (Some(from), Some(to)) => shortest_arc(from, to) * pose,
        _ => pose,
    }
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
