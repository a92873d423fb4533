//! Tests mirroring: bones are paired by position and by name, values follow the rules of the parameter table, and
//! frames and references become their mirror images.

use super::support;
use super::support::girl;
use glam::{Quat, Vec3};
use std::collections::BTreeSet;
use std::path::Path;
use yuremono_model::document::{
    Chain, ChainId, ChainPart, Collider, ColliderGroup, ColliderId, Document, EditLabel, GroupId, Helper, HelperId,
    HelperRole, History, Joint, LengthTarget, Node, RestFrames, System,
};
use yuremono_model::tools::{
    mirror::MirrorOptions, mirror::MirrorPair, mirror::MirrorPlan, mirror::PairMatch, mirror::SourceSide,
    mirror::UnmatchedPolicy, mirror::find_pairs, mirror::plan_mirror, mirror::source_joints,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveShape, Trs};
use yuremono_sim::params::{MirrorRule, ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton, WorldPose};
use yuremono_sim::{ColliderShape, SolverKind, StepInput, SwingLimit, SwingShape, World};

/// Two skirt columns whose names have no side, two sleeves whose names have a side, and a chest between them.
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

fn bone_named(name: &str) -> BoneId {
    BoneId(BONES.iter().position(|b| b.0 == name).expect("one of these") as u32)
}

fn insert_chain(document: &mut Document, id: u32, bones: &[&str]) {
    let joints = bones.iter().map(|name| Joint::new(bone_named(name))).collect();
    let chain = Chain::new(bones[0], ChainPart::Sleeve, document.main_system().param_defs(), joints);
    document.chains.insert(ChainId(id), chain);
}

/// Returns a document whose chains 1 and 2 are the skirt columns, and whose chains 3 and 4 are the sleeves.
fn document() -> Document {
    let mut document = Document::default();
    insert_chain(&mut document, 1, &["skirt_02"]);
    insert_chain(&mut document, 2, &["skirt_11"]);
    insert_chain(&mut document, 3, &["sleeve_L", "sleeve_L_2"]);
    insert_chain(&mut document, 4, &["sleeve_R", "sleeve_R_2"]);
    document
}

fn param(document: &Document, name: &str) -> ParamId {
    yuremono_sim::params::find_param(document.main_system().param_defs(), name).expect("a row of the table")
}

fn mirror_pairs(document: &Document, from: SourceSide, tolerance: f32) -> Vec<MirrorPair> {
    let skeleton = skeleton();
    let stance = RestFrames::of(document, &skeleton);
    let sources = source_joints(document, &stance, from, &BTreeSet::new(), tolerance);
    find_pairs(document, &skeleton, &stance, &sources, tolerance)
}

fn mirror_document(document: &Document, from: SourceSide, options: MirrorOptions) -> (Document, MirrorPlan) {
    let plan = plan_mirror(document, &skeleton(), &mirror_pairs(document, from, options.tolerance), &options);
    let mut after = document.clone();
    after.apply(plan.edit.clone()).expect("the plan applies");
    (after, plan)
}

#[track_caller]
fn check_pair(pairs: &[MirrorPair], source: &str, target: &str, found: PairMatch) {
    let pair = pairs.iter().find(|p| p.source == bone_named(source)).expect("a source");
    assert_eq!((pair.target, pair.match_kind), (Some(bone_named(target)), found), "{source}");
}

#[test]
fn bones_without_a_side_in_their_names_are_paired_by_position() {
    check_pair(&mirror_pairs(&document(), SourceSide::PlusX, 1e-3), "skirt_02", "skirt_11", PairMatch::Position);
    check_pair(&mirror_pairs(&document(), SourceSide::MinusX, 1e-3), "skirt_11", "skirt_02", PairMatch::Position);
}

#[test]
fn bones_at_asymmetric_positions_are_paired_by_name_with_their_distance() {
    let pairs = mirror_pairs(&document(), SourceSide::PlusX, 1e-3);
    check_pair(&pairs, "sleeve_L_2", "sleeve_R_2", PairMatch::Name);
    let apart = pairs[1].distance.expect("known");
    assert!((apart - 0.02).abs() < 1e-5, "{apart}");
}

#[test]
fn a_wider_tolerance_matches_by_position_and_name() {
    check_pair(&mirror_pairs(&document(), SourceSide::PlusX, 0.03), "sleeve_L", "sleeve_R", PairMatch::PositionAndName);
}

