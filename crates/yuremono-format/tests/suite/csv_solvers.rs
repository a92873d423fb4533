//! Exports and imports tables of solvers that the Unity CSV does not cover.

use crate::csv::{entries_of, import_plan};
use crate::support::random_documents;
use glam::{Quat, Vec3};
use proptest::prelude::*;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::write_setup;
use yuremono_format::unity_csv;
use yuremono_format::unity_space::to_unity;
use yuremono_model::document::{
    Collider, ColliderGroup, ColliderId, Document, Edit, FlipAxis, GroupId, Helper, HelperRole, Node, SetupEntry,
};
use yuremono_model::exchange::{ExportOptions, FileSection, ImportNote, ImportPlan, ImportRowStatus, export};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{MirrorRule, ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::solver::vrm;
use yuremono_sim::{ColliderShape, SolverKind, SwingLimit, SwingShape};

fn export_text(document: &Document, skeleton: &Skeleton, axis: FlipAxis) -> String {
    let options = ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis);
    let bytes = write_setup(&export(document, skeleton, options).file, options);
    String::from_utf8(bytes).expect("a table is text")
}

fn plan_import(text: &str, document: &Document, skeleton: &Skeleton, axis: FlipAxis) -> ImportPlan {
    let plan = import_plan(text.as_bytes(), document, skeleton, axis);
    assert_eq!(plan.file().systems[0].solver, document.main_system().solver, "the section names the solver");
    plan
}

fn apply_plan(mut document: Document, plan: &ImportPlan, skeleton: &Skeleton) -> Document {
    let edit = plan.edit(&document, skeleton);
    document.apply(edit).expect("a plan of an export applies");
    document
}

fn any_axis() -> impl Strategy<Value = FlipAxis> {
    prop_oneof![Just(FlipAxis::X), Just(FlipAxis::Z)]
}

fn any_solver() -> impl Strategy<Value = SolverKind> {
    let others = SolverKind::ALL.iter().copied().filter(|kind| *kind != SolverKind::UnityChanSpringBone);
    prop_oneof![Just(SolverKind::Vrm), prop::sample::select(others.collect::<Vec<_>>())]
}

/// Returns a random document with additional groups, centers and limits.
fn document_with_groups_and_limits(
    solver: SolverKind,
    dice: &[random_documents::EditSeed],
    skeleton: &Skeleton,
) -> Document {
    let mut document = random_documents::edited_document_with_solver(solver, dice, skeleton);
    let colliders: Vec<ColliderId> = document.colliders.keys().copied().collect();
    for (n, [a, b, ..]) in dice.iter().take(3).enumerate() {
        let pick = |roll: u32| colliders.iter().copied().filter(|id| (id.0 ^ roll).is_multiple_of(2)).collect();
        let group = ColliderGroup { name: format!("group {}", a % 2), colliders: pick(*b), source_index: None };
        let edit = Edit::PutGroup { id: GroupId(n as u32 + 1), group: Some(group) };
        document.apply(edit).expect("a group of existing colliders");
    }
    let chains: Vec<_> = document.chains.iter().map(|(id, c)| (*id, c.clone())).collect();
    for ((id, mut chain), [a, b, c, ..]) in chains.into_iter().zip(dice.iter().copied()) {
        chain.groups = document.groups.keys().copied().filter(|id| (id.0 ^ a) % 2 == 0).collect();
        chain.center = (b % 2 == 0).then_some(Node::Bone(BoneId(c % 14)));
        let shape = match c % 3 {
            0 => SwingShape::Cone { angle: 0.7 },
            1 => SwingShape::Hinge { angle: 1.3 },
            _ => SwingShape::Spherical { pitch: 0.3, yaw: 1.1 },
        };
        let rotation = Quat::from_euler(glam::EulerRot::XYZ, 0.3, (a % 7) as f32, (b % 5) as f32);
        chain.joints[0].limit = (a % 3 != 0).then_some(SwingLimit { shape, rotation });
        document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("the chain exists");
    }
    document
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn importing_a_table_of_any_solver_and_exporting_again_gives_the_same_bytes(
        dice in random_documents::any_edit_seeds(24),
        solver in any_solver(),
        axis in any_axis(),
    ) {
        let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
        let document = document_with_groups_and_limits(solver, &dice, &skeleton);
        let first = export_text(&document, &skeleton, axis);
        let plan = plan_import(&first, &document, &skeleton, axis);
        let again = export_text(&apply_plan(document, &plan, &skeleton), &skeleton, axis);
        let other = again.lines().zip(first.lines()).find(|(a, b)| a != b);
        prop_assert_eq!(other, None, "{}\n----\n{}", again, first);
        prop_assert_eq!(again.lines().count(), first.lines().count(), "{}\n----\n{}", again, first);
    }
}

