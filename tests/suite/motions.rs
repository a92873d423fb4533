//! Tests the relaxed pose, the idle motion, crossfades between motions, motion capture files, and the list of motions.

use super::support::{self, figure};
use super::viewport::{reduced_motion_prefs, viewport_fixture, viewport_harness};
use egui::{Event, Modifiers, PointerButton, Pos2, Role, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use yuremono::ui::Prefs;
use yuremono_format::open;
use yuremono_model::document::Document;
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Facing, Mesh, Pose, Primitive,
    Skeleton, WorldPose,
};
use yuremono_sim::rig::{MotionBody, TestMotion};

/// Role, index of the parent and position of each bone of a body whose arms are `angle` radians below the horizontal.
fn body(angle: f32, facing: Facing, axes: Quat) -> Character {
    let turn = if facing == Facing::PlusZ { Quat::IDENTITY } else { Quat::from_rotation_y(PI) };
    let mut places = vec![
        ("hips", None, Vec3::new(0.0, 0.9, 0.0)),
        ("chest", Some(0), Vec3::new(0.0, 1.15, 0.0)),
        ("head", Some(1), Vec3::new(0.0, 1.45, 0.0)),
    ];
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let along = Vec3::new(sign * libm::cosf(angle), -libm::sinf(angle), 0.0);
        let shoulder = Vec3::new(sign * 0.15, 1.3, 0.0);
        let first = places.len();
        let role = |name: &str| -> &'static str { Box::leak(format!("{side}{name}").into_boxed_str()) };
        places.push((role("UpperArm"), Some(1), shoulder));
        places.push((role("LowerArm"), Some(first), shoulder + along * 0.22));
        places.push((role("Hand"), Some(first + 1), shoulder + along * 0.43));
        places.push((role("UpperLeg"), Some(0), Vec3::new(sign * 0.09, 0.85, 0.0)));
        places.push((role("LowerLeg"), Some(first + 3), Vec3::new(sign * 0.09, 0.45, 0.0)));
        places.push((role("Foot"), Some(first + 4), Vec3::new(sign * 0.09, 0.08, 0.0)));
    }
    let mut character = Character { name: "body.vrm".to_owned(), facing, ..Character::default() };
    let mut frames: Vec<(Quat, Vec3)> = Vec::new();
    let mut bones = Vec::new();
    for (i, (role, parent, place)) in places.into_iter().enumerate() {
        let place = turn * place;
        let (above, from) = parent.map_or((Quat::IDENTITY, Vec3::ZERO), |parent: usize| frames[parent]);
        frames.push((above * axes, place));
        let rest = Trs { translation: above.inverse() * (place - from), rotation: axes, scale: Vec3::ONE };
        bones.push(Bone { name: role.to_owned(), parent: parent.map(|p| BoneId(p as u32)), rest });
        character.humanoid.set(role, BoneId(i as u32));
    }
    character.skeleton = Skeleton::new(bones).expect("parents first");
    character
}

fn role_position(character: &Character, world: &WorldPose, role: &str) -> Vec3 {
    world.frame(character.humanoid.bone(role).expect("the body has the role")).position
}

fn relaxed(character: &Arc<Character>) -> (Pose, WorldPose) {
    let mut pose = Pose::rest(&character.skeleton);
    MotionBody::new(character).relax(&mut pose);
    let world = WorldPose::from_pose(&character.skeleton, &pose);
    (pose, world)
}

fn direction(character: &Character, world: &WorldPose, from: &str, to: &str) -> Vec3 {
    (role_position(character, world, to) - role_position(character, world, from)).normalize()
}

