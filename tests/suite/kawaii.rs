//! What KawaiiPhysics does that no recording shows.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, Row};
use yuremono::sim::solver::kawaii::params::{self as row, PARAMS};
use yuremono::sim::{
    BoneConstraint, ColliderSetup, ForceKind, ForceSetup, Hold, JointIndex, JointSetup, Shape, SolverKind, StepInput,
    SyncBone, SyncTarget, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// A component, a head on it, and bones by their parents from there on; every bone that hangs below the head is a joint.
struct Rig {
    skeleton: Skeleton,
    setup: SystemSetup,
}

/// Bones: 0 component, 1 head; `bones` from 2 on, by parent and place.
fn rig(bones: &[(u32, Vec3)], values: &[(Row, f32)]) -> Rig {
    let bone = |name: &str, parent: Option<u32>, at: Vec3| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(at),
    };
    let mut all = vec![bone("component", None, Vec3::ZERO), bone("head", Some(0), Vec3::Y * 1.5)];
    all.extend(bones.iter().enumerate().map(|(i, (parent, at))| bone(&format!("b{i}"), Some(*parent), *at)));
    let skeleton = Skeleton::new(all).expect("parents first");
    let mut set = ParamSet::defaults(PARAMS);
    for (row, value) in values {
        set.set(*row, *value);
    }
    let chain_of = |mut bone: BoneId| {
        while let Some(parent) = skeleton.parent(bone).filter(|parent| parent.0 > 1) {
            bone = parent;
        }
        bone.0
    };
    let joint = |i: usize| {
        let bone = BoneId(i as u32 + 2);
        JointSetup {
            bone,
            tip: TipSetup::Bones(skeleton.children(bone).to_vec()),
            values: set.clone(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: chain_of(bone),
            enabled: true,
            animated: false,
        }
    };
    let joints = (0..bones.len()).map(joint).collect();
    let setup = SystemSetup::new(SolverKind::KawaiiPhysics, set);
    Rig { setup: SystemSetup { joints, component: Some(BoneId(0)), ..setup }, skeleton }
}

/// A chain of `count` bones of ten centimetres that hangs down.
fn hanging(count: u32, values: &[(Row, f32)]) -> Rig {
    let bones: Vec<_> = (0..count).map(|i| (i + 1, Vec3::NEG_Y * 0.1)).collect();
    rig(&bones, values)
}

impl Rig {
    fn world(&self) -> World {
        World::build(&self.skeleton, std::slice::from_ref(&self.setup))
    }

    fn pose(&self, alter: impl FnOnce(&mut Pose)) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        alter(&mut pose);
        pose
    }

    /// The world after so many frames on the rest pose.
    fn rested(&self, frames: u32) -> World {
        let mut world = self.world();
        let pose = Pose::rest(&self.skeleton);
        (0..frames).for_each(|_| step(&mut world, &pose));
        world
    }
}

fn step(world: &mut World, pose: &Pose) {
    world.step(&StepInput { pose, hold: None, dt: DT });
}

