//! `AnimDynamics` swings as its [`Sway`](yuremono::sim::Sway) says: one bone, kicked and watched.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, SolverKind};
use yuremono::sim::solver::{self, anim_dynamics as anim};
use yuremono::sim::unify::{Feel, Linear};
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, Sway, SystemSetup, TipSetup, World};

const LENGTH: f32 = 0.12;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// How a bone that hangs along -Y with these numbers sways by itself: two degrees to the side, let go, and
/// y\[n+1\] = (1 + kept - pulled) y\[n\] - kept y\[n-1\] fitted to what it does.
fn fit(joint: &ParamSet, system: &ParamSet, frame: f32) -> Feel {
    let bone = |name: &str, parent: Option<u32>, y: f32| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::Y * y),
    };
    let skeleton = Skeleton::new(vec![bone("root", None, 1.0), bone("bone", Some(0), -0.1)]).expect("parents first");
    let joint = JointSetup {
        bone: BoneId(1),
        tip: TipSetup::Offset(Vec3::NEG_Y * LENGTH),
        values: joint.clone(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(SolverKind::AnimDynamics, system.clone()) };
    let mut world = World::build(&skeleton, &[setup]);
    let pose = Pose::rest(&skeleton);
    let turned = Quat::from_rotation_z(2_f32.to_radians()) * (Vec3::NEG_Y * LENGTH);
    let joint_at = world.frames().frame(BoneId(1)).position;
    world.place_tip(JOINT, joint_at + turned, joint_at + turned);
    let mut angles = Vec::new();
    for _ in 0..90 {
        world.step(&StepInput { pose: &pose, hold: None, dt: frame });
        let frame = world.frames().frame(BoneId(1));
        let along = frame.rotation * Vec3::NEG_Y;
        angles.push(f64::from(along.x.atan2(-along.y)));
    }
    // Least squares over all steps: y[n+1] - y[n] = kept (y[n] - y[n-1]) - pulled y[n].
    let (mut aa, mut ab, mut bb, mut ar, mut br) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in angles.windows(3) {
        let (a, b, r) = (w[1] - w[0], -w[1], w[2] - w[1]);
        (aa, ab, bb, ar, br) = (aa + a * a, ab + a * b, bb + b * b, ar + a * r, br + b * r);
    }
    let determinant = aa * bb - ab * ab;
    let linear =
        Linear { kept: (ar * bb - br * ab) / determinant, pulled: (aa * br - ab * ar) / determinant, pushed: 0.0 };
    linear.to_feel(frame)
}

fn joint(side: f32, offset: f32) -> ParamSet {
    let mut joint = ParamSet::defaults(anim::PARAMS);
    for row in anim::BOX_EXTENTS {
        joint.set(row, side);
    }
    joint.set(anim::LOCAL_JOINT_OFFSET[1], offset);
    joint.set(anim::GRAVITY_SCALE, 0.0);
    joint
}

/// The body's joint stands on the bone, so that the angle is the bone's own.
fn system() -> ParamSet {
    let mut system = ParamSet::defaults(anim::PARAMS);
    system.set(anim::BODY_AT, 1.0);
    system
}

#[track_caller]
fn check(joint: &ParamSet, hz: f32, ratio: f32) {
    let system = system();
    for frame in [1.0 / 60.0, 1.0 / 30.0, 1.0 / 144.0] {
        let now = Numbers { joint, system: &system, length: LENGTH, frame };
        let wanted = Sway::new(Feel { frequency_hz: hz, damping_ratio: ratio, acceleration: 0.0 }, Vec3::ZERO);
        let mut made = joint.clone();
        for (row, value) in solver::numbers(SolverKind::AnimDynamics, &wanted, &now) {
            made.set(row, value);
        }
        made.set(anim::GRAVITY_SCALE, 0.0);
        let said = solver::sway(SolverKind::AnimDynamics, &Numbers { joint: &made, ..now });
        let found = fit(&made, &system, frame);
        let near = |a: f32, b: f32| (a - b).abs() <= 0.03 * b;
        assert!(near(said.frequency_hz, hz) && near(said.damping_ratio, ratio), "asked {hz} {ratio}, said {said:?}");
        assert!(
            near(found.frequency_hz, said.frequency_hz) && near(found.damping_ratio, said.damping_ratio),
            "{frame}: it swings with {found:?}, not {said:?}"
        );
    }
}

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    for (hz, ratio) in [(1.0, 0.2), (2.0, 0.3), (3.0, 0.4), (4.0, 0.1), (1.0, 1.0)] {
        check(&joint(0.05, 0.0), hz, ratio);
        check(&joint(0.02, 0.06), hz, ratio);
        check(&joint(0.2, 0.06), hz, ratio);
    }
}

#[test]
fn a_linear_spring_swings_a_bone_by_its_lever() {
    let mut joint = joint(0.04, 0.08);
    joint.set(anim::LINEAR_SPRING, 1.0);
    joint.set(anim::LINEAR_SPRING_CONSTANT, 200.0);
    let system = system();
    let frame = 1.0 / 60.0;
    let said =
        solver::sway(SolverKind::AnimDynamics, &Numbers { joint: &joint, system: &system, length: LENGTH, frame });
    let found = fit(&joint, &system, frame);
    assert!((found.frequency_hz - said.frequency_hz).abs() < 0.03 * said.frequency_hz, "{found:?}, not {said:?}");
    let inertia = 0.04_f32.powi(2) / 6.0 + 0.08_f32.powi(2);
    let hz = (200.0 * 0.08_f32.powi(2) / inertia).sqrt() / std::f32::consts::TAU;
    assert!((found.frequency_hz - hz).abs() < 0.03 * hz, "{} Hz, by hand {hz}", found.frequency_hz);
}
