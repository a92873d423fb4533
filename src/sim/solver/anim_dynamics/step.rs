//! One frame: where animation has the bones, so many steps of the bodies, and the bones after them.

use super::contact::{ball, near, placed, size};
use super::force::Step;
use super::{
    ITERATIONS_POST, ITERATIONS_PRE, Motion, NONE, Params, Place, Rest, SUBSTEP_RATE, State, System, fit, force,
    impulse,
};
use crate::math::Frame;
use crate::sim::Work;
use crate::sim::scene::Scene;
use crate::sim::work::{Cost, Counts, split};
use glam::{Quat, Vec3};

/// Longer frames count as this, seconds.
const LONGEST: f32 = 1.0;

/// Length of a step where a frame of the engine lasts `frame` seconds.
pub(super) fn step_seconds(rate: f32, frame: f32) -> f32 {
    if rate > 0.0 { rate.min(1e4).recip() } else { frame }
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let dt = if dt > 0.0 { dt.min(LONGEST) } else { 0.0 };
    let push = carry(rest, system, state, scene.frames, dt) + system.push;
    hang(rest, params, system, state, scene);
    if std::mem::take(&mut state.fresh) {
        begin(state);
    }
    turn_to_moved(rest, params, system, state, dt);
    let (count, h) = steps(system, state, dt);
    let (count, h, rounds) = within_bound(rest, system, count, h);
    if count > 0 {
        pace(rest, state, count as f32 * h);
        blow(rest, params, state, scene);
        for (own, collider) in state.placed.iter_mut().zip(scene.colliders) {
            *own = placed(collider, &scene.frames[collider.bone as usize], system);
        }
        let gravity = if system.gravity_turns { state.space.rotation() * system.gravity } else { system.gravity };
        let pace = if state.last_step > 0.0 { (h / state.last_step).min(2.0) } else { 0.0 };
        for k in 0..count {
            let share = |k: u32| k as f32 / count as f32;
            let pace = if k == 0 { pace } else { 1.0 };
            let step = Step { h, before: share(k), share: share(k + 1), pace, gravity, push };
            one(rest, params, rounds, state, &step);
        }
        state.last_step = h;
        for hang in &mut state.hangs {
            (hang.turn_before, hang.at_before) = (hang.turn, hang.at);
        }
    } else {
        fit::sweep(rest, params, state, 1.0, system.post > 0, false);
    }
    bones(rest, params, system, state, scene);
}

/// The order of the engine: forces and springs, limits, movement, limits.
fn one(rest: &Rest, params: &[Params], [pre, post]: [u32; 2], state: &mut State, step: &Step) {
    force::apply(rest, params, state, step);
    look(rest, params, state);
    impulse::relax(rest, params, state, pre, step.h);
    fit::integrate(rest, state, step.h);
    fit::fit(rest, params, state, post, step);
}

/// How many steps this frame has, and how long each is. Time beyond what may be made up for is dropped.
fn steps(system: &System, state: &mut State, dt: f32) -> (u32, f32) {
    if !system.moves || dt <= 0.0 {
        return (0, 0.0);
    }
    if system.substep_rate <= 0.0 {
        return (1, dt.min(system.most_debt));
    }
    let h = step_seconds(system.substep_rate, dt).min(LONGEST);
    state.debt = (state.debt + dt).min(system.most_debt.max(h));
    // Frames of just one step each must not skip one for a rounding.
    let count = (state.debt / h + 1e-3).floor();
    state.debt = (state.debt - count * h).max(0.0);
    (count as u32, h)
}

/// Visits: what is done with a body costs several times as much as a link.
fn cost(rest: &Rest) -> Cost {
    let joints = rest.joints.len() as u64;
    Cost { step: 16 * joints, round: 4 * joints + rest.colliders.len() as u64 }
}

