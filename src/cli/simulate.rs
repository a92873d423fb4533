//! `yuremono simulate`: what every joint does, step by step.
//!
//! The steps are the session's own ticks after a reset, so the window shows the same bits at the same tick. Nobody looks
//! on: a component that rests far from the viewer never rests, one that rests far from a bone does.

use super::check::count;
use super::load::{Staging, number, tell_bounds};
use super::output;
use crate::format::open::file_name;
use crate::rig::BoneId;
use crate::session::{Command, Session, TICK};
use anyhow::bail;
use clap::ValueHint;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// More rows than these are refused; a minute of two thousand joints has seven million.
const MOST_ROWS: usize = 10_000_000;
const LONGEST: f32 = 3600.0;

/// Arguments of `simulate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    #[command(flatten)]
    staging: Staging,
    /// How long, seconds; 60 steps each.
    #[arg(long, value_parser = |text: &str| number(text, 0.0, LONGEST))]
    seconds: f32,
    /// Where to: .csv has a row per step and joint, .json a list per step.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: PathBuf,
}

#[derive(Debug, Serialize)]
struct Recording<'a> {
    character: String,
    steps_per_second: u32,
    /// Bone of each joint, in the order of every step's lists.
    joints: Vec<&'a str>,
    steps: Vec<Step>,
}

/// One step: local rotations (x, y, z, w) and tips (metres in the world) of all joints.
#[derive(Debug, Serialize)]
struct Step {
    #[serde(rename = "step")]
    number: u64,
    seconds: f64,
    rotations: Vec<[f32; 4]>,
    tips: Vec<[f32; 3]>,
}

pub(super) fn run(args: &Args, own: Option<&Path>) -> anyhow::Result<bool> {
    let as_json = match args.out.extension().and_then(|e| e.to_str()) {
        Some("csv") => false,
        Some("json") => true,
        _ => bail!("{}: the ending .csv or .json says what is written", args.out.display()),
    };
    let mut session = args.staging.session(&args.character, own)?;
    let joints = joints(&session);
    let steps = (f64::from(args.seconds) / TICK).round() as u64;
    if (steps as usize).saturating_mul(joints.len()) > MOST_ROWS {
        bail!("{steps} steps of {} are more than {MOST_ROWS} rows", count(joints.len(), "joint"));
    }
    let bar = output::bar(steps, "simulating");
    let mut recorded = Vec::with_capacity(steps as usize);
    for _ in 0..steps {
        session.handle(Command::StepOnce);
        recorded.push(step(&session, &joints));
        bar.inc(1);
    }
    bar.finish_and_clear();
    tell_bounds(&session);
    let skeleton = &session.character().skeleton;
    let names: Vec<&str> = joints.iter().map(|bone| skeleton.name(*bone)).collect();
    let bytes = if as_json {
        let character = file_name(&args.character);
        let steps_per_second = (1.0 / TICK).round() as u32;
        serde_json::to_vec(&Recording { character, steps_per_second, joints: names, steps: recorded })?
    } else {
        as_csv(&names, &recorded)?
    };
    output::write_file(&args.out, &bytes)?;
    output::print(&format!("{}: {steps} steps of {}\n", args.out.display(), count(joints.len(), "joint")))?;
    Ok(true)
}

/// Bones of all joints, system by system.
fn joints(session: &Session) -> Vec<BoneId> {
    session.resolved().joints.iter().flatten().map(|joint| joint.bone).collect()
}

fn step(session: &Session, joints: &[BoneId]) -> Step {
    let play = session.play();
    let rotation = |bone: &BoneId| play.world().pose().local[bone.index()].rotation.to_array();
    let tip = |bone: &BoneId| {
        let index = session.joint_index(*bone);
        index.and_then(|joint| play.world().tip(joint)).unwrap_or_default().to_array()
    };
    Step {
        number: play.ticks(),
        seconds: play.ticks() as f64 * TICK,
        rotations: joints.iter().map(rotation).collect(),
        tips: joints.iter().map(tip).collect(),
    }
}

fn as_csv(names: &[&str], steps: &[Step]) -> anyhow::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = ["step", "seconds", "joint", "bone", "rotation x", "rotation y", "rotation z", "rotation w"];
    writer.write_record(head.into_iter().chain(["tip x", "tip y", "tip z"]))?;
    for step in steps {
        let (number, seconds) = (step.number.to_string(), step.seconds.to_string());
        for (joint, (rotation, tip)) in step.rotations.iter().zip(&step.tips).enumerate() {
            let front = [number.clone(), seconds.clone(), joint.to_string(), names[joint].to_owned()];
            writer.write_record(front.into_iter().chain(rotation.iter().chain(tip).map(f32::to_string)))?;
        }
    }
    writer.into_inner().map_err(|err| anyhow::Error::msg(err.to_string()))
}
