//! `yuremono check`: reads files and reports problems.

use super::clipping::{self, ClippingSummary};
use super::doctor::{self, FindingSummary};
use super::file_jobs::{FileTurn, JobsOption};
use super::finding_gate::{FindingGate, FindingGateArgs, GatedFile};
use super::input::{files_recursive, unique_paths};
use super::load::{self, ContentKind, FlipAxisArg};
use super::options::ListOption;
use super::output::{self, ProgressReporter, RunReport, has_extension};
use super::simulated_character::{SimulatedCharacter, SimulationOptions};
use crate::ui::kit::i18n::Lang;
use clap::ValueHint;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::tables::{FileKind, known_kinds};
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{FileSection, SetupFile};
use yuremono_session::examine_document;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::BoneId;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Characters (.vrm, .glb, .gltf, .fbx), tables (.csv, .json), projects (.yure), name mapping rules (.json), presets
    /// (.preset.json), or folders with such files.
    #[arg(required_unless_present = "list", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    list: ListOption,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(super) json: bool,
    /// Also end with exit code 1 if a file breaks a rule of the VRM specification, or if a table has a row that cannot be used.
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    gate: FindingGateArgs,
    /// Check the characters and projects with this setup: a table (.csv, .json), a project (.yure) or another character. The
    /// setup itself is checked first.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Axis that is mirrored between the space of --setup and that of the character. Default: the axis in the setup file, else
    /// z for VRM 0.x, else x.
    #[arg(long, value_enum, requires = "setup")]
    mirror: Option<FlipAxisArg>,
    /// Also simulate motions of characters and projects, and report hair and cloth that pass through the body as warnings,
    /// with changes that prevent this.
    #[arg(long)]
    clipping: bool,
    /// Also simulate a motion of characters and projects, and report joints that run away, shake at rest, or are held
    /// between a collider and an angle limit: all, or a motion that `simulate --motion` accepts. Also selects the motion
    /// of --clipping, which simulates all motions by default.
    #[arg(long, value_name = "NAME")]
    motion: Option<String>,
    #[command(flatten)]
    jobs: JobsOption,
}

#[derive(Debug, Serialize)]
struct CheckedFile {
    file: String,
    /// Whether nothing about the file fails the command.
    ok: bool,
    kind: &'static str,
    loaded: bool,
    /// A summary of the content.
    summary: MessageText,
    /// Number of rows of a table that cannot be used.
    #[serde(skip_serializing_if = "is_zero")]
    unusable_rows: usize,
    diagnostics: Vec<Diagnostic>,
    /// What the Doctor has found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingSummary>,
    /// The result of `--clipping`.
    #[serde(skip_serializing_if = "Option::is_none")]
    clipping: Option<ClippingSummary>,
    /// Number of findings that the baseline accepts.
    #[serde(skip_serializing_if = "is_zero")]
    known: usize,
}

/// The signature is that of serde's `skip_serializing_if`.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(n: &usize) -> bool {
    *n == 0
}

impl CheckedFile {
    fn refused(file: String, kind: &'static str, diagnostics: Vec<Diagnostic>) -> Self {
        Self {
            file,
            ok: false,
            kind,
            loaded: false,
            summary: MessageText::from(""),
            unusable_rows: 0,
            diagnostics,
            findings: Vec::new(),
            clipping: None,
            known: 0,
        }
    }
}

pub(super) fn run(args: &CheckArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let gate = FindingGate::new(&args.gate)?;
    let (mut found, mut skipped) = (Vec::new(), 0);
    let inputs: Vec<PathBuf> = args.setup.iter().cloned().chain(args.list.extend(&args.files)?).collect();
    for path in unique_paths(&inputs, report) {
        if path.is_dir() {
            skipped += find_files(&path, &mut found);
        } else {
            found.push(FoundFile::Readable(path));
        }
    }
    let mut files = check_files(&found, args, report)?;
    let judged = files.iter().map(|file| gate.judge(file)).collect::<anyhow::Result<Vec<_>>>()?;
    for (file, judged) in files.iter_mut().zip(&judged) {
        report.print_text(&file_text(report.lang(), file, judged))?;
        file.known = judged.known_count();
        file.ok = file.loaded && judged.failing.is_empty() && !(args.strict && judged.fails_strict);
    }
    let loaded = files.iter().filter(|f| f.loaded).count();
    let refused = files.len() - loaded;
    let known = files.iter().map(|file| file.known).sum();
    let failing: Vec<_> = judged.iter().flat_map(|judged| &judged.failing).collect();
    print_counts(&FileCounts { loaded, refused, skipped, known }, &gate, report)?;
    if !failing.is_empty() {
        let findings = message!("{n:finding|findings}", n = failing.len());
        report.print_message(&message!("--fail-on: {findings}", findings))?;
    }
    let is_good = files.iter().all(|file| file.ok);
    report.set_field("loaded", loaded)?;
    report.set_field("refused", refused)?;
    report.set_field("skipped", skipped)?;
    report.set_field("failing", &failing)?;
    report.set_field("files", &files)?;
    Ok(is_good)
}

