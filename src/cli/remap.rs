//! `yuremono remap`: a table under another character's bone names.

use super::load::{self, Mirror, number};
use super::output::{LossOptions, RunReport, WriteOptions, count, has_ending};
use super::stdio::{self, input_name, is_stdio, output_name, output_path};
use crate::exchange::{
    ExportLoss, ExportOptions, Exported, ImportPlan, PlanRow, RowState, Section, SetupFile, export, mappable_names,
};
use crate::exchange::{
    remap::Leads, remap::Plan as NamePlan, remap::Rule, remap::Rules, remap::SourceName, remap::TAKEN, remap::Why,
    remap::plan,
};
use crate::format::open::Opened;
use crate::format::tables::{self, TableFormat};
use crate::format::unity_space::to_gltf;
use crate::report::{Diagnostic, Place, clip};
use crate::rig::Skeleton;
use anyhow::bail;
use clap::ValueHint;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `remap`.
#[derive(Debug, clap::Args)]
pub struct Args {
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
    matching: Matching,
    /// What is written: csv, parameters, dynamic-bone, kawaii-physics or ez-soft-bone. Without it: what was read, or by the
    /// ending of --out.
    #[arg(long, value_name = "FORMAT", value_parser = table_format)]
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
pub(super) struct Matching {
    /// Rules saved by the window (.json). Without them: the default rules and what both sides' names suggest.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    rules: Option<PathBuf>,
    /// Matches at least so sure are used, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = TAKEN, value_parser = |text: &str| number(text, 0.0, 1.0))]
    sure: f32,
    /// Which axis changes sign between the table's space and the character's. Without it: what the file says, else z for
    /// VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    pub mirror: Option<Mirror>,
}

/// A kind of table by its name.
pub(super) fn table_format(name: &str) -> Result<TableFormat, String> {
    let names = TableFormat::ALL.map(TableFormat::key);
    let found = TableFormat::ALL.into_iter().find(|format| format.key() == name);
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

/// The format of a table by the ending of its file and what was asked for; refused where these contradict each other.
pub(super) fn format_for(out: &Path, asked: Option<TableFormat>, usual: TableFormat) -> anyhow::Result<TableFormat> {
    if is_stdio(out) {
        return Ok(asked.unwrap_or(usual));
    }
    if !has_ending(out, &["csv", "json"]) {
        bail!("{}: expected a name that ends in .csv or .json", out.display());
    }
    match asked {
        Some(asked) if !has_ending(out, &[asked.ending()]) => {
            let (out, key, ending) = (out.display(), asked.key(), asked.ending());
            bail!("{out}: the ending of the name contradicts --format {key}, which writes .{ending} files")
        }
        Some(asked) => Ok(asked),
        None if has_ending(out, &[usual.ending()]) => Ok(usual),
        None if load::is_json(out) => Ok(TableFormat::Parameters),
        None => Ok(TableFormat::Csv),
    }
}

/// Reports what a setup file cannot store. What its comment rows keep for Yuremono is not lost.
pub(super) fn report_losses(exported: &Exported, options: ExportOptions, file: &str, report: &mut RunReport) {
    let is_stored =
        |loss: &ExportLoss| (options.extras && loss.is_in_comments()) || matches!(loss, ExportLoss::KeptRows(_));
    let (stored, lost): (Vec<_>, Vec<_>) = exported.losses.iter().partition(|loss| is_stored(loss));
    let diagnostics = |losses: Vec<&ExportLoss>| losses.iter().map(|loss| loss.diagnostic(file)).collect::<Vec<_>>();
    report.tell(&diagnostics(stored));
    report.lose(&diagnostics(lost));
    report.tell(&tables::unwritable(&exported.file, options.format, file));
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
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
pub(super) struct Row {
    pub line: u64,
    pub name: String,
    pub state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bone: Option<String>,
    pub confidence: f32,
    pub why: String,
}

/// A table under another character's names.
#[derive(Clone, Debug)]
pub(super) struct Carried {
    pub rows: Vec<Row>,
    /// The new file.
    pub exported: Exported,
    pub options: ExportOptions,
    /// The bone that each name of the table is mapped to.
    pub leads: Leads,
    /// What entries and component lists of the table refer to and the character lacks.
    pub unresolved: Vec<Diagnostic>,
}

impl Carried {
    pub(super) fn count(&self, state: State) -> usize {
        self.rows.iter().filter(|row| row.state == state).count()
    }

    /// Says that [`Carried::is_result`] is not so.
    pub(super) const NO_RESULT: &str = "no row of the table found a bone; nothing was written";

    /// Whether there is something to write: a bone that was found, or colliders of a table without rows.
    pub(super) fn is_result(&self) -> bool {
        let has_colliders = || self.exported.file.good(Section::Colliders).next().is_some();
        self.count(State::Matched) > 0 || (self.rows.is_empty() && has_colliders())
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        tables::write_setup(&self.exported.file, self.options)
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| remap(args, report))
}

fn remap(args: &Args, report: &mut RunReport) -> anyhow::Result<bool> {
    let from = args.from.as_deref().map(|path| ("character", path));
    let inputs = [("table", args.table.as_path()), ("character", args.to.as_path())];
    report.set_output(&args.out)?;
    let inputs: Vec<_> = inputs.into_iter().chain(from).collect();
    stdio::check_inputs(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    let file = load::read_setup(&args.table, report)?;
    let format = format_for(&args.out, args.format, file.format)?;
    check_solver(format, &file)?;
    let rules = args.matching.rules()?;
    let from = args.from.as_deref().map(|path| load::character(path, report)).transpose()?;
    let to = load::character(&args.to, report)?;
    let table = RemapInput { file: &file, name: &input_name(&args.table), rules: rules.as_ref(), from: from.as_ref() };
    let carried = args.matching.carry(table, &to, format);
    report.tell(&carried.unresolved);
    report_losses(&carried.exported, carried.options, &output_name(&args.out), report);
    let is_good = carried.is_result();
    if is_good {
        report.write(&args.out, &carried.bytes())?;
    }
    let written =
        if is_good { format!("written to {}", output_path(&args.out)) } else { "nothing was written".to_owned() };
    let mut text = String::new();
    for row in &carried.rows {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", line(row));
    }
    let _ = writeln!(
        text,
        "{} of {} matched, {} unsure, {} without a bone, {} bad; {written}",
        carried.count(State::Matched),
        count(carried.rows.len(), "row"),
        carried.count(State::Unsure),
        carried.count(State::Missing),
        carried.count(State::Bad),
    );
    report.text(&text)?;
    report.set("matched", carried.count(State::Matched))?;
    report.set("rows", &carried.rows)?;
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

fn line(row: &Row) -> String {
    let name = clip(&row.name);
    let bone = row.bone.as_deref().map_or(String::new(), |bone| format!(" -> {}", clip(bone)));
    let percent = (row.confidence * 100.0).round();
    match row.state {
        State::Matched => format!("  matched   {name}{bone}  ({percent} %, {})", row.why),
        State::Unsure => format!("  unsure    {name}{bone}  ({percent} %, {}); not used", row.why),
        State::Missing => format!("  no bone   {name}  (kept)"),
        State::Bad => format!("  bad row   {name}  ({})", row.why),
        State::Repeated => format!("  repeated  {name}{bone}  ({})", row.why),
    }
}

/// What [`Matching::carry`] works with for every character.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemapInput<'a> {
    /// In its own space.
    pub file: &'a SetupFile,
    /// The file's name in messages.
    pub name: &'a str,
    pub rules: Option<&'a Rules>,
    /// The character that the table was made on.
    pub from: Option<&'a Opened>,
}

impl Matching {
    /// Carries a setup file to `to`'s names: maps the names, imports onto the bare skeleton, exports again. A format that
    /// has no room for several systems gets those of its solver, or of the first system.
    pub(super) fn carry(&self, input: RemapInput<'_>, to: &Opened, format: TableFormat) -> Carried {
        let (skeleton, humanoid) = (&to.character.skeleton, &to.character.humanoid);
        let source = source_names(input, to);
        let suggested;
        let rules = if let Some(rules) = input.rules {
            rules
        } else {
            let names = skeleton.bones().iter().map(|b| b.name.as_str());
            suggested = Rules::suggested(source.iter().map(|s| s.name.as_str()), names);
            &suggested
        };
        let mut names = plan(&source, skeleton, humanoid, rules);
        for (row, entry) in names.entries.clone().iter().enumerate() {
            names.take(row, entry.confidence >= self.sure);
        }
        let axis = Mirror::axis(self.mirror, input.file, to.character.facing);
        let leads = names.leads();
        let import = load::plan_on_bare(to_gltf(input.file.clone(), axis), to, &leads);
        let document = import.after(skeleton);
        let options = ExportOptions { solver: format.solver(), ..ExportOptions::with_mirror(axis).in_format(format) };
        let exported = export(&document, skeleton, options);
        let rows = rows(&import, &names, rules, skeleton);
        let mut unresolved = load::unresolved(&import, input.name);
        unresolved.extend(import.findings(input.name));
        let rules_place =
            || self.rules.as_ref().map_or_else(Place::default, |path| Place::file(path.display().to_string()));
        unresolved.extend(names.too_long.iter().map(|long| Diagnostic::warning(rules_place(), long.to_string())));
        Carried { rows, exported, options, leads, unresolved }
    }

    /// The rules file, where one is given.
    pub(super) fn rules(&self) -> anyhow::Result<Option<Rules>> {
        load::rules(self.rules.as_deref())
    }
}

/// What became of each joint of the file.
fn rows(import: &ImportPlan, names: &NamePlan, rules: &Rules, skeleton: &Skeleton) -> Vec<Row> {
    let by_name: BTreeMap<_, _> = names.entries.iter().rev().map(|e| (e.source.as_str(), e)).collect();
    let row = |planned: &PlanRow| {
        let entry = by_name.get(planned.name.as_str());
        let bone = planned.target.or_else(|| entry.and_then(|e| e.target));
        let confidence = entry.map_or(0.0, |e| e.confidence);
        let reason = entry.map_or(String::new(), |e| words(&e.why, rules));
        let (state, why) = match &planned.state {
            RowState::Matches { .. } | RowState::New { .. } => (State::Matched, reason),
            RowState::NoBone if bone.is_some() => (State::Unsure, reason),
            RowState::NoBone | RowState::NoNode(_) | RowState::Missing(_) | RowState::Unused => {
                (State::Missing, reason)
            }
            RowState::BadCells(problems) => {
                (State::Bad, problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
            RowState::Repeated(line) => (State::Repeated, format!("line {line} is for the same bone")),
        };
        let bone = bone.map(|bone| skeleton.name(bone).to_owned());
        Row { line: planned.line, name: planned.name.clone(), state, bone, confidence, why }
    };
    import.rows_of(Section::Joints).map(|(_, planned)| row(planned)).collect()
}

/// Every name that can be mapped, with what the character of the table knows about them.
fn source_names(input: RemapInput<'_>, to: &Opened) -> Vec<SourceName> {
    let of = |opened: &Opened| SourceName::of(&opened.character.skeleton, &opened.character.humanoid);
    let mut names: Vec<SourceName> = input.from.map(of).unwrap_or_default();
    let known: BTreeSet<String> = names.iter().map(|n| n.name.clone()).collect();
    let mappable = mappable_names(input.file, &to.character.skeleton);
    names.extend(mappable.into_iter().filter(|name| !known.contains(name)).map(SourceName::new));
    names
}

/// Why a row leads where it leads.
fn words(why: &Why, rules: &Rules) -> String {
    match why {
        Why::ByRule(at) => match rules.list.get(*at).map(|entry| &entry.rule) {
            Some(Rule::SameName) | None => "same name".to_owned(),
            Some(Rule::HumanoidRoles) => "same role of the body".to_owned(),
            Some(Rule::StripPrefix(text)) => format!("same without \"{}\" in front", clip(text)),
            Some(Rule::StripSuffix(text)) => format!("same without \"{}\" at the end", clip(text)),
            Some(Rule::Sides) => "same but for the way of saying left and right".to_owned(),
            Some(Rule::Replace { from, to }) => format!("same with \"{}\" for \"{}\"", clip(to), clip(from)),
            Some(Rule::IgnoreCase) => "same but for case and width".to_owned(),
            Some(Rule::Near(_)) => "likely".to_owned(),
        },
        Why::Role(role) => format!("both are {role}"),
        Why::SameWords => "same words".to_owned(),
        Why::Near => "likely".to_owned(),
        Why::ByHand => "chosen".to_owned(),
        Why::NoMatch => "no bone is like it".to_owned(),
    }
}
