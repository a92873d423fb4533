use super::*;
use crate::doc::ExportOptions;
use crate::doc::table::{
    BadRow, BoneRow, ColliderCells, ColliderRow, ComponentRow, Fault, HighLegCells, LengthTarget, NodeCells, NullRow,
    PivotCells, PivotRow, Problem, RawRow, RawSection,
};
use crate::doc::{Chain, ChainId, Edit, Joint, KeptRow, Part};
use crate::math::Trs;
use crate::rig::{Bone, Pose, WorldPose};
use crate::schema::ParamSet;
use crate::sim::solver::spring_bone::{DRAG, SPRING_FORCE, STIFFNESS, Y_ACTIVE};
use crate::sim::{Shape, SolverKind};
use glam::Vec3;

/// Hips, then two strands `L_1 L_2 L_end` and `R_1 R_2 R_end` below a head.
fn skeleton() -> Skeleton {
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
    Skeleton::new(bones).expect("ordered")
}

fn document() -> Document {
    let mut document = Document::default();
    let joints = vec![Joint::new(BoneId(2)), Joint::new(BoneId(3))];
    document.setup.chains.insert(ChainId(1), Chain::new("L_1", Part::Hair, document.main().table(), joints));
    document
}

fn row(line: u64, name: &str, stiffness: f32, pivot: &str) -> BoneRow {
    let mut values = ParamSet::defaults(Document::default().main().table());
    values.set(STIFFNESS, stiffness);
    values.set(SPRING_FORCE[0], 1.5);
    let cells = BoneCells { values, pivot: pivot.to_owned(), length_targets: Vec::new(), colliders: Vec::new() };
    BoneRow { line, name: name.to_owned(), cells: Ok(cells) }
}

fn table(bones: Vec<BoneRow>) -> BoneTable {
    BoneTable { bones, ..BoneTable::new(SolverKind::UnityChanSpringBone) }
}

fn plan(table: BoneTable, document: &Document) -> ImportPlan {
    ImportPlan::new(table, Vec::new(), document, &skeleton(), Axis::X, &BTreeMap::new())
}

#[test]
fn rows_say_what_they_would_change() {
    let bad =
        BadRow { cells: vec!["o.5".to_owned()], problems: vec![Problem::new("dragForce", "o.5", Fault::NotANumber)] };
    let bad = BoneRow { line: 9, name: "L_2".to_owned(), cells: Err(bad) };
    let bones = vec![row(4, "L_1", 50.0, "Head"), row(5, "Ribbon", 1.0, "Head"), bad, row(7, "=Bell", 1.0, "")];
    let mut plan = plan(table(bones), &document());
    let states: Vec<_> = plan.rows().iter().map(|r| r.state.clone()).collect();
    assert_eq!(
        states,
        [
            RowState::Matches { changes: 2, stiffness: Some((Some(0.01), 50.0)), notes: Vec::new() },
            RowState::NoBone,
            RowState::BadCells(vec![Problem::new("dragForce", "o.5", Fault::NotANumber)]),
            RowState::NoBone,
        ]
    );
    let formulas: Vec<_> = plan.rows().iter().map(|r| r.formula).collect();
    assert_eq!(formulas, [false, false, false, true]);
    assert_eq!(plan.counts(), Counts { matching: 1, ticked: 1, no_bone: 2, bad: 1, not_in_file: 0 });
    plan.set_tick(0, false);
    plan.set_tick(1, true);
    assert_eq!(plan.counts().ticked, 0);
}

