//! Import and export with a small character.

use super::*;
use crate::document::{
    ByName, Chain, ChainId, ChainPart, Change, Collider, Document, Edit, FlipAxis, Helper, HelperRole, HighLeg, Joint,
    JointEntry, LengthTarget, Node, NodeRef, Passthrough, ReplacedProperties, SetupEntry, Tip,
};
use crate::exchange::test_format::test_format;
use glam::{EulerRot, Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Character, Pose, Skeleton, WorldPose};
use yuremono_sim::solver::spring_bone::{BOUNCE, DRAG, SPRING_FORCE, STIFFNESS, Y_ACTIVE};
use yuremono_sim::{ColliderShape, SolverKind};

/// Hips and a head with two strands, `L_1 L_2 L_end` and `R_1 R_2 R_end`.
fn character() -> Character {
    let bone = |name: &str, parent: Option<u32>, at: [f32; 3]| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::from(at)),
    };
    let bones = vec![
        bone("Hips", None, [0.0, 1.0, 0.0]),
        bone("Head", Some(0), [0.0, 0.5, 0.0]),
        bone("L_1", Some(1), [0.1, 0.0, 0.0]),
        bone("L_2", Some(2), [0.0, -0.1, 0.0]),
        bone("L_end", Some(3), [0.0, -0.1, 0.0]),
        bone("R_1", Some(1), [-0.1, 0.0, 0.0]),
        bone("R_2", Some(5), [0.0, -0.1, 0.0]),
        bone("R_end", Some(6), [0.0, -0.1, 0.0]),
    ];
    Character { skeleton: Skeleton::new(bones).expect("parents come first"), ..Character::default() }
}

fn skeleton() -> Skeleton {
    character().skeleton
}

fn document() -> Document {
    let mut document = Document::default();
    let joints = vec![Joint::new(BoneId(2)), Joint::new(BoneId(3))];
    let chain = Chain::new("L_1", ChainPart::Hair, document.main_system().param_defs(), joints);
    document.chains.insert(ChainId(1), chain);
    document
}

/// A joint row with default values, except for stiffness and a force along X.
fn joint_row(line: u64, name: &str, stiffness: f32, pivot: &str) -> FileEntry {
    let mut joint = Joint::<ByName>::new(name.to_owned());
    let table = SolverKind::UnityChanSpringBone.info().params;
    for (param, def) in enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension) {
        let value = match param {
            STIFFNESS => stiffness,
            param if param == SPRING_FORCE[0] => -1.5,
            _ => def.default,
        };
        joint.overrides.insert(def.name.to_owned(), JsonNumber(value));
    }
    joint.pivot = (!pivot.is_empty()).then(|| pivot.into());
    let item = SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint });
    with_csv_row(line, "[SpringBones]", FileEntry::new(0, FileSection::Joints, name, item))
}

fn with_csv_row(line: u64, section: &str, item: FileEntry) -> FileEntry {
    let cells = vec![item.name.clone(), format!("cells of {}", item.name)];
    FileEntry { line, csv_row: Some(Passthrough::CsvRow { section: section.to_owned(), cells }), ..item }
}

fn invalid_row(line: u64, name: &str, problem: CellProblem) -> FileEntry {
    FileEntry { content: Err(vec![problem]), ..joint_row(line, name, 0.0, "") }
}

fn joint_of(item: &mut FileEntry) -> &mut Joint<ByName> {
    match &mut item.content {
        Ok(SetupEntry::Joint(item)) => &mut item.joint,
        other => panic!("{other:?} is not a joint"),
    }
}

fn pivot(name: &str, parent: &str, degrees: f32) -> FileEntry {
    let local = Trs { rotation: Quat::from_rotation_y(-degrees.to_radians()), ..Trs::IDENTITY };
    let helper = Helper { name: name.to_owned(), parent: parent.into(), local, role: HelperRole::Pivot };
    with_csv_row(0, "[Pivots]", FileEntry::new(0, FileSection::Pivots, name, SetupEntry::Helper(helper)))
}

