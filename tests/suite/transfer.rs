//! Tests setups that are transferred to another character: parts that the character lacks are named and counted as
//! losses, elements under other names are updated, and a VRM 0.x chain takes the values of the file.

use crate::support;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::tables::read_setup;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::ImportPlan;
use yuremono_model::exchange::remap::NameMap;

const GIRL_V0: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/girl_v0.vrm");
const GIRL_V1: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/girl_v1.vrm");
const CSV: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/collider_on_missing_bone.csv");
const KAWAII: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/collider_on_missing_bone_kawaii.json");

/// Runs the command line in a folder. Returns the exit code, standard output and standard error.
fn run_in(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = support::yuremono_command().current_dir(folder).args(args).output().expect("it runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (output.status.code(), text)
}

/// Exports the setup of a character in a format, and returns the text.
fn exported(folder: &Path, character: &str, solver: &str, format: &str, name: &str) -> String {
    let args = ["convert", character, "--solver", solver, "--format", format, "--out", name];
    let (code, text) = run_in(folder, &args);
    assert_eq!(code, Some(0), "{text}");
    std::fs::read_to_string(folder.join(name)).expect("written")
}

/// Imports a table onto the VRM 1.0 character. Each expected text must be printed, and `--fail-on-loss` must fail.
#[track_caller]
fn check_losses(folder: &Path, table: &str, expected: &[&str]) {
    let import = ["convert", GIRL_V1, "--setup", table, "--overwrite", "--out", "out.yure"];
    let (code, text) = run_in(folder, &import);
    assert_eq!(code, Some(0), "{text}");
    let groups = "the colliders are assigned to the joints; the name is lost";
    let expected: Vec<&str> = expected.iter().copied().chain([groups]).collect();
    for part in &expected {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let (code, strict) = run_in(folder, &[&import[..], &["--fail-on-loss"]].concat());
    assert_eq!(code, Some(1), "{strict}");
    assert!(strict.contains(&format!("(losses: {})", expected.len())), "{strict}");
}

#[test]
fn a_table_without_any_bone_of_the_character_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/sample/yure_Dynamics.csv");
    for command in [&["convert"][..], &["simulate", "--seconds", "1"]] {
        let (code, text) = run_in(folder.path(), &[command, &[GIRL_V1, "--setup", table, "--out", "out.csv"]].concat());
        assert!(code == Some(1) && text.contains("no row matches a bone of the character"), "{text}");
        assert!(!folder.path().join("out.csv").exists());
    }
}

#[test]
fn a_collider_on_a_missing_bone_is_named_and_is_a_loss() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (table, collider, node) in [(CSV, "head_SphereCollider", "noBone"), (KAWAII, "x", "nobone")] {
        let expected = format!("collider \"{collider}\": bone or node \"{node}\" does not exist");
        check_losses(folder.path(), table, &[&expected]);
        let remap = ["remap", table, "--to", GIRL_V1, "--fail-on-loss", "--out"];
        let out = if table == CSV { "remapped.csv" } else { "remapped.json" };
        let (code, text) = run_in(folder.path(), &[&remap[..], &[out]].concat());
        assert!(code == Some(1) && text.contains(&expected), "{text}");
    }
}

#[test]
fn pivots_helpers_leg_followers_and_centers_on_missing_nodes_of_a_csv_are_losses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "UnityChanSpringBone", "csv", "table.csv");
    let table = folder.path().join("changed.csv");
    let changed = text
        .replace("\nhair_2,0.02", "\n%,0.02")
        .replace(",1,hair_1,False", ",1,swivel,False")
        .replace("\n%,0.02", "\nhair_2,0.02")
        .replace("\"\"values\"\":{}}}}\"", "\"\"values\"\":{},\"\"center\"\":\"\"noCenter\"\"}}}\"");
    let sections = "[Pivots]\nswivel,noPivotParent,0,0,0\n\n[DynamicsNulls]\n\
                    shelf,noNullParent,0,0,0,0,0,0,1,1,1\n\n[Colliders]";
    let changed = changed.replace("[Colliders]", sections);
    std::fs::write(&table, changed).expect("written");
    let expected = [
        "pivot \"swivel\": bone or node \"noPivotParent\" does not exist",
        "node \"shelf\": bone or node \"noNullParent\" does not exist",
        "2 comment rows, first \"chain\": bone or node \"noCenter\" does not exist",
    ];
    check_losses(folder.path(), "changed.csv", &expected);
}

