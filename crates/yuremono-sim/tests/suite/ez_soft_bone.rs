//! Tests `EZSoftBone` beyond the recordings: forks, unusual bones, scales, meshes, disabled joints and drags.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::ez_soft_bone::{
    CLOSED_SIBLINGS, GRAVITY, ITERATIONS, LENGTH_UNIFICATION, PARAMS, RADIUS, RESISTANCE, SIBLING_CONSTRAINTS,
    SLACKNESS, SLEEP_THRESHOLD, START_DEPTH,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, ConvexHull, EzCollider, EzForceField, GrabTarget, JointGrab, JointIndex, JointSetup,
    SolverKind, StepInput, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// Builds bones from parents and positions. Every bone with children is a joint, except the first bone.
fn skeleton_and_setup(bones: &[(Option<u32>, Vec3)], rows: &[(ParamId, f32)]) -> (Skeleton, SystemSetup) {
    let bone = |(i, (parent, place)): (usize, &(Option<u32>, Vec3))| Bone {
        name: format!("b{i}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(*place),
    };
    let skeleton = Skeleton::new(bones.iter().enumerate().map(bone).collect()).expect("parents first");
    let mut values = ParamSet::defaults(PARAMS);
    for (param, value) in rows {
        values.set(*param, *value);
    }
    let joint = |bone: BoneId| JointSetup {
        bone,
        tip: TipSetup::Bones(skeleton.children(bone).to_vec()),
        values: values.clone(),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let joints = skeleton.ids().skip(1).filter(|b| !skeleton.children(*b).is_empty()).map(joint).collect();
    let setup = SystemSetup { joints, ..SystemSetup::new(SolverKind::EzSoftBone, values.clone()) };
    (skeleton, setup)
}

/// Returns a root with a chain of `count` bones, each `length` metres long.
fn straight_chain(count: u32, length: f32) -> Vec<(Option<u32>, Vec3)> {
    let below = (0..count).map(|i| (Some(i), if i == 0 { Vec3::ZERO } else { Vec3::NEG_Y * length }));
    std::iter::once((None, Vec3::Y * length)).chain(below).collect()
}

fn shake_root(world: &mut World, pose: &mut Pose, ticks: u32, size: f32) {
    for tick in 0..ticks {
        let t = tick as f32 * DT;
        pose.local[0].translation = Vec3::new(libm::sinf(t * 7.0), 1.0, libm::sinf(t * 5.0)) * size;
        world.step(&StepInput { pose, grab: None, dt: DT });
        let sound = world.pose().local.iter().all(|local| local.is_finite());
        assert!(sound, "tick {tick}: {:?}", world.pose().local);
    }
}

#[track_caller]
fn check_bone_lengths(world: &World, joints: u32) {
    for joint in (0..joints).map(|joint| JointIndex { system: 0, joint }) {
        let head = world.frames().frame(world.joint_bone(joint).expect("a bone")).position;
        let length = world.tip_offset(joint).expect("a joint").length();
        let found = world.tip(joint).expect("a joint").distance(head);
        assert!((found - length).abs() < 1e-4 * length.max(1e-3), "{joint:?} is {found} long, not {length}");
    }
}

#[test]
fn a_bone_with_two_children_does_not_rotate_and_each_branch_swings() {
    let x = |x: f32| Vec3::new(x, -0.1, 0.0);
    let bones = [
        (None, Vec3::Y),
        (Some(0), x(0.0)),
        (Some(1), x(0.0)),
        (Some(2), x(0.1)),
        (Some(2), x(-0.1)),
        (Some(3), x(0.0)),
    ];
    let (skeleton, setup) = skeleton_and_setup(&bones, &[(SLACKNESS, 0.0)]);
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    shake_root(&mut world, &mut pose, 30, 0.3);
    assert_eq!(world.pose().local[2].rotation, Quat::IDENTITY);
    for tip in [3, 4] {
        let off = world.pose().local[tip].translation.distance(skeleton.bones()[tip].rest.translation);
        assert!(off > 1e-3, "branch {tip} does not move");
    }
    check_bone_lengths(&world, 3);
}

#[test]
fn zero_length_coincident_and_single_bones_stay_finite() {
    let zero = [(None, Vec3::Y), (Some(0), Vec3::ZERO), (Some(1), Vec3::ZERO), (Some(2), Vec3::ZERO)];
    let twins = [(None, Vec3::Y), (Some(0), Vec3::ZERO), (Some(1), Vec3::NEG_Y * 0.1), (Some(1), Vec3::NEG_Y * 0.1)];
    for bones in [&zero[..], &twins[..], &straight_chain(2, 0.1), &straight_chain(1, 0.1)] {
        for mode in [0.0, 1.0, 2.0] {
            let rows = [
                (SIBLING_CONSTRAINTS, mode),
                (LENGTH_UNIFICATION, mode),
                (CLOSED_SIBLINGS, 1.0),
                (RADIUS, 0.02),
                (GRAVITY[1], -1.0),
            ];
            let (skeleton, setup) = skeleton_and_setup(bones, &rows);
            let mut world = World::build(&skeleton, &[setup]);
            shake_root(&mut world, &mut Pose::rest(&skeleton), 120, 0.3);
        }
    }
}

#[test]
fn without_slackness_bone_lengths_are_kept_at_every_scale() {
    for size in [0.001, 1.0, 1000.0] {
        let (skeleton, setup) =
            skeleton_and_setup(&straight_chain(6, 0.1), &[(SLACKNESS, 0.0), (SLEEP_THRESHOLD, 0.0), (RESISTANCE, 0.0)]);
        let mut bones = skeleton.bones().to_vec();
        bones[0].rest.scale = Vec3::splat(size);
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut world = World::build(&skeleton, &[setup]);
        shake_root(&mut world, &mut Pose::rest(&skeleton), 120, 0.3 * size);
        check_bone_lengths(&world, 5);
    }
}

#[test]
fn bones_up_to_the_start_depth_follow_the_pose() {
    let (skeleton, setup) = skeleton_and_setup(&straight_chain(5, 0.1), &[(START_DEPTH, 2.0)]);
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    pose.local[2].rotation = Quat::from_rotation_x(0.4);
    shake_root(&mut world, &mut pose, 30, 0.3);
    for bone in 0..4 {
        assert_eq!(world.pose().local[bone].translation, pose.local[bone].translation, "bone {bone}");
    }
    assert_eq!(world.pose().local[2].rotation, pose.local[2].rotation);
    assert!(world.pose().local[4].translation != pose.local[4].translation);
}

#[test]
fn a_disabled_joint_keeps_its_animated_pose() {
    let (skeleton, mut setup) = skeleton_and_setup(&straight_chain(6, 0.1), &[]);
    setup.joints[2].enabled = false;
    let mut world = World::build(&skeleton, &[setup]);
    let mut pose = Pose::rest(&skeleton);
    pose.local[3].rotation = Quat::from_rotation_z(0.5);
    shake_root(&mut world, &mut pose, 40, 0.3);
    assert_eq!(world.pose().local[3].rotation, pose.local[3].rotation);
    assert_eq!(world.pose().local[4].translation, pose.local[4].translation);
    let tip = world.tip(JointIndex { system: 0, joint: 2 }).expect("a joint");
    assert!(tip.distance(world.frames().frames[4].position) < 1e-6);
    assert!(world.pose().local[2].rotation != pose.local[2].rotation);
}

#[test]
fn a_tip_below_the_sleep_threshold_does_not_move() {
    let offset = |threshold: f32| {
        let (skeleton, setup) = skeleton_and_setup(
            &straight_chain(3, 0.1),
            &[(SLEEP_THRESHOLD, threshold), (GRAVITY[0], 0.05), (RESISTANCE, 0.0)],
        );
        let mut world = World::build(&skeleton, &[setup]);
        let pose = Pose::rest(&skeleton);
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        world.tip(JointIndex { system: 0, joint: 0 }).expect("a joint").x
    };
    // One frame accelerates the tip to 4 cm/s; the square of this speed is 0.0016.
    assert_eq!(offset(0.0017), 0.0);
    assert!(offset(0.0015) > 0.0);
}

#[test]
fn a_convex_hull_keeps_tips_out_and_is_reported_as_a_contact() {
    let (mut skeleton, mut setup) =
        skeleton_and_setup(&straight_chain(3, 0.1), &[(RADIUS, 0.02), (GRAVITY[0], 0.25), (RESISTANCE, 0.0)]);
    let at = Trs::from_translation(Vec3::new(0.1, -0.1, 0.0));
    let node = skeleton.push(Bone { name: "mesh".to_owned(), parent: Some(BoneId(0)), rest: at }).expect("a parent");
    let points =
        [0.05, -0.05].into_iter().flat_map(|x| [[x, -0.3, -0.3], [x, -0.3, 0.3], [x, 0.3, 0.3], [x, 0.3, -0.3]]);
    let quads = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let faces = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let hull = ConvexHull::new(points.map(Vec3::from).collect(), faces);
    setup.colliders =
        vec![ColliderSetup::new(node, ColliderShape::Box { width: 0.1, height: 0.6, depth: 0.6, inside: false })];
    setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
    let tip = |margin: f32, on: bool| {
        let mut setup = setup.clone();
        setup.colliders[0].enabled = on;
        setup.ez_soft_bone.colliders = vec![EzCollider { margin, hull: Some(hull.clone()) }];
        let mut world = World::build(&skeleton, &[setup]);
        let pose = Pose::rest(&skeleton);
        for _ in 0..90 {
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        }
        let reported = world.contacts().iter().any(|contact| contact.joint.joint == 1);
        (world.tip(JointIndex { system: 0, joint: 1 }).expect("a joint").x, reported)
    };
    let (free, touches) = tip(0.0, false);
    assert!(free > 0.06 && !touches, "{free}");
    let (held, touches) = tip(0.0, true);
    assert!((held - 0.03).abs() < 1e-4 && touches, "{held}");
    let (held, _) = tip(0.01, true);
    assert!((held - 0.02).abs() < 1e-4, "{held}");
}

#[test]
fn a_force_field_acts_along_its_bone_and_a_rebuild_keeps_its_time() {
    let (skeleton, mut setup) =
        skeleton_and_setup(&straight_chain(4, 0.1), &[(RESISTANCE, 0.0), (SLEEP_THRESHOLD, 0.0)]);
    setup.ez_soft_bone.force_field =
        Some(EzForceField { force: 0.2, turbulence: Vec3::X * 0.1, ..EzForceField::new(BoneId(0)) });
    let pose = Pose::rest(&skeleton);
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let joint = JointIndex { system: 0, joint: 2 };
    let mut paths = [Vec::new(), Vec::new()];
    for tick in 0..90 {
        world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        paths[0].push(world.tip(joint).expect("a joint"));
        if tick == 40 {
            world.rebuild(&skeleton, std::slice::from_ref(&setup));
        }
    }
    let mut whole = World::build(&skeleton, std::slice::from_ref(&setup));
    for _ in 0..90 {
        whole.step(&StepInput { pose: &pose, grab: None, dt: DT });
        paths[1].push(whole.tip(joint).expect("a joint"));
    }
    assert!(paths[1][89].z > 0.02, "{}", paths[1][89]);
    let sideways = paths[1].iter().fold(0.0_f32, |most, at| most.max(at.x.abs()));
    assert!(sideways > 1e-3, "the tip moves sideways");
    let off = paths[0][89].distance(paths[1][89]);
    assert!(off < 2e-3, "a rebuild moved the tip by {off} m");
}

#[test]
fn a_grabbed_tip_and_its_bone_reach_the_target() {
    let (skeleton, setup) = skeleton_and_setup(&straight_chain(6, 0.1), &[(SLACKNESS, 0.0)]);
    let mut world = World::build(&skeleton, &[setup]);
    let pose = Pose::rest(&skeleton);
    let joint = JointIndex { system: 0, joint: 4 };
    let target = Vec3::new(0.25, -0.2, 0.1);
    for _ in 0..60 {
        world.step(&StepInput {
            pose: &pose,
            grab: Some(JointGrab { joint, target: GrabTarget::Tip(target) }),
            dt: DT,
        });
    }
    let tip = world.tip(joint).expect("a joint");
    assert!(tip.distance(target) < 1e-3, "{tip}, not {target}");
    let bone = world.frames().frames[6].position;
    assert!(bone.distance(target) < 1e-3, "the bone at the tip is at {bone}");
}

#[test]
fn an_unrotated_gravity_aligner_cancels_gravity_despite_rounding() {
    for i in 0..200_u8 {
        let angle = f32::from(i) * 0.37;
        let gravity = Vec3::new(libm::sinf(angle), -1.0, libm::cosf(angle)) * 0.1;
        let awake = [(RESISTANCE, 0.0), (SLEEP_THRESHOLD, 0.0)];
        let rows: Vec<_> = GRAVITY.into_iter().zip(gravity.to_array()).chain(awake).collect();
        let (skeleton, mut setup) = skeleton_and_setup(&straight_chain(3, 0.1), &rows);
        setup.ez_soft_bone.gravity_aligner = Some(BoneId(0));
        let mut world = World::build(&skeleton, &[setup]);
        let joint = JointIndex { system: 0, joint: 1 };
        let rest = world.tip(joint).expect("a joint");
        let mut pose = Pose::rest(&skeleton);
        for _ in 0..30 {
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        }
        let off = world.tip(joint).expect("a joint").distance(rest);
        assert!(off < 1e-3, "{gravity}: {off} m");
        pose.local[0].rotation = Quat::from_rotation_x(1.0);
        world.reset(&pose);
        let before = world.tip(joint).expect("a joint");
        for _ in 0..30 {
            world.step(&StepInput { pose: &pose, grab: None, dt: DT });
        }
        assert!(world.tip(joint).expect("a joint").distance(before) > 1e-3, "{gravity} has no effect");
    }
}

#[test]
fn iterations_beyond_the_inspector_range_are_clamped() {
    let tip = |iterations: f32| {
        let (skeleton, setup) = skeleton_and_setup(&straight_chain(4, 0.1), &[(ITERATIONS, iterations)]);
        let mut world = World::build(&skeleton, &[setup]);
        shake_root(&mut world, &mut Pose::rest(&skeleton), 20, 0.3);
        world.tip(JointIndex { system: 0, joint: 2 }).expect("a joint")
    };
    assert_eq!(tip(1e9), tip(10.0));
    assert!(tip(9.0) != tip(10.0));
}
