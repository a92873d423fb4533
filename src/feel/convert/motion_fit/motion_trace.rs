//! What joints do while a character moves: where their tips go and how their bones turn.

use super::{MotionDifference, RecordedMotion};
use crate::rig::{BoneId, Pose};
use crate::sim::{StepInput, World};
use glam::{Quat, Vec3};
use std::ops::{ControlFlow, Range};

/// Ticks between two questions whether to go on.
const TICKS_PER_CANCEL_CHECK: usize = 8;

/// A point on a bone that is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackedTip {
    pub(super) bone: BoneId,
    /// From the bone's head, in its own turning space, metres.
    pub(super) tip_offset: Vec3,
}

/// Tips and turns of watched bones, all ticks of one bone side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MotionTrace {
    ticks: usize,
    tip_positions: Vec<Vec3>,
    rotations: Vec<Quat>,
}

impl MotionTrace {
    /// Moves a world that stands at rest; `hear` is asked often and may break off.
    pub(super) fn record(
        mut world: World,
        take: &RecordedMotion,
        watched: &[TrackedTip],
        hear: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Self> {
        let ticks = take.poses.len();
        let mut trace = Self {
            ticks,
            tip_positions: vec![Vec3::ZERO; ticks * watched.len()],
            rotations: vec![Quat::IDENTITY; ticks * watched.len()],
        };
        let mut pose = Pose::rest(world.skeleton());
        let Some(first) = take.poses.first() else { return ControlFlow::Continue(trace) };
        copy_pose(first, &mut pose);
        world.reset(&pose);
        for tick in 0..take.settle_ticks() + ticks {
            if tick % TICKS_PER_CANCEL_CHECK == 0 {
                hear()?;
            }
            let at = tick.checked_sub(take.settle_ticks());
            copy_pose(&take.poses[at.unwrap_or(0)], &mut pose);
            world.step(&StepInput { pose: &pose, grab: None, dt: take.tick_seconds });
            if let Some(at) = at {
                trace.record_tick(&world, watched, at);
            }
        }
        ControlFlow::Continue(trace)
    }

    fn record_tick(&mut self, world: &World, watched: &[TrackedTip], tick: usize) {
        for (i, TrackedTip { bone, tip_offset: tip }) in watched.iter().enumerate() {
            let frame = &world.frames().frames[bone.index()];
            self.tip_positions[i * self.ticks + tick] = frame.position + frame.rotation * *tip;
            self.rotations[i * self.ticks + tick] = frame.rotation;
        }
    }

    /// By how much tips of some watched bones are off, every `stride` ticks; metres, three numbers each.
    pub(super) fn tip_errors(&self, wanted: &Self, watched: &[usize], stride: usize) -> Vec<f32> {
        let tips = watched.iter().flat_map(|i| self.tick_range(*i).step_by(stride));
        tips.flat_map(|at| (self.tip_positions[at] - wanted.tip_positions[at]).to_array()).collect()
    }

    /// Root mean square of what some watched bones differ by.
    pub(super) fn difference(&self, wanted: &Self, watched: impl Iterator<Item = usize>) -> MotionDifference {
        let (mut metres, mut degrees, mut count) = (0.0_f64, 0.0_f64, 0_u32);
        for at in watched.flat_map(|i| self.tick_range(i)) {
            metres += f64::from(self.tip_positions[at].distance_squared(wanted.tip_positions[at]));
            let turn = rotation_angle(self.rotations[at], wanted.rotations[at]).to_degrees();
            degrees += f64::from(turn * turn);
            count += 1;
        }
        let mean = |sum: f64| (sum / f64::from(count.max(1))).sqrt() as f32;
        MotionDifference { metres: mean(metres), degrees: mean(degrees) }
    }

    fn tick_range(&self, watched: usize) -> Range<usize> {
        watched * self.ticks..(watched + 1) * self.ticks
    }
}

/// Radians; of small turns too.
fn rotation_angle(a: Quat, b: Quat) -> f32 {
    let turn = a.inverse() * b;
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

/// Lays the file's bones over a pose that has helpers too.
fn copy_pose(from: &Pose, onto: &mut Pose) {
    onto.local.iter_mut().zip(&from.local).for_each(|(own, given)| *own = *given);
}
