//! Chooses the quality of the viewport, so that a computer without a GPU shows a smooth motion.
//!
//! Most of the time of a software renderer depends on the number of pixels. A moving viewport is therefore drawn without
//! anti-aliasing, then without the shadow, and then smaller, until the frames are fast enough. A viewport at rest is drawn
//! at full quality. With a GPU, the quality is always full: the frames of a slow computer with a GPU are late for other
//! reasons.
//!
//! This module does not read a clock. Its callers measure the times.

use crate::renderer::PictureQuality;

/// The quality levels, the best first.
const LEVELS: [PictureQuality; 8] = [
    PictureQuality::FULL,
    PictureQuality { samples: 1, ..PictureQuality::FULL },
    reduced(1.0),
    reduced(0.85),
    reduced(0.7),
    reduced(0.58),
    reduced(0.5),
    reduced(0.42),
];

/// Returns the quality without anti-aliasing and shadow, which are less visible in motion than a low resolution.
const fn reduced(scale: f32) -> PictureQuality {
    PictureQuality { scale, samples: 1, has_shadow: false }
}

/// The level of a software renderer before the first measurement.
const FIRST_SOFTWARE_LEVEL: usize = 6;
/// Time for the vertices of a picture, relative to the pixels of a full picture with one sample. Measured with llvmpipe
/// and a character of 100,000 triangles.
const COST_OF_VERTICES: f64 = 0.75;
/// Time for a pixel with several samples, relative to a pixel with one sample. Measured with llvmpipe.
const COST_OF_SAMPLES: f64 = 5.0;
/// A frame that takes longer than this is too slow, in seconds.
const SLOW_FRAME: f64 = 1.0 / 24.0;
/// A better level must be expected to reach this frame time, in seconds.
const FAST_FRAME: f64 = 1.0 / 30.0;
/// A frame that takes longer was interrupted, for example by a system dialog, in seconds.
pub(super) const INTERRUPTED_FRAME: f64 = 2.0;
/// If drawing takes a smaller share of a slow frame, a smaller picture would not help.
const MIN_DRAWING_SHARE: f64 = 0.35;
/// Number of frames whose median time determines the level.
const MEDIAN_FRAMES: usize = 7;
/// Number of frames at a level before a better level is tried.
const MIN_TRIAL_DELAY: u32 = 20;
/// The largest number of frames before a better level is tried. Each failed attempt doubles the number.
const MAX_TRIAL_DELAY: u32 = 640;
/// A better level that becomes too slow within this number of frames was a failed attempt.
const TRIAL_FRAMES: u32 = 60;
/// Time without a change after which a picture no longer counts as moving, in seconds.
const STILL_SECONDS: f64 = 0.2;

/// The time of one frame of a moving picture, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameTime {
    /// From the start of the frame to the start of the next.
    pub(super) total: f64,
    /// The part for simulation and panels, before anything was drawn.
    pub(super) preparation: f64,
}

/// The qualities of the pictures of one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FrameQuality {
    /// The quality of a picture that changes in this frame.
    pub(super) changed: PictureQuality,
    /// The quality of a picture that does not change.
    pub(super) unchanged: PictureQuality,
}

impl FrameQuality {
    /// Full quality, for saved pictures.
    pub(super) const FULL: Self = Self { changed: PictureQuality::FULL, unchanged: PictureQuality::FULL };
}

/// The quality of a viewport, adapted to measured frame times.
#[derive(Debug)]
pub(super) struct AdaptiveQuality {
    is_software: bool,
    level: usize,
    /// The last frame times at this level.
    times: Vec<FrameTime>,
    /// Number of frames at this level.
    frames: u32,
    /// Number of frames at this level before a better level is tried.
    trial_delay: u32,
    /// Whether the current level is an attempt at a better level.
    is_trial: bool,
    /// Time since the picture changed, in seconds.
    still_for: f64,
}

impl AdaptiveQuality {
    pub(super) fn new(is_software: bool) -> Self {
        Self {
            is_software,
            level: if is_software { FIRST_SOFTWARE_LEVEL } else { 0 },
            times: Vec::with_capacity(MEDIAN_FRAMES),
            frames: 0,
            trial_delay: MIN_TRIAL_DELAY,
            is_trial: false,
            still_for: 0.0,
        }
    }

