//! Tests the spring bones of both VRM versions.

use super::{load, load_with_warning};
use crate::support::glb::GlbBuilder;
use glam::Vec3;
use serde_json::{Value, json};
use yuremono_format::vrm::{VrmColliderShape, VrmJointTail, VrmVersion};
use yuremono_sim::rig::{BoneId, Facing};

/// Returns a `VRMC_springBone` extension with one spring over nodes 0, 1 and 2. `change` is merged into the spring.
pub(super) fn spring_extension(change: &Value) -> Value {
    let mut spring =
        json!({ "name": "hair", "joints": [{ "node": 0, "stiffness": 2.0 }, { "node": 1 }, { "node": 2 }] });
    for (key, value) in change.as_object().expect("an object") {
        spring[key] = value.clone();
    }
    json!({ "VRMC_springBone": { "specVersion": "1.0", "springs": [spring] } })
}

#[test]
fn three_vrm_1_joints_make_two_simulated_joints() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b", "c"]);
    b.json["extensions"] = spring_extension(&json!({}));
    let springs = load(&b).spring_bones.expect("springs");
    assert_eq!(springs.version, VrmVersion::V1);
    let joints = &springs.chains[0].joints;
    let tails: Vec<_> = joints.iter().map(|j| (j.bone, j.tail)).collect();
    assert_eq!(tails, [(BoneId(0), VrmJointTail::Bone(BoneId(1))), (BoneId(1), VrmJointTail::Bone(BoneId(2)))]);
    assert_eq!((joints[0].stiffness, joints[1].stiffness, joints[1].drag), (2.0, 1.0, 0.5));
    assert_eq!(joints[0].gravity_dir, Vec3::NEG_Y);
}

#[test]
fn invalid_springs_are_skipped_and_the_rest_is_read() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b", "c"]);
    let at = "test.glb#/extensions/VRMC_springBone";
    b.json["extensions"] = spring_extension(&json!({ "joints": [{ "node": 0 }, { "node": 9 }, { "node": 2 }] }));
    let loaded = load_with_warning(
        &b,
        &format!("{at}/springs/0/joints/1/node: there is no node 9; the file has 3; the joint is left out"),
    );
    assert_eq!(loaded.spring_bones.expect("springs").chains[0].joints[0].tail, VrmJointTail::Bone(BoneId(2)));

    b.json["extensions"] = spring_extension(&json!({ "joints": [{ "node": 1 }, { "node": 0 }, { "node": 2 }] }));
    load_with_warning(
        &b,
        &format!("{at}/springs/0/joints/1/node: bone \"a\" is not a descendant of bone \"b\"; the joint is left out"),
    );

    b.json["extensions"] = spring_extension(&json!({ "center": 5, "colliderGroups": [0] }));
    load_with_warning(&b, &format!("{at}/springs/0/center: there is no node 5; the file has 3; the world is used"));
    load_with_warning(
        &b,
        &format!("{at}/springs/0/colliderGroups/0: there is no collider group 0; the file has 0; it is left out"),
    );

    b.json["extensions"] =
        spring_extension(&json!({ "joints": [{ "node": 0, "hitRadius": -1, "dragForce": "x" }, { "node": 1 }] }));
    load_with_warning(&b, &format!("{at}/springs/0/joints/0/hitRadius: -1; 0 or more was expected; 0 is used"));
    load_with_warning(
        &b,
        &format!("{at}/springs/0/joints/0/dragForce: \"x\" where a number was expected; the default is used"),
    );

    b.json["extensions"] = spring_extension(&json!({}));
    let twice = b.json["extensions"]["VRMC_springBone"]["springs"][0].clone();
    b.json["extensions"]["VRMC_springBone"]["springs"] = json!([twice, twice]);
    let loaded = load_with_warning(
        &b,
        &format!("{at}/springs/1/joints/0/node: bone \"a\" is already moved by another joint; the joint is left out"),
    );
    assert_eq!(loaded.spring_bones.expect("springs").chains.len(), 1);
}

