//! KawaiiPhysics sways as its numbers say: a kicked bone, measured.

use super::support::kick::{Kick, check, with};
use glam::Vec3;
use yuremono::schema::Row;
use yuremono::sim::solver::kawaii::params::{self as row, PARAMS};
use yuremono::sim::unify::Feel;
use yuremono::sim::{SolverKind, Sway};

const KIND: SolverKind = SolverKind::KawaiiPhysics;

#[track_caller]
fn sways(numbers: &[(Row, f32)], frame: f32) {
    let values = with(PARAMS, numbers);
    check(&Kick { samples: 120, ..Kick::new(KIND, &values, &values, frame) });
}

#[test]
fn a_kick_swings_as_the_numbers_say() {
    for (stiffness, damping) in [(0.05, 0.1), (0.0866, 0.1485), (0.02, 0.05), (0.2, 0.3)] {
        sways(&[(row::STIFFNESS, stiffness), (row::DAMPING, damping)], 1.0 / 60.0);
    }
    sways(&[(row::TARGET_FRAMERATE, 90.0)], 1.0 / 90.0);
}

#[test]
fn a_kick_swings_as_the_numbers_say_where_steps_are_frames() {
    sways(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 60.0);
    sways(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 120.0);
}

#[test]
fn a_sway_becomes_numbers_that_swing_so() {
    let values = with(PARAMS, &[]);
    let kick = Kick { samples: 120, ..Kick::new(KIND, &values, &values, 1.0 / 60.0) };
    let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
    let made = with(PARAMS, &KIND.numbers(&Sway::new(feel, Vec3::ZERO), &kick.numbers()));
    let found = Kick { joint: &made, system: &made, ..kick }.measured();
    assert!(
        (found.frequency_hz / 3.0 - 1.0).abs() < 0.03 && (found.damping_ratio / 0.4 - 1.0).abs() < 0.03,
        "{found:?}"
    );
}
