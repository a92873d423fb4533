//! Mirroring: pairs by place and by name, numbers by the table's rules, frames and references by their images.

use super::support;
use super::support::girl;
use glam::{Quat, Vec3};
use std::collections::BTreeSet;
use std::path::Path;
use yuremono::document::{
    Chain, ChainId, Collider, ColliderGroup, ColliderId, Document, GroupId, Helper, HelperId, HelperRole, History,
    Joint, Label, LengthTarget, Node, Part, Stance, System,
};
use yuremono::math::{Curve, CurveShape, Trs};
use yuremono::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono::schema::{Mirror, Row, Scope, rows};
use yuremono::sim::{Shape, SolverKind, StepInput, SwingLimit, SwingShape, World};
use yuremono::tools::{
    mirror::Found, mirror::From, mirror::MirrorPlan, mirror::Options, mirror::Pair, mirror::Unmatched,
    mirror::find_pairs, mirror::plan, mirror::sources,
};

/// Two skirt columns with names of no side, two sided sleeves, a chest between.
const BONES: &[(&str, Option<u32>, [f32; 3])] = &[
    ("hips", None, [0.0, 1.0, 0.0]),
    ("chest", Some(0), [0.0, 0.3, 0.0]),
    ("skirt_02", Some(0), [0.12, -0.1, 0.05]),
    ("skirt_02_end", Some(2), [0.03, -0.2, 0.02]),
    ("skirt_11", Some(0), [-0.12, -0.1, 0.05]),
    ("skirt_11_end", Some(4), [-0.03, -0.2, 0.02]),
    ("sleeve_L", Some(1), [0.2, 0.0, 0.0]),
    ("sleeve_L_2", Some(6), [0.1, -0.1, 0.0]),
    ("sleeve_L_3", Some(7), [0.0, -0.1, 0.0]),
    ("sleeve_R", Some(1), [-0.2, 0.02, 0.0]),
    ("sleeve_R_2", Some(9), [-0.1, -0.1, 0.0]),
    ("sleeve_R_3", Some(10), [0.0, -0.1, 0.0]),
];

fn skeleton() -> Skeleton {
    let bone = |(name, parent, at): &(&str, Option<u32>, [f32; 3])| Bone {
        name: (*name).to_owned(),
        parent: parent.map(BoneId),
        rest: Trs { translation: Vec3::from(*at), rotation: Quat::IDENTITY, scale: Vec3::ONE },
    };
    Skeleton::new(BONES.iter().map(bone).collect()).expect("parents first")
}

fn bone(name: &str) -> BoneId {
    BoneId(BONES.iter().position(|b| b.0 == name).expect("one of these") as u32)
}

fn chain(document: &mut Document, id: u32, bones: &[&str]) {
    let joints = bones.iter().map(|name| Joint::new(bone(name))).collect();
    let chain = Chain::new(bones[0], Part::Sleeve, document.main().table(), joints);
    document.chains.insert(ChainId(id), chain);
}

/// Chains 1 and 2 are the skirt's columns, 3 and 4 the sleeves.
fn document() -> Document {
    let mut document = Document::default();
    chain(&mut document, 1, &["skirt_02"]);
    chain(&mut document, 2, &["skirt_11"]);
    chain(&mut document, 3, &["sleeve_L", "sleeve_L_2"]);
    chain(&mut document, 4, &["sleeve_R", "sleeve_R_2"]);
    document
}

fn row(document: &Document, name: &str) -> Row {
    yuremono::schema::find_row(document.main().table(), name).expect("a row of the table")
}

fn pairs(document: &Document, from: From, tolerance: f32) -> Vec<Pair> {
    let skeleton = skeleton();
    let stance = Stance::of(document, &skeleton);
    let sources = sources(document, &stance, from, &BTreeSet::new(), tolerance);
    find_pairs(document, &skeleton, &stance, &sources, tolerance)
}

fn mirrored(document: &Document, from: From, options: Options) -> (Document, MirrorPlan) {
    let plan = plan(document, &skeleton(), &pairs(document, from, options.tolerance), &options);
    let mut after = document.clone();
    after.apply(plan.edit.clone()).expect("the plan applies");
    (after, plan)
}

