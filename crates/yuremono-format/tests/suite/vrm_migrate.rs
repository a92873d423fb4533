//! Tests the migration of VRM 0.x springs to VRM 1.0, which must give the same values as UniVRM's migration.

use super::support::{self, glb::GlbBuilder};
use glam::Vec3;
use serde_json::{Value, json};
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::vrm::migrate::{LeafHandling, to_v1};
use yuremono_format::vrm::{VrmColliderShape, VrmJointTail, VrmSpringJoint, VrmSprings, VrmVersion, rules, write};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::rig::{BoneId, Facing};

/// Name, parent and offset in metres of each node.
const NODES: &[(&str, Option<usize>, [f32; 3])] = &[
    ("head", None, [0.0, 1.5, 0.0]),
    ("hair", Some(0), [0.0, 0.1, 0.25]),
    ("hair_2", Some(1), [0.0, -0.1, 0.0]),
    ("hair_3", Some(2), [0.0, -0.06, 0.08]),
    ("side", Some(1), [0.1, 0.0, 0.0]),
    ("side_2", Some(4), [0.1, 0.0, 0.0]),
    ("side_3", Some(5), [0.0, 0.0, 0.5]),
    ("stub", Some(1), [-0.1, 0.0, 0.0]),
    ("deep", Some(2), [0.0, 0.0, 0.1]),
    ("deep_2", Some(8), [0.0, 0.0, 0.1]),
    ("tail", None, [0.0, 0.9, 0.5]),
];

fn vrm_0_file() -> GlbBuilder {
    let mut b = GlbBuilder::new();
    for (i, (name, _, at)) in NODES.iter().enumerate() {
        let mut node = json!({ "name": name, "translation": at });
        let children: Vec<_> = (0..NODES.len()).filter(|c| NODES[*c].1 == Some(i)).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        b.push_json("nodes", node);
    }
    b.triangle_mesh();
    b.json["extensionsUsed"] = json!(["VRM"]);
    b.json["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [
            {
                "comment": "hair", "stiffiness": 0.75, "gravityPower": 0.5, "gravityDir": { "x": 0.5, "y": -1, "z": 0.25 },
                "dragForce": 0.4, "center": 0, "hitRadius": 0.02, "bones": [1], "colliderGroups": [1],
            },
            {
                "comment": "tail", "stiffiness": 4, "gravityPower": 0, "gravityDir": { "x": 0, "y": -1, "z": 0 },
                "dragForce": 1, "center": -1, "hitRadius": 0, "bones": [10], "colliderGroups": [0, 1],
            },
        ],
        "colliderGroups": [
            { "node": 10, "colliders": [] },
            { "node": 0, "colliders": [{ "offset": { "x": 0.1, "y": 0.2, "z": 0.3 }, "radius": 0.05 }] },
        ],
    } } });
    b
}

fn load_character(bytes: &[u8]) -> LoadedCharacter {
    gltf::read(&SourceFile { name: "a.glb", bytes, read_sibling: &no_siblings }, &|_| true).expect("a character")
}

fn migrate_file(file: &GlbBuilder, facing: Facing, ends: LeafHandling) -> (VrmSprings, Vec<String>) {
    let loaded = load_character(&file.glb());
    let springs = loaded.spring_bones.expect("springs");
    let (springs, reported) = to_v1(&springs, &loaded.character.skeleton, facing, ends, "a.vrm");
    assert!(reported.iter().all(|d| d.severity < Severity::Error));
    (springs, reported.iter().map(ToString::to_string).collect())
}

/// Returns the nodes of each spring, including the tail. A `+` is a tail without a node.
fn chain_paths(file: &GlbBuilder, springs: &VrmSprings) -> Vec<String> {
    let loaded = load_character(&file.glb());
    let name = |bone: BoneId| loaded.character.skeleton.name(bone).to_owned();
    let path = |joints: &[VrmSpringJoint]| {
        let last = match joints.last().expect("a joint").tail {
            VrmJointTail::Bone(bone) => name(bone),
            VrmJointTail::Offset(_) => "+".to_owned(),
        };
        joints.iter().map(|j| name(j.bone)).chain([last]).collect::<Vec<_>>().join(" ")
    };
    springs.chains.iter().map(|chain| path(&chain.joints)).collect()
}

