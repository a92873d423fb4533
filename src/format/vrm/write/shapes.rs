//! Shapes of VRM 1.0's colliders, plain and extended.

use super::Writer;
use crate::format::gltf_json::json::{Json, Notes};
use crate::format::vrm::{Shape, colliders};
use glam::Vec3;
use serde_json::{Map, Value, json};

pub(super) const EXTENDED: &str = "VRMC_springBone_extended_collider";

impl Writer<'_> {
    /// Writes a shape into its collider where it would read differently: into the extended shape where the collider
    /// has one or needs one, into the plain shape otherwise.
    pub(super) fn set_shape(&mut self, collider: &mut Map<String, Value>, new: Shape) {
        let whole = Value::Object(collider.clone());
        let old = Json::new(&whole, String::new()).and_then(|json| colliders::shape(&json, &Notes::new(""))).ok();
        if old == Some(new) {
            return;
        }
        let is_plain = matches!(new, Shape::Sphere { inside: false, .. } | Shape::Capsule { inside: false, .. });
        let has_extended = whole["extensions"][EXTENDED].is_object();
        if is_plain && !has_extended {
            let mut shape = collider.get("shape").and_then(Value::as_object).cloned().unwrap_or_default();
            self.fill(&mut shape, old, new);
            collider.insert("shape".to_owned(), Value::Object(shape));
            return;
        }
        if !has_extended {
            self.needs_extended = true;
            collider.insert("shape".to_owned(), fallback(new));
        }
        let mut extensions = collider.get("extensions").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut extended = extensions.get(EXTENDED).and_then(Value::as_object).cloned().unwrap_or_default();
        if !has_extended {
            extended.insert("specVersion".to_owned(), Value::from("1.0"));
        }
        let mut shape = extended.get("shape").and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|_| has_extended);
        self.fill(&mut shape, old, new);
        extended.insert("shape".to_owned(), Value::Object(shape));
        extensions.insert(EXTENDED.to_owned(), Value::Object(extended));
        collider.insert("extensions".to_owned(), Value::Object(extensions));
    }

    /// The one kind that a shape is; another kind goes, unknown fields stay.
    fn fill(&mut self, shape: &mut Map<String, Value>, old: Option<Shape>, new: Shape) {
        let kind = kind(new);
        for other in ["sphere", "capsule", "plane", "palne"].into_iter().filter(|other| *other != kind) {
            shape.shift_remove(other);
        }
        let mut map = shape.get(kind).and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|old| self::kind(*old) == kind && shape.contains_key(kind)).map(parts);
        let new = parts(new);
        self.set_vector(&mut map, "offset", old.map(|old| old.offset), new.offset);
        for (key, old, new) in
            [("tail", old.and_then(|old| old.tail), new.tail), ("normal", old.and_then(|old| old.normal), new.normal)]
        {
            if let Some(new) = new {
                self.set_vector(&mut map, key, old, new);
            }
        }
        if let Some(new) = new.radius {
            self.set_number(&mut map, "radius", old.and_then(|old| old.radius), new);
        }
        if new.inside != old.is_some_and(|old| old.inside) {
            map.insert("inside".to_owned(), Value::from(new.inside));
        }
        shape.insert(kind.to_owned(), Value::Object(map));
    }
}

/// What runtimes without the extension see: for an inside shape a point far away, for a plane a huge ball behind it.
fn fallback(shape: Shape) -> Value {
    const HUGE: f32 = 1000.0;
    match shape {
        Shape::Plane { offset, normal } => {
            let middle = (offset - normal * HUGE).to_array();
            json!({ "sphere": { "offset": middle.map(f64::from), "radius": HUGE } })
        }
        Shape::Sphere { .. } | Shape::Capsule { .. } => json!({ "sphere": { "offset": [0, -10000, 0], "radius": 0 } }),
    }
}

const fn kind(shape: Shape) -> &'static str {
    match shape {
        Shape::Sphere { .. } => "sphere",
        Shape::Capsule { .. } => "capsule",
        Shape::Plane { .. } => "plane",
    }
}

/// The fields of any shape.
#[derive(Clone, Copy)]
struct Parts {
    offset: Vec3,
    tail: Option<Vec3>,
    normal: Option<Vec3>,
    radius: Option<f32>,
    inside: bool,
}

fn parts(shape: Shape) -> Parts {
    match shape {
        Shape::Sphere { offset, radius, inside } => {
            Parts { offset, tail: None, normal: None, radius: Some(radius), inside }
        }
        Shape::Capsule { offset, tail, radius, inside } => {
            Parts { offset, tail: Some(tail), normal: None, radius: Some(radius), inside }
        }
        Shape::Plane { offset, normal } => {
            Parts { offset, tail: None, normal: Some(normal), radius: None, inside: false }
        }
    }
}
