//! Tests the files that the command line writes: no file is replaced without permission, file names match their
//! content, and JSON reports list the files.

use super::support::glb::GlbBuilder;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

#[track_caller]
pub(crate) fn check_cli(args: &[&str], code: i32) -> (String, String) {
    let output = crate::support::yuremono_command().args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

#[track_caller]
pub(crate) fn check_cli_json(args: &[&str], code: i32) -> Value {
    let (out, _) = check_cli(args, code);
    serde_json::from_str(&out).unwrap_or_else(|err| panic!("{args:?}: {err}\n{out}"))
}

fn path_str(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns a table with rows for these bones.
pub(crate) fn table_with_rows(names: &[&str]) -> String {
    let row = |name: &&str| format!("{name},0.02,400,0.3,0,-2,0,0,root,False,0,0,False,0,0,100,0\n");
    format!("version,4\n[SpringBones]\n{}", names.iter().map(row).collect::<String>())
}

/// Writes a character with one chain of bones.
pub(crate) fn write_character(path: &Path, names: &[&str]) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(names);
    std::fs::write(path, builder.glb()).expect("written");
}

/// A folder with the character `tail.glb`, and with `tail.csv`, which has rows for two of its bones.
pub(crate) struct CliFixture(TempDir);

impl CliFixture {
    pub(crate) fn new() -> Self {
        let fixture = Self(tempfile::tempdir().expect("a temporary folder"));
        write_character(&fixture.file_path("tail.glb"), &["root", "tail_1", "tail_2", "tail_3"]);
        fixture.write_file("tail.csv", &table_with_rows(&["tail_1", "tail_2"]));
        fixture
    }

    pub(crate) fn file_path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn file_path_str(&self, name: &str) -> String {
        path_str(&self.file_path(name)).to_owned()
    }

    pub(crate) fn write_file(&self, name: &str, content: &str) {
        std::fs::write(self.file_path(name), content).expect("written");
    }
}

#[test]
fn no_command_replaces_a_file_without_the_overwrite_option() {
    let fixture = CliFixture::new();
    let [tail, table, out, folder] =
        ["tail.glb", "tail.csv", "out.csv", "tables"].map(|name| fixture.file_path_str(name));
    std::fs::create_dir(&folder).expect("made");
    let in_folder = fixture.file_path_str("tables/tail.csv");
    let picture = fixture.file_path_str("out.png");
    let commands: [(&[&str], &str); 6] = [
        (&["simulate", &tail, "--seconds", "0.1", "--out", &out], &out),
        (&["convert", &tail, "--setup", &table, "--out", &out], &out),
        (&["remap", &table, "--to", &tail, "--out", &out], &out),
        (&["detect", SAMPLE_PATH, "--out", &out], &out),
        (&["apply", &table, "--to", &tail, "--out", &folder], &in_folder),
        (&["render", &tail, "--out", &picture], &picture),
    ];
    for (args, target) in commands {
        std::fs::write(target, b"mine").expect("written");
        let (_, stderr) = check_cli(args, 1);
        assert!(stderr.contains(target) && stderr.contains("add --overwrite to replace it"), "{args:?}: {stderr}");
        assert_eq!(std::fs::read(target).expect("there"), b"mine", "{args:?}");
        if args[0] != "render" && args[0] != "detect" {
            check_cli(&[args, &["--overwrite"]].concat(), 0);
            assert_ne!(std::fs::read(target).expect("there"), b"mine", "{args:?}");
        }
    }
}

#[test]
fn remap_writes_nothing_if_no_row_matches() {
    let fixture = CliFixture::new();
    fixture.write_file("wing.csv", &table_with_rows(&["wing_1"]));
    let [tail, wing, out] = ["tail.glb", "wing.csv", "out.csv"].map(|name| fixture.file_path_str(name));
    fixture.write_file("out.csv", "mine");
    let (stdout, _) = check_cli(&["remap", &wing, "--to", &tail, "--overwrite", "--out", &out], 1);
    assert!(stdout.contains("0 of 1 row matched") && stdout.contains("nothing was written"), "{stdout}");
    assert_eq!(std::fs::read(&out).expect("there"), b"mine");
}

#[test]
fn apply_writes_nothing_if_one_output_exists() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("many/a.glb"), &["root", "tail_1", "tail_2", "tail_3"]);
    write_character(&fixture.file_path("many/b.glb"), &["root", "tail_1", "tail_2", "tail_3"]);
    let [table, many, out] = ["tail.csv", "many", "out"].map(|name| fixture.file_path_str(name));
    std::fs::create_dir(&out).expect("made");
    fixture.write_file("out/b.csv", "mine");
    let (_, stderr) = check_cli(&["apply", &table, "--to", &many, "--out", &out], 1);
    assert!(stderr.contains("b.csv: this file exists already"), "{stderr}");
    assert!(!fixture.file_path("out/a.csv").exists(), "all outputs are checked before the first is written");
}

