//! Tests the arrows that show why tips move: the gravity that each solver reports, the drawn length, the legend, and
//! when the world records causes.

use super::support;
use super::support::window::{WindowFixture, window_harness};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec2, Vec3};
use std::sync::Arc;
use yuremono::stage::{OrbitCamera, ViewRect, overlay};
use yuremono::ui::Prefs;
use yuremono::ui::kit::i18n::Lang;
use yuremono_model::document::EditLabel;
use yuremono_model::feel::convert::convert;
use yuremono_session::{Command, Motion, SelectMode, Session, SolverTime, TICK_SECONDS, TipCauses, TipOutcome};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;
use yuremono_sim::params::{ParamSet, find_param};
use yuremono_sim::rig::{Bone, BoneId, Character, Pose, Skeleton};
use yuremono_sim::{JointIndex, JointSetup, SolverKind, StepInput, SystemSetup, TipPart, TipSetup, World};

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
    (SolverKind::EzSoftBone, "m_Gravity y", -0.05, &[("m_Resistance", 0.0), ("m_SleepThreshold", 0.0)]),
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

/// Returns the cause gravity at the tip of one bone in its first step of `dt` seconds. The root of the bone is rotated by
/// 90 degrees, so that the gravity arrow must not follow the rest pose.
fn first_gravity((kind, row, one, others): GravityCase<'_>, power: f32, dt: f32) -> Vec3 {
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
        tip_values: Vec::new(),
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
    world.set_probed(true);
    world.step(&StepInput { pose: &pose, grab: None, dt });
    TipCauses::new(&world.tip_parts(JOINT).expect("a probed joint"), SolverTime::new(&setup, dt)).get(TipPart::Gravity)
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
        let [none, one, two] = [0.0, 1.0, 2.0].map(|power| first_gravity(case, power, FRAME_SECONDS));
        assert_eq!(none, Vec3::ZERO, "{:?}: gravity is zero", case.0);
        assert_eq!(arrow_length(none), 0.0);
        assert!(one.y < -0.1, "{:?}: gravity points down: {one}", case.0);
        assert!((two - one * 2.0).length() < one.length() * 0.02, "{:?}: {one} doubles to {two}", case.0);
        // Arrow lengths grow with the square root of the force.
        let growth = arrow_length(two) / arrow_length(one);
        assert!((growth - 2.0_f32.sqrt()).abs() < 0.03, "{:?}: drawn {growth} times as long", case.0);
    }
}

#[test]
fn vrm_gravity_power_is_reported_as_acceleration() {
    // Without stiffness, a power of 0.02 m/s adds 0.02 m/s to the speed in each of 60 frames per second, which is 1.2
    // m/s².
    let case = (SolverKind::Vrm, "gravityPower", 0.02, &[("stiffness", 0.0)][..]);
    let gravity = first_gravity(case, 1.0, FRAME_SECONDS);
    assert!((gravity.y + 1.2).abs() < 0.01, "{gravity}");
}

#[test]
fn gravity_does_not_depend_on_the_frame_rate() {
    // UnityChan's script runs one step of 1/60 s in every frame, PBD as many steps as the frame is long.
    for kind in [SolverKind::UnityChanSpringBone, SolverKind::PbdSpringBone] {
        let case = *GRAVITY_CASES.iter().find(|case| case.0 == kind).expect("every solver has a case");
        let [slow, fast] = [30.0, 120.0].map(|rate: f32| first_gravity(case, 1.0, rate.recip()));
        assert!((slow - fast).length() < 0.02 * slow.length() && slow.y < -0.1, "{kind:?}: {slow} {fast}");
    }
}

fn session_with_selected_hair() -> Session {
    let opened = support::sample(SolverKind::Vrm);
    // Without meshes, which do not matter here, a frame takes a third of the time.
    let character = Character { meshes: Vec::new(), ..(*opened.character).clone() };
    let mut session = Session::new(Arc::new(character), opened.document);
    session.handle(Command::SetMotion(Motion::Still));
    let chains = session.document().chains.values();
    let bone = chains.max_by_key(|chain| chain.joints.len()).expect("the sample has hair").root();
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session
}

