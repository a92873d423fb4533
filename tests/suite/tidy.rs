//! Taking away, putting in order, setting parents, copying and pasting: each undone in one step.

use super::support::girl;
use glam::Vec3;
use std::collections::BTreeSet;
use yuremono::document::{
    Chain, ChainId, Collider, ColliderGroup, ColliderId, Document, Edit, GroupId, Helper, HelperId, HelperRole,
    LengthTarget, Node, Stance, pivot,
};
use yuremono::math::{Curve, CurveShape, Trs};
use yuremono::rig::{BoneId, Character};
use yuremono::sim::solver::spring_bone::{DRAG, GRAVITY, RADIUS, STIFFNESS, STRONG_LENGTHS, Y_ACTIVE, Y_MAX};
use yuremono::sim::{Shape, SwingLimit, SwingShape};
use yuremono::tools::{paste::Copied, paste::What, paste::paste};
use yuremono::tools::{tidy, tidy::Tidy};

fn girl() -> (Character, Document) {
    let character = girl::character();
    let mut document = girl::document(&character);
    for chain in document.chains.values_mut() {
        chain.joints.iter_mut().for_each(|j| j.colliders = vec![ColliderId(1), ColliderId(2)]);
    }
    (character, document)
}

fn bones(character: &Character, names: &[&str]) -> BTreeSet<BoneId> {
    names.iter().map(|n| character.skeleton.find(n).expect("one of her bones")).collect()
}

/// The document afterwards; and that one undo leads back.
#[track_caller]
fn applied(document: &Document, edit: Edit) -> Document {
    let mut after = document.clone();
    let (inverse, _) = after.apply(edit).expect("applies");
    let done = after.clone();
    after.apply(inverse).expect("the inverse applies");
    assert_eq!(&after, document);
    done
}

#[test]
fn joints_lose_their_colliders_and_the_colliders_stay() {
    let (character, document) = girl();
    let tidy = tidy::unassign_colliders(&document, &bones(&character, &["TwinTail_L_01", "TwinTail_L_02"]));
    assert_eq!((tidy.joints, tidy.references), (2, 4));
    let after = applied(&document, tidy.edit);
    assert_eq!(after.colliders.len(), 2);
    assert!(after.chains[&ChainId(2)].joints[0].colliders.is_empty());
    assert_eq!(after.chains[&ChainId(2)].joints[2].colliders.len(), 2);
}

#[test]
fn colliders_below_a_bone_go_with_their_nodes_and_references() {
    let (character, document) = girl();
    let tidy = tidy::delete_colliders_below(&document, &character.skeleton, &bones(&character, &["Chest"]));
    assert_eq!((tidy.colliders, tidy.helpers), (1, 1));
    let after = applied(&document, tidy.edit);
    assert!(after.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders == [ColliderId(2)]));
    assert_eq!(after.helpers.len(), 1);
}

#[test]
fn joints_below_a_bone_go_with_empty_chains_and_their_pivots() {
    let (character, mut document) = girl();
    let all: Vec<BoneId> = bones(&character, &["TwinTail_L_01", "Skirt_01"]).into_iter().collect();
    document.apply(pivot::create_pivots(&document, &character.skeleton, &all)).expect("applies");
    let tidy = tidy::delete_springs_below(&document, &character.skeleton, &bones(&character, &["Head"]));
    assert_eq!((tidy.joints, tidy.chains, tidy.helpers), (12, 4, 1));
    let after = applied(&document, tidy.edit);
    assert_eq!(after.chains.len(), 2);
    assert!(after.helpers.values().any(|h| h.name == "Skirt_01_Pivot"));
}

#[test]
fn a_chain_that_begins_above_keeps_what_is_above() {
    let (character, document) = girl();
    let tidy = tidy::delete_springs_below(&document, &character.skeleton, &bones(&character, &["TwinTail_L_03"]));
    let after = applied(&document, tidy.edit);
    assert_eq!((tidy.joints, after.chains[&ChainId(2)].joints.len()), (3, 2));
}