fn head(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

fn tip(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

/// Lengths of bones from their parents, all joints.
#[track_caller]
fn check_lengths(rig: &Rig, world: &World) {
    for joint in &rig.setup.joints {
        let Some(parent) = rig.skeleton.parent(joint.bone).filter(|parent| parent.0 > 1) else { continue };
        let rest = rig.skeleton.bone(joint.bone).rest.translation.length();
        let found = head(world, joint.bone.0).distance(head(world, parent.0));
        assert!((found - rest).abs() <= 1e-5 * rest.max(1.0), "{:?} is {found} long, not {rest}", joint.bone);
    }
}

const GRAVITY: (Row, f32) = (row::GRAVITY[0], 9.8);

#[test]
fn gravity_pulls_along_the_world_or_the_component() {
    let turned = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    for (in_world, expected) in [(1.0, Vec3::X), (0.0, Vec3::NEG_Z)] {
        let rig = hanging(2, &[GRAVITY, (row::USE_WORLD_GRAVITY, in_world)]);
        let mut world = rig.world();
        let pose = rig.pose(|pose| pose.local[0].rotation = turned);
        (0..10).for_each(|_| step(&mut world, &pose));
        let pulled = (head(&world, 3) - Vec3::Y * 1.3).normalize();
        assert!(pulled.dot(expected) > 0.9, "{pulled} is not {expected}");
    }
    let project = hanging(2, &[(row::GRAVITY[0], 0.01), (row::USE_PROJECT_GRAVITY, 1.0)]).rested(20);
    let plain = hanging(2, &[GRAVITY]).rested(20);
    assert!(head(&project, 3).distance(head(&plain, 3)) < 1e-5);
}

#[test]
fn a_dummy_bone_lets_the_last_bone_turn() {
    let without = hanging(2, &[GRAVITY]).rested(60);
    assert!(without.pose().local[3].rotation.angle_between(without.pose().local[2].rotation.inverse()) < 1e-3);
    for (axis, along) in [(0.0, Vec3::X), (3.0, Vec3::NEG_Y), (5.0, Vec3::NEG_Z)] {
        let rig = hanging(2, &[GRAVITY, (row::DUMMY_BONE_LENGTH, 0.05), (row::BONE_FORWARD_AXIS, axis)]);
        let world = rig.world();
        assert!((tip(&world, 1) - Vec3::new(0.0, 1.3, 0.0)).distance(along * 0.05) < 1e-6);
        let world = rig.rested(60);
        let turned = world.frames().frame(BoneId(3)).rotation;
        assert!((turned * along * 0.05).distance(tip(&world, 1) - head(&world, 3)) < 1e-5, "it points at its end");
        assert!(axis == 0.0 || turned.angle_between(Quat::IDENTITY) > 0.05);
    }
}

#[test]
fn a_component_that_jumps_takes_its_points_along() {
    for (by, felt) in [(Vec3::X * 2.0, true), (Vec3::X * 4.0, false)] {
        for space in [0.0, 1.0] {
            let rig = hanging(3, &[(row::WORLD_DAMPING_LOCATION, 0.0), (row::SIMULATION_SPACE, space)]);
            let mut world = rig.rested(3);
            step(&mut world, &rig.pose(|pose| pose.local[0].translation = by));
            let lag = head(&world, 4).distance(Vec3::Y * 1.2 + by);
            assert_eq!(lag > 0.05, felt, "{lag} in space {space}");
        }
    }
    let rig = hanging(3, &[(row::TELEPORT_DISTANCE, 0.0), (row::WORLD_DAMPING_LOCATION, 0.0)]);
    let mut world = rig.rested(3);
    step(&mut world, &rig.pose(|pose| pose.local[0].translation = Vec3::X * 4.0));
    assert!(head(&world, 4).distance(Vec3::new(4.0, 1.2, 0.0)) > 0.05, "0 never jumps");
}

#[test]
fn a_component_that_turns_far_in_one_frame_takes_its_points_along() {
    for (degrees, felt) in [(8.0_f32, true), (12.0, false)] {
        let rig =
            rig(&[(1, Vec3::X * 0.1), (2, Vec3::X * 0.1), (3, Vec3::X * 0.1)], &[(row::WORLD_DAMPING_ROTATION, 0.0)]);
        let mut world = rig.rested(3);
        let turn = Quat::from_rotation_y(degrees.to_radians());
        step(&mut world, &rig.pose(|pose| pose.local[0].rotation = turn));
        let lag = head(&world, 4).distance(turn * Vec3::new(0.3, 1.5, 0.0));
        assert_eq!(lag > 0.005, felt, "{lag}");
    }
}

#[test]
fn points_in_the_world_feel_all_of_the_movement_and_those_of_a_bone_none_of_that_bone() {
    let lag = |space: f32, base: Option<u32>| {
        let mut rig = hanging(3, &[(row::SIMULATION_SPACE, space), (row::WORLD_DAMPING_ROTATION, 1.0)]);
        rig.setup.kawaii.base_bone = base.map(BoneId);
        let mut world = rig.rested(3);
        step(&mut world, &rig.pose(|pose| pose.local[1].translation.x = 0.1));
        (head(&world, 4) - Vec3::new(0.1, 1.2, 0.0)).length()
    };
    // The head moves, not the component: only a space that hangs on the head goes along.
    assert!(lag(0.0, None) > 0.005 && lag(1.0, None) > 0.005);
    assert!(lag(2.0, Some(1)) < 0.003, "{}", lag(2.0, Some(1)));
}

#[test]
fn warm_up_takes_its_steps_before_the_first_frame_and_after_a_reset() {
    let values = [GRAVITY, (row::WARM_UP_FRAMES, 30.0), (row::NEED_WARM_UP, 1.0)];
    let rig = hanging(3, &values);
    let (warm, slow) = (rig.rested(1), hanging(3, &[GRAVITY]).rested(31));
    assert!(head(&warm, 4).distance(head(&slow, 4)) < 1e-5);
    let mut again = rig.rested(10);
    again.reset(&Pose::rest(&rig.skeleton));
    step(&mut again, &Pose::rest(&rig.skeleton));
    assert!(head(&again, 4).distance(head(&warm, 4)) < 1e-5);
    let rig = hanging(3, &[values[0], values[1], values[2], (row::WARM_UP_ON_RESET, 0.0)]);
    let mut cold = rig.rested(10);
    cold.reset(&Pose::rest(&rig.skeleton));
    step(&mut cold, &Pose::rest(&rig.skeleton));
    assert!(head(&cold, 4).distance(Vec3::Y * 1.2) < 0.01);
}

#[test]
fn fixed_steps_move_alike_at_any_frame_rate_and_older_ones_do_not() {
    let end = |fixed: f32, dt: f32, frames: u32| {
        let rig = hanging(3, &[GRAVITY, (row::USE_FIXED_SUBSTEPPING, fixed)]);
        let (mut world, pose) = (rig.world(), Pose::rest(&rig.skeleton));
        (0..frames).for_each(|_| world.step(&StepInput { pose: &pose, hold: None, dt }));
        head(&world, 4)
    };
    // A hair more than the time, so that no step is left over by rounding.
    let (slow, fast) = (end(1.0, 1.0001 / 20.0, 10), end(1.0, 1.0001 / 120.0, 60));
    assert!(slow.distance(fast) < 1e-5, "{slow} {fast}");
    assert!(end(0.0, 1.0 / 20.0, 10).distance(end(0.0, 1.0 / 120.0, 60)) > 1e-3);
    let dropped = end(1.0, 0.5, 1);
    assert!(dropped.distance(end(1.0, 1.0001 / 60.0, 4)) < 1e-5, "no more than four steps a frame");
}

#[test]
fn sync_bones_shift_the_pose_of_their_targets() {
    let mut rig = rig(&[(1, Vec3::NEG_Y * 0.1), (2, Vec3::NEG_Y * 0.1), (1, Vec3::X * 0.2)], &[]);
    // The last bone is a leg: no joint.
    rig.setup.joints.pop();
    let targets = vec![SyncTarget { bone: BoneId(2), scale: 1.0 }, SyncTarget { bone: BoneId(3), scale: 0.5 }];
    rig.setup.kawaii.sync_bones = vec![SyncBone::new(BoneId(4), targets)];
    let (mut world, raised) = (rig.world(), rig.pose(|pose| pose.local[4].translation += Vec3::new(0.0, 0.0, 0.2)));
    (0..200).for_each(|_| step(&mut world, &raised));
    assert!(head(&world, 2).distance(Vec3::new(0.0, 1.4, 0.2)) < 1e-4, "a root goes along: {}", head(&world, 2));
    assert!(head(&world, 3).distance(Vec3::new(0.0, 1.3, 0.1)) < 1e-3, "half as far: {}", head(&world, 3));
}

#[test]
fn constraints_keep_two_chains_together_and_their_ends_too() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let apart = |linked: bool, auto: f32| {
        let values = [(row::DUMMY_BONE_LENGTH, 0.2), (row::BONE_FORWARD_AXIS, 3.0), (row::AUTO_LINK_DUMMIES, auto)];
        let mut rig = rig(&bones, &values);
        rig.setup.joints[1].colliders = vec![0];
        rig.setup.colliders = vec![ColliderSetup::new(BoneId(6), Shape::Sphere { radius: 0.1, inside: false })];
        let at = Trs::from_translation(Vec3::new(-0.2, -0.4, 0.0));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        if linked {
            rig.setup.kawaii.constraints = vec![BoneConstraint::new([BoneId(3), BoneId(5)])];
        }
        let world = rig.rested(120);
        (head(&world, 3).distance(head(&world, 5)), tip(&world, 1).distance(tip(&world, 3)))
    };
    let (free, linked, bones_only) = (apart(false, 1.0), apart(true, 1.0), apart(true, 0.0));
    assert!((linked.1 - 0.2).abs() < 0.5 * (free.1 - 0.2).abs(), "{free:?} {linked:?}");
    assert!((bones_only.1 - 0.2).abs() > (linked.1 - 0.2).abs() + 1e-3, "{bones_only:?} {linked:?}");
}

#[test]
fn constraints_are_solved_before_and_after_collision_as_often_as_asked() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let apart = |before: f32, after: f32| {
        let mut rig = rig(&bones, &[(row::ITERATIONS_BEFORE, before), (row::ITERATIONS_AFTER, after)]);
        let link = BoneConstraint::new([BoneId(3), BoneId(5)]);
        rig.setup.kawaii.constraints = vec![BoneConstraint { length: Some(0.1), ..link }];
        let world = rig.rested(60);
        head(&world, 3).distance(head(&world, 5))
    };
    assert!((apart(0.0, 0.0) - 0.2).abs() < 1e-5);
    assert!(apart(1.0, 0.0) < 0.15 && apart(0.0, 1.0) < 0.15, "{} {}", apart(1.0, 0.0), apart(0.0, 1.0));
}

