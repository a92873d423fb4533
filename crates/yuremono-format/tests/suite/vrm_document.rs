//! Tests converting springs of a file to a document with the VRM solver and back. Documents are also converted between
//! solvers.

use super::support::{self, glb::GlbBuilder};
use glam::{Quat, Vec3};
use serde_json::json;
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::vrm::{self, VrmColliderShape};
use yuremono_model::document::{ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperRole, Node, Tip};
use yuremono_model::feel::{convert::ConversionLoss, convert::convert};
use yuremono_model::tools::{body, detect, elements};
use yuremono_sim::math::Trs;
use yuremono_sim::solver::vrm::{GRAVITY_DIR, GRAVITY_POWER, STIFFNESS, VERSION};
use yuremono_sim::{SolverKind, SwingLimit, SwingShape};

const SAMPLE_PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/sample.vrm");

/// Returns the paths of the sample character and of all files in the samples folder.
fn sample_paths() -> Vec<PathBuf> {
    let mut paths = vec![Path::new(SAMPLE_PATH).to_owned()];
    paths.extend(
        support::folder_or_skip("YUREMONO_SAMPLES")
            .iter()
            .flat_map(|folder| support::files_below(folder, &["gltf", "glb", "vrm"])),
    );
    paths
}

fn open_sample() -> (Vec<u8>, OpenedCharacter) {
    let bytes = std::fs::read(SAMPLE_PATH).expect("the sample exists");
    (bytes, open::character(Path::new(SAMPLE_PATH), &|_| true).expect("the sample opens"))
}

#[test]
fn saving_an_unchanged_document_gives_the_same_bytes() {
    let mut count = 0;
    for path in sample_paths() {
        let bytes = std::fs::read(&path).expect("readable");
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        if opened.document.joint_count() == 0 {
            continue;
        }
        assert_eq!(opened.document.main_system().solver, SolverKind::Vrm, "{}", path.display());
        let (again, reported) = vrm::save_springs(&bytes, "a", &opened.document, &opened.character)
            .unwrap_or_else(|reported| panic!("{}: {reported:#?}", path.display()));
        assert!(again == bytes, "{}: the file changed; {reported:?}", path.display());
        assert_eq!(reported, [], "{}", path.display());
        count += 1;
    }
    println!("{count} files");
}

#[test]
fn a_changed_value_is_saved_and_read_back() {
    let (bytes, mut opened) = open_sample();
    let (&id, chain) = opened.document.chains.iter().next().expect("a chain");
    let value = chain.joint_value(0, STIFFNESS, 0.0) + 0.25;
    let bone = chain.joints[0].bone;
    opened
        .document
        .apply(Edit::SetOverride { chain: id, bone, param: STIFFNESS, value: Some(value) })
        .expect("a joint of the chain");
    let (saved, reported) =
        vrm::save_springs(&bytes, "a.vrm", &opened.document, &opened.character).expect("the springs can be saved");
    assert_eq!(reported, []);
    assert_ne!(saved, bytes);
    let read = vrm::read_springs_and_bones(&saved, "a.vrm").expect("the saved file is readable");
    let (again, _) = vrm::to_document(&read.springs.expect("springs"), &opened.character, "a.vrm");
    let (chain, at) = again.find_joint(bone).expect("the joint is there");
    assert_eq!(again.chains[&chain].joint_value(at, STIFFNESS, 0.0), value);
}

