//! Finds hair and cloth that pass through the body during a motion, and measures changes that prevent this.
//!
//! A [`ClippingJob`] owns a copy of the playback and runs on any thread, without files and without a clock, as a
//! [`super::BakeJob`] does. A motion that repeats is checked for one cycle after a warm-up, any other motion once, 30 times
//! a second, and a long motion at least 10 times. The result depends only on the session and the visible meshes.
//!
//! A point of hair or cloth is clipping if it is deeper in the body than in the rest pose. Depth is the distance to the
//! nearest surface that the point is behind. The measure has these limits:
//!
//! - Points are about 1 % of the size of the body apart, so something thinner can pass between them.
//! - Hair that passes through other hair, or cloth through other cloth, is not clipping.
//! - An open part of the body counts as closed at its openings. A flat part has no inside.
//! - Depth is measured to the first surface below a point. Under several layers of cloth, the way out is longer.
//! - Where the rest pose is inside by design, only the additional depth counts, whatever part is entered.

mod affected_chains;
mod effect;
mod surface;

use effect::NoProposal;
pub use effect::{ClippingAmount, ClippingProposal};

use super::Session;
use super::moments::{MomentsError, MotionCycle, WARM_UP_SECONDS, motion_duration};
use super::playback::{Motion, MotionPlayer};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use surface::{ClippingPoint, ClippingSurface};
use yuremono_model::document::{ChainId, Document};
use yuremono_model::job::{JobControl, Workers};
use yuremono_model::tools::clipping_fixes::{ClippingFix, Intrusion, propose_fixes};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Character};

/// Checked frames per second.
const FRAME_RATE: f64 = 30.0;
/// Least number of checked frames per second, for long motions.
const MIN_FRAME_RATE: f64 = 10.0;
/// Number of frames from which the rate is reduced.
const MANY_FRAMES: f64 = 600.0;
/// Largest number of changes that are measured.
const MAX_FIXES: usize = 16;
/// Share of the progress of [`ClippingJob::find`] for the motions. The changes have the rest.
const MOTION_SHARE: f32 = 0.5;

/// Why a character cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClippingError {
    /// There are no enabled joints, except those of breasts and ears.
    NoJoints,
    /// No visible mesh follows the joints.
    NoMovingMesh,
    /// All visible meshes follow the joints.
    NoBody,
}

impl ClippingError {
    pub fn message(self) -> MessageText {
        match self {
            Self::NoJoints => message!("there are no simulated chains of hair or cloth, so nothing can be checked"),
            Self::NoMovingMesh => message!("no visible mesh follows the simulated chains, so nothing can be checked"),
            Self::NoBody => message!("there is no visible mesh of a body, so nothing can be checked"),
        }
    }
}

impl fmt::Display for ClippingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for ClippingError {}

/// A moment of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClippingFrame {
    /// Time since the start of the motion, at the speed of the session.
    pub seconds: f64,
    /// Depth of the deepest point in metres; 0 if no point is clipping.
    pub depth: f32,
    /// Number of points that are clipping.
    pub points: u32,
}

/// A joint that enters a part of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct ClippingContact {
    /// The chain of the joint.
    pub chain: ChainId,
    /// The bone of the joint.
    pub bone: BoneId,
    /// The bone of the part of the body: a humanoid bone if the character has any.
    pub body_bone: BoneId,
    /// Largest depth in metres.
    pub depth: f32,
    /// Time of the largest depth, as in [`ClippingFrame::seconds`].
    pub seconds: f64,
    /// Indices of the frames in which the joint is in this part.
    pub frames: Vec<u32>,
    /// Sum of the depths of all points in all frames, in metres.
    pub total_depth: f64,
}

/// The clipping in one motion.
#[derive(Clone, Debug, PartialEq)]
pub struct ClippingReport {
    pub motion: Motion,
    /// Duration of the checked cycle at the speed of the session; 0 for the rest pose.
    pub seconds: f64,
    /// Whether the motion repeats.
    pub repeats: bool,
    /// All checked frames.
    pub frames: Vec<ClippingFrame>,
    /// Deepest contact first.
    pub contacts: Vec<ClippingContact>,
    /// Number of points that are checked in each frame.
    pub point_count: usize,
}

impl ClippingReport {
    /// Depth of the deepest contact in metres; 0 without contacts.
    pub fn depth(&self) -> f32 {
        self.contacts.first().map_or(0.0, |contact| contact.depth)
    }

    /// Number of frames with contacts.
    pub fn clipping_frames(&self) -> usize {
        self.frames.iter().filter(|frame| frame.points > 0).count()
    }

    /// Share of all points in all frames that are clipping, 0 to 1.
    pub fn share(&self) -> f64 {
        let found: f64 = self.frames.iter().map(|frame| f64::from(frame.points)).sum();
        found / (self.point_count * self.frames.len()).max(1) as f64
    }

