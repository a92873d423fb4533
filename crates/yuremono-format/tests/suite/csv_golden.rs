//! Compares the Unity CSV with `UnityChanSpringBone`: exports are equal byte for byte, and imports create the same
//! scene.

use crate::csv::{file_name, recording_folders};
use crate::csv_scene::{RecordedScene, SceneSummary, list_field, summarize_scene};
use crate::support::fields::SCENE_FIELDS;
use crate::support::fields::expect_fields;
use glam::{EulerRot, Quat};
use serde_json::Value;
use std::path::Path;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::write_setup;
use yuremono_format::{unity_csv, unity_space};
use yuremono_model::document::{Document, Edit, FlipAxis, Passthrough};
use yuremono_model::exchange::{
    CellFault, ExportOptions, FileSection, LineEnding, ReplaceNote, ReplaceOptions, ReplacePlan, RowErrorKind,
    SetupFile, TableSections, export,
};
use yuremono_sim::Dynamics as _;
use yuremono_sim::rig::{Pose, WorldPose};
use yuremono_sim::solver::spring_bone::SpringBone;

/// The fields of a recorded scene: its elements, the action, and the result of `UnityChanSpringBone`.
const EXTRA_SCENE_FIELDS: &[&str] = &[
    "description",
    "culture",
    "exportSpringBones",
    "exportCollision",
    "importSpringBones",
    "importCollision",
    "requiredBones",
    "rootNode",
    "setupBuilt",
    "unhandledException",
    "errors",
    "errors[].message",
    "errors[].sourceLine",
    "errors[].exception",
    "log",
    "nodes[].dynamicsNull",
];

fn read_json_file(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let json = serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    expect_fields(&path.display().to_string(), &json, SCENE_FIELDS.iter().chain(EXTRA_SCENE_FIELDS));
    json
}

/// Returns the columns with angles, whose last digits differ between maths libraries.
fn angle_columns(section: &str) -> std::ops::Range<usize> {
    match section {
        "[Pivots]" => 2..5,
        "[Colliders]" | "[DynamicsNulls]" => 5..8,
        _ => 0..0,
    }
}

/// Splits a line into cells. Only numbers with decimal commas may be quoted.
fn split_cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("one cell").push(c),
        }
    }
    cells
}

/// Compares two lines. Returns the largest difference of their angles in degrees; all other text must match.
#[track_caller]
fn check_line(ours: &str, theirs: &str, section: &str, case: &str) -> f32 {
    if ours == theirs {
        return 0.0;
    }
    let (mine, recorded) = (split_cells(ours), split_cells(theirs));
    assert_eq!(mine.len(), recorded.len(), "{case}: {ours:?}, recorded {theirs:?}");
    let columns = angle_columns(section);
    let turn = |cells: &[String]| {
        let [x, y, z] = [0, 1, 2].map(|i| {
            cells[columns.start + i]
                .trim()
                .replace(',', ".")
                .parse::<f64>()
                .unwrap_or_else(|e| panic!("{case}: {ours:?}, recorded {theirs:?}: {e}"))
        });
        glam::DQuat::from_euler(EulerRot::YXZ, y.to_radians(), x.to_radians(), z.to_radians())
    };
    let others = |cells: &[String]| -> Vec<String> {
        cells.iter().enumerate().filter(|(i, _)| !columns.contains(i)).map(|(_, c)| c.clone()).collect()
    };
    assert_eq!(others(&mine), others(&recorded), "{case}");
    assert!(!columns.is_empty(), "{case}: {ours:?}, recorded {theirs:?}");
    turn(&mine).angle_between(turn(&recorded)).to_degrees() as f32
}

/// Compares two tables. Returns the largest difference of their angles in degrees; all other text must match.
#[track_caller]
pub(crate) fn check_export(ours: &str, theirs: &str, case: &str) -> f32 {
    let mut section = String::new();
    let mut worst = 0.0_f32;
    assert_eq!(ours.split('\n').count(), theirs.split('\n').count(), "{case}: {ours}");
    for (ours, theirs) in ours.split('\n').zip(theirs.split('\n')) {
        if ours.starts_with('[') && !ours.contains(',') {
            ours.trim_end().clone_into(&mut section);
        }
        worst = worst.max(check_line(ours, theirs, &section, case));
    }
    worst
}

