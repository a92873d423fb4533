//! Tests the panels, menus and dialogs of the main window, operated through their labels.

use super::support::window::{WindowFixture, painted_harness, save_picture, window_harness};
use super::support::{self, girl};
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use std::path::PathBuf;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{
    AppRequest, DialogKind, DiskStatus, DropAction, DropEntry, FileView, OutlinerTab, Prefs, Question, SpringChanges,
};
use yuremono_model::document::ChainPart;
use yuremono_session::{Command, SelectMode, Session, TuningScope};
use yuremono_sim::params::ParamId;

const WINDOW_SIZE: [f32; 2] = [1440.0, 900.0];
const CLOSING: Question = Question::UnsavedChanges { other: None };

fn girl_harness() -> Harness<'static, WindowFixture> {
    window_harness(WindowFixture::new(girl::session(), Prefs::default()), WINDOW_SIZE)
}

fn click_label(harness: &mut Harness<'static, WindowFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

fn press_key(harness: &mut Harness<'static, WindowFixture>, modifiers: Modifiers, key: Key) {
    harness.key_press_modifiers(modifiers, key);
    harness.run_steps(3);
}

fn selected_bone_names(session: &Session) -> Vec<&str> {
    session.selection().bones.iter().map(|b| session.character().skeleton.name(*b)).collect()
}

fn select_bone(session: &mut Session, name: &str) {
    let bone = girl::bone(session, name);
    session.handle(Command::Select(vec![bone], SelectMode::Replace));
}

#[test]
fn choosing_open_character_closes_the_menu_and_requests_a_file() {
    let mut harness = girl_harness();
    assert!(harness.query_by_label("Open character…").is_none());
    click_label(&mut harness, "File");
    click_label(&mut harness, "Open character…");
    assert_eq!(harness.state().requests, [AppRequest::OpenDialog]);
    assert!(harness.query_by_label("Open character…").is_none(), "a click closes the menu");
}

#[test]
fn a_recent_file_opens_from_its_menu() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.recent_files = vec![PathBuf::from("/art/fox.glb")];
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    click_label(&mut harness, "File");
    click_label(&mut harness, "Open recent");
    click_label(&mut harness, "fox.glb");
    assert_eq!(harness.state().requests, [AppRequest::OpenPath(PathBuf::from("/art/fox.glb"))]);
}

#[test]
fn the_next_undo_step_is_described_and_can_be_undone() {
    let mut harness = girl_harness();
    assert!(harness.query_by_label_contains("Undo:").is_none());
    select_bone(&mut harness.state_mut().session, "TwinTail_L_01");
    harness.state_mut().session.handle(Command::SetParam(ParamId(0), 300.0));
    harness.run_steps(2);
    harness.get_by_label("Undo: Stiffness on 5 joints");
    harness.get_by_label("girl.vrm, unsaved");
    press_key(&mut harness, Modifiers::COMMAND, Key::Z);
    assert!(harness.state().session.history().next_undo().is_none());
    click_label(&mut harness, "Edit");
    click_label(&mut harness, "Redo: Stiffness on 5 joints");
    assert!(harness.state().session.history().next_undo().is_some());
}

#[test]
fn a_click_in_the_tree_selects_and_ctrl_click_toggles() {
    let mut harness = girl_harness();
    click_label(&mut harness, "TwinTail_L_01");
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_01"]);
    harness.get_by_label("Skirt_01").click_modifiers(Modifiers::COMMAND);
    harness.run_steps(2);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_01", "Skirt_01"]);
    harness.get_by_label("Skirt_01").click_modifiers(Modifiers::COMMAND);
    harness.run_steps(2);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_01"]);
}

#[test]
fn shift_click_selects_all_rows_between() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Skirt_01");
    harness.get_by_label("Skirt_02").click_modifiers(Modifiers::SHIFT);
    harness.run_steps(2);
    assert_eq!(selected_bone_names(&harness.state().session), ["Skirt_01", "Skirt_02"]);
}

