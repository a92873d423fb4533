//! A session as the window drives it: clock, hands, edits while playing.

mod gestures;
mod reload;
mod ways;

use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono::document::{Chain, ChainId, Document, Edit, GestureSample, Joint, Node, Part};
use yuremono::format::open;
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Channel, ChannelValues, Character, Clip, Sampling, Skeleton};
use yuremono::schema::{Row, find_row};
use yuremono::session::{Command, Motion, Pick, Recording, Scope, Session, TICK};
use yuremono::sim::SolverKind;
use yuremono::stage::TestMotion;

const HIPS: BoneId = BoneId(0);
const HEAD: BoneId = BoneId(1);
/// Five joints from here on, then a leaf.
const HAIR: u32 = 2;
const JOINTS: u32 = 5;
/// A stem of two joints with two strands of two, each with a leaf.
const FORK: u32 = 8;
const LENGTH: f32 = 0.1;

/// Every bone under the name that it is given; bones without one are left out.
fn character(rename: impl Fn(&str) -> Option<String>) -> Arc<Character> {
    let mut bones: Vec<Bone> = Vec::new();
    let mut bone = |name: String, parent: Option<u32>, at: Vec3| {
        bones.push(Bone { name, parent: parent.map(BoneId), rest: Trs::from_translation(at) });
        bones.len() as u32 - 1
    };
    let hips = bone("hips".to_owned(), None, Vec3::Y);
    let head = bone("head".to_owned(), Some(hips), Vec3::Y * 0.5);
    let mut strand = |name: &str, count: u32, parent: u32, side: f32| {
        (0..count).fold(parent, |above, i| {
            bone(format!("{name}_{i}"), Some(above), Vec3::new(side, -1.0, 0.0).normalize() * LENGTH)
        })
    };
    strand("hair", JOINTS + 1, head, 0.0);
    let stem = strand("stem", 2, head, 0.3);
    strand("left", 3, stem, -0.8);
    strand("right", 3, stem, 0.8);
    let kept: Vec<Option<String>> = bones.iter().map(|b| rename(&b.name)).collect();
    // What hangs on a removed bone hangs on what that hung on.
    let home = |mut parent: Option<BoneId>| {
        while let Some(p) = parent.filter(|p| kept[p.index()].is_none()) {
            parent = bones[p.index()].parent;
        }
        parent.map(|p| BoneId(kept[..p.index()].iter().flatten().count() as u32))
    };
    let left = bones
        .iter()
        .zip(&kept)
        .filter_map(|(b, name)| Some(Bone { name: name.clone()?, parent: home(b.parent), rest: b.rest }));
    let nod = Channel {
        bone: HIPS,
        times: vec![0.0, 0.7, 1.3],
        values: ChannelValues::Translation(vec![Vec3::Y, Vec3::new(0.4, 1.1, 0.2), Vec3::Y]),
        sampling: Sampling::Linear,
    };
    let clips = vec![Clip { name: "nod".to_owned(), duration: 1.3, channels: vec![nod] }];
    let skeleton = Skeleton::new(left.collect()).expect("parents first");
    Arc::new(Character { name: "girl.vrm".to_owned(), skeleton, clips, ..Character::default() })
}

fn open() -> Session {
    let mut document = Document::default();
    let chain = |name: &str, bones: &[u32]| {
        let joints = bones.iter().map(|b| Joint::new(BoneId(*b))).collect();
        let mut chain = Chain::new(name, Part::Hair, Document::default().main().table(), joints);
        chain.values[row("stiffnessForce").index()].base = 30.0;
        chain.values[row("dragForce").index()].base = 0.15;
        Some(Box::new(chain))
    };
    let hair: Vec<u32> = (HAIR..HAIR + JOINTS).collect();
    document.apply(Edit::PutChain { id: ChainId(1), chain: chain("hair", &hair) }).expect("a good chain");
    let fork = chain("fork", &[FORK, FORK + 1, FORK + 2, FORK + 3, FORK + 5, FORK + 6]);
    document.apply(Edit::PutChain { id: ChainId(2), chain: fork }).expect("a good chain");
    Session::new(character(|name| Some(name.to_owned())), document)
}

