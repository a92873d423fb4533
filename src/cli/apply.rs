//! `yuremono apply`: one table, many characters.

use super::convert::{self, check_output_name};
use super::find_files::{FoundCharacter, check_inputs_not_replaced, find_characters};
use super::load::{self, parse_number};
use super::output::{
    self, CommandFailure, LossOptions, ProgressReporter, RunReport, WriteOptions, command_failure, is_folder,
    path_failure,
};
use super::remap::{
    NameMatchingArgs, RemapInput, RemapOutcome, RemapResult, RemappedRow, check_solver, parse_table_format,
    report_losses,
};
use super::stdio::input_name;
use crate::diagnostics::{Diagnostic, Location, Severity};
use crate::exchange::remap::RemapRules;
use crate::exchange::{FileSection, SetupFile};
use crate::format::open::{OpenedCharacter, file_name};
use crate::format::project::ProjectMetadata;
use crate::format::tables::{FileKind, TableFormat};
use clap::ValueHint;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct ApplyArgs {
    /// The table (.csv, .json).
    #[arg(value_hint = ValueHint::FilePath)]
    table: PathBuf,
    /// The character that the table was made on; knowing its skeleton makes the matches surer.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// Characters, or folders of characters; folders below them count as well.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    to: Vec<PathBuf>,
    #[command(flatten)]
    matching: NameMatchingArgs,
    /// What is written for each character: a table (csv, parameters, dynamic-bone, kawaii-physics, ez-soft-bone), a project,
    /// or the character itself with its springs. Without it: a table in the format that was read.
    #[arg(long, value_name = "FORMAT", value_parser = BatchFormat::from_name)]
    format: Option<BatchFormat>,
    /// Share of the rows that every character must take, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    min_matched: f32,
    /// Write each character's result into this folder, named after the character, in folders as the characters are.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Writes mean values into VRM 0.x files, as `convert --average` does.
    #[arg(long)]
    average: bool,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    loss: LossOptions,
}

/// What is written for each character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BatchFormat {
    Table(TableFormat),
    Project,
    Character,
}

impl BatchFormat {
    fn from_name(name: &str) -> Result<Self, String> {
        match name {
            "project" => Ok(Self::Project),
            "character" => Ok(Self::Character),
            _ => {
                parse_table_format(name).map(Self::Table).map_err(|expected| format!("{expected}, project, character"))
            }
        }
    }

    /// How the result for this character ends.
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

    /// Whether the result is the table itself under other names, not what it amounts to on the character.
    fn is_table_of(self, setup: &SetupFile) -> bool {
        matches!(self, Self::Table(format) if check_solver(format, setup).is_ok())
    }
}

/// How one character took the table.
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

/// What is the same for all characters.
struct Batch<'a> {
    args: &'a ApplyArgs,
    setup: SetupFile,
    rules: Option<RemapRules>,
    from: Option<OpenedCharacter>,
    format: BatchFormat,
}

pub(super) fn run(args: &ApplyArgs) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| apply(args, report))
}

fn apply(args: &ApplyArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let setup = load::read_setup(&args.table, report)?;
    let format = args.format.unwrap_or(BatchFormat::Table(setup.format));
    let found = find_characters(&args.to, args.out.as_deref(), report)?;
    let targets = args.out.as_deref().map(|out| target_paths(out, &found, format)).transpose()?;
    if let Some(targets) = &targets {
        check_inputs_not_replaced(&found, targets)?;
        report.check_targets(targets)?;
    }
    let rules = args.matching.rules()?;
    let from = args.from.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    report.check_findings()?;
    let batch = Batch { args, setup, rules, from, format };
    let progress = ProgressReporter::new(found.len() as u64, "characters");
    let mut outcomes = Vec::new();
    for (at, character) in found.iter().enumerate() {
        let mut one = report.for_one_file();
        outcomes.push(batch.apply_to_character(
            &character.path,
            targets.as_ref().map(|all| all[at].as_path()),
            &mut one,
        ));
        report.add_written(&one);
        progress.step();
    }
    progress.finish();
    let good = outcomes.iter().filter(|outcome| outcome.good).count();
    let failed = outcomes.len() - good;
    report.print_text(&outcomes_text(&outcomes))?;
    report.set_field("table", input_name(&args.table))?;
    report.set_field("min_matched", args.min_matched)?;
    report.set_field("good", good)?;
    report.set_field("failed", failed)?;
    report.set_field("characters", &outcomes)?;
    Ok(failed == 0 && !report.has_error())
}

