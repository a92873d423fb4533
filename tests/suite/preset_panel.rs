//! Tests the preset drawer, its dialogs and the header of the inspector. The tests find widgets by their accessibility
//! labels.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the window.

use super::support::girl;
use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use crate::support::presets::test_preset;
use egui::accesskit::Toggled;
use egui::{Key, Modifiers, Role};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, DialogKind, DrawerTab, Prefs, PresetLibrary};
use yuremono_model::document::{ChainPart, EditLabel};
use yuremono_model::feel::convert::convert;
use yuremono_model::feel::preset::Preset;
use yuremono_session::{Command, CompareSource, SelectMode, Session};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::message;
use yuremono_sim::solver::ez_soft_bone::SLEEP_THRESHOLD;

const SIZE: [f32; 2] = [1440.0, 876.0];

fn builtin_test_presets() -> &'static [Preset] {
    Box::leak(Box::new([
        test_preset("airy", ["Twin tail, airy", "ツインテール（ふわり）"], ChainPart::Hair, [3.0, 0.4]),
        test_preset("heavy", ["Twin tail, heavy", "ツインテール（重め）"], ChainPart::Hair, [1.8, 0.55]),
        test_preset("braid", ["Braid", "三つ編み"], ChainPart::Hair, [2.0, 0.7]),
        test_preset("skirt", ["Skirt, light", "スカート（軽い）"], ChainPart::Skirt, [2.5, 0.5]),
        test_preset("fox", ["Fox tail", "きつねのしっぽ"], ChainPart::Tail, [1.5, 0.4]),
    ]))
}

fn own_test_presets() -> Vec<Preset> {
    vec![test_preset("mine", ["My ribbon", "私のリボン"], ChainPart::Ribbon, [4.0, 0.5])]
}

fn preset_fixture(mode: ThemeMode, lang: Lang) -> WindowFixture {
    let prefs = Prefs { mode, lang, reduce_motion: true, ..Prefs::default() };
    let mut session = girl::session();
    session.handle(Command::SetPlaying(true));
    let mut fixture = WindowFixture::new(session, prefs);
    fixture
        .ui
        .state_mut()
        .presets
        .set_library(PresetLibrary { built_in: builtin_test_presets(), user: own_test_presets() });
    fixture.ui.state_mut().drawer_tab = Some(DrawerTab::Presets);
    fixture
}

fn select_bone(session: &mut Session, name: &str) {
    let bone = girl::bone(session, name);
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
}

fn open_with_bone(lang: Lang, bone: &str) -> Harness<'static, WindowFixture> {
    let mut fixture = preset_fixture(ThemeMode::Dark, lang);
    select_bone(&mut fixture.session, bone);
    window_harness(fixture, SIZE)
}

fn open_with_tail() -> Harness<'static, WindowFixture> {
    open_with_bone(Lang::En, "TwinTail_L_01")
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

fn click_button(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_role_and_label(Role::Button, label).click();
    harness.run_steps(4);
}

fn hover_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).hover();
    harness.run_steps(4);
}

fn press_key(harness: &mut Harness<'static, WindowFixture>, key: Key) {
    harness.key_press(key);
    harness.run_steps(4);
}

fn type_into_field(harness: &mut Harness<'static, WindowFixture>, field: &str, text: &str) {
    harness.get_by_role_and_label(Role::TextInput, field).focus();
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::TextInput, field).type_text(text);
    harness.run_steps(4);
}

fn has_label(harness: &Harness<'static, WindowFixture>, label: &str) -> bool {
    harness.query_by_label(label).is_some()
}

fn undo_all(harness: &mut Harness<'static, WindowFixture>) -> usize {
    let session = &mut harness.state_mut().session;
    let mut steps = 0;
    while session.history().next_undo().is_some() {
        session.handle(Command::Undo);
        steps += 1;
    }
    steps
}

#[test]
fn parts_with_presets_have_filter_chips_and_the_selection_chooses_one() {
    let mut harness = open_with_tail();
    for there in ["Hair", "Skirt", "Tail", "Mine", "Braid", "Twin tail, airy"] {
        assert!(harness.query_all_by_label(there).next().is_some(), "{there}");
    }
    assert!(!has_label(&harness, "Ears") && !has_label(&harness, "Skirt, light") && !has_label(&harness, "My ribbon"));
    click_label(&mut harness, "Mine");
    assert!(has_label(&harness, "My ribbon") && !has_label(&harness, "Braid"));
    select_bone(&mut harness.state_mut().session, "Skirt_01");
    harness.run_steps(3);
    assert!(has_label(&harness, "Skirt, light") && !has_label(&harness, "My ribbon"), "another part, another shelf");
}

