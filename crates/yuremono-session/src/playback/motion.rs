//! What moves the character before the solvers.

use super::{PlaybackSource, TICK_SECONDS};
use yuremono_model::document::GestureId;
use yuremono_sim::rig::{Character, TestMotion};

/// How long an animation that is a single pose is held, in seconds.
const HELD_POSE_SECONDS: f64 = 1.0;
/// Shortest part of an animation, in milliseconds.
const MIN_RANGE: u32 = 100;

/// A part of an animation. Times are whole milliseconds, so that equal ranges are equal motions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClipRange {
    /// Index of the animation.
    pub clip: usize,
    /// In milliseconds of the animation. The end is after the start.
    start: u32,
    end: u32,
}

impl ClipRange {
    /// Returns a part between two times in seconds, in any order, of an animation of `duration` seconds. Returns `None` if the
    /// part is too short, or all of the animation.
    pub fn new(clip: usize, range: [f64; 2], duration: f64) -> Option<Self> {
        let [a, b] = range.map(|seconds| (seconds.clamp(0.0, duration) * 1000.0).round() as u32);
        let (start, end) = (a.min(b), a.max(b));
        let is_all = start == 0 && f64::from(end) >= (duration * 1000.0).floor();
        (end - start >= MIN_RANGE && !is_all).then_some(Self { clip, start, end })
    }

    /// Returns the start and the end, in seconds of the animation.
    pub fn seconds(self) -> [f64; 2] {
        [self.start, self.end].map(|milliseconds| f64::from(milliseconds) / 1000.0)
    }
}

/// The motion of the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// The relaxed pose. Without humanoid bones, this is the rest pose.
    Still,
    /// A built-in motion, on top of the relaxed pose.
    Test(TestMotion),
    /// An animation of the file, by index.
    Clip(usize),
    /// A part of an animation.
    Range(ClipRange),
    /// A recorded drag.
    Gesture(GestureId),
    /// The poses of [`Command::SetLivePose`](crate::Command::SetLivePose).
    Live,
}

impl Motion {
    /// Returns the index of the animation, or `None` for other motions.
    pub const fn clip(self) -> Option<usize> {
        match self {
            Self::Clip(clip) | Self::Range(ClipRange { clip, .. }) => Some(clip),
            Self::Still | Self::Test(_) | Self::Gesture(_) | Self::Live => None,
        }
    }

    /// Returns the same part of another animation.
    #[must_use]
    pub const fn with_clip(self, clip: usize) -> Self {
        match self {
            Self::Range(range) => Self::Range(ClipRange { clip, ..range }),
            _ => Self::Clip(clip),
        }
    }

    /// Returns the time in the animation at which the motion starts, in seconds; 0 for a motion that is no part.
    pub fn start_seconds(self) -> f64 {
        if let Self::Range(range) = self { range.seconds()[0] } else { 0.0 }
    }

    /// Returns the motion with which a character opens.
    pub(super) fn initial(character: &Character) -> Self {
        let first =
            [TestMotion::Idle, TestMotion::Turn].into_iter().find(|motion| motion.supports_character(character));
        first.map_or(Self::Still, Self::Test)
    }

    /// Whether the motion is a single pose: the relaxed pose, or an animation whose keys are all at one time.
    pub(crate) fn is_pose(self, source: PlaybackSource<'_>) -> bool {
        match self {
            Self::Still => true,
            Self::Clip(clip) => {
                source.character.clips.get(clip).is_some_and(|clip| clip.duration == 0.0 && !clip.channels.is_empty())
            }
            Self::Test(_) | Self::Range(_) | Self::Gesture(_) | Self::Live => false,
        }
    }

    /// Returns the duration at a speed of 1, in seconds; `None` for the relaxed pose and for missing motions. A single
    /// pose of an animation is held for [`HELD_POSE_SECONDS`].
    pub(crate) fn own_duration(self, source: PlaybackSource<'_>) -> Option<f64> {
        match self {
            Self::Still | Self::Live => None,
            Self::Clip(_) if self.is_pose(source) => Some(HELD_POSE_SECONDS),
            Self::Test(motion) => Some(f64::from(motion.period())),
            Self::Clip(clip) => Some(f64::from(source.character.clips.get(clip)?.duration)),
            Self::Range(range) => {
                let [start, end] = range.seconds();
                source.character.clips.get(range.clip).map(|_| end - start)
            }
            Self::Gesture(id) => Some(source.document.gestures.get(&id)?.samples.len() as f64 * TICK_SECONDS),
        }
    }
}
