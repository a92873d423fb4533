//! Tests what pipelines rely on: conditions of failure, baselines, lists of inputs, and one shape of all reports.

use crate::cli_files::{CliFixture, SAMPLE_PATH, check_cli, check_cli_json, table_with_rows, write_character};
use serde_json::{Value, json};

const TAIL: [&str; 4] = ["root", "tail_1", "tail_2", "tail_3"];

fn read_json(path: &std::path::Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("written")).expect("JSON")
}

#[test]
fn fail_on_selects_findings_by_severity_and_key() {
    // The sample has one note, `frame-rate`.
    let check = |conditions: &str, code| check_cli(&["check", SAMPLE_PATH, "--fail-on", conditions], code).0;
    check("warning", 0);
    check("note", 1);
    check("jitter,zero-length", 0);
    let text = check("jitter,frame-rate", 1);
    assert!(text.contains("--fail-on: 1 finding"), "{text}");
    let report = check_cli_json(&["check", SAMPLE_PATH, "--fail-on", "frame-rate", "--json"], 1);
    assert_eq!(report["failing"], json!([{ "file": SAMPLE_PATH, "key": "frame-rate", "severity": "info" }]));
    assert_eq!((&report["ok"], &report["files"][0]["ok"]), (&json!(false), &json!(false)));
    check_cli(&["check", SAMPLE_PATH, "--fail-on", "jiter"], 2);
}

#[test]
fn a_baseline_accepts_known_findings_and_no_new_ones() {
    let fixture = CliFixture::new();
    let baseline = fixture.file_path_str("baseline.json");
    let (known, _) = check_cli(&["check", SAMPLE_PATH, "--json"], 0);
    fixture.write_file("baseline.json", &known);
    let gated = ["check", SAMPLE_PATH, "--fail-on", "note", "--baseline", &baseline];
    let (text, _) = check_cli(&gated, 0);
    assert!(text.contains("1 finding accepted by baseline.json") && !text.contains("120 fps"), "{text}");
    let report = check_cli_json(&[&gated[..], &["--json"]].concat(), 0);
    assert_eq!((&report["files"][0]["known"], &report["failing"]), (&json!(1), &json!([])));
    let mut fewer: Value = serde_json::from_str(&known).expect("JSON");
    fewer["files"][0]["findings"][0]["bones"].as_array_mut().expect("a list").pop();
    fixture.write_file("baseline.json", &fewer.to_string());
    check_cli(&gated, 1);
    for (content, found) in [("{}", "JSON without \"files\""), ("[", "EOF"), ("{\"files\":[1]}", "invalid type")] {
        fixture.write_file("baseline.json", content);
        let (_, error) = check_cli(&gated, 1);
        assert!(error.contains(found) && error.contains("expected a report of `check --json`"), "{error}");
    }
}

#[test]
fn rows_that_cannot_be_used_fail_a_strict_check() {
    let fixture = CliFixture::new();
    fixture.write_file("bad.csv", &table_with_rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1));
    let [good, bad] = ["tail.csv", "bad.csv"].map(|name| fixture.file_path_str(name));
    check_cli(&["check", &bad], 0);
    check_cli(&["check", &good, "--strict"], 0);
    check_cli(&["check", &bad, "--strict"], 1);
    check_cli(&["check", &bad, "--fail-on", "unusable-rows"], 1);
    assert_eq!(check_cli_json(&["check", &bad, "--json"], 0)["files"][0]["unusable_rows"], 1);
}

#[test]
fn check_examines_a_table_on_a_character() {
    let fixture = CliFixture::new();
    fixture.write_file("wing.csv", &table_with_rows(&["tail_1", "wing_1"]));
    let [tail, table, wing] = ["tail.glb", "tail.csv", "wing.csv"].map(|name| fixture.file_path_str(name));
    let report = check_cli_json(&["check", &tail, "--setup", &table, "--json"], 0);
    assert_eq!((&report["files"][0]["kind"], &report["files"][1]["kind"]), (&json!("table"), &json!("character")));
    let warnings = report["files"][1]["diagnostics"].as_array().expect("a list").iter();
    assert_eq!(warnings.filter(|one| one["severity"] != "info").count(), 0, "{report}");
    let (text, _) = check_cli(&["check", &tail, "--setup", &wing, "--fail-on", "warning"], 1);
    assert!(text.contains("1 of 2 rows match no bone"), "{text}");
}

