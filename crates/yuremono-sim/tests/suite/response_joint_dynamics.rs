//! Tests that the response model of `SPCRJointDynamics` agrees with a recurrence fitted to the motion after a kick.

use super::support::kick::{Kick, check_response, params_with};
use yuremono_sim::SolverKind;
use yuremono_sim::solver::joint_dynamics::{GRAVITY_SCALE, HARDNESS, PARAMS, RESISTANCE, SUB_STEPS};

/// Checks a joint with these percentages and no weight. The fit treats the substeps of a frame as one step.
#[track_caller]
fn check_response_of(hardness: f32, resistance: f32, sub_steps: f32, frame: f32, samples: usize) {
    let values = params_with(
        PARAMS,
        &[(HARDNESS, hardness), (RESISTANCE, resistance), (GRAVITY_SCALE, 0.0), (SUB_STEPS, sub_steps)],
    );
    let kick = Kick::new(SolverKind::JointDynamics, &values, &values, frame);
    check_response(&Kick {
        bone_length: 0.2,
        step_seconds: kick.step_seconds * sub_steps,
        step_count: samples,
        ..kick
    });
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    for (hardness, resistance) in [(5.0, 1.0), (2.0, 2.0), (8.0, 10.0), (15.0, 5.0), (1.0, 4.0)] {
        // The frame is slightly longer than a step. Every frame has one step, and the remainders do not add up to
        // another step.
        check_response_of(hardness, resistance, 1.0, 0.0164, 70);
        // The frame is shorter than a step, so each frame is one step.
        check_response_of(hardness, resistance, 1.0, 1.0 / 144.0, 160);
    }
}

#[test]
fn the_prediction_holds_with_substeps() {
    check_response_of(2.0, 1.0, 3.0, 0.0164, 70);
    check_response_of(1.0, 2.0, 2.0, 1.0 / 144.0, 160);
}
