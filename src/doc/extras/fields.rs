//! Numbers of the entries of lists, as tables of the same rows that solvers have.

use super::{Extras, NetPoint, Side};
use crate::doc::ColliderId;
use crate::rig::BoneId;
use crate::schema::{Group, Idea, Kind, ParamDef, Scope, Unit};
use crate::sim::{Compliance, EzCollider, JointDynamicsCollider, SurfaceForce};

const NUMBER: ParamDef =
    ParamDef { group: Group::World, scope: Scope::Force, range: (f32::MIN, f32::MAX), ..ParamDef::PLAIN };
const LENGTH: ParamDef =
    ParamDef { unit: Unit::Metres, range: (0.0, 10.0), soft_range: (0.0, 0.5), idea: Idea::Radius, ..NUMBER };
const SHARE: ParamDef = ParamDef { unit: Unit::Share, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..NUMBER };
const TOGGLE: ParamDef = ParamDef {
    kind: Kind::Toggle,
    range: (0.0, 1.0),
    soft_range: (0.0, 1.0),
    default: 1.0,
    idea: Idea::Switch,
    ..NUMBER
};
const WIND: ParamDef = ParamDef { soft_range: (-5.0, 5.0), idea: Idea::Wind, ..NUMBER };

const GRABBER: &[ParamDef] = &[
    ParamDef {
        name: "_Radius",
        label: "Reach",
        default: 0.05,
        doc: "How near a point must come to be caught, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "_Force",
        label: "Force",
        default: 0.5,
        idea: Idea::Limit,
        doc: "Share of the way to the grabber that a caught point goes in every step, 0 to 1.",
        ..SHARE
    },
    ParamDef { name: "enabled", label: "Catches", doc: "A grabber that is off lets go of everything.", ..TOGGLE },
];

const FIELD: &[ParamDef] = &[
    ParamDef {
        name: "m_Force",
        label: "Force",
        default: 1.0,
        doc: "Steady push along the node's +Z, in m/s for each frame.",
        ..WIND
    },
    ParamDef {
        name: "m_Turbulence x",
        label: "Swing X",
        default: 1.0,
        doc: "How much the push swings along the node's X axis, in m/s for each frame.",
        ..WIND
    },
    ParamDef {
        name: "m_Turbulence y",
        label: "Swing Y",
        default: 0.5,
        doc: "How much the push swings along the node's Y axis, in m/s for each frame.",
        ..WIND
    },
    ParamDef {
        name: "m_Turbulence z",
        label: "Swing Z",
        default: 2.0,
        doc: "How much the push swings along the node's Z axis, in m/s for each frame.",
        ..WIND
    },
    ParamDef {
        name: "m_Conductivity",
        label: "Delay",
        unit: Unit::Seconds,
        range: (0.0, 10.0),
        soft_range: (0.0, 1.0),
        default: 0.15,
        idea: Idea::Wind,
        doc: "Seconds by which the far end of a chain feels the field later than its root.",
        ..NUMBER
    },
    ParamDef {
        name: "enabled",
        label: "Blows",
        doc: "A field that is off does not blow; its clock goes on.",
        ..TOGGLE
    },
];

const CONSTRAINT: &[ParamDef] = &[ParamDef {
    name: "ComplianceType",
    label: "Gives way",
    kind: Kind::Choice(&["As the component", "Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"]),
    range: (0.0, 7.0),
    soft_range: (0.0, 7.0),
    idea: Idea::Limit,
    doc: "How much the pair gives way, from the stiffest to the softest; the component's own choice at first.",
    ..NUMBER
}];

const POINT: &[ParamDef] = &[
    ParamDef {
        name: "_IsFixed",
        label: "Held",
        kind: Kind::Choice(&["Root only", "Free", "Held"]),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        idea: Idea::Switch,
        doc: "Whether the point stays on the animated pose; of each column only the first one does unless chosen here.",
        ..NUMBER
    },
    ParamDef {
        name: "_Mass",
        label: "Mass",
        range: (0.001, 1000.0),
        soft_range: (0.1, 10.0),
        default: 1.0,
        doc: "Divides what wind does to the point.",
        ..NUMBER
    },
    ParamDef {
        name: "_PointRadius",
        label: "Radius",
        soft_range: (0.0, 0.1),
        doc: "Thickness of the point where colliders meet it, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "_MovableLimitRadius",
        label: "Leash",
        range: (-1.0, 10.0),
        soft_range: (-1.0, 1.0),
        default: -1.0,
        unit: Unit::Metres,
        idea: Idea::Limit,
        doc: "How far the point may go from its place below its grandparent, in metres; below 0 as far as it likes.",
        ..NUMBER
    },
    ParamDef {
        name: "_DynamicsRatio",
        label: "Animated",
        idea: Idea::Limit,
        doc: "Share of the animated pose in what is shown, 0 to 1.",
        ..SHARE
    },
];

