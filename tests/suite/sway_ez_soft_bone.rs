//! `EZSoftBone` sways as its numbers say: a kicked bone, measured.

use super::support::kick::{JOINT, Kick, check, sideways, with};
use yuremono::schema::{ParamSet, Row};
use yuremono::sim::solver::ez_soft_bone::{
    CONSTANT_DELTA_TIME, DAMPING, DELTA_TIME_MODE, GRAVITY, ITERATIONS, PARAMS, RESISTANCE, SLEEP_THRESHOLD, STIFFNESS,
};
use yuremono::sim::{SolverKind, StepInput};

const FRAME: f32 = 1.0 / 60.0;

/// The same for joint and system. What sleeps does not swing.
fn numbers(rows: &[(Row, f32)]) -> ParamSet {
    with(PARAMS, &[&[(SLEEP_THRESHOLD, 0.0)], rows].concat())
}

/// Iterations are seen as one step a frame.
fn kick(values: &ParamSet) -> Kick<'_> {
    Kick { step: FRAME, ..Kick::new(SolverKind::EzSoftBone, values, values, FRAME) }
}

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    for (stiffness, damping) in [(0.1, 0.2), (0.05, 0.1), (0.2, 0.1), (0.1, 0.4), (0.02, 0.05)] {
        for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
            let all = [&[(STIFFNESS, stiffness), (DAMPING, damping)], rows].concat();
            check(&kick(&numbers(&all)));
        }
    }
}

#[test]
fn a_steady_pull_is_as_heavy_as_its_numbers_say() {
    for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
        let values = numbers(&[&[(RESISTANCE, 0.4), (GRAVITY[2], 0.02)], rows].concat());
        let kick = kick(&values);
        let said = SolverKind::EzSoftBone.sway(&kick.numbers());
        let iterations = values.get(ITERATIONS);
        let h = FRAME / iterations;
        let (mut world, pose) = kick.world();
        for _ in 0..600 {
            world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
        }
        let expected = f64::from(said.pull.z * h * h) / said.feel().to_linear(h).pulled;
        let found = sideways(&world);
        assert!((found / expected - 1.0).abs() < 0.03, "{rows:?}: {found} m aside, not {expected} m");
    }
}

#[test]
fn a_tip_below_the_sleep_threshold_comes_home_as_slowly_as_its_numbers_say() {
    for rows in [&[(STIFFNESS, 0.02)][..], &[(STIFFNESS, 0.01), (ITERATIONS, 3.0)]] {
        let values = with(PARAMS, rows);
        let kick = kick(&values);
        let said = SolverKind::EzSoftBone.creep(&kick.numbers()).expect("it creeps");
        assert!((said.below - values.get(SLEEP_THRESHOLD).sqrt()).abs() < 1e-6, "{said:?}");
        assert!((said.frames * values.get(STIFFNESS) - 1.0).abs() < 0.02, "about 1 / stiffness: {said:?}");
        assert!((said.seconds - said.frames * FRAME).abs() < 1e-4, "{said:?}");
        let (mut world, pose) = kick.world();
        let start = world.tip(JOINT).expect("a joint") + glam::Vec3::Z * 1e-3;
        world.place_tip(JOINT, start, start);
        let mut frame = || {
            world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
            sideways(&world)
        };
        let first = frame();
        let frames = said.frames.round() as usize;
        let last = (0..frames).map(|_| frame()).last().expect("many");
        assert!((last / first * std::f64::consts::E - 1.0).abs() < 0.05, "{rows:?}: {first} became {last}");
    }
}

#[test]
fn without_a_sleep_threshold_and_under_other_solvers_no_tip_creeps() {
    let awake = numbers(&[(STIFFNESS, 0.01)]);
    assert_eq!(SolverKind::EzSoftBone.creep(&kick(&awake).numbers()), None);
    for kind in SolverKind::ALL.iter().filter(|kind| **kind != SolverKind::EzSoftBone) {
        let values = ParamSet::defaults(kind.info().params);
        assert_eq!(kind.creep(&Kick::new(*kind, &values, &values, FRAME).numbers()), None, "{kind:?}");
    }
}
