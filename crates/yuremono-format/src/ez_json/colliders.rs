//! Colliders as game objects with one Unity collider each.

use super::super::json_common::{SetupDiagnostics, json_to_cell, number_to_json};
use super::super::root_bone_formats::{
    collider_entry, collider_parent_and_transform, inline_collider_node, parse_cell,
};
use glam::Vec3;
use serde_json::{Map, Value, json};
use yuremono_model::document::{ByName, Collider};
use yuremono_model::document::{flip_axis::rotation_from_unity_euler, flip_axis::unity_euler_from_rotation};
use yuremono_model::exchange::{CellFault, CellProblem, FileEntry};
use yuremono_sim::ColliderShape;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;

/// Every collider shape with its name in files.
pub(crate) fn named_shapes() -> impl Iterator<Item = (&'static str, ColliderShape)> {
    let shapes = ColliderShape::ALL.into_iter();
    shapes.map(|shape| (shape_name(&shape), shape))
}

pub(crate) const fn shape_name(shape: &ColliderShape) -> &'static str {
    match shape {
        ColliderShape::Sphere { inside: false, .. } => "sphere",
        ColliderShape::Capsule { inside: false, .. } => "capsule",
        ColliderShape::Panel { .. } => "panel",
        ColliderShape::Sphere { inside: true, .. } => "inside sphere",
        ColliderShape::Capsule { inside: true, .. } => "inside capsule",
        ColliderShape::Plane => "plane",
        ColliderShape::TaperedCapsule { inside: false, .. } => "tapered capsule",
        ColliderShape::TaperedCapsule { inside: true, .. } => "inside tapered capsule",
        ColliderShape::Box { inside: false, .. } => "box",
        ColliderShape::Box { inside: true, .. } => "inside box",
        ColliderShape::Cylinder { inside: false, .. } => "cylinder",
        ColliderShape::Cylinder { inside: true, .. } => "inside cylinder",
    }
}

/// The JSON of a collider that is in Unity's space.
pub(super) fn collider_to_json(collider: &Collider<ByName>) -> Value {
    let (parent, local) = collider_parent_and_transform(collider);
    let vector = |numbers: [f32; 3]| Value::Array(numbers.map(number_to_json).to_vec());
    let mut object = Map::from_iter([
        ("name".to_owned(), json!(collider.name)),
        ("parent".to_owned(), json!(parent)),
        ("position".to_owned(), vector(local.translation.to_array())),
        ("euler".to_owned(), vector(unity_euler_from_rotation(local.rotation))),
        ("scale".to_owned(), vector(local.scale.to_array())),
        ("shape".to_owned(), json!(shape_name(&collider.shape))),
    ]);
    for (at, field) in collider.shape.fields().iter().enumerate() {
        object.insert(field.name.to_owned(), number_to_json(collider.shape.field(at)));
    }
    object.extend(collider.mesh_name.as_ref().map(|renderer| ("renderer".to_owned(), json!(renderer))));
    Value::Object(object)
}

/// Reads a collider. Returns `None` if the name is missing or the shape is unknown.
pub(super) fn read_collider(object: &Map<String, Value>, at: &str, found: &mut SetupDiagnostics) -> Option<FileEntry> {
    let Some(name) = found.text(object, "name", at) else {
        found.warn(at, message!("there is no \"name\"; left out"));
        return None;
    };
    let kind = found.text(object, "shape", at).unwrap_or_default();
    let Some((_, mut shape)) = named_shapes().find(|(name, _)| *name == kind) else {
        let known: Vec<_> = named_shapes().map(|(name, _)| name).collect();
        found.warn(&format!("{at}/shape"), message!("expected one of {known}; left out", known = known.join(", ")));
        return None;
    };
    let fields = shape.fields().iter().map(|field| field.name);
    let known = ["name", "parent", "position", "euler", "scale", "shape", "renderer"];
    found.report_unknown_fields(object, &known.into_iter().chain(fields).collect::<Vec<_>>(), at);
    let parent = found.text(object, "parent", at).unwrap_or_default();
    let mut problems = Vec::new();
    let keys = [
        ("position", 0.0, CellFault::TooLargeForF32),
        ("euler", 0.0, CellFault::NotAnAngle),
        ("scale", 1.0, CellFault::TooLargeForF32),
    ];
    let [position, euler_deg, scale] = keys.map(|(key, default, fault)| {
        let parts = read_vector(object, key, at, found);
        parts.map_or([default; 3], |parts| parts.map(|part| read_finite_number(part, key, &fault, &mut problems)))
    });
    for (n, field) in shape.fields().iter().enumerate() {
        if let Some(value) = object.get(field.name) {
            shape = shape.with_field(n, read_number(value, field.name, &mut problems));
        }
    }
    let local = Trs {
        translation: Vec3::from(position),
        rotation: rotation_from_unity_euler(euler_deg),
        scale: Vec3::from(scale),
    };
    let renderer = found.text(object, "renderer", at).filter(|renderer| !renderer.is_empty());
    let collider =
        Collider { mesh_name: renderer, ..Collider::new(&*name, inline_collider_node(&name, &parent, local), shape) };
    let mut item = FileEntry { json_pointer: at.to_owned(), ..collider_entry(collider) };
    if !problems.is_empty() {
        let place = found.location(at);
        found.report_problems(&place, &problems);
        item.content = Err(problems);
    }
    Some(item)
}

/// Three unparsed numbers. Returns `None` if they are missing.
fn read_vector<'v>(
    object: &'v Map<String, Value>,
    key: &str,
    at: &str,
    found: &mut SetupDiagnostics,
) -> Option<[&'v Value; 3]> {
    let value = object.get(key)?;
    let parts = value.as_array().and_then(|parts| <[&Value; 3]>::try_from(parts.iter().collect::<Vec<_>>()).ok());
    found.expect_type(parts, value, "a list of three numbers", &format!("{at}/{key}"))
}

fn read_number(value: &Value, column: &'static str, problems: &mut Vec<CellProblem>) -> f32 {
    let text = json_to_cell(value);
    parse_cell(&text).unwrap_or_else(|fault| {
        problems.push(CellProblem::new(column, text, fault));
        0.0
    })
}

/// Like [`read_number`]. An infinite number is reported as `fault`.
fn read_finite_number(value: &Value, column: &'static str, fault: &CellFault, problems: &mut Vec<CellProblem>) -> f32 {
    let number = read_number(value, column, problems);
    if !number.is_finite() {
        problems.push(CellProblem::new(column, json_to_cell(value), fault.clone()));
    }
    number
}
