//! Reads a `UnityChanSpringBone` recording, mirrors it into glTF space, and converts it to a setup.

use crate::support::fields::SCENE_FIELDS;
use crate::support::fields::expect_fields;
use glam::{Quat, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamSet, find_param};
use yuremono_sim::rig::{Bone, BoneId, Skeleton};
use yuremono_sim::{
    ColliderSetup, ColliderShape, ForceKind, ForceSetup, HighLegSetup, JointSetup, LengthTarget, SolverKind,
    SystemSetup, TipSetup, Wind,
};

/// The fields of a recorded motion in addition to those of its scene.
const MOTION_FIELDS: &[&str] = &[
    "format",
    "name",
    "description",
    "source_variant",
    "animatedBoneNames",
    "initial",
    "initial.rot",
    "initial.tip",
    "frames",
    "frames[].dt",
    "frames[].set",
    "frames[].set[].node",
    "frames[].set[].t",
    "frames[].set[].r",
    "frames[].set[].s",
    "frames[].set[].rendererEnabled",
    "frames[].set[].manager",
    "frames[].set[].isPaused",
    "frames[].set[].bone",
    "frames[].set[].collider",
    "frames[].set[].force",
    "frames[].set[].enabled",
    "output",
    "output[].rot",
    "output[].tip",
    "output[].prev",
];

/// A recorded motion of `UnityChanSpringBone`.
pub(super) struct Recording {
    pub(super) name: String,
    pub(super) skeleton: Skeleton,
    pub(super) setup: SystemSetup,
    pub(super) initial: JointStates,
    pub(super) frames: Vec<Frame>,
    /// Joint states after each frame.
    pub(super) output: Vec<JointStates>,
    pub(super) tolerance: Option<Tolerance>,
}

/// The errors of an independent f64 replay relative to the recording: tips in metres, rotations in degrees. The
/// tolerances of the tests are derived from these errors.
#[derive(Clone, Copy)]
pub(super) struct Tolerance {
    pub(super) step_tip: f64,
    pub(super) step_rotation: f64,
    pub(super) free_run_tip: f64,
    pub(super) free_run_rotation: f64,
}

/// The states of all joints at one time, in the order of the setup.
pub(super) struct JointStates {
    pub(super) rotation: Vec<Quat>,
    pub(super) tip: Vec<Vec3>,
    /// Empty before the first frame.
    pub(super) previous: Vec<Vec3>,
}

/// Changes that are applied before one step.
pub(super) struct Frame {
    pub(super) dt: f32,
    pub(super) changes: Vec<SceneChange>,
}

pub(super) enum SceneChange {
    Translate(BoneId, Vec3),
    Rotate(BoneId, Quat),
    Scale(BoneId, Vec3),
    Pause(bool),
    Joint(usize, bool),
    Force(usize, bool),
    Collider(usize, bool),
    /// Enables or disables the linked renderer of these colliders.
    Renderer(Vec<usize>, bool),
}

impl Recording {
    pub(super) fn read(path: &Path) -> Self {
        let file = parse_json(path);
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        expect_fields(&name, &file, SCENE_FIELDS.iter().chain(MOTION_FIELDS));
        assert_eq!(file["format"], "utj-springbone-golden-1", "{name}");
        let skeleton = skeleton(&file);
        let order = update_order(&file);
        let setup = setup(&file, &skeleton, &order);
        let moment = |v: &Value| joint_states(v, &order);
        Self {
            name,
            skeleton,
            setup,
            initial: moment(&file["initial"]),
            frames: list(&file["frames"]).iter().map(|frame| self::frame(frame, &file, &order)).collect(),
            output: list(&file["output"]).iter().map(moment).collect(),
            tolerance: tolerance(path),
        }
    }
}

