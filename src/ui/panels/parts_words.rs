//! Words and icons for colliders, forces and helpers, alike in the outliner and the inspector.

use crate::doc::parts::{New, PartId};
use crate::doc::{Document, HelperRole};
use crate::sim::{ForceKind, Form, Shape};
use crate::ui::icons::{self, Icon};

/// Key of what a part is.
pub(super) fn kind_key(document: &Document, part: PartId) -> &'static str {
    match part {
        PartId::Collider(id) => match document.colliders.get(&id).map(|c| c.shape) {
            Some(Shape::Capsule { inside: false, .. }) => "parts.kind.capsule",
            Some(Shape::Capsule { inside: true, .. }) => "parts.kind.inside_capsule",
            Some(Shape::Sphere { inside: true, .. }) => "parts.kind.inside_sphere",
            Some(Shape::Panel { .. }) => "parts.kind.panel",
            Some(Shape::Plane) => "parts.kind.plane",
            Some(Shape::Tapered { inside: false, .. }) => "parts.kind.tapered",
            Some(Shape::Tapered { inside: true, .. }) => "parts.kind.inside_tapered",
            Some(Shape::Box { inside: false, .. }) => "parts.kind.box",
            Some(Shape::Box { inside: true, .. }) => "parts.kind.inside_box",
            Some(Shape::Cylinder { inside: false, .. }) => "parts.kind.cylinder",
            Some(Shape::Cylinder { inside: true, .. }) => "parts.kind.inside_cylinder",
            Some(Shape::Sphere { inside: false, .. }) | None => "parts.kind.sphere",
        },
        PartId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => "parts.kind.wind",
            Some(ForceKind::Volume { .. }) | None => "parts.kind.force_volume",
        },
        PartId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => "parts.kind.pivot",
            Some(HelperRole::Null) => "parts.kind.null",
            Some(HelperRole::Plain) | None => "parts.kind.plain",
        },
        PartId::HighLeg(_) => "parts.kind.high_leg",
    }
}

/// A shape's icon.
pub(super) const fn shape_icon(shape: Shape) -> Icon {
    match (shape, shape.form()) {
        // All below it is solid, without end; a panel is a thin rectangle.
        (Shape::Plane, _) => icons::SQUARE_HALF_BOTTOM,
        (_, Form::Ball) => icons::CIRCLE,
        (_, Form::Rod) => icons::PILL,
        (_, Form::Flat) => icons::RECTANGLE,
        (_, Form::Block) => icons::CUBE,
    }
}

/// Its icon.
pub(super) fn icon_of(document: &Document, part: PartId) -> Icon {
    match part {
        PartId::Collider(id) => document.colliders.get(&id).map_or(icons::CIRCLE, |c| shape_icon(c.shape)),
        PartId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => icons::WIND,
            Some(ForceKind::Volume { .. }) | None => icons::ARROW_RIGHT,
        },
        PartId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => icons::ANGLE,
            Some(HelperRole::Null | HelperRole::Plain) | None => icons::CROSSHAIR,
        },
        PartId::HighLeg(_) => icons::PERSON_SIMPLE_WALK,
    }
}

/// Key of something that can be made.
pub(super) const fn new_key(what: New) -> &'static str {
    match what {
        New::Sphere => "parts.kind.sphere",
        New::Capsule => "parts.kind.capsule",
        New::Panel => "parts.kind.panel",
        New::InsideSphere => "parts.kind.inside_sphere",
        New::InsideCapsule => "parts.kind.inside_capsule",
        New::Plane => "parts.kind.plane",
        New::ForceVolume => "parts.kind.force_volume",
        New::Wind => "parts.kind.wind",
        New::Pivot => "parts.kind.pivot",
        New::Null => "parts.kind.null",
    }
}

/// Its icon.
pub(super) const fn new_icon(what: New) -> Icon {
    match what {
        New::Sphere | New::InsideSphere => icons::CIRCLE,
        New::Capsule | New::InsideCapsule => icons::PILL,
        New::Panel => icons::RECTANGLE,
        New::Plane => icons::SQUARE_HALF_BOTTOM,
        New::ForceVolume => icons::ARROW_RIGHT,
        New::Wind => icons::WIND,
        New::Pivot => icons::ANGLE,
        New::Null => icons::CROSSHAIR,
    }
}
