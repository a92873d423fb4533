//! Tests that the committed sample character equals the output of its generator, and checks its properties.

#[path = "../../../../examples/make_sample/character/mod.rs"]
mod character;

use glam::{Quat, Vec3};
use serde_json::Value;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_sim::rig::{Character, Clip, Pose, WorldPose};

const COMMITTED: &[u8] = include_bytes!("../../../../assets/sample.vrm");
const BLENDER: &[u8] = include_bytes!("../../../../assets/sample-rig-blender.vrm");
const JAPANESE: &[u8] = include_bytes!("../../../../assets/sample-rig-japanese.vrm");

/// Returns the JSON chunk of a binary glTF file.
fn json_chunk(file: &[u8]) -> Value {
    let length = u32::from_le_bytes(file[12..16].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&file[20..20 + length]).expect("the first chunk is JSON")
}

fn open_sample(bytes: &[u8]) -> OpenedCharacter {
    let source = SourceFile { name: "sample.vrm", bytes, read_sibling: &no_siblings };
    open::character_from_source(&source, &|_| true).expect("our own file loads")
}

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    let [blender, japanese] = character::renamed_rigs().expect("the generator has no input that could fail");
    let made = character::sample_vrm().expect("the generator has no input that could fail");
    for (name, made, committed) in [
        ("sample.vrm", made.as_slice(), COMMITTED),
        ("sample-rig-blender.vrm", &blender, BLENDER),
        ("sample-rig-japanese.vrm", &japanese, JAPANESE),
    ] {
        assert!(
            made == committed,
            "assets/{name} differs: run `cargo run --example make_sample -- assets` and commit the files"
        );
    }
}

#[test]
fn the_sample_is_small() {
    assert!(COMMITTED.len() < 3_000_000, "{} bytes", COMMITTED.len());
    assert!(BLENDER.len() < 100_000 && JAPANESE.len() < 100_000);
}

#[test]
fn springs_of_the_sample_run_from_parent_to_child_and_reference_existing_groups() {
    let file = json_chunk(COMMITTED);
    let spring_bone = &file["extensions"]["VRMC_springBone"];
    let groups = spring_bone["colliderGroups"].as_array().expect("groups").len();
    let mut seen = Vec::new();
    for spring in spring_bone["springs"].as_array().expect("springs") {
        let name = &spring["name"];
        let nodes: Vec<u64> =
            spring["joints"].as_array().expect("joints").iter().filter_map(|j| j["node"].as_u64()).collect();
        assert!(nodes.len() >= 2, "{name} has no tip");
        for pair in nodes.windows(2) {
            let children = file["nodes"][pair[0] as usize]["children"].as_array().expect("a joint has a child");
            assert!(children.contains(&Value::from(pair[1])), "{name}: {} is not a child of {}", pair[1], pair[0]);
        }
        assert!(nodes.iter().all(|n| !seen.contains(n)), "{name} shares a joint with another spring");
        seen.extend(nodes);
        let avoids = spring["colliderGroups"].as_array().expect("groups");
        assert!(avoids.iter().all(|g| g.as_u64().is_some_and(|g| (g as usize) < groups)), "{name}");
    }
}

#[test]
fn the_sample_has_every_bone_that_a_humanoid_needs_and_stands_on_the_ground() {
    let file = json_chunk(COMMITTED);
    let bones = &file["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"];
    let limbs = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes"].map(str::to_owned);
    let fingers = ["Index", "Middle", "Ring", "Little"]
        .into_iter()
        .flat_map(|finger| ["Proximal", "Intermediate", "Distal"].map(|part| format!("{finger}{part}")));
    let thumb = ["Metacarpal", "Proximal", "Distal"].map(|part| format!("Thumb{part}"));
    let sides = limbs.into_iter().chain(fingers).chain(thumb);
    let sides = sides.flat_map(|part| [format!("left{part}"), format!("right{part}")]);
    let middle = ["hips", "spine", "chest", "upperChest", "neck", "head"].map(str::to_owned);
    for role in middle.into_iter().chain(sides) {
        assert!(bones[&role]["node"].is_u64(), "{role} is missing");
    }
    let primitives = file["meshes"].as_array().expect("meshes").iter().filter_map(|m| m["primitives"].as_array());
    let primitives: Vec<&Value> = primitives.flatten().collect();
    let heights = |edge: &str| -> Vec<f64> {
        let accessor = |p: &Value| p["attributes"]["POSITION"].as_u64().expect("positions") as usize;
        primitives.iter().filter_map(|p| file["accessors"][accessor(p)][edge][1].as_f64()).collect()
    };
    let low = heights("min").into_iter().fold(f64::MAX, f64::min);
    let high = heights("max").into_iter().fold(f64::MIN, f64::max);
    assert!(low.abs() < 0.002, "the soles are at {low}");
    assert!((1.4..1.65).contains(&high), "the character is {high} m tall");
}