#[test]
fn search_finds_names_and_descriptions_of_all_parts_in_both_languages() {
    for (typed, found) in [("fox", "Fox tail"), ("三つ編", "Braid"), ("RIBBON as", "My ribbon")] {
        let mut harness = open_with_tail();
        type_into_field(&mut harness, "Search", typed);
        assert!(has_label(&harness, found), "{typed}");
        assert!(!has_label(&harness, "Twin tail, airy"), "{typed}");
    }
    let mut harness = open_with_tail();
    type_into_field(&mut harness, "Search", "nothing like that");
    assert!(!has_label(&harness, "Braid"));
}

#[test]
fn hovering_a_preset_previews_it_without_an_edit_and_leaving_ends_the_preview() {
    let mut harness = open_with_tail();
    let before = harness.state().session.document().clone();
    hover_label(&mut harness, "Twin tail, heavy");
    assert!(harness.state().session.playback().is_previewing());
    assert!(has_label(&harness, "Preview Twin tail, heavy. Dashed: current feel."));
    assert!(!harness.state().session.playback().original_chain_lines(harness.state().session.document()).is_empty());
    harness.get_by_label_contains("Hover preview");
    hover_label(&mut harness, "Braid");
    assert!(has_label(&harness, "Preview Braid. Dashed: current feel."));
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    assert_eq!(*harness.state().session.document(), before);
    assert!(harness.state().session.history().next_undo().is_none());
}

#[test]
fn esc_stops_the_preview_and_keeps_the_selection() {
    let mut harness = open_with_tail();
    hover_label(&mut harness, "Twin tail, heavy");
    press_key(&mut harness, Key::Escape);
    assert!(!harness.state().session.playback().is_previewing());
    assert!(!harness.state().session.selection().is_empty());
    hover_label(&mut harness, "Braid");
    assert!(harness.state().session.playback().is_previewing(), "another card is previewed again");
}

#[test]
fn clicking_a_preset_applies_it_in_one_undo_step_with_a_message() {
    let mut harness = open_with_tail();
    let before = harness.state().session.document().clone();
    click_label(&mut harness, "Twin tail, heavy");
    assert!(harness.query_by_label("Undo: Twin tail, heavy on 5 joints").is_some());
    assert!(harness.query_by_label_contains("Twin tail, heavy applied to 5 joints").is_some());
    let card = harness.get_by_role_and_label(Role::Button, "Twin tail, heavy");
    assert_eq!(card.accesskit_node().toggled(), Some(Toggled::True), "the preset is in use");
    let combo = harness.get_by_role_and_label(Role::ComboBox, "Preset");
    assert_eq!(combo.value().as_deref(), Some("Twin tail, heavy"));
    assert_eq!(undo_all(&mut harness), 1);
    assert_eq!(*harness.state().session.document(), before);
}

#[test]
fn a_preset_card_can_be_focused_and_applied_with_the_keyboard() {
    let mut harness = open_with_tail();
    harness.get_by_label("Braid").focus();
    harness.run_steps(4);
    assert!(harness.state().session.playback().is_previewing(), "the focused card is previewed");
    press_key(&mut harness, Key::Enter);
    assert!(harness.query_by_label("Undo: Braid on 5 joints").is_some());
}

#[test]
fn properties_can_be_chosen_before_a_preset_is_applied() {
    let mut harness = open_with_tail();
    harness.get_by_label("Twin tail, heavy").click_modifiers(Modifiers::COMMAND);
    harness.run_steps(4);
    assert!(harness.state().session.history().next_undo().is_none(), "nothing is applied yet");
    assert!(harness.state().session.playback().is_previewing());
    let rows: Vec<String> =
        harness.query_all_by_role(Role::Row).filter_map(|row| row.accesskit_node().label()).collect();
    assert!(rows.iter().any(|row| row.starts_with("Speed,") && row.ends_with("1.8 Hz")), "{rows:?}");
    let why = "UnityChan";
    assert!(harness.query_all_by_label_contains(why).count() > 0, "unsupported parts have a reason");
    let taken = |harness: &Harness<'static, WindowFixture>| {
        let all = harness.query_all_by_label_contains(" included").next().and_then(|n| n.value());
        let words = all.expect("it is included");
        words.split(' ').next().and_then(|n| n.parse::<usize>().ok()).expect("a number")
    };
    let before = taken(&harness);
    harness.get_by_role_and_label(Role::CheckBox, "Settling").click();
    harness.run_steps(4);
    assert_eq!(taken(&harness), before - 1);
    let ab = harness.query_all_by_label("A/B").last().expect("the dialog's button");
    ab.click();
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    assert_eq!(before, 2);
    click_label(&mut harness, "Apply 1 property");
    let session = &harness.state().session;
    let chain = session.inspection().active_chain().expect("selected");
    let feel = yuremono_model::feel::params::chain_feel(session.document(), &session.character().skeleton, chain);
    assert!((feel.speed.expect("taken").base - 1.8).abs() < 0.02);
    assert!((feel.settling.expect("left").base - 0.55).abs() > 0.05, "settling was excluded");
}