#[test]
fn recorded_scenes_are_exported_byte_for_byte() {
    let (mut files, mut worst) = (0, 0.0_f32);
    for case in recording_folders("export_") {
        let scene = read_json_file(&case.join("scene.json"));
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let RecordedScene { document, skeleton, .. } = RecordedScene::from_json(&scene, axis);
            for (file, line_end) in [("export.csv", LineEnding::Lf), ("export.windows.csv", LineEnding::CrLf)] {
                let Ok(theirs) = std::fs::read_to_string(case.join(file)) else { continue };
                let options = ExportOptions {
                    line_ending: line_end,
                    write_bom: Some(false),
                    significant_digits: Some(7),
                    decimal_comma: scene["culture"].as_str().is_some_and(|c| c.starts_with("de")),
                    write_joints: scene["exportSpringBones"] == true,
                    write_colliders: scene["exportCollision"] == true,
                    allow_empty_pivots: true,
                    write_comment_rows: false,
                    ..ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis)
                };
                let ours = write_setup(&export(&document, &skeleton, options).file, options);
                let apart = check_export(&String::from_utf8(ours).expect("UTF-8"), &theirs, &file_name(&case));
                println!("{} {file} {axis:?}: angles {apart:.6} degrees apart", file_name(&case));
                (files, worst) = (files + 1, worst.max(apart));
            }
        }
    }
    println!("{files} exports equal, angles at most {worst:.6} degrees apart");
    assert!(worst < 0.01, "{worst} degrees");
}

/// Returns the kind of diagnostic that corresponds to a recorded message.
fn recorded_error_kind(error: &Value) -> &'static str {
    let message = error["message"].as_str().expect("a message");
    let kinds = [
        ("Error building", "cells"),
        ("Invalid collider type", "cells"),
        ("親が見つかりません", "parent"),
        ("重複", "shared"),
        ("linkedRenderer", "renderer"),
        ("名前が指定されていない", "no name"),
        ("基点オブジェクトが見つかりません", "pivot"),
        ("基点名が指定", "no pivot"),
        ("見つかりません", "bone"),
    ];
    kinds.iter().find(|(words, _)| message.contains(words)).map_or("unknown", |(_, kind)| kind)
}

fn error_kind(kind: &RowErrorKind) -> &'static str {
    match kind {
        RowErrorKind::InvalidCells(_) => "cells",
        RowErrorKind::ParentNotFound(_) => "parent",
        RowErrorKind::DuplicateName => "shared",
        RowErrorKind::MeshNotFound(_) => "renderer",
        RowErrorKind::MissingName => "no name",
        RowErrorKind::BoneNotFound => "bone",
        RowErrorKind::MissingPivotName => "no pivot",
        RowErrorKind::PivotNotFound(_) => "pivot",
    }
}

/// Returns the cells of a rejected row, in the notation of the recordings.
fn source_line(file: &SetupFile, row: usize) -> String {
    let item = &file.entries[row];
    match (&item.content, &item.csv_row) {
        (Err(_), Some(Passthrough::CsvRow { cells, .. })) => cells.join(", "),
        _ => item.name.clone(),
    }
}

