//! `yuremono convert`: converts a setup to another solver or another file format.

use super::batch::{Batch, ResultFormat};
use super::file_jobs::JobsOption;
use super::input::{self, input_name};
use super::load::{self, ContentKind, FlipAxisArg, NamedCharacter};
use super::options::{CharactersArgs, TableOptions, single_file};
use super::output::{
    InputRole, LossOptions, RunReport, WriteOptions, command_failure, failure, file_failure, has_extension, is_stdio,
    output_name, output_path, path_failure,
};
use super::preset_args::{self, PresetArgs, RequestedPreset};
use super::remap::{report_losses, resolve_format};
use super::simulation_args::find_motion;
use crate::parallel::on_all_cores;
use clap::ValueHint;
use serde_json::{Value, json};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::gltf::external_files;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::source::copy_external_files;
use yuremono_format::tables::{self, FileKind};
use yuremono_format::vrm;
use yuremono_model::document::{Chain, Document, FlipAxis};
use yuremono_model::exchange::remap::NameMap;
use yuremono_model::exchange::{ExportOptions, SetupFormat, SetupLayout, export};
use yuremono_model::feel::convert::average_joint_values;
use yuremono_model::feel::convert::motion_fit::{ChainDifference, ChainFit, MotionDifference, MotionFitResult};
use yuremono_model::feel::{
    convert::ConversionLoss, convert::loss_diagnostics, convert::muted_chain_losses, convert::muted_chains,
};
use yuremono_session::{Command, ConversionJob, MotionFitJob, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};

/// Number of chains that are listed after a motion fit. The worst chains are listed.
const MAX_LISTED_CHAINS: usize = 8;

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    characters: CharactersArgs,
    /// Setup: a table (.csv, .json), a project (.yure), or another character (.vrm, .glb, .gltf) whose springs go to the
    /// bones with the same names, migrated from VRM 0.x to 1.0 if needed; - reads standard input. Default: the setup in the
    /// character file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: the axis in the setup file,
    /// else z for VRM 0.x, else x.
    #[arg(long, value_enum)]
    mirror: Option<FlipAxisArg>,
    /// Solver of the result, by the name in `params`. Default: the solver of --format; UnityChan SpringBone for other .csv
    /// tables; VRM for characters; the current solvers for projects and other .json tables.
    #[arg(long, value_name = "SOLVER", value_parser = parse_solver)]
    solver: Option<SolverKind>,
    /// Fit the parameters of the new solver to a motion, and report the distance of tips and bones from the old motion before
    /// and after: turn, nod, walk, run-and-stop, leg-lift, squat, jump, teleport, the name of an animation in the character
    /// file or of a gesture in the project. Default motion: a turn and a leg lift.
    #[arg(long = "match", value_name = "MOTION", num_args = 0..=1, default_missing_value = "still")]
    motion_to_fit: Option<String>,
    #[command(flatten)]
    preset_args: PresetArgs,
    /// Output file: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf), of which
    /// nothing else changes. - writes a table to standard output. Several characters need a folder; the results have the
    /// names of the characters and keep the folder structure.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
    /// Format of the result. Default: the format for all solvers with the extension of --out; with --out -, the format of the
    /// --setup table; in a folder, the character with its springs, or with a --solver other than VRM the .json table for all
    /// solvers.
    #[arg(long, value_name = "FORMAT", value_parser = ResultFormat::parser())]
    format: Option<ResultFormat>,
    /// Write mean values into a VRM 0.x file, which stores one set of values per tree of bones, and report the largest
    /// difference of each tree. Without this option, trees with different values are refused.
    #[arg(long)]
    average: bool,
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    jobs: JobsOption,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

impl ConvertArgs {
    fn task(&self, character: &Path, out: &Path) -> ConvertTask {
        ConvertTask {
            setup: self.setup.clone(),
            mirror: self.mirror,
            solver: self.solver,
            motion_to_fit: self.motion_to_fit.clone(),
            format: self.format.and_then(ResultFormat::table),
            average: self.average,
            table: self.table,
            ..ConvertTask::new(character, out)
        }
    }
}

/// What is written for one character. The options mean the same as the arguments of `convert`.
#[derive(Clone, Debug, Default)]
pub(super) struct ConvertTask {
    pub(super) character: PathBuf,
    pub(super) out: PathBuf,
    pub(super) setup: Option<PathBuf>,
    pub(super) mirror: Option<FlipAxisArg>,
    pub(super) solver: Option<SolverKind>,
    pub(super) motion_to_fit: Option<String>,
    /// Format of a table.
    pub(super) format: Option<SetupFormat>,
    pub(super) average: bool,
    pub(super) table: TableOptions,
}

