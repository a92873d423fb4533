//! The report of `check --clipping`: hair and cloth that pass through the body, and changes that prevent this.
//!
//! Motions and changes are simulated on several threads. The order of the results does not depend on the threads.

use super::ordered_pipeline::map_in_order;
use super::output::{diagnostic_line, failure};
use super::simulated_character::SimulatedCharacter;
use crate::ui::kit::i18n::Lang;
use serde::Serialize;
use std::fmt::Write as _;
use yuremono_model::job::JobControl;
use yuremono_model::tools::clipping_fixes::chain_list;
use yuremono_session::{
    ClippingAmount, ClippingFindings, ClippingJob, ClippingProposal, ClippingReport, Session, motion_name,
};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::BoneId;

/// Number of steps of the progress.
const PROGRESS_STEPS: usize = 1000;
/// Number of contacts that text lists for each motion. JSON has all contacts.
const LISTED_CONTACTS: usize = 5;

/// The result for one character, for `--json`.
#[derive(Debug, Serialize)]
pub(super) struct ClippingSummary {
    motions: Vec<MotionSummary>,
    changes: Vec<ChangeSummary>,
    /// The warning about the character. Absent if nothing is clipping.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<MessageText>,
    /// Lines of the text output.
    #[serde(skip)]
    lines: Vec<(usize, MessageText)>,
}

#[derive(Debug, Serialize)]
struct MotionSummary {
    motion: String,
    seconds: f64,
    frames: usize,
    clipping_frames: usize,
    /// Number of points of hair and cloth that are checked in each frame.
    points: usize,
    /// Share of the points in all frames that are clipping.
    share: f64,
    depth_mm: f32,
    contacts: Vec<ContactSummary>,
}

#[derive(Debug, Serialize)]
struct ContactSummary {
    chain: String,
    bone: String,
    body_bone: String,
    depth_mm: f32,
    seconds: f64,
    /// Times of all frames in which the joint is in this part of the body, in seconds.
    times: Vec<f64>,
}

#[derive(Debug, Serialize)]
struct ChangeSummary {
    change: MessageText,
    motion: String,
    before: AmountSummary,
    after: AmountSummary,
    /// Change of the sum of all depths in all frames, in percent.
    total_depth_percent: f64,
    /// Chains that clip more with the change.
    worse: Vec<String>,
    /// How far the change moves hair and cloth in the rest pose.
    rest_shift_mm: f32,
    recommended: bool,
}

#[derive(Debug, Serialize)]
struct AmountSummary {
    depth_mm: f32,
    frames: usize,
}

impl From<ClippingAmount> for AmountSummary {
    fn from(amount: ClippingAmount) -> Self {
        Self { depth_mm: 1000.0 * amount.depth, frames: amount.frames }
    }
}

impl ClippingSummary {
    /// Appends the lines of the text output. `file` is the name of the character's file.
    pub(super) fn write_text(&self, file: &str, text: &mut String, lang: Lang) {
        if let Some(warning) = &self.warning {
            let warning = Diagnostic::warning(Location::file(file), warning.clone());
            let _ = writeln!(text, "  {}", diagnostic_line(lang, &warning));
        }
        for (indent, line) in &self.lines {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{:width$}{}", "", lang.tr(line), width = 2 * indent);
        }
    }
}

