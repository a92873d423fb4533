//! Compares node constraints with three-vrm, and tests that playback and baking evaluate them.

use glam::{DQuat, Quat, Vec3};
use serde_json::Value;
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::open;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_session::{BakeJob, BakeOptions, Command, Motion, Session};
use yuremono_sim::math::lerp_shortest;
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip, Pose, Skeleton, WorldPose};

const FOLDER: &str = "tests/golden/node-constraints";
const TOLERANCE_DEGREES: f64 = 0.01;
const TOLERANCE_METRES: f32 = 1e-5;

fn file(name: &str) -> Vec<u8> {
    std::fs::read(crate::support::root().join(FOLDER).join(name)).expect("a readable file")
}

fn load(name: &str) -> LoadedCharacter {
    let bytes = file(name);
    let source = SourceFile { name, bytes: &bytes, read_sibling: &no_siblings };
    gltf::read(&source, &|_| true).expect("a character")
}

fn bone(skeleton: &Skeleton, name: &str) -> BoneId {
    skeleton.find(name).unwrap_or_else(|| panic!("no bone {name}"))
}

fn floats<const N: usize>(value: &Value) -> [f32; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number") as f32)
}

fn degrees_between(a: Quat, b: Quat) -> f64 {
    let off: DQuat = a.as_dquat().normalize() * b.as_dquat().normalize().inverse();
    2.0 * libm::atan2(off.xyz().length(), off.w.abs()).to_degrees()
}

/// Returns the largest difference of a recording, in degrees, and the number of compared rotations.
#[track_caller]
fn replay(name: &str) -> (f64, usize) {
    let character = load(&format!("constraints_{name}.vrm")).character;
    let truth: Value = serde_json::from_slice(&file(&format!("truth_{name}.json"))).expect("JSON");
    let skeleton = &character.skeleton;
    let (mut worst, mut count) = (0.0_f64, 0);
    for recorded in truth["poses"].as_array().expect("poses") {
        let mut pose = Pose::rest(skeleton);
        for (source, rotation) in recorded["source_local_rotations"].as_object().expect("sources") {
            pose.local[bone(skeleton, source).index()].rotation = Quat::from_array(floats(rotation)).normalize();
        }
        if recorded["hips_translation"].is_array() {
            let hips = bone(skeleton, "hips");
            pose.local[hips.index()].translation = Vec3::from(floats(&recorded["hips_translation"]));
        }
        character.constraints.apply(skeleton, &mut pose);
        let world = WorldPose::from_pose(skeleton, &pose);
        for (bone_name, expected) in recorded["expected"].as_object().expect("rotations") {
            let bone = bone(skeleton, bone_name);
            let local = degrees_between(pose.local[bone.index()].rotation, quat(&expected["local_rotation"]));
            let in_world = degrees_between(world.frame(bone).rotation, quat(&expected["world_rotation"]));
            let place = world.frame(bone).position.distance(Vec3::from(floats(&expected["world_position"])));
            assert!(place < TOLERANCE_METRES, "{name}, {}, {bone_name}: {place} m", recorded["name"]);
            let off = local.max(in_world);
            assert!(off < TOLERANCE_DEGREES, "{name}, {}, {bone_name}: {off} degrees", recorded["name"]);
            (worst, count) = (worst.max(off), count + 1);
        }
    }
    (worst, count)
}

fn quat(value: &Value) -> Quat {
    Quat::from_array(floats(value))
}

#[test]
fn every_recording_of_three_vrm_is_reproduced() {
    for (name, rotations) in [("basic", 56), ("hard", 56)] {
        let (worst, count) = replay(name);
        println!("{name}: {count} rotations, worst {worst:.5} degrees");
        assert_eq!(count, rotations, "{name}");
    }
}

#[track_caller]
fn check_bad(name: &str, kept: &[&str], expected: &[&str]) {
    let loaded = load(name);
    let skeleton = &loaded.character.skeleton;
    let names: Vec<_> = loaded.character.constraints.iter().map(|c| skeleton.name(c.bone)).collect();
    assert_eq!(names, kept, "{name}");
    let found: Vec<String> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let expected: Vec<String> = expected.iter().map(|text| format!("{name}#/nodes/{text}")).collect();
    assert_eq!(found, expected, "{name}");
    let mut pose = Pose::rest(skeleton);
    loaded.character.constraints.apply(skeleton, &mut pose);
    assert!(pose.local.iter().all(|local| local.is_finite()), "{name}");
}