#[test]
fn an_output_name_that_contradicts_the_format_is_rejected() {
    let fixture = CliFixture::new();
    let [tail, table, csv, json] = ["tail.glb", "tail.csv", "x.csv", "x.json"].map(|name| fixture.file_path_str(name));
    for args in [
        ["convert", &tail, "--format", "parameters", "--out", &csv].as_slice(),
        &["convert", &tail, "--format", "csv", "--out", &json],
        &["remap", &table, "--to", &tail, "--format", "parameters", "--out", &csv],
        &["remap", &table, "--to", &tail, "--format", "csv", "--out", &json],
        &["detect", SAMPLE_PATH, "--format", "parameters", "--out", &csv],
    ] {
        let (_, stderr) = check_cli(args, 1);
        assert!(stderr.contains("contradicts --format") && stderr.contains(args[args.len() - 1]), "{stderr}");
    }
    let (_, stderr) = check_cli(&["remap", &table, "--to", &tail, "--out", &fixture.file_path_str("x.txt")], 1);
    assert!(stderr.contains("x.txt: expected a name that ends in one of .csv, .json"), "{stderr}");
    let (_, stderr) = check_cli(&["render", &tail, "--out", &fixture.file_path_str("x.jpg")], 1);
    assert!(stderr.contains("x.jpg: expected .png, .gif, .apng or a folder"), "{stderr}");
    let (_, stderr) = check_cli(&["apply", &table, "--to", &tail, "--out", &csv], 1);
    assert!(stderr.contains("x.csv: expected a folder"), "{stderr}");
    check_cli(&["remap", &table, "--to", &tail, "--out", &json], 0);
    assert!(std::fs::read_to_string(&json).expect("written").starts_with('{'), "the file extension decides");
    for name in ["x.csv", "x.txt", "x.jpg"] {
        assert!(!fixture.file_path(name).exists(), "{name}");
    }
}

#[test]
fn a_character_without_vrm_extension_is_not_saved_as_vrm() {
    let fixture = CliFixture::new();
    let [tail, table, vrm, glb] =
        ["tail.glb", "tail.csv", "tail.vrm", "sprung.glb"].map(|name| fixture.file_path_str(name));
    let (_, stderr) = check_cli(&["convert", &tail, "--setup", &table, "--out", &vrm], 1);
    assert!(
        stderr.contains("tail.vrm: the character has no VRM extension") && stderr.contains("ends in .glb"),
        "{stderr}"
    );
    assert!(!fixture.file_path("tail.vrm").exists());
    check_cli(&["convert", &tail, "--setup", &table, "--out", &glb], 0);
    check_cli(&["convert", SAMPLE_PATH, "--out", &fixture.file_path_str("girl.vrm")], 0);
}

#[test]
fn every_writing_command_lists_its_outputs_in_json() {
    let fixture = CliFixture::new();
    let [tail, table, many] = ["tail.glb", "tail.csv", "many"].map(|name| fixture.file_path_str(name));
    let out = |name: &str| fixture.file_path_str(name);
    let commands: [(Vec<&str>, String); 5] = [
        (vec!["simulate", &tail, "--setup", &table, "--seconds", "0.1"], out("tips.csv")),
        (vec!["convert", &tail, "--setup", &table], out("a.json")),
        (vec!["remap", &table, "--to", &tail], out("b.csv")),
        (vec!["detect", SAMPLE_PATH], out("c.yure")),
        (vec!["apply", &table, "--to", &tail], many),
    ];
    for (args, target) in &commands {
        if args[0] == "detect" {
            continue;
        }
        let output = check_cli_json(&[&args[..], &["--json", "--out", target]].concat(), 0);
        let written = if args[0] == "apply" { format!("{target}/tail.csv") } else { target.clone() };
        assert_eq!((&output["ok"], &output["written"]), (&json!(true), &json!([written])), "{args:?}");
        assert!(Path::new(&written).is_file() && output["diagnostics"].is_array(), "{args:?}");
    }
    let output = check_cli_json(&["convert", &tail, "--setup", "nowhere.csv", "--json", "--out", &out("z.csv")], 1);
    assert_eq!((&output["ok"], &output["written"]), (&json!(false), &json!([])));
    assert!(output["error"].as_str().is_some_and(|error| error.contains("nowhere.csv")), "{output}");
}