#[test]
fn inside_colliders_and_planes_round_trip_and_follow_their_nodes() {
    use glam::Vec3;
    let (_, opened) = open_sample();
    let bone = opened.document.chains.values().next().expect("a chain").root();
    let sphere = VrmColliderShape::Sphere { offset: Vec3::X, radius: 0.3, inside: true };
    let tube = VrmColliderShape::Capsule { offset: Vec3::Y, tail: Vec3::new(0.5, 1.0, 0.0), radius: 0.2, inside: true };
    let wall = VrmColliderShape::Plane { offset: Vec3::Z, normal: Vec3::X };
    let collider = |(i, shape)| vrm::VrmCollider { bone, shape, file_index: Some(i) };
    let springs = vrm::VrmSprings {
        version: vrm::VrmVersion::V1,
        chains: Vec::new(),
        colliders: [sphere, tube, wall].into_iter().enumerate().map(collider).collect(),
        collider_groups: Vec::new(),
    };
    let (mut document, reported) = vrm::to_document(&springs, &opened.character, "a.vrm");
    assert_eq!(reported, []);
    let shapes: Vec<_> = document.colliders.values().map(|c| c.shape).collect();
    assert_eq!(shapes[0], yuremono_sim::ColliderShape::Sphere { radius: 0.3, inside: true });
    assert_eq!(shapes[1], yuremono_sim::ColliderShape::Capsule { radius: 0.2, height: 0.5, inside: true });
    assert_eq!(shapes[2], yuremono_sim::ColliderShape::Plane);
    let facing = |at: usize, axis: Vec3| document.helpers.values().nth(at).expect("a node").local.rotation * axis;
    assert!(facing(1, Vec3::Y).distance(Vec3::X) < 1e-6 && facing(2, Vec3::Z).distance(Vec3::X) < 1e-6);
    let (back, reported) =
        vrm::from_document(&document, &opened.character, vrm::VrmVersion::V1, Some(&springs), "a.vrm");
    assert_eq!((&back.colliders, reported), (&springs.colliders, Vec::new()));
    // A moved node is saved with its new position.
    document.helpers.values_mut().nth(1).expect("a node").local.translation.x += 0.25;
    let (moved, _) = vrm::from_document(&document, &opened.character, vrm::VrmVersion::V1, Some(&springs), "a.vrm");
    let VrmColliderShape::Capsule { offset, tail, radius, inside } = moved.colliders[1].shape else {
        panic!("no tube")
    };
    assert!(offset.distance(Vec3::new(0.25, 1.0, 0.0)) < 1e-6 && tail.distance(Vec3::new(0.75, 1.0, 0.0)) < 1e-6);
    assert_eq!((radius, inside, moved.colliders[0]), (0.2, true, springs.colliders[0]));
}

#[test]
fn chains_collide_with_their_groups_and_a_group_in_use_cannot_be_removed() {
    let (_, mut opened) = open_sample();
    let document = &mut opened.document;
    let (&id, chain) = document.chains.iter().find(|(_, c)| !c.groups.is_empty()).expect("a chain with a group");
    let group = chain.groups[0];
    let met: Vec<_> = document.colliders_of(chain, &chain.joints[0]).collect();
    assert!(!met.is_empty() && chain.joints[0].colliders.is_empty());
    let resolved = document.resolve(&opened.character.skeleton);
    let (system, at) = (&resolved.systems[0], resolved.joint_refs[0].iter().position(|j| j.chain == id));
    assert_eq!(system.joints[at.expect("a joint")].colliders.len(), met.len());
    assert!(document.apply(Edit::PutGroup { id: group, group: None }).is_err(), "a chain uses the group");
    assert!(document.apply(Edit::PutCollider { id: met[0], collider: None }).is_err(), "a group contains the collider");
    let fresh = GroupId(900);
    let put = Edit::PutGroup { id: fresh, group: Some(ColliderGroup::default()) };
    let changes = document.apply_recorded(put).expect("a group");
    changes.revert(document);
    assert!(!document.groups.contains_key(&fresh));
}

