//! Tests that run the application without a display.

mod questions;

use super::*;
use crate::app::dialogs::FileRequest;
use crate::ui::{DialogKind, DiskStatus, FilePurpose, TaskStatus};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use yuremono_model::document::EditLabel;
use yuremono_session::{Command, Message, Motion};
use yuremono_sim::diagnostics::Severity;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamId, find_param};

/// Name of the parameter that tests change.
const TUNED_PARAM: &str = "stiffnessForce";

/// Opens a window with `file`.
pub(super) fn window(file: Option<PathBuf>) -> Harness<'static, App> {
    let builder = Harness::builder().with_size(egui::vec2(1440.0, 900.0));
    let mut window = builder.build_eframe(move |cc| App::new(cc, file, Some(Lang::En)));
    run_until_loaded(&mut window);
    window
}

/// Draws frames until nothing is loading.
pub(super) fn run_until_loaded(window: &mut Harness<'static, App>) {
    let is_busy = |app: &App| app.files.is_loading() || app.character_save.is_some();
    window.run_steps(3);
    if is_busy(window.state()) {
        assert!(wait_until(window, |app| !is_busy(app)), "reading and saving end");
        window.run_steps(2);
    }
}

pub(super) fn send_request(window: &mut Harness<'static, App>, request: AppRequest) {
    let ctx = window.ctx.clone();
    window.state_mut().handle_request(request, &ctx);
    run_until_loaded(window);
}

fn load_motion(window: &mut Harness<'static, App>, path: PathBuf) {
    let ctx = window.ctx.clone();
    window.state_mut().use_chosen_path(FilePurpose::LoadMotion, path, &ctx);
    run_until_loaded(window);
}

pub(super) fn click(window: &mut Harness<'static, App>, label: &str) {
    window.get_by_label(label).click();
    run_until_loaded(window);
}

fn tuned_param(window: &Harness<'static, App>) -> ParamId {
    find_param(window.state().session.inspection().system().param_defs(), TUNED_PARAM).expect("a parameter")
}

pub(super) fn set_tuned_value(window: &mut Harness<'static, App>, value: f32) {
    let row = tuned_param(window);
    window.state_mut().session.handle(Command::SetParam(row, value));
}

/// Returns the value that [`set_tuned_value`] set.
pub(super) fn tuned_value(window: &Harness<'static, App>) -> f32 {
    let (_, chain) = window.state().session.document().chains.first_key_value().expect("the sample has chains");
    chain.values[tuned_param(window).index()].base
}

#[test]
fn springs_of_an_fbx_are_exported_instead_of_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.fbx");
    std::fs::write(&path, yuremono_test_support::fbx::Fbx::default().text()).expect("written");
    for request in [AppRequest::SaveCharacter, AppRequest::AddLiveCharacterDialog] {
        let mut window = window(Some(path.clone()));
        assert_eq!(window.state().session.character().format_name, "FBX 7.4");
        send_request(&mut window, request);
        window.get_by_label("There are no chains to export.");
        let last = window.state().session.messages().entries().last().expect("a message");
        assert!(last.diagnostic.message.to_string().contains("springs cannot be saved in an FBX"));
    }
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// Returns the tuned value in a project file.
fn saved_tuned_value(path: &Path) -> f32 {
    json(path)["setup"]["chains"]["1"]["values"][TUNED_PARAM]["base"].as_f64().expect("a number") as f32
}

/// Changes the project file as a second window would.
fn save_elsewhere(path: &Path, value: f32) {
    let mut json = json(path);
    json["setup"]["chains"]["1"]["values"][TUNED_PARAM]["base"] = value.into();
    yuremono_format::source::write_atomic(path, json.to_string().as_bytes()).expect("written");
}

/// Whether a condition becomes true within a few seconds. Waiting is needed because file events are delayed.
pub(super) fn wait_until(window: &mut Harness<'static, App>, is_so: impl Fn(&App) -> bool) -> bool {
    (0..250).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        window.run_steps(1);
        is_so(window.state())
    })
}

