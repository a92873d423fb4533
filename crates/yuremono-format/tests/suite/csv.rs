//! Compares the Unity CSV with files that `UnityChanSpringBone` wrote and read.

use crate::csv_golden::check_export;
use crate::support::formats::CSV;
use crate::support::random_documents;
use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::write_setup;
use yuremono_format::unity_csv;
use yuremono_format::unity_space::to_gltf;
use yuremono_model::document::flip_axis::rotation_from_unity_euler;
use yuremono_model::document::{
    ByName, Document, Edit, FlipAxis, Helper, HelperRole, Joint, JointEntry, LengthTarget, NodeRef, Passthrough,
    ReplacedProperties, SetupEntry,
};
use yuremono_model::exchange::{
    CellFault, CellProblem, ExportOptions, FileEntry, FileSection, FileSpace, ImportPlan, ImportRowStatus, LineEnding,
    SetupFile, export,
};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{ParamKind, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Character, Skeleton};
use yuremono_sim::solver::spring_bone::{Y_ACTIVE, Z_ACTIVE};

/// Returns the recording folders whose names start with `prefix`, from `YUREMONO_GOLDEN` or the repository.
pub(crate) fn recording_folders(prefix: &str) -> Vec<PathBuf> {
    let root = std::env::var_os("YUREMONO_GOLDEN")
        .map_or_else(|| crate::support::root().join("tests/golden"), PathBuf::from)
        .join("unitychan-csv");
    let mut found: Vec<_> = std::fs::read_dir(&root)
        .unwrap_or_else(|e| panic!("{}: {e}", root.display()))
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} contains no {prefix}* recordings", root.display());
    found
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().expect("a case has a name").to_string_lossy().into_owned()
}

fn read_csv(path: &Path) -> (SetupFile, Vec<Diagnostic>) {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    unity_csv::read(&bytes, "t.csv").unwrap_or_else(|e| panic!("{}: {e:?}", path.display()))
}

/// Returns the entries of a section, including invalid entries.
pub(crate) fn entries_of(file: &SetupFile, section: FileSection) -> Vec<&FileEntry> {
    file.entries.iter().filter(|item| item.section == section).collect()
}

fn invalid_joint_count(file: &SetupFile) -> usize {
    entries_of(file, FileSection::Joints).into_iter().filter(|item| item.content.is_err()).count()
}

/// Returns the joint of a joint row.
#[track_caller]
fn joint_of(item: &FileEntry) -> &Joint<ByName> {
    match &item.content {
        Ok(SetupEntry::Joint(joint)) => &joint.joint,
        other => panic!("{} is not a joint: {other:?}", item.name),
    }
}

/// Returns all cells of a row, starting with the name.
#[track_caller]
fn csv_row_cells(item: &FileEntry) -> &[String] {
    match &item.csv_row {
        Some(Passthrough::CsvRow { cells, .. }) => cells,
        other => panic!("{} is not a row: {other:?}", item.name),
    }
}

/// Imports a table, mirrored along `axis`, into a document for a skeleton without humanoid bones.
pub(crate) fn import_plan(bytes: &[u8], document: &Document, skeleton: &Skeleton, axis: FlipAxis) -> ImportPlan {
    let (file, found) = unity_csv::read(bytes, "t.csv").expect("a readable table");
    let character = Character { skeleton: skeleton.clone(), ..Character::default() };
    ImportPlan::new(to_gltf(file, axis), &found, document, &character, &BTreeMap::new())
}

type ComparedEntry = (FileSection, String, Result<SetupEntry, Vec<CellProblem>>);

/// Separates the rotations from the entries of a file. Writing angles as text loses the last bits of rotations.
fn split_off_rotations(file: &SetupFile) -> (Vec<ComparedEntry>, Vec<Quat>) {
    let mut rotations = Vec::new();
    let mut take = |helper: &mut Helper<ByName>| {
        rotations.push(std::mem::take(&mut helper.local.rotation));
    };
    let mut all = Vec::new();
    for item in &file.entries {
        let mut content = item.content.clone();
        match &mut content {
            Ok(SetupEntry::Helper(helper)) => take(helper),
            Ok(SetupEntry::Collider(collider)) => match &mut collider.node {
                NodeRef::Inline(helper) => take(helper),
                NodeRef::Named(_) => {}
            },
            _ => {}
        }
        all.push((item.section, item.name.clone(), content));
    }
    (all, rotations)
}