/// A twin of the head's collider, one that nobody lists, a node that carries nothing, and dead references.
fn untidy() -> (Character, Document) {
    let (character, mut document) = girl();
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
fn cleaning_up_finds_each_kind_and_says_how_many() {
    let (character, document) = untidy();
    let found = tidy::clean_up(&document, &character.skeleton);
    assert_eq!((found.duplicates, found.unused, found.empty_nodes), (1, 1, 4));
    assert_eq!(found.tidy.references, 3, "two length targets and a collider that is there twice");
    let after = applied(&document, found.tidy.edit);
    let joint = &after.chains[&ChainId(1)].joints[0];
    assert_eq!(joint.colliders, [ColliderId(1), ColliderId(2)]);
    assert_eq!(joint.length_targets.len(), 1);
    assert!(after.helpers.values().any(|h| h.name == "null"), "tables keep nulls on purpose");
}

#[test]
fn what_is_clean_stays_and_a_second_time_finds_nothing() {
    let (character, document) = untidy();
    let after = applied(&document, tidy::clean_up(&document, &character.skeleton).tidy.edit);
    let again = tidy::clean_up(&after, &character.skeleton);
    assert!(again.tidy.is_empty());
    assert_eq!(applied(&after, again.tidy.edit), after);
}

#[test]
fn bones_that_are_only_lost_keep_what_is_authored_on_them() {
    let (character, mut document) = girl();
    let lost = document.lost.add(yuremono::document::BonePath::default());
    document.chains.get_mut(&ChainId(1)).expect("there").joints[0].length_targets =
        vec![LengthTarget::new(Node::Bone(lost))];
    assert!(tidy::clean_up(&document, &character.skeleton).tidy.is_empty());
}

#[test]
fn a_new_parent_moves_nothing() {
    let (character, document) = girl();
    let chest = Node::Bone(character.skeleton.find("Chest").expect("there"));
    let tidy = tidy::set_parent(&document, &character.skeleton, &BTreeSet::from([HelperId(1), HelperId(2)]), chest);
    assert_eq!(tidy.helpers, 2);
    let after = applied(&document, tidy.edit);
    let place =
        |d: &Document, id| Stance::of(d, &character.skeleton).position(Node::Helper(HelperId(id))).expect("there");
    for id in [1, 2] {
        assert_eq!(after.helpers[&HelperId(id)].parent, chest);
        assert!(place(&document, id).distance(place(&after, id)) < 1e-5);
    }
}

#[test]
fn a_node_is_not_hung_below_itself() {
    let (character, mut document) = girl();
    let below = Helper { parent: Node::Helper(HelperId(1)), ..document.helpers[&HelperId(1)].clone() };
    document.helpers.insert(HelperId(5), below);
    let tidy =
        tidy::set_parent(&document, &character.skeleton, &BTreeSet::from([HelperId(1)]), Node::Helper(HelperId(5)));
    assert!(tidy.is_empty());
}

#[test]
fn a_capsule_is_aligned_from_its_parent_to_the_middle_of_the_children() {
    let (character, document) = girl();
    let tidy = tidy::align_capsules(&document, &character.skeleton, &document.colliders.keys().copied().collect());
    let after = applied(&document, tidy.edit);
    let Shape::Capsule { height, inside: false, .. } = after.colliders[&ColliderId(2)].shape else {
        panic!("a capsule")
    };
    assert!((height - 0.38).abs() < 1e-5);
    let up =
        Stance::of(&after, &character.skeleton).frame(Node::Helper(HelperId(2))).expect("there").rotation * Vec3::Y;
    assert!(up.distance(Vec3::NEG_Y) < 1e-4);
    assert_eq!(after.colliders[&ColliderId(1)], document.colliders[&ColliderId(1)]);
}

#[test]
fn the_engine_s_settings_come_back_and_what_is_ours_stays() {
    let (_, mut document) = girl();
    document.main_mut().values.set(GRAVITY[1], -3.0);
    document.main_mut().values.set(STRONG_LENGTHS, 0.0);
    let after = applied(&document, tidy::engine_settings(&document));
    assert_eq!((after.main().get(GRAVITY[1]), after.main().get(STRONG_LENGTHS)), (-10.0, 0.0));
    assert_eq!(tidy::engine_settings(&after), Edit::Batch(Vec::new()));
}

/// The five joints of the left pigtail with a curve, a value of their own, limits and one collider.
fn copied() -> (Character, Document, Copied) {
    let (character, mut document) = girl();
    let chain = document.chains.get_mut(&ChainId(2)).expect("there");
    chain.values[STIFFNESS.index()].base = 500.0;
    chain.values[STIFFNESS.index()].curve = Some(Curve::shape(CurveShape::Linear));
    chain.joints.iter_mut().enumerate().for_each(|(i, j)| _ = j.own.insert(DRAG, 0.1 * i as f32));
    chain.values[Y_ACTIVE.index()].base = 1.0;
    chain.values[Y_MAX.index()].base = 45.0;
    chain.joints.iter_mut().for_each(|j| j.colliders = vec![ColliderId(1)]);
    let roots: Vec<BoneId> = chain.joints.iter().map(|j| j.bone).collect();
    document.apply(pivot::place_pivots(&document, &character.skeleton, &roots)).expect("applies");
    let copied = Copied::of(&document, &character.skeleton, ChainId(2)).expect("a chain");
    (character, document, copied)
}

#[test]
fn numbers_alone_leave_limits_and_colliders() {
    let (character, document, copied) = copied();
    let what = What { numbers: true, limits: false, colliders: false };
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what));
    let (old, new) = (&document.chains[&ChainId(3)], &after.chains[&ChainId(3)]);
    assert_eq!(new.values[STIFFNESS.index()], after.chains[&ChainId(2)].values[STIFFNESS.index()]);
    assert_eq!(new.values[Y_MAX.index()], old.values[Y_MAX.index()]);
    assert_eq!(new.joints[0].colliders, old.joints[0].colliders);
}

