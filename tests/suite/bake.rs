//! Baking the simulated motion: keys equal the viewport, loops close, files gain one animation and nothing else.

use super::support::{cases, glb::GlbBuilder, pose_distance, sample, yuremono_command};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use yuremono_format::baked_motion::{BakedBones, WrittenMotion, check_gltf, write_gltf};
use yuremono_format::open;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_model::document::{Chain, ChainId, DragReach, Gesture, GestureId, GestureSample};
use yuremono_session::{
    BakeError, BakeJob, BakeOptions, BakedFormat, BakedMotion, Command, LoopClosure, Motion, Session, TICK_SECONDS,
};
use yuremono_sim::SolverKind;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{
    Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, MotionError, MovedBone, Pose,
    PoseTrack, Skeleton, WorldPose, key_count, reduce_keys,
};

const SAMPLE: &[u8] = include_bytes!("../../assets/sample.vrm");

fn session_with(solver: SolverKind, motion: Motion) -> Session {
    let opened = sample(solver);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(motion));
    session.handle(Command::ResetPose);
    session
}

fn walking(solver: SolverKind) -> Session {
    session_with(solver, Motion::Test(TestMotion::Walk))
}

fn all_keys() -> BakeOptions {
    BakeOptions { max_error: None, ..BakeOptions::default() }
}

fn bake(session: &Session, options: BakeOptions) -> BakedMotion {
    let mut job = BakeJob::new(session, options).expect("the options are valid");
    job.run(&|_| true).expect("it is not cancelled").expect("the poses are finite")
}

#[track_caller]
fn check_refused(session: &Session, options: BakeOptions, expected: &str) {
    let error = BakeJob::new(session, options).expect_err("the options are refused").to_string();
    assert!(error.contains(expected), "{error}");
}

fn local_bits(local: &Trs) -> [u32; 10] {
    let ([a, b, c], [d, e, f, g], [h, i, j]) =
        (local.translation.to_array(), local.rotation.to_array(), local.scale.to_array());
    [a, b, c, d, e, f, g, h, i, j].map(f32::to_bits)
}

fn written(baked: &BakedMotion, session: &Session, format: BakedFormat) -> WrittenMotion {
    baked.to_file(format, session.character(), SAMPLE, "sample.vrm").expect("written")
}

/// The sample with one more clip of a second, which is played.
fn session_with_clip(solver: SolverKind, channels: Vec<(BoneId, ChannelValues)>) -> Session {
    let opened = sample(solver);
    let mut character = (*opened.character).clone();
    let channel = |(bone, values): (BoneId, ChannelValues)| {
        let keys = match &values {
            ChannelValues::Translation(v) | ChannelValues::Scale(v) => v.len(),
            ChannelValues::Rotation(v) => v.len(),
        };
        let times = (0..keys).map(|key| key as f32 / (keys - 1) as f32).collect();
        Channel { bone, times, values, interpolation: ChannelInterpolation::Linear }
    };
    let channels = channels.into_iter().map(channel).collect();
    character.clips.push(Clip { name: "own".to_owned(), duration: 1.0, channels });
    let motion = Motion::Clip(character.clips.len() - 1);
    let mut session = Session::new(character.into(), opened.document);
    session.handle(Command::SetMotion(motion));
    session.handle(Command::ResetPose);
    session
}

/// A clip that turns the neck up to 30 degrees and ends at 1 degree.
fn open_clip(solver: SolverKind) -> Session {
    let neck = sample(solver).character.humanoid.bone("neck").expect("a neck");
    let angle = |share: f32| (30.0 * libm::sinf(std::f32::consts::PI * share) + share).to_radians();
    let keys = (0..=20_u8).map(|key| Quat::from_rotation_x(angle(f32::from(key) / 20.0))).collect();
    session_with_clip(solver, vec![(neck, ChannelValues::Rotation(keys))])
}

/// The sample with a gesture of the head, which is played.
fn session_with_gesture(solver: SolverKind, offsets: impl Iterator<Item = f32>) -> Session {
    let opened = sample(solver);
    let bone = opened.character.humanoid.bone("head").expect("a head");
    let sample = |x| GestureSample { offset: Vec3::X * x, ..GestureSample::default() };
    let gesture = Gesture {
        name: "drag".to_owned(),
        bone,
        reach: DragReach::default(),
        samples: offsets.map(sample).collect(),
        wind: None,
    };
    let mut document = opened.document;
    document.gestures.insert(GestureId(7), gesture);
    let mut session = Session::new(opened.character, document);
    session.handle(Command::SetMotion(Motion::Gesture(GestureId(7))));
    session.handle(Command::ResetPose);
    session
}

