//! Which rules of the VRM specification a file's springs break: each finding with its place, its reason and advice.
//!
//! The loader is tolerant and says what it does about a broken part; this room judges. It reads the file's JSON, not
//! what the loader made of it, changes nothing, and never refuses a file. Written after the specifications of
//! `VRMC_springBone`, `VRMC_springBone_extended_collider`, `VRMC_springBone_limit` and VRM 0.x.

mod checker;
mod limits;
mod non_finite_literals;
mod shapes;
mod table;
mod v0;
mod v1;

pub use table::RULES;

use crate::diagnostics::{Diagnostic, Location};
use crate::format::gltf_json::container;
use crate::format::gltf_json::json::JsonObject;
use checker::{NodeTree, RuleChecker};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is broken in the springs of a `.vrm`, `.glb` or `.gltf`. Bytes that are no JSON at all are left to the loader.
pub fn check(bytes: &[u8], file: &str) -> Vec<Diagnostic> {
    match container::parse_container(bytes) {
        Ok(container) => check_json(&container.json, file),
        Err(_) => non_finite_literals::find_non_finite_literals(bytes).map_or_else(Vec::new, |places| {
            let say = |(pointer, word)| {
                let message = format!("{word} where a number was expected; no JSON reader takes it");
                Diagnostic::rule_violation(&table::NUMBER_AS_TEXT, Location::file(file).with_pointer(pointer), message)
            };
            places.into_iter().map(say).collect()
        }),
    }
}

/// As [`check`], of the document itself.
pub fn check_json(root: &Value, file: &str) -> Vec<Diagnostic> {
    run_checks(root, file).into_diagnostics()
}

/// How often each rule is broken, listed or not.
pub(super) fn count_violations(root: &Value) -> BTreeMap<&'static str, usize> {
    run_checks(root, "").violation_counts()
}

fn run_checks<'f>(root: &Value, file: &'f str) -> RuleChecker<'f> {
    let find = RuleChecker::new(file);
    if let Ok(root) = JsonObject::new(root, String::new()) {
        let tree = NodeTree::new(&root);
        if let Ok(Some(json)) = root.extension(v1::SPRING_BONE_EXTENSION) {
            check_declared(&root, v1::SPRING_BONE_EXTENSION, &json, &find);
            v1::check(&root, &json, &tree, &find);
        }
        if let Ok(Some(json)) = root.extension("VRM") {
            check_declared(&root, "VRM", &json, &find);
            v0::check(&json, &tree, &find);
        }
    }
    find
}

/// `extensionsUsed` names every extension of the file.
fn check_declared(root: &JsonObject<'_>, name: &str, json: &JsonObject<'_>, find: &RuleChecker<'_>) {
    let list = root.list("extensionsUsed").unwrap_or_default();
    if !list.iter().any(|used| used == name) {
        let message = format!("\"{name}\" is used but not named in extensionsUsed");
        find.report(&table::EXTENSION_NOT_DECLARED, json.pointer.clone(), message);
    }
}

/// The four numbers and the direction of a joint, which both versions have; `stiffness` is spelled by version.
fn check_joint_numbers(json: &JsonObject<'_>, stiffness: &str, find: &RuleChecker<'_>) {
    find.check_range(json, "hitRadius", 0.0, f32::MAX, &table::HIT_RADIUS_NEGATIVE);
    find.check_range(json, stiffness, 0.0, f32::MAX, &table::STIFFNESS_NEGATIVE);
    find.check_range(json, "gravityPower", 0.0, f32::MAX, &table::GRAVITY_POWER_NEGATIVE);
    find.check_range(json, "dragForce", 0.0, 1.0, &table::DRAG_RANGE);
}

fn check_gravity_direction(json: &JsonObject<'_>, direction: [f32; 3], find: &RuleChecker<'_>) {
    let length = direction.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let pointer = json.pointer_to("gravityDir");
    if length < 1e-6 {
        find.report(&table::GRAVITY_DIR_ZERO, pointer, "the direction has length 0");
    } else if (length - 1.0).abs() > 1e-3 {
        find.report(&table::GRAVITY_DIR_LENGTH, pointer, format!("the direction has length {length:.4}"));
    }
}