#[test]
fn colliders_and_nodes_of_ez_soft_bone_that_the_character_lacks_are_losses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "EZSoftBone", "ez-soft-bone", "ez.json");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    file["Colliders"][0]["parent"] = json!("noBone");
    for component in file["Components"].as_array_mut().expect("a list") {
        component["m_SimulateSpace"] = json!("noSpace");
    }
    file["Components"][0]["m_EndBones"] = json!(["noEnd"]);
    std::fs::write(folder.path().join("ez.json"), file.to_string()).expect("written");
    let expected = [
        "collider \"head_SphereCollider\": bone or node \"noBone\" does not exist",
        "node \"noSpace\" does not exist",
        "chain \"hair_1\": excluded bones or end bones do not exist: \"noEnd\"",
    ];
    check_losses(folder.path(), "ez.json", &expected);
}

#[test]
fn nodes_of_kawaii_physics_that_the_character_lacks_are_losses() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "KawaiiPhysics", "kawaii-physics", "kawaii.json");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    for node in file["Nodes"].as_array_mut().expect("a list") {
        node["SimulationBaseBone"] = json!("noBase");
    }
    file["Nodes"][1]["ExcludeBones"] = json!(["noExcluded"]);
    std::fs::write(folder.path().join("kawaii.json"), file.to_string()).expect("written");
    let expected = [
        "node \"noBase\" does not exist",
        "chain \"side_1\": excluded bones or end bones do not exist: \"noExcluded\"",
    ];
    check_losses(folder.path(), "kawaii.json", &expected);
}

#[test]
fn an_excluded_bone_that_is_the_root_of_its_chain_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "KawaiiPhysics", "kawaii-physics", "kawaii.json");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    file["Nodes"][0]["ExcludeBones"] = json!(["hair_1"]);
    std::fs::write(folder.path().join("kawaii.json"), file.to_string()).expect("written");
    check_losses(folder.path(), "kawaii.json", &["chain \"hair_1\": the root of the chain is also an excluded bone"]);
}

#[test]
fn names_that_only_the_target_describes_are_no_losses_of_a_remap() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "UnityChanSpringBone", "csv", "table.csv");
    let (start, rest) = text.split_once("[Colliders]").expect("a section");
    let comments = rest.find("#yuremono").expect("comment rows");
    std::fs::write(folder.path().join("bones.csv"), format!("{start}{}", &rest[comments..])).expect("written");
    let args = ["remap", "bones.csv", "--to", GIRL_V1, "--fail-on-loss", "--out", "out.csv"];
    let (code, text) = run_in(folder.path(), &args);
    assert_eq!(code, Some(0), "{text}");
}

/// Returns the values of each bone group: stiffness, gravity and drag.
fn bone_group_values(path: &Path) -> Vec<[f32; 3]> {
    let bytes = std::fs::read(path).expect("written");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let file: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let groups = file["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"].as_array().expect("a list");
    let value = |group: &Value, key: &str| group[key].as_f64().expect("a number") as f32;
    groups.iter().map(|group| ["stiffiness", "gravityPower", "dragForce"].map(|key| value(group, key))).collect()
}

