//! `check --fail-on` and `check --baseline`: which findings fail a pipeline.
//!
//! A baseline is an earlier report of `check --json`. Present and earlier findings are read from the same JSON, so that
//! both have the same identities.

use super::output::{command_failure, file_failure};
use clap::ValueHint;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use yuremono_format::open::file_name;
use yuremono_format::source::read_limited;
use yuremono_format::vrm::rules::RULES;
use yuremono_model::tools::doctor::FindingKind;
use yuremono_sim::diagnostics::{Severity, message};

/// Key of hair and cloth that pass through the body.
pub(super) const CLIPPING_KEY: &str = "clipping";
/// Key of rows of a table that cannot be used.
pub(super) const UNUSABLE_ROWS_KEY: &str = "unusable-rows";
/// A contact that is known may become this much deeper, in millimetres, before it counts as new.
const DEPTH_TOLERANCE_MM: f64 = 1.0;

/// Which findings fail the command.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct FindingGateArgs {
    /// End with exit code 1 if there is such a finding: warning, note (includes warnings), a key of the Doctor's findings, the
    /// name of a rule of VRM, clipping, or unusable-rows. Several are separated by commas.
    #[arg(long, value_name = "warning|note|KEY", value_delimiter = ',', hide_possible_values = true, value_parser = FailOn::parser())]
    fail_on: Vec<FailOn>,
    /// Accept the findings of an earlier report of `check --json`: they are not listed, and neither --fail-on nor --strict
    /// fails because of them.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    baseline: Option<PathBuf>,
}

/// A condition of `--fail-on`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum FailOn {
    Severity(Severity),
    Key(String),
}

impl FailOn {
    fn parser() -> impl TypedValueParser<Value = Self> {
        let keys = FindingKind::ALL.iter().map(|kind| kind.key()).chain(RULES.iter().map(|rule| rule.id));
        let keys: BTreeSet<&str> = keys.chain([CLIPPING_KEY, UNUSABLE_ROWS_KEY]).collect();
        PossibleValuesParser::new(["warning", "note"].into_iter().chain(keys)).map(|value| match &*value {
            "warning" => Self::Severity(Severity::Warning),
            "note" => Self::Severity(Severity::Info),
            _ => Self::Key(value),
        })
    }

    fn matches(&self, problem: &Problem) -> bool {
        match self {
            Self::Severity(severity) => problem.severity >= *severity,
            Self::Key(key) => problem.key == *key,
        }
    }
}

/// A finding that fails the command, for `--json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FailingFinding {
    pub(super) file: String,
    /// Key of the finding. Empty for problems of a file that have no key.
    pub(super) key: String,
    pub(super) severity: Severity,
}

/// The conditions of one run of `check`.
#[derive(Debug, Default)]
pub(super) struct FindingGate {
    fail_on: Vec<FailOn>,
    baseline: Option<Baseline>,
}

#[derive(Debug)]
struct Baseline {
    name: String,
    /// The known findings of each file.
    known: BTreeMap<String, BTreeMap<ProblemId, f64>>,
}

/// Identity of a finding: its key, and the name or the place that it is about.
type ProblemId = (String, String);

/// A finding in a report.
#[derive(Clone, Debug)]
struct Problem {
    key: String,
    severity: Severity,
    /// Each subject with the size of its problem; sizes of findings without a size are 0.
    subjects: Vec<(ProblemId, f64)>,
}

impl Problem {
    fn new(key: &str, severity: Severity, subjects: impl IntoIterator<Item = String>) -> Self {
        let mut subjects: Vec<_> = subjects.into_iter().map(|subject| ((key.to_owned(), subject), 0.0)).collect();
        if subjects.is_empty() {
            subjects.push(((key.to_owned(), String::new()), 0.0));
        }
        Self { key: key.to_owned(), severity, subjects }
    }
}

/// The part of a file's report that identifies findings.
#[derive(Debug, Deserialize)]
struct ReportedFile {
    file: String,
    #[serde(default)]
    unusable_rows: usize,
    #[serde(default)]
    diagnostics: Vec<ReportedDiagnostic>,
    #[serde(default)]
    findings: Vec<ReportedFinding>,
    clipping: Option<ReportedClipping>,
}

