//! The clock, the motion and the artist's hands: everything between seconds and steps.
//!
//! Time is counted in ticks: one for each frame of the players' screens that the artist previews, 60 a second unless
//! she says otherwise. What the own display does between two ticks is interpolation and changes nothing. Motions,
//! drags and gestures are inputs per tick, so equal ticks give equal bits; all of them run on seconds, so that they
//! keep their pace at every rate. Where the viewer stands is such an input too. It stays where it was told until it is
//! told otherwise, and matters to nothing but components that rest far from the viewer.

mod hands;
mod settings;
mod take;
mod twin;
mod underlay;

pub(super) use hands::Recorded;
pub use hands::{Drag, Recording};
pub use settings::PLAYERS_RATES;
pub(super) use underlay::missing_underlay;

use crate::doc::{Document, GestureId, GestureSample, Resolved};
use crate::rig::{BoneId, Character, Pose, WorldPose};
use crate::sim::{Hold, JointIndex, StepInput, World};
use crate::stage::{Body, TestMotion};
use glam::{Quat, Vec3};
use hands::{Hands, bounded, displace, recorded, sample_at};
use settings::{Settings, USUAL_RATE};
use std::collections::BTreeMap;
use std::sync::Arc;
use twin::Twin;

/// Seconds of one tick of the world's clock at the usual rate, and from one sample of a gesture to the next.
pub const TICK: f64 = 1.0 / 60.0;
/// At most so many seconds are caught up after a hitch; the rest is dropped.
const MOST_BEHIND: f64 = 0.5;
/// Seconds that a paused world runs on after a hand let go or a number changed.
const LIVE_ON: f64 = 2.5;
/// At most so many seconds are run unseen so that hair hangs as it will hang.
const SETTLE: f64 = 15.0;
/// Hair hangs still when no bone turned by more than about this many radians in a tick of the usual rate, for so many
/// seconds.
const STILL: (f32, f64) = (2e-5, 0.2);

/// Bound of drags, grabs and the viewer along each axis, metres.
const FARTHEST: f32 = 1e4;

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

/// The clock, the live world and what moves it.
#[derive(Clone, Debug)]
pub struct Play {
    world: World,
    body: Body,
    poses: Poses,
    accumulator: f64,
    /// Seconds into the motion.
    time: f64,
    ticks: u64,
    /// Ticks left.
    live_on: u32,
    hands: Hands,
    settings: Settings,
    /// A change that is shown and not made.
    twin: Option<Box<Twin>>,
    /// What is left of settling after a reset; the motion waits for its end.
    settling: Option<Box<Settling>>,
}

/// Pose buffers, kept so that a tick allocates nothing.
#[derive(Clone, Debug, Default)]
struct Poses {
    rest: Pose,
    input: Pose,
    before: Pose,
    blend: Pose,
    shown: WorldPose,
    /// Lent to what needs a pose for a moment.
    spare: Vec<Pose>,
}

/// Visits (see [`crate::sim::Work`]) of settling that a reset does at once; usual characters need fewer.
const SETTLE_AT_ONCE: u64 = 4_000_000;
/// Visits of settling in each later frame of the window, so that the window stays alive.
const SETTLE_IN_FRAME: u64 = 2_000_000;
/// Visits after which settling ends, still or not.
const SETTLE_IN_ALL: u64 = 30_000_000;
/// Visits that one frame of the window catches up; time beyond them is dropped.
const CATCH_UP: u64 = 3_000_000;

/// When a world counts as hanging still.
#[derive(Clone, Debug)]
struct Calm {
    /// Length of a tick, seconds.
    dt: f32,
    /// The farthest that a bone may turn in a tick, radians.
    turn: f32,
    /// For how many ticks.
    ticks: u32,
    /// It is left alone after as many.
    most: u32,
}

/// How far settling has come.
#[derive(Clone, Debug)]
struct Settling {
    calm: Calm,
    /// Steps so far.
    steps: u32,
    /// Steps in which nothing moved, up to now.
    still: u32,
    /// Visits so far.
    visits: u64,
}

impl Settling {
    fn new(calm: Calm) -> Self {
        Self { calm, steps: 0, still: 0, visits: 0 }
    }

