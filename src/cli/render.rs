//! `yuremono render`: renders a character in motion as still or animated images, or as a contact sheet, without a window.

mod contact_sheet;
mod picture_renderer;

use super::batch::Batch;
use super::file_jobs::JobsOption;
use super::load::parse_number;
use super::options::{CharactersArgs, single_file};
use super::output::{
    ProgressReporter, RunReport, WriteOptions, failure, has_extension, is_folder, output_path, path_failure,
    refuse_stdout,
};
use super::simulation_args::{SimulationArgs, stability_diagnostics};
use crate::contact_sheet::DEFAULT_MOMENTS;
use crate::stage::CameraPreset;
use clap::{ValueEnum, ValueHint};
use glam::Vec3;
use image::RgbaImage;
use picture_renderer::{PictureRenderer, StyleArgs};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use yuremono_format::animated_image::{
    AnimatedImageError, AnimatedImageFormat, AnimatedImageOptions, AnimatedImageWriter, ColorHistogram, GIF_COLORS,
    MAX_FRAMES, MAX_GIF_RATE, Palette, encode_png, frame_spacing, palette_samples,
};
use yuremono_format::source::AtomicFile;
use yuremono_session::{Command, Session, TICK_SECONDS};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{Pose, WorldPose};

/// After this time, hair is at rest or repeats with the motion.
const WARM_UP_SECONDS: f64 = 4.0;
/// Minimum number of motion cycles before the first picture.
const MIN_WARM_UP_CYCLES: f64 = 3.0;

/// Arguments of `render`.
#[derive(Clone, Debug, clap::Args)]
pub struct RenderArgs {
    #[command(flatten)]
    characters: CharactersArgs,
    /// The character of this run.
    #[arg(skip)]
    character: PathBuf,
    #[command(flatten)]
    simulation: SimulationArgs,
    /// Render a contact sheet: one .png with moments of all motions, or only of --motion, next to each other.
    #[arg(long, conflicts_with_all = ["frames", "seconds", "fps", "start", "warm_up", "turntable", "plays", "colors", "wind"])]
    sheet: bool,
    /// Number of pictures of each motion in a contact sheet, at equal distances in one cycle.
    #[arg(long, value_name = "N", requires = "sheet", default_value_t = DEFAULT_MOMENTS, value_parser = clap::value_parser!(u32).range(1..=60))]
    moments: u32,
    /// Number of pictures. Default: 1, or for animated images the number in --seconds.
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_FRAMES)))]
    frames: Option<u32>,
    /// Duration in seconds. Default for animated images: one cycle of the motion, so that the loop is seamless.
    #[arg(long, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.01, 600.0))]
    seconds: Option<f32>,
    /// Pictures per second. Default: 60, or 30 for animated images. The simulation always runs at 60 steps per second.
    #[arg(long, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.1, 240.0))]
    fps: Option<f32>,
    /// Seconds of motion before the first picture.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true, value_parser = |text: &str| parse_number(text, 0.0, 600.0))]
    start: f32,
    #[command(flatten)]
    style: StyleArgs,
    /// Number of plays of an animated image; 0 repeats it for ever.
    #[arg(long, value_name = "N", default_value_t = 0)]
    plays: u16,
    /// Number of colours of an animated image, 2 to 256, including the transparent one. Default: 256 in a GIF, all in a PNG;
    /// a PNG with 256 colours has a third of the size.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=256))]
    colors: Option<u16>,
    /// Output: a .png for one picture, a folder for several; a .gif, an .apng, or a .png with --seconds or --frames for an
    /// animated image. Several characters need a folder.
    #[arg(long, value_name = "FILE|FOLDER", value_hint = ValueHint::AnyPath)]
    out: PathBuf,
    /// Kind of the results of several characters. Default: png.
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<PictureFormat>,
    #[command(flatten)]
    pub(super) write: WriteOptions,
}

/// The kind of a picture file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PictureFormat {
    #[default]
    Png,
    Gif,
    Apng,
}

impl PictureFormat {
    const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Apng => "apng",
        }
    }
}

impl RenderArgs {
    /// The arguments of a run for one character.
    fn for_character(&self, character: &Path, out: &Path) -> Self {
        Self { character: character.to_owned(), out: out.to_owned(), ..self.clone() }
    }
}

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputKind {
    Image,
    ImageFolder,
    AnimatedImage(AnimatedImageFormat),
}

impl OutputKind {
    /// Returns the kind of output for the extension and the number of pictures.
    fn of(args: &RenderArgs) -> anyhow::Result<Self> {
        let ending = args.out.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        let several = args.seconds.is_some() || args.frames.is_some_and(|n| n > 1);
        match ending.as_deref() {
            Some("gif") => Ok(Self::AnimatedImage(AnimatedImageFormat::Gif)),
            Some("apng") => Ok(Self::AnimatedImage(AnimatedImageFormat::Apng)),
            Some("png") if several => Ok(Self::AnimatedImage(AnimatedImageFormat::Apng)),
            Some("png") => Ok(Self::Image),
            _ => is_folder(&args.out, &message!(".png, .gif, .apng or a folder")).map(|_| Self::ImageFolder),
        }
    }
}

