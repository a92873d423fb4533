//! Tests the force arrows at a joint's tip: the force that each solver reports, the drawn length, and the legend
//! entries.

use super::support;
use super::support::window::{WindowFixture, window_harness};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec2, Vec3};
use yuremono::math::Trs;
use yuremono::params::{ParamSet, find_param};
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::session::{Command, Motion, SelectMode, Session};
use yuremono::sim::{JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipForces, TipSetup, World};
use yuremono::stage::{OrbitCamera, ViewRect, overlay};
use yuremono::ui::Prefs;

const FRAME_SECONDS: f32 = 1.0 / 60.0;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// A solver, its gravity parameter, the value for a power of 1, and other parameters.
type GravityCase<'a> = (SolverKind, &'a str, f32, &'a [(&'a str, f32)]);

/// The parameter of each solver that scales gravity, its value for a power of 1, and other parameters that gravity
/// needs to have an effect.
const GRAVITY_CASES: [GravityCase<'static>; 9] = [
    (SolverKind::UnityChanSpringBone, "gravity y", -2.0, &[("springForce y", 0.0)]),
    (SolverKind::Vrm, "gravityPower", 0.02, &[]),
    (SolverKind::PbdSpringBone, "gravity", 2.0, &[]),
    (SolverKind::DynamicBone, "m_Gravity y", -0.0005, &[]),
    (SolverKind::EzSoftBone, "m_Gravity y", -0.05, &[("m_Resistance", 0.0)]),
    (SolverKind::JointDynamics, "_GravityScaleCurve", 0.2, &[]),
    (SolverKind::KawaiiPhysics, "Gravity y", -2.0, &[]),
    (
        SolverKind::AnimDynamics,
        "GravityScale",
        0.2,
        &[("LocalJointOffset y", 0.05), ("BoxExtents x", 0.05), ("BoxExtents y", 0.05), ("BoxExtents z", 0.05)],
    ),
    (SolverKind::Hinge, "gravity", 98.0, &[("relativeCenter y", -0.1)]),
];

/// Returns the forces at the tip of one bone. Its root is rotated by 90 degrees, so that the gravity arrow must not
/// follow the rest pose.
fn tip_forces_with_gravity((kind, row, one, others): GravityCase<'_>, power: f32) -> TipForces {
    let table = kind.info().params;
    let mut values = ParamSet::defaults(table);
    for (name, value) in others {
        values.set(find_param(table, name).expect("a row of the solver"), *value);
    }
    values.set(find_param(table, row).expect("a row of the solver"), one * power);
    let bone = |parent: Option<u32>, y: f32| Bone {
        name: format!("{y}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::Y * y),
    };
    let skeleton = Skeleton::new(vec![bone(None, 1.0), bone(Some(0), 0.0), bone(Some(1), -0.1)]).expect("sorted");
    let joint = JointSetup {
        bone: BoneId(1),
        tip: TipSetup::Bones(vec![BoneId(2)]),
        values: values.clone(),
        pivot: None,
        length_targets: Vec::new(),
        colliders: Vec::new(),
        chain: 0,
        enabled: true,
        animated: false,
    };
    let setup = SystemSetup { joints: vec![joint], ..SystemSetup::new(kind, values) };
    let mut world = World::build(&skeleton, std::slice::from_ref(&setup));
    let mut pose = Pose::rest(&skeleton);
    pose.local[0].rotation = Quat::from_rotation_x(std::f32::consts::FRAC_PI_2);
    world.reset(&pose);
    world.step(&StepInput { pose: &pose, grab: None, dt: FRAME_SECONDS });
    world.tip_forces(JOINT, &setup, FRAME_SECONDS).expect("a joint")
}

/// Returns the length in points of an arrow seen from the side.
fn arrow_length(force: Vec3) -> f32 {
    let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
    let shot = camera.view(&ViewRect::uncovered(Vec2::splat(600.0)));
    overlay::arrow(&shot, Vec3::ZERO, force).map_or(0.0, |[from, to]| from.distance(to))
}

#[test]
fn every_solver_has_a_gravity_arrow_that_grows_with_gravity_and_none_without() {
    assert_eq!(GRAVITY_CASES.len(), SolverKind::ALL.len(), "every solver has a case");
    for case in GRAVITY_CASES {
        let [none, one, two] = [0.0, 1.0, 2.0].map(|power| tip_forces_with_gravity(case, power).gravity);
        assert_eq!(none, Vec3::ZERO, "{:?}: gravity is zero", case.0);
        assert_eq!(arrow_length(none), 0.0);
        assert!(one.y < -0.1, "{:?}: gravity points down: {one}", case.0);
        assert!((two - one * 2.0).length() < one.length() * 1e-3, "{:?}: {one} doubles to {two}", case.0);
        // Arrow lengths grow with the square root of the force.
        let growth = arrow_length(two) / arrow_length(one);
        assert!((growth - 2.0_f32.sqrt()).abs() < 0.02, "{:?}: drawn {growth} times as long", case.0);
    }
}

#[test]
fn vrm_gravity_power_is_reported_as_acceleration() {
    // Without stiffness, a power of 0.02 m/s adds 0.02 m/s to the speed in each of 60 frames per second, which is 1.2
    // m/s².
    let gravity = tip_forces_with_gravity((SolverKind::Vrm, "gravityPower", 0.02, &[("stiffness", 0.0)]), 1.0).gravity;
    assert!((gravity.y + 1.2).abs() < 1e-3, "{gravity}");
}

fn window_with_vrm_gravity(power: f32) -> Harness<'static, WindowFixture> {
    let opened = support::sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let chains = session.document().chains.values();
    let bone = chains.max_by_key(|chain| chain.joints.len()).expect("the sample has hair").root();
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    let param = find_param(session.inspection().system().param_defs(), "gravityPower").expect("a row of VRM");
    session.handle(Command::SetParam(param, power));
    let mut h =
        window_harness(WindowFixture::new(session, Prefs { reduce_motion: true, ..Prefs::default() }), [1440.0, 900.0]);
    h.run_steps(3);
    h
}

#[test]
fn the_legend_lists_gravity_only_while_its_arrow_is_drawn() {
    let mut h = window_with_vrm_gravity(0.5);
    h.get_by_label("gravity");
    assert!(h.query_by_label("limit").is_none(), "no limit is drawn");
    let param = find_param(h.state().session.inspection().system().param_defs(), "gravityPower").expect("a row of VRM");
    h.state_mut().session.handle(Command::SetParam(param, 0.0));
    // The legend keeps entries for a short time, so that those of a swinging joint do not flicker.
    h.run_steps(60);
    assert!(h.query_by_label("gravity").is_none());
    assert!(window_with_vrm_gravity(0.0).query_by_label("gravity").is_none());
}