#[test]
fn shift_click_selects_all_chains_between_and_activates_the_clicked_one() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Chains");
    let span = |harness: &mut Harness<'static, WindowFixture>, from: &str, to: &str| {
        click_label(harness, from);
        harness.get_by_label(to).click_modifiers(Modifiers::SHIFT);
        harness.run_steps(2);
        let session = &harness.state().session;
        let active = session.selection().active.map(|bone| session.character().skeleton.name(bone).to_owned());
        (session.inspection().selected_chains().len(), active.unwrap_or_default())
    };
    assert_eq!(span(&mut harness, "TwinTail_L_01", "Skirt_01"), (3, "Skirt_01".to_owned()));
    assert_eq!(span(&mut harness, "Skirt_02", "TwinTail_R_01"), (3, "TwinTail_R_01".to_owned()));
}

#[test]
fn arrow_keys_navigate_the_tree_and_expand_a_chain() {
    let mut harness = girl_harness();
    click_label(&mut harness, "TwinTail_L_01");
    assert!(harness.query_by_label("TwinTail_L_02").is_none());
    press_key(&mut harness, Modifiers::NONE, Key::ArrowRight);
    harness.get_by_label("TwinTail_L_02");
    press_key(&mut harness, Modifiers::NONE, Key::ArrowRight);
    press_key(&mut harness, Modifiers::NONE, Key::ArrowDown);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_03"]);
    press_key(&mut harness, Modifiers::SHIFT, Key::ArrowDown);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_03", "TwinTail_L_04"]);
    press_key(&mut harness, Modifiers::NONE, Key::ArrowLeft);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_L_01"]);
    press_key(&mut harness, Modifiers::NONE, Key::ArrowLeft);
    assert!(harness.query_by_label("TwinTail_L_02").is_none());
}

#[test]
fn shortcuts_work_while_the_tree_has_focus() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Skirt_01");
    press_key(&mut harness, Modifiers::NONE, Key::Space);
    assert!(harness.state().session.playback().settings().playing);
    assert_eq!(selected_bone_names(&harness.state().session), ["Skirt_01"]);
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.state().session.selection().bones.is_empty());
}

#[test]
fn the_tree_reveals_a_bone_selected_elsewhere() {
    let mut harness = girl_harness();
    assert!(harness.query_by_label("TwinTail_R_03").is_none());
    select_bone(&mut harness.state_mut().session, "TwinTail_R_03");
    harness.run_steps(3);
    harness.get_by_label("TwinTail_R_03");
}

#[test]
fn a_search_shows_only_matches_and_enter_selects_them() {
    let mut harness = girl_harness();
    press_key(&mut harness, Modifiers::COMMAND, Key::F);
    harness.get_by_label("Name or *pattern*").type_text("*tail_r*");
    harness.run_steps(3);
    harness.get_by_label("TwinTail_R_03");
    harness.get_by_label("Head");
    assert!(harness.query_by_label("Skirt_01").is_none());
    press_key(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(selected_bone_names(&harness.state().session), ["TwinTail_R_01", "TwinTail_R_02", "TwinTail_R_03"]);
}

#[test]
fn typing_into_the_search_triggers_no_shortcuts() {
    let mut harness = girl_harness();
    press_key(&mut harness, Modifiers::COMMAND, Key::F);
    press_key(&mut harness, Modifiers::NONE, Key::Space);
    press_key(&mut harness, Modifiers::NONE, Key::C);
    assert!(!harness.state().session.playback().settings().playing);
    assert_eq!(harness.state_mut().ui.state_mut().drawer_tab, None);
}

#[test]
fn hovering_a_row_hovers_its_bone() {
    let mut harness = girl_harness();
    harness.get_by_label("Skirt_02").hover();
    harness.run_steps(3);
    let session = &harness.state().session;
    assert_eq!(session.selection().hovered, Some(girl::bone(session, "Skirt_02")));
    harness.hover_at(egui::pos2(700.0, 400.0));
    harness.run_steps(3);
    assert_eq!(harness.state().session.selection().hovered, None);
}

#[test]
fn an_excluded_bone_can_be_included_with_its_eye_button() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Show スカート飾り");
    assert!(harness.state().session.document().excluded_bones.is_empty());
}