#[test]
fn keys_before_reduction_are_the_displayed_poses_bit_for_bit() {
    for solver in SolverKind::ALL.iter().copied() {
        let gesture = session_with_gesture(solver, (0..40_u8).map(|at| 0.004 * f32::from(at)));
        for mut session in [open_clip(solver), gesture] {
            let motion = session.playback().settings().motion;
            session.handle(Command::SetMotionSpeed(2.0));
            session.handle(Command::ResetPose);
            // The pose at the end is held, unlike in the viewport.
            let baked = bake(&session, BakeOptions { start: 0.2, end: Some(0.6), ..all_keys() });
            session.handle(Command::ResetPose);
            for _ in 0..6 {
                session.handle(Command::StepOnce);
            }
            for frame in 0..baked.track.times().len() {
                if frame > 0 {
                    session.handle(Command::StepOnce);
                }
                let shown = &session.playback().world().pose().local;
                for (bone, local) in baked.track.bones().iter().zip(baked.track.frame(frame)) {
                    // The viewport interpolates between ticks, which normalizes the rotation at a tick too.
                    let shown = shown[bone.index()].lerp(shown[bone.index()], 0.0);
                    assert_eq!(
                        local_bits(local),
                        local_bits(&shown),
                        "{solver:?}, {motion:?}, frame {frame}, {bone:?}"
                    );
                }
                let rest = session.character().skeleton.ids().filter(|bone| !baked.track.bones().contains(bone));
                for bone in rest {
                    let rest = session.character().skeleton.bone(bone).rest;
                    assert!(shown[bone.index()].rotation.abs_diff_eq(rest.rotation, 1e-6), "{solver:?}, {bone:?}");
                }
            }
        }
    }
}

#[test]
fn a_motion_without_loop_ends_in_its_last_pose() {
    let gesture = session_with_gesture(SolverKind::Vrm, (0..30_u8).map(|at| 0.01 * f32::from(at)));
    let teleport = session_with(SolverKind::Vrm, Motion::Test(TestMotion::Teleport));
    for (session, bone) in [(gesture, "J_Bip_C_Head"), (teleport, "Root")] {
        let bone = session.character().skeleton.find(bone).expect("the bone");
        for cycles in [1.0, 2.0] {
            let length = session.playback().period(session.character(), session.document()).expect("a period");
            let baked = bake(&session, BakeOptions { end: Some(cycles * length), ..all_keys() });
            let at = baked.track.bones().iter().position(|baked| *baked == bone).expect("the bone moves");
            let last = baked.track.times().len() - 1;
            let [before, end] = [last - 1, last].map(|frame| baked.track.frame(frame)[at].translation);
            assert!(before.distance(end) < 0.011, "{bone:?} after {cycles} cycles: {before} {end}");
            assert!(end.distance(baked.track.frame(0)[at].translation) > 0.2, "{bone:?}: {end}");
        }
    }
}

#[test]
fn a_gesture_loops_only_if_it_ends_where_it_starts() {
    let looped = || BakeOptions { looped: true, ..all_keys() };
    let ramp = session_with_gesture(SolverKind::Vrm, (0..60_u8).map(|at| 0.005 * f32::from(at)));
    check_refused(&ramp, looped(), "does not loop: ");
    // A fast circle moves by more than 20 mm in the last tick.
    let swing = |at: u8| 0.3 * libm::sinf(std::f32::consts::TAU * f32::from(at) / 60.0);
    let round = session_with_gesture(SolverKind::Vrm, (0..60_u8).map(swing));
    let baked = bake(&round, looped());
    let report = baked.loop_report.expect("a loop was requested");
    assert!(!matches!(report.closure, LoopClosure::Open(_)), "{report:?}");
}

#[test]
fn an_open_motion_becomes_a_loop_only_as_one_whole_cycle() {
    let session = open_clip(SolverKind::Vrm);
    let looped = |start: f64, end: f64| BakeOptions { looped: true, start, end: Some(end), ..all_keys() };
    check_refused(&session, looped(0.5, 1.5), "bake from 0 s to 1.000 s");
    check_refused(&session, looped(0.0, 2.0), "bake from 0 s to 1.000 s");
    let baked = bake(&session, looped(0.0, 1.0));
    let neck = session.character().humanoid.bone("neck").expect("a neck");
    let at = baked.track.bones().iter().position(|bone| *bone == neck).expect("the neck moves");
    let angles = |frame: usize| baked.track.frame(frame)[at].rotation.to_axis_angle().1.to_degrees();
    for frame in 0..baked.track.times().len() {
        let share = baked.track.times()[frame];
        let input = 30.0 * libm::sinf(std::f32::consts::PI * share) + share;
        assert!((angles(frame) - input).abs() < 1.5, "frame {frame}: {} is not near {input}", angles(frame));
    }
}

#[test]
fn the_range_of_a_loop_is_rounded_to_whole_cycles() {
    let session = open_clip(SolverKind::Vrm);
    let walk = walking(SolverKind::Vrm);
    let options = |end| BakeOptions { looped: true, end: Some(end), ..all_keys() };
    let job = BakeJob::new(&walk, options(2.204));
    assert!(job.is_ok(), "2.204 s are nearly 2 cycles of 1.1 s");
    check_refused(&walk, options(2.22), "the range has 2.220 s; end it at 2.200 s");
    assert!(BakeJob::new(&session, options(1.004)).is_ok());
}