/// Where the result of each character goes: as the characters, so their results are in folders. Where two would have one
/// name, the second gets a number: `girl.csv`, `girl-2.csv`.
fn target_paths(out: &Path, found: &[FoundCharacter], format: BatchFormat) -> anyhow::Result<Vec<PathBuf>> {
    is_folder(out, "a folder")?;
    let mut taken = BTreeSet::new();
    let target = |character: &FoundCharacter| {
        let stem = character.path.file_stem().map_or("character".into(), |stem| stem.to_string_lossy());
        let ending = format.file_extension(&character.path);
        let numbered = (2..).map(|n| format!("{stem}-{n}.{ending}"));
        let names = std::iter::once(format!("{stem}.{ending}")).chain(numbered);
        // Names that differ in case alone are one file on some machines.
        let mut free = names
            .map(|name| out.join(&character.relative_folder).join(name))
            .filter(|path| taken.insert(path.to_string_lossy().to_lowercase()));
        free.next().expect("the numbers do not end")
    };
    Ok(found.iter().map(target).collect())
}

impl Batch<'_> {
    /// Applies the table to one character, and writes the result to `target` where there is one.
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
            outcome.diagnostics.extend(match err.downcast::<CommandFailure>() {
                Ok(refusal) => refusal.0,
                Err(err) => vec![Diagnostic::error(Location::default(), format!("{err:#}"))],
            });
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
        let opened = load::read_character_silently(file).map_err(command_failure)?;
        report.add_diagnostics(&opened.diagnostics);
        let format = match self.format {
            BatchFormat::Table(format) if self.format.is_table_of(&self.setup) => format,
            _ => TableFormat::Parameters,
        };
        let name = input_name(&self.args.table);
        let input = RemapInput { file: &self.setup, name: &name, rules: self.rules.as_ref(), from: self.from.as_ref() };
        let carried = self.args.matching.remap_setup(input, &opened, format);
        let of = |state| carried.rows.iter().filter(move |row| row.state == state).cloned();
        outcome.rows = carried.rows.len();
        outcome.matched = carried.count(RemapOutcome::Matched);
        outcome.unsure = of(RemapOutcome::Unsure).collect();
        outcome.missing = of(RemapOutcome::Missing).collect();
        outcome.good = outcome.matched as f32 >= self.args.min_matched * outcome.rows as f32;
        report.add_diagnostics(&carried.unresolved);
        match target {
            Some(target) if carried.has_result() => {
                self.write(file, opened, &carried, target, report)?;
                outcome.written = Some(target.display().to_string());
            }
            Some(target) => return Err(path_failure(target, RemapResult::NO_RESULT)),
            None => report.check_findings()?,
        }
        Ok(())
    }

    fn write(
        &self,
        file: &Path,
        opened: OpenedCharacter,
        carried: &RemapResult,
        target: &Path,
        report: &mut RunReport,
    ) -> anyhow::Result<()> {
        if self.format.is_table_of(&self.setup) {
            report_losses(&carried.exported, carried.options, &file_name(target), report);
            report.make_folder(target.parent().unwrap_or(Path::new("")))?;
            return report.write(target, &carried.to_bytes());
        }
        let format = match self.format {
            BatchFormat::Table(format) => Some(format),
            BatchFormat::Project | BatchFormat::Character => None,
        };
        let mirror = self.args.matching.mirror;
        let mut made = convert::ConvertArgs::from_paths(file, target);
        (made.format, made.mirror, made.average) = (format, mirror, self.args.average);
        check_output_name(&made)?;
        let setup = load::setup_to_gltf(self.setup.clone(), mirror, &opened);
        let session =
            load::session_with_setup_file(opened, setup, &carried.name_map, &input_name(&self.args.table), report)?;
        report.make_folder(target.parent().unwrap_or(Path::new("")))?;
        convert::write_output(&made, &session, &[], &ProjectMetadata::default(), report)
    }
}

fn outcomes_text(outcomes: &[ApplyOutcome]) -> String {
    let mut text = String::new();
    for c in outcomes {
        let verdict = if c.good { "ok" } else { "FAILED" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{verdict:6}  {}: {} of {} rows matched", c.file, c.matched, c.rows);
        let names = |rows: &[RemappedRow]| {
            rows.iter().map(|r| crate::diagnostics::excerpt(&r.name)).collect::<Vec<_>>().join(", ")
        };
        if !c.unsure.is_empty() {
            let _ = writeln!(text, "        unsure: {}", names(&c.unsure));
        }
        if !c.missing.is_empty() {
            let _ = writeln!(text, "        no bone: {}", names(&c.missing));
        }
        for said in c.diagnostics.iter().filter(|d| d.severity > Severity::Info) {
            let _ = writeln!(text, "        {}", output::diagnostic_line(said));
        }
    }
    let good = outcomes.iter().filter(|outcome| outcome.good).count();
    let _ = writeln!(text, "{good} ok, {} failed", outcomes.len() - good);
    text
}
