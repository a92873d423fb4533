//! A wind for trying out characters, which moves the joints of every solver.
//!
//! The wind is an acceleration: a steady strength along a direction, gusts that travel along the direction, and
//! turbulence. It is a pure function of place and time, so equal ticks give bit-identical motions. A world adds the
//! acceleration to the velocities of the tips before the solvers run, so the solvers themselves stay as their originals.

use crate::math::JsonNumber;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Speed at which gusts travel, in m/s. Slow enough that a gust is seen to run along a chain.
const TRAVEL_SPEED: f64 = 1.5;
/// Frequencies of the gusts and of the turbulence, in 1/s.
const GUST_FREQUENCIES: [f64; 2] = [0.4, 1.1];
const TURBULENCE_FREQUENCY: f64 = 3.0;
/// Distance over which the turbulence changes, in metres.
const TURBULENCE_SIZE: f64 = 0.25;

/// The parameters of a test wind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestWind {
    /// Direction in which the wind blows: the angle about +Y from +Z towards +X, in degrees, -180 to 180.
    #[serde(with = "JsonNumber")]
    pub heading: f32,
    /// Angle of the direction above the horizon, in degrees, -90 to 90.
    #[serde(with = "JsonNumber")]
    pub elevation: f32,
    /// Mean acceleration of the tips, in m/s², 0 to 100.
    #[serde(with = "JsonNumber")]
    pub strength: f32,
    /// How much the strength varies, as a share of the strength, 0 to 1.
    #[serde(with = "JsonNumber")]
    pub gusts: f32,
    /// Fast changes in all directions, as a share of the strength, 0 to 1.
    #[serde(with = "JsonNumber")]
    pub turbulence: f32,
    /// Selects the gusts and the turbulence.
    pub seed: u32,
}

/// A wind at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindMoment {
    pub wind: TestWind,
    /// In seconds.
    pub seconds: f64,
}

impl Default for TestWind {
    fn default() -> Self {
        Self { heading: 90.0, elevation: 0.0, strength: 12.0, gusts: 0.6, turbulence: 0.2, seed: 1 }
    }
}

impl TestWind {
    /// Returns the wind with all values in their ranges. A value that is not a number becomes 0.
    #[must_use]
    pub fn sanitized(self) -> Self {
        let clamp = |value: f32, low: f32, high: f32| if value.is_nan() { 0.0 } else { value.clamp(low, high) };
        Self {
            heading: clamp(self.heading, -180.0, 180.0),
            elevation: clamp(self.elevation, -90.0, 90.0),
            strength: clamp(self.strength, 0.0, 100.0),
            gusts: clamp(self.gusts, 0.0, 1.0),
            turbulence: clamp(self.turbulence, 0.0, 1.0),
            seed: self.seed,
        }
    }

    /// Returns the direction in which the wind blows, unit length.
    pub fn direction(&self) -> Vec3 {
        let ((sin, cos), (up, level)) =
            (libm::sincosf(self.heading.to_radians()), libm::sincosf(self.elevation.to_radians()));
        Vec3::new(sin * level, up, cos * level)
    }

    /// Returns the acceleration at a position in the world in metres and a time in seconds, in m/s².
    pub fn acceleration(&self, at: Vec3, seconds: f64) -> Vec3 {
        let direction = self.direction();
        let local = seconds - f64::from(at.dot(direction)) / TRAVEL_SPEED;
        let [slow, fast] = GUST_FREQUENCIES.map(|frequency| local * frequency);
        let gust = 0.7 * self.noise(0, slow) + 0.3 * self.noise(1, fast);
        let cell = f64::from(at.x + at.y + at.z) / TURBULENCE_SIZE;
        let swirl = |channel: u32| self.noise(channel, local * TURBULENCE_FREQUENCY + cell * f64::from(channel - 1));
        let turbulence = Vec3::new(swirl(2), swirl(3), swirl(4)) * self.turbulence;
        (direction * (1.0 + self.gusts * gust) + turbulence) * self.strength
    }

    /// Smooth noise, -1 to 1. Each channel is another noise.
    fn noise(&self, channel: u32, at: f64) -> f32 {
        let whole = at.floor();
        let share = (at - whole) as f32;
        let value = |step: i64| {
            let bits = hash(u64::from(self.seed) << 32 | u64::from(channel), (whole as i64).wrapping_add(step) as u64);
            (bits >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
        };
        let smooth = share * share * (3.0 - 2.0 * share);
        value(0) + (value(1) - value(0)) * smooth
    }
}

/// Mixes two numbers to 64 random bits, by the finalizer of splitmix64.
const fn hash(a: u64, b: u64) -> u64 {
    let mut bits = a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_travel_along_the_direction() {
        let wind = TestWind { turbulence: 0.0, ..TestWind::default() };
        for tick in 0..300 {
            let seconds = f64::from(tick) / 60.0;
            let here = wind.acceleration(Vec3::ZERO, seconds);
            let there = wind.acceleration(wind.direction() * 0.75, seconds + 0.75 / TRAVEL_SPEED);
            assert!(here.distance(there) < 1e-3, "{here} and {there} at {seconds} s");
            assert!(here.normalize().dot(wind.direction()) > 0.999, "gusts change the strength, not the direction");
        }
    }

    #[test]
    fn the_mean_is_the_strength_and_the_seed_changes_the_gusts() {
        let at = |wind: TestWind, tick: i32| wind.acceleration(Vec3::ONE, f64::from(tick) / 60.0);
        let wind = TestWind { turbulence: 1.0, gusts: 1.0, ..TestWind::default() };
        let mean = (0..60_000).map(|tick| at(wind, tick)).sum::<Vec3>() / 60_000.0;
        assert!(mean.distance(wind.direction() * wind.strength) < 0.1 * wind.strength, "the mean is {mean}");
        let steady = TestWind { turbulence: 0.0, gusts: 0.0, ..wind };
        assert!(at(steady, 0).distance(at(steady, 99)) < 1e-5);
        assert!(at(wind, 10).distance(at(TestWind { seed: 2, ..wind }, 10)) > 0.1);
    }

    #[test]
    fn sanitized_values_are_in_their_ranges_and_give_finite_accelerations() {
        let wild = TestWind {
            heading: f32::NAN,
            elevation: f32::INFINITY,
            strength: -1.0,
            gusts: 9.0,
            turbulence: f32::NAN,
            seed: u32::MAX,
        };
        let wind = wild.sanitized();
        assert_eq!((wind.heading, wind.elevation, wind.strength, wind.gusts), (0.0, 90.0, 0.0, 1.0));
        assert!(TestWind { strength: 100.0, ..wind }.acceleration(Vec3::splat(1e4), 1e9).is_finite());
    }
}
