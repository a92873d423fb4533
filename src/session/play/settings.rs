//! What the artist chose at the transport: whether and how fast time runs, and what moves the character.

use super::{Motion, Play};

/// The players' frame rates that are offered, frames per second.
pub const PLAYERS_RATES: [u32; 5] = [30, 60, 90, 120, 144];
/// Frames per second unless the artist says otherwise.
pub(super) const USUAL_RATE: u32 = 60;

/// Choices of the transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) playing: bool,
    pub(super) speed: f32,
    pub(super) motion: Motion,
    pub(super) amplitude: f32,
    pub(super) motion_speed: f32,
    pub(super) springs_back: bool,
    /// Frames per second of the players' screens.
    pub(super) players_rate: u32,
}

impl Settings {
    /// Everything at its usual pace.
    pub(super) const fn new(motion: Motion) -> Self {
        Self {
            playing: true,
            speed: 1.0,
            motion,
            amplitude: 0.6,
            motion_speed: 1.0,
            springs_back: true,
            players_rate: USUAL_RATE,
        }
    }
}

impl Play {
    /// Whether time runs.
    pub fn is_playing(&self) -> bool {
        self.settings.playing
    }

    /// How fast time runs, 0.1..=2.
    pub fn speed(&self) -> f32 {
        self.settings.speed
    }

    /// What moves the character.
    pub fn motion(&self) -> Motion {
        self.settings.motion
    }

    /// How lively the test motion is, 0..=2.
    pub fn amplitude(&self) -> f32 {
        self.settings.amplitude
    }

    /// How fast the motion is, against its own pace, 0.1..=4.
    pub fn motion_speed(&self) -> f32 {
        self.settings.motion_speed
    }

    /// Whether a drag springs back when let go.
    pub fn springs_back(&self) -> bool {
        self.settings.springs_back
    }

    /// The players' frame rate that is previewed, frames per second: so many ticks are taken in a second.
    pub fn players_rate(&self) -> u32 {
        self.settings.players_rate
    }

    /// Seconds of one tick.
    pub(super) fn tick_seconds(&self) -> f64 {
        1.0 / f64::from(self.settings.players_rate)
    }

    /// As [`Self::tick_seconds`], as the world takes it.
    pub(in crate::session) fn tick_length(&self) -> f32 {
        self.tick_seconds() as f32
    }

    /// The ticks of so many seconds.
    pub(super) fn ticks_in(&self, seconds: f64) -> u32 {
        (seconds * f64::from(self.settings.players_rate)).round() as u32
    }

    pub(in crate::session) fn set_playing(&mut self, playing: bool) {
        // What has passed of the present tick stays, so that the picture goes on where it stopped.
        self.settings.playing = playing;
        if !playing {
            self.live_on = 0;
        }
    }

    /// Previews another frame rate of the players; everything goes on as it is. 10..=1000 frames per second.
    pub(in crate::session) fn set_players_rate(&mut self, rate: u32) {
        let left = f64::from(self.live_on) * self.tick_seconds();
        self.settings.players_rate = rate.clamp(10, 1000);
        self.live_on = self.ticks_in(left);
        self.hands.recording.change_rate(self.settings.players_rate);
    }

    pub(in crate::session) fn set_speed(&mut self, speed: f32) {
        self.settings.speed = bounded(speed, (0.1, 2.0), self.settings.speed);
    }

    /// Changes what moves the character, from its beginning; hair swings on.
    pub(in crate::session) fn set_motion(&mut self, motion: Motion) {
        self.settings.motion = motion;
        self.time = 0.0;
        self.live_on();
    }

    pub(in crate::session) fn set_amplitude(&mut self, amplitude: f32) {
        self.settings.amplitude = bounded(amplitude, (0.0, 2.0), self.settings.amplitude);
    }

    pub(in crate::session) fn set_motion_speed(&mut self, speed: f32) {
        self.settings.motion_speed = bounded(speed, (0.1, 4.0), self.settings.motion_speed);
    }

    pub(in crate::session) fn set_springs_back(&mut self, springs_back: bool) {
        self.settings.springs_back = springs_back;
        if springs_back {
            let held = self.hands.drags.iter_mut().filter(|d| d.back.is_none());
            held.for_each(|d| d.back = Some(0.0));
        }
    }
}

/// The value within a range; the value before for NaN.
fn bounded(value: f32, (low, high): (f32, f32), before: f32) -> f32 {
    if value.is_nan() { before } else { value.clamp(low, high) }
}
