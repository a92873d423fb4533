//! Tests a joint that the pointer aims in a direction.

use super::*;
use yuremono_sim::VrmJoint;

/// Directions in the world, not of unit length.
const DIRECTIONS: [Vec3; 4] =
    [Vec3::new(0.3, -0.9, 0.2), Vec3::new(-2.0, -0.5, 0.4), Vec3::new(0.1, 0.2, 1.0), Vec3::new(0.0, 3.0, 0.5)];

fn index(joint: u32) -> JointIndex {
    JointIndex { system: 0, joint }
}

/// Returns the setup without limits of the hinge, which has limits by default.
fn unlimited_setup(kind: SolverKind, configuration: ParamValues) -> SystemSetup {
    setup(kind, configuration, |name| match name {
        "minAngle" => Some(-1e3),
        "maxAngle" => Some(1e3),
        _ => swinging_value(name),
    })
}

/// Steps a copy of a world. Its motion is that of [`dragged`].
fn step(world: &World, tick: u32, target: Option<(u32, GrabTarget)>) -> World {
    let mut world = world.clone();
    let grab = target.map(|(joint, target)| JointGrab { joint: index(joint), target });
    world.step(&StepInput { pose: &driven_pose(&skeleton(), tick), grab, dt: DT });
    world
}

/// Returns the direction from the head of a joint to its tip.
fn direction(world: &World, joint: u32) -> Vec3 {
    let head = world.frames().frame(BoneId(joint + 1)).position;
    (world.tip(index(joint)).expect("a joint") - head).normalize()
}

pub(super) fn check_direction(kind: SolverKind, configuration: ParamValues) {
    let world = dragged(unlimited_setup(kind, configuration), 60);
    let free = step(&world, 60, None);
    for (held, wanted) in (0..JOINTS).flat_map(|held| DIRECTIONS.map(|wanted| (held, wanted))) {
        let aimed = step(&world, 60, Some((held, GrabTarget::Direction(wanted))));
        let frame = aimed.frames().frame(BoneId(held + 1));
        let expected = if kind == SolverKind::Hinge {
            // The centre of mass keeps its component along the axis, which is 0 by default.
            wanted.reject_from_normalized(frame.rotation * Vec3::X).normalize()
        } else {
            wanted.normalize()
        };
        let found = direction(&aimed, held);
        assert!(found.distance(expected) < 1e-3, "joint {held} points to {found} instead of {expected}");
        // The first joint of EZSoftBone keeps its rotation and moves the bone at its tip.
        if kind != SolverKind::EzSoftBone || held > 0 {
            let found = frame.rotation * aimed.tip_offset(index(held)).expect("a joint").normalize();
            assert!(found.distance(expected) < 1e-3, "the bone of {held} points to {found} instead of {expected}");
        }
        for above in 0..=held {
            let [aimed, free] = [&aimed, &free].map(|world| world.pose().local[above as usize]);
            assert_eq!(aimed, free, "aiming joint {held} moves bone {above}");
        }
        // A joint farther down may be close to where it would be without the aim.
        if let Some(below) = Some(held + 1).filter(|below| *below < JOINTS) {
            let moved = free.tip(index(below)).expect("a joint").distance(aimed.tip(index(below)).expect("a joint"));
            assert!(moved > 1e-4, "joint {below} does not follow joint {held}");
        }
    }
}

pub(super) fn check_motion(kind: SolverKind, configuration: ParamValues) {
    let mut world = dragged(unlimited_setup(kind, configuration), 20);
    for tick in 20..100 {
        for broken in [Vec3::ZERO, Vec3::NAN, Vec3::INFINITY, Vec3::new(f32::NAN, 1.0, 0.0)] {
            let (free, held) = (step(&world, tick, None), step(&world, tick, Some((2, GrabTarget::Direction(broken)))));
            assert_eq!(free.pose(), held.pose(), "{broken} in tick {tick}");
        }
        let angle = tick as f32 * 0.1;
        let wanted = Vec3::new(libm::sinf(angle), -libm::cosf(angle), 0.2);
        world = step(&world, tick, Some((2, GrabTarget::Direction(wanted))));
        assert!(joints().all(|joint| world.tip(joint).expect("a joint").is_finite()), "tick {tick}");
    }
    let released = step(&world, 100, None);
    assert!(direction(&released, 2).distance(direction(&world, 2)) > 1e-5, "the released joint is simulated again");
}

#[test]
fn a_disabled_joint_cannot_be_aimed() {
    let mut setup = unlimited_setup(SolverKind::UnityChanSpringBone, original_defaults);
    setup.joints[2].enabled = false;
    let world = dragged(setup, 20);
    let held = step(&world, 20, Some((2, GrabTarget::Direction(Vec3::X))));
    assert_eq!(held.pose(), step(&world, 20, None).pose());
}