#[test]
fn a_vrm_1_table_sets_the_values_of_whole_chains_in_vrm_0() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    exported(folder.path(), GIRL_V1, "UnityChanSpringBone", "csv", "unity.csv");
    exported(folder.path(), GIRL_V1, "VRM", "csv", "vrm.csv");
    exported(folder.path(), GIRL_V1, "VRM", "parameters", "vrm.json");
    for table in ["unity.csv", "vrm.csv", "vrm.json"] {
        for options in [&[][..], &["--average"]] {
            let args = ["convert", GIRL_V0, "--setup", table, "--overwrite", "--out", "out.vrm"];
            let (code, text) = run_in(folder.path(), &[&args[..], options].concat());
            assert_eq!(code, Some(0), "{table}: {text}");
            for values in bone_group_values(&folder.path().join("out.vrm")) {
                let is_right = |(value, right): (&f32, f32)| (value - right).abs() < 1e-5;
                assert!(values.iter().zip([1.0, 0.1, 0.4]).all(is_right), "{table} {options:?}: {values:?}");
            }
        }
    }
}

#[test]
fn a_partial_table_changes_no_other_joints_of_a_vrm_1_character() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let whole = exported(folder.path(), GIRL_V1, "VRM", "csv", "whole.csv");
    let row = |text: &str, bone: &str| {
        text.lines().find(|line| line.starts_with(&format!("{bone},"))).map(str::to_owned).expect("a row")
    };
    let tail = row(&whole, "hair_3");
    let other = row(&whole, "hair_2");
    let changed = other.replacen(other.split(',').nth(1).expect("a cell"), "0.031", 1);
    let partial = whole.replace(&format!("{tail}\n"), "").replace(&other, &changed);
    std::fs::write(folder.path().join("partial.csv"), partial).expect("written");
    let args = ["convert", GIRL_V1, "--setup", "partial.csv", "--solver", "VRM", "--out", "after.csv"];
    let (code, text) = run_in(folder.path(), &args);
    assert_eq!(code, Some(0), "{text}");
    let after = std::fs::read_to_string(folder.path().join("after.csv")).expect("written");
    assert_eq!([row(&after, "hair_2"), row(&after, "hair_3")], [changed, tail]);
}

/// Imports a table for a character whose head is called `Atama`.
fn import_with_renamed_head(change: impl Fn(String) -> String) -> (OpenedCharacter, Document) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = exported(folder.path(), GIRL_V1, "VRM", "csv", "table.csv");
    let opened = open::character(Path::new(GIRL_V1), &|_| true).expect("our own file loads");
    let (file, _) = read_setup(change(text.replace("head", "Atama")).as_bytes(), "table.csv").expect("a table");
    let file = to_gltf(file, FlipAxis::default_for(opened.character.facing));
    let names: NameMap = BTreeMap::from([("Atama".to_owned(), opened.character.skeleton.find("head"))]);
    let plan = ImportPlan::new(file, &[], &opened.document, &opened.character, &names);
    let after = plan.after_import(&opened.character.skeleton);
    (opened, after)
}

#[test]
fn a_collider_that_exists_under_its_mapped_name_is_updated() {
    let (opened, after) = import_with_renamed_head(|text| text.replace("sp,0.1,", "sp,0.2,"));
    let names = |document: &Document| document.colliders.values().map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&after), names(&opened.document));
    let named = |document: &Document| {
        document.colliders.values().find(|collider| collider.name == "head_SphereCollider").expect("a collider").shape
    };
    assert_ne!(named(&after), named(&opened.document), "the radius of the table");
}

#[test]
fn a_collider_with_an_unrelated_name_is_not_overwritten() {
    let change = |text: String| text.replace("Atama_SphereCollider", "mimi").replace("sp,0.1,", "sp,0.2,");
    let (opened, after) = import_with_renamed_head(change);
    for collider in opened.document.colliders.values() {
        assert!(after.colliders.values().any(|other| other == collider), "{collider:?} is unchanged");
    }
    assert!(after.colliders.values().any(|collider| collider.name == "mimi"));
}