fn node(name: &str, parent: &str, role: HelperRole) -> Helper<ByName> {
    let rotation = Quat::from_euler(EulerRot::YXZ, 0.3, 0.2, 0.1);
    let local = Trs { translation: Vec3::new(0.0, 0.1, 0.25), rotation, scale: Vec3::new(1.0, 2.0, 1.0) };
    Helper { name: name.to_owned(), parent: parent.into(), local, role }
}

fn collider(name: &str, parent: &str, shape: ColliderShape) -> FileEntry {
    let node = NodeRef::Inline(Box::new(node(name, parent, HelperRole::Plain)));
    let item = SetupEntry::Collider(Collider::new(name, node, shape));
    with_csv_row(0, "[Colliders]", FileEntry::new(0, FileSection::Colliders, name, item))
}

fn csv_file(items: Vec<FileEntry>) -> SetupFile {
    let file = SetupFile::new(test_format(), SolverKind::UnityChanSpringBone);
    SetupFile { entries: items, flipped_axis: Some(FlipAxis::X), ..file }
}

fn plan(file: &SetupFile, document: &Document) -> ImportPlan {
    ImportPlan::new(file.clone(), &[], document, &character(), &BTreeMap::new())
}

fn section_contents(file: &SetupFile, section: FileSection) -> Vec<&Result<SetupEntry, Vec<CellProblem>>> {
    file.entries.iter().filter(|item| item.section == section).map(|item| &item.content).collect()
}

#[test]
fn import_rows_report_what_they_would_change() {
    let problem = CellProblem::new("dragForce", "o.5", CellFault::NotANumber);
    let items = vec![
        joint_row(4, "L_1", 50.0, "Head"),
        joint_row(5, "Ribbon", 1.0, "Head"),
        invalid_row(9, "L_2", problem.clone()),
        joint_row(7, "=Bell", 1.0, ""),
    ];
    let mut plan = plan(&csv_file(items), &document());
    let states: Vec<_> = plan.rows().iter().map(|row| row.status.clone()).collect();
    let matches = ImportRowStatus::Matches { changes: 2, stiffness: Some((Some(0.01), 50.0)), notes: Vec::new() };
    assert_eq!(
        states,
        [
            matches,
            ImportRowStatus::BoneNotFound,
            ImportRowStatus::InvalidCells(vec![problem]),
            ImportRowStatus::BoneNotFound
        ]
    );
    let formulas: Vec<_> = plan.rows().iter().map(|row| row.looks_like_formula).collect();
    assert_eq!(formulas, [false, false, false, true]);
    let counts = ImportCounts { usable: 1, included: 1, unusable: 2, invalid: 1, not_in_file: 0 };
    assert_eq!(plan.counts(FileSection::Joints), counts);
    plan.set_included(0, false);
    plan.set_included(1, true);
    assert_eq!(plan.counts(FileSection::Joints).included, 0, "a row without a bone cannot be used");
}

