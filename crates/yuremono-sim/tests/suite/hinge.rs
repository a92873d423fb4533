//! Tests hinges beyond the recordings: physics, springs, limits, chains, drags, and the response model.

use super::support::kick::{JOINT, Kick, check_response, params_with};
use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::hinge::{
    CENTER_OF_MASS, DAMPING, GRAVITY_SCALE, HINGE_AXIS, INERTIA_SCALE, MAX_ANGLE, MIN_ANGLE, PARAMS, PHYSICAL,
    REST_ANGLE, SPRING, START, VARIANT, VELOCITY,
};
use yuremono_sim::{GrabTarget, JointGrab, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World};

const DT: f32 = 1.0 / 60.0;
const LEVER_LENGTH: f32 = 0.19;
/// The centre of mass is directly below the hinge.
const HANGING_DOWN: [(ParamId, f32); 1] = [(CENTER_OF_MASS[1], -LEVER_LENGTH)];

fn chain_skeleton(count: u32) -> Skeleton {
    let bone = |i: u32| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(BoneId),
        rest: Trs::from_translation(if i == 0 { Vec3::Y } else { Vec3::Y * -0.1 }),
    };
    Skeleton::new((0..count).map(bone).collect()).expect("parents first")
}

/// Returns a setup with a hinge on every bone of a chain skeleton.
fn hinge_setup(count: u32, values: &[(ParamId, f32)], system: &[(ParamId, f32)]) -> SystemSetup {
    let joint = |bone: u32| JointSetup {
        bone: BoneId(bone),
        tip: TipSetup::Bones(Vec::new()),
        values: params_with(PARAMS, values),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    SystemSetup {
        joints: (0..count).map(joint).collect(),
        ..SystemSetup::new(SolverKind::Hinge, params_with(PARAMS, system))
    }
}

fn single_hinge(values: &[(ParamId, f32)], system: &[(ParamId, f32)]) -> (World, Pose) {
    let skeleton = chain_skeleton(1);
    (World::build(&skeleton, &[hinge_setup(1, values, system)]), Pose::rest(&skeleton))
}

/// Returns the displayed angle of the first bone about X, in degrees.
fn hinge_angle(world: &World) -> f32 {
    let q = world.pose().local[0].rotation;
    2.0 * libm::atan2f(q.x, q.w).to_degrees()
}

fn step(world: &mut World, pose: &Pose) {
    world.step(&StepInput { pose, grab: None, dt: DT });
}

#[track_caller]
fn check_response_of(more: &[(ParamId, f32)], system: &[(ParamId, f32)]) {
    let (joint, system) = (params_with(PARAMS, &[&HANGING_DOWN, more].concat()), params_with(PARAMS, system));
    check_response(&Kick {
        bone_length: LEVER_LENGTH,
        step_count: 240,
        ..Kick::new(SolverKind::Hinge, &joint, &system, DT)
    });
}

#[test]
fn hinges_have_the_response_that_their_params_predict() {
    for variant in [0.0, 1.0, 2.0] {
        let system = [(VARIANT, variant)];
        check_response_of(&[], &system);
        check_response_of(&[(SPRING, 100.0), (DAMPING, 4.0)], &system);
        check_response_of(&[(SPRING, 60.0), (GRAVITY_SCALE, 2.0), (INERTIA_SCALE, 0.5)], &system);
    }
    for variant in [0.0, 1.0] {
        check_response_of(&[(DAMPING, 1.0)], &[(VARIANT, variant), (PHYSICAL, 1.0)]);
        check_response_of(&[(DAMPING, 3.0), (SPRING, 50.0)], &[(VARIANT, variant), (PHYSICAL, 1.0)]);
    }
}

/// Unlike in the hinge article, physical hinges convert radians to degrees.
#[test]
fn physical_hinges_convert_radians_to_degrees() {
    let level = |physical| {
        let (mut world, pose) = single_hinge(
            &[(CENTER_OF_MASS[1], 0.0), (CENTER_OF_MASS[2], LEVER_LENGTH)],
            &[(VARIANT, 0.0), (PHYSICAL, physical)],
        );
        step(&mut world, &pose);
        hinge_angle(&world)
    };
    let radians = 9.8 / LEVER_LENGTH * DT * DT;
    assert!((level(1.0) / radians.to_degrees() - 1.0).abs() < 1e-3, "{}", level(1.0));
    assert!((level(0.0) / radians - 1.0).abs() < 1e-2, "{}", level(0.0));
}

#[test]
fn constant_velocity_deflects_only_hinges_that_are_not_physical() {
    let off = |physical| {
        let (mut world, mut pose) = single_hinge(&HANGING_DOWN, &[(PHYSICAL, physical)]);
        for frame in 0..600 {
            // The root accelerates slowly and then moves at constant speed.
            let t = frame as f32 * DT;
            pose.local[0].translation.z = if t < 4.0 { 0.125 * t * t } else { 2.0 + (t - 4.0) };
            step(&mut world, &pose);
        }
        hinge_angle(&world).abs()
    };
    assert!(off(0.0) > 40.0, "the listing treats speed as acceleration: {}", off(0.0));
    let (mut world, mut pose) = single_hinge(&[HANGING_DOWN[0], (DAMPING, 2.0)], &[(PHYSICAL, 1.0)]);
    let mut leant = 0.0;
    for frame in 0..900 {
        let t = frame as f32 * DT;
        pose.local[0].translation.z = if t < 4.0 { 0.5 * t * t } else { 8.0 + 4.0 * (t - 4.0) };
        step(&mut world, &pose);
        leant = if frame == 235 { hinge_angle(&world) } else { leant };
    }
    // A pendulum that accelerates at 1 m/s² leans backwards by atan(1 / 9.8).
    let expected = libm::atanf(1.0_f32 / 9.8).to_degrees();
    assert!((leant.abs() / expected - 1.0).abs() < 0.1, "leant {leant}, expected {expected}");
    assert!(hinge_angle(&world).abs() < 0.5, "at constant speed it hangs straight down: {}", hinge_angle(&world));
}

#[test]
fn a_limit_reflects_the_velocity() {
    let values = [(MIN_ANGLE, -10.0), (MAX_ANGLE, 20.0), (VELOCITY, 660.0), (GRAVITY_SCALE, 0.0), (INERTIA_SCALE, 0.0)];
    let (mut world, pose) = single_hinge(&values, &[]);
    let angles: Vec<f32> = (0..6).map(|_| (step(&mut world, &pose), hinge_angle(&world)).1).collect();
    let expected = [11.0, 20.0, 14.5, 9.0, 3.5, -2.0];
    let near = angles.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.01);
    assert!(near, "{angles:?}");
}

