//! Compares position-based collision with cases and a chain that were computed from the formulas in f64.

use super::bone_golden::{as_list, numbers_at, read_json, recordings_folder};
use super::support::fields::expect_fields;
use glam::{DVec3, Quat, Vec3};
use serde_json::Value;
use std::collections::BTreeMap;
use yuremono_sim::math::{Trs, shortest_arc};
use yuremono_sim::params::ParamSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::pbd_spring_bone::{
    COLLIDE_WITH_GROUND, DAMP, GRAVITY, GROUND_HEIGHT, ITERATIONS, PARAMS, POINT_SIZE, SPRING,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World, push,
};

/// The tolerance of positions in metres.
const TOLERANCE: f64 = 1e-5;

/// The fields of the cases and of the chain.
const READ_FIELDS: &[&str] = &[
    "format",
    "note",
    "cases",
    "cases[].shape",
    "cases[].point",
    "cases[].point_radius",
    "cases[].center",
    "cases[].radius",
    "cases[].a",
    "cases[].b",
    "cases[].radius_a",
    "cases[].radius_b",
    "cases[].normal",
    "cases[].height",
    "cases[].result",
    "chain",
    "chain.dt",
    "chain.gravity",
    "chain.iterations",
    "chain.order",
    "chain.point_radius",
    "chain.sphere",
    "chain.sphere.c",
    "chain.sphere.r",
    "chain.tapered",
    "chain.tapered.a",
    "chain.tapered.b",
    "chain.tapered.ra",
    "chain.tapered.rb",
    "chain.ground",
    "chain.initial",
    "chain.frames",
];

fn read_collision_vectors() -> Value {
    let path = recordings_folder("pbd-collisions").join("collision_vectors.json.gz");
    let json = read_json(&path);
    assert_eq!(json["format"], "bone-golden-collision-1");
    expect_fields("collision_vectors", &json, READ_FIELDS);
    json
}

fn vector(value: &Value) -> Vec3 {
    Vec3::from(numbers_at::<3>(value, 0))
}

fn number(value: &Value) -> f32 {
    value.as_f64().expect("a number") as f32
}

/// Returns the position to which the collision functions move the point of a case.
fn push_out_case(case: &Value) -> Vec3 {
    let (point, radius) = (vector(&case["point"]), number(&case["point_radius"]));
    let ends = || [vector(&case["a"]), vector(&case["b"])];
    let pushed = match case["shape"].as_str().expect("a shape") {
        "sphere" => push::sphere(point, radius, vector(&case["center"]), number(&case["radius"])),
        "capsule" => push::capsule(point, radius, ends(), number(&case["radius"])),
        "tapered_capsule" => {
            push::tapered_capsule(point, radius, ends(), [number(&case["radius_a"]), number(&case["radius_b"])])
        }
        "plane" => push::plane(point, radius, vector(&case["center"]), vector(&case["normal"])),
        "ground" => push::ground(point, radius, number(&case["height"])),
        other => panic!("a shape {other}"),
    };
    pushed.unwrap_or(point)
}

#[test]
fn every_case_is_pushed_out_as_the_reference_formulas_do() {
    let json = read_collision_vectors();
    let (mut worst, mut moved): (BTreeMap<_, f64>, BTreeMap<_, u32>) = Default::default();
    let cases = as_list(&json["cases"]);
    assert!(!cases.is_empty(), "nothing was compared");
    for case in cases {
        let shape = case["shape"].as_str().expect("a shape");
        let off = push_out_case(case).as_dvec3().distance(DVec3::from_array(
            as_list(&case["result"]).iter().enumerate().fold([0.0; 3], |mut at, (i, v)| {
                at[i] = v.as_f64().expect("a number");
                at
            }),
        ));
        let own = worst.entry(shape).or_default();
        *own = own.max(off);
        assert!(off <= TOLERANCE, "{off} m off: {case}");
        *moved.entry(shape).or_default() += u32::from(case["point"] != case["result"]);
    }
    println!("{} cases, worst {worst:?}, pushed {moved:?}", cases.len());
    assert!(moved.values().all(|count| *count > 0), "every shape must push some point: {moved:?}");
}

