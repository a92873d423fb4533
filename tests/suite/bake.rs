//! Baking the simulated motion: keys equal the viewport, loops close, files gain one animation and nothing else.

use super::support::{cases, glb::GlbBuilder, sample, yuremono_command};
use glam::{Quat, Vec3};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use yuremono::format::baked_motion::{check_bones, check_vrma_character, write_csv, write_gltf, write_vrma};
use yuremono::format::open;
use yuremono::format::source::{SourceFile, no_siblings};
use yuremono::math::Trs;
use yuremono::rig::{
    Bone, BoneId, Character, Clip, MotionError, Pose, PoseTrack, Skeleton, WorldPose, key_count, reduce_keys,
};
use yuremono::session::{
    BakeError, BakeJob, BakeOptions, BakedMotion, Command, LoopClosure, Motion, Session, TICK_SECONDS,
};
use yuremono::sim::SolverKind;
use yuremono::stage::TestMotion;

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

#[test]
fn keys_before_reduction_are_the_displayed_poses_bit_for_bit() {
    for solver in [SolverKind::Vrm, SolverKind::KawaiiPhysics] {
        let mut session = walking(solver);
        let baked = bake(&session, all_keys());
        let skeleton = session.character().skeleton.clone();
        for frame in 0..baked.track.times().len() {
            if frame > 0 {
                session.handle(Command::StepOnce);
            }
            let mut pose = Pose::rest(&skeleton);
            baked.track.apply(frame, &mut pose);
            let world = WorldPose::from_pose(&skeleton, &pose);
            let shown = &session.playback().displayed_pose().frames;
            for bone in baked.track.bones() {
                let [a, b] = [world.frame(*bone), &shown[bone.index()]].map(|frame| frame.position.to_array());
                assert_eq!(a.map(f32::to_bits), b.map(f32::to_bits), "{solver:?}, frame {frame}, bone {}", bone.0);
            }
        }
    }
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
    check_refused(&session, BakeOptions { start: 2.0, end: Some(1.0), ..options() }, "the range from 2 s to 1 s");
    check_refused(&session, BakeOptions { key_rate: f64::NAN, ..options() }, "expected 1 to 1000");
    check_refused(&session, BakeOptions { preroll: -1.0, ..options() }, "preroll is negative");
    check_refused(&session, BakeOptions { end: Some(1e9), ..options() }, "use a shorter range");
    check_refused(&session, BakeOptions { looped: true, end: Some(1.5), ..options() }, "a whole number of cycles");
    let unknown = yuremono::document::ChainId(u32::MAX);
    check_refused(&session, BakeOptions { chains: Some([unknown].into()), ..options() }, "there is no chain");
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
        assert!(shown.playback().displayed_bake().is_some());
        shown.handle(Command::SetMotion(Motion::Still));
        assert!(shown.playback().displayed_bake().is_none(), "another motion ends the display");
    }
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
    let baked = bake(&walking(SolverKind::Vrm), BakeOptions::default());
    let written = write_gltf(SAMPLE, "sample.vrm", &baked.clip).expect("written");
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
    let twice = write_gltf(&written.bytes, "sample.vrm", &baked.clip).expect("written");
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
    let skeleton = read("a.gltf", text.as_bytes()).skeleton;
    let clip = track.to_clip("nod", &skeleton);
    let written = write_gltf(text.as_bytes(), "a.gltf", &clip).expect("written");
    let new = String::from_utf8(written.bytes.clone()).expect("text");
    assert!(new.starts_with(&text[..text.len() - 2]), "{new}");
    assert_eq!(read("a.gltf", &written.bytes).clips, [clip]);
}

#[test]
fn nodes_with_a_matrix_and_missing_bones_are_refused() {
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a","matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}]}"#;
    let message = |bone| check_bones(text.as_bytes(), "a.gltf", [bone]).expect_err("refused")[0].to_string();
    assert!(message(BoneId(0)).contains("\"a\" has a matrix"), "{}", message(BoneId(0)));
    assert!(message(BoneId(7)).contains("bone 7 is not in the file"), "{}", message(BoneId(7)));
}

#[test]
fn a_vrm_animation_moves_the_humanoid_like_the_character() {
    let session = walking(SolverKind::Vrm);
    let (baked, character) = (bake(&session, all_keys()), session.character());
    let simulated: Vec<BoneId> = baked.joints.iter().map(|(bone, _)| *bone).collect();
    let written = write_vrma(character, "sample.vrm", &baked.clip, &simulated).expect("written");
    assert!(written.losses[0].message.contains("these joints are left out"), "{}", written.losses[0]);
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
            assert!(distance < 1e-4, "{role} is {distance} m away in frame {frame}");
        }
    }
    let bare = Character::default();
    assert!(check_vrma_character(&bare, "fox.glb").expect_err("refused").message.contains("no humanoid bones"));
}

#[test]
fn a_table_has_a_row_for_every_frame_and_bone() {
    let session = walking(SolverKind::Vrm);
    let baked = bake(&session, BakeOptions::default());
    let table = String::from_utf8(write_csv(&baked.track, &session.character().skeleton)).expect("text");
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("frame,time,bone,tx,ty,tz,rx,ry,rz,rw"));
    assert_eq!(lines.clone().count(), baked.track.times().len() * baked.track.bones().len());
    let first: Vec<&str> = lines.next().expect("a row").split(',').collect();
    let local = baked.track.frame(0)[0];
    assert_eq!(first[3].parse(), Ok(local.translation.x));
    assert_eq!(first[9].parse(), Ok(local.rotation.w));
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
        let reduced = reduce_keys(&track, &skeleton, &[tip], "random", limit);
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
    assert_eq!(key_count(&reduce_keys(&track, &skeleton, &[], "still", limit).clip), 6);
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
    let written = write_gltf(SAMPLE, "sample.vrm", &baked.clip).expect("written");
    let seconds = start.elapsed().expect("time passes").as_secs_f64();
    println!("{} frames of {bones} joints: {seconds:.2} s, {} bytes", baked.track.times().len(), written.bytes.len());
    assert!(seconds < 1.0, "{seconds} s");
}
