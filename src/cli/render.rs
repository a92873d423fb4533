//! `yuremono render`: pictures of a character in motion, still or moving, drawn by EGL without a window.

mod animated_image;
mod picture_renderer;
mod timing;

use super::load::{SimulationArgs, parse_number, stability_findings};
use super::output::{LossOptions, ProgressReporter, RunReport, WriteOptions, count_noun, is_folder};
use crate::format::animated_image::AnimatedImageFormat;
use crate::stage::CameraPreset;
use clap::{ValueEnum, ValueHint};
use image::{ImageFormat, RgbaImage};
use picture_renderer::{PictureRenderer, StyleArgs};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use timing::{FrameTiming, MAX_FRAMES};

/// Arguments of `render`.
#[derive(Debug, clap::Args)]
pub struct RenderArgs {
    /// Character (.vrm, .glb, .gltf).
    #[arg(value_hint = ValueHint::FilePath)]
    character: PathBuf,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// How many pictures. Without it: one, or of a moving picture as many as --seconds holds.
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_FRAMES)))]
    frames: Option<u32>,
    /// How long. Without it, a moving picture lasts until the motion begins again, so that it loops without a seam.
    #[arg(long, value_parser = |text: &str| parse_number(text, 0.01, 600.0))]
    seconds: Option<f32>,
    /// Pictures a second, 60 without it, 30 of a moving picture; the simulation always takes 60 steps a second.
    #[arg(long, value_parser = |text: &str| parse_number(text, 0.1, 240.0))]
    fps: Option<f32>,
    /// Seconds of motion before the first picture.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, value_parser = |text: &str| parse_number(text, 0.0, 600.0))]
    start: f32,
    /// Seconds of motion even before those, so that hair swings as it will go on swinging. Without it: none, or before
    /// a moving picture some whole rounds of the motion.
    #[arg(long, value_name = "SECONDS", value_parser = |text: &str| parse_number(text, 0.0, 600.0))]
    warm_up: Option<f32>,
    #[command(flatten)]
    style: StyleArgs,
    /// How often a moving picture is played; 0 for ever.
    #[arg(long, value_name = "N", default_value_t = 0)]
    plays: u16,
    /// Colours of a moving picture, 2 to 256, the clear one among them. Without it: 256 in a GIF, all in a PNG; a PNG
    /// of 256 is a third of the size.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=256))]
    colors: Option<u16>,
    /// A .png for one picture, a folder for several; a .gif, an .apng or with --seconds or --frames a .png for a
    /// moving picture.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
    #[command(flatten)]
    write: WriteOptions,
}

/// [`CameraPreset`] on the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CameraSide {
    Front,
    Back,
    Left,
    Right,
    Top,
    ThreeQuarter,
}

impl CameraSide {
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

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputKind {
    Image,
    ImageFolder,
    AnimatedImage(AnimatedImageFormat),
}

impl OutputKind {
    /// By the name's ending, and whether several pictures are wanted.
    fn of(args: &RenderArgs) -> anyhow::Result<Self> {
        let ending = args.out.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let several = args.seconds.is_some() || args.frames.is_some_and(|n| n > 1);
        match ending.as_deref() {
            Some("gif") => Ok(Self::AnimatedImage(AnimatedImageFormat::Gif)),
            Some("apng") => Ok(Self::AnimatedImage(AnimatedImageFormat::Apng)),
            Some("png") if several => Ok(Self::AnimatedImage(AnimatedImageFormat::Apng)),
            Some("png") => Ok(Self::Image),
            _ => is_folder(&args.out, ".png, .gif, .apng or a folder").map(|_| Self::ImageFolder),
        }
    }
}

pub(super) fn run(args: &RenderArgs, own: Option<&Path>) -> anyhow::Result<bool> {
    RunReport::new(args.write, LossOptions::default()).run(|report| render(args, own, report))
}

fn render(args: &RenderArgs, own: Option<&Path>, report: &mut RunReport) -> anyhow::Result<bool> {
    let goal = OutputKind::of(args)?;
    if goal != OutputKind::ImageFolder {
        report.check_target(&args.out, &args.simulation.input_files(&args.character))?;
    }
    let mut session = args.simulation.create_session(&args.character, own, report)?;
    let timing = FrameTiming::of(args, goal, session.playback().period(session.character(), session.document()))?;
    let targets = target_paths(&args.out, goal, timing.frames);
    report.check_targets(&targets)?;
    // A folder that cannot be written is reported before anything is simulated.
    let film =
        if let OutputKind::AnimatedImage(kind) = goal { Some((kind, report.create_file(&args.out)?)) } else { None };
    let mut look = PictureRenderer::new(args, &mut session, &timing)?;
    report.add_diagnostics(&stability_findings(&session));
    report.check_findings()?;
    let (what, [width, height]) = (count_noun(timing.frames as usize, "picture"), look.size());
    let mut length = String::new();
    if let Some((kind, mut file)) = film {
        animated_image::write(kind, &mut file, args, &timing, &mut look)?;
        report.commit_file(&args.out, file)?;
        length = format!(", {:.2} s", timing.seconds());
    } else {
        if goal == OutputKind::ImageFolder {
            report.make_folder(&args.out)?;
        }
        let progress = ProgressReporter::new(targets.len() as u64, "drawing");
        for (frame, target) in targets.iter().enumerate() {
            report.write(target, &encode_png(&look.draw_picture(frame)?)?)?;
            progress.step();
        }
        progress.finish();
    }
    let (out, driver) = (args.out.display(), look.driver());
    report.print_text(&format!("{out}: {what} of {width} x {height}{length}, drawn by {driver}\n"))?;
    report.set_field("pictures", timing.frames)?;
    Ok(true)
}

/// Where each picture goes.
fn target_paths(out: &Path, goal: OutputKind, frames: u32) -> Vec<PathBuf> {
    match goal {
        OutputKind::ImageFolder => (0..frames).map(|i| out.join(format!("frame_{i:04}.png"))).collect(),
        OutputKind::Image | OutputKind::AnimatedImage(_) => vec![out.to_owned()],
    }
}

fn encode_png(picture: &RgbaImage) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}