#[test]
fn strict_turns_an_invalid_cell_into_an_error_with_its_location() {
    let fixture = CliFixture::new();
    fixture.write_file("bad.csv", &table_with_rows(&["tail_1", "tail_2"]).replacen("0.02", "o.02", 1));
    let [tail, bad, out] = ["tail.glb", "bad.csv", "out.csv"].map(|name| fixture.file_path_str(name));
    let args = ["convert", &tail, "--setup", &bad, "--out", &out];
    let (_, stderr) = check_cli(&[&args[..], &["--strict"]].concat(), 1);
    assert!(stderr.contains("bad.csv:3, column \"radius\", bone \"tail_1\": \"o.02\" is not a number"), "{stderr}");
    assert!(stderr.contains("--strict") && !fixture.file_path("out.csv").exists(), "{stderr}");
    check_cli(&args, 0);
    let good = [
        "convert",
        &tail,
        "--setup",
        &fixture.file_path_str("tail.csv"),
        "--strict",
        "--out",
        &fixture.file_path_str("good.csv"),
    ];
    check_cli(&good, 0);
}

#[test]
fn fail_on_loss_rejects_an_output_that_cannot_store_everything() {
    let fixture = CliFixture::new();
    let [out, kept] = ["girl.yure", "same.vrm"].map(|name| fixture.file_path_str(name));
    let args = ["convert", SAMPLE_PATH, "--solver", "AnimDynamics", "--out", &out];
    let (_, stderr) = check_cli(&[&args[..], &["--fail-on-loss"]].concat(), 1);
    assert!(stderr.contains("--fail-on-loss: the output cannot store everything"), "{stderr}");
    assert!(!fixture.file_path("girl.yure").exists());
    check_cli(&args, 0);
    check_cli(&["convert", SAMPLE_PATH, "--fail-on-loss", "--out", &kept], 0);
}

#[test]
fn a_file_that_is_not_a_setup_is_rejected_with_its_kind() {
    let fixture = CliFixture::new();
    let parameters = fixture.file_path_str("good.json");
    check_cli(&["convert", SAMPLE_PATH, "--out", &parameters], 0);
    let whole = std::fs::read_to_string(&parameters).expect("written");
    fixture.write_file("cut.json", &whole[..whole.len() / 2]);
    fixture.write_file("other.json", "{\"name\": \"package\"}");
    std::fs::write(fixture.file_path("raw.bin"), [1, 0, 0, 0, 7, 255, 254, 0]).expect("written");
    let tail = fixture.file_path_str("tail.glb");
    let setup = |name: &str| {
        let (_, output) = check_cli(
            &["convert", &tail, "--setup", &fixture.file_path_str(name), "--out", &fixture.file_path_str("o.csv")],
            1,
        );
        output
    };
    let output = setup("cut.json");
    let lines = whole[..whole.len() / 2].lines().count();
    assert!(output.contains(&format!("cut.json:{lines}: this is not JSON: ")) && output.contains("column"), "{output}");
    let output = setup("raw.bin");
    assert!(output.contains("raw.bin: found binary data; expected a table (.csv, .json)"), "{output}");
    let output = setup("other.json");
    assert!(output.contains("other.json: found JSON of an unknown kind; expected a table"), "{output}");
    for (name, found) in [("other.json", "JSON of an unknown kind"), ("raw.bin", "binary data")] {
        let (output, _) = check_cli(&["check", &fixture.file_path_str(name)], 1);
        assert!(output.contains(&format!("{name}: found {found}; known are tables")), "{output}");
        assert!(output.contains("name mapping rules (.json with \"rules\")"), "{output}");
    }
    let (_, output) = check_cli(
        &[
            "remap",
            &fixture.file_path_str("tail.csv"),
            "--rules",
            &fixture.file_path_str("other.json"),
            "--to",
            &tail,
            "--out",
            "o.csv",
        ],
        1,
    );
    assert!(output.contains("other.json: found JSON of an unknown kind; expected name mapping rules"), "{output}");
    // The content decides the format of a file, so a table may have any file name.
    std::fs::copy(fixture.file_path("tail.csv"), fixture.file_path("tail.bin")).expect("copied");
    check_cli(
        &["convert", &tail, "--setup", &fixture.file_path_str("tail.bin"), "--out", &fixture.file_path_str("o.csv")],
        0,
    );
}

