//! Setups of all solvers as JSON: out and in again, and against the schema.

mod engines;
mod hostile;
mod replaced;
mod several;

use crate::documents;
use crate::support::json_schema::misfit;
use crate::support::sample;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use yuremono::document::{Axis, Document};
use yuremono::exchange::{ExportOptions, FileSpace, ImportPlan, Section, SetupFile, TableFormat, export};
use yuremono::format::tables;
use yuremono::format::unity_space::to_gltf;
use yuremono::format::{open, setup_json};
use yuremono::rig::{BoneId, Character, Skeleton};
use yuremono::schema::{Scope, rows};
use yuremono::sim::SolverKind;

const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");

fn bytes(document: &Document, skeleton: &Skeleton, axis: Axis, format: TableFormat) -> Vec<u8> {
    let options = ExportOptions::with_mirror(axis).in_format(format);
    tables::write_setup(&export(document, skeleton, options).file, options)
}

/// A character that is nothing but its bones.
fn bare(skeleton: &Skeleton) -> Character {
    Character { skeleton: skeleton.clone(), ..Character::default() }
}

/// A file in glTF's space, by the axis that it names or else by this one.
fn in_gltf(file: SetupFile, axis: Axis) -> SetupFile {
    let axis = match file.space {
        FileSpace::Unity(Some(named)) => {
            assert!(named == axis || file.format == TableFormat::KawaiiJson);
            named
        }
        _ => axis,
    };
    to_gltf(file, axis)
}

/// A document with a file laid over it; nothing of the file may be wrong.
fn with(mut document: Document, bytes: &[u8], skeleton: &Skeleton, axis: Axis) -> Document {
    let (file, found) = tables::read_setup(bytes, "t.json").expect("an export is readable");
    let wrong: Vec<_> = found.iter().filter(|d| d.severity > yuremono::report::Severity::Info).collect();
    assert!(wrong.is_empty() || wrong.iter().all(|d| is_of_kept(d)), "{wrong:?}");
    let plan = ImportPlan::new(in_gltf(file, axis), &found, &document, &bare(skeleton), &BTreeMap::new());
    let edit = plan.edit(&document, skeleton);
    document.apply(edit).expect("a plan of an export applies");
    document
}

/// Rows of other characters that were bad when they came are bad still; values far off are told and kept.
fn is_of_kept(finding: &yuremono::report::Diagnostic) -> bool {
    let text = finding.to_string();
    ["not a number", "is below", "is beyond", "not a finite number", "cells", "not understood"]
        .iter()
        .any(|part| text.contains(part))
}

/// Every value of every joint by its bone, and those of each chain's system in the order of the roots.
fn values(document: &Document, skeleton: &Skeleton) -> (BTreeMap<BoneId, Vec<f32>>, Vec<f32>) {
    let mut joints = BTreeMap::new();
    let mut systems = BTreeMap::new();
    for chain in document.chains.values() {
        let table = document.table_of(chain);
        let of = |scope: Scope| rows(table).filter(move |(_, def)| def.scope == scope).map(|(row, _)| row);
        let system: Vec<f32> = of(Scope::System).map(|row| document.values_of(chain).get(row)).collect();
        systems.insert(chain.root(), system);
        let places = chain.places(skeleton);
        for (at, joint) in chain.joints.iter().enumerate() {
            joints.insert(joint.bone, of(Scope::Joint).map(|row| chain.value(at, row, places[at])).collect());
        }
    }
    (joints, systems.into_values().flatten().collect())
}

fn fits_the_schema(bytes: &[u8]) -> Option<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    misfit(&schema, &schema, &serde_json::from_slice(bytes).expect("the export is JSON"), "")
}

#[test]
fn the_committed_schema_is_what_the_parameter_tables_make() {
    let made = serde_json::to_string_pretty(&setup_json::schema()).expect("plain data") + "\n";
    let told = "run `cargo run -- params --schema > assets/schema/yuremono-setup-1.schema.json` and commit it";
    assert!(made == SCHEMA, "assets/schema/{} differs: {told}", setup_json::SCHEMA_FILE);
}