#[test]
fn an_aimed_joint_stops_at_the_limits_of_its_pivot() {
    for configuration in [original_defaults, all_improvements] {
        let setup = setup(SolverKind::UnityChanSpringBone, configuration, |name| match name {
            "yAngleLimits.active" => Some(1.0),
            "yAngleLimits.min" => Some(-20.0),
            "yAngleLimits.max" => Some(50.0),
            "angularStiffness" => Some(100.0),
            "angleSoftness" => Some(0.5),
            _ => swinging_value(name),
        });
        let world = dragged(setup, 60);
        for (wanted, expected) in [(-80.0_f32, -20.0_f32), (-12.0, -12.0), (33.0, 33.0), (70.0, 50.0)] {
            // The pivot is the root. Its X axis is at 0 degrees, and positive angles rotate towards -Y.
            let pivot = driven_pose(&skeleton(), 60).local[0].rotation;
            let (sin, cos) = libm::sincosf(wanted.to_radians());
            let target = pivot * Vec3::new(cos, -sin, 0.75);
            let aimed = step(&world, 60, Some((3, GrabTarget::Direction(target))));
            let own = pivot.inverse() * direction(&aimed, 3);
            let degrees = libm::atan2f(-own.y, own.x).to_degrees();
            assert!((degrees - expected).abs() < 0.1, "{degrees} degrees for {wanted}");
            assert!((own.z - 0.6).abs() < 1e-3, "the angle out of the plane stays: {own}");
        }
    }
}

#[test]
fn an_aimed_joint_stops_at_a_vrm_limit() {
    let tilted = |pitch: f32, yaw: f32| {
        Vec3::new(libm::sinf(yaw), libm::cosf(yaw) * libm::cosf(pitch), libm::cosf(yaw) * libm::sinf(pitch))
    };
    let cases = [
        (SwingShape::Cone { angle: 0.5 }, tilted(1.2, 0.0), tilted(0.5, 0.0)),
        (SwingShape::Cone { angle: 0.5 }, tilted(0.2, -0.3), tilted(0.2, -0.3)),
        (SwingShape::Hinge { angle: 0.5 }, tilted(-1.2, 0.4), tilted(-0.5, 0.0)),
        (SwingShape::Hinge { angle: 0.5 }, tilted(0.3, 0.4), tilted(0.3, 0.0)),
        (SwingShape::Spherical { pitch: 0.5, yaw: 0.2 }, tilted(1.2, -0.7), tilted(0.5, -0.2)),
        (SwingShape::Spherical { pitch: 0.5, yaw: 0.2 }, tilted(0.4, 0.1), tilted(0.4, 0.1)),
    ];
    for (shape, wanted, expected) in cases {
        let limit = SwingLimit { shape, rotation: Quat::from_rotation_y(0.7) };
        let mut setup = setup(SolverKind::Vrm, original_defaults, swinging_value);
        setup.vrm = vec![VrmJoint { center: None, limit: Some(limit) }; setup.joints.len()];
        let world = dragged(setup, 60);
        let free = step(&world, 60, None);
        let axis = world.tip_offset(index(3)).expect("a joint").normalize();
        let to_world = free.frames().frame(BoneId(3)).rotation * limit.in_parent(Quat::IDENTITY, axis);
        let aimed = step(&world, 60, Some((3, GrabTarget::Direction(to_world * wanted))));
        let found = to_world.inverse() * direction(&aimed, 3);
        assert!(found.distance(expected) < 1e-4, "{shape:?}: {found} instead of {expected}");
    }
}

#[test]
fn an_aimed_hinge_stops_at_its_limits_and_keeps_its_turns() {
    for (limits, steps, expected) in
        [([-30.0, 60.0], 9_u8, 60.0), ([-30.0, 200.0], 15, 150.0), ([-30.0, 200.0], 24, 200.0)]
    {
        let setup = setup(SolverKind::Hinge, original_defaults, |name| match name {
            "minAngle" => Some(limits[0]),
            "maxAngle" => Some(limits[1]),
            _ => swinging_value(name),
        });
        let skeleton = skeleton();
        let mut world = World::build(&skeleton, &[setup]);
        let pose = Pose::rest(&skeleton);
        world.reset(&pose);
        // The centre of mass is on +Y of the bone at 0 degrees. The joint is aimed in steps of 10 degrees.
        for i in 0..=steps {
            let target = Quat::from_rotation_x((f32::from(i) * 10.0).to_radians()) * Vec3::Y;
            let grab = Some(JointGrab { joint: index(0), target: GrabTarget::Direction(target) });
            world.step(&StepInput { pose: &pose, grab, dt: DT });
        }
        let own = world.pose().local[1].rotation * Vec3::Y;
        let found = libm::atan2f(own.z, own.y).to_degrees();
        let wrapped = (found - expected + 180.0_f32).rem_euclid(360.0) - 180.0;
        assert!(wrapped.abs() < 0.1, "{found} degrees, expected {expected}");
    }
}