#[test]
fn points_between_bones_meet_what_their_ends_miss() {
    let pushed = |values: &[(Row, f32)]| {
        let mut rig = hanging(2, &[&[(row::RADIUS, 0.005)], values].concat());
        let at = Trs::from_translation(Vec3::new(0.012, -0.15, 0.0));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        rig.setup.colliders = vec![ColliderSetup::new(BoneId(4), Shape::Sphere { radius: 0.02, inside: false })];
        rig.setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        let world = rig.rested(60);
        head(&world, 3).distance(Vec3::Y * 1.3)
    };
    assert!(pushed(&[]) < 1e-6, "the ends do not touch");
    assert!(pushed(&[(row::SUBDIVISION_COUNT, 3.0)]) > 1e-3);
    assert!(pushed(&[(row::SUBDIVISION_COUNT, 3.0), (row::SUBDIVISION_COLLISION_ONLY, 0.0)]) > 1e-3);
    assert!(pushed(&[(row::SUBDIVISION_COUNT, 1.0), (row::SUBDIVISION_DENSIFY, 1.0)]) > 1e-3);
}

#[test]
fn points_on_constraints_hand_their_push_to_both_chains() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let pushed = |count: f32, feedback: f32| {
        let mut rig = rig(&bones, &[(row::BRIDGE_COUNT, count), (row::BRIDGE_FEEDBACK, feedback), (row::RADIUS, 0.01)]);
        let at = Trs::from_translation(Vec3::new(0.0, -0.2, -0.03));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        rig.setup.colliders = vec![ColliderSetup::new(BoneId(6), Shape::Sphere { radius: 0.05, inside: false })];
        rig.setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        rig.setup.kawaii.constraints = vec![BoneConstraint::new([BoneId(3), BoneId(5)])];
        let world = rig.rested(60);
        [head(&world, 3).z, head(&world, 5).z]
    };
    assert_eq!(pushed(0.0, 1.0), [0.0, 0.0], "the ball is between the chains");
    assert_eq!(pushed(3.0, 0.0), [0.0, 0.0]);
    let both = pushed(3.0, 1.0);
    assert!(both[0] > 5e-3 && (both[0] - both[1]).abs() < 1e-4, "{both:?}");
}

