//! One frame: as many steps as it has, and turns without time passing.

use super::rest::{NONE, refresh_path};
use super::{ITERATIONS, JointRest, Link, Params, Rest, STEPS_PER_SECOND, State, System};
use crate::math::{Frame, arc_between, unit_again};
use crate::sim::Work;
use crate::sim::collider::WorldCollider;
use crate::sim::scene::Scene;
use crate::sim::work::{Cost, Counts};
use glam::{Quat, Vec3};

/// More fixed steps than this are not taken in one frame; time beyond them is dropped.
const MOST_STEPS: u32 = 20;

pub(super) fn frame(rest: &Rest, params: &[Params], system: System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let (asked, h) = steps(&mut state.owed, system.rate, dt);
    let Counts { steps, rounds } = Counts { steps: asked, rounds: system.iterations }.within(cost(rest));
    let system = System { iterations: rounds, ..system };
    // Fewer steps are longer, so that no time is lost.
    let h = if steps < asked { h * (asked as f32 / steps as f32) } else { h };
    // One plain step never asks for it.
    if steps != 1 || system.iterations > 0 {
        for (joint, begun) in rest.joints.iter().zip(&mut state.begun) {
            *begun = scene.pose[joint.bone as usize].rotation;
        }
    }
    for (solid, collider) in state.solids.iter_mut().zip(scene.colliders) {
        *solid = WorldCollider::plain(collider, &scene.frames[collider.bone as usize]);
    }
    let job = Job { rest, params, system, h };
    if steps == 0 {
        job.aim_all(state, scene);
    }
    for at in 0..steps {
        if at > 0 {
            job.begin_again(state, scene);
        }
        if system.iterations == 0 {
            job.pass::<true>(state, scene);
        } else {
            job.pass::<false>(state, scene);
            job.rounds(state, scene);
            job.aim_all(state, scene);
        }
        state.before = h;
    }
    // What hangs on a bone that was turned again after its turn.
    rest.stale.iter().for_each(|bone| scene.refresh(*bone));
}

fn cost(rest: &Rest) -> Cost {
    let visits = (2 * rest.links.len() + rest.colliders.len()) as u64;
    Cost { step: visits, round: visits }
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Work {
    let steps = ((dt * system.rate).ceil() as u32).clamp(1, MOST_STEPS);
    let asked = Counts { steps, rounds: system.iterations };
    let done = asked.within(cost(rest));
    let work = Work::of(done.visits(cost(rest))).with(0, ITERATIONS, asked.rounds, done.rounds);
    work.with(1, STEPS_PER_SECOND, asked.steps, done.steps)
}

/// How many steps a frame of `dt` seconds takes, and how long they are.
fn steps(owed: &mut f64, rate: f32, dt: f32) -> (u32, f32) {
    // A frame that should be as long as a step may be shorter by rounding.
    const NEARLY: f64 = 1.0 - 1e-4;
    if rate <= 0.0 {
        *owed = 0.0;
        return (u32::from(dt > 0.0), dt);
    }
    let h = 1.0 / rate;
    *owed += f64::from(dt);
    let mut steps = 0;
    while *owed >= f64::from(h) * NEARLY && steps < MOST_STEPS {
        *owed -= f64::from(h);
        steps += 1;
    }
    if *owed >= f64::from(h) {
        *owed = 0.0;
    }
    (steps, h)
}

/// What a step reads.
pub(super) struct Job<'a> {
    pub(super) rest: &'a Rest,
    pub(super) params: &'a [Params],
    pub(super) system: System,
    /// Length of a step, seconds.
    pub(super) h: f32,
}