/// Returns a VRM chain of three bones with two colliders in a group, one collider of a single joint, a center and a
/// limit.
fn vrm_document(skeleton: &Skeleton) -> Document {
    let mut document = Document::with_solver(SolverKind::Vrm);
    document.main_system_mut().values.set(vrm::VERSION, 1.0);
    let joints = [1, 2, 3].map(|i| yuremono_model::document::Joint::new(BoneId(i)));
    let mut chain = yuremono_model::document::Chain::new(
        "Tail",
        yuremono_model::document::ChainPart::Tail,
        document.main_system().param_defs(),
        joints.to_vec(),
    );
    for (param, value) in
        [(vrm::STIFFNESS, 1.5), (vrm::DRAG, 0.4), (vrm::HIT_RADIUS, 0.02), (vrm::GRAVITY_DIR[0], 0.25)]
    {
        for joint in &mut chain.joints {
            joint.overrides.insert(param, value);
        }
    }
    let shapes = [
        ColliderShape::Sphere { radius: 0.1, inside: false },
        ColliderShape::Capsule { radius: 0.2, height: 0.5, inside: true },
        ColliderShape::Plane,
    ];
    for (n, shape) in (1..).zip(shapes) {
        let helper = Helper {
            name: format!("Collider {n}"),
            parent: Node::Bone(BoneId(8)),
            local: Trs::from_translation(Vec3::new(0.01, 0.02, 0.03 * n as f32)),
            role: HelperRole::Plain,
        };
        document.helpers.insert(yuremono_model::document::HelperId(n), helper);
        let node = Node::Helper(yuremono_model::document::HelperId(n));
        document.colliders.insert(ColliderId(n), Collider::new(format!("Collider {n}"), node, shape));
    }
    let colliders = vec![ColliderId(2), ColliderId(1)];
    let name = "Body".to_owned();
    document.groups.insert(GroupId(1), ColliderGroup { name, colliders, source_index: None });
    chain.groups = vec![GroupId(1)];
    chain.center = Some(Node::Bone(BoneId(0)));
    chain.joints[1].colliders = vec![ColliderId(3)];
    let shape = SwingShape::Cone { angle: 0.5 };
    chain.joints[0].limit = Some(SwingLimit { shape, rotation: Quat::from_rotation_z(0.25) });
    document.chains.insert(yuremono_model::document::ChainId(1), chain);
    assert_eq!(skeleton.get_parent(BoneId(3)), Some(BoneId(2)));
    document
}

#[test]
fn a_vrm_table_transfers_groups_centers_and_swing_limits_to_an_empty_document() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let document = vrm_document(&skeleton);
    for axis in [FlipAxis::X, FlipAxis::Z] {
        let text = export_text(&document, &skeleton, axis);
        let bare = Document::with_solver(SolverKind::Vrm);
        let plan = plan_import(&text, &bare, &skeleton, axis);
        let made = apply_plan(bare, &plan, &skeleton);
        assert_eq!(export_text(&made, &skeleton, axis), text, "{axis:?}");
        let chain = made.chains.values().next().expect("a chain");
        let groups: Vec<_> = made.groups.values().map(|g| (g.name.as_str(), g.colliders.len())).collect();
        assert_eq!((groups, chain.groups.len()), (vec![("Body", 2)], 1));
        assert_eq!(chain.center, Some(Node::Bone(BoneId(0))));
        assert_eq!(chain.joints[0].limit, document.chains.values().next().and_then(|c| c.joints[0].limit));
        let own: Vec<usize> = chain.joints.iter().map(|j| j.colliders.len()).collect();
        assert_eq!(own, [0, 1, 0], "a collider in the group is not listed twice");
        assert_eq!(made.main_system().values, document.main_system().values);
        let again = plan_import(&text, &made, &skeleton, axis).edit(&made, &skeleton);
        assert_eq!(again, Edit::Batch(Vec::new()), "{axis:?}");
    }
}