#[test]
fn a_csv_with_non_ascii_names_starts_with_a_byte_order_mark() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("japanese.glb"), &["root", "尻尾_1", "尻尾_2", "尻尾_3"]);
    fixture.write_file("japanese.csv", &table_with_rows(&["尻尾_1", "尻尾_2"]));
    let has_mark = |path: &str| std::fs::read(path).expect("written").starts_with(b"\xef\xbb\xbf");
    for (name, expected) in [("japanese", true), ("tail", false)] {
        let [character, table, converted, remapped, folder] =
            ["glb", "csv", "out.csv", "new.csv", "d"].map(|ending| fixture.file_path_str(&format!("{name}.{ending}")));
        check_cli(&["convert", &character, "--setup", &table, "--out", &converted], 0);
        check_cli(&["remap", &table, "--to", &character, "--out", &remapped], 0);
        let folder = format!("{folder}/");
        check_cli(&["apply", &table, "--to", &character, "--out", &folder], 0);
        for file in [&converted, &remapped, &format!("{folder}{name}.csv")] {
            assert_eq!(has_mark(file), expected, "{file}");
        }
        check_cli(&["convert", &character, "--setup", &converted, "--strict", "--overwrite", "--out", &converted], 0);
    }
}

#[test]
fn folders_are_searched_recursively() {
    let fixture = CliFixture::new();
    for name in ["cast/a.glb", "cast/heroes/a.glb", "cast/heroes/old/b.glb", "cast/.hidden/c.glb"] {
        write_character(&fixture.file_path(name), &["root", "tail_1", "tail_2", "tail_3"]);
    }
    fixture.write_file("cast/heroes/notes.md", "no character");
    fixture.write_file("cast/heroes/package.json", "{}");
    let [table, cast, out] = ["tail.csv", "cast", "out"].map(|name| fixture.file_path_str(name));
    let report = check_cli_json(&["apply", &table, "--to", &cast, "--out", &out, "--json"], 0);
    let expected = ["out/a.csv", "out/heroes/a.csv", "out/heroes/old/b.csv"].map(|name| fixture.file_path_str(name));
    assert_eq!(report["written"], json!(expected));
    let (stdout, _) = check_cli(&["check", &cast], 0);
    assert!(
        stdout.contains("3 loaded, 0 refused") && stdout.contains("2 files of other kinds not checked"),
        "{stdout}"
    );
}

#[test]
fn apply_writes_every_output_format() {
    let fixture = CliFixture::new();
    write_character(&fixture.file_path("cast/tail.glb"), &["root", "Tail_1", "Tail_2", "Tail_3"]);
    let [table, cast, from] = ["tail.csv", "cast", "tail.glb"].map(|name| fixture.file_path_str(name));
    for (format, file) in [
        ("csv", "tail.csv"),
        ("parameters", "tail.json"),
        ("dynamic-bone", "tail.csv"),
        ("kawaii-physics", "tail.json"),
        ("ez-soft-bone", "tail.json"),
        ("project", "tail.yure"),
        ("character", "tail.glb"),
    ] {
        let out = fixture.file_path_str(format);
        let args = ["apply", &table, "--from", &from, "--to", &cast, "--format", format, "--out", &out, "--json"];
        let report = check_cli_json(&args, 0);
        let written = format!("{out}/{file}");
        assert_eq!(report["written"], json!([written]), "{format}");
        let (stdout, _) = check_cli(&["check", &written], 0);
        assert!(!stdout.contains("warning"), "{format}: {stdout}");
    }
    let sprung =
        yuremono_format::open::character(&fixture.file_path("character/tail.glb"), &|_| true).expect("it opens");
    let names: Vec<&str> = sprung
        .document
        .chains
        .values()
        .flat_map(|chain| &chain.joints)
        .map(|joint| sprung.character.skeleton.name(joint.bone))
        .collect();
    assert_eq!(names, ["Tail_1", "Tail_2"], "the springs use the bone names of the character");
}

#[test]
fn all_rows_match_the_renamed_rig_with_and_without_the_source_character() {
    const BLENDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample-rig-blender.vrm");
    let fixture = CliFixture::new();
    let [table, out] = ["girl.csv", "new.csv"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", SAMPLE_PATH, "--out", &table], 0);
    let matched = |more: &[&str]| {
        let args = [&["apply", &table, "--to", BLENDER, "--min-matched", "0", "--json"], more].concat();
        let report = check_cli_json(&args, 0);
        let one = &report["files"][0];
        (one["matched"].as_u64().expect("a number"), one["rows"].as_u64().expect("a number"))
    };
    let ((without, rows), (with, _)) = (matched(&[]), matched(&["--from", SAMPLE_PATH]));
    assert_eq!((without, with), (rows, rows));
    let remapped =
        check_cli_json(&["remap", &table, "--from", SAMPLE_PATH, "--to", BLENDER, "--out", &out, "--json"], 0);
    assert_eq!(remapped["files"][0]["matched"], with, "apply and remap agree");
}
