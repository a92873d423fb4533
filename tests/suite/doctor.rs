//! Tests the Doctor as its users see it: `check`, motions, and the tab of the drawer.

use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use super::support::{self, girl};
use egui::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use glam::{Quat, Vec3};
use serde_json::Value;
use std::collections::BTreeSet;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, DrawerTab, Prefs};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::pivot::create_pivots;
use yuremono_model::document::{
    ChainPart, Collider, ColliderId, Document, Edit, EditLabel, Helper, HelperId, HelperRole, Node,
};
use yuremono_model::feel::params::FeelContext;
use yuremono_model::tools::doctor::{Finding, FindingKind, Subject};
use yuremono_session::{Command, DoctorJob, Message, Motion, MotionFindings, SceneObject, SelectMode, Session};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::Trs;
use yuremono_sim::params::find_param;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::rig::{BoneId, Pose, WorldPose};
use yuremono_sim::solver::spring_bone::{STIFFNESS, Y_ACTIVE, Y_MAX, Y_MIN, Z_MAX, Z_MIN};
use yuremono_sim::{ColliderShape, FeelParam, SolverKind, SwingLimit, SwingShape};

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const TURN: Motion = Motion::Test(TestMotion::Turn);

#[track_caller]
fn run(args: &[&str], code: i32) -> String {
    let output = support::yuremono_command().args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    out
}

fn kinds(found: &MotionFindings) -> Vec<FindingKind> {
    found.findings.iter().map(|finding| finding.kind).collect()
}

fn run_motions(session: &Session) -> MotionFindings {
    DoctorJob::new(session).run(&[TURN], &|_| true).expect("not cancelled")
}

fn apply(session: &mut Session, edit: Edit) {
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Change"))));
}

#[test]
fn the_sample_has_only_the_note_about_its_frame_rate() {
    let json: Value = serde_json::from_str(&run(&["check", "--json", SAMPLE], 0)).expect("JSON");
    let findings = json["files"][0]["findings"].as_array().expect("a list");
    let keys: Vec<_> = findings.iter().filter_map(|finding| finding["finding"].as_str()).collect();
    assert_eq!(keys, ["frame-rate"]);
    assert_eq!(findings[0]["severity"], "info");
    assert!(findings[0]["bones"].as_array().is_some_and(|bones| bones.len() > 100), "{findings:?}");
    let text = run(&["check", "--strict", SAMPLE, "--motion", "turn"], 0);
    assert!(text.contains("at 120 fps, VRM shows the springs") && text.lines().count() == 2, "{text}");
    run(&["check", SAMPLE, "--motion", "dance"], 1);
}

#[test]
fn a_chain_that_runs_away_in_a_motion_is_named() {
    let opened = support::sample(SolverKind::JointDynamics);
    let mut session = Session::new(opened.character, opened.document);
    assert_eq!(kinds(&run_motions(&session)), []);
    let param = find_param(session.inspection().system().param_defs(), "_AllShrink").expect("a parameter");
    session.handle(Command::SetParam(param, 75.0));
    let found = run_motions(&session);
    assert!(kinds(&found).contains(&FindingKind::RunsAway), "{found:?}");
    assert_eq!((found.motions, found.left_out), (1, Vec::new()));
}

#[test]
fn a_joint_that_shakes_at_rest_is_named() {
    let mut session = girl::session();
    assert_eq!(kinds(&run_motions(&session)), []);
    set_stiffness(&mut session, 1e5);
    let found = run_motions(&session);
    let finding = found.findings.iter().find(|finding| finding.kind == FindingKind::Jitter).expect("jitter");
    assert!(finding.message.contains("although the character stands still"), "{}", finding.message);
    // The fix lowers the speed of the shaking chains, and of nothing else.
    let fix = finding.fix.clone().expect("a fix");
    let shaking: BTreeSet<_> =
        finding.bones().filter_map(|bone| Some(session.document().find_joint(bone)?.0)).collect();
    let before = session.document().clone();
    apply(&mut session, fix);
    let with_chains_of = |mut document: Document, other: &Document| {
        for id in &shaking {
            document.chains.insert(*id, other.chains[id].clone());
        }
        document
    };
    assert!(with_chains_of(before.clone(), session.document()) == *session.document());
    assert!(!kinds(&run_motions(&session)).contains(&FindingKind::Jitter));
    // A slightly higher speed shakes again.
    let faster = FeelContext::new(session.document(), &session.character().skeleton).scale_feel(
        &EditTargets { chains: shaking.iter().copied().collect(), joints: Vec::new() },
        FeelParam::Speed,
        1.12,
    );
    apply(&mut session, faster);
    assert!(kinds(&run_motions(&session)).contains(&FindingKind::Jitter));
    session.handle(Command::Undo);
    session.handle(Command::Undo);
    assert!(*session.document() == before, "the fix is one undo step");
}

