//! How far joints of VRM 1.0 may turn: `VRMC_springBone_limit`, as a draft and as finished.

use crate::format::gltf_json::json::{Fault, Json, Notes};
use crate::sim::{SwingLimit, SwingShape};
use glam::{Quat, Vec4};
use std::f32::consts::{FRAC_PI_2, PI};

pub(super) const LIMIT: &str = "VRMC_springBone_limit";
/// Of which a limit has exactly one.
pub(super) const KINDS: [&str; 3] = ["cone", "hinge", "spherical"];
/// Which versions mean what is read here.
pub(super) const VERSIONS: [&str; 2] = ["1.0", "1.0-draft"];
/// A length this far from 1 is no rounding.
pub(super) const ROUNDING: f32 = 1e-3;

/// The angles of a kind with the most that they count for, radians.
pub(super) fn angles(kind: &str) -> &'static [(&'static str, f32)] {
    if kind == "spherical" { &[("pitch", PI), ("yaw", FRAC_PI_2)] } else { &[("angle", PI)] }
}

/// The limit of a joint; a broken one is none. Angles stay as written, however large.
pub(super) fn read(joint: &Json<'_>, notes: &Notes<'_>) -> Option<SwingLimit> {
    const NONE: &str = "the joint has no limit";
    let json = notes.keep(joint.extension(LIMIT), NONE).flatten()?;
    check_version(&json, notes);
    let limit = json.object("limit").and_then(|limit| limit.ok_or_else(|| json.missing("limit")));
    let limit = notes.keep(limit, NONE)?;
    let mut kinds = KINDS.into_iter().filter(|kind| limit.get(kind).is_some());
    let Some(kind) = kinds.next() else {
        notes.warn(limit.broken(format!("none of {}", KINDS.join(", "))), NONE);
        return None;
    };
    if let Some(other) = kinds.next() {
        notes.warn(limit.broken(format!("{kind} and {other} at once")), &format!("the {kind} is used"));
    }
    notes.keep(one(&limit, kind, notes), NONE)
}

fn check_version(json: &Json<'_>, notes: &Notes<'_>) {
    let fault = match json.text("specVersion") {
        Ok(Some(version)) if VERSIONS.contains(&version) => return,
        Ok(Some(other)) => json.fault("specVersion", format!("version \"{}\"", crate::report::clip(other))),
        Ok(None) => json.missing("specVersion"),
        Err(fault) => fault,
    };
    notes.warn(fault, "it is read as version 1.0");
}

fn one(limit: &Json<'_>, kind: &str, notes: &Notes<'_>) -> Result<SwingLimit, Fault> {
    let json = limit.object(kind)?.ok_or_else(|| limit.missing(kind))?;
    let mut found = [0.0; 2];
    for (slot, (key, most)) in found.iter_mut().zip(angles(kind)) {
        *slot = angle(&json, key, *most, notes)?;
    }
    let [angle, yaw] = found;
    let shape = match kind {
        "cone" => SwingShape::Cone { angle },
        "hinge" => SwingShape::Hinge { angle },
        _ => SwingShape::Spherical { pitch: angle, yaw },
    };
    Ok(SwingLimit { shape, rotation: rotation(&json, notes) })
}

fn angle(json: &Json<'_>, key: &str, most: f32, notes: &Notes<'_>) -> Result<f32, Fault> {
    let angle: f32 = json.number(key)?.ok_or_else(|| json.missing(key))?;
    if angle < 0.0 {
        return Err(json.fault(key, format!("{angle}; 0 or more was expected")));
    }
    if angle > most + ROUNDING {
        let message = format!("{angle} radians; 0 to {most:.4} was expected");
        notes.warn(json.fault(key, message), &format!("it counts as {most:.4}"));
    }
    Ok(angle)
}

fn rotation(json: &Json<'_>, notes: &Notes<'_>) -> Quat {
    let written = Vec4::from_array(notes.or(json.numbers("rotation"), Quat::IDENTITY.to_array()));
    let length = written.length();
    if (length - 1.0).abs() <= ROUNDING {
        return Quat::from_vec4(written);
    }
    let fault = json.fault("rotation", format!("the rotation has length {length}; 1 was expected"));
    let Some(unit) = written.try_normalize() else {
        notes.warn(fault, "the limit is not turned");
        return Quat::IDENTITY;
    };
    notes.warn(fault, "it is brought to length 1");
    Quat::from_vec4(unit)
}

/// With parts from -1 to 1, beyond which rounding may carry a rotation.
pub(super) fn settled(limit: SwingLimit) -> SwingLimit {
    let rotation = Vec4::from(limit.rotation);
    if (rotation.length() - 1.0).abs() <= ROUNDING {
        return SwingLimit { rotation: Quat::from_vec4(rotation.clamp(Vec4::NEG_ONE, Vec4::ONE)), ..limit };
    }
    limit
}
