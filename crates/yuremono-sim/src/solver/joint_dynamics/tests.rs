//! Tests the whole solver on small networks.

use super::*;
use crate::rig::{Bone, BoneId, Pose};
use crate::{
    ColliderSetup, ColliderShape, GrabTarget, JointDynamicsPoint, JointGrab, JointIndex, JointSetup, StepInput,
    SurfaceForce, TipSetup, World,
};

const DT: f32 = 1.0 / 60.0;

/// Columns of bones that are children of a root at the origin. `place` gives each bone's offset from its parent.
fn columns(lengths: &[u32], place: impl Fn(u32, u32) -> Vec3) -> (Skeleton, SystemSetup) {
    let bone = |parent, at| Bone { name: format!("{at} {parent:?}"), parent, rest: Trs::from_translation(at) };
    let mut bones = vec![bone(None, Vec3::ZERO)];
    let values = ParamSet::defaults(PARAMS);
    let mut setup = SystemSetup::new(SolverKind::JointDynamics, values.clone());
    for (chain, length) in (0..).zip(lengths) {
        for depth in 0..*length {
            let parent = if depth == 0 { 0 } else { bones.len() as u32 - 1 };
            let own = BoneId(bones.len() as u32);
            bones.push(bone(Some(BoneId(parent)), place(chain, depth)));
            setup.joints.push(JointSetup { chain, ..JointSetup::new(own, values.clone()) });
        }
    }
    (Skeleton::new(bones).expect("parents first"), setup)
}

/// A skirt: a ring of columns that widens downwards.
fn skirt(count: u32, length: u32) -> (Skeleton, SystemSetup) {
    let (skeleton, mut setup) = columns(&vec![length; count as usize], |chain, depth| {
        let around = Quat::from_rotation_y(chain as f32 * std::f32::consts::TAU / count as f32);
        around * if depth == 0 { Vec3::X * 0.12 } else { Vec3::new(0.03, -0.1, 0.0) }
    });
    setup.values.set(LOOP, 1.0);
    (skeleton, setup)
}

fn set_params(setup: &mut SystemSetup, numbers: &[(ParamId, f32)]) {
    for (param, value) in numbers {
        setup.values.set(*param, *value);
        setup.joints.iter_mut().for_each(|joint| _ = joint.values.set(*param, *value));
    }
}

fn run(skeleton: &Skeleton, setup: &SystemSetup, ticks: u32, pose: impl Fn(u32, &mut Pose)) -> World {
    let mut world = World::build(skeleton, std::slice::from_ref(setup));
    let mut given = Pose::rest(skeleton);
    for tick in 0..ticks {
        pose(tick, &mut given);
        world.step(&StepInput { pose: &given, grab: None, dt: DT });
        let sound = world.pose().local.iter().all(|local| local.is_finite());
        assert!(sound && world.frames().frames.iter().all(|f| f.position.is_finite()), "tick {tick}");
    }
    world
}

fn shake(tick: u32, pose: &mut Pose) {
    let t = tick as f32 * DT;
    pose.local[0].translation = Vec3::new(libm::sinf(t * 7.0), 0.2 * libm::cosf(t * 5.0), 0.3 * libm::sinf(t * 3.0));
    pose.local[0].rotation = Quat::from_rotation_y(libm::sinf(t * 4.0));
}

fn bone_position(world: &World, bone: u32) -> Vec3 {
    world.frames().frame(BoneId(bone)).position
}

/// Number of links of each kind.
fn link_counts(world: &World) -> [usize; 5] {
    LinkKind::ALL.map(|kind| world.links().iter().filter(|link| link.kind == kind).count())
}

