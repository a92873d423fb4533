//! Tests that read and write the tables of the repository and malformed tables.

use super::*;
use crate::unity_space::{to_gltf, to_unity};
use glam::{DQuat, EulerRot, Quat, Vec3};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yuremono_model::document::{
    Chain, ChainEntry, ChainPart, ChainValue, Collider, ColliderGroup, CurveDomain, FlipAxis, Force, GroupId, Helper,
    HelperRole, HighLeg, Joint, JointEntry, LengthTarget, ListKind, Material, MaterialId, NamedComponentLists, NodeRef,
    ReplacedProperties, System, SystemId, Tip,
};
use yuremono_model::exchange::ExportOptions;
use yuremono_sim::math::{Curve, JsonNumber, Trs};
use yuremono_sim::{ColliderShape, DynamicBoneSetup, ForceKind, SwingLimit, SwingShape};
use yuremono_test_support::HOSTILE_NAMES;

/// Export options without a byte order mark.
fn options() -> ExportOptions {
    ExportOptions { write_bom: Some(false), ..ExportOptions::new(&INFO) }
}

/// The expected [`summary`] of every table in the repository. The numbers count rows by section: joints, pivots,
/// colliders, nodes, components, comments.
const EXPECTED_SUMMARIES: &str = "
presets/sample/yure_Dynamics.csv: 175 4 58 0 0 47; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
presets/sample/yure_calm_Dynamics.csv: 175 4 58 0 0 47; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
presets/sample/yure_lively_Dynamics.csv: 175 4 58 0 0 47; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_bones_only/export.csv: 8 4 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_bones_only/export.windows.csv: 8 4 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_character/export.csv: 120 60 10 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_character/export.windows.csv: 120 60 10 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_culture_de/export.csv: 4 4 2 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 10 findings, decimal commas
tests/golden/unitychan-csv/export_culture_de/export.windows.csv: 4 4 2 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 10 findings, decimal commas
tests/golden/unitychan-csv/export_empty_root/export.csv: 0 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_empty_root/export.windows.csv: 0 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_full/export.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_full/export.windows.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_numbers/export.csv: 4 4 2 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 6 findings
tests/golden/unitychan-csv/export_numbers/export.windows.csv: 4 4 2 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 6 findings
tests/golden/unitychan-csv/export_odd_names/export.csv: 6 3 5 0 0 0; 0 bad, 0 blank, 9 kept, 0 odd names, 2 findings, BOM
tests/golden/unitychan-csv/export_skeleton_only_null_pivot/export.csv: 2 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/export_skeleton_only_null_pivot/export.windows.csv: 2 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_bad_rows/input.csv: 8 0 0 0 0 0; 2 bad, 0 blank, 0 kept, 0 odd names, 2 findings
tests/golden/unitychan-csv/load_bool_forms/input.csv: 4 0 0 0 0 0; 3 bad, 0 blank, 0 kept, 0 odd names, 6 findings
tests/golden/unitychan-csv/load_colliders_bad/input.csv: 0 0 12 0 0 0; 4 bad, 0 blank, 0 kept, 0 odd names, 4 findings
tests/golden/unitychan-csv/load_colliders_setting_only/input.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_components_highleg/input.csv: 0 0 0 0 4 0; 2 bad, 0 blank, 0 kept, 0 odd names, 2 findings
tests/golden/unitychan-csv/load_crlf_excel_padding/input.csv: 8 4 4 1 1 0; 0 bad, 5 blank, 0 kept, 0 odd names, 1 findings
tests/golden/unitychan-csv/load_duplicate_bone_rows/input.csv: 2 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_empty_text/input.csv: rejected, 1 findings
tests/golden/unitychan-csv/load_full_into_bare/input.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_full_into_full_changed/input.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_length_limit_counts/input.csv: 5 0 0 0 0 0; 3 bad, 0 blank, 0 kept, 0 odd names, 3 findings
tests/golden/unitychan-csv/load_no_version_bare_colliders/input.csv: 0 0 3 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 2 findings
tests/golden/unitychan-csv/load_pivots/input.csv: 4 6 0 0 0 0; 0 bad, 0 blank, 0 kept, 1 odd names, 0 findings
tests/golden/unitychan-csv/load_section_case_order/input.csv: 1 0 1 0 0 0; 0 bad, 0 blank, 4 kept, 0 odd names, 3 findings
tests/golden/unitychan-csv/load_version3/input.csv: 8 4 4 1 1 0; 0 bad, 0 blank, 0 kept, 0 odd names, 1 findings
tests/golden/unitychan-csv/load_version4_no_sections/input.csv: 2 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
tests/golden/unitychan-csv/load_version5/input.csv: rejected, 1 findings
tests/golden/unitychan-csv/load_version_only/input.csv: 0 0 0 0 0 0; 0 bad, 0 blank, 0 kept, 0 odd names, 0 findings
";

