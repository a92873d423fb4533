//! Tests the compare bar, the table of differences and the sweep dialog by their accessibility labels.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the window.

use super::support::girl;
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use egui::{Event, Key, Modifiers, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, DialogKind, Prefs};
use yuremono_session::{Command, CompareLayout, CompareWith, SelectMode, SweepSettings, SweepSubject};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::ParamId;
use yuremono_sim::solver::spring_bone::STIFFNESS;

const SIZE: [f32; 2] = [1440.0, 876.0];

fn fixture(mode: ThemeMode, lang: Lang) -> WindowFixture {
    let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
    let mut session = girl::session();
    let bone = girl::bone(&session, "TwinTail_L_01");
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
    session.handle(Command::SetPlaying(true));
    WindowFixture::new(session, prefs)
}

fn open(lang: Lang) -> Harness<'static, WindowFixture> {
    window_harness(fixture(ThemeMode::Dark, lang), SIZE)
}

fn handle(harness: &mut Harness<'static, WindowFixture>, command: Command) {
    harness.state_mut().session.handle(command);
    harness.run_steps(3);
}

fn compare(harness: &mut Harness<'static, WindowFixture>, with: CompareWith) {
    handle(harness, Command::Compare(Box::new(with)));
}

fn click(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

fn press(harness: &mut Harness<'static, WindowFixture>, key: Key) {
    harness.key_press(key);
    harness.run_steps(4);
}

fn is_flipped(harness: &Harness<'static, WindowFixture>) -> bool {
    harness.state().session.comparison().expect("a comparison").is_flipped
}

#[test]
fn the_button_starts_a_comparison_and_one_key_flips() {
    for (lang, source, end) in [(Lang::En, "As loaded", "End comparison"), (Lang::Ja, "読み込み時", "比較を終了")]
    {
        let mut harness = open(lang);
        handle(&mut harness, Command::ScaleParam(STIFFNESS, 0.5));
        click(&mut harness, "A/B");
        let what = if lang == Lang::En { "Compare with" } else { "比較対象" };
        let shown = harness.get_by_role_and_label(Role::ComboBox, what).value().unwrap_or_default();
        assert_eq!(shown, source);
        press(&mut harness, Key::B);
        assert!(is_flipped(&harness));
        press(&mut harness, Key::B);
        assert!(!is_flipped(&harness));
        click(&mut harness, if lang == Lang::En { "Side by side" } else { "並べて表示" });
        assert_eq!(harness.state().session.comparison().expect("a comparison").layout, CompareLayout::SideBySide);
        assert!(harness.query_by_role_and_label(Role::Label, "A").is_some(), "the bodies have labels");
        click(&mut harness, end);
        assert!(harness.state().session.comparison().is_none());
        press(&mut harness, Key::B);
        assert!(harness.state().session.comparison().is_some(), "the key also starts a comparison");
        click(&mut harness, "A/B");
        assert!(harness.state().session.comparison().is_none());
    }
}

#[test]
fn a_held_key_shows_the_loaded_tuning() {
    let mut harness = open(Lang::En);
    handle(&mut harness, Command::ScaleParam(STIFFNESS, 0.5));
    let event =
        |pressed| Event::Key { key: Key::L, physical_key: None, pressed, repeat: false, modifiers: Modifiers::NONE };
    harness.event(event(true));
    harness.run_steps(4);
    assert!(harness.state().session.playback().is_previewing());
    assert!(harness.query_by_label_contains("tuning as loaded").is_some());
    harness.event(event(false));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
}

#[test]
fn the_menu_of_the_bar_offers_presets_states_and_files() {
    let mut harness = open(Lang::En);
    handle(&mut harness, Command::ScaleParam(STIFFNESS, 0.5));
    compare(&mut harness, CompareWith::Present);
    let open_menu = |harness: &mut Harness<'static, WindowFixture>| {
        harness.get_by_role_and_label(Role::ComboBox, "Compare with").click();
        harness.run_steps(4);
    };
    open_menu(&mut harness);
    click(&mut harness, "As loaded");
    assert!(harness.query_by_label_contains("difference").is_some());
    open_menu(&mut harness);
    click(&mut harness, "Earlier state");
    click(&mut harness, "Before the first change");
    let shown = harness.get_by_role_and_label(Role::ComboBox, "Compare with").value().unwrap_or_default();
    assert_eq!(shown, "Before the first change");
    open_menu(&mut harness);
    click(&mut harness, "File…");
    assert_eq!(harness.state().requests, [AppRequest::CompareFileDialog]);
}

