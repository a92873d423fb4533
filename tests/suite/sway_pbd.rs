//! Whether `PbdSpringBone` swings as its numbers say that it sways.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, SolverKind};
use yuremono::sim::solver::pbd_spring_bone::{DAMP, GRAVITY, PARAMS, SPRING, STEPS_PER_SECOND};
use yuremono::sim::unify::{Feel, Linear};
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, Sway, SystemSetup, TipSetup, World, solver};

const LENGTH: f32 = 0.1;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// Share of the speed kept and of the offset removed, fitted by least squares to `y[n+1] = (1+D-A) y[n] - D y[n-1]`.
fn fit(y: &[f64]) -> Linear {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for three in y.windows(3) {
        let (a, b, c) = (three[1], -three[0], three[2]);
        (aa, ab, bb, ac, bc) = (aa + a * a, ab + a * b, bb + b * b, ac + a * c, bc + b * c);
    }
    let by = aa * bb - ab * ab;
    let (turn, kept) = ((ac * bb - bc * ab) / by, (aa * bc - ab * ac) / by);
    Linear { kept, pulled: 1.0 + kept - turn, pushed: 0.0 }
}

/// Sideways offsets of a bone that hangs and was kicked by two degrees.
fn kicked(values: &ParamSet, system: &ParamSet, frame: f32, steps: usize) -> Vec<f64> {
    let bone = |name: &str, parent: Option<u32>, at| Bone {
        name: name.to_owned(),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(at),
    };
    let bones = vec![bone("head", None, Vec3::Y), bone("tip", Some(0), Vec3::Y * -LENGTH)];
    let skeleton = Skeleton::new(bones).expect("parents first");
    let joint = JointSetup {
        bone: BoneId(0),
        tip: TipSetup::Bones(vec![BoneId(1)]),
        values: values.clone(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(SolverKind::PbdSpringBone, system.clone()) };
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    let at = Vec3::Y + Quat::from_rotation_z(2.0_f32.to_radians()) * (Vec3::Y * -LENGTH);
    world.place_tip(JOINT, at, at);
    let mut found = vec![f64::from(at.x)];
    for _ in 0..steps {
        world.step(&StepInput { pose: &pose, hold: None, dt: frame });
        found.push(f64::from(world.tip(JOINT).expect("a joint").x));
    }
    found
}

#[track_caller]
fn near(found: f32, said: f32) {
    assert!((found / said - 1.0).abs() < 0.03, "found {found}, said {said}");
}

#[track_caller]
fn check(spring: f32, damp: f32, rate: f32) {
    let (mut joint, mut system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
    for (row, value) in [(SPRING, spring), (DAMP, damp), (GRAVITY, 0.0)] {
        joint.set(row, value);
    }
    system.set(STEPS_PER_SECOND, rate);
    let numbers = Numbers { joint: &joint, system: &system, length: LENGTH, frame: 1.0 / 60.0 };
    let said: Sway = solver::sway(SolverKind::PbdSpringBone, &numbers);
    let h = solver::step_seconds(SolverKind::PbdSpringBone, &system, numbers.frame);
    // One step a frame, so that each can be seen.
    let found: Feel = fit(&kicked(&joint, &system, h, 40)).to_feel(h);
    near(found.frequency_hz, said.frequency_hz);
    near(found.damping_ratio, said.damping_ratio);
}

#[test]
fn swings_as_its_numbers_say() {
    for (spring, damp) in [(100.0, 0.85), (400.6, 0.778), (50.0, 0.95), (800.0, 0.7), (60.0, 0.6)] {
        check(spring, damp, 0.0);
    }
    check(200.0, 0.9, 120.0);
}

#[test]
fn gravity_pulls_as_its_number_says() {
    let (mut joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
    joint.set(SPRING, 0.0);
    joint.set(GRAVITY, 2.0);
    let frame = 1.0 / 60.0;
    let numbers = Numbers { joint: &joint, system: &system, length: LENGTH, frame };
    let said = solver::sway(SolverKind::PbdSpringBone, &numbers).pull;
    // A horizontal bone begins to fall with the acceleration itself.
    let skeleton = Skeleton::new(
        [(None, Vec3::Y), (Some(BoneId(0)), Vec3::X * LENGTH)]
            .map(|(parent, at)| Bone { name: format!("{at}"), parent, rest: Trs::from_translation(at) })
            .to_vec(),
    )
    .expect("parents first");
    let joint = JointSetup {
        bone: BoneId(0),
        tip: TipSetup::Bones(vec![BoneId(1)]),
        values: joint,
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(SolverKind::PbdSpringBone, system.clone()) };
    let (mut world, pose) = (World::build(&skeleton, &[setup]), Pose::rest(&skeleton));
    world.step(&StepInput { pose: &pose, hold: None, dt: frame });
    let fell = (world.tip(JOINT).expect("a joint").y - 1.0) / (frame * frame);
    assert!((fell / said.y - 1.0).abs() < 0.03 && said.x == 0.0, "fell {fell}, said {said}");
}
