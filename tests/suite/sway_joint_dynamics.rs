//! `SPCRJointDynamics` sways as its numbers say: a kick is let swing and the recurrence fitted to it.

use super::support::kick::{Kick, check, with};
use yuremono::sim::SolverKind;
use yuremono::sim::solver::joint_dynamics::{GRAVITY_SCALE, HARDNESS, PARAMS, RESISTANCE, SUB_STEPS};

/// With these percentages and no weight; a frame's substeps are seen as one.
#[track_caller]
fn sways(hardness: f32, resistance: f32, sub_steps: f32, frame: f32, samples: usize) {
    let values =
        with(PARAMS, &[(HARDNESS, hardness), (RESISTANCE, resistance), (GRAVITY_SCALE, 0.0), (SUB_STEPS, sub_steps)]);
    let kick = Kick::new(SolverKind::JointDynamics, &values, &values, frame);
    check(&Kick { length: 0.2, step: kick.step * sub_steps, samples, ..kick });
}

#[test]
fn a_kick_swings_as_the_numbers_say() {
    for (hardness, resistance) in [(5.0, 1.0), (2.0, 2.0), (8.0, 10.0), (15.0, 5.0), (1.0, 4.0)] {
        // A little over a step, so that every frame has one of them while the leftovers do not make another.
        sways(hardness, resistance, 1.0, 0.0164, 70);
        // Shorter than a step: each frame is one.
        sways(hardness, resistance, 1.0, 1.0 / 144.0, 160);
    }
}

#[test]
fn substeps_swing_as_the_numbers_say() {
    sways(2.0, 1.0, 3.0, 0.0164, 70);
    sways(1.0, 2.0, 2.0, 1.0 / 144.0, 160);
}
