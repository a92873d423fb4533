//! Dances of `MikuMikuDance` on a character. The folder that `YUREMONO_VMD` names has `.vmd` files with their truth.

use crate::support::{self, vmd::VmdBuilder};
use glam::{Quat, Vec3};
use serde_json::Value;
use std::f32::consts::FRAC_PI_2;
use std::path::Path;
use yuremono_format::motion::{self, RetargetedMotions};
use yuremono_format::open;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_sim::diagnostics::{Diagnostic, Severity};
use yuremono_sim::rig::{Character, Facing, Pose, WorldPose};

/// Frames per second of a VMD.
const RATE: f32 = 30.0;
/// Metres per unit on a character with legs of 10 units.
const TRUTH_UNIT: f32 = 0.08;

fn character(file: &str) -> Character {
    let path = support::root().join("assets").join(file);
    (*open::character(&path, &|_| true).expect("a character").character).clone()
}

fn read(bytes: &[u8], character: &Character) -> Result<RetargetedMotions, Vec<Diagnostic>> {
    motion::read(&SourceFile { name: "dance.vmd", bytes, read_sibling: &no_siblings }, character, &|_| true)
}

/// A character and its poses in a motion.
struct Dance {
    character: Character,
    motions: RetargetedMotions,
    rest: WorldPose,
}

impl Dance {
    fn new(bytes: &[u8], character: &Character) -> Self {
        let motions = read(bytes, character).expect("a motion");
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        Self { character: character.clone(), motions, rest }
    }

    fn pose(&self, frame: f32) -> WorldPose {
        let mut pose = Pose::rest(&self.character.skeleton);
        self.motions.clips[0].sample_clamped(frame / RATE, &mut pose);
        WorldPose::from_pose(&self.character.skeleton, &pose)
    }

    /// Converts a direction or a rotation axis of a model that faces +Z to the space of the character.
    fn facing(&self) -> Quat {
        if self.character.facing == Facing::PlusZ { Quat::IDENTITY } else { Quat::from_rotation_y(2.0 * FRAC_PI_2) }
    }

    fn position_in(&self, pose: &WorldPose, role: &str) -> Vec3 {
        let bone = self.character.humanoid.bone(role).unwrap_or_else(|| panic!("no {role}"));
        self.facing().inverse() * pose.frame(bone).position
    }

    fn position(&self, role: &str, frame: f32) -> Vec3 {
        self.position_in(&self.pose(frame), role)
    }

    fn rest_position(&self, role: &str) -> Vec3 {
        self.position_in(&self.rest, role)
    }

    /// The rotation from the rest pose, in the axes of a model that faces +Z.
    fn turn(&self, role: &str, frame: f32) -> Quat {
        let bone = self.character.humanoid.bone(role).unwrap_or_else(|| panic!("no {role}"));
        let turn = self.pose(frame).frame(bone).rotation * self.rest.frame(bone).rotation.inverse();
        self.facing().inverse() * turn * self.facing()
    }

    fn direction(&self, from: &str, to: &str, frame: f32) -> Vec3 {
        (self.position(to, frame) - self.position(from, frame)).normalize()
    }

    /// Metres per MMD unit on this character.
    fn unit(&self) -> f32 {
        let [hip, knee, ankle] = ["leftUpperLeg", "leftLowerLeg", "leftFoot"].map(|role| self.rest_position(role));
        (hip.distance(knee) + knee.distance(ankle)) / 10.0
    }
}

#[track_caller]
fn assert_near(found: Vec3, expected: Vec3, tolerance: f32) {
    assert!(found.distance(expected) < tolerance, "{found}, expected {expected}");
}

#[track_caller]
fn assert_turn(found: Quat, expected: Quat) {
    let degrees = found.angle_between(expected).to_degrees();
    assert!(degrees < 0.5, "{found}, expected {expected}: {degrees}°");
}

/// The bundled characters, and variants: lowered arms, other bone axes, and facing -Z as in VRM 0.x.
fn characters() -> Vec<Character> {
    let bundled = ["sample.vrm", "sample-rig-japanese.vrm", "sample-rig-blender.vrm"].map(character);
    let variants = [support::with_lowered_arms, support::with_rotated_axes, support::turned_to_minus_z]
        .map(|variant| variant(&bundled[0]));
    bundled.into_iter().chain(variants).collect()
}

