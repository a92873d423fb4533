//! Files onto a small character and out of it again.

use super::*;
use crate::document::{
    Axis, ByName, Chain, ChainId, Collider, Document, Edit, Helper, HelperRole, HighLeg, Joint, JointItem, JointScope,
    LengthTarget, Node, NodeRef, Part, Passthrough, SetupItem, Tip,
};
use crate::math::{Number, Trs};
use crate::rig::{Bone, BoneId, Character, Pose, Skeleton, WorldPose};
use crate::schema::{Scope, rows};
use crate::sim::solver::spring_bone::{BOUNCE, DRAG, SPRING_FORCE, STIFFNESS, Y_ACTIVE};
use crate::sim::{Shape, SolverKind};
use glam::{EulerRot, Quat, Vec3};
use std::collections::BTreeMap;

/// Hips, then two strands `L_1 L_2 L_end` and `R_1 R_2 R_end` below a head.
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
    let chain = Chain::new("L_1", Part::Hair, document.main().table(), joints);
    document.chains.insert(ChainId(1), chain);
    document
}

/// A row of a joint with the engine's defaults but for its stiffness and a force along X.
fn row(line: u64, name: &str, stiffness: f32, pivot: &str) -> FileItem {
    let mut joint = Joint::<ByName>::new(name.to_owned());
    let table = SolverKind::UnityChanSpringBone.info().params;
    for (row, def) in rows(table).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond) {
        let value = match row {
            STIFFNESS => stiffness,
            row if row == SPRING_FORCE[0] => -1.5,
            _ => def.default,
        };
        joint.own.insert(def.name.to_owned(), Number(value));
    }
    joint.pivot = (!pivot.is_empty()).then(|| pivot.into());
    let item = SetupItem::Joint(JointItem { scope: JointScope::Row, chain: None, joint });
    in_table(line, "[SpringBones]", FileItem::new(0, Section::Joints, name, item))
}

/// An entry as a row of a CSV; what its cells are does not matter here.
fn in_table(line: u64, section: &str, item: FileItem) -> FileItem {
    let cells = vec![item.name.clone(), format!("cells of {}", item.name)];
    FileItem { line, verbatim: Some(Passthrough::Row { section: section.to_owned(), cells }), ..item }
}

/// A row that cannot be used.
fn bad(line: u64, name: &str, problem: Problem) -> FileItem {
    FileItem { content: Err(vec![problem]), ..row(line, name, 0.0, "") }
}

fn joint_of(item: &mut FileItem) -> &mut Joint<ByName> {
    match &mut item.content {
        Ok(SetupItem::Joint(item)) => &mut item.joint,
        other => panic!("{other:?} is not a joint"),
    }
}

fn pivot(name: &str, parent: &str, degrees: f32) -> FileItem {
    let local = Trs { rotation: Quat::from_rotation_y(-degrees.to_radians()), ..Trs::IDENTITY };
    let helper = Helper { name: name.to_owned(), parent: parent.into(), local, role: HelperRole::Pivot };
    in_table(0, "[Pivots]", FileItem::new(0, Section::Pivots, name, SetupItem::Node(helper)))
}

fn node(name: &str, parent: &str, role: HelperRole) -> Helper<ByName> {
    let rotation = Quat::from_euler(EulerRot::YXZ, 0.3, 0.2, 0.1);
    let local = Trs { translation: Vec3::new(0.0, 0.1, 0.25), rotation, scale: Vec3::new(1.0, 2.0, 1.0) };
    Helper { name: name.to_owned(), parent: parent.into(), local, role }
}

fn collider(name: &str, parent: &str, shape: Shape) -> FileItem {
    let node = NodeRef::Placed(Box::new(node(name, parent, HelperRole::Plain)));
    let item = SetupItem::Collider(Collider::new(name, node, shape));
    in_table(0, "[Colliders]", FileItem::new(0, Section::Colliders, name, item))
}