/// Returns the recorded chain as a system whose bones are at the recorded points, and whose colliders have separate
/// nodes.
fn recorded_chain(json: &Value) -> (Skeleton, SystemSetup) {
    let points: Vec<Vec3> = as_list(&json["initial"]).iter().map(vector).collect();
    let bone = |name: String, parent: Option<u32>, rest| Bone { name, parent: parent.map(BoneId), rest };
    let mut bones: Vec<Bone> = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let from = i.checked_sub(1).map_or(Vec3::ZERO, |above| points[above]);
        bones.push(bone(format!("b{i}"), i.checked_sub(1).map(|p| p as u32), Trs::from_translation(*point - from)));
    }
    let (ball, rod) = (&json["sphere"], &json["tapered"]);
    bones.push(bone("ball".to_owned(), None, Trs::from_translation(vector(&ball["c"]))));
    let axis = vector(&rod["b"]) - vector(&rod["a"]);
    let rotation: Quat = shortest_arc(Vec3::Y, axis.normalize());
    bones.push(bone("rod".to_owned(), None, Trs { translation: vector(&rod["a"]), rotation, scale: Vec3::ONE }));
    let mut values = ParamSet::defaults(PARAMS);
    for (param, value) in
        [(SPRING, 0.0), (DAMP, 1.0), (GRAVITY, -number(&json["gravity"])), (POINT_SIZE, number(&json["point_radius"]))]
    {
        values.set(param, value);
    }
    let joint = |i: usize| JointSetup {
        bone: BoneId(i as u32),
        tip: TipSetup::Bones(vec![BoneId(i as u32 + 1)]),
        values: values.clone(),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: vec![0, 1],
        chain: 0,
        enabled: true,
        animated: false,
    };
    let mut setup = SystemSetup::new(SolverKind::PbdSpringBone, ParamSet::defaults(PARAMS));
    for (param, value) in [
        (ITERATIONS, number(&json["iterations"])),
        (COLLIDE_WITH_GROUND, 1.0),
        (GROUND_HEIGHT, number(&json["ground"])),
    ] {
        setup.values.set(param, value);
    }
    setup.joints = (0..points.len() - 1).map(joint).collect();
    let (radius, tail_radius) = (number(&rod["ra"]), number(&rod["rb"]));
    setup.colliders = vec![
        ColliderSetup::new(
            BoneId(points.len() as u32),
            ColliderShape::Sphere { radius: number(&ball["r"]), inside: false },
        ),
        ColliderSetup::new(
            BoneId(points.len() as u32 + 1),
            ColliderShape::TaperedCapsule { radius, tail_radius, height: axis.length(), inside: false },
        ),
    ];
    (Skeleton::new(bones).expect("parents first"), setup)
}

/// Returns the largest position error of the chain in metres, after `alter` has changed its system.
fn max_tip_error(alter: impl Fn(&mut SystemSetup)) -> f64 {
    let json = read_collision_vectors();
    let json = &json["chain"];
    let (skeleton, mut setup) = recorded_chain(json);
    alter(&mut setup);
    let count = setup.joints.len() as u32;
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    let mut worst = 0.0_f64;
    let frames = as_list(&json["frames"]);
    assert!(!frames.is_empty(), "nothing was compared");
    for frame in frames {
        world.step(&StepInput { pose: &pose, grab: None, dt: number(&json["dt"]) });
        for joint in 0..count {
            let at = 3 * (joint as usize + 1);
            let expected = DVec3::from_array([0, 1, 2].map(|i| frame[at + i].as_f64().expect("a number")));
            let tip = world.tip(JointIndex { system: 0, joint }).expect("a joint").as_dvec3();
            assert!(tip.is_finite());
            worst = worst.max(tip.distance(expected));
        }
    }
    worst
}

#[test]
fn an_iterated_chain_with_colliders_matches_the_reference_formulas() {
    let off = max_tip_error(|_| {});
    println!("iterated chain: worst {off:.1e} m");
    assert!(off <= TOLERANCE, "{off} m off");
}

#[test]
fn removing_any_obstacle_changes_the_chain() {
    let alter: [&dyn Fn(&mut SystemSetup); 4] = [
        &|s| s.colliders[0].enabled = false,
        &|s| s.colliders[1].enabled = false,
        // The recorded chain never touches the ground, so raise the ground.
        &|s| _ = s.values.set(GROUND_HEIGHT, 0.75),
        &|s| _ = s.values.set(ITERATIONS, 4.0),
    ];
    for (i, alter) in alter.into_iter().enumerate() {
        assert!(max_tip_error(alter) > 10.0 * TOLERANCE, "change {i} makes no difference");
    }
}
