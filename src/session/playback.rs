//! The clock, the motion and the artist's hands: everything between seconds and steps.
//!
//! Time is counted in ticks: one for each frame of the players' screens that is previewed, 60 a second by default. What
//! the own display does between two ticks is interpolation and changes nothing. Motions, drags and gestures are inputs
//! per tick, so equal ticks give equal bits; all of them run on seconds, so that they keep their pace at every rate. The
//! position of the viewer is such an input too; it only matters to components that rest far from the viewer.

mod interaction;
mod preview_world;

pub use interaction::{Drag, Recording};
pub(super) use interaction::{RecordedGesture, missing_base_motion};

use crate::document::{Document, GestureId, GestureSample, JointRef, ResolvedDocument};
use crate::rig::{BoneId, Character, Pose, WorldPose};
use crate::sim::{JointIndex, StepInput, TipGrab, World};
use crate::stage::{MotionBody, TestMotion};
use glam::{Quat, Vec3};
use interaction::{Interaction, displace, finish_recording, sample_at, sanitize_sample};
use preview_world::PreviewWorld;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Seconds of one tick of the world's clock at the usual rate, and from one sample of a gesture to the next.
pub const TICK_SECONDS: f64 = 1.0 / 60.0;
/// At most so many seconds are caught up after a hitch; the rest is dropped.
const MAX_CATCH_UP_SECONDS: f64 = 0.5;
/// Seconds that a paused world runs on after a hand let go or a number changed.
const PAUSED_RUN_SECONDS: f64 = 2.5;
/// At most so many seconds are run unseen so that hair hangs as it will hang.
const MAX_SETTLE_SECONDS: f64 = 15.0;
/// Hair hangs still when no bone turned by more than about this many radians in a tick of the usual rate, for so many
/// seconds.
const STILL_THRESHOLD: (f32, f64) = (2e-5, 0.2);

/// Bound of drags, grabs and the viewer along each axis, metres.
const MAX_COORDINATE: f32 = 1e4;

/// What moves the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Nothing but the artist.
    Still,
    /// A built-in motion.
    Test(TestMotion),
    /// An animation of the file, by position.
    Clip(usize),
    /// A recorded drag.
    Gesture(GestureId),
}

/// What is played: the motions of the character and the gestures of the document.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaybackSource<'a> {
    pub character: &'a Character,
    pub document: &'a Document,
}

/// The clock, the live world and what moves it.
#[derive(Clone, Debug)]
pub struct Playback {
    world: World,
    /// The place of each joint in the world.
    joints: BTreeMap<BoneId, JointIndex>,
    body: MotionBody,
    poses: PoseBuffers,
    accumulator: f64,
    /// Seconds into the motion.
    time: f64,
    ticks: u64,
    /// Ticks left.
    paused_run_ticks: u32,
    interaction: Interaction,
    settings: PlaybackSettings,
    /// A change that is shown and not made.
    preview_world: Option<Box<PreviewWorld>>,
    /// What is left of settling after a reset; the motion waits for its end.
    settling: Option<Box<SettleProgress>>,
}

/// Pose buffers, kept so that a tick allocates nothing.
#[derive(Clone, Debug, Default)]
struct PoseBuffers {
    rest: Pose,
    input: Pose,
    previous: Pose,
    interpolated: Pose,
    displayed: WorldPose,
    /// Lent to what needs a pose for a moment.
    scratch: Vec<Pose>,
}

/// Visits (see [`crate::sim::Workload`]) of settling that a reset does at once; usual characters need fewer.
const SETTLE_VISITS_ON_RESET: u64 = 4_000_000;
/// Visits of settling in each later frame of the window, so that the window stays alive.
const SETTLE_VISITS_PER_FRAME: u64 = 2_000_000;
/// Visits after which settling ends, still or not.
const MAX_SETTLE_VISITS: u64 = 30_000_000;
/// Visits that one frame of the window catches up; time beyond them is dropped.
const MAX_CATCH_UP_VISITS: u64 = 3_000_000;

