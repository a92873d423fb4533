//! The poses of the last seconds, one per tick, and the recorded pose that is displayed in place of the live pose.
//!
//! A recorded tick holds the rotation of every bone. Few bones change their translation or scale, so a tick holds these
//! only for bones that differ from the first recorded pose. With 672 joints and 150 other bones, ten seconds at 60 ticks
//! per second take 8 MB, and at most 22 MB if every bone also moves. [`MAX_TICKS`] limits the memory at higher rates.

use super::{Playback, PlaybackSource, RecordedGesture};
use glam::{Quat, Vec3};
use std::collections::VecDeque;
use std::ops::Range;
use yuremono_model::document::{ChainId, Document};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// Duration of the recording, in seconds.
pub const RECENT_SECONDS: f64 = 10.0;
/// Maximum number of recorded ticks: ten seconds at 144 ticks per second.
const MAX_TICKS: usize = 1440;
/// Tolerance for sums of tick durations, in seconds.
const CLOCK_TOLERANCE: f64 = 1e-6;

/// The poses of the last ticks. Ticks have ascending numbers, also after older ticks have been dropped.
#[derive(Clone, Debug, Default)]
pub struct RecentMotion {
    /// The first recorded pose.
    base: Pose,
    ticks: VecDeque<RecordedTick>,
    /// Number of the oldest tick.
    first: u64,
    /// Seconds of simulation since the oldest recording.
    clock: f64,
    /// Whether [`Self::record`] has no effect.
    is_off: bool,
}

#[derive(Clone, Debug, Default)]
struct RecordedTick {
    /// Seconds of simulation since the oldest recording.
    clock: f64,
    /// Time of the motion, in seconds.
    time: f64,
    rotations: Vec<Quat>,
    /// Bones in ascending order whose translation or scale differs from the base.
    moved: Vec<MovedBone>,
}

#[derive(Clone, Copy, Debug)]
struct MovedBone {
    bone: u32,
    translation: Vec3,
    scale: Vec3,
}

impl RecentMotion {
    /// Creates a recording that stays empty, for a playback that nobody looks back at.
    pub(super) fn off() -> Self {
        Self { is_off: true, ..Self::default() }
    }

    /// Creates an empty recording whose next tick has a number.
    pub(super) fn starting_at(tick: u64) -> Self {
        Self { first: tick, ..Self::default() }
    }

    /// Records the pose after a tick of `seconds`, at a time of the motion in seconds. A full recording reuses the buffers
    /// of the oldest tick, so it allocates only if more bones than before move.
    pub(super) fn record(&mut self, pose: &Pose, time: f64, seconds: f64) {
        if self.is_off {
            return;
        }
        if self.base.local.len() != pose.local.len() {
            self.clear();
            self.base.copy_from(pose);
        }
        self.clock += seconds;
        let mut tick = RecordedTick::default();
        while self.ticks.front().is_some_and(|oldest| {
            self.ticks.len() >= MAX_TICKS || oldest.clock < self.clock - RECENT_SECONDS - CLOCK_TOLERANCE
        }) {
            tick = self.ticks.pop_front().unwrap_or_default();
            self.first += 1;
        }
        (tick.clock, tick.time) = (self.clock, time);
        tick.rotations.clear();
        tick.rotations.extend(pose.local.iter().map(|local| local.rotation));
        tick.moved.clear();
        let both = self.base.local.iter().zip(&pose.local).zip(0_u32..);
        let differ = |a: Vec3, b: Vec3| a.to_array().map(f32::to_bits) != b.to_array().map(f32::to_bits);
        let moved = both.filter(|((a, b), _)| differ(a.translation, b.translation) || differ(a.scale, b.scale));
        tick.moved.extend(moved.map(|((_, local), bone)| MovedBone {
            bone,
            translation: local.translation,
            scale: local.scale,
        }));
        self.ticks.push_back(tick);
    }

    /// Drops all ticks. The numbers of later ticks continue.
    pub(super) fn clear(&mut self) {
        self.first += self.ticks.len() as u64;
        self.ticks.clear();
        self.base.local.clear();
        self.clock = 0.0;
    }

    pub fn is_empty(&self) -> bool {
        self.ticks.is_empty()
    }

    /// Returns the numbers of the recorded ticks, oldest first.
    pub fn ticks(&self) -> Range<u64> {
        self.first..self.first + self.ticks.len() as u64
    }

    /// Returns the number of bones of each pose.
    pub fn bone_count(&self) -> usize {
        self.base.local.len()
    }

    /// Returns how long before the newest tick a tick was, in seconds. Returns `None` if the tick is not recorded.
    pub fn seconds_back(&self, tick: u64) -> Option<f64> {
        Some(self.clock - self.tick(tick)?.clock)
    }

    /// Returns the time of the motion in a tick, in seconds.
    pub(super) fn motion_time(&self, tick: u64) -> Option<f64> {
        Some(self.tick(tick)?.time)
    }