fn on_disk(app: &App) -> DiskStatus {
    app.files.view(&app.session).project_on_disk
}

/// Returns a window with the unsaved value 7, after its project file was changed to 5. Saving therefore asks a
/// question.
fn window_with_project_conflict(folder: &Path) -> (Harness<'static, App>, PathBuf) {
    let path = folder.join("girl.yure");
    let mut mine = window(None);
    send_request(&mut mine, AppRequest::WriteTypedPath(path.clone()));
    save_elsewhere(&path, 5.0);
    set_tuned_value(&mut mine, 7.0);
    send_request(&mut mine, AppRequest::Save);
    assert_eq!(saved_tuned_value(&path), 5.0, "nothing is overwritten before the question is answered");
    (mine, path)
}

#[test]
fn saving_over_another_windows_save_asks_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut first = window(None);
    send_request(&mut first, AppRequest::WriteTypedPath(path.clone()));
    let mut second = window(Some(path.clone()));
    for (window, value) in [(&mut second, 5.0), (&mut first, 7.0)] {
        set_tuned_value(window, value);
        send_request(window, AppRequest::Save);
    }
    assert_eq!(saved_tuned_value(&path), 5.0);
    assert!(second.state().may_close() && !second.state().asks_to_replace_project);
    assert!(!first.state().may_close() && first.state().asks_to_replace_project);
}

#[test]
fn a_project_saved_elsewhere_is_overwritten_only_after_confirmation() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = window_with_project_conflict(folder.path());
    click(&mut mine, "Cancel");
    assert!(!mine.state().asks_to_replace_project && !mine.state().may_close());
    send_request(&mut mine, AppRequest::Save);
    click(&mut mine, "Overwrite file");
    assert_eq!(saved_tuned_value(&path), 7.0);
    assert!(mine.state().may_close() && !mine.state().asks_to_replace_project);
    set_tuned_value(&mut mine, 8.0);
    send_request(&mut mine, AppRequest::Save);
    assert_eq!(saved_tuned_value(&path), 8.0, "the window's own save is not a change");
}

#[test]
fn a_conflict_can_be_resolved_by_reloading_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = window_with_project_conflict(folder.path());
    click(&mut mine, "Reload file");
    assert_eq!((tuned_value(&mine), saved_tuned_value(&path)), (5.0, 5.0));
    assert!(mine.state().may_close());
}

#[test]
fn a_conflict_can_be_resolved_by_saving_as_another_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = window_with_project_conflict(folder.path());
    let other = folder.path().join("other.yure");
    send_request(&mut mine, AppRequest::WriteTypedPath(other.clone()));
    assert_eq!((saved_tuned_value(&path), saved_tuned_value(&other)), (5.0, 7.0));
    assert!(!mine.state().asks_to_replace_project && mine.state().may_close());
    assert_eq!(mine.state().files.project(), Some(&*other));
}

#[test]
fn closing_waits_until_the_project_conflict_is_resolved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = window_with_project_conflict(folder.path());
    send_request(&mut mine, AppRequest::CancelClose);
    mine.state_mut().pending_action = Some(PendingAction::Close);
    mine.run_steps(3);
    click(&mut mine, "Save");
    assert!(mine.state().pending_action.is_some(), "nothing is saved yet");
    assert_eq!(saved_tuned_value(&path), 5.0);
    click(&mut mine, "Overwrite file");
    assert!(mine.state().pending_action.is_none(), "the window closes");
    assert_eq!(saved_tuned_value(&path), 7.0);
}

