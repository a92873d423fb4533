//! Winds: the winds of the scene with random gusts, and the procedural wind, a sum of waves and smooth noise.

use super::{MIN_LENGTH, params};
use crate::params::ParamId;
use glam::Vec3;
use std::f32::consts::TAU;

/// Space in which the direction of the wind is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindSpace {
    Component,
    World,
    Bone,
}

/// The external force `ProceduralWind` of KawaiiPhysics. Speeds are in m/s, times in seconds, and phases in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProceduralWind {
    pub enabled: bool,
    pub space: WindSpace,
    direction: Vec3,
    noise_angle: f32,
    noise_period: f32,
    pub time_scale: f32,
    constant_force: f32,
    sway: [f32; 3],
    ripple: [f32; 3],
    ripple_tip_delay: f32,
    strength_cycle: [f32; 2],
    strength_cycle_period: f32,
    strength_cycle_phase: f32,
    random_force: f32,
    random_period: f32,
    pub seed: i32,
    gust: [f32; 3],
    gust_interval: f32,
}

/// The wind in one step, without the wave along chains.
#[derive(Clone, Copy, Debug)]
pub(super) struct WindSample {
    /// Unit length, in the axes of the wind's space.
    pub direction: Vec3,
    /// The parts of the strength with and without the strength cycle, in m/s.
    cycled_strength: f32,
    constant_strength: f32,
    cycle_factor: f32,
    /// Phase of the wave at the root, in radians.
    ripple_phase: f32,
}

impl ProceduralWind {
    pub(super) fn bake(mut get: impl FnMut(ParamId) -> f32) -> Self {
        let axes = match get(params::WIND_SPACE) {
            v if v < 0.5 => WindSpace::Component,
            v if v < 1.5 => WindSpace::World,
            _ => WindSpace::Bone,
        };
        let direction = Vec3::from(params::WIND_DIRECTION.map(&mut get));
        let mut wave = |force, period, phase: ParamId| [get(force), get(period).max(0.01), get(phase).to_radians()];
        let sway = wave(params::SWAY_FORCE, params::SWAY_PERIOD, params::SWAY_PHASE_OFFSET);
        let wave = wave(params::RIPPLE_FORCE, params::RIPPLE_PERIOD, params::RIPPLE_PHASE_OFFSET);
        Self {
            enabled: get(params::WIND_ENABLED) >= 0.5,
            space: axes,
            // Without a direction, Unreal uses its forward axis.
            direction: direction.try_normalize().unwrap_or(Vec3::X),
            noise_angle: get(params::WIND_NOISE_ANGLE).clamp(0.0, 180.0).to_radians(),
            noise_period: get(params::WIND_NOISE_PERIOD).max(0.01),
            time_scale: get(params::WIND_TIME_SCALE).max(0.0),
            constant_force: get(params::CONSTANT_FORCE),
            sway,
            ripple: wave,
            ripple_tip_delay: get(params::RIPPLE_TIP_PHASE_DELAY).to_radians(),
            strength_cycle: [params::STRENGTH_CYCLE_MIN, params::STRENGTH_CYCLE_MAX].map(&mut get),
            strength_cycle_period: get(params::STRENGTH_CYCLE_PERIOD).max(0.01),
            strength_cycle_phase: get(params::STRENGTH_CYCLE_PHASE_OFFSET).to_radians(),
            random_force: get(params::RANDOM_FORCE),
            random_period: get(params::RANDOM_FORCE_PERIOD).max(0.01),
            seed: get(params::SEED) as i32,
            gust: [params::GUST_STRENGTH, params::GUST_RISE, params::GUST_DECAY].map(&mut get),
            gust_interval: get(params::GUST_INTERVAL),
        }
    }

    /// The wind at a time of its own clock, in seconds.
    pub(super) fn sample(&self, time: f32) -> WindSample {
        let [force, period, phase] = self.sway;
        let swell = libm::sinf(TAU * time / self.strength_cycle_period + self.strength_cycle_phase);
        let [least, most] = self.strength_cycle;
        WindSample {
            direction: self.wandering_direction(time),
            cycled_strength: self.constant_force + force * libm::sinf(TAU * time / period + phase),
            constant_strength: self.random_force
                * smooth_noise(time / self.random_period, self.seed, NoiseChannel::Strength)
                + self.gust_strength(time),
            cycle_factor: least + (most - least) * 0.5 * (1.0 + swell),
            ripple_phase: TAU * time / self.ripple[1] + self.ripple[2],
        }
    }

    /// Strength of the wind at a point of the chain, in m/s. `rate` is 0 at the root and 1 at the end.
    #[inline]
    pub(super) fn strength_at(&self, breeze: &WindSample, rate: f32) -> f32 {
        let wave = self.ripple[0] * libm::sinf(breeze.ripple_phase - rate * self.ripple_tip_delay);
        (breeze.cycled_strength + wave) * breeze.cycle_factor + breeze.constant_strength
    }