#[test]
fn a_bone_without_a_mirror_image_has_no_target() {
    let (document, skeleton) = (document(), skeleton());
    let stance = RestFrames::of(&document, &skeleton);
    let found = find_pairs(&document, &skeleton, &stance, &[bone_named("chest")], 1e-3);
    assert_eq!((found[0].target, found[0].included), (None, false));
}

#[test]
fn every_param_follows_its_mirror_rule() {
    let mut document = document();
    for (i, (param, def)) in enumerate_params(document.main_system().param_defs()).enumerate() {
        if def.scope == ParamScope::Joint {
            document.chains.get_mut(&ChainId(1)).expect("there").values[param.index()].base = 1.0 + i as f32;
        }
    }
    let (after, _) = mirror_document(&document, SourceSide::PlusX, MirrorOptions::default());
    let value = |id: u32, param: ParamId| after.chains[&ChainId(id)].joint_value(0, param, 0.0);
    for (param, def) in
        enumerate_params(document.main_system().param_defs()).filter(|(_, def)| def.scope == ParamScope::Joint)
    {
        let expected = match def.mirror {
            MirrorRule::Same => value(1, param),
            MirrorRule::Negate => -value(1, param),
            MirrorRule::SwapNegate(partner) => -value(1, partner),
        };
        assert_eq!(value(2, param), expected, "{}", def.name);
    }
}

#[test]
fn y_limits_are_swapped_and_negated_and_z_limits_are_kept() {
    let mut document = document();
    let values = [("yAngleLimits.min", -10.0), ("yAngleLimits.max", 40.0), ("zAngleLimits.min", -5.0)];
    for (name, value) in values {
        let param = param(&document, name);
        document.chains.get_mut(&ChainId(1)).expect("there").values[param.index()].base = value;
    }
    let (after, _) = mirror_document(&document, SourceSide::PlusX, MirrorOptions::default());
    let value = |name| after.chains[&ChainId(2)].joint_value(0, param(&document, name), 0.0);
    assert_eq!(values.map(|(name, _)| value(name)), [-40.0, 10.0, -5.0]);
}

#[test]
fn the_unity_option_keeps_the_sign_of_the_sideways_force() {
    let mut document = document();
    let param = param(&document, "springForce x");
    document.chains.get_mut(&ChainId(1)).expect("there").values[param.index()].base = 3.0;
    for (as_unity, expected) in [(false, -3.0), (true, 3.0)] {
        let (after, _) = mirror_document(
            &document,
            SourceSide::PlusX,
            MirrorOptions { unity_accurate: as_unity, ..MirrorOptions::default() },
        );
        assert_eq!(after.chains[&ChainId(2)].joint_value(0, param, 0.0), expected);
    }
}

/// Returns the document with curves, joint values, a pivot and limits on the left.
fn document_with_values_on_the_left() -> Document {
    let mut document = document();
    let [stiffness, force, low, high] =
        ["stiffnessForce", "springForce x", "yAngleLimits.min", "yAngleLimits.max"].map(|n| param(&document, n));
    let skeleton = skeleton();
    let sleeve = document.chains.get_mut(&ChainId(3)).expect("there");
    sleeve.values[stiffness.index()].base = 333.3;
    sleeve.values[stiffness.index()].curve = Some(Curve::from_shape(CurveShape::Ease));
    sleeve.values[force.index()].base = 0.1;
    sleeve.values[low.index()].base = -12.5;
    sleeve.joints[1].overrides.insert(high, 33.3);
    for name in ["sleeve_L", "sleeve_L_2"] {
        let edit = yuremono_model::document::pivot::create_pivot(&document, &skeleton, bone_named(name));
        document.apply(edit).expect("a joint");
    }
    document
}

#[test]
fn mirroring_there_and_back_restores_the_values() {
    let before = document_with_values_on_the_left();
    let (there, _) = mirror_document(&before, SourceSide::PlusX, MirrorOptions::default());
    let mut wiped = there.clone();
    let plain = document().chains[&ChainId(3)].clone();
    wiped.chains.insert(ChainId(3), plain);
    let (back, _) = mirror_document(&wiped, SourceSide::MinusX, MirrorOptions::default());
    let (old, new) = (&before.chains[&ChainId(3)], &back.chains[&ChainId(3)]);
    assert_eq!(old.values, new.values);
    assert_eq!(
        old.joints.iter().map(|j| &j.overrides).collect::<Vec<_>>(),
        new.joints.iter().map(|j| &j.overrides).collect::<Vec<_>>()
    );
}