    /// Returns the tick that is nearest to a time before the newest tick, in seconds. Returns `None` if there are no ticks.
    pub fn tick_at(&self, seconds_back: f64) -> Option<u64> {
        let clock = self.clock - seconds_back;
        let next = self.ticks.partition_point(|tick| tick.clock < clock);
        let near = [next.saturating_sub(1), next.min(self.ticks.len().checked_sub(1)?)];
        let distance = |at: &usize| (self.ticks[*at].clock - clock).abs();
        let nearest = near.into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(self.first + nearest as u64)
    }

    /// Writes the pose of a tick, bit for bit. Returns whether the tick is recorded.
    pub fn pose_into(&self, tick: u64, pose: &mut Pose) -> bool {
        let Some(tick) = self.tick(tick) else { return false };
        pose.copy_from(&self.base);
        for (local, rotation) in pose.local.iter_mut().zip(&tick.rotations) {
            local.rotation = *rotation;
        }
        for moved in &tick.moved {
            let local = &mut pose.local[moved.bone as usize];
            (local.translation, local.scale) = (moved.translation, moved.scale);
        }
        true
    }

    /// Returns the local transform of a bone in a tick.
    pub fn local(&self, tick: u64, bone: BoneId) -> Option<Trs> {
        let tick = self.tick(tick)?;
        let rotation = *tick.rotations.get(bone.index())?;
        let moved = tick.moved.binary_search_by_key(&bone.0, |moved| moved.bone).ok().map(|at| tick.moved[at]);
        let base = self.base.local[bone.index()];
        let (translation, scale) = moved.map_or((base.translation, base.scale), |m| (m.translation, m.scale));
        Some(Trs { translation, rotation, scale })
    }

    fn tick(&self, tick: u64) -> Option<&RecordedTick> {
        self.ticks.get(usize::try_from(tick.checked_sub(self.first)?).ok()?)
    }
}

impl Playback {
    /// Returns the poses of the last ticks.
    pub fn recent_motion(&self) -> &RecentMotion {
        &self.recent_motion
    }

    /// Returns the poses of the previewed edit, or of the other side of a comparison, in the last ticks, under the same
    /// input; `None` without a preview and a comparison. Both recordings give the same number to ticks at the same time.
    pub fn compared_motion(&self) -> Option<&RecentMotion> {
        self.other_recent_motion()
    }

    /// Returns the displayed recorded tick; `None` if the live pose is displayed.
    pub const fn scrubbed_tick(&self) -> Option<u64> {
        self.scrub
    }

    /// Returns the recording of the displayed world with the skeleton of its poses; `None` if a baked motion is displayed.
    fn displayed_recording(&self) -> Option<(&RecentMotion, &Skeleton)> {
        if self.baked_preview.is_some() {
            return None;
        }
        let live = (&self.recent_motion, self.world.skeleton());
        Some(self.displayed_follower().map_or(live, |follower| (&follower.recent_motion, follower.world.skeleton())))
    }

    /// Returns lines of chains some ticks before the displayed pose: the heads of the joints and the last tip, in world
    /// space, in metres. Empty if the tick is not recorded.
    pub fn recent_chain_lines(&self, document: &Document, chains: &[ChainId], ticks_back: u64) -> Vec<Vec<Vec3>> {
        let Some((motion, skeleton)) = self.displayed_recording() else { return Vec::new() };
        let newest = motion.ticks().end.checked_sub(1);
        let tick = self.scrub.or(newest).and_then(|tick| tick.checked_sub(ticks_back));
        let mut pose = Pose::default();
        if !tick.is_some_and(|tick| motion.pose_into(tick, &mut pose)) {
            return Vec::new();
        }
        self.chain_lines(document, chains, &WorldPose::from_pose(skeleton, &pose))
    }

    /// Returns the world frames of the tick before the displayed tick and of the displayed tick, and the time between them in
    /// seconds. `None` if a tick is not recorded.
    pub(crate) fn displayed_ticks(&self) -> Option<([WorldPose; 2], f32)> {
        let (motion, skeleton) = self.displayed_recording()?;
        let now = self.scrub.or(motion.ticks().end.checked_sub(1))?;
        let before = now.checked_sub(1)?;
        let seconds = motion.seconds_back(before)? - motion.seconds_back(now)?;
        let mut pose = Pose::default();
        let frames = [before, now].map(|tick| {
            motion.pose_into(tick, &mut pose);
            WorldPose::from_pose(skeleton, &pose)
        });
        Some((frames, seconds as f32))
    }

    /// Returns the recorded ticks that can be displayed: those in which the displayed world has a pose.
    pub(super) fn scrub_range(&self) -> Range<u64> {
        let ticks = self.recent_motion.ticks();
        let first = match (&self.baked_preview, self.displayed_follower()) {
            (Some(baked), _) => baked.first_tick,
            (None, Some(follower)) => follower.recent_motion.ticks().start,
            (None, None) => ticks.start,
        };
        ticks.start.max(first)..ticks.end
    }

