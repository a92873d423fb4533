//! Bakes the simulated motion into keys.
//!
//! A [`BakeJob`] owns a copy of the playback and runs on any thread, without files and without a clock. Ticks, poses
//! and interpolation are those of the viewport: before the keys are reduced, a key equals the displayed pose at its
//! tick bit for bit. The viewer position is ignored, so that the result does not depend on the camera.
//!
//! Without a loop, the character settles in the first pose, holds it for the preroll, and plays the motion once. For a
//! loop, the motion repeats until a cycle ends in the pose in which it started.

mod error;
mod file;
mod findings;
mod loop_seam;

pub use error::BakeError;
pub use file::BakedFormat;
pub use loop_seam::{LoopClosure, LoopReport, SeamReason, SeamSize};

use super::Session;
use super::playback::{Motion, MotionPlayer, PlaybackSource};
use crate::document::ChainId;
use crate::math::Trs;
use crate::rig::{BoneId, Character, Clip, MotionError, Pose, PoseTrack, ReducedClip, key_count, reduce_keys};
use glam::Vec3;
use loop_seam::{
    BLEND_SECONDS, BLEND_SHARE, CLOSED_SEAM, MAX_BLENDED_SEAM, blend_into_start, measure_seam, seam_reason,
};
use std::collections::BTreeSet;

/// Largest number of loops that are simulated.
const MAX_LOOP_CYCLES: u32 = 10;
/// Largest number of transforms: 40 bytes each.
const MAX_BONE_KEYS: usize = 8_000_000;
/// Difference of a transform from the rest pose that counts as motion.
const MIN_MOTION: f32 = 1e-6;
/// Largest angle between the motions with all keys and with fewer keys, in degrees.
const MAX_KEY_ERROR_DEGREES: f32 = 0.1;
/// Tolerance of times as a share of a key interval or cycle.
const TIME_TOLERANCE: f64 = 1e-4;
/// The end of a motion as a share of its duration; at the duration itself, the motion starts again.
const MOTION_END: f64 = 1.0 - 1e-6;
/// Share of the progress for the simulation; the reduction of keys takes the rest.
const SIMULATION_SHARE: f32 = 0.8;

/// What is baked.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeOptions {
    /// Keys per second.
    pub key_rate: f64,
    /// Start of the range, in seconds of the motion at a speed of 1.
    pub start: f64,
    /// End of the range; `None` is the end of the motion.
    pub end: Option<f64>,
    /// Seconds before the first key: the first pose is held. A loop plays whole cycles instead, at least for this time.
    pub preroll: f64,
    /// Whether the last key equals the first key.
    pub looped: bool,
    /// The baked chains; `None` means all chains. All chains are simulated, since they can depend on each other.
    pub chains: Option<BTreeSet<ChainId>>,
    /// Largest distance of a bone or tip after keys are removed, in metres. `None` keeps all keys.
    pub max_error: Option<f32>,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self { key_rate: 60.0, start: 0.0, end: None, preroll: 0.0, looped: false, chains: None, max_error: Some(1e-4) }
    }
}

/// A baked motion.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedMotion {
    /// Every key of every baked bone: the simulated bones, and the bones that the motion moves.
    pub track: PoseTrack,
    /// The animation, after keys were removed.
    pub clip: Clip,
    /// The number of keys of the animation before keys were removed.
    pub all_key_count: usize,
    /// The measured difference of the animation from all keys.
    pub key_error: MotionError,
    /// The simulated bones, with their tips in the space of the bone, in metres.
    pub joints: Vec<(BoneId, Vec3)>,
    /// `None` if no loop was requested.
    pub loop_report: Option<LoopReport>,
    /// The motion that was simulated.
    pub motion: Motion,
    /// Seconds of the motion per second.
    pub motion_speed: f64,
    /// Start of the range, in seconds of the motion at a speed of 1.
    pub start: f64,
    /// The first bones of chains that left their bounds and were reset to their rest pose.
    pub out_of_bounds: Vec<BoneId>,
}

/// A bake that is ready to run.
#[derive(Clone, Debug)]
pub struct BakeJob {
    player: MotionPlayer,
    options: BakeOptions,
    timing: BakeTiming,
    name: String,
    /// Simulated bones of the baked chains, with their tips.
    joints: Vec<(BoneId, Vec3)>,
    /// Bones that keep the pose of the motion, because their chain is not baked.
    unbaked: Vec<BoneId>,
    /// The last pose of a motion that does not end in its first pose.
    open_end: Option<Vec<Trs>>,
}