struct FileCounts {
    loaded: usize,
    refused: usize,
    /// Number of files in folders that are not checked because of their kind.
    skipped: usize,
    /// Number of findings that the baseline accepts.
    known: usize,
}

fn print_counts(counts: &FileCounts, gate: &FindingGate, report: &mut RunReport) -> anyhow::Result<()> {
    let FileCounts { loaded, refused, skipped, known } = *counts;
    if loaded + refused > 1 {
        report.print_message(&message!("{loaded} loaded, {refused} refused", loaded, refused))?;
    }
    if skipped > 0 {
        let skipped = message!("{n:file of another kind|files of other kinds} not checked", n = skipped);
        report.print_message(&skipped)?;
    }
    if let Some(file) = gate.baseline_name().filter(|_| known > 0) {
        let findings = message!("{n:finding|findings}", n = known);
        report.print_message(&message!("{findings} accepted by {file}", findings, file = excerpt(file)))?;
    }
    Ok(())
}

fn file_text(lang: Lang, file: &CheckedFile, judged: &GatedFile) -> String {
    let state = if file.loaded { file.summary.clone() } else { message!("refused") };
    let mut text = format!("{}: {}\n", file.file, lang.tr(&state));
    let new_diagnostics = file.diagnostics.iter().zip(&judged.known_diagnostics).filter(|(_, known)| !**known);
    for (diagnostic, _) in new_diagnostics {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {}", output::diagnostic_line(lang, diagnostic));
        if let Some(rule) = diagnostic.rule {
            let [expected, advice] =
                [rule.expected, rule.advice].map(|template| lang.tr(MessageText::new(template, [])));
            let rule = lang.tr(message!("rule {id}", id = rule.id));
            let _ = writeln!(text, "    {rule}: {expected}; {advice}");
        }
    }
    let name = file_name(Path::new(&file.file));
    let new_findings = file.findings.iter().zip(&judged.known_findings).filter(|(_, known)| !**known);
    for (finding, _) in new_findings {
        let _ = writeln!(text, "  {}", output::diagnostic_line(lang, &finding.diagnostic(&name)));
    }
    if let Some(clipping) = file.clipping.as_ref().filter(|_| !judged.knows_clipping) {
        clipping.write_text(&name, &mut text, lang);
    }
    text
}

/// An entry of the result.
#[derive(Debug)]
enum FoundFile {
    Readable(PathBuf),
    /// A folder that cannot be read, or that has no readable file.
    RefusedFolder(Diagnostic),
}

impl FoundFile {
    fn path(&self) -> &Path {
        match self {
            Self::Readable(path) => path,
            Self::RefusedFolder(_) => Path::new(""),
        }
    }
}

/// Finds every file in and below a folder that Yuremono may be able to read. Returns the number of the other files.
fn find_files(folder: &Path, found: &mut Vec<FoundFile>) -> usize {
    let (files, unreadable) = files_recursive(folder, None);
    let all_read = unreadable.is_empty();
    found.extend(unreadable.into_iter().map(FoundFile::RefusedFolder));
    // Text files and JSON files of unknown content are rarely meant for Yuremono.
    let is_readable = |path: &Path| {
        let is_other =
            has_extension(path, &["txt"]) || (load::is_json(path) && ContentKind::detect(path) == ContentKind::Unknown);
        FileKind::from_path(path).is_some() && !is_other
    };
    let (readable, others): (Vec<PathBuf>, Vec<PathBuf>) = files.into_iter().partition(|path| is_readable(path));
    if readable.is_empty() && all_read {
        let place = Location::file(folder.display().to_string());
        let message = message!("there is no file in this folder that can be checked");
        found.push(FoundFile::RefusedFolder(Diagnostic::error(place, message)));
    }
    found.extend(readable.into_iter().map(FoundFile::Readable));
    others.len()
}

