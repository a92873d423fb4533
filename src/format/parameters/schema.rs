//! The JSON Schema of [`super`], made from the parameter tables, so that it says what the program does.

use super::super::tables::{MOST_SYSTEMS, shapes};
use super::{ALONG, NAME, SCHEMA_FILE, VERSION};
use crate::doc::Side;
use crate::doc::form::{self, Field, Is};
use crate::doc::table::has_pivots;
use crate::schema::{Kind, ParamDef, Scope};
use crate::sim::SolverKind;
use serde_json::{Map, Value, json};

/// The schema as one JSON document, JSON Schema 2020-12.
pub fn schema() -> Value {
    let mut parts = shared_parts();
    for solver in SolverKind::ALL {
        let (system, joint) = system(*solver);
        parts.insert(solver.key().to_owned(), system);
        parts.insert(joint_of(*solver), joint);
    }
    let systems = SolverKind::ALL.iter().map(|solver| refer(solver.key()));
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_FILE,
        "title": "Yuremono parameters",
        "description": "Setups of everything that sways on a character, by bone name. Positions, turns and vectors stand \
            in Unity's left-handed space, Y up, in metres and degrees.",
        "type": "object",
        "properties": {
            "$schema": { "type": "string" },
            "format": { "const": NAME },
            "version": { "const": VERSION },
            "mirror": {
                "enum": ["x", "z"],
                "description": "Which axis changes sign between this file's space and glTF's.",
            },
            "systems": {
                "type": "array",
                "description": "Chains that one solver moves, each with what belongs to all of them.",
                "minItems": 1,
                "maxItems": MOST_SYSTEMS,
                "items": { "oneOf": systems.collect::<Vec<_>>() },
            },
        },
        "required": ["format", "version", "systems"],
        "additionalProperties": false,
        "$defs": parts,
    })
}

fn joint_of(solver: SolverKind) -> String {
    format!("{} joint", solver.key())
}

fn refer(part: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{part}") })
}

fn list_of(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    })
}

/// What systems of all solvers have.
fn shared_parts() -> Map<String, Value> {
    let text = json!({ "type": "string" });
    let texts = list_of(&text);
    let three = json!({ "type": "array", "items": refer("number"), "minItems": 3, "maxItems": 3 });
    let four = json!({ "type": "array", "items": refer("number"), "minItems": 4, "maxItems": 4 });
    let raw = object(&json!({ "name": text, "cells": texts }), &["name", "cells"]);
    let node = |more: &[(&str, Value)]| {
        let mut properties = json!({ "name": text, "parent": text, "position": three, "euler": three, "scale": three });
        for (key, value) in more {
            properties[*key] = value.clone();
        }
        properties
    };
    let mut colliders: Vec<Value> = shapes::all()
        .map(|(name, shape)| {
            let mut more = vec![
                ("shape", json!({ "const": name })),
                ("renderer", text.clone()),
                ("enabled", json!({ "type": "boolean" })),
            ];
            let field = |def: &ParamDef| json!({ "$ref": "#/$defs/number", "description": def.doc });
            more.extend(shape.fields().iter().map(|def| (def.name, field(def))));
            object(&node(&more), &["name", "parent", "shape"])
        })
        .collect();
    colliders.push(refer("raw"));
    let base = json!({ "anyOf": [refer("number"), { "type": "boolean" }, { "type": "string" }] });
    let shared =
        object(&json!({ "base": base, "linear": { "type": "boolean" }, "keys": refer("curve keys") }), &["base"]);
    let pivot = object(&json!({ "name": text, "parent": text, "euler": three }), &["name", "parent", "euler"]);
    let parts = json!({
        "number": {
            "description": "A number, or an infinite one as a text.",
            "anyOf": [{ "type": "number" }, { "enum": ["Infinity", "-Infinity"] }],
        },
        "raw": raw,
        "curve keys": list_of(&four),
        "shared value": shared,
        "length target": object(&json!({ "bone": text, "ratio": refer("number") }), &["bone"]),
        "pivot": { "anyOf": [pivot, refer("raw")] },
        "collider": { "anyOf": colliders },
        "null": { "anyOf": [object(&node(&[]), &["name", "parent"]), refer("raw")] },
        "cells": texts,
        "part": { "enum": crate::doc::Part::ALL.map(crate::doc::Part::key) },
        "along": { "enum": ALONG, "description": "What the chain's curves run over." },
    });
    match parts {
        Value::Object(parts) => parts,
        _ => Map::new(),
    }
}