#[test]
fn key_times_differ_after_rounding() {
    // Both are 17 as `f32`: the regular key, and the end of the range.
    let options = BakeOptions { key_rate: 200.0, end: Some(17.000_000_9), ..all_keys() };
    let baked = bake(&walking(SolverKind::Vrm), options);
    assert!(baked.track.times().windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(baked.track.times().last(), Some(&17.0));
    let tiny = BakeOptions { end: Some(1e-60), ..all_keys() };
    check_refused(&walking(SolverKind::Vrm), tiny, "is empty");
}

#[test]
fn a_bake_in_which_nothing_moves_is_refused() {
    let bone = BoneId(6);
    let rest = sample(SolverKind::Vrm).character.skeleton.bone(bone).rest.rotation;
    let session = session_with_clip(SolverKind::Vrm, vec![(bone, ChannelValues::Rotation(vec![rest; 3]))]);
    let options = BakeOptions { chains: Some([].into()), ..BakeOptions::default() };
    assert_eq!(BakeJob::new(&session, options).err(), Some(BakeError::NothingMoves));
}

#[test]
fn progress_and_cancellation_reach_every_tick() {
    let calls = std::cell::Cell::new(0);
    let count = |_| {
        calls.set(calls.get() + 1);
        true
    };
    let walk = walking(SolverKind::Vrm);
    let one_key = BakeOptions { key_rate: 1.0, start: 5.0, end: Some(6.0), preroll: 5.0, ..all_keys() };
    let mut job = BakeJob::new(&walk, one_key).expect("valid");
    assert!(job.run(&count).is_some());
    assert!(calls.get() > 600, "{} calls for 660 ticks", calls.get());
    let mut job = BakeJob::new(&walk, BakeOptions::default()).expect("valid");
    assert!(job.run(&|share| share < 0.85).is_none(), "the reduction of keys can be cancelled");
}

#[test]
fn a_chain_below_a_chain_without_keys_is_reported() {
    let opened = sample(SolverKind::Vrm);
    let mut document = opened.document;
    let (id, chain) = document.chains.iter().find(|(_, chain)| chain.joints.len() > 3).expect("a long chain");
    let (id, whole) = (*id, chain.clone());
    let mut lower = Chain { name: "lower".to_owned(), ..whole.clone() };
    lower.joints.drain(..2);
    let new = ChainId(id.0 + 10_000);
    document.chains.get_mut(&id).expect("the chain").joints.truncate(2);
    document.chains.insert(new, lower);
    let mut session = Session::new(opened.character, document);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
    let findings = |chains: &[ChainId]| {
        let options = BakeOptions { chains: Some(chains.iter().copied().collect()), ..all_keys() };
        BakeJob::new(&session, options).expect("valid").findings("girl.vrm")
    };
    let found = findings(&[new]);
    let expected = format!("the chain \"lower\" is below the chain \"{}\", which is not baked", whole.name);
    assert!(found.len() == 1 && found[0].message.contains(&expected), "{found:?}");
    assert_eq!(findings(&[id, new]), []);
}

#[test]
fn a_key_between_two_ticks_is_the_interpolated_pose() {
    let session = walking(SolverKind::Vrm);
    let ticks = bake(&session, all_keys());
    let between = bake(&session, BakeOptions { key_rate: 120.0, ..all_keys() });
    for frame in 1..ticks.track.times().len() - 1 {
        for at in 0..ticks.track.bones().len() {
            let [a, b] = [frame, frame + 1].map(|frame| ticks.track.frame(frame)[at]);
            let middle = between.track.frame(2 * frame + 1)[at];
            assert!(a.lerp(b, 0.5).rotation.abs_diff_eq(middle.rotation, 1e-6), "frame {frame}");
            assert_eq!(local_bits(&a), local_bits(&between.track.frame(2 * frame)[at]), "frame {frame}");
        }
    }
}

#[test]
fn a_walk_loops_with_every_solver() {
    for solver in SolverKind::ALL.iter().copied() {
        let baked = bake(&walking(solver), BakeOptions { looped: true, ..all_keys() });
        let report = baked.loop_report.expect("a loop was requested");
        println!("{solver:?}: {report:?}");
        assert!(!matches!(report.closure, LoopClosure::Open(_)), "{solver:?}: {report:?}");
        let last = baked.track.times().len() - 1;
        assert_eq!(baked.track.frame(0), baked.track.frame(last), "{solver:?}");
    }
}

#[test]
fn chains_that_are_not_chosen_keep_the_pose_of_the_motion() {
    let session = walking(SolverKind::Vrm);
    let (chosen, chain) = session.document().chains.iter().next().expect("there are chains");
    let options = BakeOptions { chains: Some([*chosen].into()), ..all_keys() };
    let baked = bake(&session, options);
    let simulated: Vec<BoneId> = baked.joints.iter().map(|(bone, _)| *bone).collect();
    assert_eq!(simulated.len(), chain.joints.len());
    let others = session.document().chains.iter().filter(|(id, _)| *id != chosen);
    let mut others = others.flat_map(|(_, chain)| &chain.joints);
    assert!(others.all(|joint| !baked.track.bones().contains(&joint.bone)));
}

#[test]
fn invalid_options_are_refused_before_the_simulation() {
    let session = walking(SolverKind::Vrm);
    let options = BakeOptions::default;
    check_refused(
        &session,
        BakeOptions { start: 2.0, end: Some(1.0), ..options() },
        "the range from 2.000 s to 1.000 s",
    );
    check_refused(&session, BakeOptions { key_rate: f64::NAN, ..options() }, "expected 1 to 1000");
    check_refused(
        &session,
        BakeOptions { preroll: -1.0, ..options() },
        "preroll is negative or not a number; enter 0 s",
    );
    check_refused(&session, BakeOptions { max_error: Some(0.0), ..options() }, "enter 0.1 mm");
    check_refused(&session, BakeOptions { end: Some(1e9), ..options() }, "use a shorter range");
    check_refused(&session, BakeOptions { looped: true, end: Some(1.5), ..options() }, "a whole number of cycles");
    let unknown = ChainId(u32::MAX);
    check_refused(&session, BakeOptions { chains: Some([unknown].into()), ..options() }, "choose the chains again");
    let still = session_with(SolverKind::Vrm, Motion::Still);
    check_refused(&still, options(), "the rest pose has no end");
    check_refused(&still, BakeOptions { end: Some(1.0), looped: true, ..options() }, "does not repeat");
    let teleport = session_with(SolverKind::Vrm, Motion::Test(TestMotion::Teleport));
    check_refused(&teleport, BakeOptions { looped: true, ..options() }, "does not loop");
    check_refused(&session_with(SolverKind::Vrm, Motion::Clip(999)), options(), "the motion does not exist");
}

#[test]
fn an_animation_without_duration_is_refused() {
    let opened = sample(SolverKind::Vrm);
    let mut character = (*opened.character).clone();
    character.clips = vec![Clip { name: "pose".to_owned(), duration: 0.0, channels: Vec::new() }];
    let mut session = Session::new(character.into(), opened.document);
    session.handle(Command::SetMotion(Motion::Clip(0)));
    let error = BakeJob::new(&session, BakeOptions::default()).expect_err("no duration");
    assert_eq!(error, BakeError::ZeroLength { motion: "pose".to_owned() });
}

#[test]
fn a_displayed_bake_equals_the_live_motion_at_the_same_time() {
    for looped in [false, true] {
        let mut live = walking(SolverKind::UnityChanSpringBone);
        let mut shown = walking(SolverKind::UnityChanSpringBone);
        let baked = Arc::new(bake(&live, BakeOptions { looped, ..all_keys() }));
        // The first cycles of a loop differ from the later cycles. A motion that is no loop starts again.
        if looped {
            for _ in 0..600 {
                live.handle(Command::StepOnce);
                shown.handle(Command::StepOnce);
            }
        }
        shown.handle(Command::ShowBaked(Some(Arc::clone(&baked))));
        for frame in 0..45 {
            // Most frames are between two ticks.
            let [live, shown] = [&mut live, &mut shown].map(|session| {
                session.handle(Command::SetPlaying(true));
                session.advance(0.013);
                session.playback().displayed_pose().clone()
            });
            for (bone, _) in &baked.joints {
                let off = shown.frame(*bone).rotation.angle_between(live.frame(*bone).rotation);
                assert!(off < 3e-3, "loop {looped}, frame {frame}, bone {bone:?}: {off} rad");
            }
        }
        assert!(shown.playback().shows_bake());
        check_scrubbed_bake(&mut shown);
        shown.handle(Command::SetMotion(Motion::Still));
        assert!(!shown.playback().shows_bake(), "another motion ends the display");
    }
}

/// Checks that a scrubbed bake and the dashed lines of the live motion belong to the same tick.
#[track_caller]
fn check_scrubbed_bake(shown: &mut Session) {
    let state = |shown: &Session| (shown.playback().displayed_pose().clone(), shown.ghost_lines().concat());
    let states: Vec<_> = (0..20)
        .map(|_| {
            shown.handle(Command::StepOnce);
            state(shown)
        })
        .collect();
    // A live pose is interpolated, so it differs from its recording by rounding.
    let shows = |shown: &Session, tick: usize| {
        let ((pose, lines), (recorded_pose, recorded_lines)) = (state(shown), &states[tick]);
        let is_near = |(a, b): (&Vec3, &Vec3)| a.distance(*b) < 1e-5;
        assert!(!lines.is_empty() && lines.len() == recorded_lines.len());
        pose_distance(&pose, recorded_pose) < 1e-5 && lines.iter().zip(recorded_lines).all(is_near)
    };
    shown.handle(Command::Scrub(Some(7.0 / 60.0)));
    assert!(shows(shown, 12) && !shows(shown, 11));
    shown.handle(Command::StepBack);
    assert!(shows(shown, 11));
}

#[test]
fn a_cancelled_bake_has_no_result() {
    let mut job = BakeJob::new(&walking(SolverKind::Vrm), BakeOptions::default()).expect("valid");
    assert!(job.run(&|share| share < 0.3).is_none());
}

fn json_of(glb: &[u8]) -> Value {
    let length = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&glb[20..20 + length]).expect("JSON")
}

