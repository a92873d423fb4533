//! Tests the part of the conversion dialog that fits parameters to the motion and offers them next to the converted
//! parameters.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the dialog.

use super::support;
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, DialogKind, Prefs};
use yuremono_model::feel::{convert::ConversionLoss, convert::convert};
use yuremono_model::feel::{
    convert::motion_fit::ChainFit, convert::motion_fit::MotionDifference, convert::motion_fit::MotionFitResult,
};
use yuremono_session::{Command, Motion, Session};
use yuremono_sim::params::find_param;
use yuremono_sim::rig::TestMotion;
use yuremono_sim::{FeelParam, SolverKind};

const SIZE: [f32; 2] = [1440.0, 900.0];
const TARGET: SolverKind = SolverKind::KawaiiPhysics;

fn session_with_turn_motion() -> Session {
    let opened = support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(false));
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session
}

/// Returns the result of a fit: changed values, and the error of each chain.
fn motion_fit_result(session: &Session) -> MotionFitResult {
    let mut after = convert(session.document(), session.character(), TARGET).after;
    let stiffness = find_param(TARGET.info().params, "Stiffness").expect("a row of KawaiiPhysics");
    let off =
        |metres, degrees| MotionDifference { metres, degrees, max_metres: 2.0 * metres, max_degrees: 2.0 * degrees };
    let mut chains = Vec::new();
    for (at, (id, chain)) in after.chains.iter_mut().enumerate() {
        chain.values[stiffness.index()].base = 0.321;
        let share = 1.0 / (1 + at) as f32;
        let (formula, matched) = (off(0.0526 * share, 14.2 * share), off(0.0081 * share, 2.9 * share));
        chains.push(ChainFit { chain: *id, formula_difference: formula, fitted_difference: matched });
    }
    MotionFitResult { after, formula_difference: off(0.0243, 9.12), fitted_difference: off(0.0061, 2.24), chains }
}

fn open_switch_dialog(mut fixture: WindowFixture) -> Harness<'static, WindowFixture> {
    fixture.ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(TARGET));
    let mut harness = window_harness(fixture, SIZE);
    harness.run_steps(3);
    // Opening the dialog cancels the motion fit of a previous dialog.
    assert_eq!(std::mem::take(&mut harness.state_mut().requests), [AppRequest::StopMotionFit]);
    harness
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

#[test]
fn clicking_match_requests_a_motion_fit_and_the_motion_is_named() {
    let mut harness = open_switch_dialog(WindowFixture::new(session_with_turn_motion(), Prefs::default()));
    harness.get_by_label_contains("“Turn”");
    click_label(&mut harness, "Match motion");
    let all = harness.state().session.document().chains.keys().copied().collect();
    assert_eq!(harness.state().requests, [AppRequest::FitMotion(all, TARGET)]);
}

#[test]
fn the_progress_bar_has_a_button_that_cancels_the_motion_fit() {
    let mut fixture = WindowFixture::new(session_with_turn_motion(), Prefs::default());
    fixture.motion_fit_progress = Some(0.42);
    let mut harness = open_switch_dialog(fixture);
    harness.get_by_label("42 %");
    assert!(harness.query_by_label("Match motion").is_none());
    click_label(&mut harness, "Cancel Matching motion…");
    assert_eq!(harness.state().requests, [AppRequest::StopMotionFit]);
}

#[test]
fn the_motion_fit_result_is_shown_and_applied_as_one_undo_step() {
    let mut fixture = WindowFixture::new(session_with_turn_motion(), Prefs::default());
    let found = motion_fit_result(&fixture.session);
    let before = fixture.session.document().clone();
    fixture.motion_fit_result = Some(found.clone());
    let mut harness = open_switch_dialog(fixture);
    harness.get_by_label_contains("2.4 cm → 0.61 cm · 9.1° → 2.2°");
    let worst = &before.chains[&found.chains[0].chain].name;
    harness.get_by_label_contains(&format!("{worst} 5.3 cm → 0.81 cm · 14.2° → 2.9°"));
    click_label(&mut harness, "Switch");
    assert_eq!(*harness.state().session.document(), found.after);
    assert_eq!(harness.state().requests, [AppRequest::StopMotionFit], "no other request is sent");
    harness.state_mut().session.handle(Command::Undo);
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn the_formula_conversion_can_still_be_chosen() {
    let mut fixture = WindowFixture::new(session_with_turn_motion(), Prefs::default());
    fixture.motion_fit_result = Some(motion_fit_result(&fixture.session));
    let formula = convert(fixture.session.document(), fixture.session.character(), TARGET).after;
    let mut harness = open_switch_dialog(fixture);
    click_label(&mut harness, "Formula");
    click_label(&mut harness, "Switch");
    assert_eq!(*harness.state().session.document(), formula);
}

#[test]
fn an_edit_while_the_dialog_is_open_discards_the_motion_fit_result() {
    let mut fixture = WindowFixture::new(session_with_turn_motion(), Prefs::default());
    fixture.motion_fit_result = Some(motion_fit_result(&fixture.session));
    let mut harness = open_switch_dialog(fixture);
    let session = &mut harness.state_mut().session;
    let chain = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::DeleteChains(vec![chain]));
    harness.run_steps(2);
    assert!(harness.state().requests.contains(&AppRequest::StopMotionFit));
}

#[test]
fn every_state_can_be_rendered() {
    for (lang, mode, name) in [(Lang::En, ThemeMode::Dark, "en"), (Lang::Ja, ThemeMode::Light, "ja")] {
        for state in ["confirm", "running", "found"] {
            let prefs = Prefs { lang, mode, ..Prefs::default() };
            let mut fixture = WindowFixture::new(session_with_turn_motion(), prefs);
            fixture.motion_fit_progress = (state == "running").then_some(0.42);
            fixture.motion_fit_result = (state == "found").then(|| motion_fit_result(&fixture.session));
            fixture.ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(TARGET));
            let Some(mut harness) = painted_harness(fixture, SIZE, 1.0) else { return };
            harness.run_steps(3);
            save_picture(&mut harness, &format!("match-{state}-{name}.png"));
            let words = if lang == Lang::En { "Switch" } else { "切り替え" };
            harness.get_by_label(words);
        }
    }
}

#[test]
fn each_changed_feel_param_is_counted_and_shown_with_its_largest_change() {
    let session = session_with_turn_motion();
    let response = |term: FeelParam| {
        let losses = convert(session.document(), session.character(), SolverKind::AnimDynamics).losses;
        let far = |loss: ConversionLoss| match loss {
            ConversionLoss::ResponseChanged { param: t, from, to, .. } if t == term => Some((from, to)),
            _ => None,
        };
        losses.into_iter().filter_map(far).collect::<Vec<_>>()
    };
    let speeds = response(FeelParam::Speed);
    let (from, to) = *speeds
        .iter()
        .max_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs()))
        .expect("AnimDynamics reports a speed");
    let expected = format!(
        "Speed changes on {} bones, at most {} Hz → {} Hz",
        speeds.len(),
        yuremono::ui::kit::number::short_number(from),
        yuremono::ui::kit::number::short_number(to)
    );
    let mut fixture = WindowFixture::new(session, Prefs::default());
    fixture.ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(SolverKind::AnimDynamics));
    let mut harness = window_harness(fixture, SIZE);
    harness.run_steps(3);
    harness.get_by_label(&expected);
    // The banner above the viewport contains this text.
    harness.get_by_label_contains("dashed lines show the current motion");
}
