//! Tests retargeting motions from one humanoid to another.

use super::support::{self, glb::GlbBuilder};
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::f32::consts::{FRAC_PI_2, PI};
use std::path::Path;
use yuremono_format::open;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Facing, Humanoid, Pose, RetargetError,
    Skeleton, WorldPose, retarget, retarget_by_name,
};

/// Builds a character from bones: name, parent, world position and local rotation. A bone whose name is a humanoid role
/// gets the role.
fn humanoid_character(bones: &[(&str, Option<usize>, Vec3, Quat)], facing: Facing) -> Character {
    let mut list: Vec<Bone> = Vec::new();
    let mut frames: Vec<(Quat, Vec3)> = Vec::new();
    let mut humanoid = Humanoid::default();
    for (i, (name, parent, position, turn)) in bones.iter().enumerate() {
        let (above, from) = parent.map_or((Quat::IDENTITY, Vec3::ZERO), |p| frames[p]);
        let translation = above.inverse() * (*position - from);
        frames.push((above * *turn, *position));
        humanoid.set(name, BoneId(i as u32));
        let parent = parent.map(|p| BoneId(p as u32));
        let rest = Trs { translation, rotation: *turn, scale: Vec3::ONE };
        list.push(Bone { name: (*name).to_owned(), parent, rest });
    }
    let skeleton = Skeleton::new(list).expect("parents first");
    Character { name: "body".to_owned(), skeleton, humanoid, facing, ..Character::default() }
}

fn at_height(height: f32) -> Vec3 {
    Vec3::Y * height
}

/// Returns a character with hips at 1 m, arbitrarily rotated bones, and an unnamed bone between the others.
fn source_character() -> Character {
    let odd = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(1.9);
    let bones = [
        ("root", None, Vec3::ZERO, Quat::from_rotation_y(0.4)),
        ("hips", Some(0), at_height(1.0), odd),
        ("spine", Some(1), at_height(1.2), odd),
        ("twist", Some(2), at_height(1.3), odd),
        ("head", Some(3), at_height(1.4), Quat::from_rotation_y(-1.0)),
        ("leftUpperArm", Some(3), Vec3::new(0.2, 1.4, 0.0), odd.inverse()),
        ("tip", Some(5), Vec3::new(0.7, 1.4, 0.0), Quat::IDENTITY),
    ];
    humanoid_character(&bones, Facing::PlusZ)
}

/// Returns a character that is half as tall as the source, with unrotated bones. `facing` turns the character.
fn target_character(facing: Facing) -> Character {
    let side = if facing == Facing::PlusZ { 1.0 } else { -1.0 };
    let bones = [
        ("hips", None, at_height(0.5), Quat::IDENTITY),
        ("spine", Some(0), at_height(0.6), Quat::IDENTITY),
        ("more", Some(1), at_height(0.65), Quat::from_rotation_z(0.3)),
        ("head", Some(2), at_height(0.7), Quat::IDENTITY),
        ("leftUpperArm", Some(2), Vec3::new(0.1 * side, 0.7, 0.0), Quat::from_rotation_x(2.0)),
        ("tip", Some(4), Vec3::new(0.3 * side, 0.7, 0.0), Quat::IDENTITY),
    ];
    humanoid_character(&bones, facing)
}

/// Returns a clip that rotates only one bone, relative to its rest pose in world space.
fn rotation_clip(body: &Character, role: &str, by: Quat) -> Clip {
    let bone = body.humanoid.bone(role).expect("the body has the role");
    let rest = WorldPose::from_pose(&body.skeleton, &Pose::rest(&body.skeleton));
    let parent = body.skeleton.parent(bone).map_or(Quat::IDENTITY, |p| rest.frame(p).rotation);
    let still = body.skeleton.bone(bone).rest.rotation;
    let turned = parent.inverse() * by * rest.frame(bone).rotation;
    let values = ChannelValues::Rotation(vec![still, turned]);
    let channel = Channel { bone, times: vec![0.0, 1.0], values, interpolation: ChannelInterpolation::Linear };
    Clip { name: "turn".to_owned(), duration: 1.0, channels: vec![channel] }
}

/// Returns the world positions of all bones at the end of a clip.
fn end_positions(body: &Character, clip: &Clip) -> Vec<Vec3> {
    let mut pose = Pose::rest(&body.skeleton);
    clip.sample_clamped(clip.duration, &mut pose);
    WorldPose::from_pose(&body.skeleton, &pose).frames.iter().map(|f| f.position).collect()
}

