//! Points become bones: each takes the place of its point, and turns towards the only one that hangs from it.

use super::super::super::scene::{Scene, WORLD};
use super::abreast::Sort;
use super::{Bones, Kind, NONE, Point, Rest, State};
use crate::math::{Quatx4, Vec3x4, arc_between, lanes, shortest_arc, unit_again};
use glam::{BVec4A, Quat, Vec3};

/// Writes rotation, translation and frame of every bone of the system, parents first.
pub(super) fn write(rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let is_free = !rest.syncs.is_empty();
    for row in &rest.rows {
        match row.sort {
            None => scene.refresh_four(row.bones, row.above),
            Some(sort) => put_row(row, sort == Sort::Root, is_free, rest, state, scene),
        }
    }
}

/// Puts bones where their points are; all above them is up to date.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn put_row(row: &Bones, is_root: bool, is_free: bool, rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let bones = lanes(|lane| row.bones[lane] as usize);
    let is_scaled = lanes(|lane| scene.frames[bones[lane]].scaled);
    // Of one length, so that places are looked at once.
    let (at, pose) = (&state.at[..], &state.pose[..state.at.len()]);
    let [own_at, own_pose] = [gather(at, &row.points), gather(pose, &row.points)];
    let aims = [gather(pose, &row.children) - own_pose, gather(at, &row.children) - own_at];
    let turn = Quatx4::new(lanes(|lane| state.pose_turn[row.points[lane] as usize]));
    let space = Quatx4::splat(state.space.rotation);
    let turned = (space * turned_row(row, turn, aims)).unit_again();
    let place = Vec3x4::splat(state.space.position) + space * if is_root { own_pose } else { own_at };
    let above = lanes(|lane| scene.parent_frame(row.above[lane]));
    let back = Quatx4::new(lanes(|lane| above[lane].rotation)).inverse();
    let local = (back * turned, back * (place - Vec3x4::new(lanes(|lane| above[lane].position))));
    let is_plain = !BVec4A::from_array(is_scaled) & local.0.is_finite() & local.1.is_finite();
    let is_plain = is_plain.bitmask();
    let (local, turned, place) = ((local.0.each(), local.1.each()), turned.each(), place.each());
    let moves = is_free || !is_root;
    for lane in 0..4 {
        if is_plain >> lane & 1 == 0 {
            put(row.bones[lane], row.points[lane] as usize, is_free, rest, state, scene);
            continue;
        }
        scene.pose[bones[lane]].rotation = local.0[lane];
        if moves {
            scene.pose[bones[lane]].translation = local.1[lane];
            scene.frames[bones[lane]].place(turned[lane], place[lane]);
        }
    }
    if !moves {
        scene.refresh_four(row.bones, row.above);
    }
}

/// Four points.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `put_row`")]
fn gather(places: &[Vec3], points: &[u32; 4]) -> Vec3x4 {
    Vec3x4::new(lanes(|lane| places[points[lane] as usize]))
}

/// The bones' rotations in the simulation space: those of the pose, by the arcs between where their children were in
/// it and are now.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `put_row`")]
fn turned_row(row: &Bones, pose: Quatx4, [from, to]: [Vec3x4; 2]) -> Quatx4 {
    if row.turns.all() {
        return Quatx4::arc_between(from, to) * pose;
    }
    if !row.turns.any() {
        return pose;
    }
    // What has no direction would be looked at one by one.
    let [from, to] = [from, to].map(|way| Vec3x4::select(row.turns, way, Vec3x4::splat(Vec3::Y)));
    Quatx4::select(row.turns, Quatx4::arc_between(from, to) * pose, pose)
}

/// Puts one bone where its point `at` is; its parent is up to date. Roots stay on their pose, shifted or not, unless
/// roots are free.
#[cold]
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
