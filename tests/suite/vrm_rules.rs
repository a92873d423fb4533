//! Tests each rule of the VRM specification with a small file that violates it. Valid files and real files have known
//! findings.

use super::support;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::vrm::rules::{self, RULES};
use yuremono_sim::diagnostics::{Diagnostic, Severity};

const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";
const LIMIT_EXTENSION: &str = "VRMC_springBone_limit";

/// Returns a file with six nodes in a line and a sibling node, one collider, one group, and a spring over nodes 1, 2
/// and 3.
fn vrm_1_file() -> Value {
    let mut nodes: Vec<_> = (0..6).map(|i| json!({ "name": format!("n{i}"), "translation": [0, -0.1, 0] })).collect();
    for (i, node) in nodes.iter_mut().enumerate().take(5) {
        node["children"] = if i == 0 { json!([1, 6]) } else { json!([i + 1]) };
    }
    nodes.push(json!({ "name": "side" }));
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["VRMC_springBone", EXTENDED_COLLIDER, LIMIT_EXTENSION],
        "nodes": nodes,
        "extensions": { "VRMC_springBone": {
            "specVersion": "1.0",
            "colliders": [{ "node": 0, "shape": { "sphere": { "offset": [0, 0, 0], "radius": 0.1 } } }],
            "colliderGroups": [{ "name": "body", "colliders": [0] }],
            "springs": [{
                "name": "hair",
                "joints": [
                    { "node": 1, "hitRadius": 0.01, "stiffness": 1, "gravityPower": 0.1, "gravityDir": [0, -1, 0], "dragForce": 0.4 },
                    { "node": 2 },
                    { "node": 3 },
                ],
                "colliderGroups": [0],
                "center": 0,
            }],
        } },
    })
}

/// Returns a VRM 0.x file with the nodes of [`vrm_1_file`].
fn vrm_0_file() -> Value {
    let mut file = vrm_1_file();
    file["extensionsUsed"] = json!(["VRM"]);
    file["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [{
            "comment": "hair", "stiffiness": 0.7, "gravityPower": 0, "gravityDir": { "x": 0, "y": -1, "z": 0 },
            "dragForce": 0.3, "center": -1, "hitRadius": 0.02, "bones": [1], "colliderGroups": [0],
        }],
        "colliderGroups": [{ "node": 0, "colliders": [{ "offset": { "x": 0, "y": 0, "z": 0 }, "radius": 0.1 }] }],
    } } });
    file
}

