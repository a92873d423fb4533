//! `yuremono remap`: a table under another character's bone names.

use super::load::{self, MirrorAxis, parse_number};
use super::output::{LossOptions, RunReport, WriteOptions, count_noun, has_extension};
use super::stdio::{self, input_name, is_stdio, output_name, output_path};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::exchange::{
    ExportLoss, ExportOptions, ExportResult, FileSection, ImportPlan, ImportRow, ImportRowStatus, SetupFile, export,
    mappable_names,
};
use crate::exchange::{
    remap::AUTO_INCLUDE_CONFIDENCE, remap::MatchReason, remap::NameMap, remap::NamedBone, remap::RemapPlan as NamePlan,
    remap::RemapRule, remap::RemapRules, remap::plan_remap,
};
use crate::format::open::OpenedCharacter;
use crate::format::tables::{self, TableFormat};
use crate::format::unity_space::to_gltf;
use crate::rig::Skeleton;
use anyhow::bail;
use clap::ValueHint;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `remap`.
#[derive(Debug, clap::Args)]
pub struct RemapArgs {
    /// The table (.csv, .json), or - for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    table: PathBuf,
    /// The character that the table was made on; knowing its skeleton makes the matches surer.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// The character that it is for.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    to: PathBuf,
    #[command(flatten)]
    matching: NameMatchingArgs,
    /// What is written: csv, parameters, dynamic-bone, kawaii-physics or ez-soft-bone. Without it: what was read, or by the
    /// ending of --out.
    #[arg(long, value_name = "FORMAT", value_parser = parse_table_format)]
    format: Option<TableFormat>,
    /// Where the new table goes (.csv, .json for Yuremono's own, or - for standard output). Rows without a bone are kept in
    /// it under their old names, where the format has room for them. Nothing is written if no row finds a bone.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    loss: LossOptions,
}

/// How names are matched.
#[derive(Debug, clap::Args)]
pub(super) struct NameMatchingArgs {
    /// Rules saved by the window (.json). Without them: the default rules and what both sides' names suggest.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rules: Option<PathBuf>,
    /// Matches at least so sure are used, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = AUTO_INCLUDE_CONFIDENCE, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    sure: f32,
    /// Which axis changes sign between the table's space and the character's. Without it: what the file says, else z for
    /// VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    pub mirror: Option<MirrorAxis>,
}

/// A kind of table by its name.
pub(super) fn parse_table_format(name: &str) -> Result<TableFormat, String> {
    let names = TableFormat::ALL.map(TableFormat::key);
    let found = TableFormat::ALL.into_iter().find(|format| format.key() == name);
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// The format of a table by the ending of its file and what was asked for; refused where these contradict each other.
pub(super) fn resolve_format(
    out: &Path,
    asked: Option<TableFormat>,
    usual: TableFormat,
) -> anyhow::Result<TableFormat> {
    if is_stdio(out) {
        return Ok(asked.unwrap_or(usual));
    }
    if !has_extension(out, &["csv", "json"]) {
        bail!("{}: expected a name that ends in .csv or .json", out.display());
    }
    match asked {
        Some(asked) if !has_extension(out, &[asked.extension()]) => {
            let (out, key, ending) = (out.display(), asked.key(), asked.extension());
            bail!("{out}: the ending of the name contradicts --format {key}, which writes .{ending} files")
        }
        Some(asked) => Ok(asked),
        None if has_extension(out, &[usual.extension()]) => Ok(usual),
        None if load::is_json(out) => Ok(TableFormat::Parameters),
        None => Ok(TableFormat::Csv),
    }
}

/// Reports what a setup file cannot store. What its comment rows keep for Yuremono is not lost.
pub(super) fn report_losses(exported: &ExportResult, options: ExportOptions, file: &str, report: &mut RunReport) {
    let is_stored = |loss: &ExportLoss| {
        (options.write_comment_rows && loss.is_kept_in_comments()) || matches!(loss, ExportLoss::PassthroughRows(_))
    };
    let (stored, lost): (Vec<_>, Vec<_>) = exported.losses.iter().partition(|loss| is_stored(loss));
    let diagnostics = |losses: Vec<&ExportLoss>| losses.iter().map(|loss| loss.diagnostic(file)).collect::<Vec<_>>();
    report.add_diagnostics(&diagnostics(stored));
    report.add_losses(&diagnostics(lost));
    report.add_diagnostics(&tables::unwritable_names(&exported.file, options.format, file));
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemapOutcome {
    Matched,
    /// A bone is likely, but less sure than asked for.
    Unsure,
    Missing,
    /// Its cells cannot be read.
    Bad,
    /// A later row is for the same bone.
    Repeated,
}

/// A row and the bone that it found.
#[derive(Clone, Debug, Serialize)]
pub(super) struct RemappedRow {
    pub line: u64,
    pub name: String,
    pub state: RemapOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    pub confidence: f32,
    pub why: String,
}

/// A table under another character's names.
#[derive(Clone, Debug)]
pub(super) struct RemapResult {
    pub rows: Vec<RemappedRow>,
    /// The new file.
    pub exported: ExportResult,
    pub options: ExportOptions,
    /// The bone that each name of the table is mapped to.
    pub name_map: NameMap,
    /// What entries and component lists of the table refer to and the character lacks.
    pub unresolved: Vec<Diagnostic>,
}

impl RemapResult {
    pub(super) fn count(&self, state: RemapOutcome) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Says that [`RemapResult::has_result`] is not so.
    pub(super) const NO_RESULT: &str = "no row of the table found a bone; nothing was written";

    /// Whether there is something to write: a bone that was found, or colliders of a table without rows.
    pub(super) fn has_result(&self) -> bool {
        let has_colliders = || self.exported.file.usable_entries(FileSection::Colliders).next().is_some();
        self.count(RemapOutcome::Matched) > 0 || (self.rows.is_empty() && has_colliders())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        tables::write_setup(&self.exported.file, self.options)
    }
}

pub(super) fn run(args: &RemapArgs) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| remap(args, report))
}