#[test]
fn the_chain_list_groups_by_part_and_selects_whole_chains() {
    let mut harness = girl_harness();
    harness.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    click_label(&mut harness, "Chains");
    harness.get_by_label("Ribbon");
    click_label(&mut harness, "TwinTail_R_01");
    let session = &harness.state().session;
    assert_eq!(selected_bone_names(session), ["TwinTail_R_01", "TwinTail_R_02", "TwinTail_R_03"]);
    assert_eq!(session.selection().scope, TuningScope::Chains);
    assert_eq!(session.selection().active, Some(girl::bone(session, "TwinTail_R_01")));
}

#[test]
fn a_chain_can_be_renamed_in_its_row() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Chains");
    harness.get_by_label("Skirt_01").click_secondary();
    harness.run_steps(3);
    click_label(&mut harness, "Rename");
    harness.get_by_label("Rename").type_text("Skirt_01 left");
    harness.run_steps(2);
    press_key(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(harness.state().session.document().chains.values().any(|c| c.name == "Skirt_01 left"));
}

#[test]
fn the_chain_menu_sets_the_part_of_all_selected_chains_in_one_undo_step() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Skirt_01");
    harness.get_by_label("Skirt_02").click_modifiers(Modifiers::COMMAND);
    harness.run_steps(2);
    click_label(&mut harness, "Chain");
    click_label(&mut harness, "Set part");
    click_label(&mut harness, "Tail");
    let parts = |s: &Session| s.document().chains.values().filter(|c| c.part == ChainPart::Tail).count();
    assert_eq!(parts(&harness.state().session), 2);
    press_key(&mut harness, Modifiers::COMMAND, Key::Z);
    assert_eq!(parts(&harness.state().session), 0);
}

#[test]
fn the_eye_button_hides_and_shows_a_mesh() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Meshes");
    harness.get_by_label("Hair").hover();
    harness.run_steps(2);
    click_label(&mut harness, "Hide Hair");
    assert_eq!(harness.state_mut().ui.state_mut().mesh_visibility, [true, false]);
    click_label(&mut harness, "Show Hair");
    assert_eq!(harness.state_mut().ui.state_mut().mesh_visibility, [true, true]);
}

#[test]
fn a_mesh_that_the_file_hides_starts_hidden_and_can_be_shown() {
    let session = girl::session();
    let mut character = yuremono_sim::rig::Character::clone(session.character());
    character.meshes[1].is_hidden = true;
    let session = Session::new(std::sync::Arc::new(character), session.document().clone());
    let mut harness = window_harness(WindowFixture::new(session, Prefs::default()), WINDOW_SIZE);
    assert_eq!(harness.state_mut().ui.state_mut().mesh_visibility, [true, false]);
    click_label(&mut harness, "Meshes");
    harness.get_by_label("Hair").hover();
    harness.run_steps(2);
    click_label(&mut harness, "Show Hair");
    assert_eq!(harness.state_mut().ui.state_mut().mesh_visibility, [true, true]);
}

#[test]
fn the_light_turns_by_keys_and_in_the_view_menu() {
    let mut harness = girl_harness();
    let degrees = |harness: &Harness<'static, WindowFixture>| harness.state().ui.prefs().look.key_light().degrees();
    assert_eq!(degrees(&harness), -30.0);
    for _ in 0..3 {
        press_key(&mut harness, Modifiers::NONE, Key::CloseBracket);
    }
    assert_eq!(degrees(&harness), 15.0);
    press_key(&mut harness, Modifiers::NONE, Key::OpenBracket);
    assert_eq!(degrees(&harness), 0.0);
    let view = harness.query_all_by_label("View").last().expect("the view menu of the viewport");
    view.click();
    harness.run_steps(3);
    click_label(&mut harness, "Turn light to the left");
    click_label(&mut harness, "Flat light");
    click_label(&mut harness, "Transparent pictures");
    let look = harness.state().ui.prefs().look;
    assert_eq!((degrees(&harness), look.background), (-15.0, yuremono::ui::ViewportBackground::FlatLight));
    assert!(look.transparent_pictures);
}

#[test]
fn a_click_in_the_collider_list_selects_the_collider() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Colliders");
    click_label(&mut harness, "UpperLeg_L_collider");
    assert!(harness.state().session.selection().active_object.is_some());
}

