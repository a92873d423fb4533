//! Tests a session as the window uses it: clock, drags, and edits during playback.

mod gestures;
mod modes;
mod reload;

use glam::{Quat, Vec3};
use std::sync::Arc;
use yuremono_model::document::{Chain, ChainId, ChainPart, Document, Edit, GestureSample, Joint, Node};
use yuremono_session::{Command, Motion, Recording, SelectMode, Session, TICK_SECONDS, TuningScope};
use yuremono_sim::SolverKind;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, find_param};
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Skeleton};
use yuremono_sim::solver::spring_bone::Y_LIMITS;

const HIPS: BoneId = BoneId(0);
const HEAD: BoneId = BoneId(1);
/// Index of the first of five hair joints, followed by a leaf.
const FIRST_HAIR_BONE: u32 = 2;
const HAIR_JOINTS: u32 = 5;
/// Index of the first joint of a stem with two joints, followed by two strands of two joints and a leaf each.
const FIRST_FORK_BONE: u32 = 8;
const BONE_LENGTH: f32 = 0.1;

/// Returns the test character with renamed bones. Bones for which `rename` returns `None` are removed.
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
            bone(format!("{name}_{i}"), Some(above), Vec3::new(side, -1.0, 0.0).normalize() * BONE_LENGTH)
        })
    };
    strand("hair", HAIR_JOINTS + 1, head, 0.0);
    let stem = strand("stem", 2, head, 0.3);
    strand("left", 3, stem, -0.8);
    strand("right", 3, stem, 0.8);
    let kept: Vec<Option<String>> = bones.iter().map(|b| rename(&b.name)).collect();
    // A child of a removed bone becomes a child of the removed bone's parent.
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
        interpolation: ChannelInterpolation::Linear,
    };
    let clips = vec![Clip { name: "nod".to_owned(), duration: 1.3, channels: vec![nod] }];
    let skeleton = Skeleton::new(left.collect()).expect("parents first");
    Arc::new(Character { name: "girl.vrm".to_owned(), skeleton, clips, ..Character::default() })
}

fn playing_session() -> Session {
    let mut document = Document::default();
    let chain = |name: &str, bones: &[u32]| {
        let joints = bones.iter().map(|b| Joint::new(BoneId(*b))).collect();
        let mut chain = Chain::new(name, ChainPart::Hair, Document::default().main_system().param_defs(), joints);
        chain.values[param("stiffnessForce").index()].base = 30.0;
        chain.values[param("dragForce").index()].base = 0.15;
        Some(Box::new(chain))
    };
    let hair: Vec<u32> = (FIRST_HAIR_BONE..FIRST_HAIR_BONE + HAIR_JOINTS).collect();
    document.apply(Edit::PutChain { id: ChainId(1), chain: chain("hair", &hair) }).expect("a good chain");
    let fork = chain(
        "fork",
        &[
            FIRST_FORK_BONE,
            FIRST_FORK_BONE + 1,
            FIRST_FORK_BONE + 2,
            FIRST_FORK_BONE + 3,
            FIRST_FORK_BONE + 5,
            FIRST_FORK_BONE + 6,
        ],
    );
    document.apply(Edit::PutChain { id: ChainId(2), chain: fork }).expect("a good chain");
    Session::new(character(|name| Some(name.to_owned())), document)
}

/// Returns a session at rest, without any motion.
fn still_session() -> Session {
    let mut s = playing_session();
    s.handle(Command::SetMotion(Motion::Still));
    s.handle(Command::ResetPose);
    s
}

fn param(name: &str) -> ParamId {
    find_param(Document::default().main_system().param_defs(), name).expect("a parameter")
}

fn joint_bones(s: &Session) -> impl Iterator<Item = BoneId> {
    s.document().chains.values().flat_map(|c| &c.joints).map(|j| j.bone).collect::<Vec<_>>().into_iter()
}

fn tip_position(s: &Session, bone: BoneId) -> Vec3 {
    s.playback().world().tip(s.playback().joint_index(bone).expect("a joint")).expect("a joint")
}

