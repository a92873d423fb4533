//! A file's springs become a document under VRM's own solver and go back; a document goes from solver to solver.

use super::support;
use std::path::{Path, PathBuf};
use yuremono::doc::convert::{Loss, convert};
use yuremono::doc::{ColliderGroup, Document, Edit, GroupId, Helper, HelperRole, Node};
use yuremono::format::open::{self, Opened};
use yuremono::format::vrm::{self, Shape};
use yuremono::math::Trs;
use yuremono::schema::SolverKind;
use yuremono::sim;
use yuremono::sim::solver::vrm::{STIFFNESS, VERSION};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");

/// The bundled character, and whatever lies among the samples.
fn paths() -> Vec<PathBuf> {
    let mut paths = vec![Path::new(SAMPLE).to_owned()];
    paths.extend(
        support::folder("YUREMONO_SAMPLES").iter().flat_map(|folder| support::files(folder, &["gltf", "glb", "vrm"])),
    );
    paths
}

fn sample() -> (Vec<u8>, Opened) {
    let bytes = std::fs::read(SAMPLE).expect("the sample lies there");
    (bytes, open::character(Path::new(SAMPLE), &|_| true).expect("the sample opens"))
}

#[test]
fn a_document_that_was_not_touched_gives_the_same_bytes() {
    let mut count = 0;
    for path in paths() {
        let bytes = std::fs::read(&path).expect("readable");
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        if opened.document.joint_count() == 0 {
            continue;
        }
        assert_eq!(opened.document.solver, SolverKind::Vrm, "{}", path.display());
        let (again, said) = vrm::save(&bytes, "a", &opened.document, &opened.character)
            .unwrap_or_else(|said| panic!("{}: {said:#?}", path.display()));
        assert!(again == bytes, "{}: the file changed; {said:?}", path.display());
        assert_eq!(said, [], "{}", path.display());
        count += 1;
    }
    println!("{count} files");
}

#[test]
fn a_changed_number_stands_in_the_file_and_reads_back() {
    let (bytes, mut opened) = sample();
    let (&id, chain) = opened.document.chains.iter().next().expect("a chain");
    let value = chain.value(0, STIFFNESS, 0.0) + 0.25;
    let bone = chain.joints[0].bone;
    opened
        .document
        .apply(Edit::SetOwn { chain: id, bone, row: STIFFNESS, value: Some(value) })
        .expect("a joint of the chain");
    let (saved, said) = vrm::save(&bytes, "a.vrm", &opened.document, &opened.character).expect("it can be saved");
    assert_eq!(said, []);
    assert_ne!(saved, bytes);
    let read = vrm::in_file(&saved, "a.vrm").expect("it reads");
    let (again, _) = vrm::to_document(&read.springs.expect("springs"), &opened.character, "a.vrm");
    let (chain, at) = again.joint_of(bone).expect("the joint is there");
    assert_eq!(again.chains[&chain].value(at, STIFFNESS, 0.0), value);
}

#[test]
fn rooms_and_planes_stand_where_the_file_has_them() {
    use glam::Vec3;
    let (_, opened) = sample();
    let bone = opened.document.chains.values().next().expect("a chain").root();
    let sphere = Shape::Sphere { offset: Vec3::X, radius: 0.3, inside: true };
    let tube = Shape::Capsule { offset: Vec3::Y, tail: Vec3::new(0.5, 1.0, 0.0), radius: 0.2, inside: true };
    let wall = Shape::Plane { offset: Vec3::Z, normal: Vec3::X };
    let collider = |(i, shape)| vrm::Collider { bone, shape, file_index: Some(i) };
    let springs = vrm::Springs {
        version: vrm::Version::V1,
        chains: Vec::new(),
        colliders: [sphere, tube, wall].into_iter().enumerate().map(collider).collect(),
        collider_groups: Vec::new(),
    };
    let (mut document, said) = vrm::to_document(&springs, &opened.character, "a.vrm");
    assert_eq!(said, []);
    let shapes: Vec<_> = document.colliders.values().map(|c| c.shape).collect();
    assert_eq!(shapes[0], sim::Shape::InsideSphere { radius: 0.3 });
    assert_eq!(shapes[1], sim::Shape::InsideCapsule { radius: 0.2, height: 0.5 });
    assert_eq!(shapes[2], sim::Shape::Plane);
    let facing = |at: usize, axis: Vec3| document.helpers.values().nth(at).expect("a node").local.rotation * axis;
    assert!(facing(1, Vec3::Y).distance(Vec3::X) < 1e-6 && facing(2, Vec3::Z).distance(Vec3::X) < 1e-6);
    let (back, said) = vrm::from_document(&document, &opened.character, vrm::Version::V1, Some(&springs), "a.vrm");
    assert_eq!((&back.colliders, said), (&springs.colliders, Vec::new()));
    // A node that was moved says where it is now.
    document.helpers.values_mut().nth(1).expect("a node").local.translation.x += 0.25;
    let (moved, _) = vrm::from_document(&document, &opened.character, vrm::Version::V1, Some(&springs), "a.vrm");
    let Shape::Capsule { offset, tail, radius, inside } = moved.colliders[1].shape else { panic!("no tube") };
    assert!(offset.distance(Vec3::new(0.25, 1.0, 0.0)) < 1e-6 && tail.distance(Vec3::new(0.75, 1.0, 0.0)) < 1e-6);
    assert_eq!((radius, inside, moved.colliders[0]), (0.2, true, springs.colliders[0]));
}

