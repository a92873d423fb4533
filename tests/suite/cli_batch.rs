//! Commands write only what was asked for: over no file that they still read, nothing under `--strict`, and all of it
//! whoever reads their text.

use crate::cli_files::{Bench, SAMPLE, character, check, check_json, rows};
use serde_json::{Value, json};
use std::path::Path;
use yuremono::format::project::{self, ProjectMetadata};
use yuremono::params::find_param;
use yuremono::session::{Command, Session};
use yuremono::sim::SolverKind;

const TAIL: [&str; 4] = ["root", "tail_1", "tail_2", "tail_3"];

fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

#[test]
fn a_result_never_replaces_a_character_that_is_still_to_be_read() {
    let bench = Bench::new();
    character(&bench.at("a/girl.glb"), &TAIL);
    character(&bench.at("b/girl.glb"), &["root", "tail_1", "tail_2"]);
    let before = std::fs::read(bench.at("b/girl.glb")).expect("there");
    let [table, a, b, out] = ["tail.csv", "a/girl.glb", "b/girl.glb", "b"].map(|name| bench.path(name));
    let batch = ["--format", "character", "--overwrite", "--out", &out];
    let (_, said) = check(&[&["apply", &table, "--to", &a, &b][..], &batch].concat(), 1);
    assert!(said.contains("girl.glb: the result of") && said.contains("would replace this character"), "{said}");
    assert_eq!(std::fs::read(bench.at("b/girl.glb")).expect("there"), before);
    check(&[&["apply", &table, "--to", &b][..], &batch].concat(), 0);
    assert_ne!(std::fs::read(bench.at("b/girl.glb")).expect("there"), before, "its own result may replace it");
}

#[test]
fn a_reader_that_stops_listening_does_not_stop_the_writing() {
    use std::process::{Command, Stdio};
    let bench = Bench::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| bench.path(name));
    let commands: [&[&str]; 2] = [&["detect", &tail, "--min-confidence", "0"], &["convert", &tail, "--setup", &table]];
    for args in commands {
        let out = bench.path(&format!("{}.yure", args[0]));
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("yuremono"));
        let mut child = command
            .args(args)
            .args(["--out", &out])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(Path::new(&out).is_file(), "{args:?}");
    }
}

#[test]
fn a_project_made_of_a_project_keeps_motions_view_and_unknown_fields() {
    let bench = Bench::new();
    std::fs::create_dir(bench.at("deeper")).expect("made");
    let [tail, table, first, second] = ["tail.glb", "tail.csv", "a.yure", "deeper/b.yure"].map(|name| bench.path(name));
    check(&["convert", &tail, "--setup", &table, "--out", &first], 0);
    let mut project = json_of(&bench.at("a.yure"));
    project["motions"] = json!(["moves/nod.glb"]);
    project["view"] = json!({ "camera": 7 });
    project["later"] = json!([1]);
    bench.write("a.yure", &project.to_string());
    check(&["convert", &tail, "--setup", &first, "--out", &second], 0);
    let made = json_of(&bench.at("deeper/b.yure"));
    assert_eq!(made["motions"], json!(["../moves/nod.glb"]));
    assert_eq!((&made["view"], &made["later"]), (&project["view"], &project["later"]));
    assert_eq!(made["character"]["path"], json!("../tail.glb"));
}

#[test]
fn a_project_names_a_character_that_was_given_by_a_relative_path_from_its_own_folder() {
    let bench = Bench::new();
    std::fs::create_dir(bench.at("deeper")).expect("made");
    let absolute = bench.path("deeper/b.yure");
    for (out, name) in [("deeper/a.yure", "deeper/a.yure"), (absolute.as_str(), "deeper/b.yure")] {
        let mut command = assert_cmd::Command::cargo_bin("yuremono").expect("built with the tests");
        command.current_dir(bench.at("")).args(["convert", "tail.glb", "--out", out]).assert().success();
        assert_eq!(json_of(&bench.at(name))["character"]["path"], json!("../tail.glb"), "{out}");
    }
}

#[test]
fn a_batch_under_strict_writes_nothing_where_the_table_has_a_warning() {
    let bench = Bench::new();
    bench.write("bad.csv", &rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1));
    let [tail, bad, out] = ["tail.glb", "bad.csv", "out"].map(|name| bench.path(name));
    let args = ["apply", &bad, "--to", &tail, "--min-matched", "0", "--out", &out];
    check(&[&args[..], &["--strict"]].concat(), 1);
    assert!(!bench.at("out").exists());
    check(&args, 0);
}

