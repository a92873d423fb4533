//! The program around the session, driven without a display.

use super::dialogs::Purpose;
use super::*;
use crate::report::Severity;
use crate::schema::{Row, find_row};
use crate::session::{Command, Said};
use crate::ui::OnDisk;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::json;
use std::path::Path;
use std::time::Duration;

/// What is tuned.
const ROW: &str = "stiffnessForce";

/// A window, on a file where there is one.
fn window(file: Option<PathBuf>) -> Harness<'static, App> {
    let builder = Harness::builder().with_size(egui::vec2(1440.0, 900.0));
    let mut window = builder.build_eframe(move |cc| App::new(cc, file));
    rest(&mut window);
    window
}

/// Draws until nothing is being read any more.
fn rest(window: &mut Harness<'static, App>) {
    window.run_steps(3);
    if window.state().files.is_opening() {
        assert!(becomes(window, |app| !app.files.is_opening()), "reading ends");
        window.run_steps(2);
    }
}

fn ask(window: &mut Harness<'static, App>, request: Request) {
    let ctx = window.ctx.clone();
    window.state_mut().request(request, &ctx);
    rest(window);
}

fn load_motion(window: &mut Harness<'static, App>, path: PathBuf) {
    let ctx = window.ctx.clone();
    window.state_mut().chosen(Purpose::LoadMotion, path, &ctx);
    rest(window);
}

fn click(window: &mut Harness<'static, App>, label: &str) {
    window.get_by_label(label).click();
    rest(window);
}

fn row(window: &Harness<'static, App>) -> Row {
    find_row(window.state().session.inspection().system().table(), ROW).expect("a parameter")
}

fn tune(window: &mut Harness<'static, App>, value: f32) {
    let row = row(window);
    window.state_mut().session.handle(Command::Set(row, value));
}

/// What [`tune`] wrote.
fn tuned(window: &Harness<'static, App>) -> f32 {
    let (_, chain) = window.state().session.document().chains.first_key_value().expect("the sample has chains");
    chain.values[row(window).index()].base
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")
}

/// What a project on disk has of it.
fn tuned_in(path: &Path) -> f32 {
    json(path)["setup"]["chains"]["1"]["values"][ROW]["base"].as_f64().expect("a number") as f32
}

/// Saves the project as a second window does.
fn save_elsewhere(path: &Path, value: f32) {
    let mut json = json(path);
    json["setup"]["chains"]["1"]["values"][ROW]["base"] = value.into();
    crate::format::source::write_atomic(path, json.to_string().as_bytes()).expect("written");
}

/// Whether something becomes true within a few seconds, since the system tells of files when it likes.
fn becomes(window: &mut Harness<'static, App>, is_so: impl Fn(&App) -> bool) -> bool {
    (0..250).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        window.run_steps(1);
        is_so(window.state())
    })
}

fn on_disk(app: &App) -> OnDisk {
    app.files.view(&app.session).project_on_disk
}

/// A window whose project was saved elsewhere with 5, and that has 7 to save: the question stands.
fn asked_what_to_keep(folder: &Path) -> (Harness<'static, App>, PathBuf) {
    let path = folder.join("girl.yure");
    let mut mine = window(None);
    ask(&mut mine, Request::WritePath(path.clone()));
    save_elsewhere(&path, 5.0);
    tune(&mut mine, 7.0);
    ask(&mut mine, Request::Save);
    assert_eq!(tuned_in(&path), 5.0, "nothing is overwritten before the question is answered");
    (mine, path)
}

#[test]
fn the_second_of_two_windows_on_a_project_to_save_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut first = window(None);
    ask(&mut first, Request::WritePath(path.clone()));
    let mut second = window(Some(path.clone()));
    for (window, value) in [(&mut second, 5.0), (&mut first, 7.0)] {
        tune(window, value);
        ask(window, Request::Save);
    }
    assert_eq!(tuned_in(&path), 5.0);
    assert!(second.state().may_close() && !second.state().replacing);
    assert!(!first.state().may_close() && first.state().replacing);
}

