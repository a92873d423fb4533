//! One frame: the animated pose, forces, substeps of every particle, and what becomes of the bones.

use super::super::super::scene::{Scene, WORLD};
use super::colliders::{Placed, Solids};
use super::{LEAST_STEP, NONE, Params, Particle, Rest, State, System, field, write_back};
use crate::math::Frame;
use crate::sim::kernel::unit_or_zero;
use glam::{Mat3, Vec3};
use std::f32::consts::PI;

/// What a particle needs in every substep of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Now {
    motion: Motion,
    /// Where the animated pose has it, metres.
    pub(super) posed: Vec3,
    /// From the parent to where the pose has it, metres.
    arm: Vec3,
    /// Length of that, metres.
    length: f32,
    /// Distances to the siblings, metres.
    sides: [f32; 2],
    /// What forces add to the speed, m/s.
    push: Vec3,
    kept: f32,
    pull: f32,
    slack: f32,
    /// Metres.
    radius: f32,
}

/// How a particle moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Motion {
    /// As the pose has it.
    #[default]
    Posed,
    /// As the pose has it on its parent's particle: below a joint that is off.
    Carried,
    /// By its own speed.
    Free,
}

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
            for (i, particle) in rest.particles.iter().enumerate() {
                advance(rest, particle, i, system, state, substep);
            }
        }
    }
    state.space = space;
    write_back::write_back(rest, system, state, scene);
}

/// Brings the frames of all particles to the pose as animation left it.
pub(super) fn refresh_tree(rest: &Rest, scene: &mut Scene<'_>) {
    for particle in rest.particles.iter().filter(|p| p.bone != WORLD) {
        refresh_above(rest, particle, scene);
        scene.refresh(particle.bone);
    }
}

/// Moves along what lies between a particle and the one that carries it.
#[inline]
pub(super) fn refresh_above(rest: &Rest, particle: &Particle, scene: &mut Scene<'_>) {
    for bone in &rest.between[particle.between.0 as usize..particle.between.1 as usize] {
        scene.refresh(*bone);
    }
}

/// What stays the same for all substeps.
fn prepare(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &Scene<'_>) {
    for (i, (placed, collider)) in state.placed.iter_mut().zip(scene.colliders).enumerate() {
        *placed = Placed::new(collider, &scene.frames[collider.bone as usize], rest.margins[i]);
    }
    for (i, hull) in rest.hulls.iter().enumerate() {
        hull.place(&mut state.placed, &mut state.corners, scene.colliders, scene.frames, &rest.margins, i as u32);
    }
    let (force_scale, radius_scale) = component_scale(rest, scene);
    let gravity = system.gravity * turned_away(rest, system.gravity, scene);
    let each = 1.0 / f32::from(system.iterations);
    for (i, particle) in rest.particles.iter().enumerate() {
        let now = &mut state.now[i];
        if particle.parent == NONE {
            let at = scene.frames[particle.bone as usize].position;
            *now = Now { posed: at, ..Now::default() };
            continue;
        }
        let joint = &rest.joints[particle.joint as usize];
        let (parent, p) = (&scene.frames[joint.bone as usize], &params[particle.joint as usize]);
        let own = if particle.bone == WORLD { parent } else { &scene.frames[particle.bone as usize] };
        let arm = vector(parent, particle.local);
        let posed = if particle.bone == WORLD { parent.position + arm } else { own.position };
        let wind = field::at(rest.field.as_ref(), state.clock, particle.along, scene.frames) * system.force_scale;
        let force = (gravity + wind) * force_scale;
        *now = Now {
            motion: motion(rest, particle),
            posed,
            arm,
            length: arm.length(),
            sides: particle.siblings.map(|s| if s.at == NONE { 0.0 } else { vector(own, s.offset).length() }),
            push: force * p.felt * each,
            kept: p.kept,
            pull: (p.stiffness * each).clamp(0.0, 1.0),
            slack: (p.slackness * each).clamp(0.0, 1.0),
            radius: p.radius * radius_scale,
        };
    }
}

fn motion(rest: &Rest, particle: &Particle) -> Motion {
    if particle.depth <= rest.start_depth {
        Motion::Posed
    } else if rest.joints[particle.joint as usize].enabled {
        Motion::Free
    } else {
        Motion::Carried
    }
}

/// Whether a particle moves by its own speed, so that its bone is moved to it.
pub(super) fn is_free(rest: &Rest, particle: &Particle) -> bool {
    motion(rest, particle) == Motion::Free
}