fn tip_positions(s: &Session) -> Vec<Vec3> {
    joint_bones(s).filter(|b| s.playback().joint_index(*b).is_some()).map(|b| tip_position(s, b)).collect()
}

fn tip_bits(s: &Session) -> Vec<[u32; 3]> {
    tip_positions(s).into_iter().map(|t| t.to_array().map(f32::to_bits)).collect()
}

/// Returns the longest distance of a tip from its position in `before`, in bone lengths.
fn max_tip_movement(s: &Session, before: &[Vec3]) -> f32 {
    tip_positions(s).iter().zip(before).map(|(now, was)| now.distance(*was) / BONE_LENGTH).fold(0.0, f32::max)
}

fn ticks(s: &mut Session, count: u32) {
    (0..count).for_each(|_| s.advance(TICK_SECONDS));
}

#[track_caller]
fn check_lengths(s: &Session) {
    for bone in joint_bones(s) {
        let joint = s.playback().joint_index(bone).expect("a joint");
        let world = s.playback().world();
        let long = world.tip_offset(joint).expect("a joint").length();
        let found = world.frames().frame(bone).position.distance(tip_position(s, bone));
        assert!((found - long).abs() < 1e-4 * long, "{}: {found} m, expected {long} m", s.inspection().bone_name(bone));
    }
}

fn drag_sample(x: f32) -> GestureSample {
    GestureSample { offset: Vec3::new(x, 0.0, 0.0), rotation: Quat::from_rotation_z(x) }
}

/// Returns display frame times in seconds: whole rates, irregular rates, and a hitch of 200 ms.
fn display_frame_times() -> Vec<Vec<f64>> {
    let even = |rate: f64| vec![1.0 / rate; (5.0 * rate) as usize];
    let irregular = (0..400_u32).map(|i| 0.002 + f64::from(i * 7919 % 23) * 0.001).collect();
    let mut hitch = even(60.0);
    hitch[100] = 0.2;
    vec![even(60.0), even(30.0), even(144.0), even(240.0), irregular, hitch]
}

/// Advances frame by frame. Returns the bits of the tips after every tick that ends a frame.
fn tip_bits_by_tick(s: &mut Session, frames: &[f64]) -> Vec<(u64, Vec<[u32; 3]>)> {
    frames
        .iter()
        .map(|seconds| {
            s.advance(*seconds);
            (s.playback().ticks(), tip_bits(s))
        })
        .collect()
}

/// Records one swing of the hips, as an artist drags them.
fn record_gesture(s: &mut Session) {
    s.handle(Command::SetRecording(true));
    for i in 0..30_u8 {
        s.handle(Command::DragBone(HIPS, drag_sample(libm::sinf(f32::from(i) * 0.3) * 0.2)));
        ticks(s, 1);
    }
    s.handle(Command::ReleaseBone(HIPS));
    for _ in 0..90 {
        ticks(s, 1);
    }
}

#[test]
fn the_display_rate_does_not_change_the_motion() {
    let prepare: [fn(&mut Session); 3] = [
        |s| s.handle(Command::SetMotion(Motion::Clip(0))),
        |s| s.handle(Command::SetMotion(Motion::Test(TestMotion::Turn))),
        |s| {
            s.handle(Command::SetMotion(Motion::Still));
            record_gesture(s);
        },
    ];
    for (motion, prepare) in prepare.iter().enumerate() {
        let opened = || {
            let mut s = playing_session();
            prepare(&mut s);
            s.handle(Command::ResetPose);
            s
        };
        let mut reference = opened();
        let by_tick: Vec<_> = (0..400)
            .map(|_| {
                reference.handle(Command::StepOnce);
                tip_bits(&reference)
            })
            .collect();
        assert_ne!(by_tick[20], by_tick[60], "motion {motion} moves");
        for frames in display_frame_times() {
            for (tick, found) in tip_bits_by_tick(&mut opened(), &frames).into_iter().filter(|(tick, _)| *tick > 0) {
                assert_eq!(found, by_tick[tick as usize - 1], "motion {motion}, tick {tick}");
            }
        }
    }
}