#[test]
fn a_project_that_was_saved_elsewhere_is_overwritten_only_when_the_artist_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = asked_what_to_keep(folder.path());
    click(&mut mine, "Cancel");
    assert!(!mine.state().replacing && !mine.state().may_close());
    ask(&mut mine, Request::Save);
    click(&mut mine, "Overwrite file");
    assert_eq!(tuned_in(&path), 7.0);
    assert!(mine.state().may_close() && !mine.state().replacing);
    tune(&mut mine, 8.0);
    ask(&mut mine, Request::Save);
    assert_eq!(tuned_in(&path), 8.0, "its own contents are no news");
}

#[test]
fn their_version_of_a_project_can_be_taken_instead() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = asked_what_to_keep(folder.path());
    click(&mut mine, "Reload file");
    assert_eq!((tuned(&mine), tuned_in(&path)), (5.0, 5.0));
    assert!(mine.state().may_close());
}

#[test]
fn my_version_of_a_project_can_go_into_another_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = asked_what_to_keep(folder.path());
    let other = folder.path().join("other.yure");
    ask(&mut mine, Request::WritePath(other.clone()));
    assert_eq!((tuned_in(&path), tuned_in(&other)), (5.0, 7.0));
    assert!(!mine.state().replacing && mine.state().may_close());
    assert_eq!(mine.state().files.project(), Some(&*other));
}

#[test]
fn closing_waits_for_the_choice_between_two_versions() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut mine, path) = asked_what_to_keep(folder.path());
    ask(&mut mine, Request::StayOpen);
    mine.state_mut().question = Some(Question::Close);
    mine.run_steps(3);
    click(&mut mine, "Save");
    assert!(mine.state().question.is_some(), "nothing is saved yet");
    assert_eq!(tuned_in(&path), 5.0);
    click(&mut mine, "Overwrite file");
    assert!(mine.state().question.is_none(), "the window closes");
    assert_eq!(tuned_in(&path), 7.0);
}

#[test]
fn a_project_that_changes_on_disk_while_it_is_open_is_told_and_reloaded() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut mine = window(None);
    ask(&mut mine, Request::WritePath(path.clone()));
    let same = std::fs::read(&path).expect("saved");
    save_elsewhere(&path, 5.0);
    assert!(becomes(&mut mine, |app| on_disk(app) == OnDisk::Changed));
    mine.run_steps(3);
    mine.get_by_label("girl.yure changed on disk.");
    tune(&mut mine, 7.0);
    mine.run_steps(3);
    mine.get_by_label("girl.yure changed on disk, and there are unsaved changes here.");
    click(&mut mine, "Choose version…");
    click(&mut mine, "Cancel");
    mine.state_mut().session.handle(Command::Undo);
    mine.run_steps(3);
    click(&mut mine, "Reload");
    assert_eq!(tuned(&mine), 5.0);
    assert_eq!(on_disk(mine.state()), OnDisk::Same);

    std::fs::write(&path, &same).expect("changed back");
    assert!(becomes(&mut mine, |app| on_disk(app) == OnDisk::Changed));
    mine.run_steps(3);
    click(&mut mine, "Dismiss");
    assert_eq!(on_disk(mine.state()), OnDisk::Same, "it is not told again");
    ask(&mut mine, Request::Save);
    assert!(mine.state().replacing, "but it is not overwritten either");
}

#[test]
fn a_project_that_is_gone_from_disk_is_told_and_written_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    let mut mine = window(None);
    ask(&mut mine, Request::WritePath(path.clone()));
    std::fs::remove_file(&path).expect("removed");
    assert!(becomes(&mut mine, |app| on_disk(app) == OnDisk::Gone));
    mine.run_steps(3);
    mine.get_by_label("girl.yure is gone from disk; its contents are still open here.");
    click(&mut mine, "Save again");
    assert!(path.exists());
    assert_eq!(on_disk(mine.state()), OnDisk::Same);
    assert_eq!(tuned_in(&path), tuned(&mine));
}

