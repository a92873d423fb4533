//! Forces and their parameters, their strength at a point and time, and the clocks of winds, based on
//! `UnityChanSpringBone` by UTJ.
//!
//! A wind has constant strength. Its direction swings in a plane, and the plane itself rotates. Right is -X, as for
//! Unity data after conversion. The clocks belong to a world, so they are cloned and reset with the world.

use super::vec_util::{sanitize, unit_or_zero};
use crate::math::Frame;
use crate::params::{ParamDef, ParamFields as _, ParamGroup, ParamMeaning, ParamScope, Unit, fields, params};
use crate::rig::BoneId;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::TAU;

/// A force on every joint, along +Z of its node. Names and defaults are those of UTJ `UnityChanSpringBone`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ForceKind {
    /// `ForceVolume`: constant.
    Volume {
        /// Metres per second squared.
        #[serde(with = "crate::math::JsonNumber")]
        strength: f32,
    },
    /// `WindVolume`: the direction swings.
    Wind(Wind),
}

/// The parameters of a `WindVolume`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Wind {
    /// Factor of the strength, 0 to 1.
    #[serde(with = "crate::math::JsonNumber")]
    pub weight: f32,
    /// Metres per second squared.
    #[serde(with = "crate::math::JsonNumber")]
    pub strength: f32,
    /// Swing of the direction: the tangent of its angle.
    #[serde(with = "crate::math::JsonNumber")]
    pub amplitude: f32,
    /// Period of the swing, seconds.
    #[serde(with = "crate::math::JsonNumber")]
    pub period: f32,
    /// Seconds in which the swing's plane goes round once; 0 keeps it upright.
    #[serde(with = "crate::math::JsonNumber")]
    pub spin_period: f32,
    /// Distance between crests, metres.
    #[serde(with = "crate::math::JsonNumber")]
    pub peak_distance: f32,
}

impl Wind {
    /// Default values in `UnityChanSpringBone`.
    pub const DEFAULT: Self =
        Self { weight: 0.0, strength: 100.0, amplitude: 1.0, period: 1.5, spin_period: 1.5, peak_distance: 0.2 };
}

impl Default for Wind {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const FORCE_PARAM: ParamDef = ParamDef {
    group: ParamGroup::World,
    scope: ParamScope::Force,
    meaning: ParamMeaning::Wind,
    ..ParamDef::PLAIN.unbounded()
};

const VOLUME_PARAMS: &[ParamDef] = params![
    /// Steady pull along the node's +Z, in m/s²; half of it acts.
    "strength" "Strength" { unit: Unit::Acceleration, soft_range: (0.0, 30.0), default: 0.01, ..FORCE_PARAM };
];

fields! {
    /// Parameters of a wind.
    const WIND_PARAMS of Wind, "";

    /// Share of the strength that blows, 0 to 1; the engine's default is 0, so that a fresh wind does nothing.
    weight = "weight" "Wind weight" { ..FORCE_PARAM.fraction() };
    /// Pull of the wind, in m/s²; it never varies, only its direction does; half of it acts.
    strength = "strength" "Strength" {
        unit: Unit::Acceleration, soft_range: (0.0, 200.0), default: 100.0, ..FORCE_PARAM
    };
    /// How far the direction swings to the side for each part forward.
    amplitude = "amplitude" "Amplitude" { soft_range: (0.0, 3.0), default: 1.0, ..FORCE_PARAM };
    /// Seconds for one swing of the direction; the wind stops at 0.001 and below.
    period = "period" "Period" { unit: Unit::Seconds, soft_range: (0.0, 10.0), default: 1.5, ..FORCE_PARAM };
    /// Seconds in which the swing's plane goes round once; 0 keeps it upright. Below 0 the engine hangs.
    spin_period = "spinPeriod" "Spin period" { unit: Unit::Seconds, soft_range: (0.0, 10.0), default: 1.5, ..FORCE_PARAM };
    /// From one crest of the swing to the next in space, in metres.
    peak_distance = "peakDistance" "Peaks" { unit: Unit::Metres, soft_range: (0.0, 2.0), default: 0.2, ..FORCE_PARAM };
}

impl ForceKind {
    /// A force of each kind, with the default values of `UnityChanSpringBone`.
    pub const ALL: [Self; 2] = [Self::Volume { strength: 0.01 }, Self::Wind(Wind::DEFAULT)];

    /// Returns the parameter table of this kind.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Volume { .. } => VOLUME_PARAMS,
            Self::Wind(_) => WIND_PARAMS,
        }
    }

    /// Returns the value at an index of [`ForceKind::fields`]; 0 if the index is out of range.
    pub fn field(&self, at: usize) -> f32 {
        match (self, at) {
            (Self::Volume { strength }, 0) => *strength,
            (Self::Volume { .. }, _) => 0.0,
            (Self::Wind(wind), _) => wind.field(at),
        }
    }

    /// Returns a copy with one changed value.
    #[must_use]
    pub fn with_field(mut self, at: usize, value: f32) -> Self {
        match (&mut self, at) {
            (Self::Volume { strength }, 0) => *strength = value,
            (Self::Volume { .. }, _) => {}
            (Self::Wind(wind), _) => wind.set_field(at, value),
        }
        self
    }

    /// Returns the name of the component in `UnityChanSpringBone`.
    pub const fn component_name(&self) -> &'static str {
        match self {
            Self::Volume { .. } => "ForceVolume",
            Self::Wind(_) => "WindVolume",
        }
    }
}