fn table(items: Vec<FileItem>) -> SetupFile {
    let file = SetupFile::new(TableFormat::Csv, SolverKind::UnityChanSpringBone);
    SetupFile { items, mirrored: Some(Axis::X), ..file }
}

fn plan(file: &SetupFile, document: &Document) -> ImportPlan {
    ImportPlan::new(file.clone(), &[], document, &character(), &BTreeMap::new())
}

fn contents(file: &SetupFile, section: Section) -> Vec<&Result<SetupItem, Vec<Problem>>> {
    file.items.iter().filter(|item| item.section == section).map(|item| &item.content).collect()
}

#[test]
fn rows_say_what_they_would_change() {
    let problem = Problem::new("dragForce", "o.5", Fault::NotANumber);
    let items = vec![
        row(4, "L_1", 50.0, "Head"),
        row(5, "Ribbon", 1.0, "Head"),
        bad(9, "L_2", problem.clone()),
        row(7, "=Bell", 1.0, ""),
    ];
    let mut plan = plan(&table(items), &document());
    let states: Vec<_> = plan.rows().iter().map(|row| row.state.clone()).collect();
    let matches = RowState::Matches { changes: 2, stiffness: Some((Some(0.01), 50.0)), notes: Vec::new() };
    assert_eq!(states, [matches, RowState::NoBone, RowState::BadCells(vec![problem]), RowState::NoBone]);
    let formulas: Vec<_> = plan.rows().iter().map(|row| row.formula).collect();
    assert_eq!(formulas, [false, false, false, true]);
    let counts = Counts { matching: 1, ticked: 1, no_bone: 2, bad: 1, not_in_file: 0 };
    assert_eq!(plan.counts_of(Section::Joints), counts);
    plan.set_tick(0, false);
    plan.set_tick(1, true);
    assert_eq!(plan.counts_of(Section::Joints).ticked, 0, "a row without bone cannot be used");
}

#[test]
fn values_become_the_joints_own_and_go_back_in_one_step() {
    let mut document = document();
    let before = document.clone();
    let plan = plan(&table(vec![row(4, "L_1", 50.0, "Head")]), &document);
    assert_eq!(plan.counts_of(Section::Joints).not_in_file, 1);
    let (inverse, _) = document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let joints = &document.chains[&ChainId(1)].joints;
    assert_eq!(joints[0].own, BTreeMap::from([(STIFFNESS, 50.0), (SPRING_FORCE[0], -1.5)]));
    assert!(joints[1].own.is_empty());
    assert_eq!(joints[0].pivot, None, "the parent's name with limits off means no pivot");
    document.apply(inverse).expect("the inverse applies");
    assert_eq!(document, before);
}

#[test]
fn a_mapped_name_goes_to_its_bone_and_the_last_of_two_rows_counts() {
    let mut document = document();
    let items = vec![row(4, "old_L", 50.0, "Head"), row(5, "L_1", 60.0, "Head"), row(6, "L_1", 70.0, "Head")];
    let leads = BTreeMap::from([("old_L".to_owned(), Some(BoneId(3)))]);
    let plan = ImportPlan::new(table(items), &[], &document, &character(), &leads);
    assert_eq!(plan.rows()[1].state, RowState::Repeated(6));
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let joints = &document.chains[&ChainId(1)].joints;
    assert_eq!(joints[1].own[&STIFFNESS], 50.0);
    assert_eq!(joints[0].own[&STIFFNESS], 70.0);
}

