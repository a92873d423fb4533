//! Text of hostile files on its way to a terminal: no controls, no unbounded length.

use super::support::glb::GlbBuilder;
use assert_cmd::Command;
use serde_json::{Value, json};
use std::path::Path;

/// Colours, the window's title, direction marks, and a line that looks like a message of the program.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;title\u{7}\u{202e}txt\u{2066}\u{9b}2J\r\nwarning: fake\u{2028}end";

/// What a command prints on both streams.
#[track_caller]
fn said(args: &[&str]) -> String {
    let output = Command::cargo_bin("yuremono").expect("built with the tests").args(args).output().expect("it runs");
    assert!(output.status.code().is_some(), "{args:?} was ended by a signal");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    out + &err
}

#[track_caller]
fn check_safe(args: &[&str], shown: &str) {
    let said = said(args);
    let marks = ['\u{202e}', '\u{2066}', '\u{2028}'];
    let bad = said.chars().find(|c| (c.is_control() && *c != '\n') || marks.contains(c));
    assert_eq!(bad, None, "{args:?}: {said:?}");
    assert!(!said.lines().any(|line| line.starts_with("warning: fake")), "a name made a line of its own: {said}");
    assert!(said.contains(shown), "{shown} is not in {said}");
    assert!(said.len() < 40_000, "{args:?}: {} bytes", said.len());
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A character whose bones and roles have names that a terminal would obey.
fn character() -> Vec<u8> {
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    b.node_chain(&["root", HOSTILE, &"long name ".repeat(10_000), "tail"]);
    b.json["extensionsUsed"] = json!(["VRMC_vrm", HOSTILE]);
    let long = "k".repeat(100_000);
    let mut roles = json!({ "hips": { "node": 0 } });
    roles[HOSTILE] = json!({ "node": 99 });
    roles[&long] = json!({ "node": 98 });
    b.json["extensions"] = json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": { "humanBones": roles } } });
    b.glb()
}

#[test]
fn names_and_keys_of_a_character_reach_the_terminal_escaped_and_clipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let (girl, table) = (folder.path().join("girl.glb"), folder.path().join("girl.csv"));
    std::fs::write(&girl, character()).expect("written");
    let row = |name: &str| format!("\"{name}\",0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n");
    let rows = [row(HOSTILE), row(&"y".repeat(100_000))].concat();
    std::fs::write(&table, format!("version,4\n[SpringBones]\n{rows}")).expect("written");
    check_safe(&["check", text(&girl)], "\\u{1b}[31m");
    check_safe(&["check", text(&table)], "girl.csv");
    let out = folder.path().join("out.csv");
    check_safe(&["remap", text(&table), "--to", text(&girl), "--out", text(&out)], "\\u{202e}");
    let refused = folder.path().join(format!("{}.vrm", "\u{1b}[31mred"));
    check_safe(&["render", text(&refused), "--out", "a.png"], "\\u{1b}[31mred");
}

#[test]
fn rules_that_double_names_end_with_a_message_and_not_with_the_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let (girl, table, rules, out) = (path("girl.glb"), path("girl.csv"), path("rules.json"), path("out.csv"));
    let mut b = GlbBuilder::new();
    b.triangle_mesh();
    b.node_chain(&["root", "tail_a", "tail_b"]);
    std::fs::write(&girl, b.glb()).expect("written");
    let row = "tail_a,0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n";
    std::fs::write(&table, format!("version,4\n[SpringBones]\n{row}")).expect("written");
    // Sixty doublings of one letter would be an exabyte.
    let double = json!({ "on": true, "rule": { "replace": { "from": "a", "to": "aa" } } });
    let file = json!({ "version": 1, "rules": vec![double; 60] });
    std::fs::write(&rules, Value::to_string(&file)).expect("written");
    let files = ["remap", text(&table), "--to", text(&girl), "--rules", text(&rules), "--out", text(&out)];
    let args = [&files[..], &["--mirror", "x", "--overwrite"]].concat();
    check_safe(&args, "longer than 1024 bytes");
    check_safe(&args, "rules.json: rule 10 makes");
}
