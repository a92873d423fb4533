//! The clocks of the application.

use super::adaptive_quality::{FrameTime, INTERRUPTED_FRAME};
use std::time::Duration;
use web_time::{Instant, SystemTime, UNIX_EPOCH};
use yuremono_session::{Session, TICK_SECONDS};

/// Returns the time since 1970-01-01 UTC.
#[expect(clippy::disallowed_methods, reason = "journals and earlier saves have a date")]
pub(super) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "the window loop reads the clock here only")]
fn now() -> Instant {
    Instant::now()
}

/// Measures the time between frames for the session.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// Time of the last frame; `None` if the session was not moving.
    last: Option<Instant>,
    /// Smoothed computing time of one step, in seconds.
    pub(super) step_seconds: f64,
}

impl Clock {
    /// Ignores the time since the last frame.
    pub(super) fn restart(&mut self) {
        self.last = None;
    }

    /// Advances the session by the time since the last frame. Time during a pause does not count.
    pub(super) fn advance(&mut self, session: &mut Session) {
        let now = now();
        if !session.playback().is_moving() {
            self.last = None;
            return;
        }
        let elapsed = self.last.map_or(TICK_SECONDS, |last| (now - last).as_secs_f64());
        self.last = Some(now);
        let before = session.playback().ticks();
        session.advance(elapsed);
        let steps = session.playback().ticks().saturating_sub(before);
        if steps > 0 {
            let cost = now.elapsed().as_secs_f64() / steps as f64;
            self.step_seconds += (cost - self.step_seconds) * 0.1;
        }
    }
}

/// Interval after which the measured frame rate is updated, in seconds. A rate that changed in every frame would be
/// unreadable.
const RATE_INTERVAL: f64 = 0.5;

/// Measures the time of frames while the viewport changes in every frame.
#[derive(Debug, Default)]
pub(super) struct FrameClock {
    /// The number of the current frame in egui.
    frame: Option<u64>,
    start: Option<Instant>,
    /// The end of the preparation of the last frame, if the viewport changed in that frame and the next frame follows
    /// immediately.
    prepared: Option<Instant>,
    /// The time of the last change of the viewport.
    changed: Option<Instant>,
    rate: FrameRate,
}

#[derive(Debug, Default)]
struct FrameRate {
    seconds: f64,
    frames: u32,
    per_second: Option<f64>,
}

impl FrameRate {
    fn add(&mut self, seconds: f64) {
        if seconds >= INTERRUPTED_FRAME {
            *self = Self::default();
            return;
        }
        self.seconds += seconds;
        self.frames += 1;
        if self.seconds >= RATE_INTERVAL {
            let per_second = f64::from(self.frames) / self.seconds;
            *self = Self { per_second: Some(per_second), ..Self::default() };
        }
    }
}

impl FrameClock {
    /// Starts a frame. Returns the time of the last frame if the viewport changed in it and this frame followed
    /// immediately. egui can draw a frame in several passes; only the first pass starts the frame.
    pub(super) fn begin_frame(&mut self, frame: u64) -> Option<FrameTime> {
        if self.frame.replace(frame) == Some(frame) {
            return None;
        }
        let now = now();
        let (start, prepared) = (self.start.replace(now), self.prepared.take());
        let (Some(start), Some(prepared)) = (start, prepared) else {
            self.rate = FrameRate::default();
            return None;
        };
        let time = FrameTime { total: (now - start).as_secs_f64(), preparation: (prepared - start).as_secs_f64() };
        self.rate.add(time.total);
        Some(time)
    }

    /// Ends the preparation of a frame. `is_moving` means that the next frame follows immediately.
    pub(super) fn end_preparation(&mut self, has_changed: bool, is_moving: bool) {
        let now = now();
        self.prepared = (has_changed && is_moving).then_some(now);
        if has_changed {
            self.changed = Some(now);
        }
    }

    /// Returns the time since the viewport changed, in seconds.
    pub(super) fn seconds_since_change(&self) -> f64 {
        self.changed.map_or(0.0, |changed| changed.elapsed().as_secs_f64())
    }

    /// Returns the frame rate in fps; `None` if the viewport does not change.
    pub(super) fn pictures_per_second(&self) -> Option<f64> {
        self.rate.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_rate_is_the_mean_of_an_interval() {
        let mut rate = FrameRate::default();
        (0..9).for_each(|_| rate.add(0.05));
        assert_eq!(rate.per_second, None, "too early");
        rate.add(0.06);
        assert!(rate.per_second.is_some_and(|rate| (rate - 10.0 / 0.51).abs() < 1e-6), "{rate:?}");
        rate.add(0.2);
        assert!(rate.per_second.is_some_and(|rate| (rate - 10.0 / 0.51).abs() < 1e-6), "kept until the next interval");
        rate.add(60.0);
        assert_eq!(rate.per_second, None, "the window was hidden");
    }

    #[test]
    fn only_new_pictures_in_consecutive_frames_are_measured() {
        let mut clock = FrameClock::default();
        assert_eq!(clock.begin_frame(1), None);
        clock.end_preparation(true, true);
        assert_eq!(clock.begin_frame(1), None, "the second pass of a frame");
        clock.end_preparation(true, true);
        let time = clock.begin_frame(2).expect("measured");
        assert!(time.preparation >= 0.0 && time.preparation <= time.total, "{time:?}");
        for (frame, (has_changed, is_moving)) in [(true, false), (false, true), (false, false)].into_iter().enumerate()
        {
            clock.end_preparation(has_changed, is_moving);
            assert_eq!(clock.begin_frame(3 + frame as u64), None, "{has_changed} {is_moving}");
            assert_eq!(clock.pictures_per_second(), None);
        }
        assert!(clock.seconds_since_change() >= 0.0);
    }
}