/// At rest, with nothing that moves it.
fn still() -> Session {
    let mut s = open();
    s.handle(Command::SetMotion(Motion::Still));
    s.handle(Command::ResetPose);
    s
}

fn row(name: &str) -> Row {
    find_row(Document::default().main().table(), name).expect("a parameter")
}

fn joints(s: &Session) -> impl Iterator<Item = BoneId> {
    s.document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect::<Vec<_>>().into_iter()
}

fn tip(s: &Session, bone: BoneId) -> Vec3 {
    s.playback().world().tip(s.playback().joint_index(bone).expect("a joint")).expect("a joint")
}

fn tips(s: &Session) -> Vec<Vec3> {
    joints(s).filter(|b| s.playback().joint_index(*b).is_some()).map(|b| tip(s, b)).collect()
}

fn bits(s: &Session) -> Vec<[u32; 3]> {
    tips(s).into_iter().map(|t| t.to_array().map(f32::to_bits)).collect()
}

/// The farthest that any tip went from `before`, in bone lengths.
fn moved(s: &Session, before: &[Vec3]) -> f32 {
    tips(s).iter().zip(before).map(|(now, was)| now.distance(*was) / LENGTH).fold(0.0, f32::max)
}

fn ticks(s: &mut Session, count: u32) {
    (0..count).for_each(|_| s.advance(TICK));
}

#[track_caller]
fn check_lengths(s: &Session) {
    for bone in joints(s) {
        let joint = s.playback().joint_index(bone).expect("a joint");
        let world = s.playback().world();
        let long = world.tip_offset(joint).expect("a joint").length();
        let found = world.frames().frame(bone).position.distance(tip(s, bone));
        assert!((found - long).abs() < 1e-4 * long, "{} is {found} m long, not {long}", s.inspection().bone_name(bone));
    }
}

fn pull(x: f32) -> GestureSample {
    GestureSample { offset: Vec3::new(x, 0.0, 0.0), turn: Quat::from_rotation_z(x) }
}

/// Frames of a display, in seconds: whole rates, irregular ones, and one hitch of 200 ms.
fn displays() -> Vec<Vec<f64>> {
    let even = |rate: f64| vec![1.0 / rate; (5.0 * rate) as usize];
    let irregular = (0..400_u32).map(|i| 0.002 + f64::from(i * 7919 % 23) * 0.001).collect();
    let mut hitch = even(60.0);
    hitch[100] = 0.2;
    vec![even(60.0), even(30.0), even(144.0), even(240.0), irregular, hitch]
}

/// Advances frame by frame; the tips after every tick that a frame ended on.
fn played(s: &mut Session, frames: &[f64]) -> Vec<(u64, Vec<[u32; 3]>)> {
    frames
        .iter()
        .map(|seconds| {
            s.advance(*seconds);
            (s.playback().ticks(), bits(s))
        })
        .collect()
}

/// One sway of the hips, as the artist drags it while recording.
fn record(s: &mut Session) {
    s.handle(Command::Record(true));
    for i in 0..30_u8 {
        s.handle(Command::Drag(HIPS, pull((f32::from(i) * 0.3).sin() * 0.2)));
        ticks(s, 1);
    }
    s.handle(Command::LetGo(HIPS));
    for _ in 0..90 {
        ticks(s, 1);
    }
}

#[test]
fn the_rate_of_the_display_changes_nothing_that_moves() {
    let prepare: [fn(&mut Session); 3] = [
        |s| s.handle(Command::SetMotion(Motion::Clip(0))),
        |s| s.handle(Command::SetMotion(Motion::Test(TestMotion::Turn))),
        |s| {
            s.handle(Command::SetMotion(Motion::Still));
            record(s);
        },
    ];
    for (motion, prepare) in prepare.iter().enumerate() {
        let opened = || {
            let mut s = open();
            prepare(&mut s);
            s.handle(Command::ResetPose);
            s
        };
        let mut reference = opened();
        let by_tick: Vec<_> = (0..400)
            .map(|_| {
                reference.handle(Command::StepOnce);
                bits(&reference)
            })
            .collect();
        assert_ne!(by_tick[20], by_tick[60], "motion {motion} moves");
        for frames in displays() {
            for (tick, found) in played(&mut opened(), &frames).into_iter().filter(|(tick, _)| *tick > 0) {
                assert_eq!(found, by_tick[tick as usize - 1], "motion {motion}, tick {tick}");
            }
        }
    }
}

