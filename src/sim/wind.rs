//! How hard a force pulls at a point, now and a while before or after, and the clocks of winds, after UTJ
//! `UnityChanSpringBone`.
//!
//! A wind has one strength and swings in direction alone: sideways along a line that itself goes round. Unity's right
//! is -X here. Clocks belong to the world that runs them: they are cloned with it and start anew with it.

use super::force::{ForceKind, Wind};
use super::kernel::finite;
use super::kernel::unit_or_zero;
use super::setup::ForceSetup;
use crate::math::Frame;
use glam::Vec3;
use std::f32::consts::TAU;

/// A force on a bone, ready for the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForceRest {
    /// Position of its bone.
    pub bone: u32,
    kind: ForceKind,
    enabled: bool,
    clock: Clock,
}

/// Where a wind is in its swing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Clock {
    /// Seconds into the swing.
    time: f32,
    /// Seconds into the round of the swing's plane.
    spin: f32,
    /// Radians.
    phase: f32,
    /// Radians per metre.
    waves: f32,
    /// To the side, in the world.
    offset: Vec3,
}

impl Wind {
    /// Whether it blows at all.
    pub fn blows(&self) -> bool {
        self.weight * self.strength > 0.0001 && self.period > 0.001
    }
}

impl ForceRest {
    /// With its clock at the start.
    pub(super) fn new(setup: &ForceSetup) -> Self {
        let mut force = Self { bone: setup.bone.0, kind: setup.kind, enabled: setup.enabled, clock: Clock::default() };
        force.bake(setup);
        force
    }

    /// Reads its numbers again; the clock goes on.
    pub(super) fn bake(&mut self, setup: &ForceSetup) {
        self.enabled = setup.enabled;
        let fields = 0..setup.kind.fields().len();
        self.kind = fields.fold(setup.kind, |kind, at| kind.with_field(at, finite(kind.field(at))));
    }

    /// Starts the clock anew.
    pub(super) fn reset(&mut self) {
        self.clock = Clock::default();
    }

    /// Takes over the clock of the same force in a world that goes on in this one.
    pub(super) fn inherit(&mut self, before: &Self) {
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
    pub(super) fn at(&self, frame: &Frame, head: Vec3, wind_influence: f32) -> Vec3 {
        match &self.kind {
            _ if !self.enabled => Vec3::ZERO,
            ForceKind::Volume { strength } => frame.rotation * Vec3::Z * *strength,
            ForceKind::Wind(wind) => self.clock.blow(wind, frame, head) * wind_influence,
        }
    }
}

impl ForceRest {
    /// As [`Self::at`] on a joint that takes the wind whole, `later` seconds from now (before now where below zero), did
    /// nothing else change until then. What is off stands still.
    pub(super) fn later(&self, frame: &Frame, head: Vec3, later: f32) -> Vec3 {
        let mut then = *self;
        then.advance(frame, later);
        then.at(frame, head, 1.0)
    }
}

impl Clock {
    fn advance(&mut self, wind: &Wind, frame: &Frame, dt: f32) {
        self.waves = TAU / wind.peak_distance.max(0.0001);
        self.time = wrapped(self.time + dt, wind.period);
        self.phase = self.time * TAU / wind.period;
        let (side, up) = (frame.rotation * Vec3::NEG_X, frame.rotation * Vec3::Y);
        self.offset = up * wind.amplitude;
        // Differs from UnityChanSpringBone: a period below zero hangs the engine; here the plane goes round backwards.
        let round = wind.spin_period.abs();
        if round > 0.001 {
            self.spin = wrapped(self.spin + dt, round);
            let (sin, cos) = (self.spin * TAU / wind.spin_period).sin_cos();
            self.offset = (side * cos + up * sin) * wind.amplitude;
        }
    }