#[test]
fn a_skirt_has_vertical_horizontal_and_closing_links() {
    let (skeleton, mut setup) = skirt(6, 4);
    set_params(&mut setup, &[(COMPUTE[2], 1.0)]);
    assert_eq!(link_counts(&World::build(&skeleton, &[setup.clone()])), [18, 18, 36, 12, 18]);
    set_params(&mut setup, &[(LOOP, 0.0)]);
    assert_eq!(link_counts(&World::build(&skeleton, &[setup.clone()])), [18, 15, 30, 12, 12]);
    set_params(&mut setup, &[(COMPUTE[0], 0.0), (COMPUTE[4], 0.0)]);
    assert_eq!(link_counts(&World::build(&skeleton, &[setup])), [0, 15, 30, 12, 0]);
}

#[test]
fn the_last_point_of_a_short_column_also_links_to_the_next_point_of_its_neighbour() {
    let (skeleton, setup) = columns(&[3, 5], |chain, _| Vec3::new(chain as f32 * 0.1, -0.1, 0.0));
    let world = World::build(&skeleton, &[setup]);
    let across = world.links().into_iter().filter(|l| l.kind == LinkKind::StructuralHorizontal);
    let mut bones: Vec<_> = across.map(|l| l.joints.map(|j| world.joint_bone(j).expect("a joint").0)).collect();
    bones.sort_unstable();
    assert_eq!(bones, [[2, 5], [3, 6], [3, 7]]);
}

#[test]
fn links_in_one_group_share_no_point() {
    let (_, setup) = skirt(6, 4);
    let grid =
        build::PointGrid { children: vec![vec![1], vec![2], vec![], vec![4], vec![5], vec![]], roots: vec![0, 3] };
    let links = grid.links(&LinkTopology::from_params(|param| setup.values.get(param)));
    let first: Vec<_> = links.iter().take(3).map(|pair| (pair.a, pair.b)).collect();
    // The bending links of both columns come first, followed by the links that share no point with them.
    assert_eq!(first, [(0, 2), (3, 5), (1, 4)]);
}

#[test]
fn degenerate_networks_stay_finite() {
    let hang = |_: u32, _: u32| Vec3::NEG_Y * 0.1;
    let odd: [(&str, (Skeleton, SystemSetup)); 5] = [
        ("one bone", columns(&[1], hang)),
        ("no length", columns(&[4, 4], |_, _| Vec3::ZERO)),
        ("all columns on one spot", columns(&[3, 3, 3], hang)),
        ("one column in a ring", skirt(1, 4)),
        ("two columns in a ring", skirt(2, 4)),
    ];
    for (_, (skeleton, mut setup)) in odd {
        set_params(
            &mut setup,
            &[(SURFACE, 1.0), (COMPUTE[2], 1.0), (WAVE, 1.0), (USE_ANGLES, 1.0), (LIMIT_ANGLE, 20.0)],
        );
        setup.colliders =
            vec![ColliderSetup::new(BoneId(0), ColliderShape::Capsule { radius: 0.1, height: 0.2, inside: false })];
        setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
        run(&skeleton, &setup, 90, shake);
    }
}

#[test]
fn tiny_and_huge_characters_stay_finite() {
    for scale in [0.001, 1000.0] {
        let (mut skeleton, setup) = skirt(5, 4);
        let mut bones = skeleton.bones().to_vec();
        for bone in &mut bones {
            bone.rest.translation *= scale;
        }
        skeleton = Skeleton::new(bones).expect("parents first");
        run(&skeleton, &setup, 90, shake);
        let (plain, _) = skirt(5, 4);
        let mut bones = plain.bones().to_vec();
        bones[0].rest.scale = Vec3::splat(scale);
        run(&Skeleton::new(bones).expect("parents first"), &setup, 90, shake);
    }
}