const MARGIN: &[ParamDef] = &[ParamDef {
    name: "m_Margin",
    label: "Margin",
    doc: "Distance that the collider keeps beyond its shape, in metres.",
    ..LENGTH
}];

const FRICTION: &[ParamDef] = &[
    ParamDef {
        name: "_Friction",
        label: "Friction",
        default: 0.5,
        idea: Idea::Contact,
        doc: "How much points that touch the collider are slowed, 0 to 1.",
        ..SHARE
    },
    ParamDef {
        name: "_SurfaceColliderForce",
        label: "Cloth inside",
        kind: Kind::Choice(&["Stays", "Pushed out", "Pulled out"]),
        range: (0.0, 2.0),
        soft_range: (0.0, 2.0),
        idea: Idea::Contact,
        doc: "What a capsule does with triangles that run through its axis: nothing, or out of its first or its other end.",
        ..NUMBER
    },
];

impl Side {
    /// The table of an entry's numbers; empty where it has none.
    pub const fn fields(self) -> &'static [ParamDef] {
        match self {
            Self::Grabbers => GRABBER,
            Self::ForceField => FIELD,
            Self::Constraints => CONSTRAINT,
            Self::Points => POINT,
            Self::Margins => MARGIN,
            Self::Frictions => FRICTION,
            _ => &[],
        }
    }

    /// The engine's component that has these numbers, for looking up words.
    pub const fn owner(self) -> &'static str {
        match self {
            Self::Grabbers => "SPCRJointDynamicsPointGrabber",
            Self::ForceField => "EZSoftBoneForceField",
            Self::Constraints => "ModifyBoneConstraint",
            Self::Points => "SPCRJointDynamicsPoint",
            Self::Margins => "EZSoftBoneColliderBase",
            Self::Frictions => "SPCRJointDynamicsCollider",
            _ => "",
        }
    }
}

