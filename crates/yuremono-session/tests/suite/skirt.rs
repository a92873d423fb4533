//! Tests the skirt setup: columns in a ring, links between columns and to legs, and pivots that follow a raised thigh.

use super::support::figure::{self, COLUMNS, ROWS};
use glam::Vec3;
use std::sync::Arc;
use yuremono_model::document::{ChainId, Document, Node, RestFrames, SystemId};
use yuremono_model::document::{
    skirt::LegTarget, skirt::Skirt, skirt::link_columns, skirt::link_to_leg, skirt::parent_pivots_to_legs,
};
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Character, Humanoid};
use yuremono_sim::solver::spring_bone::STIFFNESS;

fn figure_and_document() -> (Character, Document) {
    let character = figure::character();
    let document = figure::document(&character);
    (character, document)
}

fn find_skirt(document: &Document, character: &Character) -> Skirt {
    Skirt::find(document, &RestFrames::of(document, &character.skeleton), &character.skeleton, &[])
}

fn bone_named(character: &Character, name: &str) -> BoneId {
    character.skeleton.find(name).expect("a bone of the character")
}

fn length_target_names(document: &Document, character: &Character, name: &str) -> Vec<String> {
    let (chain, at) = document.find_joint(bone_named(character, name)).expect("a joint");
    let nodes = document.chains[&chain].joints[at].length_targets.iter().map(|t| t.node);
    nodes
        .map(|n| if let Node::Bone(b) = n { character.skeleton.name(b).to_owned() } else { "helper".to_owned() })
        .collect()
}

#[test]
fn columns_are_in_order_and_the_ring_is_closed() {
    let (character, document) = figure_and_document();
    let skirt = find_skirt(&document, &character);
    assert!(skirt.is_closed);
    let order: Vec<u32> = skirt.columns.iter().map(|c| c.chain.0 - 2).collect();
    let start = order.iter().position(|c| *c == 0).expect("the first column");
    let turned: Vec<u32> = (0..COLUMNS).map(|i| order[(start + i) % COLUMNS]).collect();
    assert_eq!(turned, (0..COLUMNS as u32).collect::<Vec<_>>());
}

#[test]
fn a_gap_opens_the_ring_and_the_order_starts_after_it() {
    let (character, mut document) = figure_and_document();
    for column in [3, 4, 5] {
        document.chains.remove(&ChainId(2 + column));
    }
    let skirt = find_skirt(&document, &character);
    assert!(!skirt.is_closed);
    let order: Vec<u32> = skirt.columns.iter().map(|c| c.chain.0 - 2).collect();
    assert_eq!(order, [6, 7, 0, 1, 2]);
}

#[test]
fn linking_columns_adds_length_targets_to_neighbour_tips() {
    let (character, mut document) = figure_and_document();
    let plan = link_columns(&document, &character, &[]);
    assert_eq!((plan.columns, plan.links, plan.is_closed), (COLUMNS, 2 * COLUMNS * ROWS, true));
    document.apply(plan.edit).expect("applies");
    let mut found = length_target_names(&document, &character, "skirt_0_1");
    found.sort();
    assert_eq!(found, ["skirt_1_2", "skirt_7_2"]);
    let mut last = length_target_names(&document, &character, "skirt_0_3");
    last.sort();
    assert_eq!(last, ["skirt_1_4", "skirt_7_4"]);
}

#[test]
fn linking_columns_twice_adds_nothing() {
    let (character, mut document) = figure_and_document();
    document.apply(link_columns(&document, &character, &[]).edit).expect("applies");
    let again = link_columns(&document, &character, &[]);
    assert_eq!(again.links, 0);
    let before = document.clone();
    document.apply(again.edit).expect("applies");
    assert_eq!(document, before);
}

#[test]
fn only_the_given_chains_are_linked() {
    let (character, document) = figure_and_document();
    let plan = link_columns(&document, &character, &[ChainId(2), ChainId(3)]);
    assert_eq!((plan.columns, plan.links), (2, 2 * ROWS));
}

#[test]
fn linking_to_legs_targets_the_end_of_the_nearest_thigh() {
    let (character, mut document) = figure_and_document();
    let plan = link_to_leg(&document, &character, &[], LegTarget::Nearest);
    document.apply(plan.edit).expect("applies");
    assert_eq!(length_target_names(&document, &character, "skirt_2_2"), ["Shin_L"]);
    assert_eq!(length_target_names(&document, &character, "skirt_6_2"), ["Shin_R"]);
}

#[test]
fn linking_to_a_given_bone_targets_that_bone() {
    let (character, mut document) = figure_and_document();
    let plan = link_to_leg(&document, &character, &[ChainId(2)], LegTarget::Bone(bone_named(&character, "Foot_L")));
    document.apply(plan.edit).expect("applies");
    assert_eq!(length_target_names(&document, &character, "skirt_0_0"), ["Foot_L"]);
    assert!(length_target_names(&document, &character, "skirt_1_0").is_empty());
}

fn pivot_of(document: &Document, character: &Character, name: &str) -> Node {
    let (chain, at) = document.find_joint(bone_named(character, name)).expect("a joint");
    document.chains[&chain].joints[at].pivot.expect("a pivot")
}

fn parent_of_helper(document: &Document, node: Node) -> Node {
    let Node::Helper(id) = node else { panic!("a helper") };
    document.helpers[&id].parent
}