#[test]
fn a_fully_mirrored_chain_keeps_its_curve() {
    let (after, _) = mirror_document(&document_with_values_on_the_left(), SourceSide::PlusX, MirrorOptions::default());
    let stiffness = param(&after, "stiffnessForce");
    assert_eq!(
        after.chains[&ChainId(4)].values[stiffness.index()],
        after.chains[&ChainId(3)].values[stiffness.index()]
    );
}

/// Returns the forward direction and the two side directions from which limits are measured.
fn pivot_axes(document: &Document, node: Node) -> [Vec3; 3] {
    let turn = RestFrames::of(document, &skeleton()).frame(node).expect("there").rotation;
    [turn * Vec3::X, turn * Vec3::NEG_Y, turn * Vec3::NEG_Z]
}

#[test]
fn a_mirrored_pivot_mirrors_the_limit_axes() {
    let (after, plan) =
        mirror_document(&document_with_values_on_the_left(), SourceSide::PlusX, MirrorOptions::default());
    assert_eq!(plan.pivots, 2);
    for at in 0..2 {
        let pivot = |id: u32| after.chains[&ChainId(id)].joints[at].pivot.expect("a pivot");
        let [from, side, out] = pivot_axes(&after, pivot(3));
        let flip = |v: Vec3| Vec3::new(-v.x, v.y, v.z);
        let [to, other_side, other_out] = pivot_axes(&after, pivot(4));
        assert!(to.distance(flip(from)) < 1e-4 && other_out.distance(flip(out)) < 1e-4);
        // Y limits change their sign, so their side direction is opposite to the mirror image.
        assert!(other_side.distance(-flip(side)) < 1e-4, "{other_side} {side}");
    }
    let names: Vec<&str> = after.helpers.values().map(|h| h.name.as_str()).collect();
    assert_eq!(names, ["sleeve_L_Pivot", "sleeve_L_2_Pivot", "sleeve_R_Pivot", "sleeve_R_2_Pivot"]);
}

#[test]
fn mirroring_twice_does_not_create_a_second_pivot() {
    let (once, _) = mirror_document(&document_with_values_on_the_left(), SourceSide::PlusX, MirrorOptions::default());
    let (twice, _) = mirror_document(&once, SourceSide::PlusX, MirrorOptions::default());
    assert_eq!(once, twice);
}

/// Checks that a limited tip on one side moves as the mirror image of the tip on the other side.
#[test]
fn both_sides_move_as_mirror_images() {
    let mut document = document_with_values_on_the_left();
    for (name, value) in [("springForce x", 40.0), ("springForce z", 25.0)] {
        let param = param(&document, name);
        document.chains.get_mut(&ChainId(3)).expect("there").values[param.index()].base = value;
    }
    // Both sleeves get the same height, so that both sides move alike.
    let mut bones = skeleton().bones().to_vec();
    bones[9].rest.translation.y = 0.0;
    let skeleton = Skeleton::new(bones).expect("parents first");
    for edit in ["sleeve_L", "sleeve_L_2"]
        .map(|n| yuremono_model::document::pivot::create_pivot(&document, &skeleton, bone_named(n)))
    {
        document.apply(edit).expect("a joint");
    }
    let stance = RestFrames::of(&document, &skeleton);
    let sources = source_joints(&document, &stance, SourceSide::PlusX, &BTreeSet::new(), 1e-3);
    let pairs = find_pairs(&document, &skeleton, &stance, &sources, 1e-3);
    let plan = plan_mirror(&document, &skeleton, &pairs, &MirrorOptions::default());
    document.apply(plan.edit).expect("the plan applies");
    let resolved = document.resolve(&skeleton);
    let rest = Pose::rest(&resolved.skeleton);
    let mut world = World::build(&resolved.skeleton, &resolved.systems);
    let mut moved = false;
    for _ in 0..90 {
        world.step(&StepInput { pose: &rest, grab: None, dt: 1.0 / 60.0 });
    }
    let pose = WorldPose::from_pose(&resolved.skeleton, world.pose());
    for (left, right) in [("sleeve_L_2", "sleeve_R_2"), ("sleeve_L_3", "sleeve_R_3")] {
        let (l, r) = (pose.frame(bone_named(left)).position, pose.frame(bone_named(right)).position);
        moved |= l.distance(stance.head(bone_named(left)).expect("there")) > 1e-3;
        assert!(l.distance(Vec3::new(-r.x, r.y, r.z)) < 1e-3, "{left} {l}, {right} {r}");
    }
    assert!(moved, "nothing was pulled");
}