impl Extras {
    /// One number of an entry by its position in [`Side::fields`]; 0 where there is no such thing.
    pub fn field(&self, side: Side, entry: usize, field: usize) -> f32 {
        match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => own.grabbers.get(entry).map_or(0.0, |grabber| match field {
                0 => grabber.radius,
                1 => grabber.force,
                2 => f32::from(u8::from(grabber.enabled)),
                _ => 0.0,
            }),
            (Self::EzSoftBone(own), Side::ForceField) => own.force_field.as_ref().map_or(0.0, |own| match field {
                0 => own.force,
                1..=3 => own.turbulence[field - 1],
                4 => own.conductivity,
                5 => f32::from(u8::from(own.enabled)),
                _ => 0.0,
            }),
            (Self::Kawaii(own), Side::Constraints) => {
                let chosen = own.constraints.get(entry).and_then(|c| c.compliance);
                let place = |c| Compliance::ALL.iter().position(|known| *known == c);
                chosen.and_then(place).map_or(0.0, |place| place as f32 + 1.0)
            }
            _ => 0.0,
        }
    }

    /// Writes one number of an entry.
    pub fn set_field(&mut self, side: Side, entry: usize, field: usize, value: f32) {
        match (self, side) {
            (Self::JointDynamics(own), Side::Grabbers) => {
                let Some(grabber) = own.grabbers.get_mut(entry) else { return };
                match field {
                    0 => grabber.radius = value,
                    1 => grabber.force = value,
                    2 => grabber.enabled = value >= 0.5,
                    _ => {}
                }
            }
            (Self::EzSoftBone(own), Side::ForceField) => {
                let Some(own) = &mut own.force_field else { return };
                match field {
                    0 => own.force = value,
                    1..=3 => own.turbulence[field - 1] = value,
                    4 => own.conductivity = value,
                    5 => own.enabled = value >= 0.5,
                    _ => {}
                }
            }
            (Self::Kawaii(own), Side::Constraints) => {
                if let Some(constraint) = own.constraints.get_mut(entry) {
                    constraint.compliance = (value >= 0.5).then(|| Compliance::at(value.round() - 1.0));
                }
            }
            _ => {}
        }
    }

    /// One number of what is added to a collider; the engine's default where nothing is said.
    pub fn collider_field(&self, id: ColliderId, field: usize) -> f32 {
        match (self, field) {
            (Self::EzSoftBone(own), 0) => own.colliders.get(&id).map_or(0.0, |extra| extra.margin),
            (Self::JointDynamics(own), _) => {
                let extra = own.colliders.get(&id).copied().unwrap_or_default();
                if field == 0 { extra.friction } else { f32::from(extra.surface_force as u8) }
            }
            _ => 0.0,
        }
    }

    /// Writes one number of what is added to a collider; what is as the engine makes it is no longer kept.
    pub fn set_collider_field(&mut self, id: ColliderId, field: usize, value: f32) {
        match (self, field) {
            (Self::EzSoftBone(own), 0) => {
                let extra = own.colliders.entry(id).or_default();
                extra.margin = value;
                if *extra == EzCollider::default() {
                    own.colliders.remove(&id);
                }
            }
            (Self::JointDynamics(own), _) => {
                let extra = own.colliders.entry(id).or_default();
                match field {
                    0 => extra.friction = value,
                    _ if value >= 1.5 => extra.surface_force = SurfaceForce::Pull,
                    _ if value >= 0.5 => extra.surface_force = SurfaceForce::Push,
                    _ => extra.surface_force = SurfaceForce::Off,
                }
                if *extra == JointDynamicsCollider::default() {
                    own.colliders.remove(&id);
                }
            }
            _ => {}
        }
    }

    /// One number of the point of a joint; the engine's default where it has none of its own.
    pub fn point_field(&self, bone: BoneId, field: usize) -> f32 {
        let Self::JointDynamics(own) = self else { return 0.0 };
        let point = own.points.get(&bone).copied().unwrap_or_default();
        match field {
            0 => point.fixed.map_or(0.0, |fixed| if fixed { 2.0 } else { 1.0 }),
            1 => point.mass,
            2 => point.radius,
            3 => point.movable_limit_radius,
            4 => point.fade,
            _ => 0.0,
        }
    }

    /// Writes one number of the point of a joint; one that is as the engine makes it is no longer kept.
    pub fn set_point_field(&mut self, bone: BoneId, field: usize, value: f32) {
        let Self::JointDynamics(own) = self else { return };
        let point = own.points.entry(bone).or_default();
        match field {
            0 => point.fixed = (value >= 0.5).then_some(value >= 1.5),
            1 => point.mass = value,
            2 => point.radius = value,
            3 => point.movable_limit_radius = value,
            4 => point.fade = value,
            _ => {}
        }
        if *point == NetPoint::default() {
            own.points.remove(&bone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::Node;

    #[test]
    fn every_number_of_an_entry_is_read_and_written_by_its_place_in_the_table() {
        for side in [Side::Grabbers, Side::ForceField, Side::Constraints] {
            let mut extras = Extras::under(side.solver());
            let nodes = [Node::Bone(BoneId(0)), Node::Bone(BoneId(1))];
            extras.set(side, Some(nodes[0]));
            extras.add(side, &nodes);
            for (at, def) in side.fields().iter().enumerate() {
                assert_eq!(extras.field(side, 0, at), def.default, "{side:?} {}", def.name);
                let value = if def.default == 0.0 { 1.0 } else { 0.0 };
                extras.set_field(side, 0, at, value);
                assert_eq!(extras.field(side, 0, at), value, "{side:?} {}", def.name);
            }
        }
    }

    #[test]
    fn a_collider_is_kept_only_while_it_differs_from_the_engines() {
        for side in [Side::Margins, Side::Frictions] {
            let mut extras = Extras::under(side.solver());
            for (at, def) in side.fields().iter().enumerate() {
                assert_eq!(extras.collider_field(ColliderId(4), at), def.default, "{}", def.name);
                extras.set_collider_field(ColliderId(4), at, 1.0);
                assert_eq!((extras.collider_field(ColliderId(4), at), extras.count(side)), (1.0, 1), "{}", def.name);
                extras.set_collider_field(ColliderId(4), at, def.default);
                assert!(extras.is_empty(), "{}", def.name);
            }
        }
    }

    #[test]
    fn a_point_is_kept_only_while_it_differs_from_the_engines() {
        let mut extras = Extras::under(Side::Points.solver());
        for (at, def) in Side::Points.fields().iter().enumerate() {
            assert_eq!(extras.point_field(BoneId(4), at), def.default, "{}", def.name);
            extras.set_point_field(BoneId(4), at, 2.0);
            assert_eq!((extras.point_field(BoneId(4), at), extras.count(Side::Points)), (2.0, 1), "{}", def.name);
            extras.set_point_field(BoneId(4), at, def.default);
            assert!(extras.is_empty(), "{}", def.name);
        }
    }
}
