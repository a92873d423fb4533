//! `yuremono convert`: what sways, under another solver and in another file.

use super::load::{self, MirrorAxis};
use super::output::{LossOptions, ProgressReporter, RunReport, WriteOptions, command_failure, has_extension};
use super::preset_args::{self, PresetArgs, RequestedPreset};
use super::remap::{parse_table_format, report_losses, resolve_format};
use super::stdio::{self, input_name, is_stdio, output_name, output_path};
use crate::document::{Chain, Document, FlipAxis};
use crate::exchange::remap::NameMap;
use crate::exchange::{ExportOptions, export};
use crate::feel::convert::averaging::average_joint_values;
use crate::feel::convert::motion_fit::MotionDifference;
use crate::feel::{
    convert::ConversionLoss, convert::loss_diagnostics, convert::muted_chain_losses, convert::muted_chains,
};
use crate::format::gltf::external_files;
use crate::format::project::{self, ProjectMetadata};
use crate::format::source::copy_external_files;
use crate::format::tables::{self, FileKind, TableFormat};
use crate::format::vrm;
use crate::session::{Command, MotionFitJob, Session};
use crate::sim::SolverKind;
use anyhow::bail;
use clap::ValueHint;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// So many chains are named after a search, the worst first.
const MAX_LISTED_CHAINS: usize = 8;