#[test]
fn a_fork_aims_at_its_last_child_unless_the_setup_names_one() {
    let (skeleton, mut setup) = columns(&[2, 1, 1], |chain, _| Vec3::new(0.2 - 0.1 * chain as f32, -0.1, 0.0));
    let mut bones = skeleton.bones().to_vec();
    (bones[3].parent, bones[4].parent) = (Some(BoneId(2)), Some(BoneId(2)));
    let skeleton = Skeleton::new(bones).expect("parents first");
    let aim = |setup: &SystemSetup| {
        let world = World::build(&skeleton, std::slice::from_ref(setup));
        world.tip(JointIndex { system: 0, joint: 1 }).expect("a joint")
    };
    let at = |bone: u32| WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton)).frame(BoneId(bone)).position;
    assert_eq!(aim(&setup), at(4));
    setup.joint_dynamics.points = vec![JointDynamicsPoint::default(); 4];
    setup.joint_dynamics.points[1].aim_child = Some(BoneId(3));
    assert_eq!(aim(&setup), at(3));
    let world = run(&skeleton, &setup, 60, shake);
    assert_eq!(
        link_counts(&world),
        [3, 0, 0, 0, 0],
        "no bending link crosses a fork, and the only column has no neighbour"
    );
}

/// Distance that a column's last point falls in 0.25 s if no link or limit holds the point.
fn fall_distance(numbers: &[(ParamId, f32)]) -> f32 {
    let (skeleton, mut setup) = columns(&[2], |_, _| Vec3::NEG_Y * 0.1);
    set_params(&mut setup, &[(HARDNESS, 0.0), (RESISTANCE, 0.0), (COMPUTE[0], 0.0), (FRICTION, 0.0)]);
    set_params(&mut setup, numbers);
    -0.2 - bone_position(&run(&skeleton, &setup, 15, |_, _| {}), 2).y
}

#[test]
fn full_gravity_doubles_the_fall() {
    let (half, whole) = (fall_distance(&[]), fall_distance(&[(FULL_GRAVITY, 1.0)]));
    assert!((whole / half - 2.0).abs() < 1e-3, "{half} and {whole}");
    // The fall lasts 16 frames because `SPCRJointDynamics` counts its first frame twice.
    let expected = 0.5 * 9.8 * (16.0 * DT).powi(2);
    assert!((whole / expected - 1.0).abs() < 0.1, "{whole}, not about {expected}");
}

#[test]
fn time_scale_slows_the_fall_and_pause_and_reset_delay_stop_it() {
    assert!(fall_distance(&[(TIME_SCALE, 0.5)]) < 0.6 * fall_distance(&[]));
    assert!(fall_distance(&[(PAUSED, 1.0)]).abs() < 1e-6);
    assert!(fall_distance(&[(RESET_DELAY, 1.0)]).abs() < 1e-6, "the simulation waits in the animated pose");
}

#[test]
fn exact_rate_makes_a_step_as_long_as_a_frame() {
    let steps = |even: f32| {
        let system =
            JointDynamics::bake_system(|param| if param == EXACT_RATE { even } else { PARAMS[param.index()].default });
        // A frame at 60 Hz lasts 1/60 s. By default, a step of `SPCRJointDynamics` is slightly shorter.
        system.nominal_step
    };
    assert_eq!(steps(0.0), 1.0 / 61.0);
    assert_eq!(steps(1.0), 1.0 / 60.0);
}

#[test]
fn two_centimetre_bones_rotate_only_with_short_bones_enabled() {
    let turned = |short: f32| {
        let (skeleton, mut setup) = columns(&[3], |_, _| Vec3::NEG_Y * 0.02);
        set_params(&mut setup, &[(SHORT_BONES, short), (WIND[0], 30.0)]);
        let world = run(&skeleton, &setup, 60, |_, _| {});
        world.pose().local[1].rotation.angle_between(Quat::IDENTITY)
    };
    assert!(turned(0.0) < 1e-3 && turned(1.0) > 0.05, "{} and {}", turned(0.0), turned(1.0));
}