#[test]
fn unusable_constraints_are_left_out_and_reported() {
    const AT: &str = "extensions/VRMC_node_constraint";
    check_bad(
        "bad_cycle.vrm",
        &[],
        &[
            &format!(
                "20/{AT}: the source of the constraint of \"a\" depends on \"a\" itself; the constraint is left out"
            ),
            &format!(
                "21/{AT}: the source of the constraint of \"b\" depends on \"b\" itself; the constraint is left out"
            ),
        ],
    );
    check_bad(
        "bad_self_source.vrm",
        &[],
        &[&format!("20/{AT}/constraint/rotation/source: \"a\" is its own source; the constraint is left out")],
    );
    check_bad(
        "bad_missing_source.vrm",
        &[],
        &[&format!(
            "20/{AT}/constraint/rotation/source: there is no node 9999; the file has 22; the constraint is left out"
        )],
    );
    check_bad(
        "bad_axis_and_weight.vrm",
        &[],
        &[
            &format!(
                "20/{AT}/constraint/roll/rollAxis: there is no axis \"W\"; one of X, Y, Z was expected; the constraint is left out"
            ),
            &format!("21/{AT}/constraint: exactly one of roll, aim, rotation was expected; the constraint is left out"),
        ],
    );
}

#[test]
fn a_source_in_the_place_of_the_bone_keeps_the_rest_rotation() {
    check_bad("bad_aim_same_place.vrm", &["a"], &[]);
    let character = load("bad_aim_same_place.vrm").character;
    let mut pose = Pose::rest(&character.skeleton);
    character.constraints.apply(&character.skeleton, &mut pose);
    assert_eq!(pose, Pose::rest(&character.skeleton));
}

#[test]
fn a_roll_between_its_parent_and_its_source_takes_half_of_the_twist() {
    let character = load("edge_source_below_destination.vrm").character;
    let skeleton = &character.skeleton;
    let mut pose = Pose::rest(skeleton);
    pose.local[bone(skeleton, "end").index()].rotation = Quat::from_rotation_x(1.2);
    character.constraints.apply(skeleton, &mut pose);
    let off = degrees_between(pose.local[bone(skeleton, "mid").index()].rotation, Quat::from_rotation_x(0.6));
    assert!(off < TOLERANCE_DEGREES, "{off}");
}

/// A session that plays a clip of one second, in which the left hand turns by 90 degrees.
fn session_with_turning_hand() -> Session {
    let bytes = file("constraints_basic.vrm");
    let source = SourceFile { name: "constraints_basic.vrm", bytes: &bytes, read_sibling: &no_siblings };
    let opened = open::character_from_source(&source, &|_| true).expect("a character");
    let mut character = (*opened.character).clone();
    let hand = bone(&character.skeleton, "leftHand");
    let turns = vec![Quat::IDENTITY, Quat::from_rotation_x(std::f32::consts::FRAC_PI_2)];
    character.clips.push(Clip {
        name: "turn".to_owned(),
        duration: 1.0,
        channels: vec![Channel {
            bone: hand,
            times: vec![0.0, 1.0],
            values: ChannelValues::Rotation(turns),
            interpolation: ChannelInterpolation::Linear,
        }],
    });
    let motion = Motion::Clip(character.clips.len() - 1);
    let mut session = Session::new(character.into(), opened.document);
    session.handle(Command::SetMotion(motion));
    session.handle(Command::ResetPose);
    session
}

#[test]
fn playback_and_baking_turn_the_twist_bone_with_the_hand() {
    let mut session = session_with_turning_hand();
    (0..30).for_each(|_| session.handle(Command::StepOnce));
    let skeleton = session.character().skeleton.clone();
    let rotation = |name: &str| session.playback().displayed_pose().frame(bone(&skeleton, name)).rotation;
    let arm = rotation("leftLowerArm").inverse();
    let (hand, twist) = (arm * rotation("leftHand"), arm * rotation("L_forearm_twist"));
    assert!(degrees_between(hand, Quat::IDENTITY) > 30.0, "the hand turns");
    let half = lerp_shortest(Quat::IDENTITY, hand, 0.5);
    assert!(degrees_between(twist, half) < 0.1, "the twist bone turns half as far: {twist}");

    let mut job = BakeJob::new(&session, BakeOptions { max_error: None, looped: false, ..BakeOptions::default() })
        .expect("the options are valid");
    let baked = job.run(&|_| true).expect("not cancelled").expect("finite");
    let moved: Vec<&str> = baked.clip.channels.iter().map(|channel| skeleton.name(channel.bone)).collect();
    assert!(moved.contains(&"L_forearm_twist"), "{moved:?}");
}