#[test]
fn the_compare_dialog_warns_when_the_solver_returns_tips_slowly() {
    for (solver, creeps) in [(SolverKind::EzSoftBone, true), (SolverKind::Vrm, false)] {
        for (lang, words) in [(Lang::En, "only stiffness moves the tip"), (Lang::Ja, "硬さだけでゆっくり戻ります")]
        {
            let mut fixture = preset_fixture(ThemeMode::Dark, lang);
            select_bone(&mut fixture.session, "TwinTail_L_01");
            let mut conversion = convert(fixture.session.document(), fixture.session.character(), solver);
            if creeps {
                // Conversion disables the sleep threshold, so enable it again.
                conversion.after.main_system_mut().values.set(SLEEP_THRESHOLD, 0.005);
            }
            let edit = conversion.edit(fixture.session.document());
            fixture.session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
            let slow = test_preset("slow", ["Long and slow", "長くてゆっくり"], ChainPart::Hair, [1.0, 0.5]);
            let all = Box::leak(Box::new([slow]));
            fixture.ui.state_mut().presets.set_library(PresetLibrary { built_in: all, user: Vec::new() });
            let mut harness = window_harness(fixture, SIZE);
            let card = if lang == Lang::En { "Long and slow" } else { "長くてゆっくり" };
            harness.get_by_label(card).click_modifiers(Modifiers::COMMAND);
            harness.run_steps(4);
            let reported = harness.query_all_by_label_contains(words).count();
            assert_eq!(reported > 0, creeps, "{solver:?} in {lang:?}");
        }
    }
}

#[test]
fn esc_closes_the_compare_dialog_and_ends_its_preview() {
    let mut harness = open_with_tail();
    click_label(&mut harness, "Choose properties of Braid");
    assert!(harness.state().session.playback().is_previewing());
    press_key(&mut harness, Key::Escape);
    assert!(harness.query_by_label_contains("Apply ").is_none());
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    assert!(!harness.state().session.selection().is_empty());
}

#[test]
fn closing_a_dialog_restores_the_preview_of_the_dialog_below() {
    let mut harness = open_with_tail();
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SwitchSolver(SolverKind::Vrm));
    harness.run_steps(4);
    let shows = |harness: &Harness<'static, WindowFixture>, name: &str| {
        let reported = harness.query_all_by_label_contains(&format!("Preview {name}")).count() > 0;
        reported && harness.state().session.playback().is_previewing()
    };
    assert!(shows(&harness, "VRM"));
    click_label(&mut harness, "Choose properties of Braid");
    assert!(shows(&harness, "Braid"));
    press_key(&mut harness, Key::Escape);
    harness.hover_at(egui::pos2(1000.0, 200.0));
    harness.run_steps(4);
    assert!(shows(&harness, "VRM"), "the conversion dialog is shown again");
    let switched = harness.state().session.playback().original_chain_lines(harness.state().session.document()).len();
    assert_eq!(switched, 1, "only the selected chain is previewed with the new solver");
    // A dialog over the drawer ends the preview.
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::DetectChains);
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
    press_key(&mut harness, Key::Escape);
    assert!(shows(&harness, "VRM"));
    press_key(&mut harness, Key::Escape);
    assert!(!harness.state().session.playback().is_previewing() && !has_label(&harness, "Switch"));
}

