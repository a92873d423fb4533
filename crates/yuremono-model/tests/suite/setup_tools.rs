//! Tests clean-up, sorting, parents, copy and paste: one undo reverts each change.

use super::support::girl;
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono_model::document::{
    Chain, ChainId, Collider, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperId, HelperRole,
    LengthTarget, Node, RestFrames, pivot,
};
use yuremono_model::tools::{paste::CopiedChain, paste::PasteTarget, paste::paste};
use yuremono_model::tools::{setup_cleanup, setup_cleanup::CleanupEdit};
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::spring_bone::{DRAG, GRAVITY, RADIUS, STIFFNESS, STRONG_LENGTH_LIMITS, Y_ACTIVE, Y_MAX};
use yuremono_sim::{ColliderShape, SwingLimit, SwingShape};

fn girl_with_assigned_colliders() -> (Character, Document) {
    let character = girl::character();
    let mut document = girl::document(&character);
    for chain in document.chains.values_mut() {
        chain.joints.iter_mut().for_each(|j| j.colliders = vec![ColliderId(1), ColliderId(2)]);
    }
    (character, document)
}

fn bones_named(character: &Character, names: &[&str]) -> BTreeSet<BoneId> {
    names.iter().map(|n| character.skeleton.find(n).expect("a bone of the character")).collect()
}

/// Applies an edit and returns the document. Checks that one undo restores the document.
#[track_caller]
fn apply_and_check_undo(document: &Document, edit: Edit) -> Document {
    let mut after = document.clone();
    let changes = after.apply_recorded(edit).expect("applies");
    let done = after.clone();
    changes.revert(&mut after);
    assert_eq!(&after, document);
    done
}

#[test]
fn unassigning_colliders_does_not_delete_them() {
    let (character, document) = girl_with_assigned_colliders();
    let sanitized =
        setup_cleanup::unassign_colliders(&document, &bones_named(&character, &["TwinTail_L_01", "TwinTail_L_02"]));
    assert_eq!((sanitized.joints, sanitized.references), (2, 4));
    let after = apply_and_check_undo(&document, sanitized.edit);
    assert_eq!(after.colliders.len(), 2);
    assert!(after.chains[&ChainId(2)].joints[0].colliders.is_empty());
    assert_eq!(after.chains[&ChainId(2)].joints[2].colliders.len(), 2);
}

#[test]
fn deleting_colliders_below_a_bone_deletes_their_nodes_and_references() {
    let (character, document) = girl_with_assigned_colliders();
    let sanitized =
        setup_cleanup::delete_colliders_below(&document, &character.skeleton, &bones_named(&character, &["Chest"]));
    assert_eq!((sanitized.colliders, sanitized.helpers), (1, 1));
    let after = apply_and_check_undo(&document, sanitized.edit);
    assert!(after.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders == [ColliderId(2)]));
    assert_eq!(after.helpers.len(), 1);
}

#[test]
fn deleting_joints_below_a_bone_deletes_empty_chains_and_their_pivots() {
    let (character, mut document) = girl_with_assigned_colliders();
    let all: Vec<BoneId> = bones_named(&character, &["TwinTail_L_01", "Skirt_01"]).into_iter().collect();
    document.apply(pivot::create_pivots(&document, &character.skeleton, &all)).expect("applies");
    let sanitized =
        setup_cleanup::delete_joints_below(&document, &character.skeleton, &bones_named(&character, &["Head"]));
    assert_eq!((sanitized.joints, sanitized.chains, sanitized.helpers), (12, 4, 1));
    let after = apply_and_check_undo(&document, sanitized.edit);
    assert_eq!(after.chains.len(), 2);
    assert!(after.helpers.values().any(|h| h.name == "Skirt_01_Pivot"));
}

#[test]
fn deleting_joints_below_a_bone_keeps_the_joints_above_it() {
    let (character, document) = girl_with_assigned_colliders();
    let sanitized = setup_cleanup::delete_joints_below(
        &document,
        &character.skeleton,
        &bones_named(&character, &["TwinTail_L_03"]),
    );
    let after = apply_and_check_undo(&document, sanitized.edit);
    assert_eq!((sanitized.joints, after.chains[&ChainId(2)].joints.len()), (3, 2));
}

