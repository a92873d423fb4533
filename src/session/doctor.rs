//! The Doctor of a session: findings about the setup, and about how it moves.
//!
//! [`Session::doctor_findings`] needs no motion, see [`crate::tools::doctor`]. A [`DoctorJob`] owns a copy of the playback
//! and runs on any thread, without files and without a clock, as a [`super::ClippingJob`] does. It plays one cycle of each
//! motion with a probed world, and then holds the still pose without forces. The result depends only on the session.

use super::Session;
use super::bake::motion_name;
use super::moments::{MomentsError, MotionCycle, motion_duration};
use super::playback::{DEFAULT_FRAME_RATE, Motion, MotionPlayer, PlaybackSource};
use crate::diagnostics::{MessageText, excerpt, message};
use crate::document::Document;
use crate::rig::{BoneId, Character};
use crate::sim::{JointIndex, TipPart};
use crate::tools::doctor::{ExaminedSetup, Finding, FindingKind, examine, name_list};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

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
    /// For each joint, how long a collider and a limit have pushed against each other, in seconds.
    fights: Vec<(BoneId, f64)>,
    /// For each joint, the largest distance of the tip from its mean position, in metres.
    jitters: Vec<(BoneId, f32)>,
}

/// Findings of motions.
#[derive(Clone, Debug, PartialEq)]
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
}

impl DoctorJob {
    /// Copies everything that the job needs.
    pub fn new(session: &Session) -> Self {
        let player = MotionPlayer::new(session.playback(), (session.character(), session.document()), None);
        let mut calm = session.document().clone();
        calm.forces.values_mut().for_each(|force| force.enabled = false);
        let mut job = Self { calm: player.with_document(calm), player };
        // A held chain would hide that it shakes.
        job.player.set_holds_runaways(false);
        job.calm.set_holds_runaways(false);
        job
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
            let part = |share: f32| progress((at as f32 + share) / steps.len() as f32);
            observed.push((*step, self.observe(*step, &part)?));
        }
        Some(self.findings(observed))
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
        let mut fight_ticks = vec![0_u64; joints.len()];
        for at in 1..=ticks {
            player.pose_at(at as f64, &on_tick)?;
            for (joint, count) in joints.iter().zip(&mut fight_ticks) {
                *count += u64::from(fights(&player, joint));
            }
        }
        let seconds = |count: u64| count as f64 * tick;
        let fights = joints.iter().zip(fight_ticks).map(|(joint, count)| (joint.bone, seconds(count)));
        Some(Symptoms {
            step: DoctorStep::Motion(motion),
            runaways: player.out_of_bounds_bones(),
            fights: fights.filter(|(_, seconds)| *seconds >= MIN_FIGHT_SECONDS).collect(),
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

    /// Joins what the steps have observed.
    pub fn findings(&self, observed: Vec<(DoctorStep, Result<Symptoms, MomentsError>)>) -> MotionFindings {
        let (mut symptoms, mut left_out) = (Vec::new(), Vec::new());
        for (step, result) in observed {
            match (step, result) {
                (_, Ok(found)) => symptoms.push(found),
                (DoctorStep::Motion(motion), Err(error)) => left_out.push((motion, error)),
                (DoctorStep::Rest, Err(_)) => {}
            }
        }
        let motions = symptoms.iter().filter(|found| found.step != DoctorStep::Rest).count();
        let findings = [self.runaways(&symptoms), self.jitters(&symptoms), self.fights(&symptoms)];
        MotionFindings { findings: findings.into_iter().flatten().collect(), motions, left_out }
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

    fn jitters(&self, symptoms: &[Symptoms]) -> Option<Finding> {
        let mut jitters: Vec<(BoneId, f32)> = symptoms.iter().flat_map(|found| found.jitters.clone()).collect();
        jitters.sort_by(|a, b| b.1.total_cmp(&a.1));
        let message = message!(
            "{joints}: shakes by up to {amount} mm although the character stands still. Lower the stiffness, or look for \
             colliders that hold the joint between them",
            joints = self.names(jitters.iter().map(|(bone, _)| *bone)),
            amount = format!("{:.1}", 1000.0 * jitters.first()?.1)
        );
        Some(Finding::new(FindingKind::Jitter, message, jitters.into_iter().map(|(bone, _)| bone)))
    }

    fn fights(&self, symptoms: &[Symptoms]) -> Option<Finding> {
        let mut longest: BTreeMap<BoneId, (f64, DoctorStep)> = BTreeMap::new();
        for found in symptoms {
            for (bone, seconds) in &found.fights {
                let known = longest.entry(*bone).or_insert((*seconds, found.step));
                if *seconds > known.0 {
                    *known = (*seconds, found.step);
                }
            }
        }
        let mut fights: Vec<(BoneId, (f64, DoctorStep))> = longest.into_iter().collect();
        fights.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        let (_, (seconds, step)) = *fights.first()?;
        let message = message!(
            "{joints}: in {motion}, a collider and the angle limit push against each other for {seconds} s, so the joint \
             shakes or stays inside. Widen the limit, or reduce the collider",
            joints = self.names(fights.iter().map(|(bone, _)| *bone)),
            motion = self.motion_text(step),
            seconds = format!("{seconds:.1}")
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

/// Whether a collider and an angle limit have pushed a tip in opposite directions in the last tick.
fn fights(player: &MotionPlayer, joint: &WatchedJoint) -> bool {
    let Some(parts) = player.world().tip_parts(joint.index) else { return false };
    let [collision, limit] = [TipPart::Collision, TipPart::AngleLimit].map(|part| parts.get(part));
    let least = MIN_PUSH[0].max(MIN_PUSH[1] * joint.length);
    collision.length() > least
        && limit.length() > least
        && collision.dot(limit) < OPPOSITE * collision.length() * limit.length()
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
