//! How `DynamicBone` says that its numbers sway, held against how they do.

use glam::{Quat, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, Row, SolverKind};
use yuremono::sim::solver::dynamic_bone::{
    BLEND_WEIGHT, DAMPING, ELASTICITY, FORCE, FORCE_SHARE, INERT, PARAMS, RUN_AS, STIFFNESS, UPDATE_MODE, UPDATE_RATE,
};
use yuremono::sim::unify::Linear;
use yuremono::sim::{JointIndex, JointSetup, Numbers, StepInput, SystemSetup, TipSetup, World, solver};

const KIND: SolverKind = SolverKind::DynamicBone;
const LENGTH: f32 = 0.1;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// Numbers of a joint and its system, and how long a frame lasts.
struct Case {
    joint: ParamSet,
    system: ParamSet,
    frame: f32,
}

fn case(joint: &[(Row, f32)], system: &[(Row, f32)], frame: f32) -> Case {
    let set = |values: &[(Row, f32)]| {
        let mut set = ParamSet::defaults(PARAMS);
        for (row, value) in values {
            set.set(*row, *value);
        }
        set
    };
    Case { joint: set(joint), system: set(system), frame }
}

impl Case {
    fn numbers(&self) -> Numbers<'_> {
        Numbers { joint: &self.joint, system: &self.system, length: LENGTH, frame: self.frame }
    }

    /// A bone along +X that hangs on nothing that moves.
    fn world(&self) -> (World, Pose) {
        let bone = |parent, x| Bone { name: format!("{x}"), parent, rest: Trs::from_translation(Vec3::X * x) };
        let skeleton = Skeleton::new(vec![bone(None, 0.0), bone(Some(BoneId(0)), LENGTH)]).expect("parents first");
        let joint = JointSetup {
            bone: BoneId(0),
            tip: TipSetup::Bones(vec![BoneId(1)]),
            values: self.joint.clone(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(KIND, self.system.clone()) };
        (World::build(&skeleton, &[setup]), Pose::rest(&skeleton))
    }

    /// The tip's height after each frame, once it was kicked by two degrees, metres.
    fn swing(&self, frames: usize) -> Vec<f64> {
        let (mut world, pose) = self.world();
        let at = Quat::from_rotation_z(2_f32.to_radians()) * Vec3::X * LENGTH;
        world.place_tip(JOINT, at, at);
        let mut heights = vec![f64::from(at.y), f64::from(at.y)];
        for _ in 0..frames {
            world.step(&StepInput { pose: &pose, hold: None, dt: self.frame });
            heights.push(f64::from(world.tip(JOINT).expect("a joint").y));
        }
        heights
    }
}

/// The recurrence that fits heights best: `y[n+1] = (1 + kept - pulled) y[n] - kept y[n-1]`.
fn fit(heights: &[f64]) -> Linear {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for y in heights.windows(3) {
        let (b, a, c) = (y[0], y[1], y[2]);
        (aa, ab, bb, ac, bc) = (aa + a * a, ab + a * b, bb + b * b, ac + a * c, bc + b * c);
    }
    let determinant = aa * bb - ab * ab;
    let now = (ac * bb - bc * ab) / determinant;
    let before = (bc * aa - ac * ab) / determinant;
    Linear { kept: -before, pulled: 1.0 - before - now, pushed: 0.0 }
}

#[track_caller]
fn check(case: &Case) {
    let said = solver::sway(KIND, &case.numbers());
    let step = solver::step_seconds(KIND, &case.system, case.frame);
    let found = fit(&case.swing(40)).to_feel(step);
    let off = |found: f32, said: f32| (found / said - 1.0).abs();
    let (speed, settle) = (off(found.frequency_hz, said.frequency_hz), off(found.damping_ratio, said.damping_ratio));
    assert!(speed < 0.03 && settle < 0.03, "it swings as {found:?}, not as {said:?}");
}

const FRAME: f32 = 1.0 / 60.0;

