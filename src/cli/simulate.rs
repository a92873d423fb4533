//! `yuremono simulate`: what every joint does, step by step.
//!
//! The steps are the session's own ticks after a reset, so the window shows the same bits at the same tick. Nobody looks
//! on: a component that rests far from the viewer never rests, one that rests far from a bone does. Each step is written
//! when it is simulated, so that memory does not grow with the length.

use super::load::{SimulationArgs, parse_number, stability_findings};
use super::output::{ProgressReporter, RunReport, WriteOptions, count_noun, has_extension, path_failure};
use crate::document::JointRef;
use crate::format::open::file_name;
use crate::format::source::AtomicFile;
use crate::rig::BoneId;
use crate::session::{Command, Session, TICK_SECONDS};
use crate::sim::{JointSetup, TipSetup};
use anyhow::bail;
use clap::ValueHint;
use serde::Serialize;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// More rows than these are refused; a minute of two thousand joints has seven million.
const MAX_ROWS: usize = 10_000_000;
const MAX_SECONDS: f32 = 3600.0;
/// Columns of the CSV.
const COLUMNS: [&str; 11] = [
    "step",
    "seconds",
    "joint",
    "bone",
    "rotation x",
    "rotation y",
    "rotation z",
    "rotation w",
    "bone tip world x",
    "bone tip world y",
    "bone tip world z",
];

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
pub struct SimulateArgs {
    /// Character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// How long, seconds; 60 steps each.
    #[arg(long, value_parser = |text: &str| parse_number(text, 0.0, MAX_SECONDS))]
    seconds: f32,
    /// Where to: .csv has a row per step and joint, .json a list per step. Both have the bone's local rotation (x, y, z, w)
    /// and the tip of the bone as the window draws it, in metres of the world.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
    #[command(flatten)]
    write: WriteOptions,
}

/// One step: local rotations (x, y, z, w) of all joints, and where the tips of their bones are drawn (metres in the world).
#[derive(Debug, Serialize)]
struct SimulationStep {
    #[serde(rename = "step")]
    number: u64,
    seconds: f64,
    rotations: Vec<[f32; 4]>,
    bone_tips: Vec<[f32; 3]>,
}

pub(super) fn run(args: &SimulateArgs, own: Option<&Path>) -> anyhow::Result<bool> {
    RunReport::new(args.write, super::output::LossOptions::default()).run(|report| simulate(args, own, report))
}

fn simulate(args: &SimulateArgs, own: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    if !has_extension(&args.out, &["csv", "json"]) {
        bail!("{}: the ending .csv or .json says what is written", args.out.display());
    }
    report.check_target(&args.out, &args.simulation.input_files(&args.character))?;
    let mut session = args.simulation.create_session(&args.character, own, report)?;
    let joints = written_joints(&session);
    let steps = (f64::from(args.seconds) / TICK_SECONDS).round() as u64;
    if (steps as usize).saturating_mul(joints.len()) > MAX_ROWS {
        bail!("{steps} steps of {} are more than {MAX_ROWS} rows", count_noun(joints.len(), "joint"));
    }
    let names: Vec<String> =
        joints.iter().map(|joint| session.character().skeleton.name(joint.bone).to_owned()).collect();
    let file = report.create_file(&args.out)?;
    let unwritten = |err: anyhow::Error| path_failure(&args.out, &format!("cannot be written: {err:#}"));
    let recording = StepWriter::create(file, has_extension(&args.out, &["json"]), &file_name(&args.character), &names);
    let mut recording = recording.map_err(unwritten)?;
    let progress = ProgressReporter::new(steps, "simulating");
    for _ in 0..steps {
        session.handle(Command::StepOnce);
        recording.write_step(&current_step(&session, &joints)).map_err(unwritten)?;
        progress.step();
    }
    progress.finish();
    report.add_diagnostics(&stability_findings(&session));
    report.commit_file(&args.out, recording.finish().map_err(unwritten)?)?;
    report.set_field("steps", steps)?;
    report.set_field("joints", joints.len())?;
    report.print_text(&format!("{}: {steps} steps of {}\n", args.out.display(), count_noun(joints.len(), "joint")))?;
    Ok(true)
}

