//! One measure for all springs: how fast, how damped, how heavy.
//!
//! Close to rest, every solver moves a tip sideways by the same recurrence with step `h`:
//! `y[n+1] = y[n] + kept (y[n] - y[n-1]) - pulled y[n] + pushed`. [`Feel`] is what an artist sees of it, and the
//! functions here lead from an engine's numbers to a [`Feel`] and back. Only small angles of one bone are meant:
//! limits, collisions and how bends add up along a chain have no place in it.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Slowest swing that is told apart from none, so that its damping stays a number.
const SLOWEST_HZ: f64 = 1e-4;
/// Least share of the speed that is told apart from a full stop.
const LEAST_KEPT: f64 = 1e-9;

/// How a joint swings, whatever the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feel {
    /// Undamped swings per second.
    pub frequency_hz: f32,
    /// 0 swings for ever, 1 just does not overshoot, more creeps.
    pub damping_ratio: f32,
    /// Steady pull in m/s², along a direction that the caller knows.
    pub acceleration: f32,
}

/// The recurrence itself: what one step of `h` seconds does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Share of the speed that is kept.
    pub kept: f64,
    /// Share of the offset that is taken away.
    pub pulled: f64,
    /// Metres added by the steady pull.
    pub pushed: f64,
}

impl Feel {
    /// What a step of `h` seconds must do to feel so.
    pub fn to_linear(self, h: f32) -> Linear {
        let h = f64::from(h);
        let w = TAU * f64::from(self.frequency_hz);
        let zeta = f64::from(self.damping_ratio);
        let kept = (-2.0 * zeta * w * h).exp();
        let turn = if zeta <= 1.0 {
            (w * (1.0 - zeta * zeta).sqrt() * h).cos()
        } else {
            (w * (zeta * zeta - 1.0).sqrt() * h).cosh()
        };
        let pulled = 1.0 + kept - 2.0 * kept.sqrt() * turn;
        Linear { kept, pulled, pushed: f64::from(self.acceleration) * h * h }
    }
}

impl Linear {
    /// How steps of `h` seconds feel. A pull that overshoots within one step counts as the fastest swing that the
    /// steps can show.
    pub fn to_feel(self, h: f32) -> Feel {
        let h = f64::from(h);
        let kept = self.kept.max(LEAST_KEPT);
        let decay = -kept.ln() / (2.0 * h);
        let turn = (1.0 + kept - self.pulled) / (2.0 * kept.sqrt());
        let squared = if turn > 1.0 {
            decay * decay - (turn.acosh() / h).powi(2)
        } else {
            decay * decay + (turn.max(-1.0).acos() / h).powi(2)
        };
        let w = squared.max(0.0).sqrt().max(TAU * SLOWEST_HZ);
        Feel {
            frequency_hz: (w / TAU) as f32,
            damping_ratio: (decay / w) as f32,
            acceleration: (self.pushed / (h * h)) as f32,
        }
    }
}

/// `UnityChan` `SpringBone`'s numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringBoneValues {
    /// `stiffnessForce`, 1/s².
    pub stiffness: f32,
    /// `dragForce`, share of the speed lost per step.
    pub drag: f32,
    /// `springForce` along the direction that the caller knows, m/s²; the manager's gravity adds to it.
    pub force: f32,
}

impl SpringBoneValues {
    /// How these numbers feel with steps of `h` seconds. The engine halves every acceleration.
    pub fn feel(self, h: f32) -> Feel {
        let half = 0.5 * f64::from(h) * f64::from(h);
        Linear {
            kept: 1.0 - f64::from(self.drag),
            pulled: f64::from(self.stiffness) * half,
            pushed: f64::from(self.force) * half,
        }
        .to_feel(h)
    }

    /// The numbers that feel so with steps of `h` seconds.
    pub fn from_feel(feel: Feel, h: f32) -> Self {
        let linear = feel.to_linear(h);
        let half = 0.5 * f64::from(h) * f64::from(h);
        Self {
            stiffness: (linear.pulled / half) as f32,
            drag: (1.0 - linear.kept) as f32,
            force: (linear.pushed / half) as f32,
        }
    }
}

/// VRM's numbers of one joint; what they do depends on the bone's length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmValues {
    /// `stiffness` (0.x: `stiffiness`), m/s.
    pub stiffness: f32,
    /// `dragForce`, share of the speed lost per step.
    pub drag: f32,
    /// `gravityPower`, m/s.
    pub gravity_power: f32,
}

impl VrmValues {
    /// How these numbers feel on a bone of `length` metres with steps of `h` seconds.
    pub fn feel(self, length: f32, h: f32) -> Feel {
        let (length, step) = (f64::from(length), f64::from(h));
        let reach = f64::from(self.stiffness) * step;
        let pulled = if length + reach > 0.0 { reach / (length + reach) } else { 0.0 };
        Linear {
            kept: (1.0 - pulled) * (1.0 - f64::from(self.drag)),
            pulled,
            pushed: f64::from(self.gravity_power) * step * (1.0 - pulled),
        }
        .to_feel(h)
    }

