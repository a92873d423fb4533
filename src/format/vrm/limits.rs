//! How far joints of VRM 1.0 may turn: `VRMC_springBone_limit`, as a draft and as finished.

use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::sim::{SwingLimit, SwingShape};
use glam::{Quat, Vec4};
use std::f32::consts::{FRAC_PI_2, PI};

pub(super) const LIMIT_EXTENSION: &str = "VRMC_springBone_limit";
/// Of which a limit has exactly one.
pub(super) const LIMIT_KINDS: [&str; 3] = ["cone", "hinge", "spherical"];
/// Which versions mean what is read here.
pub(super) const KNOWN_VERSIONS: [&str; 2] = ["1.0", "1.0-draft"];
/// A length this far from 1 is no rounding.
pub(super) const LENGTH_TOLERANCE: f32 = 1e-3;

/// The angles of a kind with the most that they count for, radians.
pub(super) fn angle_fields(kind: &str) -> &'static [(&'static str, f32)] {
    if kind == "spherical" { &[("pitch", PI), ("yaw", FRAC_PI_2)] } else { &[("angle", PI)] }
}

/// The limit of a joint; a broken one is none. Angles stay as written, however large.
pub(super) fn read(joint: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) -> Option<SwingLimit> {
    const NO_LIMIT: &str = "the joint has no limit";
    let json = notes.ok_or_warn(joint.extension(LIMIT_EXTENSION), NO_LIMIT).flatten()?;
    check_version(&json, notes);
    let limit = json.object("limit").and_then(|limit| limit.ok_or_else(|| json.missing_error("limit")));
    let limit = notes.ok_or_warn(limit, NO_LIMIT)?;
    let mut kinds = LIMIT_KINDS.into_iter().filter(|kind| limit.get(kind).is_some());
    let Some(kind) = kinds.next() else {
        notes.warn(limit.error(format!("none of {}", LIMIT_KINDS.join(", "))), NO_LIMIT);
        return None;
    };
    if let Some(other) = kinds.next() {
        notes.warn(limit.error(format!("{kind} and {other} at once")), &format!("the {kind} is used"));
    }
    notes.ok_or_warn(read_kind(&limit, kind, notes), NO_LIMIT)
}

fn check_version(json: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) {
    let fault = match json.text("specVersion") {
        Ok(Some(version)) if KNOWN_VERSIONS.contains(&version) => return,
        Ok(Some(other)) => json.error_at("specVersion", format!("version \"{}\"", crate::diagnostics::excerpt(other))),
        Ok(None) => json.missing_error("specVersion"),
        Err(fault) => fault,
    };
    notes.warn(fault, "it is read as version 1.0");
}

fn read_kind(limit: &JsonObject<'_>, kind: &str, notes: &GltfDiagnostics<'_>) -> Result<SwingLimit, JsonError> {
    let json = limit.object(kind)?.ok_or_else(|| limit.missing_error(kind))?;
    let mut found = [0.0; 2];
    for (slot, (key, most)) in found.iter_mut().zip(angle_fields(kind)) {
        *slot = read_angle(&json, key, *most, notes)?;
    }
    let [angle, yaw] = found;
    let shape = match kind {
        "cone" => SwingShape::Cone { angle },
        "hinge" => SwingShape::Hinge { angle },
        _ => SwingShape::Spherical { pitch: angle, yaw },
    };
    Ok(SwingLimit { shape, rotation: read_rotation(&json, notes) })
}

fn read_angle(json: &JsonObject<'_>, key: &str, most: f32, notes: &GltfDiagnostics<'_>) -> Result<f32, JsonError> {
    let angle: f32 = json.number(key)?.ok_or_else(|| json.missing_error(key))?;
    if angle < 0.0 {
        return Err(json.error_at(key, format!("{angle}; 0 or more was expected")));
    }
    if angle > most + LENGTH_TOLERANCE {
        let message = format!("{angle} radians; 0 to {most:.4} was expected");
        notes.warn(json.error_at(key, message), &format!("it counts as {most:.4}"));
    }
    Ok(angle)
}

fn read_rotation(json: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) -> Quat {
    let written = Vec4::from_array(notes.value_or_default(json.numbers("rotation"), Quat::IDENTITY.to_array()));
    let length = written.length();
    if (length - 1.0).abs() <= LENGTH_TOLERANCE {
        return Quat::from_vec4(written);
    }
    let fault = json.error_at("rotation", format!("the rotation has length {length}; 1 was expected"));
    let Some(unit) = written.try_normalize() else {
        notes.warn(fault, "the limit is not turned");
        return Quat::IDENTITY;
    };
    notes.warn(fault, "it is brought to length 1");
    Quat::from_vec4(unit)
}

/// With parts from -1 to 1, beyond which rounding may carry a rotation.
pub(super) fn clamp_rotation(limit: SwingLimit) -> SwingLimit {
    let rotation = Vec4::from(limit.rotation);
    if (rotation.length() - 1.0).abs() <= LENGTH_TOLERANCE {
        return SwingLimit { rotation: Quat::from_vec4(rotation.clamp(Vec4::NEG_ONE, Vec4::ONE)), ..limit };
    }
    limit
}
