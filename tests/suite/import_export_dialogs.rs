//! Tests the dialogs for import, name mapping, chain detection and export, operated through their labels.
//!
//! Set `YUREMONO_PICTURES` to a folder to save pictures of the dialogs.

mod tables;

use super::support;
use super::support::glow_renderer::{GlowRenderer, headless_or_skip};
use egui::{Key, Modifiers, Role, UiBuilder, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{AccessKitNode, By, NodeT as _, Queryable as _};
use std::path::PathBuf;
use std::sync::Arc;
use yuremono::ui::kit::i18n::Lang;
use yuremono::ui::kit::theme::ThemeMode;
use yuremono::ui::{AppRequest, DialogKind, FileView, MainWindow, Prefs, TaskStatus, UiInput};
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::tables::write_setup;
use yuremono_model::document::{Document, FlipAxis, Passthrough, SetupEntry};
use yuremono_model::exchange::remap::RemapRules;
use yuremono_model::exchange::{ExportOptions, export};
use yuremono_session::{Command, SelectMode, Session};
use yuremono_sim::math::{Curve, CurveShape, JsonNumber};
use yuremono_sim::params::{ParamId, ParamMeaning, enumerate_params};
use yuremono_sim::rig::Skeleton;

/// The main window with a session that handles every command.
struct DialogFixture {
    session: Session,
    ui: MainWindow,
    requests: Vec<AppRequest>,
}

impl DialogFixture {
    fn show(&mut self, ui: &mut egui::Ui) {
        let file = FileView { name: "sample.vrm", is_sample: true, ..FileView::default() };
        let nothing = |_, _, _: &[bool]| None;
        let input = UiInput {
            session: &self.session,
            file,
            draw_character: &nothing,
            bounds: None,
            step_seconds: 0.0,
            picture: yuremono::ui::PictureStatus::default(),
            motion_fit: TaskStatus::Idle,
            bake: TaskStatus::Idle,
            clipping: TaskStatus::Idle,
            doctor: TaskStatus::Idle,
            capture: yuremono::ui::CaptureView::default(),
            live: yuremono::ui::LiveView::default(),
            environment: "",
            hovered_files: &[],
        };
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        let output = self.ui.show(&mut root, &input);
        output.commands.into_iter().for_each(|command| self.session.handle(command));
        self.requests.extend(output.requests);
    }

    fn open_import(&mut self, text: &str) {
        let (file, found) = yuremono_format::tables::read_setup(text.as_bytes(), "hair.csv").expect("a table");
        self.ui.dialogs_mut().open_import("hair.csv", file, found, &self.session);
    }

    fn open_dialog(&mut self, window: DialogKind) {
        self.ui.state_mut().dialogs_to_open.push(window);
    }
}

/// Returns a session with the unchanged sample character.
fn sample_session() -> Session {
    let opened = support::sample(yuremono_sim::SolverKind::UnityChanSpringBone);
    Session::new(opened.character, opened.document)
}

/// Returns the sample character without chains.
fn sample_session_without_chains() -> Session {
    let sample = sample_session();
    Session::new(Arc::clone(sample.character()), Document::default())
}

/// Returns the sample character with many values that no table can store.
fn session_with_values_that_csv_cannot_store() -> Session {
    let mut sample = sample_session();
    let chains: Vec<_> = sample.document().chains.values().map(|c| c.joints.clone()).collect();
    let bones = |i: usize| chains[i].iter().map(|j| j.bone).collect::<Vec<_>>();
    sample.handle(Command::SetJointsEnabled(bones(1), false));
    sample.handle(Command::SetExcluded(chains[2][1].bone, true));
    sample.handle(Command::Select(bones(3), SelectMode::Replace));
    let stiffness = stiffness_param(&sample);
    sample.handle(Command::SetParamCurve(stiffness, Some(Curve::from_shape(CurveShape::Ease))));
    let system =
        |(_, def): &(_, &yuremono_sim::params::ParamDef)| def.scope == yuremono_sim::params::ParamScope::System;
    let param = enumerate_params(sample.document().main_system().param_defs())
        .find(system)
        .expect("a value of the whole character")
        .0;
    sample.handle(Command::SetParam(param, 7.0));
    sample
}

fn stiffness_param(session: &Session) -> ParamId {
    enumerate_params(session.document().main_system().param_defs())
        .find(|(_, def)| def.meaning == ParamMeaning::Stiffness)
        .expect("stiffness")
        .0
}

fn prefs(mode: ThemeMode, lang: Lang) -> Prefs {
    Prefs { mode, lang, reduce_motion: true, ..Prefs::default() }
}

fn dialog_fixture(session: Session, prefs: Prefs) -> DialogFixture {
    DialogFixture { session, ui: MainWindow::new(prefs), requests: Vec::new() }
}

fn english_dialog_fixture(session: Session) -> DialogFixture {
    dialog_fixture(session, prefs(ThemeMode::Dark, Lang::En))
}

fn dialog_harness(fixture: DialogFixture) -> Harness<'static, DialogFixture> {
    let builder = Harness::builder()
        .with_size(vec2(1280.0, 720.0))
        .with_context_setup(yuremono::ui::kit::fonts::install_unhinted);
    let mut harness = builder.build_ui_state(|ui, fixture: &mut DialogFixture| fixture.show(ui), fixture);
    harness.run_steps(4);
    harness
}

