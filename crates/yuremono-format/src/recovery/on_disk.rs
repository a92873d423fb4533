//! Compares the project file on disk with the states of a journal.

use super::Journal;
use crate::fs;
use crate::open;
use crate::project::{Project, ProjectMetadata, normalized_path};
use crate::source::Fingerprint;
use std::path::Path;
use std::time::UNIX_EPOCH;
use yuremono_sim::diagnostics::Severity;

/// The content of the project file, in relation to a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectOnDisk {
    /// The document has no file, or the file cannot be read.
    Unavailable,
    /// The file contains the state before the edits of the journal.
    WithoutEdits(Fingerprint),
    /// The file contains the recovered state, so there is nothing to recover.
    WithEdits,
    /// The file contains another state.
    Other {
        /// Whether the file was saved after the last edit of the journal.
        is_newer: bool,
    },
}

impl ProjectOnDisk {
    /// Reads the project file of a journal.
    pub fn of(journal: &Journal) -> Self {
        let Some(path) = journal.project_path() else { return Self::Unavailable };
        let Ok((project, diagnostics)) = open::project(path) else { return Self::Unavailable };
        // The reader repaired the content, so the content does not equal the file.
        let is_repaired = diagnostics.iter().any(|diagnostic| diagnostic.severity > Severity::Info);
        let project = with_canonical_paths(project, path);
        let equals = |state: Project| project.has_equal_content(&with_canonical_paths(state, path));
        if !is_repaired && journal.recovered().is_ok_and(equals) {
            Self::WithEdits
        } else if journal.saved().is_ok_and(equals) {
            Self::WithoutEdits(project.fingerprint)
        } else {
            Self::Other { is_newer: modified_seconds(path).is_some_and(|modified| modified >= journal.time()) }
        }
    }
}

/// Gives the character and the motions of a project at `path` the same paths as in any other project.
fn with_canonical_paths(mut project: Project, path: &Path) -> Project {
    project.make_paths_absolute(path);
    let ProjectMetadata { character_path, motions, .. } = &mut project.metadata;
    for file in motions.iter_mut().chain([character_path]) {
        let path = Path::new(&*file);
        *file = fs::canonicalize(path).unwrap_or_else(|_| normalized_path(path)).to_string_lossy().into_owned();
    }
    project
}

/// Returns when a file was last written, in seconds since 1970-01-01 UTC.
fn modified_seconds(path: &Path) -> Option<u64> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    Some(modified.duration_since(UNIX_EPOCH).ok()?.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::JournalWriter;
    use serde_json::json;

    fn project(system: &str, character: &str, motion: &str) -> Vec<u8> {
        let project = json!({
            "yuremono": 2,
            "character": { "path": character, "name": "a" },
            "setup": { "systems": { "1": { "name": system } } },
            "motions": [motion],
        });
        project.to_string().into_bytes()
    }

    /// Compares a project file with a journal that renames the system "saved" to "recovered" at `edit_time`.
    fn compare(folder: &Path, content: &[u8], edit_time: u64) -> ProjectOnDisk {
        let path = folder.join("hair.yure");
        std::fs::write(&path, content).expect("written");
        let absolute = |system| {
            let file = |name: &str| folder.join(name).display().to_string();
            project(system, &file("a.vrm"), &file("walk.vrma"))
        };
        let mut writer = JournalWriter::new(Some(path), false, &absolute("saved"));
        writer.append(&absolute("recovered"), 1, edit_time).expect("a change");
        ProjectOnDisk::of(&Journal::read(&writer.compacted(), "a.journal").expect("readable"))
    }

    #[test]
    fn the_file_is_compared_with_both_states_of_the_journal() {
        let folder = tempfile::tempdir().expect("a folder");
        let compare = |content: &[u8], edit_time| compare(folder.path(), content, edit_time);
        let content = |system, motion| project(system, "a.vrm", motion);
        let saved = content("saved", "walk.vrma");
        assert_eq!(compare(&saved, 0), ProjectOnDisk::WithoutEdits(Fingerprint::of(&saved)));
        assert_eq!(compare(&content("recovered", "walk.vrma"), 0), ProjectOnDisk::WithEdits);
        assert_eq!(compare(&content("recovered", "clips/../walk.vrma"), 0), ProjectOnDisk::WithEdits);
        let newer = ProjectOnDisk::Other { is_newer: true };
        assert_eq!(compare(&content("other", "walk.vrma"), 0), newer);
        assert_eq!(compare(&content("recovered", "run.vrma"), 0), newer, "the motions differ");
        let older = ProjectOnDisk::Other { is_newer: false };
        assert_eq!(compare(&content("other", "walk.vrma"), u64::MAX), older);
        assert_eq!(compare(b"{}", 0), ProjectOnDisk::Unavailable);
    }
}
