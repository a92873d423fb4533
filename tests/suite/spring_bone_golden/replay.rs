//! A recording replayed in a world.

use super::recording::{Change, Moment, Recording};
use glam::{DQuat, Quat};
use yuremono::rig::Pose;
use yuremono::sim::solver::spring_bone::IS_PAUSED;
use yuremono::sim::{JointIndex, StepInput, SystemSetup, World};

/// Worst distances from a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Off {
    /// Metres.
    pub(super) tip: f64,
    /// Degrees.
    pub(super) turn: f64,
}

impl Off {
    pub(super) fn worse(self, other: Self) -> Self {
        Self { tip: self.tip.max(other.tip), turn: self.turn.max(other.turn) }
    }

    pub(super) fn within(self, tip: f64, turn: f64) -> bool {
        self.tip <= tip && self.turn <= turn
    }
}

/// Makes another setup of the recorded one.
pub(super) type Alter<'a> = &'a dyn Fn(&mut SystemSetup);

pub(super) struct Replay<'a> {
    world: World,
    pose: Pose,
    recording: &'a Recording,
    setup: SystemSetup,
    alter: Alter<'a>,
    next: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(recording: &'a Recording, alter: Alter<'a>) -> Self {
        let setup = recording.setup.clone();
        let mut altered = setup.clone();
        alter(&mut altered);
        let world = World::build(&recording.skeleton, &[altered]);
        Self { world, pose: Pose::rest(&recording.skeleton), recording, setup, alter, next: 0 }
    }

    /// How far a world fresh from its setup is from the recorded start.
    pub(super) fn start(&self) -> Off {
        self.off(&self.recording.initial)
    }

    /// The next frame, from wherever the world is; how far it ends from the recording. `None` after the last.
    pub(super) fn frame(&mut self) -> Option<Off> {
        let frame = self.recording.frames.get(self.next)?;
        // Nothing animates a bone between two frames: its pose is its own last output.
        for joint in &self.setup.joints {
            self.pose.local[joint.bone.index()].rotation = self.world.pose().local[joint.bone.index()].rotation;
        }
        let mut switched = false;
        for change in &frame.set {
            switched |= self.change(change);
        }
        if switched {
            let mut altered = self.setup.clone();
            (self.alter)(&mut altered);
            self.world.bake(&[altered]);
        }
        self.world.step(&StepInput { pose: &self.pose, hold: None, dt: frame.dt });
        let off = self.off(&self.recording.output[self.next]);
        self.next += 1;
        Some(off)
    }

    /// The next frame, from where the recording was before it.
    pub(super) fn one_step(&mut self) -> Option<Off> {
        if let Some(before) = self.next.checked_sub(1) {
            let before = &self.recording.output[before];
            for (i, joint) in self.setup.joints.iter().enumerate() {
                self.world.place_tip(index(i), before.tip[i], before.previous[i]);
                self.world.place_bone(joint.bone, before.rotation[i]);
            }
        }
        self.frame()
    }

    /// Whether the setup has changed.
    fn change(&mut self, change: &Change) -> bool {
        match change {
            Change::Translate(bone, to) => self.pose.local[bone.index()].translation = *to,
            Change::Rotate(bone, to) => {
                self.pose.local[bone.index()].rotation = *to;
                self.world.place_bone(*bone, *to);
            }
            Change::Scale(bone, to) => self.pose.local[bone.index()].scale = *to,
            Change::Pause(on) => {
                self.setup.values.set(IS_PAUSED, f32::from(u8::from(*on)));
            }
            Change::Joint(at, on) => self.setup.joints[*at].enabled = *on,
            Change::Force(at, on) => self.setup.forces[*at].enabled = *on,
            Change::Collider(at, on) => self.setup.colliders[*at].enabled = *on,
            Change::Renderer(linked, on) => linked.iter().for_each(|at| self.setup.colliders[*at].renderer_on = *on),
        }
        !matches!(change, Change::Translate(..) | Change::Rotate(..) | Change::Scale(..))
    }

    fn off(&self, recorded: &Moment) -> Off {
        let mut worst = Off::default();
        for (i, joint) in self.setup.joints.iter().enumerate() {
            let tip = self.world.tip(index(i)).expect("a joint").distance(recorded.tip[i]);
            let tip = f64::from(tip);
            let turn = degrees(self.world.pose().local[joint.bone.index()].rotation, recorded.rotation[i]);
            assert!(tip.is_finite() && turn.is_finite(), "{}: not a number", self.recording.name);
            worst = worst.worse(Off { tip, turn });
        }
        worst
    }
}

fn index(joint: usize) -> JointIndex {
    JointIndex { system: 0, joint: joint as u32 }
}

/// Between two rotations. In f64 and by two arguments: an arc cosine of f32 sees nothing below 0.02 degrees.
fn degrees(a: Quat, b: Quat) -> f64 {
    let [a, b] = [a, b].map(|q| DQuat::from_array(q.to_array().map(f64::from)));
    let off = a * b.inverse();
    2.0 * off.xyz().length().atan2(off.w.abs()).to_degrees()
}