fn set_gravity(session: &mut Session, power: f32) {
    let param = find_param(session.inspection().system().param_defs(), "gravityPower").expect("a row of VRM");
    session.handle(Command::SetParam(param, power));
}

fn run(h: &mut Harness<'static, WindowFixture>, frames: usize) {
    for _ in 0..frames {
        h.state_mut().session.advance(TICK_SECONDS);
        h.run_steps(1);
    }
}

fn window_with_gravity(lang: Lang, power: f32) -> Harness<'static, WindowFixture> {
    let mut session = session_with_selected_hair();
    set_gravity(&mut session, power);
    session.handle(Command::SetPlaying(true));
    let prefs = Prefs { lang, reduce_motion: true, ..Prefs::default() };
    let mut h = window_harness(WindowFixture::new(session, prefs), [1440.0, 900.0]);
    run(&mut h, 4);
    h
}

/// Returns whether the legend in the viewport lists a name. The inspector beside the viewport can have the same name.
fn lists(h: &mut Harness<'static, WindowFixture>, name: &str) -> bool {
    let viewport = h.state_mut().ui.state_mut().viewport_rect.expect("a viewport");
    h.query_all_by_label(name).any(|node| viewport.contains_rect(node.rect()))
}

#[test]
fn the_legend_lists_gravity_only_while_its_arrow_is_drawn() {
    let mut h = window_with_gravity(Lang::En, 0.5);
    assert!(lists(&mut h, "Gravity"));
    assert!(!lists(&mut h, "Angle limit"), "no limit is drawn");
    set_gravity(&mut h.state_mut().session, 0.0);
    // The legend keeps entries for a short time, so that those of a swinging joint do not flicker.
    run(&mut h, 60);
    assert!(!lists(&mut h, "Gravity"));
    assert!(!lists(&mut window_with_gravity(Lang::En, 0.0), "Gravity"));
}

#[test]
fn a_sentence_in_both_languages_names_what_wins() {
    for (lang, words) in [(Lang::En, "holds the tip against"), (Lang::Ja, "つり合っています")] {
        let mut h = window_with_gravity(lang, 0.5);
        run(&mut h, 180);
        h.state_mut().session.handle(Command::SetPlaying(false));
        h.run_steps(2);
        let bone = h.state().session.selection().active.expect("a joint");
        let outcome = h.state().session.inspection().tip_outcome(bone).expect("a probed joint");
        let TipOutcome::Holds { winner, opponent } = outcome else { panic!("{outcome:?}") };
        assert!([winner, opponent].contains(&TipPart::Gravity), "{outcome:?}");
        h.get_by_label_contains(words);
    }
}

#[test]
fn a_sentence_says_why_a_joint_is_not_simulated() {
    let mut h = window_with_gravity(Lang::En, 0.5);
    let bone = h.state().session.selection().active.expect("a joint");
    let (chain, _) = h.state().session.document().find_joint(bone).expect("a chain");
    for (on, off, words) in [
        (Command::MuteChains(vec![chain], true), Command::MuteChains(vec![chain], false), "it is muted"),
        (Command::PinJoints(vec![bone], true), Command::PinJoints(vec![bone], false), "The joint is pinned"),
    ] {
        h.state_mut().session.handle(on);
        run(&mut h, 180);
        h.get_by_label_contains(words);
        h.state_mut().session.handle(off);
        run(&mut h, 180);
        assert!(h.query_by_label_contains(words).is_none(), "{words}");
    }
}

#[test]
fn the_world_records_causes_only_while_arrows_show_them() {
    let mut h = window_with_gravity(Lang::En, 0.5);
    let probes = |h: &Harness<'_, WindowFixture>| h.state().session.playback().probes_tips();
    assert!(probes(&h));
    h.state_mut().ui.state_mut().prefs.toggles.causes = false;
    h.run_steps(2);
    assert!(!probes(&h));
    // The legend keeps entries for a short time.
    run(&mut h, 60);
    assert!(!probes(&h) && !lists(&mut h, "Gravity"));
    assert!(h.query_by_label_contains("holds the tip against").is_none());
    h.state_mut().ui.state_mut().prefs.toggles.causes = true;
    h.run_steps(2);
    assert!(probes(&h));
    h.state_mut().session.handle(Command::ClearSelection);
    h.run_steps(2);
    assert!(!probes(&h), "no joint is selected");
}