/// A change to a valid file: pointer and new value. `null` removes the field.
type JsonChange = (&'static str, Value);

fn apply_changes(mut file: Value, changes: &[JsonChange]) -> Value {
    let inside = if file["extensions"].get("VRM").is_some() { "VRM/secondaryAnimation" } else { "VRMC_springBone" };
    for (pointer, value) in changes {
        let full = pointer.strip_prefix('~').map(|rest| format!("/extensions/{inside}{rest}"));
        let full = full.as_deref().unwrap_or(pointer);
        let (parent, key) = full.rsplit_once('/').expect("a pointer");
        match file.pointer_mut(parent).unwrap_or_else(|| panic!("{full}")) {
            Value::Object(map) if value.is_null() => drop(map.remove(key)),
            Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
            Value::Array(list) if key == "-" => list.push(value.clone()),
            Value::Array(list) => list[key.parse::<usize>().expect("a position")] = value.clone(),
            other => panic!("{other}"),
        }
    }
    file
}

fn findings(file: &Value) -> Vec<Diagnostic> {
    rules::check(file.to_string().as_bytes(), "a.vrm")
}

fn extended_collider(shape: &Value) -> Value {
    json!({ EXTENDED_COLLIDER: { "specVersion": "1.0", "shape": shape } })
}

fn limit_extension(limit: &Value) -> Value {
    json!({ LIMIT_EXTENSION: { "specVersion": "1.0-draft", "limit": limit } })
}

/// Returns rule ids, each with the place of the violation and the changes that cause it. A place is relative to the
/// springs (`~`) or to the root of the file.
fn vrm_1_violations() -> Vec<(&'static str, &'static str, Vec<JsonChange>)> {
    let spring = |joints: Value| json!({ "joints": joints });
    let joint = "~/springs/0/joints/0";
    vec![
        ("wrong-type", "~/springs", vec![("~/springs", json!("many"))]),
        ("wrong-type", "~/springs/0/joints/0/dragForce", vec![("~/springs/0/joints/0/dragForce", json!([0.5]))]),
        ("wrong-type", "~/springs/0/joints/0/gravityDir", vec![("~/springs/0/joints/0/gravityDir", json!([0, -1]))]),
        ("wrong-type", "~/colliders/0/node", vec![("~/colliders/0/node", json!(0.5))]),
        ("number-as-text", "~/springs/0/joints/0/stiffness", vec![("~/springs/0/joints/0/stiffness", json!("NaN"))]),
        ("number-too-large", "~/springs/0/joints/0/stiffness", vec![("~/springs/0/joints/0/stiffness", json!(1e300))]),
        ("required-missing", joint, vec![("~/springs/0/joints/0/node", Value::Null)]),
        ("required-missing", "~/springs/0", vec![("~/springs/0/joints", Value::Null)]),
        ("required-missing", "~/colliderGroups/0", vec![("~/colliderGroups/0/colliders", Value::Null)]),
        ("list-empty", "~/springs/0/joints", vec![("~/springs/0/joints", json!([]))]),
        ("extension-not-declared", "~", vec![("/extensionsUsed", json!([]))]),
        ("spec-version-missing", "~", vec![("~/specVersion", Value::Null)]),
        ("spec-version-unknown", "~/specVersion", vec![("~/specVersion", json!("9"))]),
        ("node-out-of-range", "~/springs/0/joints/2/node", vec![("~/springs/0/joints/2/node", json!(7))]),
        ("node-out-of-range", "~/springs/0/center", vec![("~/springs/0/center", json!(-1))]),
        ("collider-out-of-range", "~/colliderGroups/0/colliders/0", vec![("~/colliderGroups/0/colliders", json!([1]))]),
        ("group-out-of-range", "~/springs/0/colliderGroups/0", vec![("~/springs/0/colliderGroups", json!([1]))]),
        ("index-repeated", "~/colliderGroups/0/colliders/1", vec![("~/colliderGroups/0/colliders", json!([0, 0]))]),
        (
            "hit-radius-negative",
            "~/springs/0/joints/0/hitRadius",
            vec![("~/springs/0/joints/0/hitRadius", json!(-0.1))],
        ),
        ("stiffness-negative", "~/springs/0/joints/0/stiffness", vec![("~/springs/0/joints/0/stiffness", json!(-1))]),
        (
            "gravity-power-negative",
            "~/springs/0/joints/0/gravityPower",
            vec![("~/springs/0/joints/0/gravityPower", json!(-1))],
        ),
        ("drag-out-of-range", "~/springs/0/joints/0/dragForce", vec![("~/springs/0/joints/0/dragForce", json!(1.5))]),
        (
            "gravity-dir-zero",
            "~/springs/0/joints/0/gravityDir",
            vec![("~/springs/0/joints/0/gravityDir", json!([0, 0, 0]))],
        ),
        (
            "gravity-dir-not-unit",
            "~/springs/0/joints/0/gravityDir",
            vec![("~/springs/0/joints/0/gravityDir", json!([0, -2, 0]))],
        ),
        (
            "joint-not-below",
            "~/springs/0/joints/1/node",
            vec![("~/springs/0/joints", json!([{ "node": 1 }, { "node": 6 }]))],
        ),
        (
            "joint-repeated",
            "~/springs/0/joints/1/node",
            vec![("~/springs/0/joints", json!([{ "node": 1 }, { "node": 1 }]))],
        ),
        (
            "node-in-two-springs",
            "~/springs/1/joints/0/node",
            vec![("~/springs/-", spring(json!([{ "node": 3 }, { "node": 4 }])))],
        ),
        (
            "skipped-node-in-two-springs",
            "~/springs/0/joints/1/node",
            vec![
                ("~/springs/0/joints", json!([{ "node": 1 }, { "node": 3 }])),
                ("~/springs/-", spring(json!([{ "node": 2 }, { "node": 5 }]))),
            ],
        ),
        (
            "joint-skips-nodes",
            "~/springs/0/joints/1/node",
            vec![("~/springs/0/joints", json!([{ "node": 1 }, { "node": 3 }]))],
        ),
        ("single-joint", "~/springs/0/joints", vec![("~/springs/0/joints", json!([{ "node": 1 }]))]),
        ("last-joint-unused", "~/springs/0/joints/2", vec![("~/springs/0/joints/2/dragForce", json!(0.4))]),
        ("center-not-above", "~/springs/0/center", vec![("~/springs/0/center", json!(2))]),
        (
            "center-in-spring",
            "~/springs/1/center",
            vec![
                ("~/springs/0/joints", json!([{ "node": 1 }, { "node": 2 }])),
                ("~/springs/-", json!({ "joints": [{ "node": 4 }, { "node": 5 }], "center": 3 })),
            ],
        ),
        ("stiffiness-in-1.0", "~/springs/0/joints/1/stiffiness", vec![("~/springs/0/joints/1/stiffiness", json!(2))]),
    ]
}

fn shape_and_limit_violations() -> Vec<(&'static str, &'static str, Vec<JsonChange>)> {
    let shape = "~/colliders/0/shape";
    vec![
        (
            "radius-negative",
            "~/colliders/0/shape/sphere/radius",
            vec![("~/colliders/0/shape/sphere/radius", json!(-0.1))],
        ),
        ("shape-missing", "~/colliders/0", vec![("~/colliders/0/shape", Value::Null)]),
        ("shape-missing", shape, vec![(shape, json!({}))]),
        ("shape-twice", shape, vec![("~/colliders/0/shape/capsule", json!({}))]),
        (
            "base-shape-missing",
            "~/colliders/0",
            vec![
                ("~/colliders/0/shape", Value::Null),
                ("~/colliders/0/extensions", extended_collider(&json!({ "plane": {} }))),
            ],
        ),
        (
            "extended-shape-missing",
            "~/colliders/0/extensions/VRMC_springBone_extended_collider/shape",
            vec![("~/colliders/0/extensions", extended_collider(&json!({})))],
        ),
        (
            "spec-version-missing",
            "~/colliders/0/extensions/VRMC_springBone_extended_collider",
            vec![("~/colliders/0/extensions", json!({ EXTENDED_COLLIDER: { "shape": { "plane": {} } } }))],
        ),
        (
            "palne",
            "~/colliders/0/extensions/VRMC_springBone_extended_collider/shape/palne",
            vec![("~/colliders/0/extensions", extended_collider(&json!({ "palne": {} })))],
        ),
        (
            "plane-normal-not-unit",
            "~/colliders/0/extensions/VRMC_springBone_extended_collider/shape/plane/normal",
            vec![("~/colliders/0/extensions", extended_collider(&json!({ "plane": { "normal": [0, 2, 0] } })))],
        ),
        (
            "limit-draft",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit",
            vec![("~/springs/0/joints/0/extensions", limit_extension(&json!({ "cone": { "angle": 1 } })))],
        ),
        (
            "limit-kind",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit",
            vec![("~/springs/0/joints/0/extensions", limit_extension(&json!({ "cone": {}, "hinge": {} })))],
        ),
        (
            "limit-angle-out-of-range",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/cone/angle",
            vec![("~/springs/0/joints/0/extensions", limit_extension(&json!({ "cone": { "angle": 45 } })))],
        ),
        (
            "limit-angle-out-of-range",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/spherical/yaw",
            vec![(
                "~/springs/0/joints/0/extensions",
                limit_extension(&json!({ "spherical": { "pitch": 3, "yaw": 3 } })),
            )],
        ),
        (
            "limit-angle-negative",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/hinge/angle",
            vec![("~/springs/0/joints/0/extensions", limit_extension(&json!({ "hinge": { "angle": -1 } })))],
        ),
        (
            "limit-rotation-not-unit",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/hinge/rotation",
            vec![(
                "~/springs/0/joints/0/extensions",
                limit_extension(&json!({ "hinge": { "angle": 1, "rotation": [1, 0, 0, 1] } })),
            )],
        ),
        (
            "wrong-type",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/hinge/rotation",
            vec![(
                "~/springs/0/joints/0/extensions",
                limit_extension(&json!({ "hinge": { "angle": 1, "rotation": [0, 0, 1] } })),
            )],
        ),
        (
            "required-missing",
            "~/springs/0/joints/0/extensions/VRMC_springBone_limit/limit/spherical",
            vec![("~/springs/0/joints/0/extensions", limit_extension(&json!({ "spherical": { "pitch": 1 } })))],
        ),
        (
            "limit-on-last-joint",
            "~/springs/0/joints/2/extensions/VRMC_springBone_limit",
            vec![("~/springs/0/joints/2/extensions", limit_extension(&json!({ "cone": { "angle": 1 } })))],
        ),
        (
            "limit-not-on-joint",
            "~/springs/0/extensions/VRMC_springBone_limit",
            vec![("~/springs/0/extensions", limit_extension(&json!({ "cone": { "angle": 1 } })))],
        ),
    ]
}

fn vrm_0_violations() -> Vec<(&'static str, &'static str, Vec<JsonChange>)> {
    let group = |bones: Value| json!({ "stiffiness": 1, "gravityDir": { "x": 0, "y": -1, "z": 0 }, "center": -1, "bones": bones });
    vec![
        ("v0-stiffness-missing", "~/boneGroups/0", vec![("~/boneGroups/0/stiffiness", Value::Null)]),
        (
            "v0-stiffness-spelled",
            "~/boneGroups/0/stiffness",
            vec![("~/boneGroups/0/stiffiness", Value::Null), ("~/boneGroups/0/stiffness", json!(1))],
        ),
        (
            "humanoid-hips-missing",
            "/extensions/VRM/humanoid",
            vec![("/extensions/VRM/humanoid", json!({ "humanBones": [{ "bone": "head", "node": 0 }] }))],
        ),
        ("v0-root-repeated", "~/boneGroups/0/bones/1", vec![("~/boneGroups/0/bones", json!([1, 1]))]),
        ("v0-root-repeated", "~/boneGroups/1/bones/0", vec![("~/boneGroups/-", group(json!([1])))]),
        ("v0-root-below-root", "~/boneGroups/1/bones/0", vec![("~/boneGroups/-", group(json!([3])))]),
        ("v0-vector-as-list", "~/boneGroups/0/gravityDir", vec![("~/boneGroups/0/gravityDir", json!([0, -1, 0]))]),
        (
            "v0-gravity-z",
            "~/boneGroups/0/gravityDir",
            vec![("~/boneGroups/0/gravityDir", json!({ "x": 0, "y": 0, "z": 1 }))],
        ),
        ("node-out-of-range", "~/boneGroups/0/center", vec![("~/boneGroups/0/center", json!(-2))]),
        ("node-out-of-range", "~/boneGroups/0/bones/0", vec![("~/boneGroups/0/bones", json!([99]))]),
        ("group-out-of-range", "~/boneGroups/0/colliderGroups/0", vec![("~/boneGroups/0/colliderGroups", json!([3]))]),
        (
            "radius-negative",
            "~/colliderGroups/0/colliders/0/radius",
            vec![("~/colliderGroups/0/colliders/0/radius", json!(-1))],
        ),
        ("required-missing", "~/colliderGroups/0", vec![("~/colliderGroups/0/node", Value::Null)]),
        ("drag-out-of-range", "~/boneGroups/0/dragForce", vec![("~/boneGroups/0/dragForce", json!(-0.1))]),
    ]
}

#[test]
fn valid_files_have_no_findings() {
    assert_eq!(findings(&vrm_1_file()), []);
    assert_eq!(findings(&vrm_0_file()), []);
    assert_eq!(rules::check(b"", "a.vrm"), []);
    assert_eq!(rules::check(b"{\"asset\":{\"version\":\"2.0\"}}", "a.vrm"), []);
}

#[test]
fn every_rule_violation_is_reported_at_its_pointer_and_nothing_else() {
    let mut seen = BTreeSet::new();
    for (file, inside, cases) in [
        (vrm_1_file(), "/extensions/VRMC_springBone", [vrm_1_violations(), shape_and_limit_violations()].concat()),
        (vrm_0_file(), "/extensions/VRM/secondaryAnimation", vrm_0_violations()),
    ] {
        for (id, pointer, changes) in cases {
            let pointer = pointer.strip_prefix('~').map_or(pointer.to_owned(), |rest| format!("{inside}{rest}"));
            let reported = findings(&apply_changes(file.clone(), &changes));
            let this = reported
                .iter()
                .find(|d| d.rule.expect("a rule").id == id && d.location.pointer.as_ref() == Some(&pointer));
            let this = this.unwrap_or_else(|| panic!("{id} at {pointer}: {reported:#?}"));
            let rule = this.rule.expect("a rule");
            assert_eq!(this.severity, rule.severity);
            // The checker may also report other rules that the change violates.
            let others = reported.iter().filter_map(|d| d.rule).filter(|other| other.id != id).map(|other| other.id);
            let others: BTreeSet<_> = others.collect();
            assert!(others.iter().all(|other| CONSEQUENT_RULES.contains(&(id, *other))), "{id}: {others:?}");
            seen.insert(id);
        }
    }
    let all: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(all.len(), RULES.len(), "ids are unique");
    assert_eq!(seen, all, "every rule has a file that violates it");
}

/// Pairs of rules that a single change violates.
const CONSEQUENT_RULES: &[(&str, &str)] = &[
    ("skipped-node-in-two-springs", "joint-skips-nodes"),
    ("limit-kind", "limit-draft"),
    ("limit-kind", "required-missing"),
    ("limit-angle-out-of-range", "limit-draft"),
    ("limit-angle-negative", "limit-draft"),
    ("limit-rotation-not-unit", "limit-draft"),
    ("limit-on-last-joint", "limit-draft"),
    ("wrong-type", "limit-draft"),
    ("required-missing", "limit-draft"),
];

#[test]
fn rule_texts_and_ids_follow_the_style() {
    for rule in RULES {
        for text in [rule.expected, rule.advice] {
            assert!(!text.ends_with('.') && !text.contains('!') && text.len() > 12, "{}: {text}", rule.id);
        }
        assert!(
            rule.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c)),
            "{}",
            rule.id
        );
    }
}

