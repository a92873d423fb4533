//! Playback converts elapsed seconds into simulation steps. Playback owns the clock, the motion and the drags.
//!
//! Time is counted in ticks, one per frame of the previewed frame rate, by default 60 per second. The display only
//! interpolates between two ticks. Motions, drags, gestures and the viewer position are inputs of a tick, so equal
//! ticks give bit-identical results. All inputs are functions of time in seconds, so their speed does not depend on the
//! tick rate.

mod baked_preview;
mod crossfade;
mod follower_world;
mod held_joints;
mod interaction;
mod motion;
mod motion_player;
mod pose_buffers;
mod recent_motion;
mod runaway;
mod settings;
mod settling;
mod tip_probe;

pub use interaction::{Drag, Recording};
pub(super) use interaction::{RecordedGesture, missing_base_motion};
pub use motion::{ClipRange, Motion};
pub(super) use motion_player::MotionPlayer;
pub use recent_motion::{RECENT_SECONDS, RecentMotion};
pub(super) use settings::DEFAULT_FRAME_RATE;
pub use settings::{PLAYER_FRAME_RATES, PlaybackSettings};

pub(super) use baked_preview::BakedClip;
use baked_preview::BakedPreview;
use crossfade::Crossfade;
pub(super) use follower_world::changed_chains;
use follower_world::{FollowerInput, Followers};
use glam::{Quat, Vec3};
pub(super) use held_joints::HeldJoints;
use interaction::{Interaction, finish_recording, sample_at, sanitize_sample};
use pose_buffers::{DisplayedTime, PoseBuffers};
use runaway::RunawayWatch;
use settling::{SETTLE_VISITS_ON_RESET, SETTLE_VISITS_PER_FRAME, SettleCriteria, SettleProgress};
use std::collections::BTreeMap;
use std::sync::Arc;
use tip_probe::TipProbe;
use yuremono_model::document::{Document, DragReach, GestureSample, JointRef, PosedBone, ResolvedDocument};
use yuremono_model::tools::landmarks::body_landmarks;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BodyPosing, MotionBody};
use yuremono_sim::rig::{BoneId, Character, Pose, Skeleton, WorldPose};
use yuremono_sim::{GrabTarget, JointGrab, JointIndex, StepInput, TestWind, WindMoment, World};

/// Duration of a tick at the default rate, and interval between two samples of a gesture, in seconds.
pub const TICK_SECONDS: f64 = 1.0 / 60.0;
/// Longest time that is caught up after a slow frame, in seconds; more time is dropped.
const MAX_CATCH_UP_SECONDS: f64 = 0.5;
/// Maximum number of visits that one frame may spend on catching up; more time is dropped.
const MAX_CATCH_UP_VISITS: u64 = 3_000_000;
/// How long a paused world keeps running after a release or a changed value, in seconds.
const PAUSED_RUN_SECONDS: f64 = 2.5;
/// Longest time that the motion plays before a time that is shown, in seconds.
const MAX_LEAD_SECONDS: f64 = 4.0;

/// Largest coordinate of drags, grabs and the viewer, in metres.
const MAX_COORDINATE: f32 = 1e4;

/// A held motion has its last pose this much earlier, in seconds: the times of ticks are sums with rounding errors.
const HELD_TOLERANCE: f64 = 1e-6;
/// The time of the last pose of a built-in motion, as a share of its period; at the period, the motion starts again.
const LAST_POSE: f32 = 1.0 - 1e-6;

/// A moment of a motion.
#[derive(Clone, Copy, Debug)]
struct MotionTime {
    motion: Motion,
    /// Time since the start of the motion, in seconds.
    seconds: f64,
    /// Amplitude of a built-in motion.
    amplitude: f32,
}

/// Where motions come from: animations of the character and gestures of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaybackSource<'a> {
    pub character: &'a Character,
    pub document: &'a Document,
}

