//! The improved mode: wraps Unity's step.
//!
//! The improved mode adds steps that do not depend on the frame rate, partial root motion, pauses without jumps,
//! warm-up and fade-in.
//!
//! Root motion is measured from step to step at the root of each chain, which is the parent of its first joint.
//! Limits of root motion are speeds, so the frame rate does not matter. The part of the motion
//! that tips do not feel moves them rigidly.

use super::params::ImprovedParams;
use super::step::{self, StepContext};
use super::{JointRest, Params, Rest, State, System, WARM_UP};
use crate::Workload;
use crate::step_pose::StepPose;
use crate::workload::{MAX_FIXED_STEPS, MAX_WARM_UP_VISITS, VISITS_PER_JOINT, take_fixed_steps};
use glam::{Quat, Vec3};

/// Clocks that all joints share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SimulationClock {
    /// Seconds that no step has simulated yet.
    accumulator: f64,
    since_last_step: f32,
    /// Seconds since the start or the last reset.
    since_reset: f32,
    /// Whether a frame has run since the start or the last reset.
    pub(super) started: bool,
    /// Whether `chain_roots` holds the roots of the last step.
    pub(super) roots_known: bool,
    /// Whether this step applies root motion.
    apply_root_motion: bool,
}

impl SimulationClock {
    /// Records a frame that ran in Unity-accurate mode.
    pub(super) fn advance_unimproved(&mut self, dt: f32) {
        *self = Self { started: true, since_reset: self.since_reset + dt, ..Self::default() };
    }
}

pub(super) fn solve(
    rest: &Rest,
    params: &[Params],
    system: &System,
    improved: &ImprovedParams,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    dt: f32,
) {
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    let h = step::step_seconds(system, dt);
    let weight = if improved.fade_in > 0.0 { (state.clock.since_reset / improved.fade_in).min(1.0) } else { 1.0 };
    if system.paused {
        pause(rest, system, improved, state, step_pose, weight);
        return;
    }
    state.clock.since_reset += dt;
    state.clock.since_last_step += dt;
    let context = StepContext { rest, params, system, improved, step_seconds: h, weight };
    if !std::mem::replace(&mut state.clock.started, true) {
        for _ in 0..warm_up_steps(rest, improved) {
            state.clock.apply_root_motion = true;
            context.step_joints::<true>(state, step_pose);
            state.clock.roots_known = true;
        }
    }
    let steps = if improved.fixed_step && system.step_rate > 0.0 {
        take_fixed_steps(&mut state.clock.accumulator, dt, h)
    } else {
        1
    };
    if steps == 0 {
        step::point_all_joints(rest, system, state, step_pose, weight);
    }
    for at in 0..steps {
        state.clock.apply_root_motion = at == 0;
        context.step_joints::<true>(state, step_pose);
        (state.clock.roots_known, state.clock.since_last_step) = (true, 0.0);
    }
}

/// Number of warm-up steps, clamped to the budget for warm-ups.
fn warm_up_steps(rest: &Rest, improved: &ImprovedParams) -> u32 {
    improved.warm_up.min((MAX_WARM_UP_VISITS / visits(rest).max(1)) as u32)
}

/// Number of joints and colliders that one step processes, weighted by cost.
fn visits(rest: &Rest) -> u64 {
    VISITS_PER_JOINT * rest.joints.len() as u64 + rest.colliders.len() as u64
}

pub(super) fn work(rest: &Rest, system: &System, dt: f32) -> Workload {
    let visits = visits(rest);
    let Some(better) = system.improved.as_ref() else { return Workload::new(visits) };
    let paced = better.fixed_step && system.step_rate > 0.0;
    let steps = if paced { ((dt / step::step_seconds(system, dt)).ceil() as u32).clamp(1, MAX_FIXED_STEPS) } else { 1 };
    Workload::new(u64::from(steps) * visits).with_reduction(0, WARM_UP, better.warm_up, warm_up_steps(rest, better))
}

/// Pauses the simulation. Tips stay where they are in the world as in Unity, or move along with the character.
fn pause(
    rest: &Rest,
    system: &System,
    improved: &ImprovedParams,
    state: &mut State,
    step_pose: &mut StepPose<'_>,
    weight: f32,
) {
    if improved.carry_tips_on_pause {
        for (i, joint) in rest.joints.iter().enumerate() {
            step_pose.refresh(joint.bone);
            step::snap_tip_to_pose(i, joint, state, step_pose);
            step::refresh_below(rest, joint, step_pose);
        }
        state.clock.roots_known = false;
    } else {
        step::point_all_joints(rest, system, state, step_pose, weight);
    }
}

