//! The recovery journal: the unsaved edits of one window, so that a crash loses none of them.
//!
//! A journal is a text file with one JSON object per line. The first line is a header with the last saved project.
//! Every further line is an entry with a JSON Patch (RFC 6902) that changes the state of the line before to a newer
//! state. Both states are projects as [`super::project`] writes them, without the view. The reader ignores an incomplete
//! last line, which a power cut can leave. After a line that cannot be used, the reader uses no further line and counts
//! the remaining complete lines.
//!
//! This module converts between bytes and journals. [`store`] keeps journals in a folder, one for each window, and
//! [`on_disk`] compares a journal with the project file.

mod background_flush;
pub mod on_disk;
pub mod store;

use super::project::{self, Project};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// The version that the writer writes.
const VERSION: u64 = 1;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JournalHeader {
    yuremono_recovery: u64,
    /// Absolute path of the project file; `None` for a document without a file.
    project: Option<SavedPath>,
    /// Whether the project was opened read-only.
    #[serde(default)]
    is_read_only: bool,
    /// The last saved or opened project.
    saved: Value,
}

/// A path in JSON. JSON cannot store a path that is not Unicode as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum SavedPath {
    Text(String),
    /// Only on systems that have such paths.
    #[cfg(any(unix, windows))]
    NotUnicode(std::ffi::OsString),
}

impl SavedPath {
    fn new(path: PathBuf) -> Self {
        match path.into_os_string().into_string() {
            Ok(path) => Self::Text(path),
            #[cfg(any(unix, windows))]
            Err(path) => Self::NotUnicode(path),
            #[cfg(not(any(unix, windows)))]
            Err(path) => Self::Text(path.to_string_lossy().into_owned()),
        }
    }

    fn as_path(&self) -> &Path {
        match self {
            Self::Text(path) => Path::new(path),
            #[cfg(any(unix, windows))]
            Self::NotUnicode(path) => Path::new(path),
        }
    }
}

/// A further line of a journal.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEntry {
    /// Number of unsaved edits, for the artist.
    edits: usize,
    /// Time of the entry, in seconds since 1970-01-01 UTC.
    time: u64,
    patch: json_patch::Patch,
}

/// The state that a journal is in, to append entries.
#[derive(Clone, Debug)]
pub struct JournalWriter {
    header: JournalHeader,
    current: Value,
    edits: usize,
    time: u64,
}

impl JournalWriter {
    /// Starts a journal. `project` is the absolute path of the project file, and `saved` are the bytes of a project.
    pub fn new(project: Option<PathBuf>, is_read_only: bool, saved: &[u8]) -> Self {
        let saved = to_value(saved);
        let current = saved.clone();
        let project = project.map(SavedPath::new);
        let header = JournalHeader { yuremono_recovery: VERSION, project, is_read_only, saved };
        Self { header, current, edits: 0, time: 0 }
    }

    /// Changes the state to the project `bytes`. Returns the line of the change, or `None` if the project is unchanged.
    /// `time` is in seconds since 1970-01-01 UTC.
    pub fn append(&mut self, bytes: &[u8], edits: usize, time: u64) -> Option<Vec<u8>> {
        let next = to_value(bytes);
        let patch = json_patch::diff(&self.current, &next);
        self.current = next;
        if patch.is_empty() {
            return None;
        }
        (self.edits, self.time) = (edits, time);
        Some(to_line(&JournalEntry { edits, time, patch }))
    }

    /// Applies a line. Returns whether the line can be used; if not, the state is unchanged.
    fn apply(&mut self, line: &[u8]) -> bool {
        let Ok(entry) = serde_json::from_slice::<JournalEntry>(line) else { return false };
        if json_patch::patch(&mut self.current, &entry.patch).is_err() {
            return false;
        }
        (self.edits, self.time) = (entry.edits, entry.time);
        true
    }

    /// Returns an equivalent journal of two lines.
    pub fn compacted(&self) -> Vec<u8> {
        let patch = json_patch::diff(&self.header.saved, &self.current);
        let mut bytes = to_line(&self.header);
        bytes.extend(to_line(&JournalEntry { edits: self.edits, time: self.time, patch }));
        bytes
    }

    /// Whether the journal contains unsaved edits.
    pub fn has_edits(&self) -> bool {
        self.current != self.header.saved
    }

    /// Absolute path of the project file; `None` for a document without a file.
    pub fn project_path(&self) -> Option<&Path> {
        self.header.project.as_ref().map(SavedPath::as_path)
    }
}

/// The content of a journal that a window left behind.
#[derive(Clone, Debug)]
pub struct Journal {
    /// The state after the last usable line, to continue the journal.
    pub writer: JournalWriter,
    /// Number of complete lines that cannot be used: a damaged line and all lines after it.
    pub skipped_lines: usize,
    /// The name of the journal in messages.
    name: String,
}