#[test]
fn an_empty_chain_list_explains_what_to_do() {
    let character = girl::character();
    let session = Session::new(character.into(), yuremono_model::document::Document::default());
    let mut harness = window_harness(WindowFixture::new(session, Prefs::default()), WINDOW_SIZE);
    click_label(&mut harness, "Chains");
    harness.get_by_label_contains("No chains yet");
}

#[test]
fn the_window_can_switch_to_japanese() {
    let mut harness = girl_harness();
    click_label(&mut harness, "Language: English");
    click_label(&mut harness, "日本語");
    harness.get_by_label("ファイル");
    harness.get_by_role_and_label(egui::Role::Tab, "ボーン");
    harness.get_by_label("チェーンを検出");
    harness.get_by_label("ジョイント16個");
    assert_eq!(harness.state().ui.prefs().lang, Lang::Ja);
}

#[test]
fn the_sample_offers_to_open_a_character() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.is_sample = true;
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    harness.get_by_label("Sample character");
    click_label(&mut harness, "Open character");
    assert_eq!(harness.state().requests, [AppRequest::OpenDialog]);
}

#[test]
fn a_character_changed_on_disk_can_be_reloaded() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.changed_on_disk = true;
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    harness.get_by_label("girl.vrm changed on disk.");
    click_label(&mut harness, "Reload");
    assert_eq!(harness.state().requests, [AppRequest::ReloadCharacter]);
}

#[test]
fn a_table_changed_on_disk_can_be_imported_again() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.changed_table = Some("hair.csv");
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    harness.get_by_label("hair.csv changed on disk.");
    click_label(&mut harness, "Show what changed");
    click_label(&mut harness, "Dismiss");
    assert_eq!(harness.state().requests, [AppRequest::ReimportTable, AppRequest::IgnoreTableChange]);
}

#[test]
fn a_project_changed_on_disk_offers_reload_resolve_save_and_dismiss() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    // The character changed too, but the notice about the project has priority.
    (fixture.project_on_disk, fixture.changed_on_disk) = (DiskStatus::Changed, true);
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    click_label(&mut harness, "Reload");
    harness.state_mut().has_unsaved_changes = true;
    harness.run_steps(2);
    click_label(&mut harness, "Choose version…");
    harness.state_mut().project_on_disk = DiskStatus::Missing;
    harness.run_steps(2);
    click_label(&mut harness, "Save again");
    click_label(&mut harness, "Dismiss");
    let requested =
        [AppRequest::ReloadProject, AppRequest::ShowProjectConflict, AppRequest::Save, AppRequest::IgnoreProjectChange];
    assert_eq!(harness.state().requests, requested);
}

#[test]
fn saving_over_a_changed_project_offers_overwrite_reload_save_as_and_cancel() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    (fixture.question, fixture.has_unsaved_changes) = (Some(Question::ProjectChanged), true);
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    for button in ["Overwrite file", "Reload file", "Save as…", "Cancel"] {
        click_label(&mut harness, button);
    }
    press_key(&mut harness, Modifiers::COMMAND, Key::Z);
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    let requested = [
        AppRequest::OverwriteProject,
        AppRequest::ReloadProject,
        AppRequest::SaveAs,
        AppRequest::CancelClose,
        AppRequest::CancelClose,
    ];
    assert_eq!(harness.state().requests, requested);
}

#[test]
fn opening_can_be_cancelled() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.open_progress = Some(0.62);
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    click_label(&mut harness, "Cancel Opening Fox.glb");
    assert_eq!(harness.state().requests, [AppRequest::CancelOpening]);
}

#[test]
fn closing_with_unsaved_changes_asks() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    (fixture.question, fixture.has_unsaved_changes) = (Some(CLOSING), true);
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    click_label(&mut harness, "Save");
    assert_eq!(harness.state().requests, [AppRequest::Save]);
    harness.state_mut().question = None;
    harness.run_steps(1);
    assert!(harness.query_by_label("Save").is_none(), "the application closes the question");
}