#[track_caller]
fn check_round_trip_conversion(document: &Document, opened: &OpenedCharacter, to: SolverKind) {
    let there = convert(document, &opened.character, to);
    let mut changed = document.clone();
    let changes = changed.apply_recorded(there.edit(document)).expect("the edit applies");
    assert_eq!(changed, there.after);
    changes.revert(&mut changed);
    assert_eq!(&changed, document, "undo restores everything");
    let back = convert(&there.after, &opened.character, document.main_system().solver);
    let rest = opened.character.skeleton.clone();
    let values = |document: &Document| {
        let resolved = document.resolve(&rest);
        resolved.systems[0].joints.iter().map(|j| (j.bone, j.values.clone())).collect::<Vec<_>>()
    };
    for ((bone, before), (_, after)) in values(document).into_iter().zip(values(&back.after)) {
        for param in [STIFFNESS, yuremono_sim::solver::vrm::DRAG, yuremono_sim::solver::vrm::HIT_RADIUS] {
            let (was, is) = (before.get(param), after.get(param));
            assert!((was - is).abs() <= 5e-3 * was.abs() + 1e-4, "bone {bone:?}, row {param:?}: {was} became {is}");
        }
    }
}

#[test]
fn converting_vrm_to_unitychan_and_back_restores_the_values() {
    for path in sample_paths() {
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        if opened.document.joint_count() > 0 && opened.document.main_system().get(VERSION) == 0.0 {
            check_round_trip_conversion(&opened.document, &opened, SolverKind::UnityChanSpringBone);
        }
    }
}

#[test]
fn a_joint_value_that_is_lost_in_conversion_is_reported_with_its_bone_count() {
    let (_, opened) = open_sample();
    let mut unity = opened.converted_to(SolverKind::UnityChanSpringBone);
    let (&id, chain) = unity.document.chains.iter().next().expect("a chain");
    let bone = chain.root();
    let param = yuremono_sim::solver::spring_bone::ANGULAR_STIFFNESS;
    unity.document.apply(Edit::SetOverride { chain: id, bone, param, value: Some(3.0) }).expect("a joint");
    let losses = convert(&unity.document, &unity.character, SolverKind::Vrm).losses;
    let text: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert!(losses.iter().any(|l| matches!(l, ConversionLoss::JointValue { bones: 1, .. })), "{text:#?}");
    assert!(text.iter().any(|t| t.contains("is not converted; it was set on 1 bones")), "{text:#?}");
}

#[test]
fn conversion_reports_joints_with_different_colliders_in_lists_of_equal_length() {
    let (_, opened) = open_sample();
    let unity = opened.converted_to(SolverKind::UnityChanSpringBone);
    let (&id, chain) = unity.document.chains.iter().find(|(_, c)| c.joints.len() > 2).expect("a chain");
    let name = chain.name.clone();
    let [first, second] = [0, 1].map(|at| *unity.document.colliders.keys().nth(at).expect("colliders"));
    let reported = |document: &Document| {
        let losses = convert(document, &unity.character, SolverKind::Vrm).losses;
        losses.contains(&ConversionLoss::PerJointColliders { chain: name.clone() })
    };
    let mut document = unity.document.clone();
    let mut lists = |of: fn(usize, [ColliderId; 2]) -> Vec<ColliderId>| {
        let joints = &mut document.chains.get_mut(&id).expect("there").joints;
        joints.iter_mut().enumerate().for_each(|(at, joint)| joint.colliders = of(at, [first, second]));
        reported(&document)
    };
    assert!(!lists(|at, [a, b]| if at == 0 { vec![a, b] } else { vec![b, a] }), "the same colliders in another order");
    assert!(lists(|at, [a, b]| if at == 0 { vec![a, b] } else { vec![a, a] }), "a duplicate is not two colliders");
}

#[test]
fn saving_reports_joints_with_different_colliders_in_lists_of_equal_length() {
    let (bytes, opened) = open_sample();
    let mut document = opened.document.clone();
    let [first, second] = [0, 1].map(|at| *document.colliders.keys().nth(at).expect("colliders"));
    let reported = |document: &Document| {
        let (_, reported) =
            vrm::save_springs(&bytes, "sample.vrm", document, &opened.character).expect("the springs can be written");
        reported.iter().any(|d| d.to_string().contains("all joints of a chain have the same colliders"))
    };
    let mut lists = |of: fn(usize, [ColliderId; 2]) -> ColliderId| {
        let chain = document.chains.values_mut().find(|c| c.joints.len() > 2).expect("a chain");
        chain.joints.iter_mut().enumerate().for_each(|(at, j)| j.colliders = vec![of(at, [first, second])]);
        reported(&document)
    };
    assert!(!lists(|_, [a, _]| a));
    assert!(lists(|at, [a, b]| if at == 0 { a } else { b }));
}

