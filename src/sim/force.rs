//! What blows and pulls, and the table of its numbers.

use crate::params::{ParamDef, ParamFields as _, ParamGroup, ParamMeaning, ParamScope, Unit, fields, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A force on every joint, along the +Z of its node. Names and defaults are those of UTJ `UnityChanSpringBone`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ForceKind {
    /// `ForceVolume`: steady.
    Volume {
        /// Metres per second squared.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::JsonNumber")]
        strength: f32,
    },
    /// `WindVolume`: a force whose direction swings.
    Wind(Wind),
}

/// The numbers of a `WindVolume`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Wind {
    /// Share of the strength, 0 to 1.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub weight: f32,
    /// Metres per second squared.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub strength: f32,
    /// How far the direction swings: the tangent of the angle.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub amplitude: f32,
    /// Seconds for one swing.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub period: f32,
    /// Seconds in which the swing's plane goes round once; 0 keeps it upright.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub spin_period: f32,
    /// Metres from one crest to the next.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "crate::math::JsonNumber")]
    pub peak_distance: f32,
}

impl Wind {
    /// The engine's defaults.
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
    /// The numbers of a wind.
    const WIND_PARAMS of Wind, "";

    /// Share of the strength that blows, 0 to 1; the engine's default is 0, so that a fresh wind does nothing.
    weight = "weight" "Weight" { ..FORCE_PARAM.fraction() };
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
    /// A force of each kind with the engine's defaults.
    pub const ALL: [Self; 2] = [Self::Volume { strength: 0.01 }, Self::Wind(Wind::DEFAULT)];

    /// The table of its numbers.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Volume { .. } => VOLUME_PARAMS,
            Self::Wind(_) => WIND_PARAMS,
        }
    }

    /// One number by its position in [`ForceKind::fields`]; 0 beyond.
    pub fn field(&self, at: usize) -> f32 {
        match (self, at) {
            (Self::Volume { strength }, 0) => *strength,
            (Self::Volume { .. }, _) => 0.0,
            (Self::Wind(wind), _) => wind.field(at),
        }
    }

    /// The same with one number changed.
    #[must_use]
    pub fn with_field(mut self, at: usize, value: f32) -> Self {
        match (&mut self, at) {
            (Self::Volume { strength }, 0) => *strength = value,
            (Self::Volume { .. }, _) => {}
            (Self::Wind(wind), _) => wind.set_field(at, value),
        }
        self
    }

    /// The original component's name.
    pub const fn component_name(&self) -> &'static str {
        match self {
            Self::Volume { .. } => "ForceVolume",
            Self::Wind(_) => "WindVolume",
        }
    }
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
}