#[test]
fn limits_bring_pivots_where_there_are_none() {
    let (character, document, copied) = copied();
    let what = What { numbers: false, limits: true, colliders: false };
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what));
    let new = &after.chains[&ChainId(3)];
    assert_eq!(
        (new.values[Y_MAX.index()].base, new.values[RADIUS.index()].base),
        (45.0, document.chains[&ChainId(3)].values[RADIUS.index()].base)
    );
    assert!(new.joints.iter().all(|j| j.pivot.is_some()));
}

#[test]
fn colliders_go_by_place_where_chains_differ_in_length() {
    let (character, document, copied) = copied();
    let what = What { numbers: false, limits: false, colliders: true };
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what));
    assert!(after.chains[&ChainId(3)].joints.iter().all(|j| j.colliders == [ColliderId(1)]));
}

#[test]
fn values_of_joints_are_read_off_between_the_copied_ones() {
    let (character, document, copied) = copied();
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], What::ALL));
    let drags: Vec<f32> = after.chains[&ChainId(3)].joints.iter().map(|j| j.own[&DRAG]).collect();
    assert_eq!((drags[0], drags[2]), (0.0, 0.4));
    assert!(drags[1] > 0.1 && drags[1] < 0.3, "{drags:?}");
}

#[test]
fn chains_of_one_length_get_their_values_joint_by_joint() {
    let (character, mut document, _) = copied();
    document.chains.get_mut(&ChainId(5)).expect("there").joints[1].own.insert(DRAG, 0.77);
    let copied = Copied::of(&document, &character.skeleton, ChainId(5)).expect("a chain");
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(6)], What::ALL));
    let own: Vec<_> = after.chains[&ChainId(6)].joints.iter().map(|j| j.own.get(&DRAG).copied()).collect();
    assert_eq!(own, [None, Some(0.77)]);
}

#[test]
fn nothing_comes_of_nothing() {
    let (character, document) = girl();
    let none = BTreeSet::new();
    let all: [Tidy; 4] = [
        tidy::unassign_colliders(&document, &none),
        tidy::delete_colliders_below(&document, &character.skeleton, &none),
        tidy::delete_springs_below(&document, &character.skeleton, &BTreeSet::from([BoneId(1 << 24)])),
        tidy::align_capsules(&document, &character.skeleton, &BTreeSet::from([ColliderId(99)])),
    ];
    for tidy in all {
        assert!(tidy.is_empty());
        assert_eq!(applied(&document, tidy.edit), document);
    }
}

/// As above; the copied chain has a group, a center and a limit.
fn copied_from_vrm() -> (Character, Document, Copied) {
    let (character, mut document, _) = copied();
    let listed = document.colliders.keys().copied().collect();
    document.groups.insert(GroupId(1), ColliderGroup { colliders: listed, ..ColliderGroup::default() });
    let chain = document.chains.get_mut(&ChainId(2)).expect("there");
    let root = chain.root();
    chain.groups = vec![GroupId(1)];
    chain.center = Some(Node::Bone(root));
    let cone = SwingLimit { shape: SwingShape::Cone { angle: 0.5 }, rotation: glam::Quat::IDENTITY };
    chain.joints.iter_mut().for_each(|j| j.limit = Some(cone));
    let copied = Copied::of(&document, &character.skeleton, ChainId(2)).expect("a chain");
    (character, document, copied)
}

#[test]
fn groups_center_and_vrms_limits_are_pasted_too() {
    let (character, document, copied) = copied_from_vrm();
    let after = applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], What::ALL));
    let (from, to) = (&document.chains[&ChainId(2)], &after.chains[&ChainId(3)]);
    assert_eq!((&to.groups, to.center), (&from.groups, from.center));
    assert!(to.joints.iter().all(|j| j.limit == from.joints[0].limit));
    let what = What { numbers: false, limits: false, colliders: false };
    assert_eq!(applied(&document, paste(&document, &character.skeleton, &copied, &[ChainId(3)], what)), document);
    let foreign = Copied { is_foreign: true, ..copied };
    let after = applied(&document, paste(&document, &character.skeleton, &foreign, &[ChainId(3)], What::ALL));
    assert_eq!((after.chains[&ChainId(3)].groups.len(), after.chains[&ChainId(3)].center), (0, None));
}

#[test]
fn joints_that_a_group_pushes_are_freed_and_their_neighbours_keep_it() {
    let (_, document, _) = copied_from_vrm();
    let old = &document.chains[&ChainId(2)];
    let freed = BTreeSet::from([old.joints[0].bone]);
    let after = applied(&document, tidy::unassign_colliders(&document, &freed).edit);
    let chain = &after.chains[&ChainId(2)];
    let met = |document: &Document, chain: &Chain, at: usize| -> BTreeSet<ColliderId> {
        document.colliders_of(chain, &chain.joints[at]).collect()
    };
    assert_eq!(met(&after, chain, 0), BTreeSet::new());
    assert_eq!(met(&after, chain, 1), met(&document, old, 1));
}
