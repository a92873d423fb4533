//! Colliders of VRM 1.0 and of its extended colliders.

use super::checker::{NodeTree, RuleChecker};
use super::{check_declared, table};
use crate::diagnostics::FormatRule;
use crate::format::gltf_json::json::JsonObject;

const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";

/// Every entry of `colliders`; how many there are.
pub(super) fn check_colliders(
    root: &JsonObject<'_>,
    json: &JsonObject<'_>,
    tree: &NodeTree<'_>,
    find: &RuleChecker<'_>,
) -> usize {
    let colliders = find.check_objects(json, "colliders");
    let mut extension_checked = false;
    for collider in colliders.iter().flatten() {
        find.check_required_index(collider, "node", tree.count, &table::NODE_RANGE);
        let extended =
            collider.extension(EXTENDED_COLLIDER).map_err(|fault| find.report_json_error(&table::WRONG_TYPE, fault));
        let base = find.check_object(collider, "shape");
        match (&base, &extended) {
            (Some(shape), _) => check_base_shape(shape, find),
            (None, _) if collider.get("shape").is_some() => {}
            (None, Ok(None) | Err(())) => {
                find.report(&table::SHAPE_MISSING, collider.pointer.clone(), "\"shape\" is missing");
            }
            (None, Ok(Some(_))) => {
                let message = "\"shape\" is missing beside the extended shape";
                find.report(&table::BASE_SHAPE_MISSING, collider.pointer.clone(), message);
            }
        }
        if let Ok(Some(extended)) = &extended {
            if !extension_checked {
                check_declared(root, EXTENDED_COLLIDER, extended, find);
                extension_checked = true;
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
    if let Some(palne) = shape.get("plane").or_else(|| shape.get("palne")).and(Some("plane")) {
        let message = format!("a {palne} among the plain shapes; only {EXTENDED_COLLIDER} has planes");
        find.report(&table::WRONG_TYPE, shape.pointer.clone(), message);
    }
}

fn check_extended_shape(extended: &JsonObject<'_>, find: &RuleChecker<'_>) {
    find.check_spec_version(extended, &["1.0"]);
    let Some(shape) = find.check_object(extended, "shape") else {
        if extended.get("shape").is_none() {
            find.report(&table::EXTENDED_SHAPE_MISSING, extended.pointer.clone(), "\"shape\" is missing");
        }
        return;
    };
    if shape.get("palne").is_some() {
        find.report(&table::PLANE_MISSPELLED, shape.pointer_to("palne"), "\"palne\" where \"plane\" was expected");
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
            let length = normal.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
            if (length - 1.0).abs() > 1e-3 {
                let message = format!("the normal has length {length:.4}; 1 was expected");
                find.report(&table::PLANE_NORMAL, plane.pointer_to("normal"), message);
            }
        }
    }
}

/// Exactly one kind.
fn check_single_kind(shape: &JsonObject<'_>, kinds: &[&str], none: &'static FormatRule, find: &RuleChecker<'_>) {
    let there: Vec<_> = kinds.iter().copied().filter(|kind| shape.get(kind).is_some()).collect();
    match there.len() {
        0 => find.report(none, shape.pointer.clone(), format!("none of {}", kinds.join(", "))),
        1 => {}
        _ => find.report(&table::SHAPE_AMBIGUOUS, shape.pointer.clone(), format!("{} at once", there.join(" and "))),
    }
}

/// What spheres and capsules share.
fn check_round_shape(json: &JsonObject<'_>, find: &RuleChecker<'_>) {
    find.check_vector::<3>(json, "offset");
    find.check_vector::<3>(json, "tail");
    find.check_range(json, "radius", 0.0, f32::MAX, &table::RADIUS_NEGATIVE);
}
