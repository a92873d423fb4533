//! Linear spring maths: a common measure of frequency, damping and acceleration for all solvers.
//!
//! Close to rest, every solver moves a tip sideways by the same recurrence with step `h`:
//!
//! `y[n+1] = y[n] + velocity_retention (y[n] - y[n-1]) - offset_removed y[n] + displacement_added`
//!
//! The functions in this module convert the parameters of a solver to a [`SpringFeel`] and back. The conversions are
//! valid for small angles of a single bone. Limits, collisions and the sum of bends along a chain are not modelled.

use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Lower bound for frequencies, so that the damping ratio stays finite.
const MIN_FREQUENCY_HZ: f64 = 1e-4;
/// Lower bound for the velocity retention, so that its logarithm stays finite.
const MIN_VELOCITY_KEPT: f64 = 1e-9;

/// The motion of a joint, as values that do not depend on the solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpringFeel {
    /// Undamped frequency, in Hz.
    pub frequency_hz: f32,
    /// Damping ratio: 0 swings forever, 1 is critically damped.
    pub damping_ratio: f32,
    /// Constant acceleration, in m/s². The caller supplies the direction.
    pub acceleration: f32,
}

/// The recurrence for one step of `h` seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearRecurrence {
    /// Share of the velocity that a step keeps.
    pub velocity_retention: f64,
    /// Share of the offset from rest that a step removes.
    pub offset_removed: f64,
    /// Displacement that the constant acceleration adds in a step, in metres.
    pub displacement_added: f64,
}

impl SpringFeel {
    /// Returns the recurrence that has this feel with steps of `h` seconds.
    pub fn to_recurrence(self, h: f32) -> LinearRecurrence {
        let h = f64::from(h);
        let w = TAU * f64::from(self.frequency_hz);
        let zeta = f64::from(self.damping_ratio);
        let kept = libm::exp(-2.0 * zeta * w * h);
        let turn = if zeta <= 1.0 {
            libm::cos(w * (1.0 - zeta * zeta).sqrt() * h)
        } else {
            libm::cosh(w * (zeta * zeta - 1.0).sqrt() * h)
        };
        let pulled = 1.0 + kept - 2.0 * kept.sqrt() * turn;
        LinearRecurrence {
            velocity_retention: kept,
            offset_removed: pulled,
            displacement_added: f64::from(self.acceleration) * h * h,
        }
    }
}

impl LinearRecurrence {
    /// Returns the feel of steps of `h` seconds. A spring that overshoots within one step gets the highest frequency
    /// that such steps can represent.
    pub fn to_feel(self, h: f32) -> SpringFeel {
        let h = f64::from(h);
        let kept = self.velocity_retention.max(MIN_VELOCITY_KEPT);
        let decay = -libm::log(kept) / (2.0 * h);
        let turn = (1.0 + kept - self.offset_removed) / (2.0 * kept.sqrt());
        let squared = if turn > 1.0 {
            decay * decay - (libm::acosh(turn) / h).powi(2)
        } else {
            decay * decay + (libm::acos(turn.max(-1.0)) / h).powi(2)
        };
        let w = squared.max(0.0).sqrt().max(TAU * MIN_FREQUENCY_HZ);
        SpringFeel {
            frequency_hz: (w / TAU) as f32,
            damping_ratio: (decay / w) as f32,
            acceleration: (self.displacement_added / (h * h)) as f32,
        }
    }
}

/// The parameters of a `UnityChanSpringBone` joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringBoneValues {
    /// `stiffnessForce`, in 1/s².
    pub stiffness: f32,
    /// `dragForce`: share of the velocity that a step removes.
    pub drag: f32,
    /// `springForce` without the gravity of the manager, in m/s². The caller supplies the direction.
    pub force: f32,
}