fn check_files(found: &[FoundFile], args: &CheckArgs, report: &RunReport) -> anyhow::Result<Vec<CheckedFile>> {
    let is_only_file = found.len() == 1;
    let progress = if is_only_file {
        ProgressReporter::silent()
    } else {
        ProgressReporter::new(found.len() as u64, report.text(&message!("files")))
    };
    let checker = FileChecker { args, report, is_only_file, threads: args.jobs.threads_per_file(found.len()) };
    let check = |file: &FoundFile, turn: FileTurn| {
        let checked = match file {
            FoundFile::Readable(path) => checker.check_file(path, turn),
            FoundFile::RefusedFolder(reason) => {
                CheckedFile::refused(reason.location.file.clone(), "folder", vec![reason.clone()])
            }
        };
        progress.step();
        checked
    };
    let checked = args.jobs.map_files(found, FoundFile::path, check)?;
    progress.finish();
    Ok(checked)
}

/// Checks files of one run of the command.
struct FileChecker<'a> {
    args: &'a CheckArgs,
    report: &'a RunReport,
    /// Whether the progress within a file is shown.
    is_only_file: bool,
    /// Threads for one file.
    threads: usize,
}

impl FileChecker<'_> {
    fn check_file(&self, path: &Path, turn: FileTurn) -> CheckedFile {
        let (kind, outcome) = match ContentKind::detect(path) {
            ContentKind::Character => ("character", self.check_character(path)),
            ContentKind::Motion => ("motion", check_motion(path)),
            ContentKind::Table => match check_table(path) {
                // A package can have a model without components.
                Err(_) if open::is_unity_project(path) => ("character", self.check_character(path)),
                outcome => ("table", outcome),
            },
            ContentKind::Project => ("project", self.check_project(path)),
            ContentKind::Rules => ("rules", check_rules(path)),
            ContentKind::Preset => ("preset", check_preset(path)),
            ContentKind::Unknown => ("unknown", refuse_unknown(path)),
        };
        let file = path.display().to_string();
        let mut loaded = match outcome {
            Ok(loaded) => loaded,
            Err(diagnostics) => return CheckedFile::refused(file, kind, diagnostics),
        };
        let is_setup = self.args.setup.as_deref() == Some(path);
        let character = loaded.character.take().filter(|_| !is_setup);
        let name = file_name(path);
        let mut one = self.report.for_one_file(turn);
        let examined = character
            .map(|opened| {
                let opened = self.with_setup(opened, &mut one)?;
                self.examine(opened, &name, &mut loaded.diagnostics)
            })
            .transpose();
        let LoadedFile { summary, unusable_rows, mut diagnostics, .. } = loaded;
        diagnostics.extend(one.take_diagnostics());
        match examined {
            Ok(examined) => {
                let (findings, clipping) = examined.unwrap_or_default();
                let (ok, loaded) = (true, true);
                CheckedFile {
                    file,
                    ok,
                    kind,
                    loaded,
                    summary,
                    unusable_rows,
                    diagnostics,
                    findings,
                    clipping,
                    known: 0,
                }
            }
            Err(error) => {
                diagnostics.extend(output::failure_diagnostics(&error));
                CheckedFile::refused(file, kind, diagnostics)
            }
        }
    }

    /// Returns the character with the setup of `--setup`.
    fn with_setup(&self, opened: OpenedCharacter, report: &mut RunReport) -> anyhow::Result<OpenedCharacter> {
        let Some(setup) = &self.args.setup else { return Ok(opened) };
        let (session, _) =
            load::session_with_setup(opened.clone(), Some(setup), self.args.mirror, &NameMap::new(), report)?;
        Ok(OpenedCharacter { document: session.document().clone(), ..opened })
    }

    /// Looks for faults of a setup, with motions if the arguments ask for them.
    fn examine(
        &self,
        opened: OpenedCharacter,
        name: &str,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> anyhow::Result<(Vec<FindingSummary>, Option<ClippingSummary>)> {
        let mut findings = examine_document(&opened.character, &opened.document);
        let character = Arc::clone(&opened.character);
        let document = opened.document.clone();
        let mut clipping = None;
        if self.args.clipping || self.args.motion.is_some() {
            let options = SimulationOptions {
                motion: self.args.motion.as_deref(),
                name,
                threads: self.threads,
                shows_progress: self.is_only_file,
            };
            let simulated = SimulatedCharacter::open(opened, options, diagnostics)?;
            if self.args.motion.is_some() {
                findings.extend(doctor::motion_findings(&simulated, diagnostics)?);
                findings.sort_by_key(|finding| finding.kind);
            }
            if self.args.clipping {
                clipping = clipping::check(&simulated, diagnostics)?;
            }
        }
        let summary = |finding| FindingSummary::new(finding, &document, &character.skeleton);
        Ok((findings.iter().map(summary).collect(), clipping))
    }

    fn read_character(&self, path: &Path) -> Result<OpenedCharacter, Vec<Diagnostic>> {
        let progress =
            if self.is_only_file { ProgressReporter::new(100, file_name(path)) } else { ProgressReporter::silent() };
        load::read_character_silently(path, progress)
    }

    fn check_character(&self, path: &Path) -> CheckOutcome {
        let mut rules = open::check_vrm_rules(path).unwrap_or_default();
        let opened = self.read_character(path).map_err(|mut refusal| {
            refusal.append(&mut rules);
            refusal
        })?;
        let (character, document) = (&opened.character, &opened.document);
        let vertices: usize = character.meshes.iter().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
        let summary = message!(
            "{format}, {bones}, {vertices}, {animations}, {joints} in {chains}, {colliders}",
            format = &*character.format_name,
            bones = message!("{n:bone|bones}", n = character.skeleton.len()),
            vertices = message!("{n:vertex|vertices}", n = vertices),
            animations = message!("{n:animation|animations}", n = character.clips.len()),
            joints = count_joints(document.joint_count()),
            chains = count_chains(document.chains.len()),
            colliders = message!("{n:collider|colliders}", n = document.colliders.len()),
        );
        let mut diagnostics = opened.diagnostics.clone();
        diagnostics.append(&mut rules);
        Ok(LoadedFile { summary, unusable_rows: 0, diagnostics, character: Some(opened) })
    }

    /// Checks a project, including its character if the character can be read.
    fn check_project(&self, path: &Path) -> CheckOutcome {
        let (project, mut diagnostics) = open::project(path)?;
        let name = project.metadata.character_path.clone();
        if name.is_empty() {
            return Ok(LoadedFile::new(message!("project without a character file"), diagnostics));
        }
        let mut summary = message!("project for {file}", file = excerpt(&name));
        let mut character = None;
        match self.read_character(&path.parent().unwrap_or(Path::new("")).join(&name)) {
            Ok(mut opened) => {
                let (document, more) = project.into_document(&opened.character);
                let (joints, chains) = (count_joints(document.joint_count()), count_chains(document.chains.len()));
                summary = message!("{holds}, {joints} in {chains}", holds = summary, joints, chains);
                diagnostics.extend(more);
                opened.document = document;
                character = Some(opened);
            }
            Err(mut reasons) => {
                let reason = reasons.pop();
                let place = reason.as_ref().map_or_else(String::new, |reason| reason.location.to_string());
                let reason = reason.map_or_else(|| MessageText::from(""), |reason| reason.message);
                let message = message!(
                    "the character file of the project cannot be opened: {place}: {reason}. Its setup was not checked",
                    place,
                    reason
                );
                diagnostics.push(Diagnostic::warning(Location::file(file_name(path)), message));
            }
        }
        Ok(LoadedFile { summary, unusable_rows: 0, diagnostics, character })
    }
}