/// Returns a document with a duplicate of the head's collider, an unassigned collider, an unused node, and dead
/// references.
fn girl_with_unused_elements() -> (Character, Document) {
    let (character, mut document) = girl_with_assigned_colliders();
    let twin = document.helpers[&HelperId(1)].clone();
    document.helpers.insert(HelperId(7), twin.clone());
    let ball = document.colliders[&ColliderId(1)].clone();
    document.colliders.insert(ColliderId(7), Collider { node: Node::Helper(HelperId(7)), ..ball.clone() });
    document.helpers.insert(HelperId(8), Helper { local: Trs::from_translation(Vec3::Y), ..twin.clone() });
    document.colliders.insert(ColliderId(8), Collider { node: Node::Helper(HelperId(8)), ..ball });
    document.helpers.insert(HelperId(9), Helper { name: "empty".into(), ..twin.clone() });
    document
        .helpers
        .insert(HelperId(10), Helper { name: "below".into(), parent: Node::Helper(HelperId(9)), ..twin.clone() });
    document.helpers.insert(HelperId(11), Helper { name: "null".into(), role: HelperRole::Null, ..twin });
    let joint = &mut document.chains.get_mut(&ChainId(1)).expect("there").joints[0];
    joint.colliders = vec![ColliderId(1), ColliderId(7), ColliderId(2)];
    let gone = LengthTarget::new(Node::Bone(BoneId(5000)));
    joint.length_targets =
        vec![gone, LengthTarget::new(Node::Bone(BoneId(1))), LengthTarget::new(Node::Bone(BoneId(1)))];
    (character, document)
}

#[test]
fn clean_up_counts_duplicates_unused_colliders_empty_nodes_and_references() {
    let (character, document) = girl_with_unused_elements();
    let found = setup_cleanup::clean_up(&document, &character.skeleton);
    assert_eq!((found.duplicate_count, found.unused_count, found.empty_node_count), (1, 1, 4));
    assert_eq!(found.change.references, 3, "two length targets and a duplicate collider");
    let after = apply_and_check_undo(&document, found.change.edit);
    let joint = &after.chains[&ChainId(1)].joints[0];
    assert_eq!(joint.colliders, [ColliderId(1), ColliderId(2)]);
    assert_eq!(joint.length_targets.len(), 1);
    assert!(after.helpers.values().any(|h| h.name == "null"), "nulls of tables are kept on purpose");
}

#[test]
fn a_second_clean_up_changes_nothing() {
    let (character, document) = girl_with_unused_elements();
    let after = apply_and_check_undo(&document, setup_cleanup::clean_up(&document, &character.skeleton).change.edit);
    let again = setup_cleanup::clean_up(&after, &character.skeleton);
    assert!(again.change.is_empty());
    assert_eq!(apply_and_check_undo(&after, again.change.edit), after);
}

#[test]
fn clean_up_keeps_length_targets_on_missing_bones() {
    let (character, mut document) = girl_with_assigned_colliders();
    let lost = document.missing_bones.add(yuremono_model::document::BonePath::default());
    document.chains.get_mut(&ChainId(1)).expect("there").joints[0].length_targets =
        vec![LengthTarget::new(Node::Bone(lost))];
    assert!(setup_cleanup::clean_up(&document, &character.skeleton).change.is_empty());
}

#[test]
fn set_parent_keeps_world_positions() {
    let (character, document) = girl_with_assigned_colliders();
    let chest = Node::Bone(character.skeleton.find("Chest").expect("there"));
    let sanitized =
        setup_cleanup::set_parent(&document, &character.skeleton, &BTreeSet::from([HelperId(1), HelperId(2)]), chest);
    assert_eq!(sanitized.helpers, 2);
    let after = apply_and_check_undo(&document, sanitized.edit);
    let place =
        |d: &Document, id| RestFrames::of(d, &character.skeleton).position(Node::Helper(HelperId(id))).expect("there");
    for id in [1, 2] {
        assert_eq!(after.helpers[&HelperId(id)].parent, chest);
        assert!(place(&document, id).distance(place(&after, id)) < 1e-5);
    }
}

#[test]
fn a_node_cannot_become_a_child_of_its_descendant() {
    let (character, mut document) = girl_with_assigned_colliders();
    let below = Helper { parent: Node::Helper(HelperId(1)), ..document.helpers[&HelperId(1)].clone() };
    document.helpers.insert(HelperId(5), below);
    let sanitized = setup_cleanup::set_parent(
        &document,
        &character.skeleton,
        &BTreeSet::from([HelperId(1)]),
        Node::Helper(HelperId(5)),
    );
    assert!(sanitized.is_empty());
}