#[test]
fn the_sample_rests_in_a_t_pose() {
    let character = open_sample(COMMITTED).character;
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    for (side, x) in [("left", 1.0), ("right", -1.0)] {
        let at = |part: &str| rest.frame(character.humanoid.bone(&format!("{side}{part}")).expect("a role")).position;
        let arm = (at("Hand") - at("UpperArm")).normalize();
        assert!(arm.dot(Vec3::X * x) > 0.99, "the {side} arm points to {arm}");
        let leg = (at("Foot") - at("UpperLeg")).normalize();
        assert!(leg.dot(Vec3::NEG_Y) > 0.99, "the {side} leg points to {leg}");
    }
}

#[test]
fn expressions_of_the_sample_move_vertices() {
    let file = json_chunk(COMMITTED);
    let preset = &file["extensions"]["VRMC_vrm"]["expressions"]["preset"];
    for name in ["blink", "blinkLeft", "blinkRight", "happy", "sad", "angry", "surprised", "aa", "ih", "ou", "ee", "oh"]
    {
        let binds = preset[name]["morphTargetBinds"].as_array().expect(name);
        assert!(!binds.is_empty(), "{name}");
        for bind in binds {
            let mesh = file["nodes"][bind["node"].as_u64().expect("a node") as usize]["mesh"].as_u64().expect("a mesh");
            let target = &file["meshes"][mesh as usize]["primitives"][0]["targets"]
                [bind["index"].as_u64().expect("an index") as usize]["POSITION"];
            let moved = &file["accessors"][target.as_u64().expect("a target") as usize]["sparse"]["count"];
            assert!(moved.as_u64() > Some(20), "{name} moves {moved} vertices");
        }
    }
}

#[test]
fn no_tip_of_the_sample_starts_inside_a_collider() {
    let file = json_chunk(COMMITTED);
    let character = open_sample(COMMITTED).character;
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let name = |node: &Value| file["nodes"][node.as_u64().expect("a node") as usize]["name"].as_str().expect("named");
    let frame = |node: &Value| rest.frame(character.skeleton.find(name(node)).expect("a bone"));
    let number = |value: &Value| value.as_f64().unwrap_or(0.0) as f32;
    let vector = |value: &Value| Vec3::from([0, 1, 2].map(|i| number(&value[i])));
    let spring_bone = &file["extensions"]["VRMC_springBone"];
    let mut checked = 0;
    for spring in spring_bone["springs"].as_array().expect("springs") {
        for pair in spring["joints"].as_array().expect("joints").windows(2) {
            let (tip, radius) = (frame(&pair[1]["node"]).position, number(&pair[0]["hitRadius"]));
            let groups = spring["colliderGroups"].as_array().into_iter().flatten();
            let groups = groups.map(|g| &spring_bone["colliderGroups"][g.as_u64().expect("a group") as usize]);
            for index in groups.flat_map(|g| g["colliders"].as_array().expect("colliders")) {
                let collider = &spring_bone["colliders"][index.as_u64().expect("a collider") as usize];
                let on = frame(&collider["node"]);
                let shape = &collider["shape"];
                let (ball, pill) = (&shape["sphere"], &shape["capsule"]);
                let plain = if pill.is_object() { pill } else { ball };
                let a = on.transform_point(vector(&plain["offset"]));
                let b = if pill.is_object() { on.transform_point(vector(&pill["tail"])) } else { a };
                let share = (tip - a).dot(b - a) / (b - a).length_squared().max(1e-12);
                let gap = tip.distance(a.lerp(b, share.clamp(0.0, 1.0))) - number(&plain["radius"]) - radius;
                assert!(
                    gap > -0.001,
                    "{} is {gap} m inside a collider on {}",
                    name(&pair[1]["node"]),
                    name(&collider["node"])
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 1000, "{checked} pairs");
}

fn clip<'a>(character: &'a Character, name: &str) -> &'a Clip {
    character.clips.iter().find(|c| c.name == name).unwrap_or_else(|| panic!("there is no {name}"))
}

const MOTIONS: [&str; 10] =
    ["Idle", "Walk", "Run", "Run and stop", "Jump", "Spin", "Head shake", "Sit", "Leg lift", "Squat"];

#[test]
fn every_motion_of_the_sample_ends_as_it_begins() {
    let character = open_sample(COMMITTED).character;
    assert_eq!(character.clips.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), MOTIONS);
    for name in MOTIONS {
        let clip = clip(&character, name);
        let at = |seconds: f32| {
            let mut pose = Pose::rest(&character.skeleton);
            clip.sample_clamped(seconds, &mut pose);
            pose
        };
        let (first, last) = (at(0.0), at(clip.duration));
        for (a, b) in first.local.iter().zip(&last.local) {
            let turn = 1.0 - a.rotation.dot(b.rotation).abs();
            assert!(a.translation.distance(b.translation) < 1e-3 && turn < 1e-5, "{name}: {a:?} becomes {b:?}");
        }
        let moved = (1..20_u8).any(|i| {
            let pose = at(clip.duration * f32::from(i) / 20.0);
            pose.local.iter().zip(&first.local).any(|(a, b)| Quat::angle_between(a.rotation, b.rotation) > 0.05)
        });
        assert!(moved, "{name} moves nothing");
    }
}

