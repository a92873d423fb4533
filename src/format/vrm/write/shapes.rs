//! Shapes of VRM 1.0's colliders, plain and extended.

use super::SpringsWriter;
use crate::format::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::format::vrm::{VrmColliderShape, colliders};
use glam::Vec3;
use serde_json::{Map, Value, json};

pub(super) const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";

impl SpringsWriter<'_> {
    /// Writes a shape into its collider where it would read differently: into the extended shape where the collider
    /// has one or needs one, into the plain shape otherwise.
    pub(super) fn set_shape(&mut self, collider: &mut Map<String, Value>, new: VrmColliderShape) {
        let whole = Value::Object(collider.clone());
        let old = JsonObject::new(&whole, String::new())
            .and_then(|json| colliders::read_collider_shape(&json, &GltfDiagnostics::new("")))
            .ok();
        if old == Some(new) {
            return;
        }
        let is_plain = matches!(
            new,
            VrmColliderShape::Sphere { inside: false, .. } | VrmColliderShape::Capsule { inside: false, .. }
        );
        let has_extended = whole["extensions"][EXTENDED_COLLIDER].is_object();
        if is_plain && !has_extended {
            let mut shape = collider.get("shape").and_then(Value::as_object).cloned().unwrap_or_default();
            self.update_shape(&mut shape, old, new);
            collider.insert("shape".to_owned(), Value::Object(shape));
            return;
        }
        if !has_extended {
            self.adds_extended_collider = true;
            collider.insert("shape".to_owned(), fallback_shape(new));
        }
        let mut extensions = collider.get("extensions").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut extended = extensions.get(EXTENDED_COLLIDER).and_then(Value::as_object).cloned().unwrap_or_default();
        if !has_extended {
            extended.insert("specVersion".to_owned(), Value::from("1.0"));
        }
        let mut shape = extended.get("shape").and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|_| has_extended);
        self.update_shape(&mut shape, old, new);
        extended.insert("shape".to_owned(), Value::Object(shape));
        extensions.insert(EXTENDED_COLLIDER.to_owned(), Value::Object(extended));
        collider.insert("extensions".to_owned(), Value::Object(extensions));
    }

    /// The one kind that a shape is; another kind goes, unknown fields stay.
    fn update_shape(&mut self, shape: &mut Map<String, Value>, old: Option<VrmColliderShape>, new: VrmColliderShape) {
        let kind = shape_key(new);
        for other in ["sphere", "capsule", "plane", "palne"].into_iter().filter(|other| *other != kind) {
            shape.shift_remove(other);
        }
        let mut map = shape.get(kind).and_then(Value::as_object).cloned().unwrap_or_default();
        let old = old.filter(|old| shape_key(*old) == kind && shape.contains_key(kind)).map(shape_fields);
        let new = shape_fields(new);
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
fn fallback_shape(shape: VrmColliderShape) -> Value {
    const PLANE_FALLBACK_RADIUS: f32 = 1000.0;
    match shape {
        VrmColliderShape::Plane { offset, normal } => {
            let middle = (offset - normal * PLANE_FALLBACK_RADIUS).to_array();
            json!({ "sphere": { "offset": middle.map(f64::from), "radius": PLANE_FALLBACK_RADIUS } })
        }
        VrmColliderShape::Sphere { .. } | VrmColliderShape::Capsule { .. } => {
            json!({ "sphere": { "offset": [0, -10000, 0], "radius": 0 } })
        }
    }
}

const fn shape_key(shape: VrmColliderShape) -> &'static str {
    match shape {
        VrmColliderShape::Sphere { .. } => "sphere",
        VrmColliderShape::Capsule { .. } => "capsule",
        VrmColliderShape::Plane { .. } => "plane",
    }
}

/// The fields of any shape.
#[derive(Clone, Copy)]
struct ShapeFields {
    offset: Vec3,
    tail: Option<Vec3>,
    normal: Option<Vec3>,
    radius: Option<f32>,
    inside: bool,
}

fn shape_fields(shape: VrmColliderShape) -> ShapeFields {
    match shape {
        VrmColliderShape::Sphere { offset, radius, inside } => {
            ShapeFields { offset, tail: None, normal: None, radius: Some(radius), inside }
        }
        VrmColliderShape::Capsule { offset, tail, radius, inside } => {
            ShapeFields { offset, tail: Some(tail), normal: None, radius: Some(radius), inside }
        }
        VrmColliderShape::Plane { offset, normal } => {
            ShapeFields { offset, tail: None, normal: Some(normal), radius: None, inside: false }
        }
    }
}