#[test]
fn conversion_reports_swing_limits_that_become_cones() {
    let (_, opened) = open_sample();
    let reported = |limit: SwingLimit| {
        let mut document = opened.document.clone();
        let joint = &mut document.chains.values_mut().next().expect("a chain").joints[0];
        joint.limit = Some(limit);
        let bone = opened.character.skeleton.name(joint.bone).to_owned();
        let losses = convert(&document, &opened.character, SolverKind::UnityChanSpringBone).losses;
        losses
            .iter()
            .any(|l| matches!(l, ConversionLoss::LimitShapeLost { bone: of, cone_degrees } if *of == bone && (cone_degrees - 30.0).abs() < 1.0))
    };
    let angle = 30_f32.to_radians();
    let upright = |shape| SwingLimit { shape, rotation: Quat::IDENTITY };
    assert!(!reported(upright(SwingShape::Cone { angle })), "a cone stays a cone");
    assert!(reported(upright(SwingShape::Hinge { angle })));
    assert!(reported(upright(SwingShape::Spherical { pitch: angle, yaw: 1.0 })));
    let rotation = Quat::from_rotation_x(0.3);
    assert!(reported(SwingLimit { shape: SwingShape::Cone { angle }, rotation }), "a tilted cone");
}

#[test]
fn gravity_of_vrm_0_is_converted_from_the_space_of_unity() {
    let (_, opened) = open_sample();
    let mut document = opened.document.clone();
    document.chains.values_mut().flat_map(|chain| &mut chain.joints).for_each(|joint| joint.overrides.clear());
    for (param, value) in GRAVITY_DIR.into_iter().zip([0.6, 0.0, 0.8]) {
        document.chains.values_mut().for_each(|chain| chain.values[param.index()].base = value);
    }
    let power = GRAVITY_POWER.index();
    document.chains.values_mut().for_each(|chain| chain.values[power].base = 1.0);
    let pull = |version: f32| {
        let mut before = document.clone();
        before.main_system_mut().values.set(VERSION, version);
        let there = convert(&before, &opened.character, SolverKind::UnityChanSpringBone).after;
        let chain = there.chains.values().next().expect("a chain");
        // The gravity of the system acts in addition to the force of the chain.
        let force = yuremono_sim::solver::spring_bone::SPRING_FORCE.map(|param| chain.joint_value(0, param, 0.0));
        let all = yuremono_sim::solver::spring_bone::GRAVITY.map(|param| there.main_system().get(param));
        (Vec3::from(force) + Vec3::from(all)).normalize()
    };
    assert!(pull(0.0).distance(Vec3::new(0.6, 0.0, 0.8)) < 1e-3, "VRM 1.0 uses glTF space: {}", pull(0.0));
    assert!(pull(1.0).distance(Vec3::new(0.6, 0.0, -0.8)) < 1e-3, "VRM 0.x uses Unity space: {}", pull(1.0));
}

#[test]
fn converting_to_the_same_solver_changes_nothing() {
    let (_, opened) = open_sample();
    let same = convert(&opened.document, &opened.character, SolverKind::Vrm);
    assert_eq!((same.edit(&opened.document), same.losses), (Edit::Batch(Vec::new()), Vec::new()));
}

