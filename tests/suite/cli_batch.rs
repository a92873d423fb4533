//! Tests that commands write only the requested files: they never replace a file that they still have to read, write
//! nothing if `--strict` fails, and write every file even if nothing reads their output.

use crate::cli_files::{CliFixture, SAMPLE_PATH, check_cli, check_cli_json, table_with_rows, write_character};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_session::{Command, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::params::find_param;

const TAIL_BONES: [&str; 4] = ["root", "tail_1", "tail_2", "tail_3"];

fn read_json_file(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

#[test]
fn apply_does_not_overwrite_an_input_that_is_read_later() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("a/girl.glb"), &TAIL_BONES);
    write_character(&fixture.file_path("b/girl.glb"), &["root", "tail_1", "tail_2"]);
    let before = std::fs::read(fixture.file_path("b/girl.glb")).expect("there");
    let [table, a, b, out] = ["tail.csv", "a/girl.glb", "b/girl.glb", "b"].map(|name| fixture.file_path_str(name));
    let batch = ["--format", "character", "--overwrite", "--out", &out];
    let (_, stderr) = check_cli(&[&["apply", &table, "--to", &a, &b][..], &batch].concat(), 1);
    assert!(stderr.contains("girl.glb: the result of") && stderr.contains("would replace this character"), "{stderr}");
    assert_eq!(std::fs::read(fixture.file_path("b/girl.glb")).expect("there"), before);
    check_cli(&[&["apply", &table, "--to", &b][..], &batch].concat(), 0);
    assert_ne!(
        std::fs::read(fixture.file_path("b/girl.glb")).expect("there"),
        before,
        "a result may replace its input"
    );
}

#[test]
fn a_closed_output_pipe_does_not_stop_file_writing() {
    use std::process::{Command, Stdio};
    let fixture = CliFixture::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| fixture.file_path_str(name));
    let commands: [&[&str]; 2] = [&["detect", &tail, "--min-confidence", "0"], &["convert", &tail, "--setup", &table]];
    for args in commands {
        let out = fixture.file_path_str(&format!("{}.yure", args[0]));
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("yuremono"));
        command.env("LC_ALL", "C");
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
fn converting_a_project_keeps_motions_view_and_unknown_fields() {
    let fixture = CliFixture::new();
    std::fs::create_dir(fixture.file_path("deeper")).expect("made");
    let [tail, table, first, second] =
        ["tail.glb", "tail.csv", "a.yure", "deeper/b.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", &tail, "--setup", &table, "--out", &first], 0);
    let mut project = read_json_file(&fixture.file_path("a.yure"));
    project["motions"] = json!(["moves/nod.glb"]);
    project["view"] = json!({ "camera": 7 });
    project["later"] = json!([1]);
    fixture.write_file("a.yure", &project.to_string());
    check_cli(&["convert", &tail, "--setup", &first, "--out", &second], 0);
    let made = read_json_file(&fixture.file_path("deeper/b.yure"));
    assert_eq!(made["motions"], json!(["../moves/nod.glb"]));
    assert_eq!((&made["view"], &made["later"]), (&project["view"], &project["later"]));
    assert_eq!(made["character"]["path"], json!("../tail.glb"));
}

#[test]
fn a_project_stores_the_character_path_relative_to_its_folder() {
    let fixture = CliFixture::new();
    std::fs::create_dir(fixture.file_path("deeper")).expect("made");
    let absolute = fixture.file_path_str("deeper/b.yure");
    for (out, name) in [("deeper/a.yure", "deeper/a.yure"), (absolute.as_str(), "deeper/b.yure")] {
        let mut command = crate::support::yuremono_command();
        command.current_dir(fixture.file_path("")).args(["convert", "tail.glb", "--out", out]).assert().success();
        assert_eq!(read_json_file(&fixture.file_path(name))["character"]["path"], json!("../tail.glb"), "{out}");
    }
}

