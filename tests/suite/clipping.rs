//! Tests the search for clipping as its users see it: `check --clipping`, the dialog, and the sample character.

use super::support::window::{WindowFixture, save_picture, window_harness};
use super::support::{self, glb::GlbBuilder};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::Value;
use std::sync::{Arc, OnceLock};
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, OverlayLineKind, Prefs};
use yuremono_format::builtin_presets::builtin_presets;
use yuremono_model::document::{ChainPart, Document, Edit};
use yuremono_model::job::JobControl;
use yuremono_session::{ClippingFindings, ClippingJob, Command, Motion, PresetId, Session, all_motions, motion_name};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::TestMotion;

const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm");
const LEG_LIFT: Motion = Motion::Test(TestMotion::LegLift);

#[track_caller]
fn run(args: &[&str], code: i32) -> (String, String) {
    let output = support::yuremono_command().args(args).output().expect("it runs");
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

/// The sample character with only her skirt simulated, without colliders: her thighs pass through her skirt.
fn bare_session() -> Session {
    let opened = support::sample(SolverKind::Vrm);
    let mut document: Document = opened.document;
    let groups: Vec<_> = document.groups.keys().copied().collect();
    for group in groups {
        let removal = yuremono_model::document::groups::remove(&document, group);
        document.apply(removal).expect("a group can be removed");
    }
    let colliders = document.colliders.keys().map(|id| Edit::PutCollider { id: *id, collider: None });
    let others = document.chains.iter().filter(|(_, chain)| chain.part != ChainPart::Skirt);
    let removals = colliders.chain(others.map(|(id, _)| Edit::PutChain { id: *id, chain: None })).collect();
    document.apply(Edit::Batch(removals)).expect("unused colliders and chains can be removed");
    let mut session = Session::new(opened.character, document);
    session.handle(Command::SetPlaying(false));
    session.handle(Command::SetMotion(LEG_LIFT));
    session
}

/// The clipping of [`bare_session`], which several tests read.
fn findings() -> ClippingFindings {
    static FOUND: OnceLock<ClippingFindings> = OnceLock::new();
    let find = || {
        let job = ClippingJob::new(&bare_session(), &[]).expect("a skirt and a body");
        job.find(&[LEG_LIFT], JobControl::ONE_THREAD).expect("not cancelled")
    };
    FOUND.get_or_init(find).clone()
}

#[test]
fn thighs_that_pass_through_a_skirt_without_colliders_are_found_and_kept_out() {
    let session = bare_session();
    let found = findings();
    let report = &found.reports[0];
    let part = |bone| session.character().humanoid.role(bone).unwrap_or_default();
    let thighs = report.contacts.iter().filter(|contact| part(contact.body_bone).ends_with("UpperLeg"));
    assert!(thighs.map(|contact| contact.depth).fold(0.0, f32::max) > 0.02, "{:?}", report.contacts.first());
    let best = found.proposals.iter().find(|proposal| part(proposal.fix.body_bone).ends_with("UpperLeg"));
    let best = best.expect("a change for a thigh");
    assert!(best.after.total_depth < 0.9 * best.before.total_depth, "{best:?}");
    assert!(found.proposals.is_sorted_by_key(|proposal| !proposal.recommended), "recommended changes come first");
}

/// Largest depth at which hair or cloth of the sample may enter the body, in metres: the thickness of a lock of hair.
const LOCK_THICKNESS: f32 = 0.005;

#[test]
fn thighs_stay_below_the_skirt_and_heavy_twin_tails_clear_sleeves_and_arms() {
    let opened = support::sample(SolverKind::Vrm);
    let mut session = Session::new(opened.character, opened.document);
    let key = "twin_tail_heavy";
    let preset = builtin_presets().iter().find(|preset| preset.key == key).expect("a preset");
    let targets = session.inspection().chains_matching("TwinTail");
    assert_eq!(targets.chains.len(), 2);
    let id = PresetId { is_custom: false, key: key.to_owned() };
    let step = session.inspection().preset_application_to(targets, id, preset, None, false);
    session.handle(Command::ApplyEdit(step.edit, step.label));
    let job = ClippingJob::new(&session, &[]).expect("hair, cloth and a body");
    let role = |bone| session.character().humanoid.role(bone).unwrap_or_default();
    for name in ["Sit", "Squat", "Run"] {
        let motion = all_motions(&session).into_iter().find(|motion| motion_name(&session, *motion) == name);
        let report = job.check(motion.expect("a motion of the sample"), &|_| true).expect("not cancelled");
        for contact in report.expect("it has a duration").contacts {
            let chain = &session.document().chains[&contact.chain];
            let part = role(contact.body_bone);
            let is_meant = match chain.part {
                ChainPart::Skirt => part.ends_with("UpperLeg"),
                _ => chain.name.contains("TwinTail") && ["Arm", "Hand"].iter().any(|end| part.ends_with(end)),
            };
            let mm = 1000.0 * contact.depth;
            assert!(
                !is_meant || contact.depth <= LOCK_THICKNESS,
                "{name}: {} is {mm:.1} mm in {part} at {:.2} s",
                chain.name,
                contact.seconds
            );
        }
    }
}

#[test]
fn check_lists_clipping_and_changes_as_json_and_text() {
    // The rest pose is one frame, which takes the least time.
    let args = ["check", SAMPLE, "--clipping", "--motion", "still"];
    let (output, _) = run(&[&args[..], &["--json"]].concat(), 0);
    let json: Value = serde_json::from_str(&output).expect("JSON");
    let clipping = &json["files"][0]["clipping"];
    let motion = &clipping["motions"][0];
    assert_eq!((motion["motion"].as_str(), motion["frames"].as_u64()), (Some("still"), Some(1)));
    assert!(motion["points"].as_u64() > Some(500), "{motion}");
    assert!(clipping["changes"].is_array());
    let (text, _) = run(&args, 0);
    assert!(text.contains("\n  still: "), "{text}");
    let changes = clipping["changes"].as_array().expect("a list");
    let recommended = changes.iter().filter(|change| change["recommended"] == true).count();
    assert_eq!(text.matches("\n  recommended change: ").count(), recommended, "{text}");
    // The threads must not change the result.
    let depth = format!("{:.0} mm", motion["depth_mm"].as_f64().expect("a number"));
    let clips = motion["clipping_frames"].as_u64() > Some(0);
    assert_eq!(text.contains(&format!("still: up to {depth}")), clips, "{text}");
}

#[test]
fn check_explains_what_cannot_be_checked() {
    let (text, _) = run(&["check", SAMPLE, "--clipping", "--motion", "dance"], 1);
    assert!(text.contains("there is no motion \"dance\""), "{text}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plain.glb");
    let mut builder = GlbBuilder::new();
    builder.triangle_mesh();
    builder.node_chain(&["root", "tail_1"]);
    std::fs::write(&path, builder.glb()).expect("written");
    let (text, _) = run(&["check", path.to_str().expect("UTF-8"), "--clipping"], 0);
    assert!(text.contains("there are no simulated chains of hair or cloth"), "{text}");
}

fn open_dialog(lang: Lang) -> Harness<'static, WindowFixture> {
    let prefs =
        Prefs { mode: ThemeMode::Dark, lang, reduce_motion: true, dismissed_hints: [true; 3], ..Prefs::default() };
    window_harness(WindowFixture::new(bare_session(), prefs), [1440.0, 900.0])
}