#[test]
fn imported_values_become_overrides_and_are_undone_in_one_step() {
    let mut document = document();
    let before = document.clone();
    let plan = plan(&csv_file(vec![joint_row(4, "L_1", 50.0, "Head")]), &document);
    assert_eq!(plan.counts(FileSection::Joints).not_in_file, 1);
    let changes = document.apply_recorded(plan.edit(&document, &skeleton())).expect("applies");
    let joints = &document.chains[&ChainId(1)].joints;
    assert_eq!(joints[0].overrides, BTreeMap::from([(STIFFNESS, 50.0), (SPRING_FORCE[0], -1.5)]));
    assert!(joints[1].overrides.is_empty());
    assert_eq!(joints[0].pivot, None, "the parent's name with limits off means no pivot");
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn a_mapped_name_reaches_its_bone_and_the_last_of_two_rows_is_used() {
    let mut document = document();
    let items =
        vec![joint_row(4, "old_L", 50.0, "Head"), joint_row(5, "L_1", 60.0, "Head"), joint_row(6, "L_1", 70.0, "Head")];
    let name_map = BTreeMap::from([("old_L".to_owned(), Some(BoneId(3)))]);
    let plan = ImportPlan::new(csv_file(items), &[], &document, &character(), &name_map);
    assert_eq!(plan.rows()[1].status, ImportRowStatus::Duplicate(6));
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let joints = &document.chains[&ChainId(1)].joints;
    assert_eq!(joints[1].overrides[&STIFFNESS], 50.0);
    assert_eq!(joints[0].overrides[&STIFFNESS], 70.0);
}

#[test]
fn rows_for_bones_without_joints_create_chains_along_the_hierarchy() {
    let mut document = Document::default();
    let items = vec![
        joint_row(4, "R_2", 2.0, "R_1"),
        joint_row(5, "L_1", 3.0, "Head"),
        joint_row(6, "R_1", 1.0, "Head"),
        joint_row(7, "L_2", 4.0, "L_1"),
    ];
    let plan = plan(&csv_file(items), &document);
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let stiffness = |joint: &Joint| (joint.bone.0, joint.overrides[&STIFFNESS]);
    let found: Vec<_> = document
        .chains
        .values()
        .map(|c| (c.name.as_str(), c.joints.iter().map(stiffness).collect::<Vec<_>>()))
        .collect();
    assert_eq!(found, [("L_1", vec![(2, 3.0), (3, 4.0)]), ("R_1", vec![(5, 1.0), (6, 2.0)])]);
    assert!(document.chains.values().all(|chain| chain.is_overridden_by_all_joints(DRAG)));
}

#[test]
fn a_described_pivot_creates_one_helper_and_a_second_import_rotates_it() {
    let mut document = document();
    let given = |degrees| {
        csv_file(vec![joint_row(4, "L_1", 1.0, "P"), joint_row(5, "L_2", 1.0, "P"), pivot("P", "Head", degrees)])
    };
    document.apply(plan(&given(90.0), &document).edit(&document, &skeleton())).expect("applies");
    let (id, helper) = document.helpers.first_key_value().map(|(id, helper)| (*id, helper.clone())).expect("a pivot");
    assert_eq!((helper.name.as_str(), helper.parent), ("P", Node::Bone(BoneId(1))));
    assert_eq!(helper.local.translation, Vec3::new(0.1, 0.0, 0.0), "a pivot is at its joint");
    assert!((helper.local.rotation * Vec3::X - Vec3::Z).length() < 1e-5);
    assert!(document.chains[&ChainId(1)].joints.iter().all(|joint| joint.pivot == Some(Node::Helper(id))));
    assert!(document.passthrough.is_empty());
    let again = plan(&given(91.0), &document).edit(&document, &skeleton());
    let Edit::Changes(changes) = &again else { panic!("{again:?}") };
    assert!(matches!(changes.iter().collect::<Vec<_>>()[..], [Change::Helper(_)]));
    document.apply(again).expect("applies");
    assert_eq!(document.helpers.len(), 1);
}

#[test]
fn rows_for_missing_bones_are_exported_unchanged() {
    let mut document = document();
    let mut first = joint_row(4, "L_1", 1.0, "Ghost");
    joint_of(&mut first).colliders = vec!["SkullSphere".to_owned()];
    joint_of(&mut first).length_targets = ["R_1", "Lantern"].map(|name| LengthTarget::new(name.into())).to_vec();
    let lost = [joint_row(5, "Ribbon", 0.25, "Somewhere"), pivot("Somewhere", "Elsewhere", 10.0)];
    let ball = collider("SkullSphere", "Skull", ColliderShape::SPHERE);
    let lights = |cells: &[&str]| Passthrough::CsvRow {
        section: "[Lights]".to_owned(),
        cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
    };
    let lights = [lights(&["// note"]), lights(&["a", "b"])];
    let items = std::iter::once(first.clone()).chain(lost.clone()).chain([ball.clone()]).collect();
    let given = SetupFile { passthrough: lights.to_vec(), ..csv_file(items) };
    let plan = plan(&given, &document);
    let name = |name: &str| name.to_owned();
    let notes = [
        ImportNote::MissingPivot(name("Ghost")),
        ImportNote::MissingColliders(vec![name("SkullSphere")]),
        ImportNote::MissingLengthTargets(vec![name("Lantern")]),
    ];
    assert_eq!(plan.rows()[0].status.notes(), notes);
    let states: Vec<_> = plan.rows_of(FileSection::Colliders).map(|(_, row)| row.status.clone()).collect();
    assert_eq!(states, [ImportRowStatus::NodeNotFound(name("Skull"))]);
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.chains[&ChainId(1)].joints[0].length_targets.len(), 1);
    let exported = export(&document, &skeleton(), ExportOptions::new(test_format())).file;
    let joints: Vec<_> = exported.entries.iter().filter(|item| item.section == FileSection::Joints).collect();
    assert_eq!(joints.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["L_1", "L_2"]);
    assert_eq!(joints[0].content, first.content);
    let kept: Vec<_> = lost.into_iter().chain([ball]).filter_map(|item| item.csv_row).chain(lights).collect();
    assert_eq!(exported.passthrough, kept);
}