impl Job<'_> {
    /// Before a further step of one frame: joints that animation moves are where it left them.
    fn begin_again(&self, state: &mut State, scene: &mut Scene<'_>) {
        for (joint, begun) in self.rest.joints.iter().zip(&mut state.begun) {
            let rotation = &mut scene.pose[joint.bone as usize].rotation;
            if joint.own {
                *begun = *rotation;
            } else {
                *rotation = *begun;
            }
        }
    }

    /// A joint that is off: its bone carries the point.
    #[cold]
    pub(super) fn follow(&self, i: usize, link: &Link, state: &mut State, scene: &mut Scene<'_>) {
        let joint = &self.rest.joints[link.joint as usize];
        if link.first {
            refresh_path(self.rest, joint, scene);
        }
        let at = or_last(scene.frames[joint.bone as usize].point(link.rest), state.points[i]);
        (state.previous[i], state.points[i]) = (at, at);
        self.carry(joint, state, scene);
    }

    /// Turns every bone from where it began towards its points as they are, without time passing.
    fn aim_all(&self, state: &mut State, scene: &mut Scene<'_>) {
        for (i, link) in self.rest.links.iter().enumerate() {
            let joint = &self.rest.joints[link.joint as usize];
            if link.first {
                scene.pose[joint.bone as usize].rotation = state.begun[link.joint as usize];
                refresh_path(self.rest, joint, scene);
            }
            if joint.enabled {
                let head = head(joint, &scene.frames[joint.bone as usize], state);
                self.aim_at(joint, link, head, state.points[i], state, scene);
            } else {
                self.follow(i, link, state, scene);
            }
        }
    }

    /// Turns a bone towards a point, and moves the colliders along that hang on it.
    #[inline]
    fn aim_at(
        &self,
        joint: &JointRest,
        link: &Link,
        head: Vec3,
        point: Vec3,
        state: &mut State,
        scene: &mut Scene<'_>,
    ) {
        turn(joint, link, head, point, scene);
        self.carry(joint, state, scene);
    }

    #[inline]
    pub(super) fn carry(&self, joint: &JointRest, state: &mut State, scene: &mut Scene<'_>) {
        if joint.carried.is_empty() {
            return;
        }
        for bone in joint.below.of(&self.rest.bones) {
            scene.refresh(*bone);
        }
        for at in joint.carried.of(&self.rest.carried) {
            let collider = &scene.colliders[*at as usize];
            state.solids[*at as usize] = WorldCollider::plain(collider, &scene.frames[collider.bone as usize]);
        }
    }
}

/// Where a joint's own point is; roots follow the body.
#[inline]
fn head(joint: &JointRest, frame: &Frame, state: &State) -> Vec3 {
    if joint.above == NONE { frame.position } else { state.points[joint.above as usize] }
}

/// `at`, or where it was if that is nowhere.
#[inline]
pub(super) fn or_last(at: Vec3, last: Vec3) -> Vec3 {
    if at.is_finite() { at } else { last }
}

/// How much longer a bone is by scale, where that counts.
#[inline]
pub(super) fn stretch(link: &Link, frame: &Frame, system: System) -> f32 {
    if !(system.scaled && frame.scaled) {
        return 1.0;
    }
    (frame.linear() * link.axis).length()
}

/// Turns a bone by the shortest arc, so that a link's end, seen from `head`, is in the direction of `tip`.
#[inline]
pub(super) fn turn(joint: &JointRest, link: &Link, head: Vec3, tip: Vec3, scene: &mut Scene<'_>) {
    let bone = joint.bone as usize;
    let frame = &scene.frames[bone];
    let (position, scaled) = (frame.position, frame.scaled);
    let Some(arc) = arc_between(frame.rotation * link.axis, tip - head) else { return };
    let turned: Quat = unit_again(arc * frame.rotation);
    let rotation = scene.parent_frame(scene.parents[bone]).rotation.inverse() * turned;
    if !rotation.is_finite() {
        return;
    }
    scene.pose[bone].rotation = rotation;
    if scaled {
        scene.frames[bone] = scene.parent_frame(scene.parents[bone]).child_at(&scene.pose[bone], position);
    } else {
        scene.frames[bone].place(turned, position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rate: f32, frames: f32, expected: u32) {
        let mut owed = 0.0;
        let taken: u32 = (0..(frames * 10.0) as u32).map(|_| steps(&mut owed, rate, 1.0 / frames).0).sum();
        assert_eq!(taken, expected, "{rate} steps and {frames} frames a second");
    }

    #[test]
    fn fixed_steps_are_as_many_whatever_the_frames() {
        for frames in [24.0, 30.0, 60.0, 144.0, 240.0] {
            check(60.0, frames, 600);
            check(90.0, frames, 900);
        }
    }

    #[test]
    fn without_a_rate_each_frame_that_lasts_is_a_step() {
        check(0.0, 144.0, 1440);
        assert_eq!(steps(&mut 0.0, 0.0, 0.0).0, 0);
        assert_eq!(steps(&mut 0.0, 60.0, 1e6).0, MOST_STEPS);
    }
}
