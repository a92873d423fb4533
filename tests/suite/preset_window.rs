//! The drawer of presets, the windows about them and the inspector's head, worked by what they say.
//!
//! Set `YUREMONO_PICTURES` to a folder to look at them.

use super::preset_session::preset;
use super::support::girl;
use super::support::window::{Bench, keep, painted, window};
use egui::accesskit::Toggled;
use egui::{Key, Modifiers, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use yuremono::document::{Label, Part};
use yuremono::feel::convert::convert;
use yuremono::feel::preset::Preset;
use yuremono::session::{Command, Pick, Session};
use yuremono::sim::SolverKind;
use yuremono::sim::solver::ez_soft_bone::SLEEP_THRESHOLD;
use yuremono::ui::kit::theme::Mode;
use yuremono::ui::kit::words::Lang;
use yuremono::ui::{DrawerTab, Prefs, Request, Shelf, Window};

const SIZE: [f32; 2] = [1440.0, 876.0];

fn built_in() -> &'static [Preset] {
    Box::leak(Box::new([
        preset("airy", ["Twin tail, airy", "ツインテール（ふわり）"], Part::Hair, [3.0, 0.4]),
        preset("heavy", ["Twin tail, heavy", "ツインテール（重め）"], Part::Hair, [1.8, 0.55]),
        preset("braid", ["Braid", "三つ編み"], Part::Hair, [2.0, 0.7]),
        preset("skirt", ["Skirt, light", "スカート（軽い）"], Part::Skirt, [2.5, 0.5]),
        preset("fox", ["Fox tail", "きつねのしっぽ"], Part::Tail, [1.5, 0.4]),
    ]))
}

fn own() -> Vec<Preset> {
    vec![preset("mine", ["My ribbon", "私のリボン"], Part::Ribbon, [4.0, 0.5])]
}

fn bench(mode: Mode, lang: Lang) -> Bench {
    let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
    let mut session = girl::session();
    session.handle(Command::SetPlaying(true));
    let mut bench = Bench::new(session, prefs);
    bench.ui.shared_mut().presets.put(Shelf { built_in: built_in(), own: own() });
    bench.ui.shared_mut().drawer = Some(DrawerTab::Presets);
    bench
}

fn select(session: &mut Session, name: &str) {
    let bone = girl::bone(session, name);
    session.handle(Command::Select(vec![bone], Pick::Replace));
}

fn opened(lang: Lang, bone: &str) -> Harness<'static, Bench> {
    let mut bench = bench(Mode::Dark, lang);
    select(&mut bench.session, bone);
    window(bench, SIZE)
}

fn tail() -> Harness<'static, Bench> {
    opened(Lang::En, "TwinTail_L_01")
}

fn click(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

fn hover(harness: &mut Harness<'static, Bench>, label: &str) {
    harness.get_by_label(label).hover();
    harness.run_steps(4);
}

fn press(harness: &mut Harness<'static, Bench>, key: Key) {
    harness.key_press(key);
    harness.run_steps(4);
}

fn write(harness: &mut Harness<'static, Bench>, field: &str, text: &str) {
    harness.get_by_role_and_label(Role::TextInput, field).focus();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::TextInput, field).type_text(text);
    harness.run_steps(4);
}

fn has(harness: &Harness<'static, Bench>, label: &str) -> bool {
    harness.query_by_label(label).is_some()
}

fn undo_steps(harness: &mut Harness<'static, Bench>) -> usize {
    let session = &mut harness.state_mut().session;
    let mut steps = 0;
    while session.history().next_undo().is_some() {
        session.handle(Command::Undo);
        steps += 1;
    }
    steps
}

#[test]
fn chips_are_there_for_parts_that_have_presets_and_the_selection_chooses_one() {
    let mut harness = tail();
    for there in ["Hair", "Skirt", "Tail", "Mine", "Braid", "Twin tail, airy"] {
        assert!(harness.query_all_by_label(there).next().is_some(), "{there}");
    }
    assert!(!has(&harness, "Ears") && !has(&harness, "Skirt, light") && !has(&harness, "My ribbon"));
    click(&mut harness, "Mine");
    assert!(has(&harness, "My ribbon") && !has(&harness, "Braid"));
    select(&mut harness.state_mut().session, "Skirt_01");
    harness.run_steps(3);
    assert!(has(&harness, "Skirt, light") && !has(&harness, "My ribbon"), "another part, another shelf");
}

