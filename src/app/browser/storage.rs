//! Keeps the folder for user data in the local storage of the browser, and collects saved files.

use super::{USER_DATA_FOLDER, bindings};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use js_sys::{Array, Uint8Array};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use wasm_bindgen::{JsCast as _, JsValue};
use yuremono_format::fs::{self, Storage, lock};
use yuremono_format::tables::has_extension;

/// Saved files that the artist has not got yet.
static SAVED: Mutex<Vec<(PathBuf, Vec<u8>)>> = Mutex::new(Vec::new());

/// Earlier saves of projects last until the page is closed, because the browser stores only a few megabytes.
const KEPT_UNTIL_CLOSED: &str = "backups";

#[derive(Debug)]
struct BrowserStorage {
    user_data: PathBuf,
    next_number: AtomicU64,
}

/// Connects the file system with the browser, and restores the files of the last visit. The characters of ended pages
/// are restored if one of these pages left a journal for recovery.
pub(super) async fn install() {
    bindings::find_locks().await;
    let mut kept = entries(&bindings::stored_files(), |text| decode(&text.as_string()?));
    let is_abandoned = |path: &Path| {
        has_extension(path, &["journal"])
            && !bindings::is_locked_elsewhere(&path.with_extension("lock").display().to_string())
    };
    let has_journal = kept.iter().any(|(path, _)| is_abandoned(path));
    let files = bindings::take_files_of_ended_pages(has_journal).await;
    kept.extend(entries(&files.unchecked_into(), |bytes| Some(bytes.dyn_into::<Uint8Array>().ok()?.to_vec())));
    // Pages that start in the same millisecond still get different numbers.
    let number = js_sys::Date::now() as u64 * 1_000_000 + (js_sys::Math::random() * 1e6) as u64;
    let storage = BrowserStorage { user_data: USER_DATA_FOLDER.into(), next_number: AtomicU64::new(number) };
    fs::set_storage(Box::new(storage), kept);
}

/// Reads a list of pairs of a path and a value.
fn entries(list: &Array, read: impl Fn(JsValue) -> Option<Vec<u8>>) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = list.iter().filter_map(|entry| {
        let entry: Array = entry.dyn_into().ok()?;
        Some((PathBuf::from(entry.get(0).as_string()?), read(entry.get(1))?))
    });
    entries.collect()
}

/// Returns the files that were saved since the last call.
pub(super) fn take_saved() -> Vec<(PathBuf, Vec<u8>)> {
    std::mem::take(&mut *lock(&SAVED))
}

impl Storage for BrowserStorage {
    fn user_data(&self) -> &Path {
        &self.user_data
    }

    fn store(&self, path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
        if path.starts_with(self.user_data.join(KEPT_UNTIL_CLOSED)) {
            return Ok(());
        }
        match &*bindings::store(&path.display().to_string(), bytes.map(encode).as_deref()) {
            "" => Ok(()),
            "QuotaExceededError" => Err(ErrorKind::StorageFull.into()),
            error => Err(io::Error::other(error.to_owned())),
        }
    }

    fn save(&self, path: &Path, bytes: &[u8]) {
        let saved = (path.to_owned(), bytes.to_owned());
        lock(&SAVED).push(saved);
    }

    fn is_locked_elsewhere(&self, path: &Path) -> bool {
        bindings::is_locked_elsewhere(&path.display().to_string())
    }

    fn lock(&self, path: &Path) {
        bindings::lock(&path.display().to_string());
    }

    fn new_number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }
}

/// Encodes bytes as a text: UTF-8 after a `t`, everything else as base64 after a `b`.
fn encode(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| format!("b{}", BASE64_STANDARD.encode(bytes)), |text| format!("t{text}"))
}

fn decode(text: &str) -> Option<Vec<u8>> {
    match text.split_at_checked(1)? {
        ("t", text) => Some(text.as_bytes().to_owned()),
        ("b", text) => BASE64_STANDARD.decode(text).ok(),
        _ => None,
    }
}
