//! `yuremono convert`: what sways, under another solver and in another file.

use super::dress::{self, Dress, Wanted};
use super::load::{self, Mirror};
use super::output::{LossOptions, Progress, RunReport, WriteOptions, has_ending, refusal};
use super::remap::{format_for, report_losses, table_format};
use super::stdio::{self, input_name, is_stdio, output_name, output_path};
use crate::document::{Axis, Chain, Document};
use crate::exchange::remap::Leads;
use crate::exchange::{ExportOptions, export};
use crate::feel::convert::averaged::averaged;
use crate::feel::convert::refine::Difference;
use crate::feel::{convert::Loss, convert::loss_diagnostics, convert::muted_chains, convert::muted_losses};
use crate::format::gltf::neighbours;
use crate::format::project::{self, Surroundings};
use crate::format::source::copy_beside;
use crate::format::tables::{self, FileKind, TableFormat};
use crate::format::vrm;
use crate::session::{Command, MatchJob, Session};
use crate::sim::SolverKind;
use anyhow::bail;
use clap::ValueHint;
use serde_json::json;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// So many chains are named after a search, the worst first.
const WORST: usize = 8;

/// Arguments of `convert`.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
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
    pub(super) mirror: Option<Mirror>,
    /// How a project's or a table's chains are to move, by the name that `params` lists. Without it: tables are UnityChan
    /// SpringBone's, or of the engine that --format is for, projects as they are. Characters are VRM's.
    #[arg(long, value_name = "SOLVER", value_parser = solver)]
    pub(super) solver: Option<SolverKind>,
    /// Searches numbers with which the chains follow a motion as they did, from the formula's on, and says how far tips
    /// and bones are off before and after, all together and of the worst chains: turn, nod, walk, run-and-stop, leg-lift,
    /// squat, jump, teleport, the name of an animation of the file or of a recorded gesture of the project. Without a name: a
    /// turn and a leg lift.
    #[arg(long = "match", value_name = "MOTION", num_args = 0..=1, default_missing_value = "still")]
    motion: Option<String>,
    #[command(flatten)]
    dress: Dress,
    /// Where the result goes: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf),
    /// of which nothing else changes. - writes a table to standard output.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(super) out: PathBuf,
    /// What kind of table is written: csv, parameters (Yuremono's JSON of every solver), dynamic-bone (the CSV of
    /// `DynamicBoneDynamicsCsv`), kawaii-physics (JSON by the plugin's property names) or ez-soft-bone (JSON by its field
    /// names). Without it: parameters for .json, else csv; with --out -, the format of the table that --setup reads.
    #[arg(long, value_name = "FORMAT", value_parser = table_format)]
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

impl Args {
    /// What the character itself says, written to `out`.
    pub(super) fn of(character: &Path, out: &Path) -> Self {
        Self { character: character.to_owned(), out: out.to_owned(), ..Self::default() }
    }
}

/// A solver by its name.
pub(super) fn solver(name: &str) -> Result<SolverKind, String> {
    let names: Vec<_> = SolverKind::ALL.iter().map(|kind| kind.key()).collect();
    let found = SolverKind::ALL.iter().copied().find(|kind| kind.key().eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

pub(super) fn run(args: &Args, own: Option<&Path>) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| convert(args, own, report))
}

fn convert(args: &Args, own: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    let setup = args.setup.as_deref().map(|path| ("setup", path));
    let inputs: Vec<_> = [("character", args.character.as_path())].into_iter().chain(setup).collect();
    report.set_output(&args.out)?;
    stdio::check_inputs(inputs.iter().map(|(_, path)| *path))?;
    report.check_target(&args.out, &inputs)?;
    check_out(args)?;
    let wanted = args.dress.find(own, report)?;
    let opened = load::character(&args.character, report)?;
    let (mut session, around) = load::set_up(opened, args.setup.as_deref(), args.mirror, &Leads::new(), report)?;
    if let Some(name) = &args.motion {
        let motion = load::find_motion(name, &session)?;
        session.handle(Command::SetMotion(motion));
    }
    write(args, &session, &wanted, &around, report)?;
    let joints = session.document().joint_count();
    report.set("joints", joints)?;
    report.text(&format!("{joints} joints, written to {}\n", output_path(&args.out)))?;
    Ok(true)
}