#[test]
fn search_looks_into_names_and_sentences_of_both_languages_on_all_shelves() {
    for (typed, found) in [("fox", "Fox tail"), ("三つ編", "Braid"), ("RIBBON as", "My ribbon")] {
        let mut harness = tail();
        write(&mut harness, "Search", typed);
        assert!(has(&harness, found), "{typed}");
        assert!(!has(&harness, "Twin tail, airy"), "{typed}");
    }
    let mut harness = tail();
    write(&mut harness, "Search", "nothing like that");
    assert!(!has(&harness, "Braid"));
}

#[test]
fn hover_shows_a_preset_without_changing_anything_and_leaving_ends_that() {
    let mut harness = tail();
    let before = harness.state().session.document().clone();
    hover(&mut harness, "Twin tail, heavy");
    assert!(harness.state().session.playback().is_previewing());
    assert!(has(&harness, "Preview Twin tail, heavy. Dashed: your current feel."));
    assert!(!harness.state().session.playback().ghost_lines(harness.state().session.document()).is_empty());
    harness.get_by_label_contains("Hover preview");
    hover(&mut harness, "Braid");
    assert!(has(&harness, "Preview Braid. Dashed: your current feel."));
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    assert_eq!(*harness.state().session.document(), before);
    assert!(harness.state().session.history().next_undo().is_none());
}

#[test]
fn esc_stops_the_preview_and_keeps_the_selection() {
    let mut harness = tail();
    hover(&mut harness, "Twin tail, heavy");
    press(&mut harness, Key::Escape);
    assert!(!harness.state().session.playback().is_previewing());
    assert!(!harness.state().session.selection().is_empty());
    hover(&mut harness, "Braid");
    assert!(harness.state().session.playback().is_previewing(), "another card is shown again");
}

