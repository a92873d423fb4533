//! The tip positions and bone rotations of a simulated motion.

use super::{MotionDifference, RecordedMotion};
use glam::{Quat, Vec3};
use std::ops::{ControlFlow, Range};
use yuremono_sim::math::rotation_angle;
use yuremono_sim::rig::{BoneId, Pose};
use yuremono_sim::{StepInput, World};

/// The number of ticks between checks for cancellation.
const TICKS_PER_CANCEL_CHECK: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedTip {
    pub(super) bone: BoneId,
    /// The offset from the bone's head in the bone's space, in metres.
    pub(super) tip_offset: Vec3,
}

/// Positions and rotations. All ticks of a bone are contiguous.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MotionTrace {
    ticks: usize,
    tip_positions: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl MotionTrace {
    /// Simulates a world from rest. `progress` can cancel the simulation.
    pub(super) fn record(
        mut world: World,
        motion: &RecordedMotion,
        tracked: &[TrackedTip],
        progress: &dyn Fn() -> ControlFlow<()>,
    ) -> ControlFlow<(), Self> {
        let ticks = motion.poses.len();
        let mut trace = Self {
            ticks,
            tip_positions: vec![Vec3::ZERO; ticks * tracked.len()],
            rotations: vec![Quat::IDENTITY; ticks * tracked.len()],
        };
        let mut pose = Pose::rest(world.skeleton());
        let Some(first) = motion.poses.first() else { return ControlFlow::Continue(trace) };
        copy_pose(first, &mut pose);
        world.reset(&pose);
        for tick in 0..motion.settle_ticks() + ticks {
            if tick % TICKS_PER_CANCEL_CHECK == 0 {
                progress()?;
            }
            let at = tick.checked_sub(motion.settle_ticks());
            copy_pose(&motion.poses[at.unwrap_or(0)], &mut pose);
            world.step(&StepInput { pose: &pose, grab: None, dt: motion.tick_seconds });
            if let Some(at) = at {
                trace.record_tick(&world, tracked, at);
            }
        }
        ControlFlow::Continue(trace)
    }

    fn record_tick(&mut self, world: &World, tracked: &[TrackedTip], tick: usize) {
        for (i, TrackedTip { bone, tip_offset: tip }) in tracked.iter().enumerate() {
            let frame = &world.frames().frames[bone.index()];
            self.tip_positions[i * self.ticks + tick] = frame.position + frame.rotation * *tip;
            self.rotations[i * self.ticks + tick] = frame.rotation;
        }
    }

    /// The position errors of some tips at every `stride`-th tick, with three components per error, in metres. `pairs`
    /// has the index of each tip in this trace and in `wanted`.
    pub(super) fn tip_errors(
        &self,
        wanted: &Self,
        pairs: impl ExactSizeIterator<Item = (usize, usize)>,
        stride: usize,
    ) -> Vec<f32> {
        let mut errors = Vec::with_capacity(pairs.len() * self.ticks.div_ceil(stride) * 3);
        for (own, other) in pairs {
            let positions = self.tip_positions[self.tick_range(own)].iter().step_by(stride);
            let others = wanted.tip_positions[self.tick_range(other)].iter().step_by(stride);
            positions.zip(others).for_each(|(own, other)| errors.extend_from_slice(&(*own - *other).to_array()));
        }
        errors
    }

    /// Whether some bones move alike, bit for bit. `pairs` has the index of each bone in this trace and in `other`.
    pub(super) fn moves_like(&self, other: &Self, mut pairs: impl Iterator<Item = (usize, usize)>) -> bool {
        pairs.all(|(own, theirs)| {
            let (own, theirs) = (self.tick_range(own), self.tick_range(theirs));
            self.tip_positions[own.clone()] == other.tip_positions[theirs.clone()]
                && self.rotations[own] == other.rotations[theirs]
        })
    }

    /// The difference over some bones.
    pub(super) fn difference(&self, wanted: &Self, tracked: impl Iterator<Item = usize>) -> MotionDifference {
        let (mut metres, mut degrees, mut count) = (0.0_f64, 0.0_f64, 0_u32);
        let (mut max_metres, mut max_degrees) = (0.0_f32, 0.0_f32);
        for at in tracked.flat_map(|i| self.tick_range(i)) {
            let squared = self.tip_positions[at].distance_squared(wanted.tip_positions[at]);
            metres += f64::from(squared);
            let turn = rotation_angle(self.rotations[at], wanted.rotations[at]).to_degrees();
            degrees += f64::from(turn * turn);
            (max_metres, max_degrees) = (max_metres.max(squared.sqrt()), max_degrees.max(turn));
            count += 1;
        }
        let mean = |sum: f64| (sum / f64::from(count.max(1))).sqrt() as f32;
        MotionDifference { metres: mean(metres), degrees: mean(degrees), max_metres, max_degrees }
    }

    fn tick_range(&self, tracked: usize) -> Range<usize> {
        tracked * self.ticks..(tracked + 1) * self.ticks
    }
}

/// Copies the bones of the file into a pose with helpers.
fn copy_pose(from: &Pose, onto: &mut Pose) {
    onto.local.iter_mut().zip(&from.local).for_each(|(own, given)| *own = *given);
}