/// Checks that both files have equal entries and keep the same rows. Rotations may differ by the rounding of angles in
/// text.
#[track_caller]
fn check_equivalent(ours: &SetupFile, expected: &SetupFile, what: &str) {
    let ((entries, rotations), (theirs, others)) = (split_off_rotations(ours), split_off_rotations(expected));
    assert_eq!(entries, theirs, "{what}");
    for (a, b) in rotations.into_iter().zip(others) {
        // In f32, rounding would make the angle between almost equal rotations far too large.
        let apart = a.as_dquat().normalize().angle_between(b.as_dquat().normalize()).to_degrees();
        assert!(apart < 0.01, "{what}: {a}, not {b}, {apart} degrees apart");
    }
    assert_eq!(ours.passthrough, expected.passthrough, "{what}");
    assert_eq!(ours.systems, expected.systems, "{what}");
}

#[test]
fn every_recorded_export_is_read_and_written_back() {
    let (mut lines, mut files) = (0, 0);
    for case in recording_folders("export_") {
        for file in ["export.csv", "export.windows.csv"] {
            let path = case.join(file);
            if !path.exists() {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("an export");
            let (table, _) = read_csv(&path);
            files += 1;
            if file_name(&case) == "export_odd_names" {
                // UnityChanSpringBone cannot read these names back, because a row named like a section ends the bone
                // section.
                continue;
            }
            assert_eq!(invalid_joint_count(&table), 0, "{}", case.display());
            let reported =
                text.lines().skip_while(|l| *l != "[SpringBones]").skip(2).take_while(|l| !l.is_empty()).count();
            assert_eq!(entries_of(&table, FileSection::Joints).len(), reported, "{}", case.display());
            let line_end = if file == "export.csv" { LineEnding::Lf } else { LineEnding::CrLf };
            let options = ExportOptions {
                line_ending: line_end,
                significant_digits: Some(7),
                write_comment_rows: false,
                write_bom: Some(false),
                ..ExportOptions::new(DEFAULT_FORMAT)
            };
            let written = String::from_utf8(unity_csv::write(&table, options)).expect("UTF-8");
            if table.csv.has_decimal_comma {
                continue;
            }
            // Rotations are stored as quaternions, so an export may write other angles for the same rotation.
            let apart = check_export(&written, &text, &file_name(&case));
            assert!(apart < 0.01, "{}: {apart} degrees", case.display());
            lines += text.matches('\n').count();
        }
    }
    println!("{files} exports read, {lines} lines written back equal");
}

#[test]
fn a_german_export_is_read_with_decimal_commas() {
    let case = recording_folders("export_culture_de").remove(0);
    let (table, found) = read_csv(&case.join("export.csv"));
    assert!(table.csv.has_decimal_comma);
    assert!(found.iter().any(|d| d.message.contains("decimal commas")));
    let first = joint_of(entries_of(&table, FileSection::Joints)[0]);
    assert_eq!(first.overrides["radius"], JsonNumber(123_456.8));
    assert_eq!(first.overrides["dragForce"], JsonNumber(-20.5));
    let again =
        unity_csv::read(&unity_csv::write(&table, ExportOptions::new(DEFAULT_FORMAT)), "t.csv").expect("readable").0;
    check_equivalent(&again, &table, &file_name(&case));
}

#[test]
fn recorded_imports_have_the_same_invalid_rows() {
    for case in recording_folders("load_") {
        let bytes = std::fs::read(case.join("input.csv")).expect("an input");
        let after = std::fs::read(case.join("after.json")).expect("a result");
        let after: Value = serde_json::from_slice(&after).expect("JSON");
        let errors = after["errors"].as_array().expect("a list of errors");
        // UnityChanSpringBone rejects a row of empty cells; this importer ignores the row.
        let padding =
            |e: &&Value| e["sourceLine"].as_str().is_some_and(|l| l.chars().any(|c| c != ',' && !c.is_whitespace()));
        let count = |what: &str| {
            errors.iter().filter(padding).filter(|e| e["message"].as_str().is_some_and(|m| m.ends_with(what))).count()
        };
        match unity_csv::read(&bytes, "t.csv") {
            Ok((table, found)) => {
                assert_eq!(
                    invalid_joint_count(&table),
                    count("SpringBoneBaseSerializer"),
                    "{}: {found:?}",
                    case.display()
                );
            }
            Err(found) => {
                let refused = ["load_empty_text", "load_version5"];
                assert!(refused.contains(&file_name(&case).as_str()), "{}: {found:?}", case.display());
            }
        }
    }
}

#[test]
fn a_message_names_line_column_and_bone() {
    let csv = "version,4\n\n[SpringBones]\nhair_2,0.05,o.5,0.4,0,0,0,1,Head,1,-1,1,False,0,0,100,0\n";
    let (table, found) = unity_csv::read(csv.as_bytes(), "hair.csv").expect("readable");
    let text: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "hair.csv:4, column \"stiffnessForce\", bone \"hair_2\": \"o.5\" is not a number",
            "hair.csv:4, column \"use y angle limit\", bone \"hair_2\": \"1\", expected True or False",
        ]
    );
    assert!(table.entries[0].content.is_err());
    assert_eq!(csv_row_cells(&table.entries[0])[2], "o.5");
}