#[test]
fn a_click_applies_as_one_step_and_says_so() {
    let mut harness = tail();
    let before = harness.state().session.document().clone();
    click(&mut harness, "Twin tail, heavy");
    assert!(harness.query_by_label("Undo: Twin tail, heavy on 5 joints").is_some());
    assert!(harness.query_by_label_contains("Twin tail, heavy applied to 5 joints").is_some());
    let card = harness.get_by_role_and_label(Role::Button, "Twin tail, heavy");
    assert_eq!(card.accesskit_node().toggled(), Some(Toggled::True), "it is in use");
    let combo = harness.get_by_role_and_label(Role::ComboBox, "Preset");
    assert_eq!(combo.value().as_deref(), Some("Twin tail, heavy"));
    assert_eq!(undo_steps(&mut harness), 1);
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn a_card_is_reached_and_applied_by_the_keyboard() {
    let mut harness = tail();
    harness.get_by_label("Braid").focus();
    harness.run_steps(4);
    assert!(harness.state().session.playback().is_previewing(), "what has the keyboard is shown");
    press(&mut harness, Key::Enter);
    assert!(harness.query_by_label("Undo: Braid on 5 joints").is_some());
}

#[test]
fn properties_are_chosen_before_a_preset_is_applied() {
    let mut harness = tail();
    harness.get_by_label("Twin tail, heavy").click_modifiers(Modifiers::COMMAND);
    harness.run_steps(4);
    assert!(harness.state().session.history().next_undo().is_none(), "nothing is applied yet");
    assert!(harness.state().session.playback().is_previewing());
    let rows: Vec<String> =
        harness.query_all_by_role(Role::Row).filter_map(|row| row.accesskit_node().label()).collect();
    assert!(rows.iter().any(|row| row.starts_with("Speed,") && row.ends_with("1.8 Hz")), "{rows:?}");
    let why = "UnityChan";
    assert!(harness.query_all_by_label_contains(why).count() > 0, "what the solver cannot say has its reason");
    let taken = |harness: &Harness<'static, Bench>| {
        let all = harness.query_all_by_label_contains(" taken").next().and_then(|n| n.value());
        let words = all.expect("it counts");
        words.split(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a number")
    };
    let before = taken(&harness);
    harness.get_by_role_and_label(Role::CheckBox, "Settle").click();
    harness.run_steps(4);
    assert_eq!(taken(&harness), before - 1);
    let ab = harness.query_all_by_label("A/B").last().expect("the window's");
    ab.click();
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    click(&mut harness, "Apply");
    let session = &harness.state().session;
    let chain = session.inspection().active_chain().expect("selected");
    let feel = yuremono::feel::terms::of_chain(session.document(), &session.character().skeleton, chain);
    assert!((feel.speed.expect("taken").base - 1.8).abs() < 0.02);
    assert!((feel.settle.expect("left").base - 0.55).abs() > 0.05, "it was left as it is");
}

#[test]
fn the_comparison_says_that_tails_creep_home_where_the_solver_lets_them() {
    for (solver, creeps) in [(SolverKind::EzSoftBone, true), (SolverKind::Vrm, false)] {
        for (lang, words) in [(Lang::En, "stiffness alone moves a tip"), (Lang::Ja, "硬さだけで動く")] {
            let mut bench = bench(Mode::Dark, lang);
            select(&mut bench.session, "TwinTail_L_01");
            let mut conversion = convert(bench.session.document(), bench.session.character(), solver);
            if creeps {
                // A conversion switches the threshold off.
                conversion.after.main_mut().values.set(SLEEP_THRESHOLD, 0.005);
            }
            let edit = conversion.edit(bench.session.document());
            bench.session.handle(Command::Apply(edit, Label::new("switch_solver", 1)));
            let slow = preset("slow", ["Long and slow", "長くてゆっくり"], Part::Hair, [1.0, 0.5]);
            let all = Box::leak(Box::new([slow]));
            bench.ui.shared_mut().presets.put(Shelf { built_in: all, own: Vec::new() });
            let mut harness = window(bench, SIZE);
            let card = if lang == Lang::En { "Long and slow" } else { "長くてゆっくり" };
            harness.get_by_label(card).click_modifiers(Modifiers::COMMAND);
            harness.run_steps(4);
            let said = harness.query_all_by_label_contains(words).count();
            assert_eq!(said > 0, creeps, "{solver:?} in {lang:?}");
        }
    }
}

#[test]
fn the_comparison_closes_with_esc_and_ends_its_preview() {
    let mut harness = tail();
    click(&mut harness, "Choose properties of Braid");
    assert!(harness.state().session.playback().is_previewing());
    press(&mut harness, Key::Escape);
    assert!(!has(&harness, "Apply"));
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    assert!(!harness.state().session.selection().is_empty());
}

#[test]
fn a_window_below_another_that_shows_something_shows_its_own_again_when_that_is_closed() {
    let mut harness = tail();
    harness.state_mut().ui.shared_mut().open.push(Window::Switch(SolverKind::Vrm));
    harness.run_steps(4);
    let shows = |harness: &Harness<'static, Bench>, name: &str| {
        let said = harness.query_all_by_label_contains(&format!("Preview {name}")).count() > 0;
        said && harness.state().session.playback().is_previewing()
    };
    assert!(shows(&harness, "VRM"));
    click(&mut harness, "Choose properties of Braid");
    assert!(shows(&harness, "Braid"));
    press(&mut harness, Key::Escape);
    harness.hover_at(egui::pos2(1000.0, 200.0));
    harness.run_steps(4);
    assert!(shows(&harness, "VRM"), "the switch window is there again");
    let switched = harness.state().session.playback().ghost_lines(harness.state().session.document()).len();
    assert_eq!(switched, 1, "the selected chain would move otherwise");
    // Nobody shows anything while a window that says nothing lies above.
    harness.state_mut().ui.shared_mut().open.push(Window::DetectChains);
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    press(&mut harness, Key::Escape);
    assert!(shows(&harness, "VRM"));
    press(&mut harness, Key::Escape);
    assert!(!harness.state().session.playback().is_previewing() && !has(&harness, "Switch"));
}

