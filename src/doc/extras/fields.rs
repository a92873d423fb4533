//! Numbers of the entries of lists, as tables of the same rows that solvers have.

use super::Side;
use crate::schema::{Group, Idea, Kind, ParamDef, Scope, Unit};

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

const PACE: ParamDef =
    ParamDef { unit: Unit::Hertz, range: (0.0, 1000.0), soft_range: (0.0, 5.0), idea: Idea::Wind, ..NUMBER };
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
        name: "m_TurbulenceMode",
        label: "Swings by",
        kind: Kind::Choice(&["Noise", "Curves"]),
        range: (0.0, 1.0),
        idea: Idea::Wind,
        doc: "Whether the push swings by noise to both sides, or by curves that repeat.",
        ..NUMBER
    },
    ParamDef { name: "m_Frequency x", label: "Noise X", default: 1.0, doc: "Swings per second along X.", ..PACE },
    ParamDef { name: "m_Frequency y", label: "Noise Y", default: 1.0, doc: "Swings per second along Y.", ..PACE },
    ParamDef { name: "m_Frequency z", label: "Noise Z", default: 1.5, doc: "Swings per second along Z.", ..PACE },
    ParamDef {
        name: "m_TimeCycle",
        label: "Cycle",
        unit: Unit::Seconds,
        range: (0.01, 3600.0),
        soft_range: (0.1, 10.0),
        default: 2.0,
        idea: Idea::Wind,
        doc: "Seconds until the curves begin anew.",
        ..NUMBER
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

const FIELD_CURVES: &[ParamDef] = &[
    ParamDef { name: "m_Curve x", label: "Swing X", doc: "How the push along X runs through a cycle.", ..WIND },
    ParamDef { name: "m_Curve y", label: "Swing Y", doc: "How the push along Y runs through a cycle.", ..WIND },
    ParamDef { name: "m_Curve z", label: "Swing Z", doc: "How the push along Z runs through a cycle.", ..WIND },
];

const CONSTRAINT: &[ParamDef] = &[
    ParamDef {
        name: "ComplianceType",
        label: "Gives way",
        kind: Kind::Choice(&["As the component", "Concrete", "Wood", "Leather", "Tendon", "Rubber", "Muscle", "Fat"]),
        range: (0.0, 7.0),
        soft_range: (0.0, 7.0),
        idea: Idea::Limit,
        doc: "How much the pair gives way, from the stiffest to the softest; the component's own choice at first.",
        ..NUMBER
    },
    ParamDef {
        name: "Length",
        label: "Length",
        range: (-1.0, 10.0),
        soft_range: (-0.1, 0.5),
        default: -1.0,
        unit: Unit::Metres,
        idea: Idea::Limit,
        doc: "Distance that the pair keeps, in metres; below 0 as far as they stand apart in the rest pose.",
        ..NUMBER
    },
    ParamDef {
        name: "Subdivided",
        label: "Divided",
        idea: Idea::Contact,
        doc: "Whether points between the two meet colliders, where the component asks for such points.",
        ..TOGGLE
    },
];

const AXIS: ParamDef = ParamDef { soft_range: (-2.0, 2.0), default: 1.0, idea: Idea::Restore, ..NUMBER };
const WAY: ParamDef = ParamDef {
    kind: Kind::Choice(&["Both ways", "Only along", "Only against", "Not at all"]),
    range: (0.0, 3.0),
    soft_range: (0.0, 3.0),
    idea: Idea::Restore,
    ..NUMBER
};

const SYNC: &[ParamDef] = &[
    ParamDef {
        name: "GlobalScale x",
        label: "Scale X",
        doc: "Factor on the movement along the component's X.",
        ..AXIS
    },
    ParamDef {
        name: "GlobalScale y",
        label: "Scale Y",
        doc: "Factor on the movement along the component's Y.",
        ..AXIS
    },
    ParamDef {
        name: "GlobalScale z",
        label: "Scale Z",
        doc: "Factor on the movement along the component's Z.",
        ..AXIS
    },
    ParamDef {
        name: "ApplyDirection x",
        label: "Counts on X",
        doc: "Which ways of the movement count along the component's X.",
        ..WAY
    },
    ParamDef {
        name: "ApplyDirection y",
        label: "Counts on Y",
        doc: "Which ways of the movement count along the component's Y.",
        ..WAY
    },
    ParamDef {
        name: "ApplyDirection z",
        label: "Counts on Z",
        doc: "Which ways of the movement count along the component's Z.",
        ..WAY
    },
    ParamDef {
        name: "EnableAttenuation",
        label: "Fades out",
        default: 0.0,
        doc: "Whether bones that are farther away are shifted less.",
        ..TOGGLE
    },
    ParamDef {
        name: "InnerRadius",
        label: "Fades from",
        default: 0.1,
        doc: "Distance of a shifted bone up to which nothing is lost, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "OuterRadius",
        label: "Fades to",
        default: 0.5,
        doc: "Distance of a shifted bone from which on the most is lost, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "MaxAttenuation",
        label: "Lost at most",
        default: 1.0,
        idea: Idea::Restore,
        doc: "Share of the movement that is lost at most, 0 to 1.",
        ..SHARE
    },
];

const SYNC_CURVES: &[ParamDef] = &[ParamDef {
    name: "ScaleCurveByDeltaDistance",
    label: "Response",
    idea: Idea::Restore,
    doc: "Factor on the movement by how far the bone has moved from its place; flat, as it begins, it is 1.",
    ..NUMBER
}];

const SYNC_TARGET: &[ParamDef] = &[ParamDef {
    name: "Scale",
    label: "Share",
    soft_range: (0.0, 2.0),
    default: 1.0,
    idea: Idea::Restore,
    doc: "Share of the movement that the shifted bones get: those of them that are selected, else all.",
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
    ParamDef {
        name: "_UseForSurfaceCollision",
        label: "Surface",
        idea: Idea::Contact,
        doc: "Whether triangles at the point meet colliders, where the component lets surfaces do so.",
        ..TOGGLE
    },
    ParamDef {
        name: "_ApplyInvertCollision",
        label: "Kept inside",
        idea: Idea::Contact,
        doc: "Whether colliders that keep things inside keep the point.",
        ..TOGGLE
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
            Self::SyncBones => SYNC,
            Self::Points => POINT,
            Self::Margins => MARGIN,
            Self::Frictions => FRICTION,
            _ => &[],
        }
    }

    /// What the curves of an entry are called; empty where it has none.
    pub const fn curves(self) -> &'static [ParamDef] {
        match self {
            Self::ForceField => FIELD_CURVES,
            Self::SyncBones => SYNC_CURVES,
            _ => &[],
        }
    }

    /// The number of an entry that a curve multiplies, by its position in [`Side::fields`]; `None` where a curve stands
    /// for itself.
    pub const fn base_of(self, curve: usize) -> Option<usize> {
        match self {
            Self::ForceField if curve < FIELD_CURVES.len() => Some(curve + 1),
            _ => None,
        }
    }

    /// The table of the numbers that each further node of an entry has: of bones that another one shifts.
    pub const fn member_fields(self) -> &'static [ParamDef] {
        if matches!(self, Self::SyncBones) { SYNC_TARGET } else { &[] }
    }

    /// The engine's component that has the numbers of further nodes, for looking up words.
    pub const fn member_owner(self) -> &'static str {
        if matches!(self, Self::SyncBones) { "SyncTargetRoot" } else { "" }
    }

    /// The engine's component that has these numbers, for looking up words.
    pub const fn owner(self) -> &'static str {
        match self {
            Self::Grabbers => "SPCRJointDynamicsPointGrabber",
            Self::ForceField => "EZSoftBoneForceField",
            Self::Constraints => "ModifyBoneConstraint",
            Self::SyncBones => "KawaiiPhysicsSyncBone",
            Self::Points => "SPCRJointDynamicsPoint",
            Self::Margins => "EZSoftBoneColliderBase",
            Self::Frictions => "SPCRJointDynamicsCollider",
            _ => "",
        }
    }
}
