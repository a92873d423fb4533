//! The measured effect of changes that prevent clipping.

use super::affected_chains::affected_chains;
use super::surface::ClippingSurface;
use super::{ClippingContact, ClippingJob, ClippingReport, importance};
use crate::playback::Motion;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use yuremono_model::document::{ChainId, Document};
use yuremono_model::tools::clipping_fixes::{ClippingFix, fixes_edit};

/// Share of the clipping that a change must prevent.
const MIN_IMPROVEMENT: f64 = 0.1;
/// Factor from which a chain counts as worse. Any change moves all chains a little.
const WORSE: f64 = 1.1;
/// The clipping of a chain counts as worse only from this depth, as a multiple of the smallest depth of a contact.
const WORSE_DEPTH: f64 = 10.0;

/// Shares of an enlargement that are measured, smallest first.
const SHARES: [f32; 3] = [0.3, 0.6, 1.0];
/// A larger change must prevent at least this share of the clipping more than a smaller change.
const MIN_GAIN: f64 = 0.15;
/// Largest shift of hair and cloth in the rest pose, as a multiple of the smallest depth of a contact: 7.5 mm for a
/// person.
const MAX_REST_SHIFT: f32 = 5.0;

/// How much chains are in a part of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClippingAmount {
    /// Largest depth in metres.
    pub depth: f32,
    /// Number of frames.
    pub frames: usize,
    /// Sum of the depths of all points in all frames, in metres.
    pub total_depth: f64,
}

impl ClippingAmount {
    fn of<'a>(contacts: impl Iterator<Item = &'a ClippingContact>) -> Self {
        let mut frames: BTreeSet<u32> = BTreeSet::new();
        let mut amount = Self::default();
        for contact in contacts {
            amount.depth = amount.depth.max(contact.depth);
            amount.total_depth += contact.total_depth;
            frames.extend(&contact.frames);
        }
        amount.frames = frames.len();
        amount
    }
}

/// A change with its effect on the motion in which it is needed most.
#[derive(Clone, Debug, PartialEq)]
pub struct ClippingProposal {
    /// The change.
    pub fix: ClippingFix,
    /// The motion in which the effect was measured.
    pub motion: Motion,
    /// Clipping of the chains of the change in its part of the body.
    pub before: ClippingAmount,
    /// The same with the change.
    pub after: ClippingAmount,
    /// Chains that are more or deeper in the body with the change than without.
    pub worse: Vec<ChainId>,
    /// How far the change moves hair and cloth that is not clipping in the rest pose, in metres.
    pub rest_shift: f32,
    /// Whether the change makes hair or cloth stand off visibly in the rest pose.
    pub stands_off: bool,
    /// Whether this is the best change for its part of the body, makes nothing deeper or worse, and does not stand off.
    pub recommended: bool,
}

impl ClippingProposal {
    fn is_harmless(&self) -> bool {
        self.worse.is_empty() && self.after.depth <= self.before.depth && !self.stands_off
    }

    /// Change of the sum of all depths, in percent: below 0 if the clipping becomes less.
    pub fn total_depth_percent(&self) -> f64 {
        100.0 * (self.remaining() - 1.0)
    }

    /// Share of the clipping that remains.
    fn remaining(&self) -> f64 {
        self.after.total_depth / self.before.total_depth
    }
}

/// Why a change is not proposed.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoProposal {
    Cancelled,
    /// The clipping of all chains does not become less.
    DoesNotHelp,
    /// The clipping of the chains of the change in its part of the body does not become less.
    PreventsNothing,
}

/// Hair and cloth in the settled rest pose.
#[derive(Debug)]
struct RestPoints {
    positions: Vec<Vec3>,
    /// The joint of each point, as an index into the joints of the surface.
    joints: Vec<u32>,
    /// The joints that are clipping.
    clipping_joints: BTreeSet<u32>,
}

/// Changes for the clipping of motions, which can be measured one by one, on any threads.
#[derive(Debug)]
pub(super) struct FixSearch<'a> {
    job: &'a ClippingJob,
    reports: &'a [ClippingReport],
    rest: RestPoints,
    /// The changes with their largest sizes.
    pub(super) fixes: Vec<ClippingFix>,
}

