//! Tests `yuremono diff`: equal setups, reported differences and exit codes.

use crate::cli_files::{CliFixture, SAMPLE_PATH, check_cli, check_cli_json, table_with_rows};
use serde_json::{Value, json};

/// Returns the files of [`CliFixture`], a copy of the table with another radius for the last bone, and `tail.glb`.
fn fixture_with_changed_table() -> (CliFixture, [String; 3]) {
    let fixture = CliFixture::new();
    let table = table_with_rows(&["tail_1", "tail_2"]);
    let (start, last) = table.split_once("tail_2,0.02,").expect("a row");
    fixture.write_file("other.csv", &format!("{start}tail_2,0.05,{last}"));
    let paths = ["tail.csv", "other.csv", "tail.glb"].map(|name| fixture.file_path_str(name));
    (fixture, paths)
}

#[test]
fn diff_exits_with_0_for_equal_and_1_for_different_tables() {
    let (_bench, [table, other, tail]) = fixture_with_changed_table();
    for more in [&[][..], &["--character", &tail]] {
        let run = |b: &str, code: i32| check_cli(&[&["diff", &table, b], more].concat(), code).0;
        let output = run(&table, 0);
        assert!(output.ends_with("0 differences\n"), "{output}");
        let output = run(&other, 1);
        assert!(output.contains("tail_2") && output.contains("radius") && !output.contains("\"tail_1\""), "{output}");
    }
}

#[test]
fn diff_compares_the_files_of_two_folders_by_name() {
    let (fixture, [table, other, tail]) = fixture_with_changed_table();
    let copy = |from: &str, to: &str| {
        let to = fixture.file_path(to);
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("writable");
        std::fs::copy(from, to).expect("copied");
    };
    for (from, to) in
        [(&table, "old/hair/a.csv"), (&other, "new/hair/a.csv"), (&tail, "old/b.glb"), (&tail, "new/b.glb")]
    {
        copy(from, to);
    }
    let [old, new] = ["old", "new"].map(|name| fixture.file_path_str(name));
    let (stdout, _) = check_cli(&["diff", &old, &new], 1);
    assert!(stdout.contains("tail_2") && stdout.ends_with("1 of 2 files differ\n"), "{stdout}");
    copy(&table, "old/only.csv");
    let report = check_cli_json(&["diff", &old, &new, "--json"], 1);
    let files = report["files"].as_array().expect("a list");
    let ok: Vec<_> =
        files.iter().map(|file| (file["file"].as_str().expect("a name").to_owned(), &file["ok"])).collect();
    let a = std::path::Path::new("hair").join("a.csv").display().to_string();
    assert_eq!(ok, [("b.glb".to_owned(), &json!(true)), (a, &json!(false)), ("only.csv".to_owned(), &json!(false))]);
    assert_eq!(files[1]["differences"].as_array().map(Vec::len), Some(1), "{report}");
    let (_, err) = check_cli(&["diff", &old, &table], 2);
    assert!(err.contains("expected two files or two folders"), "{err}");
    check_cli(&["diff", &old, &old], 0);
}

#[test]
fn diff_ignores_the_order_of_rows() {
    let fixture = CliFixture::new();
    fixture.write_file("turned.csv", &table_with_rows(&["tail_2", "tail_1"]));
    let [table, turned, tail] = ["tail.csv", "turned.csv", "tail.glb"].map(|name| fixture.file_path_str(name));
    check_cli(&["diff", &table, &turned], 0);
    check_cli(&["diff", &table, &turned, "--character", &tail], 0);
}

#[test]
fn diff_reports_an_extra_row_even_if_its_bone_is_missing() {
    let fixture = CliFixture::new();
    fixture.write_file("more.csv", &table_with_rows(&["tail_1", "tail_2", "wing_1"]));
    let [table, more, tail] = ["tail.csv", "more.csv", "tail.glb"].map(|name| fixture.file_path_str(name));
    let (stdout, _) = check_cli(&["diff", &table, &more], 1);
    assert!(stdout.contains("wing_1"), "{stdout}");
    let (stdout, err) = check_cli(&["diff", &table, &more, "--character", &tail], 1);
    assert!(stdout.contains("rows that the character cannot use differ"), "{stdout}");
    assert!(err.contains("more.csv: 1 of 3 rows match no bone of the character"), "{err}");
}

#[test]
fn a_character_equals_its_project_until_the_project_changes() {
    let fixture = CliFixture::new();
    let [project, other] = ["girl.yure", "other.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", SAMPLE_PATH, "--out", &project], 0);
    check_cli(&["diff", SAMPLE_PATH, &project], 0);
    check_cli(&["diff", &project, &project], 0);
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
    let chains = saved["setup"]["chains"].as_object_mut().expect("chains");
    let chain = chains.values_mut().next().expect("a chain");
    chain["joints"][0]["overrides"]["stiffness"] = json!(9.5);
    fixture.write_file("other.yure", &saved.to_string());
    let (stdout, _) = check_cli(&["diff", &project, &other], 1);
    assert!(stdout.contains("stiffness") && stdout.contains("9.5") && stdout.contains("1 difference\n"), "{stdout}");
}

#[test]
fn diff_imports_a_table_into_the_character_of_the_other_file() {
    let fixture = CliFixture::new();
    let [json, girl] = ["girl.json", "girl.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", SAMPLE_PATH, "--out", &json], 0);
    check_cli(&["convert", SAMPLE_PATH, "--out", &girl], 0);
    check_cli(&["diff", &json, SAMPLE_PATH], 0);
    check_cli(&["diff", &girl, &json], 0);
}

