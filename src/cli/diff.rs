//! `yuremono diff`: what differs between two setups, characters or projects.

use super::load::{self, ContentKind, MirrorAxis};
use super::output::{LossOptions, RunReport, WriteOptions, command_failure, count_noun};
use super::stdio::{self, input_name};
use crate::diagnostics::{Diagnostic, Location};
use crate::document::{ByName, Setup};
use crate::exchange::remap::NameMap;
use crate::exchange::{SetupDifference, SetupFile, diff_setups, setup_by_name};
use crate::format::open::OpenedCharacter;
use crate::format::project;
use crate::format::unity_space::to_gltf;
use crate::rig::Facing;
use anyhow::bail;
use clap::ValueHint;
use std::path::{Path, PathBuf};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
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
    mirror: Option<MirrorAxis>,
    /// Print one JSON document instead of text.
    #[arg(long)]
    json: bool,
}

/// One side of a comparison.
#[derive(Debug)]
enum ComparedSetup {
    /// What is authored on a character: its own setup or that of a project.
    OnCharacter(Box<OpenedCharacter>),
    /// A setup file in its own space.
    File(Box<SetupFile>),
}

impl ComparedSetup {
    /// Its character.
    fn opened(&self) -> Option<&OpenedCharacter> {
        match self {
            Self::OnCharacter(opened) => Some(opened),
            Self::File(_) => None,
        }
    }

    /// Its setup, in glTF's space. A setup file is what it gives the character `on`, or its entries where there is none.
    fn to_setup_by_name(
        &self,
        name: &str,
        on: Option<&OpenedCharacter>,
        mirror: Option<MirrorAxis>,
        report: &mut RunReport,
    ) -> anyhow::Result<Setup<ByName>> {
        match self {
            Self::OnCharacter(opened) => Ok(setup_by_name(&opened.document, &opened.character.skeleton)),
            Self::File(file) => {
                let facing = on.map_or(Facing::PlusZ, |opened| opened.character.facing);
                let file = to_gltf((**file).clone(), MirrorAxis::axis(mirror, file, facing));
                match on {
                    Some(opened) => Ok(imported_setup(file, name, opened, report)),
                    None => file_entries(&file, name),
                }
            }
        }
    }
}

pub(super) fn run(args: &DiffArgs) -> anyhow::Result<bool> {
    let options = WriteOptions { json: args.json, ..WriteOptions::default() };
    RunReport::new(options, LossOptions::default()).run(|report| compare(args, report))
}

fn compare(args: &DiffArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    stdio::check_single_stdin([&args.a, &args.b].into_iter().chain(&args.character).map(PathBuf::as_path))?;
    let given = args.character.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    let given = given.as_ref();
    // A project that names no character uses that of the other side, which is opened first.
    let first = CandidateCharacters { given, other: None };
    let (a, b) = if ContentKind::detect(&args.a) == ContentKind::Project {
        let b = open_compared(&args.b, first, report)?;
        (open_compared(&args.a, CandidateCharacters { other: b.opened(), ..first }, report)?, b)
    } else {
        let a = open_compared(&args.a, first, report)?;
        let b = open_compared(&args.b, CandidateCharacters { other: a.opened(), ..first }, report)?;
        (a, b)
    };
    let on = given.or(a.opened()).or(b.opened());
    let a = a.to_setup_by_name(&input_name(&args.a), on, args.mirror, report)?;
    let b = b.to_setup_by_name(&input_name(&args.b), on, args.mirror, report)?;
    let found = diff_setups(&a, &b);
    let is_kept_equal = a.passthrough == b.passthrough;
    report.print_text(&text(&found, is_kept_equal))?;
    let is_equal = found.is_empty() && is_kept_equal;
    report.set_field("equal", is_equal)?;
    report.set_field("differences", &found)?;
    report.set_field("unused_rows_differ", !is_kept_equal)?;
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
    text.push_str(&count_noun(found.len(), "difference"));
    text.push('\n');
    text
}

/// The characters that a project can be put on.
#[derive(Clone, Copy, Debug)]
struct CandidateCharacters<'a> {
    /// Of `--character`.
    given: Option<&'a OpenedCharacter>,
    /// Of the other side.
    other: Option<&'a OpenedCharacter>,
}

fn open_compared(path: &Path, on: CandidateCharacters<'_>, report: &mut RunReport) -> anyhow::Result<ComparedSetup> {
    match ContentKind::detect(path) {
        ContentKind::Character => {
            load::read_character(path, report).map(|opened| ComparedSetup::OnCharacter(Box::new(opened)))
        }
        ContentKind::Project => {
            open_project(path, on, report).map(|opened| ComparedSetup::OnCharacter(Box::new(opened)))
        }
        ContentKind::Table => load::read_setup(path, report).map(|file| ComparedSetup::File(Box::new(file))),
        ContentKind::Rules | ContentKind::Preset | ContentKind::Unknown => {
            let found = load::read_content(path).map_err(|said| command_failure(vec![said]))?.describe();
            bail!(
                "{}: found {found}; expected a table (.csv, .json), a project (.yure) or a character (.vrm, .glb, .gltf)",
                input_name(path)
            )
        }
    }
}

/// A project on the given character, else on the one that it names; if it names none, on that of the other side.
fn open_project(path: &Path, on: CandidateCharacters<'_>, report: &mut RunReport) -> anyhow::Result<OpenedCharacter> {
    let (project, found) = load::read_project(path).map_err(command_failure)?;
    report.add_diagnostics(&found);
    let named = &project.metadata.character_path;
    let mut opened = match on.given.or(on.other.filter(|_| named.is_empty())) {
        Some(character) => character.clone(),
        None if named.is_empty() => {
            bail!("{}: the project names no character; add --character FILE", input_name(path))
        }
        None => {
            let named = project::absolute_path(path, named);
            let opened = crate::format::open::character(&named, &|_| true).map_err(|mut found| {
                let message = "the project's character cannot be opened; name another one with --character FILE";
                found.push(Diagnostic::error(Location::file(input_name(path)), message));
                command_failure(found)
            })?;
            report.add_diagnostics(&opened.diagnostics);
            opened
        }
    };
    let (document, found) = project.into_document(&opened.character.skeleton);
    report.add_diagnostics(&found);
    opened.document = document;
    Ok(opened)
}

/// The entries of a setup file.
fn file_entries(file: &SetupFile, name: &str) -> anyhow::Result<Setup<ByName>> {
    if !file.trees.is_empty() {
        let key = file.format.key();
        bail!("{name}: {key} files list chains by their roots, so a character is needed; add --character FILE");
    }
    Ok(file.with_row_chains().to_setup())
}

/// What a setup file gives a character.
fn imported_setup(file: SetupFile, name: &str, opened: &OpenedCharacter, report: &mut RunReport) -> Setup<ByName> {
    let plan = load::plan_on_empty_document(file, opened, &NameMap::new());
    report.add_diagnostics(&load::missing_bone_findings(&plan, name));
    report.add_diagnostics(&load::unresolved_findings(&plan, name));
    report.add_diagnostics(&plan.missing_name_diagnostics(name));
    let skeleton = &opened.character.skeleton;
    setup_by_name(&plan.after_import(skeleton), skeleton)
}
