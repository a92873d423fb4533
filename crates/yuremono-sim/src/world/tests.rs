use super::*;
use crate::math::Trs;
use crate::params::ParamSet;
use crate::rig::Bone;
use crate::solver::spring_bone::{GRAVITY, GROUND_HEIGHT, PARAMS, RADIUS, STIFFNESS, Y_ACTIVE, Y_MAX};
use crate::{
    ColliderSetup, ColliderShape, ForceKind, ForceSetup, HighLegSetup, JointSetup, LengthTarget, ResponseInput,
    SpringResponse, TipPart, TipParts, TipSetup, Wind,
};
use glam::Quat;

/// Two chains of four bones with a plain bone between them, all descendants of one root. Colliders and pivots are
/// children of joints of both chains, so shallow joints read the frames of deeper joints.
fn interdependent_chains() -> (Skeleton, SystemSetup) {
    let bone = |parent: Option<u32>, x: f32, y: f32| Bone {
        name: format!("{x} {y}"),
        parent: parent.map(BoneId),
        rest: Trs { rotation: Quat::from_rotation_z(x), ..Trs::from_translation(Vec3::new(x, y, 0.1)) },
    };
    let bones = [
        bone(None, 0.0, 1.0),
        bone(Some(0), -0.1, 0.0),
        bone(Some(1), 0.0, -0.1),
        bone(Some(2), 0.05, -0.1),
        bone(Some(3), 0.0, -0.1),
        bone(Some(4), 0.02, -0.05),
        bone(Some(0), 0.1, 0.0),
        bone(Some(6), 0.0, -0.1),
        bone(Some(7), 0.0, -0.1),
        bone(Some(8), 0.01, -0.02),
    ];
    let skeleton = Skeleton::new(bones.into()).expect("parents first");
    let joint = |(at, bone): (usize, u32)| {
        let mut values = ParamSet::defaults(PARAMS);
        values.set(STIFFNESS, 200.0);
        values.set(Y_ACTIVE, 1.0);
        values.set(Y_MAX, 20.0);
        JointSetup {
            tip: TipSetup::Offset(Vec3::new(0.0, -0.1, 0.02)),
            tip_values: Vec::new(),
            pivot: Some(BoneId([9, 5, 0, 3][at % 4])),
            length_targets: vec![LengthTarget { bone: BoneId([9, 5, 3][at % 3]), stiffness: None }],
            colliders: vec![0, 1],
            chain: u32::from(bone > 5),
            enabled: bone != 7,
            ..JointSetup::new(BoneId(bone), values)
        }
    };
    let collider = |bone| ColliderSetup::new(BoneId(bone), ColliderShape::Sphere { radius: 0.12, inside: false });
    let breeze = Wind { weight: 1.0, strength: 20.0, ..Wind::default() };
    let wind = |bone| ForceSetup { bone: BoneId(bone), kind: ForceKind::Wind(breeze), enabled: true };
    let setup = SystemSetup {
        joints: [1, 2, 4, 6, 7, 8].into_iter().enumerate().map(joint).collect(),
        colliders: vec![collider(5), collider(9)],
        forces: vec![wind(9), wind(0)],
        high_legs: vec![HighLegSetup { bone: BoneId(5), hip: BoneId(0), legs: vec![[BoneId(6), BoneId(9)]] }],
        ..SystemSetup::new(SolverKind::UnityChanSpringBone, ParamSet::defaults(PARAMS))
    };
    (skeleton, setup)
}

