//! `UnityChan` `SpringBone` against motion recorded from the original code.
//!
//! Recordings are in Unity's space; they are replayed with X mirrored. A free run is compared tip by tip; where a
//! recording is chaotic, each step is compared on its own, from the recorded state. `YUREMONO_GOLDEN` names another
//! folder with recordings of the same layout. Recordings of what the solver does not have yet are counted and named.

use glam::{Quat, Vec3};
use serde_json::Value;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, SolverKind, find_row};
use yuremono::sim::{ColliderSetup, JointIndex, JointSetup, Shape, StepInput, SystemSetup, TipSetup, World, solver};

/// Metres and degrees that one step may be off.
const TIP: f32 = 1e-4;
const TURN: f32 = 0.05;

fn golden() -> PathBuf {
    std::env::var_os("YUREMONO_GOLDEN")
        .map_or_else(|| Path::new("tests/golden").to_owned(), PathBuf::from)
        .join("unitychan")
}

fn read(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a readable recording");
    let mut text = String::new();
    if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped JSON");
    } else {
        text = String::from_utf8(bytes).expect("UTF-8");
    }
    serde_json::from_str(&text).expect("JSON")
}

fn number(v: &Value) -> f32 {
    v.as_f64().map_or(f32::NAN, |n| n as f32)
}

fn floats(v: &Value) -> Vec<f32> {
    v.as_array().expect("an array").iter().map(number).collect()
}

/// Mirrored from Unity's space.
fn vector(v: &Value) -> Vec3 {
    let f = floats(v);
    Vec3::new(-f[0], f[1], f[2])
}

fn rotation(v: &Value) -> Quat {
    let f = floats(v);
    Quat::from_xyzw(f[0], -f[1], -f[2], f[3])
}

fn index(v: &Value) -> Option<u32> {
    v.as_u64().map(|i| i as u32)
}

/// A recording as the world gets it.
struct Replay {
    world: World,
    pose: Pose,
    /// Bone of each spring bone.
    bones: Vec<BoneId>,
    recording: Value,
}

/// Why a recording cannot be replayed yet.
fn beyond(recording: &Value) -> Option<&'static str> {
    let some = |key: &str| recording[key].as_array().is_some_and(|a| !a.is_empty());
    let has = |key: &str| {
        recording["bones"].as_array().expect("bones").iter().any(|b| b[key].as_array().is_some_and(|a| !a.is_empty()))
    };
    let sets =
        || recording["frames"].as_array().expect("frames").iter().flat_map(|f| f["set"].as_array().expect("set"));
    if some("forces") {
        Some("forces")
    } else if some("highLegs") {
        Some("HighLeg")
    } else if has("panelColliders") {
        Some("panels")
    } else if has("lengthLimitTargets") {
        Some("length limits")
    } else if sets().any(|s| s.get("node").is_none() || s.get("s").is_some() || s.get("rendererEnabled").is_some()) {
        Some("switches during play")
    } else {
        None
    }
}

impl Replay {
    fn new(recording: Value) -> Self {
        let nodes = recording["nodes"].as_array().expect("nodes");
        let bones = nodes.iter().map(|n| Bone {
            name: n["name"].as_str().expect("a name").to_owned(),
            parent: index(&n["parent"]).map(BoneId),
            rest: Trs {
                translation: vector(&n["t"]),
                rotation: rotation(&n["r"]),
                scale: Vec3::from_slice(&floats(&n["s"])),
            },
        });
        let skeleton = Skeleton::new(bones.collect()).expect("parents first");
        let setup = setup(&recording, &skeleton);
        let bones = setup.joints.iter().map(|j| j.bone).collect();
        let world = World::build(&skeleton, &[setup]);
        Self { world, pose: Pose::rest(&skeleton), bones, recording }
    }

    /// Worst error of tips, metres, and of rotations, degrees, over all frames.
    fn run(&mut self, one_step: bool) -> (f32, f32) {
        let mut worst = (0.0_f32, 0.0_f32);
        let frames = self.recording["frames"].as_array().expect("frames").clone();
        let output = self.recording["output"].as_array().expect("output").clone();
        for (k, frame) in frames.iter().enumerate() {
            if one_step && k > 0 {
                self.load(&output[k - 1]);
            }
            for set in frame["set"].as_array().expect("set") {
                let node = index(&set["node"]).expect("a node") as usize;
                if let Some(t) = set.get("t") {
                    self.pose.local[node].translation = vector(t);
                }
                if let Some(r) = set.get("r") {
                    self.pose.local[node].rotation = rotation(r).normalize();
                    self.world.place_bone(BoneId(node as u32), rotation(r).normalize());
                }
            }
            self.world.step(&StepInput { pose: &self.pose, hold: None, dt: number(&frame["dt"]) });
            let (tip, turn) = self.off(&output[k]);
            worst = (worst.0.max(tip), worst.1.max(turn));
        }
        worst
    }

    fn load(&mut self, output: &Value) {
        for (i, bone) in self.bones.iter().enumerate() {
            let joint = JointIndex { system: 0, joint: i as u32 };
            self.world.place_tip(joint, vector(&output["tip"][i]), vector(&output["prev"][i]));
            self.world.place_bone(*bone, rotation(&output["rot"][i]));
        }
    }