#[test]
fn a_project_changed_on_disk_is_reported_and_can_be_reloaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut mine = window(None);
    send_request(&mut mine, AppRequest::WriteTypedPath(path.clone()));
    let same = std::fs::read(&path).expect("saved");
    save_elsewhere(&path, 5.0);
    assert!(wait_until(&mut mine, |app| on_disk(app) == DiskStatus::Changed));
    mine.run_steps(3);
    mine.get_by_label("girl.yure changed on disk.");
    set_tuned_value(&mut mine, 7.0);
    mine.run_steps(3);
    mine.get_by_label("girl.yure changed on disk, and there are unsaved changes here.");
    click(&mut mine, "Choose version…");
    click(&mut mine, "Cancel");
    mine.state_mut().session.handle(Command::Undo);
    mine.run_steps(3);
    click(&mut mine, "Reload");
    assert_eq!(tuned_value(&mine), 5.0);
    assert_eq!(on_disk(mine.state()), DiskStatus::Unchanged);

    std::fs::write(&path, &same).expect("changed back");
    assert!(wait_until(&mut mine, |app| on_disk(app) == DiskStatus::Changed));
    mine.run_steps(3);
    click(&mut mine, "Dismiss");
    assert_eq!(on_disk(mine.state()), DiskStatus::Unchanged, "the change is not reported again");
    send_request(&mut mine, AppRequest::Save);
    assert!(mine.state().asks_to_replace_project, "saving still asks");
}

#[test]
fn a_project_removed_from_disk_is_reported_and_can_be_saved_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut mine = window(None);
    send_request(&mut mine, AppRequest::WriteTypedPath(path.clone()));
    std::fs::remove_file(&path).expect("removed");
    assert!(wait_until(&mut mine, |app| on_disk(app) == DiskStatus::Missing));
    mine.run_steps(3);
    mine.get_by_label("girl.yure no longer exists on disk. Its contents are still open here.");
    click(&mut mine, "Save again");
    assert!(path.exists());
    assert_eq!(on_disk(mine.state()), DiskStatus::Unchanged);
    assert_eq!(saved_tuned_value(&path), tuned_value(&mine));
}

/// Writes a file with the animation `nod`, which rotates the given bones.
fn write_motion(path: &Path, bones: &[&str]) {
    use base64::Engine as _;
    let floats = [0.0_f32, 1.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8];
    let bytes: Vec<u8> = floats.iter().flat_map(|number| number.to_le_bytes()).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    let nodes: Vec<_> = bones.iter().map(|name| json!({ "name": name })).collect();
    let channel = |node| json!({ "sampler": 0, "target": { "node": node, "path": "rotation" } });
    let file = json!({
        "asset": { "version": "2.0" },
        "nodes": nodes,
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}") }],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 8 },
            { "buffer": 0, "byteOffset": 8, "byteLength": 32 },
        ],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1] },
            { "bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4" },
        ],
        "animations": [{
            "name": "nod",
            "samplers": [{ "input": 0, "output": 1 }],
            "channels": (0..bones.len()).map(channel).collect::<Vec<_>>(),
        }],
    });
    std::fs::write(path, file.to_string()).expect("written");
}

fn clip_names(app: &App) -> Vec<String> {
    app.session.character().clips.iter().map(|clip| clip.name.clone()).collect()
}

fn last_message(app: &App) -> Option<&Message> {
    app.session.messages().entries().last().and_then(|message| message.message.as_ref())
}

/// Returns the names of two bones of the sample.
fn two_bones() -> [String; 2] {
    let character = open_sample().character;
    let name = |bone| character.skeleton.name(bone).to_owned();
    ["head", "leftUpperArm"].map(|role| name(character.humanoid.bone(role).expect("the sample is a humanoid")))
}

