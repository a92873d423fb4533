//! From particles to bones: a bone with one child is turned to it, then moved to its own particle.

use super::super::super::scene::{Scene, WORLD};
use super::step::{inverse_vector, is_free, refresh_above, vector};
use super::{NONE, Particle, Rest, State, System};
use crate::math::{arc_between, lerp_shortest};
use glam::{Quat, Vec3};

pub(super) fn write_back(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    for (i, particle) in rest.particles.iter().enumerate() {
        if particle.bone == WORLD {
            continue;
        }
        refresh_above(rest, particle, scene);
        let is_free = is_free(rest, particle);
        if is_free && is_plain(particle, system, scene) {
            put(rest, particle, i, &state.points, scene);
            continue;
        }
        scene.refresh(particle.bone);
        if !is_free {
            if particle.parent != NONE {
                let at = scene.frames[particle.bone as usize].position;
                state.points[i] = if at.is_finite() { at } else { state.points[i] };
            }
            continue;
        }
        if particle.child != NONE && rest.joints[particle.own as usize].enabled {
            turn(rest, particle, i, system, &state.points, scene);
        }
        move_to(particle.bone, state.points[i], scene);
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = scene.frames[joint.bone as usize].point(joint.offset);
        let tip = &mut state.points[joint.tip as usize];
        *tip = if at.is_finite() { at } else { *tip };
    }
}

/// Whether nothing is scaled, and no sibling turns the bone: then its frame is what it is turned and moved to.
#[inline]
fn is_plain(particle: &Particle, system: &System, scene: &Scene<'_>) -> bool {
    let bone = particle.bone as usize;
    let alone = !system.siblings_turn || particle.siblings.iter().all(|s| s.at == NONE);
    alone && scene.pose[bone].scale == Vec3::ONE && !scene.parent_frame(scene.parents[bone]).scaled
}

/// Turns and moves a plain bone at once.
#[inline]
fn put(rest: &Rest, particle: &Particle, i: usize, points: &[Vec3], scene: &mut Scene<'_>) {
    let (bone, at) = (particle.bone as usize, points[i]);
    let parent = scene.parent_frame(scene.parents[bone]);
    let (above, place) = (parent.rotation, parent.inverse_point(at));
    let local = &mut scene.pose[bone];
    let mut turned = above * local.rotation;
    if particle.child != NONE && rest.joints[particle.own as usize].enabled {
        let child = particle.child as usize;
        let by = arc(rest.particles[child].local, turned.inverse() * (points[child] - at));
        local.rotation *= by;
        turned *= by;
    }
    if place.is_finite() {
        local.translation = place;
        scene.frames[bone].place(turned, at);
    } else {
        scene.refresh(particle.bone);
    }
}

/// Towards the child, then as the siblings have it.
fn turn(rest: &Rest, particle: &Particle, i: usize, system: &System, points: &[Vec3], scene: &mut Scene<'_>) {
    let child = particle.child as usize;
    let seen =
        |scene: &Scene<'_>, at: usize| inverse_vector(&scene.frames[particle.bone as usize], points[at] - points[i]);
    let to_child = arc(rest.particles[child].local, seen(scene, child));
    rotate(particle.bone, to_child, scene);
    if !system.siblings_turn {
        return;
    }
    let [left, right] = particle.siblings.map(|s| (s.at != NONE).then(|| arc(s.offset, seen(scene, s.at as usize))));
    let by_siblings = match (left, right) {
        (Some(left), Some(right)) => lerp_shortest(left, right, 0.5),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return,
    };
    rotate(particle.bone, by_siblings, scene);
}

/// Turns a bone about its own axes.
fn rotate(bone: u32, by: Quat, scene: &mut Scene<'_>) {
    let rotation = &mut scene.pose[bone as usize].rotation;
    *rotation *= by;
    scene.refresh(bone);
}

/// Moves a bone to a point in the world, metres.
fn move_to(bone: u32, at: Vec3, scene: &mut Scene<'_>) {
    let local = scene.parent_frame(scene.parents[bone as usize]).inverse_point(at);
    if local.is_finite() {
        scene.pose[bone as usize].translation = local;
        scene.refresh(bone);
    }
}

/// The shortest turn from one direction to another; none where one of them is none.
fn arc(from: Vec3, to: Vec3) -> Quat {
    arc_between(from, to).filter(|arc| arc.is_finite()).unwrap_or(Quat::IDENTITY)
}

/// Turns a joint and moves the bone at its tip so that this is at `tip`; a fork or a joint that follows the pose is
/// not turned, and a tip that follows the pose stays.
pub(super) fn aim(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let joint = &rest.joints[joint];
    scene.refresh(joint.bone);
    let frame = scene.frames[joint.bone as usize];
    let Some(particle) = rest.particles.get(joint.tip as usize) else {
        let turn = arc(joint.offset, inverse_vector(&frame, tip - frame.position));
        rotate(joint.bone, turn, scene);
        return;
    };
    if particle.depth <= rest.start_depth {
        return;
    }
    let own = &rest.particles[particle.parent as usize];
    if own.child != NONE && own.depth > rest.start_depth {
        let now = if particle.bone == WORLD {
            vector(&frame, joint.offset)
        } else {
            refresh_above(rest, particle, scene);
            scene.refresh(particle.bone);
            scene.frames[particle.bone as usize].position - frame.position
        };
        let turn = arc(inverse_vector(&frame, now), inverse_vector(&frame, tip - frame.position));
        rotate(joint.bone, turn, scene);
    }
    if particle.bone != WORLD {
        refresh_above(rest, particle, scene);
        move_to(particle.bone, tip, scene);
    }
}