/// Checks the motions of a character. Findings are added to `diagnostics`. Returns `None` if nothing can be checked.
pub(super) fn check(
    simulated: &SimulatedCharacter<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> anyhow::Result<Option<ClippingSummary>> {
    let session = &simulated.session;
    let warning = |message| Diagnostic::warning(Location::file(simulated.name), message);
    let job = match ClippingJob::new(session, &[]) {
        Ok(job) => job,
        Err(error) => {
            diagnostics.push(warning(error.message()));
            return Ok(None);
        }
    };
    let findings = find(&job, simulated)?;
    for (motion, error) in &findings.left_out {
        diagnostics.push(warning(error.message(&excerpt(&motion_name(session, *motion)))));
    }
    Ok(Some(summarize(session, &findings)))
}

fn find(job: &ClippingJob, simulated: &SimulatedCharacter<'_>) -> anyhow::Result<ClippingFindings> {
    let (reporter, threads) = (simulated.progress(PROGRESS_STEPS), simulated.threads);
    let progress = |share: f32| {
        reporter.set_position((share * PROGRESS_STEPS as f32) as u64);
        true
    };
    let for_each_index = |count: usize, work: &(dyn Fn(usize) + Sync)| {
        let indices: Vec<usize> = (0..count).collect();
        // The search has no result if a thread stops.
        _ = map_in_order(threads, &indices, |index| work(*index));
    };
    let control = JobControl { progress: &progress, for_each_index: &for_each_index };
    let found = job.find(&simulated.motions, control);
    reporter.finish();
    found.ok_or_else(|| failure(message!("the search for clipping stopped because of an internal error; try again")))
}

/// The warning about a character; `None` if nothing is clipping.
fn summary_message(findings: &ClippingFindings) -> Option<MessageText> {
    let clipping = || findings.reports.iter().filter(|report| !report.contacts.is_empty());
    let depth = clipping().map(ClippingReport::depth).reduce(f32::max)?;
    Some(message!(
        "hair or cloth passes through the body in {n} of {motions}, up to {depth} mm deep",
        n = clipping().count(),
        motions = message!("{n:motion|motions}", n = findings.reports.len()),
        depth = format!("{:.0}", 1000.0 * depth)
    ))
}

fn summarize(session: &Session, findings: &ClippingFindings) -> ClippingSummary {
    let mut lines = Vec::new();
    for report in &findings.reports {
        lines.push((1, report_line(session, report)));
        let listed = report.contacts.iter().take(LISTED_CONTACTS);
        lines.extend(listed.map(|contact| {
            let line = message!(
                "{depth} mm at {seconds} s: {bone} in {body_part}",
                depth = format!("{:.0}", 1000.0 * contact.depth),
                seconds = format!("{:.2}", contact.seconds),
                bone = bone_name(session, contact.bone),
                body_part = bone_name(session, contact.body_bone)
            );
            (2, line)
        }));
        let more = report.contacts.len().saturating_sub(LISTED_CONTACTS);
        lines.extend((more > 0).then(|| (2, message!("{n:more contact|more contacts}", n = more))));
    }
    lines.extend(findings.proposals.iter().map(|proposal| (1, proposal_line(session, proposal))));
    let clips = findings.reports.iter().any(|report| !report.contacts.is_empty());
    lines.extend((clips && findings.proposals.is_empty()).then(|| (1, message!("no change was found that helps"))));
    ClippingSummary {
        motions: findings.reports.iter().map(|report| motion_summary(session, report)).collect(),
        changes: findings.proposals.iter().map(|proposal| change_summary(session, proposal)).collect(),
        warning: summary_message(findings),
        lines,
    }
}

fn report_line(session: &Session, report: &ClippingReport) -> MessageText {
    let motion = excerpt(&motion_name(session, report.motion));
    if report.contacts.is_empty() {
        return message!("{motion}: no clipping", motion);
    }
    message!(
        "{motion}: up to {depth} mm in {n} of {frames}, {percent} % of the points",
        motion,
        depth = format!("{:.0}", 1000.0 * report.depth()),
        n = report.clipping_frames(),
        frames = message!("{n:frame|frames}", n = report.frames.len()),
        percent = format!("{:.2}", 100.0 * report.share())
    )
}

fn proposal_line(session: &Session, proposal: &ClippingProposal) -> MessageText {
    let body_part = bone_name(session, proposal.fix.body_bone);
    let amount = |amount: ClippingAmount| {
        message!(
            "{depth} mm in {frames}",
            depth = format!("{:.0}", 1000.0 * amount.depth),
            frames = message!("{n:frame|frames}", n = amount.frames)
        )
    };
    let (change, motion) =
        (proposal.fix.message(session.document(), &body_part), excerpt(&motion_name(session, proposal.motion)));
    let (before, after) = (amount(proposal.before), amount(proposal.after));
    let percent = format!("{:+.0}", proposal.total_depth_percent());
    let effect =
        message!("{motion}: {before} → {after}, sum of all depths {percent} %", motion, before, after, percent);
    let line = if proposal.recommended {
        message!("recommended change: {change}; {effect}", change, effect)
    } else {
        message!("change: {change}; {effect}", change, effect)
    };
    let line = if proposal.stands_off {
        let shift = format!("{:.0}", 1000.0 * proposal.rest_shift);
        message!("{line}; moves the rest pose by up to {shift} mm", line, shift)
    } else {
        line
    };
    if proposal.worse.is_empty() {
        return line;
    }
    message!("{line}; worse for {chains}", line, chains = chain_list(session.document(), &proposal.worse))
}

fn motion_summary(session: &Session, report: &ClippingReport) -> MotionSummary {
    let contacts = report.contacts.iter().map(|contact| ContactSummary {
        chain: session.document().chains.get(&contact.chain).map_or_else(String::new, |chain| chain.name.clone()),
        bone: session.character().skeleton.name(contact.bone).to_owned(),
        body_bone: session.character().skeleton.name(contact.body_bone).to_owned(),
        depth_mm: 1000.0 * contact.depth,
        seconds: contact.seconds,
        times: contact.frames.iter().filter_map(|at| Some(report.frames.get(*at as usize)?.seconds)).collect(),
    });
    MotionSummary {
        motion: motion_name(session, report.motion),
        seconds: report.seconds,
        frames: report.frames.len(),
        clipping_frames: report.clipping_frames(),
        points: report.point_count,
        share: report.share(),
        depth_mm: 1000.0 * report.depth(),
        contacts: contacts.collect(),
    }
}

fn change_summary(session: &Session, proposal: &ClippingProposal) -> ChangeSummary {
    let chain_name = |id| session.document().chains.get(id).map(|chain| chain.name.clone());
    ChangeSummary {
        change: proposal.fix.message(session.document(), &bone_name(session, proposal.fix.body_bone)),
        motion: motion_name(session, proposal.motion),
        before: proposal.before.into(),
        after: proposal.after.into(),
        total_depth_percent: proposal.total_depth_percent(),
        worse: proposal.worse.iter().filter_map(chain_name).collect(),
        rest_shift_mm: 1000.0 * proposal.rest_shift,
        recommended: proposal.recommended,
    }
}

fn bone_name(session: &Session, bone: BoneId) -> String {
    excerpt(session.character().skeleton.name(bone))
}
