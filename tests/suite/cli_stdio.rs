//! Tests `-` as a file name: `remap`, `convert` and `diff` read standard input and write standard output.

use crate::cli_files::{CliFixture, SAMPLE_PATH, check_cli, table_with_rows};

/// Runs the program with `input` as standard input. Returns standard output and standard error.
#[track_caller]
fn run_with_stdin(args: &[&str], input: &[u8], code: i32) -> (Vec<u8>, String) {
    let mut command = crate::support::yuremono_command();
    let output = command.args(args).write_stdin(input).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{}\n{err}", String::from_utf8_lossy(&output.stdout));
    (output.stdout, err)
}

#[test]
fn remap_writes_the_same_bytes_through_pipes_as_to_files() {
    let fixture = CliFixture::new();
    let [tail, table, out] = ["tail.glb", "tail.csv", "out.csv"].map(|name| fixture.file_path_str(name));
    check_cli(&["remap", &table, "--to", &tail, "--out", &out], 0);
    let expected = std::fs::read(&out).expect("written");
    let (written, err) = run_with_stdin(
        &["remap", "-", "--to", &tail, "--out", "-"],
        table_with_rows(&["tail_1", "tail_2"]).as_bytes(),
        0,
    );
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
    assert!(err.contains("2 of 2 rows matched") && err.contains("written to standard output"), "{err}");
}

#[test]
fn convert_to_stdout_uses_the_given_format_or_that_of_the_input() {
    let fixture = CliFixture::new();
    let [tail, table, csv] = ["tail.glb", "tail.csv", "out.csv"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", &tail, "--setup", &table, "--out", &csv], 0);
    let expected = std::fs::read(&csv).expect("written");
    let input = std::fs::read(fixture.file_path("tail.csv")).expect("there");
    let (written, err) = run_with_stdin(&["convert", &tail, "--setup", "-", "--out", "-"], &input, 0);
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
    assert!(err.contains("written to standard output"), "{err}");
    let character = std::fs::read(SAMPLE_PATH).expect("there");
    let (written, _) = run_with_stdin(&["convert", "-", "--format", "parameters", "--out", "-"], &character, 0);
    serde_json::from_slice::<serde_json::Value>(&written).expect("nothing but JSON");
    let (_, err) = run_with_stdin(&["convert", SAMPLE_PATH, "--out", "-"], b"", 1);
    assert!(err.contains("standard output has no extension; add --format"), "{err}");
}

#[test]
fn a_character_from_stdin_is_saved_like_one_from_a_file() {
    let fixture = CliFixture::new();
    let [file, pipe_out] = ["file.vrm", "pipe.vrm"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", SAMPLE_PATH, "--out", &file], 0);
    run_with_stdin(&["convert", "-", "--out", &pipe_out], &std::fs::read(SAMPLE_PATH).expect("there"), 0);
    assert!(std::fs::read(&file).expect("written") == std::fs::read(&pipe_out).expect("written"));
}

#[test]
fn diff_compares_stdin_with_a_file() {
    let fixture = CliFixture::new();
    let table = fixture.file_path_str("tail.csv");
    run_with_stdin(&["diff", "-", &table], table_with_rows(&["tail_1", "tail_2"]).as_bytes(), 0);
    run_with_stdin(&["diff", &table, "-"], table_with_rows(&["tail_1"]).as_bytes(), 1);
    let (_, err) = run_with_stdin(&["diff", "-", "-"], b"", 2);
    assert!(err.contains("only one file can be read from standard input"), "{err}");
}

#[test]
fn messages_name_standard_input() {
    let fixture = CliFixture::new();
    let tail = fixture.file_path_str("tail.glb");
    let bad = table_with_rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1);
    let (_, err) = run_with_stdin(&["convert", &tail, "--setup", "-", "--out", "-"], bad.as_bytes(), 0);
    assert!(err.contains("standard input:3, column \"radius\", bone \"tail_1\": \"o.02\" is not a number"), "{err}");
    let (_, err) = run_with_stdin(&["convert", "-", "--format", "csv", "--out", "-"], b"not a character", 1);
    assert!(err.contains("standard input"), "{err}");
    let (_, err) = run_with_stdin(&["remap", "-", "--from", "-", "--to", &tail, "--out", "-"], b"", 1);
    assert!(err.contains("only one file can be read from standard input"), "{err}");
}

#[test]
fn a_json_report_and_an_output_file_cannot_share_stdout() {
    let fixture = CliFixture::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| fixture.file_path_str(name));
    let commands: [&[&str]; 2] = [
        &["remap", &table, "--to", &tail, "--json", "--out", "-"],
        &["convert", &tail, "--setup", &table, "--json", "--out", "-"],
    ];
    for args in commands {
        let (out, err) = run_with_stdin(args, b"", 1);
        assert!(err.contains("--json prints its report to standard output"), "{err}");
        let report: serde_json::Value = serde_json::from_slice(&out).expect("the report of the refusal");
        assert_eq!(report["ok"], false);
    }
}

#[test]
fn nothing_is_written_to_stdout_if_nothing_matches_or_strict_fails() {
    let fixture = CliFixture::new();
    let tail = fixture.file_path_str("tail.glb");
    let (written, err) =
        run_with_stdin(&["remap", "-", "--to", &tail, "--out", "-"], table_with_rows(&["wing_1"]).as_bytes(), 1);
    assert!(written.is_empty() && err.contains("nothing was written"), "{err}");
    let bad = table_with_rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1);
    let args = ["convert", &tail, "--setup", "-", "--strict", "--out", "-"];
    assert!(run_with_stdin(&args, bad.as_bytes(), 1).0.is_empty());
}

#[test]
fn a_closed_output_pipe_is_not_an_error() {
    use std::process::{Command, Stdio};
    let fixture = CliFixture::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| fixture.file_path_str(name));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("yuremono"))
        .env("LC_ALL", "C")
        .args(["convert", &tail, "--setup", &table, "--out", "-"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(0) && !err.contains("panicked"), "{err}");
}