#[test]
fn the_table_takes_single_values_and_whole_chains() {
    let mut harness = open(Lang::En);
    handle(&mut harness, Command::SetParams(message!("Set"), vec![(STIFFNESS, 33.0), (ParamId(1), 0.33)]));
    compare(&mut harness, CompareWith::AsLoaded);
    click(&mut harness, "2 differences");
    assert!(harness.query_by_label_contains("Stiffness: 33").is_some());
    harness.get_by_role_and_label(Role::TextInput, "Filter by chain or value").focus();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::TextInput, "Filter by chain or value").type_text("stiff");
    harness.run_steps(4);
    click(&mut harness, "Take B");
    let count = |harness: &Harness<'static, WindowFixture>| {
        harness.state().session.comparison().expect("a comparison").compared.differences.len()
    };
    assert_eq!(count(&harness), 1);
    assert!(harness.query_by_label("No difference matches the filter.").is_some());
    handle(&mut harness, Command::Undo);
    assert!(harness.query_by_label("Take chain").is_none(), "the chain has a difference that the filter hides");
    harness.get_by_role_and_label(Role::TextInput, "Filter by chain or value").focus();
    harness.run_steps(2);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
    harness.run_steps(2);
    press(&mut harness, Key::Backspace);
    click(&mut harness, "Take chain");
    assert_eq!(count(&harness), 0);
    assert_eq!(harness.state().session.document().setup, harness.state().session.loaded().setup);
}

#[test]
fn a_file_without_a_chain_is_explained_in_the_bar() {
    let mut harness = open(Lang::En);
    let mut document = harness.state().session.document().clone();
    document.chains.pop_first();
    compare(&mut harness, CompareWith::File { name: "other.yure".to_owned(), document });
    let warning = harness.get_by_label_contains("B lacks 1 chain: ");
    warning.click();
    harness.run_steps(4);
    assert!(harness.query_by_role_and_label(Role::TextInput, "Filter by chain or value").is_some());
}

#[test]
fn a_sweep_is_started_in_its_dialog_and_labels_its_bodies() {
    let mut harness = open(Lang::En);
    let before = harness.state().session.document().clone();
    let subject = SweepSubject::Feel(FeelParam::Speed);
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Sweep(subject));
    harness.run_steps(4);
    click(&mut harness, "4");
    click(&mut harness, "Show variants");
    let values = harness.state().session.sweep().expect("a sweep").values.clone();
    assert_eq!(values.len(), 4);
    press(&mut harness, Key::Escape);
    assert!(harness.state().session.sweep().is_none());
    assert_eq!(harness.state().session.document(), &before);
    handle(&mut harness, Command::StartSweep(SweepSettings { subject, low: 1.0, high: 4.0, count: 4 }));
    assert!(["1.00 Hz", "4.00 Hz"].iter().all(|label| harness.query_by_label(label).is_some()));
    click(&mut harness, "2.52 Hz");
    let session = &harness.state().session;
    assert!(session.sweep().is_none());
    assert_eq!(session.history().states().count(), 2, "one undo step");
    assert_ne!(session.document(), &before);
}

#[test]
fn a_click_on_a_body_of_a_sweep_takes_its_value() {
    let mut harness = open(Lang::En);
    let subject = SweepSubject::Feel(FeelParam::Speed);
    handle(&mut harness, Command::StartSweep(SweepSettings { subject, low: 1.0, high: 4.0, count: 4 }));
    let body = harness.get_by_label("1.00 Hz").rect().center_bottom() + egui::vec2(0.0, 120.0);
    for is_pressed in [true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, Modifiers::NONE);
        harness.event(Event::PointerMoved(body));
        harness.event(Event::PointerButton { pos: body, button, pressed: is_pressed, modifiers });
        harness.run_steps(2);
    }
    let session = &harness.state().session;
    assert!(session.sweep().is_none());
    let (low, high) = session.swept_values(subject).range().expect("a speed");
    assert!((low - 1.0).abs() < 0.01 && (high - 1.0).abs() < 0.01, "{low} to {high} Hz");
}

#[test]
fn the_sweep_dialog_says_why_a_value_cannot_be_swept() {
    for (lang, expected) in [(Lang::En, "The solver ignores this value now"), (Lang::Ja, "ソルバーはこの値を使わない")]
    {
        let mut harness = open(lang);
        let table = harness.state().session.inspection().system().param_defs();
        let wind = yuremono_sim::params::find_param(table, "windInfluence").expect("a row for wind");
        harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Sweep(SweepSubject::Param(wind)));
        harness.run_steps(4);
        assert!(harness.query_by_label_contains(expected).is_some());
    }
}

#[test]
fn comparison_pictures() {
    for (mode, lang, name) in
        [(ThemeMode::Dark, Lang::En, "dark"), (ThemeMode::Light, Lang::En, "light"), (ThemeMode::Dark, Lang::Ja, "ja")]
    {
        let mut fixture = fixture(mode, lang);
        fixture.session.handle(Command::ScaleParam(STIFFNESS, 0.3));
        fixture.session.handle(Command::Compare(Box::new(CompareWith::AsLoaded)));
        let Some(mut harness) = painted_harness(fixture, SIZE, 1.0) else { return };
        harness.run_steps(10);
        save_picture(&mut harness, &format!("compare_{name}.png"));
        harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Differences);
        harness.run_steps(6);
        save_picture(&mut harness, &format!("differences_{name}.png"));
        press(&mut harness, Key::Escape);
        let subject = SweepSubject::Feel(FeelParam::Speed);
        harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Sweep(subject));
        harness.run_steps(6);
        save_picture(&mut harness, &format!("sweep_dialog_{name}.png"));
        press(&mut harness, Key::Escape);
        handle(&mut harness, Command::StartSweep(SweepSettings { subject, low: 1.0, high: 4.0, count: 5 }));
        harness.run_steps(6);
        save_picture(&mut harness, &format!("sweep_{name}.png"));
    }
}