/// The times of the keys.
#[derive(Clone, Debug, PartialEq)]
struct BakeTiming {
    /// Duration of a tick, in seconds.
    tick: f64,
    /// Seconds of the motion per second.
    speed: f64,
    /// Ticks from the start of the motion to the first key of the first cycle.
    first_tick: f64,
    /// Ticks that the first pose is held.
    held_ticks: u64,
    /// Ticks of the range.
    range_ticks: f64,
    /// Seconds of the keys; the last one is the end of the range.
    key_times: Vec<f64>,
}

impl BakeTiming {
    /// The time of a key in a cycle, in ticks since the start of the motion.
    fn key_tick(&self, cycle: u32, key: usize) -> f64 {
        let is_last = key + 1 == self.key_times.len();
        let in_range = if is_last { self.range_ticks } else { self.key_times[key] / self.tick };
        self.first_tick + f64::from(cycle) * self.range_ticks + in_range
    }

    fn motion_time(&self, tick: f64) -> f64 {
        tick * self.tick * self.speed
    }
}

/// The keys of all bones of the file: one pose after the other.
struct RecordedPoses {
    locals: Vec<Trs>,
    bones: usize,
}

impl RecordedPoses {
    fn pose(&self, key: usize) -> &[Trs] {
        &self.locals[key * self.bones..][..self.bones]
    }

    fn last(&self) -> usize {
        self.locals.len() / self.bones.max(1) - 1
    }
}

impl BakeJob {
    /// Checks the options and copies everything that the bake needs. The motion, its speed and its amplitude, and the
    /// tick rate are those of the playback.
    pub fn new(session: &Session, options: BakeOptions) -> Result<Self, BakeError> {
        let (character, document) = (session.character(), session.document());
        let source = PlaybackSource { character, document };
        let settings = session.playback().settings();
        let name = motion_name(settings.motion, source).ok_or(BakeError::MissingMotion)?;
        if let Some(chains) = &options.chains
            && let Some(unknown) = chains.iter().find(|id| !document.chains.contains_key(id))
        {
            return Err(BakeError::UnknownChain { number: unknown.0 });
        }
        let bones = character.skeleton.len();
        for chain in options.chains.iter().flatten().filter_map(|id| document.chains.get(id)) {
            if chain.joints.iter().all(|joint| joint.bone.index() >= bones) {
                return Err(BakeError::MissingBones { chain: chain.name.clone() });
            }
        }
        if settings.motion == Motion::Still && session.resolved().joint_by_bone.is_empty() {
            return Err(BakeError::NothingMoves);
        }
        let length = settings.motion.own_duration(source);
        let tick = session.playback().tick_seconds();
        let timing = bake_timing(&options, &name, length, (tick, f64::from(settings.motion_speed)))?;
        let keys = timing.key_times.len().saturating_mul(character.skeleton.len());
        if keys > MAX_BONE_KEYS {
            return Err(BakeError::TooManyKeys { keys, max: MAX_BONE_KEYS });
        }
        // A range beyond the end repeats the motion, as the viewport does.
        let repeats = length.is_some_and(|length| options.end.is_some_and(|end| end > length * (1.0 + TIME_TOLERANCE)));
        let player = MotionPlayer::new(session.playback(), (character, document), !options.looped && !repeats);
        let (joints, unbaked) = baked_joints(session, &player, options.chains.as_ref());
        let mut job = Self { player, options, timing, name, joints, unbaked, open_end: None };
        if job.options.looped
            && let Some(length) = length
        {
            job.open_end = job.check_loop(length)?;
        }
        Ok(job)
    }

    /// The name of the motion.
    pub fn motion_name(&self) -> &str {
        &self.name
    }

