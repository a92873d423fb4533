//! How hard a force pulls at a point, now and a while before or after, and the clocks of winds, after UTJ
//! `UnityChanSpringBone`.
//!
//! A wind has one strength and swings in direction alone: sideways along a line that itself goes round. Unity's right
//! is -X here. Clocks belong to the world that runs them: they are cloned with it and start anew with it.

use super::force::{ForceKind, Wind};
use super::setup::ForceSetup;
use super::vec_util::sanitize;
use super::vec_util::unit_or_zero;
use crate::math::Frame;
use glam::Vec3;
use std::f32::consts::TAU;

/// A force on a bone, ready for the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForceRuntime {
    /// Position of its bone.
    pub bone: u32,
    kind: ForceKind,
    enabled: bool,
    clock: WindClock,
}

/// Where a wind is in its swing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WindClock {
    /// Seconds into the swing.
    time: f32,
    /// Seconds into the round of the swing's plane.
    spin_time: f32,
    /// Radians.
    phase: f32,
    /// Radians per metre.
    wave_number: f32,
    /// To the side, in the world.
    offset: Vec3,
}

impl Wind {
    /// Whether it blows at all.
    pub fn blows(&self) -> bool {
        self.weight * self.strength > 0.0001 && self.period > 0.001
    }
}

impl ForceRuntime {
    /// With its clock at the start.
    pub(super) fn new(setup: &ForceSetup) -> Self {
        let mut force =
            Self { bone: setup.bone.0, kind: setup.kind, enabled: setup.enabled, clock: WindClock::default() };
        force.bake(setup);
        force
    }

    /// Reads its numbers again; the clock goes on.
    pub(super) fn bake(&mut self, setup: &ForceSetup) {
        self.enabled = setup.enabled;
        let fields = 0..setup.kind.fields().len();
        self.kind = fields.fold(setup.kind, |kind, at| kind.with_field(at, sanitize(kind.field(at))));
    }

    /// Starts the clock anew.
    pub(super) fn reset(&mut self) {
        self.clock = WindClock::default();
    }

    /// Takes over the clock of the same force in a world that goes on in this one.
    pub(super) fn carry_over(&mut self, before: &Self) {
        self.clock = before.clock;
    }

    /// One frame of the engine, `dt` seconds; `frame` is the bone's.
    pub(super) fn advance(&mut self, frame: &Frame, dt: f32) {
        if let ForceKind::Wind(wind) = &self.kind
            && self.enabled
            && wind.weight > 0.0001
            && wind.period > 0.001
        {
            self.clock.advance(wind, frame, dt);
        }
    }

    /// The pull on a joint whose head is at `head`, m/s²; `frame` is that of the force's bone.
    #[inline]
    pub(super) fn force_on(&self, frame: &Frame, head: Vec3, wind_influence: f32) -> Vec3 {
        match &self.kind {
            _ if !self.enabled => Vec3::ZERO,
            ForceKind::Volume { strength } => frame.rotation * Vec3::Z * *strength,
            ForceKind::Wind(wind) => self.clock.force(wind, frame, head) * wind_influence,
        }
    }
}

impl ForceRuntime {
    /// As [`Self::force_on`] on a joint that takes the wind whole, `later` seconds from now (before now where below zero), did
    /// nothing else change until then. What is off stands still.
    pub(super) fn at_time(&self, frame: &Frame, head: Vec3, later: f32) -> Vec3 {
        let mut then = *self;
        then.advance(frame, later);
        then.force_on(frame, head, 1.0)
    }
}

impl WindClock {
    fn advance(&mut self, wind: &Wind, frame: &Frame, dt: f32) {
        self.wave_number = TAU / wind.peak_distance.max(0.0001);
        self.time = wrap_time(self.time + dt, wind.period);
        self.phase = self.time * TAU / wind.period;
        let (side, up) = (frame.rotation * Vec3::NEG_X, frame.rotation * Vec3::Y);
        self.offset = up * wind.amplitude;
        // Differs from UnityChanSpringBone: a period below zero hangs the engine; here the plane goes round backwards.
        let round = wind.spin_period.abs();
        if round > 0.001 {
            self.spin_time = wrap_time(self.spin_time + dt, round);
            let (sin, cos) = (self.spin_time * TAU / wind.spin_period).sin_cos();
            self.offset = (side * cos + up * sin) * wind.amplitude;
        }
    }

