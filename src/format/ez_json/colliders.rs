//! Colliders as game objects with a collider of Unity's each.

use super::super::by_root::{collider_item, parse_cell, placed, placement};
use super::super::json_findings::{Findings, cell, number};
use crate::document::{ByName, Collider};
use crate::document::{axis::rotation_from_unity_euler, axis::unity_euler_from_rotation};
use crate::exchange::{Fault, FileItem, Problem};
use crate::math::Trs;
use crate::sim::Shape;
use glam::Vec3;
use serde_json::{Map, Value, json};

/// Every shape that a collider may have, by its name in files.
pub(in crate::format) fn shapes() -> impl Iterator<Item = (&'static str, Shape)> {
    let shapes = Shape::ALL.into_iter();
    shapes.map(|shape| (name_of(&shape), shape))
}

pub(in crate::format) const fn name_of(shape: &Shape) -> &'static str {
    match shape {
        Shape::Sphere { inside: false, .. } => "sphere",
        Shape::Capsule { inside: false, .. } => "capsule",
        Shape::Panel { .. } => "panel",
        Shape::Sphere { inside: true, .. } => "inside sphere",
        Shape::Capsule { inside: true, .. } => "inside capsule",
        Shape::Plane => "plane",
        Shape::Tapered { inside: false, .. } => "tapered capsule",
        Shape::Tapered { inside: true, .. } => "inside tapered capsule",
        Shape::Box { inside: false, .. } => "box",
        Shape::Box { inside: true, .. } => "inside box",
        Shape::Cylinder { inside: false, .. } => "cylinder",
        Shape::Cylinder { inside: true, .. } => "inside cylinder",
    }
}

/// A collider in Unity's space.
pub(super) fn collider_json(collider: &Collider<ByName>) -> Value {
    let (parent, local) = placement(collider);
    let vector = |numbers: [f32; 3]| Value::Array(numbers.map(number).to_vec());
    let mut object = Map::from_iter([
        ("name".to_owned(), json!(collider.name)),
        ("parent".to_owned(), json!(parent)),
        ("position".to_owned(), vector(local.translation.to_array())),
        ("euler".to_owned(), vector(unity_euler_from_rotation(local.rotation))),
        ("scale".to_owned(), vector(local.scale.to_array())),
        ("shape".to_owned(), json!(name_of(&collider.shape))),
    ]);
    for (at, field) in collider.shape.fields().iter().enumerate() {
        object.insert(field.name.to_owned(), number(collider.shape.field(at)));
    }
    object.extend(collider.renderer.as_ref().map(|renderer| ("renderer".to_owned(), json!(renderer))));
    Value::Object(object)
}

/// Reads a collider; `None` where it has no name or no known shape.
pub(super) fn read_collider(object: &Map<String, Value>, at: &str, found: &mut Findings) -> Option<FileItem> {
    let Some(name) = found.text(object, "name", at) else {
        found.warn(at, "there is no \"name\"; left out");
        return None;
    };
    let kind = found.text(object, "shape", at).unwrap_or_default();
    let Some((_, mut shape)) = shapes().find(|(name, _)| *name == kind) else {
        let known: Vec<_> = shapes().map(|(name, _)| name).collect();
        found.warn(&format!("{at}/shape"), format!("expected one of {}; left out", known.join(", ")));
        return None;
    };
    let fields = shape.fields().iter().map(|field| field.name);
    let known = ["name", "parent", "position", "euler", "scale", "shape", "renderer"];
    found.unknown(object, &known.into_iter().chain(fields).collect::<Vec<_>>(), at);
    let parent = found.text(object, "parent", at).unwrap_or_default();
    let mut problems = Vec::new();
    let keys = [("position", 0.0, Fault::TooLarge), ("euler", 0.0, Fault::NotAnAngle), ("scale", 1.0, Fault::TooLarge)];
    let [position, euler_deg, scale] = keys.map(|(key, default, fault)| {
        let parts = vector_of(object, key, at, found);
        parts.map_or([default; 3], |parts| parts.map(|part| finite(part, key, &fault, &mut problems)))
    });
    for (n, field) in shape.fields().iter().enumerate() {
        if let Some(value) = object.get(field.name) {
            shape = shape.with_field(n, number_of(value, field.name, &mut problems));
        }
    }
    let local = Trs {
        translation: Vec3::from(position),
        rotation: rotation_from_unity_euler(euler_deg),
        scale: Vec3::from(scale),
    };
    let renderer = found.text(object, "renderer", at).filter(|renderer| !renderer.is_empty());
    let collider = Collider { renderer, ..Collider::new(&*name, placed(&name, &parent, local), shape) };
    let mut item = FileItem { pointer: at.to_owned(), ..collider_item(collider) };
    if !problems.is_empty() {
        let place = found.at(at);
        found.bad_item(&place, &problems);
        item.content = Err(problems);
    }
    Some(item)
}

/// Three numbers, not yet parsed; `None` where they are missing.
fn vector_of<'v>(object: &'v Map<String, Value>, key: &str, at: &str, found: &mut Findings) -> Option<[&'v Value; 3]> {
    let value = object.get(key)?;
    let parts = value.as_array().and_then(|parts| <[&Value; 3]>::try_from(parts.iter().collect::<Vec<_>>()).ok());
    found.expect(parts, value, "a list of three numbers", &format!("{at}/{key}"))
}

fn number_of(value: &Value, column: &'static str, problems: &mut Vec<Problem>) -> f32 {
    let text = cell(value);
    parse_cell(&text).unwrap_or_else(|fault| {
        problems.push(Problem::new(column, text, fault));
        0.0
    })
}

/// As [`number_of`]; an infinite number is a `fault`.
fn finite(value: &Value, column: &'static str, fault: &Fault, problems: &mut Vec<Problem>) -> f32 {
    let number = number_of(value, column, problems);
    if !number.is_finite() {
        problems.push(Problem::new(column, cell(value), fault.clone()));
    }
    number
}
