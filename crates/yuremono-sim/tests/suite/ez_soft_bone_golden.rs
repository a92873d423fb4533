//! Compares `EZSoftBone` with motion that its own code produced.

use super::bone_golden::{self as golden, MaxError, Recording, RecordingSpace, as_list, node_id, node_ids, numbers_at};
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use yuremono_sim::math::{Curve, Trs};
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Skeleton, WorldPose};
use yuremono_sim::solver::ez_soft_bone::{
    CLOSED_SIBLINGS, CONSTANT_DELTA_TIME, DAMPING, DELTA_TIME_MODE, FORCE_SCALE, GRAVITY, ITERATIONS,
    LENGTH_UNIFICATION, PARAMS, RADIUS, RESISTANCE, SIBLING_CONSTRAINTS, SIBLING_ROTATION, SLACKNESS, SLEEP_THRESHOLD,
    START_DEPTH, STIFFNESS,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, EzCollider, EzForceField, EzSetup, JointSetup, SolverKind, SystemSetup, TipSetup,
    Turbulence,
};

const FOLDER: &str = "ez-soft-bone";

/// The node of the component.
const COMPONENT_BONE: BoneId = BoneId(1);

/// A parameter of joints: its id, the name and default of the base, and the name and default of the curve along the
/// chain.
type CurvedParam = (ParamId, &'static str, f32, &'static str, [[f32; 4]; 2]);
const CURVED_PARAMS: [CurvedParam; 5] = [
    (DAMPING, "m_Damping", 0.2, "m_DampingCurve", [[0.0, 0.5, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]),
    (STIFFNESS, "m_Stiffness", 0.1, "m_StiffnessCurve", [[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]),
    (RESISTANCE, "m_Resistance", 0.9, "m_ResistanceCurve", [[0.0, 1.0, 0.0, -1.0], [1.0, 0.0, -1.0, 0.0]]),
    (SLACKNESS, "m_Slackness", 0.1, "m_SlacknessCurve", [[0.0, 1.0, 0.0, -0.2], [1.0, 0.8, -0.2, 0.0]]),
    (RADIUS, "m_Radius", 0.0, "m_RadiusCurve", [[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0]]),
];
/// Parameters of the component: numbers, toggles and choices.
const SYSTEM_PARAMS: [(ParamId, &str); 9] = [
    (START_DEPTH, "m_StartDepth"),
    (SIBLING_CONSTRAINTS, "m_SiblingConstraints"),
    (CLOSED_SIBLINGS, "m_ClosedSiblings"),
    (SIBLING_ROTATION, "m_SiblingRotationConstraints"),
    (LENGTH_UNIFICATION, "m_LengthUnification"),
    (DELTA_TIME_MODE, "m_DeltaTimeMode"),
    (CONSTANT_DELTA_TIME, "m_ConstantDeltaTime"),
    (ITERATIONS, "m_Iterations"),
    (SLEEP_THRESHOLD, "m_SleepThreshold"),
];
/// The other fields that the replay reads.
const READ_FIELDS: &[&str] = &[
    "params.m_ForceScale",
    "params.m_Gravity",
    "params.m_GravityAligner",
    "params.m_SimulateSpace",
    "params.m_RootBones",
    "params.m_EndBones",
    "colliders[].type",
    "colliders[].node",
    "colliders[].center",
    "colliders[].radius",
    "colliders[].height",
    "colliders[].direction",
    "colliders[].size",
    "colliders[].margin",
    "colliders[].inside",
    "extra.force",
    "extra.force.node",
    "extra.force.m_Conductivity",
    "extra.force.m_Force",
    "extra.force.m_Turbulence",
    "extra.force.m_TurbulenceMode",
    "extra.force.m_TimeCycle",
    "extra.force.m_CurveX",
    "extra.force.m_CurveY",
    "extra.force.m_CurveZ",
];
const CHOICE_NAMES: [&[&str]; 2] = [&["None", "Rooted", "Unified"], &["DeltaTime", "UnscaledDeltaTime", "Constant"]];

fn all_recordings() -> Vec<Recording> {
    let system = SYSTEM_PARAMS.iter().map(|(_, name)| *name);
    let params = system.chain(CURVED_PARAMS.iter().flat_map(|(_, base, _, curve, _)| [*base, *curve]));
    let fields = params.map(|name| format!("params.{name}")).chain(READ_FIELDS.iter().map(|field| (*field).to_owned()));
    golden::read_recordings(FOLDER, fields)
}

fn choice_value(value: &Value) -> Option<f32> {
    let name = value.as_str()?;
    let at = CHOICE_NAMES.iter().find_map(|choices| choices.iter().position(|c| *c == name));
    Some(at.unwrap_or_else(|| panic!("a choice {name}")) as f32)
}

fn system_values(recording: &Recording) -> ParamSet {
    let mut values = ParamSet::defaults(PARAMS);
    for (param, name) in SYSTEM_PARAMS {
        let value = recording.param_number(name).or_else(|| choice_value(recording.param(name)));
        values.set(param, value.unwrap_or(PARAMS[param.index()].default));
    }
    if let Some(scale) = recording.param_number("m_ForceScale") {
        values.set(FORCE_SCALE, scale);
    }
    let gravity = recording.param_vector("m_Gravity").unwrap_or(Vec3::ZERO);
    GRAVITY.iter().zip(gravity.to_array()).for_each(|(param, v)| _ = values.set(*param, v));
    values
}

/// The depth of a bone in its tree, its distance from the first simulated bone, and the height of its subtree.
#[derive(Clone, Copy)]
struct BoneMeasure {
    root: usize,
    depth: u32,
    distance_from_start: f32,
    max_distance_below: f32,
}

/// Measures all descendants of the roots except end bones, like the original. The keys of the result are nodes.
fn measure_tree(recording: &Recording, roots: &[BoneId]) -> BTreeMap<BoneId, BoneMeasure> {
    let skeleton = &recording.skeleton;
    let world = WorldPose::from_pose(skeleton, &yuremono_sim::rig::Pose::rest(skeleton));
    let start = recording.param_number("m_StartDepth").unwrap_or(0.0) as u32;
    let ends = node_ids(recording.param("m_EndBones"));
    let mut found: BTreeMap<BoneId, BoneMeasure> = BTreeMap::new();
    for (root, bone) in roots.iter().enumerate() {
        found.insert(*bone, BoneMeasure { root, depth: 0, distance_from_start: 0.0, max_distance_below: 0.0 });
        for bone in skeleton.subtree(*bone).into_iter().filter(|b| b != bone) {
            let parent = skeleton.parent(bone).expect("below a root");
            let Some(above) = found.get(&parent).copied().filter(|_| !ends.contains(&parent)) else { continue };
            let own = world.frame(bone).position.distance(world.frame(parent).position);
            let depth = above.depth + 1;
            let length = if depth > start { above.distance_from_start + own } else { 0.0 };
            found.insert(bone, BoneMeasure { root, depth, distance_from_start: length, max_distance_below: length });
        }
    }
    let all: Vec<BoneId> = found.keys().copied().collect();
    let below = |bone: BoneId, of: &BTreeMap<BoneId, BoneMeasure>| {
        let inside = of.iter().filter(|(other, _)| skeleton.is_ancestor(bone, **other) || **other == bone);
        inside.fold(0.0_f32, |most, (_, m)| most.max(m.distance_from_start))
    };
    let mode = choice_value(recording.param("m_LengthUnification")).unwrap_or(0.0);
    let lengths = found.clone();
    for bone in all {
        let own = lengths[&bone];
        let end = if mode >= 1.5 {
            roots.iter().fold(0.0_f32, |most, root| most.max(below(*root, &lengths)))
        } else if mode >= 0.5 {
            below(roots[own.root], &lengths)
        } else {
            below(bone, &lengths)
        };
        found.get_mut(&bone).expect("just listed").max_distance_below = end;
    }
    found
}

fn curve_or_default(recording: &Recording, name: &str, otherwise: [[f32; 4]; 2]) -> Curve {
    golden::curve_from_json(recording.param(name))
        .or_else(|| golden::curve_from_json(&json!({ "keys": otherwise })))
        .expect("a curve")
}

/// Returns the values at a tip.
fn tip_values(recording: &Recording, tip: BoneMeasure) -> ParamSet {
    let along = if tip.max_distance_below == 0.0 { 0.0 } else { tip.distance_from_start / tip.max_distance_below };
    let mut values = ParamSet::defaults(PARAMS);
    for (param, base, default, along_curve, keys) in CURVED_PARAMS {
        let base = recording.param_number(base).unwrap_or(default);
        values.set(param, base * curve_or_default(recording, along_curve, keys).eval(along));
    }
    values
}

/// Returns a joint with these tips. There is at least one.
fn joint_setup(recording: &Recording, bone: BoneId, tips: &[(BoneId, BoneMeasure)], colliders: u32) -> JointSetup {
    let values: Vec<ParamSet> = tips.iter().map(|(_, tip)| tip_values(recording, *tip)).collect();
    JointSetup {
        tip: TipSetup::Bones(tips.iter().map(|(tip, _)| *tip).collect()),
        colliders: (0..colliders).collect(),
        chain: tips[0].1.root as u32,
        tip_values: if tips.len() > 1 { values.clone() } else { Vec::new() },
        ..JointSetup::new(bone, values[0].clone())
    }
}

/// Returns the component of a recording. Adds nodes for the colliders to the skeleton.
fn recorded_setup(recording: &mut Recording) -> SystemSetup {
    let roots = node_ids(recording.param("m_RootBones"));
    let measured = measure_tree(recording, &roots);
    let count = as_list(&recording.json["colliders"]).len() as u32;
    let mut joints = Vec::new();
    for bone in roots.iter().flat_map(|root| recording.skeleton.subtree(*root)).filter(|b| measured.contains_key(b)) {
        let children = recording.skeleton.children(bone).iter().copied();
        let tips: Vec<_> = children.filter_map(|child| Some((child, *measured.get(&child)?))).collect();
        if !tips.is_empty() {
            joints.push(joint_setup(recording, bone, &tips, count));
        }
    }
    let reference = |name: &str| recording.param(name).get("node").map(|_| node_id(recording.param(name)));
    let mut ez = EzSetup {
        simulate_space: reference("m_SimulateSpace"),
        gravity_aligner: reference("m_GravityAligner"),
        force_field: force_field(recording),
        colliders: Vec::new(),
    };
    let values = system_values(recording);
    let mut colliders = Vec::new();
    for json in as_list(&recording.json["colliders"]).to_vec() {
        colliders.push(collider_setup(&json, &mut recording.skeleton, recording.space));
        ez.colliders.push(EzCollider { margin: json["margin"].as_f64().expect("metres") as f32, hull: None });
    }
    SystemSetup {
        joints,
        colliders,
        component: Some(COMPONENT_BONE),
        ez_soft_bone: ez,
        ..SystemSetup::new(SolverKind::EzSoftBone, values)
    }
}

fn force_field(recording: &Recording) -> Option<EzForceField> {
    let force = recording.json["extra"].get("force")?;
    let number = |name: &str| force[name].as_f64().expect("a number") as f32;
    assert_eq!(force["m_TurbulenceMode"], "Curve", "no recording uses noise");
    let curves =
        ["m_CurveX", "m_CurveY", "m_CurveZ"].map(|name| golden::curve_from_json(&force[name]).expect("a curve"));
    Some(EzForceField {
        bone: node_id(&force["node"]),
        enabled: true,
        conductivity: number("m_Conductivity"),
        force: number("m_Force"),
        turbulence: recording.space.vector_to_gltf(numbers_at(&force["m_Turbulence"], 0)),
        mode: Turbulence::Curve { cycle: number("m_TimeCycle"), curves: Box::new(curves) },
    })
}

/// Returns a collider shape along Y on its own node, which is a child of the collider's node.
fn collider_setup(json: &Value, skeleton: &mut Skeleton, space: RecordingSpace) -> ColliderSetup {
    let number = |name: &str| json[name].as_f64().expect("a number") as f32;
    let inside = json["inside"].as_bool().expect("a switch");
    let kind = json["type"].as_str().expect("a type");
    // A cylinder follows its node's transform: Unity's cylinder has a radius of 0.5 m and extends 1 m to each side.
    let center = if kind == "cylinder" { Vec3::ZERO } else { space.vector_to_gltf(numbers_at(&json["center"], 0)) };
    let mut local = Trs::from_translation(center);
    let shape = match (kind, inside) {
        ("cylinder", false) => ColliderShape::Cylinder { radius: 0.5, height: 2.0, inside: false },
        ("cylinder", true) => ColliderShape::Cylinder { radius: 0.5, height: 2.0, inside: true },
        ("sphere", false) => ColliderShape::Sphere { radius: number("radius"), inside: false },
        ("sphere", true) => ColliderShape::Sphere { radius: number("radius"), inside: true },
        ("capsule", _) => {
            let (radius, height) = (number("radius"), number("height") - 2.0 * number("radius"));
            let axis = [Vec3::X, Vec3::Y, Vec3::Z][json["direction"].as_u64().expect("an axis") as usize];
            local.rotation = Quat::from_rotation_arc(Vec3::Y, axis);
            local.translation -= axis * (height * 0.5);
            ColliderShape::Capsule { radius, height, inside }
        }
        ("box", _) => {
            let [width, height, depth] = numbers_at(&json["size"], 0);
            ColliderShape::Box { width, height, depth, inside }
        }
        (other, _) => panic!("a collider {other}"),
    };
    let bone = Bone { name: "collider".to_owned(), parent: Some(node_id(&json["node"])), rest: local };
    ColliderSetup::new(skeleton.push(bone).expect("its parent is there"), shape)
}

fn is_reproduced(worst: &MaxError, (position, rotation): (f64, f64)) -> bool {
    worst.position <= position && worst.rotation <= rotation
}

#[test]
fn every_recording_is_reproduced() {
    let replay = |recording: Recording| {
        let (worst, tolerance) = (recording.replay(recorded_setup), recording.tolerance());
        (recording.name, (worst, tolerance))
    };
    golden::check_replays(FOLDER, &all_recordings().into_iter().map(replay).collect());
}

/// A name, and a change of a force field.
type ForceFieldChange = (&'static str, fn(&mut EzForceField));

/// Builds a changed setup of a recording.
type AlterSetup = Box<dyn Fn(&mut Recording) -> SystemSetup>;

/// Returns variants of a recording's setup with one change each. The replay of each variant must differ from the
/// recording.
fn altered_setups(recording: &Recording) -> Vec<(String, AlterSetup)> {
    let whole = recorded_setup(&mut recording.clone());
    let mut found: Vec<(String, AlterSetup)> = Vec::new();
    let params = recording.json["params"].as_object().expect("an object").clone();
    for name in params.keys().filter(|name| *name != "m_RootBones").cloned() {
        let param = name.clone();
        let without = move |recording: &mut Recording| {
            recording.json["params"][&param] = Value::Null;
            recorded_setup(recording)
        };
        // Parameters at the default of the original are skipped.
        if without(&mut recording.clone()) != whole {
            found.push((name, Box::new(without)));
        }
    }
    let mut alter = |name: String, change: Box<dyn Fn(&mut SystemSetup)>| {
        let other = move |recording: &mut Recording| {
            let mut other = recorded_setup(recording);
            change(&mut other);
            other
        };
        found.push((name, Box::new(other)));
    };
    for i in 0..whole.colliders.len() {
        alter(format!("collider {i}"), Box::new(move |setup| setup.colliders[i].enabled = false));
        if whole.ez_soft_bone.colliders[i].margin != 0.0 {
            alter(
                format!("margin of collider {i}"),
                Box::new(move |setup| setup.ez_soft_bone.colliders[i].margin = 0.0),
            );
        }
    }
    if whole.ez_soft_bone.force_field.is_some() {
        let changes: [ForceFieldChange; 4] = [
            ("m_Conductivity", |field| field.conductivity = 0.0),
            ("m_Force", |field| field.force = 1.0),
            ("m_Turbulence", |field| field.turbulence.y = 0.0),
            ("m_TimeCycle and curves", |field| field.mode = Turbulence::default_curves()),
        ];
        for (name, change) in changes {
            let alters =
                move |setup: &mut SystemSetup| change(setup.ez_soft_bone.force_field.as_mut().expect("a field"));
            alter(name.to_owned(), Box::new(alters));
        }
    }
    for i in 0..recording.live_changes().len() {
        let params = params.clone();
        let without = move |recording: &mut Recording| {
            let (_, field, value) = recording.live_changes()[i];
            let (field, value) = (field.to_owned(), value.clone());
            if recording.json["params"][&field] == value {
                recording.json["params"][&field] = params[&field].clone();
            }
            recorded_setup(recording)
        };
        found.push((format!("live change {i}"), Box::new(without)));
    }
    found
}

#[test]
fn changing_any_recorded_param_or_collider_breaks_its_recording() {
    let (mut reported, mut idle) = (0, Vec::new());
    for recording in all_recordings() {
        for (name, other) in altered_setups(&recording) {
            let worst = recording.replay(other);
            if is_reproduced(&worst, recording.tolerance()) {
                idle.push(format!("{}: {name} ({:.1e} m)", recording.name, worst.position));
            }
            reported += 1;
        }
    }
    assert!(idle.is_empty(), "these changes have no effect: {idle:#?}");
    assert!(reported > 20, "only {reported} values are set");
}