#[test]
fn the_fix_of_an_unstable_stiffness_leaves_nothing_that_shakes() {
    let mut session = girl::session();
    set_stiffness(&mut session, 1e5);
    let is_unstable = |finding: &Finding| finding.kind == FindingKind::UnstableStiffness;
    let fix = session.doctor_findings().into_iter().find(is_unstable).and_then(|finding| finding.fix).expect("a fix");
    apply(&mut session, fix);
    assert_eq!(kinds(&run_motions(&session)), []);
}

fn set_stiffness(session: &mut Session, value: f32) {
    let mut document = session.document().clone();
    document.chains.values_mut().for_each(|chain| chain.values[STIFFNESS.index()].base = value);
    let edit = yuremono_model::document::difference(session.document(), &document);
    apply(session, edit);
}

/// A skirt joint with narrow limits, and optionally a collider that holds its tip outside the limits.
fn limited_skirt(with_collider: bool) -> Session {
    let mut session = girl::session();
    let bone = girl::bone(&session, "Skirt_01");
    let skeleton = &session.character().skeleton;
    let mut document: Document = session.document().clone();
    document.apply(create_pivots(&document, skeleton, &[bone])).expect("a pivot");
    let (chain, at) = document.find_joint(bone).expect("a joint");
    let joint = &mut document.chains.get_mut(&chain).expect("a chain").joints[at];
    for (param, value) in [(Y_MIN, -1.0), (Y_MAX, 1.0), (Z_MIN, -1.0), (Z_MAX, 1.0)] {
        joint.overrides.insert(param, value);
    }
    if with_collider {
        joint.colliders.push(ColliderId(9));
        // The tip of the joint, and 3 cm to its side.
        let beside = Vec3::new(0.08, -0.04, 0.06) + Vec3::new(0.02, -0.12, 0.02) + Vec3::new(0.03, 0.0, 0.0);
        let parent = Node::Bone(girl::bone(&session, "Hips"));
        let local = Trs::from_translation(beside);
        let helper = Helper { name: "ball_node".into(), parent, local, role: HelperRole::Plain };
        document.helpers.insert(HelperId(9), helper);
        let shape = ColliderShape::Sphere { radius: 0.06, inside: false };
        document.colliders.insert(ColliderId(9), Collider::new("ball", Node::Helper(HelperId(9)), shape));
    }
    let edit = yuremono_model::document::difference(session.document(), &document);
    apply(&mut session, edit);
    session
}

#[test]
fn a_joint_between_a_collider_and_a_limit_is_named() {
    assert_eq!(kinds(&run_motions(&limited_skirt(false))), []);
    let session = limited_skirt(true);
    let found = run_motions(&session);
    let finding = found.findings.iter().find(|finding| finding.kind == FindingKind::Fighting).expect("a fight");
    assert_eq!(finding.subjects, [Subject::Bone(girl::bone(&session, "Skirt_01"))], "{}", finding.message);
    assert!(finding.message.contains("in the motion \"turn\""), "{}", finding.message);
}

#[test]
fn a_joint_that_rests_on_a_collider_within_its_limit_is_not_named() {
    let mut session = limited_skirt(true);
    let bone = girl::bone(&session, "Skirt_01");
    let (chain, _) = session.document().find_joint(bone).expect("a joint");
    let wide = [(Y_MIN, -80.0), (Y_MAX, 80.0), (Z_MIN, -80.0), (Z_MAX, 80.0)];
    let set = |(param, value)| Edit::SetOverride { chain, bone, param, value: Some(value) };
    apply(&mut session, Edit::Batch(wide.map(set).into()));
    // The limit pulls towards the middle of its range, and the collider holds the tip.
    assert_eq!(kinds(&run_motions(&session)), []);
}

#[test]
fn the_fix_of_a_joint_between_a_collider_and_a_limit_changes_only_this_joint() {
    let mut session = limited_skirt(true);
    let before = session.document().clone();
    let fighting = |session: &Session| {
        run_motions(session).findings.into_iter().find(|finding| finding.kind == FindingKind::Fighting)
    };
    let fix = fighting(&session).expect("a fight").fix.expect("a fix");
    apply(&mut session, fix);
    assert_eq!(fighting(&session), None);
    let (chain, at) = before.find_joint(girl::bone(&session, "Skirt_01")).expect("a joint");
    let mut expected = before.clone();
    expected.chains.get_mut(&chain).expect("a chain").joints[at].overrides =
        session.document().chains[&chain].joints[at].overrides.clone();
    assert!(expected == *session.document());
    assert!(expected != before);
    session.handle(Command::Undo);
    assert!(*session.document() == before, "the fix is one undo step");
}