/// When a world counts as hanging still.
#[derive(Clone, Debug)]
struct SettleCriteria {
    /// Length of a tick, seconds.
    dt: f32,
    /// The farthest that a bone may turn in a tick, radians.
    max_rotation: f32,
    /// For how many ticks.
    ticks: u32,
    /// It is left alone after as many.
    max_ticks: u32,
}

/// How far settling has come.
#[derive(Clone, Debug)]
struct SettleProgress {
    criteria: SettleCriteria,
    /// Steps so far.
    steps: u32,
    /// Steps in which nothing moved, up to now.
    still_steps: u32,
    /// Visits so far.
    visits: u64,
}

impl SettleProgress {
    fn new(calm: SettleCriteria) -> Self {
        Self { criteria: calm, steps: 0, still_steps: 0, visits: 0 }
    }

    /// Steps until all hangs still, or `visits` more are made; whether settling has ended. `poses` holds the world's pose
    /// twice afterwards.
    fn advance(&mut self, world: &mut World, poses: &mut PoseBuffers, visits: u64) -> bool {
        let calm = &self.criteria;
        let each = world.work(calm.dt).map(|work| work.visits).sum::<u64>().max(1);
        let until = self.visits.saturating_add(visits);
        let mut ended = self.steps >= calm.max_ticks;
        while !ended && self.visits < until {
            poses.previous.copy_from(world.pose());
            world.step(&StepInput { pose: &poses.input, grab: None, dt: calm.dt });
            let turns = |a: Quat, b: Quat| (a - b).length() * 2.0;
            let bones = poses.previous.local.iter().zip(&world.pose().local);
            let is_calm = bones.into_iter().all(|(a, b)| turns(a.rotation, b.rotation) < calm.max_rotation);
            self.still_steps = if is_calm { self.still_steps + 1 } else { 0 };
            self.steps += 1;
            self.visits += each;
            ended = self.still_steps == calm.ticks || self.steps >= calm.max_ticks || self.visits >= MAX_SETTLE_VISITS;
        }
        poses.previous.copy_from(world.pose());
        ended
    }
}

impl Playback {
    pub(super) fn new(character: &Arc<Character>, resolved: &ResolvedDocument) -> Self {
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let rest = Pose::rest(&resolved.skeleton);
        let shown = world.frames().clone();
        let poses = PoseBuffers {
            input: rest.clone(),
            previous: rest.clone(),
            interpolated: rest.clone(),
            rest,
            displayed: shown,
            scratch: Vec::new(),
        };
        let motion = if character.skeleton.is_empty() { Motion::Still } else { Motion::Test(TestMotion::Turn) };
        Self {
            world,
            joints: joint_indices(resolved),
            body: MotionBody::new(character),
            poses,
            accumulator: 0.0,
            time: 0.0,
            ticks: 0,
            paused_run_ticks: 0,
            interaction: Interaction::default(),
            settings: PlaybackSettings::new(motion),
            preview_world: None,
            settling: None,
        }
    }

    /// Lets a paused world run on for a while. Whoever changes something does not wait until all hangs still.
    fn run_while_paused(&mut self) {
        self.settling = None;
        self.paused_run_ticks = self.ticks_for(PAUSED_RUN_SECONDS);
    }

    /// What was chosen at the transport.
    pub fn settings(&self) -> &PlaybackSettings {
        &self.settings
    }

    /// How far recording is.
    pub fn recording(&self) -> &Recording {
        &self.interaction.recording
    }

    /// A bone's turn as the motion has it, before any solver; in its parent's space.
    pub(super) fn animated_rotation(&self, bone: BoneId) -> Option<Quat> {
        self.poses.input.local.get(bone.index()).map(|local| local.rotation)
    }

    /// Ticks since the last reset.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Seconds into the motion.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Seconds until the motion begins again, at its present speed; `None` where nothing repeats.
    pub fn period(&self, character: &Character, document: &Document) -> Option<f64> {
        let at_own_speed = match self.settings.motion {
            Motion::Still => return None,
            Motion::Test(motion) => f64::from(motion.period()),
            Motion::Clip(clip) => f64::from(character.clips.get(clip)?.duration),
            Motion::Gesture(id) => document.gestures.get(&id)?.samples.len() as f64 * TICK_SECONDS,
        };
        let period = at_own_speed / f64::from(self.settings.motion_speed);
        (period.is_finite() && period > 0.0).then_some(period)
    }