#[track_caller]
fn check_errors(plan: &ReplacePlan, after: &Value, case: &str) {
    let recorded = list_field(after, "errors");
    let kinds: Vec<_> = recorded.iter().map(recorded_error_kind).collect();
    let ours: Vec<_> = plan.errors().iter().map(|e| error_kind(&e.kind)).collect();
    assert_eq!(ours, kinds, "{case}");
    for (ours, theirs) in plan.errors().iter().zip(recorded) {
        let quoted = theirs["sourceLine"].as_str().expect("a line").trim_end_matches('\n');
        let message = theirs["message"].as_str().expect("a message");
        let blank = matches!(&ours.kind, RowErrorKind::InvalidCells(p) if p[0].fault == CellFault::BlankRow);
        if blank {
            assert!(quoted.chars().all(|c| c == ',' || c == ' '), "{case}: {quoted:?} is not blank");
        } else if quoted.is_empty() {
            assert!(message.starts_with(&ours.name), "{case}: {:?} for {message:?}", ours.name);
        } else {
            let row = ours.entry_index.expect("a row with text");
            assert_eq!(source_line(plan.file(), row), quoted, "{case}");
        }
        let section = match message {
            m if m.contains("TransformSerializer") => Some(FileSection::Nodes),
            m if m.contains("ColliderSerializer") || m.contains("collider type") => Some(FileSection::Colliders),
            m if m.contains("PivotSerializer") => Some(FileSection::Pivots),
            m if m.contains("SpringBoneBaseSerializer") => Some(FileSection::Joints),
            _ => None,
        };
        assert!(section.is_none_or(|s| s == ours.section), "{case}: {:?} for {message:?}", ours.section);
    }
}

/// Returns the nodes that `UnityChanSpringBone` moved in a case, and the colliders on these nodes. These differences
/// are intended, because our import does not move bones of the character.
fn bones_moved_by_original(case: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match case {
        // A collider row and a bone are both named HairL_1.
        "load_colliders_bad" => (&["HairL_1"], &["HairL_1"]),
        // One pivot row is named Hips, and another is named KneeL in different case.
        "load_pivots" => (&["Hips", "KneeL"], &[]),
        _ => (&[], &[]),
    }
}

#[track_caller]
fn check_scene(ours: &SceneSummary, theirs: &SceneSummary, case: &str) -> f32 {
    let (moved, moved_colliders) = bones_moved_by_original(case);
    let is_moved = |path: &str| moved.iter().any(|m| path.rsplit('/').next() == Some(m));
    let stands_in = |path: &str| path.ends_with("_Moved");
    let paths = |reported: &SceneSummary| reported.nodes.keys().filter(|p| !stands_in(p)).cloned().collect::<Vec<_>>();
    assert_eq!(paths(ours), paths(theirs), "{case}");
    let mut worst = 0.0_f32;
    for (path, (t, r, s, mark)) in &theirs.nodes {
        let (our_t, our_r, our_s, our_mark) = &ours.nodes[path];
        if is_moved(path) {
            continue;
        }
        assert_eq!(mark, our_mark, "{case}: {path}");
        assert!(t.distance(*our_t) < 2e-6 && s.distance(*our_s) < 1e-6, "{case}: {path} at {our_t}, recorded {t}");
        let turn = |q: &Quat| q.as_dquat().normalize();
        worst = worst.max(turn(r).angle_between(turn(our_r)).to_degrees() as f32);
    }
    assert_eq!(ours.bones, theirs.bones, "{case}");
    let colliders = |reported: &SceneSummary| {
        let stays = reported
            .colliders
            .iter()
            .filter(|(p, _)| !stands_in(p) && !moved_colliders.iter().any(|m| p.rsplit('/').next() == Some(m)));
        stays.map(|(p, c)| (p.clone(), c.clone())).collect::<Vec<_>>()
    };
    assert_eq!(colliders(ours), colliders(theirs), "{case}");
    assert_eq!(ours.colliders.len(), theirs.colliders.len(), "{case}");
    assert_eq!(ours.high_legs, theirs.high_legs, "{case}");
    assert_eq!(ours.system, theirs.system, "{case}");
    worst
}

