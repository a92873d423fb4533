//! `yuremono apply`: applies one table to many characters.

use super::convert::{self, check_output_name};
use super::file_jobs::JobsOption;
use super::input::{FoundCharacter, check_inputs_not_replaced, find_characters, input_name};
use super::load::{self, parse_number};
use super::output::{
    self, LossOptions, ProgressReporter, RunReport, WriteOptions, command_failure, failure_diagnostics, is_folder,
    path_failure,
};
use super::remap::{
    NameMatchingArgs, RemapInput, RemapOutcome, RemapResult, RemappedRow, check_format_solver, format_values,
    report_losses,
};
use crate::diagnostics::{Diagnostic, Severity, excerpt, message};
use crate::exchange::SetupFormat;
use crate::exchange::remap::RemapRules;
use crate::exchange::{FileSection, SetupFile};
use crate::format::open::{OpenedCharacter, file_name};
use crate::format::project::ProjectMetadata;
use crate::format::tables::{self, FileKind};
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct ApplyArgs {
    /// The table (.csv, .json).
    #[arg(value_hint = ValueHint::FilePath)]
    table: PathBuf,
    /// Character that the table was made for; its skeleton improves the confidence of matches.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// Characters, or folders with characters, which are searched recursively.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    to: Vec<PathBuf>,
    #[command(flatten)]
    matching: NameMatchingArgs,
    /// Format of the results: a table, a project, or the character with its springs. Default: the format of the table.
    #[arg(long, value_name = "FORMAT", value_parser = BatchFormat::parser())]
    format: Option<BatchFormat>,
    /// Share of the rows that every character must match, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    min_matched: f32,
    /// Folder for the results. They have the names of the characters and keep the folder structure.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Write mean values into VRM 0.x files, as `convert --average` does.
    #[arg(long)]
    average: bool,
    #[command(flatten)]
    jobs: JobsOption,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchFormat {
    Table(SetupFormat),
    Project,
    Character,
}

impl BatchFormat {
    fn parser() -> impl TypedValueParser<Value = Self> {
        let others = [("project", "A project"), ("character", "The character with its springs")];
        let others = others.map(|(name, help)| PossibleValue::new(name).help(help));
        PossibleValuesParser::new(format_values().chain(others)).map(|name| match &*name {
            "project" => Self::Project,
            "character" => Self::Character,
            key => Self::Table(tables::find_format(key).unwrap_or_default()),
        })
    }

    /// Returns the extension of the result for a character.
    fn file_extension(self, character: &Path) -> String {
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

    /// Whether the result is the table with other names. Otherwise the setup is converted on the character.
    fn is_table_of(self, setup: &SetupFile) -> bool {
        matches!(self, Self::Table(format) if check_format_solver(format, setup).is_ok())
    }
}

/// The result for one character.
#[derive(Debug, Serialize)]
struct ApplyOutcome {
    file: String,
    good: bool,
    rows: usize,
    matched: usize,
    unsure: Vec<RemappedRow>,
    missing: Vec<RemappedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

/// The input that all characters share.
struct Batch<'a> {
    args: &'a ApplyArgs,
    setup: SetupFile,
    rules: Option<RemapRules>,
    from: Option<OpenedCharacter>,
    format: BatchFormat,
}

pub(super) fn run(args: &ApplyArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let setup = load::read_setup(&args.table, report)?;
    let format = args.format.unwrap_or(BatchFormat::Table(setup.format));
    let found = find_characters(&args.to, args.out.as_deref(), report)?;
    let targets = args.out.as_deref().map(|out| target_paths(out, &found, format)).transpose()?;
    if let Some(targets) = &targets {
        check_inputs_not_replaced(&found, &[], targets)?;
        report.check_targets(targets)?;
    }
    let rules = args.matching.read_rules()?;
    let from = args.from.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    report.fail_if_strict_or_lossy()?;
    let batch = Batch { args, setup, rules, from, format };
    let progress = ProgressReporter::new(found.len() as u64, report.text(&message!("characters")));
    let targets = targets.into_iter().flatten().map(Some).chain(std::iter::repeat(None));
    let files: Vec<_> = found.iter().zip(targets).collect();
    let apply = |(character, target): &(&FoundCharacter, Option<PathBuf>), turn| {
        let mut one = report.for_one_file(turn);
        let outcome = batch.apply_to_character(&character.path, target.as_deref(), &mut one);
        progress.step();
        (outcome, one)
    };
    let (outcomes, reports): (Vec<_>, Vec<_>) =
        args.jobs.map_files(&files, |(character, _)| &character.path, apply)?.into_iter().unzip();
    progress.finish();
    for one in &reports {
        report.add_written(one);
    }
    let good = outcomes.iter().filter(|outcome| outcome.good).count();
    let failed = outcomes.len() - good;
    print_outcomes(&outcomes, report)?;
    report.set_field("table", input_name(&args.table))?;
    report.set_field("min_matched", args.min_matched)?;
    report.set_field("good", good)?;
    report.set_field("failed", failed)?;
    report.set_field("characters", &outcomes)?;
    Ok(failed == 0 && !report.has_error())
}

/// The path of each result, with the folder structure of the characters.
fn target_paths(out: &Path, found: &[FoundCharacter], format: BatchFormat) -> anyhow::Result<Vec<PathBuf>> {
    numbered_target_paths(out, found, &|character| format.file_extension(character))
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

impl Batch<'_> {
    /// Applies the table to one character, and writes the result to `target` if given.
    fn apply_to_character(&self, file: &Path, target: Option<&Path>, report: &mut RunReport) -> ApplyOutcome {
        let mut outcome = ApplyOutcome {
            file: file.display().to_string(),
            good: false,
            rows: self.setup.entries.iter().filter(|item| item.section == FileSection::Joints).count(),
            matched: 0,
            unsure: Vec::new(),
            missing: Vec::new(),
            written: None,
            diagnostics: Vec::new(),
        };
        let done = self.try_apply(file, target, &mut outcome, report);
        outcome.diagnostics = report.take_diagnostics();
        if let Err(err) = done {
            outcome.good = false;
            outcome.diagnostics.extend(failure_diagnostics(&err));
        }
        outcome
    }

    fn try_apply(
        &self,
        file: &Path,
        target: Option<&Path>,
        outcome: &mut ApplyOutcome,
        report: &mut RunReport,
    ) -> anyhow::Result<()> {
        let opened = load::read_character_silently(file, ProgressReporter::silent()).map_err(command_failure)?;
        report.add_diagnostics(&opened.diagnostics);
        let format = match self.format {
            BatchFormat::Table(format) if self.format.is_table_of(&self.setup) => format,
            _ => tables::full_setup_format(),
        };
        let name = input_name(&self.args.table);
        let input = RemapInput { file: &self.setup, name: &name, rules: self.rules.as_ref(), from: self.from.as_ref() };
        let result = self.args.matching.remap_setup(input, &opened, format);
        let of = |state| result.rows.iter().filter(move |row| row.state == state).cloned();
        outcome.rows = result.rows.len();
        outcome.matched = result.count(RemapOutcome::Matched);
        outcome.unsure = of(RemapOutcome::Unsure).collect();
        outcome.missing = of(RemapOutcome::Missing).collect();
        outcome.good = outcome.matched as f32 >= self.args.min_matched * outcome.rows as f32;
        report.add_diagnostics(&result.unresolved);
        match target {
            Some(target) if result.has_result() => {
                self.write(file, opened, &result, target, report)?;
                outcome.written = Some(target.display().to_string());
            }
            Some(target) => {
                let message = message!("no row of the table matches a bone; nothing was written");
                return Err(path_failure(target, message));
            }
            None => report.fail_if_strict_or_lossy()?,
        }
        Ok(())
    }

    fn write(
        &self,
        file: &Path,
        opened: OpenedCharacter,
        result: &RemapResult,
        target: &Path,
        report: &mut RunReport,
    ) -> anyhow::Result<()> {
        if self.format.is_table_of(&self.setup) {
            report_losses(&result.exported, result.options, &file_name(target), report);
            report.make_folder(target.parent().unwrap_or(Path::new("")))?;
            return report.write(target, &result.to_bytes());
        }
        let format = match self.format {
            BatchFormat::Table(format) => Some(format),
            BatchFormat::Project | BatchFormat::Character => None,
        };
        let mirror = self.args.matching.mirror;
        let mut converted = convert::ConvertArgs::from_paths(file, target);
        (converted.format, converted.mirror, converted.average) = (format, mirror, self.args.average);
        check_output_name(&converted)?;
        let setup = load::setup_to_gltf(self.setup.clone(), mirror, &opened);
        let session =
            load::session_with_setup_file(opened, setup, &result.name_map, &input_name(&self.args.table), report)?;
        report.make_folder(target.parent().unwrap_or(Path::new("")))?;
        convert::write_output(&converted, &session, &[], &ProjectMetadata::default(), report)
    }
}

fn print_outcomes(outcomes: &[ApplyOutcome], report: &RunReport) -> anyhow::Result<()> {
    let lang = report.lang();
    for outcome in outcomes {
        let (file, matched, rows) = (&outcome.file, outcome.matched, outcome.rows);
        report.print_message(&if outcome.good {
            message!("ok      {file}: {matched} of {rows} rows matched", file, matched, rows)
        } else {
            message!("FAILED  {file}: {matched} of {rows} rows matched", file, matched, rows)
        })?;
        let print_indented = |line: String| report.print_text(&format!("        {line}\n"));
        let names = |rows: &[RemappedRow]| rows.iter().map(|r| excerpt(&r.name)).collect::<Vec<_>>().join(", ");
        if !outcome.unsure.is_empty() {
            print_indented(report.text(&message!("unsure: {names}", names = names(&outcome.unsure))))?;
        }
        if !outcome.missing.is_empty() {
            print_indented(report.text(&message!("no bone: {names}", names = names(&outcome.missing))))?;
        }
        for diagnostic in outcome.diagnostics.iter().filter(|d| d.severity > Severity::Info) {
            print_indented(output::diagnostic_line(lang, diagnostic))?;
        }
    }
    let good = outcomes.iter().filter(|outcome| outcome.good).count();
    report.print_message(&message!("{good} ok, {failed} failed", good, failed = outcomes.len() - good))
}
