//! The command line with setups in JSON and in other engines' formats.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use yuremono::diagnostics::group_similar;
use yuremono::feel::{convert::ConversionLoss, convert::convert, convert::loss_diagnostics};
use yuremono::sim::SolverKind;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");

fn yuremono(args: &[&str]) -> Output {
    Command::cargo_bin("yuremono").expect("built with the tests").args(args).output().expect("it runs")
}

#[track_caller]
fn check(args: &[&str], code: i32) -> (String, String) {
    let output = yuremono(args);
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

#[test]
fn params_prints_the_schema_that_is_published() {
    assert_eq!(check(&["params", "--schema"], 0).0, SCHEMA);
    check(&["params", "--schema", "--json"], 2);
}

#[test]
fn a_setup_goes_into_json_and_from_there_into_every_command() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let [json, csv, again, out] = ["hair.json", "hair.csv", "again.json", "out"].map(at);
    check(&["convert", SAMPLE, "--out", text(&json)], 0);
    let written: Value = serde_json::from_slice(&std::fs::read(&json).expect("written")).expect("JSON");
    assert_eq!(written["format"], "yuremono-setup");
    assert_eq!(written["setup"]["systems"]["0"]["solver"], "VRM", "the file's springs stay under their solver");
    let (said, _) = check(&["check", text(&json)], 0);
    assert!(said.contains("hair.json: table,") && said.contains("bones"), "{said}");
    check(&["convert", SAMPLE, "--setup", text(&json), "--out", text(&again)], 0);
    let same: Value = serde_json::from_slice(&std::fs::read(&again).expect("written")).expect("JSON");
    assert_eq!(same["setup"], written["setup"]);
    check(&["remap", text(&json), "--to", SAMPLE, "--out", text(&csv)], 0);
    assert!(std::fs::read_to_string(&csv).expect("written").contains("[VRM]"));
    let (report, _) = check(&["apply", text(&json), "--to", SAMPLE, "--out", text(&out), "--json"], 0);
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["good"], 1);
    assert!(out.join("sample.json").is_file(), "what is read is what is written");
}

#[test]
fn other_engines_formats_are_written_and_read_by_their_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (format, ending, solver) in [
        ("dynamic-bone", "csv", "DynamicBone"),
        ("kawaii-physics", "json", "KawaiiPhysics"),
        ("ez-soft-bone", "json", "EZSoftBone"),
    ] {
        let file = folder.path().join(format!("{format}.{ending}"));
        check(&["convert", SAMPLE, "--format", format, "--out", text(&file)], 0);
        let (said, _) = check(&["check", text(&file)], 0);
        assert!(said.contains(&format!("setup of {solver}, ")), "{said}");
        let (report, _) = check(&["apply", text(&file), "--to", SAMPLE, "--json"], 0);
        assert!(report.contains("\"good\": 1"), "{report}");
        let project = folder.path().join(format!("{format}.yure"));
        check(&["convert", SAMPLE, "--setup", text(&file), "--out", text(&project)], 0);
        let saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
        assert_eq!(saved["setup"]["systems"]["0"]["solver"], solver);
    }
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let (_, err) =
        check(&["convert", SAMPLE, "--solver", "VRM", "--format", "dynamic-bone", "--out", text(&at("a.csv"))], 1);
    assert!(err.contains("dynamic-bone holds setups of DynamicBone, not of VRM"), "{err}");
    let (_, err) = check(&["convert", SAMPLE, "--format", "parameters", "--out", text(&at("a.yure"))], 1);
    assert!(err.contains("--format is for tables"), "{err}");
    let (_, err) = check(&["convert", SAMPLE, "--format", "fbx", "--out", text(&at("a.json"))], 2);
    assert!(err.contains("kawaii-physics"), "{err}");
    let broken = at("broken.json");
    std::fs::write(&broken, "{\"format\": \"yuremono-setup\", \"version\": 9}").expect("written");
    let (said, _) = check(&["check", text(&broken)], 1);
    assert!(said.contains("broken.json#/version: the setup has version 9"), "{said}");
    let rules = at("rules.json");
    std::fs::write(&rules, "[]").expect("written");
    let (_, err) = check(&["convert", SAMPLE, "--setup", text(&rules), "--out", text(&at("b.csv"))], 1);
    assert!(err.contains("a setup is a table (.csv, .json)"), "{err}");
}

#[test]
fn losses_are_reported_only_where_no_row_of_the_table_replaces_the_numbers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let (csv, out) = (at("hinge.csv"), at("out.yure"));
    check(&["convert", SAMPLE, "--solver", "Hinge", "--out", text(&csv)], 0);
    let (_, err) = check(&["convert", SAMPLE, "--setup", text(&csv), "--solver", "Hinge", "--out", text(&out)], 0);
    let opened = super::support::sample(SolverKind::Vrm);
    let (document, skeleton) = (&opened.document, &opened.character.skeleton);
    let made = convert(document, &opened.character, SolverKind::Hinge);
    assert_eq!(made.remaining_losses(&BTreeSet::new(), skeleton), made.losses, "a table without rows");
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
