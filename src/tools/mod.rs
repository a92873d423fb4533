//! What the Setup menu does: pure functions of a document that return an edit.

pub mod body;
pub mod components;
pub mod detect;
pub mod lengths;
pub mod mirror;
pub mod parts;
pub mod paste;
pub mod swing;
pub mod tidy;
