//! From particles to bones: a bone with one child is turned to it, then moved to its own particle.

use super::super::super::scene::{NO_PARENT, Scene};
use super::{
    NONE, Particle, PointBatch, Rest, State, System, refresh_batch_skipped_bones, refresh_skipped_bones,
    vector_to_local, vector_to_world,
};
use crate::math::{Quatx4, Vec3x4, arc_between, for_each_lane, from_lanes, lerp_shortest};
use crate::sim::solver::batch::Batch;
use glam::{BVec4A, Quat, Vec3};

pub(super) fn write_pose(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    let siblings_turn = system.sibling_rotation && rest.has_siblings;
    for abreast in rest.point_batches.iter().filter(|abreast| abreast.has_bones) {
        if abreast.has_skipped_bones {
            refresh_batch_skipped_bones(rest, &abreast.batch, scene);
        }
        if !abreast.is_beyond_start_depth {
            scene.refresh_batch(abreast.bones, abreast.parent_bones);
            follow_bones(rest, &abreast.batch, state, scene);
            continue;
        }
        let is_scaled = from_lanes(|lane| scene.frames[abreast.bones[lane] as usize].scaled);
        let mut is_plain = abreast.is_simulated & !BVec4A::from_array(is_scaled);
        if siblings_turn {
            is_plain &= BVec4A::from_array(from_lanes(|lane| {
                has_no_siblings(&rest.particles[abreast.batch.indices[lane] as usize])
            }));
        }
        if is_plain.any() {
            write_batch(abreast, is_plain, &state.points, scene);
        }
        if !is_plain.all() {
            let others = (0..abreast.batch.active_indices().len()).filter(|lane| !is_plain.test(*lane));
            others.for_each(|lane| write_bone(rest, abreast.batch.indices[lane] as usize, system, state, scene));
        }
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = scene.frames[joint.bone as usize].transform_point(joint.tip_offset);
        let tip = &mut state.points[joint.tip as usize];
        *tip = if at.is_finite() { at } else { *tip };
    }
}

/// Whether no sibling turns a bone.
fn has_no_siblings(particle: &Particle) -> bool {
    particle.siblings.iter().all(|sibling| sibling.particle == NONE)
}

/// Turns and moves at once bones that are not scaled, and that go to their particles: their frames are what they are
/// turned and moved to.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn write_batch(abreast: &PointBatch, is_plain: BVec4A, points: &[Vec3], scene: &mut Scene<'_>) {
    let bones = from_lanes(|lane| abreast.bones[lane] as usize);
    let parent = from_lanes(|lane| scene.parent_frame(abreast.parent_bones[lane]));
    let above = Quatx4::new(from_lanes(|lane| parent[lane].rotation));
    let at = Vec3x4::new(from_lanes(|lane| points[abreast.batch.indices[lane] as usize]));
    let place = above.inverse() * (at - Vec3x4::new(from_lanes(|lane| parent[lane].position)));
    let mut local = Quatx4::new(from_lanes(|lane| scene.pose[bones[lane]].rotation));
    let mut turned = above * local;
    if abreast.rotates.any() {
        let mut seen =
            turned.inverse() * (Vec3x4::new(from_lanes(|lane| points[abreast.children[lane] as usize])) - at);
        if !abreast.rotates.all() {
            // What has no direction would be looked at one by one.
            seen = Vec3x4::select(abreast.rotates, seen, abreast.child_offsets);
        }
        let by = Quatx4::arc_between(abreast.child_offsets, seen);
        if abreast.rotates.all() {
            (local, turned) = (local * by, turned * by);
        } else {
            local = Quatx4::select(abreast.rotates, local * by, local);
            turned = Quatx4::select(abreast.rotates, turned * by, turned);
        }
    }
    let (is_plain, is_sound) = (is_plain.bitmask(), place.is_finite_mask().bitmask());
    let (local, turned, place, at) = (local.to_array(), turned.to_array(), place.to_array(), at.to_array());
    for_each_lane(|lane| {
        if is_plain >> lane & 1 == 0 {
            return;
        }
        scene.pose[bones[lane]].rotation = local[lane];
        if is_sound >> lane & 1 == 0 {
            scene.refresh(abreast.bones[lane]);
        } else {
            scene.pose[bones[lane]].translation = place[lane];
            scene.frames[bones[lane]].set_unscaled(turned[lane], at[lane]);
        }
    });
}