pub(super) fn run(args: &RenderArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    refuse_stdout(&args.out)?;
    let characters = args.characters.paths()?;
    if let Some(character) = single_file(&characters) {
        if args.format.is_some_and(|format| !has_extension(&args.out, &[format.extension()])) {
            return Err(path_failure(&args.out, message!("--format contradicts the extension of --out")));
        }
        report.set_only_file(character);
        return render(&args.for_character(character, &args.out), report);
    }
    let extension = |_: &Path| args.format.unwrap_or_default().extension().to_owned();
    let shared = args.simulation.shared_input_files();
    let batch = Batch::find(&characters, &args.out, &extension, &shared, report)?;
    // The graphics card draws one character at a time.
    batch.run(JobsOption::ONE, report, |character, target, one| render(&args.for_character(character, target), one))
}

/// Renders one character.
fn render(args: &RenderArgs, report: &mut RunReport) -> anyhow::Result<bool> {
    if args.sheet {
        return contact_sheet::run(args, report);
    }
    let kind = OutputKind::of(args)?;
    if kind != OutputKind::ImageFolder {
        report.check_target(&args.out, &args.simulation.input_files(&args.character))?;
    }
    let mut session = args.simulation.create_session(&args.character, report)?;
    let timing = FrameTiming::of(args, kind, session.playback().period(session.character(), session.document()))?;
    let targets = target_paths(&args.out, kind, timing.frames);
    report.check_targets(&targets)?;
    // Creating the file first reports an unwritable folder before the simulation starts.
    let animation = match kind {
        OutputKind::AnimatedImage(format) => Some((format, report.create_file(&args.out)?)),
        _ => None,
    };
    let simulating = report.text(&message!("simulating"));
    let mut pictures = PictureRenderer::new(args, &mut session, &timing, simulating)?;
    report.add_diagnostics(&stability_diagnostics(&session));
    report.fail_if_strict_or_lossy()?;
    let mut duration = MessageText::from("");
    if let Some((format, mut file)) = animation {
        write_animated_image(format, &mut file, args, &timing, &mut pictures, report)?;
        report.commit_file(&args.out, file)?;
        duration = message!(", {seconds} s", seconds = format!("{:.2}", timing.duration_seconds()));
    } else {
        if kind == OutputKind::ImageFolder {
            report.make_folder(&args.out)?;
        }
        let progress = ProgressReporter::new(targets.len() as u64, report.text(&message!("drawing")));
        let (size, frames) = (pictures.size(), timing.frame_indices());
        let encode = |picture: RgbaImage| Ok(encode_png(size, picture.as_raw())?);
        pictures.draw_pictures(&frames, encode, |frame, bytes| {
            report.write(&targets[frame], &bytes)?;
            progress.step();
            Ok(())
        })?;
        progress.finish();
    }
    let [width, height] = pictures.size();
    report.print_message(&message!(
        "{file}: {pictures} of {width} x {height}{duration}, drawn by {driver}",
        file = output_path(&args.out),
        pictures = message!("{n:picture|pictures}", n = timing.frames as usize),
        width,
        height,
        duration,
        driver = pictures.driver()
    ))?;
    report.set_field("pictures", timing.frames)?;
    report.set_field("camera", pictures.first_camera())?;
    Ok(true)
}

fn target_paths(out: &Path, kind: OutputKind, frames: u32) -> Vec<PathBuf> {
    match kind {
        OutputKind::ImageFolder => (0..frames).map(|i| out.join(format!("frame_{i:04}.png"))).collect(),
        OutputKind::Image | OutputKind::AnimatedImage(_) => vec![out.to_owned()],
    }
}

/// When the pictures are taken, in seconds of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct FrameTiming {
    frames: u32,
    /// Time between two pictures.
    spacing: f64,
    /// Time before the first picture.
    start: f64,
}

