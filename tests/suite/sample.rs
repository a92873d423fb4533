//! The bundled character is what its generator makes.

#[path = "../../examples/make_sample/girl/mod.rs"]
mod girl;

use serde_json::Value;

const COMMITTED: &[u8] = include_bytes!("../../assets/sample.vrm");

/// The JSON chunk of a binary glTF file.
fn document(file: &[u8]) -> Value {
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&file[20..20 + length]).expect("the first chunk is JSON")
}

#[test]
fn the_committed_sample_is_what_the_generator_makes() {
    let made = girl::vrm().expect("the generator has no input that could fail");
    assert!(
        made == COMMITTED,
        "assets/sample.vrm differs: run `cargo run --example make_sample -- assets/sample.vrm` and commit the file"
    );
}

#[test]
fn the_sample_is_small() {
    assert!(COMMITTED.len() < 1_500_000, "{} bytes", COMMITTED.len());
}

#[test]
fn the_springs_of_the_sample_run_from_parent_to_child_and_name_existing_groups() {
    let file = document(COMMITTED);
    let spring_bone = &file["extensions"]["VRMC_springBone"];
    let groups = spring_bone["colliderGroups"].as_array().expect("groups").len();
    let mut seen = Vec::new();
    for spring in spring_bone["springs"].as_array().expect("springs") {
        let name = &spring["name"];
        let nodes: Vec<u64> =
            spring["joints"].as_array().expect("joints").iter().filter_map(|j| j["node"].as_u64()).collect();
        assert!(nodes.len() >= 2, "{name} has no tip");
        for pair in nodes.windows(2) {
            let children = file["nodes"][pair[0] as usize]["children"].as_array().expect("a joint has a child");
            assert!(children.contains(&Value::from(pair[1])), "{name}: {} is no child of {}", pair[1], pair[0]);
        }
        assert!(nodes.iter().all(|n| !seen.contains(n)), "{name} shares a joint with another spring");
        seen.extend(nodes);
        let avoids = spring["colliderGroups"].as_array().expect("groups");
        assert!(avoids.iter().all(|g| g.as_u64().is_some_and(|g| (g as usize) < groups)), "{name}");
    }
}

#[test]
fn the_sample_has_every_bone_that_a_humanoid_needs_and_stands_on_the_ground() {
    let file = document(COMMITTED);
    let bones = &file["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
    let limbs = ["UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"];
    let sides = limbs.iter().flat_map(|limb| [format!("left{limb}"), format!("right{limb}")]);
    for role in ["hips", "spine", "head"].map(str::to_owned).into_iter().chain(sides) {
        assert!(bones[&role]["node"].is_u64(), "{role} is missing");
    }
    let primitives = file["meshes"][0]["primitives"].as_array().expect("primitives");
    let heights = |edge: &str| -> Vec<f64> {
        let accessor = |p: &Value| p["attributes"]["POSITION"].as_u64().expect("positions") as usize;
        primitives.iter().filter_map(|p| file["accessors"][accessor(p)][edge][1].as_f64()).collect()
    };
    let low = heights("min").into_iter().fold(f64::MAX, f64::min);
    let high = heights("max").into_iter().fold(f64::MIN, f64::max);
    assert!(low.abs() < 0.002, "her soles are at {low}");
    assert!((1.4..1.6).contains(&high), "she is {high} m tall");
}
