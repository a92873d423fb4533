//! Tests JSON setups of all solvers: round trips, and validation against the schema.

mod malformed_files;
mod native_formats;
mod replace;
mod several_systems;

use crate::support::formats::{CSV, DYNAMIC_BONE_CSV, KAWAII_JSON, PARAMETERS};
use crate::support::json_schema::schema_mismatch;
use crate::support::random_documents;
use crate::support::sample;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use yuremono_format::tables;
use yuremono_format::unity_space::to_gltf;
use yuremono_format::{open, setup_json};
use yuremono_model::document::{Document, FlipAxis};
use yuremono_model::exchange::{ExportOptions, FileSection, FileSpace, ImportPlan, SetupFile, SetupFormat, export};
use yuremono_sim::SolverKind;
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Character, Skeleton};

const SCHEMA: &str = include_str!("../../assets/schema/yuremono-setup-1.schema.json");

fn export_bytes(document: &Document, skeleton: &Skeleton, axis: FlipAxis, format: SetupFormat) -> Vec<u8> {
    let options = ExportOptions::new(format).with_flip_axis(axis);
    tables::write_setup(&export(document, skeleton, options).file, options)
}

/// Returns a character that has only bones.
fn character_with_skeleton(skeleton: &Skeleton) -> Character {
    Character { skeleton: skeleton.clone(), ..Character::default() }
}

/// Converts a file to glTF space, mirrored along the axis that the file declares, or else along `axis`.
fn to_gltf_space(file: SetupFile, axis: FlipAxis) -> SetupFile {
    let axis = match file.space {
        FileSpace::Unity(Some(named)) => {
            assert!(named == axis || file.format == KAWAII_JSON);
            named
        }
        _ => axis,
    };
    to_gltf(file, axis)
}

/// Imports a file into a document. The file must have no errors.
fn import_into(mut document: Document, bytes: &[u8], skeleton: &Skeleton, axis: FlipAxis) -> Document {
    let (file, found) = tables::read_setup(bytes, "t.json").expect("an export is readable");
    let wrong: Vec<_> = found.iter().filter(|d| d.severity > yuremono_sim::diagnostics::Severity::Info).collect();
    assert!(wrong.is_empty() || wrong.iter().all(|d| is_about_kept_rows(d)), "{wrong:?}");
    let plan = ImportPlan::new(
        to_gltf_space(file, axis),
        &found,
        &document,
        &character_with_skeleton(skeleton),
        &BTreeMap::new(),
    );
    let edit = plan.edit(&document, skeleton);
    document.apply(edit).expect("a plan of an export applies");
    document
}

/// Whether a diagnostic is about a row that is kept: an invalid row of another character stays invalid, and a value far
/// out of range is reported but kept.
fn is_about_kept_rows(finding: &yuremono_sim::diagnostics::Diagnostic) -> bool {
    let text = finding.to_string();
    ["not a number", "is below", "is outside", "not a finite number", "cells", "not understood"]
        .iter()
        .any(|part| text.contains(part))
}

/// Returns the values of all joints by bone, and the values of each chain's system in the order of the chain roots.
fn param_values(document: &Document, skeleton: &Skeleton) -> (BTreeMap<BoneId, Vec<f32>>, Vec<f32>) {
    let mut joints = BTreeMap::new();
    let mut systems = BTreeMap::new();
    for chain in document.chains.values() {
        let table = document.param_defs_of(chain);
        let of = |scope: ParamScope| {
            enumerate_params(table).filter(move |(_, def)| def.scope == scope).map(|(param, _)| param)
        };
        let system: Vec<f32> =
            of(ParamScope::System).map(|param| document.system_values_of(chain).get(param)).collect();
        systems.insert(chain.root(), system);
        let places = chain.curve_positions(skeleton);
        for (at, joint) in chain.joints.iter().enumerate() {
            joints.insert(
                joint.bone,
                of(ParamScope::Joint).map(|param| chain.joint_value(at, param, places[at])).collect(),
            );
        }
    }
    (joints, systems.into_values().flatten().collect())
}

fn schema_error(bytes: &[u8]) -> Option<String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    schema_mismatch(&schema, &schema, &serde_json::from_slice(bytes).expect("the export is JSON"), "")
}

#[test]
fn the_committed_schema_matches_the_parameter_tables() {
    let made = serde_json::to_string_pretty(&setup_json::schema()).expect("plain data") + "\n";
    let hint = "run `cargo run -- params --schema > assets/schema/yuremono-setup-1.schema.json` and commit it";
    assert!(made == SCHEMA, "assets/schema/{} differs: {hint}", setup_json::SCHEMA_FILE);
}

