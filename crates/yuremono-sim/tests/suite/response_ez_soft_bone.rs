//! Tests that the response model of `EZSoftBone` agrees with the measured motion of a kicked bone.

use super::support::kick::{JOINT, Kick, check_response, params_with, sideways_offset};
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::solver::ez_soft_bone::{
    CONSTANT_DELTA_TIME, DAMPING, DELTA_TIME_MODE, GRAVITY, ITERATIONS, PARAMS, RESISTANCE, SLEEP_THRESHOLD, STIFFNESS,
};
use yuremono_sim::{SolverKind, StepInput};

const FRAME_SECONDS: f32 = 1.0 / 60.0;

/// Returns the parameters for both joint and system, with the sleep threshold disabled, because a sleeping joint does
/// not swing.
fn params_without_sleep(rows: &[(ParamId, f32)]) -> ParamSet {
    params_with(PARAMS, &[&[(SLEEP_THRESHOLD, 0.0)], rows].concat())
}

/// Returns a kick with one step per frame, because the measurement treats all iterations of a frame as one step.
fn kick(values: &ParamSet) -> Kick<'_> {
    Kick { step_seconds: FRAME_SECONDS, ..Kick::new(SolverKind::EzSoftBone, values, values, FRAME_SECONDS) }
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    for (stiffness, damping) in [(0.1, 0.2), (0.05, 0.1), (0.2, 0.1), (0.1, 0.4), (0.02, 0.05)] {
        for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
            let all = [&[(STIFFNESS, stiffness), (DAMPING, damping)], rows].concat();
            check_response(&kick(&params_without_sleep(&all)));
        }
    }
}

#[test]
fn a_constant_acceleration_has_the_predicted_effect() {
    for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
        let values = params_without_sleep(&[&[(RESISTANCE, 0.4), (GRAVITY[2], 0.02)], rows].concat());
        let kick = kick(&values);
        let reported = SolverKind::EzSoftBone.response(&kick.response_input());
        let iterations = values.get(ITERATIONS);
        let h = FRAME_SECONDS / iterations;
        let (mut world, pose) = kick.world();
        for _ in 0..600 {
            world.step(&StepInput { pose: &pose, grab: None, dt: FRAME_SECONDS });
        }
        let expected = f64::from(reported.acceleration.z * h * h) / reported.feel().to_recurrence(h).offset_removed;
        let found = sideways_offset(&world);
        assert!((found / expected - 1.0).abs() < 0.03, "{rows:?}: displaced by {found} m, expected {expected} m");
    }
}

#[test]
fn a_tip_below_the_sleep_threshold_returns_at_the_predicted_rate() {
    for rows in [&[(STIFFNESS, 0.02)][..], &[(STIFFNESS, 0.01), (ITERATIONS, 3.0)]] {
        let values = params_with(PARAMS, rows);
        let kick = kick(&values);
        let reported = SolverKind::EzSoftBone.overdamped_return(&kick.response_input()).expect("overdamped");
        assert!((reported.speed_threshold - values.get(SLEEP_THRESHOLD).sqrt()).abs() < 1e-6, "{reported:?}");
        assert!(
            (reported.time_constant_frames * values.get(STIFFNESS) - 1.0).abs() < 0.02,
            "about 1 / stiffness: {reported:?}"
        );
        assert!(
            (reported.time_constant_seconds - reported.time_constant_frames * FRAME_SECONDS).abs() < 1e-4,
            "{reported:?}"
        );
        let (mut world, pose) = kick.world();
        let start = world.tip(JOINT).expect("a joint") + glam::Vec3::Z * 1e-3;
        world.set_tip(JOINT, start, start);
        let mut frame = || {
            world.step(&StepInput { pose: &pose, grab: None, dt: FRAME_SECONDS });
            sideways_offset(&world)
        };
        let first = frame();
        let frames = reported.time_constant_frames.round() as usize;
        let last = (0..frames).map(|_| frame()).last().expect("many");
        assert!((last / first * std::f64::consts::E - 1.0).abs() < 0.05, "{rows:?}: {first} m decayed to {last} m");
    }
}

#[test]
fn only_ez_soft_bone_with_a_sleep_threshold_has_an_overdamped_return() {
    let awake = params_without_sleep(&[(STIFFNESS, 0.01)]);
    assert_eq!(SolverKind::EzSoftBone.overdamped_return(&kick(&awake).response_input()), None);
    for kind in SolverKind::ALL.iter().filter(|kind| **kind != SolverKind::EzSoftBone) {
        let values = ParamSet::defaults(kind.info().params);
        assert_eq!(
            kind.overdamped_return(&Kick::new(*kind, &values, &values, FRAME_SECONDS).response_input()),
            None,
            "{kind:?}"
        );
    }
}