#[track_caller]
fn check_pair(pairs: &[Pair], source: &str, target: &str, found: Found) {
    let pair = pairs.iter().find(|p| p.source == bone(source)).expect("a source");
    assert_eq!((pair.target, pair.found), (Some(bone(target)), found), "{source}");
}

#[test]
fn bones_without_sides_in_their_names_are_paired_by_place() {
    check_pair(&pairs(&document(), From::PlusX, 1e-3), "skirt_02", "skirt_11", Found::Place);
    check_pair(&pairs(&document(), From::MinusX, 1e-3), "skirt_11", "skirt_02", Found::Place);
}

#[test]
fn bones_out_of_place_are_paired_by_name_and_say_how_far() {
    let pairs = pairs(&document(), From::PlusX, 1e-3);
    check_pair(&pairs, "sleeve_L_2", "sleeve_R_2", Found::Name);
    let apart = pairs[1].apart.expect("known");
    assert!((apart - 0.02).abs() < 1e-5, "{apart}");
}

#[test]
fn a_wider_tolerance_finds_place_and_name_together() {
    check_pair(&pairs(&document(), From::PlusX, 0.03), "sleeve_L", "sleeve_R", Found::PlaceAndName);
}

#[test]
fn what_has_no_image_within_the_tolerance_is_left_alone() {
    let (document, skeleton) = (document(), skeleton());
    let stance = Stance::of(&document, &skeleton);
    let found = find_pairs(&document, &skeleton, &stance, &[bone("chest")], 1e-3);
    assert_eq!((found[0].target, found[0].taken), (None, false));
}

#[test]
fn every_number_follows_the_rule_of_its_row() {
    let mut document = document();
    for (i, (row, def)) in rows(document.main().table()).enumerate() {
        if def.scope == Scope::Joint {
            document.chains.get_mut(&ChainId(1)).expect("there").values[row.index()].base = 1.0 + i as f32;
        }
    }
    let (after, _) = mirrored(&document, From::PlusX, Options::default());
    let value = |id: u32, row: Row| after.chains[&ChainId(id)].value(0, row, 0.0);
    for (row, def) in rows(document.main().table()).filter(|(_, def)| def.scope == Scope::Joint) {
        let expected = match def.mirror {
            Mirror::Same => value(1, row),
            Mirror::Negate => -value(1, row),
            Mirror::SwapNegate(partner) => -value(1, partner),
        };
        assert_eq!(value(2, row), expected, "{}", def.name);
    }
}

#[test]
fn limits_about_y_change_places_and_those_about_z_stay() {
    let mut document = document();
    let values = [("yAngleLimits.min", -10.0), ("yAngleLimits.max", 40.0), ("zAngleLimits.min", -5.0)];
    for (name, value) in values {
        let row = row(&document, name);
        document.chains.get_mut(&ChainId(1)).expect("there").values[row.index()].base = value;
    }
    let (after, _) = mirrored(&document, From::PlusX, Options::default());
    let value = |name| after.chains[&ChainId(2)].value(0, row(&document, name), 0.0);
    assert_eq!(values.map(|(name, _)| value(name)), [-40.0, 10.0, -5.0]);
}

#[test]
fn as_unity_the_sideways_force_keeps_its_sign() {
    let mut document = document();
    let row = row(&document, "springForce x");
    document.chains.get_mut(&ChainId(1)).expect("there").values[row.index()].base = 3.0;
    for (as_unity, expected) in [(false, -3.0), (true, 3.0)] {
        let (after, _) = mirrored(&document, From::PlusX, Options { as_unity, ..Options::default() });
        assert_eq!(after.chains[&ChainId(2)].value(0, row, 0.0), expected);
    }
}