/// Checks that the solver visits the hierarchy level by level, like the recording.
#[track_caller]
fn check_update_order(document: &Document, scene: &RecordedScene, after: &Value, case: &str) {
    let resolved = document.resolve(&scene.skeleton);
    let world = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let system = &resolved.systems[0];
    let (rest, _) = SpringBone::build(system, &resolved.skeleton, &world);
    let mut ours = vec![0; system.joints.len()];
    for (joint, place) in SpringBone::solver_indices(&rest).iter().enumerate() {
        ours[*place as usize] = resolved.skeleton.depth(system.joints[joint].bone);
    }
    let bones = list_field(after, "bones");
    let depth = |bone: &Value| {
        let nodes = list_field(after, "nodes");
        let above = |i: &usize| nodes[*i]["parent"].as_u64().map(|p| p as usize);
        std::iter::successors(Some(bone["node"].as_u64().expect("a node") as usize), above).count() - 1
    };
    let mut theirs: Vec<_> =
        list_field(after, "update_order").iter().map(|i| depth(&bones[i.as_u64().expect("a bone") as usize])).collect();
    if case == "load_duplicate_bone_rows" {
        theirs.dedup();
    }
    assert_eq!(ours, theirs, "{case}");
}

#[test]
fn recorded_imports_reject_the_same_rows_and_build_the_same_scenes() {
    let (mut scenes, mut errors, mut worst) = (0, 0, 0.0_f32);
    for case in recording_folders("load_") {
        let (before, after) = (read_json_file(&case.join("before.json")), read_json_file(&case.join("after.json")));
        let case_name = file_name(&case);
        let bytes = std::fs::read(case.join("input.csv")).expect("a table");
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let scene = RecordedScene::from_json(&before, axis);
            let mut document = scene.document.clone();
            match unity_csv::read(&bytes, "t.csv") {
                Ok((file, found)) => {
                    let file = unity_space::to_gltf(file, axis);
                    let wanted = TableSections {
                        bones: after["importSpringBones"] == true,
                        colliders: after["importCollision"] == true,
                    };
                    let renderers = scene.mesh_names.clone();
                    let options = ReplaceOptions { sections: wanted, mesh_names: renderers, use_other_entries: true };
                    let plan = ReplacePlan::new(&file, &[], &found, &document, &scene.skeleton, options);
                    check_errors(&plan, &after, &case_name);
                    let edit = plan.edit(&document, &scene.skeleton);
                    let changes = document.apply_recorded(edit).expect("a good plan");
                    let mut back = document.clone();
                    changes.revert(&mut back);
                    assert_eq!(back, scene.document, "{case_name}");
                    let options = plan.options().clone();
                    let again = ReplacePlan::new(&file, &[], &[], &document, &scene.skeleton, options);
                    // In the second import, the new pivot of one row already exists and can be the parent of another
                    // row.
                    if case_name != "load_pivots" {
                        assert_eq!(again.edit(&document, &scene.skeleton), Edit::Batch(Vec::new()), "{case_name}");
                    }
                    let note = ReplaceNote::RemovesAllJoints(scene.document.joint_count());
                    assert_eq!(plan.notes().contains(&note), case_name == "load_version_only", "{case_name}");
                    errors += plan.errors().len();
                }
                Err(found) => {
                    // An empty file changes nothing. A file of another version is rejected with one message.
                    assert!(list_field(&after, "errors").len() <= found.len(), "{case_name}");
                    let refused = ["load_empty_text", "load_version5"].contains(&case_name.as_str());
                    assert!(refused || after["setupBuilt"] == false, "{case_name}: {found:?}");
                }
            }
            let theirs = RecordedScene::from_json(&after, axis);
            let ours = summarize_scene(&document, &scene.skeleton, axis, &scene.document);
            let theirs = summarize_scene(&theirs.document, &theirs.skeleton, axis, &theirs.document);
            let apart = check_scene(&ours, &theirs, &case_name);
            check_update_order(&document, &scene, &after, &case_name);
            println!("{case_name} {axis:?}: nodes {apart:.6} degrees apart, {} bones", ours.bones.len());
            (scenes, worst) = (scenes + 1, worst.max(apart));
        }
    }
    println!("{scenes} scenes equal, {errors} refused rows, nodes at most {worst:.6} degrees apart");
    assert!(scenes > 0 && worst < 0.01, "{worst} degrees");
}