    /// The live world after the last tick.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// What the artist holds or has left displaced.
    pub fn drags(&self) -> &[Drag] {
        &self.interaction.drags
    }

    /// The tip in the artist's hand.
    pub fn grabbed_tip(&self) -> Option<BoneId> {
        self.interaction.grab.map(|g| g.0)
    }

    /// The place of a bone's joint in the simulation.
    pub fn joint_index(&self, bone: BoneId) -> Option<JointIndex> {
        self.joints.get(&bone).copied()
    }

    /// The tip of a bone's joint in a pose, metres in the world.
    pub(super) fn tip_position(&self, pose: &WorldPose, bone: BoneId) -> Option<Vec3> {
        let offset = self.world.tip_offset(self.joint_index(bone)?)?;
        pose.frames.get(bone.index()).map(|frame| frame.position + frame.rotation * offset)
    }

    /// Where a joint's tip is drawn, metres in the world.
    pub fn displayed_tip(&self, bone: BoneId) -> Option<Vec3> {
        self.tip_position(self.displayed_pose(), bone)
    }

    /// Whether the picture changes on its own, so that the window must be drawn again.
    pub fn is_moving(&self) -> bool {
        self.settings.playing
            || self.paused_run_ticks > 0
            || self.settling.is_some()
            || self.interaction.drags.iter().any(|d| d.spring_back_seconds.is_some())
    }

    /// Where the viewer stands from the next tick on, metres in the world; a viewer that is nowhere changes nothing.
    pub(super) fn set_viewer(&mut self, viewer: Vec3) {
        if !viewer.is_finite() {
            return;
        }
        let viewer = viewer.clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        self.world.set_viewer(viewer);
        if let Some(twin) = &mut self.preview_world {
            twin.set_viewer(viewer);
        }
    }

    pub(super) fn drag(&mut self, bone: BoneId, sample: GestureSample, source: PlaybackSource<'_>) {
        let is_there = bone.index() < source.character.skeleton.len();
        let Some(sample) = sanitize_sample(sample).filter(|_| is_there) else { return };
        let drag = Drag { bone, sample, spring_back_seconds: None };
        match self.interaction.drags.iter_mut().find(|d| d.bone == bone) {
            Some(old) => *old = drag,
            None => self.interaction.drags.push(drag),
        }
        if self.interaction.recording == Recording::Armed {
            self.interaction.recording = Recording::start(bone, self.current_base_motion(source));
        }
        self.run_while_paused();
    }

    pub(super) fn release_drag(&mut self, bone: BoneId) {
        let springs_back =
            self.settings.drags_spring_back || matches!(self.interaction.recording, Recording::Running { .. });
        if springs_back && let Some(drag) = self.interaction.drags.iter_mut().find(|d| d.bone == bone) {
            drag.spring_back_seconds = Some(0.0);
        }
        self.run_while_paused();
    }