/// A wind or a constant force on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSetup {
    /// The bone. Its +Z axis is the direction of the force.
    pub bone: BoneId,
    /// Kind and parameters.
    pub kind: ForceKind,
    /// Whether the force is enabled.
    pub enabled: bool,
}

/// A baked force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ForceRuntime {
    /// Index of the bone.
    pub bone: u32,
    kind: ForceKind,
    enabled: bool,
    clock: WindClock,
}

/// The state of a swinging wind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct WindClock {
    /// Seconds since the start of the swing period.
    time: f32,
    /// Seconds since the start of the rotation period.
    spin_time: f32,
    /// Phase in radians.
    phase: f32,
    /// Wave number in radians per metre.
    wave_number: f32,
    /// Sideways part of the direction, in world space.
    offset: Vec3,
}

impl Wind {
    /// Returns whether the wind exerts any force.
    pub fn has_force(&self) -> bool {
        self.weight * self.strength > 0.0001 && self.period > 0.001
    }
}

impl ForceRuntime {
    pub(super) fn new(setup: &ForceSetup) -> Self {
        let mut force =
            Self { bone: setup.bone.0, kind: setup.kind, enabled: setup.enabled, clock: WindClock::default() };
        force.bake(setup);
        force
    }

    /// Updates the parameters. The clock keeps running.
    pub(super) fn bake(&mut self, setup: &ForceSetup) {
        self.enabled = setup.enabled;
        let fields = 0..setup.kind.fields().len();
        self.kind = fields.fold(setup.kind, |kind, at| kind.with_field(at, sanitize(kind.field(at))));
    }

    pub(super) fn reset(&mut self) {
        self.clock = WindClock::default();
    }

    /// Copies the clock of the same force in the previous world.
    pub(super) fn carry_over(&mut self, before: &Self) {
        self.clock = before.clock;
    }

    /// Advances the clock by `dt` seconds. `frame` is the frame of the bone.
    pub(super) fn advance(&mut self, frame: &Frame, dt: f32) {
        if let ForceKind::Wind(wind) = &self.kind
            && self.enabled
            && wind.weight > 0.0001
            && wind.period > 0.001
        {
            self.clock.advance(wind, frame, dt);
        }
    }

    /// Returns the acceleration of a joint with its head at `head`, in m/s². `frame` is the frame of the force's bone.
    #[inline]
    pub(super) fn force_on(&self, frame: &Frame, head: Vec3, wind_influence: f32) -> Vec3 {
        match &self.kind {
            _ if !self.enabled => Vec3::ZERO,
            ForceKind::Volume { strength } => frame.rotation * Vec3::Z * *strength,
            ForceKind::Wind(wind) => self.clock.force(wind, frame, head) * wind_influence,
        }
    }

    /// Works like [`Self::force_on`] with full wind influence, but `later` seconds from now (may be negative), with the
    /// current parameters and frame. The clock of a disabled force does not advance.
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
        // Differs from UnityChanSpringBone, where a negative period causes an endless loop. Here the plane rotates
        // backwards.
        let round = wind.spin_period.abs();
        if round > 0.001 {
            self.spin_time = wrap_time(self.spin_time + dt, round);
            let (sin, cos) = libm::sincosf(self.spin_time * TAU / wind.spin_period);
            self.offset = (side * cos + up * sin) * wind.amplitude;
        }
    }

    fn force(&self, wind: &Wind, frame: &Frame, head: Vec3) -> Vec3 {
        if !wind.has_force() {
            return Vec3::ZERO;
        }
        let place = frame.inverse_transform_point(head);
        let place = libm::sinf(self.wave_number * -place.x) + libm::cosf(self.wave_number * place.z);
        unit_or_zero(frame.rotation * Vec3::Z + self.offset * libm::sinf(self.phase + place))
            * (wind.weight * wind.strength)
    }
}

/// Returns `time` modulo `period`; 0 if the result is not finite.
fn wrap_time(time: f32, period: f32) -> f32 {
    let time = if time >= period { time % period } else { time };
    if time.is_finite() { time } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_force_is_read_and_written_by_index() {
        for force in ForceKind::ALL {
            for (at, field) in force.fields().iter().enumerate() {
                assert_eq!(force.field(at), field.default, "{} {}", force.component_name(), field.name);
                assert_eq!(force.with_field(at, 7.5).field(at), 7.5);
            }
        }
        assert_eq!(ForceKind::ALL[1], ForceKind::Wind(Wind::default()));
    }

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
        let earlier = before.force_on(&Frame::WORLD, head, 1.0);
        assert!(
            force.at_time(&Frame::WORLD, head, -40.0 * DT).distance(earlier) < 1e-3,
            "before the start of the period"
        );
        assert!(now.distance(earlier) > 1.0);
        assert!(force.at_time(&Frame::WORLD, head, 0.0).distance(now) < 1e-4);
    }

    #[test]
    fn a_wind_with_default_values_has_no_force() {
        assert_eq!(advance_ticks(&mut wind_force(Wind::default()), 30), Vec3::ZERO);
    }

    #[test]
    fn a_negative_spin_period_turns_backwards_and_does_not_hang() {
        let forward = wind_force(Wind { spin_period: 0.7, ..test_wind() });
        let backward = wind_force(Wind { spin_period: -0.7, ..test_wind() });
        let [forward, backward] = [forward, backward].map(|mut force| {
            advance_ticks(&mut force, 100);
            force.clock.offset
        });
        assert!((forward.y + backward.y).abs() < 1e-5 && (forward.x - backward.x).abs() < 1e-5, "{forward} {backward}");
        assert!(forward.y.abs() > 0.01);
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
