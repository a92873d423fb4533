//! One frame: its steps, and in each the free movement of every point.

use super::super::super::scene::Scene;
use super::abreast::{Abreast, Settled, Sort};
use super::capture::{Motion, Space, capture};
use super::wind::{Axes, Breeze, gust};
use super::{Begun, Params, Placed, Rest, State, System, output, relax, row};
use crate::math::{Frame, Quatx4, Vec3x4, lanes};
use crate::sim::Work;
use crate::sim::kernel::are_finite;
use crate::sim::work::{Cost, Counts, JOINT, MOST_WARM_UP, split};
use glam::{Quat, Vec3, Vec4};

/// Least time that a frame counts for where steps are fixed, seconds.
const LEAST_FRAME: f32 = 1e-4;

/// What is the same for every point in one step, in the simulation space.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// Length, seconds.
    seconds: f32,
    /// Seconds times the speed of the step before gives its movement: this over that length.
    carry: f32,
    /// Metres by gravity and by the simple force.
    pushed: Vec3,
    /// The component's motion, by as much of it as belongs to this step; `None` where nothing is felt.
    felt: Option<Felt>,
    breeze: Option<Breeze>,
}

/// What points feel of the component, whole.
#[derive(Clone, Copy, Debug)]
struct Felt {
    moved: Vec3,
    turned: Quat,
    /// Where the base bone was and is in the component, and how much of that belongs to this step.
    based: Option<(Frame, Frame, f32)>,
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let motion = capture(rest, system, state, scene);
    if dt > 0.0 {
        let seconds = if system.fixed { 1.0 / system.rate } else { dt };
        settle(rest, params, state, if system.fixed { 1.0 } else { system.rate * dt });
        for (placed, collider) in state.placed.iter_mut().zip(scene.colliders) {
            *placed = Placed::new(collider, &scene.frames[collider.bone as usize], &state.space);
        }
        blow(rest, system, state, scene);
        warm_up(rest, system, state, seconds);
        if motion.teleported && system.space == Space::World {
            carry_along(state, &motion);
        } else if system.fixed {
            fixed_steps(rest, system, state, &motion, seconds, dt);
        } else {
            aim_for(state, 1.0);
            let carry = dt / state.step_before;
            step(rest, system, state, felt(system, &motion, state, 1.0), seconds, carry);
            (state.component, state.base, state.step_before) = (motion.component, motion.base, dt);
        }
        if motion.teleported {
            (state.component, state.base) = (motion.component, motion.base);
        }
        keep_finite(state);
        state.begun = Begun::Runs;
    }
    output::write(rest, state, scene);
}

/// The joints' numbers as the points take them. `exponent` is how many steps of the target rate this one counts for.
fn settle(rest: &Rest, params: &[Params], state: &mut State, exponent: f32) {
    for (settled, abreast) in state.numbers.iter_mut().zip(&rest.abreast) {
        let [first, second] = &abreast.joints;
        let first = lanes(|lane| &params[first[lane] as usize]);
        let is_mixed = abreast.share.cmpgt(Vec4::ZERO);
        let mix = |of: fn(&Params) -> f32| {
            let a = Vec4::from_array(lanes(|lane| of(first[lane])));
            if !abreast.is_mixed {
                return a;
            }
            let b = Vec4::from_array(lanes(|lane| of(&params[second[lane] as usize])));
            Vec4::select(is_mixed, a + (b - a) * abreast.share, a)
        };
        let stiffness = mix(|p| p.stiffness);
        *settled = Settled {
            kept: Vec4::ONE - mix(|p| p.damping),
            pull: if exponent == 1.0 { stiffness } else { Vec4::ONE - (Vec4::ONE - stiffness).powf(exponent) },
            felt_move: Vec4::ONE - mix(|p| p.ignore_movement),
            felt_turn: Vec4::ONE - mix(|p| p.ignore_turning),
            radius: mix(|p| p.radius),
            limit: mix(|p| p.limit_angle),
            force_rate: mix(|p| p.force_rate),
        };
    }
}

