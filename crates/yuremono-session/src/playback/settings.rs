//! The settings of playback, and the methods that change them.

use super::{Motion, Playback, PlaybackSource};
use std::ops::RangeInclusive;
use yuremono_sim::TestWind;

/// The player frame rates that the window offers, in frames per second.
pub const PLAYER_FRAME_RATES: [u32; 5] = [30, 60, 90, 120, 144];
/// Default player frame rate, in frames per second.
pub(crate) const DEFAULT_FRAME_RATE: u32 = 60;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaybackSettings {
    /// Whether playback is running.
    pub playing: bool,
    /// Playback speed, 0.1..=2.
    pub speed: f32,
    /// The motion of the character.
    pub motion: Motion,
    /// Amplitude of a built-in motion, 0..=2.
    pub amplitude: f32,
    /// Speed of the motion, 0.1..=4.
    pub motion_speed: f32,
    /// Whether the motion repeats. Otherwise it plays once and holds its last pose.
    pub repeats: bool,
    /// Whether a released drag springs back.
    pub drags_spring_back: bool,
    /// The previewed frame rate of players, in frames per second. One frame is one tick.
    pub player_frame_rate: u32,
    /// The test wind. `None` is calm.
    pub wind: Option<TestWind>,
}

impl PlaybackSettings {
    /// Returns the default settings.
    pub(crate) const fn new(motion: Motion) -> Self {
        Self {
            playing: true,
            speed: 1.0,
            motion,
            amplitude: 0.6,
            motion_speed: 1.0,
            repeats: true,
            drags_spring_back: true,
            player_frame_rate: DEFAULT_FRAME_RATE,
            wind: None,
        }
    }
}

impl Playback {
    /// Returns the duration of a tick, in seconds.
    pub(crate) fn tick_seconds(&self) -> f64 {
        1.0 / f64::from(self.settings.player_frame_rate)
    }

    pub(super) fn ticks_for(&self, seconds: f64) -> u32 {
        (seconds * f64::from(self.settings.player_frame_rate)).round() as u32
    }

    pub(crate) fn set_playing(&mut self, playing: bool) {
        // Keep the fraction of the current tick, so the motion continues where it stopped.
        self.settings.playing = playing;
        if playing {
            self.end_scrub();
        } else {
            self.paused_run_ticks = 0;
        }
    }

    /// Previews another player frame rate, 10..=1000 frames per second, without interrupting the motion.
    pub(crate) fn set_player_frame_rate(&mut self, rate: u32) {
        let left = f64::from(self.paused_run_ticks) * self.tick_seconds();
        self.settings.player_frame_rate = rate.clamp(10, 1000);
        self.paused_run_ticks = self.ticks_for(left);
        self.interaction.recording.change_rate(self.settings.player_frame_rate);
    }

    pub(crate) fn set_speed(&mut self, speed: f32) {
        self.settings.speed = clamp_or_keep(speed, 0.1..=2.0, self.settings.speed);
    }

    /// Starts another motion. Joints keep their velocity, and the present motion blends into the other motion.
    pub(crate) fn set_motion(&mut self, motion: Motion) {
        self.end_scrub();
        self.start_crossfade();
        self.settings.motion = motion;
        (self.time, self.previous_time) = (0.0, 0.0);
        self.baked_preview = None;
        self.run_while_paused();
    }

    pub(crate) fn set_amplitude(&mut self, amplitude: f32) {
        self.settings.amplitude = clamp_or_keep(amplitude, 0.0..=2.0, self.settings.amplitude);
    }

    pub(crate) fn set_motion_speed(&mut self, speed: f32) {
        self.settings.motion_speed = clamp_or_keep(speed, 0.1..=4.0, self.settings.motion_speed);
        self.baked_preview = None;
    }

    /// Sets whether the motion repeats. A motion that repeats again continues in its present cycle.
    pub(crate) fn set_repeats(&mut self, repeats: bool, source: PlaybackSource<'_>) {
        let length = self.settings.motion.own_duration(source).filter(|length| *length > 0.0);
        if let Some(length) = length.filter(|_| !repeats && self.settings.repeats) {
            // The motion plays to the end of this cycle, and not to the end of its first.
            let cycles = (self.time / length).floor() * length;
            (self.time, self.previous_time) = (self.time - cycles, self.previous_time - cycles);
        }
        self.settings.repeats = repeats;
        self.run_while_paused();
    }

    pub(crate) fn set_springs_back(&mut self, springs_back: bool) {
        self.settings.drags_spring_back = springs_back;
        if springs_back {
            let held = self.interaction.drags.iter_mut().filter(|d| d.spring_back_seconds.is_none());
            held.for_each(|d| d.spring_back_seconds = Some(0.0));
        }
    }
}

/// Returns the clamped value; `before` if `value` is NaN.
fn clamp_or_keep(value: f32, range: RangeInclusive<f32>, before: f32) -> f32 {
    if value.is_nan() { before } else { value.clamp(*range.start(), *range.end()) }
}