fn read(name: &str, bytes: &[u8]) -> Character {
    let source = SourceFile { name, bytes, read_sibling: &no_siblings };
    let opened = open::character_from_source(&source, &|_| true).expect("the file opens");
    Arc::unwrap_or_clone(opened.character)
}

#[test]
fn only_one_animation_and_its_data_are_added_to_a_glb() {
    let session = walking(SolverKind::Vrm);
    let baked = bake(&session, BakeOptions::default());
    let written = written(&baked, &session, BakedFormat::Character);
    let (before, mut after) = (json_of(SAMPLE), json_of(&written.bytes));
    for list in ["animations", "accessors", "bufferViews"] {
        let kept = before[list].as_array().expect("a list").len();
        after[list].as_array_mut().expect("a list").truncate(kept);
    }
    after["buffers"][0]["byteLength"] = before["buffers"][0]["byteLength"].clone();
    assert_eq!(before, after);
    let bin = |glb: &[u8]| {
        let json = u32::from_le_bytes(glb[12..16].try_into().expect("four bytes")) as usize;
        glb[28 + json..].to_vec()
    };
    assert!(bin(&written.bytes).starts_with(&bin(SAMPLE)), "the old data stays");
    let again = read("sample.vrm", &written.bytes);
    let clip = again.clips.last().expect("the new animation");
    assert_eq!((clip.name.as_str(), key_count(clip)), ("walk", written_key_count(&written.bytes)));
    assert_eq!((key_count(clip), clip.channels.len()), (written.keys, written.channels));
    let twice =
        baked.to_file(BakedFormat::Character, session.character(), &written.bytes, "sample.vrm").expect("written");
    assert_eq!(twice.name, "walk 2");
}

