//! `-` as a file name: standard input and standard output of `remap`, `convert` and `diff`.

use crate::cli_files::{Bench, SAMPLE, check, rows};
use assert_cmd::Command;

/// Runs the program with this standard input; returns standard output and standard error.
#[track_caller]
fn pipe(args: &[&str], input: &[u8], code: i32) -> (Vec<u8>, String) {
    let mut command = Command::cargo_bin("yuremono").expect("built with the tests");
    let output = command.args(args).write_stdin(input).output().expect("it runs");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{}\n{err}", String::from_utf8_lossy(&output.stdout));
    (output.stdout, err)
}

#[test]
fn remap_reads_and_writes_the_bytes_of_files_through_pipes() {
    let bench = Bench::new();
    let [tail, table, out] = ["tail.glb", "tail.csv", "out.csv"].map(|name| bench.path(name));
    check(&["remap", &table, "--to", &tail, "--out", &out], 0);
    let expected = std::fs::read(&out).expect("written");
    let (written, err) = pipe(&["remap", "-", "--to", &tail, "--out", "-"], rows(&["tail_1", "tail_2"]).as_bytes(), 0);
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
    assert!(err.contains("2 of 2 rows matched") && err.contains("written to standard output"), "{err}");
}

#[test]
fn convert_writes_the_format_that_was_asked_for_or_read() {
    let bench = Bench::new();
    let [tail, table, csv] = ["tail.glb", "tail.csv", "out.csv"].map(|name| bench.path(name));
    check(&["convert", &tail, "--setup", &table, "--out", &csv], 0);
    let expected = std::fs::read(&csv).expect("written");
    let input = std::fs::read(bench.at("tail.csv")).expect("there");
    let (written, err) = pipe(&["convert", &tail, "--setup", "-", "--out", "-"], &input, 0);
    assert_eq!(String::from_utf8_lossy(&written), String::from_utf8_lossy(&expected));
    assert!(err.contains("written to standard output"), "{err}");
    let character = std::fs::read(SAMPLE).expect("there");
    let (written, _) = pipe(&["convert", "-", "--format", "parameters", "--out", "-"], &character, 0);
    serde_json::from_slice::<serde_json::Value>(&written).expect("nothing but JSON");
    let (_, err) = pipe(&["convert", SAMPLE, "--out", "-"], b"", 1);
    assert!(err.contains("standard output has no ending that says the format; add --format"), "{err}");
}

#[test]
fn a_character_from_a_pipe_is_saved_as_from_a_file() {
    let bench = Bench::new();
    let [file, pipe_out] = ["file.vrm", "pipe.vrm"].map(|name| bench.path(name));
    check(&["convert", SAMPLE, "--out", &file], 0);
    pipe(&["convert", "-", "--out", &pipe_out], &std::fs::read(SAMPLE).expect("there"), 0);
    assert!(std::fs::read(&file).expect("written") == std::fs::read(&pipe_out).expect("written"));
}

#[test]
fn diff_compares_a_pipe_with_a_file() {
    let bench = Bench::new();
    let table = bench.path("tail.csv");
    pipe(&["diff", "-", &table], rows(&["tail_1", "tail_2"]).as_bytes(), 0);
    pipe(&["diff", &table, "-"], rows(&["tail_1"]).as_bytes(), 1);
    let (_, err) = pipe(&["diff", "-", "-"], b"", 2);
    assert!(err.contains("only one file can be read from standard input"), "{err}");
}

#[test]
fn messages_name_standard_input() {
    let bench = Bench::new();
    let tail = bench.path("tail.glb");
    let bad = rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1);
    let (_, err) = pipe(&["convert", &tail, "--setup", "-", "--out", "-"], bad.as_bytes(), 0);
    assert!(err.contains("standard input:3, column \"radius\", bone \"tail_1\": \"o.02\" is not a number"), "{err}");
    let (_, err) = pipe(&["convert", "-", "--format", "csv", "--out", "-"], b"not a character", 1);
    assert!(err.contains("standard input"), "{err}");
    let (_, err) = pipe(&["remap", "-", "--from", "-", "--to", &tail, "--out", "-"], b"", 1);
    assert!(err.contains("only one file can be read from standard input"), "{err}");
}

#[test]
fn a_report_in_json_and_a_file_do_not_share_standard_output() {
    let bench = Bench::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| bench.path(name));
    let commands: [&[&str]; 2] = [
        &["remap", &table, "--to", &tail, "--json", "--out", "-"],
        &["convert", &tail, "--setup", &table, "--json", "--out", "-"],
    ];
    for args in commands {
        let (out, err) = pipe(args, b"", 1);
        assert!(err.contains("--json prints its report to standard output"), "{err}");
        let report: serde_json::Value = serde_json::from_slice(&out).expect("the report of the refusal");
        assert_eq!(report["ok"], false);
    }
}

#[test]
fn nothing_is_written_where_nothing_matches_or_a_warning_is_an_error() {
    let bench = Bench::new();
    let tail = bench.path("tail.glb");
    let (written, err) = pipe(&["remap", "-", "--to", &tail, "--out", "-"], rows(&["wing_1"]).as_bytes(), 1);
    assert!(written.is_empty() && err.contains("nothing was written"), "{err}");
    let bad = rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1);
    let args = ["convert", &tail, "--setup", "-", "--strict", "--out", "-"];
    assert!(pipe(&args, bad.as_bytes(), 1).0.is_empty());
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let bench = Bench::new();
    let [tail, table] = ["tail.glb", "tail.csv"].map(|name| bench.path(name));
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("yuremono"))
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
