//! Reports the tips of bodies to the probe.
//!
//! Forces and constraints change velocities, so the tip of a body counts as being where the current velocity takes it
//! until the end of the step.

use super::{BodyPose, BodyVelocity, Params, Rest, State, System};
use crate::probe::{Probe, TipPart};
use glam::{Vec3, Vec3A};

/// The probe of a system, with the data that tips follow from.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyProbe<'a> {
    pub rest: &'a Rest,
    pub params: &'a [Params],
    pub system: &'a System,
    pub probe: Probe<'a>,
}

/// Receives reports during a step. Generic, because a test for the probe at each report of the velocity solve would
/// cost 6 % of the step.
pub(super) trait StepProbe: Copy {
    const IS_ON: bool;

    /// Reports where body `i` will be after `seconds` at the velocity `motion`.
    fn reach_moving(self, part: TipPart, state: &State, i: usize, motion: BodyVelocity, seconds: f32);

    /// Reports that body `i` is in the pose `place`.
    fn reach(self, part: TipPart, state: &State, i: usize, place: BodyPose);

    /// Reports where all bodies are.
    fn reach_all(self, part: TipPart, state: &State);
}

/// Ignores all reports.
#[derive(Clone, Copy, Debug)]
pub(super) struct NoProbe;

impl StepProbe for NoProbe {
    const IS_ON: bool = false;

    #[inline]
    fn reach_moving(self, _: TipPart, _: &State, _: usize, _: BodyVelocity, _: f32) {}

    #[inline]
    fn reach(self, _: TipPart, _: &State, _: usize, _: BodyPose) {}

    #[inline]
    fn reach_all(self, _: TipPart, _: &State) {}
}

impl BodyProbe<'_> {
    /// Tip of body `i` in the pose `place`, in metres in the world.
    fn tip(&self, state: &State, i: usize, place: BodyPose) -> Vec3 {
        let (center, _) = self.system.center_and_joint(self.params[i].joint_offset, state.anchors[i].scale);
        (place.center + place.rotation * (Vec3A::from(self.rest.joints[i].tip_offset) - center)).into()
    }
}

impl StepProbe for BodyProbe<'_> {
    const IS_ON: bool = true;

    #[cold]
    #[inline(never)]
    fn reach_moving(self, part: TipPart, state: &State, i: usize, motion: BodyVelocity, seconds: f32) {
        let place = if self.rest.joints[i].enabled {
            state.body_poses[i].moved_by(motion, seconds)
        } else {
            state.body_poses[i]
        };
        self.probe.reach(i, part, self.tip(state, i, place));
    }

    #[cold]
    #[inline(never)]
    fn reach(self, part: TipPart, state: &State, i: usize, place: BodyPose) {
        self.probe.reach(i, part, self.tip(state, i, place));
    }

    #[cold]
    #[inline(never)]
    fn reach_all(self, part: TipPart, state: &State) {
        (0..self.rest.joints.len()).for_each(|i| self.reach(part, state, i, state.body_poses[i]));
    }
}