#[test]
fn a_vrm_limit_is_widened_until_the_collider_can_push_the_tip_out() {
    let opened = support::sample(SolverKind::Vrm);
    let mut document = opened.document.clone();
    let skeleton = &opened.character.skeleton;
    let (id, chain) = document.chains.iter().find(|(_, chain)| chain.part == ChainPart::Skirt).expect("a skirt");
    let (id, bone) = (*id, chain.joints[0].bone);
    let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
    let [head, tip] = [0, 1].map(|at: usize| rest.frame(chain.joints[at].bone).position);
    let outward = head.with_y(0.0).normalize();
    // The surface of the collider is beyond the tip, so the tip can only get out by turning farther than the limit.
    let centre = tip - outward * 0.02;
    let parent = skeleton.find("Hips").or_else(|| opened.character.humanoid.bone("hips")).expect("hips");
    let local = Trs::from_translation(rest.frame(parent).inverse_transform_point(centre));
    let node = Helper { name: "ball_node".into(), parent: Node::Bone(parent), local, role: HelperRole::Plain };
    document.helpers.insert(HelperId(900), node);
    let shape = ColliderShape::Sphere { radius: 0.06, inside: false };
    document.colliders.insert(ColliderId(900), Collider::new("ball", Node::Helper(HelperId(900)), shape));
    let joint = &mut document.chains.get_mut(&id).expect("a chain").joints[0];
    joint.colliders = vec![ColliderId(900)];
    joint.limit = Some(SwingLimit { shape: SwingShape::Cone { angle: 0.02 }, rotation: Quat::IDENTITY });
    let mut session = Session::new(opened.character, document);
    let finding = run_motions(&session).findings.swap_remove(0);
    assert_eq!((finding.kind, finding.bones().next()), (FindingKind::Fighting, Some(bone)), "{}", finding.message);
    let limit = |session: &Session| session.document().chains[&id].joints[0].limit.expect("a limit").shape;
    apply(&mut session, finding.fix.expect("a fix"));
    let SwingShape::Cone { angle } = limit(&session) else { panic!("a cone") };
    assert!(angle > 0.02 && angle < 1.5, "{angle} rad");
    assert!(!kinds(&run_motions(&session)).contains(&FindingKind::Fighting));
}

#[test]
fn a_cancelled_job_has_no_findings() {
    assert_eq!(DoctorJob::new(&girl::session()).run(&[TURN], &|share| share < 0.3), None);
    // The search for fixes starts after 70 %.
    assert_eq!(DoctorJob::new(&limited_skirt(true)).run(&[TURN], &|share| share < 0.72), None);
}

fn fixture_of(session: Session, mode: ThemeMode, lang: Lang) -> WindowFixture {
    let mut fixture = WindowFixture::new(session, Prefs { mode, lang, reduce_motion: true, ..Prefs::default() });
    fixture.ui.state_mut().drawer_tab = Some(DrawerTab::Doctor);
    fixture
}

fn open_tab_of(session: Session, lang: Lang) -> Harness<'static, WindowFixture> {
    let mut harness = window_harness(fixture_of(session, ThemeMode::Dark, lang), [1440.0, 900.0]);
    harness.run_steps(3);
    harness
}

/// Returns a session with a joint that has an angle limit but no pivot.
fn session_without_pivot() -> (Session, BoneId) {
    let mut session = girl::session();
    let bone = girl::bone(&session, "TwinTail_L_02");
    let (chain, _) = session.document().find_joint(bone).expect("a joint");
    apply(&mut session, Edit::SetOverride { chain, bone, param: Y_ACTIVE, value: Some(1.0) });
    (session, bone)
}

#[test]
fn the_badge_counts_before_the_tab_was_opened() {
    let (session, _) = session_without_pivot();
    let mut fixture = fixture_of(session, ThemeMode::Dark, Lang::En);
    fixture.ui.state_mut().drawer_tab = None;
    let mut harness = window_harness(fixture, [1440.0, 900.0]);
    harness.run_steps(60);
    assert_eq!(harness.get_by_role_and_label(Role::Tab, "Doctor").value().as_deref(), Some("1"));
}

