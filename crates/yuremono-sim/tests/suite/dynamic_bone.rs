//! Tests `DynamicBone` beyond the recordings: virtual tips, exclusions, forks, distance, blending and unusual setups.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::dynamic_bone::{
    BLEND_WEIGHT, DAMPING, DISTANCE_TO_OBJECT, DISTANT_DISABLE, ELASTICITY, END_LENGTH, END_OFFSET, FORCE, FREEZE_AXIS,
    GRAVITY, MAX_STEPS, PARAMS, RADIUS, RUN_AS, STIFFNESS, UPDATE_MODE, UPDATE_RATE,
};
use yuremono_sim::{
    ColliderSetup, ColliderShape, DynamicBoneSetup, GrabTarget, JointGrab, JointIndex, JointSetup, SolverKind,
    StepInput, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// Builds a skeleton from the parent index and the local position of each bone.
fn skeleton_from(bones: &[(Option<u32>, Vec3)]) -> Skeleton {
    let bone = |(i, (parent, at)): (usize, &(Option<u32>, Vec3))| Bone {
        name: format!("b{i}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(*at),
    };
    Skeleton::new(bones.iter().enumerate().map(bone).collect()).expect("parents first")
}

/// Returns a root with a chain of bones along +X, each 0.1 m long.
fn straight_chain(bones: u32) -> Skeleton {
    let bone = |i: u32| (i.checked_sub(1), if i == 0 { Vec3::Y } else { Vec3::X * 0.1 });
    skeleton_from(&(0..bones).map(bone).collect::<Vec<_>>())
}

fn joint_setup(bone: u32, tips: &[u32]) -> JointSetup {
    JointSetup {
        bone: BoneId(bone),
        tip: TipSetup::Bones(tips.iter().map(|tip| BoneId(*tip)).collect()),
        values: ParamSet::defaults(PARAMS),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    }
}

fn system_setup(joints: Vec<JointSetup>, values: &[(ParamId, f32)]) -> SystemSetup {
    let mut setup = SystemSetup::new(SolverKind::DynamicBone, ParamSet::defaults(PARAMS));
    for (param, value) in values {
        setup.values.set(*param, *value);
    }
    setup.component = Some(BoneId(0));
    setup.joints = joints;
    setup
}

/// Returns joints on bones 1 to `joints`, each with the next bone as its tip. A force bends the chain down.
fn bent_chain_setup(joints: u32) -> SystemSetup {
    system_setup((1..=joints).map(|i| joint_setup(i, &[i + 1])).collect(), &[(FORCE[1], -0.005)])
}

fn set_joint_param(setup: &mut SystemSetup, param: ParamId, value: f32) {
    setup.joints.iter_mut().for_each(|joint| _ = joint.values.set(param, value));
}

fn build_world(skeleton: &Skeleton, setup: &SystemSetup) -> World {
    World::build(skeleton, std::slice::from_ref(setup))
}

fn step_world(world: &mut World, pose: &Pose, ticks: u32) {
    (0..ticks).for_each(|_| world.step(&StepInput { pose, grab: None, dt: DT }));
}

fn joint_index(joint: u32) -> JointIndex {
    JointIndex { system: 0, joint }
}

fn tip_position(world: &World, joint: u32) -> Vec3 {
    world.tip(joint_index(joint)).expect("a joint")
}

fn bone_position(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

#[track_caller]
fn assert_near(found: Vec3, expected: Vec3) {
    assert!(found.distance(expected) < 1e-5, "{found}, expected {expected}");
}

#[track_caller]
fn check_bone_lengths(world: &World, joints: u32) {
    for joint in 0..joints {
        let bone = world.joint_bone(joint_index(joint)).expect("a bone");
        let length = world.tip_offset(joint_index(joint)).expect("an offset").length();
        let found = tip_position(world, joint).distance(bone_position(world, bone.0));
        assert!((found - length).abs() < 1e-5 * length.max(1.0), "joint {joint} is {found} long, not {length}");
    }
}

#[test]
fn end_length_gives_the_last_bone_a_virtual_tip_that_it_points_at() {
    let skeleton = straight_chain(3);
    let joints = || vec![joint_setup(1, &[2]), joint_setup(2, &[])];
    let plain = build_world(&skeleton, &system_setup(joints(), &[]));
    assert_near(tip_position(&plain, 1), bone_position(&plain, 2));
    let mut world = build_world(&skeleton, &system_setup(joints(), &[(END_LENGTH, 0.5), (FORCE[1], -0.005)]));
    assert_near(tip_position(&world, 1) - bone_position(&world, 2), Vec3::X * 0.05);
    step_world(&mut world, &Pose::rest(&skeleton), 60);
    let along = world.frames().frame(BoneId(2)).rotation * Vec3::X * 0.05;
    assert_near(tip_position(&world, 1), bone_position(&world, 2) + along);
    assert!(along.y < -0.005, "it hangs: {along}");
}

#[test]
fn end_offset_is_in_component_space_and_ignored_with_an_end_length() {
    let mut bones = straight_chain(3).bones().to_vec();
    bones[0].rest.rotation = Quat::from_rotation_z(0.5);
    bones[2].rest.rotation = Quat::from_rotation_x(1.0);
    let skeleton = Skeleton::new(bones).expect("parents first");
    let offset = Vec3::new(0.0, -0.04, 0.03);
    let mut values: Vec<_> = END_OFFSET.into_iter().zip(offset.to_array()).collect();
    let made = |values: &[(ParamId, f32)]| {
        build_world(&skeleton, &system_setup(vec![joint_setup(1, &[2]), joint_setup(2, &[])], values))
    };
    let world = made(&values);
    assert_near(tip_position(&world, 1) - bone_position(&world, 2), Quat::from_rotation_z(0.5) * offset);
    values.push((END_LENGTH, 1.0));
    let world = made(&values);
    assert_near(
        tip_position(&world, 1) - bone_position(&world, 2),
        bone_position(&world, 2) - bone_position(&world, 1),
    );
}

#[test]
fn an_excluded_child_is_replaced_by_a_virtual_tip_if_end_length_is_set() {
    let skeleton = straight_chain(4);
    let setup = |values: &[(ParamId, f32)]| {
        let dynamic_bone = DynamicBoneSetup { exclusions: vec![BoneId(3)], reference: None };
        SystemSetup { dynamic_bone, ..system_setup(vec![joint_setup(1, &[2]), joint_setup(2, &[3])], values) }
    };
    let mut world = build_world(&skeleton, &setup(&[(FORCE[1], -0.005)]));
    assert_near(tip_position(&world, 1), bone_position(&world, 2));
    step_world(&mut world, &Pose::rest(&skeleton), 60);
    assert_eq!(world.pose().local[3], Pose::rest(&skeleton).local[3], "an excluded bone keeps its pose");
    let world = build_world(&skeleton, &setup(&[(END_LENGTH, 2.0)]));
    assert_near(tip_position(&world, 1) - bone_position(&world, 2), Vec3::X * 0.2);
}

/// Returns a root with a fork: bones 2 and 3 are children of bone 1, and each has a tip.
fn forked_skeleton() -> Skeleton {
    let (down, aside) = (Vec3::NEG_Y * 0.1, Vec3::X * 0.05);
    skeleton_from(&[
        (None, Vec3::Y),
        (Some(0), down),
        (Some(1), down + aside),
        (Some(1), down - aside),
        (Some(2), down),
        (Some(3), down),
    ])
}

#[test]
fn a_bone_with_two_children_does_not_rotate_but_its_children_move() {
    let skeleton = forked_skeleton();
    let joints = vec![joint_setup(1, &[2, 3]), joint_setup(2, &[4]), joint_setup(3, &[5])];
    let mut world = build_world(&skeleton, &system_setup(joints, &[(FORCE[0], 0.004)]));
    step_world(&mut world, &Pose::rest(&skeleton), 60);
    let local = &world.pose().local;
    assert_eq!(local[1].rotation, Quat::IDENTITY);
    for (bone, aside) in [(2, 0.05), (3, -0.05)] {
        assert!(local[bone].translation.x - aside > 0.005, "{bone} swings: {}", local[bone].translation);
        assert!(local[bone].rotation.angle_between(Quat::IDENTITY) > 0.02, "{bone} turns");
    }
    check_bone_lengths(&world, 3);
}

#[test]
fn child_joints_that_are_not_tips_are_simulated() {
    let skeleton = forked_skeleton();
    let joints = vec![joint_setup(1, &[2]), joint_setup(2, &[4]), joint_setup(3, &[5])];
    let mut world = build_world(&skeleton, &system_setup(joints, &[(FORCE[0], 0.004)]));
    step_world(&mut world, &Pose::rest(&skeleton), 60);
    check_bone_lengths(&world, 3);
    let reach = bone_position(&world, 3).distance(bone_position(&world, 1));
    assert!((reach - Vec3::new(0.05, 0.1, 0.0).length()).abs() < 1e-5);
    assert!(bone_position(&world, 3).x > -0.045, "it swings with the chain: {}", bone_position(&world, 3));
    assert_ne!(world.pose().local[1].rotation, Quat::IDENTITY, "the named tip sets the direction");
}

#[test]
fn bones_between_a_joint_and_its_tip_follow_the_joint() {
    let skeleton = straight_chain(5);
    let mut world =
        build_world(&skeleton, &system_setup(vec![joint_setup(1, &[3]), joint_setup(3, &[4])], &[(FORCE[1], -0.005)]));
    step_world(&mut world, &Pose::rest(&skeleton), 60);
    check_bone_lengths(&world, 2);
    assert_near(bone_position(&world, 3), tip_position(&world, 0));
    let middle = bone_position(&world, 1).midpoint(bone_position(&world, 3));
    assert_near(bone_position(&world, 2), middle);
}

#[test]
fn distant_disable_stops_the_motion_and_restarts_it_from_rest() {
    let skeleton = straight_chain(4);
    let mut setup = bent_chain_setup(2);
    setup.values.set(DISTANT_DISABLE, 1.0);
    setup.values.set(DISTANCE_TO_OBJECT, 5.0);
    let (mut world, pose) = (build_world(&skeleton, &setup), Pose::rest(&skeleton));
    let rest = tip_position(&world, 1);
    step_world(&mut world, &pose, 60);
    let moved = tip_position(&world, 1);
    assert!(moved.distance(rest) > 0.02, "the chain swings without a viewer");
    world.set_viewer(Vec3::Z * 8.0);
    step_world(&mut world, &pose, 1);
    assert_near(tip_position(&world, 1), rest);
    assert_eq!(world.pose(), &pose);
    world.set_viewer(Vec3::Z * 3.0);
    step_world(&mut world, &pose, 1);
    let first = tip_position(&world, 1);
    assert!(first.distance(rest) > 1e-4 && first.distance(rest) < 0.02, "from rest, without speed: {first}");
    step_world(&mut world, &pose, 59);
    assert_near(tip_position(&world, 1), moved);
    setup.values.set(DISTANT_DISABLE, 0.0);
    world.bake(std::slice::from_ref(&setup));
    world.set_viewer(Vec3::Z * 80.0);
    step_world(&mut world, &pose, 5);
    assert!(tip_position(&world, 1).distance(rest) > 0.02, "the switch is off");
}

#[test]
fn the_reference_bone_replaces_the_viewer() {
    let mut bones = straight_chain(4).bones().to_vec();
    bones.push(Bone { name: "camera".to_owned(), parent: None, rest: Trs::from_translation(Vec3::Z * 3.0) });
    let skeleton = Skeleton::new(bones).expect("parents first");
    let mut setup = bent_chain_setup(2);
    setup.dynamic_bone.reference = Some(BoneId(4));
    setup.values.set(DISTANT_DISABLE, 1.0);
    setup.values.set(DISTANCE_TO_OBJECT, 5.0);
    let (mut world, mut pose) = (build_world(&skeleton, &setup), Pose::rest(&skeleton));
    world.set_viewer(Vec3::Z * 80.0);
    let rest = tip_position(&world, 1);
    step_world(&mut world, &pose, 30);
    assert!(tip_position(&world, 1).distance(rest) > 0.02);
    pose.local[4].translation.z = 9.0;
    step_world(&mut world, &pose, 1);
    assert_near(tip_position(&world, 1), rest);
}

#[test]
fn zero_blend_weight_shows_the_animated_pose_and_raising_it_restarts_the_motion() {
    let skeleton = straight_chain(4);
    let mut setup = bent_chain_setup(2);
    let (mut world, mut pose) = (build_world(&skeleton, &setup), Pose::rest(&skeleton));
    step_world(&mut world, &pose, 60);
    let moved = tip_position(&world, 1);
    setup.values.set(BLEND_WEIGHT, 0.0);
    world.bake(std::slice::from_ref(&setup));
    pose.local[1].rotation = Quat::from_rotation_z(0.2);
    step_world(&mut world, &pose, 1);
    assert_eq!(world.pose(), &pose);
    pose.local[1].rotation = Quat::IDENTITY;
    pose.local[0].translation.x = 3.0;
    step_world(&mut world, &pose, 1);
    setup.values.set(BLEND_WEIGHT, 1.0);
    world.bake(std::slice::from_ref(&setup));
    pose.local[0].translation.x = 0.0;
    step_world(&mut world, &pose, 1);
    assert!(
        tip_position(&world, 1).distance(Vec3::new(0.3, 1.0, 0.0)) < 0.02,
        "no jump from a distant position: {}",
        tip_position(&world, 1)
    );
    step_world(&mut world, &pose, 59);
    assert_near(tip_position(&world, 1), moved);
}

#[test]
fn a_lower_blend_weight_keeps_tips_nearer_to_rest() {
    let skeleton = straight_chain(3);
    let lean = |weight: f32| {
        let mut setup = bent_chain_setup(1);
        setup.values.set(BLEND_WEIGHT, weight);
        setup.values.set(FORCE[1], -0.05);
        set_joint_param(&mut setup, STIFFNESS, 0.5);
        let mut world = build_world(&skeleton, &setup);
        step_world(&mut world, &Pose::rest(&skeleton), 200);
        tip_position(&world, 0).y - 1.0
    };
    assert!(lean(0.3) > lean(0.6) && lean(0.6) > lean(1.0), "{} {} {}", lean(0.3), lean(0.6), lean(1.0));
}

#[test]
fn freeze_axis_keeps_tips_in_the_perpendicular_plane() {
    let skeleton = straight_chain(4);
    for (axis, across) in [(1.0, Vec3::X), (2.0, Vec3::Y), (3.0, Vec3::Z)] {
        let mut setup = bent_chain_setup(2);
        let force = Vec3::new(0.001, -0.004, 0.003);
        FORCE.into_iter().zip(force.to_array()).for_each(|(param, value)| _ = setup.values.set(param, value));
        setup.values.set(FREEZE_AXIS, axis);
        let mut pose = Pose::rest(&skeleton);
        pose.local[0].rotation = Quat::from_rotation_z(0.3);
        let off = |setup: &SystemSetup| {
            let mut world = build_world(&skeleton, setup);
            step_world(&mut world, &pose, 30);
            (tip_position(&world, 0) - bone_position(&world, 1)).dot(Quat::from_rotation_z(0.3) * across)
        };
        assert!(off(&setup).abs() < 1e-6, "axis {axis}: {} m off", off(&setup));
        setup.values.set(RUN_AS, 1.0);
        assert!(off(&setup).abs() > 0.005, "the clone has no frozen axis");
    }
}

#[test]
fn gravity_changed_while_running_acts_as_if_set_at_the_start() {
    let skeleton = straight_chain(3);
    let mut setup = system_setup(vec![joint_setup(1, &[2])], &[]);
    let (mut world, mut pose) = (build_world(&skeleton, &setup), Pose::rest(&skeleton));
    setup.values.set(GRAVITY[1], -0.01);
    world.bake(std::slice::from_ref(&setup));
    step_world(&mut world, &pose, 60);
    assert_near(tip_position(&world, 0), Vec3::new(0.2, 1.0, 0.0));
    pose.local[0].rotation = Quat::from_rotation_z(std::f32::consts::PI);
    step_world(&mut world, &pose, 60);
    let mut fresh = build_world(&skeleton, &setup);
    step_world(&mut fresh, &pose, 60);
    assert_near(tip_position(&world, 0), tip_position(&fresh, 0));
    assert!(tip_position(&world, 0).y < 0.97, "upside down, it is pulled: {}", tip_position(&world, 0));
}

#[test]
fn a_disabled_joint_follows_its_parent_rigidly() {
    let skeleton = straight_chain(6);
    let mut setup = bent_chain_setup(4);
    setup.joints[1].enabled = false;
    setup.joints[2].enabled = false;
    let mut world = build_world(&skeleton, &setup);
    let pose = Pose::rest(&skeleton);
    for _ in 0..60 {
        step_world(&mut world, &pose, 1);
        for bone in [3, 4] {
            assert_eq!(world.pose().local[bone].translation, pose.local[bone].translation);
        }
        assert_eq!(world.pose().local[2].rotation, Quat::IDENTITY);
        check_bone_lengths(&world, 4);
    }
    let above = world.frames().frame(BoneId(1)).rotation * Vec3::X;
    assert_near(bone_position(&world, 4) - bone_position(&world, 2), above * 0.2);
    assert!(above.y < -0.1 && tip_position(&world, 3).y < bone_position(&world, 4).y, "{above}");
}

#[test]
fn bone_lengths_are_kept_at_extreme_and_negative_scales() {
    for scale in [0.001, 1000.0, -1.0] {
        let mut bones = straight_chain(6).bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones[2].rest.rotation = Quat::from_rotation_y(0.4);
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut world = build_world(&skeleton, &bent_chain_setup(4));
        let mut pose = Pose::rest(&skeleton);
        for tick in 0..120_u8 {
            pose.local[0].translation.x = libm::sinf(f32::from(tick) * 0.1) * 0.3 * scale;
            step_world(&mut world, &pose, 1);
            check_bone_lengths(&world, 4);
        }
        let sag = (bone_position(&world, 1).y - tip_position(&world, 3).y) / scale.abs();
        assert!(sag > 0.05, "a force scales with the component: {sag} at {scale}");
    }
}

#[test]
fn zero_length_and_coincident_bones_stay_finite() {
    let zero = Vec3::ZERO;
    let skeleton = skeleton_from(&[
        (None, Vec3::Y),
        (Some(0), zero),
        (Some(1), zero),
        (Some(2), Vec3::X * 0.1),
        (Some(2), Vec3::X * 0.1),
        (Some(3), zero),
    ]);
    let mut joints = vec![joint_setup(1, &[2]), joint_setup(2, &[3, 4]), joint_setup(3, &[5]), joint_setup(4, &[])];
    let ball = |bone| ColliderSetup::new(BoneId(bone), ColliderShape::Sphere { radius: 0.1, inside: false });
    for joint in &mut joints {
        joint.colliders = vec![0, 1, 7];
    }
    let mut setup = system_setup(joints, &[(FORCE[1], -0.005), (END_LENGTH, 1.0)]);
    setup.colliders = vec![ball(0), ball(3)];
    let (mut world, mut pose) = (build_world(&skeleton, &setup), Pose::rest(&skeleton));
    for tick in 0..120_u8 {
        pose.local[0].translation.x = libm::sinf(f32::from(tick) * 0.1) * 0.3;
        pose.local[0].scale = Vec3::splat(if tick == 60 { 0.0 } else { 1.0 });
        step_world(&mut world, &pose, 1);
        assert!(world.pose().local.iter().all(|local| local.is_finite()), "tick {tick}");
        assert!(world.frames().frames.iter().all(|frame| frame.position.is_finite()), "tick {tick}");
    }
}

#[test]
fn a_grabbed_tip_pulls_its_chain_and_bone_lengths_are_kept() {
    let skeleton = straight_chain(6);
    let (mut world, pose) = (build_world(&skeleton, &bent_chain_setup(4)), Pose::rest(&skeleton));
    let target = Vec3::new(0.2, 1.2, 0.15);
    for _ in 0..30 {
        let hold = Some(JointGrab { joint: joint_index(3), target: GrabTarget::Tip(target) });
        world.step(&StepInput { pose: &pose, grab: hold, dt: DT });
        check_bone_lengths(&world, 4);
    }
    assert!(tip_position(&world, 3).distance(target) < 0.01, "the tip is at the target: {}", tip_position(&world, 3));
    assert_near(bone_position(&world, 5), tip_position(&world, 3));
}

#[test]
fn rebuilding_a_world_keeps_its_motion_and_accumulated_time() {
    let skeleton = straight_chain(6);
    let mut setup = bent_chain_setup(4);
    setup.values.set(UPDATE_MODE, 0.0);
    let pose = Pose::rest(&skeleton);
    let short = |world: &mut World| world.step(&StepInput { pose: &pose, grab: None, dt: 0.0069 });
    let mut world = build_world(&skeleton, &setup);
    (0..20).for_each(|_| short(&mut world));
    let mut again = world.clone();
    again.rebuild(&skeleton, &[setup]);
    for tick in 0..20 {
        short(&mut world);
        short(&mut again);
        for joint in 0..4 {
            let off = tip_position(&world, joint).distance(tip_position(&again, joint));
            assert!(off < 1e-4, "joint {joint} deviates by {off} m after {tick} frames");
        }
    }
}

#[test]
fn radii_and_contacts_follow_the_components_scale() {
    let depth = |scale: f32| {
        let mut bones = straight_chain(3).bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones.push(Bone {
            name: "ball".to_owned(),
            parent: None,
            rest: Trs::from_translation(Vec3::new(0.2 * scale, 1.1, 0.0)),
        });
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = system_setup(vec![joint_setup(1, &[2])], &[]);
        setup.joints[0].colliders = vec![0];
        setup.colliders = vec![ColliderSetup::new(BoneId(3), ColliderShape::Sphere { radius: 0.08, inside: false })];
        set_joint_param(&mut setup, RADIUS, 0.03);
        build_world(&skeleton, &setup).deepest_contact().map(|contact| (contact.depth, contact.point))
    };
    let (plain, point) = depth(1.0).expect("they overlap");
    assert!((plain - 0.01).abs() < 1e-6, "{plain}");
    assert_near(point, Vec3::new(0.2, 1.02, 0.0));
    assert!((depth(2.0).expect("they overlap").0 - 0.04).abs() < 1e-6);
    assert_eq!(depth(0.5), None);
}

#[test]
fn every_supported_shape_keeps_tips_out_or_in() {
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
        let mut bones = straight_chain(8).bones().to_vec();
        let rest = Trs::from_translation(Vec3::new(0.15, 0.8, 0.02));
        bones.push(Bone { name: "shape".to_owned(), parent: None, rest });
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = bent_chain_setup(6);
        setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        setup.colliders = vec![ColliderSetup::new(BoneId(8), shape)];
        for (param, value) in [(RADIUS, 0.01), (ELASTICITY, 0.02), (DAMPING, 0.2)] {
            set_joint_param(&mut setup, param, value);
        }
        let moved = |enabled| {
            let mut setup = setup.clone();
            setup.colliders[0].enabled = enabled;
            let mut world = build_world(&skeleton, &setup);
            step_world(&mut world, &Pose::rest(&skeleton), 120);
            (0..6).map(|joint| tip_position(&world, joint)).collect::<Vec<_>>()
        };
        let farthest = moved(true).into_iter().zip(moved(false)).map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        assert!(farthest > 0.005, "{shape:?} moves tips by {farthest} m at most");
    }
}

#[test]
fn colliders_count_as_work_and_limit_the_number_of_steps() {
    let skeleton = straight_chain(12);
    let mut setup = bent_chain_setup(10);
    for (param, value) in [(UPDATE_MODE, 0.0), (UPDATE_RATE, 60_000.0), (MAX_STEPS, 1000.0)] {
        setup.values.set(param, value);
    }
    let work = |setup: &SystemSetup| build_world(&skeleton, setup).workloads(DT).next().expect("a system");
    let without = work(&setup);
    assert_eq!(without.reductions, [None; 3], "{without:?}");
    setup.colliders = vec![ColliderSetup::new(BoneId(0), ColliderShape::Sphere { radius: 0.1, inside: false }); 131];
    setup.joints.iter_mut().for_each(|joint| joint.colliders = (0..131).collect());
    let with = work(&setup);
    assert!(with.visits <= 400_000 && with.reductions[0].is_some(), "{with:?}");
}
