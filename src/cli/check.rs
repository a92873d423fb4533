//! `yuremono check`: read files and say what was found.

use super::find_files::files_recursive;
use super::load::{self, ContentKind};
use super::output::{self, count_noun, has_extension};
use crate::diagnostics::{Diagnostic, Location, Severity};
use crate::exchange::{FileSection, SetupFile};
use crate::format::open::{self, file_name};
use crate::format::tables::{FileKind, KNOWN_KINDS_TEXT};
use clap::ValueHint;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Characters (.vrm, .glb, .gltf), tables (.csv, .json), projects (.yure), rules (.json) or presets (.preset.json), or
    /// folders that have such files in them or below.
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Write one JSON document instead of text.
    #[arg(long)]
    json: bool,
    /// End with 1 where a rule of the VRM specification is broken as well.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Serialize)]
struct CheckReport {
    loaded: usize,
    refused: usize,
    /// Files of the folders that are of no kind that is checked.
    skipped: usize,
    files: Vec<CheckedFile>,
}

/// What was found in one file.
#[derive(Debug, Serialize)]
struct CheckedFile {
    file: String,
    kind: &'static str,
    loaded: bool,
    /// In a few words.
    holds: String,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<bool> {
    let (mut files, mut skipped) = (Vec::new(), 0);
    for path in &args.files {
        if path.is_dir() {
            skipped += check_folder(path, &mut files);
        } else {
            files.push(check_file(path));
        }
    }
    let loaded = files.iter().filter(|f| f.loaded).count();
    let refused = files.len() - loaded;
    let broken = files.iter().flat_map(|f| &f.diagnostics).any(|d| d.severity == Severity::Error);
    if args.json {
        output::print_json(&CheckReport { loaded, refused, skipped, files })?;
    } else {
        for file in &files {
            output::print(&file_text(file))?;
        }
        if files.len() > 1 {
            output::print(&format!("{loaded} loaded, {refused} refused\n"))?;
        }
        if skipped > 0 {
            output::print(&format!("{} of other kinds not checked\n", count_noun(skipped, "file")))?;
        }
    }
    Ok(refused == 0 && !(args.strict && broken))
}

fn file_text(file: &CheckedFile) -> String {
    let mut text = String::new();
    let state = if file.loaded { &file.holds } else { "refused" };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {state}", file.file);
    for diagnostic in &file.diagnostics {
        let _ = writeln!(text, "  {}", output::diagnostic_line(diagnostic));
        if let Some(rule) = diagnostic.rule {
            let _ = writeln!(text, "    rule {}: {}; {}", rule.id, rule.expected, rule.advice);
        }
    }
    text
}

/// Checks every file of a folder and below it that may be meant for Yuremono; how many are of other kinds.
fn check_folder(folder: &Path, findings: &mut Vec<CheckedFile>) -> usize {
    let refused = |said: Diagnostic| {
        let file = said.location.file.clone();
        CheckedFile { file, kind: "folder", loaded: false, holds: String::new(), diagnostics: vec![said] }
    };
    let (files, unreadable) = files_recursive(folder, None);
    let all_read = unreadable.is_empty();
    findings.extend(unreadable.into_iter().map(refused));
    // Most files of text that nobody names are notes.
    let is_meant = |path: &Path| {
        let is_other =
            has_extension(path, &["txt"]) || (load::is_json(path) && ContentKind::detect(path) == ContentKind::Unknown);
        FileKind::from_path(path).is_some() && !is_other
    };
    let (meant, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_meant(path));
    if meant.is_empty() && all_read {
        let place = Location::file(folder.display().to_string());
        findings.push(refused(Diagnostic::error(place, "there is no file in this folder that can be checked")));
    }
    findings.extend(meant.iter().map(|path| check_file(path)));
    others.len()
}

fn check_file(path: &Path) -> CheckedFile {
    let (kind, outcome) = match ContentKind::detect(path) {
        ContentKind::Character => ("character", check_character(path)),
        ContentKind::Table => ("table", check_table(path)),
        ContentKind::Project => ("project", check_project(path)),
        ContentKind::Rules => ("rules", check_rules(path)),
        ContentKind::Preset => ("preset", check_preset(path)),
        ContentKind::Unknown => ("unknown", refuse_unknown(path)),
    };
    let file = path.display().to_string();
    match outcome {
        Ok((holds, diagnostics)) => CheckedFile { file, kind, loaded: true, holds, diagnostics },
        Err(diagnostics) => CheckedFile { file, kind, loaded: false, holds: String::new(), diagnostics },
    }
}

type CheckOutcome = Result<(String, Vec<Diagnostic>), Vec<Diagnostic>>;

fn check_character(path: &Path) -> CheckOutcome {
    let mut rules = open::check_vrm_rules(path).unwrap_or_default();
    let opened = load::read_character_silently(path).map_err(|mut refusal| {
        refusal.append(&mut rules);
        refusal
    })?;
    let (character, document) = (&opened.character, &opened.document);
    let vertices: usize = character.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
    let holds = format!(
        "{}, {}, {}, {}, {} in {}, {}",
        character.format_name,
        count_noun(character.skeleton.len(), "bone"),
        count_noun(vertices, "vertex").replace("vertexs", "vertices"),
        count_noun(character.clips.len(), "animation"),
        count_noun(document.joint_count(), "joint"),
        count_noun(document.chains.len(), "chain"),
        count_noun(document.colliders.len(), "collider"),
    );
    let mut diagnostics = opened.diagnostics;
    diagnostics.append(&mut rules);
    Ok((holds, diagnostics))
}

fn check_table(path: &Path) -> CheckOutcome {
    let (file, said) = open::setup(path)?;
    let holds: Vec<String> = (0..file.systems.len()).map(|system| describe_system(&file, system)).collect();
    Ok((holds.join("; "), said))
}

/// A system of a setup file in a few words.
fn describe_system(file: &SetupFile, system: usize) -> String {
    let entries = |section| file.entries.iter().filter(move |item| item.system == system && item.section == section);
    let solver = file.systems[system].solver.key();
    let mut holds = if file.trees.is_empty() {
        let (joints, pivots) = (entries(FileSection::Joints).count(), entries(FileSection::Pivots).count());
        format!("table, {}, {}", count_noun(joints, "bone"), count_noun(pivots, "pivot"))
    } else {
        let (chains, colliders) = (file.trees.len(), entries(FileSection::Colliders).count());
        format!("setup of {solver}, {}, {}", count_noun(chains, "chain"), count_noun(colliders, "collider"))
    };
    let bad = entries(FileSection::Joints).filter(|item| item.content.is_err()).count();
    if bad > 0 {
        // Writing to a String cannot fail.
        let _ = write!(holds, ", {} that cannot be used", count_noun(bad, "row"));
    }
    if file.systems.len() > 1 && file.trees.is_empty() {
        // Writing to a String cannot fail.
        let _ = write!(holds, " of {solver}");
    }
    holds
}

/// A project is tried on the character that it names, where that can be read.
fn check_project(path: &Path) -> CheckOutcome {
    let (project, mut said) = open::project(path)?;
    let name = project.metadata.character_path.clone();
    let mut holds = format!("project for {}", crate::diagnostics::excerpt(&name));
    if name.is_empty() {
        return Ok(("project without a character's file".to_owned(), said));
    }
    let beside = path.parent().unwrap_or(Path::new("")).join(&name);
    match load::read_character_silently(&beside) {
        Ok(opened) => {
            let (document, more) = project.into_document(&opened.character.skeleton);
            let (joints, chains) =
                (count_noun(document.joint_count(), "joint"), count_noun(document.chains.len(), "chain"));
            let _ = write!(holds, ", {joints} in {chains}");
            said.extend(more);
        }
        Err(reasons) => {
            let place = Location::file(file_name(path));
            let why = reasons.last().map_or(String::new(), ToString::to_string);
            said.push(Diagnostic::warning(place, format!("the character that it names cannot be opened: {why}")));
        }
    }
    Ok((holds, said))
}

fn refuse_unknown(path: &Path) -> CheckOutcome {
    let found = open::content(path).map_err(|said| vec![said])?.describe();
    Err(vec![Diagnostic::error(Location::file(file_name(path)), format!("found {found}; {KNOWN_KINDS_TEXT}"))])
}

fn check_rules(path: &Path) -> CheckOutcome {
    let rules = open::rules(path)?;
    Ok((count_noun(rules.entries.len(), "rule"), Vec::new()))
}

fn check_preset(path: &Path) -> CheckOutcome {
    let (preset, said) = open::preset(path)?;
    let parts: Vec<_> = preset.parts.iter().map(|part| part.key()).collect();
    Ok((format!("preset \"{}\" for {}", crate::diagnostics::excerpt(preset.name.get(false)), parts.join(", ")), said))
}