/// The scene's pull on each point where its pose is.
fn blow(rest: &Rest, system: &System, state: &mut State, scene: &Scene<'_>) {
    if !system.scene_wind || scene.forces.is_empty() {
        return;
    }
    state.is_blown = true;
    let into = state.space.rotation.inverse();
    for (i, _) in rest.points.iter().enumerate() {
        let at = state.space.point(state.pose[i]);
        let pulls = scene.forces.iter().map(|force| force.at(&scene.frames[force.bone as usize], at, 1.0));
        state.blown[i] = into * (pulls.sum::<Vec3>() * system.wind_scale);
    }
}

/// Steps on the pose of the first frame.
fn warm_up(rest: &Rest, system: &System, state: &mut State, seconds: f32) {
    let wanted = match state.begun {
        Begun::New => system.warm_at_start,
        Begun::Reset => system.warm_on_reset,
        Begun::Runs => false,
    };
    if wanted {
        aim_for(state, 1.0);
        (0..warm_up_frames(rest, system)).for_each(|_| step(rest, system, state, None, seconds, 1.0));
    }
}

/// Most steps of a frame, with all rounds that are asked for.
fn asked(system: &System) -> Counts {
    let steps = if system.fixed { system.most_steps as u32 } else { 1 };
    Counts { steps, rounds: system.rounds[0] + system.rounds[1] }
}

fn cost(rest: &Rest) -> Cost {
    Cost { step: JOINT * rest.points.len() as u64 + rest.colliders.len() as u64, round: rest.links.len() as u64 }
}

/// As many rounds as the bound on work allows; steps are few in any case.
fn rounds(rest: &Rest, system: &System) -> [u32; 2] {
    split(system.rounds, asked(system).within(cost(rest)).rounds)
}