    /// The numbers that feel so on a bone of `length` metres with steps of `h` seconds. Drag below 0 means that
    /// VRM cannot swing that long.
    pub fn from_feel(feel: Feel, length: f32, h: f32) -> Self {
        let linear = feel.to_linear(h);
        let rest = (1.0 - linear.pulled).max(LEAST_KEPT);
        Self {
            stiffness: (linear.pulled * f64::from(length) / (rest * f64::from(h))) as f32,
            drag: (1.0 - linear.kept / rest) as f32,
            gravity_power: (f64::from(feel.acceleration) * f64::from(h) / rest) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f32 = 1.0 / 60.0;

    #[track_caller]
    fn near(a: f64, b: f64, share: f64) {
        assert!((a - b).abs() <= share * b.abs().max(1e-9), "{a} is not {b}");
    }

    fn feel(frequency_hz: f32, damping_ratio: f32) -> Feel {
        Feel { frequency_hz, damping_ratio, acceleration: 0.0 }
    }

    #[test]
    fn three_hertz_at_forty_percent_has_the_numbers_of_every_engine() {
        let linear = feel(3.0, 0.4).to_linear(H);
        let h = 1.0 / 60.0;
        // Elastic per step, as DynamicBone and KawaiiPhysics take it.
        near(linear.pulled, 0.0866, 2e-3);
        near(1.0 - linear.kept / (1.0 - linear.pulled), 0.1485, 2e-3);
        // A spring constant on kept speed, as PbdSpringBone takes it.
        near(linear.pulled / (h * h * linear.kept), 400.6, 1e-3);
        near(linear.kept, 0.778, 1e-3);
        let unity = SpringBoneValues::from_feel(feel(3.0, 0.4), H);
        near(f64::from(unity.stiffness), 623.0, 1e-3);
        near(f64::from(unity.drag), 0.222, 2e-3);
        let vrm = VrmValues::from_feel(feel(3.0, 0.4), 0.1, H);
        near(f64::from(vrm.stiffness), 0.569, 1e-3);
        near(f64::from(vrm.drag), 0.1485, 2e-3);
    }

    #[test]
    fn vrm_defaults_feel_stiffer_on_shorter_bones() {
        let values = VrmValues { stiffness: 1.0, drag: 0.4, gravity_power: 0.0 };
        for (length, hz, zeta) in [(0.1, 4.3, 0.75), (0.05, 5.8, 0.65)] {
            let feel = values.feel(length, H);
            near(f64::from(feel.frequency_hz), hz, 0.02);
            near(f64::from(feel.damping_ratio), zeta, 0.02);
        }
    }

    #[test]
    fn every_feel_survives_the_way_there_and_back() {
        for hz in [0.3, 1.0, 3.0, 8.0] {
            for zeta in [0.05, 0.4, 0.99, 1.01, 2.0, 5.0] {
                let wanted = Feel { acceleration: -1.5, ..feel(hz, zeta) };
                let unity = SpringBoneValues::from_feel(wanted, H).feel(H);
                let vrm = VrmValues::from_feel(wanted, 0.07, H).feel(0.07, H);
                for found in [wanted.to_linear(H).to_feel(H), unity, vrm] {
                    // Kept speed near nothing leaves few digits in an f32.
                    let digits = if zeta * hz > 5.0 { 0.05 } else { 2e-3 };
                    near(f64::from(found.frequency_hz), f64::from(hz), digits);
                    near(f64::from(found.damping_ratio), f64::from(zeta), digits);
                    near(f64::from(found.acceleration), -1.5, 1e-3);
                }
            }
        }
    }

    #[test]
    fn the_recurrence_swings_as_often_as_its_feel_says() {
        let linear = feel(2.0, 0.05).to_linear(H);
        let (mut before, mut now, mut crossings) = (1.0, 1.0, 0);
        for _ in 0..600 {
            let next = now + linear.kept * (now - before) - linear.pulled * now;
            crossings += u32::from(next.signum() != f64::signum(now));
            (before, now) = (now, next);
        }
        assert!((39..=41).contains(&crossings), "ten seconds of 2 Hz cross rest 40 times, got {crossings}");
    }

    #[test]
    fn no_spring_and_full_drag_still_give_numbers() {
        let odd = [(0.0, 0.0), (0.0, 1.0), (0.01, 0.4), (5000.0, 0.0), (1e9, 1.0), (-3.0, 2.0)];
        for (stiffness, drag) in odd {
            let found = SpringBoneValues { stiffness, drag, force: 0.0 }.feel(H);
            assert!(found.frequency_hz.is_finite() && found.damping_ratio.is_finite(), "{stiffness} {drag}: {found:?}");
        }
        let limp = SpringBoneValues { stiffness: 0.01, drag: 0.4, force: 0.0 }.feel(H);
        assert!(limp.frequency_hz < 0.02, "the engine's default hardly swings at all: {limp:?}");
        let vrm = VrmValues { stiffness: 0.0, drag: 0.4, gravity_power: 0.0 }.feel(0.0, H);
        assert!(vrm.frequency_hz.is_finite() && vrm.damping_ratio.is_finite());
    }

    #[test]
    fn vrm_gravity_keeps_its_pull() {
        let vrm = VrmValues { stiffness: 1.0, drag: 0.4, gravity_power: 0.2 };
        let unity = SpringBoneValues::from_feel(vrm.feel(0.1, H), H);
        let a = vrm.feel(0.1, H).acceleration;
        near(f64::from(unity.force), f64::from(2.0 * a), 1e-5);
        near(f64::from(a), 0.2 * 60.0 * (0.1 / (0.1 + 1.0 / 60.0)), 1e-4);
    }
}