fn click(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

#[test]
fn the_dialog_finds_shows_and_fixes_clipping() {
    let mut harness = open_dialog(Lang::En);
    click(&mut harness, "Setup");
    click(&mut harness, "Find the clipping…");
    click(&mut harness, "Find clipping");
    let visible = harness.state().session.character().mesh_visibility();
    let wanted = AppRequest::FindClipping { motions: vec![LEG_LIFT], visible };
    assert!(harness.state().requests.contains(&wanted), "{:?}", harness.state().requests);

    let mut found = findings();
    found.proposals[0].recommended = true;
    let worst = found.reports[0].contacts[0].clone();
    harness.state_mut().clipping_result = Some(Ok(Arc::new(found)));
    harness.run_steps(4);
    save_picture(&mut harness, "clipping.png");
    let state = harness.state_mut();
    assert!(state.ui.state_mut().timeline_marks.as_ref().is_some_and(|marks| !marks.marks.is_empty()));
    assert!(state.ui.state_mut().overlay_lines.iter().all(|line| line.kind == OverlayLineKind::Clipping));
    assert!(!state.ui.state_mut().overlay_lines.is_empty());

    let bone = harness.state().session.character().skeleton.name(worst.bone).to_owned();
    let rows =
        harness.get_all_by_role(egui::Role::Row).filter(|row| row.accesskit_node().label() == Some(bone.clone()));
    rows.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).expect("a row of the joint").click();
    harness.run_steps(4);
    let playback = harness.state().session.playback();
    assert!(!playback.settings().playing && (playback.time() - worst.seconds).abs() < 1e-9, "{}", playback.time());
    assert!(harness.state().session.selection().bones.contains(&worst.bone));

    let apply = support::find_label(&harness, egui::Role::Button, "Apply ", "");
    click(&mut harness, &apply);
    assert_eq!(
        harness.state().session.history().next_undo().map(|label| label.text.template()),
        Some("Apply {n:change|changes} against clipping")
    );
    assert!(!harness.state().session.document().colliders.is_empty());
    harness.get_by_label_contains("have changed since the last search");
    assert!(harness.query_by_label("Find clipping").is_some(), "the search can be repeated");
    harness.state_mut().session.handle(Command::Undo);
    assert!(harness.state().session.document().colliders.is_empty(), "one undo step");
}

#[test]
fn the_dialog_says_that_nothing_was_found_or_can_be_checked() {
    let mut harness = open_dialog(Lang::Ja);
    click(&mut harness, "セットアップ");
    click(&mut harness, "めり込みの検出…");
    click(&mut harness, "めり込みを検出");
    let mut found = findings();
    found.reports[0].contacts.clear();
    harness.state_mut().clipping_result = Some(Ok(Arc::new(found)));
    harness.run_steps(4);
    harness.get_by_label_contains("めり込みません。");
    let error = yuremono_session::ClippingError::NoBody;
    harness.state_mut().clipping_result = Some(Err(error.message()));
    harness.run_steps(4);
    harness.get_by_label_contains("体の表示メッシュがないため");
}
