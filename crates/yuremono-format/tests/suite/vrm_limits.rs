//! Tests reading limits of VRM 1.0 joints from a file and writing them back.

use super::support::glb::GlbBuilder;
use glam::Quat;
use serde_json::{Value, json};
use std::f32::consts::FRAC_1_SQRT_2;
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::vrm::{VrmSprings, rules, write};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::{SwingLimit, SwingShape};

const LIMIT_EXTENSION: &str = "VRMC_springBone_limit";

/// Returns a file with one spring over four nodes. The first joint has the limit, if any.
fn file_with_limit(limit: Option<Value>) -> GlbBuilder {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b", "c", "d"]);
    b.triangle_mesh();
    b.json["extensionsUsed"] = json!(["VRMC_springBone"]);
    let mut joints = json!([{ "node": 0, "extras": 1 }, { "node": 1 }, { "node": 2 }, { "node": 3 }]);
    if let Some(limit) = limit {
        b.push_json("extensionsUsed", json!(LIMIT_EXTENSION));
        joints[0]["extensions"] =
            json!({ LIMIT_EXTENSION: { "specVersion": "1.0-draft", "limit": limit, "extras": [2] } });
    }
    b.json["extensions"] = json!({ "VRMC_springBone": {
        "specVersion": "1.0", "springs": [{ "name": "hair", "joints": joints }],
    } });
    b
}

fn load_character(bytes: &[u8]) -> LoadedCharacter {
    gltf::read(&SourceFile { name: "a.vrm", bytes, read_sibling: &no_siblings }, &|_| true).expect("a character")
}

fn read_springs(bytes: &[u8]) -> VrmSprings {
    load_character(bytes).spring_bones.expect("springs")
}