#[test]
fn values_become_the_joints_own_and_go_back_in_one_step() {
    let mut document = document();
    let before = document.clone();
    let plan = plan(table(vec![row(4, "L_1", 50.0, "Head")]), &document);
    assert_eq!(plan.counts().not_in_file, 1);
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
    let bones = vec![row(4, "old_L", 50.0, "Head"), row(5, "L_1", 60.0, "Head"), row(6, "L_1", 70.0, "Head")];
    let mapping = BTreeMap::from([("old_L".to_owned(), Some(BoneId(3)))]);
    let plan = ImportPlan::new(table(bones), Vec::new(), &document, &skeleton(), Axis::Z, &mapping);
    assert_eq!(plan.rows()[1].state, RowState::Repeated(6));
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let joints = &document.chains[&ChainId(1)].joints;
    assert_eq!(joints[1].own[&STIFFNESS], 50.0);
    assert_eq!(joints[0].own[&STIFFNESS], 70.0);
    assert_eq!(joints[0].own[&SPRING_FORCE[0]], 1.5, "mirror Z leaves X");
}

#[test]
fn bones_that_do_not_sway_yet_form_chains_by_ancestry() {
    let mut document = Document::default();
    let bones = vec![
        row(4, "R_2", 2.0, "R_1"),
        row(5, "L_1", 3.0, "Head"),
        row(6, "R_1", 1.0, "Head"),
        row(7, "L_2", 4.0, "L_1"),
    ];
    let plan = plan(table(bones), &document);
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    let found: Vec<_> = document
        .chains
        .values()
        .map(|c| (c.name.as_str(), c.joints.iter().map(|j| (j.bone.0, j.own[&STIFFNESS])).collect::<Vec<_>>()))
        .collect();
    assert_eq!(found, [("L_1", vec![(2, 3.0), (3, 4.0)]), ("R_1", vec![(5, 1.0), (6, 2.0)])]);
    assert!(document.chains.values().all(|c| c.is_exact(DRAG)));
}

#[test]
fn a_described_pivot_becomes_a_helper_once_and_is_turned_later() {
    let mut document = document();
    let pivot = |euler_deg| PivotRow {
        line: 0,
        name: "P".to_owned(),
        cells: Ok(PivotCells { parent: "Head".to_owned(), euler_deg }),
    };
    let mut given = table(vec![row(4, "L_1", 1.0, "P"), row(5, "L_2", 1.0, "P")]);
    given.pivots = vec![pivot([0.0, 90.0, 0.0])];
    document.apply(plan(given.clone(), &document).edit(&document, &skeleton())).expect("applies");
    let (id, helper) = document.helpers.first_key_value().map(|(i, h)| (*i, h.clone())).expect("a pivot");
    assert_eq!((helper.name.as_str(), helper.parent), ("P", Node::Bone(BoneId(1))));
    assert_eq!(helper.local.translation, Vec3::new(0.1, 0.0, 0.0));
    assert!((helper.local.rotation * Vec3::X - Vec3::Z).length() < 1e-5);
    assert!(document.chains[&ChainId(1)].joints.iter().all(|j| j.pivot == Some(Node::Helper(id))));
    assert!(document.kept.is_empty());
    given.pivots = vec![pivot([0.0, 91.0, 0.0])];
    let again = plan(given, &document).edit(&document, &skeleton());
    let Edit::Batch(edits) = &again else { panic!("one step") };
    assert!(matches!(edits[..], [Edit::PutHelper { .. }]));
    document.apply(again).expect("applies");
    assert_eq!(document.helpers.len(), 1);
}