#[test]
fn opening_a_motion_plays_it_without_an_undo_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nod.vrma");
    let [head, arm] = two_bones();
    write_motion(&path, &[&head, &arm, "Antenna"]);
    let mut window = window(None);
    let before = clip_names(window.state());
    set_tuned_value(&mut window, 5.0);
    let step = window.state().session.history().current_state();
    send_request(&mut window, AppRequest::OpenPath(path.clone()));
    let app = window.state();
    assert!(
        app.pending_action.is_none() && app.files.character_name == SAMPLE_NAME,
        "the character and its unsaved changes stay"
    );
    let mut after = before.clone();
    after.push("nod".to_owned());
    assert_eq!(clip_names(app), after);
    assert_eq!(app.session.playback().settings().motion, Motion::Clip(before.len()));
    assert!(app.session.playback().settings().playing);
    assert_eq!(app.session.history().current_state(), step);
    let loaded =
        Message::MotionLoaded { file: "nod.vrma".to_owned(), matched: 2, unmatched: vec!["Antenna".to_owned()] };
    assert_eq!(last_message(app), Some(&loaded));
    assert_eq!(app.files.recent.first(), Some(&path));

    window.state_mut().session.handle(Command::Undo);
    send_request(&mut window, AppRequest::OpenPath(path));
    assert_eq!(clip_names(window.state()), after, "the same file is not loaded twice");
    window.state_mut().session.handle(Command::Redo);
    assert_eq!(tuned_value(&window), 5.0);
}

#[test]
fn a_file_of_an_unknown_kind_is_rejected_without_a_question_and_each_time() {
    let mut window = window(None);
    set_tuned_value(&mut window, 5.0);
    for _ in 0..2 {
        let seen = window.state().session.messages().entries().last().map(|m| m.id);
        send_request(&mut window, AppRequest::OpenPath("/art/notes.md".into()));
        let app = window.state();
        assert!(app.pending_action.is_none() && app.files.character_name == SAMPLE_NAME);
        let last = app.session.messages().entries().last().expect("a message");
        assert!(last.diagnostic.to_string().contains("notes.md: the kind of this file is unknown"));
        assert!(Some(last.id) > seen, "an equal error is shown again");
    }
    let errors = |m: &&yuremono_session::MessageEntry| m.diagnostic.severity == Severity::Error;
    assert_eq!(window.state().session.messages().entries().iter().filter(errors).count(), 1);
}

#[test]
fn a_motion_without_matching_bones_is_reported_and_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("walk.gltf");
    write_motion(&path, &["mixamorig:Hips", "mixamorig:Spine"]);
    let mut window = window(None);
    let (before, motion) = (clip_names(window.state()), window.state().session.playback().settings().motion);
    load_motion(&mut window, path);
    let app = window.state();
    assert_eq!((clip_names(app), app.session.playback().settings().motion), (before, motion));
    let bones = vec!["mixamorig:Hips".to_owned(), "mixamorig:Spine".to_owned()];
    assert_eq!(last_message(app), Some(&Message::NoMotionBoneFound { file: "walk.gltf".to_owned(), bones }));
}

#[test]
fn a_project_stores_motions_by_relative_path() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("motions")).expect("a folder");
    let motion = folder.path().join("motions/nod.gltf");
    let [head, _] = two_bones();
    write_motion(&motion, &[&head]);
    let project = folder.path().join("girl.yure");
    let mut first = window(None);
    load_motion(&mut first, motion.clone());
    send_request(&mut first, AppRequest::WriteTypedPath(project.clone()));
    assert_eq!(json(&project)["motions"], json!(["motions/nod.gltf"]));

    let second = window(Some(project.clone()));
    assert_eq!(clip_names(second.state()), clip_names(first.state()));
    std::fs::remove_file(&motion).expect("removed");
    let mut third = window(Some(project.clone()));
    assert_eq!(clip_names(third.state()).len() + 1, clip_names(first.state()).len());
    let errors = third.state().session.messages().entries().iter().filter(|m| m.diagnostic.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|m| m.diagnostic.to_string()).collect();
    assert!(errors.len() == 1 && errors[0].contains("nod.gltf"), "{errors:?}");
    send_request(&mut third, AppRequest::Save);
    assert_eq!(json(&project)["motions"], json!(["motions/nod.gltf"]), "a missing motion stays in the project");
}