/// A system under one solver, and a joint of it.
fn system(kind: SolverKind) -> (Value, Value) {
    let table = kind.info().params;
    let of = |scope: Scope| -> Map<String, Value> {
        let rows = table.iter().filter(|def| def.scope == scope);
        rows.map(|def| (def.name.to_owned(), parameter(def, value(def)))).collect()
    };
    let joint_rows = table.iter().filter(|def| def.scope == Scope::Joint);
    let curves: Map<String, Value> = joint_rows.map(|def| (def.name.to_owned(), refer("shared value"))).collect();
    let text = json!({ "type": "string" });
    let mut joint = json!({
        "bone": text,
        "values": object(&Value::Object(of(Scope::Joint)), &[]),
        "colliders": list_of(&text),
        "cells": refer("cells"),
    });
    if has_pivots(kind) {
        joint["pivot"] = text.clone();
        joint["length_targets"] = list_of(&refer("length target"));
    }
    let joints = list_of(&refer(&joint_of(kind)));
    let chain = json!({
        "name": text,
        "part": refer("part"),
        "along": refer("along"),
        "values": object(&Value::Object(curves), &[]),
        "joints": joints,
    });
    let mut properties = json!({
        "solver": { "const": kind.key() },
        "name": { "type": "string", "description": "What the engine's component is called, to tell it from others." },
        "sits_on": { "type": "string", "description": "Name of the node that the engine's component sits on." },
        "values": object(&Value::Object(of(Scope::System)), &[]),
        "chains": list_of(&object(&chain, &["joints"])),
        "joints": joints,
        "pivots": list_of(&refer("pivot")),
        "colliders": list_of(&refer("collider")),
        "nulls": list_of(&refer("null")),
        "components": list_of(&refer("raw")),
        "comments": list_of(&refer("cells")),
        "sections": list_of(&list_of(&refer("cells"))),
    });
    let lists = lists(kind);
    if let Some(lists) = lists {
        properties["extras"] = lists;
    }
    (object(&properties, &["solver"]), object(&joint, &["bone"]))
}

/// What a component of the solver knows beyond numbers; `None` where it has no lists.
fn lists(kind: SolverKind) -> Option<Value> {
    let mut properties = Map::new();
    for side in form::sides(kind) {
        let is = form::entry(side);
        let mut value = is_of(&is, side);
        if form::key_of(side).is_some() {
            value = json!({ "type": "object", "additionalProperties": value });
        } else if !side.is_single() {
            value = json!({ "type": "array", "items": value, "maxItems": form::MOST });
        }
        value["description"] = json!(form::about(side));
        properties.insert(side.key().to_owned(), value);
    }
    let about = "What the component knows beyond numbers. Where it stands, lists that it does not name are empty.";
    let mut lists = object(&Value::Object(properties), &[]);
    lists["description"] = json!(about);
    form::sides(kind).next().map(|_| lists)
}

/// A value of an entry.
fn is_of(is: &Is, side: Side) -> Value {
    match is {
        Is::Node | Is::Collider => json!({ "type": "string" }),
        Is::Number => json!({ "type": "number" }),
        Is::Position => json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX }),
        Is::Flag => json!({ "type": "boolean" }),
        Is::Word(words) => json!({ "enum": words }),
        Is::List(each, least, most) => {
            json!({ "type": "array", "items": is_of(each, side), "minItems": least, "maxItems": most })
        }
        Is::Variant(fields) => {
            let one = |field: &Field| object(&json!({ field.key: is_of(&field.is, side) }), &[field.key]);
            json!({ "oneOf": fields.iter().map(one).collect::<Vec<_>>() })
        }
        Is::Object(fields) => {
            let field = |field: &Field| {
                let mut value = is_of(&field.is, side);
                if let Some(def) = side.fields().iter().find(|def| def.name == field.row) {
                    value["description"] = json!(def.doc);
                }
                (field.key.to_owned(), value)
            };
            let needed: Vec<&str> = fields.iter().filter(|field| field.needed).map(|field| field.key).collect();
            object(&Value::Object(fields.iter().map(field).collect()), &needed)
        }
    }
}

/// What a value may be.
fn value(def: &ParamDef) -> Value {
    match def.kind {
        Kind::Toggle => json!({ "anyOf": [{ "type": "boolean" }, refer("number")] }),
        Kind::Choice(choices) => json!({ "anyOf": [{ "enum": choices }, refer("number")] }),
        Kind::Number | Kind::Degrees | Kind::Integer => refer("number"),
    }
}

/// A parameter with what its table says of it.
fn parameter(def: &ParamDef, mut value: Value) -> Value {
    value["title"] = json!(def.label);
    value["description"] = json!(def.doc);
    value["default"] = super::super::tables::json::value(def, def.default);
    value
}
