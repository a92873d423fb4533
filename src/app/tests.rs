//! The program around the session, driven without a display.

use super::*;
use crate::schema::{Row, find_row};
use crate::ui::OnDisk;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use std::path::Path;
use std::time::Duration;

/// What is tuned.
const ROW: &str = "stiffnessForce";

/// A window, on a file where there is one.
fn window(file: Option<PathBuf>) -> Harness<'static, App> {
    let builder = Harness::builder().with_size(egui::vec2(1440.0, 900.0));
    let mut window = builder.build_eframe(move |cc| App::new(cc, file));
    window.run_steps(2);
    window
}

fn ask(window: &mut Harness<'static, App>, request: Request) {
    let ctx = window.ctx.clone();
    window.state_mut().request(request, &ctx);
    window.run_steps(2);
}

fn click(window: &mut Harness<'static, App>, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
}

fn row(window: &Harness<'static, App>) -> Row {
    find_row(window.state().session.system().table(), ROW).expect("a parameter")
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
    json(path)["chains"][0]["values"][ROW]["base"].as_f64().expect("a number") as f32
}

/// Saves the project as a second window does.
fn save_elsewhere(path: &Path, value: f32) {
    let mut json = json(path);
    json["chains"][0]["values"][ROW]["base"] = value.into();
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