#[test]
fn skipped_frame_updates_do_not_change_the_motion() {
    let (mut skeleton, setup) = interdependent_chains();
    // Bones that no joint reads: beside the chains, and below a joint.
    for (name, parent) in [("ear", 0), ("ribbon", 8)] {
        let bone = Bone { name: name.into(), parent: Some(BoneId(parent)), rest: Trs::from_translation(Vec3::Y) };
        skeleton.push(bone).expect("parents first");
    }
    let mut lean = World::build(&skeleton, std::slice::from_ref(&setup));
    let mut full = lean.clone();
    let all: Vec<u32> = (0..skeleton.len() as u32).collect();
    assert!(lean.traversal.after_solvers.len() < all.len());
    full.traversal.before_solvers.clone_from(&all);
    full.traversal.after_solvers = all;
    let mut restricted = lean.clone();
    let shown = [BoneId(2), BoneId(8)];
    restricted.restrict_frames(shown.into_iter());
    let count = |world: &World| [world.traversal.before_solvers.len(), world.traversal.after_solvers.len()];
    assert_eq!(count(&restricted), count(&lean).map(|count| count - 1));
    let mut pose = Pose::rest(&skeleton);
    for tick in 0..240_u8 {
        let root = &mut pose.local[0];
        root.rotation = Quat::from_rotation_y(f32::from(tick) * 0.2) * Quat::from_rotation_x(0.3);
        root.translation.x = libm::sinf(f32::from(tick) * 0.15) * 0.3;
        pose.local[3].rotation = Quat::from_rotation_x(f32::from(tick) * 0.05);
        let hold = (tick > 200)
            .then_some(JointGrab { joint: JointIndex { system: 0, joint: 2 }, target: GrabTarget::Tip(Vec3::X) });
        for world in [&mut lean, &mut full, &mut restricted] {
            world.step(&StepInput { pose: &pose, grab: hold, dt: 1.0 / 60.0 });
        }
        assert_eq!(lean.pose, full.pose, "tick {tick}");
        assert_eq!(lean.frames, full.frames, "tick {tick}");
        assert_eq!(restricted.pose, full.pose, "tick {tick}");
        assert!(shown.iter().all(|bone| restricted.frames.frame(*bone) == full.frames.frame(*bone)), "tick {tick}");
    }
}

/// Two copies of the interdependent chains, the second copy rotated, so that dependency levels fill whole batches.
/// Works for any solver.
fn duplicated_chains(solver: SolverKind) -> (Skeleton, SystemSetup) {
    let (skeleton, setup) = interdependent_chains();
    let count = skeleton.len() as u32;
    let defaults = ParamSet::defaults(solver.info().params);
    let numbers = ResponseInput {
        joint_params: &defaults,
        system_params: &defaults,
        bone_length: 0.1,
        carried_inertia: 0.0,
        frame_seconds: 1.0 / 60.0,
    };
    let response = SpringResponse { frequency_hz: 1.5, damping_ratio: 0.2, ..solver.response(&numbers) };
    let mut values = defaults.clone();
    for (param, value) in solver.params_for(&response, &numbers) {
        values.set(param, value);
    }
    let mut bones = skeleton.bones().to_vec();
    let turn = Quat::from_rotation_y(1.3);
    for bone in skeleton.bones() {
        let parent = bone.parent.map(|parent| BoneId(if parent.0 == 0 { 0 } else { parent.0 + count }));
        let rest = Trs { translation: turn * bone.rest.translation, ..bone.rest };
        bones.push(Bone { name: format!("{} again", bone.name), parent, rest });
    }
    // The bones are in the order of their chains, as in real files. The two interdependent chains leave gaps.
    let joint = |(bone, from): (u32, u32)| {
        let like = &setup.joints[bone as usize % setup.joints.len()];
        let tip = if matches!(bone, 4 | 8) { like.tip.clone() } else { TipSetup::Bones(vec![BoneId(bone + from + 1)]) };
        let (chain, enabled) = (u32::from(bone > 5) + 2 * u32::from(from > 0), bone != 7 || from > 0);
        JointSetup { bone: BoneId(bone + from), tip, values: values.clone(), chain, enabled, ..like.clone() }
    };
    let joints = [0, count].into_iter().flat_map(|from| [1, 2, 3, 4, 6, 7, 8].map(|bone| (bone, from)));
    let joints = joints.map(joint).collect();
    let own = SystemSetup { solver, values, joints, component: Some(BoneId(0)), ..setup };
    (Skeleton::new(bones).expect("parents first"), own)
}

