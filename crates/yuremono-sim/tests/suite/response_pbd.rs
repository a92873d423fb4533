//! Tests that the response model of `PbdSpringBone` agrees with the simulated motion.

use super::support::kick::{JOINT, Kick, check_response, params_with};
use glam::Vec3;
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamSet;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::pbd_spring_bone::{DAMP, GRAVITY, PARAMS, SPRING, STEPS_PER_SECOND};
use yuremono_sim::{JointSetup, ResponseInput, SolverKind, StepInput, SystemSetup, TipSetup, World};

const BONE_LENGTH: f32 = 0.1;

#[track_caller]
fn check_response_of(spring: f32, damp: f32, rate: f32) {
    let joint = params_with(PARAMS, &[(SPRING, spring), (DAMP, damp), (GRAVITY, 0.0)]);
    let system = params_with(PARAMS, &[(STEPS_PER_SECOND, rate)]);
    // Use one step per frame, so that each step is observable.
    let step = SolverKind::PbdSpringBone.step_seconds(&system, 1.0 / 60.0);
    check_response(&Kick::new(SolverKind::PbdSpringBone, &joint, &system, step));
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    for (spring, damp) in [(100.0, 0.85), (400.6, 0.778), (50.0, 0.95), (800.0, 0.7), (60.0, 0.6)] {
        check_response_of(spring, damp, 0.0);
    }
    check_response_of(200.0, 0.9, 120.0);
}

#[test]
fn gravity_has_the_predicted_acceleration() {
    let (mut joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
    joint.set(SPRING, 0.0);
    joint.set(GRAVITY, 2.0);
    let frame = 1.0 / 60.0;
    let numbers = ResponseInput {
        joint_params: &joint,
        system_params: &system,
        bone_length: BONE_LENGTH,
        carried_inertia: 0.0,
        frame_seconds: frame,
    };
    let reported = SolverKind::PbdSpringBone.response(&numbers).acceleration;
    // A horizontal bone starts to fall with the acceleration of gravity.
    let skeleton = Skeleton::new(
        [(None, Vec3::Y), (Some(BoneId(0)), Vec3::X * BONE_LENGTH)]
            .map(|(parent, at)| Bone { name: format!("{at}"), parent, rest: Trs::from_translation(at) })
            .to_vec(),
    )
    .expect("parents first");
    let joint = JointSetup {
        bone: BoneId(0),
        tip: TipSetup::Bones(vec![BoneId(1)]),
        values: joint,
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(SolverKind::PbdSpringBone, system.clone()) };
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    world.step(&StepInput { pose: &pose, grab: None, dt: frame });
    let fell = (world.tip(JOINT).expect("a joint").y - 1.0) / (frame * frame);
    assert!((fell / reported.y - 1.0).abs() < 0.03 && reported.x == 0.0, "measured {fell}, reported {reported}");
}