impl Journal {
    /// Reads a journal. `name` is the name of the file for messages. Fails only if the first line cannot be used.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self, Diagnostic> {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let first = lines.next().unwrap_or_default();
        let header: JournalHeader = serde_json::from_slice(first).map_err(|error| {
            let message = message!("is not a recovery journal: {error}", error = error.to_string());
            Diagnostic::error(Location::file(name), message)
        })?;
        if header.yuremono_recovery != VERSION {
            let message = message!(
                "has version {found}; expected version {version}",
                found = header.yuremono_recovery,
                version = VERSION
            );
            return Err(Diagnostic::error(Location::file(name), message));
        }
        let mut writer = JournalWriter { current: header.saved.clone(), header, edits: 0, time: 0 };
        // Every patch needs the state of the line before, so lines after a damaged line are useless.
        let is_damaged = lines.any(|line| !writer.apply(line));
        let skipped_lines = usize::from(is_damaged) + lines.count();
        Ok(Self { writer, skipped_lines, name: name.to_owned() })
    }

    /// Number of unsaved edits.
    pub fn edits(&self) -> usize {
        self.writer.edits
    }

    /// Time of the last entry, in seconds since 1970-01-01 UTC.
    pub fn time(&self) -> u64 {
        self.writer.time
    }

    /// Absolute path of the project file; `None` for a document without a file.
    pub fn project_path(&self) -> Option<&Path> {
        self.writer.project_path()
    }

    /// Whether the project was opened read-only.
    pub fn is_read_only(&self) -> bool {
        self.writer.header.is_read_only
    }

    pub fn set_read_only(&mut self, is_read_only: bool) {
        self.writer.header.is_read_only = is_read_only;
    }

    /// Name of the character file.
    pub fn character_name(&self) -> String {
        self.writer.current["character"]["name"].as_str().unwrap_or_default().to_owned()
    }

    /// Removes the project file, so that the recovered document is a copy.
    pub fn detach_from_project(&mut self) {
        self.writer.header.project = None;
        self.writer.header.is_read_only = false;
    }

    /// Returns the project with all edits.
    pub fn recovered(&self) -> Result<Project, Vec<Diagnostic>> {
        Ok(project::read(&to_bytes(&self.writer.current), &self.name)?.0)
    }

    /// Returns the last saved project.
    pub fn saved(&self) -> Result<Project, Vec<Diagnostic>> {
        Ok(project::read(&to_bytes(&self.writer.header.saved), &self.name)?.0)
    }

    /// Returns the bytes of a project file with all edits.
    pub fn recovered_bytes(&self) -> Vec<u8> {
        super::json_layout::to_json_bytes(&self.writer.current)
    }
}

fn to_value(project: &[u8]) -> Value {
    serde_json::from_slice(project).expect("the project writer writes JSON")
}

fn to_bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("a JSON value can be written")
}

fn to_line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("journals contain only JSON values");
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(stiffness: f64) -> Vec<u8> {
        serde_json::to_vec(&serde_json::json!({ "yuremono": 2, "stiffness": stiffness })).expect("JSON")
    }

    /// A journal with three entries, and the lengths of the journal after each line.
    fn journal() -> (Vec<u8>, Vec<usize>) {
        let mut writer = JournalWriter::new(Some(PathBuf::from("/art/hair.yure")), false, &project(0.0));
        let mut bytes = to_line(&writer.header);
        let mut lengths = vec![bytes.len()];
        for edits in 1..=3 {
            bytes.extend(writer.append(&project(edits as f64), edits, 100 + edits as u64).expect("a change"));
            lengths.push(bytes.len());
        }
        (bytes, lengths)
    }

    #[test]
    fn a_journal_cut_at_any_byte_recovers_all_complete_lines() {
        let (bytes, lengths) = journal();
        for cut in 0..=bytes.len() {
            let complete = lengths.iter().filter(|length| **length <= cut).count();
            match Journal::read(&bytes[..cut], "a.journal") {
                Ok(journal) => {
                    assert_eq!(journal.edits(), complete - 1, "cut at {cut}");
                    assert_eq!(journal.skipped_lines, 0, "cut at {cut}");
                    assert_eq!(journal.writer.current, to_value(&project((complete - 1) as f64)));
                    assert_eq!(journal.writer.has_edits(), complete > 1);
                }
                Err(error) => {
                    assert_eq!(complete, 0, "cut at {cut}");
                    assert!(error.to_string().starts_with("a.journal"), "{error}");
                }
            }
        }
    }

    #[test]
    fn lines_after_a_damaged_line_are_counted_and_not_used() {
        let (bytes, lengths) = journal();
        let mut damaged = bytes.clone();
        damaged[lengths[1] + 3] = 0;
        damaged.extend(b"incomplete");
        let journal = Journal::read(&damaged, "a.journal").expect("the first line is whole");
        assert_eq!((journal.edits(), journal.skipped_lines), (1, 2));
    }

    #[test]
    fn an_unchanged_project_adds_no_line() {
        let mut writer = JournalWriter::new(None, false, &project(0.5));
        assert_eq!(writer.append(&project(0.5), 1, 1), None);
    }

    #[test]
    fn compaction_keeps_the_state() {
        let (bytes, _) = journal();
        let journal = Journal::read(&bytes, "a.journal").expect("readable");
        let compacted = journal.writer.compacted();
        let again = Journal::read(&compacted, "a.journal").expect("readable");
        assert_eq!((again.edits(), again.time()), (3, 103));
        assert_eq!(again.writer.current, journal.writer.current);
        assert_eq!(again.writer.header, journal.writer.header);
        assert!(compacted.len() < bytes.len());
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_unicode_is_stored_without_loss() {
        use std::os::unix::ffi::OsStringExt as _;
        let path = PathBuf::from(std::ffi::OsString::from_vec(b"/art/\xff/hair.yure".to_vec()));
        let writer = JournalWriter::new(Some(path.clone()), true, &project(0.0));
        let journal = Journal::read(&writer.compacted(), "a.journal").expect("readable");
        assert_eq!(journal.project_path(), Some(&*path));
        assert!(journal.is_read_only());
    }

    #[test]
    fn a_journal_of_an_earlier_version_is_not_read_only() {
        let header = r#"{"yuremono_recovery":1,"project":"/art/hair.yure","saved":{}}"#;
        let journal = Journal::read(format!("{header}\n").as_bytes(), "a.journal").expect("readable");
        assert_eq!(journal.project_path(), Some(Path::new("/art/hair.yure")));
        assert!(!journal.is_read_only());
    }
}