/// The component's own scale, which forces follow, and its largest in the world, which radii follow.
fn component_scale(rest: &Rest, scene: &Scene<'_>) -> (Vec3, f32) {
    match scene.frames.get(rest.component as usize) {
        Some(frame) => (scene.pose[rest.component as usize].scale, lossy_scale(frame).max_element()),
        None => (Vec3::ONE, 1.0),
    }
}

/// How far the aligner has turned gravity away from where it points, 0 to 1.
fn turned_away(rest: &Rest, gravity: Vec3, scene: &Scene<'_>) -> f32 {
    let Some(aligner) = scene.frames.get(rest.aligner as usize) else { return 1.0 };
    let cosine = unit_or_zero(aligner.rotation * gravity).dot(unit_or_zero(gravity));
    // Differs from EZSoftBone: a cosine that rounding puts above 1 has no angle there, and its bones vanish.
    cosine.clamp(-1.0, 1.0).acos() / PI
}

/// One substep of one particle.
#[inline]
fn advance(rest: &Rest, particle: &Particle, i: usize, system: &System, state: &mut State, dt: f32) {
    let now = &state.now[i];
    if now.motion == Motion::Posed {
        state.points[i] = now.posed;
        state.speeds[i] = Vec3::ZERO;
        return;
    }
    let (parent, old) = (particle.parent as usize, state.points[i]);
    let head = state.points[parent];
    if now.motion == Motion::Carried {
        state.points[i] = head + (now.posed - state.now[parent].posed);
        state.speeds[i] = Vec3::ZERO;
        return;
    }
    let speed = (state.speeds[i] + now.push) * now.kept;
    let mut new = old;
    if speed.length_squared() > system.sleep {
        new += speed * dt;
    }
    new += (head + now.arm - new) * now.pull;
    let kept = keep_lengths(particle, now, &state.points, head, new);
    new = kept + (new - kept) * now.slack;
    if now.radius > 0.0 {
        let joint = &rest.joints[particle.joint as usize];
        let solids = Solids { placed: &state.placed, hulls: &rest.hulls, corners: &state.corners };
        for at in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
            new = solids.push(*at, particle.bone, new, now.radius);
        }
    }
    let speed = (speed + (new - old) / dt) * 0.5;
    let sound = new.length_squared().is_finite() && speed.length_squared().is_finite();
    (state.points[i], state.speeds[i]) = if sound { (new, speed) } else { (back(now, head, old), Vec3::ZERO) };
}

/// Where a particle hangs at rest; where even that is nowhere, where it was.
#[cold]
fn back(now: &Now, head: Vec3, old: Vec3) -> Vec3 {
    let at = head + now.arm;
    if at.length_squared().is_finite() { at } else { old }
}

/// The middle of the places that lie in the right distances from the parent and from each sibling.
#[inline]
fn keep_lengths(particle: &Particle, now: &Now, points: &[Vec3], head: Vec3, at: Vec3) -> Vec3 {
    let mut sum = head + unit_or_zero(at - head) * now.length;
    let mut count = 1.0;
    for (sibling, length) in particle.siblings.iter().zip(now.sides).filter(|(s, _)| s.at != NONE) {
        let other = points[sibling.at as usize];
        sum += other + unit_or_zero(at - other) * length;
        count += 1.0;
    }
    sum / count
}

/// A direction with a length in the world.
#[inline]
pub(super) fn vector(frame: &Frame, local: Vec3) -> Vec3 {
    if frame.scaled { frame.linear() * local } else { frame.rotation * local }
}

/// The same back; zero where the frame is flattened to nothing.
#[inline]
pub(super) fn inverse_vector(frame: &Frame, world: Vec3) -> Vec3 {
    if frame.scaled { inverse(&frame.linear()) * world } else { frame.rotation.inverse() * world }
}

/// Zero where there is none.
pub(super) fn inverse(linear: &Mat3) -> Mat3 {
    if linear.determinant().abs() < 1e-20 { Mat3::ZERO } else { linear.inverse() }
}

/// How large a frame is along its own axes, without signs, as Unity tells it.
pub(super) fn lossy_scale(frame: &Frame) -> Vec3 {
    if !frame.scaled {
        return Vec3::ONE;
    }
    let (linear, turn) = (frame.linear(), Mat3::from_quat(frame.rotation));
    let along = |axis: usize| linear.col(axis).dot(turn.col(axis)).abs();
    Vec3::new(along(0), along(1), along(2))
}