#[test]
fn a_motion_loads_in_the_background_and_survives_a_character_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nod.vrma");
    let [head, _] = two_bones();
    write_motion(&path, &[&head]);
    let mut window = window(None);
    let before = clip_names(window.state());
    let ctx = window.ctx.clone();
    window.state_mut().handle_request(AppRequest::OpenPath(path), &ctx);
    assert_eq!(clip_names(window.state()), before, "the frame of the request reads nothing");
    window.run_steps(1);
    // A character that is opened in the meantime loads first.
    window.state_mut().files.open(None, None, &ctx);
    run_until_loaded(&mut window);
    assert!(clip_names(window.state()).iter().any(|name| name == "nod"));
    assert_eq!(window.state().files.character_name, SAMPLE_NAME);
}

#[test]
fn loading_a_motion_marks_the_project_unsaved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (motion, project) = (folder.path().join("nod.vrma"), folder.path().join("girl.yure"));
    let [head, _] = two_bones();
    write_motion(&motion, &[&head]);
    let mut window = window(None);
    send_request(&mut window, AppRequest::WriteTypedPath(project.clone()));
    assert!(window.state().may_close());
    send_request(&mut window, AppRequest::OpenPath(motion.clone()));
    assert!(!window.state().may_close() && window.state().files.view(&window.state().session).has_unsaved_changes);
    send_request(&mut window, AppRequest::Save);
    assert!(window.state().may_close());
    send_request(&mut window, AppRequest::OpenPath(motion));
    assert!(window.state().may_close(), "loading the same motion again does not change the project");
    send_request(&mut window, AppRequest::OpenPath(project));
    assert!(window.state().may_close() && clip_names(window.state()).iter().any(|name| name == "nod"));
}

#[test]
fn project_findings_are_reported_with_the_project() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    send_request(&mut window(None), AppRequest::WriteTypedPath(path.clone()));
    let mut json = json(&path);
    json["setup"]["chains"] = json!([]);
    std::fs::write(&path, json.to_string()).expect("written");
    let window = window(Some(path));
    let app = window.state();
    assert!(app.files.project().is_some() && app.session.document().chains.is_empty());
    let pointers =
        app.session.messages().entries().iter().filter_map(|message| message.diagnostic.location.pointer.as_deref());
    assert!(pointers.into_iter().any(|pointer| pointer == "/setup/chains"), "{:?}", app.session.messages().entries());
}

#[test]
fn an_existing_file_is_not_replaced_without_confirmation() {
    let folder = tempfile::tempdir().expect("a folder");
    let (typed, whole) = (folder.path().join("girl"), folder.path().join("girl.yure"));
    std::fs::write(&whole, "mine").expect("written");
    let mut window = window(None);
    let ctx = window.ctx.clone();
    let app = window.state_mut();
    let document = app.document_id;
    let request = FileRequest { purpose: FilePurpose::SaveProject, suggested_path: typed.clone(), document };
    app.accept_path(request.clone(), typed.clone(), Some(&typed), &ctx);
    assert_eq!(std::fs::read(&whole).expect("the old file"), b"mine");
    let (_, taken) = app.pending_path.as_ref().expect("a question");
    assert_eq!(taken.as_deref(), Some(whole.as_path()));
    app.accept_path(request, whole.clone(), Some(&whole), &ctx);
    assert_ne!(std::fs::read(&whole).expect("a file"), b"mine", "the dialog already asked about this file");
}

#[test]
fn a_character_is_saved_on_another_thread_after_the_change_of_its_motion_is_confirmed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.vrm");
    let mut window = window(None);
    let ctx = window.ctx.clone();
    window.state_mut().use_chosen_path(FilePurpose::SaveCharacter("vrm"), path.clone(), &ctx);
    // The sample is shown with UnityChanSpringBone, so its chains are converted.
    assert!(wait_until(&mut window, |app| app.pending_action.is_some()));
    assert!(!path.is_file());
    window.state_mut().handle_request(AppRequest::SaveChangedSprings, &ctx);
    assert!(window.state_mut().close_after_save(), "the window closes only after the file is written");
    assert!(wait_until(&mut window, |app| app.character_save.is_none()));
    assert!(path.is_file());
}

