//! What of `PbdSpringBone` no recording shows: switches of its own, odd skeletons, and what no engine has.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, Row};
use yuremono::sim::solver::pbd_spring_bone::{
    COLLIDE_WITH_GROUND, FOLLOW_SCALE, GRAVITY, GROUND_HEIGHT, ITERATIONS, NO_ANIMATOR, PARAMS, POINT_SIZE, SPRING,
    STEPS_PER_SECOND,
};
use yuremono::sim::{
    ColliderSetup, JointIndex, JointSetup, Shape, SolverKind, StepInput, SystemSetup, TipSetup, World,
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

/// A level chain of so many bones of a tenth, below a root of some scale.
fn level(count: u32, scale: f32) -> Skeleton {
    let mut bones = vec![(None, Vec3::Y, scale)];
    bones.extend((0..count).map(|i| (Some(i), Vec3::X * 0.1, 1.0)));
    skeleton(&bones)
}

fn joint(skeleton: &Skeleton, bone: u32, values: &[(Row, f32)]) -> JointSetup {
    let mut set = ParamSet::defaults(PARAMS);
    for (row, value) in values {
        set.set(*row, *value);
    }
    JointSetup {
        bone: BoneId(bone),
        tip: TipSetup::Bones(skeleton.children(BoneId(bone)).to_vec()),
        values: set,
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

/// All bones of a skeleton as joints.
fn setup(skeleton: &Skeleton, values: &[(Row, f32)], system: &[(Row, f32)]) -> SystemSetup {
    let mut set = ParamSet::defaults(PARAMS);
    for (row, value) in system {
        set.set(*row, *value);
    }
    let joints = skeleton.ids().map(|bone| joint(skeleton, bone.0, values)).collect();
    SystemSetup { joints, ..SystemSetup::new(SolverKind::PbdSpringBone, set) }
}

/// Steps a world, with its root moved about, and looks at every number after each.
fn run(skeleton: &Skeleton, setup: SystemSetup, frames: u32, dt: f32, still: bool) -> World {
    let count = setup.joints.len() as u32;
    let mut world = World::build(skeleton, &[setup]);
    let mut pose = Pose::rest(skeleton);
    let at = pose.local[0].translation;
    for frame in 0..frames {
        if !still {
            pose.local[0].translation = at + Vec3::new((frame as f32 * 0.1).sin(), 0.0, 0.0) * 0.2;
        }
        world.step(&StepInput { pose: &pose, hold: None, dt });
        assert!((0..count).all(|joint| tip(&world, joint).is_finite()), "frame {frame}");
        assert!(world.pose().local.iter().all(|local| local.rotation.is_finite()), "frame {frame}");
    }
    world
}

fn tip(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

#[test]
fn with_an_animator_shapes_are_kept_and_without_one_they_droop() {
    let skeleton = level(4, 1.0);
    for spring in [100.0, 1000.0] {
        let end = |quirk| {
            let setup = setup(&skeleton, &[(SPRING, spring)], &[(NO_ANIMATOR, quirk)]);
            tip(&run(&skeleton, setup, 600, DT, true), 3)
        };
        let (kept, drooped) = (end(0.0), end(1.0));
        assert!(drooped.y < 0.63, "four bones hang straight down: {drooped}");
        assert!(kept.y > drooped.y + 0.02 && kept.x > 0.05, "the shape is remembered: {kept}");
    }
}

#[test]
fn odd_skeletons_stay_finite_and_keep_their_lengths() {
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
            let world = run(&skeleton, setup(&skeleton, &[], system), 120, DT, false);
            for bone in 0..bones.len() as u32 {
                let joint = JointIndex { system: 0, joint: bone };
                let head = world.frames().frame(BoneId(bone)).position;
                // Heads stand apart from their points where scale is not followed, and after forks.
                if case < 2 {
                    let length = world.tip_offset(joint).expect("a joint").length();
                    let off = tip(&world, bone).distance(head) - length;
                    assert!(off.abs() < 1e-5, "case {case} bone {bone} is {off} m too long");
                }
            }
        }
    }
}

#[test]
fn lengths_follow_scale_only_where_they_shall() {
    for scale in [0.001, 10.0, 1000.0] {
        let skeleton = level(3, scale);
        let end = |follow| {
            let world = run(&skeleton, setup(&skeleton, &[], &[(FOLLOW_SCALE, follow)]), 60, DT, true);
            tip(&world, 2).distance(tip(&world, 1))
        };
        assert!((end(1.0) / (0.1 * scale) - 1.0).abs() < 1e-3, "{}", end(1.0));
        assert!((end(0.0) / 0.1 - 1.0).abs() < 1e-2, "the engine takes local lengths: {}", end(0.0));
    }
}

#[test]
fn fixed_steps_move_alike_at_every_frame_rate() {
    let skeleton = level(4, 1.0);
    let end = |rate: f32, frames: u32| {
        let setup = setup(&skeleton, &[(SPRING, 60.0)], &[(STEPS_PER_SECOND, rate)]);
        tip(&run(&skeleton, setup, frames, 0.5 / frames as f32, true), 3)
    };
    let reference = end(60.0, 30);
    for frames in [15, 30, 120] {
        assert!(end(60.0, frames).distance(reference) < 1e-5, "{frames} frames in half a second");
    }
    assert!(end(0.0, 120).distance(reference) > 1e-3, "the engine loses speed once a frame");
}

/// Differs from `PbdSpringBone`: a frame that lasts no time changes nothing.
#[test]
fn a_frame_that_lasts_no_time_changes_nothing() {
    let skeleton = level(4, 1.0);
    let mut worlds = [0, 3].map(|pauses| {
        let mut world = World::build(&skeleton, &[setup(&skeleton, &[], &[])]);
        let pose = Pose::rest(&skeleton);
        for frame in 0..40 {
            world.step(&StepInput { pose: &pose, hold: None, dt: DT });
            for _ in 0..if frame == 20 { pauses } else { 0 } {
                let before = world.pose().clone();
                world.step(&StepInput { pose: &pose, hold: None, dt: 0.0 });
                let turned =
                    before.local.iter().zip(&world.pose().local).map(|(a, b)| a.rotation.angle_between(b.rotation));
                assert!(turned.fold(0.0, f32::max) < 2e-3, "the picture stands still");
            }
        }
        world
    });
    let [plain, paused] = &mut worlds;
    assert_eq!(tip(plain, 3), tip(paused, 3));
}

#[test]
fn a_point_upon_its_head_finds_a_way_out() {
    let skeleton = level(2, 1.0);
    let mut world = World::build(&skeleton, &[setup(&skeleton, &[(GRAVITY, 0.0), (SPRING, 0.0)], &[])]);
    let head = world.frames().frame(BoneId(1)).position;
    world.place_tip(JointIndex { system: 0, joint: 1 }, head, head);
    world.step(&StepInput { pose: &Pose::rest(&skeleton), hold: None, dt: DT });
    assert!((tip(&world, 1).distance(head) - 0.1).abs() < 1e-6, "{}", tip(&world, 1));
}

/// A chain of six over a ball; how deep its points are in the ball at most, and how many touch it, over the last second.
fn over_a_ball(rounds: f32) -> (f32, usize) {
    let mut bones = vec![(None, Vec3::Y, 1.0)];
    bones.extend((0..6).map(|i| (Some(i), Vec3::X * 0.1, 1.0)));
    bones.push((None, Vec3::new(0.22, 0.85, 0.01), 1.0));
    let skeleton = skeleton(&bones);
    let mut setup = setup(&skeleton, &[(SPRING, 0.0), (POINT_SIZE, 0.03)], &[(ITERATIONS, rounds)]);
    setup.joints.truncate(6);
    setup.colliders = vec![ColliderSetup::new(BoneId(7), Shape::Sphere { radius: 0.12, inside: false })];
    setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    let (mut deepest, mut most) = (0.0_f32, 0);
    for _ in 0..60 {
        world.step(&StepInput { pose: &pose, hold: None, dt: DT });
        deepest = deepest.max(world.worst_penetration().map_or(0.0, |contact| contact.depth));
        most = most.max(world.contacts().len());
    }
    (deepest, most)
}

#[test]
fn rounds_hold_points_out_of_solids_better_than_one_pass() {
    let ((one, _), (many, touching)) = (over_a_ball(0.0), over_a_ball(20.0));
    assert!(touching > 0, "the chain falls on the ball");
    assert!(many < 0.5 * one, "one pass leaves points {one} m deep, many rounds {many} m");
}

#[test]
fn the_ground_holds_points_and_is_told_as_a_contact() {
    let skeleton = level(6, 1.0);
    let system = [(COLLIDE_WITH_GROUND, 1.0), (GROUND_HEIGHT, 0.9), (ITERATIONS, 10.0)];
    let world = run(&skeleton, setup(&skeleton, &[(SPRING, 0.0)], &system), 240, DT, true);
    assert!((0..6).all(|joint| tip(&world, joint).y > 0.915), "the points' radius is 0.02");
    assert!(world.contacts().iter().any(|contact| contact.collider.is_none()));
}

#[test]
fn what_hangs_below_a_fork_ends_where_its_parents_end() {
    let skeleton = skeleton(&[
        (None, Vec3::Y, 1.0),
        (Some(0), Vec3::new(0.1, -0.1, 0.0), 1.0),
        (Some(1), Vec3::NEG_Y * 0.1, 1.0),
        (Some(0), Vec3::new(-0.1, -0.1, 0.0), 1.0),
        (Some(3), Vec3::NEG_Y * 0.1, 1.0),
    ]);
    let mut setup = setup(&skeleton, &[], &[]);
    setup.colliders = vec![ColliderSetup::new(BoneId(4), Shape::Sphere { radius: 0.02, inside: false })];
    setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
    let world = run(&skeleton, setup, 60, DT, false);
    let fresh = yuremono::rig::WorldPose::of(&skeleton, world.pose());
    for (bone, (found, expected)) in world.frames().frames.iter().zip(&fresh.frames).enumerate() {
        assert!(found.position.distance(expected.position) < 1e-6, "bone {bone}");
        assert!(found.rotation.angle_between(expected.rotation) < 2e-3, "bone {bone}");
    }
}

#[test]
fn a_joint_that_is_off_keeps_the_pose_and_takes_its_point_along() {
    let skeleton = level(3, 1.0);
    let mut setup = setup(&skeleton, &[], &[]);
    setup.joints[1].enabled = false;
    let world = run(&skeleton, setup, 60, DT, true);
    assert_eq!(world.pose().local[1].rotation, Quat::IDENTITY);
    assert!(tip(&world, 1).distance(world.frames().frame(BoneId(2)).position) < 1e-6);
    assert!(world.pose().local[2].rotation != Quat::IDENTITY, "its neighbours go on");
}