fn click_label(harness: &mut Harness<'static, DialogFixture>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(4);
}

/// Returns the table of this character, with every stiffness 10 percent higher.
fn table_with_higher_stiffness(session: &Session) -> String {
    let mut exported = export(session.document(), &session.character().skeleton, ExportOptions::new(DEFAULT_FORMAT));
    let name = session.document().main_system().solver.info().params[stiffness_param(session).index()].name;
    for item in &mut exported.file.entries {
        if let Ok(SetupEntry::Joint(joint)) = &mut item.content
            && let Some(value) = joint.joint.overrides.get_mut(name)
        {
            *value = JsonNumber((value.0 * 1.1).round());
        }
    }
    let bytes = write_setup(&exported.file, ExportOptions::new(DEFAULT_FORMAT));
    String::from_utf8(bytes).expect("UTF-8")
}

/// Returns the line indices of the bone rows in a table.
fn bone_row_lines(text: &str) -> Vec<usize> {
    let mut inside = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line == "[SpringBones]";
        } else if inside && !line.is_empty() && !line.starts_with("//") {
            found.push(at);
        }
    }
    found
}

/// Returns the number of rows in all sections of a table. Comment rows are not counted.
fn row_count(text: &str) -> usize {
    let row = |line: &&str| !line.is_empty() && !line.starts_with("//") && !line.starts_with('[');
    text.lines().filter(row).count() - 1
}

/// Changes the bone rows of a table. `change` receives the index among bone rows and the line.
fn change_bone_rows(text: &str, change: impl Fn(usize, &str) -> String) -> String {
    let rows = bone_row_lines(text);
    let line =
        |(at, line): (usize, &str)| rows.iter().position(|r| *r == at).map_or(line.to_owned(), |i| change(i, line));
    text.lines().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a typical table: most rows match, one bone is unknown, one cell is not a number, and one name is a formula.
fn table_with_invalid_rows(session: &Session) -> String {
    change_bone_rows(&table_with_higher_stiffness(session), |i, line| {
        let (name, rest) = line.split_once(',').expect("cells");
        match i {
            2 => format!("Ribbon_Back,{rest}"),
            4 => format!("{name},o.5,{}", rest.split_once(',').expect("cells").1),
            6 => format!("=Bell,{rest}"),
            _ => line.to_owned(),
        }
    })
}

/// Returns the table with the bone names of another character: all names have a prefix, and some words differ.
fn table_with_other_bone_names(session: &Session) -> String {
    change_bone_rows(&table_with_higher_stiffness(session), |i, line| {
        let (name, rest) = line.split_once(',').expect("cells");
        match i {
            3 => format!("cape_01,{rest}"),
            n if n % 5 == 1 => format!("{}_x,{rest}", name.to_lowercase()),
            _ => format!("Hair_{name},{rest}"),
        }
    })
}

#[test]
fn the_import_dialog_shows_row_counts() {
    let session = sample_session();
    let text = table_with_invalid_rows(&session);
    let all = bone_row_lines(&text).len();
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let harness = dialog_harness(fixture);
    harness.get_by_label(&format!("{} rows match", all - 3));
    harness.get_by_label("2 without bone");
    harness.get_by_label("1 unreadable");
    harness.get_by_label("2 not in the file, kept");
    harness.get_by_label(&format!("Import {} rows", row_count(&text) - 3));
}

#[test]
fn a_count_card_filters_the_rows() {
    let session = sample_session();
    let text = table_with_invalid_rows(&session);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "2 without bone");
    assert_eq!(harness.get_all_by_role(Role::Row).count(), 2);
    harness.get_by_label("=Bell");
    click_label(&mut harness, "2 not in the file, kept");
    assert_eq!(harness.get_all_by_role(Role::Row).count(), 2);
}

