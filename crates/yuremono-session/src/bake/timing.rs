//! The times of the keys of a bake, in ticks of the simulation.

use super::{BakeError, BakeNumber, BakeOptions, MAX_BONE_KEYS};

/// Tolerance of times as a share of a key interval or cycle.
pub(super) const TIME_TOLERANCE: f64 = 1e-4;
/// Share of the progress for the simulation; the reduction of keys takes the rest.
pub(super) const SIMULATION_SHARE: f32 = 0.8;

/// The steps of the simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BakeClock {
    /// Duration of a tick, in seconds.
    pub(super) tick: f64,
    /// Seconds of the motion per second.
    pub(super) speed: f64,
}

/// The times of the keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BakeTiming {
    pub(super) clock: BakeClock,
    /// Ticks from the start of the motion to the first key of the first cycle.
    pub(super) first_tick: f64,
    /// Ticks that the first pose is held.
    pub(super) held_ticks: u64,
    /// Ticks of the range.
    pub(super) range_ticks: f64,
    /// Cycles of the motion in the range of a loop.
    pub(super) cycles: u32,
    /// Seconds of the keys; the last one is the end of the range.
    pub(super) key_times: Vec<f64>,
}

impl BakeTiming {
    /// The time of a key in a cycle, in ticks since the start of the motion.
    pub(super) fn key_tick(&self, cycle: u32, key: usize) -> f64 {
        let is_last = key + 1 == self.key_times.len();
        let in_range = if is_last { self.range_ticks } else { self.key_times[key] / self.clock.tick };
        self.first_tick + f64::from(cycle) * self.range_ticks + in_range
    }

    pub(super) fn motion_time(&self, tick: f64) -> f64 {
        tick * self.clock.tick * self.clock.speed
    }

    /// The progress of the simulation as a share of the whole bake, after some ticks. `repeats` is the largest number of
    /// recorded ranges.
    pub(super) fn progress(&self, ticks: u64, repeats: u32) -> f32 {
        let all = self.held_ticks as f64 + self.first_tick + self.range_ticks * f64::from(repeats);
        SIMULATION_SHARE * (ticks as f64 / all).min(1.0) as f32
    }
}

/// `length` is the duration of the motion at a speed of 1; `None` for the rest pose.
pub(super) fn bake_timing(
    options: &BakeOptions,
    motion: &str,
    length: Option<f64>,
    clock: BakeClock,
) -> Result<BakeTiming, BakeError> {
    let end = options.end.unwrap_or(0.0);
    for (number, value) in
        [(BakeNumber::Start, options.start), (BakeNumber::Preroll, options.preroll), (BakeNumber::End, end)]
    {
        if !(value.is_finite() && value >= 0.0) {
            return Err(BakeError::InvalidNumber(number));
        }
    }
    if !options.max_error.is_none_or(|error| error.is_finite() && error > 0.0) {
        return Err(BakeError::InvalidNumber(BakeNumber::MaxError));
    }
    if !(1.0..=1000.0).contains(&options.key_rate) {
        return Err(BakeError::KeyRate { rate: options.key_rate });
    }
    if length.is_some_and(|length| !(length > 0.0 && length.is_finite())) {
        return Err(BakeError::ZeroLength { motion: motion.to_owned() });
    }
    let end = options.end.or(length).ok_or(BakeError::NoEnd)?;
    if end <= options.start {
        return Err(BakeError::EmptyRange { start: options.start, end });
    }
    let BakeClock { tick, speed } = clock;
    let (mut range, mut before, mut cycles) = (end - options.start, options.start / speed, 1.0);
    if options.looped {
        let period = length.ok_or(BakeError::LoopWithoutPeriod)?;
        cycles = (range / period).round().max(1.0);
        let whole = cycles * period;
        // A person cannot enter times such as 2.3166666.
        if (range - whole).abs() > 0.5 * tick * speed {
            return Err(BakeError::LoopRange { seconds: range, period, end: options.start + whole });
        }
        range = whole;
        before += (options.preroll * speed / period).ceil() * period / speed;
    }
    let seconds = range / speed;
    // The range of a key time is that of `f32`.
    if seconds as f32 <= 0.0 {
        return Err(BakeError::EmptyRange { start: options.start, end });
    }
    if seconds * options.key_rate > MAX_BONE_KEYS as f64 {
        return Err(BakeError::TooManyKeys { keys: (seconds * options.key_rate) as usize, max: MAX_BONE_KEYS });
    }
    let held_ticks = if options.looped { 0 } else { (options.preroll / tick).round() as u64 };
    let key_times = key_times(seconds, options.key_rate);
    let (first_tick, range_ticks) = (before / tick, seconds / tick);
    Ok(BakeTiming { clock, first_tick, held_ticks, range_ticks, cycles: cycles as u32, key_times })
}

/// Equal steps from zero, and the end of the range. The times stay different when a file stores them as `f32`.
fn key_times(seconds: f64, rate: f64) -> Vec<f64> {
    let steps = (seconds * rate - TIME_TOLERANCE).ceil().max(1.0) as usize;
    let regular = (0..steps).map(|key| key as f64 / rate).filter(|time| (*time as f32) < seconds as f32);
    regular.chain([seconds]).collect()
}
