//! `yuremono apply`: applies one table to many characters.

use super::batch::{ResultFormat, numbered_target_paths, skip_existing};
use super::convert::{self, ConvertTask, check_output_name};
use super::file_jobs::JobsOption;
use super::input::{FoundCharacter, check_inputs_not_replaced, find_characters, input_name};
use super::load;
use super::options::ListOption;
use super::output::{
    self, LossOptions, ProgressReporter, RunReport, WriteOptions, command_failure, failure_diagnostics, path_failure,
};
use super::remap::{
    NameMatchingArgs, RemapInput, RemapOutcome, RemapResult, RemappedRow, check_format_solver, report_losses,
};
use clap::ValueHint;
use serde::Serialize;
use std::path::{Path, PathBuf};
use yuremono_format::open::{OpenedCharacter, file_name};
use yuremono_format::project::ProjectMetadata;
use yuremono_format::tables::{self};
use yuremono_model::exchange::remap::RemapRules;
use yuremono_model::exchange::{FileSection, SetupFile};
use yuremono_sim::diagnostics::{Diagnostic, Severity, excerpt, message};

/// Share of the rows that every character must match without `--min-matched`.
const DEFAULT_MIN_MATCHED: f32 = 1.0;

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
    #[arg(long, required_unless_present = "list", num_args = 1.., value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    to: Vec<PathBuf>,
    #[command(flatten)]
    list: ListOption,
    #[command(flatten)]
    matching: NameMatchingArgs,
    /// Format of the results: a table, a project, or the character with its springs. Default: the format of the table.
    #[arg(long, value_name = "FORMAT", value_parser = ResultFormat::parser())]
    format: Option<ResultFormat>,
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

/// The result for one character.
#[derive(Debug, Serialize)]
struct ApplyOutcome {
    file: String,
    ok: bool,
    rows: usize,
    matched: usize,
    unsure: Vec<RemappedRow>,
    missing: Vec<RemappedRow>,
    written: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

/// The input that all characters share.
struct TableInput<'a> {
    args: &'a ApplyArgs,
    setup: SetupFile,
    rules: Option<RemapRules>,
    from: Option<OpenedCharacter>,
    format: ResultFormat,
}

pub(super) fn run(args: &ApplyArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let from = args.from.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    let setup = load::read_setup(&args.table, from.as_ref(), report)?;
    let format = args.format.unwrap_or(ResultFormat::Table(setup.format));
    let is_csv = format.table().is_some_and(|format| format.extension() == "csv");
    args.matching.table.check(args.out.as_deref().unwrap_or(&args.table), is_csv)?;
    args.out.as_deref().map_or(Ok(()), output::refuse_stdout)?;
    let mut found = find_characters(&args.list.extend(&args.to)?, args.out.as_deref(), report)?;
    let mut targets = args
        .out
        .as_deref()
        .map(|out| numbered_target_paths(out, &found, &|character| format.file_extension(character)))
        .transpose()?;
    if let Some(targets) = &mut targets {
        skip_existing(&mut found, targets, report)?;
        check_inputs_not_replaced(&found, &[], targets)?;
        report.check_targets(targets)?;
    }
    let rules = args.matching.read_rules()?;
    report.fail_if_strict_or_lossy()?;
    let input = TableInput { args, setup, rules, from, format };
    let progress = ProgressReporter::new(found.len() as u64, report.text(&message!("characters")));
    let targets = targets.into_iter().flatten().map(Some).chain(std::iter::repeat(None));
    let files: Vec<_> = found.iter().zip(targets).collect();
    let apply = |(character, target): &(&FoundCharacter, Option<PathBuf>), turn| {
        let mut one = report.for_one_file(turn);
        let outcome = input.apply_to_character(&character.path, target.as_deref(), &mut one);
        progress.step();
        (outcome, one)
    };
    let (outcomes, reports): (Vec<_>, Vec<_>) =
        args.jobs.map_files(&files, |(character, _)| &character.path, apply)?.into_iter().unzip();
    progress.finish();
    for one in &reports {
        report.add_written(one);
    }
    let good = outcomes.iter().filter(|outcome| outcome.ok).count();
    let failed = outcomes.len() - good;
    print_outcomes(&outcomes, args.out.is_some(), report)?;
    report.set_field("table", input_name(&args.table))?;
    report.set_field("min_matched", args.matching.matched.min_matched.unwrap_or(DEFAULT_MIN_MATCHED))?;
    report.set_field("good", good)?;
    report.set_field("failed", failed)?;
    report.set_field("files", &outcomes)?;
    Ok(failed == 0 && !report.has_error())
}