#[test]
fn with_nothing_selected_the_panel_says_which_chains_a_preset_applies_to() {
    for (lang, words) in [
        (Lang::En, "Nothing selected: a preset is applied to all chains of its parts."),
        (Lang::Ja, "未選択：プリセットは対象部位のすべてのチェーンに適用されます。"),
    ] {
        let harness = window_harness(preset_fixture(ThemeMode::Dark, lang), SIZE);
        assert!(has_label(&harness, words));
    }
    let mut harness = window_harness(preset_fixture(ThemeMode::Dark, Lang::En), SIZE);
    click_label(&mut harness, "Skirt");
    click_label(&mut harness, "Skirt, light");
    assert!(has_label(&harness, "Undo: Skirt, light on 4 joints"), "both skirt chains");
    click_label(&mut harness, "Tail");
    assert!(has_label(&harness, "Fox tail"));
    harness.get_by_label("Fox tail").hover();
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing(), "the sample has no tail");
}

#[test]
fn a_preset_is_saved_under_a_name_and_replaces_another_only_after_confirmation() {
    let mut harness = open_with_tail();
    click_label(&mut harness, "Save preset…");
    type_into_field(&mut harness, "Name", "TwinTail_L_01 b");
    let field = harness.get_by_role_and_label(Role::TextInput, "Name");
    assert_eq!(field.value().as_deref(), Some("TwinTail_L_01 b"), "typing replaces the proposed name");
    click_button(&mut harness, "Save preset");
    let Some(AppRequest::SavePreset { preset, replaces }) = harness.state().requests.last().cloned() else {
        panic!("{:?}", harness.state().requests)
    };
    assert!(!replaces && preset.name.en.contains("TwinTail_L_01") && preset.key.contains("twintail_l_01"));
    assert_eq!(preset.parts, [ChainPart::Hair]);
    harness.state_mut().ui.state_mut().presets.set_library(PresetLibrary {
        built_in: builtin_test_presets(),
        user: [own_test_presets(), vec![(*preset).clone()]].concat(),
    });
    harness.run_steps(3);
    assert!(harness.query_all_by_label(&preset.name.en).next().is_some(), "the preset's part is shown");
    click_label(&mut harness, "Save preset…");
    type_into_field(&mut harness, "Name", &preset.name.en);
    assert!(has_label(&harness, "You already have a preset with this name."));
    click_label(&mut harness, "Replace preset");
    let last = harness.state().requests.last();
    assert!(matches!(last, Some(AppRequest::SavePreset { replaces: true, .. })), "{last:?}");
}

#[test]
fn own_presets_can_be_renamed_and_are_deleted_after_confirmation() {
    let mut harness = open_with_tail();
    click_label(&mut harness, "Mine");
    click_label(&mut harness, "Menu of My ribbon");
    click_label(&mut harness, "Rename…");
    type_into_field(&mut harness, "Description", "!");
    click_button(&mut harness, "Rename preset");
    let last = harness.state().requests.last().cloned();
    let Some(AppRequest::SavePreset { preset, replaces: true }) = last else { panic!("{last:?}") };
    assert!(preset.key == "mine" && preset.description.en.contains('!') && preset.name.ja == "私のリボン");
    click_label(&mut harness, "Menu of My ribbon");
    click_label(&mut harness, "Delete…");
    let before = harness.state().requests.len();
    click_label(&mut harness, "Cancel");
    assert_eq!(harness.state().requests.len(), before);
    click_label(&mut harness, "Menu of My ribbon");
    click_label(&mut harness, "Delete…");
    click_label(&mut harness, "Delete My ribbon");
    let last = harness.state().requests.last();
    assert!(matches!(last, Some(AppRequest::DeletePreset { key, .. }) if key == "mine"), "{last:?}");
}

