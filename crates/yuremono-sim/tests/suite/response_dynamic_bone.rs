//! Tests that the response model of `DynamicBone` agrees with the measured motion of a kicked bone.

use super::support::kick::{JOINT, Kick, check_response, params_with, sideways_offset};
use glam::Vec3;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::dynamic_bone::{
    BLEND_WEIGHT, DAMPING, ELASTICITY, FORCE, FORCE_SHARE, INERT, PARAMS, RUN_AS, STIFFNESS, UPDATE_MODE, UPDATE_RATE,
};
use yuremono_sim::{SolverKind, StepInput};

const SOLVER: SolverKind = SolverKind::DynamicBone;
const FRAME_SECONDS: f32 = 1.0 / 60.0;

/// Parameters of a joint and its system, and the duration of a frame.
struct ResponseCase {
    joint_params: ParamSet,
    system_params: ParamSet,
    frame_seconds: f32,
}

fn case(joint: &[(ParamId, f32)], system: &[(ParamId, f32)], frame: f32) -> ResponseCase {
    ResponseCase {
        joint_params: params_with(PARAMS, joint),
        system_params: params_with(PARAMS, system),
        frame_seconds: frame,
    }
}

impl ResponseCase {
    fn kick(&self) -> Kick<'_> {
        Kick::new(SOLVER, &self.joint_params, &self.system_params, self.frame_seconds)
    }
}

#[track_caller]
fn check_response_of(joint: &[(ParamId, f32)], system: &[(ParamId, f32)], frame: f32) {
    check_response(&case(joint, system, frame).kick());
}

#[test]
fn a_kicked_bone_swings_with_the_predicted_response() {
    check_response_of(&[], &[], FRAME_SECONDS);
    for (elasticity, damping) in [(0.02, 0.02), (0.05, 0.3), (0.2, 0.1), (0.3, 0.4), (0.0866, 0.1485)] {
        check_response_of(&[(ELASTICITY, elasticity), (DAMPING, damping)], &[], FRAME_SECONDS);
    }
}

#[test]
fn the_prediction_holds_at_every_rate_and_in_every_mode() {
    check_response_of(&[], &[], FRAME_SECONDS * 0.5);
    check_response_of(&[], &[(UPDATE_RATE, 90.0)], FRAME_SECONDS);
    check_response_of(&[], &[(UPDATE_RATE, 0.0)], FRAME_SECONDS * 0.5);
    check_response_of(&[], &[(RUN_AS, 1.0), (UPDATE_MODE, 0.0)], FRAME_SECONDS * 0.5);
    // The frame is slightly longer than a step, so that each frame has exactly one step.
    check_response_of(&[], &[(UPDATE_MODE, 0.0), (UPDATE_RATE, 60.0)], 1.0 / 59.999);
}

#[test]
fn a_force_has_the_predicted_acceleration() {
    for (factor, clone) in [(1.0, 0.0), (1.0, 1.0), (0.5, 1.0)] {
        let joint = [(FORCE_SHARE, factor), (ELASTICITY, 0.2)];
        let case = case(&joint, &[(FORCE[2], 0.0004), (RUN_AS, clone)], FRAME_SECONDS * 0.5);
        let reported = SOLVER.response(&case.kick().response_input());
        let (mut world, pose) = case.kick().world();
        (0..400).for_each(|_| world.step(&StepInput { pose: &pose, grab: None, dt: case.frame_seconds }));
        let found = sideways_offset(&world);
        // The tip rests where the spring's pull equals the force.
        let linear = reported.feel().to_recurrence(case.frame_seconds);
        let expected =
            f64::from(reported.acceleration.z) * f64::from(case.frame_seconds).powi(2) / linear.offset_removed;
        assert!((found / expected - 1.0).abs() < 0.03, "measured {found} m, expected {expected} m");
    }
}

#[test]
fn body_motion_is_ignored_by_the_predicted_share() {
    for inert in [0.0, 0.4, 1.0] {
        let case = case(&[(INERT, inert), (ELASTICITY, 0.0), (STIFFNESS, 0.0)], &[], FRAME_SECONDS);
        assert_eq!(SOLVER.response(&case.kick().response_input()).ignored_motion, Some(inert));
        let (mut world, mut pose) = case.kick().world();
        pose.local[0].translation.z = 0.001;
        world.step(&StepInput { pose: &pose, grab: None, dt: FRAME_SECONDS });
        let found = sideways_offset(&world);
        assert!((found - 0.001 * f64::from(inert)).abs() < 1e-5, "{found} at inert {inert}");
    }
}

#[test]
fn a_tip_stays_within_the_predicted_max_angle() {
    for (stiffness, weight) in [(0.7, 1.0), (0.9, 1.0), (0.5, 0.6)] {
        let joint = [(STIFFNESS, stiffness), (ELASTICITY, 0.0)];
        let case = case(&joint, &[(FORCE[2], -0.01), (BLEND_WEIGHT, weight)], FRAME_SECONDS);
        let reach = SOLVER.response(&case.kick().response_input()).max_angle_deg.expect("a maximum angle");
        let (mut world, pose) = case.kick().world();
        (0..300).for_each(|_| world.step(&StepInput { pose: &pose, grab: None, dt: FRAME_SECONDS }));
        let along = world.tip(JOINT).expect("a joint") - world.frames().frame(BoneId(1)).position;
        let found = along.angle_between(Vec3::NEG_Y).to_degrees();
        assert!((found / reach - 1.0).abs() < 0.03, "measured {found} degrees, reported {reach}");
    }
}