#[test]
fn a_save_on_a_drive_that_vanished_keeps_the_changes_and_names_the_next_step() {
    let drive = tempfile::tempdir().expect("a folder");
    let folder = drive.path().join("share");
    std::fs::create_dir(&folder).expect("created");
    let path = folder.join("girl.yure");
    let mut window = window(None);
    send_request(&mut window, AppRequest::WriteTypedPath(path.clone()));
    set_tuned_value(&mut window, 7.0);
    std::fs::remove_dir_all(&folder).expect("removed");
    send_request(&mut window, AppRequest::Save);
    let app = window.state();
    assert!(!app.may_close() && app.files.project() == Some(path.as_path()), "the changes stay unsaved");
    let told: Vec<String> = app.session.messages().entries().iter().map(|entry| entry.diagnostic.to_string()).collect();
    let names_step = |text: &&String| text.contains("girl.yure") && text.contains("choose a folder that exists");
    assert_eq!(told.iter().filter(names_step).count(), 1, "{told:?}");

    std::fs::create_dir(&folder).expect("the drive is back");
    send_request(&mut window, AppRequest::Save);
    assert_eq!(saved_tuned_value(&path), 7.0);
    assert!(window.state().may_close());
}

/// Opens a window with an OpenGL context. Returns `None` and prints the reason if the machine has no EGL device.
fn window_with_gl_or_skip() -> Option<(Harness<'static, App>, crate::renderer::HeadlessContext)> {
    let headless = crate::renderer::HeadlessContext::new().map_err(|reason| eprintln!("skipped: {reason}")).ok()?;
    let gl = headless.gl.clone();
    let builder = Harness::builder().with_size(egui::vec2(1440.0, 900.0));
    let mut window = builder.build_eframe(move |cc| {
        cc.gl = Some(gl);
        App::new(cc, None, Some(Lang::En))
    });
    run_until_loaded(&mut window);
    assert!(!window.state().character_canvas.is_upload_pending(), "the second frame uploads the character");
    Some((window, headless))
}

fn start_contact_sheet(window: &mut Harness<'static, App>, path: PathBuf) {
    let ctx = window.ctx.clone();
    // Most of the time of a software renderer depends on the meshes.
    let meshes = window.state().session.character().meshes.len();
    window.state_mut().ui.state_mut().mesh_visibility = (0..meshes).map(|mesh| mesh == 0).collect();
    window.state_mut().use_chosen_path(FilePurpose::SaveContactSheet, path, &ctx);
    window.run_steps(2);
}

fn has_no_contact_sheet(app: &App) -> bool {
    app.contact_sheet.view().is_none()
}

#[test]
fn a_contact_sheet_is_drawn_over_later_frames_with_the_context_of_the_window() {
    let Some((mut window, _headless)) = window_with_gl_or_skip() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sheet.png");
    start_contact_sheet(&mut window, path.clone());
    assert!(window.query_all_by_label("Drawing sheet.png").next().is_some());
    assert!(!path.exists());
    assert!((0..20).any(|_| wait_until(&mut window, has_no_contact_sheet)), "drawing ends");
    assert_eq!(last_message(window.state()), Some(&Message::Done(message!("{name} saved", name = "sheet.png"))));
    let bytes = std::fs::read(&path).expect("a picture");
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 100_000, "{} bytes", bytes.len());
}