    /// The simulated bones of the baked chains.
    pub fn simulated_bones(&self) -> impl Iterator<Item = BoneId> + '_ {
        self.joints.iter().map(|(bone, _)| *bone)
    }

    /// The character, with the animations that were loaded for the motion.
    pub fn character(&self) -> &Character {
        self.player.character()
    }

    /// The last pose of the motion if it differs from the first pose. Fails if the difference is too large for a blend.
    fn check_loop(&self, length: f64) -> Result<Option<Vec<Trs>>, BakeError> {
        let (seam, end) = motion_seam(&self.player, length);
        if seam.is_at_most(CLOSED_SEAM) {
            return Ok(None);
        }
        if seam.is_at_most(MAX_BLENDED_SEAM) {
            return Ok(Some(end));
        }
        Err(BakeError::MotionDoesNotLoop { motion: self.name.clone(), seam })
    }

    /// Simulates the motion. `progress` gets the progress, 0 to 1, and returns whether to continue; returns `None` if
    /// it cancels.
    pub fn run(&mut self, progress: &dyn Fn(f32) -> bool) -> Option<Result<BakedMotion, BakeError>> {
        if !progress(0.0) {
            return None;
        }
        self.player.start(0.0, self.timing.held_ticks);
        let (mut poses, loop_report) =
            if self.options.looped { self.record_loop(progress)? } else { (self.record_cycle(0, 1, progress)?, None) };
        let skeleton = &self.character().skeleton;
        let broken = poses.locals.iter().position(|local| !local.is_finite());
        if let Some(at) = broken {
            let bone = BoneId((at % poses.bones) as u32);
            return Some(Err(BakeError::NotFinite { bone: skeleton.name(bone).to_owned() }));
        }
        let bones = self.baked_bones(&poses);
        let loop_report = loop_report.map(|report| self.close_loop(report, &mut poses, &bones));
        if !progress(SIMULATION_SHARE) {
            return None;
        }
        let baked = self.build_result(&poses, bones, loop_report);
        progress(1.0).then_some(Ok(baked))
    }

    /// Records the keys of one cycle. `cycles` is the largest number of cycles, for the progress.
    fn record_cycle(&mut self, cycle: u32, cycles: u32, progress: &dyn Fn(f32) -> bool) -> Option<RecordedPoses> {
        let bones = self.character().skeleton.len();
        let keys = self.timing.key_times.len();
        let mut locals = Vec::with_capacity(keys * bones);
        for key in 0..keys {
            let tick = self.timing.key_tick(cycle, key);
            locals.extend_from_slice(&self.player.pose_at(tick).local[..bones]);
            if !self.unbaked.is_empty() {
                let input = self.player.input_pose(self.timing.motion_time(tick));
                let pose = &mut locals[key * bones..];
                self.unbaked.iter().for_each(|bone| pose[bone.index()] = input.local[bone.index()]);
            }
            let share = (cycle as f32 + key as f32 / keys as f32) / cycles as f32;
            if !progress(SIMULATION_SHARE * share) {
                return None;
            }
        }
        Some(RecordedPoses { locals, bones })
    }

    /// Records cycles until one ends in the pose in which it started. Returns the cycle with the smallest seam.
    fn record_loop(&mut self, progress: &dyn Fn(f32) -> bool) -> Option<(RecordedPoses, Option<LoopReport>)> {
        let mut best: Option<(RecordedPoses, SeamSize)> = None;
        let mut severities = Vec::new();
        for cycle in 0..MAX_LOOP_CYCLES {
            let poses = self.record_cycle(cycle, MAX_LOOP_CYCLES, progress)?;
            let ends = [poses.pose(0), poses.pose(poses.last())];
            let seam = measure_seam(&self.character().skeleton, ends, &self.joints);
            severities.push(seam.severity());
            if best.as_ref().is_none_or(|(_, smallest)| seam.severity() < smallest.severity()) {
                best = Some((poses, seam));
            }
            if severities.last().is_some_and(|severity| *severity <= 1.0) {
                break;
            }
        }
        let (poses, seam) = best?;
        let closure = if seam.is_at_most(CLOSED_SEAM) {
            LoopClosure::Closed
        } else if seam.is_at_most(MAX_BLENDED_SEAM) {
            LoopClosure::Blended { seconds: self.blend_seconds() }
        } else {
            LoopClosure::Open(seam_reason(&severities))
        };
        Some((poses, Some(LoopReport { cycles: severities.len() as u32, seam, closure })))
    }

    fn blend_seconds(&self) -> f64 {
        BLEND_SECONDS.min(BLEND_SHARE * self.timing.range_ticks * self.timing.tick)
    }

    /// Makes the last pose equal to the first one. Blends the last part of the loop, unless its seam is too large.
    fn close_loop(&self, mut report: LoopReport, poses: &mut RecordedPoses, bones: &[BoneId]) -> LoopReport {
        let (start, mut end) = (poses.pose(0).to_vec(), poses.pose(poses.last()).to_vec());
        if let Some(last_input) = &self.open_end {
            let simulated: BTreeSet<BoneId> = self.simulated_bones().collect();
            let body = bones.iter().filter(|bone| !simulated.contains(bone));
            body.for_each(|bone| end[bone.index()] = last_input[bone.index()]);
            let heads: Vec<(BoneId, Vec3)> = bones.iter().map(|bone| (*bone, Vec3::ZERO)).collect();
            let seam = measure_seam(&self.character().skeleton, [&start, &end], &heads);
            if seam.severity() > report.seam.severity() {
                report.seam = seam;
            }
            if report.closure == LoopClosure::Closed {
                report.closure = LoopClosure::Blended { seconds: self.blend_seconds() };
            } else if matches!(report.closure, LoopClosure::Open(_)) {
                report.closure = LoopClosure::Open(SeamReason::MotionDoesNotLoop);
            }
        }
        if !matches!(report.closure, LoopClosure::Open(_)) {
            let (seconds, times) = (self.blend_seconds(), &self.timing.key_times);
            let blend_start = times[times.len() - 1] - seconds;
            let stride = poses.bones.max(1);
            let shares = times.iter().map(|time| ((time - blend_start) / seconds) as f32);
            let blended = shares.zip(poses.locals.chunks_exact_mut(stride)).filter(|(share, _)| *share > 0.0);
            blend_into_start(bones, &start, &end, blended);
        }
        let last = poses.last() * poses.bones;
        poses.locals[last..].copy_from_slice(&start);
        report
    }

    /// The simulated bones, and the bones that leave their rest pose.
    fn baked_bones(&self, poses: &RecordedPoses) -> Vec<BoneId> {
        let skeleton = &self.character().skeleton;
        let mut moves = vec![false; skeleton.len()];
        self.simulated_bones().for_each(|bone| moves[bone.index()] = true);
        for pose in poses.locals.chunks_exact(poses.bones.max(1)) {
            for ((moves, local), bone) in moves.iter_mut().zip(pose).zip(skeleton.bones()) {
                *moves |= !is_at_rest(*local, bone.rest);
            }
        }
        skeleton.ids().filter(|bone| moves[bone.index()]).collect()
    }

    fn build_result(&self, poses: &RecordedPoses, bones: Vec<BoneId>, loop_report: Option<LoopReport>) -> BakedMotion {
        let skeleton = &self.character().skeleton;
        let mut track = PoseTrack::new(bones);
        for (time, pose) in self.timing.key_times.iter().zip(poses.locals.chunks_exact(poses.bones.max(1))) {
            track.push(*time as f32, pose);
        }
        let all = track.to_clip(&self.name, skeleton);
        let all_key_count = key_count(&all);
        let ReducedClip { clip, error } = match self.options.max_error {
            Some(metres) => {
                let limit = MotionError { metres, degrees: MAX_KEY_ERROR_DEGREES };
                reduce_keys(&track, skeleton, &self.joints, &self.name, limit)
            }
            None => ReducedClip { clip: all, error: MotionError::default() },
        };
        let out_of_bounds = self.player.out_of_bounds_bones();
        BakedMotion {
            track,
            clip,
            all_key_count,
            key_error: error,
            joints: self.joints.clone(),
            loop_report,
            motion: self.player.motion(),
            motion_speed: self.timing.speed,
            start: self.options.start,
            out_of_bounds,
        }
    }
}

