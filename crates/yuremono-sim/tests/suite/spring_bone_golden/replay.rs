//! Replays a recording in a world.

use super::recording::{JointStates, Recording, SceneChange};
use glam::{DQuat, Quat};
use yuremono_sim::rig::Pose;
use yuremono_sim::solver::spring_bone::IS_PAUSED;
use yuremono_sim::{JointIndex, StepInput, SystemSetup, World};

/// The largest errors compared to a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxError {
    /// Metres.
    pub(super) tip: f64,
    /// Degrees.
    pub(super) rotation: f64,
}

impl MaxError {
    pub(super) fn max(self, other: Self) -> Self {
        Self { tip: self.tip.max(other.tip), rotation: self.rotation.max(other.rotation) }
    }

    pub(super) fn is_within(self, tip: f64, turn: f64) -> bool {
        self.tip <= tip && self.rotation <= turn
    }
}

/// Changes the recorded setup.
pub(super) type AlterSetup<'a> = &'a dyn Fn(&mut SystemSetup);

pub(super) struct Replay<'a> {
    world: World,
    pose: Pose,
    recording: &'a Recording,
    setup: SystemSetup,
    alter: AlterSetup<'a>,
    next_frame: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(recording: &'a Recording, alter: AlterSetup<'a>) -> Self {
        let setup = recording.setup.clone();
        let mut altered = setup.clone();
        alter(&mut altered);
        let world = World::build(&recording.skeleton, &[altered]);
        Self { world, pose: Pose::rest(&recording.skeleton), recording, setup, alter, next_frame: 0 }
    }

    /// Returns the error between a world built from the setup and the recorded start.
    pub(super) fn start_error(&self) -> MaxError {
        self.error_to(&self.recording.initial)
    }

    /// Replays the next frame. Returns the error compared to the recording, or `None` after the last frame.
    pub(super) fn step_frame(&mut self) -> Option<MaxError> {
        let frame = self.recording.frames.get(self.next_frame)?;
        // The pose of a bone without animation is the bone's previous output.
        for joint in &self.setup.joints {
            self.pose.local[joint.bone.index()].rotation = self.world.pose().local[joint.bone.index()].rotation;
        }
        let mut switched = false;
        for change in &frame.changes {
            switched |= self.apply_change(change);
        }
        if switched {
            let mut altered = self.setup.clone();
            (self.alter)(&mut altered);
            self.world.bake(&[altered]);
        }
        self.world.step(&StepInput { pose: &self.pose, grab: None, dt: frame.dt });
        let off = self.error_to(&self.recording.output[self.next_frame]);
        self.next_frame += 1;
        Some(off)
    }

    /// Steps the next frame, starting from the recorded state of the previous frame.
    pub(super) fn step_from_recorded_state(&mut self) -> Option<MaxError> {
        if let Some(before) = self.next_frame.checked_sub(1) {
            let before = &self.recording.output[before];
            for (i, joint) in self.setup.joints.iter().enumerate() {
                self.world.set_tip(joint_index(i), before.tip[i], before.previous[i]);
                self.world.set_bone_rotation(joint.bone, before.rotation[i]);
            }
        }
        self.step_frame()
    }

    /// Applies a change, and returns whether the setup has changed.
    fn apply_change(&mut self, change: &SceneChange) -> bool {
        match change {
            SceneChange::Translate(bone, to) => self.pose.local[bone.index()].translation = *to,
            SceneChange::Rotate(bone, to) => {
                self.pose.local[bone.index()].rotation = *to;
                self.world.set_bone_rotation(*bone, *to);
            }
            SceneChange::Scale(bone, to) => self.pose.local[bone.index()].scale = *to,
            SceneChange::Pause(on) => {
                self.setup.values.set(IS_PAUSED, f32::from(u8::from(*on)));
            }
            SceneChange::Joint(at, on) => self.setup.joints[*at].enabled = *on,
            SceneChange::Force(at, on) => self.setup.forces[*at].enabled = *on,
            SceneChange::Collider(at, on) => self.setup.colliders[*at].enabled = *on,
            SceneChange::Renderer(linked, on) => {
                for at in linked {
                    self.setup.colliders[*at].renderer_on = *on;
                }
            }
        }
        !matches!(change, SceneChange::Translate(..) | SceneChange::Rotate(..) | SceneChange::Scale(..))
    }

    fn error_to(&self, recorded: &JointStates) -> MaxError {
        let mut worst = MaxError::default();
        for (i, joint) in self.setup.joints.iter().enumerate() {
            let tip = self.world.tip(joint_index(i)).expect("a joint").distance(recorded.tip[i]);
            let tip = f64::from(tip);
            let turn =
                angle_between_degrees(self.world.pose().local[joint.bone.index()].rotation, recorded.rotation[i]);
            assert!(tip.is_finite() && turn.is_finite(), "{}: not a number", self.recording.name);
            worst = worst.max(MaxError { tip, rotation: turn });
        }
        worst
    }
}

fn joint_index(joint: usize) -> JointIndex {
    JointIndex { system: 0, joint: joint as u32 }
}

/// Returns the angle between two rotations in degrees. Uses f64 and `atan2`, because an arc cosine in f32 cannot
/// resolve angles below 0.02 degrees.
fn angle_between_degrees(a: Quat, b: Quat) -> f64 {
    let [a, b] = [a, b].map(|q| DQuat::from_array(q.to_array().map(f64::from)));
    let off = a * b.inverse();
    2.0 * libm::atan2(off.xyz().length(), off.w.abs()).to_degrees()
}