fn remap(args: &RemapArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let from = args.from.as_deref().map(|path| ("character", path));
    let inputs = [("table", args.table.as_path()), ("character", args.to.as_path())];
    report.set_output(&args.out)?;
    let inputs: Vec<_> = inputs.into_iter().chain(from).collect();
    stdio::check_single_stdin(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    let file = load::read_setup(&args.table, report)?;
    let format = resolve_format(&args.out, args.format, file.format)?;
    check_solver(format, &file)?;
    let rules = args.matching.rules()?;
    let from = args.from.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    let to = load::read_character(&args.to, report)?;
    let table = RemapInput { file: &file, name: &input_name(&args.table), rules: rules.as_ref(), from: from.as_ref() };
    let carried = args.matching.remap_setup(table, &to, format);
    report.add_diagnostics(&carried.unresolved);
    report_losses(&carried.exported, carried.options, &output_name(&args.out), report);
    let is_good = carried.has_result();
    if is_good {
        report.write(&args.out, &carried.to_bytes())?;
    }
    let written =
        if is_good { format!("written to {}", output_path(&args.out)) } else { "nothing was written".to_owned() };
    let mut text = String::new();
    for row in &carried.rows {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", row_line(row));
    }
    let _ = writeln!(
        text,
        "{} of {} matched, {} unsure, {} without a bone, {} bad; {written}",
        carried.count(RemapOutcome::Matched),
        count_noun(carried.rows.len(), "row"),
        carried.count(RemapOutcome::Unsure),
        carried.count(RemapOutcome::Missing),
        carried.count(RemapOutcome::Bad),
    );
    report.print_text(&text)?;
    report.set_field("matched", carried.count(RemapOutcome::Matched))?;
    report.set_field("rows", &carried.rows)?;
    Ok(is_good)
}

/// Refuses a format of one engine for the setups of another.
pub(super) fn check_solver(format: TableFormat, file: &SetupFile) -> anyhow::Result<()> {
    match (format.solver(), file.systems.first()) {
        (Some(solver), Some(first)) if file.systems.iter().all(|system| solver != system.solver) => {
            bail!("{} is for {}, the table for {}", format.key(), solver.key(), first.solver.key())
        }
        _ => Ok(()),
    }
}

fn row_line(row: &RemappedRow) -> String {
    let name = excerpt(&row.name);
    let bone = row.bone.as_deref().map_or(String::new(), |bone| format!(" -> {}", excerpt(bone)));
    let percent = (row.confidence * 100.0).round();
    match row.state {
        RemapOutcome::Matched => format!("  matched   {name}{bone}  ({percent} %, {})", row.why),
        RemapOutcome::Unsure => format!("  unsure    {name}{bone}  ({percent} %, {}); not used", row.why),
        RemapOutcome::Missing => format!("  no bone   {name}  (kept)"),
        RemapOutcome::Bad => format!("  bad row   {name}  ({})", row.why),
        RemapOutcome::Repeated => format!("  repeated  {name}{bone}  ({})", row.why),
    }
}

/// What [`NameMatchingArgs::remap_setup`] works with for every character.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemapInput<'a> {
    /// In its own space.
    pub file: &'a SetupFile,
    /// The file's name in messages.
    pub name: &'a str,
    pub rules: Option<&'a RemapRules>,
    /// The character that the table was made on.
    pub from: Option<&'a OpenedCharacter>,
}