#[test]
fn the_relaxed_pose_lowers_the_arms_for_any_rest_pose_facing_and_axes() {
    let odd = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(1.9);
    let expected = {
        let character = Arc::new(body(0.0, Facing::PlusZ, Quat::IDENTITY));
        relaxed(&character).1
    };
    for angle in [0.0, 0.3, 0.8, -0.4] {
        for (facing, turn) in [(Facing::PlusZ, Quat::IDENTITY), (Facing::MinusZ, Quat::from_rotation_y(PI))] {
            for axes in [Quat::IDENTITY, odd] {
                let character = Arc::new(body(angle, facing, axes));
                let (_, world) = relaxed(&character);
                for side in ["left", "right"] {
                    let role = |name: &str| format!("{side}{name}");
                    let upper = direction(&character, &world, &role("UpperArm"), &role("LowerArm"));
                    let lower = direction(&character, &world, &role("LowerArm"), &role("Hand"));
                    let what = format!("{side} arm at {angle}, {facing:?}: {upper}, {lower}");
                    assert!(upper.y < -0.85 && lower.y < -0.95, "{what}");
                    // The elbow bends forward, and the arm is beside the body.
                    let (forward, left) = (turn * Vec3::Z, turn * Vec3::X);
                    let outward = if side == "left" { left } else { -left };
                    assert!((lower - upper).dot(forward) > 0.1 && upper.dot(outward) > 0.1, "{what}");
                    let hand = role_position(&character, &world, &role("Hand"));
                    assert!(
                        (turn * role_position(&character, &expected, &role("Hand"))).distance(hand) < 1e-4,
                        "{what}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_wide_sleeve_keeps_its_arm_away_from_the_body() {
    // The distances of the left and the right hand from the middle, with a sleeve on the left forearm: the upper and the
    // lower extent of the sleeve in the T-pose.
    let hands = |extents: Option<[f32; 2]>| {
        let mut character = body(0.0, Facing::PlusZ, Quat::IDENTITY);
        if let Some([above, below]) = extents {
            let positions = [above, -below, 0.0].map(|y| Vec3::new(0.1, y, 0.0)).to_vec();
            let primitive = Primitive { positions, indices: vec![0, 1, 2], ..Primitive::default() };
            character.meshes.push(Mesh {
                name: "sleeve".to_owned(),
                bone: character.humanoid.bone("leftLowerArm").expect("the body has the role"),
                skin: None,
                primitives: vec![primitive],
                morph_weights: Vec::new(),
                is_hidden: false,
            });
        }
        let character = Arc::new(character);
        let (_, world) = relaxed(&character);
        ["leftHand", "rightHand"].map(|role| role_position(&character, &world, role).x.abs())
    };
    let [left, right] = hands(None);
    let [wide, other] = hands(Some([0.08, 0.08]));
    assert!(wide > left + 0.02 && wide < left + 0.06, "{left} m without a sleeve, {wide} m with a sleeve");
    assert_eq!(other, right);
    assert_eq!(hands(Some([0.02, 0.3])), [left, right], "a narrow sleeve with a hanging part");
}

#[test]
fn arms_that_hang_and_characters_without_arms_keep_their_rest_pose() {
    let hanging = Arc::new(body(1.3, Facing::PlusZ, Quat::IDENTITY));
    let girl = Arc::new(support::girl::character());
    let mut twisted = body(0.0, Facing::PlusZ, Quat::IDENTITY);
    twisted.humanoid.set("leftHand", BoneId(9999));
    for character in [hanging, girl] {
        assert_eq!(relaxed(&character).0, Pose::rest(&character.skeleton), "{}", character.name);
    }
    let (pose, _) = relaxed(&Arc::new(twisted));
    assert!(pose.local.iter().all(|local| local.is_finite()), "a role without its bone");
}

/// Returns the world pose of the idle motion at a time, with an amplitude of 1.
fn idle_pose(character: &Arc<Character>, body: &MotionBody, seconds: f32) -> WorldPose {
    let mut pose = Pose::rest(&character.skeleton);
    body.relax(&mut pose);
    TestMotion::Idle.apply(seconds, 1.0, body, &mut pose);
    WorldPose::from_pose(&character.skeleton, &pose)
}

/// Checks that hands stay clear of the thighs, feet stay in place, and the motion is alive.
fn check_idle(character: &Arc<Character>) {
    let body = MotionBody::new(character);
    assert!(TestMotion::Idle.supports_character(character));
    let period = TestMotion::Idle.period();
    let start = idle_pose(character, &body, 0.0);
    let end = idle_pose(character, &body, period * (1.0 - 1e-6));
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let leg = role_position(character, &rest, "leftUpperLeg").distance(role_position(character, &rest, "leftFoot"));
    let (mut moved, mut slid) = (0.0_f32, 0.0_f32);
    for tick in 0..480_u16 {
        let world = idle_pose(character, &body, f32::from(tick) / 60.0);
        for side in ["left", "right"] {
            let at = |name: &str| role_position(character, &world, &format!("{side}{name}"));
            let (hip, thigh) = (at("UpperLeg"), at("LowerLeg") - at("UpperLeg"));
            let along = ((at("Hand") - hip).dot(thigh) / thigh.length_squared()).clamp(0.0, 1.0);
            let clear = at("Hand").distance(hip + thigh * along) / leg;
            assert!(clear > 0.13, "{}: {side} hand at {clear} of the leg's length from the thigh", character.name);
            let foot = format!("{side}Foot");
            slid = slid.max(at("Foot").distance(role_position(character, &start, &foot)));
            assert!(at("Hand").y < at("UpperArm").y - 0.2 * leg, "{}: the {side} arm is raised", character.name);
        }
        moved = moved.max(role_position(character, &world, "head").distance(role_position(character, &start, "head")));
    }
    assert!(slid < 0.004 * leg, "{}: a foot slides {slid} m", character.name);
    assert!(moved > 0.002 * leg && moved < 0.1 * leg, "{}: the head moves {moved} m", character.name);
    let seam = start.frames.iter().zip(&end.frames).map(|(a, b)| a.position.distance(b.position)).fold(0.0, f32::max);
    assert!(seam < 1e-4 * leg, "{}: the loop jumps by {seam} m", character.name);
}

#[test]
fn the_idle_motion_loops_with_hands_beside_the_thighs_and_feet_in_place() {
    check_idle(&support::sample(SolverKind::Vrm).character);
    check_idle(&Arc::new(figure::character()));
    check_idle(&Arc::new(body(0.6, Facing::MinusZ, Quat::from_rotation_x(1.0))));
}

#[test]
fn real_models_idle_with_hands_beside_the_thighs() {
    let Some(folder) = support::folder_or_skip("YUREMONO_SAMPLES") else { return };
    for path in support::files_below(&folder, &["vrm"]) {
        let Ok(opened) = open::character(&path, &|_| true) else { continue };
        if TestMotion::Idle.supports_character(&opened.character)
            && opened.character.humanoid.bone("leftHand").is_some()
        {
            check_idle(&opened.character);
        }
    }
}

/// A character in a T-pose with a clip that moves only the head.
fn nodding_figure() -> Character {
    let mut character = figure::character();
    let bone = character.humanoid.bone("head").expect("a head");
    let values = ChannelValues::Rotation(vec![Quat::IDENTITY, Quat::from_rotation_x(0.4), Quat::IDENTITY]);
    let channel = Channel { bone, times: vec![0.0, 0.5, 1.0], values, interpolation: ChannelInterpolation::Linear };
    character.clips.push(Clip { name: "nod".to_owned(), duration: 1.0, channels: vec![channel] });
    character
}

fn session() -> Session {
    Session::new(Arc::new(nodding_figure()), Document::default())
}

fn step(session: &mut Session) -> Pose {
    session.handle(Command::StepOnce);
    session.playback().world().pose().clone()
}

/// Returns the largest rotation of a bone between two poses, in degrees.
fn largest_turn(a: &Pose, b: &Pose) -> f32 {
    let turns = a.local.iter().zip(&b.local).map(|(a, b)| a.rotation.angle_between(b.rotation).to_degrees());
    turns.fold(0.0, f32::max)
}

#[test]
fn a_humanoid_opens_in_the_idle_motion_with_its_arms_down() {
    let session = session();
    assert_eq!(session.playback().settings().motion, Motion::Test(TestMotion::Idle));
    let (character, world) = (session.character(), session.playback().displayed_pose());
    assert!(direction(character, world, "leftUpperArm", "leftLowerArm").y < -0.85);
    let girl = Session::new(Arc::new(support::girl::character()), Document::default());
    assert_eq!(girl.playback().settings().motion, Motion::Test(TestMotion::Turn));
}

#[test]
fn clips_start_from_the_rest_pose_and_gestures_without_a_motion_from_the_relaxed_pose() {
    let mut session = session();
    session.handle(Command::SetMotion(Motion::Clip(0)));
    session.handle(Command::ResetPose);
    let arm = |session: &Session| {
        direction(session.character(), session.playback().displayed_pose(), "leftUpperArm", "leftLowerArm")
    };
    assert!(arm(&session).distance(Vec3::X) < 1e-5, "{}", arm(&session));
    session.handle(Command::SetMotion(Motion::Still));
    session.handle(Command::ResetPose);
    assert!(arm(&session).y < -0.85, "{}", arm(&session));
}

#[test]
fn no_bone_jumps_when_the_motion_changes() {
    let mut session = session();
    session.handle(Command::ResetPose);
    let motions = [
        Motion::Clip(0),
        Motion::Still,
        Motion::Test(TestMotion::Walk),
        Motion::Clip(0),
        Motion::Test(TestMotion::Idle),
        Motion::Clip(99),
    ];
    // The last changes are faster than a crossfade.
    for wait in [40, 5, 1, 0] {
        for motion in motions {
            session.handle(Command::SetMotion(motion));
            let mut last = session.playback().world().pose().clone();
            for _ in 0..wait {
                let pose = step(&mut session);
                // An arm turns by 80 degrees in 18 ticks, at most 1.5 times as fast as on average.
                let turned = largest_turn(&last, &pose);
                assert!(turned < 9.0, "{turned} degrees in a tick, {motion:?} after {wait} ticks");
                last = pose;
            }
        }
    }
    let before = session.playback().world().pose().clone();
    assert!(largest_turn(&before, &step(&mut session)) < 9.0);
}

#[test]
fn a_crossfade_is_deterministic_and_a_reset_ends_it() {
    let run = || {
        let mut session = session();
        session.handle(Command::SetMotion(Motion::Clip(0)));
        (0..7).for_each(|_| _ = step(&mut session));
        session.handle(Command::SetMotion(Motion::Test(TestMotion::Walk)));
        let poses: Vec<Pose> = (0..30).map(|_| step(&mut session)).collect();
        (session, poses)
    };
    let (mut faded, poses) = run();
    assert_eq!(poses, run().1);
    let mut plain = session();
    for session in [&mut faded, &mut plain] {
        session.handle(Command::SetMotion(Motion::Test(TestMotion::Squat)));
        session.handle(Command::ResetPose);
    }
    for _ in 0..40 {
        assert_eq!(step(&mut faded), step(&mut plain), "a reset motion has no crossfade");
    }
}

#[test]
fn a_motion_without_a_loop_holds_its_last_pose_and_then_blends_on() {
    let mut session = session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::LegLift)));
    session.handle(Command::ResetPose);
    session.handle(Command::SetRepeats(false));
    let period = (TestMotion::LegLift.period() * 60.0) as usize;
    let poses: Vec<Pose> = (0..period + 60).map(|_| step(&mut session)).collect();
    assert!(largest_turn(&poses[period / 4], &poses[period + 30]) > 10.0, "the leg was lifted");
    assert!(largest_turn(&poses[period + 2], &poses[period + 59]) < 1e-3, "the last pose stays");
    assert_eq!(session.playback().period(session.character(), session.document()), None);
    session.handle(Command::SetMotion(Motion::Test(TestMotion::LegLift)));
    assert!(largest_turn(&poses[period + 59], &step(&mut session)) < 3.0);
}

/// Joints of a motion capture file with the names of Mixamo. `arm` is the direction of the arms in the zero pose, of the
/// left side; `axes` maps the axes of the body to those of the file.
fn bvh(arm: Vec3, axes: Quat, scale: f32, frames: &[[f32; 3]]) -> String {
    let offset = |at: Vec3| {
        let at = axes * at * scale;
        format!("OFFSET {:.4} {:.4} {:.4}", at.x, at.y, at.z)
    };
    let rotations = "CHANNELS 3 Zrotation Xrotation Yrotation";
    let mut parts = vec![format!(
        "HIERARCHY\nROOT mixamorig:Hips\n{{\n{}\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n",
        offset(Vec3::ZERO)
    )];
    parts.push(format!("JOINT mixamorig:Spine\n{{\n{}\n{rotations}\n", offset(Vec3::Y * 0.2)));
    parts.push(format!(
        "JOINT mixamorig:Head\n{{\n{}\n{rotations}\nEnd Site\n{{\n{}\n}}\n}}\n",
        offset(Vec3::Y * 0.4),
        offset(Vec3::Y * 0.2)
    ));
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let along = Vec3::new(arm.x * sign, arm.y, arm.z);
        let shoulder = offset(Vec3::new(0.15 * sign, 0.25, 0.0));
        parts.push(format!("JOINT mixamorig:{side}Arm\n{{\n{shoulder}\n{rotations}\n"));
        parts.push(format!("JOINT mixamorig:{side}ForeArm\n{{\n{}\n{rotations}\n", offset(along * 0.25)));
        parts.push(format!(
            "JOINT mixamorig:{side}Hand\n{{\n{}\n{rotations}\nEnd Site\n{{\n{}\n}}\n}}\n}}\n}}\n",
            offset(along * 0.25),
            offset(along * 0.1)
        ));
    }
    parts.push("}\n".to_owned());
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        parts.push(format!("JOINT mixamorig:{side}UpLeg\n{{\n{}\n{rotations}\n", offset(Vec3::X * 0.1 * sign)));
        parts.push(format!("JOINT mixamorig:{side}Leg\n{{\n{}\n{rotations}\n", offset(Vec3::NEG_Y * 0.4)));
        parts.push(format!(
            "JOINT mixamorig:{side}Foot\n{{\n{}\n{rotations}\nEnd Site\n{{\n{}\n}}\n}}\n}}\n}}\n",
            offset(Vec3::NEG_Y * 0.4),
            offset(Vec3::Z * 0.1)
        ));
    }
    parts.push(format!("}}\nMOTION\nFrames: {}\nFrame Time: 0.5\n", frames.len()));
    for [x, degrees, height] in frames {
        // The root walks along +Z of the body from an arbitrary place, and the left arm turns about Z.
        let place = axes * Vec3::new(3.0, *height, *x) * scale;
        let axis = axes * Vec3::Z * *degrees;
        let turn = format!("{:.4} {:.4} {:.4}", axis.z, axis.x, axis.y);
        let still = |joints: usize| "0 0 0 ".repeat(joints);
        parts.push(format!("{:.4} {:.4} {:.4} {}{turn} {}\n", place.x, place.y, place.z, still(3), still(11)));
    }
    parts.concat()
}

