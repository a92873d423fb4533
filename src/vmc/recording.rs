//! The poses of the last minute of a live motion.

use std::collections::VecDeque;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Character, Pose, PoseTrack};

/// Duration of the recording, in seconds.
const SECONDS: f64 = 60.0;
/// Shortest time between two poses, in seconds: 120 poses per second.
const MIN_INTERVAL: f64 = 1.0 / 121.0;

/// The transforms of the humanoid bones in the last minute.
#[derive(Clone, Debug)]
pub struct LiveRecording {
    bones: Vec<BoneId>,
    /// The time of each pose in seconds, and the transforms of the bones.
    poses: VecDeque<(f64, Vec<Trs>)>,
}

impl LiveRecording {
    pub(super) const fn new(bones: Vec<BoneId>) -> Self {
        Self { bones, poses: VecDeque::new() }
    }

    /// Adds a pose at a time in seconds. A full recording reuses the oldest pose.
    pub(super) fn push(&mut self, now: f64, pose: &Pose) {
        if self.poses.back().is_some_and(|(last, _)| now - last < MIN_INTERVAL) {
            return;
        }
        let mut transforms = Vec::new();
        while self.poses.front().is_some_and(|(first, _)| now - first > SECONDS) {
            transforms = self.poses.pop_front().map(|(_, transforms)| transforms).unwrap_or_default();
        }
        transforms.clear();
        transforms.extend(self.bones.iter().map(|bone| pose.local[bone.index()]));
        self.poses.push_back((now, transforms));
    }

    /// The duration of the recording, in seconds.
    pub fn seconds(&self) -> f64 {
        self.poses.front().zip(self.poses.back()).map_or(0.0, |(first, last)| last.0 - first.0)
    }

    /// Returns the recording as keys that start at 0 seconds.
    pub fn track(&self, character: &Character) -> PoseTrack {
        let mut track = PoseTrack::new(self.bones.clone());
        let start = self.poses.front().map_or(0.0, |(first, _)| *first);
        let mut pose = Pose::rest(&character.skeleton);
        for (time, transforms) in &self.poses {
            for (bone, transform) in self.bones.iter().zip(transforms) {
                pose.local[bone.index()] = *transform;
            }
            track.push((time - start) as f32, &pose.local);
        }
        track
    }
}