#[test]
fn a_ten_minute_pause_of_the_window_is_not_caught_up() {
    let mut s = playing_session();
    ticks(&mut s, 200);
    let usual = max_tip_speed(&mut s);
    let before = s.playback().ticks();
    s.advance(600.0);
    assert!(s.playback().ticks() - before <= 30, "half a second is caught up, not {}", s.playback().ticks() - before);
    s.advance(f64::NAN);
    s.advance(-3.0);
    let mut last = tip_positions(&s);
    for _ in 0..60 {
        s.advance(TICK_SECONDS);
        assert!(max_tip_movement(&s, &last) < 2.0 * usual);
        last = tip_positions(&s);
    }
}

/// Returns the maximum movement of a tip in one tick over one loop of the motion, in bone lengths.
fn max_tip_speed(s: &mut Session) -> f32 {
    (0..150).fold(0.0, |most, _| {
        let last = tip_positions(s);
        ticks(s, 1);
        f32::max(most, max_tip_movement(s, &last))
    })
}

#[test]
fn resuming_after_an_hour_of_pause_gives_no_kick() {
    let mut s = playing_session();
    ticks(&mut s, 200);
    let usual = max_tip_speed(&mut s);
    s.handle(Command::SetPlaying(false));
    let (before, at) = (tip_bits(&s), s.playback().time());
    for _ in 0..3600 {
        s.advance(1.0);
    }
    assert_eq!((tip_bits(&s), s.playback().time()), (before, at));
    assert!(!s.playback().is_moving());
    s.handle(Command::SetPlaying(true));
    for _ in 0..60 {
        let last = tip_positions(&s);
        s.advance(TICK_SECONDS);
        assert!(max_tip_movement(&s, &last) < 2.0 * usual);
    }
}

#[test]
fn editing_a_limit_while_paused_keeps_the_displayed_moment() {
    let mut s = playing_session();
    ticks(&mut s, 40);
    s.handle(Command::SetPlaying(false));
    let before = tip_bits(&s);
    s.handle(Command::SetLimitsEnabled(vec![Y_LIMITS.active, Y_LIMITS.min, Y_LIMITS.max], true));
    s.handle(Command::SetParam(Y_LIMITS.max, 5.0));
    for _ in 0..30 {
        s.advance(TICK_SECONDS);
    }
    assert_eq!(tip_bits(&s), before, "the pose that exceeds the limit stays");
    s.handle(Command::SetParam(param("stiffnessForce"), 900.0));
    for _ in 0..30 {
        s.advance(TICK_SECONDS);
    }
    assert_ne!(tip_bits(&s), before, "other values show their effect while paused");
}

#[test]
fn loading_and_resetting_give_no_kick() {
    let mut s = still_session();
    for _ in 0..3 {
        let before = tip_positions(&s);
        ticks(&mut s, 1);
        assert!(max_tip_movement(&s, &before) < 1e-3, "{} of a bone in the first tick", max_tip_movement(&s, &before));
        s.handle(Command::DragBone(HIPS, drag_sample(0.4)));
        ticks(&mut s, 7);
        s.handle(Command::ResetPose);
    }
    s.handle(Command::SetParam(param("dragForce"), 0.01));
    s.handle(Command::SetParam(param("springForce x"), 20.0));
    s.handle(Command::ResetPose);
    let before = tip_positions(&s);
    ticks(&mut s, 1);
    assert!(max_tip_movement(&s, &before) < 1e-3, "{} of a bone with almost no drag", max_tip_movement(&s, &before));
}

#[test]
fn editing_a_value_keeps_positions_and_velocities() {
    let mut s = playing_session();
    ticks(&mut s, 100);
    let before = tip_bits(&s);
    s.handle(Command::SetParam(param("stiffnessForce"), 31.0));
    assert_eq!(tip_bits(&s), before);
    let mut other = playing_session();
    ticks(&mut other, 100);
    let last = tip_positions(&s);
    ticks(&mut s, 1);
    ticks(&mut other, 1);
    assert!(max_tip_movement(&s, &tip_positions(&other)) < 0.02, "the motion is nearly the same as without the edit");
    assert!(max_tip_movement(&s, &last) > 1e-4);
}