/// The format of the setup file that is written.
fn format_of_output(args: &Args) -> anyhow::Result<TableFormat> {
    if !is_stdio(&args.out) {
        return format_for(&args.out, args.format, TableFormat::Csv);
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
pub(super) fn check_out(args: &Args) -> anyhow::Result<()> {
    let kind = load::Kind::to_write(&args.out);
    let is_unknown = matches!(FileKind::of(&args.out), None | Some(FileKind::Motion));
    if is_stdio(&args.out) {
        format_of_output(args)?;
    } else if is_unknown || has_ending(&args.out, &["txt"]) {
        bail!("{}: expected .csv, .json, .yure, .vrm, .glb or .gltf", args.out.display());
    }
    if let Some(format) = args.format {
        if kind != load::Kind::Table {
            bail!("{}: --format is for tables (.csv, .json)", args.out.display());
        }
        format_for(&args.out, Some(format), format)?;
        if let (Some(asked), Some(only)) = (args.solver, format.solver())
            && asked != only
        {
            bail!("{} holds setups of {}, not of {}", format.key(), only.key(), asked.key());
        }
    }
    if let Some(other) = args.solver.filter(|solver| kind == load::Kind::Character && *solver != SolverKind::Vrm) {
        bail!("{}: a character's file holds the springs of VRM, not of {}", args.out.display(), other.key());
    }
    Ok(())
}

/// Writes what the session has on its character to `args.out`. A project gets what `around` says beside the document.
pub(super) fn write(
    args: &Args,
    session: &Session,
    wanted: &[Wanted],
    around: &Surroundings,
    report: &mut RunReport,
) -> anyhow::Result<()> {
    let bytes = match load::Kind::to_write(&args.out) {
        load::Kind::Character => character(args, session, wanted, report)?,
        load::Kind::Project => {
            let document = under(args, session, args.solver, wanted, report)?;
            let named = |path: &Path| project::relative_path(&args.out, path);
            let character = Some(args.character.as_path()).filter(|path| !is_stdio(path));
            let around = Surroundings {
                character_path: character.map(named).unwrap_or_default(),
                character_name: input_name(&args.character),
                motions: around.motions.iter().map(|motion| named(Path::new(motion))).collect(),
                ..around.clone()
            };
            project::write(&document, &session.character().skeleton, &around)
        }
        _ => table(args, session, wanted, report)?,
    };
    report.write(&args.out, &bytes)
}

/// The document under a solver, or as it is, with presets on it: in the terms of the solver that the result has. Where a
/// motion is matched, that which follows it is to move as the presets say, so that they are laid on before.
fn under(
    args: &Args,
    session: &Session,
    solver: Option<SolverKind>,
    wanted: &[Wanted],
    report: &mut RunReport,
) -> anyhow::Result<Document> {
    let file = input_name(&args.character);
    let dressed = |document: Document, report: &mut RunReport| -> anyhow::Result<Document> {
        if wanted.is_empty() {
            return Ok(document);
        }
        let mut session = Session::new(session.character().clone(), document);
        dress::put_on(wanted, &mut session, &file, report)?;
        Ok(session.document().clone())
    };
    match solver {
        None => dressed(session.document().clone(), report),
        Some(solver) if args.motion.is_none() => dressed(moved_by(args, session, solver, report)?, report),
        Some(solver) if wanted.is_empty() => moved_by(args, session, solver, report),
        Some(solver) => {
            let mut before = Session::new(session.character().clone(), dressed(session.document().clone(), report)?);
            before.handle(Command::SetMotion(session.playback().settings().motion));
            moved_by(args, &before, solver, report)
        }
    }
}

/// The document under a solver; what that costs is told, and how near matching came.
fn moved_by(args: &Args, session: &Session, solver: SolverKind, report: &mut RunReport) -> anyhow::Result<Document> {
    let job = MatchJob::new(session, &session.inspection().selected_chains(), solver);
    let file = output_name(&args.out);
    let losses = &job.conversion().losses;
    if load::Kind::to_write(&args.out) == load::Kind::Character {
        refuse_means(args, losses)?;
    }
    report.lose(&job.conversion().diagnostics(&file));
    let lose_muted = |after: &Document, report: &mut RunReport| {
        let muted = muted_losses(&muted_chains(session.document(), session.character(), after), after);
        report.lose(&loss_diagnostics(&muted, &file));
    };
    let moves = |chain: &Chain| session.document().solver_of(chain) != solver;
    if args.motion.is_none() || !session.document().chains.values().any(moves) {
        lose_muted(&job.conversion().after, report);
        return Ok(job.conversion().after.clone());
    }
    let progress = Progress::new(1000, "matching").in_tenths();
    let found = job.run(&mut |share| {
        progress.set((share.clamp(0.0, 1.0) * 1000.0) as u64);
        ControlFlow::Continue(())
    });
    progress.finish();
    let Some(found) = found else { bail!("the search for matching numbers ended without a result") };
    let told = |off: Difference| format!("{:.2} cm and {:.1} degrees", 100.0 * off.metres, off.degrees);
    let seconds = job.take().seconds();
    let (before, after) = (told(found.formula), told(found.matched));
    report.text(&format!("{seconds:.1} s matched: tips and bones were off by {before}, and are by {after}\n"))?;
    for chain in found.chains.iter().take(WORST) {
        let name = found.after.chains.get(&chain.chain).map_or("", |chain| chain.name.as_str());
        report.text(&format!("  {name}: {} before, {} after\n", told(chain.formula), told(chain.matched)))?;
    }
    let as_json = |off: Difference| json!({ "metres": off.metres, "degrees": off.degrees });
    let difference = json!({ "before": as_json(found.formula), "after": as_json(found.matched), "seconds": seconds });
    report.set("difference", difference)?;
    lose_muted(&found.after, report);
    Ok(found.after)
}

/// VRM 0.x has one set of numbers for each tree: means are only written where they were asked for.
fn refuse_means(args: &Args, losses: &[Loss]) -> anyhow::Result<()> {
    let means: Vec<Loss> = losses.iter().filter(|loss| matches!(loss, Loss::Averaged { .. })).cloned().collect();
    let Some(said) = loss_diagnostics(&means, "").pop().filter(|_| !args.average) else { return Ok(()) };
    let file = output_name(&args.out);
    bail!(
        "{file}: VRM 0.x has one set of numbers for each tree, and here joints of one tree differ. Nothing was written; with \
         --average, {}",
        said.message
    )
}

fn table(args: &Args, session: &Session, wanted: &[Wanted], report: &mut RunReport) -> anyhow::Result<Vec<u8>> {
    let format = format_of_output(args)?;
    // JSON of every solver leaves chains under the solvers that they have.
    let usual = (format == TableFormat::Csv).then(SolverKind::default);
    let document = under(args, session, args.solver.or(format.solver()).or(usual), wanted, report)?;
    let axis = args.mirror.map_or_else(|| Axis::usual(session.character().facing), Mirror::chosen);
    let options = ExportOptions::with_mirror(axis).in_format(format);
    let exported = export(&document, &session.character().skeleton, options);
    report_losses(&exported, options, &output_name(&args.out), report);
    Ok(tables::write_setup(&exported.file, options))
}

fn character(args: &Args, session: &Session, wanted: &[Wanted], report: &mut RunReport) -> anyhow::Result<Vec<u8>> {
    let bytes = stdio::read(&args.character).map_err(|said| refusal(vec![said]))?;
    vrm::check_ending(&bytes, &output_name(&args.out)).map_err(|said| refusal(vec![said]))?;
    let name = input_name(&args.character);
    let mut document = under(args, session, Some(SolverKind::Vrm), wanted, report)?;
    if vrm::in_file(&bytes, &name).map_err(refusal)?.version == vrm::Version::V0 {
        let (means, losses) = averaged(&document, &session.character().skeleton);
        refuse_means(args, &losses)?;
        report.lose(&loss_diagnostics(&losses, &output_name(&args.out)));
        document = means;
    }
    let (made, said) = vrm::save(&bytes, &name, &document, session.character()).map_err(refusal)?;
    report.lose(&said);
    report.check_findings()?;
    if is_stdio(&args.character) {
        return Ok(made);
    }
    let folder = args.out.parent().unwrap_or(Path::new(""));
    let beside: Vec<PathBuf> = neighbours(&bytes).iter().map(|name| folder.join(name)).collect();
    let missing: Vec<PathBuf> = beside.into_iter().filter(|path| !path.exists()).collect();
    report.tell(&copy_beside(&neighbours(&bytes), &args.character, &args.out).map_err(refusal)?);
    missing.into_iter().filter(|path| path.exists()).for_each(|path| report.has_written(path));
    Ok(made)
}
