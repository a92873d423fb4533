//! Compares `AnimDynamics` with known physical solutions, because no recordings of Unreal exist.

use glam::{Quat, Vec3};
use std::f32::consts::TAU;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono_sim::solver::anim_dynamics as anim;
use yuremono_sim::{
    ColliderSetup, ColliderShape, ForceKind, ForceSetup, GrabTarget, JointGrab, JointIndex, JointSetup, SolverKind,
    StepInput, SystemSetup, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: f32 = 9.8;
const BONE_LENGTH: f32 = 0.1;

/// Returns a root at a height of 1.5 m with a chain along -Y. Its bones are ten centimetres long.
fn chain_skeleton(joints: usize) -> Skeleton {
    let bone = |i: usize| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(|p| BoneId(p as u32)),
        rest: Trs::from_translation(Vec3::Y * if i == 0 { 1.5 } else { -BONE_LENGTH }),
    };
    Skeleton::new((0..=joints).map(bone).collect()).expect("parents first")
}

fn chain_setup(joints: usize, rows: &[(ParamId, f32)]) -> SystemSetup {
    let mut values = ParamSet::defaults(anim::PARAMS);
    for (param, value) in rows {
        values.set(*param, *value);
    }
    let joint = |i: usize| JointSetup {
        bone: BoneId(i as u32),
        tip: TipSetup::Offset(Vec3::NEG_Y * BONE_LENGTH),
        values: values.clone(),
        tip_values: Vec::new(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    SystemSetup {
        joints: (1..=joints).map(joint).collect(),
        ..SystemSetup::new(SolverKind::AnimDynamics, values.clone())
    }
}

/// Returns the parameters of a box with sides of five centimetres. Its joint is at the head of the bone, and its center
/// is in the middle of the bone.
fn pendulum_params() -> Vec<(ParamId, f32)> {
    let mut rows: Vec<_> = anim::BOX_EXTENTS.into_iter().map(|param| (param, 0.05)).collect();
    rows.extend([(anim::LOCAL_JOINT_OFFSET[1], BONE_LENGTH * 0.5), (anim::BODY_ORIGIN, 1.0)]);
    rows
}

fn with_params(mut rows: Vec<(ParamId, f32)>, more: &[(ParamId, f32)]) -> Vec<(ParamId, f32)> {
    rows.extend_from_slice(more);
    rows
}

fn joint_index(joint: u32) -> JointIndex {
    JointIndex { system: 0, joint }
}

fn world_and_pose(joints: usize, rows: &[(ParamId, f32)]) -> (World, Pose) {
    let skeleton = chain_skeleton(joints);
    (World::build(&skeleton, &[chain_setup(joints, rows)]), Pose::rest(&skeleton))
}

/// Tilts the whole chain to the side and sets all velocities to zero.
fn tilt_chain(world: &mut World, joints: u32, angle: f32) {
    let root = world.frames().frame(BoneId(1)).position;
    for joint in 0..joints {
        let tip = root + Quat::from_rotation_z(angle) * (Vec3::NEG_Y * BONE_LENGTH * (joint + 1) as f32);
        world.set_tip(joint_index(joint), tip, tip);
    }
}

fn step(world: &mut World, pose: &Pose) {
    world.step(&StepInput { pose, grab: None, dt: DT });
}

/// Returns the angle between a bone and the vertical, in radians.
fn tilt_angle(world: &World, bone: u32) -> f32 {
    let along = world.frames().frame(BoneId(bone)).rotation * Vec3::NEG_Y;
    libm::atan2f(along.x, -along.y)
}

#[test]
fn a_pendulum_has_the_period_of_its_box_and_lever() {
    for (side, lever) in [(0.05, 0.05), (0.01, 0.2), (0.3, 0.1)] {
        let mut rows = pendulum_params();
        rows.extend(anim::BOX_EXTENTS.into_iter().map(|param| (param, side)));
        rows.push((anim::LOCAL_JOINT_OFFSET[1], lever));
        let (mut world, pose) = world_and_pose(1, &rows);
        tilt_chain(&mut world, 1, 0.05);
        let mut crossings: Vec<f32> = Vec::new();
        let mut before = tilt_angle(&world, 1);
        for tick in 0..900 {
            step(&mut world, &pose);
            let now = tilt_angle(&world, 1);
            if before.signum() != now.signum() {
                crossings.push((tick as f32 + before / (before - now)) * DT);
            }
            before = now;
        }
        let swings = (crossings.len() - 1) as f32 * 0.5;
        let period = (crossings[crossings.len() - 1] - crossings[0]) / swings;
        let inertia = side * side / 6.0 + lever * lever;
        let expected = TAU * (inertia / (GRAVITY * lever)).sqrt();
        let off = (period - expected).abs() / expected;
        assert!(off < 0.02, "box {side}, lever {lever}: {period} s instead of {expected} s");
    }
}

/// Returns the kinetic and potential energy of a chain of pendulums in J, computed from the movement of its bones in
/// the last step.
fn total_energy(world: &World, before: &[(Vec3, Quat)], joints: u32) -> f32 {
    let inertia = 0.05_f32.powi(2) / 6.0;
    (0..joints as usize)
        .map(|i| {
            let frame = world.frames().frame(BoneId(i as u32 + 1));
            let center = frame.position + frame.rotation * Vec3::NEG_Y * BONE_LENGTH * 0.5;
            let (was, turned) = before[i];
            let was = was + turned * Vec3::NEG_Y * BONE_LENGTH * 0.5;
            let speed = (center - was) / DT;
            let turn = frame.rotation * turned.inverse();
            let spin = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis() / DT;
            // The velocity is an average between two positions, so the height is averaged too.
            let height = 0.5 * (center.y + was.y);
            0.5 * speed.length_squared() + 0.5 * inertia * spin.length_squared() + GRAVITY * height
        })
        .sum()
}

#[test]
fn a_damped_chain_never_gains_energy() {
    for joints in [1_u32, 2, 5, 10] {
        let (mut world, pose) = world_and_pose(joints as usize, &pendulum_params());
        tilt_chain(&mut world, joints, 1.2);
        let mut most = f32::MAX;
        let mut seconds = Vec::new();
        for tick in 0..600 {
            let before: Vec<_> = (1..=joints)
                .map(|b| {
                    let frame = world.frames().frame(BoneId(b));
                    (frame.position, frame.rotation)
                })
                .collect();
            step(&mut world, &pose);
            if tick > 0 {
                seconds.push(total_energy(&world, &before, joints));
            }
        }
        // The measured energy oscillates within a swing, because the velocity is an average between two positions. Its
        // maximum per period never rises.
        for part in seconds.chunks(60) {
            let highest = part.iter().copied().fold(f32::MIN, f32::max);
            assert!(highest <= most + 1e-3, "{joints} joints: {highest} J after {most} J");
            most = highest;
        }
        let lowest: f32 = (0..joints).map(|i| GRAVITY * (1.4 - BONE_LENGTH * (i as f32 + 0.5))).sum();
        assert!(most >= lowest - 1e-3 && most - lowest < 0.2 * joints as f32, "{joints}: {most} J over {lowest} J");
    }
}

#[test]
fn bones_stay_inside_their_cone_limit() {
    for cone in [0.0_f32, 10.0, 35.0, 80.0] {
        let limit = [(anim::ANGULAR_CONSTRAINT_TYPE, 1.0), (anim::CONE_ANGLE, cone), (anim::SIMULATION_SPACE, 2.0)];
        let skeleton = chain_skeleton(4);
        let mut world = World::build(&skeleton, &[chain_setup(4, &with_params(pendulum_params(), &limit))]);
        let mut most = 0.0_f32;
        for tick in 0..400 {
            let mut pose = Pose::rest(&skeleton);
            let t = tick as f32 * DT;
            pose.local[0].translation.x += 0.4 * libm::sinf(t * 9.0);
            pose.local[0].rotation = Quat::from_rotation_z(1.5 * libm::sinf(t * 7.0));
            step(&mut world, &pose);
            for bone in 1..=4 {
                let above = world.frames().frame(BoneId(bone - 1)).rotation;
                let own = world.frames().frame(BoneId(bone)).rotation;
                most = most.max((above * Vec3::NEG_Y).angle_between(own * Vec3::NEG_Y).to_degrees());
            }
        }
        assert!(most <= cone + 0.1, "{most} degrees in a cone of {cone}");
        assert!(most >= cone - 0.1, "the motion reaches the cone of {cone}: {most}");
    }
}

#[test]
fn angular_limits_clamp_each_axis_to_its_range() {
    let (lowest, highest) = ([-5.0, -10.0, -20.0], [15.0, 10.0, 0.0]);
    let mut rows = with_params(pendulum_params(), &[(anim::SIMULATION_SPACE, 2.0), (anim::TWIST_AXIS, 2.0)]);
    rows.extend(anim::ANGULAR_LIMITS_MIN.into_iter().zip(lowest));
    rows.extend(anim::ANGULAR_LIMITS_MAX.into_iter().zip(highest));
    let skeleton = chain_skeleton(1);
    let mut world = World::build(&skeleton, &[chain_setup(1, &rows)]);
    let (mut low, mut high) = ([0.0_f32; 3], [0.0_f32; 3]);
    for tick in 0..600 {
        let mut pose = Pose::rest(&skeleton);
        let t = tick as f32 * DT;
        pose.local[0].translation += Vec3::new(libm::sinf(t * 9.0), 0.0, libm::cosf(t * 7.0)) * 0.4;
        pose.local[0].rotation = Quat::from_rotation_y(2.0 * libm::sinf(t * 5.0));
        step(&mut world, &pose);
        let turn = world.pose().local[1].rotation;
        let twist = Quat::from_xyzw(0.0, turn.y, 0.0, turn.w).normalize();
        let mut angles = (turn * twist.inverse()).to_scaled_axis();
        angles.y = twist.to_scaled_axis().y;
        for (axis, angle) in angles.to_array().into_iter().enumerate() {
            low[axis] = low[axis].min(angle.to_degrees());
            high[axis] = high[axis].max(angle.to_degrees());
        }
    }
    for axis in 0..3 {
        assert!(low[axis] >= lowest[axis] - 0.1 && high[axis] <= highest[axis] + 0.1, "{axis}: {low:?} {high:?}");
    }
    assert!(low[2] < -15.0 && high[0] > 10.0, "the motion reaches the limits: {low:?} {high:?}");
}

#[test]
fn an_angular_spring_settles_at_its_target() {
    let spring = [(anim::ANGULAR_SPRING, 1.0), (anim::ANGULAR_SPRING_CONSTANT, 0.2), (anim::GRAVITY_SCALE, 0.0)];
    let damped = [
        (anim::OVERRIDE_LINEAR_DAMPING, 1.0),
        (anim::LINEAR_DAMPING, 0.999),
        (anim::OVERRIDE_ANGULAR_DAMPING, 1.0),
        (anim::ANGULAR_DAMPING, 0.999),
    ];
    let target = Vec3::new(0.6, -0.8, 0.0);
    for aimed in [false, true] {
        let mut rows = with_params(with_params(pendulum_params(), &spring), &damped);
        if aimed {
            rows.extend(anim::ANGULAR_TARGET.into_iter().zip(target.to_array()));
        }
        let (mut world, pose) = world_and_pose(1, &rows);
        tilt_chain(&mut world, 1, -1.0);
        (0..600).for_each(|_| step(&mut world, &pose));
        let along = world.frames().frame(BoneId(1)).rotation * Vec3::NEG_Y;
        let wanted = if aimed { target } else { Vec3::NEG_Y };
        assert!(along.angle_between(wanted) < 1e-3, "the bone points along {along}, not {wanted}");
    }
}

#[test]
fn a_spring_settles_where_its_torque_equals_that_of_gravity() {
    // In equilibrium with sideways gravity, spring constant times angle equals weight times lever arm.
    let mut rows = with_params(pendulum_params(), &[(anim::ANGULAR_SPRING, 1.0), (anim::ANGULAR_SPRING_CONSTANT, 0.5)]);
    rows.extend([
        (anim::USE_GRAVITY_OVERRIDE, 1.0),
        (anim::GRAVITY_OVERRIDE[0], 5.0),
        (anim::GRAVITY_OVERRIDE[1], 0.0),
    ]);
    rows.extend([(anim::OVERRIDE_ANGULAR_DAMPING, 1.0), (anim::ANGULAR_DAMPING, 0.999)]);
    rows.extend([(anim::OVERRIDE_LINEAR_DAMPING, 1.0), (anim::LINEAR_DAMPING, 0.999)]);
    let (mut world, pose) = world_and_pose(1, &rows);
    (0..900).for_each(|_| step(&mut world, &pose));
    let found = tilt_angle(&world, 1);
    let (spring, weight) = (0.5 * found, 5.0 * BONE_LENGTH * 0.5 * libm::cosf(found));
    // The spring is slightly softer than an exact spring, because a step has finite length.
    assert!((spring - weight).abs() < 0.01 * weight, "{found} rad: {spring} N m against {weight} N m");
}

#[test]
fn a_long_chain_stays_connected_and_comes_to_rest_straight_down() {
    let (mut world, pose) = world_and_pose(10, &pendulum_params());
    tilt_chain(&mut world, 10, 1.5);
    let mut gap = 0.0_f32;
    for _ in 0..1800 {
        step(&mut world, &pose);
        for bone in 2..=10 {
            let above = world.frames().frame(BoneId(bone - 1));
            let end = above.position + above.rotation * (Vec3::NEG_Y * BONE_LENGTH);
            gap = gap.max(world.frames().frame(BoneId(bone)).position.distance(end));
        }
    }
    assert!(gap < 1e-6, "joints separate by {gap} m");
    let tip = world.tip(joint_index(9)).expect("a joint");
    assert!(tip.distance(Vec3::Y * (1.4 - 1.0)) < 0.02, "after half a minute the tip is at {tip}");
}

/// As in Unreal, the center of the body is at the head of the bone, so the bone rotates around its joint.
#[test]
fn with_the_body_at_the_bone_the_bone_orbits_its_joint() {
    let mut rows = pendulum_params();
    rows.extend([(anim::BODY_ORIGIN, 0.0), (anim::LOCAL_JOINT_OFFSET[1], 0.1)]);
    let (mut world, pose) = world_and_pose(1, &rows);
    let start = world.frames().frame(BoneId(1)).position;
    let joint = start + Vec3::Y * 0.1;
    let tip = joint + Quat::from_rotation_z(0.5) * (Vec3::NEG_Y * 0.2);
    world.set_tip(joint_index(0), tip, tip);
    let (mut off, mut sideways) = (0.0_f32, 0.0_f32);
    for _ in 0..300 {
        step(&mut world, &pose);
        let frame = world.frames().frame(BoneId(1));
        off = off.max((frame.position.distance(joint) - 0.1).abs());
        off = off.max((frame.position + frame.rotation * Vec3::Y * 0.1).distance(joint));
        sideways = sideways.max((frame.position.x - start.x).abs());
    }
    assert!(off < 1e-5, "the joint moves by {off} m");
    assert!(sideways > 0.04, "the bone itself swings: {sideways}");
}

#[test]
fn a_linear_limit_stops_a_falling_body() {
    let mut rows =
        with_params(pendulum_params(), &[(anim::LOCAL_JOINT_OFFSET[1], 0.0), (anim::LINEAR_AXES_MIN[1], -0.03)]);
    rows.extend([(anim::LINEAR_LIMIT_TYPE[0], 0.0)]);
    let (mut world, pose) = world_and_pose(1, &rows);
    let start = world.frames().frame(BoneId(1)).position;
    (0..240).for_each(|_| step(&mut world, &pose));
    let moved = world.frames().frame(BoneId(1)).position - start;
    assert!((moved - Vec3::NEG_Y * 0.03).length() < 1e-4, "the body falls to its limit: {moved}");
}

#[test]
fn a_linear_spring_sags_by_weight_over_spring_constant() {
    let mut rows = with_params(pendulum_params(), &[(anim::LOCAL_JOINT_OFFSET[1], 0.0)]);
    rows.extend(anim::LINEAR_LIMIT_TYPE.into_iter().map(|param| (param, 0.0)));
    rows.extend([(anim::LINEAR_SPRING, 1.0), (anim::LINEAR_SPRING_CONSTANT, 200.0)]);
    rows.extend([(anim::OVERRIDE_LINEAR_DAMPING, 1.0), (anim::LINEAR_DAMPING, 0.9999)]);
    let (mut world, pose) = world_and_pose(1, &rows);
    let start = world.frames().frame(BoneId(1)).position;
    (0..900).for_each(|_| step(&mut world, &pose));
    let sag = start.y - world.frames().frame(BoneId(1)).position.y;
    assert!((sag - GRAVITY / 200.0).abs() < 1e-3, "the body sags by {sag} m, not by weight over spring constant");
}

/// Returns the rest position of the last body's center in a chain of three bodies with this limit.
fn resting_center(shape: ColliderShape, place: Trs, kind: f32) -> Vec3 {
    let mut skeleton = chain_skeleton(3);
    let node = Bone { name: "limit".to_owned(), parent: None, rest: place };
    let node = skeleton.push(node).expect("a root");
    let rows = with_params(pendulum_params(), &[(anim::COLLISION_TYPE, kind), (anim::SPHERE_COLLISION_RADIUS, 0.04)]);
    let mut setup = chain_setup(3, &rows);
    setup.colliders.push(ColliderSetup::new(node, shape));
    setup.joints[2].colliders.push(0);
    let mut world = World::build(&skeleton, &[setup]);
    let pose = Pose::rest(&skeleton);
    for _ in 0..900 {
        step(&mut world, &pose);
    }
    let frame = world.frames().frame(BoneId(3));
    frame.position + frame.rotation * (Vec3::NEG_Y * BONE_LENGTH * 0.5)
}

#[test]
fn planes_and_spheres_collide_with_the_sphere_of_the_collision_type() {
    let sides = 0.05_f32;
    let balls = [0.0, 0.04, sides * 0.5, sides * 0.5 * 3_f32.sqrt()];
    let wall = Trs {
        translation: Vec3::new(0.02, 0.0, 0.0),
        rotation: Quat::from_rotation_y(std::f32::consts::FRAC_PI_2),
        scale: Vec3::ONE,
    };
    for (kind, ball) in balls.into_iter().enumerate() {
        let found = resting_center(ColliderShape::Plane, wall, kind as f32);
        assert!((found.x - 0.02 - ball).abs() < 2e-3, "a wall at 2 cm, ball {ball}: {found}");
        let place = Trs::from_translation(Vec3::new(-0.03, 1.15, 0.01));
        let found = resting_center(ColliderShape::Sphere { radius: 0.06, inside: false }, place, kind as f32);
        let distance = found.distance(place.translation);
        assert!(distance >= 0.06 + ball - 2e-3, "a 6 cm sphere, ball {ball}: {distance}");
        let place = Trs::from_translation(Vec3::new(0.1, 1.2, 0.0));
        let found = resting_center(ColliderShape::Sphere { radius: 0.1, inside: true }, place, kind as f32);
        let distance = found.distance(place.translation);
        assert!(distance <= 0.1 - ball + 2e-3, "inside a 10 cm sphere, ball {ball}: {distance}");
    }
}

#[test]
fn planar_and_spherical_limits_can_be_disabled() {
    let off = |param| {
        let skeleton = {
            let mut skeleton = chain_skeleton(1);
            let node =
                Bone { name: "limit".to_owned(), parent: None, rest: Trs::from_translation(Vec3::new(0.03, 1.3, 0.0)) };
            skeleton.push(node).expect("a root");
            skeleton
        };
        let rows = with_params(pendulum_params(), &[(param, 0.0)]);
        let mut setup = chain_setup(1, &rows);
        setup.colliders.push(ColliderSetup::new(BoneId(2), ColliderShape::Sphere { radius: 0.1, inside: false }));
        setup.joints[0].colliders.push(0);
        let mut world = World::build(&skeleton, &[setup]);
        let pose = Pose::rest(&skeleton);
        (0..60).for_each(|_| step(&mut world, &pose));
        tilt_angle(&world, 1).abs() > 0.01 || (world.frames().frame(BoneId(1)).rotation * Vec3::NEG_Y).z.abs() > 0.01
    };
    assert!(off(anim::USE_PLANAR_LIMIT), "a sphere pushes if only planar limits are disabled");
    assert!(!off(anim::USE_SPHERICAL_LIMITS), "nothing pushes");
}

/// Returns the largest angle of a chain while its root moves along X and stops.
fn max_swing_angle(rows: &[(ParamId, f32)]) -> f32 {
    let skeleton = chain_skeleton(2);
    let mut world = World::build(&skeleton, &[chain_setup(2, &with_params(pendulum_params(), rows))]);
    let mut most = 0.0_f32;
    for tick in 0..60 {
        let mut pose = Pose::rest(&skeleton);
        pose.local[0].translation.x += 0.5 * (tick as f32 * 0.05).min(1.0);
        step(&mut world, &pose);
        most = most.max(tilt_angle(&world, 2).abs());
    }
    most
}

#[test]
fn in_component_space_only_the_scaled_component_motion_moves_bones() {
    assert!(max_swing_angle(&[]) < 1e-4, "in component space nothing moves");
    let world = max_swing_angle(&[(anim::SIMULATION_SPACE, 2.0)]);
    assert!(world > 0.3, "in world space the chain swings: {world}");
    let share = |x: f32| max_swing_angle(&[(anim::COMPONENT_ACC_SCALE[0], x)]);
    let (half, whole) = (share(0.5), share(1.0));
    assert!(half > 0.05 && whole > half, "{half} {whole}");
    assert!((whole - world).abs() < 0.25 * world, "full acceleration swings like world space: {whole} {world}");
    let clamped = max_swing_angle(&[(anim::COMPONENT_ACC_SCALE[0], 1.0), (anim::COMPONENT_ACC_CLAMP[0], 1.0)]);
    assert!(clamped < 0.5 * whole, "{clamped}");
    let drag = max_swing_angle(&[(anim::COMPONENT_VEL_SCALE[0], 2.0)]);
    assert!(drag > 0.05, "a moving component feels headwind: {drag}");
}

#[test]
fn wind_scale_and_enable_wind_affect_wind_but_not_forces() {
    let blown = |kind: ForceKind, rows: &[(ParamId, f32)]| {
        let skeleton = chain_skeleton(1);
        let mut setup = chain_setup(1, &with_params(pendulum_params(), rows));
        setup.forces = vec![ForceSetup { bone: BoneId(0), kind, enabled: true }];
        let mut world = World::build(&skeleton, &[setup]);
        let pose = Pose::rest(&skeleton);
        (0..30).for_each(|_| step(&mut world, &pose));
        (world.frames().frame(BoneId(1)).rotation * Vec3::NEG_Y).z
    };
    let wind = ForceKind::ALL[1].with_field(0, 1.0).with_field(1, 5.0).with_field(2, 0.0);
    let whole = blown(wind, &[]);
    assert!(whole > 0.05, "{whole}");
    assert!(blown(wind, &[(anim::WIND_SCALE, 0.5)]) < whole);
    assert_eq!(blown(wind, &[(anim::ENABLE_WIND, 0.0)]), 0.0);
    assert!(blown(ForceKind::Volume { strength: 5.0 }, &[(anim::ENABLE_WIND, 0.0)]) > 0.05, "a force is not wind");
}

#[test]
fn fixed_substeps_give_the_same_motion_at_every_frame_rate() {
    let end = |frames: usize| {
        let (mut world, pose) = world_and_pose(3, &with_params(pendulum_params(), &[(anim::SUBSTEP_RATE, 120.0)]));
        tilt_chain(&mut world, 3, 0.6);
        let dt = 1.0 / frames as f32;
        (0..frames).for_each(|_| world.step(&StepInput { pose: &pose, grab: None, dt }));
        world.tip(joint_index(2)).expect("a joint")
    };
    let reference = end(120);
    for frames in [30, 40, 60, 240] {
        let off = end(frames).distance(reference);
        assert!(off < 1e-3, "at {frames} frames per second the tip ends {off} m away");
    }
}

#[test]
fn a_long_frame_catches_up_at_most_the_configured_frames() {
    let after = |frame: f32| {
        let (mut world, pose) = world_and_pose(
            1,
            &with_params(pendulum_params(), &[(anim::SUBSTEP_RATE, 60.0), (anim::MAX_CATCH_UP_FRAMES, 3.0)]),
        );
        tilt_chain(&mut world, 1, 0.5);
        world.step(&StepInput { pose: &pose, grab: None, dt: frame });
        tilt_angle(&world, 1)
    };
    assert_eq!(after(0.5), after(3.0 / 60.0), "at most three sixtieths are caught up");
    assert!(after(0.5) < after(2.0 / 60.0));
}

#[test]
fn the_angular_bias_changes_how_two_bodies_share_a_correction() {
    let tilt = |bias: f32| {
        let mut rows = with_params(pendulum_params(), &[(anim::GRAVITY_SCALE, 0.0), (anim::SIMULATION_SPACE, 2.0)]);
        rows.extend([(anim::ANGULAR_CONSTRAINT_TYPE, 1.0), (anim::CONE_ANGLE, 5.0)]);
        rows.extend([(anim::OVERRIDE_ANGULAR_BIAS, 1.0), (anim::ANGULAR_BIAS, bias)]);
        let (mut world, pose) = world_and_pose(2, &rows);
        // Throw the lower body against its limit.
        let tip = world.tip(joint_index(1)).expect("a joint");
        world.set_tip(joint_index(1), tip, tip - Vec3::X * 0.02);
        (0..3).for_each(|_| step(&mut world, &pose));
        tilt_angle(&world, 1)
    };
    assert_ne!(tilt(1.0).to_bits(), tilt(0.2).to_bits());
}

#[test]
fn a_grabbed_tip_reaches_its_target_and_keeps_its_velocity_on_release() {
    let (mut world, pose) = world_and_pose(4, &with_params(pendulum_params(), &[(anim::ANGULAR_SPRING, 1.0)]));
    let joint = joint_index(3);
    let start = world.tip(joint).expect("a joint");
    let mut target = start;
    for _ in 0..40 {
        target += Vec3::new(0.005, 0.003, 0.0);
        let hold = Some(JointGrab { joint, target: GrabTarget::Tip(target) });
        world.step(&StepInput { pose: &pose, grab: hold, dt: DT });
        let aimed = world.tip(joint).expect("a joint");
        assert!(aimed.is_finite());
    }
    let held = world.tip(joint).expect("a joint");
    assert!(held.distance(target) < 1e-4, "the tip is {held}, the hand at {target}");
    step(&mut world, &pose);
    let flung = world.tip(joint).expect("a joint");
    assert!(flung.x > held.x, "the body keeps moving: {} after {}", flung.x, held.x);
}

#[test]
fn degenerate_skeletons_stay_finite_and_keep_bone_lengths() {
    let bone = |name: &str, parent: Option<u32>, translation: Vec3, scale: f32| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs { translation, rotation: Quat::IDENTITY, scale: Vec3::splat(scale) },
    };
    for scale in [0.001, 1.0, 1000.0] {
        let down = Vec3::NEG_Y * BONE_LENGTH;
        let bones = vec![
            bone("root", None, Vec3::Y, scale),
            bone("a", Some(0), down, 1.0),
            bone("zero", Some(1), Vec3::ZERO, 1.0),
            bone("left", Some(2), down, 1.0),
            bone("right", Some(2), down, 1.0),
            bone("between", Some(4), down, 1.0),
            bone("last", Some(5), down, 1.0),
        ];
        let skeleton = Skeleton::new(bones).expect("parents first");
        let mut setup = chain_setup(
            6,
            &with_params(pendulum_params(), &[(anim::ANGULAR_SPRING, 1.0), (anim::SIMULATION_SPACE, 2.0)]),
        );
        setup.joints.remove(4);
        let tips = [vec![2], vec![3, 4], vec![], vec![6], vec![]];
        for (joint, tip) in setup.joints.iter_mut().zip(tips) {
            joint.tip = TipSetup::Bones(tip.into_iter().map(BoneId).collect());
        }
        let mut world = World::build(&skeleton, &[setup]);
        for tick in 0..240 {
            let mut pose = Pose::rest(&skeleton);
            pose.local[0].translation.x += libm::sinf(tick as f32 * 0.2) * scale;
            step(&mut world, &pose);
            for joint in 0..5 {
                let head = world.frames().frame(world.joint_bone(joint_index(joint)).expect("a bone")).position;
                let (tip, length) = (
                    world.tip(joint_index(joint)).expect("one"),
                    world.tip_offset(joint_index(joint)).expect("one").length(),
                );
                let off = (tip.distance(head) - length).abs();
                assert!(off < 1e-5 * scale.max(1.0), "{scale}, tick {tick}, joint {joint}: {off}");
            }
        }
    }
}