#[test]
fn feet_that_stand_still_do_not_slide_while_the_body_moves() {
    let dance = VmdBuilder::default()
        .key("センター", 0, Vec3::ZERO, Quat::IDENTITY)
        .key("センター", 30, Vec3::new(1.0, -3.0, 0.5), Quat::from_rotation_y(0.4))
        .key("下半身", 0, Vec3::ZERO, Quat::IDENTITY)
        .key("下半身", 30, Vec3::ZERO, Quat::from_rotation_z(0.2))
        .key("上半身", 15, Vec3::ZERO, Quat::from_rotation_x(0.5))
        .key("右足ＩＫ", 0, Vec3::ZERO, Quat::IDENTITY)
        .key("左足ＩＫ", 0, Vec3::ZERO, Quat::IDENTITY)
        .bytes();
    for character in characters() {
        let dance = Dance::new(&dance, &character);
        for role in ["leftFoot", "rightFoot", "leftToes", "rightToes"] {
            for quarter in 0..=120 {
                let slid = dance.position(role, quarter as f32 / 4.0).distance(dance.rest_position(role));
                assert!(slid < 0.003, "{}: {role} slides {slid} m in frame {}", character.name, quarter / 4);
            }
        }
        let sunk = dance.position("hips", 30.0).y - dance.rest_position("hips").y;
        assert!(sunk < -2.0 * dance.unit(), "{}: the hips sink by {sunk} m", character.name);
    }
}

#[test]
fn a_leg_follows_its_own_keys_while_its_ik_is_off() {
    let dance = VmdBuilder::default()
        .key("左足ＩＫ", 0, Vec3::ZERO, Quat::IDENTITY)
        .key("左足ＩＫ", 10, Vec3::new(0.0, 3.0, 0.0), Quat::IDENTITY)
        .key("左ひざ", 10, Vec3::ZERO, Quat::from_rotation_x(-0.6))
        .ik(0, &[("左足ＩＫ", true)])
        .ik(20, &[("左足ＩＫ", false)])
        .bytes();
    let dance = Dance::new(&dance, &character("sample-rig-japanese.vrm"));
    let lifted = dance.position("leftFoot", 10.0).y - dance.rest_position("leftFoot").y;
    assert!((lifted - 3.0 * dance.unit()).abs() < 0.002, "lifted by {lifted} m");
    assert_near(dance.position("leftLowerLeg", 10.0), dance.position("leftLowerLeg", 19.0), 1e-3);
}

#[test]
fn names_in_utf8_are_read_and_other_names_and_unused_keys_are_reported() {
    let turn = Quat::from_rotation_y(0.5);
    let dance = VmdBuilder::default()
        .face_and_camera_keys(3, 2)
        .raw_key("頭".as_bytes(), 30, Vec3::ZERO, turn)
        .raw_key(&[0x83, 0xff, 0x21], 30, Vec3::ZERO, turn)
        .key("ネクタイ１", 30, Vec3::ZERO, turn)
        .key("前髪", 30, Vec3::ZERO, Quat::IDENTITY)
        .key("首", 200_000_000, Vec3::ZERO, turn)
        .key("上半身", 5, Vec3::splat(f32::NAN), turn);
    let dance = Dance::new(&dance.bytes(), &character("sample-rig-japanese.vrm"));
    let text: Vec<String> = dance.motions.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "dance.vmd: 3 face keys and 2 camera keys are left out; only bones are animated",
            "dance.vmd: no humanoid bone corresponds to ネクタイ1; their keys are left out",
            "dance.vmd: 1 key has a value that is not a usable number; expected offsets up to 10000. They are left out",
            "dance.vmd: 1 key is later than 30:00; expected keys up to 30:00. They are left out",
            "dance.vmd: 1 name is in an unknown encoding; expected Shift-JIS or UTF-8. Their keys are left out",
        ]
    );
    assert_eq!((dance.motions.matched_count, dance.motions.clips[0].duration), (1, 1.0));
    // Left-handed and facing -Z: a positive turn is to the right, which is negative in glTF.
    assert_turn(dance.turn("head", 30.0), Quat::from_rotation_y(-0.5));
}

