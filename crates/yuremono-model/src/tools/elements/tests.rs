use super::*;
use crate::document::{Chain, ChainId, ChainPart, HighLeg, Joint, LengthTarget};
use glam::{Quat, Vec3};
use yuremono_sim::Wind;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, Character, Humanoid};

/// Hips, two legs with knees, and a skirt of two joints on the hips.
fn character_with_skirt() -> (Skeleton, Document) {
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
        let chain =
            Chain::new("skirt", ChainPart::Skirt, document.main_system().param_defs(), vec![Joint::new(BoneId(bone))]);
        document.chains.insert(ChainId(id), chain);
    }
    (skeleton, document)
}

fn apply(document: &mut Document, edit: Edit) {
    document.apply(edit).expect("a fitting edit");
}

fn assign_to_chain(document: &mut Document, part: ElementId, chain: u32) {
    let ElementId::Collider(id) = part else { panic!("a collider") };
    document.chains.get_mut(&ChainId(chain)).expect("a chain").joints[0].colliders.push(id);
}

#[test]
fn new_elements_get_unique_names_with_the_bone_name() {
    let (skeleton, mut document) = character_with_skirt();
    let mut names = Vec::new();
    for what in NewElement::ALL.into_iter().chain([NewElement::Sphere, NewElement::Null]) {
        let made = create_element(&document, &skeleton, what, Node::Bone(BoneId(0)));
        apply(&mut document, made.edit);
        assert_eq!(made.element.name(&document, &skeleton), made.name);
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
fn a_new_node_below_a_joint_moves_its_tip_and_a_pivot_does_not() {
    let (skeleton, document) = character_with_skirt();
    let made = |what, bone| create_element(&document, &skeleton, what, Node::Bone(BoneId(bone)));
    assert_eq!(made(NewElement::Sphere, 5).moved_tip_joint, Some(BoneId(5)));
    assert_eq!(made(NewElement::Null, 5).moved_tip_joint, Some(BoneId(5)));
    assert_eq!(made(NewElement::Sphere, 0).moved_tip_joint, None);
    let pivot = made(NewElement::Pivot, 5);
    assert_eq!((pivot.moved_tip_joint, pivot.name.as_str()), (None, "Skirt_L_Pivot"));
    let mut after = document.clone();
    apply(&mut after, pivot.edit);
    let ElementId::Helper(id) = pivot.element else { panic!("a helper") };
    assert_eq!(after.chains[&ChainId(1)].joints[0].pivot, Some(Node::Helper(id)));
    assert_eq!(affected_joints(&after, pivot.element), [BoneId(5)]);
}

#[test]
fn removing_a_collider_removes_its_references_and_node_and_undo_restores_them() {
    let (skeleton, mut document) = character_with_skirt();
    let made = create_element(&document, &skeleton, NewElement::Sphere, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    assign_to_chain(&mut document, made.element, 1);
    assert_eq!(affected_joints(&document, made.element), [BoneId(5)]);
    let before = document.clone();
    let changes = document.apply_recorded(remove_elements(&document, &[made.element])).expect("applies");
    assert!(document.colliders.is_empty() && document.helpers.is_empty());
    assert!(document.chains[&ChainId(1)].joints[0].colliders.is_empty());
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn removing_a_null_removes_its_children_and_keeps_a_node_still_in_use() {
    let (skeleton, mut document) = character_with_skirt();
    let null = create_element(&document, &skeleton, NewElement::Null, Node::Bone(BoneId(0)));
    apply(&mut document, null.edit);
    let node = null.element.node(&document).expect("a node");
    for what in [NewElement::Capsule, NewElement::Wind] {
        let made = create_element(&document, &skeleton, what, node);
        apply(&mut document, made.edit);
    }
    let high_leg = HighLeg { node, hip: Node::Bone(BoneId(0)), legs: vec![] };
    apply(&mut document, Edit::PutHighLeg { id: HighLegId(1), high_leg: Some(high_leg) });
    let joint = &mut document.chains.get_mut(&ChainId(1)).expect("a chain").joints[0];
    joint.pivot = Some(node);
    joint.length_targets.push(LengthTarget::new(node));
    let mut only_leg = document.clone();
    apply(&mut only_leg, remove_elements(&document, &[ElementId::HighLeg(HighLegId(1))]));
    assert!(only_leg.high_legs.is_empty() && only_leg.helpers.len() == 3, "the node is a pivot still");
    let edit = remove_elements(&document, &[null.element, null.element]);
    apply(&mut document, edit);
    assert!(document.helpers.is_empty() && document.colliders.is_empty() && document.forces.is_empty());
    assert!(document.high_legs.is_empty());
    let joint = &document.chains[&ChainId(1)].joints[0];
    assert!(joint.pivot.is_none() && joint.length_targets.is_empty());
    assert_eq!(remove_elements(&document, &[null.element]), Edit::Batch(Vec::new()));
}

#[test]
fn renaming_an_element_renames_its_node_and_keeps_names_unique() {
    let (skeleton, mut document) = character_with_skirt();
    let made = create_element(&document, &skeleton, NewElement::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let edit = rename_element(&document, &skeleton, made.element, " Hips ").expect("a new name");
    apply(&mut document, edit);
    assert_eq!(made.element.name(&document, &skeleton), "Hips2");
    assert_eq!(document.helpers.values().next().expect("a node").name, "Hips2");
    assert_eq!(rename_element(&document, &skeleton, made.element, "  "), None);
    let same = rename_element(&document, &skeleton, made.element, "Hips2").expect("its own name is free for it");
    apply(&mut document, same);
    assert_eq!(made.element.name(&document, &skeleton), "Hips2");
}

#[test]
fn set_parent_keeps_the_world_transform() {
    let (skeleton, mut document) = character_with_skirt();
    let made = create_element(&document, &skeleton, NewElement::Sphere, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let (id, _) = made.element.helper(&document).expect("a node");
    let local = Trs { rotation: Quat::from_rotation_x(0.7), ..Trs::from_translation(Vec3::new(0.05, -0.2, 0.01)) };
    let edit = set_local(&document, id, local);
    apply(&mut document, edit);
    let rest = placement::rest_world_pose(&skeleton);
    let before = node_rest_frame(&document, &rest, Node::Helper(id)).expect("there");
    let edit = set_parent(&document, &skeleton, made.element, Node::Bone(BoneId(4))).expect("a bone");
    apply(&mut document, edit);
    let after = node_rest_frame(&document, &rest, Node::Helper(id)).expect("there");
    assert!(before.position.distance(after.position) < 1e-6);
    assert!(before.rotation.dot(after.rotation).abs() > 0.999_999);
    assert_eq!(set_parent(&document, &skeleton, made.element, Node::Helper(id)), None);
    assert_eq!(set_local(&document, id, Trs::from_translation(Vec3::NAN)), Edit::Batch(Vec::new()));
}

#[test]
fn align_capsule_reaches_from_the_parent_to_its_child() {
    let (skeleton, mut document) = character_with_skirt();
    let made = create_element(&document, &skeleton, NewElement::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let ElementId::Collider(id) = made.element else { panic!("a collider") };
    let edit = align_capsule(&document, &skeleton, id).expect("a knee");
    apply(&mut document, edit);
    let rest = placement::rest_world_pose(&skeleton);
    let frame = node_rest_frame(&document, &rest, document.colliders[&id].node).expect("there");
    let ColliderShape::Capsule { height, radius, inside: false } = document.colliders[&id].shape else {
        panic!("a capsule")
    };
    assert_eq!(radius, 0.075);
    assert!(frame.transform_point(Vec3::Y * height).distance(rest.frame(BoneId(2)).position) < 1e-5);
    let end = create_element(&document, &skeleton, NewElement::Capsule, Node::Bone(BoneId(6)));
    apply(&mut document, end.edit);
    let ElementId::Collider(end) = end.element else { panic!("a collider") };
    assert_eq!(align_capsule(&document, &skeleton, end), None, "nothing below");
}

#[test]
fn a_mirrored_collider_is_on_the_other_leg_and_assigned_to_the_other_skirt() {
    let (skeleton, mut document) = character_with_skirt();
    let made = create_element(&document, &skeleton, NewElement::Capsule, Node::Bone(BoneId(1)));
    apply(&mut document, made.edit);
    let (id, _) = made.element.helper(&document).expect("a node");
    let turn = Quat::from_rotation_z(0.4) * Quat::from_rotation_x(0.2);
    let local = Trs { rotation: turn, ..Trs::from_translation(Vec3::new(0.03, -0.1, 0.02)) };
    let edit = set_local(&document, id, local);
    apply(&mut document, edit);
    assign_to_chain(&mut document, made.element, 1);
    let (edit, other) = mirror_collider(&document, &skeleton, made.element).expect("another side");
    apply(&mut document, edit);
    assert_eq!(other.name(&document, &skeleton), "Leg_RCapsuleCollider");
    assert_eq!(affected_joints(&document, other), [BoneId(7)]);
    let rest = placement::rest_world_pose(&skeleton);
    let frame = |part: ElementId| {
        let node = part.node(&document).expect("a node");
        node_rest_frame(&document, &rest, node).expect("there")
    };
    for local in [Vec3::ZERO, Vec3::Y * 0.3, Vec3::Z] {
        let (a, b) = (frame(made.element).transform_point(local), frame(other).transform_point(local));
        assert!(a.distance(Vec3::new(-b.x, b.y, b.z)) < 1e-5, "{local}: {a} and {b}");
    }
    let (again, same) = mirror_collider(&document, &skeleton, made.element).expect("another side");
    let count = document.colliders.len();
    apply(&mut document, again);
    assert_eq!((same, document.colliders.len()), (other, count), "the second time it is brought up to date");
}

#[test]
fn a_new_high_leg_finds_hip_and_thighs_and_its_legs_can_be_edited() {
    let (skeleton, mut document) = character_with_skirt();
    let mut humanoid = Humanoid::default();
    for (role, bone) in [("leftUpperLeg", 1), ("leftLowerLeg", 2), ("rightUpperLeg", 3), ("rightLowerLeg", 4)] {
        humanoid.set(role, BoneId(bone));
    }
    let character = Character { skeleton, humanoid, ..Character::default() };
    let made = create_high_leg(&document, &character, Node::Bone(BoneId(0)));
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
    assert!(!high_leg_node_candidates(&document, &character, id).contains(&node), "it would lean on itself");
}

#[test]
fn an_element_can_be_a_child_of_other_helpers_but_not_of_itself() {
    let (skeleton, mut document) = character_with_skirt();
    let mut nodes = Vec::new();
    let mut parent = Node::Bone(BoneId(0));
    for _ in 0..3 {
        let made = create_element(&document, &skeleton, NewElement::Null, parent);
        apply(&mut document, made.edit);
        parent = made.element.node(&document).expect("a node");
        nodes.push((made.element, parent));
    }
    let offered = |of: ElementId| {
        let all = parent_candidates(&document, &skeleton, of);
        assert!(all.starts_with(&skeleton.ids().map(Node::Bone).collect::<Vec<_>>()), "bones first");
        nodes.iter().map(|(_, node)| all.contains(node)).collect::<Vec<_>>()
    };
    assert_eq!(offered(nodes[0].0), [false, false, false]);
    assert_eq!(offered(nodes[1].0), [true, false, false]);
    assert_eq!(offered(nodes[2].0), [true, true, false]);
    for (part, _) in &nodes {
        for node in parent_candidates(&document, &skeleton, *part) {
            assert!(set_parent(&document, &skeleton, *part, node).is_some(), "{part:?} {node:?}");
        }
    }
}