#[test]
fn ten_minutes_hidden_are_no_burst() {
    let mut s = open();
    ticks(&mut s, 200);
    let usual = usual_speed(&mut s);
    let before = s.playback().ticks();
    s.advance(600.0);
    assert!(s.playback().ticks() - before <= 30, "half a second is caught up, not {}", s.playback().ticks() - before);
    s.advance(f64::NAN);
    s.advance(-3.0);
    let mut last = tips(&s);
    for _ in 0..60 {
        s.advance(TICK);
        assert!(moved(&s, &last) < 2.0 * usual);
        last = tips(&s);
    }
}

/// The most that a tip moves in a tick of one round of the motion, in bone lengths.
fn usual_speed(s: &mut Session) -> f32 {
    (0..150).fold(0.0, |most, _| {
        let last = tips(s);
        ticks(s, 1);
        f32::max(most, moved(s, &last))
    })
}

#[test]
fn an_hour_of_pause_is_followed_by_no_kick() {
    let mut s = open();
    ticks(&mut s, 200);
    let usual = usual_speed(&mut s);
    s.handle(Command::SetPlaying(false));
    let (before, at) = (bits(&s), s.playback().time());
    for _ in 0..3600 {
        s.advance(1.0);
    }
    assert_eq!((bits(&s), s.playback().time()), (before, at));
    assert!(!s.playback().is_moving());
    s.handle(Command::SetPlaying(true));
    for _ in 0..60 {
        let last = tips(&s);
        s.advance(TICK);
        assert!(moved(&s, &last) < 2.0 * usual);
    }
}

#[test]
fn loading_and_resetting_give_no_kick() {
    let mut s = still();
    for _ in 0..3 {
        let before = tips(&s);
        ticks(&mut s, 1);
        assert!(moved(&s, &before) < 1e-3, "{} of a bone in the first tick", moved(&s, &before));
        s.handle(Command::Drag(HIPS, pull(0.4)));
        ticks(&mut s, 7);
        s.handle(Command::ResetPose);
    }
    s.handle(Command::Set(row("dragForce"), 0.01));
    s.handle(Command::Set(row("springForce x"), 20.0));
    s.handle(Command::ResetPose);
    let before = tips(&s);
    ticks(&mut s, 1);
    assert!(moved(&s, &before) < 1e-3, "{} of a bone with hardly any drag", moved(&s, &before));
}

#[test]
fn an_edited_number_keeps_where_everything_is_and_how_fast() {
    let mut s = open();
    ticks(&mut s, 100);
    let before = bits(&s);
    s.handle(Command::Set(row("stiffnessForce"), 31.0));
    assert_eq!(bits(&s), before);
    let mut other = open();
    ticks(&mut other, 100);
    let last = tips(&s);
    ticks(&mut s, 1);
    ticks(&mut other, 1);
    assert!(moved(&s, &tips(&other)) < 0.02, "the motion goes on nearly as without the edit");
    assert!(moved(&s, &last) > 1e-4);
}

#[test]
fn a_new_chain_hangs_at_rest_from_the_pose_as_it_is_and_the_others_swing_on() {
    let mut s = still();
    s.handle(Command::RemoveChains(vec![ChainId(2)]));
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::Drag(HIPS, pull(0.7)));
    ticks(&mut s, 20);
    let (hair, head) = (tip(&s, BoneId(HAIR + 3)), s.playback().shown().frame(HEAD).position);
    s.handle(Command::MakeChains(vec![BoneId(FORK)], Part::Hair));
    assert_eq!(tip(&s, BoneId(HAIR + 3)), hair);
    assert!(s.playback().shown().frame(HEAD).position.distance(head) < 1e-3, "the body does not jump to its rest pose");
    let before = tips(&s);
    ticks(&mut s, 1);
    assert!(moved(&s, &before) < 0.2, "{} of a bone in the first tick", moved(&s, &before));
    check_lengths(&s);
}

