//! The frame of the engine, and the step in it.

use super::colliders::Placed;
use super::frame::{capture, origin, scale, start_anew, write};
use super::{Code, JointRest, MOST_STEPS, NONE, Params, Particle, Rest, State, System};
use crate::math::{Quatx4, Vec3x4, lanes, shortest_arc};
use crate::sim::scene::WORLD;
use crate::sim::solver::fours::Four;
use crate::sim::work::{Cost, Counts, JOINT};
use crate::sim::{Scene, Work};
use glam::{BVec4A, Quat, Vec3, Vec4};

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
    // What is beyond the bound is dropped, as beyond the most steps.
    let Counts { steps, .. } = Counts { steps, rounds: 0 }.within(cost(rest));
    let scale = scale(scene.frames, rest.component);
    let mut job = Job { rest, params, system, scale, factor, moved };
    for _ in 0..steps {
        job.sweep::<true>(state, scene);
        job.moved = Vec3::ZERO;
    }
    if steps == 0 {
        job.sweep::<false>(state, scene);
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
    if system.gravity == Vec3::ZERO {
        state.gravity.fill(Vec3::ZERO);
        return;
    }
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

fn cost(rest: &Rest) -> Cost {
    Cost { step: JOINT * rest.particles.len() as u64 + rest.contacts, round: 0 }
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Work {
    let follows_rate = system.rate > 0.0 && !system.by_frame;
    let steps = if follows_rate { ((dt * system.rate) as u32).clamp(1, system.most_steps) } else { 1 };
    let done = Counts { steps, rounds: 0 }.within(cost(rest));
    Work::of(done.visits(cost(rest))).with(0, MOST_STEPS, steps, done.steps)
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

/// What a step reads.
struct Job<'a> {
    rest: &'a Rest,
    params: &'a [Params],
    system: &'a System,
    /// Of the component.
    scale: f32,
    /// By what forces pull in this step.
    factor: f32,
    /// How far the component has moved since the last step, metres.
    moved: Vec3,
}

/// Four tips with their joints and numbers.
struct Tips<'a> {
    four: &'a Four,
    particles: [&'a Particle; 4],
    joints: [&'a JointRest; 4],
    p: [&'a Params; 4],
}

/// What of them moves, and what they are kept by.
struct Moving {
    at: Vec3x4,
    previous: Vec3x4,
    /// From their heads as animated.
    arm: Vec3x4,
    head: Vec3x4,
    length: Vec4,
    collided: [bool; 4],
}

impl Job<'_> {
    /// Roots to where animation has them, and every tip by a step, parents first; or, in a frame without one, by what the
    /// component has moved.
    fn sweep<const STEP: bool>(&self, state: &mut State, scene: &Scene<'_>) {
        for four in &self.rest.fours {
            if self.rest.particles[four.places[0] as usize].parent == NONE {
                for i in four.own() {
                    let point = &mut state.points[*i as usize];
                    point.previous = point.at;
                    point.at = scene.frames[self.rest.particles[*i as usize].bone as usize].position;
                }
            } else {
                self.move_tips::<STEP>(four, state, scene);
            }
        }
    }

    /// Tips side by side.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "called in one place; what all tips share stays in registers")]
    fn move_tips<const STEP: bool>(&self, four: &Four, state: &mut State, scene: &Scene<'_>) {
        let tips = self.tips(four);
        let mut moving = Moving::new(four, tips.particles, state);
        if STEP {
            self.integrate(&tips, &mut moving, state);
            self.constrain(&tips, &mut moving, &state.placed, scene);
        } else {
            let moved = Vec3x4::splat(self.moved);
            (moving.at, moving.previous) = (moving.at + moved, moving.previous + moved);
            let target = moving.head + moving.arm;
            moving.hold_in_ball(target, &tips, self.system);
            moving.keep_length();
        }
        if self.rest.some_off {
            self.take_along(four, &tips, &mut moving, state);
        }
        let is_lost = !(moving.at.is_finite() & moving.previous.is_finite());
        if is_lost.any() {
            moving.back_to_rest(is_lost);
        }
        if self.rest.some_off {
            for (lane, i) in four.own().iter().enumerate() {
                let to = (moving.at - moving.head).each()[lane];
                note_turn(self.rest, &mut state.turns, *i as usize, moving.arm.each()[lane], to);
            }
        }
        let (at, previous) = (moving.at.each(), moving.previous.each());
        lanes(|lane| state.points[four.places[lane] as usize].at = at[lane]);
        lanes(|lane| state.points[four.places[lane] as usize].previous = previous[lane]);
        lanes(|lane| state.points[four.places[lane] as usize].collided = moving.collided[lane]);
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn tips<'s>(&'s self, four: &'s Four) -> Tips<'s> {
        let particles = lanes(|lane| &self.rest.particles[four.places[lane] as usize]);
        let joints = lanes(|lane| &self.rest.joints[particles[lane].joint as usize]);
        Tips { four, particles, joints, p: lanes(|lane| &self.params[particles[lane].joint as usize]) }
    }

    /// Position Verlet: what is left of the last step, the pull, and what the component carries along.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn integrate(&self, tips: &Tips<'_>, moving: &mut Moving, state: &State) {
        let (system, p) = (self.system, tips.p);
        // The clone's curve; the asset has none.
        let share = |lane: usize| if system.code == Code::Clone { p[lane].force_share } else { 1.0 };
        let gravity = Vec3x4::new(lanes(|lane| state.gravity[tips.particles[lane].tree as usize]));
        let force = Vec3x4::splat(system.force) * Vec4::from_array(lanes(share));
        let pull = (gravity + force) * (self.scale * self.factor);
        let carried = Vec3x4::splat(self.moved) * Vec4::from_array(lanes(|lane| p[lane].inert));
        let mut damping = Vec4::from_array(lanes(|lane| p[lane].damping));
        if moving.collided != [false; 4] {
            let rubbed = |lane: usize| (p[lane].damping + p[lane].friction).min(1.0);
            damping = Vec4::from_array(lanes(|lane| if moving.collided[lane] { rubbed(lane) } else { damping[lane] }));
            moving.collided = [false; 4];
        }
        let speed = moving.at - moving.previous;
        moving.previous = moving.at + carried;
        moving.at += speed * (Vec4::ONE - damping) + pull + carried;
    }

    /// Everything that keeps tips near their rest positions, in the engine's order.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn constrain(&self, tips: &Tips<'_>, moving: &mut Moving, placed: &[Placed], scene: &Scene<'_>) {
        let target = moving.head + moving.arm;
        let elasticity = Vec4::from_array(lanes(|lane| tips.p[lane].elasticity)) * self.factor;
        moving.at += (target - moving.at) * elasticity;
        moving.hold_in_ball(target, tips, self.system);
        let has_any = |joint: &JointRest| !joint.colliders.is_empty();
        let meets = lanes(|lane| tips.joints[lane].enabled && has_any(tips.joints[lane]));
        if meets != [false; 4] {
            let mut points = moving.at.each();
            for lane in (0..tips.four.own().len()).filter(|lane| meets[*lane]) {
                moving.collided[lane] |= self.push_out(&mut points[lane], tips.joints[lane], tips.p[lane], placed);
            }
            tips.four.repeat(&mut points);
            tips.four.repeat(&mut moving.collided);
            moving.at = Vec3x4::new(points);
        }
        if let Some(axis) = self.system.freeze {
            let bones = Quatx4::new(lanes(|lane| scene.frames[tips.joints[lane].bone as usize].rotation));
            let across = bones * Vec3x4::splat(axis);
            moving.at = moving.at - across * (moving.at - moving.head).dot(across);
        }
        moving.keep_length();
    }

    /// One collider after the other; whether any was met.
    #[inline]
    fn push_out(&self, point: &mut Vec3, joint: &JointRest, p: &Params, placed: &[Placed]) -> bool {
        let mut collided = false;
        for id in joint.colliders.of(&self.rest.colliders) {
            if let Some(way) = placed[*id as usize].way_out(*point, p.radius * self.scale) {
                *point += way;
                collided = true;
            }
        }
        collided
    }

    /// Tips of joints that are off hang stiffly on what is above; whether they had met anything stays noted.
    #[cold]
    fn take_along(&self, four: &Four, tips: &Tips<'_>, moving: &mut Moving, state: &State) {
        let is_off = BVec4A::from_array(lanes(|lane| !tips.joints[lane].enabled));
        let turn = |lane: usize| turn_above(self.rest, &state.turns, tips.particles[lane]);
        let at = moving.head + Quatx4::new(lanes(turn)) * moving.arm;
        moving.at = Vec3x4::select(is_off, at, moving.at);
        moving.previous = Vec3x4::select(is_off, at, moving.previous);
        let before = |lane: usize| state.points[four.places[lane] as usize].collided;
        moving.collided = lanes(|lane| if is_off.test(lane) { before(lane) } else { moving.collided[lane] });
    }
}

impl Moving {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn new(four: &Four, particles: [&Particle; 4], state: &State) -> Self {
        let points = lanes(|lane| &state.points[four.places[lane] as usize]);
        Self {
            at: Vec3x4::new(lanes(|lane| points[lane].at)),
            previous: Vec3x4::new(lanes(|lane| points[lane].previous)),
            arm: Vec3x4::new(lanes(|lane| points[lane].arm)),
            head: Vec3x4::new(lanes(|lane| state.points[particles[lane].parent as usize].at)),
            length: Vec4::from_array(lanes(|lane| points[lane].length)),
            collided: lanes(|lane| points[lane].collided),
        }
    }

    /// Within a ball about the rest position that stiffness makes smaller, and blending out smaller still.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn hold_in_ball(&mut self, target: Vec3x4, tips: &Tips<'_>, system: &System) {
        let stiffness = Vec4::from_array(lanes(|lane| tips.p[lane].stiffness));
        let stiffness = (stiffness - Vec4::ONE) * system.weight + Vec4::ONE;
        let way = target - self.at;
        let most = self.length * (Vec4::ONE - stiffness) * 2.0;
        let squared = way.length_squared();
        let is_out = stiffness.cmpgt(Vec4::ZERO) & squared.cmpgt(most * most);
        if is_out.any() {
            let distance = squared.sqrt();
            let held = self.at + way * ((distance - most) / distance);
            self.at = Vec3x4::select(is_out, held, self.at);
        }
    }

    /// On the line from the head, at bone length.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `move_tips`")]
    fn keep_length(&mut self) {
        let way = self.head - self.at;
        let length = way.length();
        let kept = self.at + way * ((length - self.length) / length);
        self.at = Vec3x4::select(length.cmpgt(Vec4::ZERO), kept, self.at);
    }

    /// Particles that met a number that is none stand still where the pose has them.
    #[inline]
    fn back_to_rest(&mut self, is_lost: BVec4A) {
        let at = self.head + self.arm;
        let at = Vec3x4::select(at.is_finite(), at, Vec3x4::splat(Vec3::ZERO));
        self.at = Vec3x4::select(is_lost, at, self.at);
        self.previous = Vec3x4::select(is_lost, at, self.previous);
    }
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

#[cfg(test)]
mod tests {
    use super::super::{MOST_STEPS, UPDATE_MODE, UPDATE_RATE};
    use super::*;
    use crate::schema::ParamSet;
    use crate::sim::Dynamics as _;
    use crate::sim::kernel::Span;
    use crate::sim::solver::dynamic_bone::{DynamicBone, PARAMS, RUN_AS};
    use crate::sim::solver::fours::group;

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
        let (rest, system) = (Rest::default(), system(&[]));
        let job = Job { rest: &rest, params: &[], system: &system, scale: 1.0, factor: 1.0, moved: Vec3::ZERO };
        let particle = Particle {
            bone: 0,
            parent: 0,
            joint: 0,
            tree: 0,
            local: Vec3::ZERO,
            direct: true,
            between: Span::default(),
        };
        let joint = JointRest {
            bone: 0,
            enabled: true,
            head: 0,
            tip: NONE,
            turns: false,
            plain: false,
            above: NONE,
            parent: WORLD,
            tip_bone: WORLD,
            tip_local: Vec3::ZERO,
            colliders: Span::default(),
            length: 0.0,
            offset: Vec3::ZERO,
        };
        let four = &group(4, |_, _| false)[0];
        let tips = Tips { four, particles: [&particle; 4], joints: [&joint; 4], p: [&p; 4] };
        let state = State { gravity: vec![Vec3::ZERO], ..State::default() };
        let zero = Vec3x4::splat(Vec3::ZERO);
        let collided = [true, false, true, false];
        let at = Vec3x4::splat(Vec3::X);
        let mut moving = Moving { at, previous: zero, arm: zero, head: zero, length: Vec4::ZERO, collided };
        let mut expect = |lanes: [f32; 2]| {
            job.integrate(&tips, &mut moving, &state);
            assert_eq!(moving.at.x, Vec4::new(lanes[0], lanes[1], lanes[0], lanes[1]));
        };
        expect([1.5, 1.75]);
        expect([1.875, 2.3125]);
    }
}