#[test]
fn the_sample_setup_of_every_solver_survives_export_and_import() {
    for solver in SolverKind::ALL {
        let opened = sample(*solver);
        let skeleton = &opened.character.skeleton;
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let text = export_bytes(&opened.document, skeleton, axis, PARAMETERS);
            assert_eq!(schema_error(&text), None, "{}", solver.key());
            let bare = import_into(Document::with_solver(*solver), &text, skeleton, axis);
            assert!(bare.joint_count() > 20, "{}", solver.key());
            assert_eq!(
                param_values(&bare, skeleton),
                param_values(&opened.document, skeleton),
                "{} {axis:?}",
                solver.key()
            );
            let parts = |document: &Document| {
                let mut all: Vec<_> =
                    document.chains.values().map(|c| (c.name.clone(), c.part, c.joints.len())).collect();
                all.sort();
                // A file for one solver contains only shapes that the solver supports.
                let known = document.colliders.values().filter(|c| solver.info().supports_shape(&c.shape));
                (all, known.count())
            };
            assert_eq!(parts(&bare), parts(&opened.document), "{}", solver.key());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_random_setup_matches_the_schema_and_survives_export_and_import(
        dice in random_documents::any_edit_seeds(24),
        solver in prop::sample::select(SolverKind::ALL),
        axis in prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)],
    ) {
        let skeleton = random_documents::plain_skeleton();
        let document = random_documents::edited_document_with_solver(solver, &dice, &skeleton);
        let first = export_bytes(&document, &skeleton, axis, PARAMETERS);
        prop_assert_eq!(schema_error(&first), None);
        let before = param_values(&document, &skeleton);
        let after = import_into(document, &first, &skeleton, axis);
        prop_assert_eq!(param_values(&after, &skeleton), before);
        let again = export_bytes(&after, &skeleton, axis, PARAMETERS);
        let (again, first) = (String::from_utf8_lossy(&again), String::from_utf8_lossy(&first));
        let other = again.lines().zip(first.lines()).find(|(a, b)| a != b);
        prop_assert_eq!(other, None, "{}\n----\n{}", again, first);
    }
}

#[test]
fn a_file_lists_every_system_and_the_system_of_every_entry() {
    let (opened, document) = several_systems::four_systems();
    let text = export_bytes(&document, &opened.character.skeleton, FlipAxis::X, PARAMETERS);
    assert_eq!(schema_error(&text), None);
    let (file, found) = tables::read_setup(&text, "t.json").expect("readable");
    assert_eq!(found, []);
    let solvers: Vec<SolverKind> = file.systems.iter().map(|system| system.solver).collect();
    let written: Vec<SolverKind> = document.systems.values().map(|system| system.solver).collect();
    assert_eq!(solvers, written);
    for (at, id) in document.systems.keys().enumerate() {
        let joints = document.chains.values().filter(|chain| chain.system == *id).map(|chain| chain.joints.len());
        let entries = file.usable_entries(FileSection::Joints).filter(|(_, item, _)| item.system == at);
        assert_eq!(entries.count(), joints.sum::<usize>());
    }
}

#[test]
fn infinite_values_are_written_as_strings() {
    let skeleton = random_documents::plain_skeleton();
    let opened = sample(SolverKind::DynamicBone);
    let param = yuremono_sim::solver::dynamic_bone::UPDATE_RATE;
    let mut document = opened.document.clone();
    document.main_system_mut().values.set(param, f32::INFINITY);
    let text = export_bytes(&document, &opened.character.skeleton, FlipAxis::X, PARAMETERS);
    assert!(String::from_utf8_lossy(&text).contains("\"m_UpdateRate\": \"Infinity\""));
    assert_eq!(schema_error(&text), None);
    let bare =
        import_into(Document::with_solver(SolverKind::DynamicBone), &text, &opened.character.skeleton, FlipAxis::X);
    assert_eq!(bare.main_system().get(param), f32::INFINITY);
    let on_another = import_into(Document::with_solver(SolverKind::DynamicBone), &text, &skeleton, FlipAxis::X);
    assert_eq!(on_another.joint_count(), 0, "the other skeleton has no bone of the sample");
    assert!(on_another.passthrough.len() > 20, "the entries are kept for the next export");
}

#[test]
fn the_format_is_detected_by_content_and_not_by_file_name() {
    let opened = sample(SolverKind::DynamicBone);
    for format in [PARAMETERS, DYNAMIC_BONE_CSV] {
        let text = export_bytes(&opened.document, &opened.character.skeleton, FlipAxis::X, format);
        assert_eq!(tables::setup_format_of(&text), Some(format));
    }
    // A Yuremono table for the same solver has a section with the same name.
    let text = export_bytes(&opened.document, &opened.character.skeleton, FlipAxis::X, CSV);
    assert_eq!(tables::setup_format_of(&text), Some(CSV));
    assert_eq!(tables::read_setup(&text, "x.json").expect("a CSV").0.format, CSV);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("odd.txt");
    std::fs::write(&path, export_bytes(&opened.document, &opened.character.skeleton, FlipAxis::X, PARAMETERS))
        .expect("written");
    assert_eq!(open::content(&path), Ok(tables::FileContent::Setup(PARAMETERS)));
    assert_eq!(open::setup(&path, None).expect("a setup").0.format, PARAMETERS);
}
