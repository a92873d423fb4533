use crate::doc::Document;
use crate::rig::Character;
use crate::session::Session;
use std::sync::Arc;

/// The character and document that a window has worked something out for.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    character: Arc<Character>,
    document: Document,
}

impl Seen {
    pub(super) fn of(session: &Session) -> Self {
        Self { character: Arc::clone(session.character()), document: session.document().clone() }
    }

    /// Whether the session still has the same bones.
    pub(super) fn same_character(&self, session: &Session) -> bool {
        Arc::ptr_eq(&self.character, session.character())
    }

    /// Whether what was worked out still holds.
    pub(super) fn is_current(&self, session: &Session) -> bool {
        self.same_character(session) && self.document == *session.document()
    }
}
