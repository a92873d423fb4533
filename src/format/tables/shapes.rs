//! Colliders as JSON objects, with every shape by the names of its own table.

use super::json::{Findings, cell, number};
use crate::doc::table::{
    ColliderCells, ColliderRow, NodeCells, TableRow, collider_row, collider_text, null_row, null_text,
};
use crate::sim::{Shape, SolverKind};
use serde_json::{Map, Value, json};

/// Every shape that a collider may have, by its name in files.
pub(in crate::format) fn all() -> impl Iterator<Item = (&'static str, Shape)> {
    let shapes = Shape::ALL.into_iter();
    shapes.map(|shape| (name_of(&shape), shape))
}

const fn name_of(shape: &Shape) -> &'static str {
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

fn vector(numbers: [f32; 3]) -> Value {
    Value::Array(numbers.map(number).to_vec())
}

fn put_node(object: &mut Map<String, Value>, node: &NodeCells) {
    object.insert("parent".to_owned(), json!(node.parent));
    object.insert("position".to_owned(), vector(node.position));
    object.insert("euler".to_owned(), vector(node.euler_deg));
    object.insert("scale".to_owned(), vector(node.scale));
}

fn named(name: &str) -> Map<String, Value> {
    Map::from_iter([("name".to_owned(), json!(name))])
}

/// A row that nobody understands, as it stands.
pub(in crate::format) fn raw(name: &str, cells: &[String]) -> Value {
    json!({ "name": name, "cells": cells })
}

/// A collider's row.
pub(in crate::format) fn collider(row: &ColliderRow, enabled: bool) -> Value {
    let cells = match &row.cells {
        Ok(cells) => cells,
        Err(bad) => return raw(&row.name, &bad.cells),
    };
    let mut object = named(&row.name);
    put_node(&mut object, &cells.node);
    object.insert("shape".to_owned(), json!(name_of(&cells.shape)));
    for (at, field) in cells.shape.fields().iter().enumerate() {
        object.insert(field.name.to_owned(), number(cells.shape.field(at)));
    }
    if !cells.renderer.is_empty() {
        object.insert("renderer".to_owned(), json!(cells.renderer));
    }
    if !enabled {
        object.insert("enabled".to_owned(), json!(false));
    }
    Value::Object(object)
}

/// The row of a bare node.
pub(in crate::format) fn null(row: &TableRow<NodeCells>) -> Value {
    match &row.cells {
        Ok(cells) => {
            let mut object = named(&row.name);
            put_node(&mut object, cells);
            Value::Object(object)
        }
        Err(bad) => raw(&row.name, &bad.cells),
    }
}

/// The name and the raw cells of an object that has such; the name alone of one that has none.
pub(in crate::format) fn name_and_cells(
    object: &Map<String, Value>,
    at: &str,
    found: &mut Findings,
) -> Option<(String, Option<Vec<String>>)> {
    let Some(name) = found.text(object, "name", at) else {
        found.warn(at, "there is no \"name\"; left out");
        return None;
    };
    let cells = object.contains_key("cells").then(|| found.texts(object, "cells", at));
    Some((name, cells))
}

/// The cells of an object's three numbers; `default` where they are missing.
fn cells_of(object: &Map<String, Value>, key: &str, default: &str, at: &str, found: &mut Findings) -> Vec<String> {
    match object.get(key) {
        None => vec![default.to_owned(); 3],
        Some(Value::Array(numbers)) if numbers.len() == 3 => numbers.iter().map(cell).collect(),
        Some(other) => {
            found.expect::<()>(None, other, "a list of three numbers", &format!("{at}/{key}"));
            vec![default.to_owned(); 3]
        }
    }
}

fn node_cells(object: &Map<String, Value>, at: &str, found: &mut Findings) -> Vec<String> {
    let mut cells = vec![found.text(object, "parent", at).unwrap_or_default()];
    for (key, default) in [("position", "0"), ("euler", "0"), ("scale", "1")] {
        cells.extend(cells_of(object, key, default, at, found));
    }
    cells
}

/// Reads a bare node.
pub(in crate::format) fn read_null(
    object: &Map<String, Value>,
    line: u64,
    at: &str,
    found: &mut Findings,
) -> Option<TableRow<NodeCells>> {
    let (name, raw) = name_and_cells(object, at, found)?;
    found.unknown(object, &["name", "cells", "parent", "position", "euler", "scale"], at);
    let cells = raw.unwrap_or_else(|| node_cells(object, at, found));
    let row = null_row(line, name, cells, false);
    tell(&row, at, found);
    Some(row)
}

/// Reads a collider, and whether it is on.
pub(in crate::format) fn read_collider(
    solver: SolverKind,
    object: &Map<String, Value>,
    line: u64,
    at: &str,
    found: &mut Findings,
) -> Option<(ColliderRow, bool)> {
    let (name, raw) = name_and_cells(object, at, found)?;
    let enabled = !matches!(object.get("enabled"), Some(Value::Bool(false)));
    if let Some(cells) = raw {
        let row = collider_row(solver, line, name, cells, false);
        tell(&row, at, found);
        return Some((row, enabled));
    }
    let kind = found.text(object, "shape", at).unwrap_or_default();
    let Some((_, shape)) = all().find(|(name, _)| *name == kind) else {
        let known: Vec<_> = all().map(|(name, _)| name).collect();
        found.warn(&format!("{at}/shape"), format!("expected one of {}; left out", known.join(", ")));
        return None;
    };
    let fields = shape.fields().iter().map(|field| field.name);
    let known = ["name", "parent", "position", "euler", "scale", "shape", "renderer", "enabled"];
    found.unknown(object, &known.into_iter().chain(fields).collect::<Vec<_>>(), at);
    let node = NodeCells { parent: String::new(), position: [0.0; 3], euler_deg: [0.0; 3], scale: [1.0; 3] };
    let mut cells = collider_text(&ColliderCells { node, shape, renderer: String::new() }, None);
    let node = node_cells(object, at, found);
    let first = null_text(&NodeCells { parent: String::new(), ..zero() }, None).len() + 1;
    for (at, field) in shape.fields().iter().enumerate() {
        if let Some(value) = object.get(field.name) {
            cells[first + at] = cell(value);
        }
    }
    cells.splice(..node.len(), node);
    if let (Some(renderer), Some(last)) = (found.text(object, "renderer", at), cells.last_mut()) {
        *last = renderer;
    }
    let row = collider_row(solver, line, name, cells, false);
    tell(&row, at, found);
    Some((row, enabled))
}

const fn zero() -> NodeCells {
    NodeCells { parent: String::new(), position: [0.0; 3], euler_deg: [0.0; 3], scale: [1.0; 3] }
}

/// Tells what is wrong with a row.
pub(in crate::format) fn tell<T>(row: &TableRow<T>, at: &str, found: &mut Findings) {
    if let Err(bad) = &row.cells {
        let place = found.at(at);
        found.problems(&place, &bad.problems);
    }
}