#[test]
fn the_batch_size_does_not_change_the_motion() {
    use crate::solver::batch::MAX_BATCH_SIZE;
    for solver in SolverKind::ALL.iter().copied() {
        let (skeleton, setup) = duplicated_chains(solver);
        let mut worlds = [1, 2, 3, 4].map(|most| {
            MAX_BATCH_SIZE.set(most);
            World::build(&skeleton, std::slice::from_ref(&setup))
        });
        MAX_BATCH_SIZE.set(4);
        let mut pose = Pose::rest(&skeleton);
        let start = worlds[0].pose.clone();
        for tick in 0..120_u8 {
            pose.local[0].rotation =
                Quat::from_rotation_y(libm::sinf(f32::from(tick) * 0.2)) * Quat::from_rotation_x(0.3);
            pose.local[0].translation.x = libm::sinf(f32::from(tick) * 0.15) * 0.3;
            if tick == 60 {
                let moved = |bone: BoneId| worlds[0].pose.local[bone.index()] != start.local[bone.index()];
                assert!(setup.joints.iter().any(|joint| moved(joint.bone)), "{solver:?} moves nothing");
                let mut on = setup.clone();
                on.joints.iter_mut().for_each(|joint| joint.enabled = !joint.enabled);
                for world in &mut worlds {
                    world.bake(std::slice::from_ref(&on));
                }
            }
            for world in &mut worlds {
                world.step(&StepInput { pose: &pose, grab: None, dt: 1.0 / 60.0 });
            }
            for (at, world) in worlds.iter().enumerate().skip(1) {
                assert_eq!(world.pose, worlds[0].pose, "{solver:?}, batches of {}, tick {tick}", at + 1);
                assert_eq!(world.frames, worlds[0].frames, "{solver:?}, batches of {}, tick {tick}", at + 1);
            }
        }
    }
}

/// One bone of 0.2 m that points down, with its head one metre above the ground.
fn hanging_bone(more: impl FnOnce(&mut SystemSetup)) -> (World, SystemSetup, Pose) {
    let bone = |parent: Option<u32>, y: f32| Bone {
        name: "bone".to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::Y * y),
    };
    let bones = vec![bone(None, 1.0), bone(Some(0), 0.0), bone(Some(1), -0.2), bone(Some(0), -0.2)];
    let skeleton = Skeleton::new(bones).expect("parents first");
    let joint = JointSetup {
        tip: TipSetup::Bones(vec![BoneId(2)]),
        colliders: vec![0, 1],
        ..JointSetup::new(BoneId(1), ParamSet::defaults(PARAMS))
    };
    let mut setup = SystemSetup {
        joints: vec![joint],
        colliders: vec![
            ColliderSetup::new(BoneId(0), ColliderShape::Panel { width: 1.0, height: 1.0 }),
            ColliderSetup::new(BoneId(3), ColliderShape::Sphere { radius: 0.02, inside: false }),
        ],
        ..SystemSetup::new(SolverKind::UnityChanSpringBone, ParamSet::defaults(PARAMS))
    };
    more(&mut setup);
    let pose = Pose::rest(&skeleton);
    (World::build(&skeleton, std::slice::from_ref(&setup)), setup, pose)
}

const FIRST_JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

fn step(world: &mut World, pose: &Pose) {
    world.step(&StepInput { pose, grab: None, dt: 1.0 / 60.0 });
}

#[test]
fn a_disabled_joint_follows_the_pose_and_an_enabled_joint_continues_from_it() {
    let (mut world, mut setup, mut pose) = hanging_bone(|setup| {
        setup.values.set(GRAVITY[0], 20.0);
        setup.joints[0].colliders.clear();
    });
    (0..30).for_each(|_| step(&mut world, &pose));
    assert!(world.pose().local[1].rotation.angle_between(Quat::IDENTITY) > 0.5);
    pose.local[1].rotation = Quat::from_rotation_x(0.2);
    setup.joints[0].enabled = false;
    world.bake(std::slice::from_ref(&setup));
    let tip = world.tip(FIRST_JOINT);
    step(&mut world, &pose);
    assert_eq!(world.pose().local[1].rotation, pose.local[1].rotation);
    assert_eq!(world.tip(FIRST_JOINT), tip, "`UnityChanSpringBone` leaves the tip unchanged");
    setup.joints[0].enabled = true;
    world.bake(std::slice::from_ref(&setup));
    step(&mut world, &pose);
    assert!(world.pose().local[1].rotation.angle_between(Quat::IDENTITY) > 0.5);
}

