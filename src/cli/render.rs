//! `yuremono render`: pictures of a character in motion, drawn by EGL without a window.

use super::check::count;
use super::load::{Staging, number};
use super::output::{self, refusal};
use crate::report::{Diagnostic, Place};
use crate::rig::WorldPose;
use crate::session::{Command, Session, TICK};
use crate::stage::{CameraPreset, OrbitCamera, Pane, Shot};
use crate::view::{Backdrop, DrawInput, Offscreen};
use anyhow::bail;
use clap::{ValueEnum, ValueHint};
use glam::{Vec2, Vec3};
use image::{ImageFormat, RgbaImage};
use std::io::Cursor;
use std::path::{Path, PathBuf};

/// Poses are kept until all are drawn; a minute of 60 frames a second is enough for any loop.
const MOST_FRAMES: u32 = 3600;

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    #[command(flatten)]
    staging: Staging,
    /// How many pictures.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_FRAMES)))]
    frames: u32,
    /// Pictures a second; the simulation always takes 60 steps a second.
    #[arg(long, default_value_t = 60.0, value_parser = |text: &str| number(text, 0.1, 240.0))]
    fps: f32,
    /// Seconds of motion before the first picture.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = |text: &str| number(text, 0.0, 600.0))]
    start: f32,
    /// Pixels across and down.
    #[arg(long, value_name = "WxH", default_value = "800x1000", value_parser = size)]
    size: [u32; 2],
    /// From where.
    #[arg(long, value_enum, default_value = "three-quarter")]
    view: From,
    /// Light surroundings instead of dark ones.
    #[arg(long)]
    light: bool,
    /// A .png for one picture, a folder for several.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
}

/// [`CameraPreset`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum From {
    Front,
    Back,
    Left,
    Right,
    Top,
    ThreeQuarter,
}

impl From {
    const fn preset(self) -> CameraPreset {
        match self {
            Self::Front => CameraPreset::Front,
            Self::Back => CameraPreset::Back,
            Self::Left => CameraPreset::Left,
            Self::Right => CameraPreset::Right,
            Self::Top => CameraPreset::Top,
            Self::ThreeQuarter => CameraPreset::ThreeQuarter,
        }
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match sides {
        Some(sides) if sides.iter().all(|side| (16..=8192).contains(side)) => Ok(sides),
        Some(_) => Err("expected sides of 16 to 8192 pixels".to_owned()),
        None => Err("expected two numbers as in 800x1000".to_owned()),
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<bool> {
    let targets = targets(&args.out, args.frames)?;
    let mut session = args.staging.session(&args.character)?;
    let poses = poses(&mut session, args);
    let [width, height] = args.size;
    let mut offscreen = Offscreen::new(width, height)?;
    offscreen.scene()?.set_character(session.character());
    let bounds = offscreen.scene()?.bounds();
    let shot = shot(args, &session, bounds, &poses);
    let backdrop = if args.light { Backdrop::LIGHT } else { Backdrop::DARK };
    let ground = session.ground_height();
    let bar = output::bar(poses.len() as u64, "drawing");
    for (pose, target) in poses.iter().zip(&targets) {
        let input = DrawInput { shot: &shot, pose, visible: &[], morph_weights: &[], backdrop: &backdrop, ground };
        output::write_file(target, &png(&offscreen.render(&input)?)?)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let what = count(targets.len(), "picture");
    output::print(&format!("{}: {what} of {width} x {height}, drawn by {}\n", args.out.display(), offscreen.driver()))?;
    Ok(true)
}

/// Where each picture goes.
fn targets(out: &Path, frames: u32) -> anyhow::Result<Vec<PathBuf>> {
    let is_file = out.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if is_file && frames == 1 {
        return Ok(vec![out.to_owned()]);
    }
    if is_file {
        bail!("{}: {frames} pictures need a folder", out.display());
    }
    std::fs::create_dir_all(out).map_err(|err| {
        let place = Place::file(out.display().to_string());
        refusal(vec![Diagnostic::error(place, format!("the folder cannot be made: {err}"))])
    })?;
    Ok((0..frames).map(|i| out.join(format!("frame_{i:04}.png"))).collect())
}

/// The world frames of each picture, at the tick nearest to its time.
fn poses(session: &mut Session, args: &Args) -> Vec<WorldPose> {
    let tick_of = |frame: u32| {
        let seconds = f64::from(args.start) + f64::from(frame) / f64::from(args.fps);
        (seconds / TICK).round() as u64
    };
    let bar = output::bar(tick_of(args.frames.saturating_sub(1)), "simulating");
    let mut poses = Vec::with_capacity(args.frames as usize);
    for frame in 0..args.frames {
        while session.play().ticks() < tick_of(frame) {
            session.handle(Command::StepOnce);
            bar.inc(1);
        }
        poses.push(session.play().world().frames().clone());
    }
    bar.finish_and_clear();
    poses
}

/// The whole character in every picture, wherever its motion carries it.
fn shot(args: &Args, session: &Session, bounds: Option<[Vec3; 2]>, poses: &[WorldPose]) -> Shot {
    let character = session.character();
    let pane = Pane::whole(Vec2::new(args.size[0] as f32, args.size[1] as f32));
    let mut camera = OrbitCamera::new(character.facing);
    camera.look_from(args.view.preset(), character.facing);
    let rest = WorldPose::of(&character.skeleton, &crate::rig::Pose::rest(&character.skeleton));
    let bones = character.skeleton.len();
    if let Some(still) = corners(&rest, bones) {
        let [low, high] = bounds.unwrap_or(still);
        // What the surface reaches beyond the bones at rest, it reaches beyond them in motion.
        let [below, above] = [(still[0] - low).max(Vec3::ZERO), (high - still[1]).max(Vec3::ZERO)];
        let moved = poses.iter().filter_map(|pose| corners(pose, bones));
        let framed = moved.fold([low, high], |[l, h], m| [l.min(m[0] - below), h.max(m[1] + above)]);
        camera.frame(framed[0], framed[1], &pane);
    }
    camera.shot(&pane)
}

/// Corners round the heads of all bones of the file.
fn corners(pose: &WorldPose, bones: usize) -> Option<[Vec3; 2]> {
    let heads = pose.frames.iter().take(bones).map(|f| f.position).filter(|p| p.is_finite());
    heads.fold(None, |all, p| Some(all.map_or([p, p], |[low, high]: [Vec3; 2]| [low.min(p), high.max(p)])))
}

fn png(picture: &RgbaImage) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}
