//! Tests setups that are transferred to another character by the command line: what the character lacks is named and
//! counted as a loss, and a chain takes the values of the table.

use crate::support;
use serde_json::Value;
use std::path::Path;

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

#[test]
fn a_collider_on_a_missing_bone_is_named_and_is_a_loss() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (table, collider, node) in [(CSV, "head_SphereCollider", "noBone"), (KAWAII, "x", "nobone")] {
        let expected = format!("collider \"{collider}\": bone or node \"{node}\" does not exist");
        let (code, text) = run_in(folder.path(), &["convert", GIRL_V1, "--setup", table, "--out", "ok.yure"]);
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains(&expected), "{text}");
        let strict = ["convert", GIRL_V1, "--setup", table, "--fail-on-loss", "--out", "strict.yure"];
        let (code, text) = run_in(folder.path(), &strict);
        assert!(code != Some(0) && text.contains(&expected), "{text}");
        let remap = ["remap", table, "--to", GIRL_V1, "--fail-on-loss", "--out", "remapped"];
        let out = if table == CSV { "remapped.csv" } else { "remapped.json" };
        let (code, text) = run_in(folder.path(), &[&remap[..6], &[out]].concat());
        assert!(code != Some(0) && text.contains(&expected), "{text}");
        std::fs::remove_file(folder.path().join("ok.yure")).expect("written");
    }
}

#[test]
fn a_vrm_1_table_sets_the_values_of_whole_chains_in_vrm_0() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (code, text) = run_in(folder.path(), &["convert", GIRL_V1, "--out", "table.csv"]);
    assert_eq!(code, Some(0), "{text}");
    let (code, text) = run_in(folder.path(), &["convert", GIRL_V0, "--setup", "table.csv", "--out", "out.vrm"]);
    assert_eq!(code, Some(0), "{text}");
    let bytes = std::fs::read(folder.path().join("out.vrm")).expect("written");
    let length = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let json: Value = serde_json::from_slice(&bytes[20..20 + length]).expect("JSON");
    let groups = json["extensions"]["VRM"]["secondaryAnimation"]["boneGroups"].as_array().expect("a list");
    assert_eq!(groups.len(), 2, "{groups:?}");
    for group in groups {
        let value = |key: &str| group[key].as_f64().expect("a number") as f32;
        assert_eq!([value("stiffiness"), value("gravityPower"), value("dragForce")], [1.0, 0.1, 0.4], "{group}");
    }
}
