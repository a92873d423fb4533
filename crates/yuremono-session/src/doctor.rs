//! The Doctor of a session: findings about the setup, and about how it moves.
//!
//! [`Session::doctor_findings`] needs no motion, see [`yuremono_model::tools::doctor`]. A [`DoctorJob`] owns a copy of the playback
//! and runs on any thread, without files and without a clock, as a [`super::ClippingJob`] does. It plays one cycle of each
//! motion with a probed world, and then holds the still pose without forces. Where a fix is possible, the job searches the
//! smallest sufficient one by further simulations. The result depends only on the session.

mod fixes;

use super::Session;
use super::bake::motion_name;
use super::moments::{MomentsError, MotionCycle, motion_duration};
use super::playback::{DEFAULT_FRAME_RATE, Motion, MotionPlayer, PlaybackSource};
use fixes::{FixSearch, MotionFixes, SlowerChains};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yuremono_model::document::Document;
use yuremono_model::tools::doctor::{ExaminedSetup, Finding, FindingKind, examine, name_list};
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::rig::JointAngle;
use yuremono_sim::rig::{BoneId, Character, WorldPose};
use yuremono_sim::{JointIndex, TipPart, World};

/// How long the still pose is held after settling, before and while the tips are measured, in seconds.
const REST_SECONDS: [f64; 2] = [0.5, 1.0];
/// Smallest distance of a tip from its mean position that counts as jitter: in metres, and as a share of its bone.
const MIN_JITTER: [f32; 2] = [5e-4, 5e-3];
/// A tip jitters if it turns back in at least this share of its steps. A swing of a few hertz turns back less often.
const MIN_REVERSALS: f32 = 0.2;
/// Smallest opposite pushes in a step that count as a fight: in metres, and as a share of the bone.
const MIN_PUSH: [f32; 2] = [3e-4, 5e-3];
/// Largest cosine between opposite pushes.
const OPPOSITE: f32 = -0.5;
/// Shortest time that a fight must last in a motion, in seconds.
const MIN_FIGHT_SECONDS: f64 = 0.3;
/// A bone is at the end of an angle limit if its angle is at most this far from the end, in degrees. A soft limit stops a bone
/// a little earlier.
const LIMIT_TOLERANCE_DEG: f32 = 1.0;
/// The share of the progress that the observation takes. The search for fixes takes the rest.
const OBSERVATION_SHARE: f32 = 0.7;

impl Session {
    /// Returns what is wrong with the setup, as far as this needs no motion. Every call builds a world, so call it at most
    /// once per change of the document.
    pub fn doctor_findings(&self) -> Vec<Finding> {
        examine(ExaminedSetup {
            character: &self.character,
            document: &self.document,
            resolved: &self.resolved,
            frame_rate: self.playback.settings().player_frame_rate,
        })
    }
}

/// Returns the findings of [`Session::doctor_findings`] without a session, at the default frame rate.
pub fn examine_document(character: &Character, document: &Document) -> Vec<Finding> {
    let resolved = document.resolve(&character.skeleton);
    examine(ExaminedSetup { character, document, resolved: &resolved, frame_rate: DEFAULT_FRAME_RATE })
}

/// A part of the work of a [`DoctorJob`]. The parts are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoctorStep {
    /// Holds the still pose.
    Rest,
    /// Plays a motion.
    Motion(Motion),
}

/// What a step has observed.
#[derive(Clone, Debug, PartialEq)]
pub struct Symptoms {
    step: DoctorStep,
    /// Bones of the first joints of chains that left their bounds.
    runaways: Vec<BoneId>,
    /// The joints at which a collider and a limit have pushed against each other.
    fights: Vec<(BoneId, Fight)>,
    /// For each joint, the largest distance of the tip from its mean position, in metres.
    jitters: Vec<(BoneId, f32)>,
}

impl Symptoms {
    fn jittering_bones(&self) -> impl Iterator<Item = BoneId> {
        self.jitters.iter().map(|(bone, _)| *bone)
    }
}

