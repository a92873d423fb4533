//! Tests that the response model of KawaiiPhysics agrees with the measured motion of a kicked bone.

use super::support::kick::{Kick, check_response, params_with};
use glam::Vec3;
use yuremono_sim::linear_spring::SpringFeel;
use yuremono_sim::params::ParamId;
use yuremono_sim::solver::kawaii::params::{self, PARAMS};
use yuremono_sim::{SolverKind, SpringResponse};

const SOLVER: SolverKind = SolverKind::KawaiiPhysics;

#[track_caller]
fn check_response_of(numbers: &[(ParamId, f32)], frame: f32) {
    let values = params_with(PARAMS, numbers);
    check_response(&Kick { step_count: 120, ..Kick::new(SOLVER, &values, &values, frame) });
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    for (stiffness, damping) in [(0.05, 0.1), (0.0866, 0.1485), (0.02, 0.05), (0.2, 0.3)] {
        check_response_of(&[(params::STIFFNESS, stiffness), (params::DAMPING, damping)], 1.0 / 60.0);
    }
    check_response_of(&[(params::TARGET_FRAMERATE, 90.0)], 1.0 / 90.0);
}

#[test]
fn the_prediction_holds_with_one_step_per_frame() {
    check_response_of(&[(params::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 60.0);
    check_response_of(&[(params::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 120.0);
}

#[test]
fn params_for_a_response_produce_that_response() {
    let values = params_with(PARAMS, &[]);
    let kick = Kick { step_count: 120, ..Kick::new(SOLVER, &values, &values, 1.0 / 60.0) };
    let feel = SpringFeel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
    let made = params_with(PARAMS, &SOLVER.params_for(&SpringResponse::new(feel, Vec3::ZERO), &kick.response_input()));
    let found = Kick { joint_params: &made, system_params: &made, ..kick }.measured_feel();
    assert!(
        (found.frequency_hz / 3.0 - 1.0).abs() < 0.03 && (found.damping_ratio / 0.4 - 1.0).abs() < 0.03,
        "{found:?}"
    );
}
