//! Points become bones: each takes the place of its point, and turns towards the only one that hangs from it.

use super::super::super::scene::{NO_PARENT, Scene};
use super::point_batch::BatchKind;
use super::{Bones, NO_POINT, PointKind, PointRest, Rest, State};
use crate::math::{Quatx4, Vec3x4, arc_between, from_lanes, renormalize, shortest_arc};
use glam::{BVec4A, Quat, Vec3};

/// Writes rotation, translation and frame of every bone of the system, parents first.
pub(super) fn write_pose(rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let is_free = !rest.sync_bones.is_empty();
    for row in &rest.bone_batches {
        match row.kind {
            None => scene.refresh_batch(row.bones, row.parent_bones),
            Some(sort) => write_batch(row, sort == BatchKind::Root, is_free, rest, state, scene),
        }
    }
}

/// Puts bones where their points are; all above them is up to date.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn write_batch(row: &Bones, is_root: bool, is_free: bool, rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let bones = from_lanes(|lane| row.bones[lane] as usize);
    let is_scaled = from_lanes(|lane| scene.frames[bones[lane]].scaled);
    // Of one length, so that places are looked at once.
    let (at, pose) = (&state.positions[..], &state.pose_positions[..state.positions.len()]);
    let [own_at, own_pose] = [gather(at, &row.points), gather(pose, &row.points)];
    let aims = [gather(pose, &row.children) - own_pose, gather(at, &row.children) - own_at];
    let turn = Quatx4::new(from_lanes(|lane| state.pose_rotations[row.points[lane] as usize]));
    let space = Quatx4::splat(state.space.rotation);
    let turned = (space * rotated_batch(row, turn, aims)).renormalize();
    let place = Vec3x4::splat(state.space.position) + space * if is_root { own_pose } else { own_at };
    let above = from_lanes(|lane| scene.parent_frame(row.parent_bones[lane]));
    let back = Quatx4::new(from_lanes(|lane| above[lane].rotation)).inverse();
    let local = (back * turned, back * (place - Vec3x4::new(from_lanes(|lane| above[lane].position))));
    let is_plain = !BVec4A::from_array(is_scaled) & local.0.is_finite_mask() & local.1.is_finite_mask();
    let is_plain = is_plain.bitmask();
    let (local, turned, place) = ((local.0.to_array(), local.1.to_array()), turned.to_array(), place.to_array());
    let moves = is_free || !is_root;
    for lane in 0..4 {
        if is_plain >> lane & 1 == 0 {
            write_bone(row.bones[lane], row.points[lane] as usize, is_free, rest, state, scene);
            continue;
        }
        scene.pose[bones[lane]].rotation = local.0[lane];
        if moves {
            scene.pose[bones[lane]].translation = local.1[lane];
            scene.frames[bones[lane]].set_unscaled(turned[lane], place[lane]);
        }
    }
    if !moves {
        scene.refresh_batch(row.bones, row.parent_bones);
    }
}

/// Four points.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `put_row`")]
fn gather(places: &[Vec3], points: &[u32; 4]) -> Vec3x4 {
    Vec3x4::new(from_lanes(|lane| places[points[lane] as usize]))
}

/// The bones' rotations in the simulation space: those of the pose, by the arcs between where their children were in
/// it and are now.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `put_row`")]
fn rotated_batch(row: &Bones, pose: Quatx4, [from, to]: [Vec3x4; 2]) -> Quatx4 {
    if row.rotates.all() {
        return Quatx4::arc_between(from, to) * pose;
    }
    if !row.rotates.any() {
        return pose;
    }
    // What has no direction would be looked at one by one.
    let [from, to] = [from, to].map(|way| Vec3x4::select(row.rotates, way, Vec3x4::splat(Vec3::Y)));
    Quatx4::select(row.rotates, Quatx4::arc_between(from, to) * pose, pose)
}

/// Puts one bone where its point `at` is; its parent is up to date. Roots stay on their pose, shifted or not, unless
/// roots are free.
#[cold]
fn write_bone(bone: u32, at: usize, is_free: bool, rest: &Rest, state: &State, scene: &mut Scene<'_>) {
    let point = &rest.points[at];
    let is_root = point.parent == NO_POINT;
    let turned = renormalize(state.space.rotation * rotated_bone(point, at, state));
    let place = state.space.transform_point(if is_root { state.pose_positions[at] } else { state.positions[at] });
    let parent = scene.parent_frame(scene.parents[bone as usize]);
    let own = (parent.rotation.inverse() * turned, parent.inverse_transform_point(place));
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
        scene.frames[bone as usize].set_unscaled(turned, place);
    } else {
        scene.refresh(bone);
    }
}

/// A bone's rotation in the simulation space.
#[inline]
fn rotated_bone(point: &PointRest, at: usize, state: &State) -> Quat {
    let pose = state.pose_rotations[at];
    if point.only_child == NO_POINT || !point.rotates {
        return pose;
    }
    let child = point.only_child as usize;
    let arc = arc_between(
        state.pose_positions[child] - state.pose_positions[at],
        state.positions[child] - state.positions[at],
    );
    arc.map_or(pose, |arc| arc * pose)
}

/// Turns a joint's bone towards a tip, or, where several hang from it, takes its first one there.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let (head, end) = (rest.head_points[joint] as usize, rest.tip_points[joint] as usize);
    if head == end {
        return;
    }
    let (point, end) = (&rest.points[head], &rest.points[end]);
    let bone = point.bone as usize;
    scene.refresh(point.bone);
    let frame = scene.frames[bone];
    if point.only_child == NO_POINT {
        let parent = *scene.parent_frame(scene.parents[end.bone as usize]);
        let own = parent.inverse_transform_point(tip);
        if own.is_finite() {
            scene.pose[end.bone as usize].translation = own;
        }
        return;
    }
    let from = match end.kind {
        PointKind::End { local_offset: local, follows_scale: false } => frame.rotation * local,
        PointKind::End { local_offset: local, .. } => frame.transform_point(local) - frame.position,
        _ => frame.transform_point(tip_in_bone(point.bone, end.bone, scene)) - frame.position,
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
    while above != bone && above != NO_PARENT {
        let local = &scene.pose[above as usize];
        at = local.translation + local.rotation * (local.scale * at);
        above = scene.parents[above as usize];
    }
    at
}