#[test]
fn damaged_files_are_refused_with_the_place_and_never_panic() {
    let whole = VmdBuilder::default().key("頭", 3, Vec3::ZERO, Quat::IDENTITY).ik(0, &[("左足ＩＫ", false)]).bytes();
    let character = character("sample-rig-japanese.vrm");
    let first = |bytes: &[u8]| read(bytes, &character).map_err(|found| found[0].to_string());
    let of_a_camera = VmdBuilder::default().face_and_camera_keys(0, 4);
    let mut too_many = whole.clone();
    too_many[50..54].copy_from_slice(&10_000_000_u32.to_le_bytes());
    assert_eq!(
        first(&too_many).expect_err("a refusal"),
        "dance.vmd: byte 50: 10000000 bone keys need more than the 161 bytes that follow. The motion is not loaded"
    );
    assert_eq!(
        first(&of_a_camera.bytes()).expect_err("a refusal"),
        "dance.vmd: the file has no usable bone key; it has 0 face keys and 4 camera keys. The motion is not loaded"
    );
    let unknown = VmdBuilder::default().key("head", 3, Vec3::ZERO, Quat::IDENTITY).bytes();
    assert_eq!(
        first(&unknown).expect_err("a refusal"),
        "dance.vmd: no bone of the dance is a known bone of MMD: head. The motion is not loaded"
    );
    let late = VmdBuilder::default().key("頭", u32::MAX, Vec3::ZERO, Quat::IDENTITY).bytes();
    let refused = read(&late, &character).expect_err("a refusal");
    assert!(refused.len() == 2 && refused[1].to_string().contains("30:00"), "{refused:?}");
    for end in 0..whole.len() {
        let cut = read(&whole[..end], &character);
        assert_eq!(cut.is_ok(), end >= 165, "cut after {end} bytes");
        let is_section_end = [165, 169, 173, 177, 181].contains(&end);
        let warns = cut.is_ok_and(|cut| cut.diagnostics.iter().any(|found| found.severity == Severity::Warning));
        assert!(end < 165 || warns != is_section_end, "cut after {end} bytes");
    }
    for seed in 0..u64::from(support::cases(400)) {
        let _ = read(&support::mutated(&whole, seed), &character);
    }
}

#[test]
fn a_dance_of_five_minutes_has_all_its_frames() {
    let mut dance = VmdBuilder::default();
    let bones = ["センター", "上半身", "頭", "左腕", "右腕", "左ひじ", "右ひじ", "左足ＩＫ", "右足ＩＫ"];
    for frame in (0..9000).step_by(5) {
        for (index, bone) in bones.iter().enumerate() {
            let phase = frame as f32 * 0.1 + index as f32;
            dance = dance.key(bone, frame, Vec3::X * libm::sinf(phase), Quat::from_rotation_y(0.3 * libm::sinf(phase)));
        }
    }
    let dance = Dance::new(&dance.bytes(), &character("sample-rig-japanese.vrm"));
    assert_eq!(dance.motions.clips[0].duration, 8995.0 / RATE);
}

fn truth(folder: &Path, name: &str) -> (Vec<u8>, Value) {
    let json = std::fs::read(folder.join(format!("{name}.truth.json"))).expect("a truth");
    let bytes = std::fs::read(folder.join(format!("{name}.vmd"))).expect("a motion");
    (bytes, serde_json::from_slice(&json).expect("JSON"))
}

fn numbers<const N: usize>(value: &Value) -> [f32; N] {
    std::array::from_fn(|at| value[at].as_f64().unwrap_or_else(|| panic!("a number in {value}")) as f32)
}

fn vec3(value: &Value) -> Vec3 {
    Vec3::from_array(numbers(value))
}

fn quat(value: &Value) -> Quat {
    Quat::from_array(numbers(value)).normalize()
}

#[test]
fn centre_torso_and_head_follow_the_truth() {
    let Some(folder) = support::folder_or_skip("YUREMONO_VMD") else { return };
    let (bytes, truth) = truth(&folder, "center_head");
    for character in characters() {
        let dance = Dance::new(&bytes, &character);
        for expected in truth["frames"].as_array().expect("frames") {
            let frame = expected["frame"].as_f64().expect("a frame") as f32;
            let offset = vec3(&expected["hips_offset_m_at_0.08"]) * (dance.unit() / TRUTH_UNIT);
            assert_near(dance.position("hips", frame), dance.rest_position("hips") + offset, 0.005);
            assert_turn(dance.turn("hips", frame), quat(&expected["hips_world_rotation"]));
            assert_turn(dance.turn("spine", frame), quat(&expected["spine_world_rotation"]));
            let forward = dance.turn("head", frame) * Vec3::Z;
            assert!(forward.angle_between(vec3(&expected["head_forward"])).to_degrees() < 0.5, "frame {frame}");
        }
    }
}