fn warm_up_frames(rest: &Rest, system: &System) -> u32 {
    let each = Counts { steps: 1, rounds: rounds(rest, system).iter().sum() }.visits(cost(rest));
    system.warm_up.min((MOST_WARM_UP / each.max(1)) as u32)
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Work {
    let rounds = rounds(rest, system);
    let steps = if system.fixed { (dt * system.rate).ceil().clamp(1.0, system.most_steps) as u32 } else { 1 };
    let work = Work::of(Counts { steps, rounds: rounds[0] + rounds[1] }.visits(cost(rest)));
    let work = work.with(0, row::ITERATIONS_BEFORE, system.rounds[0], rounds[0]);
    let work = work.with(1, row::ITERATIONS_AFTER, system.rounds[1], rounds[1]);
    let warms = system.warm_at_start || system.warm_on_reset;
    work.with(2, row::WARM_UP_FRAMES, if warms { system.warm_up } else { 0 }, warm_up_frames(rest, system))
}

/// As many steps as have become due; the rest of the time, and of the component's motion, waits for the next frame.
fn fixed_steps(rest: &Rest, system: &System, state: &mut State, motion: &Motion, seconds: f32, dt: f32) {
    let whole = (state.left + dt).max(LEAST_FRAME);
    let kept = whole.min(system.most_steps * seconds);
    let dropped = whole - kept;
    let count = (kept / seconds).floor().max(0.0);
    let used = count * seconds;
    state.left = kept - used;
    let felt = felt(system, motion, state, seconds / whole);
    for i in 0..count as u32 {
        aim_for(state, (i + 1) as f32 / count);
        step(rest, system, state, felt, seconds, 1.0);
    }
    let share = ((used + dropped) / whole).clamp(0.0, 1.0);
    state.component = part_way(&state.component, &motion.component, share);
    state.base = part_way(&state.base, &motion.base, share);
    state.step_before = seconds;
}

fn part_way(from: &Frame, to: &Frame, share: f32) -> Frame {
    if share >= 1.0 {
        return *to;
    }
    let mut between = Frame::WORLD;
    between.place(from.rotation.slerp(to.rotation, share).normalize(), from.position.lerp(to.position, share));
    between
}

/// The pose that a step aims for, between that of the frame before and this one's.
fn aim_for(state: &mut State, share: f32) {
    if share >= 1.0 {
        state.goal.copy_from_slice(&state.pose);
        state.goal_turn.copy_from_slice(&state.pose_turn);
        return;
    }
    for i in 0..state.goal.len() {
        state.goal[i] = state.last_pose[i].lerp(state.pose[i], share);
        state.goal_turn[i] = state.last_turn[i].slerp(state.pose_turn[i], share).normalize();
    }
}

/// What a step feels of the component's motion, `share` of it all.
fn felt(system: &System, motion: &Motion, state: &State, share: f32) -> Option<Felt> {
    if system.space == Space::World || motion.teleported {
        return None;
    }
    let based = (system.space == Space::Base).then_some((state.base, motion.base, share));
    let moved = motion.moved * share;
    let turned = match based {
        // Turned whole with the bone, then taken by its share.
        Some(_) => motion.turned,
        None if share >= 1.0 => motion.turned,
        None => Quat::IDENTITY.slerp(motion.turned, share).normalize(),
    };
    let moved = based.map_or(moved, |(_, now, _)| now.rotation.inverse() * moved);
    Some(Felt { moved, turned, based })
}

impl Felt {
    /// How far turning takes points.
    #[inline]
    fn swept(&self, at: Vec3x4) -> Vec3x4 {
        let turned = Quatx4::splat(self.turned);
        match &self.based {
            None => turned * at - at,
            Some((was, now, share)) => {
                let out = Vec3x4::splat(was.position) + Quatx4::splat(was.rotation) * at;
                let own = turned * out - Vec3x4::splat(now.position);
                (Quatx4::splat(now.rotation).inverse() * own - at) * *share
            }
        }
    }
}

/// A component that jumped takes its points along, as if nothing had moved.
fn carry_along(state: &mut State, motion: &Motion) {
    let (was, now) = (state.component, motion.component);
    for at in state.at.iter_mut().chain(&mut state.previous) {
        *at = now.point(was.inverse_point(*at));
    }
}

/// One step of all points.
fn step(rest: &Rest, system: &System, state: &mut State, felt: Option<Felt>, seconds: f32, carry: f32) {
    state.wind_time += seconds * system.wind.time_scale;
    if !state.wind_time.is_finite() {
        state.wind_time = 0.0;
    }
    let step = Step {
        seconds,
        carry: if carry.is_finite() { carry } else { 1.0 },
        pushed: pushed(system, state, seconds),
        felt,
        breeze: system.wind.blows.then(|| turned_breeze(system, state)),
    };
    // Every point is given a new place, here or as one that lies between others.
    std::mem::swap(&mut state.at, &mut state.previous);
    for (i, abreast) in rest.abreast.iter().enumerate() {
        match abreast.sort {
            Sort::Root => abreast.four.own().iter().for_each(|i| state.at[*i as usize] = state.goal[*i as usize]),
            Sort::Bridge => {}
            Sort::Bone | Sort::End | Sort::Between => swing(rest, system, &step, state, (i, abreast)),
        }
    }
    relax::relax(rest, system, state, seconds, rounds(rest, system));
    state.steps = state.steps.wrapping_add(1);
}

/// Points that hang from others, whose turn was before.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called in one place; what all points share stays in registers")]
fn swing(rest: &Rest, system: &System, step: &Step, state: &mut State, (i, abreast): (usize, &Abreast)) {
    // Of one length, so that places are looked at once.
    let goal = &state.goal[..state.at.len()];
    let own = Vec3x4::new(lanes(|lane| goal[abreast.four.places[lane] as usize]));
    let arm = own - Vec3x4::new(lanes(|lane| goal[abreast.parents[lane] as usize]));
    let beside = Vec3x4::new(lanes(|lane| state.at[abreast.parents[lane] as usize])) + arm;
    state.arms[i] = arm;
    let moved = if system.only_collide && abreast.sort == Sort::Between {
        // Placed later; what hangs from them sees where they were.
        Vec3x4::new(lanes(|lane| state.previous[abreast.four.places[lane] as usize]))
    } else {
        free(rest, system, step, state, (&state.numbers[i], abreast), beside)
    };
    abreast.four.put(Vec3x4::select(abreast.pinned, beside, moved).each(), &mut state.at);
}

/// Where points go on their own, and are pulled to: `beside` their parents.
#[inline(always)]
#[expect(clippy::inline_always, reason = "as for `swing`")]
fn free(
    rest: &Rest,
    system: &System,
    step: &Step,
    state: &State,
    (numbers, abreast): (&Settled, &Abreast),
    beside: Vec3x4,
) -> Vec3x4 {
    let places = lanes(|lane| abreast.four.places[lane] as usize);
    let previous = &state.previous[..state.at.len()];
    let before = Vec3x4::new(lanes(|lane| previous[places[lane]]));
    // Not yet overwritten: where they were a step earlier.
    let earlier = Vec3x4::new(lanes(|lane| state.at[places[lane]]));
    let mut at = before + (before - earlier) * (numbers.kept * step.carry) + Vec3x4::splat(step.pushed);
    if system.scene_wind && state.is_blown {
        let gust = |i: usize| gust(state.blown[i], system.wind_noise, (system.wind.seed, state.steps, i));
        let gusts = lanes(|lane| if state.blown[places[lane]] == Vec3::ZERO { Vec3::ZERO } else { gust(places[lane]) });
        at += Vec3x4::new(gusts) * (step.seconds * step.seconds);
    }
    if let Some(felt) = &step.felt {
        at += Vec3x4::splat(felt.moved) * numbers.felt_move + felt.swept(before) * numbers.felt_turn;
    }
    if let Some(breeze) = &step.breeze {
        let push = |lane: usize| {
            let strength = system.wind.strength(breeze, rest.points[places[lane]].rate) * numbers.force_rate[lane];
            let direction = match system.wind.axes {
                Axes::Bone => state.goal_turn[places[lane]] * breeze.direction,
                Axes::World | Axes::Component => breeze.direction,
            };
            direction * (strength * step.seconds)
        };
        at += Vec3x4::new(lanes(push));
    }
    at + (beside - at) * numbers.pull
}

/// What gravity and the simple force do in one step, metres.
fn pushed(system: &System, state: &State, seconds: f32) -> Vec3 {
    let into = state.space.rotation.inverse();
    let gravity = if system.gravity_in_world {
        into * system.gravity
    } else {
        into * (state.component.rotation * system.gravity)
    };
    let half = if system.legacy_gravity { 0.5 } else { 1.0 };
    let push = if system.push_in_world { into * system.push } else { system.push };
    gravity * (half * seconds * seconds) + push * seconds
}

/// The procedural wind with its direction in the simulation space, or the bone's where it is meant so.
fn turned_breeze(system: &System, state: &State) -> Breeze {
    let mut breeze = system.wind.at(state.wind_time);
    let into = state.space.rotation.inverse();
    match system.wind.axes {
        Axes::Component => breeze.direction = into * (state.component.rotation * breeze.direction),
        Axes::World => breeze.direction = into * breeze.direction,
        Axes::Bone => {}
    }
    breeze
}

/// A point that is nowhere goes back to its pose, and so does one that came from nowhere.
fn keep_finite(state: &mut State) {
    if are_finite(&state.at) && are_finite(&state.previous) {
        return;
    }
    for i in 0..state.at.len() {
        if !(state.at[i].is_finite() && state.previous[i].is_finite()) {
            let pose = state.pose[i];
            state.at[i] = if pose.is_finite() { pose } else { Vec3::ZERO };
            state.previous[i] = state.at[i];
        }
    }
}
