//! Parameter tables of list entries.

use super::{JointDynamicsNodePoint, ListKind};
use crate::document::Node;
use crate::params::{FieldValue, ParamDef, ParamGroup, ParamMeaning, ParamScope, Unit, fields, params};
use crate::sim::{
    Attenuation, BoneConstraint, Compliance, EzCollider, EzForceField, Grabber, JointDynamicsCollider, SurfaceForce,
    SyncBone, SyncDirection, SyncTarget, Turbulence,
};
use glam::Vec3;

const NUMBER: ParamDef = ParamDef { group: ParamGroup::World, scope: ParamScope::Force, ..ParamDef::PLAIN.unbounded() };
const LENGTH: ParamDef = ParamDef {
    unit: Unit::Metres,
    range: (0.0, 10.0),
    soft_range: (0.0, 0.5),
    meaning: ParamMeaning::Radius,
    ..NUMBER
};
const RATIO: ParamDef = NUMBER.fraction();
const TOGGLE: ParamDef = ParamDef { default: 1.0, meaning: ParamMeaning::Switch, ..NUMBER.toggle() };
const CONTACT_TOGGLE: ParamDef = ParamDef { meaning: ParamMeaning::Contact, ..TOGGLE };
const WIND: ParamDef = ParamDef { soft_range: (-5.0, 5.0), meaning: ParamMeaning::Wind, ..NUMBER };
const FREQUENCY: ParamDef =
    ParamDef { unit: Unit::Hertz, range: (0.0, 1000.0), soft_range: (0.0, 5.0), meaning: ParamMeaning::Wind, ..NUMBER };
const AXIS_FACTOR: ParamDef = ParamDef { soft_range: (-2.0, 2.0), default: 1.0, ..NUMBER };

fields! {
    /// A grabber.
    const GRABBER of Grabber<Node>, "SPCRJointDynamicsPointGrabber";

    /// Distance within which points are caught, in metres.
    radius = "_Radius" "Reach" { default: 0.05, ..LENGTH };
    /// Share of the distance to the grabber that a caught point moves per step, 0 to 1.
    force = "_Force" "Force" { default: 0.5, meaning: ParamMeaning::Limit, ..RATIO };
    /// A grabber that is off releases all points.
    enabled = "enabled" "Catches" { ..TOGGLE };
}

fields! {
    /// A force field.
    const FIELD of EzForceField<Node>, "EZSoftBoneForceField";

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
    /// A pair of bones that keep their distance.
    const CONSTRAINT of BoneConstraint<Node>, "ModifyBoneConstraint";

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
    const SYNC of SyncBone<Node>, "KawaiiPhysicsSyncBone";

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
    const SYNC_TARGET of SyncTarget<Node>, "SyncTargetRoot";

    /// Share of the movement that the shifted bones get: the selected ones, or all.
    scale = "Scale" "Share" { soft_range: (0.0, 2.0), default: 1.0, ..NUMBER };
}

fields! {
    /// A point of a network.
    const POINT of JointDynamicsNodePoint, "SPCRJointDynamicsPoint";

    /// Whether the point stays on the animated pose; by default only the first point of each column does.
    fixed = "_IsFixed" "Held" { meaning: ParamMeaning::Switch, ..NUMBER.choice(&["Root only", "Free", "Held"]) };
    /// Mass of the point: divides the effect of wind.
    mass = "_Mass" "Mass" { range: (0.001, 1000.0), soft_range: (0.1, 10.0), default: 1.0, ..NUMBER };
    /// Hit radius of the point, in metres.
    radius = "_PointRadius" "Radius" { soft_range: (0.0, 0.1), ..LENGTH };
    /// Greatest distance of the point from its rest position below its grandparent, in metres; below 0 unlimited.
    movable_limit_radius = "_MovableLimitRadius" "Leash" {
        range: (-1.0, 10.0), soft_range: (-1.0, 1.0), default: -1.0, meaning: ParamMeaning::Limit, ..LENGTH
    };
    /// Share of the animated pose in the result, 0 to 1.
    fade = "_DynamicsRatio" "Animated" { meaning: ParamMeaning::Limit, ..RATIO };
    /// Whether triangles at the point collide, if the component enables surface collision.
    surface_collision = "_UseForSurfaceCollision" "Surface" { ..CONTACT_TOGGLE };
    /// Whether inside colliders act on the point.
    invert_collision = "_ApplyInvertCollision" "Kept inside" { ..CONTACT_TOGGLE };
}

fields! {
    /// What `EZSoftBone` adds to a collider.
    const MARGIN of EzCollider, "EZSoftBoneColliderBase";

    /// Margin around the shape, in metres.
    margin = "m_Margin" "Margin" { ..LENGTH };
}