/// A joint whose motion is written.
struct WrittenJoint {
    bone: BoneId,
    /// The only bone that its tip is at, where there is one.
    tip_bone: Option<BoneId>,
}

/// All joints, system by system.
fn written_joints(session: &Session) -> Vec<WrittenJoint> {
    let resolved = session.resolved();
    let setups = resolved.systems.iter().flat_map(|system| &system.joints);
    let joint = |(joint, setup): (&JointRef, &JointSetup)| {
        let next = match &setup.tip {
            TipSetup::Bones(bones) if bones.len() == 1 => bones.first().copied(),
            TipSetup::Bones(_) | TipSetup::Offset(_) => None,
        };
        WrittenJoint { bone: joint.bone, tip_bone: next }
    };
    resolved.joint_refs.iter().flatten().zip(setups).map(joint).collect()
}

fn current_step(session: &Session, joints: &[WrittenJoint]) -> SimulationStep {
    let play = session.playback();
    let rotation = |joint: &WrittenJoint| play.world().pose().local[joint.bone.index()].rotation.to_array();
    // Not the tail that the solver keeps: three-vrm's is elsewhere, and EZSoftBone stretches bones.
    let tip = |joint: &WrittenJoint| {
        let next = joint.tip_bone.and_then(|bone| session.playback().displayed_pose().frames.get(bone.index()));
        let tip = next.map(|frame| frame.position).or_else(|| session.playback().displayed_tip(joint.bone));
        tip.unwrap_or_default().to_array()
    };
    SimulationStep {
        number: play.ticks(),
        seconds: play.ticks() as f64 * TICK_SECONDS,
        rotations: joints.iter().map(rotation).collect(),
        bone_tips: joints.iter().map(tip).collect(),
    }
}

/// A file of steps that is written step by step.
enum StepWriter<'a> {
    Csv { writer: Box<csv::Writer<AtomicFile>>, names: &'a [String] },
    Json { writer: Box<BufWriter<AtomicFile>>, is_first: bool },
}

impl<'a> StepWriter<'a> {
    fn create(file: AtomicFile, as_json: bool, character: &str, names: &'a [String]) -> anyhow::Result<Self> {
        if !as_json {
            let mut writer = Box::new(csv::Writer::from_writer(file));
            writer.write_record(COLUMNS)?;
            return Ok(Self::Csv { writer, names });
        }
        let mut writer = Box::new(BufWriter::new(file));
        let rate = (1.0 / TICK_SECONDS).round() as u32;
        write!(writer, "{{\"character\":{},\"steps_per_second\":{rate},", serde_json::to_string(character)?)?;
        write!(writer, "\"joints\":{},\"steps\":[", serde_json::to_string(names)?)?;
        Ok(Self::Json { writer, is_first: true })
    }

    fn write_step(&mut self, step: &SimulationStep) -> anyhow::Result<()> {
        match self {
            Self::Csv { writer, names } => {
                let (number, seconds) = (step.number.to_string(), step.seconds.to_string());
                for (joint, (rotation, tip)) in step.rotations.iter().zip(&step.bone_tips).enumerate() {
                    let front = [number.clone(), seconds.clone(), joint.to_string(), names[joint].clone()];
                    writer.write_record(front.into_iter().chain(rotation.iter().chain(tip).map(f32::to_string)))?;
                }
            }
            Self::Json { writer, is_first } => {
                if !std::mem::take(is_first) {
                    writer.write_all(b",")?;
                }
                serde_json::to_writer(writer, step)?;
            }
        }
        Ok(())
    }

    /// The whole file, not in place yet.
    fn finish(self) -> anyhow::Result<AtomicFile> {
        match self {
            Self::Csv { writer, .. } => {
                writer.into_inner().map_err(|failed| anyhow::Error::msg(failed.error().to_string()))
            }
            Self::Json { mut writer, .. } => {
                writer.write_all(b"]}")?;
                writer.into_inner().map_err(|failed| anyhow::Error::msg(failed.error().to_string()))
            }
        }
    }
}