#[derive(Debug, Deserialize)]
struct ReportedDiagnostic {
    severity: Severity,
    #[serde(default)]
    location: Value,
    message: String,
    rule: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ReportedFinding {
    finding: String,
    severity: Severity,
    #[serde(default)]
    bones: Vec<String>,
    #[serde(default)]
    colliders: Vec<String>,
    #[serde(default)]
    forces: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct ReportedClipping {
    motions: Vec<ReportedMotion>,
}

#[derive(Debug, Deserialize)]
struct ReportedMotion {
    motion: String,
    contacts: Vec<ReportedContact>,
}

#[derive(Debug, Deserialize)]
struct ReportedContact {
    bone: String,
    body_bone: String,
    depth_mm: f64,
}

impl ReportedFinding {
    fn problem(&self) -> Problem {
        let kinds = [("bone", &self.bones), ("collider", &self.colliders), ("force", &self.forces)];
        let names = kinds.into_iter().flat_map(|(kind, names)| names.iter().map(move |name| format!("{kind} {name}")));
        Problem::new(&self.finding, self.severity, names)
    }
}

impl ReportedDiagnostic {
    fn problem(&self) -> Problem {
        // Lines and indices move when something is added, so the bone identifies a place if there is one.
        let place = self.location.get("bone").or_else(|| self.location.get("pointer")).and_then(Value::as_str);
        let place = place.unwrap_or_default();
        match &self.rule {
            Some(rule) => Problem::new(rule, self.severity, [place.to_owned()]),
            None => Problem::new("", self.severity, [format!("{place}: {}", self.message)]),
        }
    }
}

impl ReportedClipping {
    fn problem(&self) -> Option<Problem> {
        let subjects = self.motions.iter().flat_map(|motion| {
            motion.contacts.iter().map(|contact| {
                let subject = format!("{}: {} in {}", motion.motion, contact.bone, contact.body_bone);
                ((CLIPPING_KEY.to_owned(), subject), contact.depth_mm)
            })
        });
        let subjects: Vec<_> = subjects.collect();
        let found = !subjects.is_empty();
        found.then(|| Problem { key: CLIPPING_KEY.to_owned(), severity: Severity::Warning, subjects })
    }
}

impl ReportedFile {
    fn parse(file: &Value) -> serde_json::Result<Self> {
        Self::deserialize(file)
    }

    fn problems(&self) -> Vec<Problem> {
        let rows = (self.unusable_rows > 0).then(|| {
            let rows = (1..=self.unusable_rows).map(|row| row.to_string());
            Problem::new(UNUSABLE_ROWS_KEY, Severity::Warning, rows)
        });
        let diagnostics = self.diagnostics.iter().map(ReportedDiagnostic::problem);
        let findings = self.findings.iter().map(ReportedFinding::problem);
        let clipping = self.clipping.as_ref().and_then(ReportedClipping::problem);
        diagnostics.chain(rows).chain(findings).chain(clipping).collect()
    }
}

impl Baseline {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = read_limited(path).map_err(command_failure)?;
        let name = file_name(path);
        let refused = |found: String| {
            let message = message!(
                "found {found}; expected a report of `check --json`. No finding is accepted; write the report again",
                found
            );
            file_failure(name.clone(), message)
        };
        let report: Value = serde_json::from_slice(&bytes).map_err(|err| refused(err.to_string()))?;
        let files = report.get("files").and_then(Value::as_array);
        let files = files.ok_or_else(|| refused("JSON without \"files\"".to_owned()))?;
        let mut known = BTreeMap::new();
        for file in files {
            let file = ReportedFile::parse(file).map_err(|err| refused(err.to_string()))?;
            let subjects = file.problems().into_iter().flat_map(|problem| problem.subjects).collect();
            known.insert(portable(&file.file), subjects);
        }
        Ok(Self { name, known })
    }

    fn knows(&self, file: &str, problem: &Problem) -> bool {
        let Some(known) = self.known.get(&portable(file)) else { return false };
        let is_known =
            |(id, size): &(ProblemId, f64)| known.get(id).is_some_and(|old| *size <= old + DEPTH_TOLERANCE_MM);
        problem.subjects.iter().all(is_known)
    }
}

/// Returns a path with the same separators on every system.
fn portable(path: &str) -> String {
    path.replace('\\', "/").trim_start_matches("./").to_owned()
}

/// What the conditions say about a file.
#[derive(Debug, Default)]
pub(super) struct GatedFile {
    pub(super) failing: Vec<FailingFinding>,
    /// Whether an unknown problem fails `--strict`: an error, or rows that cannot be used.
    pub(super) fails_strict: bool,
    /// Whether each diagnostic, finding and the clipping of the file is in the baseline.
    pub(super) known_diagnostics: Vec<bool>,
    pub(super) known_findings: Vec<bool>,
    pub(super) knows_clipping: bool,
}

impl GatedFile {
    pub(super) fn known_count(&self) -> usize {
        let lists = self.known_diagnostics.iter().chain(&self.known_findings);
        lists.filter(|known| **known).count() + usize::from(self.knows_clipping)
    }
}

impl FindingGate {
    pub(super) fn new(args: &FindingGateArgs) -> anyhow::Result<Self> {
        let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
        Ok(Self { fail_on: args.fail_on.clone(), baseline })
    }

    /// The name of the baseline for messages.
    pub(super) fn baseline_name(&self) -> Option<&str> {
        self.baseline.as_ref().map(|baseline| baseline.name.as_str())
    }

    /// Applies the conditions to the report of a file.
    pub(super) fn judge(&self, report: &impl Serialize) -> anyhow::Result<GatedFile> {
        let file = ReportedFile::parse(&serde_json::to_value(report)?)?;
        let knows =
            |problem: &Problem| self.baseline.as_ref().is_some_and(|baseline| baseline.knows(&file.file, problem));
        let is_new = |problem: &Problem| !knows(problem);
        let problems: Vec<Problem> = file.problems().into_iter().filter(is_new).collect();
        let fails = |problem: &&Problem| self.fail_on.iter().any(|condition| condition.matches(problem));
        let failing = problems.iter().filter(fails).map(|problem| FailingFinding {
            file: file.file.clone(),
            key: problem.key.clone(),
            severity: problem.severity,
        });
        let fails_strict = |problem: &Problem| problem.severity == Severity::Error || problem.key == UNUSABLE_ROWS_KEY;
        Ok(GatedFile {
            failing: failing.collect(),
            fails_strict: problems.iter().any(fails_strict),
            known_diagnostics: file.diagnostics.iter().map(|one| knows(&one.problem())).collect(),
            known_findings: file.findings.iter().map(|one| knows(&one.problem())).collect(),
            knows_clipping: file.clipping.as_ref().and_then(ReportedClipping::problem).is_some_and(|one| knows(&one)),
        })
    }
}