#[test]
fn a_new_chain_starts_at_rest_in_the_current_pose_and_the_others_keep_moving() {
    let mut s = still_session();
    s.handle(Command::DeleteChains(vec![ChainId(2)]));
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::DragBone(HIPS, drag_sample(0.7)));
    ticks(&mut s, 20);
    let (hair, head) =
        (tip_position(&s, BoneId(FIRST_HAIR_BONE + 3)), s.playback().displayed_pose().frame(HEAD).position);
    s.handle(Command::CreateChains(vec![BoneId(FIRST_FORK_BONE)], ChainPart::Hair));
    assert_eq!(tip_position(&s, BoneId(FIRST_HAIR_BONE + 3)), hair);
    assert!(
        s.playback().displayed_pose().frame(HEAD).position.distance(head) < 1e-3,
        "the body does not jump to its rest pose"
    );
    let before = tip_positions(&s);
    ticks(&mut s, 1);
    assert!(max_tip_movement(&s, &before) < 0.2, "{} of a bone in the first tick", max_tip_movement(&s, &before));
    check_lengths(&s);
}

#[test]
fn a_reenabled_joint_starts_at_rest_in_the_current_pose() {
    let mut s = still_session();
    let bones: Vec<_> = (FIRST_HAIR_BONE..FIRST_HAIR_BONE + HAIR_JOINTS).map(BoneId).collect();
    s.handle(Command::SetJointsEnabled(bones.clone(), false));
    ticks(&mut s, 2);
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::DragBone(HIPS, drag_sample(0.7)));
    ticks(&mut s, 300);
    s.handle(Command::SetJointsEnabled(bones, true));
    check_lengths(&s);
    let before = tip_positions(&s);
    ticks(&mut s, 1);
    assert!(max_tip_movement(&s, &before) < 0.2, "{} of a bone in the first tick", max_tip_movement(&s, &before));
}

#[test]
fn a_single_step_is_one_tick_and_speed_scales_ticks_per_second() {
    let mut s = playing_session();
    s.handle(Command::StepOnce);
    assert_eq!((s.playback().ticks(), s.playback().settings().playing), (1, false));
    s.handle(Command::SetPlaying(true));
    s.handle(Command::SetPlaybackSpeed(0.5));
    for _ in 0..60 {
        s.advance(TICK_SECONDS);
    }
    assert!((30..=31).contains(&s.playback().ticks()));
    s.handle(Command::SetPlaybackSpeed(9.0));
    assert_eq!(s.playback().settings().speed, 2.0);
}

#[test]
fn a_drag_moves_the_hair_springs_back_and_ends_at_rest() {
    let mut s = still_session();
    let (rest, hips) = (tip_positions(&s), s.playback().world().frames().frame(HIPS).position);
    s.handle(Command::DragBone(HIPS, drag_sample(0.5)));
    ticks(&mut s, 3);
    assert!(max_tip_movement(&s, &rest) > 1.0);
    assert!((s.playback().world().frames().frame(HIPS).position.x - 0.5).abs() < 1e-5);
    s.handle(Command::ReleaseBone(HIPS));
    ticks(&mut s, 20);
    assert_eq!(s.playback().world().frames().frame(HIPS).position, hips);
    assert!(s.playback().drags().is_empty());
    ticks(&mut s, 600);
    assert!(max_tip_movement(&s, &rest) < 0.01, "{} of a bone from rest", max_tip_movement(&s, &rest));
}

#[test]
fn a_drag_stays_until_springing_back_is_enabled() {
    let mut s = still_session();
    s.handle(Command::SetSpringsBack(false));
    s.handle(Command::DragBone(HEAD, drag_sample(0.3)));
    s.handle(Command::ReleaseBone(HEAD));
    ticks(&mut s, 300);
    assert!((s.playback().world().frames().frame(HEAD).position.x - 0.3).abs() < 1e-5);
    s.handle(Command::SetSpringsBack(true));
    ticks(&mut s, 30);
    assert!(s.playback().world().frames().frame(HEAD).position.x.abs() < 1e-6);
}

