use super::*;
use crate::document::{Chain, ChainId, HighLeg, Joint, LengthTarget, Part};
use crate::math::Trs;
use crate::rig::{Bone, Character};
use crate::sim::Wind;
use glam::{Quat, Vec3};

/// Hips, two legs with knees, and a skirt of two joints on the hips.
fn girl() -> (Skeleton, Document) {
    let bones = [
        ("Hips", None, Vec3::Y),
        ("Leg_L", Some(0), Vec3::new(0.1, -0.1, 0.0)),
        ("Knee_L", Some(1), Vec3::new(0.0, -0.4, 0.1)),
        ("Leg_R", Some(0), Vec3::new(-0.1, -0.1, 0.0)),
        ("Knee_R", Some(3), Vec3::new(0.0, -0.4, 0.1)),
        ("Skirt_L", Some(0), Vec3::new(0.2, 0.0, 0.0)),
        ("Skirt_L_end", Some(5), Vec3::Y * -0.3),
        ("Skirt_R", Some(0), Vec3::new(-0.2, 0.0, 0.0)),
        ("Skirt_R_end", Some(7), Vec3::Y * -0.3),
    ];
    let bone = |(name, parent, at): (&str, Option<u32>, Vec3)| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs { rotation: Quat::from_rotation_y(0.3 * at.x), ..Trs::from_translation(at) },
    };
    let skeleton = Skeleton::new(bones.into_iter().map(bone).collect()).expect("parents first");
    let mut document = Document::default();
    for (id, bone) in [(1, 5), (2, 7)] {
        let chain = Chain::new("skirt", Part::Skirt, document.main().table(), vec![Joint::new(BoneId(bone))]);
        document.chains.insert(ChainId(id), chain);
    }
    (skeleton, document)
}

fn apply(document: &mut Document, edit: Edit) {
    document.apply(edit).expect("a fitting edit");
}

fn assign(document: &mut Document, part: PartId, chain: u32) {
    let PartId::Collider(id) = part else { panic!("a collider") };
    document.chains.get_mut(&ChainId(chain)).expect("a chain").joints[0].colliders.push(id);
}

#[test]
fn everything_new_is_named_after_its_bone_and_once_only() {
    let (skeleton, mut document) = girl();
    let mut names = Vec::new();
    for what in New::ALL.into_iter().chain([New::Sphere, New::Null]) {
        let made = make(&document, &skeleton, what, Node::Bone(BoneId(0)));
        apply(&mut document, made.edit);
        assert_eq!(made.part.name(&document, &skeleton), made.name);
        names.push(made.name);
    }
    let expected = [
        "HipsSphereCollider",
        "HipsCapsuleCollider",
        "HipsPanelCollider",
        "HipsInsideSphereCollider",
        "HipsInsideCapsuleCollider",
        "HipsPlaneCollider",
        "HipsForceVolume",
        "HipsWindVolume",
        "Hips_Pivot",
        "HipsNull",
        "HipsSphereCollider2",
        "HipsNull2",
    ];
    assert_eq!(names, expected);
    assert_eq!(document.forces.values().map(|f| f.kind).nth(1), Some(ForceKind::Wind(Wind::default())));
    let roles: Vec<_> = document.helpers.values().map(|h| h.role).collect();
    assert_eq!(roles[8..10], [HelperRole::Pivot, HelperRole::Null]);
}

#[test]
fn a_node_below_a_joint_moves_its_tip_as_the_engine_has_it_but_a_pivot_does_not() {
    let (skeleton, document) = girl();
    let made = |what, bone| make(&document, &skeleton, what, Node::Bone(BoneId(bone)));
    assert_eq!(made(New::Sphere, 5).moves_tip, Some(BoneId(5)));
    assert_eq!(made(New::Null, 5).moves_tip, Some(BoneId(5)));
    assert_eq!(made(New::Sphere, 0).moves_tip, None);
    let pivot = made(New::Pivot, 5);
    assert_eq!((pivot.moves_tip, pivot.name.as_str()), (None, "Skirt_L_Pivot"));
    let mut after = document.clone();
    apply(&mut after, pivot.edit);
    let PartId::Helper(id) = pivot.part else { panic!("a helper") };
    assert_eq!(after.chains[&ChainId(1)].joints[0].pivot, Some(Node::Helper(id)));
    assert_eq!(users(&after, pivot.part), [BoneId(5)]);
}

