//! Watches open files for changes by other programs.

use crate::ui::DiskStatus;
#[cfg(not(target_arch = "wasm32"))]
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use yuremono_format::fs;
use yuremono_format::open::file_name;
use yuremono_format::source::Fingerprint;

/// Reports when another program changes a file. In a browser, no other program can change the files.
#[derive(Default)]
pub(super) struct FileWatch {
    changed: Arc<AtomicBool>,
    /// Watches the folder of the file until this value is dropped.
    #[cfg(not(target_arch = "wasm32"))]
    _watcher: Option<RecommendedWatcher>,
}

impl FileWatch {
    #[cfg(target_arch = "wasm32")]
    pub(super) fn new(_path: &Path, _ctx: &egui::Context) -> Self {
        Self::default()
    }

    #[cfg(target_arch = "wasm32")]
    fn new_with_removal(path: &Path, ctx: &egui::Context) -> Self {
        Self::new(path, ctx)
    }

    /// Watches for writes.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn new(path: &Path, ctx: &egui::Context) -> Self {
        Self::with_events(path, ctx, |kind| kind.is_modify() || kind.is_create())
    }

    /// Watches for writes, moves and removal.
    #[cfg(not(target_arch = "wasm32"))]
    fn new_with_removal(path: &Path, ctx: &egui::Context) -> Self {
        Self::with_events(path, ctx, |kind| kind.is_modify() || kind.is_create() || kind.is_remove())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn with_events(path: &Path, ctx: &egui::Context, matters: fn(notify::EventKind) -> bool) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let (flag, ctx, name) = (Arc::clone(&changed), ctx.clone(), path.file_name().map(ToOwned::to_owned));
        let on_event = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            let ours = event.paths.iter().any(|p| p.file_name() == name.as_deref());
            if ours && matters(event.kind) {
                flag.store(true, Ordering::Relaxed);
                ctx.request_repaint();
            }
        };
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // If the folder cannot be watched, the file stays open without change detection.
        let watcher = notify::recommended_watcher(on_event).ok().and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive).ok()?;
            Some(watcher)
        });
        Self { changed, _watcher: watcher }
    }

    pub(super) fn changed(&self) -> bool {
        self.changed.load(Ordering::Relaxed)
    }

    pub(super) fn acknowledge(&self) {
        self.changed.store(false, Ordering::Relaxed);
    }
}

/// A file whose contents on disk are compared with known contents. Modification times are not compared, because
/// programs often write the same bytes again.
pub(super) struct ContentWatch {
    pub(super) path: PathBuf,
    pub(super) name: String,
    watch: FileWatch,
    /// The contents that were last read or written.
    pub(super) known_contents: Option<Fingerprint>,
    comparison: ContentComparison,
    /// A change that the user dismissed, which is not reported again.
    dismissed: ContentComparison,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContentComparison {
    Unchanged,
    /// `None` if the contents cannot be read.
    Changed(Option<Fingerprint>),
    Removed,
}

impl ContentWatch {
    /// Watches a file whose last read or written contents are `known`.
    pub(super) fn new(path: &Path, known: Option<Fingerprint>, ctx: &egui::Context) -> Self {
        let watch = FileWatch::new_with_removal(path, ctx);
        Self {
            known_contents: known,
            comparison: ContentComparison::Unchanged,
            dismissed: ContentComparison::Unchanged,
            name: file_name(path),
            path: path.to_path_buf(),
            watch,
        }
    }

    /// Watches a file and treats its current contents as known.
    pub(super) fn with_current_contents(path: &Path, ctx: &egui::Context) -> Self {
        Self::new(path, Fingerprint::of_file(path), ctx)
    }

    /// Compares the file if the system reported a change.
    pub(super) fn compare_if_notified(&mut self) {
        if self.watch.changed() {
            self.compare();
        }
    }

    /// Compares the file without waiting for a notification, because not every file system reports changes.
    pub(super) fn compare(&mut self) {
        self.watch.acknowledge();
        self.comparison = match Fingerprint::of_file(&self.path) {
            Some(print) if Some(print) == self.known_contents => ContentComparison::Unchanged,
            None if !fs::is_present(&self.path) => ContentComparison::Removed,
            other => ContentComparison::Changed(other),
        };
    }