    pub(super) fn set_grab(&mut self, grab: Option<(BoneId, Vec3)>) {
        let bounded = |target: Vec3| target.clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE));
        self.interaction.grab = grab.filter(|g| g.1.is_finite()).map(|(bone, target)| (bone, bounded(target)));
        self.run_while_paused();
    }

    /// Waits for a drag to record, or stops; what was recorded so far is returned.
    pub(super) fn set_recording(&mut self, armed: bool, document: &Document) -> Option<RecordedGesture> {
        let next = if armed { Recording::Armed } else { Recording::Off };
        finish_recording(std::mem::replace(&mut self.interaction.recording, next), document)
    }

    /// A motion whose gesture is gone stands still.
    pub(super) fn stop_missing_gesture(&mut self, document: &Document) {
        if let Motion::Gesture(id) = self.settings.motion
            && !document.gestures.contains_key(&id)
        {
            self.set_motion(Motion::Still);
        }
    }

    pub(super) fn bake(&mut self, resolved: &ResolvedDocument) {
        self.world.bake(&resolved.systems);
        self.run_while_paused();
    }

    pub(super) fn rebuild(&mut self, resolved: &ResolvedDocument) {
        self.world.rebuild(&resolved.skeleton, &resolved.systems);
        self.joints = joint_indices(resolved);
        let rest = Pose::rest(&resolved.skeleton);
        self.poses.input = rest.clone();
        self.poses.rest = rest;
        self.poses.previous = self.world.pose().clone();
        self.update_displayed_pose();
        self.run_while_paused();
    }

    pub(super) fn replace_character(&mut self, character: &Arc<Character>, resolved: &ResolvedDocument) {
        let settings = self.settings;
        let mut fresh = Self::new(character, resolved);
        fresh.settings = settings;
        if let Some(viewer) = self.world.viewer() {
            fresh.world.set_viewer(viewer);
        }
        if let Motion::Clip(clip) = settings.motion
            && clip >= character.clips.len()
        {
            fresh.settings.motion = Motion::Still;
        }
        *self = fresh;
    }

    /// Back to the beginning of the motion, hands off, everything hanging still.
    pub(super) fn reset(&mut self, source: PlaybackSource<'_>) {
        self.interaction.drags.clear();
        self.interaction.grab = None;
        self.time = 0.0;
        self.ticks = 0;
        self.accumulator = 0.0;
        self.update_input_pose(source);
        self.world.reset(&self.poses.input);
        if let Some(twin) = &mut self.preview_world {
            twin.restart(&self.poses.input);
        }
        self.settle();
        self.update_displayed_pose();
    }

    /// The pose that is shown counts as rest from now on, where the solver can do so.
    pub(super) fn set_rest_pose(&mut self) {
        self.world.set_rest_pose(&self.poses.input);
        if let Some(twin) = &mut self.preview_world {
            twin.set_rest_pose(&self.poses.input);
        }
        self.poses.previous.copy_from(self.world.pose());
        self.update_displayed_pose();
        self.run_while_paused();
    }

    /// When everything counts as hanging still; at most so many seconds are waited for that.
    fn settle_criteria(&self, most: f64) -> SettleCriteria {
        SettleCriteria {
            dt: self.tick_seconds() as f32,
            max_rotation: STILL_THRESHOLD.0 * (f64::from(DEFAULT_FRAME_RATE) * self.tick_seconds()) as f32,
            ticks: self.ticks_for(STILL_THRESHOLD.1),
            // Steps may be taken once a tick however long it is: slower players need as many.
            max_ticks: self.ticks_for(most).max((most * f64::from(DEFAULT_FRAME_RATE)) as u32),
        }
    }

    /// Whether the pose that the simulation starts from stays as it is.
    pub(super) fn is_input_still(&self) -> bool {
        let is_in_motion = self.settings.playing && self.settings.motion != Motion::Still;
        !is_in_motion
            && self.interaction.grab.is_none()
            && self.interaction.drags.iter().all(|drag| drag.spring_back_seconds.is_none())
    }

    /// Runs both worlds unseen until everything hangs still. What takes long goes on in later frames.
    fn settle(&mut self) {
        let calm = self.settle_criteria(MAX_SETTLE_SECONDS);
        self.settling = Some(Box::new(SettleProgress::new(calm.clone())));
        if let Some(twin) = &mut self.preview_world {
            twin.settle(calm, SETTLE_VISITS_ON_RESET);
        }
        self.continue_settling(SETTLE_VISITS_ON_RESET);
    }

    /// Settles for some more visits.
    fn continue_settling(&mut self, visits: u64) {
        if let Some(settling) = &mut self.settling
            && settling.advance(&mut self.world, &mut self.poses, visits)
        {
            self.settling = None;
        }
    }

    /// Whether everything still swings to where it will hang, before the motion starts.
    pub fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// One tick, whether time runs or not.
    pub(super) fn step(&mut self, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        self.continue_settling(u64::MAX);
        self.time += self.tick_seconds() * f64::from(self.settings.motion_speed);
        let gesture = self.tick(source);
        self.accumulator = 0.0;
        self.poses.previous.copy_from(self.world.pose());
        self.update_displayed_pose();
        gesture
    }

    pub(super) fn advance(&mut self, seconds: f64, source: PlaybackSource<'_>) -> Option<RecordedGesture> {
        if !self.is_moving() || !seconds.is_finite() {
            return None;
        }
        if self.settling.is_some() {
            self.continue_settling(SETTLE_VISITS_PER_FRAME);
            self.update_displayed_pose();
            return None;
        }
        let pace = if self.settings.playing { f64::from(self.settings.speed) } else { 1.0 };
        self.accumulator += seconds.clamp(0.0, MAX_CATCH_UP_SECONDS) * pace;
        let mut gesture = None;
        let tick = self.tick_seconds();
        let visits = self.world.work(tick as f32).map(|work| work.visits).sum::<u64>().max(1);
        let most = (MAX_CATCH_UP_VISITS / visits).max(1) as f64;
        if self.accumulator >= (most + 1.0) * tick {
            self.accumulator = most * tick + self.accumulator % tick;
        }
        while self.accumulator >= tick {
            self.accumulator -= tick;
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
        self.update_input_pose(source);
        let hold = self
            .interaction
            .grab
            .and_then(|(bone, target)| self.joints.get(&bone).map(|joint| TipGrab { joint: *joint, target }));
        self.poses.previous.copy_from(self.world.pose());
        let tick = self.tick_seconds();
        self.world.step(&StepInput { pose: &self.poses.input, grab: hold, dt: tick as f32 });
        self.tick_preview(tick as f32);
        self.ticks += 1;
        let gesture = self.interaction.record(self.settings.player_frame_rate, source.document);
        self.interaction.advance(tick);
        gesture
    }

    /// Writes the pose that the simulation starts from: rest, motion, drags.
    fn update_input_pose(&mut self, source: PlaybackSource<'_>) {
        let (mut input, mut spare) = (std::mem::take(&mut self.poses.input), std::mem::take(&mut self.poses.scratch));
        self.write_input_pose((self.settings.motion, self.time), source, &mut input, &mut spare);
        (self.poses.input, self.poses.scratch) = (input, spare);
    }

    /// The pose of a motion, seconds after its beginning, with what the artist holds; `spare` lends memory.
    fn write_input_pose(
        &self,
        (motion, time): (Motion, f64),
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        pose.copy_from(&self.poses.rest);
        self.apply_motion((motion, time, self.settings.amplitude), source, pose, spare);
        for drag in &self.interaction.drags {
            displace(self.world.skeleton(), pose, drag.bone, &drag.current_sample());
        }
    }

    /// Lays a motion over `pose`: which, seconds after its beginning, how lively.
    fn apply_motion(
        &self,
        (motion, time, amplitude): (Motion, f64, f32),
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        match motion {
            Motion::Still => {}
            Motion::Test(motion) => {
                // Wrapped before it loses digits: after an hour a rounded clock would shake the hair.
                let time = time.rem_euclid(f64::from(motion.period())) as f32;
                motion.apply(time, amplitude, &self.body, pose);
            }
            Motion::Clip(clip) => {
                if let Some(clip) = source.character.clips.get(clip) {
                    let duration = f64::from(clip.duration);
                    let time = if duration > 0.0 { time.rem_euclid(duration) } else { 0.0 };
                    clip.sample(time as f32, pose);
                }
            }
            Motion::Gesture(id) => {
                self.apply_base_motion((id, time), source, pose, spare);
                if let Some(gesture) = source.document.gestures.get(&id) {
                    displace(
                        self.world.skeleton(),
                        pose,
                        gesture.bone,
                        &sample_at(&gesture.samples, time / TICK_SECONDS),
                    );
                }
            }
        }
    }

    /// Interpolates between the last two ticks.
    fn update_displayed_pose(&mut self) {
        let share = (self.accumulator / self.tick_seconds()).clamp(0.0, 1.0) as f32;
        let poses = &mut self.poses;
        poses.previous.lerp_into(self.world.pose(), share, &mut poses.interpolated);
        poses.displayed.update(self.world.skeleton(), &poses.interpolated);
        self.update_preview_pose(share);
    }
}

