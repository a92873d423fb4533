//! The one place that asks what time it is.

use crate::session::{Session, TICK_SECONDS};
use std::time::Instant;

/// Turns the display's frames into seconds for the session.
#[derive(Debug, Default)]
pub(super) struct Clock {
    /// When the last frame was drawn, if the picture was moving then.
    last: Option<Instant>,
    /// Smoothed cost of one step.
    step_seconds: f64,
}

impl Clock {
    /// Lets the session live through the time since the last frame. A window that stood still wakes up without
    /// catching up.
    #[expect(clippy::disallowed_methods, reason = "this is where time enters")]
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

    /// Smoothed cost of one step, seconds.
    pub(super) fn step_seconds(&self) -> f64 {
        self.step_seconds
    }
}