fn document_with_colliders(shared: bool) -> Document {
    let mut document = document();
    let mut put = |id: u32, name: &str, parent: &str, at: Vec3| {
        let local = Trs { translation: at, ..Trs::IDENTITY };
        let helper =
            Helper { name: name.to_owned(), parent: Node::Bone(bone_named(parent)), local, role: HelperRole::Plain };
        document.helpers.insert(HelperId(id), helper);
        let shape = ColliderShape::Sphere { radius: 0.1, inside: false };
        document.colliders.insert(ColliderId(id), Collider::new(name, Node::Helper(HelperId(id)), shape));
    };
    put(1, "chest_ball", "chest", Vec3::ZERO);
    put(2, "arm_L", "sleeve_L", Vec3::new(0.05, 0.0, 0.0));
    if shared {
        put(3, "arm_R", "sleeve_R", Vec3::new(0.3, 0.0, 0.0));
    }
    let joint = &mut document.chains.get_mut(&ChainId(3)).expect("there").joints[0];
    joint.colliders = vec![ColliderId(2), ColliderId(1)];
    joint.length_targets = vec![LengthTarget { node: Node::Bone(bone_named("sleeve_L_3")), constant: Some(9.0) }];
    document
}

fn colliders_of_right_sleeve(document: &Document) -> Vec<ColliderId> {
    document.chains[&ChainId(4)].joints[0].colliders.clone()
}

#[test]
fn center_colliders_are_kept_and_others_are_mirrored() {
    let (after, plan) = mirror_document(&document_with_colliders(true), SourceSide::PlusX, MirrorOptions::default());
    assert_eq!(colliders_of_right_sleeve(&after), [ColliderId(3), ColliderId(1)]);
    assert_eq!(plan.colliders, 1, "only the right collider was misplaced");
    let place = |id| RestFrames::of(&after, &skeleton()).position(Node::Helper(HelperId(id))).expect("there");
    assert!(place(3).distance(Vec3::new(-place(2).x, place(2).y, place(2).z)) < 1e-5);
}

#[test]
fn an_unmatched_collider_is_created_kept_or_dropped_by_option() {
    let document = document_with_colliders(false);
    let check = |unmatched, expected: &[u32]| {
        let (after, plan) =
            mirror_document(&document, SourceSide::PlusX, MirrorOptions { unmatched, ..MirrorOptions::default() });
        assert_eq!(
            colliders_of_right_sleeve(&after),
            expected.iter().map(|id| ColliderId(*id)).collect::<Vec<_>>(),
            "{unmatched:?}"
        );
        (after, plan)
    };
    let (made, _) = check(UnmatchedPolicy::CreateImage, &[3, 1]);
    assert_eq!(made.colliders[&ColliderId(3)].name, "arm_R");
    let (_, kept) = check(UnmatchedPolicy::KeepSource, &[2, 1]);
    assert_eq!(kept.unmatched, ["arm_L"]);
    check(UnmatchedPolicy::Drop, &[1]);
}

#[test]
fn length_targets_are_mirrored_and_keep_their_constant() {
    let (after, _) = mirror_document(&document_with_colliders(true), SourceSide::PlusX, MirrorOptions::default());
    let target = after.chains[&ChainId(4)].joints[0].length_targets[0];
    assert_eq!(target, LengthTarget { node: Node::Bone(bone_named("sleeve_R_3")), constant: Some(9.0) });
}

#[test]
fn colliders_are_not_mirrored_when_the_option_is_off() {
    let (after, _) = mirror_document(
        &document_with_colliders(true),
        SourceSide::PlusX,
        MirrorOptions { colliders: false, ..MirrorOptions::default() },
    );
    assert!(colliders_of_right_sleeve(&after).is_empty());
}

