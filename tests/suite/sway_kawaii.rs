//! KawaiiPhysics sways as its numbers say: a kicked bone, measured.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, Row, SolverKind};
use yuremono::sim::solver::kawaii::params::{self as row, PARAMS};
use yuremono::sim::unify::{Feel, Linear};
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, Sway, SystemSetup, TipSetup, World, solver};

const LENGTH: f32 = 0.1;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

fn setup(values: ParamSet) -> (Skeleton, SystemSetup) {
    let bone = |i: u32| Bone {
        name: format!("b{i}"),
        parent: i.checked_sub(1).map(BoneId),
        rest: Trs::from_translation(Vec3::Y * 0.5),
    };
    let skeleton = Skeleton::new((0..2).map(bone).collect()).expect("parents first");
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
    let setup = SystemSetup::new(SolverKind::KawaiiPhysics, values);
    (skeleton, SystemSetup { joints: vec![joint], ..setup })
}

/// Kicks the bone by 2 degrees and fits `y[n+1] = (1 + D - A) y[n] - D y[n-1]` to its way back, all steps together.
fn measured(values: &ParamSet, frame: f32, h: f32) -> Feel {
    let (skeleton, setup) = setup(values.clone());
    let mut world = World::build(&skeleton, &[setup]);
    let pose = Pose::rest(&skeleton);
    world.step(&StepInput { pose: &pose, hold: None, dt: frame });
    let head = world.frames().frame(BoneId(1)).position;
    let kicked = head + Quat::from_rotation_z(2.0_f32.to_radians()) * Vec3::NEG_Y * LENGTH;
    world.place_tip(JOINT, kicked, kicked);
    let mut y = vec![f64::from(kicked.x - head.x)];
    // A frame may take no step, or some; only those that took one are samples.
    while y.len() < 120 {
        let before = world.tip(JOINT).expect("a joint");
        world.step(&StepInput { pose: &pose, hold: None, dt: frame });
        let tip = world.tip(JOINT).expect("a joint");
        if tip != before {
            y.push(f64::from(tip.x - head.x));
        }
        if y.last().is_some_and(|last| last.abs() < 2e-6) {
            break;
        }
    }
    let (mut aa, mut ab, mut bb, mut ay, mut by) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for w in y.windows(3) {
        let (a, b, next) = (w[1], -w[0], w[2]);
        (aa, ab, bb) = (aa + a * a, ab + a * b, bb + b * b);
        (ay, by) = (ay + a * next, by + b * next);
    }
    let determinant = aa * bb - ab * ab;
    let (first, kept) = ((ay * bb - by * ab) / determinant, (aa * by - ab * ay) / determinant);
    Linear { kept, pulled: 1.0 + kept - first, pushed: 0.0 }.to_feel(h)
}

#[track_caller]
fn check(numbers: &[(Row, f32)], frame: f32) {
    let mut values = ParamSet::defaults(PARAMS);
    for (row, value) in numbers {
        values.set(*row, *value);
    }
    let now = Numbers { joint: &values, system: &values, length: LENGTH, frame };
    let said: Sway = solver::sway(SolverKind::KawaiiPhysics, &now);
    let h = solver::step_seconds(SolverKind::KawaiiPhysics, &values, frame);
    let found = measured(&values, frame, h);
    let near = |a: f32, b: f32| (a / b - 1.0).abs() < 0.03;
    let same = near(found.frequency_hz, said.frequency_hz) && near(found.damping_ratio, said.damping_ratio);
    assert!(same, "{numbers:?}: {found:?}, not {said:?}");
}

#[test]
fn a_kick_swings_as_the_numbers_say() {
    for (stiffness, damping) in [(0.05, 0.1), (0.0866, 0.1485), (0.02, 0.05), (0.2, 0.3)] {
        check(&[(row::STIFFNESS, stiffness), (row::DAMPING, damping)], 1.0 / 60.0);
    }
    check(&[(row::TARGET_FRAMERATE, 90.0)], 1.0 / 90.0);
}

#[test]
fn a_kick_swings_as_the_numbers_say_where_steps_are_frames() {
    check(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 60.0);
    check(&[(row::USE_FIXED_SUBSTEPPING, 0.0)], 1.0 / 120.0);
}

#[test]
fn a_sway_becomes_numbers_that_swing_so() {
    let values = ParamSet::defaults(PARAMS);
    let now = Numbers { joint: &values, system: &values, length: LENGTH, frame: 1.0 / 60.0 };
    let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.4, acceleration: 0.0 };
    let numbers = solver::numbers(SolverKind::KawaiiPhysics, &Sway::new(feel, Vec3::ZERO), &now);
    let mut made = values.clone();
    for (row, value) in &numbers {
        made.set(*row, *value);
    }
    let found = measured(&made, 1.0 / 60.0, 1.0 / 60.0);
    assert!(
        (found.frequency_hz / 3.0 - 1.0).abs() < 0.03 && (found.damping_ratio / 0.4 - 1.0).abs() < 0.03,
        "{found:?}"
    );
}
