//! `yuremono diff`: compares two setups, characters or projects.

use super::input::{self, input_name};
use super::load::{self, ContentKind, FlipAxisArg, parse_number};
use super::output::{RunReport, command_failure, failure_diagnostics, file_failure, output_path, path_failure};
use clap::ValueHint;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yuremono_format::open::OpenedCharacter;
use yuremono_format::project;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{ByName, Document, Setup};
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{SetupFile, diff_effects, diff_setups, effective_form, setup_by_name};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::rig::{Facing, Skeleton};

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
pub struct DiffArgs {
    /// A table (.csv, .json), a project (.yure) or a character (.vrm, .glb, .gltf, .fbx), or - for standard input; or a folder,
    /// whose files are compared with those of the same name in the other folder.
    #[arg(value_hint = ValueHint::AnyPath)]
    a: PathBuf,
    /// The setup or the folder to compare with.
    #[arg(value_hint = ValueHint::AnyPath)]
    b: PathBuf,
    /// Character for tables and projects. Default: the character that the project names, else the other input.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    character: Option<PathBuf>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: the axis in the table, else z
    /// for VRM 0.x, else x.
    #[arg(long, value_enum)]
    mirror: Option<FlipAxisArg>,
    /// Compare how the setups are written, with names, curves, materials and groups, instead of the values that the joints
    /// get from them. Two tables without a character are always compared in this way.
    #[arg(long)]
    structure: bool,
    /// Largest difference of equal numbers, as a share of the larger one.
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 1.0), conflicts_with = "structure")]
    tolerance: f32,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug)]
enum ComparedSetup {
    /// A character with its own setup or with the setup of a project.
    OnCharacter(Box<OpenedCharacter>),
    /// A setup file in its original space.
    File(Box<SetupFile>),
}

impl ComparedSetup {
    fn opened(&self) -> Option<&OpenedCharacter> {
        match self {
            Self::OnCharacter(opened) => Some(opened),
            Self::File(_) => None,
        }
    }

    /// Returns the setup in glTF's space. A setup file is imported onto the character `on`. Without a character, the
    /// entries of the file are used directly.
    fn to_setup_by_name(
        &self,
        name: &str,
        on: Option<&OpenedCharacter>,
        args: &DiffArgs,
        report: &mut RunReport,
    ) -> anyhow::Result<Setup<ByName>> {
        let by_name = |document: &Document, skeleton: &Skeleton| {
            if args.structure {
                setup_by_name(document, skeleton)
            } else {
                setup_by_name(&effective_form(document, skeleton), skeleton)
            }
        };
        match self {
            Self::OnCharacter(opened) => Ok(by_name(&opened.document, &opened.character.skeleton)),
            Self::File(file) => {
                let facing = on.map_or(Facing::PlusZ, |opened| opened.character.facing);
                let file = to_gltf((**file).clone(), FlipAxisArg::axis(args.mirror, file, facing));
                match on {
                    Some(opened) => {
                        Ok(by_name(&imported_document(file, name, opened, report), &opened.character.skeleton))
                    }
                    None => setup_from_file(&file, name),
                }
            }
        }
    }
}

pub(super) fn run(args: &DiffArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let (a, b) = (&*args.a, &*args.b);
    match (a.is_dir(), b.is_dir()) {
        (true, true) => return compare_folders(a, b, args, report),
        (false, false) => {}
        (a_is_folder, _) => {
            let folder = if a_is_folder { a } else { b };
            return Err(path_failure(folder, message!("is a folder; expected two files or two folders")));
        }
    }
    input::check_single_stdin([a, b].into_iter().chain(args.character.as_deref()))?;
    report.set_only_file(a);
    compare_files(a, b, args, report)
}

/// Compares the files of both folders that have the same name and the same place below the folder.
fn compare_folders(a: &Path, b: &Path, args: &DiffArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let mut names = BTreeSet::new();
    for folder in [a, b] {
        let (files, unreadable) = input::files_recursive(folder, None);
        report.add_diagnostics(&unreadable);
        let is_compared = |file: &PathBuf| {
            let kind = ContentKind::detect(file);
            matches!(kind, ContentKind::Character | ContentKind::Project | ContentKind::Table)
        };
        let below = |file: PathBuf| file.strip_prefix(folder).map(Path::to_owned).ok();
        names.extend(files.into_iter().filter(is_compared).filter_map(below));
    }
    let mut files = Vec::new();
    for name in &names {
        let (in_a, in_b) = (a.join(name), b.join(name));
        let file = name.display().to_string();
        report.print_text(&format!("{file}\n"))?;
        let mut one = report.for_next_file();
        let done = match (in_a.is_file(), in_b.is_file()) {
            (true, true) => compare_files(&in_a, &in_b, args, &mut one),
            (is_in_a, _) => {
                let folder = output_path(if is_in_a { a } else { b });
                report.print_message(&message!("only in {folder}", folder))?;
                Ok(false)
            }
        };
        let mut compared = one.take_file_report(file, matches!(done, Ok(true)));
        let failures: Vec<Diagnostic> = done.err().iter().flat_map(failure_diagnostics).collect();
        report.print_diagnostics(&failures);
        compared.diagnostics.extend(failures);
        files.push(compared);
    }
    let different = files.iter().filter(|file| !file.ok).count();
    report.print_message(&message!("{different} of {all} files differ", different, all = files.len()))?;
    report.set_field("with", b.display().to_string())?;
    report.set_field("equal", different == 0)?;
    report.set_field("files", &files)?;
    Ok(different == 0)
}