/// Helpers do not count as children of a bone, except with `UnityChanSpringBone`.
#[test]
fn a_helper_below_a_leaf_joint_moves_its_tip_with_unitychan_but_not_with_vrm() {
    let (_, opened) = open_sample();
    let leaves = |document: &Document| {
        let resolved = document.resolve(&opened.character.skeleton);
        resolved.systems[0].joints.iter().map(|j| (j.bone, j.tip.clone())).collect::<Vec<_>>()
    };
    let mut document = opened.document.clone();
    let before = leaves(&document);
    let bones: Vec<_> = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect();
    for (i, bone) in bones.into_iter().enumerate() {
        let helper = Helper {
            name: format!("extra{i}"),
            parent: Node::Bone(bone),
            local: Trs::IDENTITY,
            role: HelperRole::Plain,
        };
        document.setup.helpers.insert(document.next_helper_id(), helper);
    }
    assert_eq!(leaves(&document), before);
    let unity = convert(&opened.document, &opened.character, SolverKind::UnityChanSpringBone).after;
    let mut with = unity.clone();
    with.setup.helpers.clone_from(&document.helpers);
    assert_ne!(leaves(&with), leaves(&unity), "UnityChanSpringBone counts helpers");
}

/// Returns a VRM 0.x file with three strands of four nodes. The first strand is a spring whose collider groups are on
/// two bones.
fn vrm_0_file() -> Vec<u8> {
    let mut b = GlbBuilder::new();
    for strand in 0..3 {
        let names: Vec<_> = (0..4).map(|i| format!("s{strand}_{i}")).collect();
        b.node_chain(&names.iter().map(String::as_str).collect::<Vec<_>>());
    }
    b.triangle_mesh();
    let ball = |node: usize| json!({ "node": node, "colliders": [{ "radius": 0.1 }] });
    b.json["extensionsUsed"] = json!(["VRM"]);
    b.json["extensions"] = json!({ "VRM": { "secondaryAnimation": {
        "boneGroups": [{ "stiffiness": 0.5, "dragForce": 0.4, "hitRadius": 0.02, "bones": [0], "colliderGroups": [0, 1] }],
        "colliderGroups": [ball(8), ball(9)],
    } } });
    b.glb()
}

fn open_bytes(bytes: &[u8]) -> OpenedCharacter {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.vrm");
    std::fs::write(&path, bytes).expect("written");
    open::character(&path, &|_| true).expect("the file opens")
}

#[track_caller]
fn save_and_reopen(bytes: &[u8], opened: &OpenedCharacter, document: &Document) -> (OpenedCharacter, Vec<String>) {
    let (bytes, reported) = vrm::save_springs(bytes, "a.vrm", document, &opened.character)
        .unwrap_or_else(|reported| panic!("{reported:#?}"));
    (open_bytes(&bytes), reported.iter().map(ToString::to_string).collect())
}

#[test]
fn a_document_converted_back_from_any_solver_can_be_saved_into_vrm_0() {
    let bytes = vrm_0_file();
    let old = open_bytes(&bytes);
    for to in SolverKind::ALL {
        let there = convert(&old.document, &old.character, *to).after;
        let back = convert(&there, &old.character, SolverKind::Vrm).after;
        let (again, reported) = save_and_reopen(&bytes, &old, &back);
        assert_eq!(reported, [""; 0], "{to:?}");
        let chain = again.document.chains.values().next().expect("a chain");
        assert_eq!(again.document.colliders_of(chain, &chain.joints[0]).count(), 2, "{to:?}");
        assert_eq!(chain.joints.len(), 4, "{to:?}");
    }
}

