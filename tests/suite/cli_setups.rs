//! Tests the command line with setups in JSON and in the formats of other engines.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use yuremono_model::feel::{convert::ConversionLoss, convert::convert, convert::loss_diagnostics};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::group_similar;

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");

fn run_cli(args: &[&str]) -> Output {
    crate::support::yuremono_command().args(args).output().expect("it runs")
}

#[track_caller]
fn check_cli(args: &[&str], code: i32) -> (String, String) {
    let output = run_cli(args);
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn params_prints_the_published_schema() {
    assert_eq!(check_cli(&["params", "--schema"], 0).0, SCHEMA);
    check_cli(&["params", "--schema", "--json"], 2);
}

#[test]
fn a_json_setup_can_be_used_by_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let [json, csv, again, out] = ["hair.json", "hair.csv", "again.json", "out"].map(at);
    check_cli(&["convert", SAMPLE_PATH, "--out", path_str(&json)], 0);
    let written: Value = serde_json::from_slice(&std::fs::read(&json).expect("written")).expect("JSON");
    assert_eq!(written["format"], "yuremono-setup");
    assert_eq!(written["setup"]["systems"]["0"]["solver"], "VRM", "the springs of the file keep their solver");
    let (stdout, _) = check_cli(&["check", path_str(&json)], 0);
    assert!(stdout.contains("hair.json: table,") && stdout.contains("bones"), "{stdout}");
    check_cli(&["convert", SAMPLE_PATH, "--setup", path_str(&json), "--out", path_str(&again)], 0);
    let same: Value = serde_json::from_slice(&std::fs::read(&again).expect("written")).expect("JSON");
    assert_eq!(same["setup"], written["setup"]);
    check_cli(&["remap", path_str(&json), "--to", SAMPLE_PATH, "--out", path_str(&csv)], 0);
    assert!(std::fs::read_to_string(&csv).expect("written").contains("[VRM]"));
    let (report, _) = check_cli(&["apply", path_str(&json), "--to", SAMPLE_PATH, "--out", path_str(&out), "--json"], 0);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["good"], 1);
    assert!(out.join("sample.json").is_file(), "the default output format is that of the input");
}

#[test]
fn native_formats_can_be_written_and_read() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (format, ending, solver) in [
        ("dynamic-bone", "csv", "DynamicBone"),
        ("kawaii-physics", "json", "KawaiiPhysics"),
        ("ez-soft-bone", "json", "EZSoftBone"),
    ] {
        let file = folder.path().join(format!("{format}.{ending}"));
        check_cli(&["convert", SAMPLE_PATH, "--format", format, "--out", path_str(&file)], 0);
        let (stdout, _) = check_cli(&["check", path_str(&file)], 0);
        assert!(stdout.contains(&format!("setup of {solver}, ")), "{stdout}");
        let (report, _) = check_cli(&["apply", path_str(&file), "--to", SAMPLE_PATH, "--json"], 0);
        assert!(report.contains("\"good\": 1"), "{report}");
        let project = folder.path().join(format!("{format}.yure"));
        check_cli(&["convert", SAMPLE_PATH, "--setup", path_str(&file), "--out", path_str(&project)], 0);
        let saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
        assert_eq!(saved["setup"]["systems"]["0"]["solver"], solver);
    }
}

#[test]
fn convert_rejects_a_setup_of_another_character_and_reports_an_empty_result() {
    let fixture = crate::cli_files::CliFixture::new();
    let [tail, out, project] = ["tail.glb", "out.csv", "out.yure"].map(|name| fixture.file_path_str(name));
    let (_, err) = check_cli(&["convert", &tail, "--setup", SAMPLE_PATH, "--out", &out], 1);
    assert!(err.contains("sample.vrm: none of the 175 joints has a bone on this character"), "{err}");
    assert!(!Path::new(&out).exists());
    // A project keeps the joints for a later version of the character.
    check_cli(&["convert", &tail, "--setup", SAMPLE_PATH, "--out", &project], 0);
    let (_, err) = check_cli(&["convert", &tail, "--out", &out], 0);
    assert!(err.contains("warning: tail.glb: there are no joints to write"), "{err}");
}

#[test]
fn invalid_combinations_are_rejected_with_a_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let (_, err) = check_cli(
        &["convert", SAMPLE_PATH, "--solver", "VRM", "--format", "dynamic-bone", "--out", path_str(&at("a.csv"))],
        1,
    );
    assert!(err.contains("dynamic-bone files store setups of DynamicBone, not of VRM"), "{err}");
    let (_, err) = check_cli(&["convert", SAMPLE_PATH, "--format", "parameters", "--out", path_str(&at("a.yure"))], 1);
    assert!(err.contains("--format is for tables"), "{err}");
    let (_, err) = check_cli(&["convert", SAMPLE_PATH, "--format", "fbx", "--out", path_str(&at("a.json"))], 2);
    assert!(err.contains("kawaii-physics"), "{err}");
    let broken = at("broken.json");
    std::fs::write(&broken, "{\"format\": \"yuremono-setup\", \"version\": 9}").expect("written");
    let (stdout, _) = check_cli(&["check", path_str(&broken)], 1);
    assert!(stdout.contains("broken.json#/version: the setup has version 9"), "{stdout}");
    let rules = at("rules.json");
    std::fs::write(&rules, "[]").expect("written");
    let (_, err) =
        check_cli(&["convert", SAMPLE_PATH, "--setup", path_str(&rules), "--out", path_str(&at("b.csv"))], 1);
    assert!(err.contains("found a JSON list; expected a table (.csv, .json)"), "{err}");
}

#[test]
fn losses_of_values_that_the_table_replaces_are_not_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let (csv, out) = (at("hinge.csv"), at("out.yure"));
    check_cli(&["convert", SAMPLE_PATH, "--solver", "Hinge", "--out", path_str(&csv)], 0);
    let (_, err) = check_cli(
        &["convert", SAMPLE_PATH, "--setup", path_str(&csv), "--solver", "Hinge", "--out", path_str(&out)],
        0,
    );
    let opened = super::support::sample(SolverKind::Vrm);
    let (document, skeleton) = (&opened.document, &opened.character.skeleton);
    let made = convert(document, &opened.character, SolverKind::Hinge);
    assert_eq!(made.remaining_losses(&BTreeSet::new(), skeleton), made.losses, "the table has no rows");
    let joints = document.chains.values().flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect();
    let remaining = made.remaining_losses(&joints, skeleton);
    assert!(!remaining.is_empty() && remaining.len() < made.losses.len());
    let lines = |losses: &[ConversionLoss]| {
        let found = group_similar(&loss_diagnostics(losses, "hinge.csv"));
        found.iter().map(|found| format!("warning: {found}")).collect::<Vec<_>>()
    };
    let expected = lines(&remaining);
    for line in &expected {
        assert!(err.lines().any(|said| said == line), "{line} is not in {err}");
    }
    for line in lines(&made.losses).iter().filter(|line| !expected.contains(line)) {
        assert!(!err.lines().any(|said| said == line), "{line} is in {err}");
    }
}