#[test]
fn a_joint_that_is_switched_on_again_hangs_at_rest_from_the_pose_as_it_is() {
    let mut s = still();
    let bones: Vec<_> = (HAIR..HAIR + JOINTS).map(BoneId).collect();
    s.handle(Command::Enable(bones.clone(), false));
    ticks(&mut s, 2);
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::Drag(HIPS, pull(0.7)));
    ticks(&mut s, 300);
    s.handle(Command::Enable(bones, true));
    check_lengths(&s);
    let before = tips(&s);
    ticks(&mut s, 1);
    assert!(moved(&s, &before) < 0.2, "{} of a bone in the first tick", moved(&s, &before));
}

#[test]
fn one_step_is_one_tick_and_speed_is_the_pace() {
    let mut s = open();
    s.handle(Command::StepOnce);
    assert_eq!((s.playback().ticks(), s.playback().settings().playing), (1, false));
    s.handle(Command::SetPlaying(true));
    s.handle(Command::SetSpeed(0.5));
    for _ in 0..60 {
        s.advance(TICK);
    }
    assert!((30..=31).contains(&s.playback().ticks()));
    s.handle(Command::SetSpeed(9.0));
    assert_eq!(s.playback().settings().speed, 2.0);
}

#[test]
fn a_drag_moves_the_hair_springs_back_and_ends_at_rest() {
    let mut s = still();
    let (rest, hips) = (tips(&s), s.playback().world().frames().frame(HIPS).position);
    s.handle(Command::Drag(HIPS, pull(0.5)));
    ticks(&mut s, 3);
    assert!(moved(&s, &rest) > 1.0);
    assert!((s.playback().world().frames().frame(HIPS).position.x - 0.5).abs() < 1e-5);
    s.handle(Command::LetGo(HIPS));
    ticks(&mut s, 20);
    assert_eq!(s.playback().world().frames().frame(HIPS).position, hips);
    assert!(s.playback().drags().is_empty());
    ticks(&mut s, 600);
    assert!(moved(&s, &rest) < 0.01, "{} of a bone off", moved(&s, &rest));
}

#[test]
fn what_is_not_to_spring_back_stays_until_it_shall() {
    let mut s = still();
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::Drag(HEAD, pull(0.3)));
    s.handle(Command::LetGo(HEAD));
    ticks(&mut s, 300);
    assert!((s.playback().world().frames().frame(HEAD).position.x - 0.3).abs() < 1e-5);
    s.handle(Command::SetSpringsBack(true));
    ticks(&mut s, 30);
    assert!(s.playback().world().frames().frame(HEAD).position.x.abs() < 1e-6);
}

#[test]
fn a_drag_shows_its_response_while_time_stands() {
    let mut s = open();
    ticks(&mut s, 100);
    s.handle(Command::SetPlaying(false));
    let (before, time) = (tips(&s), s.playback().time());
    s.handle(Command::Drag(HIPS, pull(0.5)));
    assert!(s.playback().is_moving());
    ticks(&mut s, 5);
    assert!(moved(&s, &before) > 1.0);
    s.handle(Command::LetGo(HIPS));
    ticks(&mut s, 400);
    assert_eq!(s.playback().time(), time, "the motion stands");
    assert!(!s.playback().is_moving(), "and the hair comes to rest");
    s.handle(Command::Drag(HIPS, GestureSample { offset: Vec3::NAN, turn: Quat::IDENTITY }));
    s.handle(Command::Drag(HIPS, GestureSample { offset: Vec3::ZERO, turn: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) }));
    s.handle(Command::Drag(BoneId(4_000), pull(0.5)));
    ticks(&mut s, 5);
    assert!(tips(&s).iter().all(|t| t.is_finite()));
}

