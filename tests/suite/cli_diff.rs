//! `yuremono diff`: which setups are equal, what differs, and how the command ends.

use crate::cli_files::{Bench, SAMPLE, check, check_json, rows};
use serde_json::{Value, json};

/// The table of [`Bench`] with another radius for the last bone, and `tail.glb`.
fn changed() -> (Bench, [String; 3]) {
    let bench = Bench::new();
    let table = rows(&["tail_1", "tail_2"]);
    let (start, last) = table.split_once("tail_2,0.02,").expect("a row");
    bench.write("other.csv", &format!("{start}tail_2,0.05,{last}"));
    let paths = ["tail.csv", "other.csv", "tail.glb"].map(|name| bench.path(name));
    (bench, paths)
}

#[test]
fn equal_tables_end_with_0_and_different_ones_with_1() {
    let (_bench, [table, other, tail]) = changed();
    for more in [&[][..], &["--character", &tail]] {
        let run = |b: &str, code: i32| check(&[&["diff", &table, b], more].concat(), code).0;
        let said = run(&table, 0);
        assert!(said.ends_with("0 differences\n"), "{said}");
        let said = run(&other, 1);
        assert!(said.contains("tail_2") && said.contains("radius") && !said.contains("\"tail_1\""), "{said}");
    }
}

#[test]
fn the_order_of_rows_makes_no_difference() {
    let bench = Bench::new();
    bench.write("turned.csv", &rows(&["tail_2", "tail_1"]));
    let [table, turned, tail] = ["tail.csv", "turned.csv", "tail.glb"].map(|name| bench.path(name));
    check(&["diff", &table, &turned], 0);
    check(&["diff", &table, &turned, "--character", &tail], 0);
}

#[test]
fn a_row_that_only_one_table_has_is_a_difference_even_without_its_bone() {
    let bench = Bench::new();
    bench.write("more.csv", &rows(&["tail_1", "tail_2", "wing_1"]));
    let [table, more, tail] = ["tail.csv", "more.csv", "tail.glb"].map(|name| bench.path(name));
    let (said, _) = check(&["diff", &table, &more], 1);
    assert!(said.contains("wing_1"), "{said}");
    let (said, err) = check(&["diff", &table, &more, "--character", &tail], 1);
    assert!(said.contains("rows that the character cannot use differ"), "{said}");
    assert!(err.contains("more.csv: 1 of 3 rows have no bone here"), "{err}");
}

#[test]
fn a_character_and_its_project_are_equal_until_the_project_changes() {
    let bench = Bench::new();
    let [project, other] = ["girl.yure", "other.yure"].map(|name| bench.path(name));
    check(&["convert", SAMPLE, "--out", &project], 0);
    check(&["diff", SAMPLE, &project], 0);
    check(&["diff", &project, &project], 0);
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
    let chains = saved["setup"]["chains"].as_object_mut().expect("chains");
    let chain = chains.values_mut().next().expect("a chain");
    chain["values"]["stiffness"] = json!({ "base": 9.5 });
    bench.write("other.yure", &saved.to_string());
    let (said, _) = check(&["diff", &project, &other], 1);
    assert!(said.contains("stiffness") && said.contains("9.5") && said.contains("1 difference\n"), "{said}");
}

#[test]
fn a_table_is_compared_as_what_it_gives_the_character_of_the_other_side() {
    let bench = Bench::new();
    let [json, girl] = ["girl.json", "girl.yure"].map(|name| bench.path(name));
    check(&["convert", SAMPLE, "--out", &json], 0);
    check(&["convert", SAMPLE, "--out", &girl], 0);
    check(&["diff", &json, SAMPLE], 0);
    check(&["diff", &girl, &json], 0);
}

#[test]
fn a_format_that_lists_roots_needs_a_character() {
    let bench = Bench::new();
    let setup = bench.path("bones.json");
    check(&["convert", SAMPLE, "--format", "kawaii-physics", "--out", &setup], 0);
    let (_, err) = check(&["diff", &setup, &setup], 2);
    assert!(err.contains("bones.json: kawaii-physics files list chains by their roots"), "{err}");
    check(&["diff", &setup, &setup, "--character", SAMPLE], 0);
}

#[test]
fn a_project_that_names_no_character_uses_that_of_the_other_side() {
    let bench = Bench::new();
    let project = bench.path("girl.yure");
    check(&["convert", SAMPLE, "--out", &project], 0);
    let mut saved: Value = serde_json::from_slice(&std::fs::read(&project).expect("written")).expect("JSON");
    saved["character"]["path"] = json!("");
    bench.write("girl.yure", &saved.to_string());
    check(&["diff", &project, SAMPLE], 0);
    check(&["diff", SAMPLE, &project], 0);
    let (_, err) = check(&["diff", &project, &project], 2);
    assert!(err.contains("girl.yure: the project names no character; add --character FILE"), "{err}");
}

#[test]
fn json_lists_the_differences() {
    let (_bench, [table, other, tail]) = changed();
    let report = check_json(&["diff", &table, &other, "--character", &tail, "--json"], 1);
    assert_eq!((&report["equal"], &report["ok"]), (&json!(false), &json!(false)));
    assert!(report["differences"].as_array().is_some_and(|list| !list.is_empty()), "{report}");
    let report = check_json(&["diff", &table, &table, "--json"], 0);
    assert_eq!((&report["equal"], &report["differences"]), (&json!(true), &json!([])));
    let report = check_json(&["diff", &table, "nowhere.csv", "--json"], 2);
    assert!(report["error"].as_str().is_some_and(|error| error.contains("nowhere.csv")), "{report}");
}

#[test]
fn what_cannot_be_compared_ends_with_2() {
    let bench = Bench::new();
    bench.write("package.json", "{\"name\": \"package\"}");
    let [table, package, lost] = ["tail.csv", "package.json", "lost.yure"].map(|name| bench.path(name));
    let (_, err) = check(&["diff", &table, &package], 2);
    assert!(err.contains("package.json: found JSON of another program; expected a table"), "{err}");
    check(&["diff", &table], 2);
    check(&["convert", &bench.path("tail.glb"), "--setup", &table, "--out", &lost], 0);
    std::fs::rename(bench.at("tail.glb"), bench.at("moved.glb")).expect("renamed");
    let (_, err) = check(&["diff", &table, &lost], 2);
    assert!(err.contains("lost.yure: the project's character cannot be opened"), "{err}");
    check(&["diff", &table, &lost, "--character", &bench.path("moved.glb")], 0);
}