#[track_caller]
fn check_position(actual: Vec3, expected: Vec3) {
    assert!(actual.abs_diff_eq(expected, 1e-4), "found {actual}, expected {expected}");
}

#[test]
fn a_world_rotation_is_retargeted_for_any_rest_rotation() {
    let (from, to) = (source_character(), target_character(Facing::PlusZ));
    let clip = rotation_clip(&from, "leftUpperArm", Quat::from_rotation_z(FRAC_PI_2));
    check_position(end_positions(&from, &clip)[6], Vec3::new(0.2, 1.9, 0.0));
    let made = retarget(&clip, &from, &to).expect("both are humanoids");
    assert_eq!(made.channels.len(), 1, "no other bone moves");
    check_position(end_positions(&to, &made)[5], Vec3::new(0.1, 0.9, 0.0));
}

#[test]
fn a_motion_is_rotated_for_a_character_that_faces_minus_z() {
    let (from, to) = (source_character(), target_character(Facing::MinusZ));
    let forward = Quat::from_rotation_y(-FRAC_PI_2);
    let clip = rotation_clip(&from, "leftUpperArm", forward);
    check_position(end_positions(&from, &clip)[6], Vec3::new(0.2, 1.4, 0.5));
    let made = retarget(&clip, &from, &to).expect("both are humanoids");
    check_position(end_positions(&to, &made)[5], Vec3::new(-0.1, 0.7, -0.2));
}

#[test]
fn the_rotation_of_a_missing_role_is_applied_to_its_descendants() {
    let (from, mut to) = (source_character(), target_character(Facing::PlusZ));
    let mut few = Humanoid::default();
    for (role, bone) in to.humanoid.iter().filter(|(role, _)| *role != "spine") {
        few.set(role, bone);
    }
    to.humanoid = few;
    let clip = rotation_clip(&from, "spine", Quat::from_rotation_z(FRAC_PI_2));
    let made = retarget(&clip, &from, &to).expect("both are humanoids");
    let ends = end_positions(&to, &made);
    check_position(ends[1], at_height(0.6));
    check_position(ends[5] - ends[4], Vec3::Y * 0.2);
}

#[test]
fn hips_translation_is_scaled_by_hips_height() {
    let from = source_character();
    let hips = from.humanoid.bone("hips").expect("the body has hips");
    let step = Vec3::new(0.0, -0.2, 0.6);
    let still = from.skeleton.bone(hips).rest.translation;
    let moved = still + Quat::from_rotation_y(-0.4) * step;
    let values = ChannelValues::Translation(vec![still, moved]);
    let channel = Channel { bone: hips, times: vec![0.0, 1.0], values, interpolation: ChannelInterpolation::Linear };
    let clip = Clip { name: "step".to_owned(), duration: 1.0, channels: vec![channel] };
    for (facing, side) in [(Facing::PlusZ, 1.0), (Facing::MinusZ, -1.0)] {
        let to = target_character(facing);
        let made = retarget(&clip, &from, &to).expect("both are humanoids");
        check_position(end_positions(&to, &made)[0], Vec3::new(0.0, 0.4, 0.3 * side));
    }
}

#[test]
fn step_interpolation_is_resampled_at_60_hz() {
    let (from, to) = (source_character(), target_character(Facing::PlusZ));
    let mut clip = rotation_clip(&from, "head", Quat::from_rotation_y(1.0));
    clip.channels[0].interpolation = ChannelInterpolation::Step;
    let made = retarget(&clip, &from, &to).expect("both are humanoids");
    assert_eq!(made.channels[0].times.len(), 61);
    let ChannelValues::Rotation(values) = &made.channels[0].values else { panic!("rotations") };
    assert!(values[59].abs_diff_eq(values[0], 1e-6) && !values[60].abs_diff_eq(values[0], 0.1));
}

#[test]
fn characters_without_common_humanoid_bones_are_rejected() {
    let (from, to) = (source_character(), target_character(Facing::PlusZ));
    let clip = rotation_clip(&from, "head", Quat::IDENTITY);
    let nobody = Character::default();
    assert_eq!(retarget(&clip, &nobody, &to), Err(RetargetError::MotionHasNoHumanoid));
    assert_eq!(retarget(&clip, &from, &nobody), Err(RetargetError::CharacterHasNoHumanoid));
    let mut other = target_character(Facing::PlusZ);
    other.humanoid = Humanoid::default();
    other.humanoid.set("jaw", BoneId(0));
    assert_eq!(retarget(&clip, &from, &other), Err(RetargetError::NoCommonBones));
}