#[test]
fn closing_the_drawer_or_loading_another_character_ends_a_preview_and_a_language_change_keeps_it() {
    type Action = fn(&mut Harness<'static, WindowFixture>);
    let actions: [(Action, &str); 3] = [
        (|h| h.state_mut().ui.state_mut().drawer_tab = None, "drawer"),
        (|h| h.state_mut().ui.state_mut().presets.set_library(PresetLibrary::default()), "shelf"),
        (
            |h| {
                let character = h.state().session.character().clone();
                h.state_mut().session.replace_character(character);
            },
            "reload",
        ),
    ];
    for (action, name) in actions {
        let mut harness = open_with_tail();
        hover_label(&mut harness, "Twin tail, heavy");
        assert!(harness.state().session.playback().is_previewing(), "{name}");
        action(&mut harness);
        harness.run_steps(4);
        assert!(!harness.state().session.playback().is_previewing(), "{name}");
    }
    let mut harness = open_with_tail();
    hover_label(&mut harness, "Twin tail, heavy");
    harness.state_mut().ui.state_mut().prefs.lang = Lang::Ja;
    harness.state_mut().ui.state_mut().prefs.mode = ThemeMode::Light;
    harness.run_steps(4);
    assert!(has_label(&harness, "プレビュー： ツインテール（重め）。 破線は現在の揺れ方"));
    harness.hover_at(egui::pos2(700.0, 300.0));
    harness.run_steps(4);
    assert!(!harness.state().session.playback().is_previewing());
}

#[test]
fn the_inspector_names_the_applied_preset_and_marks_later_changes() {
    for (lang, name, changed) in [
        (Lang::En, "Twin tail, heavy", "Twin tail, heavy, changed"),
        (Lang::Ja, "ツインテール（重め）", "ツインテール（重め）, 変更あり"),
    ] {
        let mut harness = open_with_bone(lang, "TwinTail_L_01");
        let label = if lang == Lang::En { "Preset" } else { "プリセット" };
        let shown = |harness: &Harness<'static, WindowFixture>| {
            harness.get_by_role_and_label(Role::ComboBox, label).value().unwrap_or_default()
        };
        assert_ne!(shown(&harness), name);
        click_label(&mut harness, name);
        assert_eq!(shown(&harness), name);
        let param = yuremono_sim::params::ParamId(0);
        harness.state_mut().session.handle(Command::ScaleParam(param, 2.0));
        harness.run_steps(3);
        assert_eq!(shown(&harness), changed);
        harness.get_by_label("A/B").click();
        harness.run_steps(3);
        let source = harness.state().session.comparison().map(|comparison| comparison.source.clone());
        assert!(matches!(source, Some(CompareSource::AfterPreset(_))));
        harness.get_by_label("A/B").click();
        harness.run_steps(3);
        assert!(harness.state().session.comparison().is_none());
    }
}

#[test]
fn the_inspector_menu_lists_presets_of_the_same_part_first_and_previews_on_hover() {
    let mut harness = open_with_bone(Lang::En, "Skirt_01");
    harness.state_mut().ui.state_mut().drawer_tab = None;
    harness.run_steps(2);
    harness.get_by_role_and_label(Role::ComboBox, "Preset").click();
    harness.run_steps(4);
    let place = |label: &str| harness.get_by_role_and_label(Role::MenuItemCheckBox, label).rect().top();
    let fits = place("Skirt, light");
    let hair = harness.query_all_by_label("Hair").last().expect("a menu of the other presets").rect().top();
    assert!(fits < hair);
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Skirt, light").hover();
    harness.run_steps(4);
    assert!(harness.state().session.playback().is_previewing());
    harness.get_by_role_and_label(Role::MenuItemCheckBox, "Skirt, light").click();
    harness.run_steps(4);
    assert!(harness.query_by_label("Undo: Skirt, light on 2 joints").is_some());
}

#[test]
fn the_preset_drawer_can_be_rendered_in_both_themes_languages_and_sizes() {
    for (mode, lang, name) in
        [(ThemeMode::Dark, Lang::En, "presets-dark"), (ThemeMode::Light, Lang::Ja, "presets-light-ja")]
    {
        for size in [SIZE, [1024.0, 700.0]] {
            let mut fixture = preset_fixture(mode, lang);
            select_bone(&mut fixture.session, "TwinTail_L_01");
            let Some(mut harness) = painted_harness(fixture, size, 1.0) else { return };
            let card = if lang == Lang::En { "Twin tail, heavy" } else { "ツインテール（重め）" };
            let card = harness.get_by_label(card);
            let rect = card.rect();
            assert!(rect.right() <= size[0] && rect.width() >= 140.0, "{rect:?}");
            card.hover();
            harness.run_steps(4);
            save_picture(&mut harness, &format!("{name}-{}.png", size[0]));
        }
    }
}

#[test]
fn the_name_of_a_new_preset_is_selected_when_the_dialog_opens_and_enter_saves() {
    let mut harness = open_with_tail();
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::SavePreset);
    harness.run_steps(4);
    assert!(harness.get_by_role_and_label(Role::TextInput, "Name").is_focused());
    // Typed text replaces the selected text.
    harness.event(egui::Event::Text("Soft tail".into()));
    harness.run_steps(3);
    press_key(&mut harness, Key::Enter);
    let saved = harness.state().requests.iter().find_map(|request| match request {
        AppRequest::SavePreset { preset, .. } => Some(preset.name.en.clone()),
        _ => None,
    });
    assert_eq!(saved.as_deref(), Some("Soft tail"));
    assert!(harness.query_by_role_and_label(Role::TextInput, "Name").is_none(), "the dialog is closed");
}