fn open_tab(lang: Lang) -> (Harness<'static, WindowFixture>, BoneId) {
    let (session, bone) = session_without_pivot();
    (open_tab_of(session, lang), bone)
}

#[test]
fn pictures_of_the_tab() {
    for (mode, lang, size, name) in [
        (ThemeMode::Light, Lang::En, [1440.0, 900.0], "doctor-light.png"),
        (ThemeMode::Dark, Lang::Ja, [1280.0, 720.0], "doctor-dark-ja.png"),
    ] {
        let Some(mut h) = painted_harness(fixture_of(session_without_pivot().0, mode, lang), size, 1.0) else { return };
        save_picture(&mut h, name);
    }
}

#[test]
fn the_tab_shows_a_finding_and_fixes_it_as_one_undo_step() {
    let (mut h, bone) = open_tab(Lang::En);
    let sentence = "TwinTail_L_02: an angle limit is on, but there is no pivot to measure it from. Create the pivots";
    assert!(h.query_by_label(sentence).is_some(), "the sentence is in the list");
    h.get_all_by_label("Show").next().expect("a button").click();
    h.run_steps(3);
    let selection = h.state().session.selection();
    assert_eq!((selection.active, selection.bones.len()), (Some(bone), 1));
    let head = h.state().session.playback().displayed_pose().frame(bone).position;
    let target = h.state_mut().ui.viewport_mut().camera().target;
    assert!(target.distance(head) < 0.2, "the camera looks at the chain of the bone: {target} for {head}");
    let steps = h.state().session.history().unsaved_steps();
    h.get_all_by_label("Fix").next().expect("a button").click();
    h.run_steps(3);
    let session = &h.state().session;
    let (chain, at) = session.document().find_joint(bone).expect("a joint");
    assert!(session.document().chains[&chain].joints[at].pivot.is_some());
    assert_eq!(session.history().unsaved_steps(), steps + 1);
    assert!(h.query_by_label(sentence).is_none(), "the finding is gone");
    h.state_mut().session.handle(Command::Undo);
    h.run_steps(3);
    assert!(h.query_by_label(sentence).is_some(), "undo brings it back");
}

#[test]
fn motions_run_by_a_button_and_their_findings_are_marked_as_old_after_a_change() {
    let (mut h, bone) = open_tab(Lang::En);
    h.get_by_label("Run motions").click();
    h.run_steps(2);
    let requests = &h.state().requests;
    assert!(requests.iter().any(|request| matches!(request, AppRequest::RunDoctor { motions } if !motions.is_empty())));
    h.state_mut().doctor_result = Some(MotionFindings { findings: Vec::new(), motions: 3, left_out: Vec::new() });
    h.run_steps(3);
    assert!(h.query_by_label("No joint runs away, shakes or is held in 3 motions.").is_some());
    let outdated = "The setup has changed since the motions were run.";
    assert!(h.query_by_label(outdated).is_none());
    let session = &mut h.state_mut().session;
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.handle(Command::SetParam(STIFFNESS, 77.0));
    h.run_steps(3);
    assert!(h.query_by_label(outdated).is_some());
}

#[test]
fn show_selects_a_collider_and_looks_at_it() {
    let mut session = girl::session();
    let tip = girl::bone(&session, "TwinTail_R_02");
    let id = ColliderId(9);
    let collider = Collider::new("ball", Node::Bone(tip), ColliderShape::SPHERE);
    let (chain, _) = session.document().find_joint(girl::bone(&session, "TwinTail_L_01")).expect("a joint");
    let mut document = session.document().clone();
    document.colliders.insert(id, collider);
    document.chains.get_mut(&chain).expect("a chain").joints[0].colliders.push(id);
    let edit = yuremono_model::document::difference(session.document(), &document);
    apply(&mut session, edit);
    let mut h = open_tab_of(session, Lang::En);
    let row = session_finding(&h, FindingKind::ColliderOnSpringBone);
    h.get_all_by_label("Show").nth(row).expect("a button").click();
    h.run_steps(3);
    assert_eq!(h.state().session.selection().objects, [SceneObject::Collider(id)].into());
    let at = h.state().session.playback().displayed_pose().frame(tip).position;
    let target = h.state_mut().ui.viewport_mut().camera().target;
    assert!(target.distance(at) < 0.1, "the camera looks at the collider: {target} for {at}");
}

/// Returns the row of a finding in a tab without findings of motions.
fn session_finding(h: &Harness<'_, WindowFixture>, kind: FindingKind) -> usize {
    let findings = h.state().session.doctor_findings();
    findings.iter().position(|finding| finding.kind == kind).expect("the finding")
}

