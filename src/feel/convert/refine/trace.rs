//! What joints do while a character moves: where their tips go and how their bones turn.

use super::{Difference, Take};
use crate::rig::{BoneId, Pose};
use crate::sim::{StepInput, World};
use glam::{Quat, Vec3};
use std::ops::{ControlFlow, Range};

/// Ticks between two questions whether to go on.
const PATIENCE: usize = 8;

/// A point on a bone that is watched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    pub(super) bone: BoneId,
    /// From the bone's head, in its own turning space, metres.
    pub(super) tip: Vec3,
}

/// Tips and turns of watched bones, all ticks of one bone side by side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trace {
    ticks: usize,
    tips: Vec<Vec3>,
    turns: Vec<Quat>,
}

impl Trace {
    /// Moves a world that stands at rest; `hear` is asked often and may break off.
    pub(super) fn of(
        mut world: World,
        take: &Take,
        watched: &[Watched],
        hear: &mut dyn FnMut() -> ControlFlow<()>,
    ) -> ControlFlow<(), Self> {
        let ticks = take.poses.len();
        let mut trace = Self {
            ticks,
            tips: vec![Vec3::ZERO; ticks * watched.len()],
            turns: vec![Quat::IDENTITY; ticks * watched.len()],
        };
        let mut pose = Pose::rest(world.skeleton());
        let Some(first) = take.poses.first() else { return ControlFlow::Continue(trace) };
        lay(first, &mut pose);
        world.reset(&pose);
        for tick in 0..take.settle() + ticks {
            if tick % PATIENCE == 0 {
                hear()?;
            }
            let at = tick.checked_sub(take.settle());
            lay(&take.poses[at.unwrap_or(0)], &mut pose);
            world.step(&StepInput { pose: &pose, hold: None, dt: take.tick });
            if let Some(at) = at {
                trace.note(&world, watched, at);
            }
        }
        ControlFlow::Continue(trace)
    }

    fn note(&mut self, world: &World, watched: &[Watched], tick: usize) {
        for (i, Watched { bone, tip }) in watched.iter().enumerate() {
            let frame = &world.frames().frames[bone.index()];
            self.tips[i * self.ticks + tick] = frame.position + frame.rotation * *tip;
            self.turns[i * self.ticks + tick] = frame.rotation;
        }
    }

    /// By how much tips of some watched bones are off, every `stride` ticks; metres, three numbers each.
    pub(super) fn off(&self, wanted: &Self, watched: &[usize], stride: usize) -> Vec<f32> {
        let tips = watched.iter().flat_map(|i| self.ticks_of(*i).step_by(stride));
        tips.flat_map(|at| (self.tips[at] - wanted.tips[at]).to_array()).collect()
    }

    /// Root mean square of what some watched bones differ by.
    pub(super) fn difference(&self, wanted: &Self, watched: impl Iterator<Item = usize>) -> Difference {
        let (mut metres, mut degrees, mut count) = (0.0_f64, 0.0_f64, 0_u32);
        for at in watched.flat_map(|i| self.ticks_of(i)) {
            metres += f64::from(self.tips[at].distance_squared(wanted.tips[at]));
            let turn = turn_between(self.turns[at], wanted.turns[at]).to_degrees();
            degrees += f64::from(turn * turn);
            count += 1;
        }
        let mean = |sum: f64| (sum / f64::from(count.max(1))).sqrt() as f32;
        Difference { metres: mean(metres), degrees: mean(degrees) }
    }

    fn ticks_of(&self, watched: usize) -> Range<usize> {
        watched * self.ticks..(watched + 1) * self.ticks
    }
}

/// Radians; of small turns too.
fn turn_between(a: Quat, b: Quat) -> f32 {
    let turn = a.inverse() * b;
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

/// Lays the file's bones over a pose that has helpers too.
fn lay(from: &Pose, onto: &mut Pose) {
    onto.local.iter_mut().zip(&from.local).for_each(|(own, given)| *own = *given);
}
