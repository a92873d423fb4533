//! The Setup menu: pure functions from a document to an edit. `landmarks` finds the body of a character.

pub mod body;
pub mod clipping_fixes;
pub mod components;
pub mod detect;
pub mod doctor;
pub mod elements;
pub mod landmarks;
pub mod length_limits;
pub mod mirror;
pub mod paste;
pub mod setup_cleanup;
pub mod swing_limits;