    /// Steps until all hangs still, or `visits` more are made; whether settling has ended. `poses` holds the world's pose
    /// twice afterwards.
    fn go_on(&mut self, world: &mut World, poses: &mut Poses, visits: u64) -> bool {
        let calm = &self.calm;
        let each = world.work(calm.dt).map(|work| work.visits).sum::<u64>().max(1);
        let until = self.visits.saturating_add(visits);
        let mut ended = self.steps >= calm.most;
        while !ended && self.visits < until {
            poses.before.copy_from(world.pose());
            world.step(&StepInput { pose: &poses.input, hold: None, dt: calm.dt });
            let turns = |a: Quat, b: Quat| (a - b).length() * 2.0;
            let bones = poses.before.local.iter().zip(&world.pose().local);
            let is_calm = bones.into_iter().all(|(a, b)| turns(a.rotation, b.rotation) < calm.turn);
            self.still = if is_calm { self.still + 1 } else { 0 };
            self.steps += 1;
            self.visits += each;
            ended = self.still == calm.ticks || self.steps >= calm.most || self.visits >= SETTLE_IN_ALL;
        }
        poses.before.copy_from(world.pose());
        ended
    }
}

impl Play {
    pub(super) fn new(character: &Arc<Character>, resolved: &Resolved) -> Self {
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let rest = Pose::rest(&resolved.skeleton);
        let shown = world.frames().clone();
        let poses =
            Poses { input: rest.clone(), before: rest.clone(), blend: rest.clone(), rest, shown, spare: Vec::new() };
        let motion = if character.skeleton.is_empty() { Motion::Still } else { Motion::Test(TestMotion::Turn) };
        Self {
            world,
            body: Body::new(character),
            poses,
            accumulator: 0.0,
            time: 0.0,
            ticks: 0,
            live_on: 0,
            hands: Hands::default(),
            settings: Settings::new(motion),
            twin: None,
            settling: None,
        }
    }

    /// Lets a paused world run on for a while. Whoever changes something does not wait until all hangs still.
    fn live_on(&mut self) {
        self.settling = None;
        self.live_on = self.ticks_in(LIVE_ON);
    }

    /// How far recording is.
    pub fn recording(&self) -> &Recording {
        &self.hands.recording
    }