#[test]
fn importing_a_table_is_one_undo_step() {
    let session = sample_session();
    let before = session.document().clone();
    let text = table_with_higher_stiffness(&session);
    let all = row_count(&text);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    assert_eq!(harness.state().session.document(), &before, "nothing changes before the button is pressed");
    click_label(&mut harness, &format!("Import {all} rows"));
    let session = &mut harness.state_mut().session;
    assert_ne!(session.document(), &before);
    assert_eq!(session.history().next_undo().map(|l| l.text.to_string()), Some(format!("Import {all} rows")));
    session.handle(Command::Undo);
    assert_eq!(session.document(), &before);
    assert!(session.history().next_undo().is_none());
    assert!(harness.query_by_label("Map names…").is_none(), "closed");
}

#[test]
fn an_excluded_row_is_not_imported() {
    let session = sample_session();
    let text = table_with_higher_stiffness(&session);
    let rows = bone_row_lines(&text);
    let name = text.lines().nth(rows[0]).and_then(|l| l.split(',').next()).expect("a name").to_owned();
    let bone = session.character().skeleton.find(&name).expect("a bone of the sample");
    let (chain, at) = session.document().find_joint(bone).expect("a joint");
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, &format!("Include {name}"));
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Enter);
    harness.run_steps(4);
    let session = &harness.state().session;
    assert_eq!(
        session.history().next_undo().map(|l| l.text.to_string()),
        Some(format!("Import {} rows", row_count(&text) - 1))
    );
    assert_eq!(session.document().chains[&chain].joints[at], session.loaded().chains[&chain].joints[at]);
}

#[test]
fn cancel_and_escape_change_nothing() {
    for escape in [false, true] {
        let session = sample_session();
        let before = session.document().clone();
        let text = table_with_higher_stiffness(&session);
        let mut fixture = english_dialog_fixture(session);
        fixture.open_import(&text);
        let mut harness = dialog_harness(fixture);
        if escape {
            harness.key_press(Key::Escape);
            harness.run_steps(4);
        } else {
            click_label(&mut harness, "Cancel");
        }
        assert!(harness.query_by_label("Map names…").is_none(), "closed, by escape: {escape}");
        assert_eq!(harness.state().session.document(), &before);
    }
}

/// Returns the text of the element that contains a part of it.
fn element_text(harness: &Harness<'static, DialogFixture>, part: &str) -> String {
    let element = harness.get_by_label_contains(part).accesskit_node();
    element.label().or_else(|| element.value()).expect("text")
}

/// Returns the label of the button that starts with a word, which a count follows.
fn button_label(harness: &Harness<'static, DialogFixture>, start: &str) -> String {
    let mut labels = harness.get_all_by_role(Role::Button).filter_map(|button| button.accesskit_node().label());
    let has_count = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    labels.find(|label| label.strip_prefix(start).is_some_and(has_count)).expect("a button")
}

