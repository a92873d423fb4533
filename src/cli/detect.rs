//! `yuremono detect`: proposes chains for a character without a setup.

use super::convert::{self, ConvertTask, check_output_name};
use super::load::{self, FlipAxisArg, apply_edit, parse_number};
use super::output::{InputRole, LossOptions, RunReport, WriteOptions, counted, file_failure, output_path};
use super::remap::format_parser;
use crate::diagnostics::{excerpt, message};
use crate::document::EditLabel;
use crate::exchange::SetupFormat;
use crate::format::open::file_name;
use crate::format::project::ProjectMetadata;
use crate::rig::Skeleton;
use crate::session::Session;
use crate::sim::SolverKind;
use crate::tools::{
    detect::AUTO_ACCEPT_CONFIDENCE, detect::ChainProposal, detect::add_proposed_chains, detect::detect_chains,
};
use crate::ui::kit::i18n::{self, Lang};
use clap::ValueHint;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Arguments of `detect`.
#[derive(Debug, clap::Args)]
pub struct DetectArgs {
    /// The character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    /// Lowest confidence of chains that are written, 0 to 1. Others are only listed.
    #[arg(long, value_name = "SHARE", default_value_t = AUTO_ACCEPT_CONFIDENCE, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    min_confidence: f32,
    /// Solver of the chains, by the name in `params`. Default: the solver of --format; UnityChan SpringBone for other .csv
    /// tables; VRM for characters; that of new chains in the window for projects and other .json tables.
    #[arg(long, value_name = "SOLVER", value_parser = convert::parse_solver)]
    solver: Option<SolverKind>,
    /// Axis that is mirrored between the space of a table and that of the character. Default: z for VRM 0.x, else x.
    #[arg(long, value_enum)]
    mirror: Option<FlipAxisArg>,
    /// Output file: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf).
    /// Without this option, the chains are only listed.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Table format. Default: the format for all solvers with the extension of --out.
    #[arg(long, value_name = "FORMAT", value_parser = format_parser(), requires = "out")]
    format: Option<SetupFormat>,
    #[command(flatten)]
    pub(super) write: WriteOptions,
    #[command(flatten)]
    pub(super) loss: LossOptions,
}

pub(super) fn run(args: &DetectArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let target = args.out.as_ref().map(|out| ConvertTask {
        solver: args.solver,
        mirror: args.mirror,
        format: args.format,
        ..ConvertTask::new(&args.character, out)
    });
    if let Some(target) = &target {
        report.check_target(&target.out, &[(InputRole::Character, &args.character)])?;
        check_output_name(target)?;
    }
    let opened = load::read_character(&args.character, report)?;
    let proposals = detect_chains(&opened.character, &opened.document);
    let is_accepted = |proposal: &&ChainProposal| proposal.confidence >= args.min_confidence;
    let accepted: Vec<ChainProposal> = proposals.iter().filter(is_accepted).cloned().collect();
    let skeleton = &opened.character.skeleton;
    let listed: Vec<Value> = proposals.iter().map(|one| proposal_json(one, skeleton, is_accepted(&one))).collect();
    report.set_field("chains", listed)?;
    print_proposals(&proposals, args.min_confidence, report)?;
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
        return Err(file_failure(file_name(&args.character), message));
    }
    let mut session = Session::new(opened.character, opened.document);
    let edit = add_proposed_chains(
        &accepted,
        &session.character().skeleton,
        session.document(),
        session.inspection().system_id(),
    );
    apply_edit(&mut session, edit, EditLabel::new("make_chains", accepted.len()))?;
    convert::write_output(&target, &session, &[], &ProjectMetadata::default(), report)?;
    let joints = session.document().joint_count();
    report.set_field("joints", joints)?;
    let joints = counted(joints, "{n} joint", "{n} joints");
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

fn print_proposals(proposals: &[ChainProposal], min_confidence: f32, report: &RunReport) -> anyhow::Result<()> {
    let lang = report.lang();
    let is_sure = |proposal: &&ChainProposal| proposal.confidence >= min_confidence;
    for proposal in proposals {
        let verdict = if is_sure(&proposal) { message!("sure") } else { message!("unsure") };
        let percent = (100.0 * proposal.confidence).round();
        let (name, part) = (excerpt(&proposal.name), i18n::part_name(lang, proposal.part));
        let joints = report.text(&counted(proposal.bones.len(), "{n} joint", "{n} joints"));
        let (verdict, reasons) = (report.text(&verdict), reasons(lang, proposal).join(", "));
        report.print_text(&format!("  {verdict:6}  {percent:3} %  {part}, {joints}: {name}  ({reasons})\n"))?;
    }
    let sure = proposals.iter().filter(is_sure).count();
    let chains = counted(proposals.len(), "{n} chain", "{n} chains");
    report.print_message(&message!("{chains} found, {sure} sure enough", chains, sure))
}
