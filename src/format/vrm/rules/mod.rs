//! Which rules of the VRM specification a file's springs break: each finding with its place, its reason and advice.
//!
//! The loader is tolerant and says what it does about a broken part; this room judges. It reads the file's JSON, not
//! what the loader made of it, changes nothing, and never refuses a file. Written after the specifications of
//! `VRMC_springBone`, `VRMC_springBone_extended_collider`, `VRMC_springBone_limit` and VRM 0.x.

mod find;
mod lenient;
mod limits;
mod shapes;
mod table;
mod v0;
mod v1;

pub use table::RULES;

use crate::format::gltf_json::container;
use crate::format::gltf_json::json::Json;
use crate::report::{Diagnostic, Place};
use find::{Find, Tree};
use serde_json::Value;
use std::collections::BTreeMap;

/// What is broken in the springs of a `.vrm`, `.glb` or `.gltf`. Bytes that are no JSON at all are left to the loader.
pub fn check(bytes: &[u8], file: &str) -> Vec<Diagnostic> {
    match container::open(bytes) {
        Ok(container) => check_json(&container.json, file),
        Err(_) => lenient::numbers(bytes).map_or_else(Vec::new, |places| {
            let say = |(pointer, word)| {
                let message = format!("{word} where a number was expected; no JSON reader takes it");
                Diagnostic::broken(&table::NUMBER_AS_TEXT, Place::file(file).at(pointer), message)
            };
            places.into_iter().map(say).collect()
        }),
    }
}

/// As [`check`], of the document itself.
pub fn check_json(root: &Value, file: &str) -> Vec<Diagnostic> {
    find(root, file).finish()
}

/// How often each rule is broken, listed or not.
pub(super) fn counts(root: &Value) -> BTreeMap<&'static str, usize> {
    find(root, "").counts()
}

fn find<'f>(root: &Value, file: &'f str) -> Find<'f> {
    let find = Find::new(file);
    if let Ok(root) = Json::new(root, String::new()) {
        let tree = Tree::new(&root);
        if let Ok(Some(json)) = root.extension(v1::SPRINGS) {
            declared(&root, v1::SPRINGS, &json, &find);
            v1::check(&root, &json, &tree, &find);
        }
        if let Ok(Some(json)) = root.extension("VRM") {
            declared(&root, "VRM", &json, &find);
            v0::check(&json, &tree, &find);
        }
    }
    find
}

/// `extensionsUsed` names every extension of the file.
fn declared(root: &Json<'_>, name: &str, json: &Json<'_>, find: &Find<'_>) {
    let list = root.list("extensionsUsed").unwrap_or_default();
    if !list.iter().any(|used| used == name) {
        let message = format!("\"{name}\" is used but not named in extensionsUsed");
        find.say(&table::EXTENSION_NOT_DECLARED, json.pointer.clone(), message);
    }
}

/// The four numbers and the direction of a joint, which both versions have; `stiffness` is spelled by version.
fn joint_numbers(json: &Json<'_>, stiffness: &str, find: &Find<'_>) {
    find.within(json, "hitRadius", 0.0, f32::MAX, &table::HIT_RADIUS_NEGATIVE);
    find.within(json, stiffness, 0.0, f32::MAX, &table::STIFFNESS_NEGATIVE);
    find.within(json, "gravityPower", 0.0, f32::MAX, &table::GRAVITY_POWER_NEGATIVE);
    find.within(json, "dragForce", 0.0, 1.0, &table::DRAG_RANGE);
}

fn gravity_direction(json: &Json<'_>, direction: [f32; 3], find: &Find<'_>) {
    let length = direction.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    let pointer = json.pointer_to("gravityDir");
    if length < 1e-6 {
        find.say(&table::GRAVITY_DIR_ZERO, pointer, "the direction has length 0");
    } else if (length - 1.0).abs() > 1e-3 {
        find.say(&table::GRAVITY_DIR_LENGTH, pointer, format!("the direction has length {length:.4}"));
    }
}
