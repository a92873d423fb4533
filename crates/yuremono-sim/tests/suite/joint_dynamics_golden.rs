//! Compares `SPCRJointDynamics` with motion recorded from the original code.

use super::bone_golden::{Recording, as_list, check_replays, curve_from_json, node_id, node_ids, read_recordings};
use glam::Vec3;
use yuremono_sim::math::{Curve, CurveKey, Interpolation, Trs};
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, ParamSet, enumerate_params};
use yuremono_sim::rig::{Bone, BoneId};
use yuremono_sim::solver::joint_dynamics::{DEFAULT_CURVES, PARAMS};
use yuremono_sim::{
    ColliderSetup, ColliderShape, Grabber, JointDynamicsCollider, JointDynamicsPoint, JointSetup, SolverKind,
    SystemSetup, TipSetup,
};

const FOLDER: &str = "joint-dynamics";

/// Returns the value of a joint at a depth, from the curve of the recording or the default curve of the component.
fn joint_param_value(recording: &Recording, (param, def): (ParamId, &ParamDef), ratio: f32) -> f32 {
    let value = recording.param(def.name);
    if let Some(curve) = curve_from_json(value) {
        return curve.eval(ratio);
    }
    let own = DEFAULT_CURVES.iter().find(|(with, _)| *with == param).map(|(_, ends)| {
        let keys = vec![CurveKey::flat(0.0, ends[0]), CurveKey::flat(1.0, ends[1])];
        Curve::new(keys, Interpolation::Hermite).expect("two keys").eval(ratio)
    });
    own.unwrap_or(def.default) * recording.param_number(def.name).unwrap_or(1.0)
}

/// Returns a parameter of the system. A vector parameter is read by the axis of its row.
fn system_param_value(recording: &Recording, def: &ParamDef) -> f32 {
    if let Some(axis) = def.axis() {
        return recording.param_vector(def.entry_name).map_or(def.default, |v| v[axis]);
    }
    recording.param_number(def.name).unwrap_or(def.default)
}

/// Fields that the replay reads, in addition to the parameters.
const READ_FIELDS: &[&str] = &[
    "colliders[].type",
    "colliders[].node",
    "colliders[].radius",
    "colliders[].tailScale",
    "colliders[].height",
    "colliders[].friction",
    "colliders[].inverse",
    "colliders[].force",
    // This text states that the jobs ran in sequence.
    "extra.scheduling",
    "extra.points",
    "extra.rootPoints",
    "extra.pointRadius",
    "extra.movableLimitRadius",
];

fn all_recordings() -> Vec<Recording> {
    let params = PARAMS.iter().map(|def| format!("params.{}", def.name.split(' ').next().expect("a name")));
    read_recordings(FOLDER, params.chain(READ_FIELDS.iter().map(|field| (*field).to_owned())))
}

/// Converts a collider that is centred on its node. The result is on a separate node at the lower end of the shape.
fn collider(recording: &mut Recording, json: &serde_json::Value) -> (ColliderSetup, JointDynamicsCollider) {
    let number = |name: &str| json[name].as_f64().unwrap_or_else(|| panic!("no {name} in {json}")) as f32;
    let (radius, height, tail) = (number("radius"), number("height"), number("tailScale"));
    let tail_radius = radius * tail;
    let shape = match (height > 0.0, json["inverse"].as_bool().expect("a switch")) {
        (true, false) => ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: false },
        (true, true) => ColliderShape::TaperedCapsule { radius, tail_radius, height, inside: true },
        (false, false) => ColliderShape::Sphere { radius, inside: false },
        (false, true) => ColliderShape::Sphere { radius, inside: true },
    };
    let rest = Trs::from_translation(Vec3::new(0.0, -0.5 * height, 0.0));
    let bone = Bone { name: "lower end".to_owned(), parent: Some(node_id(&json["node"])), rest };
    let bone = recording.skeleton.push(bone).expect("its parent is there");
    let extra = JointDynamicsCollider { friction: number("friction"), ..JointDynamicsCollider::default() };
    (ColliderSetup::new(bone, shape), extra)
}

