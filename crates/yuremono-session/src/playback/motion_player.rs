//! A copy of the playback that plays its motion from the start, for work on another thread.
//!
//! Soloed, muted and pinned joints are simulated as the document says.

use super::{Motion, Playback, PlaybackSource, RecentMotion, SETTLE_VISITS_PER_FRAME};
use glam::Vec3;
use std::sync::Arc;
use yuremono_model::document::Document;
use yuremono_sim::rig::{BoneId, Character, Pose, WorldPose};
use yuremono_sim::{JointIndex, TestWind, World};

/// Resolution of times as a share of a tick. Rounding makes the times of ticks exact.
const STEPS_PER_TICK: f64 = 4096.0;

/// Plays the motion of a session from its start, without drags, preview or viewer.
#[derive(Clone, Debug)]
pub(crate) struct MotionPlayer {
    character: Arc<Character>,
    document: Document,
    playback: Playback,
    /// The pose before the last tick.
    before: Pose,
    /// Ticks since the reset at which the motion starts.
    start_tick: u64,
}

impl MotionPlayer {
    /// Copies the playback with its motion and settings. From `held_from` on, in seconds of the motion, the motion
    /// holds its last pose instead of repeating.
    pub(crate) fn new(
        playback: &Playback,
        character: &Arc<Character>,
        document: &Document,
        held_from: Option<f64>,
    ) -> Self {
        let mut playback = playback.clone();
        (playback.followers, playback.baked_preview, playback.scrub) = (super::Followers::default(), None, None);
        playback.recent_motion = RecentMotion::off();
        playback.end_probes();
        playback.release_held_joints(PlaybackSource { character, document });
        playback.crossfade = super::Crossfade::default();
        playback.settings.wind = None;
        // Only `held_from` ends a motion here.
        playback.settings.repeats = true;
        playback.interaction = super::Interaction::default();
        // A position that is not finite means that there is no viewer.
        playback.world.set_viewer(Vec3::NAN);
        let motion = playback.settings.motion;
        let mut player = Self {
            character: Arc::clone(character),
            document: document.clone(),
            playback,
            before: Pose::default(),
            start_tick: 0,
        };
        player.set_motion(motion, held_from);
        player
    }

    /// Sets another motion, for the next start. `held_from` is the same as in [`Self::new`].
    pub(crate) fn set_motion(&mut self, motion: Motion, held_from: Option<f64>) {
        self.playback.settings.motion = motion;
        self.playback.held_from = held_from;
    }

    /// Sets the test wind, for the next start. Without a call, a gesture plays in the wind of its recording.
    pub(crate) fn set_wind(&mut self, wind: Option<TestWind>) {
        self.playback.settings.wind = wind;
    }

    /// Creates a player of the same motion with the same settings for another document of the character.
    pub(crate) fn with_document(&self, document: Document) -> Self {
        let mut playback = Playback::new(&self.character, &document.resolve(&self.character.skeleton));
        playback.settings = self.playback.settings;
        playback.recent_motion = RecentMotion::off();
        playback.held_from = self.playback.held_from;
        playback.live_pose.clone_from(&self.playback.live_pose);
        Self { character: Arc::clone(&self.character), document, playback, before: Pose::default(), start_tick: 0 }
    }

    pub(crate) fn motion(&self) -> Motion {
        self.playback.settings.motion
    }

    pub(crate) fn character(&self) -> &Arc<Character> {
        &self.character
    }

    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// Settles in the pose of the motion at a time in seconds, and holds this pose for further ticks. The motion then
    /// plays from this time. A motion that repeats also has a pose at a negative time. `progress` gets the number of
    /// ticks after settling, and returns whether to continue; returns `None` if it cancels.
    pub(crate) fn start(&mut self, time: f64, held_ticks: u64, progress: &dyn Fn(u64) -> bool) -> Option<()> {
        let source = PlaybackSource { character: &self.character, document: &self.document };
        let playback = &mut self.playback;
        playback.reset_to(time, source);
        while playback.is_settling() {
            if !progress(0) {
                return None;
            }
            playback.continue_settling(SETTLE_VISITS_PER_FRAME);
        }
        for _ in 0..held_ticks {
            if !progress(playback.ticks) {
                return None;
            }
            playback.tick(source);
        }
        playback.poses.previous.copy_from(playback.world.pose());
        playback.update_displayed_pose();
        self.start_tick = playback.ticks;
        Some(())
    }

