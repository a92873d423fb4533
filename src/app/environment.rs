//! The description of this computer for bug reports, and the report of a crash.

use super::character_canvas::CharacterCanvas;
#[cfg(not(target_arch = "wasm32"))]
use std::path::{Path, PathBuf};

/// Returns the version, the system and the graphics driver, one per line.
pub(super) fn describe(canvas: &CharacterCanvas) -> String {
    let driver = canvas.driver().unwrap_or_else(|| "none".to_owned());
    format!("Yuremono {}\n{}\n{driver}", env!("CARGO_PKG_VERSION"), system())
}

#[cfg(not(target_arch = "wasm32"))]
fn system() -> String {
    // Only Linux has this file.
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    format!("{name}, {}", std::env::consts::ARCH)
}

#[cfg(target_arch = "wasm32")]
fn system() -> String {
    super::browser::user_agent()
}

/// Extension of the reports in the folder of the recovery journals.
#[cfg(not(target_arch = "wasm32"))]
const REPORT_EXTENSION: &str = "crash";

/// Writes a report into `folder` at each panic. `description` is what [`describe`] returns.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn report_panics(folder: PathBuf, description: String) {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        print(info);
        // The window reports the end of a task on another thread, and goes on.
        if std::thread::current().name() != Some("main") {
            return;
        }
        let trace = std::backtrace::Backtrace::force_capture();
        let path = folder.join(format!("{}.{REPORT_EXTENSION}", std::process::id()));
        // Nothing more can be done in a panic. The text was printed.
        std::fs::write(path, format!("{description}\n\n{info}\n\n{trace}")).ok();
    }));
}

/// Moves the newest report of an earlier window out of `folder`, deletes the others, and returns the new path.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn take_crash_report(folder: &Path) -> Option<PathBuf> {
    let is_report = |path: &PathBuf| path.extension().is_some_and(|extension| extension == REPORT_EXTENSION);
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    let mut reports: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_report).collect();
    reports.sort_by_key(|path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok());
    let newest = reports.pop()?;
    for old in reports {
        std::fs::remove_file(old).ok();
    }
    let kept = folder.parent()?.join("crash-report.txt");
    std::fs::rename(newest, &kept).ok()?;
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_crash_report_is_kept_once() {
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("recovery");
        std::fs::create_dir(&folder).expect("created");
        assert_eq!(take_crash_report(&folder), None);
        for (name, text, age) in [("8.crash", "old", 60), ("7.crash", "new", 0)] {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            let file = std::fs::File::options().write(true).open(path).expect("opened");
            let modified = file.metadata().and_then(|metadata| metadata.modified()).expect("a time");
            file.set_modified(modified - std::time::Duration::from_secs(age)).expect("set");
        }
        std::fs::write(folder.join("a.journal"), "").expect("written");
        let kept = take_crash_report(&folder).expect("a report");
        assert_eq!(std::fs::read_to_string(kept).expect("readable"), "new");
        assert_eq!(take_crash_report(&folder), None, "a report is offered once");
        assert!(folder.join("a.journal").exists());
    }
}
