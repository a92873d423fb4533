//! Removes the keys of a recorded motion that interpolation reproduces.
//!
//! Each channel keeps the keys that a greedy search needs: from a key, the furthest next key such that every frame
//! between them stays within the tolerance of the channel. Players interpolate rotations spherically (glTF) or by
//! normalized numbers (Blender), so both results have to stay within the tolerance.
//!
//! The errors of a chain of bones add up at its tip. The tolerance of a bone is therefore a guess: the stated error,
//! divided by the distance of the farthest point that the bone moves. The real error of each bone is measured in world
//! space over all frames. Where it is larger than the stated one, the guesses of the bone and of its ancestors are
//! lowered, until no error is larger.

use super::pose_track::KeyedProperty;
use super::{Bone, BoneId, Channel, Clip, Pose, PoseTrack, Skeleton, WorldPose};
use crate::math::{Frame, NEARLY_EQUAL, Trs, lerp_shortest, rotation_angle, slerp};
use glam::{Quat, Vec3};

/// Smallest distance of the points that a bone moves, in metres. Smaller distances would allow large rotations.
const MIN_REACH: f32 = 0.01;
/// Attempts with a lower tolerance, before all keys are kept.
const MAX_ATTEMPTS: usize = 12;

/// The difference of two motions in world space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionError {
    /// Largest distance of a bone or tip, in metres.
    pub metres: f32,
    /// Largest angle between the rotations of a bone.
    pub degrees: f32,
}

impl MotionError {
    /// Whether no value is larger than in `limit`.
    pub fn is_within(self, limit: Self) -> bool {
        self.metres <= limit.metres && self.degrees <= limit.degrees
    }

    /// The larger ratio of a value to its limit.
    fn excess(self, limit: Self) -> f32 {
        (self.metres / limit.metres).max(self.degrees / limit.degrees)
    }

    fn max(self, other: Self) -> Self {
        Self { metres: self.metres.max(other.metres), degrees: self.degrees.max(other.degrees) }
    }
}

/// A clip with fewer keys.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedClip {
    pub clip: Clip,
    /// The measured difference from the motion with all keys, over all of its frames.
    pub error: MotionError,
}

/// Removes keys. The measured error is at most `limit`. The heads of all bones are measured, and `tips`: offsets in
/// metres along the axes of their bones. `progress` gets the progress, 0 to 1, and returns whether to continue; returns
/// `None` if it cancels.
pub fn reduce_keys(
    track: &PoseTrack,
    skeleton: &Skeleton,
    tips: &[(BoneId, Vec3)],
    name: &str,
    limit: MotionError,
    progress: &dyn Fn(f32) -> bool,
) -> Option<ReducedClip> {
    let reducer = KeyReducer::new(track, skeleton, tips);
    let mut factors = vec![1.0_f32; skeleton.len()];
    for attempt in 0..MAX_ATTEMPTS {
        // The number of attempts is unknown, and each one is less likely: it gets half of the remaining progress.
        let remaining = 0.5_f32.powi(attempt as i32);
        let kept = reducer.kept_frames(limit, &factors, &|share| progress(1.0 - remaining * (1.0 - 0.25 * share)))?;
        let errors = reducer.measure(&kept, &|share| progress(1.0 - remaining * (0.75 - 0.25 * share)))?;
        let error = errors.iter().copied().fold(MotionError::default(), MotionError::max);
        if error.is_within(limit) {
            return Some(ReducedClip { clip: reducer.clip(name, &kept), error });
        }
        lower_factors(&mut factors, skeleton, &errors, limit);
    }
    Some(ReducedClip { clip: track.to_clip(name, skeleton), error: MotionError::default() })
}

/// Lowers the factors of the bones whose error is larger than the limit, and of their ancestors.
fn lower_factors(factors: &mut [f32], skeleton: &Skeleton, errors: &[MotionError], limit: MotionError) {
    let mut scales: Vec<f32> = errors
        .iter()
        .map(|error| match error.excess(limit) {
            excess if excess <= 1.0 => 1.0,
            excess if excess.is_finite() => (0.9 / excess).clamp(0.1, 0.8),
            _ => 0.1,
        })
        .collect();
    // Children are after their parents.
    for (index, bone) in skeleton.bones().iter().enumerate().rev() {
        factors[index] *= scales[index];
        if let Some(parent) = bone.parent {
            scales[parent.index()] = scales[parent.index()].min(scales[index]);
        }
    }
}

/// The number of keys of a clip.
pub fn key_count(clip: &Clip) -> usize {
    clip.channels.iter().map(|channel| channel.times.len()).sum()
}

/// The values of a channel at all frames.
enum ChannelFrames {
    Vectors(Vec<Vec3>),
    Rotations(Vec<Quat>),
}

/// How far a change of a bone moves other points.
#[derive(Clone, Copy, Debug)]
struct BoneExtent {
    /// Distance of the farthest point that the bone moves, in metres.
    reach: f32,
    /// Metres per unit of the translation of the bone.
    unit: f32,
    /// Smallest scale of the bone at rest.
    scale: f32,
}