/// Steps, their length and their iterations as the bound on work allows. Fewer steps are longer, so that no time is lost.
fn within_bound(rest: &Rest, system: &System, steps: u32, h: f32) -> (u32, f32, [u32; 2]) {
    let asked = Counts { steps, rounds: system.pre + system.post };
    let done = asked.within(cost(rest));
    let h = if done.steps < steps { h * (steps as f32 / done.steps as f32) } else { h };
    (done.steps, h, split([system.pre, system.post], done.rounds))
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Work {
    let rate = system.substep_rate;
    let steps = if rate > 0.0 { (dt.min(system.most_debt) * rate + 1e-3) as u32 } else { 1 };
    let asked = Counts { steps: steps.max(1), rounds: system.pre + system.post };
    let done = asked.within(cost(rest));
    let work = Work::of(done.visits(cost(rest)));
    let [pre, post] = split([system.pre, system.post], done.rounds);
    let work = work.with(0, ITERATIONS_PRE, system.pre, pre).with(1, ITERATIONS_POST, system.post, post);
    work.with(2, SUBSTEP_RATE, asked.steps, done.steps)
}

/// Where animation has each bone, and how its joint hangs on the body above.
pub(super) fn hang(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &Scene<'_>) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        let mut frame =
            if joint.above == NONE { *scene.parent_frame(joint.parent) } else { state.animated[joint.above as usize] };
        for bone in joint.between.of(&rest.between) {
            frame = frame.child(&scene.pose[*bone as usize]);
        }
        let frame = frame.child(&scene.pose[joint.bone as usize]);
        state.animated[i] = frame;
        let size = size(&frame);
        let (center, point) = system.stands(p.offset, size);
        let center = frame.position + frame.rotation * center;
        let (mut turn, mut at) = (frame.rotation, frame.position + frame.rotation * point);
        if joint.above != NONE {
            let above = state.animated[joint.above as usize].rotation.inverse();
            turn = above * turn;
            at = above * (at - state.hangs[joint.above as usize].center);
        }
        let hang = &mut state.hangs[i];
        let turn = turn.normalize();
        if turn.is_finite() && at.is_finite() && center.is_finite() {
            (hang.turn, hang.at, hang.center, hang.size) = (turn, at, center, size);
        }
    }
}

/// How joints that hang on the world move in this frame, `time` seconds long.
fn pace(rest: &Rest, state: &mut State, time: f32) {
    for (hang, _) in state.hangs.iter_mut().zip(&rest.joints).filter(|(_, joint)| joint.above == NONE) {
        let turn = hang.turn * hang.turn_before.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        hang.motion = Motion { speed: (hang.at - hang.at_before) / time, spin: turn.to_scaled_axis() / time };
        if !(hang.motion.speed.is_finite() && hang.motion.spin.is_finite()) {
            hang.motion = Motion::default();
        }
    }
}

/// What winds and forces do to each body in this frame.
fn blow(rest: &Rest, params: &[Params], state: &mut State, scene: &Scene<'_>) {
    if scene.forces.is_empty() {
        state.hangs.iter_mut().for_each(|hang| hang.blow = Vec3::ZERO);
        return;
    }
    for (i, _) in rest.joints.iter().enumerate() {
        let center = state.places[i].center;
        let at = |f: &crate::sim::wind::ForceRest| f.at(&scene.frames[f.bone as usize], center, params[i].wind);
        let blow = scene.forces.iter().map(at).sum::<Vec3>();
        state.hangs[i].blow = if blow.is_finite() { blow } else { Vec3::ZERO };
    }
}

/// How near bodies are to planes and spheres.
fn look(rest: &Rest, params: &[Params], state: &mut State) {
    for (i, joint) in rest.joints.iter().enumerate() {
        let ball = ball(&params[i], state.hangs[i].size);
        for at in joint.colliders.range() {
            state.near[at] = near(&state.placed[rest.colliders[at] as usize], state.places[i].center, ball);
        }
    }
}