#[test]
fn bones_that_are_not_simulated_get_a_chain() {
    let mut document = document_with_values_on_the_left();
    document.chains.remove(&ChainId(4));
    let (after, plan) = mirror_document(&document, SourceSide::PlusX, MirrorOptions::default());
    assert_eq!(plan.chains_created, 1);
    let made = after.chains.values().find(|c| c.root() == bone_named("sleeve_R")).expect("a chain");
    assert_eq!((made.joints.len(), made.part, made.name.as_str()), (2, ChainPart::Sleeve, "sleeve_R"));
    assert_eq!(
        made.joint_value(0, param(&after, "stiffnessForce"), 0.0),
        after.chains[&ChainId(3)].joint_value(0, param(&after, "stiffnessForce"), 0.0)
    );
}

#[test]
fn already_simulated_targets_can_be_skipped() {
    let (after, plan) = mirror_document(
        &document_with_values_on_the_left(),
        SourceSide::PlusX,
        MirrorOptions { only_unsimulated_targets: true, ..MirrorOptions::default() },
    );
    assert_eq!((plan.joints, after == document_with_values_on_the_left()), (0, true));
}

#[test]
fn part_of_a_chain_is_mirrored_as_joint_overrides() {
    let document = document_with_values_on_the_left();
    let only =
        mirror_pairs(&document, SourceSide::PlusX, 1e-3).into_iter().filter(|p| p.source == bone_named("sleeve_L_2"));
    let plan = plan_mirror(&document, &skeleton(), &only.collect::<Vec<_>>(), &MirrorOptions::default());
    let mut after = document.clone();
    after.apply(plan.edit).expect("applies");
    let (from, to) = (&after.chains[&ChainId(3)], &after.chains[&ChainId(4)]);
    let stiffness = param(&after, "stiffnessForce");
    assert_eq!(to.joint_value(1, stiffness, 1.0), from.joint_value(1, stiffness, 1.0));
    assert_eq!(to.joints[0], document.chains[&ChainId(4)].joints[0]);
}

#[test]
fn mirroring_is_one_undo_step() {
    let before = document_with_values_on_the_left();
    let mut document = before.clone();
    let plan = plan_mirror(
        &document,
        &skeleton(),
        &mirror_pairs(&document, SourceSide::PlusX, 1e-3),
        &MirrorOptions::default(),
    );
    let mut history = History::default();
    history
        .apply(&mut document, plan.edit, EditLabel::new(message!("Mirror {n:joint|joints}", n = plan.joints)))
        .expect("applies");
    assert_ne!(document, before);
    history.undo(&mut document).expect("a step");
    assert_eq!(document, before);
    assert!(history.next_undo().is_none());
}

#[test]
fn missing_bones_and_invalid_pairs_are_ignored() {
    let mut document = document();
    document.chains.get_mut(&ChainId(1)).expect("there").joints.push(Joint::new(BoneId(1 << 24)));
    document.chains.get_mut(&ChainId(3)).expect("there").joints[0].pivot = Some(Node::Bone(BoneId(1 << 24)));
    let strange =
        |source, target| MirrorPair { source, target, distance: None, match_kind: PairMatch::Manual, included: true };
    let pairs = [
        strange(BoneId(1 << 24), Some(bone_named("chest"))),
        strange(bone_named("sleeve_L"), Some(BoneId(1 << 24))),
        strange(bone_named("sleeve_L"), Some(bone_named("sleeve_L"))),
        strange(bone_named("sleeve_L"), Some(bone_named("sleeve_R"))),
        strange(bone_named("chest"), Some(bone_named("hips"))),
    ];
    let plan = plan_mirror(&document, &skeleton(), &pairs, &MirrorOptions::default());
    document.apply(plan.edit).expect("applies");
    let found = find_pairs(&document, &skeleton(), &RestFrames::of(&document, &skeleton()), &[BoneId(7)], f32::NAN);
    assert_eq!(found.len(), 1);
}