/// Arguments of `convert`.
#[derive(Debug, Default, clap::Args)]
pub struct ConvertArgs {
    /// The character (.vrm, .glb, .gltf), or - for standard input.
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    /// Values for the joints: a table (.csv, .json), a project (.yure), or another character (.vrm, .glb, .gltf) whose springs
    /// go to the bones of the same names, those of VRM 0.x in VRM 1.0's terms; - reads standard input. Without it: what the
    /// character's file says.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    setup: Option<PathBuf>,
    /// Which axis changes sign between a table's space and the character's. Without it: what the setup's file
    /// says, else z for VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    pub(super) mirror: Option<MirrorAxis>,
    /// How a project's or a table's chains are to move, by the name that `params` lists. Without it: tables are UnityChan
    /// SpringBone's, or of the engine that --format is for, projects as they are. Characters are VRM's.
    #[arg(long, value_name = "SOLVER", value_parser = parse_solver)]
    pub(super) solver: Option<SolverKind>,
    /// Searches numbers with which the chains follow a motion as they did, from the formula's on, and says how far tips
    /// and bones are off before and after, all together and of the worst chains: turn, nod, walk, run-and-stop, leg-lift,
    /// squat, jump, teleport, the name of an animation of the file or of a recorded gesture of the project. Without a name: a
    /// turn and a leg lift.
    #[arg(long = "match", value_name = "MOTION", num_args = 0..=1, default_missing_value = "still")]
    motion_to_fit: Option<String>,
    #[command(flatten)]
    preset_args: PresetArgs,
    /// Where the result goes: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf),
    /// of which nothing else changes. - writes a table to standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: PathBuf,
    /// What kind of table is written: csv, parameters (Yuremono's JSON of every solver), dynamic-bone (the CSV of
    /// `DynamicBoneDynamicsCsv`), kawaii-physics (JSON by the plugin's property names) or ez-soft-bone (JSON by its field
    /// names). Without it: parameters for .json, else csv; with --out -, the format of the table that --setup reads.
    #[arg(long, value_name = "FORMAT", value_parser = parse_table_format)]
    pub(super) format: Option<TableFormat>,
    /// Writes mean values into a VRM 0.x file, which stores one set of values for each tree of bones, and reports the
    /// largest difference of each tree. Without it, nothing is written where joints of one tree differ.
    #[arg(long)]
    pub(super) average: bool,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

impl ConvertArgs {
    /// What the character itself says, written to `out`.
    pub(super) fn from_paths(character: &Path, out: &Path) -> Self {
        Self { character: character.to_owned(), out: out.to_owned(), ..Self::default() }
    }
}

/// A solver by its name.
pub(super) fn parse_solver(name: &str) -> Result<SolverKind, String> {
    let names: Vec<_> = SolverKind::ALL.iter().map(|kind| kind.key()).collect();
    let found = SolverKind::ALL.iter().copied().find(|kind| kind.key().eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

pub(super) fn run(args: &ConvertArgs, own: Option<&Path>) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| convert(args, own, report))
}

fn convert(args: &ConvertArgs, own: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    let setup = args.setup.as_deref().map(|path| ("setup", path));
    let inputs: Vec<_> = [("character", args.character.as_path())].into_iter().chain(setup).collect();
    report.set_output(&args.out)?;
    stdio::check_single_stdin(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    check_output_name(args)?;
    let wanted = args.preset_args.resolve(own, report)?;
    let opened = load::read_character(&args.character, report)?;
    let (mut session, around) =
        load::session_with_setup(opened, args.setup.as_deref(), args.mirror, &NameMap::new(), report)?;
    if let Some(name) = &args.motion_to_fit {
        let motion = load::find_motion(name, &session)?;
        session.handle(Command::SetMotion(motion));
    }
    write_output(args, &session, &wanted, &around, report)?;
    let joints = session.document().joint_count();
    report.set_field("joints", joints)?;
    report.print_text(&format!("{joints} joints, written to {}\n", output_path(&args.out)))?;
    Ok(true)
}

/// The format of the setup file that is written.
fn output_format(args: &ConvertArgs) -> anyhow::Result<TableFormat> {
    if !is_stdio(&args.out) {
        return resolve_format(&args.out, args.format, TableFormat::Csv);
    }
    let read = match (args.format, &args.setup) {
        (None, Some(setup)) => load::setup_format(setup)?,
        (asked, _) => asked,
    };
    let Some(format) = read else {
        bail!("--out -: standard output has no ending that says the format; add --format");
    };
    Ok(format)
}

/// Refuses a name of the result that contradicts what is asked for.
pub(super) fn check_output_name(args: &ConvertArgs) -> anyhow::Result<()> {
    let kind = load::ContentKind::from_extension(&args.out);
    let is_unknown = matches!(FileKind::from_path(&args.out), None | Some(FileKind::Motion));
    if is_stdio(&args.out) {
        output_format(args)?;
    } else if is_unknown || has_extension(&args.out, &["txt"]) {
        bail!("{}: expected .csv, .json, .yure, .vrm, .glb or .gltf", args.out.display());
    }
    if let Some(format) = args.format {
        if kind != load::ContentKind::Table {
            bail!("{}: --format is for tables (.csv, .json)", args.out.display());
        }
        resolve_format(&args.out, Some(format), format)?;
        if let (Some(asked), Some(only)) = (args.solver, format.solver())
            && asked != only
        {
            bail!("{} holds setups of {}, not of {}", format.key(), only.key(), asked.key());
        }
    }
    if let Some(other) = args.solver.filter(|solver| kind == load::ContentKind::Character && *solver != SolverKind::Vrm)
    {
        bail!("{}: a character's file holds the springs of VRM, not of {}", args.out.display(), other.key());
    }
    Ok(())
}

/// Writes what the session has on its character to `args.out`. A project gets what `around` says beside the document.
pub(super) fn write_output(
    args: &ConvertArgs,
    session: &Session,
    wanted: &[RequestedPreset],
    around: &ProjectMetadata,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let bytes = match load::ContentKind::from_extension(&args.out) {
        load::ContentKind::Character => character_bytes(args, session, wanted, report)?,
        load::ContentKind::Project => {
            let document = converted_document(args, session, args.solver, wanted, report)?;
            let named = |path: &Path| project::relative_path(&args.out, path);
            let character = Some(args.character.as_path()).filter(|path| !is_stdio(path));
            let around = ProjectMetadata {
                character_path: character.map(named).unwrap_or_default(),
                character_name: input_name(&args.character),
                motions: around.motions.iter().map(|motion| named(Path::new(motion))).collect(),
                ..around.clone()
            };
            project::write(&document, &session.character().skeleton, &around)
        }
        _ => table_bytes(args, session, wanted, report)?,
    };
    report.write(&args.out, &bytes)
}

/// The document under a solver, or as it is, with presets on it: in the terms of the solver that the result has. Where a
/// motion is matched, that which follows it is to move as the presets say, so that they are laid on before.
fn converted_document(
    args: &ConvertArgs,
    session: &Session,
    solver: Option<SolverKind>,
    wanted: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let file = input_name(&args.character);
    let dressed = |document: Document, report: &mut RunReport| -> anyhow::Result<Document> {
        if wanted.is_empty() {
            return Ok(document);
        }
        let mut session = Session::new(session.character().clone(), document);
        preset_args::apply_presets(wanted, &mut session, &file, report)?;
        Ok(session.document().clone())
    };
    match solver {
        None => dressed(session.document().clone(), report),
        Some(solver) if args.motion_to_fit.is_none() => {
            dressed(convert_to_solver(args, session, solver, report)?, report)
        }
        Some(solver) if wanted.is_empty() => convert_to_solver(args, session, solver, report),
        Some(solver) => {
            let mut before = Session::new(session.character().clone(), dressed(session.document().clone(), report)?);
            before.handle(Command::SetMotion(session.playback().settings().motion));
            convert_to_solver(args, &before, solver, report)
        }
    }
}

/// The document under a solver; what that costs is told, and how near matching came.
fn convert_to_solver(
    args: &ConvertArgs,
    session: &Session,
    solver: SolverKind,
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let job = MotionFitJob::new(session, &session.inspection().selected_chains(), solver);
    let file = output_name(&args.out);
    let losses = &job.conversion().losses;
    if load::ContentKind::from_extension(&args.out) == load::ContentKind::Character {
        refuse_averages(args, losses)?;
    }
    report.add_losses(&job.conversion().diagnostics(&file));
    let lose_muted = |after: &Document, report: &mut RunReport| {
        let muted = muted_chain_losses(&muted_chains(session.document(), session.character(), after), after);
        report.add_losses(&loss_diagnostics(&muted, &file));
    };
    let moves = |chain: &Chain| session.document().solver_of(chain) != solver;
    if args.motion_to_fit.is_none() || !session.document().chains.values().any(moves) {
        lose_muted(&job.conversion().after, report);
        return Ok(job.conversion().after.clone());
    }
    let progress = ProgressReporter::new(1000, "matching").with_tenth_lines();
    let found = job.run(&mut |share| {
        progress.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
        ControlFlow::Continue(())
    });
    progress.finish();
    let Some(found) = found else { bail!("the search for matching numbers ended without a result") };
    let told = |off: MotionDifference| format!("{:.2} cm and {:.1} degrees", 100.0 * off.metres, off.degrees);
    let seconds = job.recorded_motion().duration_seconds();
    let (before, after) = (told(found.formula_difference), told(found.fitted_difference));
    report.print_text(&format!("{seconds:.1} s matched: tips and bones were off by {before}, and are by {after}\n"))?;
    for chain in found.chains.iter().take(MAX_LISTED_CHAINS) {
        let name = found.after.chains.get(&chain.chain).map_or("", |chain| chain.name.as_str());
        report.print_text(&format!(
            "  {name}: {} before, {} after\n",
            told(chain.formula_difference),
            told(chain.fitted_difference)
        ))?;
    }
    let as_json = |off: MotionDifference| json!({ "metres": off.metres, "degrees": off.degrees });
    let difference = json!({ "before": as_json(found.formula_difference), "after": as_json(found.fitted_difference), "seconds": seconds });
    report.set_field("difference", difference)?;
    lose_muted(&found.after, report);
    Ok(found.after)
}

/// VRM 0.x has one set of numbers for each tree: means are only written where they were asked for.
fn refuse_averages(args: &ConvertArgs, losses: &[ConversionLoss]) -> anyhow::Result<()> {
    let means: Vec<ConversionLoss> =
        losses.iter().filter(|loss| matches!(loss, ConversionLoss::ParamsAveraged { .. })).cloned().collect();
    let Some(said) = loss_diagnostics(&means, "").pop().filter(|_| !args.average) else { return Ok(()) };
    let file = output_name(&args.out);
    bail!(
        "{file}: VRM 0.x has one set of numbers for each tree, and here joints of one tree differ. Nothing was written; with \
         --average, {}",
        said.message
    )
}

fn table_bytes(
    args: &ConvertArgs,
    session: &Session,
    wanted: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let format = output_format(args)?;
    // JSON of every solver leaves chains under the solvers that they have.
    let usual = (format == TableFormat::Csv).then(SolverKind::default);
    let document = converted_document(args, session, args.solver.or(format.solver()).or(usual), wanted, report)?;
    let axis = args.mirror.map_or_else(|| FlipAxis::default_for(session.character().facing), MirrorAxis::to_axis);
    let options = ExportOptions::with_flip_axis(axis).for_format(format);
    let exported = export(&document, &session.character().skeleton, options);
    report_losses(&exported, options, &output_name(&args.out), report);
    Ok(tables::write_setup(&exported.file, options))
}

fn character_bytes(
    args: &ConvertArgs,
    session: &Session,
    wanted: &[RequestedPreset],
    report: &mut RunReport,
) -> anyhow::Result<Vec<u8>> {
    let bytes = stdio::read(&args.character).map_err(|said| command_failure(vec![said]))?;
    vrm::check_extension(&bytes, &output_name(&args.out)).map_err(|said| command_failure(vec![said]))?;
    let name = input_name(&args.character);
    let mut document = converted_document(args, session, Some(SolverKind::Vrm), wanted, report)?;
    if vrm::read_springs_and_bones(&bytes, &name).map_err(command_failure)?.version == vrm::VrmVersion::V0 {
        let (means, losses) = average_joint_values(&document, &session.character().skeleton);
        refuse_averages(args, &losses)?;
        report.add_losses(&loss_diagnostics(&losses, &output_name(&args.out)));
        document = means;
    }
    let (made, said) = vrm::save_springs(&bytes, &name, &document, session.character()).map_err(command_failure)?;
    report.add_losses(&said);
    report.check_findings()?;
    if is_stdio(&args.character) {
        return Ok(made);
    }
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let beside: Vec<PathBuf> = external_files(&bytes).iter().map(|name| folder.join(name)).collect();
    let missing: Vec<PathBuf> = beside.into_iter().filter(|path| !path.exists()).collect();
    report.add_diagnostics(
        &copy_external_files(&external_files(&bytes), &args.character, &args.out).map_err(command_failure)?,
    );
    missing.into_iter().filter(|path| path.exists()).for_each(|path| report.add_written_file(path));
    Ok(made)
}
