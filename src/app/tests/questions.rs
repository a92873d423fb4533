//! Drives every question with every answer, typed paths included, and checks which files are written.

use super::*;
use crate::app::dialogs::{DialogAnswer, FileRequest};
use crate::ui::{DocumentId, Question, SpringChanges};
use egui::{Key, Modifiers};
use std::sync::LazyLock;
use yuremono_model::feel::convert::convert;
use yuremono_sim::diagnostics::message;

/// Value of the saved project, of the unsaved change, and of the other project.
const SAVED: f32 = 3.0;
const CHANGED: f32 = 7.0;
const OTHER: f32 = 5.0;

/// The bytes of the project with [`SAVED`], and of the one with [`OTHER`].
static PROJECTS: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let mut window = window(None);
    [SAVED, OTHER].map(|value| {
        let path = folder.path().join(format!("{value}.yure"));
        set_tuned_value(&mut window, value);
        send_request(&mut window, AppRequest::WriteTypedPath(path.clone()));
        std::fs::read(path).expect("saved")
    })
});

/// Files of a test. `victim` is a file that no answer may change without *Replace*.
struct Files {
    folder: tempfile::TempDir,
    project: PathBuf,
    other: PathBuf,
    victim: PathBuf,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        let (project, other, victim) = (path("mine.yure"), path("other.yure"), path("victim.yure"));
        for (path, bytes) in [&project, &other].into_iter().zip(&*PROJECTS) {
            std::fs::write(path, bytes).expect("written");
        }
        std::fs::write(&victim, "victim").expect("written");
        std::fs::write(path("open.vrm"), SAMPLE_BYTES).expect("written");
        Self { folder, project, other, victim }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the names and contents of all files.
    fn contents(&self) -> std::collections::BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder");
        entries
            .map(|entry| {
                let entry = entry.expect("an entry");
                (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).expect("a file"))
            })
            .collect()
    }

    /// Returns the names of the files that differ from `before`.
    fn changed(&self, before: &std::collections::BTreeMap<String, Vec<u8>>) -> Vec<String> {
        let after = self.contents();
        assert!(before.keys().all(|name| after.contains_key(name)), "no file vanishes");
        after.into_iter().filter(|(name, bytes)| before.get(name) != Some(bytes)).map(|(name, _)| name).collect()
    }

    /// Opens the project and changes it. The window has no file dialogs, so that every path is typed.
    fn changed_window(&self) -> Harness<'static, App> {
        let mut window = window(Some(self.project.clone()));
        window.state_mut().dialogs = FileDialogs::unavailable();
        set_tuned_value(&mut window, CHANGED);
        window
    }
}

fn press(window: &mut Harness<'static, App>, key: Key) {
    window.key_press(key);
    run_until_loaded(window);
}

/// Types a path over the text of the path field, and presses Enter.
fn type_path(window: &mut Harness<'static, App>, path: &Path) {
    window.run_steps(3);
    window.key_press_modifiers(Modifiers::COMMAND, Key::A);
    window.run_steps(1);
    window.event(egui::Event::Text(path.to_string_lossy().into_owned()));
    window.run_steps(2);
    press(window, Key::Enter);
}

fn asks_path(window: &Harness<'static, App>) -> bool {
    window.query_by_label("File path").is_some()
}

#[test]
fn a_typed_path_of_an_existing_file_is_not_the_answer_of_the_question_behind_it() {
    let files = Files::new();
    let mut window = files.changed_window();
    window.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::TypePath);
    type_path(&mut window, &files.path("open.vrm"));
    assert_eq!(window.state().question(), Some(Question::UnsavedChanges { other: Some("open.vrm".to_owned()) }));
    let before = files.contents();
    click(&mut window, "Save as…");
    type_path(&mut window, &files.victim);
    assert_eq!(files.changed(&before), [""; 0], "Enter writes nothing before the file is replaced on purpose");
    assert!(asks_path(&window) && window.query_by_label("Replace").is_some());
    assert_eq!(window.state().files.project(), Some(&*files.project));
    press(&mut window, Key::Enter);
    assert_eq!(files.changed(&before), ["victim.yure"], "the open project keeps its saved content");
    assert_eq!(saved_tuned_value(&files.victim), CHANGED, "the changed document is saved, not the opened character");
    assert_eq!(saved_tuned_value(&files.project), SAVED);
    assert_eq!(window.state().files.character_name, "open.vrm", "then the other character is open");
}

