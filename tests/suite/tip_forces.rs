//! The arrows at a joint's tip: what each solver reports, how long they are drawn, and what the legend lists.

use super::support;
use super::support::window::{Bench, window};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec2, Vec3};
use yuremono::math::Trs;
use yuremono::rig::{Bone, BoneId, Pose, Skeleton};
use yuremono::schema::{ParamSet, find_row};
use yuremono::session::{Command, Motion, Pick, Session};
use yuremono::sim::{JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipForces, TipSetup, World};
use yuremono::stage::{OrbitCamera, Pane, overlay};
use yuremono::ui::Prefs;

const FRAME: f32 = 1.0 / 60.0;
const JOINT: JointIndex = JointIndex { system: 0, joint: 0 };

/// A solver, its row, the value at a power of 1, and other rows.
type Power<'a> = (SolverKind, &'a str, f32, &'a [(&'a str, f32)]);

/// The row of each solver that says how strong gravity is, its value at a power of 1, and what else must be set so that
/// gravity has something to pull at.
const POWERS: [Power<'static>; 9] = [
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

/// One bone on a root that is turned by a quarter, so that no solver takes gravity for a part of the rest pose.
fn forces((kind, row, one, others): Power<'_>, power: f32) -> TipForces {
    let table = kind.info().params;
    let mut values = ParamSet::defaults(table);
    for (name, value) in others {
        values.set(find_row(table, name).expect("a row of the solver"), *value);
    }
    values.set(find_row(table, row).expect("a row of the solver"), one * power);
    let bone = |parent: Option<u32>, y: f32| Bone {
        name: format!("{y}"),
        parent: parent.map(BoneId),
        rest: Trs::from_translation(Vec3::Y * y),
    };
    let skeleton = Skeleton::new(vec![bone(None, 1.0), bone(Some(0), 0.0), bone(Some(1), -0.1)]).expect("in order");
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
    world.step(&StepInput { pose: &pose, hold: None, dt: FRAME });
    world.tip_forces(JOINT, &setup, FRAME).expect("a joint")
}

/// Points of an arrow that is seen from the side.
fn drawn(force: Vec3) -> f32 {
    let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
    let shot = camera.shot(&Pane::whole(Vec2::splat(600.0)));
    overlay::arrow(&shot, Vec3::ZERO, force).map_or(0.0, |[from, to]| from.distance(to))
}

#[test]
fn every_solver_has_no_gravity_arrow_without_power_and_one_that_grows_with_it() {
    assert_eq!(POWERS.len(), SolverKind::ALL.len(), "every solver is asked");
    for case in POWERS {
        let [none, one, two] = [0.0, 1.0, 2.0].map(|power| forces(case, power).gravity);
        assert_eq!(none, Vec3::ZERO, "{:?}: nothing pulls", case.0);
        assert_eq!(drawn(none), 0.0);
        assert!(one.y < -0.1, "{:?}: it pulls down: {one}", case.0);
        assert!((two - one * 2.0).length() < one.length() * 1e-3, "{:?}: {one} doubles to {two}", case.0);
        // Lengths grow with the square root.
        let growth = drawn(two) / drawn(one);
        assert!((growth - 2.0_f32.sqrt()).abs() < 0.02, "{:?}: drawn {growth} times as long", case.0);
    }
}

#[test]
fn vrms_gravity_is_drawn_by_its_real_strength() {
    // Without stiffness a power of 0.02 m/s adds 0.02 m/s to the speed in each of 60 frames: 1.2 m/s².
    let gravity = forces((SolverKind::Vrm, "gravityPower", 0.02, &[("stiffness", 0.0)]), 1.0).gravity;
    assert!((gravity.y + 1.2).abs() < 1e-3, "{gravity}");
}

fn vrm_window(power: f32) -> Harness<'static, Bench> {
    let opened = support::sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let chains = session.document().chains.values();
    let bone = chains.max_by_key(|chain| chain.joints.len()).expect("she has hair").root();
    session.handle(Command::Select(vec![bone], Pick::Replace));
    let row = find_row(session.inspection().system().table(), "gravityPower").expect("a row of VRM");
    session.handle(Command::Set(row, power));
    let mut h = window(Bench::new(session, Prefs { reduce_motion: true, ..Prefs::default() }), [1440.0, 900.0]);
    h.run_steps(3);
    h
}

#[test]
fn the_legend_lists_gravity_only_while_its_arrow_is_drawn() {
    let mut h = vrm_window(0.5);
    h.get_by_label("gravity");
    assert!(h.query_by_label("limit").is_none(), "no limit is drawn");
    let row = find_row(h.state().session.inspection().system().table(), "gravityPower").expect("a row of VRM");
    h.state_mut().session.handle(Command::Set(row, 0.0));
    // A line stays for a moment, so that a swinging joint does not make lines flicker.
    h.run_steps(60);
    assert!(h.query_by_label("gravity").is_none());
    assert!(vrm_window(0.0).query_by_label("gravity").is_none());
}