#[test]
fn rows_with_mapped_names_are_imported() {
    let session = sample_session();
    let before = session.document().clone();
    let text = table_with_other_bone_names(&session);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "Map names…");
    harness.get_by_label("Use rule Strip prefix Hair_");
    let confirm = harness.query_by_label_contains("Confirm ").map(|n| n.accesskit_node().label().expect("words"));
    if let Some(confirm) = confirm {
        click_label(&mut harness, &confirm);
        assert!(harness.query_by_label_contains("Confirm ").is_none());
    }
    let number =
        |text: &str, at: usize| text.split(' ').nth(at).and_then(|n| n.parse::<usize>().ok()).expect("a count");
    let (apply, kept) = (button_label(&harness, "Apply "), element_text(&harness, " not applied; their rows are kept"));
    assert!(apply.ends_with(" names"), "{apply}");
    assert_eq!(number(&apply, 1) + number(&kept, 0), number(&kept, 2), "{apply}; {kept}");
    assert!(number(&apply, 1) >= bone_row_lines(&text).len() - 1, "{apply}");
    click_label(&mut harness, &apply);
    let session = &harness.state().session;
    assert_ne!(session.document(), &before);
    let is_kept = |kept: &Passthrough| matches!(kept, Passthrough::CsvRow { cells, .. } if cells[0] == "cape_01");
    assert!(session.document().setup.passthrough.iter().any(is_kept), "the row is kept");
}

/// Returns the text of the message about an import, and its counts: all, changed, unchanged, kept, skipped.
fn imported_message(session: &Session) -> (String, [usize; 5]) {
    let mut texts = session.messages().entries().iter().map(|entry| entry.diagnostic.message.to_string());
    let text = texts.find(|text| text.starts_with("hair.csv: of ")).expect("a message");
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok());
    let counts = std::array::from_fn(|_| numbers.next().expect("a count"));
    (text, counts)
}

#[test]
fn a_message_after_an_import_lists_what_changed_was_kept_and_was_not_found() {
    let session = sample_session();
    let text = table_with_invalid_rows(&session);
    let all = row_count(&text);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    let summary = element_text(&harness, " included; one undo step");
    let import = button_label(&harness, "Import ");
    let included = import.split(' ').nth(1).expect("a count");
    assert!(summary.contains(&format!("{included} of ")), "{summary}; {import}");
    click_label(&mut harness, &import);
    let (message, [total, changed, same, kept, skipped]) = imported_message(&harness.state().session);
    assert_eq!((changed + same + kept + skipped, total >= all), (total, true), "{message}");
    assert!(changed > 0 && kept > 0 && kept + skipped >= 3, "{message}");
    assert_eq!(changed + same, included.parse::<usize>().expect("a number"), "{message}; {import}");
    assert!(message.contains("names that were not found: Ribbon_Back"), "{message}");
}

#[test]
fn excluded_rows_are_skipped_but_not_kept() {
    let session = sample_session();
    let text = table_with_higher_stiffness(&session);
    let first = text.lines().nth(bone_row_lines(&text)[0]).and_then(|line| line.split(',').next()).expect("a row");
    let first = format!("Include {first}");
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, &first);
    let import = button_label(&harness, "Import ");
    click_label(&mut harness, &import);
    let (message, [.., kept, skipped]) = imported_message(&harness.state().session);
    assert_eq!((kept, skipped), (0, 1), "{message}");
    assert!(!message.contains("not found"), "{message}");
}

#[test]
fn a_target_bone_can_be_chosen_from_the_list() {
    let session = sample_session();
    let bone = session.document().chains.values().next().expect("a chain").root();
    let name = session.character().skeleton.name(bone).to_owned();
    let text = table_with_other_bone_names(&session);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "Map names…");
    click_label(&mut harness, "No match");
    click_label(&mut harness, "Target of cape_01");
    harness.get_by_label("Search bones").type_text(&name);
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    assert_eq!(harness.query_all_by_role(Role::Row).count(), 0, "every row has a bone");
}

#[test]
fn name_map_rules_can_be_saved_and_opened() {
    let session = sample_session();
    let text = table_with_other_bone_names(&session);
    let mut fixture = english_dialog_fixture(session);
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, "Map names…");
    click_label(&mut harness, "Save…");
    click_label(&mut harness, "Open…");
    let [AppRequest::SaveRules(bytes), AppRequest::OpenRules] = &harness.state().requests[..] else {
        panic!("{:?}", harness.state().requests)
    };
    let rules = String::from_utf8(bytes.clone()).expect("JSON");
    assert!(rules.contains("Hair_"));
    let other = rules.replace("Hair_", "Cape_");
    let rules = RemapRules::from_json(&other).expect("rules");
    let fixture = harness.state_mut();
    fixture.ui.dialogs_mut().set_rules(rules, &fixture.session);
    harness.run_steps(4);
    harness.get_by_label("Use rule Strip prefix Cape_");
}

