use super::MessageId;
use crate::report::{Diagnostic, Place};

/// One thing that was said, kept until the artist clears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Grows with every message.
    pub id: MessageId,
    /// What and how bad.
    pub diagnostic: Diagnostic,
}

/// Everything that was said since the window opened, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    list: Vec<Message>,
    next: u64,
}

impl Messages {
    /// Says something; the same thing twice running is said once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.last().is_some_and(|m| m.diagnostic == diagnostic) {
            return;
        }
        self.next += 1;
        self.list.push(Message { id: MessageId(self.next), diagnostic });
    }

    /// Says that something was left out.
    pub fn warn(&mut self, message: impl Into<String>) {
        self.push(Diagnostic::warning(Place::default(), message));
    }

    /// Says that something is so.
    pub fn info(&mut self, message: impl Into<String>) {
        self.push(Diagnostic::info(Place::default(), message));
    }

    /// All of them, oldest first.
    pub fn list(&self) -> &[Message] {
        &self.list
    }

    /// Forgets one.
    pub fn dismiss(&mut self, id: MessageId) {
        self.list.retain(|m| m.id != id);
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.list.clear();
    }
}
