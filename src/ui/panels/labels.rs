//! Names and icons of colliders, forces and helpers, and a label of an undo step.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, Icon};
use yuremono_model::document::{Document, EditLabel, HelperRole};
use yuremono_model::tools::{elements::ElementId, elements::NewElement};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::{ColliderShape, ForceKind};

/// Name and icon of a kind of object.
type KindLabel = (MessageText, Icon);

const FORCE_VOLUME: KindLabel = (message!("Force volume"), icons::ARROW_RIGHT);
const WIND: KindLabel = (message!("Wind volume"), icons::WIND);
const PIVOT: KindLabel = (message!("Pivot"), icons::ANGLE);
const NULL: KindLabel = (message!("Null"), icons::CROSSHAIR);

const fn shape_label(shape: ColliderShape) -> KindLabel {
    use ColliderShape as Shape;
    match shape {
        Shape::Sphere { inside: false, .. } => (message!("Sphere collider"), icons::CIRCLE),
        Shape::Sphere { inside: true, .. } => (message!("Inside sphere"), icons::CIRCLE),
        Shape::Capsule { inside: false, .. } => (message!("Capsule collider"), icons::PILL),
        Shape::Capsule { inside: true, .. } => (message!("Inside capsule"), icons::PILL),
        Shape::TaperedCapsule { inside: false, .. } => (message!("Tapered capsule"), icons::PILL),
        Shape::TaperedCapsule { inside: true, .. } => (message!("Inside tapered capsule"), icons::PILL),
        Shape::Cylinder { inside: false, .. } => (message!("Cylinder"), icons::PILL),
        Shape::Cylinder { inside: true, .. } => (message!("Inside cylinder"), icons::PILL),
        Shape::Box { inside: false, .. } => (message!("Box"), icons::CUBE),
        Shape::Box { inside: true, .. } => (message!("Inside box"), icons::CUBE),
        Shape::Panel { .. } => (message!("Panel collider"), icons::RECTANGLE),
        // A plane is infinite and solid below its surface. A panel is a thin rectangle.
        Shape::Plane => (message!("Plane collider"), icons::SQUARE_HALF_BOTTOM),
    }
}

pub(super) fn shape_icon(shape: ColliderShape) -> Icon {
    shape_label(shape).1
}

pub(super) fn kind_label(document: &Document, part: ElementId) -> KindLabel {
    match part {
        ElementId::Collider(id) => {
            document.colliders.get(&id).map_or((message!("Sphere collider"), icons::CIRCLE), |c| shape_label(c.shape))
        }
        ElementId::Force(id) => match document.forces.get(&id).map(|f| f.kind) {
            Some(ForceKind::Wind(_)) => WIND,
            Some(ForceKind::Volume { .. }) | None => FORCE_VOLUME,
        },
        ElementId::Helper(id) => match document.helpers.get(&id).map(|h| h.role) {
            Some(HelperRole::Pivot) => PIVOT,
            Some(HelperRole::Null) => NULL,
            Some(HelperRole::Plain) | None => (message!("Node"), icons::CROSSHAIR),
        },
        ElementId::HighLeg(_) => (message!("Leg follower (HighLeg)"), icons::PERSON_SIMPLE_WALK),
    }
}

pub(super) fn new_label(element: NewElement) -> KindLabel {
    match (element, element.shape()) {
        (_, Some(shape)) => shape_label(shape),
        (NewElement::ForceVolume, None) => FORCE_VOLUME,
        (NewElement::Wind, None) => WIND,
        (NewElement::Pivot, None) => PIVOT,
        (_, None) => NULL,
    }
}

/// Returns the name of a group. Without a name, returns a text with the number of the group.
pub(in crate::ui) fn group_name(cx: &UiContext<'_>, name: &str, number: usize) -> String {
    if name.trim().is_empty() { tr!(cx, "Group {n}", n = number).into_owned() } else { name.to_owned() }
}

/// Returns the label of an edit that enables or disables objects. `name` is the name of one of the objects.
pub(super) fn enable_label(count: usize, on: bool, name: &str) -> EditLabel {
    EditLabel::new(match (on, count) {
        (true, 1) => message!("Enable {name}", name),
        (true, n) => message!("Enable {n:object|objects}", n),
        (false, 1) => message!("Disable {name}", name),
        (false, n) => message!("Disable {n:object|objects}", n),
    })
}