fn compare_files(a_path: &Path, b_path: &Path, args: &DiffArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    report.set_field("with", b_path.display().to_string())?;
    let given = args.character.as_deref().map(|path| load::read_character(path, report)).transpose()?;
    let given = given.as_ref();
    // A project without a character path uses the character of the other input, which must be opened first.
    let first = CandidateCharacters { given, other: None };
    let (a, b) = if ContentKind::detect(a_path) == ContentKind::Project {
        let b = open_compared(b_path, first, report)?;
        (open_compared(a_path, CandidateCharacters { other: b.opened(), ..first }, report)?, b)
    } else {
        let a = open_compared(a_path, first, report)?;
        let b = open_compared(b_path, CandidateCharacters { other: a.opened(), ..first }, report)?;
        (a, b)
    };
    let on = given.or(a.opened()).or(b.opened());
    let a = a.to_setup_by_name(&input_name(a_path), on, args, report)?;
    let b = b.to_setup_by_name(&input_name(b_path), on, args, report)?;
    let found = if args.structure { diff_setups(&a, &b) } else { diff_effects(&a, &b, f64::from(args.tolerance)) };
    let is_kept_equal = a.passthrough == b.passthrough;
    for difference in &found {
        report.print_message(&difference.message())?;
    }
    if !is_kept_equal {
        report.print_message(&message!("rows that the character cannot use differ"))?;
    }
    report.print_message(&message!("{n:difference|differences}", n = found.len()))?;
    let is_equal = found.is_empty() && is_kept_equal;
    report.set_field("equal", is_equal)?;
    report.set_field("differences", &found)?;
    report.set_field("unused_rows_differ", !is_kept_equal)?;
    Ok(is_equal)
}

/// The characters to which the setup of a project may be applied.
#[derive(Clone, Copy, Debug)]
struct CandidateCharacters<'a> {
    /// The character given by `--character`.
    given: Option<&'a OpenedCharacter>,
    /// The character of the other input.
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
        ContentKind::Table => {
            let character = on.given.or(on.other);
            load::read_setup(path, character, report).map(|file| ComparedSetup::File(Box::new(file)))
        }
        ContentKind::Motion | ContentKind::Rules | ContentKind::Preset | ContentKind::Unknown => {
            Err(load::wrong_kind_failure(path))
        }
    }
}

/// Opens a project with the given character, else with the character named in the project, else with the character of
/// the other input.
fn open_project(path: &Path, on: CandidateCharacters<'_>, report: &mut RunReport) -> anyhow::Result<OpenedCharacter> {
    let (project, found) = load::read_project(path)?;
    report.add_diagnostics(&found);
    let named = &project.metadata.character_path;
    let mut opened = match on.given.or(on.other.filter(|_| named.is_empty())) {
        Some(character) => character.clone(),
        None if named.is_empty() => {
            return Err(file_failure(
                input_name(path),
                message!("the project names no character; add --character FILE"),
            ));
        }
        None => {
            let named = project::absolute_path(path, named);
            let opened = yuremono_format::open::character(&named, &|_| true).map_err(|mut found| {
                let message =
                    message!("the character of the project cannot be opened; name another one with --character FILE");
                found.push(Diagnostic::error(Location::file(input_name(path)), message));
                command_failure(found)
            })?;
            report.add_diagnostics(&opened.diagnostics);
            opened
        }
    };
    let (document, found) = project.into_document(&opened.character);
    report.add_diagnostics(&found);
    opened.document = document;
    Ok(opened)
}

/// Converts the entries of a setup file to a setup without a character.
fn setup_from_file(file: &SetupFile, name: &str) -> anyhow::Result<Setup<ByName>> {
    if !file.trees.is_empty() {
        let message = message!(
            "{format} files list chains by their roots, which needs a character; add --character FILE",
            format = file.format.key
        );
        return Err(file_failure(name, message));
    }
    Ok(file.with_row_chains().to_setup())
}

/// Returns the character's document after a setup file is imported.
fn imported_document(file: SetupFile, name: &str, opened: &OpenedCharacter, report: &mut RunReport) -> Document {
    let plan = load::plan_on_empty_document(file, opened, &NameMap::new());
    report.add_diagnostics(&load::missing_diagnostics(&plan, name, &opened.document));
    plan.after_import(&opened.character.skeleton)
}