impl ConvertTask {
    /// Writes the character's own setup to `out`.
    pub(super) fn new(character: &Path, out: &Path) -> Self {
        Self { character: character.to_owned(), out: out.to_owned(), ..Self::default() }
    }
}

/// Parses the key of a solver.
pub(super) fn parse_solver(name: &str) -> Result<SolverKind, MessageText> {
    let names: Vec<_> = SolverKind::ALL.iter().map(|kind| kind.key()).collect();
    let found = SolverKind::ALL.iter().copied().find(|kind| kind.key().eq_ignore_ascii_case(name));
    found.ok_or_else(|| message!("expected one of {names}", names = names.join(", ")))
}

pub(super) fn run(args: &ConvertArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let setup = args.setup.as_deref().map(|path| (InputRole::Setup, path));
    let presets = |report: &mut RunReport| args.preset_args.resolve(report);
    let characters = args.characters.paths()?;
    if let Some(character) = single_file(&characters)
        && !names_a_folder(&args.out)
    {
        let inputs: Vec<_> = [(InputRole::Character, character)].into_iter().chain(setup).collect();
        report.set_output(&args.out)?;
        input::check_single_stdin(inputs.iter().map(|(_, path)| *path))?;
        report.check_target(&args.out, &inputs)?;
        let task = args.task(character, &args.out);
        check_output_name(&task)?;
        if args.format.is_some_and(|format| !format.writes(&args.out)) {
            return Err(path_failure(&args.out, message!("--format contradicts the extension of --out")));
        }
        report.set_only_file(character);
        return convert_character(&task, &presets(report)?, report);
    }
    input::check_single_stdin(characters.iter().map(PathBuf::as_path).chain(setup.map(|(_, path)| path)))?;
    let is_for_characters = args.solver.is_none_or(|solver| solver == SolverKind::Vrm);
    let default =
        || if is_for_characters { ResultFormat::Character } else { ResultFormat::Table(tables::full_setup_format()) };
    let format = args.format.unwrap_or_else(default);
    let extension = |character: &Path| format.file_extension(character);
    let shared: Vec<&Path> = setup.map(|(_, path)| path).into_iter().collect();
    let batch = Batch::find(&characters, &args.out, &extension, &shared, report)?;
    if let Some(target) = batch.targets().first() {
        check_output_name(&args.task(Path::new(""), target))?;
    }
    let presets = presets(report)?;
    let convert = |character: &Path, target: &Path, one: &mut RunReport| {
        convert_character(&args.task(character, target), &presets, one)
    };
    batch.run(args.jobs, report, convert)
}

/// Whether an `--out` path can only be a folder.
pub(super) fn names_a_folder(out: &Path) -> bool {
    out.is_dir() || out.to_string_lossy().ends_with(['/', MAIN_SEPARATOR])
}

fn convert_character(task: &ConvertTask, presets: &[RequestedPreset], report: &mut RunReport) -> anyhow::Result<bool> {
    let NamedCharacter { file, project } = NamedCharacter::find(&task.character)?;
    let task = &ConvertTask { character: file, setup: task.setup.clone().or(project), ..task.clone() };
    let opened = load::read_character(&task.character, report)?;
    let (mut session, metadata) =
        load::session_with_setup(opened, task.setup.as_deref(), task.mirror, &NameMap::new(), report)?;
    if let Some(name) = &task.motion_to_fit {
        let motion = find_motion(name, &session)?;
        session.handle(Command::SetMotion(motion));
    }
    let joints = written_joint_count(task, &session, report)?;
    write_output(task, &session, presets, &metadata, report)?;
    report.set_field("joints", joints)?;
    report.print_message(&message!("{joints} joints, written to {file}", joints, file = output_path(&task.out)))?;
    Ok(true)
}