#[test]
fn a_drag_moves_joints_while_paused() {
    let mut s = playing_session();
    ticks(&mut s, 100);
    s.handle(Command::SetPlaying(false));
    let (before, time) = (tip_positions(&s), s.playback().time());
    s.handle(Command::DragBone(HIPS, drag_sample(0.5)));
    assert!(s.playback().is_moving());
    ticks(&mut s, 5);
    assert!(max_tip_movement(&s, &before) > 1.0);
    s.handle(Command::ReleaseBone(HIPS));
    ticks(&mut s, 400);
    assert_eq!(s.playback().time(), time, "the motion is paused");
    assert!(!s.playback().is_moving(), "the hair comes to rest");
    s.handle(Command::DragBone(HIPS, GestureSample { offset: Vec3::NAN, rotation: Quat::IDENTITY }));
    s.handle(Command::DragBone(
        HIPS,
        GestureSample { offset: Vec3::ZERO, rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0) },
    ));
    s.handle(Command::DragBone(BoneId(4_000), drag_sample(0.5)));
    ticks(&mut s, 5);
    assert!(tip_positions(&s).iter().all(|t| t.is_finite()));
}

#[test]
fn a_grabbed_tip_follows_the_pointer_and_moves_on_when_released() {
    for held in [FIRST_HAIR_BONE + HAIR_JOINTS - 1, FIRST_FORK_BONE + 3, FIRST_FORK_BONE + 6] {
        let mut s = still_session();
        let held = BoneId(held);
        let rest = tip_positions(&s);
        let from = tip_position(&s, held);
        for i in 1..=40_u8 {
            let hand = from + Vec3::new(0.005, 0.003, 0.002) * f32::from(i);
            s.handle(Command::GrabTip(held, hand));
            ticks(&mut s, 1);
            check_lengths(&s);
        }
        let hand = from + Vec3::new(0.005, 0.003, 0.002) * 40.0;
        assert!(
            tip_position(&s, held).distance(hand) < 0.3 * BONE_LENGTH,
            "{} m from the pointer",
            tip_position(&s, held).distance(hand)
        );
        s.handle(Command::GrabTip(held, Vec3::new(50.0, 0.0, 0.0)));
        ticks(&mut s, 1);
        check_lengths(&s);
        s.handle(Command::ReleaseJoint);
        let last = tip_positions(&s);
        ticks(&mut s, 1);
        assert!(max_tip_movement(&s, &last) > 0.1, "the tips keep moving after the release");
        ticks(&mut s, 600);
        assert!(max_tip_movement(&s, &rest) < 0.02);
    }
}

#[test]
fn an_aimed_joint_points_in_the_direction_and_its_chain_moves_on_when_released() {
    for is_playing in [true, false] {
        let mut s = still_session();
        s.handle(Command::SetPlaying(is_playing));
        let held = BoneId(FIRST_HAIR_BONE + 1);
        let rest = tip_positions(&s);
        for i in 1..=40_u8 {
            let angle = f32::from(i) * 0.02;
            let direction = Vec3::new(libm::sinf(angle), -libm::cosf(angle), 0.0);
            s.handle(Command::AimJoint(held, direction * 3.0));
            ticks(&mut s, 1);
            check_lengths(&s);
            let head = s.playback().world().frames().frame(held).position;
            assert!((tip_position(&s, held) - head).normalize().distance(direction) < 1e-3, "frame {i}");
        }
        assert_eq!(s.history().next_undo(), None, "nothing changes in the document");
        assert_eq!(s.playback().grabbed_tip(), None);
        let last = tip_position(&s, held);
        s.handle(Command::ReleaseJoint);
        ticks(&mut s, 1);
        assert!(tip_position(&s, held).distance(last) > 1e-4, "the joint keeps moving after the release");
        ticks(&mut s, 600);
        let limit = if is_playing { 0.02 } else { 0.1 };
        assert!(max_tip_movement(&s, &rest) < limit, "a paused world runs for a while after the release");
    }
}

#[test]
fn a_direction_of_nan_or_zero_does_not_aim_a_joint() {
    let (mut aimed, mut free) = (still_session(), still_session());
    for direction in [Vec3::NAN, Vec3::ZERO, Vec3::new(0.0, f32::INFINITY, 0.0)] {
        aimed.handle(Command::AimJoint(BoneId(FIRST_HAIR_BONE), direction));
        free.handle(Command::ReleaseJoint);
        ticks(&mut aimed, 2);
        ticks(&mut free, 2);
        assert_eq!(tip_bits(&aimed), tip_bits(&free), "{direction}");
    }
}