#[test]
fn out_of_range_values_are_kept_and_reported() {
    let csv = "version,4\n[SpringBones]\na,-1,1,1.5,0,0,0,1,Head,true,-1,1,false,0,0,100,0\n";
    let (table, found) = unity_csv::read(csv.as_bytes(), "t.csv").expect("readable");
    assert_eq!(invalid_joint_count(&table), 0);
    let text: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "t.csv:3, column \"radius\", bone \"a\": -1 is below 0",
            "t.csv:3, column \"dragForce\", bone \"a\": 1.5 is outside 0 to 1",
        ]
    );
}

#[test]
fn a_given_encoding_is_used() {
    let csv = "version,4\n[SpringBones]\n髪_左,1,1,1,0,0,0,1,Head,true,-1,1,false,0,0,100,0\n";
    let bytes = encoding_rs::EUC_JP.encode(csv).0;
    let (table, found) = unity_csv::read_with_encoding(&bytes, "t.csv", "euc-jp").expect("readable");
    assert_eq!((table.entries[0].name.as_str(), table.csv.encoding), ("髪_左", "EUC-JP"));
    assert_eq!(found, []);
}

#[track_caller]
fn check_rejected(bytes: &[u8], expected: &str) {
    let found = unity_csv::read(bytes, "t.csv").expect_err("unreadable");
    assert_eq!(found.last().expect("a reason").to_string(), expected);
}

#[test]
fn a_file_that_is_not_a_table_is_rejected_with_a_reason() {
    check_rejected(b"", "t.csv: the file has no rows");
    check_rejected(b"\n\n,,\n", "t.csv: the file has no rows");
    check_rejected(b"version,5\n", "t.csv: the table has version 5; expected 3 or 4");
    let no_table = "t.csv: this is not a dynamics CSV: there is no [SpringBones] section and no version row";
    check_rejected(b"first,last\nAda,Lovelace\n", no_table);
    check_rejected(&[0x89, 0x50, 0x00, 0xff, 0x0a, 0x22, 0x2c], no_table);
}