#[test]
fn legs_follow_the_truth_with_ik_and_without() {
    let Some(folder) = support::folder_or_skip("YUREMONO_VMD") else { return };
    let (bytes, truth) = truth(&folder, "knee_ik");
    for character in characters() {
        let dance = Dance::new(&bytes, &character);
        let rest_truth = &truth["frames"][0];
        for expected in truth["frames"].as_array().expect("frames") {
            let frame = expected["frame"].as_f64().expect("a frame") as f32;
            for (side, key) in [("left", "左"), ("right", "右")] {
                let role = |part: &str| format!("{side}{part}");
                let expected = &expected[key];
                if let Some(upper) = expected.get("upper_leg_local") {
                    assert_turn(dance.turn(&role("UpperLeg"), frame), quat(upper));
                    let knee = dance.turn(&role("UpperLeg"), frame).inverse() * dance.turn(&role("LowerLeg"), frame);
                    assert_turn(knee, quat(&expected["lower_leg_local"]));
                }
                if !expected["reachable"].as_bool().unwrap_or(false) {
                    continue;
                }
                let moved = vec3(&expected["ankle_target"]) - vec3(&rest_truth[key]["ankle_target"]);
                let ankle = dance.rest_position(&role("Foot")) + moved * (dance.unit() / TRUTH_UNIT);
                assert_near(dance.position(&role("Foot"), frame), ankle, 0.005);
                let [hip, knee, foot] = ["UpperLeg", "LowerLeg", "Foot"].map(|part| dance.position(&role(part), frame));
                let middle = hip.lerp(foot, hip.distance(knee) / (hip.distance(knee) + knee.distance(foot)));
                let is_bent = hip.distance(foot) < 0.95 * (hip.distance(knee) + knee.distance(foot));
                assert!(!is_bent || knee.z - middle.z > 0.05, "{}: the knee is at {knee}", character.name);
                assert!((knee.x - middle.x).abs() < 0.01, "{}: the knee is at {knee}", character.name);
            }
        }
    }
}

#[test]
fn arms_follow_the_truth_from_the_a_pose() {
    let Some(folder) = support::folder_or_skip("YUREMONO_VMD") else { return };
    let (bytes, truth) = truth(&folder, "arms_camera");
    for character in characters() {
        let dance = Dance::new(&bytes, &character);
        for expected in truth["frames"].as_array().expect("frames") {
            let frame = expected["frame"].as_f64().expect("a frame") as f32;
            let expected = &expected["model arms 35 degrees below level"];
            for (from, to, key) in [
                ("leftUpperArm", "leftLowerArm", "left_upper_arm_direction"),
                ("leftLowerArm", "leftHand", "left_forearm_direction"),
            ] {
                let degrees = dance.direction(from, to, frame).angle_between(vec3(&expected[key])).to_degrees();
                assert!(degrees < 0.5, "{}: {from} is {degrees}° off in frame {frame}", character.name);
            }
        }
        assert!(dance.motions.diagnostics.iter().any(|found| found.to_string().contains("2 camera keys")));
    }
}

#[test]
fn damaged_files_of_the_truth_are_refused_or_reported() {
    let Some(folder) = support::folder_or_skip("YUREMONO_VMD") else { return };
    let character = character("sample-rig-japanese.vrm");
    let read = |name: &str| open::motions(&folder.join(name), &character, &|_| true);
    for name in ["bad_truncated.vmd", "bad_count.vmd", "bad_magic.vmd"] {
        let refused = read(name).expect_err("a refusal");
        assert!(refused.iter().any(|found| found.severity == Severity::Error), "{name}: {refused:?}");
    }
    let numbers = read("bad_numbers.vmd").expect("a motion");
    assert!(numbers.clips[0].duration < 1.0 && numbers.diagnostics.len() == 1, "{:?}", numbers.diagnostics);
    assert!(numbers.diagnostics[0].to_string().contains("3 keys"), "{:?}", numbers.diagnostics);
    let old = Dance::new(&std::fs::read(folder.join("old_version_1.vmd")).expect("a file"), &character);
    assert_turn(old.turn("head", 30.0), Quat::from_rotation_y(-FRAC_PI_2 / 2.0));
}