/// A file that could be read.
struct LoadedFile {
    summary: MessageText,
    /// Number of rows of a table that cannot be used.
    unusable_rows: usize,
    diagnostics: Vec<Diagnostic>,
    /// The character of the file with the setup of the file.
    character: Option<OpenedCharacter>,
}

impl LoadedFile {
    /// A file without a character.
    const fn new(summary: MessageText, diagnostics: Vec<Diagnostic>) -> Self {
        Self { summary, unusable_rows: 0, diagnostics, character: None }
    }
}

/// A file, or the reasons why the file was rejected.
type CheckOutcome = Result<LoadedFile, Vec<Diagnostic>>;

fn count_joints(n: usize) -> MessageText {
    message!("{n:joint|joints}", n)
}

fn count_chains(n: usize) -> MessageText {
    message!("{n:chain|chains}", n)
}

fn check_motion(path: &Path) -> CheckOutcome {
    let (capture, mut diagnostics) = open::motion_capture(path)?;
    let channels = || capture.clips.iter().flat_map(|clip| &clip.channels);
    let seconds = format!("{:.2}", capture.clips.iter().map(|clip| clip.duration).fold(0.0, f32::max));
    if capture.format_name == "VMD" {
        // The file has no skeleton.
        let bones: BTreeSet<BoneId> = channels().map(|channel| channel.bone).collect();
        let summary = message!("VMD, {n:animated bone|animated bones}, {seconds} s", n = bones.len(), seconds);
        return Ok(LoadedFile::new(summary, diagnostics));
    }
    let frames = channels().map(|channel| channel.times.len()).max();
    let summary = message!(
        "{format}, {joints}, {frames}, {seconds} s, {roles} humanoid",
        format = &*capture.format_name,
        joints = count_joints(capture.skeleton.len() - 1),
        frames = message!("{n:frame|frames}", n = frames.unwrap_or(0)),
        seconds,
        roles = count_joints(capture.humanoid.iter().count()),
    );
    if capture.humanoid.is_empty() {
        let message = message!(
            "the names of the joints follow no known convention; the motion fits only a character with equal bone names"
        );
        diagnostics.push(Diagnostic::info(Location::file(file_name(path)), message));
    }
    Ok(LoadedFile::new(summary, diagnostics))
}