#[test]
fn removing_a_collider_frees_its_joints_and_its_node_and_undo_brings_all_back() {
    let (skeleton, mut document) = girl();
    let made = make(&document, &skeleton, New::Sphere, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    assign(&mut document, made.part, 1);
    assert_eq!(users(&document, made.part), [BoneId(5)]);
    let before = document.clone();
    let (inverse, _) = document.apply(remove(&document, &[made.part])).expect("applies");
    assert!(document.colliders.is_empty() && document.helpers.is_empty());
    assert!(document.chains[&ChainId(1)].joints[0].colliders.is_empty());
    apply(&mut document, inverse);
    assert_eq!(document, before);
}

#[test]
fn removing_a_null_takes_along_what_hangs_on_it_and_a_shared_node_stays() {
    let (skeleton, mut document) = girl();
    let null = make(&document, &skeleton, New::Null, Node::Bone(BoneId(0)));
    apply(&mut document, null.edit);
    let node = null.part.node(&document).expect("a node");
    for what in [New::Capsule, New::Wind] {
        let made = make(&document, &skeleton, what, node);
        apply(&mut document, made.edit);
    }
    let high_leg = HighLeg { node, hip: Node::Bone(BoneId(0)), legs: vec![] };
    apply(&mut document, Edit::PutHighLeg { id: HighLegId(1), high_leg: Some(high_leg) });
    let joint = &mut document.chains.get_mut(&ChainId(1)).expect("a chain").joints[0];
    joint.pivot = Some(node);
    joint.length_targets.push(LengthTarget::new(node));
    let mut only_leg = document.clone();
    apply(&mut only_leg, remove(&document, &[PartId::HighLeg(HighLegId(1))]));
    assert!(only_leg.high_legs.is_empty() && only_leg.helpers.len() == 3, "the node is a pivot still");
    let edit = remove(&document, &[null.part, null.part]);
    apply(&mut document, edit);
    assert!(document.helpers.is_empty() && document.colliders.is_empty() && document.forces.is_empty());
    assert!(document.high_legs.is_empty());
    let joint = &document.chains[&ChainId(1)].joints[0];
    assert!(joint.pivot.is_none() && joint.length_targets.is_empty());
    assert_eq!(remove(&document, &[null.part]), Edit::Batch(Vec::new()));
}

#[test]
fn a_new_name_reaches_the_node_too_and_stays_unique() {
    let (skeleton, mut document) = girl();
    let made = make(&document, &skeleton, New::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let edit = rename(&document, &skeleton, made.part, " Hips ").expect("a new name");
    apply(&mut document, edit);
    assert_eq!(made.part.name(&document, &skeleton), "Hips2");
    assert_eq!(document.helpers.values().next().expect("a node").name, "Hips2");
    assert_eq!(rename(&document, &skeleton, made.part, "  "), None);
    let same = rename(&document, &skeleton, made.part, "Hips2").expect("its own name is free for it");
    apply(&mut document, same);
    assert_eq!(made.part.name(&document, &skeleton), "Hips2");
}

#[test]
fn what_hangs_elsewhere_stays_where_it_is() {
    let (skeleton, mut document) = girl();
    let made = make(&document, &skeleton, New::Sphere, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let (id, _) = made.part.helper(&document).expect("a node");
    let local = Trs { rotation: Quat::from_rotation_x(0.7), ..Trs::from_translation(Vec3::new(0.05, -0.2, 0.01)) };
    let edit = set_local(&document, id, local);
    apply(&mut document, edit);
    let rest = place::rest_pose(&skeleton);
    let before = place::rest_frame(&document, &rest, Node::Helper(id)).expect("there");
    let edit = hang(&document, &skeleton, made.part, Node::Bone(BoneId(4))).expect("a bone");
    apply(&mut document, edit);
    let after = place::rest_frame(&document, &rest, Node::Helper(id)).expect("there");
    assert!(before.position.distance(after.position) < 1e-6);
    assert!(before.rotation.dot(after.rotation).abs() > 0.999_999);
    assert_eq!(hang(&document, &skeleton, made.part, Node::Helper(id)), None);
    assert_eq!(set_local(&document, id, Trs::from_translation(Vec3::NAN)), Edit::Batch(Vec::new()));
}

#[test]
fn a_capsule_lies_along_its_parent_towards_the_child() {
    let (skeleton, mut document) = girl();
    let made = make(&document, &skeleton, New::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let PartId::Collider(id) = made.part else { panic!("a collider") };
    let edit = align_capsule(&document, &skeleton, id).expect("a knee");
    apply(&mut document, edit);
    let rest = place::rest_pose(&skeleton);
    let frame = place::rest_frame(&document, &rest, document.colliders[&id].node).expect("there");
    let Shape::Capsule { height, radius, inside: false } = document.colliders[&id].shape else { panic!("a capsule") };
    assert_eq!(radius, 0.075);
    assert!(frame.point(Vec3::Y * height).distance(rest.frame(BoneId(2)).position) < 1e-5);
    let end = make(&document, &skeleton, New::Capsule, Node::Bone(BoneId(6)));
    apply(&mut document, end.edit);
    let PartId::Collider(end) = end.part else { panic!("a collider") };
    assert_eq!(align_capsule(&document, &skeleton, end), None, "nothing below");
}

#[test]
fn the_mirror_image_stands_on_the_other_leg_and_pushes_the_other_skirt() {
    let (skeleton, mut document) = girl();
    let made = make(&document, &skeleton, New::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let (id, _) = made.part.helper(&document).expect("a node");
    let turn = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.2);
    let local = Trs { rotation: turn, ..Trs::from_translation(Vec3::new(0.03, -0.1, 0.02)) };
    let edit = set_local(&document, id, local);
    apply(&mut document, edit);
    assign(&mut document, made.part, 1);
    let (edit, other) = mirror(&document, &skeleton, made.part).expect("another side");
    apply(&mut document, edit);
    assert_eq!(other.name(&document, &skeleton), "Leg_RCapsuleCollider");
    assert_eq!(users(&document, other), [BoneId(7)]);
    let rest = place::rest_pose(&skeleton);
    let frame = |part: PartId| {
        let node = part.node(&document).expect("a node");
        place::rest_frame(&document, &rest, node).expect("there")
    };
    for local in [Vec3::ZERO, Vec3::Y * 0.3, Vec3::Z] {
        let (a, b) = (frame(made.part).point(local), frame(other).point(local));
        assert!(a.distance(Vec3::new(-b.x, b.y, b.z)) < 1e-5, "{local}: {a} and {b}");
    }
    let (again, same) = mirror(&document, &skeleton, made.part).expect("another side");
    let count = document.colliders.len();
    apply(&mut document, again);
    assert_eq!((same, document.colliders.len()), (other, count), "the second time it is brought up to date");
}

#[test]
fn a_high_leg_takes_the_bone_as_hip_and_thighs_by_name_and_its_legs_are_edited_one_by_one() {
    let (skeleton, mut document) = girl();
    let skeleton = Skeleton::new(
        skeleton
            .bones()
            .iter()
            .map(|b| {
                let name = b.name.replace("Leg_", "UpperLeg_").replace("Knee_", "LowerLeg_");
                Bone { name, ..b.clone() }
            })
            .collect(),
    )
    .expect("parents first");
    let character = Character { skeleton, ..Character::default() };
    let made = make_high_leg(&document, &character, Node::Bone(BoneId(0)));
    let node = made.helper().map(Node::Helper).expect("a node");
    apply(&mut document, made.edit);
    let id = HighLegId(1);
    let bones = |from, to| [from, to].map(|bone| Node::Bone(BoneId(bone)));
    let high_leg = HighLeg { node, hip: Node::Bone(BoneId(0)), legs: vec![bones(1, 2), bones(3, 4)] };
    assert_eq!(document.high_legs[&id], high_leg);
    let edit = remove_leg(&document, id, 0);
    apply(&mut document, edit);
    let edit = set_leg(&document, id, 0, 1, Node::Bone(BoneId(3)));
    apply(&mut document, edit);
    assert_eq!(document.high_legs[&id].legs, [bones(3, 3)]);
    let edit = add_leg(&document, &character, id);
    apply(&mut document, edit);
    assert_eq!(document.high_legs[&id].legs, [bones(3, 3), bones(1, 2)], "the first that is missing");
    let edit = set_hip(&document, id, Node::Bone(BoneId(1)));
    apply(&mut document, edit);
    assert_eq!(document.high_legs[&id].hip, Node::Bone(BoneId(1)));
    let before = document.clone();
    for nothing in [remove_leg(&document, id, 9), set_leg(&document, HighLegId(9), 0, 0, node)] {
        apply(&mut document, nothing);
    }
    assert_eq!(document, before);
    assert!(!nodes_for_high_leg(&document, &character, id).contains(&node), "it would lean on itself");
}

#[test]
fn a_part_may_hang_on_other_helpers_but_not_below_itself() {
    let (skeleton, mut document) = girl();
    let mut nodes = Vec::new();
    let mut parent = Node::Bone(BoneId(0));
    for _ in 0..3 {
        let made = make(&document, &skeleton, New::Null, parent);
        apply(&mut document, made.edit);
        parent = made.part.node(&document).expect("a node");
        nodes.push((made.part, parent));
    }
    let offered = |of: PartId| {
        let all = parents_for(&document, &skeleton, of);
        assert!(all.starts_with(&skeleton.ids().map(Node::Bone).collect::<Vec<_>>()), "bones first");
        nodes.iter().map(|(_, node)| all.contains(node)).collect::<Vec<_>>()
    };
    assert_eq!(offered(nodes[0].0), [false, false, false]);
    assert_eq!(offered(nodes[1].0), [true, false, false]);
    assert_eq!(offered(nodes[2].0), [true, true, false]);
    for (part, _) in &nodes {
        for node in parents_for(&document, &skeleton, *part) {
            assert!(hang(&document, &skeleton, *part, node).is_some(), "{part:?} {node:?}");
        }
    }
}
