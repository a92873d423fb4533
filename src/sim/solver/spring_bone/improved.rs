//! A frame of the better way, built round the engine's own step.
//!
//! Beside what the step itself looks at (limits, lengths, shapes, speed of tips): a pace that the player's frame rate
//! does not change, movements of the character that are felt in part, pauses without kicks, warm-up and fade-in.

use super::bake::Improved;
use super::carry::{Carry, Root};
use super::step::{self, Job};
use super::{JointRest, Params, Rest, State, System, WARM_UP};
use crate::sim::Work;
use crate::sim::scene::Scene;
use crate::sim::work::{JOINT, MOST_WARM_UP};

/// More steps than this are not taken in one frame; time beyond them is dropped.
pub(super) const MOST_STEPS: u32 = 20;

/// What of time is no joint's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    /// Seconds that frames have brought and steps have not used yet.
    owed: f64,
    /// Seconds since the last step.
    since: f32,
    /// Seconds since the start or the last reset.
    age: f32,
    /// Whether there has been a frame since.
    pub(super) started: bool,
    /// Whether the roots' places are those of the last step.
    pub(super) roots_known: bool,
    /// Whether the movement of roots counts in this step.
    roots_moved: bool,
}

impl Clock {
    /// How many steps of `h` seconds a frame of `dt` takes.
    fn steps(&mut self, dt: f32, h: f32) -> u32 {
        // A frame that should be as long as a step may be shorter by rounding.
        const NEARLY: f64 = 1.0 - 1e-4;
        let h = f64::from(h);
        self.owed += f64::from(dt);
        let mut steps = 0;
        while self.owed >= h * NEARLY && steps < MOST_STEPS {
            self.owed -= h;
            steps += 1;
        }
        if self.owed >= h {
            self.owed = 0.0;
        }
        steps
    }

    /// A frame that the engine's way took.
    pub(super) fn pass(&mut self, dt: f32) {
        *self = Self { started: true, age: self.age + dt, ..Self::default() };
    }
}

/// One frame of `dt` seconds.
pub(super) fn frame(
    rest: &Rest,
    params: &[Params],
    system: &System,
    better: &Improved,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let h = step::length(system, dt);
    let weight = if better.fade_in > 0.0 { (state.clock.age / better.fade_in).min(1.0) } else { 1.0 };
    if system.paused {
        pause(rest, system, better, state, scene, weight);
        return;
    }
    state.clock.age += dt;
    state.clock.since += dt;
    let job = Job { rest, params, system, better, h, weight };
    if !std::mem::replace(&mut state.clock.started, true) {
        for _ in 0..warm_up_steps(rest, better) {
            state.clock.roots_moved = true;
            job.step::<true>(state, scene);
            state.clock.roots_known = true;
        }
    }
    let steps = if better.steady_pace && system.rate > 0.0 { state.clock.steps(dt, h) } else { 1 };
    if steps == 0 {
        step::aim_all(rest, system, state, scene, weight);
    }
    for at in 0..steps {
        state.clock.roots_moved = at == 0;
        job.step::<true>(state, scene);
        (state.clock.roots_known, state.clock.since) = (true, 0.0);
    }
}

/// As many as the bound on the work of warm-ups allows.
fn warm_up_steps(rest: &Rest, better: &Improved) -> u32 {
    better.warm_up.min((MOST_WARM_UP / visits(rest).max(1)) as u32)
}

/// Visits of one step.
fn visits(rest: &Rest) -> u64 {
    JOINT * rest.joints.len() as u64 + rest.colliders.len() as u64
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Work {
    let visits = visits(rest);
    let Some(better) = system.improved.as_ref() else { return Work::of(visits) };
    let paced = better.steady_pace && system.rate > 0.0;
    let steps = if paced { ((dt / step::length(system, dt)).ceil() as u32).clamp(1, MOST_STEPS) } else { 1 };
    Work::of(u64::from(steps) * visits).with(0, WARM_UP, better.warm_up, warm_up_steps(rest, better))
}

/// Time stands still: as in the engine tips stay in the world, or else they go where the character takes them.
fn pause(rest: &Rest, system: &System, better: &Improved, state: &mut State, scene: &mut Scene<'_>, weight: f32) {
    if better.no_kicks {
        for (i, joint) in rest.joints.iter().enumerate() {
            scene.refresh(joint.bone);
            step::stand_still(i, joint, state, scene);
            step::refresh_below(rest, joint, scene);
        }
        state.clock.roots_known = false;
    } else {
        step::aim_all(rest, system, state, scene, weight);
    }
}

impl State {
    /// Before its step, takes a joint's tip along with what of the root's movement is not to be felt.
    pub(super) fn follow(&mut self, i: usize, joint: &JointRest, job: &Job<'_>, scene: &Scene<'_>) {
        if !self.clock.roots_moved {
            return;
        }
        let chain = joint.chain as usize;
        if joint.leads {
            let parent = scene.parent_frame(joint.parent);
            let now = Root { bone: joint.parent, position: parent.position, rotation: parent.rotation };
            let before = std::mem::replace(&mut self.roots[chain], now);
            self.carries[chain] = if self.clock.roots_known {
                Carry::between(&before, &now, job.better, self.clock.since)
            } else {
                Carry::NONE
            };
        }
        let carry = self.carries[chain];
        if carry != Carry::NONE {
            self.tips[i] = carry.point(self.tips[i]);
            self.previous[i] = carry.point(self.previous[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rate: f32, frames: f32, seconds: f32, expected: u32) {
        let mut clock = Clock::default();
        let count = (frames * seconds) as u32;
        let taken: u32 = (0..count).map(|_| clock.steps(1.0 / frames, 1.0 / rate)).sum();
        assert_eq!(taken, expected, "{rate} steps and {frames} frames a second");
    }

    #[test]
    fn a_second_has_as_many_steps_as_the_rate_says_whatever_the_frames() {
        for frames in [24.0, 30.0, 50.0, 60.0, 144.0, 240.0] {
            check(60.0, frames, 10.0, 600);
            check(90.0, frames, 10.0, 900);
        }
    }

    #[test]
    fn a_frame_as_long_as_a_step_takes_exactly_one() {
        let mut clock = Clock::default();
        assert!((0..100_000).all(|_| clock.steps(1.0 / 60.0, 1.0 / 60.0) == 1));
    }

    #[test]
    fn time_beyond_the_most_steps_is_dropped() {
        let mut clock = Clock::default();
        assert_eq!(clock.steps(100.0, 1.0 / 60.0), MOST_STEPS);
        assert_eq!(clock.steps(0.0, 1.0 / 60.0), 0);
    }
}