fields! {
    /// What a network adds to a collider.
    const FRICTION of JointDynamicsCollider, "SPCRJointDynamicsCollider";

    /// Friction of points that touch the collider, 0 to 1.
    friction = "_Friction" "Friction" { default: 0.5, meaning: ParamMeaning::Contact, ..RATIO };
    /// How a capsule moves triangles that cross its axis: not at all, or out of its first or second end.
    surface_force = "_SurfaceColliderForce" "Cloth inside" {
        meaning: ParamMeaning::Contact, ..NUMBER.choice(&["Stays", "Pushed out", "Pulled out"])
    };
}

const FIELD_CURVES: &[ParamDef] = params![
    Vector "m_Curve" { ..WIND } [
        /// Push along X over one period.
        x "Swing X",
        /// Push along Y over one period.
        y "Swing Y",
        /// Push along Z over one period.
        z "Swing Z",
    ];
];

const SYNC_CURVES: &[ParamDef] = params![
    /// Factor on the movement by the distance that the bone has moved; 1 by default.
    "ScaleCurveByDeltaDistance" "Response" { ..NUMBER };
];

impl ListKind {
    /// Returns the parameter table of an entry. The table is empty if entries have no values.
    pub const fn fields(self) -> &'static [ParamDef] {
        match self {
            Self::Grabbers => GRABBER,
            Self::ForceField => FIELD,
            Self::Constraints => CONSTRAINT,
            Self::SyncBones => SYNC,
            Self::Points => POINT,
            Self::Margins => MARGIN,
            Self::Frictions => FRICTION,
            _ => &[],
        }
    }

    /// Returns the names of an entry's curves.
    pub const fn curves(self) -> &'static [ParamDef] {
        match self {
            Self::ForceField => FIELD_CURVES,
            Self::SyncBones => SYNC_CURVES,
            _ => &[],
        }
    }

    /// Returns the index in [`ListKind::fields`] of the value that a curve multiplies.
    pub const fn curve_base_field(self, curve: usize) -> Option<usize> {
        match self {
            Self::ForceField if curve < FIELD_CURVES.len() => Some(curve + 1),
            _ => None,
        }
    }

    /// Returns the parameter table of each further node of an entry, for example of shifted bones.
    pub const fn member_fields(self) -> &'static [ParamDef] {
        if matches!(self, Self::SyncBones) { SYNC_TARGET } else { &[] }
    }

    /// Returns the name of the component in Unity or Unreal that stores the values of further nodes. The name is a
    /// translation key.
    pub const fn member_component_name(self) -> &'static str {
        component_name_of(self.member_fields())
    }

    /// Returns the name of the component in Unity or Unreal that stores these values. The name is a translation key.
    pub const fn component_name(self) -> &'static str {
        component_name_of(self.fields())
    }
}

const fn component_name_of(table: &[ParamDef]) -> &'static str {
    match table {
        [first, ..] => first.owner,
        [] => "",
    }
}

impl FieldValue for Vec3 {
    fn number_at(&self, part: usize) -> f32 {
        self[part]
    }

    fn set_number_at(&mut self, part: usize, value: f32) {
        self[part] = value;
    }
}

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

/// Values below 0 mean `None`.
impl FieldValue for Option<f32> {
    fn number_at(&self, _: usize) -> f32 {
        self.unwrap_or(-1.0)
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = (value >= 0.0).then_some(value);
    }
}

/// 0 means `None`, 1 means `false`, 2 means `true`.
impl FieldValue for Option<bool> {
    fn number_at(&self, _: usize) -> f32 {
        self.map_or(0.0, |yes| if yes { 2.0 } else { 1.0 })
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = (value >= 0.5).then_some(value >= 1.5);
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

impl FieldValue for SurfaceForce {
    fn number_at(&self, _: usize) -> f32 {
        f32::from(*self as u8)
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = match value {
            value if value >= 1.5 => Self::Pull,
            value if value >= 0.5 => Self::Push,
            _ => Self::Off,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ParamFields as _;
    use crate::rig::BoneId;

    #[test]
    fn fields_of_the_inactive_turbulence_mode_are_hidden_and_not_written() {
        let [mode, noise, cycle, delay] = ["m_TurbulenceMode", "m_Frequency x", "m_TimeCycle", "m_Conductivity"]
            .map(|name| FIELD.iter().position(|def| def.name == name).expect("a number of the table"));
        let mut own = EzForceField::new(Node::Bone(BoneId(0)));
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
                && !own.is_relevant(FIELD.len())
        );
        own.set_field(mode, 0.0);
        assert_eq!(own, before);
    }

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
