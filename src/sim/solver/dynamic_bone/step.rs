//! The frame of the engine, and the step in it.

use super::colliders::Placed;
use super::frame::{capture, origin, scale, start_anew, write};
use super::{Code, NONE, Params, Particle, Point, Rest, State, System};
use crate::math::shortest_arc;
use crate::sim::Scene;
use crate::sim::scene::WORLD;
use glam::{Quat, Vec3};

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    capture(rest, state, scene);
    let rests = system.weight <= 0.0 || is_far(rest, system, scene);
    if rests || state.rests {
        start_anew(rest, state, scene);
        state.rests = rests;
    }
    if rests {
        return;
    }
    place_colliders(system, state, scene);
    weigh(rest, system, state, scene);
    let component = origin(scene.frames, rest.component);
    let moved = component - state.component;
    state.component = component;
    let (steps, factor) = steps(system, &mut state.left, dt);
    let scale = scale(scene.frames, rest.component);
    for step in 0..steps {
        let moved = if step == 0 { moved } else { Vec3::ZERO };
        sweep(rest, state, scene, |particle, point, head, pull, placed| {
            let p = &params[particle.joint as usize];
            let force = (pull + system.force * share(p, system)) * (scale * factor);
            integrate(point, p, moved * p.inert, force);
            constrain(rest, particle, point, head, p, system, (scale, factor), placed, scene);
        });
    }
    if steps == 0 {
        sweep(rest, state, scene, |particle, point, head, _, _| {
            let p = &params[particle.joint as usize];
            point.at += moved;
            point.previous += moved;
            hold_in_ball(point, head + point.arm, p, system);
            keep_length(point, head);
        });
    }
    write(rest, state, scene);
}

/// Where the colliders stand in this frame.
fn place_colliders(system: &System, state: &mut State, scene: &Scene<'_>) {
    for (placed, collider) in state.placed.iter_mut().zip(scene.colliders) {
        *placed = Placed::new(collider, &scene.frames[collider.bone as usize], system.code);
    }
}

/// What of gravity pulls on each tree: all but what pulled along its rest pose.
fn weigh(rest: &Rest, system: &System, state: &mut State, scene: &Scene<'_>) {
    for (gravity, tree) in state.gravity.iter_mut().zip(&rest.trees) {
        // Differs from DynamicBone: gravity that is changed in play counts as if it had been so at the start.
        let at_rest = match system.code {
            Code::Asset => tree.local_from_world * system.gravity,
            // The clone's fault.
            Code::Clone => tree.origin + tree.local_from_world * system.gravity,
        };
        let held = scene.frames[tree.bone as usize].rotation * at_rest.normalize_or_zero() * system.gravity.length();
        let along = system.gravity.normalize_or_zero();
        *gravity = system.gravity - along * held.dot(along).max(0.0);
    }
}

/// Whether the component is too far from what it is looked at from.
fn is_far(rest: &Rest, system: &System, scene: &Scene<'_>) -> bool {
    let from = if rest.reference == WORLD { scene.viewer } else { Some(origin(scene.frames, rest.reference)) };
    system
        .reach
        .zip(from)
        .is_some_and(|(reach, from)| from.distance_squared(origin(scene.frames, rest.component)) > reach * reach)
}

/// How many steps a frame takes, and by what factor they pull.
fn steps(system: &System, left: &mut f32, dt: f32) -> (u32, f32) {
    if system.rate <= 0.0 {
        return (1, 1.0);
    }
    if system.by_frame {
        return (1, dt * system.rate);
    }
    let length = 1.0 / system.rate;
    let mut steps = 0;
    *left += dt;
    while *left >= length {
        *left -= length;
        steps += 1;
        if steps >= system.most_steps {
            *left = 0.0;
        }
    }
    (steps, 1.0)
}

/// The clone's curve; the asset has none.
#[inline]
fn share(p: &Params, system: &System) -> f32 {
    if system.code == Code::Clone { p.force_share } else { 1.0 }
}

/// Roots to where animation has them, and every tip by `tip`, parents first. `tip` gets the particle, its point, where its
/// head is, what of gravity acts, and the colliders.
#[inline]
fn sweep(
    rest: &Rest,
    state: &mut State,
    scene: &Scene<'_>,
    mut tip: impl FnMut(&Particle, &mut Point, Vec3, Vec3, &[Placed]),
) {
    let State { points, gravity, placed, turns, .. } = state;
    for (i, particle) in rest.particles.iter().enumerate() {
        if particle.parent == NONE {
            let point = &mut points[i];
            point.previous = point.at;
            point.at = scene.frames[particle.bone as usize].position;
        } else {
            let head = points[particle.parent as usize].at;
            let point = &mut points[i];
            let joint = &rest.joints[particle.joint as usize];
            if joint.enabled {
                tip(particle, point, head, gravity[particle.tree as usize], placed);
            } else {
                point.at = head + turn_above(rest, turns, particle) * point.arm;
                point.previous = point.at;
            }
            if !(point.at.is_finite() && point.previous.is_finite()) {
                back_to_rest(point, head);
            }
            if rest.some_off {
                note_turn(rest, turns, i, point.arm, point.at - head);
            }
        }
    }
}

/// A particle that met a number that is none stands still where the pose has it.
#[cold]
fn back_to_rest(point: &mut Point, head: Vec3) {
    let at = head + point.arm;
    point.at = if at.is_finite() { at } else { Vec3::ZERO };
    point.previous = point.at;
}

/// How far the bone that a particle's joint hangs on is turned away from its animation.
fn turn_above(rest: &Rest, turns: &[Quat], particle: &Particle) -> Quat {
    let head = &rest.particles[particle.parent as usize];
    if head.parent == NONE { Quat::IDENTITY } else { turns[head.joint as usize] }
}