/// The clock, the live world, and the inputs of the world.
#[derive(Clone, Debug)]
pub struct Playback {
    world: World,
    /// Index of each joint in the world.
    joints: BTreeMap<BoneId, JointIndex>,
    body: MotionBody,
    /// Poses the whole body for drags. Shared by the copies of a playback.
    posing: Arc<BodyPosing>,
    poses: PoseBuffers,
    accumulator: f64,
    /// Time since the start of the motion, in seconds.
    time: f64,
    /// The time of the pose before the last tick.
    previous_time: f64,
    /// Blends from earlier motions into the motion.
    crossfade: Crossfade,
    ticks: u64,
    /// Seconds of simulation since the last reset.
    wind_seconds: f64,
    /// Remaining ticks for which a paused world keeps running.
    paused_run_ticks: u32,
    interaction: Interaction,
    settings: PlaybackSettings,
    /// Time from which the motion holds its last pose instead of repeating, in seconds of the motion.
    held_from: Option<f64>,
    /// Worlds of other documents with the same input.
    followers: Followers,
    /// A baked motion that is displayed in place of the live motion.
    baked_preview: Option<Box<BakedPreview>>,
    /// Progress of settling after a reset; the motion starts once the world has settled.
    settling: Option<Box<SettleProgress>>,
    recent_motion: RecentMotion,
    /// The recorded tick that is displayed in place of the live pose.
    scrub: Option<u64>,
    probe: TipProbe,
    /// Chains that flip from tick to tick are held in their rest pose.
    runaways: RunawayWatch,
    /// Joints that follow the animation in all worlds, by choice of the artist.
    held: HeldJoints,
    /// The newest pose of the live motion.
    live_pose: Option<Arc<Pose>>,
}

impl Playback {
    pub(super) fn new(character: &Arc<Character>, resolved: &ResolvedDocument) -> Self {
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let joints = joint_indices(resolved);
        Self {
            poses: PoseBuffers::new(&resolved.skeleton, &world),
            world,
            runaways: RunawayWatch::new(joints.len()),
            joints,
            body: MotionBody::new(character),
            posing: Arc::new(BodyPosing::new(&character.skeleton, character.facing, body_landmarks(character))),
            accumulator: 0.0,
            time: 0.0,
            previous_time: 0.0,
            crossfade: Crossfade::default(),
            ticks: 0,
            wind_seconds: 0.0,
            paused_run_ticks: 0,
            interaction: Interaction::default(),
            settings: PlaybackSettings::new(Motion::initial(character)),
            held_from: None,
            followers: Followers::default(),
            baked_preview: None,
            settling: None,
            recent_motion: RecentMotion::default(),
            scrub: None,
            probe: TipProbe::default(),
            held: HeldJoints::default(),
            live_pose: None,
        }
    }

    /// Keeps a paused world running for a while after a change. This ends settling.
    fn run_while_paused(&mut self) {
        self.settling = None;
        self.followers.stop_settling();
        self.paused_run_ticks = self.ticks_for(PAUSED_RUN_SECONDS);
    }

    /// Displays the current moment of a paused world from now on.
    pub(super) fn stop_paused_run(&mut self) {
        self.paused_run_ticks = 0;
    }

    pub fn settings(&self) -> &PlaybackSettings {
        &self.settings
    }

    /// Returns the state of the recording.
    pub fn recording(&self) -> &Recording {
        &self.interaction.recording
    }

    /// Returns the local rotation of a bone in the motion, before any solver moves the bone.
    pub(super) fn animated_rotation(&self, bone: BoneId) -> Option<Quat> {
        self.poses.input.local.get(bone.index()).map(|local| local.rotation)
    }

    /// Returns the number of ticks since the last reset.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the time since the start of the motion, in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the time of the displayed pose, which is between the last two ticks, in seconds.
    pub fn displayed_time(&self) -> f64 {
        let recorded = self.scrub.and_then(|tick| self.recent_motion.motion_time(tick));
        let interpolated = || self.previous_time + (self.time - self.previous_time) * self.tick_share();
        recorded.unwrap_or_else(interpolated)
    }

    /// Returns the share of the present tick that has passed.
    fn tick_share(&self) -> f64 {
        (self.accumulator / self.tick_seconds()).clamp(0.0, 1.0)
    }

