//! `yuremono remap`: rewrites a setup with the bone names of another character.

use super::input::{self, input_name};
use super::load::{self, FlipAxisArg};
use super::options::{ConfidenceOption, MatchedOption, TableOptions};
use super::output::{
    InputRole, LossOptions, RunReport, WriteOptions, command_failure, failure, has_extension, is_stdio, output_name,
    output_path, path_failure,
};
use clap::ValueHint;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::{FORMATS, tables};
use yuremono_model::exchange::{
    CellProblem, ExportLoss, ExportOptions, ExportResult, FileSection, ImportPlan, ImportRow, ImportRowStatus,
    SetupFile, SetupFormat, export, mappable_names,
};
use yuremono_model::exchange::{
    remap::AUTO_INCLUDE_CONFIDENCE, remap::MatchReason, remap::NameMap, remap::NamedBone, remap::RemapPlan as NamePlan,
    remap::RemapRule, remap::RemapRules, remap::plan_remap,
};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::Skeleton;

/// Arguments of `remap`.
#[derive(Debug, clap::Args)]
pub struct RemapArgs {
    /// The table (.csv, .json), or - for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    table: PathBuf,
    /// Character that the table was made for; its skeleton improves the confidence of matches.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    from: Option<PathBuf>,
    /// Character that the new table is for.
    #[arg(long, value_name = "CHARACTER", value_hint = ValueHint::FilePath)]
    to: PathBuf,
    #[command(flatten)]
    matching: NameMatchingArgs,
    /// Format of the new table. Default: the format of the table, else that of the extension of --out.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    format: Option<SetupFormat>,
    /// Output file (.csv, .json, or - for standard output). Rows without a bone keep their old names if the format can store
    /// them. Nothing is written if no row matches a bone, or if fewer rows match than --min-matched.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

/// Options of name matching.
#[derive(Debug, clap::Args)]
pub(super) struct NameMatchingArgs {
    /// Name mapping rules saved in the window (.json). Default: the default rules and the affixes of both characters.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rules: Option<PathBuf>,
    #[command(flatten)]
    confidence: ConfidenceOption,
    #[command(flatten)]
    pub matched: MatchedOption,
    /// Axis that is mirrored between the space of a table and that of the character. Default: the axis in the table, else z
    /// for VRM 0.x, else x.
    #[arg(long, value_enum)]
    pub mirror: Option<FlipAxisArg>,
    #[command(flatten)]
    pub table: TableOptions,
}

/// Returns the values of `--format`.
pub(super) fn format_values() -> impl Iterator<Item = PossibleValue> {
    FORMATS.iter().map(|format| PossibleValue::new(format.key).help(format.hint))
}

pub(super) fn format_parser() -> impl TypedValueParser<Value = SetupFormat> {
    PossibleValuesParser::new(format_values()).map(|key| tables::find_format(&key).unwrap_or(DEFAULT_FORMAT))
}

/// Returns the format given by `--format`, else by the extension. Fails if `--format` and the extension contradict each
/// other.
pub(super) fn resolve_format(
    out: &Path,
    asked: Option<SetupFormat>,
    default: SetupFormat,
) -> anyhow::Result<SetupFormat> {
    if is_stdio(out) {
        return Ok(asked.unwrap_or(default));
    }
    let Some(of_extension) = tables::format_for_path(out) else {
        let extensions = tables::written_extensions();
        return Err(path_failure(out, message!("expected a name that ends in one of {extensions}", extensions)));
    };
    match asked {
        Some(asked) if !has_extension(out, &[asked.extension()]) => {
            let message = message!(
                "the extension contradicts --format {format}, which writes .{extension} files",
                format = asked.key,
                extension = asked.extension()
            );
            Err(path_failure(out, message))
        }
        Some(asked) => Ok(asked),
        None if has_extension(out, &[default.extension()]) => Ok(default),
        None => Ok(of_extension),
    }
}

/// Reports what a setup file cannot store. Values that are stored in comment rows for Yuremono are not lost.
pub(super) fn report_losses(exported: &ExportResult, options: ExportOptions, file: &str, report: &mut RunReport) {
    let is_stored = |loss: &ExportLoss| {
        (options.write_comment_rows && loss.is_kept_in_comments()) || matches!(loss, ExportLoss::PassthroughRows(_))
    };
    let (stored, lost): (Vec<_>, Vec<_>) = exported.losses.iter().partition(|loss| is_stored(loss));
    let diagnostics = |losses: Vec<&ExportLoss>| losses.iter().map(|loss| loss.diagnostic(file)).collect::<Vec<_>>();
    let read_back = |loss: Diagnostic| {
        let message = message!("{loss}; a comment row keeps it, which only Yuremono reads back", loss = loss.message);
        Diagnostic { message, ..loss }
    };
    let (kept, unchanged): (Vec<_>, Vec<_>) = stored.into_iter().partition(|loss| loss.is_kept_in_comments());
    report.add_diagnostics(&diagnostics(kept).into_iter().map(read_back).collect::<Vec<_>>());
    report.add_diagnostics(&diagnostics(unchanged));
    report.add_losses(&diagnostics(lost));
    report.add_diagnostics(&(options.format.unwritable_names)(&exported.file, file));
}

/// The result of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RemapOutcome {
    Matched,
    /// The confidence is below `--min-confidence`.
    Unsure,
    Missing,
    /// The row has cells that cannot be read.
    Bad,
    /// A later row is for the same bone.
    Repeated,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct RemappedRow {
    pub line: u64,
    pub name: String,
    pub state: RemapOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    pub confidence: f32,
    pub why: MessageText,
}

/// A setup file with the names of another character.
#[derive(Clone, Debug)]
pub(super) struct RemapResult {
    pub rows: Vec<RemappedRow>,
    /// The new file.
    pub exported: ExportResult,
    pub options: ExportOptions,
    /// The bone that each name of the table is mapped to.
    pub name_map: NameMap,
    /// Findings about entries and references that the character lacks.
    pub unresolved: Vec<Diagnostic>,
    /// Findings that are no losses: names that a rule would make too long, and assumptions.
    pub notes: Vec<Diagnostic>,
}

impl RemapResult {
    pub(super) fn count(&self, state: RemapOutcome) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Whether enough rows match for `--min-matched`, whose default is `default`.
    pub(super) fn is_matched(&self, required: MatchedOption, default: f32) -> bool {
        required.is_met(self.count(RemapOutcome::Matched), self.rows.len(), default)
    }