impl FrameTiming {
    /// `period` is the period of the motion, or `None` if the motion does not repeat.
    fn of(args: &RenderArgs, kind: OutputKind, period: Option<f64>) -> anyhow::Result<Self> {
        let is_animated = matches!(kind, OutputKind::AnimatedImage(_));
        let seconds = match (args.seconds, args.frames) {
            (Some(seconds), _) => Some(f64::from(seconds)),
            (None, None) if is_animated && period.is_none() => {
                let message = message!("the motion does not repeat; add --seconds or --frames");
                return Err(path_failure(&args.out, message));
            }
            (None, None) if is_animated => period,
            (None, _) => None,
        };
        let rate = f64::from(args.fps.unwrap_or(if is_animated { 30.0 } else { 60.0 }));
        let (frames, spacing) =
            seconds.map_or((args.frames.unwrap_or(1), 1.0 / rate), |seconds| frame_spacing(seconds, rate));
        // All poses are in memory until they are drawn.
        if frames > MAX_FRAMES {
            return Err(failure(message!(
                "{frames} pictures are more than {max}; use fewer --seconds or a lower --fps",
                frames,
                max = MAX_FRAMES
            )));
        }
        if matches!(kind, OutputKind::AnimatedImage(format) if format.is_too_fast(spacing)) {
            return Err(failure(message!(
                "a GIF shows at most {max} pictures per second; use a lower --fps or a .png",
                max = MAX_GIF_RATE
            )));
        }
        let warm_up = match (args.simulation.warm_up(), period) {
            (Some(seconds), _) => seconds,
            (None, Some(period)) if is_animated => (WARM_UP_SECONDS / period).ceil().max(MIN_WARM_UP_CYCLES) * period,
            (None, _) => 0.0,
        };
        Ok(Self { frames, spacing, start: warm_up + f64::from(args.start) })
    }

    fn frame_indices(&self) -> Vec<usize> {
        (0..self.frames as usize).collect()
    }

    /// Returns the duration of one play.
    fn duration_seconds(&self) -> f64 {
        self.spacing * f64::from(self.frames)
    }

    /// Returns the time of a picture.
    fn seconds(&self, frame: u32) -> f64 {
        self.start + f64::from(frame) * self.spacing
    }

    /// Returns the pose for each picture, interpolated between two ticks. `eyes` are the viewer positions for the
    /// pictures, in metres; the last position is used for all later pictures. `label` is shown with the progress.
    fn simulate_poses(&self, session: &mut Session, eyes: &[Vec3], label: String) -> Vec<WorldPose> {
        let ticks = |frame: u32| self.seconds(frame) / TICK_SECONDS;
        let progress = ProgressReporter::new(ticks(self.frames - 1) as u64, label);
        let mut before = session.playback().world().pose().clone();
        let mut shown = Pose::default();
        let mut poses = Vec::with_capacity(self.frames as usize);
        for frame in 0..self.frames {
            if let Some(eye) = eyes.get(frame as usize) {
                session.handle(Command::SetViewer(*eye));
            }
            // Rounding removes floating-point errors, so a picture at the time of a tick shows exactly that tick.
            let time = (ticks(frame) * 4096.0).round() / 4096.0;
            while (session.playback().ticks() as f64) < time {
                before.copy_from(session.playback().world().pose());
                session.handle(Command::StepOnce);
                progress.step();
            }
            let share = 1.0 - (session.playback().ticks() as f64 - time);
            let world = session.playback().world();
            before.lerp_into(world.pose(), share as f32, &mut shown);
            poses.push(WorldPose::from_pose(world.skeleton(), &shown));
        }
        progress.finish();
        poses
    }
}

/// Draws and writes an animated image. Only a few pictures are in memory at a time.
fn write_animated_image(
    format: AnimatedImageFormat,
    file: &mut AtomicFile,
    args: &RenderArgs,
    timing: &FrameTiming,
    pictures: &mut PictureRenderer,
    report: &RunReport,
) -> anyhow::Result<()> {
    let colors = args.colors.or((format == AnimatedImageFormat::Gif).then_some(GIF_COLORS));
    let palette = colors.map(|colors| palette(format, colors, timing.frames, pictures, report)).transpose()?;
    let options = AnimatedImageOptions {
        size: pictures.size(),
        frame_count: timing.frames,
        frame_interval: timing.spacing,
        play_count: args.plays,
        transparent: pictures.is_transparent(),
        palette,
    };
    let failed = |error: AnimatedImageError| path_failure(&args.out, error.message());
    let mut writer = AnimatedImageWriter::new(format, BufWriter::new(file), options).map_err(failed)?;
    let progress = ProgressReporter::new(u64::from(timing.frames), report.text(&message!("drawing")));
    pictures.draw_pictures(&timing.frame_indices(), Ok, |_, picture| {
        writer.add_frame(picture.as_raw()).map_err(failed)?;
        progress.step();
        Ok(())
    })?;
    writer.finish().map_err(failed)?;
    progress.finish();
    Ok(())
}

/// Computes one palette for all pictures from a sample of the pictures.
fn palette(
    format: AnimatedImageFormat,
    colors: u16,
    frames: u32,
    pictures: &mut PictureRenderer,
    report: &RunReport,
) -> anyhow::Result<Palette> {
    let samples = palette_samples(frames);
    let progress = ProgressReporter::new(samples.len() as u64, report.text(&message!("choosing colours")));
    let mut histogram = ColorHistogram::new(format);
    let frames: Vec<usize> = samples.map(|frame| frame as usize).collect();
    pictures.draw_pictures(&frames, Ok, |_, picture| {
        histogram.add(picture.as_raw());
        progress.step();
        Ok(())
    })?;
    progress.finish();
    Ok(histogram.palette(usize::from(colors)))
}
