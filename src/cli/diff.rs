//! `yuremono diff`: what differs between two setups, characters or projects.

use super::load::{self, Kind, Mirror};
use super::output::{LossOptions, RunReport, WriteOptions, count, refusal};
use super::stdio::{self, input_name};
use crate::document::{ByName, Setup};
use crate::exchange::remap::Leads;
use crate::exchange::{SetupDifference, SetupFile, diff, unbind};
use crate::format::open::Opened;
use crate::format::project;
use crate::format::unity_space::to_gltf;
use crate::report::{Diagnostic, Place};
use crate::rig::Facing;
use anyhow::bail;
use clap::ValueHint;
use std::path::{Path, PathBuf};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A table (.csv, .json), a project (.yure) or a character (.vrm, .glb, .gltf), or - for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    a: PathBuf,
    /// What it is compared with.
    #[arg(value_hint = ValueHint::FilePath)]
    b: PathBuf,
    /// The character that tables and projects are for. Without it: the character of the other side, and of a project the one
    /// that it names.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    character: Option<PathBuf>,
    /// Which axis changes sign between a table's space and the character's. Without it: what the file says, else z for
    /// VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    mirror: Option<Mirror>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// One side of a comparison.
#[derive(Debug)]
enum Side {
    /// What is authored on a character: its own setup or that of a project.
    Authored(Box<Opened>),
    /// A setup file in its own space.
    File(Box<SetupFile>),
}

impl Side {
    /// Its character.
    fn opened(&self) -> Option<&Opened> {
        match self {
            Self::Authored(opened) => Some(opened),
            Self::File(_) => None,
        }
    }

    /// Its setup, in glTF's space. A setup file is what it gives the character `on`, or its entries where there is none.
    fn by_name(
        &self,
        name: &str,
        on: Option<&Opened>,
        mirror: Option<Mirror>,
        report: &mut RunReport,
    ) -> anyhow::Result<Setup<ByName>> {
        match self {
            Self::Authored(opened) => Ok(unbind(&opened.document, &opened.character.skeleton)),
            Self::File(file) => {
                let facing = on.map_or(Facing::PlusZ, |opened| opened.character.facing);
                let file = to_gltf((**file).clone(), Mirror::axis(mirror, file, facing));
                match on {
                    Some(opened) => Ok(imported(file, name, opened, report)),
                    None => entries(&file, name),
                }
            }
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    let options = WriteOptions { json: args.json, ..WriteOptions::default() };
    RunReport::new(options, LossOptions::default()).run(|report| compare(args, report))
}

fn compare(args: &Args, report: &mut RunReport) -> anyhow::Result<bool> {
    stdio::check_inputs([&args.a, &args.b].into_iter().chain(&args.character).map(PathBuf::as_path))?;
    let given = args.character.as_deref().map(|path| load::character(path, report)).transpose()?;
    let given = given.as_ref();
    // A project that names no character uses that of the other side, which is opened first.
    let first = Characters { given, other: None };
    let (a, b) = if Kind::of(&args.a) == Kind::Project {
        let b = open(&args.b, first, report)?;
        (open(&args.a, Characters { other: b.opened(), ..first }, report)?, b)
    } else {
        let a = open(&args.a, first, report)?;
        let b = open(&args.b, Characters { other: a.opened(), ..first }, report)?;
        (a, b)
    };
    let on = given.or(a.opened()).or(b.opened());
    let a = a.by_name(&input_name(&args.a), on, args.mirror, report)?;
    let b = b.by_name(&input_name(&args.b), on, args.mirror, report)?;
    let found = diff(&a, &b);
    let is_kept_equal = a.passthrough == b.passthrough;
    report.text(&text(&found, is_kept_equal))?;
    let is_equal = found.is_empty() && is_kept_equal;
    report.set("equal", is_equal)?;
    report.set("differences", &found)?;
    report.set("unused_rows_differ", !is_kept_equal)?;
    Ok(is_equal)
}

fn text(found: &[SetupDifference], is_kept_equal: bool) -> String {
    let mut text = String::new();
    for difference in found {
        text.push_str(&difference.to_string());
        text.push('\n');
    }
    if !is_kept_equal {
        text.push_str("rows that the character cannot use differ\n");
    }
    text.push_str(&count(found.len(), "difference"));
    text.push('\n');
    text
}

/// The characters that a project can be put on.
#[derive(Clone, Copy, Debug)]
struct Characters<'a> {
    /// Of `--character`.
    given: Option<&'a Opened>,
    /// Of the other side.
    other: Option<&'a Opened>,
}

fn open(path: &Path, on: Characters<'_>, report: &mut RunReport) -> anyhow::Result<Side> {
    match Kind::of(path) {
        Kind::Character => load::character(path, report).map(|opened| Side::Authored(Box::new(opened))),
        Kind::Project => open_project(path, on, report).map(|opened| Side::Authored(Box::new(opened))),
        Kind::Table => load::read_setup(path, report).map(|file| Side::File(Box::new(file))),
        Kind::Rules | Kind::Preset | Kind::Unknown => {
            let found = load::content(path).map_err(|said| refusal(vec![said]))?.describe();
            bail!(
                "{}: found {found}; expected a table (.csv, .json), a project (.yure) or a character (.vrm, .glb, .gltf)",
                input_name(path)
            )
        }
    }
}

/// A project on the given character, else on the one that it names; if it names none, on that of the other side.
fn open_project(path: &Path, on: Characters<'_>, report: &mut RunReport) -> anyhow::Result<Opened> {
    let (project, found) = load::read_project(path).map_err(refusal)?;
    report.tell(&found);
    let named = &project.surroundings.character_path;
    let mut opened = match on.given.or(on.other.filter(|_| named.is_empty())) {
        Some(character) => character.clone(),
        None if named.is_empty() => {
            bail!("{}: the project names no character; add --character FILE", input_name(path))
        }
        None => {
            let named = project::absolute_path(path, named);
            let opened = crate::format::open::character(&named, &|_| true).map_err(|mut found| {
                let message = "the project's character cannot be opened; name another one with --character FILE";
                found.push(Diagnostic::error(Place::file(input_name(path)), message));
                refusal(found)
            })?;
            report.tell(&opened.diagnostics);
            opened
        }
    };
    let (document, found) = project.into_document(&opened.character.skeleton);
    report.tell(&found);
    opened.document = document;
    Ok(opened)
}

/// The entries of a setup file.
fn entries(file: &SetupFile, name: &str) -> anyhow::Result<Setup<ByName>> {
    if !file.trees.is_empty() {
        let key = file.format.key();
        bail!("{name}: {key} files list chains by their roots, so a character is needed; add --character FILE");
    }
    Ok(file.with_row_chains().to_setup())
}

/// What a setup file gives a character.
fn imported(file: SetupFile, name: &str, opened: &Opened, report: &mut RunReport) -> Setup<ByName> {
    let plan = load::plan_on_bare(file, opened, &Leads::new());
    report.tell(&load::missing_bones(&plan, name));
    report.tell(&load::unresolved(&plan, name));
    report.tell(&plan.findings(name));
    let skeleton = &opened.character.skeleton;
    unbind(&plan.after(skeleton), skeleton)
}
