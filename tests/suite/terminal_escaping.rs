//! Tests that text from hostile files is printed to a terminal without control characters and with bounded length.

use super::support::glb::GlbBuilder;
use serde_json::{Value, json};
use std::path::Path;

/// Escape sequences for colours and the window title, direction marks, and a line that imitates a message of Yuremono.
const HOSTILE_NAME: &str = "\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}txt\u{2066}\u{9b}2J\r\nwarning: fake\u{2028}end";

/// Checks the output of a command on both streams.
#[track_caller]
fn printed_text(args: &[&str]) -> String {
    let output = crate::support::yuremono_command().args(args).output().expect("it runs");
    assert!(output.status.code().is_some(), "a signal ended {args:?}");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    out + &err
}

#[track_caller]
fn check_output_is_escaped(args: &[&str], shown: &str) {
    let reported = printed_text(args);
    let marks = ['\u{202e}', '\u{2066}', '\u{2028}'];
    let bad = reported.chars().find(|c| (c.is_control() && *c != '\n') || marks.contains(c));
    assert_eq!(bad, None, "{args:?}: {reported:?}");
    assert!(
        !reported.lines().any(|line| line.starts_with("warning: fake")),
        "a name started a new line in the output: {reported}"
    );
    assert!(reported.contains(shown), "{shown} is not in {reported}");
    assert!(reported.len() < 40_000, "{args:?}: {} bytes", reported.len());
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns a character whose bones and roles have names with terminal escape sequences.
fn hostile_character() -> Vec<u8> {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    b.node_chain(&["root", HOSTILE_NAME, &"long name ".repeat(10_000), "tail"]);
    b.json["extensionsUsed"] = json!(["VRMC_vrm", HOSTILE_NAME]);
    let long = "k".repeat(100_000);
    let mut roles = json!({ "hips": { "node": 0 } });
    roles[HOSTILE_NAME] = json!({ "node": 99 });
    roles[&long] = json!({ "node": 98 });
    b.json["extensions"] = json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": roles } } });
    b.glb()
}

#[test]
fn names_and_keys_of_a_character_are_printed_escaped_and_shortened() {
    let folder = tempfile::tempdir().expect("a folder");
    let (character, table) = (folder.path().join("girl.glb"), folder.path().join("girl.csv"));
    std::fs::write(&character, hostile_character()).expect("written");
    let row = |name: &str| format!("\"{name}\",0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n");
    let rows = [row(HOSTILE_NAME), row(&"y".repeat(100_000))].concat();
    std::fs::write(&table, format!("version,4\n[SpringBones]\n{rows}")).expect("written");
    check_output_is_escaped(&["check", path_str(&character)], "\\u{1b}[31m");
    check_output_is_escaped(&["check", path_str(&table)], "girl.csv");
    let out = folder.path().join("out.csv");
    check_output_is_escaped(
        &["remap", path_str(&table), "--to", path_str(&character), "--out", path_str(&out)],
        "\\u{202e}",
    );
    let refused = folder.path().join(format!("{}.vrm", "\u{1b}[31mred"));
    check_output_is_escaped(&["render", path_str(&refused), "--out", "a.png"], "\\u{1b}[31mred");
}

#[test]
fn rules_that_double_names_are_rejected_before_memory_runs_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (character, table, rules, out) = (path("girl.glb"), path("girl.csv"), path("rules.json"), path("out.csv"));
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    b.node_chain(&["root", "tail_a", "tail_b"]);
    std::fs::write(&character, b.glb()).expect("written");
    let row = "tail_a,0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n";
    std::fs::write(&table, format!("version,4\n[SpringBones]\n{row}")).expect("written");
    // Doubling one letter sixty times would need an exabyte.
    let double = json!({ "on": true, "rule": { "replace": { "from": "a", "to": "aa" } } });
    let file = json!({ "version": 1, "rules": vec![double; 60] });
    std::fs::write(&rules, Value::to_string(&file)).expect("written");
    let files =
        ["remap", path_str(&table), "--to", path_str(&character), "--rules", path_str(&rules), "--out", path_str(&out)];
    let args = [&files[..], &["--mirror", "x", "--overwrite"]].concat();
    check_output_is_escaped(&args, "longer than 1024 bytes");
    check_output_is_escaped(&args, "rules.json: rule 10 makes");
}