impl SpringBoneValues {
    /// Returns the feel with steps of `h` seconds. `UnityChanSpringBone` halves every acceleration.
    pub fn to_feel(self, h: f32) -> SpringFeel {
        let half = 0.5 * f64::from(h) * f64::from(h);
        LinearRecurrence {
            velocity_retention: 1.0 - f64::from(self.drag),
            offset_removed: f64::from(self.stiffness) * half,
            displacement_added: f64::from(self.force) * half,
        }
        .to_feel(h)
    }

    /// Returns the parameters that have a feel with steps of `h` seconds.
    pub fn from_feel(feel: SpringFeel, h: f32) -> Self {
        let linear = feel.to_recurrence(h);
        let half = 0.5 * f64::from(h) * f64::from(h);
        Self {
            stiffness: (linear.offset_removed / half) as f32,
            drag: (1.0 - linear.velocity_retention) as f32,
            force: (linear.displacement_added / half) as f32,
        }
    }
}

/// The parameters of a VRM joint. Their effect depends on the bone length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VrmValues {
    /// `stiffness` (`stiffiness` in VRM 0.x), in m/s.
    pub stiffness: f32,
    /// `dragForce`: share of the velocity that a step removes.
    pub drag: f32,
    /// `gravityPower`, in m/s.
    pub gravity_power: f32,
}

impl VrmValues {
    /// Returns the feel on a bone of `length` metres with steps of `h` seconds.
    pub fn to_feel(self, length: f32, h: f32) -> SpringFeel {
        let (length, step) = (f64::from(length), f64::from(h));
        let reach = f64::from(self.stiffness) * step;
        let pulled = if length + reach > 0.0 { reach / (length + reach) } else { 0.0 };
        LinearRecurrence {
            velocity_retention: (1.0 - pulled) * (1.0 - f64::from(self.drag)),
            offset_removed: pulled,
            displacement_added: f64::from(self.gravity_power) * step * (1.0 - pulled),
        }
        .to_feel(h)
    }

