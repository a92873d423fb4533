//! Animation clips, sampled as in the glTF specification.

use super::{BoneId, Pose};
use crate::math::slerp;
use glam::{Quat, Vec3};
use std::ops::{Add, Mul};

/// Interpolation between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelInterpolation {
    /// The value of the previous key.
    Step,
    /// Linear interpolation. Rotations use spherical interpolation along the shorter arc.
    Linear,
    /// Cubic spline of glTF, with three values for each key (in-tangent, value, out-tangent).
    CubicSpline,
}

/// Values of a channel. [`ChannelInterpolation::CubicSpline`] has three entries for each key.
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelValues {
    /// Local translations, in metres.
    Translation(Vec<Vec3>),
    /// Local rotations.
    Rotation(Vec<Quat>),
    /// Local scales.
    Scale(Vec<Vec3>),
}

/// One animated property of one bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Animated bone.
    pub bone: BoneId,
    /// Key times in seconds, ascending. There is at least one.
    pub times: Vec<f32>,
    /// One or three values for each key.
    pub values: ChannelValues,
    /// Interpolation between keys.
    pub interpolation: ChannelInterpolation,
}

/// An animation of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// Name in the file, or "Animation 1" and so on.
    pub name: String,
    /// Time of the last key of all channels, in seconds.
    pub duration: f32,
    /// Animated properties.
    pub channels: Vec<Channel>,
}

impl Clip {
    /// Writes the clip at `seconds` to `pose`. The time wraps around at the end of the clip. Bones without a channel
    /// keep their transform.
    pub fn sample(&self, seconds: f32, pose: &mut Pose) {
        self.sample_clamped(if self.duration > 0.0 { seconds.rem_euclid(self.duration) } else { 0.0 }, pose);
    }

    /// Like [`Clip::sample`], but clamps the time to the first and last key.
    pub fn sample_clamped(&self, time: f32, pose: &mut Pose) {
        for channel in &self.channels {
            let Some(local) = pose.local.get_mut(channel.bone.index()) else { continue };
            let span = KeyInterval::find(&channel.times, time);
            match &channel.values {
                ChannelValues::Translation(v) => local.translation = span.sample_vector(v, channel.interpolation),
                ChannelValues::Scale(v) => local.scale = span.sample_vector(v, channel.interpolation),
                ChannelValues::Rotation(v) => local.rotation = span.sample_rotation(v, channel.interpolation),
            }
        }
    }
}

/// The keys around a time.
struct KeyInterval {
    left: usize,
    right: usize,
    /// Position between the keys, 0..=1.
    fraction: f32,
    /// Time between the keys, in seconds.
    duration: f32,
}

impl KeyInterval {
    fn find(times: &[f32], time: f32) -> Self {
        let right = times.partition_point(|t| *t <= time).min(times.len().saturating_sub(1));
        let left = if times.get(right).is_some_and(|t| *t <= time) { right } else { right.saturating_sub(1) };
        let width = times.get(right).zip(times.get(left)).map_or(0.0, |(r, l)| r - l);
        let s = if width > 0.0 { ((time - times[left]) / width).clamp(0.0, 1.0) } else { 0.0 };
        Self { left, right, fraction: s, duration: width }
    }

    /// Evaluates the cubic Hermite spline from the values and tangents of both keys.
    fn cubic<T: Copy + Mul<f32, Output = T> + Add<Output = T>>(&self, v: &[T]) -> T {
        let (s, s2, s3) = (self.fraction, self.fraction * self.fraction, self.fraction * self.fraction * self.fraction);
        let (start, tangent_out) = (v[3 * self.left + 1], v[3 * self.left + 2]);
        let (end, tangent_in) = (v[3 * self.right + 1], v[3 * self.right]);
        start * (2.0 * s3 - 3.0 * s2 + 1.0)
            + tangent_out * (self.duration * (s3 - 2.0 * s2 + s))
            + end * (3.0 * s2 - 2.0 * s3)
            + tangent_in * (self.duration * (s3 - s2))
    }

    fn sample_vector(&self, v: &[Vec3], sampling: ChannelInterpolation) -> Vec3 {
        match sampling {
            ChannelInterpolation::Step => v[self.left],
            ChannelInterpolation::Linear => v[self.left].lerp(v[self.right], self.fraction),
            ChannelInterpolation::CubicSpline => self.cubic(v),
        }
    }

    fn sample_rotation(&self, v: &[Quat], sampling: ChannelInterpolation) -> Quat {
        match sampling {
            ChannelInterpolation::Step => v[self.left],
            ChannelInterpolation::Linear => slerp(v[self.left], v[self.right], self.fraction),
            ChannelInterpolation::CubicSpline => {
                let q = self.cubic(v);
                if q.length_squared() > 1e-12 { q.normalize() } else { v[3 * self.left + 1] }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    #[track_caller]
    fn check(sampling: ChannelInterpolation, values: Vec<Vec3>, time: f32, expected: f32) {
        let clip = Clip {
            name: "slide".to_owned(),
            duration: 2.0,
            channels: vec![Channel {
                bone: BoneId(0),
                times: vec![0.0, 1.0, 2.0],
                values: ChannelValues::Translation(values),
                interpolation: sampling,
            }],
        };
        let mut pose = Pose { local: vec![Trs::IDENTITY] };
        clip.sample(time, &mut pose);
        assert!((pose.local[0].translation.x - expected).abs() < 1e-5, "{}", pose.local[0].translation.x);
    }

    #[test]
    fn each_interpolation_returns_the_expected_values_at_and_between_keys() {
        let xs = |v: &[f32]| v.iter().map(|x| Vec3::X * *x).collect::<Vec<_>>();
        check(ChannelInterpolation::Step, xs(&[0.0, 1.0, 4.0]), 0.9, 0.0);
        check(ChannelInterpolation::Linear, xs(&[0.0, 1.0, 4.0]), 1.5, 2.5);
        check(ChannelInterpolation::Linear, xs(&[0.0, 1.0, 4.0]), 3.5, 2.5);
        check(ChannelInterpolation::CubicSpline, xs(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0, 0.0]), 1.0, 1.0);
        check(ChannelInterpolation::CubicSpline, xs(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 4.0, 0.0]), 1.5, 2.5);
    }
}