#[test]
fn diff_of_a_format_that_lists_roots_needs_a_character() {
    let fixture = CliFixture::new();
    let setup = fixture.file_path_str("bones.json");
    check_cli(&["convert", SAMPLE_PATH, "--format", "kawaii-physics", "--out", &setup], 0);
    let (_, err) = check_cli(&["diff", &setup, &setup], 2);
    assert!(err.contains("bones.json: kawaii-physics files list chains by their roots"), "{err}");
    check_cli(&["diff", &setup, &setup, "--character", SAMPLE_PATH], 0);
}

#[test]
fn diff_of_a_project_without_character_uses_that_of_the_other_file() {
    let fixture = CliFixture::new();
    let project = fixture.file_path_str("girl.yure");
    check_cli(&["convert", SAMPLE_PATH, "--out", &project], 0);
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
    saved["character"]["path"] = json!("");
    fixture.write_file("girl.yure", &saved.to_string());
    check_cli(&["diff", &project, SAMPLE_PATH], 0);
    check_cli(&["diff", SAMPLE_PATH, &project], 0);
    let (_, err) = check_cli(&["diff", &project, &project], 2);
    assert!(err.contains("girl.yure: the project names no character; add --character FILE"), "{err}");
}

#[test]
fn diff_json_lists_the_differences() {
    let (_bench, [table, other, tail]) = fixture_with_changed_table();
    let report = check_cli_json(&["diff", &table, &other, "--character", &tail, "--json"], 1);
    assert_eq!((&report["files"][0]["equal"], &report["ok"]), (&json!(false), &json!(false)));
    assert!(report["files"][0]["differences"].as_array().is_some_and(|list| !list.is_empty()), "{report}");
    let report = check_cli_json(&["diff", &table, &table, "--json"], 0);
    assert_eq!((&report["files"][0]["equal"], &report["files"][0]["differences"]), (&json!(true), &json!([])));
    let report = check_cli_json(&["diff", &table, "nowhere.csv", "--json"], 2);
    assert!(report["error"].as_str().is_some_and(|error| error.contains("nowhere.csv")), "{report}");
}

#[test]
fn a_character_equals_its_own_exported_table() {
    const GIRL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/transfer/girl_v1.vrm");
    let fixture = CliFixture::new();
    for (solver, format, extension) in [
        ("UnityChanSpringBone", "csv", "csv"),
        ("VRM", "parameters", "json"),
        ("DynamicBone", "dynamic-bone", "csv"),
        ("KawaiiPhysics", "kawaii-physics", "json"),
        ("EZSoftBone", "ez-soft-bone", "json"),
    ] {
        let project = fixture.file_path_str(&format!("{solver}.yure"));
        let table = fixture.file_path_str(&format!("{solver}.{extension}"));
        check_cli(&["convert", GIRL, "--solver", solver, "--out", &project], 0);
        check_cli(&["convert", GIRL, "--setup", &project, "--format", format, "--out", &table], 0);
        for [a, b] in [[&project, &table], [&table, &project]] {
            check_cli(&["diff", a, b, "--character", GIRL], 0);
        }
    }
}

#[test]
fn diff_compares_values_unless_the_structure_is_asked_for() {
    let fixture = CliFixture::new();
    let [project, other] = ["girl.yure", "other.yure"].map(|name| fixture.file_path_str(name));
    check_cli(&["convert", SAMPLE_PATH, "--out", &project], 0);
    let saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
    let write = |name: Option<&str>, factor: f64| {
        let mut changed = saved.clone();
        let chains = changed["setup"]["chains"].as_object_mut().expect("chains");
        let chain = chains.values_mut().next().expect("a chain");
        if let Some(name) = name {
            chain["name"] = json!(name);
            // The joints override the base value.
            chain["values"]["stiffness"]["base"] = json!(9.5);
        }
        for joint in chain["joints"].as_array_mut().expect("joints") {
            let stiffness = &mut joint["overrides"]["stiffness"];
            *stiffness = json!(stiffness.as_f64().expect("a number") * factor);
        }
        fixture.write_file("other.yure", &changed.to_string());
    };
    write(Some("another name"), 1.0);
    check_cli(&["diff", &project, &other], 0);
    let (stdout, _) = check_cli(&["diff", &project, &other, "--structure"], 1);
    assert!(stdout.contains("another name") && stdout.contains("values/stiffness/base"), "{stdout}");
    write(None, 1.001);
    let (stdout, _) = check_cli(&["diff", &project, &other], 1);
    assert!(stdout.contains("overrides/stiffness") && stdout.contains("2 differences\n"), "{stdout}");
    check_cli(&["diff", &project, &other, "--tolerance", "0.002"], 0);
}

#[test]
fn diff_exits_with_2_if_the_files_cannot_be_compared() {
    let fixture = CliFixture::new();
    fixture.write_file("package.json", "{\"name\": \"package\"}");
    let [table, package, lost] = ["tail.csv", "package.json", "lost.yure"].map(|name| fixture.file_path_str(name));
    let (_, err) = check_cli(&["diff", &table, &package], 2);
    assert!(err.contains("package.json: found JSON of an unknown kind; expected a table"), "{err}");
    check_cli(&["diff", &table], 2);
    check_cli(&["convert", &fixture.file_path_str("tail.glb"), "--setup", &table, "--out", &lost], 0);
    std::fs::rename(fixture.file_path("tail.glb"), fixture.file_path("moved.glb")).expect("renamed");
    let (_, err) = check_cli(&["diff", &table, &lost], 2);
    assert!(err.contains("lost.yure: the character of the project cannot be opened"), "{err}");
    check_cli(&["diff", &table, &lost, "--character", &fixture.file_path_str("moved.glb")], 0);
}
