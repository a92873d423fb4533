//! Tests that the response model of `AnimDynamics` agrees with the measured motion of a kicked bone.

use super::support::kick::{Kick, check_response};
use glam::Vec3;
use yuremono_sim::linear_spring::SpringFeel;
use yuremono_sim::params::ParamSet;
use yuremono_sim::solver::anim_dynamics as anim;
use yuremono_sim::{SolverKind, SpringResponse};

const SOLVER: SolverKind = SolverKind::AnimDynamics;

fn joint_params(side: f32, offset: f32) -> ParamSet {
    let mut joint = ParamSet::defaults(anim::PARAMS);
    for param in anim::BOX_EXTENTS {
        joint.set(param, side);
    }
    joint.set(anim::LOCAL_JOINT_OFFSET[1], offset);
    joint.set(anim::GRAVITY_SCALE, 0.0);
    joint
}

/// Puts the body's joint at the bone, so that both have the same angle.
fn system_params() -> ParamSet {
    let mut system = ParamSet::defaults(anim::PARAMS);
    system.set(anim::BODY_ORIGIN, 1.0);
    system
}

fn kick<'a>(joint: &'a ParamSet, system: &'a ParamSet, frame: f32) -> Kick<'a> {
    Kick { bone_length: 0.12, step_count: 90, ..Kick::new(SOLVER, joint, system, frame) }
}

#[track_caller]
fn check_requested_response(joint: &ParamSet, hz: f32, ratio: f32) {
    let system = system_params();
    for frame in [1.0 / 60.0, 1.0 / 30.0, 1.0 / 144.0] {
        let wanted =
            SpringResponse::new(SpringFeel { frequency_hz: hz, damping_ratio: ratio, acceleration: 0.0 }, Vec3::ZERO);
        let mut made = joint.clone();
        for (param, value) in SOLVER.params_for(&wanted, &kick(joint, &system, frame).response_input()) {
            made.set(param, value);
        }
        made.set(anim::GRAVITY_SCALE, 0.0);
        let kick = kick(&made, &system, frame);
        let reported = SOLVER.response(&kick.response_input());
        let near = |a: f32, b: f32| (a - b).abs() <= 0.03 * b;
        assert!(
            near(reported.frequency_hz, hz) && near(reported.damping_ratio, ratio),
            "requested {hz} {ratio}, reported {reported:?}"
        );
        check_response(&kick);
    }
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    for (hz, ratio) in [(1.0, 0.2), (2.0, 0.3), (3.0, 0.4), (4.0, 0.1), (1.0, 1.0)] {
        check_requested_response(&joint_params(0.05, 0.0), hz, ratio);
        check_requested_response(&joint_params(0.02, 0.06), hz, ratio);
        check_requested_response(&joint_params(0.2, 0.06), hz, ratio);
    }
}

#[test]
fn a_linear_spring_swings_a_bone_by_its_lever_arm() {
    let mut joint = joint_params(0.04, 0.08);
    joint.set(anim::LINEAR_SPRING, 1.0);
    joint.set(anim::LINEAR_SPRING_CONSTANT, 200.0);
    let system = system_params();
    let kick = kick(&joint, &system, 1.0 / 60.0);
    let reported = SOLVER.response(&kick.response_input());
    let found = kick.measured_feel();
    assert!(
        (found.frequency_hz - reported.frequency_hz).abs() < 0.03 * reported.frequency_hz,
        "measured {found:?}, reported {reported:?}"
    );
    let inertia = 0.04_f32.powi(2) / 6.0 + 0.08_f32.powi(2);
    let hz = (200.0 * 0.08_f32.powi(2) / inertia).sqrt() / std::f32::consts::TAU;
    assert!((found.frequency_hz - hz).abs() < 0.03 * hz, "{} Hz, calculated by hand: {hz}", found.frequency_hz);
}