/// The number of keys of the last animation by the counts of its accessors.
fn written_key_count(glb: &[u8]) -> usize {
    let json = json_of(glb);
    let samplers = json["animations"].as_array().and_then(|all| all.last()).expect("an animation")["samplers"].clone();
    let count =
        |sampler: &Value| json["accessors"][sampler["input"].as_u64().expect("an index") as usize]["count"].clone();
    samplers.as_array().expect("a list").iter().map(|s| count(s).as_u64().expect("a count") as usize).sum()
}

#[test]
fn a_text_file_gets_a_data_uri_and_keeps_its_text() {
    let text = r#"{ "asset": {"version":"2.0"},  "nodes": [{"name":"a"}], "extras": {"x": 1.50} }"#;
    let mut track = PoseTrack::new(vec![BoneId(0)]);
    for frame in 0..3_u8 {
        let rotation = Quat::from_rotation_x(f32::from(frame) * 0.3);
        track.push(f32::from(frame), &[Trs { rotation, ..Trs::IDENTITY }]);
    }
    let character = read("a.gltf", text.as_bytes());
    let clip = track.to_clip("nod", &character.skeleton);
    let bones = BakedBones::new(&character, vec![BoneId(0)], Vec::new());
    let written = write_gltf(text.as_bytes(), "a.gltf", &bones, &clip).expect("written");
    let new = String::from_utf8(written.bytes.clone()).expect("text");
    assert!(new.starts_with(&text[..text.len() - 2]), "{new}");
    assert_eq!(read("a.gltf", &written.bytes).clips, [clip]);
}