#[test]
fn nan_and_infinity_literals_are_reported() {
    let text = vrm_1_file()
        .to_string()
        .replace("\"dragForce\":0.4", "\"dragForce\":-Infinity")
        .replace("\"radius\":0.1", "\"radius\":NaN");
    let reported = rules::check(text.as_bytes(), "a.vrm");
    let reported: Vec<_> = reported.iter().map(ToString::to_string).collect();
    let at = "a.vrm#/extensions/VRMC_springBone";
    let expected = [
        format!("{at}/colliders/0/shape/sphere/radius: NaN where a number was expected; no JSON parser accepts it"),
        format!("{at}/springs/0/joints/0/dragForce: -Infinity where a number was expected; no JSON parser accepts it"),
    ];
    assert_eq!(reported, expected);
    assert_eq!(rules::check(b"{\"NaN\": tru}", "a.vrm"), []);
}

#[test]
fn reports_of_one_rule_are_limited_and_the_rest_is_counted() {
    let joints: Vec<_> = (0..1000).map(|_| json!({ "node": 1, "stiffness": -1 })).collect();
    let reported = findings(&apply_changes(vrm_1_file(), &[("~/springs/0/joints", json!(joints))]));
    let of = |id| reported.iter().filter(|d| d.rule.is_some_and(|r| r.id == id)).count();
    assert_eq!((of("stiffness-negative"), of("joint-repeated")), (21, 21));
    assert!(
        reported.iter().any(|d| d.message == "980 more places break the rule \"stiffness-negative\""),
        "{reported:?}"
    );
}

