//! Tests writing springs back into their file: the written springs read back equal, and everything else is kept.

use super::support::{self, glb::GlbBuilder};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::source::{Folder, SourceFile};
use yuremono_format::vrm::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings,
    VrmVersion, write,
};
use yuremono_sim::diagnostics::{Diagnostic, Severity};
use yuremono_sim::rig::BoneId;
use yuremono_sim::{SwingLimit, SwingShape};

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.vrm");
const EXTENDED_COLLIDER: &str = "VRMC_springBone_extended_collider";

fn load_character(bytes: &[u8], folder: &Path) -> LoadedCharacter {
    let folder = Folder::of(&folder.join("a.glb")).expect("a folder");
    gltf::read(&SourceFile { name: "a.glb", bytes, read_sibling: &|name| folder.read(name) }, &|_| true)
        .expect("a character")
}

fn read_springs(bytes: &[u8]) -> VrmSprings {
    load_character(bytes, Path::new(".")).spring_bones.expect("springs")
}

/// Returns the springs without file indices, which writing may change.
fn without_file_indices(mut springs: VrmSprings) -> VrmSprings {
    springs.chains.iter_mut().for_each(|c| c.file_index = None);
    springs.colliders.iter_mut().for_each(|c| c.file_index = None);
    springs.collider_groups.iter_mut().for_each(|g| g.file_index = None);
    springs
}

#[track_caller]
fn write_and_check(bytes: &[u8], springs: &VrmSprings) -> Vec<u8> {
    let new = write(bytes, "a.glb", springs).unwrap_or_else(|line| panic!("{line:#?}"));
    assert_eq!(without_file_indices(read_springs(&new)), without_file_indices(springs.clone()));
    new
}

#[track_caller]
fn check_rejected(bytes: &[u8], springs: &VrmSprings, expected: &str) {
    let diagnostics: Vec<_> =
        write(bytes, "a.glb", springs).expect_err("a refusal").iter().map(ToString::to_string).collect();
    assert!(diagnostics.iter().any(|s| s.contains(expected)), "{diagnostics:#?}");
}

fn json_chunk_text(bytes: &[u8]) -> &str {
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    std::str::from_utf8(&bytes[20..20 + length]).expect("UTF-8")
}

fn json_chunk(bytes: &[u8]) -> Value {
    serde_json::from_str(json_chunk_text(bytes)).expect("JSON")
}