#[test]
fn a_transparent_picture_has_the_size_of_the_viewport_and_no_background() {
    let Some((mut window, _headless)) = window_with_gl_or_skip() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.png");
    window.state_mut().ui.state_mut().prefs.look.transparent_pictures = true;
    let ctx = window.ctx.clone();
    window.state_mut().use_chosen_path(FilePurpose::SavePicture, path.clone(), &ctx);
    let picture = image::open(&path).expect("a PNG").into_rgba8();
    let [_, _, width, height] = window.state().ui.viewport_pixels(1.0);
    assert_eq!(picture.dimensions(), (width, height));
    let count = |alpha: u8| picture.pixels().filter(|pixel| pixel.0[3] == alpha).count() * 100 / picture.pixels().len();
    assert!(count(0) > 40 && count(255) > 5, "{} % transparent, {} % opaque", count(0), count(255));
    assert_eq!(last_message(window.state()), Some(&Message::Done(message!("{name} saved", name = "girl.png"))));
}

#[test]
fn a_contact_sheet_can_be_cancelled_and_ends_with_its_character() {
    let Some((mut window, _headless)) = window_with_gl_or_skip() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sheet.png");
    start_contact_sheet(&mut window, path.clone());
    click(&mut window, "Cancel Drawing sheet.png");
    assert!(has_no_contact_sheet(window.state()));
    start_contact_sheet(&mut window, path.clone());
    assert!(!has_no_contact_sheet(window.state()));
    send_request(&mut window, AppRequest::OpenSample);
    assert!(has_no_contact_sheet(window.state()) && !path.exists());
}

#[test]
fn a_contact_sheet_that_cannot_be_saved_is_reported() {
    let Some((mut window, _headless)) = window_with_gl_or_skip() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let errors = |app: &App| {
        let entries = app.session.messages().entries().iter();
        let errors = entries.filter(|entry| entry.diagnostic.severity == Severity::Error);
        errors.map(|entry| entry.diagnostic.to_string()).collect::<Vec<_>>()
    };
    start_contact_sheet(&mut window, folder.path().join("sheet.jpg"));
    assert!(has_no_contact_sheet(window.state()));
    assert!(errors(window.state())[0].contains("a contact sheet is a .png"));
    start_contact_sheet(&mut window, folder.path().join("missing/sheet.png"));
    assert!((0..20).any(|_| wait_until(&mut window, has_no_contact_sheet)), "drawing ends");
    assert!(errors(window.state()).iter().any(|error| error.contains("cannot be written")));
}

#[test]
fn a_window_without_opengl_reports_that_it_cannot_draw_a_contact_sheet() {
    let mut window = window(None);
    start_contact_sheet(&mut window, PathBuf::from("sheet.png"));
    let entry = window.state().session.messages().entries().last().expect("a message").diagnostic.to_string();
    assert!(has_no_contact_sheet(window.state()) && entry.contains("no OpenGL"), "{entry}");
}

#[test]
fn a_paused_window_repaints_only_for_the_pointer() {
    let mut window = window(None);
    window.state_mut().session.handle(Command::SetPlaying(false));
    assert!(wait_until(&mut window, |app| !app.session.playback().is_moving()), "the springs come to rest");
    for pointer in [egui::pos2(700.0, 400.0), egui::pos2(1300.0, 300.0), egui::pos2(100.0, 300.0)] {
        window.hover_at(pointer);
        // Tooltips and highlights have appeared.
        window.run_steps(40);
        let delay = window.output().viewport_output[&egui::ViewportId::ROOT].repaint_delay;
        assert!(delay >= Duration::from_millis(100), "the next frame follows after {delay:?} at {pointer:?}");
    }
    assert_eq!(window.state().frame_clock.pictures_per_second(), None, "nothing moves");
}