/// Makes the application ask a question.
fn ask(window: &mut Harness<'static, App>, files: &Files, question: &Question) {
    let ctx = window.ctx.clone();
    match question {
        Question::UnsavedChanges { other: None } => window.state_mut().pending_action = Some(PendingAction::Close),
        Question::UnsavedChanges { other: Some(name) } => {
            let path = files.path(name);
            window.state_mut().handle_request(AppRequest::OpenPath(path), &ctx);
        }
        Question::ProjectChanged => {
            save_elsewhere(&files.project, OTHER);
            window.state_mut().handle_request(AppRequest::Save, &ctx);
        }
        Question::OpenElsewhere { .. } => window.state_mut().project_of_other_window = Some(files.other.clone()),
        Question::SaveChangedSprings(changes) => {
            let path = files.path("means.vrm");
            window.state_mut().pending_action = Some(PendingAction::SaveChangedSprings(path, changes.clone()));
        }
    }
    window.run_steps(3);
    assert_eq!(window.state().question().as_ref(), Some(question));
}

/// What an answer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Writes this file, or nothing if the name is empty.
    Writes(&'static str),
    /// Asks for a path.
    AsksPath,
}

/// Returns all questions, each with its answers.
fn questions() -> Vec<(Question, Vec<(&'static str, Effect)>)> {
    use Effect::{AsksPath, Writes};
    let all = [
        Question::UnsavedChanges { other: None },
        Question::UnsavedChanges { other: Some("open.vrm".to_owned()) },
        Question::UnsavedChanges { other: Some("other.yure".to_owned()) },
        Question::ProjectChanged,
        Question::OpenElsewhere { name: "other.yure".to_owned() },
        Question::SaveChangedSprings(SpringChanges { has_mean_values: true, converted: None }),
    ];
    let answers = |question: &Question| match question {
        Question::UnsavedChanges { other } => {
            let discard = if other.is_some() { "Open without saving" } else { "Close without saving" };
            vec![("Save", Writes("mine.yure")), ("Save as…", AsksPath), (discard, Writes("")), ("Cancel", Writes(""))]
        }
        Question::ProjectChanged => vec![
            ("Save as…", AsksPath),
            ("Overwrite file", Writes("mine.yure")),
            ("Reload file", Writes("")),
            ("Compare…", Writes("")),
            ("Cancel", Writes("")),
        ],
        Question::OpenElsewhere { .. } => {
            vec![("Open as a copy", Writes("")), ("Open read-only", Writes("")), ("Cancel", Writes(""))]
        }
        Question::SaveChangedSprings(_) => vec![("Save springs", Writes("means.vrm")), ("Cancel", Writes(""))],
    };
    all.into_iter().map(|question| (question.clone(), answers(&question))).collect()
}

/// Typed paths, the keys after the path is entered, and the written file.
const TYPED_PATHS: [(&str, &[Key], &str); 4] = [
    ("new", &[], "new.yure"),
    ("new.vrm", &[], "new.vrm.yure"),
    ("victim.yure", &[Key::Escape], ""),
    ("victim", &[Key::Enter], "victim.yure"),
];

#[test]
fn every_answer_of_every_question_writes_only_what_it_names() {
    for (question, answers) in questions() {
        for (label, effect) in answers {
            let paths: &[_] = if effect == Effect::AsksPath { &TYPED_PATHS } else { &TYPED_PATHS[..1] };
            for (typed, keys, written) in paths {
                let files = Files::new();
                let mut window = files.changed_window();
                ask(&mut window, &files, &question);
                let before = files.contents();
                click(&mut window, label);
                let expected = match effect {
                    Effect::Writes(name) => name,
                    Effect::AsksPath => {
                        type_path(&mut window, &files.path(typed));
                        keys.iter().for_each(|key| press(&mut window, *key));
                        written
                    }
                };
                let case = format!("{question:?}, {label}, {typed}, {keys:?}");
                let expected: Vec<_> = Some(expected.to_owned()).into_iter().filter(|name| !name.is_empty()).collect();
                assert_eq!(files.changed(&before), expected, "{case}");
                for name in expected.iter().filter(|name| Path::new(name).extension().is_some_and(|end| end == "yure"))
                {
                    assert_eq!(saved_tuned_value(&files.path(name)), CHANGED, "{case}: the changed document is saved");
                }
            }
        }
    }
}

#[test]
fn a_path_that_was_asked_for_another_document_writes_nothing() {
    let files = Files::new();
    let mut window = files.changed_window();
    let ctx = window.ctx.clone();
    let before = files.contents();
    // The dialog of the system answers after another character was opened.
    let document = window.state().document_id;
    let request = FileRequest { purpose: FilePurpose::SaveProject, suggested_path: files.path("late.yure"), document };
    let late = DialogAnswer::Chosen(request.clone(), files.victim.clone());
    window.state_mut().session.mark_saved();
    send_request(&mut window, AppRequest::OpenPath(files.path("open.vrm")));
    let DialogAnswer::Chosen(request, path) = late else { unreachable!("a chosen path") };
    window.state_mut().accept_path(request, path.clone(), Some(&path), &ctx);
    assert_eq!(files.changed(&before), [""; 0]);
    let message = window.state().session.messages().entries().last().expect("a message").diagnostic.to_string();
    assert!(message.starts_with("victim.yure: the answer was for a document that is no longer open"), "{message}");
}

#[test]
fn an_answer_for_another_document_changes_nothing() {
    let files = Files::new();
    let mut window = files.changed_window();
    let before = files.contents();
    let document = DocumentId(window.state().document_id.0 + 1);
    for (_, answers) in questions() {
        for _ in answers {
            let request = Box::new(AppRequest::OverwriteProject);
            send_request(&mut window, AppRequest::Answer { document, request });
        }
    }
    let request = Box::new(AppRequest::ProceedWithoutSaving);
    send_request(&mut window, AppRequest::Answer { document, request });
    assert_eq!(files.changed(&before), [""; 0]);
    assert!(!window.state().may_close(), "the changes stay unsaved");
}

#[test]
fn a_failed_save_stays_until_it_is_dismissed() {
    let files = Files::new();
    let mut window = files.changed_window();
    let ctx = window.ctx.clone();
    let request = FileRequest {
        purpose: FilePurpose::SaveProject,
        suggested_path: PathBuf::new(),
        document: window.state().document_id,
    };
    window.state_mut().accept_path(request, files.path("missing/mine.yure"), None, &ctx);
    let text = "Nothing was saved; choose a folder that exists";
    let toasts = |window: &Harness<'static, App>| window.query_all_by_label_contains(text).count();
    window.run_steps(2);
    assert_eq!(toasts(&window), 1);
    // Toasts of other messages fade after 5 seconds.
    window.input_mut().time = Some(1e3);
    window.run_steps(2);
    assert_eq!(toasts(&window), 1, "the error stays");
    click(&mut window, "1 error");
    assert_eq!(window.state_mut().ui.state_mut().drawer_tab, Some(crate::ui::DrawerTab::Messages));
    assert_eq!(toasts(&window), 1, "the list shows the error");
    window.state_mut().ui.state_mut().drawer_tab = None;
    window.run_steps(2);
    assert_eq!(toasts(&window), 1);
    click(&mut window, "Dismiss");
    assert_eq!(toasts(&window), 0);
}

#[test]
fn chains_of_other_solvers_are_converted_into_a_character_file_only_after_their_difference_is_shown() {
    let files = Files::new();
    let mut window = window(Some(files.path("open.vrm")));
    window.state_mut().dialogs = FileDialogs::unavailable();
    let target = files.path("saved.vrm");
    let before = files.contents();
    let save = |window: &mut Harness<'static, App>| {
        send_request(window, AppRequest::SaveCharacter);
        type_path(window, &target);
    };
    let session = &mut window.state_mut().session;
    let changed = convert(session.document(), session.character(), SolverKind::KawaiiPhysics);
    let edit = changed.edit(session.document());
    session.handle(Command::ApplyEdit(edit, EditLabel::new(message!("Switch"))));
    let chains = session.document().chains.len();
    save(&mut window);
    let Some(Question::SaveChangedSprings(SpringChanges { converted: Some(converted), .. })) =
        window.state().question()
    else {
        panic!("the window asks before it writes")
    };
    assert_eq!((converted.count, &*converted.solvers), (chains, &[SolverKind::KawaiiPhysics][..]));
    assert!(converted.distance_m > 1e-4 && converted.distance_m < 1.0, "{converted:?}");
    assert_eq!(files.changed(&before), [""; 0], "nothing is written before the answer");
    let distance = format!("{:.1} mm", 1000.0 * converted.distance_m);
    window.run_steps(2);
    assert!(window.query_by_label_contains(&distance).is_some(), "the question shows {distance}");
    click(&mut window, "Save springs");
    assert_eq!(files.changed(&before), ["saved.vrm"]);
}