/// Returns a file with parallel chains of nodes.
fn file_with_node_chains(count: usize, length: usize) -> GlbBuilder {
    let mut b = GlbBuilder::new();
    for strand in 0..count {
        let names: Vec<_> = (0..length).map(|i| format!("s{strand}_{i}")).collect();
        b.node_chain(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
    b.triangle_mesh();
    b
}

/// Returns a file with two springs, three colliders, two groups, and unknown fields.
fn vrm_1_file() -> GlbBuilder {
    let mut b = file_with_node_chains(3, 4);
    b.json["extensionsUsed"] = json!(["VRMC_springBone"]);
    b.json["extensions"] = json!({ "FOO_bar": [1.50], "VRMC_springBone": {
        "specVersion": "1.0",
        "colliders": [
            { "node": 8, "shape": { "sphere": { "offset": [0, 0.1, 0], "radius": 0.1 }, "extras": "round" }, "extras": { "a": 1 } },
            { "node": 9, "shape": { "capsule": { "offset": [0, 0, 0], "tail": [0, 1, 0], "radius": 0.25 } }, "extras": "b" },
            { "node": 10, "shape": { "sphere": { "radius": 0.5 } }, "extras": "c" },
        ],
        "colliderGroups": [
            { "name": "head", "colliders": [0, 1], "extras": "head" },
            { "name": "body", "colliders": [2, 0], "extras": "body" },
        ],
        "springs": [
            { "name": "left", "extras": [1], "joints": [
                { "node": 0, "stiffness": 1.50, "dragForce": 0.300_000_01, "hitRadius": 2e-2, "extras": "first" },
                { "node": 1, "FOO": {} }, { "node": 2 }, { "node": 3, "extras": "last" },
            ], "colliderGroups": [0, 1] },
            { "name": "right", "joints": [{ "node": 4, "extras": "r" }, { "node": 5 }, { "node": 7 }], "center": 4, "colliderGroups": [1] },
        ],
        "extras": "mine",
    } });
    b
}

fn vrm_0_file() -> GlbBuilder {
    let mut b = file_with_node_chains(3, 4);
    b.json["extensionsUsed"] = json!(["VRM"]);
    let group = |bones: Value, comment: &str| {
        json!({
            "comment": comment, "stiffiness": 0.50, "gravityPower": 0, "gravityDir": { "x": 0, "y": -1, "z": 0 },
            "dragForce": 0.4, "center": -1, "hitRadius": 0.02, "bones": bones, "colliderGroups": [0], "FOO": comment,
        })
    };
    b.json["extensions"] = json!({ "VRM": { "meta": { "title": "t" }, "secondaryAnimation": {
        "boneGroups": [group(json!([0, 4]), "hair"), group(json!([9]), "tail")],
        "colliderGroups": [
            { "node": 8, "colliders": [{ "offset": { "x": 0, "y": 0.1, "z": 0.25 }, "radius": 0.1, "FOO": 1 }], "FOO": 2 },
            { "node": 8, "colliders": [] },
        ],
    } } });
    b
}

#[test]
fn writing_unchanged_springs_gives_the_same_bytes() {
    for bytes in [vrm_1_file().glb(), vrm_0_file().glb()] {
        let springs = read_springs(&bytes);
        assert_eq!(write(&bytes, "a.glb", &springs).as_ref(), Ok(&bytes));
        assert_eq!(write(&bytes, "a.glb", &without_file_indices(springs)).as_ref(), Ok(&bytes));
    }
}

#[test]
fn changing_one_value_changes_one_number_in_the_file() {
    for (bytes, old, new) in [
        (vrm_1_file().glb(), "\"stiffness\":1.5", "\"stiffness\":0.1"),
        (vrm_0_file().glb(), "\"stiffiness\":0.5", "\"stiffiness\":0.1"),
    ] {
        let mut springs = read_springs(&bytes);
        for chain in springs.chains.iter_mut().filter(|chain| chain.file_index == Some(0)) {
            let count = if springs.version == VrmVersion::V0 { chain.joints.len() } else { 1 };
            chain.joints.iter_mut().take(count).for_each(|joint| joint.stiffness = 0.1);
        }
        let after = write_and_check(&bytes, &springs);
        let expected = json_chunk_text(&bytes).replacen(old, new, 1);
        assert_eq!(json_chunk_text(&after).trim_end(), expected.trim_end());
        assert_eq!(after[after.len() - 36..], bytes[bytes.len() - 36..], "the binary chunk is unchanged");
    }
}

#[test]
fn removing_a_collider_only_updates_collider_indices() {
    let bytes = vrm_1_file().glb();
    let mut springs = read_springs(&bytes);
    springs.colliders.remove(1);
    for group in &mut springs.collider_groups {
        group.colliders.retain(|c| *c != 1);
        group.colliders.iter_mut().for_each(|c| *c -= usize::from(*c > 1));
    }
    let mut expected = json_chunk(&bytes);
    let ext = &mut expected["extensions"]["VRMC_springBone"];
    ext["colliders"].as_array_mut().expect("a list").remove(1);
    ext["colliderGroups"][0]["colliders"] = json!([0]);
    ext["colliderGroups"][1]["colliders"] = json!([1, 0]);
    assert_eq!(json_chunk(&write_and_check(&bytes, &springs)), expected);
}

#[test]
fn split_and_reordered_chains_keep_unknown_fields_of_their_joints() {
    let bytes = vrm_1_file().glb();
    let mut springs = read_springs(&bytes);
    // The tip of the first chain becomes a new first chain. The second chain is removed.
    let mut tip = springs.chains[0].clone();
    tip.joints.drain(..2);
    tip.file_index = None;
    tip.name = "tip".to_owned();
    springs.chains[0].joints.truncate(1);
    springs.chains.remove(1);
    springs.chains.insert(0, tip);
    let after = json_chunk(&write_and_check(&bytes, &springs));
    let made = &after["extensions"]["VRMC_springBone"]["springs"];
    assert_eq!(made[0]["joints"][1], json!({ "node": 3, "extras": "last" }));
    assert_eq!((&made[1]["joints"][0]["extras"], &made[1]["joints"][1]["FOO"]), (&json!("first"), &json!({})));
    assert_eq!((&made[1]["extras"], made.as_array().map(Vec::len)), (&json!([1]), Some(2)));
    assert_eq!(after["extensions"]["FOO_bar"], json!([1.50]));
    assert_eq!(after["extensions"]["VRMC_springBone"]["extras"], "mine");
}

#[test]
fn unusable_entries_are_kept_and_their_indices_updated() {
    let mut b = vrm_1_file();
    let ext = &mut b.json["extensions"]["VRMC_springBone"];
    ext["colliders"][1] = json!({ "node": 8, "shape": { "cube": 1 } });
    ext["springs"]
        .as_array_mut()
        .expect("a list")
        .insert(0, json!({ "joints": [{ "node": 11 }], "colliderGroups": [1] }));
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    springs.colliders.remove(0);
    springs.collider_groups.remove(0);
    springs.collider_groups[0].colliders = vec![0];
    springs.chains.iter_mut().for_each(|chain| chain.collider_groups = vec![0]);
    let after = json_chunk(&write_and_check(&bytes, &springs));
    let ext = &after["extensions"]["VRMC_springBone"];
    assert_eq!(ext["colliders"][0]["shape"], json!({ "cube": 1 }));
    assert_eq!(ext["springs"][0], json!({ "joints": [{ "node": 11 }], "colliderGroups": [0] }));
    assert_eq!(ext["colliderGroups"], json!([{ "name": "body", "colliders": [1], "extras": "body" }]));
}

#[test]
fn springs_are_added_to_a_plain_glb_with_a_fallback_for_extended_colliders() {
    let bytes = file_with_node_chains(2, 3).glb();
    let joint = |bone: u32| VrmSpringJoint {
        bone: BoneId(bone),
        tail: VrmJointTail::Bone(BoneId(bone + 1)),
        hit_radius: 0.02,
        stiffness: 1.0,
        gravity_power: 0.1,
        gravity_dir: Vec3::NEG_Y,
        drag: 0.4,
        limit: None,
    };
    let shape = VrmColliderShape::Plane { offset: Vec3::ZERO, normal: Vec3::Y };
    let springs = VrmSprings {
        version: VrmVersion::V1,
        chains: vec![VrmSpringChain {
            name: "hair".to_owned(),
            file_index: None,
            joints: vec![joint(0), joint(1)],
            collider_groups: vec![0],
            center: None,
        }],
        colliders: vec![VrmCollider { bone: BoneId(3), shape, file_index: None }],
        collider_groups: vec![VrmColliderGroup { name: "floor".to_owned(), colliders: vec![0], file_index: None }],
    };
    let after = json_chunk(&write_and_check(&bytes, &springs));
    assert_eq!(after["extensionsUsed"], json!(["VRMC_springBone", EXTENDED_COLLIDER]));
    let ext = &after["extensions"]["VRMC_springBone"];
    assert_eq!(ext["springs"][0]["joints"][2], json!({ "node": 2 }));
    let first = json!({
        "node": 0, "hitRadius": 0.02, "stiffness": 1, "gravityPower": 0.1, "gravityDir": [0, -1, 0], "dragForce": 0.4,
    });
    assert_eq!(ext["springs"][0]["joints"][0], first);
    assert_eq!(ext["colliders"][0]["shape"]["sphere"]["radius"], json!(1000.0));
    assert_eq!(
        ext["colliders"][0]["extensions"][EXTENDED_COLLIDER]["shape"],
        json!({ "plane": { "offset": [0, 0, 0], "normal": [0, 1, 0] } })
    );
    let diagnostics = yuremono_format::vrm::rules::check_json(&after, "a.glb");
    assert_eq!(diagnostics, []);

    // Remove everything again.
    let none = VrmSprings { chains: Vec::new(), colliders: Vec::new(), collider_groups: Vec::new(), ..springs };
    let text = json_chunk(&write_and_check(&bytes, &none));
    assert_eq!(text["extensions"]["VRMC_springBone"], json!({ "specVersion": "1.0" }));
}

#[test]
fn repeated_group_and_collider_indices_are_kept_when_others_change() {
    let mut b = vrm_1_file();
    let ext = &mut b.json["extensions"]["VRMC_springBone"];
    ext["springs"][0]["colliderGroups"] = json!([1, 1, 0, 1]);
    ext["colliderGroups"][0]["colliders"] = json!([2, 0, 2, 9]);
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    assert_eq!(springs.chains[0].collider_groups, [1, 0]);
    assert_eq!(write(&bytes, "a.glb", &springs).as_ref(), Ok(&bytes));
    // Add an entry to each list, between the others.
    springs.collider_groups[0].colliders = vec![2, 1, 0];
    springs.collider_groups.push(VrmColliderGroup { name: "new".to_owned(), colliders: vec![0], file_index: None });
    springs.chains[0].collider_groups = vec![1, 2, 0];
    let mut expected = json_chunk(&bytes);
    let ext = &mut expected["extensions"]["VRMC_springBone"];
    ext["springs"][0]["colliderGroups"] = json!([1, 1, 2, 0, 1]);
    ext["colliderGroups"][0]["colliders"] = json!([2, 1, 0, 2, 9]);
    ext["colliderGroups"].as_array_mut().expect("a list").push(json!({ "name": "new", "colliders": [0] }));
    assert_eq!(json_chunk(&write_and_check(&bytes, &springs)), expected);
    // Remove an entry.
    springs.chains[0].collider_groups = vec![1, 2];
    expected["extensions"]["VRMC_springBone"]["springs"][0]["colliderGroups"] = json!([1, 1, 1, 2]);
    assert_eq!(json_chunk(&write_and_check(&bytes, &springs)), expected);
    // Change the order.
    springs.chains[0].collider_groups = vec![0, 1];
    expected["extensions"]["VRMC_springBone"]["springs"][0]["colliderGroups"] = json!([0, 1]);
    assert_eq!(json_chunk(&write_and_check(&bytes, &springs)), expected);
}

#[test]
fn requested_duplicates_are_written_once() {
    let bytes = vrm_1_file().glb();
    let mut springs = read_springs(&bytes);
    springs.chains[1].collider_groups = vec![1, 0, 1];
    springs.collider_groups[0].colliders = vec![0, 1, 0];
    let after = write(&bytes, "a.glb", &springs).unwrap_or_else(|line| panic!("{line:#?}"));
    let ext = &json_chunk(&after)["extensions"]["VRMC_springBone"];
    assert_eq!(ext["springs"][1]["colliderGroups"], json!([1, 0]));
    assert_eq!(ext["colliderGroups"][0]["colliders"], json!([0, 1]));
}

#[test]
fn unused_values_of_the_last_joint_and_repeated_joints_are_kept() {
    let mut b = vrm_1_file();
    let joints = json!([
        { "node": 0, "stiffness": 0.5 }, { "node": 0, "stiffness": 9 }, { "node": 1 }, { "node": 8, "extras": "elsewhere" },
        { "node": 2 }, { "node": 1, "extras": "again" }, { "node": 3, "stiffness": 7, "dragForce": 0.1, "extras": "last" },
    ]);
    b.json["extensions"]["VRMC_springBone"]["springs"][0]["joints"] = joints.clone();
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    assert_eq!(springs.chains[0].joints.len(), 3);
    assert_eq!(write(&bytes, "a.glb", &springs).as_ref(), Ok(&bytes));
    let joints_of = |springs: &VrmSprings| {
        json_chunk(&write_and_check(&bytes, springs))["extensions"]["VRMC_springBone"]["springs"][0]["joints"].clone()
    };
    springs.chains[0].joints[0].stiffness = 0.25;
    let mut expected = joints;
    expected[0]["stiffness"] = json!(0.25);
    assert_eq!(joints_of(&springs), expected);
    // If the chain is one joint shorter, only the last joint is removed.
    springs.chains[0].joints.truncate(2);
    expected.as_array_mut().expect("a list").pop();
    assert_eq!(joints_of(&springs), expected);
}

#[test]
fn removing_a_spring_does_not_activate_duplicates_of_its_joints() {
    let mut b = vrm_1_file();
    let springs = b.json["extensions"]["VRMC_springBone"]["springs"].as_array_mut().expect("a list");
    // Add a duplicate of the first spring, which moves no bone, and a spring with a node that an earlier spring moves.
    springs.push(json!({ "name": "copy", "joints": [{ "node": 1 }, { "node": 2 }] }));
    springs.push(json!({ "name": "half", "joints": [{ "node": 1 }, { "node": 2 }, { "node": 3 }] }));
    springs[0]["joints"] = json!([{ "node": 1 }, { "node": 2 }]);
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    let names: Vec<_> = springs.chains.iter().map(|chain| chain.name.as_str()).collect();
    assert_eq!(names, ["left", "right", "half"]);
    springs.chains.remove(0);
    let after = json_chunk(&write_and_check(&bytes, &springs));
    let made = after["extensions"]["VRMC_springBone"]["springs"].as_array().expect("a list").clone();
    assert_eq!(made.iter().map(|s| &s["name"]).collect::<Vec<_>>(), [&json!("right"), &json!("half")]);
    assert_eq!(made[1]["joints"], json!([{ "node": 2 }, { "node": 3 }]));
}

#[test]
fn repeated_roots_of_vrm_0_are_kept_and_stay_inactive() {
    let mut b = vrm_0_file();
    let groups = b.json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"].as_array_mut().expect("a list");
    groups[0]["bones"] = json!([0, 4, 0, 99]);
    groups[1]["bones"] = json!([9, 4, 5]);
    let mut copy = groups[0].clone();
    (copy["comment"], copy["bones"]) = (json!("copy"), json!([0, 5]));
    groups.push(copy);
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    assert_eq!(springs.chains.len(), 3);
    assert_eq!(write(&bytes, "a.glb", &springs).as_ref(), Ok(&bytes));
    let bones = |springs: &VrmSprings| {
        let after = write(&bytes, "a.glb", springs).unwrap_or_else(|line| panic!("{line:#?}"));
        assert_eq!(read_springs(&after).chains.len(), springs.chains.len());
        let groups = json_chunk(&after)["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"].clone();
        groups.as_array().expect("a list").iter().map(|group| group["bones"].clone()).collect::<Vec<_>>()
    };
    for chain in springs.chains.iter_mut().take(2) {
        chain.joints.iter_mut().for_each(|joint| joint.drag = 0.25);
    }
    assert_eq!(bones(&springs), [json!([0, 4, 0, 99]), json!([9, 4, 5]), json!([0, 5])]);
    springs.chains.remove(1);
    assert_eq!(bones(&springs), [json!([0, 0, 99]), json!([9]), json!([0])]);
}

/// Returns springs with every feature of VRM 1.0, over three strands of four nodes.
fn springs_with_all_features() -> VrmSprings {
    let mut springs = without_file_indices(read_springs(&vrm_1_file().glb()));
    let limit = |shape| Some(SwingLimit { shape, rotation: Quat::from_xyzw(0.0, 0.6, 0.0, 0.8) });
    springs.chains[0].joints[0].limit = limit(SwingShape::Cone { angle: 0.5 });
    springs.chains[0].joints[1].limit = limit(SwingShape::Hinge { angle: 1.0 });
    springs.chains[1].joints[0].limit = limit(SwingShape::Spherical { pitch: 0.5, yaw: 0.25 });
    springs.colliders[0].shape = VrmColliderShape::Sphere { offset: Vec3::X, radius: 0.5, inside: true };
    springs.colliders[1].shape =
        VrmColliderShape::Capsule { offset: Vec3::X, tail: Vec3::Y, radius: 0.5, inside: true };
    springs.colliders.push(VrmCollider {
        bone: BoneId(8),
        shape: VrmColliderShape::Plane { offset: Vec3::Y, normal: Vec3::X },
        file_index: None,
    });
    springs.collider_groups[1].colliders.push(3);
    springs
}

#[test]
fn springs_added_to_plain_files_break_no_rule() {
    const BUFFER: &str = "side.bin";
    let springs = springs_with_all_features();
    let mut file = file_with_node_chains(3, 4);
    file.json["nodes"][0]["mesh"] = json!(0);
    let glb = file.glb();
    // Use the same file as text with a separate buffer, formatted like another program.
    let mut json = json_chunk(&glb);
    json["buffers"][0]["uri"] = json!(BUFFER);
    let text = format!("{}\n", serde_json::to_string_pretty(&json).expect("JSON")).replace("  ", "\t");
    let folder = tempfile::tempdir().expect("a folder");
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    std::fs::write(folder.path().join(BUFFER), &glb[28 + length..]).expect("written");
    for bytes in [glb, text.clone().into_bytes()] {
        let loaded = load_character(&bytes, folder.path());
        assert_eq!((loaded.spring_bones, loaded.character.meshes.len()), (None, 1));
        let after = write(&bytes, "a", &springs).unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"));
        let again = load_character(&after, folder.path());
        assert_eq!(without_file_indices(again.spring_bones.clone().expect("springs")), springs);
        assert_eq!((again.character.skeleton, again.character.meshes.len()), (loaded.character.skeleton, 1));
        assert_eq!(again.character.format_name, loaded.character.format_name, "springs alone do not make a file a VRM");
        let diagnostics = yuremono_format::vrm::rules::check(&after, "a");
        assert!(diagnostics.iter().all(|d| d.severity == Severity::Info), "{diagnostics:#?}");
        assert_eq!(write(&after, "a", &again.spring_bones.expect("springs")).as_ref(), Ok(&after));
    }
    let after = write(text.as_bytes(), "a", &springs).expect("the springs are writable");
    let after = std::str::from_utf8(&after).expect("text");
    let parsed: Value = serde_json::from_str(after).expect("JSON");
    assert_eq!(parsed["extensionsUsed"], json!(["VRMC_springBone", EXTENDED_COLLIDER, "VRMC_springBone_limit"]));
    assert!(after.ends_with("}\n"));
    let kept = text.trim_end().trim_end_matches('}').trim_end();
    assert!(after.starts_with(kept), "the existing text is unchanged");
}

#[test]
fn changed_collider_shapes_keep_their_entry_and_unknown_fields() {
    let bytes = vrm_1_file().glb();
    let mut springs = read_springs(&bytes);
    let VrmColliderShape::Sphere { offset, radius, .. } = springs.colliders[0].shape else { panic!("a sphere") };
    springs.colliders[0].shape = VrmColliderShape::Sphere { offset, radius, inside: true };
    springs.colliders[2].shape =
        VrmColliderShape::Capsule { offset: Vec3::X, tail: Vec3::Y, radius: 0.5, inside: false };
    let bytes = write_and_check(&bytes, &springs);
    let ext = &json_chunk(&bytes)["extensions"]["VRMC_springBone"];
    assert_eq!(ext["colliders"][0]["extras"], json!({ "a": 1 }));
    let sphere = json!({ "sphere": { "offset": [0, 0.1, 0], "radius": 0.1, "inside": true } });
    assert_eq!(ext["colliders"][0]["extensions"][EXTENDED_COLLIDER], json!({ "specVersion": "1.0", "shape": sphere }));
    assert_eq!(
        ext["colliders"][2]["shape"],
        json!({ "capsule": { "offset": [1, 0, 0], "tail": [0, 1, 0], "radius": 0.5 } })
    );
    // The shape is a plain sphere again. The collider keeps the extended shape, with `inside` disabled.
    springs.colliders[0].shape = VrmColliderShape::Sphere { offset, radius: 0.2, inside: false };
    let ext = &json_chunk(&write_and_check(&bytes, &springs))["extensions"]["VRMC_springBone"];
    let sphere = json!({ "offset": [0, 0.1, 0], "radius": 0.2, "inside": false });
    assert_eq!(ext["colliders"][0]["extensions"][EXTENDED_COLLIDER]["shape"]["sphere"], sphere);
}

#[test]
fn springs_that_would_break_a_rule_are_rejected() {
    let bytes = vrm_1_file().glb();
    let whole = read_springs(&bytes);
    let with = |change: &dyn Fn(&mut VrmSprings)| {
        let mut springs = whole.clone();
        change(&mut springs);
        springs
    };
    check_rejected(&bytes, &with(&|s| s.chains[0].joints[0].drag = 2.0), "dragForce is 2; 0 to 1 was expected");
    check_rejected(
        &bytes,
        &with(&|s| s.chains[0].joints[0].stiffness = f32::NAN),
        "stiffness is NaN; JSON has only finite",
    );
    check_rejected(&bytes, &with(&|s| s.chains[0].center = Some(BoneId(8))), "neither the first joint");
    check_rejected(&bytes, &with(&|s| s.chains[0].joints[0].bone = BoneId(99)), "bone 99 is not in the file");
    check_rejected(&bytes, &with(&|s| s.chains.push(s.chains[0].clone())), "is also a joint of");
    check_rejected(&bytes, &with(&|s| s.chains[0].joints.swap(0, 1)), "a VRM 1.0 spring cannot branch");
    check_rejected(
        &bytes,
        &with(&|s| s.chains[0].joints[2].tail = VrmJointTail::Offset(Vec3::Y)),
        "VRM 1.0 needs a node there",
    );
    check_rejected(&bytes, &with(&|s| s.collider_groups[0].colliders.clear()), "the list is empty");
    check_rejected(
        &bytes,
        &with(&|s| s.colliders[0].shape = VrmColliderShape::Sphere { offset: Vec3::ZERO, radius: -1.0, inside: false }),
        "radius: -1",
    );
    check_rejected(&bytes, &with(&|s| s.version = VrmVersion::V0), "the springs are VRM 0.x, but the file is VRM 1.0");
    check_rejected(b"{}{", &whole, "the JSON of the file cannot be read");
}

#[test]
fn existing_rule_violations_do_not_prevent_writing() {
    let mut b = vrm_1_file();
    b.json["extensions"]["VRMC_springBone"].as_object_mut().expect("an object").remove("specVersion");
    let bytes = b.glb();
    let mut springs = read_springs(&bytes);
    springs.chains[0].joints[0].stiffness = 0.25;
    write_and_check(&bytes, &springs);
}

#[test]
fn vrm_0_splits_a_group_whose_chains_differ_and_rejects_unsupported_springs() {
    let bytes = vrm_0_file().glb();
    let whole = read_springs(&bytes);
    let mut springs = whole.clone();
    springs.chains[1].joints.iter_mut().for_each(|joint| joint.drag = 0.25);
    let after = write(&bytes, "a.glb", &springs).unwrap_or_else(|line| panic!("{line:#?}"));
    let groups = &json_chunk(&after)["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"];
    let bones: Vec<_> =
        groups.as_array().expect("a list").iter().map(|g| (g["bones"].clone(), g["dragForce"].clone())).collect();
    assert_eq!(bones, [(json!([0]), json!(0.4)), (json!([9]), json!(0.4)), (json!([4]), json!(0.25))]);
    assert_eq!(groups[2]["FOO"], "hair");

    springs = whole.clone();
    let VrmColliderShape::Sphere { offset, radius, inside } = springs.colliders[0].shape else { panic!("a sphere") };
    springs.colliders[0].shape = VrmColliderShape::Sphere { offset: offset + Vec3::Z, radius, inside };
    let collider = &json_chunk(&write_and_check(&bytes, &springs))["extensions"]["VRM"]["secondaryAnimation"]["colliderGroups"]
        [0]["colliders"][0];
    assert_eq!(
        *collider,
        json!({ "offset": { "x": 0, "y": 0.1, "z": -0.75 }, "radius": 0.1, "FOO": 1 }),
        "left-handed"
    );

    let with = |change: &dyn Fn(&mut VrmSprings)| {
        let mut springs = whole.clone();
        change(&mut springs);
        springs
    };
    check_rejected(&bytes, &with(&|s| s.chains[0].joints[1].drag = 0.1), "one set of values for a whole tree");
    check_rejected(
        &bytes,
        &with(&|s| s.colliders[0].shape = VrmColliderShape::Plane { offset: Vec3::ZERO, normal: Vec3::Y }),
        "only spheres",
    );
    check_rejected(&bytes, &with(&|s| s.chains[0].joints.truncate(1)), "would give a different result");
    check_rejected(&bytes, &with(&|s| s.version = VrmVersion::V1), "the springs are VRM 1.0, but the file is VRM 0.x");
}

/// Returns the springs of a file with every number changed slightly.
fn with_changed_values(mut springs: VrmSprings) -> VrmSprings {
    for chain in &mut springs.chains {
        let by = if springs.version == VrmVersion::V0 { chain.file_index.unwrap_or(0) } else { chain.joints.len() };
        for (i, joint) in chain.joints.iter_mut().enumerate() {
            let x = (by + if springs.version == VrmVersion::V0 { 0 } else { i }) as f32 * 0.013;
            joint.stiffness += 0.1 + x;
            joint.drag = (joint.drag + x).fract();
            joint.hit_radius += 0.001 + x;
            joint.gravity_power += 0.1;
            joint.gravity_dir = Vec3::new(libm::sinf(x), -libm::cosf(x), 0.0);
        }
    }
    if springs.version == VrmVersion::V1 {
        for (i, joint) in springs.chains.iter_mut().flat_map(|chain| &mut chain.joints).enumerate() {
            let angle = i as f32 * 0.07;
            let shapes = [
                SwingShape::Cone { angle },
                SwingShape::Hinge { angle },
                SwingShape::Spherical { pitch: angle, yaw: 1.0 / (angle + 1.0) },
            ];
            joint.limit =
                shapes.get(i % 4).map(|shape| SwingLimit { shape: *shape, rotation: Quat::from_rotation_x(angle) });
        }
    }
    for collider in &mut springs.colliders {
        match &mut collider.shape {
            VrmColliderShape::Sphere { offset, radius, .. } => (*offset, *radius) = (*offset + 0.1, *radius + 0.1),
            VrmColliderShape::Capsule { tail, radius, .. } => (*tail, *radius) = (*tail + 0.1, *radius + 0.1),
            VrmColliderShape::Plane { offset, .. } => *offset += 0.1,
        }
    }
    springs
}

#[test]
fn springs_of_sample_files_round_trip() {
    let mut paths = vec![Path::new(SAMPLE_PATH).to_owned()];
    paths.extend(
        support::folder_or_skip("YUREMONO_SAMPLES")
            .iter()
            .flat_map(|folder| support::files_below(folder, &["gltf", "glb", "vrm"])),
    );
    let mut count = 0;
    for path in &paths {
        let bytes = std::fs::read(path).expect("readable");
        let folder = path.parent().expect("a folder");
        let read = |bytes: &[u8]| load_character(bytes, folder).spring_bones;
        let Some(springs) = read(&bytes) else { continue };
        assert_eq!(write(&bytes, "a", &springs).as_ref(), Ok(&bytes), "{}", path.display());
        let other = with_changed_values(springs.clone());
        let new = write(&bytes, "a", &other).unwrap_or_else(|line| panic!("{}: {line:#?}", path.display()));
        assert_eq!(read(&new).as_ref(), Some(&other), "{}", path.display());
        let back = write(&new, "a", &springs).expect("the springs are writable");
        assert_eq!(read(&back), Some(springs), "{}", path.display());
        count += 1;
    }
    println!("{count} files with springs");
}

/// Returns a copy of the file without springs.
fn without_springs(bytes: &[u8]) -> Vec<u8> {
    use yuremono_format::gltf_json::splice::{diff, splice};
    let before =
        if bytes.starts_with(b"glTF") { json_chunk(bytes) } else { serde_json::from_slice(bytes).expect("JSON") };
    let mut after = before.clone();
    let extensions = after["extensions"].as_object_mut().expect("extensions");
    extensions.remove("VRMC_springBone");
    if let Some(vrm) = extensions.get_mut("VRM").and_then(Value::as_object_mut) {
        vrm.remove("secondaryAnimation");
    }
    splice(bytes, &diff(&before, &after)).expect("the splice applies")
}

/// Returns the error-severity rules that the written springs violate. Errors in other parts of the file do not count.
fn rule_errors(bytes: &[u8]) -> Vec<String> {
    let diagnostics = yuremono_format::vrm::rules::check(bytes, "a");
    let is_of_humanoid = |d: &Diagnostic| d.location.pointer.as_ref().is_some_and(|at| at.contains("/humanoid"));
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error && !is_of_humanoid(d));
    errors.map(ToString::to_string).collect()
}

#[test]
fn springs_of_sample_and_malformed_files_can_be_written_into_the_file_without_springs() {
    let mut paths = vec![Path::new(SAMPLE_PATH).to_owned()];
    for variable in ["YUREMONO_SAMPLES", "YUREMONO_CORPUS"] {
        let folder = support::folder_or_skip(variable);
        paths.extend(folder.iter().flat_map(|folder| support::files_below(folder, &["gltf", "glb", "vrm"])));
    }
    let mut counts = [0; 2];
    for path in &paths {
        let bytes = std::fs::read(path).expect("readable");
        let folder = Folder::of(path).expect("a folder");
        let source = SourceFile { name: "a", bytes: &bytes, read_sibling: &|name| folder.read(name) };
        let Ok(LoadedCharacter { spring_bones: Some(springs), .. }) = gltf::read(&source, &|_| true) else { continue };
        let is_sound = rule_errors(&bytes).is_empty();
        match write(&without_springs(&bytes), "a", &springs) {
            Ok(new) => {
                let read =
                    gltf::read(&SourceFile { bytes: &new, ..source }, &|_| true).expect("readable file").spring_bones;
                assert_eq!(read.map(without_file_indices), Some(without_file_indices(springs)), "{}", path.display());
                assert_eq!(rule_errors(&new), [] as [String; 0], "{}", path.display());
                counts[1] += 1;
            }
            Err(said) => {
                assert!(!is_sound, "{}: {said:#?}", path.display());
                counts[0] += 1;
            }
        }
    }
    println!("refused, written: {counts:?}");
}

#[test]
fn springs_of_malformed_files_are_written_unchanged_or_rejected() {
    let Some(folder) = support::folder_or_skip("YUREMONO_CORPUS") else { return };
    let mut counts = [0; 2];
    for path in support::files_below(&folder, &["gltf", "glb", "vrm"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let folder = Folder::of(&path).expect("a folder");
        let source = SourceFile { name: "a", bytes: &bytes, read_sibling: &|name| folder.read(name) };
        let Ok(LoadedCharacter { spring_bones: Some(springs), .. }) = gltf::read(&source, &|_| true) else { continue };
        assert_eq!(write(&bytes, "a", &springs).as_ref(), Ok(&bytes), "{}", path.display());
        counts[usize::from(write(&bytes, "a", &with_changed_values(springs)).is_ok())] += 1;
    }
    println!("refused, written: {counts:?}");
}

/// Returns random springs over three strands of four nodes, with another node for colliders.
fn any_springs() -> impl Strategy<Value = VrmSprings> {
    let number = || prop_oneof![Just(0.0_f32), Just(1.0), 0.0..1.0_f32];
    let vector = || (number(), number(), number()).prop_map(|(x, y, z)| Vec3::new(x - 0.5, y, z));
    let shape = prop_oneof![
        (vector(), number(), any::<bool>()).prop_map(|(offset, radius, inside)| VrmColliderShape::Sphere {
            offset,
            radius,
            inside
        }),
        (vector(), vector(), number(), any::<bool>())
            .prop_map(|(offset, tail, radius, inside)| VrmColliderShape::Capsule { offset, tail, radius, inside }),
        vector().prop_map(|offset| VrmColliderShape::Plane { offset, normal: Vec3::Z }),
    ];
    let collider = (0..16_u32, shape, prop::option::of(0..4_usize)).prop_map(|(bone, shape, file_index)| VrmCollider {
        bone: BoneId(bone),
        shape,
        file_index,
    });
    let group = ("[a-c]{0,2}", prop::collection::btree_set(0..4_usize, 1..4), prop::option::of(0..3_usize)).prop_map(
        |(name, set, file_index)| VrmColliderGroup { name, colliders: set.into_iter().collect(), file_index },
    );
    let shape = (0..3_u8, number(), number()).prop_map(|(kind, angle, yaw)| match kind {
        0 => SwingShape::Cone { angle },
        1 => SwingShape::Hinge { angle },
        _ => SwingShape::Spherical { pitch: angle, yaw },
    });
    let rotation = prop_oneof![Just(Quat::IDENTITY), number().prop_map(Quat::from_rotation_z)];
    let limit = prop::option::of((shape, rotation).prop_map(|(shape, rotation)| SwingLimit { shape, rotation }));
    let numbers = (number(), number(), number(), vector(), number(), limit);
    let chain = (
        "[a-c]{0,2}",
        prop::collection::vec(numbers, 1..4),
        prop::collection::btree_set(0..3_usize, 0..3),
        any::<bool>(),
        prop::option::of(0..3_usize),
    );
    let chains = prop::collection::vec(chain, 3).prop_map(|chains| {
        let chain = |(strand, (name, numbers, groups, center, file_index)): (
            usize,
            (String, Vec<_>, std::collections::BTreeSet<usize>, bool, _),
        )| {
            let first = 4 * strand as u32;
            let joint =
                |(i, (hit_radius, stiffness, gravity_power, gravity_dir, drag, limit)): (usize, _)| VrmSpringJoint {
                    bone: BoneId(first + i as u32),
                    tail: VrmJointTail::Bone(BoneId(first + i as u32 + 1)),
                    hit_radius,
                    stiffness,
                    gravity_power,
                    gravity_dir,
                    drag,
                    limit,
                };
            let joints = numbers.into_iter().enumerate().map(joint).collect();
            let center = center.then_some(BoneId(first));
            VrmSpringChain { name, file_index, joints, collider_groups: groups.into_iter().collect(), center }
        };
        chains.into_iter().enumerate().map(chain).collect::<Vec<_>>()
    });
    (chains, 0..=3_usize, prop::collection::vec(collider, 4), prop::collection::vec(group, 3)).prop_map(
        |(mut chains, keep, colliders, collider_groups)| {
            chains.truncate(keep);
            VrmSprings { version: VrmVersion::V1, chains, colliders, collider_groups }
        },
    )
}

/// Returns random springs that VRM 0.x can express on the three strands. Each chain has values, a name, a center and
/// groups. The file has two groups of spheres.
fn any_vrm_0_springs() -> impl Strategy<Value = VrmSprings> {
    let number = || prop_oneof![Just(0.5_f32), Just(1.0), 0.0..1.0_f32];
    let vector = || (number(), number(), number()).prop_map(|(x, y, z)| Vec3::new(x, -y, z - 0.5));
    let chain = (
        ("[ab]{0,1}", number(), number(), vector(), prop::option::of(0..3_usize)),
        (any::<bool>(), any::<bool>(), prop::collection::btree_set(0..2_usize, 0..2)),
    );
    let spheres = || prop::collection::vec((vector(), number(), prop::option::of(0..2_usize)), 1..3);
    (prop::collection::vec(chain, 3), [spheres(), spheres()], 12..14_u32).prop_map(|(chains, groups, bone)| {
        let mut springs = read_springs(&vrm_0_file().glb());
        let mut whole = springs.chains.clone();
        springs.chains.clear();
        for (mut chain, ((name, drag, stiffness, gravity_dir, file_index), (center, there, groups))) in
            whole.drain(..).zip(chains)
        {
            let joint = |joint: &VrmSpringJoint| VrmSpringJoint { drag, stiffness, gravity_dir, ..*joint };
            chain.joints = chain.joints.iter().map(joint).collect();
            chain.center = center.then_some(BoneId(0));
            chain.collider_groups = groups.into_iter().collect();
            (chain.name, chain.file_index) = (name, file_index);
            springs.chains.extend(there.then_some(chain));
        }
        springs.colliders.clear();
        for (i, spheres) in groups.into_iter().enumerate() {
            let first = springs.colliders.len();
            springs.colliders.extend(spheres.into_iter().map(|(offset, radius, file_index)| VrmCollider {
                bone: BoneId(bone - 12 + 4 * i as u32),
                shape: VrmColliderShape::Sphere { offset, radius, inside: false },
                file_index,
            }));
            springs.collider_groups[i].colliders = (first..springs.colliders.len()).collect();
        }
        springs
    })
}

/// Returns the springs in the form of VRM 0.x: group names follow their bones, and chains are sorted by groups.
fn normalized_vrm_0(springs: VrmSprings) -> VrmSprings {
    let mut springs = without_file_indices(springs);
    springs.chains.sort_by_key(|chain| chain.joints[0].bone);
    springs.collider_groups.iter_mut().for_each(|group| group.name.clear());
    springs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(support::cases(50)))]

    #[test]
    fn any_springs_can_replace_any_others(first in any_springs(), second in any_springs()) {
        let bytes = file_with_node_chains(4, 4).glb();
        let one = write(&bytes, "a", &first).expect("the springs are writable");
        prop_assert_eq!(without_file_indices(read_springs(&one)), without_file_indices(first));
        let two = write(&one, "a", &second).expect("the springs are writable");
        prop_assert_eq!(without_file_indices(read_springs(&two)), without_file_indices(second.clone()));
        prop_assert_eq!(write(&two, "a", &without_file_indices(second)), Ok(two));
    }

    #[test]
    fn any_vrm_0_springs_can_replace_any_others(first in any_vrm_0_springs(), second in any_vrm_0_springs()) {
        let bytes = vrm_0_file().glb();
        let one = write(&bytes, "a", &first).unwrap_or_else(|line| panic!("{line:#?}"));
        prop_assert_eq!(normalized_vrm_0(read_springs(&one)), normalized_vrm_0(first));
        let two = write(&one, "a", &second).unwrap_or_else(|line| panic!("{line:#?}"));
        prop_assert_eq!(normalized_vrm_0(read_springs(&two)), normalized_vrm_0(second.clone()));
        prop_assert_eq!(write(&two, "a", &second), Ok(two));
    }
}
