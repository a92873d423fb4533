//! The part of the switch window that searches numbers which follow the motion, and offers them beside the formula's.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at it.

use super::support;
use super::support::window::{Bench, keep, painted, window};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::feel::{convert::Loss, convert::convert};
use yuremono::feel::{convert::refine::ChainMatch, convert::refine::Difference, convert::refine::Matched};
use yuremono::schema::find_row;
use yuremono::session::{Command, Motion, Session};
use yuremono::sim::{SolverKind, Term};
use yuremono::stage::TestMotion;
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::Lang;
use yuremono::ui::{Prefs, Request, Window};

const SIZE: [f32; 2] = [1440.0, 900.0];
const TO: SolverKind = SolverKind::KawaiiPhysics;

fn girl() -> Session {
    let opened = support::sample(SolverKind::UnityChanSpringBone);
    let mut session = Session::new(opened.character, opened.document);
    session.handle(Command::SetPlaying(false));
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    session
}

/// As a search would answer: other numbers, and how near each chain came.
fn found(session: &Session) -> Matched {
    let mut after = convert(session.document(), session.character(), TO).after;
    let stiffness = find_row(TO.info().params, "Stiffness").expect("a row of KawaiiPhysics");
    let off = |metres, degrees| Difference { metres, degrees };
    let mut chains = Vec::new();
    for (at, (id, chain)) in after.chains.iter_mut().enumerate() {
        chain.values[stiffness.index()].base = 0.321;
        let share = 1.0 / (1 + at) as f32;
        let (formula, matched) = (off(0.0526 * share, 14.2 * share), off(0.0081 * share, 2.9 * share));
        chains.push(ChainMatch { chain: *id, formula, matched });
    }
    Matched { after, formula: off(0.0243, 9.12), matched: off(0.0061, 2.24), chains }
}

fn opened(mut bench: Bench) -> Harness<'static, Bench> {
    bench.ui.shared_mut().open.push(Window::Switch(TO));
    let mut harness = window(bench, SIZE);
    harness.run_steps(3);
    // What an earlier window asked for is forgotten.
    assert_eq!(std::mem::take(&mut harness.state_mut().requests), [Request::StopMatching]);
    harness
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

#[test]
fn a_click_asks_for_the_search_and_names_the_motion() {
    let mut harness = opened(Bench::new(girl(), Prefs::default()));
    harness.get_by_label_contains("“Turn”");
    click(&mut harness, "Match the motion");
    let all = harness.state().session.document().chains.keys().copied().collect();
    assert_eq!(harness.state().requests, [Request::Match(all, TO)]);
}

#[test]
fn the_bar_has_a_cross_that_stops_the_search() {
    let mut bench = Bench::new(girl(), Prefs::default());
    bench.matching = Some(0.42);
    let mut harness = opened(bench);
    harness.get_by_label("42 %");
    assert!(harness.query_by_label("Match the motion").is_none());
    click(&mut harness, "Cancel Matching the motion…");
    assert_eq!(harness.state().requests, [Request::StopMatching]);
}

#[test]
fn what_was_found_is_told_and_applied_as_one_step() {
    let mut bench = Bench::new(girl(), Prefs::default());
    let found = found(&bench.session);
    let before = bench.session.document().clone();
    bench.found = Some(found.clone());
    let mut harness = opened(bench);
    harness.get_by_label_contains("2.4 cm → 0.61 cm · 9.1° → 2.2°");
    let worst = &before.chains[&found.chains[0].chain].name;
    harness.get_by_label_contains(&format!("{worst} 5.3 cm → 0.81 cm · 14.2° → 2.9°"));
    click(&mut harness, "Switch");
    assert_eq!(*harness.state().session.document(), found.after);
    assert_eq!(harness.state().requests, [Request::StopMatching], "nothing is kept for later");
    harness.state_mut().session.handle(Command::Undo);
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn the_formula_is_still_to_be_had() {
    let mut bench = Bench::new(girl(), Prefs::default());
    bench.found = Some(found(&bench.session));
    let formula = convert(bench.session.document(), bench.session.character(), TO).after;
    let mut harness = opened(bench);
    click(&mut harness, "Formula");
    click(&mut harness, "Switch");
    assert_eq!(*harness.state().session.document(), formula);
}

#[test]
fn an_edit_behind_the_window_makes_what_was_found_void() {
    let mut bench = Bench::new(girl(), Prefs::default());
    bench.found = Some(found(&bench.session));
    let mut harness = opened(bench);
    let session = &mut harness.state_mut().session;
    let chain = *session.document().chains.keys().next().expect("a chain");
    session.handle(Command::RemoveChains(vec![chain]));
    harness.run_steps(2);
    assert!(harness.state().requests.contains(&Request::StopMatching));
}

#[test]
fn pictures_of_every_state() {
    for (lang, mode, name) in [(Lang::En, Mode::Dark, "en"), (Lang::Ja, Mode::Light, "ja")] {
        for state in ["ask", "running", "found"] {
            let prefs = Prefs { lang, mode, ..Prefs::default() };
            let mut bench = Bench::new(girl(), prefs);
            bench.matching = (state == "running").then_some(0.42);
            bench.found = (state == "found").then(|| found(&bench.session));
            bench.ui.shared_mut().open.push(Window::Switch(TO));
            let Some(mut harness) = painted(bench, SIZE, 1.0) else { return };
            harness.run_steps(3);
            keep(&mut harness, &format!("match-{state}-{name}.png"));
            let words = if lang == Lang::En { "Switch" } else { "切り替え" };
            harness.get_by_label(words);
        }
    }
}

#[test]
fn each_term_of_feel_that_changes_is_counted_and_told_by_how_much_at_most() {
    let session = girl();
    let felt = |term: Term| {
        let losses = convert(session.document(), session.character(), SolverKind::AnimDynamics).losses;
        let far = |loss: Loss| match loss {
            Loss::Felt { term: t, from, to, .. } if t == term => Some((from, to)),
            _ => None,
        };
        losses.into_iter().filter_map(far).collect::<Vec<_>>()
    };
    let speeds = felt(Term::Speed);
    let (from, to) = *speeds
        .iter()
        .max_by(|a, b| (a.0 - a.1).abs().total_cmp(&(b.0 - b.1).abs()))
        .expect("AnimDynamics reckons speed in steps");
    let expected = format!(
        "Speed changes on {} bones, at most {} Hz → {} Hz",
        speeds.len(),
        yuremono::ui::kit::number::brief(from),
        yuremono::ui::kit::number::brief(to)
    );
    let mut bench = Bench::new(session, Prefs::default());
    bench.ui.shared_mut().open.push(Window::Switch(SolverKind::AnimDynamics));
    let mut harness = window(bench, SIZE);
    harness.run_steps(3);
    harness.get_by_label(&expected);
    // What the strip over the view says is said in the window, too.
    harness.get_by_label_contains("dashed how it moves now");
}
