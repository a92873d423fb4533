//! Shapes of `VRMC_springBone` and of `VRMC_springBone_extended_collider`.

use super::Shape;
use crate::format::gltf_json::json::{Fault, Json, Notes};
use glam::Vec3;

const EXTENDED: &str = "VRMC_springBone_extended_collider";

/// The shape of one entry of `colliders`; an extended shape goes before the base shape.
pub(super) fn shape(collider: &Json<'_>, notes: &Notes<'_>) -> Result<Shape, Fault> {
    let extended = notes.keep(collider.extension(EXTENDED), "the base shape is used").flatten();
    let base = collider.object("shape");
    if let Some(extended) = extended {
        check_version(&extended, notes);
        let read = extended.object("shape").and_then(|shape| {
            let shape = shape.ok_or_else(|| extended.missing("shape"))?;
            read(&shape, true, notes)
        });
        if !matches!(&base, Ok(Some(_))) {
            notes.warn(collider.missing("shape"), "the extended shape is used all the same");
        }
        match (read, &base) {
            (Ok(shape), _) => return Ok(shape),
            (Err(fault), Ok(Some(_))) => notes.warn(fault, "the base shape is used"),
            (Err(fault), _) => return Err(fault),
        }
    }
    let base = base?.ok_or_else(|| collider.missing("shape"))?;
    read(&base, false, notes)
}

fn check_version(extended: &Json<'_>, notes: &Notes<'_>) {
    let fault = match extended.text("specVersion") {
        Ok(Some("1.0" | "1.0-draft")) => return,
        Ok(Some(other)) => extended.fault("specVersion", format!("version \"{}\"", crate::report::clip(other))),
        Ok(None) => extended.missing("specVersion"),
        Err(fault) => fault,
    };
    notes.warn(fault, "it is read as version 1.0");
}

fn read(shape: &Json<'_>, extended: bool, notes: &Notes<'_>) -> Result<Shape, Fault> {
    let point = |json: &Json<'_>, key| Ok(json.numbers::<3>(key)?.map_or(Vec3::ZERO, Vec3::from_array));
    let inside = |json: &Json<'_>| if extended { json.flag("inside") } else { Ok(false) };
    if let Some(json) = shape.object("sphere")? {
        return Ok(Shape::Sphere { offset: point(&json, "offset")?, radius: radius(&json)?, inside: inside(&json)? });
    }
    if let Some(json) = shape.object("capsule")? {
        return Ok(Shape::Capsule {
            offset: point(&json, "offset")?,
            tail: point(&json, "tail")?,
            radius: radius(&json)?,
            inside: inside(&json)?,
        });
    }
    match if extended { shape.object("plane")? } else { None } {
        Some(json) => plane(&json, point(&json, "offset")?, notes),
        None if extended => Err(shape.broken("neither a sphere, nor a capsule, nor a plane")),
        None => Err(shape.broken("neither a sphere nor a capsule")),
    }
}

fn radius(json: &Json<'_>) -> Result<f32, Fault> {
    match json.number("radius")?.unwrap_or(0.0) {
        radius if radius < 0.0 => Err(json.fault("radius", format!("a radius of {radius}; 0 or more was expected"))),
        radius => Ok(radius),
    }
}

fn plane(json: &Json<'_>, offset: Vec3, notes: &Notes<'_>) -> Result<Shape, Fault> {
    let written = json.numbers::<3>("normal")?.map_or(Vec3::Z, Vec3::from_array);
    let normal = written.try_normalize().ok_or_else(|| json.fault("normal", "the normal has no direction"))?;
    if (written.length() - 1.0).abs() > 0.01 {
        let message = format!("the normal has length {}", written.length());
        notes.warn(json.fault("normal", message), "it is brought to length 1");
    }
    Ok(Shape::Plane { offset, normal })
}
