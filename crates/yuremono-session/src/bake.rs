//! Bakes the simulated motion into keys.
//!
//! A [`BakeJob`] owns a copy of the playback and runs on any thread, without files and without a clock. Ticks, poses
//! and interpolation are those of the viewport. The viewer position is ignored, so that the result does not depend on
//! the camera.
//!
//! Without a loop, the character settles in the first pose, holds it for the preroll, and plays the motion once. At the
//! end of its last cycle, the motion holds its last pose. For a loop, the motion repeats until a cycle ends in the pose
//! in which it started.
//!
//! Without preroll, a local transform in [`BakedMotion::track`] at a tick equals the transform that the viewport displays
//! if the baked session is reset and runs for as many ticks, bit for bit. Exceptions: a pose that is held at the end, the
//! blended part and the last key of a loop, and chains that are not baked.

mod error;
mod file;
mod findings;
mod loop_seam;
mod timing;

pub use error::{BakeError, BakeNumber};
pub use file::BakedFormat;
pub use loop_seam::{LoopClosure, LoopReport, SeamReason, SeamSize};

use super::Session;
use super::playback::{BakedClip, Motion, MotionPlayer, PlaybackSource, TICK_SECONDS};
use glam::Vec3;
use loop_seam::{
    BLEND_SECONDS, BLEND_SHARE, CLOSED_SEAM, MAX_BLENDED_SEAM, blend_into_start, measure_seam, seam_reason,
};
use std::collections::BTreeSet;
use timing::{BakeClock, BakeTiming, SIMULATION_SHARE, TIME_TOLERANCE, bake_timing};
use yuremono_model::document::ChainId;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    BoneId, Character, Clip, MotionError, MovedBone, PoseTrack, ReducedClip, Skeleton, key_count, reduce_keys,
};

/// Largest number of loops that are simulated.
const MAX_LOOP_CYCLES: u32 = 10;
/// Largest number of transforms: 40 bytes each.
const MAX_BONE_KEYS: usize = 8_000_000;
/// Largest angle between the motions with all keys and with fewer keys, in degrees.
const MAX_KEY_ERROR_DEGREES: f32 = 0.1;
/// The end of a motion as a share of its duration; at the duration itself, the motion starts again.
const MOTION_END: f64 = 1.0 - 1e-6;

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
    /// Whether the character is baked in the test wind.
    pub with_wind: bool,
}