fn write_bvh(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("walk.bvh");
    std::fs::write(&path, text).expect("written");
    path
}

/// Returns the world pose of a character at a time of a motion file.
fn pose_of_file(path: &Path, character: &Character, seconds: f32) -> WorldPose {
    let read = open::motions(path, character, &|_| true).expect("a motion");
    assert!(read.by_role && read.clips.len() == 1 && read.matched_count > 12, "{read:?}");
    let mut pose = Pose::rest(&character.skeleton);
    read.clips[0].sample_clamped(seconds, &mut pose);
    WorldPose::from_pose(&character.skeleton, &pose)
}

#[test]
fn motion_capture_moves_the_arm_in_the_same_direction_on_every_character() {
    let folder = tempfile::tempdir().expect("a folder");
    let z_up = Quat::from_rotation_x(PI / 2.0);
    // A file in a T-pose in metres, in an A-pose in inches with Z up, and with hanging arms in centimetres.
    for (arm, axes, scale) in
        [(Vec3::X, Quat::IDENTITY, 1.0), (Vec3::new(0.7, -0.7, 0.0), z_up, 39.4), (Vec3::NEG_Y, Quat::IDENTITY, 100.0)]
    {
        // In the first frame the left arm hangs, in the second it points to the left, and the body walks two metres.
        let now = libm::atan2f(arm.y, arm.x).to_degrees();
        let frames = [[0.0, -90.0 - now, 0.8], [2.0, -now, 0.8]];
        let path = write_bvh(folder.path(), &bvh(arm, axes, scale, &frames));
        let sample = support::sample(SolverKind::Vrm).character;
        for character in [&*sample, &figure::character(), &body(0.5, Facing::MinusZ, Quat::from_rotation_y(0.8))] {
            let left = if character.facing == Facing::PlusZ { Vec3::X } else { Vec3::NEG_X };
            let forward = left.cross(Vec3::Y);
            let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
            let [start, end] = [0.0, 0.5].map(|seconds| pose_of_file(&path, character, seconds));
            let upper = |world: &WorldPose| direction(character, world, "leftUpperArm", "leftLowerArm");
            let what = format!("{} with arms along {arm}", character.name);
            assert!(upper(&start).distance(Vec3::NEG_Y) < 0.05, "{what}: {}", upper(&start));
            assert!(upper(&end).distance(left) < 0.05, "{what}: {}", upper(&end));
            // The body starts in its place, and walks as far as its size allows.
            let hips = |world: &WorldPose| role_position(character, world, "hips");
            assert!(hips(&start).distance(hips(&rest)) < 0.01, "{what}: {}", hips(&start));
            let expected = forward * (2.0 / 0.8 * hips(&rest).y);
            assert!((hips(&end) - hips(&start)).distance(expected) < 0.02, "{what}: {}", hips(&end));
        }
    }
}