/// Angle in degrees between a column's last bone and its rest direction after a strong wind, with a limit of 10
/// degrees.
fn angle_in_wind(numbers: &[(ParamId, f32)]) -> f32 {
    let (skeleton, mut setup) = columns(&[2], |_, _| Vec3::NEG_Y * 0.1);
    set_params(&mut setup, &[(USE_ANGLES, 1.0), (LIMIT_ANGLE, 10.0), (LIMIT_FROM_ROOT, 1.0), (WIND[0], 200.0)]);
    set_params(&mut setup, numbers);
    let world = run(&skeleton, &setup, 60, |_, _| {});
    let way = bone_position(&world, 2) - bone_position(&world, 1);
    way.angle_between(Vec3::NEG_Y).to_degrees()
}

#[test]
fn angle_limits_act_one_frame_late_unless_limit_same_frame_is_on() {
    let (late, now) = (angle_in_wind(&[]), angle_in_wind(&[(LIMIT_SAME_FRAME, 1.0)]));
    assert!(late > 10.1 && (now - 10.0).abs() < 0.05, "{late} and {now} degrees");
}

#[test]
fn limit_power_acts_only_when_it_is_enabled() {
    let with = |read: f32| angle_in_wind(&[(LIMIT_SAME_FRAME, 1.0), (LIMIT_POWER, 0.1), (APPLY_LIMIT_POWER, read)]);
    assert!((with(0.0) - 10.0).abs() < 0.05 && with(1.0) > 10.5, "{} and {}", with(0.0), with(1.0));
}

#[test]
fn a_root_rotation_takes_the_short_way_for_either_quaternion_sign() {
    let (skeleton, setup) = skirt(4, 3);
    let turning = |sign: f32| {
        run(&skeleton, &setup, 40, move |tick, pose| {
            let sign = if tick % 2 == 0 { sign } else { 1.0 };
            pose.local[0].rotation = Quat::from_rotation_y(tick as f32 * 0.01) * sign;
        })
    };
    for bone in 1..13 {
        assert!(bone_position(&turning(1.0), bone).distance(bone_position(&turning(-1.0), bone)) < 1e-4);
    }
}

#[test]
fn a_root_move_beyond_the_slide_limit_carries_all_points() {
    let (skeleton, mut setup) = skirt(4, 3);
    let stretched = |setup: &SystemSetup| {
        let world = run(&skeleton, setup, 2, |tick, pose| pose.local[0].translation.x = tick as f32 * 3.0);
        (bone_position(&world, 3) - bone_position(&world, 1)).length()
    };
    let limited = stretched(&setup);
    set_params(&mut setup, &[(SLIDE_LIMIT, -1.0)]);
    assert!(limited < 0.25 && stretched(&setup) > 0.4, "{limited} and {}", stretched(&setup));
}

#[test]
fn a_long_frame_simulates_at_most_two_seconds() {
    let (skeleton, setup) = skirt(4, 3);
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let pose = Pose::rest(&skeleton);
    world.step(&StepInput { pose: &pose, grab: None, dt: 1e9 });
    world.step(&StepInput { pose: &pose, grab: None, dt: DT });
    assert!(bone_position(&world, 3).is_finite() && bone_position(&world, 3).length() < 1.0);
}

#[test]
fn a_link_collides_with_the_colliders_of_both_its_ends_only() {
    let (skeleton, mut setup) = columns(&[3], |_, _| Vec3::NEG_Y * 0.1);
    // The collider is around the root, and its radius reaches the last link.
    setup.colliders = vec![ColliderSetup::new(
        BoneId(0),
        ColliderShape::TaperedCapsule { radius: 0.35, tail_radius: 0.1, height: 0.0, inside: false },
    )];
    let aside = |setup: &SystemSetup| {
        let world = run(&skeleton, setup, 30, |_, _| {});
        bone_position(&world, 3).length()
    };
    let free = aside(&setup);
    setup.joints[2].colliders = vec![0, 7];
    assert!(free < 0.31 && aside(&setup) > 0.33, "{free} and {}", aside(&setup));
    setup.joints[2].colliders.clear();
    setup.joints[0].colliders = vec![0];
    assert!((aside(&setup) - free).abs() > 1e-4, "the first link is pushed and pulls the last link");
}