#[test]
fn dropped_motions_keep_the_character_and_the_last_motion_returns_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let (motion, other) = (folder.path().join("nod.gltf"), folder.path().join("bow.vrma"));
    let [head, _] = two_bones();
    write_motion(&motion, &[&head]);
    write_motion(&other, &[&head]);
    let mut window = window(None);
    let clips = clip_names(window.state()).len();
    let ctx = window.ctx.clone();
    window.state_mut().open_dropped_paths(vec![motion], &ctx);
    run_until_loaded(&mut window);
    let app = window.state();
    assert!(app.files.character().is_none(), "a glTF without meshes is a motion");
    assert_eq!(app.session.playback().settings().motion, Motion::Clip(clips));
    let view = app.files.view(&app.session);
    assert_eq!((view.added_motions.len(), view.folder_motions), (1, &[other][..]));

    // The motion plays again when the character opens again, and its file is loaded for that.
    send_request(&mut window, AppRequest::OpenSample);
    assert!(wait_until(&mut window, |app| app.session.playback().settings().motion == Motion::Clip(clips)));
    let name = window.state().session.character().name.clone();
    window.state_mut().ui.state_mut().prefs.remember_motion(&name, crate::ui::LastMotion::Still);
    send_request(&mut window, AppRequest::OpenSample);
    assert_eq!(window.state().session.playback().settings().motion, Motion::Still);
}

#[test]
fn a_dropped_unity_folder_opens_as_its_model_with_its_setup() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("girl.fbx");
    std::fs::write(&model, yuremono_test_support::fbx::Fbx::default().text()).expect("written");
    let guid = "bee061bb5e180189d60f35e2db8e59d4";
    std::fs::write(folder.path().join("girl.fbx.meta"), format!("guid: {guid}\n")).expect("written");
    let prefab = format!(
        "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\nGameObject:\n  m_Name: Hair\n--- !u!4 &2\nTransform:\n  \
         m_GameObject: {{fileID: 1}}\n--- !u!137 &3\nSkinnedMeshRenderer:\n  m_Mesh: {{fileID: 4300000, guid: {guid}, type: \
         3}}\n--- !u!114 &4\nMonoBehaviour:\n  m_GameObject: {{fileID: 1}}\n  m_Script: {{fileID: 11500000, guid: \
         03118221f4bfcd74ba0ad8075da02411, type: 3}}\n  radius: 0.125\n"
    );
    std::fs::write(folder.path().join("girl.prefab"), prefab).expect("written");
    std::fs::write(folder.path().join("girl.prefab.meta"), "guid: cee061bb5e180189d60f35e2db8e59d4\n")
        .expect("written");
    let mut window = window(None);
    let ctx = window.ctx.clone();
    window.state_mut().open_dropped_paths(vec![folder.path().to_path_buf()], &ctx);
    run_until_loaded(&mut window);
    let app = window.state();
    let hair = app.session.character().skeleton.find("Hair").expect("a bone");
    assert!(app.session.document().find_joint(hair).is_some(), "it has the joint of the prefab");
    assert_eq!(app.files.character(), Some(&*model));
    let recent = app.files.view(&app.session).recent.first().map(PathBuf::as_path);
    assert_eq!(recent, Some(folder.path()), "the model alone has no setup");

    // Without a model, the setup is imported onto the open character.
    std::fs::remove_file(&model).expect("removed");
    std::fs::remove_file(folder.path().join("girl.fbx.meta")).expect("removed");
    window.state_mut().open_dropped_paths(vec![folder.path().to_path_buf()], &ctx);
    run_until_loaded(&mut window);
    assert!(window.state().files.import_dialog_table.is_some());
}

#[test]
fn clipping_is_searched_on_a_thread_until_its_dialog_closes() {
    let mut window = window(None);
    send_request(&mut window, AppRequest::FindClipping { motions: vec![Motion::Still], visible: Vec::new() });
    assert!((0..20).any(|_| wait_until(&mut window, |app| !app.clipping.is_running())), "the search ends");
    assert!(matches!(window.state().clipping.status(), TaskStatus::Finished(Ok(found)) if found.reports.len() == 1));
    window.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Clipping);
    window.run_steps(2);
    window.key_press(egui::Key::Escape);
    window.run_steps(2);
    assert!(matches!(window.state().clipping.status(), TaskStatus::Idle));
}