#[test]
fn nodes_with_a_matrix_are_refused_or_reported_before_the_simulation() {
    let matrix = "[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]";
    let nodes = format!(r#"[{{"name":"a","matrix":{matrix}}},{{"name":"b"}}]"#);
    let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":{nodes}}}"#);
    let character = read("a.gltf", text.as_bytes());
    let check = |simulated: &[u32], moved: &[u32]| {
        let moved =
            moved.iter().map(|bone| MovedBone { bone: BoneId(*bone), translation: true, rotation: true, scale: false });
        let simulated = simulated.iter().map(|bone| BoneId(*bone)).collect();
        let bones = BakedBones::new(&character, simulated, moved.collect());
        let clip = PoseTrack::new(Vec::new()).to_clip("nod", &character.skeleton);
        let checked = check_gltf(text.as_bytes(), "a.gltf", &bones);
        // The file is refused in the same way when it is written.
        let written = write_gltf(text.as_bytes(), "a.gltf", &bones, &clip).map(|written| written.losses);
        assert_eq!(checked, written);
        checked.map_err(|errors| errors[0].to_string())
    };
    let refused = check(&[0], &[1]).expect_err("a solver moves the node");
    assert!(refused.contains("\"a\" has a matrix"), "{refused}");
    let losses = check(&[], &[0, 1]).expect("the other node moves");
    assert!(losses[0].message.contains("their motion is left out: a"), "{losses:?}");
    let refused = check(&[], &[0]).expect_err("no node can move");
    assert!(refused.contains("the animation would be empty"), "{refused}");
}

#[test]
fn a_file_with_other_bones_is_refused() {
    let session = walking(SolverKind::Vrm);
    let baked = bake(&session, BakeOptions { end: Some(0.1), ..all_keys() });
    let other = SAMPLE.to_vec();
    let name = b"\"J_Bip_C_Head\"";
    let at = other.windows(name.len()).position(|bytes| bytes == name).expect("the name");
    let mut other = other;
    other[at + 1] = b'X';
    let mut renamed = (**session.character()).clone();
    renamed.skeleton = read("sample.vrm", &other).skeleton;
    for format in BakedFormat::ALL {
        let from_file = baked.to_file(format, session.character(), &other, "sample.vrm");
        let from_character = baked.to_file(format, &renamed, SAMPLE, "sample.vrm");
        // A VRM animation does not depend on the file.
        let results = [from_file].into_iter().filter(|_| format != BakedFormat::Vrma).chain([from_character]);
        for result in results {
            let errors = result.expect_err("refused");
            assert!(errors[0].message.contains("reload the character and bake again"), "{format:?}: {errors:?}");
        }
    }
}

#[test]
fn a_vrm_animation_moves_the_humanoid_like_the_character() {
    for (max_error, tolerance) in [(None, 1e-4), (Some(1e-3), 4e-3)] {
        let session = walking(SolverKind::Vrm);
        let (baked, character) = (bake(&session, BakeOptions { max_error, ..all_keys() }), session.character());
        let written = written(&baked, &session, BakedFormat::Vrma);
        assert!(written.losses[0].message.contains("these bones are left out"), "{}", written.losses[0]);
        assert_eq!(written.keys, written_key_count(&written.bytes));
        let all = written.channels * baked.track.times().len();
        let error = MotionError { metres: max_error.unwrap_or(0.0), degrees: 0.1 };
        assert!(written.error.is_within(error), "{:?}", written.error);
        assert_eq!(written.keys < all / 2, max_error.is_some(), "{} of {all} keys", written.keys);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("walk.vrma");
        std::fs::write(&path, &written.bytes).expect("written");
        let motions = open::motions(&path, character, &|_| true).expect("the motion opens");
        assert!(motions.by_role && motions.unmatched.is_empty(), "{motions:?}");
        let skeleton = &character.skeleton;
        for frame in 0..baked.track.times().len() {
            let mut poses = [Pose::rest(skeleton), Pose::rest(skeleton)];
            baked.track.apply(frame, &mut poses[0]);
            motions.clips[0].sample_clamped(baked.track.times()[frame], &mut poses[1]);
            let [a, b] = poses.map(|pose| WorldPose::from_pose(skeleton, &pose));
            for (role, bone) in character.humanoid.iter() {
                let distance = a.frame(bone).position.distance(b.frame(bone).position);
                assert!(distance < tolerance, "{role} is {distance} m away in frame {frame}");
            }
        }
    }
}

#[test]
fn everything_that_a_vrm_animation_cannot_store_is_reported_before_the_simulation() {
    let opened = sample(SolverKind::Vrm);
    let bone = |name: &str| opened.character.skeleton.find(name).expect("the bone");
    let [head, neck, eye, prop] =
        ["J_Bip_C_Head", "J_Bip_C_Neck", "J_Sec_L_Earring3_end_01", "J_Sec_R_Earring3_end_01"].map(bone);
    let turn = |bone: BoneId| {
        let rest = opened.character.skeleton.bone(bone).rest.rotation;
        (bone, ChannelValues::Rotation(vec![rest, rest * Quat::from_rotation_x(0.2), rest]))
    };
    let shift = vec![Vec3::ZERO, Vec3::Y, Vec3::ZERO];
    let grow = vec![Vec3::ONE, Vec3::splat(2.0), Vec3::ONE];
    let channels = vec![
        turn(head),
        turn(eye),
        turn(prop),
        (neck, ChannelValues::Translation(shift)),
        (neck, ChannelValues::Scale(grow)),
    ];
    let playing = session_with_clip(SolverKind::Vrm, channels);
    let mut character = (**playing.character()).clone();
    character.humanoid.set("leftEye", eye);
    let mut session = Session::new(character.into(), opened.document.clone());
    session.handle(Command::SetMotion(playing.playback().settings().motion));
    let options = BakeOptions { chains: Some([].into()), ..all_keys() };
    let mut job = BakeJob::new(&session, options).expect("valid");
    let early = BakedFormat::Vrma.check(&job, SAMPLE, "sample.vrm").expect("the file can be written");
    let texts: Vec<&str> = early.iter().map(|loss| &*loss.message).collect();
    assert_eq!(
        texts,
        [
            "a VRM animation stores humanoid bones only; these bones are left out: J_Sec_R_Earring3_end_01",
            "a VRM animation stores no eye bones; left out: J_Sec_L_Earring3_end_01",
            "a VRM animation stores no translations except that of the hips; left out: J_Bip_C_Neck",
            "a VRM animation stores no scales; left out: J_Bip_C_Neck",
        ]
    );
    let baked = job.run(&|_| true).expect("not cancelled").expect("finite");
    let written = written(&baked, &session, BakedFormat::Vrma);
    assert_eq!(written.losses, early);
    let roles = json_of(&written.bytes)["extensions"]["VRMC_vrm_animation"]["humanoid"]["humanBones"].clone();
    assert!(roles["head"].is_object() && roles["leftEye"].is_null(), "{roles}");
}

#[test]
fn a_table_has_a_row_for_every_frame_and_bone() {
    let neck = sample(SolverKind::Vrm).character.humanoid.bone("neck").expect("a neck");
    let grow = vec![Vec3::splat(2.0), Vec3::splat(3.0)];
    let session = session_with_clip(SolverKind::Vrm, vec![(neck, ChannelValues::Scale(grow))]);
    let baked = bake(&session, BakeOptions { chains: Some([].into()), ..BakeOptions::default() });
    let written = written(&baked, &session, BakedFormat::Csv);
    assert_eq!((written.keys, written.error), (baked.track.times().len(), MotionError::default()));
    let table = String::from_utf8(written.bytes).expect("text");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("frame,time,bone,tx,ty,tz,rx,ry,rz,rw,sx,sy,sz,node"));
    assert_eq!(lines.clone().count(), baked.track.times().len());
    let first: Vec<&str> = lines.next().expect("a row").split(',').collect();
    let local = baked.track.frame(0)[0];
    assert_eq!(first[3].parse(), Ok(local.translation.x));
    assert_eq!(first[9].parse(), Ok(local.rotation.w));
    assert_eq!(first[10..13], ["2", "2", "2"]);
    let node: usize = first[13].parse().expect("a node");
    assert_eq!(json_of(SAMPLE)["nodes"][node]["name"], "J_Bip_C_Neck");
}

