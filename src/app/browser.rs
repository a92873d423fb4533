//! The application as a page in a browser.
//!
//! The artist's files are in a file system in memory ([`yuremono_format::fs`]), below [`FILES_FOLDER`]. Opened and dropped
//! files are copied into it. Saved files leave it as downloads, or are written into the file that the artist chose. The
//! folder for user data is kept in the storage of the browser.

mod bindings;
mod storage;
pub mod workers;

use super::App;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use yuremono_format::fs;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// The folder for presets and recovery journals.
const USER_DATA_FOLDER: &str = "/user-data";
/// The folder with the files that the artist opened.
const FILES_FOLDER: &str = "/";

/// Groups of files that arrived since the last frame, each chosen or dropped together.
static DROPPED: Mutex<Vec<Vec<PathBuf>>> = Mutex::new(Vec::new());
/// Saves that failed since the last frame.
static FAILED_SAVES: Mutex<Vec<Diagnostic>> = Mutex::new(Vec::new());

/// Starts the application in the canvas of the page. Does nothing in a worker.
pub fn start() {
    if !bindings::is_page() {
        return;
    }
    std::panic::set_hook(Box::new(|info| {
        bindings::failed(
            &format!(
                "Yuremono stopped because of an internal error. Reload the page: unsaved changes are recovered.\n{info}"
            ),
            &format!(
                "内部エラーのため Yuremono が停止しました。ページを再読み込みすると、未保存の変更を復元できます。\n{info}"
            ),
        );
    }));
    wasm_bindgen_futures::spawn_local(run());
}

async fn run() {
    bindings::find_locks().await;
    storage::install();
    let canvas =
        web_sys::window().and_then(|window| window.document()).and_then(|page| page.get_element_by_id("canvas"));
    let Some(canvas) = canvas.and_then(|canvas| canvas.dyn_into().ok()) else { return };
    let create = |cc: &eframe::CreationContext<'_>| -> Box<dyn eframe::App> {
        let mut app = App::new(cc, None, None);
        app.start_autosave(Path::new(USER_DATA_FOLDER));
        bindings::started();
        Box::new(app)
    };
    let started =
        eframe::WebRunner::new().start(canvas, eframe::WebOptions::default(), Box::new(move |cc| Ok(create(cc)))).await;
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

/// Asks before the page is closed.
pub(super) fn set_unsaved(unsaved: bool) {
    bindings::set_unsaved(unsaved);
}

/// Lets the artist choose files with one of the extensions, and sends the path of the first one with such an extension.
pub(super) fn choose_file(extensions: Vec<&'static str>, report: impl FnOnce(Option<PathBuf>) + 'static) {
    let accept: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
    // Files that belong to a `.gltf` are chosen together with it.
    let accept = if extensions.contains(&"gltf") { String::new() } else { accept.join(",") };
    let done = Closure::once_into_js(move |files: js_sys::Array| {
        let paths = insert_files(&files);
        let is_wanted = |path: &&PathBuf| yuremono_format::tables::has_extension(path, &extensions);
        report(paths.iter().find(is_wanted).or(paths.first()).cloned());
    });
    bindings::choose_files(&accept, &done);
}

/// Lets the artist choose where a file with this name is saved.
pub(super) fn choose_target(name: &str, report: impl FnOnce(Option<PathBuf>) + 'static) {
    let done = Closure::once_into_js(move |name: Option<String>| {
        report(name.map(|name| Path::new(FILES_FOLDER).join(name)));
    });
    bindings::choose_target(name, &done);
}

/// Puts chosen files into the file system, and returns their paths.
fn insert_files(files: &js_sys::Array) -> Vec<PathBuf> {
    let files = files.iter().filter_map(|file| {
        let name = js_sys::Reflect::get(&file, &"name".into()).ok()?.as_string()?;
        let bytes: js_sys::Uint8Array = js_sys::Reflect::get(&file, &"bytes".into()).ok()?.dyn_into().ok()?;
        let path = Path::new(FILES_FOLDER).join(name);
        fs::insert(path.clone(), bytes.to_vec());
        Some(path)
    });
    files.collect()
}

/// Copies dropped files into the file system. [`take_dropped`] returns them once they are read.
pub(super) fn read_dropped(files: Vec<egui::DroppedFileHandle>) {
    if files.is_empty() {
        return;
    }
    wasm_bindgen_futures::spawn_local(async move {
        let mut paths = Vec::new();
        for file in files {
            let path = Path::new(FILES_FOLDER).join(file.path());
            match file.bytes_async().await {
                Ok(bytes) => {
                    fs::insert(path.clone(), bytes);
                    paths.push(path);
                }
                Err(error) => report_failure(&path, message!("cannot be read: {error}", error)),
            }
        }
        DROPPED.lock().expect("no thread panics with the lock").push(paths);
    });
}

/// Returns dropped files that were read since the last call.
pub(super) fn take_dropped() -> Vec<PathBuf> {
    DROPPED.lock().expect("no thread panics with the lock").pop().unwrap_or_default()
}

/// Hands saved files to the artist. Returns failures since the last call.
pub(super) fn hand_over_saved_files() -> Vec<Diagnostic> {
    for (path, bytes) in storage::take_saved() {
        let name = path.display().to_string();
        let failed = Closure::once_into_js(move |why: String| {
            report_failure(&path, message!("cannot be written: {why}. Save the file again", why));
        });
        bindings::save(&name, &js_sys::Uint8Array::from(&bytes[..]), &failed);
    }
    std::mem::take(&mut *FAILED_SAVES.lock().expect("no thread panics with the lock"))
}

fn report_failure(path: &Path, message: yuremono_sim::diagnostics::MessageText) {
    let diagnostic = Diagnostic::error(Location::file(path.display().to_string()), message);
    FAILED_SAVES.lock().expect("no thread panics with the lock").push(diagnostic);
}
