//! The findings of the Doctor in the report of `check`.

use super::ordered_pipeline::map_in_order;
use super::simulated_character::SimulatedCharacter;
use serde::Serialize;
use yuremono_model::document::Document;
use yuremono_model::tools::doctor::{Finding, Subject};
use yuremono_session::{DoctorJob, motion_name};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, Severity, excerpt};
use yuremono_sim::rig::Skeleton;

/// A finding for `--json`.
#[derive(Debug, Serialize)]
pub(super) struct FindingSummary {
    finding: &'static str,
    severity: Severity,
    message: MessageText,
    /// Names of the bones that the finding is about, the clearest case first.
    bones: Vec<String>,
    colliders: Vec<String>,
    forces: Vec<String>,
    /// Whether the window offers a fix.
    fixable: bool,
}

impl FindingSummary {
    pub(super) fn new(finding: &Finding, document: &Document, skeleton: &Skeleton) -> Self {
        let names = |is_meant: fn(&Subject) -> bool| {
            let subjects = finding.subjects.iter().filter(|subject| is_meant(subject));
            subjects.map(|subject| subject.name(document, skeleton)).collect()
        };
        Self {
            finding: finding.kind.key(),
            severity: finding.kind.severity(),
            message: finding.message.clone(),
            bones: names(|subject| matches!(subject, Subject::Bone(_))),
            colliders: names(|subject| matches!(subject, Subject::Collider(_))),
            forces: names(|subject| matches!(subject, Subject::Force(_))),
            fixable: finding.fix.is_some(),
        }
    }

    /// Returns the finding as a diagnostic of a file.
    pub(super) fn diagnostic(&self, file: &str) -> Diagnostic {
        Diagnostic::new(self.severity, Location::file(file), self.message.clone())
    }
}

/// Simulates the motions of a character. Motions that cannot be played are added to `diagnostics`.
pub(super) fn motion_findings(
    simulated: &SimulatedCharacter<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> anyhow::Result<Vec<Finding>> {
    let session = &simulated.session;
    let job = DoctorJob::new(session);
    let steps = DoctorJob::steps(&simulated.motions);
    let progress = simulated.progress(steps.len());
    let observed = map_in_order(simulated.threads, &steps, |step| {
        let symptoms = job.observe(*step, &|_| true);
        progress.step();
        (*step, symptoms)
    })?;
    let observed = observed.into_iter().filter_map(|(step, symptoms)| Some((step, symptoms?))).collect();
    // Nothing cancels the search for fixes.
    let found = job.findings(observed, &|_| true).unwrap_or_default();
    progress.finish();
    for (motion, error) in &found.left_out {
        let message = error.message(&excerpt(&motion_name(session, *motion)));
        diagnostics.push(Diagnostic::warning(Location::file(simulated.name), message));
    }
    Ok(found.findings)
}