fn parse_json(path: &Path) -> Value {
    let bytes = std::fs::read(path).expect("a readable recording");
    let mut text = String::new();
    if path.extension().is_some_and(|e| e == "gz") {
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped JSON");
    } else {
        text = String::from_utf8(bytes).expect("UTF-8");
    }
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the tolerances of a recording, from `tolerances.json` next to it.
fn tolerance(path: &Path) -> Option<Tolerance> {
    let all = path.with_file_name("tolerances.json");
    let all = all.exists().then(|| parse_json(&all))?;
    let name = path.file_name()?.to_string_lossy();
    let own = all.get(name.split('.').next()?)?;
    let wide = |key: &str| own[key].as_f64().expect("a number");
    Some(Tolerance {
        step_tip: wide("one_step_tip_err_m"),
        step_rotation: wide("one_step_rot_err_deg"),
        free_run_tip: wide("free_run_tip_err_m"),
        free_run_rotation: wide("free_run_rot_err_deg"),
    })
}

fn list(v: &Value) -> &[Value] {
    v.as_array().map_or(&[], Vec::as_slice)
}

fn number(v: &Value) -> f32 {
    v.as_f64().map_or(f32::NAN, |n| n as f32)
}

fn is_not_false(v: &Value) -> bool {
    v.as_bool() != Some(false)
}

fn floats(v: &Value) -> Vec<f32> {
    list(v).iter().map(number).collect()
}

/// Reads a vector and mirrors it from Unity space into glTF space.
fn vector(v: &Value) -> Vec3 {
    let f = floats(v);
    Vec3::new(-f[0], f[1], f[2])
}

fn rotation(v: &Value) -> Quat {
    let f = floats(v);
    Quat::from_xyzw(f[0], -f[1], -f[2], f[3])
}

fn scale(v: &Value) -> Vec3 {
    Vec3::from_slice(&floats(v))
}

fn index(v: &Value) -> Option<u32> {
    v.as_u64().map(|i| i as u32)
}

fn bone(v: &Value) -> BoneId {
    BoneId(index(v).expect("a node"))
}

/// Returns the order in which `UnityChanSpringBone` updates its bones. The joints of the setup have the same order.
fn update_order(file: &Value) -> Vec<usize> {
    list(&file["update_order"]).iter().map(|i| index(i).expect("a bone") as usize).collect()
}

fn joint_states(v: &Value, order: &[usize]) -> JointStates {
    let sorted = |key: &str| order.iter().filter_map(|i| v[key].get(*i)).collect::<Vec<_>>();
    let vectors = |key: &str| sorted(key).into_iter().map(vector).collect();
    JointStates {
        rotation: sorted("rot").into_iter().map(rotation).collect(),
        tip: vectors("tip"),
        previous: vectors("prev"),
    }
}

fn frame(v: &Value, file: &Value, order: &[usize]) -> Frame {
    let change = |set: &Value| {
        let on = |key: &str| set[key].as_bool().expect("a switch");
        let position = |key: &str| index(&set[key]).expect("a position") as usize;
        if set.get("manager").is_some() {
            return vec![SceneChange::Pause(on("isPaused"))];
        }
        if set.get("bone").is_some() {
            let joint = order.iter().position(|i| *i == position("bone")).expect("a bone");
            return vec![SceneChange::Joint(joint, on("enabled"))];
        }
        for (key, make) in
            [("force", SceneChange::Force as fn(usize, bool) -> SceneChange), ("collider", SceneChange::Collider)]
        {
            if set.get(key).is_some() {
                return vec![make(position(key), on("enabled"))];
            }
        }
        let node = bone(&set["node"]);
        let mut found = Vec::new();
        found.extend(set.get("t").map(|v| SceneChange::Translate(node, vector(v))));
        found.extend(set.get("r").map(|v| SceneChange::Rotate(node, rotation(v).normalize())));
        found.extend(set.get("s").map(|v| SceneChange::Scale(node, scale(v))));
        if set.get("rendererEnabled").is_some() {
            let linked = list(&file["colliders"]).iter().enumerate();
            let linked = linked.filter(|(_, c)| index(&c["linkedRenderer"]) == Some(node.0)).map(|(i, _)| i);
            found.push(SceneChange::Renderer(linked.collect(), on("rendererEnabled")));
        }
        assert!(!found.is_empty(), "an unknown change: {set}");
        found
    };
    Frame { dt: number(&v["dt"]), changes: list(&v["set"]).iter().flat_map(change).collect() }
}

fn skeleton(file: &Value) -> Skeleton {
    let bones = list(&file["nodes"]).iter().map(|n| Bone {
        name: n["name"].as_str().expect("a name").to_owned(),
        parent: index(&n["parent"]).map(BoneId),
        rest: Trs { translation: vector(&n["t"]), rotation: rotation(&n["r"]), scale: scale(&n["s"]) },
    });
    Skeleton::new(bones.collect()).expect("parents first")
}

fn setup(file: &Value, skeleton: &Skeleton, order: &[usize]) -> SystemSetup {
    let animated: Vec<_> = list(&file["animatedBoneNames"]).iter().filter_map(Value::as_str).collect();
    let high_leg = |h: &Value| HighLegSetup {
        bone: bone(&h["node"]),
        hip: bone(&h["hipPivot"]),
        legs: list(&h["legs"]).iter().map(|leg| [bone(&leg[0]), bone(&leg[1])]).collect(),
    };
    SystemSetup {
        joints: order.iter().map(|i| joint(&file["bones"][*i], file, skeleton, &animated)).collect(),
        colliders: list(&file["colliders"]).iter().map(|c| collider(c, file)).collect(),
        forces: list(&file["forces"]).iter().map(force).collect(),
        high_legs: list(&file["highLegs"]).iter().map(high_leg).collect(),
        ..SystemSetup::new(SolverKind::UnityChanSpringBone, manager_params(file))
    }
}

/// Returns the manager's parameters. `scaleRules` is 1 if the recording is from release 1.2.2.
fn manager_params(file: &Value) -> ParamSet {
    let manager = &file["manager"];
    let mut named = BTreeMap::new();
    for name in ["simulationFrameRate", "dynamicRatio", "bounce", "friction", "groundHeight"] {
        named.insert(name.to_owned(), number(&manager[name]));
    }
    for name in [
        "enableAngleLimits",
        "enableCollision",
        "enableLengthLimits",
        "collideWithGround",
        "isPaused",
        "automaticUpdates",
    ] {
        named.insert(name.to_owned(), f32::from(u8::from(manager[name].as_bool().expect("a switch"))));
    }
    for (axis, value) in ["x", "y", "z"].iter().zip(vector(&manager["gravity"]).to_array()) {
        named.insert(format!("gravity {axis}"), value);
    }
    let follows_scale = file["source_variant"].as_str().is_some_and(|variant| variant.contains("1.2.2"));
    named.insert("scaleRules".to_owned(), f32::from(u8::from(follows_scale)));
    param_set(named)
}

fn param_set(named: BTreeMap<String, f32>) -> ParamSet {
    let table = SolverKind::UnityChanSpringBone.info().params;
    let mut values = ParamSet::defaults(table);
    for (name, value) in named {
        values.set(find_param(table, &name).expect("a row"), value);
    }
    values
}

fn collider(c: &Value, file: &Value) -> ColliderSetup {
    let size = |key: &str| number(&c[key]);
    let shape = match c["type"].as_str().expect("a type") {
        "sphere" => ColliderShape::Sphere { radius: size("radius"), inside: false },
        "capsule" => ColliderShape::Capsule { radius: size("radius"), height: size("height"), inside: false },
        _ => ColliderShape::Panel { width: size("width"), height: size("height") },
    };
    let renderer_on =
        index(&c["linkedRenderer"]).is_none_or(|node| is_not_false(&file["nodes"][node as usize]["rendererEnabled"]));
    ColliderSetup { enabled: is_not_false(&c["enabled"]), renderer_on, ..ColliderSetup::new(bone(&c["node"]), shape) }
}

fn force(f: &Value) -> ForceSetup {
    let value = |key: &str| number(&f[key]);
    let kind = if f["type"] == "wind" {
        ForceKind::Wind(Wind {
            weight: value("weight"),
            strength: value("strength"),
            amplitude: value("amplitude"),
            period: value("period"),
            spin_period: value("spinPeriod"),
            peak_distance: value("peakDistance"),
        })
    } else {
        ForceKind::Volume { strength: value("strength") }
    };
    ForceSetup { bone: bone(&f["node"]), kind, enabled: is_not_false(&f["enabled"]) }
}

fn joint(b: &Value, file: &Value, skeleton: &Skeleton, animated: &[&str]) -> JointSetup {
    let mut named = BTreeMap::new();
    for name in ["stiffnessForce", "dragForce", "windInfluence", "angularStiffness", "radius"] {
        named.insert(name.to_owned(), number(&b[name]));
    }
    for (axis, value) in ["x", "y", "z"].iter().zip(vector(&b["springForce"]).to_array()) {
        named.insert(format!("springForce {axis}"), value);
    }
    for limit in ["yAngleLimits", "zAngleLimits"] {
        let active = b[limit]["active"].as_bool().expect("a switch");
        named.insert(format!("{limit}.active"), f32::from(u8::from(active)));
        named.insert(format!("{limit}.min"), number(&b[limit]["min"]));
        named.insert(format!("{limit}.max"), number(&b[limit]["max"]));
    }
    let id = bone(&b["node"]);
    let is_pivot = |child: &BoneId| file["nodes"][child.index()]["springBonePivot"].as_bool() == Some(true);
    let ids = |key: &str| list(&b[key]).iter().filter_map(index).collect::<Vec<_>>();
    let targets = ids("lengthLimitTargets").into_iter();
    JointSetup {
        bone: id,
        tip: TipSetup::Bones(skeleton.children(id).iter().copied().filter(|child| !is_pivot(child)).collect()),
        values: param_set(named),
        tip_values: Vec::new(),
        pivot: index(&b["pivotNode"]).map(BoneId),
        length_targets: targets.map(|node| LengthTarget { bone: BoneId(node), stiffness: None }).collect(),
        // The order is reversed, to test that the solver sorts the colliders.
        colliders: ["panelColliders", "sphereColliders", "capsuleColliders"].iter().flat_map(|key| ids(key)).collect(),
        chain: 0,
        enabled: is_not_false(&b["enabled"]),
        animated: b["name"].as_str().is_some_and(|name| animated.contains(&name)),
    }
}
