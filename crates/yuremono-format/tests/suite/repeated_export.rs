//! Tests that a setup which is exported, imported and exported again stays the same.

use super::support::formats::{DYNAMIC_BONE_CSV, KAWAII_JSON};
use super::support::sample;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_format::open::OpenedCharacter;
use yuremono_format::unity_space::to_gltf;
use yuremono_format::{FORMATS, tables};
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::{ExportOptions, ImportPlan, SetupFormat, SetupLayout, export};
use yuremono_sim::SolverKind;

fn written(document: &Document, opened: &OpenedCharacter, format: SetupFormat) -> String {
    let options = ExportOptions::for_character(format, &opened.character);
    let bytes = tables::write_setup(&export(document, &opened.character, options).file, options);
    String::from_utf8(bytes).expect("setup files are text")
}

/// Imports a file on the character without a setup.
fn imported(text: &str, opened: &OpenedCharacter, solver: SolverKind, format: SetupFormat) -> Document {
    let name = format!("a.{}", format.extension());
    let (file, _) = tables::read_setup(text.as_bytes(), &name).expect("an export is readable");
    let file = to_gltf(file, FlipAxis::default_for(opened.character.facing));
    let empty = Document::with_solver(solver);
    ImportPlan::new(file, &[], &empty, &opened.character, &BTreeMap::new()).after_import(&opened.character.skeleton)
}

/// Splits a file into texts and numbers, which alternate.
fn texts_and_numbers(file: &str) -> Vec<&str> {
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'E' | 'e');
    let mut parts = Vec::new();
    let mut rest = file;
    while !rest.is_empty() {
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        let end = if is_number {
            rest.find(|c| !is_of_number(c))
        } else {
            rest.find(|c: char| c.is_ascii_digit() || c == '-').filter(|end| *end > 0)
        };
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// Returns the first two parts that differ by more than rounding errors of angles in degrees and lengths in centimetres.
fn difference<'a>(first: &'a str, second: &'a str) -> Option<(&'a str, &'a str)> {
    let (first, second) = (texts_and_numbers(first), texts_and_numbers(second));
    let is_close = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
        // A half turn to the left is a half turn to the right.
        (Ok(a), Ok(b)) => (a - b).abs() < 2e-4 || ((a.abs() - 180.0).abs() < 2e-4 && (a + b).abs() < 2e-4),
        _ => false,
    };
    let other = first.iter().zip(&second).find(|(a, b)| a != b && !is_close(a, b));
    let is_longer = first.len() != second.len();
    other.map(|(a, b)| (*a, *b)).or_else(|| is_longer.then_some(("the files have", "different lengths")))
}

#[test]
fn an_exported_setup_is_the_same_after_an_import_and_another_export() {
    for format in FORMATS.iter().copied() {
        let solver = format.solver.unwrap_or(SolverKind::UnityChanSpringBone);
        let opened = sample(solver);
        let again = |text: &str| written(&imported(text, &opened, solver, format), &opened, format);
        let first = written(&opened.document, &opened, format);
        let second = again(&first);
        assert!(first.len() > 10_000, "{}", format.key);
        let [before, after] = [&first, &second].map(|text| text.lines().count());
        assert_eq!(before, after, "{}: the import loses nothing", format.key);
        if format == KAWAII_JSON {
            // The format stores Unreal's angles and the centres of capsules, which are computed.
            assert_eq!(difference(&second, &again(&second)), None);
            continue;
        }
        assert!(again(&second) == second, "{}", format.key);
        if format.layout != SetupLayout::ChainTrees || format == DYNAMIC_BONE_CSV {
            // The import creates the chains, in the order of their roots. The other formats name them after their roots.
            let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
            let new: Vec<_> = sorted(&second).difference(&sorted(&first)).cloned().collect();
            assert_eq!((new, second.len()), (Vec::new(), first.len()), "{}", format.key);
        }
    }
}

#[test]
fn only_rounding_errors_count_as_equal() {
    assert_eq!(texts_and_numbers("a, -1.5E-3,2"), ["a, ", "-1.5E-3", ",", "2"]);
    assert_eq!(difference("a, 1.00001", "a, 1"), None);
    assert_eq!(difference("Yaw 180", "Yaw -180.0"), None);
    assert_eq!(difference("a, 1.001", "a, 1"), Some(("1.001", "1")));
    assert_eq!(difference("a 1", "b 1"), Some(("a ", "b ")));
    assert_eq!(difference("a 1", "a 1,"), Some(("the files have", "different lengths")));
}