    fn force(&self, wind: &Wind, frame: &Frame, head: Vec3) -> Vec3 {
        if !wind.blows() {
            return Vec3::ZERO;
        }
        let place = frame.inverse_transform_point(head);
        let place = (self.wave_number * -place.x).sin() + (self.wave_number * place.z).cos();
        unit_or_zero(frame.rotation * Vec3::Z + self.offset * (self.phase + place).sin())
            * (wind.weight * wind.strength)
    }
}

/// `time` within one period; 0 where it is not a number.
fn wrap_time(time: f32, period: f32) -> f32 {
    let time = if time >= period { time % period } else { time };
    if time.is_finite() { time } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::BoneId;

    const DT: f32 = 1.0 / 60.0;

    fn wind_force(wind: Wind) -> ForceRuntime {
        ForceRuntime::new(&ForceSetup { bone: BoneId(0), kind: ForceKind::Wind(wind), enabled: true })
    }

    fn test_wind() -> Wind {
        Wind { weight: 0.5, strength: 20.0, ..Wind::default() }
    }

    fn advance_ticks(force: &mut ForceRuntime, ticks: u32) -> Vec3 {
        (0..ticks).for_each(|_| force.advance(&Frame::WORLD, DT));
        force.force_on(&Frame::WORLD, Vec3::new(0.03, 1.0, 0.02), 1.0)
    }

    #[test]
    fn a_wind_changes_its_direction_but_not_its_strength() {
        let mut force = wind_force(test_wind());
        let seen: Vec<Vec3> = (0..90).map(|_| advance_ticks(&mut force, 1)).collect();
        assert!(seen.iter().all(|f| (f.length() - 10.0).abs() < 1e-4));
        assert!(seen.windows(2).any(|w| w[0].distance(w[1]) > 0.1));
    }

    #[test]
    fn at_time_equals_the_force_after_as_many_steps_forwards_and_backwards() {
        let head = Vec3::new(0.03, 1.0, 0.02);
        let mut force = wind_force(Wind { period: 0.9, spin_period: 0.7, ..test_wind() });
        advance_ticks(&mut force, 200);
        let before = force;
        let now = advance_ticks(&mut force, 40);
        assert!(before.at_time(&Frame::WORLD, head, 40.0 * DT).distance(now) < 1e-3);
        let was = before.force_on(&Frame::WORLD, head, 1.0);
        assert!(force.at_time(&Frame::WORLD, head, -40.0 * DT).distance(was) < 1e-3, "beyond the start of its round");
        assert!(now.distance(was) > 1.0);
        assert!(force.at_time(&Frame::WORLD, head, 0.0).distance(now) < 1e-4);
    }

    #[test]
    fn a_wind_with_default_values_has_no_force() {
        assert_eq!(advance_ticks(&mut wind_force(Wind::default()), 30), Vec3::ZERO);
    }

    #[test]
    fn a_negative_spin_period_turns_backwards_and_does_not_hang() {
        let there = wind_force(Wind { spin_period: 0.7, ..test_wind() });
        let back = wind_force(Wind { spin_period: -0.7, ..test_wind() });
        let [there, back] = [there, back].map(|mut force| {
            advance_ticks(&mut force, 100);
            force.clock.offset
        });
        assert!((there.y + back.y).abs() < 1e-5 && (there.x - back.x).abs() < 1e-5, "{there} {back}");
        assert!(there.y.abs() > 0.01);
    }

    #[test]
    fn the_clock_of_a_force_pauses_while_disabled_and_restarts_on_reset() {
        let mut force = wind_force(test_wind());
        let start = advance_ticks(&mut force, 1);
        let moved = advance_ticks(&mut force, 20);
        let mut off = ForceSetup { bone: BoneId(0), kind: force.kind, enabled: false };
        force.bake(&off);
        assert_eq!(advance_ticks(&mut force, 20), Vec3::ZERO);
        off.enabled = true;
        force.bake(&off);
        assert_eq!(advance_ticks(&mut force, 0), moved);
        force.reset();
        assert_eq!(advance_ticks(&mut force, 1), start);
    }

    #[test]
    fn non_finite_fields_give_a_finite_force() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0] {
            for (at, _) in ForceKind::Wind(test_wind()).fields().iter().enumerate() {
                let kind = ForceKind::Wind(test_wind()).with_field(at, bad);
                let mut force = ForceRuntime::new(&ForceSetup { bone: BoneId(0), kind, enabled: true });
                assert!(advance_ticks(&mut force, 40).is_finite(), "field {at}: {bad}");
                force.advance(&Frame::WORLD, bad);
                assert!(advance_ticks(&mut force, 1).is_finite(), "field {at}: {bad}");
            }
        }
    }
}
