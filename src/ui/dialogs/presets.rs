//! The windows about presets: what one would change, and keeping, renaming and deleting those of the artist's own.

mod compare;
mod delete;
mod keep;

pub(super) use compare::Compare;
pub(super) use delete::Delete;
pub(super) use keep::Keep;
