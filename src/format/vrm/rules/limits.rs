//! Limits of joints, `VRMC_springBone_limit`.

use super::find::Find;
use super::{declared, table};
use crate::format::gltf_json::json::Json;
use crate::format::vrm::limits::{KINDS, LIMIT, ROUNDING, VERSIONS, angles};

/// The limit of one joint; `seen` counts the limits of the file.
pub(super) fn check(joint: &Json<'_>, is_last: bool, root: &Json<'_>, seen: &mut usize, find: &Find<'_>) {
    let json = match joint.extension(LIMIT) {
        Ok(Some(json)) => json,
        Ok(None) => return,
        Err(fault) => return find.fault(&table::WRONG_TYPE, fault),
    };
    *seen += 1;
    if *seen == 1 {
        declared(root, LIMIT, &json, find);
        find.say(&table::LIMIT_DRAFT, json.pointer.clone(), "the first joint with a limit");
    }
    if is_last {
        find.say(&table::LIMIT_LAST, json.pointer.clone(), "a limit on the last joint");
    }
    find.version(&json, &VERSIONS);
    let Some(limit) = find.object(&json, "limit") else {
        if json.get("limit").is_none() {
            find.say(&table::LIMIT_KIND, json.pointer.clone(), "\"limit\" is missing");
        }
        return;
    };
    let there = KINDS.iter().filter(|kind| limit.get(kind).is_some()).count();
    if there != 1 {
        find.say(&table::LIMIT_KIND, limit.pointer.clone(), format!("{there} of {}", KINDS.join(", ")));
    }
    for kind in KINDS {
        if let Some(json) = find.object(&limit, kind) {
            one(&json, kind, find);
        }
    }
}

fn one(json: &Json<'_>, kind: &str, find: &Find<'_>) {
    for (key, most) in angles(kind) {
        if json.get(key).is_none() {
            find.say(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
        }
        match find.number(json, key) {
            Some(angle) if angle < 0.0 => {
                find.say(
                    &table::LIMIT_ANGLE_NEGATIVE,
                    json.pointer_to(key),
                    format!("{angle}; 0 or more was expected"),
                );
            }
            Some(angle) if angle > most + ROUNDING => {
                let message = format!("{angle}; 0 to {most:.4} was expected");
                find.say(&table::LIMIT_ANGLE, json.pointer_to(key), message);
            }
            _ => {}
        }
    }
    if let Some(rotation) = find.vector::<4>(json, "rotation") {
        let length = rotation.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if (length - 1.0).abs() > f64::from(ROUNDING) {
            let message = format!("the rotation has length {length:.4}; 1 was expected");
            find.say(&table::LIMIT_ROTATION, json.pointer_to("rotation"), message);
        }
    }
}

/// A limit at a spring, where early drafts had it.
pub(super) fn misplaced(spring: &Json<'_>, find: &Find<'_>) {
    if let Ok(Some(json)) = spring.extension(LIMIT) {
        find.say(&table::LIMIT_PLACE, json.pointer, "a limit at a spring");
    }
}