#[test]
fn enter_saves_before_closing_and_a_project_can_be_saved_elsewhere() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    (fixture.question, fixture.has_unsaved_changes) = (Some(CLOSING), true);
    fixture.project_name = Some("hair.yure");
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    press_key(&mut harness, Modifiers::NONE, Key::Enter);
    click_label(&mut harness, "Save as…");
    assert_eq!(harness.state().requests, [AppRequest::Save, AppRequest::SaveAs]);
    let beside = egui::pos2(20.0, WINDOW_SIZE[1] - 40.0);
    harness.drag_at(beside);
    harness.drop_at(beside);
    harness.run_steps(3);
    assert_eq!(harness.state().requests.len(), 2, "a click next to the question is no answer");
}

fn mean_values() -> Question {
    Question::SaveChangedSprings(SpringChanges { has_mean_values: true, converted: None })
}

#[test]
fn average_values_are_saved_into_vrm_0_only_after_confirmation() {
    for (button, request) in [("Save springs", AppRequest::SaveChangedSprings), ("Cancel", AppRequest::CancelClose)] {
        let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
        fixture.question = Some(mean_values());
        let mut harness = window_harness(fixture, WINDOW_SIZE);
        harness.run_steps(2);
        assert_eq!(harness.state().requests, [], "saving an unchanged document also requires confirmation");
        assert!(harness.query_by_label("Save springs that move differently?").is_some());
        click_label(&mut harness, button);
        assert_eq!(harness.state().requests, [request]);
    }
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.question = Some(mean_values());
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    assert_eq!(harness.state().requests, [AppRequest::CancelClose]);
}

#[test]
fn a_typed_path_can_be_opened() {
    let mut harness = girl_harness();
    harness.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::TypePath);
    harness.run_steps(3);
    harness.get_by_label("File path").type_text("/art/fox.glb");
    harness.run_steps(2);
    press_key(&mut harness, Modifiers::NONE, Key::Enter);
    assert_eq!(harness.state().requests, [AppRequest::OpenPath(PathBuf::from("/art/fox.glb"))]);
    assert!(harness.query_by_label("File path").is_none());
}

#[test]
fn a_narrow_window_collapses_the_outliner_to_icons() {
    let mut harness = window_harness(WindowFixture::new(girl::session(), Prefs::default()), [1000.0, 700.0]);
    assert!(harness.query_by_label("Head").is_none());
    // The button of the outliner comes before the switch of the viewport.
    harness.get_all_by_label("Bones").next().expect("a button").click();
    harness.run_steps(3);
    harness.get_by_label("Head");
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.query_by_label("Head").is_none());
}

#[test]
fn f6_cycles_the_focus_regions() {
    let mut harness = girl_harness();
    press_key(&mut harness, Modifiers::NONE, Key::F6);
    assert!(harness.get_by_label("File").is_focused());
    press_key(&mut harness, Modifiers::NONE, Key::F6);
    assert!(harness.get_by_role_and_label(egui::Role::Tab, "Chains").is_focused());
    press_key(&mut harness, Modifiers::SHIFT, Key::F6);
    assert!(harness.get_by_label("File").is_focused());
}

#[test]
fn f1_lists_shortcuts_and_mouse_gestures() {
    let mut harness = girl_harness();
    press_key(&mut harness, Modifiers::NONE, Key::F1);
    harness.get_by_label("Save project: Ctrl+S");
    for gesture in ["Orbit: Drag", "Pan: Right drag", "Context menu: Right click", "10× finer: Shift+drag"] {
        assert!(harness.query_all_by_label(gesture).count() > 0, "{gesture}");
    }
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    assert!(harness.query_by_label("Save project: Ctrl+S").is_none());
}

#[test]
fn the_shortcuts_dialog_stays_centered_when_the_window_is_resized() {
    let mut harness = girl_harness();
    let cross = |h: &Harness<'static, WindowFixture>| h.get_by_role_and_label(egui::Role::Button, "Close").rect();
    press_key(&mut harness, Modifiers::NONE, Key::F1);
    let wide = cross(&harness);
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    harness.set_size(egui::vec2(1280.0, 720.0));
    harness.run_steps(3);
    press_key(&mut harness, Modifiers::NONE, Key::F1);
    let narrow = cross(&harness);
    // The list has the same width in both windows, so its right edge moves by half the difference.
    let moved = wide.center().x - narrow.center().x;
    assert!((moved - (WINDOW_SIZE[0] - 1280.0) / 2.0).abs() < 1.0, "{wide:?} and {narrow:?}");
}