/// Curves, values of their own, a pivot and limits on the left.
fn rich() -> Document {
    let mut document = document();
    let [stiffness, force, low, high] =
        ["stiffnessForce", "springForce x", "yAngleLimits.min", "yAngleLimits.max"].map(|n| row(&document, n));
    let skeleton = skeleton();
    let sleeve = document.chains.get_mut(&ChainId(3)).expect("there");
    sleeve.values[stiffness.index()].base = 333.3;
    sleeve.values[stiffness.index()].curve = Some(Curve::shape(CurveShape::Ease));
    sleeve.values[force.index()].base = 0.1;
    sleeve.values[low.index()].base = -12.5;
    sleeve.joints[1].own.insert(high, 33.3);
    for name in ["sleeve_L", "sleeve_L_2"] {
        let edit = yuremono::document::pivot::create_pivot(&document, &skeleton, bone(name));
        document.apply(edit).expect("a joint");
    }
    document
}

#[test]
fn there_and_back_again_is_the_same_numbers() {
    let before = rich();
    let (there, _) = mirrored(&before, From::PlusX, Options::default());
    let mut wiped = there.clone();
    let plain = document().chains[&ChainId(3)].clone();
    wiped.chains.insert(ChainId(3), plain);
    let (back, _) = mirrored(&wiped, From::MinusX, Options::default());
    let (old, new) = (&before.chains[&ChainId(3)], &back.chains[&ChainId(3)]);
    assert_eq!(old.values, new.values);
    assert_eq!(
        old.joints.iter().map(|j| &j.own).collect::<Vec<_>>(),
        new.joints.iter().map(|j| &j.own).collect::<Vec<_>>()
    );
}

#[test]
fn a_chain_that_is_copied_whole_keeps_its_curve() {
    let (after, _) = mirrored(&rich(), From::PlusX, Options::default());
    let stiffness = row(&after, "stiffnessForce");
    assert_eq!(
        after.chains[&ChainId(4)].values[stiffness.index()],
        after.chains[&ChainId(3)].values[stiffness.index()]
    );
}

/// Forward and the two sides that limits are measured from.
fn axes(document: &Document, node: Node) -> [Vec3; 3] {
    let turn = Stance::of(document, &skeleton()).frame(node).expect("there").rotation;
    [turn * Vec3::X, turn * Vec3::NEG_Y, turn * Vec3::NEG_Z]
}

#[test]
fn a_mirrored_pivot_measures_limits_in_the_mirror() {
    let (after, plan) = mirrored(&rich(), From::PlusX, Options::default());
    assert_eq!(plan.pivots, 2);
    for at in 0..2 {
        let pivot = |id: u32| after.chains[&ChainId(id)].joints[at].pivot.expect("a pivot");
        let [from, side, out] = axes(&after, pivot(3));
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        let [to, other_side, other_out] = axes(&after, pivot(4));
        assert!(to.distance(flip(from)) < 1e-4 && other_out.distance(flip(out)) < 1e-4);
        // Y limits change their signs, so their side is the opposite of the image.
        assert!(other_side.distance(-flip(side)) < 1e-4, "{other_side} {side}");
    }
    let names: Vec<&str> = after.helpers.values().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["sleeve_L_Pivot", "sleeve_L_2_Pivot", "sleeve_R_Pivot", "sleeve_R_2_Pivot"]);
}

#[test]
fn mirroring_twice_makes_no_second_pivot() {
    let (once, _) = mirrored(&rich(), From::PlusX, Options::default());
    let (twice, _) = mirrored(&once, From::PlusX, Options::default());
    assert_eq!(once, twice);
}

