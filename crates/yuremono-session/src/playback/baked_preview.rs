//! Displays a baked motion in place of the live motion, at the same time of the motion.

use super::{Motion, Playback, PlaybackSource};
use std::collections::BTreeSet;
use yuremono_model::document::{Chain, ChainId, Document};
use yuremono_sim::rig::{BoneId, Clip, Pose, Skeleton, WorldPose};

/// The parts of a baked motion that the playback needs to display it.
#[derive(Clone, Debug)]
pub(crate) struct BakedClip {
    pub(crate) clip: Clip,
    /// The simulated bones.
    pub(crate) joints: Vec<BoneId>,
    /// The motion that was simulated.
    pub(crate) motion: Motion,
    /// Seconds of the motion per second.
    pub(crate) motion_speed: f64,
    /// Start of the clip, in seconds of the motion at a speed of 1.
    pub(crate) start: f64,
    pub(crate) is_loop: bool,
}

/// A displayed baked motion. The live motion runs on behind it.
#[derive(Clone, Debug)]
pub(super) struct BakedPreview {
    baked: BakedClip,
    /// Duration of the live motion at a speed of 1, in seconds; `None` if the motion does not repeat.
    period: Option<f64>,
    /// Number of the first tick since the baked motion is displayed. Earlier ticks may belong to another motion.
    pub(super) first_tick: u64,
    pose: Pose,
    pub(super) displayed: WorldPose,
}

impl BakedPreview {
    /// The time of the baked animation that belongs to a time of the motion, both in seconds.
    fn clip_seconds(&self, motion_seconds: f64) -> f32 {
        let baked = &self.baked;
        let range = f64::from(baked.clip.duration) * baked.motion_speed;
        let in_range = match self.period {
            _ if range <= 0.0 => 0.0,
            _ if baked.is_loop => (motion_seconds - baked.start).rem_euclid(range),
            Some(period) => motion_seconds.rem_euclid(period.max(baked.start + range)) - baked.start,
            None => motion_seconds - baked.start,
        };
        (in_range.clamp(0.0, range) / baked.motion_speed) as f32
    }

    fn update(&mut self, rest: &Pose, skeleton: &Skeleton, motion_seconds: f64) {
        let seconds = self.clip_seconds(motion_seconds);
        self.pose.copy_from(rest);
        self.baked.clip.sample_clamped(seconds, &mut self.pose);
        self.displayed.update(skeleton, &self.pose);
    }

    /// Chains with a baked joint.
    pub(super) fn chains(&self, document: &Document) -> BTreeSet<ChainId> {
        let bones: BTreeSet<BoneId> = self.baked.joints.iter().copied().collect();
        let is_baked = |chain: &Chain| chain.joints.iter().any(|joint| bones.contains(&joint.bone));
        document.chains.iter().filter(|(_, chain)| is_baked(chain)).map(|(id, _)| *id).collect()
    }
}

impl Playback {
    /// Displays a baked motion, or the live motion for `None`. A motion that is no loop restarts, so that both begin in
    /// the settled first pose. Does nothing if the baked motion is not the present motion at its present speed.
    pub(crate) fn show_baked(&mut self, baked: Option<BakedClip>, source: PlaybackSource<'_>) {
        self.baked_preview = None;
        self.end_scrub();
        let Some(baked) = baked.filter(|baked| self.has_motion(baked)) else { return self.run_while_paused() };
        let is_loop = baked.is_loop;
        let period = self.settings.motion.own_duration(source);
        let (pose, displayed) = (self.poses.rest.clone(), self.poses.displayed.clone());
        let first_tick = self.recent_motion.ticks().end;
        self.baked_preview = Some(Box::new(BakedPreview { baked, period, first_tick, pose, displayed }));
        if is_loop {
            self.update_displayed_pose();
            self.run_while_paused();
        } else {
            self.reset(source);
        }
    }

    fn has_motion(&self, baked: &BakedClip) -> bool {
        baked.motion == self.settings.motion && baked.motion_speed == f64::from(self.settings.motion_speed)
    }

    /// Returns whether a baked motion is displayed in place of the live motion.
    pub fn shows_bake(&self) -> bool {
        self.baked_preview.is_some()
    }

    /// Updates the displayed baked pose.
    pub(super) fn update_baked_pose(&mut self) {
        let seconds = self.displayed_time();
        if let Some(preview) = &mut self.baked_preview {
            preview.update(&self.poses.rest, self.world.skeleton(), seconds);
        }
    }
}
