//! The application as a page in a browser.
//!
//! The artist's files are in a file system in memory ([`yuremono_format::fs`]), below [`FILES_FOLDER`]. Opened and dropped
//! files are copied into it. Saved files leave it as downloads, or are written into the file that the artist chose. The
//! browser stores the folder for user data, and the files of the artist until the next visit.

mod bindings;
mod storage;
pub mod workers;

use super::App;
use crate::ui::actions::{Action, Shortcut, shortcuts};
use egui::KeyboardShortcut;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use yuremono_format::fs;
use yuremono_format::tables::{FileKind, has_extension};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// The folder for presets and recovery journals.
const USER_DATA_FOLDER: &str = "/user-data";
/// The folder with the files that the artist opened.
const FILES_FOLDER: &str = "/";

/// Groups of files that arrived since the last frame, each chosen or dropped together.
static DROPPED: Mutex<Vec<Vec<PathBuf>>> = Mutex::new(Vec::new());
/// Problems with files since the last frame.
static FAILURES: Mutex<Vec<Diagnostic>> = Mutex::new(Vec::new());
/// The window, which is drawn when files arrive.
static CONTEXT: OnceLock<egui::Context> = OnceLock::new();

/// Starts the application in the canvas of the page. Does nothing in a worker.
pub fn start() {
    if !bindings::is_page() {
        return;
    }
    reserve_shortcuts();
    wasm_bindgen_futures::spawn_local(run());
}

/// Shows a notice after a panic on the main thread, which ends the page. A panic in a worker ends only its task.
fn report_panics() {
    let stop = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !bindings::is_page() {
            return;
        }
        bindings::failed(
            &format!(
                "Yuremono stopped because of an internal error. Reload the page: unsaved changes are recovered.\n{info}"
            ),
            &format!(
                "内部エラーのため Yuremono が停止しました。ページを再読み込みすると、未保存の変更を復元できます。\n{info}"
            ),
        );
        stop(info);
    }));
}

/// Keeps the browser from running its own actions for the shortcuts of the window.
fn reserve_shortcuts() {
    // A page types letters and copies texts by the actions of the browser.
    let is_reserved = |shortcut: &&Shortcut| {
        let is_copy = matches!(shortcut.action, Action::CopyValues | Action::PasteValues);
        (shortcut.while_typing || shortcut.key.modifiers.command) && !is_copy
    };
    let names =
        shortcuts().filter(is_reserved).map(|Shortcut { key: KeyboardShortcut { modifiers, logical_key }, .. }| {
            let [ctrl, shift] = [(modifiers.command, "ctrl+"), (modifiers.shift, "shift+")]
                .map(|(is_pressed, name)| if is_pressed { name } else { "" });
            JsValue::from(format!("{ctrl}{shift}{}", logical_key.symbol_or_name().to_lowercase()))
        });
    bindings::reserve_keys(&names.collect());
}

async fn run() {
    bindings::begin_start().await;
    storage::install().await;
    let canvas =
        web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id("canvas"));
    let Some(canvas) = canvas.and_then(|canvas| canvas.dyn_into().ok()) else { return };
    let create = |cc: &eframe::CreationContext<'_>| -> Box<dyn eframe::App> {
        CONTEXT.set(cc.egui_ctx.clone()).ok();
        let mut app = App::new(cc, None, None);
        app.start_autosave(Path::new(USER_DATA_FOLDER));
        bindings::started();
        Box::new(app)
    };
    let runner = eframe::WebRunner::new();
    // The runner has set a hook that stops the page.
    report_panics();
    let started = runner.start(canvas, eframe::WebOptions::default(), Box::new(move |cc| Ok(create(cc)))).await;
    bindings::end_start();
    if let Err(error) = started {
        let error = bindings::error_text(&error);
        bindings::failed(
            &format!("The window could not be opened; it needs WebGL 2.\n{error}"),
            &format!("ウィンドウを開けませんでした。WebGL 2 が必要です。\n{error}"),
        );
    }
}

/// Returns the folder for user data.
pub(super) fn user_data_folder() -> PathBuf {
    Path::new(USER_DATA_FOLDER).to_owned()
}

/// Returns the name and the version of the browser.
pub(super) fn user_agent() -> String {
    bindings::user_agent()
}

/// Asks before the page is closed, as long as `unsaved` is true.
pub(super) fn set_unsaved(unsaved: bool) {
    bindings::set_unsaved(unsaved);
}