#[test]
fn a_vrm_table_has_the_documented_rows() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let text = export_text(&vrm_document(&skeleton), &skeleton, FlipAxis::X);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "// VRM by bone name");
    assert_eq!(lines[2], "[VRM]");
    let names =
        "// bone,stiffness,gravityPower,gravityDir x,gravityDir y,gravityDir z,dragForce,hitRadius,collider x N";
    assert_eq!(lines[3], names);
    assert_eq!(lines[4], "bone 1,1.5,0,-0.25,-1,0,0.4,0.02,Collider 2,Collider 1");
    assert_eq!(lines[5], "bone 2,1.5,0,-0.25,-1,0,0.4,0.02,Collider 2,Collider 1,Collider 3");
    assert!(lines.contains(&"Collider 2,bone 8,-0.01,0.02,0.06,0,0,0,1,1,1,incp,0.2,0.5,"), "{text}");
    let colliders = "[\"\"Collider 2\"\",\"\"Collider 1\"\"]";
    let group =
        format!("#yuremono,2,\"{{\"\"group\"\":[1,{{\"\"name\"\":\"\"Body\"\",\"\"colliders\"\":{colliders}}}]}}\"");
    assert!(lines.contains(&group.as_str()), "{text}");
    let system = "#yuremono,2,\"{\"\"system\"\":{\"\"solver\"\":\"\"VRM\"\",\"\"values\"\":{\"\"version\"\":1.0}}}\"";
    assert!(lines.contains(&system), "{text}");
    let by_hand = "[vrm]\nbone 1,1.5,0,0,-1,0,0.4,0.02\n";
    let (file, found) = unity_csv::read(by_hand.as_bytes(), "t.csv").expect("a table");
    assert_eq!((file.systems[0].solver, found.len(), file.csv.lacks_bone_sections), (SolverKind::Vrm, 0, false));
}

#[test]
fn a_joint_with_fewer_colliders_than_its_group_removes_its_chain_from_the_group() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let document = vrm_document(&skeleton);
    let text = "[VRM]\nbone 1,1.5,0,0.25,-1,0,0.4,0.02,Collider 1\n";
    let plan = plan_import(text, &document, &skeleton, FlipAxis::Z);
    let made = apply_plan(document, &plan, &skeleton);
    let chain = made.chains.values().next().expect("a chain");
    let ids = |n: usize| chain.joints[n].colliders.iter().map(|id| id.0).collect::<Vec<_>>();
    assert_eq!((ids(0), ids(1), ids(2)), (vec![1], vec![2, 1, 3], vec![2, 1]));
    assert!(chain.groups.is_empty());
}

#[test]
fn missing_colliders_of_an_imported_group_are_skipped_and_reported() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let text = export_text(&vrm_document(&skeleton), &skeleton, FlipAxis::X);
    let fewer: Vec<&str> = text.lines().filter(|line| !line.starts_with("Collider 2,")).collect();
    let bare = Document::with_solver(SolverKind::Vrm);
    let plan = plan_import(&fewer.join("\n"), &bare, &skeleton, FlipAxis::X);
    let lost = ImportNote::MissingColliders(vec!["Collider 2".to_owned()]);
    let of_extras = plan.rows_of(FileSection::Other).flat_map(|(_, row)| row.status.notes());
    assert_eq!(of_extras.collect::<Vec<_>>(), [&lost]);
    let made = apply_plan(bare, &plan, &skeleton);
    assert_eq!(made.groups.values().map(|g| g.colliders.len()).collect::<Vec<_>>(), [1]);
    assert!(
        export_text(&made, &skeleton, FlipAxis::X)
            .contains("\nbone 1,1.5,0,-0.25,-1,0,0.4,0.02,Collider 1,Collider 2\n")
    );
}