/// Returns every CSV in a folder of the repository and its subfolders.
fn csv_files(folder: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                collect(&entry, found);
            } else if entry.extension().is_some_and(|ending| ending == "csv") {
                found.push(entry);
            }
        }
    }
    let mut found = Vec::new();
    collect(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder), &mut found);
    found.sort();
    found
}

/// Returns the columns of a section that contain Euler angles.
fn angle_columns(section: &str) -> std::ops::Range<usize> {
    match section {
        "[Pivots]" => 2..5,
        "[Colliders]" | "[DynamicsNulls]" => 5..8,
        _ => 0..0,
    }
}

/// Returns the rows of a table without comment rows. The rotation of each row is separated from its other cells.
fn parse_rows(bytes: &[u8]) -> Vec<(Vec<String>, Option<DQuat>)> {
    let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let mut section = String::new();
    let mut rows = Vec::new();
    for CsvRecord { cells, .. } in records::parse_records(&text).records {
        if cells[0].starts_with('[') {
            section.clone_from(&cells[0]);
        }
        if cells[0] == comments::COMMENT_MARK {
            continue;
        }
        let columns = angle_columns(&section);
        let angles: Option<Vec<f64>> = cells.get(columns.clone()).and_then(|cells| {
            let angles = cells.iter().map(|cell| parse_number(cell, true).ok().map(f64::from));
            angles.collect()
        });
        let rotation = angles.filter(|angles| angles.len() == 3).map(|angles| {
            let [x, y, z] = [0, 1, 2].map(|at| angles[at].to_radians());
            DQuat::from_euler(EulerRot::YXZ, y, x, z)
        });
        let is_angle = |at: &usize| rotation.is_some() && columns.contains(at);
        let others = cells.iter().enumerate().filter(|(at, _)| !is_angle(at)).map(|(_, cell)| cell.clone());
        rows.push((others.collect(), rotation));
    }
    rows
}

/// Summarizes the result of reading a table of the repository, and the loss when the table is written again.
fn summary(path: &Path) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let name = path.strip_prefix(root).expect("a file of the repository").to_string_lossy().replace('\\', "/");
    let (file, found) = match read(&std::fs::read(path).expect("a table"), "t.csv") {
        Ok(read) => read,
        Err(found) => return format!("{name}: rejected, {found} findings", found = found.len()),
    };
    let counts = FileSection::ALL.map(|section| file.entries.iter().filter(|item| item.section == section).count());
    let bad = file.entries.iter().filter(|item| item.content.is_err()).count();
    let written = write(&file, ExportOptions::new(&INFO));
    let bom = if written.starts_with(b"\xef\xbb\xbf") { ", BOM" } else { "" };
    let comma = if file.csv.has_decimal_comma { ", decimal commas" } else { "" };
    let odd = unwritable_names(&file, "t.csv").len();
    let (blank, kept) = (file.csv.blank_rows.len(), file.passthrough.len());
    let counts = counts.map(|count| count.to_string()).join(" ");
    format!(
        "{name}: {counts}; {bad} bad, {blank} blank, {kept} kept, {odd} odd names, {found} findings{bom}{comma}",
        found = found.len()
    )
}