#[test]
fn scene_winds_blow_only_where_they_are_asked_for_and_the_procedural_one_needs_no_scene() {
    let blown = |values: &[(Row, f32)]| {
        let mut rig = hanging(3, values);
        let kind = ForceKind::Volume { strength: 10.0 };
        rig.setup.forces = vec![ForceSetup { bone: BoneId(0), kind, enabled: true }];
        head(&rig.rested(60), 4) - Vec3::Y * 1.2
    };
    assert!(blown(&[]).length() < 1e-6);
    assert!(blown(&[(row::ENABLE_WIND, 1.0)]).z > 0.01);
    let wind = [(row::WIND_ENABLED, 1.0), (row::CONSTANT_FORCE, 0.3)];
    assert!(blown(&wind).x > 0.01);
    assert!(blown(&[wind[0], wind[1], (row::FORCE_RATE, 0.0)]).length() < 1e-6);
}

#[test]
fn a_bone_with_two_children_is_not_turned_but_its_children_move() {
    let rig =
        rig(&[(1, Vec3::NEG_Y * 0.1), (2, Vec3::new(0.1, -0.1, 0.0)), (2, Vec3::new(-0.1, -0.1, 0.0))], &[GRAVITY]);
    let world = rig.rested(30);
    assert!(world.pose().local[2].rotation.angle_between(Quat::IDENTITY) < 1e-3);
    assert!(
        [3, 4].iter().all(|b| world.pose().local[*b]
            .translation
            .distance(rig.skeleton.bone(BoneId(*b as u32)).rest.translation)
            > 0.01)
    );
    check_lengths(&rig, &world);
}

#[test]
fn a_joint_that_is_off_keeps_its_pose_and_lets_its_chain_follow() {
    let mut rig = hanging(4, &[GRAVITY]);
    rig.setup.joints[1].enabled = false;
    let world = rig.rested(60);
    assert!((head(&world, 4) - head(&world, 3)).distance(Vec3::NEG_Y * 0.1) < 1e-5, "as posed");
    assert!(head(&world, 3).x > 0.005 && (head(&world, 5) - head(&world, 4)).x > 0.005, "around it all swings");
}