#[test]
fn the_window_can_be_rendered_at_all_sizes_in_both_themes_and_languages() {
    let small = [
        ("light-ja-960", ThemeMode::Light, Lang::Ja, [960.0, 600.0], 1.0),
        ("dark-en-480", ThemeMode::Dark, Lang::En, [480.0, 300.0], 2.0),
    ];
    let for_looking = [
        ("dark-en-1440", ThemeMode::Dark, Lang::En, WINDOW_SIZE, 1.0),
        ("light-ja-1440", ThemeMode::Light, Lang::Ja, WINDOW_SIZE, 1.0),
        ("dark-ja-1280", ThemeMode::Dark, Lang::Ja, [1280.0, 720.0], 1.0),
        ("light-en-1280", ThemeMode::Light, Lang::En, [1280.0, 720.0], 1.0),
        ("dark-en-1920", ThemeMode::Dark, Lang::En, [1920.0, 1080.0], 1.0),
        ("dark-en-960", ThemeMode::Dark, Lang::En, [960.0, 600.0], 1.0),
        ("light-en-200", ThemeMode::Light, Lang::En, [1280.0, 720.0], 2.0),
    ];
    let more = support::folder_or_skip("YUREMONO_PICTURES").map_or(&[][..], |_| &for_looking);
    for &(name, mode, lang, size, density) in small.iter().chain(more) {
        let mut session = girl::session();
        select_bone(&mut session, "TwinTail_L_04");
        session.handle(Command::SetParam(ParamId(0), 300.0));
        let prefs = Prefs { mode, lang, ..Prefs::default() };
        let Some(mut harness) = painted_harness(WindowFixture::new(session, prefs), size, density) else { return };
        harness.run_steps(2);
        let picture = harness.render().expect("drawn");
        let panel = [0, 1, 2].map(|c| picture.get_pixel((3.0 * density) as u32, (3.0 * density) as u32).0[c]);
        let color = yuremono::ui::kit::theme::Theme::new(mode, lang).color.panel;
        assert_eq!(panel, [color.r(), color.g(), color.b()], "{name}");
        save_picture(&mut harness, &format!("chrome-{name}.png"));
    }
}

#[test]
fn menus_and_small_dialogs_can_be_rendered() {
    let Some(mut harness) = painted_harness(WindowFixture::new(girl::session(), Prefs::default()), WINDOW_SIZE, 1.0)
    else {
        return;
    };
    select_bone(&mut harness.state_mut().session, "TwinTail_L_01");
    for menu in ["File", "Edit", "Chain", "Setup", "View", "Window", "Help"] {
        // The viewport has a button with the same label as one of the menus, but lower in the window.
        let named = harness.get_all_by_label(menu);
        named.min_by(|a, b| a.rect().top().total_cmp(&b.rect().top())).expect("a menu").click();
        harness.run_steps(3);
        save_picture(&mut harness, &format!("chrome-menu-{menu}.png"));
        press_key(&mut harness, Modifiers::NONE, Key::Escape);
    }
    for (name, window) in
        [("shortcuts", DialogKind::Shortcuts), ("about", DialogKind::About), ("path", DialogKind::TypePath)]
    {
        harness.state_mut().ui.state_mut().dialogs_to_open.push(window);
        harness.run_steps(4);
        save_picture(&mut harness, &format!("chrome-{name}.png"));
        press_key(&mut harness, Modifiers::NONE, Key::Escape);
    }
    for (tab, _) in OutlinerTab::ALL {
        harness.state_mut().ui.state_mut().outliner_tab = tab;
        harness.state_mut().open_progress = Some(0.62);
        harness.state_mut().changed_on_disk = true;
        harness.run_steps(2);
        save_picture(&mut harness, &format!("chrome-tab-{tab:?}.png"));
    }
    harness.state_mut().has_unsaved_changes = true;
    harness.state_mut().question = Some(CLOSING);
    harness.run_steps(3);
    save_picture(&mut harness, "chrome-closing.png");
    for (lang, name) in [(Lang::En, "chrome-replacing-en.png"), (Lang::Ja, "chrome-replacing-ja.png")] {
        let prefs = Prefs { lang, ..Prefs::default() };
        let mut fixture = WindowFixture::new(girl::session(), prefs);
        (fixture.question, fixture.project_on_disk, fixture.has_unsaved_changes) =
            (Some(Question::ProjectChanged), DiskStatus::Changed, true);
        let Some(mut harness) = painted_harness(fixture, WINDOW_SIZE, 1.0) else { return };
        save_picture(&mut harness, name);
    }
}

