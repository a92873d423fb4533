//! Tests that hold for all dialogs of the `dialogs!` list.

use super::*;
use crate::ui::actions::shortcuts;
use crate::ui::kit::theme::Theme;
use crate::ui::{
    AppRequest, CaptureView, Confirmation, DocumentId, DrawerTab, MainWindow, PictureStatus, Prefs, PresetLibrary,
    Question, RecoveryChoice, RecoveryView, TaskStatus, UiInput, UiOutput,
};
use egui::{Key, KeyboardShortcut, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use std::sync::LazyLock;
use yuremono_format::DEFAULT_FORMAT;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_model::document::ChainPart;
use yuremono_model::exchange::{ExportOptions, export};
use yuremono_model::feel::preset::{LocalizedText, Preset};
use yuremono_session::{Command, CompareWith, PresetId, SelectMode, SweepSubject};
use yuremono_sim::{FeelParam, SolverKind};

static SAMPLE: LazyLock<OpenedCharacter> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../assets/sample.vrm");
    let source = SourceFile { name: "sample.vrm", bytes, read_sibling: &no_siblings };
    open::character_from_source(&source, &|_| true).expect("the sample").converted_to(SolverKind::default())
});

/// Dialogs without a field.
const WITHOUT_FIELD: &[&str] = &[
    "About",
    "Clipping",
    "Confirm",
    "ComparePreset",
    "DeletePreset",
    "DetectChains",
    "Export",
    "Import",
    "PasteSpecial",
    "Question",
    "Recovery",
    "Shortcuts",
    "SwitchSolver",
    "Versions",
];

/// A window with one open dialog.
struct Fixture {
    session: Session,
    ui: MainWindow,
    question: Option<Question>,
    has_recovery: bool,
    requests: Vec<AppRequest>,
}

impl Fixture {
    fn show(&mut self, ui: &mut egui::Ui) {
        let Self { session, ui: window, question, has_recovery, requests } = self;
        let output = with_input(session, question.as_ref(), *has_recovery, |input| window.show(ui, input));
        output.commands.into_iter().for_each(|command| session.handle(command));
        requests.extend(output.requests);
    }

    /// Returns the label of the enabled primary button of the top dialog.
    fn primary_button(&mut self) -> Option<String> {
        let Self { session, ui: window, question, has_recovery, .. } = self;
        let mut state = std::mem::take(window.state_mut());
        let label = with_input(session, question.as_ref(), *has_recovery, |input| {
            let theme = Theme::new(state.prefs.mode, state.prefs.lang);
            let cx = UiContext { input, theme, output: UiOutput::default(), state: &mut state };
            let top = window.dialogs_mut().stack.last_mut()?.dialog();
            dialog::primary_label(&top.buttons(&cx))
        });
        *window.state_mut() = state;
        label
    }

    fn top(&mut self) -> Option<&'static str> {
        self.ui.dialogs_mut().stack.last().map(OpenDialog::name)
    }

    /// Returns everything that a key may have changed.
    fn observed(&mut self) -> Observed {
        let settings = *self.session.playback().settings();
        let state = self.ui.state_mut();
        Observed {
            drawer: state.drawer_tab,
            hides_overlays: state.overlays_hidden,
            playing: settings.playing,
            history: self.session.history().current_state(),
            selected: self.session.selection().bones.len(),
            requests: self.requests.clone(),
            open: self.ui.dialogs_mut().stack.iter().map(OpenDialog::name).collect(),
        }
    }
}

#[derive(Debug, PartialEq)]
struct Observed {
    drawer: Option<DrawerTab>,
    hides_overlays: bool,
    playing: bool,
    history: u64,
    selected: usize,
    requests: Vec<AppRequest>,
    open: Vec<&'static str>,
}