#[test]
fn detected_chains_are_created_with_one_click() {
    let mut fixture = english_dialog_fixture(sample_session_without_chains());
    fixture.open_dialog(DialogKind::DetectChains);
    let mut harness = dialog_harness(fixture);
    let words = harness.get_by_label_contains("Create ").accesskit_node().label().expect("words");
    click_label(&mut harness, &words);
    let session = &harness.state().session;
    let count = session.document().chains.len();
    assert!(count > 5, "{count}");
    assert_eq!(words, format!("Create {count} chains"));
    assert_eq!(session.history().next_undo().map(|l| l.text.to_string()), Some(format!("Create {count} chains")));
    assert!(harness.query_by_label("Include all chains").is_none(), "closed");
}

#[test]
fn detection_without_results_says_what_to_do() {
    let mut fixture = english_dialog_fixture(sample_session());
    fixture.open_dialog(DialogKind::DetectChains);
    let harness = dialog_harness(fixture);
    harness.get_by_label_contains("choose Create chain from here");
}

#[test]
fn an_export_request_has_the_chosen_options() {
    let mut fixture = english_dialog_fixture(sample_session());
    fixture.open_dialog(DialogKind::Export);
    let mut harness = dialog_harness(fixture);
    assert!(harness.query_by_label("Unix LF").is_none(), "text format options are under Advanced");
    click_label(&mut harness, "Expand Advanced");
    click_label(&mut harness, "Unix LF");
    click_label(&mut harness, "7 digits");
    click_label(&mut harness, "Mirror Z");
    let words = format!("Export {} bones…", sample_session().document().joint_count());
    click_label(&mut harness, &words);
    let [AppRequest::ExportDialog(options)] = &harness.state().requests[..] else {
        panic!("{:?}", harness.state().requests)
    };
    assert_eq!((options.flip_axis, options.significant_digits), (FlipAxis::Z, Some(7)));
}

#[test]
fn joints_of_a_missing_bone_can_be_mapped_to_another_bone() {
    let mut session = sample_session();
    let (chain, before) = session.document().chains.iter().next().map(|(id, c)| (*id, c.clone())).expect("a chain");
    let root = before.root();
    let mut newer = (**session.character()).clone();
    let mut bones = newer.skeleton.bones().to_vec();
    bones[root.index()].name = format!("{}_new", bones[root.index()].name);
    newer.skeleton = Skeleton::new(bones).expect("the same tree");
    let lost = session.replace_character(Arc::new(newer));
    let name = lost.first().expect("one bone is gone").1.clone();
    assert_ne!(session.document().chains[&chain].root(), root);
    let mut fixture = english_dialog_fixture(session);
    fixture.ui.dialogs_mut().open_missing_bones(lost, &fixture.session);
    let mut harness = dialog_harness(fixture);
    click_label(&mut harness, &format!("Target of {name}"));
    harness.get_by_label("Search bones").type_text(&format!("{name}_new"));
    harness.run_steps(4);
    harness.key_press(Key::Enter);
    harness.run_steps(4);
    click_label(&mut harness, "Apply 1 name");
    assert_eq!(harness.state().session.document().chains[&chain], before);
}

#[test]
fn the_dialogs_are_shown_in_japanese() {
    let session = sample_session();
    let text = table_with_invalid_rows(&session);
    let mut fixture = dialog_fixture(session, prefs(ThemeMode::Light, Lang::Ja));
    fixture.open_import(&text);
    let mut harness = dialog_harness(fixture);
    harness.get_by_label_contains("読み取り不可");
    click_label(&mut harness, "名前の対応…");
    harness.get_by_label("ルールを追加");
}