    /// Pauses, and displays the recorded poses that are nearest to a time before the newest tick, in seconds. Displays the
    /// live pose for `None`, and if nothing is recorded.
    pub(crate) fn scrub(&mut self, seconds_back: Option<f64>) {
        let back = seconds_back.filter(|back| back.is_finite());
        match back.and_then(|back| self.recent_motion.tick_at(back)) {
            Some(tick) => self.show_recorded(tick),
            None => self.end_scrub(),
        }
    }

    /// Displays the live pose.
    pub(super) fn end_scrub(&mut self) {
        if self.scrub.take().is_some() {
            self.update_displayed_pose();
        }
    }

    /// Pauses, and displays the previous recorded tick. Does nothing at the oldest tick.
    pub(crate) fn step_back(&mut self) {
        let range = self.scrub_range();
        let shown = self.scrub.or(range.end.checked_sub(1));
        if let Some(before) = shown.and_then(|shown| shown.checked_sub(1)).filter(|before| range.contains(before)) {
            self.show_recorded(before);
        }
    }

    /// Pauses, and displays the next recorded tick. After the newest tick, runs one tick.
    pub(crate) fn step_forward(&mut self, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        self.set_playing(false);
        match self.scrub.map(|shown| shown + 1).filter(|next| self.scrub_range().contains(next)) {
            Some(next) => {
                self.show_recorded(next);
                None
            }
            None => self.step(source),
        }
    }

    fn show_recorded(&mut self, tick: u64) {
        self.set_playing(false);
        self.scrub = Some(tick);
        self.update_displayed_pose();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pose(bones: usize, tick: u32) -> Pose {
        let angle = tick as f32 * 0.01;
        let mut pose = Pose { local: vec![Trs::from_translation(Vec3::Y); bones] };
        for (local, share) in pose.local.iter_mut().zip(1_u8..) {
            local.rotation = Quat::from_rotation_x(angle * f32::from(share));
        }
        pose.local[0].translation.x = angle;
        pose
    }

    fn recording(ticks: u32, rate: u32) -> RecentMotion {
        let mut recent = RecentMotion::default();
        for tick in 0..ticks {
            recent.record(&pose(5, tick), f64::from(tick), 1.0 / f64::from(rate));
        }
        recent
    }

    #[test]
    fn every_tick_of_the_last_ten_seconds_returns_its_pose_bit_for_bit() {
        let recent = recording(900, 60);
        assert_eq!(recent.ticks(), 299..900);
        let mut found = Pose::default();
        for tick in recent.ticks() {
            assert!(recent.pose_into(tick, &mut found));
            let expected = pose(5, tick as u32);
            let bits = |pose: &Pose| pose.local.iter().map(|l| format!("{l:?}")).collect::<Vec<_>>();
            assert_eq!(bits(&found), bits(&expected), "tick {tick}");
            assert_eq!(recent.local(tick, BoneId(0)), Some(expected.local[0]));
            assert_eq!(recent.local(tick, BoneId(4)), Some(expected.local[4]));
        }
        assert!(!recent.pose_into(298, &mut found) && !recent.pose_into(900, &mut found));
    }

    #[test]
    fn a_negative_zero_is_recorded_as_a_negative_zero() {
        let mut recent = RecentMotion::default();
        let mut moved = pose(2, 0);
        recent.record(&moved, 0.0, 0.1);
        moved.local[1].translation.x = -0.0;
        recent.record(&moved, 0.1, 0.1);
        let found = recent.local(1, BoneId(1)).expect("recorded");
        assert!(found.translation.x.is_sign_negative());
    }

    #[test]
    fn seconds_back_and_ticks_agree() {
        let recent = recording(900, 60);
        assert!((recent.seconds_back(299).expect("recorded") - RECENT_SECONDS).abs() < 1e-6);
        assert_eq!(recent.seconds_back(899), Some(0.0));
        for (back, tick) in [(0.0, 899), (0.5, 869), (0.508, 869), (99.0, 299), (-3.0, 899)] {
            assert_eq!(recent.tick_at(back), Some(tick), "{back} s");
        }
        assert_eq!(RecentMotion::default().tick_at(0.0), None);
    }

    #[test]
    fn a_full_recording_reuses_its_buffers_and_its_length_is_limited_at_high_rates() {
        let mut recent = recording(5000, 1000);
        assert_eq!(recent.ticks().end - recent.ticks().start, MAX_TICKS as u64);
        let buffers = |recent: &RecentMotion| {
            let mut all: Vec<_> =
                recent.ticks.iter().flat_map(|t| [t.rotations.as_ptr() as usize, t.moved.as_ptr() as usize]).collect();
            all.sort_unstable();
            all
        };
        let before = buffers(&recent);
        for tick in 5000..9000 {
            recent.record(&pose(5, tick), 0.0, 1e-3);
        }
        assert_eq!(buffers(&recent), before);
    }

    #[test]
    fn another_number_of_bones_starts_a_new_recording() {
        let mut recent = recording(20, 60);
        recent.record(&pose(6, 0), 0.0, 1.0 / 60.0);
        assert_eq!((recent.ticks(), recent.bone_count()), (20..21, 6));
        assert_eq!(recent.seconds_back(20), Some(0.0));
    }
}