    /// The direction of the wind with its current deviation.
    fn wandering_direction(&self, time: f32) -> Vec3 {
        let at = time / self.noise_period;
        let [x, y] =
            [NoiseChannel::DirectionX, NoiseChannel::DirectionY].map(|channel| smooth_noise(at, self.seed, channel));
        let away = (x * x + y * y).sqrt();
        if self.noise_angle <= 1e-4 || away <= 1e-4 {
            return self.direction;
        }
        let (side, up) = self.direction.any_orthonormal_pair();
        tilt(self.direction, (side * x + up * y) / away, self.noise_angle * away.min(1.0))
    }

    /// Strength of the current gust, in m/s. A gust rises and decays linearly.
    fn gust_strength(&self, time: f32) -> f32 {
        let [strength, rise, decay] = self.gust.map(|number| number);
        if self.gust_interval <= 0.0 || strength == 0.0 {
            return 0.0;
        }
        let into = time.rem_euclid(self.gust_interval);
        if into < rise {
            strength * into / rise
        } else if into - rise < decay {
            strength * (1.0 - (into - rise) / decay)
        } else {
            0.0
        }
    }
}

/// Wind of the scene on one point in one step: a random factor of 0 to 2, and a random direction within a cone.
pub(super) fn gusting_scene_wind(pull: Vec3, noise_deg: f32, seed: i32, step: u32, point: usize) -> Vec3 {
    let grid = (step.wrapping_mul(0x9e37) ^ (point as u32).wrapping_mul(0x85eb_ca6b)) as i32;
    let random = |channel| random_unit(seed, grid, channel);
    let length = pull.length();
    if length <= MIN_LENGTH || !length.is_finite() {
        return Vec3::ZERO;
    }
    let mut direction = pull / length;
    if noise_deg > 0.0 {
        // The random direction is uniform over the cap of the cone.
        let (side, up) = direction.any_orthonormal_pair();
        let around = TAU * random(NoiseChannel::ConeAzimuth);
        let cos = 1.0 - random(NoiseChannel::ConePolar) * (1.0 - libm::cosf(noise_deg.to_radians()));
        direction =
            tilt(direction, side * libm::cosf(around) + up * libm::sinf(around), libm::acosf(cos.clamp(-1.0, 1.0)));
    }
    direction * (length * 2.0 * random(NoiseChannel::Gust))
}

/// Rotates `direction` by `angle` radians towards `side`. Both vectors have unit length and are perpendicular.
fn tilt(direction: Vec3, side: Vec3, angle: f32) -> Vec3 {
    (direction * libm::cosf(angle) + side * libm::sinf(angle)).normalize_or(direction)
}

/// What a noise channel is used for. KawaiiPhysics has the first three channels.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoiseChannel {
    Strength,
    DirectionX,
    DirectionY,
    Gust,
    ConeAzimuth,
    ConePolar,
}

/// Hash of three numbers: FNV-1a over words, followed by a finalizer with two multiplications.
fn hash(seed: i32, grid: i32, channel: NoiseChannel) -> u32 {
    let words = [seed, grid, channel as i32];
    let mut mixed = words.iter().fold(0x811c_9dc5_u32, |sum, word| (sum ^ *word as u32).wrapping_mul(0x0100_0193));
    mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x7feb_352d);
    mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x846c_a68b);
    mixed ^ (mixed >> 16)
}

/// A random number in 0..1: the first value of Unreal's `FRandomStream` with the hash as its seed.
fn random_unit(seed: i32, grid: i32, channel: NoiseChannel) -> f32 {
    let next = hash(seed, grid, channel).wrapping_mul(196_314_165).wrapping_add(907_633_515);
    f32::from_bits(0x3f80_0000 | (next >> 9)) - 1.0
}