/// Returns the number of joints in the output. Fails if the setup belongs to another character.
fn written_joint_count(task: &ConvertTask, session: &Session, report: &mut RunReport) -> anyhow::Result<usize> {
    let (document, bones) = (session.document(), session.character().skeleton.len());
    let all = document.joint_count();
    if all == 0 {
        let message = message!("there are no joints to write: neither the character nor a setup has joints");
        report.add_diagnostics(&[Diagnostic::warning(Location::file(input_name(&task.character)), message)]);
    }
    if ContentKind::from_extension(&task.out) == ContentKind::Project {
        // A project also stores joints whose bones are missing.
        return Ok(all);
    }
    let joints = document.chains.values().flat_map(|chain| &chain.joints);
    let present = joints.filter(|joint| joint.bone.index() < bones).count();
    match &task.setup {
        Some(setup) if present == 0 && all > 0 => Err(file_failure(
            input_name(setup),
            message!("none of the {all} joints has a bone on this character; the setup is for another one", all),
        )),
        _ => Ok(present),
    }
}

fn output_format(task: &ConvertTask) -> anyhow::Result<SetupFormat> {
    if !is_stdio(&task.out) {
        return resolve_format(&task.out, task.format, DEFAULT_FORMAT);
    }
    let format = match (task.format, &task.setup) {
        (None, Some(setup)) => load::setup_format(setup)?,
        (format, _) => format,
    };
    format.ok_or_else(|| failure(message!("--out -: standard output has no extension; add --format")))
}

/// Rejects an output name that contradicts the format or the solver.
pub(super) fn check_output_name(task: &ConvertTask) -> anyhow::Result<()> {
    let kind = ContentKind::from_extension(&task.out);
    let is_unknown = matches!(FileKind::from_path(&task.out), None | Some(FileKind::Motion));
    if is_stdio(&task.out) {
        output_format(task)?;
    } else if is_unknown || has_extension(&task.out, &["txt"]) {
        return Err(path_failure(
            &task.out,
            message!("expected {extensions}, .yure, .vrm, .glb or .gltf", extensions = tables::written_extensions()),
        ));
    }
    let is_csv = if is_stdio(&task.out) {
        output_format(task)?.extension() == "csv"
    } else {
        has_extension(&task.out, &["csv"])
    };
    task.table.check(&task.out, is_csv)?;
    if let Some(format) = task.format {
        if kind != ContentKind::Table {
            return Err(path_failure(
                &task.out,
                message!("--format is for tables ({extensions})", extensions = tables::written_extensions()),
            ));
        }
        resolve_format(&task.out, Some(format), format)?;
        if let (Some(asked), Some(only)) = (task.solver, format.solver)
            && asked != only
        {
            return Err(failure(message!(
                "{format} files store setups of {expected}, not of {found}",
                format = format.key,
                expected = only.key(),
                found = asked.key()
            )));
        }
    }
    if let Some(other) = task.solver.filter(|solver| kind == ContentKind::Character && *solver != SolverKind::Vrm) {
        let message = message!("a character file stores springs of VRM, not of {solver}", solver = other.key());
        return Err(path_failure(&task.out, message));
    }
    Ok(())
}

/// Writes the setup of the session to `task.out`. `metadata` is stored if the output is a project.
pub(super) fn write_output(
    task: &ConvertTask,
    session: &Session,
    presets: &[RequestedPreset],
    metadata: &ProjectMetadata,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let bytes = match ContentKind::from_extension(&task.out) {
        ContentKind::Character => character_bytes(task, session, presets, report)?,
        ContentKind::Project => {
            let document = converted_document(task, session, task.solver, presets, report)?;
            let relative = |path: &Path| project::relative_path(&task.out, path);
            let character = Some(task.character.as_path()).filter(|path| !is_stdio(path));
            let metadata = ProjectMetadata {
                character_path: character.map(relative).unwrap_or_default(),
                character_name: input_name(&task.character),
                motions: metadata.motions.iter().map(|motion| relative(Path::new(motion))).collect(),
                ..metadata.clone()
            };
            project::write(&document, session.character(), &metadata)
        }
        _ => table_bytes(task, session, presets, report)?,
    };
    report.write(&task.out, &bytes)
}

/// Returns the document with presets, converted to `solver` if given. Presets are applied after the conversion. If a
/// motion is fitted, presets are applied before it, so that the fitted motion includes them.
fn converted_document(
    task: &ConvertTask,
    session: &Session,
    solver: Option<SolverKind>,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let file = input_name(&task.character);
    let with_presets = |document: Document, report: &mut RunReport| -> anyhow::Result<Document> {
        if presets.is_empty() {
            return Ok(document);
        }
        let mut session = Session::new(session.character().clone(), document);
        preset_args::apply_presets(presets, &mut session, &file, report)?;
        Ok(session.document().clone())
    };
    match solver {
        None => with_presets(session.document().clone(), report),
        Some(solver) if task.motion_to_fit.is_none() => {
            with_presets(convert_to_solver(task, session, solver, report)?, report)
        }
        Some(solver) if presets.is_empty() => convert_to_solver(task, session, solver, report),
        Some(solver) => {
            let mut before =
                Session::new(session.character().clone(), with_presets(session.document().clone(), report)?);
            before.handle(Command::SetMotion(session.playback().settings().motion));
            convert_to_solver(task, &before, solver, report)
        }
    }
}

