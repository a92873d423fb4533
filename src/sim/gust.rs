//! The force of a `WindVolume` at one place and time, after UTJ `UnityChanSpringBone`: what scopes and arrows show.

use super::Wind;
use glam::Vec3;
use std::f32::consts::TAU;

/// Weights, strengths and periods up to these are nothing.
const NOTHING: f32 = 1e-4;
const NO_TIME: f32 = 1e-3;

impl Wind {
    /// Whether it blows at all.
    pub fn blows(&self) -> bool {
        self.weight * self.strength > NOTHING && self.weight > NOTHING && self.period > NO_TIME
    }

    /// The force `seconds` after it began to blow, at a place in its own space (metres, +Z is where it goes); m/s² in that
    /// space. Only its direction swings; its length is weight times strength, or zero.
    ///
    /// The original's right is -X here, since its space is left-handed. A spin period below 0, on which the engine hangs,
    /// turns the other way round.
    pub fn gust(&self, seconds: f64, place: Vec3) -> Vec3 {
        if !self.blows() {
            return Vec3::ZERO;
        }
        let turn = |period: f32| (seconds / f64::from(period)).rem_euclid(1.0) as f32 * TAU;
        let side = if self.spin_period.abs() > NO_TIME {
            let (sin, cos) = turn(self.spin_period).sin_cos();
            Vec3::NEG_X * cos + Vec3::Y * sin
        } else {
            Vec3::Y
        };
        let wave = TAU / self.peak_distance.max(NOTHING);
        let phase = turn(self.period) + (-wave * place.x).sin() + (wave * place.z).cos();
        let direction = (Vec3::Z + side * (self.amplitude * phase.sin())).normalize_or_zero();
        let force = direction * (self.weight * self.strength);
        if force.is_finite() { force } else { Vec3::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_wind_does_nothing_and_one_with_weight_keeps_its_strength_while_it_swings() {
        assert_eq!(Wind::default().gust(0.3, Vec3::ZERO), Vec3::ZERO);
        let wind = Wind { weight: 0.5, ..Wind::default() };
        let mut widest = 0.0_f32;
        for i in 0..200_u8 {
            let force = wind.gust(f64::from(i) * 0.02, Vec3::new(0.1, 0.4, -0.3));
            assert!((force.length() - 50.0).abs() < 1e-3, "{force}");
            widest = widest.max((force.normalize().dot(Vec3::Z)).acos());
        }
        assert!((widest.to_degrees() - 45.0).abs() < 2.0, "amplitude 1 is half a right angle: {widest}");
    }

    #[test]
    fn without_spin_it_swings_up_and_down_once_in_its_period() {
        let wind = Wind { weight: 1.0, spin_period: 0.0, period: 2.0, ..Wind::default() };
        let at = |seconds| wind.gust(seconds, Vec3::ZERO);
        // At its own place the phase begins at cos 0 = 1 radian.
        let expected = (Vec3::Z + Vec3::Y * 1.0_f32.sin()).normalize() * 100.0;
        assert!(at(0.0).distance(expected) < 1e-3);
        assert!(at(0.7).x == 0.0 && at(0.7).distance(at(2.7)) < 1e-2 && at(0.7).distance(at(1.7)) > 10.0);
    }

    #[test]
    fn odd_numbers_give_no_nan() {
        for odd in [f32::NAN, f32::INFINITY, -1.0, 0.0] {
            let wind =
                Wind { weight: 1.0, strength: odd, amplitude: odd, period: odd, spin_period: odd, peak_distance: odd };
            assert!(wind.gust(1.0, Vec3::ONE).is_finite(), "{odd}");
            let half = Wind { weight: 1.0, amplitude: odd, spin_period: odd, peak_distance: odd, ..Wind::default() };
            assert!(half.gust(1.0, Vec3::ONE).is_finite(), "{odd}");
        }
    }
}