#[test]
fn causes_are_unknown_until_a_tick_and_stay_while_paused() {
    let mut session = session_with_selected_hair();
    set_gravity(&mut session, 0.5);
    let bone = session.selection().active.expect("a joint");
    assert_eq!(session.playback().tip_parts(bone), None, "causes are off by default");
    session.handle(Command::ProbeTips(true));
    assert_eq!(session.playback().tip_parts(bone), None, "no tick was recorded yet");
    session.handle(Command::StepOnce);
    let parts = session.playback().tip_parts(bone).expect("a recorded tick");
    assert!(parts.get(TipPart::Gravity).y < 0.0);
    session.handle(Command::ProbeTips(true));
    assert_eq!(session.playback().tip_parts(bone), Some(parts), "the last tick stays");
    session.handle(Command::ProbeTips(false));
    assert_eq!(session.playback().tip_parts(bone), None);
}

#[test]
fn arrows_and_graph_switch_the_probe_independently() {
    let mut session = session_with_selected_hair();
    let bone = session.selection().active.expect("a joint");
    let newest = |session: &Session| session.playback().recent_motion().ticks().end - 1;
    session.handle(Command::ProbeJoint(Some(bone)));
    session.handle(Command::ProbeTips(true));
    session.handle(Command::StepOnce);
    session.handle(Command::ProbeTips(false));
    session.handle(Command::StepOnce);
    assert!(session.playback().probed_parts(newest(&session)).is_some(), "the graph records on");
    assert_eq!(session.playback().tip_parts(bone), None);
    session.handle(Command::ProbeTips(true));
    session.handle(Command::StepOnce);
    session.handle(Command::ProbeJoint(None));
    session.handle(Command::StepOnce);
    assert!(session.playback().tip_parts(bone).is_some(), "the arrows stay");
    assert_eq!(session.playback().probed_parts(newest(&session)), None);
}

#[test]
fn a_recorded_pose_shows_the_causes_of_the_joint_in_the_graph_only() {
    let mut session = session_with_selected_hair();
    set_gravity(&mut session, 0.5);
    let bone = session.selection().active.expect("a joint");
    let chain = session.document().chains.values().find(|chain| chain.root() == bone).expect("a chain");
    let other = chain.joints[1].bone;
    session.handle(Command::ProbeTips(true));
    session.handle(Command::ProbeJoint(Some(bone)));
    (0..3).for_each(|_| session.handle(Command::StepOnce));
    let live = session.playback().tip_parts(bone).expect("a probed tick");
    assert!(session.playback().tip_parts(other).is_some());
    session.handle(Command::StepBack);
    let tick = session.playback().scrubbed_tick().expect("a recorded tick");
    let before = session.playback().tip_parts(bone).expect("a recorded tick of the graph");
    assert_eq!(session.playback().probed_parts(tick), Some(before));
    assert_ne!(before, live);
    assert_eq!(session.playback().tip_parts(other), None, "only the joint of the graph is recorded");
    session.handle(Command::Scrub(None));
    assert_eq!(session.playback().tip_parts(bone), Some(live));
}

#[test]
fn a_preview_that_becomes_the_live_world_records_causes() {
    let mut session = session_with_selected_hair();
    let bone = session.selection().active.expect("a joint");
    session.handle(Command::ProbeTips(true));
    session.handle(Command::StepOnce);
    let document = session.document();
    let edit = convert(document, session.character(), SolverKind::DynamicBone).edit(document);
    session.handle(Command::PreviewEdit(Some(edit.clone())));
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Import {n:row|rows}", n = 1))));
    assert!(session.playback().probes_tips());
    assert_eq!(session.playback().tip_parts(bone), None, "the preview recorded nothing");
    session.handle(Command::StepOnce);
    assert!(session.playback().tip_parts(bone).is_some());
}