#[test]
fn a_grabbed_tip_follows_the_hand_at_full_length_and_flies_when_let_go() {
    for held in [HAIR + JOINTS - 1, FORK + 3, FORK + 6] {
        let mut s = still();
        let held = BoneId(held);
        let rest = tips(&s);
        let from = tip(&s, held);
        for i in 1..=40_u8 {
            let hand = from + Vec3::new(0.005, 0.003, 0.002) * f32::from(i);
            s.handle(Command::Grab(held, hand));
            ticks(&mut s, 1);
            check_lengths(&s);
        }
        let hand = from + Vec3::new(0.005, 0.003, 0.002) * 40.0;
        assert!(tip(&s, held).distance(hand) < 0.3 * LENGTH, "{} from the hand", tip(&s, held).distance(hand));
        s.handle(Command::Grab(held, Vec3::new(50.0, 0.0, 0.0)));
        ticks(&mut s, 1);
        check_lengths(&s);
        s.handle(Command::LetGoTip);
        let last = tips(&s);
        ticks(&mut s, 1);
        assert!(moved(&s, &last) > 0.1, "letting go flings");
        ticks(&mut s, 600);
        assert!(moved(&s, &rest) < 0.02);
    }
}

#[test]
fn a_recorded_gesture_loops_and_gives_the_same_bits_each_time() {
    let mut s = still();
    record(&mut s);
    assert_eq!(*s.playback().recording(), Recording::Off);
    let (id, gesture) = s.document().gestures.first_key_value().expect("a gesture");
    let (id, length) = (*id, gesture.samples.len() as u32);
    assert_eq!(s.playback().settings().motion, Motion::Gesture(id));
    assert_eq!(gesture.samples.last(), Some(&GestureSample::default()), "it ends at rest");
    assert_eq!(s.history().next_undo().map(|l| l.what), Some("record"));
    let round = |s: &mut Session| {
        s.handle(Command::ResetPose);
        let mut hips = Vec::new();
        let mut all = Vec::new();
        for _ in 0..2 * length {
            ticks(s, 1);
            hips.push(s.playback().world().frames().frame(HIPS).position);
            all.push(bits(s));
        }
        assert_eq!(hips[..length as usize], hips[length as usize..], "it loops");
        all
    };
    let first = round(&mut s);
    assert_eq!(round(&mut s), first);
    s.handle(Command::Undo);
    ticks(&mut s, 10);
    assert!(s.document().gestures.is_empty());
    assert_eq!(s.playback().settings().motion, Motion::Still);
    s.handle(Command::Redo);
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    assert_eq!(round(&mut s), first);
}

#[test]
fn teleports_at_any_liveliness_leave_every_tip_finite() {
    let mut s = open();
    s.handle(Command::SetMotion(Motion::Test(TestMotion::Teleport)));
    s.handle(Command::SetAmplitude(2.0));
    s.handle(Command::SetMotionSpeed(4.0));
    for _ in 0..600 {
        ticks(&mut s, 1);
        assert!(tips(&s).iter().all(|t| t.is_finite()));
        check_lengths(&s);
    }
}

#[test]
fn tuning_while_playing_is_kept_and_one_drag_is_one_undo() {
    let mut s = open();
    let before = s.document().clone();
    s.handle(Command::Select(vec![BoneId(HAIR)], Pick::Replace));
    s.handle(Command::BeginGesture);
    for i in 0..30_u8 {
        s.handle(Command::Set(row("stiffnessForce"), 20.0 + f32::from(i)));
        ticks(&mut s, 1);
    }
    s.handle(Command::EndGesture);
    s.handle(Command::SetPlaying(false));
    s.handle(Command::ResetPose);
    let base = |s: &Session, id| s.document().chains[&ChainId(id)].values[row("stiffnessForce").index()].base;
    assert_eq!((base(&s, 1), base(&s, 2)), (49.0, 30.0));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::Redo);
    assert_eq!(base(&s, 1), 49.0);
}

