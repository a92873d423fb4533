//! A frame of the better way, built round the engine's own step.
//!
//! Beside what the step itself looks at (limits, lengths, shapes, speed of tips): a pace that the player's frame rate
//! does not change, movements of the character that are felt in part, pauses without kicks, warm-up and fade-in.

use super::bake::ImprovedParams;
use super::root_motion::{RootMotion, RootPose};
use super::step::{self, StepContext};
use super::{JointRest, Params, Rest, State, System, WARM_UP};
use crate::sim::Workload;
use crate::sim::scene::Scene;
use crate::sim::workload::{MAX_WARM_UP_VISITS, VISITS_PER_JOINT};

/// More steps than this are not taken in one frame; time beyond them is dropped.
pub(super) const MAX_STEPS: u32 = 20;

/// What of time is no joint's own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SimulationClock {
    /// Seconds that frames have brought and steps have not used yet.
    accumulator: f64,
    /// Seconds since the last step.
    since_last_step: f32,
    /// Seconds since the start or the last reset.
    since_reset: f32,
    /// Whether there has been a frame since.
    pub(super) started: bool,
    /// Whether the roots' places are those of the last step.
    pub(super) roots_known: bool,
    /// Whether the movement of roots counts in this step.
    apply_root_motion: bool,
}

impl SimulationClock {
    /// How many steps of `h` seconds a frame of `dt` takes.
    fn take_steps(&mut self, dt: f32, h: f32) -> u32 {
        // A frame that should be as long as a step may be shorter by rounding.
        const NEARLY: f64 = 1.0 - 1e-4;
        let h = f64::from(h);
        self.accumulator += f64::from(dt);
        let mut steps = 0;
        while self.accumulator >= h * NEARLY && steps < MAX_STEPS {
            self.accumulator -= h;
            steps += 1;
        }
        if self.accumulator >= h {
            self.accumulator = 0.0;
        }
        steps
    }

    /// A frame that the engine's way took.
    pub(super) fn advance_unimproved(&mut self, dt: f32) {
        *self = Self { started: true, since_reset: self.since_reset + dt, ..Self::default() };
    }
}

/// One frame of `dt` seconds.
pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    improved: &ImprovedParams,
    state: &mut State,
    scene: &mut Scene<'_>,
    dt: f32,
) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let h = step::step_seconds(system, dt);
    let weight = if improved.fade_in > 0.0 { (state.clock.since_reset / improved.fade_in).min(1.0) } else { 1.0 };
    if system.paused {
        pause(rest, system, improved, state, scene, weight);
        return;
    }
    state.clock.since_reset += dt;
    state.clock.since_last_step += dt;
    let job = StepContext { rest, params, system, improved, step_seconds: h, weight };
    if !std::mem::replace(&mut state.clock.started, true) {
        for _ in 0..warm_up_steps(rest, improved) {
            state.clock.apply_root_motion = true;
            job.step_joints::<true>(state, scene);
            state.clock.roots_known = true;
        }
    }
    let steps = if improved.fixed_step && system.step_rate > 0.0 { state.clock.take_steps(dt, h) } else { 1 };
    if steps == 0 {
        step::point_all_joints(rest, system, state, scene, weight);
    }
    for at in 0..steps {
        state.clock.apply_root_motion = at == 0;
        job.step_joints::<true>(state, scene);
        (state.clock.roots_known, state.clock.since_last_step) = (true, 0.0);
    }
}

/// As many as the bound on the work of warm-ups allows.
fn warm_up_steps(rest: &Rest, improved: &ImprovedParams) -> u32 {
    improved.warm_up.min((MAX_WARM_UP_VISITS / visits(rest).max(1)) as u32)
}

/// Visits of one step.
fn visits(rest: &Rest) -> u64 {
    VISITS_PER_JOINT * rest.joints.len() as u64 + rest.colliders.len() as u64
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Workload {
    let visits = visits(rest);
    let Some(better) = system.improved.as_ref() else { return Workload::new(visits) };
    let paced = better.fixed_step && system.step_rate > 0.0;
    let steps = if paced { ((dt / step::step_seconds(system, dt)).ceil() as u32).clamp(1, MAX_STEPS) } else { 1 };
    Workload::new(u64::from(steps) * visits).with_reduction(0, WARM_UP, better.warm_up, warm_up_steps(rest, better))
}

/// Time stands still: as in the engine tips stay in the world, or else they go where the character takes them.
fn pause(
    rest: &Rest,
    system: &System,
    improved: &ImprovedParams,
    state: &mut State,
    scene: &mut Scene<'_>,
    weight: f32,
) {
    if improved.carry_tips_on_pause {
        for (i, joint) in rest.joints.iter().enumerate() {
            scene.refresh(joint.bone);
            step::snap_tip_to_pose(i, joint, state, scene);
            step::refresh_below(rest, joint, scene);
        }
        state.clock.roots_known = false;
    } else {
        step::point_all_joints(rest, system, state, scene, weight);
    }
}

impl State {
    /// Before its step, takes a joint's tip along with what of the root's movement is not to be felt.
    pub(super) fn carry_tip_with_root(
        &mut self,
        i: usize,
        joint: &JointRest,
        job: &StepContext<'_>,
        scene: &Scene<'_>,
    ) {
        if !self.clock.apply_root_motion {
            return;
        }
        let chain = joint.chain as usize;
        if joint.is_chain_start {
            let parent = scene.parent_frame(joint.parent);
            let now = RootPose { bone: joint.parent, position: parent.position, rotation: parent.rotation };
            let before = std::mem::replace(&mut self.chain_roots[chain], now);
            self.root_motions[chain] = if self.clock.roots_known {
                RootMotion::unfelt_between(&before, &now, job.improved, self.clock.since_last_step)
            } else {
                RootMotion::NONE
            };
        }
        let carry = self.root_motions[chain];
        if carry != RootMotion::NONE {
            self.tips[i] = carry.apply(self.tips[i]);
            self.previous[i] = carry.apply(self.previous[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rate: f32, frames: f32, seconds: f32, expected: u32) {
        let mut clock = SimulationClock::default();
        let count = (frames * seconds) as u32;
        let taken: u32 = (0..count).map(|_| clock.take_steps(1.0 / frames, 1.0 / rate)).sum();
        assert_eq!(taken, expected, "{rate} steps and {frames} frames a second");
    }

    #[test]
    fn the_count_of_steps_does_not_depend_on_the_frame_rate() {
        for frames in [24.0, 30.0, 50.0, 60.0, 144.0, 240.0] {
            check(60.0, frames, 10.0, 600);
            check(90.0, frames, 10.0, 900);
        }
    }

    #[test]
    fn a_frame_as_long_as_a_step_takes_exactly_one() {
        let mut clock = SimulationClock::default();
        assert!((0..100_000).all(|_| clock.take_steps(1.0 / 60.0, 1.0 / 60.0) == 1));
    }

    #[test]
    fn time_beyond_the_step_limit_is_dropped() {
        let mut clock = SimulationClock::default();
        assert_eq!(clock.take_steps(100.0, 1.0 / 60.0), MAX_STEPS);
        assert_eq!(clock.take_steps(0.0, 1.0 / 60.0), 0);
    }
}