/// The frames of a motion from `first` to `last`, including both.
#[derive(Clone, Copy, Debug)]
struct FrameRange {
    first: usize,
    last: usize,
}

struct KeyReducer<'a> {
    track: &'a PoseTrack,
    skeleton: &'a Skeleton,
    tips: &'a [(BoneId, Vec3)],
    /// The position of the bone in the track, the property, and its values.
    channels: Vec<(usize, KeyedProperty, ChannelFrames)>,
    /// Indexed like the bones of the track.
    extents: Vec<BoneExtent>,
}

impl<'a> KeyReducer<'a> {
    fn new(track: &'a PoseTrack, skeleton: &'a Skeleton, tips: &'a [(BoneId, Vec3)]) -> Self {
        let frames = 0..track.times().len();
        let values = |(at, property): (usize, KeyedProperty)| {
            let locals = frames.clone().map(|frame| track.frame(frame)[at]);
            let values = match property {
                KeyedProperty::Rotation => ChannelFrames::Rotations(track.continuous_rotations(at)),
                KeyedProperty::Translation => ChannelFrames::Vectors(locals.map(|local| local.translation).collect()),
                KeyedProperty::Scale => ChannelFrames::Vectors(locals.map(|local| local.scale).collect()),
            };
            (at, property, values)
        };
        let channels = track.keyed_properties(skeleton).into_iter().map(values).collect();
        let extents = bone_extents(skeleton, tips);
        let extents = track.bones().iter().map(|bone| extents[bone.index()]).collect();
        Self { track, skeleton, tips, channels, extents }
    }

    /// The frames whose keys each channel keeps. Each bone has a factor for its tolerance.
    fn kept_frames(
        &self,
        limit: MotionError,
        factors: &[f32],
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<Vec<Vec<usize>>> {
        let times = self.track.times();
        let keep = |(at, property, values): &(usize, KeyedProperty, ChannelFrames)| {
            let factor = factors[self.track.bones()[*at].index()];
            let length = factor * limit.metres;
            let extent = self.extents[*at];
            let share = length / extent.reach;
            let tolerance = match property {
                KeyedProperty::Translation => length / extent.unit,
                KeyedProperty::Scale => share * extent.scale,
                KeyedProperty::Rotation => share.min(factor * limit.degrees.to_radians()),
            };
            match values {
                ChannelFrames::Vectors(v) => frames_to_keep(times.len(), |range| {
                    inner_shares(times, range).all(|(frame, share)| {
                        let between = v[range.first].lerp(v[range.last], share);
                        between.distance(v[frame]) <= tolerance
                    })
                }),
                ChannelFrames::Rotations(q) => {
                    frames_to_keep(times.len(), |range| rotations_fit(q, times, range, tolerance))
                }
            }
        };
        let count = self.channels.len() as f32;
        let channels = self.channels.iter().enumerate();
        channels.map(|(at, channel)| progress(at as f32 / count).then(|| keep(channel))).collect()
    }

    /// The largest difference of each bone in world space between the motion with all keys and with some keys.
    fn measure(&self, kept: &[Vec<usize>], progress: &dyn Fn(f32) -> bool) -> Option<Vec<MotionError>> {
        let reduced = self.interpolated(kept);
        let rest = Pose::rest(self.skeleton);
        let (mut poses, mut worlds) = ([rest.clone(), rest], [WorldPose::default(), WorldPose::default()]);
        let bones = self.track.bones();
        let mut largest = vec![MotionError::default(); self.skeleton.len()];
        let frames = self.track.times().len();
        for frame in 0..frames {
            if !progress(frame as f32 / frames as f32) {
                return None;
            }
            let reduced = &reduced[frame * bones.len()..][..bones.len()];
            for (bone, (original, reduced)) in bones.iter().zip(self.track.frame(frame).iter().zip(reduced)) {
                poses[0].local[bone.index()] = *original;
                poses[1].local[bone.index()] = *reduced;
            }
            for (world, pose) in worlds.iter_mut().zip(&poses) {
                world.update(self.skeleton, pose);
            }
            add_world_differences(&worlds, bones, self.tips, &mut largest);
        }
        Some(largest)
    }

    /// The transforms of all frames, interpolated between the kept keys, in the layout of [`PoseTrack`].
    fn interpolated(&self, kept: &[Vec<usize>]) -> Vec<Trs> {
        let (times, stride) = (self.track.times(), self.track.bones().len());
        let rest = self.track.bones().iter().map(|bone| self.skeleton.bone(*bone).rest);
        let mut locals: Vec<Trs> = rest.cycle().take(stride * times.len()).collect();
        for ((at, property, values), kept) in self.channels.iter().zip(kept) {
            let mut write = |frame: usize, range: FrameRange, share: f32| {
                let local = &mut locals[frame * stride + at];
                match (values, property) {
                    (ChannelFrames::Rotations(q), _) => local.rotation = slerp(q[range.first], q[range.last], share),
                    (ChannelFrames::Vectors(v), KeyedProperty::Scale) => {
                        local.scale = v[range.first].lerp(v[range.last], share);
                    }
                    (ChannelFrames::Vectors(v), _) => local.translation = v[range.first].lerp(v[range.last], share),
                }
            };
            for pair in kept.windows(2) {
                let range = FrameRange { first: pair[0], last: pair[1] };
                write(range.first, range, 0.0);
                inner_shares(times, range).for_each(|(frame, share)| write(frame, range, share));
            }
            let last = times.len().saturating_sub(1);
            if !times.is_empty() {
                write(last, FrameRange { first: last, last }, 0.0);
            }
        }
        locals
    }

    fn clip(&self, name: &str, kept: &[Vec<usize>]) -> Clip {
        let channels = self.channels.iter().zip(kept);
        let channel = |((at, property, _), kept): (&(usize, KeyedProperty, ChannelFrames), &Vec<usize>)| -> Channel {
            self.track.channel(*at, *property, kept)
        };
        self.track.clip(name, channels.map(channel).collect())
    }
}

/// The extents of all bones, measured in the rest pose in world space. Reaches follow the bones.
fn bone_extents(skeleton: &Skeleton, tips: &[(BoneId, Vec3)]) -> Vec<BoneExtent> {
    let world = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let mut reaches = vec![0.0_f32; skeleton.len()];
    for (bone, offset) in tips.iter().filter(|(bone, _)| bone.index() < skeleton.len()) {
        reaches[bone.index()] = reaches[bone.index()].max(offset.length());
    }
    // Children are after their parents.
    for (index, bone) in skeleton.bones().iter().enumerate().rev() {
        if let Some(parent) = bone.parent {
            let distance = world.frames[index].position.distance(world.frame(parent).position);
            reaches[parent.index()] = reaches[parent.index()].max(distance + reaches[index]);
        }
    }
    let parent_scale = |bone: &Bone| bone.parent.map_or(1.0, |parent| largest_scale(world.frame(parent)));
    let extent = |(bone, reach): (&Bone, f32)| BoneExtent {
        reach: reach.max(MIN_REACH),
        unit: parent_scale(bone),
        scale: bone.rest.scale.abs().min_element(),
    };
    skeleton.bones().iter().zip(reaches).map(extent).collect()
}

fn largest_scale(frame: &Frame) -> f32 {
    let linear = frame.linear();
    [linear.x_axis, linear.y_axis, linear.z_axis].map(Vec3::length).into_iter().fold(0.0, f32::max)
}

/// The frames between both ends of a range, with their share of its duration.
fn inner_shares(times: &[f32], range: FrameRange) -> impl Iterator<Item = (usize, f32)> {
    let FrameRange { first, last } = range;
    let (start, duration) = (times[first], times[last] - times[first]);
    let share = move |frame: usize| if duration > 0.0 { (times[frame] - start) / duration } else { 0.0 };
    (first + 1..last).map(move |frame| (frame, share(frame)))
}

/// The first and the last frame, and the frames between them that are needed so that `fits` is true for every pair of
/// neighbours. `fits` is true for neighbouring frames.
fn frames_to_keep(count: usize, fits: impl Fn(FrameRange) -> bool) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..count.min(1)).collect();
    let mut from = 0;
    while from + 1 < count {
        let (mut good, mut bad, mut step) = (from + 1, count, 1);
        // Double the distance until a range does not fit, then halve the remaining interval.
        while good + 1 < bad {
            let to = (good + step).min(bad - 1);
            if fits(FrameRange { first: from, last: to }) {
                (good, step) = (to, step * 2);
            } else {
                bad = to;
                break;
            }
        }
        while good + 1 < bad {
            let to = good.midpoint(bad);
            if fits(FrameRange { first: from, last: to }) { good = to } else { bad = to }
        }
        kept.push(good);
        from = good;
    }
    kept
}

