//! The clocks of the application.

use crate::session::{Session, TICK_SECONDS};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Returns the time since 1970-01-01 UTC.
#[expect(clippy::disallowed_methods, reason = "journals and earlier saves have a date")]
pub(super) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
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
    #[expect(clippy::disallowed_methods, reason = "the window loop reads the clock here only")]
    pub(super) fn advance(&mut self, session: &mut Session) {
        let now = Instant::now();
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
