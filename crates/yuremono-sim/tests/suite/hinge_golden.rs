//! Compares hinges with motion recorded from the listings of the hinge article.

use super::bone_golden::{MaxError, Recording, check_replays, read_recordings};
use std::collections::BTreeMap;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::hinge::{
    ANGLE, CENTER_OF_MASS, GRAVITY, MAX_ANGLE, MIN_ANGLE, PARAMS, RESTITUTION, START, VARIANT, VELOCITY,
};
use yuremono_sim::{JointSetup, SolverKind, SystemSetup, TipSetup};

const FOLDER: &str = "hinge";
const HINGE_BONE: BoneId = BoneId(2);

fn recorded_setup(recording: &Recording) -> SystemSetup {
    let variant = match recording.json["extra"]["variant"].as_str().expect("a variant") {
        "gravity" => 0.0,
        "full" => 1.0,
        "omake" => 2.0,
        other => panic!("a variant {other}"),
    };
    let mut values = ParamSet::defaults(PARAMS);
    for (name, param) in [("angle", ANGLE), ("velocity", VELOCITY)] {
        values.set(param, recording.param_number(name).expect("it is listed"));
    }
    let mut system = ParamSet::defaults(PARAMS);
    system.set(VARIANT, variant);
    // The hinge article starts at the upper limit, except in the listing without limits.
    system.set(START, if variant == 0.0 { 1.0 } else { 2.0 });
    let joint = JointSetup {
        bone: HINGE_BONE,
        tip: TipSetup::Bones(Vec::new()),
        values,
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    SystemSetup { joints: vec![joint], component: Some(HINGE_BONE), ..SystemSetup::new(SolverKind::Hinge, system) }
}

/// Returns the largest errors of every recording after `alter` has changed its setup.
fn replay_errors(alter: impl Fn(&mut SystemSetup)) -> BTreeMap<String, (MaxError, (f64, f64))> {
    let replay = |recording: Recording| {
        let worst = recording.replay(|recording| {
            let mut setup = recorded_setup(recording);
            alter(&mut setup);
            setup
        });
        (recording.name.clone(), (worst, recording.tolerance()))
    };
    // The note describes the listing of the variant.
    let fields = ["params.angle", "params.velocity", "extra.variant", "extra.note"];
    read_recordings(FOLDER, fields).into_iter().map(replay).collect()
}

#[test]
fn every_recording_is_reproduced() {
    check_replays(FOLDER, &replay_errors(|_| {}));
}

#[test]
fn changing_any_param_breaks_a_recording() {
    let spoils = |alter: &dyn Fn(&mut SystemSetup)| {
        let worst = replay_errors(alter);
        worst.values().filter(|(w, (position, turn))| w.position > *position || w.rotation > *turn).count()
    };
    let joint = |param: ParamId, by: f32| move |s: &mut SystemSetup| _ = s.joints[0].values.set(param, by);
    for (param, value) in [
        (ANGLE, 61.0),
        (VELOCITY, 1.0),
        (MAX_ANGLE, 135.0),
        (MIN_ANGLE, 110.0),
        (RESTITUTION, 0.6),
        (CENTER_OF_MASS[1], 0.2),
    ] {
        assert!(spoils(&joint(param, value)) > 0, "{} has no effect", PARAMS[param.index()].name);
    }
    assert_eq!(spoils(&|s: &mut SystemSetup| _ = s.values.set(GRAVITY, 9.0)), 4);
    assert!(spoils(&|s: &mut SystemSetup| _ = s.values.set(START, 0.0)) > 2);
    assert!(spoils(&|s: &mut SystemSetup| _ = s.values.set(VARIANT, (s.values.get(VARIANT) + 1.0) % 3.0)) > 2);
}
