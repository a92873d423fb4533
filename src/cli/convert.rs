//! `yuremono convert`: converts a setup to another solver or another file format.

use super::input::{self, input_name};
use super::load::{self, ContentKind, FlipAxisArg};
use super::output::{
    InputRole, LossOptions, ProgressReporter, RunReport, WriteOptions, command_failure, failure, file_failure,
    has_extension, is_stdio, output_name, output_path, path_failure,
};
use super::preset_args::{self, PresetArgs, RequestedPreset};
use super::remap::{format_parser, report_losses, resolve_format};
use super::simulation_args::find_motion;
use crate::diagnostics::{Diagnostic, Location, MessageText, message};
use crate::document::{Chain, Document, FlipAxis};
use crate::exchange::remap::NameMap;
use crate::exchange::{ExportOptions, SetupFormat, SetupLayout, export};
use crate::feel::convert::average_joint_values;
use crate::feel::convert::motion_fit::{FitControl, MotionDifference};
use crate::feel::{
    convert::ConversionLoss, convert::loss_diagnostics, convert::muted_chain_losses, convert::muted_chains,
};
use crate::format::gltf::external_files;
use crate::format::project::{self, ProjectMetadata};
use crate::format::source::copy_external_files;
use crate::format::tables::{self, FileKind};
use crate::format::vrm;
use crate::session::{Command, MotionFitJob, Session};
use crate::sim::SolverKind;
use clap::ValueHint;
use rayon::prelude::*;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Number of chains that are listed after a motion fit. The worst chains are listed.
const MAX_LISTED_CHAINS: usize = 8;