impl ClippingJob {
    /// Lists changes for the contacts of all motions. Returns `None` if `progress` cancels; `progress` is that of
    /// [`ClippingJob::check`].
    pub(super) fn fix_search<'a>(
        &'a self,
        reports: &'a [ClippingReport],
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<FixSearch<'a>> {
        let fixes = self.fixes(reports);
        let rest = if fixes.is_empty() {
            RestPoints { positions: Vec::new(), joints: Vec::new(), clipping_joints: BTreeSet::new() }
        } else {
            self.rest_points(progress)?
        };
        Some(FixSearch { job: self, reports, rest, fixes })
    }

    fn rest_points(&self, progress: &dyn Fn(f32) -> bool) -> Option<RestPoints> {
        let mut player = self.player.clone();
        player.set_motion(Motion::Still, None);
        let on_tick = |_| progress(0.0);
        player.start(0.0, 0, &on_tick)?;
        let pose = player.world_pose_at(0.0, &on_tick)?;
        let mut posed = self.surface.posed();
        let mut clipping_joints = BTreeSet::new();
        self.surface.find(self.character(), pose, &mut posed, |point| _ = clipping_joints.insert(point.joint));
        let (positions, joints) = self.surface.posed_points(&posed).unzip();
        Some(RestPoints { positions, joints, clipping_joints })
    }

    fn changed_document(&self, fix: &ClippingFix) -> Option<Document> {
        let mut document = self.document().clone();
        let edit = fixes_edit(std::slice::from_ref(fix), &document, &self.character().skeleton)?;
        document.apply(edit).is_ok().then_some(document)
    }
}

impl FixSearch<'_> {
    /// Simulates the motion in which a change is needed most with the change. Of an enlargement, returns the smallest that
    /// prevents most of the clipping and harms nothing. `progress` is that of [`ClippingJob::check`].
    pub(super) fn measure(
        &self,
        fix: &ClippingFix,
        progress: &dyn Fn(f32) -> bool,
    ) -> Result<ClippingProposal, NoProposal> {
        let amount = |report: &ClippingReport| ClippingAmount::of(contacts_of(fix, report));
        let amounts = self.reports.iter().map(|report| (report, amount(report)));
        let need =
            |(report, amount): &(&ClippingReport, ClippingAmount)| importance(report.motion) * amount.total_depth;
        let (report, before) = amounts.max_by(|a, b| need(a).total_cmp(&need(b))).ok_or(NoProposal::PreventsNothing)?;
        let measured = MeasuredMotion::new(self.job, fix, report, before).ok_or(NoProposal::PreventsNothing)?;
        let sizes: Vec<ClippingFix> = SHARES.iter().filter_map(|share| fix.with_share(*share)).collect();
        let sizes = if sizes.is_empty() { vec![fix.clone()] } else { sizes };
        let [smaller @ .., largest] = &*sizes else { return Err(NoProposal::PreventsNothing) };
        let part = |at: usize| {
            let count = sizes.len() as f32;
            move |share: f32| progress((at as f32 + share) / count)
        };
        // A smaller change cannot prevent what the largest change does not prevent.
        let largest = self.measure_size(largest, &measured, &part(0));
        if let Err(NoProposal::PreventsNothing) = largest {
            return largest;
        }
        let smaller = (1..).zip(smaller).map(|(at, size)| self.measure_size(size, &measured, &part(at)));
        let mut best: Option<ClippingProposal> = None;
        for measured in smaller.chain([largest]) {
            let proposal = match measured {
                Ok(proposal) => proposal,
                Err(NoProposal::DoesNotHelp | NoProposal::PreventsNothing) => continue,
                Err(NoProposal::Cancelled) => return Err(NoProposal::Cancelled),
            };
            // A larger change harms even more.
            let is_harmless = proposal.is_harmless();
            let gains = |best: &ClippingProposal| is_harmless && proposal.remaining() <= best.remaining() - MIN_GAIN;
            if best.as_ref().is_none_or(gains) {
                best = Some(proposal);
            }
            if !is_harmless || best.as_ref().is_some_and(|best| best.remaining() <= MIN_GAIN) {
                break;
            }
        }
        best.ok_or(NoProposal::DoesNotHelp)
    }

    /// Measures a change of one size.
    fn measure_size(
        &self,
        fix: &ClippingFix,
        measured: &MeasuredMotion<'_>,
        progress: &dyn Fn(f32) -> bool,
    ) -> Result<ClippingProposal, NoProposal> {
        let MeasuredMotion { report, before, surface, .. } = measured;
        let document = self.job.changed_document(fix).ok_or(NoProposal::DoesNotHelp)?;
        let job = ClippingJob { player: self.job.player.with_document(document), surface: Arc::clone(surface) };
        let limit = measured.affected_depth;
        let changed = job.check_until(report.motion, limit, progress).ok_or(NoProposal::Cancelled)?;
        let Ok(changed) = changed else { return Err(NoProposal::DoesNotHelp) };
        let after = ClippingAmount::of(contacts_of(fix, &changed));
        if total_depth(&changed) >= limit {
            return Err(NoProposal::DoesNotHelp);
        }
        if after.total_depth > (1.0 - MIN_IMPROVEMENT) * before.total_depth {
            return Err(NoProposal::PreventsNothing);
        }
        let rest_shift = self.rest_shift(&job, measured, progress).ok_or(NoProposal::Cancelled)?;
        let tolerance = surface.tolerance();
        Ok(ClippingProposal {
            fix: fix.clone(),
            motion: report.motion,
            before: *before,
            after,
            worse: worse_chains(report, &changed, tolerance),
            rest_shift,
            stands_off: rest_shift > MAX_REST_SHIFT * tolerance,
            recommended: false,
        })
    }

    /// Returns how far the points of joints that are not clipping in the rest pose are from their former places.
    fn rest_shift(
        &self,
        job: &ClippingJob,
        measured: &MeasuredMotion<'_>,
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<f32> {
        let changed = job.rest_points(&|_| progress(1.0))?;
        let former = self.rest.positions.iter().zip(&self.rest.joints);
        let affected = former.filter(|(_, joint)| measured.affected.contains(&job.surface.chain(**joint)));
        let pairs = affected.zip(&changed.positions);
        let moved = pairs.filter(|((_, joint), _)| !self.rest.clipping_joints.contains(*joint));
        Some(moved.map(|((before, _), after)| before.distance(*after)).fold(0.0, f32::max))
    }
}