/// Returns a root with one child bone, whose rest pose is offset by `way` and rotated by `turn`.
fn two_bone_skeleton(name: &str, way: Vec3, turn: Quat) -> Skeleton {
    let root = Bone { name: "root".to_owned(), parent: None, rest: Trs::IDENTITY };
    let rest = Trs { translation: way, rotation: turn, scale: Vec3::ONE };
    Skeleton::new(vec![root, Bone { name: name.to_owned(), parent: Some(BoneId(0)), rest }]).expect("parents first")
}

/// Returns the transform of the child bone at the end of a retargeted motion, which rotates and moves the bone from its
/// rest pose in `from`.
fn retargeted_end_transform(from: &Skeleton, to: &Skeleton, sampling: ChannelInterpolation) -> Trs {
    let rest = from.bone(BoneId(1)).rest;
    let moved = Trs { translation: rest.translation + Vec3::X, rotation: rest.rotation * quarter_turn(), ..rest };
    let keys = |still: Trs, slope: Trs, moved: Trs| match sampling {
        ChannelInterpolation::CubicSpline => vec![slope, still, slope, slope, moved, slope],
        _ => vec![still, moved],
    };
    let slope = Trs { translation: Vec3::ZERO, rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), scale: Vec3::ZERO };
    let keys = keys(rest, slope, moved);
    let values = [
        ChannelValues::Translation(keys.iter().map(|key| key.translation).collect()),
        ChannelValues::Rotation(keys.iter().map(|key| key.rotation).collect()),
    ];
    let channel = |values| Channel { bone: BoneId(1), times: vec![0.0, 1.0], values, interpolation: sampling };
    let clip = Clip { name: "nod".to_owned(), duration: 1.0, channels: values.map(channel).to_vec() };
    let made = retarget_by_name(&clip, from, to);
    let mut pose = Pose::rest(to);
    made.sample_clamped(1.0, &mut pose);
    pose.local[1]
}

fn quarter_turn() -> Quat {
    Quat::from_rotation_z(FRAC_PI_2)
}

#[test]
fn retargeting_by_name_is_relative_to_the_rest_pose_of_each_bone() {
    let from = two_bone_skeleton("tail", Vec3::Y, Quat::from_rotation_x(0.4));
    for sampling in [ChannelInterpolation::Linear, ChannelInterpolation::CubicSpline] {
        let same = retargeted_end_transform(&from, &from, sampling);
        check_position(same.translation, Vec3::Y + Vec3::X);
        // A bone of twice the length with another rest rotation must move twice the distance, and turn by a quarter
        // from the new rest pose.
        let rest = Quat::from_rotation_y(1.1);
        let other = retargeted_end_transform(&from, &two_bone_skeleton("tail", Vec3::Y * 2.0, rest), sampling);
        check_position(other.translation, Vec3::Y * 2.0 + Vec3::X * 2.0);
        assert!(other.rotation.angle_between(rest * quarter_turn()) < 1e-3, "{}", other.rotation);
    }
    let stranger = retargeted_end_transform(
        &from,
        &two_bone_skeleton("ear", Vec3::Z, Quat::IDENTITY),
        ChannelInterpolation::Linear,
    );
    check_position(stranger.translation, Vec3::Z);
}

