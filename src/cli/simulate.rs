//! `yuremono simulate`: writes the pose of every joint in every step.
//!
//! The steps are the ticks of a session after a reset, so the window computes the same bits at the same tick. The
//! simulation has no viewer, so it ignores the optimisation by viewer distance but uses the optimisation by distance to
//! a bone. Each step is written immediately, so memory use does not grow with the duration.

use super::batch::Batch;
use super::convert::names_a_folder;
use super::file_jobs::JobsOption;
use super::input::input_name;
use super::live_steps::LiveSteps;
use super::load::parse_number;
use super::options::{CharactersArgs, MAX_SECONDS, single_file};
use super::output::{RunReport, WriteOptions, failure, has_extension, output_path, path_failure};
use super::simulation_args::{SimulationArgs, stability_diagnostics};
use clap::{ValueEnum, ValueHint};
use serde::Serialize;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use yuremono_format::source::AtomicFile;
use yuremono_model::document::JointRef;
use yuremono_session::{Command, Session, TICK_SECONDS};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{JointSetup, TipSetup};

/// Maximum number of rows. A minute of 2000 joints has 7 million rows.
const MAX_ROWS: usize = 10_000_000;
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
    #[command(flatten)]
    characters: CharactersArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// Moves the character as a sender of the VMC protocol does, in real time, instead of a motion. Listens on this port of
    /// this computer, and waits 10 s for the first pose. Default: 39539.
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "39539", conflicts_with_all = ["motion", "amplitude", "pace"], value_parser = clap::value_parser!(u16).range(1..))]
    live: Option<u16>,
    /// Duration in seconds, 60 steps each.
    #[arg(long, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, MAX_SECONDS))]
    seconds: f32,
    /// Output file: .csv has one row per step and joint, .json one list per step. Both contain the local rotation of the
    /// bone (x, y, z, w) and the tip of the bone in world space, in metres, as drawn in the window. Several characters need a
    /// folder.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
    /// Format of the results in a folder. Default: csv.
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<StepsFormat>,
    #[command(flatten)]
    jobs: JobsOption,
    #[command(flatten)]
    pub(super) write: WriteOptions,
}

/// A format of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StepsFormat {
    #[default]
    Csv,
    Json,
}

impl StepsFormat {
    const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// One step of all joints: local rotations (x, y, z, w), and drawn bone tips in world space, in metres.
#[derive(Debug, Serialize)]
struct SimulationStep {
    #[serde(rename = "step")]
    number: u64,
    seconds: f64,
    rotations: Vec<[f32; 4]>,
    bone_tips: Vec<[f32; 3]>,
}

pub(super) fn run(args: &SimulateArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    let characters = args.characters.paths()?;
    if let Some(character) = single_file(&characters)
        && !names_a_folder(&args.out)
    {
        if !has_extension(&args.out, &["csv", "json"]) {
            return Err(path_failure(&args.out, message!("expected a name that ends in .csv or .json, or a folder")));
        }
        if args.format.is_some_and(|format| !has_extension(&args.out, &[format.extension()])) {
            return Err(path_failure(&args.out, message!("--format contradicts the extension of --out")));
        }
        report.set_only_file(character);
        report.check_target(&args.out, &args.simulation.input_files(character))?;
        return simulate(args, character, &args.out, report);
    }
    if args.live.is_some() {
        return Err(failure(message!("--live moves one character; choose one, and a file for --out")));
    }
    let extension = |_: &Path| args.format.unwrap_or_default().extension().to_owned();
    let shared = args.simulation.shared_input_files();
    let batch = Batch::find(&characters, &args.out, &extension, &shared, report)?;
    batch.run(args.jobs, report, |character, target, one| simulate(args, character, target, one))
}

/// Writes the steps of one character.
fn simulate(args: &SimulateArgs, character: &Path, out: &Path, report: &mut RunReport) -> anyhow::Result<bool> {
    let mut session = args.simulation.create_session(character, report)?;
    let joints = written_joints(&session);
    let steps = (f64::from(args.seconds) / TICK_SECONDS).round() as u64;
    if (steps as usize).saturating_mul(joints.len()) > MAX_ROWS {
        let joints = message!("{n:joint|joints}", n = joints.len());
        let message = message!("{steps} steps of {joints} are more than {max} rows", steps, joints, max = MAX_ROWS);
        return Err(failure(message));
    }
    let mut live = args.live.map(|port| LiveSteps::start(port, &mut session)).transpose()?;
    let names: Vec<String> =
        joints.iter().map(|joint| session.character().skeleton.name(joint.bone).to_owned()).collect();
    let file = report.create_file(out)?;
    let warm_up = (args.simulation.warm_up().unwrap_or(0.0) / TICK_SECONDS).round() as u64;
    (0..warm_up).for_each(|_| session.handle(Command::StepOnce));
    let unwritten = |err: anyhow::Error| {
        path_failure(out, message!("this file cannot be written: {error}", error = format!("{err:#}")))
    };
    let recording = StepWriter::create(file, has_extension(out, &["json"]), &input_name(character), &names);
    let mut recording = recording.map_err(unwritten)?;
    let progress = report.progress(steps, report.text(&message!("simulating")));
    if let Some(live) = &mut live {
        live.start_steps();
    }
    for step in 0..steps {
        if let Some(live) = &mut live {
            live.wait_for(step, &mut session);
        }
        session.handle(Command::StepOnce);
        recording.write_step(&current_step(&session, &joints)).map_err(unwritten)?;
        progress.step();
    }
    progress.finish();
    if let Some(live) = &live {
        report.add_diagnostics(live.diagnostics(character).as_slice());
    }
    report.add_diagnostics(&stability_diagnostics(&session));
    report.commit_file(out, recording.finish().map_err(unwritten)?)?;
    report.set_field("steps", steps)?;
    report.set_field("joints", joints.len())?;
    report.print_message(&message!(
        "{file}: {steps} steps of {joints}",
        file = output_path(out),
        steps,
        joints = message!("{n:joint|joints}", n = joints.len())
    ))?;
    Ok(true)
}

/// A joint whose motion is written.
struct WrittenJoint {
    bone: BoneId,
    /// The bone at the tip of the joint, if there is exactly one.
    tip_bone: Option<BoneId>,
}

/// Returns all joints in the order of the systems.
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
    // The tip in the solver's state is not used: three-vrm stores another tip, and EZSoftBone stretches bones.
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

    /// Returns the finished file, which is not yet renamed to its path.
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