#[test]
fn what_has_no_place_here_comes_back_on_export() {
    let mut document = document();
    let mut given = table(vec![row(4, "L_1", 1.0, "Ghost"), row(5, "Ribbon", 0.25, "Somewhere")]);
    let target = |bone: &str| LengthTarget { bone: bone.to_owned(), ratio: 1.01 };
    if let Ok(cells) = &mut given.bones[0].cells {
        cells.colliders = vec!["SkullSphere".to_owned()];
        cells.length_targets = vec![target("R_1"), target("Lantern")];
    }
    let cells = Ok(PivotCells { parent: "Elsewhere".to_owned(), euler_deg: [0.0, 10.0, 0.0] });
    given.pivots = vec![PivotRow { line: 0, name: "Somewhere".to_owned(), cells }];
    given.colliders = vec![collider("SkullSphere", "Skull", Shape::SPHERE)];
    let raw = |cells: &[&str]| RawRow { line: 0, cells: cells.iter().map(|c| (*c).to_owned()).collect() };
    given.sections = vec![RawSection { header: raw(&["[Lights]"]), rows: vec![raw(&["// note"]), raw(&["a", "b"])] }];
    let plan = plan(given.clone(), &document);
    let name = |n: &str| n.to_owned();
    assert_eq!(
        plan.rows()[0].state.notes(),
        [
            RowNote::NoPivot(name("Ghost")),
            RowNote::NoColliders(vec![name("SkullSphere")]),
            RowNote::NoTargets(vec![name("Lantern")])
        ]
    );
    assert_eq!(plan.rows_of(Section::Colliders)[0].state, RowState::NoNode(name("Skull")));
    document.apply(plan.edit(&document, &skeleton())).expect("applies");
    assert_eq!(document.chains[&ChainId(1)].joints[0].length_targets.len(), 1);
    let exported = export(&document, &skeleton(), ExportOptions::default()).table;
    let names: Vec<_> = exported.bones.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(names, ["L_1", "L_2", "Ribbon"]);
    assert_eq!(exported.bones[0].cells, given.bones[0].cells);
    assert_eq!(exported.bones[2].cells, given.bones[1].cells);
    assert_eq!(exported.pivots, given.pivots);
    assert_eq!(exported.colliders, given.colliders);
    assert_eq!(exported.sections, given.sections);
}

fn collider(name: &str, parent: &str, shape: Shape) -> ColliderRow {
    let (position, euler_deg, scale) = ([0.0, 0.1, 0.25], [10.0, 20.0, 30.0], [1.0, 2.0, 1.0]);
    let node = NodeCells { parent: parent.to_owned(), position, euler_deg, scale };
    ColliderRow::new(name, ColliderCells { node, shape, renderer: String::new() })
}

#[test]
fn colliders_nulls_and_components_come_with_ticks_and_go_back_as_they_came() {
    for axis in [Axis::X, Axis::Z] {
        let mut document = document();
        let mut given = table(vec![row(4, "L_1", 1.0, "Head")]);
        if let Ok(cells) = &mut given.bones[0].cells {
            cells.colliders = vec!["Ball".to_owned(), "Rod".to_owned(), "Board".to_owned()];
        }
        given.colliders = vec![
            collider("Ball", "Head", Shape::SPHERE),
            collider("Rod", "Frame", Shape::CAPSULE),
            collider("Board", "Hips", Shape::PANEL),
        ];
        let Ok(node) = collider("", "Hips", Shape::SPHERE).cells.map(|c| c.node) else { panic!("good") };
        given.nulls = vec![NullRow::new("Frame", node)];
        let legs = vec![["L_1".to_owned(), "L_2".to_owned()]];
        given.components = vec![ComponentRow::new("Frame", HighLegCells { hip: "Hips".to_owned(), legs })];
        let import = |document: &Document, table: &BoneTable| {
            ImportPlan::new(table.clone(), Vec::new(), document, &skeleton(), axis, &BTreeMap::new())
        };
        let mut plan = import(&document, &given);
        let new = RowState::New { notes: Vec::new() };
        for section in [Section::Colliders, Section::Nulls, Section::Components] {
            assert!(plan.rows_of(section).iter().all(|r| r.state == new && r.ticked), "{section:?}");
        }
        plan.set_tick_of(Section::Colliders, 0, false);
        let (inverse, _) = document.apply(plan.edit(&document, &skeleton())).expect("applies");
        assert_eq!(document.colliders.len(), 2);
        document.apply(inverse).expect("the inverse applies");
        document.apply(import(&document, &given).edit(&document, &skeleton())).expect("applies");
        assert_eq!(document.colliders.len(), 3);
        let options = ExportOptions::with_mirror(axis);
        let table = export(&document, &skeleton(), options).table;
        assert_eq!(table.bones[0].cells, given.bones[0].cells);
        assert_eq!(table.components, given.components);
        let names = |table: &BoneTable| table.colliders.iter().map(|r| r.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&table), names(&given));
        let again = import(&document, &given);
        for section in [Section::Colliders, Section::Nulls, Section::Components, Section::Bones] {
            let same = |r: &PlanRow| matches!(r.state, RowState::Matches { changes: 0, .. });
            assert!(again.rows_of(section).iter().all(same), "{axis:?} {section:?}: {:?}", again.rows_of(section));
        }
        assert_eq!(again.edit(&document, &skeleton()), Edit::Batch(Vec::new()));
    }
}

