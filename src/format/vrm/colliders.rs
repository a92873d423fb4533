//! Shapes of `VRMC_springBone` and of `VRMC_springBone_extended_collider`.

use super::VrmColliderShape;
use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use glam::Vec3;

const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";

/// The shape of one entry of `colliders`; an extended shape goes before the base shape.
pub(super) fn read_collider_shape(
    collider: &JsonObject<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<VrmColliderShape, JsonError> {
    let extended = notes.ok_or_warn(collider.extension(EXTENDED_COLLIDER), "the base shape is used").flatten();
    let base = collider.object("shape");
    if let Some(extended) = extended {
        check_version(&extended, notes);
        let read = extended.object("shape").and_then(|shape| {
            let shape = shape.ok_or_else(|| extended.missing_error("shape"))?;
            read_shape(&shape, true, notes)
        });
        if !matches!(&base, Ok(Some(_))) {
            notes.warn(collider.missing_error("shape"), "the extended shape is used all the same");
        }
        match (read, &base) {
            (Ok(shape), _) => return Ok(shape),
            (Err(fault), Ok(Some(_))) => notes.warn(fault, "the base shape is used"),
            (Err(fault), _) => return Err(fault),
        }
    }
    let base = base?.ok_or_else(|| collider.missing_error("shape"))?;
    read_shape(&base, false, notes)
}

fn check_version(extended: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) {
    let fault = match extended.text("specVersion") {
        Ok(Some("1.0" | "1.0-draft")) => return,
        Ok(Some(other)) => {
            extended.error_at("specVersion", format!("version \"{}\"", crate::diagnostics::excerpt(other)))
        }
        Ok(None) => extended.missing_error("specVersion"),
        Err(fault) => fault,
    };
    notes.warn(fault, "it is read as version 1.0");
}

fn read_shape(
    shape: &JsonObject<'_>,
    extended: bool,
    notes: &GltfDiagnostics<'_>,
) -> Result<VrmColliderShape, JsonError> {
    let point = |json: &JsonObject<'_>, key| Ok(json.numbers::<3>(key)?.map_or(Vec3::ZERO, Vec3::from_array));
    let inside = |json: &JsonObject<'_>| if extended { json.flag("inside") } else { Ok(false) };
    if let Some(json) = shape.object("sphere")? {
        return Ok(VrmColliderShape::Sphere {
            offset: point(&json, "offset")?,
            radius: read_radius(&json)?,
            inside: inside(&json)?,
        });
    }
    if let Some(json) = shape.object("capsule")? {
        return Ok(VrmColliderShape::Capsule {
            offset: point(&json, "offset")?,
            tail: point(&json, "tail")?,
            radius: read_radius(&json)?,
            inside: inside(&json)?,
        });
    }
    match if extended { shape.object("plane")? } else { None } {
        Some(json) => read_plane(&json, point(&json, "offset")?, notes),
        None if extended => Err(shape.error("neither a sphere, nor a capsule, nor a plane")),
        None => Err(shape.error("neither a sphere nor a capsule")),
    }
}

fn read_radius(json: &JsonObject<'_>) -> Result<f32, JsonError> {
    match json.number("radius")?.unwrap_or(0.0) {
        radius if radius < 0.0 => Err(json.error_at("radius", format!("a radius of {radius}; 0 or more was expected"))),
        radius => Ok(radius),
    }
}

fn read_plane(json: &JsonObject<'_>, offset: Vec3, notes: &GltfDiagnostics<'_>) -> Result<VrmColliderShape, JsonError> {
    let written = json.numbers::<3>("normal")?.map_or(Vec3::Z, Vec3::from_array);
    let normal = written.try_normalize().ok_or_else(|| json.error_at("normal", "the normal has no direction"))?;
    if (written.length() - 1.0).abs() > 0.01 {
        let message = format!("the normal has length {}", written.length());
        notes.warn(json.error_at("normal", message), "it is brought to length 1");
    }
    Ok(VrmColliderShape::Plane { offset, normal })
}