/// Runs `yuremono simulate` with a motion file for a character, both with three nodes, and checks the output.
#[test]
fn the_simulate_command_accepts_a_motion_file() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let nodes = |turn: [f32; 4]| json!([{ "name": "hips", "translation": [0, 1, 0], "children": [1] }, { "name": "head", "rotation": turn, "children": [2] }, { "name": "hair", "translation": [0, 0.1, 0] }]);
    let bones = json!({ "humanBones": { "hips": { "node": 0 }, "head": { "node": 1 } } });
    let half = libm::sinf(PI / 4.0);
    let mut motion = GlbBuilder::new();
    motion.json["nodes"] = nodes([half, 0.0, 0.0, half]);
    motion.json["extensions"] = json!({ "VRMC_vrm_animation": { "specVersion": "1.0", "humanoid": bones } });
    let times = motion.floats("SCALAR", &[0.0, 1.0]);
    let values = motion.floats("VEC4", &[half, 0.0, 0.0, half, half, 0.0, half, 0.0]);
    motion.push_json(
        "animations",
        json!({
            "samplers": [{ "input": times, "output": values }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        }),
    );
    std::fs::write(path("nod.vrma"), motion.glb()).expect("written");
    let mut character = GlbBuilder::new();
    character.triangle_mesh();
    character.json["nodes"] = nodes([0.0, 0.0, 0.0, 1.0]);
    character.json["extensions"] = json!({ "VRMC_vrm": { "specVersion": "1.0", "humanoid": bones } });
    std::fs::write(path("a.vrm"), character.glb()).expect("written");

    let opened = open::character(&path("a.vrm"), &|_| true).expect("a character");
    let read = open::motions(&path("nod.vrma"), &opened.character, &|_| true).expect("a motion");
    assert_eq!((read.clips.len(), read.clips[0].name.as_str(), read.diagnostics.len()), (1, "nod", 0));
    assert_eq!((read.matched_count, read.unmatched), (1, Vec::new()));

    let run = |motion: &Path| {
        let mut command = support::yuremono_command();
        command
            .arg("simulate")
            .arg(path("a.vrm"))
            .args(["--seconds", "0.1", "--overwrite", "--out"])
            .arg(path("out.json"));
        command.arg("--motion").arg(motion).output().expect("it runs")
    };
    let output = run(&path("nod.vrma"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let recorded: Value = serde_json::from_slice(&std::fs::read(path("out.json")).expect("there")).expect("JSON");
    assert_eq!(recorded["steps"].as_array().map(Vec::len), Some(6));
    // Without humanoid roles, bones are matched by name.
    motion.json["extensions"] = json!({});
    std::fs::write(path("nod.glb"), motion.glb()).expect("written");
    let read = open::motions(&path("nod.glb"), &opened.character, &|_| true).expect("a motion");
    assert_eq!((read.matched_count, read.by_role, read.clips.len()), (1, false, 1));
    assert!(run(&path("nod.glb")).status.success());
    motion.json["nodes"][1]["name"] = json!("Head_end");
    std::fs::write(path("other.glb"), motion.glb()).expect("written");
    let output = run(&path("other.glb"));
    assert_eq!(output.status.code(), Some(1));
    let reported = String::from_utf8_lossy(&output.stderr);
    assert!(reported.contains("none of its animated bones is on \"a.vrm\": Head_end"), "{reported}");
    let output = run(&path("none.vrma"));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("none.vrma"));
}

#[test]
fn sample_motions_keep_feet_near_the_ground() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    let motions = support::files_below(&folder, &["vrma"]);
    for name in ["Godette_vrm_v4.vrm", "synth_girl_vrm0.vrm", "synth_girl_vrm1.vrm"] {
        let Ok(opened) = open::character(&folder.join(name), &|_| true) else { continue };
        let character = &opened.character;
        let feet: Vec<_> = ["leftFoot", "rightFoot"].iter().filter_map(|role| character.humanoid.bone(role)).collect();
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let standing = feet.iter().map(|foot| rest.frame(*foot).position.y).fold(f32::MAX, f32::min);
        for path in &motions {
            let clip = &open::motions(path, character, &|_| true).expect("a motion").clips[0];
            let (mut low, mut high, mut hips) = (f32::MAX, f32::MIN, Vec::new());
            for i in 0..=60 {
                let mut pose = Pose::rest(&character.skeleton);
                clip.sample_clamped(clip.duration * i as f32 / 60.0, &mut pose);
                let world = WorldPose::from_pose(&character.skeleton, &pose);
                assert!(world.frames.iter().all(|f| f.position.is_finite() && f.rotation.is_finite()), "{name}");
                let lowest = feet.iter().map(|foot| world.frame(*foot).position.y).fold(f32::MAX, f32::min);
                (low, high) = (low.min(lowest), high.max(lowest));
                hips.extend(character.humanoid.bone("hips").map(|hips| world.frame(hips).position));
            }
            let file = path.file_name().expect("a file").to_string_lossy();
            println!(
                "{name} {file}: {:.2} s, {} channels, lower foot {low:.3} to {high:.3} (stands at {standing:.3}), hips {:.2} to {:.2}",
                clip.duration,
                clip.channels.len(),
                hips[0],
                hips[60]
            );
            assert!((low - standing).abs() < 0.1, "{name} {file}: the lower foot is at {low}, at rest at {standing}");
        }
    }
}