    /// Whether the result has content: a matched row, or colliders if the table has no rows.
    pub(super) fn has_result(&self) -> bool {
        let has_colliders = || self.exported.file.usable_entries(FileSection::Colliders).next().is_some();
        self.count(RemapOutcome::Matched) > 0 || (self.rows.is_empty() && has_colliders())
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        tables::write_setup(&self.exported.file, self.options)
    }
}

pub(super) fn run(args: &RemapArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let from = args.from.as_deref().map(|path| (InputRole::Character, path));
    let inputs = [(InputRole::Table, args.table.as_path()), (InputRole::Character, args.to.as_path())];
    report.set_output(&args.out)?;
    report.set_only_file(&args.table);
    let inputs: Vec<_> = inputs.into_iter().chain(from).collect();
    input::check_single_stdin(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    let from = args.from.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    let to = load::read_character(&args.to, report)?;
    let file = load::read_setup(&args.table, from.as_ref().or(Some(&to)), report)?;
    let format = resolve_format(&args.out, args.format, file.format)?;
    check_format_solver(format, &file)?;
    args.matching.table.check(&args.out, format.extension() == "csv")?;
    let rules = args.matching.read_rules()?;
    let table = RemapInput { file: &file, name: &input_name(&args.table), rules: rules.as_ref(), from: from.as_ref() };
    let result = args.matching.remap_setup(table, &to, format);
    report.add_losses(&result.unresolved);
    report.add_diagnostics(&result.notes);
    report_losses(&result.exported, result.options, &output_name(&args.out), report);
    let required = args.matching.matched;
    let is_good = result.has_result() && result.is_matched(required, 0.0);
    let is_written = is_good || (result.has_result() && required.keep_going);
    if is_written {
        report.write(&args.out, &result.to_bytes())?;
    }
    for row in &result.rows {
        report.print_text(&format!("  {}\n", report.text(&row.message())))?;
    }
    report.print_message(&message!(
        "{matched} of {rows} matched, {unsure} unsure, {missing} without a bone, {bad} that cannot be used, {repeated} \
         repeated; {written}",
        matched = result.count(RemapOutcome::Matched),
        rows = message!("{n:row|rows}", n = result.rows.len()),
        unsure = result.count(RemapOutcome::Unsure),
        missing = result.count(RemapOutcome::Missing),
        bad = result.count(RemapOutcome::Bad),
        repeated = result.count(RemapOutcome::Repeated),
        written = if is_written {
            message!("written to {file}", file = output_path(&args.out))
        } else {
            message!("nothing was written")
        }
    ))?;
    if let Some(share) = required.min_matched.filter(|_| result.has_result() && !is_good) {
        report.print_message(&message!("fewer rows match than --min-matched {share}", share))?;
    }
    report.set_field("matched", result.count(RemapOutcome::Matched))?;
    report.set_field("rows", &result.rows)?;
    Ok(is_good)
}

/// Rejects a format that is only for a solver that the setup does not use.
pub(super) fn check_format_solver(format: SetupFormat, file: &SetupFile) -> anyhow::Result<()> {
    match (format.solver, file.systems.first()) {
        (Some(solver), Some(first)) if file.systems.iter().all(|system| solver != system.solver) => {
            Err(failure(message!(
                "{format} files store setups of {expected}; the table is for {found}",
                format = format.key,
                expected = solver.key(),
                found = first.solver.key()
            )))
        }
        _ => Ok(()),
    }
}

impl RemappedRow {
    fn message(&self) -> MessageText {
        let name = excerpt(&self.name);
        let bone = self.bone.as_deref().map_or(String::new(), |bone| format!(" -> {}", excerpt(bone)));
        let (percent, why) = ((self.confidence * 100.0).round(), &self.why);
        match self.state {
            RemapOutcome::Matched => message!("matched   {name}{bone}  ({percent} %, {why})", name, bone, percent, why),
            RemapOutcome::Unsure => {
                message!("unsure    {name}{bone}  ({percent} %, {why}); not used", name, bone, percent, why)
            }
            RemapOutcome::Missing => message!("no bone   {name}  (kept)", name),
            RemapOutcome::Bad => message!("bad row   {name}  ({why})", name, why),
            RemapOutcome::Repeated => message!("repeated  {name}{bone}  ({why})", name, bone, why),
        }
    }
}

/// The input of [`NameMatchingArgs::remap_setup`] that all characters share.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemapInput<'a> {
    /// The setup file in its original space.
    pub file: &'a SetupFile,
    /// The file's name in messages.
    pub name: &'a str,
    pub rules: Option<&'a RemapRules>,
    /// The character that the table was made for.
    pub from: Option<&'a OpenedCharacter>,
}

impl NameMatchingArgs {
    /// Maps the names in a setup file to names of `to`, imports the file onto `to` without its own setup, and exports
    /// the result. A format that stores one system gets the systems of its solver, or else the first system.
    pub(super) fn remap_setup(&self, input: RemapInput<'_>, to: &OpenedCharacter, format: SetupFormat) -> RemapResult {
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
        let min_confidence = self.confidence.min_confidence.unwrap_or(AUTO_INCLUDE_CONFIDENCE);
        for (row, entry) in names.rows.clone().iter().enumerate() {
            names.set_included(row, entry.confidence >= min_confidence);
        }
        let axis = FlipAxisArg::axis(self.mirror, input.file, to.character.facing);
        let name_map = names.name_map();
        let import = load::plan_on_empty_document(
            load::setup_to_gltf(input.file.clone(), self.mirror, input.from, to),
            to,
            &name_map,
        );
        let document = import.after_import(skeleton);
        let options = self.table.apply_to(ExportOptions::new(format).with_flip_axis(axis));
        let options = ExportOptions { solver: format.solver, ..options };
        let exported = export(&document, &to.character, options);
        let rows = remapped_rows(&import, &names, rules, skeleton);
        let mut unresolved = load::unresolved_diagnostics(&import, input.name, &to.document);
        unresolved.extend(import.kept_values_diagnostic(input.name, skeleton));
        let rules_place =
            || self.rules.as_ref().map_or_else(Location::default, |path| Location::file(path.display().to_string()));
        let too_long = names.too_long.iter().map(|long| Diagnostic::warning(rules_place(), long.message()));
        let mut notes: Vec<Diagnostic> = too_long.collect();
        if let Some(mut note) = import.equal_axes_diagnostic(input.name) {
            note.message = message!("{message}. --from names the character of the table", message = note.message);
            notes.push(note);
        }
        RemapResult { rows, exported, options, name_map, unresolved, notes }
    }