#[test]
fn every_table_of_the_repository_is_read_as_expected() {
    let all: Vec<String> =
        csv_files("presets/sample").into_iter().chain(csv_files("tests/golden")).map(|path| summary(&path)).collect();
    assert_eq!(all.join("\n"), EXPECTED_SUMMARIES.trim());
}

#[test]
fn number_options_do_not_change_the_values_of_tables() {
    let mut count = 0;
    for path in csv_files("presets/sample").into_iter().chain(csv_files("tests/golden")) {
        let Ok((file, _)) = read(&std::fs::read(&path).expect("a table"), "t.csv") else { continue };
        let case = path.display();
        let plain = parse_rows(&write(&file, options()));
        for digits in [None, Some(7)] {
            for decimal_comma in [false, true] {
                let options =
                    ExportOptions { significant_digits: digits, decimal_comma, write_bom: Some(true), ..options() };
                let rows = parse_rows(&write(&file, options));
                assert_eq!(rows.len(), plain.len(), "{case}");
                for ((row, turn), (other, other_turn)) in rows.iter().zip(&plain) {
                    assert_eq!(row.len(), other.len(), "{case}: {row:?}");
                    assert_eq!(row[0].trim_start_matches('\u{feff}'), other[0], "{case}");
                    assert_eq!(turn.is_some(), other_turn.is_some(), "{case}");
                    if let (Some(a), Some(b)) = (turn, other_turn) {
                        assert!(a.angle_between(*b).to_degrees() < 0.03, "{case}: {row:?}: {a}, not {b}");
                    }
                }
                count += 1;
            }
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn writing_a_written_table_again_gives_the_same_rows() {
    for path in csv_files("presets/sample").into_iter().chain(csv_files("tests/golden")) {
        let Ok((file, _)) = read(&std::fs::read(&path).expect("a table"), "t.csv") else { continue };
        if !file.passthrough.is_empty() {
            // If the first section has no usable rows, a repeated section takes its place.
            continue;
        }
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let once = write(&to_unity(to_gltf(file.clone(), axis), axis), options());
            let (again, _) = read(&once, "t.csv").expect("a written table is readable");
            let twice = write(&to_unity(to_gltf(again, axis), axis), options());
            let angles = parse_rows(&once).into_iter().zip(parse_rows(&twice));
            for ((a, turn), (b, other)) in angles {
                assert_eq!(a, b, "{}", path.display());
                assert_eq!(turn.is_some(), other.is_some());
            }
            assert_eq!(once.len().abs_diff(twice.len()) / 100, 0, "{}", path.display());
        }
    }
}

fn helper_node(name: &str, role: HelperRole) -> Helper<yuremono_model::document::ByName> {
    let local = Trs { translation: Vec3::new(0.1, -0.2, 1e-5), ..Trs::IDENTITY };
    Helper { name: name.to_owned(), parent: name.into(), local, role }
}

fn hostile_file(solver: SolverKind) -> SetupFile {
    let mut file = SetupFile { space: FileSpace::Unity(None), ..SetupFile::new(&INFO, solver) };
    for name in HOSTILE_NAMES {
        let mut joint: Joint<yuremono_model::document::ByName> = Joint::new(name.to_owned());
        let of_engine =
            solver.info().params.iter().filter(|d| d.scope == yuremono_sim::params::ParamScope::Joint && !d.extension);
        joint.overrides = of_engine.map(|def| (def.name.to_owned(), JsonNumber(def.default))).collect();
        joint.colliders = (!name.is_empty()).then(|| name.to_owned()).into_iter().collect();
        if is_unity_chan(solver) {
            joint.pivot = (!name.is_empty()).then(|| name.into());
            joint.length_targets = vec![LengthTarget::new(name.into())];
        }
        let item = SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint });
        file.entries.push(FileEntry::new(0, FileSection::Joints, name, item));
    }
    for name in HOSTILE_NAMES {
        let pivot = Helper { local: Trs::IDENTITY, ..helper_node(name, HelperRole::Pivot) };
        file.entries.push(FileEntry::new(0, FileSection::Pivots, name, SetupEntry::Helper(pivot)));
    }
    for name in HOSTILE_NAMES {
        let node = NodeRef::Inline(Box::new(helper_node(name, HelperRole::Plain)));
        let renderer = (!name.is_empty()).then(|| name.to_owned());
        let collider = Collider { mesh_name: renderer, ..Collider::new(name, node, ColliderShape::CAPSULE) };
        file.entries.push(FileEntry::new(0, FileSection::Colliders, name, SetupEntry::Collider(collider)));
    }
    for name in HOSTILE_NAMES {
        file.entries.push(FileEntry::new(
            0,
            FileSection::Nodes,
            name,
            SetupEntry::Helper(helper_node(name, HelperRole::Null)),
        ));
    }
    for name in HOSTILE_NAMES {
        let high_leg = HighLeg { node: name.into(), hip: name.into(), legs: vec![[name.into(), name.into()]] };
        file.entries.push(FileEntry::new(0, FileSection::HighLegs, name, SetupEntry::HighLeg(high_leg)));
    }
    file
}

