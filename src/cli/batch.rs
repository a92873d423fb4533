//! Commands that write one result for each of many characters.

use super::file_jobs::JobsOption;
use super::input::{FoundCharacter, check_inputs_not_replaced, find_characters};
use super::load::NamedCharacter;
use super::output::{self, FileReport, ProgressReporter, RunReport, failure_diagnostics, is_folder, refuse_stdout};
use super::remap::format_values;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::{self, FileKind};
use yuremono_model::exchange::SetupFormat;
use yuremono_sim::diagnostics::{MessageText, Severity, message};

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
            key => Self::Table(tables::find_format(key).unwrap_or(DEFAULT_FORMAT)),
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
                let file = NamedCharacter::find(character).map_or_else(|_| character.to_owned(), |named| named.file);
                let is_known = FileKind::from_path(&file) == Some(FileKind::Character);
                let own = file.extension().filter(|_| is_known);
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

/// Removes the characters whose results exist, with `--skip-existing`.
pub(super) fn skip_existing(
    found: &mut Vec<FoundCharacter>,
    targets: &mut Vec<PathBuf>,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let (kept, skipped): (Vec<_>, Vec<_>) =
        found.drain(..).zip(targets.drain(..)).partition(|(_, target)| !report.skips(target));
    (*found, *targets) = kept.into_iter().unzip();
    if !skipped.is_empty() {
        let skipped = skipped.len();
        report.print_message(&message!("{n:result exists|results exist} already; skipped", n = skipped))?;
        report.set_field("skipped", skipped)?;
    }
    Ok(())
}

/// The characters of a command, and the path of the result of each.
#[derive(Debug)]
pub(super) struct Batch {
    found: Vec<FoundCharacter>,
    targets: Vec<PathBuf>,
}

impl Batch {
    /// Finds the characters among `paths` and in the folders among `paths`. The results go to the folder `out`.
    /// `extension` returns the extension of the result for a character. Fails if a result would replace a file that the
    /// command reads; `shared` are the files that are read again for each character.
    pub(super) fn find(
        paths: &[PathBuf],
        out: &Path,
        extension: &dyn Fn(&Path) -> String,
        shared: &[&Path],
        report: &mut RunReport,
    ) -> anyhow::Result<Self> {
        refuse_stdout(out)?;
        let mut found = find_characters(paths, Some(out), report)?;
        let mut targets = numbered_target_paths(out, &found, extension)?;
        skip_existing(&mut found, &mut targets, report)?;
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
    pub(super) fn run(
        &self,
        jobs: JobsOption,
        report: &mut RunReport,
        work: impl Fn(&Path, &Path, &mut RunReport) -> anyhow::Result<bool> + Sync,
    ) -> anyhow::Result<bool> {
        let progress = ProgressReporter::new(self.found.len() as u64, report.text(&message!("characters")));
        let files: Vec<_> = self.found.iter().zip(&self.targets).collect();
        let run_one = |(character, target): &(&FoundCharacter, &PathBuf), turn| {
            let mut one = report.for_one_file(turn);
            let folder = one.make_folder(target.parent().unwrap_or(Path::new("")));
            let done = folder.and_then(|()| work(&character.path, target, &mut one));
            progress.step();
            BatchResult::new(&character.path, done, one)
        };
        let results = jobs.map_files(&files, |(character, _)| &character.path, run_one)?;
        progress.finish();
        print_results(&results, report)?;
        let good = results.iter().filter(|result| result.file.ok).count();
        let failed = results.len() - good;
        for result in &results {
            report.add_written(&result.report);
        }
        report.set_field("good", good)?;
        report.set_field("failed", failed)?;
        report.set_field("files", results.iter().map(|result| &result.file).collect::<Vec<_>>())?;
        Ok(failed == 0 && !report.has_error())
    }
}

/// The result for one of many characters.
#[derive(Debug)]
struct BatchResult {
    file: FileReport,
    /// The last message of the work.
    summary: Option<MessageText>,
    report: RunReport,
}

impl BatchResult {
    fn new(character: &Path, done: anyhow::Result<bool>, mut report: RunReport) -> Self {
        let mut file = report.take_file_report(character.display().to_string(), matches!(done, Ok(true)));
        file.diagnostics.extend(done.err().iter().flat_map(failure_diagnostics));
        Self { file, summary: report.take_summary(), report }
    }
}

fn print_results(results: &[BatchResult], report: &mut RunReport) -> anyhow::Result<()> {
    for result in results {
        let file = &result.file.file;
        let summary = result.summary.clone().filter(|_| result.file.ok);
        report.print_message(&match summary {
            Some(result) => message!("ok      {file}: {result}", file, result),
            None if result.file.ok => message!("ok      {file}", file),
            None => message!("FAILED  {file}", file),
        })?;
        for diagnostic in result.file.diagnostics.iter().filter(|d| d.severity > Severity::Info) {
            report.print_text(&format!("        {}\n", output::diagnostic_line(report.lang(), diagnostic)))?;
        }
    }
    let good = results.iter().filter(|result| result.file.ok).count();
    report.print_message(&message!("{good} ok, {failed} failed", good, failed = results.len() - good))
}