#[test]
fn a_joint_row_is_read_in_any_encoding_and_with_any_separator() {
    let plain = "version,4\n[SpringBones]\n髪_左,0.05,0.5,0.4,0,-0.25,0,1,Head,TRUE,-30,30,false,0,0,0.1,0,頭\n";
    let expected = unity_csv::read(plain.as_bytes(), "t.csv").expect("readable").0;
    let semicolons = plain.replace(',', ";").replace('.', ",");
    let utf16: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [0xfe, 0xff].into_iter().chain(plain.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    let quoted = plain.replace("髪_左", "髪\"_\"左").replace("0.25", "\"0.25\"");
    let forms: [(&str, Vec<u8>); 9] = [
        ("semicolons", semicolons.clone().into_bytes()),
        ("sep line", format!("sep=;\n{semicolons}").into_bytes()),
        ("tabs", plain.replace(',', "\t").into_bytes()),
        ("old Mac", plain.replace('\n', "\r").into_bytes()),
        ("Windows", format!("\u{feff}{}", plain.replace('\n', "\r\n")).into_bytes()),
        ("UTF-16", utf16),
        ("marked UTF-16", marked),
        ("Shift_JIS", encoding_rs::SHIFT_JIS.encode(plain).0.into_owned()),
        ("quotes", quoted.into_bytes()),
    ];
    for (form, bytes) in forms {
        let (table, _) = unity_csv::read(&bytes, "t.csv").unwrap_or_else(|e| panic!("{form}: {e:?}"));
        check_equivalent(&table, &expected, form);
    }
}

#[test]
fn huge_files_give_few_and_short_diagnostics() {
    let mut many = b"version,4\n[SpringBones]\n".to_vec();
    for i in 0..200_000 {
        many.extend_from_slice(format!("b{i}\n").as_bytes());
    }
    let (table, found) = unity_csv::read(&many, "t.csv").expect("readable");
    assert_eq!((table.entries.len(), invalid_joint_count(&table)), (200_000, 200_000));
    assert_eq!(found.len(), unity_csv::MAX_DIAGNOSTICS + 1);
    assert_eq!(found.last().expect("a count").message, "199800 more findings are not listed");

    let long = format!("version,4\n[SpringBones]\n{},1\n", "x".repeat(2_000_000));
    let (_, found) = unity_csv::read(long.as_bytes(), "t.csv").expect("readable");
    assert!(found.iter().all(|d| d.to_string().len() < 400));

    let commas = format!("version,4\n[SpringBones]\n{}", ",".repeat(5_000_000));
    let (_, found) = unity_csv::read(commas.as_bytes(), "t.csv").expect("readable");
    assert!(found.iter().any(|d| d.message.contains("too many cells")));

    let lie = "version,4\n[SpringBones]\na,1,1,1,1,1,1,1,p,true,1,1,true,1,1,1,18446744073709551615\n";
    assert_eq!(invalid_joint_count(&unity_csv::read(lie.as_bytes(), "t.csv").expect("readable").0), 1);
}

#[test]
fn unwritable_names_are_reported() {
    let bone = |name: &str| joint_entry(Joint { pivot: Some("Head".into()), ..Joint::new(name.to_owned()) });
    let names = ["fine", "//slash", "#hash", ";semi", "[SpringBones]", " lead", "", "=Bell", "a,b"];
    let table = SetupFile { entries: names.map(bone).to_vec(), ..empty_unitychan_file() };
    let reported: Vec<_> =
        unity_csv::unwritable_names(&table, "t.csv").into_iter().filter_map(|d| d.location.bone).collect();
    assert_eq!(reported, ["//slash", "#hash", ";semi", "[SpringBones]", " lead", "", "=Bell"]);
}

/// Returns a `UnityChanSpringBone` table without entries, in the coordinate space of such tables.
fn empty_unitychan_file() -> SetupFile {
    let file = SetupFile::new(CSV, SolverKind::UnityChanSpringBone);
    SetupFile { space: FileSpace::Unity(None), ..file }
}

fn joint_entry(joint: Joint<ByName>) -> FileEntry {
    let name = joint.bone.clone();
    FileEntry::new(
        0,
        FileSection::Joints,
        name,
        SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint }),
    )
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_][a-zA-Z0-9_. ,\"\t]{0,10}[a-z]",
        "[髪左右のスカート]{1,6}",
        "[a-z]{1,3}\n[a-z]{1,3}",
        Just("émigré 😀".to_owned())
    ]
    .prop_filter("a version row is no bone", |n| !n.eq_ignore_ascii_case("version"))
}

fn any_number() -> impl Strategy<Value = f32> {
    prop_oneof![proptest::num::f32::NORMAL, proptest::num::f32::SUBNORMAL, -100.0_f32..100.0, Just(f32::INFINITY)]
}