/// The players' frame rates that are offered, frames per second.
pub const PLAYER_FRAME_RATES: [u32; 5] = [30, 60, 90, 120, 144];
/// Frames per second unless the artist says otherwise.
pub(super) const DEFAULT_FRAME_RATE: u32 = 60;

/// Choices of the transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackSettings {
    /// Whether time runs.
    pub playing: bool,
    /// How fast time runs, 0.1..=2.
    pub speed: f32,
    /// What moves the character.
    pub motion: Motion,
    /// How lively the test motion is, 0..=2.
    pub amplitude: f32,
    /// How fast the motion is, relative to its own speed, 0.1..=4.
    pub motion_speed: f32,
    /// Whether a drag springs back when let go.
    pub drags_spring_back: bool,
    /// The players' frame rate that is previewed, frames per second: one tick for each frame.
    pub player_frame_rate: u32,
}

impl PlaybackSettings {
    /// Everything at its usual pace.
    pub(super) const fn new(motion: Motion) -> Self {
        Self {
            playing: true,
            speed: 1.0,
            motion,
            amplitude: 0.6,
            motion_speed: 1.0,
            drags_spring_back: true,
            player_frame_rate: DEFAULT_FRAME_RATE,
        }
    }
}

impl Playback {
    /// Seconds of one tick.
    fn tick_seconds(&self) -> f64 {
        1.0 / f64::from(self.settings.player_frame_rate)
    }

