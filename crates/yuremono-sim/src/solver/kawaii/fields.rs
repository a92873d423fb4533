//! Parameter tables of bone constraints and of synchronized bones.

use super::setup::{Attenuation, BoneConstraint, Compliance, SyncBone, SyncDirection, SyncTarget};
use crate::params::{FieldValue, ParamDef, ParamMeaning, fields, params};
use crate::solver::list_fields::{CONTACT_TOGGLE, LENGTH, NUMBER, RATIO, TOGGLE};

const AXIS_FACTOR: ParamDef = ParamDef { soft_range: (-2.0, 2.0), default: 1.0, ..NUMBER };

fields! {
    /// A pair of bones that keep their distance.
    pub const BONE_CONSTRAINT_FIELDS[N] of BoneConstraint<N>, "ModifyBoneConstraint";

    /// Compliance of the pair, from stiffest to softest; by default that of the component.
    compliance = "ComplianceType" "Gives way" {
        meaning: ParamMeaning::Limit,
        ..NUMBER.choice(&["As the component", "Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"])
    };
    /// Distance that the pair keeps, in metres; below 0 the distance in the rest pose.
    length = "Length" "Length" {
        range: (-1.0, 10.0), soft_range: (-0.1, 0.5), default: -1.0, meaning: ParamMeaning::Limit, ..LENGTH
    };
    /// Whether points between the two bones collide, if the component adds such points.
    subdivided = "Subdivided" "Divided" { ..CONTACT_TOGGLE };
}

fields! {
    /// A bone that shifts others.
    pub const SYNC_BONE_FIELDS[N] of SyncBone<N>, "KawaiiPhysicsSyncBone";

    scale: Vector = "GlobalScale" { ..AXIS_FACTOR } [
        /// Factor on the movement along the component's X.
        x "Scale X",
        /// Factor on the movement along the component's Y.
        y "Scale Y",
        /// Factor on the movement along the component's Z.
        z "Scale Z",
    ];
    directions: Vector = "ApplyDirection" {
        ..NUMBER.choice(&["Both ways", "Only along", "Only against", "Not at all"])
    } [
        /// Directions of movement that count along the component's X.
        x "Counts on X",
        /// Directions of movement that count along the component's Y.
        y "Counts on Y",
        /// Directions of movement that count along the component's Z.
        z "Counts on Z",
    ];
    /// Whether more distant bones are shifted less.
    attenuation = "EnableAttenuation" "Fades out" { default: 0.0, ..TOGGLE };
    /// Distance of a shifted bone up to which it gets the whole movement, in metres.
    attenuation + 1 = "InnerRadius" "Fades from" { default: DEFAULT_ATTENUATION.inner, ..LENGTH };
    /// Distance of a shifted bone from which on the attenuation is greatest, in metres.
    attenuation + 2 = "OuterRadius" "Fades to" { default: DEFAULT_ATTENUATION.outer, ..LENGTH };
    /// Greatest attenuation, as a share of the movement, 0 to 1.
    attenuation + 3 = "MaxAttenuation" "Lost at most" { default: DEFAULT_ATTENUATION.max_attenuation, ..RATIO };
}

fields! {
    /// A bone that another one shifts.
    pub const SYNC_TARGET_FIELDS[N] of SyncTarget<N>, "SyncTargetRoot";

    /// Share of the movement that the shifted bones get: the selected ones, or all.
    scale = "Scale" "Share" { soft_range: (0.0, 2.0), default: 1.0, ..NUMBER };
}

/// The curves of a synchronized bone.
pub const SYNC_BONE_CURVES: &[ParamDef] = params![
    /// Factor on the movement by the distance that the bone has moved; 1 by default.
    "ScaleCurveByDeltaDistance" "Response" { ..NUMBER };
];

/// 0 means that the compliance of the component is used.
impl FieldValue for Option<Compliance> {
    fn number_at(&self, _: usize) -> f32 {
        let place = |c: Compliance| Compliance::ALL.iter().position(|known| *known == c);
        self.and_then(place).map_or(0.0, |place| place as f32 + 1.0)
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = (value >= 0.5).then(|| Compliance::from_index(value.round() - 1.0));
    }
}

const SYNC_DIRECTIONS: [SyncDirection; 4] =
    [SyncDirection::Both, SyncDirection::Positive, SyncDirection::Negative, SyncDirection::None];

impl FieldValue for [SyncDirection; 3] {
    fn number_at(&self, part: usize) -> f32 {
        SYNC_DIRECTIONS.iter().position(|way| *way == self[part]).unwrap_or_default() as f32
    }

    fn set_number_at(&mut self, part: usize, value: f32) {
        self[part] = SYNC_DIRECTIONS[(value.round().max(0.0) as usize).min(SYNC_DIRECTIONS.len() - 1)];
    }
}

/// The values that attenuation has when it is first enabled.
const DEFAULT_ATTENUATION: Attenuation = Attenuation { inner: 0.1, outer: 0.5, max_attenuation: 1.0 };

impl FieldValue for Option<Attenuation> {
    fn number_at(&self, part: usize) -> f32 {
        let fade = self.unwrap_or(DEFAULT_ATTENUATION);
        [f32::from(u8::from(self.is_some())), fade.inner, fade.outer, fade.max_attenuation][part]
    }

    fn set_number_at(&mut self, part: usize, value: f32) {
        match (part, &mut *self) {
            (0, _) => *self = (value >= 0.5).then(|| self.unwrap_or(DEFAULT_ATTENUATION)),
            (1, Some(fade)) => fade.inner = value,
            (2, Some(fade)) => fade.outer = value,
            (3, Some(fade)) => fade.max_attenuation = value,
            _ => {}
        }
    }

    fn is_relevant(&self, part: usize) -> bool {
        part == 0 || self.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attenuation_ignores_values_until_it_is_enabled_with_defaults() {
        let mut fade: Option<Attenuation> = None;
        fade.set_number_at(1, 0.4);
        assert_eq!(fade, None);
        fade.set_number_at(0, 1.0);
        fade.set_number_at(1, 0.4);
        fade.set_number_at(0, 1.0);
        assert_eq!(fade, Some(Attenuation { inner: 0.4, ..DEFAULT_ATTENUATION }));
    }
}