#[test]
fn vector_params_of_every_solver_are_flipped_by_their_mirror_rule() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    for kind in SolverKind::ALL {
        let table = kind.info().params;
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let mut document = Document::with_solver(*kind);
            let mut chain = yuremono_model::document::Chain::new(
                "bone 1",
                yuremono_model::document::ChainPart::Other,
                table,
                vec![yuremono_model::document::Joint::new(BoneId(1))],
            );
            for (n, (param, _)) in enumerate_params(table).enumerate() {
                chain.values[param.index()].base = n as f32 + 2.0;
            }
            document.chains.insert(yuremono_model::document::ChainId(1), chain);
            let written = to_unity(
                export(&document, &skeleton, ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(axis)).file,
                axis,
            );
            let Ok(SetupEntry::Joint(cells)) = &entries_of(&written, FileSection::Joints)[0].content else {
                panic!("a joint")
            };
            for (param, def) in
                enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint && !def.extension)
            {
                // Mirror X uses the same rules as mirroring the character. For mirror Z, only plain vectors are tested
                // here.
                let ours = f32::from(param.0) + 2.0;
                let wanted = match (axis, def.axis(), def.mirror) {
                    (FlipAxis::X, Some(_), MirrorRule::Negate) => -ours,
                    (FlipAxis::X, Some(_), MirrorRule::SwapNegate(partner)) => -(f32::from(partner.0) + 2.0),
                    (FlipAxis::Z, Some(2), _) if table[param.index() - 2].mirror == MirrorRule::Negate => -ours,
                    (FlipAxis::Z, Some(_), _) if table[param.index()].mirror != MirrorRule::Same => continue,
                    (FlipAxis::Z, Some(part), _) if table[param.index() - part].mirror != MirrorRule::Negate => {
                        continue;
                    }
                    _ => ours,
                };
                assert_eq!(cells.joint.overrides[def.name].0, wanted, "{} {} {axis:?}", kind.key(), def.name);
            }
        }
    }
}

#[test]
fn importing_a_table_of_an_unused_solver_converts_the_document_first() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let text = export_text(&vrm_document(&skeleton), &skeleton, FlipAxis::X);
    let mut unity = Document::default();
    let table = unity.main_system().param_defs();
    for (id, bones) in [(1, [1, 2, 3]), (2, [8, 9, 10])] {
        let joints = bones.map(|bone| yuremono_model::document::Joint::new(BoneId(bone))).to_vec();
        let chain = yuremono_model::document::Chain::new(
            format!("{id}"),
            yuremono_model::document::ChainPart::Other,
            table,
            joints,
        );
        unity.chains.insert(yuremono_model::document::ChainId(id), chain);
    }
    let plan = import_plan(text.as_bytes(), &unity, &skeleton, FlipAxis::X);
    let solver_of =
        |document: &Document, id| document.solver_of(&document.chains[&yuremono_model::document::ChainId(id)]);
    let moved = &plan.conversion().expect("a chain changes its solver").after;
    assert_eq!([1, 2].map(|id| solver_of(moved, id)), [SolverKind::Vrm; 2]);
    let made = apply_plan(unity, &plan, &skeleton);
    assert_eq!([1, 2].map(|id| solver_of(&made, id)), [SolverKind::Vrm; 2]);
    assert_eq!(
        made.chains[&yuremono_model::document::ChainId(2)].joints.len(),
        3,
        "the table does not mention this chain"
    );
    let options = ExportOptions {
        solver: Some(SolverKind::Vrm),
        ..ExportOptions::new(DEFAULT_FORMAT).with_flip_axis(FlipAxis::X)
    };
    let again = String::from_utf8(write_setup(&export(&made, &skeleton, options).file, options)).expect("text");
    let of_table = |line: &&str| ["bone 1,", "bone 2,", "bone 3,"].iter().any(|bone| line.starts_with(bone));
    let joints = |text: &str| text.lines().filter(of_table).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(joints(&again), joints(&text));
}

#[test]
fn unmatched_rows_of_another_solver_are_kept_and_exported_in_their_section() {
    let skeleton = random_documents::skeleton_with_names(|i| format!("bone {i}"));
    let row = "Ribbon,1,0,0,-1,0,0.4,0.02,Ball";
    let bare = Document::with_solver(SolverKind::Vrm);
    let plan = plan_import(&format!("[VRM]\n{row}\n"), &bare, &skeleton, FlipAxis::X);
    assert_eq!(plan.rows()[0].status, ImportRowStatus::BoneNotFound);
    let mut kept = apply_plan(bare, &plan, &skeleton);
    assert!(export_text(&kept, &skeleton, FlipAxis::X).lines().any(|line| line == row));
    kept.systems = Document::with_solver(SolverKind::PbdSpringBone).setup.systems;
    let under_pbd = export_text(&kept, &skeleton, FlipAxis::X);
    let at = |name: &str| under_pbd.lines().position(|line| line == name);
    let pbd = format!("[{}]", SolverKind::PbdSpringBone.key());
    assert!(at(&pbd).is_some() && at(&pbd) < at("[VRM]") && at("[VRM]") < at(row), "{under_pbd}");
    let (file, _) = unity_csv::read(under_pbd.as_bytes(), "t.csv").expect("a table");
    assert_eq!((file.systems[0].solver, entries_of(&file, FileSection::Joints).len()), (SolverKind::PbdSpringBone, 0));
}
