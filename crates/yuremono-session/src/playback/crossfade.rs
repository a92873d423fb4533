//! Blends from one motion into the next, so that a change of the motion does not accelerate joints abruptly.
//!
//! A crossfade changes the input pose of ticks, so it is deterministic. A reset ends it, so bakes and players on other
//! threads never contain one.

use super::{HELD_TOLERANCE, Motion, MotionTime, Playback, PlaybackSource, TICK_SECONDS};
use yuremono_sim::rig::Pose;

/// Duration of a crossfade, in seconds.
const CROSSFADE_SECONDS: f64 = 0.3;
/// Largest number of motions that blend at the same time. With more changes, the blend starts from the last input pose.
const MAX_FADES: usize = 3;

/// Motions that blend into the present motion, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Crossfade {
    fades: Vec<Fade>,
    /// Whether the next crossfade starts from the last input pose, because its motion does not exist any more.
    is_frozen: bool,
}

/// A motion that blends into the next motion.
#[derive(Clone, Debug)]
struct Fade {
    source: FadeSource,
    /// Seconds since the start of the next motion.
    seconds: f64,
}

#[derive(Clone, Debug)]
enum FadeSource {
    /// A motion that continues, so that the character keeps its velocity.
    Motion { motion: Motion, time: f64, amplitude: f32, repeats: bool },
    /// A pose of the bones of the file.
    Pose(Pose),
}

impl Crossfade {
    /// Advances by a tick: `seconds` of time, and `motion_seconds` of the motions.
    pub(super) fn advance(&mut self, seconds: f64, motion_seconds: f64) {
        self.is_frozen = false;
        for fade in &mut self.fades {
            fade.seconds += seconds;
            if let FadeSource::Motion { time, .. } = &mut fade.source {
                *time += motion_seconds;
            }
        }
        // Older motions have no share once a newer motion has the full share.
        if let Some(last) = self.fades.iter().rposition(|fade| fade.seconds >= CROSSFADE_SECONDS) {
            self.fades.drain(..=last);
        }
    }
}

impl Fade {
    /// The share of the next motion, from 0 to 1.
    fn next_share(&self) -> f32 {
        let share = (self.seconds / CROSSFADE_SECONDS).clamp(0.0, 1.0);
        (share * share * (3.0 - 2.0 * share)) as f32
    }
}

impl Playback {
    /// Blends from the present motion into the motion that is set next.
    pub(super) fn start_crossfade(&mut self) {
        let source = if self.crossfade.is_frozen || self.crossfade.fades.len() == MAX_FADES {
            self.crossfade.fades.clear();
            FadeSource::Pose(self.last_file_pose())
        } else {
            FadeSource::Motion {
                motion: self.settings.motion,
                time: self.time,
                amplitude: self.settings.amplitude,
                repeats: self.settings.repeats,
            }
        };
        self.crossfade.fades.push(Fade { source, seconds: 0.0 });
    }

    /// Makes the next crossfade start from the last input pose. Call this if the present motion was removed or replaced.
    pub(crate) fn freeze_crossfade(&mut self) {
        self.crossfade.is_frozen = true;
    }

    /// Returns the last input pose without the helpers, which no motion moves.
    fn last_file_pose(&self) -> Pose {
        let mut pose = self.poses.input.clone();
        pose.local.truncate(self.body.bone_count());
        pose
    }

    /// Blends `pose`, the pose of the present motion, with the earlier motions. `spare` provides temporary poses.
    pub(super) fn apply_crossfade(&self, source: PlaybackSource<'_>, pose: &mut Pose, spare: &mut Vec<Pose>) {
        let fades = &self.crossfade.fades;
        if fades.is_empty() {
            return;
        }
        let (mut blended, mut next) = (spare.pop().unwrap_or_default(), spare.pop().unwrap_or_default());
        self.write_fade(&fades[0].source, source, &mut blended, spare);
        for pair in fades.windows(2) {
            self.write_fade(&pair[1].source, source, &mut next, spare);
            blend_into(&mut blended, &next, pair[0].next_share());
        }
        let share = fades.last().map_or(1.0, Fade::next_share);
        blend_into(&mut blended, pose, share);
        for (local, blended) in pose.local.iter_mut().zip(&blended.local) {
            *local = *blended;
        }
        spare.extend([blended, next]);
    }

    fn write_fade(&self, fade: &FadeSource, source: PlaybackSource<'_>, pose: &mut Pose, spare: &mut Vec<Pose>) {
        match fade {
            FadeSource::Motion { motion, time, amplitude, repeats } => {
                let after_end = if matches!(motion, Motion::Gesture(_)) { TICK_SECONDS } else { HELD_TOLERANCE };
                let end = motion.own_duration(source).filter(|_| !repeats).map(|end| end - after_end);
                let time = end.map_or(*time, |end| time.min(end));
                let moment = MotionTime { motion: *motion, seconds: time, amplitude: *amplitude };
                self.write_motion(moment, source, pose, spare);
            }
            FadeSource::Pose(fixed) => pose.copy_from(fixed),
        }
    }
}

/// Blends the bones that both poses have towards `to`.
pub(super) fn blend_into(pose: &mut Pose, to: &Pose, share: f32) {
    for (local, to) in pose.local.iter_mut().zip(&to.local) {
        *local = local.lerp(*to, share);
    }
}