#[test]
fn align_capsules_reaches_from_the_parent_to_the_center_of_its_children() {
    let (character, document) = girl_with_assigned_colliders();
    let sanitized =
        setup_cleanup::align_capsules(&document, &character.skeleton, &document.colliders.keys().copied().collect());
    let after = apply_and_check_undo(&document, sanitized.edit);
    let ColliderShape::Capsule { height, inside: false, .. } = after.colliders[&ColliderId(2)].shape else {
        panic!("a capsule")
    };
    assert!((height - 0.38).abs() < 1e-5);
    let up =
        RestFrames::of(&after, &character.skeleton).frame(Node::Helper(HelperId(2))).expect("there").rotation * Vec3::Y;
    assert!(up.distance(Vec3::NEG_Y) < 1e-4);
    assert_eq!(after.colliders[&ColliderId(1)], document.colliders[&ColliderId(1)]);
}

#[test]
fn reset_system_values_keeps_extensions() {
    let (_, mut document) = girl_with_assigned_colliders();
    document.main_system_mut().values.set(GRAVITY[1], -3.0);
    document.main_system_mut().values.set(STRONG_LENGTH_LIMITS, 0.0);
    let after = apply_and_check_undo(&document, setup_cleanup::reset_system_values(&document));
    assert_eq!((after.main_system().get(GRAVITY[1]), after.main_system().get(STRONG_LENGTH_LIMITS)), (-10.0, 0.0));
    assert_eq!(setup_cleanup::reset_system_values(&after), Edit::Batch(Vec::new()));
}

/// Gives the left pigtail a curve, a joint value, limits and one collider, and copies it.
fn girl_with_copied_chain() -> (Character, Document, CopiedChain) {
    let (character, mut document) = girl_with_assigned_colliders();
    let chain = document.chains.get_mut(&ChainId(2)).expect("there");
    chain.values[STIFFNESS.index()].base = 500.0;
    chain.values[STIFFNESS.index()].curve = Some(Curve::from_shape(CurveShape::Linear));
    chain.joints.iter_mut().enumerate().for_each(|(i, j)| _ = j.overrides.insert(DRAG, 0.1 * i as f32));
    chain.values[Y_ACTIVE.index()].base = 1.0;
    chain.values[Y_MAX.index()].base = 45.0;
    chain.joints.iter_mut().for_each(|j| j.colliders = vec![ColliderId(1)]);
    let roots: Vec<BoneId> = chain.joints.iter().map(|j| j.bone).collect();
    document.apply(pivot::align_pivots(&document, &character.skeleton, &roots)).expect("applies");
    let copied = CopiedChain::from_document(&document, &character.skeleton, ChainId(2)).expect("a chain");
    (character, document, copied)
}

#[test]
fn pasting_only_values_keeps_limits_and_colliders() {
    let (character, document, copied) = girl_with_copied_chain();
    let what = PasteTarget { numbers: true, limits: false, colliders: false };
    let after =
        apply_and_check_undo(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what).edit);
    let (old, new) = (&document.chains[&ChainId(3)], &after.chains[&ChainId(3)]);
    assert_eq!(new.values[STIFFNESS.index()], after.chains[&ChainId(2)].values[STIFFNESS.index()]);
    assert_eq!(new.values[Y_MAX.index()], old.values[Y_MAX.index()]);
    assert_eq!(new.joints[0].colliders, old.joints[0].colliders);
}

#[test]
fn pasting_limits_creates_missing_pivots() {
    let (character, document, copied) = girl_with_copied_chain();
    let what = PasteTarget { numbers: false, limits: true, colliders: false };
    let after =
        apply_and_check_undo(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what).edit);
    let new = &after.chains[&ChainId(3)];
    assert_eq!(
        (new.values[Y_MAX.index()].base, new.values[RADIUS.index()].base),
        (45.0, document.chains[&ChainId(3)].values[RADIUS.index()].base)
    );
    assert!(new.joints.iter().all(|j| j.pivot.is_some()));
}

#[test]
fn colliders_can_be_pasted_on_a_chain_of_another_length() {
    let (character, document, copied) = girl_with_copied_chain();
    let what = PasteTarget { numbers: false, limits: false, colliders: true };
    let after =
        apply_and_check_undo(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what).edit);
    assert!(after.chains[&ChainId(3)].joints.iter().all(|j| j.colliders == [ColliderId(1)]));
}

#[test]
fn overrides_are_interpolated_on_a_chain_of_another_length() {
    let (character, document, copied) = girl_with_copied_chain();
    let after = apply_and_check_undo(
        &document,
        paste(&document, &character.skeleton, &copied, &[ChainId(3)], PasteTarget::ALL).edit,
    );
    let drags: Vec<f32> = after.chains[&ChainId(3)].joints.iter().map(|j| j.overrides[&DRAG]).collect();
    assert_eq!((drags[0], drags[2]), (0.0, 0.4));
    assert!(drags[1] > 0.1 && drags[1] < 0.3, "{drags:?}");
}