#[test]
fn a_recorded_gesture_loops_identically() {
    let mut s = still_session();
    record_gesture(&mut s);
    assert_eq!(*s.playback().recording(), Recording::Off);
    let (id, gesture) = s.document().gestures.first_key_value().expect("a gesture");
    let (id, length) = (*id, gesture.samples.len() as u32);
    assert_eq!(s.playback().settings().motion, Motion::Gesture(id));
    assert_eq!(gesture.samples.last(), Some(&GestureSample::default()), "the gesture ends at rest");
    assert_eq!(s.history().next_undo().map(|l| l.kind), Some(yuremono_model::document::EditKind::Recording));
    let round = |s: &mut Session| {
        s.handle(Command::ResetPose);
        let mut hips = Vec::new();
        let mut all = Vec::new();
        for _ in 0..2 * length {
            ticks(s, 1);
            hips.push(s.playback().world().frames().frame(HIPS).position);
            all.push(tip_bits(s));
        }
        assert_eq!(hips[..length as usize], hips[length as usize..], "the gesture loops");
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
fn teleports_at_any_amplitude_keep_every_tip_finite() {
    let mut s = playing_session();
    s.handle(Command::SetMotion(Motion::Test(TestMotion::Teleport)));
    s.handle(Command::SetMotionAmplitude(2.0));
    s.handle(Command::SetMotionSpeed(4.0));
    for _ in 0..600 {
        ticks(&mut s, 1);
        assert!(tip_positions(&s).iter().all(|t| t.is_finite()));
        check_lengths(&s);
    }
}

#[test]
fn editing_while_playing_is_kept_and_one_drag_is_one_undo_step() {
    let mut s = playing_session();
    let before = s.document().clone();
    s.handle(Command::Select(vec![BoneId(FIRST_HAIR_BONE)], SelectMode::Replace));
    s.handle(Command::BeginUndoGroup);
    for i in 0..30_u8 {
        s.handle(Command::SetParam(param("stiffnessForce"), 20.0 + f32::from(i)));
        ticks(&mut s, 1);
    }
    s.handle(Command::EndUndoGroup);
    s.handle(Command::SetPlaying(false));
    s.handle(Command::ResetPose);
    let base = |s: &Session, id| s.document().chains[&ChainId(id)].values[param("stiffnessForce").index()].base;
    assert_eq!((base(&s, 1), base(&s, 2)), (49.0, 30.0));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::Redo);
    assert_eq!(base(&s, 1), 49.0);
}

#[test]
fn a_drag_that_returns_to_its_start_value_is_no_undo_step() {
    let mut s = playing_session();
    s.handle(Command::Select(vec![BoneId(FIRST_HAIR_BONE)], SelectMode::Replace));
    s.handle(Command::SetParam(param("stiffnessForce"), 20.0));
    let (document, state) = (s.document().clone(), s.history().current_state());
    s.mark_saved();
    s.handle(Command::BeginUndoGroup);
    for value in [40.0, 20.0] {
        s.handle(Command::SetParam(param("stiffnessForce"), value));
    }
    s.handle(Command::EndUndoGroup);
    assert!(*s.document() == document && !s.history().is_dirty());
    assert_eq!(s.history().current_state(), state);
    assert_eq!(s.history().next_undo_size(), 1, "the step before the drag");
}

#[test]
fn edit_targets_follow_selection_and_scope() {
    let mut s = playing_session();
    let reached = |s: &Session| {
        (s.inspection().targets().chains, s.inspection().targets().joints.iter().map(|j| j.1.0).collect::<Vec<_>>())
    };
    assert_eq!(reached(&s), (vec![ChainId(1), ChainId(2)], vec![]));
    s.handle(Command::Select(vec![BoneId(FIRST_HAIR_BONE), BoneId(FIRST_HAIR_BONE + 2)], SelectMode::Replace));
    assert_eq!(reached(&s), (vec![ChainId(1)], vec![]));
    s.handle(Command::SetTuningScope(TuningScope::Joints));
    assert_eq!(reached(&s), (vec![], vec![FIRST_HAIR_BONE + 2]));
    s.handle(Command::Select(vec![BoneId(FIRST_FORK_BONE), HEAD], SelectMode::Add));
    assert_eq!(reached(&s), (vec![], vec![FIRST_HAIR_BONE + 2, FIRST_FORK_BONE]));
    s.handle(Command::Select(vec![HEAD], SelectMode::Replace));
    assert_eq!(reached(&s), (vec![], vec![]), "the head is not a joint, so no joint is reached");
    s.handle(Command::SetParam(param("stiffnessForce"), 1.0));
    assert_eq!(s.history().next_undo(), None);
    s.handle(Command::ClearSelection);
    s.handle(Command::SelectMatchingBones("left_*".to_owned()));
    assert_eq!(s.selection().bones.len(), 3);
    s.handle(Command::Select(vec![BoneId(FIRST_FORK_BONE)], SelectMode::Replace));
    s.handle(Command::SelectDescendants);
    assert_eq!((s.selection().bones.len(), s.selection().active), (8, Some(BoneId(FIRST_FORK_BONE))));
    s.handle(Command::Select(vec![BoneId(700)], SelectMode::Add));
    s.handle(Command::SelectDescendants);
    s.handle(Command::Hover(Some(BoneId(700))));
    assert_eq!((s.selection().bones.len(), s.selection().hovered), (8, None));
}

#[test]
fn batch_commands_are_one_undo_step_each() {
    let mut s = playing_session();
    let before = s.document().clone();
    s.handle(Command::SetLimitsEnabled(vec![param("yAngleLimits.active"), param("zAngleLimits.active")], true));
    let chain = &s.document().chains[&ChainId(1)];
    assert_eq!(["y", "z"].map(|axis| chain.values[param(&format!("{axis}AngleLimits.active")).index()].base), [1.0; 2]);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::SetChainPart(vec![ChainId(1), ChainId(2)], ChainPart::Skirt));
    assert!(s.document().chains.values().all(|c| c.part == ChainPart::Skirt));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    s.handle(Command::DeleteChains(vec![ChainId(1), ChainId(2)]));
    let bald = s.document().clone();
    s.handle(Command::CreateChains(
        vec![BoneId(FIRST_HAIR_BONE), BoneId(FIRST_HAIR_BONE + 1), BoneId(FIRST_FORK_BONE)],
        ChainPart::Hair,
    ));
    assert_eq!(s.document().chains.len(), 2);
    assert_eq!(s.messages().entries().len(), 1, "the second bone is already in the chain of the first bone");
    s.handle(Command::Undo);
    assert_eq!(*s.document(), bald);
}