fn any_joint_entry() -> impl Strategy<Value = FileEntry> {
    let table = SolverKind::UnityChanSpringBone.info().params;
    let numbers = prop::collection::vec(any_number(), table.len());
    let target = any_name().prop_map(|node| LengthTarget::new(NodeRef::Named(node)));
    let lists = (prop::collection::vec(target, 0..3), prop::collection::vec(any_name(), 0..3));
    (any_name(), numbers, any_name(), lists).prop_map(move |(name, numbers, pivot, (length_targets, colliders))| {
        let own = enumerate_params(table).filter(|(_, d)| d.scope == ParamScope::Joint && !d.extension).map(
            |(param, def)| {
                let number = numbers[param.index()];
                let toggle = if number > 0.0 { 1.0 } else { 0.0 };
                (def.name.to_owned(), JsonNumber(if def.kind == ParamKind::Toggle { toggle } else { number }))
            },
        );
        let (own, pivot) = (own.collect(), Some(NodeRef::Named(pivot)));
        joint_entry(Joint { overrides: own, pivot, length_targets, colliders, ..Joint::new(name) })
    })
}

fn any_table() -> impl Strategy<Value = SetupFile> {
    let angles = [-400.0_f32..400.0, 0.0_f32..360.0, -1e-6_f32..1e-6];
    let pivot = (any_name(), any_name(), angles).prop_map(|(name, parent, euler_deg)| {
        let local = Trs { rotation: rotation_from_unity_euler(euler_deg), ..Trs::IDENTITY };
        let helper = Helper { name: name.clone(), parent: NodeRef::Named(parent), local, role: HelperRole::Pivot };
        FileEntry::new(0, FileSection::Pivots, name, SetupEntry::Helper(helper))
    });
    let section = prop::collection::vec(prop::collection::vec(any_name(), 1..5), 0..4);
    (prop::collection::vec(any_joint_entry(), 0..6), prop::collection::vec(pivot, 0..3), section).prop_map(
        |(bones, pivots, rows)| {
            // A section without rows is kept as a header.
            let rows = if rows.is_empty() { vec![vec!["[Lights]".to_owned()]] } else { rows };
            let row = |cells| Passthrough::CsvRow { section: "[Lights]".to_owned(), cells };
            let passthrough = rows.into_iter().map(row).collect();
            SetupFile { entries: bones.into_iter().chain(pivots).collect(), passthrough, ..empty_unitychan_file() }
        },
    )
}

proptest! {
    #[test]
    fn a_written_table_reads_back_unchanged(
        table in any_table(),
        line_end in prop_oneof![Just(LineEnding::Lf), Just(LineEnding::CrLf), Just(LineEnding::Cr)],
        bom: bool,
    ) {
        let bytes = unity_csv::write(&table, ExportOptions { line_ending: line_end, write_bom: Some(bom), ..ExportOptions::new(DEFAULT_FORMAT) });
        let (again, _) = unity_csv::read(&bytes, "t.csv").expect("readable");
        check_equivalent(&again, &table, "a table of any names");
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = unity_csv::read(&bytes, "t.csv");
    }

    #[test]
    fn any_text_is_read_and_written_without_a_panic(text in "(version,4\n)?(\\[SpringBones\\]\n)?[a,;\"\t\n\r0-9.é/#\\[\\]=]{0,200}") {
        if let Ok((table, _)) = unity_csv::read(text.as_bytes(), "t.csv") {
            let _ = unity_csv::write(&table, ExportOptions::new(DEFAULT_FORMAT));
        }
    }
}

#[test]
fn an_invalid_row_is_written_back_unchanged() {
    let cells = ["a", "o.5"].map(str::to_owned).to_vec();
    let row = Passthrough::CsvRow { section: "[SpringBones]".to_owned(), cells };
    let content = Err(vec![CellProblem::for_row(CellFault::TooFewCells { found: 2, expected: 17 })]);
    let joint = joint_entry(Joint::new("a".to_owned()));
    let item = FileEntry { csv_row: Some(row.clone()), content, ..joint };
    let table = SetupFile { entries: vec![item], ..empty_unitychan_file() };
    let (again, _) =
        unity_csv::read(&unity_csv::write(&table, ExportOptions::new(DEFAULT_FORMAT)), "t.csv").expect("readable");
    check_equivalent(&again, &table, "a bad row");
    assert_eq!(again.entries[0].csv_row, Some(row));
}