#[test]
fn bones_that_do_not_sway_yet_form_chains_by_ancestry() {
    let mut document = Document::default();
    let items = vec![
        row(4, "R_2", 2.0, "R_1"),
        row(5, "L_1", 3.0, "Head"),
        row(6, "R_1", 1.0, "Head"),
        row(7, "L_2", 4.0, "L_1"),
    ];
    let plan = plan(&table(items), &document);
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let stiffness = |joint: &Joint| (joint.bone.0, joint.own[&STIFFNESS]);
    let found: Vec<_> = document
        .chains
        .values()
        .map(|c| (c.name.as_str(), c.joints.iter().map(stiffness).collect::<Vec<_>>()))
        .collect();
    assert_eq!(found, [("L_1", vec![(2, 3.0), (3, 4.0)]), ("R_1", vec![(5, 1.0), (6, 2.0)])]);
    assert!(document.chains.values().all(|chain| chain.is_exact(DRAG)));
}

#[test]
fn a_described_pivot_becomes_a_helper_once_and_is_turned_later() {
    let mut document = document();
    let given = |degrees| table(vec![row(4, "L_1", 1.0, "P"), row(5, "L_2", 1.0, "P"), pivot("P", "Head", degrees)]);
    document.apply(plan(&given(90.0), &document).edit(&document, &skeleton())).expect("applies");
    let (id, helper) = document.helpers.first_key_value().map(|(id, helper)| (*id, helper.clone())).expect("a pivot");
    assert_eq!((helper.name.as_str(), helper.parent), ("P", Node::Bone(BoneId(1))));
    assert_eq!(helper.local.translation, Vec3::new(0.1, 0.0, 0.0), "a pivot is at its joint");
    assert!((helper.local.rotation * Vec3::X - Vec3::Z).length() < 1e-5);
    assert!(document.chains[&ChainId(1)].joints.iter().all(|joint| joint.pivot == Some(Node::Helper(id))));
    assert!(document.passthrough.is_empty());
    let again = plan(&given(91.0), &document).edit(&document, &skeleton());
    let Edit::Batch(edits) = &again else { panic!("one step") };
    assert!(matches!(edits[..], [Edit::PutHelper { .. }]));
    document.apply(again).expect("applies");
    assert_eq!(document.helpers.len(), 1);
}

#[test]
fn what_the_character_lacks_comes_back_on_export() {
    let mut document = document();
    let mut first = row(4, "L_1", 1.0, "Ghost");
    joint_of(&mut first).colliders = vec!["SkullSphere".to_owned()];
    joint_of(&mut first).length_targets = ["R_1", "Lantern"].map(|name| LengthTarget::new(name.into())).to_vec();
    let lost = [row(5, "Ribbon", 0.25, "Somewhere"), pivot("Somewhere", "Elsewhere", 10.0)];
    let ball = collider("SkullSphere", "Skull", Shape::SPHERE);
    let lights = |cells: &[&str]| Passthrough::Row {
        section: "[Lights]".to_owned(),
        cells: cells.iter().map(|cell| (*cell).to_owned()).collect(),
    };
    let lights = [lights(&["// note"]), lights(&["a", "b"])];
    let items = std::iter::once(first.clone()).chain(lost.clone()).chain([ball.clone()]).collect();
    let given = SetupFile { passthrough: lights.to_vec(), ..table(items) };
    let plan = plan(&given, &document);
    let name = |name: &str| name.to_owned();
    let notes = [
        RowNote::NoPivot(name("Ghost")),
        RowNote::NoColliders(vec![name("SkullSphere")]),
        RowNote::NoTargets(vec![name("Lantern")]),
    ];
    assert_eq!(plan.rows()[0].state.notes(), notes);
    let states: Vec<_> = plan.rows_of(Section::Colliders).map(|(_, row)| row.state.clone()).collect();
    assert_eq!(states, [RowState::NoNode(name("Skull"))]);
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.chains[&ChainId(1)].joints[0].length_targets.len(), 1);
    let exported = export(&document, &skeleton(), ExportOptions::default()).file;
    let joints: Vec<_> = exported.items.iter().filter(|item| item.section == Section::Joints).collect();
    assert_eq!(joints.iter().map(|item| item.name.as_str()).collect::<Vec<_>>(), ["L_1", "L_2"]);
    assert_eq!(joints[0].content, first.content);
    let kept: Vec<_> = lost.into_iter().chain([ball]).filter_map(|item| item.verbatim).chain(lights).collect();
    assert_eq!(exported.passthrough, kept);
}