#[test]
fn rejected_commands_are_reported_once_and_change_nothing() {
    let mut s = playing_session();
    let before = s.document().clone();
    s.handle(Command::SetParam(param("stiffnessForce"), f32::NAN));
    s.handle(Command::SetParam(param("stiffnessForce"), f32::NAN));
    s.handle(Command::CreateChains(vec![BoneId(FIRST_HAIR_BONE + 1)], ChainPart::Hair));
    s.handle(Command::CreateChains(vec![BoneId(900)], ChainPart::Hair));
    s.handle(Command::EndChainAt(BoneId(900)));
    s.handle(Command::SetExcluded(BoneId(900), true));
    s.handle(Command::DeleteChains(vec![ChainId(77)]));
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
    assert_eq!(s.messages().entries().len(), 2);
    let first = s.messages().entries()[0].id;
    s.handle(Command::DismissMessage(first));
    assert_eq!(s.messages().entries().len(), 1);
    s.handle(Command::ClearMessages);
    assert!(s.messages().entries().is_empty());
}

#[test]
fn a_limit_and_its_pivots_are_added_in_one_step_and_removed_with_their_chain() {
    let mut s = playing_session();
    let before = s.document().clone();
    s.handle(Command::Select(vec![BoneId(FIRST_HAIR_BONE)], SelectMode::Replace));
    s.handle(Command::SetLimitsEnabled(vec![param("yAngleLimits.active")], true));
    assert_eq!(s.document().helpers.len(), HAIR_JOINTS as usize);
    let chain = &s.document().chains[&ChainId(1)];
    assert!(chain.joints.iter().all(|j| matches!(j.pivot, Some(Node::Helper(_)))));
    assert_eq!(chain.values[param("yAngleLimits.min").index()].base, -20.0);
    let limited = s.document().clone();
    s.handle(Command::SetLimitsEnabled(vec![param("yAngleLimits.active")], false));
    assert_eq!(s.document().helpers.len(), HAIR_JOINTS as usize, "the pivots still exist");
    s.handle(Command::Undo);
    assert_eq!(*s.document(), limited);
    s.handle(Command::EndChainAt(BoneId(FIRST_HAIR_BONE + 2)));
    assert_eq!(s.document().helpers.len(), s.document().chains[&ChainId(1)].joints.len());
    s.handle(Command::Undo);
    s.handle(Command::DeleteChains(vec![ChainId(1)]));
    assert!(s.document().helpers.is_empty());
    s.handle(Command::Undo);
    assert_eq!(*s.document(), limited);
    s.handle(Command::Undo);
    assert_eq!(*s.document(), before);
}

