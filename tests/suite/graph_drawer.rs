//! Tests of the graph tab: lines of joints, scrubbing by pointer and keys, the measured numbers, and onion skins.

use super::support::girl;
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, Role, Shape};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{DrawerTab, Prefs};
use yuremono_session::{Command, Motion, SelectMode, TuningScope};
use yuremono_sim::rig::TestMotion;

type Window = Harness<'static, WindowFixture>;

const SIZE: [f32; 2] = [1440.0, 900.0];

fn fixture(mode: ThemeMode, lang: Lang, ticks: usize) -> WindowFixture {
    let mut session = girl::session();
    session.handle(Command::SetMotion(Motion::Test(TestMotion::Turn)));
    let hair = girl::bone(&session, "TwinTail_L_02");
    session.handle(Command::Select(vec![hair], SelectMode::Replace));
    let limits = session.inspection().pivot_limits().map(|(_, limits)| limits.active).collect();
    session.handle(Command::SetLimitsEnabled(limits, true));
    (0..ticks).for_each(|_| session.handle(Command::StepOnce));
    let mut fixture = WindowFixture::new(session, Prefs { mode, lang, reduce_motion: true, ..Prefs::default() });
    fixture.ui.state_mut().drawer_tab = Some(DrawerTab::Graph);
    fixture
}

fn open() -> Window {
    window_harness(fixture(ThemeMode::Dark, Lang::En, 300), SIZE)
}

fn scrubbed(h: &Window) -> Option<u64> {
    h.state().session.playback().scrubbed_tick()
}

fn newest(h: &Window) -> u64 {
    h.state().session.playback().recent_motion().ticks().end - 1
}

fn plot(h: &Window) -> Rect {
    h.get_by_role_and_label(Role::Slider, "Motion graph").rect()
}

fn press(h: &mut Window, at: Pos2, pressed: bool) {
    h.event(Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE });
    h.step();
}

fn key(h: &mut Window, key: Key) {
    h.key_press(key);
    h.run_steps(2);
}

#[test]
fn the_tab_opens_by_its_key_and_asks_for_a_joint() {
    let mut h = open();
    key(&mut h, Key::G);
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, None);
    h.state_mut().session.handle(Command::ClearSelection);
    key(&mut h, Key::G);
    assert_eq!(h.state_mut().ui.state_mut().drawer_tab, Some(DrawerTab::Graph));
    assert!(h.query_by_role_and_label(Role::Slider, "Motion graph").is_none());
    let words = "Select a joint to see its motion.";
    let is_there =
        h.output().shapes.iter().any(|s| matches!(&s.shape, Shape::Text(text) if text.galley.text() == words));
    assert!(is_there);
}

#[test]
fn dragging_in_the_plot_shows_earlier_poses_and_escape_returns_to_the_live_pose() {
    let mut h = open();
    let plot = plot(&h);
    let at = |share: f32| Pos2::new(plot.left() + share * plot.width(), plot.center().y);
    h.hover_at(at(0.5));
    h.run_steps(2);
    press(&mut h, at(0.5), true);
    h.hover_at(at(0.75));
    h.run_steps(2);
    let back = newest(&h) - scrubbed(&h).expect("a recorded pose is shown");
    // The plot shows four seconds, 240 ticks.
    assert!(back.abs_diff(60) <= 1, "{back} ticks back");
    let live = h.state().session.playback().world().frames().clone();
    assert_ne!(*h.state().session.playback().displayed_pose(), live);
    h.hover_at(at(0.25));
    h.run_steps(2);
    press(&mut h, at(0.25), false);
    assert!((newest(&h) - scrubbed(&h).expect("still shown")).abs_diff(180) <= 1);
    let selected = h.state().session.selection().bones.clone();
    key(&mut h, Key::Escape);
    assert_eq!(scrubbed(&h), None);
    assert_eq!(h.state().session.selection().bones, selected, "the first Escape only ends scrubbing");
}

#[test]
fn keys_and_buttons_step_back_and_forward() {
    let mut h = open();
    for (back, forward) in [(Key::Comma, Key::Period), (Key::ArrowLeft, Key::ArrowRight)] {
        key(&mut h, back);
        key(&mut h, back);
        assert_eq!(scrubbed(&h), Some(newest(&h) - 2), "{back:?}");
        key(&mut h, forward);
        assert_eq!(scrubbed(&h), Some(newest(&h) - 1), "{forward:?}");
        key(&mut h, Key::Escape);
    }
    h.get_by_role_and_label(Role::Button, "One step back").click();
    h.run_steps(3);
    assert_eq!(scrubbed(&h), Some(newest(&h) - 1));
    h.get_by_role_and_label(Role::Button, "Play").click();
    h.run_steps(3);
    assert_eq!(scrubbed(&h), None);
    assert!(h.state().session.playback().settings().playing);
}

#[test]
fn the_legend_lists_the_selected_joints_with_their_values() {
    let mut h = open();
    let other = girl::bone(&h.state().session, "TwinTail_R_02");
    h.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    h.state_mut().session.handle(Command::Select(vec![other], SelectMode::Add));
    key(&mut h, Key::Comma);
    for unit in ["°", "m/s", "mm"] {
        for bone in ["TwinTail_L_02", "TwinTail_R_02"] {
            let rows = h.query_all_by_role(Role::Label).filter_map(|node| node.accesskit_node().value());
            let mut found = rows.filter(|label| label.starts_with(bone) && label.ends_with(unit));
            assert!(found.next().is_some(), "{bone} has a value in {unit}");
        }
        let next = if unit == "°" { "Speed" } else { "Penetration" };
        h.get_by_role_and_label(Role::RadioButton, next).click();
        h.run_steps(3);
    }
}

#[test]
fn the_numbers_appear_after_the_debounce_and_follow_the_joint() {
    let mut h = open();
    h.run_steps(400);
    let label = |h: &Window, start: &str| {
        let rows = h.query_all_by_role(Role::Label).filter_map(|node| node.accesskit_node().value());
        rows.into_iter().find(|label| label.starts_with(start)).unwrap_or_default()
    };
    assert!(label(&h, "Frequency").ends_with("Hz"), "{}", label(&h, "Frequency"));
    assert!(label(&h, "Jitter").ends_with("mm") && label(&h, "Overshoot").ends_with('%'));
    assert!(label(&h, "After a pluck").contains("20°"));
    let other = girl::bone(&h.state().session, "Skirt_01");
    h.state_mut().session.handle(Command::Select(vec![other], SelectMode::Replace));
    h.run_steps(1);
    assert_eq!(label(&h, "Frequency"), "Frequency –", "numbers of another joint are not shown");
}

#[test]
fn onion_skins_draw_earlier_tips_of_the_selected_chains() {
    let mut h = open();
    let shape_count = |h: &Window| h.output().shapes.len();
    let before = shape_count(&h);
    h.state_mut().ui.state_mut().prefs.look.onion_skins.shown = true;
    h.run_steps(2);
    assert!(shape_count(&h) >= before + 12, "{before} shapes, then {}", shape_count(&h));
}

#[test]
fn pictures_of_the_graph() {
    for (mode, lang, size, name) in [
        (ThemeMode::Light, Lang::En, SIZE, "graph-light.png"),
        (ThemeMode::Dark, Lang::Ja, [1280.0, 720.0], "graph-dark-ja.png"),
    ] {
        let Some(mut h) = painted_harness(fixture(mode, lang, 300), size, 1.0) else { return };
        h.run_steps(200);
        key(&mut h, Key::Comma);
        save_picture(&mut h, name);
    }
}