/// Noise in -1..=1 that is smooth between the integers of `at`.
fn smooth_noise(at: f32, seed: i32, channel: NoiseChannel) -> f32 {
    let floor = at.floor();
    let (grid, t) = (floor as i32, at - floor);
    let [a, b] = [grid, grid.wrapping_add(1)].map(|grid| 2.0 * random_unit(seed, grid, channel) - 1.0);
    a + (b - a) * (t * t * (3.0 - 2.0 * t))
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;
    use crate::params::ParamSet;

    fn wind(values: &[(ParamId, f32)]) -> ProceduralWind {
        let mut set = ParamSet::defaults(PARAMS);
        for (param, value) in values {
            set.set(*param, *value);
        }
        ProceduralWind::bake(|param| set.get(param))
    }

    #[track_caller]
    fn check(wind: &ProceduralWind, time: f32, rate: f32, expected: f32) {
        let found = wind.strength_at(&wind.sample(time), rate);
        assert!((found - expected).abs() < 1e-4, "{found} at {time} s, not {expected}");
    }

    #[test]
    fn the_wind_is_the_sum_of_its_parts_times_the_strength_cycle() {
        let parts = wind(&[
            (params::CONSTANT_FORCE, 1.0),
            (params::SWAY_FORCE, 0.5),
            (params::SWAY_PERIOD, 4.0),
            (params::RIPPLE_FORCE, 0.25),
            (params::RIPPLE_PERIOD, 2.0),
            (params::STRENGTH_CYCLE_MAX, 2.0),
            (params::STRENGTH_CYCLE_MIN, 2.0),
        ]);
        check(&parts, 0.0, 0.0, 2.0);
        check(&parts, 1.0, 0.0, 2.0 * 1.5);
        check(&parts, 0.5, 0.0, 2.0 * (1.0 + 0.5 * std::f32::consts::FRAC_1_SQRT_2 + 0.25));
        // The wave arrives half a period later at the end of the chain.
        check(&parts, 0.5, 1.0, 2.0 * (1.0 + 0.5 * std::f32::consts::FRAC_1_SQRT_2 - 0.25));
    }

    #[test]
    fn a_gust_rises_and_decays_once_per_interval() {
        let gusts = [(params::GUST_STRENGTH, 2.0), (params::GUST_RISE, 0.2), (params::GUST_DECAY, 0.4)];
        let gusts = wind(&[gusts[0], gusts[1], gusts[2], (params::GUST_INTERVAL, 5.0)]);
        for round in [0.0, 5.0, 10.0] {
            for (at, expected) in [(0.1, 1.0), (0.4, 1.0), (0.61, 0.0), (3.0, 0.0)] {
                check(&gusts, round + at, 0.3, expected);
            }
        }
    }

    #[test]
    fn a_wandering_wind_stays_in_its_cone_and_one_seed_repeats() {
        let stray = wind(&[(params::WIND_NOISE_ANGLE, 20.0), (params::RANDOM_FORCE, 1.0), (params::SEED, 5.0)]);
        let angles: Vec<f32> =
            (0..400).map(|i| stray.sample(i as f32 * 0.05).direction.angle_between(Vec3::X)).collect();
        assert!(angles.iter().all(|angle| angle.to_degrees() < 20.01) && angles.iter().any(|a| a.to_degrees() > 5.0));
        let same = wind(&[(params::WIND_NOISE_ANGLE, 20.0), (params::RANDOM_FORCE, 1.0), (params::SEED, 5.0)]);
        let other = wind(&[(params::WIND_NOISE_ANGLE, 20.0), (params::RANDOM_FORCE, 1.0), (params::SEED, 6.0)]);
        let at = |wind: &ProceduralWind| wind.strength_at(&wind.sample(1.7), 0.5);
        assert_eq!(at(&stray), at(&same));
        assert_ne!(at(&stray), at(&other));
    }

    #[test]
    fn scene_wind_gusts_have_zero_to_double_strength_and_stay_in_their_cone() {
        let pull = Vec3::new(0.0, 0.0, 3.0);
        let all: Vec<Vec3> = (0..2000).map(|step| gusting_scene_wind(pull, 30.0, 1, step, 4)).collect();
        let strengths = all.iter().map(|g| g.length());
        let mean = strengths.clone().sum::<f32>() / 2000.0;
        assert!((mean - 3.0).abs() < 0.15, "{mean}");
        assert!(strengths.clone().fold(0.0, f32::max) > 5.5 && strengths.fold(9.0, f32::min) < 0.5);
        assert!(all.iter().all(|g| g.angle_between(pull).to_degrees() < 30.1));
        assert_eq!(gusting_scene_wind(Vec3::ZERO, 30.0, 1, 2, 3), Vec3::ZERO);
    }

    #[test]
    fn noise_is_uniform_and_depends_on_seed_and_channel() {
        let all: Vec<f32> = (0..4000).map(|i| random_unit(7, i, NoiseChannel::Strength)).collect();
        assert!(all.iter().all(|x| (0.0..1.0).contains(x)));
        let mean = all.iter().sum::<f32>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        let other = |seed, channel| (0..4000).filter(|i| random_unit(seed, *i, channel) == all[*i as usize]).count();
        assert!(other(8, NoiseChannel::Strength) < 5 && other(7, NoiseChannel::DirectionX) < 5);
        assert_eq!(other(7, NoiseChannel::Strength), 4000);
    }

    #[test]
    fn smooth_noise_is_continuous_and_equals_the_noise_at_grid_points() {
        let values: Vec<f32> = (0..1000).map(|i| smooth_noise(i as f32 * 0.01, 3, NoiseChannel::DirectionY)).collect();
        assert!(values.windows(2).all(|w| (w[0] - w[1]).abs() < 0.04));
        assert!(
            (smooth_noise(5.0, 3, NoiseChannel::DirectionY)
                - (2.0 * random_unit(3, 5, NoiseChannel::DirectionY) - 1.0))
                .abs()
                < 1e-6
        );
    }
}