/// What a collider and an angle limit do to a joint while they push against each other: the mean of some ticks.
#[derive(Clone, Debug, Default, PartialEq)]
struct Fight {
    seconds: f64,
    /// The movements of the tip by the collider and by the limit in a tick, in metres.
    collision: f32,
    limit: f32,
    /// For each limited angle of the joint, the turn by the limit from below the limit and from above, in degrees.
    turns: Vec<[f32; 2]>,
}

impl Fight {
    /// Combines each value with that of another fight.
    fn combine(&mut self, other: &Self, combine: fn(f32, f32) -> f32) {
        self.collision = combine(self.collision, other.collision);
        self.limit = combine(self.limit, other.limit);
        self.turns.resize(self.turns.len().max(other.turns.len()), [0.0; 2]);
        for ([below, above], turns) in self.turns.iter_mut().zip(&other.turns) {
            (*below, *above) = (combine(*below, turns[0]), combine(*above, turns[1]));
        }
    }

    /// Divides the sums of some ticks of `tick` seconds by their number.
    fn into_mean(self, ticks: u32, tick: f64) -> Self {
        Self { seconds: f64::from(ticks) * tick, ..self.scaled(1.0 / ticks.max(1) as f32) }
    }

    /// Returns the fight with all movements multiplied.
    fn scaled(&self, factor: f32) -> Self {
        let turns = self.turns.iter().map(|turns| turns.map(|turn| turn * factor)).collect();
        Self { seconds: self.seconds, collision: self.collision * factor, limit: self.limit * factor, turns }
    }

    /// The length of the smaller movement, in metres.
    const fn overlap(&self) -> f32 {
        self.collision.min(self.limit)
    }
}

/// Findings of motions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MotionFindings {
    /// In the order of [`FindingKind::ALL`].
    pub findings: Vec<Finding>,
    /// Number of motions that were played.
    pub motions: usize,
    /// Motions that cannot be played.
    pub left_out: Vec<(Motion, MomentsError)>,
}

/// Plays motions with the setup, the amplitude, the speed and the tick rate of a session, and watches the tips.
#[derive(Clone, Debug)]
pub struct DoctorJob {
    player: MotionPlayer,
    /// The same without forces: wind is not jitter.
    calm: MotionPlayer,
    /// The limited angles of each joint.
    angles: BTreeMap<BoneId, Vec<JointAngle>>,
}

impl DoctorJob {
    /// Copies everything that the job needs.
    pub fn new(session: &Session) -> Self {
        let player = MotionPlayer::new(session.playback(), session.character(), session.document(), None);
        Self::with_player(limited_angles(session), player)
    }

    fn with_player(angles: BTreeMap<BoneId, Vec<JointAngle>>, player: MotionPlayer) -> Self {
        let mut calm = player.document().clone();
        calm.forces.values_mut().for_each(|force| force.enabled = false);
        let mut job = Self { calm: player.with_document(calm), player, angles };
        // A held chain would hide that it shakes.
        job.player.set_holds_runaways(false);
        job.calm.set_holds_runaways(false);
        job
    }

    /// Creates a job for another document of the character. Only motions need the limited angles.
    fn with_document(&self, document: Document, steps: &[DoctorStep]) -> Self {
        let needs_angles = steps.iter().any(|step| *step != DoctorStep::Rest);
        let angles =
            needs_angles.then(|| limited_angles(&Session::new(Arc::clone(self.player.character()), document.clone())));
        Self::with_player(angles.unwrap_or_default(), self.player.with_document(document))
    }

    /// Returns the work for these motions.
    pub fn steps(motions: &[Motion]) -> Vec<DoctorStep> {
        let motions = motions.iter().filter(|motion| **motion != Motion::Still);
        motions.map(|motion| DoctorStep::Motion(*motion)).chain([DoctorStep::Rest]).collect()
    }