#[test]
fn apply_writes_nothing_below_the_least_share_without_keep_going() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/short.glb"), &["root", "tail_1"]);
    write_character(&fixture.file_path("many/tail.glb"), &TAIL);
    let [table, many, out] = ["tail.csv", "many", "out"].map(|name| fixture.file_path_str(name));
    let args = ["apply", &table, "--to", &many, "--out", &out];
    let (text, _) = check_cli(&args, 1);
    assert!(text.contains("1 of 2 rows matched; nothing was written"), "{text}");
    assert!(text.contains("2 of 2 rows matched; written to"), "{text}");
    assert!(!fixture.file_path("out/short.csv").exists() && fixture.file_path("out/tail.csv").exists());
    check_cli(&[&args[..], &["--overwrite", "--keep-going"]].concat(), 1);
    assert!(fixture.file_path("out/short.csv").exists());
    check_cli(&[&args[..], &["--overwrite", "--min-matched", "0.5"]].concat(), 0);
    let [short, single] = ["many/short.glb", "single.csv"].map(|name| fixture.file_path_str(name));
    let remap = ["remap", &table, "--to", &short, "--out", &single, "--min-matched", "0.6"];
    check_cli(&remap, 1);
    assert!(!fixture.file_path("single.csv").exists());
    check_cli(&[&remap[..], &["--keep-going"]].concat(), 1);
    assert!(fixture.file_path("single.csv").exists());
}

#[test]
fn inputs_come_from_a_list_and_each_is_read_once() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("a.glb"), &TAIL);
    let [tail, a, out, table, list] =
        ["tail.glb", "a.glb", "out/", "tail.csv", "list.txt"].map(|name| fixture.file_path_str(name));
    fixture.write_file("list.txt", &format!("{a}\r\n\n{tail}\n"));
    let convert = ["convert", &tail, "--list", &list, "--setup", &table, "--out", &out, "--json"];
    let report = check_cli_json(&convert, 0);
    let files: Vec<_> = report["files"].as_array().expect("a list").iter().map(|one| one["file"].clone()).collect();
    assert_eq!(files, [json!(tail), json!(a)]);
    assert!(report["diagnostics"][0]["message"].as_str().is_some_and(|text| text.contains("named twice")), "{report}");
    let again = check_cli_json(&[&convert[..], &["--skip-existing"]].concat(), 0);
    assert_eq!((&again["skipped"], &again["written"]), (&json!(2), &json!([])));
    fixture.write_file("list.txt", "\n");
    let (_, error) = check_cli(&["check", "--list", &list], 1);
    assert!(error.contains("list.txt: the list is empty"), "{error}");
    let single = fixture.file_path_str("out/tail.glb");
    let (text, _) = check_cli(&["convert", &tail, "--out", &single, "--skip-existing"], 0);
    assert!(text.contains("exists already; nothing was done"), "{text}");
}

#[test]
fn a_project_stands_for_its_character() {
    let fixture = CliFixture::new();
    let [tail, table, project] = ["tail.glb", "tail.csv", "tail.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", &tail, "--setup", &table, "--out", &project], 0);
    let out = |name: &str| fixture.file_path_str(name);
    check_cli(&["convert", &project, "--out", &out("a.csv")], 0);
    check_cli(&["simulate", &project, "--seconds", "0.1", "--out", &out("steps.csv")], 0);
    check_cli(&["bake", &project, "--motion", "turn", "--to", "0.1", "--out", &out("baked.glb")], 0);
    check_cli(&["remap", &table, "--to", &project, "--out", &out("b.csv")], 0);
    let steps = std::fs::read_to_string(fixture.file_path("steps.csv")).expect("written");
    assert!(steps.contains("tail_2"), "{steps}");
    check_cli(&["convert", &project, "--out", &out("folder/")], 0);
    assert!(fixture.file_path("folder/tail.glb").exists(), "the result has the format of the character");
    let mut bare = read_json(&fixture.file_path("tail.yure"));
    bare["character"]["path"] = json!("");
    fixture.write_file("bare.yure", &bare.to_string());
    let (_, error) = check_cli(&["detect", &out("bare.yure")], 1);
    assert!(error.contains("bare.yure: the project names no character file"), "{error}");
}

#[test]
fn detect_and_simulate_take_folders() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/a.glb"), &TAIL);
    write_character(&fixture.file_path("many/more/b.glb"), &TAIL);
    let [many, table, out] = ["many", "tail.csv", "out"].map(|name| fixture.file_path_str(name));
    let (text, _) = check_cli(&["detect", &many], 0);
    assert!(text.contains("a.glb") && text.contains("b.glb"), "{text}");
    check_cli(&["detect", &many, "--min-confidence", "0", "--format", "project", "--out", &out], 0);
    assert!(fixture.file_path("out/more/b.yure").exists());
    let simulate = ["simulate", &many, "--setup", &table, "--seconds", "0.1", "--out", &out];
    check_cli(&simulate, 0);
    let short = std::fs::read_to_string(fixture.file_path("out/a.csv")).expect("written");
    check_cli(&[&simulate[..], &["--overwrite", "--warm-up", "0.5"]].concat(), 0);
    let warm = std::fs::read_to_string(fixture.file_path("out/a.csv")).expect("written");
    assert_eq!((short.lines().count(), warm.lines().count()), (13, 13), "the warm-up has no rows");
    assert!(warm.lines().nth(1).is_some_and(|row| row.starts_with("31,")), "{warm}");
}

