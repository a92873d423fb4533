//! `yuremono apply`: one table, many characters.

use super::load::{self, Kind, number};
use super::output::{self, refusal};
use super::remap::{Matching, Row, State};
use crate::doc::BoneTable;
use crate::doc::remap::Rules;
use crate::format::open::file_name;
use crate::format::tables::TableFormat;
use crate::report::{Diagnostic, Place, Severity};
use clap::ValueHint;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `apply`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The table (.csv, .json).
    #[arg(value_hint = ValueHint::FilePath)]
    table: PathBuf,
    /// Characters, or folders of characters.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    to: Vec<PathBuf>,
    #[command(flatten)]
    matching: Matching,
    /// Share of the rows that every character must take, 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 1.0, value_parser = |text: &str| number(text, 0.0, 1.0))]
    min_matched: f32,
    /// Write each character's table into this folder, named after the character.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Write one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Report {
    table: String,
    min_matched: f32,
    good: usize,
    failed: usize,
    characters: Vec<Outcome>,
}

/// How one character took the table.
#[derive(Debug, Serialize)]
struct Outcome {
    file: String,
    good: bool,
    rows: usize,
    matched: usize,
    unsure: Vec<Row>,
    missing: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    let tables = load::tables(&args.table)?;
    let rules = args.matching.rules()?;
    let format = args.matching.format(&tables, None)?;
    let files = characters(&args.to)?;
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|err| {
            let place = Place::file(folder.display().to_string());
            refusal(vec![Diagnostic::error(place, format!("the folder cannot be made: {err}"))])
        })?;
    }
    let bar = output::bar(files.len() as u64, "characters");
    let mut taken = BTreeSet::new();
    let mut outcomes = Vec::new();
    for file in &files {
        outcomes.push(apply(args, (&tables, format), rules.as_ref(), file, &mut taken));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let good = outcomes.iter().filter(|o| o.good).count();
    let report = Report {
        table: file_name(&args.table),
        min_matched: args.min_matched,
        good,
        failed: outcomes.len() - good,
        characters: outcomes,
    };
    if args.json {
        output::print_json(&report)?;
    } else {
        output::print(&text(&report))?;
    }
    Ok(report.failed == 0)
}

/// The files themselves, and the characters directly in the folders, by name.
fn characters(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let place = || Place::file(path.display().to_string());
        let unreadable =
            |err: std::io::Error| refusal(vec![Diagnostic::error(place(), format!("cannot be read: {err}"))]);
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).map_err(unreadable)? {
            let file = entry.map_err(unreadable)?.path();
            if Kind::of(&file) == Kind::Character && file.is_file() {
                inside.push(file);
            }
        }
        if inside.is_empty() {
            return Err(refusal(vec![Diagnostic::error(place(), "there is no .vrm, .glb or .gltf in this folder")]));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

fn apply(
    args: &Args,
    (tables, format): (&[BoneTable], TableFormat),
    rules: Option<&Rules>,
    file: &Path,
    taken: &mut BTreeSet<PathBuf>,
) -> Outcome {
    let mut outcome = Outcome {
        file: file.display().to_string(),
        good: false,
        rows: tables.iter().map(|table| table.bones.len()).sum(),
        matched: 0,
        unsure: Vec::new(),
        missing: Vec::new(),
        written: None,
        diagnostics: Vec::new(),
    };
    let opened = match load::character_quietly(file) {
        Ok(opened) => opened,
        Err(said) => {
            outcome.diagnostics = said;
            return outcome;
        }
    };
    let out = args.out.as_ref().map(|folder| free_name(folder, file, format.ending(), taken));
    let out_name = out.as_deref().map_or_else(|| file_name(file), file_name);
    let mut carried = args.matching.carry(tables, rules, None, &opened, (&file_name(&args.table), &out_name, format));
    outcome.rows = carried.rows.len();
    outcome.matched = carried.count(State::Matched);
    outcome.good = outcome.matched as f32 >= args.min_matched * outcome.rows as f32;
    outcome.diagnostics = opened.diagnostics;
    // A table of nothing but strangers would pass for a result.
    if let Some(path) = out
        && outcome.matched > 0
    {
        outcome.diagnostics.append(&mut carried.diagnostics);
        match crate::format::source::write_atomic(&path, &carried.bytes) {
            Ok(()) => outcome.written = Some(path.display().to_string()),
            Err(said) => {
                outcome.good = false;
                outcome.diagnostics.push(said);
            }
        }
    }
    let of = |state| carried.rows.iter().filter(move |row| row.state == state).cloned();
    outcome.unsure = of(State::Unsure).collect();
    outcome.missing = of(State::Missing).collect();
    outcome
}

/// `girl.csv` for `girl.vrm`; `girl-2.csv` for another girl from another folder.
fn free_name(folder: &Path, file: &Path, ending: &str, taken: &mut BTreeSet<PathBuf>) -> PathBuf {
    let stem = file.file_stem().map_or_else(|| "character".to_owned(), |s| s.to_string_lossy().into_owned());
    let names = std::iter::once(format!("{stem}.{ending}")).chain((2..).map(|n| format!("{stem}-{n}.{ending}")));
    let free = names.map(|name| folder.join(name)).find(|path| !taken.contains(path));
    let path = free.expect("the numbers do not end");
    taken.insert(path.clone());
    path
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    for c in &report.characters {
        let verdict = if c.good { "ok" } else { "FAILED" };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{verdict:6}  {}: {} of {} rows matched", c.file, c.matched, c.rows);
        let names = |rows: &[Row]| rows.iter().map(|r| crate::report::clip(&r.name)).collect::<Vec<_>>().join(", ");
        if !c.unsure.is_empty() {
            let _ = writeln!(text, "        unsure: {}", names(&c.unsure));
        }
        if !c.missing.is_empty() {
            let _ = writeln!(text, "        no bone: {}", names(&c.missing));
        }
        for said in c.diagnostics.iter().filter(|d| d.severity > Severity::Info) {
            let _ = writeln!(text, "        {}", output::line(said));
        }
    }
    let _ = writeln!(text, "{} ok, {} failed", report.good, report.failed);
    text
}