    /// Returns the parameters that have a feel on a bone of `length` metres with steps of `h` seconds. A negative drag
    /// means that VRM cannot swing for so long.
    pub fn from_feel(feel: SpringFeel, length: f32, h: f32) -> Self {
        let linear = feel.to_recurrence(h);
        let rest = (1.0 - linear.offset_removed).max(MIN_VELOCITY_KEPT);
        Self {
            stiffness: (linear.offset_removed * f64::from(length) / (rest * f64::from(h))) as f32,
            drag: (1.0 - linear.velocity_retention / rest) as f32,
            gravity_power: (f64::from(feel.acceleration) * f64::from(h) / rest) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f32 = 1.0 / 60.0;

    #[track_caller]
    fn assert_near(a: f64, b: f64, share: f64) {
        assert!((a - b).abs() <= share * b.abs().max(1e-9), "{a} is not {b}");
    }

    fn feel(frequency_hz: f32, damping_ratio: f32) -> SpringFeel {
        SpringFeel { frequency_hz, damping_ratio, acceleration: 0.0 }
    }

    #[test]
    fn three_hertz_with_damping_ratio_0_4_gives_the_known_values_of_each_solver() {
        let linear = feel(3.0, 0.4).to_recurrence(H);
        let h = 1.0 / 60.0;
        // Elasticity per step, as in DynamicBone and KawaiiPhysics.
        assert_near(linear.offset_removed, 0.0866, 2e-3);
        assert_near(1.0 - linear.velocity_retention / (1.0 - linear.offset_removed), 0.1485, 2e-3);
        // A spring constant on the retained velocity, as in PbdSpringBone.
        assert_near(linear.offset_removed / (h * h * linear.velocity_retention), 400.6, 1e-3);
        assert_near(linear.velocity_retention, 0.778, 1e-3);
        let unity = SpringBoneValues::from_feel(feel(3.0, 0.4), H);
        assert_near(f64::from(unity.stiffness), 623.0, 1e-3);
        assert_near(f64::from(unity.drag), 0.222, 2e-3);
        let vrm = VrmValues::from_feel(feel(3.0, 0.4), 0.1, H);
        assert_near(f64::from(vrm.stiffness), 0.569, 1e-3);
        assert_near(f64::from(vrm.drag), 0.1485, 2e-3);
    }

    #[test]
    fn vrm_defaults_feel_stiffer_on_shorter_bones() {
        let values = VrmValues { stiffness: 1.0, drag: 0.4, gravity_power: 0.0 };
        for (length, hz, zeta) in [(0.1, 4.3, 0.75), (0.05, 5.8, 0.65)] {
            let feel = values.to_feel(length, H);
            assert_near(f64::from(feel.frequency_hz), hz, 0.02);
            assert_near(f64::from(feel.damping_ratio), zeta, 0.02);
        }
    }

    #[test]
    fn a_feel_converted_to_solver_values_and_back_is_unchanged() {
        for hz in [0.3, 1.0, 3.0, 8.0] {
            for zeta in [0.05, 0.4, 0.99, 1.01, 2.0, 5.0] {
                let expected = SpringFeel { acceleration: -1.5, ..feel(hz, zeta) };
                let unity = SpringBoneValues::from_feel(expected, H).to_feel(H);
                let vrm = VrmValues::from_feel(expected, 0.07, H).to_feel(0.07, H);
                for found in [expected.to_recurrence(H).to_feel(H), unity, vrm] {
                    // A small velocity retention keeps few digits in an f32.
                    let digits = if zeta * hz > 5.0 { 0.05 } else { 2e-3 };
                    assert_near(f64::from(found.frequency_hz), f64::from(hz), digits);
                    assert_near(f64::from(found.damping_ratio), f64::from(zeta), digits);
                    assert_near(f64::from(found.acceleration), -1.5, 1e-3);
                }
            }
        }
    }

    #[test]
    fn the_recurrence_oscillates_at_the_frequency_of_its_feel() {
        let linear = feel(2.0, 0.05).to_recurrence(H);
        let (mut before, mut now, mut crossings) = (1.0, 1.0, 0);
        for _ in 0..600 {
            let next = now + linear.velocity_retention * (now - before) - linear.offset_removed * now;
            crossings += u32::from(next.signum() != f64::signum(now));
            (before, now) = (now, next);
        }
        assert!((39..=41).contains(&crossings), "ten seconds of 2 Hz cross rest 40 times, got {crossings}");
    }

    #[test]
    fn extreme_stiffness_and_drag_give_a_finite_feel() {
        let odd = [(0.0, 0.0), (0.0, 1.0), (0.01, 0.4), (5000.0, 0.0), (1e9, 1.0), (-3.0, 2.0)];
        for (stiffness, drag) in odd {
            let found = SpringBoneValues { stiffness, drag, force: 0.0 }.to_feel(H);
            assert!(found.frequency_hz.is_finite() && found.damping_ratio.is_finite(), "{stiffness} {drag}: {found:?}");
        }
        let limp = SpringBoneValues { stiffness: 0.01, drag: 0.4, force: 0.0 }.to_feel(H);
        assert!(limp.frequency_hz < 0.02, "the default hardly swings: {limp:?}");
        let vrm = VrmValues { stiffness: 0.0, drag: 0.4, gravity_power: 0.0 }.to_feel(0.0, H);
        assert!(vrm.frequency_hz.is_finite() && vrm.damping_ratio.is_finite());
    }

    #[test]
    fn vrm_gravity_converts_to_the_same_acceleration() {
        let vrm = VrmValues { stiffness: 1.0, drag: 0.4, gravity_power: 0.2 };
        let unity = SpringBoneValues::from_feel(vrm.to_feel(0.1, H), H);
        let a = vrm.to_feel(0.1, H).acceleration;
        assert_near(f64::from(unity.force), f64::from(2.0 * a), 1e-5);
        assert_near(f64::from(a), 0.2 * 60.0 * (0.1 / (0.1 + 1.0 / 60.0)), 1e-4);
    }
}