/// Returns the entries by section, name and content. The order within a section is ignored, because comment rows are
/// last.
fn sorted_items(file: &SetupFile) -> Vec<String> {
    let mut all: Vec<_> =
        file.entries.iter().map(|entry| format!("{:?} {:?} {:?}", entry.section, entry.name, entry.content)).collect();
    all.sort();
    all
}

#[test]
fn hostile_names_survive_in_every_section() {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::Vrm] {
        for line_end in [yuremono_model::exchange::LineEnding::Lf, yuremono_model::exchange::LineEnding::CrLf] {
            for decimal_comma in [false, true] {
                let file = hostile_file(solver);
                let bytes = write(&file, ExportOptions { line_ending: line_end, decimal_comma, ..options() });
                let (again, _) = read(&bytes, "t.csv").expect("a written table is readable");
                let (now, before) = (sorted_items(&again), sorted_items(&file));
                for (now, before) in now.iter().zip(&before) {
                    assert_eq!(now, before);
                }
                assert_eq!(now.len(), before.len());
                assert!(again.passthrough.is_empty());
            }
        }
    }
}

fn every_item() -> Vec<SetupEntry> {
    let values: BTreeMap<_, _> =
        [("radius".to_owned(), JsonNumber(f32::INFINITY)), (" é".to_owned(), JsonNumber(0.1))].into();
    let curve = Curve::from_points(&[(0.0, 1.0), (1.0, 0.25)]);
    let authored: BTreeMap<_, _> = [("radius".to_owned(), ChainValue::new(0.05, curve))].into();
    let shape = SwingShape::Spherical { pitch: 1.0, yaw: 0.5 };
    let node = NodeRef::Inline(Box::new(helper_node("\"node\",\n", HelperRole::Plain)));
    let joint = Joint {
        tip: Tip::Offset(Vec3::new(0.1, -0.2, 1e-9)),
        overrides: values.clone(),
        pivot: Some(node.clone()),
        length_targets: vec![LengthTarget { node: "a".into(), constant: Some(5.0) }],
        limit: Some(SwingLimit { shape, rotation: Quat::from_xyzw(0.5, -0.5, 0.5, 0.5) }),
        enabled: false,
        animated: true,
        ..Joint::new(" hair".to_owned())
    };
    let chain = Chain {
        name: String::new(),
        part: ChainPart::Hair,
        system: SystemId(0),
        curve_domain: CurveDomain::Depth,
        values: authored.clone(),
        material: Some(MaterialId(3)),
        joints: Vec::new(),
        groups: vec![GroupId(2)],
        center: Some(node.clone()),
        ring: None,
        source_index: None,
    };
    let extras = NamedComponentLists::DynamicBone(DynamicBoneSetup {
        reference: Some("Head".to_owned()),
        exclusions: vec![" a,\"b".to_owned()],
    });
    let system = System {
        name: "Tails".to_owned(),
        solver: SolverKind::DynamicBone,
        values,
        component: Some(node.clone()),
        component_lists: extras.map_names(
            |n| Some(NodeRef::from(n.as_str())),
            |b| Some(b.clone()),
            |c| Some(c.clone()),
        ),
    };
    let group = ColliderGroup { name: String::new(), colliders: vec!["Ball".to_owned()], source_index: None };
    vec![
        SetupEntry::System(system),
        SetupEntry::ComponentNodes([(ListKind::BaseBone, None), (ListKind::Reference, Some(String::new()))].into()),
        SetupEntry::Material(
            MaterialId(3),
            Material { name: "Soft".to_owned(), solver: SolverKind::EzSoftBone, values: authored },
        ),
        SetupEntry::Helper(helper_node("pivot", HelperRole::Pivot)),
        SetupEntry::Collider(Collider::new("Ball", node.clone(), ColliderShape::BOX.inverted())),
        SetupEntry::DisabledCollider("Ball".to_owned()),
        SetupEntry::Group(GroupId(2), group),
        SetupEntry::Force(Force {
            name: "Breeze".to_owned(),
            node: node.clone(),
            kind: ForceKind::ALL[1],
            enabled: false,
        }),
        SetupEntry::HighLeg(HighLeg { node: "a".into(), hip: node, legs: vec![["b".into(), "c".into()]] }),
        SetupEntry::Chain(ChainEntry { root: "hair".to_owned(), number: Some(7), chain }),
        SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Details, chain: Some(7), joint: joint.clone() }),
        SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: None, joint }),
        SetupEntry::ExcludedBone("#x".to_owned()),
        SetupEntry::HiddenMesh(" ".to_owned()),
    ]
}

