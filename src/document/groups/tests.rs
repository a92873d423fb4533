use super::*;
use crate::document::{ChainPart, Collider, Joint};
use crate::math::Trs;
use crate::rig::Bone;
use crate::sim::ColliderShape;

const SPHERES: [ColliderId; 3] = [ColliderId(1), ColliderId(2), ColliderId(3)];

/// Hips, chest, head; two strands at the head and one at the chest. Spheres on chest, head and head.
fn vrm_character() -> (Skeleton, Document) {
    let bone = |name: &str, parent: Option<u32>| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::IDENTITY,
    };
    let bones = [("hips", None), ("chest", Some(0)), ("head", Some(1)), ("a", Some(2)), ("b", Some(2)), ("c", Some(1))];
    let skeleton = Skeleton::new(bones.map(|(name, parent)| bone(name, parent)).to_vec()).expect("parents first");
    let mut document = Document::with_solver(SolverKind::Vrm);
    for (id, bone) in SPHERES.into_iter().zip([1, 2, 2]) {
        let collider = Collider::new(
            format!("{}", id.0),
            Node::Bone(BoneId(bone)),
            ColliderShape::Sphere { radius: 0.1, inside: false },
        );
        document.apply(Edit::PutCollider { id, collider: Some(collider) }).expect("a collider");
    }
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        let joints = vec![Joint::new(BoneId(3 + at as u32))];
        let chain = Chain::new(name, ChainPart::Hair, document.main_system().param_defs(), joints);
        let put = Edit::PutChain { id: ChainId(at as u32 + 1), chain: Some(Box::new(chain)) };
        document.apply(put).expect("a chain");
    }
    (skeleton, document)
}

#[track_caller]
fn apply(document: &mut Document, edit: Edit) {
    let before = document.clone();
    let (undo, _) = document.apply(edit.clone()).expect("it fits");
    document.apply(undo).expect("back");
    assert_eq!(*document, before, "undo leads back");
    document.apply(edit).expect("again");
}

#[test]
fn removing_a_group_unassigns_it_from_all_chains() {
    let (_, mut document) = vrm_character();
    let (made, id) = create(&document, "body", &SPHERES[..2]);
    apply(&mut document, made);
    let chains = [ChainId(1), ChainId(3)];
    let edit = assign(&document, &chains, id, true);
    apply(&mut document, edit);
    assert_eq!(document.chains[&ChainId(1)].groups, [id]);
    assert!(document.chains[&ChainId(2)].groups.is_empty());
    assert_eq!(assign(&document, &chains, id, true), Edit::Batch(Vec::new()), "a chain names it once");
    let gone = remove(&document, id);
    apply(&mut document, gone);
    assert!(document.groups.is_empty() && document.chains.values().all(|c| c.groups.is_empty()));
    assert_eq!(document.colliders.len(), 3);
}

#[test]
fn colliders_are_added_and_removed_and_the_rest_is_unassigned() {
    let (_, mut document) = vrm_character();
    let (made, id) = create(&document, "body", &[]);
    apply(&mut document, made);
    let edit = add_colliders(&document, id, &[SPHERES[2], SPHERES[0], SPHERES[2], ColliderId(90)]);
    apply(&mut document, edit);
    assert_eq!(document.groups[&id].colliders, [SPHERES[2], SPHERES[0]]);
    assert_eq!(unassigned_colliders(&document), [SPHERES[1]]);
    let edit = remove_colliders(&document, id, &SPHERES[..1]);
    apply(&mut document, edit);
    assert_eq!(document.groups[&id].colliders, [SPHERES[2]]);
    let edit = rename(&document, id, " head ").expect("a name");
    apply(&mut document, edit);
    assert_eq!(document.groups[&id].name, "head");
    assert_eq!(rename(&document, id, "  "), None);
}

#[test]
fn a_vrm_0_group_accepts_colliders_of_one_bone_only() {
    let (_, mut document) = vrm_character();
    document.main_system_mut().values.set(VERSION, 1.0);
    assert!(is_vrm_0(&document));
    let (made, id) = create(&document, "head", &[SPHERES[1], SPHERES[0], SPHERES[2]]);
    apply(&mut document, made);
    assert_eq!(document.groups[&id].colliders, [SPHERES[1], SPHERES[2]]);
    assert!(!can_add(&document, &document.groups[&id], SPHERES[0]));
}

#[test]
fn center_candidates_are_ancestors_of_all_roots() {
    let (skeleton, mut document) = vrm_character();
    let head_chest_hips = [BoneId(2), BoneId(1), BoneId(0)];
    assert_eq!(center_candidates(&document, &skeleton, &[ChainId(1), ChainId(2)]), head_chest_hips);
    assert_eq!(center_candidates(&document, &skeleton, &[ChainId(1), ChainId(3)]), head_chest_hips[1..]);
    let edit = set_center(&document, &[ChainId(1)], Some(Node::Bone(BoneId(0))));
    apply(&mut document, edit);
    assert_eq!(document.chains[&ChainId(1)].center, Some(Node::Bone(BoneId(0))));
}

#[test]
fn joint_colliders_move_into_groups_of_their_chains() {
    let (_, mut document) = vrm_character();
    let give = |document: &Document, ids: &[ColliderId]| {
        edit_chains(document, &[ChainId(1), ChainId(2)], |c| c.joints[0].colliders = ids.to_vec())
    };
    let edit = move_joint_colliders_to_groups(&document, give(&document, &SPHERES));
    apply(&mut document, edit);
    assert_eq!(document.groups.len(), 1, "both chains share it");
    assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders.is_empty()));
    assert_eq!(document.chains[&ChainId(1)].groups, document.chains[&ChainId(2)].groups);
    let again = move_joint_colliders_to_groups(&document, give(&document, &SPHERES));
    apply(&mut document, again);
    assert_eq!(document.groups.len(), 1, "a chain that meets them already gets nothing");
    let (_, mut old) = vrm_character();
    old.main_system_mut().values.set(VERSION, 1.0);
    let edit = move_joint_colliders_to_groups(&old, give(&old, &SPHERES));
    apply(&mut old, edit);
    let lists: Vec<usize> = old.groups.values().map(|g| g.colliders.len()).collect();
    assert_eq!(lists, [1, 2], "one for each bone");
    let unity = Document::default();
    assert_eq!(move_joint_colliders_to_groups(&unity, Edit::Batch(Vec::new())), Edit::Batch(Vec::new()));
}
