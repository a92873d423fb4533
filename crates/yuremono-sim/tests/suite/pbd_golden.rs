//! Compares `PbdSpringBone` with motion recorded from the original source code.

use super::bone_golden::{Recording, as_list, check_replays, node_id, node_ids, numbers_at, read_recordings};
use std::collections::BTreeMap;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Skeleton};
use yuremono_sim::solver::pbd_spring_bone::{DAMP, GRAVITY, NO_ANIMATOR, PARAMS, POINT_SIZE, SPRING};
use yuremono_sim::{ColliderSetup, ColliderShape, JointSetup, SolverKind, SystemSetup, TipSetup};

const FOLDER: &str = "pbd-spring-bone";

/// Fields that the replay reads, in addition to the parameters.
const READ_FIELDS: &[&str] =
    &["params.rootBones", "colliders[].type", "colliders[].node", "colliders[].center", "colliders[].radius"];
const RECORDED_PARAMS: [(&str, ParamId); 4] =
    [("spring", SPRING), ("damp", DAMP), ("gravity", GRAVITY), ("pointSize", POINT_SIZE)];

/// Returns the component of a recording. Adds nodes for the colliders to the skeleton.
fn recorded_setup(recording: &mut Recording) -> SystemSetup {
    let mut values = ParamSet::defaults(PARAMS);
    for (name, param) in RECORDED_PARAMS {
        recording.param_number(name).into_iter().for_each(|value| _ = values.set(param, value));
    }
    let roots = node_ids(recording.param("rootBones"));
    let animated = as_list(&recording.json["input"]["channels"]).iter().any(|c| c["phase"] == "animation");
    let mut setup = SystemSetup::new(SolverKind::PbdSpringBone, ParamSet::defaults(PARAMS));
    setup.values.set(NO_ANIMATOR, f32::from(u8::from(!animated)));
    setup.joints = joint_setups(&recording.skeleton, &roots, &values);
    setup.component = Some(BoneId(1));
    for (at, collider) in as_list(&recording.json["colliders"].clone()).iter().enumerate() {
        assert_eq!(collider["type"], "sphere", "{}", recording.name);
        let rest = Trs::from_translation(recording.space.vector_to_gltf(numbers_at(&collider["center"], 0)));
        let bone = Bone { name: format!("collider {at}"), parent: Some(node_id(&collider["node"])), rest };
        let bone = recording.skeleton.push(bone).expect("its parent precedes it");
        let radius = collider["radius"].as_f64().expect("a radius") as f32;
        setup.colliders.push(ColliderSetup::new(bone, ColliderShape::Sphere { radius, inside: false }));
        setup.joints.iter_mut().for_each(|joint| joint.colliders.push(at as u32));
    }
    setup
}

/// Returns a joint for every root, and for every descendant of a root that has children to rotate towards.
fn joint_setups(skeleton: &Skeleton, roots: &[BoneId], values: &ParamSet) -> Vec<JointSetup> {
    let below = |bone: BoneId| roots.iter().any(|root| *root == bone || skeleton.is_ancestor(*root, bone));
    let forked = |bone: &BoneId| below(*bone) && !skeleton.children(*bone).is_empty();
    skeleton
        .ids()
        .filter(forked)
        .map(|bone| JointSetup {
            bone,
            tip: TipSetup::Bones(skeleton.children(bone).to_vec()),
            values: values.clone(),
            tip_values: Vec::new(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        })
        .collect()
}

/// Returns the largest errors of every recording after `alter` has changed its setup.
fn replay_errors(alter: impl Fn(&mut SystemSetup)) -> BTreeMap<String, (super::bone_golden::MaxError, (f64, f64))> {
    let replay = |recording: Recording| {
        let worst = recording.replay(|recording| {
            let mut setup = recorded_setup(recording);
            alter(&mut setup);
            setup
        });
        (recording.name.clone(), (worst, recording.tolerance()))
    };
    let numbers = RECORDED_PARAMS.iter().map(|(name, _)| format!("params.{name}"));
    let fields = numbers.chain(READ_FIELDS.iter().map(|field| (*field).to_owned()));
    read_recordings(FOLDER, fields).into_iter().map(replay).collect()
}

#[test]
fn every_recording_is_reproduced() {
    check_replays(FOLDER, &replay_errors(|_| {}));
}

#[test]
fn changing_any_param_or_collider_breaks_a_recording() {
    let spoils = |alter: &dyn Fn(&mut SystemSetup)| {
        let worst = replay_errors(alter);
        let bad = worst.values().filter(|(w, (position, turn))| !(w.position <= *position && w.rotation <= *turn));
        bad.count()
    };
    for (param, by) in [(SPRING, 1.02), (DAMP, 0.995), (GRAVITY, 1.01), (POINT_SIZE, 1.05)] {
        let off = spoils(&|setup: &mut SystemSetup| {
            setup.joints.iter_mut().for_each(|joint| _ = joint.values.set(param, joint.values.get(param) * by));
        });
        assert!(off > 0, "{} has no effect", PARAMS[param.index()].name);
    }
    assert!(spoils(&|setup: &mut SystemSetup| setup.joints.iter_mut().for_each(|j| j.colliders.clear())) > 0);
    let turned = |setup: &mut SystemSetup| _ = setup.values.set(NO_ANIMATOR, 1.0 - setup.values.get(NO_ANIMATOR));
    assert!(spoils(&turned) > 1, "the Animator has no effect");
}