#[test]
fn faults_of_motion_capture_files_are_reported_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let character = figure::character();
    let good = bvh(Vec3::X, Quat::IDENTITY, 1.0, &[[0.0, 0.0, 0.8], [1.0, 10.0, 0.8]]);
    let lines = good.lines().count() as u64;
    let fault = |text: &str| {
        let found = open::motions(&write_bvh(folder.path(), text), &character, &|_| true).expect_err("a fault");
        (found[0].location.line, found[0].message.to_string())
    };
    let check = |text: String, line: u64, words: &str| {
        let (found, message) = fault(&text);
        assert!(found == Some(line) && message.contains(words), "{found:?}: {message}; expected line {line}: {words}");
    };
    check(good.replacen("Xposition", "Wposition", 1), 5, "unknown channel \"Wposition\"");
    check(good.replacen("CHANNELS 6", "CHANNELS 7", 1), 5, "7 channels");
    check(good.replacen("Yposition", "Xposition", 1), 5, "twice");
    check(good.replacen("OFFSET 0.0000", "OFFSET NaN", 1), 4, "\"NaN\" is not a finite number");
    check(good.replace("Frames: 2", "Frames: 1e12"), lines - 3, "values");
    check(good.replace("Frame Time: 0.5", "Frame Time: 0"), lines - 2, "a frame time of 0 s");
    check(good.replace("Frame Time: 0.5", "Frame Time: inf"), lines - 2, "\"inf\"");
    check(format!("{} 7\n", good.trim_end()), lines, "values in a frame");
    check(good.replacen("ROOT", "JOINT", 1), 2, "found \"JOINT\"; expected ROOT");
    check(good.replace("MOTION", "MOVES"), lines - 4, "found \"MOVES\"; expected ROOT, MOTION");
    for end in (0..good.len() - 2).step_by(97) {
        assert!(!fault(&good[..end]).1.is_empty(), "cut after {end} bytes");
    }
}