/// The motion in which a change is measured, with the points of the chains that the change can move.
struct MeasuredMotion<'a> {
    report: &'a ClippingReport,
    /// Clipping of the chains of the change in its part of the body, without the change.
    before: ClippingAmount,
    /// The chains that the change can move. The motion of all other chains stays the same.
    affected: BTreeSet<ChainId>,
    surface: Arc<ClippingSurface>,
    /// Sum of the depths of all points of these chains without the change, in metres.
    affected_depth: f64,
}

impl<'a> MeasuredMotion<'a> {
    /// Returns `None` if the change does nothing.
    fn new(job: &ClippingJob, fix: &ClippingFix, report: &'a ClippingReport, before: ClippingAmount) -> Option<Self> {
        let changed = job.changed_document(fix)?;
        let affected = affected_chains(job.document(), &changed, &job.character().skeleton);
        let surface = Arc::new(job.surface.with_chains(&affected));
        let contacts = report.contacts.iter().filter(|contact| affected.contains(&contact.chain));
        let affected_depth = contacts.map(|contact| contact.total_depth).sum();
        Some(Self { report, before, affected, surface, affected_depth })
    }
}

/// Marks the recommended proposals, and sorts these before the others, then by part of the body, best first. Parts stay in
/// their order.
pub(super) fn ranked(mut proposals: Vec<ClippingProposal>) -> Vec<ClippingProposal> {
    let mut order = Vec::new();
    for proposal in &proposals {
        if !order.contains(&proposal.fix.body_bone) {
            order.push(proposal.fix.body_bone);
        }
    }
    let rank = |proposal: &ClippingProposal| order.iter().position(|bone| *bone == proposal.fix.body_bone);
    // Changes can be measured in different motions, so the remaining shares are compared.
    proposals.sort_by(|a, b| rank(a).cmp(&rank(b)).then(a.remaining().total_cmp(&b.remaining())));
    let mut done = BTreeSet::new();
    for proposal in &mut proposals {
        proposal.recommended = proposal.is_harmless() && done.insert(proposal.fix.body_bone);
    }
    proposals.sort_by_key(|proposal| !proposal.recommended);
    proposals
}

fn contacts_of<'a>(fix: &'a ClippingFix, report: &'a ClippingReport) -> impl Iterator<Item = &'a ClippingContact> {
    let is_meant =
        |contact: &&ClippingContact| contact.body_bone == fix.body_bone && fix.chains.contains(&contact.chain);
    report.contacts.iter().filter(is_meant)
}

fn total_depth(report: &ClippingReport) -> f64 {
    report.contacts.iter().map(|contact| contact.total_depth).sum()
}

/// Chains of the later report that are more or deeper in the body than in the earlier report. `tolerance` is the smallest
/// depth of a contact, in metres.
fn worse_chains(before: &ClippingReport, after: &ClippingReport, tolerance: f32) -> Vec<ChainId> {
    let by_chain = |report: &ClippingReport| {
        let mut amounts: BTreeMap<ChainId, (f64, f32)> = BTreeMap::new();
        for contact in &report.contacts {
            let (sum, depth) = amounts.entry(contact.chain).or_default();
            (*sum, *depth) = (*sum + contact.total_depth, depth.max(contact.depth));
        }
        amounts
    };
    let earlier = by_chain(before);
    let least = WORSE_DEPTH * f64::from(tolerance);
    let is_worse = |(chain, (sum, depth)): &(ChainId, (f64, f32))| {
        let (earlier_sum, earlier_depth) = earlier.get(chain).copied().unwrap_or_default();
        *sum > WORSE * earlier_sum + least || *depth > earlier_depth + tolerance
    };
    by_chain(after).into_iter().filter(is_worse).map(|(chain, _)| chain).collect()
}