#[test]
fn the_setup_of_every_solver_on_the_sample_comes_back_number_for_number() {
    for solver in SolverKind::ALL {
        let opened = sample(*solver);
        let skeleton = &opened.character.skeleton;
        for axis in [Axis::X, Axis::Z] {
            let text = bytes(&opened.document, skeleton, axis, TableFormat::Parameters);
            assert_eq!(fits_the_schema(&text), None, "{}", solver.key());
            let bare = with(Document::under(*solver), &text, skeleton, axis);
            assert!(bare.joint_count() > 20, "{}", solver.key());
            assert_eq!(values(&bare, skeleton), values(&opened.document, skeleton), "{} {axis:?}", solver.key());
            let parts = |document: &Document| {
                let mut all: Vec<_> =
                    document.chains.values().map(|c| (c.name.clone(), c.part, c.joints.len())).collect();
                all.sort();
                // An engine's setup has no shapes that the engine does not know.
                let known = document.colliders.values().filter(|c| solver.info().supports(&c.shape));
                (all, known.count())
            };
            assert_eq!(parts(&bare), parts(&opened.document), "{}", solver.key());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_random_setup_fits_the_schema_and_comes_back_the_same(
        dice in documents::any_dice(24),
        solver in prop::sample::select(SolverKind::ALL),
        axis in prop_oneof![Just(Axis::X), Just(Axis::Z)],
    ) {
        let skeleton = documents::plain();
        let document = documents::after_under(solver, &dice, &skeleton);
        let first = bytes(&document, &skeleton, axis, TableFormat::Parameters);
        prop_assert_eq!(fits_the_schema(&first), None);
        let before = values(&document, &skeleton);
        let after = with(document, &first, &skeleton, axis);
        prop_assert_eq!(values(&after, &skeleton), before);
        let again = bytes(&after, &skeleton, axis, TableFormat::Parameters);
        let (again, first) = (String::from_utf8_lossy(&again), String::from_utf8_lossy(&first));
        let other = again.lines().zip(first.lines()).find(|(a, b)| a != b);
        prop_assert_eq!(other, None, "{}\n----\n{}", again, first);
    }
}

#[test]
fn a_file_of_several_systems_lists_each_and_the_system_of_every_entry() {
    let (opened, document) = several::four_systems();
    let text = bytes(&document, &opened.character.skeleton, Axis::X, TableFormat::Parameters);
    assert_eq!(fits_the_schema(&text), None);
    let (file, found) = tables::read_setup(&text, "t.json").expect("readable");
    assert_eq!(found, []);
    let solvers: Vec<SolverKind> = file.systems.iter().map(|system| system.solver).collect();
    let written: Vec<SolverKind> = document.systems.values().map(|system| system.solver).collect();
    assert_eq!(solvers, written);
    for (at, id) in document.systems.keys().enumerate() {
        let joints = document.chains.values().filter(|chain| chain.system == *id).map(|chain| chain.joints.len());
        let entries = file.good(Section::Joints).filter(|(_, item, _)| item.system == at);
        assert_eq!(entries.count(), joints.sum::<usize>());
    }
}

#[test]
fn infinite_values_travel_as_texts() {
    let skeleton = documents::plain();
    let opened = sample(SolverKind::DynamicBone);
    let row = yuremono::sim::solver::dynamic_bone::UPDATE_RATE;
    let mut document = opened.document.clone();
    document.main_mut().values.set(row, f32::INFINITY);
    let text = bytes(&document, &opened.character.skeleton, Axis::X, TableFormat::Parameters);
    assert!(String::from_utf8_lossy(&text).contains("\"m_UpdateRate\": \"Infinity\""));
    assert_eq!(fits_the_schema(&text), None);
    let bare = with(Document::under(SolverKind::DynamicBone), &text, &opened.character.skeleton, Axis::X);
    assert_eq!(bare.main().get(row), f32::INFINITY);
    let on_another = with(Document::under(SolverKind::DynamicBone), &text, &skeleton, Axis::X);
    assert_eq!(on_another.joint_count(), 0, "no bone of the sample is here");
    assert!(on_another.passthrough.len() > 20, "its entries are kept for the next export");
}

#[test]
fn what_a_file_holds_says_how_it_is_read_and_not_its_name() {
    let opened = sample(SolverKind::DynamicBone);
    for format in [TableFormat::Parameters, TableFormat::DynamicBoneCsv] {
        let text = bytes(&opened.document, &opened.character.skeleton, Axis::X, format);
        assert_eq!(tables::format_of(&text), Some(format));
    }
    // A table of ours for the same solver has a section of the same name.
    let text = bytes(&opened.document, &opened.character.skeleton, Axis::X, TableFormat::Csv);
    assert_eq!(tables::format_of(&text), None);
    assert_eq!(tables::read_setup(&text, "x.json").expect("a CSV").0.format, TableFormat::Csv);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("odd.txt");
    std::fs::write(&path, bytes(&opened.document, &opened.character.skeleton, Axis::X, TableFormat::Parameters))
        .expect("written");
    assert_eq!(open::content(&path), Ok(tables::Content::Setup(TableFormat::Parameters)));
    assert_eq!(open::setup(&path).expect("a setup").0.format, TableFormat::Parameters);
}