#[test]
fn a_motion_stays_smooth_after_hours() {
    // If the clock lost precision, the hips would shake. The fastest speed reveals the loss soonest.
    let mut s = playing_session();
    s.handle(Command::DeleteChains(vec![ChainId(1), ChainId(2)]));
    s.handle(Command::SetMotion(Motion::Clip(0)));
    s.handle(Command::SetMotionSpeed(4.0));
    // A reset starts the motion without a crossfade.
    s.handle(Command::ResetPose);
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
    assert!((first - later).abs() < 1e-5, "{first} m per tick became {later}");
}

#[test]
fn a_stopped_recording_is_kept_and_undoing_it_stops_the_motion() {
    let mut s = playing_session();
    s.handle(Command::SetMotion(Motion::Still));
    s.handle(Command::SetRecording(true));
    s.handle(Command::DragBone(
        BoneId(FIRST_HAIR_BONE),
        GestureSample { offset: Vec3::X * 0.1, ..GestureSample::default() },
    ));
    ticks(&mut s, 10);
    s.handle(Command::SetRecording(false));
    let id = *s.document().gestures.keys().next().expect("a recorded gesture");
    assert_eq!(*s.playback().recording(), Recording::Off);
    assert_eq!(s.playback().settings().motion, Motion::Gesture(id));
    s.handle(Command::Undo);
    assert_eq!(s.playback().settings().motion, Motion::Still);
    s.handle(Command::Redo);
    s.handle(Command::SetMotion(Motion::Gesture(id)));
    s.handle(Command::DeleteGesture(id));
    assert_eq!(s.playback().settings().motion, Motion::Still);
    s.handle(Command::SetRecording(true));
    s.handle(Command::SetRecording(false));
    assert!(s.document().gestures.is_empty(), "nothing was dragged, so no gesture exists");
}

#[test]
fn collider_nodes_follow_their_bone_after_a_drag() {
    let opened = crate::support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    let head = session.character().humanoid.bone("head").expect("a head");
    session.handle(Command::SetPlaying(false));
    let sample = GestureSample { offset: Vec3::new(0.1, 0.0, 0.0), ..GestureSample::default() };
    for _ in 0..30 {
        session.handle(Command::DragBone(head, sample));
        session.advance(TICK_SECONDS);
    }
    let skeleton = &session.resolved().skeleton;
    let mut checked = 0;
    for bone in session.resolved().node_bones.values() {
        let parent = skeleton.parent(*bone).expect("a helper has a parent bone");
        let expected =
            session.playback().displayed_pose().frame(parent).transform_point(skeleton.bone(*bone).rest.translation);
        let found = session.playback().displayed_pose().frame(*bone).position;
        assert!(found.distance(expected) < 1e-5, "{} is {} m off", skeleton.name(*bone), found.distance(expected));
        checked += 1;
    }
    assert!(checked > 10, "{checked} helpers");
}
