//! Commands that write one result for each of many characters.

use super::file_jobs::JobsOption;
use super::input::{FoundCharacter, check_inputs_not_replaced, find_characters};
use super::output::{self, ProgressReporter, RunReport, failure_diagnostics, is_folder};
use super::remap::format_values;
use crate::diagnostics::{Diagnostic, MessageText, Severity, message};
use crate::exchange::SetupFormat;
use crate::format::tables::{self, FileKind};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a command writes for a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultFormat {
    Table(SetupFormat),
    Project,
    /// The character with its springs.
    Character,
}

impl ResultFormat {
    pub(super) fn parser() -> impl TypedValueParser<Value = Self> {
        let others = [("project", "A project"), ("character", "The character with its springs")];
        let others = others.map(|(name, help)| PossibleValue::new(name).help(help));
        PossibleValuesParser::new(format_values().chain(others)).map(|name| match &*name {
            "project" => Self::Project,
            "character" => Self::Character,
            key => Self::Table(tables::find_format(key).unwrap_or_default()),
        })
    }

    pub(super) fn table(self) -> Option<SetupFormat> {
        if let Self::Table(format) = self { Some(format) } else { None }
    }

    /// Whether a file of this name can have this format.
    pub(super) fn writes(self, out: &Path) -> bool {
        match self {
            // The name of a table is checked with its format.
            Self::Table(_) => true,
            Self::Project => FileKind::from_path(out) == Some(FileKind::Project),
            Self::Character => FileKind::from_path(out) == Some(FileKind::Character),
        }
    }

    /// Returns the extension of the result for a character.
    pub(super) fn file_extension(self, character: &Path) -> String {
        match self {
            Self::Table(format) => format.extension().to_owned(),
            Self::Project => "yure".to_owned(),
            Self::Character => {
                let is_known = FileKind::from_path(character) == Some(FileKind::Character);
                let own = character.extension().filter(|_| is_known);
                own.map_or_else(|| "glb".to_owned(), |ending| ending.to_string_lossy().into_owned())
            }
        }
    }
}

/// The path of each result, with the folder structure of the characters. Equal names get a number: `girl.csv`,
/// `girl-2.csv`. `extension` returns the extension of the result for a character.
pub(super) fn numbered_target_paths(
    out: &Path,
    found: &[FoundCharacter],
    extension: &dyn Fn(&Path) -> String,
) -> anyhow::Result<Vec<PathBuf>> {
    is_folder(out, &message!("a folder"))?;
    let mut taken = BTreeSet::new();
    let target = |character: &FoundCharacter| {
        let stem = character.path.file_stem().map_or("character".into(), |stem| stem.to_string_lossy());
        let ending = extension(&character.path);
        let numbered = (2..).map(|n| format!("{stem}-{n}.{ending}"));
        let names = std::iter::once(format!("{stem}.{ending}")).chain(numbered);
        // On Windows and macOS, names that differ only in case refer to the same file.
        let mut free = names
            .map(|name| out.join(&character.relative_folder).join(name))
            .filter(|path| taken.insert(path.to_string_lossy().to_lowercase()));
        free.next().expect("the numbers do not end")
    };
    Ok(found.iter().map(target).collect())
}

/// The result for one character, for `--json`.
#[derive(Debug, Serialize)]
pub(super) struct CharacterOutcome<T> {
    file: String,
    good: bool,
    #[serde(flatten)]
    summary: Option<T>,
    diagnostics: Vec<Diagnostic>,
}

impl<T> CharacterOutcome<T> {
    pub(super) fn success(character: &Path, summary: T) -> Self {
        let file = character.display().to_string();
        Self { file, good: true, summary: Some(summary), diagnostics: Vec::new() }
    }
}

/// The characters of a command, and the path of the result of each.
#[derive(Debug)]
pub(super) struct Batch {
    found: Vec<FoundCharacter>,
    targets: Vec<PathBuf>,
}

impl Batch {
    /// Finds the characters among `paths` and in the folders among `paths`. Fails if a result would replace a file that
    /// the command reads; `shared` are the files that are read again for each character.
    pub(super) fn find(
        paths: &[PathBuf],
        (out, extension): (&Path, &dyn Fn(&Path) -> String),
        shared: &[&Path],
        report: &mut RunReport,
    ) -> anyhow::Result<Self> {
        let found = find_characters(paths, Some(out), report)?;
        let targets = numbered_target_paths(out, &found, extension)?;
        check_inputs_not_replaced(&found, shared, &targets)?;
        report.check_targets(&targets)?;
        report.fail_if_strict_or_lossy()?;
        Ok(Self { found, targets })
    }

    pub(super) fn targets(&self) -> &[PathBuf] {
        &self.targets
    }

    /// Calls `work` with each character and the path of its result, whose folder exists. Prints and reports all
    /// results. Returns whether all characters succeeded.
    pub(super) fn run<T: Serialize + Send>(
        &self,
        jobs: JobsOption,
        report: &mut RunReport,
        work: impl Fn(&Path, &Path, &mut RunReport) -> anyhow::Result<T> + Sync,
        describe: impl Fn(&T) -> MessageText,
    ) -> anyhow::Result<bool> {
        let progress = ProgressReporter::new(self.found.len() as u64, report.text(&message!("characters")));
        let files: Vec<_> = self.found.iter().zip(&self.targets).collect();
        let run_one = |(character, target): &(&FoundCharacter, &PathBuf), turn| {
            let mut one = report.for_one_file(turn);
            let folder = one.make_folder(target.parent().unwrap_or(Path::new("")));
            let (summary, failed) = match folder.and_then(|()| work(&character.path, target, &mut one)) {
                Ok(summary) => (Some(summary), Vec::new()),
                Err(err) => (None, failure_diagnostics(&err)),
            };
            let mut diagnostics = one.take_diagnostics();
            diagnostics.extend(failed);
            progress.step();
            let file = character.path.display().to_string();
            (CharacterOutcome { file, good: summary.is_some(), summary, diagnostics }, one)
        };
        let (outcomes, reports): (Vec<_>, Vec<_>) =
            jobs.map_files(&files, |(character, _)| &character.path, run_one)?.into_iter().unzip();
        progress.finish();
        for one in &reports {
            report.add_written(one);
        }
        print_outcomes(&outcomes, report, describe)?;
        let good = outcomes.iter().filter(|outcome| outcome.good).count();
        let failed = outcomes.len() - good;
        report.set_field("good", good)?;
        report.set_field("failed", failed)?;
        report.set_field("characters", &outcomes)?;
        Ok(failed == 0 && !report.has_error())
    }
}

fn print_outcomes<T>(
    outcomes: &[CharacterOutcome<T>],
    report: &RunReport,
    describe: impl Fn(&T) -> MessageText,
) -> anyhow::Result<()> {
    for outcome in outcomes {
        let file = &outcome.file;
        report.print_message(&match &outcome.summary {
            Some(summary) => message!("ok      {file}: {result}", file, result = describe(summary)),
            None => message!("FAILED  {file}", file),
        })?;
        for diagnostic in outcome.diagnostics.iter().filter(|d| d.severity > Severity::Info) {
            report.print_text(&format!("        {}\n", output::diagnostic_line(report.lang(), diagnostic)))?;
        }
    }
    let good = outcomes.iter().filter(|outcome| outcome.good).count();
    report.print_message(&message!("{good} ok, {failed} failed", good, failed = outcomes.len() - good))
}