#[test]
fn the_check_command_reports_rule_and_advice_as_text_and_as_json() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("a.vrm");
    std::fs::write(&path, apply_changes(vrm_1_file(), &[("~/springs/0/joints/0/stiffness", json!(-1))]).to_string())
        .expect("written");
    let run = |args: &[&str]| {
        let mut command = support::yuremono_command();
        let output = command.arg("check").arg(&path).args(args).output().expect("it runs");
        (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"))
    };
    let (code, text) = run(&[]);
    assert_eq!(code, Some(0), "the file loads");
    assert!(text.contains("rule stiffness-negative: stiffness is 0 or more; write 0"), "{text}");
    assert_eq!(run(&["--strict"]).0, Some(1));
    let reported: Value = serde_json::from_str(&run(&["--json"]).1).expect("JSON");
    let list = reported["files"][0]["diagnostics"].as_array().expect("a list");
    let this = list.iter().find(|d| d["rule"] == "stiffness-negative").unwrap_or_else(|| panic!("{reported}"));
    assert_eq!(this["severity"], "error");
    assert_eq!(this["location"]["pointer"], "/extensions/VRMC_springBone/springs/0/joints/0/stiffness");
    assert!(this["advice"].is_string());
}

/// Returns the number of findings of each rule in one file.
fn count_by_rule(reported: &[Diagnostic]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for rule in reported.iter().filter_map(|d| d.rule) {
        *counts.entry(rule.id).or_default() += 1;
    }
    counts
}