#[test]
fn an_enabled_force_pulls_and_is_reported() {
    let force = ForceSetup { bone: BoneId(0), kind: ForceKind::Volume { strength: 30.0 }, enabled: false };
    let (mut world, mut setup, pose) = hanging_bone(|setup| {
        setup.forces.push(force);
        setup.joints[0].colliders.clear();
    });
    assert_eq!(world.force_at(0, 0, Vec3::ZERO), Some(Vec3::ZERO));
    assert_eq!((world.force_at(0, 1, Vec3::ZERO), world.force_at(1, 0, Vec3::ZERO)), (None, None));
    step(&mut world, &pose);
    assert!(world.tip(FIRST_JOINT).expect("a joint").z.abs() < 1e-6);
    setup.forces[0].enabled = true;
    world.bake(std::slice::from_ref(&setup));
    assert_eq!(world.force_at(0, 0, Vec3::ZERO), Some(Vec3::Z * 30.0));
    (0..20).for_each(|_| step(&mut world, &pose));
    assert!(world.tip(FIRST_JOINT).expect("a joint").z > 0.1);
}

#[test]
fn wind_clocks_are_cloned_with_the_world_and_restart_on_reset() {
    let wind = Wind { weight: 1.0, strength: 20.0, ..Wind::default() };
    let force = ForceSetup { bone: BoneId(0), kind: ForceKind::Wind(wind), enabled: true };
    let (mut world, setup, pose) = hanging_bone(|setup| setup.forces.push(force));
    let at = |world: &World| world.force_at(0, 0, Vec3::Y).expect("a wind");
    step(&mut world, &pose);
    let first = at(&world);
    (0..20).for_each(|_| step(&mut world, &pose));
    let mut fork = world.clone();
    let later = at(&world);
    assert!(first.distance(later) > 0.1);
    step(&mut world, &pose);
    assert_eq!(at(&fork), later);
    let skeleton = fork.skeleton().clone();
    fork.rebuild(&skeleton, std::slice::from_ref(&setup));
    step(&mut fork, &pose);
    assert_eq!(at(&fork), at(&world), "a rebuilt world continues the clock");
    world.reset(&pose);
    step(&mut world, &pose);
    assert_eq!(at(&world), first);
}

#[test]
fn contacts_report_collider_depth_and_point() {
    let (mut world, _, pose) = hanging_bone(|setup| {
        setup.values.set(GROUND_HEIGHT, 0.77);
        setup.joints[0].values.set(RADIUS, 0.01);
    });
    let contacts = world.contacts();
    let found: Vec<_> = contacts.iter().map(|c| c.collider).collect();
    assert_eq!(found, [Some(1), Some(0)], "colliders are in testing order, and the ground is three centimetres away");
    assert!((contacts[0].depth - 0.03).abs() < 1e-6, "the tip is in the middle of the ball");
    assert!((contacts[1].depth - 0.01).abs() < 1e-6 && contacts[1].point.distance(Vec3::Y * 0.8) < 1e-6);
    assert_eq!(world.deepest_contact(), Some(contacts[0]));
    (0..60).for_each(|_| step(&mut world, &pose));
    let worst = world.deepest_contact().map_or(0.0, |c| c.depth);
    assert!(worst < 0.03, "the step pushes out: {worst}");
}

