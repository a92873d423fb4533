//! What was skipped or replaced while an FBX was converted.

use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText};

/// Collects diagnostics of one file.
pub(super) struct Notes<'a> {
    pub(super) file: &'a str,
    pub(super) found: Vec<Diagnostic>,
}

impl<'a> Notes<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self { file, found: Vec::new() }
    }

    pub(super) fn warn(&mut self, text: MessageText) {
        self.found.push(Diagnostic::warning(Location::file(self.file), text));
    }

    pub(super) fn info(&mut self, text: MessageText) {
        self.found.push(Diagnostic::info(Location::file(self.file), text));
    }
}
