//! The measured effect of changes that prevent clipping.

use super::{ClippingContact, ClippingJob, ClippingReport};
use crate::document::{ChainId, Document};
use crate::session::playback::Motion;
use crate::tools::clipping_fixes::{ClippingFix, fixes_edit};
use std::collections::{BTreeMap, BTreeSet};

/// Share of the clipping that a change must prevent.
const MIN_IMPROVEMENT: f64 = 0.1;
/// Factor from which a chain counts as worse. Any change moves all chains a little.
const WORSE: f64 = 1.1;
/// The clipping of a chain counts as worse only from this depth, as a multiple of the smallest depth of a contact.
const WORSE_DEPTH: f64 = 10.0;

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
    /// Chains that are more in the body with the change than without.
    pub worse: Vec<ChainId>,
    /// Whether this is the best change for its part of the body, and makes no chain worse.
    pub recommended: bool,
}

impl ClippingJob {
    /// Simulates the motion in which a change is needed most with the change. Returns `None` in the option if `progress`
    /// cancels, and in the result if the change does not help. `progress` is that of [`ClippingJob::find`].
    pub fn measure_fix(
        &self,
        fix: &ClippingFix,
        reports: &[ClippingReport],
        progress: &dyn Fn(f32) -> bool,
    ) -> Option<Option<ClippingProposal>> {
        let amount = |report: &ClippingReport| ClippingAmount::of(contacts_of(fix, report));
        let amounts = reports.iter().map(|report| (report, amount(report)));
        let Some((report, before)) = amounts.max_by(|a, b| a.1.total_depth.total_cmp(&b.1.total_depth)) else {
            return Some(None);
        };
        let Some(document) = self.changed_document(fix) else { return Some(None) };
        let Ok(changed) = self.check_player(self.player.with_document(document), report.motion, progress)? else {
            return Some(None);
        };
        let after = amount(&changed);
        let helps = after.total_depth <= (1.0 - MIN_IMPROVEMENT) * before.total_depth
            && total_depth(&changed) < total_depth(report);
        let least = WORSE_DEPTH * f64::from(self.surface.tolerance());
        let proposal = || ClippingProposal {
            fix: fix.clone(),
            motion: report.motion,
            before,
            after,
            worse: worse_chains(report, &changed, least),
            recommended: false,
        };
        Some(helps.then(proposal))
    }

    fn changed_document(&self, fix: &ClippingFix) -> Option<Document> {
        let mut document = self.document().clone();
        let edit = fixes_edit(std::slice::from_ref(fix), &document, &self.character().skeleton)?;
        document.apply(edit).is_ok().then_some(document)
    }
}

/// Sorts proposals by part of the body, best first, and marks those that are recommended. Parts stay in their order.
pub(super) fn ranked(mut proposals: Vec<ClippingProposal>) -> Vec<ClippingProposal> {
    let mut order = Vec::new();
    for proposal in &proposals {
        if !order.contains(&proposal.fix.body_bone) {
            order.push(proposal.fix.body_bone);
        }
    }
    let rank = |proposal: &ClippingProposal| order.iter().position(|bone| *bone == proposal.fix.body_bone);
    // Changes can be measured in different motions, so the remaining shares are compared.
    let left = |proposal: &ClippingProposal| proposal.after.total_depth / proposal.before.total_depth;
    proposals.sort_by(|a, b| rank(a).cmp(&rank(b)).then(left(a).total_cmp(&left(b))));
    let mut done = BTreeSet::new();
    for proposal in &mut proposals {
        proposal.recommended = proposal.worse.is_empty() && done.insert(proposal.fix.body_bone);
    }
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

/// Chains that are more in the body afterwards. `least` is the smallest sum of depths that counts, in metres.
fn worse_chains(before: &ClippingReport, after: &ClippingReport, least: f64) -> Vec<ChainId> {
    let by_chain = |report: &ClippingReport| {
        let mut sums: BTreeMap<ChainId, f64> = BTreeMap::new();
        for contact in &report.contacts {
            *sums.entry(contact.chain).or_default() += contact.total_depth;
        }
        sums
    };
    let earlier = by_chain(before);
    let is_worse = |(chain, sum): &(ChainId, f64)| *sum > WORSE * earlier.get(chain).copied().unwrap_or(0.0) + least;
    by_chain(after).into_iter().filter(is_worse).map(|(chain, _)| chain).collect()
}
