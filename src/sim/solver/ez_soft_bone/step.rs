//! One frame: the animated pose, forces, substeps of every particle, and what becomes of the bones.
//!
//! Particles that do not wait for one another take their turns four at a time.

use super::super::super::scene::{Scene, WORLD};
use super::colliders::Solids;
use super::prepare::{Now, prepare};
use super::{Abreast, LEAST_STEP, NONE, Params, Particle, Rest, State, System, refresh_tree, vector, write_back};
use crate::math::{Frame, Vec3x4, lanes};
use crate::sim::kernel::units_or_zero;
use crate::sim::solver::fours::Four;
use glam::{BVec4A, Vec3, Vec4};

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    refresh_tree(rest, scene);
    state.clock += dt;
    let space = *scene.parent_frame(rest.space);
    let step = system.constant.unwrap_or(dt);
    if step > LEAST_STEP {
        state.frame = step;
        if rest.space != WORLD && space != state.space {
            let was = state.space;
            state.points.iter_mut().for_each(|point| *point = space.point(was.inverse_point(*point)));
        }
        state.previous.copy_from_slice(&state.points);
        prepare(rest, params, system, state, scene);
        let substep = step / f32::from(system.iterations);
        for _ in 0..system.iterations {
            for (at, abreast) in rest.fours.iter().enumerate() {
                if abreast.swings {
                    advance(rest, (at, abreast), system, state, scene.frames, substep);
                } else {
                    follow(rest, &abreast.four, state, scene.frames);
                }
            }
        }
    }
    state.space = space;
    write_back::write_back(rest, system, state, scene);
}

/// Particles that stay where the pose has them.
fn follow(rest: &Rest, four: &Four, state: &mut State, frames: &[Frame]) {
    for i in four.own() {
        let i = *i as usize;
        (state.points[i], state.speeds[i]) = (posed(rest, &rest.particles[i], frames), Vec3::ZERO);
    }
}

/// Where the pose has a particle, metres; frames are still the pose's.
fn posed(rest: &Rest, particle: &Particle, frames: &[Frame]) -> Vec3 {
    if let Some(frame) = frames.get(particle.bone as usize) {
        return frame.position;
    }
    let parent = &frames[rest.joints[particle.joint as usize].bone as usize];
    parent.position + vector(parent, particle.local)
}

/// One substep of particles that swing.
#[inline]
fn advance(
    rest: &Rest,
    (at, abreast): (usize, &Abreast),
    system: &System,
    state: &mut State,
    frames: &[Frame],
    dt: f32,
) {
    let (four, now, is_free) = (&abreast.four, &state.now[at], abreast.is_free);
    let old = Vec3x4::new(lanes(|lane| state.points[four.places[lane] as usize]));
    let head = Vec3x4::new(lanes(|lane| state.points[abreast.parents[lane] as usize]));
    let mut speed = Vec3x4::new(lanes(|lane| state.speeds[four.places[lane] as usize]));
    speed = (speed + now.push) * now.kept;
    let is_awake = speed.length_squared().cmpgt(Vec4::splat(system.sleep));
    let mut new = Vec3x4::select(is_awake, old + speed * dt, old);
    new += (head + now.arm - new) * now.pull;
    let mut kept = head + units_or_zero(new - head) * now.length;
    if rest.is_linked {
        kept = beside_siblings(rest, four, now, &state.points, new, kept);
    }
    new = kept + (new - kept) * now.slack;
    if now.may_touch {
        new = push_out(rest, four, now, state, new);
    }
    speed = (speed + (new - old) / dt) * 0.5;
    let is_sound = new.length_squared().is_finite_mask() & speed.length_squared().is_finite_mask();
    if !(is_sound & is_free).all() {
        new = new.mend(!is_sound, |lane, _| back((head + now.arm).each()[lane], old.each()[lane]));
        new = new.mend(!is_free, |lane, _| carried(rest, four.places[lane], &state.points, frames));
        speed = Vec3x4::select(is_sound & is_free, speed, Vec3x4::default());
    }
    four.put(new.each(), &mut state.points);
    four.put(speed.each(), &mut state.speeds);
}

/// Where a particle hangs at rest; where even that is nowhere, where it was.
fn back(at: Vec3, old: Vec3) -> Vec3 {
    if at.length_squared().is_finite() { at } else { old }
}

/// Where a particle is that hangs on its parent's as in the pose.
fn carried(rest: &Rest, i: u32, points: &[Vec3], frames: &[Frame]) -> Vec3 {
    let particle = &rest.particles[i as usize];
    let parent = &rest.particles[particle.parent as usize];
    points[particle.parent as usize] + (posed(rest, particle, frames) - posed(rest, parent, frames))
}

/// The middle of `kept`, the places in the right distances from the heads, and of those in the right distances from
/// each sibling.
fn beside_siblings(rest: &Rest, four: &Four, now: &Now, points: &[Vec3], at: Vec3x4, kept: Vec3x4) -> Vec3x4 {
    let (mut sum, mut count) = (kept, Vec4::ONE);
    for (side, length) in now.sides.into_iter().enumerate() {
        let siblings = lanes(|lane| rest.particles[four.places[lane] as usize].siblings[side].at);
        let is_one = BVec4A::from_array(lanes(|lane| siblings[lane] != NONE));
        let other = Vec3x4::new(lanes(|lane| points.get(siblings[lane] as usize).copied().unwrap_or_default()));
        sum = Vec3x4::select(is_one, sum + (other + units_or_zero(at - other) * length), sum);
        count += Vec4::select(is_one, Vec4::ONE, Vec4::ZERO);
    }
    sum / count
}

/// Particles where their colliders leave them.
#[inline(never)]
fn push_out(rest: &Rest, four: &Four, now: &Now, state: &State, free: Vec3x4) -> Vec3x4 {
    let solids = Solids { placed: &state.placed, hulls: &rest.hulls, corners: &state.corners };
    let mut each = free.each();
    for (lane, i) in four.own().iter().enumerate().filter(|(lane, _)| now.radius[*lane] > 0.0) {
        let particle = &rest.particles[*i as usize];
        let joint = &rest.joints[particle.joint as usize];
        for at in joint.colliders.of(&rest.colliders) {
            each[lane] = solids.push(*at, particle.bone, each[lane], now.radius[lane]);
        }
    }
    Vec3x4::new(each)
}