impl NameMatchingArgs {
    /// Carries a setup file to `to`'s names: maps the names, imports onto the bare skeleton, exports again. A format that
    /// has no room for several systems gets those of its solver, or of the first system.
    pub(super) fn remap_setup(&self, input: RemapInput<'_>, to: &OpenedCharacter, format: TableFormat) -> RemapResult {
        let (skeleton, humanoid) = (&to.character.skeleton, &to.character.humanoid);
        let source = source_names(input, to);
        let suggested;
        let rules = if let Some(rules) = input.rules {
            rules
        } else {
            let names = skeleton.bones().iter().map(|b| b.name.as_str());
            suggested = RemapRules::with_suggested_affixes(source.iter().map(|s| s.name.as_str()), names);
            &suggested
        };
        let mut names = plan_remap(&source, skeleton, humanoid, rules);
        for (row, entry) in names.rows.clone().iter().enumerate() {
            names.set_included(row, entry.confidence >= self.sure);
        }
        let axis = MirrorAxis::axis(self.mirror, input.file, to.character.facing);
        let leads = names.name_map();
        let import = load::plan_on_empty_document(to_gltf(input.file.clone(), axis), to, &leads);
        let document = import.after_import(skeleton);
        let options =
            ExportOptions { solver: format.solver(), ..ExportOptions::with_flip_axis(axis).for_format(format) };
        let exported = export(&document, skeleton, options);
        let rows = remapped_rows(&import, &names, rules, skeleton);
        let mut unresolved = load::unresolved_findings(&import, input.name);
        unresolved.extend(import.missing_name_diagnostics(input.name));
        let rules_place =
            || self.rules.as_ref().map_or_else(Location::default, |path| Location::file(path.display().to_string()));
        unresolved.extend(names.too_long.iter().map(|long| Diagnostic::warning(rules_place(), long.to_string())));
        RemapResult { rows, exported, options, name_map: leads, unresolved }
    }

    /// The rules file, where one is given.
    pub(super) fn rules(&self) -> anyhow::Result<Option<RemapRules>> {
        load::read_rules(self.rules.as_deref())
    }
}

/// What became of each joint of the file.
fn remapped_rows(import: &ImportPlan, names: &NamePlan, rules: &RemapRules, skeleton: &Skeleton) -> Vec<RemappedRow> {
    let by_name: BTreeMap<_, _> = names.rows.iter().rev().map(|e| (e.source.as_str(), e)).collect();
    let row = |planned: &ImportRow| {
        let entry = by_name.get(planned.name.as_str());
        let bone = planned.target.or_else(|| entry.and_then(|e| e.target));
        let confidence = entry.map_or(0.0, |e| e.confidence);
        let reason = entry.map_or(String::new(), |e| reason_text(&e.reason, rules));
        let (state, why) = match &planned.status {
            ImportRowStatus::Matches { .. } | ImportRowStatus::New { .. } => (RemapOutcome::Matched, reason),
            ImportRowStatus::BoneNotFound if bone.is_some() => (RemapOutcome::Unsure, reason),
            ImportRowStatus::BoneNotFound
            | ImportRowStatus::NodeNotFound(_)
            | ImportRowStatus::ReferenceNotFound(_)
            | ImportRowStatus::UnusedPivot => (RemapOutcome::Missing, reason),
            ImportRowStatus::InvalidCells(problems) => {
                (RemapOutcome::Bad, problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
            ImportRowStatus::Duplicate(line) => (RemapOutcome::Repeated, format!("line {line} is for the same bone")),
        };
        let bone = bone.map(|bone| skeleton.name(bone).to_owned());
        RemappedRow { line: planned.line, name: planned.name.clone(), state, bone, confidence, why }
    };
    import.rows_of(FileSection::Joints).map(|(_, planned)| row(planned)).collect()
}

/// Every name that can be mapped, with what the character of the table knows about them.
fn source_names(input: RemapInput<'_>, to: &OpenedCharacter) -> Vec<NamedBone> {
    let of =
        |opened: &OpenedCharacter| NamedBone::from_skeleton(&opened.character.skeleton, &opened.character.humanoid);
    let mut names: Vec<NamedBone> = input.from.map(of).unwrap_or_default();
    let known: BTreeSet<String> = names.iter().map(|n| n.name.clone()).collect();
    let mappable = mappable_names(input.file, &to.character.skeleton);
    names.extend(mappable.into_iter().filter(|name| !known.contains(name)).map(NamedBone::new));
    names
}

/// Why a row leads where it leads.
fn reason_text(why: &MatchReason, rules: &RemapRules) -> String {
    match why {
        MatchReason::ByRule(at) => match rules.entries.get(*at).map(|entry| &entry.rule) {
            Some(RemapRule::SameName) | None => "same name".to_owned(),
            Some(RemapRule::HumanoidRoles) => "same role of the body".to_owned(),
            Some(RemapRule::StripPrefix(text)) => format!("same without \"{}\" in front", excerpt(text)),
            Some(RemapRule::StripSuffix(text)) => format!("same without \"{}\" at the end", excerpt(text)),
            Some(RemapRule::Sides) => "same but for the way of saying left and right".to_owned(),
            Some(RemapRule::Replace { from, to }) => format!("same with \"{}\" for \"{}\"", excerpt(to), excerpt(from)),
            Some(RemapRule::IgnoreCase) => "same but for case and width".to_owned(),
            Some(RemapRule::Near(_)) => "likely".to_owned(),
        },
        MatchReason::Role(role) => format!("both are {role}"),
        MatchReason::SameWords => "same words".to_owned(),
        MatchReason::Near => "likely".to_owned(),
        MatchReason::Manual => "chosen".to_owned(),
        MatchReason::NoMatch => "no bone is like it".to_owned(),
    }
}