/// Keeps up how far a joint will be turned, for those below it that are off and move with it.
#[cold]
fn note_turn(rest: &Rest, turns: &mut [Quat], i: usize, arm: Vec3, to: Vec3) {
    let particle = &rest.particles[i];
    let joint = &rest.joints[particle.joint as usize];
    if joint.turns && joint.tip as usize != i {
        return;
    }
    let above = turn_above(rest, turns, particle);
    let aims = joint.turns && joint.enabled;
    let own = || shortest_arc((above * arm).normalize_or_zero(), to.normalize_or_zero());
    turns[particle.joint as usize] = if aims { own() * above } else { above };
}

/// Position Verlet: what is left of the last step, the pull, and what the component carries along.
#[inline]
fn integrate(point: &mut Point, p: &Params, carried: Vec3, pull: Vec3) {
    let speed = point.at - point.previous;
    let damping = if point.collided { (p.damping + p.friction).min(1.0) } else { p.damping };
    point.collided = false;
    point.previous = point.at + carried;
    point.at += speed * (1.0 - damping) + pull + carried;
}

/// Everything that keeps a tip near its rest position, in the engine's order.
#[inline]
#[expect(clippy::too_many_arguments, reason = "what a tip is kept by, named one by one")]
fn constrain(
    rest: &Rest,
    particle: &Particle,
    point: &mut Point,
    head: Vec3,
    p: &Params,
    system: &System,
    (scale, factor): (f32, f32),
    placed: &[Placed],
    scene: &Scene<'_>,
) {
    let target = head + point.arm;
    point.at += (target - point.at) * (p.elasticity * factor);
    hold_in_ball(point, target, p, system);
    let joint = &rest.joints[particle.joint as usize];
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        if let Some(way) = placed[*id as usize].way_out(point.at, p.radius * scale, 0.0) {
            point.at += way;
            point.collided = true;
        }
    }
    if let Some(axis) = system.freeze {
        let across = scene.frames[joint.bone as usize].rotation * axis;
        point.at -= across * (point.at - head).dot(across);
    }
    keep_length(point, head);
}

/// Within a ball about the rest position that stiffness makes smaller, and blending out smaller still.
#[inline]
fn hold_in_ball(point: &mut Point, target: Vec3, p: &Params, system: &System) {
    let stiffness = 1.0 + (p.stiffness - 1.0) * system.weight;
    if stiffness > 0.0 {
        let way = target - point.at;
        let most = point.length * (1.0 - stiffness) * 2.0;
        let squared = way.length_squared();
        if squared > most * most {
            let distance = squared.sqrt();
            point.at += way * ((distance - most) / distance);
        }
    }
}

/// On the line from its head, at bone length.
#[inline]
fn keep_length(point: &mut Point, head: Vec3) {
    let way = head - point.at;
    let length = way.length();
    if length > 0.0 {
        point.at += way * ((length - point.length) / length);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MOST_STEPS, UPDATE_MODE, UPDATE_RATE};
    use super::*;
    use crate::schema::ParamSet;
    use crate::sim::Solver as _;
    use crate::sim::solver::dynamic_bone::{DynamicBone, PARAMS, RUN_AS};

    fn system(values: &[(crate::schema::Row, f32)]) -> System {
        let mut set = ParamSet::defaults(PARAMS);
        for (row, value) in values {
            set.set(*row, *value);
        }
        DynamicBone::bake_system(|row| set.get(row))
    }

    #[track_caller]
    fn check(values: &[(crate::schema::Row, f32)], dt: f32, expected: [(u32, f32); 4]) {
        let (system, mut left) = (system(values), 0.0);
        for (frame, (count, factor)) in expected.into_iter().enumerate() {
            let found = steps(&system, &mut left, dt);
            assert!(found.0 == count && (found.1 - factor).abs() < 1e-5, "frame {frame}: {found:?}");
        }
    }

    #[test]
    fn mode_default_takes_one_step_a_frame_and_scales_it() {
        check(&[], 1.0 / 30.0, [(1, 2.0); 4]);
        check(&[(UPDATE_RATE, 0.0)], 1.0 / 30.0, [(1, 1.0); 4]);
    }

    #[test]
    fn the_other_modes_keep_the_rate_and_drop_what_three_steps_leave() {
        for mode in [0.0, 1.0, 2.0] {
            check(&[(UPDATE_MODE, mode)], 0.0069, [(0, 1.0), (0, 1.0), (1, 1.0), (0, 1.0)]);
            check(&[(UPDATE_MODE, mode)], 0.066, [(3, 1.0); 4]);
            check(&[(UPDATE_MODE, mode), (MOST_STEPS, 4.0)], 0.0669, [(4, 1.0); 4]);
            check(&[(UPDATE_MODE, mode), (UPDATE_RATE, 0.0)], 0.0069, [(1, 1.0); 4]);
        }
    }

    #[test]
    fn the_clone_takes_one_step_a_frame_whatever_the_mode() {
        check(&[(UPDATE_MODE, 0.0), (RUN_AS, 1.0)], 0.0069, [(1, 0.414); 4]);
    }

    #[test]
    fn a_contact_damps_the_next_step_and_no_other() {
        let p = Params {
            damping: 0.25,
            elasticity: 0.0,
            stiffness: 0.0,
            inert: 0.0,
            friction: 0.25,
            radius: 0.0,
            force_share: 1.0,
        };
        let mut point = Point { at: Vec3::X, collided: true, ..Point::default() };
        integrate(&mut point, &p, Vec3::ZERO, Vec3::ZERO);
        assert_eq!(point.at, Vec3::X * 1.5);
        integrate(&mut point, &p, Vec3::ZERO, Vec3::ZERO);
        assert_eq!(point.at, Vec3::X * 1.875);
    }
}
