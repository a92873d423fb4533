//! Samples moments of motions, for images that are compared.
//!
//! A [`MomentsJob`] owns a copy of the playback and runs on any thread, without files and without a clock, as a
//! [`super::BakeJob`] does. Its ticks and poses are those of the viewport. The viewer position is ignored, so that the
//! result does not depend on the camera.

use super::Session;
use super::bake::motion_loops;
use super::playback::{Motion, MotionPlayer, PlaybackSource};
use std::fmt;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, WorldPose};

/// Time that a motion plays before the first moment, in seconds. After this time, hair repeats with the motion.
pub(super) const WARM_UP_SECONDS: f64 = 4.0;
/// Longest motion whose moments are sampled, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// Returns all motions of a session: the animations of the character, or the part of an animation that plays, the gestures,
/// and the built-in motions that the character supports. Returns the rest pose if there is no motion.
pub fn all_motions(session: &Session) -> Vec<Motion> {
    // The artist is interested only in the part of an animation that plays.
    let present = session.playback().settings().motion;
    let part = |clip| if present.clip() == Some(clip) { present } else { Motion::Clip(clip) };
    let clips = (0..session.character().clips.len()).map(part);
    let gestures = session.document().gestures.keys().copied().map(Motion::Gesture);
    let tests = TestMotion::ALL.into_iter().filter(|test| test.supports_character(session.character()));
    let all: Vec<Motion> = clips.chain(gestures).chain(tests.map(Motion::Test)).collect();
    if all.is_empty() { vec![Motion::Still] } else { all }
}

/// Returns the name of a motion on the command line. Returns an empty name for a motion that does not exist.
pub fn motion_name(session: &Session, motion: Motion) -> String {
    let source = PlaybackSource { character: session.character(), document: session.document() };
    super::bake::motion_name(motion, source).unwrap_or_default()
}

/// Why a motion has no moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MomentsError {
    /// The motion does not exist, or has no duration.
    ZeroLength,
    /// The motion lasts longer than an hour.
    TooLong {
        /// Duration of the motion.
        seconds: f64,
    },
}

impl MomentsError {
    /// The message for the user. `motion` is the name of the motion.
    pub fn message(self, motion: &str) -> MessageText {
        match self {
            Self::ZeroLength => message!("the motion \"{motion}\" has no duration, so it is left out", motion),
            Self::TooLong { seconds } => message!(
                "the motion \"{motion}\" lasts {seconds} s, more than {max} s, so it is left out",
                motion,
                seconds = format!("{seconds:.0}"),
                max = MAX_SECONDS
            ),
        }
    }
}

impl fmt::Display for MomentsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message("").fmt(f)
    }
}

impl std::error::Error for MomentsError {}

/// Returns the duration of a motion at the speed of a player, in seconds; `None` for a single pose.
pub(super) fn motion_duration(player: &MotionPlayer, motion: Motion) -> Result<Option<f64>, MomentsError> {
    if player.is_pose(motion) {
        return Ok(None);
    }
    let seconds = player.own_duration(motion).unwrap_or(0.0) / player.pace().1;
    match seconds {
        _ if seconds > MAX_SECONDS => Err(MomentsError::TooLong { seconds }),
        _ if seconds > 0.0 => Ok(Some(seconds)),
        _ => Err(MomentsError::ZeroLength),
    }
}

/// How one cycle of a motion is played.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotionCycle {
    /// Whether the motion repeats. An animation that ends in another pose than it started in plays once.
    pub repeats: bool,
    /// Time that the motion plays before the cycle, in seconds.
    pub warm_up: f64,
}

impl MotionCycle {
    /// Sets the motion of a player. `duration` is in seconds at the speed of the player; `None` for a pose.
    pub(super) fn prepare(player: &mut MotionPlayer, motion: Motion, duration: Option<f64>) -> Self {
        player.set_motion(motion, None);
        let speed = player.pace().1;
        let repeats = duration.is_none_or(|seconds| motion.clip().is_none() || motion_loops(player, seconds * speed));
        player.set_motion(motion, duration.filter(|_| !repeats).map(|seconds| seconds * speed));
        Self { repeats, warm_up: if repeats && duration.is_some() { WARM_UP_SECONDS } else { 0.0 } }
    }
}

/// Moments of one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionMoments {
    /// Time of each moment since the start of the motion, in seconds.
    pub seconds: Vec<f64>,
    /// The simulated pose of each moment, in skeleton order.
    pub poses: Vec<WorldPose>,
    /// The first bones of chains that left their bounds and were reset to their rest pose.
    pub out_of_bounds: Vec<BoneId>,
}

/// Samples motions with the setup, the amplitude, the speed and the tick rate of a session.
#[derive(Clone, Debug)]
pub struct MomentsJob {
    player: MotionPlayer,
}

impl MomentsJob {
    /// Copies everything that the job needs.
    pub fn new(session: &Session) -> Self {
        Self { player: MotionPlayer::new(session.playback(), session.character(), session.document(), None) }
    }

    /// Returns the duration of a motion at the speed of the session, in seconds; `None` for the rest pose.
    pub fn duration(&self, motion: Motion) -> Result<Option<f64>, MomentsError> {
        motion_duration(&self.player, motion)
    }