/// A file with one animation, called "nod", that turns bones of these names.
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

fn said_last(app: &App) -> Option<&Said> {
    app.session.messages().list().last().and_then(|message| message.said.as_ref())
}

/// Two bones of the sample.
fn two_bones() -> [String; 2] {
    let character = open_sample().character;
    let name = |bone| character.skeleton.name(bone).to_owned();
    ["head", "leftUpperArm"].map(|role| name(character.humanoid.bone(role).expect("she is a humanoid")))
}

#[test]
fn a_motion_that_is_opened_plays_on_the_open_character_and_undo_knows_nothing_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nod.vrma");
    let [head, arm] = two_bones();
    write_motion(&path, &[&head, &arm, "Antenna"]);
    let mut window = window(None);
    let before = clip_names(window.state());
    tune(&mut window, 5.0);
    let step = window.state().session.history().current();
    ask(&mut window, Request::OpenPath(path.clone()));
    let app = window.state();
    assert!(app.question.is_none() && app.files.name() == SAMPLE_NAME, "the character stays, unsaved changes and all");
    let mut after = before.clone();
    after.push("nod".to_owned());
    assert_eq!(clip_names(app), after);
    assert_eq!(app.session.playback().settings().motion, Motion::Clip(before.len()));
    assert!(app.session.playback().settings().playing);
    assert_eq!(app.session.history().current(), step);
    let loaded = Said::MotionLoaded { file: "nod.vrma".to_owned(), matched: 2, unmatched: vec!["Antenna".to_owned()] };
    assert_eq!(said_last(app), Some(&loaded));
    assert_eq!(app.files.recent().first(), Some(&path));

    window.state_mut().session.handle(Command::Undo);
    ask(&mut window, Request::OpenPath(path));
    assert_eq!(clip_names(window.state()), after, "the same file is not loaded twice");
    window.state_mut().session.handle(Command::Redo);
    assert_eq!(tuned(&window), 5.0);
}

#[test]
fn a_motion_that_fits_no_bone_changes_nothing_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("walk.gltf");
    write_motion(&path, &["mixamorig:Hips", "mixamorig:Spine"]);
    let mut window = window(None);
    let (before, motion) = (clip_names(window.state()), window.state().session.playback().settings().motion);
    load_motion(&mut window, path);
    let app = window.state();
    assert_eq!((clip_names(app), app.session.playback().settings().motion), (before, motion));
    let bones = vec!["mixamorig:Hips".to_owned(), "mixamorig:Spine".to_owned()];
    assert_eq!(said_last(app), Some(&Said::MotionFitsNothing { file: "walk.gltf".to_owned(), bones }));
}

#[test]
fn motions_are_in_a_project_by_their_path() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("motions")).expect("a folder");
    let motion = folder.path().join("motions/nod.gltf");
    let [head, _] = two_bones();
    write_motion(&motion, &[&head]);
    let project = folder.path().join("girl.yure");
    let mut first = window(None);
    load_motion(&mut first, motion.clone());
    ask(&mut first, Request::WritePath(project.clone()));
    assert_eq!(json(&project)["motions"], json!(["motions/nod.gltf"]));

    let second = window(Some(project.clone()));
    assert_eq!(clip_names(second.state()), clip_names(first.state()));
    std::fs::remove_file(&motion).expect("removed");
    let mut third = window(Some(project.clone()));
    assert_eq!(clip_names(third.state()).len() + 1, clip_names(first.state()).len());
    let errors = third.state().session.messages().list().iter().filter(|m| m.diagnostic.severity == Severity::Error);
    let errors: Vec<_> = errors.map(|m| m.diagnostic.to_string()).collect();
    assert!(errors.len() == 1 && errors[0].contains("nod.gltf"), "{errors:?}");
    ask(&mut third, Request::Save);
    assert_eq!(json(&project)["motions"], json!(["motions/nod.gltf"]), "what is missing today may be there tomorrow");
}