#[test]
fn an_extended_shape_overrides_its_base_and_groups_keep_their_indices() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b", "c"]);
    b.json["extensions"] = spring_extension(&json!({ "colliderGroups": [1] }));
    let extended =
        |shape: Value| json!({ "VRMC_springBone_extended_collider": { "specVersion": "1.0", "shape": shape } });
    b.json["extensions"]["VRMC_springBone"]["colliders"] = json!([
        { "node": 0, "shape": { "sphere": { "radius": -1 } } },
        { "node": 0, "shape": { "sphere": { "radius": 1000 } }, "extensions": extended(json!({ "plane": { "normal": [0, 1, 0] } })) },
        { "node": 0, "extensions": extended(json!({ "capsule": { "tail": [0, 1, 0], "radius": 0.5, "inside": true } })) },
    ]);
    b.json["extensions"]["VRMC_springBone"]["colliderGroups"] =
        json!([{ "colliders": [0] }, { "name": "body", "colliders": [0, 1, 2] }]);
    let springs = load(&b).spring_bones.expect("springs");
    let shapes: Vec<_> = springs.colliders.iter().map(|c| c.shape).collect();
    let capsule = VrmColliderShape::Capsule { offset: Vec3::ZERO, tail: Vec3::Y, radius: 0.5, inside: true };
    assert_eq!(shapes, [VrmColliderShape::Plane { offset: Vec3::ZERO, normal: Vec3::Y }, capsule]);
    assert_eq!(springs.collider_groups[1].colliders, [0, 1]);
    assert_eq!(springs.chains[0].collider_groups, [1]);
}

#[test]
fn vrm_0_simulates_every_descendant_of_a_root_including_leaves() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b"]);
    b.push_json("nodes", json!({ "name": "side", "translation": [0.2, 0.0, 0.0] }));
    b.json["nodes"][0]["children"] = json!([1, 2]);
    b.json["extensions"] = json!({ "VRM": {
        "humanoid": { "humanBones": [{ "bone": "leftThumbProximal", "node": 1 }, { "bone": "hips", "node": 0 }, { "bone": "jaw", "node": -1 }] },
        "secondaryAnimation": {
            "boneGroups": [{
                "comment": "hair", "stiffiness": 0.7, "gravityPower": 0.1, "gravityDir": { "x": 0, "y": -1, "z": 0.5 },
                "dragForce": 0.3, "center": -1, "hitRadius": 0.02, "bones": [0], "colliderGroups": [0],
            }],
            "colliderGroups": [{ "node": 1, "colliders": [{ "offset": { "x": 1, "y": 2, "z": 3 }, "radius": 0.1 }] }],
        },
    } });
    let loaded = load(&b);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let character = &loaded.character;
    assert_eq!((character.format_name.as_str(), character.facing), ("VRM 0.x", Facing::MinusZ));
    assert_eq!(character.humanoid.bone("leftThumbMetacarpal"), Some(BoneId(1)));
    let springs = loaded.spring_bones.expect("springs");
    let tails: Vec<_> = springs.chains[0].joints.iter().map(|j| j.tail).collect();
    assert_eq!(
        tails,
        [VrmJointTail::Bone(BoneId(1)), VrmJointTail::Offset(Vec3::Y * -0.07), VrmJointTail::Offset(Vec3::X * 0.07)],
    );
    let joint = springs.chains[0].joints[0];
    assert_eq!((joint.stiffness, joint.drag, joint.hit_radius), (0.7, 0.3, 0.02));
    assert_eq!(joint.gravity_dir, Vec3::new(0.0, -1.0, 0.5), "as written");
    let sphere = VrmColliderShape::Sphere { offset: Vec3::new(1.0, 2.0, -3.0), radius: 0.1, inside: false };
    assert_eq!(springs.colliders[0].shape, sphere);
    assert_eq!(springs.chains[0].center, None);
}
