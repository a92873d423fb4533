//! What pushes tips away, and the table of its numbers.

use crate::schema::{Group, Idea, ParamDef, Scale, Scope, Unit};
use serde::{Deserialize, Serialize};

/// What pushes tips away; metres in the space of its bone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Around the bone's origin.
    Sphere {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
    },
    /// Around the segment from the origin to `(0, height, 0)`.
    Capsule {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// A rectangle across Z about the origin; what is behind it is pushed towards +Z.
    Panel {
        /// Along X, metres.
        #[serde(with = "crate::math::number")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// As [`Shape::Sphere`], but what is in it is kept in.
    InsideSphere {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
    },
    /// As [`Shape::Capsule`], but what is in it is kept in.
    InsideCapsule {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// Endless, across Z through the origin; what is behind it is pushed towards +Z.
    Plane,
    /// As [`Shape::Capsule`] with an end of its own thickness; between the ends it changes evenly.
    Tapered {
        /// At the origin, metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// At `(0, height, 0)`, metres.
        #[serde(with = "crate::math::number")]
        tail_radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// As [`Shape::Tapered`], but what is in it is kept in.
    InsideTapered {
        /// At the origin, metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// At `(0, height, 0)`, metres.
        #[serde(with = "crate::math::number")]
        tail_radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// A cuboid about the origin, along the axes.
    Box {
        /// Along X, metres.
        #[serde(with = "crate::math::number")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        height: f32,
        /// Along Z, metres.
        #[serde(with = "crate::math::number")]
        depth: f32,
    },
    /// As [`Shape::Box`], but what is in it is kept in.
    InsideBox {
        /// Along X, metres.
        #[serde(with = "crate::math::number")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        height: f32,
        /// Along Z, metres.
        #[serde(with = "crate::math::number")]
        depth: f32,
    },
    /// About the origin, its axis along Y, with flat ends.
    Cylinder {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
    /// As [`Shape::Cylinder`], but what is in it is kept in.
    InsideCylinder {
        /// Metres.
        #[serde(with = "crate::math::number")]
        radius: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        height: f32,
    },
}

/// What a shape looks like from afar, whichever side of it is solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The same from every side.
    Ball,
    /// Long, and round about +Y.
    Rod,
    /// Flat, with a front at +Z.
    Flat,
    /// Corners in all directions.
    Block,
}

const LENGTH: ParamDef = ParamDef {
    group: Group::Collision,
    scope: Scope::Collider,
    unit: Unit::Metres,
    scale: Scale::Logarithmic,
    idea: Idea::Radius,
    ..ParamDef::PLAIN
};

const SPHERE: &[ParamDef] = &[ParamDef {
    name: "radius",
    label: "Radius",
    default: 0.1,
    doc: "Radius of the ball about its node, in metres.",
    ..LENGTH
}];
const CAPSULE: &[ParamDef] = &[
    ParamDef { name: "radius", label: "Radius", default: 0.075, doc: "Thickness about the axis, in metres.", ..LENGTH },
    ParamDef {
        name: "height",
        label: "Height",
        default: 0.3,
        doc: "Length of the axis from the node along +Y, without the caps, in metres.",
        ..LENGTH
    },
];
const PANEL: &[ParamDef] = &[
    ParamDef {
        name: "width",
        label: "Width",
        default: 0.25,
        doc: "Extent along X about the node, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "height",
        label: "Height",
        default: 0.25,
        doc: "Extent along Y about the node, in metres.",
        ..LENGTH
    },
];

const TAPERED: &[ParamDef] = &[
    ParamDef {
        name: "radius",
        label: "Radius",
        default: 0.075,
        doc: "Thickness about the axis at the node, in metres.",
        ..LENGTH
    },
    ParamDef {
        name: "tailRadius",
        label: "End radius",
        default: 0.05,
        doc: "Thickness about the axis at its other end, in metres.",
        ..LENGTH
    },
    CAPSULE[1],
];
const BOX: &[ParamDef] = &[
    ParamDef { name: "width", label: "Width", default: 0.2, doc: "Whole extent along X, in metres.", ..LENGTH },
    ParamDef { name: "height", label: "Height", default: 0.2, doc: "Whole extent along Y, in metres.", ..LENGTH },
    ParamDef { name: "depth", label: "Depth", default: 0.2, doc: "Whole extent along Z, in metres.", ..LENGTH },
];
const CYLINDER: &[ParamDef] = &[
    ParamDef { name: "radius", label: "Radius", default: 0.1, doc: "Thickness about the axis, in metres.", ..LENGTH },
    ParamDef {
        name: "height",
        label: "Height",
        default: 0.3,
        doc: "Whole length along Y about the node, in metres.",
        ..LENGTH
    },
];

impl Shape {
    /// A shape of each kind with the engine's defaults.
    pub const ALL: [Self; 3] = [
        Self::Sphere { radius: 0.1 },
        Self::Capsule { radius: 0.075, height: 0.3 },
        Self::Panel { width: 0.25, height: 0.25 },
    ];

    /// What VRM has beyond these, with the same numbers.
    pub const OF_VRM: [Self; 3] =
        [Self::InsideSphere { radius: 0.1 }, Self::InsideCapsule { radius: 0.075, height: 0.3 }, Self::Plane];

    /// Shapes that neither has, in the order of their tables.
    pub const OF_OTHERS: [Self; 6] = [
        Self::Tapered { radius: 0.075, tail_radius: 0.05, height: 0.3 },
        Self::InsideTapered { radius: 0.075, tail_radius: 0.05, height: 0.3 },
        Self::Box { width: 0.2, height: 0.2, depth: 0.2 },
        Self::InsideBox { width: 0.2, height: 0.2, depth: 0.2 },
        Self::Cylinder { radius: 0.1, height: 0.3 },
        Self::InsideCylinder { radius: 0.1, height: 0.3 },
    ];

    /// What it looks like from afar.
    pub const fn form(&self) -> Form {
        match self {
            Self::Sphere { .. } | Self::InsideSphere { .. } => Form::Ball,
            Self::Capsule { .. }
            | Self::InsideCapsule { .. }
            | Self::Tapered { .. }
            | Self::InsideTapered { .. }
            | Self::Cylinder { .. }
            | Self::InsideCylinder { .. } => Form::Rod,
            Self::Panel { .. } | Self::Plane => Form::Flat,
            Self::Box { .. } | Self::InsideBox { .. } => Form::Block,
        }
    }

    /// Thickness of a round shape, metres; at its origin where that changes.
    pub const fn radius(&self) -> Option<f32> {
        match self.form() {
            Form::Ball | Form::Rod => Some(self.field(0)),
            Form::Flat | Form::Block => None,
        }
    }

    /// The table of its numbers.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Sphere { .. } | Self::InsideSphere { .. } => SPHERE,
            Self::Capsule { .. } | Self::InsideCapsule { .. } => CAPSULE,
            Self::Panel { .. } => PANEL,
            Self::Plane => &[],
            Self::Tapered { .. } | Self::InsideTapered { .. } => TAPERED,
            Self::Box { .. } | Self::InsideBox { .. } => BOX,
            Self::Cylinder { .. } | Self::InsideCylinder { .. } => CYLINDER,
        }
    }

    /// One number by its position in [`Shape::fields`]; 0 beyond.
    pub const fn field(mut self, at: usize) -> f32 {
        match self.slot(at) {
            Some(number) => *number,
            None => 0.0,
        }
    }

    /// The same with one number changed.
    #[must_use]
    pub const fn with_field(mut self, at: usize, value: f32) -> Self {
        if let Some(number) = self.slot(at) {
            *number = value;
        }
        self
    }

    const fn slot(&mut self, at: usize) -> Option<&mut f32> {
        match self {
            Self::Sphere { radius } | Self::InsideSphere { radius } => match at {
                0 => Some(radius),
                _ => None,
            },
            Self::Capsule { radius: first, height: second }
            | Self::InsideCapsule { radius: first, height: second }
            | Self::Cylinder { radius: first, height: second }
            | Self::InsideCylinder { radius: first, height: second }
            | Self::Panel { width: first, height: second } => match at {
                0 => Some(first),
                1 => Some(second),
                _ => None,
            },
            Self::Tapered { radius: first, tail_radius: second, height: third }
            | Self::InsideTapered { radius: first, tail_radius: second, height: third }
            | Self::Box { width: first, height: second, depth: third }
            | Self::InsideBox { width: first, height: second, depth: third } => match at {
                0 => Some(first),
                1 => Some(second),
                2 => Some(third),
                _ => None,
            },
            Self::Plane => None,
        }
    }

    /// What the name of a node that carries it ends in.
    pub const fn node_name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } | Self::InsideSphere { .. } => "SphereCollider",
            Self::Capsule { .. } | Self::InsideCapsule { .. } => "CapsuleCollider",
            Self::Panel { .. } => "PanelCollider",
            Self::Plane => "PlaneCollider",
            Self::Tapered { .. } | Self::InsideTapered { .. } => "TaperedCapsuleCollider",
            Self::Box { .. } | Self::InsideBox { .. } => "BoxCollider",
            Self::Cylinder { .. } | Self::InsideCylinder { .. } => "CylinderCollider",
        }
    }

    /// The original component's name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "SpringSphereCollider",
            Self::Capsule { .. } => "SpringCapsuleCollider",
            Self::Panel { .. } => "SpringPanelCollider",
            Self::InsideSphere { .. } => "InsideSphere",
            Self::InsideCapsule { .. } => "InsideCapsule",
            Self::Plane => "Plane",
            Self::Tapered { .. } => "TaperedCapsule",
            Self::InsideTapered { .. } => "InsideTaperedCapsule",
            Self::Box { .. } => "Box",
            Self::InsideBox { .. } => "InsideBox",
            Self::Cylinder { .. } => "Cylinder",
            Self::InsideCylinder { .. } => "InsideCylinder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_shape_is_read_and_written_by_its_place_in_the_table() {
        for shape in Shape::ALL.into_iter().chain(Shape::OF_VRM).chain(Shape::OF_OTHERS) {
            for (at, field) in shape.fields().iter().enumerate() {
                assert_eq!(shape.field(at), field.default, "{} {}", shape.name(), field.name);
                let changed = shape.with_field(at, 7.5);
                assert_eq!(changed.field(at), 7.5);
                let others = (0..3).filter(|other| *other != at);
                others.for_each(|other| assert_eq!(changed.field(other), shape.field(other)));
            }
        }
    }
}