    /// Returns how the file on disk differs from the known contents.
    pub(super) fn on_disk(&self) -> DiskStatus {
        match self.comparison {
            ContentComparison::Unchanged => DiskStatus::Unchanged,
            ContentComparison::Changed(_) => DiskStatus::Changed,
            ContentComparison::Removed => DiskStatus::Missing,
        }
    }

    /// Returns the same as [`ContentWatch::on_disk`], but ignores a dismissed change.
    pub(super) fn unreported_change(&self) -> DiskStatus {
        if self.comparison == self.dismissed { DiskStatus::Unchanged } else { self.on_disk() }
    }

    /// Hides the current change. Its contents stay unknown, so saving over them still asks.
    pub(super) fn dismiss(&mut self) {
        self.dismissed = self.comparison;
    }

    /// Treats the contents on disk as known. Dismisses the change if the contents cannot be read.
    pub(super) fn acknowledge(&mut self) {
        match self.comparison {
            ContentComparison::Changed(Some(print)) => {
                (self.known_contents, self.comparison) = (Some(print), ContentComparison::Unchanged);
            }
            _ => self.dismiss(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Polls, because the system reports changes with a delay.
    fn wait_for_state(file: &mut ContentWatch, expected: DiskStatus, polls: usize) -> bool {
        (0..polls).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            file.compare_if_notified();
            file.on_disk() == expected
        })
    }

    #[test]
    fn a_file_counts_as_changed_only_if_its_contents_differ() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hair.csv");
        std::fs::write(&path, "version,4\n").expect("written");
        let mut file = ContentWatch::with_current_contents(&path, &egui::Context::default());
        std::fs::write(&path, "version,4\n").expect("written again");
        assert!(!wait_for_state(&mut file, DiskStatus::Changed, 15), "the same bytes");
        std::fs::write(&path, "version,3\n").expect("changed");
        assert!(wait_for_state(&mut file, DiskStatus::Changed, 250), "other bytes");
        file.acknowledge();
        assert_eq!(file.on_disk(), DiskStatus::Unchanged);
    }

    #[test]
    fn an_acknowledged_unreadable_file_is_not_reported_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hair.csv");
        std::fs::write(&path, "version,4\n").expect("written");
        let mut file = ContentWatch::with_current_contents(&path, &egui::Context::default());
        std::fs::remove_file(&path).expect("removed");
        std::fs::create_dir(&path).expect("a folder in its place");
        file.compare();
        assert_eq!(file.unreported_change(), DiskStatus::Changed);
        file.acknowledge();
        file.compare();
        assert_eq!(file.unreported_change(), DiskStatus::Unchanged);
    }

    #[test]
    fn a_removed_file_is_reported_until_it_is_restored() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("girl.yure");
        std::fs::write(&path, "{}").expect("written");
        let mut file = ContentWatch::with_current_contents(&path, &egui::Context::default());
        std::fs::remove_file(&path).expect("removed");
        assert!(wait_for_state(&mut file, DiskStatus::Missing, 250));
        std::fs::write(&path, "{}").expect("written again");
        assert!(wait_for_state(&mut file, DiskStatus::Unchanged, 250), "the same contents are back");
    }

    #[test]
    fn a_dismissed_change_is_not_reported_but_still_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("girl.yure");
        std::fs::write(&path, "mine").expect("written");
        let mut file = ContentWatch::with_current_contents(&path, &egui::Context::default());
        std::fs::write(&path, "theirs").expect("changed");
        file.compare();
        assert_eq!(file.unreported_change(), DiskStatus::Changed);
        file.dismiss();
        assert_eq!((file.unreported_change(), file.on_disk()), (DiskStatus::Unchanged, DiskStatus::Changed));
        std::fs::write(&path, "theirs again").expect("changed");
        file.compare();
        assert_eq!(file.unreported_change(), DiskStatus::Changed, "a new change is reported");
    }
}