fn check_table(path: &Path) -> CheckOutcome {
    let (file, diagnostics) = open::setup(path, None)?;
    let systems = (0..file.systems.len()).map(|system| describe_system(&file, system));
    let summary = systems.reduce(|first, second| message!("{first}; {second}", first, second));
    let unusable_rows = file.entries.iter().filter(|item| item.content.is_err()).count();
    Ok(LoadedFile { unusable_rows, ..LoadedFile::new(summary.unwrap_or_else(|| MessageText::from("")), diagnostics) })
}

/// Summarizes one system of a setup file.
fn describe_system(file: &SetupFile, system: usize) -> MessageText {
    let entries = |section| file.entries.iter().filter(move |item| item.system == system && item.section == section);
    let solver = file.systems[system].solver.key();
    let chains = file.trees.iter().filter(|tree| tree.system == system).count();
    let mut summary = if chains == 0 {
        let bones = message!("{n:bone|bones}", n = entries(FileSection::Joints).count());
        let pivots = message!("{n:pivot|pivots}", n = entries(FileSection::Pivots).count());
        message!("table, {bones}, {pivots}", bones, pivots)
    } else {
        let colliders = message!("{n:collider|colliders}", n = entries(FileSection::Colliders).count());
        message!("setup of {solver}, {chains}, {colliders}", solver, chains = count_chains(chains), colliders)
    };
    let bad = entries(FileSection::Joints).filter(|item| item.content.is_err()).count();
    if bad > 0 {
        let bad = message!("{n:row|rows} that cannot be used", n = bad);
        summary = message!("{holds}, {bad}", holds = summary, bad);
    }
    if file.systems.len() > 1 && chains == 0 {
        summary = message!("{holds} of {solver}", holds = summary, solver);
    }
    summary
}

fn refuse_unknown(path: &Path) -> CheckOutcome {
    let found = open::content(path).map_err(|diagnostic| vec![diagnostic])?.describe();
    let message = message!("found {found}; {known_kinds}", found, known_kinds = known_kinds());
    Err(vec![Diagnostic::error(Location::file(file_name(path)), message)])
}

fn check_rules(path: &Path) -> CheckOutcome {
    let rules = open::rules(path)?;
    Ok(LoadedFile::new(message!("{n:rule|rules}", n = rules.entries.len()), Vec::new()))
}

fn check_preset(path: &Path) -> CheckOutcome {
    let (preset, diagnostics) = open::preset(path)?;
    let parts: Vec<_> = preset.parts.iter().map(|part| part.key()).collect();
    let summary =
        message!("preset \"{name}\" for {parts}", name = excerpt(preset.name.get(false)), parts = parts.join(", "));
    Ok(LoadedFile::new(summary, diagnostics))
}