#[test]
fn pivots_become_children_of_the_nearest_thigh_without_rotating() {
    let (character, mut document) = figure_and_document();
    document
        .apply(yuremono_model::document::pivot::create_pivots(
            &document,
            &character.skeleton,
            &character.skeleton.ids().collect::<Vec<_>>(),
        ))
        .expect("applies");
    let before = RestFrames::of(&document, &character.skeleton);
    let plan = parent_pivots_to_legs(&document, &character, &[], LegTarget::Nearest, false);
    assert_eq!((plan.links, plan.middle_pivots), (COLUMNS * ROWS, 0));
    document.apply(plan.edit).expect("applies");
    let after = RestFrames::of(&document, &character.skeleton);
    let node = pivot_of(&document, &character, "skirt_2_1");
    assert_eq!(parent_of_helper(&document, node), Node::Bone(bone_named(&character, "Leg_L")));
    let (a, b) = (before.frame(node).expect("there"), after.frame(node).expect("there"));
    assert!(a.rotation.angle_between(b.rotation) < 1e-3 && a.position.distance(b.position) < 1e-5);
}

#[test]
fn joints_without_a_pivot_get_one() {
    let (character, mut document) = figure_and_document();
    let plan =
        parent_pivots_to_legs(&document, &character, &[], LegTarget::Bone(bone_named(&character, "Spine")), false);
    let before = document.clone();
    let changes = document.apply_recorded(plan.edit).expect("applies");
    assert_eq!(document.helpers.len(), COLUMNS * ROWS);
    assert!(document.helpers.values().all(|h| h.parent == Node::Bone(bone_named(&character, "Spine"))));
    changes.revert(&mut document);
    assert_eq!(document, before);
}

#[test]
fn pivots_of_the_middle_columns_become_children_of_a_high_leg_node() {
    let (character, mut document) = figure_and_document();
    let plan = parent_pivots_to_legs(&document, &character, &[], LegTarget::Nearest, true);
    assert_eq!(plan.middle_pivots, 2 * ROWS, "one column is in front, one behind");
    document.apply(plan.edit).expect("applies");
    let high_leg = document.high_legs.values().next().expect("one");
    assert_eq!(high_leg.legs.len(), 2);
    assert_eq!(parent_of_helper(&document, pivot_of(&document, &character, "skirt_0_0")), high_leg.node);
    assert_eq!(
        parent_of_helper(&document, pivot_of(&document, &character, "skirt_2_0")),
        Node::Bone(bone_named(&character, "Leg_L"))
    );
    let turn = RestFrames::of(&document, &character.skeleton).frame(high_leg.node).expect("there").rotation;
    assert!((turn * Vec3::Z).distance(Vec3::NEG_Y) < 1e-4, "the forward axis points along the legs");
    assert!((turn * Vec3::Y).distance(Vec3::Z) < 1e-4, "the up axis points to the front");
    let again = parent_pivots_to_legs(&document, &character, &[], LegTarget::Nearest, true);
    assert_eq!(again.links, 0);
}

#[test]
fn legs_are_found_by_name_without_humanoid_roles() {
    let (mut character, document) = figure_and_document();
    character.humanoid = Humanoid::find(&character.skeleton);
    assert_eq!(link_to_leg(&document, &character, &[], LegTarget::Nearest).links, COLUMNS * ROWS);
}

#[test]
fn without_legs_or_skirt_nothing_is_linked() {
    let (mut character, document) = figure_and_document();
    let strange = BoneId(1 << 24);
    assert_eq!(link_to_leg(&document, &character, &[], LegTarget::Bone(strange)).links, 0);
    assert_eq!(link_columns(&Document::default(), &character, &[]).links, 0);
    character.humanoid = Humanoid::default();
    let nameless = yuremono_sim::rig::Skeleton::new(
        character
            .skeleton
            .bones()
            .iter()
            .map(|b| yuremono_sim::rig::Bone { name: String::new(), ..b.clone() })
            .collect(),
    );
    character.skeleton = nameless.expect("parents first");
    assert_eq!(link_to_leg(&document, &character, &[], LegTarget::Nearest).links, 0);
    assert_eq!(parent_pivots_to_legs(&document, &character, &[], LegTarget::Nearest, true).links, 0);
}

/// Returns the distance in metres by which the front hem's tips move forward while a thigh is raised.
fn hem_forward_distance(character: &Character, document: Document) -> f32 {
    let mut session = Session::new(Arc::new(character.clone()), document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::LegLift)));
    session.handle(Command::SetMotionAmplitude(1.0));
    session.handle(Command::SetPlaying(true));
    let hem = bone_named(character, "skirt_1_3");
    let rest = RestFrames::of(session.document(), &character.skeleton)
        .head(bone_named(character, "skirt_1_4"))
        .expect("there");
    let mut most = 0.0_f32;
    for _ in 0..84 {
        session.advance(1.0 / 60.0);
        most = most.max(session.playback().displayed_tip(hem).expect("a tip").z - rest.z);
    }
    most
}

#[test]
fn a_raised_thigh_moves_a_skirt_whose_pivots_are_its_children() {
    let (character, mut document) = figure_and_document();
    document.chains.values_mut().for_each(|c| c.values[STIFFNESS.index()].base = 20.0);
    let loose = hem_forward_distance(&character, document.clone());
    document.apply(parent_pivots_to_legs(&document, &character, &[], LegTarget::Nearest, false).edit).expect("applies");
    let led = hem_forward_distance(&character, document.clone());
    let way = yuremono_sim::solver::spring_bone::MODE;
    document
        .apply(yuremono_model::document::Edit::SetSystemValue { system: SystemId::default(), param: way, value: 1.0 })
        .expect("a row");
    let improved = hem_forward_distance(&character, document);
    println!("loose {loose}, led {led}, led and improved {improved}");
    assert!(led > loose + 0.05, "{led} against {loose}");
    assert!(improved > loose + 0.05, "{improved} against {loose}");
}