/// What a limited tip does on one side, its mirror image does on the other.
#[test]
fn both_sides_swing_alike_in_the_mirror() {
    let mut document = rich();
    for (name, value) in [("springForce x", 40.0), ("springForce z", 25.0)] {
        let row = row(&document, name);
        document.chains.get_mut(&ChainId(3)).expect("there").values[row.index()].base = value;
    }
    // In place, so that both sides hang alike.
    let mut bones = skeleton().bones().to_vec();
    bones[9].rest.translation.y = 0.0;
    let skeleton = Skeleton::new(bones).expect("parents first");
    for edit in
        ["sleeve_L", "sleeve_L_2"].map(|n| yuremono::document::pivot::create_pivot(&document, &skeleton, bone(n)))
    {
        document.apply(edit).expect("a joint");
    }
    let stance = Stance::of(&document, &skeleton);
    let sources = sources(&document, &stance, From::PlusX, &BTreeSet::new(), 1e-3);
    let pairs = find_pairs(&document, &skeleton, &stance, &sources, 1e-3);
    let plan = plan(&document, &skeleton, &pairs, &Options::default());
    document.apply(plan.edit).expect("the plan applies");
    let resolved = document.resolve(&skeleton);
    let rest = Pose::rest(&resolved.skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut moved = false;
    for _ in 0..90 {
        world.step(&StepInput { pose: &rest, hold: None, dt: 1.0 / 60.0 });
    }
    let pose = WorldPose::of(&resolved.skeleton, world.pose());
    for (left, right) in [("sleeve_L_2", "sleeve_R_2"), ("sleeve_L_3", "sleeve_R_3")] {
        let (l, r) = (pose.frame(bone(left)).position, pose.frame(bone(right)).position);
        moved |= l.distance(stance.head(bone(left)).expect("there")) > 1e-3;
        assert!(l.distance(Vec3::new(-r.x, r.y, r.z)) < 1e-3, "{left} {l}, {right} {r}");
    }
    assert!(moved, "nothing was pulled");
}

fn with_colliders(shared: bool) -> Document {
    let mut document = document();
    let mut put = |id: u32, name: &str, parent: &str, at: Vec3| {
        let local = Trs { translation: at, ..Trs::IDENTITY };
        let helper = Helper { name: name.to_owned(), parent: Node::Bone(bone(parent)), local, role: HelperRole::Plain };
        document.helpers.insert(HelperId(id), helper);
        let shape = Shape::Sphere { radius: 0.1, inside: false };
        document.colliders.insert(ColliderId(id), Collider::new(name, Node::Helper(HelperId(id)), shape));
    };
    put(1, "chest_ball", "chest", Vec3::ZERO);
    put(2, "arm_L", "sleeve_L", Vec3::new(0.05, 0.0, 0.0));
    if shared {
        put(3, "arm_R", "sleeve_R", Vec3::new(0.3, 0.0, 0.0));
    }
    let joint = &mut document.chains.get_mut(&ChainId(3)).expect("there").joints[0];
    joint.colliders = vec![ColliderId(2), ColliderId(1)];
    joint.length_targets = vec![LengthTarget { node: Node::Bone(bone("sleeve_L_3")), constant: Some(9.0) }];
    document
}

fn colliders(document: &Document) -> Vec<ColliderId> {
    document.chains[&ChainId(4)].joints[0].colliders.clone()
}

#[test]
fn colliders_of_the_middle_stay_and_others_become_their_image() {
    let (after, plan) = mirrored(&with_colliders(true), From::PlusX, Options::default());
    assert_eq!(colliders(&after), [ColliderId(3), ColliderId(1)]);
    assert_eq!(plan.colliders, 1, "the right one stood in a wrong place");
    let place = |id| Stance::of(&after, &skeleton()).position(Node::Helper(HelperId(id))).expect("there");
    assert!(place(3).distance(Vec3::new(-place(2).x, place(2).y, place(2).z)) < 1e-5);
}

#[test]
fn a_collider_without_image_is_made_kept_or_dropped() {
    let document = with_colliders(false);
    let check = |unmatched, expected: &[u32]| {
        let (after, plan) = mirrored(&document, From::PlusX, Options { unmatched, ..Options::default() });
        assert_eq!(colliders(&after), expected.iter().map(|id| ColliderId(*id)).collect::<Vec<_>>(), "{unmatched:?}");
        (after, plan)
    };
    let (made, _) = check(Unmatched::Make, &[3, 1]);
    assert_eq!(made.colliders[&ColliderId(3)].name, "arm_R");
    let (_, kept) = check(Unmatched::Keep, &[2, 1]);
    assert_eq!(kept.unmatched, ["arm_L"]);
    check(Unmatched::Drop, &[1]);
}

#[test]
fn length_targets_become_their_images_and_keep_their_constant() {
    let (after, _) = mirrored(&with_colliders(true), From::PlusX, Options::default());
    let target = after.chains[&ChainId(4)].joints[0].length_targets[0];
    assert_eq!(target, LengthTarget { node: Node::Bone(bone("sleeve_R_3")), constant: Some(9.0) });
}

#[test]
fn colliders_stay_when_they_are_not_asked_for() {
    let (after, _) = mirrored(&with_colliders(true), From::PlusX, Options { colliders: false, ..Options::default() });
    assert!(colliders(&after).is_empty());
}

#[test]
fn bones_that_do_not_sway_yet_get_a_chain() {
    let mut document = rich();
    document.chains.remove(&ChainId(4));
    let (after, plan) = mirrored(&document, From::PlusX, Options::default());
    assert_eq!(plan.chains_made, 1);
    let made = after.chains.values().find(|c| c.root() == bone("sleeve_R")).expect("a chain");
    assert_eq!((made.joints.len(), made.part, made.name.as_str()), (2, Part::Sleeve, "sleeve_R"));
    assert_eq!(
        made.value(0, row(&after, "stiffnessForce"), 0.0),
        after.chains[&ChainId(3)].value(0, row(&after, "stiffnessForce"), 0.0)
    );
}

#[test]
fn targets_that_sway_can_be_left_alone() {
    let (after, plan) = mirrored(&rich(), From::PlusX, Options { only_bare: true, ..Options::default() });
    assert_eq!((plan.joints, after == rich()), (0, true));
}

#[test]
fn a_part_of_a_chain_is_copied_as_values_of_its_joints() {
    let document = rich();
    let only = pairs(&document, From::PlusX, 1e-3).into_iter().filter(|p| p.source == bone("sleeve_L_2"));
    let plan = plan(&document, &skeleton(), &only.collect::<Vec<_>>(), &Options::default());
    let mut after = document.clone();
    after.apply(plan.edit).expect("applies");
    let (from, to) = (&after.chains[&ChainId(3)], &after.chains[&ChainId(4)]);
    let stiffness = row(&after, "stiffnessForce");
    assert_eq!(to.value(1, stiffness, 1.0), from.value(1, stiffness, 1.0));
    assert_eq!(to.joints[0], document.chains[&ChainId(4)].joints[0]);
}

#[test]
fn all_of_it_is_one_step_and_undone_in_one() {
    let before = rich();
    let mut document = before.clone();
    let plan = plan(&document, &skeleton(), &pairs(&document, From::PlusX, 1e-3), &Options::default());
    let mut history = History::default();
    history.apply(&mut document, plan.edit, Label::new("mirror", plan.joints)).expect("applies");
    assert_ne!(document, before);
    history.undo(&mut document).expect("a step");
    assert_eq!(document, before);
    assert!(history.next_undo().is_none());
}

#[test]
fn lost_bones_and_strange_pairs_do_no_harm() {
    let mut document = document();
    document.chains.get_mut(&ChainId(1)).expect("there").joints.push(Joint::new(BoneId(1 << 24)));
    document.chains.get_mut(&ChainId(3)).expect("there").joints[0].pivot = Some(Node::Bone(BoneId(1 << 24)));
    let strange = |source, target| Pair { source, target, apart: None, found: Found::ByHand, taken: true };
    let pairs = [
        strange(BoneId(1 << 24), Some(bone("chest"))),
        strange(bone("sleeve_L"), Some(BoneId(1 << 24))),
        strange(bone("sleeve_L"), Some(bone("sleeve_L"))),
        strange(bone("sleeve_L"), Some(bone("sleeve_R"))),
        strange(bone("chest"), Some(bone("hips"))),
    ];
    let plan = plan(&document, &skeleton(), &pairs, &Options::default());
    document.apply(plan.edit).expect("applies");
    let found = find_pairs(&document, &skeleton(), &Stance::of(&document, &skeleton()), &[BoneId(7)], f32::NAN);
    assert_eq!(found.len(), 1);
}

#[test]
fn a_girl_without_right_ribbon_says_so() {
    let session = girl::session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let stance = Stance::of(document, skeleton);
    let all = sources(document, &stance, From::PlusX, &BTreeSet::new(), 1e-3);
    let pairs = find_pairs(document, skeleton, &stance, &all, 1e-3);
    let lone: Vec<&str> = pairs.iter().filter(|p| p.target.is_none()).map(|p| skeleton.name(p.source)).collect();
    assert_eq!(lone, ["TwinTail_L_04", "TwinTail_L_05", "リボン_左", "リボン_左_2"]);
}

#[test]
fn samples_mirror_both_ways_without_refusal() {
    let Some(folder) = support::folder("YUREMONO_SAMPLES") else { return };
    for path in support::files(Path::new(&folder), &["vrm", "glb", "gltf"]) {
        let opened = yuremono::format::open::character(&path, &|_| true)
            .expect("a sample")
            .under(SolverKind::UnityChanSpringBone);
        let (mut document, skeleton) = (opened.document, &opened.character.skeleton);
        for from in [From::PlusX, From::MinusX] {
            let stance = Stance::of(&document, skeleton);
            let all = sources(&document, &stance, from, &BTreeSet::new(), 1e-3);
            let pairs = find_pairs(&document, skeleton, &stance, &all, 1e-3);
            let plan = plan(&document, skeleton, &pairs, &Options::default());
            let found = pairs.iter().filter(|p| p.target.is_some()).count();
            println!("{}: {found} of {} pairs, {} joints", path.display(), pairs.len(), plan.joints);
            document.apply(plan.edit).expect("the plan applies");
        }
    }
}

/// The left sleeve has a group of a ball on the chest and one on its side, and counts its speed from the chest.
fn grouped() -> Document {
    let mut document = document();
    let ball = |name: &str, node| Collider::new(name, node, Shape::Sphere { radius: 0.1, inside: false });
    let node = Helper {
        name: "ball_L".to_owned(),
        parent: Node::Bone(bone("chest")),
        local: Trs::from_translation(Vec3::X * 0.1),
        role: HelperRole::Plain,
    };
    document.helpers.insert(HelperId(1), node);
    document.colliders.insert(ColliderId(1), ball("chest", Node::Bone(bone("chest"))));
    document.colliders.insert(ColliderId(2), ball("ball_L", Node::Helper(HelperId(1))));
    let group = |name: &str, colliders| ColliderGroup { name: name.to_owned(), colliders, source: Some(0) };
    document.groups.insert(GroupId(1), group("middle", vec![ColliderId(1)]));
    document.groups.insert(GroupId(2), group("side_L", vec![ColliderId(2)]));
    let sleeve = document.chains.get_mut(&ChainId(3)).expect("there");
    sleeve.groups = vec![GroupId(1), GroupId(2)];
    sleeve.center = Some(Node::Bone(bone("chest")));
    document
}

#[test]
fn groups_and_center_of_a_chain_have_their_images_on_the_other_side() {
    for bare in [false, true] {
        let mut document = grouped();
        if bare {
            document.chains.remove(&ChainId(4));
        }
        let (after, _) = mirrored(&document, From::PlusX, Options { tolerance: 0.03, ..Options::default() });
        let (chain, _) = after.joint_of(bone("sleeve_R")).expect("it sways");
        let chain = &after.chains[&chain];
        assert_eq!((chain.center, chain.groups[0]), (Some(Node::Bone(bone("chest"))), GroupId(1)));
        let made = &after.groups[&chain.groups[1]];
        assert_eq!((made.name.as_str(), made.colliders.len(), made.source), ("side_R", 1, None));
        let image = &after.colliders[&made.colliders[0]];
        let place = Stance::of(&after, &skeleton()).position(image.node).expect("there");
        assert!(place.distance(Vec3::new(-0.1, 1.3, 0.0)) < 1e-5, "{place}");
        let (again, _) = mirrored(&after, From::PlusX, Options { tolerance: 0.03, ..Options::default() });
        assert_eq!(again.groups, after.groups, "done again nothing is doubled");
    }
}

#[test]
fn a_part_of_a_chain_brings_groups_and_center_along_and_takes_none_away() {
    let mut document = grouped();
    document.groups.insert(GroupId(7), ColliderGroup { name: "own".to_owned(), ..ColliderGroup::default() });
    document.chains.get_mut(&ChainId(4)).expect("there").groups = vec![GroupId(7)];
    let joints = document.chains[&ChainId(3)].joints.len();
    // A joint more than the other side has, so that no chain is copied as a whole.
    let extra = Joint::new(bone("sleeve_R_3"));
    document.chains.get_mut(&ChainId(4)).expect("there").joints.push(extra);
    let (after, _) = mirrored(&document, From::PlusX, Options { tolerance: 0.03, ..Options::default() });
    let chain = &after.chains[&ChainId(4)];
    assert_eq!(chain.joints.len(), joints + 1);
    assert_eq!(chain.center, Some(Node::Bone(bone("chest"))));
    assert_eq!(chain.groups[..2], [GroupId(7), GroupId(1)], "its own group stays");
    assert_eq!(after.groups[&chain.groups[2]].name, "side_R");
}

#[test]
fn a_limit_leans_to_the_other_side() {
    let mut document = document();
    let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(0.2);
    let limit = SwingLimit { shape: SwingShape::Cone { angle: 0.5 }, rotation: turn };
    document.chains.get_mut(&ChainId(1)).expect("there").joints[0].limit = Some(limit);
    let (after, _) = mirrored(&document, From::PlusX, Options::default());
    let image = after.chains[&ChainId(2)].joints[0].limit.expect("a limit");
    let middle = |limit: SwingLimit, tip: Vec3| limit.in_parent(Quat::IDENTITY, tip.normalize()) * Vec3::Y;
    let (here, there) = (Vec3::new(0.03, -0.2, 0.02), Vec3::new(-0.03, -0.2, 0.02));
    let expected = middle(limit, here) * Vec3::new(-1.0, 1.0, 1.0);
    assert!(middle(image, there).distance(expected) < 1e-5, "{image:?}");
}

/// The same, but the sleeve of the right is `joints` long and moves by VRM's rule.
fn right_sleeve_by_vrm(joints: &[&str]) -> Document {
    let mut document = document();
    let id = document.fresh_system();
    let system = System::under(SolverKind::Vrm);
    let joints = joints.iter().map(|name| Joint::new(bone(name))).collect();
    let mut right = Chain::new("sleeve_R", Part::Sleeve, system.table(), joints);
    right.system = id;
    document.systems.insert(id, system);
    document.chains.insert(ChainId(4), right);
    document
}

#[test]
fn a_whole_chain_of_another_solver_moves_as_its_image_afterwards() {
    let mut before = right_sleeve_by_vrm(&["sleeve_R", "sleeve_R_2"]);
    before.chains.get_mut(&ChainId(4)).expect("a sleeve").joints[0].own.insert(Row(1), 0.7);
    let row = row(&before, "stiffnessForce");
    before.chains.get_mut(&ChainId(3)).expect("a sleeve").values[row.index()].base = 321.0;
    let (after, _) = mirrored(&before, From::PlusX, Options { tolerance: 0.03, ..Options::default() });
    let [left, right] = [3, 4].map(|id| &after.chains[&ChainId(id)]);
    assert_eq!((right.system, right.values.len()), (left.system, left.values.len()));
    assert_eq!(right.values[row.index()].base, 321.0);
    assert!(right.joints.iter().all(|joint| joint.own.keys().all(|row| left.joints[0].own.contains_key(row))));
}

#[test]
fn a_part_of_a_chain_of_another_solver_keeps_its_numbers() {
    let before = right_sleeve_by_vrm(&["sleeve_R", "sleeve_R_2", "sleeve_R_3"]);
    let (after, _) = mirrored(&before, From::PlusX, Options { tolerance: 0.03, ..Options::default() });
    let [was, is] = [&before, &after].map(|document| &document.chains[&ChainId(4)]);
    assert_eq!((is.system, &is.values), (was.system, &was.values));
    assert!(is.joints.iter().all(|joint| joint.own.is_empty()));
}