/// Removes angle limits from joints without a pivot. A table cannot distinguish these limits from limits in the
/// parent's frame, which the export reports as a loss.
fn without_limits_on_joints_without_pivot(mut document: Document) -> Document {
    let loose: Vec<_> = document
        .chains
        .iter()
        .flat_map(|(id, c)| c.joints.iter().filter(|j| j.pivot.is_none()).map(|j| (*id, j.bone)))
        .collect();
    for (chain, bone) in loose {
        for param in [Y_ACTIVE, Z_ACTIVE] {
            document.apply(Edit::SetOverride { chain, bone, param, value: Some(0.0) }).expect("an existing joint");
        }
    }
    document
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn importing_an_export_changes_nothing(
        dice in random_documents::any_edit_seeds(120),
        axis in prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)],
    ) {
        let skeleton = random_documents::plain_skeleton();
        let document = without_limits_on_joints_without_pivot(random_documents::edited_document(&dice, &skeleton));
        let options = ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis);
        let bytes = write_setup(&export(&document, &skeleton, options).file, options);
        let plan = import_plan(&bytes, &document, &skeleton, axis);
        prop_assert_eq!(plan.counts(FileSection::Joints).not_in_file, 0);
        for row in plan.rows() {
            if let ImportRowStatus::Matches { changes, .. } = row.status {
                prop_assert_eq!(changes, 0, "{}", &row.name);
            }
        }
        prop_assert_eq!(plan.edit(&document, &skeleton), Edit::Batch(Vec::new()));
    }

    #[test]
    fn an_import_into_an_empty_document_exports_the_same_table(
        dice in random_documents::any_edit_seeds(120),
        axis in prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)],
    ) {
        let skeleton = random_documents::plain_skeleton();
        let document = without_limits_on_joints_without_pivot(random_documents::edited_document(&dice, &skeleton));
        let options = ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis);
        let file = export(&document, &skeleton, options).file;
        let mut bare = Document::default();
        let plan = import_plan(&write_setup(&file, options), &bare, &skeleton, axis);
        let before = bare.clone();
        let changes = bare.apply_recorded(plan.edit(&bare, &skeleton)).expect("a good table");
        let again = export(&bare, &skeleton, options).file;
        prop_assert_eq!(joints_as_in_a_table(&again), joints_as_in_a_table(&file));
        prop_assert_eq!(passthrough_joint_rows(&again), passthrough_joint_rows(&file));
        changes.revert(&mut bare);
        prop_assert_eq!(bare, before);
    }
}

/// Returns the joints with switches of 0 or 1, because a table stores every other number of a switch as `True`.
fn joints_as_in_a_table(file: &SetupFile) -> Vec<FileEntry> {
    let mut joints: Vec<FileEntry> = entries_of(file, FileSection::Joints).into_iter().cloned().collect();
    let switches = [Y_ACTIVE, Z_ACTIVE].map(|param| SolverKind::UnityChanSpringBone.info().params[param.index()].name);
    for entry in &mut joints {
        if let Ok(SetupEntry::Joint(entry)) = &mut entry.content {
            let on = entry
                .joint
                .overrides
                .iter_mut()
                .filter(|(name, value)| switches.contains(&name.as_str()) && value.0 != 0.0);
            on.for_each(|(_, value)| value.0 = 1.0);
        }
    }
    joints
}

/// Returns the joint rows that are kept for another character.
fn passthrough_joint_rows(file: &SetupFile) -> Vec<&Passthrough> {
    let is_joint =
        |kept: &&Passthrough| matches!(kept, Passthrough::CsvRow { section, .. } if section == "[SpringBones]");
    file.passthrough.iter().filter(is_joint).collect()
}

/// Returns the skeleton of a recorded scene, in glTF space.
fn recorded_skeleton(scene: &Value, axis: FlipAxis) -> Skeleton {
    let bones = scene["nodes"].as_array().expect("nodes").iter().map(|node| Bone {
        name: node["name"].as_str().expect("a name").to_owned(),
        parent: u32::try_from(node["parent"].as_i64().expect("a parent")).ok().map(BoneId),
        rest: Trs {
            translation: flipped_vector(Vec3::from_array(read_numbers(&node["t"])), axis),
            rotation: flipped_rotation(Quat::from_array(read_numbers(&node["r"])), axis),
            scale: Vec3::from_array(read_numbers(&node["s"])),
        },
    });
    Skeleton::new(bones.collect()).expect("parents come first in recordings")
}