#[test]
fn plane_nodes_and_plane_colliders_both_hold_points_up() {
    let lowest = |alter: &dyn Fn(&mut SystemSetup)| {
        let (mut skeleton, mut setup) = columns(&[4], |_, _| Vec3::new(0.1, -0.01, 0.0));
        let rest = Trs {
            rotation: Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2),
            ..Trs::from_translation(Vec3::NEG_Y * 0.06)
        };
        skeleton.push(Bone { name: "floor".to_owned(), parent: None, rest }).expect("no parent");
        let rest = Trs::from_translation(Vec3::NEG_Y * 0.06);
        skeleton.push(Bone { name: "level".to_owned(), parent: None, rest }).expect("no parent");
        set_params(&mut setup, &[(HARDNESS, 0.0), (COMPUTE[3], 0.0)]);
        alter(&mut setup);
        bone_position(&run(&skeleton, &setup, 60, |_, _| {}), 4).y
    };
    assert!(lowest(&|_| {}) < -0.15);
    // Links are solved after planes and may pull a point slightly below a plane.
    assert!(lowest(&|s| s.joint_dynamics.planes = vec![BoneId(6)]) > -0.075);
    let shape = |s: &mut SystemSetup| s.colliders = vec![ColliderSetup::new(BoneId(5), ColliderShape::Plane)];
    assert!(lowest(&shape) > -0.075);
}

#[test]
fn a_grabber_drags_points_until_it_is_disabled() {
    let (mut skeleton, mut setup) = columns(&[3], |_, _| Vec3::NEG_Y * 0.1);
    let rest = Trs::from_translation(Vec3::NEG_Y * 0.3);
    let bone = skeleton.push(Bone { name: "hand".to_owned(), parent: None, rest }).expect("no parent");
    setup.joint_dynamics.grabbers = vec![Grabber { bone, radius: 0.05, force: 1.0, enabled: true }];
    let pull = |tick: u32, pose: &mut Pose| pose.local[4].translation.x = (tick as f32 * 0.01).min(0.1);
    let held = bone_position(&run(&skeleton, &setup, 60, pull), 3);
    assert!(held.x > 0.05, "{held}");
    setup.joint_dynamics.grabbers[0].enabled = false;
    let free = bone_position(&run(&skeleton, &setup, 60, pull), 3);
    assert!(free.x.abs() < 1e-3, "{free}");
}

#[test]
fn a_movable_limit_keeps_a_point_near_its_rest_position() {
    let (skeleton, mut setup) = columns(&[4], |_, _| Vec3::NEG_Y * 0.1);
    set_params(&mut setup, &[(HARDNESS, 0.0), (WIND[0], 60.0)]);
    let off = |setup: &SystemSetup| bone_position(&run(&skeleton, setup, 60, |_, _| {}), 4).x;
    let free = off(&setup);
    setup.joint_dynamics.points =
        vec![JointDynamicsPoint { movable_limit_radius: 0.02, ..JointDynamicsPoint::default() }; 4];
    assert!(free > 0.15 && off(&setup) < 0.6 * free, "{free} and {}", off(&setup));
}

#[test]
fn a_fake_wave_moves_only_the_output_of_end_points() {
    let (skeleton, mut setup) = skirt(4, 3);
    let still = run(&skeleton, &setup, 30, |_, _| {});
    set_params(&mut setup, &[(WAVE, 1.0)]);
    let waving = run(&skeleton, &setup, 30, |_, _| {});
    for bone in 1..13 {
        let off = bone_position(&still, bone).distance(bone_position(&waving, bone));
        assert_eq!(off > 1e-4, bone % 3 == 0, "bone {bone} is {off} off");
    }
    for joint in (0..12).map(|joint| JointIndex { system: 0, joint }) {
        assert_eq!(still.tip(joint), waving.tip(joint));
    }
}