#[test]
fn a_tip_at_rest_on_the_ground_is_a_contact_without_depth() {
    let (mut world, _, pose) = hanging_bone(|setup| {
        setup.values.set(GROUND_HEIGHT, 0.85);
        setup.joints[0].colliders.clear();
    });
    let deep = world.deepest_contact().expect("it starts in the ground");
    assert!(deep.collider.is_none() && (deep.depth - 0.1).abs() < 1e-6);
    (0..200).for_each(|_| step(&mut world, &pose));
    let contacts = world.contacts();
    assert_eq!(contacts.len(), 1);
    assert!(contacts[0].collider.is_none() && contacts[0].depth < 1e-4, "{contacts:?}");
}

#[test]
fn parts_of_tips_exist_while_the_world_is_probed() {
    let (mut world, _, pose) = hanging_bone(|setup| setup.joints[0].colliders.clear());
    step(&mut world, &pose);
    assert_eq!(world.tip_parts(FIRST_JOINT), None);
    world.set_probed(true);
    assert_eq!(world.tip_parts(FIRST_JOINT), Some(TipParts::default()));
    assert_eq!(world.tip_parts(JointIndex { joint: 1, ..FIRST_JOINT }), None, "there is one joint");
    step(&mut world, &pose);
    assert!(world.tip_parts(FIRST_JOINT).expect("probed").get(TipPart::Gravity).y < -1e-5);
    world.set_probed(false);
    assert_eq!(world.tip_parts(FIRST_JOINT), None);
}

#[test]
fn parts_of_tips_are_cloned_baked_rebuilt_and_reset_with_the_world() {
    let (mut world, setup, mut pose) = hanging_bone(|setup| {
        setup.joints[0].values.set(STIFFNESS, 200.0);
        setup.joints[0].colliders.clear();
    });
    world.set_probed(true);
    pose.local[0].rotation = Quat::from_rotation_x(0.4);
    step(&mut world, &pose);
    let parts = world.tip_parts(FIRST_JOINT).expect("probed");
    let mut fork = world.clone();
    world.bake(std::slice::from_ref(&setup));
    assert_eq!(world.tip_parts(FIRST_JOINT), Some(parts), "an edit of parameters keeps the last step");
    step(&mut world, &pose);
    assert_ne!(world.tip_parts(FIRST_JOINT), Some(parts));
    assert_eq!(fork.tip_parts(FIRST_JOINT), Some(parts), "a clone has its own records");
    let skeleton = fork.skeleton().clone();
    fork.rebuild(&skeleton, std::slice::from_ref(&setup));
    assert_eq!(fork.tip_parts(FIRST_JOINT), Some(TipParts::default()), "a rebuilt world has taken no step");
    step(&mut fork, &pose);
    assert_eq!(fork.tip_parts(FIRST_JOINT), world.tip_parts(FIRST_JOINT));
    world.reset(&pose);
    assert_eq!(world.tip_parts(FIRST_JOINT), Some(TipParts::default()));
}

#[test]
fn a_grab_and_a_disabled_joint_have_their_own_parts() {
    let (mut world, mut setup, mut pose) = hanging_bone(|setup| setup.joints[0].colliders.clear());
    world.set_probed(true);
    let grab = Some(JointGrab { joint: FIRST_JOINT, target: GrabTarget::Tip(Vec3::new(0.2, 0.9, 0.0)) });
    world.step(&StepInput { pose: &pose, grab, dt: 1.0 / 60.0 });
    let moved = |world: &World, before: Vec3| world.tip(FIRST_JOINT).expect("a joint") - before;
    let parts = world.tip_parts(FIRST_JOINT).expect("probed");
    assert!(parts.get(TipPart::Other).length() > 0.1);
    assert!(parts.sum().distance(moved(&world, Vec3::Y * 0.8)) < 1e-6);
    setup.joints[0].enabled = false;
    world.bake(std::slice::from_ref(&setup));
    pose.local[0].translation.x = 0.3;
    let before = world.tip(FIRST_JOINT).expect("a joint");
    step(&mut world, &pose);
    let parts = world.tip_parts(FIRST_JOINT).expect("probed");
    assert_eq!(parts.get(TipPart::Inertia), moved(&world, before), "a disabled joint only follows the pose");
    assert_eq!(parts.sum(), parts.get(TipPart::Inertia));
}