/// The seam of the player's motion before any solver, and the last pose of the motion. `length` is the duration at a
/// speed of 1, in seconds.
fn motion_seam(player: &MotionPlayer, length: f64) -> (SeamSize, Vec<Trs>) {
    let skeleton = &player.character().skeleton;
    let file_bones = |mut pose: Pose| {
        pose.local.truncate(skeleton.len());
        pose.local
    };
    let [start, end] = [0.0, length * MOTION_END].map(|time| file_bones(player.input_pose(time)));
    let heads: Vec<(BoneId, Vec3)> = skeleton.ids().map(|bone| (bone, Vec3::ZERO)).collect();
    (measure_seam(skeleton, [&start, &end], &heads), end)
}

/// Whether the player's motion ends near its first pose, so that it can repeat without a visible jump. `length` is the
/// duration at a speed of 1, in seconds.
pub(super) fn motion_loops(player: &MotionPlayer, length: f64) -> bool {
    motion_seam(player, length).0.is_at_most(MAX_BLENDED_SEAM)
}

fn is_at_rest(local: Trs, rest: Trs) -> bool {
    let sign = if local.rotation.dot(rest.rotation) < 0.0 { -1.0 } else { 1.0 };
    (local.rotation * sign).abs_diff_eq(rest.rotation, MIN_MOTION)
        && local.translation.abs_diff_eq(rest.translation, MIN_MOTION)
        && local.scale.abs_diff_eq(rest.scale, MIN_MOTION)
}