#[test]
fn a_motion_is_read_beside_the_frames_and_outlives_another_character() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nod.vrma");
    let [head, _] = two_bones();
    write_motion(&path, &[&head]);
    let mut window = window(None);
    let before = clip_names(window.state());
    let ctx = window.ctx.clone();
    window.state_mut().request(Request::OpenPath(path), &ctx);
    assert_eq!(clip_names(window.state()), before, "nothing is read in the frame that asks");
    window.run_steps(1);
    // A character that is asked for meanwhile comes first.
    window.state_mut().files.open(None, None, &ctx);
    rest(&mut window);
    assert!(clip_names(window.state()).iter().any(|name| name == "nod"));
    assert_eq!(window.state().files.name(), SAMPLE_NAME);
}

#[test]
fn a_motion_makes_the_project_that_lists_motions_unsaved() {
    let folder = tempfile::tempdir().expect("a folder");
    let (motion, project) = (folder.path().join("nod.vrma"), folder.path().join("girl.yure"));
    let [head, _] = two_bones();
    write_motion(&motion, &[&head]);
    let mut window = window(None);
    ask(&mut window, Request::WritePath(project.clone()));
    assert!(window.state().may_close());
    ask(&mut window, Request::OpenPath(motion.clone()));
    assert!(!window.state().may_close() && window.state().files.view(&window.state().session).dirty);
    ask(&mut window, Request::Save);
    assert!(window.state().may_close());
    ask(&mut window, Request::OpenPath(motion));
    assert!(window.state().may_close(), "the same file again changes no project");
    ask(&mut window, Request::OpenPath(project));
    assert!(window.state().may_close() && clip_names(window.state()).iter().any(|name| name == "nod"));
}

#[test]
fn what_is_wrong_with_a_project_is_said_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.yure");
    ask(&mut window(None), Request::WritePath(path.clone()));
    let mut json = json(&path);
    json["setup"]["chains"] = json!([]);
    std::fs::write(&path, json.to_string()).expect("written");
    let window = window(Some(path));
    let app = window.state();
    assert!(app.files.project().is_some() && app.session.document().chains.is_empty());
    let pointers =
        app.session.messages().list().iter().filter_map(|message| message.diagnostic.place.pointer.as_deref());
    assert!(pointers.into_iter().any(|pointer| pointer == "/setup/chains"), "{:?}", app.session.messages().list());
}

#[test]
fn a_file_that_a_dialog_has_not_asked_about_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let (typed, whole) = (folder.path().join("girl"), folder.path().join("girl.yure"));
    std::fs::write(&whole, "mine").expect("written");
    let mut window = window(None);
    let ctx = window.ctx.clone();
    let app = window.state_mut();
    app.take_path(Purpose::SaveProject, typed.clone(), Some(&typed), &ctx);
    assert_eq!(std::fs::read(&whole).expect("there"), b"mine");
    let (_, taken) = app.path_for.as_ref().expect("a question");
    assert_eq!(taken.as_deref(), Some(whole.as_path()));
    app.take_path(Purpose::SaveProject, whole.clone(), Some(&whole), &ctx);
    assert_ne!(std::fs::read(&whole).expect("there"), b"mine", "the dialog has asked about this one");
}

#[test]
fn saving_a_character_compares_swings_in_later_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("girl.vrm");
    let mut window = window(None);
    let ctx = window.ctx.clone();
    window.state_mut().chosen(Purpose::SaveCharacter("vrm"), path.clone(), &ctx);
    assert!(path.is_file() && window.state().saved_swing.is_some());
    assert!(becomes(&mut window, |app| app.saved_swing.is_none()));
}
