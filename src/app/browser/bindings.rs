//! The functions of `assets/web/browser.js`.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/assets/web/browser.js")]
extern "C" {
    #[wasm_bindgen(js_name = userAgent)]
    pub(super) fn user_agent() -> String;
    pub(super) fn started();
    pub(super) fn failed(english: &str, japanese: &str);
    #[wasm_bindgen(js_name = isPage)]
    pub(super) fn is_page() -> bool;
    #[wasm_bindgen(js_name = setUnsaved)]
    pub(super) fn set_unsaved(unsaved: bool);
    #[wasm_bindgen(js_name = reserveKeys)]
    pub(super) fn reserve_keys(names: &js_sys::Array);
    #[wasm_bindgen(js_name = chooseFiles)]
    pub(super) fn choose_files(extensions: &str, done: &JsValue);
    #[wasm_bindgen(js_name = chooseTarget)]
    pub(super) fn choose_target(name: &str, extension: &str, done: &JsValue);
    pub(super) fn save(path: &str, bytes: &Uint8Array, failed: &JsValue);
    #[wasm_bindgen(js_name = storedFiles)]
    pub(super) fn stored_files() -> js_sys::Array;
    pub(super) fn store(path: &str, text: Option<&str>) -> String;
    #[wasm_bindgen(js_name = keepFile)]
    pub(super) fn keep_file(path: &str, bytes: &Uint8Array, failed: &JsValue);
    #[wasm_bindgen(js_name = takeFilesOfEndedPages)]
    pub(super) async fn take_files_of_ended_pages(wanted: bool) -> JsValue;
    #[wasm_bindgen(js_name = beginStart)]
    pub(super) async fn begin_start();
    #[wasm_bindgen(js_name = endStart)]
    pub(super) fn end_start();
    #[wasm_bindgen(js_name = findLocks)]
    pub(super) async fn find_locks();
    #[wasm_bindgen(js_name = isLockedElsewhere)]
    pub(super) fn is_locked_elsewhere(path: &str) -> bool;
    pub(super) fn lock(path: &str);
    #[wasm_bindgen(js_name = startWorker)]
    pub(super) fn start_worker(module: &JsValue, memory: &JsValue, idle: &JsValue, crashed: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = runTask)]
    pub(super) fn run_task(worker: &JsValue, task: u32);
}

/// Returns the text of an error of JavaScript.
pub(super) fn error_text(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
