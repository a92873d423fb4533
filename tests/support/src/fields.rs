//! Finds the fields of a recording that a replay does not read, so that the replay can reject them.

use serde_json::Value;
use std::collections::BTreeSet;

/// Keys whose object counts as a single value: a node, a list of nodes, or the keys of a curve.
const REFERENCE_KEYS: [&str; 3] = ["node", "nodes", "keys"];

/// The JSON fields of a scene that are common to all kinds of `UnityChanSpringBone` recordings.
pub const SCENE_FIELDS: &[&str] = &[
    "nodes",
    "nodes[].i",
    "nodes[].name",
    "nodes[].parent",
    "nodes[].t",
    "nodes[].r",
    "nodes[].s",
    "nodes[].springBonePivot",
    "nodes[].renderer",
    "nodes[].rendererEnabled",
    "manager",
    "manager.node",
    "manager.automaticUpdates",
    "manager.isPaused",
    "manager.simulationFrameRate",
    "manager.dynamicRatio",
    "manager.gravity",
    "manager.bounce",
    "manager.friction",
    "manager.enableAngleLimits",
    "manager.enableCollision",
    "manager.enableLengthLimits",
    "manager.collideWithGround",
    "manager.groundHeight",
    "update_order",
    "bones",
    "bones[].i",
    "bones[].node",
    "bones[].name",
    "bones[].enabled",
    "bones[].stiffnessForce",
    "bones[].dragForce",
    "bones[].springForce",
    "bones[].windInfluence",
    "bones[].pivotNode",
    "bones[].angularStiffness",
    "bones[].yAngleLimits",
    "bones[].yAngleLimits.active",
    "bones[].yAngleLimits.min",
    "bones[].yAngleLimits.max",
    "bones[].zAngleLimits",
    "bones[].zAngleLimits.active",
    "bones[].zAngleLimits.min",
    "bones[].zAngleLimits.max",
    "bones[].lengthLimitTargets",
    "bones[].radius",
    "bones[].sphereColliders",
    "bones[].capsuleColliders",
    "bones[].panelColliders",
    "colliders",
    "colliders[].i",
    "colliders[].node",
    "colliders[].name",
    "colliders[].enabled",
    "colliders[].type",
    "colliders[].radius",
    "colliders[].width",
    "colliders[].height",
    "colliders[].linkedRenderer",
    "forces",
    "forces[].i",
    "forces[].node",
    "forces[].enabled",
    "forces[].type",
    "forces[].weight",
    "forces[].strength",
    "forces[].amplitude",
    "forces[].period",
    "forces[].spinPeriod",
    "forces[].peakDistance",
    "highLegs",
    "highLegs[].node",
    "highLegs[].hipPivot",
    "highLegs[].legs",
];

/// Returns every field of `json` that is not in `known`, as a path such as `input.channels[].t`. A list of objects adds
/// `[]`.
pub fn unknown_fields(json: &Value, known: impl IntoIterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
    let known: BTreeSet<String> = known.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let mut found = BTreeSet::new();
    collect_unknown(json, "", &known, &mut found);
    found
}

fn collect_unknown(json: &Value, path: &str, known: &BTreeSet<String>, unknown: &mut BTreeSet<String>) {
    match json {
        Value::Array(all) => all.iter().for_each(|one| collect_unknown(one, &format!("{path}[]"), known, unknown)),
        Value::Object(fields) if fields.len() == 1 && REFERENCE_KEYS.iter().any(|key| fields.contains_key(*key)) => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if known.contains(&path) {
                    collect_unknown(value, &path, known, unknown);
                } else {
                    unknown.insert(path);
                }
            }
        }
        _ => {}
    }
}

/// Panics if `json` has a field that is not in `known`, because the replay would ignore this field.
#[track_caller]
pub fn expect_fields(file: &str, json: &Value, known: impl IntoIterator<Item = impl AsRef<str>>) {
    let unknown = unknown_fields(json, known);
    assert!(unknown.is_empty(), "{file}: the replay does not read {unknown:?}");
}

#[test]
fn unknown_fields_are_found_at_any_depth() {
    let known = ["name", "params", "params.speed", "params.root", "bones", "bones[].t"];
    let plain = serde_json::json!({
        "name": "plain", "params": {"speed": 1, "root": {"node": 2}}, "bones": [{"t": [0, 0, 0]}, {"t": [1, 0, 0]}],
    });
    assert_eq!(unknown_fields(&plain, known), BTreeSet::new());
    for (pointer, path) in [("", "extra"), ("/params", "params.extra"), ("/bones/1", "bones[].extra")] {
        let mut json = plain.clone();
        let place = json.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object");
        place.insert("extra".to_owned(), Value::Bool(false));
        assert_eq!(unknown_fields(&json, known), BTreeSet::from([path.to_owned()]));
    }
    let mut json = plain;
    json["params"]["root"]["weight"] = 0.5.into();
    let found = unknown_fields(&json, known);
    assert!(found.contains("params.root.weight"), "{found:?}: a reference counts as a single value");
}