/// Puts bodies where animation has their bones, without speed.
fn begin(state: &mut State) {
    for (i, hang) in state.hangs.iter_mut().enumerate() {
        (hang.turn_before, hang.at_before, hang.motion) = (hang.turn, hang.at, Motion::default());
        let rotation = state.animated[i].rotation.normalize();
        let rotation = if rotation.is_finite() { rotation } else { Quat::IDENTITY };
        state.places[i] = Place { center: hang.center, rotation };
        state.motions[i] = Motion::default();
        state.links[i].push = Vec3::ZERO;
    }
}

/// Turns bodies whose tips were put somewhere, with the speed that the tips were given.
fn turn_to_moved(rest: &Rest, params: &[Params], system: &System, state: &mut State, dt: f32) {
    for (i, joint) in rest.joints.iter().enumerate() {
        if !std::mem::take(&mut state.moved[i]) || !joint.enabled {
            continue;
        }
        let hang = state.hangs[i];
        let (point, speed) = if joint.above == NONE {
            (hang.at, hang.motion.speed)
        } else {
            let (above, motion) = (state.places[joint.above as usize], state.motions[joint.above as usize]);
            let arm = above.rotation * hang.at;
            (above.center + arm, motion.at(arm))
        };
        let place = &mut state.places[i];
        let offset = params[i].offset * hang.size;
        let on_bone = system.stands(params[i].offset, hang.size).1;
        let (from, to) = (place.rotation * (joint.tip - on_bone), state.tips[i] - point);
        if let (Some(a), Some(b)) = (from.try_normalize(), to.try_normalize()) {
            place.rotation = (crate::math::shortest_arc(a, b) * place.rotation).normalize();
            let flung = if dt > 0.0 { (state.tips[i] - state.previous[i]) / dt } else { speed };
            state.motions[i].spin = to.cross(flung - speed) / to.length_squared();
        }
        let arm = place.rotation * offset;
        place.center = point - arm;
        state.motions[i].speed = speed - state.motions[i].spin.cross(arm);
        if !(place.center.is_finite() && place.rotation.is_finite() && state.motions[i].spin.is_finite()) {
            *place = Place { center: hang.center, rotation: Quat::IDENTITY };
            state.motions[i] = Motion::default();
        }
    }
}

/// The space as it was when the last frame ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Space {
    at: Option<(u32, Quat, Vec3)>,
    /// Metres per second.
    speed: Option<Vec3>,
}

impl Space {
    /// How it is turned in the world.
    pub(super) fn rotation(&self) -> Quat {
        self.at.map_or(Quat::IDENTITY, |(_, rotation, _)| rotation)
    }
}

/// Carries all bodies along with their space and returns the acceleration that they feel from its motion, m/s².
pub(super) fn carry(rest: &Rest, system: &System, state: &mut State, frames: &[Frame], dt: f32) -> Vec3 {
    let bone = rest.spaces[system.space];
    let Some(frame) = frames.get(bone as usize) else {
        state.space = Space::default();
        return Vec3::ZERO;
    };
    let now = (frame.rotation, frame.position);
    if !(now.0.is_finite() && now.1.is_finite()) {
        return Vec3::ZERO;
    }
    // Another space than before starts where it is.
    let known = state.space.at.filter(|(before, ..)| *before == bone);
    if known.is_none() {
        state.space.speed = None;
    }
    state.space.at = Some((bone, now.0, now.1));
    let before = known.map_or(now, |(_, rotation, position)| (rotation, position));
    if before != now {
        move_all(rest, state, before, now);
    }
    if dt <= 0.0 {
        return Vec3::ZERO;
    }
    let speed = (now.1 - before.1) / dt;
    let last = state.space.speed.replace(speed).unwrap_or(speed);
    let (speed, acceleration) = (now.0.inverse() * speed, now.0.inverse() * ((speed - last) / dt));
    let felt = acceleration * system.felt_acceleration + speed * system.felt_speed;
    now.0 * -felt.max(-system.clamp).min(system.clamp)
}