#[test]
fn sample_files_have_the_known_findings() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let mut conformance = BTreeMap::<_, usize>::new();
    for path in support::files_below(&folder, &["gltf", "glb", "vrm", "vrma"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let reported = rules::check(&bytes, &name);
        println!("{name}: {:?}", count_by_rule(&reported));
        if let Some((_, expected)) = KNOWN_FINDING_COUNTS.iter().find(|(known, _)| *known == name) {
            assert_eq!(reported.len(), *expected, "{name}");
        }
        for reported in reported.iter().filter(|d| d.severity > Severity::Info) {
            println!("    {}: {reported}", reported.severity);
        }
        if path.parent().is_some_and(|p| p.ends_with("conformance")) {
            for (id, _) in count_by_rule(&reported) {
                *conformance.entry(id).or_default() += 1;
            }
        }
    }
    println!("conformance files by rule: {conformance:?}");
    if !conformance.is_empty() {
        let expected = [("base-shape-missing", 18), ("last-joint-unused", 28), ("spec-version-missing", 19)];
        assert_eq!(conformance.into_iter().collect::<Vec<_>>(), expected, "counted by hand");
    }
}

/// The numbers of findings of files that were checked by hand.
const KNOWN_FINDING_COUNTS: &[(&str, usize)] = &[
    ("Godette_vrm_v4.vrm", 0),
    ("synth_girl_vrm0.vrm", 0),
    ("synth_girl_vrm1.vrm", 0),
    ("three-vrm_inside-collider.gltf", 0),
];

#[test]
fn checking_malformed_files_does_not_panic() {
    let Some(folder) = support::folder_or_skip("YUREMONO_CORPUS") else { return };
    for path in support::files_below(&folder, &["gltf", "glb", "vrm"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let name = path.file_name().expect("a file").to_string_lossy();
        let reported = rules::check(&bytes, &name);
        if name.starts_with("vrm") {
            println!("{name}: {:?}", count_by_rule(&reported));
        }
    }
}

#[test]
fn checking_truncated_or_damaged_springs_does_not_panic() {
    for whole in [vrm_1_file().to_string().into_bytes(), vrm_0_file().to_string().into_bytes()] {
        for at in 0..whole.len() {
            drop(rules::check(&whole[..at], "a.vrm"));
            for to in [b'0', b'9', b'-', b'"', b'[', b'}', b'N', 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = to;
                drop(rules::check(&bytes, "a.vrm"));
            }
        }
    }
}