#[test]
fn a_spring_follows_first_children_and_other_children_start_one_node_lower() {
    let (springs, reported) = migrate_file(&vrm_0_file(), Facing::MinusZ, LeafHandling::KeepSwinging);
    assert_eq!(chain_paths(&vrm_0_file(), &springs), ["hair hair_2 hair_3 +", "deep_2 +", "side_2 side_3 +", "tail +"]);
    let names: Vec<_> = springs.chains.iter().map(|chain| chain.name.as_str()).collect();
    assert_eq!(names, ["hair", "hair", "hair", "tail"]);
    assert_eq!(springs.version, VrmVersion::V1);
    let still = "a.vrm: \"deep\", \"side\", \"stub\": no longer simulated; where a chain branches, UniVRM simulates only \
                 the bones below the branch";
    assert!(reported.iter().any(|s| s == still), "{reported:#?}");
}

#[test]
fn values_are_kept_and_gravity_becomes_right_handed() {
    let (springs, _) = migrate_file(&vrm_0_file(), Facing::MinusZ, LeafHandling::KeepSwinging);
    for chain in &springs.chains[..3] {
        for joint in &chain.joints {
            let numbers = (joint.stiffness, joint.gravity_power, joint.drag, joint.hit_radius, joint.limit);
            assert_eq!(numbers, (0.75, 0.5, 0.4, 0.02, None));
            assert_eq!(joint.gravity_dir, Vec3::new(0.5, -1.0, -0.25));
        }
        assert_eq!(chain.center, Some(BoneId(0)));
        assert_eq!(chain.collider_groups, [0]);
    }
    let tail = &springs.chains[3];
    assert_eq!((tail.center, tail.joints[0].stiffness, tail.joints[0].drag), (None, 4.0, 1.0));
    let sphere = VrmColliderShape::Sphere { offset: Vec3::new(0.1, 0.2, -0.3), radius: 0.05, inside: false };
    assert_eq!(springs.colliders[0].shape, sphere);
}

#[test]
fn a_character_that_faces_plus_z_gets_the_values_of_univrm() {
    let (springs, _) = migrate_file(&vrm_0_file(), Facing::PlusZ, LeafHandling::KeepSwinging);
    // The value equals that of the file, with the first number negated.
    assert_eq!(springs.chains[0].joints[0].gravity_dir, Vec3::new(-0.5, -1.0, 0.25));
    let VrmColliderShape::Sphere { offset, .. } = springs.colliders[0].shape else { panic!("a sphere") };
    assert_eq!(offset, Vec3::new(-0.1, 0.2, 0.3));
    let VrmJointTail::Offset(offset) = springs.chains[2].joints[1].tail else { panic!("a leaf") };
    assert_eq!(offset, Vec3::new(0.0, 0.0, -0.07), "7 cm along the translation of the node, converted");
    let straight = springs.chains[3].joints[0].gravity_dir;
    assert!(straight.x.is_sign_positive() && straight.z.is_sign_positive(), "zeros stay positive: {straight:?}");
}

#[test]
fn leaf_joints_without_a_tail_node_are_reported_and_can_be_removed() {
    let (open, reported) = migrate_file(&vrm_0_file(), Facing::MinusZ, LeafHandling::KeepSwinging);
    let VrmJointTail::Offset(offset) = open.chains[0].joints[2].tail else { panic!("a leaf") };
    assert!((offset - Vec3::new(0.0, -0.042, 0.056)).length() < 1e-7, "7 cm: {offset}");
    let needs = "a.vrm: \"hair_3\", \"deep_2\", \"side_3\", \"tail\": a VRM 1.0 file needs a node at each tail, such as \
                 \"hair_3_end\", 7 cm further; without it they cannot be written";
    assert!(reported.iter().any(|s| s == needs), "{reported:#?}");

    let (cut, reported) = migrate_file(&vrm_0_file(), Facing::MinusZ, LeafHandling::RemoveJoint);
    assert_eq!(chain_paths(&vrm_0_file(), &cut), ["hair hair_2 hair_3", "side_2 side_3"]);
    let lost = "a.vrm: \"hair_3\", \"deep_2\", \"side_3\", \"tail\": no longer simulated; VRM 1.0 needs a node at each tail, \
                such as \"hair_3_end\", 7 cm further, which the file lacks";
    assert!(reported.iter().any(|s| s == lost), "{reported:#?}");
}

// Unlike UniVRM, the migration drops empty groups, because the schema of VRM 1.0 forbids them.
#[test]
fn empty_collider_groups_are_dropped_and_the_others_renumbered() {
    let (springs, reported) = migrate_file(&vrm_0_file(), Facing::MinusZ, LeafHandling::KeepSwinging);
    assert_eq!(springs.collider_groups.len(), 1);
    assert_eq!((springs.collider_groups[0].name.as_str(), &springs.collider_groups[0].colliders), ("head", &vec![0]));
    assert_eq!(springs.chains[3].collider_groups, [0]);
    assert!(reported.iter().any(|s| s.contains("1 collider groups without colliders are left out")), "{reported:#?}");
}

