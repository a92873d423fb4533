//! `yuremono detect`: proposes chains for a character without a setup.

use super::batch::{Batch, ResultFormat};
use super::convert::{self, ConvertTask, check_output_name, names_a_folder};
use super::file_jobs::JobsOption;
use super::input::{find_characters, input_name};
use super::load::{self, FlipAxisArg, NamedCharacter, apply_edit};
use super::options::{CharactersArgs, ConfidenceOption, single_file};
use super::output::{
    InputRole, LossOptions, RunReport, WriteOptions, failure_diagnostics, file_failure, output_path, path_failure,
};
use crate::ui::kit::i18n::{self, Lang};
use clap::ValueHint;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::project::ProjectMetadata;
use yuremono_model::tools::{
    detect::AUTO_ACCEPT_CONFIDENCE, detect::ChainProposal, detect::add_proposed_chains, detect::detect_chains,
};
use yuremono_session::{Session, created_chains_label};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::Skeleton;

/// Arguments of `detect`.
#[derive(Clone, Debug, clap::Args)]
pub struct DetectArgs {
    #[command(flatten)]
    characters: CharactersArgs,
    #[command(flatten)]
    confidence: ConfidenceOption,
    /// Solver of the chains, by the name in `params`. Default: the solver of --format; UnityChan SpringBone for other .csv
    /// tables; VRM for characters; that of new chains in the window for projects and other .json tables.
    #[arg(long, value_name = "SOLVER", value_parser = convert::parse_solver)]
    solver: Option<SolverKind>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: z for VRM 0.x, else x.
    #[arg(long, value_enum)]
    mirror: Option<FlipAxisArg>,
    /// Output file: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf). Several
    /// characters need a folder. Without this option, the chains are only listed.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Format of the result. Default: the format for all solvers with the extension of --out; in a folder, the .csv table for
    /// all solvers.
    #[arg(long, value_name = "FORMAT", value_parser = ResultFormat::parser(), requires = "out")]
    format: Option<ResultFormat>,
    #[command(flatten)]
    jobs: JobsOption,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

pub(super) fn run(args: &DetectArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let characters = args.characters.paths()?;
    if let Some(character) = single_file(&characters)
        && !args.out.as_deref().is_some_and(names_a_folder)
    {
        report.set_only_file(character);
        if args.format.zip(args.out.as_ref()).is_some_and(|(format, out)| !format.writes(out)) {
            let out = args.out.as_deref().unwrap_or(Path::new(""));
            return Err(path_failure(out, message!("--format contradicts the extension of --out")));
        }
        return detect(args, character, args.out.as_deref(), report);
    }
    let Some(out) = &args.out else { return list_chains(args, &characters, report) };
    let format = args.format.unwrap_or(ResultFormat::Table(DEFAULT_FORMAT));
    let extension = |character: &Path| format.file_extension(character);
    let batch = Batch::find(&characters, out, &extension, &[], report)?;
    batch.run(args.jobs, report, |character, target, one| detect(args, character, Some(target), one))
}

/// Lists the chains of several characters.
fn list_chains(args: &DetectArgs, paths: &[PathBuf], report: &mut RunReport) -> anyhow::Result<bool> {
    let found = find_characters(paths, None, report)?;
    let mut files = Vec::with_capacity(found.len());
    for character in &found {
        let file = character.path.display().to_string();
        report.print_text(&format!("{file}\n"))?;
        let mut one = report.for_next_file();
        let done = detect(args, &character.path, None, &mut one);
        let mut listed = one.take_file_report(file, done.is_ok());
        let failures: Vec<_> = done.err().iter().flat_map(failure_diagnostics).collect();
        report.print_diagnostics(&failures);
        listed.diagnostics.extend(failures);
        files.push(listed);
    }
    let is_good = files.iter().all(|file| file.ok);
    report.set_field("files", &files)?;
    Ok(is_good)
}

/// Detects the chains of one character, and writes them to `out`.
fn detect(args: &DetectArgs, character: &Path, out: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    let NamedCharacter { file, .. } = NamedCharacter::find(character)?;
    let target = out.map(|out| ConvertTask {
        solver: args.solver,
        mirror: args.mirror,
        format: args.format.and_then(ResultFormat::table),
        ..ConvertTask::new(&file, out)
    });
    if let Some(target) = &target {
        report.set_output(&target.out)?;
        report.check_target(&target.out, &[(InputRole::Character, character)])?;
        check_output_name(target)?;
    }
    let opened = load::read_character(character, report)?;
    let proposals = detect_chains(&opened.character, &opened.document);
    let min_confidence = args.confidence.min_confidence.unwrap_or(AUTO_ACCEPT_CONFIDENCE);
    let is_accepted = |proposal: &&ChainProposal| proposal.confidence >= min_confidence;
    let accepted: Vec<ChainProposal> = proposals.iter().filter(is_accepted).cloned().collect();
    let skeleton = &opened.character.skeleton;
    let listed: Vec<Value> = proposals.iter().map(|one| proposal_json(one, skeleton, is_accepted(&one))).collect();
    report.set_field("chains", listed)?;
    print_proposals(&proposals, min_confidence, report)?;
    let Some(target) = target else { return Ok(true) };
    if accepted.is_empty() {
        let joints = opened.document.joint_count();
        let message = if !proposals.is_empty() {
            message!("no chain reaches --min-confidence, so there is no setup to write; try a lower value")
        } else if joints > 0 {
            message!("no new chain was found: {joints} joints are in chains already. Nothing was written", joints)
        } else {
            message!("no chain was found. Nothing was written")
        };
        return Err(file_failure(input_name(character), message));
    }
    let mut session = Session::new(opened.character, opened.document);
    let edit = add_proposed_chains(
        &accepted,
        &session.character().skeleton,
        session.document(),
        session.inspection().system_id(),
    );
    apply_edit(
        &mut session,
        edit,
        created_chains_label(accepted.len(), accepted.first().map_or("", |first| &first.name)),
    )?;
    convert::write_output(&target, &session, &[], &ProjectMetadata::default(), report)?;
    let joints = session.document().joint_count();
    report.set_field("joints", joints)?;
    let joints = message!("{n:joint|joints}", n = joints);
    report.print_message(&message!("{joints}, written to {file}", joints, file = output_path(&target.out)))?;
    Ok(true)
}

fn reasons(lang: Lang, proposal: &ChainProposal) -> Vec<String> {
    proposal.reasons.iter().map(|reason| excerpt(&i18n::detect_reason_text(lang, reason))).collect()
}

fn proposal_json(proposal: &ChainProposal, skeleton: &Skeleton, is_accepted: bool) -> Value {
    let bones: Vec<&str> = proposal.bones.iter().map(|bone| skeleton.name(*bone)).collect();
    json!({
        "name": proposal.name,
        "part": proposal.part.key(),
        "bones": bones,
        "confidence": proposal.confidence,
        "why": reasons(Lang::En, proposal),
        "made": is_accepted,
    })
}

fn print_proposals(proposals: &[ChainProposal], min_confidence: f32, report: &mut RunReport) -> anyhow::Result<()> {
    let lang = report.lang();
    let is_sure = |proposal: &&ChainProposal| proposal.confidence >= min_confidence;
    for proposal in proposals {
        let verdict = if is_sure(&proposal) { message!("sure") } else { message!("unsure") };
        let percent = (100.0 * proposal.confidence).round();
        let (name, part) = (excerpt(&proposal.name), i18n::part_name(lang, proposal.part));
        let joints = report.text(&message!("{n:joint|joints}", n = proposal.bones.len()));
        let (verdict, reasons) = (report.text(&verdict), reasons(lang, proposal).join(", "));
        report.print_text(&format!("  {verdict:6}  {percent:3} %  {part}, {joints}: {name}  ({reasons})\n"))?;
    }
    let sure = proposals.iter().filter(is_sure).count();
    let chains = message!("{n:chain|chains}", n = proposals.len());
    report.print_message(&message!("{chains} found, {sure} sure enough", chains, sure))
}