/// Arguments of `convert`.
#[derive(Debug, Default, clap::Args)]
pub struct ConvertArgs {
    /// The character (.vrm, .glb, .gltf), or - for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    /// Setup: a table (.csv, .json), a project (.yure), or another character (.vrm, .glb, .gltf) whose springs go to the
    /// bones with the same names, migrated from VRM 0.x to 1.0 if needed; - reads standard input. Default: the setup in the
    /// character file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: the axis in the setup file,
    /// else z for VRM 0.x, else x.
    #[arg(long, value_enum)]
    pub(super) mirror: Option<FlipAxisArg>,
    /// Solver of the result, by the name in `params`. Default: the solver of --format; UnityChan SpringBone for other .csv
    /// tables; VRM for characters; the current solvers for projects and other .json tables.
    #[arg(long, value_name = "SOLVER", value_parser = parse_solver)]
    pub(super) solver: Option<SolverKind>,
    /// Fit the parameters of the new solver to a motion, and report the distance of tips and bones from the old motion before
    /// and after: turn, nod, walk, run-and-stop, leg-lift, squat, jump, teleport, the name of an animation in the character
    /// file or of a gesture in the project. Default motion: a turn and a leg lift.
    #[arg(long = "match", value_name = "MOTION", num_args = 0..=1, default_missing_value = "still")]
    motion_to_fit: Option<String>,
    #[command(flatten)]
    preset_args: PresetArgs,
    /// Output file: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf), of which
    /// nothing else changes. - writes a table to standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: PathBuf,
    /// Table format. Default: the format for all solvers with the extension of --out; with --out -, the format of the --setup
    /// table.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser())]
    pub(super) format: Option<SetupFormat>,
    /// Write mean values into a VRM 0.x file, which stores one set of values per tree of bones, and report the largest
    /// difference of each tree. Without this option, trees with different values are refused.
    #[arg(long)]
    pub(super) average: bool,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

impl ConvertArgs {
    /// Returns arguments that write the character's own setup to `out`.
    pub(super) fn from_paths(character: &Path, out: &Path) -> Self {
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
    let inputs: Vec<_> = [(InputRole::Character, args.character.as_path())].into_iter().chain(setup).collect();
    report.set_output(&args.out)?;
    input::check_single_stdin(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    check_output_name(args)?;
    let presets = args.preset_args.resolve(report)?;
    let opened = load::read_character(&args.character, report)?;
    let (mut session, metadata) =
        load::session_with_setup(opened, args.setup.as_deref(), args.mirror, &NameMap::new(), report)?;
    if let Some(name) = &args.motion_to_fit {
        let motion = find_motion(name, &session)?;
        session.handle(Command::SetMotion(motion));
    }
    let joints = written_joint_count(args, &session, report)?;
    write_output(args, &session, &presets, &metadata, report)?;
    report.set_field("joints", joints)?;
    report.print_message(&message!("{joints} joints, written to {file}", joints, file = output_path(&args.out)))?;
    Ok(true)
}

/// Returns the number of joints in the output. Fails if the setup belongs to another character.
fn written_joint_count(args: &ConvertArgs, session: &Session, report: &mut RunReport) -> anyhow::Result<usize> {
    let (document, bones) = (session.document(), session.character().skeleton.len());
    let all = document.joint_count();
    if all == 0 {
        let message = message!("there are no joints to write: neither the character nor a setup has joints");
        report.add_diagnostics(&[Diagnostic::warning(Location::file(input_name(&args.character)), message)]);
    }
    if ContentKind::from_extension(&args.out) == ContentKind::Project {
        // A project also stores joints whose bones are missing.
        return Ok(all);
    }
    let joints = document.chains.values().flat_map(|chain| &chain.joints);
    let present = joints.filter(|joint| joint.bone.index() < bones).count();
    match &args.setup {
        Some(setup) if present == 0 && all > 0 => Err(file_failure(
            input_name(setup),
            message!("none of the {all} joints has a bone on this character; the setup is for another one", all),
        )),
        _ => Ok(present),
    }
}

fn output_format(args: &ConvertArgs) -> anyhow::Result<SetupFormat> {
    if !is_stdio(&args.out) {
        return resolve_format(&args.out, args.format, SetupFormat::default());
    }
    let format = match (args.format, &args.setup) {
        (None, Some(setup)) => load::setup_format(setup)?,
        (format, _) => format,
    };
    format.ok_or_else(|| failure(message!("--out -: standard output has no extension; add --format")))
}

/// Rejects an output name that contradicts the format or the solver.
pub(super) fn check_output_name(args: &ConvertArgs) -> anyhow::Result<()> {
    let kind = ContentKind::from_extension(&args.out);
    let is_unknown = matches!(FileKind::from_path(&args.out), None | Some(FileKind::Motion));
    if is_stdio(&args.out) {
        output_format(args)?;
    } else if is_unknown || has_extension(&args.out, &["txt"]) {
        return Err(path_failure(
            &args.out,
            message!("expected {extensions}, .yure, .vrm, .glb or .gltf", extensions = tables::written_extensions()),
        ));
    }
    if let Some(format) = args.format {
        if kind != ContentKind::Table {
            return Err(path_failure(
                &args.out,
                message!("--format is for tables ({extensions})", extensions = tables::written_extensions()),
            ));
        }
        resolve_format(&args.out, Some(format), format)?;
        if let (Some(asked), Some(only)) = (args.solver, format.solver)
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
    if let Some(other) = args.solver.filter(|solver| kind == ContentKind::Character && *solver != SolverKind::Vrm) {
        let message = message!("a character file stores springs of VRM, not of {solver}", solver = other.key());
        return Err(path_failure(&args.out, message));
    }
    Ok(())
}

/// Writes the setup of the session to `args.out`. `metadata` is stored if the output is a project.
pub(super) fn write_output(
    args: &ConvertArgs,
    session: &Session,
    presets: &[RequestedPreset],
    metadata: &ProjectMetadata,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let bytes = match ContentKind::from_extension(&args.out) {
        ContentKind::Character => character_bytes(args, session, presets, report)?,
        ContentKind::Project => {
            let document = converted_document(args, session, args.solver, presets, report)?;
            let relative = |path: &Path| project::relative_path(&args.out, path);
            let character = Some(args.character.as_path()).filter(|path| !is_stdio(path));
            let metadata = ProjectMetadata {
                character_path: character.map(relative).unwrap_or_default(),
                character_name: input_name(&args.character),
                motions: metadata.motions.iter().map(|motion| relative(Path::new(motion))).collect(),
                ..metadata.clone()
            };
            project::write(&document, &session.character().skeleton, &metadata)
        }
        _ => table_bytes(args, session, presets, report)?,
    };
    report.write(&args.out, &bytes)
}

/// Returns the document with presets, converted to `solver` if given. Presets are applied after the conversion. If a
/// motion is fitted, presets are applied before it, so that the fitted motion includes them.
fn converted_document(
    args: &ConvertArgs,
    session: &Session,
    solver: Option<SolverKind>,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let file = input_name(&args.character);
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
        Some(solver) if args.motion_to_fit.is_none() => {
            with_presets(convert_to_solver(args, session, solver, report)?, report)
        }
        Some(solver) if presets.is_empty() => convert_to_solver(args, session, solver, report),
        Some(solver) => {
            let mut before =
                Session::new(session.character().clone(), with_presets(session.document().clone(), report)?);
            before.handle(Command::SetMotion(session.playback().settings().motion));
            convert_to_solver(args, &before, solver, report)
        }
    }
}

/// Returns the document converted to a solver. Reports losses and the result of a motion fit.
fn convert_to_solver(
    args: &ConvertArgs,
    session: &Session,
    solver: SolverKind,
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let job = MotionFitJob::new(session, &session.inspection().selected_chains(), solver);
    let file = output_name(&args.out);
    let losses = &job.conversion.losses;
    if ContentKind::from_extension(&args.out) == ContentKind::Character {
        refuse_averages(args, losses)?;
    }
    report.add_losses(&job.conversion.diagnostics(&file));
    let report_muted_losses = |after: &Document, report: &mut RunReport| {
        let muted = muted_chain_losses(&muted_chains(session.document(), session.character(), after), after);
        report.add_losses(&loss_diagnostics(&muted, &file));
    };
    let changes_solver = |chain: &Chain| session.document().solver_of(chain) != solver;
    if args.motion_to_fit.is_none() || !session.document().chains.values().any(changes_solver) {
        report_muted_losses(&job.conversion.after, report);
        return Ok(job.conversion.after.clone());
    }
    let progress = ProgressReporter::new(1000, report.text(&message!("fitting the motion"))).with_tenth_lines();
    let on_progress = |share: f32| {
        progress.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        ControlFlow::Continue(())
    };
    let for_each_index = |count: usize, work: &(dyn Fn(usize) + Sync)| (0..count).into_par_iter().for_each(work);
    let found = job.run(FitControl { progress: &on_progress, for_each_index: &for_each_index });
    progress.finish();
    let found =
        found.ok_or_else(|| failure(message!("the motion fit stopped because of an internal error; try again")))?;
    let difference = |off: MotionDifference| {
        message!(
            "{distance} cm and {angle} degrees",
            distance = format!("{:.2}", 100.0 * off.metres),
            angle = format!("{:.1}", off.degrees)
        )
    };
    let seconds = job.recorded_motion.duration_seconds();
    report.print_message(&message!(
        "{seconds} s fitted: tips and bones were off by {before}, and are now off by {after}",
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
    let as_json = |off: MotionDifference| json!({ "metres": off.metres, "degrees": off.degrees });
    let difference = json!({ "before": as_json(found.formula_difference), "after": as_json(found.fitted_difference), "seconds": seconds });
    report.set_field("difference", difference)?;
    report_muted_losses(&found.after, report);
    Ok(found.after)
}

/// Fails if writing to VRM 0.x would average values. VRM 0.x stores one set of values per tree, so `--average` must
/// allow mean values.
fn refuse_averages(args: &ConvertArgs, losses: &[ConversionLoss]) -> anyhow::Result<()> {
    let means: Vec<ConversionLoss> =
        losses.iter().filter(|loss| matches!(loss, ConversionLoss::ParamsAveraged { .. })).cloned().collect();
    let Some(loss) = loss_diagnostics(&means, "").pop().filter(|_| !args.average) else { return Ok(()) };
    Err(file_failure(
        output_name(&args.out),
        message!(
            "VRM 0.x stores one set of values per tree, and here joints of one tree differ; nothing was written. With \
             --average, {loss}",
            loss = loss.message
        ),
    ))
}

fn table_bytes(
    args: &ConvertArgs,
    session: &Session,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let format = output_format(args)?;
    // A full setup stores several solvers, so each chain keeps its solver.
    let default_solver = (format.layout != SetupLayout::FullSetup).then(SolverKind::default);
    let document =
        converted_document(args, session, args.solver.or(format.solver).or(default_solver), presets, report)?;
    let axis = args.mirror.map_or_else(|| FlipAxis::default_for(session.character().facing), FlipAxisArg::to_axis);
    let options = ExportOptions::with_flip_axis(axis).for_format(format);
    let exported = export(&document, &session.character().skeleton, options);
    report_losses(&exported, options, &output_name(&args.out), report);
    Ok(tables::write_setup(&exported.file, options))
}

fn character_bytes(
    args: &ConvertArgs,
    session: &Session,
    presets: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let bytes = input::read(&args.character).map_err(command_failure)?;
    vrm::check_extension(&bytes, &output_name(&args.out)).map_err(command_failure)?;
    let name = input_name(&args.character);
    let mut document = converted_document(args, session, Some(SolverKind::Vrm), presets, report)?;
    if vrm::read_springs_and_bones(&bytes, &name).map_err(command_failure)?.version == vrm::VrmVersion::V0 {
        let (means, losses) = average_joint_values(&document, &session.character().skeleton);
        refuse_averages(args, &losses)?;
        report.add_losses(&loss_diagnostics(&losses, &output_name(&args.out)));
        document = means;
    }
    let (saved, losses) = vrm::save_springs(&bytes, &name, &document, session.character()).map_err(command_failure)?;
    report.add_losses(&losses);
    report.fail_if_strict_or_lossy()?;
    if is_stdio(&args.character) {
        return Ok(saved);
    }
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let beside: Vec<PathBuf> = external_files(&bytes).iter().map(|name| folder.join(name)).collect();
    if !beside.is_empty() {
        // Characters of one folder can share files.
        report.wait_for_earlier_files();
    }
    let missing: Vec<PathBuf> = beside.into_iter().filter(|path| !path.exists()).collect();
    report.add_diagnostics(
        &copy_external_files(&external_files(&bytes), &args.character, &args.out).map_err(command_failure)?,
    );
    missing.into_iter().filter(|path| path.exists()).for_each(|path| report.add_written_file(path));
    Ok(saved)
}
