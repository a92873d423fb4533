//! How `DynamicBone` says that its numbers sway, held against how they do.

use super::support::kick::{JOINT, Kick, check, sideways, with};
use glam::Vec3;
use yuremono::rig::BoneId;
use yuremono::schema::{ParamSet, Row};
use yuremono::sim::solver::dynamic_bone::{
    BLEND_WEIGHT, DAMPING, ELASTICITY, FORCE, FORCE_SHARE, INERT, PARAMS, RUN_AS, STIFFNESS, UPDATE_MODE, UPDATE_RATE,
};
use yuremono::sim::{SolverKind, StepInput};

const KIND: SolverKind = SolverKind::DynamicBone;
const FRAME: f32 = 1.0 / 60.0;

/// Numbers of a joint and its system, and how long a frame lasts.
struct Case {
    joint: ParamSet,
    system: ParamSet,
    frame: f32,
}

fn case(joint: &[(Row, f32)], system: &[(Row, f32)], frame: f32) -> Case {
    Case { joint: with(PARAMS, joint), system: with(PARAMS, system), frame }
}

impl Case {
    fn kick(&self) -> Kick<'_> {
        Kick::new(KIND, &self.joint, &self.system, self.frame)
    }
}

#[track_caller]
fn sways(joint: &[(Row, f32)], system: &[(Row, f32)], frame: f32) {
    check(&case(joint, system, frame).kick());
}

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    sways(&[], &[], FRAME);
    for (elasticity, damping) in [(0.02, 0.02), (0.05, 0.3), (0.2, 0.1), (0.3, 0.4), (0.0866, 0.1485)] {
        sways(&[(ELASTICITY, elasticity), (DAMPING, damping)], &[], FRAME);
    }
}

#[test]
fn it_does_so_at_every_rate_and_in_every_mode() {
    sways(&[], &[], FRAME * 0.5);
    sways(&[], &[(UPDATE_RATE, 90.0)], FRAME);
    sways(&[], &[(UPDATE_RATE, 0.0)], FRAME * 0.5);
    sways(&[], &[(RUN_AS, 1.0), (UPDATE_MODE, 0.0)], FRAME * 0.5);
    // A frame that is a little longer than a step, so that each takes one.
    sways(&[], &[(UPDATE_MODE, 0.0), (UPDATE_RATE, 60.0)], 1.0 / 59.999);
}

#[test]
fn a_force_pulls_as_hard_as_is_said() {
    for (factor, clone) in [(1.0, 0.0), (1.0, 1.0), (0.5, 1.0)] {
        let joint = [(FORCE_SHARE, factor), (ELASTICITY, 0.2)];
        let case = case(&joint, &[(FORCE[2], 0.0004), (RUN_AS, clone)], FRAME * 0.5);
        let said = KIND.sway(&case.kick().numbers());
        let (mut world, pose) = case.kick().world();
        (0..400).for_each(|_| world.step(&StepInput { pose: &pose, hold: None, dt: case.frame }));
        let found = sideways(&world);
        // Where the pull of the spring is as strong as the force.
        let linear = said.feel().to_linear(case.frame);
        let expected = f64::from(said.pull.z) * f64::from(case.frame).powi(2) / linear.pulled;
        assert!((found / expected - 1.0).abs() < 0.03, "{found} m, not {expected}");
    }
}

#[test]
fn a_body_that_moves_is_felt_by_the_share_that_is_said() {
    for inert in [0.0, 0.4, 1.0] {
        let case = case(&[(INERT, inert), (ELASTICITY, 0.0), (STIFFNESS, 0.0)], &[], FRAME);
        assert_eq!(KIND.sway(&case.kick().numbers()).follow, Some(inert));
        let (mut world, mut pose) = case.kick().world();
        pose.local[0].translation.z = 0.001;
        world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
        let found = sideways(&world);
        assert!((found - 0.001 * f64::from(inert)).abs() < 1e-5, "{found} at inert {inert}");
    }
}

#[test]
fn a_tip_goes_no_farther_than_the_reach_that_is_said() {
    for (stiffness, weight) in [(0.7, 1.0), (0.9, 1.0), (0.5, 0.6)] {
        let joint = [(STIFFNESS, stiffness), (ELASTICITY, 0.0)];
        let case = case(&joint, &[(FORCE[2], -0.01), (BLEND_WEIGHT, weight)], FRAME);
        let reach = KIND.sway(&case.kick().numbers()).reach_deg.expect("a ball");
        let (mut world, pose) = case.kick().world();
        (0..300).for_each(|_| world.step(&StepInput { pose: &pose, hold: None, dt: FRAME }));
        let along = world.tip(JOINT).expect("a joint") - world.frames().frame(BoneId(1)).position;
        let found = along.angle_between(Vec3::NEG_Y).to_degrees();
        assert!((found / reach - 1.0).abs() < 0.03, "it leans {found} degrees, not {reach}");
    }
}