#[test]
fn a_collapsed_panel_opens_over_the_viewport() {
    let Some(mut harness) = painted_harness(WindowFixture::new(girl::session(), Prefs::default()), [940.0, 640.0], 1.0)
    else {
        return;
    };
    // The button of the outliner comes before the switch of the viewport.
    harness.get_all_by_label("Bones").next().expect("a button").click();
    harness.run_steps(3);
    save_picture(&mut harness, "chrome-folded-outliner.png");
    let tree = harness.get_by_label("Head").rect();
    assert!(tree.left() >= 40.0 && tree.right() <= 300.0, "{tree}");
    press_key(&mut harness, Modifiers::NONE, Key::Escape);
    click_label(&mut harness, "Inspector");
    save_picture(&mut harness, "chrome-folded-inspector.png");
    assert!(harness.query_by_label("Head").is_none());
}

#[test]
fn the_search_button_shows_how_many_objects_it_selects() {
    let mut harness = girl_harness();
    press_key(&mut harness, Modifiers::COMMAND, Key::F);
    harness.get_by_label("Name or *pattern*").type_text("twintail_r_01");
    harness.run_steps(3);
    click_label(&mut harness, "Select 1 chain, 3 joints");
    let session = &harness.state().session;
    assert_eq!(session.selection().highlighted_joints(session.document()).len(), 3);
    harness.state_mut().session.handle(Command::SetTuningScope(TuningScope::Joints));
    harness.run_steps(3);
    click_label(&mut harness, "Select 1 joint");
    let session = &harness.state().session;
    assert_eq!(session.selection().highlighted_joints(session.document()).len(), 1);
    harness.get_by_label("Name or *pattern*").focus();
    press_key(&mut harness, Modifiers::COMMAND, Key::A);
    harness.get_by_label("Name or *pattern*").type_text("upperleg");
    harness.run_steps(3);
    click_label(&mut harness, "Select 2 bones");
    assert_eq!(harness.state().session.selection().bones.len(), 2, "descendants of matching bones do not match");
}

#[test]
fn without_chains_the_tree_and_the_inspector_offer_detection() {
    let session = Session::new(girl::character().into(), yuremono_model::document::Document::default());
    let mut harness = window_harness(WindowFixture::new(session, Prefs::default()), WINDOW_SIZE);
    let offers: Vec<_> = harness.query_all_by_label("Detect chains").map(|button| button.rect().center()).collect();
    assert_eq!(offers.len(), 2, "in the tree and in the inspector");
    assert!(offers[0].x < 300.0 && offers[1].x > 1000.0 && offers[1].y < 400.0, "{offers:?}");
    let in_inspector = harness.query_all_by_label("Detect chains").last().expect("counted above");
    in_inspector.click();
    harness.run_steps(4);
    assert!(
        harness.query_by_label_contains("Nothing changes until").is_some()
            || harness.query_by_label_contains("found").is_some()
    );
    let with_chains = girl_harness();
    assert_eq!(with_chains.query_all_by_label("Detect chains").count(), 1, "the button is only below the tree");
}

