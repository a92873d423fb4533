//! Compares VRM spring bones with motion recorded from `@pixiv/three-vrm-springbone`, simulated from start to end in
//! f32.
//!
//! A recording contains a complete glTF file, which the loader reads, and events that move its nodes. The variant
//! `fresh` follows the specification, which is the solver's default. The variant `as_shipped` was recorded from the
//! unmodified three-vrm runtime, which the solver reproduces with [`PREVIEW_AS`]. `YUREMONO_GOLDEN` can name another
//! folder of recordings with the same layout.

use super::support::fields::expect_fields;
use glam::{DQuat, DVec3, Quat, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use yuremono_format::gltf::{self, LoadedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_format::vrm::{VrmColliderShape as FileShape, VrmJointTail, VrmSpringJoint, VrmSprings, VrmVersion};
use yuremono_sim::math::{Trs, shortest_arc};
use yuremono_sim::params::ParamSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, PARAMS, PREVIEW_AS, STIFFNESS, VERSION};
use yuremono_sim::{
    ColliderSetup, ColliderShape, JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, VrmJoint, World,
};

/// Tolerances of a free run in metres and degrees.
const MAX_TIP_ERROR: f64 = 1e-4;
const MAX_ROTATION_ERROR_DEG: f64 = 0.05;

/// Fields that the replay reads, and fields that describe the source of a recording. The loader reads the glTF file;
/// [`set_recorded_value`] reads `events[].values` and rejects unknown fields.
const READ_FIELDS: &[&str] = &[
    "format",
    "id",
    "category",
    "description",
    "reference",
    "reference.three_vrm_springbone",
    "reference.three",
    "reference.arithmetic",
    "gltf",
    "frames",
    "dt",
    "dts",
    "motion",
    "motion[].node",
    "motion[].path",
    "motion[].values",
    "events",
    "events[].frame",
    "events[].type",
    "events[].joints",
    "events[].values",
    "joints",
    "joints[].head",
    "joints[].tail",
    "fresh",
    "fresh.rotations",
    "fresh.tails",
    "as_shipped",
    "as_shipped.rotations",
    "as_shipped.tails",
    "checks",
    "checks.max_tail_diff_as_shipped_vs_fresh_m",
    "checks.max_angle_diff_as_shipped_vs_fresh_deg",
    "checks.fresh_tail_vs_fk_m",
    "checks.as_shipped_tail_vs_fk_m",
    "checks.nan",
];

/// Recordings of the unmodified runtime that f32 cannot reproduce, each with the reason.
const NOT_REPRODUCIBLE: &[(&str, &str)] = &[
    (
        "center_root_teleport",
        "bones are ten metres long for one frame; the later motion depends on the last digits of f32",
    ),
    ("moveroot_teleport", "bones of three metres for one frame cost a digit: 0.063 degrees"),
];

/// The name of a recorded runtime, and the [`PREVIEW_AS`] value that reproduces it.
const FRESH: (&str, f32) = ("fresh", 0.0);
const AS_SHIPPED: (&str, f32) = ("as_shipped", 2.0);

fn recording_paths() -> Vec<PathBuf> {
    let folder = std::env::var_os("YUREMONO_GOLDEN")
        .map_or_else(|| crate::support::root().join("tests/golden"), PathBuf::from)
        .join("vrm");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|err| panic!("{}: {err}", folder.display()))
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.to_string_lossy().ends_with(".json.gz"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there is no recording in {}", folder.display());
    files
}

fn read_recording(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a readable recording");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped JSON");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let mut reported = json.clone();
    // The loader and `set_recorded_value` check these fields.
    reported["gltf"].take();
    for event in reported["events"].as_array_mut().into_iter().flatten().filter(|event| event.get("values").is_some()) {
        event["values"].take();
    }
    expect_fields(&path.display().to_string(), &reported, READ_FIELDS);
    assert_eq!(json["format"], "vrm-springbone-golden/1", "{}", path.display());
    json
}