fn with_input<R>(
    session: &Session,
    question: Option<&Question>,
    has_recovery: bool,
    run: impl FnOnce(&UiInput<'_>) -> R,
) -> R {
    let draw = |_, _| None;
    let recovery = RecoveryView {
        character: "girl.vrm",
        project: None,
        edits: 3,
        age_seconds: 60,
        others: 0,
        project_changed: false,
        can_draw: true,
        crash_report: Some("/data/crash-report.txt"),
        draw: &draw,
    };
    let file =
        FileView { name: "girl.vrm", question, recovery: has_recovery.then_some(recovery), ..FileView::default() };
    run(&UiInput {
        session,
        file,
        draw_character: &|_, _, _| None,
        bounds: None,
        step_seconds: 0.0,
        picture: PictureStatus::default(),
        motion_fit: TaskStatus::Idle,
        bake: TaskStatus::Idle,
        clipping: TaskStatus::Idle,
        doctor: TaskStatus::Idle,
        capture: CaptureView::default(),
        live: crate::ui::LiveView::default(),
        environment: "",
        hovered_files: &[],
    })
}

fn session() -> Session {
    let mut session = Session::new(SAMPLE.character.clone(), SAMPLE.document.clone());
    session.handle(Command::SetPlaying(false));
    let joints = session.document().chains.values().next().expect("a chain").joints.iter().map(|joint| joint.bone);
    let joints = joints.collect();
    session.handle(Command::Select(joints, SelectMode::Replace));
    session
}

fn user_preset() -> Preset {
    let text = |text: &str| LocalizedText { en: text.to_owned(), ja: text.to_owned() };
    let built_in = yuremono_format::builtin_presets::builtin_presets().first().expect("a preset").clone();
    Preset { key: "mine".to_owned(), name: text("Mine"), parts: vec![ChainPart::Hair], ..built_in }
}

/// Opens a dialog of the list by its name.
fn open_named(fixture: &mut Fixture, name: &str) {
    let Fixture { session, ui, question, has_recovery, .. } = fixture;
    let mut wants = |kind| ui.state_mut().dialogs_to_open.push(kind);
    match name {
        "About" => wants(DialogKind::About),
        "Bake" => wants(DialogKind::Bake),
        "Clipping" => wants(DialogKind::Clipping),
        "Confirm" => wants(DialogKind::Confirm(Confirmation::DeleteJoints)),
        "BodyColliders" => wants(DialogKind::BodyColliders),
        "ComparePreset" | "DeletePreset" => {
            wants(if name == "DeletePreset" { DialogKind::DeletePreset } else { DialogKind::ComparePreset });
            ui.state_mut().presets.dialog_preset = Some(PresetId { is_custom: true, key: "mine".to_owned() });
        }
        "DetectChains" => wants(DialogKind::DetectChains),
        "Differences" => {
            session.handle(Command::Compare(Box::new(CompareWith::Before)));
            ui.state_mut().dialogs_to_open.push(DialogKind::Differences);
        }
        "Export" => wants(DialogKind::Export),
        "LiveMotion" => wants(DialogKind::LiveMotion),
        "SelectByName" => wants(DialogKind::SelectByName),
        "Import" => {
            let exported =
                export(session.document(), &session.character().skeleton, ExportOptions::new(DEFAULT_FORMAT));
            ui.dialogs_mut().open_import("hair.csv", exported.file, Vec::new(), session);
        }
        "SaveClip" => wants(DialogKind::SaveClip),
        "SavePreset" => wants(DialogKind::SavePreset),
        "MissingBones" => {
            ui.dialogs_mut().open_missing_bones(vec![(BoneId(9_000), "hair_end".to_owned())], session);
        }
        "Mirror" => wants(DialogKind::Mirror),
        "SetParent" => wants(DialogKind::SetParent),
        "PasteSpecial" => wants(DialogKind::PasteSpecial),
        "Question" => *question = Some(Question::UnsavedChanges { other: None }),
        "Recovery" => *has_recovery = true,
        "Shortcuts" => wants(DialogKind::Shortcuts),
        "Sweep" => wants(DialogKind::Sweep(SweepSubject::Feel(FeelParam::Speed))),
        "SwitchSolver" => wants(DialogKind::SwitchSolver(SolverKind::Vrm)),
        "TypePath" => ui.dialogs_mut().ask_path(FilePurpose::SaveProject, "/art/girl.yure", None),
        "Versions" => ui.dialogs_mut().open_versions(Vec::new()),
        other => panic!("{other} is not opened by the tests of all dialogs"),
    }
}

fn harness(name: &str) -> Harness<'static, Fixture> {
    let prefs = Prefs { dismissed_hints: [true; 3], reduce_motion: true, ..Prefs::default() };
    let mut fixture = Fixture {
        session: session(),
        ui: MainWindow::new(prefs),
        question: None,
        has_recovery: false,
        requests: Vec::new(),
    };
    let library =
        PresetLibrary { built_in: yuremono_format::builtin_presets::builtin_presets(), user: vec![user_preset()] };
    fixture.ui.state_mut().presets.set_library(library);
    open_named(&mut fixture, name);
    let builder = Harness::builder()
        .with_size(egui::vec2(1280.0, 720.0))
        .with_context_setup(crate::ui::kit::fonts::install_unhinted);
    let show = |ui: &mut egui::Ui, fixture: &mut Fixture| {
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(egui::UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        fixture.show(&mut root);
    };
    let mut harness = builder.build_ui_state(show, fixture);
    harness.run_steps(4);
    assert_eq!(harness.state_mut().top(), Some(name), "the dialog is open");
    harness
}

fn press(harness: &mut Harness<'static, Fixture>, key: Key) {
    harness.key_press(key);
    harness.run_steps(1);
}

fn key_event(shortcut: KeyboardShortcut, pressed: bool) -> egui::Event {
    let KeyboardShortcut { modifiers, logical_key: key } = shortcut;
    egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
}

/// Presses all keys of the window that the dialog does not list, in one frame.
fn press_other_shortcuts(harness: &mut Harness<'static, Fixture>) {
    let allowed = harness.state_mut().ui.dialogs_mut().shortcuts().expect("a dialog");
    let shortcuts = shortcuts().filter(|shortcut| !allowed.contains(&shortcut.action));
    let tools = [Key::Q, Key::W, Key::E, Key::T, Key::L, Key::Delete, Key::Num0];
    let tools = tools.map(|key| KeyboardShortcut::new(Modifiers::NONE, key));
    let keys: Vec<_> = shortcuts.map(|shortcut| shortcut.key).chain(tools).collect();
    let events = keys.into_iter().flat_map(|key| [key_event(key, true), key_event(key, false)]);
    harness.input_mut().events.extend(events);
    harness.run_steps(2);
}

/// Checks that a click on the menu behind the dialog opens the menu only beside a tool.
fn check_clicks_behind(harness: &mut Harness<'static, Fixture>, name: &str) {
    let is_tool = harness.state_mut().ui.dialogs_mut().stack[0].style() == DialogStyle::Tool;
    let menu = harness.query_all_by_label("File").next().expect("the menu").rect().center();
    harness.drag_at(menu);
    harness.drop_at(menu);
    harness.run_steps(1);
    assert_eq!(egui::Popup::is_any_open(&harness.ctx), is_tool, "{name}");
    egui::Popup::close_all(&harness.ctx);
}

/// Returns the requests of Esc.
fn requests_of_escape(name: &str) -> Vec<AppRequest> {
    match name {
        "Question" => {
            vec![AppRequest::Answer { document: DocumentId(0), request: Box::new(AppRequest::CancelClose) }]
        }
        "Recovery" => vec![AppRequest::ChooseRecovery(RecoveryChoice::Later)],
        _ => Vec::new(),
    }
}

#[test]
fn the_recovery_dialog_names_the_report_of_the_crash() {
    harness("Recovery").get_by_label_contains("/data/crash-report.txt describes the error");
}

#[test]
fn every_dialog_focuses_its_first_field_takes_all_keys_and_closes_on_escape() {
    for name in OpenDialog::ALL {
        let mut harness = harness(name);
        assert_eq!(harness.ctx.text_edit_focused(), !WITHOUT_FIELD.contains(name), "{name}");
        let before = harness.state_mut().observed();
        press_other_shortcuts(&mut harness);
        assert_eq!(harness.state_mut().observed(), before, "{name}");
        check_clicks_behind(&mut harness, name);
        press(&mut harness, Key::Escape);
        let fixture = harness.state_mut();
        let is_stop = |request: &AppRequest| {
            matches!(request, AppRequest::StopBake | AppRequest::StopClipping | AppRequest::StopMotionFit)
        };
        fixture.requests.retain(|request| !is_stop(request));
        assert_eq!(fixture.requests, requests_of_escape(name), "{name}");
        assert_eq!(fixture.observed().history, before.history, "{name}");
        let stays = matches!(*name, "Question" | "Recovery");
        assert_eq!(fixture.top(), stays.then_some(*name));
    }
}

#[test]
fn enter_presses_the_primary_button_of_every_dialog() {
    for name in OpenDialog::ALL {
        let mut entered = harness(name);
        press(&mut entered, Key::Enter);
        let mut clicked = harness(name);
        if let Some(label) = clicked.state_mut().primary_button() {
            clicked.query_all_by_label(&label).last().expect("the button").click();
            clicked.run_steps(2);
        }
        assert_eq!(entered.state_mut().observed(), clicked.state_mut().observed(), "{name}");
    }
}

#[test]
fn a_held_enter_answers_only_one_dialog() {
    let mut harness = harness("Question");
    let enter = KeyboardShortcut::new(Modifiers::NONE, Key::Enter);
    for _ in 0..3 {
        harness.input_mut().events.push(key_event(enter, true));
        harness.run_steps(1);
    }
    assert_eq!(harness.state().requests.len(), 1, "a repeated key is no second answer");
}

#[test]
fn only_the_top_dialog_gets_the_keys() {
    let mut harness = harness("Question");
    harness.state_mut().ui.dialogs_mut().ask_path(FilePurpose::SaveProject, "/art/girl.yure", None);
    harness.run_steps(3);
    assert_eq!(harness.state_mut().top(), Some("TypePath"));
    press(&mut harness, Key::Enter);
    assert_eq!(harness.state().requests, [AppRequest::UseTypedPath("/art/girl.yure".into())]);
    assert_eq!(harness.state_mut().top(), Some("Question"));
}