#[test]
fn full_blend_shows_the_animated_pose() {
    let (skeleton, mut setup) = skirt(4, 3);
    set_params(&mut setup, &[(BLEND, 1.0)]);
    let world = run(&skeleton, &setup, 60, shake);
    let mut pose = Pose::rest(&skeleton);
    shake(59, &mut pose);
    let animated = WorldPose::from_pose(&skeleton, &pose);
    for bone in 1..13 {
        assert!(bone_position(&world, bone).distance(animated.frame(BoneId(bone)).position) < 1e-4);
    }
}

#[test]
fn disabled_joints_keep_their_animated_pose() {
    let (skeleton, mut setup) = columns(&[4], |_, _| Vec3::NEG_Y * 0.1);
    setup.joints[2].enabled = false;
    let world = run(&skeleton, &setup, 60, shake);
    assert_eq!(world.pose().local[3], skeleton.bone(BoneId(3)).rest);
}

#[test]
fn an_end_beyond_the_last_joint_swings() {
    let (skeleton, mut setup) = columns(&[1], |_, _| Vec3::NEG_Y * 0.1);
    setup.joints[0].tip = TipSetup::Offset(Vec3::NEG_Y * 0.1);
    set_params(&mut setup, &[(WIND[0], 30.0)]);
    let world = run(&skeleton, &setup, 60, |_, _| {});
    assert!(world.tip(JointIndex { system: 0, joint: 0 }).expect("a joint").x > 0.01);
    assert!(world.pose().local[1].rotation.angle_between(Quat::IDENTITY) > 0.05);
}

#[test]
fn a_dragged_tip_reaches_its_target_and_bone_lengths_are_kept() {
    let (skeleton, setup) = columns(&[4], |_, _| Vec3::NEG_Y * 0.1);
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let (pose, target) = (Pose::rest(&skeleton), Vec3::new(0.2, -0.25, 0.0));
    let joint = JointIndex { system: 0, joint: 2 };
    for _ in 0..30 {
        world.step(&StepInput {
            pose: &pose,
            grab: Some(JointGrab { joint, target: GrabTarget::Tip(target) }),
            dt: DT,
        });
    }
    assert!(bone_position(&world, 4).distance(target) < 1e-3, "{}", bone_position(&world, 4));
    for bone in 2..5 {
        assert!((bone_position(&world, bone).distance(bone_position(&world, bone - 1)) - 0.1).abs() < 1e-3);
    }
}

#[test]
fn a_capsule_through_a_surface_pushes_it_out_of_the_configured_end() {
    // The corners of a horizontal square. A vertical capsule passes through the square.
    let places =
        [Vec3::new(-0.1, 0.0, -0.1), Vec3::new(0.1, 0.0, -0.1), Vec3::new(0.1, 0.0, 0.1), Vec3::new(-0.1, 0.0, 0.1)];
    let height = |force: SurfaceForce| {
        let (skeleton, mut setup) = columns(&[2, 2], |chain, depth| match (chain, depth) {
            (0, 0) => places[0],
            (1, 0) => places[1],
            _ => Vec3::Z * 0.2,
        });
        set_params(&mut setup, &[(SURFACE, 1.0), (GRAVITY[1], 0.0)]);
        setup.joint_dynamics.colliders = vec![JointDynamicsCollider { surface_force: force, friction: 0.0 }];
        let mut rods = skeleton;
        let at = Trs::from_translation(Vec3::new(0.03, -0.2, 0.01));
        let bone = rods.push(Bone { name: "rod".to_owned(), parent: None, rest: at }).expect("no parent");
        setup.colliders =
            vec![ColliderSetup::new(bone, ColliderShape::Capsule { radius: 0.02, height: 0.3, inside: false })];
        setup.joints.iter_mut().for_each(|j| j.colliders = vec![0]);
        let world = run(&rods, &setup, 20, |_, _| {});
        bone_position(&world, 2).y
    };
    let [off, push, pull] = [SurfaceForce::Off, SurfaceForce::Push, SurfaceForce::Pull].map(height);
    assert!(off != push && push != pull, "{off}, {push} and {pull}");
}
