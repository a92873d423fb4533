//! Skirts: columns in a ring, links between them and to legs, pivots that follow a raised thigh.

use super::support::figure::{self, COLUMNS, ROWS};
use glam::Vec3;
use std::sync::Arc;
use yuremono::document::{ChainId, Document, Node, Stance, SystemId};
use yuremono::document::{skirt::Leg, skirt::Skirt, skirt::lead_by_legs, skirt::link_columns, skirt::link_to_leg};
use yuremono::rig::{BoneId, Character, Humanoid};
use yuremono::session::{Command, Motion, Session};
use yuremono::sim::solver::spring_bone::STIFFNESS;
use yuremono::stage::TestMotion;

fn figure() -> (Character, Document) {
    let character = figure::character();
    let document = figure::document(&character);
    (character, document)
}

fn skirt(document: &Document, character: &Character) -> Skirt {
    Skirt::find(document, &Stance::of(document, &character.skeleton), &character.skeleton, &[])
}

fn bone(character: &Character, name: &str) -> BoneId {
    character.skeleton.find(name).expect("one of her bones")
}

fn targets(document: &Document, character: &Character, name: &str) -> Vec<String> {
    let (chain, at) = document.joint_of(bone(character, name)).expect("a joint");
    let nodes = document.chains[&chain].joints[at].length_targets.iter().map(|t| t.node);
    nodes
        .map(|n| if let Node::Bone(b) = n { character.skeleton.name(b).to_owned() } else { "helper".to_owned() })
        .collect()
}

#[test]
fn columns_stand_in_their_order_and_the_ring_closes() {
    let (character, document) = figure();
    let skirt = skirt(&document, &character);
    assert!(skirt.is_closed);
    let order: Vec<u32> = skirt.columns.iter().map(|c| c.chain.0 - 2).collect();
    let start = order.iter().position(|c| *c == 0).expect("the first column");
    let turned: Vec<u32> = (0..COLUMNS).map(|i| order[(start + i) % COLUMNS]).collect();
    assert_eq!(turned, (0..COLUMNS as u32).collect::<Vec<_>>());
}

#[test]
fn a_gap_opens_the_ring_and_the_row_begins_behind_it() {
    let (character, mut document) = figure();
    for column in [3, 4, 5] {
        document.chains.remove(&ChainId(2 + column));
    }
    let skirt = skirt(&document, &character);
    assert!(!skirt.is_closed);
    let order: Vec<u32> = skirt.columns.iter().map(|c| c.chain.0 - 2).collect();
    assert_eq!(order, [6, 7, 0, 1, 2]);
}

#[test]
fn joints_of_one_row_hold_each_other_at_their_tips() {
    let (character, mut document) = figure();
    let plan = link_columns(&document, &character, &[]);
    assert_eq!((plan.columns, plan.links, plan.is_closed), (COLUMNS, 2 * COLUMNS * ROWS, true));
    document.apply(plan.edit).expect("applies");
    let mut found = targets(&document, &character, "skirt_0_1");
    found.sort();
    assert_eq!(found, ["skirt_1_2", "skirt_7_2"]);
    let mut last = targets(&document, &character, "skirt_0_3");
    last.sort();
    assert_eq!(last, ["skirt_1_4", "skirt_7_4"]);
}

#[test]
fn linking_again_adds_nothing() {
    let (character, mut document) = figure();
    document.apply(link_columns(&document, &character, &[]).edit).expect("applies");
    let again = link_columns(&document, &character, &[]);
    assert_eq!(again.links, 0);
    let before = document.clone();
    document.apply(again.edit).expect("applies");
    assert_eq!(document, before);
}

#[test]
fn only_chosen_chains_are_linked() {
    let (character, document) = figure();
    let plan = link_columns(&document, &character, &[ChainId(2), ChainId(3)]);
    assert_eq!((plan.columns, plan.links), (2, 2 * ROWS));
}

#[test]
fn joints_keep_their_distance_to_the_end_of_the_nearest_thigh() {
    let (character, mut document) = figure();
    let plan = link_to_leg(&document, &character, &[], Leg::Nearest);
    document.apply(plan.edit).expect("applies");
    assert_eq!(targets(&document, &character, "skirt_2_2"), ["Shin_L"]);
    assert_eq!(targets(&document, &character, "skirt_6_2"), ["Shin_R"]);
}

#[test]
fn a_chosen_bone_is_linked_instead() {
    let (character, mut document) = figure();
    let plan = link_to_leg(&document, &character, &[ChainId(2)], Leg::Bone(bone(&character, "Foot_L")));
    document.apply(plan.edit).expect("applies");
    assert_eq!(targets(&document, &character, "skirt_0_0"), ["Foot_L"]);
    assert!(targets(&document, &character, "skirt_1_0").is_empty());
}

fn pivot(document: &Document, character: &Character, name: &str) -> Node {
    let (chain, at) = document.joint_of(bone(character, name)).expect("a joint");
    document.chains[&chain].joints[at].pivot.expect("a pivot")
}

fn parent(document: &Document, node: Node) -> Node {
    let Node::Helper(id) = node else { panic!("a helper") };
    document.helpers[&id].parent
}