    fn off(&self, output: &Value) -> (f32, f32) {
        let mut worst = (0.0_f32, 0.0_f32);
        for (i, bone) in self.bones.iter().enumerate() {
            let joint = JointIndex { system: 0, joint: i as u32 };
            let tip = self.world.tip(joint).expect("a joint");
            worst.0 = worst.0.max(tip.distance(vector(&output["tip"][i])));
            let (a, b) = (self.world.pose().local[bone.index()].rotation, rotation(&output["rot"][i]));
            let off = (a * b.inverse()).normalize();
            let turn = 2.0 * off.xyz().length().atan2(off.w.abs()).to_degrees();
            worst.1 = worst.1.max(turn);
        }
        assert!(worst.0.is_finite() && worst.1.is_finite(), "not a number");
        worst
    }
}

fn setup(recording: &Value, skeleton: &Skeleton) -> SystemSetup {
    let table = solver::params(SolverKind::UnityChanSpringBone);
    let mut values = ParamSet::defaults(table);
    let mut system = |name: &str, value: &Value| {
        let value = value.as_bool().map_or_else(|| number(value), |b| f32::from(u8::from(b)));
        values.set(find_row(table, name).expect("a row"), value);
    };
    let manager = &recording["manager"];
    let plain = [
        "simulationFrameRate",
        "dynamicRatio",
        "bounce",
        "friction",
        "enableAngleLimits",
        "enableCollision",
        "collideWithGround",
        "groundHeight",
    ];
    for name in plain {
        system(name, &manager[name]);
    }
    let gravity = vector(&manager["gravity"]);
    for (axis, value) in ["x", "y", "z"].iter().zip(gravity.to_array()) {
        system(&format!("gravity {axis}"), &Value::from(value));
    }
    let colliders = recording["colliders"].as_array().expect("colliders").iter().map(|c| {
        let shape = match c["type"].as_str().expect("a type") {
            "sphere" => Shape::Sphere { radius: number(&c["radius"]) },
            _ => Shape::Capsule { radius: number(&c["radius"]), height: number(&c["height"]) },
        };
        ColliderSetup::new(BoneId(index(&c["node"]).expect("a node")), shape)
    });
    let animated = recording["animatedBoneNames"].as_array().cloned().unwrap_or_default();
    let joints =
        recording["bones"].as_array().expect("bones").iter().map(|bone| joint(bone, recording, skeleton, &animated));
    SystemSetup {
        joints: joints.collect(),
        colliders: colliders.collect(),
        ..SystemSetup::new(SolverKind::UnityChanSpringBone, values.clone())
    }
}

fn joint(bone: &Value, recording: &Value, skeleton: &Skeleton, animated: &[Value]) -> JointSetup {
    let table = solver::params(SolverKind::UnityChanSpringBone);
    let mut values = ParamSet::defaults(table);
    let mut write = |name: &str, value: f32| {
        values.set(find_row(table, name).expect("a row"), value);
    };
    for name in ["stiffnessForce", "dragForce", "windInfluence", "angularStiffness", "radius"] {
        write(name, number(&bone[name]));
    }
    let force = vector(&bone["springForce"]);
    for (axis, value) in ["x", "y", "z"].iter().zip(force.to_array()) {
        write(&format!("springForce {axis}"), value);
    }
    for limit in ["yAngleLimits", "zAngleLimits"] {
        write(&format!("{limit}.active"), f32::from(u8::from(bone[limit]["active"].as_bool().expect("a bool"))));
        write(&format!("{limit}.min"), number(&bone[limit]["min"]));
        write(&format!("{limit}.max"), number(&bone[limit]["max"]));
    }
    let id = BoneId(index(&bone["node"]).expect("a node"));
    let is_pivot = |b: &BoneId| recording["nodes"][b.index()]["springBonePivot"].as_bool() == Some(true);
    let children = skeleton.children(id).iter().copied().filter(|b| !is_pivot(b)).collect();
    let list = |key: &str| bone[key].as_array().expect("a list").iter().filter_map(index).collect::<Vec<_>>();
    JointSetup {
        bone: id,
        tip: TipSetup::Bones(children),
        values,
        pivot: index(&bone["pivotNode"]).map(BoneId),
        length_targets: Vec::new(),
        colliders: [list("capsuleColliders"), list("sphereColliders")].concat(),
        chain: 0,
        enabled: bone["enabled"].as_bool() != Some(false),
        animated: animated.iter().any(|name| name.as_str() == bone["name"].as_str()),
    }
}

#[test]
fn steps_as_the_original_does() {
    let folder = golden();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|err| panic!("{}: {err}", folder.display()))
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.to_string_lossy().contains(".json") && !p.ends_with("tolerances.json"))
        .collect();
    files.sort();
    let (mut passed, mut waiting, mut failed) = (0, Vec::new(), Vec::new());
    for path in &files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let recording = read(path);
        if let Some(why) = beyond(&recording) {
            waiting.push(format!("{name} ({why})"));
            continue;
        }
        let free = Replay::new(recording.clone()).run(false);
        let steps = Replay::new(recording).run(true);
        println!(
            "{name}: one step {:.1e} m {:.1e} deg; free run {:.1e} m {:.1e} deg",
            steps.0, steps.1, free.0, free.1
        );
        if steps.0 <= TIP && steps.1 <= TURN {
            passed += 1;
        } else {
            failed.push(name);
        }
    }
    println!("{passed} recordings match, {} wait for features: {}", waiting.len(), waiting.join(", "));
    assert!(passed > 0, "there is no recording in {}", folder.display());
    assert!(failed.is_empty(), "these do not match: {}", failed.join(", "));
}