fn read_numbers<const N: usize>(value: &Value) -> [f32; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number") as f32)
}

fn flipped_vector(v: Vec3, axis: FlipAxis) -> Vec3 {
    match axis {
        FlipAxis::X => Vec3::new(-v.x, v.y, v.z),
        FlipAxis::Z => Vec3::new(v.x, v.y, -v.z),
    }
}

fn flipped_rotation(q: Quat, axis: FlipAxis) -> Quat {
    match axis {
        FlipAxis::X => Quat::from_xyzw(q.x, -q.y, -q.z, q.w),
        FlipAxis::Z => Quat::from_xyzw(-q.x, -q.y, q.z, q.w),
    }
}

/// Returns the directions in which the limits of a pivot open, as `UnityChanSpringBone` defines them: forward, Y side,
/// Z side.
fn limit_axes(rotation: Quat, forward: Vec3) -> [Vec3; 3] {
    [rotation * forward, rotation * Vec3::NEG_Y, rotation * Vec3::NEG_Z]
}

#[track_caller]
fn check_recorded_import(case: &Path, axis: FlipAxis) -> (usize, usize, f32) {
    let json = |file| -> Value {
        serde_json::from_slice(&std::fs::read(case.join(file)).expect("a recording")).expect("JSON")
    };
    let (before, after) = (json("before.json"), json("after.json"));
    if after["importSpringBones"] == false {
        return (0, 0, 0.0);
    }
    let bytes = std::fs::read(case.join("input.csv")).expect("a table");
    let Ok((table, _)) = unity_csv::read(&bytes, "t.csv") else {
        return (0, 0, 0.0);
    };
    let pivot_of = |item: &FileEntry| match &item.content {
        Ok(SetupEntry::Joint(joint)) => joint.joint.pivot.as_ref().map_or("", NodeRef::name).to_owned(),
        _ => String::new(),
    };
    let joints = entries_of(&table, FileSection::Joints);
    let given: BTreeMap<_, _> = joints.into_iter().map(|item| (item.name.clone(), pivot_of(item))).collect();
    // UnityChanSpringBone logged that it did not find the pivot "kneel", because the bone name "KneeL" differs in case.
    let said_lost = |pivot: &str| {
        let log = after["log"].as_array().expect("a log");
        log.iter().any(|l| l.as_str().is_some_and(|l| l.ends_with(&format!("見つかりません: {pivot}"))))
    };
    let skeleton = recorded_skeleton(&before, axis);
    let mut document = Document::default();
    let plan = import_plan(&bytes, &document, &skeleton, axis);
    document.apply(plan.edit(&document, &skeleton)).expect("a good plan");
    let resolved = document.resolve(&skeleton);
    let (mut bones, mut pivots, mut worst) = (0, 0, 0.0_f32);
    for recorded in after["bones"].as_array().expect("bones") {
        let name = recorded["name"].as_str().expect("a name");
        let Some(given_pivot) = given.get(name) else { continue };
        let mut joints = resolved.systems[0].joints.iter();
        let joint = joints.rfind(|j| resolved.skeleton.name(j.bone) == name);
        let joint = joint.unwrap_or_else(|| panic!("{}: {name} does not sway", case.display()));
        let last = after["bones"].as_array().expect("bones").iter().rfind(|b| b["name"] == name).expect("itself");
        check_joint_values(&joint.values, last, axis, case);
        bones += 1;
        let Some(pivot) = joint.pivot else { continue };
        // With mirror Z, a bone of the character cannot serve as a pivot for the solver.
        if said_lost(given_pivot) || (axis == FlipAxis::Z && pivot.index() < skeleton.len()) {
            continue;
        }
        // Compare rotations relative to the pivot's parent, because UnityChanSpringBone rotates character bones that a
        // pivot row names. This importer keeps their rotations.
        let theirs = last["pivotNode"].as_u64().expect("a pivot") as usize;
        let theirs = Quat::from_array(read_numbers(&after["nodes"][theirs]["r"]));
        let expected = limit_axes(theirs, Vec3::NEG_X).map(|v| flipped_vector(v, axis));
        let found = limit_axes(resolved.skeleton.bone(pivot).rest.rotation, Vec3::X);
        for (found, expected) in found.into_iter().zip(expected) {
            worst = worst.max(found.distance(expected).to_degrees());
        }
        pivots += 1;
    }
    (bones, pivots, worst)
}

