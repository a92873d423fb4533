//! The recovery journal: the unsaved edits of one window, so that a crash loses none of them.
//!
//! A journal is a text file with one JSON object per line. The first line is a [`JournalHeader`] with the last saved
//! project. Every further line is an entry with a JSON Patch (RFC 6902) that leads from the state of
//! the line before to a newer state. Both are projects as [`super::project`] writes them, with absolute paths and
//! without the view. A power cut can leave an incomplete last line; the reader ignores that line and all lines after it.
//!
//! This module converts between bytes and journals. [`store`] keeps journals in a folder, one for each window.

mod background_flush;
pub mod store;

use super::project::{self, Project};
use crate::diagnostics::{Diagnostic, Location, message};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The version that the writer writes.
const VERSION: u64 = 1;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalHeader {
    yuremono_recovery: u64,
    /// Absolute path of the project file; `None` for a document without a file.
    pub project: Option<PathBuf>,
    /// The last saved or opened project.
    saved: Value,
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
}

impl JournalWriter {
    /// Starts a journal. `saved` are the bytes of a project.
    pub fn new(project: Option<PathBuf>, saved: &[u8]) -> Self {
        let saved = to_value(saved);
        let header = JournalHeader { yuremono_recovery: VERSION, project, saved: saved.clone() };
        Self { header, current: saved }
    }

    /// Returns the first line.
    pub fn header_line(&self) -> Vec<u8> {
        to_line(&self.header)
    }

    /// Returns the line that leads to the project `bytes`, or `None` if the project is unchanged. `time` is in seconds
    /// since 1970-01-01 UTC.
    pub fn append(&mut self, bytes: &[u8], edits: usize, time: u64) -> Option<Vec<u8>> {
        let next = to_value(bytes);
        let patch = json_patch::diff(&self.current, &next);
        self.current = next;
        (!patch.is_empty()).then(|| to_line(&JournalEntry { edits, time, patch }))
    }

    /// Returns an equivalent journal of at most two lines.
    pub fn compacted(&self, edits: usize, time: u64) -> Vec<u8> {
        let patch = json_patch::diff(&self.header.saved, &self.current);
        let mut bytes = self.header_line();
        bytes.extend(to_line(&JournalEntry { edits, time, patch }));
        bytes
    }
}

/// The content of a journal that a window left behind.
#[derive(Clone, Debug)]
pub struct Journal {
    /// The state after the last complete line, to continue the journal.
    pub writer: JournalWriter,
    /// Number of unsaved edits.
    pub edits: usize,
    /// Time of the last entry, in seconds since 1970-01-01 UTC.
    pub time: u64,
    /// Length of all complete lines, in bytes.
    pub complete_length: usize,
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
        let writer = JournalWriter { current: header.saved.clone(), header };
        let mut journal = Self { writer, edits: 0, time: 0, complete_length: first.len() };
        for line in lines {
            // A failed patch leaves the value as before.
            let Ok(entry) = serde_json::from_slice::<JournalEntry>(line) else { break };
            if json_patch::patch(&mut journal.writer.current, &entry.patch).is_err() {
                break;
            }
            (journal.edits, journal.time) = (entry.edits, entry.time);
            journal.complete_length += line.len();
        }
        Ok(journal)
    }

    /// Whether the journal contains unsaved edits.
    pub fn has_edits(&self) -> bool {
        self.writer.current != self.writer.header.saved
    }

    /// Absolute path of the project file; `None` for a document without a file.
    pub fn project_path(&self) -> Option<&Path> {
        self.writer.header.project.as_deref()
    }

    /// Name of the character file.
    pub fn character_name(&self) -> String {
        self.writer.current["character"]["name"].as_str().unwrap_or_default().to_owned()
    }

    /// Forgets the project file, so that the recovered document is a copy.
    pub fn detach_from_project(&mut self) {
        self.writer.header.project = None;
    }

    /// Returns the project with all edits. `name` is used in messages.
    pub fn recovered(&self, name: &str) -> Result<Project, Vec<Diagnostic>> {
        Ok(project::read(&to_bytes(&self.writer.current), name)?.0)
    }

    /// Returns the last saved project.
    pub fn saved(&self, name: &str) -> Result<Project, Vec<Diagnostic>> {
        Ok(project::read(&to_bytes(&self.writer.header.saved), name)?.0)
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
        let mut writer = JournalWriter::new(Some(PathBuf::from("/art/hair.yure")), &project(0.0));
        let mut bytes = writer.header_line();
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
                    assert_eq!(journal.edits, complete - 1, "cut at {cut}");
                    assert_eq!(journal.complete_length, lengths[complete - 1], "cut at {cut}");
                    assert_eq!(journal.writer.current, to_value(&project((complete - 1) as f64)));
                    assert_eq!(journal.has_edits(), complete > 1);
                }
                Err(error) => {
                    assert_eq!(complete, 0, "cut at {cut}");
                    assert!(error.to_string().starts_with("a.journal"), "{error}");
                }
            }
        }
    }

    #[test]
    fn damaged_lines_end_the_journal_and_keep_the_state_before_them() {
        let (bytes, lengths) = journal();
        let mut damaged = bytes.clone();
        damaged[lengths[1] + 3] = 0;
        assert_eq!(Journal::read(&damaged, "a.journal").expect("the first line is whole").edits, 1);
    }

    #[test]
    fn an_unchanged_project_adds_no_line() {
        let mut writer = JournalWriter::new(None, &project(0.5));
        assert_eq!(writer.append(&project(0.5), 1, 1), None);
    }

    #[test]
    fn compaction_keeps_the_state() {
        let (bytes, _) = journal();
        let journal = Journal::read(&bytes, "a.journal").expect("readable");
        let compacted = journal.writer.compacted(3, 103);
        let again = Journal::read(&compacted, "a.journal").expect("readable");
        assert_eq!((again.edits, again.time), (3, 103));
        assert_eq!(again.writer.current, journal.writer.current);
        assert_eq!(again.writer.header, journal.writer.header);
        assert!(compacted.len() < bytes.len());
    }
}
