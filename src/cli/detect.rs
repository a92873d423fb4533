//! `yuremono detect`: what seems to sway on a character that nobody has set up, as a setup.

use super::apply_edit::apply_edit;
use super::convert::{self, check_output_name};
use super::load::{self, MirrorAxis, parse_number};
use super::output::{LossOptions, RunReport, WriteOptions, count_noun};
use super::remap::parse_table_format;
use crate::diagnostics::excerpt;
use crate::document::EditLabel;
use crate::format::open::file_name;
use crate::format::project::ProjectMetadata;
use crate::format::tables::TableFormat;
use crate::rig::Skeleton;
use crate::session::Session;
use crate::sim::SolverKind;
use crate::tools::{
    detect::AUTO_ACCEPT_CONFIDENCE, detect::ChainProposal, detect::add_proposed_chains, detect::detect_chains,
};
use crate::ui::kit::i18n::{self, Lang};
use anyhow::bail;
use clap::ValueHint;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `detect`.
#[derive(Debug, clap::Args)]
pub struct DetectArgs {
    /// The character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    /// Chains at least so sure are made, 0 to 1. All others are listed only.
    #[arg(long, value_name = "SHARE", default_value_t = AUTO_ACCEPT_CONFIDENCE, value_parser = |text: &str| parse_number(text, 0.0, 1.0))]
    min_confidence: f32,
    /// The solver that moves the chains, by the name that `params` lists. Without it: tables are `UnityChanSpringBone`'s,
    /// or of the engine that --format is for, projects as the window makes them. Characters are VRM's.
    #[arg(long, value_name = "SOLVER", value_parser = convert::parse_solver)]
    solver: Option<SolverKind>,
    /// Which axis changes sign between a table's space and the character's. Without it: z for VRM 0.x, x otherwise.
    #[arg(long, value_enum)]
    mirror: Option<MirrorAxis>,
    /// Where the setup goes: a table (.csv, .json), a project (.yure), or the character with its springs (.vrm, .glb, .gltf).
    /// Without it, the chains are only listed.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// What kind of table is written: csv, parameters, dynamic-bone, kawaii-physics or ez-soft-bone. Without it: parameters
    /// for .json, else csv.
    #[arg(long, value_name = "FORMAT", value_parser = parse_table_format, requires = "out")]
    format: Option<TableFormat>,
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    loss: LossOptions,
}

pub(super) fn run(args: &DetectArgs) -> anyhow::Result<bool> {
    RunReport::new(args.write, args.loss).run(|report| write_proposed_chains(args, report))
}

fn write_proposed_chains(args: &DetectArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let target = args.out.as_ref().map(|out| {
        let mut target = convert::ConvertArgs::from_paths(&args.character, out);
        (target.solver, target.mirror, target.format) = (args.solver, args.mirror, args.format);
        target
    });
    if let Some(target) = &target {
        report.check_target(&target.out, &[("character", &args.character)])?;
        check_output_name(target)?;
    }
    let opened = load::read_character(&args.character, report)?;
    let proposals = detect_chains(&opened.character, &opened.document);
    let is_made = |proposal: &&ChainProposal| proposal.confidence >= args.min_confidence;
    let made: Vec<ChainProposal> = proposals.iter().filter(is_made).cloned().collect();
    let skeleton = &opened.character.skeleton;
    let listed: Vec<Value> = proposals.iter().map(|one| proposal_json(one, skeleton, is_made(&one))).collect();
    report.set_field("chains", listed)?;
    report.print_text(&proposals_text(&proposals, args.min_confidence))?;
    let Some(target) = target else { return Ok(true) };
    if made.is_empty() {
        let file = file_name(&args.character);
        bail!("{file}: no chain is sure enough, so there is no setup to write; try a lower --min-confidence");
    }
    let mut session = Session::new(opened.character, opened.document);
    let edit =
        add_proposed_chains(&made, &session.character().skeleton, session.document(), session.inspection().system_id());
    apply_edit(&mut session, edit, EditLabel::new("make_chains", made.len()))?;
    convert::write_output(&target, &session, &[], &ProjectMetadata::default(), report)?;
    let joints = session.document().joint_count();
    report.set_field("joints", joints)?;
    report.print_text(&format!("{}, written to {}\n", count_noun(joints, "joint"), target.out.display()))?;
    Ok(true)
}

fn reasons(proposal: &ChainProposal) -> Vec<String> {
    proposal.reasons.iter().map(|reason| excerpt(&i18n::detect_reason_text(Lang::En, reason))).collect()
}

fn proposal_json(proposal: &ChainProposal, skeleton: &Skeleton, is_made: bool) -> Value {
    let bones: Vec<&str> = proposal.bones.iter().map(|bone| skeleton.name(*bone)).collect();
    json!({
        "name": proposal.name,
        "part": proposal.part.key(),
        "bones": bones,
        "confidence": proposal.confidence,
        "why": reasons(proposal),
        "made": is_made,
    })
}

fn proposals_text(proposals: &[ChainProposal], min_confidence: f32) -> String {
    let mut text = String::new();
    for proposal in proposals {
        let verdict = if proposal.confidence >= min_confidence { "sure" } else { "unsure" };
        let percent = (100.0 * proposal.confidence).round();
        let (name, part) = (excerpt(&proposal.name), i18n::part_name(Lang::En, proposal.part));
        let (joints, why) = (count_noun(proposal.bones.len(), "joint"), reasons(proposal).join(", "));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {verdict:6}  {percent:3} %  {part}, {joints}: {name}  ({why})");
    }
    let made = proposals.iter().filter(|proposal| proposal.confidence >= min_confidence).count();
    let _ = writeln!(text, "{} found, {made} sure enough", count_noun(proposals.len(), "chain"));
    text
}