    /// The displayed pose at a time since the start of the motion, in ticks: that of the tick, or interpolated between
    /// two ticks. Times must ascend. `progress` is that of [`Self::start`].
    pub(crate) fn pose_at(&mut self, ticks: f64, progress: &dyn Fn(u64) -> bool) -> Option<&Pose> {
        let source = PlaybackSource { character: &self.character, document: &self.document };
        let ticks = (ticks * STEPS_PER_TICK).round() / STEPS_PER_TICK;
        let playback = &mut self.playback;
        while ((playback.ticks - self.start_tick) as f64) < ticks {
            if !progress(playback.ticks) {
                return None;
            }
            self.before.copy_from(playback.world.pose());
            playback.step(source);
        }
        let late = (playback.ticks - self.start_tick) as f64 - ticks;
        let (before, share) = if late > 0.0 { (&self.before, 1.0 - late) } else { (playback.world.pose(), 0.0) };
        playback.poses.previous.copy_from(before);
        playback.poses.interpolate(&playback.world, share as f32);
        Some(&playback.poses.interpolated)
    }

    /// Like [`Self::pose_at`], but in world space.
    pub(crate) fn world_pose_at(&mut self, ticks: f64, progress: &dyn Fn(u64) -> bool) -> Option<&WorldPose> {
        self.pose_at(ticks, progress)?;
        Some(&self.playback.poses.displayed)
    }

    /// Duration of a tick, in seconds, and seconds of the motion per second.
    pub(crate) fn pace(&self) -> (f64, f64) {
        (self.playback.tick_seconds(), f64::from(self.playback.settings.motion_speed))
    }

    /// Sets whether further ticks record why the tips move.
    pub(crate) fn set_probed(&mut self, probed: bool) {
        self.playback.world.set_probed(probed);
    }

    /// Sets whether chains that flip from tick to tick are held in their rest pose.
    pub(crate) fn set_holds_runaways(&mut self, holds: bool) {
        self.playback.set_holds_runaways(holds);
    }

    /// The world after the last tick.
    pub(crate) fn world(&self) -> &World {
        &self.playback.world
    }

    /// All joints, each with its bone.
    pub(crate) fn joints(&self) -> impl Iterator<Item = (BoneId, JointIndex)> {
        self.playback.joints.iter().map(|(bone, index)| (*bone, *index))
    }

    /// Whether a motion is a single pose.
    pub(crate) fn is_pose(&self, motion: Motion) -> bool {
        motion.is_pose(PlaybackSource { character: &self.character, document: &self.document })
    }

    /// The duration of a motion at a speed of 1, in seconds; `None` for the rest pose and for missing motions.
    pub(crate) fn own_duration(&self, motion: Motion) -> Option<f64> {
        motion.own_duration(PlaybackSource { character: &self.character, document: &self.document })
    }

    /// The pose of the motion before any solver, at a time of the motion in seconds.
    pub(crate) fn input_pose(&self, time: f64) -> Pose {
        let source = PlaybackSource { character: &self.character, document: &self.document };
        let mut pose = Pose::default();
        let motion = self.playback.settings.motion;
        self.playback.write_input_pose(motion, time, source, &mut pose, &mut Vec::new());
        pose
    }

    /// The tip of a simulated bone: an offset in metres along the axes of the bone.
    pub(crate) fn tip_offset(&self, bone: BoneId) -> Option<Vec3> {
        self.playback.world.tip_offset(self.playback.joint_index(bone)?)
    }

    /// Bones of the first joints of chains that left their bounds.
    pub(crate) fn out_of_bounds_bones(&self) -> Vec<BoneId> {
        let joints = self.playback.world.out_of_bounds_joints();
        let bone = |joint| self.playback.joints.iter().find(|(_, index)| **index == joint).map(|(bone, _)| *bone);
        joints.into_iter().filter_map(bone).collect()
    }
}
