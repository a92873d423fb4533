//! Edits of a command, applied to the document of a session.

use super::output::refusal;
use crate::document::{Edit, Label};
use crate::session::{Command, Said, Session};

/// Applies an edit to the session's document; a refusal is an error.
pub(super) fn apply_edit(session: &mut Session, edit: Edit, label: Label) -> anyhow::Result<()> {
    session.handle(Command::Apply(edit, label));
    let messages = session.messages().list();
    if messages.iter().any(|message| matches!(message.said, Some(Said::Refused(_)))) {
        return Err(refusal(messages.iter().map(|message| message.diagnostic.clone()).collect()));
    }
    Ok(())
}