#[test]
fn a_collider_row_that_names_a_bone_of_the_file_stands_where_the_engine_would_move_that_bone() {
    let mut document = document();
    let mut given = table(Vec::new());
    given.colliders = vec![collider("R_1", "Head", Shape::SPHERE)];
    let import = plan(given.clone(), &document);
    let moves = RowState::New { notes: vec![RowNote::WouldMoveBone("R_1".to_owned())] };
    assert_eq!(import.rows_of(Section::Colliders)[0].state, moves);
    document.apply(import.edit(&document, &skeleton())).expect("applies");
    let resolved = document.resolve(&skeleton());
    let world = WorldPose::of(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let at = world.frame(resolved.systems[0].colliders[0].bone).position;
    assert!(at.distance(Vec3::new(0.0, 1.6, 0.25)) < 1e-5, "{at}");
    assert_eq!(plan(given, &document).edit(&document, &skeleton()), Edit::Batch(Vec::new()));
}

#[test]
fn a_refused_import_changes_nothing() {
    let mut document = document();
    let mut row = row(4, "L_1", f32::NAN, "Head");
    row.line = 1;
    let plan = plan(table(vec![row]), &document);
    let before = document.clone();
    document.apply(plan.edit(&document, &skeleton())).expect_err("not a number");
    assert_eq!(document, before);
}

#[test]
fn the_save_dialog_hears_what_is_lost() {
    let mut document = document();
    document.excluded.insert(BoneId(7));
    let ball = crate::doc::Collider::new(
        "Ball".to_owned(),
        Node::Bone(BoneId(0)),
        Shape::Sphere { radius: 0.1, inside: false },
    );
    document.setup.colliders.insert(document.fresh_collider(), ball);
    document.main_mut().values.set(crate::sim::solver::spring_bone::BOUNCE, 0.5);
    let chain = document.chains.get_mut(&ChainId(1)).expect("a chain");
    chain.joints[0].tip = crate::doc::Tip::Offset(Vec3::Y);
    chain.joints[0].own.insert(Y_ACTIVE, 1.0);
    chain.joints[1].enabled = false;
    document.kept.push(KeptRow { bone: "Ribbon".to_owned(), cells: vec!["1".to_owned()] });
    let losses = export(&document, &skeleton(), ExportOptions::default()).losses;
    let name = |n: &str| n.to_owned();
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
    assert_eq!(
        losses[4].diagnostic("hair.csv").to_string(),
        "hair.csv, bone \"L_2\": the joint is off; a table cannot say so"
    );
}

#[test]
fn a_bone_as_pivot_under_mirror_z_is_pointed_out() {
    let mut row = row(4, "L_1", 1.0, "Head");
    row.cells.as_mut().expect("good").values.set(Y_ACTIVE, 1.0);
    let notes = |axis| {
        let given = table(vec![row.clone()]);
        let plan = ImportPlan::new(given, Vec::new(), &document(), &skeleton(), axis, &BTreeMap::new());
        let RowState::Matches { notes, .. } = plan.rows()[0].state.clone() else { panic!("the bone is here") };
        notes
    };
    assert!(notes(Axis::X).is_empty());
    assert_eq!(
        notes(Axis::Z).iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["limits refer to bone \"Head\"; with mirror Z they open to the other side"]
    );
}
