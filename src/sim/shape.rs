//! What pushes tips away, and the table of its numbers.

use crate::schema::{Group, Idea, Kind, Mirror, ParamDef, Scale, Scope, Touches, Unit};

/// What pushes tips away; metres in the space of its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Around the bone's origin.
    Sphere {
        /// Metres.
        radius: f32,
    },
    /// Around the segment from the origin to `(0, height, 0)`.
    Capsule {
        /// Metres.
        radius: f32,
        /// Metres, without the caps.
        height: f32,
    },
    /// A rectangle across Z about the origin; what is behind it is pushed towards +Z.
    Panel {
        /// Along X, metres.
        width: f32,
        /// Along Y, metres.
        height: f32,
    },
    /// As [`Shape::Sphere`], but what is in it is kept in.
    InsideSphere {
        /// Metres.
        radius: f32,
    },
    /// As [`Shape::Capsule`], but what is in it is kept in.
    InsideCapsule {
        /// Metres.
        radius: f32,
        /// Metres, without the caps.
        height: f32,
    },
    /// Endless, across Z through the origin; what is behind it is pushed towards +Z.
    Plane,
}

const LENGTH: ParamDef = ParamDef {
    name: "",
    label: "",
    group: Group::Collision,
    scope: Scope::Collider,
    kind: Kind::Number,
    unit: Unit::Metres,
    range: (0.0, f32::MAX),
    soft_range: (0.0, 1.0),
    scale: Scale::Logarithmic,
    default: 0.0,
    curve: false,
    mirror: Mirror::Same,
    touches: Touches::Params,
    idea: Idea::Radius,
    beyond: false,
    doc: "",
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

    /// The table of its numbers.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Sphere { .. } | Self::InsideSphere { .. } => SPHERE,
            Self::Capsule { .. } | Self::InsideCapsule { .. } => CAPSULE,
            Self::Panel { .. } => PANEL,
            Self::Plane => &[],
        }
    }

    /// One number by its position in [`Shape::fields`]; 0 beyond.
    pub const fn field(&self, at: usize) -> f32 {
        match (*self, at) {
            (
                Self::Sphere { radius }
                | Self::Capsule { radius, .. }
                | Self::InsideSphere { radius }
                | Self::InsideCapsule { radius, .. },
                0,
            ) => radius,
            (Self::Capsule { height, .. } | Self::Panel { height, .. } | Self::InsideCapsule { height, .. }, 1) => {
                height
            }
            (Self::Panel { width, .. }, 0) => width,
            _ => 0.0,
        }
    }

    /// The same with one number changed.
    #[must_use]
    pub const fn with_field(mut self, at: usize, value: f32) -> Self {
        match (&mut self, at) {
            (
                Self::Sphere { radius }
                | Self::Capsule { radius, .. }
                | Self::InsideSphere { radius }
                | Self::InsideCapsule { radius, .. },
                0,
            ) => *radius = value,
            (Self::Capsule { height, .. } | Self::Panel { height, .. } | Self::InsideCapsule { height, .. }, 1) => {
                *height = value;
            }
            (Self::Panel { width, .. }, 0) => *width = value,
            _ => {}
        }
        self
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_shape_is_read_and_written_by_its_place_in_the_table() {
        for shape in Shape::ALL.into_iter().chain(Shape::OF_VRM) {
            for (at, field) in shape.fields().iter().enumerate() {
                assert_eq!(shape.field(at), field.default, "{} {}", shape.name(), field.name);
                let changed = shape.with_field(at, 7.5);
                assert_eq!(changed.field(at), 7.5);
                let others = (0..2).filter(|other| *other != at);
                others.for_each(|other| assert_eq!(changed.field(other), shape.field(other)));
            }
        }
    }
}
