//! Tests `PbdSpringBone` beyond the recordings: toggles, unusual skeletons, and extensions.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::pbd_spring_bone::{
    COLLIDE_WITH_GROUND, FOLLOW_SCALE, GRAVITY, GROUND_HEIGHT, ITERATIONS, NO_ANIMATOR, PARAMS, POINT_SIZE, SPRING,
    STEPS_PER_SECOND,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

fn skeleton(bones: &[(Option<u32>, Vec3, f32)]) -> Skeleton {
    let bone = |(i, (parent, at, scale)): (usize, &(Option<u32>, Vec3, f32))| Bone {
        name: format!("b{i}"),
        parent: parent.map(BoneId),
        rest: Trs { translation: *at, rotation: Quat::IDENTITY, scale: Vec3::splat(*scale) },
    };
    Skeleton::new(bones.iter().enumerate().map(bone).collect()).expect("parents first")
}

/// Returns a horizontal chain of `count` bones of 0.1 m whose root is scaled.
fn horizontal_chain(count: u32, scale: f32) -> Skeleton {
    let mut bones = vec![(None, Vec3::Y, scale)];
    bones.extend((0..count).map(|i| (Some(i), Vec3::X * 0.1, 1.0)));
    skeleton(&bones)
}

fn joint(skeleton: &Skeleton, bone: u32, values: &[(ParamId, f32)]) -> JointSetup {
    let mut set = ParamSet::defaults(PARAMS);
    for (param, value) in values {
        set.set(*param, *value);
    }
    JointSetup {
        bone: BoneId(bone),
        tip: TipSetup::Bones(skeleton.children(BoneId(bone)).to_vec()),
        values: set,
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

/// Returns all bones of a skeleton as joints.
fn setup(skeleton: &Skeleton, values: &[(ParamId, f32)], system: &[(ParamId, f32)]) -> SystemSetup {
    let mut set = ParamSet::defaults(PARAMS);
    for (param, value) in system {
        set.set(*param, *value);
    }
    let joints = skeleton.ids().map(|bone| joint(skeleton, bone.0, values)).collect();
    SystemSetup { joints, ..SystemSetup::new(SolverKind::PbdSpringBone, set) }
}

/// Steps a world and checks after each step that all tips are finite. The root moves unless `still` is set.
fn run_checked(skeleton: &Skeleton, setup: SystemSetup, frames: u32, dt: f32, still: bool) -> World {
    let count = setup.joints.len() as u32;
    let mut world = World::build(skeleton, &[setup]);
    let mut pose = Pose::rest(skeleton);
    let at = pose.local[0].translation;
    for frame in 0..frames {
        if !still {
            pose.local[0].translation = at + Vec3::new(libm::sinf(frame as f32 * 0.1), 0.0, 0.0) * 0.2;
        }
        world.step(&StepInput { pose: &pose, grab: None, dt });
        assert!((0..count).all(|joint| tip_position(&world, joint).is_finite()), "frame {frame}");
        assert!(world.pose().local.iter().all(|local| local.rotation.is_finite()), "frame {frame}");
    }
    world
}

fn tip_position(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

#[test]
fn chains_keep_their_shape_with_an_animator_and_droop_without() {
    let skeleton = horizontal_chain(4, 1.0);
    for spring in [100.0, 1000.0] {
        let end = |quirk| {
            let setup = setup(&skeleton, &[(SPRING, spring)], &[(NO_ANIMATOR, quirk)]);
            tip_position(&run_checked(&skeleton, setup, 600, DT, true), 3)
        };
        let (kept, drooped) = (end(0.0), end(1.0));
        assert!(drooped.y < 0.63, "four bones hang straight down: {drooped}");
        assert!(kept.y > drooped.y + 0.02 && kept.x > 0.05, "the shape is kept: {kept}");
    }
}

#[test]
fn degenerate_skeletons_stay_finite_and_keep_their_lengths() {
    let o = Vec3::ZERO;
    let cases: [&[(Option<u32>, Vec3, f32)]; 6] = [
        &[(None, Vec3::Y, 1.0)],
        &[(None, Vec3::Y, 1.0), (Some(0), o, 1.0), (Some(1), Vec3::X * 0.1, 1.0), (Some(2), o, 1.0)],
        &[(None, Vec3::Y, 1.0), (Some(0), Vec3::X * 0.1, 1.0), (Some(0), Vec3::X * 0.1, 1.0), (Some(2), Vec3::X, 1.0)],
        &[(None, Vec3::Y, 0.001), (Some(0), Vec3::X * 0.1, 1.0), (Some(1), Vec3::X * 0.1, 1.0)],
        &[(None, Vec3::Y, 1000.0), (Some(0), Vec3::X * 0.1, 1.0), (Some(1), Vec3::X * 0.1, 1.0)],
        &[(None, Vec3::Y, 1.0), (Some(0), -Vec3::Y, -2.0), (Some(1), -Vec3::Y, 0.0), (Some(2), -Vec3::Y, 1.0)],
    ];
    for (case, bones) in cases.into_iter().enumerate() {
        let skeleton = skeleton(bones);
        for system in [&[][..], &[(NO_ANIMATOR, 1.0)], &[(ITERATIONS, 3.0)], &[(FOLLOW_SCALE, 1.0)]] {
            let world = run_checked(&skeleton, setup(&skeleton, &[], system), 120, DT, false);
            for bone in 0..bones.len() as u32 {
                let joint = JointIndex { system: 0, joint: bone };
                let head = world.frames().frame(BoneId(bone)).position;
                // Heads and points differ after a fork, and if the solver does not follow the scale.
                if case < 2 {
                    let length = world.tip_offset(joint).expect("a joint").length();
                    let off = tip_position(&world, bone).distance(head) - length;
                    assert!(off.abs() < 1e-5, "case {case} bone {bone} is {off} m too long");
                }
            }
        }
    }
}

#[test]
fn lengths_follow_scale_only_when_enabled() {
    for scale in [0.001, 10.0, 1000.0] {
        let skeleton = horizontal_chain(3, scale);
        let end = |follow| {
            let world = run_checked(&skeleton, setup(&skeleton, &[], &[(FOLLOW_SCALE, follow)]), 60, DT, true);
            tip_position(&world, 2).distance(tip_position(&world, 1))
        };
        assert!((end(1.0) / (0.1 * scale) - 1.0).abs() < 1e-3, "{}", end(1.0));
        assert!((end(0.0) / 0.1 - 1.0).abs() < 1e-2, "PbdSpringBone uses local lengths: {}", end(0.0));
    }
}

#[test]
fn fixed_steps_do_not_depend_on_the_frame_rate() {
    let skeleton = horizontal_chain(4, 1.0);
    let end = |rate: f32, frames: u32| {
        let setup = setup(&skeleton, &[(SPRING, 60.0)], &[(STEPS_PER_SECOND, rate)]);
        tip_position(&run_checked(&skeleton, setup, frames, 0.5 / frames as f32, true), 3)
    };
    let reference = end(60.0, 30);
    for frames in [15, 30, 120] {
        assert!(end(60.0, frames).distance(reference) < 1e-5, "{frames} frames in half a second");
    }
    assert!(end(0.0, 120).distance(reference) > 1e-3, "PbdSpringBone damps once per frame");
}

/// Unlike in `PbdSpringBone`, a frame of zero duration changes nothing.
#[test]
fn a_frame_of_zero_duration_changes_nothing() {
    let skeleton = horizontal_chain(4, 1.0);
    let mut worlds = [0, 3].map(|pauses| {
        let mut world = World::build(&skeleton, &[setup(&skeleton, &[], &[])]);
        let pose = Pose::rest(&skeleton);
        for frame in 0..40 {
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
            for _ in 0..if frame == 20 { pauses } else { 0 } {
                let before = world.pose().clone();
                world.step(&StepInput { pose: &pose, grab: None, dt: 0.0 });
                let turned =
                    before.local.iter().zip(&world.pose().local).map(|(a, b)| a.rotation.angle_between(b.rotation));
                assert!(turned.fold(0.0, f32::max) < 2e-3, "the pose does not move");
            }
        }
        world
    });
    let [plain, paused] = &mut worlds;
    assert_eq!(tip_position(plain, 3), tip_position(paused, 3));
}

#[test]
fn a_tip_at_the_position_of_its_head_recovers_its_length() {
    let skeleton = horizontal_chain(2, 1.0);
    let mut world = World::build(&skeleton, &[setup(&skeleton, &[(GRAVITY, 0.0), (SPRING, 0.0)], &[])]);
    let head = world.frames().frame(BoneId(1)).position;
    world.set_tip(JointIndex { system: 0, joint: 1 }, head, head);
    world.step(&StepInput { pose: &Pose::rest(&skeleton), grab: None, dt: DT });
    assert!((tip_position(&world, 1).distance(head) - 0.1).abs() < 1e-6, "{}", tip_position(&world, 1));
}

/// Steps a chain of six bones over a sphere. Returns the largest penetration depth and the number of touching points
/// during the last second.
fn contact_over_sphere(rounds: f32) -> (f32, usize) {
    let mut bones = vec![(None, Vec3::Y, 1.0)];
    bones.extend((0..6).map(|i| (Some(i), Vec3::X * 0.1, 1.0)));
    bones.push((None, Vec3::new(0.22, 0.85, 0.01), 1.0));
    let skeleton = skeleton(&bones);
    let mut setup = setup(&skeleton, &[(SPRING, 0.0), (POINT_SIZE, 0.03)], &[(ITERATIONS, rounds)]);
    setup.joints.truncate(6);
    setup.colliders = vec![ColliderSetup::new(BoneId(7), ColliderShape::Sphere { radius: 0.12, inside: false })];
    setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    let (mut deepest, mut most) = (0.0_f32, 0);
    for _ in 0..60 {
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        deepest = deepest.max(world.deepest_contact().map_or(0.0, |contact| contact.depth));
        most = most.max(world.contacts().len());
    }
    (deepest, most)
}

#[test]
fn more_iterations_reduce_penetration() {
    let ((one, _), (many, touching)) = (contact_over_sphere(0.0), contact_over_sphere(20.0));
    assert!(touching > 0, "the chain falls on the sphere");
    assert!(many < 0.5 * one, "the depth is {one} m with one iteration, {many} m with many");
}

#[test]
fn the_ground_stops_points_and_is_reported_as_a_contact() {
    let skeleton = horizontal_chain(6, 1.0);
    let system = [(COLLIDE_WITH_GROUND, 1.0), (GROUND_HEIGHT, 0.9), (ITERATIONS, 10.0)];
    let world = run_checked(&skeleton, setup(&skeleton, &[(SPRING, 0.0)], &system), 240, DT, true);
    assert!((0..6).all(|joint| tip_position(&world, joint).y > 0.915), "the radius of the points is 0.02");
    assert!(world.contacts().iter().any(|contact| contact.collider.is_none()));
}

#[test]
fn bones_below_a_fork_follow_their_solved_parents() {
    let skeleton = skeleton(&[
        (None, Vec3::Y, 1.0),
        (Some(0), Vec3::new(0.1, -0.1, 0.0), 1.0),
        (Some(1), Vec3::NEG_Y * 0.1, 1.0),
        (Some(0), Vec3::new(-0.1, -0.1, 0.0), 1.0),
        (Some(3), Vec3::NEG_Y * 0.1, 1.0),
    ]);
    let mut setup = setup(&skeleton, &[], &[]);
    setup.colliders = vec![ColliderSetup::new(BoneId(4), ColliderShape::Sphere { radius: 0.02, inside: false })];
    setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
    let world = run_checked(&skeleton, setup, 60, DT, false);
    let fresh = yuremono_sim::rig::WorldPose::from_pose(&skeleton, world.pose());
    for (bone, (found, expected)) in world.frames().frames.iter().zip(&fresh.frames).enumerate() {
        assert!(found.position.distance(expected.position) < 1e-6, "bone {bone}");
        assert!(found.rotation.angle_between(expected.rotation) < 2e-3, "bone {bone}");
    }
}

#[test]
fn a_disabled_joint_keeps_its_pose_and_carries_its_point() {
    let skeleton = horizontal_chain(3, 1.0);
    let mut setup = setup(&skeleton, &[], &[]);
    setup.joints[1].enabled = false;
    let world = run_checked(&skeleton, setup, 60, DT, true);
    assert_eq!(world.pose().local[1].rotation, Quat::IDENTITY);
    assert!(tip_position(&world, 1).distance(world.frames().frame(BoneId(2)).position) < 1e-6);
    assert!(world.pose().local[2].rotation != Quat::IDENTITY, "its neighbours continue to move");
}