/// Saves a picture of a window if the environment requests pictures.
fn save_picture_if_wanted(
    name: &str,
    fixture: DialogFixture,
    size: [f32; 2],
    density: f32,
    steps: impl FnOnce(&mut Harness<'static, DialogFixture>),
) {
    let Some(folder) = std::env::var_os("YUREMONO_PICTURES") else { return };
    let Some(headless) = headless_or_skip() else { return };
    let builder = Harness::builder()
        .with_size(vec2(size[0], size[1]))
        .with_pixels_per_point(density)
        .with_context_setup(yuremono::ui::kit::fonts::install)
        .renderer(GlowRenderer::new(headless));
    let mut harness = builder.build_ui_state(|ui, fixture: &mut DialogFixture| fixture.show(ui), fixture);
    harness.run_steps(6);
    steps(&mut harness);
    harness.run_steps(6);
    let image = harness.render().expect("drawn");
    image.save(PathBuf::from(folder).join(name)).expect("the folder can be written");
}

#[test]
fn the_dialogs_can_be_rendered() {
    const SIZES: [[f32; 2]; 2] = [[1280.0, 720.0], [1440.0, 900.0]];
    if support::folder_or_skip("YUREMONO_PICTURES").is_none() {
        return;
    }
    for (mode, lang, size, density) in [
        (ThemeMode::Dark, Lang::En, SIZES[1], 1.0),
        (ThemeMode::Dark, Lang::Ja, SIZES[0], 1.0),
        (ThemeMode::Light, Lang::En, SIZES[0], 1.0),
        (ThemeMode::Light, Lang::Ja, SIZES[1], 2.0),
    ] {
        let name = |what: &str| format!("{what}-{mode:?}-{}-{}.png", lang.code(), size[0] * density).to_lowercase();
        let prefs = || prefs(mode, lang);
        let map = yuremono::tr!(lang, "Map names…");
        let mut import = dialog_fixture(sample_session(), prefs());
        import.open_import(&table_with_invalid_rows(&import.session));
        save_picture_if_wanted(&name("import"), import, size, density, |_| {});
        let mut names = dialog_fixture(sample_session(), prefs());
        names.open_import(&table_with_other_bone_names(&names.session));
        save_picture_if_wanted(&name("names"), names, size, density, |h| click_label(h, &map));
        let target = yuremono::tr!(lang, "Target of {name}", name = "cape_01");
        let mut picker = dialog_fixture(sample_session(), prefs());
        picker.open_import(&table_with_other_bone_names(&picker.session));
        save_picture_if_wanted(&name("picker"), picker, size, density, |h| {
            click_label(h, &map);
            click_label(h, &target);
        });
        let mut detect = dialog_fixture(sample_session_without_chains(), prefs());
        detect.open_dialog(DialogKind::DetectChains);
        save_picture_if_wanted(&name("detect"), detect, size, density, |_| {});
        let mut empty = dialog_fixture(sample_session(), prefs());
        empty.open_dialog(DialogKind::DetectChains);
        save_picture_if_wanted(&name("empty"), empty, size, density, |_| {});
        let mut export = dialog_fixture(session_with_values_that_csv_cannot_store(), prefs());
        export.open_dialog(DialogKind::Export);
        save_picture_if_wanted(&name("export"), export, size, density, |_| {});
    }
}

/// Whether a button shows the number of rows that it imports.
fn has_row_count(node: &AccessKitNode<'_>) -> bool {
    node.label().is_some_and(|label| label.contains(" row"))
}

#[test]
fn map_names_is_the_primary_button_if_most_rows_have_no_bone() {
    let first = |text: &str| {
        let mut fixture = english_dialog_fixture(sample_session());
        fixture.open_import(text);
        let harness = dialog_harness(fixture);
        let map = harness.get_by_label("Map names…").rect();
        let import = By::new().role(Role::Button).label_contains("Import ").predicate(has_row_count);
        map.left() > harness.get(import).rect().right()
    };
    let session = sample_session();
    // The first button of a footer is the primary button, on the right.
    assert!(first(&table_with_other_bone_names(&session)), "the table of another character");
    assert!(!first(&table_with_invalid_rows(&session)), "the character's own table");
}