    /// Returns the period of the motion at its current speed, in seconds; `None` if the motion does not repeat.
    pub fn period(&self, character: &Character, document: &Document) -> Option<f64> {
        if !self.settings.repeats {
            return None;
        }
        let own = self.settings.motion.own_duration(PlaybackSource { character, document })?;
        let period = own / f64::from(self.settings.motion_speed);
        (period.is_finite() && period > 0.0).then_some(period)
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the way of the displayed character from its place in the rest pose, in metres in world space.
    pub fn displayed_travel(&self) -> Option<Vec3> {
        Some(self.body.centre(self.displayed_pose())? - self.body.rest_centre()?)
    }

    /// Returns the height of the character from its lowest to its highest bone, in metres.
    pub fn body_height(&self) -> f32 {
        self.body.height
    }

    /// Returns the dragged bones, including released bones that stay displaced.
    pub fn drags(&self) -> &[Drag] {
        &self.interaction.drags
    }

    /// Returns how drags pose the whole body.
    pub fn body_posing(&self) -> &BodyPosing {
        &self.posing
    }

    /// Returns the drags that stay displaced, for the kept pose.
    pub(super) fn held_drags(&self) -> Vec<PosedBone> {
        let held = self.interaction.drags.iter().filter(|drag| drag.is_held());
        held.map(|drag| PosedBone { bone: drag.bone, reach: drag.reach, sample: drag.sample }).collect()
    }

    pub(super) fn clear_held_drags(&mut self) {
        self.interaction.drags.retain(|drag| !drag.is_held());
    }

    /// Returns the bone whose tip is dragged.
    pub fn grabbed_tip(&self) -> Option<BoneId> {
        self.interaction.grab.filter(|(_, target)| matches!(target, GrabTarget::Tip(_))).map(|(bone, _)| bone)
    }

    /// Returns the index of a bone's joint in the world.
    pub fn joint_index(&self, bone: BoneId) -> Option<JointIndex> {
        self.joints.get(&bone).copied()
    }

    /// Returns the tip of a bone's joint in a pose, in world space, in metres.
    pub(super) fn tip_position(&self, pose: &WorldPose, bone: BoneId) -> Option<Vec3> {
        let offset = self.world.tip_offset(self.joint_index(bone)?)?;
        pose.frames.get(bone.index()).map(|frame| frame.position + frame.rotation * offset)
    }

    /// Returns the displayed tip of a joint, in world space, in metres.
    pub fn displayed_tip(&self, bone: BoneId) -> Option<Vec3> {
        self.tip_position(self.displayed_pose(), bone)
    }

    /// Returns whether the viewport changes without user input, so the window must repaint.
    pub fn is_moving(&self) -> bool {
        self.scrub.is_none()
            && (self.settings.playing
                || self.paused_run_ticks > 0
                || self.is_settling()
                || self.interaction.drags.iter().any(|d| d.spring_back_seconds.is_some()))
    }

    /// Sets the viewer position for the next ticks, in world space, in metres. Ignores positions that are not finite.
    pub(super) fn set_viewer(&mut self, viewer: Vec3) {
        if !viewer.is_finite() {
            return;
        }
        let viewer = viewer.clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        self.world.set_viewer(viewer);
        self.followers.set_viewer(viewer);
    }

    pub(super) fn drag(&mut self, bone: BoneId, reach: DragReach, sample: GestureSample, source: PlaybackSource<'_>) {
        let is_there = bone.index() < source.character.skeleton.len();
        let Some(sample) = sanitize_sample(sample).filter(|_| is_there) else { return };
        self.end_scrub();
        self.interaction.set_drag(Drag { bone, reach, sample, spring_back_seconds: None });
        if self.interaction.recording == Recording::Armed {
            let (base_motion, wind) = (self.current_base_motion(source), self.wind_of_tick(source));
            self.interaction.recording = Recording::start(bone, reach, base_motion, wind);
        }
        self.run_while_paused();
    }

    pub(super) fn release_drag(&mut self, bone: BoneId) {
        let springs_back =
            self.settings.drags_spring_back || matches!(self.interaction.recording, Recording::Running { .. });
        if springs_back {
            self.interaction.release(bone);
        }
        self.run_while_paused();
    }

    pub(super) fn set_grab(&mut self, grab: Option<(BoneId, GrabTarget)>) {
        let far = Vec3::splat(MAX_COORDINATE);
        if grab.is_some() {
            self.end_scrub();
        }
        self.interaction.grab = grab.and_then(|(bone, target)| match target {
            GrabTarget::Tip(at) => at.is_finite().then(|| (bone, GrabTarget::Tip(at.clamp(-far, far)))),
            GrabTarget::Direction(direction) => Some((bone, GrabTarget::Direction(direction.try_normalize()?))),
        });
        self.run_while_paused();
    }

    /// Arms or stops recording. Returns the gesture if stopping completed one.
    pub(super) fn set_recording(&mut self, armed: bool, document: &Document) -> Option<RecordedGesture> {
        let next = if armed { Recording::Armed } else { Recording::Off };
        finish_recording(std::mem::replace(&mut self.interaction.recording, next), document)
    }

    /// Stops the motion if its gesture was deleted.
    pub(super) fn stop_missing_gesture(&mut self, document: &Document) {
        if let Motion::Gesture(id) = self.settings.motion
            && !document.gestures.contains_key(&id)
        {
            self.freeze_crossfade();
            self.set_motion(Motion::Still);
        }
    }

    pub(super) fn bake(&mut self, resolved: &ResolvedDocument) {
        self.world.bake(&self.held.applied_to(&resolved.systems));
        self.runaways.restart(self.joints.len());
        self.run_while_paused();
    }

    pub(super) fn rebuild(&mut self, resolved: &ResolvedDocument) {
        // A committed preview has already replaced the world.
        let has_same_bones = self.recent_motion.bone_count() == resolved.skeleton.len();
        if !has_same_bones || !has_same_hierarchy(self.world.skeleton(), &resolved.skeleton) {
            self.recent_motion.clear();
            self.scrub = None;
        }
        self.world.rebuild(&resolved.skeleton, &self.held.applied_to(&resolved.systems));
        self.joints = joint_indices(resolved);
        self.runaways.restart(self.joints.len());
        let (rest, file_bones) = (Pose::rest(&resolved.skeleton), self.body.bone_count());
        // Helpers may be new, but the bones of the file keep their pose until the next tick. A new character may have fewer.
        self.poses.input.local.truncate(file_bones.min(rest.local.len()));
        self.poses.input.local.extend_from_slice(&rest.local[self.poses.input.local.len()..]);
        self.poses.rest = rest;
        self.poses.previous = self.world.pose().clone();
        self.previous_time = self.time;
        self.update_displayed_pose();
        self.run_while_paused();
    }

    pub(super) fn replace_character(&mut self, character: &Arc<Character>, resolved: &ResolvedDocument) {
        let settings = self.settings;
        let mut fresh = Self::new(character, resolved);
        fresh.settings = settings;
        // The numbers of ticks continue.
        std::mem::swap(&mut fresh.recent_motion, &mut self.recent_motion);
        fresh.recent_motion.clear();
        if let Some(viewer) = self.world.viewer() {
            fresh.world.set_viewer(viewer);
        }
        if settings.motion.clip().is_some_and(|clip| clip >= character.clips.len()) {
            fresh.settings.motion = Motion::Still;
        }
        *self = fresh;
    }

    /// Restarts the motion, releases all drags, and lets the world settle.
    pub(super) fn reset(&mut self, source: PlaybackSource<'_>) {
        self.reset_to(0.0, source);
    }

    /// Like [`Self::reset`], but the motion continues from a time in seconds.
    fn reset_to(&mut self, time: f64, source: PlaybackSource<'_>) {
        self.interaction.drags.clear();
        self.interaction.grab = None;
        self.release_runaways(source);
        self.recent_motion.clear();
        self.scrub = None;
        (self.time, self.previous_time) = (time, time);
        self.crossfade = Crossfade::default();
        self.ticks = 0;
        self.wind_seconds = 0.0;
        self.accumulator = 0.0;
        self.update_input_pose(source);
        self.world.set_test_wind(None);
        self.world.reset(&self.poses.input);
        self.settle();
        self.update_displayed_pose();
    }

    /// Pauses at a time of the motion, in seconds. The world settles at an earlier pose of the motion, and the motion plays
    /// for `lead` seconds, at most [`MAX_LEAD_SECONDS`].
    pub(super) fn seek(&mut self, time: f64, lead: f64, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        let is_usable = time.is_finite() && lead.is_finite();
        let (time, lead) = if is_usable { (time, lead.clamp(0.0, MAX_LEAD_SECONDS)) } else { (0.0, 0.0) };
        let ticks = self.ticks_for(lead);
        let speed = f64::from(self.settings.motion_speed);
        self.set_playing(false);
        self.reset_to(time - f64::from(ticks) * self.tick_seconds() * speed, source);
        let mut gesture = None;
        for _ in 0..ticks {
            gesture = self.step(source).or(gesture);
        }
        (self.time, self.previous_time) = (time, time);
        gesture
    }

    /// Makes the current input pose the rest pose, in solvers that support a new rest pose.
    pub(super) fn set_rest_pose(&mut self) {
        self.world.set_rest_pose(&self.poses.input);
        self.followers.set_rest_pose(&self.poses.input);
        self.poses.previous.copy_from(self.world.pose());
        self.previous_time = self.time;
        self.update_displayed_pose();
        self.run_while_paused();
    }

    /// Returns whether the input pose of the simulation is constant.
    pub(super) fn is_input_still(&self) -> bool {
        let is_in_motion = self.settings.playing && self.settings.motion != Motion::Still;
        !is_in_motion
            && self.settings.wind.is_none()
            && self.interaction.grab.is_none()
            && self.interaction.drags.iter().all(|drag| drag.spring_back_seconds.is_none())
    }

    /// Runs one tick, even if playback is paused.
    pub(super) fn step(&mut self, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        self.scrub = None;
        self.continue_settling(u64::MAX);
        self.previous_time = self.time;
        self.time += self.tick_seconds() * f64::from(self.settings.motion_speed);
        let gesture = self.tick(source);
        self.accumulator = 0.0;
        self.previous_time = self.time;
        self.poses.previous.copy_from(self.world.pose());
        self.followers.snap_display_pose();
        self.update_displayed_pose();
        gesture
    }

    pub(super) fn advance(&mut self, seconds: f64, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        if !self.is_moving() || !seconds.is_finite() {
            return None;
        }
        if self.is_settling() {
            self.continue_settling(SETTLE_VISITS_PER_FRAME);
            self.update_displayed_pose();
            return None;
        }
        let pace = if self.settings.playing { f64::from(self.settings.speed) } else { 1.0 };
        self.accumulator += seconds.clamp(0.0, MAX_CATCH_UP_SECONDS) * pace;
        let mut gesture = None;
        let tick = self.tick_seconds();
        let live: u64 = self.world.workloads(tick as f32).map(|work| work.visits).sum();
        let visits = (live + self.followers.visits_per_tick(tick as f32)).max(1);
        let most = (MAX_CATCH_UP_VISITS / visits).max(1) as f64;
        if self.accumulator >= (most + 1.0) * tick {
            self.accumulator = most * tick + self.accumulator % tick;
        }
        while self.accumulator >= tick {
            self.accumulator -= tick;
            self.previous_time = self.time;
            if self.settings.playing {
                self.time += tick * f64::from(self.settings.motion_speed);
            }
            gesture = self.tick(source).or(gesture);
            self.paused_run_ticks = self.paused_run_ticks.saturating_sub(1);
        }
        self.update_displayed_pose();
        gesture
    }

    fn tick(&mut self, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        self.crossfade.advance(self.tick_seconds(), self.time - self.previous_time);
        self.update_input_pose(source);
        let grab = self
            .interaction
            .grab
            .and_then(|(bone, target)| self.joints.get(&bone).map(|joint| JointGrab { joint: *joint, target }));
        self.poses.previous.copy_from(self.world.pose());
        let tick = self.tick_seconds();
        let wind = self.wind_of_tick(source);
        self.world.set_test_wind(wind);
        self.world.step(&StepInput { pose: &self.poses.input, grab, dt: tick as f32 });
        self.watch_runaways(source);
        self.recent_motion.record(self.world.pose(), self.time, tick);
        self.record_parts();
        let grab = self.interaction.grab;
        self.followers.tick(&FollowerInput { pose: &self.poses.input, grab, wind, dt: tick as f32 });
        self.ticks += 1;
        self.wind_seconds += tick;
        let gesture = self.interaction.record(self.settings.player_frame_rate, source.document);
        self.interaction.advance(tick);
        gesture
    }

    /// Returns the wind of the next step: the test wind, else the wind in which the present gesture was recorded.
    fn wind_of_tick(&self, source: PlaybackSource<'_>) -> Option<WindMoment> {
        if let Some(wind) = self.settings.wind {
            return Some(WindMoment { wind, seconds: self.wind_seconds });
        }
        let Motion::Gesture(id) = self.settings.motion else { return None };
        let gesture = source.document.gestures.get(&id)?;
        let length = gesture.samples.len() as f64 * TICK_SECONDS;
        let start = gesture.wind?;
        let since_start = self.time.rem_euclid(length) / f64::from(self.settings.motion_speed);
        Some(WindMoment { seconds: start.seconds + since_start, ..start })
    }

    /// Returns the time of the test wind: the seconds of simulation since the last reset.
    pub const fn wind_seconds(&self) -> f64 {
        self.wind_seconds
    }

    pub(super) fn set_test_wind(&mut self, wind: Option<TestWind>) {
        self.settings.wind = wind.map(TestWind::sanitized);
        self.run_while_paused();
    }

    /// Sets the pose of the live motion. A pose of another character, and a pose with unusable values, is the relaxed pose.
    pub(super) fn set_live_pose(&mut self, pose: Option<Arc<Pose>>) {
        let is_usable = |local: &Trs| local.is_finite() && local.translation.abs().max_element() <= MAX_COORDINATE;
        self.live_pose =
            pose.filter(|pose| pose.local.len() == self.body.bone_count() && pose.local.iter().all(is_usable));
    }

    /// Updates the input pose of the simulation: motion and drags.
    fn update_input_pose(&mut self, source: PlaybackSource<'_>) {
        let (mut input, mut spare) = (std::mem::take(&mut self.poses.input), std::mem::take(&mut self.poses.scratch));
        self.write_input_pose(self.settings.motion, self.time, source, &mut input, &mut spare);
        (self.poses.input, self.poses.scratch) = (input, spare);
    }

    /// Writes the pose of a motion at a time in seconds, including the kept pose, a crossfade, drags and the constraints of
    /// the character. `spare` provides temporary poses.
    fn write_input_pose(
        &self,
        motion: Motion,
        seconds: f64,
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        let moment = MotionTime { motion, seconds, amplitude: self.settings.amplitude };
        self.write_motion(moment, source, pose, spare);
        self.apply_crossfade(source, pose, spare);
        for drag in &self.interaction.drags {
            self.displace(pose, drag.bone, drag.reach, drag.current_sample());
        }
        source.character.constraints.apply(&source.character.skeleton, pose);
    }

    /// Returns the pose without motion and drags: the relaxed pose with the kept pose.
    pub(super) fn still_pose(&self, source: PlaybackSource<'_>) -> Pose {
        let mut pose = Pose::default();
        let moment = MotionTime { motion: Motion::Still, seconds: 0.0, amplitude: 0.0 };
        self.write_motion(moment, source, &mut pose, &mut Vec::new());
        source.character.constraints.apply(&source.character.skeleton, &mut pose);
        pose
    }

    /// Writes the relaxed pose.
    fn write_relaxed(&self, pose: &mut Pose) {
        pose.copy_from(&self.poses.rest);
        self.body.relax(pose);
    }

    /// Writes the pose of a motion at a moment, and then applies the kept pose. Animations of a
    /// file start from the rest pose, because they may move only some bones of it; all other motions start from the relaxed
    /// pose. A gesture plays on top of the kept pose, like its recording.
    fn write_motion(&self, moment: MotionTime, source: PlaybackSource<'_>, pose: &mut Pose, spare: &mut Vec<Pose>) {
        let MotionTime { motion, seconds, amplitude } = moment;
        // The motion that a gesture plays on differs from the motion of the playback, so only the latter is held.
        let held_from = self.held_from(source).filter(|_| motion == self.settings.motion);
        let is_held = held_from.is_some_and(|end| seconds > end - HELD_TOLERANCE);
        match motion {
            Motion::Still => {
                self.write_relaxed(pose);
                self.apply_kept_pose(source.document, pose);
            }
            Motion::Live => {
                self.write_relaxed(pose);
                if let Some(live) = &self.live_pose {
                    let bones = live.local.len().min(pose.local.len());
                    pose.local[..bones].copy_from_slice(&live.local[..bones]);
                }
                self.apply_kept_pose(source.document, pose);
            }
            Motion::Test(motion) => {
                self.write_relaxed(pose);
                let period = motion.period();
                // Wrap in f64: after an hour, rounding errors in f32 would shake the hair.
                let time = seconds.rem_euclid(f64::from(period)) as f32;
                let time = if is_held { period * LAST_POSE } else { time };
                motion.apply(time, amplitude, &self.body, pose);
                self.apply_kept_pose(source.document, pose);
            }
            Motion::Clip(clip) => {
                pose.copy_from(&self.poses.rest);
                if let Some(clip) = source.character.clips.get(clip) {
                    let duration = f64::from(clip.duration);
                    if is_held {
                        clip.sample_clamped(clip.duration, pose);
                    } else {
                        let time = if duration > 0.0 { seconds.rem_euclid(duration) } else { 0.0 };
                        clip.sample(time as f32, pose);
                    }
                }
                self.apply_kept_pose(source.document, pose);
            }
            Motion::Range(range) => {
                pose.copy_from(&self.poses.rest);
                if let Some(clip) = source.character.clips.get(range.clip) {
                    let [start, end] = range.seconds();
                    let time = if is_held { end } else { start + seconds.rem_euclid(end - start) };
                    clip.sample_clamped(time as f32, pose);
                }
                self.apply_kept_pose(source.document, pose);
            }
            Motion::Gesture(id) => {
                // After the last sample, a gesture moves back to its first sample.
                let time = held_from.map_or(seconds, |end| seconds.min(end - TICK_SECONDS));
                self.write_base_motion(id, time, source, pose, spare);
                if let Some(gesture) = source.document.gestures.get(&id) {
                    let sample = sample_at(&gesture.samples, time / TICK_SECONDS);
                    self.displace(pose, gesture.bone, gesture.reach, sample);
                }
            }
        }
    }

    /// Limits the present animation to a range in seconds of the animation, or plays all of it. The moment stays, if it is
    /// in the range.
    pub(super) fn set_range(&mut self, range: Option<[f64; 2]>, source: PlaybackSource<'_>) {
        let Some(clip) = self.settings.motion.clip() else { return };
        let Some(whole) = Motion::Clip(clip).own_duration(source) else { return };
        let moment = self.motion_seconds(source.character, source.document);
        let motion =
            range.and_then(|range| ClipRange::new(clip, range, whole)).map_or(Motion::Clip(clip), Motion::Range);
        self.set_motion(motion);
        let since_start = moment - motion.start_seconds();
        if motion.own_duration(source).is_some_and(|length| (0.0..length).contains(&since_start)) {
            (self.time, self.previous_time) = (since_start, since_start);
        }
    }

    /// Returns the time in the present motion, within its duration, in seconds. While a range plays, this is the time in the
    /// whole animation.
    pub fn motion_seconds(&self, character: &Character, document: &Document) -> f64 {
        let source = PlaybackSource { character, document };
        let motion = self.settings.motion;
        let length = motion.own_duration(source).filter(|length| *length > 0.0);
        let seconds = self.displayed_time();
        motion.start_seconds()
            + length.map_or(seconds, |length| {
                if self.settings.repeats { seconds.rem_euclid(length) } else { seconds.min(length) }
            })
    }

    /// Returns the time from which the motion holds its last pose instead of repeating, in seconds of the motion.
    fn held_from(&self, source: PlaybackSource<'_>) -> Option<f64> {
        if self.settings.repeats {
            return self.held_from;
        }
        self.held_from.or_else(|| self.settings.motion.own_duration(source))
    }

    /// Updates the displayed poses of all worlds to the same time: the scrubbed tick, or a time between the last two ticks.
    fn update_displayed_pose(&mut self) {
        let range = self.scrub_range();
        let scrub = self.scrub.filter(|_| !range.is_empty());
        self.scrub = scrub.map(|tick| tick.clamp(range.start, range.end - 1));
        let time = self.scrub.map_or(DisplayedTime::Live(self.tick_share() as f32), DisplayedTime::Recorded);
        self.poses.display(&self.world, &self.recent_motion, time);
        self.followers.update_displayed_poses(time, &self.poses.displayed);
        self.update_baked_pose();
    }
}

/// Returns whether the bones of one skeleton have the same parents as the bones of another.
fn has_same_hierarchy(a: &Skeleton, b: &Skeleton) -> bool {
    a.len() == b.len() && a.bones().iter().zip(b.bones()).all(|(a, b)| a.parent == b.parent)
}

fn joint_indices(resolved: &ResolvedDocument) -> BTreeMap<BoneId, JointIndex> {
    let index = |system: usize, joint: usize| JointIndex { system: system as u32, joint: joint as u32 };
    let of_system = |(system, refs): (usize, &Vec<JointRef>)| {
        let joints = refs.iter().enumerate().map(|(joint, r)| (r.bone, index(system, joint)));
        joints.collect::<Vec<_>>()
    };
    resolved.joint_refs.iter().enumerate().flat_map(of_system).collect()
}