#[test]
fn strict_apply_writes_nothing_if_the_table_has_a_warning() {
    let fixture = CliFixture::new();
    fixture.write_file("bad.csv", &table_with_rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1));
    let [tail, bad, out] = ["tail.glb", "bad.csv", "out"].map(|name| fixture.file_path_str(name));
    let args = ["apply", &bad, "--to", &tail, "--min-matched", "0", "--out", &out];
    check_cli(&[&args[..], &["--strict"]].concat(), 1);
    assert!(!fixture.file_path("out").exists());
    check_cli(&args, 0);
}

#[test]
fn strict_apply_without_output_fails_on_a_character_warning() {
    let fixture = CliFixture::new();
    let nodes = r#"[{"name":"root","children":[1]},{"name":"tail_1","children":[2]},{"name":"tail_2"}]"#;
    let warns = r#""animations":[{"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}}],"samplers":[]}]"#;
    let gltf = format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":{nodes},{warns}}}"#);
    fixture.write_file("odd.gltf", &gltf);
    let [table, odd] = ["tail.csv", "odd.gltf"].map(|name| fixture.file_path_str(name));
    check_cli(&["apply", &table, "--to", &odd], 0);
    check_cli(&["apply", &table, "--to", &odd, "--strict"], 1);
}

#[test]
fn converting_a_folder_writes_the_results_of_single_conversions() {
    let fixture = CliFixture::new();
    std::fs::create_dir_all(fixture.file_path("in/more")).expect("a folder");
    for name in ["in/a.glb", "in/more/b.glb"] {
        std::fs::copy(fixture.file_path("tail.glb"), fixture.file_path(name)).expect("a copy");
    }
    fixture.write_file("in/more/bad.glb", "no character");
    let [table, folder, single] = ["tail.csv", "in", "single.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", &fixture.file_path_str("in/a.glb"), "--setup", &table, "--out", &single], 0);
    let mut reports = Vec::new();
    for jobs in ["1", "3"] {
        let out = fixture.file_path_str(&format!("out{jobs}"));
        let args = ["convert", &folder, "--setup", &table, "--format", "project", "--out", &out, "-j", jobs, "--json"];
        let report = check_cli_json(&args, 1);
        let files: Vec<_> = report["files"].as_array().expect("a list").iter().map(|one| one["ok"].clone()).collect();
        assert_eq!(files, [true, true, false], "a bad character does not stop the others");
        assert_eq!(report["files"][0]["joints"], 2, "{report}");
        let text = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).expect("a result");
        let own = std::fs::read_to_string(&single).expect("a result");
        assert_eq!(text("a.yure").replace("../in/", "in/"), own);
        reports.push([text("a.yure"), text("more/b.yure"), report.to_string().replace(&out, "")]);
    }
    assert_eq!(reports[0], reports[1]);
    let (_, stderr) = check_cli(&["convert", &folder, "--out", &fixture.file_path_str("x.glb")], 1);
    assert!(stderr.contains("a folder"), "{stderr}");
    let out = fixture.file_path_str("x.glb");
    let args = ["convert", &fixture.file_path_str("in/a.glb"), "--format", "project", "--out", &out];
    let (_, stderr) = check_cli(&args, 1);
    assert!(stderr.contains("contradicts"), "{stderr}");
}

#[test]
fn strict_simulate_writes_nothing_if_chains_are_out_of_bounds() {
    let fixture = CliFixture::new();
    let opened = crate::support::sample(SolverKind::JointDynamics);
    let mut session = Session::new(opened.character, opened.document);
    let param = find_param(session.inspection().system().param_defs(), "_AllShrink").expect("a row");
    session.handle(Command::SetParam(param, 75.0));
    let skeleton = &session.character().skeleton;
    std::fs::write(
        fixture.file_path("wild.yure"),
        project::write(session.document(), skeleton, &ProjectMetadata::default()),
    )
    .expect("written");
    let [wild, out] = ["wild.yure", "tips.csv"].map(|name| fixture.file_path_str(name));
    let args = ["simulate", SAMPLE_PATH, "--setup", &wild, "--seconds", "0.5", "--out", &out];
    let (_, stderr) = check_cli(&[&args[..], &["--strict"]].concat(), 1);
    assert!(stderr.contains("nothing was written") && !fixture.file_path("tips.csv").exists(), "{stderr}");
    let (_, stderr) = check_cli(&args, 0);
    assert!(stderr.contains("moved too far"), "the setup is unstable: {stderr}");
}

