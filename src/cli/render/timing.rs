use super::{OutputKind, ProgressReporter, RenderArgs};
use crate::format::animated_image::AnimatedImageFormat;
use crate::rig::{Pose, WorldPose};
use crate::session::{Command, Session, TICK_SECONDS};
use anyhow::bail;
use glam::Vec3;

/// Poses are kept until all are drawn; a minute of 60 frames a second is enough for any loop.
pub(super) const MAX_FRAMES: u32 = 3600;
/// Hair that was flung has come to rest, or into its round, after so many seconds.
const WARM_UP_SECONDS: f64 = 4.0;
/// Rounds of a motion before its first picture, at least.
const MIN_WARM_UP_CYCLES: f64 = 3.0;
/// Most of a GIF a second: its clock knows hundredths, and browsers slow down what is faster.
const MAX_GIF_RATE: f64 = 50.0;

/// When each picture is taken; seconds of the world's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameTiming {
    /// How many.
    pub(super) frames: u32,
    /// From one to the next.
    pub(super) spacing: f64,
    /// Before the first.
    start: f64,
}

impl FrameTiming {
    /// What the command line asks for; `period` is the motion's.
    pub(super) fn of(args: &RenderArgs, goal: OutputKind, period: Option<f64>) -> anyhow::Result<Self> {
        let moves = matches!(goal, OutputKind::AnimatedImage(_));
        let seconds = match (args.seconds, args.frames) {
            (Some(seconds), _) => Some(f64::from(seconds)),
            (None, None) if moves && period.is_none() => {
                bail!("{}: nothing here repeats by itself; say --seconds or --frames", args.out.display())
            }
            (None, None) if moves => period,
            (None, _) => None,
        };
        let rate = f64::from(args.fps.unwrap_or(if moves { 30.0 } else { 60.0 }));
        let frames = seconds.map_or(f64::from(args.frames.unwrap_or(1)), |seconds| (seconds * rate).round().max(1.0));
        if frames > f64::from(MAX_FRAMES) {
            bail!("{frames} pictures are more than {MAX_FRAMES}; take fewer --seconds or a lower --fps");
        }
        // As many whole pictures as fit in: the last leads to the first as each to the next.
        let spacing = seconds.map_or(1.0 / rate, |seconds| seconds / frames);
        if goal == OutputKind::AnimatedImage(AnimatedImageFormat::Gif) && spacing * MAX_GIF_RATE < 0.99 {
            bail!("a GIF shows at most {MAX_GIF_RATE} pictures a second; take a lower --fps or a .png");
        }
        let warm_up = match (args.warm_up, period) {
            (Some(seconds), _) => f64::from(seconds),
            (None, Some(period)) if moves => (WARM_UP_SECONDS / period).ceil().max(MIN_WARM_UP_CYCLES) * period,
            (None, _) => 0.0,
        };
        Ok(Self { frames: frames as u32, spacing, start: warm_up + f64::from(args.start) })
    }

    /// From the first picture to where the first would come again.
    pub(super) fn seconds(&self) -> f64 {
        self.spacing * f64::from(self.frames)
    }

    /// The world's frames of each picture, between the two ticks that it lies between. `eyes` says from where each is
    /// seen, metres in the world; the last also counts for all behind it.
    pub(super) fn simulate_poses(&self, session: &mut Session, eyes: &[Vec3]) -> Vec<WorldPose> {
        let ticks = |frame: u32| (self.start + f64::from(frame) * self.spacing) / TICK_SECONDS;
        let progress = ProgressReporter::new(ticks(self.frames - 1) as u64, "simulating");
        let mut before = session.playback().world().pose().clone();
        let mut shown = Pose::default();
        let mut poses = Vec::with_capacity(self.frames as usize);
        for frame in 0..self.frames {
            if let Some(eye) = eyes.get(frame as usize) {
                session.handle(Command::SetViewer(*eye));
            }
            // A time that is meant to be a tick's is one, whatever digits it lost.
            let wanted = (ticks(frame) * 4096.0).round() / 4096.0;
            while (session.playback().ticks() as f64) < wanted {
                before.copy_from(session.playback().world().pose());
                session.handle(Command::StepOnce);
                progress.step();
            }
            let share = 1.0 - (session.playback().ticks() as f64 - wanted);
            let world = session.playback().world();
            before.lerp_into(world.pose(), share as f32, &mut shown);
            poses.push(WorldPose::from_pose(world.skeleton(), &shown));
        }
        progress.finish();
        poses
    }
}