    fn blow(&self, wind: &Wind, frame: &Frame, head: Vec3) -> Vec3 {
        if !wind.blows() {
            return Vec3::ZERO;
        }
        let place = frame.inverse_point(head);
        let place = (self.waves * -place.x).sin() + (self.waves * place.z).cos();
        unit_or_zero(frame.rotation * Vec3::Z + self.offset * (self.phase + place).sin())
            * (wind.weight * wind.strength)
    }
}

/// `time` within one period; 0 where it is not a number.
fn wrapped(time: f32, period: f32) -> f32 {
    let time = if time >= period { time % period } else { time };
    if time.is_finite() { time } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::BoneId;

    const DT: f32 = 1.0 / 60.0;

    fn wind(wind: Wind) -> ForceRest {
        ForceRest::new(&ForceSetup { bone: BoneId(0), kind: ForceKind::Wind(wind), enabled: true })
    }

    fn breeze() -> Wind {
        Wind { weight: 0.5, strength: 20.0, ..Wind::default() }
    }

    fn after(force: &mut ForceRest, ticks: u32) -> Vec3 {
        (0..ticks).for_each(|_| force.advance(&Frame::WORLD, DT));
        force.at(&Frame::WORLD, Vec3::new(0.03, 1.0, 0.02), 1.0)
    }

    #[test]
    fn a_wind_swings_in_direction_and_never_in_strength() {
        let mut force = wind(breeze());
        let seen: Vec<Vec3> = (0..90).map(|_| after(&mut force, 1)).collect();
        assert!(seen.iter().all(|f| (f.length() - 10.0).abs() < 1e-4));
        assert!(seen.windows(2).any(|w| w[0].distance(w[1]) > 0.1));
    }

    #[test]
    fn a_while_later_is_what_steps_make_of_it_and_the_way_back_is_the_same() {
        let head = Vec3::new(0.03, 1.0, 0.02);
        let mut force = wind(Wind { period: 0.9, spin_period: 0.7, ..breeze() });
        after(&mut force, 200);
        let before = force;
        let now = after(&mut force, 40);
        assert!(before.later(&Frame::WORLD, head, 40.0 * DT).distance(now) < 1e-3);
        let was = before.at(&Frame::WORLD, head, 1.0);
        assert!(force.later(&Frame::WORLD, head, -40.0 * DT).distance(was) < 1e-3, "beyond the start of its round");
        assert!(now.distance(was) > 1.0);
        assert!(force.later(&Frame::WORLD, head, 0.0).distance(now) < 1e-4);
    }

    #[test]
    fn a_fresh_wind_of_the_engine_does_nothing() {
        assert_eq!(after(&mut wind(Wind::default()), 30), Vec3::ZERO);
    }

    #[test]
    fn a_spin_period_below_zero_turns_the_other_way_round_and_does_not_hang() {
        let there = wind(Wind { spin_period: 0.7, ..breeze() });
        let back = wind(Wind { spin_period: -0.7, ..breeze() });
        let [there, back] = [there, back].map(|mut force| {
            after(&mut force, 100);
            force.clock.offset
        });
        assert!((there.y + back.y).abs() < 1e-5 && (there.x - back.x).abs() < 1e-5, "{there} {back}");
        assert!(there.y.abs() > 0.01);
    }

    #[test]
    fn a_forces_clock_rests_while_it_is_off_and_starts_anew_on_reset() {
        let mut force = wind(breeze());
        let start = after(&mut force, 1);
        let moved = after(&mut force, 20);
        let mut off = ForceSetup { bone: BoneId(0), kind: force.kind, enabled: false };
        force.bake(&off);
        assert_eq!(after(&mut force, 20), Vec3::ZERO);
        off.enabled = true;
        force.bake(&off);
        assert_eq!(after(&mut force, 0), moved);
        force.reset();
        assert_eq!(after(&mut force, 1), start);
    }

    #[test]
    fn numbers_that_are_none_give_a_force_that_is_one() {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1.0] {
            for (at, _) in ForceKind::Wind(breeze()).fields().iter().enumerate() {
                let kind = ForceKind::Wind(breeze()).with_field(at, bad);
                let mut force = ForceRest::new(&ForceSetup { bone: BoneId(0), kind, enabled: true });
                assert!(after(&mut force, 40).is_finite(), "field {at}: {bad}");
                force.advance(&Frame::WORLD, bad);
                assert!(after(&mut force, 1).is_finite(), "field {at}: {bad}");
            }
        }
    }
}