/// Leaves particles where their bones follow the pose.
fn follow_bones(rest: &Rest, four: &Batch, state: &mut State, scene: &Scene<'_>) {
    let hanging = four.active_indices().iter().map(|i| *i as usize).filter(|i| rest.particles[*i].parent != NONE);
    for i in hanging {
        let at = scene.frames[rest.particles[i].bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
    }
}

/// A bone that is carried along, or turned and moved one after the other.
fn write_bone(rest: &Rest, i: usize, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    let particle = &rest.particles[i];
    scene.refresh(particle.bone);
    if !particle.is_simulated {
        let at = scene.frames[particle.bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
        return;
    }
    if particle.rotates {
        rotate_towards_child(rest, particle, i, system, &state.points, scene);
    }
    move_to(particle.bone, state.points[i], scene);
}

/// Towards the child, then as the siblings have it.
fn rotate_towards_child(
    rest: &Rest,
    particle: &Particle,
    i: usize,
    system: &System,
    points: &[Vec3],
    scene: &mut Scene<'_>,
) {
    let child = particle.child as usize;
    let seen =
        |scene: &Scene<'_>, at: usize| vector_to_local(&scene.frames[particle.bone as usize], points[at] - points[i]);
    let to_child = arc_or_identity(rest.particles[child].local_offset, seen(scene, child));
    rotate_locally(particle.bone, to_child, scene);
    if !system.sibling_rotation {
        return;
    }
    let [left, right] = particle
        .siblings
        .map(|s| (s.particle != NONE).then(|| arc_or_identity(s.offset, seen(scene, s.particle as usize))));
    let by_siblings = match (left, right) {
        (Some(left), Some(right)) => lerp_shortest(left, right, 0.5),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return,
    };
    rotate_locally(particle.bone, by_siblings, scene);
}

/// Turns a bone about its own axes.
fn rotate_locally(bone: u32, by: Quat, scene: &mut Scene<'_>) {
    let rotation = &mut scene.pose[bone as usize].rotation;
    *rotation *= by;
    scene.refresh(bone);
}

/// Moves a bone to a point in the world, metres.
fn move_to(bone: u32, at: Vec3, scene: &mut Scene<'_>) {
    let local = scene.parent_frame(scene.parents[bone as usize]).inverse_transform_point(at);
    if local.is_finite() {
        scene.pose[bone as usize].translation = local;
        scene.refresh(bone);
    }
}

/// The shortest turn from one direction to another; none where one of them is none.
fn arc_or_identity(from: Vec3, to: Vec3) -> Quat {
    arc_between(from, to).filter(|arc| arc.is_finite()).unwrap_or(Quat::IDENTITY)
}

/// Turns a joint and moves the bone at its tip so that this is at `tip`; a fork or a joint that follows the pose is
/// not turned, and a tip that follows the pose stays.
pub(super) fn point_joint_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let joint = &rest.joints[joint];
    scene.refresh(joint.bone);
    let frame = scene.frames[joint.bone as usize];
    let Some(particle) = rest.particles.get(joint.tip as usize) else {
        let turn = arc_or_identity(joint.tip_offset, vector_to_local(&frame, tip - frame.position));
        rotate_locally(joint.bone, turn, scene);
        return;
    };
    if particle.depth <= rest.start_depth {
        return;
    }
    let own = &rest.particles[particle.parent as usize];
    if own.child != NONE && own.depth > rest.start_depth {
        let now = if particle.bone == NO_PARENT {
            vector_to_world(&frame, joint.tip_offset)
        } else {
            refresh_skipped_bones(rest, particle, scene);
            scene.refresh(particle.bone);
            scene.frames[particle.bone as usize].position - frame.position
        };
        let turn = arc_or_identity(vector_to_local(&frame, now), vector_to_local(&frame, tip - frame.position));
        rotate_locally(joint.bone, turn, scene);
    }
    if particle.bone != NO_PARENT {
        refresh_skipped_bones(rest, particle, scene);
        move_to(particle.bone, tip, scene);
    }
}