#[test]
fn a_spring_brings_the_hinge_to_its_rest_angle_from_every_start() {
    let values = [(REST_ANGLE, 30.0), (GRAVITY_SCALE, 0.0), (SPRING, 100.0), (DAMPING, 10.0)];
    let (mut resting, pose) = single_hinge(&values, &[]);
    step(&mut resting, &pose);
    assert!((hinge_angle(&resting) - 30.0).abs() < 0.01, "{}", hinge_angle(&resting));
    let (mut falling, _) = single_hinge(&values, &[(START, 2.0)]);
    step(&mut falling, &pose);
    assert!(hinge_angle(&falling) > 100.0);
    for _ in 0..300 {
        step(&mut falling, &pose);
    }
    assert!((hinge_angle(&falling) - 30.0).abs() < 0.1, "{}", hinge_angle(&falling));
    falling.reset(&pose);
    step(&mut falling, &pose);
    assert!(hinge_angle(&falling) > 100.0, "a reset restores the start angle");
}

/// Unlike in the hinge article, a frame of zero length changes nothing.
#[test]
fn a_frame_of_zero_length_changes_nothing() {
    let (mut world, pose) = single_hinge(&[], &[(START, 2.0)]);
    for _ in 0..30 {
        step(&mut world, &pose);
    }
    let before = world.pose().clone();
    world.step(&StepInput { pose: &pose, grab: None, dt: 0.0 });
    assert_eq!(world.pose(), &before);
}

#[test]
fn a_grab_rotates_the_hinge_about_its_axis_and_keeps_its_velocity_on_release() {
    let (mut world, pose) = single_hinge(&[HANGING_DOWN[0], (GRAVITY_SCALE, 0.0)], &[(VARIANT, 0.0)]);
    let around = |degrees: f32| Vec3::Y + Quat::from_rotation_x(degrees.to_radians()) * (Vec3::Y * -LEVER_LENGTH);
    for i in 0..10_u8 {
        let target = around(f32::from(i) * 3.0) + Vec3::X * 0.3;
        world.step(&StepInput {
            pose: &pose,
            grab: Some(JointGrab { joint: JOINT, target: GrabTarget::Tip(target) }),
            dt: DT,
        });
    }
    assert!((hinge_angle(&world) - 27.0).abs() < 0.5, "{}", hinge_angle(&world));
    step(&mut world, &pose);
    step(&mut world, &pose);
    assert!((hinge_angle(&world) - 33.0).abs() < 1.0, "the hinge keeps the speed of the drag: {}", hinge_angle(&world));
    let q = world.pose().local[0].rotation;
    assert!(q.y.abs() + q.z.abs() < 1e-5, "{q}");
}

#[test]
fn nested_hinges_and_extreme_values_stay_finite() {
    let skeleton = chain_skeleton(4);
    let odd: [&[(ParamId, f32)]; 4] = [
        &[],
        &[(CENTER_OF_MASS[1], 0.0)],
        &[(HINGE_AXIS[0], 0.0), (HINGE_AXIS[1], 0.0)],
        &[(HINGE_AXIS[1], 1.0), (CENTER_OF_MASS[0], 1e15), (MIN_ANGLE, 50.0), (MAX_ANGLE, -50.0)],
    ];
    for values in odd {
        for variant in [0.0, 1.0, 2.0] {
            let mut world =
                World::build(&skeleton, &[hinge_setup(4, values, &[(VARIANT, variant), (PHYSICAL, variant % 2.0)])]);
            let mut pose = Pose::rest(&skeleton);
            for frame in 0..240 {
                pose.local[0].translation.z = libm::sinf(frame as f32 * 0.2);
                step(&mut world, &pose);
                assert!(world.pose().local.iter().all(|l| l.rotation.is_finite()), "{values:?} {variant} {frame}");
            }
            let fresh = yuremono_sim::rig::WorldPose::from_pose(&skeleton, world.pose());
            for (found, expected) in world.frames().frames.iter().zip(&fresh.frames) {
                assert!(found.position.distance(expected.position) < 1e-5);
            }
        }
    }
}