#[test]
fn apply_and_remap_reject_a_table_without_rows() {
    let fixture = CliFixture::new();
    fixture.write_file("empty.csv", "version,4\n[SpringBones]\n");
    let [tail, table, out, file] = ["tail.glb", "empty.csv", "out", "out.csv"].map(|name| fixture.file_path_str(name));
    let (stdout, _) = check_cli(&["apply", &table, "--to", &tail, "--out", &out], 1);
    assert!(stdout.contains("FAILED") && stdout.contains("nothing was written"), "{stdout}");
    check_cli(&["remap", &table, "--to", &tail, "--out", &file], 1);
    assert!(!fixture.file_path("out").exists() && !fixture.file_path("out.csv").exists());
}

#[test]
fn results_in_the_input_folder_are_not_read_by_the_next_run() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/girl.glb"), &TAIL_BONES);
    let [table, many, out] = ["tail.csv", "many", "many/out"].map(|name| fixture.file_path_str(name));
    for _ in 0..2 {
        let args = ["apply", &table, "--to", &many, "--format", "character", "--overwrite", "--json", "--out", &out];
        assert_eq!(check_cli_json(&args, 0)["good"], json!(1));
    }
    assert!(fixture.file_path("many/out/girl.glb").exists() && !fixture.file_path("many/out/out").exists());
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed_and_an_unreadable_folder_is_skipped() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/girl.glb"), &TAIL_BONES);
    write_character(&fixture.file_path("elsewhere/other.glb"), &TAIL_BONES);
    symlink(fixture.file_path("elsewhere"), fixture.file_path("many/link")).expect("made");
    let many = fixture.file_path_str("many");
    assert_eq!(check_cli_json(&["check", "--json", &many], 0)["loaded"], json!(1));
    let closed = fixture.file_path("many/closed");
    std::fs::create_dir(&closed).expect("made");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o0)).expect("closed");
    // A privileged user can read the folder regardless of its permissions.
    if std::fs::read_dir(&closed).is_err() {
        let output = check_cli_json(&["check", "--json", &many], 1);
        assert_eq!((&output["loaded"], &output["refused"]), (&json!(1), &json!(1)), "{output}");
    }
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).expect("open again");
}

#[cfg(unix)]
#[test]
fn a_file_name_that_is_not_utf8_can_be_written_and_is_listed() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = CliFixture::new();
    let out = fixture.file_path("").join(std::ffi::OsStr::from_bytes(b"h\xff.csv"));
    let mut command = crate::support::yuremono_command();
    let output = command
        .args(["convert", &fixture.file_path_str("tail.glb"), "--json", "--out"])
        .arg(&out)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(said["written"], json!([out.to_string_lossy()]));
    assert!(out.is_file());
}

#[cfg(unix)]
#[test]
fn simulate_names_its_file_if_the_disk_is_full() {
    let fixture = CliFixture::new();
    for name in ["tips.csv", "tips.json"] {
        let out = fixture.file_path_str(name);
        // A limit on the file size simulates a full disk.
        let output = std::process::Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\""])
            .arg(assert_cmd::cargo::cargo_bin("yuremono"))
            .env("LC_ALL", "C")
            .args(["simulate", SAMPLE_PATH, "--seconds", "0.5", "--out", &out])
            .output()
            .expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(&format!("{out}: this file cannot be written: ")), "{stderr}");
        assert!(!fixture.file_path(name).exists());
    }
}

