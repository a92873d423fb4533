use crate::document::{Changes, Document, Edit, EditError, Invalidation, Setup};
use yuremono_sim::diagnostics::MessageText;

/// Describes an edit. Edits with equal labels are merged while the pointer is down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditLabel {
    /// The text in the Edit menu, for example "Stiffness on 8 joints".
    pub text: MessageText,
    /// The message after the edit, for example because the change may be invisible in the viewport.
    pub message: Option<MessageText>,
    pub kind: EditKind,
}

/// What an edit does, for edits that need special care.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditKind {
    #[default]
    Other,
    /// Changes only how far joints can swing.
    AngleLimits,
    /// Unassigns chains from their material, and says so.
    MaterialUnassigned,
    /// Adds a recorded gesture.
    Recording,
}

impl EditLabel {
    pub const fn new(text: MessageText) -> Self {
        Self { text, message: None, kind: EditKind::Other }
    }

    /// Sets [`EditLabel::message`].
    #[must_use]
    pub fn with_message(mut self, message: MessageText) -> Self {
        self.message = Some(message);
        self
    }

    /// Sets [`EditLabel::message`] to the text in the Edit menu.
    #[must_use]
    pub fn show_message(self) -> Self {
        let text = self.text.clone();
        self.with_message(text)
    }

    #[must_use]
    pub const fn with_kind(mut self, kind: EditKind) -> Self {
        self.kind = kind;
        self
    }
}

/// The undo and redo stacks.
#[derive(Clone, Debug, Default)]
pub struct History {
    undo: Vec<HistoryEntry>,
    redo: Vec<HistoryEntry>,
    /// Whether the pointer is down. Changes with the same label are then merged.
    merging: bool,
    /// The setup before the top entry of `undo`, if this entry was pushed since the pointer went down.
    before_merging: Option<Box<Setup>>,
    /// State number of the saved document.
    saved_state: u64,
    /// The newest state number. State numbers are never reused.
    newest_state: u64,
}

#[derive(Clone, Debug)]
struct HistoryEntry {
    label: EditLabel,
    /// The changes, also while the entry is undone.
    changes: Changes,
    /// State number of the document after the changes.
    state_after: u64,
}

impl History {
    /// Applies `edit` and stores its changes. During a drag (see [`History::set_merging`]), changes with the same label
    /// are merged into one entry, which contains each changed place once. An edit without an effect adds no entry.
    pub fn apply(&mut self, document: &mut Document, edit: Edit, label: EditLabel) -> Result<Invalidation, EditError> {
        let before = document.apply_and_return_before(edit)?;
        let changes = Changes::between(&before, document);
        if changes.is_empty() {
            return Ok(Invalidation::Nothing);
        }
        let invalidation = changes.invalidation(document);
        self.redo.clear();
        self.newest_state += 1;
        match (self.undo.last_mut(), &self.before_merging) {
            (Some(top), Some(before)) if top.label == label => {
                top.changes = Changes::between(before, document);
                top.state_after = self.newest_state;
            }
            _ => {
                self.undo.push(HistoryEntry { label, changes, state_after: self.newest_state });
                self.before_merging = self.merging.then(|| Box::new(before));
            }
        }
        Ok(invalidation)
    }

    /// Reverts the changes with this label since the pointer went down, so the next change starts from the old values.
    /// Returns `None` if there are no such changes.
    pub fn revert_merged(&mut self, document: &mut Document, label: &EditLabel) -> Option<Invalidation> {
        let same = self.merging && self.undo.last().is_some_and(|top| top.label == *label);
        if same { self.cancel(document) } else { None }
    }

    /// Starts or ends a drag. All changes with the same label during a drag are one entry. An entry whose values returned
    /// to those before the drag is discarded.
    pub fn set_merging(&mut self, merging: bool) {
        self.merging = merging;
        if self.before_merging.take().is_some() {
            self.undo.pop_if(|top| top.changes.is_empty());
        }
    }

    /// Whether a drag is in progress.
    pub fn is_merging(&self) -> bool {
        self.merging
    }