#[track_caller]
fn check_joint_values(values: &ParamSet, recorded: &Value, axis: FlipAxis, case: &Path) {
    let table = SolverKind::UnityChanSpringBone.info().params;
    for (param, def) in enumerate_params(table).filter(|(_, d)| d.scope == ParamScope::Joint && !d.extension) {
        let recorded = match def.name.split_once([' ', '.']) {
            Some((vector, component)) if vector == "springForce" => {
                let at = ["x", "y", "z"].iter().position(|c| *c == component).expect("a component");
                flipped_vector(Vec3::from_array(read_numbers(&recorded[vector])), axis)[at]
            }
            Some((limits, "active")) => f32::from(recorded[limits]["active"].as_bool().expect("a toggle")),
            Some((limits, end)) => recorded[limits][end].as_f64().expect("a limit") as f32,
            None => recorded[def.name].as_f64().expect("a number") as f32,
        };
        assert_eq!(values.get(param), recorded, "{}: {}", case.display(), def.name);
    }
}

#[test]
fn recorded_imports_give_joints_the_same_values_and_limit_axes() {
    let (mut bones, mut pivots, mut worst) = (0, 0, 0.0_f32);
    for case in recording_folders("load_") {
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let (b, p, w) = check_recorded_import(&case, axis);
            println!("{} {axis:?}: {b} bones, {p} pivots, {w:.5} degrees", file_name(&case));
            (bones, pivots, worst) = (bones + b, pivots + p, worst.max(w));
        }
    }
    println!("{bones} bones, {pivots} pivots, worst {worst} degrees");
    assert!(bones > 0, "no recording has bones");
    assert!(worst < 0.01, "{worst} degrees");
}

#[test]
fn every_diagnostic_about_a_table_has_a_topic() {
    use yuremono_sim::diagnostics::DiagnosticTopic;
    let topics = |bytes: &[u8]| {
        let (_, found) = unity_csv::read(bytes, "t.csv").expect("a table");
        found.into_iter().filter(|d| d.location.bone.is_none()).map(|d| d.topic).collect::<Vec<_>>()
    };
    let row = "a,0.05,10,0.4,0,0,0,0,root,False,0,0,False,0,0,100,0\n";
    let bones = format!("[SpringBones]\n{row}");
    let all = |text: &str| topics(text.as_bytes());
    let of = |topic| vec![Some(topic)];
    assert_eq!(all(&format!("version,4\n{bones}")), []);
    assert_eq!(all(&bones), of(DiagnosticTopic::AlsoReportedByTable), "no version");
    assert_eq!(all(&format!("version,4\n{bones}[Unknown]\nx\n")), of(DiagnosticTopic::AlsoReportedByTable));
    assert_eq!(all(&format!("version,4\n{bones}[SpringBones]\n{row}")), of(DiagnosticTopic::AlsoReportedByTable));
    assert_eq!(all(&format!("version,4\n{bones},,\n")), of(DiagnosticTopic::AlsoReportedByTable), "a blank row");
    assert_eq!(all(&format!("version,4\nversion,4\n{bones}")), of(DiagnosticTopic::DuplicateVersionRow));
    assert_eq!(all(&format!("version,4\nodd\n{bones}")), of(DiagnosticTopic::UnusedLeadingRows));
    assert_eq!(all(&format!("version,4\n{bones}\"open\n")), of(DiagnosticTopic::UnclosedQuote));
    let ball = "Ball,root,0,0,0,0,0,0,1,1,1,sp,0.1,\n";
    assert_eq!(all(ball), [Some(DiagnosticTopic::AlsoReportedByTable), Some(DiagnosticTopic::LeadingColliderRows)]);
    let broken = [b"\xef\xbb\xbfversion,4\n\xff\n", bones.as_bytes()].concat();
    assert!(topics(&broken).contains(&Some(DiagnosticTopic::InvalidEncoding)));
}