    /// Returns the qualities of the next pictures.
    pub(super) fn quality(&self) -> FrameQuality {
        let changed = LEVELS[self.level];
        FrameQuality {
            changed,
            unchanged: if self.still_for >= STILL_SECONDS { PictureQuality::FULL } else { changed },
        }
    }

    /// Whether the last picture has less than full quality.
    pub(super) fn is_reduced(&self) -> bool {
        self.quality().unchanged != PictureQuality::FULL
    }

    /// Sets for how long the picture has not changed, in seconds. Returns the time until an unchanged picture gets full
    /// quality.
    pub(super) fn set_still_for(&mut self, seconds: f64) -> f64 {
        self.still_for = seconds;
        (STILL_SECONDS - seconds).max(0.0)
    }

    /// Adds the time of a frame of a moving picture, and adapts the level.
    pub(super) fn add_frame(&mut self, time: FrameTime) {
        if !self.is_software || !time.total.is_finite() || !(0.0..INTERRUPTED_FRAME).contains(&time.total) {
            return;
        }
        if self.times.len() == MEDIAN_FRAMES {
            self.times.remove(0);
        }
        self.times.push(time);
        self.frames = self.frames.saturating_add(1);
        if self.is_trial && self.frames > TRIAL_FRAMES {
            self.is_trial = false;
            self.trial_delay = MIN_TRIAL_DELAY;
        }
        if self.times.len() < MEDIAN_FRAMES {
            return;
        }
        let FrameTime { total, preparation } = median_frame(&self.times);
        let drawing = total - preparation;
        if total > SLOW_FRAME && drawing > MIN_DRAWING_SHARE * total && self.level + 1 < LEVELS.len() {
            if self.is_trial {
                self.trial_delay = (self.trial_delay * 2).min(MAX_TRIAL_DELAY);
            }
            let steps = if total > 2.0 * SLOW_FRAME { 2 } else { 1 };
            self.change_level((self.level + steps).min(LEVELS.len() - 1), false);
        } else if self.level > 0 && self.frames >= self.trial_delay {
            let more = relative_cost(LEVELS[self.level - 1]) / relative_cost(LEVELS[self.level]);
            if total - drawing + drawing * more < FAST_FRAME {
                self.change_level(self.level - 1, true);
            }
        }
    }

    fn change_level(&mut self, level: usize, is_trial: bool) {
        self.level = level;
        self.is_trial = is_trial;
        self.times.clear();
        self.frames = 0;
    }
}

/// Returns the drawing time of a picture, relative to the pixels of a full picture with one sample.
fn relative_cost(quality: PictureQuality) -> f64 {
    let samples = if quality.samples > 1 { COST_OF_SAMPLES } else { 1.0 };
    COST_OF_VERTICES + f64::from(quality.scale).powi(2) * samples
}

