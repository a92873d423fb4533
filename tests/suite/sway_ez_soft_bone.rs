//! `EZSoftBone` sways as its numbers say: a kicked bone, measured.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, Row, SolverKind};
use yuremono::sim::solver::ez_soft_bone::{
    CONSTANT_DELTA_TIME, DAMPING, DELTA_TIME_MODE, GRAVITY, ITERATIONS, PARAMS, RESISTANCE, SLEEP_THRESHOLD, STIFFNESS,
};
use yuremono::sim::unify::{Feel, Linear};
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, SystemSetup, TipSetup, World, solver};

const FRAME: f32 = 1.0 / 60.0;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };
const LENGTH: f32 = 0.1;

/// One bone that hangs from a root, under these numbers.
fn world(joint: &ParamSet, system: &ParamSet) -> (World, Pose) {
    let bone = |name: &str, parent: Option<u32>, y: f32| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::Y * y),
    };
    let bones = vec![bone("root", None, 1.0), bone("bone", Some(0), 0.0), bone("tip", Some(1), -LENGTH)];
    let skeleton = Skeleton::new(bones).expect("parents first");
    let setup = JointSetup {
        bone: BoneId(1),
        tip: TipSetup::Bones(vec![BoneId(2)]),
        values: joint.clone(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![setup], ..SystemSetup::new(SolverKind::EzSoftBone, system.clone()) };
    let pose = Pose::rest(&skeleton);
    (World::build(&skeleton, &[setup]), pose)
}

fn sideways(world: &World) -> f64 {
    f64::from(world.tip(JOINT).expect("a joint").x)
}

/// How the bone sways after it was turned by two degrees: the recurrence that fits its tip best.
fn fit(joint: &ParamSet, system: &ParamSet) -> Feel {
    let (mut world, pose) = world(joint, system);
    let tip = Vec3::Y + Quat::from_rotation_z(2.0_f32.to_radians()) * Vec3::NEG_Y * LENGTH;
    world.place_tip(JOINT, tip, tip);
    let mut y = vec![sideways(&world)];
    for _ in 0..40 {
        world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
        y.push(sideways(&world));
    }
    // Least squares of y[n+1] = a y[n] + b y[n-1].
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for three in y.windows(3) {
        let [before, now, after] = [three[0], three[1], three[2]];
        aa += now * now;
        ab += now * before;
        bb += before * before;
        ay += now * after;
        by += before * after;
    }
    let determinant = aa * bb - ab * ab;
    let (a, b) = ((ay * bb - by * ab) / determinant, (by * aa - ay * ab) / determinant);
    Linear { kept: -b, pulled: 1.0 - b - a, pushed: 0.0 }.to_feel(FRAME)
}

fn numbers(rows: &[(Row, f32)]) -> (ParamSet, ParamSet) {
    let mut values = ParamSet::defaults(PARAMS);
    // What sleeps does not swing.
    values.set(SLEEP_THRESHOLD, 0.0);
    for (row, value) in rows {
        values.set(*row, *value);
    }
    (values.clone(), values)
}

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    for (stiffness, damping) in [(0.1, 0.2), (0.05, 0.1), (0.2, 0.1), (0.1, 0.4), (0.02, 0.05)] {
        for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
            let all: Vec<_> =
                [(STIFFNESS, stiffness), (DAMPING, damping)].into_iter().chain(rows.iter().copied()).collect();
            let (joint, system) = numbers(&all);
            let now = Numbers { joint: &joint, system: &system, length: LENGTH, frame: FRAME };
            let said = solver::sway(SolverKind::EzSoftBone, &now).feel();
            let found = fit(&joint, &system);
            let off = (found.frequency_hz / said.frequency_hz - 1.0).abs();
            let damped = (found.damping_ratio / said.damping_ratio - 1.0).abs();
            assert!(off < 0.03 && damped < 0.03, "{all:?}: it says {said:?}, and does {found:?}");
        }
    }
}

#[test]
fn a_steady_pull_is_as_heavy_as_its_numbers_say() {
    for rows in [&[][..], &[(ITERATIONS, 3.0)], &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)]] {
        let all: Vec<_> = [(RESISTANCE, 0.4), (GRAVITY[0], 0.02)].into_iter().chain(rows.iter().copied()).collect();
        let (joint, system) = numbers(&all);
        let now = Numbers { joint: &joint, system: &system, length: LENGTH, frame: FRAME };
        let said = solver::sway(SolverKind::EzSoftBone, &now);
        let iterations = system.get(ITERATIONS);
        let h = FRAME / iterations;
        let (mut world, pose) = world(&joint, &system);
        for _ in 0..600 {
            world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
        }
        let expected = f64::from(said.pull.x * h * h) / said.feel().to_linear(h).pulled;
        let found = sideways(&world);
        assert!((found / expected - 1.0).abs() < 0.03, "{all:?}: {found} m aside, not {expected} m");
    }
}
