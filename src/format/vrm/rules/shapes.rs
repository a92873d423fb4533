//! Colliders of VRM 1.0 and of its extended colliders.

use super::find::{Find, Tree};
use super::{declared, table};
use crate::format::gltf_json::json::Json;
use crate::report::Rule;

const EXTENDED: &str = "VRMC_springBone_extended_collider";

/// Every entry of `colliders`; how many there are.
pub(super) fn check(root: &Json<'_>, json: &Json<'_>, tree: &Tree<'_>, find: &Find<'_>) -> usize {
    let colliders = find.objects(json, "colliders");
    let mut told = false;
    for collider in colliders.iter().flatten() {
        find.required_index(collider, "node", tree.count, &table::NODE_RANGE);
        let extended = collider.extension(EXTENDED).map_err(|fault| find.fault(&table::WRONG_TYPE, fault));
        let base = find.object(collider, "shape");
        match (&base, &extended) {
            (Some(shape), _) => plain(shape, find),
            (None, _) if collider.get("shape").is_some() => {}
            (None, Ok(None) | Err(())) => {
                find.say(&table::SHAPE_MISSING, collider.pointer.clone(), "\"shape\" is missing");
            }
            (None, Ok(Some(_))) => {
                let message = "\"shape\" is missing beside the extended shape";
                find.say(&table::BASE_SHAPE_MISSING, collider.pointer.clone(), message);
            }
        }
        if let Ok(Some(extended)) = &extended {
            if !told {
                declared(root, EXTENDED, extended, find);
                told = true;
            }
            extended_shape(extended, find);
        }
    }
    colliders.len()
}

fn plain(shape: &Json<'_>, find: &Find<'_>) {
    kind(shape, &["sphere", "capsule"], &table::SHAPE_MISSING, find);
    for key in ["sphere", "capsule"] {
        if let Some(json) = find.object(shape, key) {
            round(&json, find);
        }
    }
    if let Some(palne) = shape.get("plane").or_else(|| shape.get("palne")).and(Some("plane")) {
        let message = format!("a {palne} among the plain shapes; only {EXTENDED} has planes");
        find.say(&table::WRONG_TYPE, shape.pointer.clone(), message);
    }
}

fn extended_shape(extended: &Json<'_>, find: &Find<'_>) {
    find.version(extended, &["1.0"]);
    let Some(shape) = find.object(extended, "shape") else {
        if extended.get("shape").is_none() {
            find.say(&table::EXTENDED_SHAPE_MISSING, extended.pointer.clone(), "\"shape\" is missing");
        }
        return;
    };
    if shape.get("palne").is_some() {
        find.say(&table::PALNE, shape.pointer_to("palne"), "\"palne\" where \"plane\" was expected");
    } else {
        kind(&shape, &["sphere", "capsule", "plane"], &table::EXTENDED_SHAPE_MISSING, find);
    }
    for key in ["sphere", "capsule"] {
        if let Some(json) = find.object(&shape, key) {
            round(&json, find);
            find.flag(&json, "inside");
        }
    }
    if let Some(plane) = find.object(&shape, "plane") {
        find.vector::<3>(&plane, "offset");
        if let Some(normal) = find.vector::<3>(&plane, "normal") {
            let length = normal.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
            if (length - 1.0).abs() > 1e-3 {
                let message = format!("the normal has length {length:.4}; 1 was expected");
                find.say(&table::PLANE_NORMAL, plane.pointer_to("normal"), message);
            }
        }
    }
}

/// Exactly one kind.
fn kind(shape: &Json<'_>, kinds: &[&str], none: &'static Rule, find: &Find<'_>) {
    let there: Vec<_> = kinds.iter().copied().filter(|kind| shape.get(kind).is_some()).collect();
    match there.len() {
        0 => find.say(none, shape.pointer.clone(), format!("none of {}", kinds.join(", "))),
        1 => {}
        _ => find.say(&table::SHAPE_TWICE, shape.pointer.clone(), format!("{} at once", there.join(" and "))),
    }
}

/// What spheres and capsules share.
fn round(json: &Json<'_>, find: &Find<'_>) {
    find.vector::<3>(json, "offset");
    find.vector::<3>(json, "tail");
    find.within(json, "radius", 0.0, f32::MAX, &table::RADIUS_NEGATIVE);
}