#[test]
fn included_colliders_nodes_and_high_legs_are_exported_unchanged() {
    let mut document = document();
    let mut first = joint_row(4, "L_1", 1.0, "Head");
    joint_of(&mut first).colliders = ["Ball", "Rod", "Board"].map(str::to_owned).to_vec();
    let legs = vec![["L_1".into(), "L_2".into()]];
    let high_leg = SetupEntry::HighLeg(HighLeg { node: "Frame".into(), hip: "Hips".into(), legs });
    let frame = SetupEntry::Helper(node("Frame", "Hips", HelperRole::Null));
    let given = csv_file(vec![
        first.clone(),
        collider("Ball", "Head", ColliderShape::SPHERE),
        collider("Rod", "Frame", ColliderShape::CAPSULE),
        collider("Board", "Hips", ColliderShape::PANEL),
        with_csv_row(0, "[DynamicsNulls]", FileEntry::new(0, FileSection::Nodes, "Frame", frame)),
        with_csv_row(0, "[Components]", FileEntry::new(0, FileSection::HighLegs, "Frame", high_leg)),
    ]);
    let mut import = plan(&given, &document);
    let new = ImportRowStatus::New { notes: Vec::new() };
    for section in [FileSection::Colliders, FileSection::Nodes, FileSection::HighLegs] {
        assert!(import.rows_of(section).all(|(_, row)| row.status == new && row.included), "{section:?}");
    }
    let (ball, _) = import.rows_of(FileSection::Colliders).next().expect("a collider");
    import.set_included(ball, false);
    let changes = document.apply_recorded(import.edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.colliders.len(), 2);
    changes.revert(&mut document);
    document.apply(plan(&given, &document).edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.colliders.len(), 3);
    let exported = export(&document, &skeleton(), ExportOptions::new(test_format())).file;
    assert_eq!(section_contents(&exported, FileSection::Joints)[0], &first.content);
    for section in [FileSection::Colliders, FileSection::Nodes, FileSection::HighLegs] {
        assert_eq!(section_contents(&exported, section), section_contents(&given, section), "{section:?}");
    }
    let again = plan(&given, &document);
    for row in again.rows() {
        assert!(matches!(row.status, ImportRowStatus::Matches { changes: 0, .. }), "{row:?}");
    }
    assert_eq!(again.edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_collider_named_like_a_bone_is_placed_where_unitychan_would_move_the_bone() {
    let mut document = document();
    let given = csv_file(vec![collider("R_1", "Head", ColliderShape::SPHERE)]);
    let import = plan(&given, &document);
    let moves = ImportRowStatus::New { notes: vec![ImportNote::WouldMoveBone("R_1".to_owned())] };
    assert_eq!(import.rows()[0].status, moves);
    document.apply(import.edit(&document, &skeleton())).expect("applies");
    let resolved = document.resolve(&skeleton());
    let world = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let at = world.frame(resolved.systems[0].colliders[0].bone).position;
    assert!(at.distance(Vec3::new(0.0, 1.6, 0.25)) < 1e-5, "{at}");
    assert_eq!(plan(&given, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_rejected_import_changes_nothing() {
    let mut document = document();
    let plan = plan(&csv_file(vec![joint_row(1, "L_1", f32::NAN, "Head")]), &document);
    let before = document.clone();
    document.apply(plan.edit(&document, &skeleton())).expect_err("not a number");
    assert_eq!(document, before);
}

#[test]
fn export_to_a_table_lists_its_losses() {
    let mut document = document();
    document.excluded_bones.insert(BoneId(7));
    let ball = Collider::new("Ball", Node::Bone(BoneId(0)), ColliderShape::Sphere { radius: 0.1, inside: false });
    let id = document.next_collider_id();
    document.colliders.insert(id, ball);
    document.main_system_mut().values.set(BOUNCE, 0.5);
    let chain = document.chains.get_mut(&ChainId(1)).expect("a chain");
    chain.joints[0].tip = Tip::Offset(Vec3::Y);
    chain.joints[0].overrides.insert(Y_ACTIVE, 1.0);
    chain.joints[1].enabled = false;
    let cells = ["Ribbon", "1"].map(str::to_owned).to_vec();
    document.passthrough.push(Passthrough::CsvRow { section: "[SpringBones]".to_owned(), cells });
    let losses = export(&document, &skeleton(), ExportOptions::new(test_format())).losses;
    let name = |name: &str| name.to_owned();
    assert_eq!(
        losses,
        [
            ExportLoss::SystemValue("Bounce"),
            ExportLoss::ExcludedBones(1),
            ExportLoss::OffsetTip(name("L_1")),
            ExportLoss::LimitsWithoutPivot(name("L_1")),
            ExportLoss::JointDisabled(name("L_2")),
            ExportLoss::PassthroughRows(1),
        ]
    );
    let message = losses[4].diagnostic("hair.csv").to_string();
    assert_eq!(
        message,
        "hair.csv, bone \"L_2\": the joint is disabled; the file cannot store this, and the original simulates it"
    );
}

#[test]
fn a_bone_used_as_pivot_with_flipped_z_gets_a_note() {
    let mut given = joint_row(4, "L_1", 1.0, "Head");
    let active = SolverKind::UnityChanSpringBone.info().params[Y_ACTIVE.index()].name;
    joint_of(&mut given).overrides.insert(active.to_owned(), JsonNumber(1.0));
    let notes = |axis| {
        let file = SetupFile { flipped_axis: Some(axis), ..csv_file(vec![given.clone()]) };
        let ImportRowStatus::Matches { notes, .. } = plan(&file, &document()).rows()[0].status.clone() else {
            panic!("the bone is here")
        };
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(notes(FlipAxis::X), [""; 0]);
    assert_eq!(notes(FlipAxis::Z), ["limits refer to bone \"Head\"; with mirror Z they open to the other side"]);
}

#[test]
fn a_high_leg_node_named_like_a_bone_is_not_duplicated() {
    let mut document = document();
    let helper =
        Helper { name: "R_1".to_owned(), parent: Node::Bone(BoneId(0)), local: Trs::IDENTITY, role: HelperRole::Null };
    let helper_id = document.next_helper_id();
    document.helpers.insert(helper_id, helper);
    let high_leg = HighLeg { node: Node::Helper(helper_id), hip: Node::Bone(BoneId(0)), legs: Vec::new() };
    let id = document.next_high_leg_id();
    document.high_legs.insert(id, high_leg);
    let exported = export(&document, &skeleton(), ExportOptions::new(test_format())).file;
    assert_eq!(plan(&exported, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_force_on_nested_nodes_can_be_imported_without_those_nodes() {
    let mut document = document();
    let mut parent = Node::Bone(BoneId(1));
    for name in ["stand", "fan"] {
        let local = Trs::from_translation(Vec3::new(0.0, 0.25, 0.5));
        let id = document.next_helper_id();
        document.helpers.insert(id, Helper { name: name.to_owned(), parent, local, role: HelperRole::Plain });
        parent = Node::Helper(id);
    }
    let kind = yuremono_sim::ForceKind::ALL[0];
    let force = crate::document::Force { name: "Breeze".to_owned(), node: parent, kind, enabled: true };
    let id = document.next_force_id();
    document.forces.insert(id, force);
    let exported = export(&document, &skeleton(), ExportOptions::new(test_format())).file;
    assert_eq!(plan(&exported, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
    let bare = Document::default();
    let made = plan(&exported, &bare).after_import(&skeleton());
    assert_eq!(made.forces.len(), 1);
    let Node::Helper(fan) = made.forces.values().next().expect("a force").node else { panic!("a helper") };
    let fan = &made.helpers[&fan];
    assert_eq!((fan.parent, fan.local.translation), (Node::Bone(BoneId(1)), Vec3::new(0.0, 0.5, 1.0)));
}
