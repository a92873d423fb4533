use super::{BoneId, Pose};
use glam::{Quat, Vec3};

/// How a channel runs between its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelInterpolation {
    /// Holds the earlier key.
    Step,
    /// Straight lines; rotations by the short way.
    Linear,
    /// glTF cubic spline: three values a key (in-tangent, value, out-tangent).
    CubicSpline,
}

/// What a channel writes; three times as many entries as keys for [`ChannelInterpolation::CubicSpline`].
#[derive(Clone, Debug, PartialEq)]
pub enum ChannelValues {
    /// Local translation, metres.
    Translation(Vec<Vec3>),
    /// Local rotation.
    Rotation(Vec<Quat>),
    /// Local scale.
    Scale(Vec<Vec3>),
}

/// One animated property of one bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Whose.
    pub bone: BoneId,
    /// Seconds, ascending, at least one.
    pub times: Vec<f32>,
    /// One (or three) per time.
    pub values: ChannelValues,
    /// Between the keys.
    pub interpolation: ChannelInterpolation,
}

/// A named animation of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// As in the file, or "Animation 1" and so on.
    pub name: String,
    /// Seconds; the last key of all channels.
    pub duration: f32,
    /// What moves.
    pub channels: Vec<Channel>,
}

impl Clip {
    /// Writes the clip at `seconds` (wrapped into its duration) over `pose`; other bones keep theirs.
    pub fn sample(&self, seconds: f32, pose: &mut Pose) {
        self.sample_clamped(if self.duration > 0.0 { seconds.rem_euclid(self.duration) } else { 0.0 }, pose);
    }

    /// As [`Clip::sample`], and the first and last keys hold before and after.
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

/// Two neighbouring keys and the place between them.
struct KeyInterval {
    left: usize,
    right: usize,
    /// 0..=1 between them.
    fraction: f32,
    /// Seconds between them.
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

    /// Cubic Hermite weights: value left, slope left, value right, slope right.
    fn hermite_weights(&self) -> [f32; 4] {
        let (s, s2, s3) = (self.fraction, self.fraction * self.fraction, self.fraction * self.fraction * self.fraction);
        [2.0 * s3 - 3.0 * s2 + 1.0, self.duration * (s3 - 2.0 * s2 + s), 3.0 * s2 - 2.0 * s3, self.duration * (s3 - s2)]
    }

    fn sample_vector(&self, v: &[Vec3], sampling: ChannelInterpolation) -> Vec3 {
        match sampling {
            ChannelInterpolation::Step => v[self.left],
            ChannelInterpolation::Linear => v[self.left].lerp(v[self.right], self.fraction),
            ChannelInterpolation::CubicSpline => {
                let [a, b, c, d] = self.hermite_weights();
                v[3 * self.left + 1] * a + v[3 * self.left + 2] * b + v[3 * self.right + 1] * c + v[3 * self.right] * d
            }
        }
    }

    fn sample_rotation(&self, v: &[Quat], sampling: ChannelInterpolation) -> Quat {
        match sampling {
            ChannelInterpolation::Step => v[self.left],
            ChannelInterpolation::Linear => v[self.left].slerp(v[self.right], self.fraction),
            ChannelInterpolation::CubicSpline => {
                let [a, b, c, d] = self.hermite_weights();
                let q = v[3 * self.left + 1] * a
                    + v[3 * self.left + 2] * b
                    + v[3 * self.right + 1] * c
                    + v[3 * self.right] * d;
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