#[test]
fn what_tuning_reaches_follows_selection_and_scope() {
    let mut s = open();
    let reached = |s: &Session| {
        (s.inspection().targets().chains, s.inspection().targets().joints.iter().map(|j| j.1.0).collect::<Vec<_>>())
    };
    assert_eq!(reached(&s), (vec![ChainId(1), ChainId(2)], vec![]));
    s.handle(Command::Select(vec![BoneId(HAIR), BoneId(HAIR + 2)], Pick::Replace));
    assert_eq!(reached(&s), (vec![ChainId(1)], vec![]));
    s.handle(Command::SetScope(Scope::Joints));
    assert_eq!(reached(&s), (vec![], vec![HAIR + 2]));
    s.handle(Command::Select(vec![BoneId(FORK), HEAD], Pick::Add));
    assert_eq!(reached(&s), (vec![], vec![HAIR + 2, FORK]));
    s.handle(Command::Select(vec![HEAD], Pick::Replace));
    assert_eq!(reached(&s), (vec![], vec![]), "the head is no joint: nothing is tuned");
    s.handle(Command::Set(row("stiffnessForce"), 1.0));
    assert_eq!(s.history().next_undo(), None);
    s.handle(Command::Deselect);
    s.handle(Command::SelectPattern("left_*".to_owned()));
    assert_eq!(s.selection().bones.len(), 3);
    s.handle(Command::Select(vec![BoneId(FORK)], Pick::Replace));
    s.handle(Command::SelectChildren);
    assert_eq!((s.selection().bones.len(), s.selection().active), (8, Some(BoneId(FORK))));
    s.handle(Command::Select(vec![BoneId(700)], Pick::Add));
    s.handle(Command::SelectChildren);
    s.handle(Command::Hover(Some(BoneId(700))));
    assert_eq!((s.selection().bones.len(), s.selection().hovered), (8, None));
}

#[test]
fn several_limits_several_chains_and_several_parts_are_one_step_each() {
    let mut s = open();
    let before = s.document().clone();
    s.handle(Command::SwitchLimits(vec![row("yAngleLimits.active"), row("zAngleLimits.active")], true));
    let chain = &s.document().chains[&ChainId(1)];
    assert_eq!(["y", "z"].map(|axis| chain.values[row(&format!("{axis}AngleLimits.active")).index()].base), [1.0; 2]);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::SetPart(vec![ChainId(1), ChainId(2)], Part::Skirt));
    assert!(s.document().chains.values().all(|c| c.part == Part::Skirt));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::RemoveChains(vec![ChainId(1), ChainId(2)]));
    let bald = s.document().clone();
    s.handle(Command::MakeChains(vec![BoneId(HAIR), BoneId(HAIR + 1), BoneId(FORK)], Part::Hair));
    assert_eq!(s.document().chains.len(), 2);
    assert_eq!(s.messages().list().len(), 1, "the second bone is in the first one's chain by now");
    s.handle(Command::Undo);
    assert_eq!(*s.document(), bald);
}

#[test]
fn refusals_are_said_once_and_change_nothing() {
    let mut s = open();
    let before = s.document().clone();
    s.handle(Command::Set(row("stiffnessForce"), f32::NAN));
    s.handle(Command::Set(row("stiffnessForce"), f32::NAN));
    s.handle(Command::MakeChains(vec![BoneId(HAIR + 1)], Part::Hair));
    s.handle(Command::MakeChains(vec![BoneId(900)], Part::Hair));
    s.handle(Command::EndChainAt(BoneId(900)));
    s.handle(Command::Exclude(BoneId(900), true));
    s.handle(Command::RemoveChains(vec![ChainId(77)]));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    assert_eq!(s.messages().list().len(), 2);
    let first = s.messages().list()[0].id;
    s.handle(Command::Dismiss(first));
    assert_eq!(s.messages().list().len(), 1);
    s.handle(Command::ClearMessages);
    assert!(s.messages().list().is_empty());
}