#[test]
fn groups_are_what_chains_meet_and_cannot_leave_while_one_names_them() {
    let (_, mut opened) = sample();
    let document = &mut opened.document;
    let (&id, chain) = document.chains.iter().find(|(_, c)| !c.groups.is_empty()).expect("a chain with a group");
    let group = chain.groups[0];
    let met: Vec<_> = document.colliders_of(chain, &chain.joints[0]).collect();
    assert!(!met.is_empty() && chain.joints[0].colliders.is_empty());
    let resolved = document.resolve(&opened.character.skeleton);
    let (system, at) = (&resolved.systems[0], resolved.joints[0].iter().position(|j| j.chain == id));
    assert_eq!(system.joints[at.expect("a joint")].colliders.len(), met.len());
    assert!(document.apply(Edit::PutGroup { id: group, group: None }).is_err(), "a chain names it");
    assert!(document.apply(Edit::PutCollider { id: met[0], collider: None }).is_err(), "a group lists it");
    let fresh = GroupId(900);
    let put = Edit::PutGroup { id: fresh, group: Some(ColliderGroup::default()) };
    let (undo, _) = document.apply(put).expect("a group");
    document.apply(undo).expect("nothing names it");
    assert!(!document.groups.contains_key(&fresh));
}

#[track_caller]
fn check_there_and_back(document: &Document, opened: &Opened, to: SolverKind) {
    let there = convert(document, &opened.character, to);
    let mut changed = document.clone();
    let (undo, _) = changed.apply(there.edit(document)).expect("the edit fits");
    assert_eq!(changed, there.after);
    changed.apply(undo).expect("its inverse fits");
    assert_eq!(&changed, document, "undo brings everything back");
    let back = convert(&there.after, &opened.character, document.solver);
    let rest = opened.character.skeleton.clone();
    let values = |document: &Document| {
        let resolved = document.resolve(&rest);
        resolved.systems[0].joints.iter().map(|j| (j.bone, j.values.clone())).collect::<Vec<_>>()
    };
    for ((bone, before), (_, after)) in values(document).into_iter().zip(values(&back.after)) {
        for row in [STIFFNESS, sim::solver::vrm::DRAG, sim::solver::vrm::HIT_RADIUS] {
            let (was, is) = (before.get(row), after.get(row));
            assert!((was - is).abs() <= 5e-3 * was.abs() + 1e-4, "bone {bone:?}, row {row:?}: {was} became {is}");
        }
    }
}

#[test]
fn a_vrm_goes_to_unitychan_and_back_with_the_same_numbers() {
    for path in paths() {
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        if opened.document.joint_count() > 0 && opened.document.system.get(VERSION) == 0.0 {
            check_there_and_back(&opened.document, &opened, SolverKind::UnityChanSpringBone);
        }
    }
}

#[test]
fn what_cannot_come_along_is_told_in_plain_words() {
    let (_, opened) = sample();
    let mut unity = opened.under(SolverKind::UnityChanSpringBone);
    let (&id, chain) = unity.document.chains.iter().next().expect("a chain");
    let bone = chain.root();
    let row = sim::solver::spring_bone::ANGULAR_STIFFNESS;
    unity.document.apply(Edit::SetOwn { chain: id, bone, row, value: Some(3.0) }).expect("a joint");
    let losses = convert(&unity.document, &unity.character, SolverKind::Vrm).losses;
    let text: Vec<String> = losses.iter().map(ToString::to_string).collect();
    assert!(losses.iter().any(|l| matches!(l, Loss::JointValue { bones: 1, .. })), "{text:#?}");
    assert!(text.iter().any(|t| t.contains("is left behind; it was set on 1 bones")), "{text:#?}");
}

#[test]
fn converting_to_where_it_is_changes_nothing() {
    let (_, opened) = sample();
    let same = convert(&opened.document, &opened.character, SolverKind::Vrm);
    assert_eq!((same.edit(&opened.document), same.losses), (Edit::Batch(Vec::new()), Vec::new()));
}

/// What a collider's node hangs on is no child of the bone: only Unity counts it.
#[test]
fn a_collider_on_a_leaf_moves_no_tip_under_vrm() {
    let (_, opened) = sample();
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
        document.helpers.insert(document.fresh_helper(), helper);
    }
    assert_eq!(leaves(&document), before);
    let unity = convert(&opened.document, &opened.character, SolverKind::UnityChanSpringBone).after;
    let with = Document { helpers: document.helpers.clone(), ..unity.clone() };
    assert_ne!(leaves(&with), leaves(&unity), "Unity counts them");
}