#[test]
fn a_batch_under_strict_that_writes_nothing_fails_over_a_characters_warning_too() {
    let bench = Bench::new();
    let nodes = r#"[{"name":"root","children":[1]},{"name":"tail_1","children":[2]},{"name":"tail_2"}]"#;
    let warns = r#""animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],"samplers":[]}]"#;
    let gltf = format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":{nodes},{warns}}}"#);
    bench.write("odd.gltf", &gltf);
    let [table, odd] = ["tail.csv", "odd.gltf"].map(|name| bench.path(name));
    check(&["apply", &table, "--to", &odd], 0);
    check(&["apply", &table, "--to", &odd, "--strict"], 1);
}

#[test]
fn simulate_under_strict_leaves_no_file_where_chains_leave_their_bounds() {
    let bench = Bench::new();
    let opened = crate::support::sample(SolverKind::JointDynamics);
    let mut session = Session::new(opened.character, opened.document);
    let row = find_param(session.inspection().system().param_defs(), "_AllShrink").expect("a row");
    session.handle(Command::SetParam(row, 75.0));
    let skeleton = &session.character().skeleton;
    std::fs::write(bench.at("wild.yure"), project::write(session.document(), skeleton, &ProjectMetadata::default()))
        .expect("written");
    let [wild, out] = ["wild.yure", "tips.csv"].map(|name| bench.path(name));
    let args = ["simulate", SAMPLE, "--setup", &wild, "--seconds", "0.5", "--out", &out];
    let (_, said) = check(&[&args[..], &["--strict"]].concat(), 1);
    assert!(said.contains("nothing was written") && !bench.at("tips.csv").exists(), "{said}");
    let (_, said) = check(&args, 0);
    assert!(said.contains("moved too far"), "the setup is wild: {said}");
}

#[test]
fn a_table_without_rows_is_no_result() {
    let bench = Bench::new();
    bench.write("empty.csv", "version,4\n[SpringBones]\n");
    let [tail, table, out, file] = ["tail.glb", "empty.csv", "out", "out.csv"].map(|name| bench.path(name));
    let (said, _) = check(&["apply", &table, "--to", &tail, "--out", &out], 1);
    assert!(said.contains("FAILED") && said.contains("nothing was written"), "{said}");
    check(&["remap", &table, "--to", &tail, "--out", &file], 1);
    assert!(!bench.at("out").exists() && !bench.at("out.csv").exists());
}

#[test]
fn results_in_the_searched_folder_are_no_characters_of_the_next_run() {
    let bench = Bench::new();
    character(&bench.at("many/girl.glb"), &TAIL);
    let [table, many, out] = ["tail.csv", "many", "many/out"].map(|name| bench.path(name));
    for _ in 0..2 {
        let args = ["apply", &table, "--to", &many, "--format", "character", "--overwrite", "--json", "--out", &out];
        assert_eq!(check_json(&args, 0)["good"], json!(1));
    }
    assert!(bench.at("many/out/girl.glb").exists() && !bench.at("many/out/out").exists());
}

#[cfg(unix)]
#[test]
fn links_to_folders_are_not_followed_and_an_unreadable_folder_stops_no_other() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let bench = Bench::new();
    character(&bench.at("many/girl.glb"), &TAIL);
    character(&bench.at("elsewhere/other.glb"), &TAIL);
    symlink(bench.at("elsewhere"), bench.at("many/link")).expect("made");
    let many = bench.path("many");
    assert_eq!(check_json(&["check", "--json", &many], 0)["loaded"], json!(1));
    let closed = bench.at("many/closed");
    std::fs::create_dir(&closed).expect("made");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).expect("closed");
    // An administrator reads it all the same.
    if std::fs::read_dir(&closed).is_err() {
        let said = check_json(&["check", "--json", &many], 1);
        assert_eq!((&said["loaded"], &said["refused"]), (&json!(1), &json!(1)), "{said}");
    }
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).expect("open again");
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_written_and_listed() {
    use std::os::unix::ffi::OsStrExt as _;
    let bench = Bench::new();
    let out = bench.at("").join(std::ffi::OsStr::from_bytes(b"h\xff.csv"));
    let mut command = assert_cmd::Command::cargo_bin("yuremono").expect("built with the tests");
    let output =
        command.args(["convert", &bench.path("tail.glb"), "--json", "--out"]).arg(&out).output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["written"], json!([out.to_string_lossy()]));
    assert!(out.is_file());
}

#[cfg(unix)]
#[test]
fn a_recording_that_finds_no_room_names_its_file() {
    let bench = Bench::new();
    for name in ["tips.csv", "tips.json"] {
        let out = bench.path(name);
        // A limit on the size of files stands for a full disk.
        let output = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
            .arg(assert_cmd::cargo::cargo_bin("yuremono"))
            .args(["simulate", SAMPLE, "--seconds", "0.5", "--out", &out])
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("{out}: cannot be written: ")), "{said}");
        assert!(!bench.at(name).exists());
    }
}
