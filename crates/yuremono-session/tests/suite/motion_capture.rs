//! Tests motion capture files whose zero pose is not a standing pose: bones along one axis, slanted legs, another axis
//! up, and positions that start at zero. All files contain the same motion.

use super::support;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yuremono_format::open;
use yuremono_session::{BakeJob, BakeOptions, Command, MomentsJob, Motion, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Severity};
use yuremono_sim::rig::{BoneId, Character, Pose, RoleSource, WorldPose};
use yuremono_sim::rig::{MotionBody, TestMotion};

fn capture(name: &str) -> PathBuf {
    support::root().join("tests/motions").join(name).with_extension("bvh")
}

/// Returns the poses of a motion file in every frame, and the diagnostics.
fn frames(path: &Path, character: &Character) -> (Vec<WorldPose>, Vec<Diagnostic>) {
    let read = open::motions(path, character, &|_| true).expect("a motion");
    let clip = &read.clips[0];
    let frames = (0..=30).map(|frame| {
        let mut pose = Pose::rest(&character.skeleton);
        clip.sample_clamped(clip.duration * frame as f32 / 30.0, &mut pose);
        WorldPose::from_pose(&character.skeleton, &pose)
    });
    (frames.collect(), read.diagnostics)
}

const VARIANTS: [(&str, usize); 5] = [
    ("bones_along_x_all", 1),
    ("bones_along_x_upright_hips", 1),
    ("slanted_legs_zero_pose", 0),
    ("z_up_motion_y_up_skeleton", 1),
    ("root_offset_relative", 1),
];

