//! `DynamicBone` beyond what the recordings show: virtual tips, exclusions, forks, distance, blending, odd set-ups.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::params::{ParamId, ParamSet};
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::sim::solver::dynamic_bone::{
    BLEND_WEIGHT, DAMPING, DISTANCE_TO_OBJECT, DISTANT_DISABLE, ELASTICITY, END_LENGTH, END_OFFSET, FORCE, FREEZE_AXIS,
    GRAVITY, MAX_STEPS, PARAMS, RADIUS, RUN_AS, STIFFNESS, UPDATE_MODE, UPDATE_RATE,
};
use yuremono::sim::{
    ColliderSetup, ColliderShape, DynamicBoneSetup, JointIndex, JointSetup, SolverKind, StepInput, SystemSetup,
    TipGrab, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// Bones by the place of their parent and their local place.
fn skeleton(bones: &[(Option<u32>, Vec3)]) -> Skeleton {
    let bone = |(i, (parent, at)): (usize, &(Option<u32>, Vec3))| Bone {
        name: format!("b{i}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(*at),
    };
    Skeleton::new(bones.iter().enumerate().map(bone).collect()).expect("parents first")
}

/// A root and below it a row of bones, each a tenth of a metre along +X.
fn row_of(bones: u32) -> Skeleton {
    let bone = |i: u32| (i.checked_sub(1), if i == 0 { Vec3::Y } else { Vec3::X * 0.1 });
    skeleton(&(0..bones).map(bone).collect::<Vec<_>>())
}

fn joint(bone: u32, tips: &[u32]) -> JointSetup {
    JointSetup {
        bone: BoneId(bone),
        tip: TipSetup::Bones(tips.iter().map(|tip| BoneId(*tip)).collect()),
        values: ParamSet::defaults(PARAMS),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

fn system(joints: Vec<JointSetup>, values: &[(ParamId, f32)]) -> SystemSetup {
    let mut setup = SystemSetup::new(SolverKind::DynamicBone, ParamSet::defaults(PARAMS));
    for (row, value) in values {
        setup.values.set(*row, *value);
    }
    setup.component = Some(BoneId(0));
    setup.joints = joints;
    setup
}

/// Bones 1 to `joints`, each with the next as its tip, under a force that bends them down.
fn bent(joints: u32) -> SystemSetup {
    system((1..=joints).map(|i| joint(i, &[i + 1])).collect(), &[(FORCE[1], -0.005)])
}

fn set_joints(setup: &mut SystemSetup, row: ParamId, value: f32) {
    setup.joints.iter_mut().for_each(|joint| _ = joint.values.set(row, value));
}

fn build(skeleton: &Skeleton, setup: &SystemSetup) -> World {
    World::build(skeleton, std::slice::from_ref(setup))
}

fn run(world: &mut World, pose: &Pose, ticks: u32) {
    (0..ticks).for_each(|_| world.step(&StepInput { pose, grab: None, dt: DT }));
}

fn at(joint: u32) -> JointIndex {
    JointIndex { system: 0, joint }
}

fn tip(world: &World, joint: u32) -> Vec3 {
    world.tip(at(joint)).expect("a joint")
}

fn head(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

#[track_caller]
fn near(found: Vec3, expected: Vec3) {
    assert!(found.distance(expected) < 1e-5, "{found}, expected {expected}");
}

#[track_caller]
fn check_lengths(world: &World, joints: u32) {
    for joint in 0..joints {
        let bone = world.joint_bone(at(joint)).expect("a bone");
        let length = world.tip_offset(at(joint)).expect("an offset").length();
        let found = tip(world, joint).distance(head(world, bone.0));
        assert!((found - length).abs() < 1e-5 * length.max(1.0), "joint {joint} is {found} long, not {length}");
    }
}

#[test]
fn a_last_bone_gets_a_virtual_tip_by_end_length_and_turns_to_it() {
    let skeleton = row_of(3);
    let joints = || vec![joint(1, &[2]), joint(2, &[])];
    let plain = build(&skeleton, &system(joints(), &[]));
    near(tip(&plain, 1), head(&plain, 2));
    let mut world = build(&skeleton, &system(joints(), &[(END_LENGTH, 0.5), (FORCE[1], -0.005)]));
    near(tip(&world, 1) - head(&world, 2), Vec3::X * 0.05);
    run(&mut world, &Pose::rest(&skeleton), 60);
    let along = world.frames().frame(BoneId(2)).rotation * Vec3::X * 0.05;
    near(tip(&world, 1), head(&world, 2) + along);
    assert!(along.y < -0.005, "it hangs: {along}");
}

#[test]
fn an_end_offset_is_meant_in_the_components_space_and_counts_without_an_end_length_only() {
    let mut bones = row_of(3).bones().to_vec();
    bones[0].rest.rotation = Quat::from_rotation_z(0.5);
    bones[2].rest.rotation = Quat::from_rotation_x(1.0);
    let skeleton = Skeleton::new(bones).expect("parents first");
    let offset = Vec3::new(0.0, -0.04, 0.03);
    let mut values: Vec<_> = END_OFFSET.into_iter().zip(offset.to_array()).collect();
    let made = |values: &[(ParamId, f32)]| build(&skeleton, &system(vec![joint(1, &[2]), joint(2, &[])], values));
    let world = made(&values);
    near(tip(&world, 1) - head(&world, 2), Quat::from_rotation_z(0.5) * offset);
    values.push((END_LENGTH, 1.0));
    let world = made(&values);
    near(tip(&world, 1) - head(&world, 2), head(&world, 2) - head(&world, 1));
}

#[test]
fn an_excluded_child_is_no_tip_but_leaves_a_virtual_one_where_ends_are_given() {
    let skeleton = row_of(4);
    let setup = |values: &[(ParamId, f32)]| {
        let dynamic_bone = DynamicBoneSetup { exclusions: vec![BoneId(3)], reference: None };
        SystemSetup { dynamic_bone, ..system(vec![joint(1, &[2]), joint(2, &[3])], values) }
    };
    let mut world = build(&skeleton, &setup(&[(FORCE[1], -0.005)]));
    near(tip(&world, 1), head(&world, 2));
    run(&mut world, &Pose::rest(&skeleton), 60);
    assert_eq!(world.pose().local[3], Pose::rest(&skeleton).local[3], "what is excluded hangs on as it did");
    let world = build(&skeleton, &setup(&[(END_LENGTH, 2.0)]));
    near(tip(&world, 1) - head(&world, 2), Vec3::X * 0.2);
}

/// A root with a fork: 1 carries 2 and 3, each with a tip.
fn fork() -> Skeleton {
    let (down, aside) = (Vec3::NEG_Y * 0.1, Vec3::X * 0.05);
    skeleton(&[
        (None, Vec3::Y),
        (Some(0), down),
        (Some(1), down + aside),
        (Some(1), down - aside),
        (Some(2), down),
        (Some(3), down),
    ])
}

#[test]
fn a_fork_is_not_turned_but_its_children_move() {
    let skeleton = fork();
    let joints = vec![joint(1, &[2, 3]), joint(2, &[4]), joint(3, &[5])];
    let mut world = build(&skeleton, &system(joints, &[(FORCE[0], 0.004)]));
    run(&mut world, &Pose::rest(&skeleton), 60);
    let local = &world.pose().local;
    assert_eq!(local[1].rotation, Quat::IDENTITY);
    for (bone, aside) in [(2, 0.05), (3, -0.05)] {
        assert!(local[bone].translation.x - aside > 0.005, "{bone} swings: {}", local[bone].translation);
        assert!(local[bone].rotation.angle_between(Quat::IDENTITY) > 0.02, "{bone} turns");
    }
    check_lengths(&world, 3);
}

#[test]
fn joints_below_that_no_tip_names_swing_as_well() {
    let skeleton = fork();
    let joints = vec![joint(1, &[2]), joint(2, &[4]), joint(3, &[5])];
    let mut world = build(&skeleton, &system(joints, &[(FORCE[0], 0.004)]));
    run(&mut world, &Pose::rest(&skeleton), 60);
    check_lengths(&world, 3);
    let reach = head(&world, 3).distance(head(&world, 1));
    assert!((reach - Vec3::new(0.05, 0.1, 0.0).length()).abs() < 1e-5);
    assert!(head(&world, 3).x > -0.045, "it swings along: {}", head(&world, 3));
    assert_ne!(world.pose().local[1].rotation, Quat::IDENTITY, "the named tip says where to turn");
}

#[test]
fn bones_between_a_joint_and_its_tip_are_taken_along() {
    let skeleton = row_of(5);
    let mut world = build(&skeleton, &system(vec![joint(1, &[3]), joint(3, &[4])], &[(FORCE[1], -0.005)]));
    run(&mut world, &Pose::rest(&skeleton), 60);
    check_lengths(&world, 2);
    near(head(&world, 3), tip(&world, 0));
    let middle = head(&world, 1).midpoint(head(&world, 3));
    near(head(&world, 2), middle);
}

#[test]
fn far_from_the_viewer_it_rests_and_coming_near_it_starts_anew() {
    let skeleton = row_of(4);
    let mut setup = bent(2);
    setup.values.set(DISTANT_DISABLE, 1.0);
    setup.values.set(DISTANCE_TO_OBJECT, 5.0);
    let (mut world, pose) = (build(&skeleton, &setup), Pose::rest(&skeleton));
    let rest = tip(&world, 1);
    run(&mut world, &pose, 60);
    let swung = tip(&world, 1);
    assert!(swung.distance(rest) > 0.02, "as long as nobody looks it swings");
    world.set_viewer(Vec3::Z * 8.0);
    run(&mut world, &pose, 1);
    near(tip(&world, 1), rest);
    assert_eq!(world.pose(), &pose);
    world.set_viewer(Vec3::Z * 3.0);
    run(&mut world, &pose, 1);
    let first = tip(&world, 1);
    assert!(first.distance(rest) > 1e-4 && first.distance(rest) < 0.02, "from rest, without speed: {first}");
    run(&mut world, &pose, 59);
    near(tip(&world, 1), swung);
    setup.values.set(DISTANT_DISABLE, 0.0);
    world.bake(std::slice::from_ref(&setup));
    world.set_viewer(Vec3::Z * 80.0);
    run(&mut world, &pose, 5);
    assert!(tip(&world, 1).distance(rest) > 0.02, "the switch is off");
}

#[test]
fn a_reference_bone_counts_instead_of_the_viewer() {
    let mut bones = row_of(4).bones().to_vec();
    bones.push(Bone { name: "camera".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Z * 3.0) });
    let skeleton = Skeleton::new(bones).expect("parents first");
    let mut setup = bent(2);
    setup.dynamic_bone.reference = Some(BoneId(4));
    setup.values.set(DISTANT_DISABLE, 1.0);
    setup.values.set(DISTANCE_TO_OBJECT, 5.0);
    let (mut world, mut pose) = (build(&skeleton, &setup), Pose::rest(&skeleton));
    world.set_viewer(Vec3::Z * 80.0);
    let rest = tip(&world, 1);
    run(&mut world, &pose, 30);
    assert!(tip(&world, 1).distance(rest) > 0.02);
    pose.local[4].translation.z = 9.0;
    run(&mut world, &pose, 1);
    near(tip(&world, 1), rest);
}

#[test]
fn a_weight_of_nothing_leaves_the_animated_pose_and_leaving_it_starts_anew() {
    let skeleton = row_of(4);
    let mut setup = bent(2);
    let (mut world, mut pose) = (build(&skeleton, &setup), Pose::rest(&skeleton));
    run(&mut world, &pose, 60);
    let swung = tip(&world, 1);
    setup.values.set(BLEND_WEIGHT, 0.0);
    world.bake(std::slice::from_ref(&setup));
    pose.local[1].rotation = Quat::from_rotation_z(0.2);
    run(&mut world, &pose, 1);
    assert_eq!(world.pose(), &pose);
    pose.local[1].rotation = Quat::IDENTITY;
    pose.local[0].translation.x = 3.0;
    run(&mut world, &pose, 1);
    setup.values.set(BLEND_WEIGHT, 1.0);
    world.bake(std::slice::from_ref(&setup));
    pose.local[0].translation.x = 0.0;
    run(&mut world, &pose, 1);
    assert!(tip(&world, 1).distance(Vec3::new(0.3, 1.0, 0.0)) < 0.02, "no whip from afar: {}", tip(&world, 1));
    run(&mut world, &pose, 59);
    near(tip(&world, 1), swung);
}

#[test]
fn a_weight_below_one_holds_tips_nearer_to_rest() {
    let skeleton = row_of(3);
    let lean = |weight: f32| {
        let mut setup = bent(1);
        setup.values.set(BLEND_WEIGHT, weight);
        setup.values.set(FORCE[1], -0.05);
        set_joints(&mut setup, STIFFNESS, 0.5);
        let mut world = build(&skeleton, &setup);
        run(&mut world, &Pose::rest(&skeleton), 200);
        tip(&world, 0).y - 1.0
    };
    assert!(lean(0.3) > lean(0.6) && lean(0.6) > lean(1.0), "{} {} {}", lean(0.3), lean(0.6), lean(1.0));
}

#[test]
fn a_frozen_axis_keeps_tips_in_the_plane_across_it() {
    let skeleton = row_of(4);
    for (axis, across) in [(1.0, Vec3::X), (2.0, Vec3::Y), (3.0, Vec3::Z)] {
        let mut setup = bent(2);
        let force = Vec3::new(0.001, -0.004, 0.003);
        FORCE.into_iter().zip(force.to_array()).for_each(|(row, value)| _ = setup.values.set(row, value));
        setup.values.set(FREEZE_AXIS, axis);
        let mut pose = Pose::rest(&skeleton);
        pose.local[0].rotation = Quat::from_rotation_z(0.3);
        let off = |setup: &SystemSetup| {
            let mut world = build(&skeleton, setup);
            run(&mut world, &pose, 30);
            (tip(&world, 0) - head(&world, 1)).dot(Quat::from_rotation_z(0.3) * across)
        };
        assert!(off(&setup).abs() < 1e-6, "axis {axis}: {} m off", off(&setup));
        setup.values.set(RUN_AS, 1.0);
        assert!(off(&setup).abs() > 0.005, "the clone has no frozen axis");
    }
}

#[test]
fn gravity_that_is_changed_in_play_counts_as_if_it_had_been_so_at_the_start() {
    let skeleton = row_of(3);
    let mut setup = system(vec![joint(1, &[2])], &[]);
    let (mut world, mut pose) = (build(&skeleton, &setup), Pose::rest(&skeleton));
    setup.values.set(GRAVITY[1], -0.01);
    world.bake(std::slice::from_ref(&setup));
    run(&mut world, &pose, 60);
    near(tip(&world, 0), Vec3::new(0.2, 1.0, 0.0));
    pose.local[0].rotation = Quat::from_rotation_z(std::f32::consts::PI);
    run(&mut world, &pose, 60);
    let mut fresh = build(&skeleton, &setup);
    run(&mut fresh, &pose, 60);
    near(tip(&world, 0), tip(&fresh, 0));
    assert!(tip(&world, 0).y < 0.97, "turned over, it is pulled: {}", tip(&world, 0));
}

#[test]
fn a_joint_that_is_off_hangs_stiffly_on_the_one_above() {
    let skeleton = row_of(6);
    let mut setup = bent(4);
    setup.joints[1].enabled = false;
    setup.joints[2].enabled = false;
    let mut world = build(&skeleton, &setup);
    let pose = Pose::rest(&skeleton);
    for _ in 0..60 {
        run(&mut world, &pose, 1);
        for bone in [3, 4] {
            assert_eq!(world.pose().local[bone].translation, pose.local[bone].translation);
        }
        assert_eq!(world.pose().local[2].rotation, Quat::IDENTITY);
        check_lengths(&world, 4);
    }
    let above = world.frames().frame(BoneId(1)).rotation * Vec3::X;
    near(head(&world, 4) - head(&world, 2), above * 0.2);
    assert!(above.y < -0.1 && tip(&world, 3).y < head(&world, 4).y, "{above}");
}

#[test]
fn lengths_hold_and_numbers_stay_finite_at_odd_scales() {
    for scale in [0.001, 1000.0, -1.0] {
        let mut bones = row_of(6).bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones[2].rest.rotation = Quat::from_rotation_y(0.4);
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut world = build(&skeleton, &bent(4));
        let mut pose = Pose::rest(&skeleton);
        for tick in 0..120_u8 {
            pose.local[0].translation.x = (f32::from(tick) * 0.1).sin() * 0.3 * scale;
            run(&mut world, &pose, 1);
            check_lengths(&world, 4);
        }
        let sag = (head(&world, 1).y - tip(&world, 3).y) / scale.abs();
        assert!(sag > 0.05, "a force follows the component's scale: {sag} at {scale}");
    }
}

#[test]
fn bones_without_length_and_bones_on_one_spot_stay_finite() {
    let zero = Vec3::ZERO;
    let skeleton = skeleton(&[
        (None, Vec3::Y),
        (Some(0), zero),
        (Some(1), zero),
        (Some(2), Vec3::X * 0.1),
        (Some(2), Vec3::X * 0.1),
        (Some(3), zero),
    ]);
    let mut joints = vec![joint(1, &[2]), joint(2, &[3, 4]), joint(3, &[5]), joint(4, &[])];
    let ball = |bone| ColliderSetup::new(BoneId(bone), ColliderShape::Sphere { radius: 0.1, inside: false });
    for joint in &mut joints {
        joint.colliders = vec![0, 1, 7];
    }
    let mut setup = system(joints, &[(FORCE[1], -0.005), (END_LENGTH, 1.0)]);
    setup.colliders = vec![ball(0), ball(3)];
    let (mut world, mut pose) = (build(&skeleton, &setup), Pose::rest(&skeleton));
    for tick in 0..120_u8 {
        pose.local[0].translation.x = (f32::from(tick) * 0.1).sin() * 0.3;
        pose.local[0].scale = Vec3::splat(if tick == 60 { 0.0 } else { 1.0 });
        run(&mut world, &pose, 1);
        assert!(world.pose().local.iter().all(|local| local.is_finite()), "tick {tick}");
        assert!(world.frames().frames.iter().all(|frame| frame.position.is_finite()), "tick {tick}");
    }
}

#[test]
fn a_held_tip_takes_its_chain_along_and_keeps_lengths() {
    let skeleton = row_of(6);
    let (mut world, pose) = (build(&skeleton, &bent(4)), Pose::rest(&skeleton));
    let target = Vec3::new(0.2, 1.2, 0.15);
    for _ in 0..30 {
        let hold = Some(TipGrab { joint: at(3), target });
        world.step(&StepInput { pose: &pose, grab: hold, dt: DT });
        check_lengths(&world, 4);
    }
    assert!(tip(&world, 3).distance(target) < 0.01, "the hand has it: {}", tip(&world, 3));
    near(head(&world, 5), tip(&world, 3));
}

#[test]
fn a_rebuilt_world_goes_on_with_its_motion_and_the_time_left() {
    let skeleton = row_of(6);
    let mut setup = bent(4);
    setup.values.set(UPDATE_MODE, 0.0);
    let pose = Pose::rest(&skeleton);
    let short = |world: &mut World| world.step(&StepInput { pose: &pose, grab: None, dt: 0.0069 });
    let mut world = build(&skeleton, &setup);
    (0..20).for_each(|_| short(&mut world));
    let mut again = world.clone();
    again.rebuild(&skeleton, &[setup]);
    for tick in 0..20 {
        short(&mut world);
        short(&mut again);
        for joint in 0..4 {
            let off = tip(&world, joint).distance(tip(&again, joint));
            assert!(off < 1e-4, "joint {joint} is {off} m off after {tick} frames");
        }
    }
}

#[test]
fn radii_and_contacts_follow_the_components_scale() {
    let depth = |scale: f32| {
        let mut bones = row_of(3).bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones.push(Bone {
            name: "ball".to_owned(),
            parent: None,
            rest: Trs::from_translation(Vec3::new(0.2 * scale, 1.1, 0.0)),
        });
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = system(vec![joint(1, &[2])], &[]);
        setup.joints[0].colliders = vec![0];
        setup.colliders = vec![ColliderSetup::new(BoneId(3), ColliderShape::Sphere { radius: 0.08, inside: false })];
        set_joints(&mut setup, RADIUS, 0.03);
        build(&skeleton, &setup).deepest_contact().map(|contact| (contact.depth, contact.point))
    };
    let (plain, point) = depth(1.0).expect("they overlap");
    assert!((plain - 0.01).abs() < 1e-6, "{plain}");
    near(point, Vec3::new(0.2, 1.02, 0.0));
    assert!((depth(2.0).expect("they overlap").0 - 0.04).abs() < 1e-6);
    assert_eq!(depth(0.5), None);
}

#[test]
fn every_shape_holds_tips_out_or_in() {
    let shapes = [
        ColliderShape::Sphere { radius: 0.1, inside: false },
        ColliderShape::Sphere { radius: 0.1, inside: true },
        ColliderShape::Capsule { radius: 0.05, height: 0.2, inside: false },
        ColliderShape::Capsule { radius: 0.05, height: 0.2, inside: true },
        ColliderShape::TaperedCapsule { radius: 0.08, tail_radius: 0.04, height: 0.2, inside: false },
        ColliderShape::TaperedCapsule { radius: 0.08, tail_radius: 0.04, height: 0.2, inside: true },
        ColliderShape::Plane,
    ];
    for shape in shapes {
        let mut bones = row_of(8).bones().to_vec();
        let rest = Trs::from_translation(Vec3::new(0.15, 0.8, 0.02));
        bones.push(Bone { name: "shape".to_owned(), parent: None, rest });
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = bent(6);
        setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        setup.colliders = vec![ColliderSetup::new(BoneId(8), shape)];
        for (row, value) in [(RADIUS, 0.01), (ELASTICITY, 0.02), (DAMPING, 0.2)] {
            set_joints(&mut setup, row, value);
        }
        let moved = |enabled| {
            let mut setup = setup.clone();
            setup.colliders[0].enabled = enabled;
            let mut world = build(&skeleton, &setup);
            run(&mut world, &Pose::rest(&skeleton), 120);
            (0..6).map(|joint| tip(&world, joint)).collect::<Vec<_>>()
        };
        let farthest = moved(true).into_iter().zip(moved(false)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        assert!(farthest > 0.005, "{shape:?} moves tips by {farthest} m at most");
    }
}

#[test]
fn colliders_count_as_work_so_that_steps_that_meet_many_are_bounded() {
    let skeleton = row_of(12);
    let mut setup = bent(10);
    for (row, value) in [(UPDATE_MODE, 0.0), (UPDATE_RATE, 60_000.0), (MAX_STEPS, 1000.0)] {
        setup.values.set(row, value);
    }
    let work = |setup: &SystemSetup| build(&skeleton, setup).work(DT).next().expect("a system");
    let without = work(&setup);
    assert_eq!(without.reductions, [None; 3], "{without:?}");
    setup.colliders = vec![ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 0.1, inside: false }); 131];
    setup.joints.iter_mut().for_each(|joint| joint.colliders = (0..131).collect());
    let with = work(&setup);
    assert!(with.visits <= 400_000 && with.reductions[0].is_some(), "{with:?}");
}
