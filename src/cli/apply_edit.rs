//! Edits of a command, applied to the document of a session.

use super::output::command_failure;
use crate::document::{Edit, EditLabel};
use crate::session::{Command, Message, Session};

/// Applies an edit to the session's document; a refusal is an error.
pub(super) fn apply_edit(session: &mut Session, edit: Edit, label: EditLabel) -> anyhow::Result<()> {
    session.handle(Command::ApplyEdit(edit, label));
    let messages = session.messages().entries();
    if messages.iter().any(|message| matches!(message.message, Some(Message::EditRefused(_)))) {
        return Err(command_failure(messages.iter().map(|message| message.diagnostic.clone()).collect()));
    }
    Ok(())
}
