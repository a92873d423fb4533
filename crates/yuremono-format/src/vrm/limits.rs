//! Angle limits of VRM 1.0 joints: `VRMC_springBone_limit` in the draft version and the final version.

use super::fields::check_spec_version;
use crate::gltf_json::json::{JsonError, JsonObject};
use glam::{Quat, Vec4};
use std::f32::consts::{FRAC_PI_2, PI};
use yuremono_sim::diagnostics::message;
use yuremono_sim::{SwingLimit, SwingShape};

pub(super) const LIMIT_EXTENSION: &str = "VRMC_springBone_limit";
/// The kinds of limits. A limit has exactly one kind.
pub(super) const LIMIT_KINDS: [&str; 3] = ["cone", "hinge", "spherical"];
/// The versions that this module can read.
pub(super) const KNOWN_VERSIONS: [&str; 2] = ["1.0", "1.0-draft"];
/// Largest difference of a length from 1 that counts as a rounding error.
pub(super) const LENGTH_TOLERANCE: f32 = 1e-3;

/// Returns the names of the angles of a kind, each with its largest effective value in radians.
pub(super) fn angle_fields(kind: &str) -> &'static [(&'static str, f32)] {
    if kind == "spherical" { &[("pitch", PI), ("yaw", FRAC_PI_2)] } else { &[("angle", PI)] }
}

/// Reads the limit of a joint. Returns `None` if the limit is invalid. Angles above the maximum are kept.
pub(super) fn read(joint: &JsonObject<'_>) -> Option<SwingLimit> {
    const NO_LIMIT: &str = "the joint has no limit";
    let json = joint.ok_or_warn(joint.extension(LIMIT_EXTENSION), NO_LIMIT).flatten()?;
    check_spec_version(&json, &KNOWN_VERSIONS);
    let limit = json.ok_or_warn(json.required("limit", JsonObject::object), NO_LIMIT)?;
    let mut kinds = LIMIT_KINDS.into_iter().filter(|kind| limit.get(kind).is_some());
    let Some(kind) = kinds.next() else {
        limit.warn(limit.error(message!("none of {limit_kinds}", limit_kinds = LIMIT_KINDS.join(", "))), NO_LIMIT);
        return None;
    };
    if let Some(other) = kinds.next() {
        let fault = limit.error(message!("{kind} and {other} at once", kind, other));
        limit.warn_with(fault, message!("the {kind} is used", kind));
    }
    limit.ok_or_warn(read_kind(&limit, kind), NO_LIMIT)
}

fn read_kind(limit: &JsonObject<'_>, kind: &str) -> Result<SwingLimit, JsonError> {
    let json = limit.required(kind, JsonObject::object)?;
    let mut found = [0.0; 2];
    for (slot, (key, most)) in found.iter_mut().zip(angle_fields(kind)) {
        *slot = read_angle(&json, key, *most)?;
    }
    let [angle, yaw] = found;
    let shape = match kind {
        "cone" => SwingShape::Cone { angle },
        "hinge" => SwingShape::Hinge { angle },
        _ => SwingShape::Spherical { pitch: angle, yaw },
    };
    Ok(SwingLimit { shape, rotation: read_rotation(&json) })
}

fn read_angle(json: &JsonObject<'_>, key: &str, most: f32) -> Result<f32, JsonError> {
    let angle = json.required(key, JsonObject::number)?;
    if angle < 0.0 {
        return Err(json.error_at(key, message!("{angle}; 0 or more was expected", angle)));
    }
    if angle > most + LENGTH_TOLERANCE {
        let most = format!("{most:.4}");
        let fault = json.error_at(key, message!("{angle} radians; 0 to {most} was expected", angle, most = &most));
        json.warn_with(fault, message!("it counts as {most}", most));
    }
    Ok(angle)
}

fn read_rotation(json: &JsonObject<'_>) -> Quat {
    let written = Vec4::from_array(json.value_or(json.numbers("rotation"), Quat::IDENTITY.to_array()));
    let length = written.length();
    if (length - 1.0).abs() <= LENGTH_TOLERANCE {
        return Quat::from_vec4(written);
    }
    let message = message!("the rotation quaternion is not normalized: its length is {length} instead of 1", length);
    let Some(unit) = written.try_normalize() else {
        json.warn_at("rotation", message, "the limit is not rotated");
        return Quat::IDENTITY;
    };
    json.warn_at("rotation", message, "it is normalized");
    Quat::from_vec4(unit)
}

/// Clamps the components of the rotation to the range -1 to 1, because rounding can exceed the range.
pub(super) fn clamp_rotation(limit: SwingLimit) -> SwingLimit {
    let rotation = Vec4::from(limit.rotation);
    if (rotation.length() - 1.0).abs() <= LENGTH_TOLERANCE {
        return SwingLimit { rotation: Quat::from_vec4(rotation.clamp(Vec4::NEG_ONE, Vec4::ONE)), ..limit };
    }
    limit
}