fn json_chunk(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

/// Returns the JSON of the first joint after writing. Checks that the written file reads back as the given springs.
#[track_caller]
fn write_and_get_first_joint(bytes: &[u8], springs: &VrmSprings) -> Value {
    let new = write(bytes, "a.vrm", springs).unwrap_or_else(|reported| panic!("{reported:#?}"));
    assert_eq!(read_springs(&new), *springs);
    let after = json_chunk(&new);
    let reported = rules::check_json(&after, "a.vrm");
    assert!(reported.iter().all(|d| d.severity < Severity::Error), "{reported:#?}");
    after["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0].clone()
}

/// Returns a limit as it is read from a file, and the diagnostics.
fn read_limit(limit: Value) -> (Option<SwingLimit>, Vec<String>) {
    let loaded = load_character(&file_with_limit(Some(limit)).glb());
    let reported = loaded.diagnostics.iter().map(ToString::to_string).filter(|s| s.contains(LIMIT_EXTENSION)).collect();
    (loaded.spring_bones.expect("springs").chains[0].joints[0].limit, reported)
}

#[test]
fn each_kind_of_limit_is_read_with_its_rotation() {
    let half = json!([FRAC_1_SQRT_2, 0, 0, FRAC_1_SQRT_2]);
    let turned = Quat::from_xyzw(FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);
    let kinds = [
        (json!({ "cone": { "angle": 0.5 } }), SwingShape::Cone { angle: 0.5 }, Quat::IDENTITY),
        (json!({ "hinge": { "angle": 0, "rotation": half } }), SwingShape::Hinge { angle: 0.0 }, turned),
        (
            json!({ "spherical": { "pitch": 3.25, "yaw": 1.5, "rotation": half } }),
            SwingShape::Spherical { pitch: 3.25, yaw: 1.5 },
            turned,
        ),
    ];
    for (limit, shape, rotation) in kinds {
        assert_eq!(read_limit(limit).0, Some(SwingLimit { shape, rotation }));
    }
    let springs = read_springs(&file_with_limit(None).glb());
    assert!(springs.chains[0].joints.iter().all(|joint| joint.limit.is_none()));
}

#[test]
fn invalid_limits_are_reported_and_kept_in_the_file() {
    let cone = |angle: f32| Some(SwingLimit { shape: SwingShape::Cone { angle }, rotation: Quat::IDENTITY });
    let cases = [
        (json!({ "cone": { "angle": 45 } }), cone(45.0), "45 radians; 0 to 3.1416 was expected; it counts as 3.1416"),
        (json!({ "cone": { "angle": -1 } }), None, "-1; 0 or more was expected; the joint has no limit"),
        (json!({ "cone": {} }), None, "\"angle\" is missing; the joint has no limit"),
        (json!({ "cone": 1 }), None, "1 where an object was expected; the joint has no limit"),
        (json!({ "spherical": { "pitch": 1 } }), None, "\"yaw\" is missing; the joint has no limit"),
        (json!({}), None, "none of cone, hinge, spherical; the joint has no limit"),
        (json!({ "hinge": { "angle": 1 }, "cone": { "angle": 1 } }), cone(1.0), "at once; the cone is used"),
        (
            json!({ "cone": { "angle": 1, "rotation": [0, 0, 0, 0] } }),
            cone(1.0),
            "its length is 0 instead of 1; the limit",
        ),
        (json!({ "cone": { "angle": 1, "rotation": [0, 0, 0, 2] } }), cone(1.0), "it is normalized"),
        (json!({ "cone": { "angle": 1, "rotation": [0, 0, 1] } }), cone(1.0), "a list of 4 numbers was expected"),
    ];
    for (limit, expected, message) in cases {
        let (found, reported) = read_limit(limit.clone());
        assert_eq!(found, expected, "{limit}");
        assert!(reported.len() == 1 && reported[0].contains(message), "{limit}: {reported:#?}");
        let bytes = file_with_limit(Some(limit)).glb();
        assert_eq!(write(&bytes, "a.vrm", &read_springs(&bytes)).as_ref(), Ok(&bytes), "unchanged");
    }
}

#[test]
fn a_new_limit_is_written_and_declared() {
    let bytes = file_with_limit(None).glb();
    let mut springs = read_springs(&bytes);
    let shape = SwingShape::Spherical { pitch: 0.5, yaw: 0.25 };
    springs.chains[0].joints[0].limit = Some(SwingLimit { shape, rotation: Quat::IDENTITY });
    let extension = |limit: Value| json!({ LIMIT_EXTENSION: { "specVersion": "1.0", "limit": limit } });
    let joint = write_and_get_first_joint(&bytes, &springs);
    let expected = extension(json!({ "spherical": { "pitch": 0.5, "yaw": 0.25 } }));
    assert_eq!(joint, json!({ "node": 0, "extras": 1, "extensions": expected }));
    let new = write(&bytes, "a.vrm", &springs).expect("the springs are writable");
    assert_eq!(json_chunk(&new)["extensionsUsed"], json!(["VRMC_springBone", LIMIT_EXTENSION]));

    // Change the kind of the limit, rotate the limit, and remove it.
    let rotation = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
    springs.chains[0].joints[0].limit = Some(SwingLimit { shape: SwingShape::Hinge { angle: 1.0 }, rotation });
    let hinge = json!({ "hinge": { "angle": 1, "rotation": [0.6, 0, 0, 0.8] } });
    assert_eq!(write_and_get_first_joint(&new, &springs)["extensions"], extension(hinge));
    springs.chains[0].joints[0].limit = None;
    assert_eq!(write_and_get_first_joint(&new, &springs), json!({ "node": 0, "extras": 1 }));
}

#[test]
fn changing_a_limit_keeps_its_unknown_fields() {
    let limit = json!({ "spherical": { "pitch": 0.50, "yaw": 0.3, "rotation": [0, 0, 0, 1], "FOO": 1 }, "extras": 3 });
    let bytes = file_with_limit(Some(limit)).glb();
    let mut springs = read_springs(&bytes);
    assert_eq!(write(&bytes, "a.vrm", &springs).as_ref(), Ok(&bytes));
    let limit = springs.chains[0].joints[0].limit.as_mut().expect("a limit");
    limit.shape = SwingShape::Spherical { pitch: 0.5, yaw: 0.25 };
    let mut expected = json_chunk(&bytes);
    let joint = &mut expected["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0];
    joint["extensions"][LIMIT_EXTENSION]["limit"]["spherical"]["yaw"] = json!(0.25);
    assert_eq!(json_chunk(&write(&bytes, "a.vrm", &springs).expect("the springs are writable")), expected);
}

#[test]
fn a_written_rotation_stays_within_the_schema_after_rounding() {
    let bytes = file_with_limit(None).glb();
    let mut springs = read_springs(&bytes);
    let rotation = Quat::from_xyzw(0.0, -1.000_000_1, 0.0, 0.0);
    springs.chains[0].joints[0].limit = Some(SwingLimit { shape: SwingShape::Cone { angle: 1.0 }, rotation });
    let new = write(&bytes, "a.vrm", &springs).expect("the springs are writable");
    let joint = &json_chunk(&new)["extensions"]["VRMC_springBone"]["springs"][0]["joints"][0];
    assert_eq!(joint["extensions"][LIMIT_EXTENSION]["limit"]["cone"]["rotation"], json!([0, -1, 0, 0]));
    assert_eq!(write(&new, "a.vrm", &springs), Ok(new));
}

#[test]
fn limits_that_the_schema_forbids_are_rejected() {
    let bytes = file_with_limit(Some(json!({ "cone": { "angle": -1 } }))).glb();
    let whole = read_springs(&bytes);
    let check_rejected = |shape, rotation, expected: &str| {
        let mut springs = whole.clone();
        // The invalid limit is replaced, and must not permit other invalid values.
        springs.chains[0].joints[0].limit =
            Some(SwingLimit { shape: SwingShape::Cone { angle: 1.0 }, rotation: Quat::IDENTITY });
        springs.chains[0].joints[1].limit = Some(SwingLimit { shape, rotation });
        let reported = write(&bytes, "a.vrm", &springs).expect_err("a refusal");
        assert!(reported.iter().any(|d| d.message.contains(expected)), "{reported:#?}");
    };
    let cone = |angle| SwingShape::Cone { angle };
    check_rejected(
        cone(-0.5),
        Quat::IDENTITY,
        "chain \"hair\", bone \"b\": angle of the limit is -0.5; 0 or more was expected",
    );
    check_rejected(cone(f32::NAN), Quat::IDENTITY, "angle is NaN; JSON has only finite numbers");
    check_rejected(
        cone(1.0),
        Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        "the rotation of the limit has length 0; 1 was expected",
    );
    check_rejected(cone(1.0), Quat::from_xyzw(0.0, 0.0, f32::NAN, 0.0), "rotation is NaN");
}

#[test]
fn a_joint_that_becomes_the_last_loses_its_limit() {
    let mut b = file_with_limit(None);
    let cone = json!({ LIMIT_EXTENSION: { "specVersion": "1.0", "limit": { "cone": { "angle": 1 } } } });
    b.push_json("extensionsUsed", json!(LIMIT_EXTENSION));
    let joints = &mut b.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"];
    (joints[2]["extensions"], joints[3]["extensions"]) = (cone.clone(), cone.clone());
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    assert!(springs.chains[0].joints[2].limit.is_some());
    springs.chains[0].joints[0].stiffness = 0.5;
    let joints = |springs: &VrmSprings| {
        let new = write(&bytes, "a.vrm", springs).unwrap_or_else(|reported| panic!("{reported:#?}"));
        json_chunk(&new)["extensions"]["VRMC_springBone"]["springs"][0]["joints"].clone()
    };
    assert_eq!(joints(&springs)[3]["extensions"], cone, "an unchanged limit is kept");
    springs.chains[0].joints.truncate(2);
    assert_eq!(joints(&springs)[2], json!({ "node": 2 }));
}

#[test]
fn writing_a_limit_into_vrm_0_is_rejected() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b"]);
    b.triangle_mesh();
    b.json["extensionsUsed"] = json!(["VRM"]);
    let group = json!({ "stiffiness": 1, "gravityDir": { "x": 0, "y": -1, "z": 0 }, "center": -1, "bones": [0] });
    b.json["extensions"] = json!({ "VRM": { "secondaryAnimation": { "boneGroups": [group], "colliderGroups": [] } } });
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    for joint in &mut springs.chains[0].joints {
        joint.limit = Some(SwingLimit { shape: SwingShape::Cone { angle: 1.0 }, rotation: Quat::IDENTITY });
    }
    let reported = write(&bytes, "a.vrm", &springs).expect_err("a refusal");
    assert!(reported[0].message.ends_with("bone \"a\" has a limit; VRM 0.x has no limits"), "{reported:#?}");
}