#[test]
fn colliders_nodes_and_components_come_with_ticks_and_go_back_unchanged() {
    let mut document = document();
    let mut first = row(4, "L_1", 1.0, "Head");
    joint_of(&mut first).colliders = ["Ball", "Rod", "Board"].map(str::to_owned).to_vec();
    let legs = vec![["L_1".into(), "L_2".into()]];
    let high_leg = SetupItem::HighLeg(HighLeg { node: "Frame".into(), hip: "Hips".into(), legs });
    let frame = SetupItem::Node(node("Frame", "Hips", HelperRole::Null));
    let given = table(vec![
        first.clone(),
        collider("Ball", "Head", Shape::SPHERE),
        collider("Rod", "Frame", Shape::CAPSULE),
        collider("Board", "Hips", Shape::PANEL),
        in_table(0, "[DynamicsNulls]", FileItem::new(0, Section::Nodes, "Frame", frame)),
        in_table(0, "[Components]", FileItem::new(0, Section::HighLegs, "Frame", high_leg)),
    ]);
    let mut import = plan(&given, &document);
    let new = RowState::New { notes: Vec::new() };
    for section in [Section::Colliders, Section::Nodes, Section::HighLegs] {
        assert!(import.rows_of(section).all(|(_, row)| row.state == new && row.ticked), "{section:?}");
    }
    let (ball, _) = import.rows_of(Section::Colliders).next().expect("a collider");
    import.set_tick(ball, false);
    let (inverse, _) = document.apply(import.edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.colliders.len(), 2);
    document.apply(inverse).expect("the inverse applies");
    document.apply(plan(&given, &document).edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.colliders.len(), 3);
    let exported = export(&document, &skeleton(), ExportOptions::default()).file;
    assert_eq!(contents(&exported, Section::Joints)[0], &first.content);
    for section in [Section::Colliders, Section::Nodes, Section::HighLegs] {
        assert_eq!(contents(&exported, section), contents(&given, section), "{section:?}");
    }
    let again = plan(&given, &document);
    for row in again.rows() {
        assert!(matches!(row.state, RowState::Matches { changes: 0, .. }), "{row:?}");
    }
    assert_eq!(again.edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_collider_with_the_name_of_a_bone_is_where_the_engine_would_move_that_bone() {
    let mut document = document();
    let given = table(vec![collider("R_1", "Head", Shape::SPHERE)]);
    let import = plan(&given, &document);
    let moves = RowState::New { notes: vec![RowNote::WouldMoveBone("R_1".to_owned())] };
    assert_eq!(import.rows()[0].state, moves);
    document.apply(import.edit(&document, &skeleton())).expect("applies");
    let resolved = document.resolve(&skeleton());
    let world = WorldPose::of(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let at = world.frame(resolved.systems[0].colliders[0].bone).position;
    assert!(at.distance(Vec3::new(0.0, 1.6, 0.25)) < 1e-5, "{at}");
    assert_eq!(plan(&given, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_refused_import_changes_nothing() {
    let mut document = document();
    let plan = plan(&table(vec![row(1, "L_1", f32::NAN, "Head")]), &document);
    let before = document.clone();
    document.apply(plan.edit(&document, &skeleton())).expect_err("not a number");
    assert_eq!(document, before);
}

#[test]
fn an_export_lists_what_a_table_loses() {
    let mut document = document();
    document.excluded.insert(BoneId(7));
    let ball = Collider::new("Ball", Node::Bone(BoneId(0)), Shape::Sphere { radius: 0.1, inside: false });
    let id = document.fresh_collider();
    document.colliders.insert(id, ball);
    document.main_mut().values.set(BOUNCE, 0.5);
    let chain = document.chains.get_mut(&ChainId(1)).expect("a chain");
    chain.joints[0].tip = Tip::Offset(Vec3::Y);
    chain.joints[0].own.insert(Y_ACTIVE, 1.0);
    chain.joints[1].enabled = false;
    let cells = ["Ribbon", "1"].map(str::to_owned).to_vec();
    document.passthrough.push(Passthrough::Row { section: "[SpringBones]".to_owned(), cells });
    let losses = export(&document, &skeleton(), ExportOptions::default()).losses;
    let name = |name: &str| name.to_owned();
    assert_eq!(
        losses,
        [
            ExportLoss::SystemValue("Bounce"),
            ExportLoss::Excluded(1),
            ExportLoss::VirtualTip(name("L_1")),
            ExportLoss::LimitsWithoutPivot(name("L_1")),
            ExportLoss::Disabled(name("L_2")),
            ExportLoss::KeptRows(1),
        ]
    );
    let message = losses[4].diagnostic("hair.csv").to_string();
    assert_eq!(message, "hair.csv, bone \"L_2\": the joint is off; a table cannot say so");
}

#[test]
fn a_bone_as_pivot_under_mirror_z_is_pointed_out() {
    let mut given = row(4, "L_1", 1.0, "Head");
    let active = SolverKind::UnityChanSpringBone.info().params[Y_ACTIVE.index()].name;
    joint_of(&mut given).own.insert(active.to_owned(), Number(1.0));
    let notes = |axis| {
        let file = SetupFile { mirrored: Some(axis), ..table(vec![given.clone()]) };
        let RowState::Matches { notes, .. } = plan(&file, &document()).rows()[0].state.clone() else {
            panic!("the bone is here")
        };
        notes.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(notes(Axis::X), [""; 0]);
    assert_eq!(notes(Axis::Z), ["limits refer to bone \"Head\"; with mirror Z they open to the other side"]);
}

#[test]
fn raised_thigh_nodes_that_share_a_name_with_a_bone_are_not_doubled() {
    let mut document = document();
    let helper =
        Helper { name: "R_1".to_owned(), parent: Node::Bone(BoneId(0)), local: Trs::IDENTITY, role: HelperRole::Null };
    let helper_id = document.fresh_helper();
    document.helpers.insert(helper_id, helper);
    let high_leg = HighLeg { node: Node::Helper(helper_id), hip: Node::Bone(BoneId(0)), legs: Vec::new() };
    let id = document.fresh_high_leg();
    document.high_legs.insert(id, high_leg);
    let exported = export(&document, &skeleton(), ExportOptions::default()).file;
    assert_eq!(plan(&exported, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_force_on_nested_nodes_comes_to_a_bare_character() {
    let mut document = document();
    let mut parent = Node::Bone(BoneId(1));
    for name in ["stand", "fan"] {
        let local = Trs::from_translation(Vec3::new(0.0, 0.25, 0.5));
        let id = document.fresh_helper();
        document.helpers.insert(id, Helper { name: name.to_owned(), parent, local, role: HelperRole::Plain });
        parent = Node::Helper(id);
    }
    let kind = crate::sim::ForceKind::ALL[0];
    let force = crate::document::Force { name: "Breeze".to_owned(), node: parent, kind, enabled: true };
    let id = document.fresh_force();
    document.forces.insert(id, force);
    let exported = export(&document, &skeleton(), ExportOptions::default()).file;
    assert_eq!(plan(&exported, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
    let bare = Document::default();
    let made = plan(&exported, &bare).after(&skeleton());
    assert_eq!(made.forces.len(), 1);
    let Node::Helper(fan) = made.forces.values().next().expect("a force").node else { panic!("a helper") };
    let fan = &made.helpers[&fan];
    assert_eq!((fan.parent, fan.local.translation), (Node::Bone(BoneId(1)), Vec3::new(0.0, 0.5, 1.0)));
}
