//! Tests that plucked bones show the frequency and damping ratio that their solvers report.

use super::support::girl;
use super::support::kick::{JOINT, Kick, params_with};
use glam::Vec3;
use yuremono_model::feel::ring_down::{RingDown, RingDownNumbers};
use yuremono_sim::linear_spring::SpringFeel;
use yuremono_sim::params::ParamDef;
use yuremono_sim::solver::{kawaii, spring_bone, vrm};
use yuremono_sim::{SolverKind, SpringResponse};

const FRAME: f32 = 1.0 / 60.0;

fn measured(kick: &Kick<'_>) -> RingDownNumbers {
    let (world, pose) = kick.world();
    let mut running = RingDown::new(world, pose, JOINT, Vec::new(), FRAME).expect("a joint");
    std::iter::repeat_with(|| running.advance(1)).take(5000).flatten().next().expect("a result")
}

/// Plucks a bone that has this feel under a solver.
#[track_caller]
fn check(solver: SolverKind, table: &[ParamDef], hz: f32, damping: f32) {
    let values = params_with(table, &[]);
    let feel = SpringFeel { frequency_hz: hz, damping_ratio: damping, acceleration: 0.0 };
    let input = Kick::new(solver, &values, &values, FRAME).response_input();
    let made = params_with(table, &solver.params_for(&SpringResponse::new(feel, Vec3::ZERO), &input));
    let kick = Kick::new(solver, &made, &made, FRAME);
    let reported = solver.response(&kick.response_input());
    let found = measured(&kick);
    let (frequency, ratio) = (found.frequency_hz.expect("swings"), found.damping_ratio.expect("decays"));
    let near = |a: f32, b: f32| (a / b - 1.0).abs() < 0.06;
    assert!(
        near(frequency, reported.frequency_hz) && near(ratio, reported.damping_ratio),
        "{solver:?}: measured {found:?}, reported {reported:?}"
    );
    assert!(found.settle_seconds.is_some_and(|seconds| seconds > 0.1) && found.jitter < 1e-4, "{found:?}");
}

#[test]
fn a_plucked_bone_shows_the_frequency_and_damping_of_its_solver() {
    for (hz, damping) in [(2.0, 0.1), (3.0, 0.4), (1.5, 0.8)] {
        check(SolverKind::UnityChanSpringBone, spring_bone::PARAMS, hz, damping);
        check(SolverKind::KawaiiPhysics, kawaii::params::PARAMS, hz, damping);
        check(SolverKind::Vrm, vrm::PARAMS, hz, damping);
    }
}

#[test]
fn less_damping_overshoots_more_and_settles_later() {
    let with_damping = |damping: f32| {
        let values = params_with(kawaii::params::PARAMS, &[]);
        let feel = SpringFeel { frequency_hz: 2.5, damping_ratio: damping, acceleration: 0.0 };
        let input = Kick::new(SolverKind::KawaiiPhysics, &values, &values, FRAME).response_input();
        let response = SpringResponse::new(feel, Vec3::ZERO);
        let made = params_with(kawaii::params::PARAMS, &SolverKind::KawaiiPhysics.params_for(&response, &input));
        measured(&Kick::new(SolverKind::KawaiiPhysics, &made, &made, FRAME))
    };
    let [loose, firm] = [0.15, 0.6].map(with_damping);
    assert!(loose.overshoot > firm.overshoot + 0.3 && firm.overshoot > 0.03, "{loose:?} {firm:?}");
    assert!(loose.settle_seconds > firm.settle_seconds, "{loose:?} {firm:?}");
}

#[test]
fn a_session_measures_a_joint_of_a_chain_without_changing_its_own_world() {
    let session = girl::session();
    let before = format!("{:?}", session.playback().world().pose());
    let mut running = session.start_ring_down(girl::bone(&session, "TwinTail_L_02")).expect("a joint");
    let found = std::iter::repeat_with(|| running.advance(1000)).take(5000).flatten().next().expect("a result");
    assert!(found.frequency_hz.is_some_and(|hz| (0.2..20.0).contains(&hz)), "{found:?}");
    assert_eq!(format!("{:?}", session.playback().world().pose()), before);
    assert!(session.start_ring_down(girl::bone(&session, "Hips")).is_none(), "only joints can be plucked");
}
