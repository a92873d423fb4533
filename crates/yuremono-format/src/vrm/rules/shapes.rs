//! Checks the colliders of VRM 1.0, including extended colliders.

use super::checker::{RuleChecker, length};
use super::table;
use crate::gltf_json::json::JsonObject;
use crate::vrm::fields::EXTENDED_COLLIDER;
use yuremono_sim::diagnostics::{FormatRule, message};

/// Checks every entry of `colliders` and returns the number of entries.
pub(super) fn check_colliders(json: &JsonObject<'_>, find: &RuleChecker<'_>) -> usize {
    let colliders = find.check_objects(json, "colliders");
    let mut extension_checked = false;
    for collider in colliders.iter().flatten() {
        find.check_required_index(collider, "node", find.node_count, &table::NODE_RANGE);
        let extended = collider.extension(EXTENDED_COLLIDER).map_err(|fault| find.report_json_error(fault));
        let extended = extended.ok().flatten();
        let base = find.check_object(collider, "shape");
        if let Some(shape) = &base {
            check_base_shape(shape, find);
        } else if collider.get("shape").is_none() && extended.is_none() {
            find.report_missing(&table::SHAPE_MISSING, collider, "shape");
        } else if collider.get("shape").is_none() {
            let message = message!("\"shape\" is missing next to the extended shape");
            find.report(&table::BASE_SHAPE_MISSING, collider.pointer.clone(), message);
        }
        if let Some(extended) = &extended {
            if !std::mem::replace(&mut extension_checked, true) {
                find.check_declared(EXTENDED_COLLIDER, extended);
            }
            check_extended_shape(extended, find);
        }
    }
    colliders.len()
}

fn check_base_shape(shape: &JsonObject<'_>, find: &RuleChecker<'_>) {
    check_single_kind(shape, &["sphere", "capsule"], &table::SHAPE_MISSING, find);
    for key in ["sphere", "capsule"] {
        if let Some(json) = find.check_object(shape, key) {
            check_round_shape(&json, find);
        }
    }
    if let Some(field) = ["plane", "palne"].into_iter().find(|field| shape.get(field).is_some()) {
        let message = message!(
            "a {field} among the plain shapes; only {extended_collider} has planes",
            field,
            extended_collider = EXTENDED_COLLIDER
        );
        find.report(&table::WRONG_TYPE, shape.pointer.clone(), message);
    }
}

fn check_extended_shape(extended: &JsonObject<'_>, find: &RuleChecker<'_>) {
    find.check_spec_version(extended, &["1.0"]);
    let Some(shape) = find.check_object(extended, "shape") else {
        if extended.get("shape").is_none() {
            find.report_missing(&table::EXTENDED_SHAPE_MISSING, extended, "shape");
        }
        return;
    };
    if shape.get("palne").is_some() {
        let message = message!("\"palne\" where \"plane\" was expected");
        find.report(&table::PLANE_MISSPELLED, shape.pointer_to("palne"), message);
    } else {
        check_single_kind(&shape, &["sphere", "capsule", "plane"], &table::EXTENDED_SHAPE_MISSING, find);
    }
    for key in ["sphere", "capsule"] {
        if let Some(json) = find.check_object(&shape, key) {
            check_round_shape(&json, find);
            find.check_flag(&json, "inside");
        }
    }
    if let Some(plane) = find.check_object(&shape, "plane") {
        find.check_vector::<3>(&plane, "offset");
        if let Some(normal) = find.check_vector::<3>(&plane, "normal") {
            let length = length(&normal);
            if (length - 1.0).abs() > 1e-3 {
                let message =
                    message!("the normal has length {length}; 1 was expected", length = format_args!("{length:.4}"));
                find.report(&table::PLANE_NORMAL, plane.pointer_to("normal"), message);
            }
        }
    }
}

/// Checks that a shape has exactly one of `kinds`. `none` is the rule that a shape without any kind breaks.
fn check_single_kind(shape: &JsonObject<'_>, kinds: &[&str], none: &'static FormatRule, find: &RuleChecker<'_>) {
    let there: Vec<_> = kinds.iter().copied().filter(|kind| shape.get(kind).is_some()).collect();
    match there.len() {
        0 => find.report(none, shape.pointer.clone(), message!("none of {kinds}", kinds = kinds.join(", "))),
        1 => {}
        _ => find.report(
            &table::SHAPE_AMBIGUOUS,
            shape.pointer.clone(),
            message!("{there} at once", there = there.join(" and ")),
        ),
    }
}

/// Checks the fields that spheres and capsules have in common.
fn check_round_shape(json: &JsonObject<'_>, find: &RuleChecker<'_>) {
    find.check_vector::<3>(json, "offset");
    find.check_vector::<3>(json, "tail");
    find.check_range(json, "radius", 0.0, f32::MAX, &table::RADIUS_NEGATIVE);
}