    /// A bone's turn as the motion has it, before any solver; in its parent's space.
    pub(super) fn animated(&self, bone: BoneId) -> Option<Quat> {
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
    pub(super) fn period(&self, character: &Character, document: &Document) -> Option<f64> {
        let at_own_speed = match self.settings.motion {
            Motion::Still => return None,
            Motion::Test(motion) => f64::from(motion.period()),
            Motion::Clip(clip) => f64::from(character.clips.get(clip)?.duration),
            Motion::Gesture(id) => document.gestures.get(&id)?.samples.len() as f64 * TICK,
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
        &self.hands.drags
    }

    /// The tip in the artist's hand.
    pub fn grabbed(&self) -> Option<BoneId> {
        self.hands.grab.map(|g| g.0)
    }

    pub(super) fn shown_tip(&self, joint: JointIndex) -> Option<Vec3> {
        let bone = self.world.joint_bone(joint)?;
        let frame = self.shown().frames.get(bone.index())?;
        Some(frame.position + frame.rotation * self.world.tip_offset(joint)?)
    }

    pub(super) fn is_moving(&self) -> bool {
        self.settings.playing
            || self.live_on > 0
            || self.settling.is_some()
            || self.hands.drags.iter().any(|d| d.back.is_some())
    }

    /// Where the viewer stands from the next tick on, metres in the world; a viewer that is nowhere changes nothing.
    pub(super) fn look_from(&mut self, viewer: Vec3) {
        if !viewer.is_finite() {
            return;
        }
        let viewer = viewer.clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
        self.world.look_from(viewer);
        if let Some(twin) = &mut self.twin {
            twin.look_from(viewer);
        }
    }

    pub(super) fn drag(&mut self, bone: BoneId, sample: GestureSample, (character, document): (&Character, &Document)) {
        let is_there = bone.index() < character.skeleton.len();
        let Some(sample) = bounded(sample).filter(|_| is_there) else { return };
        let drag = Drag { bone, sample, back: None };
        match self.hands.drags.iter_mut().find(|d| d.bone == bone) {
            Some(old) => *old = drag,
            None => self.hands.drags.push(drag),
        }
        if self.hands.recording == Recording::Armed {
            self.hands.recording = Recording::begin(bone, self.underlay(character, document));
        }
        self.live_on();
    }

    pub(super) fn let_go(&mut self, bone: BoneId) {
        let springs_back = self.settings.springs_back || matches!(self.hands.recording, Recording::Running { .. });
        if springs_back && let Some(drag) = self.hands.drags.iter_mut().find(|d| d.bone == bone) {
            drag.back = Some(0.0);
        }
        self.live_on();
    }

    pub(super) fn grab(&mut self, grab: Option<(BoneId, Vec3)>) {
        let bounded = |target: Vec3| target.clamp(Vec3::splat(-FARTHEST), Vec3::splat(FARTHEST));
        self.hands.grab = grab.filter(|g| g.1.is_finite()).map(|(bone, target)| (bone, bounded(target)));
        self.live_on();
    }

    /// Waits for a drag to record, or stops; what was recorded so far is returned.
    pub(super) fn arm(&mut self, armed: bool, document: &Document) -> Option<Recorded> {
        let next = if armed { Recording::Armed } else { Recording::Off };
        recorded(std::mem::replace(&mut self.hands.recording, next), document)
    }

    /// A motion whose gesture is gone stands still.
    pub(super) fn forget_missing(&mut self, document: &Document) {
        if let Motion::Gesture(id) = self.settings.motion
            && !document.gestures.contains_key(&id)
        {
            self.set_motion(Motion::Still);
        }
    }

    pub(super) fn bake(&mut self, resolved: &Resolved) {
        self.world.bake(&resolved.systems);
        self.live_on();
    }

    pub(super) fn rebuild(&mut self, resolved: &Resolved) {
        self.world.rebuild(&resolved.skeleton, &resolved.systems);
        let rest = Pose::rest(&resolved.skeleton);
        self.poses.input = rest.clone();
        self.poses.rest = rest;
        self.poses.before = self.world.pose().clone();
        self.show();
        self.live_on();
    }

    pub(super) fn character_changed(&mut self, character: &Arc<Character>, resolved: &Resolved) {
        let settings = self.settings;
        let mut fresh = Self::new(character, resolved);
        fresh.settings = settings;
        if let Some(viewer) = self.world.viewer() {
            fresh.world.look_from(viewer);
        }
        if let Motion::Clip(clip) = settings.motion
            && clip >= character.clips.len()
        {
            fresh.settings.motion = Motion::Still;
        }
        *self = fresh;
    }

    /// Back to the beginning of the motion, hands off, everything hanging still.
    pub(super) fn reset(&mut self, character: &Character, document: &Document) {
        self.hands.drags.clear();
        self.hands.grab = None;
        self.time = 0.0;
        self.ticks = 0;
        self.accumulator = 0.0;
        self.animate(character, document);
        self.world.reset(&self.poses.input);
        if let Some(twin) = &mut self.twin {
            twin.start_anew(&self.poses.input);
        }
        self.settle();
        self.show();
    }

    /// The pose that is shown counts as rest from now on, where the solver can do so.
    pub(super) fn take_rest(&mut self) {
        self.world.take_rest(&self.poses.input);
        if let Some(twin) = &mut self.twin {
            twin.take_rest(&self.poses.input);
        }
        self.poses.before.copy_from(self.world.pose());
        self.show();
        self.live_on();
    }

    /// When everything counts as hanging still; at most so many seconds are waited for that.
    fn calm(&self, most: f64) -> Calm {
        Calm {
            dt: self.tick_seconds() as f32,
            turn: STILL.0 * (f64::from(USUAL_RATE) * self.tick_seconds()) as f32,
            ticks: self.ticks_in(STILL.1),
            // Steps may be taken once a tick however long it is: slower players need as many.
            most: self.ticks_in(most).max((most * f64::from(USUAL_RATE)) as u32),
        }
    }

    /// Whether the pose that the simulation starts from stays as it is.
    pub(super) fn stands_still(&self) -> bool {
        let is_in_motion = self.settings.playing && self.settings.motion != Motion::Still;
        !is_in_motion && self.hands.grab.is_none() && self.hands.drags.iter().all(|drag| drag.back.is_none())
    }

    /// Runs both worlds unseen until everything hangs still. What takes long goes on in later frames.
    fn settle(&mut self) {
        let calm = self.calm(SETTLE);
        self.settling = Some(Box::new(Settling::new(calm.clone())));
        if let Some(twin) = &mut self.twin {
            twin.settle(calm, SETTLE_AT_ONCE);
        }
        self.go_on_settling(SETTLE_AT_ONCE);
    }

    /// Settles for some more visits.
    fn go_on_settling(&mut self, visits: u64) {
        if let Some(settling) = &mut self.settling
            && settling.go_on(&mut self.world, &mut self.poses, visits)
        {
            self.settling = None;
        }
    }

    /// Whether everything still swings to where it will hang, before the motion starts.
    pub fn is_settling(&self) -> bool {
        self.settling.is_some()
    }

    /// One tick, whether time runs or not.
    pub(super) fn step(
        &mut self,
        character: &Character,
        document: &Document,
        joints: &BTreeMap<BoneId, JointIndex>,
    ) -> Option<Recorded> {
        self.go_on_settling(u64::MAX);
        self.time += self.tick_seconds() * f64::from(self.settings.motion_speed);
        let gesture = self.tick(character, document, joints);
        self.accumulator = 0.0;
        self.poses.before.copy_from(self.world.pose());
        self.show();
        gesture
    }

    pub(super) fn advance(
        &mut self,
        seconds: f64,
        character: &Character,
        document: &Document,
        joints: &BTreeMap<BoneId, JointIndex>,
    ) -> Option<Recorded> {
        if !self.is_moving() || !seconds.is_finite() {
            return None;
        }
        if self.settling.is_some() {
            self.go_on_settling(SETTLE_IN_FRAME);
            self.show();
            return None;
        }
        let pace = if self.settings.playing { f64::from(self.settings.speed) } else { 1.0 };
        self.accumulator += seconds.clamp(0.0, MOST_BEHIND) * pace;
        let mut gesture = None;
        let tick = self.tick_seconds();
        let visits = self.world.work(tick as f32).map(|work| work.visits).sum::<u64>().max(1);
        let most = (CATCH_UP / visits).max(1) as f64;
        if self.accumulator >= (most + 1.0) * tick {
            self.accumulator = most * tick + self.accumulator % tick;
        }
        while self.accumulator >= tick {
            self.accumulator -= tick;
            if self.settings.playing {
                self.time += tick * f64::from(self.settings.motion_speed);
            }
            gesture = self.tick(character, document, joints).or(gesture);
            self.live_on = self.live_on.saturating_sub(1);
        }
        self.show();
        gesture
    }

    fn tick(
        &mut self,
        character: &Character,
        document: &Document,
        joints: &BTreeMap<BoneId, JointIndex>,
    ) -> Option<Recorded> {
        self.animate(character, document);
        let hold =
            self.hands.grab.and_then(|(bone, target)| joints.get(&bone).map(|joint| Hold { joint: *joint, target }));
        self.poses.before.copy_from(self.world.pose());
        let tick = self.tick_seconds();
        self.world.step(&StepInput { pose: &self.poses.input, hold, dt: tick as f32 });
        self.tick_twin(tick as f32);
        self.ticks += 1;
        let gesture = self.hands.record(self.settings.players_rate, document);
        self.hands.pass(tick);
        gesture
    }

    /// Writes the pose that the simulation starts from: rest, motion, drags.
    fn animate(&mut self, character: &Character, document: &Document) {
        let (mut input, mut spare) = (std::mem::take(&mut self.poses.input), std::mem::take(&mut self.poses.spare));
        self.pose_at((self.settings.motion, self.time), character, document, &mut input, &mut spare);
        (self.poses.input, self.poses.spare) = (input, spare);
    }

    /// The pose of a motion, seconds after its beginning, with what the artist holds; `spare` lends memory.
    fn pose_at(
        &self,
        (motion, time): (Motion, f64),
        character: &Character,
        document: &Document,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        pose.copy_from(&self.poses.rest);
        self.motion_at((motion, time, self.settings.amplitude), character, document, pose, spare);
        for drag in &self.hands.drags {
            displace(self.world.skeleton(), pose, drag.bone, &drag.now());
        }
    }

    /// Lays a motion over `pose`: which, seconds after its beginning, how lively.
    fn motion_at(
        &self,
        (motion, time, amplitude): (Motion, f64, f32),
        character: &Character,
        document: &Document,
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
                if let Some(clip) = character.clips.get(clip) {
                    let duration = f64::from(clip.duration);
                    let time = if duration > 0.0 { time.rem_euclid(duration) } else { 0.0 };
                    clip.sample(time as f32, pose);
                }
            }
            Motion::Gesture(id) => {
                self.lay_under((id, time), character, document, pose, spare);
                if let Some(gesture) = document.gestures.get(&id) {
                    displace(self.world.skeleton(), pose, gesture.bone, &sample_at(&gesture.samples, time / TICK));
                }
            }
        }
    }

    /// Interpolates between the last two ticks.
    fn show(&mut self) {
        let share = (self.accumulator / self.tick_seconds()).clamp(0.0, 1.0) as f32;
        let poses = &mut self.poses;
        poses.before.lerp_into(self.world.pose(), share, &mut poses.blend);
        poses.shown.update(self.world.skeleton(), &poses.blend);
        self.show_twin(share);
    }
}