#[test]
fn with_nothing_selected_the_panel_says_whom_a_preset_reaches() {
    for (lang, words) in [
        (Lang::En, "Nothing selected: a preset goes to all chains of its parts."),
        (Lang::Ja, "未選択：プリセットは対象部位のすべてのチェーンに適用されます。"),
    ] {
        let harness = window(bench(Mode::Dark, lang), SIZE);
        assert!(has(&harness, words));
    }
    let mut harness = window(bench(Mode::Dark, Lang::En), SIZE);
    click(&mut harness, "Skirt");
    click(&mut harness, "Skirt, light");
    assert!(has(&harness, "Undo: Skirt, light on 4 joints"), "both chains of her skirt");
    click(&mut harness, "Tail");
    assert!(has(&harness, "Fox tail"));
    harness.get_by_label("Fox tail").hover();
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing(), "she has no tail");
}

#[test]
fn a_feel_is_saved_under_a_name_and_never_over_another_unasked() {
    let mut harness = tail();
    click(&mut harness, "Save selection");
    write(&mut harness, "Name", "TwinTail_L_01 b");
    let field = harness.get_by_role_and_label(Role::TextInput, "Name");
    assert_eq!(field.value().as_deref(), Some("TwinTail_L_01 b"), "typing replaces the proposed name");
    click(&mut harness, "Save");
    let Some(Request::SavePreset { preset, replaces }) = harness.state().requests.last().cloned() else {
        panic!("{:?}", harness.state().requests)
    };
    assert!(!replaces && preset.name.en.contains("TwinTail_L_01") && preset.key.contains("twintail_l_01"));
    assert_eq!(preset.parts, [Part::Hair]);
    harness
        .state_mut()
        .ui
        .shared_mut()
        .presets
        .put(Shelf { built_in: built_in(), own: [own(), vec![(*preset).clone()]].concat() });
    harness.run_steps(3);
    assert!(harness.query_all_by_label(&preset.name.en).next().is_some(), "its shelf is shown");
    click(&mut harness, "Save selection");
    write(&mut harness, "Name", &preset.name.en);
    assert!(has(&harness, "You have a preset of that name."));
    click(&mut harness, "Replace");
    let last = harness.state().requests.last();
    assert!(matches!(last, Some(Request::SavePreset { replaces: true, .. })), "{last:?}");
}

#[test]
fn own_presets_are_renamed_and_deleted_after_a_question() {
    let mut harness = tail();
    click(&mut harness, "Mine");
    click(&mut harness, "More about My ribbon");
    click(&mut harness, "Rename…");
    write(&mut harness, "Sentence", "!");
    click(&mut harness, "Rename");
    let last = harness.state().requests.last().cloned();
    let Some(Request::SavePreset { preset, replaces: true }) = last else { panic!("{last:?}") };
    assert!(preset.key == "mine" && preset.sentence.en.contains('!') && preset.name.ja == "私のリボン");
    click(&mut harness, "More about My ribbon");
    click(&mut harness, "Delete…");
    let before = harness.state().requests.len();
    click(&mut harness, "Cancel");
    assert_eq!(harness.state().requests.len(), before);
    click(&mut harness, "More about My ribbon");
    click(&mut harness, "Delete…");
    click(&mut harness, "Delete My ribbon");
    let last = harness.state().requests.last();
    assert!(matches!(last, Some(Request::DeletePreset { key, .. }) if key == "mine"), "{last:?}");
}

