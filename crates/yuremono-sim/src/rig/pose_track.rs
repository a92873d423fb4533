//! Local transforms of bones at common times: the keys of a recorded motion before any key is removed.

use super::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip, Pose, Skeleton};
use crate::math::Trs;
use glam::Quat;

/// Largest difference of a transform from the rest pose that counts as none: in the units of the bone's parent, and in
/// the numbers of rotation and scale.
const REST_TOLERANCE: f32 = 1e-6;

/// The keys of some bones. Every bone has a key at every time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseTrack {
    /// The bones, in the order of the transforms of a frame.
    bones: Vec<BoneId>,
    /// Seconds, ascending.
    times: Vec<f32>,
    /// The transforms of all bones at the first time, then at the second time, and so on.
    locals: Vec<Trs>,
}

/// A property of a bone that an animation moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyedProperty {
    Translation,
    Rotation,
    Scale,
}

/// The properties of a bone that a motion moves away from the rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MovedBone {
    pub bone: BoneId,
    pub translation: bool,
    pub rotation: bool,
    pub scale: bool,
}

impl MovedBone {
    pub const fn at_rest(bone: BoneId) -> Self {
        Self { bone, translation: false, rotation: false, scale: false }
    }

    pub const fn is_moved(self) -> bool {
        self.translation || self.rotation || self.scale
    }

    /// Adds the properties that differ in a pose of the motion.
    pub fn add(&mut self, local: Trs, rest: Trs) {
        let sign = if local.rotation.dot(rest.rotation) < 0.0 { -1.0 } else { 1.0 };
        self.translation |= !local.translation.abs_diff_eq(rest.translation, REST_TOLERANCE);
        self.rotation |= !(local.rotation * sign).abs_diff_eq(rest.rotation, REST_TOLERANCE);
        self.scale |= !local.scale.abs_diff_eq(rest.scale, REST_TOLERANCE);
    }
}

impl PoseTrack {
    /// A track without keys.
    pub fn new(bones: Vec<BoneId>) -> Self {
        Self { bones, times: Vec::new(), locals: Vec::new() }
    }

    /// Adds the keys of one time, in seconds. The pose has all bones of the track.
    pub fn push(&mut self, time: f32, pose: &[Trs]) {
        self.times.push(time);
        self.locals.extend(self.bones.iter().map(|bone| pose[bone.index()]));
    }

    pub fn bones(&self) -> &[BoneId] {
        &self.bones
    }

    /// Seconds of the keys.
    pub fn times(&self) -> &[f32] {
        &self.times
    }

    /// The transforms at one time, in the order of [`Self::bones`].
    pub fn frame(&self, frame: usize) -> &[Trs] {
        &self.locals[frame * self.bones.len()..][..self.bones.len()]
    }

    /// Writes the keys of one time to `pose`. Other bones keep their transform.
    pub fn apply(&self, frame: usize, pose: &mut Pose) {
        for (bone, local) in self.bones.iter().zip(self.frame(frame)) {
            pose.local[bone.index()] = *local;
        }
    }

    /// The poses of a clip at its key times. All channels of the clip have the same times.
    pub fn from_clip(clip: &Clip, skeleton: &Skeleton) -> Self {
        let mut bones: Vec<BoneId> = clip.channels.iter().map(|channel| channel.bone).collect();
        bones.sort_unstable();
        bones.dedup();
        let mut track = Self::new(bones);
        let mut pose = Pose::rest(skeleton);
        for time in clip.channels.first().map_or(&[][..], |channel| &channel.times) {
            clip.sample_clamped(*time, &mut pose);
            track.push(*time, &pose.local);
        }
        track
    }

    /// The bones that leave their rest pose.
    pub fn moved_bones(&self, skeleton: &Skeleton) -> Vec<MovedBone> {
        let mut moved: Vec<MovedBone> = self.bones.iter().map(|bone| MovedBone::at_rest(*bone)).collect();
        for frame in 0..self.times.len() {
            for (moved, local) in moved.iter_mut().zip(self.frame(frame)) {
                moved.add(*local, skeleton.bone(moved.bone).rest);
            }
        }
        moved.retain(|moved| moved.is_moved());
        moved
    }

    /// A clip with all keys.
    pub fn to_clip(&self, name: &str, skeleton: &Skeleton) -> Clip {
        let all: Vec<usize> = (0..self.times.len()).collect();
        let properties = self.keyed_properties(skeleton);
        let channels = properties.iter().map(|(at, property)| self.channel(*at, *property, &all)).collect();
        self.clip(name, channels)
    }

    pub(super) fn clip(&self, name: &str, channels: Vec<Channel>) -> Clip {
        Clip { name: name.to_owned(), duration: self.times.last().copied().unwrap_or(0.0), channels }
    }

    /// The properties that need a channel, with the position of their bone: every rotation, and the translations and
    /// scales that leave the rest pose.
    pub(super) fn keyed_properties(&self, skeleton: &Skeleton) -> Vec<(usize, KeyedProperty)> {
        let mut properties = Vec::new();
        for (at, bone) in self.bones.iter().enumerate() {
            let rest = skeleton.bone(*bone).rest;
            let mut locals = (0..self.times.len()).map(|frame| self.frame(frame)[at]);
            properties.push((at, KeyedProperty::Rotation));
            if locals.clone().any(|local| !local.translation.abs_diff_eq(rest.translation, REST_TOLERANCE)) {
                properties.push((at, KeyedProperty::Translation));
            }
            if locals.any(|local| !local.scale.abs_diff_eq(rest.scale, REST_TOLERANCE)) {
                properties.push((at, KeyedProperty::Scale));
            }
        }
        properties
    }

    /// The rotations of a bone. Neighbours have the sign that interpolates the short way, also in players that
    /// interpolate the four numbers.
    pub(super) fn continuous_rotations(&self, at: usize) -> Vec<Quat> {
        let mut previous: Option<Quat> = None;
        let continuous = |frame| {
            let rotation = self.frame(frame)[at].rotation;
            let is_far = previous.is_some_and(|previous| previous.dot(rotation) < 0.0);
            *previous.insert(if is_far { -rotation } else { rotation })
        };
        (0..self.times.len()).map(continuous).collect()
    }

    /// A channel with the keys of some frames.
    pub(super) fn channel(&self, at: usize, property: KeyedProperty, frames: &[usize]) -> Channel {
        let locals = || frames.iter().map(|frame| self.frame(*frame)[at]);
        let values = match property {
            KeyedProperty::Translation => ChannelValues::Translation(locals().map(|local| local.translation).collect()),
            KeyedProperty::Scale => ChannelValues::Scale(locals().map(|local| local.scale).collect()),
            KeyedProperty::Rotation => {
                let rotations = self.continuous_rotations(at);
                ChannelValues::Rotation(frames.iter().map(|frame| rotations[*frame]).collect())
            }
        };
        let times = frames.iter().map(|frame| self.times[*frame]).collect();
        Channel { bone: self.bones[at], times, values, interpolation: ChannelInterpolation::Linear }
    }
}