fn recorded_setup(recording: &mut Recording) -> SystemSetup {
    let extra = recording.json["extra"].clone();
    let (points, roots) = (node_ids(&extra["points"]), node_ids(&extra["rootPoints"]));
    let depth = |bone: BoneId, recording: &Recording| {
        recording.skeleton.ancestors(bone).take_while(|above| points.contains(above)).count()
    };
    let deepest = points.iter().map(|p| depth(*p, recording)).max().expect("a point") as f32;
    let mut setup = SystemSetup::new(SolverKind::JointDynamics, ParamSet::defaults(PARAMS));
    for (param, def) in enumerate_params(PARAMS).filter(|(_, def)| def.scope == ParamScope::System) {
        setup.values.set(param, system_param_value(recording, def));
    }
    setup.component = Some(BoneId(1));
    for json in as_list(&recording.json["colliders"].clone()) {
        match json["type"].as_str().expect("a type") {
            "plane" => setup.joint_dynamics.planes.push(node_id(&json["node"])),
            "grabber" => {
                let number = |name: &str| json[name].as_f64().expect("a number") as f32;
                let (radius, force) = (number("radius"), number("force"));
                let grabber = Grabber { bone: node_id(&json["node"]), radius, force, enabled: true };
                setup.joint_dynamics.grabbers.push(grabber);
            }
            "sphere" | "capsule" => {
                let (collider, extra) = collider(recording, json);
                setup.colliders.push(collider);
                setup.joint_dynamics.colliders.push(extra);
            }
            other => panic!("a collider of type {other}"),
        }
    }
    let mut values = ParamSet::defaults(PARAMS);
    for bone in &points {
        let ratio = depth(*bone, recording) as f32 / deepest;
        for (param, def) in enumerate_params(PARAMS).filter(|(_, def)| def.scope == ParamScope::Joint) {
            values.set(param, joint_param_value(recording, (param, def), ratio));
        }
        let above = recording.skeleton.ancestors(*bone).chain([*bone]);
        let root = above.into_iter().find_map(|b| roots.iter().position(|r| *r == b)).expect("a column");
        let children = recording.skeleton.children(*bone).iter().filter(|b| points.contains(b)).copied();
        setup.joints.push(JointSetup {
            bone: *bone,
            tip: TipSetup::Bones(children.collect()),
            values: values.clone(),
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: (0..setup.colliders.len() as u32).collect(),
            chain: root as u32,
            enabled: true,
            animated: false,
        });
        let number = |name: &str| extra[name].as_f64().map(|n| n as f32);
        setup.joint_dynamics.points.push(JointDynamicsPoint {
            radius: number("pointRadius").unwrap_or(0.0),
            movable_limit_radius: number("movableLimitRadius").unwrap_or(-1.0),
            ..JointDynamicsPoint::default()
        });
    }
    setup
}

#[test]
fn every_recording_is_reproduced() {
    let replays = all_recordings().into_iter().map(|recording| {
        let (worst, tolerance) = (recording.replay(recorded_setup), recording.tolerance());
        (recording.name, (worst, tolerance))
    });
    check_replays(FOLDER, &replays.collect());
}

/// A recorded parameter without effect: links keep the points so far from colliders that the point radius does not
/// matter.
const WITHOUT_EFFECT: &str = "pointRadius";

/// Whether the replay still matches the recording after `take` has removed a part of the recording.
fn matches_without(recording: &Recording, take: impl Fn(&mut serde_json::Value)) -> bool {
    let worst = recording.replay(|recording| {
        take(&mut recording.json);
        recorded_setup(recording)
    });
    let (position, rotation) = recording.tolerance();
    worst.position <= position && worst.rotation <= rotation
}

#[test]
fn removing_any_parameter_or_collider_breaks_its_recording() {
    let mut altered = 0;
    for recording in all_recordings() {
        let params: Vec<String> = recording.json["params"].as_object().expect("parameters").keys().cloned().collect();
        let colliders = as_list(&recording.json["colliders"]).len();
        let points = ["pointRadius", "movableLimitRadius"].map(|name| (name, !recording.json["extra"][name].is_null()));
        let mut check = |what: String, take: &dyn Fn(&mut serde_json::Value)| {
            altered += 1;
            assert!(!matches_without(&recording, take), "{} is reproduced without {what}", recording.name);
        };
        for name in params {
            check(name.clone(), &|json| _ = json["params"].as_object_mut().expect("parameters").remove(&name));
        }
        for i in 0..colliders {
            check(format!("collider {i}"), &|json| _ = json["colliders"].as_array_mut().expect("colliders").remove(i));
        }
        for (name, _) in points.into_iter().filter(|(name, is_set)| *is_set && *name != WITHOUT_EFFECT) {
            check(name.to_owned(), &|json| _ = json["extra"].as_object_mut().expect("more").remove(name));
        }
    }
    assert!(altered > 10, "only {altered} values were altered");
}