#[test]
fn closing_the_drawer_undo_another_language_and_another_character_end_a_preview() {
    type Deed = fn(&mut Harness<'static, Bench>);
    let deeds: [(Deed, &str); 3] = [
        (|h| h.state_mut().ui.shared_mut().drawer = None, "drawer"),
        (|h| h.state_mut().ui.shared_mut().presets.put(Shelf::default()), "shelf"),
        (
            |h| {
                let character = h.state().session.character().clone();
                h.state_mut().session.replace_character(character);
            },
            "reload",
        ),
    ];
    for (deed, name) in deeds {
        let mut harness = tail();
        hover(&mut harness, "Twin tail, heavy");
        assert!(harness.state().session.playback().is_previewing(), "{name}");
        deed(&mut harness);
        harness.run_steps(4);
        assert!(!harness.state().session.playback().is_previewing(), "{name}");
    }
    let mut harness = tail();
    hover(&mut harness, "Twin tail, heavy");
    harness.state_mut().ui.shared_mut().prefs.lang = Lang::Ja;
    harness.state_mut().ui.shared_mut().prefs.mode = Mode::Light;
    harness.run_steps(4);
    assert!(has(&harness, "プレビュー： ツインテール（重め）。 破線は今の揺れ方"));
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
}

#[test]
fn the_inspector_names_the_preset_and_says_when_numbers_differ_since() {
    for (lang, name, changed) in [
        (Lang::En, "Twin tail, heavy", "Twin tail, heavy, changed"),
        (Lang::Ja, "ツインテール（重め）", "ツインテール（重め）, 変更あり"),
    ] {
        let mut harness = opened(lang, "TwinTail_L_01");
        let label = if lang == Lang::En { "Preset" } else { "プリセット" };
        let shown = |harness: &Harness<'static, Bench>| {
            harness.get_by_role_and_label(Role::ComboBox, label).value().unwrap_or_default()
        };
        assert_ne!(shown(&harness), name);
        click(&mut harness, name);
        assert_eq!(shown(&harness), name);
        let row = yuremono::schema::Row(0);
        harness.state_mut().session.handle(Command::Scale(row, 2.0));
        harness.run_steps(3);
        assert_eq!(shown(&harness), changed);
        harness.get_by_label("A/B").click();
        harness.run_steps(3);
        assert!(harness.state().session.playback().is_previewing());
        harness.get_by_label("A/B").click();
        harness.run_steps(3);
        assert!(!harness.state().session.playback().is_previewing());
    }
}

#[test]
fn the_inspectors_menu_begins_with_what_fits_and_shows_what_is_hovered() {
    let mut harness = opened(Lang::En, "Skirt_01");
    harness.state_mut().ui.shared_mut().drawer = None;
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::ComboBox, "Preset").click();
    harness.run_steps(4);
    let place = |label: &str| harness.get_by_role_and_label(Role::MenuItemCheckBox, label).rect().top();
    let fits = place("Skirt, light");
    let hair = harness.query_all_by_label("Hair").last().expect("a menu of the others").rect().top();
    assert!(fits < hair);
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Skirt, light").hover();
    harness.run_steps(4);
    assert!(harness.state().session.playback().is_previewing());
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Skirt, light").click();
    harness.run_steps(4);
    assert!(harness.query_by_label("Undo: Skirt, light on 2 joints").is_some());
}

#[test]
fn the_drawer_of_presets_is_drawn_in_both_themes_and_languages_and_sizes() {
    for (mode, lang, name) in [(Mode::Dark, Lang::En, "presets-dark"), (Mode::Light, Lang::Ja, "presets-light-ja")] {
        for size in [SIZE, [1024.0, 700.0]] {
            let mut bench = bench(mode, lang);
            select(&mut bench.session, "TwinTail_L_01");
            let Some(mut harness) = painted(bench, size, 1.0) else { return };
            let card = if lang == Lang::En { "Twin tail, heavy" } else { "ツインテール（重め）" };
            let card = harness.get_by_label(card);
            let rect = card.rect();
            assert!(rect.right() <= size[0] && rect.width() >= 140.0, "{rect:?}");
            card.hover();
            harness.run_steps(4);
            keep(&mut harness, &format!("{name}-{}.png", size[0]));
        }
    }
}

#[test]
fn the_name_of_a_new_preset_is_selected_at_opening_and_enter_saves() {
    let mut harness = tail();
    harness.state_mut().ui.shared_mut().open.push(Window::KeepPreset);
    harness.run_steps(4);
    assert!(harness.get_by_role_and_label(Role::TextInput, "Name").is_focused());
    // As from a keyboard: what is selected is replaced.
    harness.event(egui::Event::Text("Soft tail".into()));
    harness.run_steps(3);
    press(&mut harness, Key::Enter);
    let saved = harness.state().requests.iter().find_map(|request| match request {
        Request::SavePreset { preset, .. } => Some(preset.name.en.clone()),
        _ => None,
    });
    assert_eq!(saved.as_deref(), Some("Soft tail"));
    assert!(harness.query_by_role_and_label(Role::TextInput, "Name").is_none(), "the window is closed");
}
