//! Collider shapes and their parameters.

use crate::params::{ParamDef, ParamGroup, ParamMeaning, ParamScope, SliderScale, Unit, params};
use crate::rig::BoneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A collider shape; metres in the space of its bone. Inside colliders (`inside`) keep tips in.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ColliderShape {
    /// Around the origin.
    Sphere {
        /// Metres.
        #[serde(with = "crate::math::JsonNumber")]
        radius: f32,
        /// Whether the collider keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// Around the segment from the origin to `(0, height, 0)`.
    Capsule {
        /// Metres.
        #[serde(with = "crate::math::JsonNumber")]
        radius: f32,
        /// Length without caps, metres.
        #[serde(with = "crate::math::JsonNumber")]
        height: f32,
        /// Whether the collider keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// A rectangle in the XY plane about the origin; pushes towards +Z.
    Panel {
        /// Along X, metres.
        #[serde(with = "crate::math::JsonNumber")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::JsonNumber")]
        height: f32,
    },
    /// The XY plane through the origin; pushes towards +Z.
    Plane,
    /// As [`ColliderShape::Capsule`] with a radius at each end, interpolated between them.
    TaperedCapsule {
        /// At the origin, metres.
        #[serde(with = "crate::math::JsonNumber")]
        radius: f32,
        /// At `(0, height, 0)`, metres.
        #[serde(with = "crate::math::JsonNumber")]
        tail_radius: f32,
        /// Length without caps, metres.
        #[serde(with = "crate::math::JsonNumber")]
        height: f32,
        /// Whether the collider keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// A box about the origin, along the axes.
    Box {
        /// Along X, metres.
        #[serde(with = "crate::math::JsonNumber")]
        width: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::JsonNumber")]
        height: f32,
        /// Along Z, metres.
        #[serde(with = "crate::math::JsonNumber")]
        depth: f32,
        /// Whether the collider keeps tips in.
        #[serde(default)]
        inside: bool,
    },
    /// About the origin, with axis Y and flat ends.
    Cylinder {
        /// Metres.
        #[serde(with = "crate::math::JsonNumber")]
        radius: f32,
        /// Along Y, metres.
        #[serde(with = "crate::math::JsonNumber")]
        height: f32,
        /// Whether the collider keeps tips in.
        #[serde(default)]
        inside: bool,
    },
}

/// Class of a shape, for solid and inside colliders alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeClass {
    /// A sphere.
    Sphere,
    /// Elongated along Y, with a round cross-section.
    Rod,
    /// Flat, with its front towards +Z.
    Flat,
    /// A box.
    Box,
}

const LENGTH_PARAM: ParamDef = ParamDef {
    group: ParamGroup::Collision,
    scope: ParamScope::Collider,
    unit: Unit::Metres,
    scale: SliderScale::Logarithmic,
    meaning: ParamMeaning::Radius,
    ..ParamDef::PLAIN
};

const SPHERE_PARAMS: &[ParamDef] = params![
    /// Radius of the ball about its node, in metres.
    "radius" "Radius" { default: 0.1, ..LENGTH_PARAM };
];
const CAPSULE_PARAMS: &[ParamDef] = params![
    /// Thickness about the axis, in metres.
    "radius" "Radius" { default: 0.075, ..LENGTH_PARAM };
    /// Length of the axis from the node along +Y, without the caps, in metres.
    "height" "Height" { default: 0.3, ..LENGTH_PARAM };
];
const PANEL_PARAMS: &[ParamDef] = params![
    /// Extent along X about the node, in metres.
    "width" "Width" { default: 0.25, ..LENGTH_PARAM };
    /// Extent along Y about the node, in metres.
    "height" "Height" { default: 0.25, ..LENGTH_PARAM };
];
const TAPERED_CAPSULE_PARAMS: &[ParamDef] = params![
    /// Thickness about the axis at the node, in metres.
    "radius" "Radius" { default: 0.075, ..LENGTH_PARAM };
    /// Thickness about the axis at its other end, in metres.
    "tailRadius" "End radius" { default: 0.05, ..LENGTH_PARAM };
    /// Length of the axis from the node along +Y, without the caps, in metres.
    "height" "Height" { default: 0.3, ..LENGTH_PARAM };
];
const BOX_PARAMS: &[ParamDef] = params![
    /// Whole extent along X, in metres.
    "width" "Width" { default: 0.2, ..LENGTH_PARAM };
    /// Whole extent along Y, in metres.
    "height" "Height" { default: 0.2, ..LENGTH_PARAM };
    /// Whole extent along Z, in metres.
    "depth" "Depth" { default: 0.2, ..LENGTH_PARAM };
];
const CYLINDER_PARAMS: &[ParamDef] = params![
    /// Thickness about the axis, in metres.
    "radius" "Radius" { default: 0.1, ..LENGTH_PARAM };
    /// Whole length along Y about the node, in metres.
    "height" "Height" { default: 0.3, ..LENGTH_PARAM };
];

impl ColliderShape {
    /// A sphere with default values.
    pub const SPHERE: Self = Self::Sphere { radius: 0.1, inside: false };
    /// A capsule with default values.
    pub const CAPSULE: Self = Self::Capsule { radius: 0.075, height: 0.3, inside: false };
    /// A panel with default values.
    pub const PANEL: Self = Self::Panel { width: 0.25, height: 0.25 };
    /// A plane.
    pub const PLANE: Self = Self::Plane;
    /// A tapered capsule with default values.
    pub const TAPERED_CAPSULE: Self =
        Self::TaperedCapsule { radius: 0.075, tail_radius: 0.05, height: 0.3, inside: false };
    /// A box with default values.
    pub const BOX: Self = Self::Box { width: 0.2, height: 0.2, depth: 0.2, inside: false };
    /// A cylinder with default values.
    pub const CYLINDER: Self = Self::Cylinder { radius: 0.1, height: 0.3, inside: false };

    /// The shapes of `UnityChanSpringBone`: sphere, capsule and panel.
    pub const BASIC: [Self; 3] = [Self::SPHERE, Self::CAPSULE, Self::PANEL];

    /// One shape of each kind, solid before inside: first the basic shapes, then those of VRM, then all others.
    pub const ALL: [Self; 12] = [
        Self::SPHERE,
        Self::CAPSULE,
        Self::PANEL,
        Self::SPHERE.inverted(),
        Self::CAPSULE.inverted(),
        Self::PLANE,
        Self::TAPERED_CAPSULE,
        Self::TAPERED_CAPSULE.inverted(),
        Self::BOX,
        Self::BOX.inverted(),
        Self::CYLINDER,
        Self::CYLINDER.inverted(),
    ];

    /// Solid and inside spheres and capsules, and planes.
    pub(super) const ROUND_AND_PLANE: [Self; 7] = [
        Self::SPHERE,
        Self::SPHERE.inverted(),
        Self::CAPSULE,
        Self::CAPSULE.inverted(),
        Self::TAPERED_CAPSULE,
        Self::TAPERED_CAPSULE.inverted(),
        Self::PLANE,
    ];

    /// Returns the shape with `inside` toggled. Flat shapes are unchanged.
    #[must_use]
    pub const fn inverted(mut self) -> Self {
        if let Self::Sphere { inside, .. }
        | Self::Capsule { inside, .. }
        | Self::TaperedCapsule { inside, .. }
        | Self::Box { inside, .. }
        | Self::Cylinder { inside, .. } = &mut self
        {
            *inside = !*inside;
        }
        self
    }

    /// Returns whether the collider keeps tips inside.
    pub const fn is_inside(&self) -> bool {
        match *self {
            Self::Sphere { inside, .. }
            | Self::Capsule { inside, .. }
            | Self::TaperedCapsule { inside, .. }
            | Self::Box { inside, .. }
            | Self::Cylinder { inside, .. } => inside,
            Self::Panel { .. } | Self::Plane => false,
        }
    }

    /// Returns whether both shapes have the same kind and the same `inside`. The values may differ.
    pub fn is_same_kind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.is_inside() == other.is_inside()
    }

    /// Returns the class of the shape.
    pub const fn class(&self) -> ShapeClass {
        match self {
            Self::Sphere { .. } => ShapeClass::Sphere,
            Self::Capsule { .. } | Self::TaperedCapsule { .. } | Self::Cylinder { .. } => ShapeClass::Rod,
            Self::Panel { .. } | Self::Plane => ShapeClass::Flat,
            Self::Box { .. } => ShapeClass::Box,
        }
    }

    /// Returns the radius of a round shape, in metres; for a tapered shape, the radius at the origin.
    pub const fn radius(&self) -> Option<f32> {
        match self.class() {
            ShapeClass::Sphere | ShapeClass::Rod => Some(self.field(0)),
            ShapeClass::Flat | ShapeClass::Box => None,
        }
    }

    /// Returns the radii of a sphere or capsule at the origin and at `(0, height, 0)`, and this height, which is 0 for
    /// spheres.
    pub(super) const fn radii_and_height(&self) -> Option<([f32; 2], f32)> {
        match *self {
            Self::Sphere { radius, .. } => Some(([radius; 2], 0.0)),
            Self::Capsule { radius, height, .. } => Some(([radius; 2], height)),
            Self::TaperedCapsule { radius, tail_radius, height, .. } => Some(([radius, tail_radius], height)),
            Self::Panel { .. } | Self::Plane | Self::Box { .. } | Self::Cylinder { .. } => None,
        }
    }

    /// Returns the parameter table of the shape.
    pub const fn fields(&self) -> &'static [ParamDef] {
        match self {
            Self::Sphere { .. } => SPHERE_PARAMS,
            Self::Capsule { .. } => CAPSULE_PARAMS,
            Self::Panel { .. } => PANEL_PARAMS,
            Self::Plane => &[],
            Self::TaperedCapsule { .. } => TAPERED_CAPSULE_PARAMS,
            Self::Box { .. } => BOX_PARAMS,
            Self::Cylinder { .. } => CYLINDER_PARAMS,
        }
    }

    /// Returns the value at an index of [`ColliderShape::fields`]; 0 if the index is out of range.
    pub const fn field(mut self, at: usize) -> f32 {
        match self.field_mut(at) {
            Some(number) => *number,
            None => 0.0,
        }
    }

    /// Returns a copy with one changed value.
    #[must_use]
    pub const fn with_field(mut self, at: usize, value: f32) -> Self {
        if let Some(number) = self.field_mut(at) {
            *number = value;
        }
        self
    }

    const fn field_mut(&mut self, at: usize) -> Option<&mut f32> {
        match (self, at) {
            (
                Self::Sphere { radius: number, .. }
                | Self::Capsule { radius: number, .. }
                | Self::Cylinder { radius: number, .. }
                | Self::TaperedCapsule { radius: number, .. }
                | Self::Panel { width: number, .. }
                | Self::Box { width: number, .. },
                0,
            )
            | (
                Self::Capsule { height: number, .. }
                | Self::Cylinder { height: number, .. }
                | Self::TaperedCapsule { tail_radius: number, .. }
                | Self::Panel { height: number, .. }
                | Self::Box { height: number, .. },
                1,
            )
            | (Self::TaperedCapsule { height: number, .. } | Self::Box { depth: number, .. }, 2) => Some(number),
            _ => None,
        }
    }

    /// Returns the suffix for the names of nodes with this shape.
    pub const fn node_name_suffix(&self) -> &'static str {
        match self {
            Self::Sphere { .. } => "SphereCollider",
            Self::Capsule { .. } => "CapsuleCollider",
            Self::Panel { .. } => "PanelCollider",
            Self::Plane => "PlaneCollider",
            Self::TaperedCapsule { .. } => "TaperedCapsuleCollider",
            Self::Box { .. } => "BoxCollider",
            Self::Cylinder { .. } => "CylinderCollider",
        }
    }

    /// Returns the name of the component in `UnityChanSpringBone`, or Yuremono's own name if that has no such
    /// component.
    pub const fn component_name(&self) -> &'static str {
        match (self, self.is_inside()) {
            (Self::Sphere { .. }, false) => "SpringSphereCollider",
            (Self::Sphere { .. }, true) => "InsideSphere",
            (Self::Capsule { .. }, false) => "SpringCapsuleCollider",
            (Self::Capsule { .. }, true) => "InsideCapsule",
            (Self::Panel { .. }, _) => "SpringPanelCollider",
            (Self::Plane, _) => "Plane",
            (Self::TaperedCapsule { .. }, false) => "TaperedCapsule",
            (Self::TaperedCapsule { .. }, true) => "InsideTaperedCapsule",
            (Self::Box { .. }, false) => "Box",
            (Self::Box { .. }, true) => "InsideBox",
            (Self::Cylinder { .. }, false) => "Cylinder",
            (Self::Cylinder { .. }, true) => "InsideCylinder",
        }
    }
}

/// A collider on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderSetup {
    /// The parent bone, usually a helper node.
    pub bone: BoneId,
    /// Shape.
    pub shape: ColliderShape,
    /// Whether the collider is enabled.
    pub enabled: bool,
    /// Whether the linked renderer is visible; true if no renderer is linked.
    pub renderer_on: bool,
}

impl ColliderSetup {
    /// Creates an enabled collider.
    pub fn new(bone: BoneId, shape: ColliderShape) -> Self {
        Self { bone, shape, enabled: true, renderer_on: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_a_shape_is_read_and_written_by_index() {
        for shape in ColliderShape::ALL {
            for (at, field) in shape.fields().iter().enumerate() {
                assert_eq!(shape.field(at), field.default, "{} {}", shape.component_name(), field.name);
                let changed = shape.with_field(at, 7.5);
                assert_eq!(changed.field(at), 7.5);
                let others = (0..3).filter(|other| *other != at);
                others.for_each(|other| assert_eq!(changed.field(other), shape.field(other)));
            }
        }
    }
}