fn list_from_json(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn numbers_from_json<const N: usize>(value: &Value) -> [f64; N] {
    std::array::from_fn(|i| value[i].as_f64().expect("a number"))
}

fn vec3_from_json(value: &Value) -> Vec3 {
    DVec3::from_array(numbers_from_json(value)).as_vec3()
}

fn index_from_json(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

/// A recording, converted to the input of a world.
struct VrmReplay<'a> {
    recording: &'a Value,
    world: World,
    setup: SystemSetup,
    pose: Pose,
    /// The bone of each glTF node.
    bones: Vec<BoneId>,
    /// The index and bone of each recorded joint.
    joints: Vec<(JointIndex, BoneId)>,
}

impl<'a> VrmReplay<'a> {
    fn new(recording: &'a Value, preview: f32) -> Self {
        let json = serde_json::to_vec(&recording["gltf"]).expect("JSON");
        let loaded =
            gltf::read(&SourceFile { name: "recording.gltf", bytes: &json, read_sibling: &no_siblings }, &|_| true)
                .expect("the file loads");
        let LoadedCharacter { character, spring_bones: springs, .. } = loaded;
        let springs = springs.expect("springs");
        let mut skeleton = character.skeleton.clone();
        let name = |node: &Value| node["name"].as_str().expect("a name").to_owned();
        let nodes = list_from_json(&recording["gltf"]["nodes"]).iter();
        let bones: Vec<_> = nodes.map(|node| skeleton.find(&name(node)).expect("each node is a bone")).collect();
        let mut setup = system_setup(&springs, &mut skeleton);
        setup.values.set(PREVIEW_AS, preview);
        let place: BTreeMap<_, _> = setup.joints.iter().enumerate().map(|(i, j)| (j.bone, i as u32)).collect();
        let joints: Vec<_> = list_from_json(&recording["joints"])
            .iter()
            .map(|pair| {
                let bone = bones[index_from_json(&pair["head"])];
                let joint = place[&bone];
                let tail = match &setup.joints[joint as usize].tip {
                    TipSetup::Bones(tips) => i64::from(tips[0] == bones[index_from_json(&pair["tail"])]) - 1,
                    TipSetup::Offset(_) => pair["tail"].as_i64().expect("an index") + 1,
                };
                assert_eq!(tail, 0, "the loader finds a tail other than {pair}");
                (JointIndex { system: 0, joint }, bone)
            })
            .collect();
        assert_eq!(joints.len(), setup.joints.len(), "the loader finds other joints");
        let world = World::build(&skeleton, std::slice::from_ref(&setup));
        Self { recording, world, setup, pose: Pose::rest(&skeleton), bones, joints }
    }

    /// Returns the largest errors of tips in metres and of rotations in degrees over all frames.
    fn run(mut self, variant: &str) -> (f64, f64) {
        let mut worst = (0.0_f64, 0.0_f64);
        for frame in 0..index_from_json(&self.recording["frames"]) {
            self.move_nodes(frame);
            for event in
                list_from_json(&self.recording["events"]).iter().filter(|e| index_from_json(&e["frame"]) == frame)
            {
                self.apply_event(event);
            }
            let dt = self.recording["dts"][frame].as_f64().or(self.recording["dt"].as_f64()).expect("a time") as f32;
            self.world.step(&StepInput { pose: &self.pose, grab: None, dt });
            let (tip, turn) = self.frame_error(&self.recording[variant], frame);
            worst = (worst.0.max(tip), worst.1.max(turn));
        }
        worst
    }

    fn move_nodes(&mut self, frame: usize) {
        for channel in list_from_json(&self.recording["motion"]) {
            let local = &mut self.pose.local[self.bones[index_from_json(&channel["node"])].index()];
            let value = &channel["values"][frame];
            match channel["path"].as_str().expect("a path") {
                "translation" => local.translation = vec3_from_json(value),
                "scale" => local.scale = vec3_from_json(value),
                "rotation" => local.rotation = DQuat::from_array(numbers_from_json(value)).as_quat().normalize(),
                other => panic!("a channel for {other}"),
            }
        }
    }

    fn apply_event(&mut self, event: &Value) {
        match event["type"].as_str().expect("a type") {
            "reset" => self.world.reset(&self.pose),
            "setInitState" => self.world.set_rest_pose(&self.pose),
            "set" => {
                let chosen = event["joints"].as_array().map(|a| a.iter().map(index_from_json).collect::<Vec<_>>());
                let chosen = chosen.unwrap_or_else(|| (0..self.joints.len()).collect());
                for joint in chosen {
                    let values = &mut self.setup.joints[self.joints[joint].0.joint as usize].values;
                    for (name, value) in event["values"].as_object().expect("values") {
                        set_recorded_value(values, name, value);
                    }
                }
                self.world.bake(std::slice::from_ref(&self.setup));
            }
            other => panic!("an event {other}"),
        }
    }

    fn frame_error(&self, variant: &Value, frame: usize) -> (f64, f64) {
        let mut worst = (0.0_f64, 0.0_f64);
        for (i, (joint, bone)) in self.joints.iter().enumerate() {
            let tip = self.world.tip(*joint).expect("a joint").as_dvec3();
            worst.0 = worst.0.max(tip.distance(DVec3::from_array(numbers_from_json(&variant["tails"][frame][i]))));
            let expected = DQuat::from_array(numbers_from_json(&variant["rotations"][frame][i]));
            let found = self.world.pose().local[bone.index()].rotation.as_dquat();
            worst.1 = worst.1.max(degrees_between(found, expected));
        }
        assert!(worst.0.is_finite() && worst.1.is_finite(), "not a number");
        worst
    }
}

/// Returns the angle between two rotations. An arc cosine would lose half the digits.
fn degrees_between(a: DQuat, b: DQuat) -> f64 {
    let off = a * b.inverse();
    2.0 * libm::atan2(off.xyz().length(), off.w.abs()).to_degrees()
}

fn set_recorded_value(values: &mut ParamSet, name: &str, value: &Value) {
    let param = match name {
        "stiffness" => STIFFNESS,
        "gravityPower" => GRAVITY_POWER,
        "dragForce" => DRAG,
        "hitRadius" => HIT_RADIUS,
        "gravityDir" => {
            GRAVITY_DIR.iter().zip(vec3_from_json(value).to_array()).for_each(|(param, v)| _ = values.set(*param, v));
            return;
        }
        other => panic!("a setting {other}"),
    };
    values.set(param, value.as_f64().expect("a number") as f32);
}

/// Returns the springs of the file as input of the solver. Adds the collider nodes to the skeleton.
fn system_setup(springs: &VrmSprings, skeleton: &mut Skeleton) -> SystemSetup {
    let mut setup = SystemSetup::new(SolverKind::Vrm, ParamSet::defaults(PARAMS));
    setup.values.set(VERSION, f32::from(u8::from(springs.version == VrmVersion::V0)));
    for (i, collider) in springs.colliders.iter().enumerate() {
        let (local, shape) = helper_transform_and_shape(collider.shape);
        let bone = Bone { name: format!("collider {i}"), parent: Some(collider.bone), rest: local };
        let bone = skeleton.push(bone).expect("its parent exists");
        setup.colliders.push(ColliderSetup::new(bone, shape));
    }
    for (at, chain) in springs.chains.iter().enumerate() {
        let groups = chain.collider_groups.iter().map(|g| &springs.collider_groups[*g]);
        let colliders: Vec<u32> = groups.flat_map(|g| &g.colliders).map(|c| *c as u32).collect();
        for joint in &chain.joints {
            setup.joints.push(JointSetup {
                bone: joint.bone,
                tip: match joint.tail {
                    VrmJointTail::Bone(bone) => TipSetup::Bones(vec![bone]),
                    VrmJointTail::Offset(offset) => TipSetup::Offset(offset),
                },
                values: joint_params(joint),
                tip_values: Vec::new(),
                pivot: None,
                length_targets: Vec::new(),
                colliders: colliders.clone(),
                chain: at as u32,
                enabled: true,
                animated: false,
            });
            setup.vrm.push(VrmJoint { center: chain.center, limit: None });
        }
    }
    setup
}

fn joint_params(joint: &VrmSpringJoint) -> ParamSet {
    let mut values = ParamSet::defaults(PARAMS);
    let numbers = [
        (STIFFNESS, joint.stiffness),
        (GRAVITY_POWER, joint.gravity_power),
        (DRAG, joint.drag),
        (HIT_RADIUS, joint.hit_radius),
    ];
    let direction = GRAVITY_DIR.into_iter().zip(joint.gravity_dir.to_array());
    numbers.into_iter().chain(direction).for_each(|(param, value)| _ = values.set(param, value));
    values
}

/// Converts a shape of the file. Returns the transform of a helper node relative to its bone, and the shape relative to
/// the node.
fn helper_transform_and_shape(shape: FileShape) -> (Trs, ColliderShape) {
    let node = |translation, rotation| Trs { translation, rotation, scale: Vec3::ONE };
    match shape {
        FileShape::Sphere { offset, radius, inside: false } => {
            (node(offset, Quat::IDENTITY), ColliderShape::Sphere { radius, inside: false })
        }
        FileShape::Sphere { offset, radius, inside: true } => {
            (node(offset, Quat::IDENTITY), ColliderShape::Sphere { radius, inside: true })
        }
        FileShape::Capsule { offset, tail, radius, inside } => {
            let height = (tail - offset).length();
            let along = (tail - offset).try_normalize().unwrap_or(Vec3::Y);
            let shape = ColliderShape::Capsule { radius, height, inside };
            (node(offset, shortest_arc(Vec3::Y, along)), shape)
        }
        FileShape::Plane { offset, normal } => (node(offset, shortest_arc(Vec3::Z, normal)), ColliderShape::Plane),
    }
}

#[expect(clippy::print_stdout, reason = "developers compare the worst errors after a change")]
fn check_recordings((variant, preview): (&str, f32), left_out: impl Fn(&str) -> Option<&'static str>) {
    let (mut passed, mut out, mut failed) = (0, Vec::new(), Vec::new());
    let mut worst = (0.0_f64, 0.0_f64);
    for path in recording_paths() {
        let recording = read_recording(&path);
        let name = recording["id"].as_str().expect("an id").to_owned();
        let (tip, turn) = VrmReplay::new(&recording, preview).run(variant);
        println!("{variant} {name}: {tip:.1e} m {turn:.1e} deg");
        let held = tip <= MAX_TIP_ERROR && turn <= MAX_ROTATION_ERROR_DEG;
        if let Some(why) = left_out(&name) {
            out.push(format!("{name} ({why})"));
        } else if held {
            passed += 1;
            worst = (worst.0.max(tip), worst.1.max(turn));
        } else {
            failed.push(format!("{name}: {tip:.1e} m, {turn:.1e} deg"));
        }
    }
    println!(
        "{variant}: {passed} recordings match (worst {:.1e} m, {:.1e} deg), {} fail, {} are left out: {}",
        worst.0,
        worst.1,
        failed.len(),
        out.len(),
        out.join(", ")
    );
    assert!(passed > 0, "no recording was compared");
    assert!(failed.is_empty(), "these recordings are not reproduced:\n{}", failed.join("\n"));
}

#[test]
fn recordings_of_the_specification_are_reproduced() {
    check_recordings(FRESH, |name| {
        name.starts_with("quirk_").then_some("a shortcut of the runtime, not of the specification")
    });
}

#[test]
fn recordings_of_the_three_vrm_runtime_are_reproduced() {
    check_recordings(AS_SHIPPED, |name| NOT_REPRODUCIBLE.iter().find(|(known, _)| *known == name).map(|(_, why)| *why));
}