#[test]
fn a_table_has_the_nodes_that_the_character_file_has() {
    let json = json_of(SAMPLE);
    let nodes = json["nodes"].as_array().expect("nodes");
    let skinned = nodes.iter().find(|node| node["skin"].is_u64()).and_then(|node| node["name"].as_str());
    let opened = sample(SolverKind::Vrm);
    let bone = opened.character.skeleton.find(skinned.expect("a skinned mesh")).expect("its bone");
    let neck = opened.character.humanoid.bone("neck").expect("a neck");
    let turn = || ChannelValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_y(0.5)]);
    let session = session_with_clip(SolverKind::Vrm, vec![(bone, turn()), (neck, turn())]);
    let baked = bake(&session, BakeOptions::default());
    let table = written(&baked, &session, BakedFormat::Csv);
    let in_table: BTreeSet<u64> = String::from_utf8(table.bytes)
        .expect("text")
        .lines()
        .skip(1)
        .map(|line| line.rsplit(',').next().and_then(|node| node.parse().ok()).expect("a node"))
        .collect();
    let file = written(&baked, &session, BakedFormat::Character);
    let animations = json_of(&file.bytes)["animations"].clone();
    let channels = animations.as_array().and_then(|all| all.last()).expect("an animation")["channels"].clone();
    let channels = channels.as_array().expect("a list");
    let in_file: BTreeSet<u64> =
        channels.iter().map(|channel| channel["target"]["node"].as_u64().expect("a node")).collect();
    assert_eq!(in_table, in_file);
    assert_eq!((table.bones, file.bones), (in_table.len(), in_file.len()));
    assert!(baked.track.bones().contains(&bone), "the mesh node moves in the motion");
}

/// A chain of bones with random smooth rotations.
fn random_track(steps: &[(f32, f32)], bones: usize) -> (PoseTrack, Skeleton) {
    let bone = |index: usize| Bone {
        name: format!("bone {index}"),
        parent: index.checked_sub(1).map(|parent| BoneId(parent as u32)),
        rest: Trs::from_translation(Vec3::Y * 0.2),
    };
    let skeleton = Skeleton::new((0..bones).map(bone).collect()).expect("parents first");
    let mut track = PoseTrack::new(skeleton.ids().collect());
    let mut pose = Pose::rest(&skeleton);
    for (frame, (turn, shift)) in steps.iter().enumerate() {
        for (index, local) in pose.local.iter_mut().enumerate() {
            local.rotation = (Quat::from_rotation_x(turn * (index as f32 + 1.0)) * local.rotation).normalize();
            local.translation.x += shift;
        }
        track.push(frame as f32 / 60.0, &pose.local);
    }
    (track, skeleton)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(24)))]

    #[test]
    fn removed_keys_change_the_motion_by_at_most_the_limit(
        steps in prop::collection::vec((-0.2_f32..0.2, -0.01_f32..0.01), 1..80),
        bones in 1_usize..8,
        millimetres in 0.05_f32..20.0,
    ) {
        let (track, skeleton) = random_track(&steps, bones);
        let limit = MotionError { metres: millimetres / 1000.0, degrees: 2.0 };
        let tip = (BoneId(bones as u32 - 1), Vec3::Y * 0.2);
        let reduced = reduce_keys(&track, &skeleton, &[tip], "random", limit, &|_| true).expect("not cancelled");
        prop_assert!(reduced.error.is_within(limit), "{:?}", reduced.error);
        for frame in 0..track.times().len() {
            let mut poses = [Pose::rest(&skeleton), Pose::rest(&skeleton)];
            track.apply(frame, &mut poses[0]);
            reduced.clip.sample_clamped(track.times()[frame], &mut poses[1]);
            let [a, b] = poses.map(|pose| WorldPose::from_pose(&skeleton, &pose));
            let distance = a.frame(tip.0).transform_point(tip.1).distance(b.frame(tip.0).transform_point(tip.1));
            // `Clip::sample` approximates the angle of its spherical interpolation.
            prop_assert!(distance <= reduced.error.metres + 2e-4, "{distance} m in frame {frame}");
        }
    }
}

#[test]
fn a_constant_motion_keeps_two_keys_per_channel() {
    let (track, skeleton) = random_track(&[(0.0, 0.0); 50], 3);
    let limit = MotionError { metres: 1e-4, degrees: 0.1 };
    let reduced = reduce_keys(&track, &skeleton, &[], "still", limit, &|_| true).expect("not cancelled");
    assert_eq!(key_count(&reduced.clip), 6);
}