    pub(super) fn read_rules(&self) -> anyhow::Result<Option<RemapRules>> {
        self.rules.as_deref().map(open::rules).transpose().map_err(command_failure)
    }
}

/// Returns the result of each joint row.
fn remapped_rows(import: &ImportPlan, names: &NamePlan, rules: &RemapRules, skeleton: &Skeleton) -> Vec<RemappedRow> {
    let by_name: BTreeMap<_, _> = names.rows.iter().rev().map(|e| (e.source.as_str(), e)).collect();
    let row = |planned: &ImportRow| {
        let entry = by_name.get(planned.name.as_str());
        let bone = planned.target.or_else(|| entry.and_then(|e| e.target));
        let confidence = entry.map_or(0.0, |e| e.confidence);
        let reason = entry.map_or_else(|| MessageText::from(""), |e| reason_text(&e.reason, rules));
        let (state, why) = match &planned.status {
            ImportRowStatus::Matches { .. } | ImportRowStatus::New { .. } => (RemapOutcome::Matched, reason),
            ImportRowStatus::BoneNotFound if bone.is_some() => (RemapOutcome::Unsure, reason),
            ImportRowStatus::BoneNotFound
            | ImportRowStatus::NodeNotFound(_)
            | ImportRowStatus::ReferenceNotFound(_)
            | ImportRowStatus::UnusedPivot => (RemapOutcome::Missing, reason),
            ImportRowStatus::InvalidCells(problems) => {
                let problems = problems.iter().map(CellProblem::message);
                let all = problems.reduce(|first, second| message!("{first}; {second}", first, second));
                (RemapOutcome::Bad, all.unwrap_or_else(|| MessageText::from("")))
            }
            ImportRowStatus::Duplicate(line) => {
                (RemapOutcome::Repeated, message!("line {line} has the same bone", line = *line))
            }
        };
        let bone = bone.map(|bone| skeleton.name(bone).to_owned());
        RemappedRow { line: planned.line, name: planned.name.clone(), state, bone, confidence, why }
    };
    import.rows_of(FileSection::Joints).map(|(_, planned)| row(planned)).collect()
}

/// Returns every name that can be mapped, with its bone on the character that the table was made for, if known.
fn source_names(input: RemapInput<'_>, to: &OpenedCharacter) -> Vec<NamedBone> {
    let of =
        |opened: &OpenedCharacter| NamedBone::from_skeleton(&opened.character.skeleton, &opened.character.humanoid);
    let mut names: Vec<NamedBone> = input.from.map(of).unwrap_or_default();
    let known: BTreeSet<String> = names.iter().map(|n| n.name.clone()).collect();
    let mappable = mappable_names(input.file, &to.character.skeleton);
    names.extend(mappable.into_iter().filter(|name| !known.contains(name)).map(NamedBone::new));
    names
}

/// Returns the reason of a match for the user.
fn reason_text(reason: &MatchReason, rules: &RemapRules) -> MessageText {
    match reason {
        MatchReason::ByRule(at) => match rules.entries.get(*at).map(|entry| &entry.rule) {
            Some(RemapRule::SameName) | None => message!("same name"),
            Some(RemapRule::HumanoidRoles) => message!("same humanoid bone"),
            Some(RemapRule::StripPrefix(text)) => message!("same without the prefix \"{text}\"", text = excerpt(text)),
            Some(RemapRule::StripSuffix(text)) => message!("same without the suffix \"{text}\"", text = excerpt(text)),
            Some(RemapRule::Sides) => message!("same except for the words for left and right"),
            Some(RemapRule::Replace { from, to }) => {
                message!("same with \"{to}\" for \"{from}\"", to = excerpt(to), from = excerpt(from))
            }
            Some(RemapRule::IgnoreCase) => message!("same except for case and width"),
            Some(RemapRule::Near(_)) => message!("similar name"),
        },
        MatchReason::Role(role) => message!("both are {role}", role = role.clone()),
        MatchReason::SameWords => message!("same words"),
        MatchReason::Near => message!("similar name"),
        MatchReason::Manual => message!("chosen"),
        MatchReason::NoMatch => message!("no bone is similar"),
    }
}