    /// Does all work for these motions, one step after the other. `progress` gets the progress, 0 to 1, and returns
    /// whether to continue; returns `None` if `progress` cancels.
    pub fn run(&self, motions: &[Motion], progress: &dyn Fn(f32) -> bool) -> Option<MotionFindings> {
        let steps = Self::steps(motions);
        let mut observed = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            let part = |share: f32| progress(OBSERVATION_SHARE * (at as f32 + share) / steps.len() as f32);
            observed.push((*step, self.observe(*step, &part)?));
        }
        self.findings(observed, &|share| progress(OBSERVATION_SHARE + (1.0 - OBSERVATION_SHARE) * share))
    }

    /// Does one step. `progress` is that of [`Self::run`].
    pub fn observe(&self, step: DoctorStep, progress: &dyn Fn(f32) -> bool) -> Option<Result<Symptoms, MomentsError>> {
        match step {
            DoctorStep::Rest => self.observe_rest(progress).map(Ok),
            DoctorStep::Motion(motion) => {
                let duration = match motion_duration(&self.player, motion) {
                    Ok(duration) => duration.unwrap_or(0.0),
                    Err(error) => return Some(Err(error)),
                };
                self.observe_motion(motion, duration, progress).map(Ok)
            }
        }
    }

    fn observe_motion(&self, motion: Motion, duration: f64, progress: &dyn Fn(f32) -> bool) -> Option<Symptoms> {
        let mut player = self.player.clone();
        let MotionCycle { warm_up, .. } = MotionCycle::prepare(&mut player, motion, Some(duration));
        let (tick, speed) = player.pace();
        let ticks = ((warm_up + duration) / tick).ceil() as u64;
        let on_tick = |done: u64| progress((done as f32 / ticks.max(1) as f32).min(1.0));
        player.start(-warm_up * speed, 0, &on_tick)?;
        player.set_probed(true);
        let joints = Self::joints(&player);
        let mut fights = vec![(Fight::default(), 0); joints.len()];
        for at in 1..=ticks {
            player.pose_at(at as f64, &on_tick)?;
            for (joint, (fight, count)) in joints.iter().zip(&mut fights) {
                let angles = self.angles.get(&joint.bone).map_or(&[][..], Vec::as_slice);
                if let Some(now) = fight_of(player.world(), joint, angles) {
                    fight.combine(&now, |sum, value| sum + value);
                    *count += 1;
                }
            }
        }
        let fights = joints.iter().zip(fights).map(|(joint, (sum, count))| (joint.bone, sum.into_mean(count, tick)));
        Some(Symptoms {
            step: DoctorStep::Motion(motion),
            runaways: player.out_of_bounds_bones(),
            fights: fights.filter(|(_, fight)| fight.seconds >= MIN_FIGHT_SECONDS).collect(),
            jitters: Vec::new(),
        })
    }

    fn observe_rest(&self, progress: &dyn Fn(f32) -> bool) -> Option<Symptoms> {
        let mut player = self.calm.clone();
        player.set_motion(Motion::Still, None);
        player.start(0.0, 0, &|_| progress(0.0))?;
        let joints = Self::joints(&player);
        let tick = player.pace().0;
        let [skipped, measured] = REST_SECONDS.map(|seconds| (seconds / tick).ceil() as u64);
        let mut tips: Vec<Vec<Vec3>> = vec![Vec::new(); joints.len()];
        for at in 1..=skipped + measured {
            player.pose_at(at as f64, &|_| progress(0.0))?;
            if at > skipped {
                for (joint, tips) in joints.iter().zip(&mut tips) {
                    tips.extend(player.world().tip(joint.index));
                }
            }
        }
        let jitter = |(joint, tips): (&WatchedJoint, &Vec<Vec3>)| Some((joint.bone, jitter(tips, joint.length)?));
        let jitters = joints.iter().zip(&tips).filter_map(jitter).collect();
        let symptoms =
            Symptoms { step: DoctorStep::Rest, runaways: player.out_of_bounds_bones(), fights: Vec::new(), jitters };
        progress(1.0).then_some(symptoms)
    }

    /// The enabled joints.
    fn joints(player: &MotionPlayer) -> Vec<WatchedJoint> {
        let chains = player.document().chains.values();
        let enabled: BTreeSet<BoneId> =
            chains.flat_map(|chain| &chain.joints).filter(|joint| joint.enabled).map(|joint| joint.bone).collect();
        let joints = player.joints().filter(|(bone, _)| enabled.contains(bone));
        let watched = |(bone, index)| {
            let length = player.world().tip_offset(index).map_or(0.0, Vec3::length);
            WatchedJoint { bone, index, length }
        };
        joints.map(watched).collect()
    }

    /// Joins what the steps have observed, and searches fixes. `progress` is that of [`Self::run`].
    pub fn findings(
        &self,
        observed: Vec<(DoctorStep, Result<Symptoms, MomentsError>)>,
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<MotionFindings> {
        let (mut symptoms, mut left_out) = (Vec::new(), Vec::new());
        for (step, result) in observed {
            match (step, result) {
                (_, Ok(found)) => symptoms.push(found),
                (DoctorStep::Motion(motion), Err(error)) => left_out.push((motion, error)),
                (DoctorStep::Rest, Err(_)) => {}
            }
        }
        let motions = symptoms.iter().filter(|found| found.step != DoctorStep::Rest).count();
        let MotionFixes { jitters, fights } = FixSearch::run(self, &symptoms, progress)?;
        let findings = [
            self.runaways(&symptoms),
            self.jitters(&symptoms, jitters),
            self.fights(&symptoms).map(|finding| finding.with_fix(fights)),
        ];
        Some(MotionFindings { findings: findings.into_iter().flatten().collect(), motions, left_out })
    }

    fn runaways(&self, symptoms: &[Symptoms]) -> Option<Finding> {
        let worst = symptoms.iter().max_by_key(|found| found.runaways.len())?;
        let bones: BTreeSet<BoneId> = symptoms.iter().flat_map(|found| &found.runaways).copied().collect();
        let message = message!(
            "{joints}: runs away in {motion}, and returns to the rest pose again and again. Lower the stiffness and the \
             forces, or raise the drag",
            joints = self.names(bones.iter().copied()),
            motion = self.motion_text(worst.step)
        );
        (!bones.is_empty()).then(|| Finding::new(FindingKind::RunsAway, message, bones))
    }

    fn jitters(&self, symptoms: &[Symptoms], slower: Option<SlowerChains>) -> Option<Finding> {
        let mut jitters: Vec<(BoneId, f32)> = symptoms.iter().flat_map(|found| found.jitters.clone()).collect();
        jitters.sort_by(|a, b| b.1.total_cmp(&a.1));
        let joints = self.names(jitters.iter().map(|(bone, _)| *bone));
        let amount = format!("{:.1}", 1000.0 * jitters.first()?.1);
        let message = match &slower {
            Some(slower) => message!(
                "{joints}: shakes by up to {amount} mm although the character stands still. Lower the speed to {percent} %",
                joints,
                amount,
                percent = slower.percent()
            ),
            None => message!(
                "{joints}: shakes by up to {amount} mm although the character stands still. Lower the stiffness, or look for \
                 colliders that hold the joint between them",
                joints,
                amount
            ),
        };
        let finding = Finding::new(FindingKind::Jitter, message, jitters.into_iter().map(|(bone, _)| bone));
        Some(finding.with_fix(slower.map(|slower| slower.edit)))
    }

    fn fights(&self, symptoms: &[Symptoms]) -> Option<Finding> {
        let mut longest: BTreeMap<BoneId, (&Fight, DoctorStep)> = BTreeMap::new();
        for found in symptoms {
            for (bone, fight) in &found.fights {
                let known = longest.entry(*bone).or_insert((fight, found.step));
                if fight.seconds > known.0.seconds {
                    *known = (fight, found.step);
                }
            }
        }
        let mut fights: Vec<(BoneId, (&Fight, DoctorStep))> = longest.into_iter().collect();
        fights.sort_by(|a, b| b.1.0.seconds.total_cmp(&a.1.0.seconds));
        let (_, (fight, step)) = *fights.first()?;
        let message = message!(
            "{joints}: in {motion}, a collider and the angle limit push against each other for {seconds} s by {amount} mm, \
             so the joint shakes or stays inside. Widen the limit, or reduce the hit radius or the collider",
            joints = self.names(fights.iter().map(|(bone, _)| *bone)),
            motion = self.motion_text(step),
            seconds = format!("{:.1}", fight.seconds),
            amount = format!("{:.1}", 1000.0 * fight.overlap())
        );
        Some(Finding::new(FindingKind::Fighting, message, fights.into_iter().map(|(bone, _)| bone)))
    }

    fn names(&self, bones: impl Iterator<Item = BoneId>) -> MessageText {
        name_list(bones.map(|bone| self.player.character().skeleton.name(bone).to_owned()))
    }

    fn motion_text(&self, step: DoctorStep) -> MessageText {
        let source = PlaybackSource { character: self.player.character(), document: self.player.document() };
        match step {
            DoctorStep::Rest => message!("the still pose"),
            DoctorStep::Motion(motion) => {
                message!("the motion \"{motion}\"", motion = excerpt(&motion_name(motion, source).unwrap_or_default()))
            }
        }
    }
}