#[test]
fn a_scaled_root_does_not_change_the_reduction_of_keys() {
    let steps: Vec<(f32, f32)> = (0..90_u8).map(|at| (0.02 * libm::sinf(f32::from(at) * 0.3), 0.0)).collect();
    let (plain, skeleton) = random_track(&steps, 4);
    let limit = MotionError { metres: 1e-4, degrees: 0.1 };
    // Tips are in metres of the world.
    let tip = (BoneId(3), Vec3::Y * 0.2);
    let count = |scale: f32| {
        let mut bones = skeleton.bones().to_vec();
        for bone in bones.iter_mut().skip(1) {
            bone.rest.translation /= scale;
        }
        bones[0].rest.scale = Vec3::splat(scale);
        let scaled = Skeleton::new(bones).expect("parents first");
        let mut track = PoseTrack::new(scaled.ids().collect());
        for frame in 0..plain.times().len() {
            let mut pose = Pose::rest(&scaled);
            for (local, plain) in pose.local.iter_mut().zip(plain.frame(frame)) {
                local.rotation = plain.rotation;
            }
            track.push(plain.times()[frame], &pose.local);
        }
        let reduced = reduce_keys(&track, &scaled, &[tip], "scaled", limit, &|_| true).expect("not cancelled");
        assert!(reduced.error.is_within(limit) && reduced.error.metres > 0.0, "{:?}", reduced.error);
        key_count(&reduced.clip)
    };
    let expected = count(1.0);
    for scale in [0.01, 100.0] {
        assert!(count(scale).abs_diff(expected) <= expected / 20, "{} keys instead of {expected}", count(scale));
    }
}

#[test]
fn the_command_writes_files_and_keeps_existing_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("walk.glb");
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/sample.vrm");
    let run = |extra: &[&str]| {
        let mut command = yuremono_command();
        command.arg("bake").arg(&sample).args(["--motion", "walk", "--out"]).arg(&out).args(extra);
        let output = command.output().expect("it runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&["--loop", "--speed", "2"]).0, Some(0));
    let written = std::fs::read(&out).expect("written");
    let (code, said) = run(&[]);
    assert!(code == Some(1) && said.contains("this file exists already"), "{said}");
    let (code, said) = run(&["--overwrite", "--chains", "nothing"]);
    assert!(code == Some(1) && said.contains("no chain matches \"nothing\""), "{said}");
    assert_eq!(std::fs::read(&out).expect("kept"), written);
    let missing = folder.path().join("missing/walk.glb");
    let mut command = yuremono_command();
    command.arg("bake").arg(&sample).arg("--out").arg(&missing);
    assert_eq!(command.output().expect("it runs").status.code(), Some(1));
}

fn bake_command(arguments: &[&std::ffi::OsStr]) -> (Option<i32>, String) {
    let output = yuremono_command().arg("bake").args(arguments).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_batch_does_not_replace_its_motion() {
    let folder = tempfile::tempdir().expect("a folder");
    let [characters, out] = ["characters", "out"].map(|name| folder.path().join(name));
    let motion = out.join("a.vrm");
    for (folder, names) in [(&characters, &["a.vrm", "b.vrm"][..]), (&out, &["a.vrm"][..])] {
        std::fs::create_dir(folder).expect("created");
        for name in names {
            std::fs::write(folder.join(name), SAMPLE).expect("written");
        }
    }
    let arguments = [characters.as_os_str(), "--motion".as_ref(), motion.as_ref(), "--out".as_ref(), out.as_ref()];
    let (code, said) = bake_command(&[&arguments[..], &["--overwrite".as_ref()]].concat());
    assert!(code == Some(1) && said.contains("which is read for every character"), "{said}");
    assert_eq!(std::fs::read(&motion).expect("kept"), SAMPLE);
}

#[test]
fn nothing_is_written_if_an_external_file_is_in_the_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let [source, out] = ["source", "out"].map(|name| folder.path().join(name));
    for (folder, bytes) in [(&source, [0_u8; 4]), (&out, [1; 4])] {
        std::fs::create_dir(folder).expect("created");
        std::fs::write(folder.join("a.bin"), bytes).expect("written");
    }
    let character = source.join("a.gltf");
    let json = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "name": "root", "children": [1] }, { "name": "tail", "translation": [0, 1, 0] }],
        "buffers": [{ "byteLength": 4, "uri": "a.bin" }],
    });
    std::fs::write(&character, json.to_string()).expect("written");
    let target = out.join("b.gltf");
    let (code, said) = bake_command(&[character.as_ref(), "--out".as_ref(), target.as_ref()]);
    assert!(code == Some(1) && said.contains("Nothing was written"), "{said}");
    assert!(!target.exists());
}

#[test]
fn a_character_without_humanoid_bones_has_no_vrm_animation() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "Tail_1", "Tail_2"]);
    builder.json["extras"] = json!({});
    let fox = folder.path().join("fox.glb");
    std::fs::write(&fox, builder.glb()).expect("written");
    let mut command = yuremono_command();
    let output =
        command.arg("bake").arg(&fox).arg("--out").arg(folder.path().join("a.vrma")).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && said.contains("no humanoid bones"), "{said}");
}

#[test]
#[ignore = "prints times; run it in a release build"]
#[expect(clippy::disallowed_methods, reason = "the test measures time")]
fn a_long_motion_is_baked_in_less_than_a_second() {
    let session = walking(SolverKind::Vrm);
    let bones = session.document().joint_count();
    let frames = 1020.0 * 500.0 / bones as f64;
    let start = std::time::SystemTime::now();
    let baked = bake(&session, BakeOptions { end: Some(frames * TICK_SECONDS), ..BakeOptions::default() });
    let written = written(&baked, &session, BakedFormat::Character);
    let seconds = start.elapsed().expect("time passes").as_secs_f64();
    println!("{} frames of {bones} joints: {seconds:.2} s, {} bytes", baked.track.times().len(), written.bytes.len());
    assert!(seconds < 1.0, "{seconds} s");
}