impl TableInput<'_> {
    /// Whether the result is the table with other names. Otherwise the setup is converted on the character.
    fn is_renamed_table(&self) -> bool {
        self.format.table().is_some_and(|format| check_format_solver(format, &self.setup).is_ok())
    }

    /// Applies the table to one character, and writes the result to `target` if given.
    fn apply_to_character(&self, file: &Path, target: Option<&Path>, report: &mut RunReport) -> ApplyOutcome {
        let mut outcome = ApplyOutcome {
            file: file.display().to_string(),
            ok: false,
            rows: self.setup.entries.iter().filter(|item| item.section == FileSection::Joints).count(),
            matched: 0,
            unsure: Vec::new(),
            missing: Vec::new(),
            written: Vec::new(),
            diagnostics: Vec::new(),
        };
        let done = self.try_apply(file, target, &mut outcome, report);
        outcome.diagnostics = report.take_diagnostics();
        if let Err(err) = done {
            outcome.ok = false;
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
            ResultFormat::Table(format) if self.is_renamed_table() => format,
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
        outcome.ok = result.is_matched(self.args.matching.matched, DEFAULT_MIN_MATCHED);
        report.add_losses(&result.unresolved);
        report.add_diagnostics(&result.notes);
        match target {
            Some(_) if !outcome.ok && result.has_result() && !self.args.matching.matched.keep_going => {}
            Some(target) if result.has_result() => {
                self.write(file, opened, &result, target, report)?;
                outcome.written = report.written_names();
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
        if self.is_renamed_table() {
            report_losses(&result.exported, result.options, &file_name(target), report);
            report.make_folder(target.parent().unwrap_or(Path::new("")))?;
            return report.write(target, &result.to_bytes());
        }
        let mirror = self.args.matching.mirror;
        let task = ConvertTask {
            format: self.format.table(),
            mirror,
            average: self.args.average,
            table: self.args.matching.table,
            ..ConvertTask::new(&load::NamedCharacter::find(file)?.file, target)
        };
        check_output_name(&task)?;
        let setup = load::setup_to_gltf(self.setup.clone(), mirror, self.from.as_ref(), &opened);
        let session =
            load::session_with_setup_file(opened, setup, &result.name_map, &input_name(&self.args.table), report)?;
        report.make_folder(target.parent().unwrap_or(Path::new("")))?;
        convert::write_output(&task, &session, &[], &ProjectMetadata::default(), report)
    }
}

fn print_outcomes(outcomes: &[ApplyOutcome], has_output: bool, report: &mut RunReport) -> anyhow::Result<()> {
    let lang = report.lang();
    for outcome in outcomes {
        let (file, matched, rows) = (&outcome.file, outcome.matched, outcome.rows);
        let written = match outcome.written.first() {
            Some(target) => message!("; written to {file}", file = target.clone()),
            None if has_output => message!("; nothing was written"),
            None => "".into(),
        };
        report.print_message(&if outcome.ok {
            message!("ok      {file}: {matched} of {rows} rows matched{written}", file, matched, rows, written)
        } else {
            message!("FAILED  {file}: {matched} of {rows} rows matched{written}", file, matched, rows, written)
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
    let good = outcomes.iter().filter(|outcome| outcome.ok).count();
    report.print_message(&message!("{good} ok, {failed} failed", good, failed = outcomes.len() - good))
}