#[test]
fn saving_a_new_chain_into_vrm_0_includes_and_reports_its_whole_subtree() {
    let bytes = vrm_0_file();
    let mut old = open_bytes(&bytes);
    let skeleton = &old.character.skeleton;
    let root = skeleton.find("s1_0").expect("a bone");
    let (part, tuned) = (yuremono_model::document::ChainPart::Hair, old.document.main_system_id());
    let mut chain = detect::create_chain(root, skeleton, &old.document, part, tuned).expect("a chain");
    chain.values.iter_mut().for_each(|value| value.curve = None);
    chain.joints.iter_mut().for_each(|joint| joint.overrides.clear());
    chain.joints[1].tip = Tip::Offset(Vec3::X);
    let id = old.document.next_chain_id();
    old.document.apply(Edit::PutChain { id, chain: Some(Box::new(chain)) }).expect("free bones");
    let (again, reported) = save_and_reopen(&bytes, &old, &old.document);
    let (chain, _) = again.document.find_joint(root).expect("a joint");
    assert_eq!(again.document.chains[&chain].joints.len(), 4);
    assert!(reported.iter().any(|s| s.contains("\"s1_3\": will move with")), "{reported:#?}");
    assert!(reported.iter().any(|s| s.contains("\"s1_1\": has a different tail")), "{reported:#?}");
}

#[test]
fn a_document_with_empty_collider_groups_can_be_saved() {
    let (bytes, opened) = open_sample();
    let old = vrm_0_file();
    for (bytes, opened) in [(bytes, opened), (old.clone(), open_bytes(&old))] {
        let mut document = opened.document.clone();
        let colliders: Vec<_> = document.colliders.keys().map(|id| elements::ElementId::Collider(*id)).collect();
        document.apply(elements::remove_elements(&document, &colliders)).expect("colliders are removable");
        assert!(document.groups.values().all(|group| group.colliders.is_empty()) && !document.groups.is_empty());
        let (again, reported) = save_and_reopen(&bytes, &opened, &document);
        assert_eq!(reported, [""; 0]);
        assert!(again.document.colliders.is_empty());
        assert_eq!(again.document.joint_count(), document.joint_count());
    }
}

#[test]
fn saving_into_vrm_0_reports_a_collider_that_is_in_no_group() {
    let bytes = vrm_0_file();
    let mut old = open_bytes(&bytes);
    let group = *old.document.groups.keys().next().expect("a group");
    let emptied = ColliderGroup { colliders: Vec::new(), ..old.document.groups[&group].clone() };
    old.document.apply(Edit::PutGroup { id: group, group: Some(emptied) }).expect("a group");
    let (again, reported) = save_and_reopen(&bytes, &old, &old.document);
    assert_eq!(again.document.colliders.len(), 1);
    assert!(reported.iter().any(|s| s.contains("is in no group and has no effect")), "{reported:#?}");
}

#[test]
fn body_colliders_are_assigned_with_every_solver_unless_a_group_has_them() {
    let (_, opened) = open_sample();
    for solver in SolverKind::ALL {
        let document = convert(&opened.document, &opened.character, *solver).after;
        let fits = body::fit_body_colliders(&opened.character, &document);
        let plan = body::plan_body_colliders(&document, &opened.character.skeleton, &fits, 1.0);
        assert!(plan.joints > 0, "{solver:?}");
    }
    let mut grouped = opened.document.clone();
    let all: Vec<_> = grouped.colliders.keys().copied().collect();
    let group = grouped.next_group_id();
    grouped.groups.insert(group, ColliderGroup { colliders: all.clone(), ..ColliderGroup::default() });
    grouped.chains.values_mut().for_each(|chain| chain.groups = vec![group]);
    let (edit, joints) = body::assign_existing(&grouped, &opened.character.skeleton, &all);
    assert_eq!((edit == Edit::Batch(Vec::new()), joints), (true, 0), "all joints have all colliders");
}

#[test]
fn saving_no_springs_into_a_plain_file_changes_nothing() {
    let mut b = GlbBuilder::new();
    b.node_chain(&["a", "b"]);
    b.triangle_mesh();
    let bytes = b.glb();
    let opened = open_bytes(&bytes);
    let made = convert(&opened.document, &opened.character, SolverKind::Vrm).after;
    assert_eq!(vrm::save_springs(&bytes, "a.glb", &made, &opened.character), Ok((bytes.clone(), Vec::new())));
}