#[test]
fn bones_without_a_counterpart_are_listed_as_unpaired() {
    let session = girl::session();
    let (document, skeleton) = (session.document(), &session.character().skeleton);
    let stance = RestFrames::of(document, skeleton);
    let all = source_joints(document, &stance, SourceSide::PlusX, &BTreeSet::new(), 1e-3);
    let pairs = find_pairs(document, skeleton, &stance, &all, 1e-3);
    let lone: Vec<&str> = pairs.iter().filter(|p| p.target.is_none()).map(|p| skeleton.name(p.source)).collect();
    assert_eq!(lone, ["TwinTail_L_04", "TwinTail_L_05", "リボン_左", "リボン_左_2"]);
}

#[test]
fn sample_files_can_be_mirrored_in_both_directions() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(Path::new(&folder), &["vrm", "glb", "gltf"]) {
        let opened = yuremono_format::open::character(&path, &|_| true)
            .expect("a sample")
            .converted_to(SolverKind::UnityChanSpringBone);
        let (mut document, skeleton) = (opened.document, &opened.character.skeleton);
        for from in [SourceSide::PlusX, SourceSide::MinusX] {
            let stance = RestFrames::of(&document, skeleton);
            let all = source_joints(&document, &stance, from, &BTreeSet::new(), 1e-3);
            let pairs = find_pairs(&document, skeleton, &stance, &all, 1e-3);
            let plan = plan_mirror(&document, skeleton, &pairs, &MirrorOptions::default());
            let found = pairs.iter().filter(|p| p.target.is_some()).count();
            println!("{}: {found} of {} pairs, {} joints", path.display(), pairs.len(), plan.joints);
            document.apply(plan.edit).expect("the plan applies");
        }
    }
}

/// Returns a document whose left sleeve has a group with a sphere on the chest and a sphere on the left side, and uses
/// the chest as its center.
fn document_with_collider_groups() -> Document {
    let mut document = document();
    let ball = |name: &str, node| Collider::new(name, node, ColliderShape::Sphere { radius: 0.1, inside: false });
    let node = Helper {
        name: "ball_L".to_owned(),
        parent: Node::Bone(bone_named("chest")),
        local: Trs::from_translation(Vec3::X * 0.1),
        role: HelperRole::Plain,
    };
    document.helpers.insert(HelperId(1), node);
    document.colliders.insert(ColliderId(1), ball("chest", Node::Bone(bone_named("chest"))));
    document.colliders.insert(ColliderId(2), ball("ball_L", Node::Helper(HelperId(1))));
    let group = |name: &str, colliders| ColliderGroup { name: name.to_owned(), colliders, source_index: Some(0) };
    document.groups.insert(GroupId(1), group("middle", vec![ColliderId(1)]));
    document.groups.insert(GroupId(2), group("side_L", vec![ColliderId(2)]));
    let sleeve = document.chains.get_mut(&ChainId(3)).expect("there");
    sleeve.groups = vec![GroupId(1), GroupId(2)];
    sleeve.center = Some(Node::Bone(bone_named("chest")));
    document
}

#[test]
fn collider_groups_and_center_of_a_chain_are_mirrored() {
    for bare in [false, true] {
        let mut document = document_with_collider_groups();
        if bare {
            document.chains.remove(&ChainId(4));
        }
        let (after, _) = mirror_document(
            &document,
            SourceSide::PlusX,
            MirrorOptions { tolerance: 0.03, ..MirrorOptions::default() },
        );
        let (chain, _) = after.find_joint(bone_named("sleeve_R")).expect("it has a chain");
        let chain = &after.chains[&chain];
        assert_eq!((chain.center, chain.groups[0]), (Some(Node::Bone(bone_named("chest"))), GroupId(1)));
        let made = &after.groups[&chain.groups[1]];
        assert_eq!((made.name.as_str(), made.colliders.len(), made.source_index), ("side_R", 1, None));
        let image = &after.colliders[&made.colliders[0]];
        let place = RestFrames::of(&after, &skeleton()).position(image.node).expect("there");
        assert!(place.distance(Vec3::new(-0.1, 1.3, 0.0)) < 1e-5, "{place}");
        let (again, _) =
            mirror_document(&after, SourceSide::PlusX, MirrorOptions { tolerance: 0.03, ..MirrorOptions::default() });
        assert_eq!(again.groups, after.groups, "mirroring again duplicates nothing");
    }
}