    /// Samples up to `count` moments at equal distances in one cycle of a motion; one moment of the rest pose or of a
    /// motion without a duration.
    ///
    /// A motion that repeats plays for a while before its first moment, so that the swing is steady. An animation that
    /// ends in another pose than it started in plays once, from its settled first pose to its end. `progress` gets the
    /// progress, 0 to 1, and returns whether to continue; the result is `None` if `progress` cancels.
    pub fn sample(&self, motion: Motion, count: u32, progress: &dyn Fn(f32) -> bool) -> Option<MotionMoments> {
        let mut player = self.player.clone();
        let (tick, speed) = player.pace();
        let duration = self.duration(motion).ok().flatten();
        let MotionCycle { repeats, warm_up } = MotionCycle::prepare(&mut player, motion, duration);
        let count = if duration.is_some() { count.max(1) } else { 1 };
        let intervals = if repeats { count } else { (count - 1).max(1) };
        let spacing = duration.unwrap_or(0.0) / f64::from(intervals);
        let total = warm_up + duration.unwrap_or(0.0);
        let on_tick = |ticks: u64| progress((ticks as f64 * tick / total.max(tick)) as f32);
        player.start(-warm_up * speed, 0, &on_tick)?;
        let mut moments = MotionMoments { seconds: Vec::new(), poses: Vec::new(), out_of_bounds: Vec::new() };
        for moment in 0..count {
            let seconds = f64::from(moment) * spacing;
            moments.seconds.push(seconds);
            moments.poses.push(player.world_pose_at((warm_up + seconds) / tick, &on_tick)?.clone());
        }
        moments.out_of_bounds = player.out_of_bounds_bones();
        progress(1.0).then_some(moments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use std::sync::Arc;
    use yuremono_model::document::Document;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Skeleton};

    /// A session whose only bone moves along X in each clip: to 1 m at half of the duration, then to `end`. A clip is its
    /// duration in seconds and its end in metres.
    fn session(clips: &[(f32, f32)]) -> Session {
        let bone = Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY };
        let skeleton = Skeleton::new(vec![bone]).expect("one root");
        let clip = |(duration, end): &(f32, f32)| {
            let channel = Channel {
                bone: BoneId(0),
                times: vec![0.0, duration * 0.5, *duration],
                values: ChannelValues::Translation(vec![Vec3::ZERO, Vec3::X, Vec3::X * *end]),
                interpolation: ChannelInterpolation::Linear,
            };
            Clip { name: "clip".to_owned(), duration: *duration, channels: vec![channel] }
        };
        let clips = clips.iter().map(clip).collect();
        Session::new(Arc::new(Character { skeleton, clips, ..Character::default() }), Document::default())
    }

    /// The time and the X of the bone for each moment.
    fn moments(session: &Session, motion: Motion) -> Vec<(f64, f32)> {
        let moments = MomentsJob::new(session).sample(motion, 4, &|_| true).expect("not cancelled");
        let x = moments.poses.iter().map(|pose| (pose.frames[0].position.x * 1e3).round() / 1e3);
        moments.seconds.into_iter().zip(x).collect()
    }

    #[test]
    fn the_moments_of_a_loop_have_equal_distances_and_do_not_repeat_the_first() {
        let expected = [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (1.5, 0.5)];
        assert_eq!(moments(&session(&[(2.0, 0.0)]), Motion::Clip(0)), expected);
    }

    #[test]
    fn an_animation_that_does_not_loop_plays_once_to_its_end() {
        let expected = [(0.0, 0.0), (1.0, 0.667), (2.0, 1.333), (3.0, 2.0)];
        assert_eq!(moments(&session(&[(3.0, 2.0)]), Motion::Clip(0)), expected);
    }

    #[test]
    fn all_motions_are_listed_animations_first() {
        let session = session(&[(1.0, 0.0), (2.0, 0.0)]);
        let motions = all_motions(&session);
        assert_eq!(motions[..3], [Motion::Clip(0), Motion::Clip(1), Motion::Test(TestMotion::Turn)]);
        assert!(
            !motions.contains(&Motion::Still) && !motions.contains(&Motion::Test(TestMotion::Squat)),
            "{motions:?}"
        );
        let empty = Session::new(Arc::new(Character::default()), Document::default());
        assert_eq!(all_motions(&empty), [Motion::Still]);
        assert_eq!(MomentsJob::new(&empty).sample(Motion::Still, 6, &|_| true).map(|m| m.poses.len()), Some(1));
    }

    #[test]
    fn motions_without_a_usable_duration_are_rejected() {
        let session = session(&[(0.0, 0.0), (4000.0, 0.0)]);
        let job = MomentsJob::new(&session);
        assert_eq!(job.duration(Motion::Clip(0)), Ok(None), "a single pose is held");
        assert_eq!(job.duration(Motion::Clip(1)), Err(MomentsError::TooLong { seconds: 4000.0 }));
        assert_eq!(job.duration(Motion::Clip(2)), Err(MomentsError::ZeroLength), "a missing animation");
        for clip in 0..3 {
            assert_eq!(moments(&session, Motion::Clip(clip)).len(), 1);
        }
    }

    #[test]
    fn a_cancelled_job_has_no_moments() {
        let session = session(&[(2.0, 0.0)]);
        assert_eq!(MomentsJob::new(&session).sample(Motion::Clip(0), 4, &|share| share < 0.5), None);
    }
}