/// Returns the frame whose total time is the median. `times` must not be empty.
fn median_frame(times: &[FrameTime]) -> FrameTime {
    let mut sorted = times.to_vec();
    sorted.sort_by(|a, b| a.total.total_cmp(&b.total));
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A computer whose frames take a fixed time, and a time per pixel of full quality.
    struct Computer {
        fixed: f64,
        picture: f64,
    }

    impl Computer {
        fn frame(&self, quality: PictureQuality) -> FrameTime {
            let picture = self.picture * relative_cost(quality) / relative_cost(PictureQuality::FULL);
            FrameTime { total: self.fixed + picture, preparation: self.fixed * 0.5 }
        }

        /// Runs frames of a moving picture, and returns the level of each frame.
        fn run(&self, quality: &mut AdaptiveQuality, frames: usize) -> Vec<usize> {
            let mut levels = Vec::new();
            for _ in 0..frames {
                quality.set_still_for(0.0);
                levels.push(quality.level);
                quality.add_frame(self.frame(quality.quality().changed));
            }
            levels
        }
    }

    #[test]
    fn a_gpu_keeps_full_quality_however_late_its_frames_are() {
        let mut quality = AdaptiveQuality::new(false);
        for total in [0.016, 0.1, 0.5, 1.9] {
            (0..50).for_each(|_| quality.add_frame(FrameTime { total, preparation: 0.001 }));
            quality.set_still_for(0.0);
            assert_eq!((quality.quality(), quality.is_reduced()), (FrameQuality::FULL, false), "{total}");
        }
    }

    #[test]
    fn a_slow_picture_is_reduced_until_frames_are_fast_enough() {
        let computer = Computer { fixed: 0.015, picture: 0.12 };
        let mut quality = AdaptiveQuality::new(true);
        computer.run(&mut quality, 100);
        let reached = computer.frame(quality.quality().changed).total;
        assert!(reached <= SLOW_FRAME, "{reached}");
        assert!(quality.is_reduced());
        // No better level would be fast enough.
        let better = computer.frame(LEVELS[quality.level - 1]).total;
        assert!(better > FAST_FRAME, "{better}");
    }

    #[test]
    fn a_fast_processor_reaches_full_quality() {
        let mut quality = AdaptiveQuality::new(true);
        Computer { fixed: 0.004, picture: 0.012 }.run(&mut quality, 200);
        assert_eq!(quality.quality(), FrameQuality::FULL);
    }

    #[test]
    fn a_level_that_is_just_fast_enough_does_not_alternate() {
        for picture in 1..60 {
            let computer = Computer { fixed: 0.01, picture: f64::from(picture) * 0.005 };
            let mut quality = AdaptiveQuality::new(true);
            computer.run(&mut quality, 400);
            let levels = computer.run(&mut quality, 2000);
            let changes = levels.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert!(changes <= 2, "{changes} changes with {picture}");
        }
    }

    #[test]
    fn failed_attempts_at_a_better_level_become_rare() {
        // The frame time does not follow the number of pixels, so that every attempt looks promising.
        let mut quality = AdaptiveQuality::new(true);
        let mut attempts = 0;
        for _ in 0..5000 {
            let before = quality.level;
            let total = if quality.level < 3 { 0.06 } else { 0.012 };
            quality.set_still_for(0.0);
            quality.add_frame(FrameTime { total, preparation: 0.0 });
            attempts += usize::from(quality.level < before);
        }
        assert!((3..20).contains(&attempts), "{attempts}");
    }

    #[test]
    fn slow_panels_and_interruptions_do_not_reduce_the_picture() {
        let mut quality = AdaptiveQuality::new(true);
        let level = quality.level;
        for _ in 0..100 {
            quality.add_frame(FrameTime { total: 0.08, preparation: 0.075 });
        }
        assert_eq!(quality.level, level, "a slow simulation");
        for total in [3.0, f64::NAN, f64::INFINITY, -1.0] {
            (0..50).for_each(|_| quality.add_frame(FrameTime { total, preparation: 0.0 }));
        }
        assert_eq!(quality.level, level);
        for frame in 0..100 {
            let total = if frame % 5 == 0 { 0.3 } else { 0.032 };
            quality.add_frame(FrameTime { total, preparation: 0.0 });
        }
        assert_eq!(quality.level, level, "single slow frames");
    }

    #[test]
    fn an_unchanged_picture_has_full_quality_and_moves_again_at_its_level() {
        let mut quality = AdaptiveQuality::new(true);
        Computer { fixed: 0.015, picture: 0.3 }.run(&mut quality, 100);
        let moving = quality.quality();
        assert!(quality.is_reduced() && moving.changed == moving.unchanged);
        assert_eq!(quality.set_still_for(0.05), STILL_SECONDS - 0.05);
        assert_eq!(quality.quality(), moving);
        assert_eq!(quality.set_still_for(STILL_SECONDS), 0.0);
        assert_eq!(quality.quality(), FrameQuality { unchanged: PictureQuality::FULL, ..moving });
        assert!(!quality.is_reduced());
        quality.set_still_for(0.0);
        assert_eq!((quality.quality(), quality.is_reduced()), (moving, true));
    }
}