/// Returns the document converted to a solver. Reports losses and the result of a motion fit.
fn convert_to_solver(
    task: &ConvertTask,
    session: &Session,
    solver: SolverKind,
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let fit = MotionFitJob::new(session, &session.inspection().selected_chains(), solver);
    let file = output_name(&task.out);
    let losses = &fit.conversion.losses;
    if ContentKind::from_extension(&task.out) == ContentKind::Character {
        refuse_averages(task, losses)?;
    }
    report.add_losses(&fit.conversion.diagnostics(&file));
    let report_muted_losses = |after: &Document, report: &mut RunReport| {
        let muted = muted_chain_losses(&muted_chains(session.document(), session.character(), after), after);
        report.add_losses(&loss_diagnostics(&muted, &file));
    };
    let changes_solver = |chain: &Chain| session.document().solver_of(chain) != solver;
    if task.motion_to_fit.is_none() || !session.document().chains.values().any(changes_solver) {
        if ContentKind::from_extension(&task.out) == ContentKind::Character {
            report_changed_motion(task, session, &fit.conversion.after, report)?;
        }
        report_muted_losses(&fit.conversion.after, report);
        return Ok(fit.conversion.after.clone());
    }
    let progress = report.progress(1000, report.text(&message!("fitting the motion"))).with_tenth_lines();
    let on_progress = |share: f32| {
        progress.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        true
    };
    let found = fit.run(on_all_cores(&on_progress));
    progress.finish();
    let found =
        found.ok_or_else(|| failure(message!("the motion fit stopped because of an internal error; try again")))?;
    let difference = |off: MotionDifference| {
        message!(
            "{distance} cm and {angle} degrees (largest: {max_distance} cm, {max_angle} degrees)",
            distance = format!("{:.2}", 100.0 * off.metres),
            angle = format!("{:.1}", off.degrees),
            max_distance = format!("{:.2}", 100.0 * off.max_metres),
            max_angle = format!("{:.1}", off.max_degrees)
        )
    };
    let seconds = fit.source.motion.duration_seconds();
    report.print_message(&message!(
        "{seconds} s fitted, root mean square: tips and bones were off by {before}, and are now off by {after}",
        seconds = format!("{seconds:.1}"),
        before = difference(found.formula_difference),
        after = difference(found.fitted_difference)
    ))?;
    for chain in found.chains.iter().take(MAX_LISTED_CHAINS) {
        let line = message!(
            "{chain}: {before} before, {after} after",
            chain = found.after.chains.get(&chain.chain).map_or("", |chain| chain.name.as_str()),
            before = difference(chain.formula_difference),
            after = difference(chain.fitted_difference)
        );
        report.print_text(&format!("  {}\n", report.text(&line)))?;
    }
    report.set_field("difference", fit_json(&found, seconds))?;
    report_muted_losses(&found.after, report);
    Ok(found.after)
}

/// Reports how chains of other solvers move differently in a character file, which stores springs of VRM.
fn report_changed_motion(
    task: &ConvertTask,
    session: &Session,
    after: &Document,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let Some(found) = ConversionJob::new(session).difference(after, on_all_cores(&|_| true)) else { return Ok(()) };
    let name = |id| session.document().chains.get(&id).map_or("", |chain| chain.name.as_str());
    let message = message!(
        "{chains} of other solvers converted to VRM: in a motion of {seconds} s, tips are up to {distance} mm and bones up to \
         {angle} degrees from their former motion (largest: {chain})",
        chains = message!("{n:chain|chains}", n = found.chains.len()),
        seconds = format!("{:.1}", found.seconds),
        distance = format!("{:.1}", 1000.0 * found.all.max_metres),
        angle = format!("{:.1}", found.all.max_degrees),
        chain = found.chains.first().map_or("", |worst| name(worst.chain))
    );
    report.add_losses(&[Diagnostic::warning(Location::file(output_name(&task.out)), message)]);
    let chain = |one: &ChainDifference| json!({ "chain": name(one.chain), "after": difference_json(one.difference) });
    report.set_field(
        "difference",
        json!({
            "after": difference_json(found.all),
            "seconds": found.seconds,
            "chains": found.chains.iter().map(chain).collect::<Vec<_>>(),
        }),
    )
}