    /// Returns all states that undo and redo can reach, oldest first, each with its number and the change that led to
    /// the state. The first state has no change.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = (u64, Option<&EditLabel>)> {
        let done = self.undo.iter().map(|entry| (entry.state_after, Some(&entry.label)));
        let undone = self.redo.iter().rev().map(|entry| (entry.state_after, Some(&entry.label)));
        [(0, None)].into_iter().chain(done).chain(undone)
    }

    /// Returns the document in a state, from the present document. Returns `None` if undo and redo cannot reach the
    /// state.
    pub fn document_at(&self, state: u64, present: &Document) -> Option<Document> {
        let mut document = present.clone();
        if self.has_passed_state(state) {
            let later = self.undo.iter().rev().take_while(|entry| entry.state_after != state);
            later.for_each(|entry| entry.changes.revert(&mut document));
            return Some(document);
        }
        for entry in self.redo.iter().rev() {
            entry.changes.apply(&mut document);
            if entry.state_after == state {
                return Some(document);
            }
        }
        None
    }

    /// Reverts and discards the changes since the pointer went down. Returns `None` if there are no such changes.
    pub fn cancel(&mut self, document: &mut Document) -> Option<Invalidation> {
        let made = self.before_merging.take().and_then(|_| self.undo.pop())?;
        made.changes.revert(document);
        Some(made.changes.invalidation(document))
    }

    /// Reverts the last entry. Returns `None` if there is no entry.
    pub fn undo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.before_merging = None;
        let entry = self.undo.pop()?;
        entry.changes.revert(document);
        let undone = (entry.label.clone(), entry.changes.invalidation(document));
        self.redo.push(entry);
        Some(undone)
    }

    /// Applies the last undone entry again. Returns `None` if there is no entry.
    pub fn redo(&mut self, document: &mut Document) -> Option<(EditLabel, Invalidation)> {
        self.before_merging = None;
        let entry = self.redo.pop()?;
        entry.changes.apply(document);
        let redone = (entry.label.clone(), entry.changes.invalidation(document));
        self.undo.push(entry);
        Some(redone)
    }

    pub fn next_undo(&self) -> Option<&EditLabel> {
        self.undo.last().map(|e| &e.label)
    }

    pub fn next_redo(&self) -> Option<&EditLabel> {
        self.redo.last().map(|e| &e.label)
    }

    /// Returns the number of places that the next undo changes.
    pub fn next_undo_size(&self) -> usize {
        self.undo.last().map_or(0, |entry| entry.changes.len())
    }

    pub fn mark_saved(&mut self) {
        self.saved_state = self.current_state();
    }

    /// Treats the document as unsaved, whatever undo and redo do. No state number equals the maximum.
    pub fn mark_unsaved(&mut self) {
        self.saved_state = u64::MAX;
    }

    /// Returns how many undo or redo steps lead from the document to the saved state. If no steps lead there, returns
    /// the number of all undo steps.
    pub fn unsaved_steps(&self) -> usize {
        let is_saved = |entry: &HistoryEntry| entry.state_after == self.saved_state;
        if self.saved_state == 0 {
            return self.undo.len();
        }
        match (self.undo.iter().rposition(is_saved), self.redo.iter().rposition(is_saved)) {
            (Some(at), _) => self.undo.len() - at - 1,
            (None, Some(at)) => self.redo.len() - at,
            (None, None) => self.undo.len(),
        }
    }

    /// Whether the document differs from the saved state.
    pub fn is_dirty(&self) -> bool {
        self.current_state() != self.saved_state
    }

    /// Maps the changes of every entry, for example to new bone ids.
    pub fn map_changes(&mut self, mut map: impl FnMut(&mut Changes)) {
        self.before_merging = None;
        self.undo.iter_mut().chain(&mut self.redo).for_each(|entry| map(&mut entry.changes));
    }

    /// Returns the state number of the document. Undo and redo return to earlier state numbers.
    pub fn current_state(&self) -> u64 {
        self.undo.last().map_or(0, |e| e.state_after)
    }

    /// Whether the document is in this state or can reach it by undo.
    pub fn has_passed_state(&self, state: u64) -> bool {
        state == 0 || self.undo.iter().any(|e| e.state_after == state)
    }

    /// Whether undo or redo can reach this state.
    pub fn can_reach_state(&self, state: u64) -> bool {
        self.has_passed_state(state) || self.redo.iter().any(|e| e.state_after == state)
    }
}

#[cfg(test)]
mod tests;