/// Lets the artist choose files with one of the extensions, and sends the path of the first one with such an extension.
pub(super) fn choose_file(extensions: Vec<&'static str>, report: impl FnOnce(Option<PathBuf>) + 'static) {
    let accept: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    // Files that belong to a `.gltf` are chosen together with it.
    let accept = if extensions.contains(&"gltf") { String::new() } else { accept.join(",") };
    let done = Closure::once_into_js(move |files: js_sys::Array, why: String| {
        if !why.is_empty() {
            report_failure(Path::new(FILES_FOLDER), message!("the chosen files cannot be read: {why}", why));
        }
        let paths = insert_files(&files);
        let is_wanted = |path: &&PathBuf| has_extension(path, &extensions);
        report(paths.iter().find(is_wanted).or(paths.first()).cloned());
    });
    bindings::choose_files(&accept, &done);
}

/// Lets the artist choose where a file with this name and extension is saved, which must be written at once.
pub(super) fn choose_target(name: &str, extension: &str, report: impl FnOnce(Option<PathBuf>) + 'static) {
    let done = Closure::once_into_js(move |name: Option<String>| {
        report(name.map(|name| Path::new(FILES_FOLDER).join(name)));
    });
    bindings::choose_target(name, &format!(".{extension}"), &done);
}

/// Puts chosen files into the file system, and returns their paths.
fn insert_files(files: &js_sys::Array) -> Vec<PathBuf> {
    let folder = new_folder();
    let files = files.iter().filter_map(|file| {
        let name = js_sys::Reflect::get(&file, &"name".into()).ok()?.as_string()?;
        let bytes: js_sys::Uint8Array = js_sys::Reflect::get(&file, &"bytes".into()).ok()?.dyn_into().ok()?;
        let path = folder.join(name);
        insert(&path, bytes.to_vec());
        Some(path)
    });
    files.collect()
}

/// Returns a folder for files that are opened together, so that they replace no files with the same names.
fn new_folder() -> PathBuf {
    Path::new(FILES_FOLDER).join(format!("{:.0}", js_sys::Date::now()))
}

/// Puts a file of the artist into the file system, and keeps it for a recovery.
fn insert(path: &Path, bytes: Vec<u8>) {
    keep(path, &bytes);
    fs::insert(path, bytes);
}

/// Keeps a file of the artist until the next visit.
fn keep(path: &Path, bytes: &[u8]) {
    let name = path.display().to_string();
    let path = path.to_owned();
    let failed = Closure::once_into_js(move |why: String| {
        report_failure(&path, message!("the browser cannot keep this file for a recovery after a crash: {why}", why));
    });
    bindings::keep_file(&name, &js_sys::Uint8Array::from(bytes), &failed);
}

/// Copies dropped files into the file system. [`take_dropped`] returns them once they are read.
pub(super) fn read_dropped(files: Vec<egui::DroppedFileHandle>) {
    if files.is_empty() {
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        let (folder, mut paths) = (new_folder(), Vec::new());
        for file in files {
            let path = folder.join(file.path());
            match file.bytes_async().await {
                Ok(bytes) => {
                    insert(&path, bytes);
                    paths.push(path);
                }
                Err(error) => report_failure(&path, message!("cannot be read: {error}", error)),
            }
        }
        fs::lock(&DROPPED).push(paths);
        request_frame();
    });
}

/// Returns dropped files that were read since the last call.
pub(super) fn take_dropped() -> Vec<PathBuf> {
    fs::lock(&DROPPED).pop().unwrap_or_default()
}

/// Hands saved files to the artist. Returns failures since the last call.
pub(super) fn hand_over_saved_files() -> Vec<Diagnostic> {
    for (path, bytes) in storage::take_saved() {
        // A journal continues the project.
        if has_extension(&path, FileKind::Project.extensions()) {
            keep(&path, &bytes);
        }
        let name = path.display().to_string();
        let failed = Closure::once_into_js(move |why: String| {
            report_failure(&path, message!("cannot be written: {why}. Save the file again", why));
        });
        bindings::save(&name, &js_sys::Uint8Array::from(&bytes[..]), &failed);
    }
    std::mem::take(&mut *fs::lock(&FAILURES))
}

/// Whether a failure is that of a project, whose changes are then not saved.
pub(super) fn is_of_project(failure: &Diagnostic) -> bool {
    has_extension(Path::new(&failure.location.file), FileKind::Project.extensions())
}

fn report_failure(path: &Path, message: yuremono_sim::diagnostics::MessageText) {
    let diagnostic = Diagnostic::error(Location::file(path.display().to_string()), message);
    fs::lock(&FAILURES).push(diagnostic);
    request_frame();
}

/// Draws the window once, so that it handles what has arrived.
fn request_frame() {
    if let Some(context) = CONTEXT.get() {
        context.request_repaint();
    }
}
