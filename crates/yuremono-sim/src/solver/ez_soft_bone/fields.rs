//! Parameter tables of force fields and of what the component adds to colliders.

use super::setup::{EzCollider, EzForceField, Turbulence};
use crate::params::{FieldValue, ParamDef, ParamMeaning, Unit, fields, params};
use crate::solver::list_fields::{LENGTH, NUMBER, TOGGLE};

const WIND: ParamDef = ParamDef { soft_range: (-5.0, 5.0), meaning: ParamMeaning::Wind, ..NUMBER };
const FREQUENCY: ParamDef =
    ParamDef { unit: Unit::Hertz, range: (0.0, 1000.0), soft_range: (0.0, 5.0), meaning: ParamMeaning::Wind, ..NUMBER };

fields! {
    /// A force field.
    pub const FORCE_FIELD_FIELDS[N] of EzForceField<N>, "EZSoftBoneForceField";

    /// Steady push along the node's +Z, in m/s for each frame.
    force = "m_Force" "Force" { default: 1.0, ..WIND };
    turbulence: Vector = "m_Turbulence" { default: 2.0, ..WIND } [
        /// How much the push swings along the node's X axis, in m/s for each frame.
        x "Swing X" { default: 1.0 },
        /// How much the push swings along the node's Y axis, in m/s for each frame.
        y "Swing Y" { default: 0.5 },
        /// How much the push swings along the node's Z axis, in m/s for each frame.
        z "Swing Z",
    ];
    /// Whether the push varies by noise or by curves that repeat.
    mode = "m_TurbulenceMode" "Swings by" { ..WIND.choice(&["Noise", "Curves"]) };
    mode + 1: Vector = "m_Frequency" { default: 1.0, ..FREQUENCY } [
        /// Swings per second along X.
        x "Noise X",
        /// Swings per second along Y.
        y "Noise Y",
        /// Swings per second along Z.
        z "Noise Z" { default: 1.5 },
    ];
    /// Period of the curves, in seconds.
    mode + 4 = "m_TimeCycle" "Cycle" {
        unit: Unit::Seconds, range: (0.01, 3600.0), soft_range: (0.1, 10.0), default: 2.0, ..WIND
    };
    /// Delay of the field at the tip of a chain relative to its root, in seconds.
    conductivity = "m_Conductivity" "Delay" {
        unit: Unit::Seconds, range: (0.0, 10.0), default: 0.15, meaning: ParamMeaning::Wind, ..NUMBER
    };
    /// A field that is off has no effect; its clock continues.
    enabled = "enabled" "Blows" { ..TOGGLE };
}

fields! {
    /// What `EZSoftBone` adds to a collider.
    pub const COLLIDER_FIELDS of EzCollider, "EZSoftBoneColliderBase";

    /// Margin around the shape, in metres.
    margin = "m_Margin" "Margin" { ..LENGTH };
}

/// The curves of a force field.
pub const FORCE_FIELD_CURVES: &[ParamDef] = params![
    Vector "m_Curve" { ..WIND } [
        /// Push along X over one period.
        x "Swing X",
        /// Push along Y over one period.
        y "Swing Y",
        /// Push along Z over one period.
        z "Swing Z",
    ];
];

impl FieldValue for Turbulence {
    fn number_at(&self, part: usize) -> f32 {
        match (part, self) {
            (0, mode) => f32::from(u8::from(matches!(mode, Self::Curve { .. }))),
            (1..=3, Self::Perlin { frequency }) => frequency[part - 1],
            (4, Self::Curve { cycle, .. }) => *cycle,
            _ => 0.0,
        }
    }

    fn set_number_at(&mut self, part: usize, value: f32) {
        match (part, &mut *self) {
            (0, Self::Perlin { .. }) if value >= 0.5 => *self = Self::default_curves(),
            (0, Self::Curve { .. }) if value < 0.5 => *self = EzForceField::new(()).mode,
            (1..=3, Self::Perlin { frequency }) => frequency[part - 1] = value,
            (4, Self::Curve { cycle, .. }) => *cycle = value,
            _ => {}
        }
    }

    fn is_relevant(&self, part: usize) -> bool {
        match part {
            0 => true,
            1..=3 => matches!(self, Self::Perlin { .. }),
            _ => matches!(self, Self::Curve { .. }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ParamFields as _;

    #[test]
    fn fields_of_the_inactive_turbulence_mode_are_hidden_and_not_written() {
        let [mode, noise, cycle, delay] = ["m_TurbulenceMode", "m_Frequency x", "m_TimeCycle", "m_Conductivity"]
            .map(|name| FORCE_FIELD_FIELDS.iter().position(|def| def.name == name).expect("a number of the table"));
        let mut own = EzForceField::new(());
        let before = own.clone();
        own.set_field(cycle, 9.0);
        assert_eq!(own, before);
        assert!(own.is_relevant(noise) && !own.is_relevant(cycle));
        own.set_field(mode, 1.0);
        assert_eq!(own.mode, Turbulence::default_curves());
        own.set_field(noise, 9.0);
        assert!(
            !own.is_relevant(noise)
                && own.is_relevant(cycle)
                && own.is_relevant(delay)
                && !own.is_relevant(FORCE_FIELD_FIELDS.len())
        );
        own.set_field(mode, 0.0);
        assert_eq!(own, before);
    }
}