#[test]
fn a_limit_and_its_pivots_come_in_one_step_and_go_with_their_chain() {
    let mut s = open();
    let before = s.document().clone();
    s.handle(Command::Select(vec![BoneId(HAIR)], Pick::Replace));
    s.handle(Command::SwitchLimits(vec![row("yAngleLimits.active")], true));
    assert_eq!(s.document().helpers.len(), JOINTS as usize);
    let chain = &s.document().chains[&ChainId(1)];
    assert!(chain.joints.iter().all(|j| matches!(j.pivot, Some(Node::Helper(_)))));
    assert_eq!(chain.values[row("yAngleLimits.min").index()].base, -20.0);
    let limited = s.document().clone();
    s.handle(Command::SwitchLimits(vec![row("yAngleLimits.active")], false));
    assert_eq!(s.document().helpers.len(), JOINTS as usize, "pivots stay for the next time");
    s.handle(Command::Undo);
    assert_eq!(*s.document(), limited);
    s.handle(Command::EndChainAt(BoneId(HAIR + 2)));
    assert_eq!(s.document().helpers.len(), s.document().chains[&ChainId(1)].joints.len());
    s.handle(Command::Undo);
    s.handle(Command::RemoveChains(vec![ChainId(1)]));
    assert!(s.document().helpers.is_empty());
    s.handle(Command::Undo);
    assert_eq!(*s.document(), limited);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

#[test]
fn a_motion_is_as_smooth_after_hours_as_at_its_beginning() {
    // A clock that loses digits would shake the hips; the fastest pace gets there soonest.
    let mut s = open();
    s.handle(Command::RemoveChains(vec![ChainId(1), ChainId(2)]));
    s.handle(Command::SetMotion(Motion::Clip(0)));
    s.handle(Command::SetMotionSpeed(4.0));
    let speeds = |s: &mut Session| {
        let hips = |s: &Session| s.playback().world().frames().frame(HIPS).position;
        (0..40)
            .map(|_| {
                let before = hips(s);
                ticks(s, 1);
                hips(s).distance(before)
            })
            .fold(0.0, f32::max)
    };
    let first = speeds(&mut s);
    ticks(&mut s, 60 * 60 * 15);
    assert!(s.playback().time() > 3600.0);
    let later = speeds(&mut s);
    assert!((first - later).abs() < 1e-5, "{first} m a tick became {later}");
}

#[test]
fn a_recording_that_is_stopped_is_kept_and_one_that_is_undone_leaves_the_character_still() {
    let mut s = open();
    s.handle(Command::SetMotion(Motion::Still));
    s.handle(Command::Record(true));
    s.handle(Command::Drag(BoneId(HAIR), GestureSample { offset: Vec3::X * 0.1, ..GestureSample::default() }));
    ticks(&mut s, 10);
    s.handle(Command::Record(false));
    let id = *s.document().gestures.keys().next().expect("what was recorded so far");
    assert_eq!(*s.playback().recording(), Recording::Off);
    assert_eq!(s.playback().settings().motion, Motion::Gesture(id));
    s.handle(Command::Undo);
    assert_eq!(s.playback().settings().motion, Motion::Still);
    s.handle(Command::Redo);
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    s.handle(Command::RemoveGesture(id));
    assert_eq!(s.playback().settings().motion, Motion::Still);
    s.handle(Command::Record(true));
    s.handle(Command::Record(false));
    assert!(s.document().gestures.is_empty(), "nothing was dragged");
}

#[test]
fn collider_nodes_follow_their_bone_while_paused() {
    let opened = crate::support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    let head = session.character().humanoid.bone("head").expect("a head");
    session.handle(Command::SetPlaying(false));
    let sample = GestureSample { offset: Vec3::new(0.1, 0.0, 0.0), ..GestureSample::default() };
    for _ in 0..30 {
        session.handle(Command::Drag(head, sample));
        session.advance(TICK);
    }
    let skeleton = &session.resolved().skeleton;
    let mut checked = 0;
    for bone in session.resolved().bones.values() {
        let parent = skeleton.parent(*bone).expect("a helper hangs on a bone");
        let expected = session.playback().shown().frame(parent).point(skeleton.bone(*bone).rest.translation);
        let found = session.playback().shown().frame(*bone).position;
        assert!(found.distance(expected) < 1e-5, "{} is {} m off", skeleton.name(*bone), found.distance(expected));
        checked += 1;
    }
    assert!(checked > 10, "{checked} helpers");
}