#[test]
fn a_held_tip_reaches_the_hand_and_lengths_stay() {
    let rig = hanging(4, &[(row::DUMMY_BONE_LENGTH, 0.1), (row::BONE_FORWARD_AXIS, 3.0)]);
    let (mut world, pose) = (rig.world(), Pose::rest(&rig.skeleton));
    let joint = JointIndex { system: 0, joint: 3 };
    let target = Vec3::new(0.2, 1.2, 0.1);
    for _ in 0..30 {
        world.step(&StepInput { pose: &pose, hold: Some(Hold { joint, target }), dt: DT });
    }
    assert!(tip(&world, 3).distance(target) < 1e-3, "{}", tip(&world, 3));
    let shown = world.frames().frame(BoneId(5));
    assert!((shown.position + shown.rotation * Vec3::NEG_Y * 0.1).distance(target) < 2e-3, "the bone points there");
    check_lengths(&rig, &world);
}

#[test]
fn odd_chains_stay_finite_and_keep_their_lengths_at_any_scale() {
    for scale in [0.001, 1.0, 1000.0] {
        let s = |x: f32, y: f32| Vec3::new(x, y, 0.0) * scale;
        let shapes: [&[(u32, Vec3)]; 4] = [
            &[(1, s(0.0, -0.1))],
            &[(1, s(0.0, -0.1)), (2, Vec3::ZERO), (3, s(0.0, -0.1)), (4, s(0.05, -0.1))],
            &[(1, s(0.1, 0.0)), (2, s(0.0, -0.1)), (2, s(0.0, -0.1)), (3, s(0.0, -0.1)), (4, s(0.0, -0.1))],
            &[(1, s(0.0, -0.1)), (2, s(0.1, -0.1)), (2, s(-0.1, -0.1)), (3, s(0.0, -0.1)), (4, s(0.0, -0.2))],
        ];
        for bones in shapes {
            let values =
                [(row::GRAVITY[0], 9.8 * scale), (row::RADIUS, 0.01 * scale), (row::WORLD_DAMPING_LOCATION, 0.2)];
            let rig = rig(bones, &values);
            let mut world = rig.world();
            for tick in 0..120_u8 {
                let way = (f32::from(tick) * 0.2).sin() * 0.2 * scale;
                step(&mut world, &rig.pose(|pose| pose.local[0].translation.x = way));
                assert!(world.pose().local.iter().all(|l| l.rotation.is_finite() && l.translation.is_finite()));
            }
            for joint in &rig.setup.joints {
                let Some(parent) = rig.skeleton.parent(joint.bone).filter(|parent| parent.0 > 1) else { continue };
                let rest = rig.skeleton.bone(joint.bone).rest.translation.length();
                let found = head(&world, joint.bone.0).distance(head(&world, parent.0));
                assert!((found - rest).abs() < 1e-4 * scale.max(0.01), "{:?}: {found}, not {rest}", joint.bone);
            }
        }
    }
}

#[test]
fn the_components_scale_is_no_part_of_the_simulation_space() {
    let end = |scale: f32| {
        let mut rig = hanging(3, &[GRAVITY]);
        let mut bones = rig.skeleton.bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones[1..].iter_mut().for_each(|bone| bone.rest.translation /= scale);
        rig.skeleton = Skeleton::new(bones).expect("parents first");
        head(&rig.rested(30), 4)
    };
    assert!(end(1.0).distance(end(4.0)) < 1e-5, "{} {}", end(1.0), end(4.0));
}

#[test]
fn a_bone_in_the_direction_of_its_pose_still_takes_the_place_of_its_point() {
    // A joint that is off hands on its parent's movement without any turn of its own.
    let mut rig = hanging(4, &[GRAVITY]);
    rig.setup.joints[1].enabled = false;
    let world = rig.rested(60);
    assert!(head(&world, 4).distance(tip(&world, 1)) < 1e-5);
}

#[test]
fn a_point_on_its_parent_goes_where_its_pose_has_it() {
    let rig = hanging(2, &[(row::STIFFNESS, 0.0)]);
    let mut world = rig.rested(2);
    let at = head(&world, 2);
    world.place_tip(JointIndex { system: 0, joint: 0 }, at, at);
    step(&mut world, &Pose::rest(&rig.skeleton));
    assert!(head(&world, 3).distance(Vec3::Y * 1.3) < 1e-5, "{}", head(&world, 3));
}