#[test]
fn items_of_every_kind_survive_in_comment_rows() {
    for solver in [SolverKind::UnityChanSpringBone, SolverKind::DynamicBone] {
        let mut file = SetupFile::new(&INFO, solver);
        let entry = |item| FileEntry::new(0, FileSection::Other, "", item);
        file.entries = every_item().into_iter().map(entry).collect();
        let unity = to_unity(file, FlipAxis::Z);
        let bytes = write(&unity, options());
        let (again, found) = read(&bytes, "t.csv").expect("a written table is readable");
        assert_eq!(found, []);
        let items: Vec<_> = again.entries.iter().map(|entry| entry.content.clone().expect("a good entry")).collect();
        assert_eq!(items, every_item());
        assert_eq!(again.entries[9].name, "chain");
        assert_eq!(again.systems[0].name, "Tails");
        assert_eq!(write(&again, options()), bytes);
        // A spreadsheet can save with semicolons and pad every row.
        let text = String::from_utf8(bytes).expect("UTF-8");
        let padded: String = text.lines().flat_map(|line| [line, ",,,,\n"]).collect();
        let items = read(padded.as_bytes(), "t.csv").expect("readable").0.entries;
        assert_eq!(
            items.into_iter().map(|entry| entry.content).collect::<Vec<_>>(),
            every_item().into_iter().map(Ok).collect::<Vec<_>>()
        );
        assert!(
            !String::from_utf8_lossy(&write(&again, ExportOptions { write_comment_rows: false, ..options() }))
                .contains(comments::COMMENT_MARK)
        );
    }
}

