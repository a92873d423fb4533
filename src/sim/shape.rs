//! What pushes tips away, and the table of its numbers.

use crate::schema::{Group, Idea, ParamDef, Scale, Scope, Unit, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What pushes tips away; metres in the space of its bone. With `inside` it is a room that keeps tips in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// Around the bone's origin.
    Sphere {
        /// Metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        radius: f32,
        /// Whether it keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// Around the segment from the origin to `(0, height, 0)`.
    Capsule {
        /// Metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        height: f32,
        /// Whether it keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// A rectangle across Z about the origin; what is behind it is pushed towards +Z.
    Panel {
        /// Along X, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        height: f32,
    },
    /// Endless, across Z through the origin; what is behind it is pushed towards +Z.
    Plane,
    /// As [`Shape::Capsule`] with an end of its own thickness; between the ends it changes evenly.
    Tapered {
        /// At the origin, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        radius: f32,
        /// At `(0, height, 0)`, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        tail_radius: f32,
        /// Metres, without the caps.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        height: f32,
        /// Whether it keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// A cuboid about the origin, along the axes.
    Box {
        /// Along X, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        height: f32,
        /// Along Z, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        depth: f32,
        /// Whether it keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// About the origin, its axis along Y, with flat ends.
    Cylinder {
        /// Metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        radius: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::number")]
        #[schemars(with = "crate::math::Number")]
        height: f32,
        /// Whether it keeps tips in.
        #[serde(default)]
        inside: bool,
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

const SPHERE: &[ParamDef] = params![
    /// Radius of the ball about its node, in metres.
    "radius" "Radius" { default: 0.1, ..LENGTH };
];
const CAPSULE: &[ParamDef] = params![
    /// Thickness about the axis, in metres.
    "radius" "Radius" { default: 0.075, ..LENGTH };
    /// Length of the axis from the node along +Y, without the caps, in metres.
    "height" "Height" { default: 0.3, ..LENGTH };
];
const PANEL: &[ParamDef] = params![
    /// Extent along X about the node, in metres.
    "width" "Width" { default: 0.25, ..LENGTH };
    /// Extent along Y about the node, in metres.
    "height" "Height" { default: 0.25, ..LENGTH };
];
const TAPERED: &[ParamDef] = params![
    /// Thickness about the axis at the node, in metres.
    "radius" "Radius" { default: 0.075, ..LENGTH };
    /// Thickness about the axis at its other end, in metres.
    "tailRadius" "End radius" { default: 0.05, ..LENGTH };
    /// Length of the axis from the node along +Y, without the caps, in metres.
    "height" "Height" { default: 0.3, ..LENGTH };
];
const BOX: &[ParamDef] = params![
    /// Whole extent along X, in metres.
    "width" "Width" { default: 0.2, ..LENGTH };
    /// Whole extent along Y, in metres.
    "height" "Height" { default: 0.2, ..LENGTH };
    /// Whole extent along Z, in metres.
    "depth" "Depth" { default: 0.2, ..LENGTH };
];
const CYLINDER: &[ParamDef] = params![
    /// Thickness about the axis, in metres.
    "radius" "Radius" { default: 0.1, ..LENGTH };
    /// Whole length along Y about the node, in metres.
    "height" "Height" { default: 0.3, ..LENGTH };
];

impl Shape {
    /// A ball with defaults.
    pub const SPHERE: Self = Self::Sphere { radius: 0.1, inside: false };
    /// A capsule with defaults.
    pub const CAPSULE: Self = Self::Capsule { radius: 0.075, height: 0.3, inside: false };
    /// A panel with defaults.
    pub const PANEL: Self = Self::Panel { width: 0.25, height: 0.25 };
    /// The plane.
    pub const PLANE: Self = Self::Plane;
    /// A tapered capsule with defaults.
    pub const TAPERED: Self = Self::Tapered { radius: 0.075, tail_radius: 0.05, height: 0.3, inside: false };
    /// A box with defaults.
    pub const BOX: Self = Self::Box { width: 0.2, height: 0.2, depth: 0.2, inside: false };
    /// A cylinder with defaults.
    pub const CYLINDER: Self = Self::Cylinder { radius: 0.1, height: 0.3, inside: false };

    /// What every file and window starts with: sphere, capsule and panel.
    pub const BASIC: [Self; 3] = [Self::SPHERE, Self::CAPSULE, Self::PANEL];

    /// A shape of each kind, solid ones before rooms of the same kind: the basic ones, what VRM adds, and all others.
    pub const ALL: [Self; 12] = [
        Self::SPHERE,
        Self::CAPSULE,
        Self::PANEL,
        Self::SPHERE.inverted(),
        Self::CAPSULE.inverted(),
        Self::PLANE,
        Self::TAPERED,
        Self::TAPERED.inverted(),
        Self::BOX,
        Self::BOX.inverted(),
        Self::CYLINDER,
        Self::CYLINDER.inverted(),
    ];

    /// Solid outside instead of inside, or the other way round; flat shapes stay.
    #[must_use]
    pub const fn inverted(mut self) -> Self {
        if let Self::Sphere { inside, .. }
        | Self::Capsule { inside, .. }
        | Self::Tapered { inside, .. }
        | Self::Box { inside, .. }
        | Self::Cylinder { inside, .. } = &mut self
        {
            *inside = !*inside;
        }
        self
    }

    /// Whether it is a room that keeps tips in.
    pub const fn is_inside(&self) -> bool {
        match *self {
            Self::Sphere { inside, .. }
            | Self::Capsule { inside, .. }
            | Self::Tapered { inside, .. }
            | Self::Box { inside, .. }
            | Self::Cylinder { inside, .. } => inside,
            Self::Panel { .. } | Self::Plane => false,
        }
    }

    /// Whether it is of the same kind, whatever its numbers.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.is_inside() == other.is_inside()
    }

    /// What it looks like from afar.
    pub const fn form(&self) -> Form {
        match self {
            Self::Sphere { .. } => Form::Ball,
            Self::Capsule { .. } | Self::Tapered { .. } | Self::Cylinder { .. } => Form::Rod,
            Self::Panel { .. } | Self::Plane => Form::Flat,
            Self::Box { .. } => Form::Block,
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
            Self::Sphere { .. } => SPHERE,
            Self::Capsule { .. } => CAPSULE,
            Self::Panel { .. } => PANEL,
            Self::Plane => &[],
            Self::Tapered { .. } => TAPERED,
            Self::Box { .. } => BOX,
            Self::Cylinder { .. } => CYLINDER,
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
        match (self, at) {
            (
                Self::Sphere { radius: number, .. }
                | Self::Capsule { radius: number, .. }
                | Self::Cylinder { radius: number, .. }
                | Self::Tapered { radius: number, .. }
                | Self::Panel { width: number, .. }
                | Self::Box { width: number, .. },
                0,
            )
            | (
                Self::Capsule { height: number, .. }
                | Self::Cylinder { height: number, .. }
                | Self::Tapered { tail_radius: number, .. }
                | Self::Panel { height: number, .. }
                | Self::Box { height: number, .. },
                1,
            )
            | (Self::Tapered { height: number, .. } | Self::Box { depth: number, .. }, 2) => Some(number),
            _ => None,
        }
    }

    /// What the name of a node that carries it ends in.
    pub const fn node_name(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "SphereCollider",
            Self::Capsule { .. } => "CapsuleCollider",
            Self::Panel { .. } => "PanelCollider",
            Self::Plane => "PlaneCollider",
            Self::Tapered { .. } => "TaperedCapsuleCollider",
            Self::Box { .. } => "BoxCollider",
            Self::Cylinder { .. } => "CylinderCollider",
        }
    }

    /// The original component's name.
    pub const fn name(&self) -> &'static str {
        match (self, self.is_inside()) {
            (Self::Sphere { .. }, false) => "SpringSphereCollider",
            (Self::Sphere { .. }, true) => "InsideSphere",
            (Self::Capsule { .. }, false) => "SpringCapsuleCollider",
            (Self::Capsule { .. }, true) => "InsideCapsule",
            (Self::Panel { .. }, _) => "SpringPanelCollider",
            (Self::Plane, _) => "Plane",
            (Self::Tapered { .. }, false) => "TaperedCapsule",
            (Self::Tapered { .. }, true) => "InsideTaperedCapsule",
            (Self::Box { .. }, false) => "Box",
            (Self::Box { .. }, true) => "InsideBox",
            (Self::Cylinder { .. }, false) => "Cylinder",
            (Self::Cylinder { .. }, true) => "InsideCylinder",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_shape_is_read_and_written_by_its_place_in_the_table() {
        for shape in Shape::ALL {
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
