//! From particles to bones: a bone with one child is turned to it, then moved to its own particle.

use super::super::super::scene::{Scene, WORLD};
use super::{Abreast, NONE, Particle, Rest, State, System, inverse_vector, refresh_above, refresh_between, vector};
use crate::math::{Quatx4, Vec3x4, arc_between, each_lane, lanes, lerp_shortest};
use crate::sim::solver::fours::Four;
use glam::{BVec4A, Quat, Vec3};

pub(super) fn write_back(rest: &Rest, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    let siblings_turn = system.siblings_turn && rest.is_linked;
    for abreast in rest.fours.iter().filter(|abreast| abreast.has_bones) {
        if abreast.has_between {
            refresh_above(rest, &abreast.four, scene);
        }
        if !abreast.swings {
            scene.refresh_four(abreast.bones, abreast.above);
            stay(rest, &abreast.four, state, scene);
            continue;
        }
        let is_scaled = lanes(|lane| scene.frames[abreast.bones[lane] as usize].scaled);
        let mut is_plain = abreast.is_free & !BVec4A::from_array(is_scaled);
        if siblings_turn {
            is_plain &= BVec4A::from_array(lanes(|lane| is_alone(&rest.particles[abreast.four.places[lane] as usize])));
        }
        if is_plain.any() {
            put(abreast, is_plain, &state.points, scene);
        }
        if !is_plain.all() {
            let others = (0..abreast.four.own().len()).filter(|lane| !is_plain.test(*lane));
            others.for_each(|lane| write(rest, abreast.four.places[lane] as usize, system, state, scene));
        }
    }
    for joint in rest.joints.iter().filter(|j| j.tip as usize >= rest.particles.len()) {
        let at = scene.frames[joint.bone as usize].point(joint.offset);
        let tip = &mut state.points[joint.tip as usize];
        *tip = if at.is_finite() { at } else { *tip };
    }
}

/// Whether no sibling turns a bone.
fn is_alone(particle: &Particle) -> bool {
    particle.siblings.iter().all(|sibling| sibling.at == NONE)
}

/// Turns and moves at once bones that are not scaled, and that go to their particles: their frames are what they are
/// turned and moved to.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; four values at once are for registers")]
fn put(abreast: &Abreast, is_plain: BVec4A, points: &[Vec3], scene: &mut Scene<'_>) {
    let bones = lanes(|lane| abreast.bones[lane] as usize);
    let parent = lanes(|lane| scene.parent_frame(abreast.above[lane]));
    let above = Quatx4::new(lanes(|lane| parent[lane].rotation));
    let at = Vec3x4::new(lanes(|lane| points[abreast.four.places[lane] as usize]));
    let place = above.inverse() * (at - Vec3x4::new(lanes(|lane| parent[lane].position)));
    let mut local = Quatx4::new(lanes(|lane| scene.pose[bones[lane]].rotation));
    let mut turned = above * local;
    if abreast.turns.any() {
        let mut seen = turned.inverse() * (Vec3x4::new(lanes(|lane| points[abreast.children[lane] as usize])) - at);
        if !abreast.turns.all() {
            // What has no direction would be looked at one by one.
            seen = Vec3x4::select(abreast.turns, seen, abreast.child_local);
        }
        let by = Quatx4::arc_between(abreast.child_local, seen);
        if abreast.turns.all() {
            (local, turned) = (local * by, turned * by);
        } else {
            local = Quatx4::select(abreast.turns, local * by, local);
            turned = Quatx4::select(abreast.turns, turned * by, turned);
        }
    }
    let (is_plain, is_sound) = (is_plain.bitmask(), place.is_finite().bitmask());
    let (local, turned, place, at) = (local.each(), turned.each(), place.each(), at.each());
    each_lane(|lane| {
        if is_plain >> lane & 1 == 0 {
            return;
        }
        scene.pose[bones[lane]].rotation = local[lane];
        if is_sound >> lane & 1 == 0 {
            scene.refresh(abreast.bones[lane]);
        } else {
            scene.pose[bones[lane]].translation = place[lane];
            scene.frames[bones[lane]].place(turned[lane], at[lane]);
        }
    });
}

/// Leaves particles where their bones follow the pose.
fn stay(rest: &Rest, four: &Four, state: &mut State, scene: &Scene<'_>) {
    let hanging = four.own().iter().map(|i| *i as usize).filter(|i| rest.particles[*i].parent != NONE);
    for i in hanging {
        let at = scene.frames[rest.particles[i].bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
    }
}

/// A bone that is carried along, or turned and moved one after the other.
fn write(rest: &Rest, i: usize, system: &System, state: &mut State, scene: &mut Scene<'_>) {
    let particle = &rest.particles[i];
    scene.refresh(particle.bone);
    if !particle.is_free {
        let at = scene.frames[particle.bone as usize].position;
        state.points[i] = if at.is_finite() { at } else { state.points[i] };
        return;
    }
    if particle.turns {
        turn(rest, particle, i, system, &state.points, scene);
    }
    move_to(particle.bone, state.points[i], scene);
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
            refresh_between(rest, particle, scene);
            scene.refresh(particle.bone);
            scene.frames[particle.bone as usize].position - frame.position
        };
        let turn = arc(inverse_vector(&frame, now), inverse_vector(&frame, tip - frame.position));
        rotate(joint.bone, turn, scene);
    }
    if particle.bone != WORLD {
        refresh_between(rest, particle, scene);
        move_to(particle.bone, tip, scene);
    }
}