#[test]
fn a_fix_of_motions_is_only_offered_for_the_setup_that_the_motions_ran_with() {
    let (mut h, _) = open_tab(Lang::En);
    // The number of buttons beyond those of the setup.
    let fixes_of_motions = |h: &Harness<'_, WindowFixture>| {
        let of_setup = h.state().session.doctor_findings().iter().filter(|finding| finding.fix.is_some()).count();
        h.query_all_by_label("Fix").count() - of_setup
    };
    assert_eq!(fixes_of_motions(&h), 0);
    h.get_by_label("Run motions").click();
    h.run_steps(2);
    let mut jittering = h.state().session.doctor_findings().swap_remove(0);
    jittering.kind = FindingKind::Jitter;
    let found = MotionFindings { findings: vec![jittering], motions: 3, left_out: Vec::new() };
    h.state_mut().doctor_result = Some(found);
    h.run_steps(3);
    assert_eq!(fixes_of_motions(&h), 1);
    set_stiffness(&mut h.state_mut().session, 77.0);
    h.run_steps(3);
    assert_eq!(fixes_of_motions(&h), 0);
}

#[test]
fn the_report_for_programs_has_the_documented_fields() {
    let json: Value = serde_json::from_str(&run(&["check", "--motion", "turn", "--json", SAMPLE], 0)).expect("JSON");
    let fields =
        |value: &Value| -> BTreeSet<String> { value.as_object().expect("an object").keys().cloned().collect() };
    let expected = |names: &[&str]| -> BTreeSet<String> { names.iter().map(|name| (*name).to_owned()).collect() };
    let documented = include_str!("../../docs/cli.md");
    let (report, file) = (fields(&json), fields(&json["files"][0]));
    let finding = fields(&json["files"][0]["findings"][0]);
    assert_eq!(
        report,
        expected(&[
            "diagnostics",
            "failing",
            "files",
            "loaded",
            "losses",
            "ok",
            "refused",
            "skipped",
            "version",
            "written",
        ])
    );
    assert_eq!(file, expected(&["diagnostics", "file", "findings", "kind", "loaded", "ok", "summary"]));
    let of_finding = ["bones", "colliders", "finding", "fixable", "forces", "message", "severity"];
    assert_eq!(finding, expected(&of_finding));
    for field in report.iter().chain(&file).chain(&finding) {
        assert!(documented.contains(&format!("`{field}`")), "{field} is not documented");
    }
    for kind in FindingKind::ALL {
        assert!(documented.contains(&format!("| `{}` |", kind.key())), "{kind:?} is not documented");
    }
}

#[test]
fn the_tab_is_in_japanese() {
    let (h, _) = open_tab(Lang::Ja);
    let sentence = "TwinTail_L_02：角度制限がオンですが、基準となるピボットがありません。ピボットを作成してください。";
    assert!(h.query_by_label(sentence).is_some());
}

#[test]
fn a_joint_that_flips_in_every_step_returns_to_rest_within_half_a_second_and_is_named_once() {
    let mut session = girl::session();
    session.handle(Command::SetPlaying(true));
    let named = |session: &Session| {
        let is_named =
            |entry: &&yuremono_session::MessageEntry| matches!(entry.message, Some(Message::ChainHeld { .. }));
        session.messages().entries().iter().filter(is_named).count()
    };
    (0..60).for_each(|_| session.advance(1.0 / 60.0));
    assert_eq!(named(&session), 0);
    set_stiffness(&mut session, 1e5);
    (0..30).for_each(|_| session.advance(1.0 / 60.0));
    let rotations = |session: &Session| session.playback().world().pose().local.clone();
    let bone = girl::bone(&session, "TwinTail_L_01");
    let rest = session.character().skeleton.bone(bone).rest.rotation;
    let before = rotations(&session);
    assert!(before[bone.index()].rotation.angle_between(rest) < 1e-3, "the joint is at rest");
    assert_eq!(named(&session), 1);
    (0..60).for_each(|_| session.advance(1.0 / 60.0));
    assert!(rotations(&session)[bone.index()].rotation.angle_between(rest) < 1e-3, "the joint stays at rest");
    assert_eq!(named(&session), 1, "the joint is named once");
    set_stiffness(&mut session, 300.0);
    (0..20).for_each(|_| session.advance(1.0 / 60.0));
    assert!(rotations(&session)[bone.index()].rotation.angle_between(rest) > 1e-3, "a stable value lets it swing");
}