    /// How long the motion plays before a moment, so that the viewport shows the checked pose, in seconds.
    pub fn lead_seconds(&self, seconds: f64) -> f64 {
        if self.repeats { WARM_UP_SECONDS } else { seconds.min(WARM_UP_SECONDS) }
    }
}

/// The clipping in several motions, and changes that prevent clipping.
#[derive(Clone, Debug, PartialEq)]
pub struct ClippingFindings {
    /// Motions in the order of the request.
    pub reports: Vec<ClippingReport>,
    /// Motions that cannot be checked.
    pub left_out: Vec<(Motion, MomentsError)>,
    /// Measured changes: recommended changes first, then by part of the body, that with the deepest contact first.
    pub proposals: Vec<ClippingProposal>,
}

impl ClippingFindings {
    /// Sorts the proposals, and marks those that are recommended.
    pub fn new(
        reports: Vec<ClippingReport>,
        left_out: Vec<(Motion, MomentsError)>,
        proposals: Vec<ClippingProposal>,
    ) -> Self {
        Self { reports, left_out, proposals: effect::ranked(proposals) }
    }
}

/// Checks motions with the setup, the amplitude, the speed and the tick rate of a session.
#[derive(Clone, Debug)]
pub struct ClippingJob {
    player: MotionPlayer,
    surface: Arc<ClippingSurface>,
}

impl ClippingJob {
    /// Copies everything that the job needs. Meshes beyond the end of `visible` are visible.
    pub fn new(session: &Session, visible: &[bool]) -> Result<Self, ClippingError> {
        let (character, document) = (session.character(), session.document());
        let surface = Arc::new(ClippingSurface::new(character, document, visible)?);
        Ok(Self { player: MotionPlayer::new(session.playback(), character, document, None), surface })
    }

    fn character(&self) -> &Character {
        self.player.character()
    }

    fn document(&self) -> &Document {
        self.player.document()
    }

    /// Checks motions, then measures changes. Returns `None` if `control` cancels the search.
    pub fn find(&self, motions: &[Motion], control: JobControl<'_>) -> Option<ClippingFindings> {
        let workers = Workers::new(control);
        let check = |at: usize, progress: &dyn Fn(f32) -> bool| {
            let checked = self.check(motions[at], progress)?;
            progress(1.0).then_some(checked)
        };
        let checked = workers.map_with_progress([0.0, MOTION_SHARE], motions.len(), check)?;
        let (mut reports, mut left_out) = (Vec::new(), Vec::new());
        for (motion, checked) in motions.iter().zip(checked) {
            match checked {
                Ok(report) => reports.push(report),
                Err(error) => left_out.push((*motion, error)),
            }
        }
        let search = self.fix_search(&reports, &|_| workers.report_progress(MOTION_SHARE).is_continue())?;
        let measure = |at: usize, progress: &dyn Fn(f32) -> bool| match search.measure(&search.fixes[at], progress) {
            Err(NoProposal::Cancelled) => None,
            measured => progress(1.0).then_some(measured.ok()),
        };
        let proposals = workers.map_with_progress([MOTION_SHARE, 1.0], search.fixes.len(), measure)?;
        let proposals = proposals.into_iter().flatten().collect();
        workers.report_progress(1.0).is_continue().then(|| ClippingFindings::new(reports, left_out, proposals))
    }