#[test]
fn mirroring_part_of_a_chain_adds_groups_and_center_and_removes_none() {
    let mut document = document_with_collider_groups();
    document.groups.insert(GroupId(7), ColliderGroup { name: "own".to_owned(), ..ColliderGroup::default() });
    document.chains.get_mut(&ChainId(4)).expect("there").groups = vec![GroupId(7)];
    let joints = document.chains[&ChainId(3)].joints.len();
    // The target has one more joint than the source, so the chain is not copied as a whole.
    let extra = Joint::new(bone_named("sleeve_R_3"));
    document.chains.get_mut(&ChainId(4)).expect("there").joints.push(extra);
    let (after, _) =
        mirror_document(&document, SourceSide::PlusX, MirrorOptions { tolerance: 0.03, ..MirrorOptions::default() });
    let chain = &after.chains[&ChainId(4)];
    assert_eq!(chain.joints.len(), joints + 1);
    assert_eq!(chain.center, Some(Node::Bone(bone_named("chest"))));
    assert_eq!(chain.groups[..2], [GroupId(7), GroupId(1)], "its own group stays");
    assert_eq!(after.groups[&chain.groups[2]].name, "side_R");
}

#[test]
fn a_swing_limit_is_mirrored() {
    let mut document = document();
    let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(0.2);
    let limit = SwingLimit { shape: SwingShape::Cone { angle: 0.5 }, rotation: turn };
    document.chains.get_mut(&ChainId(1)).expect("there").joints[0].limit = Some(limit);
    let (after, _) = mirror_document(&document, SourceSide::PlusX, MirrorOptions::default());
    let image = after.chains[&ChainId(2)].joints[0].limit.expect("a limit");
    let middle = |limit: SwingLimit, tip: Vec3| limit.in_parent(Quat::IDENTITY, tip.normalize()) * Vec3::Y;
    let (here, there) = (Vec3::new(0.03, -0.2, 0.02), Vec3::new(-0.03, -0.2, 0.02));
    let expected = middle(limit, here) * Vec3::new(-1.0, 1.0, 1.0);
    assert!(middle(image, there).distance(expected) < 1e-5, "{image:?}");
}

/// Returns [`document`], except that the right sleeve has `joints` and uses VRM.
fn document_with_vrm_right_sleeve(joints: &[&str]) -> Document {
    let mut document = document();
    let id = document.next_system_id();
    let system = System::with_solver(SolverKind::Vrm);
    let joints = joints.iter().map(|name| Joint::new(bone_named(name))).collect();
    let mut right = Chain::new("sleeve_R", ChainPart::Sleeve, system.param_defs(), joints);
    right.system = id;
    document.systems.insert(id, system);
    document.chains.insert(ChainId(4), right);
    document
}

#[test]
fn a_fully_mirrored_chain_takes_over_the_solver_and_values() {
    let mut before = document_with_vrm_right_sleeve(&["sleeve_R", "sleeve_R_2"]);
    before.chains.get_mut(&ChainId(4)).expect("a sleeve").joints[0].overrides.insert(ParamId(1), 0.7);
    let param = param(&before, "stiffnessForce");
    before.chains.get_mut(&ChainId(3)).expect("a sleeve").values[param.index()].base = 321.0;
    let (after, _) =
        mirror_document(&before, SourceSide::PlusX, MirrorOptions { tolerance: 0.03, ..MirrorOptions::default() });
    let [left, right] = [3, 4].map(|id| &after.chains[&ChainId(id)]);
    assert_eq!((right.system, right.values.len()), (left.system, left.values.len()));
    assert_eq!(right.values[param.index()].base, 321.0);
    assert!(
        right
            .joints
            .iter()
            .all(|joint| joint.overrides.keys().all(|param| left.joints[0].overrides.contains_key(param)))
    );
}

#[test]
fn a_partly_mirrored_chain_of_another_solver_keeps_its_values() {
    let before = document_with_vrm_right_sleeve(&["sleeve_R", "sleeve_R_2", "sleeve_R_3"]);
    let (after, _) =
        mirror_document(&before, SourceSide::PlusX, MirrorOptions { tolerance: 0.03, ..MirrorOptions::default() });
    let [was, is] = [&before, &after].map(|document| &document.chains[&ChainId(4)]);
    assert_eq!((is.system, &is.values), (was.system, &was.values));
    assert!(is.joints.iter().all(|joint| joint.overrides.is_empty()));
}