fn difference_json(off: MotionDifference) -> Value {
    json!({
        "metres": off.metres, "degrees": off.degrees, "max_metres": off.max_metres, "max_degrees": off.max_degrees,
    })
}

/// Returns the differences of a motion fit: root mean squares and maxima, over all chains and per chain.
fn fit_json(found: &MotionFitResult, seconds: f32) -> Value {
    let chain = |chain: &ChainFit| {
        json!({
            "chain": found.after.chains.get(&chain.chain).map_or("", |chain| chain.name.as_str()),
            "before": difference_json(chain.formula_difference),
            "after": difference_json(chain.fitted_difference),
        })
    };
    json!({
        "before": difference_json(found.formula_difference),
        "after": difference_json(found.fitted_difference),
        "seconds": seconds,
        "chains": found.chains.iter().map(chain).collect::<Vec<_>>(),
    })
}

/// Fails if writing to VRM 0.x would average values. VRM 0.x stores one set of values per tree, so `--average` must
/// allow mean values.
fn refuse_averages(task: &ConvertTask, losses: &[ConversionLoss]) -> anyhow::Result<()> {
    let means: Vec<ConversionLoss> =
        losses.iter().filter(|loss| matches!(loss, ConversionLoss::ParamsAveraged { .. })).cloned().collect();
    let Some(loss) = loss_diagnostics(&means, "").pop().filter(|_| !task.average) else { return Ok(()) };
    Err(file_failure(
        output_name(&task.out),
        message!(
            "VRM 0.x stores one set of values per tree, and here joints of one tree differ; nothing was written. With \
             --average, {loss}",
            loss = loss.message
        ),
    ))
}

fn table_bytes(
    task: &ConvertTask,
    session: &Session,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let format = output_format(task)?;
    // A full setup stores several solvers, so each chain keeps its solver.
    let default_solver = (format.layout != SetupLayout::FullSetup).then(SolverKind::default);
    let document =
        converted_document(task, session, task.solver.or(format.solver).or(default_solver), presets, report)?;
    let axis = task.mirror.map_or_else(|| FlipAxis::default_for(session.character().facing), FlipAxisArg::to_axis);
    let options = task.table.apply_to(ExportOptions::new(format).with_flip_axis(axis));
    let exported = export(&document, session.character(), options);
    report_losses(&exported, options, &output_name(&task.out), report);
    Ok(tables::write_setup(&exported.file, options))
}

fn character_bytes(
    task: &ConvertTask,
    session: &Session,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let bytes = input::read(&task.character).map_err(command_failure)?;
    vrm::check_extension(&bytes, &output_name(&task.out)).map_err(command_failure)?;
    let name = input_name(&task.character);
    let mut document = converted_document(task, session, Some(SolverKind::Vrm), presets, report)?;
    if vrm::read_springs_and_bones(&bytes, &name).map_err(command_failure)?.version == vrm::VrmVersion::V0 {
        let (means, losses) = average_joint_values(&document, &session.character().skeleton);
        refuse_averages(task, &losses)?;
        report.add_losses(&loss_diagnostics(&losses, &output_name(&task.out)));
        document = means;
    }
    let (saved, losses) = vrm::save_springs(&bytes, &name, &document, session.character()).map_err(command_failure)?;
    report.add_losses(&losses);
    report.fail_if_strict_or_lossy()?;
    if is_stdio(&task.character) {
        return Ok(saved);
    }
    let folder = task.out.parent().unwrap_or(Path::new(""));
    let beside: Vec<PathBuf> = external_files(&bytes).iter().map(|name| folder.join(name)).collect();
    if !beside.is_empty() {
        // Characters of one folder can share files.
        report.wait_for_earlier_files();
    }
    let missing: Vec<PathBuf> = beside.into_iter().filter(|path| !path.exists()).collect();
    report.add_diagnostics(
        &copy_external_files(&external_files(&bytes), &task.character, &task.out).map_err(command_failure)?,
    );
    missing.into_iter().filter(|path| path.exists()).for_each(|path| report.add_written_file(path));
    Ok(saved)
}