    /// [`Self::tick_seconds`] as the world takes it.
    pub(super) fn tick_seconds_f32(&self) -> f32 {
        self.tick_seconds() as f32
    }

    /// The ticks of so many seconds.
    fn ticks_for(&self, seconds: f64) -> u32 {
        (seconds * f64::from(self.settings.player_frame_rate)).round() as u32
    }

    pub(super) fn set_playing(&mut self, playing: bool) {
        // What has passed of the present tick stays, so that the picture goes on where it stopped.
        self.settings.playing = playing;
        if !playing {
            self.paused_run_ticks = 0;
        }
    }

    /// Previews another frame rate of the players; everything goes on as it is. 10..=1000 frames per second.
    pub(super) fn set_player_frame_rate(&mut self, rate: u32) {
        let left = f64::from(self.paused_run_ticks) * self.tick_seconds();
        self.settings.player_frame_rate = rate.clamp(10, 1000);
        self.paused_run_ticks = self.ticks_for(left);
        self.interaction.recording.change_rate(self.settings.player_frame_rate);
    }

    pub(super) fn set_speed(&mut self, speed: f32) {
        self.settings.speed = clamp_or_keep(speed, (0.1, 2.0), self.settings.speed);
    }

    /// Changes what moves the character, from its beginning; hair swings on.
    pub(super) fn set_motion(&mut self, motion: Motion) {
        self.settings.motion = motion;
        self.time = 0.0;
        self.run_while_paused();
    }

    pub(super) fn set_amplitude(&mut self, amplitude: f32) {
        self.settings.amplitude = clamp_or_keep(amplitude, (0.0, 2.0), self.settings.amplitude);
    }

    pub(super) fn set_motion_speed(&mut self, speed: f32) {
        self.settings.motion_speed = clamp_or_keep(speed, (0.1, 4.0), self.settings.motion_speed);
    }

    pub(super) fn set_springs_back(&mut self, springs_back: bool) {
        self.settings.drags_spring_back = springs_back;
        if springs_back {
            let held = self.interaction.drags.iter_mut().filter(|d| d.spring_back_seconds.is_none());
            held.for_each(|d| d.spring_back_seconds = Some(0.0));
        }
    }
}

/// The value within a range; the value before for NaN.
fn clamp_or_keep(value: f32, (low, high): (f32, f32), before: f32) -> f32 {
    if value.is_nan() { before } else { value.clamp(low, high) }
}

fn joint_indices(resolved: &ResolvedDocument) -> BTreeMap<BoneId, JointIndex> {
    let index = |system: usize, joint: usize| JointIndex { system: system as u32, joint: joint as u32 };
    let of_system = |(system, refs): (usize, &Vec<JointRef>)| {
        let joints = refs.iter().enumerate().map(|(joint, r)| (r.bone, index(system, joint)));
        joints.collect::<Vec<_>>()
    };
    resolved.joint_refs.iter().enumerate().flat_map(of_system).collect()
}