/// Returns the farthest slide of a foot that bears weight in metres, the number of ticks in which a foot bears weight,
/// and the lowest heel position.
fn foot_slide(character: &Character, clip: &Clip, ground_speed: f32) -> (f32, usize, f32) {
    const RATE: f32 = 120.0;
    let bones = ["leftToes", "rightToes", "leftFoot", "rightFoot"].map(|r| character.humanoid.bone(r).expect("a role"));
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let (ball, heel) = (rest.frame(bones[0]).position.y, rest.frame(bones[2]).position.y);
    let mut pose = Pose::rest(&character.skeleton);
    let mut world = rest.clone();
    let (mut worst, mut seen, mut low) = (0.0_f32, 0, f32::MAX);
    let mut standing: [Option<(f32, Vec3)>; 2] = [None; 2];
    for tick in 0..(clip.duration * RATE) as u16 {
        let seconds = f32::from(tick) / RATE;
        clip.sample_clamped(seconds, &mut pose);
        world.update(&character.skeleton, &pose);
        for side in 0..2 {
            let at = world.frame(bones[side]).position;
            low = low.min(world.frame(bones[side + 2]).position.y - heel);
            assert!(at.y > ball - 0.004, "{}: a foot is {} m below the ground", clip.name, ball - at.y);
            if at.y > ball + 0.002 {
                standing[side] = None;
                continue;
            }
            let (since, from) = *standing[side].get_or_insert((seconds, at));
            let expected = from - Vec3::Z * (ground_speed * (seconds - since));
            worst = worst.max(at.with_y(0.0).distance(expected.with_y(0.0)));
            seen += 1;
        }
    }
    (worst, seen, low)
}

#[test]
fn feet_do_not_slide_over_the_ground() {
    let character = open_sample(COMMITTED).character;
    // The speed is that of the ground below the character, in m/s.
    for (name, speed) in MOTIONS.map(|name| {
        (
            name,
            if name == "Walk" {
                0.72
            } else if name == "Run" {
                1.24 / 0.6
            } else {
                0.0
            },
        )
    }) {
        let (worst, seen, low) = foot_slide(&character, clip(&character, name), speed);
        println!("{name}: slides {:.1} mm, heel {:.1} mm", worst * 1e3, low * 1e3);
        assert!(seen > 20, "{name}: a foot bears weight in only {seen} ticks");
        assert!(worst < 0.004, "{name}: a foot slides {worst} m");
        assert!(low > -0.002, "{name}: a heel sinks {low} m");
    }
}