#[test]
fn header_and_title_show_the_project_name_and_unsaved_changes() {
    let mut fixture = WindowFixture::new(girl::session(), Prefs::default());
    fixture.project_name = Some("hair.yuremono");
    let mut harness = window_harness(fixture, WINDOW_SIZE);
    harness.get_by_label("hair.yuremono");
    harness.state_mut().has_unsaved_changes = true;
    harness.run_steps(3);
    harness.get_by_label("hair.yuremono, unsaved");
    harness.state_mut().project_name = None;
    harness.run_steps(3);
    harness.get_by_label("girl.vrm, unsaved");
    let file = FileView { name: "girl.vrm", ..FileView::default() };
    assert_eq!(file.window_title(Lang::En), "girl.vrm – Yuremono");
    let file = FileView { project: Some("hair.yuremono"), has_unsaved_changes: true, ..file };
    assert_eq!(file.window_title(Lang::En), "● hair.yuremono – Yuremono");
    let sample = FileView { name: "sample.vrm", is_sample: true, ..FileView::default() };
    assert_eq!(sample.window_title(Lang::Ja), format!("{} – Yuremono", yuremono::tr!(Lang::Ja, "Sample character")));
}

/// Returns the texts that the window paints, in the order of painting, without icons.
fn painted_texts(harness: &Harness<'static, WindowFixture>) -> Vec<String> {
    fn collect(shape: &egui::Shape, texts: &mut Vec<String>) {
        match shape {
            egui::Shape::Text(text) => texts.push(text.galley.text().to_owned()),
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| collect(shape, texts)),
            _ => {}
        }
    }
    let mut texts = Vec::new();
    harness.output().shapes.iter().for_each(|clipped| collect(&clipped.shape, &mut texts));
    texts.retain(|text| text.chars().count() > 1);
    texts
}

#[test]
fn files_over_the_window_show_what_a_drop_will_do() {
    let entry = |action, name: &str, count| DropEntry { action, file_name: name.to_owned(), count };
    let entries = vec![
        entry(DropAction::AddMotion, "walk.vrma", 3),
        entry(DropAction::OpenCharacter, "fox.vrm", 1),
        entry(DropAction::Ignore, "notes.md", 1),
    ];
    for (lang, expected) in [
        (Lang::En, ["Add 3 motions", "walk.vrma and 2 more", "Open character", "fox.vrm", "Not opened", "notes.md"]),
        (Lang::Ja, ["モーション3個を追加", "walk.vrmaほか2件", "キャラクターを開く", "fox.vrm", "対象外", "notes.md"]),
    ] {
        let prefs = Prefs { lang, ..Prefs::default() };
        let mut harness = window_harness(WindowFixture::new(girl::session(), prefs), WINDOW_SIZE);
        assert!(!painted_texts(&harness).contains(&"fox.vrm".to_owned()));
        harness.state_mut().hovered_files = entries.clone();
        harness.run_steps(2);
        let texts = painted_texts(&harness);
        assert_eq!(texts[texts.len() - expected.len()..], expected, "the overlay is above everything else");
        harness.state_mut().hovered_files.clear();
        harness.run_steps(2);
        assert!(!painted_texts(&harness).contains(&"fox.vrm".to_owned()));
    }
}

#[test]
fn the_drop_overlay_in_pictures() {
    let entry = |action, name: &str| DropEntry { action, file_name: name.to_owned(), count: 1 };
    for (mode, name) in [(ThemeMode::Dark, "drop-dark.png"), (ThemeMode::Light, "drop-light.png")] {
        let prefs = Prefs { mode, ..Prefs::default() };
        let fixture = WindowFixture::new(girl::session(), prefs);
        let Some(mut harness) = painted_harness(fixture, WINDOW_SIZE, 1.0) else { return };
        harness.state_mut().hovered_files =
            vec![entry(DropAction::AddMotion, "walk.vrma"), entry(DropAction::OpenCharacter, "fox.vrm")];
        harness.run_steps(2);
        save_picture(&mut harness, name);
        let picture = harness.render().expect("drawn");
        let [width, height] = WINDOW_SIZE.map(|side| side as u32);
        let edge = picture.get_pixel(width / 2, 9).0;
        let accent = yuremono::ui::kit::theme::Theme::new(mode, Lang::En).color.accent;
        assert_eq!(edge[..3], accent.to_array()[..3], "the edge of the window at {width} x {height}");
    }
}