fn rotations_fit(q: &[Quat], times: &[f32], range: FrameRange, tolerance: f32) -> bool {
    let (a, b) = (q[range.first], q[range.last]);
    let far = a.dot(b) < NEARLY_EQUAL;
    inner_shares(times, range).all(|(frame, share)| {
        let is_near = |between: Quat| rotation_angle(between, q[frame]) <= tolerance;
        is_near(slerp(a, b, share)) && (!far || is_near(lerp_shortest(a, b, share)))
    })
}

/// Raises the difference of each bone to that of these poses. A tip counts for its bone.
fn add_world_differences(
    worlds: &[WorldPose; 2],
    bones: &[BoneId],
    tips: &[(BoneId, Vec3)],
    largest: &mut [MotionError],
) {
    let [a, b] = worlds;
    for ((error, a), b) in largest.iter_mut().zip(&a.frames).zip(&b.frames) {
        error.metres = error.metres.max(a.position.distance(b.position));
    }
    for (bone, offset) in tips.iter().filter(|(bone, _)| bone.index() < a.frames.len()) {
        let [a, b] = [a, b].map(|world| world.frame(*bone).offset_point(*offset));
        let error = &mut largest[bone.index()];
        error.metres = error.metres.max(a.distance(b));
    }
    for bone in bones {
        let degrees = rotation_angle(a.frame(*bone).rotation, b.frame(*bone).rotation).to_degrees();
        let error = &mut largest[bone.index()];
        error.degrees = error.degrees.max(degrees);
    }
}