#[track_caller]
fn check_fields(object: &Value, properties: &Value) {
    for name in object.as_object().expect("an object").keys() {
        assert!(properties.get(name).is_some(), "{name} is not in the schema: {properties}");
    }
}

#[test]
fn all_reports_have_one_shape_for_one_and_many_files() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/a.glb"), &TAIL);
    let [tail, many, table, out] = ["tail.glb", "many", "tail.csv", "out/"].map(|name| fixture.file_path_str(name));
    let single = |name: &str| fixture.file_path_str(name);
    let (csv, steps, baked, names) = (single("x.csv"), single("s.csv"), single("b.glb"), single("n.csv"));
    let runs: [&[&str]; 9] = [
        &["check", &tail],
        &["check", &many],
        &["detect", &tail],
        &["detect", &many],
        &["convert", &tail, "--setup", &table, "--out", &csv],
        &["convert", &many, "--setup", &table, "--out", &out],
        &["simulate", &tail, "--setup", &table, "--seconds", "0.1", "--out", &steps],
        &["bake", &tail, "--setup", &table, "--motion", "turn", "--to", "0.1", "--out", &baked],
        &["remap", &table, "--to", &tail, "--out", &names],
    ];
    for args in runs {
        let report = check_cli_json(&[args, &["--json"]].concat(), 0);
        assert_eq!((&report["version"], &report["ok"]), (&json!(1), &json!(true)), "{args:?}");
        for field in ["files", "written", "diagnostics"] {
            assert!(report[field].is_array(), "{args:?}: {field}: {report}");
        }
        let file = &report["files"][0];
        assert!(file["file"].is_string() && file["ok"] == json!(true) && file["diagnostics"].is_array(), "{report}");
    }
    let schema = check_cli_json(&["params", "--schema", "report"], 0);
    for args in runs {
        let report =
            check_cli_json(&[args, &["--json", "--overwrite"][..if args[0] == "check" { 1 } else { 2 }]].concat(), 0);
        check_fields(&report, &schema["properties"]);
        check_fields(&report["files"][0], &schema["$defs"]["File"]["properties"]);
    }
    let failed = check_cli_json(&["simulate", "nowhere.glb", "--seconds", "1", "--out", &single("y.csv"), "--json"], 1);
    let file = &failed["files"][0];
    assert_eq!((&failed["ok"], &file["ok"], &file["file"]), (&json!(false), &json!(false), &json!("nowhere.glb")));
    assert_eq!(file["diagnostics"][0]["severity"], "error");
}

#[test]
fn a_misspelt_command_is_named_with_the_similar_command() {
    for args in [&["chek", SAMPLE_PATH][..], &["chek"], &["--lang", "en", "chek"]] {
        let (_, error) = check_cli(args, 2);
        assert!(error.contains("there is no command \"chek\"; did you mean \"check\"?"), "{error}");
    }
}

#[test]
fn results_that_standard_output_cannot_take_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for args in [
        &["bake", SAMPLE_PATH, "--out", "-"][..],
        &["render", SAMPLE_PATH, "--out", "-"],
        &["simulate", SAMPLE_PATH, "--seconds", "0.1", "--out", "-"],
        &["convert", SAMPLE_PATH, SAMPLE_PATH, "--format", "csv", "--out", "-"],
        &["apply", SAMPLE_PATH, "--to", SAMPLE_PATH, "--out", "-"],
    ] {
        let output = crate::support::yuremono_command().current_dir(&folder).args(args).output().expect("it runs");
        assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0, "no folder named -");
}

#[cfg(unix)]
#[test]
fn a_request_to_terminate_leaves_no_temporary_file() {
    const MAX_WAITS: usize = 6000;
    let folder = tempfile::tempdir().expect("a folder");
    let files = || std::fs::read_dir(&folder).expect("a folder").count();
    let out = folder.path().join("steps.csv");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_yuremono"))
        .args(["simulate", SAMPLE_PATH, "--seconds", "600", "--out", out.to_str().expect("UTF-8")])
        .spawn()
        .expect("it runs");
    for _ in 0..MAX_WAITS {
        if files() > 0 {
            break;
        }
        assert!(child.try_wait().expect("a status").is_none(), "it ended before it wrote");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(files(), 1, "a temporary file appears");
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    assert_eq!(child.wait().expect("a status").code(), Some(130));
    assert_eq!(files(), 0);
}