// Unlike UniVRM, the migration removes centers that the specification of VRM 1.0 forbids.
#[test]
fn centers_that_vrm_1_forbids_are_removed_and_reported() {
    let center = |node: i32| {
        let mut file = vrm_0_file();
        file.json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"][0]["center"] = json!(node);
        let (springs, reported) = migrate_file(&file, Facing::MinusZ, LeafHandling::KeepSwinging);
        let centers: Vec<_> = springs.chains.iter().map(|chain| chain.center.is_some()).collect();
        (centers, reported.iter().any(|s| s.contains("lose their center")))
    };
    assert_eq!(center(0), (vec![true, true, true, false], false));
    assert_eq!(center(1), (vec![true, false, false, false], true), "the first spring moves the center");
    assert_eq!(center(10), (vec![false; 4], true), "the center is not an ancestor");
}

// Unlike UniVRM, the migration changes numbers that the schema of VRM 1.0 forbids.
#[test]
fn values_that_vrm_1_forbids_are_rewritten_or_clamped() {
    let mut file = vrm_0_file();
    let group = &mut file.json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"][0];
    (group["gravityPower"], group["dragForce"], group["stiffiness"]) = (json!(-0.5), json!(1.5), json!(-1));
    let (springs, reported) = migrate_file(&file, Facing::MinusZ, LeafHandling::KeepSwinging);
    let joint = springs.chains[0].joints[0];
    assert_eq!((joint.gravity_power, joint.gravity_dir), (0.5, Vec3::new(-0.5, 1.0, 0.25)), "the force is the same");
    assert_eq!((joint.drag, joint.stiffness), (1.0, 0.0));
    assert!(reported.iter().any(|s| s.contains("the opposite gravityDir")), "{reported:#?}");
    assert!(reported.iter().any(|s| s.contains("is clamped to the range of VRM 1.0")), "{reported:#?}");
}

#[test]
fn springs_of_vrm_1_are_returned_unchanged() {
    let file = vrm_0_file();
    let (springs, _) = migrate_file(&file, Facing::MinusZ, LeafHandling::RemoveJoint);
    let skeleton = load_character(&file.glb()).character.skeleton;
    assert_eq!(to_v1(&springs, &skeleton, Facing::PlusZ, LeafHandling::RemoveJoint, "a.vrm"), (springs, Vec::new()));
}

/// Returns a copy of the file without the VRM extension.
fn without_vrm_extension(bytes: &[u8]) -> Vec<u8> {
    use yuremono_format::gltf_json::splice::{Change, Patch, splice};
    let remove = Patch { pointer: "/extensions/VRM".to_owned(), change: Change::Remove };
    splice(bytes, &[remove]).expect("the extension exists")
}

fn json_chunk(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).expect("JSON")
}

/// Migrates the springs, writes them into the file without its VRM extension, and reads them again. Returns the number
/// of springs.
#[track_caller]
fn check_migrated_file(bytes: &[u8], name: &str) -> usize {
    let loaded = load_character(bytes);
    let springs = loaded.spring_bones.expect("springs");
    let (new, _) = to_v1(&springs, &loaded.character.skeleton, Facing::MinusZ, LeafHandling::RemoveJoint, name);
    let written =
        write(&without_vrm_extension(bytes), name, &new).unwrap_or_else(|reported| panic!("{name}: {reported:#?}"));
    let mut read = load_character(&written).spring_bones.expect("springs");
    read.chains.iter_mut().for_each(|c| c.file_index = None);
    read.colliders.iter_mut().for_each(|c| c.file_index = None);
    read.collider_groups.iter_mut().for_each(|g| g.file_index = None);
    assert_eq!(read, new, "{name}");
    let reported = rules::check_json(&json_chunk(&written), name);
    assert!(reported.iter().all(|d| d.severity == Severity::Info), "{name}: {reported:#?}");
    new.chains.len()
}

#[test]
fn migrated_springs_can_be_written_into_a_plain_file() {
    assert_eq!(check_migrated_file(&vrm_0_file().glb(), "a.vrm"), 2);
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["vrm"]) {
        let bytes = std::fs::read(&path).expect("readable");
        let springs = load_character(&bytes).spring_bones;
        if springs.is_some_and(|springs| springs.version == VrmVersion::V0) {
            let name = path.file_name().expect("a file").to_string_lossy();
            println!("{name}: {} springs", check_migrated_file(&bytes, &name));
        }
    }
}