impl Default for BakeOptions {
    fn default() -> Self {
        Self {
            key_rate: 60.0,
            start: 0.0,
            end: None,
            preroll: 0.0,
            looped: false,
            chains: None,
            max_error: Some(1e-4),
            with_wind: false,
        }
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
    /// The simulated bones, with their tips: offsets in metres along the axes of the bones.
    pub joints: Vec<(BoneId, Vec3)>,
    /// The skeleton of the baked character.
    pub skeleton: Skeleton,
    /// The largest difference that removed keys may cause. `None` keeps all keys.
    pub max_key_error: Option<MotionError>,
    /// Baked chains on chains that are not baked.
    pub unbaked_parents: Vec<UnbakedParent>,
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

/// The names of a baked chain, and of the nearest chain above it, which is not baked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnbakedParent {
    pub chain: String,
    pub parent: String,
}

impl BakedMotion {
    /// The parts that the playback needs to display the baked motion.
    pub(super) fn to_baked_clip(&self) -> BakedClip {
        BakedClip {
            clip: self.clip.clone(),
            joints: self.joints.iter().map(|(bone, _)| *bone).collect(),
            motion: self.motion,
            motion_speed: self.motion_speed,
            start: self.start,
            is_loop: self.loop_report.is_some(),
        }
    }
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
    unbaked_parents: Vec<UnbakedParent>,
    /// The last pose of a motion that does not end in its first pose.
    open_end: Option<Vec<Trs>>,
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
        if settings.motion == Motion::Live {
            return Err(BakeError::LiveMotion);
        }
        let name = motion_name(settings.motion, source).ok_or(BakeError::MissingMotion)?;
        if let Some(chains) = &options.chains
            && chains.iter().any(|id| !document.chains.contains_key(id))
        {
            return Err(BakeError::UnknownChain);
        }
        let bones = character.skeleton.len();
        for chain in options.chains.iter().flatten().filter_map(|id| document.chains.get(id)) {
            if chain.joints.iter().all(|joint| joint.bone.index() >= bones) {
                return Err(BakeError::MissingBones { chain: chain.name.clone() });
            }
        }
        let length = settings.motion.own_duration(source);
        let clock = BakeClock { tick: session.playback().tick_seconds(), speed: f64::from(settings.motion_speed) };
        let timing = bake_timing(&options, &name, length, clock)?;
        let keys = timing.key_times.len().saturating_mul(character.skeleton.len());
        if keys > MAX_BONE_KEYS {
            return Err(BakeError::TooManyKeys { keys, max: MAX_BONE_KEYS });
        }
        // A range beyond the end repeats the motion, as the viewport does. The last cycle ends in its last pose.
        let last_cycle = |length: f64| (options.end.unwrap_or(length) / length - TIME_TOLERANCE).ceil().max(1.0);
        let held_from = length.filter(|_| !options.looped).map(|length| length * last_cycle(length));
        let mut player = MotionPlayer::new(session.playback(), character, document, held_from);
        player.set_wind(settings.wind.filter(|_| options.with_wind));
        let (joints, unbaked) = baked_joints(session, &player, options.chains.as_ref());
        let unbaked_parents = unbaked_parents(session, options.chains.as_ref());
        let mut job = Self { player, options, timing, name, joints, unbaked, unbaked_parents, open_end: None };
        if job.joints.is_empty() && job.moved_bones().is_empty() {
            return Err(BakeError::NothingMoves);
        }
        if job.options.looped
            && let Some(length) = length
        {
            job.open_end = job.check_loop(length)?;
            // Only the end of the range is blended. Another wrap of the motion would stay a jump.
            if job.open_end.is_some() && (job.options.start > 0.0 || job.timing.cycles > 1) {
                return Err(BakeError::OpenLoopRange { motion: job.name, period: length });
            }
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

    /// The bones that the motion moves at the times of the keys, without simulation.
    pub(super) fn moved_bones(&self) -> Vec<MovedBone> {
        let skeleton = &self.character().skeleton;
        let mut moved: Vec<MovedBone> = skeleton.ids().map(MovedBone::at_rest).collect();
        for key in 0..self.timing.key_times.len() {
            let pose = self.player.input_pose(self.timing.motion_time(self.timing.key_tick(0, key)));
            let bones = moved.iter_mut().zip(&pose.local).zip(skeleton.bones());
            bones.for_each(|((moved, local), bone)| moved.add(*local, bone.rest));
        }
        moved.retain(|moved| moved.is_moved());
        moved
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
        let repeats = if self.options.looped { MAX_LOOP_CYCLES } else { 1 };
        let timing = self.timing.clone();
        let on_tick = |ticks: u64| progress(timing.progress(ticks, repeats));
        self.player.start(0.0, self.timing.held_ticks, &on_tick)?;
        let (mut poses, loop_report) =
            if self.options.looped { self.record_loop(&on_tick)? } else { (self.record_cycle(0, &on_tick)?, None) };
        let skeleton = &self.character().skeleton;
        let broken = poses.locals.iter().position(|local| !local.is_finite());
        if let Some(at) = broken {
            let bone = BoneId((at % poses.bones) as u32);
            return Some(Err(BakeError::NotFinite { bone: skeleton.name(bone).to_owned() }));
        }
        let bones = self.baked_bones(&poses);
        if bones.is_empty() {
            return Some(Err(BakeError::NothingMoves));
        }
        let loop_report = loop_report.map(|report| self.close_loop(report, &mut poses, &bones));
        if !progress(SIMULATION_SHARE) {
            return None;
        }
        let baked = self.build_result(&poses, bones, loop_report, progress)?;
        progress(1.0).then_some(Ok(baked))
    }

    /// Records the keys of one range. `on_tick` gets the number of simulated ticks.
    fn record_cycle(&mut self, cycle: u32, on_tick: &dyn Fn(u64) -> bool) -> Option<RecordedPoses> {
        let bones = self.character().skeleton.len();
        let keys = self.timing.key_times.len();
        let mut locals = Vec::with_capacity(keys * bones);
        for key in 0..keys {
            let tick = self.timing.key_tick(cycle, key);
            locals.extend_from_slice(&self.player.pose_at(tick, on_tick)?.local[..bones]);
            if !self.unbaked.is_empty() {
                let input = self.player.input_pose(self.timing.motion_time(tick));
                let pose = &mut locals[key * bones..];
                self.unbaked.iter().for_each(|bone| pose[bone.index()] = input.local[bone.index()]);
            }
        }
        Some(RecordedPoses { locals, bones })
    }

    /// Records cycles until one ends in the pose in which it started. Returns the cycle with the smallest seam.
    fn record_loop(&mut self, on_tick: &dyn Fn(u64) -> bool) -> Option<(RecordedPoses, Option<LoopReport>)> {
        let mut best: Option<(RecordedPoses, SeamSize)> = None;
        let mut severities = Vec::new();
        for cycle in 0..MAX_LOOP_CYCLES {
            let poses = self.record_cycle(cycle, on_tick)?;
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
        BLEND_SECONDS.min(BLEND_SHARE * self.timing.range_ticks * self.timing.clock.tick)
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
            report.seam = report.seam.max(seam);
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
        let mut moved: Vec<MovedBone> = skeleton.ids().map(MovedBone::at_rest).collect();
        self.simulated_bones().for_each(|bone| moved[bone.index()].rotation = true);
        for pose in poses.locals.chunks_exact(poses.bones.max(1)) {
            let bones = moved.iter_mut().zip(pose).zip(skeleton.bones());
            bones.for_each(|((moved, local), bone)| moved.add(*local, bone.rest));
        }
        moved.into_iter().filter(|moved| moved.is_moved()).map(|moved| moved.bone).collect()
    }

    /// Returns `None` if `progress` cancels.
    fn build_result(
        &self,
        poses: &RecordedPoses,
        bones: Vec<BoneId>,
        loop_report: Option<LoopReport>,
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<BakedMotion> {
        let skeleton = &self.character().skeleton;
        let mut track = PoseTrack::new(bones);
        for (time, pose) in self.timing.key_times.iter().zip(poses.locals.chunks_exact(poses.bones.max(1))) {
            track.push(*time as f32, pose);
        }
        let all = track.to_clip(&self.name, skeleton);
        let all_key_count = key_count(&all);
        let max_key_error = self.options.max_error.map(|metres| MotionError { metres, degrees: MAX_KEY_ERROR_DEGREES });
        let ReducedClip { clip, error } = match max_key_error {
            Some(limit) => {
                let progress = |share: f32| progress(SIMULATION_SHARE + (1.0 - SIMULATION_SHARE) * share);
                reduce_keys(&track, skeleton, &self.joints, &self.name, limit, &progress)?
            }
            None => ReducedClip { clip: all, error: MotionError::default() },
        };
        let out_of_bounds = self.player.out_of_bounds_bones();
        Some(BakedMotion {
            track,
            clip,
            all_key_count,
            key_error: error,
            joints: self.joints.clone(),
            skeleton: skeleton.clone(),
            max_key_error,
            unbaked_parents: self.unbaked_parents.clone(),
            loop_report,
            motion: self.player.motion(),
            motion_speed: self.timing.clock.speed,
            start: self.options.start,
            out_of_bounds,
        })
    }
}

/// The seam of the player's motion before any solver, and the last pose of the motion. `length` is the duration at a
/// speed of 1, in seconds.
fn motion_seam(player: &MotionPlayer, length: f64) -> (SeamSize, Vec<Trs>) {
    let skeleton = &player.character().skeleton;
    let pose = |time: f64| {
        let mut pose = player.input_pose(time);
        pose.local.truncate(skeleton.len());
        pose.local
    };
    let start = pose(0.0);
    let heads: Vec<(BoneId, Vec3)> = skeleton.ids().map(|bone| (bone, Vec3::ZERO)).collect();
    let with_seam = |end: Vec<Trs>| (measure_seam(skeleton, [&start, &end], &heads), end);
    if !matches!(player.motion(), Motion::Gesture(_)) {
        return with_seam(pose(length * MOTION_END));
    }
    // The last sample is one tick before the end. The pose at the end is unknown: either the motion goes on as in the
    // last tick, or the motion stops.
    let [before, last] = [2.0, 1.0].map(|ticks| pose(length - ticks * TICK_SECONDS));
    let (goes_on, stops) = (with_seam(extrapolated(&before, &last)), with_seam(last));
    if goes_on.0.severity() < stops.0.severity() { goes_on } else { stops }
}

/// Whether the player's motion ends near its first pose, so that it can repeat without a visible jump. `length` is the
/// duration at a speed of 1, in seconds.
pub(super) fn motion_loops(player: &MotionPlayer, length: f64) -> bool {
    motion_seam(player, length).0.is_at_most(MAX_BLENDED_SEAM)
}

/// The pose as long after `last` as `last` is after `before`, if the motion goes on.
fn extrapolated(before: &[Trs], last: &[Trs]) -> Vec<Trs> {
    let next = |(before, last): (&Trs, &Trs)| Trs {
        translation: 2.0 * last.translation - before.translation,
        rotation: (last.rotation * before.rotation.inverse() * last.rotation).normalize(),
        scale: 2.0 * last.scale - before.scale,
    };
    before.iter().zip(last).map(next).collect()
}

/// The name of a motion on the command line; `None` if the motion does not exist.
pub(super) fn motion_name(motion: Motion, source: PlaybackSource<'_>) -> Option<String> {
    Some(match motion {
        Motion::Still => "still".to_owned(),
        Motion::Test(motion) => motion.name().to_owned(),
        Motion::Clip(_) | Motion::Range(_) => source.character.clips.get(motion.clip()?)?.name.clone(),
        Motion::Gesture(id) => source.document.gestures.get(&id)?.name.clone(),
        Motion::Live => "live".to_owned(),
    })
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

/// Baked chains whose nearest chain above is not baked.
fn unbaked_parents(session: &Session, chains: Option<&BTreeSet<ChainId>>) -> Vec<UnbakedParent> {
    let (skeleton, joints) = (&session.character().skeleton, &session.resolved().joint_by_bone);
    let name = |id: &ChainId| session.document().chains.get(id).map(|chain| chain.name.clone()).unwrap_or_default();
    let Some(chains) = chains else { return Vec::new() };
    let pair = |(bone, (chain, _)): (&BoneId, &(ChainId, usize))| {
        let mut above = skeleton.ancestors(*bone).filter_map(|bone| Some(joints.get(&bone)?.0));
        let parent = above.find(|other| other != chain).filter(|parent| !chains.contains(parent))?;
        chains.contains(chain).then(|| UnbakedParent { chain: name(chain), parent: name(&parent) })
    };
    let pairs: BTreeSet<UnbakedParent> = joints.iter().filter_map(pair).collect();
    pairs.into_iter().collect()
}