struct WatchedJoint {
    bone: BoneId,
    index: JointIndex,
    /// Distance from head to tip, in metres.
    length: f32,
}

/// Returns the limited angles of each joint that has any.
fn limited_angles(session: &Session) -> BTreeMap<BoneId, Vec<JointAngle>> {
    let joints = session.document().chains.values().flat_map(|chain| &chain.joints);
    let limited = joints.map(|joint| {
        let angles = session.inspection().joint_angles(joint.bone);
        (joint.bone, angles.into_iter().filter(|angle| !angle.limits.is_empty()).collect::<Vec<_>>())
    });
    limited.filter(|(_, angles)| !angles.is_empty()).collect()
}

/// Returns how a collider and an angle limit have pushed a tip in the last tick; `None` if not in opposite directions, or if
/// the bone is not at the end of a limit. Within its range, the limit of UnityChanSpringBone is only a weak spring.
fn fight_of(world: &World, joint: &WatchedJoint, angles: &[JointAngle]) -> Option<Fight> {
    let parts = world.tip_parts(joint.index)?;
    let [collision, limit] = [TipPart::Collision, TipPart::AngleLimit].map(|part| parts.get(part));
    let [collided, limited] = [collision.length(), limit.length()];
    let least = MIN_PUSH[0].max(MIN_PUSH[1] * joint.length);
    if collided <= least || limited <= least || collision.dot(limit) >= OPPOSITE * collided * limited {
        return None;
    }
    let frames = world.frames();
    let direction = world.tip(joint.index)? - frames.frames.get(joint.bone.index())?.position;
    if !angles.is_empty() && !angles.iter().any(|angle| is_at_end(angle, frames, direction)) {
        return None;
    }
    let turns = angles.iter().map(|angle| {
        let turn = angle.degrees(frames, direction - limit) - angle.degrees(frames, direction);
        // Angles in a plane jump by a full turn.
        let turn = (turn + 180.0).rem_euclid(360.0) - 180.0;
        [(-turn).max(0.0), turn.max(0.0)]
    });
    Some(Fight { seconds: 0.0, collision: collided, limit: limited, turns: turns.collect() })
}

/// Whether a direction is at an end of a limited angle, or beyond.
fn is_at_end(angle: &JointAngle, frames: &WorldPose, direction: Vec3) -> bool {
    let degrees = angle.degrees(frames, direction);
    let (Some(low), Some(high)) = (angle.limits.first(), angle.limits.last()) else { return false };
    // A single limit is an upper limit.
    let is_below = angle.limits.len() > 1 && degrees <= low + LIMIT_TOLERANCE_DEG;
    is_below || degrees >= high - LIMIT_TOLERANCE_DEG
}

/// The largest distance of a tip from its mean position, in metres; `None` if the tip does not jitter.
fn jitter(tips: &[Vec3], length: f32) -> Option<f32> {
    let mean = tips.iter().sum::<Vec3>() / tips.len().max(1) as f32;
    let farthest = tips.iter().map(|tip| tip.distance(mean)).fold(0.0, f32::max);
    let steps: Vec<Vec3> = tips.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let reversals = steps.windows(2).filter(|pair| pair[0].dot(pair[1]) < 0.0).count();
    let turns_back = reversals as f32 >= MIN_REVERSALS * steps.len() as f32;
    (turns_back && farthest > MIN_JITTER[0].max(MIN_JITTER[1] * length)).then_some(farthest)
}