#[test]
fn a_motion_is_the_same_whatever_its_zero_pose_is() {
    let character = support::sample(SolverKind::Vrm).character;
    let bones: Vec<_> = character.humanoid.iter().filter(|(role, _)| !role.contains("Eye")).collect();
    let (expected, notes) = frames(&capture("reference_motion"), &character);
    assert!(notes.is_empty(), "{notes:?}");
    for (name, assumptions) in VARIANTS {
        let (found, notes) = frames(&capture(name), &character);
        assert_eq!(notes.len(), assumptions, "{name}: {notes:?}");
        assert!(notes.iter().all(|note| note.severity == Severity::Info), "{name}: {notes:?}");
        for (frame, (found, expected)) in found.iter().zip(&expected).enumerate() {
            for (role, bone) in &bones {
                let [found, expected] = [found, expected].map(|pose| pose.frame(*bone).position);
                assert!(found.distance(expected) < 0.02, "{name}, frame {frame}, {role}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn feet_stand_on_the_floor_whatever_the_zero_pose_is() {
    let character = support::sample(SolverKind::Vrm).character;
    let feet: Vec<_> = ["leftToes", "rightToes"].map(|role| character.humanoid.bone(role).expect("toes")).into();
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let lowest = |pose: &WorldPose| feet.iter().map(|foot| pose.frame(*foot).position.y).fold(f32::MAX, f32::min);
    for name in VARIANTS.map(|variant| variant.0).into_iter().chain(["reference_motion"]) {
        let (found, _) = frames(&capture(name), &character);
        let off = lowest(&found[0]) - lowest(&rest);
        assert!(off.abs() < 0.03, "{name}: {off} m");
        let hips = character.humanoid.bone("hips").expect("hips");
        let up = found[0].frame(hips).position.y - rest.frame(hips).position.y;
        assert!(up.abs() < 0.02, "{name}: the hips are {up} m too high");
    }
}

#[test]
fn frame_counts_roots_and_line_ends_that_differ_are_read_and_reported() {
    let character = support::sample(SolverKind::Vrm).character;
    let text = std::fs::read_to_string(capture("reference_motion")).expect("a file");
    let (expected, _) = frames(&capture("reference_motion"), &character);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("motion.bvh");
    let prop =
        "ROOT Prop\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 10 0\n}\n}\n";
    let (joints, motion) = text.split_once("MOTION").expect("a motion");
    let (header, rows) = motion.split_once("0.033\n").expect("a frame time");
    let rows: Vec<String> = rows.lines().map(|row| format!("{} 0 0 0", row.trim_end())).collect();
    let two_roots = format!("{joints}{prop}MOTION{header}0.033\n{}\n", rows.join("\n"));
    for (text, message) in [
        (text.replace("Frames: 31", "Frames: 30"), "declares 30 frames; found 31"),
        (text.replace("Frames: 31", "Frames: 32"), "declares 32 frames; found 31"),
        (two_roots, "\"Prop\" is another root"),
        (text.replace('\n', "\r"), ""),
        (text.replace('\n', "\r\n"), ""),
    ] {
        std::fs::write(&path, text).expect("written");
        let (found, notes) = frames(&path, &character);
        assert_eq!(found, expected, "{message}");
        let warnings: Vec<_> = notes.iter().map(|note| (note.severity, note.message.to_string())).collect();
        let is_expected = |note: &(Severity, String)| note.0 == Severity::Warning && note.1.contains(message);
        assert!(warnings.iter().all(is_expected), "{warnings:?}");
        assert_eq!(warnings.len(), usize::from(!message.is_empty()), "{message}: {warnings:?}");
    }
}

/// Returns the pose of a test motion after a second.
fn pose_of(motion: TestMotion, character: &Arc<Character>) -> Pose {
    let body = MotionBody::new(character);
    let mut pose = Pose::rest(&character.skeleton);
    body.relax(&mut pose);
    motion.apply(1.0, 1.0, &body, &mut pose);
    pose
}

/// Returns the humanoid roles whose bones a pose moves.
fn moved_roles(pose: &Pose, character: &Character) -> BTreeSet<&'static str> {
    let rest = Pose::rest(&character.skeleton);
    let moves = |bone: BoneId| rest.local[bone.index()] != pose.local[bone.index()];
    character.humanoid.iter().filter(|(_, bone)| moves(*bone)).map(|(role, _)| role).collect()
}

#[test]
fn a_rig_without_vrm_has_all_roles_and_moves_like_a_vrm() {
    let path = support::root().join("tests/models/mixamo_names.glb");
    let character = open::character(&path, &|_| true).expect("a character").character;
    assert_eq!(character.humanoid.source(), RoleSource::BoneNames);
    assert_eq!(character.humanoid.iter().count(), 21, "{:?}", character.humanoid);
    let vrm = support::sample(SolverKind::Vrm).character;
    for motion in [TestMotion::Idle, TestMotion::Walk, TestMotion::Squat] {
        assert!(motion.supports_character(&character), "{motion:?}");
        let moved = moved_roles(&pose_of(motion, &character), &character);
        let mut expected = moved_roles(&pose_of(motion, &vrm), &vrm);
        // Hands without fingers keep their angle to the forearm.
        expected.retain(|role| character.humanoid.bone(role).is_some() && !role.ends_with("Hand"));
        assert_eq!(moved, expected, "{motion:?}");
    }
    let world = WorldPose::from_pose(&character.skeleton, &pose_of(TestMotion::Idle, &character));
    let at = |role: &str| world.frame(character.humanoid.bone(role).expect("a role")).position;
    assert!((at("leftHand") - at("leftUpperArm")).normalize().y < -0.8, "the arm hangs");
    let (found, _) = frames(&capture("bones_along_x_all"), &character);
    let height = |pose: &WorldPose| pose.frame(character.humanoid.bone("hips").expect("hips")).position.y;
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    assert!((height(&found[0]) - height(&rest)).abs() < 0.02, "{}", height(&found[0]));
}

#[test]
fn a_file_with_a_single_pose_is_a_pose_that_is_held() {
    let mut opened = support::sample(SolverKind::Vrm);
    let path = support::root().join("tests/motions/single_pose.vrma");
    assert_eq!(opened.add_motions([path])[0].1, 1);
    let clip = opened.character.clips.len() - 1;
    assert_eq!(opened.character.clips[clip].name, "single_pose", "a motion has the name of its file");
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Clip(clip)));
    let moments = MomentsJob::new(&session);
    assert_eq!(moments.duration(Motion::Clip(clip)), Ok(None));
    assert_eq!(moments.sample(Motion::Clip(clip), 6, &|_| true).map(|moments| moments.poses.len()), Some(1));
    let baked = BakeJob::new(&session, BakeOptions::default()).expect("a pose").run(&|_| true).expect("not cancelled");
    assert!(baked.is_ok(), "{baked:?}");
}