#[test]
fn the_command_line_reads_motion_capture_and_the_idle_motion() {
    let folder = tempfile::tempdir().expect("a folder");
    let frames = [[0.0, 0.0, 0.8], [1.0, -80.0, 0.8]];
    let path = write_bvh(folder.path(), &bvh(Vec3::X, Quat::IDENTITY, 1.0, &frames));
    let sample = folder.path().join("girl.vrm");
    std::fs::copy("assets/sample.vrm", &sample).expect("copied");
    let run = |args: &[&std::ffi::OsStr]| {
        let output = support::yuremono_command().args(args).output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for motion in [path.as_os_str(), "idle".as_ref()] {
        let out = folder.path().join("out.csv");
        let args = ["simulate".as_ref(), sample.as_os_str(), "--motion".as_ref(), motion, "--seconds".as_ref()];
        let rest = ["0.1".as_ref(), "--overwrite".as_ref(), "--out".as_ref(), out.as_os_str()];
        let (code, _, err) = run(&[&args[..], &rest[..]].concat());
        assert_eq!(code, Some(0), "{err}");
    }
    let (code, out, err) = run(&["check".as_ref(), path.as_os_str()]);
    assert!(code == Some(0) && out.contains("BVH, 15 joints, 2 frames, 0.50 s, 15 joints humanoid"), "{out}{err}");
    std::fs::write(&path, "HIERARCHY\nROOT a\n{\nOFFSET 0 0\n").expect("written");
    let (code, out, err) = run(&["check".as_ref(), path.as_os_str()]);
    assert!(code == Some(1) && (out + &err).contains("walk.bvh:4: the file ends"), "the line is named");
}

#[test]
fn the_list_of_motions_is_searched_and_offers_to_add_a_file() {
    let mut h = viewport_harness(viewport_fixture(reduced_motion_prefs()));
    let name = support::find_label(&h, Role::Button, "Motion: ", "");
    h.get_by_role_and_label(Role::Button, &name).click();
    h.run_steps(4);
    for label in ["Still", "Idle", "Add motion…"] {
        assert!(h.get_all_by_role_and_label(Role::MenuItemRadio, label).count() > 0, "{label}");
    }
    h.get_by_role_and_label(Role::TextInput, "Search motions").focus();
    h.run_steps(2);
    h.event(Event::Text("tele".to_owned()));
    h.run_steps(3);
    assert!(h.query_by_role_and_label(Role::MenuItemRadio, "Still").is_none());
    h.get_by_role_and_label(Role::MenuItemRadio, "Teleport").click();
    h.run_steps(3);
    assert_eq!(h.state().session.playback().settings().motion, Motion::Test(TestMotion::Teleport));
    let prefs = h.state().ui.prefs();
    assert_eq!(prefs.motions.len(), 1, "the motion is remembered for the character");
}

#[test]
fn a_long_animation_is_scrubbed_and_limited_to_a_range_on_its_timeline() {
    let opened = support::sample(SolverKind::Vrm);
    let mut character = (*opened.character).clone();
    let mut dance = character.clips[0].clone();
    dance.duration = 60.0;
    character.clips.push(dance);
    let long = character.clips.len() - 1;
    let mut session = Session::new(character.into(), opened.document);
    session.handle(Command::SetMotion(Motion::Clip(long)));
    let mut h = support::window::window_harness(
        support::window::WindowFixture::new(session, Prefs::default()),
        [1440.0, 900.0],
    );
    let rect = h.get_by_role_and_label(Role::Slider, "Time in the motion").rect();
    // The text with the time is at the right.
    let at = |share: f32| pos2(rect.left() + 8.0 + share * (rect.width() - 112.0), rect.center().y);
    let seconds = |h: &Harness<'_, support::window::WindowFixture>| {
        let session = &h.state().session;
        session.playback().motion_seconds(session.character(), session.document())
    };
    let drag = |h: &mut Harness<'_, support::window::WindowFixture>, from: Pos2, to: Pos2, modifiers: Modifiers| {
        h.event(Event::PointerMoved(from));
        h.event_modifiers(
            Event::PointerButton { pos: from, button: PointerButton::Primary, pressed: true, modifiers },
            modifiers,
        );
        h.run_steps(2);
        h.event_modifiers(Event::PointerMoved(to), modifiers);
        h.run_steps(2);
        h.event_modifiers(
            Event::PointerButton { pos: to, button: PointerButton::Primary, pressed: false, modifiers },
            modifiers,
        );
        h.run_steps(2);
    };
    drag(&mut h, at(0.2), at(0.5), Modifiers::NONE);
    assert!((seconds(&h) - 30.0).abs() < 0.5, "{} s", seconds(&h));
    assert!(h.state().session.playback().settings().playing, "a motion that played plays on");

    drag(&mut h, at(0.75), at(0.25), Modifiers::SHIFT);
    let Motion::Range(range) = h.state().session.playback().settings().motion else { panic!("no range") };
    let [start, end] = range.seconds();
    assert!((start - 15.0).abs() < 0.5 && (end - 45.0).abs() < 0.5, "{start} s to {end} s");
    assert!((15.0..45.0).contains(&seconds(&h)), "{} s", seconds(&h));
    drag(&mut h, at(0.9), at(0.9), Modifiers::NONE);
    assert!((44.0..45.0).contains(&seconds(&h)), "a time after the range shows its end: {} s", seconds(&h));

    h.state_mut().session.handle(Command::SetMotion(Motion::Clip(0)));
    h.run_steps(2);
    assert!(h.query_by_role_and_label(Role::Slider, "Time in the motion").is_none());
}