fn move_all(rest: &Rest, state: &mut State, before: (Quat, Vec3), now: (Quat, Vec3)) {
    let turn = (now.0 * before.0.inverse()).normalize();
    let point = |p: Vec3| now.1 + turn * (p - before.1);
    for (place, motion) in state.places.iter_mut().zip(&mut state.motions) {
        place.center = point(place.center);
        place.rotation = (turn * place.rotation).normalize();
        motion.speed = turn * motion.speed;
        motion.spin = turn * motion.spin;
    }
    for (tip, previous) in state.tips.iter_mut().zip(&mut state.previous) {
        (*tip, *previous) = (point(*tip), point(*previous));
    }
    state.links.iter_mut().for_each(|link| link.push = turn * link.push);
    for (hang, _) in state.hangs.iter_mut().zip(&rest.joints).filter(|(_, joint)| joint.above == NONE) {
        hang.at_before = point(hang.at_before);
        hang.turn_before = (turn * hang.turn_before).normalize();
    }
}

/// Turns the bones after their bodies, parents first, and moves those whose bodies have play or a lever.
pub(super) fn bones(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>) {
    for (i, (joint, p)) in rest.joints.iter().zip(params).enumerate() {
        joint.between.of(&rest.between).iter().for_each(|b| scene.refresh(*b));
        heal(rest, state, i);
        let (center, _) = system.stands(p.offset, state.hangs[i].size);
        let place = state.places[i];
        let parent = *scene.parent_frame(joint.parent);
        let mut local = scene.pose[joint.bone as usize];
        let mut at = parent.point(local.translation);
        let mut rotation = parent.rotation * local.rotation;
        if system.shows {
            let turned = (parent.rotation.inverse() * place.rotation).normalize();
            if turned.is_finite() {
                (local.rotation, rotation) = (turned, place.rotation);
            }
            if moves(p, system) {
                let moved = parent.inverse_point(place.center - place.rotation * center);
                // A frame that is flattened to nothing has no place for it.
                if moved.is_finite() && parent.point(moved).is_finite() {
                    local.translation = moved;
                    at = parent.point(moved);
                }
            }
        }
        scene.frames[joint.bone as usize] = parent.child_at(&local, at);
        scene.pose[joint.bone as usize] = local;
        let tip = at + rotation * joint.tip;
        state.previous[i] = state.tips[i];
        if tip.is_finite() {
            state.tips[i] = tip;
        }
    }
}

/// Whether the bone of such a body leaves its place on the bone above.
fn moves(p: &Params, system: &System) -> bool {
    !p.locked || (!system.joint_on_bone && p.offset != Vec3::ZERO)
}

/// A body that is no number any more goes back to where animation has it.
fn heal(rest: &Rest, state: &mut State, i: usize) {
    let (place, motion) = (state.places[i], state.motions[i]);
    let numbers = place.center.is_finite() && place.rotation.is_finite();
    if numbers && motion.speed.is_finite() && motion.spin.is_finite() && state.links[i].push.is_finite() {
        return;
    }
    let (joint, hang) = (&rest.joints[i], state.hangs[i]);
    let rotation = if joint.above == NONE {
        hang.turn
    } else {
        (state.places[joint.above as usize].rotation * hang.turn).normalize()
    };
    state.places[i] = Place { center: hang.center, rotation };
    state.motions[i] = Motion::default();
    state.links[i].push = Vec3::ZERO;
}

/// Turns one bone towards a tip, without time passing; its body follows in the next step.
pub(super) fn aim(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
    let joint = &rest.joints[joint];
    scene.refresh(joint.bone);
    let frame = scene.frames[joint.bone as usize];
    let (from, to) = ((frame.rotation * joint.tip).try_normalize(), (tip - frame.position).try_normalize());
    if let (Some(from), Some(to)) = (from, to) {
        let parent = *scene.parent_frame(joint.parent);
        let turned = parent.rotation.inverse() * crate::math::shortest_arc(from, to) * frame.rotation;
        scene.pose[joint.bone as usize].rotation = turned.normalize();
        scene.refresh(joint.bone);
    }
}