fn motion_name(motion: Motion, source: PlaybackSource<'_>) -> Option<String> {
    Some(match motion {
        Motion::Still => "still".to_owned(),
        Motion::Test(motion) => motion.name().to_owned(),
        Motion::Clip(clip) => source.character.clips.get(clip)?.name.clone(),
        Motion::Gesture(id) => source.document.gestures.get(&id)?.name.clone(),
    })
}

/// `length` is the duration of the motion at a speed of 1; `None` for the rest pose.
fn bake_timing(
    options: &BakeOptions,
    motion: &str,
    length: Option<f64>,
    (tick, speed): (f64, f64),
) -> Result<BakeTiming, BakeError> {
    let is_positive = |value: f64| value.is_finite() && value >= 0.0;
    for (name, value) in [("start", options.start), ("preroll", options.preroll), ("end", options.end.unwrap_or(0.0))] {
        if !is_positive(value) {
            return Err(BakeError::NotPositive { name });
        }
    }
    if !options.max_error.is_none_or(|error| error.is_finite() && error > 0.0) {
        return Err(BakeError::NotPositive { name: "max_error" });
    }
    if !(1.0..=1000.0).contains(&options.key_rate) {
        return Err(BakeError::KeyRate { rate: options.key_rate });
    }
    if length.is_some_and(|length| !(length > 0.0 && length.is_finite())) {
        return Err(BakeError::ZeroLength { motion: motion.to_owned() });
    }
    let end = options.end.or(length).ok_or(BakeError::NoEnd)?;
    if end <= options.start {
        return Err(BakeError::EmptyRange { start: options.start, end });
    }
    let (range, mut before) = (end - options.start, options.start / speed);
    if options.looped {
        let period = length.ok_or(BakeError::LoopWithoutPeriod)?;
        let cycles = range / period;
        if cycles < 0.5 || (cycles - cycles.round()).abs() > TIME_TOLERANCE {
            return Err(BakeError::LoopRange { seconds: range, period });
        }
        before += (options.preroll * speed / period).ceil() * period / speed;
    }
    let seconds = range / speed;
    if seconds * options.key_rate > MAX_BONE_KEYS as f64 {
        return Err(BakeError::TooManyKeys { keys: (seconds * options.key_rate) as usize, max: MAX_BONE_KEYS });
    }
    let held_ticks = if options.looped { 0 } else { (options.preroll / tick).round() as u64 };
    let key_times = key_times(seconds, options.key_rate);
    Ok(BakeTiming { tick, speed, first_tick: before / tick, held_ticks, range_ticks: seconds / tick, key_times })
}

/// Equal steps from zero, and the end of the range.
fn key_times(seconds: f64, rate: f64) -> Vec<f64> {
    let steps = (seconds * rate - TIME_TOLERANCE).ceil().max(1.0) as usize;
    (0..steps).map(|key| key as f64 / rate).chain([seconds]).collect()
}

/// The simulated bones of the baked chains with their tips, and the bones of other chains with their descendants.
fn baked_joints(
    session: &Session,
    player: &MotionPlayer,
    chains: Option<&BTreeSet<ChainId>>,
) -> (Vec<(BoneId, Vec3)>, Vec<BoneId>) {
    let (skeleton, joints) = (&session.character().skeleton, &session.resolved().joint_by_bone);
    let is_baked = |chain: &ChainId| chains.is_none_or(|chains| chains.contains(chain));
    let baked = joints.iter().filter(|(_, (chain, _))| is_baked(chain)).map(|(bone, _)| *bone);
    let baked = baked.map(|bone| (bone, player.tip_offset(bone).unwrap_or_default())).collect();
    let nearest_chain = |bone: BoneId| {
        let mut path = std::iter::once(bone).chain(skeleton.ancestors(bone));
        path.find_map(|bone| joints.get(&bone)).map(|(chain, _)| *chain)
    };
    let is_unbaked = |bone: &BoneId| nearest_chain(*bone).is_some_and(|chain| !is_baked(&chain));
    (baked, skeleton.ids().filter(is_unbaked).collect())
}
