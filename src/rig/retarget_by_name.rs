//! A motion of one skeleton on another, by the names of their bones.
//!
//! Where a bone rests as its namesake does, its keys are taken as they are. Elsewhere each key moves the bone as far from
//! its own rest pose: turned from its own rest rotation, moved in proportion to its distance from its parent.

use super::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip, Skeleton};
use crate::math::Trs;
use glam::{Quat, Vec3};

/// Rest poses that differ by no more than this are the same.
const TOLERANCE: f32 = 1e-5;

/// The channels of `clip` whose bones are on both skeletons, on those of `to`; none where no bone is.
pub fn retarget_by_name(clip: &Clip, from: &Skeleton, to: &Skeleton) -> Clip {
    let channel = |channel: &Channel| {
        let namesake = bone_with_same_name(channel.bone, from, to)?;
        let rests = [from.bone(channel.bone).rest, to.bone(namesake).rest];
        let values = retarget_values(&channel.values, channel.interpolation, rests);
        Some(Channel { bone: namesake, values, times: channel.times.clone(), interpolation: channel.interpolation })
    };
    let channels = clip.channels.iter().filter_map(channel).collect();
    Clip { name: clip.name.clone(), duration: clip.duration, channels }
}

/// The first bone of that name; `None` also for a bone without a name.
pub fn bone_with_same_name(bone: BoneId, from: &Skeleton, to: &Skeleton) -> Option<BoneId> {
    let name = (bone.index() < from.len()).then(|| from.name(bone)).filter(|name| !name.is_empty())?;
    to.find(name)
}

fn retarget_values(values: &ChannelValues, sampling: ChannelInterpolation, [from, to]: [Trs; 2]) -> ChannelValues {
    // Of a cubic spline every second of three is a value, the others are slopes.
    let is_value = |at: usize| sampling != ChannelInterpolation::CubicSpline || at % 3 == 1;
    match values {
        ChannelValues::Rotation(rotations) if from.rotation.abs_diff_eq(to.rotation, TOLERANCE) => {
            ChannelValues::Rotation(rotations.clone())
        }
        ChannelValues::Rotation(rotations) => {
            let change: Quat = to.rotation * from.rotation.inverse();
            ChannelValues::Rotation(rotations.iter().map(|turn| change * *turn).collect())
        }
        ChannelValues::Translation(translations) if from.translation.abs_diff_eq(to.translation, TOLERANCE) => {
            ChannelValues::Translation(translations.clone())
        }
        ChannelValues::Translation(translations) => {
            let share = ratio_or_one(to.translation.length(), from.translation.length());
            let way = |(at, way): (usize, &Vec3)| {
                if is_value(at) { to.translation + (*way - from.translation) * share } else { *way * share }
            };
            ChannelValues::Translation(translations.iter().enumerate().map(way).collect())
        }
        ChannelValues::Scale(scales) => {
            let [a, b] = [from.scale.to_array(), to.scale.to_array()];
            let share = Vec3::from_array([0, 1, 2].map(|axis| ratio_or_one(b[axis], a[axis])));
            ChannelValues::Scale(scales.iter().map(|scale| *scale * share).collect())
        }
    }
}

/// 1 where one of the two says nothing.
fn ratio_or_one(to: f32, from: f32) -> f32 {
    let ratio = to / from;
    if ratio.is_finite() && from.abs() > TOLERANCE && to.abs() > TOLERANCE { ratio } else { 1.0 }
}