/// Writes characters of very different sizes: small files, the bundled character in second place, two files that share a
/// buffer, and a broken file in the middle.
fn write_many_characters(fixture: &CliFixture) {
    let folder = |name: &str| fixture.file_path(&format!("many/{name}"));
    std::fs::create_dir_all(folder("nested")).expect("made");
    write_character(&folder("a.glb"), &TAIL_BONES);
    std::fs::copy(SAMPLE_PATH, folder("b.vrm")).expect("copied");
    std::fs::write(folder("c.glb"), b"not a character").expect("written");
    let nodes = r#"[{"name":"root","children":[1]},{"name":"tail_1","children":[2]},{"name":"tail_2"}]"#;
    let buffer = r#""buffers":[{"uri":"shared.bin","byteLength":4}]"#;
    let gltf = format!(r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":{nodes},{buffer}}}"#);
    std::fs::write(folder("shared.bin"), [1, 2, 3, 4]).expect("written");
    for name in ["d.gltf", "e.gltf"] {
        std::fs::write(folder(name), &gltf).expect("written");
    }
    for at in 0..12 {
        write_character(&folder(&format!("nested/f{at}.glb")), &TAIL_BONES[..2 + at % 3]);
    }
}

/// The outputs of a command, and the files in the folder `out`.
fn run_jobs(fixture: &CliFixture, args: &[&str], jobs: &str) -> ((String, String), BTreeMap<PathBuf, Vec<u8>>) {
    let out = fixture.file_path("out");
    let _ = std::fs::remove_dir_all(&out);
    let printed = check_cli(&[args, &["--jobs", jobs]].concat(), 1);
    let (mut files, mut folders) = (BTreeMap::new(), vec![out]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.clone(), std::fs::read(path).expect("readable"));
            }
        }
    }
    (printed, files)
}

#[test]
fn every_number_of_jobs_prints_and_writes_the_same() {
    let fixture = CliFixture::new();
    write_many_characters(&fixture);
    let [many, table, out] = ["many", "tail.csv", "out"].map(|name| fixture.file_path_str(name));
    let apply = ["apply", &table, "--to", &many, "--min-matched", "0", "--out", &out];
    let bake = ["bake", &many, "--setup", &table, "--motion", "turn", "--to", "0.1", "--out", &out];
    let commands: [(Vec<&str>, usize); 6] = [
        (vec!["check", &many], 0),
        (vec!["check", &many, "--json"], 0),
        (apply.to_vec(), 13),
        ([&apply[..], &["--json", "--format", "character"]].concat(), 15),
        ([&apply[..], &["--strict", "--fail-on-loss"]].concat(), 0),
        ([&bake[..], &["--json"]].concat(), 15),
    ];
    for (args, min_files) in commands {
        let expected = run_jobs(&fixture, &args, "1");
        assert!(expected.1.len() >= min_files, "{args:?} wrote {:?}", expected.1.keys());
        for jobs in ["2", "7"] {
            let found = run_jobs(&fixture, &args, jobs);
            assert_eq!(found.0, expected.0, "{args:?} with {jobs} jobs");
            assert!(found.1 == expected.1, "{args:?} with {jobs} jobs wrote other files");
        }
    }
}

#[test]
fn an_error_in_the_middle_stops_no_other_file() {
    let fixture = CliFixture::new();
    write_many_characters(&fixture);
    let report = check_cli_json(&["check", &fixture.file_path_str("many"), "--json", "--jobs", "3"], 1);
    assert_eq!((&report["loaded"], &report["refused"]), (&json!(16), &json!(1)));
    let names = report["files"].as_array().expect("a list").iter().map(|file| file["file"].as_str().expect("a path"));
    let names: Vec<&str> = names.collect();
    assert!(names.is_sorted() && names[2].ends_with("c.glb"), "{names:?}");
    check_cli(&["check", &fixture.file_path_str("many"), "--jobs", "0"], 2);
}