#[test]
fn pivots_hang_on_the_nearest_thigh_and_are_not_turned() {
    let (character, mut document) = figure();
    document
        .apply(yuremono::document::pivot::create_pivots(
            &document,
            &character.skeleton,
            &character.skeleton.ids().collect::<Vec<_>>(),
        ))
        .expect("applies");
    let before = Stance::of(&document, &character.skeleton);
    let plan = lead_by_legs(&document, &character, &[], Leg::Nearest, false);
    assert_eq!((plan.links, plan.middle), (COLUMNS * ROWS, 0));
    document.apply(plan.edit).expect("applies");
    let after = Stance::of(&document, &character.skeleton);
    let node = pivot(&document, &character, "skirt_2_1");
    assert_eq!(parent(&document, node), Node::Bone(bone(&character, "Leg_L")));
    let (a, b) = (before.frame(node).expect("there"), after.frame(node).expect("there"));
    assert!(a.rotation.angle_between(b.rotation) < 1e-3 && a.position.distance(b.position) < 1e-5);
}

#[test]
fn joints_without_pivot_get_one_on_the_way() {
    let (character, mut document) = figure();
    let plan = lead_by_legs(&document, &character, &[], Leg::Bone(bone(&character, "Spine")), false);
    let before = document.clone();
    let (inverse, _) = document.apply(plan.edit).expect("applies");
    assert_eq!(document.helpers.len(), COLUMNS * ROWS);
    assert!(document.helpers.values().all(|h| h.parent == Node::Bone(bone(&character, "Spine"))));
    document.apply(inverse).expect("the inverse applies");
    assert_eq!(document, before);
}

#[test]
fn the_middle_hangs_on_a_node_that_leans_with_both_legs() {
    let (character, mut document) = figure();
    let plan = lead_by_legs(&document, &character, &[], Leg::Nearest, true);
    assert_eq!(plan.middle, 2 * ROWS, "one column in front, one behind");
    document.apply(plan.edit).expect("applies");
    let high_leg = document.high_legs.values().next().expect("one");
    assert_eq!(high_leg.legs.len(), 2);
    assert_eq!(parent(&document, pivot(&document, &character, "skirt_0_0")), high_leg.node);
    assert_eq!(parent(&document, pivot(&document, &character, "skirt_2_0")), Node::Bone(bone(&character, "Leg_L")));
    let turn = Stance::of(&document, &character.skeleton).frame(high_leg.node).expect("there").rotation;
    assert!((turn * Vec3::Z).distance(Vec3::NEG_Y) < 1e-4, "it looks along the legs");
    assert!((turn * Vec3::Y).distance(Vec3::Z) < 1e-4, "its head is to the front");
    let again = lead_by_legs(&document, &character, &[], Leg::Nearest, true);
    assert_eq!(again.links, 0);
}

#[test]
fn legs_are_found_by_name_where_no_roles_are() {
    let (mut character, document) = figure();
    character.humanoid = Humanoid::default();
    assert_eq!(link_to_leg(&document, &character, &[], Leg::Nearest).links, COLUMNS * ROWS);
}

#[test]
fn nothing_happens_without_legs_or_skirt() {
    let (mut character, document) = figure();
    let strange = BoneId(1 << 24);
    assert_eq!(link_to_leg(&document, &character, &[], Leg::Bone(strange)).links, 0);
    assert_eq!(link_columns(&Document::default(), &character, &[]).links, 0);
    character.humanoid = Humanoid::default();
    let nameless = yuremono::rig::Skeleton::new(
        character.skeleton.bones().iter().map(|b| yuremono::rig::Bone { name: String::new(), ..b.clone() }).collect(),
    );
    character.skeleton = nameless.expect("parents first");
    assert_eq!(link_to_leg(&document, &character, &[], Leg::Nearest).links, 0);
    assert_eq!(lead_by_legs(&document, &character, &[], Leg::Nearest, true).links, 0);
}

/// How far the front hem's tips come forward while a thigh is raised, metres.
fn forward(character: &Character, document: Document) -> f32 {
    let mut session = Session::new(Arc::new(character.clone()), document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::LegLift)));
    session.handle(Command::SetAmplitude(1.0));
    session.handle(Command::SetPlaying(true));
    let hem = bone(character, "skirt_1_3");
    let rest = Stance::of(session.document(), &character.skeleton).head(bone(character, "skirt_1_4")).expect("there");
    let mut most = 0.0_f32;
    for _ in 0..84 {
        session.advance(1.0 / 60.0);
        most = most.max(session.playback().shown_tip(hem).expect("a tip").z - rest.z);
    }
    most
}

#[test]
fn a_raised_thigh_takes_a_skirt_along_whose_pivots_hang_on_it() {
    let (character, mut document) = figure();
    document.chains.values_mut().for_each(|c| c.values[STIFFNESS.index()].base = 20.0);
    let loose = forward(&character, document.clone());
    document.apply(lead_by_legs(&document, &character, &[], Leg::Nearest, false).edit).expect("applies");
    let led = forward(&character, document.clone());
    let way = yuremono::sim::solver::spring_bone::WAY;
    document
        .apply(yuremono::document::Edit::SetSystem { system: SystemId::default(), row: way, value: 1.0 })
        .expect("a row");
    let improved = forward(&character, document);
    println!("loose {loose}, led {led}, led and improved {improved}");
    assert!(led > loose + 0.05, "{led} against {loose}");
    assert!(improved > loose + 0.05, "{improved} against {loose}");
}