#[test]
fn passthrough_rows_return_to_their_sections() {
    let text = "version,4\n\n[SpringBones]\nhair,1\n[Odd],x\na,b\n// note\n[Empty] 2\n[Pivots] extra\nP,Hips\n[springbones]\nother,2\n[VRM]\ntail,1,0.5,0,-1,0,0.4,0.02\n#yuremono,1,system,a,1\n";
    let (file, found) = read(text.as_bytes(), "t.csv").expect("a table");
    assert!(file.entries[0].content.is_err());
    assert!(file.entries[1].content.is_err(), "comment rows of version 1 are not read");
    assert!(found.iter().any(|d| d.message == "\"1\" is not understood"), "{found:?}");
    let written = String::from_utf8(write(&file, options())).expect("UTF-8");
    let order = [
        "version,4",
        "hair,1",
        "[Odd],x",
        "a,b",
        "// note",
        "[Empty]",
        "[springbones]",
        "other,2",
        "[VRM]",
        "tail,1,",
        "#yuremono,1,system,a,1",
    ];
    let places: Vec<_> =
        order.iter().map(|part| written.find(part).unwrap_or_else(|| panic!("{part}: {written}"))).collect();
    assert!(places.is_sorted(), "{written}");
    assert_eq!(read(written.as_bytes(), "t.csv").expect("a table").0.passthrough, file.passthrough);
    // If the file is for VRM, a passthrough row of the VRM section becomes a joint row. The section is written once.
    let mut vrm = SetupFile::new(&INFO, SolverKind::Vrm);
    vrm.passthrough = file.passthrough;
    let written = String::from_utf8(write(&vrm, options())).expect("UTF-8");
    assert_eq!(written.matches("[VRM]").count(), 1, "{written}");
    let (again, _) = read(written.as_bytes(), "t.csv").expect("a table");
    assert_eq!(
        again.usable_entries(FileSection::Joints).map(|(_, entry, _)| entry.name.as_str()).collect::<Vec<_>>(),
        ["tail"]
    );
}

#[test]
fn a_passthrough_joint_is_a_row_for_its_solver_and_a_comment_row_for_others() {
    let mut joint: Joint<yuremono_model::document::ByName> = Joint::new("tail".to_owned());
    joint.overrides = [("gravityDir x".to_owned(), JsonNumber(0.25))].into();
    joint.animated = true;
    let item = SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: None, joint });
    let kept = Passthrough::Entry { solver: SolverKind::Vrm, entry: Box::new(item.clone()) };
    let table = |solver| {
        let file = SetupFile { passthrough: vec![kept.clone()], ..SetupFile::new(&INFO, solver) };
        let bytes = write(&to_unity(file, FlipAxis::X), options());
        read(&bytes, "t.csv").expect("a table").0
    };
    let same = table(SolverKind::Vrm);
    let Some((_, _, SetupEntry::Joint(row))) = same.usable_entries(FileSection::Joints).next() else {
        panic!("{same:?}")
    };
    assert_eq!((row.joint.overrides["gravityDir x"], row.joint.overrides.len()), (JsonNumber(-0.25), 7));
    let Some((_, _, SetupEntry::Joint(details))) = same.usable_entries(FileSection::Other).next() else {
        panic!("{same:?}")
    };
    assert_eq!((details.scope, details.joint.animated), (ReplacedProperties::Details, true));
    let other = table(SolverKind::UnityChanSpringBone);
    assert_eq!(other.usable_entries(FileSection::Other).map(|(_, _, item)| item.clone()).collect::<Vec<_>>(), [item]);
}

#[test]
fn a_bone_called_version_is_a_row_of_other_solvers() {
    let text = "[VRM]\nversion,1,0.5,0,-1,0,0.4,0.02\n";
    let (file, found) = read(text.as_bytes(), "t.csv").expect("a table");
    assert_eq!((file.entries[0].name.as_str(), found), ("version", Vec::new()));
}

#[test]
fn decimal_commas_are_not_kept_in_passthrough_rows() {
    let text = "version,4\n[Pivots]\na,Head,\"10,5\",0,0\n";
    let (file, _) = read(text.as_bytes(), "t.csv").expect("a table");
    assert!(file.csv.has_decimal_comma);
    let row = |cells: [&str; 5]| Passthrough::CsvRow {
        section: "[Pivots]".to_owned(),
        cells: cells.map(str::to_owned).into(),
    };
    assert_eq!(file.entries[0].csv_row, Some(row(["a", "Head", "10.5", "0", "0"])));
}
