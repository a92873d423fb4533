//! What blows and pulls, and the table of its numbers.

use crate::schema::{Group, Idea, ParamDef, Scope, Unit};
use serde::{Deserialize, Serialize};

/// A force on every joint, along the +Z of its node. Names and defaults are those of UTJ `UnityChanSpringBone`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ForceKind {
    /// `ForceVolume`: steady.
    Volume {
        /// Metres per second squared.
        #[serde(with = "crate::math::number")]
        strength: f32,
    },
    /// `WindVolume`: a force whose direction swings.
    Wind(Wind),
}

/// The numbers of a `WindVolume`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Wind {
    /// Share of the strength, 0 to 1.
    #[serde(with = "crate::math::number")]
    pub weight: f32,
    /// Metres per second squared.
    #[serde(with = "crate::math::number")]
    pub strength: f32,
    /// How far the direction swings: the tangent of the angle.
    #[serde(with = "crate::math::number")]
    pub amplitude: f32,
    /// Seconds for one swing.
    #[serde(with = "crate::math::number")]
    pub period: f32,
    /// Seconds in which the swing's plane goes round once; 0 keeps it upright.
    #[serde(with = "crate::math::number")]
    pub spin_period: f32,
    /// Metres from one crest to the next.
    #[serde(with = "crate::math::number")]
    pub peak_distance: f32,
}

impl Wind {
    /// The engine's defaults.
    pub const FRESH: Self =
        Self { weight: 0.0, strength: 100.0, amplitude: 1.0, period: 1.5, spin_period: 1.5, peak_distance: 0.2 };
}

impl Default for Wind {
    fn default() -> Self {
        Self::FRESH
    }
}

const NUMBER: ParamDef = ParamDef {
    group: Group::World,
    scope: Scope::Force,
    range: (f32::MIN, f32::MAX),
    idea: Idea::Wind,
    ..ParamDef::PLAIN
};

const VOLUME: &[ParamDef] = &[ParamDef {
    name: "strength",
    label: "Strength",
    unit: Unit::Acceleration,
    soft_range: (0.0, 30.0),
    default: 0.01,
    doc: "Steady pull along the node's +Z, in m/s²; half of it acts.",
    ..NUMBER
}];
const WIND: &[ParamDef] = &[
    ParamDef {
        name: "weight",
        label: "Weight",
        unit: Unit::Share,
        range: (0.0, 1.0),
        doc: "Share of the strength that blows, 0 to 1; the engine's default is 0, so that a fresh wind does nothing.",
        ..NUMBER
    },
    ParamDef {
        name: "strength",
        label: "Strength",
        unit: Unit::Acceleration,
        soft_range: (0.0, 200.0),
        default: 100.0,
        doc: "Pull of the wind, in m/s²; it never varies, only its direction does; half of it acts.",
        ..NUMBER
    },
    ParamDef {
        name: "amplitude",
        label: "Amplitude",
        soft_range: (0.0, 3.0),
        default: 1.0,
        doc: "How far the direction swings to the side for each part forward.",
        ..NUMBER
    },
    ParamDef {
        name: "period",
        label: "Period",
        unit: Unit::Seconds,
        soft_range: (0.0, 10.0),
        default: 1.5,
        doc: "Seconds for one swing of the direction; the wind stops at 0.001 and below.",
        ..NUMBER
    },
    ParamDef {
        name: "spinPeriod",
        label: "Spin period",
        unit: Unit::Seconds,
        soft_range: (0.0, 10.0),
        default: 1.5,
        doc: "Seconds in which the swing's plane goes round once; 0 keeps it upright. Below 0 the engine hangs.",
        ..NUMBER
    },
    ParamDef {
        name: "peakDistance",
        label: "Peaks",
        unit: Unit::Metres,
        soft_range: (0.0, 2.0),
        default: 0.2,
        doc: "From one crest of the swing to the next in space, in metres.",
        ..NUMBER
    },
];

impl ForceKind {
    /// A force of each kind with the engine's defaults.
    pub const ALL: [Self; 2] = [Self::Volume { strength: 0.01 }, Self::Wind(Wind::FRESH)];

    /// The table of its numbers.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Volume { .. } => VOLUME,
            Self::Wind(_) => WIND,
        }
    }

    /// One number by its position in [`ForceKind::fields`]; 0 beyond.
    pub fn field(mut self, at: usize) -> f32 {
        self.slot(at).map_or(0.0, |slot| *slot)
    }

    /// The same with one number changed.
    #[must_use]
    pub fn with_field(mut self, at: usize, value: f32) -> Self {
        if let Some(slot) = self.slot(at) {
            *slot = value;
        }
        self
    }

    fn slot(&mut self, at: usize) -> Option<&mut f32> {
        Some(match (self, at) {
            (Self::Volume { strength }, 0) => strength,
            (Self::Wind(wind), 0) => &mut wind.weight,
            (Self::Wind(wind), 1) => &mut wind.strength,
            (Self::Wind(wind), 2) => &mut wind.amplitude,
            (Self::Wind(wind), 3) => &mut wind.period,
            (Self::Wind(wind), 4) => &mut wind.spin_period,
            (Self::Wind(wind), 5) => &mut wind.peak_distance,
            _ => return None,
        })
    }

    /// The original component's name.
    pub const fn name(&self) -> &'static str {
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
    fn every_number_of_a_force_is_read_and_written_by_its_place_in_the_table() {
        for force in ForceKind::ALL {
            for (at, field) in force.fields().iter().enumerate() {
                assert_eq!(force.field(at), field.default, "{} {}", force.name(), field.name);
                assert_eq!(force.with_field(at, 7.5).field(at), 7.5);
            }
        }
        assert_eq!(ForceKind::ALL[1], ForceKind::Wind(Wind::default()));
    }
}
