//! Tests KawaiiPhysics beyond the recordings.

use glam::{Quat, Vec3};
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::kawaii::params::{self, PARAMS};
use yuremono_sim::{
    BoneConstraint, ColliderSetup, ColliderShape, ForceKind, ForceSetup, GrabTarget, JointGrab, JointIndex, JointSetup,
    SolverKind, StepInput, SyncBone, SyncTarget, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// A skeleton with a component node, a head and simulated bones. Every descendant of the head is a joint.
struct Rig {
    skeleton: Skeleton,
    setup: SystemSetup,
}

/// Creates the rig: bone 0 is the component, bone 1 is the head, and `bones` follow from bone 2 by parent and position.
fn rig(bones: &[(u32, Vec3)], values: &[(ParamId, f32)]) -> Rig {
    let bone = |name: &str, parent: Option<u32>, at: Vec3| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(at),
    };
    let mut all = vec![bone("component", None, Vec3::ZERO), bone("head", Some(0), Vec3::Y * 1.5)];
    all.extend(bones.iter().enumerate().map(|(i, (parent, at))| bone(&format!("b{i}"), Some(*parent), *at)));
    let skeleton = Skeleton::new(all).expect("parents first");
    let mut set = ParamSet::defaults(PARAMS);
    for (param, value) in values {
        set.set(*param, *value);
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
            tip_values: Vec::new(),
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

/// Returns a chain of `count` bones that points down. Each bone is ten centimetres long.
fn hanging_chain(count: u32, values: &[(ParamId, f32)]) -> Rig {
    let bones: Vec<_> = (0..count).map(|i| (i + 1, Vec3::NEG_Y * 0.1)).collect();
    rig(&bones, values)
}

impl Rig {
    fn world(&self) -> World {
        World::build(&self.skeleton, std::slice::from_ref(&self.setup))
    }

    fn posed(&self, alter: impl FnOnce(&mut Pose)) -> Pose {
        let mut pose = Pose::rest(&self.skeleton);
        alter(&mut pose);
        pose
    }

    /// Returns the world after `frames` frames in the rest pose.
    fn settled(&self, frames: u32) -> World {
        let mut world = self.world();
        let pose = Pose::rest(&self.skeleton);
        (0..frames).for_each(|_| step(&mut world, &pose));
        world
    }
}

fn step(world: &mut World, pose: &Pose) {
    world.step(&StepInput { pose, grab: None, dt: DT });
}

fn bone_position(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

fn tip_position(world: &World, joint: u32) -> Vec3 {
    world.tip(JointIndex { system: 0, joint }).expect("a joint")
}

/// Checks that every joint keeps the distance to its parent.
#[track_caller]
fn check_lengths(rig: &Rig, world: &World) {
    for joint in &rig.setup.joints {
        let Some(parent) = rig.skeleton.parent(joint.bone).filter(|parent| parent.0 > 1) else { continue };
        let rest = rig.skeleton.bone(joint.bone).rest.translation.length();
        let found = bone_position(world, joint.bone.0).distance(bone_position(world, parent.0));
        assert!((found - rest).abs() <= 1e-5 * rest.max(1.0), "{:?} is {found} long, not {rest}", joint.bone);
    }
}

const GRAVITY: (ParamId, f32) = (params::GRAVITY[0], 9.8);

#[test]
fn gravity_pulls_along_the_world_or_the_component() {
    let turned = Quat::from_rotation_y(std::f32::consts::FRAC_PI_2);
    for (in_world, expected) in [(1.0, Vec3::X), (0.0, Vec3::NEG_Z)] {
        let rig = hanging_chain(2, &[GRAVITY, (params::USE_WORLD_GRAVITY, in_world)]);
        let mut world = rig.world();
        let pose = rig.posed(|pose| pose.local[0].rotation = turned);
        (0..10).for_each(|_| step(&mut world, &pose));
        let pulled = (bone_position(&world, 3) - Vec3::Y * 1.3).normalize();
        assert!(pulled.dot(expected) > 0.9, "{pulled} is not {expected}");
    }
    let project = hanging_chain(2, &[(params::GRAVITY[0], 0.01), (params::USE_PROJECT_GRAVITY, 1.0)]).settled(20);
    let plain = hanging_chain(2, &[GRAVITY]).settled(20);
    assert!(bone_position(&project, 3).distance(bone_position(&plain, 3)) < 1e-5);
}

#[test]
fn a_dummy_bone_lets_the_last_bone_rotate() {
    let without = hanging_chain(2, &[GRAVITY]).settled(60);
    assert!(without.pose().local[3].rotation.angle_between(without.pose().local[2].rotation.inverse()) < 1e-3);
    for (axis, along) in [(0.0, Vec3::X), (3.0, Vec3::NEG_Y), (5.0, Vec3::NEG_Z)] {
        let rig = hanging_chain(2, &[GRAVITY, (params::DUMMY_BONE_LENGTH, 0.05), (params::BONE_FORWARD_AXIS, axis)]);
        let world = rig.world();
        assert!((tip_position(&world, 1) - Vec3::new(0.0, 1.3, 0.0)).distance(along * 0.05) < 1e-6);
        let world = rig.settled(60);
        let turned = world.frames().frame(BoneId(3)).rotation;
        assert!(
            (turned * along * 0.05).distance(tip_position(&world, 1) - bone_position(&world, 3)) < 1e-5,
            "the bone points at its tip"
        );
        assert!(axis == 0.0 || turned.angle_between(Quat::IDENTITY) > 0.05);
    }
}

#[test]
fn a_teleport_of_the_component_carries_its_points() {
    for (by, response) in [(Vec3::X * 2.0, true), (Vec3::X * 4.0, false)] {
        for space in [0.0, 1.0] {
            let rig = hanging_chain(3, &[(params::WORLD_DAMPING_LOCATION, 0.0), (params::SIMULATION_SPACE, space)]);
            let mut world = rig.settled(3);
            step(&mut world, &rig.posed(|pose| pose.local[0].translation = by));
            let lag = bone_position(&world, 4).distance(Vec3::Y * 1.2 + by);
            assert_eq!(lag > 0.05, response, "{lag} in space {space}");
        }
    }
    let rig = hanging_chain(3, &[(params::TELEPORT_DISTANCE, 0.0), (params::WORLD_DAMPING_LOCATION, 0.0)]);
    let mut world = rig.settled(3);
    step(&mut world, &rig.posed(|pose| pose.local[0].translation = Vec3::X * 4.0));
    assert!(bone_position(&world, 4).distance(Vec3::new(4.0, 1.2, 0.0)) > 0.05, "a threshold of 0 disables teleport");
}

#[test]
fn a_large_rotation_of_the_component_in_one_frame_carries_its_points() {
    for (degrees, response) in [(8.0_f32, true), (12.0, false)] {
        let rig = rig(
            &[(1, Vec3::X * 0.1), (2, Vec3::X * 0.1), (3, Vec3::X * 0.1)],
            &[(params::WORLD_DAMPING_ROTATION, 0.0)],
        );
        let mut world = rig.settled(3);
        let turn = Quat::from_rotation_y(degrees.to_radians());
        step(&mut world, &rig.posed(|pose| pose.local[0].rotation = turn));
        let lag = bone_position(&world, 4).distance(turn * Vec3::new(0.3, 1.5, 0.0));
        assert_eq!(lag > 0.005, response, "{lag}");
    }
}

#[test]
fn world_space_feels_all_motion_and_base_bone_space_ignores_motion_of_the_base_bone() {
    let lag = |space: f32, base: Option<u32>| {
        let mut rig = hanging_chain(3, &[(params::SIMULATION_SPACE, space), (params::WORLD_DAMPING_ROTATION, 1.0)]);
        rig.setup.kawaii.base_bone = base.map(BoneId);
        let mut world = rig.settled(3);
        step(&mut world, &rig.posed(|pose| pose.local[1].translation.x = 0.1));
        (bone_position(&world, 4) - Vec3::new(0.1, 1.2, 0.0)).length()
    };
    // The head moves, and the component does not. Only a simulation space based on the head moves with the head.
    assert!(lag(0.0, None) > 0.005 && lag(1.0, None) > 0.005);
    assert!(lag(2.0, Some(1)) < 0.003, "{}", lag(2.0, Some(1)));
}

#[test]
fn warm_up_steps_run_before_the_first_frame_and_after_a_reset() {
    let values = [GRAVITY, (params::WARM_UP_FRAMES, 30.0), (params::NEED_WARM_UP, 1.0)];
    let rig = hanging_chain(3, &values);
    let (warm, slow) = (rig.settled(1), hanging_chain(3, &[GRAVITY]).settled(31));
    assert!(bone_position(&warm, 4).distance(bone_position(&slow, 4)) < 1e-5);
    let mut again = rig.settled(10);
    again.reset(&Pose::rest(&rig.skeleton));
    step(&mut again, &Pose::rest(&rig.skeleton));
    assert!(bone_position(&again, 4).distance(bone_position(&warm, 4)) < 1e-5);
    let rig = hanging_chain(3, &[values[0], values[1], values[2], (params::WARM_UP_ON_RESET, 0.0)]);
    let mut cold = rig.settled(10);
    cold.reset(&Pose::rest(&rig.skeleton));
    step(&mut cold, &Pose::rest(&rig.skeleton));
    assert!(bone_position(&cold, 4).distance(Vec3::Y * 1.2) < 0.01);
}

#[test]
fn fixed_substeps_do_not_depend_on_the_frame_rate() {
    let end = |fixed: f32, dt: f32, frames: u32| {
        let rig = hanging_chain(3, &[GRAVITY, (params::USE_FIXED_SUBSTEPPING, fixed)]);
        let (mut world, pose) = (rig.world(), Pose::rest(&rig.skeleton));
        (0..frames).for_each(|_| world.step(&StepInput { pose: &pose, grab: None, dt }));
        bone_position(&world, 4)
    };
    // The frames are slightly longer than the exact time, so that rounding does not skip a step.
    let (slow, fast) = (end(1.0, 1.0001 / 20.0, 10), end(1.0, 1.0001 / 120.0, 60));
    assert!(slow.distance(fast) < 1e-5, "{slow} {fast}");
    assert!(end(0.0, 1.0 / 20.0, 10).distance(end(0.0, 1.0 / 120.0, 60)) > 1e-3);
    let dropped = end(1.0, 0.5, 1);
    assert!(dropped.distance(end(1.0, 1.0001 / 60.0, 4)) < 1e-5, "at most four steps per frame");
}

#[test]
fn sync_bones_move_the_animated_pose_of_their_targets() {
    let mut rig = rig(&[(1, Vec3::NEG_Y * 0.1), (2, Vec3::NEG_Y * 0.1), (1, Vec3::X * 0.2)], &[]);
    // The last bone is a leg, not a joint.
    rig.setup.joints.pop();
    let targets = vec![SyncTarget { bone: BoneId(2), scale: 1.0 }, SyncTarget { bone: BoneId(3), scale: 0.5 }];
    rig.setup.kawaii.sync_bones = vec![SyncBone::new(BoneId(4), targets)];
    let (mut world, raised) = (rig.world(), rig.posed(|pose| pose.local[4].translation += Vec3::new(0.0, 0.0, 0.2)));
    (0..200).for_each(|_| step(&mut world, &raised));
    assert!(
        bone_position(&world, 2).distance(Vec3::new(0.0, 1.4, 0.2)) < 1e-4,
        "a root follows its target: {}",
        bone_position(&world, 2)
    );
    assert!(
        bone_position(&world, 3).distance(Vec3::new(0.0, 1.3, 0.1)) < 1e-3,
        "the scale halves the movement: {}",
        bone_position(&world, 3)
    );
}

#[test]
fn bone_constraints_hold_two_chains_and_their_dummy_bones_together() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let apart = |linked: bool, auto: f32| {
        let values =
            [(params::DUMMY_BONE_LENGTH, 0.2), (params::BONE_FORWARD_AXIS, 3.0), (params::AUTO_LINK_DUMMIES, auto)];
        let mut rig = rig(&bones, &values);
        rig.setup.joints[1].colliders = vec![0];
        rig.setup.colliders = vec![ColliderSetup::new(BoneId(6), ColliderShape::Sphere { radius: 0.1, inside: false })];
        let at = Trs::from_translation(Vec3::new(-0.2, -0.4, 0.0));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        if linked {
            rig.setup.kawaii.constraints = vec![BoneConstraint::new([BoneId(3), BoneId(5)])];
        }
        let world = rig.settled(120);
        (
            bone_position(&world, 3).distance(bone_position(&world, 5)),
            tip_position(&world, 1).distance(tip_position(&world, 3)),
        )
    };
    let (free, linked, bones_only) = (apart(false, 1.0), apart(true, 1.0), apart(true, 0.0));
    assert!((linked.1 - 0.2).abs() < 0.5 * (free.1 - 0.2).abs(), "{free:?} {linked:?}");
    assert!((bones_only.1 - 0.2).abs() > (linked.1 - 0.2).abs() + 1e-3, "{bones_only:?} {linked:?}");
}

#[test]
fn constraints_are_solved_before_and_after_collision_for_the_given_iterations() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let apart = |before: f32, after: f32| {
        let mut rig = rig(&bones, &[(params::ITERATIONS_BEFORE, before), (params::ITERATIONS_AFTER, after)]);
        let link = BoneConstraint::new([BoneId(3), BoneId(5)]);
        rig.setup.kawaii.constraints = vec![BoneConstraint { length: Some(0.1), ..link }];
        let world = rig.settled(60);
        bone_position(&world, 3).distance(bone_position(&world, 5))
    };
    assert!((apart(0.0, 0.0) - 0.2).abs() < 1e-5);
    assert!(apart(1.0, 0.0) < 0.15 && apart(0.0, 1.0) < 0.15, "{} {}", apart(1.0, 0.0), apart(0.0, 1.0));
}

#[test]
fn subdivision_points_collide_where_bone_ends_do_not() {
    let pushed = |values: &[(ParamId, f32)]| {
        let mut rig = hanging_chain(2, &[&[(params::RADIUS, 0.005)], values].concat());
        let at = Trs::from_translation(Vec3::new(0.012, -0.15, 0.0));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        rig.setup.colliders =
            vec![ColliderSetup::new(BoneId(4), ColliderShape::Sphere { radius: 0.02, inside: false })];
        rig.setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        let world = rig.settled(60);
        bone_position(&world, 3).distance(Vec3::Y * 1.3)
    };
    assert!(pushed(&[]) < 1e-6, "the ends do not touch");
    assert!(pushed(&[(params::SUBDIVISION_COUNT, 3.0)]) > 1e-3);
    assert!(pushed(&[(params::SUBDIVISION_COUNT, 3.0), (params::SUBDIVISION_COLLISION_ONLY, 0.0)]) > 1e-3);
    assert!(pushed(&[(params::SUBDIVISION_COUNT, 1.0), (params::SUBDIVISION_DENSIFY, 1.0)]) > 1e-3);
}

#[test]
fn collision_points_on_constraints_push_both_chains() {
    let bones = [(1, Vec3::X * -0.1), (2, Vec3::NEG_Y * 0.2), (1, Vec3::X * 0.1), (4, Vec3::NEG_Y * 0.2)];
    let pushed = |count: f32, feedback: f32| {
        let mut rig =
            rig(&bones, &[(params::BRIDGE_COUNT, count), (params::BRIDGE_FEEDBACK, feedback), (params::RADIUS, 0.01)]);
        let at = Trs::from_translation(Vec3::new(0.0, -0.2, -0.03));
        rig.skeleton.push(Bone { name: "ball".to_owned(), parent: Some(BoneId(1)), rest: at }).expect("a bone");
        rig.setup.colliders =
            vec![ColliderSetup::new(BoneId(6), ColliderShape::Sphere { radius: 0.05, inside: false })];
        rig.setup.joints.iter_mut().for_each(|joint| joint.colliders = vec![0]);
        rig.setup.kawaii.constraints = vec![BoneConstraint::new([BoneId(3), BoneId(5)])];
        let world = rig.settled(60);
        [bone_position(&world, 3).z, bone_position(&world, 5).z]
    };
    assert_eq!(pushed(0.0, 1.0), [0.0, 0.0], "the sphere is between the chains");
    assert_eq!(pushed(3.0, 0.0), [0.0, 0.0]);
    let both = pushed(3.0, 1.0);
    assert!(both[0] > 5e-3 && (both[0] - both[1]).abs() < 1e-4, "{both:?}");
}

#[test]
fn scene_wind_acts_only_when_enabled_and_procedural_wind_needs_no_scene_wind() {
    let blown = |values: &[(ParamId, f32)]| {
        let mut rig = hanging_chain(3, values);
        let kind = ForceKind::Volume { strength: 10.0 };
        rig.setup.forces = vec![ForceSetup { bone: BoneId(0), kind, enabled: true }];
        bone_position(&rig.settled(60), 4) - Vec3::Y * 1.2
    };
    assert!(blown(&[]).length() < 1e-6);
    assert!(blown(&[(params::ENABLE_WIND, 1.0)]).z > 0.01);
    let wind = [(params::WIND_ENABLED, 1.0), (params::CONSTANT_FORCE, 0.3)];
    assert!(blown(&wind).x > 0.01);
    assert!(blown(&[wind[0], wind[1], (params::FORCE_RATE, 0.0)]).length() < 1e-6);
}

#[test]
fn a_bone_with_two_children_is_not_rotated_but_its_children_move() {
    let rig =
        rig(&[(1, Vec3::NEG_Y * 0.1), (2, Vec3::new(0.1, -0.1, 0.0)), (2, Vec3::new(-0.1, -0.1, 0.0))], &[GRAVITY]);
    let world = rig.settled(30);
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
fn a_disabled_joint_keeps_its_pose_and_the_rest_of_its_chain_is_simulated() {
    let mut rig = hanging_chain(4, &[GRAVITY]);
    rig.setup.joints[1].enabled = false;
    let world = rig.settled(60);
    assert!((bone_position(&world, 4) - bone_position(&world, 3)).distance(Vec3::NEG_Y * 0.1) < 1e-5, "as posed");
    assert!(
        bone_position(&world, 3).x > 0.005 && (bone_position(&world, 5) - bone_position(&world, 4)).x > 0.005,
        "the other bones swing"
    );
}

#[test]
fn a_grabbed_tip_reaches_its_target_and_bone_lengths_are_kept() {
    let rig = hanging_chain(4, &[(params::DUMMY_BONE_LENGTH, 0.1), (params::BONE_FORWARD_AXIS, 3.0)]);
    let (mut world, pose) = (rig.world(), Pose::rest(&rig.skeleton));
    let joint = JointIndex { system: 0, joint: 3 };
    let target = Vec3::new(0.2, 1.2, 0.1);
    for _ in 0..30 {
        world.step(&StepInput {
            pose: &pose,
            grab: Some(JointGrab { joint, target: GrabTarget::Tip(target) }),
            dt: DT,
        });
    }
    assert!(tip_position(&world, 3).distance(target) < 1e-3, "{}", tip_position(&world, 3));
    let shown = world.frames().frame(BoneId(5));
    assert!((shown.position + shown.rotation * Vec3::NEG_Y * 0.1).distance(target) < 2e-3, "it points there");
    check_lengths(&rig, &world);
}

#[test]
fn degenerate_chains_stay_finite_and_keep_their_lengths_at_any_scale() {
    for scale in [0.001, 1.0, 1000.0] {
        let s = |x: f32, y: f32| Vec3::new(x, y, 0.0) * scale;
        let shapes: [&[(u32, Vec3)]; 4] = [
            &[(1, s(0.0, -0.1))],
            &[(1, s(0.0, -0.1)), (2, Vec3::ZERO), (3, s(0.0, -0.1)), (4, s(0.05, -0.1))],
            &[(1, s(0.1, 0.0)), (2, s(0.0, -0.1)), (2, s(0.0, -0.1)), (3, s(0.0, -0.1)), (4, s(0.0, -0.1))],
            &[(1, s(0.0, -0.1)), (2, s(0.1, -0.1)), (2, s(-0.1, -0.1)), (3, s(0.0, -0.1)), (4, s(0.0, -0.2))],
        ];
        for bones in shapes {
            let values = [
                (params::GRAVITY[0], 9.8 * scale),
                (params::RADIUS, 0.01 * scale),
                (params::WORLD_DAMPING_LOCATION, 0.2),
            ];
            let rig = rig(bones, &values);
            let mut world = rig.world();
            for tick in 0..120_u8 {
                let way = libm::sinf(f32::from(tick) * 0.2) * 0.2 * scale;
                step(&mut world, &rig.posed(|pose| pose.local[0].translation.x = way));
                assert!(world.pose().local.iter().all(|l| l.rotation.is_finite() && l.translation.is_finite()));
            }
            for joint in &rig.setup.joints {
                let Some(parent) = rig.skeleton.parent(joint.bone).filter(|parent| parent.0 > 1) else { continue };
                let rest = rig.skeleton.bone(joint.bone).rest.translation.length();
                let found = bone_position(&world, joint.bone.0).distance(bone_position(&world, parent.0));
                assert!((found - rest).abs() < 1e-4 * scale.max(0.01), "{:?}: {found}, not {rest}", joint.bone);
            }
        }
    }
}

#[test]
fn the_scale_of_the_component_does_not_change_the_motion() {
    let end = |scale: f32| {
        let mut rig = hanging_chain(3, &[GRAVITY]);
        let mut bones = rig.skeleton.bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        bones[1..].iter_mut().for_each(|bone| bone.rest.translation /= scale);
        rig.skeleton = Skeleton::new(bones).expect("parents first");
        bone_position(&rig.settled(30), 4)
    };
    assert!(end(1.0).distance(end(4.0)) < 1e-5, "{} {}", end(1.0), end(4.0));
}

#[test]
fn a_bone_that_needs_no_rotation_still_moves_to_its_point() {
    // A disabled joint follows the movement of its parent without rotating.
    let mut rig = hanging_chain(4, &[GRAVITY]);
    rig.setup.joints[1].enabled = false;
    let world = rig.settled(60);
    assert!(bone_position(&world, 4).distance(tip_position(&world, 1)) < 1e-5);
}

#[test]
fn a_point_at_the_position_of_its_parent_returns_to_its_animated_position() {
    let rig = hanging_chain(2, &[(params::STIFFNESS, 0.0)]);
    let mut world = rig.settled(2);
    let at = bone_position(&world, 2);
    world.set_tip(JointIndex { system: 0, joint: 0 }, at, at);
    step(&mut world, &Pose::rest(&rig.skeleton));
    assert!(bone_position(&world, 3).distance(Vec3::Y * 1.3) < 1e-5, "{}", bone_position(&world, 3));
}