#[test]
fn overrides_are_pasted_joint_by_joint_on_a_chain_of_equal_length() {
    let (character, mut document, _) = girl_with_copied_chain();
    document.chains.get_mut(&ChainId(5)).expect("there").joints[1].overrides.insert(DRAG, 0.77);
    let copied = CopiedChain::from_document(&document, &character.skeleton, ChainId(5)).expect("a chain");
    let after = apply_and_check_undo(
        &document,
        paste(&document, &character.skeleton, &copied, &[ChainId(6)], PasteTarget::ALL).edit,
    );
    let own: Vec<_> = after.chains[&ChainId(6)].joints.iter().map(|j| j.overrides.get(&DRAG).copied()).collect();
    assert_eq!(own, [None, Some(0.77)]);
}

#[test]
fn tools_without_targets_change_nothing() {
    let (character, document) = girl_with_assigned_colliders();
    let none = BTreeSet::new();
    let all: [CleanupEdit; 4] = [
        setup_cleanup::unassign_colliders(&document, &none),
        setup_cleanup::delete_colliders_below(&document, &character.skeleton, &none),
        setup_cleanup::delete_joints_below(&document, &character.skeleton, &BTreeSet::from([BoneId(1 << 24)])),
        setup_cleanup::align_capsules(&document, &character.skeleton, &BTreeSet::from([ColliderId(99)])),
    ];
    for sanitized in all {
        assert!(sanitized.is_empty());
        assert_eq!(apply_and_check_undo(&document, sanitized.edit), document);
    }
}

/// Like [`girl_with_copied_chain`], but the copied chain also has a group, a center and a limit.
fn girl_with_copied_vrm_chain() -> (Character, Document, CopiedChain) {
    let (character, mut document, _) = girl_with_copied_chain();
    let listed = document.colliders.keys().copied().collect();
    document.groups.insert(GroupId(1), ColliderGroup { colliders: listed, ..ColliderGroup::default() });
    let chain = document.chains.get_mut(&ChainId(2)).expect("there");
    let root = chain.root();
    chain.groups = vec![GroupId(1)];
    chain.center = Some(Node::Bone(root));
    let cone = SwingLimit { shape: SwingShape::Cone { angle: 0.5 }, rotation: glam::Quat::IDENTITY };
    chain.joints.iter_mut().for_each(|j| j.limit = Some(cone));
    let copied = CopiedChain::from_document(&document, &character.skeleton, ChainId(2)).expect("a chain");
    (character, document, copied)
}

#[test]
fn collider_groups_center_and_swing_limits_are_pasted() {
    let (character, document, copied) = girl_with_copied_vrm_chain();
    let after = apply_and_check_undo(
        &document,
        paste(&document, &character.skeleton, &copied, &[ChainId(3)], PasteTarget::ALL).edit,
    );
    let (from, to) = (&document.chains[&ChainId(2)], &after.chains[&ChainId(3)]);
    assert_eq!((&to.groups, to.center), (&from.groups, from.center));
    assert!(to.joints.iter().all(|j| j.limit == from.joints[0].limit));
    let what = PasteTarget { numbers: false, limits: false, colliders: false };
    assert_eq!(
        apply_and_check_undo(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what).edit),
        document
    );
    let foreign = CopiedChain { is_foreign: true, ..copied };
    let after = apply_and_check_undo(
        &document,
        paste(&document, &character.skeleton, &foreign, &[ChainId(3)], PasteTarget::ALL).edit,
    );
    assert_eq!((after.chains[&ChainId(3)].groups.len(), after.chains[&ChainId(3)].center), (0, None));
}

#[test]
fn unassigning_a_joint_of_a_collider_group_keeps_the_colliders_of_its_neighbours() {
    let (_, document, _) = girl_with_copied_vrm_chain();
    let old = &document.chains[&ChainId(2)];
    let freed = BTreeSet::from([old.joints[0].bone]);
    let after = apply_and_check_undo(&document, setup_cleanup::unassign_colliders(&document, &freed).edit);
    let chain = &after.chains[&ChainId(2)];
    let met = |document: &Document, chain: &Chain, at: usize| -> BTreeSet<ColliderId> {
        document.colliders_of(chain, &chain.joints[at]).collect()
    };
    assert_eq!(met(&after, chain, 0), BTreeSet::new());
    assert_eq!(met(&after, chain, 1), met(&document, old, 1));
}
