//! `SPCRJointDynamics` sways as its numbers say: a kick is let swing and the recurrence fitted to it.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, SolverKind};
use yuremono::sim::solver::joint_dynamics::{GRAVITY_SCALE, HARDNESS, PARAMS, RESISTANCE, SUB_STEPS};
use yuremono::sim::unify::Linear;
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, SystemSetup, TipSetup, World, solver};

const LENGTH: f32 = 0.2;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// One bone that hangs straight down.
fn skeleton() -> Skeleton {
    let bone = |parent, at| Bone { name: format!("{at}"), parent, rest: Trs::from_translation(at) };
    Skeleton::new(vec![bone(None, Vec3::Y), bone(Some(BoneId(0)), Vec3::ZERO)]).expect("parents first")
}

/// With these percentages and no weight.
fn setup(hardness: f32, resistance: f32, sub_steps: f32) -> SystemSetup {
    let mut values = ParamSet::defaults(PARAMS);
    for (row, value) in [(HARDNESS, hardness), (RESISTANCE, resistance), (GRAVITY_SCALE, 0.0), (SUB_STEPS, sub_steps)] {
        values.set(row, value);
    }
    let joint = JointSetup {
        bone: BoneId(1),
        tip: TipSetup::Offset(Vec3::NEG_Y * LENGTH),
        values: values.clone(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    SystemSetup { joints: vec![joint], ..SystemSetup::new(SolverKind::JointDynamics, values) }
}

/// Velocity kept and offset removed per frame, by least squares over a swing after a kick of two degrees.
fn fit(setup: &SystemSetup, frame: f32, samples: usize) -> Linear {
    let skeleton = skeleton();
    let mut world = World::build(&skeleton, std::slice::from_ref(setup));
    let pose = Pose::rest(&skeleton);
    let step = |world: &mut World| {
        world.step(&StepInput { pose: &pose, hold: None, dt: frame });
        f64::from(world.tip(JOINT).expect("a joint").x)
    };
    // The engine's first frame counts twice and rubs.
    step(&mut world);
    let rest = world.tip(JOINT).expect("a joint");
    let kicked = Vec3::Y + Quat::from_rotation_z(2.0_f32.to_radians()) * (rest - Vec3::Y);
    world.place_tip(JOINT, kicked, kicked);
    let mut y = vec![f64::from(kicked.x)];
    y.extend((0..samples).map(|_| step(&mut world)));
    // y[n+1] - y[n] = D (y[n] - y[n-1]) - A y[n]
    let (mut uu, mut uv, mut vv, mut uw, mut vw) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for [before, now, next] in y.windows(3).map(|w| [w[0], w[1], w[2]]) {
        let (u, v, w) = (now - before, -now, next - now);
        (uu, uv, vv, uw, vw) = (uu + u * u, uv + u * v, vv + v * v, uw + u * w, vw + v * w);
    }
    let det = uu * vv - uv * uv;
    Linear { kept: (uw * vv - vw * uv) / det, pulled: (vw * uu - uw * uv) / det, pushed: 0.0 }
}

#[track_caller]
fn check(hardness: f32, resistance: f32, sub_steps: f32, frame: f32, samples: usize) {
    let setup = setup(hardness, resistance, sub_steps);
    let numbers = Numbers { joint: &setup.joints[0].values, system: &setup.values, length: LENGTH, frame };
    let said = solver::sway(SolverKind::JointDynamics, &numbers);
    let step = solver::step_seconds(SolverKind::JointDynamics, &setup.values, frame);
    let found = fit(&setup, frame, samples).to_feel(step * sub_steps);
    for (what, found, said) in
        [("frequency", found.frequency_hz, said.frequency_hz), ("damping", found.damping_ratio, said.damping_ratio)]
    {
        assert!((found / said - 1.0).abs() < 0.03, "{hardness} {resistance} {sub_steps}: {what} {found}, not {said}");
    }
}

#[test]
fn a_kick_swings_as_the_numbers_say() {
    for (hardness, resistance) in [(5.0, 1.0), (2.0, 2.0), (8.0, 10.0), (15.0, 5.0), (1.0, 4.0)] {
        // A little over a step, so that every frame has one of them while the leftovers do not make another.
        check(hardness, resistance, 1.0, 0.0164, 70);
        // Shorter than a step: each frame is one.
        check(hardness, resistance, 1.0, 1.0 / 144.0, 160);
    }
}

#[test]
fn substeps_swing_as_the_numbers_say() {
    check(2.0, 1.0, 3.0, 0.0164, 70);
    check(1.0, 2.0, 2.0, 1.0 / 144.0, 160);
}