#[test]
fn a_kicked_bone_swings_as_its_numbers_say() {
    check(&case(&[], &[], FRAME));
    for (elasticity, damping) in [(0.02, 0.02), (0.05, 0.3), (0.2, 0.1), (0.3, 0.4), (0.0866, 0.1485)] {
        check(&case(&[(ELASTICITY, elasticity), (DAMPING, damping)], &[], FRAME));
    }
}

#[test]
fn it_does_so_at_every_rate_and_in_every_mode() {
    check(&case(&[], &[], FRAME * 0.5));
    check(&case(&[], &[(UPDATE_RATE, 90.0)], FRAME));
    check(&case(&[], &[(UPDATE_RATE, 0.0)], FRAME * 0.5));
    check(&case(&[], &[(RUN_AS, 1.0), (UPDATE_MODE, 0.0)], FRAME * 0.5));
    // A frame that is a little longer than a step, so that each takes one.
    check(&case(&[], &[(UPDATE_MODE, 0.0), (UPDATE_RATE, 60.0)], 1.0 / 59.999));
}

#[test]
fn a_force_pulls_as_hard_as_is_said() {
    for (factor, clone) in [(1.0, 0.0), (1.0, 1.0), (0.5, 1.0)] {
        let joint = [(FORCE_SHARE, factor), (ELASTICITY, 0.2)];
        let case = case(&joint, &[(FORCE[1], -0.0004), (RUN_AS, clone)], FRAME * 0.5);
        let said = solver::sway(KIND, &case.numbers());
        let sag = -case.swing(400).pop().expect("heights");
        // Where the pull of the spring is as strong as the force.
        let linear = said.feel().to_linear(case.frame);
        let expected = f64::from(said.pull.length()) * f64::from(case.frame).powi(2) / linear.pulled;
        assert!((sag / expected - 1.0).abs() < 0.03, "{sag} m, not {expected}");
    }
}

#[test]
fn a_body_that_moves_is_felt_by_the_share_that_is_said() {
    for inert in [0.0, 0.4, 1.0] {
        let case = case(&[(INERT, inert), (ELASTICITY, 0.0), (STIFFNESS, 0.0)], &[], FRAME);
        assert_eq!(solver::sway(KIND, &case.numbers()).follow, Some(inert));
        let bone = |parent, at| Bone { name: format!("{at}"), parent, rest: Trs::from_translation(at) };
        let skeleton = Skeleton::new(vec![
            bone(None, Vec3::ZERO),
            bone(Some(BoneId(0)), Vec3::ZERO),
            bone(Some(BoneId(1)), Vec3::X),
        ])
        .expect("parents first");
        let joint = JointSetup {
            bone: BoneId(1),
            tip: TipSetup::Bones(vec![BoneId(2)]),
            values: case.joint.clone(),
            pivot: None,
            length_targets: Vec::new(),
            colliders: Vec::new(),
            chain: 0,
            enabled: true,
            animated: false,
        };
        let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(KIND, case.system.clone()) };
        let mut world = World::build(&skeleton, &[setup]);
        let mut pose = Pose::rest(&skeleton);
        pose.local[0].translation.y = 0.001;
        world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
        let y = world.tip(JOINT).expect("a joint").y;
        assert!((y - 0.001 * inert).abs() < 1e-5, "{y} at inert {inert}");
    }
}

#[test]
fn a_tip_goes_no_farther_than_the_reach_that_is_said() {
    for (stiffness, weight) in [(0.7, 1.0), (0.9, 1.0), (0.5, 0.6)] {
        let joint = [(STIFFNESS, stiffness), (ELASTICITY, 0.0)];
        let case = case(&joint, &[(FORCE[1], -0.01), (BLEND_WEIGHT, weight)], FRAME);
        let reach = solver::sway(KIND, &case.numbers()).reach_deg.expect("a ball");
        let (mut world, pose) = case.world();
        (0..300).for_each(|_| world.step(&StepInput { pose: &pose, hold: None, dt: FRAME }));
        let found = world.tip(JOINT).expect("a joint").angle_between(Vec3::X).to_degrees();
        assert!((found / reach - 1.0).abs() < 0.03, "it leans {found} degrees, not {reach}");
    }
}
