//! Limits of joints, `VRMC_springBone_limit`.

use super::checker::RuleChecker;
use super::{check_declared, table};
use crate::format::gltf_json::json::JsonObject;
use crate::format::vrm::limits::{KNOWN_VERSIONS, LENGTH_TOLERANCE, LIMIT_EXTENSION, LIMIT_KINDS, angle_fields};

/// The limit of one joint; `seen` counts the limits of the file.
pub(super) fn check_limit(
    joint: &JsonObject<'_>,
    is_last: bool,
    root: &JsonObject<'_>,
    seen: &mut usize,
    find: &RuleChecker<'_>,
) {
    let json = match joint.extension(LIMIT_EXTENSION) {
        Ok(Some(json)) => json,
        Ok(None) => return,
        Err(fault) => return find.report_json_error(&table::WRONG_TYPE, fault),
    };
    *seen += 1;
    if *seen == 1 {
        check_declared(root, LIMIT_EXTENSION, &json, find);
        find.report(&table::LIMIT_DRAFT, json.pointer.clone(), "the first joint with a limit");
    }
    if is_last {
        find.report(&table::LIMIT_ON_LAST_JOINT, json.pointer.clone(), "a limit on the last joint");
    }
    find.check_spec_version(&json, &KNOWN_VERSIONS);
    let Some(limit) = find.check_object(&json, "limit") else {
        if json.get("limit").is_none() {
            find.report(&table::LIMIT_KIND, json.pointer.clone(), "\"limit\" is missing");
        }
        return;
    };
    let there = LIMIT_KINDS.iter().filter(|kind| limit.get(kind).is_some()).count();
    if there != 1 {
        find.report(&table::LIMIT_KIND, limit.pointer.clone(), format!("{there} of {}", LIMIT_KINDS.join(", ")));
    }
    for kind in LIMIT_KINDS {
        if let Some(json) = find.check_object(&limit, kind) {
            check_kind(&json, kind, find);
        }
    }
}

fn check_kind(json: &JsonObject<'_>, kind: &str, find: &RuleChecker<'_>) {
    for (key, most) in angle_fields(kind) {
        if json.get(key).is_none() {
            find.report(&table::REQUIRED_MISSING, json.pointer.clone(), format!("\"{key}\" is missing"));
        }
        match find.check_number(json, key) {
            Some(angle) if angle < 0.0 => {
                find.report(
                    &table::LIMIT_ANGLE_NEGATIVE,
                    json.pointer_to(key),
                    format!("{angle}; 0 or more was expected"),
                );
            }
            Some(angle) if angle > most + LENGTH_TOLERANCE => {
                let message = format!("{angle}; 0 to {most:.4} was expected");
                find.report(&table::LIMIT_ANGLE_RANGE, json.pointer_to(key), message);
            }
            _ => {}
        }
    }
    if let Some(rotation) = find.check_vector::<4>(json, "rotation") {
        let length = rotation.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
        if (length - 1.0).abs() > f64::from(LENGTH_TOLERANCE) {
            let message = format!("the rotation has length {length:.4}; 1 was expected");
            find.report(&table::LIMIT_ROTATION, json.pointer_to("rotation"), message);
        }
    }
}

/// A limit at a spring, where early drafts had it.
pub(super) fn check_misplaced(spring: &JsonObject<'_>, find: &RuleChecker<'_>) {
    if let Ok(Some(json)) = spring.extension(LIMIT_EXTENSION) {
        find.report(&table::LIMIT_NOT_ON_JOINT, json.pointer, "a limit at a spring");
    }
}