    /// Checks one motion. `progress` gets the progress, 0 to 1, and returns whether to continue; returns `None` if
    /// `progress` cancels.
    pub fn check(
        &self,
        motion: Motion,
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<Result<ClippingReport, MomentsError>> {
        self.check_until(motion, f64::INFINITY, progress)
    }

    /// Returns changes for the contacts of all motions, which are not measured yet.
    fn fixes(&self, reports: &[ClippingReport]) -> Vec<ClippingFix> {
        let intrusion = |contact: &ClippingContact, importance: f32| Intrusion {
            chain: contact.chain,
            body_bone: contact.body_bone,
            depth: contact.depth,
            importance,
        };
        let of_report = |report: &ClippingReport| {
            let importance = importance(report.motion) as f32;
            report.contacts.iter().map(|contact| intrusion(contact, importance)).collect::<Vec<_>>()
        };
        let intrusions: Vec<Intrusion> = reports.iter().flat_map(of_report).collect();
        let mut fixes = propose_fixes(self.document(), self.character(), &intrusions);
        fixes.truncate(MAX_FIXES);
        fixes
    }

    /// Checks one motion. Stops with the frames so far once the sum of all depths reaches `limit`, in metres.
    fn check_until(
        &self,
        motion: Motion,
        limit: f64,
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<Result<ClippingReport, MomentsError>> {
        let mut player = self.player.clone();
        let duration = match motion_duration(&player, motion) {
            Ok(duration) => duration,
            Err(error) => return Some(Err(error)),
        };
        let MotionCycle { repeats, warm_up } = MotionCycle::prepare(&mut player, motion, duration);
        let (tick, speed) = player.pace();
        let stride = ticks_per_frame(duration.unwrap_or(0.0), tick);
        let seconds = duration.unwrap_or(0.0);
        let total = warm_up + seconds;
        let on_tick = |ticks: u64| progress((ticks as f64 * tick / total.max(tick)).min(1.0) as f32);
        player.start(-warm_up * speed, 0, &on_tick)?;
        let mut posed = self.surface.posed();
        let mut collector = ContactCollector::default();
        for frame in 0..frame_count(seconds, stride * tick, repeats) {
            let time = f64::from(frame) * stride * tick;
            let pose = player.world_pose_at((warm_up + time) / tick, &on_tick)?;
            collector.start_frame(time);
            self.surface.find(self.player.character(), pose, &mut posed, |point| collector.add(point));
            if collector.total_depth >= limit {
                break;
            }
        }
        let (frames, contacts) = collector.finish(self.surface.joints());
        let point_count = self.surface.point_count();
        progress(1.0).then_some(Ok(ClippingReport { motion, seconds, repeats, frames, contacts, point_count }))
    }
}

/// How much clipping in a motion counts, 0 to 1: motions of the character and gestures more than built-in motions, and
/// *Teleport*, in which no character is seen, least.
const fn importance(motion: Motion) -> f64 {
    match motion {
        Motion::Clip(_) | Motion::Range(_) | Motion::Gesture(_) => 1.0,
        Motion::Test(TestMotion::Teleport) => 0.1,
        Motion::Test(_) | Motion::Still | Motion::Live => 0.5,
    }
}

/// Whole number of ticks from one checked frame to the next.
fn ticks_per_frame(seconds: f64, tick: f64) -> f64 {
    let rate = FRAME_RATE.min(MANY_FRAMES / seconds).max(MIN_FRAME_RATE);
    (1.0 / (rate * tick)).round().max(1.0)
}

/// Number of frames of a motion. The last frame of a motion that repeats is before its end, which equals the start.
fn frame_count(seconds: f64, spacing: f64, repeats: bool) -> u32 {
    // The duration of a motion is a rounded number.
    const TOLERANCE: f64 = 1e-6;
    let intervals = seconds / spacing;
    let count = if repeats { (intervals - TOLERANCE).ceil() } else { (intervals + TOLERANCE).floor() + 1.0 };
    count.max(1.0) as u32
}

/// Joins the points of all frames to contacts.
#[derive(Debug, Default)]
struct ContactCollector {
    frames: Vec<ClippingFrame>,
    /// By joint and part of the body.
    contacts: BTreeMap<(u32, BoneId), ContactSum>,
    /// Sum of the depths of all points in all frames, in metres.
    total_depth: f64,
}

#[derive(Debug, Default)]
struct ContactSum {
    depth: f32,
    seconds: f64,
    frames: Vec<u32>,
    total_depth: f64,
}

impl ContactCollector {
    fn start_frame(&mut self, seconds: f64) {
        self.frames.push(ClippingFrame { seconds, depth: 0.0, points: 0 });
    }

    /// Adds a point to the last frame.
    fn add(&mut self, point: ClippingPoint) {
        let index = self.frames.len().saturating_sub(1) as u32;
        let Some(frame) = self.frames.last_mut() else { return };
        frame.depth = frame.depth.max(point.depth);
        frame.points += 1;
        let contact = self.contacts.entry((point.joint, point.body_bone)).or_default();
        if point.depth > contact.depth {
            (contact.depth, contact.seconds) = (point.depth, frame.seconds);
        }
        if contact.frames.last() != Some(&index) {
            contact.frames.push(index);
        }
        contact.total_depth += f64::from(point.depth);
        self.total_depth += f64::from(point.depth);
    }

    fn finish(self, joints: &[(ChainId, BoneId)]) -> (Vec<ClippingFrame>, Vec<ClippingContact>) {
        let contact = |((joint, body_bone), sum): ((u32, BoneId), ContactSum)| {
            let (chain, bone) = joints[joint as usize];
            let ContactSum { depth, seconds, frames, total_depth } = sum;
            ClippingContact { chain, bone, body_bone, depth, seconds, frames, total_depth }
        };
        let mut contacts: Vec<ClippingContact> = self.contacts.into_iter().map(contact).collect();
        contacts.sort_by(|a, b| b.depth.total_cmp(&a.depth));
        (self.frames, contacts)
    }
}

#[cfg(test)]
mod tests;