impl State {
    /// Moves a joint's tip along with the part of the root motion that the tip does not feel.
    pub(super) fn carry_tip_with_root(
        &mut self,
        i: usize,
        joint: &JointRest,
        context: &StepContext<'_>,
        step_pose: &StepPose<'_>,
    ) {
        if !self.clock.apply_root_motion {
            return;
        }
        let chain = joint.chain as usize;
        if joint.is_chain_start {
            let parent = step_pose.parent_frame(joint.parent);
            let now = RootPose { bone: joint.parent, position: parent.position, rotation: parent.rotation };
            let before = std::mem::replace(&mut self.chain_roots[chain], now);
            self.root_motions[chain] = if self.clock.roots_known {
                RootMotion::unfelt_between(&before, &now, context.improved, self.clock.since_last_step)
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

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RootPose {
    /// Bone of the root, or `NO_PARENT`.
    pub(super) bone: u32,
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
}

/// A rigid motion about a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RootMotion {
    pivot: Vec3,
    rotation: Quat,
    translation: Vec3,
}

impl RootMotion {
    pub(super) const NONE: Self = Self { pivot: Vec3::ZERO, rotation: Quat::IDENTITY, translation: Vec3::ZERO };

    pub(super) fn apply(&self, point: Vec3) -> Vec3 {
        self.pivot + self.rotation * (point - self.pivot) + self.translation
    }

    /// The part of the motion from `before` to `now` that tips do not feel. The motion took `dt` seconds.
    pub(super) fn unfelt_between(before: &RootPose, now: &RootPose, improved: &ImprovedParams, dt: f32) -> Self {
        let shift = now.position - before.position;
        let turn = (now.rotation * before.rotation.inverse()).normalize();
        // Of the two quaternions for the same rotation, uses the one with the shorter path.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let (distance, degrees) = (shift.length(), 2.0 * libm::atan2f(turn.xyz().length(), turn.w).to_degrees());
        let jumped = improved.teleport.is_some_and(|[speed, turn]| distance > speed * dt || degrees > turn * dt);
        let felt = |way: f32, limit: Option<f32>| match limit {
            _ if jumped => 0.0,
            Some(speed) if way > speed * dt => speed * dt / way * improved.inertia,
            _ => improved.inertia,
        };
        let (shift_felt, turn_felt) = (felt(distance, improved.slide_limit), felt(degrees, improved.turn_limit));
        let carry = Self {
            pivot: before.position,
            rotation: scaled_rotation(turn, 1.0 - turn_felt),
            translation: shift * (1.0 - shift_felt),
        };
        let nothing = (shift_felt >= 1.0 || distance == 0.0) && (turn_felt >= 1.0 || degrees == 0.0);
        if nothing || !(carry.rotation.is_finite() && carry.translation.is_finite()) { Self::NONE } else { carry }
    }
}

/// A share of a rotation, from 0 to 1.
fn scaled_rotation(turn: Quat, part: f32) -> Quat {
    if part >= 1.0 {
        return turn;
    }
    let half = libm::atan2f(turn.xyz().length(), turn.w) * part;
    let axis = turn.xyz().normalize_or_zero() * libm::sinf(half);
    Quat::from_xyzw(axis.x, axis.y, axis.z, libm::cosf(half))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 1.0 / 60.0;

    fn full_inertia() -> ImprovedParams {
        ImprovedParams { inertia: 1.0, ..ImprovedParams::default() }
    }

    fn root(x: f32, degrees: f32) -> RootPose {
        RootPose { bone: 0, position: Vec3::new(x, 1.0, 0.0), rotation: Quat::from_rotation_y(degrees.to_radians()) }
    }

    /// Final position of a tip that starts one metre below and half a metre in front of the root.
    fn carried_tip(better: &ImprovedParams, now: &RootPose) -> Vec3 {
        RootMotion::unfelt_between(&root(0.0, 0.0), now, better, DT).apply(Vec3::new(0.0, 0.0, 0.5))
    }

    #[track_caller]
    fn check_root_motion(better: &ImprovedParams, now: &RootPose, expected: [f32; 3]) {
        let found = carried_tip(better, now);
        assert!((found - Vec3::from(expected)).length() < 1e-5, "{found}");
    }

    #[test]
    fn by_default_tips_feel_all_root_motion() {
        assert_eq!(
            RootMotion::unfelt_between(&root(0.0, 0.0), &root(0.4, 50.0), &full_inertia(), DT),
            RootMotion::NONE
        );
    }

    #[test]
    fn a_teleport_carries_tips_rigidly() {
        let better = ImprovedParams { teleport: Some([60.0, 3600.0]), ..full_inertia() };
        check_root_motion(&better, &root(0.9, 0.0), [0.0, 0.0, 0.5]);
        check_root_motion(&better, &root(2.0, 0.0), [2.0, 0.0, 0.5]);
        check_root_motion(&better, &root(0.0, 90.0), [0.5, 0.0, 0.0]);
        check_root_motion(&better, &root(0.0, 50.0), [0.0, 0.0, 0.5]);
    }

    #[test]
    fn motion_above_a_speed_limit_carries_tips_and_the_rest_is_felt() {
        let slide = ImprovedParams { slide_limit: Some(6.0), ..full_inertia() };
        check_root_motion(&slide, &root(0.05, 0.0), [0.0, 0.0, 0.5]);
        check_root_motion(&slide, &root(0.25, 0.0), [0.15, 0.0, 0.5]);
        let turn = ImprovedParams { turn_limit: Some(1800.0), ..full_inertia() };
        let half = 30.0_f32.to_radians();
        check_root_motion(&turn, &root(0.0, 60.0), [0.5 * libm::sinf(half), 0.0, 0.5 * libm::cosf(half)]);
    }

    #[test]
    fn low_inertia_carries_tips_by_a_share_of_every_motion() {
        let better = ImprovedParams { inertia: 0.25, ..ImprovedParams::default() };
        check_root_motion(&better, &root(0.2, 0.0), [0.15, 0.0, 0.5]);
        let most = 30.0_f32.to_radians();
        check_root_motion(&better, &root(0.0, 40.0), [0.5 * libm::sinf(most), 0.0, 0.5 * libm::cosf(most)]);
    }
}
