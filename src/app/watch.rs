//! Hears when another program writes a file that is open here.

use crate::format::open::file_name;
use crate::format::source::read_limited;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Hears when a file is written anew.
#[derive(Default)]
pub(super) struct Watch {
    changed: Arc<AtomicBool>,
    /// Hears as long as it lives.
    _watcher: Option<RecommendedWatcher>,
}

impl Watch {
    pub(super) fn new(path: &Path, ctx: &egui::Context) -> Self {
        let changed = Arc::new(AtomicBool::new(false));
        let (flag, ctx, name) = (Arc::clone(&changed), ctx.clone(), path.file_name().map(ToOwned::to_owned));
        let hear = move |event: notify::Result<notify::Event>| {
            let Ok(event) = event else { return };
            let ours = event.paths.iter().any(|p| p.file_name() == name.as_deref());
            if ours && (event.kind.is_modify() || event.kind.is_create()) {
                flag.store(true, Ordering::Relaxed);
                ctx.request_repaint();
            }
        };
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A folder that cannot be watched costs the offer, not the file.
        let watcher = notify::recommended_watcher(hear).ok().and_then(|mut watcher| {
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

/// A table that was read or written here, and whether it says something else by now.
pub(super) struct TableWatch {
    path: PathBuf,
    name: String,
    watch: Watch,
    /// Stands for the bytes that are known here.
    known: Option<u64>,
    /// Stands for bytes that another program wrote.
    other: Option<u64>,
}

impl TableWatch {
    pub(super) fn new(path: &Path, ctx: &egui::Context) -> Self {
        let watch = Watch::new(path, ctx);
        Self { known: print_of(path), other: None, name: file_name(path), path: path.to_path_buf(), watch }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Reads a file that was written anew; spreadsheets write several times, and often the same bytes.
    pub(super) fn look(&mut self) {
        if self.watch.changed() {
            self.watch.acknowledge();
            self.other = print_of(&self.path).filter(|print| Some(*print) != self.known);
        }
    }

    pub(super) fn is_other(&self) -> bool {
        self.other.is_some()
    }

    /// What the file says now is known.
    pub(super) fn acknowledge(&mut self) {
        self.known = self.other.take().or(self.known);
    }
}

/// `None` where the file cannot be read, for example while it is being replaced.
fn print_of(path: &Path) -> Option<u64> {
    let bytes = read_limited(path).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    /// Looks for a while, since the system tells of changes when it likes.
    fn is_other_after(table: &mut TableWatch, looks: usize) -> bool {
        (0..looks).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            table.look();
            table.is_other()
        })
    }

    #[test]
    fn a_table_is_offered_when_it_says_something_else_and_only_then() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hair.csv");
        std::fs::write(&path, "version,4\n").expect("written");
        let mut table = TableWatch::new(&path, &egui::Context::default());
        std::fs::write(&path, "version,4\n").expect("written again");
        assert!(!is_other_after(&mut table, 15), "the same bytes");
        std::fs::write(&path, "version,3\n").expect("changed");
        assert!(is_other_after(&mut table, 250), "other bytes");
        table.acknowledge();
        assert!(!table.is_other());
    }
}
